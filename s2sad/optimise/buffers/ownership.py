"""Ownership: lists, dicts and arrays that a call is the last to use are the called
procedure's own, and are changed in place instead of being copied.

::

    def f(items, k):                         def f(items, k):
        if k == 0:                               if k == 0:
            return items                             return items
        items = items.copy()           ->        items.append(k)
        items.append(k)                          return f(items, k - 1)
        return f(items, k - 1)

A recursion that fills a dict or an object's list would copy it in every call. Works on
all programs of a derivative at once, since each call must agree.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

from s2sad import ir, ops
from s2sad.analysis.memory.changed_parameters import Changes, changed_parameters
from s2sad.analysis.memory.handed_over import Refusal, ownership_of
from s2sad.analysis.memory.ownership import NONE, Ownership, Place
from s2sad.analysis.memory.points_to import points_to
from s2sad.analysis.memory.view_operations import is_number
from s2sad.optimise.buffers import in_place, own_buffers, own_lists, saved_rows

Programs = Mapping[ir.Procedure, ir.Function]


def with_own_data(
    functions: Sequence[ir.Function], programs: Programs, switched_off: frozenset[str]
) -> tuple[list[ir.Function], dict[ir.Procedure, ir.Function], Ownership]:
    """The programs of a derivative as they may be emitted: what each writes into is its
    own; and what is handed over at their calls."""
    ownership = NONE
    if programs and "ownership" not in switched_off:
        functions, programs, ownership = _with_copies_handed(functions, programs)
    for procedure in programs:
        procedure.owned = ownership.arguments.get(procedure, frozenset())

    def owning(function: ir.Function, procedure: ir.Procedure | None) -> ir.Function:
        follow = partial(points_to, ownership=ownership, procedure=procedure)
        if ownership is not NONE and "in_place" not in switched_off:
            # what was copied to be handed back, or because others might see it
            views = procedure is not None
            function = in_place.accumulate_in_place(function, follow, views=views)
        if "saved_rows" not in switched_off:
            function = saved_rows.with_saved_rows(function, follow)
        function = own_buffers.own_written_buffers(function, follow)
        return own_lists.own_written_lists(function, ownership, procedure)

    owned = [owning(f, None) for f in functions]
    return owned, {p: owning(f, p) for p, f in programs.items()}, ownership


def _with_copies_handed(
    functions: Sequence[ir.Function], programs: Programs
) -> tuple[Sequence[ir.Function], Programs, Ownership]:
    """The programs in which a call hands over a copy of what it doesn't give up, where
    the calls behind it need none then; and what is handed over."""
    copies = _Copies(functions, programs)
    while True:
        functions, programs = copies.inserted()
        ownership = ownership_of(functions, programs, copies.are_wanted)
        if ownership is not None:
            return functions, programs, ownership


class _Copies:
    """Where copies stand so that a procedure may change what it is given."""

    def __init__(self, functions: Sequence[ir.Function], programs: Programs) -> None:
        self.functions, self.programs = functions, programs
        self.hopeless: set[tuple[ir.Procedure, Place]] = set()
        self.standing: dict[tuple[int, ir.Procedure, Place], bool] = {}
        """For calls, by identity: True where a loop has the copy in front of it, False
        where the call hands it over."""
        self.calls: dict[int, ir.Statement] = {}
        """The calls as they are now, by identity: as they were."""

    def inserted(self) -> tuple[Sequence[ir.Function], Programs]:
        """The programs with these copies."""
        if not self.standing:
            return self.functions, self.programs
        self.calls = {}
        functions = [self._with_copies(f) for f in self.functions]
        return functions, {p: self._with_copies(f) for p, f in self.programs.items()}

    def are_wanted(self, refusals: Sequence[Refusal]) -> bool:
        """True where calls refuse to give up what copies would do for."""
        by_place: dict[tuple[ir.Procedure, Place], list[Refusal]] = defaultdict(list)
        for refusal in refusals:
            by_place[refusal.procedure, refusal.place].append(refusal)
        changed = False
        for key, refused in by_place.items():
            found = None if key in self.hopeless else self._further(key, refused)
            if found is not None:
                self.standing |= found
                changed = True
                continue
            self.hopeless.add(key)
            needless = [entry for entry in self.standing if entry[1:] == key]
            for entry in needless:
                del self.standing[entry]
                changed = True
        return changed

    def _further(
        self, key: tuple[ir.Procedure, Place], refused: Sequence[Refusal]
    ) -> dict[tuple[int, ir.Procedure, Place], bool] | None:
        """Copies for calls that have none yet, or have them in the wrong place; None
        where one can't have any."""
        procedure, place = key
        if place not in self._changes.get(procedure, Changes()).changed:
            return None
        found: dict[tuple[int, ir.Procedure, Place], bool] = {}
        for refusal in refused:
            call = self.calls.get(id(refusal.call), refusal.call)
            entry = id(call), procedure, place
            before = self.standing.get(entry)
            if before is False or self._calls_it(procedure, call):
                return None
            value = getattr(call, "value", None)
            if not isinstance(value, ir.Apply) or value.function is not procedure:
                return None  # handed to a helper that calls it
            if not _can_be_copied(_operand_at(call, place), refusal.caller):
                return None
            if before is None and self._is_carried(call, procedure, place):
                found[entry] = True
            elif self._is_recursive(procedure) and _operand_at(call, place) is not None:
                found[entry] = False
            else:
                return None
        return found

    @cached_property
    def _changes(self) -> Mapping[ir.Procedure, Changes]:
        return changed_parameters(self.programs)

    @cached_property
    def _reached(self) -> Mapping[ir.Procedure, frozenset[ir.Procedure]]:
        """What each procedure calls, through others too."""
        reached = {
            p: frozenset(ir.called_procedures(f.body)) for p, f in self.programs.items()
        }
        while True:
            further = {
                p: own.union(*(reached[q] for q in own)) for p, own in reached.items()
            }
            if further == reached:
                return reached
            reached = further

    @cached_property
    def _callers(self) -> Mapping[int, ir.Procedure]:
        """The procedure in whose program a statement is, by its identity."""
        programs = self.programs.items()
        return {id(s): p for p, f in programs for s in ir.walk(f.body)}

    @cached_property
    def _loops(self) -> Mapping[int, ir.Statement]:
        """The outermost loop around a statement, by its identity."""
        found: dict[int, ir.Statement] = {}
        for function in (*self.functions, *self.programs.values()):
            for loop in ir.walk(function.body):
                if isinstance(loop, ir.Loop) and id(loop) not in found:
                    found |= {id(s): loop for s in ir.walk((loop,))}
        return found

    def _calls_it(self, procedure: ir.Procedure, call: ir.Statement) -> bool:
        """True for a call in the program of a procedure, or of one that it calls."""
        caller = self._callers.get(id(call))
        return caller is not None and caller in {procedure, *self._reached[procedure]}

    def _is_recursive(self, procedure: ir.Procedure) -> bool:
        own = {procedure, *self._reached[procedure]}
        return any(p in self._reached[p] for p in own)

    def _is_carried(
        self, call: ir.Statement, procedure: ir.Procedure, place: Place
    ) -> bool:
        """True where a loop hands what it got from a call on to the next one."""
        name = str(_operand_at(call, place))
        return id(call) in self._loops and name in ir.names_written(call)

    def _with_copies(self, function: ir.Function) -> ir.Function:
        places: dict[int, list[tuple[Place, bool]]] = defaultdict(list)
        for (call, _, place), before_loop in self.standing.items():
            places[call].append((place, before_loop))
        if not any(id(s) in places for s in ir.walk(function.body)):
            return function
        owned = ir.Rewriting(function)
        in_front: dict[int, dict[ir.Operand, ir.Statement]] = defaultdict(dict)

        def block(lines: ir.Block) -> ir.Block:
            found: list[ir.Statement] = []
            for s in lines:
                changed = ir.with_blocks(s, block)
                found += in_front.pop(id(s), {}).values()
                for place, before_loop in places.get(id(s), ()):
                    operand = _operand_at(s, place)
                    assert operand is not None
                    kind = ir.kind_of(operand, function.kinds)
                    copy = ir.Apply(_copy_of(kind), (operand,))
                    if before_loop:
                        assert isinstance(operand, ir.Var)
                        line = ir.Assign(None, operand, copy, kind)
                        in_front[id(self._loops[id(s)])][operand] = line
                    else:
                        own = owned.named(f"{operand}.own", kind)
                        found.append(ir.Assign(s.span, own, copy, kind, True))
                        changed = _with_operand(changed, place, own)
                        self.calls[id(changed)] = s
                found.append(changed)
            return ir.as_block(found, lines)

        return owned.finished(block(function.body))


def _operand_at(call: ir.Statement, place: Place) -> ir.Operand | None:
    """What a call hands over at a place; None where that is no value of its own."""
    value = getattr(call, "value", None)
    assert isinstance(value, ir.Apply)
    k, item = place
    argument: ir.Operand | None = value.args[k]
    if item is not None:
        argument = argument.items[item] if isinstance(argument, ir.Pack) else None
    return argument if isinstance(argument, ir.Var | ir.Global) else None


def _can_be_copied(operand: ir.Operand | None, caller: ir.Function) -> bool:
    """True for what surely is an array, a dict, or a list that holds no lists."""
    kind = ir.kind_of(operand, caller.kinds) if operand is not None else None
    if isinstance(kind, ir.List) and not isinstance(kind.item, ir.Array):
        if not (kind.item is None or is_number(kind.item)):
            return False
    if isinstance(kind, ir.Array):
        return not kind.promoted and kind.axes is not None
    return kind is not None and str(operand) not in own_lists.may_be_none(caller)


def _with_operand(call: ir.Statement, place: Place, operand: ir.Var) -> ir.Statement:
    """A call that hands over something else."""
    assert isinstance(call, ir.Assign | ir.Effect) and isinstance(call.value, ir.Apply)
    k, item = place
    args = list(call.value.args)
    argument = args[k]
    if item is None:
        args[k] = operand
    else:
        assert isinstance(argument, ir.Pack)
        items = (*argument.items[:item], operand, *argument.items[item + 1 :])
        args[k] = replace(argument, items=items)
    return replace(call, value=replace(call.value, args=tuple(args)))


def _copy_of(kind: ir.Kind | None) -> Any:
    """What copies a list or an array, and the arrays that stand in it."""
    of_arrays = isinstance(kind, ir.List) and isinstance(kind.item, ir.Array)
    return ops.own_rows if of_arrays else ops.own_copy
