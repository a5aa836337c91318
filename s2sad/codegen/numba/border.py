"""The border of a program: what Numba's functions neither take, read nor give.

::

    def f(p: dict):                          def f(p):
        w = getitem(p, 'w')                      w = getitem(p, 'w')
        w.bar = mul(w, SCALE)        ->          w.bar = f_compiled(w, SCALE)
        return dict(w=w.bar)                     return dict(w=w.bar)

                                             def f_compiled(w, SCALE):
                                                 w.bar = mul(w, SCALE)
                                                 return w.bar

Structures of known shape are parameters of the border and parts of them parameters of
the core. Numba would freeze data of the user's module when it compiles: it is read at
each call instead. Checks of arguments that belong to Python stay on its side.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from s2sad.codegen.numba.programs import Facts
from s2sad.ir.kinds import UNKNOWN, Kind, NumPyScalar, Scalar, Structure
from s2sad.ir.kinds import Array as ArrayKind
from s2sad.ir.nodes import (
    Apply,
    Assign,
    Block,
    Const,
    Effect,
    Function,
    Global,
    Operand,
    Pack,
    Return,
    Slice,
    Statement,
    Var,
    pack_tuple,
)
from s2sad.ir.walking import direct_reads, operand_variables, walk, with_blocks


class Core:
    """Stands for the compiled function in the border's program."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __call__(self, *args: Any) -> Any:
        raise NotImplementedError("the core is bound when the text is loaded")


@dataclass(frozen=True)
class Parted:
    """A program, parted."""

    core: Function
    border: Function | None
    """None where the core is called as the function would be."""
    called: Core | None
    unparted: tuple[str, ...] = ()
    """Parameters of which the core needs more than parts."""


def parted(
    function: Function,
    name: str,
    global_kinds: Mapping[Global, Kind],
    always: bool = False,
) -> Parted:
    """The core and the border of a program; ``name`` is that of the core where there is
    a border, as there is ``always`` if that is wanted."""
    return _Parting(function, name, global_kinds).parts(always)


class _Parting:
    def __init__(
        self, function: Function, name: str, global_kinds: Mapping[Global, Kind]
    ) -> None:
        self.function, self.name, self.global_kinds = function, name, global_kinds
        self.facts = Facts(function)
        self.outside = {p for p in function.parameters if not self.passes(p)}
        """What the border alone holds."""
        self.border: list[Statement] = []
        self.given: dict[str, Operand] = {}
        """What the core is given for each of its parameters."""
        self.data: dict[Global, Var] = {}
        self.kinds = dict(function.kinds)

    def passes(self, parameter: str) -> bool:
        """True for what the core can take as it is."""
        kind = self.facts.kinds.get(parameter)
        if isinstance(kind, Scalar | NumPyScalar | ArrayKind):
            return True
        reads = [s for s in walk(self.function.body) if _reads(s, parameter)]
        if isinstance(kind, Structure) or not reads:
            return False
        # the residuals of a pullback
        return all(isinstance(s, Assign) and isinstance(s.target, Pack) for s in reads)

    def parts(self, always: bool) -> Parted:
        body: list[Statement] = []
        for s in self.function.body:
            if self.is_of_border(s):
                self.border.append(s)
                if isinstance(s, Assign) and isinstance(s.target, Var):
                    self.note_part(s.target.name, s)
            else:
                body.append(self.with_data(s))
        read = {v.name for s in walk(tuple(body)) for v in direct_reads(s)}
        unparted = tuple(
            n for n in self.function.parameters if n in self.outside & read
        )
        last = body.pop()
        assert isinstance(last, Return)
        plain = _is_plain(last.value)
        leaves = list(dict.fromkeys(_leaves(last.value)))
        whole = plain and not always and not self.border and not self.data
        if whole and not any(p in self.outside for p in self.function.parameters):
            return Parted(self.function, None, None)
        returned: Operand = last.value
        if not plain:
            returned = leaves[0] if len(leaves) == 1 else pack_tuple(*leaves)
        for parameter in self.function.parameters:
            if parameter not in self.outside and parameter in read:
                self.given.setdefault(parameter, Var(parameter))
        order = sorted(self.given, key=self.place)
        core = replace(
            self.function,
            parameters=tuple(n for n in order if n in read),
            body=(*body, Return(last.span, returned)),
            kinds=self.kinds,
            docstring="",
        )
        called = Core(self.name)
        call = Apply(called, tuple(self.given[n] for n in core.parameters))
        lines: list[Statement] = [*self.border]
        if plain or not leaves:
            result = Var("result.1")
            lines += [Assign(None, result, call), Return(None, result)]
            if not plain:
                lines[-1] = Return(None, last.value)
        else:
            target: Any = leaves[0]
            if len(leaves) > 1:
                target = Pack(tuple, tuple(range(len(leaves))), tuple(leaves))
            lines += [Assign(None, target, call), Return(None, last.value)]
        border = replace(
            self.function,
            body=tuple(lines),
            kinds={**self.function.kinds, "result.1": UNKNOWN},
            temporaries=self.function.temporaries | {"result.1"},
        )
        return Parted(core, border, called, unparted)

    def place(self, name: str) -> int:
        """Parameters in the order of the function's, their parts behind them."""
        order = [*self.function.parameters, *self.given]
        return order.index(name)

    def is_of_border(self, s: Statement) -> bool:
        """True for a line that takes a structure apart, or checks arguments."""
        if isinstance(s, Effect):
            known = {*self.function.parameters, *self.given}
            checks = getattr(s.value.function, "__module__", "")
            names = [v.name for v in operand_variables(pack_tuple(*s.value.args))]
            return checks.endswith("ops.runtime.results") and set(names) <= known
        if not isinstance(s, Assign) or not isinstance(s.target, Var):
            return False
        value = s.value
        if not isinstance(value, Apply) or value.function not in _PARTS:
            return False
        owner, key = value.args
        of_outside = isinstance(owner, Var) and owner.name in self.outside
        once = self.facts.writes[s.target.name] == 1
        return of_outside and once and isinstance(key, Const)

    def note_part(self, name: str, s: Assign) -> None:
        kind = self.facts.kinds.get(name, s.kind)
        if isinstance(kind, Scalar | NumPyScalar | ArrayKind):
            self.given[name] = Var(name)
            self.kinds.setdefault(name, kind)
        else:
            self.outside.add(name)

    def with_data(self, s: Statement) -> Statement:
        """A statement that reads data of modules from parameters."""
        if not any(isinstance(o, Global) for o in _operands(s)):
            return s
        return _with_operands(s, self.parameter_for)

    def parameter_for(self, data: Global) -> Var:
        """The parameter that takes the place of data."""
        if data not in self.data:
            stem = data.name.replace("[", ".").replace("]", "").split(".")[-1]
            stem = stem.strip("'\"")
            wish = stem if stem.isidentifier() else "datum"
            name = wish
            while name in self.kinds or name in self.facts.writes:
                name += "_"
            self.data[data] = Var(name)
            self.kinds[name] = self.global_kinds.get(data, UNKNOWN)
            self.given[name] = data
        return self.data[data]


_PARTS = (operator.getitem, getattr)


def _reads(s: Statement, name: str) -> bool:
    return any(v.name == name for v in direct_reads(s))


def _is_plain(value: Operand) -> bool:
    """True for what Numba returns as it is: numbers, arrays, tuples of such."""
    if isinstance(value, Pack):
        return value.constructor is tuple and all(map(_is_plain, value.items))
    return not isinstance(value, Global)


def _leaves(value: Operand) -> Iterator[Var]:
    if isinstance(value, Var):
        yield value
    elif isinstance(value, Pack):
        for item in value.items:
            yield from _leaves(item)


def _operands(s: Statement) -> Iterator[Any]:
    """All operands of a statement and of those in it."""
    for inner in walk((s,)):
        names = ("value", "test", "start", "stop", "step")
        waiting = [getattr(inner, name, None) for name in names]
        while waiting:
            operand = waiting.pop()
            yield operand
            match operand:
                case Apply():
                    waiting += [*operand.args, *(v for _, v in operand.keywords)]
                case Pack(items=items):
                    waiting += items
                case Slice(lower=lower, upper=upper, step=step):
                    waiting += [lower, upper, step]


def _with_operands(s: Statement, parameter_for: Any) -> Statement:
    """A statement with each datum replaced, those in its blocks too."""

    def operand(value: Any) -> Any:
        match value:
            case Global():
                return parameter_for(value)
            case Apply():
                words = tuple((k, operand(v)) for k, v in value.keywords)
                return Apply(
                    value.function,
                    tuple(map(operand, value.args)),
                    words,
                    value.spelling,
                )
            case Pack():
                return Pack(
                    value.constructor, value.keys, tuple(map(operand, value.items))
                )
            case Slice():
                return Slice(
                    operand(value.lower), operand(value.upper), operand(value.step)
                )
        return value

    def block(statements: Block) -> Block:
        return tuple(_with_operands(inner, parameter_for) for inner in statements)

    s = with_blocks(s, block)
    names = ("value", "test", "start", "stop", "step")
    parts = {n: operand(getattr(s, n)) for n in names if hasattr(s, n)}
    return replace(s, **parts) if parts else s
