"""Choices: the conditions under which a cotangent is chosen, of one that a rule writes
as ``np.where(condition, out_bar, 0.0)``, or as several of these in one another::

    t = np.where(x == y, 0.5 * out_bar, 0.0)
    part = np.where(x > y, out_bar, t)
    # part is zero by structure but where (x > y) | (x == y)
"""

import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.rules.python.choice import choose


class Choices:
    """The conditions of the choices in the block that is being written."""

    def __init__(self, spec: Specialiser, kinds: Mapping[str, ir.Kind]) -> None:
        self.spec = spec
        self.kinds = kinds
        self.complements: dict[core.Leaf, core.Leaf] = {}
        """Flags of which one is true where the other isn't."""
        self._own: dict[core.Leaf, core.Leaf] = {}

    def chosen(self, part: core.Value) -> core.Leaf | None:
        """The flag that a cotangent is chosen, for each element; None for one that
        isn't a choice with zero."""
        return None if not isinstance(part, core.Leaf) else self._chosen(part.operand)

    def _chosen(self, part: ir.Operand) -> core.Leaf | None:
        line = self._line(part)
        match None if line is None else line.value:
            case ir.Apply(function=function, args=(ir.Var() as condition, x, y)) if (
                function in (np.where, choose)
                and ir.dtype_of(self._kind(condition)) == "bool"
            ):
                flag = self._held(core.Leaf(condition, self._kind(condition)))
                if y == ir.Const(0.0):
                    return flag
                if x == ir.Const(0.0):
                    return self._inverse(flag)
                other = self._chosen(y)
                if other is not None:
                    return self._applied(operator.or_, flag, other)
        return None

    def both(self, flag: core.Leaf, other: core.Leaf) -> core.Leaf:
        """The flag that two others are true."""
        return self._applied(operator.and_, flag, other)

    def _line(self, variable: ir.Operand) -> ir.Assign | None:
        """The line of this block that computes a variable, or what it is a copy of."""
        found = None
        for line in reversed(self.spec.block):
            if isinstance(line, ir.Assign) and line.target == variable:
                found, variable = line, line.value  # type: ignore[assignment]
        return found

    def _kind(self, variable: ir.Var) -> ir.Kind:
        line = self._line(variable)
        if line is not None and line.kind is not None:
            return line.kind
        return self.kinds.get(variable.name, ir.UNKNOWN)

    def _held(self, condition: core.Leaf) -> core.Leaf:
        """A condition as a variable of the reverse sweep: lines in front of the choice
        can't read those of the function."""
        if condition not in self._own:
            name = self.spec.fresh("selected")
            held = self.spec.assign(name, condition.operand, condition.kind)
            self._own[condition] = held
        return self._own[condition]

    def _inverse(self, flag: core.Leaf) -> core.Leaf:
        if flag not in self.complements:
            number = isinstance(flag.kind, ir.Scalar)
            inverse: Any = operator.not_ if number else np.logical_not
            found = core.single(self.spec.apply(inverse, (flag,), hint="selected"))
            self.complements |= {flag: found, found: flag}
        return self.complements[flag]

    def _applied(self, function: Callable[..., Any], *flags: core.Leaf) -> core.Leaf:
        return core.single(self.spec.apply(function, flags, hint="selected"))
