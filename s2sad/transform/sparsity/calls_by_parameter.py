"""An operation with its operands by parameter of its rule."""

from collections.abc import Sequence
from typing import Any

from s2sad import ir, rules

_NOT_GIVEN = ir.Const(None)


class CallByParameter:
    """An operation, with its operands by parameter of its rule."""

    def __init__(self, rule: rules.Rule, value: ir.Apply) -> None:
        self.rule, self.value = rule, value
        places = tuple(range(len(value.args)))
        words = {name: name for name, _ in value.keywords}
        self.bound = rule.arguments_of(places, words)
        self._operands: dict[Any, ir.Operand] = dict(enumerate(value.args))
        self._operands |= dict(value.keywords)

    def operand(self, parameter: str, default: ir.Operand = _NOT_GIVEN) -> ir.Operand:
        """The operand of a parameter."""
        if parameter not in self.bound:
            return default
        return self._operands[self.bound[parameter]]

    def data(self) -> list[Any]:
        """The operands that carry derivatives."""
        found: list[Any] = []
        for parameter in self.rule.differentiable:
            if parameter not in self.bound:
                continue
            place = self.bound[parameter]
            places: Sequence[Any] = place if isinstance(place, tuple) else (place,)
            found += [self._operands[k] for k in places]
        return found

    def parameter_of(self, place: int) -> str:
        """The parameter that an argument by position belongs to."""
        return next(
            name
            for name, own in self.bound.items()
            if own == place or (isinstance(own, tuple) and place in own)
        )
