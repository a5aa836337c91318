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

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from s2sad.ir.kinds import Array, Axis, Kind, NumPyScalar, Scalar, axes_of
from s2sad.ir.nodes import (
    Apply,
    Assign,
    Block,
    Const,
    Function,
    Operand,
    Pack,
    Statement,
    Var,
)
from s2sad.ir.walking import altered, as_block, direct_writes, walk, with_blocks
from s2sad.ops.runtime.products import linear_combinations
from s2sad.optimise.products.product_terms import ProductTable
from s2sad.rules.steps.shape_queries import axis_length

MOST_INPUTS = 4
"""So many tangents may enter."""
FEWEST_NUMBERS = 4
"""So many numbers must an array have at least."""
STEPS_A_NUMBER = 3
"""So many operations on tangents must a number take at least, on the average."""

Combination = dict[str, Operand]
"""Partial derivatives by the tangents that enter."""


def preaccumulate(function: Function) -> Function:
    """The function with tangents of arrays of numbers by partial derivatives.

    >>> from s2sad.ir.nodes import Return
    >>> from s2sad.ir.text import function_text
    >>> from s2sad.ir.kinds import ONE
    >>> n = Axis("many", "n")
    >>> tangent, double = Array("float64", (n,)), NumPyScalar("float64")
    >>> kinds = {"x": tangent, "y": tangent, "c": double}
    >>> def line(name, operation, *args):
    ...     kinds[name] = tangent
    ...     value = Apply(operation, tuple(map(Var, args)))
    ...     return Assign(None, Var(name), value, tangent, True)
    >>> lines, last = [], "x"
    >>> for k in range(4):
    ...     lines.append(line(f"p{k}", operator.mul, last, "c"))
    ...     lines.append(line(f"q{k}", operator.mul, "y", "c"))
    ...     lines.append(line(last := f"r{k}", operator.add, f"p{k}", f"q{k}"))
    >>> items = tuple(Var(f"r{k}") for k in range(4))
    >>> array = Apply(np.array, (Pack(list, (0, 1, 2, 3), items),))
    >>> kind = Array("float64", (Axis("many"), n))
    >>> made = Assign(None, Var("m"), array, kind, True)
    >>> body = (*lines, made, Return(None, Var("m")))
    >>> f = Function("f", ("x", "y", "c"), body, kinds | {"m": kind})
    >>> print(function_text(preaccumulate(f)).split("r3 = ")[1])
    add(p3, q3)  # float64[n]
        product.9 = add(product.8, c)  # np.float64
        partials.10 = array(list(list(c, c), list(product.1, product.3), \
list(product.4, product.6), list(product.7, product.9)))  # float64[n, n]
        tangents.11 = array(list(x, y))  # float64[n, n]
        m = linear_combinations(partials.10, tangents.11)  # float64[n, n]
        return m
    """
    return _Preaccumulation(function).run()


@dataclass
class _Section:
    """The lines that lead from a few tangents to an array."""

    lines: dict[str, Assign] = field(default_factory=dict)
    """By the name of the tangent that they give."""
    inputs: list[Var] = field(default_factory=list)


class _Preaccumulation(ProductTable):
    def __init__(self, function: Function) -> None:
        super().__init__(function)
        self.writes: Counter[str] = Counter(function.parameters)
        for s in walk(function.body):
            self.writes.update(v.name for v in direct_writes(s))

    def run(self) -> Function:
        body = self.block(self.function.body)
        if body is self.function.body:
            return self.function
        temporaries = frozenset(self.temporaries)
        return altered(
            self.function, body=body, kinds=self.kinds, temporaries=temporaries
        )

    def block(self, block: Block) -> Block:
        block = as_block([with_blocks(s, self.block) for s in block], block)
        linear = {
            s.target.name: s
            for s in block
            if isinstance(s, Assign) and isinstance(s.target, Var) and self.is_linear(s)
        }
        arrays = [s for s in block if _is_array(s)] if linear else []
        for s in arrays:
            assert isinstance(s, Assign)
            section = self.section(s, linear)
            if section is not None:
                block = self.with_partials(block, s, section)
        return block

    # ---------------------------------------------------------------- which lines

    def is_linear(self, s: Assign) -> bool:
        """True for a line that gives a tangent of a number as a combination of others,
        the factors of which are numbers."""
        if not s.derived or not isinstance(s.value, Apply) or s.value.keywords:
            return False
        if not self.is_tangent(s.target):
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

    def is_tangent(self, operand: Operand) -> bool:
        """True for a vector of numbers that is assigned once."""
        if not isinstance(operand, Var) or self.writes[operand.name] != 1:
            return False
        kind = self.kinds.get(operand.name)
        if not isinstance(kind, Array) or kind.promoted or kind.dtype != "float64":
            return False
        return len(axes_of(kind) or ()) == 1

    def is_factor(self, operand: Operand) -> bool:
        """True for a real number in double precision."""
        if isinstance(operand, Const):
            return type(operand.value) in (int, float)
        kind = self.kinds.get(operand.name) if isinstance(operand, Var) else None
        if isinstance(kind, NumPyScalar):
            return kind.dtype == "float64"
        return isinstance(kind, Scalar) and kind.type in ("int", "float")

    def section(self, s: Assign, linear: dict[str, Assign]) -> _Section | None:
        """What leads to an array; None where that isn't worth while."""
        items = list(_leaves(s.value.args[0]))  # type: ignore[union-attr]
        if len(items) < FEWEST_NUMBERS or not all(map(self.is_tangent, items)):
            return None
        section, seen = _Section(), set()
        open_ones = items[::-1]
        while open_ones:
            item = open_ones.pop()
            assert isinstance(item, Var)
            if item.name in seen:
                continue
            seen.add(item.name)
            line = linear.get(item.name)
            if line is None:
                section.inputs.append(item)
                continue
            section.lines[item.name] = line
            assert isinstance(line.value, Apply)
            args = reversed(line.value.args)
            open_ones += [a for a in args if self.is_tangent(a)]
        steps = len(section.lines) / len(items)
        if len(section.inputs) > MOST_INPUTS or steps < STEPS_A_NUMBER:
            return None
        axes = {axes_of(self.kinds[v.name])[0] for v in section.inputs}  # type: ignore[index]
        return section if len(axes) == 1 else None

    # ---------------------------------------------------------------- new lines

    def with_partials(self, block: Block, s: Assign, section: _Section) -> Block:
        """The block with the partial derivatives beside the lines of a section, and the
        array by them."""
        found: dict[str, Combination] = {
            v.name: {v.name: Const(1.0)} for v in section.inputs
        }
        result: list[Statement] = []
        for line in block:
            if line is s:
                result += self.combined(s, found, section)
                continue
            result.append(line)
            if not isinstance(line, Assign) or not isinstance(line.target, Var):
                continue
            if section.lines.get(line.target.name) is line:
                found[line.target.name] = self.partials(line, found, result)
        return as_block(result, block)

    def partials(
        self, s: Assign, found: dict[str, Combination], lines: list[Statement]
    ) -> Combination:
        """The partial derivatives of one tangent."""
        assert isinstance(s.value, Apply)
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
                value = Apply(function, (own[name], c))
                result[name] = self.line(s, value, _double(), lines)
            elif function is operator.add:
                result[name] = c
            else:
                result[name] = self.negative(s, c, lines)
        return result

    def product(
        self, s: Assign, a: Operand, b: Operand, lines: list[Statement]
    ) -> Operand:
        for one, other in ((a, b), (b, a)):
            if one == Const(1.0):
                return other
            if one == Const(-1.0):
                return self.negative(s, other, lines)
        return self.line(s, Apply(operator.mul, (a, b)), _double(), lines)

    def negative(self, s: Assign, a: Operand, lines: list[Statement]) -> Operand:
        if isinstance(a, Const):
            return Const(-a.value)
        return self.line(s, Apply(operator.neg, (a,)), _double(), lines)

    def combined(
        self, s: Assign, found: dict[str, Combination], section: _Section
    ) -> list[Statement]:
        """The array as a matrix of partial derivatives times the tangents."""
        lines: list[Statement] = []
        items = list(_leaves(s.value.args[0]))  # type: ignore[union-attr]
        inputs = section.inputs
        rows = [
            _list([found[str(item)].get(v.name, Const(0.0)) for v in inputs])
            for item in items
        ]
        kind = s.kind
        assert isinstance(kind, Array) and kind.axes is not None
        *shape, count = kind.axes
        height = Axis("many") if len(items) > 1 else Axis("one")
        width = Axis("many") if len(inputs) > 1 else Axis("one")
        jacobian = self.line(
            s,
            Apply(np.array, (_list(rows),)),
            Array("float64", (height, width)),
            lines,
            "partials",
        )
        tangents = self.line(
            s,
            Apply(np.array, (_list(inputs),)),
            Array("float64", (width, count)),
            lines,
            "tangents",
        )
        value = Apply(linear_combinations, (jacobian, tangents))
        if len(shape) == 1:
            return [*lines, replace(s, value=value)]
        flat = self.line(s, value, Array("float64", (height, count)), lines)
        length = self.line(
            s, Apply(axis_length, (inputs[0], Const(0))), Scalar("int"), lines
        )
        lengths = [Const(k) for k in _lengths(s.value.args[0])]  # type: ignore[union-attr]
        sizes = (*lengths, length)
        wanted = Pack(tuple, tuple(range(len(sizes))), sizes)
        return [*lines, replace(s, value=Apply(np.reshape, (flat, wanted)))]

    def line(
        self,
        s: Assign,
        value: Apply,
        kind: Kind,
        lines: list[Statement],
        hint: str = "product",
    ) -> Operand:
        """The variable of a new line."""
        name = self.fresh_name(hint)
        self.temporaries.add(name)
        self.kinds[name] = kind
        lines.append(Assign(s.span, Var(name), value, kind, True))
        return Var(name)


def _double() -> Kind:
    return NumPyScalar("float64")


def _list(items: list[Operand] | list[Pack] | list[Var]) -> Pack:
    return Pack(list, tuple(range(len(items))), tuple(items))


def _is_array(s: Statement) -> bool:
    """True for a derived line that makes an array of lists."""
    match s:
        case Assign(
            derived=True,
            target=Var(),
            value=Apply(function=np.array, args=(Pack(),), keywords=()),
        ):
            return isinstance(s.kind, Array) and s.kind.axes is not None
    return False


def _leaves(operand: Operand) -> Iterator[Operand]:
    """The items of nested lists."""
    if isinstance(operand, Pack):
        for item in operand.items:
            yield from _leaves(item)
    else:
        yield operand


def _lengths(operand: Operand) -> list[int]:
    """The lengths of nested lists."""
    lengths: list[int] = []
    while isinstance(operand, Pack):
        lengths.append(len(operand.items))
        operand = operand.items[0]
    return lengths
