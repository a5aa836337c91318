"""The functions of itertools, see
:mod:`s2sad.frontend.specialise.iterators.iterators`."""

import ast
import itertools
import operator
from typing import Any

from s2sad import ir, rules
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.calls.builtin_calls import BUILTIN_CALLS
from s2sad.frontend.specialise.control.trials import attempt
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.iteration import endless, pools, running_over, unrolling
from s2sad.frontend.specialise.iteration.iteration import drive, range_of
from s2sad.frontend.specialise.iterators import iterators, kept_sources
from s2sad.frontend.specialise.library_calls.truth import static_truth


@iterators.iterator(itertools.filterfalse)
def _filterfalse(
    spec: Specialiser, function: core.Value, iterable: core.Value
) -> core.Iteration:
    items = spec.iterate(iterable)

    def test(item: core.Value) -> core.Value:
        found = spec.call_value(function, (item,), {})
        truth = static_truth(found)
        if truth is not None:
            return core.constant(not truth)
        return spec.operate(operator.not_, (found,))

    return iterators.filtered(spec, items, test)


@iterators.iterator(itertools.chain)
def _chain(spec: Specialiser, *iterables: core.Value) -> core.Iteration:
    parts = [spec.iterate(value) for value in iterables]
    if all(isinstance(p, core.Aggregate) for p in parts):
        return core.aggregate_of(tuple(i for p in parts for i in p.items))  # type: ignore[union-attr]

    def run(body: core.Body, leave: core.Exit | None, known: bool) -> None:
        for part in parts:
            drive(spec, part, body, set(), leave=leave, known=known)

    return core.Stream(run)


@iterators.iterator(itertools.chain.from_iterable)
def _chain_from(spec: Specialiser, iterables: core.Value) -> core.Iteration:
    outer = spec.iterate(iterables)

    def run(body: core.Body, leave: core.Exit | None, known: bool) -> None:
        def each(item: core.Value) -> None:
            inner = spec.iterate(item)
            drive(spec, inner, body, set(), leave=leave, known=known)

        drive(spec, outer, each, set(), leave=leave, known=known)

    return core.Stream(run)


@iterators.iterator(itertools.pairwise)
def _pairwise(spec: Specialiser, iterable: core.Value) -> core.Iteration:
    kept = kept_sources.kept_one_ahead(spec, iterable, "pairwise")
    frames = list(kept_sources.frames_in(kept))
    if frames:
        return _pairs_of_containers(spec, kept, frames)
    if kept_sources.reads_stored(spec, kept):  # each item is read once

        def run(body: core.Body, leave: core.Exit | None, known: bool) -> None:
            items = spec.iterate(kept)
            drive(spec, items, body, set(), leave=leave, known=known)

        return _pairs_of_stream(spec, core.Stream(run))
    return _pairs(spec, spec.iterate(kept))


def _pairs(spec: Specialiser, items: core.Iteration) -> core.Iteration:
    if isinstance(items, core.Aggregate):
        pairs = itertools.pairwise(items.items)
        return core.aggregate_of(tuple(core.aggregate_of(pair) for pair in pairs))
    if isinstance(items, core.Stream):
        return _pairs_of_stream(spec, items)

    def element(index: core.Leaf) -> core.Value:
        after = spec.operate(operator.add, (index, core.constant(1)))
        return core.aggregate_of((items.element(index), items.element(after)))  # type: ignore[arg-type]

    if isinstance(items, core.Endless):
        return core.Endless(element)
    length = spec.operate(operator.sub, (items.length, core.constant(1)))
    return core.Elements(length, element)


class _Changed(Exception):
    """A list is changed while its pairs are run over."""


def _pairs_of_containers(
    spec: Specialiser, iterable: core.Value, frames: list[core.CellFrame]
) -> core.Stream:
    """By places where the loop changes none of the lists; else each item is kept."""

    def run(body: core.Body, leave: core.Exit | None, known: bool) -> None:
        def each(items: core.Iteration, body: core.Body) -> None:
            drive(spec, items, body, set(), leave=leave, known=known)

        def by_place() -> None:
            before = [frame.changes for frame in frames]
            each(_pairs(spec, spec.iterate(iterable)), body)
            if [frame.changes for frame in frames] != before:
                raise _Changed

        def keeping(body: core.Body, leave: core.Exit | None, known: bool) -> None:
            items = spec.iterate(iterable)
            each(items, lambda item: body(running_over.as_taken(spec, item)))

        try:
            attempt(spec, by_place)
        except _Changed:
            _pairs_of_stream(spec, core.Stream(keeping)).run(body, leave, known)

    return core.Stream(run)


def _pairs_of_stream(spec: Specialiser, items: core.Stream) -> core.Stream:
    hidden = f".{spec.fresh('previous').name.replace('.', '_')}"

    def run(body: core.Body, leave: core.Exit | None, known: bool) -> None:
        frame = spec.frame
        spec.bind(hidden, core.NOTHING)

        def each(item: core.Value) -> None:
            spec.shared([item], times=2)
            _refuse_none(item)

            def pair() -> None:
                body(core.aggregate_of((frame.names[hidden], item)))

            spec.choose(_is_given(spec, frame.names[hidden]), pair, _nothing)
            spec.bind(hidden, item)

        drive(spec, items, each, {hidden}, leave=leave, known=known)

    return core.Stream(run)


def _is_given(spec: Specialiser, value: core.Value) -> core.Value:
    """Whether there is a value before this one."""
    return spec.compare(ast.IsNot(), value, core.NOTHING)


def _refuse_none(item: core.Value) -> None:
    kind = core.kind_of(item)
    if kind == ir.Known(None) or getattr(kind, "present", None) is not None:
        raise core.Unsupported(
            "a generator whose values may be None is taken in pairs",
            "make a list of it first",
        )


@iterators.iterator(itertools.repeat)
def _repeat(
    spec: Specialiser, object: core.Value, times: core.Value | None = None
) -> core.Iteration:
    if times is None:
        return core.Endless(lambda index: object)
    if core.is_known(times) and core.known_value(times) <= unrolling.LONGEST_UNROLLED:
        return core.aggregate_of((object,) * core.known_value(times))
    return core.Elements(times, lambda index: object)


def is_static_int(value: core.Value) -> bool:
    kind = core.kind_of(value)
    return rules.is_static(kind) and isinstance(rules.static_value(kind), int)


@iterators.iterator(itertools.count)
def _count(
    spec: Specialiser,
    start: core.Value = iterators.ZERO,
    step: core.Value = iterators.ONE,
) -> core.Iteration:
    if not all(
        core.kind_of(v) in (ir.INT, ir.BOOL) or is_static_int(v) for v in (start, step)
    ):
        return endless.added_up(spec, start, step)

    def element(index: core.Leaf) -> core.Value:
        number: core.Value = index
        if step != core.constant(1):
            number = spec.operate(operator.mul, (step, index))
        if start != core.constant(0):
            number = spec.operate(operator.add, (start, number))
        return number

    return core.Endless(element)


@iterators.iterator(itertools.cycle)
def _cycle(spec: Specialiser, iterable: core.Value) -> core.Iteration:
    kept_sources.refuse_changes(spec, iterable, "cycle")
    kept_sources.refuse_stored(spec, iterable, "cycle")
    kept = kept_sources.kept_one_ahead(spec, iterable, "cycle")
    source = pools.source_at_once(spec, kept, "cycle")
    found = spec.iterate(source)
    if isinstance(found, core.Aggregate) and not found.items:
        return found
    if isinstance(found, core.Stream):
        raise core.Unsupported(
            "cycle keeps items of a list that may change while they are run over",
            "make a list of it first: list(...)",
        )
    known = found.items if isinstance(found, core.Aggregate) else ()
    items: Any = found
    problem = None
    if known:
        try:
            items = pools.pool_of(spec, source).elements
        except core.Unsupported as unsupported:
            problem = unsupported

    def element(index: core.Leaf) -> core.Value:
        if known and core.is_known(index):
            return known[core.known_value(index) % len(known)]
        if problem is not None:
            raise problem
        return items.element(spec.operate(operator.mod, (index, items.length)))

    return core.Endless(element)


def _tee(spec: Specialiser, args: Any, keywords: Any) -> core.Value:
    """Iterators over the same values, which are computed once."""
    value, number = (*args, *keywords.values(), core.constant(2))[:2]
    count = core.kind_of(number)
    if not rules.is_static(count):
        raise core.Unsupported("tee makes a number of iterators that isn't known")
    kept_sources.refuse_changes(spec, value, "tee")
    kept_sources.refuse_stored(spec, value, "tee")
    kept = kept_sources.kept_one_ahead(spec, value, "tee")
    source = pools.source_at_once(spec, kept, "tee", ahead=True)

    def start(spec: Specialiser, sources: tuple[core.Value, ...]) -> core.Iteration:
        return spec.iterate(sources[0])

    makers = range(rules.static_value(count))
    return core.aggregate_of(
        tuple(
            core.Lazy("tee", (source,), start, core.Mark(), spec.block) for _ in makers
        )
    )


BUILTIN_CALLS[itertools.tee] = _tee


@iterators.iterator(itertools.starmap)
def _starmap(
    spec: Specialiser, function: core.Value, iterable: core.Value
) -> core.Iteration:
    def change(item: core.Value) -> core.Value:
        row = spec.known_items(spec.iterate(item))
        if row is None:
            raise core.Unsupported("starmap over rows of unknown length")
        return spec.call_value(function, row.items, {})

    return spec.mapped(spec.iterate(iterable), change)


@iterators.iterator(itertools.accumulate)
def _accumulate(
    spec: Specialiser,
    iterable: core.Value,
    func: core.Value | None = None,
    initial: core.Value = core.NOTHING,
) -> core.Iteration:
    items = spec.iterate(iterable)
    none = isinstance(initial, core.Leaf) and initial.kind == ir.Known(None)
    hidden = f".{spec.fresh('total').name.replace('.', '_')}"

    def combined(total: core.Value, item: core.Value) -> core.Value:
        if func is None or (
            isinstance(func, core.Leaf) and func.kind == ir.Known(None)
        ):
            return spec.operate(operator.add, (total, item))
        return spec.call_value(func, (total, item), {})

    whole = spec.known_items(items)

    def run(body: core.Body, leave: core.Exit | None, known: bool) -> None:
        frame, keep = spec.frame, _keeping_total(spec, hidden, body)

        def each(item: core.Value) -> None:
            keep(combined(frame.names[hidden], item))

        if not none:
            keep(initial)
            drive(spec, items, each, {hidden}, leave=leave, known=known)
            return
        assert whole is not None
        for k, item in enumerate(whole.items):
            take = each if k else keep

            def step(take: core.Body = take, item: core.Value = item) -> None:
                take(running_over.as_it_is_now(spec, item))

            spec.unless_left(leave, step)

    if none and whole is None:
        if isinstance(items, core.Stream):
            return _accumulated_stream(spec, items, combined, hidden)
        assert isinstance(items, core.Elements)
        return _accumulated(spec, items, combined, hidden)
    return core.Stream(run)


def _keeping_total(spec: Specialiser, hidden: str, body: core.Body) -> core.Body:
    """What hands a total on and keeps it under a name."""
    frame = spec.frame

    def keep(total: core.Value) -> None:
        spec.bind(hidden, total)
        spec.shared([frame.names[hidden]], times=2)
        body(frame.names[hidden])

    return keep


def _accumulated(
    spec: Specialiser, items: core.Elements, combined: Any, hidden: str
) -> core.Stream:
    """The first item, and what each of the others makes of it."""

    def run(body: core.Body, leave: core.Exit | None, known: bool) -> None:
        if known:
            raise core.NotKnown
        frame, keep = spec.frame, _keeping_total(spec, hidden, body)

        def rest() -> None:
            keep(items.element(core.constant(0)))
            numbers = range_of(spec, (core.constant(1), items.length, core.constant(1)))

            def each(index: core.Value) -> None:
                item = items.element(index)  # type: ignore[arg-type]
                keep(combined(frame.names[hidden], item))

            drive(spec, numbers, each, {hidden}, hint="index", leave=leave)

        test = spec.compare(ast.Gt(), items.length, core.constant(0))
        spec.choose(test, rest, lambda: None)

    return core.Stream(run)


def _accumulated_stream(
    spec: Specialiser, items: core.Stream, combined: Any, hidden: str
) -> core.Stream:
    def run(body: core.Body, leave: core.Exit | None, known: bool) -> None:
        frame = spec.frame
        spec.bind(hidden, core.NOTHING)

        def each(item: core.Value) -> None:
            spec.shared([item], times=2)

            def further() -> None:
                spec.bind(hidden, combined(frame.names[hidden], item))

            def first() -> None:
                spec.bind(hidden, item)

            spec.choose(_is_given(spec, frame.names[hidden]), further, first)
            body(frame.names[hidden])

        drive(spec, items, each, {hidden}, leave=leave, known=known)

    return core.Stream(run)


def _nothing() -> None:
    pass
