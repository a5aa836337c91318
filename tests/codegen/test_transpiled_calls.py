"""Transpiled files whose derivatives call pairs: one for each helper and version."""

import re

import numpy as np
import pytest

from s2sad.frontend.specialise.recursion import kept_calls
from tests.codegen.test_transpile import numeric, ruff_is_happy, run, transpile, write

__all__ = ["write"]


def functions_of(text):
    return re.findall(r"^def (\w+)", text, re.M)


def calls_kept(monkeypatch):
    monkeypatch.setattr(kept_calls, "LEAST_TEXT", 0)
    monkeypatch.setattr(kept_calls, "MOST_COPIES", 0)


def helpers(count, functions):
    """So many helpers, all called by so many functions."""
    lines = ["import math", "", ""]
    for k in range(count):
        lines += [f"def g{k}(x: float, y: float) -> float:", "    t = x"]
        lines += [f"    t = math.sin(t) * {j}.5 + x * t + y" for j in range(4)]
        lines += ["    return t", "", ""]
    for m in range(functions):
        lines += [f"def f{m}(x: float, y: float) -> float:"]
        lines += [
            f"    x = g{k}(x, y) + g{k}(0.5 * x, y + {m}.0)" for k in range(count)
        ]
        lines += ["    return x", "", ""]
    return "\n".join(lines)


def test_a_helper_of_many_has_one_derivative(write, monkeypatch, tmp_path):
    calls_kept(monkeypatch)
    path = write("model.py", helpers(5, 4))
    text = transpile(path, *(f"f{m}" for m in range(4)))
    suffixes = ("value_and_grad", "grad")
    derivatives = [f"f{m}_{suffix}" for m in range(4) for suffix in suffixes]
    called = [f"g{k}_value_and_grad" for k in range(5)]
    assert functions_of(text)[: len(derivatives + called)] == derivatives + called
    assert not re.search(r"def g\d_\d", text)
    (tmp_path / "out.py").write_text(text)
    ruff_is_happy(tmp_path / "out.py")


@pytest.mark.parametrize(
    "count, functions", [(4, 3), pytest.param(30, 6, marks=pytest.mark.long)]
)
def test_text_grows_as_the_program_does(write, monkeypatch, count, functions):
    calls_kept(monkeypatch)
    path = write("model.py", helpers(count, functions))
    names = [f"f{m}" for m in range(functions)]
    whole = transpile(path, *names, gradient=False).splitlines()
    alone = transpile(path, "f0", gradient=False).splitlines()
    first, behind, *_ = (k for k, line in enumerate(alone) if line.startswith("def "))
    checks = 12  # of the arguments of a function
    assert len(whole) < len(alone) + (functions - 1) * (behind - first + checks)


UNLIKE = """\
import numpy as np
from numpy.typing import NDArray

A = NDArray[np.float64]


def inner(x, k, n):
    if n == 0:
        return x * k
    return inner(0.5 * x, k, n - 1) * 1.5


def outer(x, k, n):
    if n == 0:
        return inner(x, k, 3)
    return 2.0 * outer(x, k, n - 1)


def of_numbers(x: float, k: float, n: int) -> float:
    return outer(x, k, n)


def of_arrays(x: float, k: A, n: int) -> float:
    return np.sum(outer(x, k, n))


def of_both(x: float, k: A, n: int) -> float:
    return np.sum(inner(x, k, n)) + np.sum(outer(k, x, n)) + outer(x, k[0], n)


def of_numbers_again(x: float, k: float, n: int) -> float:
    return outer(k, x, n) * inner(x, k, n)
"""
NAMES = ("of_numbers", "of_arrays", "of_both", "of_numbers_again")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("first", range(4))
def test_versions_that_differ_in_what_they_call_are_two(write, first):
    # each version of outer has the same text, and calls its own version of inner
    names = NAMES[first:] + NAMES[:first]
    text = UNLIKE
    for name in names[: 4 - first]:  # the order of the text counts
        at = text.index(f"def {name}(")
        end = text.find("\n\n\n", at)
        block = text[at : end if end > 0 else None].strip()
        text = text.replace(block, "").rstrip() + f"\n\n\n{block}\n"
    path = write("model.py", text)
    made = transpile(path, *NAMES)
    derivatives = run(made)
    functions = {"__name__": "model"}
    exec(text, functions)
    for name in NAMES:
        k = np.array([0.3, -0.7]) if name in ("of_arrays", "of_both") else 0.3
        found = getattr(derivatives, f"{name}_grad")(0.8, k, 2)
        value, again = getattr(derivatives, f"{name}_value_and_grad")(0.8, k, 2)
        expected = numeric(lambda x: functions[name](x, k, 2), 0.8)  # noqa: B023
        np.testing.assert_allclose(found, expected, rtol=1e-6)
        np.testing.assert_allclose(again, expected, rtol=1e-6)
        assert np.isclose(value, functions[name](0.8, k, 2))
    named = functions_of(made)
    assert len(named) == len(set(named))


def test_a_version_has_one_number_in_both_of_its_programs(write):
    made = transpile(write("model.py", UNLIKE), "of_numbers", "of_arrays")
    assert functions_of(made)[4:10] == [
        *("inner_value_and_grad", "inner_forward", "inner_reverse"),
        *("outer_value_and_grad", "outer_forward", "outer_reverse"),
    ]


POWERS = """\
import math


def powered(x, n):
    total = x
    for _ in range(n):
        total = total * math.sin(x) + n
    return total


def two_and_three(x: float) -> float:
    return powered(x, 2) * powered(x, 3) + powered(0.5 * x, 2) + powered(2.0 * x, 3)


def three_and_four(x: float) -> float:
    return powered(x, 3) * powered(x, 4) + powered(0.5 * x, 4) + powered(2.0 * x, 3)


def four(x: float) -> float:
    return powered(x, 4) * powered(2.0 * x, 4)
"""


def test_versions_are_shared_whatever_they_are_called_elsewhere(write, monkeypatch):
    calls_kept(monkeypatch)
    path = write("model.py", POWERS)
    names = ("two_and_three", "three_and_four", "four")
    made = transpile(path, *names, value_and_gradient=False)
    assert functions_of(made)[3:6] == [
        *("powered_value_and_grad", "powered_2_value_and_grad"),
        "powered_3_value_and_grad",
    ]
    functions = {}
    exec(POWERS, functions)
    derivatives = run(made)
    for name in names:
        found = getattr(derivatives, f"{name}_grad")(0.4)
        assert np.isclose(found, numeric(functions[name], 0.4), rtol=1e-6)
    alone = transpile(path, "four", value_and_gradient=False)
    assert functions_of(alone)[1] == "powered_value_and_grad"
    assert transpile(path, *names, value_and_gradient=False) == made


HIDDEN = """\
import numpy as np

outer_2_reverse = 3.0


def inner(x, k, n):
    if n == 0:
        return x * k
    return inner(0.5 * x, k, n - 1) * 1.5


def outer(x, k, n):
    if n == 0:
        return inner(x, k, 3)
    return 2.0 * outer(x, k, n - 1)


def first(x: float, k: float, n: int) -> float:
    return outer(x, k, n)


def second(x: float, n: int) -> float:
    inner_2_forward = outer_2_reverse * np.ones(2)
    inner_2_forward[1] = 2.0
    made = inner(x, inner_2_forward, n) * inner_2_forward
    return np.sum(made * inner_2_forward) + np.sum(outer(x, inner_2_forward, n))
"""


def test_pairs_get_names_that_mean_nothing_else(write):
    made = transpile(write("model.py", HIDDEN), "first", "second")
    functions = {}
    exec(HIDDEN, functions)
    found = run(made).second_grad(0.8, 2)
    expected = numeric(lambda x: functions["second"](x, 2), 0.8)
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    assert "outer_2_reverse = 3.0" in made
    assert "def outer_2_reverse" not in made
    assert len(functions_of(made)) == len(set(functions_of(made)))


def test_objects_of_functions_that_call_themselves(write):
    path = write(
        "model.py",
        """\
        import math
        from dataclasses import dataclass
        from typing import NamedTuple


        class P(NamedTuple):
            a: float
            b: float


        def halved(p, n):
            if n == 0:
                return P(p.a * p.b, p.b)
            return halved(P(math.sin(p.a), p.b * 0.5), n - 1)


        def product(p: P, n: int) -> float:
            q = halved(p, n)
            return q.a * q.b
        """,
    )
    made = run(transpile(path, "product"))
    from collections import namedtuple

    p = namedtuple("P", "a b")(0.6, 0.9)  # noqa: PYI024
    functions = {"__name__": "model"}
    exec(path.read_text(), functions)
    found = made.product_grad(p, 2)
    assert type(found) is type(p)
    expected = numeric(lambda ab: functions["product"](functions["P"](*ab), 2), p)
    np.testing.assert_allclose(found, expected, rtol=1e-6)
