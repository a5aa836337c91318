"""Iterations of values: what one runs over (``core/iterations.py``), and its loop.

Iterators are values too (``Lazy``): they say what they run over when they are consumed,
and they are consumed once.
"""

import ast
import operator
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.calls.foreign import unknown_value
from s2sad.frontend.specialise.containers import run_time_sets
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.heap import cells, flat_places, places
from s2sad.frontend.specialise.iteration import (
    eager_iteration,
    running_over,
    running_over_choices,
    unrolling,
)
from s2sad.frontend.specialise.library_calls import constant_calls
from s2sad.frontend.specialise.optionals import (
    optional_keys,
    optionals,
    values_as_references,
)
from s2sad.frontend.specialise.run_time import queries, reading


def iteration_of(
    spec: Specialiser, node: ast.expr, assigned: set[str]
) -> core.Iteration:
    """What an expression runs over, with the values that names have now, also where a
    loop assigns the names in ``assigned`` anew."""
    value = spec.held(spec.evaluate(node), assigned)
    with spec.at(node):
        return iterate(spec, value)


@core.verb
def iterate(spec: Specialiser, value: core.Value, live: bool = False) -> core.Iteration:
    """What a value runs over; an iterator is consumed. ``live``: its items stand in a
    list or dict that the loop may change, and sees."""
    value = optionals.present(spec, value)
    eager_iteration.note_arrays(spec, value)
    value = spec.own_iterator(value) or value
    if core.is_attributes(value):
        view: Any = spec.call_method(core.Method(value, "keys"), (), {})
        return view if isinstance(view, core.Aggregate) else iterate(spec, view)
    now: Callable[[], core.Value] = lambda: value  # noqa: E731
    if core.is_container(value):
        live = True
        content = spec.unfollowed(value, spec.content_of(value))
        if optional_keys.is_partly(content):
            return optional_keys.run_over(spec, value, "keys")
        use = running_over.use_of(spec, value)
        if use in spec.facts.by_index:
            return running_over.by_index(
                spec,
                value,
                lambda held: spec.call_function(len, (held,), {}),
                lambda held, index: spec.item_at(held, index),
            )
        running_over.watch(spec, value, content, use)
        if places.holds_places(spec, content) and not _is_dict(value):
            return _places_of(spec, value, content)
        now = running_over.held_now(spec, value, content)
        value = content
    if cells.is_choice_of_dicts(value):
        return running_over_choices.entries_of_choice(spec, value, "keys")
    if cells.is_choice_of_containers(value):
        return running_over_choices.items_of_choice(spec, value)
    items = core.items_of(value)
    if items is not None:
        constructor = getattr(value, "constructor", tuple)
        found = core.aggregate_of(items, list if constructor is list else tuple)
        return found if live else running_over.as_taken(spec, found)
    if isinstance(value, core.Part):
        return iterate(spec, spec.settled(value))
    if isinstance(value, core.Lazy):
        begin(spec, value)
        steps = range(unrolling.LONGEST_UNROLLED)
        taken = sum((value.token, k) in spec.consumed for k in steps)
        return behind(spec, value.start(spec, value.sources), taken)
    if run_time_sets.is_of_the_run(value):
        return _members_of(spec, value)
    if isinstance(value, core.Aggregate) and core.is_rows(value):
        return rows_of(spec, value, now)
    if isinstance(value, core.Leaf) and isinstance(value.kind, ir.List):
        if value.kind.item is None:  # nothing was ever put into it
            return core.aggregate_of((), value.kind.constructor)
    if isinstance(value, core.Leaf) and isinstance(value.kind, ir.Array | ir.List):
        if ir.rank_of(value.kind) != 0:

            def element(index: core.Value) -> core.Value:
                operands = (now(), index)
                item = spec.apply(operator.getitem, operands, hint="item")
                return places.frozen(spec, item)

            return core.Elements(length_of(spec, value), element)

    if queries.is_reference(value):
        return reading.run_over(spec, value)
    elements = flat_places.flat_elements(spec, value)
    if elements is None:
        elements = constant_calls.constant_items(spec, value)
    if elements is not None:
        return elements
    advice = values_as_references.ITERABLE
    if spec.options.static and core.kind_of(value) == ir.UNKNOWN:
        advice = (
            "annotate what it is, as in list[float], or list[Spring] for a class whose "
            "attributes are annotated"
        )
    problem = core.Unsupported(f"a loop over a value {core.describe(value)}", advice)
    values_as_references.raise_for_number(spec, value, problem)
    raise unknown_value(spec, value, problem)


def begin(spec: Specialiser, value: core.Lazy) -> None:
    """An iterator runs; refuse one that has run before."""
    if value.token is None:
        return
    if value.token in spec.consumed:
        spec.make_iterator_object(value)
        raise core.Unsupported(
            f"this {value.what} has run before, and gives nothing any more",
            "make a list of it first, or make it anew",
        )
    if value.token.serial < spec.repeated_since:
        spec.make_iterator_object(value)
        raise core.Unsupported(
            f"this {value.what} was made before the loop or recursion that takes items "
            "of it: how many are left isn't known",
            "run over it in one loop, or read the items by their index",
        )
    spec.consumed = spec.consumed | {value.token}


def behind(spec: Specialiser, items: core.Iteration, taken: int) -> core.Iteration:
    """The items behind those that ``next`` has taken."""
    if not taken or isinstance(items, core.Stream):
        return items
    if isinstance(items, core.Aggregate):
        return core.aggregate_of(items.items[taken:], items.constructor)

    def element(index: core.Leaf) -> core.Value:
        place: Any = spec.operate(operator.add, (index, core.constant(taken)))
        return items.element(place)

    if isinstance(items, core.Endless):
        return core.Endless(element)
    left = spec.operate(operator.sub, (items.length, core.constant(taken)))
    if not core.is_known(left):
        left = spec.apply(max, (left, core.constant(0)), hint="count")
    elif core.known_value(left) < 0:
        left = core.constant(0)
    return core.Elements(left, element)


def begun_anywhere(
    spec: Specialiser,
    sources: Sequence[core.Value],
    plain: Callable[[], core.Value],
    as_object: Callable[[], core.Value],
) -> core.Value:
    """An iterator over values that have their items at places: an object, where only
    the run knows how many items were taken of it."""
    if spec.derived or not sources or not all(map(has_places, sources)):
        return plain()
    return object_where_begun(spec, plain, as_object)


def object_where_begun(
    spec: Specialiser,
    plain: Callable[[], core.Value],
    as_object: Callable[[], core.Value],
) -> core.Value:
    """The same of what can always be an object."""
    site = spec.frame.source.span_of(spec.place)
    if site in spec.facts.iterators:
        return as_object()
    lazy = plain()
    return replace(lazy, site=site) if isinstance(lazy, core.Lazy) else lazy


def has_places(value: core.Value) -> bool:
    """True for lists, tuples, arrays and ranges."""
    if isinstance(value, core.Cell | core.Aggregate):
        return value.constructor in (list, tuple)
    if isinstance(value, core.Leaf):
        kind = value.kind
        if isinstance(kind, ir.Reference):
            return all(form.constructor in (list, tuple) for form in kind.forms)
        return isinstance(kind, ir.List | ir.Array)
    return isinstance(value, core.Lazy) and value.what == "range"


def _places_of(
    spec: Specialiser, cell: core.Cell, content: core.Value
) -> core.Elements:
    """The items of a list of unknown length, which may change by themselves."""
    return core.Elements(
        length_of(spec, next(core.leaves(content))),
        lambda index: spec.item_at(cell, index),
    )


def _is_dict(value: core.Value) -> bool:
    return isinstance(value, core.Cell) and issubclass(value.constructor, dict | set)


def rows_of(
    spec: Specialiser, rows: core.Aggregate, now: Callable[[], core.Value] | None = None
) -> core.Elements:
    """The structures of a list kept as parallel lists; ``now()`` is what it holds when
    an item is read."""
    first = next(core.leaves(rows.items[0]))

    def element(index: core.Leaf) -> core.Value:
        held = rows if now is None else now()
        assert isinstance(held, core.Aggregate)
        item = core.map_with_paths(
            held.items[0],
            lambda leaf, path: spec.apply(
                operator.getitem,
                (leaf, index),
                hint="_".join(("item", *map(str, path[-1:]))),
            ),
        )
        return places.frozen(spec, item)

    return core.Elements(length_of(spec, first), element)


def _members_of(spec: Specialiser, value: core.Leaf) -> core.Iteration:
    """The members of a set that the run holds. One that grows or shrinks meanwhile
    raises when the next is asked for."""
    listed = run_time_sets.listed(spec, value)
    items: Any = iterate(spec, listed)
    use = spec.frame.source.span_of(spec.place), "members"
    may_change = use in spec.facts.by_index
    if spec.facts.sets_change and not may_change:
        running_over.watch_members(spec, value, use)
    count = length_of(spec, listed) if may_change else None

    def refuse() -> None:
        spec.raise_now(RuntimeError, "Set changed size during iteration")

    def reached(item: core.Value) -> core.Value:
        if count is not None:
            now = run_time_sets.number_of(spec, value)
            differs = spec.operate(operator.ne, (now, count))
            spec.choose(differs, refuse, lambda: None)
        return run_time_sets.as_member(spec, item)

    return spec.mapped(items, reached)


def range_as_data(spec: Specialiser, numbers: core.Lazy) -> core.Value:
    """A ``range`` as Python's own."""
    start, stop, step = map(core.operand_of, numbers.sources)
    bounds: tuple[Any, ...] = (start, stop, step)
    if step == ir.Const(1):
        bounds = (stop,) if start == ir.Const(0) else (start, stop)
    return spec.define(ir.Apply(range, bounds), ir.OPAQUE, "numbers")


def length_of(spec: Specialiser, value: core.Value) -> core.Value:
    """``len(value)`` of an array or list."""
    return spec.apply(len, (value,), hint="count")


@core.verb
def known_items(spec: Specialiser, items: core.Iteration) -> core.Aggregate | None:
    """The items, where there is a known number of them."""
    if isinstance(items, core.Aggregate):
        return items
    if isinstance(items, core.Stream | core.Endless):
        return None
    if core.is_known(items.length):
        count = core.known_value(items.length)
        if count <= unrolling.LONGEST_UNROLLED:
            return core.aggregate_of(
                tuple(items.element(core.constant(k)) for k in range(count)), list
            )
    return None


# ------------------------------------------------------------------ running


@contextmanager
def binding(spec: Specialiser, frame: core.Frame, names: set[str]) -> Iterator[None]:
    """While code of other activations runs, it may bind these names of ``frame``."""
    before = frame.written_by_others
    frame.written_by_others = before | names
    known = any(f is frame for f in spec.shared_frames)
    if not known:
        spec.shared_frames.append(frame)
    spec.consumers.append((frame, before, known))
    try:
        yield
    finally:
        spec.consumers.pop()
        frame.written_by_others = before
        if not known:
            spec.shared_frames = [f for f in spec.shared_frames if f is not frame]


@contextmanager
def without_consumers(spec: Specialiser) -> Iterator[None]:
    """While code runs in which no consumer's code does."""
    shared, consumers = spec.shared_frames, spec.consumers
    written = [frame.written_by_others for frame, _, _ in consumers]
    alone = {id(frame) for frame, _, known in consumers if not known}
    for frame, before, _ in reversed(consumers):
        frame.written_by_others = before
    spec.shared_frames = [frame for frame in shared if id(frame) not in alone]
    spec.consumers = []
    try:
        yield
    finally:
        spec.shared_frames, spec.consumers = shared, consumers
        for (frame, _, _), names in zip(consumers, written, strict=True):
            frame.written_by_others = names


def drive(
    spec: Specialiser,
    items: core.Iteration,
    body: core.Body,
    names: set[str],
    *,
    hint: str = "item",
    leave: core.Exit | None = None,
    known: bool = False,
) -> None:
    """Run ``body`` for each item. ``names`` are those of the current activation that
    ``body`` binds, hidden ones included."""
    if known:
        items = known_items(spec, items) or items
    if isinstance(items, core.Aggregate):
        known_one_by_one = items

        def one_by_one() -> None:
            spec.shared(known_one_by_one.items)
            for item in known_one_by_one.items:

                def run_one(item: core.Value = item) -> None:
                    body(running_over.as_it_is_now(spec, item))

                unless_left(spec, leave, run_one)

        if known:
            if unrolling.is_long(spec, items):
                raise core.NotKnown
            return one_by_one()

        def loop(elements: core.Elements) -> None:
            drive(spec, elements, body, names, hint=hint, leave=leave)

        unrolling.run_over(spec, items, loop, one_by_one)
    elif isinstance(items, core.Elements):
        if isinstance(items, core.Endless):
            if leave is None:
                raise core.Unsupported(
                    "a loop over an iterator without end",
                    "zip it with something that ends, or leave the loop",
                )
            stream = spec.numbered_without_end(items)
            return drive(spec, stream, body, names, leave=leave, known=known)
        if known:
            raise core.NotKnown
        # A loop before this one may have been left.
        loop = partial(_counted, spec, items, body, names, hint, leave)
        unless_left(spec, leave, loop)
    else:
        consumer, place = spec.frame, spec.place

        def in_consumer(item: core.Value) -> None:
            with spec.inside(consumer), spec.at(place):
                body(item)

        with binding(spec, consumer, names):
            run = partial(items.run, in_consumer, leave, known)
            unless_left(spec, leave, run)


@core.verb
def unless_left(
    spec: Specialiser, leave: core.Exit | None, run: Callable[[], None]
) -> None:
    """Run an iteration that is written out, unless the consumer has left."""
    if spec.unreachable:
        return
    if leave is None:
        return run()
    spec.choose(leave.value(), lambda: None, run)


def _counted(
    spec: Specialiser,
    items: core.Elements,
    body: core.Body,
    names: set[str],
    hint: str,
    leave: core.Exit | None,
) -> None:

    hint = items.hint or hint
    index = spec.fresh(hint if items.numbers else f"{hint}_index")
    numbers = items.counted

    def run_once(finish: Callable[[], None]) -> Any:
        if leave is not None:
            leave.is_false(spec)
        with spec.new_block() as block:
            body(items.of_number(core.Leaf(index, ir.INT)))
            finish()
        return tuple(block)

    blocks, kinds = spec.to_fixed_point(names, run_once)
    start, stop, step = spec.unchanged_bounds(numbers.bounds, blocks)
    flag = None
    if leave is not None:
        written = {v for s in ir.walk(blocks) for v in ir.direct_writes(s)}
        variable = leave.variable(spec)
        flag = variable if variable in written else None
    spec.emit(
        ir.For(
            *(spec.span, index, start, stop, step, blocks),
            backwards=numbers.backwards,
            until=flag,
            head_kinds=kinds,
        )
    )


def range_of(spec: Specialiser, bounds: tuple[core.Value, ...]) -> core.Elements:
    """``range(start, stop, step)``."""
    start, stop, step = bounds
    numbers = core.Numbers(start, stop, step)
    if all(core.is_known(b) for b in bounds):
        known = [core.known_value(b) for b in bounds]
        count = spec.outcome(lambda: len(range(*known)))
        length: core.Value = core.constant(count)
    elif start == core.constant(0) and step == core.constant(1):
        length = stop
    elif step == core.constant(1):
        length = spec.operate(operator.sub, (stop, start))
    else:
        length = spec.apply(ops.count_of_range, bounds, hint="count")
    return core.Elements(
        length, lambda index: numbers.element(spec, index), numbers, lambda n: n
    )
