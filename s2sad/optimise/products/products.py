"""Products: factors of derived expressions are gathered, numbers first, and taken out
of sums.

::

    t = truediv(1.0, n)
    p = mul(2, r)
    r.bar = mul(t, p)            ->    r.bar = mul(truediv(2.0, n), r)
    s.bar = sum(mul(c, z))       ->    s.bar = mul(c, sum(z))
    s.bar = sum(mul(a, b))       ->    s.bar = matmul(a, b)    # vectors
    x.bar = add(x.bar, neg(p))   ->    x.bar = sub(x.bar, p)

Only lines that rules wrote are rewritten: products are reassociated, which may change
the last bits.
"""

import operator

import numpy as np

from s2sad import ir
from s2sad.analysis.dataflow.available import Equations
from s2sad.optimise.axes import axes_of_floats, same_length
from s2sad.optimise.identities import engine, table
from s2sad.optimise.products import factors, product_terms
from s2sad.optimise.products.factors import Factors
from s2sad.optimise.products.product_terms import Lines, Product


class Sums:
    """What a line that adds or sums may be written as."""

    def __init__(self, factors: Factors, equations: Equations, lines: Lines) -> None:
        self.factors, self.equations, self.lines = factors, equations, lines
        self.kinds = factors.kinds

    def sum_of_products(self, value: ir.Apply) -> ir.Apply | ir.Operand | None:
        """``k + l`` as a number, ``k * p + l * p`` as ``(k + l) * p``, and ``k * p + k
        * q`` as ``k * (p + q)`` where that spares a multiplication."""
        lines, (a, b) = self.lines, value.args
        first, second = self.expanded(a), self.expanded(b)
        sign = -1 if value.function is operator.sub else 1
        numbers = first.is_number and second.is_number
        if numbers and self.is_number(a) and self.is_number(b):
            return ir.Const(float(first.coefficient + sign * second.coefficient))
        total = first.sum_with(second, sign)
        if total is None:
            opened = (self.factors.opened(p, self.equations) for p in (first, second))
            total = next(opened).sum_with(next(opened), sign)
        if total is not None:
            return lines.build(self.factors.merged(total, self.equations))
        common = first.coefficient
        if abs(common) == 1 or abs(second.coefficient) != abs(common):
            return None
        if not all(self.is_read_once(o) for o in (a, b) if isinstance(o, ir.Var)):
            return None
        if not (self.takes_number_alone(first) and self.takes_number_alone(second)):
            return None
        sign *= 1 if second.coefficient == common else -1
        terms = [
            lines.named(lines.build(Product(1, p.factors, p.divisors)))
            for p in (first, second)
        ]
        added = ir.Apply(operator.add if sign == 1 else operator.sub, tuple(terms))
        return lines.build(Product(common, [lines.named(added)]))

    def expanded(self, operand: ir.Operand) -> Product:
        """The factors of an operand."""
        return self.factors.expanded(operand, self.equations)

    def single_equation(self, operand: ir.Operand) -> ir.Apply | None:
        """The derived operation behind a variable that is read once."""
        return self.factors.single_equation(operand, self.equations)

    def is_read_once(self, operand: ir.Operand) -> bool:
        """True for a variable that one line reads."""
        return self.factors.uses.reads[str(operand)] == 1

    def is_number(self, operand: ir.Operand) -> bool:
        """True for operands of rank 0."""
        return self.factors.is_number(operand)

    def takes_number_alone(self, product: Product) -> bool:
        """True where the coefficient takes an operation of its own: nothing but numbers
        is multiplied, or no other number is."""
        operands = [*product.factors, *(d for d, _ in product.divisors)]
        numbers = [self.is_number(o) for o in operands]
        return bool(product.factors) and (all(numbers) or not any(numbers))

    # -------------------------------------------------------------- signs

    def sum_with_sign(self, value: ir.Apply) -> ir.Apply | None:
        """``a + (-p)`` as ``a - p``, also behind a mask, and ``(-p - q) + c`` as ``c -
        (p + q)``."""
        a, b = value.args
        negative = self.negative_sum(a)
        if negative is not None:
            return ir.Apply(operator.sub, (b, negative))
        for first, second in ((a, b), (b, a)):
            if isinstance(second, ir.Var) and self.is_read_once(second):
                taken = self.masked_negative(second) or self.positive(second)
                if taken is not None:
                    return ir.Apply(operator.sub, (first, taken))
        return None

    def difference_with_sign(self, value: ir.Apply) -> ir.Apply | None:
        """``a - (-p)`` as ``a + p``."""
        first, second = value.args
        inner = self.single_positive(second)
        return None if inner is None else ir.Apply(operator.add, (first, inner))

    def negative_sum(self, operand: ir.Operand) -> ir.Operand | None:
        """``p + q`` for an operand that is ``-p - q`` and read once."""
        equation = self.single_equation(operand)
        if equation is None or equation.function is not operator.sub:
            return None
        first, second = equation.args
        inner = self.single_positive(first)
        if inner is None:
            return None
        return self.lines.named(ir.Apply(operator.add, (inner, second)))

    def masked_negative(self, operand: ir.Operand) -> ir.Operand | None:
        """``where(m, p, 0)`` for an operand that is ``where(m, -p, 0)`` and read
        once."""
        equation = self.single_equation(operand)
        if equation is None or equation.function is not np.where:
            return None
        mask, chosen, other = equation.args
        inner = self.single_positive(chosen) if other == ir.Const(0.0) else None
        if inner is None:
            return None
        return self.lines.named(ir.Apply(np.where, (mask, inner, other)))

    def single_positive(self, operand: ir.Operand) -> ir.Operand | None:
        """``p`` for an operand that is ``-p`` and read once."""
        return self.positive(operand) if self.single_equation(operand) else None

    def positive(self, operand: ir.Operand) -> ir.Operand | None:
        """``p`` for an operand that is ``-p``."""
        product = self.expanded(operand)
        if product.coefficient >= 0 or not product.factors:
            return None
        positive = Product(-product.coefficient, product.factors, product.divisors)
        return self.lines.named(self.lines.build(positive))

    # ------------------------------------------------------- sums of arrays

    def sum_of(self, operand: ir.Operand) -> ir.Apply | ir.Operand | None:
        """The sum of a product: numbers outside, vectors by a scalar product."""
        if not isinstance(operand, ir.Var):
            return None
        lines, product = self.lines, self.expanded(operand)
        numbers, arrays = product.parted(self.is_number)
        if not arrays.factors:
            return None
        vectors = self.are_vectors(arrays)
        if not vectors and numbers == Product():
            return None
        if vectors:
            total = ir.Apply(operator.matmul, tuple(arrays.factors))
        else:
            total = ir.Apply(np.sum, (lines.named(lines.build(arrays)),))
        dtype = ir.dtype_of(self.kinds.get(operand.name) or ir.Scalar("float"))
        name = lines.named(total, ir.NumPyScalar(dtype))
        return lines.build(Product(1, [name]).times(numbers))

    def sum_along(self, value: ir.Apply) -> ir.Apply | ir.Operand | None:
        """The sum along axes: factors that are constant along them outside."""
        operand, words = value.args[0], dict(value.keywords)
        kind, axis = ir.kind_of(operand, self.kinds), words.get("axis")
        rank = ir.rank_of(kind) if kind is not None else None
        if (
            not rank
            or not isinstance(axis, ir.Const)
            or not isinstance(axis.value, int)
        ):
            return None
        keepdims = words.get("keepdims") == ir.Const(True)
        place = axis.value % rank
        product = self.expanded(operand)
        if not keepdims and place != 0:
            if not set(words) <= {"axis", "keepdims"}:
                return None
            return self.sum_over_vector(product, axis.value, kind)

        def constant_along(factor: ir.Operand) -> bool:
            if self.is_number(factor):
                return True
            own_kind = ir.kind_of(factor, self.kinds)
            axes = ir.axes_of(own_kind) if own_kind is not None else None
            if axes is None:
                return False
            own = place - (rank - len(axes))
            return own < 0 or (keepdims and axes[own].length == "one")

        outside, inside = product.parted(constant_along)
        if not inside.factors or outside == Product():
            return None
        inner = self.lines.named(self.lines.build(inside))
        inner_kind = ir.kind_of(inner, self.kinds)
        if inner_kind is None or ir.rank_of(inner_kind) != rank:
            return None
        assert isinstance(inner_kind, ir.Array)
        axes = inner_kind.axes or ()
        left = tuple(ir.ONE if k == place else a for k, a in enumerate(axes))
        kind = ir.Array(inner_kind.dtype, left if keepdims else left[1:])
        total = self.lines.named(ir.Apply(np.sum, (inner,), value.keywords), kind)
        return self.lines.build(Product(1, [total]).times(outside))

    def sum_over_vector(
        self, product: Product, axis: int, kind: ir.Kind | None
    ) -> ir.Apply | ir.Operand | None:
        """The sum of a matrix times a vector along the last axis: numbers outside."""
        numbers, arrays = product.parted(self.is_number)
        total = self.product_with_vector(arrays, axis)
        if total is None or ir.rank_of(kind or ir.UNKNOWN) != 2:
            return None
        assert isinstance(kind, ir.Array) and kind.axes is not None
        name = self.lines.named(total, ir.Array(kind.dtype, kind.axes[:1]))
        return self.lines.build(Product(1, [name]).times(numbers))

    def product_with_vector(self, product: Product, axis: int) -> ir.Apply | None:
        """``sum(mul(m, v), axis)`` of a matrix and a vector, along the last axis::

        t = mul(y.dot, v)
        z.dot = sum(t, axis=1)         ->     z.dot = matmul(y.dot, v)
        """
        factors = product.factors
        if product.divisors or len(factors) != 2 or axis % 2 != 1:
            return None
        for matrix, vector in (factors, factors[::-1]):
            axes = axes_of_floats(self.kinds, matrix, vector)
            if axes is not None and [*map(len, axes)] == [2, 1]:
                if same_length(axes[0][1], axes[1][0]):
                    return ir.Apply(operator.matmul, (matrix, vector))
        return None

    def are_vectors(self, product: Product) -> bool:
        """True for two vectors of one length and dtype."""
        if len(product.factors) != 2 or product.divisors:
            return False
        axes = axes_of_floats(self.kinds, *product.factors)
        if axes is None or [*map(len, axes)] != [1, 1]:
            return False
        return same_length(axes[0][0], axes[1][0])


_REWRITTEN = (*factors.PRODUCTS, np.sum, operator.add, operator.sub)


def merge_products(function: ir.Function) -> ir.Function:
    """The function with its derived products gathered.

    >>> r, n = ir.Var("r"), ir.Var("n")
    >>> t = ir.Assign(
    ...     None,
    ...     ir.Var("t"),
    ...     ir.Apply(operator.truediv, (ir.Const(1.0), n)),
    ...     None,
    ...     True,
    ... )
    >>> p = ir.Assign(
    ...     None, ir.Var("p"), ir.Apply(operator.mul, (ir.Const(2.0), r)), None, True
    ... )
    >>> last = ir.Apply(operator.mul, (ir.Var("t"), ir.Var("p")))
    >>> body = (
    ...     t,
    ...     p,
    ...     ir.Assign(None, ir.Var("b"), last, None, True),
    ...     ir.Return(None, ir.Var("b")),
    ... )
    >>> function = ir.Function("f", ("r", "n"), body, dict.fromkeys("rntpb", ir.FLOAT))
    >>> print(ir.function_text(merge_products(function)))
    def f(r: float, n: float):
        t = truediv(1.0, n)
        p = mul(2.0, r)
        product.1 = mul(2.0, r)  # float
        b = truediv(product.1, n)
        return b
    """
    return Products(engine.rewritten(function, table.IDENTITIES["products"])).run()


class Products(factors.Factors):
    """Walks a function and rewrites its derived products."""

    def run(self) -> ir.Function:
        """The function with its lines rewritten."""
        return self.finished(self.block(self.function.body))

    def block(self, block: ir.Block) -> ir.Block:
        """A block with its lines rewritten."""
        result: list[ir.Statement] = []
        for s in block:
            s = ir.with_blocks(s, self.block)
            new = None
            if ir.is_line(s) and s.derived and self.concerns(s.value):
                new = self.rewritten(s, self.facts.before.get(id(s), Equations()))
            result += (s,) if new is None else new
        return ir.as_block(result, block)

    def concerns(self, value: ir.Apply) -> bool:
        """False for operations whose lines stay for sure."""
        return value.function in _REWRITTEN

    def rewritten(self, s: ir.Line, equations: Equations) -> list[ir.Statement] | None:
        """The lines in place of one, or None where it stays."""
        lines = product_terms.Lines(self, s)
        term = self.term(s, equations, lines)
        return None if term is None else lines.assigned(s, term)

    def term(
        self, s: ir.Line, equations: Equations, lines: product_terms.Lines
    ) -> ir.Apply | ir.Operand | None:
        """What a line may compute instead."""
        value, sums = s.value, Sums(self, equations, lines)
        if value.function in factors.PRODUCTS and not value.keywords:
            product = self.product(value, equations)
            if product is None:
                return None
            return lines.build(self.merged(self.cancelled(product), equations))
        if value.function is np.sum and len(value.args) == 1:
            return sums.sum_along(value) if value.keywords else sums.sum_of(*value.args)
        if value.function not in (operator.add, operator.sub) or value.spelling:
            return None
        kind = s.kind or self.kinds.get(s.target.name, ir.UNKNOWN)
        plain = isinstance(kind, ir.Array | ir.Scalar | ir.NumPyScalar)
        merged = None
        if plain and ir.is_real_number_kind(kind):
            merged = sums.sum_of_products(value)
        if merged is not None:
            return merged
        if value.function is operator.add:
            return sums.sum_with_sign(value)
        return sums.difference_with_sign(value)
