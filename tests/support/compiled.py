"""Derivatives straight from the compiler, loaded as functions, for arguments at
hand."""

from __future__ import annotations

import contextlib
import functools
import importlib
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from s2sad import compiler
from s2sad.codegen.derivative import Derivative, Request
from s2sad.codegen.numba.options import NumbaOptions
from s2sad.derivatives import switched_off as switched_off_by_default
from s2sad.dispatch.dispatcher import check_arguments
from s2sad.dispatch.load import load_function
from s2sad.dispatch.numba_loading import load_compiled
from s2sad.errors import S2sadError
from s2sad.source.kinds.kept_values import KeptAtRunTime
from s2sad.source.kinds.kinds_of_values import kind_of_value
from s2sad.source.kinds.taken_apart import kinds_in_parts
from s2sad.source.text.source import source_of
from tests.support.numba_text import run_as_python

RECIPES = {
    "gradient": compiler.compile_gradient,
    "pushforward": compiler.compile_pushforward,
    "hvp": compiler.compile_hvp,
    "vjp": compiler.compile_vjp,
}


NUMPY, NUMBA, PYTHON = "numpy", "numba", "numba's text as Python"
BACKENDS = (NUMPY, NUMBA, PYTHON)


@dataclass(frozen=True)
class Compiled:
    """A derivative and the functions in its text."""

    derivative: Derivative
    functions: tuple[Callable[..., Any], ...]

    @property
    def text(self) -> str:
        return self.derivative.text

    def __call__(self, *arguments: Any) -> Any:
        return self.functions[0](*arguments)


def compiled(
    recipe: str,
    function: FunctionType,
    arguments: tuple[Any, ...],
    wrt: str | tuple[str, ...],
    *,
    value: bool = False,
    switched_off: frozenset[str] = frozenset(),
    backend: str = NUMPY,
) -> Compiled:
    """The derivative of a function for arguments of the kinds given.

    ``recipe`` is a key of RECIPES; a tuple ``wrt`` asks for a tuple. A vjp has two
    functions. ``backend`` is one of BACKENDS.
    """
    names = inspect.signature(function).parameters
    switched_off |= switched_off_by_default(None)  # for the whole process
    single = isinstance(wrt, str)
    numba = None if backend == NUMPY else NumbaOptions()
    parameters = (wrt,) if isinstance(wrt, str) else wrt
    request = Request(parameters, single=single, value=value, numba=numba)
    values = dict(zip(names, arguments, strict=True))
    source = source_of(function)
    if numba is None:
        kinds = {name: kind_of_value(value, (name,)) for name, value in values.items()}
    else:
        kinds = kinds_in_parts(values)
    make = functools.partial(
        RECIPES[recipe], source, request=request, switched_off=switched_off
    )
    derivative = None
    if numba is None and "scalar_replacement" in switched_off:
        with contextlib.suppress(S2sadError):
            kept = KeptAtRunTime(everything=True).kinds(values)
            check_arguments(function.__name__, parameters, kept, values)
            derivative = make(kept)
    derivative = derivative or make(kinds)
    if backend == NUMPY:
        return Compiled(derivative, loaded(derivative, function))
    plain = run_as_python() if backend == PYTHON else contextlib.nullcontext()
    with plain:
        programs = load_compiled(derivative, function, None)
    return Compiled(derivative, tuple(p.bind(function) for p in programs))


def loaded(derivative: Derivative, function: FunctionType) -> tuple[FunctionType, ...]:
    """The functions that a text defines, in order."""
    spelling = derivative.spelling
    bound: dict[str, Any] = {
        name: importlib.import_module(module)
        for name, module in spelling.modules.items()
    }
    bound |= {**spelling.helpers, **spelling.objects}
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
    names = [
        line.split("(")[0].removeprefix("def ")
        for line in derivative.text.splitlines()
        if line.startswith("def ")
    ]
    assert names[0] == derivative.name
    return tuple(
        load_function(
            derivative.text,
            name,
            label=function.__name__,
            namespace=function.__globals__,
            cells={**cells, **spelling.cells},
            bound=bound,
        )
        for name in names
    )
