"""The printable form of the IR, for dumps and tests."""

from collections.abc import Iterator

from s2sad.ir.nodes import (
    Assign,
    Block,
    Const,
    Effect,
    For,
    Function,
    If,
    Loop,
    Restore,
    Return,
    Save,
    Statement,
    Try,
    While,
    With,
)
from s2sad.ir.regions import regions_of
from s2sad.ir.walking import parts_read


def function_text(function: Function) -> str:
    """The whole function, kinds of its parameters included."""
    kinds = function.kinds
    parameters = ", ".join(f"{p}: {kinds.get(p, '?')}" for p in function.parameters)
    lines = [f"def {function.name}({parameters}):"]
    lines += block_lines(function.body, 1)
    return "\n".join(lines)


_HEADS = {"orelse": "else:", "final": "finally:"}


def block_lines(block: Block, depth: int = 0) -> Iterator[str]:
    """The lines of a block."""
    pad = "    " * depth
    for statement in block:
        yield pad + statement_text(statement)
        for region in regions_of(statement):
            head = _HEADS.get(region.role) if region.block else None
            if region.role == "handler":
                types = parts_read(statement)[region.place - 1]
                head = "except:" if types is None else f"except {types}:"
            if head is not None:
                yield pad + head
            yield from block_lines(region.block, depth + 1)
            if isinstance(statement, While) and region.role == "condition":
                if statement.test != Const(True):
                    yield f"{pad}    leave unless {statement.test}"


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


def until(loop: Loop) -> str:
    """The flag that ends a loop."""
    return "" if loop.until is None else f" until {loop.until}"
