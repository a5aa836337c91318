"""The passes over a run-time argument of which the forms are known: zeros for its
adjoint, and the gradient in the user's classes, as plain functions.

Each form has a list of what waits to be filled, so that nothing is recursive, and what
is one object gets one adjoint::

    def zeros_of_springs(springs):
        made = {}
        bars = []
        for part in springs:
            bar = made.get(id(part))
            if bar is None:
                bar = made[id(part)] = SpringAdjoint()  # k = rest = 0.0
            bars.append(bar)
        return bars

What a pass can't be written for (tuples that hold tuples of their own form) the general
functions of :mod:`s2sad.ops.runtime.structures` do."""

from __future__ import annotations

import functools
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
    """The function that gives the gradient for an adjoint, in the user's classes."""
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


@functools.lru_cache(maxsize=256)
def record_class(cls: type, attributes: tuple[tuple[str, Any], ...]) -> type:
    """The class of adjoints of objects of a class: what isn't stored yet is read from
    the class."""
    names = {"__doc__": f"The adjoint of a {cls.__name__}.", "of": cls}
    return type(f"{cls.__name__}Adjoint", (), {**names, **dict(attributes)})


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
    """Writes one pass."""

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
        self.value("result", "value", self.kind)
        first, self.lines = self.lines, []
        fills: list[str] = []
        for form in self.waiting:  # which may grow meanwhile
            todo = self.forms[id(form)]
            self.lines, self.depth = [], 2
            self.line(f"while {todo}:")
            with self.deeper():
                self.line(f"item, whole = {todo}.pop()")
                self.fill(form, "item", "whole")
            fills += self.lines
        todos = [self.forms[id(form)] for form in self.waiting]
        head = ["    made = {}", *(f"    {todo} = []" for todo in todos)]
        loop = [f"    while {' or '.join(todos)}:", *fills] if todos else []
        text = "\n".join(
            [f"def {name}(value):", *head, *first, *loop, "    return result", ""]
        )
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
        """The name of the list of what waits for being filled."""
        if id(form) not in self.forms:
            self.forms[id(form)] = f"todo_{len(self.forms)}"
            self.waiting.append(form)
        return self.forms[id(form)]

    def value(self, target: str, part: str, kind: ir.Kind | None) -> None:
        """Lines that assign to ``target`` what is made of ``part``."""
        raise NotImplementedError

    def reference(self, target: str, part: str, kind: ir.Reference) -> None:
        """The same for a reference: by its class, None for None."""
        word = "if"
        if kind.may_be_none:
            self.line(f"if {part} is None:")
            with self.deeper():
                self.line(f"{target} = None")
            word = "elif"
        if len(kind.forms) == 1 and not kind.may_be_none:
            return self.known(target, part, kind.forms[0])
        for place, form in enumerate(kind.forms):
            if place == len(kind.forms) - 1:
                self.line("else:")
            else:
                self.line(f"{word} {self.is_of(part, form)}:")
                word = "elif"
            with self.deeper():
                self.known(target, part, form)

    def is_of(self, part: str, form: ir.Form) -> str:
        raise NotImplementedError

    def known(self, target: str, part: str, form: ir.Form) -> None:
        """The same for a value of one form: what was made of it before, or anew."""
        if issubclass(form.constructor, tuple):
            return self.made(target, part, form)
        self.line(f"{target} = made.get(id({part}))")
        self.line(f"if {target} is None:")
        with self.deeper():
            if _is_flat(form) or _holds_objects_alone(form):
                self.made(target, part, form)
                self.line(f"made[id({part})] = {target}")
            else:
                self.line(f"{target} = made[id({part})] = {self.empty(form)}")
                self.line(f"{self.todo(form)}.append(({part}, {target}))")

    def empty(self, form: ir.Form) -> str:
        """The text of what is filled later."""
        raise NotImplementedError

    def made(self, target: str, part: str, form: ir.Form) -> None:
        """What is complete at once."""
        raise NotImplementedError

    def fill(self, form: ir.Form, item: str, whole: str) -> None:
        """Fill what was made empty."""
        raise NotImplementedError


def _is_flat(form: ir.Form) -> bool:
    """True for what holds no references that lead to numbers."""
    return not any(
        isinstance(slot, ir.Reference) and ir.is_real_number_kind(slot)
        for slot in form.slots.values()
    )


def _holds_objects_alone(form: ir.Form) -> bool:
    """True for a container whose references all lead to objects, which wait."""
    references = [s for s in form.slots.values() if isinstance(s, ir.Reference)]
    inner = [one for slot in references for one in slot.forms]
    return not _is_object(form) and all(map(_is_object, inner))


class _Zeros(_Pass):
    def is_of(self, part: str, form: ir.Form) -> str:
        return f"type({part}) is {self.constant('cls', form.constructor)}"

    def value(self, target: str, part: str, kind: ir.Kind | None) -> None:
        known = _zero_of(kind)
        if known is not None:
            self.line(f"{target} = {known}")
        elif isinstance(kind, ir.Reference) and not ir.is_real_number_kind(kind):
            self.namespace["nothing_of"] = nothing_of_structure
            self.line(f"{target} = nothing_of({part})")
        elif isinstance(kind, ir.Reference):
            self.reference(target, part, kind)
        elif isinstance(kind, ir.Array) and not kind.promoted:
            self.line(f"{target} = zeros_like({part})")
        elif isinstance(kind, ir.Unknown) and not isinstance(kind.present, ir.Array):
            self.line(f"{target} = 0.0")  # what isn't there gets nothing
        else:
            self.namespace["zeros_of_structure"] = zeros_of_structure
            self.line(f"{target} = zeros_of_structure({part})")

    def record(self, form: ir.Form) -> str:
        attributes = tuple(
            (str(key), 0.0 if _zero_of(form.slots.get(key)) == "0.0" else None)
            for key in form.keys
        )
        return self.constant("record", record_class(form.constructor, attributes))

    def empty(self, form: ir.Form) -> str:
        if _is_object(form):
            return f"{self.record(form)}()"
        if hasattr(form.constructor, "_fields"):
            return self.named(form)
        return "{}" if _is_dict(form) else "[]"

    def named(self, form: ir.Form, items: str = "") -> str:
        """The text of a list of the adjoints of a tuple's items."""
        if not hasattr(form.constructor, "_fields"):
            return f"[{items}]"
        cls = self.constant("items", named_items(form.constructor))
        return f"{cls}([{items}])"

    def made(self, target: str, part: str, form: ir.Form) -> None:
        slot = form.slots.get(ir.EACH)
        zero = _zero_of(slot)
        if form.is_uniform and _is_dict(form) and zero is not None:
            self.line(f"{target} = dict.fromkeys({part}, {zero})")
        elif form.is_uniform and zero is not None:
            self.line(f"{target} = [{zero}] * len({part})")
        elif (
            not form.is_uniform
            and issubclass(form.constructor, tuple)
            and all(_zero_of(form.slots.get(key)) for key in form.keys)
        ):
            zeros = ", ".join(str(_zero_of(form.slots.get(key))) for key in form.keys)
            self.line(f"{target} = {self.named(form, zeros)}")
        else:
            self.line(f"{target} = {self.empty(form)}")
            self.fill(form, part, target)

    def fill(self, form: ir.Form, item: str, whole: str) -> None:
        part, bar = self.fresh("part"), self.fresh("bar")
        if form.is_uniform:
            of_dict = _is_dict(form)
            key = self.fresh("key")
            over = (
                f"{key}, {part} in {item}.items()" if of_dict else f"{part} in {item}"
            )
            self.line(f"for {over}:")
            with self.deeper():
                self.value(bar, part, form.slots.get(ir.EACH))
                put = f"{whole}[{key}] = {bar}" if of_dict else f"{whole}.append({bar})"
                self.line(put)
            return
        for place, name in enumerate(form.keys):
            slot = form.slots.get(name)
            if _is_object(form):
                if _zero_of(slot) is None:
                    self.line(f"{part} = {item}.{name}")
                    self.value(bar, part, slot)
                    self.line(f"{whole}.{name} = {bar}")
            elif _is_dict(form):
                self.line(f"{part} = {item}[{name!r}]")
                self.value(bar, part, slot)
                self.line(f"{whole}[{name!r}] = {bar}")
            else:
                self.line(f"{part} = {item}[{place}]")
                self.value(bar, part, slot)
                self.line(f"{whole}.append({bar})")


class _Gradients(_Pass):
    def is_of(self, part: str, form: ir.Form) -> str:
        if _is_object(form):
            cls = self.constant("cls", form.constructor)
            return f"getattr({part}, 'of', None) is {cls}"
        if hasattr(form.constructor, "_fields"):
            items = self.constant("items", named_items(form.constructor))
            return f"type({part}) is {items}"
        kept = dict if _is_dict(form) else list
        return f"type({part}) is {kept.__name__}"

    def value(self, target: str, part: str, kind: ir.Kind | None) -> None:
        if kind is None or not ir.is_real_number_kind(kind):
            whole = isinstance(kind, ir.Reference)  # it holds nothing but None
            self.line(f"{target} = {part if whole else None}")
        elif isinstance(kind, ir.Reference):
            self.reference(target, part, kind)
        else:
            self.line(f"{target} = {part}")

    def empty(self, form: ir.Form) -> str:
        if _is_object(form):
            namespace = issubclass(form.constructor, SimpleNamespace)
            self.namespace["new"] = (SimpleNamespace if namespace else object).__new__
            return f"new({self.constant('cls', form.constructor)})"
        if _is_dict(form) and form.constructor is not dict:
            return f"{self.constant('cls', form.constructor)}()"
        return "{}" if _is_dict(form) else "[]"

    def made(self, target: str, part: str, form: ir.Form) -> None:
        slot = form.slots.get(ir.EACH)
        plain = slot is not None and not isinstance(slot, ir.Reference)
        if form.is_uniform and plain and ir.is_real_number_kind(slot):  # type: ignore[arg-type]
            cls = self.constant("cls", form.constructor)
            plain_dict = _is_dict(form) and form.constructor.__name__ != "defaultdict"
            if plain_dict or not _is_dict(form):
                self.line(f"{target} = {cls}({part})")
                return
        if issubclass(form.constructor, tuple):
            self.line(f"{target} = []")
            self.fill(form, part, target)
            cls = self.constant("cls", form.constructor)
            make = cls if form.constructor is tuple else f"{cls}._make"
            self.line(f"{target} = {make}({target})")
            return
        self.line(f"{target} = {self.empty(form)}")
        self.fill(form, part, target)

    def fill(self, form: ir.Form, item: str, whole: str) -> None:
        part, bar = self.fresh("part"), self.fresh("bar")
        if form.is_uniform:
            of_dict = _is_dict(form)
            key = self.fresh("key")
            over = f"{key}, {bar} in {item}.items()" if of_dict else f"{bar} in {item}"
            self.line(f"for {over}:")
            with self.deeper():
                self.value(part, bar, form.slots.get(ir.EACH))
                put = (
                    f"{whole}[{key}] = {part}" if of_dict else f"{whole}.append({part})"
                )
                self.line(put)
            return
        for place, name in enumerate(form.keys):
            slot = form.slots.get(name)
            if _is_object(form):
                if isinstance(slot, ir.Reference):
                    self._named(part, bar, f"{item}.{name}", slot)
                else:
                    self.value(part, f"{item}.{name}", slot)
                self.line(self.stored(form, whole, str(name), part))
            elif _is_dict(form):
                self._named(part, bar, f"{item}[{name!r}]", slot)
                self.line(f"{whole}[{name!r}] = {part}")
            else:
                self._named(part, bar, f"{item}[{place}]", slot)
                self.line(f"{whole}.append({part})")

    def _named(self, target: str, name: str, read: str, kind: ir.Kind | None) -> None:
        self.line(f"{name} = {read}")
        self.value(target, name, kind)

    def stored(self, form: ir.Form, whole: str, key: str, part: str) -> str:
        cls = form.constructor
        if cls.__setattr__ is object.__setattr__ and not isinstance(
            getattr(cls, key, None), property
        ):
            return f"{whole}.{key} = {part}"
        self.namespace["set_attribute"] = object.__setattr__
        return f"set_attribute({whole}, {key!r}, {part})"
