"""``check_rule`` of functions whose derivative the user gives."""

import numpy as np

from s2sad import custom_jvp, custom_vjp, primitive
from s2sad.testing import check_rule

X = np.array([0.3, 1.2, -0.7])
A = np.array([[2.0, 1.0, 0.2], [0.3, 1.5, -0.4], [0.1, 0.7, 3.0]])


@custom_vjp
def product(x, y):
    return x * y


product.defvjp(
    lambda x, y: (x * y, (x, y)), lambda kept, bar: (bar * kept[1], bar * kept[0])
)


@custom_jvp
def scaled(x, k):
    return x * k**2


scaled.defjvp(
    lambda p, t: (scaled(p[0], p[1]), t[0] * p[1] ** 2 + 2 * p[0] * p[1] * t[1])
)


@primitive
def solve(a, b):
    return np.linalg.solve(a, b)


def solve_reverse(residuals, y_bar):
    a, y = residuals
    b_bar = solve(a.T, y_bar)
    return -np.outer(b_bar, y), b_bar


def solve_pushed(primals, tangents):
    (a, b), (a_dot, b_dot) = primals, tangents
    y = solve(a, b)
    return y, solve(a, b_dot - a_dot @ y)


solve.defvjp(lambda a, b: (y := solve(a, b), (a, y)), solve_reverse)


@primitive
def solve_both(a, b):
    return np.linalg.solve(a, b)


solve_both.defvjp(lambda a, b: (y := solve(a, b), (a, y)), solve_reverse)
solve_both.defjvp(solve_pushed)


def test_custom_vjp():
    assert check_rule(product, X, X + 1).passed


def test_custom_jvp():
    assert check_rule(scaled, X, 1.5).passed


def test_primitives():
    assert check_rule(solve, A, X).passed
    assert check_rule(solve_both, A, X).passed


def test_a_wrong_rule_is_found():
    wrong = custom_vjp(lambda x: x**2)
    wrong.defvjp(lambda x: (x**2, x), lambda x, out_bar: 3 * x * out_bar)
    assert not check_rule(wrong, X).passed
