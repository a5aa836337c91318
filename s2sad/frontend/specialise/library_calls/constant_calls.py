"""Calls of libraries with what doesn't vary: copied into the output, never entered.

``json.loads(text)``, ``scipy.stats.norm.ppf(0.9)`` and the like have no derivative
where nothing that varies is passed. They run when the derivative does, and so do the
methods of what they give, and the reading of its attributes.
"""

import operator
import types
from dataclasses import replace
from typing import Any

from s2sad import ir, ops
from s2sad.analysis.passes.purity import is_pure
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser, Words
from s2sad.ops.runtime.results import plain_number
from s2sad.source.text import libraries

_FIXED = (tuple, frozenset, slice, range)
_WRITERS = frozenset(
    (
        *("shuffle", "heapify", "heappush", "heappop", "heapreplace", "heappushpop"),
        *("insort", "insort_left", "insort_right", "copyto", "put", "place", "putmask"),
        *("put_along_axis", "fill_diagonal", "setitem", "delitem", "pack_into", "at"),
        *("iadd", "iand", "iconcat", "ifloordiv", "ilshift", "imod", "imul", "ior"),
        *("imatmul", "ipow", "irshift", "isub", "itruediv", "ixor"),
    )
)
"""Functions of libraries that change what they are given."""
_ENTERED = (
    *("contextlib", "copy", "dataclasses", "functools", "itertools", "s2sad"),
    *("collections", "operator", "typing", "enum", "abc", "types", "inspect"),
)
"""Modules whose functions make structures and functions that are followed."""


_CHANGERS = frozenset(
    (
        *("append", "extend", "insert", "remove", "pop", "clear", "sort", "reverse"),
        *("add", "discard", "update", "setdefault", "popitem", "subtract", "rotate"),
        *("appendleft", "extendleft", "popleft", "move_to_end", "difference_update"),
        *("intersection_update", "symmetric_difference_update"),
    )
)
"""Methods that change what they are called on."""
_AT_ITS_TIME: dict[Any, Any] = {
    len: ops.stored_length,
    operator.getitem: ops.stored_item,
    operator.contains: ops.stored_contains,
}


_WHOLE = (operator.add, operator.sub, operator.mul, operator.mod, operator.floordiv)
COMPARISONS = (operator.lt, operator.le, operator.gt, operator.ge)
_ASKS_NOTHING = (
    *(float, int, ops.place_in_list, ops.list_of, ops.tuple_of, *ops.CONTAINER_CHANGES),
)
"""What takes a number, puts the object somewhere, or reads a dict by value."""


def writes_nothing(function: Any) -> bool:
    """True for functions of NumPy, SciPy and the standard library that aren't known to
    change what they are given."""
    module = getattr(function, "__module__", None) or ""
    if getattr(function, "__name__", "") in _WRITERS:
        return False
    return libraries.is_library(module) or type(function).__module__ == "numpy"


def is_constant(spec: Specialiser, value: core.Value) -> bool:
    """True for what surely doesn't depend on an argument that varies."""
    if isinstance(value, core.Leaf):
        if (
            isinstance(value.operand, ir.Const | ir.Global)
            or value.operand in spec.constant
        ):
            return True
        return isinstance(value.operand, ir.Var) and not ir.is_real_number_kind(
            value.kind
        )
    if not isinstance(value, core.Aggregate) or value.constructor not in (
        *_FIXED,
        *(list, dict, set),
    ):
        return False
    return all(is_constant(spec, item) for item in value.items)


def constant_call(
    spec: Specialiser, function: Any, args: Args, keywords: Words
) -> core.Value | None:
    """A call of a library's function that is copied; None for any other call."""
    if spec.derived or not _is_foreign(spec, function):
        return None
    if not all(is_constant(spec, v) for v in (*args, *keywords.values())):
        return None
    if not writes_nothing(function):
        return None
    if isinstance(function, types.MethodType):
        place = spec.module.places.get(id(function.__self__))
        if place is None:
            found = libraries.place_of_distribution(function.__self__)
            if found is None:
                return None
            place = found[1], found[0]
        owner = core.Leaf(ir.Global(*place), ir.UNKNOWN)
        spec.module.kinds[ir.Global(*place)] = ir.UNKNOWN
        return _called(spec, owner, function.__name__, args, keywords)
    words = tuple((k, core.operand_of(v)) for k, v in keywords.items())
    operation = ir.Apply(function, tuple(map(core.operand_of, args)), words)
    made = _kept(spec, operation, "result")
    if libraries.is_numerical(function):
        spec.holds_arrays.add(core.operand_of(made))
    return made


def constant_method(
    spec: Specialiser, receiver: core.Value, name: str, args: Args, keywords: Words
) -> core.Value | None:
    """A method of what a library's function gave."""
    if not _is_foreign_object(spec, receiver):
        return None
    if not all(is_constant(spec, v) for v in (*args, *keywords.values())):
        return None
    if name in _CHANGERS and not spec.facts.changes_foreign:
        spec.learn(replace(spec.facts, changes_foreign=True))
    return _called(spec, receiver, name, args, keywords)


@core.verb
def at_its_time(spec: Specialiser, function: Any, args: Args) -> Any:
    """What asks something of an object that a library gave: where the program changes
    such objects, an operation that isn't moved or done again."""
    if not spec.facts.changes_foreign:
        return function
    if not any(_is_foreign_object(spec, value) for value in args):
        return function
    if function in _AT_ITS_TIME:
        return _AT_ITS_TIME[function]
    if is_pure(function) and function not in _ASKS_NOTHING:
        raise core.Unsupported(
            f"{ir.function_name(function)} is given an object of a library, and the "
            "program changes such objects",
            "take numbers out of it by float(...) or int(...)",
        )
    return function


def constant_attribute(
    spec: Specialiser, receiver: core.Value, name: str
) -> core.Value | None:
    """An attribute of what a library's function gave."""
    if not _is_foreign_object(spec, receiver):
        return None
    operation = ir.Apply(
        ops.attribute_of_object, (core.operand_of(receiver),), (), f"attribute:{name}"
    )
    return _kept(spec, operation, name)


def constant_items(spec: Specialiser, value: core.Value) -> core.Elements | None:
    """What a loop over a value that doesn't vary runs over; None for any other. Its
    items are taken when the loop begins."""
    if not is_data(spec, value):
        return None
    listed = _kept(spec, ir.Apply(list, (core.operand_of(value),)), "items")
    operand = core.operand_of(listed)
    length = spec.assign(spec.fresh("count"), ir.Apply(len, (operand,)), ir.INT)

    def element(index: core.Leaf) -> core.Value:
        operation = ir.Apply(operator.getitem, (operand, index.operand))
        item = _kept(spec, operation, "item")
        spec.opaque_items.add(core.operand_of(item))
        return item

    return core.Elements(length, element)


def unpacked(
    spec: Specialiser, value: core.Value, count: int
) -> tuple[core.Value, ...] | None:
    """``first, second = value`` of a value that doesn't vary; None for any other."""
    if not is_data(spec, value):
        return None
    items = tuple(core.Leaf(spec.fresh("item"), ir.UNKNOWN) for _ in range(count))
    target = ir.Pack(tuple, tuple(range(count)), tuple(i.operand for i in items))
    kind = ir.tuple_of_kinds((ir.UNKNOWN,) * count)
    spec.emit(ir.Assign(spec.span, target, core.operand_of(value), kind))
    spec.constant.update(item.operand for item in items)
    if core.operand_of(value) not in spec.holds_arrays:
        spec.opaque_items.update(item.operand for item in items)
    return items


def constant_item(
    spec: Specialiser, value: core.Value, index: core.Value
) -> core.Value | None:
    """``value[index]`` of a value that doesn't vary and that nobody has looked into;
    None for any other."""
    if not is_data(spec, value):
        return None
    if not all(is_constant(spec, leaf) for leaf in core.leaves(index)):
        return None
    operands = (core.operand_of(value), core.operand_of(index))
    function = at_its_time(spec, operator.getitem, (value,))
    return _kept(spec, ir.Apply(function, operands), "item")


def as_number(spec: Specialiser, value: core.Value) -> core.Value:
    """An item of what nobody has looked into, where it meets a number in arithmetic: a
    test says that it is one. Other values as they are."""
    if not isinstance(value, core.Leaf) or value.operand not in spec.opaque_items:
        return value
    if isinstance(value.kind, ir.Numeric):
        return value
    operation = ir.Apply(plain_number, (value.operand,))
    number = spec.assign(spec.fresh("number"), operation, ir.FLOAT)
    spec.constant.add(number.operand)
    spec.opaque_items.add(number.operand)
    return number


def as_numbers(spec: Specialiser, operands: Args) -> Args:
    """Operands, such items as numbers where others are numbers."""
    if any(isinstance(core.kind_of(o), ir.Numeric) for o in operands):
        operands = tuple(as_number(spec, o) for o in operands)
    return operands


def of_data(spec: Specialiser, function: Any, operands: Args) -> core.Value | None:
    """An operator on such items, or on some and whole numbers; None for any other."""
    leaves = [o for o in operands if isinstance(o, core.Leaf)]
    items = [leaf.operand in spec.opaque_items for leaf in leaves]
    whole = [
        isinstance(leaf.kind, ir.Scalar) and leaf.kind.type == "int" for leaf in leaves
    ]
    exact = all(items) or function in _WHOLE
    if not any(items) or len(leaves) < len(operands) or not exact:
        return None
    if function in COMPARISONS or not all(map(operator.or_, items, whole)):
        return None
    found = core.single(spec.apply(function, as_numbers(spec, operands)))
    if isinstance(found.kind, ir.Unknown):
        found = replace(found, kind=ir.OPAQUE)
    spec.constant.add(found.operand)
    spec.opaque_items.add(found.operand)
    return found


def as_index(spec: Specialiser, value: core.Value) -> core.Value:
    """The same where it is the index of a list."""
    if not isinstance(value, core.Leaf):
        return value
    data = value.kind in (ir.OPAQUE, ir.UNKNOWN) and is_constant(spec, value)
    number = value.kind == ir.FLOAT and value.operand in spec.opaque_items
    if not data and not number:
        return value
    operation = ir.Apply(ops.place_in_list, (value.operand,))
    return spec.assign(spec.fresh("place"), operation, ir.INT)


def is_data(spec: Specialiser, value: core.Value) -> bool:
    """True for a value that doesn't vary and that nobody has looked into."""
    return _is_foreign_object(spec, value) and is_constant(spec, value)


def _is_foreign_object(spec: Specialiser, value: core.Value) -> bool:
    return (
        not spec.derived
        and isinstance(value, core.Leaf)
        and isinstance(value.kind, ir.Unknown)
        and type(value.kind) in (ir.Unknown, ir.Unread)  # random sources aren't
        and value.kind.present is None
        and (value.operand in spec.constant or value.kind.inactive)
    )


def _called(
    spec: Specialiser, owner: core.Value, name: str, args: Args, keywords: Words
) -> core.Value:
    words = tuple((k, core.operand_of(v)) for k, v in keywords.items())
    operands = tuple(map(core.operand_of, (owner, *args)))
    operation = ir.Apply(ops.method_of_object, operands, words, f"method:{name}")
    return _kept(spec, operation, name)


def _kept(spec: Specialiser, operation: ir.Apply, hint: str) -> core.Value:
    """The call in a variable of which it is known that it doesn't vary."""
    name = hint if hint.isidentifier() else "result"
    value = spec.assign(spec.fresh(name), operation, ir.UNKNOWN)
    spec.constant.add(value.operand)
    return value


def _is_foreign(spec: Specialiser, function: Any) -> bool:
    """True for a function or method of a library that is written in Python: neither
    the user's nor one of the package that is differentiated."""
    if isinstance(function, type):
        return False
    plain = getattr(function, "__func__", function)
    code = getattr(plain, "__code__", None)
    module = getattr(plain, "__module__", None) or ""
    root = module.partition(".")[0]
    if root in _ENTERED and plain is function:
        return False
    if code is None or root == spec.module.name.partition(".")[0]:
        return False
    return libraries.is_library(module) and libraries.is_file_of_library(
        code.co_filename
    )
