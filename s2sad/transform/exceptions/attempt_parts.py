"""The parts of try bodies, see :mod:`s2sad.transform.exceptions.parted_attempts`."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from s2sad import ir, ops
from s2sad.transform.exceptions import raised_exceptions
from s2sad.transform.exceptions.half_done import half_done, written_within
from s2sad.transform.reverse.assembled_statements import is_caught


class Whole(Exception):
    """A try statement can't be taken apart."""


class PassesBy(Whole):
    """Something that is raised passes by a finally block that raises something else:
    the statement around, which may have a handler for it, has to be taken apart."""


@dataclass(frozen=True)
class Attempt:
    """A try statement that is being taken apart."""

    failed: ir.Var
    """True where one of its handlers has something to do."""
    handlers: tuple[ir.Handler, ...]
    """They note what happened, or raise."""
    later: tuple[tuple[ir.Var | None, ir.Block], ...]
    """What the handlers do behind the parts, each with the flag that tells it from
    the first."""


@dataclass(frozen=True)
class Parts:
    """Takes apart blocks inside try statements, the innermost first."""

    parting: Any
    attempts: tuple[Attempt, ...]
    needed: frozenset[str]
    caught: Callable[[ir.Statement], bool]
    """True for a statement that may raise what a handler is for."""
    whole: ir.Block
    """The body of the outermost of the try statements."""

    @property
    def flags(self) -> list[ir.Var]:
        return [attempt.failed for attempt in self.attempts]

    def block(self, block: ir.Block) -> ir.Block:
        """The block in parts; a flag is true behind it where something was raised."""
        part: list[ir.Statement] = []
        written: set[str] = set()
        for position, s in enumerate(block):
            rest = block[position + 1 :]
            if ops.never_returns(s) and (jump := self.jump(s)):
                return self.close(part, jump)
            if self.descends(s):
                return self.close(part, self.inside(s, rest))
            if written & self.needed and any(map(self.caught, ir.walk((s,)))):
                return self.close(part, self.block(block[position:]))
            part.append(s)
            written |= written_within(s)
        return self.close(part, ())

    def final(self, block: ir.Block, body: ir.Block) -> ir.Block:
        """A finally block in parts, behind the parts of a body. It is run whatever was
        raised before: flags of its own say what is raised in it, and set the others
        behind it. What is raised last counts."""
        handlers = tuple(h for attempt in self.attempts for h in attempt.handlers)
        parting = self.parting
        passed = raised_exceptions.passed_by(
            handlers, parting.around, parting.all_kinds
        )
        if any(map(self.caught, ir.walk(block))) and any(map(passed, ir.walk(body))):
            raise PassesBy
        own = [
            (attempt, _noting(attempt, self.parting.flag("failed")))
            for attempt in self.attempts
        ]
        parts = replace(self, attempts=tuple(a for _, a in own)).block(block)
        raised = [
            a.failed for a, _ in own if any(_sets(a.failed, s) for s in ir.walk(body))
        ]
        before: ir.Block = ()
        behind: ir.Block = ()
        for attempt, inside in own:
            span, flag, failed = block[0].span, inside.failed, attempt.failed
            written = any(flag in ir.direct_writes(s) for s in ir.walk(parts))
            if written or any(flag in ir.direct_reads(s) for s in ir.walk(parts)):
                before += (ir.Assign(span, flag, ir.Const(False), ir.BOOL),)
            if not written:
                continue
            others = tuple(
                ir.Assign(span, other, ir.Const(False), ir.BOOL)
                for other in raised
                if other != failed
            )
            if others:
                behind += (ir.If(span, flag, others, ()),)
            noted = ir.Assign(span, failed, ir.Const(True), ir.BOOL)
            again: ir.Block = (ir.If(span, flag, (noted,), ()),)
            if failed in raised:
                again = self.unless_failed([failed], again)
            behind += again
        return (*before, *parts, *behind)

    def close(self, part: list[ir.Statement], then: ir.Block) -> ir.Block:
        """Statements that are done wholly or not at all, and what follows them."""
        block = tuple(part)
        around: list[Attempt] = []
        for attempt in self.attempts:
            if self.may_fail(block, attempt):
                around.append(attempt)
                handlers = _anew(attempt.handlers)
                block = (ir.Try(block[0].span, block, handlers, (), ()),)
        if not around:
            return (*block, *then)
        then = self.unless_failed([a.failed for a in around[:-1]], then)
        (outermost,) = block
        return (replace(outermost, orelse=then),)  # type: ignore[call-arg]

    def may_fail(self, block: ir.Block, attempt: Attempt) -> bool:
        """True where something may leave a block that a handler is for: not what a try
        statement in it surely catches."""
        kinds = self.parting.all_kinds
        caught = raised_exceptions.caught_from(attempt.handlers, kinds)
        awaited = raised_exceptions.awaited_by(attempt.handlers)

        def fails(block: ir.Block) -> bool:
            for s in block:
                blocks = ir.blocks_of(s)
                if isinstance(s, ir.Try) and s.handlers:
                    kept = raised_exceptions.surely_caught(s.handlers)
                    if all(issubclass(c, kept) for c in awaited):
                        blocks = (*(h.body for h in s.handlers), s.orelse, s.final)
                if caught(s) or any(map(fails, blocks)):
                    return True
            return False

        return fails(block)

    def unless_failed(self, flags: list[ir.Var], block: ir.Block) -> ir.Block:
        """A block that is run where none of the flags is true. It may set them, so
        that the test is of a variable of its own: the reverse sweep asks it again."""
        for flag in flags if block else ():
            span, test = block[0].span, self.parting.flag("failed")
            block = (ir.Assign(span, test, flag, ir.BOOL), ir.If(span, test, (), block))
        return block

    def descends(self, s: ir.Statement) -> bool:
        """True for what has to be taken apart itself."""
        if isinstance(s, ir.If) and any(map(ops.never_returns, ir.walk((s,)))):
            return True
        if any(id(inner) in self.parting.forced for inner in ir.walk((s,))):
            return True
        return type(s) in ir.COMPOUND and bool(
            half_done((s,), self.caught, self.whole) & self.needed
        )

    def inside(self, s: ir.Statement, rest: ir.Block) -> ir.Block:
        """A compound statement in parts, and what follows it."""
        match s:
            case ir.If(body=body, orelse=orelse):
                if ops.ends_raising(body):
                    changed = replace(s, body=self.block(body))
                    return (replace(changed, orelse=self.block((*orelse, *rest))),)
                if ops.ends_raising(orelse):
                    changed = replace(s, orelse=self.block(orelse))
                    return (replace(changed, body=self.block((*body, *rest))),)
                changed = replace(s, body=self.block(body), orelse=self.block(orelse))
                done: ir.Block = (changed,)
            case ir.For() | ir.While():
                done = self.loop(s)
            case ir.Try(handlers=()):
                parts = self.block((*s.body, *s.orelse))
                final = self.final(s.final, parts)
                done = (replace(s, body=parts, orelse=(), final=final),)
            case ir.Try():
                done = self.parting.attempt(s, self.attempts, self.needed, self.whole)
            case ir.With(
                value=ir.Apply(function=np.errstate), body=body
            ):  # sees no exception
                first, others = body[:1], body[1:]
                if not (first and _is_entered(first[0])):
                    first, others = (), body
                done = (replace(s, body=(*first, *self.block(others))),)
            case _:
                raise Whole
        flags = _set_within(self.flags, done)
        return (*done, *self.unless_failed(flags, self.block(rest)))

    def loop(self, s: ir.Loop) -> ir.Block:
        """A loop, which ends where something was raised."""
        body = self.block(s.body)
        raises = isinstance(s, ir.While) and any(map(self.caught, ir.walk(s.condition)))
        flags = self.flags if raises else _set_within(self.flags, body)
        if not flags:
            return (replace(s, body=body),)
        if s.until is None and len(flags) == 1 and not raises:
            return (replace(s, body=body, until=flags[0]),)
        before: list[ir.Statement] = []

        def new_flag(name: str) -> ir.Var:
            flag = self.parting.flag(name)
            before.append(ir.Assign(s.span, flag, ir.Const(False), ir.BOOL))
            return flag

        ended, causes = new_flag("ended"), [*flags]
        if s.until is not None:
            causes.append(s.until)
        if isinstance(s, ir.While) and raises:
            causes.append(new_flag("done"))
            last = ir.Assign(s.span, causes[-1], ir.Const(True), ir.BOOL)
            going_on = ir.If(s.span, s.test, body, (last,))
            body = self.block(s.condition) + self.unless_failed(flags, (going_on,))
            s = replace(s, condition=(), test=ir.Const(True))
        asked: ir.Block = ()
        for cause in causes:
            end = ir.Assign(s.span, ended, ir.Const(True), ir.BOOL)
            asked = (ir.If(s.span, cause, (end,), asked),)
        return (*before, replace(s, body=(*body, *asked), until=ended))

    def jump(self, s: ir.Statement) -> ir.Block:
        """What raising an exception comes to where a handler here is for it; ()
        where that isn't known."""
        assert isinstance(s, ir.Effect)
        handlers = [h for attempt in self.attempts for h in attempt.handlers]
        kinds = self.parting.all_kinds
        handler = raised_exceptions.handler_for(s.value, handlers, kinds)
        if handler is None or ops.ends_raising(handler.body):
            return ()
        first, *others = body = ir.copied(handler.body)
        if not is_caught(body[:1]):
            return body
        if raised_exceptions.raised_class(s.value) is not None:
            return ()  # it is made where it is raised
        assert isinstance(first, ir.Assign)
        return (replace(first, value=s.value.args[0]), *others)


def _noting(attempt: Attempt, flag: ir.Var) -> Attempt:
    """The try statement with another flag."""

    def renamed(s: ir.Statement) -> ir.Block:
        own = isinstance(s, ir.Assign) and s.target == attempt.failed
        return (replace(s, target=flag),) if own else (s,)  # type: ignore[call-arg]

    handlers = tuple(
        replace(h, body=ir.with_leaves(h.body, renamed)) for h in attempt.handlers
    )
    return replace(attempt, failed=flag, handlers=handlers)


def _sets(flag: ir.Var, s: ir.Statement) -> bool:
    return isinstance(s, ir.Assign) and s.target == flag and s.value == ir.Const(True)


def _set_within(flags: list[ir.Var], block: ir.Block) -> list[ir.Var]:
    """The flags that a block sets."""
    written = {v for s in ir.walk(block) for v in ir.direct_writes(s)}
    return [flag for flag in flags if flag in written]


def _is_entered(s: ir.Statement) -> bool:
    return ir.applies(s, ir.entered_value)


def _anew(handlers: tuple[ir.Handler, ...]) -> tuple[ir.Handler, ...]:
    """The handlers for another try: statements are told apart by identity."""
    return tuple(replace(h, body=ir.copied(h.body)) for h in handlers)
