"""Iterators that run before their consumer, where Python goes back and forth.

``zip`` of two generators, ``groupby``, ``tee`` and the like put what an iterator gives
into a list first. That is the same as long as neither side sees what the other does:
the iterator has no effects, and reads nothing that the rest of the program changes.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from s2sad import ir, ops
from s2sad.analysis.passes import purity, stored_slots
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.context import Context

Body = Callable[[core.Value], None]


@dataclass(eq=False)
class EarlyRun:
    """What an iterator reads that runs early."""

    what: str
    """The function that lets it, for messages."""
    node: ast.AST | None
    since: int = field(default_factory=core.serials.__next__)
    """Activations with a lower serial were there before."""
    span: ir.Span | None = None
    rebound: bool = False
    """It reads a name that the program binds at several places."""
    arrays: set[str] = field(default_factory=set)
    """The variables of the arrays that it reads."""
    cells: dict[core.CellFrame, int] = field(default_factory=dict)
    """The lists, dicts and objects that it reads, and how often they had changed."""

    slots: dict[str, int] = field(default_factory=dict)
    """What it reads of what is kept, and how often there had been stores into such."""

    def problem(self, node: ast.AST | None) -> core.Unsupported:
        return core.Unsupported(
            f"an iterator under {self.what} changes data or reads data that changes, "
            "and what runs when isn't followed there",
            "make a list of it first: list(...)",
            node,
        )

    def note_slots(self, spec: Context, names: Iterable[str]) -> None:
        """Slots of what is kept are read."""
        for name in names:
            self.slots.setdefault(name, _stores_into(spec, name))

    def sees_changes(self, spec: Context) -> bool:
        """True where lists, dicts or objects have changed since it read them."""
        stored = any(_stores_into(spec, n) != count for n, count in self.slots.items())
        return stored or any(f.changes != count for f, count in self.cells.items())


def _stores_into(spec: Context, name: str) -> int:
    """How often there were stores into slots of a name."""
    if name == stored_slots.ANY:
        return spec.slot_stores.total()
    return spec.slot_stores[name] + spec.slot_stores[stored_slots.ANY]


def note_name(spec: Context, owner: core.Frame, name: str, value: core.Value) -> None:
    """A name is read."""
    for run in spec.eager_iteration_under_way:
        if owner.serial < run.since:
            run.rebound |= name in owner.rebound | owner.written_by_others
    note_arrays(spec, value)


def note_arrays(spec: Context, value: core.Value) -> None:
    """Arrays are read, also by an iterator over them."""
    if isinstance(value, core.Leaf):
        if isinstance(value.kind, ir.Array) and isinstance(value.operand, ir.Var):
            for run in spec.eager_iteration_under_way:
                run.arrays.add(value.operand.name)
    for _, part in core.parts_of(value):
        note_arrays(spec, part)


def note_cell(spec: Context, frame: core.CellFrame) -> None:
    """What a list, dict or object holds is read."""
    for run in spec.eager_iteration_under_way:
        if frame.serial < run.since:
            run.cells.setdefault(frame, frame.changes)


@contextmanager
def run_early(spec: Context, what: str, node: ast.AST | None) -> Iterator[None]:
    """While an iterator runs as a whole before its consumer: refuse one for which that
    differs."""
    run = EarlyRun(what, node, span=spec.span)
    with reading(spec, run):
        yield
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
        raise run.problem(run.node)


@contextmanager
def without_effects(spec: Context, run: EarlyRun) -> Iterator[None]:
    """Refuse what changes data, prints or raises."""
    frames = spec.frames_at_stake()
    names = [dict(frame.names) for frame in frames]
    block, start = spec.block, len(spec.block)
    yield
    changed = any(
        name in frame.names and frame.names[name] != value
        for frame, held in zip(frames, names, strict=True)
        for name, value in held.items()
        if not name.startswith(".")
    )
    if (changed or _acts(block[start:])) and not spec.derived:
        raise run.problem(run.node)


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
            stores = {name: _stores_into(spec, name) for name in run.slots}
            body(item)
            consumed.update(map(id, ir.walk(tuple(inner[at:]))))
            for frame, count in before.items():
                run.cells[frame] += frame.changes - count
            for name, count in stores.items():
                run.slots[name] += _stores_into(spec, name) - count

        return one

    yield consumer
    own = [s for s in ir.walk(tuple(block[start:])) if id(s) not in consumed]
    writes = run.arrays and any(map(writes_array, own))
    if (run.sees_changes(spec) or writes) and not spec.derived:
        raise run.problem(run.node)


def check_eager_iteration(spec: Context) -> None:
    """Lists, dicts and objects that such iterators read must not change later on."""
    for run in spec.eager_iteration:
        if run.sees_changes(spec):
            spec.report_at(run.problem(None), run.span)  # type: ignore[attr-defined]


def _acts(block: Iterable[ir.Statement]) -> bool:
    """True where statements change data, print or raise."""
    return any(
        writes_array(s) or (isinstance(s, ir.Effect) and not ops.is_read_alone(s))
        for s in ir.walk(tuple(block))
    )


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
