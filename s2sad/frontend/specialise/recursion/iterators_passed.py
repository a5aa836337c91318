"""Iterators that are handed to a procedure, or given back by it.

An iterator that hasn't run is what it was made of: a version of the procedure holds
which one it is (``map``, a generator expression), and what it runs over is passed. Its
items are taken where the procedure takes them::

    def total(items, x):                      def total(xs, x):
        for v in items: ...         ->            for v in xs: v = sin(v) ...

    total(map(math.sin, xs), x)               total(xs, x)
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.iteration import unrolling

Taken = tuple[int | None, ...]
"""How many items were taken of each iterator; None where it isn't known, or all."""


def iterators_in(values: Iterable[core.Value]) -> Iterator[core.Lazy]:
    """The iterators that can run once."""
    for value in values:
        if isinstance(value, core.Lazy) and value.token is not None:
            yield value
        yield from iterators_in(part for _, part in core.parts_of(value))


def check_not_begun(
    spec: Specialiser, values: Iterable[core.Value], kept: bool
) -> None:
    """Refuse iterators of which it isn't known how many items are left."""
    for value in iterators_in(values):
        assert value.token is not None
        begun = taken_of(spec, value) != 0 or value.token.serial < spec.repeated_since
        if begun or not kept:
            spec.make_iterator_object(value)
            raise core.Unsupported(
                f"{core.describe(value)} is passed to a function that calls itself",
                "pass numbers, arrays, structures of them, or functions",
            )


def taken_of(spec: Specialiser, value: core.Lazy) -> int | None:
    """How many items were taken of an iterator; None where it has run."""
    if value.token in spec.consumed:
        return None
    steps = range(unrolling.LONGEST_UNROLLED)
    return sum((value.token, k) in spec.consumed for k in steps)


def own_iterators(spec: Specialiser, value: core.Value) -> core.Value:
    """A value with iterators that begin here."""
    parts = core.parts_of(value)
    changed = tuple(own_iterators(spec, part) for _, part in parts)
    if any(new is not old for new, (_, old) in zip(changed, parts, strict=True)):
        value = core.with_parts(value, changed)
    if isinstance(value, core.Lazy) and value.token is not None:
        value = replace(value, token=core.Mark(), made_in=spec.block)
    return value


def note_taken(spec: Specialiser, counts: Taken, values: Iterable[core.Value]) -> None:
    """A call has taken items of the iterators that it was given."""
    for count, value in zip(counts, iterators_in(values), strict=True):
        if count is None or (count and value.made_in is not spec.block):
            spec.consumed = spec.consumed | {value.token}
        else:
            spec.consumed = spec.consumed | {(value.token, k) for k in range(count)}
