"""Array choices: branches on what the name of an array means, as ``if`` statements.

Takes a block with choices, gives one without. Neighbours on the same name become one,
and a test that has been made isn't made again::

    choose c: {0: a[i] = v, 1: b[i] = v}         c.is.0 = c.which == 0
    choose c: {0: s = a[j], 1: s = b[j]}    ->   if c.is.0: a[i] = v; s = a[j]
                                                 else:      b[i] = v; s = b[j]
"""

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from s2sad import ir


@dataclass(frozen=True, slots=True, eq=False)
class Choice(ir.Statement):
    """A branch on what a name means; it becomes ``if`` statements in the end."""

    name: str = ""
    blocks: Mapping[int, ir.Block] = field(default_factory=dict)


class Branches:
    """Writes choices as ``if`` statements; ``which`` gives the variable that tells what
    a name means.

    >>> first = (ir.Assign(None, ir.Var("s"), ir.Var("a")),)
    >>> second = (ir.Assign(None, ir.Var("s"), ir.Var("b")),)
    >>> choice = Choice(None, "c", {0: first, 1: second})
    >>> lines = Branches(lambda name: ir.Var(f"{name}.which")).lowered((choice,))
    >>> print("\\n".join(ir.block_lines(lines)))
    c.is.0 = eq(c.which, 0)  # bool
    if c.is.0:
        s = a
    else:
        s = b
    """

    def __init__(self, which: Callable[[str], ir.Var]) -> None:
        self.which = which
        self._tested: dict[str, str] = {}
        """For each variable of a test: the name of which it asks what it means."""

    def lowered(self, block: ir.Block, known: frozenset[str] = frozenset()) -> ir.Block:
        """The block with ``if`` statements; neighbours on the same name are one.
        ``known`` are the tests that have been made."""
        merged: list[ir.Statement] = []
        for s in block:
            last = merged[-1] if merged else None
            if isinstance(s, Choice) and isinstance(last, Choice):
                if last.name == s.name and list(last.blocks) == list(s.blocks):
                    if not self._changes_number(last):
                        blocks = {k: (*b, *s.blocks[k]) for k, b in last.blocks.items()}
                        merged[-1] = replace(last, blocks=blocks)
                        continue
            merged.append(s)
        lines: list[ir.Statement] = []
        for s in merged:
            if isinstance(s, Choice):
                lines += self._ifs(s, known)
                first, *others = s.blocks
                if others:
                    known |= {self._test(s.name, first).name}
            elif isinstance(s, ir.COMPOUND):
                inside = known
                if not isinstance(s, ir.If):
                    inside = self._still_known(known, (s,))
                lines.append(
                    ir.with_blocks(s, lambda b, k=inside: self.lowered(b, k))  # type: ignore[misc]
                )
            else:
                lines.append(s)
            known = self._still_known(known, (s,))
        return tuple(lines)

    def _still_known(self, known: frozenset[str], block: ir.Block) -> frozenset[str]:
        """The tests that hold behind a block, too."""
        written: set[str] = set()
        for s in ir.walk(block):
            written |= ir.names_written(s)
            if isinstance(s, Choice):
                for inner in s.blocks.values():
                    written |= {v.name for x in inner for v in ir.direct_writes(x)}
        return frozenset(
            test for test in known if self.which(self._tested[test]).name not in written
        )

    def _changes_number(self, choice: Choice) -> bool:
        number = self.which(choice.name)
        return any(
            number in ir.direct_writes(s) for b in choice.blocks.values() for s in b
        )

    def _test(self, name: str, number: int) -> ir.Var:
        test = ir.Var(f"{name}.is.{number}")
        self._tested[test.name] = name
        return test

    def _ifs(self, choice: Choice, known: frozenset[str] = frozenset()) -> ir.Block:
        (number, block), *others = choice.blocks.items()
        if not others:
            return block
        test = self._test(choice.name, number)
        compared = ir.Apply(operator.eq, (self.which(choice.name), ir.Const(number)))
        rest = self._ifs(replace(choice, blocks=dict(others)))
        made = ir.Assign(choice.span, test, compared, ir.BOOL)
        branch = ir.If(choice.span, test, block, rest)
        return (branch,) if test.name in known else (made, branch)
