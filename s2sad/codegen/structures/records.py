"""The classes of adjoints of objects."""

from __future__ import annotations

import weakref


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
