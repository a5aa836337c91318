"""``stop_gradient`` and ``no_grad``: values through which nothing is differentiated.

Takes a value; gives one whose numbers and arrays went through the operation
``stopped``. In the block of ``no_grad`` the result of each operation does so::

    with no_grad():
        y = x * w          ->          product.1 = mul(x, w)
                                       y = stopped(product.1)
"""

import operator
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from s2sad import ir, ops, shaping
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser, Words
from s2sad.rules.steps.stopped import stopped
from s2sad.source.static.values import StaticS2sad

_MOVES = (
    *(
        *ops.STORES,
        ops.overwritten_part,
        stopped,
        *ops.LIST_CHANGES,
        ops.new_list,
        ops.list_of,
        ops.tuple_of,
    ),
    *(
        ops.as_list,
        ops.as_tuple,
        ops.joined_lists,
        ops.joined_tuples,
        ops.repeated,
        ops.tuple_with,
    ),
)
"""What puts values somewhere, and computes none."""


def is_no_grad(function: Any) -> bool:
    """True for ``s2sad.no_grad``, or an instance of it."""
    if isinstance(function, StaticS2sad):
        return function.path == "s2sad.no_grad"
    return function is shaping.no_grad or type(function) is shaping.no_grad


@contextmanager
def constants(spec: Specialiser, wanted: bool = True) -> Iterator[None]:
    """The results of operations inside are constants, or aren't."""
    outer, spec.constants = spec.constants, wanted
    try:
        yield
    finally:
        spec.constants = outer


def as_constant(spec: Specialiser, value: core.Value) -> core.Value:
    """A value whose numbers and arrays are constants of the derivative."""

    def stop(leaf: core.Leaf) -> core.Leaf:
        varies = isinstance(leaf.operand, ir.Var) and ir.is_real_number_kind(leaf.kind)
        if not varies:
            return leaf
        assert isinstance(leaf.operand, ir.Var)
        hint = leaf.operand.name.strip(".").split(".")[0].split("~")[0]
        target = spec.fresh(hint or "stopped")
        return spec.assign(target, ir.Apply(stopped, (leaf.operand,)), leaf.kind)

    return core.map_leaves(value, stop)


@core.verb
def result_as_constant(
    spec: Specialiser, function: Any, args: Args, value: core.Value
) -> core.Value:
    """The result of an operation in a block of ``no_grad``."""
    if function in _MOVES:
        return value
    if function is operator.getitem and isinstance(core.kind_of(args[0]), ir.List):
        return value  # an item under another name
    if isinstance(core.kind_of(value), ir.List) and not _computes(function):
        return value
    return as_constant(spec, value)


def _computes(function: Any) -> bool:
    return not (getattr(function, "__module__", "") or "").startswith("s2sad.")


def store_as_constant(
    spec: Specialiser, old: core.Value, new: core.Value
) -> core.Value | None:
    """``x += v`` of an array in a block of ``no_grad``: the new value is stored into
    it. None where that isn't needed."""

    if not spec.constants or not isinstance(old, core.Leaf):
        return None
    if isinstance(old.kind, ir.Unknown) and not old.kind.inactive:
        raise core.Unsupported(
            "this may write into an array of unknown kind in a block of no_grad",
            "make a new value: x = x + v",
        )
    if not isinstance(old.kind, ir.Array) or not ir.is_real_number_kind(old.kind):
        return None
    spec.store(old, core.constant(Ellipsis), new)
    return old


def stop_call(spec: Specialiser, args: Args, words: Words) -> core.Value | None:
    """``stop_gradient(value)``."""
    bound = (*args, *(words.pop(name) for name in ("value",) if name in words))
    if len(bound) != 1 or words:
        raise core.Unsupported("stop_gradient takes one value")
    (value,) = bound
    _check(value)
    return as_constant(spec, value)


def _check(value: core.Value) -> None:
    if isinstance(value, core.Cell):
        raise core.Unsupported(
            f"stop_gradient is given {core.describe(value)}, which the program may "
            "change",
            "give it the numbers and arrays in there, one by one",
        )
    if not isinstance(value, core.Leaf | core.Aggregate):
        raise core.Unsupported(
            f"stop_gradient is given {core.describe(value)}",
            "give it numbers, arrays or structures of them",
        )
    for _, part in core.parts_of(value):
        if isinstance(part, core.Leaf) and isinstance(part.operand, ir.Const):
            continue
        _check(part)


STOP_CALLS: dict[Any, Any] = {
    shaping.stop_gradient: stop_call,
    StaticS2sad("s2sad.stop_gradient"): stop_call,
}
