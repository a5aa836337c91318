"""Reading items: of structures at once, of arrays as an operation."""

from __future__ import annotations

import ast
import operator
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad.frontend.library.texts import all_texts
from s2sad.frontend.specialise.calls.conversions import folded_call
from s2sad.frontend.specialise.containers.dict_methods import entry
from s2sad.frontend.specialise.containers.lists import (
    as_dynamic,
    item_of_list,
)
from s2sad.frontend.specialise.containers.optionals import present
from s2sad.frontend.specialise.core.exceptions import (
    SpecialiseOnValue,
    Unsupported,
)
from s2sad.frontend.specialise.core.specialiser import Specialiser, expression
from s2sad.frontend.specialise.core.values import (
    Aggregate,
    Cell,
    Choice,
    Leaf,
    Method,
    Value,
    aggregate_of,
    constant,
    describe,
    holds_cell,
    is_function,
    is_rows,
    kind_of,
    leaves,
    slice_of,
)
from s2sad.frontend.specialise.heap.cells import (
    by_value,
    content_of,
    contents,
    held_content,
    is_container,
    set_content,
)
from s2sad.frontend.specialise.heap.chosen_cells import for_the_one, is_choice_of_cells
from s2sad.frontend.specialise.heap.item_choices import (
    found_item,
    is_found_by_trial,
    one_of_arrays,
)
from s2sad.frontend.specialise.heap.places import frozen, holds_places, item_place
from s2sad.frontend.specialise.heap.references import opened
from s2sad.frontend.specialise.heap.slice_bounds import with_named_bound
from s2sad.frontend.specialise.objects import attribute_dicts
from s2sad.frontend.specialise.objects.attribute_dicts import is_attributes
from s2sad.frontend.specialise.objects.members import member_of
from s2sad.frontend.specialise.objects.operator_methods import (
    has_methods,
    item_of_object,
)
from s2sad.ir.kinds import Array, Known, List, NumPyScalar, Scalar, Unknown
from s2sad.rules.result_kinds import is_static, static_value


@expression(ast.Subscript)
def subscript(spec: Specialiser, node: ast.Subscript) -> Value:
    value = spec.evaluate(node.value)
    return item_at(spec, value, spec.evaluate(node.slice), node)


def item_at(spec: Specialiser, value: Value, index: Value, node: ast.AST) -> Value:
    """``value[index]``, in operands that stay when a list or dict changes."""
    return opened(spec, _item_at(spec, value, index, node))


def _item_at(spec: Specialiser, value: Value, index: Value, node: ast.AST) -> Value:
    index = with_slices(by_value(spec, index))
    maker = _known_value(value)
    if isinstance(maker, type(np.s_)):
        many = isinstance(index, Aggregate) and index.constructor is tuple
        return aggregate_of((index,)) if maker.maketuple and not many else index
    text = None if maker is None else all_texts().get((type(maker), "__getitem__"))
    if text is not None and not spec.derived:
        from s2sad.frontend.specialise.calls.calls import call_function

        return call_function(spec, text.function, (index,), {}, node)
    if is_choice_of_cells(value):
        return for_the_one(
            spec, value, lambda one: item_at(spec, one, index, node), node
        )
    if not isinstance(value, Cell) or not is_container(value):
        return item_of(spec, value, index, node)
    if issubclass(value.constructor, dict):
        return entry(spec, value, index, node)
    content = content_of(spec, value)
    known = isinstance(content, Aggregate) and not is_rows(content)
    if known and holds_cell(content) and not is_static(kind_of(index)):
        content = as_dynamic(spec, content, node)
        set_content(spec, value, content, resized=False)
        content = content_of(spec, value)
    if isinstance(index, Aggregate):
        content = contents(spec, value)
    item = item_of(spec, content, index, node)
    if holds_places(spec, content):
        return item_place(spec, value, index, item)
    return frozen(spec, held_content(spec, item, value))


def with_slices(index: Value) -> Value:
    """An index, slices that are data (``ROWS = np.s_[1:]``) as those of the text."""
    known = _known_value(index)
    if isinstance(known, slice):
        return slice_of(*map(constant, (known.start, known.stop, known.step)))
    if isinstance(known, tuple) and any(isinstance(part, slice) for part in known):
        return with_slices(aggregate_of(tuple(map(constant, known))))
    if isinstance(index, Aggregate) and index.constructor is tuple:
        return replace(index, items=tuple(map(with_slices, index.items)))
    return index


def _known_value(value: Value) -> Any:
    """What isn't a number, and known when the derivative is compiled; None else."""
    kind = value.kind if isinstance(value, Leaf) else None
    return kind.value if isinstance(kind, Known) else None


def item_of(spec: Specialiser, value: Value, index: Value, node: ast.AST) -> Value:
    """``value[index]``."""
    value = present(spec, value, node)
    own = item_of_object(spec, value, index, node)
    if own is not None:
        return own
    item = item_of_list(spec, value, index, node)
    if item is not None:
        return item
    if isinstance(value, Aggregate):
        return item_of_structure(spec, value, index, node)
    if is_attributes(value):
        name = attribute_dicts.known_name(index, node)
        return attribute_dicts.read(spec, value, name, node)
    if isinstance(value, Method):
        from s2sad.frontend.specialise.heap.flat_places import flat_array, flat_item

        array = flat_array(value)
        if array is not None:
            return flat_item(spec, array, index, node)
    if not isinstance(value, Leaf):
        raise Unsupported(node, f"an item of {describe(value)}", "")
    if isinstance(value.kind, Known):
        item = _item_of_string(value, index)
        if item is not None:
            return item
        raise Unsupported(
            node,
            f"an item of {describe(value)} can't be differentiated",
            "read it outside of the differentiated function and pass it in",
        )
    if isinstance(value.kind, Scalar):
        raise Unsupported(node, f"a {value.kind.type} has no items", "pass an array")
    assert isinstance(value.kind, Array | List | Unknown | NumPyScalar)
    return spec.apply(operator.getitem, (value, index), node=node, hint="item")


def _item_of_string(value: Leaf, index: Value) -> Value | None:
    """A letter or a slice of a string, where all is known."""
    if isinstance(index, Aggregate) and index.constructor is slice:
        bounds = [kind_of(b) for b in index.items]
        if not all(map(is_static, bounds)):
            return None
        index = constant(slice(*map(static_value, bounds)))
    return folded_call(operator.getitem, (value, index))


@expression(ast.Slice)
def slice_expression(spec: Specialiser, node: ast.Slice) -> Value:
    bounds = [
        constant(None) if part is None else with_named_bound(spec, spec.evaluate(part))
        for part in (node.lower, node.upper, node.step)
    ]
    return slice_of(*bounds)


def item_of_structure(
    spec: Specialiser, value: Aggregate, index: Value, node: ast.AST
) -> Value:
    """An item, or a slice, of a tuple, list or dict."""
    choice = _one_of_functions(value, index)
    if choice is not None:
        return choice
    chosen = one_of_arrays(spec, value, index, node)
    if chosen is not None:
        return chosen
    dynamic = _with_unknown_length(spec, value, index, node)
    if dynamic is not None:
        return item_of(spec, dynamic, index, node)
    if isinstance(index, Aggregate) and index.constructor is slice:
        bounds = [_known_index(spec, b, node) for b in index.items]
        return aggregate_of(value.items[slice(*bounds)], value.constructor)
    if is_found_by_trial(spec, value, index):
        return found_item(spec, value, index, node)
    key = _known_index(spec, index, node)
    try:
        if value.constructor is dict or not isinstance(key, int):
            return value.item(key)
        return value.items[key]
    except (KeyError, IndexError):
        problem = Unsupported(
            node,
            f"there is no item {key!r} in {describe(value)}",
            f"it has {', '.join(repr(k) for k in value.keys) or 'none'}",
        )
        error = KeyError if value.constructor is dict else IndexError
        spec.raises(problem, error(key))


def _one_of_functions(value: Aggregate, index: Value) -> Choice | None:
    """``functions[k]`` where k is known only when the program runs."""
    if not isinstance(index, Leaf) or is_static(index.kind) or index.path is not None:
        return None
    if not value.items or not all(map(_can_be_called, value.items)):
        return None
    tags: list[Any] = list(value.keys)
    if value.constructor is not dict:
        tags = [(k, k - len(tags)) for k in range(len(tags))]
    options = tuple(zip(tags, value.items, strict=True))
    return Choice(Leaf(index.operand, index.kind), options, complete=False)


def _with_unknown_length(
    spec: Specialiser, value: Aggregate, index: Value, node: ast.AST
) -> Value | None:
    """A tuple or list as one whose length isn't followed, for an index that isn't known
    before the program runs; None where one is no use."""
    cls = value.constructor
    bases = [
        base
        for base in (tuple, list)
        if isinstance(cls, type) and issubclass(cls, base)
    ]
    specialised = not spec.static and any(
        leaf.path is not None and not is_static(leaf.kind) for leaf in leaves(index)
    )
    if not (bases and value.items) or specialised or is_static(kind_of(index)):
        return None
    try:
        return as_dynamic(spec, aggregate_of(value.items, bases[0]), node, bases[0])
    except Unsupported:
        if all(isinstance(kind_of(item), Array) for item in value.items):
            raise
        return None  # refused as an index that isn't known


def _can_be_called(value: Value) -> bool:
    """True for functions and for objects with ``__call__``."""
    if isinstance(value, Aggregate) and has_methods(value):
        return member_of(value.constructor, "__call__") is not None
    return is_function(value)


def _known_index(spec: Specialiser, index: Value, node: ast.AST) -> Any:
    kind = kind_of(index)
    if is_static(kind):
        return static_value(kind)
    if isinstance(index, Leaf) and index.path is not None and not spec.static:
        raise SpecialiseOnValue(index.path)
    raise Unsupported(
        node,
        "a tuple, list or dict is indexed by a value that isn't known before the "
        "program runs",
        "use a literal index, or put the values into an array",
    )
