"""What is known of functions and classes while the functions are read."""

import ast
import collections
import dataclasses
import types
import typing
from collections.abc import Iterator
from typing import Any

from s2sad.source.annotations import annotation_nodes
from s2sad.source.static.attributes import Attributes, attributes_of_class
from s2sad.source.static.values import NameNotFound, StaticClass, StaticFunction
from s2sad.source.text.scopes import assigned_names
from s2sad.source.text.source_function import SourceFunction
from s2sad.source.uses.places import ITEM, KEY, Place, unite


@dataclasses.dataclass(eq=False)
class Uses:
    """A function, with the places of its parameters and of what it returns."""

    source: SourceFunction
    parameters: dict[str, Place]
    result: Place = dataclasses.field(default_factory=Place)
    local: set[str] = dataclasses.field(default_factory=set)
    around: dict[str, Place] = dataclasses.field(default_factory=dict)
    """The names of the function that it was made in."""


@dataclasses.dataclass(eq=False)
class Called:
    """A call of a method of what stands at a place."""

    holder: Place
    method: str
    args: list[Place]
    words: dict[str, Place]
    result: Place
    done: set[Any] = dataclasses.field(default_factory=set)


class Table:
    """The functions that were met, the attributes of classes, and calls of methods."""

    def __init__(self, source: SourceFunction) -> None:
        self.functions: dict[Any, Uses] = {}
        self.waiting: list[Uses] = []
        self.attributes: dict[tuple[StaticClass, str], Place] = {}
        self.objects: list[Place] = []
        """Places of which attributes are read."""
        self.indexed: list[Place] = []
        self.calls: list[Called] = []
        self.operations: list[tuple[Place, tuple[Place, ...], bool]] = []
        """What is computed element by element, of what, and whether it is a whole
        number only where these are."""
        self.of_arrays = False
        """Whether anything speaks of arrays."""
        self.classes = list(_classes_of_module(source))
        self._fields: dict[StaticClass, Attributes] = {}

    def uses(self, source: SourceFunction, owner: StaticClass | None = None) -> Uses:
        """The places of a function, which is read later; a method once for each class
        that has it."""
        key = id(source.node), owner
        if key not in self.functions:
            arguments = source.node.args
            named = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
            uses = Uses(source, {p.arg: Place() for p in named})
            body = source.node.body
            if isinstance(body, list):
                uses.local = assigned_names(body)
            for parameter in named:
                if parameter.annotation is not None:
                    told = annotation_nodes.evaluated_annotation(
                        parameter.annotation, source.resolver
                    )
                    self.take(uses.parameters[parameter.arg], told)
            if owner is not None and named:
                own = uses.parameters[named[0].arg].note("self")
                own.classes[owner] = None
                self.objects.append(own)
            self.functions[key] = uses
            self.waiting.append(uses)
        return self.functions[key]

    def take(self, place: Place, annotation: Any, *, told: bool = True) -> None:
        """Note what an annotation says; not ``told``: the classes in it alone, where
        attributes of other classes may stand at the place."""
        if annotation is Any:
            return
        if told:
            place.found().annotation = annotation
        arguments = typing.get_args(annotation)
        origin = typing.get_origin(annotation)
        inner: list[tuple[Place, Any]] = []
        if isinstance(annotation, annotation_nodes.StandIn):
            meaning = annotation.meaning
            if isinstance(meaning, StaticClass):
                place.found().classes[meaning] = None
                self.objects.append(place)
        elif origin in (list, collections.deque) and arguments:
            inner = [(place.step(ITEM), arguments[0])]
        elif origin is dict and len(arguments) == 2:
            inner = [(place.step(KEY), arguments[0]), (place.step(ITEM), arguments[1])]
        elif origin is tuple and arguments[1:] == (...,):
            inner = [(place.step(ITEM), arguments[0])]
        elif origin is tuple:
            inner = [(place.step(("at", at)), a) for at, a in enumerate(arguments)]
        elif origin in (typing.Union, types.UnionType):
            for one in arguments:
                if isinstance(one, annotation_nodes.StandIn):
                    self.take(place, one, told=False)
        for part, annotated in inner:
            self.take(part, annotated, told=told)

    def note_call(self, called: Called) -> None:
        """Keep a call of a method until the classes are known."""
        self.calls.append(called)
        self.objects.append(called.holder)

    # ----------------------------------------------------------------- classes

    def fields(self, cls: StaticClass) -> Attributes:
        """The attributes of a class, with what annotates them."""
        if cls not in self._fields:
            form = annotation_nodes.form_of_class(cls)
            found = None
            if form in ("dataclass", "namedtuple"):
                found = annotation_nodes.fields_of_class(cls, form)
            elif form is None:
                found = attributes_of_class(cls)
            self._fields[cls] = found or {}
        return self._fields[cls]

    def attribute(self, cls: StaticClass, name: str) -> Place:
        """The place of an attribute of all objects of a class."""
        key = cls, name
        if key not in self.attributes:
            place = self.attributes[key] = Place()
            self.take(place, self.fields(cls)[name][0], told=False)
            for node in cls.node.bases:
                base = annotation_nodes.live_meaning(node, cls.resolver)
                if isinstance(base, StaticClass) and name in self.fields(base):
                    unite(place, self.attribute(base, name))
        return self.attributes[key].found()

    def has(self, cls: StaticClass, name: str) -> bool:
        """True for an attribute or a method of a class."""
        if name in self.fields(cls):
            return True
        member = annotation_nodes.static_member(cls, name)
        # classes of the library have special methods of their own
        own = isinstance(member, StaticFunction)
        return own or (member is not None and not name.startswith("__"))

    def classes_at(self, place: Place) -> list[StaticClass]:
        """The classes of which objects at a place may be: those that the text names,
        and all that have what is read."""
        told = list(place.found().classes)
        held = dict(place.steps_of("attribute"))
        read = {c.method for c in self.calls if c.holder.found() is place.found()}
        read |= held.keys()
        if place.has("self") or not read:
            return told
        fitting = [
            cls
            for cls in self.classes
            if all(self.has(cls, name) for name in read)
            and all(self._may_hold(cls, *step) for step in held.items())
        ]
        return list(dict.fromkeys([*told, *fitting]))

    def _may_hold(self, cls: StaticClass, name: str, place: Place) -> bool:
        """False where an attribute is annotated as something else than what is read of
        it."""
        annotation = self.fields(cls).get(name, (Any,))[0]
        while typing.get_origin(annotation) is list and ITEM in place.found().steps:
            annotation, place = typing.get_args(annotation)[0], place.step(ITEM)
        if annotation not in (float, int, bool, str):
            return True
        return ITEM not in place.found().steps and not any(place.steps_of("attribute"))

    def inherit(self) -> None:
        """Let what is known of a class hold for those that are derived from it."""
        for cls in self.classes:
            for name in self.fields(cls):
                for node in cls.node.bases:
                    base = annotation_nodes.live_meaning(node, cls.resolver)
                    if (base, name) in self.attributes:
                        self.attribute(cls, name)

    def settle(self) -> bool:
        """Let attributes and methods be those of the classes; whether anything is
        new."""
        known = len(self.attributes), len(self.functions)
        for place in {id(p.found()): p.found() for p in self.objects}.values():
            for cls in self.classes_at(place):
                for name, inner in place.steps_of("attribute"):
                    self._settle_attribute(cls, name, inner)
        new = False
        for called in self.calls:
            for cls in self.classes_at(called.holder):
                if cls not in called.done:
                    called.done.add(cls)
                    new |= self._settle_call(cls, called)
        return new or known != (len(self.attributes), len(self.functions))

    def _settle_attribute(self, cls: StaticClass, name: str, place: Place) -> None:
        if name in self.fields(cls):
            unite(self.attribute(cls, name), place)
            return
        method = annotation_nodes.static_member(cls, name)
        if isinstance(method, StaticFunction) and "property" in method.decorators:
            unite(self._of_method(cls, method).result, place)

    def _settle_call(self, cls: StaticClass, called: Called) -> bool:
        if called.method in self.fields(cls):
            return False
        method = annotation_nodes.static_member(cls, called.method)
        if not isinstance(method, StaticFunction):
            return False
        uses = self._of_method(cls, method)
        parameters = list(uses.parameters.items())
        if "staticmethod" not in method.decorators:
            parameters = parameters[1:]
        for (_, parameter), place in zip(parameters, called.args):
            unite(parameter, place)
        for name, parameter in parameters:
            if name in called.words:
                unite(parameter, called.words[name])
        unite(uses.result, called.result)
        return True

    def _of_method(self, cls: StaticClass, method: StaticFunction) -> Uses:
        if "staticmethod" in method.decorators:
            return self.uses(method.source)
        return self.uses(method.source, cls)


def _classes_of_module(source: SourceFunction) -> Iterator[StaticClass]:
    """The classes that the module of a function defines or imports."""
    for node in source.file.tree.body:
        names: list[str] = []
        if isinstance(node, ast.ClassDef):
            names = [node.name]
        elif isinstance(node, ast.ImportFrom):
            names = [alias.asname or alias.name for alias in node.names]
        for name in names:
            try:
                found = source.resolver.resolve(name).value
            except (NameNotFound, AttributeError):
                continue
            if isinstance(found, StaticClass) and annotation_nodes.form_of_class(
                found
            ) not in (
                "enum",
                "typeddict",
            ):
                yield found
