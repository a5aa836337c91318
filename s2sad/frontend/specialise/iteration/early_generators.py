"""Generators that run as a whole before what runs over them, as long as that makes no
difference.

They may change what nobody else can see: lists that they are given alone, or make
themselves, and arrays where they yield none.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

from s2sad import ir, ops
from s2sad.analysis.passes import purity
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.context import Context
from s2sad.frontend.specialise.heap.kept_objects import makers_to_keep
from s2sad.frontend.specialise.iteration import eager_iteration


@dataclass(eq=False)
class EarlyGenerator(eager_iteration.EarlyRun):
    """A generator that calls itself, and what runs over it."""

    program: Any = None
    """The procedure that runs over it."""
    displays: frozenset[ir.Span] = frozenset()
    """The lists and dicts that are written out in the call."""
    others: list[core.Value] = field(default_factory=list)
    """What it is given, and what it gives: somebody else sees that, too."""

    follows_itself: bool = False
    """It, or what it calls, runs it so before what it yields is complete."""

    def problem(self) -> core.Unsupported:
        return core.Unsupported(
            f"{self.what} calls itself, and reads an array into which what runs over "
            "it may write: what runs when isn't followed there",
            "write into a copy of the array",
            self.node,
        )

    def refuse(self, spec: Context) -> NoReturn:
        self.refuse_later(spec)
        raise core.Learned

    refuse_in_attempt = refuse

    def refuse_later(self, spec: Context) -> None:
        """Run its consumer at each yield instead, if that is so with all that is known
        by now, and where lists and dicts are kept: which of them others see is known
        better then."""
        assert self.span is not None
        if spec.has_learned:
            return
        if new := makers_to_keep(spec):  # type: ignore[arg-type]
            spec.learn(replace(spec.facts, kept={**spec.facts.kept, **new}))
            return
        in_turns = spec.facts.in_turns | {self.span}
        spec.learn(replace(spec.facts, in_turns=in_turns))

    @contextmanager
    def before_consumer(self, spec: Context) -> Iterator[None]:
        """While it runs."""
        with eager_iteration.reading(spec, self):
            yield
        for name in self.slots:  # what it has stored by now, it sees as it should
            self.slots[name] = eager_iteration.stores_into(spec, name)
        if self.arrays and not spec.derived:
            run = EarlyGenerator(self.what, self.node, span=self.span)
            run.arrays = self.arrays
            spec.eager_iteration.append(run)

    def check_consumer(
        self, spec: Context, gathering: ir.Block, block: ir.Block
    ) -> None:
        """Refuse what runs over it if that changes what it reads; in ``block``."""
        if spec.derived:
            return
        written = _writes_arrays(block) and _reads_held_arrays(gathering)
        if written or self.sees_changes(spec):
            self.refuse(spec)

    def note_calls(self, spec: Context, block: ir.Block) -> None:
        """What the generator calls, as the block does that runs it."""
        called = ir.all_procedures([block])
        self.follows_itself = any(p.details.runs_early for p in called if p.details)
        if not all(map(ir.is_complete, called)) and self.program is not None:
            self.program.details.runs_early = True

    def note_given(self, spec: Context, values: Iterable[core.Value]) -> None:
        if spec.procedures.under_way is self.program:
            self.others += [v for v in values if not self._is_displayed(spec, v)]

    def _is_displayed(self, spec: Context, value: core.Value) -> bool:
        """True for a list that the call itself makes, alone of its sort."""
        forms = getattr(core.kind_of(value), "forms", ())
        kept = spec.facts.kept.items()
        makers = {maker for maker, form in kept if form in forms}
        return bool(makers) and makers <= self.displays

    def is_own(self, spec: Context, s: ir.Effect, kinds: eager_iteration.Kinds) -> bool:
        if s.value.function not in ops.STORES_INTO_SLOTS or self.follows_itself:
            return False
        kind = kinds.get(str(s.value.args[0]))
        if not isinstance(kind, ir.Reference):
            return False
        held = [*spec.kinds_given, *map(core.kind_of, self._seen())]
        made = {*spec.facts.formed.values(), *spec.facts.kept.values()}
        held += [k for form in made for k in form.slots.values()]
        reached = {id(form) for k in held for form in ir.forms_in(k)}
        return all(id(form) not in reached for form in kind.forms)

    def may_write(self, s: ir.Statement) -> bool:
        if self.follows_itself:
            return False
        kinds = [core.kind_of(value) for value in self._seen()]
        reached = [
            k for kind in kinds for f in ir.forms_in(kind) for k in f.slots.values()
        ]
        return not any(
            isinstance(kind, ir.Array | ir.Unknown) for kind in (*kinds, *reached)
        )

    def _seen(self) -> list[core.Value]:
        parts = eager_iteration.parts_within(self.others)
        return [part for part in parts if isinstance(part, core.Leaf)]


def _writes_arrays(block: ir.Block) -> bool:
    procedures = ir.all_procedures([block])
    return any(map(purity.writes_arrays, procedures)) or any(
        eager_iteration.writes_array(s)
        for s in ir.walk(block)
        if not any(isinstance(o.function, ir.Procedure) for o in ir.operations(s))
    )


def _reads_held_arrays(block: ir.Block) -> bool:
    """True for what reads arrays that objects, lists and dicts hold."""
    called = [p for p in ir.all_procedures([block]) if ir.is_complete(p)]
    return any(
        ir.is_line(s, *ops.READS_OF_REFERENCES) and not _is_single(s.kind)
        for one in (block, *(p.function.body for p in called))
        for s in ir.walk(one)
    )


def _is_single(kind: ir.Kind | None) -> bool:
    return isinstance(kind, ir.Scalar | ir.NumPyScalar | ir.Reference)
