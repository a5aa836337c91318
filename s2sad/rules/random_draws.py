"""Random numbers: methods of ``np.random.Generator``, ``np.random.RandomState`` and
``random.Random``, and the functions of ``np.random`` and ``random``, which are methods
of one RandomState and one Random.

A draw is never repeated, dropped or moved (``draws``): a derivative leaves a generator
as the function does. Where NumPy computes ``loc + scale * z`` or the like from a
variate ``z`` that doesn't depend on the parameters, the derivative is that of this
formula for the ``z`` that was drawn, which is read off the result. Where ``scale`` is
zero it is nan.
Source: Mohamed et al., Monte Carlo gradient estimation in machine learning (2020),
section 5 (pathwise derivatives).
"""

import functools
import inspect
import random
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad import ir, rules
from s2sad.rules.numpy.kinds_of_arrays import (
    NOT_GIVEN,
    array_or_number,
    as_array,
    axes_of_shape,
    axis_of_length,
    dtype_named,
    settled_array_axes,
)

CLASSES = (np.random.Generator, np.random.RandomState)


def drawn_kind(
    scalar: ir.Kind, parameters: dict[str, ir.Kind], size: ir.Kind
) -> ir.Kind:
    """The kind of independent draws; ``scalar`` is that of a single one."""
    if size != NOT_GIVEN:
        axes = axes_of_shape(size)
        if axes is None:
            raise rules.CallRefused(
                "the number of axes that are drawn isn't known", "pass size as a tuple"
            )
        return ir.Array(_dtype(scalar), axes)
    given = [as_array(kind) for kind in parameters.values()]
    found = rules.broadcast_axes(given)
    if any(isinstance(k, ir.Array) and k.promoted for k in given):
        found = None
    if found == ():
        return scalar
    return ir.Array(_dtype(scalar), found)


def _dtype(kind: ir.Kind) -> str | None:
    if isinstance(kind, ir.Scalar):
        return {"int": "int64", "float": "float64"}[kind.type]
    return ir.dtype_of(kind)


def _kind_of_draws(scalar: ir.Kind, names: tuple[str, ...]) -> Callable[..., ir.Kind]:
    def kind(
        *, self: ir.Kind = NOT_GIVEN, size: ir.Kind = NOT_GIVEN, **words: ir.Kind
    ) -> ir.Kind:
        given = {name: words[name] for name in names if name in words}
        return drawn_kind(scalar, given, size)

    return kind


def _register(
    name: str,
    text: str,
    kind: Callable[..., ir.Kind],
    differentiable: tuple[str, ...] = (),
    partials: Callable[..., Any] | None = None,
    refused: tuple[str, ...] = (),
    classes: tuple[type, ...] = CLASSES,
) -> None:
    """Rules for a method of the classes: of any object, and of one that is known.
    ``text`` are its parameters as they are written."""
    for cls in classes:
        method = getattr(cls, name, None)
        if method is None:
            continue
        own = eval(f"lambda {text}: None")
        with_self = eval(f"lambda self, {text}: None")
        keys: tuple[Any, ...] = (method, (cls, name))
        for key, form in zip(keys, (with_self, own), strict=True):
            rules.register(
                rules.Rule(
                    key,
                    inspect.signature(form),
                    kind=kind,
                    differentiable=differentiable,
                    partials=partials,
                    refused=refused,
                    draws=True,
                    lazy=True,
                )
            )


# ------------------------------------------------------------------ pathwise


def _of_location_and_scale(out, loc=0.0, scale=1.0, size=None, self=None):
    return 1.0, (out - loc) / scale


def _of_uniform(out, low=0.0, high=1.0, size=None, self=None):
    part = (out - low) / (high - low)
    return 1.0 - part, part


def _of_scale(scale, out, size=None, self=None):
    return out / scale


def _of_gamma(shape, scale, out, size=None, self=None):
    return out / scale


def _of_lognormal(out, mean=0.0, sigma=1.0, size=None, self=None):
    return out, out * (np.log(out) - mean) / sigma


for _name in ("normal", "laplace", "gumbel", "logistic"):
    _register(
        _name,
        "loc=0.0, scale=1.0, size=None",
        _kind_of_draws(ir.FLOAT, ("loc", "scale")),
        ("loc", "scale"),
        _of_location_and_scale,
    )
_register(
    "uniform",
    "low=0.0, high=1.0, size=None",
    _kind_of_draws(ir.FLOAT, ("low", "high")),
    ("low", "high"),
    _of_uniform,
)
for _name in ("exponential", "rayleigh"):
    _register(
        _name,
        "scale=1.0, size=None",
        _kind_of_draws(ir.FLOAT, ("scale",)),
        ("scale",),
        _of_scale,
    )
_register(
    "lognormal",
    "mean=0.0, sigma=1.0, size=None",
    _kind_of_draws(ir.FLOAT, ("mean", "sigma")),
    ("mean", "sigma"),
    _of_lognormal,
)
_register(
    "gamma",
    "shape, scale=1.0, size=None",
    _kind_of_draws(ir.FLOAT, ("shape", "scale")),
    ("scale",),
    _of_gamma,
    refused=("shape",),
)

# ------------------------------------------------------------------ others

for _name in ("random", "random_sample", "standard_normal", "standard_cauchy"):
    _register(_name, "size=None", _kind_of_draws(ir.FLOAT, ()))
_register("standard_exponential", "size=None", _kind_of_draws(ir.FLOAT, ()))

_FLOATS = {
    "beta": "a, b",
    "chisquare": "df",
    "f": "dfnum, dfden",
    "noncentral_chisquare": "df, nonc",
    "noncentral_f": "dfnum, dfden, nonc",
    "pareto": "a",
    "power": "a",
    "standard_gamma": "shape",
    "standard_t": "df",
    "triangular": "left, mode, right",
    "vonmises": "mu, kappa",
    "wald": "mean, scale",
    "weibull": "a",
}
_WHOLE = {
    "binomial": "n, p",
    "geometric": "p",
    "hypergeometric": "ngood, nbad, nsample",
    "logseries": "p",
    "negative_binomial": "n, p",
    "poisson": "lam",
    "zipf": "a",
}
for _table, _scalar in ((_FLOATS, ir.FLOAT), (_WHOLE, ir.INT)):
    for _name, _text in _table.items():
        _names = tuple(_text.split(", "))
        _register(
            _name,
            f"{_text}, size=None",
            _kind_of_draws(_scalar, _names),
            refused=_names,
        )


@functools.cache
def _kind_of_whole(cls: type, method: str, *args: Any) -> ir.Kind:
    """That of a single whole number, which isn't the same in all versions of NumPy."""
    drawn = getattr(cls(*_SOURCES[cls]()), method)(*args)
    return (
        ir.INT
        if type(drawn) is int
        else ir.NumPyScalar(str(np.asarray(drawn).dtype.name))
    )


_SOURCES: dict[type, Callable[[], tuple[Any, ...]]] = {
    np.random.Generator: lambda: (np.random.PCG64(0),),
    np.random.RandomState: lambda: (0,),
}


def _integers_kind(cls: type, method: str) -> Callable[..., ir.Kind]:
    def kind(
        *,
        self: ir.Kind = NOT_GIVEN,
        low: ir.Kind,
        high: ir.Kind = NOT_GIVEN,
        size: ir.Kind = NOT_GIVEN,
        dtype: ir.Kind = NOT_GIVEN,
        endpoint: ir.Kind = NOT_GIVEN,
    ) -> ir.Kind:
        bounds = {"low": low} if high == NOT_GIVEN else {"low": low, "high": high}
        found = drawn_kind(_kind_of_whole(cls, method, 2), bounds, size)
        if dtype == NOT_GIVEN:
            return found
        if isinstance(found, ir.Array):
            return ir.Array(dtype_named(dtype, None), found.axes)
        raise rules.CallRefused(
            f"{method} of a single number with dtype", "draw it without dtype"
        )

    return kind


def _choice_kind(cls: type) -> Callable[..., ir.Kind]:
    def kind(
        *,
        self: ir.Kind = NOT_GIVEN,
        a: ir.Kind,
        size: ir.Kind = NOT_GIVEN,
        replace: ir.Kind = NOT_GIVEN,
        p: ir.Kind = NOT_GIVEN,
    ) -> ir.Kind:
        if isinstance(a, ir.Scalar) and a.type == "int":
            return drawn_kind(_kind_of_whole(cls, "choice", 2), {}, size)
        a = as_array(a)
        axes = settled_array_axes(a)
        if not isinstance(a, ir.Array) or not axes:
            raise rules.CallRefused(
                "a choice of something other than a number or an array",
                "draw the places with integers, and index",
            )
        drawn = () if size == NOT_GIVEN else axes_of_shape(size)
        if drawn is None:
            return ir.Array(a.dtype, None)
        return array_or_number(a.dtype, (*drawn, *axes[1:]))

    return kind


def _permutation_kind(
    *, self: ir.Kind = NOT_GIVEN, x: ir.Kind, axis: ir.Kind = NOT_GIVEN
) -> ir.Kind:
    if isinstance(x, ir.Scalar) and x.type == "int":
        return ir.Array("int64", (axis_of_length(x),))
    x = as_array(x)
    if not isinstance(x, ir.Array):
        raise rules.CallRefused(
            "a permutation of something other than a number or an array",
            "draw the places with permutation(n), and index",
        )
    return x


_register(
    "integers",
    "low, high=None, size=None, dtype=None, endpoint=False",
    _integers_kind(np.random.Generator, "integers"),
    refused=("low", "high"),
)
_register(
    "randint",
    "low, high=None, size=None, dtype=None",
    _integers_kind(np.random.RandomState, "randint"),
    refused=("low", "high"),
)
for _cls in CLASSES:
    _register(
        "choice",
        "a, size=None, replace=True, p=None",
        _choice_kind(_cls),
        refused=("a", "p"),
        classes=(_cls,),
    )
_register("permutation", "x", _permutation_kind, refused=("x",))
_register("permuted", "x, axis=None", _permutation_kind, refused=("x",))


def _dims_kind(*, self: ir.Kind = NOT_GIVEN, dims: Any = None) -> ir.Kind:
    lengths = () if dims is None else dims.items
    if not lengths:
        return ir.FLOAT
    return ir.Array("float64", tuple(axis_of_length(length) for length in lengths))


for _name in ("rand", "randn"):
    _register(_name, "*dims", _dims_kind)


def _vector_kind(name: str, dtype: str) -> Callable[..., ir.Kind]:
    def kind(
        *, self: ir.Kind = NOT_GIVEN, size: ir.Kind = NOT_GIVEN, **words: ir.Kind
    ) -> ir.Kind:
        own = settled_array_axes(as_array(words[name]))
        drawn = () if size == NOT_GIVEN else axes_of_shape(size)
        if not own or drawn is None:
            return ir.Array(dtype, None)
        return ir.Array(dtype, (*drawn, ir.Axis(own[-1].length, own[-1].symbol)))

    return kind


for _name, _text, _of, _kind in (
    ("multivariate_normal", "mean, cov", "mean", "float64"),
    ("dirichlet", "alpha", "alpha", "float64"),
    ("multinomial", "n, pvals", "pvals", "int64"),
):
    _register(
        _name,
        f"{_text}, size=None",
        _vector_kind(_of, _kind),
        refused=tuple(_text.split(", ")),
    )


# ------------------------------------------------------------------ Python's


def _of_rate(out, lambd=1.0, self=None):
    return -out / lambd


def _of_mean_and_deviation(out, mu=0.0, sigma=1.0, self=None):
    return 1.0, (out - mu) / sigma


def _of_bounds(a, b, out, self=None):
    part = (out - a) / (b - a)
    return 1.0 - part, part


def _of_logarithm(mu, sigma, out, self=None):
    return out, out * (np.log(out) - mu) / sigma


def _of_first_scale(alpha, beta, out, self=None):
    return out / alpha


def _of_second_scale(alpha, beta, out, self=None):
    return out / beta


def _single_kind(scalar: ir.Kind) -> Callable[..., ir.Kind]:
    return lambda **given: scalar


_OF_PYTHON: tuple[
    tuple[str, str, ir.Kind, tuple[str, ...], Any, tuple[str, ...]], ...
] = (
    ("random", "", ir.FLOAT, (), None, ()),
    ("uniform", "a, b", ir.FLOAT, ("a", "b"), _of_bounds, ()),
    (
        "gauss",
        "mu=0.0, sigma=1.0",
        ir.FLOAT,
        ("mu", "sigma"),
        _of_mean_and_deviation,
        (),
    ),
    (
        *("normalvariate", "mu=0.0, sigma=1.0", ir.FLOAT, ("mu", "sigma")),
        *(_of_mean_and_deviation, ()),
    ),
    ("lognormvariate", "mu, sigma", ir.FLOAT, ("mu", "sigma"), _of_logarithm, ()),
    ("expovariate", "lambd=1.0", ir.FLOAT, ("lambd",), _of_rate, ()),
    ("weibullvariate", "alpha, beta", ir.FLOAT, ("alpha",), _of_first_scale, ("beta",)),
    ("gammavariate", "alpha, beta", ir.FLOAT, ("beta",), _of_second_scale, ("alpha",)),
    ("betavariate", "alpha, beta", ir.FLOAT, (), None, ("alpha", "beta")),
    ("paretovariate", "alpha", ir.FLOAT, (), None, ("alpha",)),
    ("vonmisesvariate", "mu, kappa", ir.FLOAT, (), None, ("mu", "kappa")),
    ("triangular", "low=0.0, high=1.0, mode=None", ir.FLOAT, (), None, ("low", "high")),
    ("randint", "a, b", ir.INT, (), None, ()),
    ("randrange", "start, stop=None, step=1", ir.INT, (), None, ()),
    ("getrandbits", "k", ir.INT, (), None, ()),
    ("seed", "a=None, version=2", ir.NONE, (), None, ()),
)
for _name, _text, _scalar, _differentiable, _partials, _refused in _OF_PYTHON:
    _register(
        _name,
        _text,
        _single_kind(_scalar),
        _differentiable,
        _partials,
        _refused,
        (random.Random,),
    )
