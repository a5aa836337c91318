"""The dataflow solver that every analysis shares.

An analysis says how facts join and how one statement changes them; the solver walks the
structured program, iterates loops to their fixed point and returns the facts before and
after each statement (in order of execution, whatever the direction). Method: structured
iteration over the control-flow tree (Aho, Lam, Sethi and Ullman, Compilers, 2nd ed.,
sections 9.2 and 9.6).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from s2sad.ir.nodes import Block, Const, For, If, Statement, While

Fact = TypeVar("Fact")


class Analysis(Generic[Fact]):
    """What one analysis has to say. Facts must be comparable by ``==`` and never
    mutated."""

    facts: Facts[Fact]
    """The facts found so far, set by the solver."""

    def join(self, a: Fact, b: Fact) -> Fact:
        """The fact where two paths meet."""
        raise NotImplementedError

    def leaf(self, statement: Statement, fact: Fact) -> Fact:
        """The fact beyond a statement without blocks."""
        raise NotImplementedError

    def test(self, statement: Statement, fact: Fact) -> Fact:
        """The fact beyond reading the test of an If or While, or the range of a For."""
        return fact

    def iteration(self, statement: For, fact: Fact) -> Fact:
        """The fact beyond binding the loop variable at the start of an iteration."""
        return fact

    def leaving(self, statement: Statement, fact: Fact) -> Fact:
        """The fact beyond reading the flag that ends a loop, before each iteration."""
        return fact

    def block_end(self, statement: Statement, block: Block, fact: Fact) -> Fact:
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


def solve_forward(block: Block, entry: Fact, analysis: Analysis[Fact]) -> Facts[Fact]:
    """Facts in order of execution, from ``entry``."""
    facts: Facts[Fact] = Facts()
    analysis.facts = facts

    def run_block(block: Block, fact: Fact) -> Fact:
        for statement in block:
            facts.before[id(statement)] = fact
            fact = run(statement, fact)
            facts.after[id(statement)] = fact
        return fact

    def after_while(statement: While, tested: Fact, end: Fact) -> Fact:
        """Behind a while loop: its test was false, or an iteration set its flag."""
        if statement.until is None:
            return tested
        end = analysis.leaving(statement, end)
        return end if statement.test == Const(True) else analysis.join(tested, end)

    def run(statement: Statement, fact: Fact) -> Fact:
        match statement:
            case If():
                fact = analysis.test(statement, fact)
                ends = [
                    analysis.block_end(statement, inner, run_block(inner, fact))
                    for inner in (statement.body, statement.orelse)
                ]
                return analysis.join(ends[0], ends[1])
            case For():
                fact = analysis.test(statement, fact)
                head = fact
                while True:
                    head = analysis.leaving(statement, head)
                    end = run_block(statement.body, analysis.iteration(statement, head))
                    end = analysis.block_end(statement, statement.body, end)
                    new = analysis.join(head, end)
                    if new == head:
                        return head
                    head = new
            case While():
                head = fact
                while True:
                    head = analysis.leaving(statement, head)
                    out = run_block(statement.condition, head)
                    out = analysis.test(statement, out)
                    end = run_block(statement.body, out)
                    end = analysis.block_end(statement, statement.body, end)
                    new = analysis.join(head, end)
                    if new == head:
                        return after_while(statement, out, end)
                    head = new
        return analysis.leaf(statement, fact)

    facts.end = run_block(block, entry)
    return facts


def solve_backward(block: Block, exit: Fact, analysis: Analysis[Fact]) -> Facts[Fact]:
    """Facts against the order of execution, from ``exit``."""
    facts: Facts[Fact] = Facts()
    analysis.facts = facts

    def run_block(block: Block, fact: Fact) -> Fact:
        for statement in reversed(block):
            facts.after[id(statement)] = fact
            fact = run(statement, fact)
            facts.before[id(statement)] = fact
        return fact

    def run(statement: Statement, fact: Fact) -> Fact:
        match statement:
            case If():
                starts = [
                    run_block(inner, fact)
                    for inner in (statement.body, statement.orelse)
                ]
                return analysis.test(statement, analysis.join(*starts))
            case For():
                head = analysis.leaving(statement, fact)
                while True:
                    start = analysis.iteration(
                        statement, run_block(statement.body, head)
                    )
                    new = analysis.leaving(statement, analysis.join(head, start))
                    if new == head:
                        return analysis.test(statement, head)
                    head = new
            case While():
                out = fact
                while True:
                    tested = analysis.test(statement, out)
                    head = run_block(statement.condition, tested)
                    if statement.until is not None:
                        head = analysis.leaving(statement, analysis.join(head, fact))
                    new = analysis.join(out, run_block(statement.body, head))
                    # what the body holds may decide whether the test is read
                    if new == out and analysis.test(statement, out) == tested:
                        return head
                    out = new
        return analysis.leaf(statement, fact)

    facts.start = run_block(block, exit)
    return facts
