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

import operator
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from s2sad import ir
from s2sad.codegen.numba.calls.handed_data import name_of_data
from s2sad.codegen.numba.programs import Facts


class Core:
    """Stands for the compiled function in the border's program."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __call__(self, *args: Any) -> Any:
        raise NotImplementedError("the core is bound when the text is loaded")


@dataclass(frozen=True)
class Parted:
    """A program, parted."""

    core: ir.Function
    border: ir.Function | None
    """None where the core is called as the function would be."""
    called: Core | None
    unparted: tuple[str, ...] = ()
    """Parameters of which the core needs more than parts."""


def parted(
    function: ir.Function,
    name: str,
    global_kinds: Mapping[ir.Global, ir.Kind],
    always: bool = False,
) -> Parted:
    """The core and the border of a program; ``name`` is that of the core where there is
    a border, as there is ``always`` if that is wanted."""
    return _Parting(function, name, global_kinds).parts(always)


class _Parting:
    def __init__(
        self,
        function: ir.Function,
        name: str,
        global_kinds: Mapping[ir.Global, ir.Kind],
    ) -> None:
        self.function, self.name, self.global_kinds = function, name, global_kinds
        self.facts = Facts(function)
        self.outside = {p for p in function.parameters if not self.passes(p)}
        """What the border alone holds."""
        self.border: list[ir.Statement] = []
        self.given: dict[str, ir.Operand] = {}
        """What the core is given for each of its parameters."""
        self.data: dict[ir.Global, ir.Var] = {}
        self.kinds = dict(function.kinds)

    def passes(self, parameter: str) -> bool:
        """True for what the core can take as it is."""
        kind = self.facts.kinds.get(parameter)
        if isinstance(kind, ir.Scalar | ir.NumPyScalar | ir.Array):
            return True
        reads = [s for s in ir.walk(self.function.body) if _reads(s, parameter)]
        if isinstance(kind, ir.Structure) or not reads:
            return False
        # the residuals of a pullback
        return all(
            isinstance(s, ir.Assign) and isinstance(s.target, ir.Pack) for s in reads
        )

    def parts(self, always: bool) -> Parted:
        body: list[ir.Statement] = []
        for s in self.function.body:
            if self.is_of_border(s):
                self.border.append(s)
                if isinstance(s, ir.Assign) and isinstance(s.target, ir.Var):
                    self.note_part(s.target.name, s)
            else:
                body.append(self.with_data(s))
        read = ir.names_read_in(tuple(body))
        unparted = tuple(
            n for n in self.function.parameters if n in self.outside & read
        )
        last = body.pop()
        assert isinstance(last, ir.Return)
        plain = _is_plain(last.value)
        leaves = list(dict.fromkeys(_leaves(last.value)))
        whole = plain and not always and not self.border and not self.data
        if whole and not any(p in self.outside for p in self.function.parameters):
            return Parted(self.function, None, None)
        returned: ir.Operand = last.value
        if not plain:
            returned = leaves[0] if len(leaves) == 1 else ir.pack_tuple(*leaves)
        for parameter in self.function.parameters:
            if parameter not in self.outside and parameter in read:
                self.given.setdefault(parameter, ir.Var(parameter))
        order = sorted(self.given, key=self.place)
        core = replace(
            self.function,
            parameters=tuple(n for n in order if n in read),
            body=(*body, ir.Return(last.span, returned)),
            kinds=self.kinds,
            docstring="",
        )
        called = Core(self.name)
        call = ir.Apply(called, tuple(self.given[n] for n in core.parameters))
        lines: list[ir.Statement] = [*self.border]
        if plain or not leaves:
            result = ir.Var("result.1")
            lines += [ir.Assign(None, result, call), ir.Return(None, result)]
            if not plain:
                lines[-1] = ir.Return(None, last.value)
        else:
            target: Any = leaves[0]
            if len(leaves) > 1:
                target = ir.Pack(tuple, tuple(range(len(leaves))), tuple(leaves))
            lines += [ir.Assign(None, target, call), ir.Return(None, last.value)]
        border = replace(
            self.function,
            body=tuple(lines),
            kinds={**self.function.kinds, "result.1": ir.UNKNOWN},
            temporaries=self.function.temporaries | {"result.1"},
        )
        return Parted(core, border, called, unparted)

    def place(self, name: str) -> int:
        """Parameters in the order of the function's, their parts behind them."""
        order = [*self.function.parameters, *self.given]
        return order.index(name)

    def is_of_border(self, s: ir.Statement) -> bool:
        """True for a line that takes a structure apart, or checks arguments."""
        if isinstance(s, ir.Effect):
            known = {*self.function.parameters, *self.given}
            checks = getattr(s.value.function, "__module__", "")
            names = [v.name for v in ir.operand_variables(ir.pack_tuple(*s.value.args))]
            return checks.endswith("ops.runtime.results") and set(names) <= known
        if not isinstance(s, ir.Assign) or not isinstance(s.target, ir.Var):
            return False
        value = s.value
        if not isinstance(value, ir.Apply) or value.function not in _PARTS:
            return False
        owner, key = value.args
        of_outside = isinstance(owner, ir.Var) and owner.name in self.outside
        once = self.facts.writes[s.target.name] == 1
        return of_outside and once and isinstance(key, ir.Const)

    def note_part(self, name: str, s: ir.Assign) -> None:
        kind = self.facts.kinds.get(name, s.kind)
        if isinstance(kind, ir.Scalar | ir.NumPyScalar | ir.Array):
            self.given[name] = ir.Var(name)
            self.kinds.setdefault(name, kind)
        else:
            self.outside.add(name)

    def with_data(self, s: ir.Statement) -> ir.Statement:
        """A statement that reads data of modules from parameters."""
        operands = (o for inner in ir.walk((s,)) for o in ir.all_operands(inner))
        if not any(isinstance(o, ir.Global) for o in operands):
            return s
        (changed,) = ir.renamed((s,), self.parameter_for, leaf=ir.Global)
        return changed

    def parameter_for(self, data: Any) -> ir.Var:
        """The parameter that takes the place of data."""
        if data not in self.data:
            name = name_of_data(data)
            while name in self.kinds or name in self.facts.writes:
                name += "_"
            self.data[data] = ir.Var(name)
            self.kinds[name] = self.global_kinds.get(data, ir.UNKNOWN)
            self.given[name] = data
        return self.data[data]


_PARTS = (operator.getitem, getattr)


def _reads(s: ir.Statement, name: str) -> bool:
    return any(v.name == name for v in ir.direct_reads(s))


def _is_plain(value: ir.Operand) -> bool:
    """True for what Numba returns as it is: numbers, arrays, tuples of such."""
    if isinstance(value, ir.Pack):
        return value.constructor is tuple and all(map(_is_plain, value.items))
    return not isinstance(value, ir.Global)


def _leaves(value: ir.Operand) -> Iterator[ir.Var]:
    if isinstance(value, ir.Var):
        yield value
    elif isinstance(value, ir.Pack):
        for item in value.items:
            yield from _leaves(item)
