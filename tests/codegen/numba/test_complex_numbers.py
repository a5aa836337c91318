"""Complex numbers: the Numba backend gives what the NumPy backend gives, or refuses."""

import numpy as np
import pytest

from s2sad import UnsupportedError, grad, hvp, jvp, value_and_grad, vjp
from tests.codegen.numba.comparing import assert_same

pytest.importorskip("numba")

Z = np.array([1.0 + 0.5j, -0.3 + 2.0j, 0.7 - 1.1j])
X = np.array([0.3, 0.7, -1.1])
M = np.array([[1.0 + 1.0j, 2.0, 0.3], [0.5j, 3.0, 1.0 - 1.0j]])
C = 0.7 - 0.4j


def of_a_number(c):
    return abs(c * c) + (c * 2j).real * c.imag


def a_product_with_its_conjugate(z):
    return np.sum(z * np.conj(z)).real + np.sum((z + z.conjugate()).real * z.imag)


def holomorphic_functions(z):
    found = z**3 + 1 / z + np.sqrt(z) + np.log(z) + np.sin(z) * np.cos(z) + np.tan(z)
    return np.sum(np.abs(found + np.exp(z) + np.sinh(z) - np.cosh(z) * np.tanh(z)))


def waves_of_real_numbers(x):
    return np.sum(np.abs(np.exp(1j * x) + 0.5) ** 2)


def data_of_the_module(x):
    return np.sum(np.abs(x * M)) + np.sum(np.real(Z * x))


def products_of_matrices(m):
    return np.sum((m @ m.conj().T).real) + np.abs(np.dot(m, Z)).sum()


def sums_along_axes(m):
    along = np.sum(m * m, axis=0) + np.mean(m)
    return np.sum(np.abs(along)) + np.sum(np.abs(np.sum(m, axis=1, keepdims=True) * m))


def moved_elements(m):
    return np.sum(np.abs(m[:, ::-1] * np.stack([Z, Z * Z]) + np.roll(m, 1, axis=1)))


def broadcasts(z):
    return np.sum(np.abs(z.reshape(3, 1) * z - np.sum(z))) + np.sum(
        np.abs(np.concatenate([z, np.outer(z, z)[0]]))
    )


def masks_and_places(z):
    chosen = np.where(z.real > 0, z * z, 1j * z)
    return np.sum(np.abs(chosen[np.array([0, 2, 0])] * z[np.abs(z) > 0.5]))


def stores_into_arrays(z):
    w = np.zeros((2, 3), dtype=complex)
    w[0] = z * z
    w[1, :2] += z[:2] * 1j
    w *= 2.0
    return np.sum(np.abs(w))


def elements_from_parts(x):
    w = np.empty(3, dtype=np.complex128)
    for i in range(3):
        w[i] = complex(x[i], x[i] ** 2)
    return np.sum(np.abs(w * w))


def an_array_of_parts(z):
    real = z.real
    z = z * 2.0
    z[0] = 5.0
    return np.sum(real * real) + np.sum(np.abs(z))


def sums_in_loops(z):
    total = 0.0
    for i in range(len(z)):
        for j in range(len(z)):
            total += (z[i] * np.conj(z[j])).real * (i + 1)
    return total


def a_number_that_becomes_complex(x):
    product = 1.0
    for i in range(3):
        if x[i] > 0:
            product = product * x[i]
        else:
            product = product * 1j * x[i]
    return abs(product) + (product * 1j).real


def an_iteration(z):
    s, k = 1.0 + 0j, 0
    while abs(s) < 30.0:
        s = s * z[k % 3] * 1.5 + 0.3
        k += 1
    return abs(s)


def an_escape(c):
    total = 0.0
    for _ in range(4):
        c = c * c + 0.1j
        if abs(c) > 2:
            break
        total += c.real
    return total


CASES = (
    *((of_a_number, C), (an_escape, C), (waves_of_real_numbers, X)),
    *((data_of_the_module, X), (elements_from_parts, X)),
    *((a_number_that_becomes_complex, X), (products_of_matrices, M)),
    *((sums_along_axes, M), (moved_elements, M)),
    *((a_product_with_its_conjugate, Z), (holomorphic_functions, Z), (broadcasts, Z)),
    *((masks_and_places, Z), (stores_into_arrays, Z), (an_array_of_parts, Z)),
    *((sums_in_loops, Z), (an_iteration, Z)),
)


@pytest.mark.sampled(20, of_long=2)
@pytest.mark.parametrize(
    ("function", "argument"), CASES, ids=[function.__name__ for function, _ in CASES]
)
def test_derivatives(function, argument):
    value, found = value_and_grad(function, backend="numba")(argument)
    assert_same(float(value), float(function(argument)))
    assert np.any(found != 0)
    assert_same(found, grad(function)(argument))
    along = np.cos(argument)
    tangent = jvp(function, (argument,), (along,), backend="numba")[1]
    assert_same(tangent, jvp(function, (argument,), (along,))[1])
    product = hvp(function, backend="numba")(argument, along)
    assert_same(product, hvp(function)(argument, along))


@pytest.mark.long
def test_complex_results():
    seed = np.array([1.0 + 2.0j, 0.5, -1.0j])

    def squares(z):
        return z * z * 1j

    def waves(x):
        return np.exp(1j * x)

    for function, argument in ((squares, Z), (waves, X)):
        value, pull = vjp(function, argument, backend="numba")
        assert_same(value, function(argument))
        assert_same(pull(seed), vjp(function, argument)[1](seed))
        found = jvp(function, (argument,), (argument,), backend="numba")
        assert_same(found[1], jvp(function, (argument,), (argument,))[1])


@pytest.mark.long
def test_structures_and_arrays_that_lie_otherwise():
    def weighted(p):
        return np.sum(np.abs(p["z"] * p["x"]))

    p = {"z": Z[::-1], "x": X}
    assert_same(grad(weighted, backend="numba")(p), grad(weighted)(p))
    by_columns = np.asfortranarray(M)
    found = grad(products_of_matrices, backend="numba")(by_columns)
    assert_same(found, grad(products_of_matrices)(M))


def test_the_modulus_at_zero():
    def modulus(z):
        return np.sum(np.abs(z))

    assert_same(grad(modulus, backend="numba")(np.zeros(2, complex)), np.zeros(2) * 1j)


def test_functions_far_from_zero():
    """Numba's own square root is wrong there, and its tanh is nan."""

    def f(z):
        return (
            np.sum(np.sqrt(z * 8e307).real) * 1e-154 + np.sum(np.tanh(z * 400.0)).imag
        )

    found = value_and_grad(f, backend="numba")(Z)
    assert np.all(np.isfinite(found[1]))
    assert_same(found[1], grad(f)(Z))
    assert_same(float(found[0]), float(f(Z)))


def test_division_by_zero_raises():
    def f(z):
        return np.sum((1.0 / z).real)

    with pytest.raises(ZeroDivisionError):
        value_and_grad(f, backend="numba")(np.zeros(2, complex))


def test_a_complex_exponent():
    def f(z):
        return np.sum(np.abs(z ** (1.0 + 1.0j)))

    assert_same(grad(f, backend="numba")(Z), grad(f)(Z))
    slopes = [f(Z + h) - f(Z - h) for h in (1e-6, 1e-6j)]
    along = np.sum(grad(f)(Z))
    assert along == pytest.approx((slopes[0] + 1j * slopes[1]) / 2e-6, rel=1e-7)


def of_a_list(x):
    items = []
    for v in x:
        items.append(v * 1j)
    return abs(sum(items))


REFUSED = {
    "np.fft": (lambda z: np.sum(np.abs(np.fft.fft(z))), Z, "fft"),
    "vdot": (lambda z: abs(np.vdot(z, z * 1j)), Z, "np.vdot of complex numbers"),
    "prod": (lambda z: abs(np.prod(z)), Z, "np.prod of complex numbers"),
    "norm": (lambda z: np.linalg.norm(z * z), Z, "norm` of complex numbers"),
    "std": (lambda z: np.std(z * z), Z, "np.std of complex numbers"),
    "real and complex factors": (lambda x: np.sum(np.abs(M @ x)), X, "matmul"),
    "lists": (of_a_list, X, "a list of what is complex"),
    "single precision": (
        lambda z: np.sum(np.abs(z)),
        Z.astype(np.complex64),
        "of complex64",
    ),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name):
    function, argument, reason = REFUSED[name]
    for derivative in (grad, hvp):
        given = (argument,) if derivative is grad else (argument, argument)
        with pytest.raises(UnsupportedError, match=reason) as caught:
            derivative(function, backend="numba")(*given)
        assert "instead:" in str(caught.value)
