"""The classes of adjoints."""

import inspect
import weakref
from collections import deque
from typing import Any

from s2sad import ir, ops
from s2sad.codegen.structures.passes import Pass, is_dict, is_object
from s2sad.ops.runtime import structures
from s2sad.ops.runtime.structures import (
    OF,
    Adjoint,
    NoNumber,
    ValueAdjoint,
    named_items,
)
from s2sad.source.annotations import annotation_nodes
from s2sad.source.static.attributes import slots_of_class
from s2sad.source.static.values import StaticClass, StaticFunction


def adjoint_class(form: ir.Form, for_file: bool) -> type:
    """The class of adjoints of the objects of a form: the user's own, where no code of
    the user's runs when attributes are read, stored or let go; else that of records, of
    which a file has one."""
    cls = form.constructor
    meant = annotation_nodes.class_meant(cls)
    if isinstance(meant, StaticClass):
        own = not annotation_nodes.is_frozen(meant) and not any(
            isinstance(annotation_nodes.static_member(meant, str(name)), StaticFunction)
            for name in (*_HOOKS, *form.keys)
        )
        return cls if own else Adjoint
    own = (
        all(getattr(cls, name, None) is getattr(object, name, None) for name in _HOOKS)
        and not inspect.isabstract(cls)
        and not any(hasattr(getattr(cls, str(k), None), "__set__") for k in form.keys)
    )
    if own and becomes_its_own(cls):
        return cls
    return Adjoint if for_file else record_class(cls)


def has_slots(form: ir.Form) -> bool:
    """True for objects of a class that was only read and has slots: no other object can
    get their class."""
    meant = annotation_nodes.class_meant(form.constructor)
    return isinstance(meant, StaticClass) and slots_of_class(meant) != ()


_HOOKS = ("__setattr__", "__getattribute__", "__del__")
"""What a class may define that runs with any attribute, or at the end."""


def record_class(cls: type) -> type:
    """The class of adjoints of objects of a class: their attributes are its own. An
    adjoint becomes the user's object by getting its class."""
    known = _RECORDS.get(cls)
    if known is None:
        doc = {"__doc__": f"The adjoint of a {cls.__name__}."}
        known = _RECORDS[cls] = type(f"{cls.__name__}Adjoint", (), doc)
    return known


_RECORDS: weakref.WeakKeyDictionary[type, type] = weakref.WeakKeyDictionary()


def class_of_value(form: ir.Form) -> type | None:
    """The class of adjoints of numbers and arrays that stand where references do; None
    of texts, which have none."""
    if ir.is_real_number_kind(form.slots[ir.ITSELF]):
        return ValueAdjoint
    return None if form.constructor is str else NoNumber


def class_of_items(form: ir.Form, for_file: bool) -> type:
    """The class of adjoints of a named tuple. One for a file has the text of its own,
    and what it makes knows the class of the user's."""
    cls: type = form.constructor
    if not for_file:
        found: type = named_items(cls)
        return found
    known = _WRITTEN.get(cls)
    if known is None:
        name = f"{cls.__name__}Adjoint"
        lines = [
            f"class {name}(list):",
            f'    """The adjoint of a {cls.__name__}, whose items have names, too."""',
            "    def __init__(self, of, items):",
            "        self += items",
            f"        self.{OF} = of",
        ]
        lines += (
            f"    {key} = property(lambda bar: bar[{place}], "
            f"lambda bar, part: bar.__setitem__({place}, part))"
            for place, key in enumerate(form.keys)
        )
        text = "\n".join([*lines, ""])
        namespace: dict[str, Any] = {"__name__": structures.__name__}
        exec(text, namespace)
        known = _WRITTEN[cls] = namespace[name]
        known.text = text
    return known


def class_in_file(cls: type) -> Any:
    """What makes objects of a class in a file, which doesn't import the user's: checks
    tell classes by their names."""
    if hasattr(cls, ops.TEXT_OF_CLASS):
        return cls
    known = _IN_FILES.get(cls)
    if known is None:
        name = cls.__name__
        doc = f"A {name}, as derivatives make them."
        known = _IN_FILES[cls] = ops.record_class(name, doc)
    return known


_IN_FILES: weakref.WeakKeyDictionary[type, Any] = weakref.WeakKeyDictionary()
_WRITTEN: weakref.WeakKeyDictionary[type, type] = weakref.WeakKeyDictionary()


def becomes_its_own(cls: type) -> bool:
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


def is_adjoint_of(part: str, form: ir.Form, of: Pass) -> str:
    """The test that something is the adjoint of a value of one of several forms."""
    if form.is_value:
        cls = class_of_value(form)
        return (
            f"{part} is None" if cls is None else f"type({part}) is {of.constant(cls)}"
        )
    if is_object(form) and of.for_file:
        name = form.constructor.__name__
        if adjoint_class(form, True) is form.constructor:
            return f"type({part}).__name__ == {name!r}"
        kept = of.constant(Adjoint)
        return f"type({part}) is {kept} and {part}.{OF}.__name__ == {name!r}"
    if is_object(form):
        cls = adjoint_class(form, False)
    elif hasattr(form.constructor, "_fields"):
        cls = class_of_items(form, of.for_file)
    else:
        cls = dict if is_dict(form) else list
        if form.constructor is deque:
            if of.for_file:
                return f"type({part}).__name__ == 'deque'"
            cls = deque
    return f"type({part}) is {of.constant(cls)}"
