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
from collections.abc import Iterable
from dataclasses import replace
from functools import reduce

from s2sad.analysis.dataflow.dataflow import solve_forward
from s2sad.analysis.memory.distinct_items import (
    puts_back,
)
from s2sad.analysis.memory.parts_of_arguments import parts_of_arguments
from s2sad.analysis.memory.points_to import PointsTo
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.ir.joins import join
from s2sad.ir.kinds import INT, Array, Axis, Kind, List, as_item
from s2sad.ir.nodes import (
    COMPOUND,
    Apply,
    Assign,
    Block,
    Const,
    Effect,
    For,
    Function,
    Operand,
    Pack,
    Return,
    Slice,
    Span,
    Statement,
    Var,
)
from s2sad.ir.procedures import Procedure
from s2sad.ir.walking import (
    blocks_of,
    direct_reads,
    direct_writes,
    map_value,
    operations,
    value_variables,
    walk,
    with_leaves,
)
from s2sad.ops.buffers import own_copy
from s2sad.ops.lists import (
    appended,
    as_list,
    joined_lists,
    list_of,
    new_list,
    repeated,
    with_inserted_item,
    with_item_stored,
    without_item,
)
from s2sad.ops.stores import is_write
from s2sad.transform.memory.array_names import ViewsOfArrays
from s2sad.transform.memory.array_paths import group_of
from s2sad.transform.memory.heap_lengths import with_lengths
from s2sad.transform.memory.plain_views import PlainViews
from s2sad.transform.memory.views import is_view, is_whole_number

_BUILDS = (new_list, list_of, joined_lists, as_list, repeated)
"""What makes a list whose items are those of others, or its operands."""
CHANGES = {appended: 3, with_inserted_item: 3, with_item_stored: 3, without_item: 2}
"""Changes of a list, and how many operands say what is done."""


def with_heap(
    plain: PlainViews,
    names: Iterable[str],
    memory: PointsTo,
    spec: Specialiser,
    is_procedure: bool,
) -> Function | None:
    """The function with a heap for some names, and for all others that may ever share
    their memory; None where that isn't followed. What a procedure is given belongs to
    its caller's heap."""
    return heap_of(ArrayHeap, plain, names, memory, spec, is_procedure)


def heap_of(
    way: type[ArrayHeap],
    plain: PlainViews,
    names: Iterable[str],
    memory: PointsTo,
    spec: Specialiser,
    is_procedure: bool,
) -> Function | None:
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


def innermost(kind: Kind | None) -> Kind | None:
    """What the lists in a list hold in the end; None for one that holds nothing."""
    while isinstance(kind, List):
        kind = kind.item
    return kind


def _leads_to_arrays(kind: Kind | None) -> bool:
    """True for a list of arrays, of such lists, or of nothing yet."""
    if not isinstance(kind, List):
        return False
    item = innermost(kind)
    return item is None or (isinstance(item, Array) and not item.promoted)


def _of_places(kind: Kind | None) -> Kind | None:
    """The kind of a list with places of arrays instead of them."""
    if isinstance(kind, List):
        return replace(kind, item=_of_places(kind.item))
    return None if kind is None else INT


class ArrayHeap:
    """Writes the lines that work on a heap."""

    for_lists_alone = True
    """Names are told apart in cheaper ways where no list holds arrays."""

    def __init__(
        self,
        plain: PlainViews,
        group: frozenset[str],
        lists: frozenset[str],
        memory: PointsTo,
        spec: Specialiser,
    ) -> None:
        self.original, self.lists = plain.function, lists
        self.memory, self.spec = memory, spec
        self.unsure, self.relied_on = plain.unsure, plain.reliances
        self.kinds = plain.function.kinds
        self.arrays = group - lists
        self.parts = parts_of_arguments(plain.function)
        body = tuple(walk(self.original.body))
        self.views = self._views(body)
        self.pointers = self.arrays - self.views
        self.item_kind = self._item_kind()
        self.kind = List(self.item_kind, Axis("any", spec.fresh_owner("list")))
        self._name()
        self.in_loops = {
            id(inner)
            for s in body
            if isinstance(s, COMPOUND)
            for block in blocks_of(s)
            for inner in walk(block)
        }

    def _name(self) -> None:
        """What the heap is called, and what refers to it."""
        new = self.spec.fresh
        self.heap = new("arrays")
        self.places = {n: new(titled(n, "place")) for n in sorted(self.pointers)}
        self.lists_of_places = {n: new(titled(n, "places")) for n in sorted(self.lists)}

    def _views(self, body: tuple[Statement, ...]) -> frozenset[str]:
        """The names that are always views of other names; they are made as before."""
        made: dict[str, set[bool]] = {}
        for s in body:
            for variable in direct_writes(s):
                if variable.name in self.arrays and not is_write(s):
                    made.setdefault(variable.name, set()).add(self._is_view(s))
        return frozenset(
            name
            for name, views in made.items()
            if views == {True} and name not in self.original.parameters
        )

    def _is_view(self, s: Statement) -> bool:
        if not isinstance(s, Assign) or not isinstance(s.value, Apply):
            return False
        if id(s) in self.unsure or not is_view(s, self.kinds):
            return False
        source, *_ = value_variables(s.value)
        return source.name in self.arrays

    def _item_kind(self) -> Kind:
        """The kind of all arrays in the heap."""
        kinds: list[Kind] = []
        for name in sorted(self.pointers):
            kind = self.kinds.get(name)
            if not isinstance(kind, Array) or kind.promoted or not kind.axes:
                raise NotFollowed
            kinds.append(as_item(kind))
        for name in sorted(self.lists):
            kind = innermost(self.kinds[name])
            if kind is not None:
                kinds.append(as_item(kind))
        one = as_item(reduce(lambda a, b: join(a, b, ("heap",)), kinds))
        if not isinstance(one, Array) or not one.axes or one.dtype != "float64":
            raise NotFollowed
        return one

    # -------------------------------------------------------------- the program

    def function(self) -> Function:
        """The rewritten function."""
        copies: list[Statement] = []
        for name in self.original.parameters:
            if name in self.lists:
                raise NotFollowed
            if name in self.pointers:
                copies += self._copied(name, Var(name), None)
        for s in walk(self.original.body):
            if isinstance(s, COMPOUND) and self._touched(direct_reads(s)):
                raise NotFollowed
        follow = ViewsOfArrays(self.kinds, self.unsure, self.lists)
        self.made = solve_forward(self.original.body, {}, follow)
        # arguments are taken apart first: the reverse sweep ends with their gradients
        lines = self.original.body
        first = next((k for k, s in enumerate(lines) if id(s) not in self.parts), 0)
        body = (
            *with_leaves(lines[:first], self.line),
            *copies,
            *with_leaves(lines[first:], self.line),
        )
        empty = Apply(new_list, ())
        start = Assign(None, self.heap, empty, replace(self.kind, item=None))
        body = with_lengths(self.spec, body, self.heap.name, self.kind)
        return replace(self.original, body=(start, *body))

    def _touched(self, variables: Iterable[Var]) -> list[str]:
        names = dict.fromkeys(v.name for v in variables)
        return [n for n in names if n in self.pointers or n in self.lists]

    def line(self, s: Statement) -> Block:
        """What a line becomes."""
        if isinstance(s, COMPOUND):
            return (s,)
        written = [v.name for v in direct_writes(s)]
        if not self._touched((*direct_reads(s), *direct_writes(s))):
            return (s,)
        for operation in operations(s):
            if isinstance(operation.function, Procedure):
                raise NotFollowed
        if is_write(s):
            return self._stored(s)
        if self._touched(map(Var, written)):
            if not isinstance(s, Assign) or not isinstance(s.target, Var):
                raise NotFollowed
            if s.target.name in self.lists:
                return self._list(s)
            return self._pointer(s)
        return self._read(s)

    # -------------------------------------------------------------- reading

    def _read(self, s: Statement) -> Block:
        """A line that reads arrays, or lists of them, and gives something else."""
        if not isinstance(s, Assign | Effect | Return):
            raise NotFollowed
        if self._asks_for_length(s):
            value = map_value(s.value, self._list_of_places)
            return (replace(s, value=value),)
        lines, renamed = self._looked_up(self._touched(direct_reads(s)), s.span)
        value = map_value(s.value, lambda v: renamed.get(v.name, v))
        return *lines, replace(s, value=value)

    def _asks_for_length(self, s: Statement) -> bool:
        value = s.value  # type: ignore[attr-defined]
        if not isinstance(value, Apply) or value.function not in (len, bool):
            return False
        return all(v.name in self.lists for v in value_variables(value))

    def _looked_up(
        self, names: Iterable[str], span: Span | None
    ) -> tuple[Block, dict[str, Var]]:
        """Lines that get arrays from the heap, and the variables that hold them."""
        lines: list[Statement] = []
        renamed: dict[str, Var] = {}
        for name in names:
            if name in self.lists:
                renamed[name] = self._gathered(name, lines, span)
                continue
            renamed[name] = self._array(name, lines, span)
        return tuple(lines), renamed

    def _array(self, name: str, lines: list[Statement], span: Span | None) -> Var:
        """What a name means."""
        place = self.spec.fresh("place")
        lines.append(Assign(span, place, self.places[name], INT))
        return self._item(place, titled(name, "array"), lines, span)

    def _item(
        self, place: Var, wish: str, lines: list[Statement], span: Span | None
    ) -> Var:
        array = self.spec.fresh(wish)
        item = Apply(operator.getitem, (self.heap, place))
        lines.append(Assign(span, array, item, self.item_kind))
        return array

    def _gathered(self, name: str, lines: list[Statement], span: Span | None) -> Var:
        """``[arrays[place] for place in places]``."""
        kind = self.kinds[name]
        assert isinstance(kind, List)
        if isinstance(kind.item, List):
            raise NotFollowed
        places, found = (
            self.lists_of_places[name],
            self.spec.fresh(titled(name, "now")),
        )
        count, k = self.spec.fresh("count"), self.spec.fresh("k")
        place, inner = self.spec.fresh("place"), []  # type: tuple[Var, list[Statement]]
        inner.append(Assign(span, place, Apply(operator.getitem, (places, k)), INT))
        item = self._gathered_item(name, place, k, inner, span)
        longer = Apply(appended, (found, item, k))
        filled = replace(kind, item=kind.item or self.item_kind)
        inner.append(Assign(span, found, longer, filled))
        empty = replace(filled, item=None)
        length = Apply(len, (places,))
        lines.append(Assign(span, found, Apply(new_list, ()), empty))
        lines.append(Assign(span, count, length, INT))
        lines.append(For(span, k, Const(0), count, Const(1), tuple(inner)))
        return found

    def _gathered_item(
        self, name: str, place: Var, k: Var, lines: list[Statement], span: Span | None
    ) -> Var:
        """The k-th item of a list, which has a place in the heap."""
        return self._item(place, "item", lines, span)

    # -------------------------------------------------------------- writing

    def _stored(self, s: Statement) -> Block:
        """A store into what a name means, or into a view of it."""
        assert isinstance(s, Assign) and isinstance(s.value, Apply)
        assert isinstance(s.target, Var)
        lines, renamed = self._looked_up(self._touched(direct_reads(s)), s.span)
        value = map_value(s.value, lambda v: renamed.get(v.name, v))
        return *lines, replace(
            s, target=renamed.get(s.target.name, s.target), value=value
        )

    def _pointer(self, s: Assign) -> Block:
        """A line that binds the name of an array."""
        name = s.target.name  # type: ignore[union-attr]
        place, value = self.places[name], s.value
        if isinstance(value, Var):
            if value.name not in self.pointers:
                raise NotFollowed
            return (Assign(s.span, place, self.places[value.name], INT),)
        if not isinstance(value, Apply):
            raise NotFollowed
        first = value.args[0] if value.args else None
        taken = value.function is operator.getitem and isinstance(first, Var)
        if taken and first.name in self.lists:  # type: ignore[union-attr]
            item = map_value(value, self._list_of_places)
            return (Assign(s.span, place, item, INT),)
        if not self._allocates(s):
            raise NotFollowed
        lines, renamed = self._looked_up(self._touched(value_variables(value)), s.span)
        new = map_value(value, lambda v: renamed.get(v.name, v))
        if id(s) in self.parts:  # checks of the arguments ask for it by its name
            return *lines, replace(s, value=new), *self._copied(name, Var(name), s)
        made = self.spec.fresh(titled(name, "new"))
        line = replace(s, target=made, value=new)
        return *lines, line, *self._added(name, made, s)

    def _copied(self, name: str, array: Var, s: Statement | None) -> Block:
        """The heap with a copy of what is the caller's."""
        own = self.spec.fresh(titled(name, "copy"))
        copied = Apply(own_copy, (array,))
        line = Assign(s.span if s else None, own, copied, self.kinds[name])
        return line, *self._added(name, own, s)

    def _added(self, name: str, array: Var, s: Statement | None) -> Block:
        """The heap with one more array, and the place that a name means it by."""
        span = s.span if s else None
        longer = Apply(appended, (self.heap, array))
        return (
            Assign(span, self.places[name], Apply(len, (self.heap,)), INT),
            Assign(span, self.heap, longer, self.kind),
        )

    def _allocates(self, s: Assign) -> bool:
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

    def _list(self, s: Assign) -> Block:
        """A line that binds a list: the same, of places."""
        if puts_back(s, self.made.before.get(id(s), {})):
            return ()
        own = self.lists_of_places[s.target.name]  # type: ignore[union-attr]
        value, kind = s.value, self.kinds[s.target.name]  # type: ignore[union-attr]
        if isinstance(s.kind, List):
            kind = s.kind
        if isinstance(value, Apply):
            if value.function in CHANGES:
                value = replace(value, args=value.args[: CHANGES[value.function]])
            elif value.function not in _BUILDS and not self._is_part(value):
                raise NotFollowed
        elif not isinstance(value, Var):
            raise NotFollowed
        for variable in value_variables(value):
            if isinstance(self.kinds.get(variable.name), Array | List):
                if variable.name not in self.lists | self.pointers:
                    raise NotFollowed
        new = map_value(value, self._place_or_list)
        return (replace(s, target=own, value=new, kind=_of_places(kind)),)

    def _is_part(self, value: Apply) -> bool:
        """True for a slice of a list, and for a list in a list."""
        if value.function is not operator.getitem or isinstance(value.args[0], Pack):
            return False
        return isinstance(value.args[1], Slice) or is_whole_number(
            value.args[1], self.kinds
        )

    def _list_of_places(self, variable: Var) -> Operand:
        return self.lists_of_places.get(variable.name, variable)

    def _place_or_list(self, variable: Var) -> Operand:
        return self.places.get(variable.name, self._list_of_places(variable))


def titled(name: str, what: str) -> str:
    """``row_place`` for what belongs to ``row``."""
    plain = name.split("~")[0].rpartition(":")[2].split(".")[0]
    return f"{plain}_{what}" if plain else what
