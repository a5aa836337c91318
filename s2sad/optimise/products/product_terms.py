"""Products as lists of factors, and how they are written as operations again."""

from __future__ import annotations

import math
import operator
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from s2sad import ir, rules
from s2sad.ops.runtime.scalars import quotient

_ARITHMETIC = (operator.add, operator.sub, operator.mul, operator.truediv, operator.neg)


@dataclass
class Product:
    """A coefficient times factors over divisors."""

    coefficient: float = 1
    factors: list[ir.Operand] = field(default_factory=list)
    divisors: list[tuple[ir.Operand, bool]] = field(default_factory=list)
    """With each: True where it may be a Python 0, so that NumPy must divide."""

    def times(self, other: Product) -> Product:
        """The product of both."""
        return Product(
            self.coefficient * other.coefficient,
            self.factors + other.factors,
            self.divisors + other.divisors,
        )

    @property
    def is_number(self) -> bool:
        """True for a coefficient alone, a float."""
        alone = not self.factors and not self.divisors
        return (
            alone
            and isinstance(self.coefficient, float)
            and math.isfinite(self.coefficient)
        )

    def sum_with(self, other: Product, sign: int) -> Product | None:
        """The sum (``sign`` 1) or difference of both, where the same factors stand over
        the same divisors; None where that isn't so, or nothing is left."""
        total = self.coefficient + sign * other.coefficient
        own = Counter(d for d, _ in self.divisors)
        if (
            not total
            or not self.factors
            or own != Counter(d for d, _ in other.divisors)
        ):
            return None
        if Counter(self.factors) != Counter(other.factors):
            return None
        # what one of them divides by plainly isn't 0
        by_numpy = {*self.divisors} & {*other.divisors}
        divisors = [(d, (d, True) in by_numpy) for d, _ in self.divisors]
        return Product(total, list(self.factors), divisors)

    def parted(self, outside: Callable[[ir.Operand], bool]) -> tuple[Product, Product]:
        """The product of what is ``outside``, with the coefficient, and of the rest."""
        parts = Product(self.coefficient), Product()
        for factor in self.factors:
            parts[not outside(factor)].factors.append(factor)
        for divisor in self.divisors:
            parts[not outside(divisor[0])].divisors.append(divisor)
        return parts

    def over(self, other: Product, by_numpy: bool) -> Product | None:
        """The quotient; None where a divisor's divisor would have to become a
        factor."""
        if other.divisors or other.coefficient == 0:
            return None
        return Product(
            self.coefficient / other.coefficient
            if other.coefficient != 1
            else self.coefficient,
            list(self.factors),
            self.divisors + [(f, by_numpy) for f in other.factors],
        )


class ProductTable(ir.Rewriting):
    """A program whose products are rewritten, and what is known of its numbers."""

    @cached_property
    def unsure(self) -> set[str]:
        """What may hold a Python number though its kind is NumPy's: a cotangent, as the
        seed 1.0 is one, and what is made of it."""
        lines = [
            s
            for s in ir.walk(self.function.body)
            if isinstance(s, ir.Assign) and s.derived and isinstance(s.target, ir.Var)
        ]
        self.unsure = {str(s.target) for s in lines}
        return {str(s.target) for s in lines if not self.gives_numpy(s.value)}

    def gives_numpy(self, value: ir.Apply | ir.Operand) -> bool:
        """True for what a function of NumPy's gives, and for arithmetic with such."""
        if not isinstance(value, ir.Apply):
            return self.is_surely_numpy(value)
        function = value.function
        if isinstance(function, np.ufunc) or function is operator.matmul:
            return True
        if function in _ARITHMETIC:
            return any(map(self.is_surely_numpy, value.args))
        return getattr(function, "__module__", None) == "numpy"

    def is_surely_numpy(self, operand: ir.Operand) -> bool:
        """True for arrays, and for numbers whose operators surely are NumPy's; a
        cotangent of unknown rank may be Python's number."""
        kind = ir.kind_of(operand, self.kinds)
        if isinstance(kind, ir.Array):
            return not kind.promoted and not kind.is_unknown
        if not isinstance(kind, ir.NumPyScalar) or ir.may_be_python_number(kind):
            return False
        return str(operand) not in self.unsure

    def is_number(self, operand: ir.Operand) -> bool:
        """True for operands of rank 0."""
        kind = ir.kind_of(operand, self.kinds)
        return isinstance(operand, ir.Const) or isinstance(
            kind, ir.Scalar | ir.NumPyScalar
        )


class Lines:
    """Builds the statements of one product."""

    def __init__(self, owner: ProductTable, s: ir.Assign) -> None:
        self.owner, self.span = owner, s.span
        kind = s.kind or owner.kinds.get(str(s.target))
        self.real = kind is None or ir.is_real_number_kind(kind)
        self.lines: list[ir.Statement] = []

    def named(
        self, value: ir.Apply | ir.Operand, kind: ir.Kind | None = None
    ) -> ir.Operand:
        """A name for an operation, defined by a new line."""
        if not isinstance(value, ir.Apply):
            return value
        unsure = not self.owner.gives_numpy(value)
        kind = kind or self._kind(value)
        variable = self.owner.line(self.lines, value, kind, self.span)
        if unsure:
            self.owner.unsure.add(variable.name)
        return variable

    def assigned(
        self, s: ir.Assign, value: ir.Apply | ir.Operand
    ) -> list[ir.Statement]:
        """The lines, with the last one assigning the statement's own target."""
        return [*self.lines, ir.altered(s, value=value)]

    def _kind(self, value: ir.Apply) -> ir.Kind | None:
        kinds: list[ir.Kind] = []
        for argument in value.args:
            if isinstance(argument, ir.Const):
                kinds.append(ir.Scalar(type(argument.value).__name__, None))
            else:
                variables = list(ir.operand_variables(argument))
                known = self.owner.kinds.get(variables[0].name) if variables else None
                if known is None:
                    return None
                kinds.append(known)
        if value.function in (np.sum, operator.matmul):
            return ir.NumPyScalar(ir.dtype_of(kinds[0]))
        if value.function is np.where:
            return rules.elementwise_result(operator.mul, kinds[1:2] + [kinds[0]])
        return rules.elementwise_result(value.function, kinds)

    def build(self, product: Product) -> ir.Apply | ir.Operand:
        """The product as operations: numbers first, then arrays."""
        factors = sorted(product.factors, key=self.size)
        divisors = sorted(product.divisors, key=lambda d: self.size(d[0]))
        coefficient: Any = product.coefficient
        result: ir.Apply | ir.Operand | None = None
        whole = factors and not divisors and all(map(self.is_whole, factors))
        if self.real and whole:
            result = ir.Const(float(coefficient))  # an adjoint is never an int
        elif coefficient == -1 and factors:
            factors[0] = self.named(ir.Apply(operator.neg, (factors[0],)))
        elif coefficient != 1 or not factors:
            result = ir.Const(float(coefficient) if not factors else coefficient)
        while factors or divisors:
            small = factors[0] if factors else None
            if small is None or (
                divisors
                and result is not None
                and self.size(divisors[0][0]) < self.size(small)
            ):
                one = ir.Const(1.0) if result is None else result
                result = self._divided(one, *divisors.pop(0))
            else:
                factor = factors.pop(0)
                result = (
                    factor
                    if result is None
                    else ir.Apply(operator.mul, (self.named(result), factor))
                )
        assert result is not None
        return result

    def is_whole(self, operand: ir.Operand) -> bool:
        """True for whole numbers and truth values, and arrays of them."""
        if isinstance(operand, ir.Const):
            return isinstance(operand.value, int)
        kind = ir.kind_of(operand, self.owner.kinds)
        dtype = None if kind is None else ir.dtype_of(kind)
        if isinstance(operand, ir.Global):
            dtype = operand.dtype
        return dtype is not None and dtype.startswith(("int", "uint", "bool"))

    def size(self, operand: ir.Operand) -> int:
        """A measure of an operand's size: the number of its axes that may be long."""
        if self.owner.is_number(operand):
            return 0
        kind = ir.kind_of(operand, self.owner.kinds)
        axes = ir.axes_of(kind) if kind is not None else None
        if axes is None:
            return 9
        return 1 + sum(a.length != "one" for a in axes)

    def _divided(
        self, value: ir.Apply | ir.Operand, divisor: ir.Operand, by_numpy: bool
    ) -> ir.Apply:
        name, function = self.named(value), operator.truediv
        if by_numpy and not self.owner.is_surely_numpy(name):
            if self._is_python(divisor):
                function = quotient
        return ir.Apply(function, (name, divisor))

    def _is_python(self, operand: ir.Operand) -> bool:
        if isinstance(operand, ir.Var):
            kind = self.owner.kinds.get(operand.name, ir.Scalar("float"))
            return ir.may_be_python_number(kind)
        return isinstance(operand, ir.Const)
