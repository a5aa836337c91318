"""Text to function: compile, bind names, show the text to tracebacks and debuggers."""

from __future__ import annotations

import ast
import itertools
import linecache
import types
from collections.abc import Mapping
from typing import Any

_counter = itertools.count(1)


def load_function(
    text: str,
    name: str,
    *,
    label: str,
    namespace: dict[str, Any],
    cells: Mapping[str, types.CellType],
    bound: Mapping[str, Any],
) -> types.FunctionType:
    """The function ``name`` that ``text`` defines.

    ``namespace`` is the user's module namespace, in which globals are read live;
    ``cells`` are the captured variables of the user's function, read live too;
    ``bound`` are the objects that the output spells by other names (modules, helpers).
    The text is put in ``linecache`` under ``label``.
    """
    filename = f"<s2sad {label} {next(_counter)}>"
    lines = text.splitlines(keepends=True)
    linecache.cache[filename] = (len(text), None, lines, filename)
    module = ast.parse(text, filename)
    definition = next(
        n for n in module.body if isinstance(n, ast.FunctionDef) and n.name == name
    )
    outer_names = sorted({*bound, *cells})
    factory = ast.FunctionDef(
        "bind",
        ast.arguments([], [ast.arg(n) for n in outer_names], None, [], [], None, []),
        [definition, ast.Return(ast.Name(name, ast.Load()))],
        [],
        None,
        type_params=[],  # type: ignore[call-arg]
    )
    wrapped = ast.fix_missing_locations(ast.Module([factory], []))
    code = compile(wrapped, filename, "exec", dont_inherit=True)
    factory_code = next(c for c in code.co_consts if isinstance(c, types.CodeType))
    bind = types.FunctionType(factory_code, namespace)
    values = {n: bound.get(n) for n in outer_names}
    function = bind(**values)
    if cells and function.__closure__:
        closure = tuple(
            cells.get(free, cell)
            for free, cell in zip(
                function.__code__.co_freevars, function.__closure__, strict=True
            )
        )
        function = types.FunctionType(function.__code__, namespace, name, None, closure)
    function.__s2sad_filename__ = filename
    return function
