"""What gradients of programs over Python's own containers cost, against the function:
``python -m benchmarks.structures [SIZE]``.

Each program runs over a list of 5,000 items. Beside s2sad stands an adjoint by hand and
HIPS autograd, where that is installed and takes the program. A time is that of the
gradient, check of the arguments included, over that of the function. The last line is
the check of a list of 10^5 floats alone, over a loop that adds them up.
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
from s2sad.source.kinds.lists import kind_of_list
from s2sad.source.kinds.matchers import compile_matcher

SIZE = 5000
AIM_OF_CHECK = 1.3
"""How many times a loop over a list its check may take."""
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


def added(xs: list[float]) -> float:
    total = 0.0
    for x in xs:
        total += x
    return total


def check_of_a_list() -> float:
    """The time of the check of a long list of floats, over that of a loop over it."""
    xs = np.random.default_rng(0).uniform(size=100_000).tolist()
    kind = kind_of_list(xs, "xs")
    assert kind is not None
    check = compile_matcher(["xs"], {"xs": kind})
    assert check(xs)
    times = interleaved({"check": (check, (xs,)), "loop": (added, (xs,))})
    return times.ratio("check", "loop")


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
    checked = check_of_a_list()
    print(f"{'check of a list':16} aim {AIM_OF_CHECK:4.1f}   s2sad {checked:8.2f}")
    slow += checked > AIM_OF_CHECK
    return min(slow, 1)


if __name__ == "__main__":
    sys.exit(main())
