"""``product``, ``combinations`` and ``permutations`` of itertools.

A few of a small pool are written out. Pairs and triples from a pool whose size is known
only when the program runs are nested loops. Everything else is a loop over a list of
tuples, computed once; where the pool carries derivatives, these are tuples of places in
it::

    for chosen in combinations(x, k):  ->  selections = list(combinations(range(n), k))
        y += max(chosen)                   for places in selections:
                                               y += max([x[i] for i in places])
"""

import ast
import itertools
import math
import operator
from collections.abc import Callable
from typing import Any

from s2sad import ir, ops, rules
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser
from s2sad.frontend.specialise.iteration import iteration, pools, unrolling
from s2sad.frontend.specialise.iterators.iterators import ONE, ZERO, iterator

DEEPEST_NESTING = 4
"""So many loops are nested; larger selections are loops over a list of tuples."""


def known_number(value: core.Value) -> int | None:
    """A whole number where it is known before the program runs."""
    kind = core.kind_of(value)
    return rules.static_value(kind) if rules.is_static(kind) else None


@iterator(itertools.product, at_once=True)
def _product(
    spec: Specialiser, *iterables: core.Value, repeat: core.Value = ONE
) -> core.Iteration:
    sources = [pools.source_of(spec, value) for value in iterables]
    times = known_number(repeat)
    if times is None:
        return _repeated_product(spec, sources, repeat)
    parts = [spec.iterate(source) for source in sources] * times
    known = [p.items for p in parts if isinstance(p, core.Aggregate)]
    number = math.prod(map(len, known))
    if number <= unrolling.LONGEST_UNROLLED and len(known) == len(parts):
        chosen = itertools.product(*known)
        return core.aggregate_of(tuple(core.aggregate_of(row) for row in chosen))
    if len(parts) > DEEPEST_NESTING and len(sources) == 1:
        return _repeated_product(spec, sources, repeat)
    if number > unrolling.LONGEST_UNROLLED:
        parts = [*(pools.pool_of(spec, s).elements for s in sources)] * times
    return _nested_product(spec, parts)


def _nested_product(spec: Specialiser, parts: list[core.Iteration]) -> core.Stream:
    """A loop for each part, structures written out."""

    def run(body: core.Body, leave: core.Exit | None, known: bool) -> None:
        def level(position: int, chosen: tuple[core.Value, ...]) -> None:
            if position == len(parts):
                body(core.aggregate_of(chosen))
                return

            def each(item: core.Value) -> None:
                spec.shared([item], times=2)  # a structure that follows is written out
                level(position + 1, (*chosen, item))

            iteration.drive(
                spec, parts[position], each, set(), leave=leave, known=known
            )

        level(0, ())

    return core.Stream(run)


def _repeated_product(
    spec: Specialiser, sources: list[core.Value], repeat: core.Value
) -> core.Elements:
    if len(sources) != 1:
        raise core.Unsupported(
            "a product of several iterables is repeated a number of times that isn't "
            "known before the program runs",
            "repeat a list of their pairs: product(list(product(a, b)), repeat=n)",
        )
    pool = pools.pool_of(spec, sources[0])
    return _loop_over_list(spec, ops.list_of_tuples, pool, repeat)


def _selection(function: Any, make_list: Any) -> None:
    """Register combinations or permutations."""

    def make(
        spec: Specialiser, iterable: core.Value, r: core.Value = core.NOTHING
    ) -> core.Iteration:
        source = pools.source_of(spec, iterable)
        items = spec.iterate(source)
        whole = spec.known_items(items)
        if r == core.NOTHING and whole is not None:
            r = core.constant(len(whole.items))
        count = known_number(r)
        if whole is not None and count is not None:
            chosen = spec.outcome(lambda: function(whole.items, count))
            found = list(itertools.islice(chosen, unrolling.LONGEST_UNROLLED + 1))
            if len(found) <= unrolling.LONGEST_UNROLLED:
                return core.aggregate_of(tuple(core.aggregate_of(row) for row in found))
        if count is None or count > DEEPEST_NESTING:
            pool = pools.pool_of(spec, source)
            return _loop_over_list(spec, make_list, pool, r)
        if not isinstance(items, core.Elements):
            items = pools.pool_of(spec, source).elements
        return _nested(spec, function, items, count)

    iterator(function, at_once=True)(make)


_selection(itertools.combinations, ops.list_of_combinations)
_selection(itertools.combinations_with_replacement, ops.list_of_multisets)
_selection(itertools.permutations, ops.list_of_permutations)


def _nested(
    spec: Specialiser, function: Any, items: core.Elements, count: int
) -> core.Stream:
    """A loop for each place of the selection."""
    ordered = function is not itertools.permutations
    again = function is itertools.combinations_with_replacement

    def run(body: core.Body, leave: core.Exit | None, known: bool) -> None:
        if known:
            raise core.NotKnown

        def level(
            places: tuple[core.Value, ...], chosen: tuple[core.Value, ...]
        ) -> None:
            position = len(places)
            if position == count:
                body(core.aggregate_of(chosen))
                return
            first: core.Value = ZERO
            stop = items.length
            if ordered and places:
                first = places[-1]
                if not again:
                    first = spec.operate(operator.add, (first, ONE))
            if ordered and not again:
                left = core.constant(count - position - 1)
                stop = spec.operate(operator.sub, (stop, left))
            numbers = iteration.range_of(spec, (first, stop, ONE))

            def each(index: core.Value) -> None:
                assert isinstance(index, core.Leaf)
                unequal = () if ordered else places
                _where_unequal(spec, index, unequal, lambda: take(index))

            def take(index: core.Leaf) -> None:
                item = items.element(index)
                spec.shared([item], times=2)
                level((*places, index), (*chosen, item))

            hint = "ijkl"[position] if position < 4 else "index"
            iteration.drive(spec, numbers, each, set(), hint=hint, leave=leave)

        level((), ())

    return core.Stream(run)


def _where_unequal(
    spec: Specialiser,
    index: core.Leaf,
    others: tuple[core.Value, ...],
    run: Callable[[], None],
) -> None:
    if not others:
        return run()
    first, *rest = others
    test = spec.compare(ast.NotEq(), index, first)
    spec.choose(
        test, lambda: _where_unequal(spec, index, tuple(rest), run), lambda: None
    )


def _loop_over_list(
    spec: Specialiser, make_list: Any, pool: pools.Pool, size: core.Value
) -> core.Elements:
    """A loop over the list of all selections, which is made first."""
    held: core.Value | None = pool.plain
    if held is None:
        length = core.operand_of(pool.elements.length)
        held = spec.define(ir.Apply(range, (length,)), ir.OPAQUE, "places")
    made = _list_of_rows(spec, make_list, (held, size))
    count = known_number(size)

    def element(index: core.Leaf) -> core.Value:
        row = spec.apply(operator.getitem, (made, index), hint="places")
        if count is not None:
            places = [
                spec.apply(operator.getitem, (row, core.constant(k)), hint="place")
                for k in range(count)
            ]
            if pool.plain is not None:
                return core.aggregate_of(tuple(places))
            return core.aggregate_of(tuple(map(pool.elements.element, places)))  # type: ignore[arg-type]
        if pool.plain is not None:
            return row
        assert pool.columns is not None
        chosen = core.map_leaves(
            pool.columns,
            lambda leaf: spec.apply(ops.gathered, (leaf, row), hint="chosen"),
        )
        if isinstance(pool.columns, core.Leaf):
            return chosen
        return core.Aggregate(core.Rows, (core.ROW,), (chosen,))

    return core.Elements(iteration.length_of(spec, made), element, hint="selection")


def _list_of_rows(spec: Specialiser, make_list: Any, args: Args) -> core.Value:
    """The list with names for its length, and for that of each row in it."""
    kind = spec.result_kind(make_list, rules.rule_for(make_list), args, {})
    assert isinstance(kind, ir.List) and isinstance(kind.item, ir.List)
    row = kind.item
    if row.axis.symbol is None:
        row = ir.List(row.item, ir.Axis("any", spec.fresh_owner("row")))
    operation = ir.Apply(make_list, tuple(map(core.operand_of, args)))
    whole = ir.List(row, ir.Axis("any", spec.fresh_owner("list")))
    return spec.define(operation, whole, "selections")
