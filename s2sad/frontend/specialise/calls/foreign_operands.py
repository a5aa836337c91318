"""Operands that rules don't know, where an operation that has a derivative meets them.

What varies meets a number or array alone: a member of an enumeration of floats is the
float that it is, an object with operators of its own (a ``Fraction``, a pandas Series)
is refused, and what only the run knows is looked at when it runs.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from s2sad.frontend.specialise.core.exceptions import Unsupported
from s2sad.frontend.specialise.core.names import object_global
from s2sad.frontend.specialise.core.values import (
    Leaf,
    Value,
    constant,
    leaves,
    map_leaves,
)
from s2sad.ir.kinds import (
    OPAQUE,
    UNKNOWN,
    UNREAD,
    Array,
    Foreign,
    Kind,
    Known,
    RandomSource,
    Scalar,
    Sparse,
    Unknown,
    dtype_of,
    is_real_number_kind,
)
from s2sad.ir.nodes import Apply, Const, Global, Var
from s2sad.ops.runtime.plain_data import require_plain
from s2sad.rules.registry import Rule
from s2sad.source.kinds.foreign_classes import is_foreign, number_class, words_about

_AS_OBJECTS = (operator.is_, operator.is_not, operator.eq, operator.ne)
"""Operators that members of enumerations meet as what they are."""
MAKE_TEXTS = (operator.add, operator.mul, operator.mod)
"""Operators that make a text of a text."""
Operands = tuple[tuple[Value, ...], dict[str, Value]]


def known_operands(
    spec: Any,
    function: Callable[..., Any],
    rule: Rule | None,
    args: tuple[Value, ...],
    keywords: Mapping[str, Value],
    node: ast.AST | None,
) -> Operands:
    """The operands of an operation as numbers and arrays that its rule knows.

    Raises Unsupported for a foreign one that meets what may vary.
    """
    if spec.derived:
        return args, dict(keywords)
    as_objects = rule is None or function in _AS_OBJECTS

    def known(leaf: Leaf, path: Any) -> Leaf:
        return _named(spec, leaf if as_objects else as_number(spec, leaf))

    args = tuple(map_leaves(a, known) for a in args)
    words = {k: map_leaves(v, known) for k, v in keywords.items()}
    if rule is None or as_objects:
        return args, words
    differentiated = list(_differentiated(rule, args, words))
    if not any(map(may_vary, differentiated)):
        return args, words

    def plain(leaf: Leaf, path: Any) -> Leaf:
        if not any(leaf is d for d in differentiated):
            return leaf
        refuse_foreign(spec, leaf, args, node)
        return _plain(spec, leaf)

    return (
        tuple(map_leaves(a, plain) for a in args),
        {k: map_leaves(v, plain) for k, v in words.items()},
    )


def as_number(spec: Any, leaf: Leaf) -> Leaf:
    """A known member of an enumeration of numbers, or a known number of a class derived
    from Python's, as a number of the program."""
    if not isinstance(leaf.kind, Known):
        return leaf
    known = leaf.kind.value
    cls = number_class(type(known))
    if cls is int:
        return constant(int(known))
    kind = Scalar("float", cls=type(known))
    return leaf if cls is not float else object_global(spec, known, kind)


def _named(spec: Any, leaf: Leaf) -> Leaf:
    """A known object of a foreign class under the name that leads to it."""
    if isinstance(leaf.operand, Const) and foreign_class(leaf.kind) is not None:
        return object_global(spec, leaf.operand.value, leaf.kind)
    return leaf


def lawful_kind(
    kind: Unknown,
    function: Callable[..., Any],
    rule: Rule | None,
    values: tuple[Value, ...],
) -> Kind:
    """The kind of a result of which nothing is known: it may vary where an operand may,
    unless the operation has no derivative or makes a text."""
    if kind.present is not None or isinstance(kind, RandomSource | Sparse):
        return kind
    operands = [leaf for value in values for leaf in leaves(value)]
    varies = any(map(may_vary, operands))
    if rule is not None and not rule.differentiates:
        return OPAQUE if isinstance(kind, Foreign) else kind
    text = function in MAKE_TEXTS and any(map(_is_text, operands))
    if not varies or text:
        return OPAQUE
    return UNREAD if rule is None else UNKNOWN


def may_vary(leaf: Leaf) -> bool:
    """True for numbers and arrays that are neither literals nor data."""
    data = isinstance(leaf.operand, Const | Global) and leaf.kind != UNKNOWN
    return is_real_number_kind(leaf.kind) and not data


def _is_text(leaf: Leaf) -> bool:
    kind = leaf.kind
    return isinstance(kind, Known) and isinstance(kind.value, str | bytes)


def refuse_foreign(
    spec: Any, leaf: Leaf, args: tuple[Value, ...], node: ast.AST | None
) -> None:
    """Raise Unsupported for one of the operands that has operators which no rule is
    made for."""
    cls = foreign_class(leaf.kind)
    objects = isinstance(leaf.kind, Array) and dtype_of(leaf.kind) == "object"
    if cls is None and not objects:
        return
    name = _spelled(leaf, args, node) or _name_of(spec, leaf)
    if cls is not None:
        raise Unsupported(node, *words_about(cls, name))
    raise Unsupported(
        node,
        f"{name} is an array of objects, whose operators aren't known",
        f"pass {name}.astype(float)",
    )


def foreign_class(kind: Kind) -> type | None:
    """The class of a value of this kind, if it is foreign."""
    if isinstance(kind, Foreign):
        return kind.cls
    if isinstance(kind, Known) and is_foreign(type(kind.value)):
        return type(kind.value)
    return None


def _spelled(leaf: Leaf, args: tuple[Value, ...], node: ast.AST | None) -> str | None:
    """How the user writes an operand, where the operation is one that is written."""
    written: list[ast.expr] = []
    match node:
        case ast.BinOp(left=left, right=right):
            written = [left, right]
        case ast.AugAssign(target=target, value=value):
            written = [target, value]
        case ast.UnaryOp(operand=operand):
            written = [operand]
        case ast.Call(args=written):
            pass
    if len(written) != len(args):
        return None
    found = (w for w, a in zip(written, args, strict=True) if a is leaf)
    return next(map(ast.unparse, found), None)


def _name_of(spec: Any, leaf: Leaf) -> str:
    match leaf.operand:
        case Global(name=name):
            return name
        case Var(name=name) if "." not in name:
            return name
        case Const(value=value) if id(value) in spec.places:
            return str(spec.places[id(value)][0])
    return "the operand"


def _plain(spec: Any, leaf: Leaf) -> Leaf:
    """A value of which nothing is known, looked at when the program runs."""
    kind = leaf.kind
    opaque = isinstance(kind, Unknown) and kind.inactive and kind.present is None
    if isinstance(kind, RandomSource) or not (opaque or kind == UNREAD):
        return leaf
    seen = UNKNOWN if kind == UNREAD else kind
    checked = spec.define(Apply(require_plain, (leaf.operand,)), seen, "data")
    assert isinstance(checked, Leaf)
    return checked


def _differentiated(
    rule: Rule, args: tuple[Value, ...], words: Mapping[str, Value]
) -> Iterator[Leaf]:
    try:
        bound = rule.arguments_of(args, words)
    except TypeError:
        return  # told with the kind of the result
    for name in rule.differentiable:
        value = bound.get(name)
        for part in value if isinstance(value, tuple) else (value,):
            if part is not None:
                yield from leaves(part)
