"""The factors of a program's numbers and arrays: equations of derived products are
followed where that saves work."""

import math
import operator
from functools import cached_property

import numpy as np

from s2sad import ir, ops
from s2sad.analysis.dataflow.available import Equations, available_equations
from s2sad.ops.runtime.scalars import quotient
from s2sad.optimise.products.nonzero_numbers import nonzero_numbers
from s2sad.optimise.products.product_terms import Product, ProductTable

MULTIPLY = (operator.mul, np.multiply)
_DIVIDE = (operator.truediv, np.divide, quotient)
_NEGATE = (operator.neg, np.negative)
PRODUCTS = (*MULTIPLY, *_DIVIDE, *_NEGATE)


class Factors(ProductTable):
    """What each variable is a product of."""

    def __init__(self, function: ir.Function) -> None:
        super().__init__(function)
        self.facts = available_equations(function.body)
        self.expansions: dict[tuple[int, int], Product] = {}
        """The factors of variables, by their equations and what these depend on."""

    @cached_property
    def nonzero(self) -> frozenset[str]:
        """The variables that surely aren't zero."""
        return nonzero_numbers(self.function, self.facts)

    def single_equation(
        self, operand: ir.Operand, equations: Equations
    ) -> ir.Apply | None:
        """The derived operation behind a variable that is read once."""
        if not isinstance(operand, ir.Var) or self.uses.reads[operand.name] != 1:
            return None
        line = equations.get(operand.name)
        plain = ir.is_line(line) and line.derived and not line.value.keywords
        return line.value if plain else None

    def product(self, value: ir.Apply, equations: Equations) -> Product | None:
        """The factors of an operation."""
        parts = [self.expanded(a, equations) for a in value.args]
        if value.function in _NEGATE:
            return Product(-parts[0].coefficient, parts[0].factors, parts[0].divisors)
        if value.function in MULTIPLY:
            return parts[0].times(parts[1])
        by_numpy = value.function is not operator.truediv
        first, second = value.args
        if isinstance(ir.kind_of(second, self.kinds), ir.Scalar):
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

    def merged(self, product: Product, equations: Equations) -> Product:
        """``(k * c) * v`` for ``k * t``, where ``t = c * v``: the product takes no
        operation more."""
        if abs(product.coefficient) == 1:
            return product
        return self.opened(product, equations)

    def opened(self, product: Product, equations: Equations) -> Product:
        """``c * v`` for ``t = c * v``."""
        for place, factor in enumerate(product.factors):
            s = equations.get(str(factor)) if isinstance(factor, ir.Var) else None
            if s is None or not self.is_scaled(s):
                continue
            number, rest = s.value.args
            factors = [*product.factors]
            factors[place] = rest
            coefficient = product.coefficient * number.value
            return Product(coefficient, factors, product.divisors)
        return product

    def is_scaled(self, s: ir.Assign) -> bool:
        """True for a derived ``c * v``, and the user's within an expression, of a
        number that is written out and floats."""
        if not ir.is_line(s, operator.mul) or s.value.keywords:
            return False
        number, rest = s.value.args
        kind = ir.kind_of(rest, self.kinds)
        return (
            isinstance(number, ir.Const)
            and type(number.value) is float
            and 0.0 < abs(number.value) < math.inf
            and kind == s.kind
            and kind is not None
            and ir.is_real_number_kind(kind)
            and (s.derived or s.target.name in self.function.temporaries)
        )

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
        if equation is None or not (equation.derived or self.is_sign(equation)):
            return None
        value = equation.value
        if isinstance(value, ir.Apply):
            followed = value.function in PRODUCTS and not value.keywords
        else:
            followed = value == ir.Const(1.0) or (
                isinstance(value, ir.Var) and self.uses.reads[operand.name] == 1
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
            self.uses.reads[operand.name] == 1
            or self.is_sign(equations[operand.name])
            or self.is_scaling(product, operand)
            or self.is_free_negation(product, operand)
        ):
            return product
        return self.factors_of(operand)

    def is_sign(self, s: ir.Assign) -> bool:
        """True for the user's ``-r`` within an expression, of a float: a product takes
        the sign, and the expression is written as the user did."""
        if not ir.is_line(s, operator.neg) or s.derived or s.kind != ir.FLOAT:
            return False
        return s.target.name in self.function.temporaries

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
        if not all(self.absorbs(s, operand) for s in self.uses.readers[operand.name]):
            return False
        arrays = [f for f in product.factors if not self.is_number(f)]
        divisors = [d for d, _ in product.divisors if not self.is_number(d)]
        return len(arrays) == 1 and not divisors

    def is_free_negation(self, product: Product, operand: ir.Var) -> bool:
        """True for ``-v`` where each reader has a number that can take the sign; a
        number's is spared where what is computed is added to a part of a buffer."""
        if product.coefficient != -1 or len(product.factors) != 1 or product.divisors:
            return False
        return all(self.takes_sign(s, operand) for s in self.uses.readers[operand.name])

    def takes_sign(self, s: ir.Statement, operand: ir.Var) -> bool:
        while ir.is_line(s, *PRODUCTS) and s.derived:
            value = s.value
            if value.keywords or value.args.count(operand) != 1:
                return False
            equations = self.facts.before.get(id(s), Equations())
            if any(o != operand and self.has_number(o, equations) for o in value.args):
                return True
            readers = self.uses.readers.get(s.target.name, [])
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
        while ir.is_line(s, np.sum, *PRODUCTS) and s.derived:
            value = s.value
            if value.function is np.sum:
                return len(value.args) == 1 and not value.keywords
            if all(a == operand or self.is_number(a) for a in value.args):
                return value.args.count(operand) == 1
            readers = self.uses.readers.get(s.target.name, [])
            if len(readers) != 1:
                return False
            operand, s = s.target, readers[0]
        return False


def _adds_to_part(s: ir.Statement, amount: ir.Var) -> bool:
    """True for ``b[i] += amount``."""
    return ir.is_line(s, ops.index_add) and s.value.args[2] == amount


def _is_coefficient(value: object) -> bool:
    """True for numbers that may be multiplied ahead: an int that no float holds raises
    where the program runs."""
    if type(value) is int:
        return abs(value) < _LARGEST_INT
    return type(value) is float


_LARGEST_INT = 2**512
