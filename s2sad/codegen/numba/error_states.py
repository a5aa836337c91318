"""Blocks under ``np.errstate`` that only keeps NumPy quiet, without it: what Numba
compiles warns of nothing.

::

    with errstate(divide='ignore'):
        y = log(x)                           ->      y = log(x)
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from s2sad import ir

QUIET = ("ignore", "warn")


def without_quiet_states(function: ir.Function) -> ir.Function:
    """The program without blocks that change what NumPy warns of."""
    body = _without(function.body)
    return function if body is function.body else replace(function, body=body)


def _without(block: ir.Block) -> ir.Block:
    lines: list[ir.Statement] = []
    for s in block:
        s = ir.with_blocks(s, _without)
        if isinstance(s, ir.With) and _keeps_quiet(s):
            lines += s.body
        else:
            lines.append(s)
    same = len(lines) == len(block) and all(a is b for a, b in zip(lines, block))
    return block if same else tuple(lines)


def _keeps_quiet(s: ir.With) -> bool:
    value = s.value
    return (
        isinstance(value, ir.Apply)
        and value.function is np.errstate
        and not value.args
        and all(isinstance(v, ir.Const) and v.value in QUIET for _, v in value.keywords)
    )
