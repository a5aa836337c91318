"""Common dominators: the smallest block that holds all occurrences of a variable, those
in reverse lines among them.
"""

from s2sad import ir


class CommonDominators:
    """The smallest block that holds all occurrences of each variable."""

    def __init__(self) -> None:
        self.dominator: dict[str, ir.BlockPlan] = {}
        self.paths: dict[str, tuple[ir.BlockPlan, ...]] = {}
        self.names: dict[int, list[str]] = {}

    def dominated_by(self, plan: ir.BlockPlan) -> list[str]:
        """The variables whose smallest block this is."""
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

    def note_plans(self, path: tuple[ir.BlockPlan, ...]) -> None:
        """All that occurs in the last block of a path."""
        self.note_lines(path[-1].entry, path)
        for inner in path[-1].plans:
            statement = inner.statement
            writes = [v.name for v in ir.direct_writes(statement)]
            occurring = [v.name for v in ir.direct_reads(statement)] + writes
            if isinstance(statement, ir.For):
                # the loop variable belongs to the body, unless it is read after the
                # loop
                occurring = [n for n in occurring if n != statement.target.name]
                self.note(statement.target.name, (*path, inner.blocks[0]))
            for name in occurring:
                self.note(name, path)
            self.note_lines((*inner.reverse, *inner.before), path)
            if inner.reverse_count is not None:
                self.note(inner.reverse_count.name, path)
            for block in inner.blocks:
                self.note_plans((*path, block))

    def note_lines(self, lines: ir.Block, path: tuple[ir.BlockPlan, ...]) -> None:
        """All that lines in such a block read."""
        for line in ir.walk(lines):
            for variable in ir.direct_reads(line):
                self.note(variable.name, path)


def common_dominators_of(
    plans: ir.BlockPlan, parameters: tuple[str, ...]
) -> CommonDominators:
    """Those of all variables of a function."""
    dominators = CommonDominators()
    for name in parameters:
        dominators.note(name, (plans,))
    dominators.note_plans((plans,))
    dominators.dominator = {name: path[-1] for name, path in dominators.paths.items()}
    for name, block in dominators.dominator.items():
        dominators.names.setdefault(id(block), []).append(name)
    return dominators
