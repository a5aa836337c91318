"""The pass that gives zeros for the adjoint of a structure."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable

import numpy as np

from s2sad import ir
from s2sad.codegen.structures.passes import (
    Pass,
    has_a_name,
    is_dict,
    is_object,
    may_be_no_number,
)
from s2sad.codegen.structures.records import (
    adjoint_class,
    class_of_items,
    is_adjoint_of,
)
from s2sad.ops.runtime.structures import NoNumber, zeros_of_structure


def _zero_of(kind: ir.Kind | None) -> str | None:
    """The text of what a slot starts with, where that is known by its kind."""
    if isinstance(kind, ir.Reference):
        return None
    if isinstance(kind, ir.Array):
        return None if ir.is_real_number_kind(kind) else "None"
    if isinstance(kind, ir.Unknown) and kind.present is not None:
        return None if ir.is_real_number_kind(kind.present) else "None"
    return "0.0" if kind is not None and ir.is_real_number_kind(kind) else "None"


class Zeros(Pass):
    """Beside each value that is kept its adjoint, with zeros::

    def zeros_of_springs(springs):
        made = {}
        bar = made[id(springs)] = []
        for part in springs:
            bar_2 = made.get(id(part))
            if bar_2 is None:
                bar_2 = made[id(part)] = object.__new__(Spring)
                bar_2.k = 0.0
                bar_2.rest = 0.0
            bar.append(bar_2)
        return bar
    """

    summary = "Zeros for the adjoint of %s."

    def otherwise(self, part: str) -> str:
        return "None"

    def is_of(self, part: str, form: ir.Form) -> str:
        if self.kind.adjoint:
            return is_adjoint_of(part, form, self)
        if has_a_name(form) and self.for_file:
            return f"type({part}).__name__ == {form.constructor.__name__!r}"
        return f"type({part}) is {self.constant(form.constructor)}"

    def made_of(self, part: str, kind: ir.Kind | None) -> str:
        zero = _zero_of(kind)
        if zero is not None:
            return zero
        if isinstance(kind, ir.Reference):
            return self.reference(part, kind)
        if isinstance(kind, ir.Array) and not kind.promoted:
            return f"np.zeros_like({part})"
        if isinstance(kind, ir.Unknown) and not isinstance(kind.present, ir.Array):
            return "0.0"  # what isn't there gets nothing
        return f"{self.constant(zeros_of_structure)}({part})"

    def made_in(self, part: str, form: ir.Form, key: Hashable) -> str:
        if not may_be_no_number(form, key):
            return super().made_in(part, form, key)
        none = f"{self.constant(NoNumber)}()"
        zero = self.made_of(part, form.slots[key])
        if np.ndarray in form.types[key]:
            zero = f"np.zeros_like({part})"
        if int not in form.types[key]:
            return f"{none} if {part} is None else {zero}"
        return f"{zero} if isinstance({part}, (float, np.floating)) else {none}"

    def _zero_of_items(self, form: ir.Form) -> str | None:
        """The text of what each item of a container starts with, where that is known by
        its kind."""
        if may_be_no_number(form, ir.EACH):
            return None
        return _zero_of(form.slots.get(ir.EACH))

    def known(self, part: str, form: ir.Form) -> str:
        if not issubclass(form.constructor, tuple):
            return self.anew(part, form)
        zero = self._zero_of_items(form)
        alike = form.is_uniform and zero is not None
        items = f"[{zero}] * len({part})" if alike else self.items(part, form)
        if hasattr(form.constructor, "_fields"):
            of = f"type({part}), " if self.for_file else ""
            cls = self.constant(class_of_items(form, self.for_file))
            return f"{cls}({of}{items})"
        return items

    def empty(self, part: str, form: ir.Form) -> str:
        if is_object(form):
            cls, of = adjoint_class(form, self.for_file), form.constructor
            own = f"type({part})" if self.for_file else self.constant(of)
            if cls is of:
                return f"object.__new__({own})"
            return f"{self.constant(cls)}({own if self.for_file else ''})"
        if form.constructor is deque:
            made_by = f"type({part})" if self.for_file else self.constant(deque)
            return f"{made_by}(maxlen={part}.maxlen)"
        return "{}" if is_dict(form) else "[]"

    def fill(self, form: ir.Form, item: str, whole: str) -> None:
        zero = self._zero_of_items(form)
        if not form.is_uniform or zero is None:
            super().fill(form, item, whole)
        elif is_dict(form):
            self.line(f"{whole}.update(dict.fromkeys({item}, {zero}))")
        else:
            self.line(f"{whole} += [{zero}] * len({item})")
