"""Which handler follows a class of statements or expressions: they register here. What
none follows is not in the language yet; here is how that is said."""

import ast
from collections.abc import Callable
from typing import Any, TypeVar

from s2sad.frontend.specialise.core.exceptions import Unsupported
from s2sad.frontend.specialise.core.values import Value

Result = TypeVar("Result")
StatementHandler = Callable[[Any, Any], None]
ExpressionHandler = Callable[[Any, Any], Value]
STATEMENTS: dict[type, StatementHandler] = {}
EXPRESSIONS: dict[type, ExpressionHandler] = {}
_OUTSIDE = "compute it outside of the differentiated function and pass it in"
_SYNTAX = {
    "Await": ("await", _OUTSIDE),
    "Starred": ("a starred expression here", "name the items"),
    "AsyncFunctionDef": ("an async function", "define a plain function"),
    "ClassDef": ("a class inside a function", "define the class at module level"),
    "AsyncFor": ("async for", "use a plain loop"),
    "AsyncWith": ("async with", _OUTSIDE),
    "TryStar": ("try with except*", "test for the condition with `if`"),
    "TypeAlias": ("a type alias inside a function", "define it at module level"),
    "TemplateStr": ("a template string", "use an f-string"),
    "Interpolation": ("a template string", "use an f-string"),
}
"""What is said of a construct, and what to write instead."""


def statement(kind: type) -> Callable[[StatementHandler], StatementHandler]:
    """Register the handler of a class of statements."""

    def decorate(handler: StatementHandler) -> StatementHandler:
        STATEMENTS[kind] = handler
        return handler

    return decorate


def expression(kind: type) -> Callable[[ExpressionHandler], ExpressionHandler]:
    """Register the handler of a class of expressions."""

    def decorate(handler: ExpressionHandler) -> ExpressionHandler:
        EXPRESSIONS[kind] = handler
        return handler

    return decorate


def unsupported_syntax(node: ast.AST) -> Unsupported:
    """The problem of a construct that isn't in the language yet."""
    name = type(node).__name__
    what, advice = _SYNTAX.get(name, (name, _OUTSIDE))
    return Unsupported(f"{what} can't be differentiated", advice)


def store_refused() -> Unsupported:
    """The problem of a target that isn't a name."""
    return Unsupported(
        "writing into an array or container can't be differentiated",
        "build the result from expressions, for example with np.where or "
        "np.concatenate",
    )


def handled(
    name: str, handler: Callable[..., Result], *args: Any, **words: Any
) -> Result:
    """What the handler of a call of ``name`` gives. Arguments that it doesn't take, or
    can't unpack or compare itself, are refused: the call would raise, too."""
    try:
        return handler(*args, **words)
    except (TypeError, ValueError, IndexError) as error:
        inside = error.__traceback__ and error.__traceback__.tb_next
        if inside is not None and inside.tb_next is not None:
            raise  # it isn't about what the handler was given
        raise Unsupported(f"this call of {name} has no rule: {error}") from None
