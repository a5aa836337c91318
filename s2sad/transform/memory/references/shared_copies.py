"""Copies of arrays that one ``copy.deepcopy`` makes: what is one array stays one.

The front end copies each array that the copied value holds under a name of its own. Of
names that surely are one array one copy is made, and where only the run knows whether
two are, it is asked::

    v_copy = copy(v)                     v_copy = copy(v)
    w_copy = copy(w)           ->        if w is v:
                                             w_copy = v_copy
                                         else:
                                             w_copy = copy(w)

Arguments are taken to be two arrays, which is checked when the program runs; those of
what stays a call are looked at where it is called.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TypeGuard

import numpy as np

from s2sad import ir, ops
from s2sad.analysis.dataflow.dataflow import Facts, solve_forward
from s2sad.analysis.memory.memory import OUTSIDE
from s2sad.analysis.memory.points_to import PointsTo, points_to
from s2sad.analysis.passes.all_kinds import with_all_kinds
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.derivatives.argument_checks import (
    behind_parts,
    given_arrays,
)
from s2sad.frontend.specialise.objects.copying import DEEP
from s2sad.ops.runtime.results import require_two_arrays
from s2sad.transform.memory.array_names import Views, ViewsOfArrays


def with_shared_copies(
    function: ir.Function, spec: Specialiser, is_procedure: bool
) -> ir.Function:
    """The function with one copy of what is one array, in each deep copy."""
    _refuse_calls(function, spec)
    if not any(map(_is_copy, ir.walk(function.body))):
        return function
    change = _changes(function, spec)
    found = replace(function, body=change.block(function.body))
    checks = () if is_procedure else tuple(_checks(found, change.given))
    return replace(found, body=behind_parts(found, checks)) if checks else found


def _is_copy(s: ir.Statement) -> TypeGuard[ir.Result]:
    return ir.applies(s, np.copy) and s.value.spelling.startswith(DEEP)


def _changes(function: ir.Function, spec: Specialiser | None) -> _Copies:
    known = with_all_kinds(function)
    memory = points_to(known, apart=True, as_written=True)
    views = solve_forward(known.body, {}, ViewsOfArrays(known.kinds, set()))
    return _Copies(spec, memory, views)


@dataclass
class _Copies:
    spec: Specialiser | None
    memory: PointsTo
    views: Facts[Views]
    given: dict[tuple[str, str], tuple[ir.Operand, ...]] = field(default_factory=dict)
    """The pairs of arguments of which one deep copy copies both, and the copies."""

    def block(self, statements: ir.Block) -> ir.Block:
        """A block, in which the copies that belong together follow each other."""
        done: list[ir.Statement] = []
        made: dict[str, list[ir.Result]] = {}
        for s in statements:
            if not _is_copy(s):
                done.append(ir.with_blocks(s, self.block))
                continue
            earlier = made.setdefault(s.value.spelling, [])
            done += self._copied(s, earlier)
            earlier.append(s)
        return tuple(done)

    def _copied(self, s: ir.Result, earlier: list[ir.Result]) -> Iterator[ir.Statement]:
        """A copy, where ``earlier`` ones belong to the same deep copy."""
        same = [e for e in earlier if self._base(e, s) == self._base(s, s)]
        if same:
            yield replace(s, value=same[0].target)
            return
        made: ir.Statement = replace(s, value=replace(s.value, spelling=""))
        for e in filter(lambda e: _are_alike(e.kind, s.kind), earlier):
            self._note_given(e, s)
            if self._may_be_one(e, s):
                test, one = self._is_one(e, s), replace(s, value=e.target)
                yield test
                made = ir.If(s.span, test.target, (one,), (made,))
        yield made

    def _is_one(self, earlier: ir.Result, s: ir.Result) -> ir.Assign:
        """The question whether the array is that of an earlier copy."""
        asked = ir.Apply(operator.is_, (*s.value.args, *earlier.value.args))
        test = ir.Var("is_same") if self.spec is None else self.spec.fresh("is_same")
        return ir.Assign(s.span, test, asked, ir.BOOL)

    def _base(self, copy: ir.Result, s: ir.Result) -> ir.Operand:
        """The first name of the array that is copied, as it is known at ``s``."""
        (array,) = copy.value.args
        views = self.views.before.get(id(s), {})
        while isinstance(array, ir.Var):
            made = views.get(array.name)
            if made is None or not isinstance(made.value, ir.Var):
                break
            array = made.value
        return array

    def _may_be_one(self, earlier: ir.Result, s: ir.Result) -> bool:
        (first,), (second,) = earlier.value.args, s.value.args
        if not isinstance(first, ir.Var) or not isinstance(second, ir.Var):
            return first == second
        return self.memory.before(s).shared_with(second.name, {first.name})

    def _note_given(self, earlier: ir.Result, s: ir.Result) -> None:
        for first in self._arguments(earlier, s):
            for second in self._arguments(s, s):
                if first != second:
                    copies = (earlier.target, s.target)
                    known = self.given.get((first, second), ())
                    self.given[first, second] = (*known, *copies)

    def _arguments(self, copy: ir.Result, s: ir.Result) -> list[str]:
        """The arguments, or parts of such, that the copied array may be."""
        (array,) = copy.value.args
        if not isinstance(array, ir.Var):
            return []
        buffers = self.memory.before(s).of(array.name)
        return sorted(b[1] for b in buffers if b[0] == OUTSIDE[0] and len(b) == 2)


def _are_alike(kind: ir.Kind | None, other: ir.Kind | None) -> bool:
    """True for kinds that one array may have."""
    if not isinstance(kind, ir.Array) or not isinstance(other, ir.Array):
        return True
    dtypes, ranks = {kind.dtype, other.dtype}, {ir.rank_of(kind), ir.rank_of(other)}
    return len(dtypes - {None}) < 2 and len(ranks - {None}) < 2


def _checks(
    function: ir.Function, given: dict[tuple[str, str], tuple[ir.Operand, ...]]
) -> Iterator[ir.Effect]:
    """The checks that arguments are two arrays, where a copy of one is written into."""
    arrays = given_arrays(function)
    memory = points_to(with_all_kinds(function), apart=True, as_written=True).anywhere
    written = {s.target.name for s in ir.walk(function.body) if ops.is_write(s)}
    changed = frozenset().union(*(memory.of(name) for name in written))
    for (first, second), copies in given.items():
        own = (memory.of(str(copy)) for copy in copies)
        if {first, second} <= arrays.keys() and any(map(changed.intersection, own)):
            operands = arrays[first], arrays[second], ir.Const(first), ir.Const(second)
            yield ir.Effect(None, ir.Apply(require_two_arrays, operands))


def _refuse_calls(function: ir.Function, spec: Specialiser) -> None:
    """Report calls of procedures that make one deep copy of two arrays which may be
    one: a procedure takes its parameters to be apart."""
    memory: PointsTo | None = None
    for s in ir.walk(function.body):
        for call in ir.operations(s):
            for pair in _copied_together(call.function):
                if memory is None:
                    memory = points_to(
                        with_all_kinds(function), apart=True, as_written=True
                    )
                assert isinstance(call.function, ir.Procedure)
                given = dict(
                    zip(call.function.function.parameters, call.args, strict=True)
                )
                first, second = (given[name] for name in sorted(pair))
                if not isinstance(first, ir.Var) or not isinstance(second, ir.Var):
                    continue
                if memory.before(s).shared_with(first.name, {second.name}):
                    if _writes(function.body) or _writes_somewhere(call.function):
                        spec.report_at(_refusal(), s.span)


def _copied_together(called: object) -> frozenset[frozenset[str]]:
    """The pairs of parameters of which one deep copy copies both."""
    if not isinstance(called, ir.Procedure) or not ir.is_complete(called):
        return frozenset()
    key = "copied together"
    if key not in called.derived:
        body = called.function.body
        pairs: frozenset[frozenset[str]] = frozenset()
        if any(map(_is_copy, ir.walk(body))):
            change = _changes(called.function, None)
            change.block(body)
            pairs = frozenset(map(frozenset, change.given))
        called.derived[key] = pairs
    found: frozenset[frozenset[str]] = called.derived[key]
    return found


def _writes(body: ir.Block) -> bool:
    return any(map(ops.is_write, ir.walk(body)))


def _writes_somewhere(procedure: ir.Procedure) -> bool:
    called = filter(ir.is_complete, ir.with_called(procedure))
    return any(_writes(p.function.body) for p in called)


def _refusal() -> core.Unsupported:
    return core.Unsupported(
        "a function that stays a call makes one deep copy of two arrays that may be "
        "one array",
        "make the deep copy outside of it, or pass a copy of one of the arrays",
    )
