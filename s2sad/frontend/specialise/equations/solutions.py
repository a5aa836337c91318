"""Solutions of equations as an operation of the program.

``z = s2sad.fixed_point(step, z0, a)`` is written out as the iterations, whose result
``z.1`` has no derivative, and one operation that gives it the derivative of the
solution::

    z = solution(z.1, a)        reverse:  u = (1 - dstep/dz)^T \\ z.bar
                                          a.bar = (dstep/da)^T u
                                tangent:  z.dot = (1 - dstep/dz) \\ (dstep/da a.dot)

The lines of a derivative read ``z`` itself, so that they are right when they are
differentiated again. When no more derivatives are taken, ``z = z.1`` is left.

Sources: Christianson, Reverse accumulation and attractive fixed points (1994); Griewank
and Walther, Evaluating Derivatives (2nd ed.), chapter 15.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from s2sad import ir
from s2sad.equations.jacobians import adjoint_solution, tangent_solution
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.equations import implicit_programs, matrix_free
from s2sad.frontend.specialise.recursion.recursion import call_with


class Solution(implicit_programs.Derived):
    """The operation that gives the result of iterations the derivative of a solution.

    Its arguments are the numbers and arrays that the iterations gave, and the other
    parameters of the equation, a program that takes the unknown first; behind them
    ``tol`` and ``maxiter`` where the system is solved without its matrix. ``matrix`` is
    the program of the Jacobian of ``z - step(z)``, or of ``f``; None if there is none,
    and where the unknown is a number.
    """

    def __init__(
        self, system: implicit_programs.System, matrix: ir.Procedure | None = None
    ) -> None:
        self.system, self.matrix = system, matrix
        equation, count = system.equation, system.count
        self.equation, self.count, self.is_root = equation, count, system.is_root
        unknown = [f"solution_{k}" for k in range(count)]
        others = [str(p.operand) for p in equation.details.parameters[count:]]
        self.unknown = tuple(unknown)
        self.names = (*unknown, *(f"of_{name}" for name in others))
        limits = ("tol", "maxiter") if system.matrix_free else ()
        given = equation.details.parameters[count:]
        active = implicit_programs.active_of(self.names[count:], given)
        name = f"{equation.__name__}_solution"
        self.describe(name, (*self.names, *limits), active, self._kind)

    def _kind(self, **kinds: Any) -> Any:
        own = tuple(kinds[name] for name in self.unknown)
        return own[0] if self.count == 1 else ir.tuple_of_kinds(own)

    # ------------------------------------------------------------------ lines

    def pulled_back(
        self,
        spec: Specialiser,
        bound: Mapping[str, core.Value],
        out: core.Value,
        out_bar: core.Value,
        wanted: tuple[str, ...],
    ) -> core.Value:
        """The lines of the reverse sweep: cotangents of the ``wanted`` arguments."""
        given = self._at_solution(bound, out)
        right = matrix_free.parts_of(_whole(spec, out, out_bar))
        weights = self._solved(spec, given, right, bound, transposed=True)
        active = tuple(name.removeprefix("of_") for name in wanted)
        made = spec.derivatives.gradient_of(
            self.equation, active, value=False, seeded=True
        )
        return implicit_programs.written_or_called(
            spec, made, [*given, *core.leaves(weights)]
        )

    def pushed_forward(
        self,
        spec: Specialiser,
        bound: Mapping[str, core.Value],
        out: core.Value,
        dots: Mapping[str, core.Value],
    ) -> core.Value:
        """The lines of the tangent, from those of the arguments that vary."""
        given = self._at_solution(bound, out)
        active = tuple(name.removeprefix("of_") for name in dots)
        made = spec.derivatives.pushforward_of(self.equation, active)
        tangents = [leaf for value in dots.values() for leaf in core.leaves(value)]
        found = implicit_programs.written_or_called(spec, made, [*given, *tangents])
        right = matrix_free.parts_of(core.aggregate_of(found.items[self.count :]))  # type: ignore[union-attr]
        return self._solved(spec, given, right, bound, transposed=False)

    def _solved(
        self,
        spec: Specialiser,
        given: list[core.Leaf],
        right: core.Value,
        bound: Mapping[str, core.Value],
        transposed: bool,
    ) -> core.Value:
        """``u`` of the reverse sweep for the cotangent ``right``, or ``z.dot`` for the
        tangent of the equation at a fixed unknown."""
        if self.system.matrix_free:
            limits: Any = (bound["tol"], bound["maxiter"])
            return matrix_free.derivative_solution(
                spec, Solution, self.system, given, right, limits, transposed
            )
        matrix = self._matrix(spec, given)
        if transposed:
            found = spec.expand(adjoint_solution, {"matrix": matrix, "z_bar": right})
            return matrix_free.negated(spec, found) if self.is_root else found
        if self.is_root:
            right = matrix_free.negated(spec, right)
        return spec.expand(tangent_solution, {"matrix": matrix, "right": right})

    def _at_solution(
        self, bound: Mapping[str, core.Value], out: core.Value
    ) -> list[core.Leaf]:
        """The arguments of the equation where it holds."""
        others = [
            leaf for n in self.names[self.count :] for leaf in core.leaves(bound[n])
        ]
        return [*core.leaves(out), *others]

    def _matrix(self, spec: Specialiser, given: list[core.Leaf]) -> core.Value:
        """The Jacobian of the equation in its unknown."""
        if self.matrix is not None:
            return call_with(spec, self.matrix, given)
        return implicit_programs.slope(spec, self.equation, given, self.is_root)


def _whole(spec: Specialiser, out: core.Value, out_bar: core.Value) -> core.Value:
    """The cotangents, with zeros for an array that nobody reads."""
    if not isinstance(out_bar, core.Aggregate):
        return out_bar
    assert isinstance(out, core.Aggregate)
    pairs = zip(out.items, out_bar.items, strict=True)
    return core.aggregate_of(
        tuple(
            spec.apply(np.zeros_like, (own,)) if _is_zero(own, bar) else bar
            for own, bar in pairs
        )
    )


def _is_zero(own: core.Value, bar: core.Value) -> bool:
    assert isinstance(own, core.Leaf) and isinstance(bar, core.Leaf)
    return isinstance(own.kind, ir.Array) and bar.operand == ir.Const(0.0)


# ------------------------------------------------------------------ afterwards
