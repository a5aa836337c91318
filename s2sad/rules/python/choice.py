"""``x if condition else y`` as a function of the IR: what rules write with np.where,
between numbers.

np.where gives an array of rank 0 there, and takes longer than the arithmetic around it.
"""

import operator

from s2sad import ir, ops, rules
from s2sad.rules.python.operator_kinds import comparison_kind


def choose(condition, x, y):
    """``x if condition else y``.

    >>> choose(True, 1.0, 2.0)
    1.0
    """
    return x if condition else y


def equals_zero(x, zero):
    """``x == 0.0``, where a product with x is chosen to be 0 then, since x may be a
    cotangent that a selection made zero and the other factor infinite.

    It is a function of its own so that derivatives of such a choice can tell: x may
    also be zero by chance, while its derivative is not.
    """
    return x == zero


def is_choice_of_numbers(condition: ir.Kind, x: ir.Kind, y: ir.Kind) -> bool:
    """True for operands between which a choice gives a number of the dtype np.where
    would give."""
    numbers = all(
        isinstance(kind, ir.Scalar | ir.NumPyScalar) for kind in (condition, x, y)
    )
    return numbers and ir.dtype_of(x) == ir.dtype_of(y) == "float64"


def _choice_kind(condition: ir.Kind, x: ir.Kind, y: ir.Kind) -> ir.Kind:
    """Of a Python number and one of NumPy, the kind whose operators may raise."""
    if isinstance(x, ir.Scalar) != isinstance(y, ir.Scalar):
        return ir.FLOAT
    return ir.join(x, y)


ops.note(choose, ops.Does.MOVES | ops.Does.ELEMENTWISE)
ops.note(equals_zero, ops.Does.ELEMENTWISE)
rules.without_derivative(equals_zero, kind=comparison_kind(operator.eq), cheap=True)


@rules.reverse_of(choose, kind=_choice_kind, differentiable=("x", "y"), masking=True)
def _choose(condition, x, y, *, out, out_bar):
    return choose(condition, out_bar, 0.0), choose(condition, 0.0, out_bar)


@rules.forward_of(choose)
def _choose_forward(condition, x, y, *, out, x_dot, y_dot):
    return choose(condition, x_dot, y_dot)
