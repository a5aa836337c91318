"""Loops of the reverse sweep that run over what the forward sweep kept, where they
would count how often it did.

::

    while t:                              while t:
        save x on x.saved                     save x on x.saved
        n = add(n, 1)              ->         ...
        ...                               turns = common_length(x.saved)
    for k in range(0, n, 1):              for k in range(0, turns, 1):
        restore x from x.saved                restore x from x.saved

The emitter writes ``for x in reversed(x_saved)`` then, and nobody counts. So it is
where each turn of a loop puts one value on a stack, and each turn of another one takes
one back, and neither loop stands in another: the stack is as high as there are turns.
Arrays are popped from their stacks, and so let go.
"""

import itertools
import operator
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from s2sad import ir, ops
from s2sad.analysis.passes.dead_code import remove_dead_code

Programs = Mapping[ir.Procedure, ir.Function]


def with_loops_over_kept(
    functions: Sequence[ir.Function], programs: Programs
) -> tuple[list[ir.Function], dict[ir.Procedure, ir.Function]]:
    """Functions and the programs that they call, whose loops run over what was kept."""
    changed = {p: _both_sweeps(one) for p, one in programs.items()}
    for procedure, function in changed.items():
        if procedure.reverses is not None and procedure.reverses[0] in changed:
            forward = changed[procedure.reverses[0]]
            changed[procedure] = _second_sweep(forward, function)
    return list(map(_both_sweeps, functions)), changed


@dataclass(frozen=True)
class _Kept:
    """A stack on which each turn of a loop puts one value, and what takes them back."""

    stack: ir.Var
    """As it is called where values are taken back."""
    restore: ir.Restore
    loop: ir.For


def _both_sweeps(function: ir.Function) -> ir.Function:
    """A program that keeps values and takes them back."""
    uses = _Uses(function)

    def few(stack: str) -> bool:
        values = [
            v for s, _ in uses.saves[stack] for v in ir.operand_variables(s.value)
        ]
        return all(isinstance(function.kinds.get(v.name), _SMALL) for v in values)

    kept = [
        _Kept(ir.Var(name), *uses.taken_in_turns(name))
        for name in uses.kept_in_turns()
        if few(name) and uses.counts[name] == 3 and uses.taken_in_turns(name)
    ]
    changed = _with_loops(function, kept)
    return changed if changed is function else remove_dead_code(changed)


def _second_sweep(forward: ir.Function, reverse: ir.Function) -> ir.Function:
    """A program that takes back what another one kept and handed on: it reads stacks
    from their ends, and leaves them as they are."""
    last, taken = forward.body[-1], ir.residuals_taken(reverse)
    handed = getattr(getattr(last, "value", None), "items", (None,))[-1]
    if taken is None or not isinstance(handed, ir.Pack):
        return reverse
    names = taken[1].items
    if len(names) != len(handed.items):
        return reverse
    uses, back = _Uses(forward), _Uses(reverse)
    own = dict(zip(map(str, handed.items), map(str, names), strict=True))
    in_turns = {
        own[name]
        for name in uses.kept_in_turns()
        if name in own and uses.counts[name] == 3
    }
    kept = [
        _Kept(ir.Var(stack), *back.taken_in_turns(iterator))
        for iterator, stack in back.iterators.items()
        if stack in in_turns and back.counts[stack] == 2
        if back.counts[iterator] == 2 and back.taken_in_turns(iterator)
    ]
    return _with_loops(reverse, kept)


_SEQUENCES = (ir.List, ir.Array, ir.Reference)
_SMALL = (ir.Scalar, ir.NumPyScalar, ir.Reference)
"""The kinds of what takes no more memory where it is kept for longer."""


class _Uses:
    """Where a program uses stacks."""

    def __init__(self, function: ir.Function) -> None:
        self.made: list[str] = []
        """Those that are made outside of loops."""
        self.saves: dict[str, list[tuple[ir.Save, ir.Path]]] = {}
        self.restores: dict[str, list[tuple[ir.Restore, ir.Path]]] = {}
        self.iterators: dict[str, str] = {}
        """What reads a stack from its end."""
        self.counts: Counter[str] = Counter()
        """In how many lines variables stand."""
        self.attempts = False
        for s, path in ir.with_paths(function.body):
            self.counts.update({*ir.names_read(s), *ir.names_written(s)})
            self.attempts |= isinstance(s, ir.Try)
            if ir.is_line(s, ops.new_stack) and not _loops(path):
                self.made.append(s.target.name)
            elif ir.is_line(s, reversed):
                self.iterators[s.target.name] = str(s.value.args[0])
            elif isinstance(s, ir.Save):
                self.saves.setdefault(s.stack.name, []).append((s, path))
            elif isinstance(s, ir.Restore):
                self.restores.setdefault(s.stack.name, []).append((s, path))

    def kept_in_turns(self) -> Iterator[str]:
        """The stacks on which each turn of one loop puts one value."""
        for name in self.made:
            saves = self.saves.get(name, ())
            if len(saves) == 1 and not self.attempts and _is_of_turn(saves[0][1]):
                yield name

    def taken_in_turns(self, name: str) -> tuple[ir.Restore, ir.For] | tuple[()]:
        """What takes a value from a stack in each turn of one loop, and that loop."""
        restores = self.restores.get(name, ())
        if len(restores) != 1 or self.attempts:
            return ()
        ((restore, path),) = restores
        loop = path[-1][0] if _is_of_turn(path) else None
        if not isinstance(loop, ir.For) or loop.until is not None or loop.parallel:
            return ()
        return restore, loop


def _loops(path: ir.Path) -> list[ir.Statement]:
    return [s for s, _ in path if isinstance(s, ir.Loop)]


def _is_of_turn(path: ir.Path) -> bool:
    """True for a line that runs once in each turn of a loop, which no loop is
    around."""
    if not path or len(_loops(path)) != 1:
        return False
    loop, block = path[-1]
    return isinstance(loop, ir.Loop) and ir.blocks_of(loop)[block] is loop.body


def _with_loops(function: ir.Function, kept: list[_Kept]) -> ir.Function:
    loops = {id(one.loop): one.loop for one in kept}
    if not loops:
        return function
    changed = ir.Rewriting(function)
    lines: dict[int, ir.Block] = {}
    for key, loop in loops.items():
        own = [one for one in kept if one.loop is loop]
        own = [one for one in own if _comes_first(one.restore, loop)]
        own.sort(key=lambda one: loop.body.index(one.restore), reverse=True)
        over = _lists_run_over(loop, function)
        if not own or not _does_more(loop, own) or over is None:
            continue
        turns = changed.fresh("turns", ir.INT)
        stacks = (one.stack for one in own)
        length = ir.Apply(ops.common_length, (*over, *stacks))
        counted = replace(
            loop, start=ir.Const(0), stop=turns, step=ir.Const(1), backwards=bool(over)
        )
        if not over:  # nobody reads its number
            counted = replace(counted, target=changed.fresh("turn", ir.INT))
        lines[key] = ir.Assign(loop.span, turns, length, ir.INT), counted

    def block(statements: ir.Block) -> ir.Block:
        result: list[ir.Statement] = []
        for s in statements:
            result += lines.get(id(s)) or (ir.with_blocks(s, block),)
        return ir.as_block(result, statements)

    return changed.finished(block(function.body))


def _lists_run_over(loop: ir.For, function: ir.Function) -> tuple[ir.Var, ...] | None:
    """The list or array that a loop runs over from its end, of which nothing but its
    items is read by number; none where nothing is, None for other loops. Its adjoint,
    where the items of that are read: the list itself may be another one by then."""
    uses = ir.uses_in(function.body)
    reads = uses.reads[loop.target.name]
    if not reads:
        return ()
    items = [
        s
        for s in loop.body
        if ir.is_line(s, operator.getitem, ops.read_item)
        and s.value.args[1] == loop.target
    ]
    stop = loop.stop
    if isinstance(stop, ir.Var) and uses.writes[stop.name] == 1:
        stop = getattr(uses.definitions[stop.name][0], "value", stop)
    whole = loop.start == ir.Const(0) and loop.step == ir.Const(1) and loop.backwards
    if whole and len(items) == reads and isinstance(stop, ir.Apply):
        (of, *_) = stop.args
        kind = ir.kind_of(of, function.kinds)
        if stop.function is len and isinstance(kind, _SEQUENCES):
            if isinstance(of, ir.Var) and uses.writes[of.name] < 2:
                read = [s.value.args[0] for s in items]
                if of in read:
                    return (of,)
                adjoints = (v for v in read if str(v).startswith(f"{of.name}.bar"))
                return next(((v,) for v in adjoints if uses.writes[str(v)] < 2), None)
    return None


def _does_more(loop: ir.For, kept: list[_Kept]) -> bool:
    """True where a turn does more than take values back, and apart."""
    restores = {id(one.restore) for one in kept}
    taken = [one.restore.target for one in kept]
    return any(
        id(s) not in restores and getattr(s, "value", None) not in taken
        for s in loop.body
    )


def _comes_first(restore: ir.Restore, loop: ir.For) -> bool:
    """True where nothing in front of a line of a turn reads or assigns what it takes
    back."""
    for s in itertools.takewhile(lambda s: s is not restore, loop.body):
        if not isinstance(s, ir.Restore):
            names = ir.names_read_within(s) | ir.names_written_within(s)
            if restore.target.name in names:
                return False
    return True
