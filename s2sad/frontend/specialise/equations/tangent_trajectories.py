"""The tangent of a trajectory as a program.

It takes the arguments of the trajectory and directions, and returns the states and
their tangents, side by side. They are one trajectory, whose right-hand side is a
program, too. Both are made once for a trajectory and the arguments that vary.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from s2sad import ir
from s2sad.equations import found, trajectories
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.equations import implicit_programs

SETTINGS = ("method", "rtol", "atol", "most")


class Trajectory(Protocol):
    """What is read of the operation of a trajectory."""

    right_side: ir.Procedure
    others: tuple[str, ...]
    derived: dict[tuple[str, ...], Tangent]


@dataclass(frozen=True)
class Tangent:
    """The program of the tangent of a trajectory."""

    program: ir.Procedure
    names: Mapping[str, str]
    """The parameter for each argument of the trajectory that isn't known."""
    of_dots: Mapping[str, str]
    """The parameter for the direction of each argument that varies."""

    def given(
        self, bound: Mapping[str, core.Value], along: Mapping[str, core.Value]
    ) -> list[core.Leaf]:
        """The arguments of the program."""
        by_name = {own: bound[name] for name, own in self.names.items()}
        by_name.update((own, along[name]) for name, own in self.of_dots.items())
        parameters = self.program.details.parameters
        return [
            leaf for p in parameters for leaf in core.leaves(by_name[str(p.operand)])
        ]


def tangent_program(
    spec: Specialiser,
    trajectory: Trajectory,
    bound: Mapping[str, core.Value],
    varying: tuple[str, ...],
) -> Tangent:
    """The program for the arguments that are ``varying``."""
    key = tuple(sorted(varying))
    if key not in trajectory.derived:
        trajectory.derived[key] = _made(spec, trajectory, bound, varying)
    return trajectory.derived[key]


def _made(
    spec: Specialiser,
    trajectory: Trajectory,
    bound: Mapping[str, core.Value],
    varying: tuple[str, ...],
) -> Tangent:
    right_side = trajectory.right_side
    parameters = dict(zip(trajectory.others, right_side.details.parameters[2:]))
    active = tuple(n for n in trajectory.others if n in varying)
    system = _system(spec, trajectory, active)
    taken = {"y0", "start", "times", *SETTINGS}
    typed: dict[str, core.Value] = {n: bound[n] for n in ("y0", "start", "times")}
    names = {n: n for n in (*typed, *SETTINGS)}
    for name in trajectory.others:
        names[name] = implicit_programs.untaken(str(parameters[name].operand), taken)
        typed[names[name]] = parameters[name]
    typed |= {name: bound[name] for name in SETTINGS}
    dots = {}
    for name in (n for n in names if n in varying):
        dots[name] = implicit_programs.untaken(f"{names[name]}_dot", taken)
        (leaf,) = core.leaves(bound[name])
        typed[dots[name]] = core.Leaf(ir.Var(dots[name]), ir.tangent_kind(leaf.kind))

    def seen(arguments: Mapping[str, core.Value]) -> dict[str, core.Value]:
        own = {n: arguments[n] for n in ("y0", "start", "times")}
        for name in tuple(own):
            dot = arguments[dots[name]] if name in dots else core.constant(None)
            own[f"{name}_dot"] = dot
        args = core.aggregate_of(tuple(arguments[names[n]] for n in trajectory.others))
        changes = tuple(arguments[dots[n]] for n in active)
        settings = core.aggregate_of(tuple(arguments[name] for name in SETTINGS))
        both = core.aggregate_of((*core.leaves(args), *changes))
        known = (core.constant(system), both, settings)
        return {
            **own,
            "args": args,
            "slope_at": core.Partial(
                core.constant(implicit_programs.program_call),
                (core.constant(right_side),),
            ),
            "solved": core.Partial(core.constant(found.states_by), known),
        }

    program = implicit_programs.program_of_text(
        spec,
        trajectories.states_and_tangents,
        f"{right_side.__name__}_tangents",
        f"States of {right_side.__name__} and their tangents.",
        typed,
        seen,
    )
    dynamic = {str(p.operand) for p in program.details.parameters}
    return Tangent(
        program, {n: own for n, own in names.items() if own in dynamic}, dots
    )


def _system(
    spec: Specialiser, trajectory: Trajectory, active: tuple[str, ...]
) -> ir.Procedure:
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
    typed: dict[str, core.Value] = {
        "both": core.Leaf(ir.Var("both"), ir.Array("float64", (ir.Axis("any"),))),
        "time": time,
    }
    names = [implicit_programs.untaken(str(p.operand), taken) for p in others]
    typed.update(zip(names, others, strict=True))
    changes = []
    for name in active:
        (leaf,) = core.leaves(own_names[name])
        changes.append(implicit_programs.untaken(f"{leaf.operand}_dot", taken))
        typed[changes[-1]] = core.Leaf(ir.Var(changes[-1]), ir.tangent_kind(leaf.kind))

    def seen(arguments: Mapping[str, core.Value]) -> dict[str, core.Value]:
        return {
            "both": arguments["both"],
            "time": arguments["time"],
            "pushed": core.Partial(
                core.constant(implicit_programs.program_call), (core.constant(push),)
            ),
            "args": core.aggregate_of(tuple(arguments[n] for n in names)),
            "dots": core.aggregate_of(tuple(arguments[n] for n in changes)),
        }

    made = implicit_programs.program_of_text(
        spec,
        trajectories.state_and_tangent,
        f"{right_side.__name__}_with_tangent",
        f"{right_side.__name__} of the state, and of its tangent behind it.",
        typed,
        seen,
    )
    right_side.derived[key] = made
    return made
