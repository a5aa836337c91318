"""What a try body may leave half done.

A handler doesn't know how far the body came. What the body assigned before something
raised must not be needed by the handler, or behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from s2sad import ir
from s2sad.source.normalise.jumps import is_jump_flag

Names = frozenset[str]


def half_done(
    body: ir.Block,
    raises: Callable[[ir.Statement], bool] = ir.may_raise,
    whole: ir.Block | None = None,
) -> set[str]:
    """The variables that a block may have assigned when something in it raises;
    ``raises`` tells which statements may. The block is a part of ``whole``.

    >>> def root(x): ...
    >>> first = ir.Assign(None, ir.Var("y"), ir.Apply(root, (ir.Var("x"),)))
    >>> second = ir.Assign(None, ir.Var("z"), ir.Apply(root, (ir.Var("y"),)))
    >>> half_done((first, second))
    {'y'}
    """
    progress = _Progress(whole or body, raises)
    progress.block(body, frozenset())
    return progress.found


class _Progress:
    """Follows the paths of a try body."""

    def __init__(self, whole: ir.Block, raises: Callable[[ir.Statement], bool]) -> None:
        self.raises = raises
        self.found: set[str] = set()
        self.own = {
            v.name.split("~")[0]
            for s in ir.walk(whole)
            if isinstance(s, ir.Assign) and s.value == ir.Const(False)
            for v in ir.direct_writes(s)
        }
        """Flags of jumps that stay inside: the body resets them."""

    def block(self, block: ir.Block, written: Names) -> tuple[Names, Names]:
        """The variables that are written at the end of a block, and those that are
        written anywhere in it, also where it is left by a jump."""
        anywhere = written
        for s in block:
            if self.raises(s):
                self.found |= written
            written = written | {v.name for v in ir.direct_writes(s)}
            written, inside = self.compound(s, written)
            anywhere = anywhere | written | inside
        return written, anywhere

    def compound(self, s: ir.Statement, written: Names) -> tuple[Names, Names]:
        """The same of the blocks of one statement."""
        match s:
            case ir.If():
                ways = [self.block(block, written) for block in (s.body, s.orelse)]
                return self.joined([end for end, _ in ways], written), union(
                    inside for _, inside in ways
                )
            case ir.For() | ir.While():
                anywhere = written
                for _ in range(2):  # an iteration follows another
                    for block in ir.blocks_of(s):
                        end, inside = self.block(block, written)
                        anywhere |= inside
                        written |= self.joined([end], written)
                return written, anywhere
            case ir.Try():
                return self.attempt(s, written)
            case ir.With():
                end, inside = self.block(s.body, written)
                if s.swallows:  # a manager of the user's, whose exit may raise
                    self.found |= inside
                return end, inside
        return written, written

    def attempt(self, s: ir.Try, written: Names) -> tuple[Names, Names]:
        end, anywhere = self.block(s.body, written)
        end, inside = self.block(s.orelse, end)
        ends, begun = [end], written | anywhere
        anywhere |= inside
        for handler in s.handlers:
            end, inside = self.block(handler.body, begun)
            ends.append(end)
            anywhere |= inside
        final, inside = self.block(s.final, anywhere)
        # what was raised is raised again behind the finally block
        self.found |= {
            v.name for inner in ir.walk(s.final) for v in ir.direct_writes(inner)
        }
        return self.joined(ends, written) | (final - anywhere), anywhere | inside

    def joined(self, ends: list[Names], written: Names) -> Names:
        """What is written behind paths of which some may jump out of the body: behind a
        jump nothing more is run."""
        return union(
            (end for end in ends if not any(map(self.leaves, end - written))), written
        )

    def leaves(self, name: str) -> bool:
        return is_jump_flag(name) and name.split("~")[0] not in self.own


def union(sets: Iterable[Names], start: Names = frozenset()) -> Names:
    """All that is in one of the sets."""
    return start.union(*sets)
