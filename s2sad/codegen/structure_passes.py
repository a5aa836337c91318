"""The passes over a run-time argument of which the forms are known: zeros for its
adjoint, and the gradient in the user's classes, as plain functions.

Each form has a list of what waits to be filled, so that nothing is recursive, and what
is one object gets one adjoint. The gradient takes the adjoints over: they become what
the user gets. What a pass can't be written for (tuples that hold tuples of their own
form) the general functions of :mod:`s2sad.ops.runtime.structures` do."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import numpy as np

from s2sad import ir
from s2sad.ops.runtime.structures import (
    as_structure,
    named_items,
    nothing_of_structure,
    zeros_of_structure,
)


def zeros_pass(kind: ir.Reference, name: str) -> Callable[[Any], Any]:
    """The function that gives zeros for the adjoint of arguments of a kind; ``name`` is
    the argument's."""
    if _needs_general(kind):
        return zeros_of_structure
    return _Zeros(kind).function(f"zeros_of_{name}")


def gradient_pass(kind: ir.Reference, name: str) -> Callable[..., Any]:
    """The function that turns an adjoint that nothing else reads into the gradient, in
    the user's classes."""
    if _needs_general(kind):
        return as_structure
    return _Gradients(kind).function(f"as_{name}")


def _needs_general(kind: ir.Reference) -> bool:
    """True where tuples lead to tuples of their form through tuples alone, and where
    the class of an adjoint doesn't tell of which form it is."""
    forms = list(ir.reached_forms(kind))
    slots = [slot for form in forms for slot in form.slots.values()]
    if any(isinstance(s, ir.Reference) and _look_alike(s) for s in (kind, *slots)):
        return True
    if any(_may_be_no_number(form, key) for form in forms for key in form.keys):
        return True

    def inner(form: ir.Form) -> Iterator[ir.Form]:
        for slot in form.slots.values():
            for one in slot.forms if isinstance(slot, ir.Reference) else ():
                if issubclass(one.constructor, tuple):
                    yield one

    for form in forms:
        if not issubclass(form.constructor, tuple):
            continue
        seen: set[int] = set()
        waiting = list(inner(form))
        while waiting:
            one = waiting.pop()
            if one is form:
                return True
            if id(one) not in seen:
                seen.add(id(one))
                waiting += inner(one)
    return False


def _may_be_no_number(form: ir.Form, key: Hashable) -> bool:
    """True for a slot of numbers in which an int or None may stand, too, of which the
    gradient is None."""
    slot = form.slots.get(key)
    if slot is None or isinstance(slot, ir.Reference):
        return False
    classes = form.types.get(key, frozenset())
    real = [cls for cls in classes if issubclass(cls, float | np.inexact | np.ndarray)]
    return ir.is_real_number_kind(slot) and len(real) < len(classes)


def _look_alike(kind: ir.Reference) -> bool:
    """True for one of several forms of which the adjoints are of one class."""
    classes = [
        list if issubclass(c, list | tuple) and not hasattr(c, "_fields") else c
        for c in (form.constructor for form in kind.forms)
    ]
    return len(set(classes)) < len(classes)


def record_class(cls: type) -> type:
    """The class of adjoints of objects of a class: their attributes are its own. An
    adjoint becomes the user's object by getting its class."""
    known = _RECORDS.get(cls)
    if known is None:
        doc = {"__doc__": f"The adjoint of a {cls.__name__}."}
        known = _RECORDS[cls] = type(f"{cls.__name__}Adjoint", (), doc)
    return known


_RECORDS: weakref.WeakKeyDictionary[type, type] = weakref.WeakKeyDictionary()


def _becomes_its_own(cls: type) -> bool:
    """True for a class that a record can get: objects of it have no slots of their
    own."""
    record = record_class(cls)
    trial = record()
    try:
        trial.__class__ = cls
        object.__setattr__(trial, "__class__", record)  # so that no __del__ runs
    except TypeError:
        return False
    return True


def _is_object(form: ir.Form) -> bool:
    return not issubclass(form.constructor, list | tuple | dict)


def _is_dict(form: ir.Form) -> bool:
    return issubclass(form.constructor, dict)


def _zero_of(kind: ir.Kind | None) -> str | None:
    """The text of what a slot starts with, where that is known by its kind."""
    if isinstance(kind, ir.Reference):
        return None
    if isinstance(kind, ir.Array):
        return None if ir.is_real_number_kind(kind) else "None"
    if isinstance(kind, ir.Unknown) and kind.present is not None:
        return None if ir.is_real_number_kind(kind.present) else "None"
    return "0.0" if kind is not None and ir.is_real_number_kind(kind) else "None"


class _Pass:
    """Writes one pass. What is made of a value is an expression, behind lines where it
    needs some."""

    def __init__(self, kind: ir.Reference) -> None:
        self.kind = kind
        self.lines: list[str] = []
        self.depth = 1
        self.namespace: dict[str, Any] = {"zeros_like": np.zeros_like}
        self.forms: dict[int, str] = {}
        self.waiting: list[ir.Form] = []
        self.count = 0

    def function(self, name: str) -> Callable[[Any], Any]:
        """The function itself."""
        result = self.made_of("value", self.kind)
        first, self.lines = self.lines, []
        fills: list[str] = []
        for form in self.waiting:  # which may grow meanwhile
            with self.aside(2) as lines:
                self.complete(form, self.forms[id(form)])
            fills += lines
        todos = [self.forms[id(form)] for form in self.waiting]
        head = ["    made = {}", *(f"    {todo} = []" for todo in todos)]
        if len(todos) > 1:
            fills = [f"    while {' or '.join(todos)}:", *fills]
        else:
            fills = [line[4:] for line in fills]
        returned = f"    return {result}"
        text = "\n".join([f"def {name}(value):", *head, *first, *fills, returned, ""])
        filename = f"<s2sad {name}>"
        namespace = self.namespace
        exec(compile(text, filename, "exec"), namespace)
        made: Any = namespace[name]
        made.__module__ = "s2sad.ops.runtime.structures"
        made.text = text
        return made

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    @contextmanager
    def deeper(self) -> Iterator[None]:
        self.depth += 1
        yield
        self.depth -= 1

    @contextmanager
    def aside(self, depth: int | None = None) -> Iterator[list[str]]:
        """Collect the lines written inside, one level deeper or at a depth."""
        outer = self.lines, self.depth
        self.lines, self.depth = [], self.depth + 1 if depth is None else depth
        yield self.lines
        self.lines, self.depth = outer

    def fresh(self, wish: str) -> str:
        self.count += 1
        return f"{wish}_{self.count}"

    def constant(self, wish: str, value: Any) -> str:
        for name, known in self.namespace.items():
            if known is value:
                return name
        name = self.fresh(wish)
        self.namespace[name] = value
        return name

    def todo(self, form: ir.Form) -> str:
        """The name of the list of what waits for being completed."""
        if id(form) not in self.forms:
            self.forms[id(form)] = f"todo_{len(self.forms)}"
            self.waiting.append(form)
        return self.forms[id(form)]

    def made_of(self, part: str, kind: ir.Kind | None) -> str:
        """What is made of the value of a slot."""
        raise NotImplementedError

    def known(self, part: str, form: ir.Form) -> str:
        """What is made of a value of one form: what was made of it before, or anew."""
        raise NotImplementedError

    def is_of(self, part: str, form: ir.Form) -> str:
        """The test for one of several forms."""
        raise NotImplementedError

    def complete(self, form: ir.Form, todo: str) -> None:
        """The loop that completes what waits in a list."""
        self.line(f"while {todo}:")
        with self.deeper():
            self.line(f"item, whole = {todo}.pop()")
            self.fill(form, "item", "whole")

    def reference(self, part: str, kind: ir.Reference) -> str:
        """What is made of a reference: by its class, None for None."""
        if len(kind.forms) == 1 and not kind.may_be_none:
            return self.known(part, kind.forms[0])
        branches: list[tuple[str, list[str], str]] = []
        if kind.may_be_none:
            branches.append((f"{part} is None", [], "None"))
        for form in kind.forms:
            with self.aside() as lines:
                text = self.known(part, form)
            branches.append((self.is_of(part, form), lines, text))
        if all(text in (part, "None") for _, _, text in branches):
            target = part
        else:
            target = self.fresh("chosen")
            self.line(f"{target} = {part}")
        word = "if"
        for test, lines, text in branches:
            self.line(f"{word} {test}:")
            self.lines += lines
            if text != target and not (target == part and text == "None"):
                self.lines.append("    " * (self.depth + 1) + f"{target} = {text}")
            elif not lines:
                self.lines.append("    " * (self.depth + 1) + "pass")
            word = "elif"
        return target

    def anew(self, part: str, form: ir.Form) -> str:
        """A value of its own, made once for each that it is made of."""
        target = self.fresh("bar")
        self.line(f"{target} = made.get(id({part}))")
        self.line(f"if {target} is None:")
        with self.deeper():
            self.line(f"{target} = made[id({part})] = {self.empty(form)}")
            if _is_flat(form) or _holds_objects_alone(form):
                self.fill(form, part, target)
            else:
                self.line(f"{self.todo(form)}.append(({part}, {target}))")
        return target

    def empty(self, form: ir.Form) -> str:
        """The text of what is filled later."""
        raise NotImplementedError

    def items(self, part: str, form: ir.Form) -> str:
        """The text of a list of what is made of a tuple's items."""
        if form.is_uniform:
            item = self.fresh("part")
            with self.aside() as lines:
                text = self.made_of(item, form.slots.get(ir.EACH))
            if not lines:
                return f"[{text} for {item} in {part}]"
            target = self.fresh("items")
            self.line(f"{target} = []")
            self.line(f"for {item} in {part}:")
            self.lines += lines
            with self.deeper():
                self.line(f"{target}.append({text})")
            return target
        texts = []
        for place, key in enumerate(form.keys):
            slot = form.slots.get(key)
            item = f"{part}[{place}]"
            if isinstance(slot, ir.Reference) and ir.is_real_number_kind(slot):
                item = self.fresh("part")
                self.line(f"{item} = {part}[{place}]")
            texts.append(self.made_of(item, slot))
        return f"[{', '.join(texts)}]"

    def fill(self, form: ir.Form, item: str, whole: str) -> None:
        """Fill what was made empty."""
        if not form.is_uniform:
            for name in form.keys:
                self.fill_slot(form, item, whole, name)
            return
        part, key = self.fresh("part"), self.fresh("key")
        with self.aside() as lines:
            text = self.made_of(part, form.slots.get(ir.EACH))
        of_dict = _is_dict(form)
        over = f"{key}, {part} in {item}.items()" if of_dict else f"{part} in {item}"
        if lines:
            self.line(f"for {over}:")
            self.lines += lines
            with self.deeper():
                put = f"[{key}] = {text}" if of_dict else f".append({text})"
                self.line(f"{whole}{put}")
        elif of_dict:
            self.line(f"{whole}.update({{{key}: {text} for {over}}})")
        else:
            self.line(f"{whole} += [{text} for {over}]")

    def fill_slot(
        self, form: ir.Form, item: str, whole: str, name: Hashable, *, own: bool = False
    ) -> None:
        """Fill one slot; where the whole is its ``own``, only if that changes it."""
        slot = form.slots.get(name)
        place = f".{name}" if _is_object(form) else f"[{name!r}]"
        part = f"{item}{place}"
        if isinstance(slot, ir.Reference) and ir.is_real_number_kind(slot):
            part = self.fresh("part")
            with self.aside(self.depth) as lines:
                text = self.made_of(part, slot)
            if own and not lines and text == part:
                return
            self.line(f"{part} = {item}{place}")
            self.lines += lines
        else:
            text = self.made_of(part, slot)
        if not own:
            self.line(self.stored(form, whole, place, text))
        elif text not in (part, "None"):
            self.line(f"{whole}{place} = {text}")

    def stored(self, form: ir.Form, whole: str, place: str, text: str) -> str:
        """The line that stores into a slot."""
        return f"{whole}{place} = {text}"


def _is_flat(form: ir.Form) -> bool:
    """True for what holds no references that lead to numbers."""
    return not any(
        isinstance(slot, ir.Reference) and ir.is_real_number_kind(slot)
        for slot in form.slots.values()
    )


def _holds_objects_alone(form: ir.Form) -> bool:
    """True for a container whose references all lead to objects, which wait, or to
    tuples that hold none."""
    references = [s for s in form.slots.values() if isinstance(s, ir.Reference)]
    inner = [one for slot in references for one in slot.forms]
    return not _is_object(form) and all(
        _is_object(one) or (issubclass(one.constructor, tuple) and _is_flat(one))
        for one in inner
    )


class _Zeros(_Pass):
    """Beside each value that is kept its adjoint, with zeros::

    def zeros_of_springs(value):
        made = {}
        bar_1 = made[id(value)] = []
        for part_2 in value:
            bar_3 = made.get(id(part_2))
            if bar_3 is None:
                bar_3 = made[id(part_2)] = SpringAdjoint()
                bar_3.k = 0.0
                bar_3.rest = 0.0
            bar_1.append(bar_3)
        return bar_1
    """

    def is_of(self, part: str, form: ir.Form) -> str:
        return f"type({part}) is {self.constant('cls', form.constructor)}"

    def made_of(self, part: str, kind: ir.Kind | None) -> str:
        zero = _zero_of(kind)
        if zero is not None:
            return zero
        if isinstance(kind, ir.Reference):
            if ir.is_real_number_kind(kind):
                return self.reference(part, kind)
            self.namespace["nothing_of"] = nothing_of_structure
            return f"nothing_of({part})"
        if isinstance(kind, ir.Array) and not kind.promoted:
            return f"zeros_like({part})"
        if isinstance(kind, ir.Unknown) and not isinstance(kind.present, ir.Array):
            return "0.0"  # what isn't there gets nothing
        self.namespace["zeros_of_structure"] = zeros_of_structure
        return f"zeros_of_structure({part})"

    def known(self, part: str, form: ir.Form) -> str:
        if not issubclass(form.constructor, tuple):
            return self.anew(part, form)
        zero = _zero_of(form.slots.get(ir.EACH))
        alike = form.is_uniform and zero is not None
        items = f"[{zero}] * len({part})" if alike else self.items(part, form)
        if hasattr(form.constructor, "_fields"):
            return f"{self.constant('items', named_items(form.constructor))}({items})"
        return items

    def empty(self, form: ir.Form) -> str:
        if _is_object(form):
            return f"{self.constant('record', record_class(form.constructor))}()"
        return "{}" if _is_dict(form) else "[]"

    def fill(self, form: ir.Form, item: str, whole: str) -> None:
        zero = _zero_of(form.slots.get(ir.EACH))
        if not form.is_uniform or zero is None:
            super().fill(form, item, whole)
        elif _is_dict(form):
            self.line(f"{whole}.update(dict.fromkeys({item}, {zero}))")
        else:
            self.line(f"{whole} += [{zero}] * len({item})")


class _Gradients(_Pass):
    """Adjoints become what the user gets: objects and lists where they are, tuples, and
    what has slots, anew::

    def as_springs(value):
        for part_1 in value:
            part_1.__class__ = Spring
        return value
    """

    def is_of(self, part: str, form: ir.Form) -> str:
        if _is_object(form):
            record = self.constant("record", record_class(form.constructor))
            return f"type({part}) is {record}"
        if hasattr(form.constructor, "_fields"):
            items = self.constant("items", named_items(form.constructor))
            return f"type({part}) is {items}"
        kept = dict if _is_dict(form) else list
        return f"type({part}) is {kept.__name__}"

    def made_of(self, part: str, kind: ir.Kind | None) -> str:
        if isinstance(kind, ir.Reference):
            # One that doesn't lead to numbers leads to nothing but None.
            return self.reference(part, kind) if ir.is_real_number_kind(kind) else part
        real = kind is not None and ir.is_real_number_kind(kind)
        return part if real else "None"

    def known(self, part: str, form: ir.Form) -> str:
        cls = form.constructor
        if issubclass(cls, tuple):
            items = self.items(part, form)
            if cls is not tuple:
                return f"{self.constant('cls', cls)}._make({items})"
            if form.is_uniform:
                return f"tuple({items})"
            return f"({items[1:-1]},)" if form.keys else "()"
        if not self._stays(form):
            return self.anew(part, form)
        if _is_object(form):
            name = self.constant("cls", cls)
            if _is_flat(form):
                self.line(f"{part}.__class__ = {name}")
            else:
                self.line(f"if type({part}) is not {name}:")
                with self.deeper():
                    self.line(f"{self.todo(form)}.append({part})")
        elif not _is_flat(form):
            self.line(f"if id({part}) not in made:")
            with self.deeper():
                self.line(f"made[id({part})] = {part}")
                if _holds_objects_alone(form):
                    self._settle(form, part)
                else:
                    self.line(f"{self.todo(form)}.append({part})")
        return part

    def _stays(self, form: ir.Form) -> bool:
        """True for what becomes the user's where it is."""
        cls = form.constructor
        return _becomes_its_own(cls) if _is_object(form) else cls in (list, dict)

    def complete(self, form: ir.Form, todo: str) -> None:
        if not self._stays(form):
            return super().complete(form, todo)
        self.line(f"while {todo}:")
        with self.deeper():
            self.line(f"item = {todo}.pop()")
            self._settle(form, "item")
            if _is_object(form):
                cls = self.constant("cls", form.constructor)
                self.line(f"item.__class__ = {cls}")

    def _settle(self, form: ir.Form, item: str) -> None:
        """Let what an object, list or dict holds become the user's."""
        if not form.is_uniform:
            for name in form.keys:
                self.fill_slot(form, item, item, name, own=True)
            return
        part, key = self.fresh("part"), self.fresh("key")
        with self.aside() as lines:
            text = self.made_of(part, form.slots.get(ir.EACH))
        if _is_dict(form) and text != part:
            self.line(f"for {key}, {part} in {item}.items():")
            self.lines += lines
            self.lines.append("    " * (self.depth + 1) + f"{item}[{key}] = {text}")
        elif lines and text != part:
            self.line(f"for {key}, {part} in enumerate({item}):")
            self.lines += lines
            self.lines.append("    " * (self.depth + 1) + f"{item}[{key}] = {text}")
        elif text != part:
            self.line(f"{item}[:] = [{text} for {part} in {item}]")
        elif lines:
            values = f"{item}.values()" if _is_dict(form) else item
            self.line(f"for {part} in {values}:")
            self.lines += lines

    def empty(self, form: ir.Form) -> str:
        if _is_dict(form):
            return f"{self.constant('cls', form.constructor)}()"
        if not _is_object(form):
            return "[]"
        namespace = issubclass(form.constructor, SimpleNamespace)
        self.namespace["new"] = (SimpleNamespace if namespace else object).__new__
        return f"new({self.constant('cls', form.constructor)})"

    def stored(self, form: ir.Form, whole: str, place: str, text: str) -> str:
        cls, name = form.constructor, place[1:]
        if not _is_object(form):
            return super().stored(form, whole, place, text)
        if cls.__setattr__ is object.__setattr__ and not isinstance(
            getattr(cls, name, None), property
        ):
            return super().stored(form, whole, place, text)
        self.namespace["set_attribute"] = object.__setattr__
        return f"set_attribute({whole}, {name!r}, {text})"
