"""What consumes an iterable at once: ``sum``, ``max``, ``any``, ``list``, ``reduce``.

A generator that is summed becomes a loop that adds; ``any`` and ``all`` leave it early;
others make a list of it.
"""

import ast
import functools
import math
import operator
import statistics
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad import ir, rules
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.calls import builtin_calls, foreign, parameters
from s2sad.frontend.specialise.containers import dict_making, lists, run_time_sets
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.iteration import iteration, next_methods, unrolling
from s2sad.frontend.specialise.iteration.collecting import collected
from s2sad.frontend.specialise.library_calls import constant_calls
from s2sad.frontend.specialise.library_calls.truth import static_truth
from s2sad.frontend.specialise.optionals import values_as_references
from s2sad.frontend.specialise.optionals.narrowing import narrowed
from s2sad.frontend.specialise.optionals.optionals import unwrapped
from s2sad.frontend.specialise.run_time import by_value, queries, records

Handler = Callable[..., core.Value]
_GIVE_NUMBERS = (sum, math.fsum, math.prod)


def consumer(*functions: Any) -> Callable[[Handler], Handler]:
    """Register the handler of calls outside of rules; rules call the function's own
    rule."""

    def decorate(handler: Handler) -> Handler:
        for function in functions:
            before = builtin_calls.BUILTIN_CALLS.get(function)

            def call(
                spec: Specialiser,
                args: Any,
                keywords: Any,
                function: Any = function,
                before: Any = before,
            ) -> core.Value:
                if spec.derived:
                    if before is not None:
                        return before(spec, args, keywords)
                    return spec.apply(function, args, keywords)
                if function not in (len, sorted):
                    args = tuple(run_time_sets.listed(spec, a) for a in args)
                name = getattr(function, "__name__", "it")
                found = core.handled(name, handler, spec, function, args, keywords)
                if any(core.kind_of(a) == ir.List(ir.OPAQUE) for a in args):
                    found = run_time_sets.as_member(spec, found)
                    if function in _GIVE_NUMBERS:
                        found = constant_calls.as_number(spec, found)
                return found

            builtin_calls.BUILTIN_CALLS[function] = call
        return handler

    return decorate


def plain_call(spec: Specialiser, function: Any, args: Any, keywords: Any):
    if rules.rule_for(function) is None:
        return foreign.foreign_call(spec, function, args, keywords)
    return spec.apply(function, args, keywords)


def hidden_name(spec: Specialiser, hint: str) -> str:
    """A name of the current activation that the user can't have."""
    return f".{spec.fresh(hint).name.replace('.', '_')}"


def iterable(spec: Specialiser, value: core.Value) -> core.Value:
    """What an object is iterated by, a NamedTuple as a tuple; other values as they
    are."""
    own = spec.own_iterator(value)
    if own is not None:
        return own
    return core.aggregate_of(value.items) if core.is_named_tuple(value) else value


def materialised(spec: Specialiser, value: core.Value) -> core.Value:
    """An iterator, also that of an object, as a list; other values as they are."""
    value = iterable(spec, value)
    if isinstance(value, core.Lazy):
        return collected(spec, value)
    return value


# ------------------------------------------------------------------ sums


@consumer(sum)
def _sum(spec: Specialiser, function: Any, args: Any, keywords: Any) -> core.Value:
    value, *rest = args
    value = iterable(spec, value)
    if not core.items_of(value):
        _check_new(spec, (*rest, *keywords.values()))
    structures = isinstance(value, core.Aggregate) and not all(
        isinstance(item, core.Leaf) for item in value.items
    )
    structures |= (
        queries.is_sequence(value) and by_value.numbers_of(spec, value) is value
    )
    structures |= ir.is_of_references(core.kind_of(value))
    if not isinstance(value, core.Lazy) and not structures:
        return plain_call(spec, function, (value, *rest), keywords)
    start = rest[0] if rest else keywords.get("start", core.constant(0))
    return folded(
        spec,
        value,
        start,
        lambda total, item: spec.operate(operator.add, (total, item)),
        "total",
    )


def _check_new(spec: Specialiser, given: tuple[core.Value, ...]) -> None:
    """Refuse a list with a name as the start of a sum that may have no items, where
    lists change: the sum is that list then."""
    node = spec.place
    if not (given and spec.facts.changing and isinstance(node, ast.Call)):
        return
    (start,) = given
    listed = core.is_container(start) or queries.is_sequence(start)
    listed |= lists.constructor_of(start) is list
    named = [*node.args[1:], *(word.value for word in node.keywords)]
    if listed and isinstance(named[-1], ast.Name | ast.Attribute | ast.Subscript):
        raise core.Unsupported(
            "sum gives its start itself where there is nothing to add, and lists "
            "change here",
            "start with a new one: sum(xs, [*start])",
        )


def folded(
    spec: Specialiser,
    value: core.Value,
    start: core.Value,
    combine: Callable[[core.Value, core.Value], core.Value],
    hint: str,
) -> core.Value:
    """``start`` combined with one item after the other."""
    hidden = hidden_name(spec, hint)
    frame = spec.frame
    items = spec.iterate(value)
    spec.bind(hidden, start)

    def each(item: core.Value) -> None:
        spec.bind(hidden, combine(frame.names[hidden], item))

    iteration.drive(spec, items, each, {hidden})
    return frame.names.pop(hidden)


@consumer(functools.reduce)
def _reduce(spec: Specialiser, function: Any, args: Any, keywords: Any) -> core.Value:
    combine, value, *rest = args

    def step(total: core.Value, item: core.Value) -> core.Value:
        return spec.call_value(combine, (total, item), {})

    if rest:
        return folded(spec, value, rest[0], step, "result")
    items = spec.iterate(materialised(spec, value))
    items = unrolling.looped(spec, items)
    whole = None if unrolling.is_off(spec) else spec.known_items(items)
    if whole is not None:
        if not whole.items:
            raise core.Unsupported("reduce of nothing", "pass a first value")
        total, *others = whole.items
        for item in others:
            total = step(total, item)
        return total
    items = core.elements_of(items)
    first = items.element(core.constant(0))

    def behind(index: core.Leaf) -> core.Value:
        place = spec.operate(operator.add, (index, core.constant(1)))
        return items.element(place)  # type: ignore[arg-type]

    length = spec.operate(operator.sub, (items.length, core.constant(1)))
    rest_of = core.Lazy("list", (), lambda spec, sources: core.Elements(length, behind))
    return folded(spec, rest_of, first, step, "result")


@consumer(math.fsum, math.prod, math.dist, statistics.mean, statistics.fmean)
def _of_numbers(
    spec: Specialiser, function: Any, args: Any, keywords: Any
) -> core.Value:
    args = tuple(materialised(spec, a) for a in args)
    if function in (statistics.mean, statistics.fmean):
        return _mean(spec, args[0])
    if function is math.dist and any(map(lists.is_list, args)):
        args = tuple(spec.apply(np.array, (a,), hint="point") for a in args)
    if function is math.prod and lists.is_list(args[0]):
        start = args[1] if len(args) > 1 else keywords.get("start", core.constant(1))
        return folded(
            spec,
            args[0],
            start,
            lambda total, item: spec.operate(operator.mul, (total, item)),
            "product",
        )
    return plain_call(spec, function, args, keywords)


@consumer(math.hypot)
def _hypot(spec: Specialiser, function: Any, args: Any, keywords: Any) -> core.Value:
    """Of numbers in a list it is the distance of a point from the origin."""
    numbers = keywords.get(parameters.STARRED)
    if numbers is None:
        return plain_call(spec, function, args, keywords)
    point = spec.apply(np.array, (numbers,), hint="point")
    origin = spec.apply(np.zeros_like, (point,), hint="origin")
    return plain_call(spec, math.dist, (point, origin), {})


def _mean(spec: Specialiser, value: core.Value) -> core.Value:
    """``statistics.mean`` of floats, exact as Python computes it: ``math.fsum`` over
    the count."""
    total = spec.apply(math.fsum, (value,), hint="total")
    items = core.items_of(value)
    count = (
        core.constant(len(items))
        if items is not None
        else iteration.length_of(spec, value)
    )
    return spec.operate(operator.truediv, (total, count))


# ------------------------------------------------------------------ any, all


@consumer(any, all)
def _any_all(spec: Specialiser, function: Any, args: Any, keywords: Any) -> core.Value:
    (value,) = args
    if isinstance(value, core.Leaf):
        operation = ir.Apply(function, (value.operand,))
        return spec.define(operation, ir.BOOL, str(function.__name__))
    return any_of(spec, spec.iterate(value), function is any)


@core.verb
def any_of(spec: Specialiser, items: core.Iteration, wanted: bool = True) -> core.Value:
    """Whether one of the items is true; whether all are, where False is wanted."""
    hidden = hidden_name(spec, "found")
    frame = spec.frame
    leave = core.Exit(frame, hidden)
    spec.bind(hidden, core.constant(False))

    def stop() -> None:
        spec.bind(hidden, core.constant(True))

    def each(item: core.Value) -> None:
        ways = (stop, _nothing) if wanted else (_nothing, stop)
        spec.choose(item, *ways)

    iteration.drive(spec, items, each, {hidden}, leave=leave)
    found = frame.names.pop(hidden)
    if wanted:
        return found
    truth = static_truth(found)
    if truth is not None:
        return core.constant(not truth)
    return spec.operate(operator.not_, (found,))


# ------------------------------------------------------------------ next


@consumer(next)
def _next(spec: Specialiser, function: Any, args: Any, keywords: Any) -> core.Value:
    """The first value of an iterator. What comes behind it can be run over where the
    number of items taken is the same on all paths, and items can be read at a place."""
    value, *default = args
    if next_methods.is_iterator(value):
        value = next_methods.steps_of(spec, value)
    if not isinstance(value, core.Lazy) or value.token is None:
        raise core.Unsupported(
            f"next is given a value {core.describe(value)}",
            "pass a generator, or read the item by its index",
        )
    items = spec.iterate(value)
    if value.made_in is spec.block and not isinstance(items, core.Stream):
        marks = ((value.token, k) for k in range(unrolling.LONGEST_UNROLLED))
        mark = next((m for m in marks if m not in spec.consumed), value.token)
        spec.consumed = spec.consumed - {value.token} | {mark}
    if isinstance(items, core.Endless):
        return items.element(core.constant(0))
    known = spec.known_items(items)
    if known is not None:
        if known.items or default:
            return (*known.items, *default)[0]
        spec.raise_now(StopIteration)
        raise core.NothingFollows
    found, hidden = hidden_name(spec, "found"), hidden_name(spec, "first")
    frame = spec.frame
    leave = core.Exit(frame, found)
    spec.bind(found, core.constant(False))
    spec.bind(hidden, default[0] if default else core.constant(None))

    def each(item: core.Value) -> None:
        spec.bind(hidden, item)
        spec.bind(found, core.constant(True))

    if isinstance(items, core.Elements):
        some = spec.operate(operator.gt, (items.length, core.constant(0)))
        spec.choose(some, lambda: each(items.element(core.constant(0))), _nothing)
    else:
        iteration.drive(spec, items, each, {hidden, found}, leave=leave)
    if not default:
        spec.raise_unless(frame.names[found], StopIteration)
    frame.names.pop(found)
    first = frame.names.pop(hidden)
    if isinstance(first, core.Missing):
        spec.keep_objects(first)
        raise core.Unsupported(
            first.reason.replace(repr(hidden), "what next gives"), first.advice
        )
    if default:
        return first
    return unwrapped(
        narrowed(first, frozenset(leaf.operand for leaf in core.leaves(first)))
    )


def _nothing() -> None:
    pass


# ------------------------------------------------------------------ conversions


@consumer(list, tuple)
def _list_tuple(
    spec: Specialiser, function: Any, args: Any, keywords: Any
) -> core.Value:
    if not args:
        return core.aggregate_of((), function)
    (value,) = args
    if queries.is_reference(value):
        value = values_as_references.as_iterable(spec, value)
    value = spec.own_iterator(value) or value
    items = core.items_of(value)
    if items is not None:
        return core.aggregate_of(items, function)
    if function is list and queries.is_sequence(value):
        return by_value.copied(spec, value)
    if lists.is_list(value):
        if function is list:
            return lists.made_into(spec, value, list)
    elif not isinstance(value, core.Lazy):
        source = value

        def start(spec: Specialiser, sources: tuple[core.Value, ...]) -> Any:
            return spec.iterate(source)

        value = core.Lazy("list", (), start)
    made = collected(spec, value) if isinstance(value, core.Lazy) else value
    items = core.items_of(made)
    if items is not None:
        return core.aggregate_of(items, function)
    return lists.made_tuple(spec, made) if function is tuple else made


@consumer(dict)
def _dict(spec: Specialiser, function: Any, args: Any, keywords: Any) -> core.Value:
    return dict_making.new_dict(spec, args, keywords)


_plain_len = builtin_calls.BUILTIN_CALLS[len]


@consumer(np.fromiter)
def _fromiter(spec: Specialiser, function: Any, args: Any, keywords: Any) -> core.Value:
    value, *rest = args
    dtype = rest[0] if rest else keywords.get("dtype", core.constant(float))
    made = materialised(spec, value)
    return spec.apply(np.array, (made, dtype), hint="array")


@consumer(len)
def _len(spec: Specialiser, function: Any, args: Any, keywords: Any) -> core.Value:
    (value,) = args
    if isinstance(value, core.Part):
        return records.length_of_part(spec, value)
    if isinstance(value, core.Lazy):
        if value.what != "range":
            raise core.Unsupported(f"a {value.what} has no len()", "make a list of it")
        length = spec.iterate(value).length  # type: ignore[union-attr]
        if core.is_known(length):
            return length
        return spec.apply(max, (length, core.constant(0)), hint="count")
    if isinstance(value, core.Aggregate) and core.is_rows(value):
        return spec.iterate(value).length  # type: ignore[union-attr]
    if run_time_sets.is_of_the_run(value):
        return run_time_sets.number_of(spec, value)
    return _plain_len(spec, args, keywords)
