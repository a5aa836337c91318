"""Lists, to the part of Python that Numba compiles."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from typing import Any

from s2sad import ir, ops
from s2sad.codegen.numba import helpers
from s2sad.codegen.numba.calls.residuals import VALUES, Residuals, sample_of
from s2sad.codegen.numba.lists.list_operations import empty_list
from s2sad.codegen.numba.lists.stack_arrays import list_item, list_length
from s2sad.codegen.python.emit import Emitter
from s2sad.codegen.python.expressions import numpy_name
from s2sad.codegen.python.spelling import Spelling


class NumbaListEmitter(Emitter):
    """Writes operations on lists for ``njit``."""

    runs_over_items = False

    def __init__(
        self, function: ir.Function, names: Mapping[str, str], spelling: Spelling
    ) -> None:
        super().__init__(function, names, spelling)
        self._special |= {
            empty_list: lambda a: self._empty(a.args[0].value),  # type: ignore[union-attr]
            sample_of: lambda a: self._sample(a.args[0].value),  # type: ignore[union-attr]
            list_length: lambda a: self._call(self.spelling.builtin("len"), a),
            list_item: lambda a: ast.Subscript(
                self.operand(a.args[0]), self.operand(a.args[1]), ast.Load()
            ),
            helpers.kept_call: lambda a: self._helper(helpers.kept_call, a),
            ops.joined_lists: self._added_lists,
            ops.numbers_of: lambda a: self._call(self.spelling.builtin("list"), a),
            ops.zeros_along: self._zeros_along_items,
            ops.shaped_as_items: lambda a: self.operand(a.args[0]),
            ops.zero_inserted: lambda a: self._helper(helpers.with_zeros_at, a),
            ops.zero_appended: self._zeros_behind,
            ops.without_place: lambda a: self._helper(helpers.without_part_at, a),
            ops.added_rows: self._sums_of_rows,
            math.fsum: lambda a: self._helper(helpers.exact_sum, a),
        }

    def _helper(self, function: Any, value: ir.Apply) -> ast.expr:
        return self._call(self.spelling.function(function), value)

    def _empty(self, kind: ir.Kind) -> ast.expr:
        """``[0.0][:0]``, of which Numba knows the type."""
        one = ast.List([self._sample(kind)], ast.Load())
        return ast.Subscript(one, ast.Slice(None, ast.Constant(0)), ast.Load())

    def _sample(self, kind: ir.Kind | None) -> ast.expr:
        """A value of a kind."""
        if isinstance(kind, ir.List):
            return ast.List([self._sample(kind.item)], ast.Load())
        if isinstance(kind, Residuals):
            items = [self._sample(item) for item in kind.items]
            for k, strided in enumerate(kind.strided):
                if strided:
                    items[k] = _of_any_layout(kind.items[k], items[k])
            return ast.Tuple(items, ast.Load())
        dtype = ir.dtype_of(kind) if kind is not None else None
        if isinstance(kind, ir.Array) and kind.axes:
            zeros: list[ast.expr] = [ast.Constant(0) for _ in kind.axes or ()]
            shape = zeros[0] if len(zeros) == 1 else ast.Tuple(zeros, ast.Load())
            rest = [] if dtype == "float64" else [numpy_name(f"{dtype}", self.spelling)]
            return ast.Call(numpy_name("empty", self.spelling), [shape, *rest], [])
        return ast.Constant(VALUES.get(dtype, 0.0))

    def _added_lists(self, value: ir.Apply) -> ast.expr:
        first, second = map(self.operand, value.args)
        return ast.BinOp(first, ast.Add(), second)

    def _zeros_along_items(self, value: ir.Apply) -> ast.expr:
        items = value.args[0]
        kind = self._kind(items)
        if isinstance(kind, ir.List) and isinstance(
            kind.item, ir.Scalar | ir.NumPyScalar
        ):
            length = ast.Call(self.spelling.builtin("len"), [self.operand(items)], [])
            return ast.Call(numpy_name("zeros", self.spelling), [length], [])
        name = self.spelling.function(helpers.zeros_along_items)
        return ast.Call(name, [self.operand(items)], [])

    def _zeros_behind(self, value: ir.Apply) -> ast.expr:
        cotangent = self.operand(value.args[0])
        length = ast.Call(self.spelling.builtin("len"), [cotangent], [])
        name = self.spelling.function(helpers.with_zeros_at)
        return ast.Call(name, [cotangent, length], [])

    def _sums_of_rows(self, value: ir.Apply) -> ast.expr:
        made = self._added_rows(value)
        for node in ast.walk(made):
            if isinstance(node, ast.Call):
                node.keywords = []  # Numba's zip isn't strict
        return made


def _of_any_layout(kind: ir.Kind | None, array: ast.expr) -> ast.expr:
    """``array[::1]``, whose layout Numba doesn't count on."""
    if not isinstance(kind, ir.Array) or not kind.axes:
        return array
    steps: list[ast.expr] = [ast.Slice(None, None, ast.Constant(1)) for _ in kind.axes]
    index = steps[0] if len(steps) == 1 else ast.Tuple(steps, ast.Load())
    return ast.Subscript(array, index, ast.Load())
