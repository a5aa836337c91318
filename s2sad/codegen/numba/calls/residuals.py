"""Residuals of calls, of one type on all paths.

::

    q = None                                 q = 0.0
    if p < 0.5:                              if p < 0.5:
        q = log(p)                   ->          q = log(p)
    return y, (c, p, q)                      return y, (c, p, q)

Numba's tuples hold values of one type each. What a path doesn't keep, the reverse
program doesn't read there. The residuals of a call inside are a tuple of their own, or
the number of that call, of which the residuals are kept in a list
(``listed_calls.py``): where functions call themselves, whose types would have no end,
and where tuples would be so large that to copy and compile them takes long.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from s2sad import ir
from s2sad.codegen.numba.programs import Programs, call_of_procedure

NUMBER_OF_CALL = ir.Scalar("int")
"""The kind of a call's number, which stands for residuals that are kept in a list."""
LARGEST_TUPLE = 32
"""So many words may the residuals of a call have that aren't."""
Kinds = tuple[ir.Kind | None, ...]
_NONE = ir.Const(None)


@dataclass(frozen=True, slots=True)
class Residuals(ir.Kind):
    """What a forward program hands to its reverse program."""

    items: Kinds
    of: ir.Procedure
    strided: tuple[bool, ...] = ()
    """Of arrays in a list: which may be of any layout."""


@dataclass(frozen=True)
class Typed:
    """Programs with kinds for all that holds residuals."""

    functions: list[ir.Function]
    called: Programs
    listed: dict[ir.Procedure, Kinds]
    """The forward programs whose residuals are kept in lists, with their kinds."""


def sample_of(kind: ir.Kind) -> Any:
    """Some value of a kind, which nobody reads: a step for the emitter."""
    raise NotImplementedError


def has_sample(kind: ir.Kind | None) -> bool:
    """True for kinds of which a value can be written down."""
    match kind:
        case ir.Scalar() | ir.NumPyScalar():
            return ir.dtype_of(kind) in VALUES
        case ir.Array(axes=tuple(), promoted=False):
            return kind.dtype in VALUES
        case ir.List(item=item):
            return has_sample(item)
        case Residuals(items=items):
            return all(map(has_sample, items))
    return False


VALUES: dict[str | None, Any] = {
    "float64": 0.0,
    "int64": 0,
    "bool": False,
    "complex128": 0j,
}
"""A number of each dtype."""


def with_typed_residuals(functions: Iterable[ir.Function], called: Programs) -> Typed:
    """Programs whose variables of residuals have kinds, and a value on each path."""
    listed = _that_call_themselves(called)
    asked = _asked_in_reverse(called)
    while True:
        kept: dict[ir.Procedure, Kinds] = {}
        forward: dict[ir.Procedure, _Residuals] = {}
        found: Programs = {}
        for p in _callees_first(called):
            if p.returns_residuals:
                forward[p] = _Residuals(called[p], _handles(kept, listed))
                found[p], kept[p] = forward[p].forward(asked.get(p, set()))
        more = {p for p, items in kept.items() if _words(items) > LARGEST_TUPLE}
        more |= {q for p in listed for q in _with_arrays(kept[p])}
        more = {p for p in more - listed if all(map(has_sample, kept[p]))}
        if not more:
            break
        listed |= more
    handles = _handles(kept, listed)
    for p in called:
        if p not in found:
            typed = _Residuals(called[p], handles)
            if p.reverses is not None and p.reverses[0] in kept:
                typed.unpack(forward[p.reverses[0]])
            found[p] = typed.function
    entries = [_Residuals(f, handles) for f in functions]
    if len(entries) > 1:  # a pullback
        entries[1].unpack(entries[0])
    return Typed(
        [entry.function for entry in entries],
        {p: found[p] for p in called},
        {p: kept[p] for p in called if p in listed},
    )


def _handles(
    kept: Mapping[ir.Procedure, Kinds], listed: set[ir.Procedure]
) -> dict[ir.Procedure, ir.Kind]:
    """What the caller of each forward program holds of it."""
    found: dict[ir.Procedure, ir.Kind] = {}
    for p, items in kept.items():
        found[p] = Residuals(items, p)
    return found | dict.fromkeys(listed, NUMBER_OF_CALL)


def _asked(function: ir.Function) -> set[str]:
    """The variables of which a program asks whether they are None."""
    return {
        v.name
        for s in ir.walk(function.body)
        for value in ir.operations(s)
        if value.function in (operator.is_, operator.is_not)
        for v in ir.value_variables(value)
    }


def _asked_in_reverse(called: Programs) -> dict[ir.Procedure, set[str]]:
    """Those among the residuals of which a reverse program asks it, by the names that
    the forward program has for them."""
    found: dict[ir.Procedure, set[str]] = {}
    for p, f in called.items():
        if p.reverses is None or p.reverses[0] not in called:
            continue
        taken = ir.residuals_taken(f)
        if taken is not None:
            names, forward = _asked(f), p.reverses[0]
            own = residuals_of(called[forward]).items
            found.setdefault(forward, set()).update(
                one.name
                for one, other in zip(own, taken[1].items, strict=True)
                if isinstance(one, ir.Var) and str(other) in names
            )
    return found


def _words(kinds: Kinds) -> int:
    """How large residuals are, about."""
    total = 0
    for kind in kinds:
        if isinstance(kind, Residuals):
            total += _words(kind.items)
        else:
            total += 5 if isinstance(kind, ir.Array) and kind.axes else 1
    return total


def _with_arrays(kinds: Kinds) -> Iterator[ir.Procedure]:
    """The forward programs of which these hold residuals with arrays, whose layout
    isn't known where a list of them is made."""
    for kind in kinds:
        inner = kind.item if isinstance(kind, ir.List) else kind
        if isinstance(inner, Residuals):
            yield from _with_arrays(inner.items)
            if any(isinstance(i, ir.Array | ir.List) for i in inner.items):
                yield inner.of


def _that_call_themselves(called: Programs) -> set[ir.Procedure]:
    """The forward programs that call themselves, perhaps through others."""
    reached = {p: set(ir.called_procedures(f.body)) for p, f in called.items()}
    while True:
        wider = {
            p: own.union(*(reached.get(q, set()) for q in own))
            for p, own in reached.items()
        }
        if wider == reached:
            return {p for p in called if p.returns_residuals and p in reached[p]}
        reached = wider


def _callees_first(called: Programs) -> Iterator[ir.Procedure]:
    seen: set[ir.Procedure] = set()
    for procedure in called:
        pending = [procedure]
        while pending:
            last = pending[-1]
            seen.add(last)
            more = [q for q in ir.called_procedures(called[last].body) if q not in seen]
            if more:
                pending.append(more[0])
                continue
            pending.pop()
            if last in called and last not in pending:
                yield last


class _Residuals:
    """One program whose variables of residuals get kinds."""

    def __init__(
        self, function: ir.Function, handles: Mapping[ir.Procedure, ir.Kind]
    ) -> None:
        self.program, self.handles = function, handles
        self.kinds: dict[str, ir.Kind] = dict(function.kinds)
        self.items: dict[str, ir.Kind | None] = {}
        """The kinds of what is kept on stacks."""
        self.hand_on()

    @property
    def function(self) -> ir.Function:
        """The program with these kinds."""
        return replace(self.program, kinds=self.kinds)

    def hand_on(self) -> None:
        """Follow residuals through names and stacks."""
        lines = list(ir.walk(self.program.body))
        while True:
            before = dict(self.kinds), dict(self.items)
            for s in lines:
                if isinstance(s, ir.Save) and isinstance(s.value, ir.Var):
                    self.note_kept(s.stack.name, self.kinds.get(s.value.name))
                elif isinstance(s, ir.Restore):
                    self.note(s.target, self.items.get(s.stack.name))
                elif isinstance(s, ir.Assign):
                    self.note_assigned(s)
            if (self.kinds, self.items) == before:
                return

    def note(self, target: ir.Operand, kind: ir.Kind | None) -> None:
        """A variable holds what is of this kind, if that is residuals."""
        if isinstance(kind, Residuals) or kind is NUMBER_OF_CALL:
            assert isinstance(target, ir.Var)
            self.kinds[target.name] = kind

    def note_kept(self, stack: str, kind: ir.Kind | None) -> None:
        both = {ir.dtype_of(k) for k in (kind, self.items.get(stack)) if k is not None}
        self.items[stack] = ir.FLOAT if both == {"int64", "float64"} else kind

    def note_assigned(self, s: ir.Assign) -> None:
        value: Any = s.value
        call = call_of_procedure(s)
        if call is not None and call.procedure in self.handles:
            assert isinstance(s.target, ir.Pack)
            self.note(s.target.items[-1], self.handles[call.procedure])
            return
        if isinstance(value, ir.Apply) and value.function is reversed:
            (value,) = value.args
        if isinstance(value, ir.Var) and isinstance(s.target, ir.Var):
            self.note(s.target, self.kinds.get(value.name))
            if value.name in self.items:
                self.items[s.target.name] = self.items[value.name]

    def forward(self, asked: set[str]) -> tuple[ir.Function, Kinds]:
        """The program in which each residual has a value of its type on all paths, but
        those of which it is ``asked`` whether they are None, and the kinds of all."""
        packed = self.residuals
        kinds = tuple(map(self.kind_of_residual, packed.items))
        wanted = {
            item.name: kind
            for item, kind in zip(packed.items, kinds, strict=True)
            if isinstance(item, ir.Var) and has_sample(kind)
        }
        for s in self.program.body:  # residuals of a pullback are copies
            if ir.is_line(s, np.array) and s.target.name in wanted:
                wanted[str(s.value.args[0])] = wanted[s.target.name]
        for name in asked | _asked(self.program):
            wanted.pop(name, None)

        def lines(s: ir.Statement) -> ir.Block:
            if not isinstance(s, ir.Assign) or s.value != _NONE:
                return (s,)
            if not isinstance(s.target, ir.Var) or s.target.name not in wanted:
                return (s,)
            kind = wanted[s.target.name]
            return (replace(s, value=_sample(kind), kind=kind),)

        body = ir.with_leaves(self.program.body, lines)
        return replace(self.program, body=body, kinds=self.kinds), kinds

    @property
    def residuals(self) -> ir.Pack:
        """What a forward program hands on."""
        return residuals_of(self.program)

    def kind_of_residual(self, item: ir.Operand) -> ir.Kind | None:
        """What is handed on of a variable: numbers on a stack as an array."""
        if not isinstance(item, ir.Var):
            return None
        if item.name not in self.items:
            return self.kinds.get(item.name)
        kind = self.items[item.name]
        if isinstance(kind, ir.Scalar | ir.NumPyScalar):
            return ir.Array(ir.dtype_of(kind), (ir.Axis("any"),))
        return ir.List(kind)

    def unpack(self, forward: _Residuals) -> None:
        """This is a reverse program, which is given the residuals of that one."""
        taken = ir.residuals_taken(self.program)
        if taken is None:
            return
        for own, name in zip(forward.residuals.items, taken[1].items, strict=True):
            if isinstance(own, ir.Var) and isinstance(name, ir.Var):
                self.note(name, forward.kinds.get(own.name))
                if own.name in forward.items:
                    self.items[name.name] = forward.items[own.name]
        self.hand_on()


def residuals_of(function: ir.Function) -> ir.Pack:
    """What a forward program hands on, which it returns last."""
    last = function.body[-1]
    assert isinstance(last, ir.Return) and isinstance(last.value, ir.Pack)
    packed = last.value.items[-1]
    assert isinstance(packed, ir.Pack)
    return packed


def _sample(kind: ir.Kind | None) -> Any:
    if kind is not None and ir.axes_of(kind) == ():
        return ir.Const(VALUES[ir.dtype_of(kind)])
    return ir.Apply(sample_of, (ir.Const(kind),))
