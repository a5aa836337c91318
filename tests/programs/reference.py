"""Derivatives of the programs, without s2sad: hyper-dual numbers and differences."""

import contextlib
import inspect
import math
from types import SimpleNamespace
from unittest import mock

import numpy as np

from tests.support.dual_arrays import NUMPY
from tests.support.dual_numbers import MATH, Dual, dual, number, part
from tests.support.finite_differences import (
    central_difference_gradient,
    directional_difference,
    is_differentiable,
    tree_leaves,
    tree_map,
    tree_random_like,
)


def positions(program) -> tuple[int, ...]:
    """Where the parameters of interest stand."""
    names = list(inspect.signature(program.function).parameters)
    return tuple(map(names.index, program.wrt))


def selected(program, values: tuple) -> tuple:
    """The items for the parameters of interest."""
    return tuple(values[k] for k in positions(program))


def spread(program, values: tuple) -> tuple:
    """One item for each argument, None for those of no interest."""
    found = dict(zip(positions(program), values))
    return tuple(found.get(k) for k in range(len(program.sample)))


def direction_of(program, seed: int) -> tuple:
    """A random direction in the parameters of interest."""
    rng = np.random.default_rng(seed)
    return tree_random_like(rng, selected(program, program.arguments))


def is_number(value) -> bool:
    """Whether a result is one real number."""
    return is_differentiable(value) and np.ndim(value) == 0


def weights_of(program):
    """A cotangent of the result: 1.0 for a number, random for anything else."""
    value = program.function(*program.arguments)
    if is_number(value):
        return 1.0
    return tree_random_like(np.random.default_rng(7), value)


def weighed(value, weights, name: str = "value") -> float:
    """The inner product of (a part of) a result with a cotangent."""
    pairs = zip(tree_leaves(value), tree_leaves(weights), strict=True)
    return sum(float(np.sum(part(v, name) * w)) for v, w in pairs)


def derivatives(program, direction: tuple) -> tuple:
    """The gradient of the weighed result, and the second derivative times a vector.

    Both have the structure of the parameters of interest. The second one is None where
    differences are all there is.
    """
    if not program.exact:
        return differences(program), None
    weights = weights_of(program)
    first, mixed = [], []
    with on_dual_numbers(program.function.__globals__):
        for k in range(_count(selected(program, program.sample))):
            result = program.function(*_duals(program, k, direction))
            first.append(weighed(result, weights, "first"))
            mixed.append(weighed(result, weights, "mixed"))
    return _filled(program, first), _filled(program, mixed)


def tangent(program, direction: tuple) -> float:
    """The derivative of the weighed result along a direction."""
    weights = weights_of(program)
    if program.exact:
        with on_dual_numbers(program.function.__globals__):
            result = program.function(*_duals(program, 0, direction))
        return weighed(result, weights, "second")

    def function(*arguments):
        return weighed(program.function(*arguments), weights)

    return directional_difference(
        function, program.arguments, spread(program, direction)
    )


def differences(program, eps: float | None = None) -> tuple:
    """The gradient of the weighed result by central differences."""
    weights = weights_of(program)

    def function(*arguments):
        return weighed(program.function(*arguments), weights)

    return tuple(
        central_difference_gradient(function, program.arguments, k, eps)
        for k in positions(program)
    )


def _count(tree) -> int:
    return sum(np.size(leaf) for leaf in tree_leaves(tree) if is_differentiable(leaf))


def _filled(program, numbers: list[float]) -> tuple:
    """The numbers in the structure of the parameters of interest."""
    remaining = iter(numbers)

    def fill(leaf):
        if not is_differentiable(leaf):
            return None
        taken = [next(remaining) for _ in range(np.size(leaf))]
        return np.reshape(taken, np.shape(leaf)) if np.ndim(leaf) else taken[0]

    return tree_map(fill, selected(program, program.sample))


def _duals(program, place: int, direction: tuple) -> tuple:
    """The arguments, with element number ``place`` as the first direction."""
    numbers = iter(range(10**9))

    def make(leaf, along):
        if not is_differentiable(leaf):
            return leaf
        if not isinstance(leaf, np.ndarray):
            return Dual(leaf, float(next(numbers) == place), along)
        made = np.empty(leaf.shape, object)
        for index in np.ndindex(leaf.shape):
            made[index] = Dual(leaf[index], next(numbers) == place, along[index])
        return made

    arguments = list(program.arguments)
    for k, along in zip(positions(program), direction):
        arguments[k] = tree_map(make, arguments[k], along)
    return tuple(arguments)


# ------------------------------------------------------- modules on hyper-dual numbers


@contextlib.contextmanager
def on_dual_numbers(names: dict):
    """Lets a module, whose globals these are, compute with hyper-dual numbers."""
    others = {
        name: DUAL_NUMPY if value is np else DUAL_MATH
        for name, value in names.items()
        if value is np or value is math
    }
    with (
        mock.patch.dict(names, {**others, "float": Float}),
        mock.patch.object(Dual, "_difference", _difference),
        mock.patch.object(Dual, "__mul__", _product),
    ):
        yield


def _difference(self, other):
    # Programs compare errors with tiny tolerances, which Dual itself takes for a kink.
    # That the samples are at none is what central differences show.
    return (self - other).value


_multiply = Dual.__mul__


def _product(self, other):
    numeric = isinstance(other, Dual | float | int | np.number)
    return _multiply(self, other) if numeric else NotImplemented


class _Float(type):
    def __call__(cls, value=0.0):
        return number(value)

    def __instancecheck__(cls, value):
        return isinstance(value, float | Dual)


class Float(float, metaclass=_Float):
    """Stands for ``float``, to which hyper-dual numbers belong too."""


def _value(x) -> float:
    return dual(x).value


def _hypot(*numbers):
    return math.sqrt(0.0) if not numbers else dual(sum(x * x for x in numbers)).sqrt()


def _erf(x):
    slope = 2.0 / math.sqrt(math.pi) * math.exp(-(_value(x) ** 2))
    return dual(x).chain(math.erf(_value(x)), slope, -2.0 * _value(x) * slope)


DUAL_MATH = SimpleNamespace(
    **{
        **vars(MATH),
        "inf": math.inf,
        "nan": math.nan,
        "erf": _erf,
        "expm1": lambda x: MATH.exp(x) - 1.0,
        "log10": lambda x: MATH.log(x) / math.log(10.0),
        "fsum": sum,
        "prod": math.prod,
        "hypot": _hypot,
        "isfinite": lambda x: math.isfinite(_value(x)),
        "copysign": lambda x, y: abs(x) if _value(y) > 0.0 else -abs(x),
    }
)


def _logaddexp(a, b):
    def one(x, y):
        low, high = (x, y) if x < y else (y, x)
        return high + dual(low - high).exp().log1p()

    return np.frompyfunc(one, 2, 1)(a, b)


def _eliminated(matrix, columns):
    """An upper triangular matrix, its columns beside it, and the sign of the swaps."""
    rows = [[dual(v) for v in (*left, *right)] for left, right in zip(matrix, columns)]
    sign = 1.0
    for k in range(len(rows)):
        best = max(range(k, len(rows)), key=lambda i: abs(_value(rows[i][k])))
        if _value(rows[best][k]) == 0.0:
            raise np.linalg.LinAlgError("singular matrix")
        if best != k:
            rows[k], rows[best], sign = rows[best], rows[k], -sign
        for i in range(k + 1, len(rows)):
            factor = rows[i][k] / rows[k][k]
            rows[i] = [a - factor * b for a, b in zip(rows[i], rows[k])]
    return rows, sign


def _solve(matrix, rhs):
    columns = np.asarray(rhs, object)
    rows, _ = _eliminated(matrix, columns.reshape(len(matrix), -1))
    n = len(rows)
    found: list = [None] * n
    for k in reversed(range(n)):
        found[k] = [
            (rows[k][n + j] - sum(rows[k][i] * found[i][j] for i in range(k + 1, n)))
            / rows[k][k]
            for j in range(len(rows[k]) - n)
        ]
    return np.array(found, object).reshape(columns.shape)


def _det(matrix):
    rows, sign = _eliminated(matrix, [()] * len(matrix))
    return math.prod((rows[k][k] for k in range(len(rows))), start=sign)


def _cholesky(matrix):
    n = len(matrix)
    factor = [[Dual(0.0)] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            rest = matrix[i][j] - sum(factor[i][k] * factor[j][k] for k in range(j))
            if i > j:
                factor[i][j] = rest / factor[j][j]
            elif _value(rest) > 0.0:
                factor[i][j] = dual(rest).sqrt()
            else:
                raise np.linalg.LinAlgError("Matrix is not positive definite")
    return np.array(factor, object)


def _norm(x):
    return dual(np.sum(np.asarray(x, object) ** 2)).sqrt()


class _DualNumPy:
    linalg = SimpleNamespace(
        solve=_solve,
        det=_det,
        cholesky=_cholesky,
        norm=_norm,
        LinAlgError=np.linalg.LinAlgError,
    )
    logaddexp = staticmethod(_logaddexp)
    isfinite = staticmethod(lambda x: bool(np.all(np.isfinite(part(x, "value")))))

    def __getattr__(self, name):
        return getattr(NUMPY, name)


DUAL_NUMPY = _DualNumPy()
