"""Statements that Python's ``ast`` has not: comments and blank lines."""

from __future__ import annotations

import ast
import warnings
from typing import TYPE_CHECKING, Any, ClassVar

with warnings.catch_warnings():
    # astor asks for node classes that Python 3.12 deprecates.
    warnings.simplefilter("ignore", DeprecationWarning)


class Comment(ast.stmt):
    """A comment on a line of its own, among statements.

    ``text`` goes without the leading ``#``. A text of several lines becomes several
    comments; one that is too long is cut and ends in an ellipsis.
    """

    _fields = ("text",)
    _field_types: ClassVar[dict[str, Any]] = {"text": str}
    text: str

    if TYPE_CHECKING:

        def __init__(self, text: str) -> None: ...


class BlankLine(ast.stmt):
    """An empty line among statements, dropped at the start and the end of a block."""
