"""Text to function: compile, bind names, show the text to tracebacks and debuggers."""

import ast
import itertools
import linecache
import types
from collections.abc import Mapping
from typing import Any

_counter = itertools.count(1)
_PLACE: Any = {"lineno": 1, "col_offset": 0, "end_lineno": 1, "end_col_offset": 0}
"""Of what stands around a text."""


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
    definitions = [n for n in module.body if isinstance(n, ast.FunctionDef)]
    bound_names = sorted(set(bound) - set(cells))
    # no names of Python's, so that they hide none
    bind = _function("<bind>", bound_names, [*definitions, _returned(name)])
    outer = _function("<outer>", sorted(cells), [bind, _returned("<bind>")])
    wrapped = ast.Module([outer], [])
    code = _inner_code(_inner_code(compile(wrapped, filename, "exec", 0, True)))
    closure = tuple(cells[free] for free in code.co_freevars)
    bind_function = types.FunctionType(code, namespace, "bind", None, closure)
    function = bind_function(**{n: bound[n] for n in bound_names})
    function.__s2sad_filename__ = filename
    return function


def _function(name: str, parameters: list[str], body: list[ast.stmt]) -> ast.stmt:
    arguments = [ast.arg(parameter, **_PLACE) for parameter in parameters]
    return ast.FunctionDef(
        name,
        ast.arguments([], arguments, None, [], [], None, []),
        body,
        [],
        None,
        type_params=[],  # type: ignore[call-arg]
        **_PLACE,
    )


def _returned(name: str) -> ast.stmt:
    return ast.Return(ast.Name(name, ast.Load(), **_PLACE), **_PLACE)


def _inner_code(code: types.CodeType) -> types.CodeType:
    """The code of the one function that a piece of code defines."""
    return next(c for c in code.co_consts if isinstance(c, types.CodeType))
