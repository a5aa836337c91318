"""Kinds of the results of Python's operators and built-in conversions.

Numbers that are known give a known number, so that ``x.ndim - 1`` can decide an axis.
"""

import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from s2sad import ir, rules
from s2sad.rules.python.folding import known_result

_ZERO = ir.Scalar("int", 0)
_REFUSED_UNION = rules.CallRefused(
    "the union of dicts that may hold differentiable values is not supported",
    "write the new dict out, as in {**a, **b}",
)
_NUMERIC = (ir.Scalar, ir.NumPyScalar, ir.Array)


def known_number(value: Any) -> ir.Kind | None:
    """The kind of a number that is known; None if the value isn't a Python number."""
    if type(value) in (bool, int, float, complex):
        return ir.Scalar(type(value).__name__, value)
    return None


def folded(function: Callable[..., Any], kinds: tuple[ir.Kind, ...]) -> ir.Kind | None:
    """The known result of a function of known numbers; None where it isn't known."""
    if not all(
        isinstance(kind, ir.Scalar) and kind.value is not None for kind in kinds
    ):
        return None
    values = tuple(rules.static_value(kind) for kind in kinds)
    return known_number(known_result(function, values))


def arithmetic_kind(function: Callable[..., Any]) -> Callable[..., ir.Kind]:
    """The kind function of an operator; sequences are joined and repeated."""

    def kind(**kinds: ir.Kind) -> ir.Kind:
        given = tuple(kinds.values())
        known = folded(function, given)
        if known is not None:
            return known
        if all(isinstance(kind, ir.Scalar) for kind in given) and (
            function is operator.invert
        ):
            return ir.Scalar("int")
        if any(isinstance(kind, ir.Structure) for kind in given):
            if function is operator.or_:
                raise _REFUSED_UNION
            return _sequence_result(function, given)
        if any(isinstance(kind, ir.Known) for kind in given):
            return ir.OPAQUE  # strings, or objects with operators of their own
        if any(isinstance(kind, ir.List) for kind in given):
            raise rules.CallRefused(
                "this operation on a list whose length isn't known has no rule",
                "use np.array(...) of the list, or a loop",
            )
        if function is operator.or_ and any(
            isinstance(kind, ir.Unknown) and not kind.inactive for kind in given
        ):
            raise _REFUSED_UNION
        return rules.elementwise_result(function, given)

    return kind


def _sequence_result(
    function: Callable[..., Any], kinds: tuple[ir.Kind, ...]
) -> ir.Kind:
    """Of ``a + b`` for tuples or lists, and of ``a * 3``."""
    constructors = {k.constructor for k in kinds if isinstance(k, ir.Structure)}
    if len(constructors) != 1 or not constructors <= {tuple, list} or len(kinds) != 2:
        return ir.UNKNOWN
    constructor = constructors.pop()
    first, second = kinds
    items: tuple[ir.Kind, ...]
    if function is operator.add:
        if not (isinstance(first, ir.Structure) and isinstance(second, ir.Structure)):
            return ir.UNKNOWN
        items = first.items + second.items
    elif function is operator.mul:
        sequence, count = (
            (first, second) if isinstance(first, ir.Structure) else (second, first)
        )
        if not isinstance(sequence, ir.Structure) or not isinstance(count, ir.Scalar):
            return ir.UNKNOWN
        items = sequence.items * rules.static_value(count)
    else:
        return ir.UNKNOWN
    return ir.Structure(constructor, tuple(range(len(items))), items)


def comparison_kind(function: Callable[..., Any]) -> Callable[..., ir.Kind]:
    """The kind function of a comparison, which never carries a derivative."""

    def kind(**kinds: ir.Kind) -> ir.Kind:
        given = tuple(kinds.values())
        if all(isinstance(kind, _NUMERIC) for kind in given):
            return folded(function, given) or rules.elementwise_result(function, given)
        if all(rules.is_static(kind) for kind in given):
            try:
                value = function(*(rules.static_value(kind) for kind in given))
            except TypeError:
                return ir.OPAQUE
            return known_number(value) or ir.OPAQUE
        arrays = any(isinstance(kind, ir.Array | ir.Unknown) for kind in given)
        return ir.OPAQUE if arrays else ir.Scalar("bool")

    return kind


def identity_kind(*, negated: bool) -> Callable[..., ir.Kind]:
    """The kind function of ``is`` and ``is not``."""

    def kind(x: ir.Kind, y: ir.Kind) -> ir.Kind:
        same = _identical(x, y)
        return (
            ir.Scalar("bool")
            if same is None
            else ir.Scalar("bool", same is not negated)
        )

    return kind


def _identical(x: ir.Kind, y: ir.Kind) -> bool | None:
    """Whether two values are the same object; None where that isn't known."""
    if isinstance(x, ir.Unknown) or isinstance(y, ir.Unknown):
        return None
    if isinstance(x, ir.Reference) or isinstance(y, ir.Reference):
        other = y if isinstance(x, ir.Reference) else x
        if isinstance(other, ir.Reference):
            return None
        may_be_none = any(getattr(k, "may_be_none", False) for k in (x, y))
        return None if may_be_none and other == ir.NONE else False
    if isinstance(x, ir.Known) and isinstance(y, ir.Known):
        singletons = x.value is None or y.value is None or callable(x.value)
        if x.value is y.value and singletons:
            return True
        return False if singletons else None
    if isinstance(x, ir.Known) or isinstance(y, ir.Known):
        derived = any(isinstance(k, ir.Scalar) and k.cls is not None for k in (x, y))
        return None if derived else False  # members of an enumeration may be either
    bools = [
        k.value
        for k in (x, y)
        if isinstance(k, ir.Scalar) and isinstance(k.value, bool)
    ]
    return bools[0] is bools[1] if len(bools) == 2 else None


def containment_kind(x: ir.Kind, y: ir.Kind) -> ir.Kind:
    """Of ``y in x``: known for known items and the keys of a dict."""
    if rules.is_static(y):
        if isinstance(x, ir.Structure) and x.constructor is dict:
            return ir.Scalar("bool", rules.static_value(y) in x.keys)
        if rules.is_static(x):
            try:
                return ir.Scalar("bool", rules.static_value(y) in rules.static_value(x))
            except TypeError:
                pass
    return ir.Scalar("bool")


def truth_of(x: ir.Kind) -> bool | None:
    """``bool(x)`` where the kind decides it."""
    if isinstance(x, ir.Scalar):
        return None if x.value is None else bool(x.value)
    if isinstance(x, ir.Structure) and x.constructor in (tuple, list, dict):
        return bool(x.items)
    if isinstance(x, ir.Known) and (
        x.value is None or isinstance(x.value, str | bytes)
    ):
        return bool(x.value)
    return None


def bool_kind(x: ir.Kind = ir.NONE) -> ir.Kind:
    """Of ``bool(x)``."""
    return ir.Scalar("bool", truth_of(x))


def not_kind(x: ir.Kind) -> ir.Kind:
    """Of ``not x``."""
    truth = truth_of(x)
    return ir.Scalar("bool", None if truth is None else not truth)


def float_kind(x: ir.Kind = _ZERO) -> ir.Kind:
    """Of ``float(x)``."""
    return folded(float, (x,)) or ir.Scalar("float")


def int_kind(x: ir.Kind = _ZERO) -> ir.Kind:
    """Of ``int(x)``, which keeps what is known of an int."""
    if isinstance(x, ir.Scalar) and x.type == "int":
        return x
    return folded(int, (x,)) or ir.Scalar("int")


def len_kind(x: ir.Kind) -> ir.Kind:
    """Of ``len(x)``: the length of an axis, or known."""
    if isinstance(x, ir.Structure) and x.constructor in (tuple, list, dict):
        return ir.Scalar("int", len(x.items))
    if isinstance(x, ir.Known) and isinstance(x.value, str | bytes | tuple):
        return ir.Scalar("int", len(x.value))
    axes = ir.axes_of(x)
    if isinstance(x, ir.List):
        if x.item is None:
            return ir.Scalar("int", 0)
        return ir.Scalar("int", length_of=x.axis.symbol)
    if axes and isinstance(x, ir.Array) and not x.promoted:
        if axes[0].length == "one":
            return ir.Scalar("int", 1)
        return ir.Scalar("int", length_of=axes[0].symbol)
    return ir.Scalar("int")


def round_kind(x: ir.Kind, digits: ir.Kind = ir.NONE) -> ir.Kind:
    """Of ``round(x)`` and ``round(x, digits)``."""
    to_int = isinstance(digits, ir.Known) and digits.value is None
    if isinstance(x, ir.Scalar | ir.NumPyScalar) and to_int:
        return ir.Scalar("int")
    return ir.without_value(x)


def selected_kind(values: ir.Kind) -> ir.Kind:
    """Of ``max`` and ``min``: one of the values, or an item of the only one."""
    items = values.items if isinstance(values, ir.Structure) else ()
    if len(items) == 1:
        only = items[0]
        if isinstance(only, ir.Structure) and only.constructor in (tuple, list):
            items = only.items
        elif isinstance(only, ir.List):
            if isinstance(only.item, ir.Scalar | ir.NumPyScalar):
                return only.item
            if only.item is None:
                raise rules.NothingToTake(
                    "the largest or smallest item of an empty list", "give a default"
                )
            raise rules.CallRefused(
                "the largest or smallest of a list of anything but numbers has no rule",
                "use np.max or np.min",
            )
        elif isinstance(only, ir.Array) and only.axes is not None:
            return rules.array_or_number(only.dtype, only.axes[1:])
        else:
            return ir.UNKNOWN
    if not items:
        return ir.UNKNOWN
    result = ir.without_value(items[0])
    for item in items[1:]:
        result = ir.join(result, ir.without_value(item))
    return result


def sum_kind(iterable: ir.Kind, start: ir.Kind = _ZERO) -> ir.Kind:
    """Of the built-in ``sum``: the kinds of a tuple's items, added one by one."""
    if isinstance(iterable, ir.Array) and iterable.axes:
        row = rules.array_or_number(iterable.dtype, iterable.axes[1:])
        return rules.elementwise_result(operator.add, (ir.without_value(start), row))
    if isinstance(iterable, ir.List):
        return _sum_of_list(iterable, start)
    if not isinstance(iterable, ir.Structure) or iterable.constructor not in (
        tuple,
        list,
    ):
        return ir.UNKNOWN
    add = arithmetic_kind(operator.add)
    result = start
    for item in iterable.items:
        result = add(x=result, y=item)
    return result


def _sum_of_list(items: ir.List, start: ir.Kind) -> ir.Kind:
    """Of ``sum`` of a list of unknown length; it may be empty, and lengths of arrays
    in it may differ."""
    item = items.item
    if item is None:
        return ir.without_value(start)
    if isinstance(item, ir.List):
        raise rules.CallRefused(
            "the sum of a list of anything but numbers and arrays has no rule",
            "use np.sum",
        )
    if isinstance(item, ir.Array) and item.axes is not None:
        axes = tuple(a if a.length == "one" else ir.Axis(a.length) for a in item.axes)
        item = replace(item, axes=axes)
    first = ir.without_value(start)
    if len(ir.axes_of(first) or ()) > len(ir.axes_of(item) or ()):
        raise rules.CallRefused(
            "the sum of a list that starts from an array of more axes than its items "
            "have has no rule",
            "use np.sum, and add",
        )
    return ir.join(first, rules.elementwise_result(operator.add, (first, item)))
