"""Kinds from annotations, for code that is compiled without a call.

Takes an annotation, as a live object or as the syntax tree of one; gives a kind that
holds for every value the annotation admits, and is unknown where it says too little.

>>> str(kind_of_annotation(np.ndarray, "x"))
'?[...]'
>>> str(kind_of_annotation(tuple[float, np.float32], "p"))
'tuple(0: float, 1: np.float32)'

A syntax tree is first evaluated to the live annotation that it means, by
``annotation_nodes``.
"""

from __future__ import annotations

import ast
import builtins
import collections
import collections.abc
import dataclasses
import enum
import inspect
import sys
import types
import typing
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from s2sad import ir
from s2sad.source.annotations import annotated_forms, jaxtyping
from s2sad.source.annotations.annotation_nodes import (
    StandIn,
    class_meant,
    class_of_structures,
    evaluated_annotation,
    fields_of_class,
    form_of_class,
    is_structure,
    parsed_annotation,
)
from s2sad.source.kinds import kinds_of_values
from s2sad.source.static.attributes import attributes_of_class
from s2sad.source.static.values import StaticClass
from s2sad.source.text.resolve import live_attribute

_NUMBERS: dict[type, ir.Kind] = {
    float: ir.FLOAT,
    int: ir.INT,
    bool: ir.BOOL,
    complex: ir.COMPLEX,
}
_OPAQUE = (
    str,
    bytes,
    range,
    slice,
    np.dtype,
    np.character,
    np.datetime64,
    np.timedelta64,
    types.ModuleType,
    enum.Enum,
    types.FunctionType,
)
_ABSTRACT = (
    np.number,
    np.integer,
    np.signedinteger,
    np.unsignedinteger,
    np.inexact,
    np.floating,
    np.complexfloating,
)
_TRANSPARENT = (
    typing.Annotated,
    typing.Final,
    typing.ClassVar,
    typing.Required,
    typing.NotRequired,
    getattr(typing, "ReadOnly", typing.Annotated),
)


Annotations = Mapping[tuple[StaticClass, str], Any]
"""Those of attributes of classes."""


def kind_of_annotation(
    annotation: Any,
    path: Hashable,
    lookup: Callable[[str], Any] | None = None,
    *,
    kept: bool = False,
) -> ir.Kind:
    """The kind that a live annotation promises; unknown where it promises nothing.

    ``path`` names the symbols of axes that have no name of their own. ``lookup`` gives
    the value of a name in an annotation that is a string; it may raise anything.
    """
    try:
        kind = _kept if kept else _kind_or_kept
        return kind(annotation, path, _Context(_Lookup(lookup)))
    except RecursionError:  # a type alias that is defined by itself
        return ir.UNKNOWN


def kind_of_annotation_node(
    node: ast.expr | None, path: Hashable, resolver: Any
) -> ir.Kind:
    """The kind that the syntax tree of an annotation promises.

    Names are looked up with ``resolver.resolve(name).value`` and
    ``resolver.attribute(value, name)``. No node (a missing annotation) is unknown.
    """
    if node is None:
        return ir.UNKNOWN
    try:
        annotation = evaluated_annotation(node, resolver)
    except RecursionError:
        return ir.UNKNOWN
    return kind_of_evaluated(annotation, path, resolver)


def kind_of_evaluated(
    annotation: Any,
    path: Hashable,
    resolver: Any,
    *,
    kept: bool = False,
    deduced: Annotations = MappingProxyType({}),
) -> ir.Kind:
    """The kind that an annotation promises which was evaluated, or stands in no text.

    ``kept``: as it is, instead of taken apart; unknown where that isn't told.
    ``deduced``: what attributes of classes are that have no annotation.
    """
    try:
        kind = _kept if kept else _kind_or_kept
        return kind(annotation, path, _Context(resolver, deduced=deduced))
    except RecursionError:
        return ir.UNKNOWN


def names_alike_kept(kinds: Mapping[str, ir.Kind]) -> list[str]:
    """The parameters that are taken apart and hold an object of a class of which others
    are kept: one and the same object may be given twice."""
    classes = {
        class_meant(form.constructor)
        for kind in kinds.values()
        for form in ir.reached_forms(kind)
    } - {list, tuple, dict}

    def meets(kind: ir.Kind) -> bool:
        if not isinstance(kind, ir.Structure):
            return False
        return kind.constructor in classes or any(map(meets, kind.items))

    return [name for name, kind in kinds.items() if meets(kind)]


def _kind_or_kept(annotation: Any, path: Hashable, context: _Context) -> ir.Kind:
    """The kind of what is taken apart; what leads to itself is kept, where that is
    told."""
    kind = _kind(annotation, path, context)
    kept = _kept(annotation, path, context) if context.recursive else ir.UNKNOWN
    return kind if kept == ir.UNKNOWN else kept


def _kept(annotation: Any, path: Hashable, context: _Context) -> ir.Kind:
    """The kind of a value that is kept as it is; unknown where the annotation doesn't
    say what all that it leads to holds."""
    forms = annotated_forms.AnnotatedForms()
    kind = _kind(annotation, path, dataclasses.replace(context, forms=forms))
    return kind if forms.is_told else ir.UNKNOWN


@dataclasses.dataclass(frozen=True)
class _Context:
    """How strings are read, and which classes are being taken apart already."""

    resolver: Any
    inside: tuple[Any, ...] = ()
    forms: annotated_forms.AnnotatedForms | None = None
    """Those of a value that is kept; None for what is taken apart."""
    recursive: list[Any] = dataclasses.field(default_factory=list)
    """Classes that lead to themselves."""
    deduced: Annotations = dataclasses.field(default_factory=dict)

    def enter(self, cls: Any, resolver: Any) -> _Context:
        inside = (*self.inside, cls)
        return dataclasses.replace(self, resolver=resolver, inside=inside)

    def leads_to_itself(self, cls: Any) -> bool:
        """Note a class that is being taken apart already."""
        if self.forms is not None or not any(cls is known for known in self.inside):
            return False
        self.recursive.append(cls)
        return True


class _Lookup:
    """A resolver over live names."""

    def __init__(self, lookup: Callable[[str], Any] | None) -> None:
        self._lookup = lookup

    def resolve(self, name: str) -> Any:
        if self._lookup is None:
            raise KeyError(name)
        return types.SimpleNamespace(value=self._lookup(name))

    def attribute(self, value: Any, name: str) -> Any:
        return live_attribute(value, name)


def _names_around(cls: type) -> _Lookup:
    """The names that the annotations of a live class can use."""
    module = vars(sys.modules.get(cls.__module__, builtins))
    return _Lookup(lambda n: module[n] if n in module else getattr(builtins, n))


def _kind(annotation: Any, path: Hashable, context: _Context) -> ir.Kind:
    if annotation is None:
        return ir.NONE
    if isinstance(annotation, typing.ForwardRef):
        annotation = annotation.__forward_arg__
    if isinstance(annotation, str):
        node = parsed_annotation(annotation)
        if node is None:
            return ir.UNKNOWN
        return _kind(evaluated_annotation(node, context.resolver), path, context)
    if isinstance(annotation, StandIn):
        meaning = annotation.meaning
        if isinstance(meaning, jaxtyping.JaxtypingArray):
            return jaxtyping.jaxtyping_kind(meaning, path)
        return _kind_of_static_class(meaning, path, context)
    origin = typing.get_origin(annotation)
    if origin is not None:
        return _kind_of_form(annotation, origin, path, context)
    if isinstance(annotation, type):
        return _kind_of_class(annotation, path, context)
    if isinstance(annotation, typing.NewType):
        return _kind(annotation.__supertype__, path, context)
    if isinstance(annotation, typing.TypeVar) and annotation.__bound__ is not None:
        return _kind(annotation.__bound__, path, context)
    if _is_type_alias(annotation):
        return _kind(_alias_value(annotation, ()), path, context)
    return ir.UNKNOWN


def _is_type_alias(annotation: Any) -> bool:
    """True for what ``type X = ...`` makes, which Python 3.11 does not know."""
    return type(annotation).__name__ == "TypeAliasType"


def _alias_value(alias: Any, arguments: tuple[Any, ...]) -> Any:
    """What an alias stands for, with its type parameters replaced."""
    try:
        value = alias.__value__
        chosen = dict(zip(alias.__type_params__, arguments))
        free = getattr(value, "__parameters__", ())
        return value[tuple(chosen.get(p, p) for p in free)] if free else value
    except Exception:  # a name that exists for type checkers only
        return Any


def _kind_of_class(cls: type, path: Hashable, context: _Context) -> ir.Kind:
    if cls in _NUMBERS:
        return _NUMBERS[cls]
    if cls is type(None):
        return ir.NONE
    if jaxtyping.is_jaxtyping(cls):
        array = jaxtyping.JaxtypingArray(cls.dtype.__name__, cls.dim_str)  # type: ignore[attr-defined]
        return jaxtyping.jaxtyping_kind(array, path)
    if issubclass(cls, np.ndarray):
        # The operators of a matrix or a masked array are its own.
        strange = issubclass(cls, np.matrix | np.ma.MaskedArray)
        return ir.UNKNOWN if strange else ir.Array(None, None)
    function: Any = collections.abc.Callable
    if cls in kinds_of_values.RANDOM_SOURCES:
        return kinds_of_values.RANDOM_SOURCES[cls]
    if cls in (set, frozenset):
        return ir.Members(constructor=cls)
    if issubclass(cls, _OPAQUE) or cls is function:
        return ir.OPAQUE
    if issubclass(cls, np.generic):
        if issubclass(cls, np.number | np.bool_):
            return ir.NumPyScalar(_dtype_name(cls))
        return ir.UNKNOWN
    if context.leads_to_itself(cls):
        return ir.UNKNOWN
    return _kind_of_live_structure(cls, path, context)


def _kind_of_live_structure(cls: type, path: Hashable, context: _Context) -> ir.Kind:
    constructor: type = cls
    if typing.is_typeddict(cls):
        if cls.__optional_keys__:  # type: ignore[attr-defined]
            return ir.UNKNOWN
        constructor, names = dict, list(cls.__annotations__)
    elif issubclass(cls, tuple) and hasattr(cls, "_fields"):
        names = list(cls._fields)
    elif dataclasses.is_dataclass(cls):
        names = [f.name for f in dataclasses.fields(cls)]
    else:
        return ir.UNKNOWN
    try:
        hints = typing.get_type_hints(cls, include_extras=True)
    except Exception:  # a name that exists for type checkers only
        hints = {}
        for base in reversed(cls.__mro__):
            hints |= inspect.get_annotations(base)
    if constructor is dict:
        names = list(hints)
    inner = context.enter(cls, _names_around(cls))
    fields = [(name, hints.get(name, Any), inner) for name in names]
    return _structure(constructor, fields, path, context, cls)


def _kind_of_form(
    annotation: Any, origin: Any, path: Hashable, context: _Context
) -> ir.Kind:
    """The kind of a subscripted annotation."""
    arguments = typing.get_args(annotation)
    if origin is typing.Literal:
        return _union([_literal(a) for a in arguments], path, context)
    if origin is typing.Union or origin is types.UnionType:
        return _union([_kind(a, path, context) for a in arguments], path, context)
    if _is_type_alias(origin):
        return _kind(_alias_value(origin, arguments), path, context)
    if any(origin is form for form in _TRANSPARENT):
        return _kind(arguments[0], path, context)
    if origin is np.ndarray:
        return _array(arguments, path)
    if origin is tuple:
        starred = any(
            getattr(a, "__unpacked__", typing.get_origin(a) is typing.Unpack)
            for a in arguments
        )
        bare: Any = typing.Tuple  # noqa: UP006
        if annotation is bare or starred:
            return ir.UNKNOWN
        if len(arguments) == 2 and arguments[1] is ...:
            return _list(annotation, tuple, arguments[0], path, context)
        fields = [(place, a, context) for place, a in enumerate(arguments)]
        return _structure(tuple, fields, path, context, tuple)
    if origin in (type, np.dtype, collections.abc.Callable):
        return ir.OPAQUE
    if origin is list and arguments:
        return _list(annotation, list, arguments[0], path, context)
    if origin is dict and arguments:
        if context.forms is None:
            return _kept(annotation, path, context)
        key, item = (_kind(a, path, context) for a in arguments)
        return context.forms.of_container(dict, item, key)
    if origin is collections.deque and arguments:
        if context.forms is None:
            return _kept(annotation, path, context)
        item = _kind(arguments[0], (path, "item"), context)
        return context.forms.of_container(origin, item)
    if origin in (set, frozenset):
        return ir.Members(constructor=origin)
    if origin in (list, dict):
        return ir.UNKNOWN
    return _kind(origin, path, context)


def _list(
    annotation: Any, constructor: type, of: Any, path: Hashable, context: _Context
) -> ir.Kind:
    """A list or tuple of any length: of floats, arrays of floats of one rank, or such
    lists; one of others is kept as it is. Unknown where the annotation doesn't tell
    what the items are."""
    item = _kind(of, (path, "item"), context)
    if context.forms is not None:
        return context.forms.of_container(constructor, item)
    if constructor is tuple and not ir.is_real_number_kind(item):
        return ir.OPAQUE
    held = _held_by_lists(item)
    if held is None or {float, int} <= set(typing.get_args(of)):
        return _kept(annotation, path, context)
    return ir.List(held, ir.Axis("any", (path, "items")), constructor)


def _held_by_lists(item: ir.Kind) -> ir.Kind | None:
    if item == ir.FLOAT:
        return item
    if isinstance(item, ir.List):
        return dataclasses.replace(item, axis=ir.Axis("any"))
    if not isinstance(item, ir.Array) or not item.axes or item.dtype is None:
        return None
    told = any(axis.length != "any" for axis in item.axes)
    if told or not ir.is_real_number_kind(item):
        return None
    return ir.Array(item.dtype, tuple(ir.Axis("any") for _ in item.axes))


def _structure(
    constructor: Any,
    fields: Sequence[tuple[Hashable, Any, _Context]],
    path: Hashable,
    context: _Context,
    cls: Any,
) -> ir.Kind:
    """The kind of the objects of a class, each field with what its names mean."""

    def kinds() -> Iterable[tuple[Hashable, ir.Kind]]:
        return ((key, _kind(a, (path, key), inner)) for key, a, inner in fields)

    if context.forms is not None and constructor in (tuple, dict):
        return context.forms.of_record(constructor, kinds())
    if context.forms is not None:
        return context.forms.of_class(cls, kinds)
    items = dict(kinds())
    return ir.Structure(constructor, tuple(items), tuple(items.values()))


def _union(kinds: list[ir.Kind], path: Hashable, context: _Context) -> ir.Kind:
    result = kinds[0]
    for kind in kinds[1:]:
        if context.forms is not None:
            result = context.forms.join(result, kind)
            continue
        # As an argument, a real number must not get a complex gradient.
        if ir.COMPLEX in (result, kind) and result != kind:
            return ir.UNKNOWN
        # "Array" promises a shape, which a number that came as an argument has not.
        if isinstance(result, ir.Array) != isinstance(kind, ir.Array):
            return ir.UNKNOWN
        result = ir.join(result, kind, path)
    return result


def _literal(value: Any) -> ir.Kind:
    if type(value) in _NUMBERS:
        return ir.Scalar(type(value).__name__, value)
    return ir.Known(value)


def _array(arguments: tuple[Any, ...], path: Hashable) -> ir.Array:
    """The kind of ``np.ndarray[shape, np.dtype[scalar]]``."""
    dtype = typing.get_args(arguments[1]) if len(arguments) == 2 else ()
    name = _dtype_name(dtype[0]) if dtype else None
    shape, lengths = arguments[0], typing.get_args(arguments[0])
    if typing.get_origin(shape) is not tuple or ... in lengths:
        return ir.Array(name, None)
    return ir.Array(name, tuple(_length(n, (path, k)) for k, n in enumerate(lengths)))


def _length(annotation: Any, symbol: Hashable) -> ir.Axis:
    if typing.get_origin(annotation) is typing.Literal:
        values = typing.get_args(annotation)
        if len(values) == 1 and type(values[0]) is int:
            return jaxtyping.axis_of_length(values[0])
    return ir.Axis("any", symbol)


def _dtype_name(scalar: Any) -> str | None:
    """The dtype of arrays of a scalar type; None for abstract ones."""
    if not isinstance(scalar, type):
        return None
    if scalar in _NUMBERS:
        return np.dtype(scalar).name
    if not issubclass(scalar, np.generic) or scalar in _ABSTRACT:
        return None
    try:
        dtype = np.dtype(scalar)
    except TypeError:
        return None
    # A date has a unit and a string a length, which the type leaves open.
    return dtype.name if dtype.kind in "biufcO" else None


def _kind_of_static_class(
    cls: StaticClass, path: Hashable, context: _Context
) -> ir.Kind:
    if context.leads_to_itself(cls):
        return ir.UNKNOWN
    form = form_of_class(cls)
    if form == "enum":
        return ir.OPAQUE
    found = fields_of_class(cls, form) if form else attributes_of_class(cls)
    if found is None or cls.reader.is_made_over(cls):
        return ir.UNKNOWN
    constructor = dict if form == "typeddict" else class_of_structures(cls)
    fields = []
    for name, (told, resolver) in found.items():
        if told is Any:
            own = context.deduced.get((cls, name), Any)
            # a number that is taken apart may be an array as well
            told = own if context.forms is not None or is_structure(own) else Any
        fields.append((name, told, context.enter(cls, resolver)))
    return _structure(constructor, fields, path, context, cls)
