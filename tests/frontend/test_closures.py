"""Functions made inside the program: lambdas, nested functions, choices of them."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import grad
from s2sad.errors import UnsupportedError
from tests.frontend.whole_programs import assert_differentiated

PROGRAMS = {
    "lambda": """
        def program(x, y):
            square = lambda t: t * t * y
            return square(square(x))
    """,
    "called where it stands": """
        def program(x, y):
            return (lambda a, b=y: a * b + x)(x * x)
    """,
    "nested def with every sort of parameter": """
        def program(x, y):
            def f(a, b=y, /, c=2.0, *rest, d, e=x, **more):
                total = a * b + c * d * e
                for r in rest:
                    total = total + r * r
                for name, value in more.items():
                    total = total * value
                return total
            extra = {"d": y, "z": 1.5}
            return f(x, d=x) + f(x, y, x, y, x, d=2.0, e=y) + f(*(x, y), **extra)
    """,
    "names are read when it is called": """
        def program(x, y):
            scale = x
            f = lambda t: t * scale
            first = f(y)
            scale = y * y
            return first * f(x)
    """,
    "a default is read when it is made": """
        def program(x, y):
            scale = x
            f = lambda t, s=scale: t * s
            scale = y * y
            return f(y) * f(x) * scale
    """,
    "late binding in a loop": """
        def program(x, y):
            fs = []
            for k in (1.0, 2.0, 3.0):
                fs = fs + [lambda t: t * k + x]
            total = 0.0
            for f in fs:
                total = total + f(y) ** 2
            return total
    """,
    "defaults keep loop variables": """
        def program(x, y):
            fs = []
            for k in (1.0, 2.0, x):
                fs = fs + [lambda t, k=k: t * k + x]
            total = 0.0
            for f in fs:
                total = total + f(y) ** 2
            return total
    """,
    "nonlocal counter": """
        def program(x, y):
            count = 0.0
            def add(v):
                nonlocal count
                count += v * v
                return count
            add(x)
            z = add(y) * count
            return count + add(x * y) * count * z
    """,
    "nonlocal in a loop and a branch": """
        def program(x, y, k):
            total = x
            def push(v):
                nonlocal total
                if v > 0.2:
                    total = total * v + y
                else:
                    total -= v
            for i in range(k):
                push(np.sin(total) + 0.1 * i)
            return total * total
    """,
    "returned closures keep their own activations": """
        def make(scale):
            shift = scale * scale
            def apply(t):
                return t * scale + shift
            return apply
        def program(x, y):
            f, g = make(x), make(y)
            return f(y) * g(x) * make(x * y)(2.0) * f(x)
    """,
    "counters of their own": """
        def counter(start):
            count = start
            def step(v):
                nonlocal count
                count = count + v
                return count * v
            return step
        def program(x, y):
            a, b = counter(x), counter(y)
            a(y)
            b(x)
            return a(x) * b(y) + a(1.0)
    """,
    "curried": """
        def program(x, y):
            add = lambda a: lambda b: lambda c: a * b + c * x
            return add(x)(y)(x) * add(y)(2.0)(y)
    """,
    "composed": """
        def compose(*fs):
            def composed(v):
                for f in fs:
                    v = f(v)
                return v
            return composed
        def program(x, y):
            f = compose(np.sin, lambda t: t * y, np.exp)
            g = compose(f, compose(f, np.tanh))
            return g(x) + f(y)
    """,
    "passed as an argument": """
        def integrate(f, a, b, n=5):
            h = (b - a) / n
            total = 0.0
            for i in range(n):
                total += f(a + (i + 0.5) * h) * h
            return total
        def program(x, y):
            return integrate(lambda t: np.sin(t * y), 0.0, x) + integrate(np.cos, x, y)
    """,
    "the same function inside its own argument": """
        def integrate(f, a, b, n=3):
            h = (b - a) / n
            total = 0.0
            for i in range(n):
                total += f(a + (i + 0.5) * h) * h
            return total
        def program(x, y):
            return integrate(lambda u: integrate(lambda v: u * v * y, 0.0, u), 0.0, x)
    """,
    "in tuples, lists and dicts": """
        def program(x, y):
            table = {"sin": np.sin, "scaled": lambda t: t * y}
            pair = (table["scaled"], [np.cos, lambda t, s=x: t - s])
            f, (g, h) = pair
            return f(x) * g(y) + h(x * y) * table["sin"](x)
    """,
    "chosen by a test": """
        def program(x, y):
            f = np.sin if x > 0.1 else np.cos
            return f(x) * f(2.0 * y)
    """,
    "chosen in branches": """
        def program(x, y):
            if x > y:
                scale = x * y
                g = lambda t: t * scale
            elif x > 0.0:
                def g(t):
                    return t + y * t
            else:
                g = np.tanh
            z = x
            for i in range(3):
                z = g(z)
            return z
    """,
    "the same lambda made on two paths": """
        def scaled(s):
            return lambda t: t * s
        def program(x, y):
            if x > 0.0:
                f = scaled(x)
            else:
                f = scaled(y * y)
            return f(x) + f(y)
    """,
    "a default that differs on two paths": """
        def program(x, y):
            s = y
            f = lambda t, s=s: t * s
            if x > 0.0:
                s = x * y
            return f(x) * s
    """,
    "changed in a loop": """
        def program(x, y, k):
            f = np.sin
            z = y
            for i in range(k):
                z = f(z) * x
                f = np.cos if z > 0.0 else f
                if i == 2:
                    f = lambda t: t * t
            return z * f(x)
    """,
    "maybe None": """
        def program(x, y):
            callback = None
            if x > 0.0:
                callback = lambda t: t * y
            z = x * x
            if callback is not None:
                z = callback(z)
            return z if callback is None else z * x
    """,
    "picked from a list by a loop variable": """
        def program(x, y):
            fs = [np.sin, lambda t: t * y, np.tanh]
            z = x
            for i in range(3):
                z = fs[i](z) + fs[-i - 1](x)
            return z
    """,
    "global names inside": """
        SCALE = 1.5
        def helper(t):
            return t * SCALE
        def program(x, y):
            def f(t):
                global SCALE
                return helper(t) * SCALE
            return f(x) * f(y)
    """,
    "a parameter hides a name": """
        def program(x, y):
            f = lambda x: x * y
            g = lambda y: f(y) * x
            return g(x) * g(y)
    """,
    "calls between siblings": """
        def program(x, y):
            def f(t):
                return g(t) * x
            def g(t):
                return t * t + y
            return f(x) + f(y)
    """,
    "arrays": """
        def program(v, m):
            def layer(w, act=np.tanh):
                return lambda h: act(w @ h)
            net = layer(m), layer(m.T, act=lambda t: t * t)
            h = v
            for part in net:
                h = part(h)
            return np.sum(h * v)
    """,
    "decorated inside": """
        import functools
        def program(x, y):
            def twice(f):
                @functools.wraps(f)
                def wrapper(*args, **words):
                    return 2.0 * f(*args, **words) + x
                return wrapper
            @twice
            def g(t, k=1.0):
                return t * t * k
            return g(x) * g(y, k=x)
    """,
    "map, sorted and reduce": """
        import functools
        def program(x, y):
            parts = list(map(lambda t: t * x, (x, y, 1.0)))
            return functools.reduce(lambda a, b: a * b + y, parts)
    """,
    "a variable that is bound from inside, in a function that calls itself": """
        def steps(x, y, n):
            total = x
            def add(v):
                nonlocal total
                if v > 0.0:
                    total += v
                for _ in range(2):
                    total = total * 0.9 + v
                return v
            if n == 0:
                return x * y
            result = total * add(y) + total * steps(0.5 * x, y, n - 1)
            if x > 0.1:
                add(result)
            return result + total
        def program(x, y):
            return steps(x, y, 3) * steps(y, 0.5 * x, 2)
    """,
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name):
    assert_differentiated(PROGRAMS[name])


def test_variables_bound_from_inside_keep_what_they_were_in_second_derivatives():
    def program(x):
        total = x

        def add(v):
            nonlocal total
            total += v
            return total

        return total * add(x * x) * add(x)

    # x * (x + x**2) * (2 * x + x**2)
    assert grad(program)(2.0) == pytest.approx(6 * 4 + 12 * 8 + 5 * 16)
    assert grad(grad(program))(2.0) == pytest.approx(12 * 2 + 36 * 4 + 20 * 8)


def test_variables_bound_from_inside_keep_what_they_were_in_recursions():
    def steps(x, n):
        total = x

        def add(v):
            nonlocal total
            total += v
            return v

        if n == 0:
            return x
        return total * add(2.0) + total * steps(x, n - 1) + total

    def nth(x, n):
        return x if n == 0 else 2.0 * x + (x + 2.0) * (nth(x, n - 1) + 1.0)

    assert grad(steps)(3.0, 2) == pytest.approx(grad(nth)(3.0, 2))


def test_names_of_inlined_variables_speak():
    def program(x, y):
        def scaled(t, factor=y):
            product = t * factor
            return product * np.sin(product)

        return scaled(x) + scaled(x, factor=2.0)

    text = grad(program).source_for(1.0, 2.0)
    assert "product" in text
    assert "lambda" not in text and "~" not in text


def test_a_choice_reads_like_a_choice():
    def program(x, flag):
        if x > flag:
            activation = np.sin
        else:
            activation = np.cos
        return activation(x)

    text = grad(program).source_for(1.0, 2.0)
    assert 'activation = "sin"' in text
    assert 'if activation == "sin":' in text


def test_captured_functions_are_noticed_when_they_change():
    factor = 2.0
    act = np.sin

    def program(x):
        return (lambda t: act(t) * factor)(x)

    derivative = grad(program)
    assert np.isclose(derivative(0.3), 2.0 * np.cos(0.3))
    factor, act = 3.0, np.exp
    assert np.isclose(derivative(0.3), 3.0 * np.exp(0.3))


def returned(x):
    return lambda t: t * x


def stored(x):
    def inner():
        global COUNTER
        COUNTER = x

    inner()
    return x


def to_library(x):
    return np.sum(np.frompyfunc(lambda t: t * t, 1, 1)(x))


def self_calling(x):
    def inner(t, n):
        return t if n == 0 else inner(t * x, n - 1)

    return inner(x, 3)


def two_kinds(x):
    if x > 0.0:
        f = np.sin
    else:
        f = (np.sin, np.cos)
    return f(x)


def asynchronous(x):
    async def inner():
        return x

    return inner()


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (returned, "a lambda is returned, and a function has no derivative"),
        (stored, "'COUNTER' is a global variable, and storing into it"),
        (two_kinds, "'f' is sin on one path and a tuple of 2 on another"),
        (asynchronous, "an async function can't be differentiated"),
    ],
)
def test_refused(function, message):
    with pytest.raises(UnsupportedError, match=message.replace("(", r"\(")):
        grad(function)(1.0)


def test_a_problem_inside_shows_the_calls():
    def inner(f, t):
        return f(t)

    def program(x):
        return inner(lambda t: np.sort_complex(t), x)

    with pytest.raises(UnsupportedError) as caught:
        grad(program)(1.0)
    text = str(caught.value)
    assert "inner" in text and "program" in text and "sort_complex" in text
