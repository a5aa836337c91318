"""Numbers, arrays and texts where lists, tuples, dicts or objects may stand, too.

Such a value is a reference there, and what it is again where a test tells::

    t = x if n < 2 else (left, right)      ->      t = kept_value(x), or a tuple
    if isinstance(t, tuple): ...                   ...
    else: return t**2                              return read_itself(t) ** 2
"""

import operator
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.run_time import queries, unions
from s2sad.source.annotations.annotation_nodes import StandIn

ITERABLE = "loop over range(...), an array, or a tuple or list of known length"


def is_value_beside(value: core.Value, other: core.Value) -> bool:
    """True for a number, array or text where a reference is held, too."""
    return (
        isinstance(value, core.Leaf)
        and ir.is_value(value.kind)
        and isinstance(other, core.Leaf)
        and isinstance(other.kind, ir.Reference)
        and not other.kind.adjoint
    )


def as_reference(
    spec: Specialiser, value: core.Leaf, held: ir.Kind | None = None
) -> core.Leaf:
    """A number, array or text as a reference. Where floats are ``held`` it is one."""
    kind = kind_of_value(value)
    if isinstance(held, ir.Reference) and value.kind != ir.INT:
        kind = kind.among(tuple(f for f in held.forms if f.constructor is float))
    operation = ir.Apply(ops.kept_value, (value.operand,))
    return spec.assign(spec.fresh("kept"), operation, kind)


def joined(held: ir.Kind, kind: ir.Kind) -> ir.Kind:
    """The kind of a slot that holds values of both kinds."""
    both = ir.join(held, kind)
    if both != ir.UNKNOWN:
        return both
    as_values = (
        kind_of_value(core.Leaf(ir.Var("held"), k)) if ir.is_value(k) else k
        for k in (held, kind)
    )
    return ir.join(*as_values)


def as_numbers(
    spec: Specialiser, function: Any, operands: tuple[core.Value, ...]
) -> tuple[core.Value, ...]:
    """The operands of an operator: what may be a number or a list is a number beside
    numbers. Python raises for most operators on a list and a number (``v**2``); where
    it may not, the derivative does."""
    found = []
    for place, own in enumerate(operands):
        others = (*operands[:place], *operands[place + 1 :])
        numbers = _numbers_in(own)
        if not numbers or not all(_numbers_in(o) or _is_number(o) for o in others):
            found.append(own)
            continue
        assert isinstance(own, core.Leaf) and isinstance(own.kind, ir.Reference)
        rest = tuple(form for form in own.kind.forms if form not in numbers)
        if rest and not all(_raises_for_lists(function, other) for other in others):
            classes = tuple(dict.fromkeys(form.constructor for form in rest))
            test = unions.instance_test(spec, own, classes)
            told = "what may be a number or a list is one where a number is expected"
            spec.raise_if(test, TypeError, told)
        if own.kind.may_be_none:
            test = spec.operate(operator.is_, (own, core.constant(None)))
            told = "None is used where a number is expected"
            spec.raise_if(test, TypeError, told)
        number = core.Leaf(own.operand, own.kind.present().among(numbers), own.path)
        found.append(spec.read_itself(number))
    return tuple(found)


def raise_for_number(
    spec: Specialiser, value: core.Value, problem: core.Unsupported
) -> None:
    """A number where a list, tuple or dict is needed: a problem, unless a handler waits
    for what Python raises, or a function that calls itself may have met it behind a
    test that only the run answers."""
    kind = core.kind_of(value)
    if not isinstance(kind, ir.Scalar | ir.NumPyScalar):
        return
    inside = spec.procedures.under_way is not None and not spec.derived
    if inside and isinstance(kind, ir.Scalar) and not is_as_given(value):
        spec.raise_now(TypeError, "a number has no items")
        raise core.NothingFollows
    spec.raises(problem, TypeError("a number has no items"))


def as_iterable(spec: Specialiser, value: core.Value) -> core.Value:
    """What is handed to ``iter`` and the like, which raise for what has no items: so
    what may have none is told from the others there, not where its items are taken."""
    kind = core.kind_of(value)
    if not isinstance(value, core.Leaf) or not isinstance(kind, ir.Reference):
        what = f"an iterator over a value {core.describe(value)}"
        raise_for_number(spec, value, core.Unsupported(what, ITERABLE))
        return value
    left = tuple(form for form in kind.forms if _has_items(form.called))
    if (
        kind.adjoint
        or not left
        or not (kind.may_be_none or len(left) < len(kind.forms))
    ):
        return value
    classes: Any = tuple(dict.fromkeys(form.called for form in left))
    classes = classes[0] if len(classes) == 1 else classes
    test = unions.instance_test(spec, value, classes)
    spec.raise_unless(test, TypeError, "what may be a number or a list has no items")
    return replace(value, kind=kind.present().among(left))


def without_texts(spec: Specialiser, value: core.Leaf) -> core.Leaf:
    """What is unpacked, and may be a text: of that the derivative takes no letters, it
    raises."""
    kind = value.kind
    assert isinstance(kind, ir.Reference)
    left = tuple(form for form in kind.forms if form.constructor is not str)
    if kind.adjoint or not left or len(left) == len(kind.forms):
        return value
    test = unions.instance_test(spec, value, str)
    spec.raise_if(test, TypeError, "a text is unpacked where a tuple is expected")
    return replace(value, kind=kind.among(left))


def _has_items(cls: Any) -> bool:
    return (
        isinstance(cls, StandIn)
        or hasattr(cls, "__iter__")
        or hasattr(cls, "__getitem__")
    )


def as_key(spec: Specialiser, owner: core.Value, key: core.Leaf) -> core.Value:
    """A key of a dict that may be a text or a tuple is a text: anything else raises."""
    kind = key.kind
    of_dict = getattr(owner, "constructor", None) is dict
    if queries.is_dict(owner):
        of_dict = True
    assert isinstance(kind, ir.Reference)
    texts = tuple(form for form in kind.forms if form.constructor is str)
    if not of_dict or not texts:
        return key
    test = unions.instance_test(spec, key, str)
    spec.raise_unless(test, KeyError, "a key is no text")
    return spec.read_itself(core.Leaf(key.operand, kind.present().among(texts)))


def _numbers_in(value: core.Value) -> tuple[ir.Form, ...]:
    """The forms of numbers that a value may have which may be something else, too, that
    defines no operator; none of others."""
    kind = core.kind_of(value)
    if not isinstance(kind, ir.Reference) or kind.adjoint:
        return ()
    rest = [form.constructor for form in kind.forms if not form.is_number]
    if any(cls not in _WITHOUT_ARITHMETIC and _has_operators(cls) for cls in rest):
        return ()
    return tuple(form for form in kind.forms if form.is_number)


_WITHOUT_ARITHMETIC = (*ir.CONTAINERS, str)


def _has_operators(cls: Any) -> bool:
    names = ("add", "sub", "mul", "truediv", "pow", "neg", "matmul", "mod", "floordiv")
    found = (hasattr(cls, f"__{side}{n}__") for n in names for side in ("", "r"))
    return isinstance(cls, StandIn) or any(found)


def _is_number(value: core.Value) -> bool:
    kind = core.kind_of(value)
    return isinstance(kind, ir.Scalar | ir.NumPyScalar)


def _raises_for_lists(function: Any, other: core.Value) -> bool:
    """True where Python raises for an operator on a list and a number. NumPy's numbers
    take lists for arrays."""
    kind = core.kind_of(other)
    if not isinstance(kind, ir.Scalar):
        return False
    if function is operator.mul:
        return is_as_given(other) and kind.type == "float"
    return True


def kind_of_value(value: core.Leaf) -> ir.Reference:
    """The kind of a number, array or text as a reference: what is no argument and no
    constant may be whole where its kind is that of floats."""
    return ir.Reference(_forms_of_value(value))


def _forms_of_value(value: core.Leaf) -> tuple[ir.Form, ...]:
    kind = ir.without_value(value.kind)
    if isinstance(kind, ir.Array):
        axes = kind.axes and tuple(ir.Axis("any") for _ in kind.axes)
        return (ir.form_of_value(np.ndarray, ir.Array(kind.dtype, axes)),)
    if kind == ir.OPAQUE:
        return (ir.form_of_value(str, kind),)
    classes = classes_of(value) or (float,)
    of_python = {float: ir.FLOAT, int: ir.INT, bool: ir.BOOL, complex: ir.COMPLEX}
    kinds = {cls: of_python.get(cls, kind) for cls in classes}
    if len(kinds) > 1:
        kinds.pop(bool, None)
    return tuple(ir.form_of_value(cls, own) for cls, own in kinds.items())


def classes_of(value: core.Value) -> tuple[Any, ...] | None:
    """The classes of which a value may be, decided by kinds; None where they don't
    tell."""
    kind: ir.Kind = core.kind_of(value)
    if isinstance(value, core.Aggregate | core.Cell | core.Part):
        return (core.class_called(value.constructor),)
    if isinstance(kind, ir.Scalar) and kind.cls is object:
        return None
    if isinstance(kind, ir.Scalar):
        cls = kind.cls or _NUMBERS[kind.type]
        return (cls,) if is_as_given(value) else _narrower(cls)
    if isinstance(kind, ir.NumPyScalar) and kind.dtype is not None:
        dtype = np.dtype(kind.dtype)
        if is_as_given(value):
            return (dtype.type,)
        return (dtype.type, *_narrower(type(dtype.type().item())))
    if isinstance(kind, ir.Array) and not kind.promoted:
        return (np.ndarray,)
    if isinstance(kind, ir.Known):
        return (type(kind.value),)
    if isinstance(kind, ir.Members):
        return (kind.constructor,)
    return None


_NUMBERS: dict[str, type] = {
    "bool": bool,
    "int": int,
    "float": float,
    "complex": complex,
}


def is_as_given(value: core.Value) -> bool:
    """True for a number that is an argument or a constant. Any other of kind float may
    be an int: where paths met, or computed from such a one."""
    if not isinstance(value, core.Leaf):
        return False
    return value.path is not None or isinstance(value.operand, ir.Const)


def _narrower(cls: type) -> tuple[type, ...]:
    """The classes of numbers that stand for one of a class where paths met."""
    order = list(_NUMBERS.values())
    return tuple(order[: order.index(cls) + 1]) if cls in order else (cls,)
