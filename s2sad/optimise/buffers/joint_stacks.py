"""Joint stacks: values that a loop keeps together are put on one stack, as a tuple.

::

    save a on a.saved                       save tuple(a, b, c) on kept
    save b on b.saved
    save c on c.saved                ->
    ...                                     ...
    restore c from c.saved                  restore kept.values from kept
    restore b from b.saved                  tuple(a, b, c) = kept.values
    restore a from a.saved

Each call of ``append`` and ``pop`` takes as long as two operations on numbers; an item
more in a tuple takes much less. Where there are few values, it doesn't pay. Arrays that
the program writes into stay on stacks of their own, where they are copied one by one
(``own_buffers.py``) or become rows of one array (``saved_rows.py``).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from s2sad import ir, ops
from s2sad.analysis.memory.memory import Memory
from s2sad.analysis.memory.points_to import points_to

FEWEST = 3
"""So many values are kept together, or more."""


def join_stacks(function: ir.Function) -> ir.Function:
    """The function with the values that are kept together on one stack.

    >>> names = "abcd"
    >>> made = [
    ...     ir.Assign(None, ir.Var(f"{n}.saved"), ir.Apply(ops.new_stack, ()))
    ...     for n in names
    ... ]
    >>> saves = tuple(ir.Save(None, ir.Var(f"{n}.saved"), ir.Var(n)) for n in names)
    >>> back = tuple(ir.Restore(None, ir.Var(n), ir.Var(f"{n}.saved")) for n in names)
    >>> def loop(body):
    ...     return ir.For(
    ...         None, ir.Var("i"), ir.Const(0), ir.Const(9), ir.Const(1), body
    ...     )
    >>> body = (*made, loop(saves), loop(back), ir.Return(None, ir.Var("a")))
    >>> kinds = dict.fromkeys(names, ir.FLOAT)
    >>> print(
    ...     ir.function_text(join_stacks(ir.Function("f", tuple(names), body, kinds)))
    ... )
    def f(a: float, b: float, c: float, d: float):
        kept = new_stack()
        for i in range(0, 9, 1):
            save tuple(a, b, c, d) on kept
        for i in range(0, 9, 1):
            restore kept.values from kept
            tuple(a, b, c, d) = kept.values
        return a
    """
    statements = list(ir.walk(function.body))
    if sum(isinstance(s, ir.Save) for s in statements) < FEWEST:
        return function
    if any(isinstance(s, ir.Try) for s in statements):
        return function
    groups = list(_groups(function))
    if not groups:
        return function
    joined = ir.Rewriting(function)
    changes: dict[int, ir.Block] = {}
    for group in groups:
        stack = joined.named("kept", ir.UNKNOWN)
        values = joined.named(f"{stack.name}.values", ir.UNKNOWN)
        changes.update(group.changes(stack, values))

    def block(lines: ir.Block) -> ir.Block:
        result: list[ir.Statement] = []
        for s in lines:
            result += changes.get(id(s), (ir.with_blocks(s, block),))
        return ir.as_block(result, lines)

    return joined.finished(block(function.body))


@dataclass(frozen=True)
class _Stack:
    """One stack: where it is made, put on and taken from."""

    made: ir.Assign
    save: ir.Save
    restore: ir.Restore


@dataclass(frozen=True)
class _Group:
    """Stacks that become one, in the order in which values are put on them."""

    stacks: Sequence[_Stack]

    def changes(self, stack: ir.Var, values: ir.Var) -> Mapping[int, ir.Block]:
        """The lines in place of others."""
        first, last = self.stacks[0], self.stacks[-1]
        kept = ir.pack_tuple(*(s.save.value for s in self.stacks))
        taken = ir.pack_tuple(*(s.restore.target for s in self.stacks))
        gone: dict[int, ir.Block] = {
            id(line): () for s in self.stacks for line in (s.made, s.save, s.restore)
        }
        restored = _first_of([s.restore for s in self.stacks], self.order)
        return {
            **gone,
            id(first.made): (replace(first.made, target=stack),),
            id(last.save): (replace(last.save, stack=stack, value=kept),),
            id(restored): (
                replace(restored, target=values, stack=stack),
                ir.Assign(restored.span, taken, values, None, True),
            ),
        }

    order: Mapping[int, int]
    """Places of lines in the text."""


def _first_of(lines: Sequence[ir.Restore], order: Mapping[int, int]) -> ir.Restore:
    return min(lines, key=lambda s: order[id(s)])


def _groups(function: ir.Function) -> Iterator[_Group]:
    """The stacks that may become one."""
    order = {id(s): k for k, s in enumerate(ir.walk(function.body))}
    homes: dict[int, ir.Block] = {}

    def visit(block: ir.Block) -> None:
        for s in block:
            homes[id(s)] = block
            for inner in ir.blocks_of(s):
                visit(inner)

    visit(function.body)
    together: dict[tuple[int, ...], list[_Stack]] = {}
    written = _Written(function)
    for stack in _stacks(function):
        lines = (stack.made, stack.save, stack.restore)
        key = tuple(id(homes[id(line)]) for line in lines)
        together.setdefault(key, []).append(stack)
    for found in together.values():
        if len(found) < FEWEST:
            continue
        stacks = [s for s in found if not written.may_be(s.save.value)]
        stacks.sort(key=lambda s: order[id(s.save)])
        while len(stacks) >= FEWEST:
            wrong = _moved_wrongly(stacks, homes, order)
            if wrong is None:
                yield _Group(stacks, order)
                break
            stacks.remove(wrong)


class _Written:
    """The arrays that a program writes into."""

    def __init__(self, function: ir.Function) -> None:
        self.function = function

    def may_be(self, value: ir.Operand) -> bool:
        """True for an array that shares memory with one that is written into."""
        assert isinstance(value, ir.Var)
        if not isinstance(self.function.kinds.get(value.name), ir.Array):
            return False
        written = self._places
        return bool(written) and not self._memory.of(value.name).isdisjoint(written)

    @cached_property
    def _memory(self) -> Memory:
        return points_to(self.function).anywhere

    @cached_property
    def _places(self) -> frozenset[object]:
        places: set[object] = set()
        for s in ir.walk(self.function.body):
            if ir.is_line(s, *ops.WRITES):
                places |= self._memory.of(str(s.value.args[0]))
        return frozenset(places)


def _stacks(function: ir.Function) -> Iterator[_Stack]:
    """The stacks that one line puts numbers or arrays on, and one takes them from."""
    used: dict[str, list[ir.Statement]] = {}
    for s in ir.walk(function.body):
        for name in {v.name for v in (*ir.direct_reads(s), *ir.direct_writes(s))}:
            used.setdefault(name, []).append(s)
    for name, lines in used.items():
        match lines:
            case [
                ir.Assign(value=ir.Apply(function=known)) as made,
                ir.Save(value=ir.Var(name=value)) as save,
                ir.Restore(stack=stack) as restore,
            ] if known is ops.new_stack and name == stack.name == save.stack.name:
                if _is_of_numbers(function.kinds.get(value)):
                    yield _Stack(made, save, restore)


def _is_of_numbers(kind: ir.Kind | None) -> bool:
    """True for a number, an array, and a tuple of such."""
    if isinstance(kind, ir.Structure):
        return kind.constructor is tuple and all(map(_is_of_numbers, kind.items))
    return isinstance(kind, ir.Array | ir.Scalar | ir.NumPyScalar)


def _moved_wrongly(
    stacks: list[_Stack], homes: Mapping[int, ir.Block], order: Mapping[int, int]
) -> _Stack | None:
    """A stack whose value isn't the same where all are put on one, or is taken too
    late for others."""
    saves = homes[id(stacks[-1].save)]
    end = saves.index(stacks[-1].save)
    for stack in stacks:
        between = saves[saves.index(stack.save) : end]
        if any(str(stack.save.value) in ir.names_written_within(s) for s in between):
            return stack
    restores = homes[id(stacks[0].restore)]
    start = restores.index(_first_of([s.restore for s in stacks], order))
    for stack in stacks:
        name = stack.restore.target.name
        for s in restores[start : restores.index(stack.restore)]:
            if name in ir.names_written_within(s) or name in ir.names_read_within(s):
                return stack
    return None
