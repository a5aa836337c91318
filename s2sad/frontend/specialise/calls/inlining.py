"""Bodies of user functions in place of their calls, each in its own activation."""

import ast
from contextlib import suppress
from typing import Any

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.calls import parameters
from s2sad.frontend.specialise.closures import closures
from s2sad.frontend.specialise.control import generators, trials
from s2sad.frontend.specialise.core.bindings import function_key
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser, Words
from s2sad.frontend.specialise.core.work import DEEPEST_CALL, Call
from s2sad.frontend.specialise.heap.chosen_cells import for_the_one, is_choice_of_cells
from s2sad.frontend.specialise.iteration.begun_early import begun_early
from s2sad.frontend.specialise.iterators import gathering
from s2sad.frontend.specialise.recursion import forms, kept_calls, recursion
from s2sad.frontend.specialise.recursion.under_way import RecursionFound, note_recursion
from s2sad.frontend.specialise.shaping.custom_calls import call_of_whole
from s2sad.source.normalise import normalised
from s2sad.source.text import scopes
from s2sad.source.text.source_function import SourceFunction

Bound = dict[str, core.Value]
PRELUDE = "s2sad.frontend.library."


@core.verb
def inline(
    spec: Specialiser,
    source: SourceFunction,
    args: Args,
    keywords: Words,
    closure: core.Closure | None = None,
) -> core.Value:
    """The body of a user function in place of its call."""
    defaults = None if closure is None else dict(closure.defaults)
    closures.check_is_called(source)
    bound = parameters.bind_parameters(spec, source, args, keywords, defaults)
    parent = None if closure is None else closure.frame
    if generators.is_generator(source):
        if source.identity in spec.facts.gathered:
            made: core.Lazy = gathering.gathered(spec, source, bound, parent)
        else:
            made = generators.generator(spec, source, bound, parent)
        return begun_early(spec, made)
    body = normalised(source)

    def called(kept: bool = False, bound: Bound = bound) -> core.Value:
        several = _one_of_several(bound) if kept else None
        if several is not None:
            name, choice = several
            return for_the_one(
                spec, choice, lambda one: called(kept, {**bound, name: one})
            )
        handed = {name: _handed_on(spec, value) for name, value in bound.items()}

        def activation() -> core.Frame:
            return activation_of(spec, source, parent, handed)

        with spec.work.within(spec.frame.source, spec.place, source):
            return recursion.call_procedure(
                spec, source, handed, parent, activation, body, kept
            )

    if source.identity in spec.procedures.recursive and not spec.derived:
        return called()
    if not spec.derived:
        kept_calls.note_site(spec, source)
    if not spec.derived and kept_calls.stays_call(spec, source):
        _note_call_of_whole(spec, source, parent, bound)
        mark, outside = mark_of(spec), dict(spec.procedures.changed_outside)
        try:
            return called(kept=True)
        except (
            core.Unsupported,
            recursion.WrittenOut,
            recursion.WrittenOutHere,
        ) as reason:
            if any(p.details.kept for p in recursion.versions_under_way(spec, source)):
                raise  # all of its calls are written out, or none
            if not isinstance(reason, recursion.WrittenOutHere):
                spec.procedures.written_out.add(source.identity)
            spec.procedures.changed_outside = outside
            back_to(spec, mark)
    frame = _activation(spec, source, parent, bound)
    if not spec.derived:
        note_recursion(spec, frame, bound)
    if len(spec.trail) > DEEPEST_CALL:
        raise core.Unsupported("calls are nested too deeply", "write a loop")
    outer, place = spec.frame, spec.place
    mark, known_problems = mark_of(spec), len(spec.problems)
    follows = spec.reads_forgotten(place)
    spec.trail.append(Call(outer.source.name, outer.source, place))
    spec.frame = frame
    spec.active.append(frame)
    spec.note_shared(frame, body)
    if not spec.derived:
        spec.reserved_names |= frame.local_names
    try:
        spec.shared(bound.values())
        for name, value in bound.items():
            if spec.derived or _is_setting(source, frame, name, value):
                spec.frame.names[name] = value
            else:
                spec.bind(name, value)
            if follows:
                spec.forgotten.add((frame, name))
        with spec.work.within(outer.source, place, source):
            spec.run(body)
        if spec.unreachable:
            raise core.NothingFollows
        result = _detached(spec, spec.frame.result)
    except RecursionFound as found:
        if found.frame is not frame:
            raise
        spec.procedures.recursive.add(source.identity)
        again = True
    else:
        again = False
    finally:
        spec.frame = outer
        spec.active.pop()
        spec.trail.pop()
    if again:
        back_to(spec, mark)
        return called()
    if not spec.derived:
        kept_calls.note_size(spec, source, spec.block[len(mark[2]) :])
    if len(spec.problems) > known_problems and _is_unknown(result):
        raise core.Unsupported("what a call returns isn't known")  # it had the problem
    return core.constant(None) if result is None else result


def _is_unknown(value: core.Value | None) -> bool:
    return value is not None and core.kind_of(value) == ir.UNKNOWN


def _is_setting(
    source: SourceFunction, frame: core.Frame, name: str, value: core.Value
) -> bool:
    """True for a literal, or a display of such, that a text of the prelude is called
    with (``axis=0``): no reader asks for a name of it."""
    if name in frame.rebound or not source.module.startswith(PRELUDE):
        return False
    display = isinstance(value, core.Aggregate) and value.constructor in (list, tuple)
    if not display and not isinstance(value, core.Leaf):
        return False
    return all(isinstance(leaf.operand, ir.Const) for leaf in core.leaves(value))


def run_whole(spec: Specialiser, source: SourceFunction, body: list[ast.stmt]) -> None:
    """Run the body of the whole function; as a call of a procedure if it calls
    itself."""
    try:
        closures.check_is_called(source)
    except core.Unsupported as problem:
        return spec.report(problem, source.node)
    bound = dict(spec.frame.names)
    mark = mark_of(spec)
    whole = spec.frame
    with suppress(core.Unsupported):
        whole.form = forms.form_of(bound)
        spec.procedures.whole = whole
    custom = source.custom or getattr(source.function, "__s2sad_custom__", None)
    if custom is not None:
        return _run_custom(spec, custom, source)
    try:
        spec.run(body)
        kept_calls.note_size(spec, source, spec.block)
        return kept_calls.note_end(spec)
    except RecursionFound:
        pass
    spec.procedures.recursive.add(source.identity)
    spec.frame = whole
    back_to(spec, mark)

    def activation() -> core.Frame:
        return activation_of(spec, source, None, bound)

    try:
        spec.frame.result = recursion.call_procedure(
            spec, source, bound, None, activation, body
        )
    except core.Unsupported as problem:
        spec.report(problem, source.node)
    except core.NothingFollows:
        pass


def _run_custom(spec: Specialiser, custom: Any, source: SourceFunction) -> None:
    """The whole function is one with a derivative of the user's."""
    try:
        spec.frame.result = call_of_whole(spec, custom)
    except core.Unsupported as problem:
        spec.report(problem, source.node)
    except core.NothingFollows:
        pass


def mark_of(spec: Specialiser) -> tuple[Any, ...]:
    """Where the program stands, to start again from there."""
    frames = spec.frames_at_stake()
    names = [dict(frame.names) for frame in frames]
    return frames, names, list(spec.block), len(spec.problems), spec.consumed


def back_to(spec: Specialiser, mark: tuple[Any, ...]) -> None:
    frames, names, block, problems, spec.consumed = mark
    spec.start_path(frames, names)
    spec.block[:] = block
    del spec.problems[problems:]


@core.verb
def activation_of(
    spec: Specialiser, source: SourceFunction, parent: Any, bound: dict[str, core.Value]
) -> core.Frame:
    """The activation of a function that is a program of its own."""
    own = _activation(spec, source, parent, bound)
    own.prefix, own.key = "", spec.fresh_owner(source)
    return own


def _note_code(spec: Specialiser, source: SourceFunction) -> None:
    """Let dispatch check that a function of the user's still runs the same code."""
    function = source.function
    if function is not None and not source.module.startswith("s2sad."):
        spec.read_attribute(function, "__code__", function.__code__)


def _activation(
    spec: Specialiser, source: SourceFunction, parent: Any, bound: dict[str, core.Value]
) -> core.Frame:
    """A new activation. Its variables are its own where closures may read them later,
    and where another of the same function is under way."""
    _note_code(spec, source)
    body = normalised(source)
    names = scopes.assigned_names(body) | set(bound)
    frame = core.Frame(
        source,
        prefix=_prefix(spec, source, names),
        local_names=frozenset(names),
        parent=parent,
        rebound=scopes.rebound_names(body, bound),
        global_names=scopes.declared_global(body),
        called_with=tuple(
            function_key(value) for value in bound.values() if core.is_function(value)
        ),
    )
    callers = [spec.frame.source, *(call.source for call in spec.trail)]
    under_way = any(s.node is source.node for s in callers)
    if not spec.derived and (under_way or scopes.makes_functions(body)):
        frame.key = spec.fresh_owner(source)
    return frame


def _note_call_of_whole(
    spec: Specialiser, source: SourceFunction, parent: Any, bound: dict[str, core.Value]
) -> None:
    """Find out whether a call that would be kept is one of the function that is
    compiled: both are one procedure then."""
    whole = spec.procedures.whole
    if whole is None or whole.source.identity != source.identity:
        return
    with suppress(core.Unsupported):
        if whole.parent is parent and whole.form == forms.form_of(bound):
            raise RecursionFound(whole)


def _one_of_several(bound: Bound) -> tuple[str, core.Choice] | None:
    """The first argument that is one of several lists, dicts or objects."""
    for name, value in bound.items():
        if is_choice_of_cells(value) and value.complete:
            return name, value
    return None


def _handed_on(spec: Specialiser, value: core.Value) -> core.Value:
    """What is handed to a procedure: a part of a tuple as a list of its items, where
    these are alike."""
    if not isinstance(value, core.Part):
        return value
    part = value
    try:
        return trials.attempt(spec, lambda: spec.settled(part))
    except core.Unsupported:
        return part


def _detached(spec: Specialiser, result: core.Value | None) -> core.Value | None:
    """A result in variables that the next call of the same function doesn't
    overwrite."""

    def detach(leaf: core.Leaf, path: tuple) -> core.Leaf:
        operand = leaf.operand
        if not isinstance(operand, ir.Var) or operand.name not in own:
            return leaf
        spec.assign(target := spec.fresh(operand.name.strip(".")), operand, leaf.kind)
        return core.Leaf(target, leaf.kind, leaf.path)

    if result is None:
        return result
    own = {
        leaf.operand.name
        for value in spec.frame.names.values()
        for leaf in core.leaves(value)
        if isinstance(leaf.operand, ir.Var)
        and (not spec.derived or leaf.operand.name.startswith(spec.frame.prefix))
    }
    return spec.copied(result, detach)


def _prefix(spec: Specialiser, source: SourceFunction, names: set[str]) -> str:
    """Inlined variables keep their names unless the caller has the same; those of rules
    are new in each call."""
    if spec.derived:
        return spec.fresh_prefix(source.name)
    taken = spec.user_names | spec.reserved_names | spec.names_of_parameters()
    return f"{_plain(source)}_" if names & taken else ""


def _plain(source: SourceFunction) -> str:
    """The name of a function as part of a variable's; the class's for ``__init__`` and
    the like."""
    name = source.name.strip("<>")
    if name.startswith("__") and name.endswith("__"):
        *_, owner, _ = ("", *source.qualname.split("."))
        return owner.strip("<>").lower() or name.strip("_")
    return name
