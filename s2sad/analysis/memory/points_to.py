"""Points-to: which buffers a variable's memory may belong to, at each place.

A buffer is named by the place that allocates it. In a loop that is a new buffer in each
iteration: the last one and all older ones are kept apart. Which variables may share
their memory at the same time is followed beside it: after ``u, v = v, u`` both may hold
either buffer, but never the same one. Together with liveness the answer says whether
anybody else could see a write. Sources: Andersen, Program analysis and specialization
for C (1994), chapter 4, on variables without pointers to pointers; Balakrishnan and
Reps, Recency-abstraction for heap-allocated storage (SAS 2006).
"""

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

from s2sad import ir, ops
from s2sad.analysis.dataflow.dataflow import Analysis, Facts, solve_forward
from s2sad.analysis.dataflow.shared_tables import SharedTable
from s2sad.analysis.memory.memory import (
    NO_BUFFERS,
    ONLY_OUTSIDE,
    ONLY_SLOTS,
    OUTSIDE,
    Buffer,
    Buffers,
    Held,
    Memory,
    changed,
    joined,
    with_kept,
)
from s2sad.analysis.memory.ownership import NONE, Ownership, targets
from s2sad.analysis.memory.parts_of_arguments import parts_of_arguments
from s2sad.analysis.memory.view_operations import (
    FRESH,
    KEEPS_BUFFER,
    LISTS,
    PARTS,
    are_apart,
    gives_what_others_hold,
    holds_module_data,
    is_copy_of_list,
    is_number,
    is_view_operation,
)
from s2sad.analysis.passes import all_kinds, purity

Found = TypeVar("Found")
_ANYBODYS = ONLY_OUTSIDE | ONLY_SLOTS


@dataclass(frozen=True)
class PointsTo:
    """Buffers and views at each place of a program."""

    facts: Facts[Memory]
    kinds: Mapping[str, ir.Kind]
    given_away: frozenset[Buffer] = NO_BUFFERS
    """What slots may hold, or what is made may hold."""

    @cached_property
    def anywhere(self) -> Memory:
        """What holds somewhere in the program."""
        places = (*self.facts.before.values(), *self.facts.after.values())
        everything = _different(places)
        start = everything[0]
        views, read_only, shared = start.views, start.read_only, start.shared
        buffers: set[tuple[str, Buffers]] = set()
        partners: set[tuple[str, frozenset[str]]] = set()
        for memory in everything:
            views, read_only = views | memory.views, read_only | memory.read_only
            shared = shared | memory.shared
        for row in _different(row for m in everything for row in m.buffers.rows):
            buffers.update(row.items())
        for table in _different(row for m in everything for row in m.sharing.rows):
            partners.update(table.items())
        numbers = [name for name, kind in self.kinds.items() if is_number(kind)]
        held = dict.fromkeys(numbers, NO_BUFFERS)
        for name, found in buffers:
            own = frozenset(map(_of_any_age, found))
            held[name] = held.get(name, NO_BUFFERS) | own
        together: dict[str, frozenset[str]] = {}
        for name, others in partners:
            known = together.get(name)
            together[name] = others if known is None else known | others
        tables = SharedTable.of(held), SharedTable.of(together)
        return Memory(tables[0], views, read_only, tables[1], shared)

    def before(self, statement: ir.Statement) -> Memory:
        """What holds where a statement starts."""
        found = self.facts.before.get(id(statement))
        return self.anywhere if found is None else found


@dataclass(frozen=True)
class Returned:
    """Some results of a procedure that may share memory with each other."""

    results: frozenset[int]
    parameters: frozenset[str]
    """The parameters with which they may share it, too."""
    outside: frozenset[Buffer]
    """The memory that they may share and the procedure wasn't given."""
    read_only: bool
    """One of them can't be written into, or shows an element twice."""


def returned_memory(procedure: Any) -> tuple[Returned, ...] | None:
    """With what the results of a procedure may share memory as it is in the user's
    program: all of them are named, numbers too. None where that isn't known: of what
    is being compiled, and of derivatives."""
    if not isinstance(procedure, ir.Procedure) or procedure.details is None:
        return None
    if _RETURNED not in procedure.derived:
        if procedure.details.made or not ir.is_complete(procedure):
            return None
        called = ir.all_procedures([procedure.function.body])
        together = {procedure: None, **dict.fromkeys(called)}
        if all(map(ir.is_complete, together)):
            _find_returned(p for p in together if _is_of_the_user(p))
        else:
            procedure.derived[_RETURNED] = None
    known: tuple[Returned, ...] | None = procedure.derived[_RETURNED]
    return known


_RETURNED = "returned memory"


def _is_of_the_user(procedure: ir.Procedure) -> bool:
    return procedure.details is not None and not procedure.details.made


def _find_returned(procedures: Iterable[ir.Procedure]) -> None:
    """Note what procedures return that may call each other: nothing is shared but what
    is seen to be, until nothing more is."""
    programs = {
        p: all_kinds.with_all_kinds(p.function)
        for p in procedures
        if _RETURNED not in p.derived
    }
    for procedure, program in programs.items():
        results = range(len(ir.tuple_items(program.final.value)))
        procedure.derived[_RETURNED] = tuple(
            Returned(frozenset((k,)), frozenset(), NO_BUFFERS, False) for k in results
        )
    changed = bool(programs)
    while changed:
        changed = False
        for procedure, program in programs.items():
            found = tuple(_returned(program, procedure.details.handed_back))
            changed |= found != procedure.derived[_RETURNED]
            procedure.derived[_RETURNED] = found


def _returned(function: ir.Function, handed_back: frozenset[int]) -> Iterator[Returned]:
    """What is ``handed_back`` of what a procedure writes into is new, as the values of
    arrays are."""
    last = function.final
    memory = points_to(function, apart=True, as_written=True).before(last)
    pending = dict(enumerate(ir.tuple_items(last.value)))
    for place in handed_back:
        del pending[place]
        yield Returned(frozenset((place,)), frozenset(), NO_BUFFERS, False)
    while pending:
        place, result = pending.popitem()
        outside = ONLY_OUTSIDE if isinstance(result, ir.Global) else NO_BUFFERS
        group = {place}
        names, found = _arrays_of(function, result), [place]
        while found:  # what shares memory with one of them belongs to all
            found = [k for k in pending if _share(memory, names, pending[k])]
            for other in found:
                names |= _arrays_of(function, pending.pop(other))
            group.update(found)
        buffers = NO_BUFFERS.union(*(memory.of(n) for n in names))
        parameters = {p for p in function.parameters if (*OUTSIDE, p) in buffers}
        read_only = not memory.read_only.isdisjoint(names)
        yield Returned(
            frozenset(group),
            frozenset(parameters),
            outside | (buffers & _ANYBODYS),
            read_only,
        )


def _arrays_of(function: ir.Function, operand: ir.Operand) -> set[str]:
    """The variables of an operand that hold memory."""
    names = {v.name for v in ir.operand_variables(operand)}
    return {n for n in names if not is_number(function.kinds.get(n))}


def _share(memory: Memory, names: set[str], operand: ir.Operand) -> bool:
    """True where one of some variables may share memory with those of an operand."""
    held = {v.name for v in ir.operand_variables(operand)}
    return any(n in held or memory.shared_with(n, held) for n in names)


def _different(objects: Iterable[Found]) -> list[Found]:
    """Objects, each once: places at which nothing changed share theirs."""
    return list({id(o): o for o in objects}.values())


def _may_return_what_others_hold(procedure: Any) -> bool:
    """True where a result may be module data, or what a function gave that isn't known,
    through calls of others, too; False also where that isn't known yet."""
    if not isinstance(procedure, ir.Procedure) or not ir.is_complete(procedure):
        return False
    if "outside" not in procedure.derived:
        called = ir.all_procedures([procedure.function.body])
        if not all(map(ir.is_complete, called)):
            return False
        pending = {p: None for p in (procedure, *called) if "outside" not in p.derived}
        for p in pending:
            p.derived["outside"] = False  # as far as is known
        found: list[ir.Procedure] | None = None
        while found is None or found:
            found = [p for p in pending if _returns_outside(p)]
            for p in found:
                p.derived["outside"] = True
                del pending[p]
    return bool(procedure.derived["outside"])


def _returns_outside(procedure: ir.Procedure) -> bool:
    program = all_kinds.with_all_kinds(procedure.function)
    memory = points_to(program, apart=True, as_written=True).before(program.body[-1])

    def is_outside(operand: ir.Operand) -> bool:
        if isinstance(operand, ir.Var):
            number = is_number(program.kinds.get(operand.name))
            return not number and OUTSIDE in memory.of(operand.name)
        return isinstance(operand, ir.Global)

    last = program.body[-1]
    results = ir.tuple_items(last.value) if isinstance(last, ir.Return) else ()
    # nobody reads the arrays of an exception
    return any(
        map(is_outside, results[bool(getattr(procedure.details, "awaited", ())) :])
    )


def points_to(
    function: ir.Function,
    live: Mapping[int, Set[str]] | None = None,
    *,
    apart: bool = False,
    as_written: bool = False,
    ownership: Ownership = NONE,
    procedure: ir.Procedure | None = None,
) -> PointsTo:
    """Follow the buffers along all paths of a function.

    ``live`` are the variables that are read after each statement, where a buffer that
    somebody else may see is copied before it is written into. ``apart`` says that no
    argument shares memory with another one. ``as_written`` asks for memory as it is in
    the user's program: what a procedure hands back of what it wrote into is new, and
    parts of an argument are apart as arguments are. ``ownership`` says which arguments
    of ``procedure``, whose program this is, and which results of others are its own.
    """
    own = ownership.own_parameters(procedure, function)
    given = {
        name: frozenset(((*OUTSIDE, name),)) if apart else ONLY_OUTSIDE
        for name in function.parameters
    }
    given |= {name: frozenset((("fresh", name),)) for name in own & set(given)}
    if as_written:
        kept = (n for n in given if ir.is_of_references(function.kinds.get(n)))
        given |= dict.fromkeys(kept, ONLY_SLOTS)
    start = Memory.at_start(given, own & set(given))
    analysis = _Buffers(function, live, as_written, ownership, own)
    facts = solve_forward(function.body, start, analysis)
    return PointsTo(facts, function.kinds, frozenset(analysis.given_away))


def _kept_operands(call: ir.Apply) -> list[ir.Var]:
    """What of an operation's operands a slot may hold from there on."""
    function = call.function
    if not isinstance(function, ir.Procedure):
        keeps = function in ops.KEEPS_OPERANDS
        return list(ir.value_variables(call)) if keeps else []
    if not _may_keep(function):
        return []
    kept = _kept_parameters(function)
    pairs = zip(function.function.parameters, call.args, strict=False)
    return [v for name, a in pairs if name in kept for v in ir.operand_variables(a)]


def _may_keep(procedure: ir.Procedure) -> bool:
    details = procedure.details
    if details is None or details.made or not ir.is_complete(procedure):
        return False
    return purity.does(procedure, ops.KEEPS_OPERANDS)


def _kept_parameters(procedure: ir.Procedure) -> frozenset[str]:
    """The parameters of a procedure that slots may hold at its end, found together for
    those that call each other."""
    key = "kept parameters"
    if key not in procedure.derived:
        called = ir.with_called(procedure)
        if not all(map(ir.is_complete, called)):
            return frozenset(procedure.function.parameters)
        group = [p for p in called if _may_keep(p) and key not in p.derived]
        for p in group:
            p.derived[key] = frozenset()
        grown = True
        while grown:
            grown = False
            for p in group:
                program = all_kinds.with_all_kinds(p.function)
                buffers = points_to(program, apart=True, as_written=True).given_away
                known = {n for n in program.parameters if (*OUTSIDE, n) in buffers}
                if not ONLY_OUTSIDE.isdisjoint(buffers):
                    known = {*program.parameters}
                found = p.derived[key] | known
                grown |= found != p.derived[key]
                p.derived[key] = found
    kept: frozenset[str] = procedure.derived[key]
    return kept


def _of_any_age(buffer: Buffer) -> Buffer:
    return ("fresh", *buffer[1:]) if buffer[0] == "older" else buffer


def _is_of(buffer: Buffer, new: Buffer) -> bool:
    """True for a buffer that the last run of a line gave."""
    return buffer[:2] == new


class _Buffers(Analysis[Memory]):
    def __init__(
        self,
        function: ir.Function,
        live: Mapping[int, Set[str]] | None,
        as_written: bool,
        ownership: Ownership,
        own: set[str],
    ) -> None:
        self.as_written, self.ownership = as_written, ownership
        parts = parts_of_arguments(function) if as_written or own else {}
        self.parts = parts if as_written else {}
        self.own_parts = {s: part for s, part in parts.items() if part in own}
        """The lines that read what the program owns of an argument."""
        self.kinds, self.live = function.kinds, live
        self.numbers = {n for n, kind in function.kinds.items() if is_number(kind)}
        self.unset = {
            v.name: NO_BUFFERS
            for s in ir.walk(function.body)
            if not ir.blocks_of(s)
            for v in ir.direct_writes(s)
        }
        """What holds nothing where no path has assigned it yet."""
        self.given_away: set[Buffer] = set()
        """What slots may hold."""
        self.holders: dict[Buffer, set[str]] = {}
        """For each buffer that a line has allocated: the variables that have ever held
        it."""

    def join(self, a: Memory, b: Memory) -> Memory:
        return joined(a, b)

    def leaf(self, statement: ir.Statement, fact: Memory) -> Memory:
        if isinstance(statement, ir.Effect):  # which writes no variable
            return self._given_away(statement.value, fact)
        if ir.names_written(statement) <= self.numbers:
            return fact
        match statement:
            case ir.Assign(value=ir.Apply() as value):
                names = [v.name for v in ir.direct_writes(statement)]
                return self._operation(statement, value, names, fact)
            case ir.Assign(
                value=ir.Var() | ir.Const() | ir.Pack() | ir.Slice() as value
            ):
                held = self._held(ir.operand_variables(value), fact)
            case ir.Save(stack=stack, value=value):
                kept = self._held(ir.operand_variables(value), fact)
                self._note((stack.name,), kept)
                return with_kept(fact, stack.name, kept)
            case ir.Restore(stack=stack):
                held = self._held((stack,), fact)
            case _:
                held = Held(ONLY_OUTSIDE)
        names = [v.name for v in ir.direct_writes(statement)]
        return self._changed(fact, self._arrays(names), held)

    def _given_away(self, store: ir.Apply, fact: Memory) -> Memory:
        """What holds where others may hold what was stored into a slot."""
        kept = _kept_operands(store)
        held = self._held(kept, fact)
        self.given_away |= held.buffers
        names = set(self._arrays(v.name for v in kept))
        if not names:
            return fact
        for buffer in held.buffers:
            names |= self.holders.get(buffer[:2], set())
        others = ONLY_SLOTS if self.as_written else ONLY_OUTSIDE
        given = {n: self._may_hold(n, fact) | others for n in names}
        return ir.altered(fact, buffers=fact.buffers.updated(given))

    def _arrays(self, names: Iterable[str]) -> list[str]:
        """What may be more than a number."""
        return [n for n in names if n not in self.numbers]

    def _held(self, variables: Iterable[ir.Var], fact: Memory) -> Held:
        """What some variables hold."""
        names = self._arrays(v.name for v in variables)
        partners = frozenset(names).union(*(fact.partners(n) for n in names))
        buffers = NO_BUFFERS.union(*(self._may_hold(n, fact) for n in names))
        return Held(
            buffers,
            not fact.views.isdisjoint(names),
            not fact.read_only.isdisjoint(names),
            partners,
        )

    def _may_hold(self, name: str, fact: Memory) -> Buffers:
        found = fact.buffers.get(name)
        return self.unset.get(name, ONLY_OUTSIDE) if found is None else found

    def _copied(
        self, statement: ir.Statement, buffer: ir.Var, names: list[str], fact: Memory
    ) -> bool:
        """True where a buffer is copied before it is written into."""
        if self.live is None:
            return False
        others = self.live.get(id(statement), frozenset[str]()) - set(names)
        return not fact.changeable_alone(buffer.name, others)

    def _changed(self, fact: Memory, names: Iterable[str], held: Held) -> Memory:
        """``fact`` where these names hold this."""
        self._note(names, held)
        return changed(fact, names, held)

    def _note(self, names: Iterable[str], held: Held) -> None:
        for buffer in held.buffers:
            if buffer[0] == "fresh":
                self.holders.setdefault(buffer[:2], set()).update(names)

    def _aged(self, fact: Memory, new: Buffer) -> Memory:
        """``fact`` where the line that gives a buffer runs again: the one that it gave
        is an older one now."""
        aged: dict[str, Buffers] = {}
        for name in self.holders.get(new, ()):
            found = fact.buffers.get(name, NO_BUFFERS)
            if any(_is_of(b, new) for b in found):
                older = (("older", *b[1:]) if _is_of(b, new) else b for b in found)
                aged[name] = frozenset(older)
        if not aged:
            return fact
        return ir.altered(fact, buffers=fact.buffers.updated(aged))

    def _results(
        self,
        statement: ir.Statement,
        value: ir.Apply,
        returned: Iterable[Returned],
        fact: Memory,
    ) -> Memory:
        """What holds behind the call of a procedure of which it is known what memory
        its results may share."""
        assert isinstance(value.function, ir.Procedure)
        new: Buffer = ("fresh", id(statement))
        fact = self._aged(fact, new)
        given = dict(zip(value.function.function.parameters, value.args, strict=True))
        items = targets(statement)
        before = fact
        together: set[str] = set()
        for group in returned:
            names = self._arrays(str(items[k]) for k in group.results)
            operands = (given[p] for p in group.parameters)
            shared = (v for operand in operands for v in ir.operand_variables(operand))
            held = self._held(shared, before)
            # two parameters may be one array
            held = replace(held, partners=held.partners.union(names, together))
            together.update(names)
            own = {(*new, *names), *group.outside}
            held = replace(
                held,
                buffers=held.buffers | own,
                view=True,
                read_only=held.read_only or group.read_only,
            )
            fact = self._changed(fact, names, held)
        return fact

    def _unread_results(
        self, statement: ir.Statement, value: ir.Apply, fact: Memory
    ) -> Memory:
        """What holds behind the call of a procedure that isn't read: what it hands back
        of what it writes into is new; other results may share memory with what it was
        given, but lists of numbers with such lists alone."""
        assert isinstance(value.function, ir.Procedure)
        new: Buffer = ("fresh", id(statement))
        fact = before = self._aged(fact, new)
        items, details = targets(statement), value.function.details
        places = () if details is None else details.handed_back
        handed_back = {str(items[place]) for place in places}
        for name in handed_back:
            fact = self._changed(fact, (name,), Held(frozenset(((*new, name),))))
        outside = gives_what_others_hold(value) or _may_return_what_others_hold(
            value.function
        )
        names = [v.name for v in ir.direct_writes(statement)]
        names = [n for n in self._arrays(names) if n not in handed_back]
        variables = list(ir.value_variables(value))
        for of_lists in (True, False):
            given = (v for v in variables if not self._apart_from(v.name, of_lists))
            shown = self._held(given, before)
            results = [n for n in names if self._is_list_of_numbers(n) is of_lists]
            own = {(*new, *results), *([OUTSIDE] if outside else [])}
            held = Held(shown.buffers | own, True, True, shown.partners)
            fact = self._changed(fact, results, held)
        return fact

    def _apart_from(self, name: str, lists: bool) -> bool:
        """True for what can't share memory with ``lists`` of numbers, or with anything
        else."""
        if lists:
            return isinstance(self.kinds.get(name), ir.Array)
        return self._is_list_of_numbers(name)

    def _is_list_of_numbers(self, name: str) -> bool:
        kind = self.kinds.get(name)
        return isinstance(kind, ir.List) and is_number(kind.item)

    def _operation(
        self, statement: ir.Statement, value: ir.Apply, names: list[str], fact: Memory
    ) -> Memory:
        arrays = self._arrays(names)
        if id(statement) in self.parts:
            outer: Buffer = (*OUTSIDE, self.parts[id(statement)])
            return self._changed(fact, arrays, Held(frozenset((outer,)), view=True))
        if id(statement) in self.own_parts:
            part: Buffer = ("fresh", self.own_parts[id(statement)])
            return self._changed(fact, arrays, Held(frozenset((part,)), view=True))
        fact = self._given_away(value, fact)
        if self.as_written and isinstance(value.function, ir.Procedure):
            returned = returned_memory(value.function)
            if returned is None:
                return self._unread_results(statement, value, fact)
            return self._results(statement, value, returned, fact)
        first = value.args[0] if value.args else None
        in_derivative = False
        if self.as_written and value.function in ops.READS_OF_REFERENCES:
            in_derivative = ir.is_array_reference(ir.kind_of(first, self.kinds))
            if not in_derivative:
                return self._changed(fact, arrays, Held(ONLY_SLOTS, view=True))
        elif value.function in ops.READS_OF_STORED and value.function not in FRESH:
            return self._changed(fact, arrays, Held(ONLY_OUTSIDE, view=True))
        if value.function in ops.MAKES_OBJECTS:
            return fact
        buffer = None
        if value.function in KEEPS_BUFFER and isinstance(first, ir.Var):
            buffer = first
        if buffer and not self._copied(statement, buffer, names, fact):
            return self._changed(fact, arrays, self._held((buffer,), fact))
        new: Buffer = ("fresh", id(statement))
        fact = self._aged(fact, new)
        held = Held(frozenset((new,)))
        if not (buffer or in_derivative) and is_view_operation(value, self.kinds):
            shaped = value.function is ops.broadcast_like
            sources = (
                ir.operand_variables(first) if shaped else ir.value_variables(value)
            )
            shown = self._held(sources, fact)
            outside = gives_what_others_hold(value)
            if value.function in LISTS and not all(
                map(self._is_list_of_numbers, names)
            ):
                outside = outside or any(map(holds_module_data, value.args))
            own = {new, OUTSIDE} if outside else {new}
            is_part = value.function in PARTS or ops.rearranges(value.function)
            # of what a list is made, its items show as much as before
            same = value.function in LISTS or is_copy_of_list(value, self.kinds)
            held = Held(
                shown.buffers | own,
                shown.view if same else True,
                shown.read_only or not (is_part or same),
                shown.partners,
            )
        fact = self._changed(fact, arrays, held)
        if len(arrays) > 1 and are_apart(value.function):
            for name in arrays:
                memory = frozenset((("fresh", id(statement), name),))
                fact = self._changed(fact, (name,), Held(memory))
        if not isinstance(value.function, ir.Procedure):
            return fact
        whole = {*self.ownership.own_results(statement, whole=True)}
        for name in self.ownership.own_results(statement):
            if name in arrays:
                memory = frozenset((("fresh", id(statement), name),))
                own_one = Held(memory, view=name not in whole)
                fact = self._changed(fact, (name,), own_one)
        return fact
