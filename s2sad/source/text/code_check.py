"""Does the text say what a function runs?

Takes a parsed file and the code object of a live function, gives the node of the tree
that compiles to this very code, or None. The whole file is compiled, so that closures,
classes and name mangling come out as they did when the file was run.
"""

import ast
import sys
import types
from collections.abc import Iterator
from typing import Any

from s2sad.source.text import parsed

_PYTEST_NAMES = frozenset({"@pytest_ar", "@py_builtins"})
# Beyond the last line of any file.
_FAR_LINE = 1_000_000_000


def find_node(
    file: parsed.ParsedFile, code: types.CodeType, loader: object = None
) -> parsed.FunctionNode | None:
    """The function of ``file`` that compiles to ``code``; None if there is none.

    ``loader`` is the loader of the function's module: pytest's rewrites asserts.
    """
    nodes = [
        node
        for node in file.functions_at(code.co_firstlineno)
        if getattr(node, "name", "<lambda>") == code.co_name
    ]
    if not nodes:
        return None
    for index in _indexes(file, code, loader):
        found = index.get((code.co_qualname, code.co_firstlineno), [])
        if any(same_code(code, other) for other in found):
            if len(nodes) == 1:
                return nodes[0]
            return _told_apart(file, code, nodes, found)
    return None


def same_code(a: types.CodeType, b: types.CodeType) -> bool:
    """True if two code objects do the same with the same names, wherever they stand."""
    return (
        a.co_code == b.co_code
        and a.co_names == b.co_names
        and a.co_varnames == b.co_varnames
        and a.co_freevars == b.co_freevars
        and a.co_cellvars == b.co_cellvars
        and a.co_argcount == b.co_argcount
        and a.co_posonlyargcount == b.co_posonlyargcount
        and a.co_kwonlyargcount == b.co_kwonlyargcount
        and a.co_flags == b.co_flags
        and a.co_exceptiontable == b.co_exceptiontable
        and _same_const(a.co_consts, b.co_consts)
    )


def _same_const(a: Any, b: Any) -> bool:
    if type(a) is not type(b):
        return False
    if isinstance(a, types.CodeType):
        return same_code(a, b)
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(_same_const, a, b))
    if isinstance(a, frozenset):
        return {(type(x), repr(x)) for x in a} == {(type(x), repr(x)) for x in b}
    if isinstance(a, float | complex):
        return repr(a) == repr(b)  # tells signed zeros apart, and nan is nan
    if isinstance(a, slice):
        return all(
            _same_const(getattr(a, part), getattr(b, part))
            for part in ("start", "stop", "step")
        )
    return bool(a == b)


def _indexes(
    file: parsed.ParsedFile, code: types.CodeType, loader: object
) -> Iterator[parsed.CodeIndex]:
    """The ways in which the file may have been compiled, likely ones first."""
    flags = code.co_flags & parsed.FUTURE_FLAGS
    yield file.codes(flags)
    if _rewritten_by_pytest(code):
        index = _pytest_codes(file, flags, loader)
        if index is not None:
            yield index
    for level in (0, 1, 2):
        if level != sys.flags.optimize:
            yield file.codes(flags, level)


def _rewritten_by_pytest(code: types.CodeType) -> bool:
    return not _PYTEST_NAMES.isdisjoint(code.co_names) or any(
        not _PYTEST_NAMES.isdisjoint(inner.co_names)
        for inner in parsed.nested_codes(code)
    )


def _pytest_codes(
    file: parsed.ParsedFile, flags: int, loader: object
) -> parsed.CodeIndex | None:
    """The code objects of a test module, its asserts rewritten by pytest itself.

    pytest must be there, since it made the code we are asked about.
    """
    rewrite = sys.modules.get("_pytest.assertion.rewrite")
    if rewrite is None:
        return None
    config = getattr(loader, "config", None)
    key = ("pytest", flags, id(config))
    index = file.recall_codes(key)
    if index is None:
        tree = parsed.syntax_tree(file.text)  # afresh: the tree of the file is shared
        try:
            rewrite.rewrite_asserts(tree, file.text.encode(), file.filename, config)
            index = file.codes_of(tree, flags, -1)
        except Exception:  # a private interface: any change of it means "can't tell"
            index = {}
        file.remember_codes(key, index)
    return index


def _told_apart(
    file: parsed.ParsedFile,
    code: types.CodeType,
    nodes: list[parsed.FunctionNode],
    found: list[types.CodeType],
) -> parsed.FunctionNode | None:
    """The one of several lambdas on a line that ``code`` belongs to."""
    places = _places(code)
    if places:
        inside = [
            node
            for node in nodes
            if isinstance(node, ast.Lambda) and _spans(node.body, places)
        ]
        known = any(
            list(code.co_positions()) == list(other.co_positions())
            and same_code(code, other)
            for other in found
        )
        if inside and known:
            return min(inside, key=_extent)
    flags = code.co_flags & parsed.FUTURE_FLAGS
    for node in nodes:
        alone = file.lambda_codes.get((node, flags))
        if alone is None:
            alone = file.lambda_codes[node, flags] = _code_of(file, node, flags)
        if same_code(code, alone):
            return node  # others with the same code do the same
    return None


def _places(code: types.CodeType) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Start and end of the text of each instruction that has a position."""
    places = []
    for line, end_line, column, end_column in code.co_positions():
        if None in (line, end_line, column, end_column):
            continue
        start, end = (line, column), (end_line, end_column)
        if start < end:  # prologues have none
            places.append((start, end))
    return places  # type: ignore[return-value]


def _spans(
    node: ast.expr, places: list[tuple[tuple[int, int], tuple[int, int]]]
) -> bool:
    start = (node.lineno, node.col_offset)
    end = (node.end_lineno or node.lineno, node.end_col_offset or 0)
    return all(start <= first and last <= end for first, last in places)


def _extent(node: parsed.FunctionNode) -> tuple[int, int]:
    """Orders lambdas that contain each other: the inner one starts later."""
    return (-node.lineno, -node.col_offset)


def _code_of(
    file: parsed.ParsedFile, node: parsed.FunctionNode, flags: int
) -> types.CodeType:
    """The code of one lambda, recognised by line numbers that it alone is given.

    Its body moves along, since the compiler joins instructions of the same line.
    """
    tree = parsed.syntax_tree(file.text)  # afresh: the tree of the file is shared
    place = node.lineno, node.col_offset
    twin = next(
        n
        for n in ast.walk(tree)
        if isinstance(n, ast.Lambda) and (n.lineno, n.col_offset) == place
    )
    for moved in (twin, *ast.walk(twin.body)):
        if isinstance(moved, ast.expr | ast.keyword | ast.arg):
            moved.lineno += _FAR_LINE
            moved.end_lineno = (moved.end_lineno or 0) + _FAR_LINE
    whole = parsed.compile_tree(tree, file.filename, flags)
    line = node.lineno + _FAR_LINE
    return next(c for c in parsed.nested_codes(whole) if c.co_firstlineno == line)
