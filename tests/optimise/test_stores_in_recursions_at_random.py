"""Recursions and kept calls that store into arrays and lists, made at random: they
write in place where no caller sees what was there, and only there."""

from __future__ import annotations

import random

import numpy as np
import pytest

from s2sad import UnsupportedError, grad, hvp, vjp
from tests.fuzz.checking import load

STORES = (
    "a[{i}] = {value}",
    "a[{i}] += {value}",
    "b[{i}] = {value}",
    "b[{i}] = a[{j}] * {value}",
    "a[{i}], b[{j}] = b[{j}], a[{i}] * 0.7",
)
VALUES = ("a[{j}] * b[{k}]", "0.5 * t + a[{i}]", "np.sin(a[{j}])", "t * 0.3", "x[{k}]")
READS = (
    "t = t * 0.5 + a[{i}] * b[{j}]",
    "s = a\n    t = t + 0.1 * s[{i}]",
    "t = t + a[{i}] ** 2",
)
FLOWS = (
    "if a[{i}] > 0.8:\n        {store}",
    "for k in range(2):\n        a[k] = a[k] * 0.9 + {value}",
    "try:\n        {store}\n        check(a[{i}])\n"
    "    except ValueError:\n        t = t * 0.5",
)
CALLS = (
    "t = 0.6 * t + {f}(n - 1, {first}, b, x, t)",
    "for k in range(2):\n        t = 0.4 * t + {f}(n - 2, {first}, b, x, t)",
    "t = t + 0.2 * {f}(n - 1, a, b, x, 0.5 * t) * a[{i}]",
)
STARTS = {
    "arrays": ("np.zeros(5)", "2.0 * x", "x.copy()", "np.ones(5)", "np.sin(x)"),
    "lists": ("[0.5] * 5", "[2.0 * v for v in x]", "[v * v for v in x]", "list(x)"),
}


COPIES = {"arrays": "a.copy()", "lists": "list(b)"}
BETWEEN = ("t += sum(a) * b[1]", "t += a[2]", "a[0] = t * b[3]", "t *= 0.5")


def program_of(draw):
    """A program whose functions change what they are given."""
    sort = draw.choice(sorted(STARTS))

    def filled(text):
        while "{" in text:
            text = text.format(
                i=draw.choice(("n % 5", "0", "(n + 1) % 5", "-1")),
                j=draw.choice(("n % 5", "2", "-1")),
                k=draw.choice(("0", "n % 3")),
                value=draw.choice(VALUES),
                store=draw.choice(STORES),
                f=draw.choice(("f", "f", "g")),
                first=draw.choice(("a", "b", COPIES[sort])),
            )
        return text

    def body():
        sorts = (*STORES, *READS, *FLOWS)
        parts = [draw.choice(sorts) for _ in range(draw.randrange(1, 4))]
        parts.insert(draw.randrange(len(parts) + 1), draw.choice(CALLS))
        parts.append(draw.choice((*STORES, *READS)))
        return ["    " + filled(part) for part in parts]

    starts = [draw.choice(STARTS[sort]) for _ in range(2)]
    return "\n".join(
        [
            "import numpy as np",
            "def check(v):",
            "    if v > 1.1: raise ValueError(v)",
            "def f(n, a, b, x, t):",
            "    if n <= 0: return t * a[0] + b[-1]",
            *body(),
            "    return t + a[n % 5] * b[0]",
            "def g(n, a, b, x, t):",
            "    if n <= 0: return t * b[0]",
            *body(),
            "    return t * a[1]",
            "def program(x):",
            f"    a, b = {starts[0]}, {starts[1]}",
            "    t = f(3, a, b, x, 0.5)",
            f"    {draw.choice(BETWEEN)}",
            "    for m in range(2):",
            f"        t = t * 0.5 + {draw.choice('fg')}(m + 1, a, b, x, t)",
            "    return t + sum(v * w for v, w in zip(a, b))",
        ]
    )


FORMS = ({}, {"inlining": False}, {"ownership": False}, {"destination_passing": False})


def slopes(function, x, step):
    """Central differences; NaN near a jump or a kink."""
    found = []
    for k in range(len(x)):
        by = np.zeros(len(x))
        by[k] = step
        one, two = (
            (function(x + n * by) - function(x - n * by)) / (2 * n * step)
            for n in (1, 2)
        )
        smooth = np.allclose(one, two, rtol=1e-3, atol=1e-4)
        found.append(one if smooth else np.nan * np.asarray(one))
    return np.array(found)


def assert_near(found, wanted, message):
    known = ~np.isnan(wanted)
    np.testing.assert_allclose(
        np.asarray(found)[known], wanted[known], rtol=1e-3, atol=1e-4, err_msg=message
    )


@pytest.mark.sampled(20)
@pytest.mark.parametrize("seed", range(160))
def test_derivatives(seed):
    draw = random.Random(seed)
    text = program_of(draw)
    program = load(text)["program"]
    x = np.array([0.5 + 0.7 * draw.random() for _ in range(5)])
    if abs(program(x.copy())) > 1e6:
        return
    wanted = slopes(program, x, 1e-6)
    gradient = grad(program)
    try:
        found = gradient(x)
    except UnsupportedError as refused:
        assert "may share it with another argument" in str(refused), text
        return
    for form in draw.sample(FORMS, 2):
        assert_near(grad(program, optimise=form)(x), wanted, f"{form}\n{text}")
    _, pull = vjp(program, x.copy())
    for seed_of_pull in (1.0, 2.0):
        (pulled,) = pull(seed_of_pull)
        np.testing.assert_allclose(pulled, seed_of_pull * found, rtol=1e-9, atol=1e-9)
    if draw.random() < 0.5:
        hessian = slopes(gradient, x, 1e-6)
        assert_near(hvp(program)(x, np.ones(5)), np.sum(hessian, axis=0), text)
