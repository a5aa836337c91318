"""Values of one of several classes or forms: what is done with them branches on which
one it is, where that makes a difference::

    area = shape.area()     ->     if isinstance(shape, Circle): area = ...
                                   else: area = ...
"""

import functools
import operator
from collections.abc import Callable, Hashable, Iterable
from dataclasses import replace
from types import NoneType
from typing import Any

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.closures import function_records
from s2sad.frontend.specialise.control import sorts
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.optionals import narrowing
from s2sad.source.annotations.annotation_nodes import StandIn, class_meant, stand_in_of
from s2sad.source.static.values import StaticClass


def present(value: core.Leaf) -> core.Leaf:
    """A reference where it is used: None raises there when the program runs."""
    assert isinstance(value.kind, ir.Reference)
    if not value.kind.may_be_none:
        return value
    return replace(value, kind=value.kind.present())


def structured(value: core.Leaf) -> core.Leaf:
    """A reference where it is used as a list, tuple, dict or object: None and numbers
    raise there when the program runs."""
    value = present(value)
    assert isinstance(value.kind, ir.Reference)
    left = tuple(form for form in value.kind.forms if not form.is_number)
    return replace(value, kind=value.kind.among(left)) if left else value


def by_form(
    spec: Specialiser, value: core.Leaf, run: Callable[[core.Leaf], core.Value]
) -> core.Value:
    """What ``run`` gives for a reference, by the form that it has."""
    kind = value.kind
    assert isinstance(kind, ir.Reference)
    first, *others = _told_apart(kind)
    if not others:
        return run(value)
    test = form_test(spec, value, first)
    rest = tuple(form for group in others for form in group)

    def of(forms: tuple[ir.Form, ...]) -> core.Leaf:
        return replace(value, kind=kind.among(forms))

    return spec.select(
        test, lambda: run(of(first)), lambda: by_form(spec, of(rest), run), "result"
    )


def _told_apart(kind: ir.Reference) -> list[tuple[ir.Form, ...]]:
    """The forms in groups that a test tells apart: classes derived from others
    first."""
    classes = list(dict.fromkeys(form.constructor for form in kind.forms))
    if len(classes) == 1:
        texts = [form.slots.get(0) for form in kind.forms]
        if all(isinstance(text, ir.Known) for text in texts) and len(set(texts)) > 1:
            return _grouped(kind, lambda form: form.slots[0])
        others = [form for form in kind.forms if ir.text_in_front(form) is None]
        told = [form for form in kind.forms if _begin_otherwise(others, form)]
        if others and told:
            rest = tuple(form for form in kind.forms if form not in told)
            return [*_grouped(kind.among(tuple(told)), ir.text_in_front), rest]
        if not any(form.is_uniform or form.optional for form in kind.forms):
            return _grouped(kind, lambda form: len(form.keys))
        return [kind.forms]
    classes = sorted(
        classes, key=lambda cls: -sum(issubclass(cls, other) for other in classes)
    )
    return [tuple(f for f in kind.forms if f.constructor is cls) for cls in classes]


def _begin_otherwise(forms: Iterable[ir.Form], other: ir.Form) -> bool:
    return all(sorts.begins_otherwise(form, other) for form in forms)


def are_told_apart(kind: ir.Reference) -> bool:
    """True where a test tells which of several forms a value has."""
    return len(_told_apart(kind)) > 1


def _grouped(
    kind: ir.Reference, told: Callable[[ir.Form], Any]
) -> list[tuple[ir.Form, ...]]:
    groups: dict[Any, list[ir.Form]] = {}
    for form in kind.forms:
        groups.setdefault(told(form), []).append(form)
    return [tuple(group) for group in groups.values()]


def form_test(
    spec: Specialiser, value: core.Leaf, forms: tuple[ir.Form, ...]
) -> core.Value:
    """The test that a reference has one of these forms, which have one class."""
    assert isinstance(value.kind, ir.Reference)
    (cls,) = {form.constructor for form in forms}
    text = forms[0].slots.get(0)
    unlike = [form for form in value.kind.forms if form not in forms]
    if isinstance(text, ir.Known) and all(
        (isinstance(form.slots.get(0), ir.Known) and form.slots[0] != text)
        or sorts.begins_otherwise(form, forms[0])
        for form in unlike
    ):
        operation = ir.Apply(ops.read_item, (value.operand, ir.Const(0)))
        first = spec.assign(spec.fresh("item"), operation, ir.OPAQUE)
        test = spec.operate(operator.eq, (first, core.constant(text.value)))
    elif all(form.constructor is cls for form in value.kind.forms):
        length = spec.assign(
            spec.fresh("count"), ir.Apply(len, (value.operand,)), ir.INT
        )
        size = core.constant(len(forms[0].keys))
        test = spec.operate(operator.eq, (length, size))
    else:
        test = _test_of_classes(spec, value, forms, cls)
    return narrowing.note_forms(spec, test, value, forms)


def is_among(
    spec: Specialiser, value: core.Leaf, forms: tuple[ir.Form, ...]
) -> core.Value:
    """Whether a reference has one of these forms."""
    assert isinstance(value.kind, ir.Reference)
    if len(forms) in (0, len(value.kind.forms)):
        return core.constant(len(forms) > 0)
    if len({form.constructor for form in forms}) == 1:
        return form_test(spec, value, forms)
    classes = tuple({form.constructor: None for form in forms})
    return instance_test(spec, value, classes)


def instance_test(spec: Specialiser, value: core.Leaf, classes: Any) -> core.Value:
    """``isinstance(value, classes)``."""
    kind = value.kind
    assert isinstance(kind, ir.Reference)
    asked = classes if isinstance(classes, tuple) else (classes,)
    asked = tuple(stand_in_of(c) if isinstance(c, StaticClass) else c for c in asked)
    function_records.check_class(kind.forms, asked)
    forms = tuple(f for f in kind.forms if issubclass(f.called, asked))
    none = kind.may_be_none and isinstance(None, asked)
    if not forms and not kind.may_be_none:
        return core.constant(False)
    if len(forms) == len(kind.forms) and (none or not kind.may_be_none):
        return core.constant(True)
    if not forms and not none:
        return core.constant(False)
    if none:
        test = spec.operate(operator.is_, (value, core.constant(None)))
        if forms:
            others = tuple(cls for cls in asked if cls is not NoneType)
            known = others[0] if len(others) == 1 else others
            is_one = _test_of_classes(spec, value, forms, known)
            test = spec.operate(operator.or_, (test, is_one))
    else:
        test = _test_of_classes(spec, value, forms, classes)
    if any(not issubclass(f.constructor, asked) for f in forms):
        raise _not_told(forms)
    return narrowing.note_forms(spec, test, value, forms, none=none)


def _not_told(forms: tuple[ir.Form, ...]) -> core.Unsupported:
    return core.Unsupported(
        f"whether a value is a {forms[0].called.__name__} that the program makes is "
        "known only when it runs",
        "ask whether it is a dict",
    )


def _test_of_classes(
    spec: Specialiser, value: core.Leaf, forms: tuple[ir.Form, ...], classes: Any
) -> core.Value:
    """The test that a reference has one of these forms, which are those of the classes.
    Those of a class that was only read are told by its name."""
    if not any(isinstance(form.constructor, StandIn) for form in forms):
        operation = ir.Apply(isinstance, (value.operand, ir.Const(classes)))
        return spec.assign(spec.fresh("condition"), operation, ir.BOOL)
    cls = spec.assign(spec.fresh("cls"), ir.Apply(type, (value.operand,)), ir.OPAQUE)
    read = ir.Apply(getattr, (cls.operand, ir.Const("__name__")))
    name = spec.assign(spec.fresh("name"), read, ir.OPAQUE)
    tests = [
        spec.operate(operator.eq, (name, core.constant(known)))
        for known in dict.fromkeys(form.constructor.__name__ for form in forms)
    ]
    return functools.reduce(lambda a, b: spec.operate(operator.or_, (a, b)), tests)


def type_of(spec: Specialiser, value: core.Leaf) -> core.Value:
    """``type(value)``."""
    kind = value.kind
    assert isinstance(kind, ir.Reference)
    function_records.check_class(kind.forms, (object,))
    classes = {form.called for form in kind.forms}
    if len(classes) == 1 and not kind.may_be_none:
        return core.constant(class_meant(classes.pop()))
    if any(form.sort is not None for form in kind.forms):
        raise _not_told(tuple(f for f in kind.forms if f.sort is not None))
    operation = ir.Apply(type, (value.operand,))
    found = spec.assign(spec.fresh("cls"), operation, ir.OPAQUE)
    return narrowing.note_slot(spec, value.operand, core.CLASS, found)


def class_test(
    spec: Specialiser, asked: core.Value, classes: tuple[Any, ...]
) -> core.Value | None:
    """Whether ``type(x)`` is one of these; those that were only read are told by their
    names. None for what isn't the class of a run-time value."""
    if not isinstance(asked, core.Leaf) or isinstance(asked.kind, ir.Known):
        return None
    if not all(isinstance(cls, Hashable) for cls in classes):  # a set, an array
        return None
    if set(spec.classes_asked.get(asked.operand, classes)).isdisjoint(classes):
        return core.constant(False)
    holder = narrowing.holder_of_class(spec, asked)
    if holder is None and any(isinstance(cls, StaticClass) for cls in classes):
        raise core.Unsupported(
            "a class is compared with what may be any class", "use isinstance"
        )
    if holder is None:
        return None
    kind = holder.kind
    assert isinstance(kind, ir.Reference)
    forms = tuple(f for f in kind.forms if class_meant(f.constructor) in classes)
    none = kind.may_be_none and NoneType in classes
    if not forms and not none:
        return core.constant(False)
    told: tuple[Any, ...] = tuple(form.constructor for form in forms)
    told += (NoneType,) * none
    if any(isinstance(form.constructor, StandIn) for form in kind.forms):
        read = ir.Apply(getattr, (asked.operand, ir.Const("__name__")))
        asked = spec.assign(spec.fresh("name"), read, ir.OPAQUE)
        told = tuple(cls.__name__ for cls in told)
    wanted = tuple(map(core.constant, dict.fromkeys(told)))
    if len(wanted) > 1:
        several = core.aggregate_of(wanted)
        test = spec.apply(ops.contains, (asked, several))
    else:
        same = operator.eq if isinstance(told[0], str) else operator.is_
        test = spec.operate(same, (asked, wanted[0]))
    return narrowing.note_forms(spec, test, holder, forms, none=none)


def is_filled(spec: Specialiser, value: core.Leaf) -> core.Value:
    """Whether a list, tuple or dict has items."""
    operation = ir.Apply(ops.contains, (value.operand,))
    return spec.assign(spec.fresh("condition"), operation, ir.BOOL)
