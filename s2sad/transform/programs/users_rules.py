"""What rules in the table give, if users wrote them: the right number of cotangents,
each of the shape and the dtype of its argument.

The rules that come with s2sad are tested with it, and may give what only broadcasts.
"""

from typing import Any

from s2sad import ir, rules
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.shaping.fitting import cotangents_of, shown
from s2sad.ops.runtime.fitting import fitting_cotangent


def is_of_user(rule: rules.Rule) -> bool:
    """True for a rule that doesn't come with s2sad."""
    written: Any = rule.reverse or rule.partials
    module = getattr(written, "__module__", None) or ""
    return module.partition(".")[0] != "s2sad"


def parts_of_rule(
    rule: rules.Rule, found: core.Value, what: str
) -> tuple[core.Value, ...]:
    """What a rule gives, one for each differentiable parameter; ``what`` it gives, in
    the plural."""
    names = rule.differentiable
    if len(names) == 1:
        return (found,)
    if isinstance(found, core.Aggregate) and len(found.items) == len(names):
        return found.items
    given = f"{len(found.items)}" if isinstance(found, core.Aggregate) else shown(found)
    raise core.Unsupported(
        f"the rule of {ir.function_name(rule.function)} returns {given}, and must "
        f"return a tuple of {len(names)} {what}, for {', '.join(names)}",
        "return one for each, in this order",
    )


def fitting_part(
    spec: Specialiser,
    rule: rules.Rule,
    name: str,
    argument: core.Value,
    part: core.Value,
) -> Any:
    """The cotangent that a rule of the user's gives for an argument, checked."""
    if rule.lazy or not is_of_user(rule) or part == core.constant(0.0):
        return part
    if not isinstance(argument, core.Leaf) or not isinstance(part, core.Leaf):
        return part
    title = f"the rule of {ir.function_name(rule.function)}"
    places = cotangents_of(part, {name: argument}, title)
    if not places or not places[0].check:
        return part
    check = core.constant(places[0].check)
    return spec.apply(fitting_cotangent, (part, argument, check), hint="part")


def is_nothing(part: core.Value) -> bool:
    """True for None in place of a cotangent."""
    return not isinstance(part, core.Aggregate) and list(core.leaves(part)) == [
        core.constant(None)
    ]
