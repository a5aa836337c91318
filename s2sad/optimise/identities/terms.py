"""Identities as they are written: two terms, and what must hold of the operands."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from s2sad import ir, ops
from s2sad.ops.runtime.indices import last_writes
from s2sad.ops.runtime.products import matmul_of_stack
from s2sad.ops.runtime.scalars import power, quotient
from s2sad.optimise.identities.matches import Match

Term: TypeAlias = ir.Apply | ir.Operand
"""An operation whose operands may be operations; variables stand for operands."""


def reduced(term: Any) -> Any:
    """Stands in a term for an operation that an identity must be able to rewrite."""
    raise NotImplementedError


_OPERATORS: Mapping[type[ast.AST], Callable[..., Any]] = {
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.MatMult: operator.matmul,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
}
_OF_NUMPY = "expand_dims squeeze sum swapaxes transpose where"
_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    f.__name__: f
    for f in (
        *(getattr(np, name) for name in _OF_NUMPY.split()),
        *(last_writes, matmul_of_stack, ops.index_add, ops.stored, quotient, reduced),
    )
}
_ALIKE: Mapping[Callable[..., Any], tuple[Callable[..., Any], ...]] = {
    operator.mul: (operator.mul, np.multiply),
    operator.matmul: (operator.matmul, np.matmul),
    operator.pow: (operator.pow, power),
}


def alike(function: Callable[..., Any]) -> tuple[Callable[..., Any], ...]:
    """The functions that one on the left of an identity stands for."""
    return _ALIKE.get(function, (function,))


@dataclass(frozen=True)
class Identity:
    """An operation ``left`` that may be written as ``right``.

    What stands within ``left`` is computed by lines of the same block that nothing else
    reads; unless ``right`` computes nothing, for then nothing is computed twice."""

    left: ir.Apply
    right: Term
    where: tuple[Callable[[Match], bool], ...] = ()
    given: Mapping[str, Callable[[Match], ir.Operand | None]] = field(
        default_factory=dict
    )
    """Operands on the right that follow from those on the left; None where there are
    none."""
    exact: bool = False
    """Gives the very same values: the function's own lines are written so, too."""

    @cached_property
    def asked(self) -> tuple[tuple[Callable[..., Any], ...], ...]:
        """The functions that must be applied somewhere, each with those like it."""
        return tuple(map(alike, _applied(self.left)))

    @cached_property
    def applied(self) -> frozenset[Callable[..., Any]]:
        """The functions that lines apply once it has been used."""
        return frozenset(_applied(self.right))


def _applied(term: Term) -> Iterator[Callable[..., Any]]:
    if isinstance(term, ir.Apply):
        yield term.function
        for part in (*term.args, *(value for _, value in term.keywords)):
            yield from _applied(part)


def met_in(
    identities: Iterable[Identity], applied: Set[Callable[..., Any]]
) -> list[Identity]:
    """The identities that may be used in a program that applies some functions, those
    included of which others make the operations.

    >>> one = identity("transpose(a @ b) -> transpose(b) @ transpose(a)")
    >>> other = identity("-transpose(a) -> transpose(-a)")
    >>> for functions in ({np.transpose}, {np.transpose, np.matmul}):
    ...     print(len(met_in([one, other], functions)))
    0
    1
    """
    known, met = {*applied}, None
    while met != (found := [o for o in identities if _may_be_met(o, known)]):
        met = found
        known.update(*(one.applied for one in met))
    return found


def _may_be_met(one: Identity, applied: Set[Callable[..., Any]]) -> bool:
    return not any(applied.isdisjoint(functions) for functions in one.asked)


def identity(
    text: str,
    *where: Callable[[Match], bool],
    exact: bool = False,
    **given: Callable[[Match], ir.Operand | None],
) -> Identity:
    """An identity by its text.

    >>> found = identity("transpose(a @ b) -> transpose(b) @ transpose(a)")
    >>> print(found.left, "is", found.right)
    transpose(matmul(a, b)) is matmul(transpose(b), transpose(a))
    """
    left, right = (
        _term(ast.parse(t.strip(), mode="eval").body) for t in text.split("->")
    )
    assert isinstance(left, ir.Apply)
    return Identity(left, right, where, given, exact)


def _term(node: ast.expr) -> Term:
    match node:
        case ast.Constant(value=value):
            return ir.Const(value)
        case ast.Name(id=name):
            return ir.Var(name)
        case ast.BinOp(left=first, op=op, right=second):
            return _apply(_OPERATORS[type(op)], first, second)
        case ast.UnaryOp(op=op, operand=operand):
            return _apply(_OPERATORS[type(op)], operand)
        case ast.Subscript(value=array, slice=index):
            return _apply(operator.getitem, array, index)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords):
            words = tuple((str(k.arg), _term(k.value)) for k in keywords)
            return ir.Apply(_FUNCTIONS[name], tuple(map(_term, args)), words)  # type: ignore[arg-type]
    raise ValueError(f"no term: {ast.unparse(node)}")


def _apply(function: Callable[..., Any], *args: ast.expr) -> ir.Apply:
    return ir.Apply(function, tuple(map(_term, args)))  # type: ignore[arg-type]
