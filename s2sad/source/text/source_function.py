"""A function as text: its syntax tree at its true place in the file, together with
what the names in it mean."""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from s2sad import errors, ir
from s2sad.source.static.namespaces import Resolver
from s2sad.source.text import composed, parsed, scopes
from s2sad.source.text.quote import quote


@dataclass(frozen=True, eq=False)
class SourceFunction:
    """A function as text."""

    name: str
    qualname: str
    module: str
    filename: str
    lines: tuple[str, ...] = field(repr=False)
    """The lines of the whole file."""
    node: parsed.FunctionNode = field(repr=False)
    """Its lines and columns are those of the file. Shared with other users of the file:
    it must be copied before it is changed."""
    resolver: Resolver = field(repr=False)
    function: Callable[..., Any] | None = field(repr=False)
    """The function itself; None when it was read without being executed."""
    defaults: dict[str, Any] = field(repr=False)
    """Default values by parameter. Read without execution: the value of a literal,
    the ``ast.expr`` of anything else."""
    file: parsed.ParsedFile = field(repr=False)
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
        return own or self.filename.startswith(composed.OF_DERIVATIVE)

    @property
    def is_of_library(self) -> bool:
        """True for the texts that stand in place of functions of libraries."""
        return self.module.startswith("s2sad.frontend.library.")

    def span_of(self, node: ast.AST) -> ir.Span:
        """Where ``node`` is, with the statement around it in one line.

        Works for any node that carries a position of this file, also for those that a
        rewrite made and gave the position of an original one.
        """
        known = _places(self.node)
        position = self._position(node)
        place = known.get(position)
        if place is None:
            line, column, end_line, end_column = position
            place = known[position] = (
                self.filename,
                line,
                self.file.character(line, column),
                end_line,
                self.file.character(end_line, end_column),
                self._statement_at(line, column),
            )
        return ir.Span(*place)  # a new one each time that a statement is run

    def problem(
        self,
        node: ast.AST,
        reason: str,
        advice: str = "",
        trail: tuple[str, ...] = (),
    ) -> errors.Problem:
        """The report that ``node`` can't be differentiated."""
        span = self.span_of(node)
        known = 1 <= span.line <= len(self.lines)
        return errors.Problem(
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
        if self.filename.startswith(composed.OF_DERIVATIVE):
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


@scopes.remembered
def _places(node: ast.AST) -> dict[tuple[int, ...], tuple[Any, ...]]:
    """What spans of a function hold that were asked for, by where they are."""
    return {}


@scopes.remembered
def _statements_by_start(
    node: ast.AST,
) -> tuple[list[tuple[int, int]], list[ast.AST]]:
    """The statements of a function, by their start."""
    found = [n for n in ast.walk(node) if isinstance(n, ast.stmt)]
    found.sort(key=lambda n: (n.lineno, n.col_offset))
    return [(n.lineno, n.col_offset) for n in found], list(found)
