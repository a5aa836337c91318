"""Residuals in lists of all calls, of which a call has its number.

::

    y, r = f_forward(x, n)                calls = [(False, 0.0, 0)][:0]
    x.bar = f_reverse(r, 1.0)             y, r = f_forward(x, n, calls)
                                          x.bar = f_reverse(r, 1.0, calls)

    def f_forward(x, n):                  def f_forward(x, n, calls):
        ...                                   ...
        h, r = f_forward(x, n - 1)    ->      h, r = f_forward(x, n - 1, calls)
        ...                                   ...
        return y, (c, x, r)                   return y, kept_call(calls, (c, x, r))

    def f_reverse(residuals, g):          def f_reverse(residuals, g, calls):
        c, x, r = residuals                   c, x, r = calls[residuals]
        ...                                   ...
        x.bar = f_reverse(r, g)               x.bar = f_reverse(r, g, calls)

The functions of several lists are handed a tuple of them. A list has one type: an array
that needn't lie by rows is kept as a view of any layout. Those that are allocated, and
slices of such vectors, surely lie by rows, as Numba's types tell; so do parameters of
procedures where all calls give such arrays.
"""

import operator
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from s2sad import ir, ops
from s2sad.codegen.numba.calls.residuals import (
    Kinds,
    Residuals,
    residuals_of,
    sample_of,
)
from s2sad.codegen.numba.helpers import kept_call
from s2sad.codegen.numba.lists.list_operations import empty_list
from s2sad.codegen.numba.lists.stack_arrays import list_item
from s2sad.codegen.numba.programs import Facts, Programs, call_of_procedure, is_array

_ALLOCATED = (np.empty, np.zeros, np.ones, np.full, np.ascontiguousarray, sample_of)
_PRODUCTS = (operator.matmul, np.matmul, np.dot)
Places = Mapping[ir.Procedure, frozenset[int]]


def of_parameters(functions: Iterable[ir.Function], called: Programs) -> Places:
    """For each procedure, the places of arguments that lie by rows in all calls."""
    places: dict[ir.Procedure, frozenset[int]] = {
        p: frozenset(range(len(f.parameters))) for p, f in called.items()
    }
    everyone = [*((None, f) for f in functions), *called.items()]
    while True:
        before = dict(places)
        for p, f in everyone:
            known = by_rows_in(f, places, p)
            for s in ir.walk(f.body):
                call = call_of_procedure(s)
                if call is not None and call.procedure in places:
                    args = enumerate(call.value.args)
                    own = {k for k, a in args if _named(a) in known}
                    places[call.procedure] &= own
        if places == before:
            return places


def by_rows_in(
    function: ir.Function, places: Places, procedure: ir.Procedure | None
) -> frozenset[str]:
    """The variables of a program that surely lie by rows."""
    given: frozenset[int] = frozenset()
    if procedure is not None:
        given = places.get(procedure, frozenset())
    lines = [(v.name, s) for s in ir.walk(function.body) for v in ir.direct_writes(s)]
    parameters = {p: k for k, p in enumerate(function.parameters)}
    known = {name for name, _ in lines} | set(parameters)
    known -= {p for p, k in parameters.items() if k not in given}
    while True:
        lost = {
            n for n, s in lines if n in known and not _lies_by_rows(s, known, function)
        }
        if not lost:
            return frozenset(known)
        known -= lost


def _lies_by_rows(s: ir.Statement, known: set[str], function: ir.Function) -> bool:
    if not isinstance(s, ir.Assign) or not isinstance(s.target, ir.Var):
        return False
    value: Any = s.value
    if isinstance(value, ir.Var):
        return value.name in known
    if not isinstance(value, ir.Apply):
        return False
    first = value.args[0] if value.args else None
    if value.function in _ALLOCATED or value.function in _PRODUCTS:
        return True
    if value.function in ops.WRITES:
        return _named(first) in known
    if value.function is operator.getitem and _named(first) in known:
        kind = function.kinds.get(first.name)  # type: ignore[union-attr]
        index = value.args[1]
        vector = isinstance(kind, ir.Array) and len(kind.axes or ()) == 1
        return vector and isinstance(index, ir.Slice) and index.step is None
    return False


def _named(operand: Any) -> str | None:
    return operand.name if isinstance(operand, ir.Var) else None


def with_listed_calls(
    functions: list[ir.Function],
    called: Programs,
    listed: Mapping[ir.Procedure, Kinds],
    handed: ir.Var | None = None,
) -> tuple[list[ir.Function], Programs]:
    """The programs with lists for the residuals of some forward programs. Of the two
    functions of a pullback the first hands the lists to the other (``handed``)."""
    if not listed:
        return functions, called
    lists = _Lists(called, listed)
    entries = [_Rewritten(f, lists, given=handed) for f in functions]
    functions = [entries[0].entry()]
    functions += [r.entry() if handed is None else r.second() for r in entries[1:]]
    by_rows = of_parameters(functions, called)
    found: Programs = {}
    for p, f in called.items():
        rewritten = _Rewritten(f, lists, p.handed)
        if p in listed:
            found[p] = rewritten.forward(p, by_rows_in(f, by_rows, p))
        elif p.reverses is not None and p.reverses[0] in listed:
            found[p] = rewritten.reverse(p.reverses[0])
        elif p in lists.users:
            found[p] = rewritten.caller()
        else:
            found[p] = f
    return [_with_samples(f, lists) for f in functions], found


class _Lists:
    """Which lists there are, and which procedures need them."""

    def __init__(self, called: Programs, listed: Mapping[ir.Procedure, Kinds]) -> None:
        self.listed = listed
        self.order = list(listed)
        self.samples = {p: Residuals(kinds, p) for p, kinds in listed.items()}
        self.users = {
            p for p in called if p in listed or (p.reverses or [None])[0] in listed
        }
        while True:
            more = {
                p
                for p, f in called.items()
                if not self.users.isdisjoint(ir.called_procedures(f.body))
            }
            if more <= self.users:
                break
            self.users |= more


@dataclass
class _Rewritten:
    """One program, before it is rewritten."""

    function: ir.Function
    lists: _Lists
    handed: int = 0
    given: ir.Var | None = None
    """What the functions of a pullback call the lists."""

    def __post_init__(self) -> None:
        self.facts = Facts(self.function)
        self.temporaries: set[str] = set()
        self.given_by_rows: dict[str, ir.Assign] = {}
        """What makes arrays by rows of parameters."""
        self.calls = self.given or self.named("calls")

    def named(self, wish: str) -> ir.Var:
        name, taken = wish, {*self.facts.kinds, *self.facts.writes}
        while name in taken:
            name += "_"
        self.facts.kinds[name] = self.facts.added[name] = ir.OPAQUE
        return ir.Var(name)

    def temporary(self, wish: str, kind: ir.Kind) -> ir.Var:
        variable = self.facts.fresh(wish, kind)
        self.temporaries.add(variable.name)
        return variable

    def program(self, body: ir.Block, parameters: tuple[str, ...]) -> ir.Function:
        return replace(
            self.function,
            parameters=parameters,
            body=body,
            kinds={**self.function.kinds, **self.facts.added},
            temporaries=self.function.temporaries | frozenset(self.temporaries),
        )

    def caller(self, body: ir.Block | None = None) -> ir.Function:
        """The program with the lists as one more parameter, which it hands on."""
        body = self.function.body if body is None else body
        own = self.function.parameters
        place = len(own) - self.handed
        parameters = (*own[:place], self.calls.name, *own[place:])
        return self.program(ir.with_leaves(body, self.handing_on), parameters)

    def handing_on(self, s: ir.Statement) -> ir.Block:
        call = call_of_procedure(s)
        if call is None or call.procedure not in self.lists.users:
            return (s,)
        return (call.given_more((self.calls,)),)

    def own_list(self, p: ir.Procedure, lines: list[ir.Statement]) -> ir.Var:
        """The list of the calls of a function."""
        if len(self.lists.order) == 1:
            return self.calls
        own = self.temporary("own", ir.OPAQUE)
        place = ir.Const(self.lists.order.index(p))
        lines.append(
            ir.Assign(None, own, ir.Apply(list_item, (self.calls, place)), ir.OPAQUE)
        )
        return own

    def forward(self, p: ir.Procedure, by_rows: frozenset[str]) -> ir.Function:
        """The forward program, which lists its calls."""
        *ahead, last = self.function.body
        assert isinstance(last, ir.Return) and isinstance(last.value, ir.Pack)
        lines: list[ir.Statement] = []
        packed = residuals_of(self.function)
        items = [self.kept(item, by_rows, lines) for item in packed.items]
        strided = tuple(new is not old for new, old in zip(items, packed.items))
        self.lists.samples[p] = replace(self.lists.samples[p], strided=strided)
        own = self.own_list(p, lines)
        call = self.temporary("call", ir.INT)
        keep = ir.Apply(kept_call, (own, ir.pack_tuple(*items)))
        lines.append(ir.Assign(None, call, keep, ir.INT))
        results = (*last.value.items[:-1], call)
        lines.append(replace(last, value=ir.pack_tuple(*results)))
        return self.caller((*ahead, *lines))

    def kept(
        self, item: Any, by_rows: frozenset[str], lines: list[ir.Statement]
    ) -> Any:
        kind = self.facts.kind(item)
        if not is_array(kind) or item.name in by_rows:
            return item
        assert isinstance(kind, ir.Array) and kind.axes is not None
        step = ir.Slice(None, None, ir.Const(1))
        steps = [step] * len(kind.axes)
        index: Any = step if len(steps) == 1 else ir.pack_tuple(*steps)
        view = self.temporary(f"{item.name}.kept", kind)
        value = ir.Apply(operator.getitem, (item, index))
        lines.append(ir.Assign(None, view, value, kind))
        return view

    def reverse(self, p: ir.Procedure) -> ir.Function:
        """The reverse program, which finds its residuals in the list."""
        first, *others = self.function.body
        whole = ir.Var(self.function.parameters[0])
        if not isinstance(first, ir.Assign) or first.value != whole:
            return self.caller()
        lines: list[ir.Statement] = []
        own = self.own_list(p, lines)
        lines.append(replace(first, value=ir.Apply(list_item, (own, whole))))
        return self.caller((*lines, *others))

    def entry(self) -> ir.Function:
        """A program that makes the lists, which are filled in at last. What it hands to
        those that keep arrays lies by rows."""
        body = ir.with_leaves(self.function.body, self.by_rows)
        body = ir.with_leaves(body, self.handing_on)
        if self.given is not None:
            body = tuple(s for s in body if self.given not in ir.direct_writes(s))
        names = [self.calls]
        if len(self.lists.order) > 1:
            names = [self.named(f"{_stem(p)}_calls") for p in self.lists.order]
        lines: list[ir.Statement] = []
        for p, name in zip(self.lists.order, names, strict=True):
            empty = ir.Apply(empty_list, (ir.Const(p),))
            lines.append(ir.Assign(None, name, empty, ir.OPAQUE))
        if len(names) > 1:
            whole = ir.pack_tuple(*names)
            lines.append(ir.Assign(None, self.calls, whole, ir.OPAQUE))
        lines += self.given_by_rows.values()
        return self.program((*lines, *body), self.function.parameters)

    def second(self) -> ir.Function:
        """The reverse function of a pullback, which is given the lists. To copies of
        them it adds the calls that it makes itself."""
        body = ir.with_leaves(self.function.body, self.by_rows)
        body = ir.with_leaves(body, self.handing_on)
        lines: list[ir.Statement] = []
        called = ir.called_procedures(self.function.body)
        if any(p.reverses is None for p in called if p in self.lists.users):
            own = [self.own_list(p, lines) for p in self.lists.order]
            for calls in own:
                copy = ir.Apply(ops.own_copy, (calls,))
                lines.append(ir.Assign(None, calls, copy, ir.OPAQUE))
            if len(own) > 1:
                whole = ir.pack_tuple(*own)
                lines.append(ir.Assign(None, self.calls, whole, ir.OPAQUE))
        lines += self.given_by_rows.values()
        taken = ir.residuals_taken(self.function)
        assert taken is not None
        at = body.index(taken[0]) + 1
        body = (*body[:at], *lines, *body[at:])
        return self.program(body, self.function.parameters)

    def by_rows(self, s: ir.Statement) -> ir.Block:
        call = call_of_procedure(s)
        if call is None or call.procedure not in self.lists.users:
            return (s,)
        known = by_rows_in(self.function, {}, None)
        lines: list[ir.Statement] = []

        def operand(argument: Any) -> Any:
            kind = self.facts.kind(argument)
            if not is_array(kind) or argument.name in known:
                return argument
            assert kind is not None
            name = argument.name
            own = name in self.function.parameters and self.facts.writes[name] == 1
            if name not in self.given_by_rows:
                rows = self.temporary(f"{name}.rows", kind)
                made = ir.Apply(np.ascontiguousarray, (argument,))
                line = ir.Assign(None, rows, made, kind)
                if not own:
                    lines.append(line)
                    return rows
                self.given_by_rows[name] = line
            return self.given_by_rows[name].target

        args = call.value.args
        own = (*map(operand, args[: call.place]), *args[call.place :])
        return (*lines, call.given(own))


def _with_samples(function: ir.Function, lists: _Lists) -> ir.Function:
    """The program whose lists are of the types that the forward programs keep."""

    def line(s: ir.Statement) -> ir.Block:
        if ir.applies(s, empty_list) and isinstance(s.value.args[0], ir.Const):
            known = lists.samples.get(s.value.args[0].value)
            if known is not None:
                return (replace(s, value=ir.Apply(empty_list, (ir.Const(known),))),)
        return (s,)

    return replace(function, body=ir.with_leaves(function.body, line))


def _stem(procedure: ir.Procedure) -> str:
    return procedure.short.removesuffix("_forward")
