"""Run-time values in reverse mode: the adjoint of a reference is a reference.

Beside each line that gives a reference stands, in the forward sweep, the same line for
its adjoint; a number that is read adds to the slot of the adjoint that it was read
from::

    s = read_item(springs, k)        s.bar = read_item(springs.bar, k)
    x = read_attribute(s, 'k')       reverse lines:  add_to_attribute(s.bar, 'k', x.bar)
"""

import operator
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.ops.runtime.broadcasting import sum_to_shape_of
from s2sad.ops.runtime.structures import (
    as_structure,
    tangent_copy,
    working_copy,
    zeros_of_structure,
)
from s2sad.transform.adjoints.adjoints import unused_suffix
from s2sad.transform.adjoints.cotangents import Cotangent, Masked
from s2sad.transform.adjoints.projections import is_projection
from s2sad.transform.run_time.slot_plans import SlotPlans
from s2sad.transform.run_time.zeros import (
    added_structure,
    refuse_told_by_text,
    zeros_of,
)

_COPIES = (working_copy, tangent_copy)


def with_adjoints_given(
    function: ir.Function, names: Iterable[str]
) -> tuple[ir.Function, tuple[str, ...]]:
    """The function with parameters for the adjoints of those of these parameters that
    are references, behind its own; and their names."""
    suffix = unused_suffix(function, ".bar")
    kinds = dict(function.kinds)
    given = []
    for name in names:
        if ir.is_of_references(kinds.get(name)):
            adjoint = f"{name}{suffix}"
            kinds[adjoint] = ir.adjoint_kind(kinds[name])
            given.append(adjoint)
    parameters = (*function.parameters, *given)
    return replace(function, parameters=parameters, kinds=kinds), tuple(given)


class ReferencePlans(SlotPlans):
    """Plans of lines that give references, and of what is read from them."""

    independents: set[str]
    given_adjoints: frozenset[str] = frozenset()
    """The adjoints that are parameters."""

    def gives_references(self, names: Iterable[str]) -> bool:
        """True for a line that assigns references."""
        return any(ir.is_of_references(self.kind(name)) for name in names)

    def reference_assignment(self, statement: ir.Assign) -> list[ir.Plan]:
        """A line that gives a reference, with that for its adjoint."""
        assert isinstance(statement.target, ir.Var)
        name = statement.target.name
        if name not in self.active:
            return [ir.Plan(statement)]
        if isinstance(statement.value, ir.Apply):
            if statement.value.function in _COPIES:
                return self._working_copy(statement, *statement.value.args)
            if statement.value.function in ops.MAKES_OBJECTS:
                return self._made_object(statement, statement.value)
            if statement.value.function is ops.kept_value:
                return self._kept_value(statement, statement.value)
            if statement.value.function in ops.KEPT_ARRAYS:
                return self._kept_array(statement, statement.value)
            if statement.value.function is ops.kept_list:
                if not ir.is_of_references(self._kind_of_items(name)):
                    return self._kept_numbers(statement, statement.value)
        with self.spec.new_block() as lines:
            beside = self._beside(statement, name)
        before = list(map(ir.Plan, lines))
        seed = self.structure_seeds.get(name)
        if seed is None:
            return [*before, ir.Plan(statement), ir.Plan(beside)]
        added = added_structure(self.spec, self.bar(name), seed)
        return [*before, ir.Plan(statement), ir.Plan(beside, (ir.Effect(None, added),))]

    def _working_copy(
        self, statement: ir.Assign, value: ir.Operand, tangent: ir.Operand | None = None
    ) -> list[ir.Plan]:
        """A copy of what the program changes, or of its tangent. It has an adjoint of
        its own, which is the gradient where an independent was copied, and else added
        to that of what was copied."""
        assert isinstance(statement.target, ir.Var)
        name = statement.target.name
        whole = value if tangent is None else tangent
        like = statement.target if tangent is None else value
        beside = self._assigned(statement.span, name, self._zeros_of(like))
        variables = [v.name for v in ir.operand_variables(whole)]
        bars = [self.bar(v).name for v in variables]
        asked = not self.independents.isdisjoint(variables)
        given = not self.given_adjoints.isdisjoint(bars)
        made_here = not {*self.function.parameters, *self.independents}.issuperset(
            variables
        )
        lines: ir.Block = ()
        before: list[ir.Plan] = []
        if given or made_here:
            if asked and not given:
                raise core.Unsupported(
                    "arguments and what was made of them are changed together in a "
                    "derivative inside of another",
                    "take one derivative at a time",
                )
            own = self._adjoint_of(whole)
            if isinstance(own, ir.Pack):
                pack = replace(own, constructor=list)
                own = self.spec.fresh("copied.bar")
                kind = ir.adjoint_kind(self.kind(name))
                self.function.kinds[own.name] = kind  # type: ignore[index]
                lines = (ir.Assign(statement.span, own, pack, kind, True),)
            if name in variables:  # ``p = copy.copy(p)``
                own = self.spec.fresh("old.bar")
                kind = ir.adjoint_kind(self.kind(name))
                self.function.kinds[own.name] = kind  # type: ignore[index]
                held = ir.Assign(statement.span, own, self.bar(name), kind, True)
                before = [ir.Plan(held)]
            added = added_structure(self.spec, own, self.bar(name))
            lines = (*lines, ir.Effect(statement.span, added))
        return [*before, ir.Plan(statement), ir.Plan(beside, lines)]

    def effect(self, statement: ir.Effect) -> list[ir.Plan]:
        """An effect. What is stored into a slot gets the adjoint that stands there,
        which is none of what stood there before::

            store_attribute(s, 'k', v)      v.bar = stored_attribute(s.bar, 'k')
                                            put_adjoint(s.bar, 'k', 0.0)

        What is added to a slot of an adjoint gets the adjoint of what stands there."""
        value = statement.value
        if value.function in ops.STORES_INTO_ARRAYS:
            return self._written_part(statement)
        if value.function in ops.STORES_INTO_SLOTS:
            if value.function in ops.RESIZES:
                return self._resized_list(statement)
            if value.function in ops.CLEARS_ADJOINTS:
                return [ir.Plan(statement, self._taken_from_slot(statement))]
            if self._stores_reference(value):
                return self._bound_slot(statement)
            if self._binds_array(value):
                return self._bound_array(statement)
            return [ir.Plan(statement, self._taken_from_slot(statement))]
        if value.function not in ops.ADDS_TO_ADJOINTS:
            return [ir.Plan(statement)]
        adjoint, *keys, amount = value.args
        varies = [v.name for v in (adjoint, amount) if isinstance(v, ir.Var)]
        if len(varies) < 2 or not self.active.issuperset(varies):
            return [ir.Plan(statement)]
        if value.function is ops.add_structure:
            # the adjoint may have slots for keys that came behind the copy
            bar, more = self._adjoint_of(amount), self._adjoint_of(adjoint)
            added = added_structure(self.spec, bar, more, own_keys=True)
            return [ir.Plan(statement, (ir.Effect(statement.span, added),))]
        if value.function is ops.add_to_items and not isinstance(
            self.full_kind(str(amount)), ir.List
        ):
            return self._added_to_items(statement)
        if value.function not in (*ops.ADDS_TO_SLOTS, ops.add_to_part):
            raise core.Unsupported(
                "the gradient with respect to lists of lists, or of arrays of several "
                "shapes, can't be differentiated in reverse mode again",
                "use hvp or jvp",
            )
        (key,) = keys
        assert isinstance(amount, ir.Var)
        read = {add: read for read, add in ops.READS_OF_REFERENCES.items()}
        operation = ir.Apply(read[value.function], (self._adjoint_of(adjoint), key))
        kind = self.full_kind(amount.name)
        numbers = ir.Scalar | ir.NumPyScalar
        known = key.value if isinstance(key, ir.Const) else None
        held = ir.kinds_held(self.kind(str(adjoint)), known)
        if isinstance(kind, numbers) and not all(
            isinstance(h, numbers) or ir.is_optional_number(h) for h in held
        ):
            kind = ir.Array("float64", None)  # a number that was added to all of one
        with self.spec.new_block() as lines:
            part = self.spec.assign(self.spec.fresh("part"), operation, kind)
            if not isinstance(kind, numbers):
                like = core.Leaf(amount, self.kind(amount.name))
                copied = np.array if ir.axes_of(kind) is None else ops.own_copy
                own = self.spec.apply(copied, (part,), hint="part")
                made = self.spec.apply(sum_to_shape_of, (own, like), hint="part")
                assert isinstance(made, core.Leaf)
                part = made
            self.contribute(amount, part, Masked.NO)
        return [ir.Plan(statement, tuple(lines))]

    def _added_to_items(self, statement: ir.Effect) -> list[ir.Plan]:
        """What is added to each item of an adjoint, an array or a number for all of
        them, gets the adjoints of the items."""
        adjoint, amount = statement.value.args
        assert isinstance(amount, ir.Var)
        with self.spec.new_block() as lines:
            read = ir.Apply(ops.stored_items, (self._adjoint_of(adjoint),))
            items = self.spec.assign(self.spec.fresh("items"), read, ir.UNKNOWN)
            array = ir.Apply(np.array, (items.operand,))
            whole = ir.Array("float64", None)
            part = self.spec.assign(self.spec.fresh("part"), array, whole)
            like = core.Leaf(amount, self.kind(amount.name))
            made = self.spec.apply(sum_to_shape_of, (part, like), hint="part")
            self.contribute(amount, core.single(made), Masked.NO)
        return [ir.Plan(statement, tuple(lines))]

    def _zeros_of(self, operand: ir.Operand) -> ir.Apply:
        kind = core.kind_of(self.value(operand))
        if str(operand).endswith(("_dot", ".dot")):
            refuse_told_by_text(kind)
        return zeros_of(self.spec, operand)

    def _beside(self, statement: ir.Assign, name: str) -> ir.Assign:
        value = statement.value
        if is_projection(statement, self.function.kinds):  # the whole has no adjoint
            value = self._zeros_of(ir.Var(name))
        elif isinstance(value, ir.Apply) and value.function is as_structure:
            value = self._adjoint_of(value.args[1])
        elif isinstance(value, ir.Apply) and value.function is not zeros_of_structure:
            value = self._moved(value, self.kind(name))
        elif not isinstance(value, ir.Apply):
            value = self._adjoint_of(value)
        return self._assigned(statement.span, name, value)

    def _moved(self, value: ir.Apply, kind: ir.Kind) -> ir.Apply | ir.Operand:
        """The line for adjoints beside one that moves references. What leads to no
        numbers has no adjoint, also where it is put among others that do."""
        reads = value.function in (*ops.READS_OF_REFERENCES, operator.getitem)
        of_none = reads and self._adjoint_of(value.args[0]) == ir.Const(None)
        if of_none or not ir.is_real_number_kind(kind):
            return ir.Const(None)
        made = ops.with_holders(value, self._adjoint_of)
        whole = value.function in (ops.joined_lists, ops.joined_tuples)
        if not whole or ir.Const(None) not in made.args:
            return made
        zeros = []
        for own, operand in zip(made.args, value.args, strict=True):
            if own == ir.Const(None):
                own = self.spec.fresh("unused")
                kind = ir.adjoint_kind(core.kind_of(self.value(operand)))
                self.function.kinds[own.name] = kind  # type: ignore[index]
                line = self._zeros_of(operand)
                self.spec.emit(ir.Assign(None, own, line, kind, True))
            zeros.append(own)
        return replace(made, args=tuple(zeros))

    @cached_property
    def working_copies(self) -> dict[ir.Operand, str]:
        """The variables with the copies of arguments that the program changes: the
        copies have adjoints, and not the arguments."""
        found: dict[ir.Operand, str] = {}
        of_places = {read: item for item, read in self.places_of_copies.items()}
        for s in ir.walk(self.function.body):
            if not ir.is_line(s):
                continue
            if s.value.function in _COPIES:
                whole = s.value.args[-1]
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
            if ir.is_line(s, *_COPIES) and isinstance(s.value.args[-1], ir.Pack)
            for place, item in enumerate(s.value.args[-1].items)
        }

    def adjoints_of_parameters(self) -> list[ir.Plan]:
        """The lines that make the adjoints of parameters."""
        of_globals = [
            ir.Plan(
                ir.Assign(
                    None,
                    target,
                    self._zeros_of(operand),
                    self.function.kinds[target.name],
                    True,
                )
            )
            for operand, target in self.bars_of_globals.items()
        ]
        return of_globals + [
            ir.Plan(self._assigned(None, name, self._zeros_of(ir.Var(name))))
            for name in self.function.parameters
            if name in self.active
            and ir.is_of_references(self.kind(name))
            and self.bar(name).name not in self.given_adjoints
            and name not in self.given_adjoints
        ]

    def adjoints_of_results(self, result: ir.Operand) -> tuple[ir.Operand, ...]:
        """The adjoints of those results that are references."""
        return tuple(
            self.bar(v.name) if v.name in self.active else ir.Const(None)
            for v in ir.operand_variables(result)
            if ir.is_of_references(self.kind(v.name))
        )

    def adjoint_copied(self, name: str, result: str) -> list[ir.Statement]:
        """The line by which the adjoint of a reference is that of another one."""
        if name not in self.active or not ir.is_of_references(self.kind(name)):
            return []
        self.active.add(result)
        return [self._assigned(self.spec.span, name, self.bar(result))]

    def adjoint_of_argument(self, argument: ir.Operand) -> ir.Operand:
        """The adjoint of an argument of a call that is a reference; zeros for one that
        doesn't vary here and does in other calls."""
        if not isinstance(argument, ir.Var) or argument.name in self.active:
            return self._adjoint_of(argument)
        unused = self.spec.fresh("unused")
        zeros = self._zeros_of(argument)
        kind = ir.adjoint_kind(self.kind(argument.name))
        self.function.kinds[unused.name] = kind  # type: ignore[index]
        self.spec.assign(unused, zeros, kind)
        return unused

    def adjoints_of_targets(self, targets: Sequence[str]) -> tuple[ir.Var, ...]:
        """The adjoints of those results of a call that are references."""
        found = [name for name in targets if ir.is_of_references(self.kind(name))]
        for name in found:
            kind = ir.adjoint_kind(self.kind(name))
            self.function.kinds[self.bar(name).name] = kind  # type: ignore[index]
        return tuple(map(self.bar, found))

    def add_to_slot(
        self, read: ir.Apply, cotangent: Cotangent, optional: bool = False
    ) -> None:
        """Add the cotangent of a number or array to the slot it was read from; beside
        None and whole numbers there is none."""
        holder, *keys = read.args
        if not isinstance(holder, ir.Var) or holder.name not in self.active:
            return
        if read.function in (ops.read_item, ops.read_attribute):
            known = keys[0].value if isinstance(keys[0], ir.Const) else None
            kinds = ir.kinds_held(self.kind(holder.name), known)
            varies = {ir.is_real_number_kind(kind) for kind in kinds}
            if varies == {False}:
                return
            optional |= len(varies) == 2
        add: Any = ops.READS_OF_REFERENCES[read.function]
        amount = cotangent.value.operand
        slot = (self.bar(holder.name), *keys)
        effect = ir.Effect(self.spec.span, ir.Apply(add, (*slot, amount)))
        if not optional:
            return self.spec.emit(effect)
        of_items = read.function in (ops.read_item, ops.stored_item)
        reads = ops.stored_item if of_items else ops.stored_attribute
        held = self._noted("held", ir.Apply(reads, slot), ir.UNKNOWN)
        is_array = ir.Apply(operator.is_not, (held, ir.Const(None)))
        there = self.spec.assign(self.spec.fresh("condition"), is_array, ir.BOOL)
        self.spec.emit(ir.If(None, there.operand, (effect,), ()))

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
            and (s.value.function in ops.RESIZES or self._stores_reference(s.value))
            for s in ir.walk(self.function.body)
        )
        whole = leaf.operand if unlike or rebound else ir.Var(name)
        adjoint: ir.Operand = self.bar(name)
        place = self.places_of_copies.get(leaf.operand)
        if copy is None and place is not None and self._varies(place):
            beside = ops.with_holders(place, self._adjoint_of)
            kind = ir.adjoint_kind(leaf.kind)
            part = self.spec.assign(self.spec.fresh("part"), beside, kind)
            assert isinstance(part, core.Leaf)
            adjoint = part.operand
        elif name not in self.active:
            zeros = self._zeros_of(whole)
            made = self.spec.assign(self.spec.fresh("zeros"), zeros, ir.OPAQUE)
            adjoint = made.operand
        gradient = ir.Apply(as_structure, (whole, adjoint))
        return self.spec.assign(
            self.spec.fresh("gradient"), gradient, leaf.kind.gradient_kind()
        )

    def _varies(self, read: ir.Apply) -> bool:
        return not self.active.isdisjoint(v.name for v in ir.value_variables(read))
