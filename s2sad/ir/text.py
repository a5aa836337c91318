"""The printable form of the IR, for dumps and tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from s2sad.ir.kinds import Kind
from s2sad.ir.nodes import (
    Assign,
    Block,
    Const,
    Effect,
    For,
    Function,
    If,
    Restore,
    Return,
    Save,
    Statement,
    Try,
    While,
    With,
)


def function_text(function: Function) -> str:
    """The whole function, kinds of its parameters included."""
    kinds = function.kinds
    parameters = ", ".join(f"{p}: {kinds.get(p, '?')}" for p in function.parameters)
    lines = [f"def {function.name}({parameters}):"]
    lines += block_lines(function.body, 1, kinds)
    return "\n".join(lines)


def block_lines(
    block: Block, depth: int = 0, kinds: Mapping[str, Kind] | None = None
) -> Iterator[str]:
    """The lines of a block."""
    pad = "    " * depth
    for statement in block:
        yield pad + statement_text(statement)
        match statement:
            case If():
                yield from block_lines(statement.body, depth + 1, kinds)
                if statement.orelse:
                    yield pad + "else:"
                    yield from block_lines(statement.orelse, depth + 1, kinds)
            case For():
                yield from block_lines(statement.body, depth + 1, kinds)
            case While():
                yield from block_lines(statement.condition, depth + 1, kinds)
                if statement.test != Const(True):
                    yield f"{pad}    leave unless {statement.test}"
                yield from block_lines(statement.body, depth + 1, kinds)
            case With():
                yield from block_lines(statement.body, depth + 1, kinds)
            case Try():
                yield from block_lines(statement.body, depth + 1, kinds)
                for handler in statement.handlers:
                    yield f"{pad}except {handler.types or ''}:".replace(" :", ":")
                    yield from block_lines(handler.body, depth + 1, kinds)
                for word, block in (
                    ("else", statement.orelse),
                    ("finally", statement.final),
                ):
                    if block:
                        yield f"{pad}{word}:"
                        yield from block_lines(block, depth + 1, kinds)


def statement_text(statement: Statement) -> str:
    """One statement, the blocks of a compound one left out.

    >>> from s2sad.ir.nodes import Const, Var
    >>> print(statement_text(Assign(None, Var("y"), Const(1.0))))
    y = 1.0
    """
    match statement:
        case Assign():
            kind = f"  # {statement.kind}" if statement.kind is not None else ""
            return f"{statement.target} = {statement.value}{kind}"
        case If():
            return f"if {statement.test}:"
        case For():
            span = f"{statement.start}, {statement.stop}, {statement.step}"
            order = "reversed " if statement.backwards else ""
            return f"for {statement.target} in {order}range({span}){until(statement)}:"
        case While():
            return f"while{until(statement)}:"
        case Try():
            return "try:"
        case With():
            return f"with {statement.value}:"
        case Return():
            return f"return {statement.value}"
        case Effect():
            return f"do {statement.value}"
        case Save():
            return f"save {statement.value} on {statement.stack}"
        case Restore():
            return f"restore {statement.target} from {statement.stack}"
    raise TypeError(f"unknown statement {statement!r}")


def until(loop: For | While) -> str:
    """The flag that ends a loop."""
    return "" if loop.until is None else f" until {loop.until}"
