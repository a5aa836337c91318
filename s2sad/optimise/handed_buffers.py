"""Handed buffers: the reverse program of a recursion adds into the adjoint of its
caller, instead of returning one of its own.

::

    def f_reverse(residuals, g):           def f_reverse(residuals, g, x.bar):
        x.bar = zeros_like(x)
        x.bar[1:] = f_reverse(r, h)   ->       f_reverse(r, h, x.bar[1:])
        x.bar[0] += g                          x.bar[0] += g
        return x.bar

A recursion over slices of an array costs as much as the array is long, and so does its
gradient; with an array of its own for each slice it would cost the square of that.

Takes programs whose stores write into buffers (``own_written_buffers``); gives the
same. What may stand between a call and the sum of its result is in ``_Site``.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from s2sad.analysis.points_to import Memory, points_to
from s2sad.ir.kinds import Array, Kind, List, Scalar, Structure
from s2sad.ir.nodes import (
    Apply,
    Assign,
    Block,
    Const,
    Effect,
    For,
    Function,
    If,
    Operand,
    Pack,
    Return,
    Slice,
    Statement,
    Try,
    Var,
    While,
    With,
    pack_tuple,
)
from s2sad.ir.procedures import Procedure, handed_arrays
from s2sad.ir.walking import (
    blocks_of,
    direct_reads,
    direct_writes,
    map_value,
    operand_variables,
    value_variables,
    walk,
    with_blocks,
)
from s2sad.optimise.purity import is_pure
from s2sad.transform.buffers import WRITES, index_add, index_set, own_copy
from s2sad.transform.lists import zeros_along

_ZEROS = (np.zeros_like, np.zeros, zeros_along)
_SUMS = (index_add, index_set)
"""Writes that only add: ``index_set`` writes where zeros are."""

Programs = dict[Procedure, Function]


def hand_buffers(
    functions: list[Function], procedures: Programs
) -> tuple[list[Function], Programs]:
    """The functions and the procedures that they call, with buffers handed on wherever
    that is possible."""
    tried: set[tuple[Procedure, int]] = set()
    programs: Programs = dict(procedures)
    while True:
        called = _called([*functions, *programs.values()])
        places = [
            (procedure, place)
            for procedure, function in programs.items()
            if procedure in called
            for place in range(len(_results(function)))
            if (procedure, place) not in tried
        ]
        if not places:
            break
        procedure, place = places[0]
        tried.add(places[0])
        functions, programs = _with_handed(functions, programs, procedure, place)
    return functions, _reached(functions, programs)


def _with_handed(
    functions: list[Function], programs: Programs, procedure: Procedure, place: int
) -> tuple[list[Function], Programs]:
    """One result of one procedure handed on, as far as that is possible."""
    own = _Buffer.of(programs[procedure], place)
    if own is None:
        return functions, programs
    handed = Procedure(procedure.__name__, procedure.docstring)
    handed.handed = procedure.handed + 1
    if procedure.reverses is not None:
        forward, places = procedure.reverses
        handed.reverses = forward, (*places[:place], *places[place + 1 :])
    change = _Calls(procedure, place, handed, len(_results(programs[procedure])))
    functions = [change.function(f) for f in functions]
    programs = {p: change.function(f, p.handed) for p, f in programs.items()}
    if not change.found:
        return functions, programs
    # The other calls get zeros to add to, so that one program serves them all.
    change.with_zeros = True
    functions = [change.function(f) for f in functions]
    programs = {p: change.function(f, p.handed) for p, f in programs.items()}
    buffer = _Buffer.of(programs[procedure], place)
    assert buffer is not None
    handed.function = buffer.handed()
    programs[handed] = handed.function
    return functions, programs


def _called(functions: Iterable[Function]) -> set[Procedure]:
    return {p for f in functions for s in walk(f.body) for p in _procedures_of(s)}


def _reached(functions: list[Function], programs: Programs) -> Programs:
    """The programs that are called still, in the order they were in."""
    reached: set[Procedure] = set()
    pending = list(functions)
    while pending:
        new = _called([pending.pop()]) - reached
        reached |= new
        pending += [programs[p] for p in new]
    return {p: f for p, f in programs.items() if p in reached}


def _procedures_of(statement: Statement) -> Iterator[Procedure]:
    value = getattr(statement, "value", None)
    if isinstance(value, Apply) and isinstance(value.function, Procedure):
        yield value.function


def _results(function: Function) -> tuple[Operand, ...]:
    last = function.body[-1]
    assert isinstance(last, Return)
    if isinstance(last.value, Pack) and last.value.constructor is tuple:
        return last.value.items
    return () if last.value == Const(None) else (last.value,)


@dataclass(frozen=True)
class _Buffer:
    """The buffer that one result of a program is, under all its names."""

    function: Function
    place: int
    names: frozenset[str]

    @staticmethod
    def of(function: Function, place: int) -> _Buffer | None:
        """The buffer, if the program only adds to it: each path makes it once, before
        all that is added."""
        result = _results(function)[place]
        if not isinstance(result, Var) or result.name in function.parameters:
            return None
        names = _names_of_buffer(function, result.name)
        found = _Buffer(function, place, names)
        kinds = [function.kinds.get(name) for name in names]
        plain = all(_is_plain(kind) for kind in kinds)
        if not plain or not found._is_only_added_to() or not found._is_copied_last():
            return None
        return found if found._made_in(function.body, False) else None

    def _is_copied_last(self) -> bool:
        """True where nothing is added to a buffer that has been copied since, and where
        the program adds to its buffer at all."""
        copied = added = False
        for s in self.function.body:
            for inner in walk((s,)):
                value = inner.value if isinstance(inner, Assign) else None
                names = {v.name for v in direct_reads(inner)} & self.names
                if not names:
                    continue
                copies = isinstance(value, Apply) and value.function is own_copy
                if copied and not isinstance(value, Var) and inner is not s:
                    return False
                if copied and not isinstance(s, Return) and not isinstance(value, Var):
                    return False
                if copies and inner is not s:
                    return False
                copied |= copies
                added |= not copies and isinstance(inner, Assign | Effect)
        return added

    def _is_only_added_to(self) -> bool:
        returned = 0
        for s in walk(self.function.body):
            reads = [v.name for v in direct_reads(s) if v.name in self.names]
            if not reads:
                continue
            if isinstance(s, Return):
                returned += len(reads)
            elif len(reads) > 1 or not self._adds(s):
                return False
        return returned == 1

    def _adds(self, s: Statement) -> bool:
        """True for a copy of a name of the buffer, a sum into it, and a call that is
        handed it."""
        if isinstance(s, Assign | Effect):
            if any(v.name in self.names for v in handed_arrays(s.value)):
                return True
        return isinstance(s, Assign) and _source(s) is not None

    def _makes(self, s: Statement) -> bool:
        written = {v.name for v in direct_writes(s)} & self.names
        read = {v.name for v in direct_reads(s)} & self.names
        return bool(written) and not read

    def _made_in(self, block: Block, made: bool) -> bool | None:
        """Whether the buffer is there behind a block; None where that isn't known, or
        where it is made twice or too late."""
        for s in block:
            touched = {
                v.name
                for inner in walk((s,))
                for v in (*direct_reads(inner), *direct_writes(inner))
            }
            if not touched & self.names:
                continue
            match s:
                case If():
                    one = self._made_in(s.body, made)
                    if one is None or one != self._made_in(s.orelse, made):
                        return None
                    made = one
                case For() | With():
                    inside = self._made_in(s.body, made)
                    if inside is None or (isinstance(s, For) and inside != made):
                        return None
                    made = inside
                case While() | Try():
                    return None
                case _ if self._makes(s):
                    if made or not isinstance(s, Assign) or isinstance(s.target, Pack):
                        return None
                    made = True
                case _ if not made:
                    return None
        return made

    def handed(self) -> Function:
        """The program that adds into a buffer it is given as its last parameter."""
        result = _results(self.function)[self.place]
        assert isinstance(result, Var)
        given = Var(result.name.split("~")[0].replace(".", "_"))
        known = {v.name for s in walk(self.function.body) for v in direct_writes(s)}
        while given.name in {*known, *self.function.parameters}:
            given = Var(f"{given.name}_")
        kinds = {**self.function.kinds, given.name: self.function.kinds[result.name]}

        def renamed(variable: Var) -> Var:
            return given if variable.name in self.names else variable

        def block(statements: Block) -> Block:
            lines: list[Statement] = []
            for s in statements:
                if blocks_of(s):
                    lines.append(with_blocks(s, block))
                elif isinstance(s, Return):
                    rest = [
                        r
                        for place, r in enumerate(_results(self.function))
                        if place != self.place
                    ]
                    lines.append(replace(s, value=_packed(rest)))
                elif isinstance(s, Assign) and self._makes(s):
                    lines += self._made(s, given, kinds)
                elif isinstance(s, Assign | Effect):
                    lines += self._added(s, renamed)
                else:
                    lines.append(s)
            return tuple(lines)

        body = block(self.function.body)
        return replace(
            self.function,
            parameters=(*self.function.parameters, given.name),
            body=body,
            kinds=kinds,
            temporaries=self.function.temporaries | set(kinds) - set(known),
            docstring=_docstring(self.function.docstring, given.name),
        )

    def _made(self, s: Assign, given: Var, kinds: dict[str, Kind]) -> Block:
        """The line that makes the buffer, as a sum into the one that is given."""
        value = s.value
        if isinstance(value, Apply) and value.function in _ZEROS:
            return ()
        assert isinstance(s.target, Var)
        if isinstance(value, Apply) and value.function is own_copy:
            (value,) = value.args
        lines: list[Statement] = []
        if isinstance(value, Apply):
            part = Var(f"{s.target.name}.part")
            kinds[part.name] = kinds[s.target.name]
            lines.append(replace(s, target=part))
            value = part
        added = Apply(operator.iadd, (given, value))
        return (*lines, Assign(s.span, given, added, s.kind, s.derived))

    def _added(self, s: Assign | Effect, renamed: Callable[[Var], Operand]) -> Block:
        """A line that doesn't make the buffer, with the name of the given one."""
        value = map_value(s.value, renamed)
        if isinstance(s, Effect):
            return (replace(s, value=value),)
        target: Any = s.target
        if isinstance(target, Var) and target.name in self.names:
            target = renamed(target)
            if isinstance(value, Apply) and value.function is own_copy:
                (value,) = value.args
            if value == target:
                return ()
        if isinstance(value, Apply) and value.function is index_set:
            added = (*value.args, Const(False))
            value = replace(value, function=index_add, args=added)
        return (replace(s, target=target, value=value),)


def _docstring(own: str, name: str) -> str:
    own = own.removesuffix(".")
    return f"{own} and {name}." if ", added to " in own else f"{own}, added to {name}."


def _packed(results: list[Operand]) -> Operand:
    if not results:
        return Const(None)
    return results[0] if len(results) == 1 else pack_tuple(*results)


def _source(s: Assign) -> Var | None:
    """The variable whose buffer the target of a line holds, with something added."""
    value = s.value
    if not isinstance(s.target, Var):
        return None
    if isinstance(value, Var):
        return value
    if isinstance(value, Apply) and value.args:
        first = value.args[0]
        if value.function in (*_SUMS, operator.iadd, operator.isub, own_copy):
            return first if isinstance(first, Var) else None
    return None


def _names_of_buffer(function: Function, name: str) -> frozenset[str]:
    """The names that the buffer of a result has in turn."""
    names = {name}
    assignments = [s for s in walk(function.body) if isinstance(s, Assign)]
    changed = True
    while changed:
        changed = False
        for s in assignments:
            source = _source(s)
            if source is None or source.name in function.parameters:
                continue
            assert isinstance(s.target, Var)
            if s.target.name in names and source.name not in names:
                if _is_taken_apart(function, source.name):
                    continue
                names.add(source.name)
                changed = True
    return frozenset(names)


def _is_taken_apart(function: Function, name: str) -> bool:
    """True for a variable that is an item of something: a residual, or of the results
    of a call."""
    return any(
        isinstance(s, Assign)
        and isinstance(s.target, Pack)
        and any(v.name == name for v in operand_variables(s.target))
        for s in walk(function.body)
    )


def _is_plain(kind: Kind | None) -> bool:
    """True for what is surely an array, of known rank and dtype."""
    return (
        isinstance(kind, Array)
        and not kind.promoted
        and bool(kind.axes)
        and kind.dtype is not None
    )


class _Calls:
    """Calls of a procedure whose result is only added to a buffer, as calls of the one
    that adds."""

    def __init__(
        self, procedure: Procedure, place: int, handed: Procedure, results: int
    ) -> None:
        self.procedure, self.place, self.handed = procedure, place, handed
        self.results = results
        self.found = False
        self.with_zeros = False
        """True where calls are handed zeros."""

    def function(self, function: Function, handed: int = 0) -> Function:
        """A function with the calls it has; it adds to so many of its last
        parameters."""
        if self.procedure not in _called([function]):
            return function
        self.whole, self.kinds = function, function.kinds
        # Nothing else that a program gets shares memory with a buffer it is handed.
        self.memory = points_to(function, apart=handed > 0)
        self.given = function.parameters[len(function.parameters) - handed :]
        self.names = {v.name for s in walk(function.body) for v in direct_writes(s)}
        self.names |= set(function.parameters)
        self.reads: dict[str, int] = {}
        self.writes: dict[str, int] = {}
        for s in walk(function.body):
            for variable in direct_reads(s):
                self.reads[variable.name] = self.reads.get(variable.name, 0) + 1
            for variable in direct_writes(s):
                self.writes[variable.name] = self.writes.get(variable.name, 0) + 1
        return replace(function, body=self._block(function.body))

    def _block(self, block: Block) -> Block:
        lines = [with_blocks(s, self._block) for s in block]
        k = 0
        while k < len(lines):
            change = self._zeros_handed if self.with_zeros else self._handed
            changed = change(lines, k)
            if changed is not None:
                lines = changed
                self.found = True
            k += 1
        return tuple(lines)

    def _handed(self, lines: list[Statement], k: int) -> list[Statement] | None:
        """The lines with the call at ``k`` handed the buffer that its result is added
        to further down."""
        call = lines[k]
        if not isinstance(call, Assign) or self.procedure not in _procedures_of(call):
            return None
        targets = _targets(call)
        if len(targets) != self.results:
            return None
        name = targets[self.place].name
        between: list[Statement] = []
        for j in range(k + 1, len(lines)):
            s = lines[j]
            if self.writes[name] != 1 or self.reads.get(name) != 1:
                return None
            if all(v.name != name for inner in walk((s,)) for v in direct_reads(inner)):
                between.append(s)
            elif isinstance(s, Assign) and s.value == Var(name):
                if not isinstance(s.target, Var):
                    return None
                name = s.target.name  # the result under another name
            else:
                part = self._part(s, name, _kind(call, self.place, self.kinds))
                if part is None:
                    return None
                assert isinstance(s, Assign)
                ahead = self._ahead(s, part, call, between)
                if ahead is None:
                    return None
                rest = [x for x in between if all(x is not a for a in ahead)]
                handed = self._call(call, targets, part)
                return [*lines[:k], *ahead, handed, *rest, *lines[j + 1 :]]
        return None

    def _zeros_handed(self, lines: list[Statement], k: int) -> list[Statement] | None:
        """The lines with the call at ``k`` handed zeros, which are its result then."""
        call = lines[k]
        if not isinstance(call, Assign) or self.procedure not in _procedures_of(call):
            return None
        targets = _targets(call)
        if len(targets) != self.results or self.procedure.reverses is None:
            return None
        assert isinstance(call.value, Apply)
        argument = self._argument(call.value.args[0])
        kind = _kind(call, self.place, self.kinds)
        own = self.kinds.get(argument.name) if argument is not None else None
        if argument is None or not isinstance(kind, Array) or not _is_plain(kind):
            return None
        function: Any = zeros_along if isinstance(own, List) else np.zeros_like
        if isinstance(own, Array) and (not _is_plain(own) or own.dtype != kind.dtype):
            return None
        if not isinstance(own, List | Array):
            return None
        result = targets[self.place]
        value = Apply(function, (argument,))
        zeros = Assign(call.span, result, value, kind, derived=True)
        rest = lines[k + 1 :]
        if rest and self.reads.get(result.name) == 1:
            first = rest[0]
            if isinstance(first, Assign) and first.value == Apply(own_copy, (result,)):
                rest[0] = replace(first, value=result)
        return [*lines[:k], zeros, self._call(call, targets, result), *rest]

    def _argument(self, residuals: Operand) -> Var | None:
        """The argument whose adjoint the result is, where it is at hand."""
        assert self.procedure.reverses is not None
        forward, places = self.procedure.reverses
        calls = [
            s for s in walk(self.whole.body) if residuals in tuple(direct_writes(s))
        ]
        if len(calls) != 1 or not isinstance(calls[0], Assign):
            return None
        if forward not in _procedures_of(calls[0]):
            return None
        assert isinstance(calls[0].value, Apply)
        argument = calls[0].value.args[places[self.place]]
        if not isinstance(argument, Var):
            return None
        times = 0 if argument.name in self.whole.parameters else 1
        return argument if self.writes.get(argument.name, 0) == times else None

    def _part(self, s: Statement, name: str, kind: Kind | None) -> Operand | None:
        """The part of a buffer that a line adds a result to: a view of the same
        shape."""
        if not isinstance(s, Assign) or not isinstance(s.value, Apply):
            return None
        function, (buffer, *rest) = s.value.function, s.value.args
        own = self.kinds.get(buffer.name) if isinstance(buffer, Var) else None
        if s.target != buffer or not isinstance(own, Array) or not _is_plain(own):
            return None
        assert isinstance(buffer, Var) and own.axes is not None
        if not isinstance(kind, Array) or not _is_plain(kind):
            return None
        assert kind.axes is not None
        # An axis of length 1 may be spread out by the sum.
        if own.dtype != kind.dtype or any(a.length == "one" for a in kind.axes):
            return None
        if function is operator.iadd:
            fits = rest == [Var(name)] and len(own.axes) == len(kind.axes)
            return buffer if fits else None
        if function not in _SUMS or rest[1] != Var(name) or rest[2:] == [Const(True)]:
            return None
        index = rest[0]
        parts = index.items if isinstance(index, Pack) else (index,)
        slices = sum(isinstance(p, Slice) for p in parts)
        numbers = sum(_is_whole_number(p, self.kinds) for p in parts)
        if isinstance(index, Pack) and index.constructor is not tuple:
            return None
        if slices + numbers != len(parts):
            return None
        if len(own.axes) - numbers != len(kind.axes):
            return None
        return Apply(operator.getitem, (buffer, index))  # type: ignore[return-value]

    def _ahead(
        self, s: Assign, part: Operand, call: Assign, between: list[Statement]
    ) -> list[Statement] | None:
        """The lines between a call and the sum of its result that make the buffer, to
        be put before the call. None where something else is in the way."""
        assert isinstance(s.target, Var)
        before = self.memory.before(s)
        if not before.is_own(s.target.name) and s.target.name not in self.given:
            return None
        arguments = {v.name for v in value_variables(call.value)}
        if s.target.name in arguments or before.shared_with(s.target.name, arguments):
            return None
        sharing = self._sharing(before, s.target.name) | {s.target.name}
        needed = {v.name for v in operand_variables(part)}
        results = {v.name for v in direct_writes(call)}
        ahead: list[Statement] = []
        made: set[str] = set()
        for line in reversed(between):
            reads = {v.name for x in walk((line,)) for v in direct_reads(x)}
            writes = {v.name for x in walk((line,)) for v in direct_writes(x)}
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
        return ahead if not needed & results else None

    def _sharing(self, memory: Memory, name: str) -> set[str]:
        own = memory.of(name)
        return {n for n in self.names if own & self.memory.anywhere.of(n)}

    def _overwritten(self, line: Statement) -> set[str]:
        """The names whose buffers a line writes into."""
        found: set[str] = set()
        for s in walk((line,)):
            if _writes_buffer(s):
                for variable in direct_reads(s):
                    found |= self._sharing(self.memory.before(s), variable.name)
        return found

    def _call(self, call: Assign, targets: list[Var], part: Operand) -> Statement:
        assert isinstance(call.value, Apply)
        value = replace(call.value, function=self.handed, args=(*call.value.args, part))
        rest = [t for place, t in enumerate(targets) if place != self.place]
        if not rest:
            return Effect(call.span, value)
        kinds = [_kind(call, targets.index(t), self.kinds) for t in rest]
        if len(rest) == 1:
            return replace(call, target=rest[0], value=value, kind=kinds[0])
        kind = None
        if isinstance(call.kind, Structure):
            known = tuple(call.kind.items[targets.index(t)] for t in rest)
            kind = Structure(tuple, tuple(range(len(rest))), known)
        return replace(call, target=pack_tuple(*rest), value=value, kind=kind)


def _targets(call: Assign) -> list[Var]:
    if isinstance(call.target, Var):
        return [call.target]
    return [v for v in call.target.items if isinstance(v, Var)]


def _kind(call: Assign, place: int, kinds: Mapping[str, Kind]) -> Kind | None:
    if isinstance(call.target, Pack) and isinstance(call.kind, Structure):
        return call.kind.items[place]
    return call.kind or kinds.get(_targets(call)[place].name)


def _is_whole_number(index: Operand, kinds: Mapping[str, Kind]) -> bool:
    if isinstance(index, Const):
        return isinstance(index.value, int) and not isinstance(index.value, bool)
    kind = kinds.get(index.name) if isinstance(index, Var) else None
    return isinstance(kind, Scalar) and kind.type == "int"


def _may_go_ahead(line: Statement) -> bool:
    """True for a line that may be moved up: without effects, and of a value of its
    own."""
    if not isinstance(line, Assign) or not isinstance(line.target, Var):
        return False
    if isinstance(line.value, Apply):
        return is_pure(line.value.function) and not _writes_buffer(line)
    return isinstance(line.value, Const)


def _writes_buffer(s: Statement) -> bool:
    if any(procedure.handed for procedure in _procedures_of(s)):
        return True
    augmented = (operator.iadd, operator.isub, operator.imul, operator.itruediv)
    return (
        isinstance(s, Assign)
        and isinstance(s.value, Apply)
        and s.value.function in (*WRITES, *augmented)
    )
