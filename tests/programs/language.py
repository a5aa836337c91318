"""Programs about numbers in which the language itself does the work."""

import contextlib
import functools
import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tests.programs.registry import normal, program

SETTINGS = {"order": 2, "verbose": False}
CALLS = ("sin", "cos", "exp")


@program("3 x * 2 y ^ + x sin -", 0.8, 1.3, wrt=("x", "y"), scalar=True)
def stack_machine(text, x, y):
    """Evaluates an expression in reverse Polish notation."""
    binary = {
        "+": operator.add,
        "-": operator.sub,
        "*": operator.mul,
        "^": lambda a, b: b**a,
    }
    stack = ()
    for token in text.split():
        match token:
            case "x":
                stack = (*stack, x)
            case "y":
                stack = (*stack, y)
            case "sin":
                *rest, top = stack
                stack = (*rest, math.sin(top))
            case "+" | "-" | "*" | "^":
                *rest, a, b = stack
                stack = (*rest, binary[token](a, b))
            case _:
                stack = (*stack, float(token))
    (result,) = stack
    return result


class Add(NamedTuple):
    """A sum of two expressions."""

    left: object
    right: object


class Mul(NamedTuple):
    """A product of two expressions."""

    left: object
    right: object


class Call(NamedTuple):
    """A function of an expression."""

    name: str
    argument: object


@program(
    Add(Mul(2.0, "x"), Call("sin", Mul("x", "y"))),
    {"x": 0.7, "y": 1.1},
    wrt=("tree", "environment"),
    scalar=True,
)
def interpreter(tree, environment):
    """Evaluates a syntax tree in an environment."""
    functions = {"sin": math.sin, "exp": math.exp}

    def evaluate(node):
        match node:
            case Add(left, right):
                return evaluate(left) + evaluate(right)
            case Mul(left=left, right=right):
                return evaluate(left) * evaluate(right)
            case Call(name, argument):
                return functions[name](evaluate(argument))
            case str():
                return environment[node]
            case float() | int():
                return node
        raise TypeError(node)

    return evaluate(tree)


def compose(*functions: Callable) -> Callable:
    """One function after the other."""
    return functools.reduce(lambda f, g: lambda t: g(f(t)), functions)


@program(0.6, 1.4, wrt=("x", "k"), scalar=True)
def pipeline(x, k):
    """A composition of functions that is built on the spot."""
    shift = 0.5
    steps = (lambda t: t + shift, lambda t: k * t, np.tanh, abs)
    shift = 0.2
    run = compose(*steps)
    return run(x) + compose(*steps[:2])(x) ** SETTINGS["order"]


@program(1.7, 5, wrt="x", scalar=True)
def counted_power(x, n):
    """Powers by squaring, with a count of the products."""
    products = 0

    def times(a, b):
        nonlocal products
        products += 1
        return a * b

    def power(n):
        if n == 0:
            return 1.0, 0
        half, count = power(n // 2)
        square = half * half
        return (square * x, count + 2) if n % 2 else (square, count + 1)

    result, count = power(n)
    return times(result, x) / (products + count)


@program(0.4, wrt="x", scalar=True)
def series_until_small(x):
    """The sum of a series that a generator gives, as far as it matters."""

    def terms():
        term, k = 1.0, 0
        while True:
            yield term
            k += 1
            term = term * -x * x / (2 * k * (2 * k - 1))

    total = 0.0
    for count, term in enumerate(terms(), start=1):
        if abs(term) < 1e-10:
            break
        total += term
    return total * count


@program((1.5, -2.0, 0.5, 3.0), wrt="values", scalar=True)
def careful_statistics(values):
    """Means of several kinds; those that don't exist are left out."""

    def harmonic(vs):
        return len(vs) / sum(1.0 / v for v in vs)

    def geometric(vs):
        return math.exp(sum(math.log(v) for v in vs) / len(vs))

    tried = 0
    found = 0.0
    for mean in (harmonic, geometric, lambda vs: sum(vs) / len(vs)):
        try:
            value = mean(values)
        except (ValueError, ZeroDivisionError):
            continue
        else:
            found += value
        finally:
            tried += 1
    positive = [v for v in values if v > 0.0]
    return found / tried + (geometric(positive) if positive else 0.0)


def sum_of(f, *xs, scale=1.0, **options):
    """A sum over arguments, with options for the summand."""
    return scale * sum(f(x, **options) for x in xs)


def bump(x, /, centre=0.0, *, width=1.0):
    return math.exp(-(((x - centre) / width) ** 2))


@program([0.3, 0.9, 1.4], 0.7, wrt=("xs", "width"), scalar=True)
def variadic(xs, width):
    """Calls with starred arguments of each kind."""
    options = {"width": width, "centre": 0.2}
    total = sum_of(bump, *xs, **options)
    total += sum_of(bump, xs[0], *xs[1:], scale=2.0, **{**options, "centre": xs[1]})
    total += sum_of(bump)
    return total + sum_of(lambda x, **_: x**2, *xs)


@program(normal(150, 3, 3), 0.5, wrt=("matrix", "floor"))
def array_or_number(matrix, floor):
    """A value that begins as a number and becomes an array."""
    level = floor
    for i, row in enumerate(matrix):
        if i == 1:
            level = level + row
        elif i == 2:
            level = level * np.sum(row)
    weight = 0.0
    for (i, j), value in np.ndenumerate(matrix):
        if i < j:
            weight = weight + value * level
    return np.sum(level**2) + np.sum(weight)


@program(1.2, 0.7, 0, wrt=("x", "y"), scalar=True)
def loops_without_turns(x, y, n):
    """Loops that may not run at all, and names that may stay unbound."""
    total = x
    for i in range(n):
        total = total * y
    last = None
    for value in ():
        last = value
    while n > 3:
        total, n = total + 1.0, n - 1
    if n > 0:
        bonus = y * i
    else:
        total += y
    for k in range(3):
        found = k * y
        if found > 1.0:
            break
    return total + found * k + (0.0 if last is None else last) + (bonus if n else x)


@program(0.8, -0.3, wrt=("x", "y"), scalar=True)
def logic(x, y):
    """Operators that give back their operands."""
    first = x or y
    second = y and x * y
    third = (x > 1.0 and x) or 2.0 * y
    assert 0.0 < first < 1.0 and second != 0.0
    both = min(x, y) * max(x, y, 0.1)
    flags = [v > 0.0 for v in (first, second, third)]
    signs = sum(flags)
    inside = -1.0 < (low := min(first, second)) <= 0.0 < first
    if any(flags) and not all(flags):
        both += low if inside else second
    return first + second * third + both * signs


@dataclass(frozen=True)
class Polynomial:
    """Coefficients, lowest first."""

    coefficients: tuple[float, ...]

    def __call__(self, x):
        return functools.reduce(
            lambda s, c: s * x + c, reversed(self.coefficients), 0.0
        )

    def __add__(self, other):
        a, b = self.coefficients, other.coefficients
        if len(a) < len(b):
            a, b = b, a
        b = b + (0.0,) * (len(a) - len(b))
        return Polynomial(tuple(s + t for s, t in zip(a, b, strict=True)))

    def __mul__(self, other):
        degree = len(self.coefficients) + len(other.coefficients) - 1
        return Polynomial(
            tuple(
                sum(
                    a * b
                    for i, a in enumerate(self.coefficients)
                    for j, b in enumerate(other.coefficients)
                    if i + j == k
                )
                for k in range(degree)
            )
        )

    def derivative(self):
        return Polynomial(
            tuple(k * c for k, c in enumerate(self.coefficients) if k > 0)
        )

    def __len__(self):
        return len(self.coefficients)

    def __getitem__(self, k):
        return self.coefficients[k]


@program(
    Polynomial((1.0, -0.5, 0.3)),
    Polynomial((0.2, 0.7)),
    0.9,
    wrt=("p", "q", "x"),
    scalar=True,
)
def polynomial_algebra(p, q, x):
    """Products and derivatives of polynomials."""
    product = p * q
    total = product(x) + (p + q).derivative()(x)
    return total * len(product) + product[1] * p[-1]


@contextlib.contextmanager
def unit(name):
    """The factor of a unit, for the length of a block."""
    factors = {"m": 1.0, "cm": 0.01, "ft": 0.3048}
    try:
        yield factors[name]
    finally:
        del factors


@program(180.0, 6.0, wrt=("height", "reach"), scalar=True)
def with_units(height, reach):
    """A height in centimetres and a reach in feet."""
    with unit("cm") as cm, unit("ft") as ft:
        total = height * cm + (metres := reach * ft)
    with contextlib.suppress(ZeroDivisionError):
        total = total / (metres - metres)
    with contextlib.nullcontext(2.0) as factor:
        return total**factor


@program([[1.0, 2.0], [], [0.5, 0.25, 4.0]], 3.0, wrt=("groups", "power"), scalar=True)
def ragged_norms(groups, power):
    """Norms of lists of different lengths, by divide and conquer."""

    def total(values):
        match values:
            case []:
                return 0.0
            case [single]:
                return single**power
            case [first, second]:
                return first**power + second**power
            case [first, *_, last] if first == last:
                return 2.0 * first**power
        middle = len(values) // 2
        return total(values[:middle]) + total(values[middle:])

    norms = [total(group) ** (1.0 / power) for group in groups if group]
    unique = {len(group) for group in groups}
    return sum(norms) / len(norms) + norms[-1] * len(unique)
