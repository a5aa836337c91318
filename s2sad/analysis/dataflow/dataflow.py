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
    facts: Facts[Fact] = Facts()
    analysis.facts = facts
    raising: list[list[Fact]] = []
    """For each try around: the facts where something in it may raise."""
    heads: dict[int, Fact] = {}
    """For each loop that was followed before, in an iteration of one around it: what
    held where an iteration starts, from which its facts go on."""

    def join(a: Fact, b: Fact) -> Fact:
        if a is UNREACHABLE or b is UNREACHABLE:
            return b if a is UNREACHABLE else a
        return analysis.join(a, b)

    def note(fact: Fact) -> None:
        """Something may raise here."""
        if fact is not UNREACHABLE:
            for found in raising:
                found.append(fact)

    def run_block(block: ir.Block, fact: Fact) -> Fact:
        reached = True
        for statement in block:
            facts.before[id(statement)] = fact
            if raising and ir.may_raise(statement):
                note(fact)
            if type(statement) in ir.COMPOUND:
                after = run(statement, fact)
            else:
                after = analysis.leaf(statement, fact)
                reached = reached and not ops.never_returns(statement)
            if after is UNREACHABLE:
                reached = False
            else:
                fact = after
            facts.after[id(statement)] = fact
        return fact if reached else UNREACHABLE

    def inside(statement: ir.Statement, block: ir.Block, fact: Fact) -> Fact:
        end = run_block(block, fact)
        if end is UNREACHABLE:
            return end
        return analysis.block_end(statement, block, end)

    def after_while(statement: ir.While, tested: Fact, end: Fact) -> Fact:
        """Behind a while loop: its test was false, or an iteration set its flag."""
        forever = statement.test == ir.Const(True)
        if statement.until is None or end is UNREACHABLE:
            return UNREACHABLE if forever else tested
        end = analysis.leaving(statement, end)
        return end if forever else join(tested, end)

    def run(statement: ir.Statement, fact: Fact) -> Fact:
        match statement:
            case ir.If():
                fact = analysis.test(statement, fact)
                body = inside(statement, statement.body, fact)
                return join(body, inside(statement, statement.orelse, fact))
            case ir.For():
                fact = analysis.test(statement, fact)
                head = join(fact, heads.get(id(statement), fact))
                while True:
                    head = analysis.leaving(statement, head)
                    start = analysis.iteration(statement, head)
                    new = join(head, inside(statement, statement.body, start))
                    if new == head:
                        heads[id(statement)] = head
                        return head
                    head = new
            case ir.While():
                head = join(fact, heads.get(id(statement), fact))
                while True:
                    heads[id(statement)] = head
                    head = analysis.leaving(statement, head)
                    out = run_block(statement.condition, head)
                    if out is UNREACHABLE:
                        return out
                    out = analysis.test(statement, out)
                    end = inside(statement, statement.body, out)
                    new = join(head, end)
                    if new == head:
                        return after_while(statement, out, end)
                    head = new
            case ir.With():
                fact = analysis.test(statement, fact)
                raising.append([])
                normal = inside(statement, statement.body, fact)
                raised = raising.pop()
                if statement.swallows:  # its exit may raise, too
                    note(normal)
                    return functools.reduce(join, raised, normal)
                return normal
            case ir.Try():
                return run_try(statement, fact)
        return analysis.leaf(statement, fact)

    def run_try(statement: ir.Try, fact: Fact) -> Fact:
        fact = analysis.test(statement, fact)
        raising.append([])
        normal = inside(statement, statement.body, fact)
        raised = functools.reduce(join, raising.pop(), UNREACHABLE)
        raising.append([])
        if normal is not UNREACHABLE:
            normal = inside(statement, statement.orelse, normal)
        if raised is UNREACHABLE:
            raised = fact
        for handler in statement.handlers:
            normal = join(normal, inside(statement, handler.body, raised))
        later = raising.pop()
        if not statement.final:
            return normal
        if normal is not UNREACHABLE:
            end = inside(statement, statement.final, normal)
        else:
            end = UNREACHABLE
        # What holds inside holds on every way; what was raised is raised again.
        any_way = functools.reduce(join, later, join(normal, raised))
        note(inside(statement, statement.final, any_way))
        return end

    end = run_block(block, entry)
    facts.end = facts.after[id(block[-1])] if end is UNREACHABLE else end
    return facts


def solve_backward(
    block: ir.Block, exit: Fact, analysis: Analysis[Fact]
) -> Facts[Fact]:
    """Facts against the order of execution, from ``exit``."""
    facts: Facts[Fact] = Facts()
    analysis.facts = facts
    handling: list[Fact] = []
    """For each try around: the fact where its handlers start."""
    heads: dict[int, Fact] = {}
    """As in the forward solver."""

    def run_block(block: ir.Block, fact: Fact) -> Fact:
        for statement in reversed(block):
            facts.after[id(statement)] = fact
            if type(statement) in ir.COMPOUND:
                fact = run(statement, fact)
            else:
                fact = analysis.leaf(statement, fact)
            if handling and ir.may_raise(statement):
                for handler in handling:
                    fact = analysis.join(fact, handler)
            facts.before[id(statement)] = fact
        return fact

    def run_try(statement: ir.Try, fact: Fact) -> Fact:
        behind = fact
        if statement.final:  # what was raised is raised again behind it
            behind = functools.reduce(analysis.join, handling, fact)
        final = run_block(statement.final, behind)
        unhandled = list(handling)  # where no handler waits for an exception
        if statement.final:
            unhandled.append(final)
            handling.append(final)
        normal = run_block(statement.orelse, final)
        starts = [run_block(handler.body, final) for handler in statement.handlers]
        if statement.final:
            handling.pop()
        if starts or unhandled:
            handling.append(functools.reduce(analysis.join, [*starts, *unhandled]))
        normal = run_block(statement.body, normal)
        if starts or unhandled:
            normal = analysis.join(normal, handling.pop())
        return analysis.test(statement, normal)

    def run(statement: ir.Statement, fact: Fact) -> Fact:
        match statement:
            case ir.If():
                starts = [
                    run_block(inner, fact)
                    for inner in (statement.body, statement.orelse)
                ]
                return analysis.test(statement, analysis.join(*starts))
            case ir.For():
                head = analysis.join(fact, heads.get(id(statement), fact))
                head = analysis.leaving(statement, head)
                while True:
                    start = analysis.iteration(
                        statement, run_block(statement.body, head)
                    )
                    new = analysis.leaving(statement, analysis.join(head, start))
                    if new == head:
                        heads[id(statement)] = head
                        return analysis.test(statement, head)
                    head = new
            case ir.While():
                out = analysis.join(fact, heads.get(id(statement), fact))
                while True:
                    heads[id(statement)] = out
                    tested = analysis.test(statement, out)
                    head = run_block(statement.condition, tested)
                    if statement.until is not None:
                        head = analysis.leaving(statement, analysis.join(head, fact))
                    new = analysis.join(out, run_block(statement.body, head))
                    # what the body holds may decide whether the test is read
                    if new == out and analysis.test(statement, out) == tested:
                        return head
                    out = new
            case ir.With():
                end = fact
                if statement.swallows:  # its exit may raise, too
                    end = functools.reduce(analysis.join, handling, fact)
                    handling.append(fact)
                body = run_block(statement.body, end)
                if statement.swallows:
                    handling.pop()
                return analysis.test(statement, body)
            case ir.Try():
                return run_try(statement, fact)
        return analysis.leaf(statement, fact)

    facts.start = run_block(block, exit)
    return facts
