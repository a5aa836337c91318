"""Recursion: residuals in a list of all calls.

::

    def f_forward(x, n):                  def f_forward(x, n):
        ...                                   calls = [(False, 0.0, 0)][:0]
        h, r = f_forward(x, n - 1)            y, call = f_calls(x, n, calls)
        ...                                   return y, (calls, call)
        return y, (c, x, r)
                                          def f_calls(x, n, calls):
                                     ->       ...
                                              h, r = f_calls(x, n - 1, calls)
                                              ...
                                              return y, kept_call(calls, (c, x, r))

    def f_reverse(residuals, g):          def f_reverse(residuals, g):
        c, x, r = residuals                   calls, call = residuals
        ...                                   c, x, r = calls[call]
        x.bar = f_reverse(r, g)               ...
                                              x.bar = f_reverse((calls, r), g)

Residuals that hold those of a call inside would be of a type without end. Arrays are
kept as views of any layout, for which the list has one type.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from s2sad import ir
from s2sad.codegen.numba.calls.residuals import (
    NUMBER_OF_CALL,
    Recursions,
    Residuals,
)
from s2sad.codegen.numba.helpers import kept_call
from s2sad.codegen.numba.lists.list_operations import empty_list
from s2sad.codegen.numba.lists.stack_arrays import list_item
from s2sad.codegen.numba.programs import Facts, Programs, is_array


def recursions_in(programs: Programs) -> Recursions:
    """The forward programs that call themselves, each with those that do so through
    each other, itself among them."""
    reached = {
        p: set(ir.all_procedures([f.body], lambda q: True))
        for p, f in programs.items()
    }
    while True:
        wider = {
            p: own.union(*(reached.get(q, set()) for q in own))
            for p, own in reached.items()
        }
        if wider == reached:
            break
        reached = wider
    return {
        p: tuple(q for q in programs if q in reached[p] and p in reached[q])
        for p in programs
        if p.returns_residuals and p in reached[p]
    }


def with_listed_calls(
    programs: Programs,
    recursions: Recursions,
    kept: Mapping[ir.Procedure, tuple[ir.Kind | None, ...]],
) -> Programs:
    """The programs, of which no residuals hold those of the same function."""
    found: Programs = {}
    inner = {p: _inner(p) for p in recursions}
    for p, f in programs.items():
        if p in recursions:
            rewritten = _Rewritten(f, p, recursions[p], inner)
            found[p] = rewritten.entry(kept)
            found[inner[p]] = rewritten.forward()
        elif p.reverses is not None and p.reverses[0] in recursions:
            forward = p.reverses[0]
            found[p] = _Rewritten(f, forward, recursions[forward], inner).reverse()
        else:
            found[p] = f
    return found


def _inner(procedure: ir.Procedure) -> ir.Procedure:
    name = procedure.__name__.removesuffix("_forward")
    docstring = f"{procedure.docstring[:-1]}, which calls hold at the place returned."
    inner = ir.Procedure(f"{name}_calls", docstring, procedure)
    inner.short = f"{procedure.short.removesuffix('_forward')}_calls"
    return inner


@dataclass
class _Rewritten:
    """One program of a recursion, before or after it is rewritten."""

    function: ir.Function
    procedure: ir.Procedure
    """The forward program, of this pair."""
    recursion: tuple[ir.Procedure, ...]
    inner: Mapping[ir.Procedure, ir.Procedure]

    def __post_init__(self) -> None:
        self.facts = Facts(self.function)
        self.temporaries: set[str] = set()
        alone = len(self.recursion) == 1
        self.lists = {
            p: self.fresh("calls" if alone else f"{_stem(p)}_calls")
            for p in self.recursion
        }
        """The list of the calls of each function."""

    def fresh(self, wish: str) -> ir.Var:
        name, taken = wish, {*self.facts.kinds, *self.facts.writes}
        while name in taken:
            name += "_"
        self.facts.kinds[name] = self.facts.added[name] = ir.OPAQUE
        return ir.Var(name)

    def temporary(self, wish: str, kind: ir.Kind) -> ir.Var:
        variable = self.facts.fresh(wish, kind)
        self.temporaries.add(variable.name)
        return variable

    def program(
        self, body: Iterable[ir.Statement], more: Iterable[ir.Var] = ()
    ) -> ir.Function:
        """A program with the variables that were made; ``more`` are parameters."""
        return replace(
            self.function,
            parameters=(*self.function.parameters, *(v.name for v in more)),
            body=tuple(body),
            kinds={**self.function.kinds, **self.facts.added},
            temporaries=self.function.temporaries | frozenset(self.temporaries),
        )

    def entry(
        self, kept: Mapping[ir.Procedure, tuple[ir.Kind | None, ...]]
    ) -> ir.Function:
        """The program that others call."""
        lines: list[ir.Statement] = []
        for p, calls in self.lists.items():
            kind = Residuals(kept[p], strided=True)
            empty = ir.Apply(empty_list, (ir.Const(kind),))
            lines.append(ir.Assign(None, calls, empty, ir.OPAQUE))
        lists = tuple(self.lists.values())
        call = self.fresh("call")
        results = tuple(
            self.temporary("value", ir.OPAQUE) for _ in self._returned()[:-1]
        )
        given = (*map(ir.Var, self.function.parameters), *lists)
        value = ir.Apply(self.inner[self.procedure], given)
        lines.append(ir.Assign(None, ir.pack_tuple(*results, call), value))
        residuals = ir.pack_tuple(*lists, call)
        lines.append(ir.Return(None, ir.pack_tuple(*results, residuals)))
        return self.program(lines)

    def _returned(self) -> tuple[Any, ...]:
        last = self.function.body[-1]
        assert isinstance(last, ir.Return) and isinstance(last.value, ir.Pack)
        return last.value.items

    def forward(self) -> ir.Function:
        """The program that calls itself, and lists its calls."""
        body = ir.with_leaves(self.function.body, self._inner_calls)
        *ahead, last = body
        *results, residuals = self._returned()
        lines: list[ir.Statement] = []
        items = tuple(self._of_any_layout(item, lines) for item in residuals.items)
        own = self.lists[self.procedure]
        call = self.temporary("call", ir.INT)
        keep = ir.Apply(kept_call, (own, ir.pack_tuple(*items)))
        lines.append(ir.Assign(None, call, keep, ir.INT))
        lines.append(replace(last, value=ir.pack_tuple(*results, call)))
        name = self.inner[self.procedure]
        program = self.program((*ahead, *lines), self.lists.values())
        return replace(program, name=name.__name__, docstring=name.docstring)

    def _inner_calls(self, s: ir.Statement) -> ir.Block:
        if not ir.applies(s) or s.value.function not in self.recursion:
            return (s,)
        called = self.inner[s.value.function]
        args = (*s.value.args, *self.lists.values())
        return (replace(s, value=replace(s.value, function=called, args=args)),)

    def _of_any_layout(self, item: Any, lines: list[ir.Statement]) -> Any:
        kind = self.facts.kind(item)
        if not is_array(kind):
            return item
        assert isinstance(kind, ir.Array) and kind.axes is not None
        step = ir.Slice(None, None, ir.Const(1))
        steps: Any = step if len(kind.axes) == 1 else ir.pack_tuple(
            *(step for _ in kind.axes)
        )
        view = self.temporary(f"{item.name}.kept", kind)
        lines.append(
            ir.Assign(None, view, ir.Apply(operator.getitem, (item, steps)), kind)
        )
        return view

    def reverse(self) -> ir.Function:
        """The reverse program, which finds its residuals in the list."""
        first, *others = self.function.body
        whole = ir.Var(self.function.parameters[0])
        if not (isinstance(first, ir.Assign) and first.value == whole):
            return self.function
        call = self.fresh("call")
        lists = tuple(self.lists.values())
        taken = ir.Apply(list_item, (self.lists[self.procedure], call))
        lines = (
            ir.Assign(None, ir.pack_tuple(*lists, call), whole),
            replace(first, value=taken),
        )
        body = ir.with_leaves(tuple(others), self._with_lists)
        return self.program((*lines, *body))

    def _with_lists(self, s: ir.Statement) -> ir.Block:
        if not isinstance(s, ir.Assign | ir.Effect):
            return (s,)
        value = s.value
        if not isinstance(value, ir.Apply) or not _is_reverse(value.function):
            return (s,)
        residuals, *rest = value.args
        if not isinstance(residuals, ir.Var):
            return (s,)
        if self.function.kinds.get(residuals.name) is not NUMBER_OF_CALL:
            return (s,)
        whole = ir.pack_tuple(*self.lists.values(), residuals)
        return (replace(s, value=replace(value, args=(whole, *rest))),)


def _is_reverse(function: Any) -> bool:
    return isinstance(function, ir.Procedure) and function.reverses is not None


def _stem(procedure: ir.Procedure) -> str:
    return procedure.short.removesuffix("_forward")
