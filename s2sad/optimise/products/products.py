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

import numpy as np

from s2sad import ir
from s2sad.analysis.dataflow.available import Equations
from s2sad.optimise.identities import engine, table
from s2sad.optimise.products import factors, product_terms
from s2sad.optimise.products.sums import Sums

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
            return None if product is None else lines.build(self.cancelled(product))
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
