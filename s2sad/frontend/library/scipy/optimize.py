"""``scipy.optimize``: SciPy finds a solution; its derivative is that of the equation
which it solves (docs/implicit_functions.md): a root, or where a gradient vanishes.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import optimize

from s2sad import rules
from s2sad.equations.found import found_by
from s2sad.frontend.library.texts import stands_for
from s2sad.frontend.library.transforms import grad, jacobian
from s2sad.frontend.library.vectors import as_vector_of_floats
from s2sad.ops.numerics.solvers import (
    least_squares_by,
    minimum_by,
    minimum_of_number,
    root_by_newton,
    root_in_bracket,
    root_of_system,
)


class RootOfNumber(NamedTuple):
    """What derivatives know of the result of ``root_scalar``."""

    root: Any
    converged: Any


class RootOfSystem(NamedTuple):
    """What derivatives know of the result of ``root``."""

    x: Any
    fun: Any
    success: Any


class Minimum(NamedTuple):
    """What derivatives know of the result of ``minimize`` and ``minimize_scalar``."""

    x: Any
    fun: Any
    success: Any


class LeastSquares(NamedTuple):
    """What derivatives know of the result of ``least_squares``."""

    x: Any
    fun: Any
    cost: Any
    success: Any


def _listed(args):
    """Arguments as a tuple; SciPy also takes a single one."""
    return args if rules.is_sequence(args) else (args,)


# ------------------------------------------------------------------ roots of numbers


def _in_bracket(method: str) -> Callable[..., Any]:
    def find(f, a, b, args=(), xtol=None, rtol=None, maxiter=None):
        given = _listed(args)
        return found_by(
            root_in_bracket, f, a, given, (), b, method, xtol, rtol, maxiter
        )

    return find


for _method in ("brentq", "brenth", "ridder", "bisect", "toms748"):
    stands_for(getattr(optimize, _method))(_in_bracket(_method))


@stands_for(optimize.newton)
def newton(
    func,
    x0,
    fprime=None,
    args=(),
    tol=1.48e-8,
    maxiter=50,
    fprime2=None,
    x1=None,
    rtol=0.0,
):
    """``optimize.newton(func, x0, fprime, args)`` for a root that is a number."""
    slopes: tuple[Any, ...] = () if fprime is None else (fprime,)
    if fprime2 is not None:
        slopes = (*slopes, fprime2)
    given = _listed(args)
    return found_by(root_by_newton, func, x0, given, slopes, x1, tol, rtol, maxiter)


@stands_for(optimize.root_scalar)
def root_scalar(
    f,
    args=(),
    method=None,
    bracket=None,
    fprime=None,
    fprime2=None,
    x0=None,
    x1=None,
    xtol=None,
    rtol=None,
    maxiter=None,
):
    """``optimize.root_scalar(f, args, method, bracket, ...)``."""
    if fprime is True:
        rules.not_supported("root_scalar with fprime=True", "give a function fprime")
    given = _listed(args)
    if bracket is not None:
        method = "brentq" if method is None else method
        if method not in ("brentq", "brenth", "ridder", "bisect", "toms748"):
            rules.not_supported(
                "root_scalar by this method with a bracket", "leave it out"
            )
        low, high = bracket
        root = found_by(
            root_in_bracket, f, low, given, (), high, method, xtol, rtol, maxiter
        )
        return RootOfNumber(root, True)
    if method not in (None, "newton", "secant", "halley"):
        rules.not_supported(
            "root_scalar by this method without a bracket", "give a bracket"
        )
    if x0 is None:
        rules.not_supported("root_scalar without a bracket and x0", "give one of them")
    slopes: tuple[Any, ...] = () if fprime is None else (fprime,)
    if fprime2 is not None:
        slopes = (*slopes, fprime2)
    root = found_by(root_by_newton, f, x0, given, slopes, x1, xtol, rtol, maxiter)
    return RootOfNumber(root, True)


# ------------------------------------------------------------------ systems


@stands_for(optimize.root)
def root(
    fun, x0, args=(), method="hybr", jac=None, tol=None, callback=None, options=None
):
    """``optimize.root(fun, x0, args, method, jac, tol)``."""
    if jac is True or callback is not None:
        rules.not_supported("root with jac=True or a callback", "give a function jac")

    def residual(x, *others):
        return np.asarray(fun(x, *others))

    jacobian = () if jac is None or jac is False else (jac,)
    found = found_by(
        root_of_system,
        residual,
        as_vector_of_floats(x0),
        _listed(args),
        jacobian,
        method,
        tol,
        options,
    )
    return RootOfSystem(found, residual(found, *_listed(args)), True)


@stands_for(optimize.fsolve)
def fsolve(func, x0, args=(), fprime=None, *, xtol=1.49012e-8):
    """``optimize.fsolve(func, x0, args, fprime)``."""

    def residual(x, *others):
        return np.asarray(func(x, *others))

    jacobian = () if fprime is None else (fprime,)
    guess = as_vector_of_floats(x0)
    return found_by(
        root_of_system, residual, guess, _listed(args), jacobian, "hybr", xtol, None
    )


# ------------------------------------------------------------------ minima


@stands_for(optimize.minimize)
def minimize(fun, x0, args=(), method=None, jac=None, *, tol=None, options=None):
    """``optimize.minimize(fun, x0, args, method, jac)`` without bounds: where the
    gradient vanishes. A gradient that is given is that which s2sad makes."""
    if isinstance(jac, str):
        rules.not_supported("minimize with this jac", "leave jac out")

    def value(x, *others):
        return fun(x, *others)[0] if jac is True else fun(x, *others)

    def slope(x, *others):
        return grad(value)(x, *others)

    found = found_by(
        minimum_by,
        slope,
        as_vector_of_floats(x0),
        _listed(args),
        (value,),
        jac is not None and jac is not False,
        method,
        tol,
        options,
    )
    return Minimum(found, value(found, *_listed(args)), True)


@stands_for(optimize.minimize_scalar)
def minimize_scalar(fun, bracket=None, bounds=None, args=(), method=None, tol=None):
    """``optimize.minimize_scalar(fun, bracket, args=args)`` without bounds."""
    if bounds is not None or method not in (None, "brent", "golden"):
        rules.not_supported("minimize_scalar with bounds", "minimise without them")

    def slope(x, *others):
        return grad(fun)(x, *others)

    guess = 0.0 if bracket is None else bracket[0]
    given = _listed(args)
    found = found_by(
        minimum_of_number, slope, guess, given, (fun,), bracket, method, tol
    )
    return Minimum(found, fun(found, *_listed(args)), True)


@stands_for(optimize.least_squares)
def least_squares(fun, x0, *, args=(), method="trf", ftol=1e-8, xtol=1e-8, gtol=1e-8):
    """``optimize.least_squares(fun, x0, args=args)`` without bounds."""

    def cost(x, *others):
        return 0.5 * np.sum(np.square(fun(x, *others)))

    def slope(x, *others):
        return grad(cost)(x, *others)

    found = found_by(
        least_squares_by,
        slope,
        as_vector_of_floats(x0),
        _listed(args),
        (fun,),
        method,
        ftol,
        xtol,
        gtol,
    )
    rest = fun(found, *_listed(args))
    return LeastSquares(found, rest, 0.5 * np.sum(np.square(rest)), True)


@stands_for(optimize.leastsq)
def leastsq(func, x0, args=(), *, ftol=1.49012e-8, xtol=1.49012e-8, gtol=0.0):
    """``optimize.leastsq(func, x0, args)``; its second result says success."""

    def cost(x, *others):
        return 0.5 * np.sum(np.square(func(x, *others)))

    def slope(x, *others):
        return grad(cost)(x, *others)

    guess, given = as_vector_of_floats(x0), _listed(args)
    found = found_by(
        least_squares_by, slope, guess, given, (func,), "leastsq", ftol, xtol, gtol
    )
    return found, 1


@stands_for(optimize.curve_fit)
def curve_fit(f, xdata, ydata, p0=None, sigma=None, absolute_sigma=False):
    """``optimize.curve_fit(f, xdata, ydata, p0, sigma, absolute_sigma)``: the squares
    of residuals are least; their Jacobian J gives the covariance, (J^T J)^-1 times
    their variance unless the sigmas are absolute."""
    if p0 is None or not rules.is_sequence(p0):
        rules.not_supported(
            "curve_fit without a list of first guesses", "give a list p0"
        )
    if sigma is not None and rules.known_rank(np.asarray(sigma)) > 1:
        rules.not_supported(
            "curve_fit with a covariance sigma", "give standard deviations"
        )
    count = len(p0)
    places, values = np.asarray(xdata, float), np.asarray(ydata, float)

    def residual(p):
        rest = f(places, *[p[k] for k in range(count)]) - values
        return rest if sigma is None else rest / np.asarray(sigma)

    found, _ = leastsq(residual, p0)
    slopes = jacobian(residual)(found)
    covariance = np.linalg.inv(slopes.T @ slopes)
    if not absolute_sigma:
        rest = residual(found)
        covariance = covariance * (np.sum(np.square(rest)) / (len(values) - count))
    return found, covariance
