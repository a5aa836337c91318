"""Names that an iteration binds on some paths alone: on the others they have what an
earlier iteration left in them."""

from __future__ import annotations

import textwrap

import pytest

from tests.frontend.whole_programs import assert_differentiated

PROGRAMS = {
    "an array that gets another shape": """
        def program(x, v, k):
            w = v
            for i in range(k + 1):
                if i == 0:
                    m = np.zeros(1) + x
                m = m * 0.5 + w
                w = w - m * v * 0.1
            return np.sum(w * m)
    """,
    "a number that becomes an array": """
        def program(x, v, k):
            total = 0.0
            for i in range(k + 2):
                if i == 0:
                    m = x
                else:
                    pass
                total = total + np.sum(m * v)
                m = m * v
            return total * np.sum(m)
    """,
    "bound by an inner loop that may not be entered": """
        def program(x, v, k):
            w = v
            for i in range(k + 1):
                for j in range(1 - i):
                    m = np.ones(1) * x
                m = m * 0.5 + w
                w = w * x
            return np.sum(w * m)
    """,
    "in nested branches": """
        def program(x, v, k):
            w, total = v, 0.0
            for i in range(k + 2):
                if i < 2:
                    if i == 0:
                        m = np.array([x])
                    total = total + np.sum(m)
                m = np.sin(m) + w
            return np.sum(m * w) + total
    """,
    "behind a try": """
        def program(x, v, k):
            total = 0.0
            for i in range(k + 2):
                try:
                    scale = math.sqrt(-1.0 if i else 1.0) * np.ones(1)
                    m = scale * x
                except ValueError:
                    total = total + 1.0
                total = total + np.sum(m * v)
                m = m * v
            return total
    """,
    "as long as what has grown since": """
        def program(x, v, k):
            total, a, rows = 0.0, v[:1] * x, [x]
            for i in range(2):
                if i > 0:
                    total = total + np.sum(a * p) + np.sum(np.array(rows) * q)
                p, q = a * 2.0, np.array(rows) * x
                a = np.concatenate([a, v[i : i + 1]])
                rows.append(v[i])
            return total
    """,
    "read behind the loop, beside what has grown since": """
        def program(x, v, k):
            rows = [x]
            for i in range(k + 1):
                q = np.array(rows) * x
                rows.append(v[i % 3])
                if i == 0:
                    break
            return np.sum(q * np.array(rows))
    """,
    "last of all, and not read again": """
        def program(x, v, k):
            total = x
            for i in range(k + 1):
                if i % 2:
                    part = v * total
                    total = total + np.sum(part * part)
                else:
                    part = v[:1] * total
                    total = total + part[0]
            return total * total
    """,
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", PROGRAMS)
def test_what_an_earlier_iteration_left(name):
    assert_differentiated(PROGRAMS[name])


def test_a_list_of_numbers_made_in_the_first_iteration():
    assert_differentiated("""
    def program(x, k):
        total = 0.0
        for i in range(k):
            if i == 0:
                q = [x]
            q.append(q[-1] * x)
            total = total + sum(q) * len(q)
        return total
    """)


def test_a_dict_made_in_the_first_iteration():
    text = """
    def program(x, k):
        total = 0.0
        for i in range(k):
            if i == 0:
                q = {"a": x}
            q["a"] = q["a"] * x
            total = total + q["a"]
        return total
    """
    assert_differentiated(textwrap.dedent(text))
