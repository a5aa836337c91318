"""Preaccumulation: numbers that depend on a few others carry no tangents of their own,
but partial derivatives, which numbers are enough for.

::

    s.dot = mul(x.dot, c)                    # x.dot: a tangent for each direction
    p.dot = mul(s.dot, y)                    a = mul(c, y)
    q.dot = mul(y.dot, s)               ->
    r.dot = add(p.dot, q.dot)
    m.dot = array(list(s.dot, r.dot))        j = array(list(list(c, 0.0), list(a, s)))
                                             d = array(list(x.dot, y.dot))
                                             m.dot = linear_combinations(j, d)

So come the tangents of a matrix of rotation in a Jacobian: nine numbers, computed from
three angles in many steps, each of which has a tangent for every direction. Source:
Griewank and Walther, Evaluating Derivatives (2nd ed.), chapter 10 (preaccumulation of
local Jacobians).
"""

import operator
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TypeGuard

import numpy as np

from s2sad import ir
from s2sad.ops.runtime.products import linear_combinations
from s2sad.optimise.products.product_terms import ProductTable
from s2sad.rules.steps.shape_queries import axis_length

MOST_INPUTS = 4
"""So many tangents may enter."""
FEWEST_NUMBERS = 4
"""So many numbers must an array have at least."""
STEPS_A_NUMBER = 3
"""So many operations on tangents must a number take at least, on the average."""

Combination = dict[str, ir.Operand]
"""Partial derivatives by the tangents that enter."""


def preaccumulate(function: ir.Function) -> ir.Function:
    """The function with tangents of arrays of numbers by partial derivatives.

    >>> n = ir.Axis("many", "n")
    >>> tangent, double = ir.Array("float64", (n,)), ir.NumPyScalar("float64")
    >>> kinds = {"x": tangent, "y": tangent, "c": double}
    >>> def line(name, operation, *args):
    ...     kinds[name] = tangent
    ...     value = ir.Apply(operation, tuple(map(ir.Var, args)))
    ...     return ir.Assign(None, ir.Var(name), value, tangent, True)
    >>> lines, last = [], "x"
    >>> for k in range(4):
    ...     lines.append(line(f"p{k}", operator.mul, last, "c"))
    ...     lines.append(line(f"q{k}", operator.mul, "y", "c"))
    ...     lines.append(line(last := f"r{k}", operator.add, f"p{k}", f"q{k}"))
    >>> items = tuple(ir.Var(f"r{k}") for k in range(4))
    >>> array = ir.Apply(np.array, (ir.Pack(list, (0, 1, 2, 3), items),))
    >>> kind = ir.Array("float64", (ir.Axis("many"), n))
    >>> made = ir.Assign(None, ir.Var("m"), array, kind, True)
    >>> body = (*lines, made, ir.Return(None, ir.Var("m")))
    >>> f = ir.Function("f", ("x", "y", "c"), body, kinds | {"m": kind})
    >>> print(ir.function_text(preaccumulate(f)).split("r3 = ")[1])
    add(p3, q3)  # float64[n]
        product.9 = add(product.8, c)  # np.float64
        partials.1 = array(list(list(c, c), list(product.1, product.3), \
list(product.4, product.6), list(product.7, product.9)))  # float64[n, n]
        tangents.1 = array(list(x, y))  # float64[n, n]
        m = linear_combinations(partials.1, tangents.1)  # float64[n, n]
        return m
    """
    preaccumulation = _Preaccumulation(function)
    return preaccumulation.finished(preaccumulation.block(function.body))


@dataclass
class _Section:
    """The lines that lead from a few tangents to an array."""

    lines: dict[str, ir.Line] = field(default_factory=dict)
    """By the name of the tangent that they give."""
    inputs: list[ir.Var] = field(default_factory=list)


class _Preaccumulation(ProductTable):
    def block(self, block: ir.Block) -> ir.Block:
        block = ir.as_block([ir.with_blocks(s, self.block) for s in block], block)
        linear = {
            s.target.name: s for s in block if ir.is_line(s) and self.is_linear(s)
        }
        arrays = [s for s in block if _is_array(s)] if linear else []
        for s in arrays:
            section = self.section(s, linear)
            if section is not None:
                block = self.with_partials(block, s, section)
        return block

    # ---------------------------------------------------------------- which lines

    def is_linear(self, s: ir.Line) -> bool:
        """True for a line that gives a tangent of a number as a combination of others,
        the factors of which are numbers."""
        if not s.derived or s.value.keywords or not self.is_tangent(s.target):
            return False
        args = s.value.args
        match s.value.function:
            case operator.add | operator.sub:
                return all(map(self.is_tangent, args))
            case operator.neg:
                return self.is_tangent(args[0])
            case operator.mul:
                return any(
                    self.is_tangent(a) and self.is_factor(b)
                    for a, b in (args, args[::-1])
                )
        return False

    def is_tangent(self, operand: ir.Operand) -> bool:
        """True for a vector of numbers that is assigned once."""
        kind = ir.array_kind(operand, self.kinds)
        name = str(operand)
        writes = self.uses.writes[name] + (name in self.function.parameters)
        if kind is None or writes != 1 or kind.dtype != "float64":
            return False
        return len(kind.axes or ()) == 1

    def is_factor(self, operand: ir.Operand) -> bool:
        """True for a real number in double precision."""
        if isinstance(operand, ir.Const):
            return type(operand.value) in (int, float)
        kind = ir.kind_of(operand, self.kinds)
        if isinstance(kind, ir.NumPyScalar):
            return kind.dtype == "float64"
        return isinstance(kind, ir.Scalar) and kind.type in ("int", "float")

    def section(self, s: ir.Line, linear: dict[str, ir.Line]) -> _Section | None:
        """What leads to an array; None where that isn't worth while."""
        items = list(_leaves(s.value.args[0]))
        if len(items) < FEWEST_NUMBERS or not all(map(self.is_tangent, items)):
            return None
        section, seen = _Section(), set()
        open_ones = items[::-1]
        while open_ones:
            item = open_ones.pop()
            assert isinstance(item, ir.Var)
            if item.name in seen:
                continue
            seen.add(item.name)
            line = linear.get(item.name)
            if line is None:
                section.inputs.append(item)
                continue
            section.lines[item.name] = line
            args = reversed(line.value.args)
            open_ones += [a for a in args if self.is_tangent(a)]
        steps = len(section.lines) / len(items)
        if len(section.inputs) > MOST_INPUTS or steps < STEPS_A_NUMBER:
            return None
        axes = {ir.axes_of(self.kinds[v.name])[0] for v in section.inputs}  # type: ignore[index]
        return section if len(axes) == 1 else None

    # ---------------------------------------------------------------- new lines

    def with_partials(self, block: ir.Block, s: ir.Line, section: _Section) -> ir.Block:
        """The block with the partial derivatives beside the lines of a section, and the
        array by them."""
        found: dict[str, Combination] = {
            v.name: {v.name: ir.Const(1.0)} for v in section.inputs
        }
        result: list[ir.Statement] = []
        for line in block:
            if line is s:
                result += self.combined(s, found, section)
                continue
            result.append(line)
            if ir.is_line(line) and section.lines.get(line.target.name) is line:
                found[line.target.name] = self.partials(line, found, result)
        return ir.as_block(result, block)

    def partials(
        self, s: ir.Line, found: dict[str, Combination], lines: list[ir.Statement]
    ) -> Combination:
        """The partial derivatives of one tangent."""
        first, *rest = s.value.args
        function = s.value.function
        if function is operator.mul:
            second = rest[0]
            if not self.is_tangent(first):
                first, second = second, first
            own = found[str(first)]
            return {n: self.product(s, c, second, lines) for n, c in own.items()}
        own = found[str(first)]
        if function is operator.neg:
            return {n: self.negative(s, c, lines) for n, c in own.items()}
        other = found[str(rest[0])]
        result = dict(own)
        for name, c in other.items():
            if name in own:
                value = ir.Apply(function, (own[name], c))
                result[name] = self.line(lines, value, _DOUBLE, s.span)
            elif function is operator.add:
                result[name] = c
            else:
                result[name] = self.negative(s, c, lines)
        return result

    def product(
        self, s: ir.Assign, a: ir.Operand, b: ir.Operand, lines: list[ir.Statement]
    ) -> ir.Operand:
        for one, other in ((a, b), (b, a)):
            if one == ir.Const(1.0):
                return other
            if one == ir.Const(-1.0):
                return self.negative(s, other, lines)
        return self.line(lines, ir.Apply(operator.mul, (a, b)), _DOUBLE, s.span)

    def negative(
        self, s: ir.Assign, a: ir.Operand, lines: list[ir.Statement]
    ) -> ir.Operand:
        if isinstance(a, ir.Const):
            return ir.Const(-a.value)
        return self.line(lines, ir.Apply(operator.neg, (a,)), _DOUBLE, s.span)

    def combined(
        self, s: ir.Line, found: dict[str, Combination], section: _Section
    ) -> list[ir.Statement]:
        """The array as a matrix of partial derivatives times the tangents."""
        lines: list[ir.Statement] = []
        items = list(_leaves(s.value.args[0]))
        inputs = section.inputs
        rows = [
            _list([found[str(item)].get(v.name, ir.Const(0.0)) for v in inputs])
            for item in items
        ]
        kind = s.kind
        assert isinstance(kind, ir.Array) and kind.axes is not None
        *shape, count = kind.axes
        height = ir.Axis("many") if len(items) > 1 else ir.Axis("one")
        width = ir.Axis("many") if len(inputs) > 1 else ir.Axis("one")
        square, thin = (
            ir.Array("float64", axes) for axes in ((height, width), (width, count))
        )
        partials = ir.Apply(np.array, (_list(rows),))
        jacobian = self.line(lines, partials, square, s.span, "partials")
        given = ir.Apply(np.array, (_list(inputs),))
        tangents = self.line(lines, given, thin, s.span, "tangents")
        value = ir.Apply(linear_combinations, (jacobian, tangents))
        if len(shape) == 1:
            return [*lines, replace(s, value=value)]
        flat = self.line(lines, value, ir.Array("float64", (height, count)), s.span)
        asked = ir.Apply(axis_length, (inputs[0], ir.Const(0)))
        length = self.line(lines, asked, ir.INT, s.span)
        lengths = [ir.Const(k) for k in _lengths(s.value.args[0])]
        sizes: tuple[ir.Operand, ...] = (*lengths, length)
        wanted = ir.Apply(np.reshape, (flat, ir.pack_tuple(*sizes)))
        return [*lines, replace(s, value=wanted)]


_DOUBLE = ir.NumPyScalar("float64")


def _list(items: list[ir.Operand] | list[ir.Pack] | list[ir.Var]) -> ir.Pack:
    return ir.Pack(list, tuple(range(len(items))), tuple(items))


def _is_array(s: ir.Statement) -> TypeGuard[ir.Line]:
    """True for a derived line that makes an array of lists."""
    if not ir.is_line(s, np.array) or not s.derived or s.value.keywords:
        return False
    lists = len(s.value.args) == 1 and isinstance(s.value.args[0], ir.Pack)
    return lists and isinstance(s.kind, ir.Array) and s.kind.axes is not None


def _leaves(operand: ir.Operand) -> Iterator[ir.Operand]:
    """The items of nested lists."""
    if isinstance(operand, ir.Pack):
        for item in operand.items:
            yield from _leaves(item)
    else:
        yield operand


def _lengths(operand: ir.Operand) -> list[int]:
    """The lengths of nested lists."""
    lengths: list[int] = []
    while isinstance(operand, ir.Pack):
        lengths.append(len(operand.items))
        operand = operand.items[0]
    return lengths
