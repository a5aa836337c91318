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
from functools import partial
from typing import TypeGuard

import numpy as np

from s2sad import ir, ops
from s2sad.analysis.dataflow.dataflow import Facts, solve_forward
from s2sad.analysis.memory.memory import OUTSIDE, Memory
from s2sad.analysis.memory.points_to import PointsTo, points_to
from s2sad.analysis.passes.all_kinds import with_all_kinds
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.derivatives.argument_checks import (
    behind_parts,
    given_arrays,
)
from s2sad.frontend.specialise.objects.copying import DEEP
from s2sad.ops.runtime.results import require_different_arrays, require_two_arrays
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
    made = ir.applies(s, np.copy, ops.own_rows)
    return made and s.value.spelling.startswith(DEEP)  # type: ignore[attr-defined]


def _changes(function: ir.Function, spec: Specialiser | None) -> _Copies:
    known = with_all_kinds(function)
    memory = points_to(known, apart=True, as_written=True)
    views = solve_forward(known.body, {}, ViewsOfArrays(known.kinds, set()))
    return _Copies(spec, memory, views, _written(known.body))


@dataclass
class _Copies:
    spec: Specialiser | None
    memory: PointsTo
    views: Facts[Views]
    written: frozenset[str]
    """The names of what is written into."""
    on_paths: list[ir.Result] = field(default_factory=list)
    """Copies in blocks that have been left."""
    given: dict[tuple[str, str], tuple[ir.Operand, ...]] = field(default_factory=dict)
    """The pairs of arguments of which one deep copy copies both, and the copies."""

    def block(
        self, statements: ir.Block, before: tuple[ir.Result, ...] = ()
    ) -> ir.Block:
        """A block behind these copies."""
        done: list[ir.Statement] = []
        for s in statements:
            if not _is_copy(s):
                done.append(ir.with_blocks(s, partial(self.block, before=before)))
                self.on_paths += filter(_is_copy, ir.walk((s,)))
                continue
            mark = s.value.spelling
            self._refuse_unclear(s, before)
            done += self._copied(s, [e for e in before if e.value.spelling == mark])
            before = (*before, s)
        return tuple(done)

    def _refuse_unclear(self, s: ir.Result, before: tuple[ir.Result, ...]) -> None:
        """Report a copy of what may be one with what was copied on some paths only, or
        of a list that holds what else is copied."""
        others = [e for e in before if _are_lists(e, s)] + self.on_paths
        for e in others:
            if e.value.spelling != s.value.spelling or not self._may_be_one(e, s):
                continue
            if self.spec is not None and (self._is_changed(e) or self._is_changed(s)):
                self.spec.report_at(_refusal_of_copy(), s.span)

    def _is_changed(self, copy: ir.Result) -> bool:
        """True where a copy, or what was copied, may be written into."""
        variables = *ir.value_variables(copy.value), *ir.direct_writes(copy)
        memory = self.memory.anywhere
        return any(
            _may_share(memory, w, v.name) for w in self.written for v in variables
        )

    def _copied(self, s: ir.Result, earlier: list[ir.Result]) -> Iterator[ir.Statement]:
        """A copy, where ``earlier`` ones belong to the same deep copy."""
        if s.value.function is ops.own_rows:
            yield from self._copied_list(s)
            return
        same = [
            e
            for e in earlier
            if not _are_lists(e) and self._base(e, s) == self._base(s, s)
        ]
        if same:
            yield replace(s, value=same[0].target)
            return
        made: ir.Statement = replace(s, value=replace(s.value, spelling=""))
        for e in earlier:
            if _are_lists(e) or not _are_alike(e.kind, s.kind):
                continue
            self._note_given(e, s)
            if self._may_be_one(e, s):
                test, one = self._is_one(e, s), replace(s, value=e.target)
                yield test
                made = ir.If(s.span, test.target, (one,), (made,))
        yield made

    def _copied_list(self, s: ir.Result) -> Iterator[ir.Statement]:
        """A copy of a list of arrays: the list itself, unless one of them is written
        into."""
        (rows,) = s.value.args
        assert isinstance(rows, ir.Var) and isinstance(s.target, ir.Var)
        if not self._is_changed(s):
            yield replace(s, value=rows)
            return
        yield ir.Effect(s.span, ir.Apply(require_different_arrays, (rows,)))
        kind = s.kind or self.memory.kinds.get(rows.name)
        if isinstance(kind, ir.List):
            yield from self._items_copied(s, s.target, rows, kind)

    def _items_copied(
        self, s: ir.Result, target: ir.Var, rows: ir.Var, kind: ir.List
    ) -> Iterator[ir.Statement]:
        """The loop of ``target = [np.copy(row) for row in rows]``."""
        count, place, row, made = map(self._fresh, ("count", "place", "row", "copied"))
        read = ir.Apply(operator.getitem, (rows, place))
        body: list[ir.Statement] = [ir.Assign(s.span, row, read, kind.item)]
        if isinstance(kind.item, ir.List):
            body += self._items_copied(s, made, row, kind.item)
        else:
            copied = ir.Apply(np.copy, (row,))
            body.append(ir.Assign(s.span, made, copied, kind.item))
        longer = ir.Apply(ops.appended, (target, made, place))
        body.append(ir.Assign(s.span, target, longer, kind))
        new = ir.Apply(ops.new_list, ())
        yield ir.Assign(s.span, count, ir.Apply(len, (rows,)), ir.INT)
        yield ir.Assign(s.span, target, new, replace(kind, item=None))
        first, step = ir.Const(0), ir.Const(1)
        yield ir.For(s.span, place, first, count, step, tuple(body))

    def _fresh(self, hint: str) -> ir.Var:
        return ir.Var(hint) if self.spec is None else self.spec.fresh(hint)

    def _is_one(self, earlier: ir.Result, s: ir.Result) -> ir.Assign:
        """The question whether the array is that of an earlier copy."""
        asked = ir.Apply(operator.is_, (*s.value.args, *earlier.value.args))
        return ir.Assign(s.span, self._fresh("is_same"), asked, ir.BOOL)

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
    written = (memory.of(name) for name in _written(function.body))
    changed = frozenset().union(*written)
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
                    if _written(function.body) or _writes_somewhere(call.function):
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


def _written(body: ir.Block) -> frozenset[str]:
    return frozenset(s.target.name for s in ir.walk(body) if ops.is_write(s))


def _may_share(memory: Memory, first: str, second: str) -> bool:
    """True where two variables may hold the same buffer, each at its own time."""
    known = {first, second} <= set(memory.buffers)
    return not known or bool(memory.of(first) & memory.of(second))


def _are_lists(*copies: ir.Result) -> bool:
    return any(copy.value.function is ops.own_rows for copy in copies)


def _writes_somewhere(procedure: ir.Procedure) -> bool:
    called = filter(ir.is_complete, ir.with_called(procedure))
    return any(bool(_written(p.function.body)) for p in called)


def _refusal() -> core.Unsupported:
    return core.Unsupported(
        "a function that stays a call makes one deep copy of two arrays that may be "
        "one array",
        "make the deep copy outside of it, or pass a copy of one of the arrays",
    )


def _refusal_of_copy() -> core.Unsupported:
    return core.Unsupported(
        "a deep copy of arrays that may be one, of which one stands in a list, or is "
        "copied on some paths only",
        "copy them one by one, or make a new object of copies",
    )
