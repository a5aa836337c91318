"""Functions as people write them: partials, decorators, caches, defaults, flags."""

from __future__ import annotations

import functools
import operator

import numpy as np
import pytest

from s2sad import differentiate, grad
from s2sad.errors import UnsupportedError
from tests.frontend.whole_programs import assert_differentiated

PROGRAMS = {
    "partial made inside": """
        from functools import partial
        def line(a, b, t, shift=0.0):
            return a * t + b + shift
        def program(x, y):
            f = partial(line, x, shift=y)
            g = partial(f, y)
            return f(y, 2.0) * g(x) + partial(g, shift=x)(1.0)
    """,
    "partial of the module": """
        import functools
        def line(a, b, t):
            return a * t + b
        F = functools.partial(line, 2.0, b=0.5)
        G = functools.partial(line, np.array([1.0, 2.0]), 3.0)
        def program(x, y):
            return F(t=x) * np.sum(G(y))
    """,
    "decorated helpers": """
        import functools
        def scaled(k):
            def decorate(f):
                @functools.wraps(f)
                def wrapper(*args, **kwargs):
                    return k * f(*args, **kwargs)
                return wrapper
            return decorate
        def squared(f):
            def wrapper(t):
                return f(t) ** 2
            return wrapper
        @scaled(3.0)
        @squared
        def helper(t):
            return np.sin(t) * t
        @scaled(k=2.0)
        def other(t, shift=1.0):
            return t * shift
        def program(x, y):
            return helper(x) * helper(y) + other(x, shift=y)
    """,
    "cached helpers": """
        import functools
        @functools.lru_cache(maxsize=8)
        def count(n):
            return n * 2
        def program(x, y, k):
            total = x
            for i in range(count(3)):
                total = total * y + i
            return total
    """,
    "classes as decorators": """
        class Twice:
            def __init__(self, f):
                self.f = f
            def __call__(self, *args):
                return self.f(*args) * 2.0
        @Twice
        def helper(t):
            return t * t
        def program(x, y):
            return helper(x) * helper(y)
    """,
    "operators as functions": """
        import functools
        import operator
        from operator import itemgetter
        def apply(f, *args):
            return f(*args)
        second = itemgetter(1)
        def program(x, y):
            p = (x, y, x * y)
            z = apply(operator.mul, x, y) + operator.neg(second(p))
            z = z + operator.itemgetter(0, 2)(p)[1] * functools.reduce(operator.add, p)
            return z * operator.pow(x, 2)
    """,
    "attrgetter and methodcaller": """
        import operator
        from typing import NamedTuple
        class P(NamedTuple):
            a: float
            b: float
            def moved(self, d):
                return self.a * d + self.b
        def program(x, y):
            get = operator.attrgetter("a", "b")
            a, b = get(P(x, y))
            return a * b + operator.methodcaller("moved", 2.0)(P(y, x))
    """,
    "defaults of every kind": """
        OFFSET = 0.5
        def helper(t, w=(1.0, 2.0), table={"a": 3.0, "b": [1.0, 2.0]}, act=np.sin,
                   mode="plain", bias=None, m=np.array([1.0, 2.0]), *, k=OFFSET):
            z = act(t) * w[1] * table["b"][0] + k
            if mode == "square":
                z = z * z
            if bias is not None:
                z = z + bias
            return z * np.sum(m)
        def program(x, y):
            return helper(x) + helper(y, mode="square", bias=x) + helper(
                x, act=lambda t: t * y, k=y)
    """,
    "positional only, keyword only": """
        def helper(a, /, b, *, c, d=2.0):
            return a * b + c * d
        def forward(*args, **kwargs):
            return helper(*args, **kwargs)
        def program(x, y):
            return forward(x, y, c=x) * forward(x, b=y, **{"c": y, "d": x})
    """,
    "functions in containers of the module": """
        TABLE = {"sin": np.sin, "own": lambda t: t * t, "more": [np.cos, np.exp]}
        def program(x, y):
            total = 0.0
            for name in ("sin", "own"):
                total = total + TABLE[name](x) * y
            for f in TABLE["more"]:
                total = total * f(y)
            return total
    """,
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name):
    assert_differentiated(PROGRAMS[name])


def counted():
    """A cached helper and the arguments it was really called with."""
    seen = []

    @functools.cache
    def weights(n):
        seen.append(n)
        return n + 0.5

    return weights, seen


def test_cached_helpers_keep_caching():
    weights, seen = counted()

    def program(x):
        return x * x * weights(3)

    derivative = grad(program)
    assert derivative(2.0) == 14.0
    assert derivative(3.0) == 21.0
    assert len(seen) == 1


def test_cached_helpers_of_what_is_differentiated():
    @functools.lru_cache
    def square(t):
        return t * t

    assert grad(lambda x: square(x) * x)(2.0) == 12.0


def test_differentiated_and_numba_functions_are_called_through():
    @differentiate
    def inner(t):
        return t * t

    class Jitted:
        def __init__(self, f):
            self.py_func = f

        def __call__(self, *args):
            return self.py_func(*args)

    jitted = Jitted(lambda t: t**3)
    assert grad(lambda x: inner(x) * x)(2.0) == 12.0
    assert grad(lambda x: jitted(x) * x)(2.0) == 32.0


FLAG, SCALE = True, 2.0


def helper(t):
    return t * t


def switched(x, mode="a"):
    y = helper(x) if FLAG else x
    return y * SCALE if mode == "a" else y


def test_changes_between_calls_are_noticed(monkeypatch):
    derivative = grad(switched)
    assert derivative(3.0) == 12.0
    assert derivative(3.0, "b") == 6.0
    for name, value, want in [
        ("SCALE", 3.0, 18.0),
        ("helper", lambda t: t**3, 81.0),
        ("FLAG", False, 3.0),
    ]:
        monkeypatch.setitem(globals(), name, value)
        assert derivative(3.0) == want
    monkeypatch.undo()
    assert derivative(3.0) == 12.0


def test_changed_defaults_are_noticed():
    def scaled(t, k=2.0, *, parts=[1.0]):  # noqa: B006
        return t * k * parts[0]

    derivative = grad(lambda x: scaled(x))
    assert derivative(1.0) == 2.0
    scaled.__defaults__ = (5.0,)
    assert derivative(1.0) == 5.0
    scaled.__kwdefaults__["parts"][0] = 3.0
    assert derivative(1.0) == 15.0


def test_functions_as_arguments():
    def applied(f, x):
        return f(x) * x

    derivative = grad(applied, wrt="x")
    assert np.isclose(derivative(np.sin, 0.5), np.cos(0.5) * 0.5 + np.sin(0.5))
    assert derivative(lambda t: t * t, 2.0) == 12.0
    assert derivative(functools.partial(operator.mul, 3.0), 2.0) == 12.0


def wrong_count(x):
    return helper(x, x)


def missing(x):
    def inner(t, *, k):
        return t * k

    return inner(x)


def twice_given(x):
    def inner(t, k):
        return t * k

    return inner(x, 2.0, t=x)


def number_called(x):
    return x(2.0)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (wrong_count, "helper takes 1 positional arguments, 2 are given"),
        (missing, "inner needs 'k'"),
        (twice_given, "inner gets 't' twice"),
        (number_called, "a call of a value of kind float"),
    ],
)
def test_refused(function, message):
    with pytest.raises(UnsupportedError, match=message):
        grad(function)(1.0)


def test_problems_are_reported_together_with_the_calls():
    def inner(t):
        a = np.interp(t, [0.0], [1.0])
        b = t.missing()
        return a + b

    def middle(t):
        return inner(t * t)

    def program(x):
        z = x.other()
        return middle(x) + z

    with pytest.raises(UnsupportedError) as caught:
        grad(program)(1.0)
    text = str(caught.value)
    assert "missing" in text and "other" in text
    assert "called from middle" in text and "called from program" in text


def test_what_follows_from_a_problem_in_a_call_isnt_told():
    def inner(x):
        return np.unknown_function(x)

    def outer(x):
        y = inner(x).size
        return np.unknown_too(x) * y

    with pytest.raises(UnsupportedError) as refused:
        grad(outer).source_for(np.ones(3))
    assert [p.reason for p in refused.value.problems] == [
        "numpy has no attribute 'unknown_function'",
        "numpy has no attribute 'unknown_too'",
    ]
