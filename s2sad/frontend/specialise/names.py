"""Names: local ones, and what comes from the module, the closure or builtins."""

from __future__ import annotations

import ast
from contextlib import suppress
from typing import Any

from s2sad.frontend.resolve import NameNotFound, StaticData
from s2sad.frontend.specialise.context import Read, Unsupported
from s2sad.frontend.specialise.specialiser import Specialiser, expression
from s2sad.frontend.specialise.values import (
    Aggregate,
    Leaf,
    Missing,
    Value,
    constant,
)
from s2sad.ir.kinds import UNKNOWN, Kind, Known
from s2sad.ir.nodes import Const, Global


@expression(ast.Name)
def name(spec: Specialiser, node: ast.Name) -> Value:
    owner = spec.frame.owner(node.id)
    if owner is None:
        return global_name(spec, node)
    value = owner.names.get(node.id)
    if value is None:
        value = Missing(
            f"{node.id!r} is read before it is assigned", "give it a value first"
        )
    if isinstance(value, Missing):
        raise Unsupported(node, value.reason, value.advice)
    if node.id in spec.rebound:  # read before it changes in the same statement
        with spec.inside(owner):
            return spec.held(value, [node.id])
    return value


def global_name(spec: Specialiser, node: ast.Name) -> Value:
    """A name of the module, the closure or builtins."""
    resolver = spec.frame.source.resolver
    try:
        binding = resolver.resolve(node.id)
    except NameNotFound:
        raise Unsupported(
            node, f"the name {node.id!r} isn't defined", "define or import it first"
        ) from None
    if not spec.derived:
        spec.reads.append(Read(resolver, node.id, (), binding.value))
    if binding.origin != "closure":
        return external_value(spec, binding.value, node.id, binding.module, node)
    return external_value(
        spec, binding.value, _captured_name(spec, node.id), "<closure>", node
    )


def _captured_name(spec: Specialiser, name: str) -> str:
    """How the output names a captured variable; those of an inlined function get its
    name too."""
    function = spec.frame.source.function
    if spec.frame.source.node is spec.main_node or function is None:
        return name
    closure = dict(
        zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    )
    spelled = f"{spec.frame.source.name}_{name}"
    while spec.cells.get(spelled, closure[name]) is not closure[name]:
        spelled += "_"
    spec.cells[spelled] = closure[name]
    return spelled


def external_value(
    spec: Specialiser, value: Any, spelled: str, module: str, node: ast.AST
) -> Value:
    """The value of data or a function that the program takes from outside."""
    from s2sad.frontend.external_data import data_kind

    if isinstance(value, StaticData):
        return _global(spec, spelled, module, UNKNOWN)
    kind = data_kind(value, spelled)
    if isinstance(kind, Known):
        own = module in (spec.main_module, "<closure>")
        if not spec.derived and own and spec.frame.source.module == spec.main_module:
            with suppress(TypeError):  # values that can't be hashed
                spec.spellings.setdefault(value, spelled)
        return Leaf(Const(value), kind)
    if isinstance(value, bool):
        return constant(value)
    if (
        isinstance(value, tuple | list | dict)
        and getattr(kind, "items", None) is not None
    ):
        return _external_structure(spec, value, kind, spelled, module, node)
    if spec.derived and isinstance(value, int | float):
        return constant(value)
    spec.note_symbols(kind)
    return _global(spec, spelled, module, kind)


def _global(spec: Specialiser, spelled: str, module: str, kind: Kind) -> Leaf:
    operand = Global(spelled, module)
    spec.global_kinds[operand] = kind
    return Leaf(operand, kind)


def _external_structure(
    spec: Specialiser, value: Any, kind: Any, spelled: str, module: str, node: ast.AST
) -> Value:
    keys = list(value) if isinstance(value, dict) else range(len(value))
    items = tuple(
        external_value(spec, value[key], f"{spelled}[{key!r}]", module, node)
        for key in keys
    )
    return Aggregate(kind.constructor, kind.keys, items)
