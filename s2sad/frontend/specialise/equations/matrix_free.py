"""Linear systems of derivatives of solutions, solved by products alone.

The adjoint ``u`` of a fixed point is a fixed point itself, of the pullback, and so is
the tangent ``v``, of the pushforward::

    u = z.bar + u dstep/dz          v = dstep/da a.dot + dstep/dz v

(for a root: ``z.bar + u df/dz = 0``). So what a Krylov method or an iteration finds
becomes the result of one more ``solution`` operation, of that equation. The adjoint of
the adjoint obeys the equation of a tangent again, and so on: these two programs serve
derivatives of any order.

Source of the iteration: Christianson, Reverse accumulation and attractive fixed points
(1994).
"""

import operator
from collections.abc import Callable
from typing import Any

from s2sad.equations import iterations, vectors
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.equations import implicit_programs
from s2sad.ops.numerics.linear_systems import bicgstab_solution, gmres_solution

KRYLOV = {"gmres": gmres_solution, "bicgstab": bicgstab_solution}


def derivative_solution(
    spec: Specialiser,
    solution: Callable[[implicit_programs.System], Callable[..., Any]],
    system: implicit_programs.System,
    given: list[core.Leaf],
    right: core.Value,
    limits: tuple[core.Leaf, core.Leaf],
    transposed: bool,
) -> core.Value:
    """The ``u`` or ``v`` above, in the form of the unknown; ``right`` is what doesn't
    depend on it, ``solution`` makes the operation that solves a system."""
    if system.base is not None:  # its Jacobian doesn't depend on its own unknown
        transposed = transposed != system.transposed
        system, given = system.base, given[2 * system.count :]
    tol, _ = limits
    spec.read_again |= {leaf.operand for leaf in (*core.leaves(right), *given)}
    if system.solver == "iteration":
        found = _iterated(spec, system, given, right, limits, transposed)
    else:
        wanted = negated(spec, right) if system.is_root else right
        found = krylov_solution(spec, system, given, wanted, tol, transposed)
    result = spec.apply(
        solution(implicit_programs.linear_equation_of(spec, system, given, transposed)),
        (*core.leaves(found), *core.leaves(right), *given, *limits),
        hint="adjoint" if transposed else "tangent",
    )
    return parts_of(result)


def krylov_solution(
    spec: Specialiser,
    system: implicit_programs.System,
    given: list[core.Leaf],
    right: core.Value,
    tol: core.Leaf,
    transposed: bool,
) -> core.Value:
    """What a method of SciPy's finds for the Jacobian of the equation, or of ``z -
    step(z)``, and the right side."""
    vector = core.single(spec.expand(vectors.as_vector, {"parts": right}))
    product = implicit_programs.product_of(spec, system, given, transposed, vector)
    handed = (core.constant(product), vector, core.aggregate_of(tuple(given)), tol)
    found = spec.apply(KRYLOV[system.solver], handed, hint="solved")
    return spec.expand(vectors.as_parts, {"vector": found, "like": right})


def _iterated(
    spec: Specialiser,
    system: implicit_programs.System,
    given: list[core.Leaf],
    right: core.Value,
    limits: tuple[core.Leaf, core.Leaf],
    transposed: bool,
) -> core.Value:
    mark = implicit_programs.pull_call if transposed else implicit_programs.push_call
    known = (core.constant(system.equation), core.aggregate_of(tuple(given)))
    step = core.Partial(
        core.constant(implicit_programs.step_call),
        (right, core.Partial(core.constant(mark), known)),
    )
    tol, maxiter = limits
    arguments = {"advance": step, "right": right, "tol": tol, "maxiter": maxiter}
    return spec.expand(iterations.iterated_linear, arguments)


def parts_of(value: core.Value) -> core.Value:
    """A tuple of several parts; a single one as it is."""
    return implicit_programs.alone_or_all(core.leaves(value))


def negated(spec: Specialiser, value: core.Value) -> core.Value:
    """``-value``, part by part."""
    if isinstance(value, core.Aggregate):
        return core.aggregate_of(tuple(negated(spec, item) for item in value.items))
    return spec.operate(operator.neg, (value,))
