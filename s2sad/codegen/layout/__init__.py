"""Statements to text: spacing, blank lines, comments and lines of at most 88 columns.

A visitor writes each logical line as a list of strings. Among them stand marks, which
are strings too (empty, or a blank) and say where the line may be broken. The line as it
stands is hence the strings joined; only when that is too long are the marks read and
the line broken at them, by the rules of ``ruff format``.
"""

import ast
from collections.abc import Sequence

from s2sad.codegen.layout import expressions, operators
from s2sad.codegen.layout.nodes import BlankLine, Comment
from s2sad.codegen.layout.statements import Statements

__all__ = ["BlankLine", "Comment", "expression_text", "render"]


def render(statements: Sequence[ast.stmt]) -> str:
    """Return the text of a module made of ``statements``.

    Parsing the text gives the statements back, but for comments, for the white space of
    docstrings, which is laid out afresh, and for negative constants, which are parsed
    as a minus before a positive one. A block without statements gets a ``pass``. The
    statements themselves stay as they are.

    Raises ``ValueError`` for what has no literal (infinities, NaN, objects) or can't be
    written on every supported Python (quotes within f-strings), ``TypeError`` for nodes
    that generated code never has (``match``, type parameters, type aliases).
    """
    generator = _Generator()
    generator.block(statements, ast.Module([], []))
    generator.lines.append("")
    return "\n".join(generator.lines)


def expression_text(node: ast.expr) -> str:
    """Return ``node`` as text on one line, however long.

    A tuple goes without parentheses. Raises what ``render`` raises.
    """
    generator = _Generator()
    generator.put(node, operators.BARE)
    return "".join(generator.result)


class _Generator(Statements, expressions.Expressions):
    """Writes whatever generated code may hold."""
