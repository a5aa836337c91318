"""Batched operations along axes: the same with other numbers for the axes."""

import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np

from s2sad import ir, ops, rules
from s2sad.frontend.specialise import core
from s2sad.transform.batching import calls


def inner_axis(axis: Any, rank: int) -> Any:
    """The same axis, or axes, where there is one more in front; all for None."""
    if axis is None:
        axis = tuple(range(rank))
    if isinstance(axis, tuple):
        return calls.one_or_all(tuple(inner_axis(a, rank) for a in axis))
    return axis if axis < 0 else axis + 1


def along(call: calls.Call) -> core.Value:
    """An operation along an axis, or some, which may be given by name or place."""
    place, default = _axis_of(call)
    x = call.only_first()
    rank = calls.rank_of_item(x)
    axis = call.given("axis", place, default)
    if rank == 0:
        return x.leaf if axis in (None, ()) else _refused()
    words = {k: v for k, v in call.keywords.items() if k != "axis"}
    words |= _named(call, place)
    words["axis"] = calls.as_value(inner_axis(axis, rank))
    return call.apply(call.value.function, *call.args[:place], **words)


def _axis_of(call: calls.Call) -> tuple[int, Any]:
    """The place and the default of the parameter ``axis``."""
    parameters = _parameters(call)
    default = parameters["axis"].default
    place = list(parameters).index("axis")
    return place, None if default is inspect.Parameter.empty else default


def squeezed_items(call: calls.Call) -> core.Value:
    """``np.squeeze``; without an axis, of all axes of length 1."""
    x = call.only_first()
    axis = call.given("axis", 1)
    if axis is None:
        axes = ir.axes_of(x.item) or ()
        if any(a.length == "any" for a in axes):
            raise core.NotBatched("which axes have length 1 isn't known")
        axis = tuple(k for k, a in enumerate(axes) if a.length == "one")
        if not axis:
            return x.leaf
    moved = calls.as_value(inner_axis(axis, calls.rank_of_item(x)))
    return call.apply(np.squeeze, x, axis=moved)


def _refused() -> core.Value:
    raise core.NotBatched("an axis of a number is named")


def _named(call: calls.Call, place: int) -> dict[str, Any]:
    """The positional arguments behind a place, by name."""
    names = list(_parameters(call))
    return dict(zip(names[place + 1 :], call.args[place + 1 :], strict=False))


def flattening(call: calls.Call) -> core.Value:
    """An operation that runs over the flattened array where no axis is named."""
    place, _ = _axis_of(call)
    if call.given("axis", place) is None and calls.rank_of_item(call.args[0]) != 1:
        raise core.NotBatched("the array is flattened")
    return along(call)


def _parameters(call: calls.Call) -> Mapping[str, inspect.Parameter]:
    rule = rules.rule_for(call.value.function)
    assert rule is not None
    return rule.signature.parameters


def with_inner_axes(call: calls.Call) -> core.Value:
    """An operation that rearranges each array: the same with other numbers for the
    axes."""
    x = call.only_first()
    rank = calls.rank_of_item(x)
    known = ops.record_of(call.value.function)
    assert known is not None
    if not known.axes:
        return _transposed_items(call, x, rank)
    args = []
    for place, (name, parameter) in enumerate(_parameters(call).items()):
        if place > 0:
            value = call.given(name, place, parameter.default)
            args.append(inner_axis(value, rank) if name in known.axes else value)
    return call.apply(call.value.function, x, *args)


def _transposed_items(call: calls.Call, x: calls.Batch, rank: int) -> core.Value:
    """A function that takes the order of all axes."""
    axes = call.given("axes", 1)
    order = tuple(reversed(range(rank))) if axes is None else axes
    if rank == 2 and tuple(a % rank for a in order) == (1, 0):
        return call.apply(np.swapaxes, x, 1, 2)
    return call.apply(call.value.function, x, (0, *(a % rank + 1 for a in order)))


def diagonal_items(call: calls.Call) -> core.Value:
    """``np.diagonal`` and ``np.trace``."""
    x = call.only_first()
    rank = calls.rank_of_item(x)
    offset = call.given("offset", 1, 0)
    first = inner_axis(call.given("axis1", 2, 0), rank)
    second = inner_axis(call.given("axis2", 3, 1), rank)
    words = {"axis1": first, "axis2": second}
    if offset:
        return call.apply(call.value.function, x, offset, **words)
    return call.apply(call.value.function, x, **words)
