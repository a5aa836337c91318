"""Calls that are answered where functions and objects are values: ``partial``,
``super``, ``getattr``, ``callable``, operators as functions."""

import ast
import builtins
import dataclasses
import functools
import operator
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from s2sad import ir, ops, rules
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.calls import cached_calls
from s2sad.frontend.specialise.closures import function_records
from s2sad.frontend.specialise.containers import container_methods
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser, Words
from s2sad.frontend.specialise.heap import forming
from s2sad.frontend.specialise.heap.cells import check_may_change, read_name, set_name
from s2sad.frontend.specialise.language.expressions import OPERATORS
from s2sad.frontend.specialise.library_calls.keyed_heaps import KEY_CALLS
from s2sad.frontend.specialise.objects import (
    chosen_slots,
    members,
    operator_methods,
    static_objects,
)
from s2sad.frontend.specialise.objects.attribute_dicts import attributes_of, known_name
from s2sad.frontend.specialise.objects.construction import construct, set_attribute
from s2sad.frontend.specialise.objects.objects import class_of
from s2sad.frontend.specialise.optionals import values_as_references
from s2sad.frontend.specialise.run_time import (
    held_attributes,
    queries,
    storing,
    unions,
)
from s2sad.frontend.specialise.shaping import hooks, nested_customs, stopped_values
from s2sad.source.text.resolve import NameNotFound, StaticClass


def is_instance(value: core.Value) -> bool:
    """True for an object of a user's class."""
    return core.has_methods(value) and class_of(value) is not slice


def _partial(spec: Specialiser, args: Args, words: Words) -> core.Value:
    if not args:
        raise core.Unsupported("partial takes a function", "pass one")
    function, *given = args
    return core.Partial(function, tuple(given), tuple(words.items()))


def _getter(cls: Any) -> Callable[..., core.Value | None]:
    """``operator.itemgetter(key)`` and the like, of known keys."""

    def make(spec: Specialiser, args: Args, words: Words) -> core.Value | None:
        kinds = [core.kind_of(a) for a in (*args, *words.values())]
        if not all(map(rules.is_static, kinds)):
            return None
        given = [core.known_value(a) for a in args]
        named = {k: core.known_value(v) for k, v in words.items()}
        return core.constant(spec.outcome(lambda: cls(*given, **named)))

    return make


def same_function(function: Any) -> Any:
    """What ``functools.wraps(f)`` is to a derivative."""
    return function


def cached_function(function: Any) -> Any:
    """What ``lru_cache(...)`` is to a derivative, when it is a decorator's call."""
    return function


def _given_back(spec: Specialiser, args: Args, words: Words) -> core.Value:
    return args[0]


def _decorator(spec: Specialiser, args: Args, words: Words) -> core.Value:
    return core.constant(same_function)


def _cached(spec: Specialiser, args: Args, words: Words) -> core.Value:
    if args and isinstance(args[0], core.Closure):
        return cached_calls.cached_closure(args[0])
    return (
        args[0]
        if args and core.is_function(args[0])
        else core.constant(cached_function)
    )


def _super(spec: Specialiser, args: Args, words: Words) -> core.Value:
    if len(args) == 2:
        owner, receiver = args
        return core.Super(owner.kind.value, receiver)  # type: ignore[union-attr]
    frame = spec.frame
    while frame.parent is not None:
        frame = frame.parent
    name = "__class__"
    if frame.source.function is None:  # of a module that is only read
        name = frame.source.qualname.rpartition(".")[0]
    try:
        owner = frame.source.resolver.resolve(name).value
    except NameNotFound:
        raise core.Unsupported(
            "super() needs the class itself, which isn't known here",
            "name the method of the base class: Base.method(self, ...)",
        ) from None
    parameters = frame.source.node.args
    first = (parameters.posonlyargs + parameters.args)[0].arg
    return core.Super(owner, frame.names[first])


def _getattr(spec: Specialiser, args: Args, words: Words) -> core.Value | None:
    if len(args) not in (2, 3) or spec.derived:
        return None
    if not core.is_known(args[1]):
        found = _under_name_of_the_run(spec, args)
        if found is not None:
            return found
    name = known_name(args[1])
    if queries.is_reference(args[0]):
        if len(args) == 2:
            return spec.attribute_of(args[0], name)
        return held_attributes.attribute_or(spec, args[0], name, args[2])
    if len(args) == 3 and is_instance(args[0]) and not _has(spec, args[0], name):
        return args[2]
    if len(args) == 3 and isinstance(args[0], core.Leaf) and not _is_known(args[0]):
        return _getattr_of_data(spec, args[0], name, args[2])
    return spec.attribute_of(args[0], name)


def _under_name_of_the_run(spec: Specialiser, args: Args) -> core.Value | None:
    """``getattr(owner, name)`` of one of the attributes that an object holds; where it
    is taken apart it is kept first."""
    owner, name, *default = args
    if not queries.is_reference(owner):
        spec.keep_objects(owner)
        return None
    if default or not isinstance(name, core.Leaf):
        return None

    def under(known: str) -> core.Value:
        return spec.attribute_of(owner, known)

    owner = unions.structured(owner)
    return chosen_slots.attribute(spec, owner, name, under)


def _getattr_of_data(
    spec: Specialiser, value: core.Leaf, name: str, default: core.Value
) -> core.Value:
    """``getattr(x, name, default)`` of a number, an array or what the run knows."""
    there = {hasattr(cls, name) for cls in values_as_references.classes_of(value) or ()}
    derived = isinstance(value.kind, ir.Scalar) and value.kind.cls is not None
    if there == {True}:
        return spec.attribute_of(value, name)
    if there == {False} and not derived and not isinstance(value.kind, ir.Array):
        return default
    if not isinstance(default, core.Leaf) or ir.is_real_number_kind(default.kind):
        text = ast.unparse(spec.place)
        raise core.Unsupported(
            f"whether {text} is the attribute or the default isn't known",
            "ask with isinstance, or pass it in",
        )
    operands = (value.operand, ir.Const(name), default.operand)
    return spec.define(ir.Apply(getattr, operands), ir.OPAQUE, name)


def _hasattr(spec: Specialiser, args: Args, words: Words) -> core.Value | None:
    if len(args) != 2:
        return None
    name = _text(args[1])
    module = args[0].kind.value if _is_known(args[0]) else None  # type: ignore[union-attr]
    if isinstance(module, ModuleType) and name is not None:
        return core.constant(hasattr(module, name))
    if name is not None and queries.is_reference(args[0]):
        value = unions.present(args[0])
        return held_attributes.has_attribute(spec, value, name)
    if name is None:
        return None
    if is_instance(args[0]):
        return core.constant(_has(spec, args[0], name))
    classes = values_as_references.classes_of(args[0]) or ()
    there = {hasattr(cls, name) for cls in classes}
    told = len(there) == 1 and all(cls in _OF_PYTHON for cls in classes)
    return core.constant(there.pop()) if told else None


_OF_PYTHON = (*(float, int, bool, complex), *ir.CONTAINERS, np.ndarray, np.float64)
"""Classes of which the instances have no attributes of their own."""


def _has(spec: Specialiser, value: core.Value, name: str) -> bool:
    cls = class_of(value)
    if members.member_of(cls, name) is not None:
        return True
    if isinstance(value, core.Aggregate):
        held = name in value.keys
    elif isinstance(value, core.Cell):
        held = read_name(spec, value, name) is not None
    else:
        owner = value.kind.value  # type: ignore[union-attr]
        members.note_held(spec, owner, name)
        return hasattr(owner, name)
    if not held:
        members.require_none_made(cls, name)
    return held


def _text(value: core.Value) -> str | None:
    known = value.kind.value if _is_known(value) else None  # type: ignore[union-attr]
    return known if isinstance(known, str) else None


def _is_known(value: core.Value) -> bool:
    return isinstance(value, core.Leaf) and isinstance(value.kind, ir.Known)


def _set_attribute(spec: Specialiser, args: Args, words: Words) -> core.Value | None:
    """``object.__setattr__(self, name, value)`` while ``self`` is made."""
    owner, name, value = args
    text = _text(name)
    if not (core.is_object(owner) or isinstance(owner, core.Cell)) or text is None:
        raise core.Unsupported(
            "writing to an attribute can't be differentiated",
            "make a new object with the changed value",
        )
    set_name(spec, check_may_change(spec, owner), text, value)
    return core.constant(None)


def _setattr(spec: Specialiser, args: Args, words: Words) -> core.Value | None:
    """``setattr(owner, name, value)``."""
    owner, name, value = args
    if not core.is_known(name) and not queries.is_reference(owner):
        spec.keep_objects(owner)
    elif not core.is_known(name) and isinstance(name, core.Leaf):

        def under(known: str) -> None:
            set_attribute(spec, owner, known, value)

        kept = unions.structured(core.single(owner))
        if chosen_slots.store(spec, kept, name, value, under):
            return core.constant(None)
    set_attribute(spec, owner, known_name(name), value)
    return core.constant(None)


def _vars(spec: Specialiser, args: Args, words: Words) -> core.Value | None:
    """``vars(x)`` of an object."""
    return attributes_of(args[0]) if len(args) == 1 else None


def _callable(spec: Specialiser, args: Args, words: Words) -> core.Value | None:
    (value,) = args
    if isinstance(value, core.Choice):
        return (
            core.constant(True)
            if all(core.is_function(o) for _, o in value.options)
            else None
        )
    if function_records.is_record(value):
        return _callable_reference(spec, value)
    if is_instance(value):
        return core.constant(members.member_of(class_of(value), "__call__") is not None)
    return core.constant(core.is_function(value))


def _callable_reference(spec: Specialiser, value: core.Leaf) -> core.Value:
    """``callable(value)`` of what may be one of several functions."""
    kind = queries.kind_of(value)
    called = tuple(
        form
        for form in kind.forms
        if function_records.is_of_function(form)
        or members.member_of(form.constructor, "__call__") is not None
    )
    if len(called) == len(kind.forms) and kind.may_be_none:
        return spec.compare(ast.IsNot(), value, core.constant(None))
    return unions.is_among(spec, value, called)


def _type(spec: Specialiser, args: Args, words: Words) -> core.Value | None:
    if len(args) == 1 and queries.is_reference(args[0]):
        return unions.type_of(spec, args[0])
    if len(args) == 1 and (
        is_instance(args[0]) or isinstance(args[0], core.Aggregate | core.Cell)
    ):
        return core.constant(class_of(args[0]))
    if len(args) == 1 and core.kind_of(args[0]) == ir.NONE:
        return core.constant(type(None))
    numbers = len(args) == 1 and isinstance(
        core.kind_of(args[0]), ir.Scalar | ir.NumPyScalar
    )
    classes = values_as_references.classes_of(args[0]) if numbers else None
    if not classes or words:
        return None
    if len(classes) == 1:
        return core.constant(classes[0])
    asked = ir.Apply(type, (core.operand_of(args[0]),))
    found = spec.assign(spec.fresh("cls"), asked, ir.OPAQUE)
    spec.classes_asked[found.operand] = classes
    return found


def _replace(spec: Specialiser, args: Args, words: Words) -> core.Value:
    """``dataclasses.replace``: the class is called with the fields."""
    (value,) = args
    if queries.is_reference(value) and unions.are_told_apart(queries.kind_of(value)):
        spec.shared(words.values(), times=2)
        return unions.by_form(spec, value, lambda one: _replace(spec, (one,), words))
    cls: Any = class_of(value) if core.has_methods(value) else None
    if isinstance(cls, StaticClass):
        return static_objects.static_replaced(spec, value, cls, words)
    if not dataclasses.is_dataclass(cls):
        raise core.Unsupported(
            f"replace takes a dataclass, and this is {core.describe(value)}",
            "pass an instance of a dataclass",
        )
    fields = [f.name for f in dataclasses.fields(cls) if f.init]
    kept: Words = {
        name: spec.attribute_of(value, name) for name in fields if name not in words
    }
    made = construct(spec, cls, (), {**kept, **words})
    if made is None:
        raise core.Unsupported(f"{core.describe(value)} can't be made here")
    return made


def _operator(function: Any) -> Callable[..., core.Value | None]:
    def call(spec: Specialiser, args: Args, words: Words) -> core.Value | None:
        if spec.derived or words:
            return None
        return spec.operate(function, args)

    return call


def _conversion(method: str) -> Callable[..., core.Value | None]:
    def call(spec: Specialiser, args: Args, words: Words) -> core.Value | None:
        if len(args) == 0 or not is_instance(args[0]):
            return None
        return operator_methods.converted(spec, args[0], method, args[1:])

    return call


def _ndim(spec: Specialiser, args: Args, words: Words) -> core.Value | None:
    """``np.ndim(value)`` of a number, or of an array of known rank."""
    if len(args) != 1 or words or ir.is_promoted(core.kind_of(args[0])):
        return None
    rank = ir.rank_of(core.kind_of(args[0]))
    return None if rank is None else core.constant(rank)


def _shape(spec: Specialiser, args: Args, words: Words) -> core.Value | None:
    """``np.shape(value)``, as the attribute."""
    if len(args) != 1 or words:
        return None
    kind = core.kind_of(args[0])
    if isinstance(kind, ir.Array) and not kind.promoted:
        return spec.attribute_of(args[0], "shape")
    return core.aggregate_of(()) if ir.rank_of(kind) == 0 else None


def _identity(spec: Specialiser, args: Args, words: Words) -> core.Value | None:
    """``id(value)`` of an object, list or dict, which is kept. The run asks for it in
    its time, and no other has it: a pullback reads copies."""
    if len(args) != 1 or words:
        return None
    (value,) = args
    if isinstance(value, core.Cell):
        spec.keep_objects(value, surely=True)
    if not queries.is_reference(value):
        return None
    kind = queries.kind_of(value)
    if any(form.is_value or issubclass(form.constructor, tuple) for form in kind.forms):
        return None
    given = not all(forming.is_own(spec, form) for form in kind.forms)
    copied = storing.leads_to_changed_sets(spec, kind)
    if given and (copied or storing.leads_to_stored(spec, kind)):
        raise core.Unsupported(
            "the identity of what is given, of which a derivative changes a copy",
            "use an attribute, or a place in a list, that tells which one it is",
        )
    asked = ir.Apply(ops.at_its_time, (ir.Const(id), value.operand))
    return spec.assign(spec.fresh("identity"), asked, ir.INT)


SPECIAL_CALLS: dict[Any, Callable[..., core.Value | None]] = {
    functools.partial: _partial,
    operator.itemgetter: _getter(operator.itemgetter),
    operator.attrgetter: _getter(operator.attrgetter),
    operator.methodcaller: _getter(operator.methodcaller),
    functools.wraps: _decorator,
    same_function: _given_back,
    cached_function: _cached,
    functools.lru_cache: _cached,
    functools.cache: _cached,
    super: _super,
    getattr: _getattr,
    hasattr: _hasattr,
    object.__setattr__: _set_attribute,
    setattr: _setattr,
    vars: _vars,
    callable: _callable,
    type: _type,
    id: _identity,
    dataclasses.replace: _replace,
    np.ndim: _ndim,
    np.shape: _shape,
    **KEY_CALLS,
    **stopped_values.STOP_CALLS,
    **hooks.HOOK_CALLS,
    **nested_customs.MADE_INSIDE,
    defaultdict: container_methods.new_defaultdict,
    deque: container_methods.new_deque,
    **{cls: container_methods.maker_of(cls) for cls in (Counter, OrderedDict)},
    **{f: _operator(f) for f in OPERATORS.values()},
    **{
        getattr(builtins, name): _conversion(f"__{name}__")
        for name in ("abs", "len", "float", "int", "bool", "complex", "round", "divmod")
    },
}
