"""Augmented assignment to arrays, ``x += v``, as ``x = x + v``.

NumPy writes into the array: :mod:`s2sad.transform.array_writes` has given all names
that see it their new values. Its dtype and shape stay, which is checked here.
"""

from __future__ import annotations

import operator
from dataclasses import replace
from enum import Enum
from typing import Any

import numpy as np

from s2sad.frontend.specialise.exceptions import Unsupported
from s2sad.frontend.specialise.specialiser import Specialiser
from s2sad.ir.kinds import Array, Kind, NumPyScalar, Scalar, dtype_of
from s2sad.ir.nodes import Apply, Assign, Block, Const, Function, Statement, Var
from s2sad.ir.walking import with_leaves
from s2sad.optimise.in_place import covers
from s2sad.transform.buffers import stored

PLAIN: dict[Any, Any] = {
    operator.iadd: operator.add,
    operator.isub: operator.sub,
    operator.imul: operator.mul,
    operator.itruediv: operator.truediv,
}


def without_array_writes(function: Function, spec: Specialiser) -> Function:
    """The function with augmented assignments as new values; where that has another
    dtype or shape than NumPy's it becomes a problem."""
    kinds = dict(function.kinds)

    def change(s: Statement) -> Block:
        if not is_augmented(s):
            return (s,)
        assert isinstance(s, Assign) and isinstance(s.value, Apply)
        plain = replace(s.value, function=PLAIN[s.value.function])
        fit = _fit(s, s.value, function)
        if fit is _Fit.SURELY:
            return (replace(s, value=plain),)
        if fit is _Fit.WHEN_STORED:
            new = Var(f"{s.target}.sum")
            kinds[new.name] = s.kind  # type: ignore[assignment]
            store = Apply(stored, (s.value.args[0], Const(Ellipsis), new))
            kind = function.kinds.get(str(s.value.args[0]), s.kind)
            computed = Assign(s.span, new, plain, s.kind)
            return computed, replace(s, value=store, kind=kind)
        name = str(s.value.args[0]).split("~")[0]
        symbol = {"iadd": "+", "isub": "-", "imul": "*", "itruediv": "/"}
        sign = symbol[s.value.function.__name__]
        problem = Unsupported(
            None, fit, f"write {name} = {name} {sign} ... to make a new array"
        )
        spec.report_at(problem, s.span)
        return (replace(s, value=plain),)

    body = with_leaves(function.body, change)
    return replace(function, body=body, kinds=kinds)


def is_augmented(s: Statement) -> bool:
    """True for ``x += v`` and the like, of what may be an array."""
    return (
        isinstance(s, Assign)
        and isinstance(s.value, Apply)
        and s.value.function in PLAIN
    )


class _Fit(Enum):
    """Whether the sum has the dtype and shape of the array it is added into."""

    SURELY = 1
    WHEN_STORED = 2
    """NumPy sees to it, or raises, when the program runs."""


def _fit(s: Assign, value: Apply, function: Function) -> _Fit | str:
    """How a new value stands for the write, or why it can't."""
    first, second = value.args
    kind = function.kinds.get(first.name) if isinstance(first, Var) else None
    if isinstance(kind, Scalar | NumPyScalar) or not isinstance(first, Var):
        return _Fit.SURELY
    name = first.name.split("~")[0]
    if not isinstance(kind, Array) or not isinstance(s.kind, Array):
        return f"{name!r} may be an array, and this may write into it"
    added: Kind | None = (
        function.kinds.get(second.name) if isinstance(second, Var) else Scalar("float")
    )
    same = kind.dtype == s.kind.dtype or (
        kind.promoted and added is not None and s.kind.dtype == dtype_of(added)
    )
    if same and s.kind.dtype is not None and covers(kind, added):
        return _Fit.SURELY
    own, result = kind.dtype, s.kind.dtype
    if own is not None and result is not None and not kind.promoted:
        if np.can_cast(result, own, "same_kind"):
            return _Fit.WHEN_STORED
    return f"this writes into the array {name!r}, and its dtype or shape may not fit"
