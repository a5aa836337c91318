"""Functions on sequences of samples: ``np.interp`` and ``np.convolve``."""

import numpy as np

from s2sad import ir, rules
from s2sad.rules.numpy.kinds_of_arrays import as_array, result_dtype
from s2sad.rules.steps.scatter import Scattered
from s2sad.rules.steps.shape_steps import conjugate


def _check_vector(name: str, kind: ir.Kind) -> None:
    """Refuses what surely has more axes or none; NumPy itself takes no matrices."""
    if isinstance(kind, ir.Structure) or ir.rank_of(as_array(kind)) not in (1, None):
        raise rules.CallRefused(
            f"{name} has a rule for arrays of one axis", "use np.asarray first"
        )


def interp_kind(x: ir.Kind, xp: ir.Kind, fp: ir.Kind) -> ir.Kind:
    _check_vector("np.interp", xp)
    _check_vector("np.interp", fp)
    return rules.array_or_number("float64", ir.axes_of(as_array(x)))


def place_and_weight(x, xp):
    """The sample to the left of each position, and how far it is to the next."""
    place = np.clip(np.searchsorted(xp, x, side="right") - 1, 0, len(xp) - 2)
    width = xp[place + 1] - xp[place]
    return place, width, np.clip((x - xp[place]) / width, 0.0, 1.0)


def slopes_at(x, xp, fp, place, width):
    """The slope at each position; outside of the samples it is zero."""
    slope = (fp[place + 1] - fp[place]) / width
    return np.where((x >= xp[0]) & (x <= xp[-1]), slope, 0.0)


@rules.reverse_of(np.interp, kind=interp_kind, differentiable=("x", "xp", "fp"))
def _interp(x, xp, fp, *, out, out_bar):
    place, width, weight = place_and_weight(x, xp)
    slope = slopes_at(x, xp, fp, place, width)
    places = np.stack((place, place + 1))
    x_bar = out_bar * conjugate(slope)
    fp_bar = np.stack((out_bar * (1.0 - weight), out_bar * weight))
    xp_bar = np.stack((x_bar * (weight - 1.0), -x_bar * weight))
    return x_bar, Scattered(places, xp_bar, True), Scattered(places, fp_bar, True)


@rules.forward_of(np.interp)
def _interp_forward(x, xp, fp, *, out, x_dot, xp_dot, fp_dot):
    place, width, weight = place_and_weight(x, xp)
    slope = slopes_at(x, xp, fp, place, width)
    out_dot = slope * x_dot
    if not rules.is_literal_zero(xp_dot):
        moved = xp_dot[place] * (1.0 - weight) + xp_dot[place + 1] * weight
        out_dot = out_dot - slope * moved
    if not rules.is_literal_zero(fp_dot):
        out_dot = out_dot + fp_dot[place] * (1.0 - weight) + fp_dot[place + 1] * weight
    return out_dot


FULL = ir.Known("full")


def convolve_kind(a: ir.Kind, v: ir.Kind, mode: ir.Kind = FULL) -> ir.Kind:
    _check_vector("np.convolve", a)
    _check_vector("np.convolve", v)
    if rules.static_value(mode) not in ("full", "same", "valid"):
        raise rules.CallRefused(
            "np.convolve has a rule for the modes full, same and valid", "name one"
        )
    return ir.Array(result_dtype(np.multiply, [a, v]), (ir.Axis("any"),))


def whole_cotangent(a, v, mode, out, out_bar):
    """The cotangent of the whole convolution, of which ``out`` is a part."""
    if mode == "full":
        return out_bar
    left = min(len(a), len(v)) - 1
    start = left if mode == "valid" else left // 2
    rest = len(a) + len(v) - 1 - start - len(out)
    return np.pad(out_bar, (start, rest))


@rules.reverse_of(
    np.convolve, kind=convolve_kind, differentiable=("a", "v"), bilinear=True
)
def _convolve(a, v, mode="full", *, out, out_bar):
    whole = whole_cotangent(a, v, mode, out, out_bar)
    a_bar = np.convolve(whole, conjugate(v)[::-1], "valid")
    return a_bar, np.convolve(whole, conjugate(a)[::-1], "valid")
