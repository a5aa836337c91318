"""The functions that the text of a derivative defines, bound to what it calls."""

import ast
import importlib
import sys
import weakref
from collections.abc import Mapping, Sequence
from types import FunctionType, ModuleType
from typing import Any

from s2sad.codegen.derivative import Derivative
from s2sad.codegen.places import Spans, forget, remember
from s2sad.dispatch import cache, load
from s2sad.source.text.source import of_user


def load_programs(
    derivative: Derivative, function: FunctionType
) -> tuple[cache.Program, ...]:
    """The functions that the text of a derivative defines, in order, of which the
    first two at most are called from outside."""
    names = [
        node.name
        for node in ast.parse(derivative.text).body
        if isinstance(node, ast.FunctionDef)
    ]
    return programs_of_text(
        derivative.text, names[:2], derivative, function, derivative.spans
    )


def _module(name: str, module: str, function: FunctionType) -> Any:
    """The module that a text calls by a name: the one that the function does, which
    need not be one that can be imported."""
    cell = cache.cells_of(function).get(name)
    own = cell.cell_contents if cell is not None else function.__globals__.get(name)
    if isinstance(own, ModuleType) and own.__name__ == module:
        return own
    return sys.modules.get(module) or importlib.import_module(module)


def programs_of_text(
    text: str,
    names: Sequence[str],
    derivative: Derivative,
    function: FunctionType,
    spans: Spans,
    bound: Mapping[str, Any] | None = None,
) -> tuple[cache.Program, ...]:
    """Functions that a text of a derivative defines; ``spans`` says where its
    statements come from, ``bound`` are objects that it calls by names, besides those
    that were spelled."""
    spelling = derivative.spelling
    named: dict[str, Any] = {
        name: _module(name, module, function)
        for name, module in spelling.modules.items()
    }
    named |= spelling.helpers
    named |= spelling.objects
    named |= bound or {}
    cells = cache.cells_of(function)
    user = of_user(derivative.source)
    whole = user.span_of(user.node)
    programs = []
    for name in names:
        loaded = load.load_function(
            text,
            name,
            label=function.__name__,
            namespace=function.__globals__,
            cells={**cells, **spelling.cells},
            bound=named,
        )
        program = cache.Program.of(loaded, frozenset(cells))
        if program.filename:
            # The text is shown in tracebacks as long as something may run it.
            remember(program.filename, spans, whole)
            gone = weakref.finalize(program.code, forget, program.filename)
            gone.atexit = False
        programs.append(program)
    return tuple(programs)
