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
does (``iteration/eager_iteration.py``).
"""

import ast
from collections.abc import Callable, Mapping
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
from s2sad.source.text.source_function import SourceFunction

Gather = Callable[[core.Leaf, tuple[core.Value, ...]], core.Value]


@dataclass(frozen=True, eq=False)
class Gathered(core.Lazy):
    """What such a generator gives."""

    gather: Gather | None = None
    """``gather(items, sources)`` appends it to a list; gives what it returns."""


def gathered(
    spec: Specialiser,
    source: SourceFunction,
    bound: Mapping[str, core.Value],
    parent: core.Frame | None,
) -> Gathered:
    """The iterator that a call of the generator function gives."""
    names, place = tuple(bound), spec.place
    displays = frozenset(
        spec.frame.source.span_of(part)
        for part in getattr(place, "args", ())
        if isinstance(part, ast.List | ast.Dict | ast.ListComp | ast.DictComp)
    )

    def gather(items: core.Leaf, sources: tuple[core.Value, ...]) -> core.Value:
        given = {**dict(zip(names, sources, strict=True)), GATHERED: items}
        return _appended(spec, source, given, parent)

    def start(spec: Specialiser, sources: tuple[core.Value, ...]) -> core.Stream:
        def run(body: core.Body, leave: core.Exit | None, known: bool) -> None:
            if known:
                raise core.NotKnown
            block, start = spec.block, len(spec.block)
            early = early_generators.EarlyGenerator(
                source.name,
                place,
                span=spec.span,
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


def _appended(
    spec: Specialiser,
    source: SourceFunction,
    given: dict[str, core.Value],
    parent: core.Frame | None,
) -> core.Value:
    """Call the recursion; gives what the generator returns."""

    def activation() -> core.Frame:
        frame = spec.activation_of(source, parent, given)
        frame.local_names |= {generators.GIVEN}
        frame.generator = _Gathering(spec, frame)
        return frame

    spec.procedures.recursive.add(source.identity)
    body = generators.never_leaving(source.node)
    with spec.work.within(spec.frame.source, spec.place, source):
        return recursion.call_procedure(spec, source, given, parent, activation, body)


class _Gathering(generators.Running):
    """A list that takes what the generator yields."""

    def __init__(self, spec: Specialiser, frame: core.Frame) -> None:
        super().__init__(self._append, None, False)
        self.spec, self.frame = spec, frame

    def _append(self, item: core.Value) -> None:
        items = core.Method(self.frame.names[GATHERED], "append")
        self.spec.call_method(items, (item,), {})

    def takes(self, iterator: core.Value) -> core.Value | None:
        """A generator of the sort appends to the same list."""
        own = self.spec.own_iterator(iterator)
        iterator = iterator if own is None else own
        if not isinstance(iterator, Gathered) or iterator.gather is None:
            return None
        iteration.begin(self.spec, iterator)
        items: Any = self.frame.names[GATHERED]
        return iterator.gather(items, iterator.sources)
