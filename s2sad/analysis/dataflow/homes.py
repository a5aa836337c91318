"""Homes: the smallest block that holds all occurrences of a variable, those in reverse
lines among them.
"""

from __future__ import annotations

from s2sad import ir


class Homes:
    """The home of each variable."""

    def __init__(self) -> None:
        self.home: dict[str, ir.BlockPlan] = {}
        self.paths: dict[str, tuple[ir.BlockPlan, ...]] = {}
        self.names: dict[int, list[str]] = {}

    def at_home(self, plan: ir.BlockPlan) -> list[str]:
        """The variables whose home a block is."""
        return self.names.get(id(plan), [])

    def note(self, name: str, path: tuple[ir.BlockPlan, ...]) -> None:
        """A variable occurs in the last block of a path, which lists the blocks from
        the whole function on."""
        known = self.paths.get(name)
        if known is None:
            self.paths[name] = path
        else:
            common = 0
            while common < min(len(known), len(path)) and known[common] is path[common]:
                common += 1
            self.paths[name] = known[:common]


def homes_of(plans: ir.BlockPlan, parameters: tuple[str, ...]) -> Homes:
    """The homes of all variables of a function."""
    homes = Homes()
    for name in parameters:
        homes.note(name, (plans,))

    def visit(plan: ir.BlockPlan, path: tuple[ir.BlockPlan, ...]) -> None:
        path = (*path, plan)
        note_lines(plan.entry, path)
        for inner in plan.plans:
            statement = inner.statement
            writes = [v.name for v in ir.direct_writes(statement)]
            occurring = [v.name for v in ir.direct_reads(statement)] + writes
            if isinstance(statement, ir.For):
                # the loop variable belongs to the body, unless it is read after the
                # loop
                occurring = [n for n in occurring if n != statement.target.name]
                homes.note(statement.target.name, (*path, inner.blocks[0]))
            for name in occurring:
                homes.note(name, path)
            note_lines((*inner.reverse, *inner.before), path)
            if inner.reverse_count is not None:
                homes.note(inner.reverse_count.name, path)
            for block in inner.blocks:
                visit(block, path)

    def note_lines(lines: ir.Block, path: tuple[ir.BlockPlan, ...]) -> None:
        for line in ir.walk(lines):
            for variable in ir.direct_reads(line):
                homes.note(variable.name, path)

    visit(plans, ())
    homes.home = {name: path[-1] for name, path in homes.paths.items()}
    for name, home in homes.home.items():
        homes.names.setdefault(id(home), []).append(name)
    return homes
