"""Operators on objects: the methods of their classes, by Python's order of trying.

``a + b`` asks ``a.__add__(b)``, then ``b.__radd__(a)`` if the first isn't there or
gives ``NotImplemented``; the other way round where b's class is derived from a's.
"""

import ast
import operator
from typing import Any

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.containers import run_time_sets
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser
from s2sad.frontend.specialise.library_calls import plain_tuples
from s2sad.frontend.specialise.library_calls.truth import static_truth
from s2sad.frontend.specialise.objects import members, structure_comparisons
from s2sad.frontend.specialise.objects.objects import bound_member, class_of
from s2sad.frontend.specialise.optionals import narrowing
from s2sad.frontend.specialise.run_time import (
    queries,
    reading,
    records,
    storing,
    unions,
)
from s2sad.source.annotations.annotation_nodes import is_tuple_class

BINARY = {
    operator.add: "add",
    operator.sub: "sub",
    operator.mul: "mul",
    operator.truediv: "truediv",
    operator.floordiv: "floordiv",
    operator.mod: "mod",
    operator.pow: "pow",
    operator.matmul: "matmul",
    operator.lshift: "lshift",
    operator.rshift: "rshift",
    operator.and_: "and",
    operator.or_: "or",
    operator.xor: "xor",
}
COMPARISONS = {
    operator.lt: ("__lt__", "__gt__"),
    operator.le: ("__le__", "__ge__"),
    operator.gt: ("__gt__", "__lt__"),
    operator.ge: ("__ge__", "__le__"),
    operator.eq: ("__eq__", "__eq__"),
    operator.ne: ("__ne__", "__ne__"),
}
GENERATED = {names[0]: function for function, names in COMPARISONS.items()}
"""Methods that ``dataclass`` writes."""
UNARY = {
    operator.neg: "__neg__",
    operator.pos: "__pos__",
    operator.invert: "__invert__",
}


def operator_method(
    spec: Specialiser, function: Any, operands: tuple[core.Value, ...]
) -> core.Value | None:
    """An operator on values of which one is an object; None where no class says what
    it is."""
    if not any(map(core.has_methods, operands)):
        return None
    if function in UNARY and len(operands) == 1:
        return called_method(spec, operands[0], UNARY[function], ())
    if function is operator.not_:
        return _negated(spec, operands[0])
    if len(operands) != 2:
        return None
    if function in BINARY:
        name = BINARY[function]
        names = (f"__{name}__", f"__r{name}__")
    elif function in COMPARISONS:
        names = COMPARISONS[function]
    else:
        return None
    left, right = operands
    if _is_of_numpy(left, right):
        return None
    attempts = [(left, names[0], right), (right, names[1], left)]
    if _is_derived(left, right, names[1]):
        attempts.reverse()
    for owner, name, other in attempts:
        if function in COMPARISONS and _is_inherited(owner, name):
            return structure_comparisons.compare_structures(spec, function, operands)
        result = called_method(spec, owner, name, (other,))
        if result is not None and not _is_not_implemented(result):
            return result
    if function is operator.ne:
        equal = operator_method(spec, operator.eq, operands)
        if equal is not None:
            return spec.operate(operator.not_, (equal,))
    if any(map(plain_tuples.is_tuple, operands)):
        return None
    words = " and ".join(core.describe(o) for o in operands)
    raise core.Unsupported(
        f"{getattr(function, '__name__', function)} of {words}: no class says what it "
        "is",
        f"define {names[0]}, or compare and combine the attributes",
    )


def _is_of_numpy(left: core.Value, right: core.Value) -> bool:
    """An array on the left leaves the operator to the object only if its class says
    so; else NumPy applies it to each element, and makes an array of a NamedTuple."""
    if not isinstance(left, core.Leaf) or not isinstance(
        left.kind, ir.Array | ir.Unknown
    ):
        return False
    cls = class_of(right)
    own = hasattr(cls, "__array_ufunc__") or hasattr(cls, "__array_priority__")
    if not own and plain_tuples.is_tuple(right) and isinstance(left.kind, ir.Array):
        return True
    if not own:
        raise core.Unsupported(
            f"NumPy applies the operator to each element of the array and the "
            f"{cls.__name__}",
            f"write `__array_ufunc__ = None` in the class {cls.__name__}",
        )
    return False


def _is_derived(left: core.Value, right: core.Value, name: str) -> bool:
    """The right operand is asked first: its class is derived from the left's and has
    its own version."""
    if not (core.has_methods(left) and core.has_methods(right)):
        return False
    a, b = class_of(left), class_of(right)
    if not (isinstance(a, type) and isinstance(b, type)) or a is b:
        return False
    own, inherited = members.member_of(b, name), members.member_of(a, name)
    return issubclass(b, a) and own is not None and own != inherited


def _is_inherited(owner: core.Value, name: str) -> bool:
    """A tuple of a class that compares as tuples do."""
    if not isinstance(owner, core.Aggregate):
        return False
    if not is_tuple_class(owner.constructor):
        return False
    member = members.member_of(owner.constructor, name)
    return member is None or member.owner is tuple


def called_method(
    spec: Specialiser, owner: core.Value, name: str, args: Args
) -> core.Value | None:
    """``owner.name(*args)`` as an operator calls it: looked up on the class."""

    if not core.has_methods(owner):
        return None
    if isinstance(owner, core.Leaf) and isinstance(owner.kind, ir.Reference):
        owner = unions.present(owner)
        if len(owner.kind.forms) > 1:  # type: ignore[attr-defined]
            return _method_of_union(spec, owner, name, args)
    cls = class_of(owner)
    if name in GENERATED:
        fields = structure_comparisons.fields_of_method(cls, name)
        if fields is not None:
            members.note_read(spec, cls, name)
            return _compare_fields(spec, GENERATED[name], fields, owner, args[0])
    member = members.member_of(cls, name)
    if member is None or member.owner in (object, tuple):
        return None
    members.note_read(spec, cls, name)
    function = bound_member(spec, owner, name, member)
    return spec.call_value(function, args, {})


def _method_of_union(
    spec: Specialiser, owner: core.Leaf, name: str, args: Args
) -> core.Value | None:
    """The same of an object of one of several classes."""
    forms = owner.kind.forms  # type: ignore[attr-defined]
    found = [members.member_of(form.constructor, name) for form in forms]
    own = [m is not None and m.owner not in (object, tuple) for m in found]
    if not any(own):
        return None
    if not all(own):
        raise core.Unsupported(
            f"{name} of a value {core.describe(owner)}, of which not all classes "
            "define it",
            "test which one it is first",
        )

    def call_of(one: core.Leaf) -> core.Value:
        made = called_method(spec, one, name, args)
        assert made is not None
        return made

    return unions.by_form(spec, owner, call_of)


def _compare_fields(
    spec: Specialiser,
    function: Any,
    names: list[str],
    left: core.Value,
    right: core.Value,
) -> core.Value | None:
    """A comparison as ``dataclass`` writes it, by the fields of these names."""
    if not core.has_methods(right) or class_of(right) is not class_of(left):
        return None
    fields = tuple(
        structure_comparisons.fields_as_tuple(spec, value, names)
        for value in (left, right)
    )
    return structure_comparisons.compare_structures(spec, function, fields)


def _is_not_implemented(value: core.Value) -> bool:
    return isinstance(value, core.Leaf) and (
        isinstance(value.kind, ir.Known) and value.kind.value is NotImplemented
    )


@core.verb
def truth_of(spec: Specialiser, value: core.Value) -> core.Value | None:
    """What an object is in a test, by ``__bool__`` or ``__len__``, and a list or set
    by its length; None for what has neither."""

    items = core.list_in(value)
    if items is not None:
        return items
    if isinstance(value, core.Part):
        return records.length_of_part(spec, value)
    if run_time_sets.is_of_the_run(value):
        return run_time_sets.number_of(spec, value)
    if isinstance(value, core.Leaf) and isinstance(value.kind, ir.Reference):
        empty = ir.kind_of_slot(value.kind, ir.EACH) is None
        asked = queries.is_sequence(value) or queries.is_dict(value)
        if not asked or not (empty or storing.is_resized(spec, value.kind)):
            return None  # Python asks the value itself
        if not value.kind.may_be_none:
            return reading.length_of(spec, value)
        return _is_present_and_not_empty(spec, value)
    if not core.has_methods(value):
        return None
    found = called_method(spec, value, "__bool__", ())
    if found is None and (
        core.is_object(value)
        or core.is_cell_of_object(value)
        or isinstance(value, core.Leaf)
    ):
        length = called_method(spec, value, "__len__", ())
        if length is None:
            return core.constant(True)
        found = spec.operate(operator.ne, (length, core.constant(0)))
    return found


def _is_present_and_not_empty(spec: Specialiser, value: core.Leaf) -> core.Value:
    present = spec.compare(ast.IsNot(), value, core.constant(None))

    def is_filled() -> core.Value:
        count = reading.length_of(spec, unions.present(value))
        return spec.operate(operator.gt, (count, core.constant(0)))

    test = spec.select(present, is_filled, lambda: core.FALSE, "filled")
    return narrowing.note(spec, test, (frozenset({value.operand}), frozenset()))


def _negated(spec: Specialiser, value: core.Value) -> core.Value | None:

    truth = truth_of(spec, value)
    if truth is None:
        return None
    return spec.operate(operator.not_, (truth,))


def converted(
    spec: Specialiser, value: core.Value, method: str, args: Args
) -> core.Value | None:
    """``abs(value)``, ``len(value)`` ... of an object."""
    if method == "__bool__":
        return truth_of(spec, value)
    found = called_method(spec, value, method, args)
    if found is None:
        if isinstance(value, core.Aggregate) and not core.is_object(value):
            return None  # a NamedTuple, as tuples are
        raise core.Unsupported(
            f"{core.describe(value)} has no {method}", f"define {method} in its class"
        )
    return found


def item_of_object(
    spec: Specialiser, value: core.Value, index: core.Value
) -> core.Value | None:
    """``value[index]`` by ``__getitem__``; None for what isn't an object."""
    own = (
        core.is_object(value)
        or core.is_cell_of_object(value)
        or isinstance(value, core.Leaf)
    )
    if not core.has_methods(value):
        return None
    if not own:  # a NamedTuple, whose class may have its own
        return called_method(spec, value, "__getitem__", (index,))
    return converted(spec, value, "__getitem__", (index,))


def contained(
    spec: Specialiser, item: core.Value, container: core.Value
) -> core.Value | None:
    """``item in container`` by ``__contains__``; None for what isn't an object."""
    if not core.has_methods(container):
        return None
    found = called_method(spec, container, "__contains__", (item,))
    if found is not None:
        return _as_bool(spec, found)
    if isinstance(container, core.Aggregate) and not core.is_object(container):
        return None
    return contained_by_iteration(spec, item, container)


def _as_bool(spec: Specialiser, value: core.Value) -> core.Value:
    """``in`` gives True or False, whatever ``__contains__`` returns."""
    truth = static_truth(value)
    if truth is not None:
        return core.constant(truth)
    if isinstance(value, core.Leaf) and value.kind == ir.BOOL:
        return value

    yes, no = core.constant(True), core.constant(False)
    return spec.select(value, lambda: yes, lambda: no, "condition")


def contained_by_iteration(
    spec: Specialiser, item: core.Value, container: core.Value
) -> core.Value:
    """``any(item == other for other in container)``."""

    def equal(other: core.Value) -> core.Value:
        return spec.compare(ast.Eq(), item, other)

    found = spec.mapped(spec.iterate(container), equal)
    return spec.any_of(found)
