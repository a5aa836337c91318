"""Rules of the checks of what users' rules give: they hand it on."""

from __future__ import annotations

from s2sad.codegen.helper_functions.fitting import fitting_cotangent
from s2sad.ir.kinds import FLOAT, Array, Kind, NumPyScalar, Scalar, axes_of
from s2sad.rules.registry import reverse_of


def _fitting_kind(cotangent: Kind, argument: Kind, what: Kind) -> Kind:
    """The check settles the shape."""
    if isinstance(argument, Scalar | NumPyScalar):
        return cotangent if isinstance(cotangent, Scalar | NumPyScalar) else FLOAT
    known = isinstance(argument, Array) and axes_of(argument) is not None
    return argument if known else cotangent


@reverse_of(fitting_cotangent, kind=_fitting_kind, linear=True, view=True)
def _fitting_cotangent(cotangent, argument, what, *, out, out_bar):
    return out_bar
