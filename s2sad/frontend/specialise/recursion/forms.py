"""The form of values: what calls of a function that calls itself have in common."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import Any

from s2sad import ir
from s2sad.frontend.specialise import core


def form_of(arguments: dict[str, core.Value], whole: bool = False) -> Hashable:
    """What two activations share if one can take the place of the other: the structure
    and kinds of the arguments, numbers and lengths left out; ``whole``: but for whole
    numbers that are known."""
    symbols: dict[Hashable, Hashable] = {}
    return tuple(
        (name, *_form(value, symbols, whole))
        for name, value in sorted(arguments.items())
    )


def _form(
    value: core.Value, symbols: dict[Hashable, Hashable], whole: bool
) -> tuple[Hashable, ...]:
    match value:
        case core.Leaf():
            if whole and is_whole(value):
                return (repr(value.operand),)
            if is_stand_in(value):
                return ("key", _without_symbols(value.kind))
            if is_static(value):
                known: Any = value.operand.value  # type: ignore[union-attr]
                plain = isinstance(known, str | bytes | bool | type(None))
                return (repr(known) if plain else id(known),)
            return (
                _without_symbols(widened_kind(value.kind, symbols)),
                _symbols(value.kind, symbols),
            )
        case core.Aggregate():
            inner = tuple(_form(item, symbols, whole) for item in value.items)
            return (value.constructor, value.keys, inner)
        case core.Cell():
            return ("cell", id(value.frame))
        case core.Closure() | core.Partial() | core.Method():
            named = (
                type(value).__name__,
                id(getattr(value, "source", None)),
                id(getattr(value, "frame", None)),
            )
            parts: list[Hashable] = []

            def noted(leaf: core.Leaf, path: tuple) -> core.Leaf:
                parts.append(_form(leaf, symbols, whole))
                return leaf

            core.map_leaves(value, noted)
            return (*named, getattr(value, "name", ""), *parts)
    raise core.Unsupported(
        None,
        f"{core.describe(value)} is passed to a function that calls itself",
        "pass numbers, arrays, structures of them, or functions",
    )


def is_static(leaf: core.Leaf) -> bool:
    """Known to the compiler, and the same in each call: a function, a string, a flag,
    None."""
    if not isinstance(leaf.operand, ir.Const):
        return False
    return (
        is_stand_in(leaf)
        or not isinstance(leaf.kind, ir.Scalar | ir.NumPyScalar)
        or (isinstance(leaf.kind, ir.Scalar) and leaf.kind.type == "bool")
    )


def is_stand_in(leaf: core.Leaf) -> bool:
    """What stands for the keys of a dict that only the run knows: its kind counts."""
    return isinstance(leaf.operand, ir.Const) and leaf.operand.value is core.Entries


def is_whole(leaf: core.Leaf) -> bool:
    """A whole number known to the compiler."""
    return isinstance(leaf.operand, ir.Const) and type(leaf.operand.value) is int


def widened_kind(kind: ir.Kind, symbols: dict[Hashable, Hashable]) -> ir.Kind:
    """The kind with numbers and lengths forgotten; equal lengths stay equal."""
    kind = ir.without_value(kind)
    if isinstance(kind, ir.Array) and kind.axes is not None:
        axes = tuple(
            a
            if a.length == "one"
            else ir.Axis("any", symbols.setdefault(a.symbol, ("length", len(symbols))))
            for a in kind.axes
        )
        return replace(kind, axes=axes)
    return ir.with_free_items(kind)


def _without_symbols(kind: ir.Kind) -> ir.Kind:
    """All that is known of a kind but which lengths are equal, and whether a number may
    be one of Python's on some paths."""
    match kind:
        case ir.Scalar():
            return replace(kind, length_of=None)
        case ir.NumPyScalar():
            return replace(kind, maybe_python=False)
        case ir.Array(axes=axes) | ir.Sparse(axes=axes) if axes is not None:
            return replace(kind, axes=tuple(ir.Axis(a.length) for a in axes))
        case ir.List(item=item, axis=axis):
            item = item and _without_symbols(item)
            return replace(kind, item=item, axis=ir.Axis(axis.length))
        case ir.Structure(items=items):
            return replace(kind, items=tuple(map(_without_symbols, items)))
    return kind


def _symbols(kind: ir.Kind, symbols: dict[Hashable, Hashable]) -> tuple[Hashable, ...]:
    widened = widened_kind(kind, symbols)
    axes = widened.axes if isinstance(widened, ir.Array) else None
    return tuple(a.symbol for a in axes or ())


def form_shape(value: core.Value) -> Hashable:
    """The structure of a value, whatever its leaves are."""
    if isinstance(value, core.Aggregate):
        return (value.constructor, value.keys, *map(form_shape, value.items))
    if isinstance(value, core.Cell):
        return id(value.frame)
    cls: Any = type(value)
    return cls


def dynamic_leaves(value: core.Value) -> list[core.Leaf]:
    """What of a value is known only when the program runs."""
    return [leaf for leaf in core.leaves(value) if not is_static(leaf)]


def results_of_call(procedure: Any, found: core.Value) -> list[core.Leaf]:
    """The results of a program, of what a call of it gave. For these arguments one may
    be known when the derivative is compiled: it is a result like the others."""
    pairs = zip(core.leaves(procedure.details.result), core.leaves(found), strict=True)
    return [leaf for own, leaf in pairs if not is_static(own)]


def returned_kinds(procedure: ir.Procedure) -> list[Any]:
    """The kinds of what a procedure returns."""
    return [leaf.kind for leaf in dynamic_leaves(procedure.details.result)]
