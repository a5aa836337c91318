"""Common factors: a product that contains an earlier one is built from it.

::

    p = truediv(g, y)                       p = truediv(g, y)
    x.bar = add(x.bar, p)                   x.bar = add(x.bar, p)
    q = mul(g, out)               ->        y.bar = mul(neg(p), out)
    y.bar = neg(truediv(q, y))

as in the two adjoints of a quotient. Only lines that rules wrote are rewritten.
"""

from __future__ import annotations

from collections import Counter

from s2sad.analysis.dataflow.available import Equations
from s2sad.ir.nodes import Apply, Assign, Block, Function, Operand, Statement, Var
from s2sad.ir.walking import as_block, value_variables, with_blocks
from s2sad.optimise.products.product_terms import Lines, Product
from s2sad.optimise.products.products import PRODUCTS, Products

NEAREST = 12
"""How many products back a common part is looked for; the adjoints of one operation are
neighbours."""


def share_common_factors(function: Function) -> Function:
    """The function with products built from earlier ones.

    >>> import operator
    >>> from s2sad.ir.kinds import FLOAT
    >>> from s2sad.ir.nodes import Return, pack_tuple
    >>> from s2sad.ir.text import function_text
    >>> def line(target, function, *args):
    ...     return Assign(None, Var(target), Apply(function, args), FLOAT, True)
    >>> g, out, y = Var("g"), Var("out"), Var("y")
    >>> body = (
    ...     line("a", operator.truediv, g, y),
    ...     line("q", operator.mul, g, out),
    ...     line("b", operator.truediv, Var("q"), y),
    ...     Return(None, pack_tuple(Var("a"), Var("b"))),
    ... )
    >>> kinds = dict.fromkeys(("g", "out", "y", "a", "b", "q"), FLOAT)
    >>> function = Function("f", ("g", "out", "y"), body, kinds)
    >>> print(function_text(share_common_factors(function)))
    def f(g: float, out: float, y: float):
        a = truediv(g, y)  # float
        q = mul(g, out)  # float
        b = mul(a, out)  # float
        return tuple(a, b)
    """
    return _Sharing(function).run()


class _Sharing(Products):
    def block(self, block: Block) -> Block:
        result: list[Statement] = []
        roots: list[Assign] = []
        for s in block:
            s = with_blocks(s, self.block)
            match s:
                case Assign(derived=True, target=Var(), value=Apply() as value):
                    if value.function in PRODUCTS and not value.keywords:
                        if not self.is_absorbed(s):
                            equations = self.facts.before.get(id(s), Equations())
                            lines = self.shared(s, roots, equations)
                            roots.append(s)
                            result += lines
                            continue
            result.append(s)
        return as_block(result, block)

    def is_absorbed(self, s: Assign) -> bool:
        """True for a factor of one later product."""
        assert isinstance(s.target, Var)
        readers = self.readers.get(s.target.name, [])
        if s.target.name not in self.temporaries or len(readers) != 1:
            return False
        (reader,) = readers
        return (
            isinstance(reader, Assign)
            and reader.derived
            and isinstance(reader.value, Apply)
            and reader.value.function in PRODUCTS
        )

    def shared(
        self, s: Assign, roots: list[Assign], equations: Equations
    ) -> list[Statement]:
        """The lines of one product, built from an earlier one where that contains
        it."""
        assert isinstance(s.value, Apply)
        product = self.product(s.value, equations)
        if product is None:
            return [s]
        for root in reversed(roots[-NEAREST:]):
            assert isinstance(root.target, Var) and isinstance(root.value, Apply)
            if equations.get(root.target.name) is not root:
                continue
            if any(v == root.target for v in value_variables(s.value)):
                continue
            part = self.product(root.value, equations)
            rest = None if part is None else remainder(product, part, root.target)
            if rest is not None:
                lines = Lines(self, s)
                return lines.assigned(s, lines.build(rest))
        return [s]


def remainder(whole: Product, part: Product, name: Operand) -> Product | None:
    """The whole written with ``name`` for a part of it; None where it isn't a part
    worth naming."""
    if len(part.factors) + len(part.divisors) < 2 or part.coefficient == 0:
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
