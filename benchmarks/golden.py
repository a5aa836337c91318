"""The golden programs: their gradients beside handwritten ones and HIPS autograd's.

All versions of a program run on the same arguments, in turns (``measure.py``). Before
anything is timed their gradients are compared.

- function: the program itself
- gradient: the generated function alone, ``grad(f).compiled(*args)``
- called: the same through ``grad(f)(*args)``, with the checks of a call
- by hand: the adjoint of ``tests/golden/handwritten.py``
- autograd: ``autograd.grad`` of the same program on ``autograd.numpy``

No gradient but autograd's computes the value of the program too.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.measure import Times, geometric_mean, interleaved
from benchmarks.report import Table, duration, times
from s2sad import grad
from tests.golden.programs import PROGRAMS, Program
from tests.support.finite_differences import assert_trees_close

try:
    import autograd
    import autograd.numpy
except ImportError:  # one column less
    autograd = None

SIZES = ("small", "large")
SLOW = 1.25
"""Ratios to the handwritten gradient above this one are listed."""


@dataclass(frozen=True)
class Measured:
    """What was measured of one program at one size."""

    name: str
    times: Times
    unserved: str = ""
    """Why there is no time of autograd's gradient."""


def measure(rounds: int, say: Callable[[str], None]) -> dict[str, list[Measured]]:
    """Time every program at each size; ``say`` is told which one is next."""
    found: dict[str, list[Measured]] = {}
    for size in SIZES:
        found[size] = []
        for program in PROGRAMS.values():
            say(f"{program.name}, {size}")
            found[size].append(_measure(program, size, rounds))
    return found


def _measure(program: Program, size: str, rounds: int) -> Measured:
    arguments = program.make_arguments(np.random.default_rng(0), size)
    called = grad(program.function, program.wrt)
    versions: dict[str, Callable[..., Any]] = {
        "function": program.function,
        "gradient": called.compiled(*arguments),
        "called": called,
        "by hand": program.handwritten,
    }
    expected = program.handwritten(*arguments)
    assert_trees_close(called(*arguments), expected, rtol=1e-7, atol=1e-9)
    unserved = ""
    if autograd is not None:
        other = autograd_gradient(program)
        try:
            assert_trees_close(other(*arguments), expected, rtol=1e-7, atol=1e-9)
        except Exception as error:
            unserved = f"{type(error).__name__}: {str(error).strip().splitlines()[0]}"
        else:
            versions["autograd"] = other
    calls = {name: (version, arguments) for name, version in versions.items()}
    return Measured(program.name, interleaved(calls, rounds=rounds), unserved)


def autograd_gradient(program: Program) -> Callable[..., Any]:
    """HIPS autograd's gradient of a program."""
    parameters = list(inspect.signature(program.function).parameters)
    if isinstance(program.wrt, str):
        places: int | tuple[int, ...] = parameters.index(program.wrt)
    else:
        places = tuple(map(parameters.index, program.wrt))
    found: Callable[..., Any] = autograd.grad(_on_autograd(program.function), places)
    return found


def _on_autograd(function: Any) -> types.FunctionType:
    """The function with ``autograd.numpy`` in the place of NumPy, in what it calls too.

    The functions of a module share its globals, so one changed copy serves them all.
    """
    names = dict(function.__globals__)
    for name, value in names.items():
        if value is np:
            names[name] = autograd.numpy
        elif isinstance(value, types.FunctionType) and (
            value.__globals__ is function.__globals__
        ):
            names[name] = _with_globals(value, names)
    return _with_globals(function, names)


def _with_globals(
    function: types.FunctionType, names: dict[str, Any]
) -> types.FunctionType:
    return types.FunctionType(
        function.__code__,
        names,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )


RATIOS = (
    ("gradient", "function"),
    ("gradient", "by hand"),
    ("called", "by hand"),
    ("autograd", "function"),
    ("autograd", "called"),
)


def tables(found: dict[str, list[Measured]]) -> list[Table]:
    """A table for each size."""
    return [_table(size, measured) for size, measured in found.items()]


def _table(size: str, measured: Sequence[Measured]) -> Table:
    versions = ("function", "gradient", "called", "by hand", "autograd")
    rows = []
    for m in measured:
        row = [m.name]
        for version in versions:
            served = version in m.times.rounds
            row.append(duration(m.times.seconds(version)) if served else "n/a")
        row += [_ratio(m, *pair) for pair in RATIOS]
        rows.append(row)
    means = ["geometric mean", *[""] * len(versions)]
    for name, base in RATIOS:
        ratios = [m.times.ratio(name, base) for m in measured if name in m.times.rounds]
        means.append(times(geometric_mean(ratios)) if ratios else "n/a")
    return Table(
        f"Gradients of the golden programs, {size}",
        ("program", *versions, *(f"{name} / {base}" for name, base in RATIOS)),
        rows,
        [means],
        _notes(measured),
    )


def _ratio(measured: Measured, name: str, base: str) -> str:
    if name not in measured.times.rounds:
        return "n/a"
    return times(measured.times.ratio(name, base))


def _notes(measured: Sequence[Measured]) -> list[str]:
    notes = []
    slow = [
        f"{m.name} ({times(m.times.ratio('gradient', 'by hand'))})"
        for m in measured
        if m.times.ratio("gradient", "by hand") > SLOW
    ]
    notes.append(
        f"Gradients that take more than {SLOW} times the handwritten one: "
        + (", ".join(slow) if slow else "none")
        + "."
    )
    if autograd is None:
        notes.append("n/a: autograd is not installed.")
    notes += [
        f"n/a: autograd can't differentiate {m.name}: {m.unserved}"
        for m in measured
        if m.unserved
    ]
    return notes
