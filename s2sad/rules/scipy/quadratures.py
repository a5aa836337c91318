"""Nodes and weights of the quadratures of ``scipy.special``: vectors, by whose number
nobody has a derivative."""

import inspect
from typing import Any

from scipy import special

from s2sad import ir, rules
from s2sad.rules.numpy.creation import nodes_kind
from s2sad.rules.numpy.kinds_of_arrays import NOT_GIVEN

WITHOUT_DERIVATIVE = ("n", "mu")
"""Where another parameter varies, the call is refused."""


def _nodes_kind(mu: ir.Kind = NOT_GIVEN, **parameters: ir.Kind) -> ir.Kind:
    """Nodes and weights; and with ``mu`` the sum of the weights."""
    pair = nodes_kind(ir.INT)
    if mu in (NOT_GIVEN, ir.Known(False)):
        return pair
    return ir.tuple_of_kinds((*pair.items, ir.FLOAT)) if _is_true(mu) else ir.UNKNOWN


def _is_true(mu: ir.Kind) -> bool:
    return rules.is_static(mu) and rules.static_value(mu) is True


def _register(function: Any) -> None:
    signature = inspect.signature(function)
    refused = tuple(n for n in signature.parameters if n not in WITHOUT_DERIVATIVE)
    rules.register(
        rules.Rule(function, signature, kind=_nodes_kind, lazy=True, refused=refused)
    )


for _name in special.__all__:
    if _name.startswith("roots_"):
        _register(getattr(special, _name))
