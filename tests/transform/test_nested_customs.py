"""``custom_vjp`` and ``custom_jvp`` inside of differentiated functions."""

import numpy as np
import pytest

import s2sad
from s2sad import UnsupportedError, custom_jvp, custom_vjp, grad, jvp, primitive
from s2sad.testing import check_grads

X = np.array([0.5, 1.25, -0.75])


def decorated(x, k):
    @custom_vjp
    def act(y):
        return np.log(1.0 + np.exp(y))

    act.defvjp(lambda y: (act(y), y), lambda y, out_bar: k * out_bar / (1 + np.exp(-y)))
    return np.sum(act(x) * x)


def with_words(x, k):
    @custom_vjp(nondiff="n")
    def power(y, n=2, *, scale):
        return scale * y**n

    def forward(y, n, *, scale):
        return power(y, n, scale=scale), (y, n, scale)

    def reverse(residuals, out_bar):
        y, n, scale = residuals
        return k * out_bar * n * scale * y ** (n - 1), k * np.sum(out_bar * y**n)

    power.defvjp(forward, reverse)
    return np.sum(power(x, 3, scale=x[0]))


def rules_read_variables(x, k):
    """The slope is that of the whole, which is constant in the function itself."""
    slope = k * np.cos(x)
    act = custom_vjp(lambda y: np.sin(y))
    act.defvjp(lambda y: (np.sin(y), None), lambda none, out_bar: slope * out_bar)
    made = act(x)
    slope = slope * 2.0
    return np.sum(made)


def in_a_loop(x, k):
    total = 0.0
    for i in range(3):

        @custom_vjp
        def act(y):
            return (i + 1.0) * y * y

        act.defvjp(
            lambda y: (act(y), y), lambda y, out_bar: 2.0 * k * (i + 1.0) * y * out_bar
        )
        total += np.sum(act(x))
    return total


def made_by_another(x, k):
    def squared(scale):
        act = custom_vjp(lambda y: scale * y * y)
        act.defvjp(
            lambda y: (scale * y * y, y), lambda y, out_bar: 2 * k * scale * y * out_bar
        )
        return act

    first, second = squared(1.0), squared(3.0)
    return np.sum(first(x)) + np.sum(second(x))


def chosen_by_a_branch(x, k):
    if x[0] > 0:
        act = custom_vjp(lambda y: y * y)
        act.defvjp(lambda y: (y * y, y), lambda y, out_bar: 2.0 * k * y * out_bar)
    else:
        act = custom_vjp(lambda y: 5.0 * y)
        act.defvjp(lambda y: (5.0 * y, None), lambda none, out_bar: 5.0 * k * out_bar)
    return np.sum(act(x))


def pushed(x, k):
    @custom_jvp
    def act(y):
        return np.sin(y)

    @act.defjvp
    def _(primals, tangents):
        (y,), (y_dot,) = primals, tangents
        return act(y), k * np.cos(y) * y_dot

    return np.sum(act(x))


PROGRAMS = [
    *(decorated, with_words, rules_read_variables, in_a_loop, made_by_another),
    *(chosen_by_a_branch, pushed),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_custom_functions_made_inside(program):
    for optimise in (None, False):
        # the right derivative, and one that is told from it
        right = grad(program, optimise=optimise)(X, 1.0)
        assert np.allclose(right, differences(lambda x: program(x, 1.0)), atol=1e-7)
    whole = 3.0 * right
    if program is decorated:  # x is a factor, too
        whole -= 2.0 * np.log(1.0 + np.exp(X))
    assert np.allclose(grad(program)(X, 3.0), whole)
    if program is pushed:
        tangent = jvp(program, (X, 3.0), (np.array([1.0, 2.0, -1.0]), None))[1]
        assert np.isclose(tangent, whole @ [1.0, 2.0, -1.0])
    second = s2sad.hvp(program)(X, 1.0, np.ones(3))
    assert np.allclose(second, slope_of_gradient(program), atol=1e-6)


def differences(f, step=1e-6):
    rows = step * np.eye(3)
    return np.array([(f(X + d) - f(X - d)) / (2 * step) for d in rows])


def slope_of_gradient(program, step=1e-6):
    gradient = grad(program)
    ahead, back = gradient(X + step, 1.0), gradient(X - step, 1.0)
    return (ahead - back) / (2 * step)


def test_numbers_and_checks():
    def f(x):
        act = custom_vjp(lambda y: y * y)
        act.defvjp(lambda y: (y * y, y), lambda y, out_bar: 2.0 * y * out_bar)
        return act(act(x))

    assert grad(f)(1.5) == pytest.approx(4 * 1.5**3)
    assert check_grads(f, (1.5,), modes=["rev"]).passed
    assert "custom" not in grad(f).source_for(1.5)


def read_by_the_function(x):
    a = np.sum(x)
    g = custom_vjp(lambda y: y * a)
    g.defvjp(lambda y: (y * a, None), lambda none, out_bar: a * out_bar)
    return np.sum(g(x))


def given_in_a_branch(x):
    g = custom_vjp(lambda y: y * y)
    if x[0] > 0:
        g.defvjp(lambda y: (y * y, y), lambda y, out_bar: y * out_bar)
    return np.sum(g(x))


def given_in_a_loop(x):
    g = custom_vjp(lambda y: y * y)
    for i in range(2):
        g.defvjp(lambda y: (y * y, y), lambda y, out_bar: i * y * out_bar)
    return np.sum(g(x))


def made_a_primitive(x):
    return np.sum(primitive(lambda y: y * y)(x))


def given_nothing(x):
    return np.sum(custom_vjp(lambda y: y * y)(x))


def given_half(x):
    g = custom_vjp(lambda y: y * y)
    g.defvjp(lambda y: (y * y, y))
    return np.sum(g(x))


def of_nothing(x):
    return np.sum(custom_vjp(x)(x))


@custom_vjp
def outside(y):
    return y * y


def given_outside(x):
    outside.defvjp(lambda y: (y * y, y), lambda y, out_bar: y * out_bar)
    return np.sum(outside(x))


def unknown_word(x):
    g = custom_vjp(lambda y: y * y, nondiff="z")
    g.defvjp(lambda y: (y * y, y), lambda y, out_bar: y * out_bar)
    return np.sum(g(x))


REFUSED = {
    read_by_the_function: "reads a from the function around it",
    given_in_a_branch: "given its derivative in another",
    given_in_a_loop: "given its derivative in another",
    made_a_primitive: "a primitive that is made inside",
    given_nothing: "no derivative",
    given_half: "defvjp takes forward and reverse",
    of_nothing: "custom_vjp is given",
    given_outside: "outside is given a derivative while",
    unknown_word: "has no parameter 'z'",
}


@pytest.mark.parametrize("program", REFUSED, ids=lambda p: p.__name__)
def test_what_is_refused(program):
    with pytest.raises(UnsupportedError, match=REFUSED[program]):
        grad(program)(X)


def test_variables_that_do_not_vary_may_be_read():
    def f(x, a):
        g = custom_vjp(lambda y: y * a)
        g.defvjp(lambda y: (y * a, None), lambda none, out_bar: 3.0 * a * out_bar)
        return np.sum(g(x))

    assert np.allclose(grad(f)(X, 2.0), 6.0)
    with pytest.raises(UnsupportedError, match="reads a from"):
        grad(f, wrt="a")(X, 2.0)
    with pytest.raises(UnsupportedError, match="reads a from"):
        jvp(f, (X, 2.0), (X, 1.0))
