"""Reading items: of structures at once, of arrays as an operation."""

import ast
import operator
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad import ir, rules
from s2sad.frontend.library.texts import all_texts
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.calls.conversions import folded_call
from s2sad.frontend.specialise.containers import derived_dicts, dict_methods, lists
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.heap import cells, item_choices, places, slice_bounds
from s2sad.frontend.specialise.heap.chosen_cells import for_the_one, is_choice_of_cells
from s2sad.frontend.specialise.heap.flat_places import flat_array, flat_item
from s2sad.frontend.specialise.library_calls import constant_calls
from s2sad.frontend.specialise.objects import attribute_dicts, members, operator_methods
from s2sad.frontend.specialise.optionals import values_as_references
from s2sad.frontend.specialise.optionals.optionals import (
    present,
    present_under_its_name,
)
from s2sad.frontend.specialise.run_time import (
    queries,
    reading,
    records,
    resizing,
)
from s2sad.ops.runtime.results import require_array


@core.expression(ast.Subscript)
def subscript(spec: Specialiser, node: ast.Subscript) -> core.Value:
    value = spec.evaluate(node.value)
    return item_at(spec, value, spec.evaluate(node.slice))


@core.verb
def item_at(spec: Specialiser, value: core.Value, index: core.Value) -> core.Value:
    """``value[index]``, in operands that stay when a list or dict changes."""
    return _item_at(spec, value, index)


def _item_at(spec: Specialiser, value: core.Value, index: core.Value) -> core.Value:
    index = with_slices(spec.by_value(index))
    maker = _known_value(value)
    if isinstance(maker, type(np.s_)):
        many = isinstance(index, core.Aggregate) and index.constructor is tuple
        return core.aggregate_of((index,)) if maker.maketuple and not many else index
    text = None if maker is None else all_texts().get((type(maker), "__getitem__"))
    if text is not None and not spec.derived:
        return spec.call_function(text.function, (index,), {})
    if is_choice_of_cells(value):
        return for_the_one(spec, value, lambda one: item_at(spec, one, index))
    if not isinstance(value, core.Cell) or not core.is_container(value):
        return item_of(spec, value, index)
    if issubclass(value.constructor, dict):
        return dict_methods.entry(spec, value, index)
    content = spec.content_of(value)
    known = isinstance(content, core.Aggregate) and not core.is_rows(content)
    if known and core.holds_cell(content) and not rules.is_static(core.kind_of(index)):
        content = lists.as_dynamic(spec, content)
        spec.set_content(value, content, resized=False)
        content = spec.content_of(value)
    if isinstance(index, core.Aggregate):
        content = spec.contents(value)
    item = item_of(spec, content, index)
    if places.holds_places(spec, content):
        return places.item_place(spec, value, index, item)
    item = cells.held_content(spec, item, value)
    return item if isinstance(index, core.Aggregate) else places.frozen(spec, item)


def _without_truth(spec: Specialiser, index: core.Value) -> core.Value:
    """A truth value as the position that it is for a list: 0 or 1."""
    kind = core.kind_of(index)
    if (
        isinstance(kind, ir.Scalar)
        and kind.type == "bool"
        and not rules.is_static(kind)
    ):
        return spec.call_function(int, (index,), {})
    return index


def with_slices(index: core.Value) -> core.Value:
    """An index, slices that are data (``ROWS = np.s_[1:]``) as those of the text."""
    known = _known_value(index)
    if isinstance(known, slice):
        return core.slice_of(*map(core.constant, (known.start, known.stop, known.step)))
    if isinstance(known, tuple) and any(isinstance(part, slice) for part in known):
        return with_slices(core.aggregate_of(tuple(map(core.constant, known))))
    if isinstance(index, core.Aggregate) and index.constructor is tuple:
        return replace(index, items=tuple(map(with_slices, index.items)))
    return index


def as_index_of_array(
    spec: Specialiser, value: core.Value, index: core.Value
) -> core.Value:
    """An index of an array, ranges and lists of rows as the places that they name, and
    a number that may be None as the number: as None it would add an axis."""
    if not isinstance(core.kind_of(value), ir.Array):
        return index
    if isinstance(index, core.Aggregate) and index.constructor is tuple:
        items = (as_index_of_array(spec, value, item) for item in index.items)
        return replace(index, items=tuple(items))
    if core.is_rows(index):
        return spec.call_function(np.array, (index,), {})
    if ir.is_optional_number(core.kind_of(index)):
        why = "an index is None here, and a number elsewhere: write np.newaxis, or test"
        return present_under_its_name(spec, index, why=why)
    if not isinstance(index, core.Lazy) or index.what != "range":
        return index
    return spec.call_function(np.arange, index.sources, {})


def _known_value(value: core.Value) -> Any:
    """What isn't a number, and known when the derivative is compiled; None else."""
    kind = value.kind if isinstance(value, core.Leaf) else None
    return kind.value if isinstance(kind, ir.Known) else None


@core.verb
def item_of(spec: Specialiser, value: core.Value, index: core.Value) -> core.Value:
    """``value[index]``."""
    value = present(spec, value)
    index = as_index_of_array(spec, value, index)
    if queries.is_reference(index):
        index = values_as_references.as_key(spec, value, index)
    of_run = lists.is_list(value) or core.is_rows(value) or queries.is_sequence(value)
    if of_run or getattr(value, "constructor", None) in (list, tuple):
        index = _without_truth(spec, index)
    if of_run:
        index = constant_calls.as_index(spec, index)
    if queries.is_reference(value):
        if queries.is_record(value) and isinstance(index, core.Aggregate):
            if index.constructor is slice:
                return records.slice_of(spec, value, index)
        if queries.is_dict(value) and derived_dicts.sort_of(value) is not None:
            return resizing.item_of_derived(spec, value, index)
        return reading.item_of_reference(spec, value, index)
    if isinstance(value, core.Part):
        return records.item_of_part(spec, value, index)
    own = operator_methods.item_of_object(spec, value, index)
    if own is None:
        own = constant_calls.constant_item(spec, value, index)
    if own is not None:
        return own
    item = lists.item_of_list(spec, value, index)
    if item is not None:
        return item
    if isinstance(value, core.Aggregate):
        return item_of_structure(spec, value, index)
    if core.is_attributes(value):
        name = attribute_dicts.known_name(index)
        return attribute_dicts.read(spec, value, name)
    if isinstance(value, core.Method):
        array = flat_array(value)
        if array is not None:
            return flat_item(spec, array, index)
    if not isinstance(value, core.Leaf):
        raise core.Unsupported(f"an item of {core.describe(value)}")
    if isinstance(value.kind, ir.Known):
        item = _item_of_string(spec, value, index)
        if item is not None:
            return item
        raise core.Unsupported(
            f"an item of {core.describe(value)} can't be differentiated",
            "read it outside of the differentiated function and pass it in",
        )
    if isinstance(value.kind, ir.Scalar):
        article = "an" if value.kind.type == "int" else "a"
        problem = core.Unsupported(
            f"{article} {value.kind.type} has no items", "pass an array"
        )
        values_as_references.raise_for_number(spec, value, problem)
    assert isinstance(value.kind, ir.Array | ir.List | ir.Unknown | ir.NumPyScalar)
    present_kind = value.kind.present if isinstance(value.kind, ir.Unknown) else None
    if isinstance(present_kind, ir.Array) and not present_kind.promoted:
        operation = ir.Apply(require_array, (value.operand,))
        value = spec.assign(spec.fresh("array"), operation, present_kind)
    return spec.apply(operator.getitem, (value, index), hint="item")


def _item_of_string(
    spec: Specialiser, value: core.Leaf, index: core.Value
) -> core.Value | None:
    """A letter or a slice of a string."""
    kinds = [leaf.kind for leaf in core.leaves(index)]
    if core.is_slice(index) and all(map(rules.is_static, kinds)):
        index = core.constant(slice(*map(rules.static_value, kinds)))
    found = folded_call(operator.getitem, (value, index))
    is_text = isinstance(core.known_value(value), str)
    whole = (isinstance(k, ir.Scalar) and k.type in ("int", "bool") for k in kinds)
    if found is not None or not is_text or core.is_slice(index) or not all(whole):
        return found
    operands = (value.operand, core.operand_of(index))
    return spec.define(ir.Apply(operator.getitem, operands), ir.OPAQUE, "text")


@core.expression(ast.Slice)
def slice_expression(spec: Specialiser, node: ast.Slice) -> core.Value:
    bounds = [
        core.constant(None)
        if part is None
        else slice_bounds.with_named_bound(spec, spec.evaluate(part))
        for part in (node.lower, node.upper, node.step)
    ]
    return core.slice_of(*bounds)


def item_of_structure(
    spec: Specialiser, value: core.Aggregate, index: core.Value
) -> core.Value:
    """An item, or a slice, of a tuple, list or dict."""
    choice = _one_of_functions(value, index)
    if choice is not None:
        return choice
    chosen = item_choices.one_of_arrays(spec, value, index)
    if chosen is not None:
        return chosen
    dynamic = _with_unknown_length(spec, value, index)
    if dynamic is not None:
        return item_of(spec, dynamic, index)
    if core.is_slice(index):
        bounds = [_known_index(spec, b) for b in index.items]
        taken = spec.outcome(lambda: value.items[slice(*bounds)])
        return core.aggregate_of(taken, value.constructor)
    if item_choices.is_found_by_trial(spec, value, index):
        return item_choices.found_item(spec, value, index)
    key = _known_index(spec, index)
    try:
        if value.constructor is dict or not isinstance(key, int):
            return value.item(key)
        return value.items[key]
    except (KeyError, IndexError):
        problem = core.Unsupported(
            f"there is no item {core.key_text(key)} in {core.describe(value)}",
            f"it has {', '.join(map(core.key_text, value.keys)) or 'none'}",
        )
        error = KeyError if value.constructor is dict else IndexError
        spec.raises(problem, error(key))


def _one_of_functions(value: core.Aggregate, index: core.Value) -> core.Choice | None:
    """``functions[k]`` where k is known only when the program runs."""
    if (
        not isinstance(index, core.Leaf)
        or rules.is_static(index.kind)
        or index.path is not None
    ):
        return None
    if not value.items or not all(map(_can_be_called, value.items)):
        return None
    tags: list[Any] = list(value.keys)
    if value.constructor is not dict:
        tags = [(k, k - len(tags)) for k in range(len(tags))]
    options = tuple(zip(tags, value.items, strict=True))
    return core.Choice(core.Leaf(index.operand, index.kind), options, complete=False)


def _with_unknown_length(
    spec: Specialiser, value: core.Aggregate, index: core.Value
) -> core.Value | None:
    """A tuple or list as one whose length isn't followed, for an index that isn't known
    before the program runs; None where one is no use."""
    cls = value.constructor
    bases = [
        base
        for base in (tuple, list)
        if isinstance(cls, type) and issubclass(cls, base)
    ]
    specialised = any(
        spec.may_ask(leaf) and not rules.is_static(leaf.kind)
        for leaf in core.leaves(index)
    )
    if (
        not (bases and value.items)
        or specialised
        or rules.is_static(core.kind_of(index))
    ):
        return None
    try:
        return lists.as_dynamic(
            spec, core.aggregate_of(value.items, bases[0]), bases[0]
        )
    except core.Unsupported:
        if all(isinstance(core.kind_of(item), ir.Array) for item in value.items):
            raise
        return None  # refused as an index that isn't known


def _can_be_called(value: core.Value) -> bool:
    """True for functions and for objects with ``__call__``."""
    if isinstance(value, core.Aggregate) and core.has_methods(value):
        return members.member_of(value.constructor, "__call__") is not None
    return core.is_function(value)


def _known_index(spec: Specialiser, index: core.Value) -> Any:
    kind = core.kind_of(index)
    if rules.is_static(kind):
        return rules.static_value(kind)
    if spec.may_ask(index):
        return spec.ask(index)
    raise core.Unsupported(
        "a tuple, list or dict is indexed by a value that isn't known before the "
        "program runs",
        "use a literal index, or put the values into an array",
    )
