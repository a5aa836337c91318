"""The calls of the rule cases as programs: a module with one function a case.

Each function makes the call and returns the sum of its results, weighted::

    def case_12(a0, w0):
        out = np.linalg.inv(a0)
        return np.sum(out * w0)
"""

from __future__ import annotations

import bisect
import builtins
import importlib.util
import math
import operator
import pathlib
import sys
import zlib
from dataclasses import dataclass
from types import FunctionType
from typing import Any

import numpy as np

from tests.rules.cases.form import Case, LiteralFloat, LiteralInt
from tests.support.finite_differences import is_differentiable

INFIX = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%",
    "pow": "**", "matmul": "@", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
    "eq": "==", "ne": "!=", "and_": "&", "or_": "|", "xor": "^", "lshift": "<<",
    "rshift": ">>",
    "is_": "is", "is_not": "is not",
}  # fmt: skip
PREFIX = {"neg": "-", "pos": "+", "invert": "~", "not_": "not "}


def _last_expression(text: str) -> str:
    """What the last line but one of a function computes."""
    return text.splitlines()[-2].strip().removeprefix("out = ")


@dataclass(frozen=True)
class RuleProgram:
    """One case as a function, and arguments for it."""

    name: str
    case: Case
    function: FunctionType
    arguments: dict[str, Any]
    """By parameter: the active arguments, the others, and the weights of the
    results."""
    active: tuple[str, ...]
    """Parameters to differentiate by, in the order of the case's ``wrt``."""

    @property
    def is_complex(self) -> bool:
        values = (*self.arguments.values(), *_outcomes(self.case))
        return any(np.iscomplexobj(v) for v in values)

    @property
    def is_numeric(self) -> bool:
        """False where the results are slices, indices or the like."""
        outcomes = map(np.asarray, _outcomes(self.case))
        return all(o.dtype.kind in "biufc" for o in outcomes)

    @property
    def is_single(self) -> bool:
        return any(
            getattr(v, "dtype", None) in (np.float32, np.float16)
            for v in (*self.arguments.values(), *_outcomes(self.case))
        )


class _Writer:
    """The text of one call, with a parameter for everything that isn't a literal."""

    def __init__(self, literal_numbers: bool) -> None:
        self.literal_numbers = literal_numbers
        self.parameters: dict[str, Any] = {}
        self.active: list[str] = []

    def argument(self, value: Any, name: str, active: bool) -> str:
        """The spelling of an argument."""
        if isinstance(value, tuple | list) and not _is_plain(value):
            parts = [
                self.argument(v, f"{name}_{k}", active) for k, v in enumerate(value)
            ]
            inner = ", ".join(parts)
            if isinstance(value, tuple):
                return f"({inner}{',' if len(parts) == 1 else ''})"
            return f"[{inner}]"
        literal = isinstance(value, LiteralFloat | LiteralInt)
        number = type(value) in (int, float)
        array = isinstance(value, np.ndarray | np.generic)
        is_variable = array or (
            number and (not self.literal_numbers or (active and type(value) is float))
        )
        if literal or not is_variable:
            return _literal(value)
        self.parameters[name] = value
        if active and is_differentiable(value):
            self.active.append(name)
        return name


def _is_plain(value: Any) -> bool:
    """True for nested literals: an index, axes, a shape."""
    if isinstance(value, tuple | list):
        return all(map(_is_plain, value))
    return not isinstance(value, float | np.ndarray | np.generic)


def _literal(value: Any) -> str:
    if isinstance(value, LiteralFloat | LiteralInt):
        value = value.__class__.__mro__[1](value)
    if isinstance(value, float) and math.isinf(value):
        return "np.inf" if value > 0 else "-np.inf"
    if value is Ellipsis:
        return "..."
    if isinstance(value, type):
        plain = value in (complex, float, int, bool)
        return value.__name__ if plain else f"np.{value.__name__}"
    if isinstance(value, tuple) and any(
        isinstance(v, slice) or v is ... for v in value
    ):
        inner = ", ".join(map(_literal, value))
        return f"({inner},)"
    return repr(value)


def spelled(function: Any) -> str:
    """A function as users write it; helpers by their own name."""
    name = function.__name__
    if getattr(builtins, name, None) is function:
        return name
    if getattr(math, name, None) is function:
        return f"math.{name}"
    for owner, path in (
        (bisect, "bisect"),
        (np, "np"),
        (np.linalg, "np.linalg"),
        (np.lib.stride_tricks, "np.lib.stride_tricks"),
        (np.ndarray, "np.ndarray"),
    ):
        if getattr(owner, name, None) is function:
            return f"{path}.{name}"
    return name


def _call(function: Any, words: list[str]) -> str:
    name = function.__name__
    if function is operator.getitem:
        return f"{words[0]}[{words[1]}]"
    if function is operator.contains:
        return f"{words[1]} in {words[0]}"
    if getattr(operator, name, None) is function and function is not abs:
        if name in PREFIX:
            return f"{PREFIX[name]}{words[0]}"
        return f"{words[0]} {INFIX[name]} {words[1]}"
    path = spelled(function)
    if path.startswith("np.ndarray."):
        return f"{words[0]}.{name}({', '.join(words[1:])})"
    return f"{path}({', '.join(words)})"


def _outcomes(case: Case) -> list[Any]:
    """The results of a call, one weight each."""
    with np.errstate(all="ignore"):
        value = case.function(*case.arguments, **case.keywords)
    return list(value) if isinstance(value, tuple | list) else [value]


def _written(
    name: str, case: Case, literal_numbers: bool, summed: bool
) -> tuple[str, Any, Any]:
    """The text of a case's function, its arguments and the active ones."""
    writer = _Writer(literal_numbers)
    words = []
    for k, value in enumerate(case.arguments):
        words.append(writer.argument(value, f"a{k}", k in case.wrt))
    for word, value in case.keywords.items():
        words.append(f"{word}={writer.argument(value, word, word in case.wrt)}")
    active = tuple(writer.active)
    seed = zlib.crc32(f"{case.function.__name__}{words}".encode())
    generator = np.random.default_rng(seed)
    outcomes = _outcomes(case)
    lines = []
    lines.append(f"out = {_call(case.function, words)}")
    arguments = dict(writer.parameters)
    terms = []
    with np.errstate(all="ignore"):
        structured = isinstance(
            case.function(*case.arguments, **case.keywords), tuple | list
        )
    for k, value in enumerate(outcomes):
        weight: Any = np.ones(np.shape(value))
        if case.expected is None:
            weight = generator.normal(size=np.shape(value))
        if np.asarray(value).dtype == np.float32:
            weight = weight.astype(np.float32)
        arguments[f"w{k}"] = weight[()] if np.ndim(value) else float(weight)
        part = f"out[{k}]" if structured else "out"
        terms.append(f"{'np.sum' if summed else 'np.ravel'}({part} * w{k})")
    whole = " + ".join(terms) if summed else f"np.concatenate(({', '.join(terms)},))"
    lines.append(f"return {whole}")
    head = f"def {name}({', '.join(arguments)}):"
    return "\n    ".join([head, *lines]), arguments, active


def rule_programs(
    cases: list[Case],
    module: str,
    directory: pathlib.Path,
    *,
    literal_numbers: bool,
    summed: bool = True,
) -> list[RuleProgram]:
    """The programs of many cases, written to one module and imported from it.

    ``literal_numbers``: an int, or a float that isn't differentiated, stands in the
    text of the call. ``summed``: the function returns one number, not all results in a
    vector.
    """
    imports = ["import bisect", "import math", "import numpy as np"]
    for case in cases:
        helper = getattr(case.function, "__module__", None) or ""
        if helper.startswith(("s2sad.", "numpy.polynomial.", "scipy.special.")):
            imports.append(f"from {helper} import {case.function.__name__}")
    written = [
        _written(f"case_{k}", c, literal_numbers, summed) for k, c in enumerate(cases)
    ]
    path = directory / f"{module}.py"
    text = "\n".join(dict.fromkeys(imports)) + "\n\n\n"
    path.write_text(text + "\n\n\n".join(text for text, _, _ in written) + "\n")
    specification = importlib.util.spec_from_file_location(module, path)
    assert specification is not None and specification.loader is not None
    loaded = importlib.util.module_from_spec(specification)
    sys.modules[module] = loaded
    specification.loader.exec_module(loaded)
    return [
        RuleProgram(
            f"{k}: {_last_expression(text)} {case.note}".rstrip(),
            case,
            getattr(loaded, f"case_{k}"),
            arguments,
            active,
        )
        for k, (case, (text, arguments, active)) in enumerate(
            zip(cases, written, strict=True)
        )
    ]
