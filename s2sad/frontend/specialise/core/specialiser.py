"""The specialiser: normalised syntax and the kinds of arguments in, typed IR out.

It runs the program over kinds instead of values. Whatever the kinds decide is done at
once: branches on flags and ranks fold, calls of user functions are inlined, tuples,
dicts and dataclasses become one variable an item, methods become functions. What is
left is a flat program over numbers and arrays::

    def f(p, x, bias=None):            f(p_w, x):
        y = p["w"] * x          ->         y = mul(p_w, x)
        if bias is not None:               return y
            y = y + bias
        return y

Loops are run until the kinds of the variables they carry no longer change. Source:
online partial evaluation, Jones, Gomard and Sestoft (1993), chapters 4 and 7.
"""

import ast
from collections.abc import Hashable
from dataclasses import replace
from typing import Any

from s2sad import ir, rules
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core import bindings, operations
from s2sad.frontend.specialise.core.handlers import EXPRESSIONS
from s2sad.frontend.specialise.core.verbs import Args, Words
from s2sad.source.text.scopes import assigned_names, names_bound_in_expressions

__all__ = ["Args", "Specialiser", "Words"]


class Specialiser(operations.Operations, bindings.Bindings):
    """Turns syntax into typed statements in ``block``."""

    def run(self, body: list[ast.stmt]) -> None:
        """Specialise statements; a problem in one doesn't hide those of the next."""
        for node in body:
            if self.frame.result is not None or self.unreachable:
                break  # what follows a return or raise is never reached
            outer, frame = (self.span, self.rebound), self.frame
            around, frame.node = frame.node, node
            taken, watched = len(self.taken), len(self.watched)
            known_problems = len(self.problems)
            self.rebound, self.presence = frozenset(), {}
            if not self.derived:
                if not self.frame.source.is_of_library:  # quoted is the user's call
                    self.span = self.frame.source.span_of(node)
                self.rebound = names_bound_in_expressions(node)
            work = self.work  # what follows a learned fact is counted apart
            work.begin(self.frame.source, node, None)
            try:
                handler = core.STATEMENTS.get(type(node))
                if handler is None:
                    raise core.unsupported_syntax(node)
                handler(self, node)
            except core.Unsupported as problem:
                if self.derived:
                    raise
                follows = len(self.problems) > known_problems
                self.report(problem, node, follows)
                self._forget(node)
            except (core.NoOperand, rules.ValueNeeded) as error:
                if self.derived:
                    raise
                follows = len(self.problems) > known_problems
                self.report(_without_value(error), node, follows)
                self._forget(node)
            except core.NothingFollows:
                break
            finally:
                work.end()
                (self.span, self.rebound), frame.node = outer, around
                del self.taken[taken:], self.watched[watched:]

    def _forget(self, node: ast.stmt) -> None:
        """After a problem: names that the statement would have bound are unknown, and
        what it would have returned."""
        if isinstance(node, ast.Return):
            self.frame.result = core.Leaf(self.variable("result"), ir.UNKNOWN)
        for name in assigned_names([node]):
            self.frame.names[name] = core.Leaf(self.variable(name), ir.UNKNOWN)
            self.forgotten.add((self.frame, name))

    def evaluate(self, node: ast.expr) -> core.Value:
        """The value of an expression; its statements are appended to the block."""
        self.work.spend()
        handler = _handler(node)
        with self.at(node):
            if self.derived:
                return self._by_maker(handler(self, node), node)
            return self._held(handler, node)

    def _held(self, handler: core.ExpressionHandler, node: ast.expr) -> core.Value:
        """What a handler gives for an expression, in cells where it may change."""
        facts = self.facts
        if not (facts.changes_containers or facts.kept):
            return self._by_maker(handler(self, node), node)
        title, self.title = self.title, ""
        mark, taken = len(self.watched), len(self.taken)
        around, self.wanted_title = self.wanted_title, title
        try:
            value = self._by_maker(handler(self, node), node)
        finally:
            self.wanted_title = around
        span = self.frame.source.span_of(node)
        of_class = core.is_named_tuple(value) and value.maker == span
        maker = span if of_class or self._makes_anew(node) else None
        is_tuple = of_class or isinstance(node, ast.Tuple)
        if maker in facts.kept or (maker is not None and not is_tuple):
            value = self.made_anew(value, title, frozenset({maker}))
        else:
            value = self.as_cells(value, title)
        self.check_unchanged(mark)
        self.check_still_held(taken)
        return value

    def evaluate_operand(self, node: ast.expr) -> core.Value:
        """The same of the operand of an operator: a list that is written out there is
        held by nobody (``[None] * n``)."""
        if isinstance(node, ast.List):
            return _handler(node)(self, node)
        return self.evaluate(node)

    def _by_maker(self, value: core.Value, node: ast.expr) -> core.Value:
        """What an expression gives, which knows it if the expression made it."""
        if type(value) is core.Leaf and ir.are_values(value.kind):
            return self.read_itself(value)
        self.check_readable(value)
        if (
            type(value) is core.Aggregate
            and value.maker is None
            and self._makes_anew(node)
        ):
            return replace(value, maker=self.frame.source.span_of(node))
        return value

    def check_readable(self, value: core.Value) -> None:
        """Refuse what is one thing on one path and another thing on another, where it
        can't be either; an object is kept if that helps."""
        if isinstance(value, core.Missing):
            self.keep_objects(value)
            raise core.Unsupported(value.reason, value.advice)

    def _makes_anew(self, node: ast.expr) -> bool:
        """True for an expression whose value, a list, tuple or dict, nobody else
        holds."""
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            return name in _MAKERS
        if isinstance(node, ast.Subscript):
            named = self.frame.names.get(getattr(node.slice, "id", ""))
            is_slice = isinstance(named, core.Aggregate) and named.constructor is slice
            return is_slice or isinstance(node.slice, ast.Slice)
        return isinstance(node, _DISPLAYS)

    def made_anew(
        self, value: core.Value, title: str, makers: frozenset[Hashable]
    ) -> core.Value:
        """A list or dict that one of some expressions made, which nobody else holds, as
        a cell or as the run keeps it. A cell that others may hold stays as it is."""
        if isinstance(value, core.Cell) and value.frame.makers != makers:
            return value
        made = self.made_where_kept(value, makers)
        made = self.as_cells(made, title, new=True)
        if isinstance(made, core.Cell):
            made.frame.makers = makers
            if made.constructor in (list, dict, set):
                self.makers |= dict.fromkeys(makers, made)
        return made


_DISPLAYS = (
    *(ast.List, ast.ListComp, ast.Dict, ast.DictComp, ast.Set, ast.SetComp),
    *(ast.BinOp, ast.Tuple),
)
_MAKERS = (
    *("list", "dict", "set", "sorted", "deque", "defaultdict", "copy", "deepcopy"),
    "_replace",
)


def _handler(node: ast.expr) -> Any:
    handler = EXPRESSIONS.get(type(node))
    if handler is None:
        raise core.unsupported_syntax(node)
    return handler


def _without_value(problem: core.NoOperand | rules.ValueNeeded) -> core.Unsupported:
    """The problem of what must be known, and of what is known only at compile time."""
    if isinstance(problem, core.NoOperand):
        return core.Unsupported(
            f"{core.describe(problem.value)} is used as a value",
            "call it, or use its items, where it is made",
        )
    return core.Unsupported(
        f"this depends on a value ({problem.kind}) that isn't known before the program "
        "runs",
        "use a literal or a parameter that is passed in as it is",
    )
