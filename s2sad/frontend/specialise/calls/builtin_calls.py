"""Calls that the specialiser itself answers: builtins on structures, constructors."""

from collections.abc import Callable
from typing import Any

from s2sad import ir, rules
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.optionals import optionals, values_as_references
from s2sad.frontend.specialise.run_time import queries, reading, unions
from s2sad.source.annotations.annotation_nodes import is_derived


def _print(spec: Specialiser, args: Any, keywords: Any) -> core.Value:
    words = tuple((k, core.operand_of(v)) for k, v in keywords.items())
    spec.emit(
        ir.Effect(spec.span, ir.Apply(print, tuple(map(core.operand_of, args)), words))
    )
    return core.constant(None)


def _len(spec: Specialiser, args: Any, keywords: Any) -> core.Value:
    (value,) = args
    if isinstance(value, core.Aggregate):
        return core.constant(len(value.items))
    if queries.is_reference(value):
        return reading.length_of(spec, value)
    result = spec.apply(len, (value,), hint="count")
    kind = core.kind_of(result)
    if isinstance(kind, ir.Scalar) and kind.value is not None:
        return core.constant(kind.value)
    return result


def _isinstance(spec: Specialiser, args: Any, keywords: Any) -> core.Value:
    if len(args) != 2 or keywords:
        raise core.Unsupported("isinstance takes a value and classes")
    value, classes = args
    answer = None
    if core.is_known(classes) and queries.is_reference(value):
        known: Any = core.known_value(classes)
        return unions.instance_test(spec, value, known)
    if core.is_known(classes):
        asked: Any = core.known_value(classes)
        answer = is_instance_of(value, asked)
        if isinstance(value, core.Leaf) and value.operand in spec.opaque_classes:
            answer = _is_among((spec.opaque_classes[value.operand],), asked)
        elif isinstance(value, core.Leaf) and optionals.is_array_or_none(value):
            return optionals.array_or_none_is(spec, value, asked)
    if answer is not None:
        return core.constant(answer)
    operation = ir.Apply(isinstance, tuple(core.operand_of(a) for a in args))
    return spec.define(operation, ir.BOOL, "condition")


def is_instance_of(value: core.Value, classes: Any) -> bool | None:
    """isinstance, decided by kinds; None where they don't tell."""
    found = values_as_references.classes_of(value)
    return None if found is None else _is_among(found, classes)


def _is_among(found: tuple[Any, ...], classes: Any) -> bool | None:
    """Whether all of these classes, or none, are derived from others."""
    listed = classes if isinstance(classes, tuple) else (classes,)
    try:
        answers = {is_derived(cls, listed) for cls in found}
    except TypeError:  # no class
        return None
    return answers.pop() if len(answers) == 1 else None


def _tuple_or_list(constructor: type) -> Callable[..., core.Value]:
    def convert(spec: Specialiser, args: Any, keywords: Any) -> core.Value:
        if not args:
            return core.aggregate_of((), constructor)
        (value,) = args
        if isinstance(value, core.Aggregate):
            items = value.items
            if value.constructor is dict:
                items = tuple(core.constant(k) for k in value.keys)
            return core.aggregate_of(items, constructor)
        raise core.Unsupported(
            f"{constructor.__name__}() of a value {core.describe(value)}",
            "use the array itself",
        )

    return convert


def _dict(spec: Specialiser, args: Any, keywords: Any) -> core.Value:
    entries: dict[Any, core.Value] = {}
    if args:
        (value,) = args
        if not isinstance(value, core.Aggregate) or value.constructor is not dict:
            raise core.Unsupported("dict() of anything but a dict", "write {...}")
        entries.update(zip(value.keys, value.items, strict=True))
    entries.update(keywords)
    return core.Aggregate(dict, tuple(entries), tuple(entries.values()))


def _slice(spec: Specialiser, args: Any, keywords: Any) -> core.Value:
    none = core.constant(None)
    if len(args) == 1:
        return core.slice_of(none, args[0], none)
    lower, upper, *step = args
    return core.slice_of(lower, upper, step[0] if step else none)


def _zip_of_structures(spec: Specialiser, args: Any, keywords: Any) -> core.Value:
    strict = core.kind_of(keywords.get("strict", core.constant(False)))
    if all(isinstance(a, core.Aggregate) for a in args) and rules.is_static(strict):
        lengths = {len(a.items) for a in args}
        if rules.static_value(strict) and len(lengths) > 1:
            raise core.Unsupported(
                "zip with strict=True gets structures of different lengths",
                "give it structures of one length",
            )
        rows = zip(*(a.items for a in args), strict=False)
        return core.aggregate_of(tuple(core.aggregate_of(row) for row in rows))
    raise core.Unsupported("zip outside of a for loop", "index the arrays")


def _enumerate_structure(spec: Specialiser, args: Any, keywords: Any) -> core.Value:
    if isinstance(args[0], core.Aggregate) and not keywords and len(args) == 1:
        return core.aggregate_of(
            tuple(
                core.aggregate_of((core.constant(k), v))
                for k, v in enumerate(args[0].items)
            )
        )
    raise core.Unsupported("enumerate outside of a for loop", "loop over range")


def _range_outside(spec: Specialiser, args: Any, keywords: Any) -> core.Value:
    if all(core.is_known(a) for a in args):
        numbers = range(*(core.known_value(a) for a in args))
        if len(numbers) <= 64:
            return core.aggregate_of(tuple(core.constant(n) for n in numbers))
    raise core.Unsupported("range outside of a for loop", "use np.arange")


def _bool(spec: Specialiser, args: Any, keywords: Any) -> core.Value:
    operation = ir.Apply(
        bool, tuple(core.operand_of(core.list_in(a) or a) for a in args)
    )
    return spec.define(operation, ir.BOOL, "condition")


BUILTIN_CALLS: dict[Any, Callable[..., core.Value]] = {
    print: _print,
    len: _len,
    isinstance: _isinstance,
    tuple: _tuple_or_list(tuple),
    list: _tuple_or_list(list),
    dict: _dict,
    slice: _slice,
    zip: _zip_of_structures,
    enumerate: _enumerate_structure,
    range: _range_outside,
    bool: _bool,
}
