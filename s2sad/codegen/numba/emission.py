"""Statements and expressions where Numba's Python differs from Python.

There is no ``reversed``: loops count down. Reshaping takes arrays whose elements lie by
rows. What NumPy spells as a function of arrays and rules apply to numbers is written as
the operation on numbers that it is. Lists are of one type.
"""

import ast
import math
import operator
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad import ir, ops
from s2sad.codegen.numba import helpers
from s2sad.codegen.numba.calls.handed_lists import typed_list
from s2sad.codegen.numba.calls.residuals import VALUES, Residuals, sample_of
from s2sad.codegen.numba.functions import OF_COMPLEX
from s2sad.codegen.numba.lists.list_operations import empty_list
from s2sad.codegen.numba.lists.stack_arrays import list_item, list_length
from s2sad.codegen.python.emit import Emitter
from s2sad.codegen.python.expressions import attribute, method_call, numpy_name
from s2sad.codegen.python.spelling import Spelling
from s2sad.ops.numerics import matrices
from s2sad.ops.numerics.complex_numbers import unit_complex
from s2sad.ops.runtime import scalars
from s2sad.ops.runtime.broadcasting import as_dtype_of, divide_or_zero
from s2sad.rules.numpy.shapes import CASTS


def _of_any_layout(kind: ir.Kind | None, array: ast.expr) -> ast.expr:
    """``array[::1]``, whose layout Numba doesn't count on."""
    if not isinstance(kind, ir.Array) or not kind.axes:
        return array
    steps: list[ast.expr] = [ast.Slice(None, None, ast.Constant(1)) for _ in kind.axes]
    index = steps[0] if len(steps) == 1 else ast.Tuple(steps, ast.Load())
    return ast.Subscript(array, index, ast.Load())


_BUILTINS: dict[Any, str] = {
    np.float64: "float",
    np.int64: "int",
    np.complex128: "complex",
}


class NumbaEmitter(Emitter):
    """Writes one function for ``njit``."""

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
            typed_list: self._typed_list,
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
            scalars.quotient: lambda a: self._binary(a, ast.Div()),
            scalars.power: lambda a: self._binary(a, ast.Pow()),
            np.where: self._choice,
            np.reshape: self._reshape,
            np.ravel: lambda a: self._flat(a),
            np.clip: self._clip,
            operator.invert: self._invert,
            np.ndarray.flatten: lambda a: self._flat(a),
            np.copy: lambda a: method_call(self.operand(a.args[0]), "copy"),
            as_dtype_of: lambda a: self.operand(a.args[0]),
            unit_complex: lambda a: self._helper(helpers.unit_of_complex, a),
            **{f: lambda a: self._helper(a.function, a) for f in OF_COMPLEX.values()},
            divide_or_zero: lambda a: self._helper(helpers.quotient_or_zero, a),
            matrices.cofactors: lambda a: self._helper(helpers.cofactors_of_matrix, a),
            matrices.inverse_or_nan: lambda a: self._helper(
                helpers.inverse_of_matrix, a
            ),
            **dict.fromkeys(CASTS, self._cast),
        }

    def _typed_list(self, value: ir.Apply) -> ast.expr:
        module = ast.Name(self.spelling.module_name("numba"), ast.Load())
        name = attribute(attribute(module, "typed"), "List")
        return self._call(name, value)

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

    def _apply(self, value: ir.Apply) -> ast.expr:
        own = value.function in self._special
        plain = value.spelling.startswith("method:") and own
        if plain or value.function in _BUILTINS:
            value = ir.Apply(value.function, value.args, value.keywords)
        if value.function in _BUILTINS:
            name = _BUILTINS[value.function]
            numbers = [self.operand(a) for a in value.args]
            return ast.Call(self.spelling.builtin(name), numbers, [])
        if ir.Const(complex) in (*value.args, *(v for _, v in value.keywords)):
            value = _with_dtype_named(value)
        return super()._apply(value)

    def numbers(self, s: ir.For) -> ast.expr:
        """What a loop counts through: downwards where it runs backwards."""
        if s.parallel:  # in any order
            module = ast.Name(self.spelling.module_name("numba"), ast.Load())
            forwards = super().numbers(_forwards(s))
            assert isinstance(forwards, ast.Call)
            return ast.Call(attribute(module, "prange"), forwards.args, [])
        if not s.backwards:
            return super().numbers(s)
        start, stop, step = s.start, s.stop, s.step
        if step == ir.Const(1):
            last: Any = _less_one(stop)
            bounds = [last, _less_one(start), ir.Const(-1)]
        elif step == ir.Const(-1):
            up = replace(_forwards(s), start=_one_more(stop), stop=_one_more(start))
            return super().numbers(replace(up, step=ir.Const(1)))
        else:
            count = ast.Call(
                self.spelling.builtin("len"),
                [super().numbers(_forwards(s))],
                [],
            )
            turns = ast.BinOp(count, ast.Sub(), ast.Constant(1))
            along = ast.BinOp(turns, ast.Mult(), self.operand(step))
            first = ast.BinOp(self.operand(start), ast.Add(), along)
            end = ast.BinOp(self.operand(start), ast.Sub(), self.operand(step))
            back = ast.UnaryOp(ast.USub(), self.operand(step))
            return ast.Call(self.spelling.builtin("range"), [first, end, back], [])
        return ast.Call(
            self.spelling.builtin("range"), [self.operand(b) for b in bounds], []
        )

    def _binary(self, value: ir.Apply, sign: ast.operator) -> ast.expr:
        left, right = map(self.operand, value.args)
        return ast.BinOp(left, sign, right)

    def _flat(self, value: ir.Apply) -> ast.expr:
        """``x.ravel()`` copies where it must; ``flatten`` always does."""
        name = "ravel" if value.function is np.ravel else "flatten"
        return method_call(self.operand(value.args[0]), name)

    def _reshape(self, value: ir.Apply) -> ast.expr:
        array, shape = value.args
        by_rows = ast.Call(
            numpy_name("ascontiguousarray", self.spelling), [self.operand(array)], []
        )
        return method_call(by_rows, "reshape", self.operand(shape))

    def _clip(self, value: ir.Apply) -> ast.expr:
        """Between numbers, which np.clip isn't for."""
        words = dict(value.keywords)
        names = ("a_min", "a_max") if "a_min" in words else ("min", "max")
        x, *bounds = value.args
        low = bounds[0] if bounds else words.get(names[0], ir.Const(None))
        high = bounds[1] if len(bounds) > 1 else words.get(names[1], ir.Const(None))
        result = self.operand(x)
        for name, bound in (("maximum", low), ("minimum", high)):
            if bound != ir.Const(None):
                function = numpy_name(name, self.spelling)
                result = ast.Call(function, [result, self.operand(bound)], [])
        return result

    def _invert(self, value: ir.Apply) -> ast.expr:
        """``~`` of a bool is that of an int to Numba."""
        kind = self._kind(value.args[0])
        operand = self.operand(value.args[0])
        if kind is not None and ir.dtype_of(kind) == "bool":
            return ast.UnaryOp(ast.Not(), operand)
        return ast.UnaryOp(ast.Invert(), operand)

    def _cast(self, value: ir.Apply) -> ast.expr:
        words = dict(value.keywords)
        dtype = value.args[1] if len(value.args) > 1 else words["dtype"]
        assert isinstance(dtype, ir.Const)
        names = {"f": "float", "i": "int", "b": "bool", "c": "complex"}
        name = names[np.dtype(dtype.value).kind]
        number = self.operand(value.args[0])
        return ast.Call(self.spelling.builtin(name), [number], [])


def _with_dtype_named(value: ir.Apply) -> ir.Apply:
    """The call with ``np.complex128`` for ``complex``, which is no dtype to Numba."""
    known = {ir.Const(complex): ir.Const(np.complex128)}
    args = tuple(known.get(a, a) if isinstance(a, ir.Const) else a for a in value.args)
    words = tuple(
        (k, known.get(v, v) if isinstance(v, ir.Const) else v)
        for k, v in value.keywords
    )
    return replace(value, args=args, keywords=words)


def _forwards(s: ir.For) -> ir.For:
    return ir.For(None, s.target, s.start, s.stop, s.step, s.body)


def _one_more(bound: Any) -> Any:
    """``bound + 1``, folded where it is known."""
    if isinstance(bound, ir.Const) and isinstance(bound.value, int):
        return ir.Const(bound.value + 1)
    return ir.Apply(operator.add, (bound, ir.Const(1)))


def _less_one(bound: Any) -> Any:
    """``bound - 1``, folded where it is known."""
    if isinstance(bound, ir.Const) and isinstance(bound.value, int):
        return ir.Const(bound.value - 1)
    if isinstance(bound, ir.Apply) and bound.function is operator.add:
        if bound.args[1] == ir.Const(1):
            return bound.args[0]
    return ir.Apply(operator.sub, (bound, ir.Const(1)))
