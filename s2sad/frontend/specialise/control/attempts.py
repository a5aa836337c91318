"""Try statements.

What a handler sees is what held wherever the body may raise: the names are joined over
all those places.
"""

import ast
import functools
import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.containers import list_meetings
from s2sad.frontend.specialise.control.control_flow import (
    Names,
    add_phi_copies,
    forget_late,
    join_names,
    meet,
)
from s2sad.frontend.specialise.control.unjumped_paths import note_unjumped
from s2sad.frontend.specialise.core.problems import catches
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.source.normalise.jumps import hides_exceptions
from s2sad.source.text.scopes import assigned_names

_RAISING = (
    *(ops.raise_exception, operator.truediv, operator.floordiv, operator.mod),
    *(operator.pow, operator.getitem),
)
"""What may raise in programs that work, beside functions of ``math``."""


def joined_names(
    spec: Specialiser, frames: list[core.Frame], states: list[Names], what: str
) -> Names:
    """What holds where it may be any of the states."""
    owner = spec.fresh_owner(what)
    joined = [
        functools.reduce(lambda a, b: join_names(spec, frame, a, b, owner), names)
        for frame, *names in zip(frames, *states, strict=True)
    ]
    return [
        list_meetings.explained(spec, frame, names)
        for frame, names in zip(frames, joined, strict=True)
    ]


@core.statement(ast.Try)
def try_statement(spec: Specialiser, node: ast.Try) -> None:
    if hides_exceptions(node):
        raise core.Unsupported(
            "a finally block that returns or leaves a loop hides exceptions",
            "leave behind the try statement",
            node.finalbody[0],
        )
    while not _tried(spec, node):
        pass  # again, with lists that the finally block sees at several lengths


def _tried(spec: Specialiser, node: ast.Try) -> bool:
    """Specialise the statement; False where lists that names held before it are now
    such as have no known length, and nothing else was done."""
    frames = spec.frames_at_stake()
    problems, shared = len(spec.problems), list(spec.shared_frames)
    types = [_caught_types(spec, handler) for handler in node.handlers]
    awaited = [
        core.Awaited(caught, not isinstance(handler.body[-1], ast.Raise))
        for caught, handler in zip(types, node.handlers, strict=True)
    ]
    run_body = functools.partial(spec.run, node.body)
    body, points = attempted(spec, frames, awaited, run_body)
    raised = joined_names(spec, frames, points.states, "try")
    ends: list[tuple[list[ir.Statement], Names]] = []

    def run(statements: list[ast.stmt]) -> None:
        spec.run(statements)
        if not spec.unreachable:
            ends.append((spec.block, [dict(frame.names) for frame in frames]))

    with spec.new_block() as orelse, spec.raising(frames) as later:
        if not spec.unreachable:
            run(node.orelse)
    handled: list[list[ir.Statement]] = []
    for handler in node.handlers:
        spec.start_path(frames, raised)
        with spec.raising(frames) as more:
            handled.append(_handler(spec, handler, run))
        later.states += more.states
    normal = names_behind(spec, frames, ends, "try") if ends else raised
    if node.finalbody:
        before = points.start
        known = frames[: len(before)]
        spec.start_path(known, before)
        # cells in which those of several paths met are no part of what was before
        states = [normal, *points.states, *later.states]
        if _lengthened(spec, known, [state[: len(before)] for state in states]):
            spec.shared_frames = shared
            del spec.problems[problems:]
            return False
    spec.start_path(frames, normal)
    spec.unreachable = not ends
    final = _final(spec, node, frames, [*points.states, *later.states])
    _check_closing(spec, node, final)
    handlers = [
        ir.Handler(None if caught is None else core.operand_of(caught), tuple(block))
        for caught, block in zip(types, handled, strict=True)
    ]
    spec.emit(ir.Try(spec.span, tuple(body), tuple(handlers), tuple(orelse), final))
    return True


def _check_closing(spec: Specialiser, node: ast.Try, final: ir.Block) -> None:
    """A generator that isn't run to its end is closed, and what its finally block
    raises then is lost."""
    if not spec.raise_points or getattr(spec.frame.generator, "leave", None) is None:
        return
    if not any(
        isinstance(inner, ast.Yield | ast.YieldFrom)
        for line in node.body
        for inner in ast.walk(line)
    ):
        return
    for s in ir.walk(final):
        if any(map(_may_well_raise, ir.operations(s))):
            raise core.Unsupported(
                "the finally block of a generator may raise, and Python ignores that "
                "where the generator isn't run to its end",
                "let it raise nothing, as by a product of floats",
                node.finalbody[0],
            )


def _may_well_raise(operation: ir.Apply) -> bool:
    function = operation.function
    return function in _RAISING or getattr(function, "__module__", "") == "math"


def attempted(
    spec: Specialiser,
    frames: list[core.Frame],
    handlers: list[core.Awaited],
    run: Callable[[], None],
) -> tuple[list[ir.Statement], core.RaisePoints]:
    """The body of a try, and what holds wherever it may raise. Lists and tuples of
    which it changes the length have one known only when the program runs."""
    catches_unbound = any(may_catch_unbound(handler.types) for handler in handlers)
    while True:
        problems = len(spec.problems)
        with (
            spec.new_block() as body,
            spec.raising(frames, catches_unbound) as points,
            awaiting(spec, *handlers),
        ):
            run()
        if not points.states:
            points.states.append(points.start)
        ends = [dict(frame.names) for frame in frames], spec.unreachable
        spec.start_path(frames, points.start)
        if not _lengthened(spec, frames, points.states):
            spec.start_path(frames, ends[0])
            spec.unreachable = ends[1]
            forget_cells_made(spec, frames, points.states)
            return body, points
        del spec.problems[problems:]


@contextmanager
def awaiting(spec: Specialiser, *handlers: core.Awaited) -> Iterator[None]:
    """What is raised inside is caught by these."""
    around, spec.caught = spec.caught, [*spec.caught, *handlers]
    try:
        yield
    finally:
        spec.caught = around


def forget_cells_made(
    spec: Specialiser, frames: list[core.Frame], states: list[Names]
) -> None:
    """What a list, dict or object that the body made holds where it raises isn't
    followed: names that hold one can't be read in a handler."""
    if not spec.facts.changing:
        return
    known = {frame for frame in frames if isinstance(frame, core.CellFrame)}
    for state in states:
        for names in state:
            for name, value in names.items():
                made = [c for c in _cells_held(value) if _root(c).frame not in known]
                if made:
                    names[name] = core.Missing(*_MADE_INSIDE, made[0].constructor)


_MADE_INSIDE = (
    "the list, dict or object read here was made in the body of the try statement",
    "make it before the try",
)


def _cells_held(value: core.Value) -> Iterator[core.Cell]:
    """The cells in a value itself."""
    if isinstance(value, core.Cell):
        yield value
    for _, part in core.parts_of(value):
        yield from _cells_held(part)


def _root(cell: core.Cell) -> core.Cell:
    """The list that holds an item of unknown place; other cells themselves."""
    while cell.frame.place is not None:
        cell = cell.frame.place.within
    return cell


def _lengthened(
    spec: Specialiser, frames: list[core.Frame], states: list[Names]
) -> bool:
    """Let what the states hold at other lengths be of a length that isn't followed."""
    before: Names = [frame.names for frame in frames]
    differing = [
        (k, name)
        for k, names in enumerate(before)
        for name in sorted(names)
        if any(
            name in state[k]
            and list_meetings.meet_as_lists(names[name], state[k][name])
            for state in states
        )
    ]
    if not differing:
        return False
    known = list_meetings.samples(spec, frames, states, differing)
    spec.start_path(frames, before)
    changed = False
    with spec.new_block() as lines:
        for k, name in differing:
            for sample in known:
                value, other = frames[k].names.get(name), sample.get((k, name))
                if value is None or other is None:
                    continue
                if list_meetings.meet_as_lists(value, other):
                    with spec.inside(frames[k]):
                        changed |= list_meetings.bind_as_list(spec, name, other)
    add_phi_copies(spec, lines)
    return changed


def names_behind(
    spec: Specialiser,
    frames: list[core.Frame],
    ends: list[tuple[list[ir.Statement], Names]],
    what: str,
) -> Names:
    """What holds behind paths."""
    meet(spec, frames, ends)
    states = [names for _, names in ends]
    joined = joined_names(spec, frames, states, what)
    for k, frame in enumerate(frames):
        if isinstance(frame, core.CellFrame):
            frame.names = joined[k]
            forget_late(frame, *(names[k] for _, names in ends))
    note_unjumped(frames, joined, states, spec.fresh_owner(what))
    return joined


def _caught_types(
    spec: Specialiser, node: ast.ExceptHandler
) -> core.Leaf | core.Aggregate | None:
    """The exceptions that a handler is for; None for all."""
    if node.type is None:
        return None
    value = spec.evaluate(node.type)
    if not isinstance(value, core.Leaf | core.Aggregate) or not core.is_known(value):
        raise core.Unsupported(
            "which exceptions are caught isn't known before the program runs",
            "name the exception classes",
            node.type,
        )
    return value


def may_catch_unbound(types: core.Value | None) -> bool:
    """True for handlers of the error that reading a name without value raises."""
    return catches(types, UnboundLocalError)


def _handler(
    spec: Specialiser, node: ast.ExceptHandler, run: Any
) -> list[ir.Statement]:
    with spec.new_block() as block:
        if node.name is not None:
            exception = spec.apply(ir.caught_exception, (), hint=node.name)
            spec.bind(node.name, core.Leaf(core.operand_of(exception), ir.OPAQUE))
        spec.handlers_under_way += 1
        try:
            run(node.body)
        finally:
            spec.handlers_under_way -= 1
    return block


def _is_bound_by(written: bool, value: core.Value, before: core.Value | None) -> bool:
    """True where a finally block let a name hold a value: it assigns it, or the value
    was moved to a list of which only the run knows the place that is changed."""
    if isinstance(value, core.Missing):
        return written and value is not before
    return written or (value is not before and value != before)


def _final(
    spec: Specialiser, node: ast.Try, frames: list[core.Frame], raised: list[Names]
) -> ir.Block:
    """The finally block, run with what holds on any way to it. Behind it, names that it
    leaves alone are what they were."""
    if not node.finalbody:
        return ()
    unreachable = spec.unreachable
    normal: Names = [dict(frame.names) for frame in frames]
    # cells in which those of several paths met hold nothing where something was raised
    raised = [[*state, *({} for _ in frames[len(state) :])] for state in raised]
    met = joined_names(spec, frames, [normal, *raised], "finally")
    spec.start_path(frames, [dict(names) for names in met])
    with spec.new_block() as block:
        spec.run(node.finalbody)
    for points in spec.raise_points:  # what was raised is raised again
        points.note()
    assigned = assigned_names(node.finalbody)
    for frame, names, before in zip(frames, normal, met, strict=True):
        if core.LOST in frame.names:
            continue
        written = assigned if frame is frames[0] else frame.written_by_others
        frame.names = {
            **names,
            **{
                name: value
                for name, value in frame.names.items()
                if _is_bound_by(name in written, value, before.get(name))
            },
        }
    spec.unreachable = unreachable or spec.unreachable
    return tuple(block)
