"""Try statements in parts: what a try body assigned before something raised is known.

A handler that goes on with variables of the body must know how far the body came
(``half_done.py``). Then the body is taken apart, each part with as little in it as may
raise, and what the handler did is done behind them::

    try:                                   failed = False  # bool
        x = mul(2.0, x)                    x = mul(2.0, x)
        y = log(x)                         try:
        x = add(x, y)                          y = log(x)
        x = sqrt(x)            ->          except ValueError:
    except ValueError:                         failed = True
        x = add(x, 1.0)                    else:
                                               x = add(x, y)
                                               try:
                                                   x = sqrt(x)
                                               except ValueError:
                                                   failed = True
                                           if failed:
                                               x = add(x, 1.0)

A part is done wholly or not at all, as one NumPy call or one assignment is. A ``raise``
that a handler here is for is a jump.
"""

from collections import ChainMap
from collections.abc import Callable, Set
from dataclasses import replace

from s2sad import ir, ops
from s2sad.analysis.dataflow.liveness import live_variables
from s2sad.analysis.passes.copies import propagate_copies
from s2sad.analysis.passes.dead_code import remove_dead_code
from s2sad.analysis.reverse.activity import SLOTS
from s2sad.transform.exceptions.attempt_bounds import with_narrow_attempts
from s2sad.transform.exceptions.attempt_parts import Attempt, Parts, PassesBy, Whole
from s2sad.transform.exceptions.half_done import half_done
from s2sad.transform.exceptions.raised_exceptions import (
    caught_from,
    classes_of,
    raised_again,
    raised_class,
)
from s2sad.transform.programs.webs import split_webs
from s2sad.transform.reverse.assembled_statements import is_caught

MOST_NESTED = 24
"""Blocks in blocks: each part stands in the else of the one before, and Python's parser
gives up where they are too deep."""


def with_attempts_apart(
    function: ir.Function, fresh: Callable[[str], ir.Var] | None = None
) -> ir.Function:
    """The function with as little as possible in the bodies of try statements, and in
    parts those of which it must be known how far they came."""
    apart = with_narrow_attempts(function)
    apart = with_narrow_attempts(with_parted_attempts(apart, fresh))
    if apart is function:
        return function
    # a name may now be several variables
    return remove_dead_code(propagate_copies(split_webs(apart), keep_bounds=True))


def with_parted_attempts(
    function: ir.Function, fresh: Callable[[str], ir.Var] | None = None
) -> ir.Function:
    """The function with those try statements in parts of which a handler, or what
    follows it, goes on with what the body may have left half done; the same one where
    there is none. ``fresh`` names new variables.

    >>> import math
    >>> x = ir.Var("x")
    >>> body = (
    ...     ir.Assign(None, x, ir.Apply(math.sqrt, (x,))),
    ...     ir.Assign(None, x, ir.Apply(math.log, (x,))),
    ... )
    >>> handler = ir.Handler(ir.Const(ValueError), ())
    >>> whole = ir.Try(None, body, (handler,), (), ()), ir.Return(None, x)
    >>> print(ir.function_text(with_parted_attempts(
    ...     ir.Function("f", ("x",), whole, {"x": ir.FLOAT}))))
    def f(x: float):
        failed = False  # bool
        try:
            x = sqrt(x)
        except ValueError:
            failed = True  # bool
        else:
            try:
                x = log(x)
            except ValueError:
                failed = True  # bool
        return x
    """
    if not any(isinstance(s, ir.Try) and s.handlers for s in ir.walk(function.body)):
        return function
    parting = _Parting(function, fresh)
    body = parting.block(function.body)
    if not parting.kinds:
        return function
    return replace(function, body=body, kinds={**function.kinds, **parting.kinds})


class _Parting:
    """Rewrites one function."""

    def __init__(
        self, function: ir.Function, fresh: Callable[[str], ir.Var] | None
    ) -> None:
        self.function = function
        self.facts, _ = live_variables(function.body, lambda s: True)
        self.named = fresh or ir.Var
        self.kinds: dict[str, ir.Kind] = {}
        self.all_kinds = ChainMap(self.kinds, {**function.kinds})
        self.passing: frozenset[str] = frozenset()
        """What is needed of try statements that what is raised in them passes by: the
        one around has to be taken apart, too."""
        self.around: ir.Block = ()
        """The statements around that may wait for exceptions, and aren't in parts."""
        self.forced: set[int] = set()
        """Such statements, by identity."""

    def block(self, block: ir.Block) -> ir.Block:
        """The statements with try statements in parts where that is necessary."""
        done: list[ir.Statement] = []
        for s in block:
            needed: frozenset[str] = frozenset()
            parts: ir.Block = ()
            if isinstance(s, ir.Try) and s.handlers:
                needed = self.needed(s)
                if needed or self.only_jumps(s):
                    parts = self.taken_apart(s, needed)
            if not parts:
                passing, self.passing = self.passing, frozenset()
                whole = self.inside(s)
                if self.passing and isinstance(s, ir.Try) and s.handlers:
                    needed, self.passing = needed | self.passing, frozenset()
                    parts = self.taken_apart(s, needed)
                self.passing |= passing
            done += parts or (whole,)
        return tuple(done)

    def inside(self, s: ir.Statement) -> ir.Statement:
        """A statement that stays as it is, with those in its blocks in parts."""
        around = self.around
        if ir.catches(s):
            self.around += (s,)
        try:
            return ir.with_blocks(s, self.block)
        finally:
            self.around = around

    def taken_apart(self, s: ir.Try, needed: frozenset[str]) -> ir.Block:
        """The statement in parts; () where that can't be, and it is refused where it is
        reversed."""
        try:
            parts = self.attempt(s, (), needed)
        except Whole as whole:
            if isinstance(whole, PassesBy):
                self.passing |= needed
                self.forced.add(id(s))
            return ()
        return parts if _depth(parts) <= MOST_NESTED else ()

    def needed(self, s: ir.Try) -> frozenset[str]:
        """The variables with derivatives that are half done where a handler goes on."""
        goes_on = [h for h in s.handlers if not ops.ends_raising(h.body)]
        behind = self.live_after(s)
        live: set[str] = set()
        for handler in goes_on:
            first = handler.body[0] if handler.body else None
            live |= behind if first is None else self.live_before(first)
        kinds = self.function.kinds
        undone = half_done(s.body, caught_from(s.handlers, kinds)) if goes_on else set()
        # a list that isn't read any more has an adjoint, of the length it had before
        lists = frozenset(n for n in undone if isinstance(kinds.get(n), ir.List))
        with_adjoints = {n for n in undone if _may_have_adjoint(kinds.get(n))}
        # whatever is read behind it may stand in a slot
        needed = lists | (live & with_adjoints) | (undone & {SLOTS})
        if needed and s.orelse:  # in parts, it is run behind the handlers
            needed |= self.live_before(s.orelse[0]) & with_adjoints
        return needed

    def live_before(self, s: ir.Statement) -> Set[str]:
        """What is read behind a place: anything, in front of a line that was made."""
        return self.facts.before.get(id(s), self.function.kinds.keys())

    def live_after(self, s: ir.Statement) -> Set[str]:
        return self.facts.after.get(id(s), self.function.kinds.keys())

    def only_jumps(self, s: ir.Try) -> bool:
        """True where nothing but raise statements of the body is for a handler."""
        kinds = self.function.kinds
        caught = caught_from(s.handlers, kinds)
        return all(
            isinstance(inner, ir.Effect)
            and (raised_class(inner.value) or raised_again(inner.value, kinds))
            for inner in ir.walk(s.body)
            if caught(inner)
        ) and not any(isinstance(inner, ir.Try | ir.With) for inner in ir.walk(s.body))

    def attempt(
        self,
        s: ir.Try,
        around: tuple[Attempt, ...],
        needed: frozenset[str],
        whole: ir.Block = (),
    ) -> ir.Block:
        """A try statement in parts, within others, of which the outermost has the body
        ``whole``."""
        if s.final:
            inner = self.attempt(replace(s, final=()), around, needed, whole)
            final = s.final
            if around:
                final = self.parts(around, needed, whole).final(final, inner)
            return (ir.Try(s.span, inner, (), (), final),)
        caught = caught_from(s.handlers, self.all_kinds)
        if not any(map(caught, ir.walk(s.orelse))):
            s = replace(s, body=(*s.body, *s.orelse), orelse=())
        own = self.noting(s, bool(around))
        whole = whole or s.body
        here = self.parts((own, *around), needed, whole)
        parts = here.block(s.body)
        handled: ir.Block = ()
        raised = {s.target for s in ir.walk(parts) if _is_set(s)}  # type: ignore[attr-defined]
        for flag, block in reversed(own.later):
            if flag is not None and flag not in raised:
                continue  # another handler comes first
            if around:
                block = self.parts(around, needed, whole).block(block)
            else:
                block = self.block(block)
            handled = block if flag is None else (ir.If(s.span, flag, block, handled),)
        orelse = s.orelse
        if around:
            orelse = self.parts(around, needed, whole).block(orelse)
        else:
            orelse = self.block(orelse)
        if not orelse and len(own.later) == 1 and _raises_once(own.failed, parts):
            return ir.with_leaves(
                parts, lambda s: handled if _sets(own.failed, s) else (s,)
            )
        # what isn't for a handler here may be for one around
        outer = [a.failed for a in around if a.failed in raised]
        if own.failed not in raised:
            handled = ()  # nothing is raised that a handler is for
            if not any(own.failed in ir.direct_reads(s) for s in ir.walk(parts)):
                return (*parts, *here.unless_failed(outer, orelse))
        flags = [own.failed, *(flag for flag, _ in own.later if flag is not None)]
        start = [ir.Assign(s.span, flag, ir.Const(False), ir.BOOL) for flag in flags]
        end = (ir.If(s.span, own.failed, handled, orelse),) if handled or orelse else ()
        return (*start, *parts, *here.unless_failed(outer, end))

    def parts(
        self, attempts: tuple[Attempt, ...], needed: frozenset[str], whole: ir.Block
    ) -> Parts:
        handlers = tuple(h for attempt in attempts for h in attempt.handlers)
        caught = caught_from(handlers, self.all_kinds)
        return Parts(self, attempts, needed, caught, whole)

    def flag(self, name: str) -> ir.Var:
        flag = self.named(name)
        self.kinds[flag.name] = ir.BOOL
        return flag

    def noting(self, s: ir.Try, inside: bool) -> Attempt:
        """Handlers that only note that they are due. Those that always raise stay,
        but ``inside`` another try, which may have a handler for that."""
        failed = self.flag("failed")
        going_on = [h for h in s.handlers if inside or not ops.ends_raising(h.body)]
        own = {id(h): self.flag("failed") for h in going_on[1:]}
        handlers: list[ir.Handler] = []
        later: list[tuple[ir.Var | None, ir.Block]] = []
        for handler in s.handlers:
            if handler not in going_on:
                handlers.append(handler)
                continue
            caught, body = self.caught(s, handler)
            due = {failed: True}  # what is raised last counts
            due |= {flag: key == id(handler) for key, flag in own.items()}
            noted = [ir.Assign(s.span, f, ir.Const(v), ir.BOOL) for f, v in due.items()]
            handlers.append(ir.Handler(handler.types, (*caught, *noted)))
            later.append((own.get(id(handler)), body))
        later = [*later[1:], *later[:1]]  # the first is the one without a flag
        return Attempt(failed, tuple(handlers), tuple(later))

    def caught(self, s: ir.Try, handler: ir.Handler) -> tuple[ir.Block, ir.Block]:
        """The line that names the exception, if there is one, and what the handler
        does behind the parts, where the exception is raised again by its name."""
        body = handler.body
        first, body = (body[:1], body[1:]) if is_caught(body[:1]) else ((), body)
        if not any(map(_raises_again, ir.walk(body))):
            return first, body
        if not first:
            error = self.named("error")
            kind = ir.Raised(classes=classes_of(handler.types) or ())
            self.kinds[error.name] = kind
            first = (ir.Assign(s.span, error, ir.Apply(ir.caught_exception, ()), kind),)
        (named,) = first
        assert isinstance(named, ir.Assign) and isinstance(named.target, ir.Var)
        again = ir.Apply(ops.raise_exception, (named.target,))

        def raised(line: ir.Statement) -> ir.Block:
            return (ir.Effect(line.span, again),) if _raises_again(line) else (line,)

        return first, ir.with_leaves(body, raised)


def _depth(block: ir.Block) -> int:
    """How many blocks are in one another."""
    inner = [b for s in block for b in ir.blocks_of(s) if b]
    return 1 + max(map(_depth, inner), default=0)


def _raises_once(failed: ir.Var, parts: ir.Block) -> bool:
    """True where one place notes that something was raised, nothing asks, and nothing
    is left to do before the handler: no manager or finally block is around it."""
    statements = list(ir.walk(parts))
    asked = any(failed in ir.direct_reads(s) for s in statements)
    if asked or sum(_sets(failed, s) for s in statements) != 1:
        return False
    around = (s for s in statements if isinstance(s, ir.With) or _is_final(s))
    return not any(_sets(failed, inner) for s in around for inner in ir.walk((s,)))


def _is_final(s: ir.Statement) -> bool:
    return isinstance(s, ir.Try) and bool(s.final)


def _sets(flag: ir.Var, s: ir.Statement) -> bool:
    return isinstance(s, ir.Assign) and s.target == flag


def _is_set(s: ir.Statement) -> bool:
    return isinstance(s, ir.Assign) and s.value == ir.Const(True)


def _may_have_adjoint(kind: ir.Kind | None) -> bool:
    return not (isinstance(kind, ir.Scalar) and kind.type in ("int", "bool", "str"))


def _raises_again(s: ir.Statement) -> bool:
    return isinstance(s, ir.Effect) and s.value.function is ops.raise_again
