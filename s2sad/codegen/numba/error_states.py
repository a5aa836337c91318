"""Blocks under ``np.errstate`` that only keeps NumPy quiet, without it: what Numba
compiles warns of nothing.

::

    with errstate(divide='ignore'):
        y = log(x)                           ->      y = log(x)
"""

import numpy as np

from s2sad import ir

QUIET = ("ignore", "warn")


def without_quiet_states(function: ir.Function) -> ir.Function:
    """The program without blocks that change what NumPy warns of."""

    def lines(s: ir.Statement) -> ir.Block:
        return s.body if isinstance(s, ir.With) and _keeps_quiet(s) else (s,)

    return ir.altered(function, body=ir.rewritten(function.body, lines))


def _keeps_quiet(s: ir.With) -> bool:
    value = s.value
    return (
        isinstance(value, ir.Apply)
        and value.function is np.errstate
        and not value.args
        and all(isinstance(v, ir.Const) and v.value in QUIET for _, v in value.keywords)
    )
