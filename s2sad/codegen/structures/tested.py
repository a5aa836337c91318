"""What a pass tests of the values that it meets, where nobody has looked at them."""

import dataclasses
from collections.abc import Hashable, Iterable, Iterator, Sequence
from types import MemberDescriptorType, NoneType

import numpy as np

from s2sad import ir
from s2sad.codegen.structures import passes, records
from s2sad.source.annotations.annotated_forms import classes_of
from s2sad.source.kinds.attributes import attributes_of, has_dict


class Tested(passes.Pass):
    """A pass that raises TypeError where a value is of other forms: all references are
    tested where they are met, what they lead to once. A file knows the user's classes
    by their names."""

    tested = True
    """Whether it looks at all."""
    path = ""
    """What reads the whole, in errors."""

    def __init__(self, kind: ir.Reference, root: str, for_file: bool) -> None:
        super().__init__(kind, root, for_file)
        self.met: dict[str, tuple[str, frozenset[type] | None]] = {}
        """What variables hold: what errors call it, and the classes it may be of."""
        self.places = {form: k for k, form in enumerate(_of_several_forms(kind))}
        slots = [s for form in ir.reached_forms(kind) for s in form.slots.values()]
        references = (slot for slot in slots if isinstance(slot, ir.Reference))
        self.told_by_lengths = {
            form for held in (kind, *references) for form in told_by_lengths(held.forms)
        }

    def reference(
        self, part: str, kind: ir.Reference, refusal: Sequence[str] = ()
    ) -> str:
        if self.tested:
            refusal = self._test_reference(part, kind)
        return super().reference(part, kind, refusal)

    def _test_reference(self, part: str, kind: ir.Reference) -> Sequence[str]:
        """The lines that test a reference; gives those for what is none of its forms,
        where these are asked for one by one anyway."""
        what, classes = self.met.get(part, (self.path, None))
        if self.for_file or classes is None:
            classes = frozenset(f.constructor for f in kind.forms) | {NoneType}
        forms = [form for form in kind.forms if form.constructor in classes]
        tests = list(dict.fromkeys(self.is_not(part, form) for form in forms))
        named = list(dict.fromkeys(map(_called, forms)))
        none = kind.may_be_none and NoneType in classes
        if none:
            tests.append(f"{part} is not None")
            named.append("None")
        with self.aside(self.depth) as refusal:
            self._refuse(" and ".join(tests), what, " or ".join(named))
        all_may_stand = len(forms) == len(kind.forms) and none == kind.may_be_none
        asked = [self.is_of(part, form) for form in forms] + [f"{part} is None"] * none
        if all_may_stand and len(asked) > 1 and asked == list(map(_denied, tests)):
            return refusal[1:]
        self.lines += refusal
        tuples = [form for form in forms if form.constructor is tuple]
        known = [
            (text, len(form.keys))
            for form in tuples
            if (text := ir.text_in_front(form)) is not None
        ]
        several = len(forms) + none > 1
        if several and known and len(known) == len(tuples) and not self.for_file:
            test = f"(*{part}[:1], len({part})) not in {known!r}"
            if len(tuples) < len(forms) or none:  # numbers and names beside them
                test = f"type({part}) is tuple and {test}"
            self._refuse(test, what, "told by its first item")
        lengths = tuple(sorted(len(form.keys) for form in told_by_lengths(forms)))
        if lengths:
            test = f"type({part}) is tuple and len({part}) not in {lengths!r}"
            self._refuse(test, what, f"of {' or '.join(map(str, lengths))} items")
        return ()

    def value(self, part: str, form: ir.Form) -> str:
        if self.tested and isinstance(form.slots[ir.ITSELF], ir.Array):
            self._test_slot(part, form, ir.ITSELF, self.what(part, form))
        return part

    def is_told(self, part: str, form: ir.Form) -> str:
        """The test for one of several forms of tuples, which a text or the length
        tells, and for a number, array or text; "" for others."""
        if form.is_value:
            return _denied(self.is_not(part, form))
        text = getattr(form.slots.get(0), "value", None)
        length = f"len({part}) == {len(form.keys)}"
        if isinstance(text, str):
            return f"type({part}) is tuple and {part}[0] == {text!r} and {length}"
        if form in self.told_by_lengths:
            return f"type({part}) is tuple and {length}"
        return ""

    def is_not(self, part: str, form: ir.Form) -> str:
        """The test for a value of another class."""
        cls = form.constructor
        if form.is_value:
            classes = self._named(form.types[ir.ITSELF])
            several = f"not in ({', '.join(classes)})"
            test = several if len(classes) > 1 else f"is not {classes[0]}"
            return f"type({part}) {test}"
        if self.for_file and passes.has_a_name(form):
            return f"type({part}).__name__ != {cls.__name__!r}"
        return f"type({part}) is not {self.constant(cls)}"

    def key(self, part: str, form: ir.Form) -> str:
        place = self.places.get(form) if self.tested else None
        return f"id({part})" if place is None else f"({place}, id({part}))"

    def look_at(self, whole: str, form: ir.Form) -> None:
        if not self.tested:
            return
        what = self.what(whole, form)
        if passes.is_object(form):
            self._test_attributes(whole, form)
            return
        if not form.is_uniform:
            if passes.is_dict(form):
                self._test_names(whole, form, what)
            elif not hasattr(form.constructor, "_fields"):
                test = f"len({whole}) != {len(form.keys)}"
                self._refuse(test, what, f"a tuple of {len(form.keys)}")
            elif self.for_file:  # which doesn't know the class itself
                names = ", ".join(map(str, form.keys))
                test = f"getattr({whole}, '_fields', ()) != {form.keys!r}"
                self._refuse(test, what, f"a named tuple of {names}")
            return
        self._test_keys(whole, form, f"a key of {what}")
        if not is_looked_into(form.slots.get(ir.EACH)):
            values = f"{whole}.values()" if passes.is_dict(form) else whole
            allowed = self._allowed(form, ir.EACH)
            if ir.EACH not in form.slots and not self.for_file:
                self._refuse(whole, what, "empty")
            elif len(allowed) == 1:  # a set is slower for a few items
                item = self.fresh("part")
                self.line(f"for {item} in {values}:")
                with self.deeper():
                    test = f"type({item}) is not {allowed[0]}"
                    self._refuse(test, _item_of(what), _or(allowed))
            elif allowed:
                test = f"not {{{', '.join(allowed)}}}.issuperset(map(type, {values}))"
                self._refuse(test, _item_of(what), _or(allowed))

    def _test_names(self, whole: str, form: ir.Form, what: str) -> None:
        """The keys of dicts that are names."""
        names = ", ".join(map(str, form.keys))
        if not form.optional:
            test = f"tuple({whole}) != {form.keys!r}"
            self._refuse(test, what, f"a dict of {names}, in this order")
            return
        self._refuse(_other_names(form, whole), what, f"a dict of some of {names}")

    def _test_attributes(self, whole: str, form: ir.Form) -> None:
        cls = form.constructor
        own = [key for key in form.keys if key not in form.from_class]
        if self.for_file:
            names = ", ".join(map(repr, own))
            known = f"{{{names}}}" if names else "set()"
            held = f"{whole}.__dict__"
            if records.has_slots(form):
                held = f"getattr({whole}, '__dict__', {{}})"
            test = f"not {held}.keys() <= {known}"
            self._refuse(test, cls.__name__, f"without attributes but {names}")
            return
        if form.optional:
            held = f"{whole}.__dict__"
            if any(_slots(cls)) or _left_to_the_class(cls):
                held = f"{self.constant(attributes_of)}({whole}) or ()"
            test = _other_names(form, held)
            self._refuse(test, cls.__name__, "without other attributes")
            return
        slots = list(_slots(cls))
        if slots and len(slots) == len(own) and not has_dict(cls):
            return  # all are read
        held = f"{whole}.__dict__"
        if slots:
            held = f"{self.constant(attributes_of)}({whole}) or ()"
        test = f"len({held}) != {len(own)}"
        of_class = _left_to_the_class(cls)
        if of_class and not slots:
            test = f"{held}.keys() | {_text_of(of_class)} != {_text_of(own)}"
        self._refuse(test, cls.__name__, "without other attributes")

    def _test_keys(self, whole: str, form: ir.Form, what: str) -> None:
        """Those of a file's dicts, but for tuples."""
        if form.key is None or not self.for_file:
            return
        if not isinstance(form.key, ir.Reference):
            allowed = self._named(classes_of(form.key))
            if allowed:
                test = f"not {{{', '.join(allowed)}}}.issuperset(map(type, {whole}))"
                self._refuse(test, what, _or(allowed))

    def meet(self, part: str, form: ir.Form, key: Hashable, whole: str) -> None:
        if not self.tested:
            return
        slot, what = form.slots.get(key), self.what(whole, form)
        if form.is_uniform:
            what = _item_of(what)
        else:
            owner = form.constructor.__name__ if passes.is_object(form) else what
            named = hasattr(form.constructor, "_fields")
            what = f"{owner}.{key}" if named else passes.slot_of(owner, form, key)
        if isinstance(slot, ir.Reference):
            self.met[part] = what, form.types.get(key)
        elif not form.is_uniform or is_looked_into(slot):
            self._test_slot(part, form, key, what)

    def what(self, whole: str, form: ir.Form) -> str:
        if whole == self.root:
            return self.path
        return self.met[whole][0] if whole in self.met else _called(form)

    def _test_slot(self, part: str, form: ir.Form, key: Hashable, what: str) -> None:
        slot = form.slots.get(key)
        if _is_known(slot) and not self.for_file:
            if isinstance(slot, ir.OneOf):
                test = " and ".join(
                    f"{part} is not {self.constant(value)}" for value in slot.values
                )
            else:
                test = f"{self.constant(ir.Known)}({part}) != {self.constant(slot)}"
            self._refuse(test, what, str(slot))
            return
        present = getattr(slot, "present", None)
        if isinstance(slot, ir.Array):
            test = self._is_no_array(part, slot)
            told = _array(slot)
            if has_numbers_beside_arrays(form, key):
                arrays = {"ndarray", "np.ndarray"}
                others = sorted(set(self._allowed(form, key)) - arrays)
                test = f"type({part}) not in ({', '.join(others)},) and ({test})"
                told += " or a float" if self.for_file else ""
            self._refuse(test, what, told)
            return
        if isinstance(present, ir.Array) and self.for_file:
            test = f"{part} is not None and ({self._is_no_array(part, present)})"
            self._refuse(test, what, f"{_array(present)} or None")
            return
        allowed = self._allowed(form, key)
        if len(allowed) == 1:
            self._refuse(f"type({part}) is not {allowed[0]}", what, _or(allowed))
        elif allowed:
            listed = ", ".join(allowed)
            self._refuse(f"type({part}) not in ({listed})", what, _or(allowed))

    def _allowed(self, form: ir.Form, key: Hashable) -> list[str]:
        """The classes that may stand in a slot; none where that makes no difference."""
        return self._named(form.types.get(key))

    def _named(self, classes: Iterable[type] | None) -> list[str]:
        found: list[str] = []
        for cls in classes or ():
            if cls is NoneType:
                found.append("type(None)")
            elif self.for_file:
                own = "np." if cls.__module__ == "numpy" else ""
                found += [f"{own}{cls.__name__}", *_ALSO.get(cls, ())]
            else:
                found.append(self.constant(cls))
        return sorted(found)

    def _is_no_array(self, part: str, kind: ir.Array) -> str:
        """The test that is true for anything but an array of a kind."""
        array = "np.ndarray" if self.for_file else self.constant(np.ndarray)
        tests = [f"type({part}) is not {array}"]
        if self.for_file:
            floats = f"{part}.dtype.kind != 'f'"
            own = f"{part}.dtype != {kind.dtype!r}"
            tests.append(floats if kind.dtype is None else own)
        elif kind.dtype is not None:
            tests.append(f"{part}.dtype != {self.constant(np.dtype(kind.dtype))}")
        if kind.axes is not None:
            tests.append(f"{part}.ndim != {len(kind.axes)}")
            for place, axis in enumerate(() if self.for_file else kind.axes):
                if axis.length != "any":
                    sign = "!=" if axis.length == "one" else "=="
                    tests.append(f"{part}.shape[{place}] {sign} 1")
        return " or ".join(tests)

    def _refuse(self, test: str, what: str, wanted: str) -> None:
        self.line(f"if {test}:")
        told = f"{what} must be {wanted}"
        self.lines.append("    " * (self.depth + 1) + f"raise TypeError({told!r})")


def _denied(test: str) -> str:
    """The opposite of a test for a class, or for None."""
    test = test.replace(" is not ", " is ").replace(" != ", " == ")
    return test.replace(" not in ", " in ")


def told_by_lengths(forms: Iterable[ir.Form]) -> list[ir.Form]:
    """Those of several forms that are tuples of different lengths, and of which no text
    tells which one a value has."""
    tuples = [f for f in forms if f.constructor is tuple and not f.is_uniform]
    texts = any(isinstance(f.slots.get(0), ir.Known) for f in tuples)
    lengths = {len(form.keys) for form in tuples}
    return tuples if len(lengths) > 1 and not texts else []


_ALSO = {float: ("np.float64",), int: ("np.int64",)}
"""NumPy's numbers that stand for Python's."""


def _text_of(names: Iterable[Hashable]) -> str:
    """The text of a set."""
    return f"{{{', '.join(map(repr, names))}}}"


def _other_names(form: ir.Form, held: str) -> str:
    """The test for names that a form doesn't have, and for lack of those that all
    have."""
    names = [key for key in form.keys if key not in form.from_class]
    needed = [key for key in names if key not in form.optional]
    test = f"not {_text_of(names)}.issuperset({held})"
    return f"{test} or not {_text_of(needed)}.issubset({held})" if needed else test


def _left_to_the_class(cls: type) -> list[str]:
    """The fields of a dataclass that its instances may find in the class alone."""
    if not dataclasses.is_dataclass(cls):
        return []
    fields = dataclasses.fields(cls)
    return [f.name for f in fields if not f.init and hasattr(cls, f.name)]


def _slots(cls: type) -> Iterator[str]:
    """The slots of a class, one that is twice there twice."""
    for base in cls.__mro__:
        for name, found in vars(base).items():
            if isinstance(found, MemberDescriptorType) and name != "__dict__":
                yield name


def tuples_in_themselves(kind: ir.Reference) -> list[ir.Form]:
    """The forms of tuples that lead to themselves through tuples alone."""

    def inner(form: ir.Form) -> Iterator[ir.Form]:
        for slot in form.slots.values():
            for one in slot.forms if isinstance(slot, ir.Reference) else ():
                if issubclass(one.constructor, tuple):
                    yield one

    def leads_to_itself(form: ir.Form) -> bool:
        seen: set[ir.Form] = set()
        waiting = list(inner(form))
        while waiting and form not in seen:
            one = waiting.pop()
            if one not in seen:
                seen.add(one)
                waiting += inner(one)
        return form in seen

    tuples = (f for f in ir.reached_forms(kind) if issubclass(f.constructor, tuple))
    return list(filter(leads_to_itself, tuples))


def _of_several_forms(kind: ir.Reference) -> list[ir.Form]:
    """The forms of containers such that one object may be of several, of which each
    says something else of it."""
    forms = [f for f in ir.reached_forms(kind) if not issubclass(f.constructor, tuple)]
    return [
        form
        for form in forms
        if any(
            one.constructor is form.constructor and not _say_the_same(one, form)
            for one in forms
        )
    ]


def _say_the_same(one: ir.Form, other: ir.Form) -> bool:
    def said(form: ir.Form) -> list[object]:
        slots = (
            (*map(id, s.forms), s.may_be_none) if isinstance(s, ir.Reference) else s
            for s in map(form.slots.get, form.keys)
        )
        return [form.keys, form.optional, form.types, *slots]

    return one is other or said(one) == said(other)


def is_looked_into(kind: ir.Kind | None) -> bool:
    """True for what isn't told by its class alone."""
    looked_into = (ir.Reference, ir.Array)
    return (
        isinstance(kind, looked_into)
        or isinstance(getattr(kind, "present", None), looked_into)
        or _is_known(kind)
    )


def _is_known(kind: ir.Kind | None) -> bool:
    """True for what is one of few values."""
    return isinstance(kind, ir.OneOf) or (
        isinstance(kind, ir.Known) and kind != ir.NONE
    )


def has_numbers_beside_arrays(form: ir.Form, key: Hashable) -> bool:
    """True for a slot of arrays in which numbers may stand."""
    types = form.types.get(key) or {np.ndarray}
    return isinstance(form.slots.get(key), ir.Array) and set(types) != {np.ndarray}


def _array(kind: ir.Array) -> str:
    """What an error calls arrays of a kind."""
    dtype = kind.dtype or "floats"
    axes = "" if kind.axes is None else f" of {len(kind.axes)} axes"
    return f"an array of {dtype}{axes}"


def _called(form: ir.Form) -> str:
    name = form.constructor.__name__
    return f"an {name}" if name[0] in "aeiouAEIOU" else f"a {name}"


def _item_of(what: str) -> str:
    return what if what.startswith("an item of ") else f"an item of {what}"


def _or(allowed: list[str]) -> str:
    also = {name for names in _ALSO.values() for name in names}
    names = [n for n in allowed if n not in also] or allowed
    return " or ".join("None" if n == "type(None)" else f"of type {n}" for n in names)
