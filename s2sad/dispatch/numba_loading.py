"""A derivative for Numba to functions that run: the core compiled, the border beside
the user's function.

The core is compiled as soon as it is loaded, for the arguments at hand, so that what
Numba has to say against it is said as of the user's line.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from s2sad.codegen.derivative import Derivative
from s2sad.codegen.numba.compiled import compile_for, compiled_functions
from s2sad.codegen.numba.options import require_numba
from s2sad.codegen.places import remember_lines
from s2sad.dispatch.cache import AnyProgram, CompiledProgram, Program
from s2sad.dispatch.programs import programs_of_text
from s2sad.errors import Problem, UnsupportedError
from s2sad.source.text.source import of_user


@dataclass(frozen=True, eq=False)
class BorderProgram:
    """A border, which has its core as an attribute."""

    program: Program
    core: Any

    def bind(self, function: FunctionType) -> FunctionType:
        """The border as a function beside the user's."""
        bound = self.program.bind(function)
        bound.core = self.core  # type: ignore[attr-defined]
        return bound


class _Called(Exception):
    """Carries the arguments with which a border calls its core."""


def load_compiled(
    derivative: Derivative,
    function: FunctionType,
    arguments: tuple[Any, ...] | None,
) -> tuple[AnyProgram, ...]:
    """The programs of a derivative, in order. ``arguments`` are those of the call at
    hand, for which the first is compiled; None leaves that to the call.

    Raises S2sadError where Numba is missing, UnsupportedError where it can't compile
    the text.
    """
    text = derivative.numba
    assert text is not None
    require_numba()
    functions = compiled_functions(text.module, function.__name__, text.options)
    source = of_user(derivative.source)
    for compiled in functions.values():
        plain = getattr(compiled, "py_func", None)
        if plain is not None:
            whole = source.span_of(source.node)
            remember_lines(plain.__code__.co_filename, text.spans, whole)
    programs: list[AnyProgram] = []
    for k, (name, core) in enumerate(zip(text.entries, text.cores, strict=True)):
        called = functions
        if k or arguments is None:  # compiled by its first call
            called = {**functions, core: _reporting(functions[core], derivative)}
        if name == core:
            programs.append(CompiledProgram(called[core]))
        else:
            (border,) = _border(derivative, name, function, called)
            programs.append(BorderProgram(border, functions[core]))
    if arguments is not None:
        core = text.cores[0]
        if text.entries[0] != core:
            arguments = _handed_on(derivative, function, arguments)
        try:
            compile_for(functions[core], arguments)
        except Exception as error:  # Numba's own mistakes are of any class
            raise UnsupportedError([_problem(derivative, error)]) from error
    return tuple(programs)


def _reporting(compiled: Any, derivative: Derivative) -> Callable[..., Any]:
    """A compiled function that says what Numba has to say as of the user's line; its
    attribute ``dispatcher`` is Numba's own."""

    waits = True

    def run(*arguments: Any) -> Any:
        nonlocal waits
        try:
            if waits:
                compile_for(compiled, arguments)
                waits = False
            return compiled(*arguments)
        except Exception as error:
            if not waits and not _is_of_compiler(error):
                raise
            raise UnsupportedError([_problem(derivative, error)]) from error

    run.dispatcher = compiled  # type: ignore[attr-defined]
    return run


def _is_of_compiler(error: Exception) -> bool:
    """True for what was raised while Numba compiled."""
    at = error.__traceback__
    while at is not None:
        code = at.tb_frame.f_code
        if code.co_name == "_compile_for_args" and "dispatcher" in code.co_filename:
            return True
        at = at.tb_next
    return False


def _border(
    derivative: Derivative,
    name: str,
    function: FunctionType,
    bound: dict[str, Callable[..., Any]],
) -> tuple[Program, ...]:
    text = derivative.numba
    assert text is not None
    return programs_of_text(
        text.borders, [name], derivative, function, text.border_spans, bound
    )


def _handed_on(
    derivative: Derivative, function: FunctionType, arguments: tuple[Any, ...]
) -> tuple[Any, ...]:
    """The arguments that the core is called with."""
    text = derivative.numba
    assert text is not None

    def core(*given: Any) -> Any:
        raise _Called(given)

    (border,) = _border(derivative, text.entries[0], function, {text.cores[0]: core})
    try:
        border.bind(function)(*arguments)
    except _Called as called:
        given: tuple[Any, ...] = called.args[0]
        return given
    raise AssertionError("a border doesn't call its core")


def _problem(derivative: Derivative, error: Exception) -> Problem:
    """What Numba says, as of the user's line."""
    text = derivative.numba
    assert text is not None
    source = derivative.source
    message = str(error)
    lines = [int(n) for n in re.findall(r'File "<?[^"]*"?, line (\d+)', message)]
    line = lines[-1] if lines else 0
    span = next((s for at, s in reversed(text.spans) if at <= line), None)
    first = next(
        (one.strip() for one in message.splitlines() if "Error" not in one and one),
        "it doesn't say why",
    )
    reason = f"Numba can't compile the derivative of this: {first}"
    advice = 'choose backend="numpy"'
    if span is None:
        node = source.node
        return Problem(
            reason, advice, source.filename, node.lineno, node.col_offset, 0, ""
        )
    known = source.lines if span.filename == source.filename else ()
    shown = known[span.line - 1] if 0 < span.line <= len(known) else span.statement
    end = span.end_column if span.end_line == span.line else len(shown)
    return Problem(reason, advice, span.filename, span.line, span.column, end, shown)
