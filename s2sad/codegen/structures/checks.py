"""The pass that checks a structure, where none makes zeros for it."""

from s2sad import ir
from s2sad.codegen.structures import passes, tested


class Checks(tested.Tested):
    """Tests the classes of what a structure leads to, each object once::

    def check_springs(springs):
        if type(springs) is not list:
            raise TypeError("springs must be a list")
        for part in springs:
            if type(part).__name__ != "Spring":
                raise TypeError("an item of springs must be a Spring")
            if type(part.k) not in (float, np.float64):
                raise TypeError("Spring.k must be a float")
    """

    summary = "Raise TypeError where %s isn't what the derivatives are made for."

    def __init__(self, kind: ir.Reference, root: str, for_file: bool) -> None:
        super().__init__(kind, root, for_file)
        self.in_themselves = tested.tuples_in_themselves(kind)

    def made_of(self, part: str, kind: ir.Kind | None) -> str:
        if isinstance(kind, ir.Reference):
            self.reference(part, kind)
        return ""

    def is_of(self, part: str, form: ir.Form) -> str:
        test = self.is_not(part, form)
        told = self.is_told(part, form)
        return told or test.replace(" is not ", " is ").replace("!=", "==")

    def known(self, part: str, form: ir.Form) -> str:
        """What a value holds: at once, or later, once, where it leads to others."""
        by_value = (
            issubclass(form.constructor, tuple) and form not in self.in_themselves
        )
        if passes.is_flat(form) or by_value or part == self.root:
            self._go_over(part, form)
            return part
        key = self.key(part, form)
        self.line(f"if {key} not in made:")
        with self.deeper():
            self.line(f"made[{key}] = {part}")
            if passes.holds_objects_alone(form):
                self._go_over(part, form)
            else:
                self.wait(form, part)
        return part

    def complete(self, form: ir.Form) -> None:
        self._go_over("item", form)

    def _go_over(self, item: str, form: ir.Form) -> None:
        what = self.what(item, form)
        self.look_at(item, form)
        if isinstance(form.key, ir.Reference) and self.for_file:
            name = self.fresh("key")
            self.met[name] = f"a key of {what}", None
            self.line(f"for {name} in {item}:")
            with self.deeper():
                self.reference(name, form.key)
        if form.is_uniform:
            part = self.fresh("part")
            with self.aside() as lines:
                self.meet(part, form, ir.EACH, item)
                self.made_of(part, form.slots.get(ir.EACH))
            if lines:
                values = f"{item}.values()" if passes.is_dict(form) else item
                self.line(f"for {part} in {values}:")
                self.lines += lines
            return
        if issubclass(form.constructor, tuple):
            self.of_items(item, form)
            return
        for key in form.keys:
            slot, part = form.slots.get(key), passes.slot_of(item, form, key)
            with self.where_held(item, form, key):
                if isinstance(slot, ir.Reference):
                    name = self.fresh("part")
                    self.line(f"{name} = {part}")
                    part = name
                self.meet(part, form, key, item)
                self.made_of(part, slot)
