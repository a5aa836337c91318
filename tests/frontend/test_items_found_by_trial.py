"""Items under keys and places that only the run knows, and unions of dicts."""

from __future__ import annotations

import pytest

from s2sad import ArgumentError, grad
from tests.frontend.whole_programs import assert_differentiated

CASES = {
    "string key from branch": """
def program(x, y):
    s = "neg" if x < 0 else "small" if x < 1 else "big"
    k = {"neg": -1.0, "small": 2.0, "big": y}[s]
    return k * x
""",
    "ops by name list": """
def program(x, y, k):
    ops = {"sq": lambda z: z * z, "sin": math.sin, "id": lambda z: z}
    names = ["sq", "sin", "id"]
    j = (k + int(x > 0)) % 3
    return ops[names[j]](y) * x
""",
    "tuples by key": """
def program(x, y):
    table = {"a": (x, y), "b": (y, 2.0), 3: (x * y, x)}
    key = "a" if x > 0 else "b" if y > 0 else 3
    p, q = table[key]
    return p * q
""",
    "loop with state machine": """
def program(v, x):
    nxt = {"up": "down", "down": "flat", "flat": "up"}
    gain = {"up": 1.0, "down": -0.5, "flat": x}
    state = "up"
    t = 0.0
    for a in v:
        t += gain[state] * a
        if a > 0:
            state = nxt[state]
    return t
""",
    "structure list runtime index": """
def program(x, y, k):
    rows = [{"a": x, "b": y}, {"a": y, "b": x * y}]
    i = int(x > 0) * 1 - 1
    return rows[i]["a"] * rows[-1]["b"] + rows[i]["b"]
""",
    "int keys": """
def program(x, y):
    d = {0: x, 1: y * y, 7: x * y}
    i = 7 if x > 0 else int(y > 0)
    return d[i] * x
""",
    "dict get runtime key": """
def program(x, y):
    d = {"a": x, "b": y * y}
    key = "a" if x > 0 else "q"
    return d.get(key, 1.0) * y
""",
    "in runtime key": """
def program(x, y):
    d = {"a": x, "b": y * y}
    key = "a" if x > 0 else "q"
    if key in d:
        return d[key] * y
    return y
""",
    "string compare": """
def program(x, y):
    key = "a" if x > 0 else "q"
    if key == "a" and key != "b":
        return x * y
    return y
""",
    "union": """
def program(x, y):
    cfg = {"lr": x}
    merged = cfg | {"mom": y} | {"lr": x * y}
    return merged["lr"] * merged["mom"] + cfg["lr"]
""",
    "union or set": """
def program(x, y):
    a = {1, 2} | {3}
    return x * len(a) + (True | False) * y + (5 | 2) * x
""",
    "get without default": """
def program(x, y):
    d = {"a": x, "b": y * y}
    key = "a" if x > 0 else "q"
    z = d.get(key)
    return y if z is None else z * y
""",
    "union keeps order": """
def program(x, y):
    d = {"b": x} | {"a": y, "b": x * y}
    t = 0.0
    for i, (k, z) in enumerate(d.items()):
        t += z * (i + 1) * (2 if k == "b" else 5)
    return t
""",
    "arrays by key": """
def program(v, m, x):
    d = {"v": v, "r": m[0], "s": m[1] * x}
    key = "v" if x > 0 else "s"
    return np.sum(d[key] * v)
""",
    "negative place in a tuple of strings": """
def program(x, y, k):
    names = ("sin", "cos", "id")
    t = 0.0
    for i in range(3):
        n = names[-1 - (i + k) % 3]
        t += math.sin(x * i) if n == "sin" else math.cos(y) if n == "cos" else x
    return t
""",
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("text", CASES.values(), ids=list(CASES))
def test_differentiated(text):
    assert_differentiated(text, range(4))


def by_key(x):
    key = "a" if x > 0.0 else "q"
    return {"a": x, "b": x * x}[key]


def by_place(x):
    return (("a", x), ("b", x * x))[int(x)][1]


def by_truth(x):
    return {True: x, False: 2.0 * x}[x > 1.0]


def function_or_none(x, k):
    f = [abs, None][int(k)]
    return f(x) if f else x * x


def test_found():
    assert grad(by_key)(2.0) == 1.0
    assert [grad(by_place)(x) for x in (0.5, 1.5, -1.0)] == [1.0, 3.0, -2.0]
    assert grad(by_truth)(2.0) == 1.0 and grad(by_truth)(0.5) == 2.0
    assert grad(function_or_none)(-2.0, 0.0) == -1.0
    assert grad(function_or_none)(-2.0, 1.0) == -4.0


@pytest.mark.parametrize(
    ("function", "arguments", "error"),
    [
        (by_key, (-2.0,), KeyError),
        (by_place, (5.0,), IndexError),
        (by_place, (-3.0,), IndexError),
        (function_or_none, (2.0, 7.0), IndexError),
    ],
)
def test_nothing_there(function, arguments, error):
    with pytest.raises(error):
        function(*arguments)
    with pytest.raises(error):
        grad(function)(*arguments)


def test_items_of_different_structures():
    def f(x):
        return {0: x, 1: (x, x)}[int(x)]

    with pytest.raises(ArgumentError, match="returns float or tuple"):
        grad(f)(1.0)
