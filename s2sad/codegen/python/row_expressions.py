"""Cotangents of lists whose items may differ in shape, to syntax: lists of arrays."""

import ast
from collections.abc import Mapping
from typing import Any

from s2sad import ir, ops
from s2sad.codegen.python.expressions import (
    accumulation,
    attribute,
    method_call,
    numpy_name,
)
from s2sad.codegen.python.list_expressions import ListExpressions
from s2sad.codegen.python.spelling import Spelling
from s2sad.ops.runtime.indices import last_writes
from s2sad.ops.runtime.rows import add_to_rows

WRITTEN_BY_KIND = (
    ops.zero_rows,
    ops.zero_items,
    ops.own_rows,
    ops.added_rows,
    ops.in_lists,
    *ops.CHANGES_OF_ROWS,
)
"""The operations whose syntax depends on the kinds of their operands."""


class RowExpressions(ListExpressions):
    """Writes the operations on lists of cotangents."""

    def __init__(
        self, function: ir.Function, names: Mapping[str, str], spelling: Spelling
    ) -> None:
        super().__init__(function, names, spelling)
        self._special |= {
            ops.zero_rows: self._zero_rows,
            ops.zero_items: self._zero_items,
            ops.zero_lists: self._zero_lists,
            ops.own_rows: lambda a: self._copied(
                self.operand(a.args[0]), self._kind(a.args[0])
            ),
            ops.added_rows: self._added_rows,
            ops.item_within: self._item_within,
            ops.in_lists: self._in_lists,
            ops.rows_of: lambda a: self._call(self.spelling.builtin("list"), a),
        }

    def is_rows(self, operand: Any) -> bool:
        """True for a list of cotangents, or another list."""
        return isinstance(self._kind(operand), ir.List)

    # ------------------------------------------------------------- expressions

    def _zero_rows(self, value: ir.Apply) -> ast.expr:
        """``[np.zeros_like(row) for row in rows]``."""
        (items,) = value.args
        kind = self._kind(items)
        item = kind.item if isinstance(kind, ir.List) else None
        return self._each(self.operand(items), lambda row: self._zeros(row, item))

    def _zero_items(self, value: ir.Apply) -> ast.expr:
        """``[0.0] * len(items)``, or a tuple."""
        (items,) = value.args
        if isinstance(items, ir.Global):  # what it holds is known when it runs
            function = self.spelling.function(ops.zero_items)
            return ast.Call(function, [self.operand(items)], [])
        kind = self._kind(items)
        if isinstance(kind, ir.Reference):  # a list that is kept from here on
            kind = ir.List(ir.kind_of_slot(kind, ir.EACH))
        return self._zero_tangent(self.operand(items), kind)

    def _zero_lists(self, value: ir.Apply) -> ast.expr:
        """``[[0.0] * len(item) for item in items]``."""

        def zeros(item: ast.expr) -> ast.expr:
            count = ast.Call(self.spelling.builtin("len"), [item], [])
            zero = ast.List([ast.Constant(0.0)], ast.Load())
            return ast.BinOp(zero, ast.Mult(), count)

        wishes = ("item", "inner", "part")
        return self._each(self.operand(value.args[0]), zeros, wishes)

    def _zero_tangent(self, items: ast.expr, kind: ir.Kind | None) -> ast.expr:
        """Zeros of the structure of a list of this kind."""
        kind = ir.without_none(kind)
        if isinstance(kind, ir.List) and (
            kind.item == ir.NONE or isinstance(kind.item, ir.Scalar | ir.NumPyScalar)
        ):
            count = ast.Call(self.spelling.builtin("len"), [items], [])
            display = ast.Tuple if kind.constructor is tuple else ast.List
            zero = display([ast.Constant(0.0)], ast.Load())
            return ast.BinOp(zero, ast.Mult(), count)
        if not isinstance(kind, ir.List):
            return ast.Call(numpy_name("zeros_like", self.spelling), [items], [])
        made = self._each(
            items,
            lambda item: self._zero_tangent(item, kind.item),
            ("item", "inner", "part"),
        )
        return self._of(kind, made)

    def _zeros(self, like: ast.expr, kind: ir.Kind | None) -> ast.expr:
        """Zeros of the shape of a value of this kind."""
        kind = ir.without_none(kind)
        if isinstance(kind, ir.List) and isinstance(
            ir.cotangent_kind_of_item(kind), ir.List
        ):
            return self._each(like, lambda row: self._zeros(row, kind.item))
        shape: ast.expr
        if isinstance(kind, ir.Scalar) and kind.type == "int":
            shape = like
        elif isinstance(kind, ir.List) and isinstance(
            kind.item, ir.Scalar | ir.NumPyScalar
        ):
            shape = ast.Call(self.spelling.builtin("len"), [like], [])
        else:
            shape = ast.Call(numpy_name("shape", self.spelling), [like], [])
        dtype = ir.dtype_of(kind) if kind is not None else None
        if isinstance(kind, ir.Array) and (dtype or "").startswith("float"):
            return ast.Call(numpy_name("zeros_like", self.spelling), [like], [])
        arguments: list[ast.expr] = [shape]
        if isinstance(kind, ir.List) and isinstance(kind.item, ir.NumPyScalar):
            if kind.item.dtype not in (None, "float64"):
                arguments.append(numpy_name(str(kind.item.dtype), self.spelling))
        return ast.Call(numpy_name("zeros", self.spelling), arguments, [])

    def _copied(self, rows: ast.expr, kind: ir.Kind | None) -> ast.expr:
        """Rows in memory of their own; a row that is an array is copied."""
        if not isinstance(kind, ir.List):
            return method_call(rows, "copy")
        return self._of(
            kind, self._each(rows, lambda row: self._copied(row, kind.item))
        )

    def _in_lists(self, value: ir.Apply) -> ast.expr:
        """``rows.tolist()``, or ``[row.tolist() for row in rows]``."""
        rows, items = value.args
        kind = self._kind(items)
        assert isinstance(kind, ir.List)
        return self._as_items(self.operand(rows), self._kind(rows), kind)

    def _as_items(self, rows: ast.expr, own: ir.Kind | None, kind: ir.List) -> ast.expr:
        """A cotangent of this kind in the structure of a list, but for the outermost
        constructor."""
        if isinstance(kind.item, ir.List):
            inner, row_kind = kind.item, getattr(own, "item", None)

            def as_item(row: ast.expr) -> ast.expr:
                made = self._as_items(row, row_kind, inner)
                if inner.constructor is list:
                    return made
                return ast.Call(self.spelling.builtin("tuple"), [made], [])

            return self._each(rows, as_item)
        if isinstance(own, ir.List):
            return rows
        if isinstance(kind.item, ir.Scalar):
            return method_call(rows, "tolist")
        return ast.Call(self.spelling.builtin("list"), [rows], [])

    def _added_rows(self, value: ir.Apply) -> ast.expr:
        """``[a + b for a, b in zip(first, second)]``."""
        first, second = map(self.operand, value.args)
        return self._sums(first, second, self._kind(value.args[0]))

    def _overwritten_part(self, value: ir.Apply) -> ast.expr:
        rows, place = value.args
        kind = self._kind(rows)
        if not isinstance(kind, ir.List):
            return super()._overwritten_part(value)
        part, inner = self._place_in_rows(rows, place)
        if not isinstance(place, ir.Pack):
            return self._copied(part, kind.item)
        rank = len(ir.axes_of(inner) or ()) if inner is not None else -1
        if len(place.items) == 1 + rank and all(
            map(self._is_whole_number, place.items)
        ):
            return part
        return method_call(part, "copy")

    def _last_writes(self, value: ir.Apply) -> ast.expr:
        rows, index = value.args
        if not self.is_rows(rows):
            return super()._last_writes(value)
        row, inner = self._row_and_index(rows, index)
        function = self.spelling.function(last_writes)
        return ast.Call(function, [row, self._whole_index(inner)], [])

    def _getitem(self, value: ir.Apply) -> ast.expr:
        rows, index = value.args
        if not self.is_rows(rows) or not isinstance(index, ir.Pack):
            return super()._getitem(value)
        return self._place_in_rows(rows, index)[0]

    # ------------------------------------------------------------- statements

    def changed_rows(self, value: ir.Apply) -> ast.stmt:
        """``rows.pop()``, ``rows.append(zeros)``, ``rows[k] = zeros``."""
        assert value.function in ops.CHANGES_OF_ROWS
        rows, place = map(self.operand, value.args[:2])
        if value.function in ops.CHANGES_WITHIN_ROWS:
            return self._changed_row(value, ast.Subscript(rows, place, ast.Load()))
        last = value.args[1] == ir.Const(-1)
        if value.function is ops.without_row:
            if last:
                return ast.Expr(method_call(rows, "pop"))
            return ast.Delete([ast.Subscript(rows, place, ast.Del())])
        like = value.args[2]
        zeros = self._zeros(self.operand(like), self._kind(like))
        if value.function is ops.with_row:
            if last:
                return ast.Expr(method_call(rows, "append", zeros))
            return ast.Expr(method_call(rows, "insert", place, zeros))
        return ast.Assign([ast.Subscript(rows, place, ast.Store())], zeros)

    def _changed_row(self, value: ir.Apply, row: ast.Subscript) -> ast.stmt:
        """``rows[k][i] = 0.0``, ``rows[k] = rows[k][:-1]`` and the like."""
        index = value.args[2]
        if value.function is ops.with_zero_element:
            element = ast.Subscript(row, self.operand(index), ast.Store())
            return ast.Assign([element], ast.Constant(0.0))
        first, zero = index == ir.Const(0), ast.Constant(0.0)
        made: ast.expr
        if value.function is ops.with_longer_row:
            name = numpy_name("insert" if first else "append", self.spelling)
            made = ast.Call(name, [row, *[ast.Constant(0)] * first, zero], [])
        else:
            one = ast.Constant(1)
            last = ast.UnaryOp(ast.USub(), one)
            part = ast.Slice(one) if first else ast.Slice(None, last)
            made = ast.Subscript(row, part, ast.Load())
        target = ast.Subscript(row.value, row.slice, ast.Store())
        return ast.Assign([target], made)

    def _item_within(self, value: ir.Apply) -> ast.expr:
        """``lists[k][i]``; ``array[k, i]`` of an array."""
        lists, place, index = value.args
        if not self.is_rows(lists):
            both = ast.Tuple([self.operand(place), self.operand(index)], ast.Load())
            return ast.Subscript(self.operand(lists), both, ast.Load())
        inner = ast.Subscript(self.operand(lists), self.operand(place), ast.Load())
        return ast.Subscript(inner, self.operand(index), ast.Load())

    def written_rows(self, value: ir.Apply) -> ast.stmt:
        """``rows[k] += v``; several rows, or rows of rows, by a helper. Stores into
        items: ``rows[k][i] = v``."""
        rows, index, amount, *rest = value.args
        place, kind = self._place_in_rows(rows, index)
        if isinstance(kind, ir.List) or self.is_rows(amount):
            function = self.spelling.function(add_to_rows)
            return ast.Expr(ast.Call(function, [place, self.operand(amount)], []))
        assert isinstance(place, ast.Subscript)
        repeats = value.function is ops.index_add and rest[:1] == [ir.Const(True)]
        if (repeats or value.function is ops.accumulated) and isinstance(
            index, ir.Pack
        ):
            row, inner = self._row_and_index(rows, index)
            add = attribute(numpy_name("add", self.spelling), "at")
            arguments = [row, self._whole_index(inner), self.operand(amount)]
            return ast.Expr(ast.Call(add, arguments, []))
        place.ctx = ast.Store()
        if value.function in (ops.stored, ops.index_set):
            return ast.Assign([place], self.operand(amount))
        sign = ast.Sub() if value.function is ops.subtracted_from else ast.Add()
        return accumulation(place, sign, self.operand(amount))

    def _place_in_rows(self, rows: Any, index: Any) -> tuple[ast.expr, ir.Kind | None]:
        """``rows[k][i]`` for the index ``(k, i)``, and the kind of the row or rows that
        it leads to."""
        place, kind, path = self._row(rows, index)
        if path:
            inner = self.operand(_one_index(path))
            place = ast.Subscript(place, inner, ast.Load())
        return place, kind

    def _row_and_index(self, rows: Any, index: Any) -> tuple[ast.expr, Any]:
        """``rows[k]`` and ``i`` for the index ``(k, i)``; ``i`` is ``...`` where the
        index leads to a row."""
        row, _, path = self._row(rows, index)
        return row, _one_index(path) if path else ir.Const(Ellipsis)

    def _row(
        self, rows: Any, index: Any
    ) -> tuple[ast.expr, ir.Kind | None, tuple[Any, ...]]:
        """The row or rows that an index leads to, of which kind, and what is left of
        the index."""
        kind = self._kind(rows)
        place = self.operand(rows)
        path = (
            index.items if isinstance(index, ir.Pack) and _is_path(index) else (index,)
        )
        while isinstance(kind, ir.List) and path:
            if isinstance(self._kind(path[0]), ir.Array):
                place = self._chosen(place, self.operand(path[0]))
            else:
                place = ast.Subscript(place, self.operand(path[0]), ast.Load())
                if not isinstance(path[0], ir.Slice):
                    kind = kind.item
            path = path[1:]
        return place, kind, path

    def _chosen(self, rows: ast.expr, places: ast.expr) -> ast.expr:
        """``[rows[i] for i in places]``."""
        name = self.name_beside(rows, places)
        item = ast.Subscript(rows, ast.Name(name, ast.Load()), ast.Load())
        part = ast.comprehension(ast.Name(name, ast.Store()), places, [], 0)
        return ast.ListComp(item, [part])

    def taken_row(
        self, s: ir.Statement, following: ir.Statement | None
    ) -> ast.expr | None:
        """The row that a line reads where the next one takes it from its place: it
        needs no copy. ``rows.pop()`` where the next line is part of that."""
        part, change = _part_read(s), _change_of_rows(following)
        if part is None or change is None or part.args != change.args[:2]:
            return None
        if not self.is_rows(part.args[0]):
            return None
        rows, place = map(self.operand, part.args)
        if change.function is ops.without_row:
            last = part.args[1] == ir.Const(-1)
            return method_call(rows, "pop", *(() if last else (place,)))
        return ast.Subscript(rows, place, ast.Load())

    # ------------------------------------------------------------- comprehensions

    def _each(
        self,
        rows: ast.expr,
        made: Any,
        wishes: tuple[str, ...] = ("row", "item", "part"),
    ) -> ast.ListComp:
        """``[made(row) for row in rows]``."""
        name = self.name_beside(rows, wishes=wishes)
        item = made(ast.Name(name, ast.Load()))
        part = ast.comprehension(ast.Name(name, ast.Store()), rows, [], 0)
        return ast.ListComp(item, [part])

    def _of(self, kind: ir.List, made: ast.ListComp) -> ast.expr:
        """The comprehension, which makes a tuple where the kind is that of one."""
        if kind.constructor is list:
            return made
        items = ast.GeneratorExp(made.elt, made.generators)
        return ast.Call(self.spelling.builtin("tuple"), [items], [])

    def _sums(
        self, first: ast.expr, second: ast.expr, kind: ir.Kind | None
    ) -> ast.ListComp:
        names = [self.name_beside(first, second, wishes=w) for w in (_FIRST, _SECOND)]
        a, b = (ast.Name(name, ast.Load()) for name in names)
        item: ast.expr = ast.BinOp(a, ast.Add(), b)
        if isinstance(kind, ir.List) and isinstance(kind.item, ir.List):
            item = self._sums(a, b, kind.item)
        target = ast.Tuple([ast.Name(n, ast.Store()) for n in names], ast.Store())
        strict = [ast.keyword("strict", ast.Constant(True))]
        pairs = ast.Call(self.spelling.builtin("zip"), [first, second], strict)
        return ast.ListComp(item, [ast.comprehension(target, pairs, [], 0)])


def _is_path(index: ir.Pack) -> bool:
    return index.constructor is tuple


def _one_index(path: tuple[Any, ...]) -> Any:
    return path[0] if len(path) == 1 else ir.Pack(tuple, tuple(range(len(path))), path)


def _part_read(s: ir.Statement) -> ir.Apply | None:
    return s.value if ir.is_line(s, ops.overwritten_part) else None


def _change_of_rows(s: ir.Statement | None) -> ir.Apply | None:
    """A change by which a row leaves its place."""
    if not ir.applies(s, *ops.CHANGES_OF_ROWS) or s.value.function is ops.with_row:
        return None
    return s.value if s.value.args[0] == s.target else None


_FIRST = ("row", "a", "first")
_SECOND = ("more", "b", "second")
