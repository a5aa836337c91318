"""Every rule in vector mode: Jacobians of its cases, in both modes and of gradients.

One case of each function runs in the suite; all of them with ``S2SAD_ALL_RULES=1``. At
singular points second derivatives may be inf in one order of the modes and nan in
another, so these are left out there.
"""

from __future__ import annotations

import os

import numpy as np
import pytest

from s2sad import grad, hessian, hvp, jacfwd, jacrev
from s2sad.testing.structures import copied
from tests.rules.test_rules import ACTIVE

CASES = [
    p
    for p in ACTIVE
    if all(np.size(p.arguments[name]) for name in p.active)
    and not any(getattr(v, "dtype", None) == np.float16 for v in p.arguments.values())
    and p.case.function.__name__ not in ("nested_like", "unstack")  # of unknown kind
]
SMOOTH = [p for p in CASES if p.case.expected is None]
if os.environ.get("S2SAD_ALL_RULES") != "1":
    CASES = list({p.case.function: p for p in CASES}.values())
    SMOOTH = list({p.case.function: p for p in SMOOTH}.values())
cases = pytest.mark.parametrize("program", CASES, ids=lambda p: p.name)
smooth_cases = pytest.mark.parametrize("program", SMOOTH, ids=lambda p: p.name)


@pytest.fixture(autouse=True)
def quiet():
    with np.errstate(all="ignore"):
        yield


def arguments_of(program):
    return tuple(map(copied, program.arguments.values()))


WEIGHTS = np.array([1.0, -2.0])
ONE_BY_ONE = (
    *("restore_reduced_axes", "split_like"),
    *("matmul_cotangent_of_left", "matmul_cotangent_of_right"),
    *("dot_cotangent_of_left", "dot_cotangent_of_right"),
)
"""Functions of which some call takes tangents one by one; the list may only shrink."""


@pytest.mark.sampled(24)
@cases
def test_tangents_are_taken_together(program):
    """A rule without an entry for many tangents has its Jacobian in a loop."""
    text = jacfwd(program.function, program.active).source_for(*arguments_of(program))
    assert "\n    for " not in text or program.case.function.__name__ in ONE_BY_ONE


def tolerance_of(program):
    return 1e-2 if program.is_single else 1e-7


@pytest.mark.sampled(24)
@cases
def test_forward(program):
    arguments = arguments_of(program)
    gradients = grad(program.function, program.active)(*arguments)
    found = jacfwd(program.function, program.active)(*arguments)
    for one, expected in zip(found, gradients, strict=True):
        assert np.shape(one) == np.shape(expected)
        near = tolerance_of(program)
        np.testing.assert_allclose(one, expected, rtol=near, atol=near)


@pytest.mark.sampled(24)
@cases
def test_reverse(program, tmp_path):
    """Several cotangents at once, also of what gives one number."""
    arguments = arguments_of(program)
    gradients = grad(program.function, program.active)(*arguments)
    names = ", ".join(program.arguments)
    path = tmp_path / "several.py"
    path.write_text(f"def several({names}):\n    return function({names}) * WEIGHTS\n")
    known = {"function": program.function, "WEIGHTS": WEIGHTS, "__name__": __name__}
    exec(compile(path.read_text(), str(path), "exec"), known)
    found = jacrev(known["several"], program.active)(*arguments)
    near = tolerance_of(program)
    for one, expected in zip(found, gradients, strict=True):
        weighed = np.multiply.outer(WEIGHTS, expected)
        assert np.shape(one) == np.shape(weighed)
        np.testing.assert_allclose(one, weighed, rtol=near, atol=near)


@pytest.mark.sampled(24)
@smooth_cases
def test_second_order(program):
    name = program.active[0]
    arguments = arguments_of(program)
    x = program.arguments[name]
    product = hvp(program.function, name)
    columns = []
    for k in range(np.size(x)):
        unit = np.zeros(np.size(x))
        unit[k] = 1.0
        unit = unit.reshape(np.shape(x)) if np.shape(x) else float(unit[0])
        columns.append(np.ravel(product(*arguments, unit)))
    expected = np.reshape(np.transpose(columns), np.shape(x) * 2)
    near = tolerance_of(program)
    for found in (
        hessian(program.function, name)(*arguments),
        jacrev(grad(program.function, name), name)(*arguments),
    ):
        assert np.shape(found) == np.shape(expected)
        np.testing.assert_allclose(found, expected, rtol=near, atol=near)
