"""The statements and operands of the intermediate representation.

A program is a tree of typed statements in administrative normal form: every operation
has a name for its result and plain operands. There are no nested expressions, no jumps
and no rebinding with another kind. Forward and reverse programs are written in the same
nodes, so transforms compose.

Nodes are immutable; analyses keep what they find in tables of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from s2sad.ir.kinds import Kind


@dataclass(frozen=True, slots=True)
class Span:
    """Where in the user's text a statement comes from."""

    filename: str
    line: int
    """First line, counted from 1."""
    column: int
    """First column, counted from 0."""
    end_line: int
    end_column: int
    statement: str = ""
    """The source statement in one line, as quoted in comments of the output."""


# ------------------------------------------------------------------ operands


@dataclass(frozen=True, slots=True)
class Var:
    """A variable of the program. Its kind stands in the function's table."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Const:
    """A literal (number, string, None, Ellipsis) or an object that has a name in the
    output (a dtype, a function). Compared by type and value, so that 1, 1.0 and True
    differ."""

    value: Any = field(hash=False)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Const):
            return NotImplemented
        if self.value is other.value:
            return True
        return (
            type(self.value) is type(other.value)
            and isinstance(self.value, int | float | str | bytes | complex)
            and repr(self.value) == repr(other.value)
        )

    def __hash__(self) -> int:
        return hash(type(self.value))

    def __str__(self) -> str:
        return getattr(self.value, "__name__", None) or repr(self.value)


@dataclass(frozen=True, slots=True)
class Global:
    """Data of the user's module or closure, read each time the program runs."""

    name: str
    """The name or dotted path as the output spells it."""
    module: str
    """The module whose namespace holds it; ``"<closure>"`` for a captured variable."""

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Pack:
    """A tuple, list, dict, NamedTuple or dataclass built from operands."""

    constructor: type
    keys: tuple[Hashable, ...]
    items: tuple[Operand, ...]

    def __str__(self) -> str:
        inner = ", ".join(map(str, self.items))
        name = getattr(self.constructor, "__name__", self.constructor)
        return f"{name}({inner})"


@dataclass(frozen=True, slots=True)
class Slice:
    """``lower:upper:step`` inside an index; None where left out."""

    lower: Operand | None
    upper: Operand | None
    step: Operand | None

    def __str__(self) -> str:
        parts = ["" if p is None else str(p) for p in (self.lower, self.upper)]
        return ":".join(parts) + ("" if self.step is None else f":{self.step}")


Operand = Var | Const | Global | Pack | Slice


def pack_tuple(*items: Operand) -> Pack:
    """A tuple operand."""
    return Pack(tuple, tuple(range(len(items))), items)


@dataclass(frozen=True, slots=True)
class Apply:
    """One operation: a function applied to operands."""

    function: Callable[..., Any]
    """The function itself (``np.sum``, ``operator.add``), which is also the key of its
    rule."""
    args: tuple[Operand, ...]
    keywords: tuple[tuple[str, Operand], ...] = ()
    spelling: str = ""
    """``"method:sum"`` or ``"attribute:T"`` where the user wrote it so; "" for a plain
    call."""

    def __str__(self) -> str:
        words = [str(a) for a in self.args] + [f"{k}={v}" for k, v in self.keywords]
        return f"{function_name(self.function)}({', '.join(words)})"


def function_name(function: Callable[..., Any]) -> str:
    """A short readable name, for the printed IR."""
    return getattr(function, "__name__", None) or type(function).__name__


# ---------------------------------------------------------------- statements


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """Base class. Statements are compared by identity: analyses use them as keys."""

    span: Span | None


@dataclass(frozen=True, slots=True, eq=False)
class Assign(Statement):
    """``target = value``. A Pack of variables as target unpacks a tuple."""

    target: Var | Pack
    value: Apply | Operand
    kind: Kind | None = None
    """The kind of the value at this place, often sharper than that of the variable."""
    derived: bool = False
    """True for lines that a rule wrote: algebra may simplify them."""


@dataclass(frozen=True, slots=True, eq=False)
class If(Statement):
    """``if test: body else: orelse``."""

    test: Operand
    body: Block
    orelse: Block


@dataclass(frozen=True, slots=True, eq=False)
class For(Statement):
    """``for target in range(start, stop, step)``; ``backwards`` runs the same numbers
    last first."""

    target: Var
    start: Operand
    stop: Operand
    step: Operand
    body: Block
    backwards: bool = False
    until: Var | None = None
    """A flag, False before the loop. The loop ends before an iteration in which it is
    true."""


@dataclass(frozen=True, slots=True, eq=False)
class While(Statement):
    """Runs ``condition``, leaves if ``test`` is false, runs ``body``, and again."""

    condition: Block
    test: Operand
    body: Block
    until: Var | None = None
    """A flag, False before the loop. The loop ends before it runs ``condition`` with
    the flag true."""


@dataclass(frozen=True, slots=True, eq=False)
class Handler:
    """``except types: body``. The exception that was caught is an assignment of
    ``caught_exception()``, the first statement of the body."""

    types: Operand | None
    body: Block
    flag: Var | None = None
    """Tells behind the statement that this handler ran; False before."""


@dataclass(frozen=True, slots=True, eq=False)
class Try(Statement):
    """``try: body``, its handlers, ``else: orelse``, ``finally: final``."""

    body: Block
    handlers: tuple[Handler, ...]
    orelse: Block
    final: Block


@dataclass(frozen=True, slots=True, eq=False)
class With(Statement):
    """``with value: body``. What the manager gives is an assignment of
    ``entered_value()``, the first statement of the body."""

    value: Apply | Operand
    body: Block
    reentered: bool = False
    """True for a manager that the reverse of the body is run under too."""
    swallows: bool = False
    """True for a manager that may hide an exception, so that control goes on behind the
    statement."""


@dataclass(frozen=True, slots=True, eq=False)
class Return(Statement):
    """The last statement of a function."""

    value: Operand


@dataclass(frozen=True, slots=True, eq=False)
class Effect(Statement):
    """A call made for its effect (``print``, a failed ``assert``): kept, never
    differentiated."""

    value: Apply


@dataclass(frozen=True, slots=True, eq=False)
class Save(Statement):
    """Keeps a value for the reverse sweep: pushes it on the stack variable."""

    stack: Var
    value: Operand


@dataclass(frozen=True, slots=True, eq=False)
class Restore(Statement):
    """Takes back the value kept last."""

    target: Var
    stack: Var


Block = tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Function:
    """A program: parameters, body (ending in Return) and the kind of each variable."""

    name: str
    parameters: tuple[str, ...]
    body: Block
    kinds: Mapping[str, Kind]
    temporaries: frozenset[str] = frozenset()
    """Variables that the user did not name; the emitter may fold them away or rename
    them."""
    docstring: str = ""


# ------------------------------------------------------------------ walking


def operand_variables(operand: Operand | None) -> Iterator[Var]:
    """The variables an operand reads."""
    if isinstance(operand, Var):
        yield operand
    elif isinstance(operand, Pack):
        for item in operand.items:
            yield from operand_variables(item)
    elif isinstance(operand, Slice):
        for part in (operand.lower, operand.upper, operand.step):
            yield from operand_variables(part)
    elif isinstance(operand, Apply):  # folded for emission
        yield from value_variables(operand)


def value_variables(value: Apply | Operand) -> Iterator[Var]:
    """The variables that the right-hand side of an assignment reads."""
    if isinstance(value, Apply):
        for argument in value.args:
            yield from operand_variables(argument)
        for _, argument in value.keywords:
            yield from operand_variables(argument)
    else:
        yield from operand_variables(value)


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


def direct_reads(statement: Statement) -> Iterator[Var]:
    """The variables a statement itself reads, those in its blocks left out."""
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


def direct_writes(statement: Statement) -> Iterator[Var]:
    """The variables a statement itself assigns, those in its blocks left out."""
    match statement:
        case Assign(target=target):
            yield from operand_variables(target)
        case For(target=target) | Restore(target=target):
            yield target
        case Save(stack=stack):
            yield stack


def blocks_of(statement: Statement) -> tuple[Block, ...]:
    """The blocks of a compound statement, in order of execution."""
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


def rebuilt(statement: Statement, blocks: Sequence[Block]) -> Statement:
    """A compound statement with other blocks, in the order of ``blocks_of``."""
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
    return tuple(result)


COMPOUND = (If, For, While, Try, With)
"""The statements that hold blocks."""


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


def caught_exception() -> Any:
    """Stands for the exception that a handler caught."""
    raise NotImplementedError


def entered_value() -> Any:
    """Stands for what a context manager gave when it was entered."""
    raise NotImplementedError


def walk(block: Block) -> Iterator[Statement]:
    """All statements of a block and the blocks below, in order of text."""
    for statement in block:
        yield statement
        for inner in blocks_of(statement):
            yield from walk(inner)


def map_operand(operand: Any, rename: Callable[[Var], Operand]) -> Any:
    """The operand with each variable replaced."""
    match operand:
        case Var():
            return rename(operand)
        case Pack():
            return replace(
                operand, items=tuple(map_operand(i, rename) for i in operand.items)
            )
        case Slice():
            return Slice(
                map_operand(operand.lower, rename),
                map_operand(operand.upper, rename),
                map_operand(operand.step, rename),
            )
        case Apply():
            return map_value(operand, rename)
    return operand


def map_value(value: Apply | Operand, rename: Callable[[Var], Operand]) -> Any:
    """The right-hand side with each variable it reads replaced."""
    if isinstance(value, Apply):
        return replace(
            value,
            args=tuple(map_operand(a, rename) for a in value.args),
            keywords=tuple((k, map_operand(v, rename)) for k, v in value.keywords),
        )
    return map_operand(value, rename)
