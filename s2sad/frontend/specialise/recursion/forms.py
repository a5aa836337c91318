"""The form of values: what calls of a function that calls itself have in common."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from typing import Any

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.source.kinds import families


def form_of(arguments: dict[str, core.Value], whole: bool = False) -> Hashable:
    """What two activations share if one can take the place of the other: the structure
    and kinds of the arguments, numbers and lengths left out; ``whole``: but for whole
    numbers that are known."""
    return tuple(
        (name, *_form(value, whole)) for name, value in sorted(arguments.items())
    )


Lengths = Mapping[Hashable, ir.Axis]
"""The axes of what is passed, by where they are, but for those of length one."""


def lengths_in(arguments: dict[Any, core.Value]) -> Lengths:
    """Those of some arguments."""
    return {
        (name, place, k): with_symbol(axis, (name, place, k))
        for name, value in arguments.items()
        for place, leaf in enumerate(core.leaves(value))
        for k, axis in enumerate(axes_of(leaf.kind))
        if axis.length != "one"
    }


def fit(own: Lengths, given: Lengths) -> bool:
    """True where all that is known of lengths in ``own`` is so of those given."""
    found: dict[Hashable, Hashable] = {}
    return all(
        found.setdefault(axis.symbol, given[place].symbol) == given[place].symbol
        and (axis.length == "any" or given[place].length == "many")
        and min(ir.least_length(axis), 1) <= ir.least_length(given[place])
        for place, axis in own.items()
    )


def joined(own: Lengths, given: Lengths) -> Lengths:
    """What is known of lengths in both."""

    def in_both(axis: ir.Axis, other: ir.Axis) -> ir.Axis:
        length = "any" if "any" in (axis.length, other.length) else "many"
        least = min(axis, other, key=ir.least_length)
        return ir.Axis(length, own_symbol(least, (axis.symbol, other.symbol)))

    return {place: in_both(axis, given[place]) for place, axis in own.items()}


def own_symbol(axis: ir.Axis, name: Hashable) -> Hashable:
    """A symbol of this name for an axis: one that may be empty isn't taken for one that
    surely isn't (:func:`s2sad.ir.least_length`), whatever other symbols say."""
    return (name, 0) if ir.least_length(axis) > 0 else ("maybe empty", name)


def with_symbol(axis: ir.Axis, symbol: Hashable) -> ir.Axis:
    """The axis with a symbol of its own if it has none."""
    return axis if axis.symbol is not None else replace(axis, symbol=symbol)


def axes_of(kind: ir.Kind) -> tuple[ir.Axis, ...]:
    """The axes of an array, as far as they are known, and that of a list."""
    if isinstance(kind, ir.List):
        return (kind.axis,)
    return (kind.axes or ()) if isinstance(kind, ir.Array) else ()


def with_axes(kind: ir.Kind, own: Callable[[int, ir.Axis], ir.Axis]) -> ir.Kind:
    """The kind with other axes, but for those of length one; of items of lists nothing
    is known."""
    axes = tuple(
        a if a.length == "one" else own(k, a) for k, a in enumerate(axes_of(kind))
    )
    match kind:
        case ir.List():
            kind = ir.with_free_items(kind)
            return replace(kind, axis=axes[0])  # type: ignore[type-var]
        case ir.Array(axes=known) if known is not None:
            return replace(kind, axes=axes)
    return kind


def _form(value: core.Value, whole: bool) -> tuple[Hashable, ...]:
    match value:
        case core.Leaf():
            if whole and is_whole(value):
                return (repr(value.operand),)
            if is_static(value):
                known: Any = value.operand.value  # type: ignore[union-attr]
                plain = isinstance(known, str | bytes | bool | type(None))
                return (repr(known) if plain else id(known),)
            kind = widened_kind(value.kind, lambda k, axis: ir.Axis("any"))
            return (_without_symbols(kind),)
        case core.Aggregate():
            inner = tuple(_form(item, whole) for item in value.items)
            return (value.constructor, value.keys, inner)
        case core.Cell():
            return ("cell", id(value.frame))
        case core.Closure(source=source, frame=frame):
            return ("closure", id(source), id(frame), *_parts(value, whole))
        case core.Partial():
            return ("partial", len(value.args), *_parts(value, whole))
        case core.Part():
            told = (value.constructor, value.bounds, value.front)
            return ("part", *told, *_parts(value, whole))
        case core.Lazy(key=key) if key is not None:
            return ("iterator", key, *_parts(value, whole))
        case core.Method():
            return ("method", value.name, *_parts(value, whole))
        case core.Choice() if not core.holds_cell(value):
            return ("choice", value.complete, *_parts(value, whole))
        case core.Missing():
            raise core.Unsupported(value.reason, value.advice)
    raise core.Unsupported(
        f"{core.describe(value)} is passed to a function that calls itself",
        "pass numbers, arrays, structures of them, or functions",
    )


def _parts(value: core.Value, whole: bool) -> tuple[Hashable, ...]:
    """The forms of what a function holds: a partial's function among it."""
    return tuple((key, _form(part, whole)) for key, part in core.parts_of(value))


def is_static(leaf: core.Leaf) -> bool:
    """Known to the compiler, and the same in each call: a function, a string, a flag,
    None."""
    if not isinstance(leaf.operand, ir.Const):
        return False
    return not isinstance(leaf.kind, ir.Scalar | ir.NumPyScalar) or (
        isinstance(leaf.kind, ir.Scalar) and leaf.kind.type == "bool"
    )


def is_whole(leaf: core.Leaf) -> bool:
    """A whole number known to the compiler."""
    return isinstance(leaf.operand, ir.Const) and type(leaf.operand.value) is int


def widened_kind(kind: ir.Kind, own: Callable[[int, ir.Axis], ir.Axis]) -> ir.Kind:
    """The kind with numbers and lengths forgotten; ``own`` gives an axis for each that
    isn't of length one."""
    return with_axes(ir.without_value(kind), own)


def _without_symbols(kind: ir.Kind) -> ir.Kind:
    """All that is known of a kind but which lengths are equal, and whether a number may
    be one of Python's on some paths."""
    match kind:
        case ir.Scalar():
            return replace(kind, length_of=None)
        case ir.NumPyScalar():
            return replace(kind, maybe_python=False)
        case ir.Array(axes=axes) | ir.Sparse(axes=axes) if axes is not None:
            return replace(kind, axes=tuple(ir.Axis(a.length) for a in axes))
        case ir.List(item=item, axis=axis):
            item = item and _without_symbols(item)
            return replace(kind, item=item, axis=ir.Axis(axis.length))
        case ir.Structure(items=items):
            return replace(kind, items=tuple(map(_without_symbols, items)))
    return kind


def of_both(a: ir.Kind, b: ir.Kind) -> ir.Kind | None:
    """The kind of what may be of either kind, where they differ in nothing but whether
    floats are Python's or NumPy's, a list of numbers holds any yet, or which parts of
    expressions they are; None for others."""
    match a, b:
        case ir.Reference(), ir.Reference() if _are_parts(a) and _are_parts(b):
            forms = tuple(dict.fromkeys((*a.forms, *b.forms)))
            return replace(a, forms=forms, may_be_none=a.may_be_none or b.may_be_none)
        case ir.List(item=None), ir.List(item=item) if _is_number(item):
            a = replace(a, item=item)
        case ir.List(item=item), ir.List(item=None) if _is_number(item):
            b = replace(b, item=item)
        case ir.List(item=ir.Kind() as item), ir.List(item=ir.Kind() as other):
            met = of_both(item, other)
            if met is not None:
                a, b = replace(a, item=met), replace(b, item=met)
        case _ if _float(a) == _float(b) is not None and a != b:
            return ir.NumPyScalar(_float(a), maybe_python=True)
    return a if _without_symbols(a) == _without_symbols(b) else None


def _are_parts(kind: ir.Reference) -> bool:
    """True for parts of an expression: tuples with a text in front, and numbers and
    names beside them."""
    if kind.adjoint or not any(form.constructor is tuple for form in kind.forms):
        return False
    return all(form.is_value or families.begins_with_text(form) for form in kind.forms)


def _is_number(kind: ir.Kind | None) -> bool:
    return isinstance(kind, ir.Scalar | ir.NumPyScalar)


def _float(kind: ir.Kind) -> str | None:
    """The dtype of a float that may be Python's or NumPy's."""
    if isinstance(kind, ir.Scalar):
        return "float64" if kind.type == "float" and kind.cls is None else None
    return kind.dtype if isinstance(kind, ir.NumPyScalar) else None


def wider_kinds(
    own: core.Value, given: core.Value, whole: bool
) -> dict[str, ir.Kind] | None:
    """The variables in a value that would have to be of other kinds for another one to
    stand for it; None where that isn't enough."""
    others = iter(core.leaves(given))
    wider: dict[str, ir.Kind] = {}

    def both(leaf: core.Leaf) -> core.Leaf:
        other = next(others, leaf)
        if is_static(leaf):
            return leaf
        mine, theirs = (
            widened_kind(each.kind, lambda k, axis: ir.Axis("any"))
            for each in (leaf, other)
        )
        kind = of_both(mine, theirs)
        if kind is None:
            return leaf
        if kind != mine:
            wider[str(leaf.operand)] = kind
        return replace(leaf, kind=other.kind)

    changed = core.map_leaves(own, both)
    same = form_of({"": changed}, whole) == form_of({"": given}, whole)
    return wider if same else None


def form_shape(value: core.Value) -> Hashable:
    """The structure of a value, whatever its leaves are."""
    if isinstance(value, core.Aggregate):
        return (value.constructor, value.keys, *map(form_shape, value.items))
    if isinstance(value, core.Cell):
        return id(value.frame)
    if isinstance(value, core.Choice):
        return tuple((tag, form_shape(option)) for tag, option in value.options)
    told = (getattr(value, "bounds", None), getattr(value, "front", 0))
    cls: Any = (type(value), *told)
    which = id(getattr(value, "source", None)), id(getattr(value, "frame", None))
    parts = tuple((key, form_shape(part)) for key, part in core.parts_of(value))
    return (
        (*cls, *which, getattr(value, "name", ""), parts) if parts else (*cls, *which)
    )


def dynamic_leaves(value: core.Value) -> list[core.Leaf]:
    """What of a value is known only when the program runs."""
    return [leaf for leaf in core.leaves(value) if not is_static(leaf)]


def option_leaves(value: core.Value, inside: bool = False) -> list[core.Leaf]:
    """What of a value has a value of its own on some paths only: where a choice is this
    one."""
    if isinstance(value, core.Leaf):
        return [value] if inside and not is_static(value) else []
    whole = value.which if isinstance(value, core.Choice) else None
    return [
        leaf
        for _, part in core.parts_of(value)
        if inside or part is not whole
        for leaf in option_leaves(part, inside or whole is not None)
    ]


def results_of_call(procedure: Any, found: core.Value) -> list[core.Leaf]:
    """The results of a program, of what a call of it gave. For these arguments one may
    be known when the derivative is compiled: it is a result like the others."""
    pairs = zip(core.leaves(procedure.details.result), core.leaves(found), strict=True)
    return [leaf for own, leaf in pairs if not is_static(own)]


def is_double(kind: ir.Kind) -> bool:
    """True for Python's floats, and NumPy's of double precision."""
    number = isinstance(kind, ir.Scalar | ir.NumPyScalar)
    return number and ir.dtype_of(kind) == "float64"


def returned_kinds(procedure: ir.Procedure) -> list[Any]:
    """The kinds of what a procedure returns."""
    return [leaf.kind for leaf in dynamic_leaves(procedure.details.result)]
