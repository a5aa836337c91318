"""What programs do with their stacks of saved values."""

from dataclasses import dataclass, field

from s2sad import ir, ops
from s2sad.codegen.numba.programs import Facts


@dataclass
class Stack:
    """What is done with one stack."""

    name: str
    made: ir.Assign
    path: ir.Path
    """The compound statements around the line that makes it."""
    saves: list[tuple[ir.Save, ir.Path]] = field(default_factory=list)
    restores: list[tuple[ir.Restore, ir.Path]] = field(default_factory=list)
    others: list[ir.Statement] = field(default_factory=list)
    """Statements that read it and neither add to it nor take from it."""
    written_once: bool = True
    """False where another stack may get its name."""

    @property
    def function(self) -> object:
        """What makes it: ``new_stack``, or ``reversed`` of residuals."""
        assert isinstance(self.made.value, ir.Apply)
        return self.made.value.function


def stacks_of(facts: Facts) -> list[Stack]:
    """The stacks of a program, in the order in which they are made."""
    stacks: dict[str, Stack] = {}
    body = facts.function.body
    for s, path in ir.with_paths(body):
        if ir.is_line(s, ops.new_stack, reversed):
            stacks[s.target.name] = Stack(s.target.name, s, path)
        elif isinstance(s, ir.Save) and s.stack.name in stacks:
            stacks[s.stack.name].saves.append((s, path))
        elif isinstance(s, ir.Restore) and s.stack.name in stacks:
            stacks[s.stack.name].restores.append((s, path))
    for s in ir.walk(body):
        if not isinstance(s, ir.Save | ir.Restore):
            for name in ir.names_read(s) & set(stacks):
                stacks[name].others.append(s)
    for stack in stacks.values():
        stack.written_once = facts.writes[stack.name] == 1 + len(stack.saves)
    return list(stacks.values())
