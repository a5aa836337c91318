"""Array writes: every name of an array that was written into gets its new value.

Takes a function in which a store gives its target alone a new value; gives one in which
all names that share the memory have theirs, so that what follows needs no notion of
memory::

    y = x                          y = x
    r = x[0]                       r = x[0]
    x = stored(x, k, v)     ->     x = stored(x, k, v)
    use(x, y, r)                   y = x
                                   r = x[0]
                                   use(x, y, r)

What shares memory in ways that aren't followed is refused. Two arguments may share
memory, too: that is checked when the program runs.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from s2sad.analysis.dataflow import Analysis, Facts, solve_forward
from s2sad.analysis.liveness import live_variables
from s2sad.analysis.points_to import OUTSIDE, Memory, PointsTo, is_number, points_to
from s2sad.frontend.specialise.exceptions import Unsupported
from s2sad.frontend.specialise.specialiser import Specialiser
from s2sad.ir.joins import join
from s2sad.ir.kinds import INT, Array, Kind, Structure
from s2sad.ir.nodes import (
    Apply,
    Assign,
    Block,
    Const,
    Effect,
    For,
    Function,
    Operand,
    Pack,
    Slice,
    Statement,
    Var,
    While,
    pack_tuple,
)
from s2sad.ir.procedures import Procedure
from s2sad.ir.walking import (
    direct_reads,
    direct_writes,
    operand_variables,
    operations,
    value_variables,
    walk,
    with_leaves,
)
from s2sad.optimise.dead_code import must_run
from s2sad.transform.argument_checks import behind_parts, checks_of_arguments
from s2sad.transform.augmented_arrays import PLAIN, is_augmented
from s2sad.transform.buffers import (
    added_to,
    overwritten_part,
    stored,
    subtracted_from,
)
from s2sad.transform.plain_views import checks_of_layouts, with_plain_views
from s2sad.transform.stores import is_demand, is_store, is_write
from s2sad.transform.views import (
    composed_index,
    index_items,
    is_view,
    is_whole_number,
    source_of,
    written_back,
)

Views = Mapping[str, Assign]
"""For each variable that is another's array, or a view of it: how it is made of it."""


def with_writes_seen(
    function: Function,
    spec: Specialiser,
    handed_back: frozenset[str] | None = None,
) -> Function:
    """The function with new values for all names of what a store changes. Of a
    procedure, ``handed_back`` are the parameters that it may write into."""
    from s2sad.transform.array_references import with_references

    if not any(map(is_write, walk(function.body))):
        return function
    relied_on: Block = ()
    while True:
        original = function
        plain = with_plain_views(_with_kinds(function), spec)
        function = plain.function
        # a store counts also where its own name isn't read again: others see it
        facts, _ = live_variables(function.body, lambda s: must_run(s) or is_write(s))
        memory = points_to(function, apart=True, as_written=True)
        views = solve_forward(
            function.body, {}, _ViewsOfArrays(function.kinds, plain.unsure)
        )
        undecided = _undecided(function, facts, memory, views)
        attempts = (with_references(plain, names, memory) for names in undecided)
        followed = next((f for f in attempts if f is not None), None)
        if followed is None:
            break
        relied_on += checks_of_layouts(plain, memory)
        function = replace(followed, kinds=original.kinds)

    hidden = set(function.parameters) - handed_back if handed_back is not None else ()
    for call, first, second in _shared_arguments(function, memory):
        spec.report_at(_refusal_of_call(first, second), call.span)

    def change(s: Statement) -> Block:
        if is_demand(s):
            assert isinstance(s, Effect)
            array, value = (v.name for v in direct_reads(s))
            if memory.before(s).shared_with(array, (value,)):
                spec.report_at(_refusal(array, value), s.span)
            return ()
        if not is_write(s):
            return (s,)
        assert isinstance(s, Assign) and isinstance(s.target, Var)
        if is_number(function.kinds.get(s.target.name)):
            return (s,)
        place = _Place(
            views.before.get(id(s), {}),
            facts.after.get(id(s), frozenset()) - {s.target.name},
            function.kinds,
        )
        here, own = memory.before(s), s.target.name
        if OUTSIDE in here.of(own):
            spec.report_at(_refusal(own, ""), s.span)
            return (s,)
        if any((*OUTSIDE, p) in here.of(own) for p in hidden):
            spec.report_at(_refusal(own, ""), s.span)
            return (s,)
        if unknown := place.unclear(own, here):
            spec.report_at(_refusal(own, unknown[0]), s.span)
            return (s,)
        # a name that isn't read again may still be the way to one that is
        if len(place.members(own)) == 1:
            return (s,)
        try:
            return place.written(s)
        except Unsupported as problem:
            spec.report_at(problem, s.span)
            return (s,)

    body = with_leaves(function.body, change)
    checks: Block = ()
    if handed_back is None:  # calls of procedures have been looked at
        checks = checks_of_arguments(function, memory, spec)
    checks += relied_on
    known = [c.value for c in relied_on]  # type: ignore[attr-defined]
    checks += tuple(
        c
        for c in checks_of_layouts(plain, memory)
        if c.value not in known  # type: ignore[attr-defined]
    )
    return replace(original, body=behind_parts(replace(function, body=body), checks))


def _undecided(
    function: Function, facts: Facts[frozenset[str]], memory: PointsTo, views: Any
) -> Iterator[set[str]]:
    """The names of what is written into that may or may not share memory, together for
    each store. So are those that share it all the way through a loop: one variable for
    them needs no copies."""
    loops: dict[int, Statement] = {}
    for s in walk(function.body):
        if isinstance(s, For | While):
            for inner in walk(s.body):
                loops[id(inner)] = s
    for s in walk(function.body):
        if not is_write(s) or id(s) not in facts.after:
            continue
        assert isinstance(s, Assign) and isinstance(s.target, Var)
        own = s.target.name
        if is_number(function.kinds.get(own)):
            continue
        live = facts.after[id(s)] - {own}
        place = _Place(views.before.get(id(s), {}), live, function.kinds)
        if unclear := place.unclear(own, memory.before(s)):
            yield {own, *unclear}
        elif id(s) in loops:
            inside = {id(inner) for inner in walk((loops[id(s)],))}
            base = place.base(own, inside)
            same = {n for n in place.members(own) if place.base(n, inside) == base}
            if len(same) > 1:
                yield same


def parameters_written(function: Function) -> set[str]:
    """The parameters that a function writes into, also under other names."""
    function = _with_kinds(function)
    memory = points_to(function, apart=True, as_written=True)
    found: set[str] = set()
    for s in walk(function.body):
        if is_write(s):
            assert isinstance(s, Assign) and isinstance(s.target, Var)
            if not is_number(function.kinds.get(s.target.name)):
                held = memory.before(s).of(s.target.name)
                found |= {p for p in function.parameters if (*OUTSIDE, p) in held}
    return found


def _shared_arguments(
    function: Function, memory: PointsTo
) -> Iterator[tuple[Statement, str, str]]:
    """The calls of procedures that write into an array which another argument may
    share: a procedure takes its parameters to be apart."""
    for s in walk(function.body):
        for call in operations(s):
            if not isinstance(call.function, Procedure):
                continue
            details = call.function.details
            names = [str(p.operand) for p in details.parameters]
            given = dict(zip(names, call.args, strict=True))
            here = memory.before(s)
            for written in details.written:
                own = given.pop(written)
                assert isinstance(own, Var)
                for other in given.values():
                    for v in operand_variables(other):
                        if is_number(function.kinds.get(v.name)):
                            continue
                        if v == own or here.shared_with(own.name, (v.name,)):
                            yield s, own.name, v.name


def _refusal_of_call(name: str, other: str) -> Unsupported:
    return Unsupported(
        None,
        f"a function that calls itself writes into {_shown(name)}, and may share it "
        f"with another argument of the call, {_shown(other)}",
        "pass a copy of the other one",
    )


def _refusal(name: str, other: str) -> Unsupported:
    own = _shown(name)
    theirs = _shown(other) if other else "the caller or its module"
    return Unsupported(
        None,
        f"this writes into the array {own}, which {theirs} may share",
        "write into a copy, or copy the other one first",
    )


def _shown(name: str) -> str:
    plain = name.split("~")[0]
    return "an item or intermediate value" if "." in plain else repr(plain)


@dataclass(frozen=True)
class _Place:
    """What is known where a store stands."""

    views: Views
    live: frozenset[str]
    kinds: Mapping[str, Kind]

    def source(self, name: str) -> Var | None:
        made = self.views.get(name)
        return None if made is None else source_of(made)

    def root(self, name: str) -> str:
        source = self.source(name)
        return name if source is None else self.root(source.name)

    def unclear(self, name: str, memory: Memory) -> list[str]:
        """The names that may share the array's memory, but not surely."""
        others = [n for n in sorted(self.live) if memory.shared_with(name, (n,))]
        return [n for n in others if self.root(n) != self.root(name)]

    def base(self, name: str, inside: set[int]) -> str:
        """The name that others were made of as mere copies of it, outside of a loop
        that holds certain statements."""
        made = self.views.get(name)
        if made is None or id(made) in inside or not isinstance(made.value, Var):
            return name
        return self.base(made.value.name, inside)

    def written(self, s: Assign) -> Block:
        """The store, and the new values of the names that see it."""
        assert isinstance(s.target, Var)
        lines: list[Statement] = []
        own = name = s.target.name
        if is_augmented(s) and self.source(name) is not None:
            ahead, s = self._as_store(s)
            lines += ahead
        composed = self._on_the_root(s) if is_store(s) else None
        lines.append(composed or s)
        if composed is not None:
            name = composed.target.name  # type: ignore[union-attr]
        else:
            while (source := self.source(name)) is not None:
                lines += written_back(self.views[name], source, s, self.kinds)
                name = source.name
        done = {name} if composed is not None else {name, own}
        waiting = self.members(name) - done
        while waiting:
            ready = [n for n in waiting if self.source(n).name in done]  # type: ignore[union-attr]
            for other in sorted(ready):
                lines.append(replace(self.views[other], span=s.span))
            done.update(ready)
            waiting.difference_update(ready)
        return tuple(lines)

    def members(self, name: str) -> set[str]:
        """All names of the array, and of views of it."""
        root = self.root(name)
        return {n for n in (root, *self.views) if self.root(n) == root}

    def _on_the_root(self, s: Assign) -> Assign | None:
        """A store into rows of a root, as a store into the root."""
        assert isinstance(s.value, Apply) and isinstance(s.target, Var)
        name = s.target.name
        _, index, value, old = s.value.args
        while (made := self.views.get(name)) is not None:
            source = source_of(made)
            assert source is not None
            if isinstance(made.value, Apply):
                inner = self._index_of_source(made.value, source, index)
                if inner is None:
                    return None
                index = inner
            name = source.name
        if name == s.target.name:
            return None
        store = Apply(s.value.function, (Var(name), index, value, old))
        return replace(s, target=Var(name), value=store, kind=self.kinds.get(name))

    def _as_store(self, s: Assign) -> tuple[Block, Assign]:
        """``view += v`` as a store into all of the view, and what comes before it."""
        assert isinstance(s.value, Apply) and isinstance(s.target, Var)
        array, everything = s.target, Const(Ellipsis)
        kind = self.kinds.get(array.name)
        old, new = Var(f"{array.name}.old"), Var(f"{array.name}.new")
        part = Apply(overwritten_part, (array, everything))
        lines: list[Statement] = [Assign(s.span, old, part, kind)]
        function, value = s.value.function, s.value.args[1]
        kept = {operator.iadd: added_to, operator.isub: subtracted_from}.get(function)
        if kept is None:
            lines.append(
                Assign(s.span, new, Apply(PLAIN[function], (array, value)), s.kind)
            )
            kept, value = stored, new
        store = Apply(kept, (array, everything, value, old))
        return tuple(lines), replace(s, value=store, kind=kind)

    def _index_of_source(
        self, made: Apply, source: Var, index: Operand
    ) -> Operand | None:
        """Where an index of a view stands in its source; None where that can't be said
        by one index."""
        if made.function is operator.getitem:
            return composed_index(made.args[1], index, self.kinds)
        kind = self.kinds.get(source.name)
        rank = len(kind.axes or ()) if isinstance(kind, Array) else 0
        items = index_items(index)
        if any(i == Const(Ellipsis) or i == Const(None) for i in items):
            return None
        items += (Slice(None, None, None),) * (rank - len(items))
        numbers = [is_whole_number(i, self.kinds) for i in items]
        # what is stored along two axes would have to be transposed, too
        turned = made.function is np.transpose and len(made.args) == 1
        if turned and not made.keywords and sum(numbers) >= len(items) - 1:
            return pack_tuple(*reversed(items))
        return None


class _ViewsOfArrays(Analysis[Views]):
    """Follows which variables are surely views of others."""

    def __init__(self, kinds: Mapping[str, Kind], unsure: set[int]) -> None:
        self.kinds, self.unsure = kinds, unsure

    def join(self, a: Views, b: Views) -> Views:
        return {n: s for n, s in a.items() if _same(b.get(n), s)}

    def iteration(self, statement: For, fact: Views) -> Views:
        return _without(fact, {statement.target.name})

    def leaf(self, statement: Statement, fact: Views) -> Views:
        if is_write(statement):
            return fact
        written = {v.name for v in direct_writes(statement)}
        fact = _without(fact, written)
        if id(statement) in self.unsure:
            return fact
        if isinstance(statement, Assign) and is_view(statement, self.kinds):
            assert isinstance(statement.target, Var)
            reads = {v.name for v in value_variables(statement.value)}
            if statement.target.name not in reads:
                return {**fact, statement.target.name: statement}
        return fact


def _same(a: Assign | None, b: Assign) -> bool:
    return a is not None and a.value == b.value


def _without(fact: Views, written: set[str]) -> Views:
    lost = {
        name
        for name, s in fact.items()
        if name in written or any(v.name in written for v in value_variables(s.value))
    }
    return {n: s for n, s in fact.items() if n not in lost} if lost else fact


def _with_kinds(function: Function) -> Function:
    """The function with the kinds of all its variables, where a name that is bound
    several times has one for all."""
    kinds = dict(function.kinds)
    for s in walk(function.body):
        if isinstance(s, For):
            kinds[s.target.name] = INT
        elif isinstance(s, Assign) and isinstance(s.target, Var) and s.kind:
            name = s.target.name
            known = kinds.get(name)
            kinds[name] = s.kind if known is None else join(known, s.kind, name)
        elif isinstance(s, Assign) and isinstance(s.kind, Structure):
            assert isinstance(s.target, Pack)
            for item, kind in zip(s.target.items, s.kind.items):
                kinds.setdefault(str(item), kind)
    return replace(function, kinds=kinds)
