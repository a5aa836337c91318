"""Solutions of ordinary differential equations as operations of the program.

What SciPy finds becomes the result of one operation with the derivative of the
solution::

    y = trajectory(y.1, y0, start, times, a)

    reverse:  l' = -(df/dy)^T l, backwards, with a jump by y.bar[i] at times[i]
              y0.bar = l(start)        a.bar = integral of (df/da)^T l
    tangent:  v' = df/dy v + df/da a.dot,  v(start) = y0.dot - f start.dot

The tangent and the state are one more trajectory, of both right-hand sides. What the
adjoint equation gives becomes the result of an operation, too, whose derivatives are
adjoints of tangents, since second derivatives are symmetric (as in
:mod:`s2sad.transform.calls.gradients_again`)::

    bars = adjoint(bars.1, y.bar, y0, start, times, a)

    tangent along y.bar.dot, x.dot:  the adjoint of x in
                                     y.bar * v(x, x.dot) + y.bar.dot * y(x)
    reverse for cotangents x.dot:    the adjoint of x in  y.bar * v(x, x.dot),
                                     and v(x, x.dot) itself for y.bar

So the states are never solved for backwards in time, and derivatives of any order are
solutions of the equation and its tangents, forwards, and of their adjoints.
"""

from collections.abc import Mapping

from s2sad import ir, rules
from s2sad.equations.trajectories import behind_zeros, side_by_side, tangents_alone
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser
from s2sad.frontend.specialise.equations import implicit_programs, integrals
from s2sad.frontend.specialise.equations.implicit_programs import written_or_called
from s2sad.frontend.specialise.equations.tangent_trajectories import (
    SETTINGS,
    Tangent,
    tangent_program,
)
from s2sad.frontend.specialise.recursion.forms import returned_kinds
from s2sad.ops.numerics.trajectories import adjoint_of_trajectory, states_at

GIVEN = ("y0", "start", "times")


class Trajectory(integrals.FoundBefore):
    """The operation that gives states the derivative of the solution.

    Its arguments are the states, ``y0``, the start, the times, the parameters of the
    right-hand side behind the state and the time, and the settings of the solver.
    """

    count = 1

    def __init__(self, right_side: ir.Procedure) -> None:
        self.right_side = right_side
        self.derived: dict[tuple[str, ...], Tangent] = {}
        """Its tangents, by the arguments that vary."""
        parameters = right_side.details.parameters[2:]
        self.others = tuple(f"of_{p.operand}" for p in parameters)
        names = ("states", *GIVEN, *self.others, *SETTINGS)
        active = implicit_programs.active_of(self.others, parameters)
        self.describe(
            f"{right_side.__name__}_trajectory",
            names,
            (*GIVEN, *active),
            lambda **kinds: ir.without_value(kinds["states"]),
        )

    def pulled_back(
        self,
        spec: Specialiser,
        bound: Mapping[str, core.Value],
        out: core.Value,
        out_bar: core.Value,
        wanted: tuple[str, ...],
    ) -> core.Value:
        """The lines of the reverse sweep: cotangents of the ``wanted`` arguments."""
        active = tuple(name for name in wanted if name in self.others)
        found = self.adjoint(spec, bound, out_bar, active)
        parts = dict(zip((*GIVEN, *active), found.items, strict=True))
        return implicit_programs.alone_or_all(parts[name] for name in wanted)

    def pushed_forward(
        self,
        spec: Specialiser,
        bound: Mapping[str, core.Value],
        out: core.Value,
        dots: Mapping[str, core.Value],
    ) -> core.Value:
        """The lines of the tangent, from those of the arguments that vary."""
        return tangents_alone_of(spec, self, bound, dots, out)

    def adjoint(
        self,
        spec: Specialiser,
        bound: Mapping[str, core.Value],
        states_bar: core.Value,
        active: tuple[str, ...],
    ) -> core.Aggregate:
        """The cotangents of ``y0``, the start, the times and the ``active`` ones of the
        other parameters."""
        state = str(self.right_side.details.parameters[0].operand)
        names = (state, *(name.removeprefix("of_") for name in active))
        made = spec.derivatives.gradient_of(
            self.right_side, names, value=False, seeded=True
        )
        others = [leaf for name in self.others for leaf in core.leaves(bound[name])]
        settings = [bound[name] for name in SETTINGS]
        found = spec.apply(
            adjoint_of_trajectory,
            (
                core.constant(made),
                core.constant(self.right_side),
                states_bar,
                bound["y0"],
                core.aggregate_of(tuple(others)),
                core.aggregate_of(tuple(bound[name] for name in active)),
                bound["start"],
                bound["times"],
                *settings,
            ),
            hint="adjoint",
        )
        given = [bound[name] for name in GIVEN]
        handed = (*core.leaves(found), states_bar, *given, *others, *settings)
        result = spec.apply(Adjoint(self, active), handed, hint="adjoint")
        assert isinstance(result, core.Aggregate)
        return result


class Adjoint(integrals.FoundBefore):
    """The operation that gives what the adjoint equation of a trajectory has found its
    derivative.

    Its arguments are the cotangents of ``y0``, the start, the times and the ``active``
    parameters, and behind them the cotangent of the states and the other arguments of
    the trajectory.
    """

    def __init__(self, trajectory: Trajectory, active: tuple[str, ...]) -> None:
        self.trajectory, self.active = trajectory, active
        self.results = (*GIVEN, *active)
        self.count = len(self.results)
        self.found = tuple(f"found_{name}" for name in self.results)
        others = trajectory.others
        names = (*self.found, "states_bar", *GIVEN, *others, *SETTINGS)
        active_ones = ("states_bar", *trajectory.rule.differentiable)
        name = f"{trajectory.__name__}_adjoint"
        self.describe(name, names, active_ones, self._kind)

    def _kind(self, **kinds: ir.Kind) -> ir.Kind:
        return ir.tuple_of_kinds(ir.without_value(kinds[name]) for name in self.found)

    def pulled_back(
        self,
        spec: Specialiser,
        bound: Mapping[str, core.Value],
        out: core.Value,
        out_bar: core.Value,
        wanted: tuple[str, ...],
    ) -> core.Value:
        """The lines of the reverse sweep: cotangents of the ``wanted`` arguments."""
        assert isinstance(out_bar, core.Aggregate)
        pairs = zip(self.results, out_bar.items, strict=True)
        along = {name: bar for name, bar in pairs if not _is_zero(bar)}
        parts: dict[str, core.Value] = {}
        if "states_bar" in wanted:
            parts["states_bar"] = tangents_alone_of(
                spec, self.trajectory, bound, along, bound["states_bar"]
            )
        names = tuple(name for name in wanted if name != "states_bar")
        if names:
            seed = spec.expand(behind_zeros, {"tangents": bound["states_bar"]})
            parts.update(self._of_tangent(spec, bound, along, names, seed))
        return implicit_programs.alone_or_all(parts[name] for name in wanted)

    def pushed_forward(
        self,
        spec: Specialiser,
        bound: Mapping[str, core.Value],
        out: core.Value,
        dots: Mapping[str, core.Value],
    ) -> core.Value:
        """The lines of the tangent, from those of the arguments that vary."""
        along = {name: dot for name, dot in dots.items() if name != "states_bar"}
        states_bar, change = bound["states_bar"], dots.get("states_bar")
        if not along:
            assert change is not None
            return self.trajectory.adjoint(spec, bound, change, self.active)
        if change is None:
            seed = spec.expand(behind_zeros, {"tangents": states_bar})
        else:
            both = {"states": change, "tangents": states_bar}
            seed = spec.expand(side_by_side, both)
        parts = self._of_tangent(spec, bound, along, self.results, seed)
        return core.aggregate_of(tuple(parts[name] for name in self.results))

    def _of_tangent(
        self,
        spec: Specialiser,
        bound: Mapping[str, core.Value],
        along: Mapping[str, core.Value],
        names: tuple[str, ...],
        seed: core.Value,
    ) -> dict[str, core.Value]:
        """The adjoints of some arguments in the states and their tangents ``along``
        some directions, whose cotangent is the ``seed``."""
        made = tangent_program(spec, self.trajectory, bound, tuple(along))
        own = {name: made.names[name] for name in names if name in made.names}
        gradient = spec.derivatives.gradient_of(
            made.program, tuple(own.values()), value=False, seeded=True
        )
        given = [*made.given(bound, along), *core.leaves(seed)]
        found = core.leaves(written_or_called(spec, gradient, given))
        parts: dict[str, core.Value] = {name: core.constant(0.0) for name in names}
        return {**parts, **dict(zip(own, found, strict=True))}


def tangents_alone_of(
    spec: Specialiser,
    trajectory: Trajectory,
    bound: Mapping[str, core.Value],
    along: Mapping[str, core.Value],
    states: core.Value,
) -> core.Value:
    """The tangents of the ``states`` along some directions."""
    made = tangent_program(spec, trajectory, bound, tuple(along))
    both = written_or_called(spec, made.program, made.given(bound, along))
    found = spec.expand(tangents_alone, {"both": both, "y0": bound["y0"]})
    return _with_kind_of(spec, found, states)


def _with_kind_of(spec: Specialiser, value: core.Value, like: core.Value) -> core.Value:
    """The value, of which the text that it comes from doesn't tell the lengths."""
    assert isinstance(value, core.Leaf) and isinstance(like, core.Leaf)
    return spec.assign(spec.fresh("tangent"), value.operand, like.kind)


@core.verb
def solved(spec: Specialiser, args: Args) -> core.Value:
    """What a call of ``states_by`` becomes in a derivative."""
    mark, others, settings, y0, start, times = args
    right_side: ir.Procedure = core.known_value(mark)
    assert isinstance(others, core.Aggregate) and isinstance(settings, core.Aggregate)
    given = tuple(core.leaves(others))
    found = spec.apply(
        states_at,
        (mark, y0, core.aggregate_of(given), start, times, *settings.items),
        hint="states",
    )
    arguments = (found, y0, start, times, *given, *settings.items)
    return spec.apply(Trajectory(right_side), arguments, hint="states")


def _is_zero(bar: core.Value) -> bool:
    return isinstance(bar, core.Leaf) and bar.operand == ir.Const(0.0)


def _kind_of_adjoint(
    pull: ir.Kind, y0: ir.Kind, times: ir.Kind, **others: ir.Kind
) -> ir.Kind:
    assert isinstance(pull, ir.Known)
    _, *rest = returned_kinds(rules.static_value(pull))
    kinds = (
        ir.Array("float64", ir.axes_of(y0)),
        ir.FLOAT,
        ir.Array("float64", ir.axes_of(times)),
        *map(ir.without_value, rest),
    )
    return ir.tuple_of_kinds(kinds)


def _kind_of_states(y0: ir.Kind, times: ir.Kind, **others: ir.Kind) -> ir.Kind:
    """A row for each time, a column for each number of the state."""
    rows, columns = ir.axes_of(times), ir.axes_of(y0)
    first = rows[0] if rows else ir.Axis("any")
    return ir.Array("float64", (first, columns[0] if columns else ir.Axis("any")))


for _function, _kind in (
    (adjoint_of_trajectory, _kind_of_adjoint),
    (states_at, _kind_of_states),
):
    rules.without_derivative(_function, _function, kind=_kind)
