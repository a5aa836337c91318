"""Array names: which names surely are the same array, or views of it, and what a store
through one of them gives the others.

Takes what is known where a store stands; gives the store into the array itself, and the
lines that make its other names anew::

    y = x
    r = x[k]
                                   x = stored(x, (k, i), v)
    r = stored(r, i, v)     ->     r = x[k]
                                   y = x
"""

import operator
from collections.abc import Mapping, Set
from dataclasses import dataclass, replace

from s2sad import ir, ops
from s2sad.analysis.dataflow.dataflow import Analysis
from s2sad.analysis.memory.distinct_items import item_source, puts_back
from s2sad.analysis.memory.memory import Memory
from s2sad.ops.runtime.results import require_array
from s2sad.rules.steps.stopped import stopped
from s2sad.transform.memory.views import (
    composed_index,
    is_basic,
    is_view,
    is_whole_number,
    source_of,
    written_back,
)

Views = Mapping[str, ir.Assign]
"""For each variable that is another's array, or a view of it: how it is made of it."""


@dataclass(frozen=True)
class Place:
    """What is known where a store stands."""

    views: Views
    live: Set[str]
    kinds: Mapping[str, ir.Kind]

    def source(self, name: str) -> ir.Var | None:
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
        if made is None or id(made) in inside or not isinstance(made.value, ir.Var):
            return name
        return self.base(made.value.name, inside)

    def written(self, s: ir.Assign) -> ir.Block:
        """The store, and the new values of the names that see it."""
        assert isinstance(s.target, ir.Var)
        lines: list[ir.Statement] = []
        own = name = s.target.name
        if ops.is_augmented(s) and self.source(name) is not None:
            ahead, s = self._as_store(s)
            lines += ahead
        composed = self._on_the_root(s) if ops.is_store(s) else None
        lines.append(composed or s)
        if composed is not None:
            own = name = composed.target.name  # type: ignore[union-attr]
        while (source := self.source(name)) is not None:
            if self._is_stopped(name) and not self.live & self._others(name):
                break  # nobody sees that what is written had a derivative
            lines += written_back(self.views[name], source, s, self.kinds)
            name = source.name
        done = {name, own}
        waiting = self.members(name) - self._others(name) - done
        while waiting:
            ready = [n for n in waiting if self.source(n).name in done]  # type: ignore[union-attr]
            for other in sorted(ready):
                lines.append(replace(self.views[other], span=s.span))
            done.update(ready)
            waiting.difference_update(ready)
        return tuple(lines)

    def read(self, s: ir.Assign) -> ir.Assign:
        """``t = view[i]`` as a read of the array itself, so that what is kept of it is
        the element and not the view."""
        if not _reads_a_part(s):
            return s
        assert isinstance(s.value, ir.Apply)
        name, index = s.value.args[0].name, s.value.args[1]  # type: ignore[union-attr]
        found = self._place_on_the_root(name, index)
        if found is None:
            return s
        name, index = found
        return replace(s, value=replace(s.value, args=(ir.Var(name), index)))

    def members(self, name: str) -> set[str]:
        """All names of the array, and of views of it."""
        root = self.root(name)
        return {n for n in (root, *self.views) if self.root(n) == root}

    def _is_stopped(self, name: str) -> bool:
        value = self.views[name].value
        return isinstance(value, ir.Apply) and value.function is stopped

    def _others(self, name: str) -> set[str]:
        """The names of the array that aren't views of this one."""
        return {n for n in self.members(name) if not self._comes_of(n, name)}

    def _comes_of(self, name: str, origin: str) -> bool:
        source = self.source(name)
        return name == origin or (
            source is not None and self._comes_of(source.name, origin)
        )

    def _on_the_root(self, s: ir.Line) -> ir.Assign | None:
        """A store into rows of a root, as a store into the root."""
        _, index, value, old = s.value.args
        found = self._place_on_the_root(s.target.name, index)
        if found is None:
            return None
        name, index = found
        if s.value.function is ops.stored and isinstance(self.kinds.get(name), ir.List):
            if len(ir.tuple_items(index)) == 1:  # into the item, which isn't replaced
                index = ir.pack_tuple(index, ir.Const(Ellipsis))
        store = ir.Apply(s.value.function, (ir.Var(name), index, value, old))
        return replace(s, target=ir.Var(name), value=store, kind=self.kinds.get(name))

    def _place_on_the_root(
        self, name: str, index: ir.Operand
    ) -> tuple[str, ir.Operand] | None:
        """The array of which one is a view, and where an index of the view stands in
        it; None for what is no view, and where one index can't say it."""
        start = name
        while (made := self.views.get(name)) is not None:
            source = source_of(made)
            assert source is not None
            in_list = isinstance(self.kinds.get(source.name), ir.List)
            if isinstance(made.value, ir.Apply):
                inner = self._index_of_source(made.value, source, index)
                basic = all(is_basic(i, self.kinds) for i in ir.tuple_items(index))
                if in_list and not (inner and (basic or self._is_places(index))):
                    break
                if inner is None:
                    return None
                index = inner
            name = source.name
        return None if name == start else (name, index)

    def _is_places(self, index: ir.Operand) -> bool:
        """True for an index that is an array of places, and nothing else."""
        kind = ir.kind_of(index, self.kinds)
        return isinstance(kind, ir.Array) and kind.dtype == "int64"

    def _as_store(self, s: ir.Line) -> tuple[ir.Block, ir.Assign]:
        """``view += v`` as a store into all of the view, and what comes before it."""
        array, everything = s.target, ir.Const(Ellipsis)
        kind = self.kinds.get(array.name)
        old, new = ir.Var(f"{array.name}.old"), ir.Var(f"{array.name}.new")
        part = ir.Apply(ops.overwritten_part, (array, everything))
        lines: list[ir.Statement] = [ir.Assign(s.span, old, part, kind)]
        function, value = s.value.function, s.value.args[1]
        kept = {operator.iadd: ops.added_to, operator.isub: ops.subtracted_from}.get(
            function
        )
        if kept is None:
            lines.append(
                ir.Assign(
                    s.span, new, ir.Apply(ops.PLAIN[function], (array, value)), s.kind
                )
            )
            kept, value = ops.stored, new
        store = ir.Apply(kept, (array, everything, value, old))
        return tuple(lines), replace(s, value=store, kind=kind)

    def _index_of_source(
        self, made: ir.Apply, source: ir.Var, index: ir.Operand
    ) -> ir.Operand | None:
        """Where an index of a view stands in its source; None where that can't be said
        by one index."""
        if made.function is operator.getitem:
            return composed_index(made.args[1], index, self.kinds)
        if made.function is require_array:
            return index
        kind = self.kinds.get(source.name)
        rank = len(kind.axes or ()) if isinstance(kind, ir.Array) else 0
        items = ir.tuple_items(index)
        if any(i == ir.Const(Ellipsis) or i == ir.Const(None) for i in items):
            return None
        items += (ir.Slice(None, None, None),) * (rank - len(items))
        numbers = [is_whole_number(i, self.kinds) for i in items]
        # what is stored along two axes would have to be transposed, too
        turned = ops.is_plain_transpose(made)
        if turned and sum(numbers) >= len(items) - 1:
            return ir.pack_tuple(*reversed(items))
        return None


def _reads_a_part(s: ir.Assign) -> bool:
    value = s.value
    if not isinstance(value, ir.Apply) or not isinstance(s.target, ir.Var):
        return False
    if value.function not in (operator.getitem, ops.overwritten_part):
        return False
    return isinstance(value.args[0], ir.Var)


class ViewsOfArrays(Analysis[Views]):
    """Follows which variables are surely views of others."""

    def __init__(
        self,
        kinds: Mapping[str, ir.Kind],
        unsure: set[int],
        distinct: frozenset[str] = frozenset(),
    ) -> None:
        self.kinds, self.unsure, self.distinct = kinds, unsure, distinct

    def join(self, a: Views, b: Views) -> Views:
        return {n: s for n, s in a.items() if _same(b.get(n), s)}

    def iteration(self, statement: ir.For, fact: Views) -> Views:
        return _without(fact, {statement.target.name})

    def leaf(self, statement: ir.Statement, fact: Views) -> Views:
        if ops.is_write(statement) or puts_back(statement, fact):
            return fact
        written = ir.names_written(statement)
        fact = _without(fact, written)
        if id(statement) in self.unsure:
            return fact
        if isinstance(statement, ir.Assign) and self._is_view(statement):
            assert isinstance(statement.target, ir.Var)
            reads = {v.name for v in ir.value_variables(statement.value)}
            if statement.target.name not in reads:
                return {**fact, statement.target.name: statement}
        return fact

    def _is_view(self, s: ir.Assign) -> bool:
        if is_view(s, self.kinds):
            return True
        source = item_source(s, self.kinds)
        if (
            source is None
            and isinstance(s.target, ir.Var)
            and isinstance(s.value, ir.Var)
        ):
            source = s.value
        return source is not None and source.name in self.distinct


def _same(a: ir.Assign | None, b: ir.Assign) -> bool:
    return a is not None and a.value == b.value


def _without(fact: Views, written: Set[str]) -> Views:
    lost = {
        name
        for name, s in fact.items()
        if name in written
        or any(v.name in written for v in ir.value_variables(s.value))
    }
    return {n: s for n, s in fact.items() if n not in lost} if lost else fact
