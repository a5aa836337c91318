"""Targets of assignments: names, nested and starred ones, and deletion.

All values on the right are read before any name on the left is bound::

    a, *rest = 1.0, b, c      ->      a = 1.0; rest = [b, c]
"""

import ast
import operator
from typing import Any

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.calls.foreign import unknown_value
from s2sad.frontend.specialise.containers.lists import constructor_of
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.heap import places
from s2sad.frontend.specialise.heap.stores import delete_item, store_flat, store_item
from s2sad.frontend.specialise.iteration.collecting import collected
from s2sad.frontend.specialise.library_calls import constant_calls
from s2sad.frontend.specialise.objects.construction import store_attribute
from s2sad.frontend.specialise.optionals import values_as_references
from s2sad.frontend.specialise.optionals.optionals import present
from s2sad.frontend.specialise.run_time import queries, reading, records, unions
from s2sad.source.text.scopes import assigned_names


@core.verb
def bind_target(spec: Specialiser, target: ast.expr, value: core.Value) -> None:
    """Assign a value to a name or to a nested tuple of names."""
    with spec.at(target):
        if isinstance(target, ast.Name):
            spec.bind(target.id, value)
        elif isinstance(target, ast.Tuple | ast.List):
            items = unpack(spec, value, target)
            if spec.facts.changing and _stores(target):
                items = tuple(spec.held_from_cells(item) for item in items)
            inner = [t.value if isinstance(t, ast.Starred) else t for t in target.elts]
            _bind_in_parallel(spec, inner, items)
        elif isinstance(target, ast.Attribute):
            owner = spec.evaluate(target.value)
            if not store_flat(spec, target, value, owner):
                store_attribute(spec, target, value, owner)
        elif isinstance(target, ast.Subscript):
            store_item(spec, target, value)
        else:
            raise core.store_refused()


def _bind_in_parallel(
    spec: Specialiser, targets: list[ast.expr], items: tuple[core.Value, ...]
) -> None:
    """``a, b = b, a``: all right-hand sides are read before any name is assigned."""
    spec.shared(items)
    safe = []
    for target, item in zip(targets, items, strict=True):
        others = assigned_names([t for t in targets if t is not target])
        safe.append(spec.held(item, others))
    for target, item in zip(targets, safe, strict=True):
        bind_target(spec, target, item)


def unpack(
    spec: Specialiser, value: core.Value, target: ast.Tuple | ast.List
) -> tuple[core.Value, ...]:
    """The values of the targets in a tuple; a starred one gets a list."""
    stars = [k for k, t in enumerate(target.elts) if isinstance(t, ast.Starred)]
    star = stars[0] if stars else None
    return unpack_items(spec, value, len(target.elts), star)


def _stores(target: ast.expr) -> bool:
    """True for targets of which one may change what is unpacked."""
    inner = (ast.Subscript, ast.Attribute)
    return any(isinstance(node, inner) for node in ast.walk(target))


def unpack_items(
    spec: Specialiser,
    value: core.Value,
    count: int,
    star: int | None,
    error: type[Exception] = ValueError,
) -> tuple[core.Value, ...]:
    """The values of ``count`` places; the one at ``star`` gets a list. ``error`` is
    raised when the program runs and their number is another."""
    value = present(spec, value)
    if queries.is_reference(value):
        value = values_as_references.without_texts(spec, unions.structured(value))
    value = spec.own_iterator(value) or spec.contents(value)
    if isinstance(value, core.Part):
        value = records.settled(spec, value)
    if isinstance(value, core.Lazy):
        value = collected(spec, value, counted=True)
    items = core.items_of(value)
    if queries.is_reference(value) and queries.is_record(value):
        return _items_of_record(spec, value, count, star, error)
    if items is None:
        if star is not None:
            return _with_rest(spec, value, star, count - star - 1, error)
        return _items_of_array(spec, value, count, error)
    if star is None:
        if len(items) != count:
            raise core.Unsupported(
                f"{len(items)} values are unpacked into {count} names",
                "use as many names as there are values",
            )
        return items
    before, after = star, count - star - 1
    if len(items) < before + after:
        raise core.Unsupported(
            f"{len(items)} values are unpacked into {count - 1} names or more",
            "use at most as many names as there are values",
        )
    end = len(items) - after
    rest = core.aggregate_of(items[before:end], list)
    return (*items[:before], rest, *items[end:])


def _items_of_record(
    spec: Specialiser,
    value: core.Leaf,
    count: int,
    star: int | None,
    error: type[Exception],
) -> tuple[core.Value, ...]:
    """The same of a tuple of which each item has a kind of its own, and of which only
    the run may know the length."""
    kind = queries.kind_of(value)
    fixed = count if star is None else count - 1

    def fits(form: ir.Form) -> bool:
        more = len(form.keys) - fixed
        return more == 0 or (more > 0 and star is not None)

    fitting = tuple(filter(fits, kind.forms))
    if not fitting:
        raise core.Unsupported(
            f"{len(kind.forms[0].keys)} values are unpacked into {fixed} names"
            f"{' or more' * (star is not None)}",
            "use as many names as there are values",
        )
    if len(fitting) < len(kind.forms):
        wrong = ast.NotEq() if star is None else ast.Lt()
        length = reading.length_of(spec, value)
        check_length(spec, length, wrong, fixed, error)
        value = core.Leaf(value.operand, kind.among(fitting), value.path)
    before = fixed if star is None else star
    after = fixed - before

    def item(place: int) -> core.Value:
        return records.item_of(spec, value, place)

    first, last = map(item, range(before)), map(item, range(-after, 0))
    if star is None:
        return tuple(first)
    bounds = slice(before, -after if after else None)
    return (*first, records.part_of(spec, value, bounds, list), *last)


def _with_rest(
    spec: Specialiser,
    value: core.Value,
    before: int,
    after: int,
    error: type[Exception],
) -> tuple[core.Value, ...]:
    """``first, *rest, last = value`` of an array, or of a list of unknown length."""
    items: Any = spec.iterate(value)
    if not isinstance(items, core.Elements):
        problem = core.Unsupported(f"a value {core.describe(value)} can't be unpacked")
        raise unknown_value(spec, value, problem)
    length = items.length
    check_length(spec, length, ast.Lt(), before + after, error)

    def behind(index: core.Leaf) -> core.Value:
        place: Any = spec.operate(operator.add, (core.constant(before), index))
        return items.element(place)

    first = [items.element(core.constant(k)) for k in range(before)]
    places: list[Any] = [
        spec.operate(operator.sub, (length, core.constant(k)))
        for k in range(after, 0, -1)
    ]
    last = [items.element(place) for place in places]
    if isinstance(value, core.Leaf) and isinstance(value.kind, ir.List):
        stop = core.constant(-after if after else None)
        part = core.slice_of(core.constant(before), stop, core.constant(None))
        rest = spec.item_of(value, part)
        if constructor_of(rest) is not list:
            rest = spec.apply(ops.as_list, (rest,), hint="rest")
        return (*first, rest, *last)
    fewer = spec.operate(operator.sub, (length, core.constant(before + after)))
    others = core.Elements(fewer, behind if before else items.element)
    rest = collected(spec, core.Lazy("list", (), lambda spec, sources: others))
    return (*first, rest, *last)


def _items_of_array(
    spec: Specialiser, value: core.Value, count: int, error: type[Exception]
) -> tuple[core.Value, ...]:
    if queries.is_reference(value) and queries.is_sequence(value):
        length = reading.length_of(spec, value)
        check_length(spec, length, ast.NotEq(), count, error)
        return tuple(spec.item_of(value, core.constant(k)) for k in range(count))
    if isinstance(value, core.Aggregate) and core.is_rows(value):
        if places.items_may_change(spec, value):
            places.keep_items(spec, value)
        else:
            columns = list(core.leaves(value))
            length = spec.apply(len, (columns[0],), hint="count")
            check_length(spec, length, ast.NotEq(), count, error)
            return tuple(spec.item_of(value, core.constant(k)) for k in range(count))
    if isinstance(value, core.Leaf) and isinstance(value.kind, ir.Array | ir.List):
        if ir.rank_of(value.kind) != 0:
            length = spec.apply(len, (value,), hint="count")
            check_length(spec, length, ast.NotEq(), count, error)
            return tuple(
                spec.apply(operator.getitem, (value, core.constant(k)), hint="item")
                for k in range(count)
            )
    if error is ValueError:
        unpacked = constant_calls.unpacked(spec, value, count)
        if unpacked is not None:
            return unpacked
    constants = constant_calls.constant_items(spec, value)
    if constants is not None:
        check_length(spec, constants.length, ast.NotEq(), count, error)
        return tuple(constants.element(core.constant(k)) for k in range(count))
    problem = core.Unsupported(
        f"a value {core.describe(value)} can't be unpacked",
        "unpack a tuple, list or array",
    )
    values_as_references.raise_for_number(spec, value, problem)
    raise unknown_value(spec, value, problem)


def check_length(
    spec: Specialiser,
    length: core.Value,
    wrong: ast.cmpop,
    count: int,
    error: type[Exception],
) -> None:
    """A wrong length raises when the program runs, as in Python."""

    if spec.derived:
        return
    test = spec.compare(wrong, length, core.constant(count))
    amount = f"less than {count}" if isinstance(wrong, ast.Lt) else f"not {count}"
    text = f"the number of values to unpack is {amount}"
    spec.raise_if(test, error, text)


def delete_target(spec: Specialiser, target: ast.expr) -> None:
    """``del name``: it can't be read until it is assigned again."""
    with spec.at(target):
        if isinstance(target, ast.Tuple | ast.List):
            for inner in target.elts:
                delete_target(spec, inner)
        elif isinstance(target, ast.Name):
            spec.evaluate(ast.copy_location(ast.Name(target.id, ast.Load()), target))
            reason = f"{target.id!r} is read after it was deleted"
            spec.bind(target.id, core.Missing(reason, "delete it later, or not at all"))
        elif isinstance(target, ast.Subscript):
            delete_item(spec, target)
        else:
            raise core.Unsupported(
                "deleting an attribute can't be differentiated",
                "store None in its place",
                target,
            )
