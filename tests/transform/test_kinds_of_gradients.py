"""The gradient of a float is a float, whatever ints and lengths it meets."""

import linecache

import numpy as np
import pytest

from s2sad import grad, jacobian, jvp, value_and_grad, vjp

HEAD = """
import math
import numpy as np

G, LIST, TABLE, ARRAY = 3, [1, 2], {"a": 3}, np.arange(4)


class Held:
    n = 4


def times(a, b):
    return a * b


"""
EXPRESSIONS = [
    "w",
    "-w",
    "w + n",
    "w * n",
    "w * n + 1",
    "n * w * n",
    "G * w",
    "G * w + n",
    "LIST[1] * w - 2",
    "TABLE['a'] * w + 2",
    "Held.n * w + 2",
    "np.sum(w * ARRAY) + 1",
    "w * ARRAY[n - 1] + 1",
    "w * len(d)",
    "w * d.size + 1",
    "w * len(d) * d.size",
    "w * d.shape[0] * d.ndim",
    "w * math.prod(e.shape) + n",
    "(w if n > 1 else np.prod(e.shape)) + 1",
    "(w if n > 100 else n) + 1",
    "w * (n > 1)",
    "w * True",
    "w * int(w)",
    "w * max(n, 2)",
    "w * divmod(n, 2)[0]",
    "w * np.int64(n)",
    "w * np.argmax(d)",
    "sum([w, n, 2])",
    "sum(w * i for i in range(n))",
    "sum(w for i in range(0))",
    "times(w, n) - times(2, w)",
    "np.sum(np.arange(3) * w)",
    "np.sum([w] * len(d))",
    "np.trace(np.eye(3, dtype=int) * w)",
    "max(w, n)",
    "w**n",
    "w**0",
    "w // n + 0 * w",
    "w - n * w",
    "n * 1.0",
]
BODIES = [
    "    t = 0\n    for i in range(n):\n        t += w * i\n    return t",
    "    t = 0\n    for i in range(n * 0):\n        t = t + w * i\n    return t",
    "    t, k = 0, 0\n    while k < n:\n        t, k = t + k * w, k + 1\n    return t",
    "    if n < 1:\n        return w * n\n    return 0",
    "    c = 0\n    for v in d:\n        c += v > 0\n    return c * w",
    "    r = []\n    for i in range(n):\n        r.append(w * i)\n    return r[n - 1]",
    "    r = {}\n    for i in range(n):\n        r[i] = w\n    return r[0] + r[n - 1]",
]


def function_of(body):
    text = f"{HEAD}def f(w, d, n):\n    e = np.ones((2, 3))\n{body}\n"
    filename = f"<kinds of {body!r}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    namespace = {"__name__": "kinds_of_gradients"}
    exec(compile(text, filename, "exec"), namespace)
    return namespace["f"]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("body", [*(f"    return {e}" for e in EXPRESSIONS), *BODIES])
def test_the_gradient_of_a_float_is_a_float(body):
    f = function_of(body)
    d = np.array([0.5, 1.5])
    for w in (1.5, np.float64(1.5)):
        arguments = (w, d, 3)
        gradient = grad(f)(*arguments)
        found = {
            "grad": gradient,
            "value_and_grad": value_and_grad(f)(*arguments)[1],
            "with a cotangent": grad(f)(*arguments, gradient=1),
            "vjp": vjp(f, *arguments)[1](1)[0],
            "jvp": jvp(f, arguments, (1.0, np.zeros(2), None))[1],
            "jacobian": jacobian(f)(*arguments),
        }
        for name, value in found.items():
            assert isinstance(value, float), (name, value)
            assert value == pytest.approx(gradient), name
    h = 1e-6
    if "int(w)" not in body:
        slope = (f(1.5 + h, d, 3) - f(1.5 - h, d, 3)) / (2 * h)
        assert gradient == pytest.approx(slope, abs=1e-8)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("expression", ["x * n", "G * x + n", "x * len(x)", "x**n"])
def test_the_gradient_of_an_array_has_its_dtype(expression):
    f = function_of(f"    x = w\n    return np.sum({expression})")
    for dtype in (np.float32, np.float64):
        x = np.ones(3, dtype=dtype)
        assert grad(f)(x, x, 3).dtype == dtype
        assert vjp(f, x, x, 3)[1](1)[0].dtype == dtype
