"""Hyper-dual numbers: exact first and second derivatives by operator overloading.

A number carries its value, its derivatives along two directions, and the mixed second
derivative. Inside object arrays NumPy itself carries out views, stores, broadcasting
and reductions, so that nothing of s2sad takes part in what it is compared with. Source:
Fike and Alonso, The Development of Hyper-Dual Numbers for Exact Second-Derivative
Calculations, AIAA 2011-886.

Results of arithmetic may be rounded otherwise than the machine does, see
:func:`rounded_otherwise`, which shows how many of their digits mean something.
"""

from __future__ import annotations

import contextlib
import math
import zlib
from fractions import Fraction
from types import SimpleNamespace

import numpy as np

_salt = 0
"""Chooses how results are rounded; 0: as the machine does."""


@contextlib.contextmanager
def rounded_otherwise(salt: int):
    """Within this context each result of arithmetic on a number that varies is off by a
    unit in the last place, up or down. The spread of what several such runs give is the
    rounding error of the result, however it came about. Source: Vignes, A stochastic
    arithmetic for reliable scientific computation, Mathematics and Computers in
    Simulation 35 (1993); Parker, Monte Carlo arithmetic, UCLA CSD-970002 (1997).

    The direction follows from the result itself, so that the same computation done
    twice still gives the same number, and comparisons come out as before.
    """
    global _salt
    before, _salt = _salt, salt
    try:
        yield
    finally:
        _salt = before


def _nudged(x: float) -> float:
    if x == 0.0 or not math.isfinite(x):
        return x
    up = zlib.crc32(x.hex().encode(), _salt) & 1
    return math.nextafter(x, math.inf if up else -math.inf)


def _rounded(result: Dual) -> Dual:
    """A result of arithmetic, rounded as the context says."""
    if _salt == 0 or not result.varies():
        return result
    return Dual(
        _nudged(result.value),
        _nudged(result.first),
        _nudged(result.second),
        _nudged(result.mixed),
    )


class Kink(Exception):
    """Two values are compared that are (nearly) the same: the derivative may not
    exist. Or NumPy gives nan, where these numbers have none. Or what a factor of zero
    has made constant meets an infinite slope: zero times infinity is nan, as any order
    of the chain rule's products has it."""


def _inside(function, value: float) -> float:
    """The value of a function of ``math``, where it has one."""
    try:
        return function(value)
    except ValueError:
        raise Kink from None


def _power(x: float, n: float) -> float:
    """``x**n``, infinite where x is 0 and n negative."""
    return math.inf if x == 0.0 and n < 0 else x**n


def is_number(value):
    """True for what a Dual computes with itself: arrays do it their way, and so do
    objects with operators of their own."""
    if isinstance(value, float) and not isinstance(value, np.floating):
        return type(value).__mul__ is float.__mul__
    return isinstance(value, Dual | int | np.number | np.bool_ | Fraction)


class Dual:
    """``value + first*e1 + second*e2 + mixed*e1*e2`` with ``e1**2 == e2**2 == 0``."""

    __slots__ = ("annulled", "first", "mixed", "second", "value")

    def __init__(self, value, first=0.0, second=0.0, mixed=0.0):
        self.annulled = False
        """A factor of zero has taken its derivatives."""
        self.value, self.first, self.second, self.mixed = (
            float(value),
            float(first),
            float(second),
            float(mixed),
        )

    def __repr__(self):
        return f"Dual({self.value}, {self.first}, {self.second}, {self.mixed})"

    def chain(self, value, slope, curvature):
        """A function of this number, from its value and first two derivatives. These
        may be infinite: what the result is used for then isn't finite, and what it
        isn't used for is right."""
        if not self.varies():
            if self.annulled and not math.isfinite(slope + curvature):
                raise Kink
            return self._constant_from(Dual(value), self)
        return _rounded(
            Dual(
                value,
                slope * self.first,
                slope * self.second,
                slope * self.mixed + curvature * self.first * self.second,
            )
        )

    def _constant_from(self, result, *operands):
        """A result, which says so if a factor of zero has made it constant, now or
        before."""
        if not result.varies():
            result.annulled = any(o.annulled or o.varies() for o in operands)
        return result

    # ------------------------------------------------------------ arithmetic

    def __add__(self, other):
        if not is_number(other):
            return NotImplemented
        o = dual(other)
        total = Dual(
            self.value + o.value,
            self.first + o.first,
            self.second + o.second,
            self.mixed + o.mixed,
        )
        total.annulled = not total.varies() and (self.annulled or o.annulled)
        return _rounded(total)

    __radd__ = __add__

    def __neg__(self):
        negative = Dual(-self.value, -self.first, -self.second, -self.mixed)
        negative.annulled = self.annulled
        return negative

    def __pos__(self):
        return self

    def __sub__(self, other):
        return self + -dual(other) if is_number(other) else NotImplemented

    def __rsub__(self, other):
        return -self + other

    def __mul__(self, other):
        if not is_number(other):
            return NotImplemented
        o = dual(other)
        product = Dual(
            self.value * o.value,
            self.first * o.value + self.value * o.first,
            self.second * o.value + self.value * o.second,
            self.mixed * o.value
            + self.first * o.second
            + self.second * o.first
            + self.value * o.mixed,
        )
        return self._constant_from(_rounded(product), self, o)

    __rmul__ = __mul__

    def reciprocal(self):
        v = self.value
        return self.chain(1 / v, -1 / v**2, 2 / v**3)

    def __truediv__(self, other):
        if not is_number(other):
            return NotImplemented
        return self * dual(other).reciprocal()

    def __rtruediv__(self, other):
        return self.reciprocal() * other

    def __pow__(self, other):
        if not is_number(other):
            return NotImplemented
        if isinstance(other, Dual):
            return (self.log() * other).exp()
        n, v = float(other), self.value
        slope = n * _power(v, n - 1) if n else 0.0
        curvature = n * (n - 1) * _power(v, n - 2) if n not in (0.0, 1.0) else 0.0
        return self.chain(v**n, slope, curvature)

    def __rpow__(self, other):
        return (self * math.log(other)).exp()

    def __abs__(self):
        return -self if self < 0 else +self

    def __floor__(self):
        below = math.floor(self.value)
        nearest = round(self.value)
        if self.varies() and abs(self.value - nearest) <= 1e-7 * (1 + abs(nearest)):
            raise Kink
        return below

    def __ceil__(self):
        return -math.floor(-self)

    def __trunc__(self):
        return math.floor(self) if self.value >= 0 else math.ceil(self)

    def __int__(self):
        return math.trunc(self)

    def __round__(self, digits=0):
        return Dual(round(self.value, digits))

    def __floordiv__(self, other):
        if not is_number(other):
            return NotImplemented
        math.floor(self / other)  # a Kink?
        return Dual(self.value // dual(other).value)

    def __rfloordiv__(self, other):
        return dual(other) // self

    def __mod__(self, other):
        if not is_number(other):
            return NotImplemented
        slopes = self - dual(other) * (self // other)
        value = self.value % dual(other).value
        return Dual(value, slopes.first, slopes.second, slopes.mixed)

    def __rmod__(self, other):
        return dual(other) % self

    def varies(self):
        """Whether it depends on a parameter."""
        return not self.first == self.second == self.mixed == 0.0

    # ------------------------------------------------------------ comparisons

    def _difference(self, other):
        d = self - other
        if math.isnan(d.value):
            raise Kink
        constant = d.value == d.first == d.second == d.mixed == 0.0
        if not constant and abs(d.value) <= 1e-7 * (1 + abs(self.value)):
            raise Kink
        return d.value

    def __lt__(self, other):
        if not is_number(other):
            return NotImplemented
        return self._difference(other) < 0

    def __le__(self, other):
        if not is_number(other):
            return NotImplemented
        return self._difference(other) <= 0

    def __gt__(self, other):
        if not is_number(other):
            return NotImplemented
        return self._difference(other) > 0

    def __ge__(self, other):
        if not is_number(other):
            return NotImplemented
        return self._difference(other) >= 0

    def __eq__(self, other):
        if not is_number(other):
            return NotImplemented
        return self._difference(other) == 0

    def __ne__(self, other):
        if not is_number(other):
            return NotImplemented
        return self._difference(other) != 0

    __hash__ = None

    def __bool__(self):
        return self.value != 0

    def __format__(self, form):
        return format(self.value, form)

    # ------------------------------------------------------------ functions
    # NumPy calls these for the elements of object arrays.

    def conjugate(self):
        return self

    def exp(self):
        e = math.exp(self.value)
        return self.chain(e, e, e)

    def log(self):
        v = self.value
        return self.chain(_inside(math.log, v), 1 / v, -1 / v**2)

    def log1p(self):
        return (self + 1.0).log()

    def expm1(self):
        return self.exp() - 1.0

    def sqrt(self):
        r = _inside(math.sqrt, self.value)
        return self.chain(r, 0.5 * _power(r, -1), -0.25 * _power(r, -3))

    def sin(self):
        s, c = math.sin(self.value), math.cos(self.value)
        return self.chain(s, c, -s)

    def cos(self):
        s, c = math.sin(self.value), math.cos(self.value)
        return self.chain(c, -s, -c)

    def tan(self):
        t = math.tan(self.value)
        return self.chain(t, 1 + t * t, 2 * t * (1 + t * t))

    def tanh(self):
        t = math.tanh(self.value)
        return self.chain(t, 1 - t * t, -2 * t * (1 - t * t))

    def sinh(self):
        s, c = math.sinh(self.value), math.cosh(self.value)
        return self.chain(s, c, s)

    def cosh(self):
        s, c = math.sinh(self.value), math.cosh(self.value)
        return self.chain(c, s, c)

    def arctan(self):
        d = 1 / (1 + self.value**2)
        return self.chain(math.atan(self.value), d, -2 * self.value * d * d)

    def arcsin(self):
        value = _inside(math.asin, self.value)
        d = _power(1 - self.value**2, -1)
        return self.chain(value, d**0.5, self.value * d**1.5)

    def arccos(self):
        return math.pi / 2 - self.arcsin()

    def log2(self):
        return self.log() / math.log(2.0)

    def log10(self):
        return self.log() / math.log(10.0)

    def hypot(self, other):
        return (self * self + dual(other) * other).sqrt()


def dual(value):
    """A number as a hyper-dual number."""
    return value if isinstance(value, Dual) else Dual(value)


def dual_like(value, first, second):
    """A float, a list of floats or an array with two directions, as a Dual, a list or
    an object array of them."""
    if isinstance(value, list):
        return list(map(Dual, value, first, second))
    if not isinstance(value, np.ndarray):
        return Dual(value, first, second)
    result = np.empty(value.shape, object)
    for index in np.ndindex(value.shape):
        result[index] = Dual(value[index], first[index], second[index])
    return result


def part(value, name):
    """One part (``"value"``, ``"first"``, ...) of a number or of an array of
    numbers."""
    if isinstance(value, np.ndarray):
        flat = [getattr(dual(v), name) for v in value.ravel().tolist()]
        return np.array(flat, dtype=float).reshape(value.shape)
    return getattr(dual(value), name)


def number(value=0.0, plain=float):
    """``float(value)`` for numbers and arrays of one, hyper-dual ones too."""
    if isinstance(value, np.ndarray) and value.dtype == object and value.ndim == 0:
        value = value[()]
    return value if isinstance(value, Dual) else plain(value)


def _of_numbers(name, plain):
    def function(x):
        x = number(x, lambda value: value)
        if not isinstance(x, Dual):
            return plain(x)
        plain(x.value)  # this raises a ValueError where NumPy would give nan
        return getattr(x, name)()

    return function


MATH = SimpleNamespace(
    **{
        name: _of_numbers(method, getattr(math, name))
        for name, method in {
            "exp": "exp",
            "log": "log",
            "sqrt": "sqrt",
            "sin": "sin",
            "cos": "cos",
            "tan": "tan",
            "tanh": "tanh",
            "sinh": "sinh",
            "cosh": "cosh",
            "atan": "arctan",
            "asin": "arcsin",
            "acos": "arccos",
            "log1p": "log1p",
            "expm1": "expm1",
        }.items()
    },
    floor=math.floor,
    ceil=math.ceil,
    fabs=abs,
    prod=math.prod,
    inf=math.inf,
    pi=math.pi,
    e=math.e,
)
"""Stands for the ``math`` module in programs that run on hyper-dual numbers."""
