"""Complex numbers: each rule is right for them or refuses them, programs with them, and
Jacobians."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest

from s2sad import elementwise_grad, grad, hvp, jacfwd, jacobian, jacrev, jvp, vjp
from s2sad.errors import ArgumentError, S2sadError, UnsupportedError
from s2sad.ops.runtime.sequences import nested_like, unstack
from s2sad.rules.load import load_all
from s2sad.rules.registry import all_rules
from s2sad.testing import check_grads
from s2sad.testing.weighted_sums import call_of
from tests.rules.cases import ARRAYS, ELEMENTS
from tests.rules.cases.form import LiteralFloat, LiteralInt
from tests.support.finite_differences import tree_leaves

load_all()
STEP = 1e-6
Z = np.array([1.3 + 2.0j, -0.5 - 1.1j])
X = np.array([0.7, -1.2])


def name_of(case):
    try:
        return case.name
    except (TypeError, ValueError):  # lists of unlike arrays
        return f"{case.function.__qualname__} {case.note}"


CASES = {
    f"{name_of(case)} {which}": (case, which)
    for case in [*ELEMENTS, *ARRAYS]
    if case.wrt
    and case.expected is None
    and case.function not in (unstack, nested_like)
    for which in dict.fromkeys((case.wrt, *((w,) for w in case.wrt)))
}


def complex_like(value, rng):
    """The value with an imaginary part, where it is a float or holds some."""
    if isinstance(value, list | tuple):
        return type(value)(complex_like(item, rng) for item in value)
    if isinstance(value, np.ndarray | np.floating) and value.dtype.kind == "f":
        imaginary = rng.uniform(0.2, 0.9, value.shape) * rng.choice([-1, 1])
        wide = np.complex64 if value.dtype == np.float32 else complex
        return np.asarray(value + 1j * np.where(value == 0, 0, imaginary), wide)[()]
    return complex(value, 0.37) if isinstance(value, float) else value


def like(value, items):
    """A list or tuple, a named one too, of these items."""
    return getattr(type(value), "_make", type(value))(items)


def tangent_of(value, rng):
    if isinstance(value, list | tuple):
        return like(value, (tangent_of(item, rng) for item in value))
    kind = np.asarray(value).dtype.kind if np.isscalar(value) else None
    kind = getattr(getattr(value, "dtype", None), "kind", kind)
    if kind not in ("f", "c"):
        return None
    drawn = rng.normal(size=np.shape(value))
    if kind == "c":
        drawn = drawn + 1j * rng.normal(size=np.shape(value))
    if isinstance(value, np.ndarray | np.generic):
        return np.asarray(drawn, value.dtype)[()]
    return type(value)(drawn)


def moved(value, tangent, step):
    if isinstance(value, list | tuple):
        return like(value, (moved(v, t, step) for v, t in zip(value, tangent)))
    if tangent is None:
        return value
    if isinstance(value, np.ndarray | np.generic):
        return np.asarray(value + step * tangent, value.dtype)[()]
    return value + step * tangent


def product(one, other):
    """The inner product of two structures as vectors of real numbers."""
    return sum(
        np.real(np.vdot(a, b))
        for a, b in zip(tree_leaves(one), tree_leaves(other), strict=True)
        if a is not None and b is not None
    )


def plain(argument):
    if isinstance(argument, LiteralFloat):
        return float(argument)
    return int(argument) if isinstance(argument, LiteralInt) else argument


@pytest.mark.sampled(64, of_long=2)
@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore")
def test_a_rule_is_right_for_complex_numbers_or_refuses_them(name):
    case, which = CASES[name]
    rng = np.random.default_rng(len(name))
    args = [
        complex_like(a, rng) if k in which else plain(a)
        for k, a in enumerate(case.arguments)
    ]
    try:
        value = case.function(*args, **case.keywords)
    except (TypeError, ValueError, OverflowError):
        return  # it takes none
    single = any(
        getattr(leaf, "dtype", None) in (np.float32, np.complex64)
        for leaf in tree_leaves(args)
    )
    step = 1e-2 if single else STEP
    tangents = tuple(tangent_of(a, rng) for a in args)
    call = call_of(case.function, case.keywords)
    try:
        found, pullback = vjp(call, *args)
        weights = tangent_of(found, rng)
        bars = pullback(weights)
        _, tangent = jvp(call, tuple(args), tangents)
    except S2sadError:
        return
    bars = bars if isinstance(bars, tuple) else (bars,)
    for bar, argument in zip(tree_leaves(list(bars)), tree_leaves(args)):
        if bar is not None and np.asarray(argument).dtype.kind == "f":
            assert not np.iscomplexobj(bar)
    above, below = (
        case.function(*map(moved, args, tangents, [h] * len(args)), **case.keywords)
        for h in (step, -step)
    )
    expected = (product(weights, above) - product(weights, below)) / (2 * step)
    tolerance = (3e-2 if single else 2e-5) * max(1.0, float(abs(expected)))
    assert product(list(bars), list(tangents)) == pytest.approx(expected, abs=tolerance)
    assert product(weights, tangent) == pytest.approx(expected, abs=tolerance)


def differences(function, arguments):
    """dL/dRe + i dL/dIm of each argument."""
    found = []
    for k, argument in enumerate(arguments):
        gradient = np.zeros(np.shape(argument), complex)
        units = (1.0, 1.0j) if np.iscomplexobj(argument) else (1.0,)
        for place in np.ndindex(np.shape(argument)):
            for unit in units:
                change = np.zeros(np.shape(argument), np.asarray(argument).dtype)
                change[place] = unit * STEP
                values = []
                for sign in (1, -1):
                    now = [a.copy() if hasattr(a, "copy") else a for a in arguments]
                    now[k] = argument + sign * change[()]
                    values.append(function(*now))
                gradient[place] += unit * (values[0] - values[1]) / (2 * STEP)
        found.append(gradient if len(units) == 2 else gradient.real)
    return found


def parts(z, x):
    w = x + 1j * z
    return (np.conj(w) @ np.sin(w)).real + np.sum(z.imag * x)


def number(z, x):
    w = x[0] * z[0].item() ** 3 / (1 + z[1].item())
    return (w * w.conjugate()).real + abs(w) + w.imag


def stores(z, x):
    y = np.zeros(2, complex)
    y[0] = z[0] * x[0]
    y[1] = x[1]
    y *= np.exp(1j * x[0])
    y[::-1] += z
    real = np.zeros(3)
    real[:2] = y.real
    real[2] = abs(y[1])
    return np.sum(real**3) + np.abs(y).sum()


def loop(z, x):
    w = x[0]
    for k in range(6):
        if abs(w) > 2:
            break
        w = w * w + z[0]
    return abs(w) ** 2


def lists(z, x):
    made = []
    w = 1.0
    for k in range(3):
        w = w * (x[1] + 1j * k) * z[k % 2]
        made.append(w)
    return abs(sum(made)) + abs(made[1])


def recursive(z, n):
    return z if n == 0 else recursive(z * z + 0.1, n - 1) * z


def called(z, x):
    return abs(recursive(0.3 * z[0], 3)) + cmath.phase(z[1]) * x[0]


def handled(z, x):
    try:
        w = 1 / z[0]
        if w.imag < 0:
            raise ValueError
    except ValueError:
        w = z[0] * x[0]
    return (w * w).imag


def spectrum(z, x):
    k = np.arange(2)
    transformed = np.exp(-1j * np.pi * np.outer(k, k)) @ (x * z)
    return np.sum(np.abs(transformed) ** 2 * (k + 1)) + np.angle(z[0])


def matrices(z, x):
    a = np.outer(z, x) + np.eye(2) * 3j
    b = np.linalg.solve(a, x + 0j)
    gram = a @ a.conj().T
    return np.real(np.trace(gram)) + np.abs(b).sum() + np.abs(np.linalg.det(gram))


def from_cmath(z, x):
    return abs(cmath.exp(complex(x[0], x[1])) * cmath.sqrt(z[0]) + cmath.tan(z[1]))


def chosen(z, x):
    w = z[0] if z[0].real > 0 else z[0].conjugate() * 2.0
    return (w * w * 1j).real + np.sum(np.abs(np.where(x > 0, z, 0.5)) ** 2)


PROGRAMS = [parts, number, stores, loop, lists, called, handled, spectrum, matrices]
PROGRAMS += [from_cmath, chosen]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("function", PROGRAMS)
def test_gradients_of_programs(function):
    gradient = grad(function, ("z", "x"))
    for found, expected in zip(gradient(Z, X), differences(function, (Z, X))):
        assert np.iscomplexobj(found) == np.iscomplexobj(expected)
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)
    steps = np.array([0.3 - 1.0j, 0.7 + 0.2j]), np.array([-0.4, 1.1])
    _, tangent = jvp(function, (Z, X), steps)
    assert product(list(gradient(Z, X)), list(steps)) == pytest.approx(tangent)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("function", [parts, stores, spectrum, matrices, chosen])
def test_second_derivatives_of_programs(function):
    steps = np.array([0.3 - 1.0j, 0.7 + 0.2j]), np.array([-0.4, 1.1])
    gradient = grad(function, ("z", "x"))
    above, below = (gradient(Z + h * steps[0], X + h * steps[1]) for h in (STEP, -STEP))
    for found, one, other in zip(
        hvp(function, ("z", "x"))(Z, X, steps), above, below, strict=True
    ):
        np.testing.assert_allclose(
            found, (one - other) / (2 * STEP), rtol=1e-5, atol=1e-5
        )


OF_CMATH = {
    rule.function: rule.differentiable
    for rule in all_rules()
    if getattr(rule.function, "__module__", "") == "cmath"
}


@pytest.mark.sampled(12)
@pytest.mark.parametrize("function", OF_CMATH, ids=lambda f: f.__name__)
@pytest.mark.parametrize("point", [0.4 + 0.7j, -1.3 + 0.2j, 2.1 - 0.8j])
def test_functions_of_cmath(function, point):
    def of_number(z):
        return function(z) * (0.3 + 1.1j)

    assert check_grads(of_number, (point,), order=2).passed
    if len(OF_CMATH[function]) == 2:
        assert check_grads(
            lambda z, base: function(z, base), (point, 1.7 + 0.4j), order=2
        ).passed


def test_cotangents_of_complex_results():
    value, pullback = vjp(lambda z: z * z, Z)
    np.testing.assert_array_equal(value, Z * Z)
    seed = np.array([1.0, 1.0j])
    (found,) = pullback(seed)
    np.testing.assert_allclose(found, np.conj(2 * Z) * seed)


def test_jacobians_are_of_real_results_or_of_real_arguments():
    expected = np.diag(Z / np.abs(Z))
    for transform in (jacobian, jacrev):
        np.testing.assert_allclose(transform(lambda z: np.abs(z))(Z), expected)
    found = elementwise_grad(lambda z: np.abs(z))(Z)
    np.testing.assert_allclose(found, np.diagonal(expected))
    for transform in (jacobian, jacfwd):
        found = transform(lambda x: np.exp(1j * x))(X)
        np.testing.assert_allclose(found, np.diag(1j * np.exp(1j * X)))
    for transform, function, at in (
        (jacobian, lambda z: z * z, Z),
        (jacfwd, lambda z: np.abs(z), Z),
        (jacrev, lambda x: 1j * x, X),
        (elementwise_grad, lambda z: z * z, Z),
    ):
        with pytest.raises(UnsupportedError, match="a Jacobian by complex numbers"):
            transform(function)(at)


def test_a_gradient_needs_a_real_result():
    with pytest.raises(ArgumentError, match="returns a complex number"):
        grad(lambda z: z[0] * z[1])(Z)


@pytest.mark.parametrize(
    "function", [np.maximum, np.fmax, np.minimum], ids=lambda f: f.__name__
)
def test_orders_of_complex_numbers_are_refused(function):
    with pytest.raises(UnsupportedError, match="works on complex numbers here"):
        grad(lambda z: abs(function(z[0], z[1])))(Z)


def test_signs_of_complex_numbers_vary():
    def direction(z):
        return np.sum(np.sign(z).real)

    (expected,) = differences(direction, (Z,))
    np.testing.assert_allclose(grad(direction)(Z), expected, atol=1e-6)


def test_what_real_functions_make_of_complex_numbers_is_not_constant():
    with pytest.raises((UnsupportedError, TypeError)):
        grad(lambda z: math.sin(z[0]))(Z)


@pytest.mark.parametrize("number", [complex, np.complex128, np.complex64])
def test_gradients_of_complex_numbers_are_complex(number):
    def only_real(z, x):
        return z.real * x

    def on_one_path(z, x):
        return abs(z) ** 2 * x if x > 1.0 else x

    def constant(z, x):
        return x * x

    for function in (only_real, on_one_path, constant):
        for x in (0.5, 2.0):
            found = grad(function)(number(3.0 + 1.0j), x)
            assert np.iscomplexobj(found)
    assert grad(only_real)(number(1.0j), 2.0) == 2.0


@pytest.mark.parametrize("number", [np.complex128, np.complex64, np.clongdouble])
def test_conversions(number):
    def converted(x, z):
        pair = number(x + 0.5j) if number is np.clongdouble else number(x, 0.5)
        return abs(np.exp(pair * number(z)))

    found = grad(converted, ("x", "z"))(0.4, 0.3 + 0.2j)
    rtol = 1e-3 if number is np.complex64 else 1e-8
    w = complex(0.4, 0.5) * (0.3 + 0.2j)
    value = np.exp(w.real)
    np.testing.assert_allclose(found[0], value * 0.3, rtol=rtol)
    np.testing.assert_allclose(found[1], value * (0.4 - 0.5j), rtol=rtol)


def test_checks_of_functions_of_a_complex_number_and_to_one():
    assert check_grads(np.sin, (0.3 + 0.2j,)).passed
    assert check_grads(lambda z, x: z * np.exp(1j * x), (0.3 + 0.2j, 0.5)).passed
