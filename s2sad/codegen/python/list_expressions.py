"""Lists whose length is known only when the program runs, and selections, to syntax."""

import ast
import itertools
import operator
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from s2sad import ir, ops
from s2sad.analysis.memory.view_operations import gives_copy, is_view_operation
from s2sad.codegen.python.expressions import (
    Expressions,
    accumulation,
    attribute,
    method_call,
    numpy_name,
)
from s2sad.codegen.python.spelling import Spelling
from s2sad.codegen.structures.records import adjoint_class
from s2sad.ops.runtime.rows import with_zeros_behind


class ListExpressions(Expressions):
    """Writes the operations on lists and tuples of unknown length."""

    def __init__(
        self, function: ir.Function, names: Mapping[str, str], spelling: Spelling
    ) -> None:
        super().__init__(function, names, spelling)
        of_lists: dict[Any, Callable[[ir.Apply], ast.expr]] = {
            ops.new_list: lambda a: ast.List([], ast.Load()),
            ops.list_of: lambda a: self.operand(a.args[0]),
            ops.tuple_of: lambda a: self.operand(a.args[0]),
            ops.tuple_with: self._tuple_with,
            ops.joined_lists: self._joined,
            ops.joined_tuples: self._joined,
            ops.repeated: self._repeated,
            ops.column_of: self._column_of,
            ops.gathered: self._gathered,
            ops.bounds_of_runs: self._bounds_of_runs,
            **dict.fromkeys(ops.LISTS_OF_SELECTIONS, self._selections),
            ops.without_last: self._without_last,
            ops.read_part: self._read_part,
            ops.stored_part: self._stored_part,
            ops.kept_array: self._kept_array,
            ops.read_itself: lambda a: self.operand(a.args[0]),
            ops.kept_value: lambda a: self.operand(a.args[0]),
            ops.set_of_members: self._set_of_members,
            ops.change_members: self._change_of_members,
            ops.member_taken: self.method_of_first("pop"),
            ops.new_keys: lambda a: ast.List([], ast.Load()),
            ops.first_place: self._first_place,
            ops.number_of_keys: lambda a: self._call(self.spelling.builtin("len"), a),
            ops.place_of_object: lambda a: self.operand(a.args[0]),
            ops.place_in_list: lambda a: self.operand(a.args[0]),
            ops.zero_inserted: lambda a: self._along_items(
                "insert", a, ast.Constant(0.0)
            ),
            ops.zero_appended: self._zero_appended,
            ops.without_place: lambda a: self._along_items("delete", a),
            ops.as_tuple: lambda a: self._call(self.spelling.builtin("tuple"), a),
            ops.as_list: lambda a: self._call(self.spelling.builtin("list"), a),
            ops.as_deque: lambda a: self._call(self.spelling.function(deque), a),
            ops.zeros_along: self._zeros_along,
            ops.zero_numbers: self._zero_numbers,
            ops.numbers_of: lambda a: method_call(self.operand(a.args[0]), "tolist"),
            ops.shaped_as_items: self._shaped_as_items,
            ops.index_of_first: self.method_of_first("index"),
            ops.count_of_range: self._count_of_range,
        }
        self._special |= of_lists

    # ------------------------------------------------- arrays in run-time values

    def _read_part(self, value: ir.Apply) -> ast.expr:
        array, index = value.args
        whole = index == ir.Const(Ellipsis)
        return self.operand(array) if whole else self.part(array, index)

    def _stored_part(self, value: ir.Apply) -> ast.expr:
        """``x[i]``; a copy of it, where it may be a view."""
        array, index = value.args
        if index == ir.Const(Ellipsis):
            return method_call(self.operand(array), "copy")
        part = self.part(array, index)
        items = index.items if isinstance(index, ir.Pack) else (index,)
        rank = self._rank_of_kept(array)
        number = len(items) == rank and all(map(self._is_whole_number, items))
        if number or gives_copy(index, self.function.kinds):
            return part
        return method_call(part, "copy")

    def _kept_array(self, value: ir.Apply) -> ast.expr:
        """An array of its own, which an expression may give already."""
        (array,) = value.args
        if not isinstance(array, ir.Apply):
            return method_call(self.operand(array), "copy")
        if is_view_operation(array, self.function.kinds):
            return self._call(numpy_name("array", self.spelling), value)
        return self.operand(array)

    def written_array(self, value: ir.Apply) -> ast.stmt:
        """The line that writes into a part of such an array, or adds to one of its
        adjoint."""
        array, index, amount = value.args
        adds = value.function in (ops.increase_part, ops.add_to_part)
        if adds and isinstance(amount, ir.Apply):
            if amount.function is ops.stored_part and not self._is_gathered(index):
                amount = replace(amount, function=ops.read_part)
        added = self.operand(amount)
        place: Any = self.part(array, index)
        if value.function in (ops.store_part, ops.put_adjoint_part):
            place.ctx = ast.Store()
            return ast.Assign([place], added)
        if self._is_gathered(index):
            add = attribute(numpy_name("add", self.spelling), "at")
            owner, places = self.operand(array), self._whole_index(index)
            return ast.Expr(ast.Call(add, [owner, places, added], []))
        if index == ir.Const(Ellipsis) and self._may_be_bound(array):
            place = self.operand(array)
        place.ctx = ast.Store()
        return accumulation(place, ast.Add(), added)

    def _is_gathered(self, index: ir.Operand) -> bool:
        """True for an index that may name elements several times, or any at all."""
        if isinstance(index, ir.Pack) and issubclass(index.constructor, tuple):
            return any(map(self._is_gathered, index.items))
        unknown = isinstance(self._kind(index), ir.Unknown)
        return unknown or gives_copy(index, self.function.kinds)

    def _may_be_bound(self, array: Any) -> bool:
        """False for a slot that can't be given what it holds: of a tuple, or of objects
        that have a say in it."""
        if not isinstance(array, ir.Apply) or array.function is ops.read_part:
            return True
        if array.function not in (ops.read_attribute, ops.read_item):
            return array.function in (ops.stored_attribute, ops.stored_item)
        kind = self._kind_kept(array.args[0])
        if kind is None or kind.adjoint:
            return kind is not None
        return all(
            issubclass(form.constructor, list | dict | deque)
            or adjoint_class(form, self.spelling.namespace is None) is form.constructor
            for form in kind.forms
        )

    def _rank_of_kept(self, array: Any) -> int | None:
        """The rank of what a reference to an array leads to, as far as it is known."""
        kind = self._kind(array)
        if kind is None and isinstance(array, ir.Apply) and len(array.args) > 1:
            holder, key = self._kind_kept(array.args[0]), array.args[1]
            for place in (getattr(key, "value", None), ir.EACH):
                kind = kind or (holder and ir.kind_of_slot(holder, place))
            return None if kind is None else ir.rank_of(kind)
        return None if kind is None else ir.rank_of(ir.array_referred_to(kind))

    # ----------------------------------------------------------------- lists

    def _tuple_with(self, value: ir.Apply) -> ast.expr:
        """``(*items, item)``."""
        items, item = map(self.operand, value.args)
        return ast.Tuple([ast.Starred(items, ast.Load()), item], ast.Load())

    def _joined(self, value: ir.Apply) -> ast.expr:
        """``first + second``; ``[*first, last]`` where one of them is written out."""
        display = ast.List if value.function is ops.joined_lists else ast.Tuple
        first, second = map(self.operand, value.args)
        constructor = list if display is ast.List else tuple
        alike = all(
            getattr(self._kind(a), "constructor", None) is constructor
            for a in value.args
        )
        written = (ast.List, ast.Tuple)
        if alike and not isinstance(first, written) and not isinstance(second, written):
            return ast.BinOp(first, ast.Add(), second)
        items: list[ast.expr] = []
        for part in (first, second):
            if isinstance(part, written):
                items += part.elts
            else:
                items.append(ast.Starred(part, ast.Load()))
        return display(items, ast.Load())

    def _repeated(self, value: ir.Apply) -> ast.expr:
        items, count = map(self.operand, value.args)
        return ast.BinOp(items, ast.Mult(), count)

    def sums_of_rows(self, *value: Any) -> ast.expr:
        """``[a + b for a, b in zip(rows[place], amounts)]``."""
        rows, place, amounts = map(self.operand, value)
        names = [self.name_beside(rows, place, amounts, wishes=(w,)) for w in "ab"]
        pair = ast.Tuple([ast.Name(n, ast.Store()) for n in names], ast.Store())
        row = ast.Subscript(rows, place, ast.Load())
        zipped = ast.Call(self.spelling.builtin("zip"), [row, amounts], [])
        first, second = (ast.Name(n, ast.Load()) for n in names)
        loop = ast.comprehension(pair, zipped, [], 0)
        return ast.ListComp(ast.BinOp(first, ast.Add(), second), [loop])

    def _column_of(self, value: ir.Apply) -> ast.expr:
        """``[row[0] for row in rows]``."""
        rows, *keys = (self.operand(a) for a in value.args)
        name = self.name_beside(*keys, wishes=("row", "item"))
        item: ast.expr = ast.Name(name, ast.Load())
        for key in keys:
            item = ast.Subscript(item, key, ast.Load())
        part = ast.comprehension(ast.Name(name, ast.Store()), rows, [], 0)
        return ast.ListComp(item, [part])

    def _gathered(self, value: ir.Apply) -> ast.expr:
        """``[items[i] for i in indices]``."""
        items, indices = (self.operand(a) for a in value.args)
        name = self.name_beside(items)
        item = ast.Subscript(items, ast.Name(name, ast.Load()), ast.Load())
        part = ast.comprehension(ast.Name(name, ast.Store()), indices, [], 0)
        return ast.ListComp(item, [part])

    def _bounds_of_runs(self, value: ir.Apply) -> ast.expr:
        """``[k for k in range(len(keys) + 1) if k in (0, len(keys)) or ...]``."""
        keys = ast.unparse(self.operand(value.args[0]))
        k = self.name_beside(self.operand(value.args[0]))
        count, numbers = (
            ast.unparse(self.spelling.builtin(n)) for n in ("len", "range")
        )
        return ast.parse(
            f"[{k} for {k} in {numbers}({count}({keys}) + 1)"
            f" if {k} in (0, {count}({keys})) or {keys}[{k}] != {keys}[{k} - 1]]",
            mode="eval",
        ).body

    def _selections(self, value: ir.Apply) -> ast.expr:
        """``list(itertools.combinations(pool, r))``."""
        made = ops.LISTS_OF_SELECTIONS[value.function]
        pool, *rest = (self.operand(a) for a in value.args if a != ir.Const(None))
        words = []
        if made is itertools.product:
            words, rest = [ast.keyword("repeat", rest[0])], []
        call = ast.Call(self.spelling.function(made), [pool, *rest], words)
        return ast.Call(self.spelling.builtin("list"), [call], [])

    def _without_last(self, value: ir.Apply) -> ast.expr:
        rest = ast.Slice(None, ast.UnaryOp(ast.USub(), ast.Constant(1)), None)
        return ast.Subscript(self.operand(value.args[0]), rest, ast.Load())

    def _set_of_members(self, value: ir.Apply) -> ast.expr:
        """``{first, second}``, or ``set()``."""
        if not value.args:
            return ast.Call(self.spelling.builtin("set"), [], [])
        return ast.Set([self.operand(member) for member in value.args])

    def _change_of_members(self, value: ir.Apply) -> ast.expr:
        """``members.add(member)``."""
        members, name, *args = value.args
        assert isinstance(name, ir.Const)
        return method_call(self.operand(members), name.value, *map(self.operand, args))

    def taken_item(
        self, s: ir.Statement, following: ir.Statement | None
    ) -> ast.expr | None:
        """``items.pop()`` where a line reads an item that the next one takes away:
        ``x = items[-1]``, ``items.pop()``. The first key of a heap likewise."""
        read, change = _value_of(s), _value_of(following)
        if read is None or change is None or not isinstance(read.args[0], ir.Var):
            return None
        items = self._name(read.args[0], ast.Load())
        assert isinstance(s, ir.Assign) and isinstance(following, ir.Assign)
        taken, longer = s.target, following.target
        assert isinstance(taken, ir.Var) and isinstance(longer, ir.Var)
        lists = (change.args[0], longer)
        if not all(isinstance(v, ir.Var) and self._id(v) == items.id for v in lists):
            return None
        if self._id(taken) in map(self._id, ir.value_variables(change)):
            return None
        if read.function is ops.first_place and change.function in ops.KEY_CHANGES:
            return self._place_in(self.key_change(change))
        if read.function is not operator.getitem:
            return None
        place = read.args[1]
        if change.function is ops.without_first and place == ir.Const(0):
            return method_call(items, "popleft")
        if change.function is not ops.without_item:
            return None
        if place != change.args[1] or place not in (ir.Const(-1), ir.Const(0)):
            return None
        if not isinstance(self._kind(read.args[0]), ir.List):
            return None
        where = [] if place == ir.Const(-1) else [self.operand(place)]
        return method_call(items, "pop", *where)

    def name_beside(
        self, *expressions: ast.expr, wishes: tuple[str, ...] = ("i", "j", "k", "place")
    ) -> str:
        """A name for the variable of a comprehension that uses these expressions."""
        nodes = [node for e in expressions for node in ast.walk(e)]
        taken = {node.id for node in nodes if isinstance(node, ast.Name)}
        taken |= {*self.spelling.modules, *self.spelling.own_modules.values()}
        numbered = (f"{wishes[0]}_{n}" for n in itertools.count(2))
        names = itertools.chain(wishes, numbered)
        return next(name for name in names if name not in taken)

    def _id(self, variable: ir.Var) -> str:
        return self._name(variable, ast.Load()).id

    def only_renames(self, s: ir.Statement) -> bool:
        """True for a copy between variables that share a name, which isn't written."""
        if not isinstance(s, ir.Assign) or not isinstance(s.target, ir.Var):
            return False
        return isinstance(s.value, ir.Var) and self._id(s.value) == self._id(s.target)

    def key_change(self, value: ir.Apply) -> ast.expr:
        """``heapq.heappush(keys, (*parts, range(place, 0)))`` and the like."""
        keys, *key = value.args
        arguments = [self.operand(keys)]
        if key:
            parts, place = key
            assert isinstance(parts, ir.Pack)
            bounds = [self.operand(place), ast.Constant(0)]
            begin = ast.Call(self.spelling.builtin("range"), bounds, [])
            whole = [*map(self.operand, parts.items), begin]
            arguments.append(ast.Tuple(whole, ast.Load()))
        changed = self.spelling.function(ops.KEY_CHANGES[value.function])
        return ast.Call(changed, arguments, [])

    def _first_place(self, value: ir.Apply) -> ast.expr:
        """``keys[0][-1].start``."""
        keys = self.operand(value.args[0])
        return self._place_in(ast.Subscript(keys, ast.Constant(0), ast.Load()))

    def _place_in(self, key: ast.expr) -> ast.expr:
        last = ast.UnaryOp(ast.USub(), ast.Constant(1))
        return attribute(ast.Subscript(key, last, ast.Load()), "start")

    def _along_items(self, name: str, value: ir.Apply, *more: ast.expr) -> ast.expr:
        """``np.insert(cotangent, place, 0.0, axis=0)`` and the like."""
        arguments = [*map(self.operand, value.args), *more]
        words = []
        kind = self._kind(value.args[0])
        if not isinstance(kind, ir.Array) or len(kind.axes or ()) != 1:
            words = [ast.keyword("axis", ast.Constant(0))]
        return ast.Call(numpy_name(name, self.spelling), arguments, words)

    def _zero_appended(self, value: ir.Apply) -> ast.expr:
        """``np.append(cotangent, 0.0)``."""
        kind = self._kind(value.args[0])
        if isinstance(kind, ir.Array) and len(kind.axes or ()) == 1:
            arguments = [self.operand(value.args[0]), ast.Constant(0.0)]
            return ast.Call(numpy_name("append", self.spelling), arguments, [])
        return self._call(self.spelling.function(with_zeros_behind), value)

    def _count_of_range(self, value: ir.Apply) -> ast.expr:
        bounds = [self.operand(a) for a in value.args]
        numbers = ast.Call(self.spelling.builtin("range"), bounds, [])
        return ast.Call(self.spelling.builtin("len"), [numbers], [])

    def _zeros_along(self, value: ir.Apply) -> ast.expr:
        items, *dtype = value.args
        arguments = [self._shape(items), *(self.operand(d) for d in dtype)]
        return ast.Call(numpy_name("zeros", self.spelling), arguments, [])

    def _zero_numbers(self, value: ir.Apply) -> ast.expr:
        """``[0.0] * len(items)``, or ``[0.0] * count``."""
        items = value.args[0]
        count = self.operand(items)
        is_length = isinstance(items, ir.Apply) and items.function is len
        if not (is_length or isinstance(self._kind(items), ir.Scalar)):
            count = self._call(self.spelling.builtin("len"), value)
        return ast.BinOp(ast.List([ast.Constant(0.0)], ast.Load()), ast.Mult(), count)

    def _shaped_as_items(self, value: ir.Apply) -> ast.expr:
        array, items = value.args
        arguments = [self.operand(array), self._shape(items)]
        return ast.Call(numpy_name("reshape", self.spelling), arguments, [])


def _value_of(s: ir.Statement | None) -> ir.Apply | None:
    """The operation by which a line assigns a variable."""
    if isinstance(s, ir.Assign) and isinstance(s.target, ir.Var):
        if isinstance(s.value, ir.Apply) and s.value.args:
            return s.value
    return None
