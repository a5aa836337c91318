"""Source statements in one line, as comments and messages quote them.

Of a compound statement only the header is given: ``for i in range(n):``.
"""

import ast
import io
import tokenize
from typing import Any

from s2sad.source.text.parsed import ParsedFile, first_line

_LIMIT = 80


def quote(file: ParsedFile, node: Any) -> str:
    """The text of a statement (or lambda) of ``file`` in one line of at most 80
    characters."""
    start = (node.lineno, node.col_offset)
    end = (node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)
    if isinstance(node, ast.Match):
        subject = node.subject
        end = (subject.end_lineno or subject.lineno, subject.end_col_offset or 0)
        text = _one_line(_segment(file, start, end)) + ":"
    elif not isinstance(node, ast.Lambda) and getattr(node, "body", None):
        text = _one_line(_segment(file, start, _start(node.body[0])))
    else:
        text = _one_line(_segment(file, start, end))
    return text if len(text) <= _LIMIT else text[: _LIMIT - 3].rstrip() + "..."


def _start(statement: ast.stmt) -> tuple[int, int]:
    if getattr(statement, "decorator_list", None):
        return first_line(statement), 0  # type: ignore[arg-type]
    return statement.lineno, statement.col_offset


def _segment(file: ParsedFile, start: tuple[int, int], end: tuple[int, int]) -> str:
    """The text between two places, whose columns are UTF-8 offsets."""
    first, last = start[0], min(end[0], len(file.lines))
    if not 1 <= first <= last:
        return ""
    lines = list(file.lines[first - 1 : last])
    lines[-1] = lines[-1][: file.character(last, end[1])]
    lines[0] = lines[0][file.character(first, start[1]) :]
    return "\n".join(lines)


def _one_line(text: str) -> str:
    if "#" in text:
        text = _without_comments(text)
    words = text.replace("\\\n", " ").split()
    line = " ".join(words)
    for bracket in "([{":
        line = line.replace(f"{bracket} ", bracket) if "\n" in text else line
    for bracket in ")]}":
        line = line.replace(f" {bracket}", bracket) if "\n" in text else line
    return line


def _without_comments(text: str) -> str:
    """The text less its comments; as it is where it can't be read piece by piece."""
    lines = text.split("\n")
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                row, column = token.start
                lines[row - 1] = lines[row - 1][:column]
    except (tokenize.TokenError, SyntaxError):
        pass  # a header without its body; the comments before its end are gone
    return "\n".join(lines)
