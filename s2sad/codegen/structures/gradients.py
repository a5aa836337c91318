"""The pass that turns an adjoint that nothing else reads into the gradient."""

from collections import deque
from collections.abc import Hashable

from s2sad import ir
from s2sad.codegen.structures import passes, records
from s2sad.ops.runtime.structures import OF, NoNumber, bare


class Gradients(passes.Pass):
    """Adjoints become what the user gets: objects and lists where they are, tuples, and
    what has slots, anew. What leads to none of those, and to no records, is left::

    def as_springs(springs_bar):
        springs_bar[:] = map(tuple, springs_bar)
        return springs_bar
    """

    summary = "The gradient that %s is, which becomes it."

    def is_of(self, part: str, form: ir.Form) -> str:
        return records.is_adjoint_of(part, form, self)

    def made_of(self, part: str, kind: ir.Kind | None) -> str:
        if isinstance(kind, ir.Reference):
            if all(map(self._is_users, ir.reached_forms(kind))):
                return part
            return self.reference(part, kind)
        return part if _is_real(kind) else "None"

    def made_in(self, part: str, form: ir.Form, key: Hashable) -> str:
        if not ir.may_be_no_number(form, key):
            return super().made_in(part, form, key)
        return f"None if type({part}) is {self.constant(NoNumber)} else {part}"

    def value(self, part: str, form: ir.Form) -> str:
        slot = form.slots[ir.ITSELF]
        return f"{part}.{ir.ITSELF}" if ir.is_real_number_kind(slot) else "None"

    def known(self, part: str, form: ir.Form) -> str:
        cls = form.constructor
        if issubclass(cls, tuple):
            if cls is tuple and all(_stays_in(form, key) for key in form.keys):
                return f"tuple({part})"
            items = self.items(part, form)
            if cls is not tuple:
                of = f"{part}.{OF}" if self.for_file else self.constant(cls)
                return f"{of}._make({items})"
            if form.is_uniform:
                return f"tuple({items})"
            comma = "," if len(form.keys) == 1 else ""
            return f"({items[1:-1]}{comma})"
        if not self._stays(form):
            return self.anew(part, form)
        if passes.is_flat(form):
            if self._is_record(form):
                record = self.constant(records.adjoint_class(form, self.for_file))
                self.line(f"if type({part}) is {record}:")
                with self.deeper():  # another store would run the user's code
                    self._settle_numbers(form, part)
                    self._adopt(form, part)
            else:
                self._settle_numbers(form, part)
        elif part == self.root and passes.holds_objects_alone(form):
            self._settle(form, part)
        else:
            self.line(f"if id({part}) not in made:")
            with self.deeper():
                self.line(f"made[id({part})] = {part}")
                if passes.holds_objects_alone(form):
                    self._settle(form, part)
                else:
                    self.wait(form, part)
        return part

    def _stays(self, form: ir.Form) -> bool:
        """True for what becomes the user's where it is."""
        cls = form.constructor
        if not passes.is_object(form):
            return cls in (list, dict, deque)
        if self.for_file:
            return not (self._is_record(form) and records.has_slots(form))
        return records.becomes_its_own(cls)

    def _is_users(self, form: ir.Form) -> bool:
        """True for what has been made as the user's."""
        if _has_more(form):
            return False
        if not passes.is_object(form):
            return form.constructor in (list, dict, deque)
        return not self._is_record(form)

    def _is_record(self, form: ir.Form) -> bool:
        """True for an object that hasn't the user's class yet."""
        cls = form.constructor
        return (
            passes.is_object(form)
            and records.adjoint_class(form, self.for_file) is not cls
        )

    def _settle_numbers(self, form: ir.Form, part: str) -> None:
        """Let what a flat object, list or dict has of None and ints be None."""
        if _has_more(form):
            self._settle(form, part)

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
        if self._is_record(form):
            self._adopt(form, "item")

    def _settle(self, form: ir.Form, item: str) -> None:
        """Let what an object, list or dict holds become the user's."""
        if not form.is_uniform:
            for name in form.keys:
                if name in form.from_class:
                    self.line(f"del {item}.{name}")  # the argument had none itself
                    continue
                with self.where_held(item, form, name):
                    self.fill_slot(form, item, item, name, own=True)
            return
        part, key = self.fresh("part"), self.fresh("key")
        with self.aside() as lines:
            text = self.made_in(part, form, ir.EACH)
        if passes.is_dict(form) and text != part:
            self.line(f"for {key}, {part} in {item}.items():")
            self.lines += lines
            self.lines.append("    " * (self.depth + 1) + f"{item}[{key}] = {text}")
        elif text != part and (lines or form.constructor is deque):
            self.line(f"for {key}, {part} in enumerate({item}):")
            self.lines += lines
            self.lines.append("    " * (self.depth + 1) + f"{item}[{key}] = {text}")
        elif text == f"tuple({part})":
            self.line(f"{item}[:] = map(tuple, {item})")
        elif text != part:
            self.line(f"{item}[:] = [{text} for {part} in {item}]")
        elif lines:
            values = f"{item}.values()" if passes.is_dict(form) else item
            self.line(f"for {part} in {values}:")
            self.lines += lines

    def empty(self, part: str, form: ir.Form) -> str:
        if passes.is_object(form) and self.for_file:
            return f"object.__new__({part}.{OF})"
        cls = self.constant(form.constructor)
        return f"{self.constant(bare)}({cls})" if passes.is_object(form) else f"{cls}()"

    def stored(self, form: ir.Form, whole: str, place: str, text: str) -> str:
        cls, name = form.constructor, place[1:]
        if not passes.is_object(form):
            return super().stored(form, whole, place, text)
        plain = cls.__setattr__ is object.__setattr__ and not isinstance(
            getattr(cls, name, None), property
        )
        if plain and not self.for_file:
            return super().stored(form, whole, place, text)
        return f"object.__setattr__({whole}, {name!r}, {text})"


def _stays_in(form: ir.Form, key: Hashable) -> bool:
    """True for a slot of numbers or arrays of which all have a gradient."""
    slot = form.slots.get(key)
    if isinstance(slot, ir.Reference):  # what it leads to may have to become another
        return False
    return _is_real(slot) and not ir.may_be_no_number(form, key)


def _has_more(form: ir.Form) -> bool:
    """True where adjoints have numbers for what has no gradient."""
    missing = any(ir.may_be_no_number(form, key) for key in form.keys)
    return missing or bool(form.from_class)


def _is_real(kind: ir.Kind | None) -> bool:
    """True for numbers and arrays that have a gradient."""
    return kind is not None and ir.is_real_number_kind(kind)
