"""Rewrites the lines of a program by identities.

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

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from s2sad import ir, rules
from s2sad.analysis.dataflow.available import available_equations
from s2sad.optimise.identities.matches import Match, Program, StraightLines
from s2sad.optimise.identities.terms import Identity, Term, alike, met_in, reduced


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
