"""Items taken from lists and dicts that change at once, and lists that differ between
paths."""

from __future__ import annotations

import textwrap

import numpy as np
import pytest

from s2sad import UnsupportedError, grad
from tests.changing_data.test_cases import IMPORTS
from tests.fuzz.checking import check

PROGRAMS = {
    "a list is unpacked into its own items": """
        def program(x, v, k):
            log = [x, v[0], 2.0 * x]
            log[1], *log[:1], y = log
            pair = [x, v[1]]
            (pair[1], pair[0]), n = pair, 1
            d = {1: x, 0: v[0]}
            d[0], d[1] = d.values()
            back = [x * x, v[0]]
            back[0], back[1] = reversed(back)
            return log[0] * 2 + log[1] ** 2 * len(log) + y * pair[0] - pair[1] ** 2 \\
                + d[0] * 2 + d[1] ** 2 + back[0] ** 3 + back[1]
    """,
    "an iterator over an object is unpacked into it": """
        class Two:
            def __init__(self, p, q):
                self.p, self.q = p, q

            def __iter__(self):
                yield self.p
                yield self.q

        def program(x, v):
            two = Two(x, v[0])
            two.q, two.p = two
            return two.q * 2 + two.p ** 2
    """,
    "a list is put into itself": """
        def program(x, v):
            log = [x, v[0]]
            log.extend(log)
            log += log
            log[1:2] = log
            more = [e * x for e in v if e > -0.3]
            more.extend(more)
            more += more
            more[:1] = more
            return sum(i * e for i, e in enumerate(log + more)) * x
    """,
    "calls change a list between its unpackings": """
        def program(x, v, k):
            log = [x, v[0]]
            for i in range(k):
                log.append(x * log[-1])

            def push(e):
                log[0] = log[0] * e
                log.append(e)
                return e

            r = [*log, push(x), *log, push(x + 1.0)]
            d = {"a": x, "b": v[0]}

            def store(e):
                d["a"] = d["a"] * e
                return e

            t = {**d, "c": store(x), **d}
            return sum(i * e for i, e in enumerate(r)) * log[0] + t["a"] * t["c"]
    """,
    "a finally block sees lists of several lengths": """
        def program(x, v):
            log = [x, v[0]]
            try:
                if v[1] > 0.3:
                    raise ValueError
                log.append(x * v[1])
            except ValueError:
                pass
            else:
                log.append(x**2)
            finally:
                log.append(x * x * len(log))
                log.pop(0)
            return sum(i * e for i, e in enumerate(log)) * x
    """,
    "structures are appended to a list that was empty on all paths": """
        def program(x, v, k):
            pairs, rows, none = [], [], [e for e in v if e > 100.0]
            if k > 1:
                pairs = []
            for i in range(k + 1):
                pairs.append((x * i, v[0]))
                if v[i % 3] > 0.0:
                    rows.append([x * i, v[0]])
            rows.append([x, x])
            none.clear()
            none.append([x, x])
            none.append([x, v[0]])
            total = sum(a * b for a, b in pairs) + sum(a * b for a, b in none)
            return total * sum(a * b for a, b in rows)
    """,
    "a list that may be one of two, which get others": """
        class A:
            def __init__(self, p):
                self.path = [p, 2.0 * p]
        def program(x, v, k):
            a, b = A(x), A(v[0])
            one = a if k % 2 else b
            p = one.path
            total = p[0] * x
            one.path = [x * 3, v[1]]
            p[1] *= 3.0
            return total + one.path[0] + a.path[1] + p[1]
    """,
    "a list that may be one of two, which get others in a loop": """
        class A:
            def __init__(self, p):
                self.path = [p, 2.0 * p]
        def program(x, v, k):
            a, b = A(x), A(v[0])
            one = a if k % 2 else b
            p = one.path
            total = 0.0
            for j in range(3):
                total += p[0] * x
                one.path = [x * j, v[1]]
            p[1] *= 3.0
            return total + p[1]
    """,
    "one of two items of a list": """
        def program(x, v, k):
            rows = [{"a": e * x, "b": x} for e in v]
            row = rows[0] if k % 2 else rows[-1]
            row["a"] *= v[0]
            rows[2]["b"] += row["a"]
            return sum(r["a"] * r["b"] for r in rows) + row["a"]
    """,
    "one of two items, of objects": """
        class A:
            def __init__(self, p):
                self.data = {"a": p, "w": np.ones(3) * p}
        def program(x, v, k):
            others = [A(e) for e in v]
            if x < v[0]:
                card = others[0].data
                card["a"] *= x
            else:
                card = others[-1].data
            card["a"] += x
            card["w"] = card["w"] * card["a"]
            return sum(o.data["a"] * np.sum(o.data["w"]) for o in others) + card["a"]
    """,
    "one of two items, in a loop": """
        def program(x, v, k):
            rows = [{"a": e * x, "b": x} for e in v]
            total = 0.0
            for j in range(3):
                row = rows[j] if v[j] > 0.0 else rows[0]
                other = row
                if j > 0:
                    other["a"] += rows[j - 1]["b"]
                    row = rows[j - 1] if x > 0.0 else row
                row["b"] *= x
                total += other["a"] * row["b"]
            return total + sum(r["a"] * r["b"] for r in rows)
    """,
    "a case whose guard is a tuple": """
        def program(x, v, k):
            path = (x, 0.5)
            for j in range(2):
                if x > -1.0:
                    path += (v[j],)
            match (k % 3, x):
                case (0, p) if path:
                    return p * path[-1]
                case (1, p) if [e for e in v if e > 0.0]:
                    return p * p
            return x * sum(path)
    """,
    "a loop over the places of an empty list": """
        def program(x, v, k):
            some = []
            for i in range(len(some)):
                e = some[i]
                some[-i] -= x * e
            some.append(x * v[k % 3])
            return sum(some) * x
    """,
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", PROGRAMS)
def test_right(name):
    text = IMPORTS + textwrap.dedent(PROGRAMS[name])
    known: dict = {}
    outcomes = [check(text, seed, 120, known=known) for seed in range(4)]
    assert {outcome.verdict for outcome in outcomes} == {"differentiated"}, outcomes


def test_a_call_changes_the_list_that_is_searched():
    def largest(x, y):
        log = [x, y]

        def key(e):
            log[1] = log[1] * e
            return e

        return max(log, key=key)

    with pytest.raises(UnsupportedError, match="changes in the same expression"):
        grad(largest)(2.0, 3.0)


def test_the_reason_why_lists_cannot_meet():
    def mixed(x, v):
        log = [x, 1.0]
        if x > 0.0:
            log = [x, v, "a"]
        return np.sum(log[0])

    with pytest.raises(UnsupportedError, match="on another; a list whose"):
        grad(mixed)(2.0, np.ones(3))


def test_a_list_held_from_before_it_was_replaced_in_a_loop():
    text = """
        class A:
            def __init__(self, p): self.path = [p, 2.0 * p]
        def program(x, v, k):
            a, b = A(x), A(v[0])
            parts = [a, b, a if k % 2 else b]
            path = parts[-1].path
            total = 0.0
            for j in range(3):
                total += path[0] * x
                parts[k % 3].path = [x * j, v[1]]
            path[1] *= 3.0
            return total + a.path[1] + path[1] * b.path[0]
    """
    text = IMPORTS + textwrap.dedent(text)
    verdicts = {check(text, seed, 120).verdict for seed in range(4)}
    assert verdicts <= {"differentiated", "refused"}


@pytest.mark.parametrize(
    "text",
    [
        """
        def program(x, v, k):
            rows = [{"a": e * x, "b": x} for e in v]
            row = rows[0] if x > 0.0 else rows[-1]
            rows.insert(0, {"a": x, "b": v[0]})
            row["a"] *= 2.0
            return sum(r["a"] * r["b"] for r in rows)
        """,
        """
        def program(x, v, k):
            rows = [{"a": e * x, "b": x} for e in v]
            total = 0.0
            for j in range(3):
                row = rows[j] if v[j] > 0.0 else rows[0]
                if j > 0:
                    last["a"] += row["b"]
                last = row
                total += last["a"]
            return total + sum(r["a"] * r["b"] for r in rows)
        """,
    ],
)
def test_one_of_two_items_where_they_move(text):
    text = IMPORTS + textwrap.dedent(text)
    verdicts = {check(text, seed, 120).verdict for seed in range(4)}
    assert verdicts == {"differentiated"}


def test_a_call_changes_an_item_that_is_searched():
    text = """
        def program(x, v, k):
            logs = [[x * e, v[0], v[1]] for e in v]
            log = logs[k % 3]
            def key(e):
                log[1] = log[1] * e
                return e
            return max(log, key=key) * log[1]
    """
    outcome = check(IMPORTS + textwrap.dedent(text), 0)
    assert "changes in the same expression" in outcome.detail
