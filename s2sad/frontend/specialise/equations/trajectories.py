"""Solutions of ordinary differential equations as operations of the program.

What SciPy finds becomes the result of one operation with the derivative of the
solution::

    y = trajectory(y.1, y0, start, times, a)

    reverse:  l' = -(df/dy)^T l, backwards, with a jump by y.bar[i] at times[i]
              y0.bar = l(start)        a.bar = integral of (df/da)^T l
    tangent:  v' = df/dy v + df/da a.dot,  v(start) = y0.dot - f start.dot

Both are found by SciPy, too, and have no derivatives themselves.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from s2sad.frontend.specialise.calls.forms import returned_kinds
from s2sad.frontend.specialise.core.exceptions import Unsupported
from s2sad.frontend.specialise.core.values import (
    Aggregate,
    Leaf,
    Value,
    aggregate_of,
    constant,
    leaves,
)
from s2sad.frontend.specialise.equations.integrals import FoundBefore
from s2sad.ir.kinds import (
    FLOAT,
    Array,
    Axis,
    Kind,
    Known,
    Structure,
    axes_of,
    is_real_number_kind,
    without_value,
)
from s2sad.ir.procedures import Procedure
from s2sad.ops.numerics.trajectories import (
    adjoint_of_trajectory,
    tangent_of_trajectory,
)
from s2sad.rules.registry import Rule, register
from s2sad.rules.result_kinds import static_value

SETTINGS = ("method", "rtol", "atol", "most")


class Trajectory(FoundBefore):
    """The operation that gives states the derivative of the solution.

    Its arguments are the states, ``y0``, the start, the times, the parameters of the
    right-hand side behind the state and the time, and the settings of the solver.
    """

    count = 1

    def __init__(self, right_side: Procedure) -> None:
        self.__name__ = f"{right_side.__name__}_trajectory"
        self.right_side = right_side
        parameters = right_side.details.parameters[2:]
        self.others = tuple(f"of_{p.operand}" for p in parameters)
        names = ("states", "y0", "start", "times", *self.others, *SETTINGS)
        pairs = zip(self.others, parameters, strict=True)
        active = (n for n, p in pairs if is_real_number_kind(p.kind))
        form = inspect.Parameter.POSITIONAL_OR_KEYWORD
        self.rule = Rule(
            self,
            inspect.Signature([inspect.Parameter(n, form) for n in names]),
            kind=lambda **kinds: without_value(kinds["states"]),
            differentiable=("y0", "start", "times", *active),
            reverse=self.pulled_back,
            forward=self.pushed_forward,
            written=True,
        )

    def pulled_back(
        self,
        spec: Any,
        bound: Mapping[str, Value],
        out: Value,
        out_bar: Value,
        wanted: tuple[str, ...],
    ) -> Value:
        """The lines of the reverse sweep: cotangents of the ``wanted`` arguments."""
        active = [name for name in wanted if name in self.others]
        made = spec.derivatives.gradient_of(
            self.right_side, self._named(active), value=False, seeded=True
        )
        found = spec.apply(
            adjoint_of_trajectory,
            (
                constant(made),
                constant(self.right_side),
                out_bar,
                bound["y0"],
                self._args(bound),
                aggregate_of(tuple(bound[name] for name in active)),
                *(bound[name] for name in ("start", "times", *SETTINGS)),
            ),
            hint="adjoint",
        )
        assert isinstance(found, Aggregate)
        given = ("y0", "start", "times", *active)
        parts = dict(zip(given, found.items, strict=True))
        cotangents = tuple(parts[name] for name in wanted)
        return cotangents[0] if len(cotangents) == 1 else aggregate_of(cotangents)

    def pushed_forward(
        self,
        spec: Any,
        bound: Mapping[str, Value],
        out: Value,
        dots: Mapping[str, Value],
    ) -> Value:
        """The lines of the tangent, from those of the arguments that vary."""
        active = [name for name in dots if name in self.others]
        made = spec.derivatives.pushforward_of(self.right_side, self._named(active))
        zero = constant(0.0)
        return spec.apply(
            tangent_of_trajectory,
            (
                constant(made),
                bound["y0"],
                dots.get("y0", zero),
                self._args(bound),
                aggregate_of(tuple(dots[name] for name in active)),
                bound["start"],
                dots.get("start", zero),
                bound["times"],
                dots.get("times", zero),
                *(bound[name] for name in SETTINGS),
            ),
            hint="tangent",
        )

    def _named(self, active: list[str]) -> tuple[str, ...]:
        """The state and some other parameters of the right-hand side, by name."""
        state = str(self.right_side.details.parameters[0].operand)
        return state, *(name.removeprefix("of_") for name in active)

    def _args(self, bound: Mapping[str, Value]) -> Value:
        given: list[Leaf] = [leaf for n in self.others for leaf in leaves(bound[n])]
        return aggregate_of(tuple(given))


def _kind_of_adjoint(pull: Kind, y0: Kind, times: Kind, **others: Kind) -> Kind:
    assert isinstance(pull, Known)
    _, *rest = returned_kinds(static_value(pull))
    kinds = (
        Array("float64", axes_of(y0)),
        FLOAT,
        Array("float64", axes_of(times)),
        *map(without_value, rest),
    )
    return Structure(tuple, tuple(range(len(kinds))), kinds)


def _kind_of_tangent(y0: Kind, times: Kind, **others: Kind) -> Kind:
    return states_kind(y0, times)


def states_kind(y0: Kind, times: Kind) -> Kind:
    """A row for each time, a column for each number of the state."""
    rows, columns = axes_of(times), axes_of(y0)
    first = rows[0] if rows else Axis("any")
    return Array("float64", (first, columns[0] if columns else Axis("any")))


def _refused(*lines: Any) -> Value:
    raise Unsupported(
        None,
        "the derivative of an equation's solution is found by a solver, and has none "
        "itself",
        "take first derivatives, or write the steps of a method out",
    )


for _function, _kind in (
    (adjoint_of_trajectory, _kind_of_adjoint),
    (tangent_of_trajectory, _kind_of_tangent),
):
    _signature = inspect.signature(_function)
    register(
        Rule(
            _function,
            _signature,
            kind=_kind,
            differentiable=tuple(n for n in _signature.parameters if n not in SETTINGS),
            reverse=_refused,
            forward=_refused,
            written=True,
        )
    )
