"""Names: local ones, and what comes from the module, the closure or builtins."""

import ast
import re
import sys
from contextlib import suppress
from enum import Enum
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, NoReturn

import numpy as np

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.heap.cells import outside_cells
from s2sad.frontend.specialise.iteration.eager_iteration import note_name
from s2sad.frontend.specialise.optionals.optionals import unwrapped
from s2sad.source.kinds.external_data import data_kind, is_live_object
from s2sad.source.kinds.foreign_classes import is_foreign, number_class
from s2sad.source.kinds.kinds_of_values import kind_of_value
from s2sad.source.kinds.orders import order_of
from s2sad.source.text.composed import OF_DERIVATIVE
from s2sad.source.text.resolve import NameNotFound, StaticData, is_apart

LITERALS = (bool, int, float, complex, str, bytes)
OBJECT = "<object>"
"""Stands for the module of data that is reached through a live object."""


@core.expression(ast.Name)
def name(spec: Specialiser, node: ast.Name) -> core.Value:
    owner = spec.frame.owner(node.id)
    if owner is None:
        return global_name(spec, node)
    value = owner.names.get(node.id)
    if value is not None and spec.procedures.under_way is not None:
        value = spec.read_variable(owner, node.id)
    if value is None and (owner, node.id) in spec.bound_later:
        _read_too_early(spec, owner, node)
    if value is None:
        value = core.Missing(
            f"{node.id!r} is read before it is assigned", "give it a value first"
        )
    spec.check_readable(value)
    if spec.eager_iteration_under_way:
        note_name(spec, owner, node.id, value)
    if id(owner.names.get(node.id)) in spec.half_bound:
        spec.unbound_reads.add((owner, node.id))
    if (owner, node.id) in spec.half_named and not spec.derived:
        note_read(spec, value)
    others = node.id in owner.written_by_others and not spec.derived
    if others or node.id in spec.rebound:  # it may change in the same statement
        with spec.inside(owner):
            value = spec.held(value, [node.id])
    if isinstance(value, core.Item):
        return spec.settled(value)
    return unwrapped(value)


def note_read(spec: Specialiser, value: core.Value) -> None:
    """The value of a name is read, which may have none."""
    for leaf in core.leaves(value):
        if isinstance(leaf.operand, ir.Var):
            spec.emit(ir.Effect(spec.span, ir.Apply(ops.evaluated, (leaf.operand,))))
            return


def _read_too_early(spec: Specialiser, owner: core.Frame, node: ast.Name) -> NoReturn:
    """In the first iteration this raises: what follows is reached in later ones alone,
    if at all."""
    problem = core.Unsupported(
        f"{node.id!r} is read before it is assigned", "give it a value first", node
    )
    if any(points.catches_unbound for points in spec.raise_points):
        raise problem  # generated code would read None in its place
    spec.unbound_reads.add((owner, node.id))
    spec.raises(problem)


def global_name(spec: Specialiser, node: ast.Name) -> core.Value:
    """A name of the module, the closure or builtins."""
    resolver = spec.frame.source.resolver
    try:
        binding = resolver.resolve(node.id)
    except NameNotFound as error:
        raise core.Unsupported(
            f"the name {node.id!r} isn't defined: {error}", "define or import it first"
        ) from None
    if not spec.derived:
        spec.module.reads.append(core.Read(resolver, node.id, (), binding.value))
    if binding.origin != "closure":
        return external_value(spec, binding.value, node.id, binding.module)
    return external_value(
        spec, binding.value, _captured_name(spec, node.id), "<closure>"
    )


def captured_name(spec: Specialiser, name: str) -> str | None:
    """How the output names a captured variable of the function under way; None for
    other names."""
    resolver: Any = spec.frame.source.resolver
    if name not in getattr(resolver, "_free", {}):
        return None
    return _captured_name(spec, name)


def _captured_name(spec: Specialiser, name: str) -> str:
    """How the output names a captured variable; those of an inlined function get its
    name too."""
    resolver: Any = spec.frame.source.resolver
    if resolver is spec.module.resolver:
        return name
    cell = resolver._free[name]
    spelled = f"{spec.frame.source.name.strip('<>')}_{name}"
    while spec.module.closures.get(spelled, cell) is not cell:
        spelled += "_"
    spec.module.closures[spelled] = cell
    return spelled


def known_object(spec: Specialiser, owner: Any, suffix: str, value: Any) -> core.Value:
    """The value of data that a live object holds, read live; ``suffix`` leads from the
    object to it: ``".weight"``."""
    spelled, module = place_of_object(spec, owner)
    return external_value(spec, value, spelled + suffix, module)


def named_object(spec: Specialiser, value: core.Value) -> core.Value:
    """A live object that is passed to a function, under the name that leads to it."""
    if not isinstance(value, core.Leaf) or not isinstance(value.operand, ir.Const):
        return value
    known = value.operand.value
    return object_global(spec, known, value.kind) if is_live_object(known) else value


def object_global(spec: Specialiser, known: Any, kind: ir.Kind) -> core.Leaf:
    """A known object as data of the program, under the name that leads to it."""
    return _global(spec, *place_of_object(spec, known), kind)


def generator_as_data(spec: Specialiser, generator: Any) -> core.Leaf | None:
    """A random generator that functions were handed, or that one of another module
    reads, under a name of the output; None where the function's own module has one."""
    if spec.frame.source.resolver.module == spec.module.name:
        module = sys.modules.get(spec.module.name)
        if any(held is generator for held in vars(module or sys).values()):
            return None
    kind = kind_of_value(generator, "generator")
    return _global(spec, _object_name(spec, generator), OBJECT, kind)


def place_of_object(spec: Specialiser, owner: Any) -> tuple[str, str]:
    """The name that leads to a known object, and the module it is in."""
    return spec.module.places.get(id(owner)) or (_object_name(spec, owner), OBJECT)


def _object_name(spec: Specialiser, owner: Any) -> str:
    """How the output names an object that no name of the module leads to."""
    name = getattr(owner, "__name__", None)
    if not isinstance(name, str) or not name.isidentifier():
        name = type(owner).__name__
        name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    found = name
    while spec.module.objects.get(found, owner) is not owner or _means_other(
        spec, found, owner
    ):
        found += "_"
    spec.module.objects[found] = owner
    return found


def _means_other(spec: Specialiser, name: str, value: Any) -> bool:
    if name in spec.user_names:
        return True
    try:
        found = spec.module.resolver.resolve(name).value
    except NameNotFound:
        return False
    if isinstance(found, StaticData) and found.expression is found.annotation is None:
        return not name.endswith("_")  # a star import may bring any name: all but these
    return found is not value


def external_value(
    spec: Specialiser, value: Any, spelled: str, module: str
) -> core.Value:
    """The value of data or a function that the program takes from outside."""
    found = _external_value(spec, value, spelled, module)
    return outside_cells(spec, found, spelled, module)


def _external_value(
    spec: Specialiser, value: Any, spelled: str, module: str
) -> core.Value:
    if isinstance(value, StaticData) and value.made is not None:
        return spec.call_value(core.constant(value.made), (), {})
    if isinstance(value, StaticData):
        return _global(spec, spelled, module, data_kind(value, spelled))
    if type(value) in _NO_DATA:
        _note_spelling(spec, value, spelled, module)
        return core.Leaf(ir.Const(value), ir.Known(value))
    data_lists = spec.options.data_lists
    kind = _data_kind(spec, value, spelled)
    if isinstance(kind, ir.Reference) and data_lists.form == "kept":
        data_lists.met = True
    elsewhere = is_apart(module) and module != spec.module.name
    if isinstance(value, list | dict) and not elsewhere:
        data = ir.Global(spelled, module)
        spec.module.containers.setdefault(data, type(value))
    if isinstance(kind, ir.Known):
        if is_live_object(value) or _is_data(value) or is_of_derived_class(value):
            if not elsewhere:
                spec.module.places.setdefault(id(value), (spelled, module))
            spec.read_attribute(value, "__class__", type(value))
        else:
            _note_spelling(spec, value, spelled, module)
        if is_of_derived_class(value) or isinstance(value, set):
            if elsewhere:
                raise _not_to_be_had(spec, spelled)
            leaf = _global(spec, spelled, module, kind)
            number = number_class(type(value))
            if number is not None and isinstance(leaf.operand, ir.Global):
                # where it is an operand
                spec.module.kinds[leaf.operand] = ir.Scalar(
                    number.__name__, cls=type(value)
                )
            return leaf
        return core.Leaf(ir.Const(value), kind)
    if isinstance(value, bool):
        return core.constant(value)
    if elsewhere:
        raise _not_to_be_had(spec, spelled)
    if (
        isinstance(value, tuple | list | dict)
        and getattr(kind, "items", None) is not None
    ):
        return _external_structure(spec, value, kind, spelled, module)
    if spec.derived and isinstance(value, int | float):
        return core.constant(value)
    spec.note_symbols(kind)
    return _global(spec, spelled, module, kind, order_of(value))


def _data_kind(spec: Specialiser, value: Any, spelled: str) -> ir.Kind:
    """The kind of data of the module; of what is kept the same in all runs."""
    known = spec.facts.of_data.get(id(value))
    if known is not None:
        return known[1]
    kind = data_kind(value, spelled, spec.options.data_lists.form)
    if isinstance(kind, ir.Reference):
        spec.facts.of_data[id(value)] = value, kind
    return kind


_NO_DATA = frozenset({type, FunctionType, BuiltinFunctionType, ModuleType, np.ufunc})
"""The types of most of what names of modules mean."""


def _note_spelling(spec: Specialiser, value: Any, spelled: str, module: str) -> None:
    """Remember how the user's own code calls a function, class or module."""
    own = module in (spec.module.name, "<closure>")
    if own and not spec.derived and _is_users(spec):
        with suppress(TypeError):  # values that can't be hashed
            spec.module.spellings.setdefault(value, spelled)


def _not_to_be_had(spec: Specialiser, spelled: str) -> core.Unsupported:
    source = spec.frame.source
    return core.Unsupported(
        f"{source.name!r} reads {spelled!r}, and the code of {source.name!r} is in no "
        "module that can be imported",
        "import what defines it as a module, or pass the value as an argument",
    )


def is_of_derived_class(value: Any) -> bool:
    """True for a number or text of a class derived from Python's, as members of
    enumerations are: its literal would be a value of another class.

    >>> import signal
    >>> is_of_derived_class(signal.SIGINT), is_of_derived_class(2)
    (True, False)
    """
    return isinstance(value, LITERALS) and type(value) not in LITERALS


def _is_data(value: Any) -> bool:
    """True for numbers and arrays of other classes than Python's and NumPy's."""
    return number_class(type(value)) is not None or is_foreign(type(value))


def _is_users(spec: Specialiser) -> bool:
    """True where names are those of the user's function, not of one that calls it."""
    source = spec.frame.source
    calls = source.filename.startswith(OF_DERIVATIVE)
    return source.resolver.module == spec.module.name and not calls


def _global(
    spec: Specialiser,
    spelled: str,
    module: str,
    kind: ir.Kind,
    order: str | None = None,
) -> core.Leaf:
    operand = ir.Global(spelled, module, ir.dtype_of(kind), kind, order)
    spec.module.kinds[operand] = kind
    return core.Leaf(operand, kind)


def _external_structure(
    spec: Specialiser, value: Any, kind: Any, spelled: str, module: str
) -> core.Value:
    keys = list(value) if isinstance(value, dict) else range(len(value))
    items = tuple(
        _external_value(
            spec, value[key], f"{spelled}[{_key(spec, key, module)}]", module
        )
        for key in keys
    )
    return core.Aggregate(kind.constructor, kind.keys, items)


def _key(spec: Specialiser, key: Any, module: str) -> str:
    """How a key of a structure of the module is written."""
    if not isinstance(key, Enum):
        return repr(key)
    name = type(key).__name__
    if module == spec.module.name:
        with suppress(NameNotFound):
            if spec.module.resolver.resolve(name).value is type(key):
                return f"{name}.{key.name}"
    raise core.Unsupported(
        f"a dict with keys of {name}, which has no name beside it",
        f"import {name} by its name in the module of the function and of the dict",
    )


def named(spec: Specialiser, node: ast.expr) -> core.Value | None:
    """What a name, or an attribute of a module, means; None for other expressions,
    which can't be looked at without running them."""
    if isinstance(node, ast.Attribute):
        owner = named(spec, node.value)
        is_module = isinstance(owner, core.Leaf) and isinstance(owner.operand, ir.Const)
        if not is_module or not isinstance(owner.operand.value, ModuleType):  # type: ignore[union-attr]
            return None
    elif not isinstance(node, ast.Name):
        return None
    return spec.evaluate(node)


def calls(spec: Specialiser, node: ast.Call, function: Any) -> bool:
    """True for a call of a function by its name."""
    called = named(spec, node.func)
    return isinstance(called, core.Leaf) and called.operand == ir.Const(function)
