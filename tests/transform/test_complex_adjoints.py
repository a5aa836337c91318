"""Programs where a value is complex and its cotangent or tangent would be real: joins
of paths, stores, loops and derivatives of derivatives. Each is compared with
differences, alone and inside of other derivatives."""

import cmath

import numpy as np
import pytest

from s2sad import grad, hvp, jvp, vjp
from s2sad.testing import check_grads

STEP = 0.3 - 1.1j
NUMBERS = (0.4 + 0.7j, np.complex128(-0.4 - 0.7j))
X = np.array([0.3, -0.7, 1.1])
ARRAYS = (X, X + 1j * np.array([0.5, 0.2, -0.3]))


def angle(z):
    return np.angle(z)


def looped(z):
    total, power = 0j, 1.0
    for k in range(3):
        power = power * z
        total = total + power * (1j * k + 1.0)
    return abs(total)


def until(z):
    total, k = 1.0, 0
    while k < 3 and abs(total) < 100.0:
        total = total * z + 1.0
        k += 1
    return abs(total) ** 2


def real_on_one_path(z):
    if z.real > 0:
        v = z * z
    else:
        v = z.real
    return np.abs(v + 1j) ** 2 + v.imag


def recursive(z, n=3):
    if n == 0:
        return z
    return recursive(z * z + 0.1j, n - 1)


def listed(z):
    items = [z]
    for _ in range(4):
        items.append(items[-1] * z + 1.0)
    return abs(sum(items)) + abs(recursive(z))


def made_of_parts(z):
    w = complex(z.imag, z.real)
    return abs(cmath.exp(w) * w) + np.real(z**3)


def stored_in_zeros(z):
    a = np.zeros(3, complex)
    a[0] = z
    for k in range(2):
        a[k + 1] = a[k] * z + 1j * k
    return np.sum(np.abs(a) ** 2)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("z", NUMBERS, ids=str)
@pytest.mark.parametrize(
    "f",
    [angle, looped, until, real_on_one_path, listed, made_of_parts, stored_in_zeros],
)
def test_of_numbers(f, z):
    derived = (
        lambda z: np.real(np.conj(STEP) * np.conj(grad(f)(z))),
        lambda z: np.abs(grad(f)(z) * z) ** 2,
        lambda z: jvp(f, (z,), (STEP,))[1] * 2.0,
        lambda z: np.abs(vjp(f, z)[1](1.0)[0] - 1j) ** 2,
        lambda z: np.abs(hvp(f)(z, STEP)) ** 2,
    )
    check_grads(f, (z,))
    for function in derived:
        check_grads(function, (z,), order=1)


def stored_in_real_tangents(x):
    a = x + 0j
    a[0] = a[1] * 1j
    return np.sum(np.abs(a + 1j) ** 2)


def real_part_and_items(z):
    a = z * 1.0
    return np.sum(a.real) + abs(a[0] * 1j + 2.0) + np.sum(np.abs(a[1:]) ** 2)


def filled_by_a_loop(x):
    a = np.zeros(3, complex)
    for k in range(3):
        a[k] = x[k]
    a[1] = a[0] * 1j + a[1] * a[2]
    return np.sum(np.abs(a + 1.0) ** 2)


def turned(x):
    total = x[0]
    for k in range(3):
        total = total * 1j + x[k]
    return abs(total) ** 2


def stored_in_a_real_part(x):
    a = np.where(x.real > 0, x, 0.0)
    b = np.real(a) + 0j
    b[0] = a[1] * 1j
    return np.sum(np.abs(b) ** 2) + np.sum(b.imag)


def rows(x):
    m = np.outer(x + 0j, np.ones(2))
    m[0] = m[1].real
    m[1] *= 1j
    return np.sum(m.imag) + np.sum(m.real**2)


@pytest.mark.sampled(8)
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("x", ARRAYS, ids=("real", "complex"))
@pytest.mark.parametrize(
    "f",
    [
        stored_in_real_tangents,
        real_part_and_items,
        filled_by_a_loop,
        turned,
        stored_in_a_real_part,
        rows,
    ],
)
def test_of_arrays(f, x):
    direction = np.ones(3) if x.dtype == float else np.full(3, 1.0 - 0.5j)
    check_grads(f, (x,))
    check_grads(lambda x: jvp(f, (x,), (direction,))[1] * 2.0, (x,))
    check_grads(lambda x: np.sum(np.abs(grad(f)(x) - 1.0) ** 2), (x,), order=1)


def test_what_is_added_to_a_real_number_makes_it_complex():
    """0j isn't a zero that may be left out."""
    value, tangent = jvp(lambda x: x + 0j, (np.ones(2),), (np.ones(2),))
    assert value.dtype == tangent.dtype == complex
    assert type(grad(lambda x: abs(np.sqrt(x + 0j)))(-4.0)) is not complex
    assert grad(lambda x: abs(np.sqrt(x + 0j)))(-4.0) == -0.25
