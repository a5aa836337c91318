"""The pass that turns an adjoint that nothing else reads into the gradient."""

from __future__ import annotations

from s2sad import ir
from s2sad.codegen.structures.passes import (
    Pass,
    holds_objects_alone,
    is_dict,
    is_flat,
    is_object,
)
from s2sad.codegen.structures.records import (
    adjoint_class,
    becomes_its_own,
    is_adjoint_of,
)
from s2sad.ops.runtime.structures import OF, bare


class Gradients(Pass):
    """Adjoints become what the user gets: objects and lists where they are, tuples, and
    what has slots, anew. What leads to none of those, and to no records, is left::

    def as_springs(springs_bar):
        springs_bar[:] = map(tuple, springs_bar)
        return springs_bar
    """

    summary = "The gradient that %s is, which becomes it."

    def is_of(self, part: str, form: ir.Form) -> str:
        return is_adjoint_of(part, form, self)

    def made_of(self, part: str, kind: ir.Kind | None) -> str:
        if isinstance(kind, ir.Reference):
            if all(map(self._is_users, ir.reached_forms(kind))):
                return part
            return self.reference(part, kind)
        return part if _is_real(kind) else "None"

    def known(self, part: str, form: ir.Form) -> str:
        cls = form.constructor
        if issubclass(cls, tuple):
            if cls is tuple and all(map(_is_real, map(form.slots.get, form.keys))):
                return f"tuple({part})"
            items = self.items(part, form)
            if cls is not tuple:
                return f"{self.constant(cls)}._make({items})"
            if form.is_uniform:
                return f"tuple({items})"
            comma = "," if len(form.keys) == 1 else ""
            return f"({items[1:-1]}{comma})"
        if not self._stays(form):
            return self.anew(part, form)
        if is_flat(form):
            if is_object(form) and not self._is_users(form):
                record = self.constant(adjoint_class(form, self.for_file))
                self.line(f"if type({part}) is {record}:")
                with self.deeper():  # another store would run the user's code
                    self._adopt(form, part)
        elif part == self.root and holds_objects_alone(form):
            self._settle(form, part)
        else:
            self.line(f"if id({part}) not in made:")
            with self.deeper():
                self.line(f"made[id({part})] = {part}")
                if holds_objects_alone(form):
                    self._settle(form, part)
                else:
                    self.wait(form, part)
        return part

    def _stays(self, form: ir.Form) -> bool:
        """True for what becomes the user's where it is."""
        cls = form.constructor
        if not is_object(form):
            return cls in (list, dict)
        return self.for_file or becomes_its_own(cls)

    def _is_users(self, form: ir.Form) -> bool:
        """True for what has been made as the user's."""
        if not is_object(form):
            return form.constructor in (list, dict)
        return adjoint_class(form, self.for_file) is form.constructor

    def _adopt(self, form: ir.Form, part: str) -> None:
        """The line that gives an object the user's class."""
        cls = f"vars({part}).pop({OF!r})"
        if not self.for_file:
            cls = self.constant(form.constructor)
        self.line(f"{part}.__class__ = {cls}")

    def complete(self, form: ir.Form) -> None:
        if not self._stays(form):
            super().complete(form)
            return
        self._settle(form, "item")
        if is_object(form) and not self._is_users(form):
            self._adopt(form, "item")

    def _settle(self, form: ir.Form, item: str) -> None:
        """Let what an object, list or dict holds become the user's."""
        if not form.is_uniform:
            for name in form.keys:
                self.fill_slot(form, item, item, name, own=True)
            return
        part, key = self.fresh("part"), self.fresh("key")
        with self.aside() as lines:
            text = self.made_of(part, form.slots.get(ir.EACH))
        if is_dict(form) and text != part:
            self.line(f"for {key}, {part} in {item}.items():")
            self.lines += lines
            self.lines.append("    " * (self.depth + 1) + f"{item}[{key}] = {text}")
        elif lines and text != part:
            self.line(f"for {key}, {part} in enumerate({item}):")
            self.lines += lines
            self.lines.append("    " * (self.depth + 1) + f"{item}[{key}] = {text}")
        elif text == f"tuple({part})":
            self.line(f"{item}[:] = map(tuple, {item})")
        elif text != part:
            self.line(f"{item}[:] = [{text} for {part} in {item}]")
        elif lines:
            values = f"{item}.values()" if is_dict(form) else item
            self.line(f"for {part} in {values}:")
            self.lines += lines

    def empty(self, part: str, form: ir.Form) -> str:
        cls = self.constant(form.constructor)
        return f"{self.constant(bare)}({cls})" if is_object(form) else f"{cls}()"

    def stored(self, form: ir.Form, whole: str, place: str, text: str) -> str:
        cls, name = form.constructor, place[1:]
        if not is_object(form):
            return super().stored(form, whole, place, text)
        if cls.__setattr__ is object.__setattr__ and not isinstance(
            getattr(cls, name, None), property
        ):
            return super().stored(form, whole, place, text)
        return f"object.__setattr__({whole}, {name!r}, {text})"


def _is_real(kind: ir.Kind | None) -> bool:
    """True for numbers and arrays that have a gradient."""
    return kind is not None and ir.is_real_number_kind(kind)
