"""Questions about programs that several passes ask."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import numpy as np

from s2sad import ir
from s2sad.analysis.memory.memory import Memory
from s2sad.analysis.memory.points_to import points_to
from s2sad.codegen.python.folding import WRITES_BUFFER

WRITTEN_DTYPES: dict[str, Any] = {
    "bool": np.bool_,
    "int64": np.int64,
    "complex128": np.complex128,
}
"""The dtypes that a new array has to be told."""


Programs = dict[ir.Procedure, ir.Function]
"""The programs of procedures."""


class Facts:
    """What is known of the variables of one program."""

    def __init__(self, function: ir.Function) -> None:
        self.function = function
        self.kinds: dict[str, ir.Kind] = dict(function.kinds)
        self.reads = ir.uses_in(function.body).reads
        self.writes = Counter(function.parameters) + ir.uses_in(function.body).writes
        for s in ir.walk(function.body):
            if isinstance(s, ir.Assign) and isinstance(s.target, ir.Var):
                if s.kind is not None:
                    self.kinds.setdefault(s.target.name, s.kind)
            if isinstance(s, ir.For):
                self.kinds.setdefault(s.target.name, ir.INT)
        self.made_by: dict[str, ir.Apply] = {
            s.target.name: s.value
            for s in ir.walk(function.body)
            if ir.is_line(s) and self.writes[s.target.name] == 1
        }
        """The operation that gives each variable that is assigned once."""
        bound = self._times_bound()
        self.copies: dict[str, str] = {
            s.target.name: s.value.name
            for s in ir.walk(function.body)
            if isinstance(s, ir.Assign)
            and isinstance(s.target, ir.Var)
            and isinstance(s.value, ir.Var)
            and bound[s.target.name] == bound[s.value.name] == 1
        }
        """Variables that are other names of others, for good."""
        self._sharing: dict[str, set[str]] = {}
        self._memory: Memory | None = None
        self._fresh = count(1)
        self.added: dict[str, ir.Kind] = {}
        """Variables that a pass made."""

    def _times_bound(self) -> Counter[str]:
        """How many lines, or the call, give each variable a value; lines that write
        into its array aren't among them."""
        bound = Counter(self.function.parameters)
        for s in ir.walk(self.function.body):
            into = s.value if ir.applies(s, *WRITES_BUFFER) else None
            for v in ir.direct_writes(s):
                bound[v.name] += into is None or into.args[0] != v
        return bound

    def fresh(self, stem: str, kind: ir.Kind) -> ir.Var:
        """A new variable; ``stem`` is the name it would like to have."""
        while True:
            name = f"{stem}.{next(self._fresh)}"
            if name not in self.kinds and name not in self.writes:
                break
        self.kinds[name] = self.added[name] = kind
        return ir.Var(name)

    def program(
        self, body: ir.Block, kinds: Mapping[str, ir.Kind] | None = None
    ) -> ir.Function:
        """The program with another body, kinds that a pass changed, and what it
        made."""
        return replace(
            self.function,
            body=body,
            kinds={**self.function.kinds, **(kinds or {}), **self.added},
            temporaries=self.function.temporaries | frozenset(self.added),
        )

    def kind(self, operand: ir.Operand | ir.Apply | None) -> ir.Kind | None:
        """The kind of an operand; None where it isn't known. What NumPy gives as an
        array without axes is a number to Numba."""
        if isinstance(operand, ir.Var):
            kind = self.kinds.get(operand.name)
            if isinstance(kind, ir.Array) and kind.axes == ():
                return ir.NumPyScalar(kind.dtype)
            return kind
        if isinstance(operand, ir.Const):
            value = operand.value
            if type(value) in (bool, int, float, complex):
                return ir.Scalar(type(value).__name__, value)
        return None

    def is_number(self, operand: ir.Operand | ir.Apply | None) -> bool:
        """True for one number."""
        return isinstance(self.kind(operand), ir.Scalar | ir.NumPyScalar)

    def sharing(self, name: str) -> set[str]:
        """The variables that a write into this one's buffer may change too."""
        if self._memory is None:
            self._memory = points_to(self.function).anywhere
        if name not in self._sharing:
            memory = self._memory
            names = {*self.function.parameters, *self.writes}
            own = memory.of(name)
            self._sharing[name] = {n for n in names if own & memory.of(n)}
        return self._sharing[name]

    def changed_by(self, statement: ir.Statement) -> set[str]:
        """The variables whose value a statement may change, with its blocks."""
        found: set[str] = set()
        for s in ir.walk((statement,)):
            names = ir.names_written(s)
            found |= names
            if not ir.applies(s, *WRITES_BUFFER):
                value = getattr(s, "value", None)
                names = frozenset(v.name for v in ir.changed_arguments(value))
            found |= {n for name in names for n in {name, *self.sharing(name)}}
        return found


class Lines(list[ir.Statement]):
    """Statements that take the place of one, or stand in front of it."""

    def __init__(self, like: ir.Assign) -> None:
        super().__init__()
        self.like = like


@dataclass(frozen=True)
class CallOfProcedure:
    """A statement that is a call of a procedure, or assigns what one gives."""

    statement: ir.Assign | ir.Effect
    value: ir.Apply
    procedure: ir.Procedure

    @property
    def place(self) -> int:
        """Behind how many arguments the arrays come that it adds to."""
        return len(self.value.args) - self.procedure.handed

    def given(self, args: Iterable[Any]) -> ir.Statement:
        """The statement with other arguments."""
        return replace(self.statement, value=replace(self.value, args=tuple(args)))

    def given_more(self, more: Iterable[Any]) -> ir.Statement:
        """The statement with more arguments, in front of those arrays."""
        args, place = self.value.args, self.place
        return self.given((*args[:place], *more, *args[place:]))


def call_of_procedure(s: ir.Statement) -> CallOfProcedure | None:
    """A statement as the call of a procedure that it is; None for others."""
    if isinstance(s, ir.Assign | ir.Effect) and isinstance(s.value, ir.Apply):
        if isinstance(s.value.function, ir.Procedure):
            return CallOfProcedure(s, s.value, s.value.function)
    return None


def is_array(kind: ir.Kind | None) -> bool:
    """True for an array of known rank and dtype, with at least one axis."""
    return (
        isinstance(kind, ir.Array)
        and not kind.promoted
        and bool(kind.axes)
        and kind.dtype is not None
    )


def is_float_array(kind: ir.Kind | None) -> bool:
    """True for such an array of float64."""
    return is_array(kind) and ir.dtype_of(kind) == "float64"  # type: ignore[arg-type]
