"""The work to compile a program grows as its length does, and no recursion with it."""

from __future__ import annotations

import importlib.util
import inspect
import sys

import numpy as np
import pytest

import s2sad
from benchmarks.compile_growth import SHAPES, program
from s2sad.dispatch import load
from s2sad.dispatch.load import load_function
from tests.support.work import calls


@pytest.fixture
def made(tmp_path):
    """Makes the function of a shape with so many lines."""

    def make(shape, lines):
        name = f"{shape.replace(' ', '_')}_{lines}"
        path = tmp_path / f"{name}.py"
        path.write_text(program(shape, lines), encoding="utf-8")
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        return module.f

    before = set(sys.modules)
    yield make
    for name in set(sys.modules) - before:
        if name.rpartition("_")[0].replace("_", " ") in SHAPES:
            del sys.modules[name]


def argument(shape):
    return np.full(5, 0.01) if shape == "array code" else 0.01


def work(function, x):
    """How many functions are called while a gradient is compiled."""
    return calls(s2sad.grad(function).compiled, x)


@pytest.mark.long
@pytest.mark.parametrize("shape", SHAPES)
def test_calls_grow_with_lines_and_recursion_does_not(made, shape):
    """Counted calls instead of seconds, so that a busy machine doesn't matter."""
    x = argument(shape)
    s2sad.grad(made(shape, 12)).compiled(x)
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + 150)
    try:
        short, long = (work(made(shape, lines), x) for lines in (30, 120))
    finally:
        sys.setrecursionlimit(limit)
    assert long < 4 * 1.25 * short, (short, long)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("shape", SHAPES)
def test_gradients_of_both_modes_agree(made, shape):
    """The product with a direction is what forward mode gives."""
    x, function = argument(shape), made(shape, 24)
    _, tangent = s2sad.jvp(function, (x,), (np.ones_like(x) if np.ndim(x) else 1.0,))
    np.testing.assert_allclose(np.sum(s2sad.grad(function)(x)), tangent, rtol=1e-8)


@pytest.mark.long
def test_pairs_take_as_long_however_many_there_are(made):
    """Five and twenty functions of ten lines, each called three times."""
    s2sad.grad(made("many helpers", 24)).compiled(0.01)
    few, many = (work(made("many helpers", lines), 0.01) for lines in (48, 228))
    assert many < 4 * 1.15 * few, (few, many)


def test_the_programs_alone_are_loaded_that_are_called(made, monkeypatch):
    loaded = []

    def counted(*arguments, **words):
        loaded.append(arguments)
        return load_function(*arguments, **words)

    monkeypatch.setattr(load, "load_function", counted)
    function = made("doubling calls", 10)
    assert s2sad.grad(function).source_for(0.01).count("\ndef ") > 5
    assert len(loaded) <= 2
