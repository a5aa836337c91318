"""How the time and the memory to compile a gradient grow with the length of a program:
``python -m benchmarks.compile_growth``.

Each shape is a text of so many lines, which is compiled in a process of its own. The
exponent is the slope of the time in logarithms, fitted over all lengths: 1 where each
line takes as long, however long the program is.

Run with a shape and a number of lines, this module is such a process: it prints the
seconds and the most memory in MiB.
"""

from __future__ import annotations

import importlib.util
import math
import pathlib
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from benchmarks.measure import clock

ROOT = pathlib.Path(__file__).resolve().parent.parent
LENGTHS = (30, 250, 1000, 4000)
AIM = 2.0
"""How much longer a line may take in the longest program than in one of 250 lines."""


def few_names(n: int) -> list[str]:
    """One variable, assigned again and again."""
    lines = [f"a = math.sin(a) * {k % 7 + 1}.0 + a * a * x" for k in range(n)]
    return ["a = 1.5 * x", *lines, "return a"]


def many_names(n: int) -> list[str]:
    """A variable a line, each of two others."""
    lines = [
        f"b{k + 1} = math.sin(b{k}) * {k % 7 + 1}.0 + b{k // 2} * x" for k in range(n)
    ]
    return ["b0 = 1.5 * x", *lines, f"return b{n}"]


def one_loop(n: int) -> list[str]:
    """A loop around all lines, which carries a value and makes new ones."""
    lines = ["t = 0.0", "a = x", "for i in range(3):"]
    for k in range(n // 3):
        lines += [
            f"    b{k} = {k % 5}.5 * a + x",
            f"    a = math.sin(a) * {k % 7 + 1}.0 + a * a * x",
            f"    a = a * b{k}",
        ]
    return [*lines, "    t += a", "return t"]


def small_loops(n: int) -> list[str]:
    """Loops of two lines, one after the other."""
    lines = ["a = x"]
    for k in range(n // 3):
        lines += [
            f"for i in range({k % 4 + 2}):",
            f"    c = a * x + {k % 5}.5",
            "    a = math.sin(a) * c",
        ]
    return [*lines, "return a"]


def small_branches(n: int) -> list[str]:
    """Branches of a line each, one after the other."""
    lines = ["a = x"]
    for k in range(n // 4):
        lines += [
            f"if a > {k % 4}.5:",
            "    a = math.sin(a) * x",
            "else:",
            f"    a = a * x + {k % 3}.0",
        ]
    return [*lines, "return a"]


def helper_calls(n: int) -> list[str]:
    """Calls of two functions, one of which has a loop."""
    lines = [
        f"a = helped(a, {k % 5}.5 * x)" if k % 2 else "a = looped(a) + x"
        for k in range(n)
    ]
    return ["a = x", *lines, "return a"]


def array_code(n: int) -> list[str]:
    """Elementwise operations, sums and stores into a buffer."""
    lines = ["a = 1.0 * x", "y = np.zeros(5)"]
    for k in range(n // 4):
        lines += [
            f"a = np.sin(a) * x + a[{k % 3}]",
            f"y[{k % 5}] = np.sum(a) * {k % 4}.5",
            f"b{k} = a * a + y[{(k + 2) % 5}]",
            f"a = b{k} * x",
        ]
    return [*lines, "return np.sum(a) + y[1]"]


def many_helpers(n: int) -> tuple[list[str], list[str]]:
    """Functions of ten lines, each called three times."""
    helpers, body = [], ["a = x"]
    for k in range(n // 12 + 1):
        helpers += [f"def helper{k}(a, x):", "    t = a"]
        helpers += [f"    t = math.sin(t) * {j % 5}.5 + x * t" for j in range(9)]
        helpers.append("    return t")
        body.append(f"a = helper{k}(a, x) * helper{k}(x, a) + helper{k}(a * x, 0.5)")
    return helpers, [*body, "return a"]


def doubling_calls(n: int) -> tuple[list[str], list[str]]:
    """Functions that call each other twice, ten deep."""
    helpers, body = [], ["a = x"]
    for k in range(n // 40 + 1):
        helpers += [f"def level{k}_0(a, x):", "    return math.sin(a) * x + a * a"]
        for level in range(1, 10):
            inner = f"level{k}_{level - 1}"
            helpers += [
                f"def level{k}_{level}(a, x):",
                f"    b = {inner}(0.5 * a, x + {level}.0)",
                f"    c = {inner}(b, a * x)",
                "    return math.tanh(b + c) * a + math.exp(-c * c) * x",
            ]
        body.append(f"a = level{k}_9(a, x)")
    return helpers, [*body, "return a"]


Shape = Callable[[int], list[str] | tuple[list[str], list[str]]]
"""Gives the lines of a function for a number of lines, behind those of others that it
calls, if it does."""
SHAPES: Mapping[str, Shape] = {
    shape.__name__.replace("_", " "): shape
    for shape in (
        few_names,
        many_names,
        one_loop,
        small_loops,
        small_branches,
        helper_calls,
        many_helpers,
        doubling_calls,
        array_code,
    )
}
_HEAD = """\
import math

import numpy as np


def helped(a, b):
    c = math.sin(a) * b
    return c + a * b


def looped(a):
    t = 0.0
    for i in range(3):
        t += math.sin(a * i) * t
    return t
"""


def program(shape: str, lines: int) -> str:
    """The text of a module with a function ``f`` of so many lines."""
    made = SHAPES[shape](lines)
    helpers, body = made if isinstance(made, tuple) else ([], made)
    text = [*helpers, "def f(x):", *(f"    {line}" for line in body)]
    return _HEAD + "".join(f"{line}\n" for line in text)


def one_process(shape: str, lines: int) -> tuple[float, float]:
    """Seconds to compile a gradient, and the most memory of the process in MiB."""
    import numpy as np

    import s2sad

    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "program.py")
        path.write_text(program(shape, lines), encoding="utf-8")
        spec = importlib.util.spec_from_file_location("program", path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules["program"] = module
        spec.loader.exec_module(module)
        argument: Any = np.full(5, 0.3) if shape == "array code" else 0.3
        s2sad.grad(module.looped).compiled(0.3)  # loads the compiler
        start = clock()
        s2sad.grad(module.f).compiled(argument)
        taken = clock() - start
    return taken, most_memory()


def most_memory() -> float:
    """The most memory that this process has used so far, in MiB."""
    status = pathlib.Path("/proc/self/status")
    if status.exists():  # else what the process that started this one has used counts
        (line,) = (x for x in status.read_text().splitlines() if x.startswith("VmHWM"))
        return int(line.split()[1]) / 2**10
    # kilobytes, but bytes on macOS
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def measure(say: Callable[[str], None]) -> dict[str, list[tuple[float, float]]]:
    """Seconds and MiB of each shape at each length."""
    found: dict[str, list[tuple[float, float]]] = {}
    for shape in SHAPES:
        for lines in LENGTHS:
            say(f"compiling {lines} lines: {shape}")
            found.setdefault(shape, []).append(_fresh(shape, lines))
    return found


def _fresh(shape: str, lines: int) -> tuple[float, float]:
    command = [sys.executable, "-m", "benchmarks.compile_growth", shape, str(lines)]
    done = subprocess.run(
        command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
    )
    seconds, memory = map(float, done.stdout.split())
    return seconds, memory


def exponent(times: Sequence[float]) -> float:
    """The slope of times over lengths in logarithms, by least squares.

    >>> round(exponent([2e-3 * n**1.5 for n in LENGTHS]), 6)
    1.5
    """
    x, y = ([math.log(v) for v in values] for values in (LENGTHS, times))
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    products = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    return products / sum((a - mean_x) ** 2 for a in x)


def tables(found: Mapping[str, Sequence[tuple[float, float]]]) -> list[Any]:
    """Times by length, the exponent, and what a line takes more in the longest."""
    from benchmarks.report import Table, duration, times

    rows = []
    for shape, pairs in found.items():
        seconds = [taken for taken, _ in pairs]
        at = dict(zip(LENGTHS, seconds, strict=True))
        longest = LENGTHS[-1]
        grown = at[longest] / at[250] * 250 / longest
        rows.append(
            [
                shape,
                *map(duration, seconds),
                times(exponent(seconds)),
                times(grown),
                f"{pairs[-1][1]:.0f} MiB",
            ]
        )
    return [
        Table(
            "Time to compile long programs",
            (
                "shape",
                *(f"{lines} lines" for lines in LENGTHS),
                "exponent",
                "a line, over 250 lines",
                "memory",
            ),
            rows,
            notes=[
                f"Aim: a line takes at most {AIM:.0f} times as long in the longest "
                "program as in one of 250 lines. The memory is that of the process "
                "which compiles the longest, NumPy and s2sad among it."
            ],
        )
    ]


def main() -> None:
    """One process, or all of them and their table."""
    if len(sys.argv) > 1:
        print(*one_process(sys.argv[1], int(sys.argv[2])))
        return
    from rich.console import Console

    for table in tables(measure(lambda what: print(what, file=sys.stderr))):
        table.show(Console(width=120))


if __name__ == "__main__":
    main()
