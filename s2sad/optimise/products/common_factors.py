"""Common factors: a product that contains an earlier one is built from it.

::

    p = truediv(g, y)                       p = truediv(g, y)
    x.bar = add(x.bar, p)                   x.bar = add(x.bar, p)
    q = mul(g, out)               ->        y.bar = mul(neg(p), out)
    y.bar = neg(truediv(q, y))

as in the two adjoints of a quotient. Only lines that rules wrote are rewritten.
"""

from collections import Counter
from typing import TypeGuard

from s2sad import ir
from s2sad.analysis.dataflow.available import Equations
from s2sad.optimise.products.factors import PRODUCTS, Factors
from s2sad.optimise.products.product_terms import Lines, Product

NEAREST = 12
"""How many products back a common part is looked for; the adjoints of one operation are
neighbours."""


def share_common_factors(function: ir.Function) -> ir.Function:
    """The function with products built from earlier ones.

    >>> import operator
    >>> def line(target, function, *args):
    ...     return ir.Assign(
    ...         None, ir.Var(target), ir.Apply(function, args), ir.FLOAT, True
    ...     )
    >>> g, out, y = ir.Var("g"), ir.Var("out"), ir.Var("y")
    >>> body = (
    ...     line("a", operator.truediv, g, y),
    ...     line("q", operator.mul, g, out),
    ...     line("b", operator.truediv, ir.Var("q"), y),
    ...     ir.Return(None, ir.pack_tuple(ir.Var("a"), ir.Var("b"))),
    ... )
    >>> kinds = dict.fromkeys(("g", "out", "y", "a", "b", "q"), ir.FLOAT)
    >>> function = ir.Function("f", ("g", "out", "y"), body, kinds)
    >>> print(ir.function_text(share_common_factors(function)))
    def f(g: float, out: float, y: float):
        a = truediv(g, y)  # float
        q = mul(g, out)  # float
        b = mul(a, out)  # float
        return tuple(a, b)
    """
    sharing = _Sharing(function)
    return sharing.finished(sharing.block(function.body))


class _Sharing(Factors):
    def block(self, block: ir.Block) -> ir.Block:
        result: list[ir.Statement] = []
        roots: list[ir.Line] = []
        for s in block:
            s = ir.with_blocks(s, self.block)
            if _is_product(s) and not s.value.keywords and not self.is_absorbed(s):
                equations = self.facts.before.get(id(s), Equations())
                result += self.shared(s, roots, equations)
                roots.append(s)
            else:
                result.append(s)
        return ir.as_block(result, block)

    def is_absorbed(self, s: ir.Line) -> bool:
        """True for a factor of one later product."""
        readers = self.uses.readers.get(s.target.name, [])
        once = s.target.name in self.temporaries and len(readers) == 1
        return once and _is_product(readers[0])

    def shared(
        self, s: ir.Line, roots: list[ir.Line], equations: Equations
    ) -> list[ir.Statement]:
        """The lines of one product, built from an earlier one where that contains
        it."""
        product = self.product(s.value, equations)
        if product is None:
            return [s]
        for root in reversed(roots[-NEAREST:]):
            if equations.get(root.target.name) is not root:
                continue
            if any(v == root.target for v in ir.value_variables(s.value)):
                continue
            part = self.product(root.value, equations)
            rest = None if part is None else remainder(product, part, root.target)
            if rest is not None:
                lines = Lines(self, s)
                return lines.assigned(s, lines.build(rest))
        return [s]


def _is_product(s: ir.Statement) -> TypeGuard[ir.Line]:
    """True for a derived product."""
    return ir.is_line(s, *PRODUCTS) and s.derived


def remainder(whole: Product, part: Product, name: ir.Operand) -> Product | None:
    """The whole written with ``name`` for a part of it; None where it isn't a part
    worth naming."""
    if len(part.factors) + len(part.divisors) < 2 or part.coefficient == 0:
        return None
    if part.factors and part.factors[0] not in whole.factors:
        return None
    factors, divisors = Counter(whole.factors), Counter(whole.divisors)
    own_factors, own_divisors = Counter(part.factors), Counter(part.divisors)
    if own_factors - factors or own_divisors - divisors:
        return None
    coefficient = whole.coefficient / part.coefficient
    left = list((factors - own_factors).elements())
    return Product(
        coefficient, [name, *left], list((divisors - own_divisors).elements())
    )
