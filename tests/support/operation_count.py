"""Counts the arithmetic that a call executes.

The arguments are replaced by subclasses of float, of the NumPy scalar types and of
ndarray that count and give counting results, so that the functions run unchanged and
compute the same values. What counts:

- an elementwise operation: one for each element of its result, whether it is an
  addition or an exponential; one on scalars
- a reduction: one for each element of its input; a mean one more for each quotient, a
  variance what its definition takes (mean, subtract, square, mean)
- products with contraction (matmul, dot, einsum ...): 2 m n k, a multiplication and an
  addition each; outer: m n
- dense linear algebra: the leading terms of the textbook counts
- np.add.at and its kind: one for each element added; np.where with three arguments: one
  for each element of its result

What doesn't count: results that are integers or booleans (loop counters, sizes,
comparisons), and what moves data only (indexing, views, copies, concatenation,
allocation). Arithmetic on constants alone (floats made in the function from no
argument) is not seen, unless held in an array made by np.zeros, np.array and so on.

During a count, the creation functions of `numpy` and the functions of `math` are
replaced in those modules by counting versions; code that imported them by name
(`from math import sin`) is not reached. `float(x)` and `np.float64(x)` give ordinary
numbers, which count only together with counting ones. An operation that has an ordinary
np.float64 on the left and a float32 scalar on the right is not seen. Tests of exact
type (`type(x) is float`) see other types. Not safe under threads.
"""

import contextlib
import dataclasses
import math
import operator

import numpy as np

from tests.support.finite_differences import tree_map
from tests.support.operation_costs import COSTS, MOVES


@dataclasses.dataclass
class OperationCount:
    """The arithmetic of one call.

    scalar: operations all of whose operands are scalars
    array_elements: elements of work in operations on arrays
    calls: operations executed, whatever their size
    """

    scalar: int = 0
    array_elements: int = 0
    calls: int = 0

    @property
    def total(self):
        return self.scalar + self.array_elements


_active = None


def count_operations(function, args, kwargs=None):
    """The OperationCount of `function(*args, **kwargs)`.

    Arrays are passed as views: a function that writes to its arguments writes to
    the arrays given. Raises NotImplementedError if the call reaches a NumPy function
    whose cost is not known here.
    """
    return run_counted(function, args, kwargs)[1]


def run_counted(function, args, kwargs=None):
    """The value of `function(*args, **kwargs)`, of ordinary types, and its count."""
    global _active
    count = OperationCount()
    arguments = tree_map(_counting, tuple(args))
    keywords = tree_map(_counting, dict(kwargs or {}))
    previous, _active = _active, count
    try:
        with _counting_modules():
            value = function(*arguments, **keywords)
    finally:
        _active = previous
    return tree_map(_plain, value), count


@contextlib.contextmanager
def _uncounted():
    global _active
    previous, _active = _active, None
    try:
        yield
    finally:
        _active = previous


def _record(cost, operands, results):
    """Add `cost` if a result is inexact, as scalar work if there are only scalars."""
    if _active is None or not cost or not any(map(_is_inexact, results)):
        return
    _active.calls += 1
    if any(isinstance(v, np.ndarray) and v.ndim for v in (*operands, *results)):
        _active.array_elements += cost
    else:
        _active.scalar += cost


def _is_inexact(value):
    if isinstance(value, (np.ndarray, np.generic)):
        return np.issubdtype(value.dtype, np.inexact)
    return isinstance(value, (float, complex))


def _counting(value):
    """The counting value for a leaf; integers and what isn't numeric are kept."""
    if type(value) in _SCALARS:
        return _SCALARS[type(value)](value)
    if type(value) is np.ndarray and value.dtype != object:
        return value.view(CountingArray)
    return value


def _plain(value):
    """The ordinary value for a leaf."""
    if isinstance(value, CountingArray):
        return value.view(np.ndarray)
    base = _BASES.get(type(value))
    return base(value) if base else value


# Scalars


def _scalar_operator(function, reflected=False):
    def method(self, *others):
        operands = [_plain(self), *(_plain(other) for other in others)]
        if reflected:
            operands.reverse()
        result = function(*operands)
        if result is not NotImplemented:
            _record(np.size(result), operands, (result,))
        return _counting(result)

    return method


def _array_ufunc(self, ufunc, method, *inputs, out=None, **kwargs):
    if out is not None:
        kwargs["out"] = tuple(_plain(o) for o in out)
    where = kwargs.get("where")
    if isinstance(where, CountingArray):
        kwargs["where"] = _plain(where)
    operands = [_plain(value) for value in inputs]
    with _uncounted():
        result = getattr(ufunc, method)(*operands, **kwargs)
    results = result if isinstance(result, tuple) else (result,)
    if method == "at":
        results = (operands[0],)
    cost = _ufunc_cost(ufunc, method, operands, results)
    numbers = [v for v in operands if isinstance(v, (np.ndarray, np.generic))]
    _record(cost, numbers, results)
    if method == "at":
        return None
    if out is not None:
        return out[0] if len(out) == 1 else out
    if isinstance(result, tuple):
        return tuple(_counting(r) for r in result)
    return _counting(result)


def _ufunc_cost(ufunc, method, operands, results):
    if ufunc.__name__ in ("matmul", "vecdot", "matvec", "vecmat"):
        return 2 * np.size(results[0]) * np.shape(operands[0])[-1]
    if ufunc.signature is not None:
        raise NotImplementedError(f"the cost of numpy.{ufunc.__name__} is not known")
    if ufunc.__name__ in ("positive", "conjugate"):
        return 0
    if method in ("reduce", "accumulate", "reduceat"):
        return np.size(operands[0])
    if method == "at":
        return np.size(operands[0][operands[1]])
    return max(np.size(r) for r in results)


def _array_function(self, function, types, args, kwargs):
    args = _plain_containers(args)
    kwargs = _plain_containers(kwargs)
    name = f"{function.__module__}.{function.__name__}"
    cost = COSTS.get(name)
    if cost is None and name not in MOVES:
        raise NotImplementedError(f"the cost of {name} is not known")
    with _uncounted():
        result = function(*args, **kwargs)
    results = result if isinstance(result, (tuple, list)) else (result,)
    if cost is not None:
        _record(int(cost(results[0], *args, **kwargs)), args, results)
    if isinstance(result, (tuple, list)):
        return tree_map(_counting, result)
    return _counting(result)


def _plain_containers(value):
    """As `_plain`, through the containers in which NumPy takes arrays."""
    if isinstance(value, (tuple, list)) and not hasattr(value, "_fields"):
        return type(value)(_plain_containers(v) for v in value)
    if isinstance(value, dict):
        return {key: _plain_containers(v) for key, v in value.items()}
    return _plain(value)


def _counting_scalar_type(base):
    """A subclass of the number type that counts its operators."""
    namespace = {
        "__slots__": (),
        "__array_ufunc__": _array_ufunc,
        "__array_function__": _array_function,
        "__hash__": base.__hash__,
        "__copy__": lambda self: self,
        "__deepcopy__": lambda self, memo: self,
    }
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"):
        function = getattr(operator, name)
        namespace[f"__{name}__"] = _scalar_operator(function)
        namespace[f"__r{name}__"] = _scalar_operator(function, reflected=True)
    namespace["__divmod__"] = lambda x, y: (x // y, x % y)
    namespace["__rdivmod__"] = lambda x, y: (y // x, y % x)
    for name in ("neg", "abs"):
        namespace[f"__{name}__"] = _scalar_operator(getattr(operator, name))
    namespace["__pos__"] = lambda self: self
    namespace["__round__"] = _scalar_operator(round)
    for name in ("lt", "le", "eq", "ne", "gt", "ge"):
        namespace[f"__{name}__"] = _scalar_operator(getattr(operator, name))
    for name in ("sum", "mean", "prod", "max", "min", "clip", "item"):
        if hasattr(base, name):
            namespace[name] = _method_of_array(name)
    return type(f"Counting{base.__name__.capitalize()}", (base,), namespace)


def _method_of_array(name):
    """A method of a NumPy scalar, taken on the array of no axes that it stands for."""

    def method(self, *args, **kwargs):
        array = np.asanyarray(_plain(self)).view(CountingArray)
        return getattr(array, name)(*args, **kwargs)

    return method


# Arrays


def _method(name):
    """A method of arrays by the function of that name, which dispatches."""

    def method(self, *args, **kwargs):
        return getattr(np, name)(self, *args, **kwargs)

    return method


class CountingArray(np.ndarray):
    """An array whose operations are counted."""

    __array_ufunc__ = _array_ufunc
    __array_function__ = _array_function

    def __getitem__(self, index):
        return _counting(super().__getitem__(index))

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def item(self, *args):
        return _counting(super().item(*args))

    def tolist(self):
        return tree_map(_counting, super().tolist())


_DISPATCHED = (
    "sum mean var std prod max min dot cumsum cumprod trace clip round take diagonal "
    "repeat"
)
for _name in _DISPATCHED.split():
    setattr(CountingArray, _name, _method(_name))


_SCALARS = {
    base: _counting_scalar_type(base)
    for base in (
        float,
        complex,
        np.float16,
        np.float32,
        np.float64,
        np.complex64,
        np.complex128,
    )
}
_BASES = {counting: base for base, counting in _SCALARS.items()}


# The modules during a count

_CREATION = (
    "zeros ones empty full eye identity array asarray asanyarray ascontiguousarray "
    "asfortranarray arange linspace fromiter"
)


@contextlib.contextmanager
def _counting_modules():
    """Make np.zeros and its kind give counting arrays, and `math` count."""
    replaced = []

    def replace(module, name, function):
        replaced.append((module, name, getattr(module, name)))
        setattr(module, name, function)

    try:
        for name in _CREATION.split():
            replace(np, name, _creation(getattr(np, name)))
        for name, function in list(vars(math).items()):
            if callable(function):
                replace(math, name, _math_function(function))
        yield
    finally:
        for module, name, original in reversed(replaced):
            setattr(module, name, original)


def _creation(function):
    def create(*args, **kwargs):
        if _active is None:
            return function(*args, **kwargs)
        with _uncounted():
            result = function(*_plain_containers(args), **_plain_containers(kwargs))
        return _counting(result)

    return create


def _math_function(function):
    def call(*args, **kwargs):
        if _active is None:
            return function(*args, **kwargs)
        args = [list(a) if hasattr(a, "__iter__") else a for a in args]
        plain = _plain_containers(args)
        result = function(*plain, **kwargs)
        counting = any(
            type(v) in _BASES
            for a in args
            for v in (a if isinstance(a, list) else (a,))
        )
        if not counting:
            return result
        cost = max([1, *(len(a) for a in args if isinstance(a, list))])
        _record(cost, (), result if isinstance(result, tuple) else (result,))
        return tree_map(_counting, result)

    return call
