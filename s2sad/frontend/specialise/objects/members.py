"""What an attribute means by the class of the object: methods, properties, data.

Takes a class and a name; gives the function or value that the class or one of its
bases holds, and how it is bound to an instance.
"""

import abc
import ast
import dataclasses
import functools
import types
import typing
from dataclasses import dataclass
from typing import Any, NoReturn

from s2sad.custom import CustomFunction
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.source.annotations.annotation_nodes import class_meant, live_meaning
from s2sad.source.text import resolve


@dataclass(frozen=True)
class Member:
    """What a class holds under a name."""

    sort: str
    """``"method"``, ``"static"``, ``"class"``, ``"property"``, ``"data"`` or
    ``"other"``."""
    value: Any
    """The function behind it, or the data."""
    owner: Any
    """The class that holds it."""
    cached: bool = False
    """True for a property that gives the same object each time."""


def member_of(cls: Any, name: str, behind: Any = None) -> Member | None:
    """What a class or one of its bases holds under a name; None if nothing. ``behind``
    is the class after which the search starts, for ``super()``."""
    cls = class_meant(cls)
    if isinstance(cls, resolve.StaticClass):
        if behind is not None:
            cls = _class_behind(cls, behind)
        return None if cls is None else _static_member(cls, name)
    bases = cls.__mro__
    if behind is not None:
        bases = bases[bases.index(behind) + 1 :]
    for base in bases:
        if name in vars(base):
            return _member(vars(base)[name], base)
    return None


def _member(found: Any, owner: type) -> Member:
    if isinstance(found, staticmethod):
        return Member("static", found.__func__, owner)
    if isinstance(found, classmethod):
        return Member("class", found.__func__, owner)
    if isinstance(found, property):
        return Member("property", found.fget, owner)
    if isinstance(found, functools.cached_property):
        return Member("property", found.func, owner, cached=True)
    if isinstance(found, types.FunctionType) or _stands_for_function(found):
        return Member("method", found, owner)
    if hasattr(type(found), "__get__"):
        return Member("other", found, owner)
    return Member("data", found, owner)


def _stands_for_function(found: Any) -> bool:
    """A differentiated or cached method."""
    return (
        hasattr(found, "__s2sad_primal__")
        or hasattr(found, "py_func")
        or isinstance(found, functools._lru_cache_wrapper | CustomFunction)
    )


_SORTS = {
    "staticmethod": "static",
    "classmethod": "class",
    "property": "property",
    "functools.cached_property": "property",
}


def _class_behind(
    cls: resolve.StaticClass, owner: resolve.StaticClass
) -> resolve.StaticClass | None:
    """The class in which ``super()`` of a method of ``owner`` looks first; None where
    that isn't a class of the text."""
    passed = False
    while not passed:
        passed = cls.node is owner.node
        found = (live_meaning(node, cls.resolver) for node in cls.node.bases)
        bases = [base for base in found if base not in _WITHOUT_MEMBERS]
        if len(bases) > 1:
            raise core.Unsupported(
                f"super() in {owner.name}, of an object of several base classes",
                "call the method by its class: Base.method(self, ...)",
            )
        if len(bases) != 1 or not isinstance(bases[0], resolve.StaticClass):
            return None
        (cls,) = bases
    return cls


_WITHOUT_MEMBERS = (object, abc.ABC, typing.Generic, typing.Protocol)


def _static_member(cls: resolve.StaticClass, name: str) -> Member | None:
    try:
        found = cls.member(name)
    except resolve.NameNotFound:
        return None
    if isinstance(found, resolve.StaticFunction):
        sorts = [_SORTS.get(path) for path in found.decorators]
        sort = next(filter(None, sorts), "method")
        cached = "functools.cached_property" in found.decorators
        return Member(sort, found, cls, cached)
    if isinstance(found, CustomFunction):
        return Member("method", found, cls)
    if isinstance(found, resolve.StaticData):
        call = found.expression if isinstance(found.expression, ast.Call) else None
        if call and live_meaning(call.func, cls.resolver) is dataclasses.field:
            return None  # what a dataclass sets on its objects
        if found.expression is None and cls.reader.only_declares(cls, name):
            return None
        return Member("other", found, cls)
    if isinstance(found, types.WrapperDescriptorType) or found is None:
        return None  # of object
    return Member("data", found, cls)


def owner_of(cls: type, name: str) -> type:
    """The class in whose body a name stands that a class has."""
    return next(base for base in cls.__mro__ if name in vars(base))


def setter_of(cls: Any, name: str) -> Any:
    """The function that stores a property; None where there is none."""
    if isinstance(cls, resolve.StaticClass):
        return cls.reader.accessor(cls, name, f"{name}.setter")
    member = member_of(cls, name)
    found = None if member is None else vars(member.owner)[name]
    return found.fset if isinstance(found, property) else None


def note_read(spec: Specialiser, cls: Any, name: str) -> None:
    """Let dispatch check that the class still holds the same, and files that objects
    are of this class."""
    meant = class_meant(cls)
    if isinstance(meant, resolve.StaticClass):
        spec.module.reads.append(core.Read(meant.resolver, meant.name, (name,), meant))
    if isinstance(cls, type) and class_meant(cls) is cls:
        spec.read_attribute(cls, name, getattr(cls, name))


def note_held(spec: Specialiser, owner: Any, name: str) -> None:
    """Let dispatch check that an object itself still holds a name, or still doesn't."""
    held = getattr(owner, "__dict__", None)
    if isinstance(held, dict):
        test = f"__dict__.__contains__({name!r})"
        spec.read_attribute(owner, test, name in held)


def mangled(name: str, spec: Specialiser) -> str:
    """The name of a private attribute, ``__x``, as the class around the method changes
    it."""
    if not name.startswith("__") or name.endswith("__"):
        return name
    *outer, _ = spec.frame.source.qualname.replace(".<locals>", "").split(".")
    return f"_{outer[-1].lstrip('_')}{name}" if outer else name


def require_none_made(cls: Any, name: str) -> None:
    """Refuse to say that objects of a class have no such attribute where their
    ``__getattr__`` may make it."""
    if member_of(cls, "__getattr__") is not None:
        raise core.Unsupported(
            f"whether a {cls.__name__} has {name!r} is the work of __getattr__",
            "make it a property",
        )


def no_attribute(spec: Specialiser, cls: Any, name: str) -> NoReturn:
    """An attribute is read that neither the object nor its class has."""
    if member_of(cls, "__getattr__") is not None:
        raise core.Unsupported(
            f"the attribute {name!r} of a {cls.__name__} is computed by __getattr__",
            "make it a method or a property",
        )
    problem = core.Unsupported(
        f"a {cls.__name__} has no attribute {name!r}", "check the spelling"
    )
    why = f"{cls.__name__!r} object has no attribute {name!r}"
    spec.raises(problem, AttributeError(why))
