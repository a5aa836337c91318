"""How an operation hands on that its operands change by shifts or factors, for
:mod:`s2sad.analysis.reverse.cancelling`.

One value of a program is asked about; it grows by h. Others change by ``c * h``, or by
a factor of ``exp(c * h)``, or in a way of which nothing is told::

    exp of a shift by c * h          a factor of exp(c * h)
    product of two factors           the factor with the sum of both c
    sum over axes of a factor        the factor, if h is the same along these axes
"""

import math
import operator
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Protocol, TypeGuard

import numpy as np

from s2sad import ir, ops

EXTREMA = (np.max, np.amax, np.min, np.amin)


@dataclass(frozen=True)
class Dependence:
    """How a value changes when the one that is asked about grows by h."""

    factor: bool
    """By a factor of ``exp(power * h)``, else by the shift ``power * h``."""
    power: Fraction
    axes: tuple[int | None, ...]
    """For each axis, that of h along which h differs; None where it doesn't."""


Found = Mapping[str, Dependence]


class Untold(Exception):
    """Nothing can be told of a result."""


class Facts(Protocol):
    """What is known of the function."""

    @property
    def kinds(self) -> Mapping[str, ir.Kind]: ...
    @property
    def definitions(self) -> Mapping[str, ir.Apply]:
        """What assigns a variable."""

    @property
    def once(self) -> Set[str]:
        """The variables that one line assigns."""


def axes_of_real(kind: ir.Kind | None) -> tuple[ir.Axis, ...] | None:
    """The axes of a number or array of floats; None where they aren't known."""
    if isinstance(kind, ir.Array):
        return None if kind.promoted or not ir.is_real_number_kind(kind) else kind.axes
    if isinstance(kind, ir.NumPyScalar) and kind.dtype is None:
        return None
    real = isinstance(kind, ir.Scalar | ir.NumPyScalar) and ir.is_real_number_kind(kind)
    return () if real else None


@dataclass(frozen=True)
class Operation:
    """One operation with what is known of its operands."""

    call: ir.Apply
    rank: int
    """Of the result."""
    found: Found
    facts: Facts

    def of(self, operand: ir.Operand) -> Dependence | None:
        """How an operand depends; None if it doesn't."""
        return self.found.get(operand.name) if isinstance(operand, ir.Var) else None

    def operands(self, *names: str) -> list[ir.Operand | None]:
        """The operands that parameters of these names stand for, in this order; None
        where one isn't given. Others must not be given."""
        given = dict(zip(names, self.call.args))
        if len(self.call.args) > len(names):
            raise Untold
        for name, operand in self.call.keywords:
            if name not in names:
                raise Untold
            given[name] = operand
        return [given.get(name) for name in names]

    def constant(self, operand: ir.Operand | None, missing: object) -> object:
        """An operand that is known now."""
        if operand is None:
            return missing
        if isinstance(operand, ir.Const):
            return operand.value
        kind = ir.kind_of(operand, self.facts.kinds)
        if isinstance(kind, ir.Scalar | ir.Known) and kind.value is not None:
            return kind.value
        if isinstance(operand, ir.Pack) and operand.constructor is tuple:
            return tuple(self.constant(item, None) for item in operand.items)
        raise Untold

    def number(self, operand: ir.Operand) -> Fraction | None:
        """A finite literal number."""
        value = operand.value if isinstance(operand, ir.Const) else None
        if not _is_real(value) or not math.isfinite(value):
            return None
        return Fraction(value)

    def aligned(self, one: Dependence) -> Dependence:
        """The dependence of an operand that is broadcast to the result."""
        missing = self.rank - len(one.axes)
        return replace(one, axes=(None,) * missing + one.axes)

    def single(self) -> Dependence:
        """The dependence of the only operand."""
        if self.call.keywords or len(self.call.args) != 1:
            raise Untold
        known = self.of(self.call.args[0])
        assert known is not None
        return known

    def pair(self) -> tuple[Dependence | None, Dependence | None]:
        """The dependences of two operands, aligned with the result."""
        if self.call.keywords or len(self.call.args) != 2:
            raise Untold
        x, y = (self.of(operand) for operand in self.call.args)
        return x and self.aligned(x), y and self.aligned(y)


def _is_real(value: object) -> TypeGuard[int | float]:
    return type(value) in (int, float)


def _agree(x: Dependence, y: Dependence) -> Dependence:
    """What two values have in common that depend alike."""
    if x != y:
        raise Untold
    return x


def _sum_of(sign: int) -> Callable[[Operation], Dependence]:
    def follow(c: Operation) -> Dependence:
        x, y = c.pair()
        if x is not None and y is not None:
            if x.factor or y.factor:
                return _agree(x, y)
            if x.axes != y.axes:
                raise Untold
            return replace(x, power=x.power + sign * y.power)
        known = x or y
        assert known is not None
        if known.factor:
            raise Untold
        return known if y is None else replace(known, power=sign * known.power)

    return follow


def _product_of(sign: int) -> Callable[[Operation], Dependence]:
    def follow(c: Operation) -> Dependence:
        x, y = c.pair()
        if x is not None and y is not None:
            if not (x.factor and y.factor and x.axes == y.axes):
                raise Untold
            return replace(x, power=x.power + sign * y.power)
        known = x or y
        assert known is not None
        if known.factor:
            return known if y is None else replace(known, power=sign * known.power)
        number = c.number(c.call.args[1 if y is None else 0])
        if number is None or (sign < 0 and (y is not None or not number)):
            raise Untold
        return replace(known, power=known.power * number**sign)

    return follow


def _power(c: Operation) -> Dependence:
    x, y = c.pair()
    exponent = c.number(c.call.args[1])
    if x is None or y is not None or not x.factor or exponent is None:
        raise Untold
    return replace(x, power=x.power * exponent)


def _exponential(c: Operation) -> Dependence:
    known = c.single()
    if known.factor:
        raise Untold
    return replace(known, factor=True)


def _logarithm(c: Operation) -> Dependence:
    known = c.single()
    if not known.factor:
        raise Untold
    return replace(known, factor=False)


def _multiple(power: Fraction) -> Callable[[Operation], Dependence]:
    """Functions that take a factor to a power of it."""

    def follow(c: Operation) -> Dependence:
        known = c.single()
        if not known.factor:
            raise Untold
        return replace(known, power=known.power * power)

    return follow


def _negative(c: Operation) -> Dependence:
    known = c.single()
    return known if known.factor else replace(known, power=-known.power)


def _unchanged(c: Operation) -> Dependence:
    return c.single()


def _reduced(shifts: bool) -> Callable[[Operation], Dependence]:
    """Reductions over axes along which the dependence is the same."""

    def follow(c: Operation) -> Dependence:
        a, axis, keep = c.operands("a", "axis", "keepdims")
        if a is None or (known := c.of(a)) is None:
            raise Untold
        if not (known.factor or shifts):
            raise Untold
        gone = _places(c.constant(axis, None), len(known.axes))
        if any(known.axes[place] is not None for place in gone):
            raise Untold
        kept = c.constant(keep, False)
        axes = [one for k, one in enumerate(known.axes) if k not in gone or kept]
        return replace(known, axes=tuple(axes))

    return follow


def _places(axis: object, rank: int) -> set[int]:
    """The axes that an argument ``axis`` means."""
    if axis is None:
        return set(range(rank))
    given = axis if isinstance(axis, tuple) else (axis,)
    places = set()
    for one in given:
        if type(one) is not int or not -rank <= one < rank:
            raise Untold
        places.add(one % rank)
    return places


def _rearranged(c: Operation) -> Dependence:
    """Operations with an index map, whose axes depend on h as those they come from."""
    known = c.of(c.call.args[0]) if c.call.args else None
    if known is None:
        raise Untold
    moved = ops.index_map_of(c.call, len(known.axes), c.facts.kinds)
    if moved is None:
        raise Untold
    axes = moved.through(known.axes, None)
    lost = [a for k, a in enumerate(known.axes) if k not in moved.sources]
    if any(a is not None for a in (*lost, *(axes[k] for k in moved.backwards))):
        raise Untold
    return replace(known, axes=axes)


def _matrix_product(c: Operation) -> Dependence:
    x, y = (c.of(operand) for operand in c.call.args[:2])
    known = x or y
    if len(c.call.args) != 2 or c.call.keywords or (x and y) or known is None:
        raise Untold
    ranks = [_rank(c, operand) for operand in c.call.args]
    if not known.factor or ranks != [2, 2]:
        raise Untold
    row, column = known.axes
    if (column if y is None else row) is not None:
        raise Untold
    return replace(known, axes=(row, None) if y is None else (None, column))


def _rank(c: Operation, operand: ir.Operand) -> int:
    kind = ir.kind_of(operand, c.facts.kinds)
    if (axes := axes_of_real(kind)) is None:
        raise Untold
    return len(axes)


def _along_axis(c: Operation) -> Dependence:
    a, indices, axis = c.operands("arr", "indices", "axis")
    if a is None or (known := c.of(a)) is None or (indices and c.of(indices)):
        raise Untold
    given = c.constant(axis, -1)
    if given is None:
        raise Untold
    if any(known.axes[place] is not None for place in _places(given, c.rank)):
        raise Untold
    return known


def _chosen(c: Operation) -> Dependence:
    """``where``: both sides depend alike, or what is not there is 0 or infinite."""
    if c.call.keywords or len(c.call.args) != 3:
        raise Untold
    sides = c.call.args[1:]
    known = [c.aligned(one) for side in sides if (one := c.of(side)) is not None]
    if len(known) == 2:
        return _agree(*known)
    (other,) = (side for side in sides if c.of(side) is None)
    value = other.value if isinstance(other, ir.Const) else None
    if not _is_real(value):
        raise Untold
    if not (value == 0 if known[0].factor else math.isinf(value)):
        raise Untold
    return known[0]


def _element(c: Operation) -> Dependence:
    """Views, and elements ``a[np.arange(n), columns]``, one of each row."""
    source, index = c.call.args
    known = c.of(source)
    if known is None:
        raise Untold
    items = [index]
    if isinstance(index, ir.Pack) and index.constructor is tuple:
        items = list(index.items)
    missing = len(known.axes) - sum(not _is_new_axis(item) for item in items)
    places = [k for k, item in enumerate(items) if _is_ellipsis(item)]
    every = ir.Slice(None, None, None)
    if places:
        items[places[0] : places[0] + 1] = [every] * (missing + 1)
    else:
        items += [every] * missing
    rest, axes = iter(known.axes), list[int | None]()
    arrays: list[int] = []
    """The places in ``axes`` of what arrays choose, which becomes one axis."""
    for item in items:
        if _is_new_axis(item):
            axes.append(None)
            continue
        own = next(rest)
        kind = ir.kind_of(item, c.facts.kinds)
        if isinstance(item, ir.Slice):
            if own is not None and item != every:
                raise Untold
            axes.append(own)
        elif isinstance(kind, ir.Array) and kind.axes and len(kind.axes) == 1:
            assert isinstance(item, ir.Var)
            if own is not None and not _counts(c, item, kind):
                raise Untold
            if not str(kind.dtype).startswith("int"):
                raise Untold
            arrays.append(len(axes))
            axes.append(own)
        elif own is not None or not ir.is_whole_number(item, c.facts.kinds):
            raise Untold
    if not arrays:
        return replace(known, axes=tuple(axes))
    own_axes = [axes[k] for k in arrays if axes[k] is not None]
    neighbours = arrays[-1] - arrays[0] == len(arrays) - 1
    integers = len(items) > len(axes)
    if not neighbours or integers or len(own_axes) > 1:
        raise Untold
    axes[arrays[0] : arrays[-1] + 1] = own_axes or [None]
    return replace(known, axes=tuple(axes))


def _counts(c: Operation, item: ir.Var, kind: ir.Array) -> bool:
    """Whether an index is 0, 1, 2, and so on, and not one number that is broadcast."""
    made = c.facts.definitions.get(item.name) if item.name in c.facts.once else None
    if made is None or made.function is not np.arange or made.keywords:
        return False
    assert kind.axes is not None
    return len(made.args) == 1 and kind.axes[0].length == "many"


def _is_new_axis(item: ir.Operand) -> bool:
    return isinstance(item, ir.Const) and item.value is None


def _is_ellipsis(item: ir.Operand) -> bool:
    return isinstance(item, ir.Const) and item.value is Ellipsis


_FOLLOWED: dict[object, Callable[[Operation], Dependence]] = {
    **dict.fromkeys((operator.add, np.add), _sum_of(1)),
    **dict.fromkeys((operator.sub, np.subtract), _sum_of(-1)),
    **dict.fromkeys((operator.mul, np.multiply), _product_of(1)),
    **dict.fromkeys((operator.truediv, np.divide, np.true_divide), _product_of(-1)),
    **dict.fromkeys((operator.pow, pow, np.power), _power),
    **dict.fromkeys((operator.neg, np.negative), _negative),
    **dict.fromkeys((np.exp, math.exp), _exponential),
    **dict.fromkeys((np.log, math.log), _logarithm),
    **dict.fromkeys((np.sqrt, math.sqrt), _multiple(Fraction(1, 2))),
    **dict.fromkeys((abs, np.abs, np.absolute, np.fabs), _multiple(Fraction(1))),
    np.square: _multiple(Fraction(2)),
    np.copy: _unchanged,
    np.sum: _reduced(shifts=False),
    np.mean: _reduced(shifts=True),
    **dict.fromkeys(EXTREMA, _reduced(shifts=True)),
    **dict.fromkeys((operator.matmul, np.matmul), _matrix_product),
    np.take_along_axis: _along_axis,
    np.where: _chosen,
    operator.getitem: _element,
}


def follower(function: object) -> Callable[[Operation], Dependence] | None:
    """What tells how the result of a function depends; None where nothing does."""
    return _rearranged if ops.rearranges(function) else _FOLLOWED.get(function)
