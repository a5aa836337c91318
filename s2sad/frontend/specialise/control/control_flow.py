"""Branches over kinds: run both and join what they bind."""

import ast
import copy
import operator
from collections.abc import Callable, Hashable

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.containers import list_meetings
from s2sad.frontend.specialise.control import joining, unjumped_paths
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.heap import cell_joins, place_meetings
from s2sad.frontend.specialise.library_calls.truth import static_truth
from s2sad.frontend.specialise.optionals import narrowing
from s2sad.frontend.specialise.run_time import queries


@core.verb
def choose(
    spec: Specialiser,
    test: core.Value,
    body: Callable[[], None],
    orelse: Callable[[], None],
) -> None:
    """Run ``body`` or ``orelse``: the one that is known to be taken, or both under an
    If."""
    truth = static_truth(test)
    if truth is not None:
        (body if truth else orelse)()
        return
    if isinstance(test, core.Choice):
        test = truth_of_choice(spec, test)
    if not isinstance(test, core.Leaf) or queries.is_reference(test):
        own = spec.truth_of(test)
        if own is not None:
            return choose(spec, own, body, orelse)
    if not isinstance(test, core.Leaf):
        raise core.Unsupported(
            f"a test on {core.describe(test)}", "compare it with a value"
        )
    if test.kind == ir.BOOL and spec.may_ask(test):
        return (body if spec.ask(test) else orelse)()
    if isinstance(test.kind, ir.Known):
        raise core.Unsupported(
            f"a test on {core.describe(test)}", "compare it with a value"
        )
    frames = spec.frames_at_stake()
    before = [frame.names for frame in frames]
    outcomes = []
    for taken, branch, present in zip(
        (True, False), (body, orelse), narrowing.presence_of(spec, test), strict=True
    ):
        spec.start_path(frames, before)
        narrowing.narrow(frames, present)
        narrowing.tell_flag(frames, test, taken)
        if not taken:
            unjumped_paths.tell_unjumped(frames, test.operand)
        with spec.new_block() as block:
            branch()
        names = [frame.names for frame in frames]
        outcomes.append((block, names, spec.unreachable))
    (body_a, names_a, left_a), (body_b, names_b, left_b) = outcomes
    if not left_a and not left_b:
        meet(spec, frames, [(body_a, names_a), (body_b, names_b)])
    block_a, block_b = tuple(body_a), tuple(body_b)
    operand = test.operand
    written = ir.names_written_in(block_a + block_b)
    # what may be kept is the truth, not the list; asking an array for it may raise
    if isinstance(test.kind, ir.List | ir.Array):
        truth_of_list = spec.apply(bool, (test,), hint="condition")
        operand = core.operand_of(truth_of_list)
    elif isinstance(operand, ir.Var) and operand.name in written:
        operand = spec.assign(spec.fresh("condition"), operand, test.kind).operand
    if left_a and not left_b:  # what follows a raise needs no branch of its own
        spec.emit(ir.If(spec.span, operand, block_a, ()))
        spec.block += block_b
    elif left_b and not left_a:
        spec.emit(ir.If(spec.span, operand, (), block_b))
        spec.block += block_a
    elif block_a or block_b:
        spec.emit(ir.If(spec.span, operand, block_a, block_b))

    owner = spec.fresh_owner("if")
    ends = [names for names, left in ((names_a, left_a), (names_b, left_b)) if not left]
    spec.unreachable = not ends
    for k, frame in enumerate(frames):
        if len(ends) == 2 and hold_the_same(names_a[k], names_b[k]):
            frame.names = dict(names_a[k])
        elif len(ends) == 2:
            met = join_names(spec, frame, names_a[k], names_b[k], owner)
            frame.names = list_meetings.explained(spec, frame, met)
            forget_late(frame, names_a[k], names_b[k])
        else:
            frame.names = (ends[0] if ends else names_a)[k]
    if len(ends) == 2:
        unjumped_paths.note_unjumped(
            frames, [frame.names for frame in frames], ends, owner
        )


def hold_the_same(a: dict[str, core.Value], b: dict[str, core.Value]) -> bool:
    """True where names hold the very same values on two paths, as those of most
    activations do."""
    return a.keys() == b.keys() and all(map(operator.is_, a.values(), b.values()))


def forget_late(frame: core.Frame, *paths: dict[str, core.Value]) -> None:
    """An attribute that an object has on one path alone can't be read, or asked for,
    any more."""
    if not isinstance(frame, core.CellFrame):
        return
    for names in paths:
        if core.LOST in names:
            frame.names = dict(names)
            return
    for name in set(frame.names) - set(paths[0]).intersection(*paths[1:]):
        frame.names[name] = core.Missing(
            f"the attribute {name!r} is there on one path only",
            "give the object the attribute when it is made",
        )


Names = list[dict[str, core.Value]]
"""What the names of each activation at stake hold."""


def meet(
    spec: Specialiser,
    frames: list[core.Frame],
    ends: list[tuple[list[ir.Statement], Names]],
) -> None:
    """Let what paths leave be in the same variables, by lines at the end of each."""
    lengths = [len(block) for block, _ in ends]
    cell_joins.meet_cells(spec, frames, ends)
    place_meetings.meet_places(spec, frames, ends)
    meet_lists(spec, frames, ends)
    for (block, _), length in zip(ends, lengths, strict=True):
        spec.phi_copies += block[length:]


def add_phi_copies(spec: Specialiser, lines: list[ir.Statement]) -> None:
    """Put lines in front of a loop or a try that bring what names hold there into the
    variables that the body uses too. As where paths meet, a name may have come there on
    some paths alone."""
    spec.block += lines
    spec.phi_copies += lines


def meet_lists(
    spec: Specialiser,
    frames: list[core.Frame],
    ends: list[tuple[list[ir.Statement], Names]],
) -> None:
    """Lists and tuples of which the length differs between paths become, at the end of
    each path's block, such as have a length known only when the program runs."""
    states = [list(names) for _, names in ends]
    differing = []
    for k in range(len(frames)):
        held = [names[k] for names in states]
        if all(hold_the_same(held[0], other) for other in held[1:]):
            continue
        for name in sorted(set(held[0]).intersection(*held[1:])):
            first, *rest = (names[name] for names in held)
            if any(
                other is not first and list_meetings.meet_as_lists(first, other)
                for other in rest
            ):
                differing.append((k, name))
    if not differing:
        return
    known = list_meetings.samples(spec, frames, states, differing)
    outer = spec.block
    for block, names in ends:
        spec.start_path(frames, names)
        spec.block = block
        for k, name in differing:
            for sample in known:
                value = frames[k].names.get(name)  # None where it was lost meanwhile
                if value is not None and list_meetings.meet_as_lists(
                    value, sample[k, name]
                ):
                    with spec.inside(frames[k]):
                        list_meetings.bind_as_list(spec, name, sample[k, name])
        names[:] = [frame.names for frame in frames]
    spec.block = outer


@core.verb
def truth_of_choice(
    spec: Specialiser, choice: core.Choice, op: ast.cmpop | None = None
) -> core.Value:
    """Whether one of several functions, or None, is one; ``op`` is ``Is()`` for the
    negation."""
    others = [option for tag, option in choice.options if tag is not None]
    if not choice.complete or not all(map(static_truth, others)):
        raise core.Unsupported(
            f"a test on {core.describe(choice)}", "compare it with None"
        )
    return narrowing.choice_is_none(spec, choice, op or ast.IsNot())


def join_names(
    spec: Specialiser,
    frame: core.Frame,
    a: dict[str, core.Value],
    b: dict[str, core.Value],
    owner: Hashable,
) -> dict[str, core.Value]:
    """Names after two paths meet; what one of them doesn't bind is taken to be bound by
    the other, or by an earlier iteration: where such a name is read, the loop is run
    again with what its iterations leave in it."""
    names = {}
    half_bound = spec.half_bound
    for name in {**a, **b}:
        if core.is_slot_name(name):
            if name in a and name in b and a[name].operand == b[name].operand:  # type: ignore[union-attr]
                names[name] = joining.join_values(name, a[name], b[name], owner)
            continue
        if name in a and name in b and a[name] is b[name]:
            names[name] = a[name]
        elif name in a and name in b:
            names[name] = joining.join_values(name, a[name], b[name], (owner, name))
        else:
            names[name] = a.get(name) or b[name]
            spec.half_named.add((frame, name))
            if (frame, name) not in spec.bound_later:
                continue
            names[name] = copy.copy(names[name])
        if half_bound or name not in a or name not in b:
            half = name not in a or name not in b
            if half or id(a[name]) in half_bound or id(b[name]) in half_bound:
                half_bound[id(names[name])] = names[name]
    return names
