"""Stacked products: a matrix that multiplies each matrix of a stack does so in one
product.

::

    t = swapaxes(u, 1, 2)                   q = transpose(x)
    p = matmul(x, t)                 ->     r = matmul_of_stack(u, q)
                                            p = swapaxes(r, 1, 2)

So come the tangents of ``x @ u.T``, where ``u`` has one for each direction. The rows of
``u`` are as many as all directions have together, and the last axis of the product is
the long one.

Sums of such products are kept in the same order in memory (:func:`turn_sums`)::

    s.dot = zeros((k, m, n))                z = zeros((k, n, m))
    for ...:                         ->     s.dot = swapaxes(z, 1, 2)
        p = swapaxes(r, 1, 2)               for ...:
        s.dot += p                              p = swapaxes(r, 1, 2)
                                                s.dot += p

and so are their products with matrices: ``s.dot @ m`` is ``swapaxes(m.T @ z, 1, 2)``.
A term is added where its product is taken, which leaves out tangents that are zero.
"""

from __future__ import annotations

import itertools
import operator
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from s2sad import ir, ops
from s2sad.analysis.passes.purity import is_pure
from s2sad.ops.runtime.products import add_turned_products, matmul_of_stack

_MATMUL = (operator.matmul, np.matmul)
_LAST_AXES = ir.Const(1), ir.Const(2)
_WRITES = (*ops.WRITES, *ops.CONTAINER_CHANGES, *ops.PLAIN)


def is_turned(value: object) -> bool:
    """True for a stack with each matrix transposed."""
    return (
        isinstance(value, ir.Apply)
        and value.function is np.swapaxes
        and not value.keywords
        and value.args[1:] in (_LAST_AXES, _LAST_AXES[::-1])
    )


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


class _Turning:
    def __init__(self, function: ir.Function) -> None:
        self.function = function
        self.kinds = dict(function.kinds)
        self.lines: dict[str, list[ir.Statement]] = {}
        """What assigns a variable."""
        for s in ir.walk(function.body):
            for v in ir.direct_writes(s):
                self.lines.setdefault(v.name, []).append(s)
        self.reads = Counter(
            v.name for s in ir.walk(function.body) for v in ir.direct_reads(s)
        )
        self.changed: dict[int, ir.Block] = {}

    def run(self) -> ir.Function:
        turned = [name for name in self.lines if self._turn(name)]
        if not turned:
            return self.function
        for s in ir.walk(self.function.body):
            if isinstance(s, ir.Assign) and s.derived and _multiplies(s, turned):
                self._turn_product(s)
        inner = (b for s in ir.walk(self.function.body) for b in ir.blocks_of(s))
        for block in (self.function.body, *inner):
            self._join_additions(block, turned)
        new = frozenset(self.kinds) - frozenset(self.function.kinds)
        return ir.altered(
            self.function,
            body=ir.with_leaves(
                self.function.body, lambda s: self.changed.get(id(s), (s,))
            ),
            kinds=self.kinds,
            temporaries=self.function.temporaries | new,
        )

    def _turn(self, name: str) -> bool:
        """Keep a sum transposed, if it is one of transposed stacks."""
        first, *others = self.lines[name]
        if name in self.function.parameters or not others or not _is_zeros(first):
            return False
        if not all(self._adds_turned(s, name) for s in others):
            return False
        assert isinstance(first, ir.Assign) and isinstance(first.value, ir.Apply)
        (shape,) = first.value.args
        assert isinstance(shape, ir.Pack)
        kind = _turned_kind(self.kinds.get(name))
        if kind is None:
            return False
        count, rows, columns = shape.items
        wide = replace(shape, items=(count, columns, rows))
        zeros = replace(first.value, args=(wide,))
        own = self._new(f"{name}.turned", kind)
        self.changed[id(first)] = (
            replace(first, target=own, value=zeros, kind=kind),
            replace(first, value=ir.Apply(np.swapaxes, (own, *_LAST_AXES))),
        )
        return True

    def _join_additions(self, block: ir.Block, turned: Sequence[str]) -> None:
        """Add products where they are taken: zeros among the tangents cost nothing."""
        for place, s in enumerate(block):
            if not isinstance(s, ir.Assign) or str(s.target) not in turned:
                continue
            match s.value:
                case ir.Apply(function=operator.iadd, args=(total, ir.Var() as term)):
                    product = self._product_before(block[:place], term)
                    if product is not None:
                        operands = (total, *product.args)
                        value = ir.Apply(add_turned_products, operands)
                        self.changed[id(s)] = (replace(s, value=value),)

    def _product_before(self, lines: ir.Block, turned: ir.Var) -> ir.Apply | None:
        """The product that is read as ``turned`` alone, and nothing else; None where
        something is written between."""
        wanted, changed = turned, set[str]()
        for s in reversed(lines):
            if not isinstance(s, ir.Assign) or not isinstance(s.target, ir.Var):
                return None
            if s.target == wanted:
                if self.reads[wanted.name] != 1 or len(self.lines[wanted.name]) != 1:
                    return None
                match s.value:
                    case ir.Apply(function=np.swapaxes, args=(ir.Var() as wanted, *_)):
                        if not is_turned(s.value) or s.target != turned:
                            return None
                        continue
                    case ir.Apply(function=function, args=args) as product:
                        read = {str(operand) for operand in args}
                        is_product = function is matmul_of_stack
                        return product if is_product and not read & changed else None
                return None
            if not isinstance(s.value, ir.Apply) or s.value.function in _WRITES:
                return None
            if not is_pure(s.value.function):
                return None
            changed.add(s.target.name)
        return None

    def _turn_product(self, s: ir.Assign) -> None:
        """The product of a sum and a matrix, transposed as the sum is."""
        assert isinstance(s.value, ir.Apply)
        total, matrix = s.value.args
        kind, result = self.kinds.get(str(matrix)), _turned_kind(s.kind)
        own = _turned_kind(self.kinds.get(str(total)))
        if not isinstance(kind, ir.Array) or kind.promoted or ir.rank_of(kind) != 2:
            return
        if own is None or result is None or kind.axes is None:
            return
        flipped = self._new(
            f"{matrix}.turned", replace(kind, axes=(kind.axes[1], kind.axes[0]))
        )
        back = self._new(f"{total}.back", own)
        product = self._new(f"{s.target}.turned", result)
        self.changed[id(s)] = (
            replace(
                s,
                target=flipped,
                value=ir.Apply(np.transpose, (matrix,)),
                kind=self.kinds[flipped.name],
            ),
            replace(
                s,
                target=back,
                value=ir.Apply(np.swapaxes, (total, *_LAST_AXES)),
                kind=own,
            ),
            replace(
                s,
                target=product,
                value=ir.Apply(operator.matmul, (flipped, back)),
                kind=result,
            ),
            replace(s, value=ir.Apply(np.swapaxes, (product, *_LAST_AXES))),
        )

    def _new(self, name: str, kind: ir.Kind) -> ir.Var:
        """A new variable."""
        tries = itertools.chain([name], (f"{name}.{k}" for k in itertools.count(2)))
        free = next(n for n in tries if n not in self.kinds)
        self.kinds[free] = kind
        return ir.Var(free)

    def _adds_turned(self, s: ir.Statement, name: str) -> bool:
        """True for a line that adds a transposed stack to a variable in place."""
        match s:
            case ir.Assign(
                target=ir.Var(),
                value=ir.Apply(
                    function=operator.iadd, args=(ir.Var(name=first), ir.Var(name=term))
                ),
            ):
                (made, *others) = self.lines.get(term, [None])
                turned = isinstance(made, ir.Assign) and is_turned(made.value)
                return first == name and turned and not others
        return False


def _multiplies(s: ir.Assign, turned: Sequence[str]) -> bool:
    """True for the product of one of these variables and another one."""
    match s.value:
        case ir.Apply(function=function, args=(ir.Var(name=first), ir.Var())):
            return (
                function in _MATMUL and first in turned and isinstance(s.target, ir.Var)
            )
    return False


def _is_zeros(s: object) -> bool:
    """True for a derived line that makes a stack of zeros."""
    match s:
        case ir.Assign(
            derived=True,
            target=ir.Var(),
            value=ir.Apply(function=np.zeros, args=(ir.Pack(items=items),)),
        ):
            return len(items) == 3
    return False


def _turned_kind(kind: ir.Kind | None) -> ir.Array | None:
    axes = ir.axes_of(kind) if isinstance(kind, ir.Array) else None
    if axes is None or len(axes) != 3:
        return None
    assert isinstance(kind, ir.Array)
    return replace(kind, axes=(axes[0], axes[2], axes[1]))
