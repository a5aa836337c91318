"""The text of a function: found, parsed, and checked against what the function runs.

Takes a live function, or the path of a file that is never executed, and gives
``SourceFunction``: the syntax tree at its true place in the file, together with what
the names in it mean.
"""

from __future__ import annotations

import ast
import functools
import linecache
import os
import types
from bisect import bisect_right
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from s2sad import ir
from s2sad.errors import Problem, SourceError
from s2sad.source.static.values import StaticFunction
from s2sad.source.text.code_check import find_node
from s2sad.source.text.composed import OF_DERIVATIVE, function_behind
from s2sad.source.text.deep_recursion import with_room
from s2sad.source.text.parsed import FunctionNode, ParsedFile, parse
from s2sad.source.text.quote import quote
from s2sad.source.text.resolve import LiveResolver, Resolver
from s2sad.source.text.scopes import remembered

if TYPE_CHECKING:
    from s2sad.source.static.module import StaticModule


@dataclass(frozen=True, eq=False)
class SourceFunction:
    """A function as text."""

    name: str
    qualname: str
    module: str
    filename: str
    lines: tuple[str, ...] = field(repr=False)
    """The lines of the whole file."""
    node: FunctionNode = field(repr=False)
    """Its lines and columns are those of the file. Shared with other users of the file:
    it must be copied before it is changed."""
    resolver: Resolver = field(repr=False)
    function: Callable[..., Any] | None = field(repr=False)
    """The function itself; None when it was read without being executed."""
    defaults: dict[str, Any] = field(repr=False)
    """Default values by parameter. Read without execution: the value of a literal,
    the ``ast.expr`` of anything else."""
    file: ParsedFile = field(repr=False)
    custom: Any = field(default=None, repr=False)
    """The derivative of its own that the user gives it, where it is read without being
    executed; a live function knows by itself."""

    calls: SourceFunction | None = field(default=None, repr=False)
    """The function whose derivative this calls, where it was made for that alone."""

    @property
    def identity(self) -> Hashable:
        """Equal for the same function, also where its source was found twice. Functions
        that one factory made have the same text and other captured variables."""
        captures = getattr(self.function, "__closure__", None)
        return id(self.node), id(self.function) if captures else None

    @property
    def is_made(self) -> bool:
        """True for what s2sad brought along, whose text the user doesn't know: rules,
        helpers, calls of derivatives."""
        own = self.module.startswith("s2sad.")
        return own or self.filename.startswith(OF_DERIVATIVE)

    @property
    def is_of_library(self) -> bool:
        """True for the texts that stand in place of functions of libraries."""
        return self.module.startswith("s2sad.frontend.library.")

    def of_user(self) -> SourceFunction:
        """The function of the user's that is differentiated, where this only calls its
        derivative."""
        source = self
        while source.filename.startswith(OF_DERIVATIVE):
            target = function_behind(source.function)
            if source.calls is None and target is None:
                break
            source = source.calls or source_of(target)
        return source

    def span_of(self, node: ast.AST) -> ir.Span:
        """Where ``node`` is, with the statement around it in one line.

        Works for any node that carries a position of this file, also for those that a
        rewrite made and gave the position of an original one.
        """
        line, column, end_line, end_column = self._position(node)
        return ir.Span(
            self.filename,
            line,
            self.file.character(line, column),
            end_line,
            self.file.character(end_line, end_column),
            self._statement_at(line, column),
        )

    def problem(
        self,
        node: ast.AST,
        reason: str,
        advice: str = "",
        trail: tuple[str, ...] = (),
    ) -> Problem:
        """The report that ``node`` can't be differentiated."""
        span = self.span_of(node)
        known = 1 <= span.line <= len(self.lines)
        return Problem(
            reason=reason,
            advice=advice,
            filename=self.filename,
            line=span.line,
            column=span.column,
            end_column=span.end_column if span.end_line == span.line else span.column,
            source_line=self.lines[span.line - 1] if known else "",
            trail=trail,
        )

    def _position(self, node: Any) -> tuple[int, int, int, int]:
        if not hasattr(node, "lineno"):
            # arguments, comprehension, withitem ...: the place of what they hold
            inner: list[Any] = [n for n in ast.walk(node) if hasattr(n, "lineno")]
            if not inner:
                node = self.node
            else:
                start = min((n.lineno, n.col_offset) for n in inner)
                return (*start, *max((n.end_lineno, n.end_col_offset) for n in inner))
        line, column = node.lineno, node.col_offset
        end_line = getattr(node, "end_lineno", None)
        end_column = getattr(node, "end_col_offset", None)
        return (
            line,
            column,
            line if end_line is None else end_line,
            column if end_column is None else end_column,
        )

    @cached_property
    def _statements(self) -> tuple[list[tuple[int, int]], list[ast.AST]]:
        return _statements_by_start(self.node)

    @cached_property
    def _quotes(self) -> dict[ast.AST, str]:
        return {}

    def _statement_at(self, line: int, column: int) -> str:
        if self.filename.startswith(OF_DERIVATIVE):
            return ""  # the user didn't write it
        starts, statements = self._statements
        innermost: ast.AST = self.node
        for at in range(bisect_right(starts, (line, column)) - 1, -1, -1):
            statement: Any = statements[at]
            if (line, column) < (statement.end_lineno, statement.end_col_offset):
                innermost = statement
                break
        if innermost not in self._quotes:
            self._quotes[innermost] = quote(self.file, innermost)
        return self._quotes[innermost]


@remembered
def _statements_by_start(
    node: ast.AST,
) -> tuple[list[tuple[int, int]], list[ast.AST]]:
    """The statements of a function, by their start."""
    found = [n for n in ast.walk(node) if isinstance(n, ast.stmt)]
    found.sort(key=lambda n: (n.lineno, n.col_offset))
    return [(n.lineno, n.col_offset) for n in found], list(found)


@with_room
def source_of(function: Callable[..., Any]) -> SourceFunction:
    """The text of a live function, checked against the code it runs.

    Functions of modules, scripts, notebooks and doctests, methods, nested functions and
    lambdas all have text. A decorated function is taken as it is: callers unwrap.

    Raises ``SourceError`` if there is no text, or if it isn't what the function runs.
    """
    function = _plain_function(function)
    code = function.__code__
    lines = _lines_of(function)
    if not lines:
        raise SourceError(_no_source(function))
    try:
        file = parse(code.co_filename, lines)
    except SourceError as error:
        raise SourceError(f"{_changed(function)}\n{error}") from None
    loader = getattr(function.__globals__.get("__spec__"), "loader", None)
    node = find_node(file, code, loader)
    if node is None:
        raise SourceError(_changed(function))
    return SourceFunction(
        name=code.co_name,
        qualname=function.__qualname__,
        module=function.__module__ or function.__globals__.get("__name__", ""),
        filename=code.co_filename,
        lines=file.lines,
        node=node,
        resolver=LiveResolver(function),
        function=function,
        defaults=_defaults(function),
        file=file,
    )


_known: dict[types.FunctionType, SourceFunction] = {}


def source_of_own(function: Callable[..., Any]) -> SourceFunction:
    """The same for a rule or a helper: the text of those that come with s2sad is read
    once, since they are used again and again."""
    if isinstance(function, StaticFunction):
        return replace(function.source)
    module = getattr(function, "__module__", None) or ""
    if not isinstance(function, types.FunctionType) or not module.startswith("s2sad."):
        return source_of(function)
    known = _known.get(function)
    if known is None:
        known = _known[function] = source_of(function)
    return replace(known)  # variables are told apart by the object


@with_room
def static_functions(path: str | os.PathLike[str]) -> StaticModule:
    """The functions of a file, read without executing it.

    Raises ``SourceError`` if the file can't be read or isn't Python.
    """
    # here, since the module builds SourceFunctions
    from s2sad.source.static.module import load

    return load(path)


def _plain_function(function: Any) -> types.FunctionType:
    """The Python function behind a method; anything else that isn't one is refused."""
    if isinstance(function, types.MethodType | staticmethod | classmethod):
        function = function.__func__
    if isinstance(function, types.FunctionType):
        return function
    kind = type(function)
    spelled = f"{kind.__module__}.{kind.__qualname__}".removeprefix("builtins.")
    name = getattr(function, "__name__", None) or f"an object of type {spelled}"
    if isinstance(function, type):
        text = f"{name} is a class; pass a method, or a def or lambda that calls it"
    elif not callable(function):
        text = f"{name} is not a function; pass a def or lambda"
    elif hasattr(function, "__wrapped__"):
        text = f"{name} is a {spelled}, not a Python function; pass its __wrapped__"
    elif isinstance(function, functools.partial):
        text = (
            f"{spelled} has no source of its own; pass a def or lambda that makes "
            "the call"
        )
    elif isinstance(kind.__call__, types.WrapperDescriptorType):
        text = (
            f"{name} ({spelled}) is compiled and has no Python source; pass a def or "
            "lambda that calls it"
        )
    else:
        text = (
            f"{name} is not a Python function; pass its __call__ method, or a def or "
            "lambda that calls it"
        )
    raise SourceError(text)


def _lines_of(function: types.FunctionType) -> Sequence[str]:
    filename = function.__code__.co_filename
    linecache.checkcache(filename)
    lines = linecache.getlines(filename, function.__globals__)
    if not lines and hasattr(linecache, "_getlines_from_code"):
        # 3.13 keeps the text of `python -c` and of the prompt by code object
        lines = linecache._getlines_from_code(function.__code__)
    return lines


def _defaults(function: types.FunctionType) -> dict[str, Any]:
    code = function.__code__
    values = function.__defaults__ or ()
    names = code.co_varnames[code.co_argcount - len(values) : code.co_argcount]
    return {**dict(zip(names, values)), **(function.__kwdefaults__ or {})}


def _no_source(function: types.FunctionType) -> str:
    filename = function.__code__.co_filename
    head = f"there is no source text for {function.__qualname__} ({filename})"
    if filename.startswith("<"):
        return (
            f"{head}: it was made by exec or typed at a plain prompt; write it in a "
            "file or a notebook, or register the text in linecache.cache"
        )
    return f"{head}: the file is missing; restore it or write the function elsewhere"


def _changed(function: types.FunctionType) -> str:
    code = function.__code__
    if code.co_filename == "<string>":  # Python 3.13 shows the text of -c there
        return _no_source(function)
    return (
        f"the text at {code.co_filename}:{code.co_firstlineno} is not what "
        f"{function.__qualname__} runs: the file has changed since it was loaded, or "
        "the function was made in another way; reload the module "
        f"(importlib.reload) or run the cell again"
    )
