"""Comprehensions and generator expressions, against hyper-dual numbers."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import grad
from tests.frontend.test_iteration import differentiates

PROGRAMS = {
    "a list of known length": """
def program(a, b):
    x, y, z = [u * u for u in (a, b, a * b)]
    return x * y + z
""",
    "a list of known length with a condition": """
def program(a, b):
    p = [u * u for k, u in enumerate((a, b, a * b)) if k != 1]
    return p[0] * p[-1] * len(p)
""",
    "nested lists of known length": """
def program(a, b):
    p = [[x * y for x in (a, b)] for y in (a, b, 1.0)]
    return p[0][1] * p[2][0] + p[1][1]
""",
    "layers": """
def program(v, m):
    layers = [{"w": m[0], "b": 1.0}, {"w": m[1], "b": 2.0}]
    outputs = [np.tanh(p["w"] * v + p["b"]) for p in layers]
    return np.sum(outputs[0] * outputs[1])
""",
    "a dict": """
def program(a, b):
    p = {name: value * value for name, value in (("a", a), ("b", b))}
    return p["a"] * p["b"]
""",
    "a dict with a condition": """
def program(a, b):
    p = {"a": a, "b": b}
    q = {k: 2.0 * v * v for k, v in p.items() if k != "b"}
    return q["a"] * len(q)
""",
    "an array of a list": """
def program(v):
    return np.sum(np.array([math.sin(x) * x for x in v]) ** 2)
""",
    "an array of a list with a condition": """
def program(v):
    kept = np.array([x * x for x in v if x > 0])
    return np.sum(kept * kept)
""",
    "a mean": """
def program(v):
    return np.mean([x * x for x in v])
""",
    "over a range": """
def program(v, k):
    p = [v[i] * i for i in range(k)]
    return sum(p) + v[0]
""",
    "over a range that doesn't start at 0": """
def program(v):
    n = len(v)
    p = [v[i] * v[i - 1] for i in range(1, n)]
    return p[0] * p[-1] + len(p)
""",
    "over a range with a step": """
def program(m, k):
    p = [m[0, i] * m[1, i] for i in range(0, k, 2)]
    return sum(p) + m[0, 0]
""",
    "two loops": """
def program(v):
    p = np.array([x * y for x in v for y in v if x > y])
    return np.sum(p * p)
""",
    "a matrix": """
def program(v):
    k = np.array([[math.exp(-((x - y) ** 2)) for y in v] for x in v])
    return np.sum(k @ k)
""",
    "rows": """
def program(m, v):
    rows = [row * v for row in m]
    return np.sum(np.stack(rows) ** 2) + np.sum(rows[0])
""",
    "rows stacked behind": """
def program(m, v):
    return np.sum(np.stack([row * v for row in m], axis=1)[1] ** 2)
""",
    "rows joined": """
def program(m, v):
    return np.sum(np.concatenate([row * v for row in m])[1:4] ** 2)
""",
    "rows below each other": """
def program(m, v):
    return np.sum(np.vstack([row * v for row in m])[:, 1] ** 2)
""",
    "rows beside each other": """
def program(m, v):
    return np.sum(np.hstack([row * v for row in m])[::2] ** 2)
""",
    "the sum of rows": """
def program(m, v):
    return np.sum(sum([row * v for row in m]) ** 2)
""",
    "the largest": """
def program(v):
    return max([x * x for x in v]) * min([x + 1.0 for x in v])
""",
    "items and slices": """
def program(v, k):
    p = [x * x for x in v]
    i = k % 3
    q = p[1:]
    return p[i] * p[-1] * q[0] + len(q)
""",
    "lists joined": """
def program(v):
    p = [x * x for x in v]
    q = [x + 1.0 for x in v if x > 0]
    r = p + q + [v[0]]
    return sum(r) * r[-1] * r[0]
""",
    "a loop over a list": """
def program(v):
    total = 0.0
    for i, y in enumerate([x * x for x in v]):
        total = total * 0.5 + y * y * i
    return total
""",
    "a list of tuples": """
def program(v):
    points = [(math.cos(x), math.sin(x) * x) for x in v]
    total = 0.0
    for c, s in points:
        total += c * s
    return total * points[0][1]
""",
    "a list in a loop": """
def program(v, a):
    for _ in range(2):
        p = [a * x for x in v]
        a = a + sum(p) * p[0]
    return a
""",
    "a list on one path": """
def program(v, a):
    if a > 0:
        p = [a * x for x in v]
        a = sum(p) * p[0]
    return a * a
""",
    "lists on two paths": """
def program(v, a):
    if a > 0:
        p = [a * x for x in v]
    else:
        p = [x * x for x in v]
    return sum(p) * p[0]
""",
    "a generator in a variable": """
def program(v, a):
    terms = (a * x for x in v)
    a = 2.0 * a
    return sum(terms) * a
""",
    "nested generators": """
def program(m):
    return sum(sum(x * x for x in row) * row[0] for row in m)
""",
    "a generator of a generator": """
def program(v):
    return sum(y * y for y in (x * x for x in v if x > 0))
""",
    "assignment expressions": """
def program(v):
    last = 0.0
    p = [(last := last * 0.5 + x * x) for x in v]
    return p[0] * p[-1] + last
""",
    "an assignment expression in a condition": """
def program(v):
    return sum(y * y for x in v if (y := x * x + x) > 0)
""",
    "the same names": """
def program(v, m):
    x = v[0]
    p = [sum([x * y for y in v]) for x in m[0]]
    q = [x * x for x in v]
    return x * sum(p) * sum(q)
""",
    "a choice in the element": """
def program(v):
    return sum([x * x if x > 0 else -x for x in v])
""",
    "a function in the element": """
def f(x):
    y = x * x
    return y * x

def program(v):
    return sum([f(x) for x in v]) + np.sum(np.array([f(x) for x in v]))
""",
    "zip of lists": """
def program(v, m):
    p = [x * x for x in v]
    q = [x + 1.0 for x in m[0]]
    return sum(a * b for a, b in zip(p, q))
""",
    "arithmetic with an array": """
def program(v):
    return np.sum(v * [x * x for x in v])
""",
    "the truth of a list": """
def program(v):
    kept = [x for x in v if x > 0.5]
    if kept:
        return sum(kept) * kept[0]
    return v[0] * v[1]
""",
    "a list is returned": """
def program(v):
    return tuple([x * x for x in (v[0], v[1])])
""",
    "a set": """
def program(v, k):
    return sum(x * x for i, x in enumerate(v) if i in {0, 2})
""",
    "a tuple of unknown length": """
def program(v, a):
    p = tuple(a * x for x in v)
    return p[0] * sum(p) + len(p)
""",
    "a starred target": """
def program(v):
    p = [x * x for x in v]
    first, *rest = p
    *_, last = v
    return first * sum(rest) * last
""",
    "a list unpacked": """
def program(v):
    p = [x * x for x in v]
    a, b, c = p
    return a * b + c
""",
    "a display around a list": """
def program(v, a):
    p = [x * x for x in v]
    q = [a, *p, a * a, *v]
    return sum(q) * q[0] * q[-1] * len(q)
""",
    "sorted": """
def program(v):
    p = sorted(v)
    q = sorted([x * x for x in v], reverse=True)
    return p[0] * p[1] + q[0] * q[2]
""",
    "sorted by a key": """
def program(v):
    p = sorted(v, key=lambda x: (x - 0.1) ** 2)
    return p[0] * p[1] + p[2]
""",
    "windows": """
def program(v, a):
    return sum([np.sum(a * v[i : i + 2]) ** 2 for i in range(len(v) - 1)])
""",
    "an array of windows": """
def program(v):
    w = np.array([v[i : i + 2] for i in range(len(v) - 1)])
    return np.sum(w[0] * w[1])
""",
    "a sum of windows": """
def program(v, a):
    w = [v[i : i + 2] * a for i in range(len(v) - 1)]
    return np.sum(sum(w) ** 2)
""",
    "many": """
def program(a):
    return sum([math.sin(a * i) for i in range(100)])
""",
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", PROGRAMS)
def test_comprehensions(name):
    differentiates(PROGRAMS[name])


def test_a_list_has_an_array_for_its_adjoint():
    def cost(x):
        y = [np.sin(v) * v for v in x]
        return np.sum(np.array(y) ** 2)

    text = grad(cost).source_for(np.ones(3))
    assert "_bar[v_index]" in text
    assert "[:-1]" not in text


def test_a_generator_that_is_summed_needs_no_list():
    def cost(x):
        return sum(v * v for v in x)

    text = grad(cost).source_for(np.ones(3))
    assert "append" not in text


def used_up(x):
    squares = (v * v for v in x if v > -9.0)
    return sum(squares) + sum(squares)


def dynamic_keys(x):
    return sum({v: v for v in x}.values())


def mixed(x):
    values = [x if v > 0 else v for v in x]
    return np.sum(values[0])


def test_keys_that_the_run_computes():
    assert np.array_equal(grad(dynamic_keys)(np.array([0.3, -0.2, 0.5])), np.ones(3))
    assert np.array_equal(grad(dynamic_keys)(np.array([0.3, 0.3])), [0.0, 1.0])


def test_what_is_used_up_gives_nothing_more():
    x = np.array([0.3, -0.2, 0.5])
    np.testing.assert_allclose(grad(used_up)(x), 2.0 * x)


def test_numbers_among_arrays_are_refused_when_they_are_met():
    np.testing.assert_array_equal(grad(mixed)(np.array([0.3, 0.2])), [1.0, 1.0])
    with pytest.raises(TypeError, match="put numbers alone into it, or arrays"):
        grad(mixed)(np.array([0.3, -0.2, 0.5]))
