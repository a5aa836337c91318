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

from __future__ import annotations

import operator
from collections import Counter
from dataclasses import replace
from functools import cached_property

import numpy as np

from s2sad import ir, ops
from s2sad.analysis.dataflow.available import Equations, available_equations
from s2sad.ops.runtime.scalars import quotient
from s2sad.optimise.products.matrix_factors import (
    product_with_vector,
    scaled_matrix_product,
)
from s2sad.optimise.products.nonzero_numbers import nonzero_numbers
from s2sad.optimise.products.product_terms import Lines, Product, ProductTable

_MULTIPLY = (operator.mul, np.multiply)
_DIVIDE = (operator.truediv, np.divide, quotient)
_NEGATE = (operator.neg, np.negative)
PRODUCTS = (*_MULTIPLY, *_DIVIDE, *_NEGATE)
_REWRITTEN = (*PRODUCTS, np.sum, operator.add, operator.sub)


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
    return Products(function).run()


class Products(ProductTable):
    """Walks a function and rewrites its derived products."""

    def __init__(self, function: ir.Function) -> None:
        super().__init__(function)
        self.facts = available_equations(function.body)
        self.expansions: dict[tuple[int, int], Product] = {}
        """The factors of variables, by their equations and what these depend on."""

    @cached_property
    def nonzero(self) -> frozenset[str]:
        """The variables that surely aren't zero."""
        return nonzero_numbers(self.function, self.facts)

    @cached_property
    def readers(self) -> dict[str, list[ir.Statement]]:
        """The statements that read each variable, as often as they do."""
        found: dict[str, list[ir.Statement]] = {}
        for s in ir.walk(self.function.body):
            for v in ir.direct_reads(s):
                found.setdefault(v.name, []).append(s)
        return found

    @cached_property
    def uses(self) -> Counter[str]:
        """How often each variable is read."""
        return Counter({name: len(found) for name, found in self.readers.items()})

    def concerns(self, value: ir.Apply) -> bool:
        """False for operations whose lines stay for sure."""
        return value.function in _REWRITTEN

    def run(self) -> ir.Function:
        body = self.block(self.function.body)
        known = len(self.function.kinds), len(self.function.temporaries)
        if body is self.function.body and known == (
            len(self.kinds),
            len(self.temporaries),
        ):
            return self.function
        return replace(
            self.function,
            body=body,
            kinds=self.kinds,
            temporaries=frozenset(self.temporaries),
        )

    def block(self, block: ir.Block) -> ir.Block:
        result: list[ir.Statement] = []
        for s in block:
            s = ir.with_blocks(s, self.block)
            match s:
                case ir.Assign(
                    derived=True, value=ir.Apply() as value, target=ir.Var()
                ) if self.concerns(value):
                    equations = self.facts.before.get(id(s), Equations())
                    new = self.rewritten(s, equations)
                    if new is not None:
                        result += new
                        continue
            result.append(s)
        return ir.as_block(result, block)

    # ---------------------------------------------------------------- rewriting

    def rewritten(
        self, s: ir.Assign, equations: Equations
    ) -> list[ir.Statement] | None:
        """The lines in place of one, or None where it stays."""
        value = s.value
        assert isinstance(value, ir.Apply)
        lines = Lines(self, s)
        if value.function in PRODUCTS and not value.keywords:
            if value.function in _MULTIPLY:
                scaled = scaled_matrix_product(
                    value,
                    self.kinds,
                    lambda operand: self.single_equation(operand, equations),
                    lines.named,
                )
                if scaled is not None:
                    return lines.assigned(s, scaled)
            product = self.product(value, equations)
            if product is None:
                return None
            product = self.cancelled(product)
            return lines.assigned(s, lines.build(product))
        if value.function is np.sum and len(value.args) == 1:
            if value.keywords:
                total = self.sum_along(value, equations, lines)
            else:
                total = self.sum_of(value.args[0], equations, lines)
            return None if total is None else lines.assigned(s, total)
        if value.function in (operator.add, operator.sub) and not value.spelling:
            kind = s.kind or self.kinds.get(str(s.target), ir.UNKNOWN)
            plain = isinstance(kind, ir.Array | ir.Scalar | ir.NumPyScalar)
            merged = None
            if plain and ir.is_real_number_kind(kind):
                merged = self.sum_of_products(value, equations, lines)
            if merged is not None:
                return lines.assigned(s, merged)
        if value.function is operator.add and not value.spelling:
            return self.sum_with_sign(s, value, equations, lines)
        if value.function is operator.sub and not value.spelling:
            return self.difference_with_sign(s, value, equations, lines)
        return None

    def sum_of_products(
        self, value: ir.Apply, equations: Equations, lines: Lines
    ) -> ir.Apply | ir.Operand | None:
        """``k * p + l * p`` as ``(k + l) * p``, and ``k * p + k * q`` as ``k * (p +
        q)`` where that spares a multiplication."""
        a, b = value.args
        first, second = self.expanded(a, equations), self.expanded(b, equations)
        sign = -1 if value.function is operator.sub else 1
        total = first.sum_with(second, sign)
        if total is not None:
            return lines.build(total)
        common = first.coefficient
        if abs(common) == 1 or abs(second.coefficient) != abs(common):
            return None
        if any(isinstance(o, ir.Var) and self.uses[o.name] != 1 for o in (a, b)):
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

    def takes_number_alone(self, product: Product) -> bool:
        """True where the coefficient takes an operation of its own: nothing but numbers
        is multiplied, or no other number is."""
        operands = [*product.factors, *(d for d, _ in product.divisors)]
        numbers = [self.is_number(o) for o in operands]
        return bool(product.factors) and (all(numbers) or not any(numbers))

    def sum_with_sign(
        self, s: ir.Assign, value: ir.Apply, equations: Equations, lines: Lines
    ) -> list[ir.Statement] | None:
        """``a + (-p)`` as ``a - p``, also behind a mask, and ``(-p - q) + c`` as ``c -
        (p + q)``."""
        a, b = value.args
        negative = self.negative_sum(a, equations, lines)
        if negative is not None:
            return lines.assigned(s, ir.Apply(operator.sub, (b, negative)))
        for first, second in ((a, b), (b, a)):
            if isinstance(second, ir.Var) and self.uses[second.name] == 1:
                masked = self.masked_negative(second, equations, lines)
                if masked is not None:
                    return lines.assigned(s, ir.Apply(operator.sub, (first, masked)))
                product = self.expanded(second, equations)
                if product.coefficient < 0 and product.factors:
                    positive = lines.build(
                        Product(-product.coefficient, product.factors, product.divisors)
                    )
                    return lines.assigned(
                        s, ir.Apply(operator.sub, (first, lines.named(positive)))
                    )
        return None

    def difference_with_sign(
        self, s: ir.Assign, value: ir.Apply, equations: Equations, lines: Lines
    ) -> list[ir.Statement] | None:
        """``a - (-p)`` as ``a + p``."""
        first, second = value.args
        if self.single_equation(second, equations) is None:
            return None
        product = self.expanded(second, equations)
        if product.coefficient >= 0 or not product.factors:
            return None
        positive = Product(-product.coefficient, product.factors, product.divisors)
        inner = lines.named(lines.build(positive))
        return lines.assigned(s, ir.Apply(operator.add, (first, inner)))

    def negative_sum(
        self, operand: ir.Operand, equations: Equations, lines: Lines
    ) -> ir.Operand | None:
        """``p + q`` for an operand that is ``-p - q`` and read once."""
        equation = self.single_equation(operand, equations)
        if equation is None or equation.function is not operator.sub:
            return None
        first, second = equation.args
        if self.single_equation(first, equations) is None:
            return None
        product = self.expanded(first, equations)
        if product.coefficient >= 0 or not product.factors:
            return None
        positive = Product(-product.coefficient, product.factors, product.divisors)
        added = ir.Apply(operator.add, (lines.named(lines.build(positive)), second))
        return lines.named(added)

    def masked_negative(
        self, operand: ir.Operand, equations: Equations, lines: Lines
    ) -> ir.Operand | None:
        """``where(m, p, 0)`` for an operand that is ``where(m, -p, 0)`` and read
        once."""
        equation = self.single_equation(operand, equations)
        if equation is None or equation.function is not np.where:
            return None
        mask, chosen, other = equation.args
        if other != ir.Const(0.0) or self.single_equation(chosen, equations) is None:
            return None
        product = self.expanded(chosen, equations)
        if product.coefficient >= 0 or not product.factors:
            return None
        positive = Product(-product.coefficient, product.factors, product.divisors)
        inner = lines.named(lines.build(positive))
        return lines.named(ir.Apply(np.where, (mask, inner, other)))

    def single_equation(
        self, operand: ir.Operand, equations: Equations
    ) -> ir.Apply | None:
        """The derived operation behind a variable that is read once."""
        if not isinstance(operand, ir.Var) or self.uses[operand.name] != 1:
            return None
        equation = equations.get(operand.name)
        if (
            equation is None
            or not equation.derived
            or not isinstance(equation.value, ir.Apply)
        ):
            return None
        return None if equation.value.keywords else equation.value

    def product(self, value: ir.Apply, equations: Equations) -> Product | None:
        """The factors of an operation."""
        parts = [self.expanded(a, equations) for a in value.args]
        if value.function in _NEGATE:
            return Product(-parts[0].coefficient, parts[0].factors, parts[0].divisors)
        if value.function in _MULTIPLY:
            return parts[0].times(parts[1])
        by_numpy = value.function is not operator.truediv
        first, second = value.args
        if isinstance(second, ir.Var) and isinstance(
            self.kinds.get(second.name), ir.Scalar
        ):
            # Python's number raises only where it divides one of Python's.
            by_numpy = by_numpy or self.is_surely_numpy(first)
        return parts[0].over(parts[1], by_numpy)

    def cancelled(self, product: Product) -> Product:
        """The product without numbers by which it is multiplied and divided, where they
        surely aren't zero."""
        factors, divisors = list(product.factors), []
        for divisor, by_numpy in product.divisors:
            known = isinstance(divisor, ir.Var) and divisor.name in self.nonzero
            if known and divisor in factors:
                factors.remove(divisor)
            else:
                divisors.append((divisor, by_numpy))
        return Product(product.coefficient, factors, divisors)

    def expanded(self, operand: ir.Operand, equations: Equations) -> Product:
        """The factors of an operand, its equation followed where that saves work.
        Chains may be long: what an operand is made of is expanded first."""
        pending = [operand]
        while True:
            last = pending[-1]
            key = self.expansion_key(last, equations)
            if key is None or key in self.expansions:
                pending.pop()
                if not pending:
                    return (
                        self.factors_of(last) if key is None else self.expansions[key]
                    )
                continue
            assert isinstance(last, ir.Var)
            value = equations[last.name].value
            inner = value.args if isinstance(value, ir.Apply) else (value,)
            unknown = [
                operand
                for operand in inner
                if (known := self.expansion_key(operand, equations)) is not None
                and known not in self.expansions
            ]
            pending += unknown
            if not unknown:
                self.expansions[key] = self.expansion(last, value, equations)

    def expansion_key(
        self, operand: ir.Operand, equations: Equations
    ) -> tuple[int, int] | None:
        """What the factors of an operand depend on; None where there is no equation to
        follow."""
        if not isinstance(operand, ir.Var):
            return None
        equation = equations.get(operand.name)
        if equation is None or not equation.derived:
            return None
        value = equation.value
        if isinstance(value, ir.Apply):
            followed = value.function in PRODUCTS and not value.keywords
        else:
            followed = value == ir.Const(1.0) or (
                isinstance(value, ir.Var) and self.uses[operand.name] == 1
            )
        if not followed:
            return None
        return id(equation), equations.unchanged_by(operand.name)

    def expansion(
        self, operand: ir.Var, value: ir.Apply | ir.Operand, equations: Equations
    ) -> Product:
        """The factors of a variable, those of what it is made of being known."""
        if not isinstance(value, ir.Apply):
            return (
                self.expanded(value, equations)
                if isinstance(value, ir.Var)
                else Product()
            )
        product = self.product(value, equations)
        if product is not None and (
            self.uses[operand.name] == 1
            or self.is_scaling(product, operand)
            or self.is_free_negation(product, operand)
        ):
            return product
        return self.factors_of(operand)

    def factors_of(self, operand: ir.Operand) -> Product:
        """The factors of an operand that isn't followed."""
        if isinstance(operand, ir.Const) and _is_coefficient(operand.value):
            return Product(operand.value)
        return Product(1, [operand])

    def is_scaling(self, product: Product, operand: ir.Var) -> bool:
        """True where all readers absorb the factors, so that the product itself is
        never computed."""
        if not product.factors and not product.divisors:
            return True
        if self.is_number(operand):
            return False
        if not all(self.absorbs(s, operand) for s in self.readers[operand.name]):
            return False
        arrays = [f for f in product.factors if not self.is_number(f)]
        divisors = [d for d, _ in product.divisors if not self.is_number(d)]
        return len(arrays) == 1 and not divisors

    def is_free_negation(self, product: Product, operand: ir.Var) -> bool:
        """True for ``-v`` where each reader has a number that can take the sign; a
        number's is spared where what is computed is added to a part of a buffer."""
        if product.coefficient != -1 or len(product.factors) != 1 or product.divisors:
            return False
        return all(self.takes_sign(s, operand) for s in self.readers[operand.name])

    def takes_sign(self, s: ir.Statement, operand: ir.Var) -> bool:
        while isinstance(s, ir.Assign) and s.derived and isinstance(s.value, ir.Apply):
            value = s.value
            if value.function not in PRODUCTS or not isinstance(s.target, ir.Var):
                return False
            if value.keywords or value.args.count(operand) != 1:
                return False
            equations = self.facts.before.get(id(s), Equations())
            if any(o != operand and self.has_number(o, equations) for o in value.args):
                return True
            readers = self.readers.get(s.target.name, [])
            if len(readers) != 1:
                return False
            (reader,) = readers
            if self.is_number(operand) and _adds_to_part(reader, s.target):
                return True
            operand, s = s.target, reader
        return False

    def has_number(
        self, operand: ir.Operand, equations: Equations, depth: int = 4
    ) -> bool:
        """True for a number, and for a product read once that has one as a factor."""
        if self.is_number(operand):
            return True
        equation = self.single_equation(operand, equations)
        if equation is None or equation.function not in PRODUCTS or not depth:
            return False
        return any(self.has_number(a, equations, depth - 1) for a in equation.args)

    def absorbs(self, s: ir.Statement, operand: ir.Var) -> bool:
        """True for sums, and for products that only multiply by numbers or are
        summed."""
        while isinstance(s, ir.Assign) and s.derived and isinstance(s.value, ir.Apply):
            value = s.value
            if value.function is np.sum:
                return len(value.args) == 1 and not value.keywords
            if value.function not in PRODUCTS or not isinstance(s.target, ir.Var):
                return False
            if all(a == operand or self.is_number(a) for a in value.args):
                return value.args.count(operand) == 1
            readers = self.readers.get(s.target.name, [])
            if len(readers) != 1:
                return False
            operand, s = s.target, readers[0]
        return False

    def sum_of(
        self, operand: ir.Operand, equations: Equations, lines: Lines
    ) -> ir.Apply | ir.Operand | None:
        """The sum of a product: numbers outside, vectors by a scalar product."""
        if not isinstance(operand, ir.Var):
            return None
        product = self.expanded(operand, equations)
        numbers = Product(
            product.coefficient,
            [f for f in product.factors if self.is_number(f)],
            [d for d in product.divisors if self.is_number(d[0])],
        )
        arrays = Product(
            1,
            [f for f in product.factors if not self.is_number(f)],
            [d for d in product.divisors if not self.is_number(d[0])],
        )
        if not arrays.factors:
            return None
        vectors = self.are_vectors(arrays)
        if not vectors and product.coefficient == 1 and not numbers.factors:
            if not numbers.divisors:
                return None
        if vectors:
            total: ir.Apply = ir.Apply(operator.matmul, tuple(arrays.factors))
        else:
            total = ir.Apply(np.sum, (lines.named(lines.build(arrays)),))
        dtype = ir.dtype_of(self.kinds.get(operand.name) or ir.Scalar("float"))
        name = lines.named(total, ir.NumPyScalar(dtype))
        return lines.build(Product(1, [name]).times(numbers))

    def sum_along(
        self, value: ir.Apply, equations: Equations, lines: Lines
    ) -> ir.Apply | ir.Operand | None:
        """The sum along axes: factors that are constant along them outside."""
        operand = value.args[0]
        words = dict(value.keywords)
        kind = self.kinds.get(operand.name) if isinstance(operand, ir.Var) else None
        rank = ir.rank_of(kind) if kind is not None else None
        axis = words.get("axis")
        if (
            not rank
            or not isinstance(axis, ir.Const)
            or not isinstance(axis.value, int)
        ):
            return None
        keepdims = words.get("keepdims") == ir.Const(True)
        place = axis.value % rank
        product = self.expanded(operand, equations)
        if not keepdims and place != 0:
            if not set(words) <= {"axis", "keepdims"}:
                return None
            return self.sum_over_vector(product, axis.value, kind, lines)

        def constant_along(factor: ir.Operand) -> bool:
            if self.is_number(factor):
                return True
            own_kind = (
                self.kinds.get(factor.name) if isinstance(factor, ir.Var) else None
            )
            axes = ir.axes_of(own_kind) if own_kind is not None else None
            if axes is None:
                return False
            own = place - (rank - len(axes))
            return own < 0 or (keepdims and axes[own].length == "one")

        outside = Product(
            product.coefficient,
            [f for f in product.factors if constant_along(f)],
            [d for d in product.divisors if constant_along(d[0])],
        )
        inside = Product(
            1,
            [f for f in product.factors if not constant_along(f)],
            [d for d in product.divisors if not constant_along(d[0])],
        )
        if not inside.factors or (
            outside.coefficient == 1 and not outside.factors and not outside.divisors
        ):
            return None
        inner = lines.named(lines.build(inside))
        inner_kind = self.kinds.get(inner.name) if isinstance(inner, ir.Var) else None
        if inner_kind is None or ir.rank_of(inner_kind) != rank:
            return None
        assert isinstance(inner_kind, ir.Array)
        axes = inner_kind.axes or ()
        left = tuple(ir.ONE if k == place else a for k, a in enumerate(axes))
        kind = ir.Array(inner_kind.dtype, left if keepdims else left[1:])
        total = lines.named(ir.Apply(np.sum, (inner,), value.keywords), kind)
        return lines.build(Product(1, [total]).times(outside))

    def sum_over_vector(
        self, product: Product, axis: int, kind: ir.Kind | None, lines: Lines
    ) -> ir.Apply | ir.Operand | None:
        """The sum of a matrix times a vector along the last axis: numbers outside."""
        arrays = [f for f in product.factors if not self.is_number(f)]
        divisors = [d for d, _ in product.divisors if not self.is_number(d)]
        total = None if divisors else product_with_vector(arrays, axis, self.kinds)
        if total is None or ir.rank_of(kind or ir.UNKNOWN) != 2:
            return None
        assert isinstance(kind, ir.Array) and kind.axes is not None
        name = lines.named(total, ir.Array(kind.dtype, kind.axes[:1]))
        numbers = [f for f in product.factors if self.is_number(f)]
        rest = Product(product.coefficient, numbers, product.divisors)
        return lines.build(Product(1, [name]).times(rest))

    def are_vectors(self, product: Product) -> bool:
        """True for two vectors of one length and dtype."""
        if len(product.factors) != 2 or product.divisors:
            return False
        kinds = [
            self.kinds.get(f.name) if isinstance(f, ir.Var) else None
            for f in product.factors
        ]
        a, b = kinds
        if not isinstance(a, ir.Array) or not isinstance(b, ir.Array):
            return False
        if ir.rank_of(a) != 1 or ir.rank_of(b) != 1 or a.promoted or b.promoted:
            return False
        if a.dtype != b.dtype or not (a.dtype or "").startswith("float"):
            return False
        (x,), (y,) = ir.axes_of(a) or (), ir.axes_of(b) or ()
        return x.length == y.length == "many" or (
            x.symbol is not None and x.symbol == y.symbol
        )


def _adds_to_part(s: ir.Statement, amount: ir.Var) -> bool:
    """True for ``b[i] += amount``."""
    return (
        isinstance(s, ir.Assign)
        and isinstance(s.value, ir.Apply)
        and s.value.function is ops.index_add
        and s.value.args[2] == amount
    )


def _is_coefficient(value: object) -> bool:
    """True for numbers that may be multiplied ahead: an int that no float holds raises
    where the program runs."""
    if type(value) is int:
        return abs(value) < _LARGEST_INT
    return type(value) is float


_LARGEST_INT = 2**512
