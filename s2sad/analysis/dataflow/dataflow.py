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

    def block_end(self, statement: ir.Statement, block: ir.Block, fact: Fact) -> Fact:
        """The fact as it leaves a block of a compound statement (forward only)."""
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


UNREACHABLE: Any = object()
"""Stands for the fact at a place that no path reaches: behind a raise."""


def solve_forward(
    block: ir.Block, entry: Fact, analysis: Analysis[Fact]
) -> Facts[Fact]:
    """Facts in order of execution, from ``entry``."""
    solver = _Forward(analysis)
    end = solver.run_block(block, entry)
    facts = solver.facts
    facts.end = facts.after[id(block[-1])] if end is UNREACHABLE else end
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
        self.heads: dict[int, Fact] = {}
        """For each loop that was followed before, in an iteration of one around it:
        what held where an iteration starts, from which its facts go on."""


class _Forward(_Solver[Fact]):
    """In order of execution."""

    def __init__(self, analysis: Analysis[Fact]) -> None:
        super().__init__(analysis)
        self.raising: list[list[Fact]] = []
        """For each try around: the facts where something in it may raise."""

    def join(self, a: Fact, b: Fact) -> Fact:
        if a is UNREACHABLE or b is UNREACHABLE:
            return b if a is UNREACHABLE else a
        return self.analysis.join(a, b)

    def note(self, fact: Fact) -> None:
        """Something may raise here."""
        if fact is not UNREACHABLE:
            for found in self.raising:
                found.append(fact)

    def run_block(self, block: ir.Block, fact: Fact) -> Fact:
        leaf, before, behind = self.analysis.leaf, self.facts.before, self.facts.after
        reached = True
        for statement in block:
            before[id(statement)] = fact
            if self.raising and ir.may_raise(statement):
                self.note(fact)
            if type(statement) in ir.COMPOUND:
                after = self.run(statement, fact)
            else:
                after = leaf(statement, fact)
                reached = reached and not ops.never_returns(statement)
            if after is UNREACHABLE:
                reached = False
            else:
                fact = after
            behind[id(statement)] = fact
        return fact if reached else UNREACHABLE

    def inside(self, statement: ir.Statement, block: ir.Block, fact: Fact) -> Fact:
        end = self.run_block(block, fact)
        if end is UNREACHABLE:
            return end
        return self.analysis.block_end(statement, block, end)

    def after_while(self, statement: ir.While, tested: Fact, end: Fact) -> Fact:
        """Behind a while loop: its test was false, or an iteration set its flag."""
        forever = statement.test == ir.Const(True)
        if statement.until is None or end is UNREACHABLE:
            return UNREACHABLE if forever else tested
        end = self.analysis.leaving(statement, end)
        return end if forever else self.join(tested, end)

    def run(self, statement: ir.Statement, fact: Fact) -> Fact:
        match statement:
            case ir.If():
                fact = self.analysis.test(statement, fact)
                body = self.inside(statement, statement.body, fact)
                return self.join(body, self.inside(statement, statement.orelse, fact))
            case ir.For():
                fact = self.analysis.test(statement, fact)
                head = self.join(fact, self.heads.get(id(statement), fact))
                while True:
                    head = self.analysis.leaving(statement, head)
                    start = self.analysis.iteration(statement, head)
                    new = self.join(head, self.inside(statement, statement.body, start))
                    if new == head:
                        self.heads[id(statement)] = head
                        return head
                    head = new
            case ir.While():
                head = self.join(fact, self.heads.get(id(statement), fact))
                while True:
                    self.heads[id(statement)] = head
                    head = self.analysis.leaving(statement, head)
                    out = self.run_block(statement.condition, head)
                    if out is UNREACHABLE:
                        return out
                    out = self.analysis.test(statement, out)
                    end = self.inside(statement, statement.body, out)
                    new = self.join(head, end)
                    if new == head:
                        return self.after_while(statement, out, end)
                    head = new
            case ir.With():
                fact = self.analysis.test(statement, fact)
                self.raising.append([])
                normal = self.inside(statement, statement.body, fact)
                raised = self.raising.pop()
                if statement.swallows:  # its exit may raise, too
                    self.note(normal)
                    return functools.reduce(self.join, raised, normal)
                return normal
            case ir.Try():
                return self.run_try(statement, fact)
        return self.analysis.leaf(statement, fact)

    def run_try(self, statement: ir.Try, fact: Fact) -> Fact:
        fact = self.analysis.test(statement, fact)
        self.raising.append([])
        normal = self.inside(statement, statement.body, fact)
        raised = functools.reduce(self.join, self.raising.pop(), UNREACHABLE)
        self.raising.append([])
        if normal is not UNREACHABLE:
            normal = self.inside(statement, statement.orelse, normal)
        if raised is UNREACHABLE:
            raised = fact
        for handler in statement.handlers:
            normal = self.join(normal, self.inside(statement, handler.body, raised))
        later = self.raising.pop()
        if not statement.final:
            return normal
        if normal is not UNREACHABLE:
            end = self.inside(statement, statement.final, normal)
        else:
            end = UNREACHABLE
        # What holds inside holds on every way; what was raised is raised again.
        any_way = functools.reduce(self.join, later, self.join(normal, raised))
        self.note(self.inside(statement, statement.final, any_way))
        return end


class _Backward(_Solver[Fact]):
    """Against it."""

    def __init__(self, analysis: Analysis[Fact]) -> None:
        super().__init__(analysis)
        self.handling: list[Fact] = []
        """For each try around: the fact where its handlers start."""

    def run_block(self, block: ir.Block, fact: Fact) -> Fact:
        leaf, before, behind = self.analysis.leaf, self.facts.before, self.facts.after
        for statement in reversed(block):
            behind[id(statement)] = fact
            if type(statement) in ir.COMPOUND:
                fact = self.run(statement, fact)
            else:
                fact = leaf(statement, fact)
            if self.handling and ir.may_raise(statement):
                for handler in self.handling:
                    fact = self.analysis.join(fact, handler)
            before[id(statement)] = fact
        return fact

    def run_try(self, statement: ir.Try, fact: Fact) -> Fact:
        behind = fact
        if statement.final:  # what was raised is raised again behind it
            behind = functools.reduce(self.analysis.join, self.handling, fact)
        final = self.run_block(statement.final, behind)
        unhandled = list(self.handling)  # where no handler waits for an exception
        if statement.final:
            unhandled.append(final)
            self.handling.append(final)
        normal = self.run_block(statement.orelse, final)
        starts = [self.run_block(handler.body, final) for handler in statement.handlers]
        if statement.final:
            self.handling.pop()
        if starts or unhandled:
            self.handling.append(
                functools.reduce(self.analysis.join, [*starts, *unhandled])
            )
        normal = self.run_block(statement.body, normal)
        if starts or unhandled:
            normal = self.analysis.join(normal, self.handling.pop())
        return self.analysis.test(statement, normal)

    def run(self, statement: ir.Statement, fact: Fact) -> Fact:
        match statement:
            case ir.If():
                starts = [
                    self.run_block(inner, fact)
                    for inner in (statement.body, statement.orelse)
                ]
                return self.analysis.test(statement, self.analysis.join(*starts))
            case ir.For():
                head = self.analysis.join(fact, self.heads.get(id(statement), fact))
                head = self.analysis.leaving(statement, head)
                while True:
                    start = self.analysis.iteration(
                        statement, self.run_block(statement.body, head)
                    )
                    new = self.analysis.leaving(
                        statement, self.analysis.join(head, start)
                    )
                    if new == head:
                        self.heads[id(statement)] = head
                        return self.analysis.test(statement, head)
                    head = new
            case ir.While():
                out = self.analysis.join(fact, self.heads.get(id(statement), fact))
                while True:
                    self.heads[id(statement)] = out
                    tested = self.analysis.test(statement, out)
                    head = self.run_block(statement.condition, tested)
                    if statement.until is not None:
                        head = self.analysis.leaving(
                            statement, self.analysis.join(head, fact)
                        )
                    new = self.analysis.join(out, self.run_block(statement.body, head))
                    # what the body holds may decide whether the test is read
                    if new == out and self.analysis.test(statement, out) == tested:
                        return head
                    out = new
            case ir.With():
                end = fact
                if statement.swallows:  # its exit may raise, too
                    end = functools.reduce(self.analysis.join, self.handling, fact)
                    self.handling.append(fact)
                body = self.run_block(statement.body, end)
                if statement.swallows:
                    self.handling.pop()
                return self.analysis.test(statement, body)
            case ir.Try():
                return self.run_try(statement, fact)
        return self.analysis.leaf(statement, fact)
