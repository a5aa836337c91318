"""Operands that rules don't know, where an operation that has a derivative meets them.

What varies meets a number or array alone: a member of an enumeration of floats is the
float that it is, an object with operators of its own (a ``Fraction``, a pandas Series)
is refused, and what only the run knows is looked at when it runs.
"""

import ast
import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from s2sad import ir, rules
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser, Words
from s2sad.frontend.specialise.language.names import object_global
from s2sad.ops.runtime.arguments import require_plain
from s2sad.source.kinds.foreign_classes import number_class, words_about

_AS_OBJECTS = (operator.is_, operator.is_not, operator.eq, operator.ne)
"""Operators that members of enumerations meet as what they are."""
Operands = tuple[Args, Words]


@core.verb
def known_operands(
    spec: Specialiser,
    function: Callable[..., Any],
    rule: rules.Rule | None,
    args: Args,
    keywords: Mapping[str, core.Value],
) -> Operands:
    """The operands of an operation as numbers and arrays that its rule knows.

    Raises Unsupported for a foreign one that meets what may vary.
    """
    if spec.derived:
        return args, dict(keywords)
    as_objects = rule is None or function in _AS_OBJECTS

    def known(leaf: core.Leaf) -> core.Leaf:
        return _named(spec, leaf if as_objects else as_number(spec, leaf))

    args = tuple(core.map_leaves(a, known) for a in args)
    words = {k: core.map_leaves(v, known) for k, v in keywords.items()}
    if rule is None or as_objects:
        return args, words
    differentiated = list(_differentiated(rule, args, words))
    if not any(map(core.may_vary, differentiated)):
        return args, words

    def plain(leaf: core.Leaf) -> core.Leaf:
        if not any(leaf is d for d in differentiated):
            return leaf
        refuse_foreign(spec, leaf, args)
        return _plain(spec, leaf)

    return (
        tuple(core.map_leaves(a, plain) for a in args),
        {k: core.map_leaves(v, plain) for k, v in words.items()},
    )


def as_number(spec: Specialiser, leaf: core.Leaf) -> core.Leaf:
    """A known member of an enumeration of numbers, or a known number of a class derived
    from Python's, as a number of the program."""
    if not isinstance(leaf.kind, ir.Known):
        return leaf
    known = leaf.kind.value
    cls = number_class(type(known))
    if cls is int:
        return core.constant(int(known))
    kind = ir.Scalar("float", cls=type(known))
    return leaf if cls is not float else object_global(spec, known, kind)


def _named(spec: Specialiser, leaf: core.Leaf) -> core.Leaf:
    """A known object of a foreign class under the name that leads to it."""
    if isinstance(leaf.operand, ir.Const) and core.foreign_class(leaf.kind) is not None:
        return object_global(spec, leaf.operand.value, leaf.kind)
    return leaf


def refuse_foreign(spec: Specialiser, leaf: core.Leaf, args: Args) -> None:
    """Raise Unsupported for one of the operands that has operators which no rule is
    made for."""
    cls = core.foreign_class(leaf.kind)
    objects = isinstance(leaf.kind, ir.Array) and ir.dtype_of(leaf.kind) == "object"
    if cls is None and not objects:
        return
    name = _spelled(leaf, args, spec.place) or _name_of(spec, leaf)
    if cls is not None:
        raise core.Unsupported(*words_about(cls, name))
    raise core.Unsupported(
        f"{name} is an array of objects, whose operators aren't known",
        f"pass {name}.astype(float)",
    )


def _spelled(leaf: core.Leaf, args: Args, place: ast.AST) -> str | None:
    """How the user writes an operand, where the operation is one that is written."""
    written: list[ast.expr] = []
    match place:
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


def _name_of(spec: Specialiser, leaf: core.Leaf) -> str:
    match leaf.operand:
        case ir.Global(name=name):
            return name
        case ir.Var(name=name) if "." not in name:
            return name
        case ir.Const(value=value) if id(value) in spec.module.places:
            return str(spec.module.places[id(value)][0])
    return "the operand"


def _plain(spec: Specialiser, leaf: core.Leaf) -> core.Leaf:
    """A value of which nothing is known, looked at when the program runs."""
    kind = leaf.kind
    opaque = isinstance(kind, ir.Unknown) and kind.inactive and kind.present is None
    if isinstance(kind, ir.RandomSource) or not (opaque or kind == ir.UNREAD):
        return leaf
    seen = ir.UNKNOWN if kind == ir.UNREAD else kind
    checked = spec.define(ir.Apply(require_plain, (leaf.operand,)), seen, "data")
    assert isinstance(checked, core.Leaf)
    return checked


def _differentiated(
    rule: rules.Rule, args: Args, words: Mapping[str, core.Value]
) -> Iterator[core.Leaf]:
    try:
        bound = rule.arguments_of(args, words)
    except TypeError:
        return  # told with the kind of the result
    for name in rule.differentiable:
        value = bound.get(name)
        for part in value if isinstance(value, tuple) else (value,):
            if part is not None:
                yield from core.leaves(part)
