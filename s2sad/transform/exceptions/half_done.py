"""What a try body may leave half done.

A handler doesn't know how far the body came. What the body assigned before something
raised must not be needed by the handler, or behind it.
"""

from collections.abc import Callable

from s2sad import ir
from s2sad.analysis.reverse.activity import SLOTS, may_store
from s2sad.source.normalise.jumps import is_jump_flag

Names = frozenset[str]


def half_done(
    body: ir.Block,
    raises: Callable[[ir.Statement], bool] = ir.may_raise,
    whole: ir.Block | None = None,
) -> set[str]:
    """The variables that a block may have assigned when something in it raises, and
    SLOTS where it may have stored into some; ``raises`` tells which statements may. The
    block is a part of ``whole``.

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
            name.split("~")[0]
            for s in ir.walk(whole)
            if isinstance(s, ir.Assign) and s.value == ir.Const(False)
            for name in ir.names_written(s)
        }
        """Flags of jumps that stay inside: the body resets them."""

    def block(self, block: ir.Block, written: Names) -> Names:
        """The variables that are written at the end of a block."""
        for s in block:
            if self.raises(s):
                self.found |= written
            if isinstance(s, ir.COMPOUND):
                written = self.compound(s, written | ir.names_written(s))
            else:
                written |= written_within(s)
        return written

    def compound(self, s: ir.Statement, written: Names) -> Names:
        """The same of one statement."""

        def run(region: ir.Region, start: Names) -> Names | None:
            """None where the end is reached by a jump out of the body alone: behind it
            nothing more is run."""
            end = self.block(region.block, start)
            return None if any(map(self.leaves, end - written)) else end

        inside = written | written_within(s)
        if isinstance(s, ir.With) and s.swallows:
            self.found |= inside  # the exit of a manager of the user's may raise
        if isinstance(s, ir.Try):
            self.block(s.final, inside)
            # what was raised is raised again behind the finally block
            self.found |= ir.names_written_in(s.final)
        behind = ir.follow(s, written, run, frozenset.union, anywhere_in)
        return written if behind is None else behind

    def leaves(self, name: str) -> bool:
        return is_jump_flag(name) and name.split("~")[0] not in self.own


def anywhere_in(region: ir.Region, written: Names) -> Names:
    """What may have been written where something in a region raises."""
    return written.union(*map(written_within, region.block))


def written_within(s: ir.Statement) -> Names:
    """The variables that a statement or its blocks assign, with SLOTS where they may
    store into some."""
    stores = any(
        may_store(operation.function)
        for inner in ir.walk((s,))
        for operation in ir.operations(inner)
    )
    return ir.names_written_within(s) | (frozenset([SLOTS]) if stores else frozenset())
