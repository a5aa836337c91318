"""What rules of the user's give, held against what it belongs to: structure, shapes and
dtypes.

Takes the results of compiled rules and what they must fit. Gives the places to which
the numbers and arrays in them belong, or raises with the rule, the argument, what was
returned and what was expected. What kinds don't tell is left to a check when the
program runs.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.recursion.forms import dynamic_leaves, is_static


@dataclass(frozen=True)
class Place:
    """Where a number or array that a rule gives belongs."""

    owner: Any
    """The leaf that it belongs to; None for what belongs to nothing."""
    check: str = ""
    """What it is called in a check when the program runs; "" where none is needed."""


def cotangents_of(
    returned: core.Value | None, arguments: Mapping[str, core.Value], what: str
) -> tuple[Place, ...]:
    """For each number and array that a reverse function gives: the argument that it is
    a cotangent of. ``what`` names the function."""
    names = list(arguments)
    returned = core.constant(None) if returned is None else returned
    items: tuple[core.Value, ...] = (returned,)
    if len(names) != 1 or _is_tuple_of_one(returned, arguments[names[0]]):
        listed = ", ".join(names) or "none"
        if not isinstance(returned, core.Aggregate) or returned.constructor not in (
            tuple,
            list,
        ):
            raise core.Unsupported(
                f"{what} returns {shown(returned)}, and must return a tuple of "
                f"{len(names)} cotangents, for {listed}",
                "return one for each argument, None where there is none",
            )
        if len(returned.items) != len(names):
            raise core.Unsupported(
                f"{what} returns {len(returned.items)} cotangents, and must return "
                f"{len(names)}, for {listed}",
                "return one for each argument, None where there is none",
            )
        items = returned.items
    found: list[Place] = []
    for name, item in zip(names, items, strict=True):
        title = f"the cotangent that {what} gives for {name}"
        _fit(arguments[name], item, title, found)
    return tuple(found)


def fitted(result: core.Value, given: core.Value, what: str) -> tuple[Place, ...]:
    """The same of what must have the structure of one value."""
    found: list[Place] = []
    _fit(result, given, what, found)
    return tuple(found)


def same_form(result: core.Value, other: core.Value, what: str) -> None:
    """Refuse what hasn't the structure, the shapes and the dtypes of a function's own
    result."""
    own = "what the function itself returns"
    if isinstance(result, core.Aggregate) or isinstance(other, core.Aggregate):
        if not _same_keys(result, other) or result.keys != other.keys:  # type: ignore[union-attr]
            raise core.Unsupported(
                f"{what} is {shown(other)}, but {own} is {shown(result)}",
                "return the same from both",
            )
        for one, another in zip(result.items, other.items, strict=True):  # type: ignore[union-attr]
            same_form(one, another, what)
        return
    if not isinstance(result, core.Leaf) or not isinstance(other, core.Leaf):
        return
    if is_static(result) and is_static(other) and result.operand == other.operand:
        return
    if ir.is_real_number_kind(result.kind) != ir.is_real_number_kind(other.kind) or (
        _shapes_differ(result.kind, other.kind)
        or _dtypes_differ(result.kind, other.kind)
    ):
        raise core.Unsupported(
            f"{what} is {shown(other)}, but {own} is {shown(result)}",
            "return the same from both",
        )


def _is_tuple_of_one(returned: core.Value, argument: core.Value) -> bool:
    """A tuple around the only cotangent."""
    return (
        isinstance(returned, core.Aggregate)
        and returned.constructor is tuple
        and len(returned.items) == 1
        and not isinstance(argument, core.Aggregate)
    )


def _fit(owner: core.Value, given: core.Value, what: str, found: list[Place]) -> None:
    if given == core.constant(None):
        return
    if isinstance(owner, core.Aggregate):
        if not _same_keys(owner, given):
            raise core.Unsupported(
                f"{what} is {shown(given)}, and must be {shown(owner)}",
                "give it the structure of the argument, or None",
            )
        assert isinstance(given, core.Aggregate)
        for key, item in zip(given.keys, given.items, strict=True):
            _fit(owner.item(key), item, f"{what}[{key!r}]", found)
        return
    if not isinstance(owner, core.Leaf) or is_static(owner):
        found += [Place(None) for _ in dynamic_leaves(given)]
        return
    if not ir.is_real_number_kind(owner.kind):  # an int, or the like: no derivative
        found += [Place(None) for _ in dynamic_leaves(given)]
        return
    if not isinstance(given, core.Leaf) or is_static(given):
        raise core.Unsupported(
            f"{what} is {shown(given)}, and must be {shown(owner)}",
            "return a number or an array of its shape, or None",
        )
    if _shapes_differ(owner.kind, given.kind):
        raise core.Unsupported(
            f"{what} is {shown(given)}, and must have the shape of {shown(owner)}",
            "return an array of its shape, or None",
        )
    if _is_no_float(owner.kind, given.kind):
        raise core.Unsupported(
            f"{what} is {shown(given)}, and must be of floats, as {shown(owner)} is",
            "convert it with astype",
        )
    found.append(Place(owner, "" if _surely_fits(owner.kind, given.kind) else what))


def _same_keys(a: core.Value, b: core.Value) -> bool:
    if not isinstance(a, core.Aggregate) or not isinstance(b, core.Aggregate):
        return False
    return a.constructor is b.constructor and set(a.keys) == set(b.keys)


def _shapes_differ(wanted: ir.Kind, found: ir.Kind) -> bool:
    """True where two kinds surely have different shapes."""
    own, other = ir.axes_of(wanted), ir.axes_of(found)
    if isinstance(wanted, ir.List) != isinstance(found, ir.List):
        known = not isinstance(wanted, ir.Unknown) and not isinstance(found, ir.Unknown)
        return known and (isinstance(wanted, ir.List) or isinstance(found, ir.List))
    if own is None or other is None or ir.is_promoted(wanted) or ir.is_promoted(found):
        return False
    if len(own) != len(other):
        return True
    return any({a.length, b.length} == {"one", "many"} for a, b in zip(own, other))


def _dtypes_differ(wanted: ir.Kind, found: ir.Kind) -> bool:
    if not isinstance(wanted, ir.Array) or not isinstance(found, ir.Array):
        return False
    own, other = ir.dtype_of(wanted), ir.dtype_of(found)
    return own is not None and other is not None and own != other


def _is_no_float(wanted: ir.Kind, found: ir.Kind) -> bool:
    if ir.is_complex(found):
        return not ir.is_complex(wanted)
    if isinstance(found, ir.Scalar):
        return found.type not in ("float", "int")
    dtype = ir.dtype_of(found)
    return dtype is not None and np.dtype(dtype).kind != "f"


def _surely_fits(wanted: ir.Kind, found: ir.Kind) -> bool:
    if isinstance(wanted, ir.Scalar | ir.NumPyScalar):
        return isinstance(found, ir.Scalar | ir.NumPyScalar)
    own, other = ir.axes_of(wanted), ir.axes_of(found)
    if own is None or other is None or ir.is_promoted(wanted) or ir.is_promoted(found):
        return isinstance(wanted, ir.List)
    if ir.dtype_of(found) is None:
        return False
    return all(
        a.length == b.length == "one" or (a.symbol is not None and a.symbol == b.symbol)
        for a, b in zip(own, other, strict=True)
    )


def shown(value: core.Value) -> str:
    """A value in words, its kind included."""
    if isinstance(value, core.Leaf):
        if value == core.constant(None):
            return "None"
        return str(value.kind)
    return core.describe(value)
