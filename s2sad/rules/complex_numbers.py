"""Complex numbers: their parts, ``cmath``, and the functions whose derivatives hold for
them.

The cotangent of a complex number is dL/dRe + i dL/dIm. Of a holomorphic function the
pullback is the cotangent times the conjugate of the derivative; linear functions that
don't conjugate move cotangents as they are. Calls of functions that aren't listed here
are refused where complex numbers that vary are among their arguments.
"""

import builtins
import cmath
import operator
from typing import Any

import numpy as np

from s2sad import ir, ops, rules
from s2sad.ops import buffers
from s2sad.ops.numerics import complex_numbers as complex_helpers
from s2sad.ops.numerics import matrices, special
from s2sad.ops.numerics.complex_numbers import unit_complex
from s2sad.ops.runtime import broadcasting, products
from s2sad.ops.runtime.broadcasting import divide_or_zero
from s2sad.rules.python.numbers import divided


def python_complex(**kinds: ir.Kind) -> ir.Kind:
    """The result is a Python complex number."""
    return ir.COMPLEX


# ------------------------------------------------------------------ parts


rules.elementwise(
    complex,
    lambda real=0.0, imag=0.0, out=None: (1.0, 1j),
    kind=python_complex,
    cheap=True,
)


@rules.reverse_of(np.angle, kind=rules.elementwise_kind(np.angle), lazy=True)
def _angle(z, *, out, out_bar):
    """The angle of a real number doesn't vary; at 0 the derivative is taken as 0."""
    return (
        out_bar * divide_or_zero(1j, np.conj(z)) if rules.is_complex_number(z) else 0.0
    )


@rules.forward_of(np.angle)
def _angle_forward(z, *, out, z_dot):
    return np.imag(divide_or_zero(z_dot, z)) if rules.is_complex_number(z) else 0.0


@rules.reverse_of(cmath.phase, kind=rules.elementwise_kind(cmath.phase), lazy=True)
def _phase(z, *, out, out_bar):
    return out_bar * divide_or_zero(1j, np.conj(z))


@rules.forward_of(cmath.phase)
def _phase_forward(z, *, out, z_dot):
    return np.imag(divide_or_zero(z_dot, z))


@rules.reverse_of(unit_complex, kind=rules.elementwise_kind(unit_complex), lazy=True)
def _unit(z, *, out, out_bar):
    """Only a change across the direction of z turns it."""
    return 1j * out * divide_or_zero(np.imag(np.conj(out) * out_bar), np.abs(z))


@rules.forward_of(unit_complex)
def _unit_forward(z, *, out, z_dot):
    return 1j * out * divide_or_zero(np.imag(np.conj(out) * z_dot), np.abs(z))


# ------------------------------------------------------------------ cmath


def _function(function: Any, partials: Any, **flags: Any) -> None:
    rules.elementwise(function, partials, kind=python_complex, **flags)


def _log(x, base=None, *, out):
    if base is None:
        return divided(1.0, x), 0.0
    return divided(1.0, x * np.log(base)), -out / (base * np.log(base))


_function(cmath.exp, lambda x, out: out, singular=True)
_function(cmath.log, _log, singular=True)
_function(
    cmath.log10, lambda x, out: divided(1.0, x * 2.302585092994046), singular=True
)
_function(cmath.sqrt, lambda x, out: divided(0.5, out), singular=True)
_function(cmath.sin, lambda x, out: np.cos(x))
_function(cmath.cos, lambda x, out: -np.sin(x))
_function(cmath.tan, lambda x, out: 1.0 + out * out)
_function(cmath.asin, lambda x, out: divided(1.0, np.sqrt(1.0 - x * x)), singular=True)
_function(cmath.acos, lambda x, out: divided(-1.0, np.sqrt(1.0 - x * x)), singular=True)
_function(cmath.atan, lambda x, out: divided(1.0, 1.0 + x * x), singular=True)
_function(cmath.sinh, lambda x, out: np.cosh(x))
_function(cmath.cosh, lambda x, out: np.sinh(x))
_function(cmath.tanh, lambda x, out: 1.0 - out * out)
_function(cmath.asinh, lambda x, out: divided(1.0, np.sqrt(1.0 + x * x)), singular=True)
_function(
    cmath.acosh,
    lambda x, out: divided(1.0, np.sqrt(x - 1.0) * np.sqrt(x + 1.0)),
    singular=True,
)
_function(cmath.atanh, lambda x, out: divided(1.0, 1.0 - x * x), singular=True)


# ------------------------------------------------------------------ what holds

_HOLDING = {
    operator: """add sub mul truediv neg pos pow matmul iadd isub imul itruediv imatmul
        ipow""",
    builtins: "abs complex pow sum",
    cmath: """acos acosh asin asinh atan atanh cos cosh exp log log10 phase sin sinh
        sqrt tan tanh""",
    np: """absolute add angle arccos arccosh arcsin arcsinh arctan arctanh astype
        average conjugate convolve copy cos cosh cumprod cumsum diff divide dot
        einsum exp exp2 expm1 float_power imag inner interp kron linspace log
        log10 log1p log2 matmul mean multiply negative outer positive power prod real
        reciprocal sin sinc sinh sqrt square std subtract sum tan tanh tensordot trace
        trapezoid var vdot""",
    np.ndarray: "astype copy",
    np.linalg: "cholesky cross det inv norm slogdet solve",
    broadcasting: """as_dtype_of divide_or_zero sum_each_to_shape_of
        sum_to_shape_of""",
    matrices: "cofactors inverse_or_nan lower_with_half_diagonal solve_or_nan",
    products: """dot_cotangent_of_left dot_cotangent_of_right linear_combinations
        matmul_cotangent_of_left matmul_cotangent_of_right matmul_of_stack
        product_of_others""",
    buffers: "accumulated added_to subtracted_from",
    special: "sinc_derivative",
    complex_helpers: "unit_complex",
}
"""Functions whose partials are those of holomorphic functions, or whose pullbacks
conjugate where they must, beside what only moves elements:
tests/rules/test_complex_numbers.py walks them."""
_MOVING = (
    *("python.choice", "python.inner_lists", "python.rows", "python.selections"),
    *("python.sequences", "steps.buffer_rules", "steps.stopped"),
    *("fitting", "tangents_of_lists"),
)
"""Modules whose rules move numbers without computing."""

for _owner, _names in _HOLDING.items():
    for _name in _names.split():
        rules.holds_for_complex(getattr(_owner, _name))
for _rule in rules.all_rules():
    _text = _rule.reverse or _rule.partials or _rule.kind
    _moving = _text and _text.__module__.removeprefix("s2sad.rules.") in _MOVING
    if _moving or ops.does(_rule.function, ops.Does.MOVES):
        rules.holds_for_complex(_rule.function)
