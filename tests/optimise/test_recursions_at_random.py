"""Recursions over items of several arrays or lists, made at random: what their reverse
programs are handed to add to is filled by several calls, in several orders."""

from __future__ import annotations

import random

import numpy as np
import pytest

from s2sad import grad
from tests.fuzz.checking import load

TERMS = (
    "{own}[i] * d({others}, 2 * i + 1)",
    "{own}[i] + 0.5 * d({others}, 2 * i + 2)",
    "d({others}, i + 3) * {own}[0]",
    "np.sin(d({others}, 2 * i + 1)) * {own}[i]",
    "{own}[i] ** 2",
)
STEPS = (
    "    if {own}[i] > 1.0:\n        t = t * 0.5 + {term}",
    "    for k in range(2):\n        t = 0.9 * t + {term}",
    "    if i % 2:\n        return t + {term}",
    "    t = t + {term}",
)
ARRAYS = ("np.array(xs)", "np.array(xs) ** 2", "np.sin(np.array(xs))")
LISTS = ("xs", "[2.0 * x for x in xs]", "[x * x * 0.3 for x in xs]")


def recursion(draw):
    names = ["a", "b", "c"][: draw.choice((2, 3))]

    def term():
        others = draw.sample(names, len(names)) if draw.random() < 0.6 else [*names]
        if draw.random() < 0.15:
            others[0] = others[1]
        text = draw.choice(TERMS)
        return text.format(own=draw.choice(names), others=", ".join(others))

    def call(kinds):
        return f"d({', '.join(draw.choices(kinds, k=len(names)))}, {draw.randrange(2)})"

    kinds = draw.choice((ARRAYS, LISTS))
    ends = draw.choice(("1.0", "a[0] * 0.3", f"{names[-1]}[i % len(a)]"))
    return "\n".join(
        [
            "import numpy as np",
            f"def d({', '.join(names)}, i):",
            f"    if i >= len(a): return {ends}",
            f"    t = {term()}",
            draw.choice(STEPS).format(own=draw.choice(names), term=term()),
            f"    return t * 0.5 + {term()}",
            "def program(xs):",
            f"    return 0.5 * {call(kinds)} + {call(kinds)}",
        ]
    )


@pytest.mark.sampled(20)
@pytest.mark.parametrize("seed", range(120))
def test_gradients_are_those_without_destination_passing(seed):
    draw = random.Random(seed)
    text = recursion(draw)
    program = load(text)["program"]
    xs = [0.5 + 0.9 * draw.random() for _ in range(7)]
    found = grad(program)(xs)
    plain = grad(program, optimise={"destination_passing": False})(xs)
    np.testing.assert_allclose(found, plain, rtol=1e-9, atol=1e-12, err_msg=text)
    for k in (0, 1, 5):
        step = np.zeros(7)
        step[k] = 1e-6
        up, down = (program([*(np.array(xs) + by)]) for by in (step, -step))
        slope = (up - down) / 2e-6
        np.testing.assert_allclose(found[k], slope, rtol=1e-4, atol=1e-5, err_msg=text)
