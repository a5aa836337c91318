"""Blocks under ``np.errstate`` that only keeps NumPy quiet, without it: what Numba
compiles warns of nothing.

::

    with errstate(divide='ignore'):
        y = log(x)                           ->      y = log(x)
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from s2sad.ir.nodes import Apply, Block, Const, Function, Statement, With
from s2sad.ir.walking import with_blocks

QUIET = ("ignore", "warn")


def without_quiet_states(function: Function) -> Function:
    """The program without blocks that change what NumPy warns of."""
    body = _without(function.body)
    return function if body is function.body else replace(function, body=body)


def _without(block: Block) -> Block:
    lines: list[Statement] = []
    for s in block:
        s = with_blocks(s, _without)
        if isinstance(s, With) and _keeps_quiet(s):
            lines += s.body
        else:
            lines.append(s)
    same = len(lines) == len(block) and all(a is b for a, b in zip(lines, block))
    return block if same else tuple(lines)


def _keeps_quiet(s: With) -> bool:
    value = s.value
    return (
        isinstance(value, Apply)
        and value.function is np.errstate
        and not value.args
        and all(isinstance(v, Const) and v.value in QUIET for _, v in value.keywords)
    )
