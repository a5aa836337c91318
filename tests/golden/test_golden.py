"""The generated derivatives of the golden programs: their text, values and cost.

``pytest --update-golden`` rewrites the texts in ``generated``.
"""

from __future__ import annotations

import difflib
import pathlib

import numpy as np
import pytest

from tests.golden.programs import PROGRAMS
from tests.support.compiled import compiled
from tests.support.finite_differences import assert_trees_close, tree_leaves, tree_map
from tests.support.operation_count import count_operations

GENERATED = pathlib.Path(__file__).parent / "generated"
TEXTS = {f"{name}_grad": ("gradient", name, False) for name in PROGRAMS}
TEXTS |= {
    f"{name}_jvp": ("pushforward", name, False)
    for name in ("linear_regression", "damped_map", "rnn")
}
TEXTS["mlp_value_and_grad"] = ("gradient", "mlp", True)
COST = 1.15
"""Operations of a generated gradient for each one of the hand-written one."""
COST_OF_CALLS = 1.25
"""The same where its calls are kept."""

programs = pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)


def gradient_of(program, arguments, **options):
    return compiled("gradient", program.function, arguments, program.wrt, **options)


def arguments_of(program, size="small", seed=0):
    return program.make_arguments(np.random.default_rng(seed), size)


@pytest.mark.sampled(6, of_long=1)
@pytest.mark.written_out
@pytest.mark.parametrize("text", TEXTS)
def test_text(text, request):
    recipe, name, value = TEXTS[text]
    program = PROGRAMS[name]
    arguments = arguments_of(program)
    derivative = compiled(
        recipe, program.function, arguments, program.wrt, value=value
    )
    assert derivative.derivative.name == text
    golden = GENERATED / f"{text}.py"
    if request.config.getoption("--update-golden"):
        golden.write_text(derivative.text)
    expected = golden.read_text() if golden.exists() else ""
    old, new = expected.splitlines(), derivative.text.splitlines()
    difference = difflib.unified_diff(old, new, "golden", "now", lineterm="")
    assert derivative.text == expected, "\n".join(difference)


def test_no_text_is_left_over():
    assert {path.stem for path in GENERATED.glob("*.py")} == set(TEXTS)


@pytest.mark.sampled(12)
@programs
@pytest.mark.parametrize("seed", range(3))
def test_gradient_is_the_handwritten_one(program, seed):
    arguments = arguments_of(program, seed=seed)
    kept = tree_map(lambda v: np.copy(v) if isinstance(v, np.ndarray) else v, arguments)
    actual = gradient_of(program, arguments)(*arguments)
    assert_trees_close(actual, program.handwritten(*arguments), rtol=1e-9, atol=1e-11)
    assert_trees_close(arguments, kept, rtol=0.0)
    for leaf in tree_leaves(actual):
        assert not isinstance(leaf, np.ndarray) or leaf.flags.writeable


@pytest.mark.sampled(6)
@programs
def test_value_is_that_of_the_function(program):
    arguments = arguments_of(program)
    value, gradient = gradient_of(program, arguments, value=True)(*arguments)
    assert value == program.function(*arguments)
    assert_trees_close(gradient, program.handwritten(*arguments), rtol=1e-9, atol=1e-11)


@pytest.mark.sampled(6)
@programs
@pytest.mark.parametrize("size", ["small", "large"])
def test_cost_is_near_the_handwritten_one(program, size, request):
    arguments = arguments_of(program, size)
    generated = count_operations(gradient_of(program, arguments), arguments)
    handwritten = count_operations(program.handwritten, arguments)
    kept = request.config.getoption("--keep-calls")
    assert generated.total <= (COST_OF_CALLS if kept else COST) * handwritten.total
