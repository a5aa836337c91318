"""Text to syntax with its comments, so that code can be rewritten and laid out again.

>>> from s2sad.codegen.layout import render
>>> print(render(parse_with_comments("x = 1  # one\\n# two\\ny = 2\\n")), end="")
# one
x = 1
# two
y = 2
"""

import ast
import io
import tokenize

from s2sad.codegen.layout import Comment


def parse_with_comments(text: str) -> list[ast.stmt]:
    """The statements of a text; a comment is a statement before the one it is at.

    Comments for tools (``# fmt: skip``, ``# type: ...``, ``# noqa``) are left out.
    """
    body: list[ast.stmt] = ast.parse(text).body
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        comment = token.string[1:].removeprefix(" ")
        if token.type == tokenize.COMMENT and not comment.startswith(_FOR_TOOLS):
            _insert(body, token.start[0], comment)
    return body


_FOR_TOOLS = ("fmt:", "type:", "noqa", "mypy:", "ruff:", "pragma:")


def _insert(body: list[ast.stmt], line: int, comment: str) -> None:
    """Put a comment of this line into a block, or into a block of its statements."""
    position = 0
    for statement in body:
        if not isinstance(statement, Comment):
            if statement.lineno >= line:
                break
            if line <= (statement.end_lineno or 0):
                for block in _blocks(statement):
                    if line <= (block[-1].end_lineno or 0):
                        _insert(block, line, comment)
                        return
                break
        position += 1
    # Behind the comments that came before it, which stand at the same statement.
    body.insert(position, Comment(comment))


def _blocks(statement: ast.stmt) -> list[list[ast.stmt]]:
    blocks = [getattr(statement, name, []) for name in ("body", "orelse", "finalbody")]
    handlers = [handler.body for handler in getattr(statement, "handlers", [])]
    return [block for block in (blocks[0], *handlers, *blocks[1:]) if block]
