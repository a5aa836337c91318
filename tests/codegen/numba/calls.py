"""Programs of functions that call each other, and themselves."""

import math

import numpy as np

RATES = np.array([0.5, 2.0])
SCALE = 1.5


def price(s, k, v):
    if s > k:
        d = math.log(s / k) / v
    else:
        d = math.sqrt(k / s) * v
    return math.exp(-d * d) * s


def prices(x, k):
    total = 0.0
    for i in range(x.shape[0]):
        total += price(x[i], k, 0.3) * price(x[i] + 1.0, k, 0.2)
    return total + price(k, x[0], 0.4)


def derivative(y, a):
    return np.tanh(a @ y) - 0.1 * y


def runge_kutta_step(y, a, h):
    k1 = derivative(y, a)
    k2 = derivative(y + 0.5 * h * k1, a)
    k3 = derivative(y + 0.5 * h * k2, a)
    k4 = derivative(y + h * k3, a)
    return y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)


def runge_kutta(y, a):
    for _ in range(3):
        y = runge_kutta_step(y, a, 0.1)
    y = runge_kutta_step(y, a, 0.2)
    return np.sum(y * y)


def growth(u, v, p):
    return u * p - u * v, u * v - v * p * 0.5


def two_results(x, p):
    u, v = x[0], x[1]
    for _ in range(4):
        a, b = growth(u, v, p)
        c, d = growth(u + 0.1 * a, v + 0.1 * b, p)
        u, v = u + 0.05 * (a + c), v + 0.05 * (b + d)
    return u * v


def layer(w, b, x):
    return np.tanh(w @ x + b)


def layers(x, w, b):
    for _ in range(3):
        x = layer(w, b, x)
    return np.sum(layer(w, b, x) ** 2) + np.sum(layer(w, b, x))


def wound(v, n):
    for _ in range(n):
        if v > 0.5:
            v = math.sin(v) * v
        else:
            v = v * v + 0.9
    return v


def loops_in_helpers(x, n):
    return wound(x[0], n) * wound(x[1] * x[0], n + 1)


def folded(x, n):
    for _ in range(n):
        x = np.sin(x) * 1.1
    return x


def perhaps_folded(x, n):
    if n > 2:
        y = folded(x, n)
        return folded(y, 2) * x
    return x


def calls_in_branches(x, n):
    return np.sum(perhaps_folded(x, n) * perhaps_folded(x * 2.0, n - 2) * folded(x, 1))


def rows_of(x, n):
    rows = []
    for _ in range(n):
        x = x * 1.1
        rows.append(np.sin(x))
    total = 0.0
    for row in rows:
        total = total + np.sum(row)
    return total


def lists_in_helpers(x):
    return rows_of(x, 3) * rows_of(x * 2.0, 2)


def rated(x):
    return x * RATES[0] + math.sin(x) * RATES[1] * SCALE


def more_rated(x):
    return rated(x) * SCALE + rated(x * x)


def data_of_the_module(x):
    return more_rated(x[0]) * rated(x[1]) + more_rated(more_rated(x[0]))


def weights():
    return np.linspace(0.5, 1.5, 3)


def calls_without_arguments(x):
    return np.sum(weights() * x) * np.sum(weights() * x * x)


def stored(a, i, v):
    a[i] = v * a[i]
    return np.sum(a)


def stores_in_helpers(x):
    a = x * 2.0
    s = stored(a, 0, x[1])
    s = s + stored(a, 1, x[2])
    return s * np.sum(a * a)


def cubed(last, v):
    if last is None:
        return math.sin(v)
    return (v - last) ** 3


def none_through_calls(x):
    last = None
    total = 0.0
    for v in x:
        total += cubed(last, v) * cubed(v, total)
        last = v
    return total


# ----------------------------------------------------------------------- recursion


def power(x, n):
    if n == 0:
        return 1.0
    if n % 2 == 0:
        half = power(x, n // 2)
        return half * half
    return x * power(x, n - 1)


def powers(x, n):
    return power(x[0], n) * power(x[1] + 1.0, n - 1)


def fibonacci(n, x):
    if n >= 2:
        return fibonacci(n - 1, x) + fibonacci(n - 2, x) * x
    return x * n


def fibonaccis(x):
    return fibonacci(7, x[0])


def whole_at_the_end(n, x):
    if n == 0:
        return 1
    return x * whole_at_the_end(n - 1, x)


def factorials(x):
    return whole_at_the_end(3, x[0]) + whole_at_the_end(2, x[1])


def horner(c, x):
    if len(c) == 1:
        return c[0]
    return c[0] + x * horner(c[1:], x)


def polynomial(x, t):
    return horner(x, t) ** 2 + horner(x[::2], t * t)


def tree(x, depth):
    if depth == 0:
        return np.sum(x * x)
    total = 0.0
    for k in range(2):
        total = total + math.sin(tree(x[k::2], depth - 1)) * x[0]
    return total


def trees(x):
    return tree(x, 2)


def determinant(m):
    if m.shape[0] == 1:
        return m[0, 0]
    inner = m[1:, 1:] - np.outer(m[1:, 0], m[0, 1:]) / m[0, 0]
    return m[0, 0] * determinant(inner)


def trace(m, a):
    if m.shape[0] == 1:
        return m[0, 0] * a[0, 0]
    return math.sin(m[0, 0]) * a[1, 0] + trace(m[1:, 1:], a)


def matrices(m):
    return determinant(m @ m) + trace(m, m) + trace(m.T, m.T)


def even(n, x):
    if n == 0:
        return x
    return math.sin(odd(n - 1, x) * x)


def odd(n, x):
    if n == 0:
        return 1.0
    return even(n - 1, x * 0.9) + x * rated(x)


def each_other(x):
    return even(5, x[0]) * odd(4, x[1])


def recursion_in_a_branch(x, n):
    return perhaps_power(x[0], n) + perhaps_power(x[1], n - 4)


def perhaps_power(x, n):
    if n > 2:
        y = power(x, n) * horner(RATES, x)
        return math.tanh(y) * power(y, 2)
    return x


def nested(x, n):
    if n == 0:
        return horner(x, 0.5)
    return nested(x * 1.1, n - 1) * math.cos(horner(x, 0.1))


def recursion_in_recursion(x):
    return nested(x, 2)


def listed(items, n):
    if not items:
        return 1.0
    if n > 3:
        return items[0]
    return items[0] * listed(items[1:], n + 1) + listed(items[2:], n + 1)


def lists(x):
    return listed([v * v for v in x], 0)


X = np.array([0.7, 1.2, 0.4])
EIGHT = np.linspace(0.1, 0.8, 8)
M = np.array([[2.0, 0.3, 0.1], [0.2, 1.5, -0.4], [0.3, -0.1, 1.8]])
CALLS = [
    (prices, (X, 1.0)),
    (runge_kutta, (X, 0.3 * M)),
    (two_results, (X, 1.2)),
    (layers, (X, 0.3 * M, 0.1 * X)),
    (layers, (X, np.asfortranarray(0.3 * M), X[::-1])),
    (loops_in_helpers, (X, 3)),
    (calls_in_branches, (X, 4)),
    (calls_in_branches, (X, 2)),
    (lists_in_helpers, (X,)),
    (data_of_the_module, (X,)),
    (stores_in_helpers, (X,)),
    (calls_without_arguments, (X,)),
    (none_through_calls, (X,)),
]
RECURSIONS = [
    (powers, (X, 5)),
    (fibonaccis, (X,)),
    (factorials, (X,)),
    (polynomial, (EIGHT, 0.9)),
    (polynomial, (np.linspace(0.1, 0.8, 16)[::2], 0.9)),
    (trees, (EIGHT,)),
    (matrices, (M,)),
    (matrices, (np.asfortranarray(M),)),
    (each_other, (X,)),
    (recursion_in_a_branch, (X, 5)),
    (recursion_in_recursion, (X,)),
    (lists, (X,)),
]
CASES = CALLS + RECURSIONS
