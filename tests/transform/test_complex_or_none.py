"""Variables that hold a complex number or array on one path and None on another, and
what is computed with them."""

import numpy as np
import pytest

from s2sad import grad
from s2sad.errors import UnsupportedError
from s2sad.testing import check_grads

X = np.array([1.3, 0.7])


def stays(x, n):
    a = None
    for k in range(n):
        if a is not None:
            a = a * (1 + 0.1j)
        if k == 1:
            a = x * 1j
    return np.sum(np.imag(a)) if a is not None else np.sum(x)


def real_on_one_path(x, n):
    a = None
    for k in range(n):
        a = (x if k % 2 else x * 1j) if a is None else a * x
    return np.sum(np.abs(a) ** 2)


def transformed(x, n):
    a = None
    for k in range(n):
        b = np.fft.fft(x)
        a = b if a is None else a + b * k
    return np.sum(np.abs(a) ** 2) + np.sum(np.imag(a) * a.real)


def shifted(x, n):
    a, b = None, None
    for k in range(n):
        a, b = b, x * (1j + k)
    return np.sum(np.real(a * b)) if a is not None else 0.0


def number(x, n):
    s = None
    for _ in range(n):
        z = x[0] + 1j * x[1]
        s = z if s is None else s * z
    return s.imag**2 + np.imag(s) * s.real + abs(s)


def stored(x, n):
    a = None
    for k in range(n):
        if a is None:
            a = x + 0j
        a[k % 2] = a[k % 2] * 1j + x[0]
    return np.sum(np.imag(a) ** 3) + a[0].imag * a[1].real


def made(x, k):
    return x * 1j if k % 2 else None


def called(x, n):
    total = 0.0
    for k in range(n):
        a = made(x, k)
        if a is not None:
            total = total + np.sum(np.abs(a + x) ** 2)
    return total


def in_a_dict(x, n):
    d = {"a": None}
    for _ in range(n):
        d["a"] = x * 1j if d["a"] is None else d["a"] * (x + 2j)
    return np.sum(np.imag(d["a"]) ** 2)


PROGRAMS = (
    *(stays, real_on_one_path, transformed, shifted, number, stored, called),
    in_a_dict,
)


@pytest.mark.parametrize("optimise", (None, False, {"inlining": False}))
@pytest.mark.parametrize("function", PROGRAMS)
def test_derivatives(function, optimise):
    gradient = grad(function, optimise=optimise)(X, 3)
    assert gradient.dtype == float
    if function is not stored:  # its second derivatives are refused
        check_grads(function, (X, 3))
    step = 1e-6 * np.eye(2)
    slopes = [(function(X + d, 3) - function(X - d, 3)) / 2e-6 for d in step]
    np.testing.assert_allclose(gradient, slopes, rtol=1e-6, atol=1e-8)


def never_told(x, n):
    a = None
    for k in range(n):
        b = x * 1j if k == 0 else None
        a = b if b is not None else a * (1 + x * 1j)
    return np.imag(np.dot(a, a))


def test_what_may_be_complex_is_refused_where_that_decides():
    with pytest.raises(UnsupportedError, match="beside complex numbers is one of them"):
        grad(never_told)(X, 3)
