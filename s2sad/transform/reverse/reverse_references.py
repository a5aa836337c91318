"""Run-time values in reverse mode: the adjoint of a reference is a reference.

Beside each line that gives a reference stands, in the forward sweep, the same line for
its adjoint; a number that is read adds to the slot of the adjoint that it was read
from::

    s = read_item(springs, k)        s.bar = read_item(springs.bar, k)
    x = read_attribute(s, 'k')       reverse lines:  add_to_attribute(s.bar, 'k', x.bar)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from s2sad import ir, ops
from s2sad.analysis.reverse.activity import active_variables
from s2sad.frontend.specialise import core
from s2sad.ops.runtime.broadcasting import sum_to_shape_of
from s2sad.ops.runtime.structures import (
    as_structure,
    working_copy,
    zeros_of_structure,
)
from s2sad.transform.adjoints.adjoints import unused_suffix
from s2sad.transform.adjoints.contributions import Contributions
from s2sad.transform.adjoints.cotangents import Cotangent, Masked
from s2sad.transform.adjoints.projections import is_projection


def is_of_references(kind: ir.Kind | None) -> bool:
    """True for references, and lists of them."""
    if isinstance(kind, ir.List):
        return is_of_references(kind.item)
    return isinstance(kind, ir.Reference)


def is_adjoint(kind: ir.Kind | None) -> bool:
    """True for adjoints of references, and lists of them."""
    if isinstance(kind, ir.List):
        return is_adjoint(kind.item)
    return isinstance(kind, ir.Reference) and kind.adjoint


def adjoint_kind(kind: ir.Kind) -> ir.Kind:
    """The kind of the adjoint of a reference, or of a list of them."""
    if isinstance(kind, ir.List) and kind.item is not None:
        return replace(kind, item=adjoint_kind(kind.item))
    assert isinstance(kind, ir.Reference)
    return replace(kind, adjoint=True)


def active_in(
    function: ir.Function,
    independents: Iterable[str],
    matters: Callable[[str], bool],
) -> set[str]:
    """The variables of a function that are varied and useful. What is added to an
    adjoint that is a structure flows to all that leads to it."""
    last = function.body[-1]
    assert isinstance(last, ir.Return)
    results = [v.name for v in ir.operand_variables(last.value)]

    def adjoint(name: str) -> bool:
        return is_adjoint(function.kinds.get(name))

    return _with_all_met(
        function,
        active_variables(function.body, independents, results, matters, adjoint),
    )


def _with_all_met(function: ir.Function, active: set[str]) -> set[str]:
    """The active variables with the references that meet active ones, which have
    adjoints, too."""
    found = set(active)
    moved = [
        (v.name, [r.name for r in moved_variables(s.value) if _is_one(function, r)])
        for s in ir.walk(function.body)
        if isinstance(s, ir.Assign)
        for v in ir.operand_variables(s.target)
        if _is_one(function, v)
    ]
    moved += [
        (holder.name, [content.name])
        for s in ir.walk(function.body)
        if isinstance(s, ir.Effect) and s.value.function in ops.STORES_INTO_SLOTS
        for holder, content in [(s.value.args[0], s.value.args[-1])]
        if isinstance(holder, ir.Var) and isinstance(content, ir.Var)
        if _is_one(function, content)
    ]
    kept: dict[str, list[str]] = {}
    for s in ir.walk(function.body):
        if isinstance(s, ir.Save | ir.Restore):
            value = s.value if isinstance(s, ir.Save) else s.target
            if isinstance(value, ir.Var) and _is_one(function, value):
                kept.setdefault(s.stack.name, []).append(value.name)
    moved += [(name, names) for names in kept.values() for name in names]
    grown = True
    while grown:
        before = len(found)
        for target, sources in moved:
            if target in found or not found.isdisjoint(sources):
                kind = function.kinds[target]
                if ir.is_real_number_kind(kind):
                    found |= {target, *sources}
        grown = len(found) > before
    return found


def moved_variables(value: ir.Apply | ir.Operand) -> Iterable[ir.Var]:
    """The variables in a value that it leads to: not those of which it takes the form
    alone."""
    function = value.function if isinstance(value, ir.Apply) else None
    if function in (zeros_of_structure, as_structure):
        assert isinstance(value, ir.Apply)
        return (v for operand in value.args[1:] for v in ir.operand_variables(operand))
    if function in ops.READS_OF_REFERENCES:  # its key leads to nothing
        assert isinstance(value, ir.Apply)
        return ir.operand_variables(value.args[0])
    return ir.value_variables(value)


def _is_one(function: ir.Function, variable: ir.Var) -> bool:
    return is_of_references(function.kinds.get(variable.name))


def with_adjoints_given(
    function: ir.Function, names: Iterable[str]
) -> tuple[ir.Function, tuple[str, ...]]:
    """The function with parameters for the adjoints of those of these parameters that
    are references, behind its own; and their names."""
    suffix = unused_suffix(function, ".bar")
    kinds = dict(function.kinds)
    given = []
    for name in names:
        if is_of_references(kinds.get(name)):
            adjoint = f"{name}{suffix}"
            kinds[adjoint] = adjoint_kind(kinds[name])
            given.append(adjoint)
    parameters = (*function.parameters, *given)
    return replace(function, parameters=parameters, kinds=kinds), tuple(given)


class ReferencePlans(Contributions):
    """Plans of lines that give references, and of what is read from them."""

    independents: set[str]
    given_adjoints: frozenset[str] = frozenset()
    """The adjoints that are parameters."""

    structure_seeds: Mapping[str, ir.Operand] = {}
    """The cotangents of results that are references, which are structures."""

    def gives_references(self, names: Iterable[str]) -> bool:
        """True for a line that assigns references."""
        return any(is_of_references(self.kind(name)) for name in names)

    def reference_assignment(self, statement: ir.Assign) -> list[ir.Plan]:
        """A line that gives a reference, with that for its adjoint."""
        assert isinstance(statement.target, ir.Var)
        name = statement.target.name
        if name not in self.active:
            return [ir.Plan(statement)]
        if isinstance(statement.value, ir.Apply):
            if statement.value.function is working_copy:
                return self._working_copy(statement, statement.value.args[0])
            if statement.value.function in ops.MAKES_OBJECTS:
                return self._made_object(statement, statement.value)
        beside = self._beside(statement, name)
        seed = self.structure_seeds.get(name)
        if seed is None:
            return [ir.Plan(statement), ir.Plan(beside)]
        added = ir.Apply(ops.add_structure, (self.bar(name), seed))
        return [ir.Plan(statement), ir.Plan(beside, (ir.Effect(None, added),))]

    def _made_object(self, statement: ir.Assign, made: ir.Apply) -> list[ir.Plan]:
        """An object that the program makes. What its slots held at first gets what
        stands in those of its adjoint at the end::

            q = make_object(P, ('x',), v)       v.bar += q.bar.x
            q.bar = make_adjoint(P, ('x',), 0.0)
        """
        assert isinstance(statement.target, ir.Var)
        name = statement.target.name
        cls, names, *values = made.args
        assert isinstance(cls, ir.Const) and isinstance(names, ir.Const)
        of_object = cls.value not in (list, tuple)
        with self.spec.new_block() as zeros:
            slots = [self._zero_of_slot(value) for value in values]
        operation = ir.Apply(ops.make_adjoint, (cls, names, *slots))
        beside = self._assigned(statement.span, name, operation)
        adjoint, bound = self.bar(name), [beside]
        if adjoint in slots:  # the reverse lines read the new one, and not the old one
            new = self.spec.fresh(adjoint.name)
            self.function.kinds[new.name] = adjoint_kind(self.kind(name))  # type: ignore[index]
            bound = [replace(beside, target=new), replace(beside, value=new)]
            adjoint = new
        with self.spec.new_block() as lines:
            for slot, value in zip(names.value, values, strict=True):
                if not isinstance(value, ir.Var) or value.name not in self.active:
                    continue
                if is_of_references(self.kind(value.name)):
                    continue
                reads = ops.stored_attribute if of_object else ops.stored_item
                read = ir.Apply(reads, (adjoint, ir.Const(slot)))
                kind = self.full_kind(value.name)
                part = self.spec.assign(self.spec.fresh("part"), read, kind)
                self.contribute(value, part, Masked.NO)
        seed = self.structure_seeds.get(name)
        if seed is not None:
            added = ir.Apply(ops.add_structure, (adjoint, seed))
            lines = [ir.Effect(None, added), *lines]
        first, *copies = bound
        forward = [ir.Plan(line) for line in (*zeros, statement)]
        return [*forward, ir.Plan(first, tuple(lines)), *map(ir.Plan, copies)]

    def _zero_of_slot(self, value: ir.Operand) -> ir.Operand:
        """What stands in the adjoint of an object that was just made, beside what
        stands in the object."""
        kind = core.kind_of(self.value(value))
        if is_of_references(kind):
            return self._adjoint_of(value)
        if isinstance(kind, ir.Array) and ir.is_real_number_kind(kind):
            zeros = ir.Apply(np.zeros_like, (value,))
            return self.spec.assign(self.spec.fresh("zeros"), zeros, kind).operand
        return ir.Const(0.0 if ir.is_real_number_kind(kind) else None)

    def _working_copy(self, statement: ir.Assign, whole: ir.Operand) -> list[ir.Plan]:
        """A copy of what the program changes. It has an adjoint of its own, which is
        the gradient where an independent was copied, and else added to that of what was
        copied."""
        assert isinstance(statement.target, ir.Var)
        name = statement.target.name
        zeros = ir.Apply(zeros_of_structure, (statement.target,))
        beside = self._assigned(statement.span, name, zeros)
        variables = [v.name for v in ir.operand_variables(whole)]
        bars = [self.bar(v).name for v in variables]
        asked = not self.independents.isdisjoint(variables)
        given = not self.given_adjoints.isdisjoint(bars)
        made_here = not {*self.function.parameters, *self.independents}.issuperset(
            variables
        )
        lines: ir.Block = ()
        if given or made_here:
            if asked and not given:
                raise core.Unsupported(
                    None,
                    "arguments and what was made of them are changed together in a "
                    "derivative inside of another",
                    "take one derivative at a time",
                )
            own = self._adjoint_of(whole)
            if isinstance(own, ir.Pack):
                own = replace(own, constructor=list)
            added = ir.Apply(ops.add_structure, (own, self.bar(name)))
            lines = (ir.Effect(statement.span, added),)
        return [ir.Plan(statement), ir.Plan(beside, lines)]

    def effect(self, statement: ir.Effect) -> list[ir.Plan]:
        """An effect. What is stored into a slot gets the adjoint that stands there,
        which is none of what stood there before::

            store_attribute(s, 'k', v)      v.bar = stored_attribute(s.bar, 'k')
                                            put_adjoint(s.bar, 'k', 0.0)

        What is added to a slot of an adjoint gets the adjoint of what stands there."""
        value = statement.value
        if value.function in ops.STORES_INTO_SLOTS:
            if self._stores_reference(value):
                return self._bound_slot(statement)
            return [ir.Plan(statement, self._taken_from_slot(value))]
        if value.function not in ops.ADDS_TO_ADJOINTS:
            return [ir.Plan(statement)]
        adjoint, *keys, amount = value.args
        varies = [v.name for v in (adjoint, amount) if isinstance(v, ir.Var)]
        if len(varies) < 2 or not self.active.issuperset(varies):
            return [ir.Plan(statement)]
        if value.function not in ops.ADDS_TO_SLOTS:
            raise core.Unsupported(
                None,
                "the gradient with respect to lists of numbers in structures can't be "
                "differentiated in reverse mode again",
                "use hvp or jvp",
            )
        (key,) = keys
        assert isinstance(amount, ir.Var)
        read = {add: read for read, add in ops.READS_OF_REFERENCES.items()}
        operation = ir.Apply(read[value.function], (self._adjoint_of(adjoint), key))
        kind = self.full_kind(amount.name)
        with self.spec.new_block() as lines:
            part = self.spec.assign(self.spec.fresh("part"), operation, kind)
            if not isinstance(kind, ir.Scalar | ir.NumPyScalar):
                like = core.Leaf(amount, self.kind(amount.name))
                own = self.spec.apply(ops.own_copy, (part,), hint="part")
                made = self.spec.apply(sum_to_shape_of, (own, like), hint="part")
                assert isinstance(made, core.Leaf)
                part = made
            self.contribute(amount, part, Masked.NO)
        return [ir.Plan(statement, tuple(lines))]

    def _stores_reference(self, store: ir.Apply) -> bool:
        """True where a slot gets a reference, or None in place of one."""
        content = store.args[-1]
        return content == ir.Const(None) or is_of_references(
            core.kind_of(self.value(content))
        )

    def _bound_slot(self, statement: ir.Effect) -> list[ir.Plan]:
        """A slot that gets another reference: that of the adjoint gets its adjoint, and
        in the reverse sweep, which ends where the adjoint is as it was, the one that
        stood there::

            store_attribute(p, 'next', q)   old = stored_attribute(p.bar, 'next')
                                            store_attribute(p.bar, 'next', q.bar)
            reverse line:                   store_attribute(p.bar, 'next', old)
        """
        store = statement.value
        holder, key, content = store.args
        if not isinstance(holder, ir.Var) or holder.name not in self.active:
            return [ir.Plan(statement)]
        adjoint, old = self.bar(holder.name), self.spec.fresh("old.bar")
        of_items = store.function in ops.STORES_INTO_ITEMS
        reads = ops.stored_item if of_items else ops.stored_attribute
        kind = core.kind_of(self.value(content))
        forms = kind.forms if isinstance(kind, ir.Reference) else ()
        held = ir.Reference(forms, may_be_none=True, adjoint=True)
        self.function.kinds[old.name] = held  # type: ignore[index]
        read = ir.Apply(reads, (adjoint, key))
        beside = replace(store, args=(adjoint, key, self._adjoint_of(content)))
        back = replace(store, args=(adjoint, key, old))
        return [
            ir.Plan(statement),
            ir.Plan(ir.Assign(statement.span, old, read, held, True)),
            ir.Plan(
                replace(statement, value=beside), (ir.Effect(statement.span, back),)
            ),
        ]

    def _taken_from_slot(self, store: ir.Apply) -> ir.Block:
        holder, key, *stored = store.args
        if not isinstance(holder, ir.Var) or holder.name not in self.active:
            return ()
        adjoint = self.bar(holder.name)
        content = stored[0] if stored else ir.Const(None)
        held = core.kind_of(self.value(content))
        if stored and not ir.is_real_number_kind(held):
            return ()  # such a slot has no adjoint
        of_array = not stored or isinstance(held, ir.Array)
        of_items = store.function in ops.STORES_INTO_ITEMS
        part: core.Leaf | None = None
        with self.spec.new_block() as lines:
            if isinstance(content, ir.Var) and content.name in self.active:
                kind = self.full_kind(content.name)
                reads = ops.stored_item if of_items else ops.stored_attribute
                read = ir.Apply(reads, (adjoint, key))
                part = self.spec.assign(self.spec.fresh("part"), read, kind)
            puts = ops.put_adjoint_item if of_items else ops.put_adjoint
            zero = ir.Apply(puts, (adjoint, key, ir.Const(0.0)))
            if of_array:
                clears = ops.clear_adjoint_item if of_items else ops.clear_adjoint
                zero = ir.Apply(clears, (adjoint, key))
            self.spec.emit(ir.Effect(self.spec.span, zero))
            if part is not None:
                assert isinstance(content, ir.Var)
                self.contribute(content, part, Masked.NO)
        return tuple(lines)

    def _beside(self, statement: ir.Assign, name: str) -> ir.Assign:
        value = statement.value
        if name in self.independents and is_projection(statement, self.function.kinds):
            value = ir.Apply(zeros_of_structure, (ir.Var(name),))
        elif isinstance(value, ir.Apply) and value.function is as_structure:
            value = self._adjoint_of(value.args[1])
        elif isinstance(value, ir.Apply) and value.function is not zeros_of_structure:
            value = ops.with_holders(value, self._adjoint_of)
        elif not isinstance(value, ir.Apply):
            value = self._adjoint_of(value)
        return self._assigned(statement.span, name, value)

    def _assigned(
        self, span: ir.Span | None, name: str, value: ir.Apply | ir.Operand
    ) -> ir.Assign:
        kind = adjoint_kind(self.kind(name))
        target = self.bar(name)
        self.function.kinds[target.name] = kind  # type: ignore[index]
        return ir.Assign(span, target, value, kind, True)

    def _adjoint_of(self, operand: ir.Operand) -> ir.Operand:
        """The adjoint of an operand that is a reference; others as they are."""
        if isinstance(operand, ir.Var) and is_of_references(self.kind(operand.name)):
            assert operand.name in self.active, operand.name
            return self.bar(operand.name)
        if isinstance(operand, ir.Global):
            return self._adjoint_of_global(operand)
        assert not isinstance(core.kind_of(self.value(operand)), ir.Reference)
        if isinstance(operand, ir.Pack):
            return replace(operand, items=tuple(map(self._adjoint_of, operand.items)))
        return operand

    def _adjoint_of_global(self, operand: ir.Global) -> ir.Operand:
        """The adjoint of a value of the module that stands beside active ones: nobody
        asks for it, and the value itself must not take their contributions."""
        kind = self.spec.module.kinds.get(operand)
        if kind is None or not is_of_references(kind):
            return operand
        if operand not in self.bars_of_globals:
            target = self.spec.fresh("adjoint")
            self.function.kinds[target.name] = adjoint_kind(kind)  # type: ignore[index]
            self.bars_of_globals[operand] = target
        return self.bars_of_globals[operand]

    @cached_property
    def working_copies(self) -> dict[ir.Operand, str]:
        """The variables with the copies of arguments that the program changes: the
        copies have adjoints, and not the arguments."""
        found: dict[ir.Operand, str] = {}
        of_places = {read: item for item, read in self.places_of_copies.items()}
        for s in ir.walk(self.function.body):
            if not ir.is_line(s):
                continue
            if s.value.function is working_copy:
                (whole,) = s.value.args
                if not isinstance(whole, ir.Pack):
                    found[whole] = s.target.name
            elif s.value in of_places:
                found.setdefault(of_places[s.value], s.target.name)
        return found

    @cached_property
    def places_of_copies(self) -> dict[ir.Operand, ir.Apply]:
        """Where the copies of several arguments stand that were copied together. That
        of one that the program doesn't read has no variable, and has its part in what
        others are."""
        return {
            item: ir.Apply(ops.read_item, (s.target, ir.Const(place)))
            for s in ir.walk(self.function.body)
            if ir.is_line(s, working_copy) and isinstance(s.value.args[0], ir.Pack)
            for place, item in enumerate(s.value.args[0].items)
        }

    @cached_property
    def bars_of_globals(self) -> dict[ir.Global, ir.Var]:
        """The adjoints of values of the module, made where the sweep starts."""
        return {}

    def adjoints_of_parameters(self) -> list[ir.Plan]:
        """The lines that make the adjoints of parameters."""
        of_globals = [
            ir.Plan(
                ir.Assign(
                    None,
                    target,
                    ir.Apply(zeros_of_structure, (operand,)),
                    self.function.kinds[target.name],
                    True,
                )
            )
            for operand, target in self.bars_of_globals.items()
        ]
        return of_globals + [
            ir.Plan(
                self._assigned(
                    None, name, ir.Apply(zeros_of_structure, (ir.Var(name),))
                )
            )
            for name in self.function.parameters
            if name in self.active
            and is_of_references(self.kind(name))
            and self.bar(name).name not in self.given_adjoints
            and name not in self.given_adjoints
        ]

    def adjoints_of_results(self, result: ir.Operand) -> tuple[ir.Operand, ...]:
        """The adjoints of those results that are references."""
        return tuple(
            self.bar(v.name) if v.name in self.active else ir.Const(None)
            for v in ir.operand_variables(result)
            if is_of_references(self.kind(v.name))
        )

    def adjoint_copied(self, name: str, result: str) -> list[ir.Statement]:
        """The line by which the adjoint of a reference is that of another one."""
        if name not in self.active or not is_of_references(self.kind(name)):
            return []
        self.active.add(result)
        return [self._assigned(self.spec.span, name, self.bar(result))]

    def adjoint_of_argument(self, argument: ir.Operand) -> ir.Operand:
        """The adjoint of an argument of a call that is a reference; zeros for one that
        doesn't vary here and does in other calls."""
        if not isinstance(argument, ir.Var) or argument.name in self.active:
            return self._adjoint_of(argument)
        unused = self.spec.fresh("unused")
        zeros = ir.Apply(zeros_of_structure, (argument,))
        kind = adjoint_kind(self.kind(argument.name))
        self.function.kinds[unused.name] = kind  # type: ignore[index]
        self.spec.assign(unused, zeros, kind)
        return unused

    def adjoints_of_targets(self, targets: Sequence[str]) -> tuple[ir.Var, ...]:
        """The adjoints of those results of a call that are references."""
        found = [name for name in targets if is_of_references(self.kind(name))]
        for name in found:
            kind = adjoint_kind(self.kind(name))
            self.function.kinds[self.bar(name).name] = kind  # type: ignore[index]
        return tuple(map(self.bar, found))

    def add_to_slot(self, read: ir.Apply, cotangent: Cotangent) -> None:
        """Add the cotangent of a number or array to the slot it was read from."""
        holder, *keys = read.args
        if not isinstance(holder, ir.Var) or holder.name not in self.active:
            return
        add: Any = ops.READS_OF_REFERENCES[read.function]
        amount = cotangent.value.operand
        operation = ir.Apply(add, (self.bar(holder.name), *keys, amount))
        self.spec.emit(ir.Effect(self.spec.span, operation))

    def gradient_of_reference(self, leaf: core.Leaf) -> core.Leaf:
        """The gradient with respect to an argument, in its own classes."""
        assert isinstance(leaf.operand, ir.Var)
        copy = self.working_copies.get(leaf.operand)
        name = leaf.operand.name if copy is None else copy
        # the gradient of what was an int is None, whatever is stored there
        unlike = any(
            ir.may_be_no_number(form, key)
            for form in ir.reached_forms(leaf.kind)
            for key in form.keys
        )
        rebound = copy is not None and any(
            isinstance(s, ir.Effect)
            and s.value.function in ops.STORES_INTO_SLOTS
            and self._stores_reference(s.value)
            for s in ir.walk(self.function.body)
        )
        whole = leaf.operand if unlike or rebound else ir.Var(name)
        adjoint: ir.Operand = self.bar(name)
        place = self.places_of_copies.get(leaf.operand)
        if copy is None and place is not None and self._varies(place):
            beside = ops.with_holders(place, self._adjoint_of)
            kind = adjoint_kind(leaf.kind)
            part = self.spec.assign(self.spec.fresh("part"), beside, kind)
            assert isinstance(part, core.Leaf)
            adjoint = part.operand
        elif name not in self.active:
            zeros = ir.Apply(zeros_of_structure, (whole,))
            made = self.spec.assign(self.spec.fresh("zeros"), zeros, ir.OPAQUE)
            adjoint = made.operand
        gradient = ir.Apply(as_structure, (whole, adjoint))
        return self.spec.assign(
            self.spec.fresh("gradient"), gradient, leaf.kind.gradient_kind()
        )

    def _varies(self, read: ir.Apply) -> bool:
        return not self.active.isdisjoint(v.name for v in ir.value_variables(read))
