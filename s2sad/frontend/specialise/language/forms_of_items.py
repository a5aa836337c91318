"""The form of what stands in a list of unknown length: all but the numbers and arrays
in it, which stand in lists beside each other. Items of one list have one form.

Functions that are made inside keep numbers in their defaults, and read variables of the
activations around them: ``lambda v, a=k: v * a`` and ``lambda v, a=k: v + a`` have two
forms, and so have two that read variables of different activations."""

import ast
from collections.abc import Hashable, Iterator
from typing import Any

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.source.text import scopes


def form_of(value: core.Value) -> Hashable:
    """What is known of a value but for the numbers and arrays in it."""
    if isinstance(value, core.Aggregate):
        return (value.constructor, value.keys, tuple(map(form_of, value.items)))
    cls: Any = type(value)
    if not isinstance(value, (*core.FUNCTIONS, core.Choice)):
        return cls
    parts = tuple((key, form_of(part)) for key, part in core.parts_of(value))
    return cls, _which(value), parts


def _which(function: core.Value) -> Hashable:
    """What is called, or where its text is and what it reads."""
    match function:
        case core.Closure(source=source):
            return source.identity, *_variables_read(function)
        case core.Partial(function=core.Leaf(operand=ir.Const() as known), args=args):
            return known, len(args)
        case core.Partial(args=args):
            return len(args)
    return getattr(function, "name", None)


def _variables_read(function: core.Closure) -> Iterator[Hashable]:
    """The names that a function reads of activations, each with where it stands: what
    is called in a loop has another activation in each turn. A constant is the same in
    all of them."""
    node = function.source.node
    body = node.body if isinstance(node.body, list) else [node.body]
    own = {p.arg for p in ast.walk(node.args) if isinstance(p, ast.arg)}
    own |= scopes.assigned_names(body)
    for name in sorted(scopes.names_in_text(node) - own):
        owner = function.frame.owner(name)
        held = owner and owner.names.get(name)
        if isinstance(held, core.Leaf) and isinstance(held.operand, ir.Const):
            yield name, held.operand
        elif owner is not None:
            yield name, owner
