"""NumPy's elementwise functions other than operators and choices."""

import numpy as np

from s2sad import ir, rules
from s2sad.ops.numerics.special import modified_bessel, sinc_derivative
from s2sad.rules.numpy.kinds_of_arrays import IS_FALSE
from s2sad.rules.python.numbers import divided, sign_of

# Exponentials and logarithms. Python floats as constants leave float32 as it is.
rules.elementwise(np.exp, lambda x, out: out, singular=True)
rules.elementwise(np.expm1, lambda x, out: np.exp(x), singular=True)
rules.elementwise(np.exp2, lambda x, out: out * 0.6931471805599453, singular=True)
rules.elementwise(np.log, lambda x, out: divided(1.0, x), singular=True)
rules.elementwise(np.log1p, lambda x, out: divided(1.0, 1.0 + x), singular=True)
rules.elementwise(
    np.log2, lambda x, out: divided(1.0, x * 0.6931471805599453), singular=True
)
rules.elementwise(
    np.log10, lambda x, out: divided(1.0, x * 2.302585092994046), singular=True
)


def _logaddexp(x, y, out):
    """Where both are -inf (probability 0), the derivative is taken as 0."""
    if rules.is_finite_literal(x) or rules.is_finite_literal(y):
        return np.exp(x - out), np.exp(y - out)
    shift = np.where(out == -np.inf, 0.0, out)
    return np.exp(x - shift), np.exp(y - shift)


def _logaddexp2(x, y, out):
    shift = np.where(out == -np.inf, 0.0, out)
    return np.exp2(x - shift), np.exp2(y - shift)


rules.elementwise(np.logaddexp, _logaddexp, singular=True)
rules.elementwise(np.logaddexp2, _logaddexp2, singular=True)

# Powers.
rules.elementwise(np.sqrt, lambda x, out: 0.5 / out, singular=True)
rules.elementwise(np.cbrt, lambda x, out: 1.0 / (3.0 * out * out), singular=True)


# Bessel functions: DLMF 10.29.1 and 10.29.3.
def _i0_kind(x: ir.Kind) -> ir.Kind:
    result = rules.elementwise_result(np.i0, (x,))
    return ir.Array(result.dtype, ()) if isinstance(result, ir.NumPyScalar) else result


def _modified_bessel_kind(order: ir.Kind, x: ir.Kind) -> ir.Kind:
    return rules.elementwise_result(np.sinh, (x,))


rules.elementwise(
    np.i0, lambda x, out: modified_bessel(1, x), kind=_i0_kind, singular=True
)
rules.elementwise(
    modified_bessel,
    lambda order, x, out: (
        0.5 * (modified_bessel(order - 1, x) + modified_bessel(order + 1, x))
    ),
    kind=_modified_bessel_kind,
    differentiable=("x",),
    singular=True,
)


def _hypot(x, y, out):
    """0 at the origin, as for norms: there out + (out == 0) is 1."""
    length = out + (out == 0)
    return x / length, y / length


rules.elementwise(np.hypot, _hypot)

# Trigonometric functions. On Python floats, ** may overflow with an error, * not.
rules.elementwise(np.sin, lambda x, out: np.cos(x))
rules.elementwise(np.cos, lambda x, out: -np.sin(x))
rules.elementwise(np.tan, lambda x, out: 1.0 + out * out)
rules.elementwise(np.arcsin, lambda x, out: 1.0 / np.sqrt(1.0 - x * x), singular=True)
rules.elementwise(np.arccos, lambda x, out: -1.0 / np.sqrt(1.0 - x * x), singular=True)
rules.elementwise(np.arctan, lambda x, out: 1.0 / (1.0 + x * x))


def _arctan2(y, x, out):
    squares = x * x + y * y
    return divided(x, squares), divided(-y, squares)


rules.elementwise(np.arctan2, _arctan2, singular=True)
rules.elementwise((np.degrees, np.rad2deg), lambda x, out: 180.0 / np.pi, cheap=True)
rules.elementwise((np.radians, np.deg2rad), lambda x, out: np.pi / 180.0, cheap=True)
rules.elementwise(np.sinc, lambda x, out: sinc_derivative(x, 1))


def _sinc_derivative_kind(x: ir.Kind, order: ir.Kind) -> ir.Kind:
    return rules.elementwise_result(np.sinc, (x,))


rules.elementwise(
    sinc_derivative,
    lambda x, order, out: sinc_derivative(x, order + 1),
    kind=_sinc_derivative_kind,
    differentiable=("x",),
)

# Hyperbolic functions.
rules.elementwise(np.sinh, lambda x, out: np.cosh(x), singular=True)
rules.elementwise(np.cosh, lambda x, out: np.sinh(x), singular=True)
rules.elementwise(np.tanh, lambda x, out: 1.0 - out * out)
rules.elementwise(
    np.arcsinh,
    lambda x, out: (
        1.0 / (np.sqrt(1.0 + x * x) if rules.is_complex_number(x) else np.hypot(1.0, x))
    ),
)
rules.elementwise(
    np.arccosh,
    lambda x, out: 1.0 / (np.sqrt(x - 1.0) * np.sqrt(x + 1.0)),
    singular=True,
)
rules.elementwise(np.arctanh, lambda x, out: divided(1.0, 1.0 - x * x), singular=True)

# Signs.
rules.elementwise(np.fabs, lambda x, out: np.sign(x), cheap=True)
rules.elementwise(
    np.copysign, lambda x, y, out: (np.sign(x) * np.sign(out), 0.0), cheap=True
)
rules.elementwise(np.nextafter, lambda x, y, out: (1.0, 0.0), cheap=True)
rules.elementwise(
    np.ldexp,
    lambda x, i, out: np.ldexp(1.0, i),
    differentiable=("x",),
    cheap=True,
    singular=True,
)


@rules.reverse_of(
    np.absolute,
    kind=rules.elementwise_kind(np.absolute),
    cheap=True,
    lazy=True,
    pointwise=True,
)
def _absolute(x, *, out, out_bar):
    """The sign of a complex x is x / abs(x), and 0 at 0."""
    return out_bar * sign_of(x)


@rules.forward_of(np.absolute)
def _absolute_forward(x, *, out, x_dot):
    if rules.is_complex_number(x):
        return np.real(np.conj(sign_of(x)) * x_dot)
    return sign_of(x) * x_dot


# Parts of complex numbers; real ones are their own real part.
@rules.reverse_of(
    np.real, kind=rules.elementwise_kind(np.real), view=True, linear=True, lazy=True
)
def _real(val, *, out, out_bar):
    return out_bar


@rules.reverse_of(
    np.imag, kind=rules.elementwise_kind(np.imag), view=True, linear=True, lazy=True
)
def _imag(val, *, out, out_bar):
    return 1j * out_bar if rules.is_complex_number(val) else 0.0


@rules.reverse_of(
    np.conjugate, kind=rules.elementwise_kind(np.conjugate), linear=True, lazy=True
)
def _conjugate(x, *, out, out_bar):
    return np.conj(out_bar) if rules.is_complex_number(x) else out_bar


def _angle_kind(z: ir.Kind, deg: ir.Kind = IS_FALSE) -> ir.Kind:
    if (ir.dtype_of(z) or "complex").startswith("complex"):
        raise rules.CallRefused(
            "np.angle has a derivative, zero, for real numbers", "use np.arctan2"
        )
    return rules.elementwise_result(np.angle, (z,))


rules.without_derivative(np.angle, lambda z, deg=False: ..., kind=_angle_kind)
for _function in (np.isreal, np.iscomplex):
    rules.without_derivative(
        _function, lambda x: ..., kind=rules.elementwise_kind(_function)
    )
for _function in (np.iscomplexobj, np.isrealobj):
    rules.without_derivative(_function, lambda x: ..., kind=rules.python_bool)
rules.without_derivative(np.isscalar, lambda element: ..., kind=rules.python_bool)


# The parts of a number.
def _parts_kind(function):
    def kind(x: ir.Kind) -> ir.Kind:
        first, second = (
            rules.elementwise_result(part, (x,)) for part in (np.positive, function)
        )
        return ir.Structure(tuple, (0, 1), (first, second))

    return kind


def _exponent(x):
    return np.frexp(x)[1]


@rules.reverse_of(np.modf, kind=_parts_kind(np.trunc))
def _modf(x, *, out, out_bar):
    return np.zeros_like(x) if rules.is_literal_zero(out_bar[0]) else out_bar[0]


@rules.forward_of(np.modf)
def _modf_forward(x, *, out, x_dot):
    return x_dot, np.zeros_like(x)


@rules.reverse_of(np.frexp, kind=_parts_kind(_exponent))
def _frexp(x, *, out, out_bar):
    if rules.is_literal_zero(out_bar[0]):
        return np.zeros_like(x)
    return np.ldexp(out_bar[0], -out[1])


@rules.forward_of(np.frexp)
def _frexp_forward(x, *, out, x_dot):
    return np.ldexp(x_dot, -out[1]), np.zeros_like(x)


def _unwrap_kind(p: ir.Kind, *_: ir.Kind, **__: ir.Kind) -> ir.Kind:
    return rules.elementwise_result(np.positive, (p,))


@rules.reverse_of(np.unwrap, kind=_unwrap_kind, differentiable=("p", "period"))
def _unwrap(p, discont=None, axis=-1, *, period=6.283185307179586, out, out_bar):
    """What is added to ``p`` are whole periods."""
    return out_bar, np.sum(out_bar * np.round((out - p) / period))


@rules.forward_of(np.unwrap)
def _unwrap_forward(
    p, discont=None, axis=-1, *, period=6.283185307179586, out, p_dot, period_dot=0.0
):
    if rules.is_literal_zero(period_dot):
        return p_dot
    return p_dot + period_dot * np.round((out - p) / period)


# Conversions. The gradient takes its argument's dtype again.
for _type in (np.float64, np.float32, np.float16, np.longdouble):
    rules.elementwise(_type, lambda x=0.0, out=None: 1.0, cheap=True)
for _type in (np.complex128, np.complex64, np.clongdouble):
    rules.elementwise(
        _type,
        lambda real=0.0, imag=0.0, out=None: (1.0, 1j),
        cheap=True,
        complex=True,
    )
for _type in (
    np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32,
    np.uint64, np.intc, np.longlong,
):  # fmt: skip
    rules.without_derivative(
        _type, lambda x=0: ..., kind=rules.elementwise_kind(_type), cheap=True
    )

# Piecewise constant.
for _function in (np.sign, np.floor, np.ceil, np.trunc, np.rint, np.fix):
    rules.without_derivative(
        _function, lambda x: ..., kind=rules.elementwise_kind(_function)
    )


def _round_kind(a: ir.Kind, decimals: ir.Kind | None = None) -> ir.Kind:
    return rules.elementwise_result(np.round, (a,))


def _isclose_kind(a: ir.Kind, b: ir.Kind, **tolerances: ir.Kind) -> ir.Kind:
    return rules.elementwise_result(np.isclose, (a, b))


rules.without_derivative(
    (np.round, np.around), lambda a, decimals=0: ..., kind=_round_kind
)
rules.without_derivative(
    np.isclose,
    lambda a, b, rtol=1e-5, atol=1e-8, equal_nan=False: ...,
    kind=_isclose_kind,
)
