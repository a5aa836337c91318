"""Attributes: of modules, arrays, numbers, structures; methods are looked up here,
called elsewhere."""

import ast
from collections import deque
from enum import Enum
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from s2sad import custom, ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.containers import dicts, list_methods, run_time_sets
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.heap import cells, chosen_cells
from s2sad.frontend.specialise.language.names import (
    captured_name,
    external_value,
    generator_as_data,
    place_of_object,
)
from s2sad.frontend.specialise.library_calls import constant_calls, sparse_operands
from s2sad.frontend.specialise.objects import members
from s2sad.frontend.specialise.objects.objects import object_attribute
from s2sad.frontend.specialise.optionals.optionals import (
    is_array_or_none,
    present,
    present_under_its_name,
)
from s2sad.frontend.specialise.run_time import held_attributes, queries
from s2sad.rules.random_draws import CLASSES
from s2sad.rules.steps import shape_queries
from s2sad.source.kinds.external_data import is_live_object
from s2sad.source.kinds.kinds_of_values import PYTHON_NUMBERS
from s2sad.source.static.customs import GIVING
from s2sad.source.static.module import StaticModule
from s2sad.source.text.libraries import is_library
from s2sad.source.text.resolve import NameNotFound, StaticClass, is_apart


@core.expression(ast.Attribute)
def attribute(spec: Specialiser, node: ast.Attribute) -> core.Value:
    is_called = spec.called is node
    value = spec.evaluate(node.value)
    found = attribute_of(spec, value, node.attr)
    if isinstance(found, core.Method) and not is_called:
        read = constant_calls.constant_attribute(spec, found.receiver, node.attr)
        if read is not None:
            return read
        if not spec.problems:  # of which it may be one more sign
            _refuse_unknown(found, node)
    return found


def _refuse_unknown(found: core.Method, node: ast.Attribute) -> None:
    """Refuse what is read of a number or array and is none of their methods."""
    value, name = found.receiver, found.name
    if not isinstance(value, core.Leaf) or name == "flat":
        return
    if not isinstance(value.kind, ir.Scalar | ir.NumPyScalar | ir.Array | ir.Unknown):
        return
    if not any(callable(getattr(cls, name, None)) for cls in _WITH_METHODS):
        raise core.Unsupported(
            f"what {ast.unparse(node)} is isn't known", "read it outside and pass it in"
        )


_WITH_METHODS = (*PYTHON_NUMBERS, str, bytes, np.ndarray, np.float64, *CLASSES)


@core.verb
def attribute_of(spec: Specialiser, value: core.Value, name: str) -> core.Value:
    """``value.name``."""
    value = present(spec, value)
    if isinstance(value, core.Part):
        value = spec.settled(value)
    if name in dicts.VIEWS and cells.is_choice_of_dicts(value):
        return core.Method(value, name)
    if chosen_cells.is_choice_of_cells(value):
        return chosen_cells.attribute_of_the_one(
            spec, value, lambda one: attribute_of(spec, one, name)
        )
    if (
        core.is_object(value)
        or core.is_cell_of_object(value)
        or isinstance(value, core.Super)
    ):
        return object_attribute(spec, value, name)
    if isinstance(value, core.Cell):
        if value.constructor is deque and name == list_methods.LIMIT:
            limit = cells.read_name(spec, value, name)
            return core.constant(None) if limit is None else limit
        return core.Method(value, name)
    if isinstance(value, core.Aggregate):
        if issubclass(value.constructor, tuple) and value.constructor not in (
            tuple,
            core.Keys,
        ):
            return object_attribute(spec, value, name)
        if value.constructor is slice:
            name = {"start": "lower", "stop": "upper"}.get(name, name)
        plain = (tuple, list, dict, set, frozenset, core.Keys)
        if value.constructor not in plain and name in value.keys:
            return value.item(name)
        return core.Method(value, name)
    if queries.is_reference(value):
        return held_attributes.attribute_of_reference(spec, value, name)
    spec.check_readable(value)
    if core.is_attributes(value):
        return core.Method(value, name)
    if not isinstance(value, core.Leaf):
        raise core.Unsupported(f"an attribute of {core.describe(value)}")
    if is_array_or_none(value):
        why = f"'NoneType' object has no attribute {name!r}"
        value = present_under_its_name(spec, value, AttributeError, why)
        assert isinstance(value, core.Leaf)
    kind = value.kind
    if run_time_sets.is_of_the_run(value):
        return core.Method(value, name)
    if isinstance(kind, ir.Known):
        return _attribute_of_known(spec, kind.value, name)
    if isinstance(kind, ir.List):
        return core.Method(value, name)
    sparse = sparse_operands.sparse_attribute(spec, value, name)
    if sparse is not None:
        return sparse
    if isinstance(kind, ir.Foreign) and name not in ("shape", "ndim", "size"):
        if callable(getattr(kind.cls, name, None)):
            return core.Method(value, name)
        return _read(spec, value, name, ir.OPAQUE)
    if isinstance(kind, ir.Scalar) and kind.cls is not None:
        return _of_derived_number(spec, value, kind, name)
    if isinstance(kind, ir.Scalar | ir.NumPyScalar | ir.Array | ir.Unknown):
        read = _ARRAY_ATTRIBUTES.get(name)
        if read is not None:
            return read(spec, value)
        return core.Method(value, name)
    raise core.Unsupported(f"the attribute {name!r} of {core.describe(value)}")


def _read(spec: Specialiser, value: core.Leaf, name: str, kind: ir.Kind) -> core.Value:
    operands = (value.operand, ir.Const(name))
    return spec.define(ir.Apply(getattr, operands, (), f"attribute:{name}"), kind, name)


def _read_count(name: str) -> Any:
    def read(spec: Specialiser, value: core.Leaf) -> core.Value:
        return _read(spec, value, name, ir.INT)

    return read


def _of_derived_number(
    spec: Specialiser, value: core.Leaf, kind: ir.Scalar, name: str
) -> core.Value:
    """An attribute of a number of a class derived from Python's."""
    if name in ("real", "imag"):
        return _ARRAY_ATTRIBUTES[name](spec, value)
    if name == "value" and kind.cls is not object and issubclass(kind.cls, Enum):
        return _read(spec, value, name, ir.Scalar(kind.type))
    own = (kind.cls, *PYTHON_NUMBERS)
    if any(callable(getattr(cls, name, None)) for cls in own):
        return core.Method(value, name)
    return _read(spec, value, name, ir.OPAQUE)


def _attribute_of_known(spec: Specialiser, owner: Any, name: str) -> core.Value:
    resolver = spec.frame.source.resolver
    if isinstance(owner, custom.CustomFunction) and name in GIVING:
        return core.Method(core.constant(owner), name)
    if isinstance(owner, Enum) and name in ("name", "value"):
        return core.constant(getattr(owner, name))
    if is_live_object(owner):
        return object_attribute(spec, core.constant(owner), name)
    if isinstance(owner, np.finfo | np.iinfo) and hasattr(owner, name):
        return _number_of_library(spec, getattr(owner, name))
    try:
        value = resolver.attribute(owner, name)
    except (AttributeError, NameNotFound):
        called = getattr(owner, "__name__", None) or getattr(owner, "name", owner)
        advice = "check the spelling"
        path = getattr(owner, "path", None)
        if isinstance(path, Path):
            advice += f", and that {called} is meant to be the file {path.name}"
        raise core.Unsupported(
            f"{called!s} has no attribute {name!r}", advice
        ) from None
    if isinstance(owner, str):
        return core.Method(core.constant(owner), name)
    if isinstance(owner, StaticClass):
        member = members.member_of(owner, name)
        if member is not None and member.sort == "class":
            return core.Partial(core.constant(value), (core.constant(owner),))
    elsewhere = resolver.module != spec.module.name
    root, path = _dotted(spec.place)
    local = not isinstance(root, ast.Name) or spec.frame.owner(root.id) is not None
    if isinstance(owner, CLASSES) and (local or elsewhere):
        source = generator_as_data(spec, owner)
        if source is not None:
            if not local and not spec.derived:
                spec.module.reads.append(core.Read(resolver, root.id, path, value))
            return core.Method(source, name)
    if local:
        if isinstance(owner, StaticModule):
            spec.module.reads.append(core.Read(owner.resolver, name, (), value))
        return external_value(spec, value, *_place_of(spec, owner, name))
    spelled = ".".join((root.id, *path))
    to_be_had = not is_apart(resolver.module) or resolver.module == spec.module.name
    bound = getattr(value, "__self__", None) is owner and not isinstance(owner, type)
    if bound and to_be_had:
        to_object = spelled.rpartition(".")[0]  # of a bound method
        spec.module.places.setdefault(id(owner), (to_object, resolver.module))
    if not spec.derived and _may_change(owner):
        spec.module.reads.append(core.Read(resolver, root.id, path, value))
    if elsewhere and isinstance(owner, ModuleType) and is_library(owner.__name__):
        return external_value(spec, value, name, owner.__name__)
    own = captured_name(spec, root.id)
    if own is not None:  # a captured variable of an inlined function
        spelled = own + spelled[len(root.id) :]
    return external_value(spec, value, spelled, resolver.module)


def _dotted(node: Any) -> tuple[Any, tuple[str, ...]]:
    """What attributes are read of, and their names: of ``np.linalg.norm``, the node of
    ``np`` and the other two."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.insert(0, node.attr)
        node = node.value
    return node, tuple(names)


def _number_of_library(spec: Specialiser, value: Any) -> core.Value:
    """A number that NumPy tells of a dtype, of the type that it has there."""

    if not isinstance(value, np.generic):
        return core.constant(value)
    return spec.call_function(type(value), (core.constant(value.item()),), {})


def _place_of(spec: Specialiser, owner: Any, name: str) -> tuple[str, str]:
    """The path and module of an attribute reached through a local name."""
    if isinstance(owner, type):
        return f"{owner.__qualname__}.{name}", owner.__module__
    if isinstance(owner, StaticClass):
        return f"{owner.path}.{name}", owner.module
    if isinstance(owner, StaticModule):
        return name, owner.name
    if isinstance(getattr(owner, "__name__", None), str):
        return name, owner.__name__
    path, module = place_of_object(spec, owner)
    return f"{path}.{name}", module


def _may_change(owner: Any) -> bool:
    """True for the user's modules and classes; libraries are taken to stay as they
    are."""
    import sys

    root = (getattr(owner, "__name__", "") or "").split(".")[0]
    return root not in sys.stdlib_module_names and root not in _LIBRARIES


_LIBRARIES = ("numpy", "scipy", "s2sad")


def _shape(spec: Specialiser, value: core.Leaf) -> core.Value:
    rank = ir.rank_of(value.kind)
    if rank is None or (isinstance(value.kind, ir.Array) and value.kind.promoted):
        return spec.apply(shape_queries.shape_of, (value,), spelling="attribute:shape")
    axes = ir.axes_of(value.kind)
    assert axes is not None
    lengths: list[core.Value] = []
    for k, axis in enumerate(axes):
        if axis.length == "one":
            lengths.append(core.constant(1))
        else:
            lengths.append(
                spec.apply(
                    shape_queries.axis_length, (value, core.constant(k)), hint="length"
                )
            )
    return core.aggregate_of(tuple(lengths))


def _ndim(spec: Specialiser, value: core.Leaf) -> core.Value:
    rank = ir.rank_of(value.kind)
    if rank is None or (isinstance(value.kind, ir.Array) and value.kind.promoted):
        return spec.apply(shape_queries.rank_of_array, (value,))
    return core.constant(rank)


def _size(spec: Specialiser, value: core.Leaf) -> core.Value:
    if ir.rank_of(value.kind) == 0:
        return core.constant(1)
    # In a rule the value may be a number, which has no attributes.
    spelling = "" if spec.derived else "attribute:size"
    return spec.apply(np.size, (value,), spelling=spelling)


def _dtype(spec: Specialiser, value: core.Leaf) -> core.Value:
    name = ir.dtype_of(value.kind)
    if name is None:
        return spec.apply(
            shape_queries.dtype_of_array, (value,), spelling="attribute:dtype"
        )
    return core.constant(np.dtype(name))


def _transposed(spec: Specialiser, value: core.Leaf) -> core.Value:
    if ir.rank_of(value.kind) in (0, 1):
        return value
    return spec.apply(np.transpose, (value,), spelling="attribute:T", hint="transposed")


def _matrix_transposed(spec: Specialiser, value: core.Leaf) -> core.Value:
    last = core.constant(-1), core.constant(-2)
    return spec.apply(np.swapaxes, (value, *last), hint="transposed")


def _real(spec: Specialiser, value: core.Leaf) -> core.Value:
    if not _may_be_complex(value):
        return value
    return spec.apply(np.real, (value,), spelling="attribute:real")


def _imaginary(spec: Specialiser, value: core.Leaf) -> core.Value:
    """Of real numbers zeros, which nobody can write into."""

    if _may_be_complex(value):
        return spec.apply(np.imag, (value,), spelling="attribute:imag")
    if ir.rank_of(value.kind) == 0:
        return core.constant(0.0)
    return spec.call_function(np.zeros_like, (value,), {})


def _may_be_complex(value: core.Leaf) -> bool:
    return (ir.dtype_of(value.kind) or "complex").startswith("complex")


def _layout(name: str) -> Any:
    def refuse(spec: Specialiser, value: core.Leaf) -> core.Value:
        raise core.Unsupported(
            f"the attribute {name!r} of an array tells how it lies in memory, and "
            "generated code may lay it out in another way",
            "compute it outside and pass it in, or use indices and reshape",
        )

    return refuse


_ARRAY_ATTRIBUTES = {
    "shape": _shape,
    "ndim": _ndim,
    "size": _size,
    "dtype": _dtype,
    "T": _transposed,
    "mT": _matrix_transposed,
    "real": _real,
    "imag": _imaginary,
    **{n: _read_count(n) for n in ("itemsize", "nbytes", "numerator", "denominator")},
    **{n: _layout(n) for n in ("strides", "flags", "base", "data", "ctypes")},
}
