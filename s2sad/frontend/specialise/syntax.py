"""Constructs that are not in the language yet: their names, and what to write."""

from __future__ import annotations

import ast

from s2sad.frontend.specialise.context import (
    Unsupported,
)

_SYNTAX_NAMES = {
    "ListComp": "a list comprehension",
    "SetComp": "a set comprehension",
    "DictComp": "a dict comprehension",
    "GeneratorExp": "a generator expression",
    "Lambda": "a lambda",
    "Await": "await",
    "Yield": "yield",
    "YieldFrom": "yield from",
    "NamedExpr": "an assignment expression (:=)",
    "Starred": "a starred expression",
    "Set": "a set",
    "FunctionDef": "a nested function",
    "AsyncFunctionDef": "an async function",
    "ClassDef": "a nested class",
    "AsyncFor": "async for",
    "AsyncWith": "async with",
    "With": "a with block",
    "Try": "try",
    "TryStar": "try with except*",
    "Raise": "raise",
    "Match": "match",
    "Import": "an import inside a function",
    "ImportFrom": "an import inside a function",
    "Global": "global",
    "Nonlocal": "nonlocal",
    "Delete": "del",
    "Break": "break",
    "Continue": "continue",
    "TypeAlias": "a type alias",
    "TemplateStr": "a template string",
}
_SYNTAX_ADVICE = {
    "ListComp": "write a loop, or one NumPy expression over whole arrays",
    "GeneratorExp": "write a loop, or use np.sum over an array",
    "Lambda": "define the function at module level and call it by name",
    "FunctionDef": "define the function at module level",
    "NamedExpr": "assign on a line of its own first",
    "Break": "put the condition into the loop's test, as in `while ... and not done:`",
    "Continue": "put the rest of the loop's body under an `if`",
    "Try": "test for the condition with `if` before the operation",
    "Raise": "use assert",
    "With": "move the with block outside of the differentiated function",
    "Import": "import at the top of the module",
    "ImportFrom": "import at the top of the module",
    "Match": "write if/elif",
    "Delete": "leave the name alone; it ends with the function",
}


def unsupported_syntax(node: ast.AST) -> Unsupported:
    """The problem of a construct that isn't in the language yet."""
    name = type(node).__name__
    return Unsupported(
        node,
        f"{_SYNTAX_NAMES.get(name, name)} can't be differentiated",
        _SYNTAX_ADVICE.get(
            name, "compute it outside of the differentiated function and pass it in"
        ),
    )
