"""What is chosen from again and again: values that can be read at any place, computed
once.

The items of a structure are put into a list, so that they can be read at a place that
is known only when the program runs; tuples and dicts among them become parallel
lists.
"""

import operator
from collections.abc import Hashable
from dataclasses import dataclass

from s2sad import ir, ops, rules
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.containers.lists import form_of
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.iteration import eager_iteration, iteration
from s2sad.frontend.specialise.iteration.collecting import READ_ONLY, collected


@dataclass(frozen=True)
class Pool:
    """Values that can be read at any place."""

    elements: core.Elements
    columns: core.Value | None
    """A list for each number or array in an item, in the item's structure; None for a
    range."""
    plain: core.Leaf | None
    """The pool itself, where its items are numbers that carry no derivative."""


def source_of(spec: Specialiser, value: core.Value) -> core.Value:
    """An iterable that can be run again and again; what takes computing is computed
    once."""
    if not isinstance(value, core.Lazy) or value.what == "range":
        return value

    if value.what not in READ_ONLY:
        return collected(spec, value)
    items = spec.iterate(value)
    if isinstance(items, core.Aggregate):
        return items
    again = core.Lazy(value.what, (), lambda spec, sources: items)
    return collected(spec, again) if isinstance(items, core.Stream) else again


def source_at_once(
    spec: Specialiser, value: core.Value, what: str, *, ahead: bool = False
) -> core.Value:
    """As :func:`source_of`, where Python takes the items one after the other, as they
    are needed; ``ahead`` of all that takes some."""
    if not isinstance(value, core.Lazy) or value.what == "range":
        return value
    with eager_iteration.run_early(spec, what, ahead=ahead):
        return source_of(spec, value)


def pool_of(spec: Specialiser, value: core.Value) -> Pool:
    """The values of a source."""
    items = spec.iterate(value)
    if isinstance(value, core.Lazy) and value.what == "range":
        assert isinstance(items, core.Elements)
        bounds = value.sources
        if bounds[2] == core.constant(1):
            bounds = bounds[1:2] if bounds[0] == core.constant(0) else bounds[:2]
        made = ir.Apply(range, tuple(map(core.operand_of, bounds)))
        return Pool(items, None, spec.define(made, ir.OPAQUE, "numbers"))  # type: ignore[arg-type]
    if isinstance(items, core.Aggregate):
        return pool_of_items(spec, items.items)
    if isinstance(value, core.Leaf) and isinstance(value.kind, ir.Array | ir.List):
        return _pool_of_columns(spec, value)
    if isinstance(value, core.Aggregate) and core.is_rows(value):
        return _pool_of_columns(spec, value.items[0])

    lazy = core.Lazy("list", (), lambda spec, sources: items)
    return pool_of(spec, collected(spec, lazy))


def pool_of_items(spec: Specialiser, items: tuple[core.Value, ...]) -> Pool:
    """Values that are known one by one, put into lists."""
    if any(map(_may_change, items)):
        raise core.Unsupported(
            "objects are chosen by places that aren't known before the program runs",
            "choose from tuples, or from objects that are frozen",
        )
    if len({form_of(item) for item in items}) != 1:
        raise core.Unsupported(
            "values of different structures are chosen from by places that aren't "
            "known before the program runs",
            "give all of them the same structure",
        )
    rows = [list(core.leaves(item)) for item in items]
    axis = ir.Axis("any" if len(items) == 1 else "many", spec.fresh_owner("list"))
    columns = iter([_listed(spec, column, axis) for column in zip(*rows, strict=True)])
    template = core.map_leaves(items[0], lambda leaf: next(columns))
    static = all(core.is_known(item) for item in items)
    return _pool_of_columns(spec, template, core.constant(len(items)), static)


def _listed(
    spec: Specialiser, items: tuple[core.Leaf, ...], axis: ir.Axis
) -> core.Leaf:
    whole = core.aggregate_of(items, list)
    kind = spec.result_kind(ops.list_of, rules.rule_for(ops.list_of), (whole,), {})
    assert isinstance(kind, ir.List)
    operation = ir.Apply(ops.list_of, (core.operand_of(whole),))
    return spec.define(operation, ir.List(kind.item, axis), "values")  # type: ignore[return-value]


def _may_change(item: core.Value) -> bool:
    """True for what isn't a number, an array or a structure of them that stays."""
    if isinstance(item, core.Aggregate):
        parameters = getattr(item.constructor, "__dataclass_params__", None)
        changes = core.is_object(item) and not getattr(parameters, "frozen", False)
        return changes or any(map(_may_change, item.items))
    return not isinstance(item, core.Leaf)


def _pool_of_columns(
    spec: Specialiser,
    columns: core.Value,
    length: core.Value | None = None,
    static: bool = False,
) -> Pool:
    first = next(core.leaves(columns), None)
    assert first is not None
    plain = None
    if isinstance(columns, core.Leaf) and (
        static or not ir.is_real_number_kind(columns.kind)
    ):
        plain = columns

    def element(index: core.Leaf) -> core.Value:
        def read(leaf: core.Leaf, path: tuple[Hashable, ...]) -> core.Value:
            hint = f"item_{path[-1]}" if path else "item"
            return spec.apply(operator.getitem, (leaf, index), hint=hint)

        return core.map_with_paths(columns, read)

    if length is None:
        length = iteration.length_of(spec, first)
    return Pool(core.Elements(length, element), columns, plain)
