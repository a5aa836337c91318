"""Told presence: whether a name holds an array or None, as a flag beside the name.

Takes a function in which an array that may be None shares memory with another name, and
one of them is written into; gives one in which the name always holds an array, as those
that the others share it with, and a flag says whether that is meant::

    p = None                           p, p.missing = np.zeros(0), True
    for r in rows:                     for r in rows:
        if p is None:                      if p.missing:
            p = r.copy()       ->              p, p.missing = r.copy(), False
        q = p                              q, q.missing = p, p.missing
        q += r                             q += r

Only lines where a test has said that it isn't None, or that raise for None, read the
array."""

import operator
from collections.abc import Iterable, Mapping
from dataclasses import replace

from s2sad import ir, ops
from s2sad.analysis.memory.points_to import PointsTo
from s2sad.ops.runtime.results import require_array
from s2sad.transform.memory.references.array_homes import placeholder
from s2sad.transform.memory.references.array_paths import group_of

_IS_NONE: Mapping[object, bool] = {operator.is_: True, operator.is_not: False}


class _NotFollowed(Exception):
    """What a line does with None isn't known."""


def with_presence_told(
    function: ir.Function,
    optional: Iterable[str],
    names: Iterable[str],
    memory: PointsTo,
) -> ir.Function | None:
    """The function with flags for those names that may share memory with some and are
    ``optional``, which have the kinds that lines give them; None where there are none,
    and where that isn't followed."""
    group = group_of(names, memory)
    told = frozenset(optional).intersection(group or ())
    if not told or not told.isdisjoint(function.parameters):
        return None
    if any(_touches(s, told) for s in ir.walk(function.body) if type(s) in ir.COMPOUND):
        return None
    try:
        body = ir.with_leaves(function.body, _Lines(function.kinds, told).line)
    except _NotFollowed:
        return None
    kinds = {n: k for n, k in function.kinds.items() if n not in told}
    return replace(function, body=body, kinds=kinds)


def missing(name: str) -> ir.Var:
    """The flag that says that a name means None."""
    return ir.Var(f"{name}.missing")


def _touches(s: ir.Statement, names: frozenset[str]) -> bool:
    touched = {v.name for v in (*ir.direct_reads(s), *ir.direct_writes(s))}
    return not names.isdisjoint(touched)


def _fails_for_none(s: ir.Assign) -> bool:
    """True for an operation on arrays: where a name that may be None hasn't been
    tested, the kind of what it gives isn't known."""
    kind = s.kind.item if isinstance(s.kind, ir.List) else s.kind
    if isinstance(kind, ir.Scalar):
        return kind.type != "bool"  # such as of `p is q`
    return isinstance(kind, ir.NumPyScalar | ir.Array)


class _Lines:
    def __init__(self, kinds: Mapping[str, ir.Kind], told: frozenset[str]) -> None:
        self.kinds, self.told = kinds, told

    def line(self, s: ir.Statement) -> ir.Block:
        """What a line becomes."""
        if ops.is_write(s):  # which raises for None
            return (s,)
        if not _touches(s, self.told):
            return (s,)
        if not isinstance(s, ir.Assign) or not isinstance(s.target, ir.Var):
            raise _NotFollowed
        lines = self._read(s)
        if s.target.name not in self.told:
            return lines
        return (*lines, self._told(s, s.target.name))  # nothing, where the line raises

    def _read(self, s: ir.Assign) -> ir.Block:
        """The line itself, where what it does fails for None or looks at the flag."""
        if s.value == ir.Const(None):
            assert isinstance(s.target, ir.Var)
            lines = placeholder(s.target.name, self.kinds[s.target.name])
            if not lines:
                raise _NotFollowed
            return lines
        if not isinstance(s.value, ir.Apply):
            return (replace(s, kind=ir.array_if_present(s.kind)),)
        function, args = s.value.function, s.value.args
        first = args[0] if args else None
        if isinstance(first, ir.Var) and first.name in self.told:
            flag = missing(first.name)
            if function in _IS_NONE and args[1:] == (ir.Const(None),):
                absent = ir.Apply(operator.not_, (flag,))
                return (replace(s, value=flag if _IS_NONE[function] else absent),)
            if function is require_array:
                fails = ir.Apply(require_array, (ir.Const(None),))
                test = ir.If(s.span, flag, (ir.Effect(s.span, fails),), ())
                return test, replace(s, value=first)
        if isinstance(function, ir.Procedure) or not _fails_for_none(s):
            raise _NotFollowed
        return (s,)

    def _told(self, s: ir.Assign, name: str) -> ir.Assign:
        """The line that says whether a name holds an array from here on."""
        value: ir.Apply | ir.Operand
        if s.value == ir.Const(None):
            value = ir.Const(True)
        elif isinstance(s.value, ir.Var) and s.value.name in self.told:
            value = missing(s.value.name)
        elif isinstance(s.kind, ir.Array):
            value = ir.Const(False)
        else:
            raise _NotFollowed
        return ir.Assign(s.span, missing(name), value, ir.BOOL)
