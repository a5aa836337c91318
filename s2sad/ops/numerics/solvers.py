"""Solvers of ``scipy.optimize`` as derivatives call them. They raise RuntimeError where
nothing is found, for then there is no solution to differentiate.

Functions are given with the arguments that they take behind the unknown.
"""

from typing import Any

import numpy as np


def root_in_bracket(f, low, args, high, method, xtol, rtol, maxiter):
    """The root of a function of a number between two places, by the function of
    ``scipy.optimize`` of this name.

    >>> two = root_in_bracket(
    ...     lambda x, a: x * x - a, 0.0, (4.0,), 3.0, "brentq", None, None, None
    ... )
    >>> round(two, 9)
    2.0
    """
    from scipy import optimize

    solve = getattr(optimize, method)
    words = _given(xtol=xtol, rtol=rtol, maxiter=maxiter)
    return float(solve(_number(f, args), low, high, **words))


def root_by_newton(f, guess, args, *rest):
    """The root of a function of a number by ``scipy.optimize.newton``; ``rest`` holds
    its derivatives, each with its arguments, the second guess and the tolerances."""
    from scipy import optimize

    *slopes, second, tol, rtol, maxiter = rest
    names = ("fprime", "fprime2")
    pairs = zip(names, slopes[::2], slopes[1::2], strict=False)
    words = {name: _number(slope, own) for name, slope, own in pairs}
    words |= _given(x1=second, tol=tol, rtol=rtol, maxiter=maxiter)
    return float(optimize.newton(_number(f, args), guess, **words))


def root_of_system(f, guess, args, *rest):
    """The root of a function of a vector by ``scipy.optimize.root``; ``rest`` holds its
    Jacobian with its arguments, if given, the method, the tolerance and options."""
    from scipy import optimize

    *jacobian, method, tol, options = rest
    jac = _array(*jacobian) if jacobian else None
    words = _given(tol=tol, options=options)
    found = optimize.root(_array(f, args), guess, jac=jac, method=method, **words)
    if not found.success:
        raise RuntimeError(f"scipy.optimize.root: {found.message}")
    return np.asarray(found.x)


def minimum_by(slope, guess, args, *rest):
    """Where a function of a vector is least, by ``scipy.optimize.minimize``; ``rest``
    holds the function with its arguments, whether its gradient is handed on, the
    method, the tolerance and options."""
    from scipy import optimize

    fun, own, with_gradient, method, tol, options = rest
    jac = _array(slope, args) if with_gradient else None
    words = _given(tol=tol, options=options)
    found = optimize.minimize(_number(fun, own), guess, jac=jac, method=method, **words)
    return np.asarray(found.x)


def minimum_of_number(slope, guess, args, *rest):
    """Where a function of a number is least, by ``scipy.optimize.minimize_scalar``;
    ``rest`` holds the function with its arguments, the bracket, the method and the
    tolerance."""
    from scipy import optimize

    fun, own, bracket, method, tol = rest
    words = _given(bracket=bracket, method=method, tol=tol)
    found = optimize.minimize_scalar(_number(fun, own), **words)
    return float(found.x)


def least_squares_by(slope, guess, args, *rest):
    """Where the squares of a vector of residuals are least in sum, by
    ``scipy.optimize.least_squares``, or ``leastsq``; ``rest`` holds the residuals with
    their arguments, the method and tolerances."""
    from scipy import optimize

    fun, own, method, ftol, xtol, gtol = rest
    words = {"ftol": ftol, "xtol": xtol, "gtol": gtol}
    if method == "leastsq":
        found, status = optimize.leastsq(_array(fun, own), guess, **words)
        if status not in (1, 2, 3, 4):
            raise RuntimeError(f"scipy.optimize.leastsq: nothing is found ({status})")
        return np.asarray(found)
    solved = optimize.least_squares(_array(fun, own), guess, method=method, **words)
    return np.asarray(solved.x)


def require_solved(f: Any, found: Any, args: Any, guess: Any) -> None:
    """Raise RuntimeError where a function, or the gradient of what is minimised, isn't
    zero at what a solver found: at a jump or kink the solution has another derivative.
    Roundings of differences let solvers give up at a minimum, so that it decides, not
    they.

    >>> require_solved(lambda x, a: x - a, 1.0, (1.0,), 3.0)
    """
    rest, first = (np.max(np.abs(f(at, *args))) for at in (found, guess))
    if not rest <= max(1e-5, 1e-2 * first):  # nor is nan
        raise RuntimeError(
            "no solution: the equation, or slope 0, doesn't hold where SciPy ends"
        )


def _given(**words: Any) -> dict[str, Any]:
    """The words without those that are None."""
    return {name: word for name, word in words.items() if word is not None}


def _number(f, args):
    """The function of the unknown alone, as Python numbers."""
    return lambda x: float(np.asarray(f(x, *args)).item())


def _array(f, args):
    """The function of the unknown alone, which SciPy may write into later."""
    return lambda x: np.array(f(np.array(x), *args), dtype=float)
