"""Turned sums: sums of stacks of transposed products are kept in memory in the order of
their terms.

::

    s.dot = zeros((k, m, n))                z = zeros((k, n, m))
    for ...:                         ->     s.dot = swapaxes(z, 1, 2)
        p = swapaxes(r, 1, 2)               for ...:
        s.dot += p                              p = swapaxes(r, 1, 2)
                                                s.dot += p

So come the tangents of sums of ``x @ u.T``, where ``u`` has one for each direction: one
product of all rows of ``u`` with ``x.T`` gives them transposed (``stacked_products`` in
the table of identities). Their products with matrices are kept so, too: ``s.dot @ m``
is ``swapaxes(m.T @ z, 1, 2)``. A term is added where its product is taken, which leaves
out tangents that are zero.
"""

import operator
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeGuard

import numpy as np

from s2sad import ir, ops
from s2sad.analysis.passes.purity import is_pure
from s2sad.ops.runtime.products import add_turned_products, matmul_of_stack

_MATMUL = (operator.matmul, np.matmul)
_LAST_AXES = ir.Const(1), ir.Const(2)
_WRITES = (*ops.WRITES, *ops.CONTAINER_CHANGES, *ops.PLAIN)


def is_turned(value: object) -> bool:
    """True for a stack with each matrix transposed."""
    if not isinstance(value, ir.Apply) or value.function is not np.swapaxes:
        return False
    return not value.keywords and value.args[1:] in (_LAST_AXES, _LAST_AXES[::-1])


def turn_sums(function: ir.Function) -> ir.Function:
    """The function with sums of transposed stacks as transposed stacks.

    >>> stack = ir.Array("float64", (ir.Axis("any"), ir.Axis("any"), ir.Axis("any")))
    >>> kinds = dict.fromkeys("rps", stack) | {"n": ir.Array("int64", ())}
    >>> shape = ir.pack_tuple(ir.Var("n"), ir.Var("n"), ir.Const(3))
    >>> turned = ir.Apply(np.swapaxes, (ir.Var("r"), ir.Const(1), ir.Const(2)))
    >>> total = ir.Apply(operator.iadd, (ir.Var("s"), ir.Var("p")))
    >>> body = (
    ...     ir.Assign(None, ir.Var("s"), ir.Apply(np.zeros, (shape,)), stack, True),
    ...     ir.Assign(None, ir.Var("p"), turned, stack, True),
    ...     ir.Assign(None, ir.Var("s"), total, stack, True),
    ...     ir.Return(None, ir.Var("s")),
    ... )
    >>> print(ir.function_text(turn_sums(ir.Function("f", ("r", "n"), body, kinds))))
    def f(r: float64[?, ?, ?], n: int64[]):
        s.turned = zeros(tuple(n, 3, n))  # float64[?, ?, ?]
        s = swapaxes(s.turned, 1, 2)  # float64[?, ?, ?]
        p = swapaxes(r, 1, 2)  # float64[?, ?, ?]
        s = iadd(s, p)  # float64[?, ?, ?]
        return s
    """
    return _Turning(function).run()


class _Turning(ir.Rewriting):
    def __init__(self, function: ir.Function) -> None:
        super().__init__(function)
        self.changed: dict[int, ir.Block] = {}

    def run(self) -> ir.Function:
        turned = [name for name in self.uses.definitions if self._turn(name)]
        if not turned:
            return self.function
        for s in ir.walk(self.function.body):
            if ir.is_line(s, *_MATMUL) and s.derived and _multiplies(s, turned):
                self._turn_product(s)
        inner = (b for s in ir.walk(self.function.body) for b in ir.blocks_of(s))
        for block in (self.function.body, *inner):
            self._join_additions(block, turned)
        return self.finished(
            ir.with_leaves(self.function.body, lambda s: self.changed.get(id(s), (s,)))
        )

    def _turn(self, name: str) -> bool:
        """Keep a sum transposed, if it is one of transposed stacks."""
        first, *others = self.uses.definitions[name]
        if name in self.function.parameters or not others or not _is_zeros(first):
            return False
        if not all(self._adds_turned(s, name) for s in others):
            return False
        (shape,) = first.value.args
        assert isinstance(shape, ir.Pack)
        kind = _turned_kind(self.kinds.get(name))
        if kind is None:
            return False
        count, rows, columns = shape.items
        wide = replace(shape, items=(count, columns, rows))
        zeros = replace(first.value, args=(wide,))
        own = self.named(f"{name}.turned", kind)
        self.changed[id(first)] = (
            replace(first, target=own, value=zeros, kind=kind),
            replace(first, value=ir.Apply(np.swapaxes, (own, *_LAST_AXES))),
        )
        return True

    def _join_additions(self, block: ir.Block, turned: Sequence[str]) -> None:
        """Add products where they are taken: zeros among the tangents cost nothing."""
        for place, s in enumerate(block):
            if not ir.is_line(s, operator.iadd) or s.target.name not in turned:
                continue
            total, term = s.value.args
            if isinstance(term, ir.Var):
                product = self._product_before(block[:place], term)
                if product is not None:
                    value = ir.Apply(add_turned_products, (total, *product.args))
                    self.changed[id(s)] = (replace(s, value=value),)

    def _product_before(self, lines: ir.Block, turned: ir.Var) -> ir.Apply | None:
        """The product that is read as ``turned`` alone, and nothing else; None where
        something is written between."""
        wanted, changed = turned, set[str]()
        for s in reversed(lines):
            if not ir.is_line(s):
                return None
            if s.target == wanted:
                if not self._is_used_once(wanted.name):
                    return None
                if s.target == turned and is_turned(s.value):
                    (wanted, *_) = s.value.args  # type: ignore[assignment]
                    continue
                read = ir.names_read(s)
                whole = s.value.function is matmul_of_stack and not read & changed
                return s.value if whole else None
            if s.value.function in _WRITES or not is_pure(s.value.function):
                return None
            changed.add(s.target.name)
        return None

    def _is_used_once(self, name: str) -> bool:
        return self.uses.reads[name] == self.uses.writes[name] == 1

    def _turn_product(self, s: ir.Line) -> None:
        """The product of a sum and a matrix, transposed as the sum is."""
        total, matrix = s.value.args
        kind, result = ir.array_kind(matrix, self.kinds), _turned_kind(s.kind)
        own = _turned_kind(self.kinds.get(str(total)))
        if kind is None or kind.axes is None or len(kind.axes) != 2:
            return
        if own is None or result is None:
            return
        flipped = self.named(
            f"{matrix}.turned", replace(kind, axes=(kind.axes[1], kind.axes[0]))
        )
        back = self.named(f"{total}.back", own)
        product = self.named(f"{s.target}.turned", result)

        def line(target: ir.Var, value: ir.Apply) -> ir.Assign:
            return replace(s, target=target, value=value, kind=self.kinds[target.name])

        turned = ir.Apply(np.swapaxes, (product, *_LAST_AXES))
        self.changed[id(s)] = (
            line(flipped, ops.transposed(matrix)),
            line(back, ir.Apply(np.swapaxes, (total, *_LAST_AXES))),
            line(product, ir.Apply(operator.matmul, (flipped, back))),
            replace(s, value=turned),
        )

    def _adds_turned(self, s: ir.Statement, name: str) -> bool:
        """True for a line that adds a transposed stack to a variable in place."""
        if not ir.is_line(s, operator.iadd):
            return False
        first, term = s.value.args
        made = self.uses.definitions.get(str(term), [])
        turned = len(made) == 1 and ir.is_line(made[0]) and is_turned(made[0].value)
        return first == ir.Var(name) and turned


def _multiplies(s: ir.Line, turned: Sequence[str]) -> bool:
    """True for the product of one of these variables and another one."""
    first, second = s.value.args
    return str(first) in turned and isinstance(second, ir.Var)


def _is_zeros(s: object) -> TypeGuard[ir.Line]:
    """True for a derived line that makes a stack of zeros."""
    if not ir.is_line(s, np.zeros) or not s.derived or len(s.value.args) != 1:
        return False
    (shape,) = s.value.args
    return isinstance(shape, ir.Pack) and len(shape.items) == 3


def _turned_kind(kind: ir.Kind | None) -> ir.Array | None:
    axes = ir.axes_of(kind) if isinstance(kind, ir.Array) else None
    if axes is None or len(axes) != 3:
        return None
    assert isinstance(kind, ir.Array)
    return replace(kind, axes=(axes[0], axes[2], axes[1]))
