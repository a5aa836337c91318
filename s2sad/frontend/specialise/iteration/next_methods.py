"""Objects whose class defines ``__next__``: the method, over and over, as a generator.

What the method returns is yielded, and where it raises StopIteration the generator
returns; what it keeps in the object stays there between two loops::

    def __next__(self):                   def __next__(self):
        if self.n == 0:                       while True:
            raise StopIteration                   if self.n == 0:
        self.n -= 1                ->                 return
        return self.n                             self.n -= 1
                                                  yield self.n
"""

import ast
import copy
from dataclasses import replace
from typing import Any

from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.control.generators import generator, is_generator
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.language.user_sources import user_source
from s2sad.frontend.specialise.objects.members import Member, member_of, note_read
from s2sad.frontend.specialise.objects.objects import class_of
from s2sad.source.normalise.leaving import LOOPS, leaves, never_completes
from s2sad.source.text.scopes import nodes_in_scope, remembered


def is_iterator(value: core.Value) -> bool:
    """True for an object that ``next`` can be called with."""
    return (
        core.has_methods(value) and member_of(class_of(value), "__next__") is not None
    )


def steps_of(spec: Specialiser, value: core.Value) -> core.Lazy:
    """What the iterator gives from now on."""
    cls = class_of(value)
    member = member_of(cls, "__next__")
    assert isinstance(member, Member)
    note_read(spec, cls, "__next__")
    source = user_source(member.value) if member.sort == "method" else None
    if source is None or is_generator(source):
        raise _unlike(value)
    repeated = _repeated(source.node)
    if repeated is None:
        raise _unlike(value)
    (parameter,) = _parameters(source.node)
    stepping = replace(source, node=repeated)
    return generator(spec, stepping, {parameter.arg: value})


@remembered
def _repeated(node: Any) -> Any:
    """The method as a generator; None where that can't be written."""
    ends_in_attempt = any(
        isinstance(inner, ast.Return) or _stops(inner)
        for attempt in nodes_in_scope(node.body)
        if isinstance(attempt, ast.Try | ast.With)
        for inner in ast.walk(attempt)
    )
    if ends_in_attempt or len(_parameters(node)) != 1:
        return None
    body = copy.deepcopy(node.body)
    if not never_completes(body):
        nothing = ast.copy_location(ast.Constant(None), body[-1])
        body.append(ast.copy_location(ast.Return(nothing), body[-1]))
    try:
        body = _Yielding().block(body, [ast.Continue()], tail=True)
    except _NoWay:
        return None
    loop = ast.While(ast.Constant(True), body, [])
    made = copy.copy(node)
    made.body = [ast.fix_missing_locations(ast.copy_location(loop, node.body[0]))]
    return made


def _parameters(node: Any) -> list[ast.arg]:
    return [*node.args.posonlyargs, *node.args.args]


class _NoWay(Exception):
    """A return stands where no jump leads to the next step."""


class _Yielding:
    """Puts yields for returns. ``jump`` leads from where a return stands to the next
    step, and isn't needed at the ``tail`` of what the generator's loop repeats."""

    def block(
        self, body: list[ast.stmt], jump: list[ast.stmt] | None, tail: bool
    ) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        for place, node in enumerate(body):
            behind = body[place + 1 :]
            whole = isinstance(node, LOOPS) and not node.orelse
            if tail and behind and whole and not leaves(node.body, ast.Break):  # type: ignore[attr-defined]
                node.orelse = behind  # type: ignore[attr-defined]
                return made + self.statement(node, jump, tail)
            made += self.statement(node, jump, tail and not behind)
        return made

    def statement(
        self, node: ast.stmt, jump: list[ast.stmt] | None, tail: bool
    ) -> list[ast.stmt]:
        if isinstance(node, ast.Return):
            value = ast.Expr(ast.Yield(node.value))
            if not tail and jump is None:
                raise _NoWay
            lines: list[ast.stmt] = [value, *(() if tail else jump or ())]
            return [ast.copy_location(copy.copy(line), node) for line in lines]
        if _stops(node):
            return [ast.copy_location(ast.Return(None), node)]
        if isinstance(node, LOOPS):
            # at the tail the loop's end leads to the next step
            out: list[ast.stmt] | None = [ast.Break()] if tail else None
            node.body = self.block(node.body, out, tail=False)
            node.orelse = self.block(node.orelse, jump, tail)
        elif isinstance(node, ast.If):
            node.body = self.block(node.body, jump, tail)
            node.orelse = self.block(node.orelse, jump, tail)
        elif isinstance(node, ast.Match):
            for case in node.cases:
                case.body = self.block(case.body, jump, tail)
        return [node]


def _stops(node: ast.AST) -> bool:
    """True for ``raise StopIteration``."""
    if not isinstance(node, ast.Raise):
        return False
    raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    return isinstance(raised, ast.Name) and raised.id == "StopIteration"


def _unlike(value: core.Value) -> core.Unsupported:
    return core.Unsupported(
        f"{core.describe(value)} is iterated over by a __next__ that returns or stops "
        "in a try, a with, or loops in loops",
        "write __iter__ as a generator",
    )
