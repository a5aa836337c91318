"""Variables that are None on one path, as values beside a flag.

::

    last = None                              last, last.given = nan, False
    for i in range(n):                       for i in range(n):
        c = is_not(last, None)       ->          c = last.given
        last = x                                 last, last.given = x, True

A variable has one type in Numba. What stands in the place of None is nan, so that what
Python refuses to compute with None isn't a number here. There is a flag where the
program asks for it.
"""

import math
import operator
from collections.abc import Container
from dataclasses import replace

import numpy as np

from s2sad import ir, ops
from s2sad.codegen.numba.programs import Facts, is_array

_BOOL = ir.Scalar("bool")
_NONE = ir.Const(None)


def with_values_for_none(
    function: ir.Function, procedure: ir.Procedure | None = None
) -> ir.Function:
    """The program, that of a ``procedure`` perhaps, without variables that are None on
    one path, where that can be. Those of which a program that it calls, or its caller,
    may ask whether they are None stay as they are."""
    facts = Facts(function)
    absent = _Absent(facts)
    absent.find()
    if not absent.kinds or _is_shared(absent.kinds, function, procedure):
        return function
    return facts.program(ir.with_leaves(function.body, absent.statement), absent.kinds)


def _is_shared(
    names: Container[str], function: ir.Function, procedure: ir.Procedure | None
) -> bool:
    """True where another program is given one of these variables."""
    for s in ir.walk(function.body):
        handed = [
            v
            for value in ir.operations(s)
            if isinstance(value.function, ir.Procedure)
            for v in ir.value_variables(value)
        ]
        if isinstance(s, ir.Return) and procedure is not None:
            handed += ir.direct_reads(s)
        if any(v.name in names for v in handed):
            return True
    return False


class _Absent:
    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.kinds: dict[str, ir.Kind] = {}
        """The variables that may be None, and what they are otherwise."""
        self.flags: dict[str, ir.Var] = {}
        """The flags of those that the program asks about."""
        self.flag_stacks: dict[str, ir.Var] = {}
        """The stacks of flags beside stacks of such variables."""

    def find(self) -> None:
        lines = list(ir.walk(self.facts.function.body))
        names = {
            s.target.name
            for s in lines
            if isinstance(s, ir.Assign)
            and isinstance(s.target, ir.Var)
            and s.value == _NONE
            and self.facts.writes[s.target.name] > 1
        }
        while True:
            stacks = {
                s.stack.name
                for s in lines
                if isinstance(s, ir.Save) and _name(s.value) in names
            }
            more = {
                s.target.name
                for s in lines
                if isinstance(s, ir.Assign)
                and isinstance(s.target, ir.Var)
                and _name(s.value) in names
            } | {
                s.target.name
                for s in lines
                if isinstance(s, ir.Restore) and s.stack.name in stacks
            }
            if more <= names:
                break
            names |= more
        kinds = {name: self.kind(name, lines, names) for name in names}
        if None in kinds.values() or not names:
            return
        self.kinds = {n: k for n, k in kinds.items() if k is not None}
        self.facts.kinds.update(self.kinds)
        asked = [s for s in lines if self.asks(s)]
        if not asked:
            return
        needed, asked_of = set[str](), {n for s in asked for n in self.names_in(s)}
        while not asked_of <= needed:
            needed |= asked_of
            for s in lines:
                if isinstance(s, ir.Assign) and isinstance(s.target, ir.Var):
                    if s.target.name in needed and _name(s.value) in names:
                        asked_of.add(s.value.name)  # type: ignore[union-attr]
                if isinstance(s, ir.Restore) and s.target.name in needed:
                    self.flag_stacks[s.stack.name] = ir.Var(f"{s.stack.name}.given")
            for s in lines:
                if isinstance(s, ir.Save) and s.stack.name in self.flag_stacks:
                    asked_of |= {_name(s.value)} & names  # type: ignore[arg-type]
        for name in sorted(needed):
            self.flags[name] = self.facts.fresh(f"{name}.given", _BOOL)

    def kind(
        self, name: str, lines: list[ir.Statement], names: set[str]
    ) -> ir.Kind | None:
        """What a variable is where it isn't None: a float, or an array of floats."""
        kinds: list[ir.Kind] = []
        for s in lines:
            if (
                isinstance(s, ir.Assign)
                and s.target == ir.Var(name)
                and s.value != _NONE
            ):
                if _name(s.value) not in names:
                    kind = self.facts.kind(s.value) if not _computed(s) else s.kind
                    kinds.append(kind or s.kind)  # type: ignore[arg-type]
        if not kinds:  # another name of one, or restored
            for s in lines:
                one = isinstance(s, ir.Assign) and s.target == ir.Var(name)
                other = _name(s.value) if isinstance(s, ir.Assign) else None
                if one and other is not None and other in names - {name}:
                    return self.kind(other, lines, names - {name})
                if isinstance(s, ir.Restore) and s.target.name == name:
                    saved = [
                        o.value
                        for o in lines
                        if isinstance(o, ir.Save) and o.stack == s.stack
                    ]
                    if saved and _name(saved[0]) not in (None, name):
                        return self.kind(saved[0].name, lines, names)  # type: ignore[union-attr]
            return None
        if any(k is None or ir.dtype_of(k) != "float64" for k in kinds):
            return None
        if all(isinstance(k, ir.Scalar | ir.NumPyScalar) for k in kinds):
            return ir.NumPyScalar("float64")
        ranks = {len(k.axes or ()) for k in kinds if isinstance(k, ir.Array)}
        if not all(map(is_array, kinds)) or len(ranks) != 1:
            return None
        return ir.Array("float64", tuple(ir.Axis("any") for _ in range(ranks.pop())))

    def asks(self, s: ir.Statement) -> bool:
        """True for a test whether such a variable is None."""
        return (
            ir.applies(s, operator.is_, operator.is_not)
            and _NONE in s.value.args
            and any(_name(a) in self.kinds for a in s.value.args)
        )

    def names_in(self, s: ir.Statement) -> set[str]:
        assert ir.applies(s)
        return {a.name for a in s.value.args if isinstance(a, ir.Var)}

    def statement(self, s: ir.Statement) -> ir.Block:
        if isinstance(s, ir.Save) and s.stack.name in self.flag_stacks:
            flag: ir.Operand = ir.Const(True)
            if _name(s.value) in self.flags:
                flag = self.flags[s.value.name]  # type: ignore[union-attr]
            return (s, replace(s, stack=self.flag_stacks[s.stack.name], value=flag))
        if isinstance(s, ir.Restore) and s.target.name in self.flags:
            stack = self.flag_stacks.get(s.stack.name)
            if stack is None:
                return (s,)
            return (s, replace(s, stack=stack, target=self.flags[s.target.name]))
        if not isinstance(s, ir.Assign) or not isinstance(s.target, ir.Var):
            return (s,)
        if isinstance(s.value, ir.Apply) and s.value.function is ops.new_stack:
            flags = self.flag_stacks.get(s.target.name)
            return (s,) if flags is None else (s, replace(s, target=flags))
        if self.asks(s):
            assert isinstance(s.value, ir.Apply)
            (name,) = (_name(a) for a in s.value.args if _name(a) in self.kinds)
            assert name is not None
            if s.value.function is operator.is_not:
                return (replace(s, value=self.flags[name]),)
            return (replace(s, value=ir.Apply(operator.not_, (self.flags[name],))),)
        kind = self.kinds.get(s.target.name)
        if kind is None:
            return (s,)
        lines: list[ir.Statement] = [replace(s, kind=kind)]
        if s.value == _NONE:
            lines = [replace(s, value=self.absent(kind), kind=kind)]
        given = self.flags.get(s.target.name)
        if given is not None:
            flag = ir.Const(s.value != _NONE)
            if _name(s.value) in self.flags:
                flag = self.flags[s.value.name]  # type: ignore[union-attr]
            lines.append(ir.Assign(s.span, given, flag, _BOOL, derived=s.derived))
        return tuple(lines)

    def absent(self, kind: ir.Kind) -> ir.Apply | ir.Operand:
        """What stands in the place of None."""
        if not isinstance(kind, ir.Array):
            return ir.Const(math.nan)
        ones = [ir.Const(1) for _ in kind.axes or ()]
        shape = ones[0] if len(ones) == 1 else ir.pack_tuple(*ones)
        return ir.Apply(np.full, (shape, ir.Const(math.nan)))


def _name(value: object) -> str | None:
    return value.name if isinstance(value, ir.Var) else None


def _computed(s: ir.Assign) -> bool:
    return isinstance(s.value, ir.Apply)
