"""Expressions: choices between values, comparisons, conversions, strings, effects."""

from __future__ import annotations

import logging
import math

import numpy as np
import pytest

from s2sad import grad, jvp, value_and_grad
from s2sad.errors import UnsupportedError
from tests.frontend.whole_programs import assert_differentiated

PROGRAMS = {
    "or gives a value": """
        def program(x, y):
            z = x or 1.0
            return z * y * (0.0 or y)
    """,
    "and gives a value": """
        def program(x, y):
            z = x and x * y
            return z * z + (y and 2.0)
    """,
    "or of a condition and a value": """
        def program(x, y):
            z = (x > 0.0 and x * y) or y * y
            return z * x
    """,
    "default for None": """
        def scaled(x, factor=None, shift=None):
            factor = factor or 2.0
            shift = shift if shift is not None else x
            return factor * x * shift

        def program(x, y):
            return scaled(x) + scaled(x, y) + scaled(y, factor=x, shift=y)
    """,
    "None on one side of a choice": """
        def program(x, y, k):
            scale = y if k > 1 else None
            return x * x if scale is None else x * scale
    """,
    "places in tuples": """
        class Factor:
            def __init__(self, names, table):
                self.names, self.table = tuple(names), table
            def without(self, name):
                axis = self.names.index(name)
                rest = self.names[:axis] + self.names[axis + 1 :]
                return Factor(rest, self.table.sum(axis=axis))
        def program(x, m, v):
            factors = [Factor("ab", m * x), Factor("b", v)]
            for name in ["a", "b"]:
                factors = [f.without(name) if name in f.names else f for f in factors]
            t = tuple(e * x for e in v)
            place = t.index(max(t))
            return factors[0].table * v[place] * t.count(t[0]) * (x, t[0]).index(t[0])
    """,
    "codes of letters": """
        def program(x, y):
            total = 0.0
            for word in ["ab", "c"] + ["d"] * 70:
                total += x * (ord(word[0]) - ord("a")) + y * (hash(word) * 0 + 1)
            return total * x
    """,
    "not": """
        def program(x, y):
            if not x > 0.0:
                return x * y
            return x * y * y if not (x < y or y < 0.0) else x
    """,
    "chained comparisons": """
        def program(x, y):
            z = x * y
            if -0.5 < x <= y < 3.0:
                z = z * x
            if 0.0 < (w := x * x) < 1.0:
                z = z * w
            if -1.0 < x < y != z > -9.0:
                z = z * y
            return z
    """,
    "in known items": """
        def step(mode, x, y):
            if mode in ("a", "b"):
                return x * y
            if mode not in ["c"]:
                return x
            return y * y if "w" in {"w": x} else x

        def program(x, y):
            return step("a", x, y) * step("c", x, y) + step("d", x, y)
    """,
    "in items known at run time": """
        def program(x, y, k):
            z = x * y
            if k in (0, 2):
                z = z * x
            if k not in [1, 2]:
                z = z * y
            if k in {1, 3}:
                z = z + x
            if k in range(2):
                z = z + y
            if x in (0.25, y):
                z = z + 1.0
            return z
    """,
    "conversions": """
        def program(x, y, k):
            n = int(k * 1.5) + round(k / 3) + bool(k) + int("2") + int(True)
            q, r = divmod(k, 2)
            d, e = divmod(n, 3)
            z = float(k) * x + abs(y) * n + pow(x, 2) + pow(k, 2) + abs(-k) * y
            return z * (q + 1) + r * y + d * e * x + float("2.5") * y
    """,
    "string slices and methods": """
        def program(x, y):
            key = "Weight_0"[:-2].lower()
            parts = {"weight": x, "bias": y}
            name = "-".join(["a", "b"]).replace("-", "").upper()
            if name == "AB" and key.startswith("wei") and "x"[0] == "x":
                return parts[key] * parts[key] * parts["bias"]
            return x
    """,
    "string of known parts": """
        def program(x, y):
            parts = {"w0": x, "w1": y, "w_02": x * y}
            total = 0.0
            for i in (0, 1):
                total = total + parts[f"w{i}"] * parts["w%d" % i]
            return total * parts[f"w_{2:02d}"] * parts["w" + str(1)]
    """,
    "slices of tuples and lists": """
        def program(x, y):
            values = [x, y, x * y, y * y]
            a = values[1:3]
            b = (*values[::-1],)[:2] + (x,)
            return a[0] * a[1] * b[0] * b[2] + values[-1] * len(values[:-1])
    """,
    "f-strings": """
        def program(x, y, k):
            width = 12
            text = f"{x!r:>{width}} {y:.{k}f} {k!s} {'a'!a} {{}} {x * y=}"
            print(end=text[:0])
            return x * y
    """,
    "identity": """
        def program(x, y):
            a = None
            b = None if a is None else x
            if b is None and a is b and x is not None:
                return x * y
            return x
    """,
    "sets": """
        def program(x, y, k):
            allowed = {"a", "b"}
            if "a" in allowed and len(allowed) == 2:
                x = x * y
            return x * y
    """,
    "truth of structures": """
        def program(x, y):
            values = (x, y)
            empty = []
            z = x if empty else y * x
            return z * y if values and not empty else x
    """,
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_programs(text):
    assert_differentiated(text)


logger = logging.getLogger("s2sad.test")
CALLS = []


def logged(x, n):
    logger.info("n is %d", n)
    y = x * x
    logger.warning("y is %.3f", y)
    logging.warning("function %s", "logged")
    print("x", x)
    return y * n


def test_effects_stay(caplog, capsys):
    with caplog.at_level(logging.INFO):
        assert grad(logged)(3.0, 2) == 12.0
        assert [r.getMessage() for r in caplog.records] == [
            "n is 2",
            "y is 9.000",
            "function logged",
        ]
        caplog.clear()
        assert jvp(logged, (3.0, 2), (1.0, None)) == (18.0, 12.0)
        assert len(caplog.records) == 3
    assert capsys.readouterr().out == "x 3.0\nx 3.0\n"
    text = grad(logged).source_for(3.0, 2)
    assert '    logger.info("n is %d", n)\n' in text


def evaluated_once(x):
    return x if 0.0 < noted(x) < 10.0 else -x


def noted(x):
    print("noted")
    return x * 2.0


def test_the_middle_of_a_comparison_is_evaluated_once(capsys):
    assert value_and_grad(evaluated_once)(1.0) == (1.0, 1.0)
    assert capsys.readouterr().out == "noted\n"


def array_or(x):
    return np.sum(x or 1.0)


def test_the_truth_of_an_array_raises_as_in_python():
    for function in (array_or, grad(array_or)):
        with pytest.raises(ValueError):
            function(np.array([1.0, 2.0]))


def integer_power(n, x):
    return x ** int(round(math.sqrt(n)))


def test_conversions_of_inactive_numbers():
    assert grad(integer_power, wrt="x")(9, 2.0) == 12.0


def contained(x):
    return x if x in np.array([1.0, 2.0]) else x * x


def test_membership_in_an_array():
    assert grad(contained)(2.0) == 1.0
    assert grad(contained)(3.0) == 6.0


def shuffled(x):
    np.random.shuffle(x)
    return np.sum(x[:1])


def test_functions_that_may_write_are_refused():
    with pytest.raises(UnsupportedError, match="may write into what it is given"):
        grad(shuffled)(np.ones((2, 2)))


def rounded(x):
    q, r = divmod(x, 0.7)
    n = int(x * 3.0) + round(x) + math.floor(x)
    return q * x + r * r + n * x + float(np.float64(x)) * round(x, 1) + bool(x) * x


def test_conversions_of_active_numbers():
    for x in (1.23, -2.6):
        h = 1e-6
        want = (rounded(x + h) - rounded(x - h)) / (2 * h)
        assert grad(rounded)(x) == pytest.approx(want)
        assert jvp(rounded, (x,), (1.0,))[1] == pytest.approx(want)


def looped_set(x):
    for i in {1, 2}:
        x = x * i
    return x


def set_of_unknown(x):
    return x if x in {x, 1.0} else 1.0


def test_sets_of_the_run():
    assert grad(looped_set)(1.0) == 2.0
    assert grad(set_of_unknown)(0.5) == 1.0


def test_an_int_that_an_array_cannot_hold_raises_as_in_numpy():
    def below(x, k):
        return np.sum(x * (k + -3))

    def taken_away(x, k):
        total = x * x
        total += -2 * k
        return np.sum(total * x)

    x, k = np.array([1.0, 2.0]), np.array([1, 200], dtype=np.uint8)
    for function in (below, taken_away):
        with pytest.raises(OverflowError):
            function(x, k)
        with pytest.raises(OverflowError):
            value_and_grad(function, "x")(x, k)
