"""Walks over programs: what statements read and write, the blocks in them, and copies
of them with other operands or blocks.
"""

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
    Global,
    If,
    Operand,
    Pack,
    Restore,
    Save,
    Slice,
    Statement,
    Try,
    Var,
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


def parts_read(statement: Statement) -> list[Any]:
    """What a statement itself reads, part by part; None for what it doesn't have."""
    if isinstance(statement, Try):
        return [handler.types for handler in statement.handlers]
    return [getattr(statement, part) for part in statement.reads]


def all_operands(statement: Statement) -> Iterator[Any]:
    """All operands and operations of a statement, those in others included, blocks left
    out."""
    pending = parts_read(statement)
    while pending:
        operand = pending.pop()
        yield operand
        match operand:
            case Apply():
                pending += [*operand.args, *(v for _, v in operand.keywords)]
            case Pack(items=items):
                pending += items
            case Slice(lower=lower, upper=upper, step=step):
                pending += [lower, upper, step]


def operations(statement: Statement) -> tuple[Apply, ...]:
    """All operations of a statement, those folded into others included, blocks left
    out."""
    try:
        return statement.known_operations
    except AttributeError:
        found = tuple([o for o in all_operands(statement) if isinstance(o, Apply)])
        object.__setattr__(statement, "known_operations", found)
        return found


def direct_reads(statement: Statement) -> tuple[Var, ...]:
    """The variables a statement itself reads, those in its blocks left out."""
    try:
        return statement.known_reads
    except AttributeError:
        parts = parts_read(statement)
        found = tuple([v for part in parts for v in operand_variables(part)])
        object.__setattr__(statement, "known_reads", found)
        return found


def direct_writes(statement: Statement) -> tuple[Var, ...]:
    """The variables a statement itself assigns, those in its blocks left out."""
    try:
        return statement.known_writes
    except AttributeError:
        parts = [getattr(statement, part) for part in statement.writes]
        found = tuple([v for part in parts for v in operand_variables(part)])
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


def value_flow(statement: Statement) -> tuple[frozenset[str], frozenset[str]]:
    """The names of the variables from which a statement without blocks has its value,
    and of those that have it behind the statement, a stack on which it is kept among
    them."""
    if statement.holds:
        return frozenset(), frozenset()
    read, written = names_read(statement), names_written(statement)
    return (read - written if isinstance(statement, Save) else read), written


def names_read_in(*blocks: Iterable[Statement]) -> frozenset[str]:
    """The names of the variables that statements and those inside them read."""
    return frozenset([n for b in blocks for s in walk(b) for n in names_read(s)])


def names_written_in(*blocks: Iterable[Statement]) -> frozenset[str]:
    """The names of the variables that statements and those inside them assign."""
    return frozenset([n for b in blocks for s in walk(b) for n in names_written(s)])


def names_read_within(statement: Statement) -> frozenset[str]:
    """The names of the variables that a statement or those inside it read."""
    if type(statement) not in COMPOUND:
        return names_read(statement)
    return names_read_in((statement,))


def names_written_within(statement: Statement) -> frozenset[str]:
    """The names of the variables that a statement or those inside it assign."""
    if type(statement) not in COMPOUND:
        return names_written(statement)
    return names_written_in((statement,))


def blocks_of(statement: Statement) -> tuple[Block, ...]:
    """The blocks of a compound statement, in order of execution."""
    if isinstance(statement, Try):
        inner = [handler.body for handler in statement.handlers]
        return (statement.body, *inner, statement.orelse, statement.final)
    return tuple([getattr(statement, part) for part in statement.holds])


Node = TypeVar("Node", bound=Any)


def altered(node: Node, **parts: Any) -> Node:
    """A node with other parts; the node itself where they are the very parts that it
    has, so that what is known of it stays known."""
    if all(getattr(node, name) is part for name, part in parts.items()):
        return node
    names = node.__match_args__
    return type(node)(*[parts[n] if n in parts else getattr(node, n) for n in names])


def as_block(statements: Sequence[Statement], block: Block) -> Block:
    """Statements as a block; the one that they come from where they are the same."""
    same = len(statements) == len(block) and all(map(operator.is_, statements, block))
    return block if same else tuple(statements)


def rebuilt(statement: Statement, blocks: Sequence[Block]) -> Statement:
    """A compound statement with other blocks, in the order of ``blocks_of``."""
    if not isinstance(statement, Try):
        return altered(statement, **dict(zip(statement.holds, blocks, strict=True)))
    if all(map(operator.is_, blocks, blocks_of(statement))):
        return statement
    body, *inner, orelse, final = blocks
    pairs = zip(statement.handlers, inner, strict=True)
    handlers = tuple(altered(h, body=block) for h, block in pairs)
    return replace(statement, body=body, handlers=handlers, orelse=orelse, final=final)


def with_blocks(statement: Statement, change: Callable[[Block], Block]) -> Statement:
    """A compound statement with each of its blocks changed; others as they are."""
    if type(statement) not in COMPOUND:
        return statement
    return rebuilt(statement, [change(block) for block in blocks_of(statement)])


def rewritten(
    block: Block, change: Callable[[Statement], Iterable[Statement]]
) -> Block:
    """A block in which each statement is replaced by the lines that ``change`` gives
    for it, once those in its own blocks have been."""
    lines: list[Statement] = []
    for s in block:
        if type(s) in COMPOUND:
            s = with_blocks(s, lambda inner: rewritten(inner, change))
        lines += change(s)
    return as_block(lines, block)


def copied(block: Block) -> Block:
    """Other statements that do the same: they are told apart by identity."""
    return tuple(replace(with_blocks(s, copied)) for s in block)


def with_leaves(block: Block, change: Callable[[Statement], Block]) -> Block:
    """A block in which each statement without blocks is replaced by the lines that
    ``change`` gives for it."""
    return rewritten(block, lambda s: (s,) if type(s) in COMPOUND else change(s))


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


def walk(block: Iterable[Statement]) -> Iterator[Statement]:
    """All statements of a block and the blocks below, in order of text."""
    for statement in block:
        yield statement
        if type(statement) in COMPOUND:
            yield from _inside(statement)


def all_blocks(block: Block) -> Iterator[Block]:
    """A block and all blocks below it."""
    yield block
    for statement in walk(block):
        yield from blocks_of(statement)


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


Renaming = Callable[[Var], Operand]


def map_operand(operand: Any, rename: Renaming, leaf: type = Var) -> Any:
    """The operand with each variable replaced; itself where nothing is. ``leaf``: what
    is replaced in place of variables."""
    kind = type(operand)
    if kind is leaf:
        return rename(operand)
    if kind is Apply:
        return map_value(operand, rename, leaf)
    if kind is Pack:
        return altered(operand, items=_mapped(operand.items, rename, leaf))
    if kind is Slice:
        return altered(
            operand,
            lower=map_operand(operand.lower, rename, leaf),
            upper=map_operand(operand.upper, rename, leaf),
            step=map_operand(operand.step, rename, leaf),
        )
    return operand


def _mapped(
    operands: tuple[Operand, ...], rename: Renaming, leaf: type
) -> tuple[Operand, ...]:
    mapped = tuple([map_operand(o, rename, leaf) for o in operands])
    return operands if all(map(operator.is_, mapped, operands)) else mapped


def map_value(value: Apply | Operand, rename: Renaming, leaf: type = Var) -> Any:
    """The right-hand side with each variable it reads replaced; itself where nothing
    is."""
    if not isinstance(value, Apply):
        return map_operand(value, rename, leaf)
    args, keywords = _mapped(value.args, rename, leaf), value.keywords
    if keywords:
        words = _mapped(tuple(v for _, v in keywords), rename, leaf)
        if any(new is not old for new, (_, old) in zip(words, keywords, strict=True)):
            names = (name for name, _ in keywords)
            keywords = tuple(zip(names, words, strict=True))
    if args is value.args and keywords is value.keywords:
        return value
    return Apply(value.function, args, keywords, value.spelling)


def _with_variables(
    node: Any, read: Renaming, write: Renaming | None, leaf: type
) -> dict[str, Any]:
    parts = {part: map_value(getattr(node, part), read, leaf) for part in node.reads}
    for part in node.writes:
        if write is not None and part not in parts:  # a stack is read, too
            parts[part] = map_operand(getattr(node, part), write, leaf)
    if isinstance(node, Try):
        handlers = [
            altered(h, **_with_variables(h, read, write, leaf)) for h in node.handlers
        ]
        same = all(map(operator.is_, handlers, node.handlers))
        parts["handlers"] = node.handlers if same else tuple(handlers)
    return parts


def with_variables(
    statement: Node, read: Renaming, write: Renaming | None = None
) -> Node:
    """The statement with each variable that it reads itself replaced, and by ``write``
    each that it assigns; its blocks stay. A stack is replaced as what is read."""
    return altered(statement, **_with_variables(statement, read, write, Var))


def renamed(
    block: Block, read: Renaming, write: Renaming | None = None, leaf: type = Var
) -> Block:
    """A copy of a block in which the variables are replaced, those in the blocks of its
    statements too; ``leaf`` as in ``map_operand``."""

    def inside(statement: Statement) -> Statement:
        s = with_blocks(statement, lambda block: tuple(map(inside, block)))
        return replace(s, **_with_variables(s, read, write, leaf))

    return tuple(map(inside, block))
