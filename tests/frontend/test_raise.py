"""``raise`` stays in the generated code; what a guard keeps out needs no derivative."""

from __future__ import annotations

import math

import numpy as np
import pytest

from s2sad import grad, hvp, jvp, value_and_grad, vjp
from tests.frontend.whole_programs import assert_differentiated
from tests.fuzz.checking import ALL_OFF
from tests.support.compiled import compiled

PROGRAMS = {
    "a list that the message changes": """
        def first(items, x):
            if items:
                items.append(items[1] * x)
            return items[0]

        def program(x, v, m, k):
            rows = list(m)
            total = [x, x * x]
            for i in range(k + 1):
                if i > 7:
                    total.append(x * total[-1])
                    raise ValueError(f"{first(rows, x)} {sum(total)}")
                assert rows, f"{first(rows, total[-1])}"
                total[0] += x
            return np.sum(rows) * total[0]
    """,
    "guard": """
        def program(x, y):
            if x > 100.0:
                raise ValueError(f"too large: {x!r:>10}")
            return x * y * y
    """,
    "guards around branches": """
        def program(x, y):
            if x > 0.0:
                if y > 50.0:
                    raise ValueError
                z = x * y
            elif x < -50.0:
                raise ValueError("no")
            else:
                z = x * x * y
            return z * z
    """,
    "last branch": """
        def program(x, y, k):
            if k == 0:
                return x * y
            elif k == 1:
                return x * x * y
            elif k < 4:
                z = x * k
            else:
                raise ValueError(f"order {k}")
            return z * y
    """,
    "in a loop": """
        def program(x, y, k):
            for i in range(k):
                x = x * y
                if abs(x) > 1e6:
                    raise OverflowError("diverged")
                x = x + y
            return x * x
    """,
    "in a while loop": """
        def program(x, y):
            n = 0
            while x * x < 10.0 and n < 5:
                n += 1
                if n > 20:
                    raise RuntimeError(n)
                x = x + y * x
            return x * y
    """,
    "helper": """
        def checked(x, limit):
            if x > limit:
                raise ValueError("over the limit")
            return x * x

        def program(x, y):
            return checked(x, 100.0) * checked(y, 100.0)
    """,
    "helper that always raises": """
        def fail(message):
            raise ValueError(message)

        def program(x, y):
            z = x * y if x < 100.0 else fail("over the limit")
            if y > 100.0:
                fail("over the limit")
            return z * x
    """,
    "assert false": """
        def program(x, y, k):
            if k < 10:
                z = x * y
            else:
                assert False, f"{k} is too many"
            return z * z
    """,
    "values that only one path has": """
        def program(x, y, k):
            if k > 9:
                raise ValueError
            else:
                scale = x * y
            return scale * scale
    """,
    "an exception in a variable": """
        def program(x, y):
            error = ValueError("over the limit")
            if x > 100.0:
                raise error
            return x * y
    """,
    "with a cause": """
        def program(x, y):
            if x > 100.0:
                raise ValueError("over", "the", "limit") from None
            return x * x * y
    """,
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_programs(text):
    assert_differentiated(text)


class OutOfRange(Exception):
    def __init__(self, value, *, limit):
        super().__init__(f"{value} is beyond {limit}")
        self.limit = limit


def guarded(x, n):
    if x <= 0.0:
        raise OutOfRange(x, limit=0.0)
    if n > 3:
        raise ValueError(f"{n} is too many") from KeyError(n)
    for i in range(n):
        x = x * x
        assert x < 1e9, f"{x:.1e} is too large"
    return math.log(x)


def test_all_derivatives_raise_what_the_function_raises():
    calls = [
        grad(guarded),
        value_and_grad(guarded),
        lambda x, n: hvp(guarded)(x, n, 1.0),
        lambda x, n: jvp(guarded, (x, n), (1.0, None)),
        lambda x, n: vjp(guarded, x, n),
    ]
    for call in calls:
        call(2.0, 2)
        with pytest.raises(OutOfRange, match="-1.0 is beyond 0.0") as caught:
            call(-1.0, 2)
        assert caught.value.limit == 0.0
        with pytest.raises(ValueError, match="4 is too many") as caught:
            call(1.0, 4)
        assert isinstance(caught.value.__cause__, KeyError)
        with pytest.raises(AssertionError, match="1.0e\\+12 is too large"):
            call(1e6, 2)


@pytest.mark.parametrize("recipe", ["gradient", "pushforward", "hvp", "vjp"])
def test_unoptimised_code_raises_too(recipe):
    made = compiled(recipe, guarded, (2.0, 2), "x", switched_off=ALL_OFF)
    arguments = (-1.0, 2, 1.0) if recipe in ("pushforward", "hvp") else (-1.0, 2)
    with pytest.raises(OutOfRange):
        made(*arguments)


def never(x):
    y = x * x
    raise NotImplementedError("later")


def never_by_flag(x, flag=True):
    if flag:
        raise NotImplementedError
    return x * x


def test_a_function_that_always_raises():
    for function in (never, never_by_flag):
        for call in (grad(function), value_and_grad(function)):
            with pytest.raises(NotImplementedError):
                call(2.0)
        with pytest.raises(NotImplementedError):
            vjp(function, 2.0)
        with pytest.raises(NotImplementedError):
            jvp(function, (2.0,), (1.0,))
        with pytest.raises(NotImplementedError):
            hvp(function)(2.0, 1.0)


def positive(x):
    if x <= 0.0:
        raise ValueError(f"x must be positive, not {x:.2f}")
    return math.log(x)


def test_the_guard_is_written_as_it_was():
    assert grad(positive).source_for(2.0) == (
        "def positive_grad(x):\n"
        '    """Gradient of positive with respect to x."""\n'
        "    if x <= 0.0:\n"
        '        raise ValueError(f"x must be positive, not {x:.2f}")\n'
        "    # return math.log(x)\n"
        "    x_bar = 1.0 / x\n"
        "    return x_bar\n"
    )


def array_guard(x):
    if np.any(x <= 0.0):
        raise ValueError("x must be positive")
    if x.ndim != 1:
        raise TypeError(f"{x.ndim} axes")
    return np.sum(np.log(x))


def test_guards_of_arrays():
    assert grad(array_guard)(np.array([1.0, 2.0])).tolist() == [1.0, 0.5]
    with pytest.raises(ValueError, match="x must be positive"):
        grad(array_guard)(np.array([1.0, -2.0]))
    with pytest.raises(TypeError, match="2 axes"):
        grad(array_guard)(np.ones((1, 2)))


def raised_again(x, y):
    try:
        if x > 1.0:
            raise ValueError(f"{x} is too large")
        z = x * y
    except ValueError as error:
        if y > 1.0:
            raise
        if y < -1.0:
            raise KeyError("other") from error
        z = y * y
    return z * x


def test_raise_inside_try():
    derivative = grad(raised_again, wrt=(0, 1))
    assert derivative(0.5, 3.0) == (3.0, 0.25)
    assert derivative(2.0, 0.5) == (0.25, 2.0)
    for call in (derivative, lambda x, y: hvp(raised_again)(x, y, 1.0)):
        with pytest.raises(ValueError, match="2.0 is too large"):
            call(2.0, 2.0)
        with pytest.raises(KeyError, match="other") as caught:
            call(2.0, -2.0)
        assert isinstance(caught.value.__cause__, ValueError)


def nothing_to_raise_again(x):
    if x > 0.0:
        raise
    return x


def test_nothing_to_raise_again():
    for function in (nothing_to_raise_again, grad(nothing_to_raise_again)):
        with pytest.raises(RuntimeError):
            function(1.0)
