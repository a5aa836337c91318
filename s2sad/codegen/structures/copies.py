"""The pass that copies an argument into which the derivative stores."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable

from s2sad import ir
from s2sad.codegen.structures.passes import Pass, has_a_name, is_dict, is_object
from s2sad.codegen.structures.records import adjoint_class


class Copies(Pass):
    """Copies all objects and what leads to them, and lists and dicts where the program
    stores into items; what else is there is shared::

    def copy_of_masses(masses):
        made = {}
        bar = made[id(masses)] = []
        for part in masses:
            bar_2 = made.get(id(part))
            if bar_2 is None:
                bar_2 = made[id(part)] = object.__new__(type(part))
                bar_2.x = part.x
                bar_2.name = part.name
            bar.append(bar_2)
        return bar
    """

    summary = "A copy of %s, which may be changed."

    def __init__(
        self, kind: ir.Reference, root: str, for_file: bool, items: bool = False
    ) -> None:
        """With ``items`` lists and dicts may be changed, too."""
        super().__init__(kind, root, for_file)
        self.changed = (list, dict, deque) if items else ()

    def is_changed(self, form: ir.Form) -> bool:
        """True for what is copied for itself, and not for what it leads to alone."""
        return is_object(form) or issubclass(form.constructor, self.changed)

    def is_of(self, part: str, form: ir.Form) -> str:
        if has_a_name(form) and self.for_file:
            return f"type({part}).__name__ == {form.constructor.__name__!r}"
        return f"type({part}) is {self.constant(form.constructor)}"

    def made_of(self, part: str, kind: ir.Kind | None) -> str:
        return self.reference(part, kind) if isinstance(kind, ir.Reference) else part

    def known(self, part: str, form: ir.Form) -> str:
        if not any(map(self.is_changed, ir.reached_forms(ir.Reference((form,))))):
            return part
        if not issubclass(form.constructor, tuple):
            return self.anew(part, form)
        items = self.items(part, form)
        if hasattr(form.constructor, "_fields"):
            return f"type({part})._make({items})"
        return f"tuple({items})"

    def empty(self, part: str, form: ir.Form) -> str:
        if is_object(form):
            return f"object.__new__(type({part}))"
        if form.constructor is deque:
            return f"type({part})(maxlen={part}.maxlen)"
        if is_dict(form) and form.optional:
            return f"dict.fromkeys({part})"  # which has them in its own order
        if form.constructor in (dict, list):
            return "{}" if is_dict(form) else "[]"
        return f"{part}.copy()"  # a dict that has an order or a default of its own

    def stored(self, form: ir.Form, whole: str, place: str, text: str) -> str:
        plain = adjoint_class(form, self.for_file) is form.constructor
        if is_object(form) and not plain:  # no code of the class runs
            return f"object.__setattr__({whole}, {place[1:]!r}, {text})"
        return f"{whole}{place} = {text}"


def kind_of_several(kinds: dict[Hashable, ir.Kind]) -> ir.Reference:
    """The kind of a tuple of references."""
    return ir.Reference((ir.Form(tuple, tuple(kinds), kinds),))
