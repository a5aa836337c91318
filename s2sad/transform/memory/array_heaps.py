"""Array heaps: where only the run knows which array an item of a list is, all arrays
that may be meant are kept in one list, and everybody else holds places in it.

Takes a function in which names, and items of lists, may or may not be the same array,
one of which is written into; gives one in which each array stands once, in the *heap*,
and names and lists hold its place there::

    row = v * x                              arrays.append(v * x)
    for i in range(n):                       row = len(arrays) - 1
        rows.append(row)             ->      for i in range(n):
        row[i] = 0.0                             rows.append(row)
    use(rows[k])                                 arrays[row][i] = 0.0
                                             use(arrays[rows[k]])

The items of the heap are different arrays, so that a store into one of them is a store
into the heap (:mod:`s2sad.analysis.memory.distinct_items`). It is the heap of
object-oriented programs by value: as objects that only the run can tell apart are kept
(:mod:`s2sad.frontend.specialise.heap.references`)."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import reduce
from typing import Any

from s2sad import ir, ops
from s2sad.analysis.dataflow.dataflow import solve_forward
from s2sad.analysis.memory import distinct_items, points_to
from s2sad.analysis.memory.parts_of_arguments import parts_of_arguments
from s2sad.errors import UnsupportedError
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.transform.memory import array_names, heap_lengths, plain_views
from s2sad.transform.memory.references import array_homes
from s2sad.transform.memory.references.array_paths import group_of
from s2sad.transform.memory.views import is_view, is_whole_number

_BUILDS = (ops.new_list, ops.list_of, ops.joined_lists, ops.as_list, ops.repeated)
"""What makes a list whose items are those of others, or its operands."""
CHANGES = {
    ops.appended: 3,
    ops.with_inserted_item: 3,
    ops.with_item_stored: 3,
    ops.without_item: 2,
}
"""Changes of a list, and how many operands say what is done."""


def with_heap(
    plain: plain_views.PlainViews,
    names: Iterable[str],
    memory: points_to.PointsTo,
    spec: Specialiser,
    is_procedure: bool,
) -> ir.Function | None:
    """The function with a heap for some names, and for all others that may ever share
    their memory; None where that isn't followed. What a procedure is given belongs to
    its caller's heap."""
    return heap_of(ArrayHeap, plain, names, memory, spec, is_procedure)


def heap_of(
    way: type[ArrayHeap],
    plain: plain_views.PlainViews,
    names: Iterable[str],
    memory: points_to.PointsTo,
    spec: Specialiser,
    is_procedure: bool,
) -> ir.Function | None:
    """The function with a heap for some names, as one of the ways to keep it."""
    function, group = plain.function, group_of(names, memory)
    if group is None or (is_procedure and not group.isdisjoint(function.parameters)):
        return None
    lists = frozenset(n for n in group if _leads_to_arrays(function.kinds.get(n)))
    if way.for_lists_alone and not lists:
        return None
    try:
        return way(plain, group, lists, memory, spec).function()
    except NotFollowed:
        return None


class NotFollowed(Exception):
    """The program does with an array what isn't followed."""


def innermost(kind: ir.Kind | None) -> ir.Kind | None:
    """What the lists in a list hold in the end; None for one that holds nothing."""
    while isinstance(kind, ir.List):
        kind = kind.item
    return kind


def _leads_to_arrays(kind: ir.Kind | None) -> bool:
    """True for a list of arrays, of such lists, or of nothing yet."""
    if not isinstance(kind, ir.List):
        return False
    item = innermost(kind)
    return item is None or (isinstance(item, ir.Array) and not item.promoted)


class Lines:
    """Lines that are written one after the other, for one of the program."""

    def __init__(self, spec: Specialiser, span: ir.Span | None) -> None:
        self.spec, self.span = spec, span
        self.lines: list[ir.Statement] = []

    def assign(
        self, target: ir.Var, value: ir.Apply | ir.Operand, kind: ir.Kind | None
    ) -> ir.Var:
        self.lines.append(ir.Assign(self.span, target, value, kind))
        return target

    def apply(
        self, wish: str, kind: ir.Kind | None, function: Any, *args: ir.Operand
    ) -> ir.Var:
        """A new variable with what an operation gives."""
        return self.assign(self.spec.fresh(wish), ir.Apply(function, args), kind)


def keep_instead(function: ir.Function, spec: Specialiser) -> None:
    """Where arrays that a program writes into can't be told from others, have those
    arguments kept as they are in which they stand."""
    names = [
        name
        for name in function.parameters
        if _holds_arrays(function.kinds.get(name))
        and core.value_passed(name) is not None
    ]
    if not names:
        return
    try:
        spec.raise_problems()
    except core.RefusedAsCalls:
        raise
    except UnsupportedError as refused:
        raise core.KeepLists(names, refused) from None


def _holds_arrays(kind: ir.Kind | None) -> bool:
    """True for what is taken apart, or a list by value, and leads to arrays."""
    if isinstance(kind, ir.Structure):
        return any(isinstance(k, ir.Array) or _holds_arrays(k) for k in kind.items)
    if isinstance(kind, ir.List):
        return isinstance(kind.item, ir.Array) or _holds_arrays(kind.item)
    return False


class ArrayHeap:
    """Writes the lines that work on a heap."""

    for_lists_alone = True
    """Names are told apart in cheaper ways where no list holds arrays."""
    at: ir.Statement | None = None
    """The line that is looked at."""

    def __init__(
        self,
        plain: plain_views.PlainViews,
        group: frozenset[str],
        lists: frozenset[str],
        memory: points_to.PointsTo,
        spec: Specialiser,
    ) -> None:
        self.original, self.lists = plain.function, lists
        self.memory, self.spec = memory, spec
        self.unsure, self.relied_on = plain.unsure, plain.reliances
        self.kinds = plain.function.kinds
        self.arrays = group - lists
        self.parts = parts_of_arguments(plain.function)
        body = tuple(ir.walk(self.original.body))
        self.in_loops = {*map(id, body)} - {*map(id, self.original.body)}
        self.views = self._views(body)
        self.pointers = self.arrays - self.views
        self.item_kind = self._item_kind()
        self.kind = ir.List(self.item_kind, ir.Axis("any", spec.fresh_owner("list")))
        self._name()

    def _name(self) -> None:
        """What the heap is called, and what refers to it."""
        new = self.spec.fresh
        self.heap = new("arrays")
        self.places = {n: new(titled(n, "place")) for n in sorted(self.pointers)}
        self.lists_of_places = {n: new(titled(n, "places")) for n in sorted(self.lists)}

    def _views(self, body: tuple[ir.Statement, ...]) -> frozenset[str]:
        """The names that are always views of other names; they are made as before."""
        made: dict[str, set[bool]] = {}
        for s in body:
            for variable in ir.direct_writes(s):
                if variable.name in self.arrays and not ops.is_write(s):
                    made.setdefault(variable.name, set()).add(self._is_view(s))
        return frozenset(
            name
            for name, views in made.items()
            if views == {True} and name not in self.original.parameters
        )

    def _is_view(self, s: ir.Statement) -> bool:
        if not ir.applies(s):
            return False
        if id(s) in self.unsure or not is_view(s, self.kinds):
            return False
        source, *_ = ir.value_variables(s.value)
        return source.name in self.arrays

    def _item_kind(self) -> ir.Kind:
        """The kind of all arrays in the heap."""
        kinds: list[ir.Kind] = []
        for name in sorted(self.pointers):
            kind = self.kinds.get(name)
            if not isinstance(kind, ir.Array) or kind.promoted or not kind.axes:
                raise NotFollowed
            kinds.append(ir.as_item(kind))
        for name in sorted(self.lists):
            kind = innermost(self.kinds[name])
            if kind is not None:
                kinds.append(ir.as_item(kind))
        one = ir.as_item(reduce(lambda a, b: ir.join(a, b, ("heap",)), kinds))
        if not isinstance(one, ir.Array) or not one.axes or one.dtype != "float64":
            raise NotFollowed
        return one

    def _kind_of_place(self, array: ir.Kind) -> ir.Kind:
        """The kind of what stands for an array, of a kind."""
        return ir.INT

    def _of_places(self, kind: ir.Kind | None) -> ir.Kind | None:
        """The kind of a list with places of arrays instead of them."""
        if isinstance(kind, ir.List):
            return replace(kind, item=self._of_places(kind.item))
        return None if kind is None else self._kind_of_place(kind)

    # -------------------------------------------------------------- the program

    def function(self) -> ir.Function:
        """The rewritten function."""
        copies = self._parameters(self._copied)
        self._follow_views()
        # arguments are taken apart first: the reverse sweep ends with their gradients
        lines = self.original.body
        first = next((k for k, s in enumerate(lines) if id(s) not in self.parts), 0)
        body = (
            *ir.with_leaves(lines[:first], self.line),
            *copies,
            *ir.with_leaves(lines[first:], self.line),
        )
        empty = ir.Apply(ops.new_list, ())
        start = ir.Assign(None, self.heap, empty, replace(self.kind, item=None))
        body = heap_lengths.with_lengths(self.spec, body, self.heap.name, self.kind)
        return replace(self.original, body=(start, *body))

    def _parameters(self, made: Callable[..., ir.Block]) -> list[ir.Statement]:
        """What is ``made`` of the parameters at entry. No test may read an array."""
        lines: list[ir.Statement] = []
        for name in self.original.parameters:
            if name in self.lists:
                raise NotFollowed
            if name in self.pointers:
                lines += made(name, ir.Var(name), None)
        for s in ir.walk(self.original.body):
            if isinstance(s, ir.COMPOUND) and self._touched(ir.direct_reads(s)):
                self.at = s
                raise NotFollowed
        return lines

    def _follow_views(self) -> None:
        follow = array_names.ViewsOfArrays(self.kinds, self.unsure, self.lists)
        self.made = solve_forward(self.original.body, {}, follow)

    def _touched(self, variables: Iterable[ir.Var]) -> list[str]:
        names = dict.fromkeys(v.name for v in variables)
        return [n for n in names if n in self.pointers or n in self.lists]

    def line(self, s: ir.Statement) -> ir.Block:
        """What a line becomes."""
        if isinstance(s, ir.COMPOUND):
            return (s,)
        written = [v.name for v in ir.direct_writes(s)]
        if not self._touched((*ir.direct_reads(s), *ir.direct_writes(s))):
            return (s,)
        for operation in ir.operations(s):
            if isinstance(operation.function, ir.Procedure):
                raise NotFollowed
        if ops.is_write(s):
            return self._stored(s)
        if self._touched(map(ir.Var, written)):
            if not isinstance(s, ir.Assign) or not isinstance(s.target, ir.Var):
                raise NotFollowed
            if s.target.name in self.lists:
                return self._list(s)
            return self._pointer(s)
        return self._read(s)

    # -------------------------------------------------------------- reading

    def _read(self, s: ir.Statement) -> ir.Block:
        """A line that reads arrays, or lists of them, and gives something else."""
        if not isinstance(s, ir.Assign | ir.Effect | ir.Return):
            raise NotFollowed
        if self._asks_for_length(s):
            value = ir.map_value(s.value, self._list_of_places)
            return (replace(s, value=value),)
        lines, renamed = self._looked_up(ir.direct_reads(s), s.span)
        return *lines, replace(s, value=ir.map_value(s.value, renamed))

    def _asks_for_length(self, s: ir.Statement) -> bool:
        value = s.value  # type: ignore[attr-defined]
        if not isinstance(value, ir.Apply) or value.function not in (len, bool):
            return False
        return all(v.name in self.lists for v in ir.value_variables(value))

    def _looked_up(
        self, variables: Iterable[ir.Var], span: ir.Span | None
    ) -> tuple[ir.Block, Callable[[ir.Var], ir.Var]]:
        """Lines that get arrays from the heap, and by what variables the lines that
        read some have them."""
        lines = Lines(self.spec, span)
        found: dict[str, ir.Var] = {}
        for name in self._touched(variables):
            get = self._gathered if name in self.lists else self._array
            found[name] = get(name, lines)
        return tuple(lines.lines), lambda variable: found.get(variable.name, variable)

    def _array(self, name: str, lines: Lines) -> ir.Var:
        """What a name means."""
        place = lines.assign(self.spec.fresh("place"), self.places[name], ir.INT)
        return self._item(place, titled(name, "array"), lines)

    def _item(self, place: ir.Var, wish: str, lines: Lines) -> ir.Var:
        return lines.apply(wish, self.item_kind, operator.getitem, self.heap, place)

    def _gathered(self, name: str, lines: Lines) -> ir.Var:
        """``[arrays[place] for place in places]``."""
        kind = self.kinds[name]
        assert isinstance(kind, ir.List)
        if isinstance(kind.item, ir.List):
            raise NotFollowed
        places, found = self.lists_of_places[name], self.spec.fresh(titled(name, "now"))
        count, k = self.spec.fresh("count"), self.spec.fresh("k")
        inner = Lines(self.spec, lines.span)
        item = self._gathered_item(name, places, k, inner)
        filled = replace(kind, item=kind.item or self.item_kind)
        inner.assign(found, ir.Apply(ops.appended, (found, item, k)), filled)
        lines.assign(found, ir.Apply(ops.new_list, ()), replace(filled, item=None))
        lines.assign(count, ir.Apply(len, (places,)), ir.INT)
        body, first, step = tuple(inner.lines), ir.Const(0), ir.Const(1)
        lines.lines.append(ir.For(lines.span, k, first, count, step, body))
        return found

    def _gathered_item(
        self, name: str, places: ir.Var, k: ir.Var, lines: Lines
    ) -> ir.Var:
        """The k-th item of a list, which has a place in the heap."""
        place = lines.apply("place", ir.INT, operator.getitem, places, k)
        return self._item(place, "item", lines)

    # -------------------------------------------------------------- writing

    def _stored(self, s: ir.Line) -> ir.Block:
        """A store into what a name means, or into a view of it."""
        lines, renamed = self._looked_up(ir.direct_reads(s), s.span)
        value = ir.map_value(s.value, renamed)
        return *lines, replace(s, target=renamed(s.target), value=value)

    def _pointer(self, s: ir.Assign) -> ir.Block:
        """A line that binds the name of an array."""
        name = s.target.name  # type: ignore[union-attr]
        place, value = self.places[name], s.value
        kind = self._kind_of_place(self.kinds[name])
        if isinstance(value, ir.Var):
            if value.name not in self.pointers:
                raise NotFollowed
            return (ir.Assign(s.span, place, self.places[value.name], kind),)
        if not isinstance(value, ir.Apply):
            raise NotFollowed
        if array_homes.is_placeholder(s) and kind == ir.INT:  # nobody reads it
            return (ir.Assign(s.span, place, ir.Const(-1), kind),)
        first = value.args[0] if value.args else None
        taken = value.function is operator.getitem and isinstance(first, ir.Var)
        if taken and first.name in self.lists:  # type: ignore[union-attr]
            item = ir.map_value(value, self._list_of_places)
            return (ir.Assign(s.span, place, item, kind),)
        if not self._allocates(s):
            raise NotFollowed
        lines, renamed = self._looked_up(ir.value_variables(value), s.span)
        new = ir.map_value(value, renamed)
        if id(s) in self.parts:  # checks of the arguments ask for it by its name
            return *lines, replace(s, value=new), *self._copied(name, ir.Var(name), s)
        made = self.spec.fresh(titled(name, "new"))
        line = replace(s, target=made, value=new)
        return *lines, line, *self._added(name, made, s)

    def _copied(self, name: str, array: ir.Var, s: ir.Statement | None) -> ir.Block:
        """The heap with a copy of what is the caller's."""
        own = self.spec.fresh(titled(name, "copy"))
        copied = ir.Apply(ops.own_copy, (array,))
        line = ir.Assign(s.span if s else None, own, copied, self.kinds[name])
        return line, *self._added(name, own, s)

    def _added(self, name: str, array: ir.Var, s: ir.Statement | None) -> ir.Block:
        """The heap with one more array, and the place that a name means it by."""
        span = s.span if s else None
        longer = ir.Apply(ops.appended, (self.heap, array))
        return (
            ir.Assign(span, self.places[name], ir.Apply(len, (self.heap,)), ir.INT),
            ir.Assign(span, self.heap, longer, self.kind),
        )

    def _allocates(self, s: ir.Assign) -> bool:
        """True where what a line gives is new memory, or a part of an argument of which
        nothing else is made."""
        name = s.target.name  # type: ignore[union-attr]
        if id(s) in self.parts:
            part = self.parts[id(s)]
            once = sum(1 for other in self.parts.values() if other == part) == 1
            return once and id(s) not in self.in_loops
        after = self.memory.facts.after.get(id(s))
        if after is None or name in after.views:
            return False
        return after.of(name) == {("fresh", id(s))}

    # -------------------------------------------------------------- lists

    def _list(self, s: ir.Assign) -> ir.Block:
        """A line that binds a list: the same, of places."""
        if distinct_items.puts_back(s, self.made.before.get(id(s), {})):
            return ()
        own = self.lists_of_places[s.target.name]  # type: ignore[union-attr]
        value, kind = s.value, self.kinds[s.target.name]  # type: ignore[union-attr]
        if isinstance(s.kind, ir.List):
            kind = s.kind
        if isinstance(value, ir.Apply):
            if value.function in CHANGES:
                value = replace(value, args=value.args[: CHANGES[value.function]])
            elif value.function not in _BUILDS and not self._is_part(value):
                raise NotFollowed
        elif not isinstance(value, ir.Var):
            raise NotFollowed
        for variable in ir.value_variables(value):
            if isinstance(self.kinds.get(variable.name), ir.Array | ir.List):
                if variable.name not in self.lists | self.pointers:
                    raise NotFollowed
        new = ir.map_value(value, self._place_or_list)
        return (replace(s, target=own, value=new, kind=self._of_places(kind)),)

    def _is_part(self, value: ir.Apply) -> bool:
        """True for a slice of a list, and for a list in a list."""
        if value.function is not operator.getitem or isinstance(value.args[0], ir.Pack):
            return False
        return isinstance(value.args[1], ir.Slice) or is_whole_number(
            value.args[1], self.kinds
        )

    def _list_of_places(self, variable: ir.Var) -> ir.Operand:
        return self.lists_of_places.get(variable.name, variable)

    def _place_or_list(self, variable: ir.Var) -> ir.Operand:
        return self.places.get(variable.name, self._list_of_places(variable))


def titled(name: str, what: str) -> str:
    """``row_place`` for what belongs to ``row``."""
    plain = name.split("~")[0].rpartition(":")[2].split(".")[0]
    return f"{plain}_{what}" if plain else what
