"""Marks of cotangents: which may hold structural zeros behind a pullback, and which
partial derivatives surely are finite, so that they need no mask.
"""

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from s2sad import ir, ops, rules
from s2sad.analysis.numbers.infinite_values import RAISING
from s2sad.frontend.specialise import core
from s2sad.rules.steps.scatter import Scattered
from s2sad.transform.adjoints.cotangents import Cotangent, Masked

DIVISIONS = (operator.truediv, np.divide)


def marks_of_parts(
    rule: rules.Rule,
    bound: Mapping[str, core.Value],
    cotangents: Sequence[Cotangent | None],
) -> Callable[[str, core.Value], Masked]:
    """How the cotangents are marked that a pullback gives, by parameter and part.

    All that is given to an item, which the result holds, may be zero where elements of
    that are. (Of what is stored at places of the run that alone doesn't make products
    with what may be infinite worth a mask.)"""
    masked = max((c.masked for c in cotangents if c is not None), default=Masked.NO)
    item = max(masked, Masked.OVERWRITTEN) if masked or rule.masking else masked
    if rule.function in ops.STORES:
        array = item if rule.masking else masked
        number = Masked.SELECTED if is_literal(bound["index"]) else Masked.OVERWRITTEN
        held = {False: masked, True: number if masked else masked}
        return lambda name, part: array if name == "array" else held[is_number(part)]
    if rule.divides or (rule.linear and rule.takes_sequence):
        number = Masked.SELECTED if item else Masked.NO
        item = number if rule.takes_sequence else item  # none of a part may be read
        return lambda name, part: number if is_number(part) else item
    if rule.masking:
        # what an index doesn't read is marked where its part is added (scatter)
        chosen = masked if rule.function is operator.getitem else Masked.SELECTED
        return lambda name, part: masked if is_scattered(part) else chosen
    if masked < Masked.OVERWRITTEN and not rule.view:
        masked = Masked.NO
    return lambda name, part: masked


def is_literal(value: core.Value) -> bool:
    """True for an index that is written as a number, or as several."""
    return all(isinstance(leaf.operand, ir.Const) for leaf in core.leaves(value))


def is_scattered(part: core.Value) -> bool:
    """True for a cotangent that is added into elements."""
    return isinstance(part, core.Aggregate) and part.constructor is Scattered


def is_number(value: core.Value) -> bool:
    """True for one number, not an array or a structure."""
    return isinstance(value, core.Leaf) and ir.axes_of(value.kind) == ()


def surely_finite(
    function: Any, bound: Mapping[str, core.Value], out: core.Value
) -> bool:
    """True for partials of an operation with a singularity elsewhere: of a power with a
    literal exponent of 1 or more, of a quotient by a literal; and of one that would
    have raised there."""
    of_python = isinstance(core.kind_of(out), ir.Scalar)
    if of_python and function in RAISING:
        return True
    kind = core.kind_of(bound["y"]) if "y" in bound else None
    number = kind.value if isinstance(kind, ir.Scalar) else None
    if number is None or isinstance(number, complex):
        return False
    if function in (operator.pow, pow, np.power, np.float_power, math.pow):
        return bool(number >= 1 or (of_python and number <= 0))
    return function in DIVISIONS and number != 0
