"""Nested lists and tuples of numbers, made at random, and programs made at random that
run over them, map them, change them and fold them."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from s2sad import errors, grad, hvp
from tests.fuzz.checking import load
from tests.run_time.programs.values_beside_structures import evaluated

SIZE = 9
TESTS = {
    list: ("isinstance({v}, list)", "not isinstance({v}, (float, int))"),
    tuple: ("isinstance({v}, tuple)", "type({v}) is tuple"),
}
EITHER = ("not np.isscalar({v})", "hasattr({v}, '__len__')")
LEAVES = ("{v} ** 2 / 2", "np.sin({v})", "0.5 * {v} + np.cos({v})", "{v}", "1.5 - {v}")
FOLDS = (
    "    t = 0.0\n    for u in v:\n        t = 0.8 * t + {name}(u)\n    return t",
    "    return sum(0.7 * {name}(u) for u in v)",
    "    t = 1.0\n    for k, u in enumerate(v):\n"
    "        t = t + {name}(u) / (k + 2)\n    return np.sin(t)",
    "    t = 0.0\n    for u in v:\n        if {inner}:\n            t = t + {name}(u)\n"
    "        else:\n            t = t - u * 0.3 + {name}(u)\n    return t",
)
MAKES = {
    list: (
        "    return [{name}(u) for u in v]",
        "    out = []\n    for u in v:\n        out.append({name}(u))\n"
        "    out.append(0.5)\n    return out",
    ),
    tuple: (
        "    return ({name}(v[0]), {name}(v[1]))",
        "    a, b = v\n    return ({name}(b), {name}(a))",
        "    return (({name}(v[0]), 0.5), {name}(v[1]))",
    ),
}
CHANGES = (
    "    for k in range(len(v)):\n        x = v[k]\n        if isinstance(x, list):\n"
    "            changed(x)\n        else:\n            v[k] = x * x + 0.2",
    "    first = v[0]\n    if not isinstance(first, list):\n"
    "        v.append([first, 0.5 * first])\n    for x in v:\n"
    "        if isinstance(x, list) and len(x) > 2:\n            changed(x)",
    "    v.reverse()\n    x = v[0]\n    if isinstance(x, list):\n        changed(x)\n"
    "    else:\n        v[0] = np.sin(x)",
)


def program_of(draw: random.Random, cls: Any) -> str:
    def test(v: str) -> str:
        return draw.choice((*TESTS[cls], *EITHER)).format(v=v)

    def leaf() -> str:
        return draw.choice(LEAVES).format(v="v")

    def recursion(name: str, bodies: tuple[str, ...]) -> list[str]:
        body = draw.choice(bodies).format(name=name, inner=test("u"))
        if draw.random() < 0.5:
            inside = "\n".join("    " + line for line in body.split("\n"))
            return [
                f"def {name}(v):",
                f"    if {test('v')}:",
                inside,
                f"    return {leaf()}",
            ]
        return [f"def {name}(v):", f"    if not ({test('v')}): return {leaf()}", body]

    lines = ["import numpy as np"]
    lines += recursion("folded", FOLDS)
    lines += recursion("mapped", MAKES[cls])
    lines += ["def changed(v):", draw.choice(CHANGES)]
    lines.append("def program(t):")
    steps = ["t = mapped(t)", "changed(t)"] if cls is list else ["t = mapped(t)"]
    chosen = draw.sample(steps, draw.randrange(2))
    lines += [f"    {step}" for step in chosen]
    last = ["folded(t)", "folded(t) * 0.5 + folded(t)"]
    if "changed(t)" not in chosen:
        last.append("folded(t) + folded(mapped(t))")
    lines.append(f"    return {draw.choice(last)}")
    return "\n".join(lines)


def structure(draw: random.Random, cls: Any, numbers: list[float]) -> Any:
    """A structure of these numbers, in their order."""
    if len(numbers) == 1:
        return numbers[0]
    if cls is tuple:
        cut = draw.randrange(1, len(numbers))
        return tuple(structure(draw, cls, n) for n in (numbers[:cut], numbers[cut:]))
    cuts = sorted(draw.sample(range(1, len(numbers)), min(2, len(numbers) - 1)))
    bounds = [0, *cuts, len(numbers)]
    parts = [numbers[a:b] for a, b in zip(bounds, bounds[1:], strict=False)]
    return [structure(draw, cls, part) for part in parts]


def flat(value: Any) -> list[float]:
    if isinstance(value, list | tuple):
        return [x for part in value for x in flat(part)]
    return [float(value)]


def deeper(draw: random.Random, cls: Any, numbers: list[float]) -> Any:
    """A structure with numbers at many depths, which is kept as it is."""
    inner = structure(draw, cls, numbers[:-4])
    for x in numbers[-4:]:
        inner = cls((x, inner)) if draw.random() < 0.5 else cls((inner, x))
    return inner


@pytest.mark.sampled(24)
@pytest.mark.parametrize("seed", range(120))
def test_gradients_are_those_of_differences(seed: int) -> None:
    draw = random.Random(seed)
    cls = draw.choice((list, list, tuple))
    text = program_of(draw, cls)
    program = load(text)["program"]
    values = np.array([0.4 + 0.9 * draw.random() for _ in range(SIZE)])
    shape = draw.getrandbits(30)

    def made(numbers: Any) -> Any:
        return deeper(random.Random(shape), cls, [float(x) for x in numbers])

    order = np.argsort(flat(made(range(SIZE))))

    def gradient(numbers: Any, **options: Any) -> Any:
        return np.array(flat(grad(program, **options)(made(numbers))))[order]

    try:
        found = gradient(values)
    except errors.UnsupportedError as problem:
        pytest.fail(f"{problem}\n{text}")
    plain = gradient(values, optimise=False)
    np.testing.assert_allclose(found, plain, rtol=1e-9, atol=1e-12, err_msg=text)
    steps = np.eye(SIZE) * 1e-6
    slopes = [
        (program(made(values + by)) - program(made(values - by))) / 2e-6 for by in steps
    ]
    np.testing.assert_allclose(found, slopes, rtol=1e-4, atol=1e-5, err_msg=text)
    direction = np.array([draw.uniform(-1.0, 1.0) for _ in range(SIZE)])
    along = np.array(flat(hvp(program)(made(values), made(direction))))[order]
    up, down = (gradient(values + by * direction) for by in (1e-5, -1e-5))
    slope = (up - down) / 2e-5
    np.testing.assert_allclose(along, slope, rtol=1e-4, atol=1e-5, err_msg=text)


def expression(draw: random.Random, depth: int) -> Any:
    if depth == 0:
        return draw.choice(("x", "y", draw.uniform(0.5, 1.5)))
    op = draw.choice(("add", "mul", "sin"))
    first = expression(draw, depth - 1)
    if op == "sin":
        return op, first
    return op, first, expression(draw, draw.randrange(depth))


def test_one_text_serves_expressions_of_any_structure() -> None:
    """Each had its own forms, and what its structure left open was refused."""
    env = {"x": 0.4, "y": 0.7}
    texts = set()
    for seed in range(40):
        e = expression(random.Random(seed), 6)
        derivative = grad(evaluated, wrt="env")
        found = derivative(e, env)
        texts.add(derivative.source_for(e, env))
        up, down = (evaluated(e, {**env, "x": 0.4 + by}) for by in (1e-6, -1e-6))
        np.testing.assert_allclose(found["x"], (up - down) / 2e-6, rtol=1e-5, atol=1e-7)
    assert len(texts) <= 3, len(texts)
