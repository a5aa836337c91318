"""Builtins and functions of itertools that make iterators: they run when they are
consumed.

An iterator over what is known item by item gives a structure; over arrays, lists and
ranges it gives elements at any index, so that ``zip`` and ``enumerate`` over them are
one loop; over anything else it is a stream.
"""

import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.calls.builtin_calls import BUILTIN_CALLS
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.iteration.collecting import collected
from s2sad.frontend.specialise.iteration.iteration import drive, range_of
from s2sad.frontend.specialise.iterators.kept_sources import kept_at_once
from s2sad.frontend.specialise.library_calls.truth import static_truth
from s2sad.frontend.specialise.run_time import queries, reading
from s2sad.rules.steps.shape_queries import axis_length

ZERO, ONE = core.constant(0), core.constant(1)


def iterator(function: Any, *, at_once: bool = False) -> Callable[..., Any]:
    """Register what a call of ``function`` runs over:
    ``make(spec, *sources, **keywords)`` returns it when the iterator is
    consumed. ``at_once``: the sources are read when it is made."""

    def decorate(make: Callable[..., core.Iteration]) -> Callable[..., core.Iteration]:
        name = getattr(function, "__qualname__", str(function))

        def call(spec: Specialiser, args: Any, keywords: Any) -> core.Value:
            words, place = tuple(keywords), spec.place

            def start(
                spec: Specialiser, sources: tuple[core.Value, ...]
            ) -> core.Iteration:
                check_keys()
                given = sources[: len(args)]
                rest = dict(zip(words, sources[len(args) :], strict=True))
                with spec.at(place):
                    made = core.handled(name, make, spec, *given, **rest)
                    return _from_here(spec, made)

            if at_once:
                args = tuple(kept_at_once(spec, value) for value in args)
            sources = (*args, *keywords.values())
            check_keys = _check_of_keys(spec, args)
            key = name, len(args), words
            return core.Lazy(name, sources, start, core.Mark(), spec.block, key)

        BUILTIN_CALLS[function] = call
        return make

    return decorate


def _check_of_keys(spec: Specialiser, args: tuple[core.Value, ...]) -> Any:
    """The check, where an iterator over dicts is consumed, that these have as many keys
    as when it was made."""
    run_over = [v for a in args for v in (a.sources if core.is_view(a) else (a,))]
    dicts = [
        (v.frame, v.frame.lengths())
        for v in run_over
        if isinstance(v, core.Cell) and v.constructor is dict
    ]
    kept = [
        v
        for v in run_over
        if isinstance(v, core.Leaf) and queries.is_dict(v)
        if reading.may_resize(spec, v)
    ]
    lengths = [reading.length_of(spec, value) for value in kept]
    resizes = [_resizes(spec, value) for value in kept]

    def refuse() -> None:
        spec.raise_now(RuntimeError, "dictionary changed size during iteration")

    def check() -> None:
        if any(frame.lengths() != before for frame, before in dicts):
            raise core.Unsupported(
                "a dict gets or loses keys after an iterator over it is made",
                "make a list of what is run over: list(...)",
            )
        for value, length, known in zip(kept, lengths, resizes, strict=True):
            if _resizes(spec, value) != known:
                now = reading.length_of(spec, value)
                differs = spec.operate(operator.ne, (now, length))
                spec.choose(differs, refuse, lambda: None)

    return check


def _resizes(spec: Specialiser, value: core.Leaf) -> int:
    forms = queries.kind_of(value).forms
    return sum(int(spec.resizes[form]) for form in forms)


def _from_here(spec: Specialiser, items: core.Iteration) -> core.Iteration:
    """Items of which each is found at this place, when it is reached."""
    if isinstance(items, core.Elements):
        items.element = spec.from_here(items.element)
        items.of_number = spec.from_here(items.of_number)
    elif isinstance(items, core.Stream):
        items.run = spec.from_here(items.run)
    return items


# ------------------------------------------------------------------ builtins


def _range(spec: Specialiser, args: Any, keywords: Any) -> core.Value:
    if keywords or not 1 <= len(args) <= 3:
        raise core.Unsupported("range takes one to three numbers")
    for value in args:
        if not isinstance(value, core.Leaf):
            raise core.Unsupported("range takes whole numbers")
    start = args[0] if len(args) > 1 else core.constant(0)
    stop = args[1] if len(args) > 1 else args[0]
    step = args[2] if len(args) > 2 else core.constant(1)
    return core.Lazy("range", (start, stop, step), range_of, key="range")


BUILTIN_CALLS[range] = _range


def random_access(spec: Specialiser, items: core.Iteration) -> core.Elements:
    """Elements at any index; those of a stream are put into a list first."""
    if isinstance(items, core.Elements):
        return items

    made = collected(
        spec, core.Lazy("generator", (), lambda spec, sources: items, None)
    )
    found = spec.iterate(made)
    if isinstance(found, core.Aggregate):
        raise core.Unsupported(
            "a generator runs together with arrays", "make a list of it first"
        )
    assert isinstance(found, core.Elements)
    return found


@iterator(enumerate)
def _enumerate(
    spec: Specialiser, iterable: core.Value, start: core.Value = ZERO
) -> core.Iteration:
    items = spec.iterate(iterable)
    if isinstance(items, core.Aggregate):
        first = core.known_value(start) if core.is_known(start) else None

        def number(k: int) -> core.Value:
            if first is not None:
                return core.constant(first + k)
            return spec.operate(operator.add, (start, core.constant(k)))

        pairs = enumerate(items.items)
        return core.aggregate_of(
            tuple(core.aggregate_of((number(k), v)) for k, v in pairs)
        )
    if isinstance(items, core.Stream):
        return _enumerated_stream(spec, items, start)

    def element(index: core.Leaf) -> core.Value:
        number: core.Value = index
        if start != core.constant(0):
            number = spec.operate(operator.add, (start, index))
        return core.aggregate_of((number, items.element(index)))

    if isinstance(items, core.Endless):
        return core.Endless(element)
    return core.Elements(items.length, element)


def _enumerated_stream(
    spec: Specialiser, items: core.Stream, start: core.Value
) -> core.Stream:
    hidden = f".{spec.fresh('number').name.replace('.', '_')}"

    def run(body: core.Body, leave: core.Exit | None, known: bool) -> None:
        frame = spec.frame
        spec.bind(hidden, start)

        def each(item: core.Value) -> None:
            number = frame.names[hidden]
            held = spec.assign(
                spec.fresh("number"), core.operand_of(number), core.kind_of(number)
            )
            spec.bind(hidden, spec.operate(operator.add, (held, core.constant(1))))
            body(core.aggregate_of((held, item)))

        drive(spec, items, each, {hidden}, leave=leave, known=known)

    return core.Stream(run)


@iterator(reversed)
def _reversed(spec: Specialiser, sequence: core.Value) -> core.Iteration:
    if isinstance(sequence, core.Lazy) and sequence.what != "range":
        raise core.Unsupported(
            f"a {sequence.what} can't be reversed", "make a list of it first"
        )
    items = spec.iterate(sequence)
    if isinstance(items, core.Aggregate):
        return core.aggregate_of(items.items[::-1])
    items = core.elements_of(items)
    if isinstance(items, core.Endless):
        raise core.Unsupported("an iterator without end can't be reversed")
    numbers = items.counted

    def element(index: core.Leaf) -> core.Value:
        last = spec.operate(operator.sub, (items.length, core.constant(1)))
        mirrored = spec.operate(operator.sub, (last, index))
        return items.element(mirrored)  # type: ignore[arg-type]

    return core.Elements(
        items.length,
        element,
        replace(numbers, backwards=not numbers.backwards),
        items.of_number,
        items.hint,
    )


_reversed_call = BUILTIN_CALLS[reversed]


def _reversed_from_now(spec: Specialiser, args: Any, keywords: Any) -> core.Value:
    """``reversed`` starts at the item that is the last when it is called."""
    lazy, place = _reversed_call(spec, args, keywords), spec.place
    lengths = {a.frame: a.frame.lengths() for a in args if core.is_container(a)}
    kept = any(map(queries.is_sequence, args))
    if not (lengths or kept) or not isinstance(lazy, core.Lazy):
        return lazy
    resizes = spec.resizes.total()  # of lists that are kept, of which any may be this

    def start(spec: Specialiser, sources: tuple[core.Value, ...]) -> core.Iteration:
        changed = any(frame.lengths() != known for frame, known in lengths.items())
        if changed or (kept and spec.resizes.total() != resizes):
            raise core.Unsupported(
                "the list under reversed has changed its length since then",
                "call reversed where its items are needed",
                place,
            )
        return lazy.start(spec, sources)

    return replace(lazy, start=start, key=None)


BUILTIN_CALLS[reversed] = _reversed_from_now


@iterator(map)
def _map(
    spec: Specialiser, function: core.Value, *iterables: core.Value
) -> core.Iteration:
    def change(item: core.Value) -> core.Value:
        args = item.items if len(iterables) > 1 else (item,)  # type: ignore[union-attr]
        return spec.call_value(function, tuple(args), {})

    if len(iterables) == 1:
        items = spec.iterate(iterables[0])
    else:
        items = spec.zipped(*iterables)
    return mapped(spec, items, change)


@iterator(filter)
def _filter(
    spec: Specialiser, function: core.Value, iterable: core.Value
) -> core.Iteration:
    items = spec.iterate(iterable)
    plain = isinstance(function, core.Leaf) and function.kind == ir.Known(None)
    return filtered(
        spec,
        items,
        lambda item: item if plain else spec.call_value(function, (item,), {}),
    )


@core.verb
def mapped(
    spec: Specialiser, items: core.Iteration, change: Callable[[core.Value], core.Value]
) -> core.Iteration:
    """What is made of each item, when it is reached."""
    if isinstance(items, core.Elements):
        return items.mapped(change)

    def run(body: core.Body, leave: core.Exit | None, known: bool) -> None:
        drive(
            spec,
            items,
            lambda item: body(change(item)),
            set(),
            leave=leave,
            known=known,
        )

    return core.Stream(run)


def filtered(
    spec: Specialiser, items: core.Iteration, test: Callable[[core.Value], core.Value]
) -> core.Stream:
    """The items that pass a test."""

    def run(body: core.Body, leave: core.Exit | None, known: bool) -> None:
        def each(item: core.Value) -> None:
            item = spec.held_from_cells(item)  # the test may change what holds it
            spec.shared([item], times=2)
            passed = test(item)
            if known and static_truth(passed) is None:
                raise core.NotKnown
            spec.choose(passed, lambda: body(item), lambda: None)

        drive(spec, items, each, set(), leave=leave, known=known)

    return core.Stream(run)


# ------------------------------------------------------------------ NumPy


@iterator(np.ndindex)
def _ndindex(spec: Specialiser, *shape: core.Value) -> core.Iteration:
    if len(shape) == 1 and isinstance(shape[0], core.Aggregate):
        shape = shape[0].items
    return _indices(spec, shape)


def _indices(spec: Specialiser, shape: tuple[core.Value, ...]) -> core.Stream:
    def run(body: core.Body, leave: core.Exit | None, known: bool) -> None:
        def level(position: int, chosen: tuple[core.Value, ...]) -> None:
            if position == len(shape):
                body(core.aggregate_of(chosen))
                return
            drive(
                spec,
                range_of(spec, (core.constant(0), shape[position], core.constant(1))),
                lambda index: level(position + 1, (*chosen, index)),
                set(),
                hint="ijkl"[position] if position < 4 else "index",
                leave=leave,
                known=known,
            )

        level(0, ())

    return core.Stream(run)


@iterator(np.ndenumerate)
def _ndenumerate(spec: Specialiser, arr: core.Value) -> core.Iteration:
    rank = ir.rank_of(core.kind_of(arr))
    if not isinstance(core.kind_of(arr), ir.Array) or rank is None:
        raise core.Unsupported("np.ndenumerate of an array of unknown rank")
    shape = tuple(
        spec.apply(axis_length, (arr, core.constant(k)), hint="length")
        for k in range(rank)
    )

    def change(index: core.Value) -> core.Value:
        place = index.items[0] if rank == 1 else index  # type: ignore[union-attr]
        item = spec.apply(operator.getitem, (arr, place), hint="item")
        return core.aggregate_of((index, item))

    return mapped(spec, _indices(spec, shape), change)
