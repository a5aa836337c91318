"""``zip(*rows)`` and the like of arrays, and of rows whose number isn't known."""

import pytest

import s2sad
from tests.frontend.whole_programs import assert_differentiated


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "lines",
    [
        "a, b, c = zip(*m)\nreturn a[0] * b[1] * x + c[0]",
        "return sum(np.prod(np.array(column)) * x for column in zip(*m))",
        "t = [list(column) for column in zip(*m)]\nreturn sum(sum(r) ** 2 for r in t)",
        "t = np.array(list(zip(*m)))\nreturn np.sum(t @ m) * x",
        "return sum(map(sum, zip(*m))) * x",
        "return sum(a * b * x for a, b in itertools.zip_longest(*m))",
        "return sum(a * a * x for a in itertools.chain(*m))",
        "a, b, c = zip(*(row * x for row in m))\nreturn sum(a) * b[0] + c[1]",
    ],
)
def test_columns_of_an_array(lines):
    body = "\n".join(f"    {line}" for line in lines.splitlines())
    text = f"import itertools\n\ndef program(m, x):\n{body}\n"
    assert_differentiated(text, range(3))


@pytest.mark.parametrize(
    "rows",
    [
        "[v * i + x for i in range(k + 1)]",
        "[[a * i + x for a in v] for i in range(k + 1)]",
        "[[a * x, a + j] for j, a in enumerate(v)]",
    ],
)
def test_columns_of_a_list_of_rows(rows):
    assert_differentiated(f"""
        def program(v, x, k):
            rows = {rows}
            total = 0.0
            for column in zip(*rows):
                total = total * x + column[-1] * column[0]
            return total
    """)


def test_columns_of_sorted_pairs():
    assert_differentiated("""
        def program(v, x):
            a, b = zip(*((q, q * x) for q in v))
            c, d = zip(*sorted(zip(v, a), key=lambda p: -p[0]))
            return a[0] * b[1] + c[0] * d[2]
    """)


def first_columns(m):
    a, b = zip(*m)
    return a[0] * b[1]


def test_another_number_of_columns_raises_as_in_python():
    import numpy as np

    for shape in ((2, 3), (0, 2)):
        with pytest.raises(ValueError):
            first_columns(np.ones(shape))
        with pytest.raises(ValueError):
            s2sad.grad(first_columns)(np.ones(shape))
