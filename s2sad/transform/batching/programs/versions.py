"""What many tangents or cotangents enter: variables of a program, and arguments of the
programs that it calls.

::

    x.bar = f_reverse(residuals, y.bar)    # y.bar: [k, n], residuals as they were

A called program has one version for the most that is batched in any call of it; calls
that nothing batched enters call the program itself. A forward program that is batched
hands batched residuals on, so that a reverse program has two versions at most. What is
batched is found for all programs together, until nothing changes: a program may call
itself.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.ops.runtime import broadcasting
from s2sad.ops.runtime.structures import zeros_of_structure
from s2sad.rules.steps.shape_queries import SHAPE_QUERIES, shape_of
from s2sad.transform.batching.kinds import kinds_of_block
from s2sad.transform.calls.cotangents_of_calls import with_cotangents_taken
from s2sad.transform.programs import primal_programs, webs
from s2sad.transform.run_time.groups import alike

_OF_SHAPES = (
    *(*SHAPE_QUERIES, shape_of),
    *(np.zeros_like, np.zeros, ops.zero_items, ops.zero_rows, zeros_of_structure),
)
"""What asks its operands only for their shapes."""
OF_SHAPE_OF_SECOND = (
    *(broadcasting.sum_to_shape_of, broadcasting.broadcast_to_shape_of),
    *(broadcasting.reshape_as, ops.broadcast_like, ops.full_like_of),
)
"""What asks its second operand only for its shape."""

Place = tuple[int, int | None]
"""An argument, or an item of a tuple that is one."""


@dataclass
class Flow:
    """What of a program is batched."""

    batched: set[str]
    items: dict[str, frozenset[int]] = field(default_factory=dict)
    """The items that are, of parameters that are tuples."""
    kept: dict[str, Version] = field(default_factory=dict)
    """The versions whose residuals variables hold, or keep on a stack."""
    called: dict[Version, None] = field(default_factory=dict)
    alike: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """For each variable with a reference those that may lead to the same structure."""
    rows_in_adjoints: bool = False
    """Adjoints that are references take rows: those that they are handed lead to arrays
    with one more axis already, and nobody reads them."""


@dataclass(eq=False)
class Version:
    """A program that is called with batched arguments."""

    procedure: ir.Procedure
    residuals_of: Version | None
    """What hands on the residuals that it takes; None where these are none, or not
    batched."""
    source: ir.Function
    """The program of the procedure, which may be made again."""
    program: ir.Function
    """The same, in which each variable has one kind."""
    given: set[Place] = field(default_factory=set)
    results: set[int] = field(default_factory=set)
    residuals: dict[int, Version | None] = field(default_factory=dict)
    """The items of the residuals it hands on that are batched, and what they hold
    residuals of."""
    flow: Flow = field(default_factory=lambda: Flow(set()))
    made: ir.Procedure | None = None

    @property
    def returned(self) -> tuple[ir.Operand, ...]:
        """What it returns, residuals last as one tuple."""
        value = self.program.final.value
        return value.items if isinstance(value, ir.Pack) else (value,)

    @property
    def hands_on(self) -> bool:
        """True for a forward program."""
        return isinstance(next(reversed(self.returned), None), ir.Pack)

    @property
    def shows_size(self) -> Place | None:
        """An argument off which is read how many there are; None where that is handed
        on, last."""
        for place, item in sorted(self.given, key=str):
            kind = self.program.kinds.get(self.program.parameters[place])
            if item is not None and isinstance(kind, ir.Structure):
                kind = kind.items[item]
            if isinstance(kind, ir.Scalar | ir.NumPyScalar | ir.Array):
                return place, item
        return None

    @property
    def facts(self) -> tuple[object, ...]:
        """What is known so far."""
        return frozenset(self.given), frozenset(self.results), dict(self.residuals)


class Versions:
    """The versions of all programs that a program calls."""

    def __init__(self) -> None:
        self.known: dict[tuple[ir.Procedure, bool], Version] = {}

    def settled(
        self,
        function: ir.Function | None = None,
        batched: Iterable[str] = (),
        *,
        rows_in_adjoints: bool = False,
    ) -> Flow:
        """What of a program is batched, where these variables are; what of others is
        stands in their versions then."""
        before: list[object] | None = None
        while True:
            flow = Flow(set(batched), rows_in_adjoints=rows_in_adjoints)
            if function is not None:
                flow = self._flow(function, flow)
            for version in list(self.known.values()):
                self._settle(version)
            facts: list[object] = [v.facts for v in self.known.values()]
            if facts == before:
                return flow
            before = facts

    def version_for(self, call: ir.Apply, flow: Flow) -> Version | None:
        """What is called where this is batched; None for the program itself."""
        procedure = call.function
        assert isinstance(procedure, ir.Procedure)
        given = {p for p, v in places_of(call) if is_batched(v, flow)}
        if not given:
            return None
        residuals_of = None
        if procedure.reverses is not None:
            residuals_of = flow.kept.get(str(call.args[0]))
        version = self.known.get((procedure, residuals_of is not None))
        if version is None:
            version = self.new_version(procedure, given, residuals_of)
        if version.residuals_of is not residuals_of:
            raise core.NotBatched("residuals come from different programs")
        version.given |= given - ({(0, None)} if residuals_of else set())
        return version

    def new_version(
        self,
        procedure: ir.Procedure,
        given: set[Place],
        residuals_of: Version | None = None,
    ) -> Version:
        """One that these arguments are batched in."""
        if not ir.is_complete(procedure) or procedure.given is not None:
            raise core.NotBatched(f"{procedure.__name__} can't be taken apart")
        source = primal_programs.runnable(procedure)
        if residuals_of is not None and any(
            isinstance(s, ir.Effect) and s.value.function in ops.ADDS_TO_ADJOINTS
            for s in ir.walk(source.body)
        ):
            raise core.NotBatched("adjoints are handed on that are many already")
        program = webs.split_webs(with_cotangents_taken(source))
        version = Version(procedure, residuals_of, source, program)
        version.given |= given - ({(0, None)} if residuals_of else set())
        self.known[procedure, residuals_of is not None] = version
        return version

    def _settle(self, version: Version) -> None:
        parameters = version.program.parameters
        flow = Flow(set())
        for place, item in version.given:
            name = parameters[place]
            if item is None:
                flow.batched.add(name)
            else:
                flow.items[name] = flow.items.get(name, frozenset()) | {item}
        if version.residuals_of is not None:
            flow.batched.add(parameters[0])
            flow.kept[parameters[0]] = version.residuals_of
        flow.rows_in_adjoints = version.procedure.reverses is not None
        version.flow = self._flow(version.program, flow)
        for place, operand in enumerate(version.returned):
            if isinstance(operand, ir.Pack):
                for k, kept in enumerate(operand.items):
                    if is_batched(kept, flow):
                        version.residuals[k] = flow.kept.get(str(kept))
            elif is_batched(operand, flow):
                version.results.add(place)

    def _flow(self, function: ir.Function, flow: Flow) -> Flow:
        flow.alike = alike(function, kinds_of_block(function))
        for name in tuple(flow.batched):
            _note(flow, name, None)
        before = None
        while before != (len(flow.batched), len(flow.kept)):
            before = len(flow.batched), len(flow.kept)
            flow.called = {}
            for s in ir.walk(function.body):
                if not any(o.function in _OF_SHAPES for o in ir.operations(s)):
                    self._statement(s, flow)
        return flow

    def _statement(self, s: ir.Statement, flow: Flow) -> None:
        if primal_programs.is_procedure_call(getattr(s, "value", None)):
            assert isinstance(s, ir.Assign | ir.Effect)
            self._call(s, flow)
            return
        parts = parts_taken(s, flow)
        if parts is not None:
            for name, kept in parts.items():
                _note(flow, name, kept)
            return
        sources, targets = ir.value_flow(s)
        if isinstance(s, ir.Effect) and s.value.function in ops.ADDS_TO_ADJOINTS:
            adjoint, *_, amount = s.value.args
            if not flow.rows_in_adjoints:
                targets = frozenset(map(str, ir.operand_variables(adjoint)))
            sources = frozenset(map(str, ir.operand_variables(amount)))
        if ir.is_line(s, *OF_SHAPE_OF_SECOND):
            sources = frozenset(map(str, ir.operand_variables(s.value.args[0])))
        kept = next((flow.kept[n] for n in sorted(sources) if n in flow.kept), None)
        if not flow.batched.isdisjoint(sources):
            for name in targets:
                _note(flow, name, kept)

    def _call(self, s: ir.Assign | ir.Effect, flow: Flow) -> None:
        assert isinstance(s.value, ir.Apply)
        version = self.version_for(s.value, flow)
        if version is None:
            return
        flow.called[version] = None
        targets = targets_of(s)
        for place in version.results:
            _note(flow, str(targets[place]), None)
        if version.hands_on:
            _note(flow, str(targets[-1]), version)


def is_batched(operand: ir.Operand, flow: Flow) -> bool:
    """True for a batched variable."""
    return isinstance(operand, ir.Var) and operand.name in flow.batched


def targets_of(s: ir.Assign | ir.Effect) -> tuple[ir.Operand, ...]:
    """What the results of a call are assigned to, by place."""
    if isinstance(s, ir.Effect):
        return ()
    return s.target.items if isinstance(s.target, ir.Pack) else (s.target,)


def places_of(call: ir.Apply) -> Iterator[tuple[Place, ir.Operand]]:
    """The arguments of a call, those in tuples one by one."""
    for place, argument in enumerate(call.args):
        if isinstance(argument, ir.Pack):
            for k, item in enumerate(argument.items):
                if isinstance(item, ir.Pack):
                    raise core.NotBatched("a structure is handed on")
                yield (place, k), item
        else:
            yield (place, None), argument


def parts_taken(s: ir.Statement, flow: Flow) -> dict[str, Version | None] | None:
    """The batched variables that a statement takes out of residuals, or of a parameter
    that is a tuple, and the versions whose residuals they hold; None for other
    statements."""
    if not isinstance(s, ir.Assign):
        return None
    read = ir.names_read(s) & flow.items.keys()
    match s.target, s.value:
        case ir.Pack(), ir.Var(name) if name in flow.items:
            parts: Mapping[int, Version | None] = dict.fromkeys(flow.items[name])
        case ir.Pack(), ir.Var(name) if name in flow.kept:
            parts = flow.kept[name].residuals
        case (
            ir.Var(target),
            ir.Apply(operator.getitem, (ir.Var(name), ir.Const(k))),
        ) if name in flow.items:
            return {target: None} if k in flow.items[name] else {}
        case _:
            if read:
                raise core.NotBatched("several cotangents are handed on together")
            return None
    targets = targets_of(s)
    return {str(targets[k]): kept for k, kept in parts.items()}


def _note(flow: Flow, name: str, kept: Version | None) -> None:
    flow.batched |= flow.alike.get(name, frozenset()) | {name}
    if kept is not None and flow.kept.setdefault(name, kept) is not kept:
        raise core.NotBatched("residuals come from different programs")
