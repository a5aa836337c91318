"""What loops keep and what their reverse computes again: the choice in programs, and
their gradients."""

from __future__ import annotations

import math
import re
import runpy

import numpy as np
import pytest

from s2sad import grad, value_and_grad
from s2sad.testing import check_grads


def stepped(u):
    for _ in range(3):
        flow = 0.1 * u[1:-1] * (u[1:-1] - u[:-2])
        u[1:-1] += 0.2 * (u[2:] + u[:-2]) - flow
    return np.sum(u**2)


def stepped_in_part(u):
    for k in range(1, 3):
        u[k:] = u[k:] * u[:-k] * 0.5
    return np.sum(u)


def only_sums(u):
    total = 0.0
    for i in range(len(u)):
        distance = math.sqrt(u[i] ** 2 + 1.0)
        total += distance * math.exp(-distance)
    return total


def sum_that_is_read(u):
    total = 1.0
    for i in range(len(u)):
        total += math.sin(u[i] * total)
    return total


def places_in_a_table(u):
    total = 0.0
    for i in range(2):
        for j in range(3):
            place = 3 * i + j
            total += u[place] * u[place] * math.sin(u[place])
    return total


def grown_before(u):
    rows = []
    for i in range(3):
        rows.append(u[i : i + 3] * u[i])
    total = 0.0
    for i in range(3):
        total += rows[i] @ rows[i]
    return total


def rebound_behind(u):
    scale = u[0]
    total = 0.0
    for i in range(len(u)):
        shift = scale * u[i]
        total += shift * shift * shift
    scale = 5.0
    return total * scale


def branches(u):
    total = 0.0
    for i in range(len(u)):
        here = u[i] * 2.0
        if here < 1.0:
            continue
        there = here * here
        if there > 20.0:
            break
        total += math.exp(there / 20.0) * there
    return total


def carried(u):
    state = u[0]
    total = 0.0
    while total < 3.0:
        step = state * 0.5 + 1.0
        total += step * step
        state = math.cos(state) * step
    return total * state


def read_in_an_inner_loop(u):
    total = 0.0
    for i in range(3):
        wave = math.sin(u[i])
        for j in range(3):
            total += wave * wave * u[j]
    return total


def attempts(u):
    total = 0.0
    for i in range(len(u)):
        try:
            root = math.sqrt(u[i] - 1.0)
            total += root * root * root
        except ValueError:
            total += u[i] * u[i]
    return total


def constants(u):
    total = 0.0
    for i in range(len(u)):
        scaled = u[i] / math.sqrt(2.0)
        total += math.erf(scaled) * scaled
    return total


KEPT = {
    stepped: ["u"],
    stepped_in_part: ["old"],
    only_sums: [],
    sum_that_is_read: ["total"],
    places_in_a_table: [],
    grown_before: [],
    rebound_behind: [],
    branches: ["here"],
    carried: ["cos", "state", "step"],
    read_in_an_inner_loop: [],
    attempts: ["failed", "root"],
    constants: [],
}
programs = pytest.mark.parametrize("program", KEPT, ids=lambda f: f.__name__)


@pytest.fixture
def u():
    return np.array([0.3, 1.2, 0.7, 1.9, 0.9, 2.6])


@pytest.mark.sampled(6)
@programs
def test_what_is_kept(program, u):
    text = grad(program).source_for(u)
    assert re.findall(r"(\w+)_saved = (?:\[\]|np\.empty)", text) == KEPT[program], text


@pytest.mark.sampled(3)
@programs
def test_gradients(program, u):
    for optimise in (True, {"recompute": False}, False):
        derivative = grad(program, optimise=optimise)
        np.testing.assert_allclose(derivative(u.copy()), grad(program)(u.copy()))
    check_grads(program, (u,), order=2)


@pytest.mark.sampled(6)
@programs
def test_the_value_is_the_same_beside_the_gradient(program, u):
    value, gradient = value_and_grad(program)(u.copy())
    assert value == program(u.copy())
    np.testing.assert_allclose(gradient, grad(program)(u.copy()), rtol=1e-12)


def test_a_loop_that_only_adds_has_no_forward_sweep(u):
    assert grad(only_sums).source_for(u).count("for i in") == 2  # one is a comment
    assert value_and_grad(only_sums).source_for(u).count("for i in") == 3


def test_draws_are_kept(u):
    def noisy(u, generator):
        total = 0.0
        for i in range(len(u)):
            noise = generator.normal()
            total += u[i] * noise * noise
        return total

    def drawn():
        return np.random.default_rng(3)

    noise = drawn().normal(size=len(u))
    np.testing.assert_allclose(grad(noisy)(u, drawn()), noise**2)


@pytest.mark.long
def test_long_chains_are_followed_once(tmp_path):
    lines = ["def program(u):", "    total = 0.0", "    for i in range(len(u)):"]
    lines.append("        a = u[i] * 0.5")
    lines += ["        a = a * a + a * 0.5 - a * a * u[i]"] * 40
    lines += ["        total += a * a", "    return total"]
    file = tmp_path / "chain.py"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    program = runpy.run_path(str(file))["program"]
    check_grads(program, (np.array([0.3, 0.7]),))
