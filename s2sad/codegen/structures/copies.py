"""The pass that copies an argument into which the derivative stores."""

from collections import deque
from collections.abc import Hashable

from s2sad import ir
from s2sad.codegen.structures import passes, records
from s2sad.codegen.structures.tested import Tested, is_looked_into
from s2sad.ops.runtime.structures import copied_once


class Copies(Tested):
    """Copies all objects and what leads to them, and lists and dicts where the program
    stores into items; what else is there is shared. Or also the check, where nobody has
    looked at the value::

    def copy_of_masses(masses):
        made = {}
        bar = made[id(masses)] = []
        for part in masses:
            key = id(part)
            if key in made:
                bar_2 = made[key]
            else:
                bar_2 = made[key] = object.__new__(Mass)
                bar_2.x = part.x
                bar_2.name = part.name
            bar.append(bar_2)
        return bar
    """

    summary = "A copy of %s, which may be changed."
    tested = False

    def __init__(
        self,
        kind: ir.Reference,
        root: str,
        for_file: bool,
        items: bool = False,
        arrays: bool = False,
        sets: bool = False,
    ) -> None:
        """With ``items`` lists and dicts may be changed, too, and with ``arrays`` and
        ``sets`` these."""
        super().__init__(kind, root, for_file)
        self.changed = (list, dict, deque) if items else ()
        self.copied: tuple[type[ir.Kind], ...] = (ir.Array,) * arrays
        self.copied += (ir.Members,) * sets

    def is_changed(self, form: ir.Form) -> bool:
        """True for what is copied for itself, and not for what it leads to alone."""
        if any(isinstance(slot, self.copied) for slot in form.slots.values()):
            return True
        return passes.is_object(form) or issubclass(form.constructor, self.changed)

    def is_of(self, part: str, form: ir.Form) -> str:
        told = self.is_told(part, form)
        if told:
            return told
        if passes.has_a_name(form) and self.for_file:
            return f"type({part}).__name__ == {form.constructor.__name__!r}"
        return f"type({part}) is {self.constant(form.constructor)}"

    def made_of(self, part: str, kind: ir.Kind | None) -> str:
        if isinstance(kind, self.copied):
            return f"{self.constant(copied_once)}({part}, made)"
        return self.reference(part, kind) if isinstance(kind, ir.Reference) else part

    def value(self, part: str, form: ir.Form) -> str:
        return self.made_of(super().value(part, form), form.slots[ir.ITSELF])

    def is_shared(self, form: ir.Form) -> bool:
        """True for what is not copied, nor looked into."""
        return not any(map(self.is_changed, ir.reached_forms(ir.Reference((form,)))))

    def known(self, part: str, form: ir.Form) -> str:
        if self.is_shared(form):
            return part
        if not issubclass(form.constructor, tuple):
            return self.anew(part, form)
        items = self.items(part, form)
        if hasattr(form.constructor, "_fields"):
            return f"type({part})._make({items})"
        return f"tuple({items})"

    def whole(self, part: str, form: ir.Form) -> str | None:
        copied = any(isinstance(slot, self.copied) for slot in form.slots.values())
        if form.constructor not in (list, dict) or not passes.is_flat(form) or copied:
            return super().whole(part, form)
        if form.is_uniform and self.tested and is_looked_into(form.slots.get(ir.EACH)):
            return None
        self.look_at(part, form)
        for key in () if form.is_uniform else form.keys:
            with self.where_held(part, form, key):
                self.meet(passes.slot_of(part, form, key), form, key, part)
        return f"{part}.copy()"

    def empty(self, part: str, form: ir.Form) -> str:
        if passes.is_object(form):
            own = f"type({part})" if self.for_file else self.constant(form.constructor)
            return passes.bare_object(form, own)
        if form.constructor is deque:
            return f"type({part})(maxlen={part}.maxlen)"
        if passes.is_dict(form) and form.optional:
            return f"dict.fromkeys({part})"  # which has them in its own order
        if form.constructor in (dict, list):
            return "{}" if passes.is_dict(form) else "[]"
        return f"{part}.copy()"  # a dict that has an order or a default of its own

    def stored(self, form: ir.Form, whole: str, place: str, text: str) -> str:
        plain = records.adjoint_class(form, self.for_file) is form.constructor
        if passes.is_object(form) and not plain:  # no code of the class runs
            return f"object.__setattr__({whole}, {place[1:]!r}, {text})"
        return f"{whole}{place} = {text}"


def kind_of_several(kinds: dict[Hashable, ir.Kind]) -> ir.Reference:
    """The kind of a tuple of references."""
    return ir.Reference((ir.Form(tuple, tuple(kinds), kinds),))
