"""The body of a loop over kinds: it is run until what holds at its head no longer
changes."""

import copy
from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Any

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.containers import list_meetings
from s2sad.frontend.specialise.control import control_flow, joining, unjumped_paths
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.heap import cell_joins, places

MOST_NEW = 2
"""A name is one more list, dict or object that the body makes after so many runs of it
at most; after that it would be a new one of each run."""


def loop_head(
    names: dict[str, core.Value], assigned: set[str]
) -> dict[str, core.Value]:
    """Names at the head of a loop: numbers that the body changes are not known by
    value."""

    def widen(leaf: core.Leaf) -> core.Leaf:
        if isinstance(leaf.operand, ir.Const):
            return leaf
        return core.Leaf(leaf.operand, ir.without_value(leaf.kind))

    return {
        name: core.map_leaves(value, widen) if name in assigned else value
        for name, value in names.items()
    }


@core.verb
def to_fixed_point(
    spec: Specialiser, assigned: set[str], run_once: Callable[[Callable[[], None]], Any]
) -> tuple[Any, dict[str, ir.Kind]]:
    """Run a loop body until the kinds at its head are stable.

    ``run_once(finish)`` emits and returns the loop's blocks; it calls ``finish`` at the
    end of the body. Returns the blocks and the kinds at the head. A name that the body
    reads before it binds it has, at the head, what an earlier iteration bound.
    """
    owner = spec.fresh_owner("loop")
    frames = spec.frames_at_stake()
    unjumped_paths.forget_unjumped(frames)
    written = [_written_in(frame) for frame in frames]
    written[0] |= assigned
    for frame in frames:  # the body may bind what they belong to
        frame.names = core.without_slots(frame.names)
    heads = [
        _head_of(spec, frame, names)
        for frame, names in zip(frames, written, strict=True)
    ]
    late: set[tuple[core.Frame, str]] = set()
    carriers: set[core.Frame] = set()
    uncarried: list[core.Cell] = []
    new_ones = Counter[tuple[core.Frame, str]]()

    def finish() -> None:
        """At the head such a list's length isn't followed."""
        if spec.unreachable:
            return
        uncarried[:] = cell_joins.cells_carried(spec, frames, heads, carriers)
        if uncarried:
            return
        for frame, head, names in zip(frames, heads, written, strict=True):
            with spec.inside(frame):
                for name in sorted(names & set(head) & set(frame.names)):
                    if list_meetings.meet_as_lists(head[name], frame.names[name]):
                        list_meetings.bind_as_list(spec, name, head[name], follow=True)

    moves = places.moves_of_items(spec, frames)
    while True:
        spec.start_path(frames, heads)
        problems = len(spec.problems)
        shared = list(spec.shared_frames)
        uncarried.clear()
        facts, turned = spec.facts, dict(spec.turned)
        forgotten, spec.forgotten = spec.forgotten, set()
        spec.forgotten_before.append(forgotten)
        start = next(core.serials)
        spec.loop_starts.append(start)
        with spec.binding_later(frames, written) as unbound:
            blocks = run_once(finish)
        spec.loop_starts.pop()
        spec.forgotten_before.pop()
        unjumped_paths.forget_unjumped(frames)
        ends = [frame.names for frame in frames]
        if spec.unreachable:  # every path of the body raises
            ends = heads
        found, spec.forgotten = spec.forgotten, forgotten
        for frame, head, end in zip(frames, heads, ends, strict=True):
            for name in [n for f, n in found if f is frame and n in head]:
                end[name] = head[name]  # the problem is what to report
        if spec.facts is not facts:  # what was learned holds from the start
            spec.turned, spec.shared_frames = turned, shared
            continue
        if uncarried:
            spec.shared_frames = shared
            for frame, head in zip(frames, heads, strict=True):
                frame.names = head
            unbound_yet = _of_late_names(frames, heads, late)
            with spec.new_block() as lines:
                for cell in uncarried:
                    made = cell_joins.carrier(spec, frames, cell)
                    frames.append(made.frame)
                    written.append(set())
                    carriers.add(made.frame)
            control_flow.add_phi_copies(spec, _without_reads_of(unbound_yet, lines))
            heads = [frame.names for frame in frames]
            del spec.problems[problems:]
            continue
        again = _written_later(spec, frames, heads, ends, written)
        again = again or _lengthened(spec, frames, heads, ends, late)
        if again or _have_moved(spec, frames, moves):
            moves = moves if again else []  # what was read before the loop may move
            spec.shared_frames = shared
            del spec.problems[problems:]
            continue
        joined = [
            dict(end)
            if core.LOST in end
            else list_meetings.explained(
                spec,
                frame,
                {
                    name: joining.join_values(name, value, end[name], (owner, name))
                    if end.get(name, value) is not value
                    and (name in names or end[name] != value)
                    else value
                    for name, value in head.items()
                },
            )
            for frame, head, end, names in zip(
                frames, heads, ends, written, strict=True
            )
        ]
        for frame, head, new, end in zip(frames, heads, joined, ends, strict=True):
            for name in head.keys() & end.keys():
                if _is_one_more(head[name], new[name], start):
                    new_ones[frame, name] += 1
                    if new_ones[frame, name] > MOST_NEW:
                        new[name] = joining.lost(name, head[name], end[name])
        for frame, head, end in zip(frames, joined, ends, strict=True):
            early = {n: end[n] for n in end if (frame, n) in unbound and n not in head}
            early = {n: _of_earlier(value, (owner, n)) for n, value in early.items()}
            head.update(loop_head(early, set(early)))
            late |= {(frame, name) for name in early}
        if joined == heads:
            spec.forgotten |= found
            break
        for head, new in zip(heads, joined, strict=True):
            for name in head.keys() & new.keys():
                spec.keep_nested(head[name], new[name])
                spec.keep_functions(head[name], new[name])
        spec.shared_frames = shared
        del spec.problems[problems:]
        heads = joined
    spec.unreachable = False
    for k, frame in enumerate(frames):
        for name in heads[k]:
            if (frame, name) in late:
                spec.carried |= cell_joins.variables_in(heads[k][name])
    kinds = {}
    for frame, head, end, names in zip(frames, heads, ends, written, strict=True):
        only_inside = {n for n in end if n not in head and not n.startswith(".")}
        inside = {name: _of_earlier(end[name], (owner, name)) for name in only_inside}
        for name in only_inside:
            spec.half_named.add((frame, name))
            if (frame, name) in spec.bound_later:  # where the loop isn't entered
                inside[name] = copy.copy(inside[name])
                spec.half_bound[id(inside[name])] = inside[name]
        frame.names = {**head, **inside}
        control_flow.forget_late(frame, head)
        for name in names & set(head):
            for leaf in core.leaves(head[name]):
                if isinstance(leaf.operand, ir.Var):
                    kinds[leaf.operand.name] = leaf.kind
    return blocks, kinds


def _is_one_more(head: core.Value, joined: core.Value, start: int) -> bool:
    """True for a choice with a list, dict or object that isn't among those of the head,
    and was made after ``start``."""
    if not isinstance(joined, core.Choice):
        return False
    known = {tag for tag, _ in getattr(head, "options", ())}
    return any(
        tag not in known and isinstance(value, core.Cell) and value.frame.serial > start
        for tag, value in joined.options
    )


def _have_moved(spec: Specialiser, frames: list[core.Frame], moves: Any) -> bool:
    """True where items of lists have moved since."""
    return moves and moves != places.moves_of_items(spec, frames[: len(moves)])


def _of_earlier(value: core.Value, owner: Hashable) -> core.Value:
    """What an iteration has left: its lengths aren't those of what is there by now,
    though that had them then."""

    def left(leaf: core.Leaf, path: tuple) -> core.Leaf:
        kind = ir.join(leaf.kind, ir.without_passing_lengths(leaf.kind), (owner, path))
        return leaf if kind == leaf.kind else replace(leaf, kind=kind)

    return core.map_with_paths(value, left)


def _written_in(frame: core.Frame) -> set[str]:
    """The names that a loop's body may bind; those of cells are found by running it."""
    return set() if isinstance(frame, core.CellFrame) else set(frame.written_by_others)


def _head_of(
    spec: Specialiser, frame: core.Frame, written: set[str]
) -> dict[str, core.Value]:
    """What names hold at the head of a loop that may bind some of them."""
    with spec.inside(frame):
        for name in sorted(written & set(frame.names)):
            _hold_in_variables(spec, name)
    return loop_head(frame.names, written)


def _written_later(
    spec: Specialiser,
    frames: list[core.Frame],
    heads: list[dict[str, core.Value]],
    ends: list[dict[str, core.Value]],
    written: list[set[str]],
) -> bool:
    """Find the names of cells that the body binds anew."""
    changed = False
    for k, frame in enumerate(frames):
        if not isinstance(frame, core.CellFrame):
            continue
        head, end = heads[k], ends[k]
        names = {n for n in head if n in end and head[n] != end[n]} - written[k]
        if names:
            frame.names = head
            written[k] |= names
            heads[k] = _head_of(spec, frame, written[k])
            changed = True
    return changed


def _lengthened(
    spec: Specialiser,
    frames: list[core.Frame],
    heads: list[dict[str, core.Value]],
    ends: list[dict[str, core.Value]],
    late: set[tuple[core.Frame, str]],
) -> bool:
    """Let the lists and tuples of which an iteration changes the length be such as
    have a length known only when the program runs, from before the loop on; those in
    ``late`` aren't bound there."""
    differing = [
        (k, name)
        for k, (head, end) in enumerate(zip(heads, ends, strict=True))
        for name in sorted(set(head) & set(end))
        if list_meetings.meet_as_lists(head[name], end[name])
    ]
    (known,) = list_meetings.samples(spec, frames, [ends], differing)
    for frame, head in zip(frames, heads, strict=True):
        frame.names = head
    changed = False
    for k, name in differing:
        with spec.inside(frames[k]), spec.new_block() as block:
            changed |= list_meetings.bind_as_list(spec, name, known[k, name])
        if (frames[k], name) not in late:
            control_flow.add_phi_copies(spec, block)
    # objects that a list holds by value now are lost under their own names
    heads[:] = [frame.names for frame in frames]
    return changed


def _of_late_names(
    frames: list[core.Frame],
    heads: list[dict[str, core.Value]],
    late: set[tuple[core.Frame, str]],
) -> set[str]:
    """The variables that nothing binds before a loop, since only names that its
    iterations bind hold them."""
    held: dict[bool, set[str]] = {True: set(), False: set()}
    for frame, head in zip(frames, heads, strict=True):
        if not isinstance(frame, core.CellFrame):
            for name, value in head.items():
                held[(frame, name) in late] |= cell_joins.variables_in(value)
    return held[True] - held[False]


def _without_reads_of(
    unbound: set[str], lines: list[ir.Statement]
) -> list[ir.Statement]:
    """The lines that read nothing which isn't bound, nor what follows from that."""
    unbound = set(unbound)
    kept = []
    for line in lines:
        if unbound & ir.names_read_within(line):
            unbound |= ir.names_written_within(line)
        else:
            kept.append(line)
    return kept


def _hold_in_variables(spec: Specialiser, name: str) -> None:
    """A parameter known by value that a loop changes needs a variable to change."""
    value = spec.frame.names[name]
    if isinstance(value, core.Leaf) and isinstance(value.operand, ir.Const):
        if isinstance(value.kind, ir.Known) and value.kind.value is not None:
            return
        spec.bind(name, value)


@core.verb
def unchanged_bounds(
    spec: Specialiser, operands: list[core.Value], blocks: Any
) -> list[ir.Operand]:
    """Loop bounds as operands that the body doesn't change."""
    written = ir.names_written_in(blocks)
    result = []
    for value in operands:
        operand = core.operand_of(value)
        if isinstance(operand, ir.Var) and operand.name in written:
            target = spec.fresh(operand.name)
            spec.emit(ir.Assign(spec.span, target, operand, core.kind_of(value)))
            operand = target
        result.append(operand)
    return result
