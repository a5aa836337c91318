"""The classes of adjoints."""

from __future__ import annotations

import weakref

from s2sad import ir
from s2sad.codegen.structures.passes import Pass, is_dict, is_object
from s2sad.ops.runtime.structures import OF, Adjoint, named_items


def record_class(cls: type) -> type:
    """The class of adjoints of objects of a class: their attributes are its own. An
    adjoint becomes the user's object by getting its class."""
    known = _RECORDS.get(cls)
    if known is None:
        doc = {"__doc__": f"The adjoint of a {cls.__name__}."}
        known = _RECORDS[cls] = type(f"{cls.__name__}Adjoint", (), doc)
    return known


_RECORDS: weakref.WeakKeyDictionary[type, type] = weakref.WeakKeyDictionary()


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
    if is_object(form) and of.for_file:
        name = form.constructor.__name__
        kept = of.constant(Adjoint)
        return f"type({part}) is {kept} and {part}.{OF}.__name__ == {name!r}"
    if is_object(form):
        cls = record_class(form.constructor)
    elif hasattr(form.constructor, "_fields"):
        cls = named_items(form.constructor)
    else:
        cls = dict if is_dict(form) else list
    return f"type({part}) is {of.constant(cls)}"
