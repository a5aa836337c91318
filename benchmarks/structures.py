"""What gradients of programs over Python's own containers cost, against the function:
``python -m benchmarks.structures [SIZE]``.

Each program runs over a list of 5,000 items. Beside s2sad stands an adjoint by hand and
HIPS autograd, where that is installed and takes the program. A time is that of the
gradient, check of the arguments included, over that of the function.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks import changed_structures, structure_programs
from benchmarks.measure import interleaved
from benchmarks.structure_programs import AIM, Case
from s2sad import grad

SIZE = 5000
CASES = (*structure_programs.CASES, *changed_structures.CASES)


def by_autograd(case: Case) -> Callable[..., Any] | None:
    """The gradient by HIPS autograd; None where that isn't installed, or doesn't take
    the arguments."""
    if case.aim > AIM:
        return None
    try:
        autograd = importlib.import_module("autograd")
        own = importlib.import_module("autograd.numpy")
    except ImportError:
        return None
    names = case.function.__globals__ | {"np": own, "math": own}
    kind = type(case.function)
    return autograd.grad(kind(case.function.__code__, names))


def check(name: str, case: Case, found: Any, wanted: Any) -> None:
    """Raise AssertionError for a gradient that isn't that by hand."""
    np.testing.assert_allclose(
        case.numbers(found), case.numbers(wanted), 1e-9, 1e-12, err_msg=name
    )


def measured(case: Case, size: int) -> dict[str, float]:
    """Times over that of the function."""
    arguments = case.arguments(size, np.random.default_rng(0))
    own, function = case.own, case.function
    if own is not None:
        runs: dict[str, Any] = {
            "function": (lambda *given: function(*own(*given)), arguments)
        }
    else:
        runs = {"function": (function, arguments)}
    derivative = grad(case.function)
    wanted = case.by_hand(*arguments)
    check(case.name, case, derivative(*arguments), wanted)
    runs["s2sad"] = derivative, arguments
    runs["by hand"] = case.by_hand, arguments
    other = by_autograd(case)
    if other is not None:
        check(f"{case.name}, autograd", case, other(*arguments), wanted)
        runs["autograd"] = other, arguments
    times = interleaved(runs)
    return {name: times.ratio(name, "function") for name in runs}


def main() -> int:
    """Print a table; gives whether some gradient takes longer than the aim."""
    size = int(sys.argv[1]) if sys.argv[1:] else SIZE
    slow = 0
    for case in CASES:
        found = measured(case, size)
        slow += found["s2sad"] > case.aim
        columns = (f"{n} {x:8.2f}" for n, x in found.items() if n != "function")
        line = "   ".join((f"aim {case.aim:4.0f}", *columns))
        print(f"{case.name:16} {line}", flush=True)
    return min(slow, 1)


if __name__ == "__main__":
    sys.exit(main())
