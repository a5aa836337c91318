"""Calls whose result is only added to a buffer, as calls that are handed the buffer;
see :mod:`s2sad.optimise.buffers.destination_passing`."""

import itertools
import operator
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import replace

import numpy as np

from s2sad import ir, ops
from s2sad.analysis.dataflow.through_calls import NO_CALLS
from s2sad.analysis.memory.memory import Memory
from s2sad.analysis.memory.ownership import Ownership
from s2sad.analysis.memory.points_to import points_to
from s2sad.analysis.numbers.whole_numbers import whole_in
from s2sad.analysis.passes.purity import is_pure
from s2sad.optimise.buffers.destinations_in_programs import (
    SUMS,
    ProgramBuffer,
    is_plain_array,
)
from s2sad.rules.steps.shape_queries import axis_length


def called_in(functions: Iterable[ir.Function]) -> set[ir.Procedure]:
    """The procedures that some programs call themselves, or hand to a helper."""
    return {p for f in functions for p in ir.called_procedures(f.body)}


def procedures_of(statement: ir.Statement) -> Iterator[ir.Procedure]:
    """The procedure that a statement calls."""
    value = getattr(statement, "value", None)
    if isinstance(value, ir.Apply) and isinstance(value.function, ir.Procedure):
        yield value.function


class HandedCalls:
    """Calls of a procedure whose result is only added to a buffer, as calls of the one
    that adds."""

    def __init__(
        self,
        procedure: ir.Procedure,
        place: int,
        handed: ir.Procedure,
        results: int,
        ownership: Ownership,
    ) -> None:
        self.procedure, self.place, self.handed = procedure, place, handed
        self.results, self.ownership = results, ownership
        self.found = False
        self.with_zeros = False
        """True where calls are handed zeros."""

    def function(
        self, function: ir.Function, program: ir.Procedure | None = None
    ) -> ir.Function:
        """A function with the calls it has; ``program`` is the procedure whose program
        it is."""
        if self.procedure not in called_in([function]):
            return function
        self.whole, self.kinds = function, function.kinds
        # Nothing else that a program gets shares memory with a buffer it is handed.
        handed = 0 if program is None else program.handed
        self.memory = points_to(
            function, apart=handed > 0, ownership=self.ownership, procedure=program
        )
        self.given = function.parameters[len(function.parameters) - handed :]
        self.uses = ir.Uses(function.body)
        self.names = {*self.uses.writes, *function.parameters}
        return replace(function, body=self._block(function.body))

    def by_itself(self, buffer: ProgramBuffer) -> ir.Function:
        """The program that is handed the buffer, which it hands on to calls of
        itself."""
        self.uses = ir.Uses(buffer.function.body)
        return self.function(buffer.handed(self.call), self.handed)

    def _block(self, block: ir.Block) -> ir.Block:
        lines = [ir.with_blocks(s, self._block) for s in block]
        k = 0
        while k < len(lines):
            change = self._zeros_handed if self.with_zeros else self._handed
            changed = change(lines, k)
            if changed is not None:
                lines = changed
                self.found = True
            k += 1
        return tuple(lines)

    def _handed(self, lines: list[ir.Statement], k: int) -> list[ir.Statement] | None:
        """The lines with the call at ``k`` handed the buffer that its result is added
        to further down."""
        call = lines[k]
        if not isinstance(call, ir.Assign) or self.procedure not in procedures_of(call):
            return None
        targets = _targets(call)
        if len(targets) != self.results:
            return None
        name = targets[self.place].name
        between: list[ir.Statement] = []
        for j in range(k + 1, len(lines)):
            s = lines[j]
            if self.uses.writes[name] != 1 or self.uses.reads[name] != 1:
                return None
            if name not in ir.names_read_within(s):
                between.append(s)
            elif isinstance(s, ir.Assign) and s.value == ir.Var(name):
                if not isinstance(s.target, ir.Var):
                    return None
                name = s.target.name  # the result under another name
            else:
                part = self._part(s, name, _kind(call, self.place, self.kinds))
                if part is None:
                    return None
                assert isinstance(s, ir.Assign)
                ahead = self._ahead(s, part, call, between)
                if ahead is None:
                    return None
                rest = [x for x in between if all(x is not a for a in ahead)]
                handed = self.call(call, part, self.kinds)
                return [*lines[:k], *ahead, handed, *rest, *lines[j + 1 :]]
        return None

    def _zeros_handed(
        self, lines: list[ir.Statement], k: int
    ) -> list[ir.Statement] | None:
        """The lines with the call at ``k`` handed zeros, which are its result then."""
        call = lines[k]
        if not isinstance(call, ir.Assign) or self.procedure not in procedures_of(call):
            return None
        targets = _targets(call)
        if len(targets) != self.results or self.procedure.reverses is None:
            return None
        assert isinstance(call.value, ir.Apply)
        argument = self._argument(call.value.args[0], lines[:k])
        kind = _kind(call, self.place, self.kinds)
        if argument is None or not is_plain_array(kind):
            return None
        value = self._zeros(argument, kind, call.value.args[1])
        if value is None:
            return None
        result = targets[self.place]
        zeros = ir.Assign(call.span, result, value, kind, derived=True)
        rest = lines[k + 1 :]
        if rest and self.uses.reads[result.name] == 1:
            first = rest[0]
            if ir.is_line(first) and first.value == ir.Apply(ops.own_copy, (result,)):
                rest[0] = replace(first, value=result)
        return [*lines[:k], zeros, self.call(call, result, self.kinds), *rest]

    def _zeros(
        self, argument: ir.Var, kind: ir.Array, cotangents: ir.Operand
    ) -> ir.Apply | None:
        """Zeros for the adjoint of an argument; for each cotangent of a batch."""
        own = ir.kind_of(argument, self.kinds)
        alike = is_plain_array(own) and own.dtype == kind.dtype
        if not isinstance(own, ir.List) and not alike:
            return None
        if not self.procedure.is_batched:
            if isinstance(own, ir.List):
                return ir.Apply(ops.zeros_along, (argument,))
            dtype = (
                (ir.Const(np.float64),) if argument.name in self._maybe_whole else ()
            )
            return ir.Apply(np.zeros_like, (argument, *dtype))
        if not is_plain_array(own) or own.axes is None or kind.dtype != "float64":
            return None
        size = self._size_of_batch(kind, cotangents)
        if size is None or not _are_alike(own.axes, (kind.axes or ())[1:]):
            return None
        lengths = (
            ir.Apply(axis_length, (argument, ir.Const(k))) for k in range(len(own.axes))
        )
        whole = ir.pack_tuple(size, *lengths)  # type: ignore[arg-type]
        return ir.Apply(np.zeros, (whole,))

    @property
    def _maybe_whole(self) -> Set[str]:
        """Variables that may hold ints, as what some call returns may."""
        returned = (s for s in ir.walk(self.whole.body) if any(procedures_of(s)))
        names = frozenset(name for s in returned for name in ir.names_written(s))
        return whole_in(self.whole, names, NO_CALLS)

    def _size_of_batch(self, kind: ir.Array, cotangents: ir.Operand) -> ir.Apply | None:
        """How many cotangents there are, as the first that has their axis shows it."""
        for cotangent in ir.operand_variables(cotangents):
            known = ir.kind_of(cotangent, self.kinds)
            axes = known and ir.axes_of(known)
            if axes and kind.axes and axes[0].symbol == kind.axes[0].symbol is not None:
                return ir.Apply(axis_length, (cotangent, ir.Const(0)))
        return None

    def _argument(
        self, residuals: ir.Operand, before: list[ir.Statement]
    ) -> ir.Var | None:
        """The argument whose adjoint the result is, where it is at hand as it was;
        ``before`` are the lines above the call of the reverse program."""
        assert self.procedure.reverses is not None
        forward, places = self.procedure.reverses
        calls = self.uses.definitions.get(str(residuals), [])
        if len(calls) != 1 or not isinstance(calls[0], ir.Assign):
            return None
        if forward not in procedures_of(calls[0]):
            return None
        assert isinstance(calls[0].value, ir.Apply)
        argument = calls[0].value.args[places[self.place]]
        if not isinstance(argument, ir.Var):
            return None
        times = 0 if argument.name in self.whole.parameters else 1
        if self.uses.writes[argument.name] == times:
            return argument
        since = tuple(itertools.dropwhile(lambda s: s is not calls[0], before))
        changed = not since or argument.name in ir.names_written_in(since)
        return None if changed else argument

    def _part(
        self, s: ir.Statement, name: str, kind: ir.Kind | None
    ) -> ir.Operand | None:
        """The part of a buffer that a line adds a result to: a view of the same
        shape."""
        if not isinstance(s, ir.Assign) or not isinstance(s.value, ir.Apply):
            return None
        function, (buffer, *rest) = s.value.function, s.value.args
        own = ir.kind_of(buffer, self.kinds)
        if s.target != buffer or not is_plain_array(own) or not is_plain_array(kind):
            return None
        assert own.axes is not None and kind.axes is not None
        # An axis of length 1 may be spread out by the sum.
        if own.dtype != kind.dtype or any(a.length == "one" for a in kind.axes):
            return None
        if function is operator.iadd:
            fits = rest == [ir.Var(name)] and len(own.axes) == len(kind.axes)
            return buffer if fits else None
        if function not in SUMS or rest[1] != ir.Var(name):
            return None
        if rest[2:] == [ir.Const(True)]:
            return None
        index = rest[0]
        parts = index.items if isinstance(index, ir.Pack) else (index,)
        slices = sum(isinstance(p, ir.Slice) for p in parts)
        numbers = sum(ir.is_whole_number(p, self.kinds) for p in parts)
        if isinstance(index, ir.Pack) and index.constructor is not tuple:
            return None
        if slices + numbers != len(parts):
            return None
        if len(own.axes) - numbers != len(kind.axes):
            return None
        return ir.Apply(operator.getitem, (buffer, index))  # type: ignore[return-value]

    def _ahead(
        self,
        s: ir.Assign,
        part: ir.Operand,
        call: ir.Assign,
        between: list[ir.Statement],
    ) -> list[ir.Statement] | None:
        """The lines between a call and the sum of its result that make the buffer, to
        be put before the call. None where something else is in the way, and where they
        read what the call gives, or adds to."""
        assert isinstance(s.target, ir.Var)
        before = self.memory.before(s)
        if not before.is_own(s.target.name) and s.target.name not in self.given:
            return None
        arguments = {v.name for v in ir.value_variables(call.value)}
        if s.target.name in arguments or before.shared_with(s.target.name, arguments):
            return None
        sharing = self._sharing(before, s.target.name) | {s.target.name}
        needed = {v.name for v in ir.operand_variables(part)}
        results = ir.names_written(call)
        ahead: list[ir.Statement] = []
        made: set[str] = set()
        for line in reversed(between):
            reads, writes = ir.names_read_within(line), ir.names_written_within(line)
            if writes & needed:
                if not _may_go_ahead(line) or reads & (results | sharing):
                    return None
                ahead.insert(0, line)
                made |= writes
                needed |= reads
            elif (
                (reads | writes) & (sharing | made)
                or writes & arguments
                or self._overwritten(line) & needed
            ):
                return None
        filled = results.union(
            *(self._sharing(before, v.name) for v in ir.handed_arrays(call.value)),
            (v.name for v in ir.handed_arrays(call.value)),
        )
        return ahead if not needed & filled else None

    def _sharing(self, memory: Memory, name: str) -> set[str]:
        own = memory.of(name)
        return {n for n in self.names if own & self.memory.anywhere.of(n)}

    def _overwritten(self, line: ir.Statement) -> set[str]:
        """The names whose buffers a line writes into."""
        found: set[str] = set()
        for s in ir.walk((line,)):
            if _writes_buffer(s):
                for variable in ir.direct_reads(s):
                    found |= self._sharing(self.memory.before(s), variable.name)
        return found

    def call(
        self, call: ir.Assign, part: ir.Operand, kinds: Mapping[str, ir.Kind]
    ) -> ir.Statement:
        """The call that is handed a buffer, or a part of one."""
        assert isinstance(call.value, ir.Apply)
        targets = _targets(call)
        value = replace(call.value, function=self.handed, args=(*call.value.args, part))
        rest = [t for place, t in enumerate(targets) if place != self.place]
        if not any(self.uses.reads[target.name] for target in rest):
            return ir.Effect(call.span, value)
        held = [_kind(call, targets.index(t), kinds) for t in rest]
        if len(rest) == 1:
            return replace(call, target=rest[0], value=value, kind=held[0])
        kind = None
        if isinstance(call.kind, ir.Structure):
            known = tuple(call.kind.items[targets.index(t)] for t in rest)
            kind = ir.Structure(tuple, tuple(range(len(rest))), known)
        return replace(call, target=ir.pack_tuple(*rest), value=value, kind=kind)


def _are_alike(axes: tuple[ir.Axis, ...], others: tuple[ir.Axis, ...]) -> bool:
    """True for axes that are known to be of the same lengths."""
    return len(axes) == len(others) and all(
        a.symbol == b.symbol if a.symbol is not None else a.length == b.length == "one"
        for a, b in zip(axes, others, strict=True)
    )


def _targets(call: ir.Assign) -> list[ir.Var]:
    if isinstance(call.target, ir.Var):
        return [call.target]
    return [v for v in call.target.items if isinstance(v, ir.Var)]


def _kind(call: ir.Assign, place: int, kinds: Mapping[str, ir.Kind]) -> ir.Kind | None:
    if isinstance(call.target, ir.Pack) and isinstance(call.kind, ir.Structure):
        return call.kind.items[place]
    return call.kind or kinds.get(_targets(call)[place].name)


def _may_go_ahead(line: ir.Statement) -> bool:
    """True for a line that may be moved up: without effects, and of a value of its
    own."""
    if not isinstance(line, ir.Assign) or not isinstance(line.target, ir.Var):
        return False
    if isinstance(line.value, ir.Apply):
        return is_pure(line.value.function) and not _writes_buffer(line)
    return isinstance(line.value, ir.Const)


def _writes_buffer(s: ir.Statement) -> bool:
    if any(procedure.handed for procedure in procedures_of(s)):
        return True
    augmented = (operator.iadd, operator.isub, operator.imul, operator.itruediv)
    return ir.is_line(s, *ops.WRITES, *augmented)
