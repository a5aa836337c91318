"""Array elements: where only the run knows of which array an item of a list is which
part, the elements of all arrays that may be meant are kept in flat arrays, and
everybody else holds the places of elements in one of them.

Takes and gives what :mod:`s2sad.transform.memory.array_heaps` does; beside the place of
an array in the heap, a name or an item of a list holds an array of its own shape with
the places of its elements::

    rows = list(m)                  arrays.append(m.flatten())
                                    m_elements = np.arange(m.size).reshape(m.shape)
    for i in range(n):       ->     for i in range(n):
        rows.append(x[::2])             rows_places.append(x_place)
                                        rows_elements.append(x_elements[::2])
    rows[k][i] = 0.0                place, elements = rows_places[k], rows_elements[k]
                                    arrays[place][elements[i]] = 0.0
    use(m)                          use(arrays[m_place][m_elements])

A view of an array is the same view of the places of its elements, whatever that is: so
Python's own indexing decides what is meant. So it does where only the run knows whether
``reshape`` gives a view or a copy, which the places of the elements tell. It costs a
copy where an array is read as a whole, and is done where nothing cheaper follows the
program.
"""

import operator
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from s2sad import ir, ops
from s2sad.analysis.memory.distinct_items import puts_back
from s2sad.analysis.memory.layouts import Layout, Order, layouts_of
from s2sad.analysis.memory.points_to import PointsTo
from s2sad.analysis.memory.view_operations import is_number
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.ops.runtime.indices import reshape_gives_view, stands_by_rows
from s2sad.rules.steps.shape_queries import SHAPE_QUERIES, dtype_of_array, shape_of
from s2sad.transform.memory import array_heaps, plain_views, views


def with_heap_of_elements(
    plain: plain_views.PlainViews,
    names: Iterable[str],
    memory: PointsTo,
    spec: Specialiser,
    is_procedure: bool,
) -> ir.Function | None:
    """The function with a heap of flat arrays for some names, and for all others that
    may ever share their memory; None where that isn't followed."""
    return array_heaps.heap_of(_Elements, plain, names, memory, spec, is_procedure)


def _places_of_elements(kind: ir.Kind | None) -> ir.Kind | None:
    """The kind of the places of an array's elements, or of a list's arrays'."""
    if isinstance(kind, ir.List):
        return replace(kind, item=_places_of_elements(kind.item))
    return replace(kind, dtype="int64") if isinstance(kind, ir.Array) else None


def _runs_of(body: ir.Block) -> Iterator[tuple[int, int]]:
    """For each line, by identity: the run of lines in which it stands, between
    statements that have blocks."""
    waiting, run = [body], 0
    while waiting:
        for s in waiting.pop():
            if isinstance(s, ir.COMPOUND):
                waiting += ir.blocks_of(s)
                run += 1
            else:
                yield id(s), run
        run += 1


class _Elements(array_heaps.ArrayHeap):
    """Writes the lines that work on a heap of flat arrays."""

    for_lists_alone = False

    def _views(self, body: tuple[ir.Statement, ...]) -> frozenset[str]:
        for s in body:
            if self._is_view(s) and isinstance(s.value, ir.Apply):  # type: ignore[attr-defined]
                if s.value.function in views.READ_ONLY:  # type: ignore[attr-defined]
                    raise array_heaps.NotFollowed
        return frozenset()

    def _is_view(self, s: ir.Statement) -> bool:
        if not isinstance(s, ir.Assign) or isinstance(s.value, ir.Var):
            return False
        return super()._is_view(s)

    def _item_kind(self) -> ir.Kind:
        for name in sorted((*self.pointers, *self.lists)):
            kind = self.kinds.get(name)
            kind = array_heaps.innermost(kind) if name in self.lists else kind
            if kind is None:
                continue
            if not isinstance(kind, ir.Array) or kind.promoted or not kind.axes:
                raise array_heaps.NotFollowed
            if kind.dtype != "float64":
                raise array_heaps.NotFollowed
        return ir.Array("float64", (ir.Axis("any"),))

    def _name(self) -> None:
        super()._name()
        new = self.spec.fresh
        self.elements = {
            n: new(array_heaps.titled(n, "elements"))
            for n in sorted(self.pointers | self.lists)
        }

    def function(self) -> ir.Function:
        self._runs = dict(_runs_of(self.original.body))
        self._run, self._parts = -1, dict[tuple[str, ir.Operand], ir.Var]()
        """The parts that have been asked for in a run of lines, and not changed."""
        return super().function()

    def line(self, s: ir.Statement) -> ir.Block:
        if isinstance(s, ir.COMPOUND):
            return super().line(s)
        if self._runs[id(s)] != self._run:
            self._run = self._runs[id(s)]
            self._parts.clear()
        lines = super().line(s)
        written = ir.names_written(s) if not ops.is_write(s) else set()
        for name, index in list(self._parts):
            read = {name, *(v.name for v in ir.operand_variables(index))}
            if written & read:
                del self._parts[name, index]
        return lines

    def _elements_of(self, variable: ir.Var) -> ir.Operand:
        return self.elements.get(variable.name, variable)

    # -------------------------------------------------------------- reading

    def _read(self, s: ir.Statement) -> ir.Block:
        value = getattr(s, "value", None)
        first = value.args[0] if isinstance(value, ir.Apply) and value.args else None
        if not isinstance(first, ir.Var) or first.name not in self.pointers:
            return super()._read(s)
        assert isinstance(value, ir.Apply)
        read_again = any(first in ir.operand_variables(a) for a in value.args[1:])
        if read_again or value.keywords:
            return super()._read(s)
        if value.function in SHAPE_QUERIES and value.function is not dtype_of_array:
            return (replace(s, value=ir.map_value(value, self._elements_of)),)  # type: ignore[call-arg]
        reads_part = value.function in (operator.getitem, ops.overwritten_part)
        if reads_part and isinstance(s, ir.Assign):
            lines = array_heaps.Lines(self.spec, s.span)
            others = ir.operand_variables(value.args[1])
            ahead, renamed = self._looked_up(others, s.span)
            index = ir.map_operand(value.args[1], renamed)
            part = self._part(first.name, index, s.kind, lines)
            flat = self._flat(first.name, lines)
            read = replace(value, args=(flat, part))
            return *ahead, *lines.lines, replace(s, value=read)
        return super()._read(s)

    def _part(
        self,
        name: str,
        index: ir.Operand,
        kind: ir.Kind | None,
        lines: array_heaps.Lines,
    ) -> ir.Operand:
        """The places in the heap's array of ``name[index]``, which is of a kind."""
        elements = self.elements[name]
        if index == ir.Const(Ellipsis):
            return elements
        if kind is None:
            raise array_heaps.NotFollowed
        found = self._parts.get((name, index))
        if found is not None:
            return found
        part = self.spec.fresh(array_heaps.titled(name, "part"))
        if all(is_number(self.kinds.get(v.name)) for v in ir.operand_variables(index)):
            self._parts[name, index] = part  # an index array may be written into
        value = ir.Apply(operator.getitem, (elements, index))
        if isinstance(kind, ir.Array):
            return lines.assign(part, value, _places_of_elements(kind))
        element = self.spec.fresh(array_heaps.titled(name, "element"))
        lines.assign(element, value, ir.OPAQUE)
        return lines.assign(part, ir.Apply(int, (element,)), ir.INT)

    def _flat(self, name: str, lines: array_heaps.Lines) -> ir.Var:
        """The heap's array of which a name means elements."""
        return super()._array(name, lines)

    def _array(self, name: str, lines: array_heaps.Lines) -> ir.Var:
        flat = self._flat(name, lines)
        return self._at(flat, self.elements[name], self.kinds[name], lines)

    def _at(
        self, flat: ir.Var, elements: ir.Var, kind: ir.Kind, lines: array_heaps.Lines
    ) -> ir.Var:
        return lines.apply("array", kind, operator.getitem, flat, elements)

    def _gathered_item(
        self, name: str, places: ir.Var, k: ir.Var, lines: array_heaps.Lines
    ) -> ir.Var:
        kind, get = getattr(self.kinds[name], "item", None), operator.getitem
        flat = super()._gathered_item(name, places, k, lines)
        if kind is None:
            return flat
        of_item = _places_of_elements(kind)
        elements = lines.apply("elements", of_item, get, self.elements[name], k)
        return self._at(flat, elements, kind, lines)

    # -------------------------------------------------------------- writing

    def _stored(self, s: ir.Line) -> ir.Block:
        name, value = s.target.name, s.value
        if name not in self.pointers:
            return super()._stored(s)
        others = (v for a in value.args[1:] for v in ir.operand_variables(a))
        lines, renamed = self._looked_up(others, s.span)
        changed = ir.map_value(value, renamed)
        if ops.is_augmented(s):
            return *lines, *self._augmented(s, changed)
        _, index, new, old = changed.args
        kind = self._kind_of(old)
        return *lines, *self._into(s, changed.function, index, new, kind)

    def _kind_of(self, operand: ir.Operand) -> ir.Kind | None:
        return ir.kind_of(operand, self.kinds)

    def _augmented(self, s: ir.Assign, value: ir.Apply) -> ir.Block:
        """``array += v`` as a store into all elements of it."""
        name = s.target.name  # type: ignore[union-attr]
        kept = {operator.iadd: ops.added_to, operator.isub: ops.subtracted_from}
        everything, kind = ir.Const(Ellipsis), self.kinds[name]
        if value.function in kept:
            function = kept[value.function]
            return self._into(s, function, everything, value.args[1], kind)
        lines = array_heaps.Lines(self.spec, s.span)
        array = self._array(name, lines)
        plain, wish = ops.PLAIN[value.function], array_heaps.titled(name, "new")
        new = lines.apply(wish, s.kind, plain, array, value.args[1])
        return *lines.lines, *self._into(s, ops.stored, everything, new, kind)

    def _into(
        self,
        s: ir.Assign,
        function: object,
        index: ir.Operand,
        new: ir.Operand,
        kind: ir.Kind | None,
    ) -> ir.Block:
        """A store into a part, of a kind, of what a name means."""
        name = s.target.name  # type: ignore[union-attr]
        lines = array_heaps.Lines(self.spec, s.span)
        part = self._part(name, index, kind, lines)
        flat = self._flat(name, lines)
        wish = array_heaps.titled(name, "old")
        old = lines.apply(wish, kind, ops.overwritten_part, flat, part)
        store = ir.Apply(function, (flat, part, new, old))  # type: ignore[arg-type]
        return *lines.lines, replace(s, target=flat, value=store, kind=self.item_kind)

    def _pointer(self, s: ir.Assign) -> ir.Block:
        name, value = s.target.name, s.value  # type: ignore[union-attr]
        if id(s) in self.unsure:
            return self._view_or_copy(s)
        elements, kind = self.elements[name], self._kind_of_elements(name, s)
        source = self._source(s)
        if source is None:
            return super()._pointer(s)
        own = ir.map_value(value, self._elements_of)
        if source in self.lists:
            assert isinstance(value, ir.Apply)
            item = ir.map_value(value, self._list_of_places)
            place = ir.Assign(s.span, self.places[name], item, ir.INT)
        else:
            place = ir.Assign(s.span, self.places[name], self.places[source], ir.INT)
        return place, ir.Assign(s.span, elements, own, kind)

    def _kind_of_elements(self, name: str, s: ir.Assign) -> ir.Kind | None:
        own = s.kind if isinstance(s.kind, ir.Array) else self.kinds[name]
        return _places_of_elements(own)

    def _view_or_copy(self, s: ir.Assign) -> ir.Block:
        """What may be a view or a copy: the places of the elements tell which."""
        assert isinstance(s.target, ir.Var) and isinstance(s.value, ir.Apply)
        source, *shape = s.value.args
        if not isinstance(source, ir.Var) or source.name not in self.pointers:
            raise array_heaps.NotFollowed
        if s.value.keywords:
            raise array_heaps.NotFollowed
        self._rely_on_rows(s)
        old, name = self.elements[source.name], s.target.name
        ask = reshape_gives_view if s.value.function is np.reshape else stands_by_rows
        is_view, moved = self.spec.fresh("is_view"), self.spec.fresh("elements")
        kind = self._kind_of_elements(name, s)
        lines = array_heaps.Lines(self.spec, s.span)
        flat = self._flat(source.name, lines)
        array = self._at(flat, moved, self.kinds[name], lines)
        copied = (*lines.lines, *self._copied(name, array, s))
        seen = (
            ir.Assign(s.span, self.places[name], self.places[source.name], ir.INT),
            ir.Assign(s.span, self.elements[name], moved, kind),
        )
        return (
            ir.Assign(s.span, is_view, ir.Apply(ask, (old, *shape)), ir.BOOL),
            ir.Assign(s.span, moved, ir.map_value(s.value, self._elements_of), kind),
            ir.If(s.span, is_view, seen, copied),
        )

    def _rely_on_rows(self, s: ir.Assign) -> None:
        """The caller's arrays in the heap must stand in memory as their copies do
        there, which is checked then; and all others surely do."""
        layouts = layouts_of(self.original)
        known: list[Layout | None] = [
            Layout(Order.BY_ROWS, frozenset({name}))
            for name in self.original.parameters
            if name in self.pointers
        ]
        for line in ir.walk(self.original.body):
            if isinstance(line, ir.Assign) and isinstance(line.target, ir.Var):
                name = line.target.name
                if name in self.pointers and self._allocates(line):
                    after = layouts.after.get(id(line))
                    known.append(after.get(name) if after is not None else None)
        if any(at is None or at.order is not Order.BY_ROWS for at in known):
            raise array_heaps.NotFollowed
        given = frozenset[str]().union(*(at.given for at in known if at))
        source = ir.value_variables(s.value)[0].name
        self.relied_on.append(plain_views.Reliance(source, str(s.target), given))

    def _source(self, s: ir.Assign) -> str | None:
        """The name, or the list, of which a line gives a view or an item."""
        value = s.value
        if isinstance(value, ir.Var):
            return value.name if value.name in self.pointers else None
        if not isinstance(value, ir.Apply):
            return None
        first = value.args[0] if value.args else None
        if value.function is operator.getitem and isinstance(first, ir.Var):
            if first.name in self.lists:
                return first.name
        if self._is_view(s):
            read = (v.name for v in ir.value_variables(value))
            return next(name for name in read if name in self.arrays)
        return None

    def _copied(self, name: str, array: ir.Var, s: ir.Statement | None) -> ir.Block:
        flat = self.spec.fresh("flat")
        flattened = ir.Apply(np.ndarray.flatten, (array,), (), "method:flatten")
        line = ir.Assign(s.span if s else None, flat, flattened, self.item_kind)
        return line, *self._with_elements(name, array, flat, s)

    def _added(self, name: str, array: ir.Var, s: ir.Statement | None) -> ir.Block:
        if len(self._axes(name, s)) > 1:
            return self._copied(name, array, s)
        return self._with_elements(name, array, array, s)

    def _axes(self, name: str, s: ir.Statement | None) -> tuple[ir.Axis, ...]:
        kind = s.kind if isinstance(s, ir.Assign) else None
        kind = kind if isinstance(kind, ir.Array) else self.kinds[name]
        assert isinstance(kind, ir.Array) and kind.axes
        return kind.axes

    def _with_elements(
        self, name: str, array: ir.Var, flat: ir.Var, s: ir.Statement | None
    ) -> ir.Block:
        """The heap with a flat array, and the places of an array's elements in it."""
        span, axes = s.span if s else None, self._axes(name, s)
        size, elements = self.spec.fresh("size"), self.elements[name]
        count = ir.Apply(len, (flat,))
        lines: list[ir.Statement] = [ir.Assign(span, size, count, ir.INT)]
        places = ir.Apply(np.arange, (size,))
        if len(axes) > 1:
            row, shape = self.spec.fresh("places"), self.spec.fresh("shape")
            query = ir.Apply(shape_of, (array,), (), "attribute:shape")
            lines.append(ir.Assign(span, shape, query, ir.OPAQUE))
            kind = _places_of_elements(self.item_kind)
            lines.append(ir.Assign(span, row, places, kind))
            places = ir.Apply(np.reshape, (row, shape))
        lines.append(ir.Assign(span, elements, places, ir.Array("int64", axes)))
        return *lines, *super()._added(name, flat, s)

    def _list(self, s: ir.Assign) -> ir.Block:
        if puts_back(s, self.made.before.get(id(s), {})):
            return ()
        places = super()._list(s)
        name = s.target.name  # type: ignore[union-attr]
        kind = s.kind if isinstance(s.kind, ir.List) else self.kinds[name]
        value = s.value
        if isinstance(value, ir.Apply) and value.function in array_heaps.CHANGES:
            count = array_heaps.CHANGES[value.function]
            value = replace(value, args=value.args[:count])
        own, of = ir.map_value(value, self._elements_of), _places_of_elements(kind)
        return *places, replace(s, target=self.elements[name], value=own, kind=of)
