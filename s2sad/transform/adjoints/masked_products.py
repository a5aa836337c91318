"""Masked products: a cotangent (or tangent) times a partial derivative that may be
infinite, where parts of the cotangent are zero by structure; see :class:`Cotangent`.
"""

import operator
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from s2sad import ir, ops, rules
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.derivatives.algebra import simplified
from s2sad.rules.python.choice import equals_zero
from s2sad.transform.adjoints import cotangent_table, marks
from s2sad.transform.adjoints.choices import Choices
from s2sad.transform.adjoints.cotangents import Cotangent, Masked, is_one_flag
from s2sad.transform.programs.users_rules import is_nothing
from s2sad.transform.reverse.guards import guard

Parts = Sequence[tuple[str, core.Value, core.Value]]
"""Names of parameters, the arguments, and the cotangents that they are given."""


class MaskedProducts(cotangent_table.CotangentTable):
    """Products of cotangents, and the flags that go on with them."""

    def weighted(
        self,
        factor: core.Leaf,
        partial: core.Value,
        guarded: bool,
        contributed: core.Leaf | None = None,
    ) -> core.Leaf:
        """Cotangent (or tangent) times partial derivative; where it is ``guarded``, a
        partial that is infinite doesn't turn a zero into nan."""
        product = self.spec.operate(operator.mul, (factor, partial))
        varies = not isinstance(getattr(partial, "operand", None), ir.Const)
        if guarded and varies:
            product = self.unless_zero(factor, product, contributed)
        assert isinstance(product, core.Leaf)
        return product

    def unless_zero(
        self, factor: core.Leaf, product: core.Value, contributed: core.Leaf | None
    ) -> core.Value:
        """A product, but 0 where nothing contributed to the factor; where no flag tells
        that, where the factor is 0."""
        zero: core.Value
        if isinstance(factor.operand, ir.Const) and factor.operand.value:
            return product
        if contributed is not None:
            return self.chosen_by(contributed, product, core.constant(0.0))
        if isinstance(factor.operand, ir.Var):
            operands = factor, core.constant(0.0)
            zero = self.spec.apply(equals_zero, operands, hint="condition")
        else:
            zero = self.spec.operate(operator.eq, (factor, core.constant(0.0)))
        return self.chosen_by(zero, core.constant(0.0), product)

    def chosen_by(self, *selected: core.Value) -> core.Value:
        """``np.where`` of a condition and two values."""
        simple = simplified(self.spec, np.where, selected)
        return simple or self.spec.apply(np.where, selected)

    def multiplies_by_singular(
        self,
        rule: rules.Rule,
        bound: Mapping[str, core.Value],
        cotangents: Sequence[Cotangent | None],
    ) -> bool:
        """True for the pullback of one result, which multiplies its cotangent, to which
        nothing may have contributed, by what may be infinite."""
        moves = rule.linear or rule.masking or rule.view or rule.divides
        if (
            moves
            or rule.pointwise
            or rule.function in ops.STORES
            or len(cotangents) > 1
        ):
            return False
        (cotangent,) = cotangents
        assert cotangent is not None
        return cotangent.masked is Masked.SELECTED and any(
            map(self.is_singular, bound.values())
        )

    def unless_nothing(
        self, out_bar: core.Value, part: core.Value, contributed: core.Leaf | None
    ) -> core.Value:
        """A cotangent, but 0 where nothing contributed to the one pulled back; where no
        flag tells that, where all of it is 0."""
        if is_nothing(part) or not isinstance(out_bar, core.Leaf):
            return part
        if isinstance(part, core.Aggregate):
            items = tuple(
                self.unless_nothing(out_bar, item, contributed) for item in part.items
            )
            return part if marks.is_scattered(part) else replace(part, items=items)
        assert isinstance(part, core.Leaf)
        if marks.is_number(out_bar) or contributed is not None:
            return self.unless_zero(out_bar, part, contributed)
        operands = out_bar, core.constant(0.0)
        zero = self.spec.apply(equals_zero, operands, hint="condition")
        nothing = self.spec.apply(np.all, (zero,), hint="condition")
        return self.spec.apply(np.where, (nothing, core.constant(0.0), part))

    def may_be_infinite(
        self,
        rule: rules.Rule,
        bound: Mapping[str, core.Value],
        out: core.Value,
        masked: Masked,
    ) -> bool:
        """True where a partial derivative of a call may be inf or nan: at the border of
        the domain of the function, or where an argument already is. The latter is asked
        only of cotangents (or tangents) that a selection made zero: else the value is
        infinite, too."""
        if rule.singular and not (
            marks.surely_finite(rule.function, bound, out)
            or (rule.function in marks.DIVISIONS and self.is_nonzero(bound["y"]))
        ):
            return True
        return masked is Masked.SELECTED and any(map(self.is_singular, bound.values()))

    def is_nonzero(self, value: core.Value) -> bool:
        """True for a number that surely isn't zero at the statement under way."""
        return False

    def is_finite_variable(self, rule: rules.Rule, partial: core.Value) -> bool:
        """True for a partial derivative that is a variable of the function, which
        surely holds finite numbers, as a factor of a product does."""
        return (
            not rule.singular
            and isinstance(partial, core.Leaf)
            and isinstance(partial.operand, ir.Var)
            and partial.operand.name in self.function.kinds
            and not self.is_singular(partial)
        )

    def flag_of_whole(
        self, rule: rules.Rule, cotangents: Sequence[Cotangent | None]
    ) -> core.Leaf | None:
        """The flag that something contributed to all that a pullback gives."""
        first = cotangents[0]
        own = first.contributed if first and len(cotangents) == 1 else None
        moves = rule.masking or rule.function in ops.STORES
        return own if is_one_flag(own) and not moves else None

    def chosen_parts(
        self, operation: ir.Apply, cotangents: Sequence[Cotangent | None], parts: Parts
    ) -> dict[str, core.Leaf]:
        """The flags of what a function that chooses gives to its arguments, by
        parameter, for each element: the conditions under which it is chosen."""
        first = cotangents[0]
        if first is None or len(cotangents) > 1 or guard(operation, self.guards):
            return {}
        if first.masked and first.contributed is None:
            return {}
        choices = Choices(self.spec, self.function.kinds)
        flags = {}
        for name, argument, part in parts:
            operand = getattr(argument, "operand", None)
            if (
                not isinstance(operand, ir.Var)
                or operand.name not in self.behind_singular
            ):
                continue
            flag = choices.chosen(part)
            if flag is not None and not _is_for_each_element(first.contributed, part):
                continue
            if flag is not None and first.contributed is not None:
                flag = choices.both(first.contributed, flag)
            if flag is not None:
                flags[name] = flag
        if first.contributed is None:
            self.complements |= choices.complements
        return flags


def _is_for_each_element(contributed: core.Leaf | None, part: core.Value) -> bool:
    """False for a flag of each element of what a reduction gives."""
    if contributed is None or is_one_flag(contributed):
        return True
    return ir.rank_of(contributed.kind) == ir.rank_of(core.kind_of(part)) is not None
