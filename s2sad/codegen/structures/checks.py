"""The pass that checks a structure in a transpiled file, where nobody vouches for the
arguments."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from types import NoneType

from s2sad import ir
from s2sad.codegen.structures.passes import (
    Pass,
    has_a_name,
    is_dict,
    is_flat,
    is_object,
)
from s2sad.codegen.structures.records import has_slots
from s2sad.source.annotations.annotated_forms import classes_of


class Checks(Pass):
    """Tests the classes of what a structure leads to, each object once; those of the
    user by their names, for a file doesn't import them::

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
    path = ""
    """What reads the whole."""

    def made_of(self, part: str, kind: ir.Kind | None) -> str:
        assert isinstance(kind, ir.Reference)
        self._check_reference(part, kind, self.path)
        return ""

    def complete(self, form: ir.Form, todo: str) -> None:
        self.line(f"while {todo}:")
        with self.deeper():
            self.line(f"item = {todo}.pop()")
            self._check_parts("item", form, _called(form))

    def _check_reference(self, part: str, kind: ir.Reference, what: str) -> None:
        branches = [(self._is_not(part, form), form) for form in kind.forms]
        tests = [test for test, _ in branches]
        if kind.may_be_none:
            tests.append(f"{part} is not None")
        named = [_called(form) for form in kind.forms] + ["None"] * kind.may_be_none
        self._refuse(" and ".join(tests), what, " or ".join(named))
        for test, form in branches:
            with self.aside(self.depth + (len(tests) > 1)) as lines:
                self._enter(part, form, what)
            if lines and len(tests) > 1:
                self.line(f"if {test.replace(' is not ', ' is ').replace('!=', '==')}:")
            self.lines += lines

    def _enter(self, part: str, form: ir.Form, what: str) -> None:
        """What a value holds: at once, or later, once, where it leads to others."""
        if is_flat(form) or issubclass(form.constructor, tuple) or part == self.root:
            self._check_parts(part, form, what)
            return
        self.line(f"if id({part}) not in made:")
        with self.deeper():
            self.line(f"made[id({part})] = {part}")
            self.line(f"{self.todo(form)}.append({part})")

    def _check_parts(self, item: str, form: ir.Form, what: str) -> None:
        if is_object(form):
            what = form.constructor.__name__
            names = ", ".join(map(repr, form.keys))
            known = f"{{{names}}}" if names else "set()"
            held = f"vars({item})"
            if has_slots(form):
                held = f"getattr({item}, '__dict__', {{}})"
            test = f"not {held}.keys() <= {known}"
            self._refuse(test, what, f"without attributes but {names}")
        if not form.is_uniform:
            if is_dict(form):
                names = ", ".join(map(str, form.keys))
                test = f"tuple({item}) != {form.keys!r}"
                self._refuse(test, what, f"a dict of {names}")
            elif hasattr(form.constructor, "_fields"):
                names = ", ".join(map(str, form.keys))
                test = f"getattr({item}, '_fields', ()) != {form.keys!r}"
                self._refuse(test, what, f"a named tuple of {names}")
            elif not is_object(form):
                test = f"len({item}) != {len(form.keys)}"
                self._refuse(test, what, f"a tuple of {len(form.keys)}")
            for place, key in enumerate(form.keys):
                at = f"[{place}]" if form.constructor is tuple else f".{key}"
                at = f"[{key!r}]" if is_dict(form) else at
                self._check_slot(f"{item}{at}", form, key, f"{what}{at}")
            return
        if form.key is not None:
            self._check_keys(item, form.key, f"a key of {what}")
        values = f"{item}.values()" if is_dict(form) else item
        what = what if what.startswith("an item of ") else f"an item of {what}"
        slot = form.slots.get(ir.EACH)
        if slot is not None and not _is_looked_into(slot):
            allowed = self._allowed(form, ir.EACH)
            if allowed:
                test = f"not {{{', '.join(allowed)}}}.issuperset(map(type, {values}))"
                self._refuse(test, what, _or(allowed))
            return
        part = self.fresh("part")
        with self.aside() as lines:
            self._check_slot(part, form, ir.EACH, what)
        if lines:
            self.line(f"for {part} in {values}:")
            self.lines += lines

    def _check_keys(self, item: str, kind: ir.Kind, what: str) -> None:
        if not isinstance(kind, ir.Reference):
            allowed = _names_of_classes(classes_of(kind))
            if allowed:
                test = f"not {{{', '.join(allowed)}}}.issuperset(map(type, {item}))"
                self._refuse(test, what, _or(allowed))
            return
        key = self.fresh("key")
        self.line(f"for {key} in {item}:")
        with self.deeper():
            self._check_reference(key, kind, what)

    def _check_slot(self, part: str, form: ir.Form, key: Hashable, what: str) -> None:
        slot = form.slots.get(key)
        if isinstance(slot, ir.Reference):
            name = part
            if not part.isidentifier():
                name = self.fresh("part")
                self.line(f"{name} = {part}")
            self._check_reference(name, slot, what)
            return
        present = getattr(slot, "present", None)
        if isinstance(slot, ir.Array):
            self._refuse(_is_no_array(part, slot), what, _array(slot))
            return
        if isinstance(present, ir.Array):
            test = f"{part} is not None and ({_is_no_array(part, present)})"
            self._refuse(test, what, f"{_array(present)} or None")
            return
        allowed = self._allowed(form, key)
        if len(allowed) == 1:
            self._refuse(f"type({part}) is not {allowed[0]}", what, _or(allowed))
        elif allowed:
            listed = ", ".join(allowed)
            self._refuse(f"type({part}) not in ({listed})", what, _or(allowed))

    def _is_not(self, part: str, form: ir.Form) -> str:
        name = form.constructor.__name__
        if has_a_name(form):
            return f"type({part}).__name__ != {name!r}"
        return f"type({part}) is not {name}"

    def _allowed(self, form: ir.Form, key: Hashable) -> list[str]:
        """The classes that may stand in a slot; none where that makes no difference."""
        return _names_of_classes(form.types.get(key))

    def _refuse(self, test: str, what: str, wanted: str) -> None:
        self.line(f"if {test}:")
        told = f"{what} must be {wanted}"
        self.lines.append("    " * (self.depth + 1) + f"raise TypeError({told!r})")


_ALSO = {float: ("np.float64",), int: ("np.int64",)}
"""NumPy's numbers that stand for Python's."""


def _names_of_classes(classes: Iterable[type] | None) -> list[str]:
    found: list[str] = []
    for cls in classes or ():
        own = "np." if cls.__module__ == "numpy" else ""
        name = "type(None)" if cls is NoneType else f"{own}{cls.__name__}"
        found += [name, *_ALSO.get(cls, ())]
    return sorted(found)


def _is_looked_into(kind: ir.Kind) -> bool:
    """True for what isn't told by its class alone."""
    looked_into = (ir.Reference, ir.Array)
    return isinstance(kind, looked_into) or isinstance(
        getattr(kind, "present", None), looked_into
    )


def _is_no_array(part: str, kind: ir.Array) -> str:
    """The test that is true for anything but an array of a kind."""
    tests = [f"type({part}) is not np.ndarray"]
    if kind.dtype is None:
        tests.append(f"{part}.dtype.kind != 'f'")
    else:
        tests.append(f"{part}.dtype != {kind.dtype!r}")
    if kind.axes is not None:
        tests.append(f"{part}.ndim != {len(kind.axes)}")
    return " or ".join(tests)


def _array(kind: ir.Array) -> str:
    """What an error calls arrays of a kind."""
    dtype = kind.dtype or "floats"
    axes = "" if kind.axes is None else f" of {len(kind.axes)} axes"
    return f"an array of {dtype}{axes}"


def _called(form: ir.Form) -> str:
    name = form.constructor.__name__
    return f"an {name}" if name[0] in "aeiouAEIOU" else f"a {name}"


def _or(allowed: list[str]) -> str:
    also = {name for names in _ALSO.values() for name in names}
    names = [n for n in allowed if n not in also] or allowed
    return " or ".join("None" if n == "type(None)" else f"of type {n}" for n in names)
