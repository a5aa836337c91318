"""The functions of itertools, see :mod:`s2sad.frontend.specialise.iterators`."""

from __future__ import annotations

import ast
import itertools
import operator
from functools import partial
from typing import Any

from s2sad.frontend.specialise.comparisons import compare
from s2sad.frontend.specialise.context import Unsupported
from s2sad.frontend.specialise.control_flow import choose
from s2sad.frontend.specialise.expressions import operate
from s2sad.frontend.specialise.iteration import (
    LONGEST_UNROLLED,
    Body,
    Elements,
    Endless,
    Exit,
    Iteration,
    NotKnown,
    Stream,
    drive,
    iterate,
    known_items,
    range_of,
    unless_left,
)
from s2sad.frontend.specialise.iterators import (
    NOTHING,
    ONE,
    ZERO,
    call_value,
    filtered,
    iterator,
    mapped,
    random_access,
)
from s2sad.frontend.specialise.specialiser import Specialiser
from s2sad.frontend.specialise.values import (
    Aggregate,
    Leaf,
    Value,
    aggregate_of,
    constant,
    kind_of,
    static_truth,
)
from s2sad.ir.kinds import Known
from s2sad.rules.result_kinds import is_static, static_value

MOST_COMBINATIONS = 1024
"""Structures of more combinations than this are not looked at."""


@iterator(itertools.filterfalse)
def _filterfalse(
    spec: Specialiser, node: Any, function: Value, iterable: Value
) -> Iteration:
    items = iterate(spec, iterable, node)

    def test(item: Value) -> Value:
        found = call_value(spec, function, (item,), node)
        truth = static_truth(found)
        if truth is not None:
            return constant(not truth)
        return operate(spec, operator.not_, (found,), node)

    return filtered(spec, items, test, node)


@iterator(itertools.chain)
def _chain(spec: Specialiser, node: Any, *iterables: Value) -> Iteration:
    parts = [iterate(spec, value, node) for value in iterables]
    if all(isinstance(p, Aggregate) for p in parts):
        return aggregate_of(tuple(i for p in parts for i in p.items))  # type: ignore[union-attr]

    def run(body: Body, leave: Exit | None, known: bool) -> None:
        for part in parts:
            drive(spec, part, body, set(), node=node, leave=leave, known=known)

    return Stream(run)


@iterator(itertools.chain.from_iterable)
def _chain_from(spec: Specialiser, node: Any, iterables: Value) -> Iteration:
    outer = iterate(spec, iterables, node)

    def run(body: Body, leave: Exit | None, known: bool) -> None:
        def each(item: Value) -> None:
            inner = iterate(spec, item, node)
            drive(spec, inner, body, set(), node=node, leave=leave, known=known)

        drive(spec, outer, each, set(), node=node, leave=leave, known=known)

    return Stream(run)


@iterator(itertools.product)
def _product(
    spec: Specialiser, node: Any, *iterables: Value, repeat: Value = ONE
) -> Iteration:
    parts = [iterate(spec, value, node) for value in iterables]
    parts = parts * _whole_number(repeat, node)
    parts = [p if isinstance(p, Aggregate) else random_access(spec, p) for p in parts]

    def run(body: Body, leave: Exit | None, known: bool) -> None:
        def level(position: int, chosen: tuple[Value, ...]) -> None:
            if position == len(parts):
                body(aggregate_of(chosen))
                return

            def each(item: Value) -> None:
                spec.shared([item], times=2)  # a structure that follows is written out
                level(position + 1, (*chosen, item))

            drive(
                spec,
                parts[position],
                each,
                set(),
                node=node,
                leave=leave,
                known=known,
            )

        level(0, ())

    return Stream(run)


def _whole_number(value: Value, node: Any) -> int:
    if not is_static(kind_of(value)):
        raise Unsupported(
            node, "a number of repetitions that isn't known here", "write a literal"
        )
    return static_value(kind_of(value))


def _selection(function: Any) -> None:
    """combinations and permutations: of structures; pairs of arrays are two loops."""

    def make(
        spec: Specialiser, node: Any, iterable: Value, r: Value | None = None
    ) -> Iteration:
        items = iterate(spec, iterable, node)
        whole = known_items(spec, items)
        if r is None and whole is None:
            raise Unsupported(
                node, "permutations of values whose number isn't known", "pass r"
            )
        count = len(whole.items) if r is None else _whole_number(r, node)  # type: ignore[union-attr]
        if whole is not None:
            found = list(
                itertools.islice(function(whole.items, count), MOST_COMBINATIONS)
            )
            if len(found) <= LONGEST_UNROLLED:
                return aggregate_of(tuple(aggregate_of(row) for row in found))
        name = function.__name__
        if name != "combinations":
            raise Unsupported(
                node,
                f"{name} of values whose number isn't known, or is large",
                "write nested loops",
            )
        return _combinations(spec, random_access(spec, items), count, node)

    iterator(function)(make)


def _combinations(spec: Specialiser, items: Elements, count: int, node: Any) -> Stream:
    def run(body: Body, leave: Exit | None, known: bool) -> None:
        if known:
            raise NotKnown

        def level(position: int, first: Value, chosen: tuple[Value, ...]) -> None:
            if position == count:
                body(aggregate_of(chosen))
                return
            left = constant(count - position - 1)
            stop = operate(spec, operator.sub, (items.length, left), node)
            numbers = range_of(spec, (first, stop, constant(1)))

            def each(index: Value) -> None:
                item = items.element(index)  # type: ignore[arg-type]
                behind = operate(spec, operator.add, (index, constant(1)), node)
                level(position + 1, behind, (*chosen, item))

            hint = "ijkl"[position] if position < 4 else "index"
            drive(spec, numbers, each, set(), node=node, hint=hint, leave=leave)

        level(0, constant(0), ())

    return Stream(run)


_selection(itertools.combinations)
_selection(itertools.permutations)
_selection(itertools.combinations_with_replacement)
# pairs of an array with replacement start at the item itself, so they stay refused


@iterator(itertools.pairwise)
def _pairwise(spec: Specialiser, node: Any, iterable: Value) -> Iteration:
    items = iterate(spec, iterable, node)
    if isinstance(items, Aggregate):
        pairs = itertools.pairwise(items.items)
        return aggregate_of(tuple(aggregate_of(pair) for pair in pairs))
    found = random_access(spec, items)
    length = operate(spec, operator.sub, (found.length, constant(1)), node)

    def element(index: Leaf) -> Value:
        after = operate(spec, operator.add, (index, constant(1)), node)
        return aggregate_of((found.element(index), found.element(after)))  # type: ignore[arg-type]

    return Elements(length, element)


@iterator(itertools.islice)
def _islice(spec: Specialiser, node: Any, iterable: Value, *bounds: Value) -> Iteration:
    items = iterate(spec, iterable, node)
    none = constant(None)
    given = (none, *bounds, none) if len(bounds) == 1 else (*bounds, none)
    start, stop, step = given[:3]
    numbers: list[Any] = [
        static_value(kind_of(b)) if is_static(kind_of(b)) else b
        for b in (start, stop, step)
    ]
    if isinstance(items, Aggregate):
        if all(n is None or isinstance(n, int) for n in numbers):
            return aggregate_of(items.items[slice(*numbers)])
        raise Unsupported(node, "islice of a structure takes known numbers", "")
    if numbers[2] not in (None, 1):
        raise Unsupported(node, "islice with a step has no rule", "slice the array")
    found = items if isinstance(items, Elements) else None
    if found is None:
        raise Unsupported(
            node, "islice of a generator has no rule", "make a list of it first"
        )
    first = constant(0) if numbers[0] is None else start
    limit = found.length
    if isinstance(found, Endless):
        if numbers[1] is None:
            raise Unsupported(node, "this iterator never ends", "give islice a stop")
        limit = stop
    elif numbers[1] is not None:
        limit = spec.apply(min, (stop, found.length))
    length = operate(spec, operator.sub, (limit, first), node)

    def element(index: Leaf) -> Value:
        return found.element(operate(spec, operator.add, (first, index), node))  # type: ignore[arg-type]

    return Elements(length, element if first != constant(0) else found.element)


@iterator(itertools.repeat)
def _repeat(
    spec: Specialiser, node: Any, object: Value, times: Value | None = None
) -> Iteration:
    if times is None:
        return Endless(lambda index: object)
    if is_static(kind_of(times)) and static_value(kind_of(times)) <= LONGEST_UNROLLED:
        return aggregate_of((object,) * static_value(kind_of(times)))
    return Elements(times, lambda index: object)


@iterator(itertools.count)
def _count(
    spec: Specialiser,
    node: Any,
    start: Value = ZERO,
    step: Value = ONE,
) -> Iteration:
    def element(index: Leaf) -> Value:
        number: Value = index
        if step != constant(1):
            number = operate(spec, operator.mul, (step, index), node)
        if start != constant(0):
            number = operate(spec, operator.add, (start, number), node)
        return number

    return Endless(element)


@iterator(itertools.cycle)
def _cycle(spec: Specialiser, node: Any, iterable: Value) -> Iteration:
    items = random_access(spec, _as_elements(spec, iterable, node))

    def element(index: Leaf) -> Value:
        return items.element(operate(spec, operator.mod, (index, items.length), node))  # type: ignore[arg-type]

    return Endless(element)


def _as_elements(spec: Specialiser, iterable: Value, node: Any) -> Iteration:
    items = iterate(spec, iterable, node)
    if not isinstance(items, Aggregate):
        return items

    def element(index: Leaf) -> Value:
        if is_static(kind_of(index)):
            return items.items[static_value(kind_of(index))]
        raise Unsupported(
            node,
            "a structure is cycled through by a count that isn't known before the "
            "program runs",
            "put the values into an array",
        )

    return Elements(constant(len(items.items)), element)


@iterator(itertools.starmap)
def _starmap(
    spec: Specialiser, node: Any, function: Value, iterable: Value
) -> Iteration:
    def change(item: Value) -> Value:
        row = known_items(spec, iterate(spec, item, node))
        if row is None:
            raise Unsupported(node, "starmap over rows of unknown length", "")
        return call_value(spec, function, row.items, node)

    return mapped(spec, iterate(spec, iterable, node), change, node)


@iterator(itertools.accumulate)
def _accumulate(
    spec: Specialiser,
    node: Any,
    iterable: Value,
    func: Value | None = None,
    initial: Value = NOTHING,
) -> Iteration:
    items = iterate(spec, iterable, node)
    none = isinstance(initial, Leaf) and initial.kind == Known(None)
    hidden = f".{spec.fresh('total').name.replace('.', '_')}"

    def combined(total: Value, item: Value) -> Value:
        if func is None or (isinstance(func, Leaf) and func.kind == Known(None)):
            return operate(spec, operator.add, (total, item), node)
        return call_value(spec, func, (total, item), node)

    whole = known_items(spec, items)

    def run(body: Body, leave: Exit | None, known: bool) -> None:
        frame = spec.frame

        def keep(total: Value) -> None:
            spec.bind(hidden, total)
            spec.shared([frame.names[hidden]], times=2)
            body(frame.names[hidden])

        def each(item: Value) -> None:
            keep(combined(frame.names[hidden], item))

        if not none:
            keep(initial)
            drive(spec, items, each, {hidden}, node=node, leave=leave, known=known)
            return
        assert whole is not None
        for k, item in enumerate(whole.items):
            step = partial(each if k else keep, item)
            unless_left(spec, leave, step, node)

    if none and whole is None:
        if not isinstance(items, Elements):
            raise Unsupported(
                node,
                "accumulate over a generator needs a first value",
                "pass initial=",
            )
        return _accumulated(spec, items, combined, hidden, node)
    return Stream(run)


def _accumulated(
    spec: Specialiser, items: Elements, combined: Any, hidden: str, node: Any
) -> Stream:
    """The first item, and what each of the others makes of it."""

    def run(body: Body, leave: Exit | None, known: bool) -> None:
        if known:
            raise NotKnown
        frame = spec.frame

        def keep(total: Value) -> None:
            spec.bind(hidden, total)
            spec.shared([frame.names[hidden]], times=2)
            body(frame.names[hidden])

        def rest() -> None:
            keep(items.element(constant(0)))
            numbers = range_of(spec, (constant(1), items.length, constant(1)))

            def each(index: Value) -> None:
                item = items.element(index)  # type: ignore[arg-type]
                keep(combined(frame.names[hidden], item))

            drive(spec, numbers, each, {hidden}, node=node, hint="index", leave=leave)

        test = compare(spec, ast.Gt(), items.length, constant(0), node)
        choose(spec, test, rest, lambda: None, node)

    return Stream(run)
