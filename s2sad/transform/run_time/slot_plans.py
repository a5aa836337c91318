"""Slots of run-time values in reverse mode: what a program stores into them, and the
objects that it makes."""

import operator
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from s2sad import ir, ops
from s2sad.analysis.reverse.first_stores import first_stores
from s2sad.frontend.specialise import core
from s2sad.ops.runtime.structures import ValueAdjoint
from s2sad.transform.adjoints.cotangents import Masked
from s2sad.transform.run_time.array_plans import ArrayPlans
from s2sad.transform.run_time.zeros import added_structure


class SlotPlans(ArrayPlans):
    """Plans of stores into slots, and of lines that make objects."""

    structure_seeds: Mapping[str, ir.Operand] = {}
    """The cotangents of results that are references, which are structures."""

    @cached_property
    def _first_stores(self) -> frozenset[int]:
        return first_stores(self.function.body)

    def _is_first(self, statement: ir.Statement) -> bool:
        """True for a store into a slot in which nothing stood."""
        return id(statement) in self._first_stores

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
        of_object = cls.value not in ir.CONTAINERS
        with self.spec.new_block() as zeros:
            slots = [
                self._zero_of_slot(value, ir.kind_held(self.kind(name), slot))
                for slot, value in zip(names.value, values, strict=True)
            ]
        later = ops.slots_filled_later(self.kind(name), cls.value, names.value)
        all_names = ir.Const((*names.value, *later))
        others = map(ir.Const, later.values())
        operation = ir.Apply(ops.make_adjoint, (cls, all_names, *slots, *others))
        beside = self._assigned(statement.span, name, operation)
        adjoint, bound = self.bar(name), [beside]
        if adjoint in slots:  # the reverse lines read the new one, and not the old one
            new = self.spec.fresh(adjoint.name)
            self.function.kinds[new.name] = ir.adjoint_kind(self.kind(name))  # type: ignore[index]
            bound = [replace(beside, target=new), replace(beside, value=new)]
            adjoint = new
        with self.spec.new_block() as lines:
            for slot, value in zip(names.value, values, strict=True):
                if not isinstance(value, ir.Var) or value.name not in self.active:
                    continue
                if ir.is_of_references(self.kind(value.name)):
                    continue
                reads = ops.stored_attribute if of_object else ops.stored_item
                read = ir.Apply(reads, (adjoint, ir.Const(slot)))
                kind = self.full_kind(value.name)
                part = self.spec.assign(self.spec.fresh("part"), read, kind)
                self.contribute(value, part, Masked.NO)
        seed = self.structure_seeds.get(name)
        if seed is not None:
            added = added_structure(self.spec, adjoint, seed)
            lines = [ir.Effect(None, added), *lines]
        first, *copies = bound
        forward = [ir.Plan(line) for line in (*zeros, statement)]
        return [*forward, ir.Plan(first, tuple(lines)), *map(ir.Plan, copies)]

    def _kept_value(self, statement: ir.Assign, kept: ir.Apply) -> list[ir.Plan]:
        """A number or array that stands where references do: its adjoint has a slot,
        and hands on what stands there at the end."""
        assert isinstance(statement.target, ir.Var)
        cls, names = ir.Const(ValueAdjoint), ir.Const((ir.ITSELF,))
        if ir.is_real_number_kind(core.kind_of(self.value(kept.args[0]))):
            made = ir.Apply(ops.make_object, (cls, names, *kept.args))
            return self._made_object(statement, made)
        adjoint = ir.Apply(ops.make_adjoint, (cls, names, ir.Const(0.0)))
        beside = self._assigned(statement.span, statement.target.name, adjoint)
        return [ir.Plan(statement), ir.Plan(beside)]

    def _zero_of_slot(
        self, value: ir.Operand, held: ir.Kind | None = None
    ) -> ir.Operand:
        """What stands in the adjoint of an object that was just made, beside what
        stands in the object: 0.0 also for None where numbers are held."""
        kind: Any = core.kind_of(self.value(value))
        if ir.is_of_references(kind):
            return self._adjoint_of(value)
        if isinstance(kind, ir.List):
            zeros = ir.Apply(ops.zero_items, (value,))
            return self.spec.assign(self.spec.fresh("zeros"), zeros, kind).operand
        if ir.is_optional_array(kind):  # it is one: None is stored as a constant
            kind = kind.present
        if isinstance(kind, ir.Array) and ir.is_real_number_kind(kind):
            zeros = ir.Apply(np.zeros_like, (value,))
            return self.spec.assign(self.spec.fresh("zeros"), zeros, kind).operand
        if kind == ir.NONE and ir.is_optional_number(held):
            return ir.Const(0.0)
        return ir.Const(0.0 if ir.is_real_number_kind(kind) else None)

    def _stores_reference(self, store: ir.Apply) -> bool:
        """True where a slot gets a reference, or None in place of one."""
        if store.function in ops.CLEARS_ADJOINTS:
            return False
        holder, key, *_, content = store.args
        if content == ir.Const(None):
            known = key.value if isinstance(key, ir.Const) else None
            held = ir.kind_held(core.kind_of(self.value(holder)), known)
            return not (ir.is_optional_number(held) or ir.is_optional_array(held))
        return ir.is_of_references(core.kind_of(self.value(content)))

    def _binds_array(self, store: ir.Apply) -> bool:
        """True where a slot gets an array that may hold None, which has no shape, or
        nothing so far; also where None takes its place."""
        holder, key, *_, content = store.args
        known = key.value if isinstance(key, ir.Const) else None
        held = ir.kind_held(core.kind_of(self.value(holder)), known)
        if content == ir.Const(None):
            return ir.is_optional_array(held)
        kind = core.kind_of(self.value(content))
        is_array = isinstance(kind, ir.Array) or ir.is_optional_array(kind)
        is_there = isinstance(held, ir.Array) and not (
            store.function is ops.store_attribute
            and ir.may_lack(core.kind_of(self.value(holder)), known)
        )
        return is_array and not is_there

    def _bound_array(self, statement: ir.Effect) -> list[ir.Plan]:
        """Such a slot of the adjoint gets zeros for the array; in the reverse sweep the
        array gets what stands there, and the slot zeros for what stood there before::

            store_attribute(p, 'last', a)   old = stored_attribute(p.bar, 'last')
                                            zeros = zeros_like(a)
                                            store_attribute(p.bar, 'last', zeros)
            reverse lines:                  a.bar = stored_attribute(p.bar, 'last')
                                            put_adjoint(p.bar, 'last', zeros)
        """
        store = statement.value
        holder, key, content = store.args
        kind: Any = core.kind_of(self.value(content))
        if content == ir.Const(None):
            known = key.value if isinstance(key, ir.Const) else None
            kind = ir.kind_held(core.kind_of(self.value(holder)), known)
        kind = getattr(kind, "present", None) or kind
        active = isinstance(holder, ir.Var) and holder.name in self.active
        if not active or not ir.is_real_number_kind(kind):
            return [ir.Plan(statement)]
        assert isinstance(holder, ir.Var) and isinstance(kind, ir.Array)
        adjoint = self.bar(holder.name)
        of_items = store.function in ops.STORES_INTO_ITEMS
        reads = ops.stored_item if of_items else ops.stored_attribute
        puts = ops.put_adjoint_item if of_items else ops.put_adjoint
        old, held = None, ir.join(ir.tangent_kind(kind), ir.NONE)
        with self.spec.new_block() as before:
            if not self._is_first(statement):
                old = self._noted("old.bar", ir.Apply(reads, (adjoint, key)), held)
            zeros = self._zero_of_slot(content)
        beside = replace(store, args=(adjoint, key, zeros))
        with self.spec.new_block() as lines:
            part: core.Leaf | None = None
            if isinstance(content, ir.Var) and content.name in self.active:
                read = ir.Apply(reads, (adjoint, key))
                kept = self.full_kind(content.name)
                part = self.spec.assign(self.spec.fresh("part"), read, kept)

            def put(zeros: ir.Operand) -> ir.Effect:
                operation = ir.Apply(puts, (adjoint, key, zeros))
                return ir.Effect(statement.span, operation)

            if old is not None:
                self._put_as_it_was(old, put, held)
            if part is not None:
                assert isinstance(content, ir.Var)
                self.contribute(content, part, Masked.NO)
        forward = [ir.Plan(line) for line in (*before, statement)]
        return [*forward, ir.Plan(replace(statement, value=beside), tuple(lines))]

    def _put_as_it_was(
        self, old: ir.Operand, put: Callable[[ir.Operand], ir.Effect], held: Any
    ) -> None:
        """Zeros of their own where an array stood before, and None where None did."""
        is_none = ir.Apply(operator.is_, (old, ir.Const(None)))
        none = self.spec.assign(self.spec.fresh("condition"), is_none, ir.BOOL)
        with self.spec.new_block() as otherwise:
            again = ir.Apply(np.zeros_like, (old,))
            own = ir.tangent_kind(held.present)
            zeros = self.spec.assign(self.spec.fresh("zeros"), again, own)
            self.spec.emit(put(zeros.operand))
        emptied = (put(ir.Const(None)),)
        self.spec.emit(ir.If(None, none.operand, emptied, tuple(otherwise)))

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
        adjoint = self.bar(holder.name)
        beside = replace(store, args=(adjoint, key, self._adjoint_of(content)))
        if self._is_first(statement):
            return [ir.Plan(statement), ir.Plan(replace(statement, value=beside))]
        old = self.spec.fresh("old.bar")
        of_items = store.function in ops.STORES_INTO_ITEMS
        reads = ops.stored_item if of_items else ops.stored_attribute
        kind = core.kind_of(self.value(content))
        forms = kind.forms if isinstance(kind, ir.Reference) else ()
        held = ir.Reference(forms, may_be_none=True, adjoint=True)
        self.function.kinds[old.name] = held  # type: ignore[index]
        read = ir.Apply(reads, (adjoint, key))
        back = replace(store, args=(adjoint, key, old))
        return [
            ir.Plan(statement),
            ir.Plan(ir.Assign(statement.span, old, read, held, True)),
            ir.Plan(
                replace(statement, value=beside), (ir.Effect(statement.span, back),)
            ),
        ]

    def _kept_numbers(self, statement: ir.Assign, made: ir.Apply) -> list[ir.Plan]:
        """A list of numbers that gets its place in an object: its adjoint gets zeros,
        and hands on what stands there at the end."""
        assert isinstance(statement.target, ir.Var)
        name, (items,) = statement.target.name, made.args
        with self.spec.new_block() as before:
            zeros = self._zero_of_slot(items)
        beside = self._assigned(statement.span, name, ir.Apply(ops.kept_list, (zeros,)))
        with self.spec.new_block() as lines:
            if isinstance(items, ir.Var) and items.name in self.active:
                part = self._items_of_adjoint(self.bar(name), items.name)
                self.contribute(items, part, Masked.NO)
        forward = [ir.Plan(line) for line in (*before, statement)]
        return [*forward, ir.Plan(beside, tuple(lines))]

    def _resized_list(self, statement: ir.Effect) -> list[ir.Plan]:
        """A list or dict that gets other items. Its adjoint gets the like, and in the
        reverse sweep what came goes, and what went comes back::

            insert_item(xs, k, v)     insert_item(xs.bar, k, 0.0)
            reverse lines:            v.bar = stored_item(xs.bar, k)
                                      remove_item(xs.bar, k)

            remove_item(xs, k)        remove_item(xs.bar, k)
            reverse line:             insert_item(xs.bar, k, 0.0)

        A slot for a key stays in the adjoint when the key goes.
        """
        function, args = statement.value.function, statement.value.args
        holder, place, *stored = args
        active = isinstance(holder, ir.Var) and holder.name in self.active
        if not active or function in (ops.remove_key, ops.clear_keys):
            return [ir.Plan(statement)]
        assert isinstance(holder, ir.Var)
        adjoint = self.bar(holder.name)
        if function in ops.MOVES_ITEMS:
            return self._moved_items(statement, adjoint)
        held = self._kind_of_items(holder.name)
        whole = function in ops.OF_ALL_ITEMS
        reads = ops.stored_items if whole else ops.stored_item
        slot = (adjoint,) if whole else (adjoint, place)

        def line(function: Any, *operands: ir.Operand) -> ir.Effect:
            operation = ir.Apply(function, (adjoint, place, *operands))
            return ir.Effect(statement.span, operation)

        flag = old = None
        with self.spec.new_block() as before:
            if function is ops.add_key_again:
                flag = self._noted("had", ir.Apply(ops.stored_contains, slot), ir.BOOL)
                if ir.is_of_references(held):
                    old = self._slot_of_adjoint(ops.slot_or_none, slot, holder.name)
            elif whole or not stored:
                old = self._slot_of_adjoint(reads, slot, holder.name)
            zeros = (self._zero_of_slot(value, held) for value in stored)
            beside = line(function, *zeros)
        with self.spec.new_block() as lines:
            part = None
            content = stored[0] if stored else None
            if isinstance(content, ir.Var) and content.name in self.active:
                if whole and not ir.is_of_references(held):
                    part = self._items_of_adjoint(adjoint, content.name)
                elif not ir.is_of_references(held):
                    read, kind = ir.Apply(reads, slot), self.full_kind(content.name)
                    part = self.spec.assign(self.spec.fresh("part"), read, kind)
            with self.spec.new_block() as back:
                again: ir.Operand = self._as_it_was(held, old, adjoint, place)
                puts = ops.STORES_AGAIN.get(function)
                if puts is ops.store_item and not ir.is_of_references(held):
                    puts = ops.put_adjoint_item
                if puts is not None and old and ir.is_optional_array(held):
                    self._put_as_it_was(old, partial(line, puts), held)
                elif puts is not None:
                    self.spec.emit(line(puts, again))
            if flag is not None:
                gone = (line(ops.INSERTS[function]),)
                self.spec.emit(ir.If(statement.span, flag, tuple(back), gone))
            elif function in ops.INSERTS:
                self.spec.emit(line(ops.INSERTS[function]))
            elif function is ops.fill_items:
                self.spec.emit(line(ops.clear_items))
            else:
                for s in back:
                    self.spec.emit(s)
            if part is not None:
                assert isinstance(content, ir.Var)
                self.contribute(content, part, Masked.NO)
        forward = [ir.Plan(s) for s in (*before, statement)]
        return [*forward, ir.Plan(beside, tuple(lines))]

    def _items_of_adjoint(self, adjoint: ir.Operand, name: str) -> core.Leaf:
        """What stands in the adjoint of a list, as the cotangent of one by value:
        an array where that is one, for lists don't add up."""
        kind = self.full_kind(name)
        read = ir.Apply(ops.stored_items, (adjoint,))
        listed = isinstance(kind, ir.List)
        own = kind if listed else self.kind(name)
        part = core.single(self.spec.assign(self.spec.fresh("part"), read, own))
        if listed:
            return part
        array = ir.Apply(np.array, (part.operand,))
        return core.single(self.spec.assign(self.spec.fresh("part"), array, kind))

    def _moved_items(self, statement: ir.Effect, adjoint: ir.Operand) -> list[ir.Plan]:
        """A list whose items get other places: those of the adjoint do, too, and go
        back in the reverse sweep."""
        _, places = statement.value.args
        moved = replace(statement.value, args=(adjoint, places))
        with self.spec.new_block() as lines:
            if isinstance(places, ir.Const):
                if moved.function is ops.rotate_items:
                    places = ir.Const(-places.value)
            else:
                back = ir.Apply(operator.neg, (places,))
                places = self.spec.assign(self.spec.fresh("back"), back, ir.INT).operand
            self.spec.emit(ir.Effect(None, replace(moved, args=(adjoint, places))))
        beside = replace(statement, value=moved)
        return [ir.Plan(statement), ir.Plan(beside, tuple(lines))]

    def _kind_of_items(self, name: str) -> ir.Kind | None:
        """What stands in a list or dict: references to arrays where the program writes
        into such."""
        kind = self.kind(name)
        assert isinstance(kind, ir.Reference)
        held = ir.kind_held(kind, None)
        if isinstance(held, ir.Array) and ops.WRITTEN_ARRAYS in self.spec.facts.stored:
            return ir.reference_to_array(held)
        return held

    def _slot_of_adjoint(
        self, reads: Any, slot: tuple[ir.Operand, ...], name: str
    ) -> ir.Operand:
        """What stands in the adjoint of a list before that changes."""
        held = self._kind_of_items(name) or ir.UNKNOWN
        if ir.is_of_references(held):
            held = ir.adjoint_kind(held)
        elif ir.is_real_number_kind(held):
            held = ir.tangent_kind(held)
        if reads is ops.stored_items:
            held = ir.List(held, ir.Axis("any", self.spec.fresh_owner("items")))
        return self._noted("old.bar", ir.Apply(reads, slot), held)

    def _noted(self, hint: str, value: ir.Apply, kind: ir.Kind) -> ir.Var:
        """A variable for what is known of an adjoint beside a line of the function."""
        target = self.spec.fresh(hint)
        self.function.kinds[target.name] = kind  # type: ignore[index]
        self.spec.emit(ir.Assign(None, target, value, kind, True))
        return target

    def _as_it_was(
        self,
        held: ir.Kind | None,
        old: ir.Operand | None,
        adjoint: ir.Operand,
        place: ir.Operand,
    ) -> ir.Operand:
        """What stands in the adjoint again in the reverse sweep: the references that
        stood there, or zeros."""
        if ir.is_of_references(held):
            return old or ir.Const(None)
        if old is not None and isinstance(self.kind(str(old)), ir.List):
            zeros, kind = ir.Apply(ops.zero_items, (old,)), self.kind(str(old))
        elif isinstance(held, ir.Array):
            if old is None:
                kind = ir.tangent_kind(held)
                read = ir.Apply(ops.stored_item, (adjoint, place))
                old = self.spec.assign(self.spec.fresh("old"), read, kind).operand
            zeros, kind = ir.Apply(np.zeros_like, (old,)), ir.tangent_kind(held)
        else:
            real = held is not None and ir.is_real_number_kind(held)
            return ir.Const(0.0 if real else None)
        return self.spec.assign(self.spec.fresh("zeros"), zeros, kind).operand

    def _taken_from_slot(self, statement: ir.Effect) -> ir.Block:
        store = statement.value
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
            if not self._is_first(statement):
                self.spec.emit(ir.Effect(self.spec.span, zero))
            if part is not None:
                assert isinstance(content, ir.Var)
                self.contribute(content, part, Masked.NO)
        return tuple(lines)

    def _adjoint_of(self, operand: ir.Operand) -> ir.Operand:
        """The adjoint of an operand that is a reference; others as they are."""
        if isinstance(operand, ir.Var) and ir.is_of_references(self.kind(operand.name)):
            kind = self.kind(operand.name)
            if isinstance(kind, ir.Reference) and kind.is_empty_tuple():
                return ir.Const(())  # beside lists: each of its items gets its part
            if not ir.is_real_number_kind(kind):
                return ir.Const(None)  # nobody adds to what leads to no numbers
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
        if kind is None or not ir.is_of_references(kind):
            return operand
        if operand not in self.bars_of_globals:
            target = self.spec.fresh("adjoint")
            self.function.kinds[target.name] = ir.adjoint_kind(kind)  # type: ignore[index]
            self.bars_of_globals[operand] = target
        return self.bars_of_globals[operand]

    @cached_property
    def bars_of_globals(self) -> dict[ir.Global, ir.Var]:
        """The adjoints of values of the module, made where the sweep starts."""
        return {}
