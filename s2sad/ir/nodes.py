"""The statements and operands of the intermediate representation.

A program is a tree of typed statements in administrative normal form: every operation
has a name for its result and plain operands. There are no nested expressions, no jumps
and no rebinding with another kind. Forward and reverse programs are written in the same
nodes, so transforms compose.

Nodes are immutable; analyses keep what they find in tables of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from s2sad.ir.kinds import Kind
from s2sad.ir.quick_making import quickly_made


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


class Walked:
    """A node that remembers what walks found in it (:mod:`s2sad.ir.walking`): analyses
    ask for it again and again."""

    __slots__ = (
        "known_flow",
        "known_inside",
        "known_names_read",
        "known_names_written",
        "known_operations",
        "known_procedures",
        "known_reads",
        "known_sound",
        "known_writes",
    )
    known_flow: Any
    known_inside: tuple[Statement, ...]
    known_names_read: frozenset[str]
    known_names_written: frozenset[str]
    known_operations: tuple[Apply, ...]
    known_procedures: tuple[Any, ...]
    known_reads: tuple[Var, ...]
    known_sound: bool
    known_writes: tuple[Var, ...]


# ------------------------------------------------------------------ operands


@quickly_made
@dataclass(frozen=True, slots=True)
class Var:
    """A variable of the program. Its kind stands in the function's table."""

    name: str

    def __str__(self) -> str:
        return self.name


@quickly_made
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


class KnownByText:
    """A class that is read as text and never made: it stands where classes do."""


@dataclass(frozen=True, slots=True)
class Global:
    """Data of the user's module or closure, read each time the program runs."""

    name: str
    """The name or dotted path as the output spells it."""
    module: str
    """The module whose namespace holds it; ``"<closure>"`` for a captured variable."""
    dtype: str | None = field(default=None, compare=False)
    """The dtype that it has, or would have as an array, if that is known."""
    kind: Kind | None = field(default=None, compare=False)
    order: str | None = field(default=None, compare=False)
    """Of an array with several axes that is known: "C", "F" or "none", for how what is
    computed from it lies in memory."""

    def __str__(self) -> str:
        return self.name


@quickly_made
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


def packed(operands: Sequence[Operand]) -> Operand:
    """One operand by itself, others as a tuple."""
    return operands[0] if len(operands) == 1 else pack_tuple(*operands)


def tuple_items(operand: Operand) -> tuple[Operand, ...]:
    """The items of a tuple; another operand by itself."""
    whole = isinstance(operand, Pack) and operand.constructor is tuple
    return operand.items if whole else (operand,)  # type: ignore[union-attr]


@quickly_made
@dataclass(frozen=True, slots=True)
class Apply(Walked):
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
class Statement(Walked):
    """Base class. Statements are compared by identity: analyses use them as keys."""

    reads: ClassVar[tuple[str, ...]] = ()
    """The parts in which are the variables that it reads itself, in this order."""
    writes: ClassVar[tuple[str, ...]] = ()
    """The parts in which are those that it assigns itself."""
    holds: ClassVar[tuple[str, ...]] = ()
    """The parts that are blocks, or handlers with theirs, in order of execution."""
    span: Span | None


@quickly_made
@dataclass(frozen=True, slots=True, eq=False)
class Assign(Statement):
    """``target = value``. A Pack of variables as target unpacks a tuple."""

    reads = ("value",)
    writes = ("target",)
    target: Var | Pack
    value: Apply | Operand
    kind: Kind | None = None
    """The kind of the value at this place, often sharper than that of the variable."""
    derived: bool = False
    """True for lines that a rule wrote: algebra may simplify them."""


@quickly_made
@dataclass(frozen=True, slots=True, eq=False)
class If(Statement):
    """``if test: body else: orelse``."""

    reads = ("test",)
    holds = ("body", "orelse")
    test: Operand
    body: Block
    orelse: Block


@quickly_made
@dataclass(frozen=True, slots=True, eq=False)
class For(Statement):
    """``for target in range(start, stop, step)``; ``backwards`` runs the same numbers
    last first."""

    reads = ("start", "stop", "step", "until")
    writes = ("target",)
    holds = ("body",)
    target: Var
    start: Operand
    stop: Operand
    step: Operand
    body: Block
    backwards: bool = False
    until: Var | None = None
    """A flag, False before the loop. The loop ends before an iteration in which it is
    true."""
    head_kinds: Mapping[str, Kind] | None = None
    """The kinds of what the loop carries where an iteration starts; None once the
    variables have been renamed."""
    parallel: bool = False
    """The user wrote ``numba.prange``: Numba may run iterations at the same time."""


@dataclass(frozen=True, slots=True, eq=False)
class While(Statement):
    """Runs ``condition``, leaves if ``test`` is false, runs ``body``, and again."""

    reads = ("test", "until")
    holds = ("condition", "body")
    condition: Block
    test: Operand
    body: Block
    until: Var | None = None
    """A flag, False before the loop. The loop ends before it runs ``condition`` with
    the flag true."""
    head_kinds: Mapping[str, Kind] | None = None
    """As of :class:`For`."""


@dataclass(frozen=True, slots=True, eq=False)
class Handler:
    """``except types: body``. The exception that was caught is an assignment of
    ``caught_exception()``, the first statement of the body."""

    reads = ("types",)
    writes = ("flag",)
    types: Operand | None
    body: Block
    flag: Var | None = None
    """Tells behind the statement that this handler ran; False before."""


@dataclass(frozen=True, slots=True, eq=False)
class Try(Statement):
    """``try: body``, its handlers, ``else: orelse``, ``finally: final``."""

    holds = ("body", "handlers", "orelse", "final")
    body: Block
    handlers: tuple[Handler, ...]
    orelse: Block
    final: Block


@dataclass(frozen=True, slots=True, eq=False)
class With(Statement):
    """``with value: body``. What the manager gives is an assignment of
    ``entered_value()``, the first statement of the body."""

    reads = ("value",)
    holds = ("body",)
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

    reads = ("value",)
    value: Operand


@dataclass(frozen=True, slots=True, eq=False)
class Effect(Statement):
    """A call made for its effect (``print``, a failed ``assert``): kept, never
    differentiated."""

    reads = ("value",)
    value: Apply


@dataclass(frozen=True, slots=True, eq=False)
class Save(Statement):
    """Keeps a value for the reverse sweep: pushes it on the stack variable."""

    reads = ("value", "stack")
    writes = ("stack",)
    stack: Var
    value: Operand


@dataclass(frozen=True, slots=True, eq=False)
class Restore(Statement):
    """Takes back the value kept last."""

    reads = ("stack",)
    writes = ("target",)
    target: Var
    stack: Var


Block = tuple[Statement, ...]

COMPOUND = (If, For, While, Try, With)
"""The statements that hold blocks."""

Loop = For | While


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

    @property
    def final(self) -> Return:
        """The line that returns."""
        last = self.body[-1]
        assert isinstance(last, Return)
        return last

    def returning(self, value: Operand) -> Function:
        """The program with another result."""
        return replace(self, body=(*self.body[:-1], replace(self.final, value=value)))


def caught_exception() -> Any:
    """Stands for the exception that a handler caught."""
    raise NotImplementedError


def entered_value() -> Any:
    """Stands for what a context manager gave when it was entered."""
    raise NotImplementedError
