"""Handed over: finds what is handed over at the calls of some programs.

All is assumed to be at first. What contradicts it in some program is given up, until
nothing does.
"""

from collections import Counter
from collections.abc import (
    Callable,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
    Set,
)
from dataclasses import dataclass

from s2sad import ir
from s2sad.analysis.dataflow import dataflow, liveness
from s2sad.analysis.memory.ownership import Ownership, Place, handed
from s2sad.analysis.memory.points_to import points_to
from s2sad.analysis.memory.unshared_lists import UnsharedLists
from s2sad.analysis.memory.view_operations import is_number
from s2sad.analysis.passes.dead_code import must_run

Programs = Mapping[ir.Procedure, ir.Function]


@dataclass(frozen=True)
class Refusal:
    """A call that doesn't give up what it hands over."""

    caller: ir.Function
    call: ir.Statement
    procedure: ir.Procedure
    place: Place


def ownership_of(
    functions: Sequence[ir.Function],
    programs: Programs,
    is_wanted: Callable[[Sequence[Refusal]], bool],
) -> Ownership | None:
    """What is handed over at the calls of some programs. None where some refuse to give
    up what ``is_wanted``, before what follows from that is looked at."""
    everything = (*functions, *programs.values())
    handed_over = _places(everything)
    arguments = {p: frozenset(handed_over.get(p, ())) for p in programs}
    results = {p: frozenset(range(len(_returned(f)))) for p, f in programs.items()}
    whole = dict(results)
    everyone = [*((None, f) for f in functions), *programs.items()]
    checks = [_Check(procedure, function) for procedure, function in everyone]
    seen: dict[_Check, Hashable] = {}
    while True:
        assumed = Ownership(arguments, results, whole)
        refused: list[Refusal] = []
        lost_results: set[tuple[ir.Procedure, int]] = set()
        parts: set[tuple[ir.Procedure, int]] = set()
        for check in checks:
            looked_at = check.looks_at(assumed)
            if seen.get(check) == looked_at:
                continue  # it lost nothing then
            seen[check] = looked_at
            check.run(assumed)
            refused += check.lost_arguments()
            lost_results |= set(check.lost_results())
            parts |= set(check.returned_parts())
        if is_wanted(refused):
            return None
        lost_arguments = {(r.procedure, r.place) for r in refused}
        arguments = {
            p: frozenset(k for k in own if (p, k) not in lost_arguments)
            for p, own in arguments.items()
        }
        results = {
            p: frozenset(k for k in own if (p, k) not in lost_results)
            for p, own in results.items()
        }
        whole = {
            p: frozenset(k for k in own & results[p] if (p, k) not in parts)
            for p, own in whole.items()
        }
        if assumed == Ownership(arguments, results, whole):
            return assumed


def _places(callers: Iterable[ir.Function]) -> Mapping[ir.Procedure, set[Place]]:
    """The places at which any call of a procedure hands over a variable."""
    found: dict[ir.Procedure, set[Place]] = {}
    for caller in callers:
        for s in ir.walk(caller.body):
            call = _call_in(s)
            if call is not None:
                assert isinstance(call.function, ir.Procedure)
                places = (place for place, _ in handed(call))
                found.setdefault(call.function, set()).update(places)
    return found


def _call_in(s: ir.Statement) -> ir.Apply | None:
    """The call of a procedure that a statement is, also where nothing is kept of it."""
    value = s.value if isinstance(s, ir.Assign | ir.Effect) else None
    is_call = isinstance(value, ir.Apply) and isinstance(value.function, ir.Procedure)
    return value if is_call else None  # type: ignore[return-value]


def _returned(function: ir.Function) -> tuple[object, ...]:
    last = function.body[-1]
    return ir.tuple_items(last.value) if isinstance(last, ir.Return) else ()


class _Check:
    """Looks for what contradicts an assumed ownership in one program."""

    def __init__(self, procedure: ir.Procedure | None, function: ir.Function) -> None:
        self.procedure, self.function = procedure, function
        self.live, _ = liveness.live_variables(function.body, must_run)
        self.attempted = {
            id(inner)
            for s in ir.walk(function.body)
            if isinstance(s, ir.Try | ir.With)
            for inner in ir.walk((s,))
        }
        """Statements whose exceptions somebody may wait for, who reads on."""
        self.called = tuple(dict.fromkeys(ir.called_procedures(function.body)))

    def looks_at(self, assumed: Ownership) -> Hashable:
        """What the check has of an assumed ownership."""
        programs = [*self.called, self.procedure]
        tables = (assumed.arguments, assumed.results, assumed.whole)
        return tuple(table.get(p) for p in programs if p for table in tables)

    def run(self, assumed: Ownership) -> None:
        """Follow the program's lists and arrays."""
        function = self.function
        self.assumed = assumed
        own = assumed.own_parameters(self.procedure, function)
        self.lists = UnsharedLists(self.live.after, function.kinds, assumed)
        start = frozenset(own & set(function.parameters))
        self.unshared = dataflow.solve_forward(function.body, start, self.lists)
        self.memory = points_to(
            function, self.live.after, ownership=assumed, procedure=self.procedure
        )

    def lost_arguments(self) -> Iterator[Refusal]:
        """The arguments that a caller may see again, or somebody else."""
        for s in ir.walk(self.function.body):
            call = _call_in(s)
            held = {} if call is None else dict(handed(call))
            for value in ir.operations(s):
                procedure = value.function
                if not isinstance(procedure, ir.Procedure):
                    continue
                for place in self.assumed.arguments.get(procedure, frozenset()):
                    variable = held.get(place) if value is call else None
                    if variable is not None:
                        given_up = self._is_given_up(variable, s, value)
                    else:
                        given_up = value is call and _is_constant(value, place)
                    if not given_up:
                        yield Refusal(self.function, s, procedure, place)

    def _is_given_up(self, variable: ir.Var, s: ir.Statement, call: ir.Apply) -> bool:
        kind = self.function.kinds.get(variable.name)
        if is_number(kind):
            return True
        reads = Counter(v.name for v in ir.value_variables(call))
        if id(s) in self.attempted or reads[variable.name] > 1:
            return False
        live: Set[str] = self.live.after.get(id(s), frozenset())
        behind = live - ir.names_written(s)
        if variable.name in behind:
            return False
        if isinstance(kind, ir.Array):
            others = behind | set(reads)
            memory = self.memory.before(s)
            return memory.changeable_alone(variable.name, others - {variable.name})
        return variable.name in self.unshared.before.get(id(s), frozenset())

    def lost_results(self) -> Iterator[tuple[ir.Procedure, int]]:
        """The results that somebody else may hold, too."""
        last = self.function.body[-1]
        if self.procedure is None or not isinstance(last, ir.Return):
            return
        items = ir.tuple_items(last.value)
        reads = Counter(v.name for item in items for v in ir.operand_variables(item))
        for place in self.assumed.results.get(self.procedure, frozenset()):
            item = items[place]
            if not isinstance(item, ir.Var):
                if not _is_new(item):
                    yield self.procedure, place
                continue
            kind = self.function.kinds.get(item.name)
            if is_number(kind):
                continue
            if reads[item.name] > 1:
                yield self.procedure, place
            elif isinstance(kind, ir.Array):
                memory = self.memory.before(last)
                others = frozenset(reads) - {item.name}
                if not memory.changeable_alone(item.name, others):
                    yield self.procedure, place
            elif item.name not in self.unshared.before.get(id(last), frozenset()):
                yield self.procedure, place

    def returned_parts(self) -> Iterator[tuple[ir.Procedure, int]]:
        """The results that may be a part of an array, or a view of it."""
        last = self.function.body[-1]
        if self.procedure is not None and isinstance(last, ir.Return):
            memory, kinds = self.memory.before(last), self.function.kinds
            for place, item in enumerate(ir.tuple_items(last.value)):
                array = isinstance(ir.kind_of(item, kinds), ir.Array)
                if not array or not memory.is_own(str(item)):
                    yield self.procedure, place


def _is_new(item: ir.Operand) -> bool:
    """True for what is returned and holds no variable, and no data of a module."""
    if isinstance(item, ir.Pack):
        return all(map(_is_new, item.items))
    return isinstance(item, ir.Const)


def _is_constant(value: ir.Apply, place: Place) -> bool:
    """True where nothing that could be changed is handed over; a structure that is
    handed on as a whole may hold what could."""
    k, item = place
    argument = value.args[k] if k < len(value.args) else ir.Var("")
    if item is not None:
        return isinstance(argument, ir.Pack)
    return not ir.operand_variables(argument)
