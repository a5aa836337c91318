"""Run-time values in forward mode: the tangent of a reference is a reference.

Beside each line that gives a reference stands the same line for its tangent, a
structure of the same form; the tangent of a number that is read is read there::

    s = read_item(springs, k)        s.dot = read_item(springs.dot, k)
    x = read_attribute(s, 'k')       x.dot = read_attribute(s.dot, 'k')

In a gradient, adjoints have tangents in the same way, and what is added to them is
followed by its tangent::

    add_to_attribute(s.bar, 'k', v)  add_to_attribute(s.bar.dot, 'k', v.dot)
"""

from dataclasses import replace

import numpy as np

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.ops.runtime import structures
from s2sad.transform.forward.forward_state import ForwardState
from s2sad.transform.programs.primal_programs import is_procedure_call
from s2sad.transform.run_time.zeros import zeros_of


class ReferencePushes(ForwardState):
    """Emits the lines of tangents of references, and of what is read from them."""

    def reference_push(self, s: ir.Assign) -> bool:
        """Emit a line that gives a reference or reads from one, and that of its
        tangent. False for other lines."""
        if not isinstance(s.target, ir.Var) or is_procedure_call(s.value):
            return False
        name = s.target.name
        kind = s.kind or self.kind(name)
        reads = isinstance(s.value, ir.Apply) and (
            s.value.function in ops.READS_OF_REFERENCES
        )
        if not (reads or ir.is_of_references(self.kind(name))):
            return False
        behind = ir.is_line(s, structures.working_copy) and any(
            form.from_class for form in ir.reached_forms(kind)
        )
        with self.spec.new_block() as lines:
            value = self._tangent_line(s.value, kind)
            if behind and isinstance(value, ir.Apply):
                # the copy has itself what the argument has in its class alone
                value = replace(value, args=(s.target, *value.args[1:]))
            own = ir.is_of_references(kind) or (not reads and kind == ir.NONE)
            own |= isinstance(kind, ir.List) and kind.item is None  # nothing so far
            self.dot_kinds[name] = tangent = kind if own else ir.tangent_kind(kind)
            self.spec.assign(self.dot(name), value, tangent)
        overwritten = not behind and name in ir.names_read_in(lines)
        for line in (*lines, s) if overwritten else (s, *lines):
            self.spec.emit(line)
        return True

    def _tangent_line(
        self, value: ir.Apply | ir.Operand, kind: ir.Kind
    ) -> ir.Apply | ir.Operand:
        if not isinstance(value, ir.Apply):
            return self.tangent_of_reference(value)
        if value.function is structures.zeros_of_structure:
            return value
        if value.function is structures.working_copy:
            (whole,) = value.args
            words = tuple(word for word in value.keywords if word[0] == "arrays")
            operands = (whole, self.tangent_of_reference(whole))
            return ir.Apply(structures.tangent_copy, operands, words)
        if value.function in ops.MAKES_OBJECTS:
            cls, names, *values = value.args
            assert isinstance(names, ir.Const)
            slots = tuple(
                self._tangent_in_slot(value, ir.kind_held(kind, slot))
                for slot, value in zip(names.value, values, strict=True)
            )
            assert isinstance(cls, ir.Const)
            later = ops.slots_filled_later(kind, cls.value, names.value)
            names = ir.Const((*names.value, *later))
            slots += tuple(map(ir.Const, later.values()))
            return ir.Apply(ops.make_adjoint, (cls, names, *slots))
        if value.function is ops.kept_value:
            kind = core.kind_of(self.value(value.args[0]))
            if not ir.is_real_number_kind(kind):  # a number on other paths
                return replace(value, args=(ir.Const(0.0),))
        if value.function is ops.module_array:
            value = replace(value, function=ops.kept_array)
        if value.function in (ops.kept_list, ops.kept_array, ops.kept_value):
            return replace(value, args=(self._tangent_in_slot(value.args[0]),))
        if self._reads_constant_number(value, kind):
            return ir.Const(0.0)
        if value.function is structures.as_structure:
            whole, adjoint = value.args
            return replace(value, args=(whole, self.tangent_of_reference(adjoint)))
        return ops.with_holders(value, self.tangent_of_reference)

    def _reads_constant_number(self, value: ir.Apply, kind: ir.Kind) -> bool:
        """True for a number that is read from what doesn't vary, and is a number that
        varies on other paths."""
        if value.function not in ops.READS_OF_REFERENCES:
            return False
        holder = value.args[0]
        varies = isinstance(holder, ir.Var) and holder.name in self.active
        is_number = isinstance(kind, ir.Scalar | ir.NumPyScalar)
        return is_number and ir.is_real_number_kind(kind) and not varies

    def tangent_of_reference(self, operand: ir.Operand) -> ir.Operand:
        """The tangent of an operand that is a reference; others as they are."""
        if isinstance(operand, ir.Pack):
            items = tuple(map(self.tangent_of_reference, operand.items))
            return replace(operand, items=items)
        kind = core.kind_of(self.value(operand))
        if not ir.is_of_references(kind):
            return operand
        if isinstance(operand, ir.Var) and operand.name in self.active:
            return self.dot(operand.name)
        return self.zero_structure(operand, kind)

    def zero_structure(self, operand: ir.Operand, kind: ir.Kind) -> ir.Operand:
        """The tangent of a reference that doesn't vary."""
        zeros = zeros_of(self.spec, operand)
        return self.spec.assign(self.spec.fresh("zeros"), zeros, kind).operand

    def reference_effect(self, s: ir.Effect) -> None:
        """Emit what is stored into a slot or added to an adjoint, and its tangent."""
        self.spec.emit(s)
        if s.value.function in ops.STORES_INTO_SLOTS:
            return self._stored_tangent(s)
        if s.value.function not in ops.ADDS_TO_ADJOINTS:
            return
        adjoint, *keys, amount = s.value.args
        if not (isinstance(adjoint, ir.Var) and adjoint.name in self.active):
            return
        if isinstance(amount, ir.Var) and amount.name in self.active:
            tangent = self.tangent_of(amount).operand
            added = replace(s.value, args=(self.dot(adjoint.name), *keys, tangent))
            self.spec.emit(replace(s, value=added))

    def _stored_tangent(self, s: ir.Effect) -> None:
        holder, key, *stored = s.value.args
        if not (isinstance(holder, ir.Var) and holder.name in self.active):
            return
        if s.value.function in ops.STORES_INTO_ARRAYS:
            return self._written_tangent(s, s.value)
        known = key.value if isinstance(key, ir.Const) else None
        held = ir.kind_held(self.kind(holder.name), known)
        tangents = [self._tangent_in_slot(value, held) for value in stored]
        resizes = s.value.function in ops.RESIZES
        if not resizes and ir.Const(None) in tangents and ir.Const(None) not in stored:
            return  # such a slot has no tangent
        args = (self.dot(holder.name), key, *tangents)
        self.spec.emit(replace(s, value=replace(s.value, args=args)))

    def _written_tangent(self, s: ir.Effect, store: ir.Apply) -> None:
        """What is written into the tangent of an array beside it."""
        holder, index, value = store.args
        tangent: ir.Operand = ir.Const(0.0)
        if isinstance(value, ir.Var) and value.name in self.active:
            tangent = self.tangent_of(value).operand
        elif store.function is ops.increase_part:
            return
        assert isinstance(holder, ir.Var)
        written = replace(store, args=(self.dot(holder.name), index, tangent))
        self.spec.emit(replace(s, value=written))

    def _tangent_in_slot(
        self, content: ir.Operand, held: ir.Kind | None = None
    ) -> ir.Operand:
        """What stands in the tangent of a structure where this stands in the structure:
        None where there is none, and 0.0 for None where numbers are held."""
        kind = core.kind_of(self.value(content))
        if ir.is_of_references(kind):
            return self.tangent_of_reference(content)
        if isinstance(kind, ir.List):
            if isinstance(content, ir.Var) and content.name in self.active:
                return self.tangent_of(content).operand
            zeros = ir.Apply(ops.zero_items, (content,))
            return self.spec.assign(self.spec.fresh("zeros"), zeros, kind).operand
        if kind == ir.NONE and ir.is_optional_number(held):
            return ir.Const(0.0)
        if not ir.is_real_number_kind(kind):
            return ir.Const(None)
        if isinstance(content, ir.Var) and content.name in self.active:
            if not isinstance(kind, ir.Array):
                return self.tangent_of(content).operand
            if not self._are_zeros(content):
                return self.filled_tangent(content).operand
        if not isinstance(kind, ir.Array):
            return ir.Const(0.0)
        zeros = ir.Apply(np.zeros_like, (content,))
        return self.spec.assign(self.spec.fresh("zeros"), zeros, kind).operand

    def _are_zeros(self, content: ir.Operand) -> bool:
        """True for zeros made for an adjoint, to which something will be added."""
        made = self.definitions.get(getattr(content, "name", ""), [])
        return bool(made) and all(ir.is_line(line, np.zeros_like) for line in made)

    def returned_reference(self, whole: ir.Var | ir.Global) -> ir.Operand:
        """The tangent of a reference that is returned, in the classes of the value."""
        tangent = self.tangent_of_reference(whole)
        made = self.definitions.get(getattr(whole, "name", ""), [])
        if made and all(
            isinstance(line.value, ir.Apply)
            and line.value.function is structures.as_structure
            for line in made
        ):
            return tangent
        kind = core.kind_of(self.value(whole)).gradient_kind()
        structure = ir.Apply(structures.as_structure, (whole, tangent))
        return self.spec.assign(self.spec.fresh("tangent"), structure, kind).operand
