"""Windows of ``scipy.signal``: vectors, by whose shapes nobody has a derivative."""

import inspect
from typing import Any

from scipy.signal import windows

from s2sad import ir, rules
from s2sad.ops.numerics.spectra import taper_of

WITHOUT_DERIVATIVE = ("M", "sym", "nbar", "norm")
"""Lengths and choices; where another parameter varies, the call is refused."""


def _window_kind(**arguments: ir.Kind) -> ir.Kind:
    return ir.Array("float64", (ir.Axis("any"),))


def _register(window: Any) -> None:
    signature = inspect.signature(window)
    own = [
        p for name, p in signature.parameters.items() if name not in ("xp", "device")
    ]
    names = (p.name for p in own)
    refused = tuple(name for name in names if name not in WITHOUT_DERIVATIVE)
    signature = inspect.Signature(own)
    rules.register(
        rules.Rule(window, signature, kind=_window_kind, lazy=True, refused=refused)
    )


for _name in windows.__all__:
    if _name not in ("get_window", "dpss"):  # which give vectors or more
        _register(getattr(windows, _name))

rules.register(
    rules.Rule(
        taper_of,
        inspect.signature(taper_of),
        kind=_window_kind,
        lazy=True,
        refused=("shape",),
    )
)
