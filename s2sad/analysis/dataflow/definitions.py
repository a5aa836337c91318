"""Definitions: which of them each read of a variable may see.

Definitions that reach a common read are one *web*, kept as a tree of which the root
stands for all. Where paths meet, a meeting point joins the definitions of them all, but
only once something reads it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from s2sad import ir, ops
from s2sad.analysis.dataflow.shared_tables import SharedTable


@dataclass(eq=False)
class Definition:
    """A definition, or the meeting point of several."""

    name: str
    kind: ir.Kind | None = None
    parent: Definition | None = None
    inputs: list[Definition] = field(default_factory=list)
    is_meeting: bool = False
    used: bool = False
    head_kind: ir.Kind | None = None

    def root(self) -> Definition:
        """The definition that stands for the web."""
        node = self
        while node.parent is not None:
            node = node.parent
        while self.parent is not None:
            self.parent, self = node, self.parent
        return node


def _merge(a: Definition, b: Definition) -> None:
    x, y = a.root(), b.root()
    if x is not y:
        y.parent = x


def _use(definition: Definition) -> None:
    """A read makes a meeting point real: all that reaches it is one variable."""
    pending = [definition]
    while pending:
        node = pending.pop()
        if node.used:
            continue
        node.used = True
        for source in node.inputs:
            _merge(source, node)
            pending.append(source)


def _add_input(meeting: Definition, source: Definition) -> None:
    meeting.inputs.append(source)
    if meeting.used:
        _merge(source, meeting)
        _use(source)


_TURNS = {"handler": 1, "final": 2}
"""Paths on which nothing is raised come first, also where names are numbered."""


class Definitions:
    """The definitions of a function, and those that its reads and writes belong to.
    ``in_place``: an array that is written into stays the same array."""

    def __init__(self, kinds: Mapping[str, ir.Kind], *, in_place: bool = False):
        self.kinds, self.in_place = kinds, in_place
        self.current: SharedTable[Definition] = SharedTable.of({})
        self.all: list[Definition] = []
        self.reads: dict[tuple[int, str], Definition] = {}
        self.writes: dict[tuple[int, str], Definition] = {}
        self.heads: dict[int, dict[str, Definition]] = {}
        """What holds where an iteration of a loop starts, by its identity."""
        self.raising: list[dict[str, list[Definition]]] = []
        """For each try around: the definitions that held where something in it may
        raise."""

    def define(
        self, statement: ir.Statement | None, name: str, kind: ir.Kind | None
    ) -> None:
        """A statement, or None for a parameter, gives a variable a value."""
        definition = Definition(name, kind)
        self.all.append(definition)
        self.hold(name, definition)
        if statement is not None and ops.is_write(statement):
            old = self.reads.get((id(statement), name))
            same_list = isinstance(kind, ir.List) and ops.is_store(statement)
            if old is not None and (same_list or self.in_place):
                if same_list:  # it is as long as it was
                    definition.kind = None
                _add_input(definition, old)
                _use(definition)
        if statement is not None:
            self.writes[id(statement), name] = definition

    def hold(self, name: str, definition: Definition) -> None:
        """A variable has the value of a definition from here on."""
        self.current = self.current.updated({name: definition})

    def meeting(self, name: str, *inputs: Definition) -> Definition:
        """The point at which definitions on several paths meet."""
        definition = Definition(name, is_meeting=True)
        self.all.append(definition)
        for source in inputs:
            _add_input(definition, source)
        return definition

    def read(
        self, statement: ir.Statement, variables: Iterable[ir.Var] | None = None
    ) -> None:
        """A statement reads variables, by default all that it reads itself."""
        for variable in ir.direct_reads(statement) if variables is None else variables:
            definition = self.current.get(variable.name)
            if definition is None:
                definition = self.meeting(variable.name)
                self.hold(variable.name, definition)
            _use(definition)
            self.reads[id(statement), variable.name] = definition

    def block(self, block: ir.Block) -> None:
        """Follow the statements of a block."""
        for statement in block:
            if ir.may_raise(statement):
                self.note()
            if type(statement) in ir.COMPOUND:
                self.compound(statement)
                continue
            self.read(statement)
            for variable in ir.direct_writes(statement):
                if isinstance(statement, ir.Save):
                    continue  # a stack grows; it isn't defined anew
                kind = _kind_written(statement, variable, self.kinds)
                self.define(statement, variable.name, kind)

    def reaching_heads(self) -> frozenset[int]:
        """The identities of the definitions that reach the head of a loop whose kind
        there is known."""
        pending = [d for d in self.all if d.head_kind is not None and d.used]
        reaching: set[int] = set()
        while pending:
            for source in pending.pop().inputs:
                if id(source) not in reaching:
                    reaching.add(id(source))
                    pending.append(source)
        return frozenset(reaching)

    def note(self) -> None:
        """Something may raise here."""
        for found in self.raising:
            for name, definition in self.current.entries():
                known = found.setdefault(name, [])
                if definition not in known:
                    known.append(definition)

    def compound(self, statement: ir.Statement) -> None:
        """Follow the regions of a statement. What comes to a place on several ways
        meets there."""
        if isinstance(statement, ir.Loop):
            self.head(statement)
        else:
            self.read(statement)
        flow = ir.flow_of(statement)
        ends = {ir.OUTSIDE: self.current}
        for region in sorted(flow.regions, key=lambda r: _TURNS.get(r.role, 0)):
            reached = self.go_on(flow.into[region.place], ends)
            if isinstance(statement, ir.For):
                self.define(statement, statement.target.name, ir.INT)
            self.region(region, ends)
            if isinstance(statement, ir.While) and region.heads:
                self.read(statement, ir.operand_variables(statement.test))
            if reached and not ops.ends_raising(region.block):
                ends[region.place] = self.current
        for name, head in self.heads.get(id(statement), {}).items():
            _add_input(head, self.current[name])
        self.go_on(flow.into[ir.OUTSIDE], ends)

    def go_on(
        self, ways: Iterable[int], ends: Mapping[int, SharedTable[Definition]]
    ) -> bool:
        """Go on where several ways meet; False where no way comes there."""
        first, *others = [ends[way] for way in ways if way in ends] or [self.current]
        self.current = first
        for other in others:
            self.meet(other)
        return any(way in ends for way in ways)

    def meet(self, other_path: SharedTable[Definition]) -> None:
        """Go on where another path joins the current one."""
        met: dict[str, Definition] = {}
        for name, definition in self.current.different(other_path):
            other = self.current.get(name)
            if other is None:
                met[name] = definition
            elif other is not definition:
                met[name] = self.meeting(name, definition, other)
        self.current = self.current.updated(met)

    def region(
        self, region: ir.Region, ends: dict[int, SharedTable[Definition]]
    ) -> None:
        """Follow a region; what handles exceptions of it sees what held wherever it
        may have raised."""
        start = self.current
        finally_run = region.unwinds and not region.raises_to
        for place, held in ends.items() if finally_run else ():
            if place < ir.OUTSIDE:  # on the way out, too
                self.meet(held)
        if region.raises_to:
            self.raising.append({})
        self.block(region.block)
        if region.raises_to:
            nothing: SharedTable[Definition] = SharedTable(start.names, ())
            raised = nothing.updated(self.where_raised())
            at_once = not raised.rows and region.first
            ends[ir.anywhere_in(region.place)] = start if at_once else raised
        if region.unwinds:
            self.note()
        if finally_run:  # where nothing was raised it has changed what it assigns
            written = [
                n for n in ir.names_written_in(region.block) if n in self.current
            ]
            self.current = start.updated({n: self.current[n] for n in written})

    def where_raised(self) -> dict[str, Definition]:
        """The definitions that may have held where something raised in the block that
        ends here."""
        return {
            name: found[0] if len(found) == 1 else self.meeting(name, *found)
            for name, found in self.raising.pop().items()
        }

    def head(self, statement: ir.Loop) -> None:
        """What holds before a loop meets at its head what an iteration leaves."""
        if isinstance(statement, ir.For):
            numbers = (statement.start, statement.stop, statement.step)
            self.read(statement, ir.operand_variables(ir.pack_tuple(*numbers)))
        kinds = statement.head_kinds or {}
        heads = self.heads[id(statement)] = {}
        for name in sorted(ir.names_written_within(statement)):
            inputs = [self.current[name]] if name in self.current else []
            head = heads[name] = self.meeting(name, *inputs)
            head.head_kind = kinds.get(name)
            self.hold(name, head)
        self.read(statement, ir.operand_variables(statement.until))


def _kind_written(
    statement: ir.Statement, variable: ir.Var, kinds: Mapping[str, ir.Kind]
) -> ir.Kind | None:
    if isinstance(statement, ir.Assign) and statement.kind is not None:
        if isinstance(statement.target, ir.Pack) and isinstance(
            statement.kind, ir.Structure
        ):
            for item, kind in zip(
                statement.target.items, statement.kind.items, strict=True
            ):
                if item == variable:
                    return kind
        return statement.kind
    return kinds.get(variable.name) if not isinstance(statement, ir.Restore) else None
