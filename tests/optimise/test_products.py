"""Products of derived lines are gathered; the user's own lines stay."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from s2sad import grad
from s2sad.analysis.passes.dead_code import remove_dead_code
from s2sad.ir.kinds import NumPyScalar
from s2sad.optimise.products.products import merge_products
from s2sad.testing import check_grads
from tests.optimise.rewriting import after
from tests.support.ir_text import vector

KINDS = dict.fromkeys(("r", "z", "_p", "_q", "bar"), vector("n")) | {
    "s": NumPyScalar("float64")
}


def merged(*lines, parameters="r, z, n, c"):
    text = "\n".join([f"def f({parameters}):", *(f"    {line}" for line in lines)])
    return after(lambda f: remove_dead_code(merge_products(f)), text, KINDS)


merged.__name__ = "merge_products"


def last(*lines):
    """The lines but the return, with new temporaries numbered from 1."""
    text = "\n".join(merged(*lines)[:-1])
    names = dict.fromkeys(re.findall(r"product\.\w+", text))
    for number, name in enumerate(names, 1):
        text = re.sub(rf"{re.escape(name)}\b", f"p{number}", text)
    return text.splitlines()


def test_numbers_come_first():
    lines = last(
        "_t = derived(1.0 / n)",
        "_p = derived(2.0 * r)",
        "bar = derived(_t * _p)",
        "return bar",
    )
    assert lines == ["p1 = truediv(2.0, n)", "bar = mul(p1, r)"]


def test_numbers_leave_sums():
    lines = last("_p = derived(c * z)", "s = derived(np.sum(_p))", "return s")
    assert lines == ["p1 = sum(z)", "s = mul(p1, c)"]


def test_the_sum_of_a_product_of_vectors():
    lines = last("_p = derived(r * z)", "s = derived(np.sum(_p))", "return s")
    assert lines == ["p1 = matmul(r, z)", "s = p1"]


def test_a_sign_within_an_expression_goes_to_the_term():
    def decayed(r, t):
        return math.exp(-r * t) + t * -(r * t)

    text = grad(decayed, (0, 1)).source_for(0.3, 2.0)
    assert " = math.exp(-r * t)" in text
    assert "negated" not in text
    check_grads(decayed, (0.3, 2.0))


def of_squares(r):
    return 0.5 * r @ r


def of_a_form(x, a):
    return 0.5 * x @ a @ x - 2.0 * np.sum(0.25 * x * x)


def of_numbers(x, y):
    return 0.5 * x**2 * y - 3.0 * (0.25 * x) * (0.5 * y) ** 2 + 0.0 * x * x


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (of_squares, (np.array([0.3, -1.2]),)),
        (of_a_form, (np.array([0.3, -1.2]), np.array([[2.0, 0.5], [-1.0, 1.5]]))),
        (of_numbers, (0.3, -1.2)),
    ],
)
def test_numbers_of_the_users_are_multiplied_ahead(function, arguments):
    check_grads(function, arguments)
    found = grad(function)(*arguments)
    plain = grad(function, optimise=False)(*arguments)
    np.testing.assert_allclose(found, plain, rtol=1e-13)


def test_half_of_a_square():
    text = grad(of_squares).source_for(np.ones(2))
    assert "r_bar = r.copy()" in text
    x, a = np.ones(2), np.eye(2)
    assert "0.5 * x" in grad(of_a_form).source_for(x, a)


def test_negative_terms_are_subtracted():
    lines = last(
        "_p = derived(r * z)",
        "_q = derived(-_p)",
        "bar = derived(z + _q)",
        "return bar",
    )
    assert lines == ["p1 = mul(r, z)", "bar = sub(z, p1)"]


@pytest.mark.parametrize("line", ["bar = _t * _p", "bar = _t * r"])
def test_the_users_lines_stay(line):
    lines = last("_t = 1.0 / n", "_p = 2.0 * r", line, "return bar")
    assert lines[-1] == line.replace("bar = _t * ", "bar = mul(_t, ") + ")"


def test_a_product_read_twice_is_computed_once():
    lines = last(
        "_p = derived(r * z)", "bar = derived(2.0 * _p)", "s = derived(np.sum(_p))",
        "bar = derived(bar * s)", "return bar",
    )  # fmt: skip
    assert sum("mul(r, z)" in line for line in lines) == 1


def half_of_a_square(x: float, k: float) -> float:
    return 0.5 * k * x * x


def half_of_a_square_in_a_branch(x: float, k: float) -> float:
    if x < 2.0 * k:
        return -0.5 * x * x
    return k * x


@pytest.mark.parametrize(
    "function, line",
    [
        (half_of_a_square, "x_bar = k * x\n"),
        (half_of_a_square_in_a_branch, "x_bar = -x\n"),
    ],
)
def test_terms_of_a_square_with_a_number_are_one(function, line):
    derived = grad(function, ("x", "k"))
    text = derived.source_for(0.3, 0.7)
    assert line in text
    for x in (0.3, 1.7):
        h = 1e-6
        expected = (function(x + h, 0.7) - function(x - h, 0.7)) / (2 * h)
        assert np.isclose(derived(x, 0.7)[0], expected, rtol=1e-6)
