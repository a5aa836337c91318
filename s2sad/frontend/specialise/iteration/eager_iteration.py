"""Iterators that run before their consumer, where Python goes back and forth.

``zip`` of two generators, ``groupby``, ``tee`` and the like put what an iterator gives
into a list first. That is the same as long as neither side sees what the other does:
the iterator has no effects, and reads nothing that the rest of the program changes.
"""

import ast
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NoReturn

from s2sad import ir, ops
from s2sad.analysis.passes import purity, stored_slots
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.context import Context
from s2sad.source.text import scopes

Body = Callable[[core.Value], None]
Kinds = Mapping[str, ir.Kind | None]


@dataclass(eq=False)
class EarlyRun:
    """What an iterator reads that runs early."""

    what: str
    """The function that lets it, for messages."""
    node: ast.AST | None
    since: int = field(default_factory=core.serials.__next__)
    """Activations with a lower serial were there before."""
    span: ir.Span | None = None
    ahead: bool = False
    """It runs when it is made: what a loop around binds may be bound anew before its
    items are taken."""
    has_while: bool = False
    """It has a loop that may not end by itself."""
    rebound: bool = False
    """It reads a name that the program binds at several places."""
    arrays: set[str] = field(default_factory=set)
    """The variables of the arrays that it reads."""
    cells: dict[core.CellFrame, int] = field(default_factory=dict)
    """The lists, dicts and objects that it reads, and how often they had changed."""

    slots: dict[str, int] = field(default_factory=dict)
    """What it reads of what is kept, and how often there had been stores into such."""

    def problem(self) -> core.Unsupported:
        """What is refused."""
        return core.Unsupported(
            f"an iterator under {self.what} changes data or reads data that changes, "
            "and what runs when isn't followed there",
            "make a list of it first: list(...)",
            self.node,
        )

    def refuse(self, spec: Context) -> NoReturn:
        """What it does, or what was done, makes a difference."""
        raise self.problem()

    def refuse_later(self, spec: Context) -> None:
        """What was done behind it does."""
        spec.report_at(self.problem(), self.span)  # type: ignore[attr-defined]

    def refuse_in_attempt(self, spec: Context) -> NoReturn:
        """It may raise where a handler goes on."""
        raise core.Unsupported(
            f"an iterator under {self.what} runs before what takes its items, and may "
            "raise in a try whose handler goes on: how far that came isn't known",
            "make a list of it in front of the try: list(...)",
            self.node,
        )

    def is_own(self, spec: Context, s: ir.Effect, kinds: Kinds) -> bool:
        """True for a store into what nobody but it can see."""
        return False

    def may_write(self, s: ir.Statement) -> bool:
        """True where arrays into which it writes are nobody else's."""
        return False

    def note_given(self, spec: Context, values: Iterable[core.Value]) -> None:
        """A procedure is called with these."""

    def note_slots(self, spec: Context, names: Iterable[str]) -> None:
        """Slots of what is kept are read."""
        for name in names:
            self.slots.setdefault(name, stores_into(spec, name))

    def sees_changes(self, spec: Context) -> bool:
        """True where lists, dicts or objects have changed since it read them."""
        stored = any(stores_into(spec, n) != count for n, count in self.slots.items())
        return stored or any(f.changes != count for f, count in self.cells.items())


def stores_into(spec: Context, name: str) -> int:
    """How often there were stores into slots of a name."""
    if name == stored_slots.ANY:
        return spec.slot_stores.total()
    return spec.slot_stores[name] + spec.slot_stores[stored_slots.ANY]


def note_name(spec: Context, owner: core.Frame, name: str, value: core.Value) -> None:
    """A name is read."""
    for run in spec.eager_iteration_under_way:
        if owner.serial < run.since:
            run.rebound |= name in owner.rebound | owner.written_by_others
            run.rebound |= run.ahead and _is_bound_again(owner, name)
    note_arrays(spec, value)


def _is_bound_again(owner: core.Frame, name: str) -> bool:
    """True for what loops bind, and comprehensions."""
    of_comprehension = "comprehension" in (
        owner.key if type(owner.key) is tuple else ()
    )
    if of_comprehension and name in owner.local_names:
        return True
    return name in scopes.names_bound_in_loops(owner.source.node)


def note_arrays(spec: Context, value: core.Value) -> None:
    """Arrays are read, also by an iterator over them."""
    if isinstance(value, core.Leaf):
        if isinstance(value.kind, ir.Array) and isinstance(value.operand, ir.Var):
            for run in spec.eager_iteration_under_way:
                run.arrays.add(value.operand.name)
    for _, part in core.parts_of(value):
        note_arrays(spec, part)


def note_call(
    spec: Context,
    given: Collection[core.Value],
    captured: Collection[tuple[core.Frame, str, core.Value]],
) -> None:
    """A procedure reads what it is given and captures."""
    for owner, name, value in captured:
        note_name(spec, owner, name, value)
        if isinstance(owner, core.CellFrame):
            note_cell(spec, owner)
    for value in given:
        note_arrays(spec, value)
    values = [*given, *(value for _, _, value in captured)]
    for held in parts_within(values):
        if isinstance(held, core.Cell):
            note_cell(spec, held.frame)
    for run in spec.eager_iteration_under_way:
        run.note_given(spec, values)


def parts_within(values: Iterable[core.Value]) -> Iterator[core.Value]:
    """Values, and all that they hold and that cells among them hold now."""
    waiting, seen = list(values), set[core.CellFrame]()
    while waiting:
        value = waiting.pop()
        yield value
        waiting += [part for _, part in core.parts_of(value)]
        if isinstance(value, core.Cell) and value.frame not in seen:
            seen.add(value.frame)
            waiting += value.frame.names.values()


def note_cell(spec: Context, frame: core.CellFrame) -> None:
    """What a list, dict or object holds is read."""
    for run in spec.eager_iteration_under_way:
        if frame.serial < run.since:
            run.cells.setdefault(frame, frame.changes)


def note_while(spec: Context) -> None:
    """A loop runs of which nobody knows whether it ends by itself."""
    for run in spec.eager_iteration_under_way:
        run.has_while = True


@contextmanager
def run_early(
    spec: Context, what: str, *, ahead: bool = False, must_end: bool = False
) -> Iterator[None]:
    """While an iterator runs as a whole before its consumer, ``ahead`` of it when it is
    made: refuse one for which that differs, and one that ``must_end`` where only its
    consumer may end it."""
    run = EarlyRun(what, spec.place, span=spec.span, ahead=ahead)
    with reading(spec, run):
        yield
    if must_end and run.has_while:
        raise core.Unsupported(
            f"an iterator under {what} has a loop that may not end by itself, and "
            "items of it are taken at several places",
            "run over it in one loop",
            run.node,
        )
    if (run.arrays or run.cells or run.slots) and not spec.derived:
        spec.eager_iteration.append(run)


@contextmanager
def reading(spec: Context, run: EarlyRun) -> Iterator[None]:
    """While a part of an iterator runs early: note what it reads, and refuse one that
    has effects."""
    spec.eager_iteration_under_way.append(run)
    try:
        with without_effects(spec, run):
            yield
    finally:
        spec.eager_iteration_under_way.remove(run)
    if run.rebound and not spec.derived:
        run.refuse(spec)


@contextmanager
def without_effects(spec: Context, run: EarlyRun) -> Iterator[None]:
    """Refuse what changes data, prints or raises."""
    frames = spec.frames_at_stake()
    names = [dict(frame.names) for frame in frames]
    block, start = spec.block, len(spec.block)
    yield
    changed = any(
        name in frame.names and not _is_same(frame.names[name], value)
        for frame, held in zip(frames, names, strict=True)
        for name, value in held.items()
        if not name.startswith(".")
    )
    own = tuple(block[start:])
    if (changed or _acts(spec, run, own)) and not spec.derived:
        run.refuse(spec)
    if any(h.goes_on for h in spec.caught) and any(map(ir.may_raise, ir.walk(own))):
        run.refuse_in_attempt(spec)


def _is_same(now: core.Value, before: core.Value) -> bool:
    """True for what is held by the same variable, whatever is known of it."""
    if isinstance(now, core.Leaf) and isinstance(before, core.Leaf):
        return now.operand == before.operand
    return now == before


@contextmanager
def between_steps(spec: Context, run: EarlyRun) -> Iterator[Callable[[Body], Body]]:
    """Of a generator whose steps come behind what is read before them: refuse one that
    changes what is read. The body of its consumer isn't its own."""
    block, start = spec.block, len(spec.block)
    consumed: set[int] = set()

    def consumer(body: Body) -> Body:
        def one(item: core.Value) -> None:
            inner, at = spec.block, len(spec.block)
            before = {frame: frame.changes for frame in run.cells}
            stores = {name: stores_into(spec, name) for name in run.slots}
            body(item)
            consumed.update(map(id, ir.walk(tuple(inner[at:]))))
            for frame, count in before.items():
                run.cells[frame] += frame.changes - count
            for name, count in stores.items():
                run.slots[name] += stores_into(spec, name) - count

        return one

    yield consumer
    own = [s for s in ir.walk(tuple(block[start:])) if id(s) not in consumed]
    writes = run.arrays and any(map(writes_array, own))
    if (run.sees_changes(spec) or writes) and not spec.derived:
        run.refuse(spec)


def check_eager_iteration(spec: Context) -> None:
    """Lists, dicts and objects that such iterators read must not change later on."""
    for run in spec.eager_iteration:
        if run.sees_changes(spec):
            run.refuse_later(spec)


def _acts(spec: Context, run: EarlyRun, block: Iterable[ir.Statement]) -> bool:
    """True where statements change data, print or raise, or procedures that they
    call."""
    whole = tuple(block)
    called = ir.all_procedures([whole])
    return _acts_itself(spec, run, whole) or any(
        _is_acting(spec, run, procedure) for procedure in called
    )


def _is_acting(spec: Context, run: EarlyRun, procedure: ir.Procedure) -> bool:
    """True where it does so itself. What generators yield they put into lists of their
    own; their calls of themselves are looked at with the call around these."""
    gathered = getattr(procedure.details, "gathered", ())
    if not ir.is_complete(procedure):
        return not gathered
    function = procedure.function
    return _acts_itself(spec, run, function.body, function.kinds, gathered)


def _acts_itself(
    spec: Context,
    run: EarlyRun,
    block: ir.Block,
    kinds: Kinds = MappingProxyType({}),
    apart: Container[str] = (),
) -> bool:
    lines = list(ir.walk(block))
    assigned = [s for s in lines if isinstance(s, ir.Assign)]
    bound = {str(s.target): s.kind for s in assigned if isinstance(s.target, ir.Var)}
    for s in lines:
        if any(isinstance(o.function, ir.Procedure) for o in ir.operations(s)):
            continue
        if isinstance(s, ir.Effect):
            into = str(s.value.args[0]) if s.value.args else ""
            if into in apart or ops.is_read_alone(s):
                continue
            if not run.is_own(spec, s, {**kinds, **bound}):
                return True
        elif purity.may_draw(s) or (writes_array(s) and not run.may_write(s)):
            return True
    return False


def writes_array(s: ir.Statement) -> bool:
    """True for what may write into an array that others hold."""
    if not isinstance(s, ir.Assign):
        return False
    if purity.may_write(s):
        return not isinstance(s.kind, ir.Scalar | ir.NumPyScalar)
    if not isinstance(s.value, ir.Apply):
        return False
    function = s.value.function
    return isinstance(function, ir.Procedure) and purity.has_effects(function)
