"""Which line of the user's text each line of a generated text comes from.

The table is made when somebody asks: when an exception passes. Only the spans of the
statements are kept, in the order of the text.
"""

import ast
import linecache
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from s2sad import ir
from s2sad.source.text.composed import OF_DERIVATIVE

Spans = tuple[ir.Span | None, ...]
"""Where the statements of a text come from, in the order of the text."""

Lines = tuple[tuple[int, ir.Span | None], ...]
"""Lines of a text, in order, and where they come from."""

_KNOWN: dict[str, tuple[Spans, ir.Span]] = {}
"""By file name: the spans of its statements, and the function it was made from."""
_LINES: dict[str, tuple[Lines, ir.Span]] = {}
"""The same for texts whose lines are known."""


def spans_of(
    definition: ast.stmt, noted: Sequence[tuple[ast.stmt, ir.Span | None]]
) -> Spans:
    """Where the statements of a definition come from, in the order of the text; of
    several notes of one the first holds."""
    spans = {id(statement): span for statement, span in reversed(noted)}
    return tuple(spans.get(id(statement)) for statement in statements_of(definition))


def statements_of(node: ast.AST) -> Iterator[ast.stmt]:
    """A statement and those in it, in the order of the text, without comments."""
    if isinstance(node, ast.stmt) and type(node).__module__ in ("ast", "_ast"):
        yield node
    for name in ("body", "handlers", "orelse", "finalbody"):
        inner = getattr(node, name, None)
        for statement in inner if isinstance(inner, list) else ():
            yield from statements_of(statement)


def remember(filename: str, spans: Spans, whole: ir.Span) -> None:
    """Keep the spans of a text that is in ``linecache`` under this name."""
    _KNOWN[filename] = spans, whole


def remember_lines(filename: str, lines: Lines, whole: ir.Span) -> None:
    """Keep where the lines of a text come from."""
    _LINES[filename] = lines, whole


def lines_of(text: str, spans: Spans) -> Lines:
    """Where the lines of a text come from; nothing where it has other statements."""
    lines = [s.lineno for d in ast.parse(text).body for s in statements_of(d)]
    return tuple(zip(lines, spans)) if len(lines) == len(spans) else ()


def forget(filename: str) -> None:
    """Forget a text that nothing runs any more."""
    _KNOWN.pop(filename, None)
    _LINES.pop(filename, None)
    linecache.cache.pop(filename, None)


def place_of(filename: str, line: int) -> ir.Span | None:
    """The user's statement that a line of a generated text comes from; the whole
    function where it has none of its own. None for other texts."""
    if filename in _KNOWN:
        spans, whole = _KNOWN[filename]
        lines = lines_of("".join(linecache.getlines(filename)), spans)
        _LINES[filename] = lines, whole
    if filename not in _LINES:
        return None
    lines, whole = _LINES[filename]
    position = bisect_right([at for at, _ in lines], line) - 1
    span = lines[position][1] if position >= 0 else None
    written = span is not None and not span.filename.startswith(OF_DERIVATIVE)
    return span if written else whole
