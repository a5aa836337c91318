"""Which variables may hold Python's numbers, once some cotangents are lists or some
elements are read as such, and what would differ then: see
:mod:`s2sad.optimise.buffers.list_cotangents` and
:mod:`s2sad.optimise.products.element_numbers`."""

import operator
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

import numpy as np

from s2sad import ir, ops
from s2sad.ops.runtime.scalars import power, quotient
from s2sad.rules.python.choice import choose, equals_zero

_ARITHMETIC = (
    *(operator.add, operator.sub, operator.mul, operator.truediv),
    *(operator.iadd, operator.isub, operator.imul, operator.neg, operator.pos),
    quotient,
)
_COMPARISONS = (
    *(operator.lt, operator.le, operator.gt, operator.ge),
    *(operator.eq, operator.ne, equals_zero),
)


_REDUCTIONS = (
    *(np.sum, np.mean, np.prod, np.max, np.amax, np.min, np.amin, np.var, np.std),
    *(np.dot, operator.matmul),
)
"""Functions of arrays that give numbers of NumPy's, if numbers."""


class PythonNumbers:
    """Which variables may be Python's numbers, once some cotangents are lists: for each
    the lists whose elements they come from. Or once some ``elements`` are read as such:
    the labels of these lines, which are given by their identities."""

    def __init__(
        self,
        function: ir.Function,
        names: set[str],
        root: Callable[[str], str],
        elements: Mapping[int, str] = {},
        returned: bool = True,
    ) -> None:
        self.function, self.kinds = function, function.kinds
        self.names, self.root, self.elements = names, root, elements
        self.returned = returned
        """Whether it makes no difference that the function returns Python's numbers."""
        self.statements = [s for s in ir.walk(function.body) if not ir.blocks_of(s)]
        self.sure: set[str] = set()
        self.sources: dict[str, frozenset[str]] = {}
        self.quotients: set[int] = set()

    def refused(self) -> set[str]:
        """The lists of which an element goes where it would make a difference."""
        statements = self.statements
        self.sure = self._sure()
        changed = True
        while changed:
            changed = False
            for s in statements:
                for name, found in self._follow(s):
                    known = self.sources.get(name, frozenset())
                    if not found <= known:
                        self.sources[name] = known | found
                        changed = True
        bad: set[str] = set()
        for s in statements:
            found = self._of(ir.direct_reads(s))
            if found and not self._is_harmless(s):
                bad |= found
        return bad

    def gaining(self) -> set[str]:
        """The lists and elements of which some operations are Python's alone: more than
        one, and each call of ``quotient`` takes the gain of two others."""
        gain: Counter[str] = Counter()
        for s in self.statements:
            if ir.is_line(s, *_ARITHMETIC) and not self._is_surely_numpy(s.value):
                found = self._of(ir.direct_reads(s))
                gain.update(dict.fromkeys(found, -2 if id(s) in self.quotients else 1))
        return {name for name, count in gain.items() if count > 1}

    def _of(self, variables: Iterable[ir.Var]) -> frozenset[str]:
        empty: frozenset[str] = frozenset()
        return empty.union(*(self.sources.get(v.name, empty) for v in variables))

    def _follow(self, s: ir.Statement) -> Iterator[tuple[str, frozenset[str]]]:
        match s:
            case ir.Save(stack=stack, value=value):
                yield stack.name, self._of(ir.operand_variables(value))
            case ir.Restore(target=target, stack=stack):
                yield target.name, self._of((stack,))
            case ir.Assign(target=ir.Var(name=name), value=ir.Var() as value):
                if name not in self.names:
                    yield name, self._of((value,))
            case ir.Assign(target=ir.Var(name=name), value=ir.Apply() as value):
                first = value.args[0] if value.args else None
                if id(s) in self.elements:
                    yield name, frozenset((self.elements[id(s)],))
                elif isinstance(first, ir.Var) and first.name in self.names:
                    if name not in self.names and value.function is not len:
                        yield name, frozenset((self.root(first.name),))
                elif value.function is choose and name not in self.names:
                    either = replace(value, args=value.args[1:])
                    yield name, self._of(ir.value_variables(either))
                elif value.function in _ARITHMETIC and name not in self.names:
                    if not self._is_surely_numpy(value):
                        yield name, self._of(ir.value_variables(value))

    def _is_surely_numpy(self, value: ir.Apply) -> bool:
        """True where an operand makes the result one of NumPy's."""
        return any(
            str(a) in self.sure or _is_array(ir.kind_of(a, self.kinds))
            for a in value.args
            if isinstance(a, ir.Var)
        )

    def _sure(self) -> set[str]:
        """The variables that surely hold a number of NumPy's: their kind alone doesn't
        tell, as of what is one on some paths only."""
        self.sure = {
            name
            for name, kind in self.kinds.items()
            if isinstance(kind, ir.NumPyScalar) and ir.dtype_of(kind) == "float64"
        }
        self.sure |= {s.stack.name for s in self.statements if isinstance(s, ir.Save)}
        while True:
            lost = {
                name
                for s in self.statements
                for name in self._unsure(s)
                if name in self.sure
            }
            if not lost:
                return self.sure
            self.sure -= lost

    def _unsure(self, s: ir.Statement) -> Iterator[str]:
        match s:
            case ir.Save(stack=stack, value=value):
                if not (isinstance(value, ir.Var) and value.name in self.sure):
                    yield stack.name
            case ir.Restore(target=target, stack=stack):
                if stack.name not in self.sure:
                    yield target.name
            case ir.Assign(target=ir.Var(name=name), value=ir.Var() as value):
                if value.name not in self.sure:
                    yield name
            case ir.Assign(value=ir.Apply(function=function)) if (
                function is ops.new_stack
            ):
                pass
            case ir.Assign(target=ir.Var(name=name), value=ir.Apply() as value):
                if id(s) in self.elements or not self._gives_numpy(value):
                    yield name
            case _:
                yield from (v.name for v in ir.direct_writes(s))

    def _gives_numpy(self, value: ir.Apply) -> bool:
        first = value.args[0] if value.args else None
        array = _is_array(ir.kind_of(first, self.kinds))
        if value.function in (operator.getitem, ops.overwritten_part):
            return array and str(first) not in self.names
        if value.function in _ARITHMETIC:
            return self._is_surely_numpy(value)
        if value.function in _REDUCTIONS:
            return array
        return isinstance(value.function, np.ufunc)

    def _is_harmless(self, s: ir.Statement) -> bool:
        """True where it makes no difference that an operand is one of Python's
        numbers."""
        match s:
            case ir.Save() | ir.Restore():
                return True
            case ir.Effect(value=ir.Apply(function=function, args=(_, key, *_))) if (
                function in (*ops.ADDS_TO_SLOTS, *ops.FILLS_ADJOINTS)
            ):  # slots hold Python's zeros at first
                return self.returned and not self._of(ir.operand_variables(key))
            case ir.Return(value=value):
                return self.returned and not isinstance(value, ir.Apply)
            case ir.Assign(value=ir.Apply(function=ir.Procedure() as called)):
                return takes_python_numbers(called)
            case ir.Assign(value=ir.Var()):
                return True
            case ir.Assign(target=ir.Var(name=name), value=ir.Apply() as value):
                function = value.function
                if function is operator.truediv:
                    if not self._is_surely_numpy(value) and not _is_nonzero(
                        value.args[1]
                    ):
                        self.quotients.add(id(s))
                    return True
                if function in (*_ARITHMETIC, *_COMPARISONS, power, choose):
                    return True
                if function in (ops.in_lists, ops.as_tuple):
                    return self.returned
                if function in (ops.index_add, ops.index_set, ops.stored):
                    index = value.args[1]
                    return not self._of(ir.operand_variables(index))
                module = getattr(function, "__module__", None)
                return module == "math" and name not in self.names
        return False


def takes_python_numbers(procedure: ir.Procedure) -> bool:
    """True where no parameter of a program is made for numbers of NumPy's."""
    if not ir.is_complete(procedure):
        return False
    kinds = procedure.function.kinds
    given = (kinds.get(name) for name in procedure.function.parameters)
    return not any(map(holds_numpy_number, given))


def holds_numpy_number(kind: ir.Kind | None) -> bool:
    """True for a number of NumPy's, and what has one in it."""
    if isinstance(kind, ir.Structure):
        return any(map(holds_numpy_number, kind.items))
    return isinstance(kind, ir.NumPyScalar)


def _is_array(kind: ir.Kind | None) -> bool:
    return isinstance(kind, ir.Array) and not kind.promoted and bool(kind.axes)


def _is_nonzero(operand: ir.Operand) -> bool:
    return isinstance(operand, ir.Const) and bool(operand.value)
