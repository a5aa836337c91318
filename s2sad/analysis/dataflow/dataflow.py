"""The dataflow solver that every analysis shares.

An analysis says how facts join and how one statement changes them; the solver walks the
structured program, iterates loops to their fixed point and returns the facts before and
after each statement (in order of execution, whatever the direction). Method: structured
iteration over the control-flow tree (Aho, Lam, Sethi and Ullman, Compilers, 2nd ed.,
sections 9.2 and 9.6).
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from s2sad import ir, ops

Fact = TypeVar("Fact")


class Analysis(Generic[Fact]):
    """What one analysis has to say. Facts must be comparable by ``==`` and never
    mutated."""

    facts: Facts[Fact]
    """The facts found so far, set by the solver."""

    def join(self, a: Fact, b: Fact) -> Fact:
        """The fact where two paths meet."""
        raise NotImplementedError

    def leaf(self, statement: ir.Statement, fact: Fact) -> Fact:
        """The fact beyond a statement without blocks."""
        raise NotImplementedError

    def test(self, statement: ir.Statement, fact: Fact) -> Fact:
        """The fact beyond reading the test of an If or While, or the range of a For."""
        return fact

    def iteration(self, statement: ir.For, fact: Fact) -> Fact:
        """The fact beyond binding the loop variable at the start of an iteration."""
        return fact

    def leaving(self, statement: ir.Statement, fact: Fact) -> Fact:
        """The fact beyond reading the flag that ends a loop, before each iteration."""
        return fact


@dataclass
class Facts(Generic[Fact]):
    """Facts by statement identity."""

    before: dict[int, Fact] = field(default_factory=dict)
    after: dict[int, Fact] = field(default_factory=dict)
    start: Any = None
    """The fact where the program starts (backward analyses)."""
    end: Any = None
    """The fact where the program ends (forward analyses)."""


def solve_forward(
    block: ir.Block, entry: Fact, analysis: Analysis[Fact]
) -> Facts[Fact]:
    """Facts in order of execution, from ``entry``. None stands for the fact at a place
    that no path reaches: behind a raise."""
    solver = _Forward(analysis)
    end = solver.run_block(block, entry)
    facts = solver.facts
    facts.end = facts.after[id(block[-1])] if end is None else end
    return facts


def solve_backward(
    block: ir.Block, exit: Fact, analysis: Analysis[Fact]
) -> Facts[Fact]:
    """Facts against the order of execution, from ``exit``."""
    solver = _Backward(analysis)
    solver.facts.start = solver.run_block(block, exit)
    return solver.facts


class _Solver(Generic[Fact]):
    """Follows a program; the facts are gone as soon as nobody holds them."""

    def __init__(self, analysis: Analysis[Fact]) -> None:
        self.analysis = analysis
        self.facts: Facts[Fact] = Facts()
        analysis.facts = self.facts
        self.heads: dict[int, dict[int, Fact]] = {}
        """For each loop: what held when it was followed before, in an iteration of one
        around it."""


class _Forward(_Solver[Fact]):
    """In order of execution."""

    def __init__(self, analysis: Analysis[Fact]) -> None:
        super().__init__(analysis)
        self.raising: list[list[Fact]] = []
        """For each block around in which exceptions are waited for: the facts where
        something may raise."""

    def note(self, fact: Fact | None) -> None:
        """Something may raise here."""
        if fact is not None:
            for found in self.raising:
                found.append(fact)

    def run_block(self, block: ir.Block, fact: Fact) -> Fact | None:
        leaf, before, behind = self.analysis.leaf, self.facts.before, self.facts.after
        reached = True
        for statement in block:
            before[id(statement)] = fact
            if self.raising and ir.may_raise(statement):
                self.note(fact)
            if type(statement) in ir.COMPOUND:
                after = self.compound(statement, fact)
                reached = reached and after is not None
                fact = fact if after is None else after
            else:
                fact = leaf(statement, fact)
                if reached and isinstance(statement, ir.Effect):
                    reached = not ops.never_returns(statement)
            behind[id(statement)] = fact
        return fact if reached else None

    def compound(self, statement: ir.Statement, fact: Fact) -> Fact | None:
        analysis = self.analysis
        regions = ir.regions_of(statement)
        noted: dict[int, list[Fact]] = {}
        if regions[0].role != "condition":
            fact = analysis.test(statement, fact)

        def run(region: ir.Region, fact: Fact) -> Fact | None:
            if isinstance(statement, ir.For):
                fact = analysis.iteration(statement, fact)
            if not region.raises_to:
                end = self.run_block(region.block, fact)
            else:
                self.raising.append(noted.setdefault(region.place, []))
                end = self.run_block(region.block, fact)
                self.raising.pop()
            if region.role == "condition" and end is not None:
                return analysis.test(statement, end)
            if region.unwinds and region.raises_to:
                self.note(end)
            return end

        def raised(region: ir.Region, start: Fact) -> Fact:
            return functools.reduce(analysis.join, noted[region.place] or [start])

        heads = regions[0].heads
        starts = self.heads.setdefault(id(statement), {}) if heads else {}
        end = ir.follow(statement, fact, run, analysis.join, raised, starts)
        last = regions[-1]
        if last.unwinds and not last.raises_to:
            # What holds inside holds on every way; what was raised is raised again.
            ways = [f for found in noted.values() for f in found] or [fact]
            ways += [starts[last.place]] if last.place in starts else []
            self.note(self.run_block(last.block, functools.reduce(analysis.join, ways)))
        return end


class _Backward(_Solver[Fact]):
    """Against it."""

    def __init__(self, analysis: Analysis[Fact]) -> None:
        super().__init__(analysis)
        self.handling: list[Fact] = []
        """For each block around in which exceptions are waited for: the fact where it
        goes on with one."""

    def run_block(self, block: ir.Block, fact: Fact) -> Fact:
        leaf, before, behind = self.analysis.leaf, self.facts.before, self.facts.after
        for statement in reversed(block):
            behind[id(statement)] = fact
            if type(statement) in ir.COMPOUND:
                fact = self.compound(statement, fact)
            else:
                fact = leaf(statement, fact)
            if self.handling and ir.may_raise(statement):
                fact = functools.reduce(self.analysis.join, self.handling, fact)
            before[id(statement)] = fact
        return fact

    def compound(self, statement: ir.Statement, fact: Fact) -> Fact:
        first = ir.regions_of(statement)[0]
        begun = {ir.OUTSIDE: fact}
        if first.heads:
            fact = self.analysis.leaving(statement, fact)

        def run(region: ir.Region, fact: Fact) -> Fact:
            if region.role == "condition":
                fact = self.analysis.test(statement, fact)
            if region.unwinds:
                fact = functools.reduce(self.analysis.join, self.handling, fact)
            waiting = [begun[place] for place in region.raises_to]
            if waiting:
                self.handling.append(functools.reduce(self.analysis.join, waiting))
            fact = self.run_block(region.block, fact)
            if waiting:
                self.handling.pop()
            if isinstance(statement, ir.For):
                fact = self.analysis.iteration(statement, fact)
            if region.heads:
                fact = self.analysis.leaving(statement, fact)
            elif first.role == "condition":
                # what the body holds may decide whether the test is read
                fact = self.analysis.test(statement, fact)
            begun[region.place] = fact
            return fact

        ends = self.heads.setdefault(id(statement), {}) if first.heads else None
        start = ir.follow(statement, fact, run, self.analysis.join, starts=ends)
        assert start is not None
        return (
            start if first.role == "condition" else self.analysis.test(statement, start)
        )
