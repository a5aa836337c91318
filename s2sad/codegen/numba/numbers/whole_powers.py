"""Whole numbers to the power of whole numbers, checked.

::

    a = pow(n, k)        ->      a = power_of_whole(n, k)

Where ``k`` turns out to be negative, Python gives a float, NumPy raises, and Numba
gives 0. A power stays as it is where its exponent is surely not negative: a constant,
or what a loop counts.
"""

import builtins
import operator
from dataclasses import replace

import numpy as np

from s2sad import ir
from s2sad.codegen.numba import helpers, programs
from s2sad.codegen.numba.arrays.operands import Call, are_whole

POWERS = (operator.pow, np.power, builtins.pow)


def with_whole_powers(function: ir.Function) -> ir.Function:
    """The program with a check of exponents that may be negative."""
    facts = programs.Facts(function)
    counted = _counted(function)

    def checked(s: ir.Statement) -> ir.Block:
        if not ir.applies(s):
            return (s,)
        value = s.value
        if value.function not in POWERS:
            return (s,)
        exponent = value.args[1]
        call = Call(value, tuple(map(facts.kind, value.args)), facts)
        if isinstance(exponent, ir.Const) or exponent in counted:
            return (s,)
        if not call.are_numbers() or not are_whole(call):
            return (s,)
        power = ir.Apply(helpers.power_of_whole, value.args)
        return (replace(s, value=power),)

    return replace(function, body=ir.with_leaves(function.body, checked))


def _counted(function: ir.Function) -> set[ir.Var]:
    """The variables that are never anything but what a loop counts from 0 or more."""
    bound: dict[ir.Var, bool] = {}
    for s in ir.walk(function.body):
        for v in ir.direct_writes(s):
            bound[v] = bound.get(v, True) and isinstance(s, ir.For) and _counts_up(s)
    parameters = set(function.parameters)
    return {v for v, counts in bound.items() if counts and v.name not in parameters}


def _counts_up(loop: ir.For) -> bool:
    start, step = loop.start, loop.step
    if not isinstance(start, ir.Const) or not isinstance(step, ir.Const):
        return False
    return bool(start.value >= 0 and step.value > 0)
