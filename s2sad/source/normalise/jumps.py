"""Jumps become flags: break, continue, early return and the else of loops.

Takes the body of a function; gives a body without jumps, whose only return is its last
statement. What a jump skips moves into the other branch, or under a test of the flag
that the jump sets; a loop that is left early carries the flag's name in ``until``, and
ends before an iteration in which the flag is true::

    while True:                      left = False
        x = step(x)                  while True:            until left
        if x < 1:            ->          x = step(x)
            break                        if x < 1:
        x = x - 1                            left = True
                                         else:
                                             x = x - 1

Nothing is written twice. The emitter turns flags that nothing else reads back into
``break``.

>>> text = "for i in x:\\n    if i > 1: return i\\nelse:\\n    y = 2\\nreturn y"
>>> print(ast.unparse(ast.Module(without_jumps(ast.parse(text).body, "f"), [])))
.f:returned = False
for i in x:
    if i > 1:
        result = i
        .f:returned = True
if .f:returned:
    pass
else:
    y = 2
    result = y
    .f:returned = True
return result
"""

import ast
import copy
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from s2sad.source.normalise.leaving import (
    assigns,
    has_jumps,
    leaves,
    leaves_early,
    never_completes,
)
from s2sad.source.text.scopes import FUNCTIONS, nodes_in_scope

Body = list[ast.stmt]


def without_jumps(body: Body, owner: str) -> Body:
    """The body with its jumps turned into flags; ``owner`` makes their names unique."""
    if not has_jumps(body):
        return body
    return _Rewriting(body, owner).whole(body)


def until_of(loop: ast.AST) -> str:
    """The flag that ends a loop; "" where only its own test does."""
    return getattr(loop, "until", "")


def hides_exceptions(node: ast.Try) -> bool:
    """True where the finally block returned or left a loop."""
    return getattr(node, "hides_exceptions", False)


def is_jump_flag(variable: str) -> bool:
    """True for a variable that a jump sets."""
    if ":" not in variable:
        return False
    own = variable.split("~")[0]
    return own.endswith((":returned", ":left_loop", ":skipped", ":broken"))


@dataclass
class _Loop:
    """A loop around the statements under way."""

    until: str
    """The flag that ends it."""
    skipped: str
    """The flag of this iteration alone, set by continue."""
    broken: str = ""
    """A flag set by the user's own break, where the loop's else must tell it from the
    end of the loop's test."""


@dataclass
class _Rewriting:
    """One function's jumps."""

    body: Body
    owner: str
    result: str = ""
    returned: str = ""
    returns: bool = False
    """True where returns become assignments: there is one before the last line."""
    read: set[str] = field(default_factory=set)
    """Flags that a test or a loop reads."""

    def whole(self, body: Body) -> Body:
        """The whole function."""
        names = {n.id for s in body for n in ast.walk(s) if isinstance(n, ast.Name)}
        self.result = "result" if "result" not in names else "returned_value"
        while self.result in names:
            self.result += "_"
        self.returned = f".{self.owner}:returned"
        *before, last = body
        final = isinstance(last, ast.Return)
        self.returns = leaves(before, ast.Return) or (
            not final and leaves([last], ast.Return)
        )
        if not self.returns:
            return self._stripped(self.block(body, None))
        if not never_completes(body):
            body = [*body, _located(ast.Return(ast.Constant(None)), last)]
        done = self.block(body, None)
        done.append(_located(ast.Return(ast.Name(self.result, ast.Load())), last))
        first = _set(self.returned, False, body[0])
        return self._stripped([first, *done])

    def _stripped(self, body: Body) -> Body:
        """Without the assignments of flags that nothing reads."""
        kept: Body = []
        for node in body:
            if _is_unread_flag(node, self.read):
                continue
            blocks = {
                name: inner
                for name in ("body", "orelse", "finalbody")
                if isinstance(inner := getattr(node, name, None), list)
            }
            if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
                blocks = {}
            changed = {name: self._stripped(inner) for name, inner in blocks.items()}
            if changed != blocks:
                node = copy.copy(node)
                for name, inner in changed.items():
                    empty = name == "body" and not inner
                    setattr(node, name, [_pass(node)] if empty else inner)
            for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
                part.body = self._stripped(part.body) or [_pass(part.body[0])]
            kept.append(node)
        return kept

    # ---------------------------------------------------------------- statements

    def block(self, body: Sequence[ast.stmt], loop: _Loop | None) -> Body:
        """Statements with jumps turned into flags; what a jump skips is guarded."""
        done: Body = []
        for position, node in enumerate(body):
            rest = list(body[position + 1 :])
            match node:
                case ast.Return() if self.returns:
                    return [*done, *self._return(node, loop)]
                case ast.Break():
                    assert loop is not None
                    done.append(_set(loop.until, True, node))
                    if loop.broken and not hasattr(node, "by_test"):
                        done.insert(-1, _set(loop.broken, True, node))
                    return done
                case ast.Continue():
                    assert loop is not None
                    return [*done, _set(loop.skipped, True, node)]
                case ast.If() if has_jumps([node]):
                    return [*done, *self._if(node, rest, loop)]
                case ast.For() | ast.AsyncFor() | ast.While() if has_jumps([node]):
                    return [*done, *self._loop(node, rest, loop)]
                case ast.Try(finalbody=[]) if has_jumps([node]):
                    return [*done, *self._try(node, rest, loop)]
                case ast.With() | ast.AsyncWith() | ast.Match() | ast.Try() if (
                    has_jumps([node])
                ):
                    changed = self._compound(node, loop)
                    return [*done, changed, *self._guarded([node], rest, loop)]
            done.append(node)
        return done

    def _return(self, node: ast.Return, loop: _Loop | None) -> Body:
        value = node.value or _located(ast.Constant(None), node)
        target = ast.Name(self.result, ast.Store())
        done = [_located(ast.Assign([target], value), node)]
        done.append(_set(self.returned, True, node))
        if loop is not None and loop.until != self.returned:
            if loop.broken:
                done.append(_set(loop.broken, True, node))
            done.append(_set(loop.until, True, node))
        return done

    def _if(self, node: ast.If, rest: Body, loop: _Loop | None) -> Body:
        ends = never_completes(node.body), never_completes(node.orelse)
        body, orelse = list(node.body), list(node.orelse)
        after: Body = []
        if ends == (True, False):
            orelse += rest
        elif ends == (False, True):
            body += rest
        elif ends == (False, False):
            after = self._guarded([node], rest, loop)
        body, orelse = self.block(body, loop), self.block(orelse, loop)
        changed = ast.If(node.test, body or [_pass(node)], orelse)
        return [ast.copy_location(changed, node), *after]

    def _try(self, node: ast.Try, rest: Body, loop: _Loop | None) -> Body:
        """What follows moves to the one path that goes on behind the try statement, if
        there is one."""
        handlers = [h for h in node.handlers if not never_completes(h.body)]
        normal = not (never_completes(node.body) or never_completes(node.orelse))
        after: Body = []
        changed = copy.copy(node)
        if normal and not handlers:
            changed.orelse = [*node.orelse, *rest]
        elif not normal and len(handlers) == 1:
            (goes_on,) = handlers
            longer = copy.copy(goes_on)
            longer.body = [*goes_on.body, *rest]
            changed.handlers = [longer if h is goes_on else h for h in node.handlers]
        else:
            after = self._guarded([node], rest, loop)
        return [self._compound(changed, loop), *after]

    def _compound(self, node: ast.stmt, loop: _Loop | None) -> ast.stmt:
        """The blocks of with, match and try; a jump out of the body of a try skips its
        else."""
        changed = copy.copy(node)
        if isinstance(changed, ast.Match):
            changed.cases = [
                ast.match_case(c.pattern, c.guard, self.block(c.body, loop))
                for c in changed.cases
            ]
            return changed
        if isinstance(changed, ast.Try):
            changed.orelse = self._guarded(changed.body, changed.orelse, loop)
            changed.hides_exceptions = leaves_early(changed.finalbody)  # type: ignore[attr-defined]
            changed.finalbody = self.block(changed.finalbody, loop)
            undone = self._undone_jumps(changed.body, loop)
            handlers = []
            for handler in changed.handlers:
                handlers.append(copy.copy(handler))
                resets = [_set(flag, False, handler.body[0]) for flag in undone]
                handlers[-1].body = [*resets, *self.block(handler.body, loop)]
            changed.handlers = handlers
        changed.body = self.block(changed.body, loop)  # type: ignore[attr-defined]
        return changed

    def _undone_jumps(self, body: Body, loop: _Loop | None) -> list[str]:
        """The flags of jumps behind which something may raise: where a manager or a
        finally block does, the jump is not taken."""
        around = [
            node
            for node in nodes_in_scope(body)
            if isinstance(node, ast.With | ast.AsyncWith)
            or (isinstance(node, ast.Try) and node.finalbody)
        ]
        flags: list[str] = []
        if leaves(around, ast.Return):
            flags.append(self.returned)
        if loop is not None:
            if leaves(around, ast.Return, ast.Break):
                flags += [loop.until, loop.broken]
            if leaves(around, ast.Continue):
                flags.append(loop.skipped)
        return [flag for flag in dict.fromkeys(flags) if flag]

    def _guarded(self, skipping: Body, rest: Body, loop: _Loop | None) -> Body:
        """What follows statements that may jump: run where they did not."""
        if not rest or never_completes(skipping):
            return []
        flags = self._flags_set(skipping, loop)
        if not flags:
            return self.block(rest, loop)
        return [self._unless(flags, self.block(rest, loop), rest[0])]

    def _flags_set(self, skipping: Sequence[ast.stmt], loop: _Loop | None) -> list[str]:
        flags = []
        if loop is not None and leaves(skipping, ast.Break):
            flags.append(loop.until)
        if loop is not None and leaves(skipping, ast.Continue):
            flags.append(loop.skipped)
        if self.returns and leaves(skipping, ast.Return):
            flags.append(self.returned if loop is None else loop.until)
        return list(dict.fromkeys(flags))

    def _unless(self, flags: list[str], body: Body, where: ast.stmt) -> ast.stmt:
        self.read.update(flags)
        names: list[ast.expr] = [ast.Name(f, ast.Load()) for f in flags]
        test = names[0] if len(names) == 1 else ast.BoolOp(ast.Or(), names)
        return _located(ast.If(test, [ast.Pass()], body), where)

    # ---------------------------------------------------------------- loops

    def _loop(
        self, node: ast.For | ast.AsyncFor | ast.While, rest: Body, loop: _Loop | None
    ) -> Body:
        body = list(node.body)
        changed: Any = copy.copy(node)
        place = f".{self.owner}.{node.lineno}_{node.col_offset}"
        own = _Loop(f"{place}:left_loop", f"{place}:skipped")
        breaks, returns = leaves(body, ast.Break), leaves(body, ast.Return)
        if isinstance(node, ast.While) and assigns(node.test):
            # what the test assigns is differentiated in the body
            leave = _located(ast.Break(), node.test)
            leave.by_test = True
            body = [_located(ast.If(node.test, body, [leave]), node.test)]
            changed.test = _located(ast.Constant(True), node.test)
            if breaks or returns:
                own.broken = f"{place}:broken"
            breaks = True
        elif returns and not breaks:
            own.until = self.returned
        before: Body = []
        changed.body = self.block(body, own)
        changed.orelse = []
        if leaves(body, ast.Continue):
            changed.body.insert(0, _set(own.skipped, False, body[0]))
        if breaks or returns:
            changed.until = own.until
            self.read.add(own.until)
            if own.until != self.returned:
                before.append(_set(own.until, False, node))
        if own.broken:
            before.append(_set(own.broken, False, node))
        orelse = list(node.orelse)
        if orelse and leaves(node.body, ast.Break):
            flag = own.broken or own.until
            self.read.add(flag)
            left = _located(ast.Name(flag, ast.Load()), node)
            orelse = [_located(ast.If(left, [_pass(node)], orelse), node.orelse[0])]
        after = self.block([*orelse, *rest], loop)
        if not returns:
            return [*before, changed, *after]
        leaving: Body = []
        if loop is not None and loop.until != self.returned:
            # the loop around this one ends too
            leave = _located(ast.Break(), node)
            ends = ast.If(ast.Name(self.returned, ast.Load()), [leave], [])
            self.read.add(self.returned)
            leaving = self.block([_located(ends, node)], loop)
        if after:
            after = [self._unless([self.returned], after, node)]
        return [*before, changed, *leaving, *after]


# -------------------------------------------------------------------- syntax


def _set(flag: str, value: bool, where: ast.AST) -> ast.stmt:
    target = ast.Name(flag, ast.Store())
    return _located(ast.Assign([target], ast.Constant(value)), where)


def _is_unread_flag(node: ast.stmt, read: set[str]) -> bool:
    match node:
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name.startswith(".") and ":" in name and name not in read
    return False


def _pass(where: ast.AST) -> ast.stmt:
    return _located(ast.Pass(), where)


def _located(node, where: ast.AST):
    """A new node at the place of another."""
    for inner in ast.walk(node):
        if "lineno" in inner._attributes and not hasattr(inner, "lineno"):
            ast.copy_location(inner, where)
    return node
