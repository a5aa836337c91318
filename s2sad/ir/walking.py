"""Walks over programs: what statements read and write, the blocks in them, and copies
of them with other operands or blocks.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from s2sad.ir.nodes import (
    COMPOUND,
    Apply,
    Assign,
    Block,
    Const,
    Effect,
    For,
    Global,
    If,
    Operand,
    Pack,
    Restore,
    Return,
    Save,
    Slice,
    Statement,
    Try,
    Var,
    While,
    With,
)


def in_order(names: Iterable[str]) -> list[str]:
    """Names in a fixed order, numbers in them by value.

    >>> in_order({"total.10", "x", "total.9"})
    ['total.9', 'total.10', 'x']
    """

    def key(name: str) -> list[tuple[str, int]]:
        parts = re.split(r"(\d+)", name)
        numbers = (int(n) for n in (*parts[1::2], "0"))
        return list(zip(parts[::2], numbers, strict=True))

    return sorted(names, key=lambda name: (key(name), name))


def operand_variables(operand: Operand | Apply | None) -> tuple[Var, ...]:
    """The variables an operand reads, in order; one that is read twice stands twice."""
    kind = type(operand)
    if kind is Var:
        return (operand,)  # type: ignore[return-value]
    if kind is Const or operand is None:
        return ()
    if isinstance(operand, Apply):  # folded for emission
        return value_variables(operand)
    if isinstance(operand, Pack):
        return tuple(v for item in operand.items for v in operand_variables(item))
    if isinstance(operand, Slice):
        parts = (operand.lower, operand.upper, operand.step)
        return tuple(v for part in parts for v in operand_variables(part))
    return ()


def value_variables(value: Apply | Operand) -> tuple[Var, ...]:
    """The variables that the right-hand side of an assignment reads."""
    if not isinstance(value, Apply):
        return operand_variables(value)
    try:
        return value.known_reads
    except AttributeError:
        arguments = (*value.args, *(v for _, v in value.keywords))
        found = tuple(v for a in arguments for v in operand_variables(a))
        object.__setattr__(value, "known_reads", found)
        return found


def operations(statement: Statement) -> Iterator[Apply]:
    """All operations of a statement, those folded into others included, blocks left
    out."""
    pending: list[Any] = [
        getattr(statement, name)
        for name in ("value", "test", "start", "stop", "step")
        if hasattr(statement, name)
    ]
    while pending:
        match pending.pop():
            case Apply() as operation:
                yield operation
                pending += [*operation.args, *(v for _, v in operation.keywords)]
            case Pack(items=items):
                pending += items
            case Slice(lower=lower, upper=upper, step=step):
                pending += [lower, upper, step]


def direct_reads(statement: Statement) -> tuple[Var, ...]:
    """The variables a statement itself reads, those in its blocks left out."""
    try:
        return statement.known_reads
    except AttributeError:
        found = tuple(_direct_reads(statement))
        object.__setattr__(statement, "known_reads", found)
        return found


def _direct_reads(statement: Statement) -> Iterator[Var]:
    match statement:
        case Assign(value=value) | Effect(value=value) | Return(value=value):
            yield from value_variables(value)
        case With(value=value):
            yield from value_variables(value)
        case Try(handlers=handlers):
            for handler in handlers:
                yield from operand_variables(handler.types)
        case If(test=test):
            yield from operand_variables(test)
        case While(test=test, until=until):
            yield from operand_variables(test)
            yield from operand_variables(until)
        case For():
            for part in (statement.start, statement.stop, statement.step):
                yield from operand_variables(part)
            yield from operand_variables(statement.until)
        case Save():
            yield from operand_variables(statement.value)
            yield statement.stack
        case Restore():
            yield statement.stack


def direct_writes(statement: Statement) -> tuple[Var, ...]:
    """The variables a statement itself assigns, those in its blocks left out."""
    try:
        return statement.known_writes
    except AttributeError:
        found = _direct_writes(statement)
        object.__setattr__(statement, "known_writes", found)
        return found


def names_read(statement: Statement) -> frozenset[str]:
    """The names of the variables that a statement itself reads."""
    try:
        return statement.known_names_read
    except AttributeError:
        found = frozenset([v.name for v in direct_reads(statement)])
        object.__setattr__(statement, "known_names_read", found)
        return found


def names_written(statement: Statement) -> frozenset[str]:
    """The names of the variables that a statement itself assigns."""
    try:
        return statement.known_names_written
    except AttributeError:
        found = frozenset([v.name for v in direct_writes(statement)])
        object.__setattr__(statement, "known_names_written", found)
        return found


def names_read_within(statement: Statement) -> set[str]:
    """The names of the variables that a statement or those inside it read."""
    return {name for s in walk((statement,)) for name in names_read(s)}


def names_written_within(statement: Statement) -> set[str]:
    """The names of the variables that a statement or those inside it assign."""
    return {name for s in walk((statement,)) for name in names_written(s)}


def _direct_writes(statement: Statement) -> tuple[Var, ...]:
    match statement:
        case Assign(target=target):
            return operand_variables(target)
        case For(target=target) | Restore(target=target):
            return (target,)
        case Save(stack=stack):
            return (stack,)
    return ()


def blocks_of(statement: Statement) -> tuple[Block, ...]:
    """The blocks of a compound statement, in order of execution."""
    if type(statement) not in COMPOUND:
        return ()
    match statement:
        case If():
            return statement.body, statement.orelse
        case For():
            return (statement.body,)
        case While():
            return statement.condition, statement.body
        case Try(body=body, handlers=handlers, orelse=orelse, final=final):
            return (body, *(h.body for h in handlers), orelse, final)
        case With():
            return (statement.body,)
    return ()


Node = TypeVar("Node", bound=Any)


def altered(node: Node, **parts: Any) -> Node:
    """A node with other parts; the node itself where they are the very parts that it
    has, so that what is known of it stays known."""
    if all(getattr(node, name) is part for name, part in parts.items()):
        return node
    changed: Node = replace(node, **parts)
    return changed


def as_block(statements: Sequence[Statement], block: Block) -> Block:
    """Statements as a block; the one that they come from where they are the same."""
    same = len(statements) == len(block) and all(map(operator.is_, statements, block))
    return block if same else tuple(statements)


def rebuilt(statement: Statement, blocks: Sequence[Block]) -> Statement:
    """A compound statement with other blocks, in the order of ``blocks_of``."""
    if all(map(operator.is_, blocks, blocks_of(statement))):
        return statement
    match statement:
        case If():
            return replace(statement, body=blocks[0], orelse=blocks[1])
        case For() | With():
            return replace(statement, body=blocks[0])
        case While():
            return replace(statement, condition=blocks[0], body=blocks[1])
        case Try():
            body, *inner, orelse, final = blocks
            handlers = tuple(
                replace(h, body=b)
                for h, b in zip(statement.handlers, inner, strict=True)
            )
            return replace(
                statement, body=body, handlers=handlers, orelse=orelse, final=final
            )
    return statement


def with_blocks(statement: Statement, change: Callable[[Block], Block]) -> Statement:
    """A compound statement with each of its blocks changed; others as they are."""
    if type(statement) not in COMPOUND:
        return statement
    return rebuilt(statement, [change(block) for block in blocks_of(statement)])


def with_leaves(block: Block, change: Callable[[Statement], Block]) -> Block:
    """A block in which each statement without blocks is replaced by the lines that
    ``change`` gives for it."""
    result: list[Statement] = []
    for statement in block:
        if isinstance(statement, COMPOUND):
            inner = with_blocks(statement, lambda b: with_leaves(b, change))
            result.append(inner)
        else:
            result += change(statement)
    return as_block(result, block)


def may_raise(statement: Statement) -> bool:
    """False for statements that surely don't raise: copies, and what is kept."""
    match statement:
        case Assign(target=Var(), value=value):
            return isinstance(value, Apply | Global)
        case Save() | Restore():
            return False
        case If(test=Var()):
            return False
    return True


def walk(block: Block) -> Iterator[Statement]:
    """All statements of a block and the blocks below, in order of text."""
    for statement in block:
        yield statement
        if type(statement) in COMPOUND:
            yield from _inside(statement)


Path = tuple[tuple[Statement, int], ...]
"""The compound statements around a statement, each with which of its blocks it is."""


def with_paths(block: Block, path: Path = ()) -> Iterator[tuple[Statement, Path]]:
    """All statements of a block and the blocks below, each with its path."""
    for statement in block:
        yield statement, path
        for k, inner in enumerate(blocks_of(statement)):
            yield from with_paths(inner, (*path, (statement, k)))


def _inside(statement: Statement) -> tuple[Statement, ...]:
    """All statements in the blocks of a compound statement."""
    try:
        return statement.known_inside
    except AttributeError:
        found = tuple(s for block in blocks_of(statement) for s in walk(block))
        object.__setattr__(statement, "known_inside", found)
        return found


def map_operand(operand: Any, rename: Callable[[Var], Operand]) -> Any:
    """The operand with each variable replaced; itself where nothing is."""
    kind = type(operand)
    if kind is Var:
        return rename(operand)
    if kind is Apply:
        return map_value(operand, rename)
    if kind is Pack:
        return altered(operand, items=_mapped(operand.items, rename))
    if kind is Slice:
        return altered(
            operand,
            lower=map_operand(operand.lower, rename),
            upper=map_operand(operand.upper, rename),
            step=map_operand(operand.step, rename),
        )
    return operand


def _mapped(
    operands: tuple[Operand, ...], rename: Callable[[Var], Operand]
) -> tuple[Operand, ...]:
    mapped = tuple([map_operand(o, rename) for o in operands])
    return operands if all(map(operator.is_, mapped, operands)) else mapped


def map_value(value: Apply | Operand, rename: Callable[[Var], Operand]) -> Any:
    """The right-hand side with each variable it reads replaced; itself where nothing
    is."""
    if not isinstance(value, Apply):
        return map_operand(value, rename)
    args, keywords = _mapped(value.args, rename), value.keywords
    if keywords:
        words = _mapped(tuple(v for _, v in keywords), rename)
        if any(new is not old for new, (_, old) in zip(words, keywords, strict=True)):
            names = (name for name, _ in keywords)
            keywords = tuple(zip(names, words, strict=True))
    if args is value.args and keywords is value.keywords:
        return value
    return Apply(value.function, args, keywords, value.spelling)
