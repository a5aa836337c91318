"""Products as lists of factors, and how they are written as operations again."""

from __future__ import annotations

import operator
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from s2sad.ir.kinds import (
    Array,
    Kind,
    NumPyScalar,
    Scalar,
    axes_of,
    dtype_of,
    is_real_number_kind,
    may_be_python_number,
)
from s2sad.ir.nodes import (
    Apply,
    Assign,
    Const,
    Function,
    Global,
    Operand,
    Statement,
    Var,
)
from s2sad.ir.walking import operand_variables, walk
from s2sad.ops.runtime.scalars import quotient
from s2sad.rules.result_kinds import elementwise_result

_ARITHMETIC = (operator.add, operator.sub, operator.mul, operator.truediv, operator.neg)


@dataclass
class Product:
    """A coefficient times factors over divisors."""

    coefficient: float = 1
    factors: list[Operand] = field(default_factory=list)
    divisors: list[tuple[Operand, bool]] = field(default_factory=list)
    """With each: True where it may be a Python 0, so that NumPy must divide."""

    def times(self, other: Product) -> Product:
        """The product of both."""
        return Product(
            self.coefficient * other.coefficient,
            self.factors + other.factors,
            self.divisors + other.divisors,
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


class ProductTable:
    """The kinds of a program's variables, and names for new ones."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.kinds: dict[str, Kind] = dict(function.kinds)
        self.temporaries = set(function.temporaries)
        self.count = 0
        derived = [
            s
            for s in walk(function.body)
            if isinstance(s, Assign) and s.derived and isinstance(s.target, Var)
        ]
        self.unsure = {str(s.target) for s in derived}
        self.unsure = {str(s.target) for s in derived if not self.gives_numpy(s.value)}
        """What may hold a Python number though its kind is NumPy's: a cotangent, as the
        seed 1.0 is one, and what is made of it."""

    def fresh_name(self, hint: str = "product") -> str:
        """A name for a new temporary."""
        while True:
            self.count += 1
            name = f"{hint}.{self.count}"
            if name not in self.kinds and name not in self.temporaries:
                return name

    def gives_numpy(self, value: Apply | Operand) -> bool:
        """True for what a function of NumPy's gives, and for arithmetic with such."""
        if not isinstance(value, Apply):
            return self.is_surely_numpy(value)
        function = value.function
        if isinstance(function, np.ufunc) or function is operator.matmul:
            return True
        if function in _ARITHMETIC:
            return any(map(self.is_surely_numpy, value.args))
        return getattr(function, "__module__", None) == "numpy"

    def is_surely_numpy(self, operand: Operand) -> bool:
        """True for arrays, and for numbers whose operators surely are NumPy's; a
        cotangent of unknown rank may be Python's number."""
        kind = self.kinds.get(operand.name) if isinstance(operand, Var) else None
        if isinstance(kind, Array):
            return not kind.promoted and not kind.is_unknown
        if not isinstance(kind, NumPyScalar) or may_be_python_number(kind):
            return False
        return operand.name not in self.unsure  # type: ignore[union-attr]

    def is_number(self, operand: Operand) -> bool:
        """True for operands of rank 0."""
        if isinstance(operand, Const):
            return True
        if isinstance(operand, Var):
            return isinstance(self.kinds.get(operand.name), Scalar | NumPyScalar)
        return False


class Lines:
    """Builds the statements of one product."""

    def __init__(self, owner: ProductTable, s: Assign) -> None:
        self.owner, self.span = owner, s.span
        kind = s.kind or owner.kinds.get(str(s.target))
        self.real = kind is None or is_real_number_kind(kind)
        self.lines: list[Statement] = []

    def named(self, value: Apply | Operand, kind: Kind | None = None) -> Operand:
        """A name for an operation, defined by a new line."""
        if not isinstance(value, Apply):
            return value
        name = self.owner.fresh_name()
        self.owner.temporaries.add(name)
        kind = kind or self._kind(value)
        if kind is not None:
            self.owner.kinds[name] = kind
        if not self.owner.gives_numpy(value):
            self.owner.unsure.add(name)
        self.lines.append(Assign(self.span, Var(name), value, kind, True))
        return Var(name)

    def assigned(self, s: Assign, value: Apply | Operand) -> list[Statement]:
        """The lines, with the last one assigning the statement's own target."""
        return [*self.lines, replace(s, value=value)]

    def _kind(self, value: Apply) -> Kind | None:
        kinds: list[Kind] = []
        for argument in value.args:
            if isinstance(argument, Const):
                kinds.append(Scalar(type(argument.value).__name__, None))
            else:
                variables = list(operand_variables(argument))
                known = self.owner.kinds.get(variables[0].name) if variables else None
                if known is None:
                    return None
                kinds.append(known)
        if value.function in (np.sum, operator.matmul):
            return NumPyScalar(dtype_of(kinds[0]))
        if value.function is np.where:
            return elementwise_result(operator.mul, kinds[1:2] + [kinds[0]])
        return elementwise_result(value.function, kinds)

    def build(self, product: Product) -> Apply | Operand:
        """The product as operations: numbers first, then arrays."""
        factors = sorted(product.factors, key=self.size)
        divisors = sorted(product.divisors, key=lambda d: self.size(d[0]))
        coefficient: Any = product.coefficient
        result: Apply | Operand | None = None
        whole = factors and not divisors and all(map(self.is_whole, factors))
        if self.real and whole:
            result = Const(float(coefficient))  # an adjoint is never an int
        elif coefficient == -1 and factors:
            factors[0] = self.named(Apply(operator.neg, (factors[0],)))
        elif coefficient != 1 or not factors:
            result = Const(float(coefficient) if not factors else coefficient)
        while factors or divisors:
            small = factors[0] if factors else None
            if divisors and result is not None:
                if small is None or self.size(divisors[0][0]) < self.size(small):
                    result = self._divided(result, [divisors.pop(0)])
                    continue
            if small is None:
                result = self._divided(result, [divisors.pop(0)])
            else:
                result = self._multiplied(result, [factors.pop(0)])
        assert result is not None
        return result

    def is_whole(self, operand: Operand) -> bool:
        """True for whole numbers and truth values, and arrays of them."""
        if isinstance(operand, Const):
            return isinstance(operand.value, int)
        kind = self.owner.kinds.get(operand.name) if isinstance(operand, Var) else None
        dtype = None if kind is None else dtype_of(kind)
        if isinstance(operand, Global):
            dtype = operand.dtype
        return dtype is not None and dtype.startswith(("int", "uint", "bool"))

    def size(self, operand: Operand) -> int:
        """A measure of an operand's size: the number of its axes that may be long."""
        if self.owner.is_number(operand):
            return 0
        kind = self.owner.kinds.get(operand.name) if isinstance(operand, Var) else None
        axes = axes_of(kind) if kind is not None else None
        if axes is None:
            return 9
        return 1 + sum(a.length != "one" for a in axes)

    def _multiplied(
        self, start: Apply | Operand | None, factors: list[Operand]
    ) -> Apply | Operand | None:
        result = start
        for factor in factors:
            if result is None:
                result = factor
            else:
                result = Apply(operator.mul, (self.named(result), factor))
        return result

    def _divided(
        self, value: Apply | Operand | None, divisors: list[tuple[Operand, bool]]
    ) -> Apply | Operand | None:
        result = Const(1.0) if value is None and divisors else value
        for divisor, by_numpy in divisors:
            name = self.named(result)  # type: ignore[arg-type]
            function: Any = operator.truediv
            if by_numpy and not self.owner.is_surely_numpy(name):
                if self._is_python(divisor):
                    function = quotient
            result = Apply(function, (name, divisor))
        return result

    def _is_python(self, operand: Operand) -> bool:
        if isinstance(operand, Var):
            kind = self.owner.kinds.get(operand.name, Scalar("float"))
            return may_be_python_number(kind)
        return isinstance(operand, Const)
