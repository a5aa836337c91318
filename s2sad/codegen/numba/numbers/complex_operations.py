"""What Numba may be left to do with complex numbers.

Most functions that it knows of real numbers are refused for complex ones: it lacks
them, or has conventions of its own, or the passes for Numba write them as what they are
of real numbers. The functions listed here mean the same in both.
"""

import builtins
import operator
from typing import Any

import numpy as np

from s2sad import ir, ops
from s2sad.codegen.numba import helpers, programs
from s2sad.codegen.numba.functions import OF_COMPLEX
from s2sad.ops import buffers
from s2sad.ops.numerics.complex_numbers import unit_complex
from s2sad.ops.runtime import broadcasting, scalars
from s2sad.rules.python.choice import choose
from s2sad.rules.steps.shape_queries import axis_length, shape_of

COMPLEX: frozenset[Any] = frozenset(
    [
        *(operator.add, operator.sub, operator.mul, operator.truediv, operator.neg),
        *(operator.pos, operator.pow, operator.eq, operator.ne, operator.abs),
        *(np.add, np.subtract, np.multiply, np.divide, np.negative, np.positive),
        *(np.power, np.square, np.absolute, builtins.abs, builtins.complex),
        *(np.complex128, np.conjugate, np.real, np.imag, unit_complex),
        *(np.exp, np.log, np.sqrt, np.sin, np.cos, np.tan, np.sinh, np.cosh, np.tanh),
        *(scalars.power, scalars.quotient, choose, np.where, np.sum, np.mean),
        *(operator.iadd, operator.isub, operator.imul, operator.itruediv),
        *(np.zeros_like, np.ones_like, np.empty_like, np.full),
        *(np.copy, np.ndarray.copy, buffers.own_copy),
        *(buffers.broadcast_like, buffers.full_like_of),
        *(operator.getitem, buffers.overwritten_part, buffers.index_add),
        *(buffers.index_set, *buffers.STORES, buffers.shared_result),
        *(operator.matmul, np.matmul, np.dot, np.outer, np.reshape),
        *(np.ravel, np.ndarray.flatten, np.concatenate, np.stack),
        *(np.asarray, helpers.grown, np.roll),
        *OF_COMPLEX.values(),
        *(np.size, len, axis_length, shape_of, ops.new_stack),
        *(broadcasting.sum_to_shape_of, broadcasting.broadcast_to_shape_of),
    ]
)
"""Functions that may have complex operands, beside what rearranges an array."""
STORING = (
    *(buffers.index_add, buffers.index_set, *buffers.STORES),
    *(operator.iadd, operator.isub, operator.imul, operator.itruediv),
)


def is_complex(kind: ir.Kind | None) -> bool:
    """True for complex numbers, and arrays and lists of them."""
    if isinstance(kind, ir.List):
        return is_complex(kind.item)
    return kind is not None and ir.dtype_of(kind) == "complex128"


def has_complex(operand: Any, facts: programs.Facts) -> bool:
    """True for an operand that is complex, or holds something that is."""
    if isinstance(operand, ir.Pack):
        return any(has_complex(item, facts) for item in operand.items)
    if isinstance(operand, ir.Var | ir.Const):
        return is_complex(facts.kind(operand))
    return False


def wrong_with_complex(value: ir.Apply, facts: programs.Facts) -> str:
    """Why an operation can't be left to Numba for its complex operands; "" where it
    can, or has none."""
    operands: tuple[ir.Operand, ...] = (*value.args, *(v for _, v in value.keywords))
    if not any(has_complex(operand, facts) for operand in operands):
        return ""
    known = _is_among(value.function, COMPLEX) or ops.rearranges(value.function)
    if not known:
        return (
            f"{called(value.function)} of complex numbers isn't known to the Numba "
            "backend"
        )
    if value.function in STORING and not has_complex(value.args[0], facts):
        return "Numba doesn't put complex numbers into an array of real ones"
    return ""


def called(function: Any) -> str:
    """What messages call a function."""
    name = ir.function_name(function)
    in_numpy: Any = getattr(np, name, None)
    return f"np.{name}" if in_numpy is function else f"`{name}`"


def _is_among(function: Any, functions: frozenset[Any]) -> bool:
    try:
        return function in functions
    except TypeError:  # it can't be hashed
        return False
