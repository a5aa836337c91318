"""Homes: the smallest block that holds all occurrences of a variable, those in reverse
lines among them.
"""

from __future__ import annotations

from s2sad.ir.nodes import Apply, Assign, Block, For, Statement, Var, While
from s2sad.ir.walking import direct_reads, direct_writes, walk
from s2sad.transform.lists import appended
from s2sad.transform.plans import BlockPlan


class Homes:
    """The home of each variable, and which variables loops overwrite."""

    def __init__(self) -> None:
        self.home: dict[str, BlockPlan] = {}
        self.paths: dict[str, tuple[BlockPlan, ...]] = {}
        self.written_in_loop: set[str] = set()

    def note(self, name: str, path: tuple[BlockPlan, ...]) -> None:
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

    def is_overwritten(self, name: str) -> bool:
        """True for variables that a loop overwrites."""
        return name in self.written_in_loop


def _only_grows(statement: Statement, grown: set[str]) -> bool:
    return _is_append(statement) and statement.target.name in grown  # type: ignore[attr-defined]


def _is_append(statement: Statement) -> bool:
    return (
        isinstance(statement, Assign)
        and isinstance(statement.target, Var)
        and isinstance(statement.value, Apply)
        and statement.value.function is appended
        and statement.value.args[0] == statement.target
    )


def _grown_lists(body: Block) -> set[str]:
    """The lists that are not read in the loops in which they grow: whatever reads them
    finds all their items, now and in reverse."""
    grown: set[str] = set()
    read: set[str] = set()
    for loop in body:
        inside = list(walk((loop,)))
        appends = {id(s): s.target.name for s in inside if _is_append(s)}  # type: ignore[attr-defined]
        grown |= set(appends.values())
        for s in inside:
            reads = {v.name for v in direct_reads(s)}
            if id(s) in appends:
                reads -= {appends[id(s)]}
            read |= reads & set(appends.values())
    return grown - read


def homes_of(plans: BlockPlan, parameters: tuple[str, ...]) -> Homes:
    """The homes of all variables of a function."""
    homes = Homes()
    for name in parameters:
        homes.note(name, (plans,))

    grown = _grown_lists(plans.statements())

    def visit(plan: BlockPlan, path: tuple[BlockPlan, ...], in_loop: bool) -> None:
        path = (*path, plan)
        note_lines(plan.entry, path)
        for inner in plan.plans:
            statement = inner.statement
            writes = [v.name for v in direct_writes(statement)]
            occurring = [v.name for v in direct_reads(statement)] + writes
            if isinstance(statement, For):
                # the loop variable belongs to the body, unless it is read after the
                # loop
                occurring = [n for n in occurring if n != statement.target.name]
                homes.note(statement.target.name, (*path, inner.blocks[0]))
            elif in_loop and not _only_grows(statement, grown):
                homes.written_in_loop.update(writes)
            for name in occurring:
                homes.note(name, path)
            note_lines((*inner.reverse, *inner.before), path)
            if inner.reverse_count is not None:
                homes.note(inner.reverse_count.name, path)
            loops = in_loop or isinstance(statement, For | While)
            for block in inner.blocks:
                visit(block, path, loops)

    def note_lines(lines: Block, path: tuple[BlockPlan, ...]) -> None:
        for line in walk(lines):
            for variable in direct_reads(line):
                homes.note(variable.name, path)

    visit(plans, (), False)
    homes.home = {name: path[-1] for name, path in homes.paths.items()}
    return homes
