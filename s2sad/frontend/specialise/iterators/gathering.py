"""Generators that call themselves: a recursion puts what they yield into a list, and
the consumer runs over that::

    def walk(node):                         def walk(node, items):
        yield node.value                        items.append(node.value)
        for child in node.children:   ->        for child in node.children:
            yield from walk(child)                  walk(child, items)

    for v in walk(root): ...                items = []
                                            walk(root, items)
                                            for v in items: ...

That is the same as long as neither the generator nor its consumer sees what the other
does (``iteration/eager_iteration.py``). Else the recursion runs the consumer's code
where it yields, as it would call a function that binds variables of the activation
around it::

    def walk(node, total):
        total = total + node.value * len(log)
        for child in node.children:
            total = walk(child, total)
        return total
"""

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.control import generators
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.iteration import early_generators, iteration
from s2sad.frontend.specialise.recursion import recursion
from s2sad.frontend.specialise.recursion.procedure_programs import GATHERED
from s2sad.frontend.specialise.run_time import queries, reading
from s2sad.source.text import scopes
from s2sad.source.text.source_function import SourceFunction

Gather = Callable[[core.Leaf, tuple[core.Value, ...]], core.Value]


@dataclass(frozen=True, eq=False)
class Gathered(core.Lazy):
    """What such a generator gives."""

    gather: Gather | None = None
    """``gather(taker, sources)`` hands it to a list or a consumer; gives what the
    generator returns."""


def gathered(
    spec: Specialiser,
    source: SourceFunction,
    bound: Mapping[str, core.Value],
    parent: core.Frame | None,
) -> Gathered:
    """The iterator that a call of the generator function gives."""
    names, place = tuple(bound), spec.place
    site = spec.frame.source.span_of(place)
    displays = frozenset(
        spec.frame.source.span_of(part)
        for part in getattr(place, "args", ())
        if isinstance(part, ast.List | ast.Dict | ast.ListComp | ast.DictComp)
    )

    def gather(taker: core.Leaf, sources: tuple[core.Value, ...]) -> core.Value:
        given = {**dict(zip(names, sources, strict=True)), GATHERED: taker}
        return _handed_over(spec, source, given, parent)

    def start(spec: Specialiser, sources: tuple[core.Value, ...]) -> core.Stream:
        def run(body: core.Body, leave: core.Exit | None, known: bool) -> None:
            if known:
                raise core.NotKnown
            if site in spec.facts.in_turns:
                outer = recursion.versions_under_way(spec, source)
                if any(spec.frame.serial >= p.details.first_serial for p in outer):
                    raise core.Unsupported(
                        f"{source.name} calls itself in a loop over what it yields, "
                        "and it or the loop changes data that the other may see: what "
                        "runs when isn't followed there",
                        "use yield from, or write a function that appends to a list",
                    )
                consumer = _Consumer(spec, body, leave)
                stream.returned = gather(core.constant(consumer), sources)
                return consumer.end()
            block, start = spec.block, len(spec.block)
            early = early_generators.EarlyGenerator(
                source.name,
                place,
                span=site,
                program=spec.procedures.under_way,
                displays=displays,
            )
            with early.before_consumer(spec):
                items = _new_list(spec, source)
                with iteration.without_consumers(spec):
                    stream.returned = gather(items, sources)
                early.others += (items, stream.returned)
                early.note_calls(spec, tuple(block[start:]))
            behind = len(block)
            slot = ir.kind_of_slot(queries.kind_of(items), ir.EACH)
            if slot is None:  # it never yields
                return
            elements = core.Elements(
                reading.length_of(spec, items),
                lambda index: reading.read(spec, items, index, slot),
            )
            with spec.inside(core.Frame(source)):
                iteration.drive(spec, elements, body, set(), leave=leave)
            early.check_consumer(
                spec, tuple(block[start:behind]), tuple(block[behind:])
            )

        stream = core.Stream(run)
        return stream

    key = source.identity, names, parent
    return Gathered(
        "generator", tuple(bound.values()), start, core.Mark(), key=key, gather=gather
    )


def _new_list(spec: Specialiser, source: SourceFunction) -> core.Leaf:
    """An empty list for what a generator yields. All that it fills are of one form."""
    maker = ("gathered", source.identity)
    form = spec.facts.kept.get(maker)
    if form is None:
        form = ir.Form(list, (ir.EACH,), gathers=True)
        spec.learn(replace(spec.facts, kept={**spec.facts.kept, maker: form}))
        raise core.Learned
    items = spec.fresh(f"{source.name.strip('_')}_items")
    spec.gathered_here().add(items.name)
    made = ir.Apply(ops.make_object, (ir.Const(list), ir.Const(())))
    return spec.assign(items, made, ir.Reference((form,)))


def _handed_over(
    spec: Specialiser,
    source: SourceFunction,
    given: dict[str, core.Value],
    parent: core.Frame | None,
) -> core.Value:
    """Call the recursion; gives what the generator returns."""

    def activation() -> core.Frame:
        frame = spec.activation_of(source, parent, given)
        frame.local_names |= {*scopes.assigned_names(body), generators.LEFT}
        frame.names[generators.LEFT] = core.constant(False)
        taken_by = (
            _appending(spec, frame) if consumer is None else consumer.taking(frame)
        )
        frame.generator = taken_by
        return frame

    taker = getattr(core.operand_of(given[GATHERED]), "value", None)
    consumer = taker if isinstance(taker, _Consumer) else None
    spec.procedures.recursive.add(source.identity)
    if consumer is None:
        body = generators.never_leaving(source.node)
    else:
        body = generators.leaving_at_yields(source.node)
    with spec.work.within(spec.frame.source, spec.place, source):
        return recursion.call_procedure(spec, source, given, parent, activation, body)


class _Handing(generators.Running):
    """What a generator hands what it yields to."""

    def __init__(
        self,
        spec: Specialiser,
        frame: core.Frame,
        body: core.Body,
        leave: core.Exit | None = None,
    ) -> None:
        super().__init__(body, leave, False)
        self.spec, self.frame = spec, frame

    def takes(self, iterator: core.Value) -> core.Value | None:
        """A generator of the sort hands it to the same."""
        own = self.spec.own_iterator(iterator)
        iterator = iterator if own is None else own
        if not isinstance(iterator, Gathered) or iterator.gather is None:
            return None
        iteration.begin(self.spec, iterator)
        taker: Any = self.frame.names[GATHERED]
        return iterator.gather(taker, iterator.sources)


def _appending(spec: Specialiser, frame: core.Frame) -> _Handing:
    def append(item: core.Value) -> None:
        items = core.Method(frame.names[GATHERED], "append")
        spec.call_method(items, (item,), {})

    return _Handing(spec, frame, append)


class _Consumer:
    """The code of a consumer that runs at each yield of a recursion, in the activations
    that it was written for."""

    def __init__(
        self, spec: Specialiser, body: core.Body, leave: core.Exit | None
    ) -> None:
        self.spec, self.body, self.leave = spec, body, leave
        self.around = spec.trail, spec.active
        self.known = {
            frame: frozenset(_known_in(frame))
            for frame in spec.frames_at_stake()
            if not isinstance(frame, core.CellFrame)
        }
        """The names that have values before it runs."""
        self.assigned: set[tuple[core.Frame, str]] = set()
        """Those that have none and that it assigns: each time they are new."""
        self.runs = False

    def taking(self, frame: core.Frame) -> _Handing:
        """It takes what the generator of an activation yields. Its variables and those
        of the generator are in one program."""
        for name in sorted(frame.local_names):
            if any(name in other.local_names for other in self.known):
                self.spec.name_variable(frame.key, frame.prefix, name)
        return _Handing(self.spec, frame, self._run, self.leave)

    def _run(self, item: core.Value) -> None:
        spec = self.spec
        within = spec.trail, spec.active
        spec.trail, spec.active = self.around
        self._forget()
        self.runs = True
        try:
            self.body(item)
        finally:
            self.runs = False
            spec.trail, spec.active = within

    def is_own(self, owner: core.Frame, name: str) -> bool:
        """True for a name that has no value before it runs, while it does."""
        own = self.runs and owner in self.known and self._is_new(owner, name)
        if own and not name.startswith("."):
            self.assigned.add((owner, name))
        return own

    def _is_new(self, frame: core.Frame, name: str) -> bool:
        if name.startswith("."):
            return name not in self.known[frame]
        own = scopes.names_in_text(frame.source.node) - self.known[frame]
        return name in own  # what is returned out of a loop has a name of its own

    def _forget(self) -> None:
        for frame in self.known:
            for name in [n for n in frame.names if self._is_new(frame, n)]:
                del frame.names[name]

    def end(self) -> None:
        """The generator has come to its end."""
        self._forget()
        for frame, name in self.assigned:
            frame.names[name] = core.Missing(
                f"{name!r} is assigned in a loop over a generator that calls itself, "
                "and read behind it",
                "give it a value in front of the loop, too",
            )


def _known_in(frame: core.Frame) -> Iterator[str]:
    return (n for n, v in frame.names.items() if not isinstance(v, core.Missing))
