"""``and`` and ``or`` are written as expressions, a chain of one operator without
parentheses; a long one compiles."""

import linecache

import pytest

from s2sad import grad, value_and_grad


def chosen(x, y):
    if x > 0.0 and y > 0.0 and (x < y or (x > 4.0 or y > 5.0)) and not x == 2.0:
        return x * y
    return 3.0 * x


def test_chains_have_no_parentheses():
    text = grad(chosen).source_for(1.0, 2.0)
    assert "if x > 0.0 and y > 0.0 and (x < y or x > 4.0 or y > 5.0) and " in text
    for point in [(1.0, 2.0), (3.0, 2.0), (-1.0, 2.0), (5.0, 2.0), (2.0, 3.0)]:
        value, slope = value_and_grad(chosen)(*point)
        assert value == chosen(*point)
        assert slope == (point[1] if value == point[0] * point[1] else 3.0)


@pytest.mark.long
def test_a_long_chain():
    """Longer than Python's parser takes parentheses."""
    terms = 220
    condition = " and ".join(f"x < {terms - k}.5" for k in range(terms))
    lines = (
        f"def f(x):\n    if {condition}:\n        return x * x\n    return 3.0 * x\n"
    )
    linecache.cache["<long chain>"] = (len(lines), None, lines.splitlines(True), "")
    names = {}
    exec(compile(lines, "<long chain>", "exec"), names)
    gradient = grad(names["f"])
    assert gradient(1.25) == 2.5 and gradient(1.75) == 3.0
