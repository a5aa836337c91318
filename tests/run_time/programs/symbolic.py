"""Expressions that a program makes of others: derivatives, simplified, evaluated."""

from __future__ import annotations

import numpy as np

from tests.run_time.programs.table import number, program


def drawn(n):
    """An expression of about n parts, with all sorts of them."""
    if n <= 1:
        return ("x",) if number() < 0.8 else number() / 2.0
    if n < 5:
        return (("sin", "cos")[n % 2], drawn(n - 1))
    return (("+", "*")[n % 2], drawn(n // 2), ("sin", drawn(n - n // 2)))


def given(n):
    whole = ("+", ("*", ("x",), 0.7), ("+", ("cos", ("x",)), ("sin", 0.3)))
    return ("+", whole, drawn(n)), 0.8


def derived(e):
    if isinstance(e, float):
        return 0.0
    op = e[0]
    if op == "x":
        return 1.0
    if op == "+":
        return ("+", derived(e[1]), derived(e[2]))
    if op == "*":
        return ("+", ("*", derived(e[1]), e[2]), ("*", e[1], derived(e[2])))
    if op == "sin":
        return ("*", ("cos", e[1]), derived(e[1]))
    if op == "cos":
        return ("*", -1.0, ("*", ("sin", e[1]), derived(e[1])))
    raise ValueError(op)


def simplified(e):
    if isinstance(e, float) or e[0] == "x":
        return e
    if e[0] in ("sin", "cos"):
        return (e[0], simplified(e[1]))
    op, a, b = e
    a, b = simplified(a), simplified(b)
    if op == "+" and a == 0.0:
        return b
    if op == "*" and (a == 0.0 or b == 0.0):
        return 0.0
    if op == "*" and a == 1.0:
        return b
    return (op, a, b)


def evaluated(e, x):
    if isinstance(e, float):
        return e
    op = e[0]
    if op == "x":
        return x
    if op == "+":
        return evaluated(e[1], x) + evaluated(e[2], x)
    if op == "*":
        return evaluated(e[1], x) * evaluated(e[2], x)
    if op == "sin":
        return np.sin(evaluated(e[1], x))
    if op == "cos":
        return np.cos(evaluated(e[1], x))
    raise ValueError(op)


@program(given, wrt=("e", "x"))
def symbolic_derivative(e, x):
    return evaluated(derived(e), x)


@program(given, wrt=("e", "x"))
def simplified_second_derivative(e, x):
    return evaluated(simplified(derived(simplified(derived(e)))), x)


def substituted(e, r):
    if isinstance(e, float):
        return e
    if e[0] == "x":
        return r
    if len(e) == 2:
        return (e[0], substituted(e[1], r))
    return (e[0], substituted(e[1], r), substituted(e[2], r))


@program(given, wrt=("e", "x"))
def derivative_of_a_composition(e, x):
    return evaluated(derived(substituted(e, ("+", ("*", ("x",), 0.5), 0.25))), x)


@program(lambda n: ([number() for _ in range(n)], 0.8), wrt=("numbers", "x"))
def polynomial_by_horner(numbers, x):
    e = 0.0
    for a in numbers:
        e = ("+", ("*", e, ("x",)), a)
    return evaluated(derived(e), x)


def named(n):
    inner = ("add", ("pow", ("mul", "x", 0.7), 2), ("mul", 0.3, "y"))
    for _ in range(n):
        inner = ("add", ("mul", inner, number() / 2.0), ("pow", "y", 3))
    return ("mul", inner, ("add", "x", 0.4)), {
        name: number() / 2.0 for name in "xyzuvw"
    }


def by(e, name):
    if isinstance(e, (int, float)):
        return 0
    if isinstance(e, str):
        return 1 if e == name else 0
    op, *parts = e
    if op == "add":
        return ("add", by(parts[0], name), by(parts[1], name))
    if op == "mul":
        a, b = parts
        return ("add", ("mul", by(a, name), b), ("mul", a, by(b, name)))
    _, a, n = e
    return ("mul", ("mul", float(n), ("pow", a, n - 1)), by(a, name))


def value(e, of):
    if isinstance(e, (int, float)):
        return e
    if isinstance(e, str):
        return of[e]
    op, a, b = e
    if op == "add":
        return value(a, of) + value(b, of)
    if op == "mul":
        return value(a, of) * value(b, of)
    return value(a, of) ** b


@program(named, wrt=("e", "of"))
def partial_derivatives(e, of):
    return value(by(e, "x"), of) + value(by(e, "y"), of) ** 2


def slope(e):
    if isinstance(e, float):
        return 0.0
    if e == "x":
        return 1.0
    op, a, b = e
    if op == "+":
        return ("+", slope(a), slope(b))
    return ("+", ("*", slope(a), b), ("*", a, slope(b)))


def at(e, x):
    if isinstance(e, float):
        return e
    if e == "x":
        return x
    op, a, b = e
    if op == "+":
        return at(a, x) + at(b, x)
    return at(a, x) * at(b, x)


def product_of(n):
    if n <= 1:
        return "x" if number() < 0.8 else number()
    return (("+", "*")[n % 2], product_of(n // 2), product_of(n - n // 2))


@program(
    lambda n: (("+", ("*", "x", ("*", 0.7, "x")), product_of(n % 40)), 0.8),
    wrt=("x",),
)
def newton_step(e, x):
    return x - at(e, x) / at(slope(e), x)
