"""The pass that gives zeros for the adjoint of a structure."""

from collections import deque
from collections.abc import Hashable

import numpy as np

from s2sad import ir
from s2sad.codegen.structures import passes, records
from s2sad.codegen.structures.tested import (
    Tested,
    has_numbers_beside_arrays,
    is_looked_into,
    tuples_in_themselves,
)
from s2sad.ops.runtime.structures import (
    NoNumber,
    ValueAdjoint,
    zeros_of_structure,
    zeros_once,
)


def _zero_of(kind: ir.Kind | None) -> str | None:
    """The text of what a slot starts with, where that is known by its kind."""
    if isinstance(kind, ir.Reference):
        return None
    if isinstance(kind, ir.Array):
        return None if ir.is_real_number_kind(kind) else "None"
    if isinstance(kind, ir.Unknown) and kind.present is not None:
        return None if ir.is_real_number_kind(kind.present) else "None"
    return "0.0" if kind is not None and ir.is_real_number_kind(kind) else "None"


class Zeros(Tested):
    """Beside each value that is kept its adjoint, with zeros; or also the check, where
    nobody has looked at the value::

    def zeros_of_springs(springs):
        made = {}
        bar = made[id(springs)] = []
        for part in springs:
            key = id(part)
            if key in made:
                bar_2 = made[key]
            else:
                bar_2 = made[key] = object.__new__(Spring)
                bar_2.k = 0.0
                bar_2.rest = 0.0
            bar.append(bar_2)
        return bar
    """

    summary = "Zeros for the adjoint of %s."
    tested = False

    def __init__(
        self, kind: ir.Reference, root: str, for_file: bool, arrays: bool = False
    ) -> None:
        """With ``arrays`` one that stands in several places has one adjoint."""
        super().__init__(kind, root, for_file)
        self.arrays = arrays
        self.in_themselves = tuples_in_themselves(kind)

    def otherwise(self, part: str) -> str:
        return "None"

    def is_of(self, part: str, form: ir.Form) -> str:
        if self.kind.adjoint:
            return records.is_adjoint_of(part, form, self)
        told = self.is_told(part, form)
        if told:
            return told
        if passes.has_a_name(form) and self.for_file:
            return f"type({part}).__name__ == {form.constructor.__name__!r}"
        return f"type({part}) is {self.constant(form.constructor)}"

    def made_of(self, part: str, kind: ir.Kind | None) -> str:
        zero = _zero_of(kind)
        if zero is not None:
            return zero
        if isinstance(kind, ir.Reference):
            return self.reference(part, kind)
        if isinstance(kind, ir.Array) and not kind.promoted:
            if self.arrays:
                return f"{self.constant(zeros_once)}({part}, made)"
            return f"np.zeros_like({part})"
        if isinstance(kind, ir.Unknown) and not isinstance(kind.present, ir.Array):
            return "0.0"  # what isn't there gets nothing
        return f"{self.constant(zeros_of_structure)}({part})"

    def made_in(self, part: str, form: ir.Form, key: Hashable) -> str:
        if self.for_file and has_numbers_beside_arrays(form, key):
            return f"np.zeros_like({part}) if isinstance({part}, np.ndarray) else 0.0"
        if not ir.may_be_no_number(form, key):
            return super().made_in(part, form, key)
        none = f"{self.constant(NoNumber)}()"
        zero = self.made_of(part, form.slots[key])
        if not self.for_file and zero == "0.0":
            return zero  # into which may be stored
        if np.ndarray in form.types[key]:
            zero = f"np.zeros_like({part})"
        if int not in form.types[key]:
            return f"{none} if {part} is None else {zero}"
        return f"{zero} if isinstance({part}, (float, np.floating)) else {none}"

    def value(self, part: str, form: ir.Form) -> str:
        cls = records.class_of_value(form)
        if cls is None:
            return "None"
        part = super().value(part, form)
        zero = self.made_of(part, form.slots[ir.ITSELF])
        return f"{self.constant(cls)}({zero if cls is ValueAdjoint else ''})"

    def known(self, part: str, form: ir.Form) -> str:
        if not issubclass(form.constructor, tuple):
            return self.anew(part, form)
        if form in self.in_themselves:
            target = self.fresh("bar")
            self.line(f"{target} = {self._empty_tuple(part, form)}")
            self.wait(form, part, target)
            return target
        items = self.items(part, form)
        if hasattr(form.constructor, "_fields"):
            of = f"type({part}), " if self.for_file else ""
            cls = self.constant(records.class_of_items(form, self.for_file))
            return f"{cls}({of}{items})"
        return items

    def _empty_tuple(self, part: str, form: ir.Form) -> str:
        """The adjoint of a tuple, which is filled later."""
        items = "[]" if form.is_uniform else f"[None] * {len(form.keys)}"
        if not hasattr(form.constructor, "_fields"):
            return items
        of = f"type({part}), " if self.for_file else ""
        cls = self.constant(records.class_of_items(form, self.for_file))
        return f"{cls}({of}{items})"

    def empty(self, part: str, form: ir.Form) -> str:
        if passes.is_object(form):
            cls, of = records.adjoint_class(form, self.for_file), form.constructor
            own = f"type({part})" if self.for_file else self.constant(of)
            if cls is of:
                return passes.bare_object(form, own)
            return f"{self.constant(cls)}({own if self.for_file else ''})"
        if form.constructor is deque:
            made_by = f"type({part})" if self.for_file else self.constant(deque)
            return f"{made_by}(maxlen={part}.maxlen)"
        if passes.is_dict(form) and form.optional:
            return f"dict.fromkeys({part})"  # which has them in its own order
        return "{}" if passes.is_dict(form) else "[]"

    def items(self, part: str, form: ir.Form) -> str:
        return self._alike(part, form) or super().items(part, form)

    def whole(self, part: str, form: ir.Form) -> str | None:
        if form.constructor is deque:
            return None
        return self._alike(part, form) or super().whole(part, form)

    def fill(self, form: ir.Form, item: str, whole: str) -> None:
        alike = None if passes.is_dict(form) else self._alike(item, form)
        if alike is None:
            super().fill(form, item, whole)
        else:
            self.line(f"{whole} += {alike}")

    def _alike(self, part: str, form: ir.Form) -> str | None:
        """The text of a container of which all numbers start alike."""
        zero = _zero_of(form.slots.get(ir.EACH))
        if zero is None or not form.is_uniform or ir.may_be_no_number(form, ir.EACH):
            return None
        if self.tested and is_looked_into(form.slots.get(ir.EACH)):
            return None
        self.look_at(part, form)
        if passes.is_dict(form):
            return f"dict.fromkeys({part}, {zero})"
        return f"[{zero}] * len({part})"
