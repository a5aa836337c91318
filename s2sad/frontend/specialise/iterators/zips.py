"""``zip`` and ``itertools.zip_longest``.

Over arrays, lists and ranges they give elements at any index. A structure among them is
written out. A generator gives its items to one loop, in which the others are read at a
place that is counted.
"""

import ast
import itertools
import operator
from contextlib import suppress
from functools import partial
from typing import Any

from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.control.trials import attempt
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.heap.cells import cells_in
from s2sad.frontend.specialise.iteration import eager_iteration, unrolling
from s2sad.frontend.specialise.iteration.pools import (
    pool_of,
    pool_of_items,
    source_at_once,
)
from s2sad.frontend.specialise.iterators import iterators, subsequences
from s2sad.frontend.specialise.library_calls.truth import static_truth


@core.verb
@iterators.iterator(zip)
def zipped(
    spec: Specialiser, *sources: core.Value, strict: core.Value = core.FALSE
) -> core.Iteration:
    same = core.known_value(strict) is True
    parts = taken_in_turns(spec, sources, "strict" if same else "whole")
    if not parts:
        return core.aggregate_of(())
    if all(isinstance(p, core.Aggregate) for p in parts):
        rows = [p.items for p in parts]
        if same and len(set(map(len, rows))) > 1:
            raise core.Unsupported(
                "zip(..., strict=True) of structures of other lengths"
            )
        items = tuple(core.aggregate_of(row) for row in zip(*rows, strict=False))
        return core.aggregate_of(items)
    streams = [k for k, p in enumerate(parts) if isinstance(p, core.Stream)]
    if len(streams) == 1 and not same:
        return _zip_with_stream(spec, sources, parts, streams[0])
    if streams:
        with eager_iteration.run_early(spec, "zip"):
            for k in streams:
                parts[k] = iterators.random_access(spec, parts[k])
    parts = [unrolling.looped(spec, p) for p in parts]
    if any(isinstance(p, core.Aggregate) for p in parts):
        return _zip_with_structures(spec, parts, same)
    lengths = tuple(p.length for p in parts if not isinstance(p, core.Endless))
    if not lengths:
        raise core.Unsupported(
            "this loop never ends", "zip it with something that does"
        )
    if same:
        _require_equal(spec, lengths)
    equal = same or known_equal(lengths)
    length = lengths[0] if equal else spec.apply(min, lengths)
    if not equal:
        parts = _without_effects(spec, parts)

    def element(index: core.Leaf) -> core.Value:
        return core.aggregate_of(tuple(p.element(index) for p in parts))

    return core.Elements(length, element)


def taken_in_turns(
    spec: Specialiser, sources: tuple[core.Value, ...], rows: str
) -> list[Any]:
    """What each of the sources gives. One iterator among them that stands there several
    times gives an item at each of these places, in turns: it has items for ``whole``
    rows alone, for all of them where that is ``strict``, or for those that others
    ``fill``, too."""

    def turns(items: core.Iteration, count: int) -> list[core.Iteration]:
        if isinstance(items, core.Stream):
            with eager_iteration.run_early(spec, "zip"):
                items = iterators.random_access(spec, items)
        if isinstance(items, core.Aggregate):
            length: core.Value = core.constant(len(items.items))
        else:
            length = items.length
        number = core.constant(count)
        if rows == "strict" and not isinstance(items, core.Endless):
            left = spec.operate(operator.mod, (length, number))
            uneven = spec.compare(ast.NotEq(), left, iterators.ZERO)
            why = "zip() argument 2 is shorter than argument 1"
            spec.raise_if(uneven, ValueError, why)
        if rows != "fill" and not isinstance(items, core.Endless):
            length = spec.operate(operator.floordiv, (length, number))
        return [turn(items, length, number, k) for k in range(count)]

    def turn(
        items: Any, length: core.Value, number: core.Leaf, k: int
    ) -> core.Iteration:
        count = core.known_value(number)
        if isinstance(items, core.Aggregate):
            most = None if rows == "fill" else len(items.items) // count * count
            return core.aggregate_of(items.items[k:most:count])

        def element(index: core.Leaf) -> core.Value:
            place: Any = spec.operate(operator.mul, (number, index))
            if k:
                place = spec.operate(operator.add, (place, core.constant(k)))
            return items.element(place)

        if isinstance(items, core.Endless):
            return core.Endless(element)
        if rows == "fill":
            behind = core.constant(count - 1 - k)
            length = spec.operate(operator.add, (length, behind))
            length = spec.operate(operator.floordiv, (length, number))
        return core.Elements(length, element)

    tokens = [s.token if isinstance(s, core.Lazy) else None for s in sources]
    found: dict[Any, list[core.Iteration]] = {}
    parts: list[Any] = []
    for source, token in zip(sources, tokens, strict=True):
        count = 1 if token is None else tokens.count(token)
        if count == 1:
            parts.append(spec.iterate(source))
            continue
        if token not in found:
            found[token] = turns(spec.iterate(source), count)
        parts.append(found[token].pop(0))
    return parts


def known_equal(lengths: tuple[core.Value, ...]) -> bool:
    if len(set(lengths)) == 1:
        return True
    symbols = {getattr(core.kind_of(n), "length_of", None) for n in lengths}
    return len(symbols) == 1 and None not in symbols


def _without_effects(spec: Specialiser, parts: list[Any]) -> list[Any]:
    """Python takes an item more of the parts before the first that ends: of such as do
    nothing but compute, that is no matter."""
    *early, last = parts

    def checked(part: core.Elements) -> core.Elements:
        def element(index: core.Leaf) -> core.Value:
            with eager_iteration.without_effects(
                spec, eager_iteration.EarlyRun("zip", spec.place)
            ):
                return part.element(index)

        if isinstance(part, core.Endless):
            return core.Endless(element)
        return core.Elements(part.length, element)

    return [*(checked(p) if isinstance(p, core.Elements) else p for p in early), last]


def _shortest(spec: Specialiser, parts: list[Any]) -> core.Value:
    """The least number of items; None where there is no end."""
    lengths: list[core.Value] = []
    for part in parts:
        if isinstance(part, core.Aggregate):
            lengths.append(core.constant(len(part.items)))
        elif isinstance(part, core.Elements) and not isinstance(part, core.Endless):
            lengths.append(part.length)
    if not lengths:
        return core.NOTHING
    if known_equal(tuple(lengths)):
        return lengths[0]
    return spec.apply(min, tuple(lengths))


def _zip_with_stream(
    spec: Specialiser, sources: tuple[core.Value, ...], parts: list[Any], position: int
) -> core.Iteration:
    """The stream's items with those of the others at the same place."""
    before = eager_iteration.EarlyRun("zip", spec.place)
    stop = _shortest(spec, parts[:position])
    late = _shortest(spec, parts[position + 1 :])
    pools: dict[int, core.Elements] = {}

    def item_of(k: int, number: Any, item: core.Value) -> core.Value:
        part = parts[k]
        if k == position:
            return item
        if isinstance(part, core.Aggregate):
            if core.is_known(number):
                return part.items[core.known_value(number)]
            if k not in pools:
                return pool_of_items(spec, part.items).elements.element(number)
            return pools[k].element(number)
        if k > position:
            return part.element(number)
        with eager_iteration.reading(spec, before):
            item = part.element(number)
            eager_iteration.note_arrays(spec, sources[k])
            return item

    def row(pair: core.Value) -> core.Value:
        number, item = pair.items  # type: ignore[union-attr]
        row = tuple(item_of(k, number, item) for k in range(len(parts)))
        return core.aggregate_of(row)

    rows = spec.mapped(subsequences.numbered(spec, parts[position], stop, late), row)
    assert isinstance(rows, core.Stream)

    def run(body: core.Body, leave: core.Exit | None, known: bool) -> None:
        pools.clear()
        for k, part in enumerate(parts):
            if isinstance(part, core.Aggregate) and part.items:
                with suppress(core.Unsupported):
                    pools[k] = attempt(spec, partial(pool, part))
        # the items of structures are taken before the first step
        taken = {
            cell.frame: cell.frame.changes
            for source, part in zip(sources, parts, strict=True)
            if isinstance(part, core.Aggregate)
            for cell in cells_in(source)
            if core.is_container(cell)
        }
        before.arrays.clear()
        before.cells.clear()
        before.slots.clear()
        with eager_iteration.between_steps(spec, before) as consumer:
            rows.run(consumer(body), leave, known)
        if any(frame.changes != count for frame, count in taken.items()):
            before.refuse(spec)

    def pool(part: core.Aggregate) -> core.Elements:
        return pool_of_items(spec, part.items).elements

    return core.Stream(run)


def _zip_with_structures(
    spec: Specialiser, parts: list[Any], same: bool
) -> core.Stream:
    """As many iterations are written out as the shortest structure has items; where
    another part may be shorter, that is tested."""
    count = min(len(p.items) for p in parts if isinstance(p, core.Aggregate))
    if not same:
        parts = _without_effects(spec, parts)
    bounded = [p for p in parts if isinstance(p, core.Elements)]
    lengths = [p.length for p in bounded if not isinstance(p, core.Endless)]
    if same:
        _require_equal(spec, (core.constant(count), *lengths))

    def item(k: int) -> core.Value:
        at = core.constant(k)
        items = (
            p.items[k] if isinstance(p, core.Aggregate) else p.element(at)
            for p in parts
        )
        return core.aggregate_of(tuple(items))

    def run(body: core.Body, leave: core.Exit | None, known: bool) -> None:
        def further(k: int) -> None:
            if k < count:
                spec.unless_left(leave, lambda: one(k))

        def one(k: int) -> None:
            tests = []
            for length in lengths:
                test = spec.compare(ast.Lt(), core.constant(k), length)
                if static_truth(test) is not True:
                    tests.append(test)
            if known and any(static_truth(t) is None for t in tests) and not same:
                raise core.NotKnown
            guarded(k, [] if same else tests)

        def guarded(k: int, tests: list[core.Value]) -> None:
            if tests:
                rest = tests[1:]
                spec.choose(tests[0], lambda: guarded(k, rest), lambda: None)
                return
            body(item(k))
            further(k + 1)

        further(0)

    return core.Stream(run)


def _require_equal(spec: Specialiser, lengths: tuple[core.Value, ...]) -> None:
    """``strict=True``: other lengths raise."""
    first, *others = lengths
    why = "the arguments of zip() have different lengths"
    for other in others:
        if not known_equal((first, other)):
            test = spec.compare(ast.NotEq(), first, other)
            spec.raise_if(test, ValueError, why)


@iterators.iterator(itertools.zip_longest)
def _zip_longest(
    spec: Specialiser, *iterables: core.Value, fillvalue: core.Value = core.NOTHING
) -> core.Iteration:
    tokens = [s.token for s in iterables if isinstance(s, core.Lazy) and s.token]
    if len(set(tokens)) == len(tokens):
        iterables = tuple(source_at_once(spec, v, "zip_longest") for v in iterables)
    sources, parts = iterables, taken_in_turns(spec, iterables, "fill")
    if all(isinstance(p, core.Aggregate) for p in parts):
        columns = [p.items for p in parts]
        rows = itertools.zip_longest(*columns, fillvalue=fillvalue)
        return core.aggregate_of(tuple(map(core.aggregate_of, rows)))
    found = []
    for source, part in zip(sources, parts, strict=True):
        if isinstance(part, core.Aggregate) and not part.items:
            part = core.Elements(iterators.ZERO, lambda index: fillvalue)
        elif isinstance(part, core.Aggregate):
            part = pool_of(spec, source).elements
        part = core.elements_of(part)
        if isinstance(part, core.Endless):
            raise core.Unsupported("this loop never ends", "use zip")
        found.append(part)
    lengths = [part.length for part in found]
    same = known_equal(tuple(lengths))
    length = lengths[0] if same else spec.apply(max, tuple(lengths), hint="count")

    def element(index: core.Leaf) -> core.Value:
        return core.aggregate_of(tuple(item(part, index) for part in found))

    def item(part: core.Elements, index: core.Leaf) -> core.Value:
        if same:
            return part.element(index)
        test = spec.compare(ast.Lt(), index, part.length)
        there, filled = lambda: part.element(index), lambda: fillvalue
        return spec.select(test, there, filled, "item")

    return core.Elements(length, element)
