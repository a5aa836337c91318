"""Arrays that each turn of a loop fills anew, in the same memory.

To allocate an array costs as much as to compute a dozen of its elements::

                                             t = empty(n)
    for i in range(0, m, 1):                 for i in range(0, m, 1):
        t = empty(n)                 ->          ... t[j] = x[i, j] * y[j]
        ... t[j] = x[i, j] * y[j]                ... s = s + t[j]
        ... s = s + t[j]

So it is where no turn reads what another one has computed, and the lengths are known in
front of the loop. Turns that run at the same time have arrays of their own.
"""

import operator
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad import ir, ops
from s2sad.codegen.numba.lists.counters import Counters
from s2sad.codegen.numba.programs import WRITTEN_DTYPES, Facts, is_array, is_float_array
from s2sad.rules.steps.shape_queries import axis_length, shape_of

_PRODUCTS = (operator.matmul, np.matmul, np.dot)
ZEROS = (np.zeros, np.zeros_like)
SHAPES = (axis_length, shape_of)


def with_arrays_of_iterations(function: ir.Function) -> ir.Function:
    """The program with such arrays made in front of their loops."""
    if not any(ir.loops_in(function.body)):
        return function
    return _Arrays(Counters(Facts(function))).rewritten()


def refilled(value: ir.Apply, target: ir.Var, kind: ir.Array) -> ir.Apply | None:
    """The operation that fills an array with the number that new ones hold; None for
    new ones that hold none."""
    filled: ir.Operand
    if value.function in ZEROS:
        filled = ir.Const({"bool": False, "int64": 0}.get(kind.dtype or "", 0.0))
    elif value.function is np.full:
        filled = value.args[1]
    else:
        return None
    return ir.Apply(ops.index_set, (target, ir.Slice(None, None, None), filled))


class _Arrays:
    def __init__(self, counters: Counters) -> None:
        self.counters = counters
        self.facts = counters.facts
        self.function = self.facts.function
        self.readers = ir.uses_in(self.function.body).readers
        self.inside: dict[int, set[int]] = {}
        """The statements in each loop, by identity."""
        for s in ir.walk(self.function.body):
            if isinstance(s, ir.Loop):
                self.inside[id(s)] = {id(inner) for inner in ir.walk((s,))}
        self.lines: dict[int, ir.Block] = {}
        """What takes the place of lines, by identity."""
        self.before: dict[int, list[ir.Statement]] = {}
        """What is made in front of loops."""
        self.lengths: dict[Any, ir.Var] = {}

    def rewritten(self) -> ir.Function:
        for name, bindings in self.counters.bindings.items():
            if len(bindings) == 1 and name not in self.function.parameters:
                self.try_array(name, *bindings[0])
        if not self.before:
            return self.function
        added = self.facts.added
        return replace(
            self.function,
            body=self.block(self.function.body),
            kinds={**self.function.kinds, **added},
            temporaries=self.function.temporaries | frozenset(added),
        )

    def block(self, block: ir.Block) -> ir.Block:
        found: list[ir.Statement] = []
        for s in block:
            found += self.before.get(id(s), ())
            if id(s) in self.lines:
                found += self.lines[id(s)]
            else:
                found.append(ir.with_blocks(s, self.block))
        return tuple(found)

    def try_array(self, name: str, made: ir.Statement, path: ir.Path) -> None:
        """Make an array in front of the loops around its line, if that may be."""
        kind = self.facts.kinds.get(name)
        if not ir.applies(made):
            return
        if not isinstance(made.target, ir.Var) or not isinstance(kind, ir.Array):
            return
        if not is_array(kind) or not self.may_be_refilled(made.value):
            return
        loops = self.loops(path)
        if not loops or not self.stays_inside(name, loops[-1][0]):
            return
        for loop, around in loops:
            lengths = [length_before(a, self.counters, loop, around) for a in kind.axes]  # type: ignore[union-attr]
            if None not in lengths and self.stays_inside(name, loop):
                self.move(made, made.value, kind, lengths, loop)
                return

    def loops(self, path: ir.Path) -> list[tuple[ir.Statement, ir.Path]]:
        """The loops around a line in front of which an array may be made, the outermost
        first, each with where it stands."""
        found: list[tuple[ir.Statement, ir.Path]] = []
        for k, (s, _) in enumerate(path):
            if isinstance(s, ir.For) and s.parallel:
                found = []  # its turns may run at the same time
            elif isinstance(s, ir.Loop):
                found.append((s, path[:k]))
            elif not isinstance(s, ir.If):
                found = []
        return found

    def may_be_refilled(self, value: ir.Apply) -> bool:
        if value.function in (np.empty, np.full, *ZEROS):
            return True
        floats = all(is_float_array(self.facts.kind(a)) for a in value.args)
        return value.function in _PRODUCTS and floats and len(value.args) == 2

    def stays_inside(self, name: str, loop: ir.Statement) -> bool:
        """True where nothing outside of a turn reads an array, or what shares memory
        with it."""
        inside = self.inside[id(loop)]
        for shared in self.facts.sharing(name) | {name}:
            bindings = self.counters.bindings.get(shared, [])
            if shared in self.function.parameters or len(bindings) != 1:
                return False
            if not is_array(self.facts.kinds.get(shared)):
                return False
            if id(bindings[0][0]) not in inside:
                return False
            for s in self.readers.get(shared, ()):
                if id(s) not in inside or not self.keeps_nothing(s):
                    return False
        return True

    def keeps_nothing(self, s: ir.Statement) -> bool:
        """True for a line that gives numbers or an array, in no list or tuple."""
        if isinstance(s, ir.COMPOUND):
            return True
        if not isinstance(s, ir.Assign) or not isinstance(s.target, ir.Var):
            return False
        if isinstance(s.value, ir.Apply) and s.value.function is shape_of:
            return True
        kind = self.facts.kinds.get(s.target.name)
        return is_array(kind) or self.facts.is_number(s.target)

    def move(
        self,
        made: ir.Assign,
        value: ir.Apply,
        kind: ir.Array,
        lengths: list[Any],
        loop: ir.Statement,
    ) -> None:
        """Make the array in front of a loop; what its line does otherwise stays."""
        assert isinstance(made.target, ir.Var)
        before = self.before.setdefault(id(loop), [])
        named = [self.named(length, loop, before) for length in lengths]
        size: ir.Operand = named[0] if len(named) == 1 else ir.pack_tuple(*named)
        own = WRITTEN_DTYPES.get(kind.dtype or "")
        more = () if own is None else (ir.Const(own),)
        target = made.target
        before.append(ir.Assign(None, target, ir.Apply(np.empty, (size, *more)), kind))
        emptied = refilled(value, target, kind)
        if emptied is not None:
            self.lines[id(made)] = (replace(made, value=emptied),)
        elif value.function in _PRODUCTS:
            product = ir.Apply(np.dot, (*value.args, target))
            self.lines[id(made)] = (replace(made, value=product),)
        else:
            self.lines[id(made)] = ()
        shape = value.args[0]
        if isinstance(shape, ir.Var) and self.facts.reads[shape.name] == 1:
            for s, _ in self.counters.bindings.get(shape.name, ()):
                own_line = s.value if isinstance(s, ir.Assign) else None
                if isinstance(own_line, ir.Apply) and own_line.function in SHAPES:
                    self.lines[id(s)] = ()

    def named(
        self, length: Any, loop: ir.Statement, lines: list[ir.Statement]
    ) -> ir.Operand:
        """A length as an operand, once in front of each loop."""
        if not isinstance(length, ir.Apply):
            return length
        key = (id(loop), length)
        if key not in self.lengths:
            self.lengths[key] = self.facts.fresh("length", ir.INT)
            lines.append(ir.Assign(None, self.lengths[key], length, ir.INT))
        return self.lengths[key]


def length_before(
    axis: ir.Axis, counters: Counters, at: ir.Statement, path: ir.Path
) -> Any:
    """A length that an axis surely has, as an operation that may be run at a statement
    (``path`` says where it stands); None where nothing there tells it."""
    if axis.length == "one":
        return ir.Const(1)
    if not ir.is_lasting(axis.symbol):
        return None
    for name, kind in counters.facts.kinds.items():
        if not counters.is_fixed(name, at, path):
            continue
        if isinstance(kind, ir.Scalar) and kind.length_of == axis.symbol:
            return ir.Var(name)
        if is_array(kind) and isinstance(kind, ir.Array):
            for k, own in enumerate(kind.axes or ()):
                if own.symbol == axis.symbol:
                    return ir.Apply(axis_length, (ir.Var(name), ir.Const(k)))
    return None
