"""The buffer that one result of a program is, where the program only adds to it, and
the program that adds to one it is given; see
:mod:`s2sad.optimise.buffers.destination_passing`."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeGuard

import numpy as np

from s2sad import ir, ops
from s2sad.rules.steps.shape_queries import axis_length

Kinds = dict[str, ir.Kind]
_ZEROS = (np.zeros_like, np.zeros, ops.zeros_along)
SUMS = (ops.index_add, ops.index_set)
"""Writes that only add: ``index_set`` writes where zeros are."""


def results_of(function: ir.Function) -> tuple[ir.Operand, ...]:
    """What a program returns, in order."""
    value = function.final.value
    return () if value == ir.Const(None) else ir.tuple_items(value)


@dataclass(frozen=True)
class ProgramBuffer:
    """The buffer that one result of a program is, under all its names."""

    procedure: ir.Procedure
    function: ir.Function
    """Its program."""
    place: int
    names: frozenset[str]

    @staticmethod
    def of(
        procedure: ir.Procedure, function: ir.Function, place: int
    ) -> ProgramBuffer | None:
        """The buffer, if the program only adds to it: each path makes it once, before
        all that is added."""
        result = results_of(function)[place]
        if not isinstance(result, ir.Var) or result.name in function.parameters:
            return None
        names = _names_of_buffer(procedure, function, result.name)
        found = ProgramBuffer(procedure, function, place, names)
        kinds = [function.kinds.get(name) for name in names]
        plain = all(is_plain_array(kind) for kind in kinds)
        if not plain or not found._is_only_added_to() or not found._is_copied_last():
            return None
        return found if found._made_in(function.body, False) else None

    def _is_copied_last(self) -> bool:
        """True where nothing is added to a buffer that has been copied since, and where
        the program adds to its buffer at all."""
        copied = added = False
        for s in self.function.body:
            for inner in ir.walk((s,)):
                value = inner.value if isinstance(inner, ir.Assign) else None
                if ir.names_read(inner).isdisjoint(self.names):
                    continue
                copies = isinstance(value, ir.Apply) and value.function is ops.own_copy
                last = inner is s and isinstance(s, ir.Return)
                if copied and not isinstance(value, ir.Var) and not last:
                    return False
                if copies and inner is not s:
                    return False
                copied |= copies
                added |= not copies and isinstance(inner, ir.Assign | ir.Effect)
        return added

    def _is_only_added_to(self) -> bool:
        returned = 0
        for s in ir.walk(self.function.body):
            reads = [v.name for v in ir.direct_reads(s) if v.name in self.names]
            if not reads:
                continue
            if isinstance(s, ir.Return):
                returned += len(reads)
            elif len(reads) > 1 or not self._adds(s):
                return False
        return returned == 1

    def _adds(self, s: ir.Statement) -> bool:
        """True for a copy of a name of the buffer, a sum into it, and a call that is
        handed it."""
        if isinstance(s, ir.Assign | ir.Effect):
            if any(v.name in self.names for v in ir.handed_arrays(s.value)):
                return True
        if not isinstance(s, ir.Assign) or _source(s) is None:
            return False
        return str(s.target) in self.names  # another variable would see the sum

    def _makes(self, s: ir.Statement) -> bool:
        made = not ir.names_written(s).isdisjoint(self.names)
        return made and ir.names_read(s).isdisjoint(self.names)

    @property
    def is_made_by_itself(self) -> bool:
        """True where a recursion begins with what a call of itself returns."""
        return any(map(self._makes_itself, ir.walk(self.function.body)))

    def _makes_itself(self, s: ir.Statement) -> bool:
        """True for a call of the program itself whose result in this place, and no
        other, becomes the buffer."""
        if not _calls(s, self.procedure):
            return False
        assert isinstance(s, ir.Assign)
        targets = s.target.items if isinstance(s.target, ir.Pack) else (s.target,)
        held = [k for k, target in enumerate(targets) if str(target) in self.names]
        return held == [self.place]

    def _made_in(self, block: ir.Block, made: bool) -> bool | None:
        """Whether the buffer is there behind a block; None where that isn't known, or
        where it is made twice or too late."""
        for s in block:
            touched = ir.names_read_within(s) | ir.names_written_within(s)
            if not touched & self.names:
                continue
            match s:
                case ir.If():
                    one = self._made_in(s.body, made)
                    if one is None or one != self._made_in(s.orelse, made):
                        return None
                    made = one
                case ir.For() | ir.With():
                    inside = self._made_in(s.body, made)
                    if inside is None or (isinstance(s, ir.For) and inside != made):
                        return None
                    made = inside
                case ir.While() | ir.Try():
                    return None
                case _ if self._makes(s):
                    if (
                        made
                        or not isinstance(s, ir.Assign)
                        or (isinstance(s.target, ir.Pack) and not self._makes_itself(s))
                    ):
                        return None
                    made = True
                case _ if not made:
                    return None
        return made

    def handed(
        self, call: Callable[[ir.Assign, ir.Var, Kinds], ir.Statement]
    ) -> ir.Function:
        """The program that adds into a buffer it is given as its last parameter.
        ``call`` gives the call of itself that is handed a buffer."""
        result = results_of(self.function)[self.place]
        assert isinstance(result, ir.Var)
        given = ir.Var(result.name.split("~")[0].replace(".", "_"))
        known = {*ir.uses_in(self.function.body).writes}
        while given.name in {*known, *self.function.parameters}:
            given = ir.Var(f"{given.name}_")
        kinds = {**self.function.kinds, given.name: self.function.kinds[result.name]}

        def renamed(variable: ir.Var) -> ir.Var:
            return given if variable.name in self.names else variable

        def block(statements: ir.Block) -> ir.Block:
            lines: list[ir.Statement] = []
            for s in statements:
                if ir.blocks_of(s):
                    lines.append(ir.with_blocks(s, block))
                elif isinstance(s, ir.Return):
                    rest = [
                        r
                        for place, r in enumerate(results_of(self.function))
                        if place != self.place
                    ]
                    lines.append(replace(s, value=_packed(rest)))
                elif isinstance(s, ir.Assign) and self._makes(s):
                    if self._makes_itself(s):
                        lines.append(call(s, given, kinds))
                        continue
                    lines += self._made(s, given, kinds)
                elif isinstance(s, ir.Assign | ir.Effect):
                    lines += self._added(s, renamed)
                else:
                    lines.append(s)
            return tuple(lines)

        body = _without_unread_lengths(block(self.function.body))
        return replace(
            self.function,
            parameters=(*self.function.parameters, given.name),
            body=body,
            kinds=kinds,
            temporaries=self.function.temporaries | set(kinds) - set(known),
            docstring=_docstring(self.function.docstring, given.name),
        )

    def _made(self, s: ir.Assign, given: ir.Var, kinds: dict[str, ir.Kind]) -> ir.Block:
        """The line that makes the buffer, as a sum into the one that is given."""
        value = s.value
        if ir.is_line(s, *_ZEROS):
            return ()
        assert isinstance(s.target, ir.Var)
        if isinstance(value, ir.Apply) and value.function is ops.own_copy:
            (value,) = value.args
        lines: list[ir.Statement] = []
        if isinstance(value, ir.Apply):
            part = ir.Var(f"{s.target.name}.part")
            kinds[part.name] = kinds[s.target.name]
            lines.append(replace(s, target=part))
            value = part
        added = ir.Apply(operator.iadd, (given, value))
        return (*lines, ir.Assign(s.span, given, added, s.kind, s.derived))

    def _added(
        self, s: ir.Assign | ir.Effect, renamed: Callable[[ir.Var], ir.Operand]
    ) -> ir.Block:
        """A line that doesn't make the buffer, with the name of the given one."""
        value = ir.map_value(s.value, renamed)
        if isinstance(s, ir.Effect):
            return (replace(s, value=value),)
        target: Any = s.target
        if isinstance(target, ir.Var) and target.name in self.names:
            target = renamed(target)
            if isinstance(value, ir.Apply) and value.function is ops.own_copy:
                (value,) = value.args
            if value == target:
                return ()
        if isinstance(value, ir.Apply) and value.function is ops.index_set:
            added = (*value.args, ir.Const(False))
            value = replace(value, function=ops.index_add, args=added)
        return (replace(s, target=target, value=value),)


def _without_unread_lengths(body: ir.Block) -> ir.Block:
    """Without the lengths of zeros that aren't made any more, and what these alone were
    read off."""
    for asked in (axis_length, operator.getitem):
        kept = functools.partial(_kept_lines, asked, ir.names_read_in(body))
        body = ir.with_leaves(body, kept)
    return body


def _kept_lines(asked: Any, read: frozenset[str], s: ir.Statement) -> ir.Block:
    if ir.is_line(s, asked) and isinstance(s.value.args[1], ir.Const):
        return (s,) if s.target.name in read else ()
    return (s,)


def _docstring(own: str, name: str) -> str:
    own = own.removesuffix(".")
    return f"{own} and {name}." if ", added to " in own else f"{own}, added to {name}."


def _packed(results: list[ir.Operand]) -> ir.Operand:
    if not results:
        return ir.Const(None)
    return ir.packed(results)


def _source(s: ir.Assign) -> ir.Var | None:
    """The variable whose buffer the target of a line holds, with something added."""
    value = s.value
    if ir.is_line(s, *SUMS, operator.iadd, operator.isub, ops.own_copy):
        value = s.value.args[0]
    named = isinstance(s.target, ir.Var) and isinstance(value, ir.Var)
    return value if named else None  # type: ignore[return-value]


def _calls(s: ir.Statement, procedure: ir.Procedure) -> bool:
    """True for a call of a procedure, whose results are given names."""
    value = s.value if isinstance(s, ir.Assign) else None
    return isinstance(value, ir.Apply) and value.function is procedure


def _names_of_buffer(
    procedure: ir.Procedure, function: ir.Function, name: str
) -> frozenset[str]:
    """The names that the buffer of a result has in turn."""
    names = {name}
    assignments = [s for s in ir.walk(function.body) if isinstance(s, ir.Assign)]
    changed = True
    while changed:
        changed = False
        for s in assignments:
            source = _source(s)
            if source is None or source.name in function.parameters:
                continue
            assert isinstance(s.target, ir.Var)
            if s.target.name in names and source.name not in names:
                if _is_taken_apart(procedure, function, source.name):
                    continue
                names.add(source.name)
                changed = True
    return frozenset(names)


def _is_taken_apart(procedure: ir.Procedure, function: ir.Function, name: str) -> bool:
    """True for a variable that is an item of something: a residual, or of the results
    of a call of another program."""
    return any(
        isinstance(getattr(s, "target", None), ir.Pack) and not _calls(s, procedure)
        for s in ir.uses_in(function.body).definitions.get(name, [])
    )


def is_plain_array(kind: ir.Kind | None) -> TypeGuard[ir.Array]:
    """True for what is surely an array, of known rank and dtype."""
    return (
        isinstance(kind, ir.Array)
        and not kind.promoted
        and bool(kind.axes)
        and kind.dtype is not None
    )
