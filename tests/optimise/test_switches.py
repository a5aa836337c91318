"""Every optimisation can be switched off by its name, and the results stay what they
are."""

from __future__ import annotations

import heapq
import math

import numpy as np
import pytest

from s2sad import jacfwd
from s2sad.optimise.pipeline import SWITCHES as NAMES
from tests.golden.programs import PROGRAMS
from tests.support.compiled import compiled
from tests.support.finite_differences import (
    assert_trees_close,
    tree_random_like,
)

SWITCHES = {name: frozenset({name}) for name in NAMES} | {
    "all": frozenset(NAMES),
    **{f"all but {name}": frozenset(NAMES) - {name} for name in NAMES},
}
programs = pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)


def pairs():
    """Every switch with every program. All optimisations off stay in the first step,
    and of each other switch one program, another for each."""
    for k, (name, off) in enumerate(SWITCHES.items()):
        for position, (key, program) in enumerate(PROGRAMS.items()):
            here = name == "all" or position == k % len(PROGRAMS)
            marks = () if here else pytest.mark.long
            yield pytest.param(program, off, id=f"{name}-{key}", marks=marks)


def arguments_of(program):
    return program.make_arguments(np.random.default_rng(5), "small")


@pytest.mark.sampled(3, of_long=4)
@pytest.mark.parametrize("program, off", [*pairs()])
def test_gradients_are_equal(program, off):
    arguments = arguments_of(program)
    gradient = compiled(
        "gradient", program.function, arguments, program.wrt, switched_off=off
    )
    expected = program.handwritten(*arguments)
    assert_trees_close(gradient(*arguments), expected, rtol=1e-9, atol=1e-11)


@pytest.mark.sampled(3)
@programs
@pytest.mark.parametrize("off", [SWITCHES["all"]], ids=["all"])
@pytest.mark.parametrize("recipe", ["pushforward", "hvp", "vjp"])
def test_other_derivatives_are_equal(program, off, recipe):
    arguments = arguments_of(program)
    names = program.function.__code__.co_varnames
    wrt = (program.wrt,) if isinstance(program.wrt, str) else program.wrt
    generator = np.random.default_rng(6)
    tangents = [
        tree_random_like(generator, arguments[names.index(name)]) for name in wrt
    ]
    plain = compiled(recipe, program.function, arguments, wrt)
    other = compiled(recipe, program.function, arguments, wrt, switched_off=off)
    if recipe == "vjp":
        for derivative in (plain, other):
            forward, reverse, *_ = derivative.functions
            value, residuals = forward(*arguments)
            pulled = reverse(residuals, 1.0)
            expected = program.handwritten(*arguments)
            expected = expected if isinstance(program.wrt, tuple) else (expected,)
            assert_trees_close(pulled, expected, rtol=1e-9, atol=1e-11)
        return
    results = plain(*arguments, *tangents), other(*arguments, *tangents)
    assert_trees_close(results[1], results[0], rtol=1e-8, atol=1e-9)


@pytest.mark.sampled(6)
@programs
def test_every_optimisation_together_saves_lines(program):
    arguments = arguments_of(program)
    optimised = compiled("gradient", program.function, arguments, program.wrt)
    plain = compiled(
        "gradient",
        program.function,
        arguments,
        program.wrt,
        # what unrolls loops stays on
        switched_off=SWITCHES["all"] - {"scalar_replacement", "unrolling"},
    )
    assert len(optimised.text.splitlines()) < len(plain.text.splitlines())


def horner(c, x):
    if len(c) == 0:
        return 0.0
    return c[0] + x * horner(c[1:], x)


def log_beta(a, b):
    return math.lgamma(a) + math.lgamma(a + b) + math.lgamma(b + a) - math.lgamma(a)


def shifted_twice(x):
    y = x * 2.0
    middle = y + np.sin(y)
    return np.sum(middle * y) + np.sum(np.sin(middle[:-1]))


def row_norms(x):
    return np.sum(np.sqrt(np.sum(x**2, axis=1)))


def rotated(angle, x):
    cosine, sine = np.cos(angle), np.sin(angle)
    return np.sum(cosine * x - sine * x**2)


def triangle(x, n):
    rows = [[0.0] * n for _ in range(n)]
    for i in range(1, n):
        rows[i][i - 1] = x * rows[i - 1][0] + i
    return rows[n - 1][n - 2]


def collected(x, n):
    found = []

    def visit(k):
        if k > 0:
            found.append(x * k)
            visit(k - 1)

    visit(n)
    return found[-1] * found[0]


def ordered(x, weights):
    heap, total = [], 0.0
    for weight in weights:
        heapq.heappush(heap, math.sin(x) * x * weight)
        total = total + x * math.exp(x) * weight
    return heapq.heappop(heap) + total


def advected(u, ratio, diffusion, steps):
    u = u.copy()
    for _ in range(steps):
        spread = diffusion * (u[2:] + u[:-2])
        u[1:-1] += spread - ratio * u[1:-1] * (u[1:-1] - u[:-2])
    return np.sum(u)


def outer_square(w):
    return np.sum((w[:, None] * w[None, :]) ** 2)


def network(w1, w2, w3, w4, x):
    h1 = np.tanh(x @ w1)
    h2 = np.tanh(h1 @ w2)
    h3 = np.tanh(h2 @ w3)
    return np.sum(np.tanh(h3 @ w4))


def helper(x):
    return x * np.sin(x)


def of_a_helper(x):
    return helper(x) * helper(2.0 * x)


def turned(h, p):
    return np.sum((h @ p @ h.T) ** 2)


def rosenbrock(x):
    total = 0.0
    for i in range(len(x) - 1):
        total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


def greatest(x, y):
    top = x[0] * y[0]
    for i in range(1, len(x)):
        if x[i] * y[i] > top:
            top = x[i] * y[i]
    return top * top


def spiralled(x, n):
    a, total = x, 0.0
    for _ in range(n):
        b = math.exp(-a * a)
        c = math.sin(a * b)
        d = math.tanh(c * b)
        total += b * c * d
        a = a + 0.1 * d
    return total


def filled(x):
    scaled = np.zeros(len(x))
    for i in range(len(x)):
        scaled[i] = x[i] * i
    return np.sum(scaled**2)


def lengths(x, n):
    total = 0.0
    for k in range(n):
        length = math.sqrt(x * x + k)
        total += x / length
    return total


def least(x):
    found = x[0]
    for value in x:
        if value < found:
            found = value
    return found


def images(w, x):
    total = np.zeros((len(x), 2))
    for _ in range(2):
        total += x @ (w * w).T
    return total


def powers(x):
    a, b = x[0], x[1]
    c = a * b * b - a * a * b
    return np.array([c * a, c * b, c * c * a, c * c * b])


def steepness(x):
    return np.sum(jacfwd(powers)(x) ** 2)


def sensitivity(w, x):
    return np.sum(jacfwd(images)(w, x) ** 2)


def of_weights(weights, x):
    total = 0.0
    for weight in weights:
        total = x * total + weight * weight
    return total


def of_pairs(a, b):
    total = 0.0
    for weight in (a, b, a * b):
        total = total * a + weight * weight
    return total


LAYERS = ((*[np.ones((2, 2))] * 4, np.ones((3, 2))), ("w1", "w2", "w3", "w4"))


def queued(xs):
    waiting, total = list(xs), 0.0
    while len(waiting) > 1:
        total = 0.5 * total + waiting.pop(0) ** 2
        waiting.append(total)
        waiting.pop(0)
    return total


def tallied(xs):
    sums = {}
    for k in range(len(xs)):
        key = k % 3
        if key in sums:
            sums[key] += xs[k]
        else:
            sums[key] = xs[k]
    return sum(value**2 for value in sums.values())


TEN = [0.5 + 0.1 * k for k in range(10)]
EXAMPLES = {
    "deques": [(queued, (TEN,), "xs")],
    "known_tests": [(tallied, (TEN,), "xs")],
    "joined_branches": [(greatest, (np.ones(3), np.ones(3)), "x")],
    "plain_divisions": [(lengths, (2.0, 3), "x")],
    "joint_stacks": [(spiralled, (0.5, 3), "x")],
    "loops_over_kept": [(spiralled, (0.5, 3), "x")],
    "dead_stores": [(filled, (np.ones(3),), "x")],
    "chosen_iterations": [(least, (np.ones(3),), "x")],
    "squares": [(rosenbrock, (np.arange(3.0),), "x")],
    "early_reads": [(advected, (np.ones(4), 0.1, 0.2, 2), "u")],
    "joined_additions": [(advected, (np.ones(4), 0.1, 0.2, 2), "u")],
    "ownership": [(collected, (2.0, 3), "x")],
    "list_cotangents": [(triangle, (2.0, 3), "x")],
    "element_numbers": [(ordered, (2.0, np.ones(3)), "x")],
    "inlining": [(of_a_helper, (2.0,), "x")],
    "keyed_heaps": [(ordered, (2.0, np.ones(3)), "x")],
    "inner_lists": [(triangle, (2.0, 3), "x")],
    "destination_passing": [(horner, (np.ones(3), 2.0), "c")],
    "scalar_replacement": [(of_weights, ([1.0, 2.0], 0.5), "weights")],
    "unrolling": [(of_pairs, (2.0, 3.0), ("a", "b"))],
    "release": [(network, *LAYERS)],
    "saved_rows": [(advected, (np.ones(4), 0.1, 0.2, 2), "u")],
    "preaccumulation": [(steepness, (np.ones(2),), "x")],
    "stacked_products": [(sensitivity, (np.ones((2, 3)), np.ones((4, 3))), "w")],
    "turned_sums": [(sensitivity, (np.ones((2, 3)), np.ones((4, 3))), "w")],
    "transposes": [(turned, (np.ones((2, 3)), np.ones((3, 3))), ("h", "p"))],
    "squeezed_sums": [(outer_square, (np.ones(3),), "w")],
    "common_subexpressions": [(log_beta, (2.0, 3.0), ("a", "b"))],
    "added_parts": [(shifted_twice, (np.ones(3),), "x")],
    "plain_indices": [(row_norms, (np.ones((2, 3)),), "x")],
    "results_at_hand": [(rotated, (2.0, np.ones(3)), ("angle",))],
}


ELSEWHERE = ("stored_slots",)  # of objects that are kept: tests/run_time/test_stores.py


def _case(name):
    marks = [pytest.mark.written_out] if name == "inlining" else []
    return pytest.param(name, marks=marks)


@pytest.mark.sampled(24)
@pytest.mark.parametrize("name", [_case(n) for n in NAMES if n not in ELSEWHERE])
def test_every_optimisation_changes_some_program(name):
    examples = EXAMPLES.get(
        name, [(p.function, arguments_of(p), p.wrt) for p in PROGRAMS.values()]
    )

    def texts(off):
        return [
            compiled("gradient", function, arguments, wrt, switched_off=off).text
            for function, arguments, wrt in examples
        ]

    assert texts(frozenset()) != texts(frozenset({name}))
