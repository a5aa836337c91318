"""What the specialiser knows of a value: its kind, and the operands that hold it at run
time."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from s2sad.ir.kinds import (
    Kind,
    Known,
    Scalar,
    Structure,
    join,
)
from s2sad.ir.nodes import Const, Operand, Pack, Slice


@dataclass(frozen=True, slots=True)
class Leaf:
    """A value held by one operand."""

    operand: Operand
    kind: Kind
    path: Hashable = None
    """Where in the arguments the value comes from, so that its number can be asked
    for."""


@dataclass(frozen=True, slots=True)
class Aggregate:
    """A structure whose items are followed one by one."""

    constructor: type
    keys: tuple[Hashable, ...]
    items: tuple[Value, ...]

    def item(self, key: Hashable) -> Value:
        """The item under a key; raises KeyError."""
        for known, value in zip(self.keys, self.items, strict=True):
            if known == key and type(known) is type(key):
                return value
        raise KeyError(key)


@dataclass(frozen=True, slots=True)
class Method:
    """A method looked up on a value, not called yet."""

    receiver: Value
    name: str


@dataclass(frozen=True, slots=True)
class Missing:
    """A name that can't be read, with the reason."""

    reason: str
    advice: str


Value = Leaf | Aggregate | Method | Missing


def constant(value: Any) -> Leaf:
    """A value known at compile time."""
    if type(value) in (bool, int, float, complex):
        return Leaf(Const(value), Scalar(type(value).__name__, value))
    return Leaf(Const(value), Known(value))


def aggregate_of(items: tuple[Value, ...], constructor: type = tuple) -> Aggregate:
    """A tuple or list of values."""
    return Aggregate(constructor, tuple(range(len(items))), items)


def slice_of(lower: Value, upper: Value, step: Value) -> Aggregate:
    """A slice; None for a bound left out."""
    return Aggregate(slice, ("lower", "upper", "step"), (lower, upper, step))


def kind_of(value: Value) -> Kind:
    """The kind of a value."""
    if isinstance(value, Leaf):
        return value.kind
    if isinstance(value, Aggregate):
        return Structure(
            value.constructor, value.keys, tuple(map(kind_of, value.items))
        )
    return Known(value)


def operand_of(value: Value) -> Operand:
    """The operand that stands for a value; raises TypeError for methods and missing
    values."""
    if isinstance(value, Leaf):
        return value.operand
    if isinstance(value, Aggregate):
        if value.constructor is slice:
            bounds = [operand_of(item) for item in value.items]
            return Slice(*(None if b == Const(None) else b for b in bounds))
        return Pack(value.constructor, value.keys, tuple(map(operand_of, value.items)))
    raise TypeError(f"no operand for {value}")


def leaves(value: Value) -> Iterator[Leaf]:
    """The leaves of a value, in order."""
    if isinstance(value, Leaf):
        yield value
    elif isinstance(value, Aggregate):
        for item in value.items:
            yield from leaves(item)


def map_leaves(value: Value, change: Callable[[Leaf, tuple], Value], path=()) -> Value:
    """The value with each leaf changed; ``change`` takes the leaf and its path of
    keys."""
    if isinstance(value, Leaf):
        return change(value, path)
    if isinstance(value, Aggregate):
        return replace(
            value,
            items=tuple(
                map_leaves(item, change, (*path, key))
                for key, item in zip(value.keys, value.items, strict=True)
            ),
        )
    return value


def describe(value: Value) -> str:
    """A few words for error messages."""
    if isinstance(value, Aggregate):
        name = getattr(value.constructor, "__name__", str(value.constructor))
        return f"a {name} of {len(value.items)}"
    if isinstance(value, Leaf):
        if isinstance(value.kind, Known):
            known = value.kind.value
            return getattr(known, "__name__", None) or repr(known)
        return f"of kind {value.kind}"
    return "a method" if isinstance(value, Method) else "undefined"


def join_values(name: str, a: Value, b: Value, owner: Hashable) -> Value:
    """The value of a name that is ``a`` on one path and ``b`` on another.

    Both hold their leaves in the same variables, or are constants; what can't be one
    value is Missing, which is reported only if the name is read.
    """
    if a == b:
        return a
    if isinstance(a, Missing):
        return a
    if isinstance(b, Missing):
        return b
    if isinstance(a, Leaf) and isinstance(b, Leaf):
        kind = join(a.kind, b.kind, owner)
        if a.operand == b.operand:
            return Leaf(a.operand, kind, a.path if a.path == b.path else None)
    elif isinstance(a, Aggregate) and isinstance(b, Aggregate):
        if a.constructor is b.constructor and a.keys == b.keys:
            items = tuple(
                join_values(name, x, y, (owner, k))
                for k, x, y in zip(a.keys, a.items, b.items, strict=True)
            )
            return Aggregate(a.constructor, a.keys, items)
    return Missing(
        f"{name!r} is {describe(a)} on one path and {describe(b)} on another",
        "give it the same structure on both paths, or use two names",
    )


def static_truth(value: Value) -> bool | None:
    """The truth value where it is known at compile time, else None."""
    if isinstance(value, Aggregate):
        return bool(value.items)
    if isinstance(value, Leaf):
        if isinstance(value.kind, Known):
            return bool(value.kind.value)
        if isinstance(value.kind, Scalar) and value.kind.value is not None:
            return bool(value.kind.value)
    return None
