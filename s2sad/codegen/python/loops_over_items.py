"""Loops that run over the items of lists, in place of their places.

::

    for x_index in range(len(xs)):             for x in xs:
        x = xs[x_index]                ->          ...

Of several lists that are run over together this is a ``zip``, and an ``enumerate``
where the place is read, too. A list has one value from its assignment on, so it doesn't
change while a loop reads its items. Stacks from which each turn takes a value are run
over from their ends (``optimise/loops_over_kept.py``).
"""

import operator
from collections import Counter, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, TypeGuard

from s2sad import ir, ops

_NAMELESS = ir.Var("_")


@dataclass(frozen=True)
class RunOver:
    """What a loop runs over."""

    lists: tuple[ir.Operand, ...]
    items: tuple[ir.Var | ir.Pack, ...]
    """The variables that get an item of each."""
    place: ir.Var | None
    """The variable that gets their place, where it is read."""
    body: ir.Block
    """What follows the lines that read the items."""
    kept: frozenset[ir.Operand] = frozenset()
    """The stacks among the lists, which are run over from their ends."""


class LoopsOverItems:
    """Finds such loops in a function; ``names`` are its variables' final names, by
    which a line may not move in front of others. If ``nameless``, items that nobody
    reads may be called ``_``."""

    def __init__(
        self,
        function: ir.Function,
        names: Mapping[str, str] = MappingProxyType({}),
        *,
        nameless: bool = True,
    ) -> None:
        self.function, self.names, self.nameless = function, names, nameless
        self.reads: Counter[str] = Counter()
        """How often variables are read."""
        self.values: dict[str, ir.Apply | ir.Operand | None] = {
            name: ir.Var(name) for name in function.parameters
        }
        """What variables are assigned; None for those that are so several times."""
        self.lines: dict[int, int] = {}
        """The line of the function in which each statement stands, by identity."""
        self.last_lines: dict[str, int] = {}
        """The last line in which each variable is assigned."""
        for line, top in enumerate(function.body):
            for s in ir.walk((top,)):
                self.lines[id(s)] = line
                self.last_lines |= dict.fromkeys(ir.names_written(s), line)
        for s in ir.walk(function.body):
            self.reads.update(_names_written_out(s))
            for variable in ir.direct_writes(s):
                known = variable.name in self.values or not isinstance(s, ir.Assign)
                value = None if known else s.value  # type: ignore[attr-defined]
                self.values[variable.name] = value

    def unread_counts(self) -> set[str]:
        """The variables that nothing but the stops of such loops read."""
        stops = Counter(
            s.stop.name
            for s in ir.walk(self.function.body)
            if isinstance(s, ir.For) and isinstance(s.stop, ir.Var)
            if s.stop.name in self.function.temporaries and self.run_over(s)
        )
        left = self.reads - stops
        unread = [name for name in stops if not left[name]]
        for name in unread:  # the least of several lengths, which may grow the list
            value = self.values.get(name)
            if isinstance(value, ir.Apply) and value.function is min:
                lengths = [v.name for v in ir.value_variables(value)]
                left.subtract(lengths)
                unread += (n for n in lengths if not left[n] and self._is_length(n))
        loops = [s for s in ir.walk(self.function.body) if isinstance(s, ir.For)]
        taken = [v for loop in loops for v in self._taken_from(loop)]
        for name, times in Counter(taken).items():  # what reads a stack from its end
            value = self.values.get(name)
            if isinstance(value, ir.Apply) and value.function is reversed:
                unread += [name] if times == self.reads[name] else []
        return set(unread)

    def _is_length(self, name: str) -> bool:
        value = self.values.get(name)
        return isinstance(value, ir.Apply) and value.function is len

    def run_over(self, loop: ir.For) -> RunOver | None:
        """What a loop runs over; None for one that counts."""
        counts = loop.start == ir.Const(0) and loop.step == ir.Const(1)
        own = loop.target.name in self.function.temporaries
        if not counts or not own or loop.parallel:
            return None
        lists, as_long = self._measured(loop.stop)
        kept = {self._read_from(s) for s in loop.body if as_long} & {*lists}
        if not lists or not all(v in kept or self._is_list(v, loop) for v in lists):
            return None
        items: dict[ir.Operand, ir.Var | ir.Pack] = {}
        place: Any = None
        others: list[ir.Statement] = []
        before: set[str] = set()
        """What was read or assigned in lines that stay."""
        apart: ir.Statement | None = None
        for s, following in zip(loop.body, (*loop.body[1:], None), strict=True):
            if s is apart:
                continue
            source = _item_read(s, loop.target) or self._read_from(s)
            target = getattr(s, "target", None)
            if source in kept and _is_apart(following, target):
                target, apart = following.target, following
            first = not before & self._final(map(str, ir.operand_variables(target)))
            beside = source in lists or (
                self._is_adjoint_of(source, lists, loop)
                and not ir.names_written_in(loop.body) & {str(source)}
            )
            if source is not None and beside and source not in items and first:
                items[source] = target  # type: ignore[assignment]
                continue
            apart = None
            if isinstance(s, ir.Assign) and s.value == loop.target and place is None:
                place = s.target if first else None
            others.append(s)
            before |= self._final(ir.names_read_in((s,)) | ir.names_written_within(s))
        adjoints = [source for source in items if source not in lists]
        for unread in {*lists} - {*items}:  # its adjoint alone may be
            if not any(self._is_adjoint_of(a, [unread], loop) for a in adjoints):
                if len(lists) == 1 or not self.nameless:
                    return None
                items[unread] = _NAMELESS
        read = [known for known in lists if known in items]
        targets = [v.name for t in items.values() for v in ir.operand_variables(t)]
        if len(self._final(targets)) < len(targets):
            return None
        reading = {v for v, target in items.items() if target is not _NAMELESS}
        left = self.reads[loop.target.name] - len(reading - kept)
        if place is not None and left == 1 and isinstance(place, ir.Var):
            others = [
                s
                for s in others
                if not (isinstance(s, ir.Assign) and s.value == loop.target)
            ]
        else:
            place = loop.target if left else None
        if loop.backwards and (len(lists) > 1 or place is not None):
            if not as_long or place is not None:
                return None
        sources = (*read, *adjoints)
        if as_long:  # what the function runs over comes first
            sources = tuple(sorted(sources, key=lambda v: v in kept))
        found = tuple(items[source] for source in sources)
        return RunOver(sources, found, place, tuple(others), frozenset(kept))

    def _taken_from(self, loop: ir.For) -> list[str]:
        """What the stacks are called from which a loop takes what it runs over."""
        over = self.run_over(loop)
        if over is None or not over.kept:
            return []
        lines = (s for s in loop.body if self._read_from(s) in over.kept)
        return [s.stack.name for s in lines if isinstance(s, ir.Restore)]

    def _read_from(self, s: ir.Statement) -> Any:
        """The stack from which a line takes a value back, itself or by what reads it
        from its end; None for other lines."""
        if not isinstance(s, ir.Restore):
            return None
        value = self.values.get(s.stack.name)
        if isinstance(value, ir.Apply) and value.function is reversed:
            return value.args[0]
        return s.stack

    def _final(self, names: Iterable[str]) -> set[str]:
        return {self.names.get(name, name) for name in names}

    def _is_adjoint_of(
        self, source: ir.Operand | None, lists: list[Any], loop: ir.For
    ) -> bool:
        """True for the adjoint of one of the lists, which is as long."""
        if not isinstance(source, ir.Var) or not self._is_settled(source.name, loop):
            return False
        kind = self.function.kinds.get(source.name)
        return ir.is_adjoint(kind) and any(
            isinstance(primal, ir.Var)
            and source.name.startswith(f"{primal.name}.bar")
            and ir.is_of_references(known := self._kind_of(primal))
            and not ir.is_adjoint(known)
            and ir.adjoint_kind(known) == kind  # type: ignore[arg-type]
            for primal in lists
        )

    def _is_settled(self, name: str, loop: ir.For) -> bool:
        """True for a variable that is assigned once, and for one that is assigned in
        lines before the loop's, and before that which counts how often it runs."""
        if self.values.get(name) is not None:
            return True
        counted = self.lines[id(loop)]
        if isinstance(loop.stop, ir.Var):
            counted = min(counted, self.last_lines.get(loop.stop.name, -1))
        return self.last_lines.get(name, counted) < counted

    def _kind_of(self, variable: ir.Var) -> ir.Kind | None:
        return self.function.kinds.get(variable.name)

    def _is_list(self, items: ir.Operand, loop: ir.For) -> bool:
        """True for a list, tuple or array that stays what it is, and for data of the
        module."""
        if not isinstance(items, ir.Var):
            return isinstance(items, ir.Global)
        kind = self.function.kinds.get(items.name)
        once = self._is_settled(items.name, loop)
        if isinstance(kind, ir.Reference):
            sequences = (list, tuple, deque)
            # a number raises the same TypeError
            forms = [form for form in kind.forms if not form.is_number]
            kept = all(form.constructor in sequences for form in forms)
            return once and kept and not kind.may_be_none
        value = self.values.get(items.name)
        keys = isinstance(value, ir.Apply) and value.function is list
        return (isinstance(kind, ir.List | ir.Array) or keys) and once

    def _measured(
        self, stop: ir.Apply | ir.Operand | None
    ) -> tuple[list[ir.Operand], bool]:
        """The lists of which the shortest has so many items, and whether all surely
        have."""
        if isinstance(stop, ir.Var):
            stop = self.values.get(stop.name)
        if not isinstance(stop, ir.Apply):
            return [], False
        if stop.function is ops.common_length:
            return list(stop.args), True
        if stop.function is len and isinstance(stop.args[0], ir.Var | ir.Global):
            return [stop.args[0]], False
        if stop.function is not min or stop.keywords:
            return [], False
        found = [self._measured(a)[0] for a in stop.args]
        lists = [v for part in found for v in part]
        alone = all(found) and len(set(lists)) == len(lists)
        return lists if alone else [], False


def _names_written_out(s: ir.Statement) -> set[str] | frozenset[str]:
    """What the text of a statement reads: `append` isn't told the place."""
    if not ir.is_line(s, ops.appended):
        return ir.names_read(s)
    told = replace(s.value, args=s.value.args[:2])
    return {variable.name for variable in ir.value_variables(told)}


def _is_apart(s: ir.Statement | None, whole: object) -> TypeGuard[ir.Assign]:
    """True for a line that takes apart what came from a stack."""
    return (
        isinstance(s, ir.Assign) and isinstance(s.target, ir.Pack) and s.value == whole
    )


def _item_read(s: ir.Statement, place: ir.Var) -> ir.Operand | None:
    """The list of which a line reads the item at a place."""
    value = s.value if isinstance(s, ir.Assign) else None
    if not isinstance(value, ir.Apply):
        return None
    if value.function not in (operator.getitem, ops.read_item) or value.keywords:
        return None
    if value.args[1] != place or value.spelling:  # x.item(i) is another number
        return None
    return value.args[0]
