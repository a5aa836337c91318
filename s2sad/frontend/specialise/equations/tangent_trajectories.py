"""The tangent of a trajectory as a program.

It takes the arguments of the trajectory and directions, and returns the states and
their tangents, side by side. They are one trajectory, whose right-hand side is a
program, too. Both are made once for a trajectory and the arguments that vary.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from s2sad.equations.found import states_by
from s2sad.equations.trajectories import state_and_tangent, states_and_tangents
from s2sad.frontend.specialise.core.values import (
    Leaf,
    Partial,
    Value,
    aggregate_of,
    constant,
    leaves,
)
from s2sad.frontend.specialise.equations.implicit_programs import (
    program_call,
    program_of_text,
    untaken,
)
from s2sad.ir.kinds import Array, Axis, tangent_kind
from s2sad.ir.nodes import Var
from s2sad.ir.procedures import Procedure

if TYPE_CHECKING:
    from s2sad.frontend.specialise.equations.trajectories import Trajectory

SETTINGS = ("method", "rtol", "atol", "most")


@dataclass(frozen=True)
class Tangent:
    """The program of the tangent of a trajectory."""

    program: Procedure
    names: Mapping[str, str]
    """The parameter for each argument of the trajectory that isn't known."""
    of_dots: Mapping[str, str]
    """The parameter for the direction of each argument that varies."""

    def given(
        self, bound: Mapping[str, Value], along: Mapping[str, Value]
    ) -> list[Leaf]:
        """The arguments of the program."""
        by_name = {own: bound[name] for name, own in self.names.items()}
        by_name.update((own, along[name]) for name, own in self.of_dots.items())
        parameters = self.program.details.parameters
        return [leaf for p in parameters for leaf in leaves(by_name[str(p.operand)])]


def tangent_program(
    spec: Any,
    trajectory: Trajectory,
    bound: Mapping[str, Value],
    varying: tuple[str, ...],
) -> Tangent:
    """The program for the arguments that are ``varying``."""
    key = tuple(sorted(varying))
    if key not in trajectory.derived:
        trajectory.derived[key] = _made(spec, trajectory, bound, varying)
    return trajectory.derived[key]


def _made(
    spec: Any,
    trajectory: Trajectory,
    bound: Mapping[str, Value],
    varying: tuple[str, ...],
) -> Tangent:
    right_side = trajectory.right_side
    parameters = dict(zip(trajectory.others, right_side.details.parameters[2:]))
    active = tuple(n for n in trajectory.others if n in varying)
    system = _system(spec, trajectory, active)
    taken = {"y0", "start", "times", *SETTINGS}
    typed: dict[str, Value] = {n: bound[n] for n in ("y0", "start", "times")}
    names = {n: n for n in (*typed, *SETTINGS)}
    for name in trajectory.others:
        names[name] = untaken(str(parameters[name].operand), taken)
        typed[names[name]] = parameters[name]
    typed |= {name: bound[name] for name in SETTINGS}
    dots = {}
    for name in (n for n in names if n in varying):
        dots[name] = untaken(f"{names[name]}_dot", taken)
        (leaf,) = leaves(bound[name])
        typed[dots[name]] = Leaf(Var(dots[name]), tangent_kind(leaf.kind))

    def seen(arguments: Mapping[str, Value]) -> dict[str, Value]:
        own = {n: arguments[n] for n in ("y0", "start", "times")}
        for name in tuple(own):
            dot = arguments[dots[name]] if name in dots else constant(None)
            own[f"{name}_dot"] = dot
        args = aggregate_of(tuple(arguments[names[n]] for n in trajectory.others))
        changes = tuple(arguments[dots[n]] for n in active)
        settings = aggregate_of(tuple(arguments[name] for name in SETTINGS))
        both = aggregate_of((*leaves(args), *changes))
        known = (constant(system), both, settings)
        return {
            **own,
            "args": args,
            "slope_at": Partial(constant(program_call), (constant(right_side),)),
            "solved": Partial(constant(states_by), known),
        }

    program = program_of_text(
        spec,
        states_and_tangents,
        f"{right_side.__name__}_tangents",
        f"States of {right_side.__name__} and their tangents.",
        typed,
        seen,
        trajectory.node,
    )
    dynamic = {str(p.operand) for p in program.details.parameters}
    return Tangent(
        program, {n: own for n, own in names.items() if own in dynamic}, dots
    )


def _system(spec: Any, trajectory: Trajectory, active: tuple[str, ...]) -> Procedure:
    """The right-hand side of the state and its tangent."""
    right_side = trajectory.right_side
    key = "system", active
    known = right_side.derived.get(key)
    if known is not None:
        return known
    state, time, *others = right_side.details.parameters
    own_names = dict(zip(trajectory.others, others, strict=True))
    moving = (state, *(own_names[name] for name in active))
    push = spec.derivatives.pushforward_of(
        right_side, tuple(str(p.operand) for p in moving)
    )
    taken = {"both", "time", "count", "slope", "change"}
    typed: dict[str, Value] = {
        "both": Leaf(Var("both"), Array("float64", (Axis("any"),))),
        "time": time,
    }
    names = [untaken(str(p.operand), taken) for p in others]
    typed.update(zip(names, others, strict=True))
    changes = []
    for name in active:
        (leaf,) = leaves(own_names[name])
        changes.append(untaken(f"{leaf.operand}_dot", taken))
        typed[changes[-1]] = Leaf(Var(changes[-1]), tangent_kind(leaf.kind))

    def seen(arguments: Mapping[str, Value]) -> dict[str, Value]:
        return {
            "both": arguments["both"],
            "time": arguments["time"],
            "pushed": Partial(constant(program_call), (constant(push),)),
            "args": aggregate_of(tuple(arguments[n] for n in names)),
            "dots": aggregate_of(tuple(arguments[n] for n in changes)),
        }

    made = program_of_text(
        spec,
        state_and_tangent,
        f"{right_side.__name__}_with_tangent",
        f"{right_side.__name__} of the state, and of its tangent behind it.",
        typed,
        seen,
        trajectory.node,
    )
    right_side.derived[key] = made
    return made
