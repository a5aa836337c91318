"""Functions that are given by an equation: fixed points and roots.

``fixed_point(step, z0, *args)`` solves ``z = step(z, *args)`` and
``root(f, z0, *args)`` solves ``f(z, *args) = 0``. A derivative is that of the solution,
by the implicit function theorem: it neither keeps nor repeats the iterations.

>>> from s2sad.implicit import fixed_point
>>> round(fixed_point(lambda z, a: 0.5 * (z + a / z), 1.0, 2.0), 12)
1.414213562373

Sources: Griewank and Walther, Evaluating Derivatives (2nd ed.), chapter 15;
Christianson, Reverse accumulation and attractive fixed points (1994);
Blondel et al., Efficient and modular implicit differentiation (2022).
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad.api import jvp
from s2sad.equations import SOLVERS, jacobians, structures, vectors
from s2sad.equations.iterations import iterated, newton, newton_change
from s2sad.errors import ArgumentError
from s2sad.ops.numerics.linear_systems import bicgstab_solution, gmres_solution

__all__ = ["fixed_point", "root"]


def fixed_point(
    step: Callable[..., Any],
    z0: Any,
    *args: Any,
    tol: float = 1e-10,
    maxiter: int = 1000,
    solver: str = "direct",
) -> Any:
    """The solution of ``z = step(z, *args)``, by iteration from ``z0``.

    ``z`` is a float, an array of any shape, or a tuple, list, dict, NamedTuple or
    dataclass of these; ``step`` returns the same structure. The iteration ends where
    each element changes by less than ``tol * (1 + abs(element))``. Raises RuntimeError
    if that doesn't happen in ``maxiter`` steps, ArgumentError if ``step`` returns
    something of another form.

    The derivative with respect to ``args``, and to what ``step`` reads of the function
    around it, is that of the solution: ``(1 - dstep/dz) dz = dstep/dargs dargs``. With
    respect to ``z0`` it is zero. Where ``1 - dstep/dz`` is singular there is none:
    NumPy raises LinAlgError, and of numbers the quotient is infinite or raises
    ZeroDivisionError.

    ``solver`` says how a derivative solves this linear system for ``n`` unknowns; the
    iteration itself doesn't depend on it. ``"direct"`` makes the matrix (``n * n``
    numbers, ``n**3`` operations). The others take products with it alone, and memory
    for some vectors: ``"gmres"`` and ``"bicgstab"`` are those of
    ``scipy.sparse.linalg`` (ImportError without SciPy), until the rest is ``tol`` times
    the right side; ``"iteration"`` repeats ``u = z_bar + u dstep/dz``, at most
    ``maxiter`` times, until no element changes by more than ``tol`` times the largest.
    A derivative that they don't find in this way raises RuntimeError.
    """
    _check_limits("fixed_point", tol, maxiter, solver)
    form = "step returns something of another form than z0"

    def flat_step(z: tuple[Any, ...]) -> tuple[Any, ...]:
        new = step(structures.with_parts(z0, z), *args)
        return structures.check_same_form(z0, new, form)

    found = iterated(flat_step, structures.flat_parts(z0), tol, maxiter)
    return structures.with_parts(z0, structures.own_parts(found))


def root(
    f: Callable[..., Any],
    z0: Any,
    *args: Any,
    tol: float = 1e-10,
    maxiter: int = 100,
    solver: str = "direct",
) -> Any:
    """The solution of ``f(z, *args) = 0``, by Newton's method from ``z0``.

    ``z`` is a float, an array, or a structure of these, as in :func:`fixed_point`, and
    ``f`` returns the same structure. A step that doesn't make the largest residual
    smaller is halved until it does. The iteration ends where each residual is at most
    ``tol``. Raises RuntimeError if that doesn't happen in ``maxiter`` steps or if no
    step helps, LinAlgError or ZeroDivisionError where the Jacobian is singular, and
    ArgumentError if ``f`` returns something of another form than ``z0``.

    The derivative with respect to ``args``, and to what ``f`` reads of the function
    around it, is that of the solution: ``df/dz dz = -df/dargs dargs``. With respect to
    ``z0`` it is zero. Source of the damping: Deuflhard, Newton Methods for Nonlinear
    Problems (2004), section 3.1.

    ``solver`` says how the linear systems are solved, those of the Newton steps and of
    the derivative: ``"direct"``, ``"gmres"`` or ``"bicgstab"``, as in
    :func:`fixed_point`. The last two raise RuntimeError where a system isn't solved.
    """
    _check_limits("root", tol, maxiter, solver)
    form = "f returns something of another form than z0"

    def residual(z: tuple[Any, ...]) -> tuple[Any, ...]:
        return structures.check_same_form(
            z0, f(structures.with_parts(z0, z), *args), form
        )

    def newton_step(z: Any, rest: Any) -> Any:
        return _newton_step_at(f, structures.with_parts(z0, z), args, rest, solver, tol)

    found = newton(residual, newton_step, structures.flat_parts(z0), tol, maxiter)
    return structures.with_parts(z0, structures.own_parts(found))


def _check_limits(name: str, tol: Any, maxiter: Any, solver: Any) -> None:
    if not tol > 0.0:
        raise ArgumentError(f"{name}: tol must be positive, not {tol!r}")
    if not isinstance(maxiter, int) or maxiter < 1:
        raise ArgumentError(f"{name}: maxiter must be a positive int, not {maxiter!r}")
    if solver not in SOLVERS[name]:
        listed = ", ".join(map(repr, SOLVERS[name]))
        raise ArgumentError(f"{name}: solver must be one of {listed}, not {solver!r}")


def _newton_step_at(
    f: Callable[..., Any],
    z: Any,
    args: tuple[Any, ...],
    rest: Any,
    solver: str,
    tol: float,
) -> Any:
    """The change of ``z`` after which ``f(z, *args)``, which is ``rest``, vanishes but
    for its curvature, for a call outside of a derivative; a number if ``z`` is one, and
    its numbers and arrays alone else."""
    parts = structures.flat_parts(z)
    others = (None,) * len(args)

    def pushed(tangent: Any) -> Any:
        _, moved = jvp(f, (z, *args), (structures.with_parts(z, tangent), *others))
        return structures.flat_parts(moved)

    def product(vector: Any) -> Any:
        return vectors.as_vector(pushed(vectors.as_parts(vector, parts)))

    if not isinstance(parts, tuple) and np.ndim(parts) == 0:
        return newton_change(pushed(1.0), rest)
    if solver == "direct":
        return newton_change(jacobians.columns_of_jacobian(pushed, parts), rest)
    solve = {"gmres": gmres_solution, "bicgstab": bicgstab_solution}[solver]
    return vectors.as_parts(solve(product, vectors.as_vector(rest), (), tol), rest)
