"""Which handler follows a class of statements or expressions: they register here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2sad.frontend.specialise.core.values import Value

StatementHandler = Callable[[Any, Any], None]
ExpressionHandler = Callable[[Any, Any], Value]
STATEMENTS: dict[type, StatementHandler] = {}
EXPRESSIONS: dict[type, ExpressionHandler] = {}


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
