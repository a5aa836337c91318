"""Functions of which only the run knows which one is called, as in a list of them:
closure conversion.

::

    fs = [lambda v, w=w: w * v for w in ws]        fs = []
    for f in fs:                                   for w in ws:
        x = f(x)                           ->          fs.append(Lambda(w=w))
                                                   for f in fs:
                                                       x = f.w * x

A record holds what its function keeps: defaults, arguments of ``functools.partial``,
the object of a bound method, and the variables that it reads of a call that may be one
of many. Texts, flags and functions among these are known: they make records of another
class. Variables of the differentiated function itself are read from there when the
function is called, as Python does.

Source: Reynolds, Definitional Interpreters for Higher-Order Programming Languages,
1972 (defunctionalization).
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Set
from dataclasses import replace
from types import BuiltinFunctionType, FunctionType, MethodType, MethodWrapperType
from typing import Any, TypeGuard

import numpy as np

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.closures.closure_conversion import (
    KNOWN,
    NODES,
    Called,
    plan_of,
)
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser, Words

_CALLS: dict[type, Called] = {}


def may_be_record(value: core.Value) -> bool:
    """True for a function that keeps something, or that is made in the program."""
    if isinstance(value, core.Choice):
        options = [option for _, option in value.options]
        return any(map(core.is_function, options)) and all(map(_is_function, options))
    return isinstance(value, core.FUNCTIONS)


def _is_function(value: core.Value) -> bool:
    return core.is_function(value) or value == core.constant(None)


def as_record(spec: Specialiser, value: core.Value) -> core.Value:
    """A function as a record of what it keeps; other values as they are."""
    if isinstance(value, core.Choice) and may_be_record(value):
        return _one_of(spec, value)
    if not core.is_function(value):
        return value
    plan = plan_of(spec, value)
    if plan is None:
        return value
    _CALLS[plan.cls] = plan.call
    return spec.kept_record(plan.cls, plan.held)


def made(spec: Specialiser, closure: core.Closure) -> core.Value:
    """A function that is made here: a record where that is needed."""
    if closure.source.node in spec.facts.function_records:
        return as_record(spec, closure)
    return closure


def let_be_records(spec: Specialiser, *values: core.Value) -> None:
    """Let the functions among some values be records from where they are made. Does
    nothing where that is known already."""
    _let_be_records(
        spec, {closure.source.node for v in values for closure in _closures_in(v)}
    )


def _let_be_records(spec: Specialiser, nodes: Set[Any]) -> None:
    known = spec.facts.function_records
    if not nodes <= known and not spec.derived:
        spec.learn(replace(spec.facts, function_records=known | nodes))
        raise core.Learned


@core.verb
def keep_functions(spec: Specialiser, before: core.Value, after: core.Value) -> None:
    """Where a loop makes ever more functions by one text, of which only the run knows
    which one a name holds: let them be records."""
    if isinstance(after, core.Choice):
        nodes = [closure.source.node for closure in _closures_in(after)]
        if len(nodes) > max(len(set(nodes)), len(list(_closures_in(before)))):
            let_be_records(spec, after)


def _closures_in(value: core.Value) -> Iterator[core.Closure]:
    if isinstance(value, core.Closure):
        yield value
    for _, part in core.parts_of(value):
        yield from _closures_in(part)


def check_key(spec: Specialiser, key: core.Value) -> None:
    """Refuse functions as keys that don't stay one object."""
    kinds = [core.kind_of(part) for part in (key, *(p for _, p in core.parts_of(key)))]
    forms = [form for kind in kinds for form in ir.forms_in(kind)]
    classes = {form.constructor for form in forms if is_of_function(form)}
    _let_be_records(
        spec,
        {NODES[cls] for cls in classes if cls in NODES},
    )
    if classes - NODES.keys():
        raise core.Unsupported(
            "a function that only the run can tell from others is a key of a dict",
            "use a text or number that tells which function it is",
        )


def as_held(spec: Specialiser, held: ir.Kind | None, value: core.Value) -> core.Value:
    """A function as it stands where a kind is held: one that is known and stands alone
    as itself, others as records."""
    if may_be_record(value):
        return as_record(spec, value)
    alone = held in (None, ir.NONE) or held == core.kind_of(value)
    return value if alone or isinstance(held, ir.OneOf) else as_record(spec, value)


def is_another(held: ir.Kind | None, value: core.Value) -> TypeGuard[ir.Known]:
    """True for a function where a known one stood alone so far."""
    known = isinstance(held, ir.Known) and callable(held.value)
    if not known or core.kind_of(value) == held:
        return False
    return core.is_function(value) or may_be_record(value) or is_record(value)


def kind_of_record(spec: Specialiser, known: ir.Known) -> ir.Reference:
    """The kind of the record of a function that is known."""
    kind = core.kind_of(as_record(spec, core.Leaf(ir.Const(known.value), known)))
    assert isinstance(kind, ir.Reference)
    return kind


def is_record(value: core.Value) -> TypeGuard[core.Leaf]:
    """True for what may be such a record."""
    kind = core.kind_of(value)
    return isinstance(kind, ir.Reference) and any(map(is_of_function, kind.forms))


def is_of_function(form: ir.Form) -> bool:
    """True for the form of such a record."""
    return form.constructor in _CALLS


def are_among(classes: Iterable[Any]) -> bool:
    """True for classes of which one is that of such a record."""
    return any(cls in _CALLS for cls in classes)


def holds_records(kind: ir.Kind | None) -> bool:
    """True for what leads to such records."""
    return isinstance(kind, ir.Reference | ir.List) and any(
        map(is_of_function, ir.forms_in(kind))
    )


_OF_FUNCTIONS = (
    *(FunctionType, BuiltinFunctionType, MethodType, MethodWrapperType),
    *(functools.partial, type, np.ufunc),
)


def check_class(forms: Iterable[ir.Form], classes: tuple[Any, ...]) -> None:
    """Refuse to ask whether a value is of a class that functions are of."""
    if any(map(is_of_function, forms)) and any(
        issubclass(own, classes) for own in _OF_FUNCTIONS
    ):
        raise core.Unsupported(
            "of which class a function is that only the run can tell from others",
            "ask whether it is one: callable(f)",
        )


def check_attribute(forms: Iterable[ir.Form], name: str) -> None:
    """Refuse to read or store attributes of functions."""
    if any(is_of_function(form) for form in forms):
        raise core.Unsupported(
            f"the attribute {name!r} of a function that only the run can tell from "
            "others",
            "keep what it holds beside it",
        )


def check_identity(
    spec: Specialiser, left: ir.Reference, right: ir.Reference, by_object: bool
) -> None:
    """Refuse to compare functions, ``by_object`` or by ``==``, where their records
    don't tell whether they are the same. Those that are made here are records from then
    on."""
    common = {form.constructor for form in left.forms if is_of_function(form)}
    common &= {form.constructor for form in right.forms}
    _let_be_records(
        spec,
        {NODES[cls] for cls in common if cls in NODES},
    )
    for cls in common - NODES.keys() - KNOWN:
        if by_object or "__eq__" not in vars(cls):
            raise core.Unsupported(
                "whether these are the same function isn't followed",
                "compare names or numbers that tell them apart",
            )


def is_beside_record(value: core.Value, other: core.Value) -> bool:
    """True for a function where paths meet, and a record on the other path."""
    return is_record(other) and (may_be_record(value) or core.is_function(value))


def call_record(
    spec: Specialiser, record: core.Leaf, args: Args, keywords: Words
) -> core.Value:
    """A call of the function of a record."""
    assert isinstance(record.kind, ir.Reference)
    form = record.kind.forms[0]
    held = {
        str(name): spec.read_slot(record, str(name), form.slots[name])
        for name in form.keys
    }
    return _CALLS[form.constructor](spec, held, args, keywords)


def _one_of(spec: Specialiser, choice: core.Choice) -> core.Value:
    """A record of the one that is chosen."""

    def from_position(position: int) -> core.Value:
        tag, option = choice.options[position]
        if position == len(choice.options) - 1:
            return as_record(spec, option)
        return spec.select(
            spec.is_option(choice, tag),
            lambda: as_record(spec, option),
            lambda: from_position(position + 1),
            "function",
        )

    return from_position(0)
