"""Identities as they are written, two terms and what must hold of the operands, and
the rewriting of a program's lines by them.

::

    p = matmul(t, g)               transpose(a @ b) -> transpose(b) @ transpose(a)
    b = transpose(p)
                                   product.1 = transpose(g)
                                   product.2 = transpose(t)
                                   b = matmul(product.1, product.2)

A line matches where its operation is the left side of an identity, with other lines in
it. Those are left out: their work is done where the line stands. Source: term rewriting
as in peephole optimisers, Davidson and Fraser, The design and application of a
retargetable peephole optimizer (1980), over the lines that compute operands instead of
those that stand before.
"""

import ast
import operator
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from s2sad import ir, ops, rules
from s2sad.analysis.dataflow.available import available_equations
from s2sad.ops.runtime.indices import last_writes
from s2sad.ops.runtime.products import matmul_of_stack
from s2sad.ops.runtime.scalars import power, quotient
from s2sad.optimise.identities.matches import Match, Program, StraightLines

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
    >>> transpose = _FUNCTIONS["transpose"]
    >>> for functions in ({transpose}, {transpose, np.matmul}):
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


def rewritten(
    function: ir.Function, identities: Iterable[Identity], stem: str = "product"
) -> ir.Function:
    """The function with lines rewritten wherever an identity holds. ``stem`` names new
    variables."""
    return Engine(function, identities, stem).run()


class Engine(Program):
    """Walks a function and rewrites its lines."""

    def __init__(
        self, function: ir.Function, identities: Iterable[Identity], stem: str
    ) -> None:
        super().__init__(function)
        self.stem = stem
        self.dropped: set[str] = set()
        """Variables whose lines are left out."""
        self.identities: dict[Any, list[Identity]] = {}
        """By the functions that they are about."""
        for one in met_in(identities, self.uses.functions):
            for known in alike(one.left.function):
                self.identities.setdefault(known, []).append(one)

    def run(self) -> ir.Function:
        """The function with its lines rewritten."""
        if not self.identities:
            return self.function
        return self.finished(self.block(self.function.body))

    def block(self, block: ir.Block) -> ir.Block:
        """A block with its lines rewritten."""
        straight = StraightLines()
        dropped: set[int] = set()
        for s in block:
            s = ir.with_blocks(s, self.block)
            if ir.is_line(s) and s.value.function in self.identities:
                within: list[str] = []
                term = self.reduction(s.value, s, straight, within)
                if term is not None:
                    dropped |= {straight.made[name][0] for name in within}
                    self.dropped |= {*within} - {s.target.name}
                    *lines, last = self.lines_of(term, s)
                    for line in lines:
                        straight.add(line, line)
                    straight.add(last, s)
                    continue
            straight.add(s, s)
        lines = [s for k, s in enumerate(straight.lines) if k not in dropped]
        return ir.as_block(lines, block)

    def lines_of(self, term: Term, s: ir.Line) -> list[ir.Statement]:
        """A term as lines, of which the last assigns what a line assigned."""
        lines: list[ir.Statement] = []

        def flat(term: Any) -> Any:
            if not isinstance(term, ir.Apply):
                return term
            args = tuple(
                self.line(lines, flat(a), self.kind_of_result(a), s.span, self.stem)
                if isinstance(a, ir.Apply)
                else a
                for a in term.args
            )
            return ir.altered(term, args=args)

        last = flat(term)
        return [*lines, ir.altered(s, value=last)]

    def kind_of_result(self, term: Term) -> ir.Kind | None:
        """The kind of a term, as rules tell."""
        if isinstance(term, ir.Const):
            if type(term.value) in (int, float):
                return ir.Scalar(type(term.value).__name__, term.value)
            return ir.Known(term.value)
        if not isinstance(term, ir.Apply):
            return ir.kind_of(term, self.kinds)
        rule = rules.rule_for(term.function)
        kinds = [self.kind_of_result(a) for a in term.args]
        words = {name: self.kind_of_result(a) for name, a in term.keywords}
        if rule is None or rule.kind is None or None in (*kinds, *words.values()):
            return None
        return rule.kind(**rule.arguments_of(kinds, words))

    # --------------------------------------------------------------- matching

    def reduction(
        self, value: ir.Apply, s: ir.Line, block: StraightLines, within: list[str]
    ) -> Term | None:
        """What an operation of a line may be written as, if there is an identity;
        ``within`` gets the variables whose lines it takes the place of."""
        for one in self.identities.get(value.function, ()):
            if not (s.derived or one.exact):
                continue
            match = Match(self, s, block)
            if self.holds(one, value, match):
                term = ir.map_value(one.right, match.operand)
                term = self.with_parts_reduced(term, match)
                if term is not None:
                    within += match.within
                    return term
        return None

    def holds(self, one: Identity, value: ir.Apply, match: Match) -> bool:
        """True where an operation may be written as an identity says; ``match`` gets
        the operands."""
        if not self.fits(one, one.left, value, match):
            return False
        if not all(condition(match) for condition in one.where):
            return False
        given = {name: operand(match) for name, operand in one.given.items()}
        match.operands |= {n: o for n, o in given.items() if o is not None}
        return None not in given.values()

    def fits(self, one: Identity, left: Term, found: Term, match: Match) -> bool:
        """True where an operand or operation has the form of a term."""
        if isinstance(left, ir.Var):
            there = self.dropped.isdisjoint(v.name for v in ir.operand_variables(found))
            return there and match.operands.setdefault(left.name, found) == found  # type: ignore[arg-type]
        if not isinstance(left, ir.Apply):
            return left == found
        value = (
            found if isinstance(found, ir.Apply) else self.definition(one, found, match)
        )
        if value is None or value.function not in alike(left.function):
            return False
        wanted, words = dict(left.keywords), dict(value.keywords)
        if len(left.args) != len(value.args) or wanted.keys() != words.keys():
            return False
        pairs = [*zip(left.args, value.args), *((wanted[k], words[k]) for k in wanted)]
        return all(self.fits(one, a, b, match) for a, b in pairs)

    def definition(
        self, one: Identity, operand: ir.Operand, match: Match
    ) -> ir.Apply | None:
        """The operation that computes an operand."""
        if not isinstance(operand, ir.Var):
            return None
        name, s, block = operand.name, match.line, match.block
        if not isinstance(one.right, ir.Apply):
            equations = available_equations(self.function.body).before.get(id(s))
            line = equations.get(name) if equations is not None else None
            return line.value if ir.is_line(line) else None
        _, line = block.made.get(name, (0, None))
        if line is None or not (line.derived or one.exact):
            return None
        overwritten = s.target == operand and name not in block.read
        if self.uses.reads[name] != 1 and not (
            overwritten and ir.direct_reads(s).count(operand) == 1
        ):
            return None
        match.within.append(name)
        return line.value

    def with_parts_reduced(self, term: Term, match: Match) -> Term | None:
        """A term whose operands are rewritten by identities, too; None where one isn't
        that must be."""
        if not isinstance(term, ir.Apply):
            return term
        count = Counter(ir.value_variables(term))
        args: list[Any] = []
        for part in term.args:
            must = isinstance(part, ir.Apply) and part.function is reduced
            (part,) = part.args if must else (part,)  # type: ignore[union-attr]
            new = None
            if isinstance(part, ir.Apply):
                if all(count[v] == 1 for v in ir.value_variables(part)):
                    new = self.reduction(part, match.line, match.block, match.within)
            if must and new is None:
                return None
            args.append(part if new is None else new)
        return ir.altered(term, args=tuple(args))
