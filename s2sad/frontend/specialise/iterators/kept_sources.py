"""Sources of iterators that keep items: see
:mod:`s2sad.transform.memory.kept_items`."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.iteration import collecting, eager_iteration, pools
from s2sad.frontend.specialise.run_time import by_value, queries, storing

ALL_AT_ONCE = "kept"
"""How the copy is spelled for an iterator that reads all items first."""
ONE_AHEAD = "kept by "
"""And for one that reads each when it comes to it, and keeps it: its name follows."""


def kept_at_once(spec: Specialiser, value: core.Value) -> core.Value:
    """A source of which an iterator reads all items when it is made."""

    def keep(source: core.Value) -> core.Value:
        if core.is_view(source):
            return collecting.collected(spec, source)
        if core.is_container(source):
            source = spec.contents(source)
        if queries.is_sequence(source) and reads_stored(spec, source):
            source = by_value.items_of(spec, source)
        if spec.facts.changing and not isinstance(source, core.Cell):
            source = spec.held_from_cells(source)
        return _copied(spec, source, ALL_AT_ONCE)

    return pools.source_of(spec, _with_sources(value, keep))


def kept_one_ahead(spec: Specialiser, value: core.Value, what: str) -> core.Value:
    """A source of which an iterator keeps items that it has read; of what changes,
    only arrays are looked after, see :func:`frames_in`."""

    def keep(source: core.Value) -> core.Value:
        return _copied(spec, source, ONE_AHEAD + what)

    return _with_sources(value, keep)


def reads_stored(spec: Specialiser, value: core.Value) -> bool:
    """True for a list or dict that is kept as it is, of a sort into which the program
    stores, and for an iterator that reads one."""
    if isinstance(value, core.Lazy):
        return any(reads_stored(spec, source) for source in value.sources)
    if not (queries.is_sequence(value) or queries.is_dict(value)):
        return False
    return bool(storing.names_of_stored(spec, queries.kind_of(value)))


def refuse_stored(spec: Specialiser, value: core.Value, what: str) -> None:
    """Refuse an iterator that keeps items which the program may change meanwhile."""
    if reads_stored(spec, value):
        raise core.Unsupported(
            f"{what} keeps items of a list or dict into which the program stores",
            "make a list of it first: list(...)",
        )


def frames_in(value: core.Value) -> Iterator[core.CellFrame]:
    """What holds the items of the lists and dicts that an iterator reads, and of those
    that they stand in."""
    if core.is_container(value):
        yield value.frame
        if value.frame.place is not None:
            yield value.frame.place.within.frame
    for source in value.sources if isinstance(value, core.Lazy) else ():
        yield from frames_in(source)


def refuse_changes(spec: Specialiser, value: core.Value, what: str) -> None:
    """Refuse that a list or dict changes from which an iterator keeps items."""
    run = eager_iteration.EarlyRun(what, spec.place, span=spec.span)
    run.cells |= {frame: frame.changes for frame in frames_in(value)}
    if run.cells:
        spec.eager_iteration.append(run)


def _with_sources(
    value: core.Value, keep: Callable[[core.Value], core.Value]
) -> core.Value:
    if isinstance(value, core.Lazy) and not core.is_view(value):
        sources = tuple(_with_sources(source, keep) for source in value.sources)
        return replace(value, sources=sources)
    return keep(value)


def _copied(spec: Specialiser, value: core.Value, spelling: str) -> core.Value:
    """An array of numbers as a copy; the items of others are views, which see what is
    written."""
    if isinstance(value, core.Leaf) and isinstance(value.kind, ir.Array):
        if ir.rank_of(value.kind) == 1 and not spec.derived:
            copied = spec.apply(np.copy, (value,), spelling=spelling, hint="kept")
            assert isinstance(copied, core.Leaf)
            return copied
    return value
