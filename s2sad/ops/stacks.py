"""Stacks of kept values: their operations, as functions of the IR, and where they are
created.
"""

from s2sad import ir


def new_stack() -> list[object]:
    """An empty stack of kept values."""
    return []


def shortened_stack(stack: list[object], height: int) -> list[object]:
    """A stack as it was when it had this height."""
    return stack[:height]


def without_snapshot(stack: list[object], place: int) -> list[object]:
    """A stack of snapshots without the one at a place, counted from the end."""
    return [*stack[:place], *stack[len(stack) + place + 1 :]]


def common_length(first: list[object], *others: list[object]) -> int:
    """The length of stacks that are as high as each other."""
    return len(first)


SHORTER_STACKS = (shortened_stack, without_snapshot)
"""What takes values away from a stack; the second operand says which."""


def stack_height(stack: ir.Var) -> ir.Var:
    """The variable that holds the height of a stack before a try."""
    return ir.Var(f"{stack.name}.height")


def with_stacks(block: ir.Block, stacks: frozenset[str]) -> ir.Block:
    """Create each stack in front of the first statement of the block that uses it."""
    waiting = set(stacks)
    result: list[ir.Statement] = []
    for statement in block:
        used = waiting & {
            v.name
            for s in ir.walk((statement,))
            for v in (*ir.direct_writes(s), *ir.direct_reads(s))
        }
        for name in ir.in_order(used):
            result.append(ir.Assign(None, ir.Var(name), ir.Apply(new_stack, ())))
        waiting -= used
        result.append(statement)
    return tuple(result)
