"""Lists whose length is known only when the program runs.

Such a list is a leaf of kind ``List``; one of tuples or dicts is kept as parallel
lists, one for each number or array in them, under the mark ``Rows``.
"""

import operator
from contextlib import suppress
from dataclasses import replace

from s2sad import ir, ops, rules
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.language.forms_of_items import form_of
from s2sad.ops.runtime.results import require_array


class OtherForm(Exception):
    """The items of a list are structures: it must start as parallel lists."""

    def __init__(self, item: core.Value) -> None:
        super().__init__()
        self.item = item


def is_list(value: core.Value) -> bool:
    """A list whose length isn't known."""
    return core.is_rows(value) or (
        isinstance(value, core.Leaf) and isinstance(value.kind, ir.List)
    )


def was_never_filled(items: core.Value) -> bool:
    """True for a list of unknown length that nothing was put into on any path."""
    return isinstance(items, core.Leaf) and getattr(items.kind, "item", items) is None


def axis_of(spec: Specialiser, length: core.Value | None) -> ir.Axis:
    """The axis along a list of this length; None where the length isn't known when the
    list is begun."""
    kind = core.kind_of(length) if length is not None else None
    symbol = getattr(kind, "length_of", None) or spec.fresh_owner("list")
    return ir.Axis("many" if symbol in spec.many_symbols else "any", symbol)


def empty_list(
    spec: Specialiser, axis: ir.Axis, form: core.Value | None = None, wish: str = ""
) -> core.Value:
    """A new list in a variable of its own; ``form`` is an item of it, if they are
    structures. ``wish`` is the name that the list will be bound to."""

    def new(path: tuple) -> core.Value:
        if wish:
            target = spec.variable(wish, path)
        else:
            target = spec.fresh("_".join(("values", *map(str, path))))
        return spec.assign(target, ir.Apply(ops.new_list, ()), ir.List(None, axis))

    if form is None:
        return new(())
    refuse_known_functions(form)

    structure = core.map_with_paths(form, lambda leaf, path: new(path))
    return core.Aggregate(core.Rows, (core.ROW,), (structure,))


def with_item(
    spec: Specialiser, items: core.Value, item: core.Value, position: core.Value | None
) -> core.Value:
    """The list, in the same variable, with an item at its end."""
    item = row_of(spec, item)
    if isinstance(items, core.Leaf):
        if not isinstance(item, core.Leaf):
            if not was_never_filled(items):
                raise unlike(spec, items, item)
            if isinstance(item, core.Aggregate) and any(
                True for _ in core.leaves(item)
            ):
                raise OtherForm(item)
            if item == core.Aggregate(list, (), ()) and list not in spec.facts.changing:
                spec.learn_changing(list)  # else it would stay empty
                raise core.Learned
            raise core.Unsupported(
                f"{core.describe(item)} is put into a list whose length isn't known "
                "before the program runs",
                "put numbers, arrays or lists into it",
            )
        return with_item_in_column(spec, items, item, position)
    assert isinstance(items, core.Aggregate)
    (template,) = items.items
    same = form_of(template) == form_of(item)
    if not same:
        with spec.kept_if_refused(item):
            raise unlike(spec, template, item)
    lists, added = list(core.leaves(template)), list(core.leaves(item))
    with spec.kept_if_refused(item):
        longer = [
            with_item_in_column(spec, a, b, position)
            for a, b in zip(lists, added, strict=True)
        ]
    grown = iter(longer)
    return core.Aggregate(
        core.Rows, (core.ROW,), (core.map_leaves(template, lambda leaf: next(grown)),)
    )


def row_of(spec: Specialiser, item: core.Value) -> core.Value:
    """An item as a list of unknown length holds it: by value, and a list in it as one
    whose length isn't followed, too."""
    spec.hold_sets(item)
    refuse_known_functions(item)
    if _holds_choice(item):
        with spec.kept_if_refused(item):
            raise _held_on_some_paths(item)
    if not spec.facts.changing:
        return item
    return _with_lists(spec, spec.moved(item))


def _holds_choice(item: core.Value) -> bool:
    return isinstance(item, core.Choice) or any(
        _holds_choice(part) for _, part in core.parts_of(item)
    )


def _held_on_some_paths(item: core.Value) -> core.Unsupported:
    advice = "append it on each of the paths"
    return core.Unsupported(
        f"{core.describe(item)} is put into a list whose length isn't known before the "
        "program runs",
        ADVICE_OF_FUNCTIONS if holds_function(item) else advice,
    )


ADVICE_OF_FUNCTIONS = (
    "put a text or number there that tells which function it is, beside what it keeps, "
    "and choose the function where it is called"
)


def holds_function(value: core.Value) -> bool:
    """True for a function and for what has one in it."""
    return core.is_function(value) or any(
        holds_function(part) for _, part in core.parts_of(value)
    )


def _keeps_on_some_paths(item: core.Value) -> bool:
    """True where one of several functions in it keeps values: those of the others have
    none."""
    if isinstance(item, core.Choice):
        functions = (f for _, f in item.options if isinstance(f, core.FUNCTIONS))
        return any(True for f in functions for _ in core.leaves(f))
    return any(_keeps_on_some_paths(part) for _, part in core.parts_of(item))


def row_like(spec: Specialiser, item: core.Value) -> core.Value:
    """What :func:`row_of` gives for such an item; nothing is computed."""
    with spec.new_block():
        return _with_lists(spec, spec.by_value(item))


def _with_lists(spec: Specialiser, item: core.Value) -> core.Value:
    """The structure with lists in it as such as have a length that isn't followed."""
    if not isinstance(item, core.Aggregate) or core.is_rows(item):
        return item
    inner = tuple(_with_lists(spec, part) for part in item.items)
    item = replace(item, items=inner)
    if item.constructor is list:
        with suppress(core.Unsupported):
            return as_dynamic(spec, item)
    return item


def refuse_known_functions(item: core.Value) -> None:
    """Refuse what isn't there when the program runs: of ``partial(f, x)`` and bound
    methods, the function."""
    if isinstance(item, core.Partial) and isinstance(item.function, core.Leaf):
        raise core.Unsupported(
            f"{core.describe(item)}, with the arguments that it keeps, is put into a "
            "list or dict whose length isn't known before the program runs",
            "put the arguments there, and call the function with them",
        )
    for _, part in core.parts_of(item):
        refuse_known_functions(part)


def as_array_item(
    spec: Specialiser, item: core.Value, known: ir.Kind | None
) -> core.Value:
    """An item that may be an array or a number, where arrays are held, or nothing yet:
    the program tests that it is an array."""
    kind = core.kind_of(item)
    if not isinstance(kind, ir.Array) or not kind.promoted or not kind.axes:
        return item
    if known is not None and not isinstance(known, ir.Array):
        return item
    return spec.apply(require_array, (item,), hint="item")


def _as_data(spec: Specialiser, item: core.Value) -> core.Value:
    """What a library made of data as what has no derivative: beside the numbers and
    arrays of the program it isn't put into a list."""
    if not isinstance(item, core.Leaf) or item.operand not in spec.constant:
        return item
    return replace(item, kind=ir.OPAQUE) if item.kind == ir.UNKNOWN else item


def with_item_in_column(
    spec: Specialiser, items: core.Leaf, item: core.Leaf, position: core.Value | None
) -> core.Value:
    """One of the parallel lists, in the same variable, with a part of an item at its
    end."""
    assert isinstance(items.kind, ir.List)
    known = items.kind.item
    checked = as_array_item(spec, _as_data(spec, item), known)
    assert isinstance(checked, core.Leaf)
    item = checked
    kind: ir.Kind = ir.as_item(ir.without_value(item.kind))
    if known is not None:
        kind = ir.as_item(ir.join(known, kind))
    if not is_plain(kind) or (kind == ir.OPAQUE and not _is_opaque(item.kind)):
        raise not_plain(kind, known, item.kind)
    place = () if position is None else (core.operand_of(position),)
    longer = ir.Apply(ops.appended, (items.operand, core.operand_of(item), *place))
    assert isinstance(items.operand, ir.Var)
    axis = items.kind.axis
    if position is None:
        axis = ir.Axis("any", ir.longer_by(axis.symbol, 1))
    return spec.assign(items.operand, longer, ir.List(kind, axis))


# ------------------------------------------------------------------ written out


def constructor_of(value: core.Value) -> type | None:
    """``list`` or ``tuple`` for what is one, of known length or not; else None."""
    if isinstance(value, core.Leaf) and isinstance(value.kind, ir.List):
        return value.kind.constructor
    if isinstance(value, core.Aggregate):
        if core.is_rows(value):
            return tuple if value.constructor is core.TupleRows else list
        if value.constructor in (list, tuple):
            return value.constructor
    return None


def as_dynamic(
    spec: Specialiser,
    value: core.Value,
    constructor: type = list,
    like: core.Value | None = None,
) -> core.Value:
    """A list or tuple as one whose length isn't followed. ``like`` has items of the
    same form, where ``value`` may hold none."""
    if is_list(value):
        return made_into(spec, value, constructor)
    assert isinstance(value, core.Aggregate)
    spec.hold_sets(*value.items)
    for item in value.items:
        if _keeps_on_some_paths(item):
            with spec.kept_if_refused(item):
                raise _held_on_some_paths(item)
    if any(map(core.holds_cell, value.items)):
        whole = spec.moved(value)
        assert isinstance(whole, core.Aggregate)
        value = replace(whole, items=tuple(row_of(spec, v) for v in whole.items))
    form = value.items[0] if value.items else _first_item(spec, like)
    for item in value.items:
        refuse_known_functions(item)
    if form is not None:
        refuse_known_functions(form)
    if form is None or isinstance(form, core.Leaf):
        return column(spec, value.items, constructor)
    if any(form_of(item) != form_of(form) for item in value.items):
        with spec.kept_if_refused(form):
            raise unlike(spec, *value.items)
    if next(core.leaves(form), None) is None:
        raise core.Unsupported(
            f"{core.describe(form)} is put into a list whose length isn't known before "
            "the program runs",
            "put numbers, arrays or lists into it",
        )
    rows = [list(core.leaves(item)) for item in value.items]
    columns: list[tuple[core.Value, ...]] = list(zip(*rows, strict=True))
    if not rows:
        columns = [() for _ in core.leaves(form)]
    with spec.kept_if_refused(form):
        made = iter([column(spec, part, constructor) for part in columns])
    structure = core.map_leaves(form, lambda leaf: next(made))
    return core.Aggregate(core.ROWS[constructor], (core.ROW,), (structure,))


def _first_item(spec: Specialiser, value: core.Value | None) -> core.Value | None:
    if not isinstance(value, core.Aggregate) or not value.items:
        return None
    if core.is_rows(value):
        return value.items[0]
    return row_like(spec, value.items[0]) if spec.facts.changing else value.items[0]


def column(
    spec: Specialiser, items: tuple[core.Value, ...], constructor: type
) -> core.Value:
    """``[a, b]`` of numbers or arrays, as a list whose length isn't followed."""
    kind: ir.Kind | None = None
    items = tuple(_as_data(spec, item) for item in items)
    if all(isinstance(core.kind_of(item), ir.Array) for item in items):
        items = tuple(as_array_item(spec, item, None) for item in items)
    for item in items:
        if not isinstance(item, core.Leaf):
            raise different_structures()
        own = ir.as_item(ir.without_value(item.kind))
        kind = own if kind is None else ir.as_item(ir.join(kind, own))
    joined = kind == ir.OPAQUE and not all(
        _is_opaque(core.kind_of(item)) for item in items
    )
    if kind is not None and (joined or not is_plain(kind)):
        raise not_plain(kind)
    if not items and constructor is list:
        return spec.assign(
            spec.fresh("values"),
            ir.Apply(ops.new_list, ()),
            ir.List(None, axis_of(spec, None)),
        )
    function = ops.list_of if constructor is list else ops.tuple_of
    return spec.apply(function, (core.aggregate_of(items, constructor),), hint="values")


def made_into(spec: Specialiser, value: core.Value, constructor: type) -> core.Value:
    """``tuple(value)`` or ``list(value)`` of a list whose length isn't known."""
    if constructor_of(value) is constructor:
        return value
    function = ops.as_tuple if constructor is tuple else ops.as_list

    def convert(leaf: core.Leaf) -> core.Value:
        return spec.apply(function, (leaf,), hint="values")

    made = core.map_leaves(value, convert)
    if isinstance(made, core.Aggregate):
        return core.Aggregate(core.ROWS[constructor], made.keys, made.items)
    return made


def made_tuple(spec: Specialiser, value: core.Value) -> core.Value:
    """``tuple(value)`` of a list whose length isn't known."""
    return made_into(spec, value, tuple)


# ------------------------------------------------------------------ refusals


def unlike(spec: Specialiser, *items: core.Value) -> core.Unsupported:
    """Why items can't stand in one list, unless they are tuples that can be kept."""
    spec.keep_alike(*items)
    if any(map(holds_function, items)):
        return core.Unsupported(
            "the items of a list or dict whose length isn't known before the program "
            "runs are, or hold, different functions",
            ADVICE_OF_FUNCTIONS,
        )
    return different_structures()


def different_structures() -> core.Unsupported:
    return core.Unsupported(
        "the items of a list whose length isn't known before the program runs "
        "have different structures",
        "give all items the same structure",
    )


def _is_opaque(kind: ir.Kind) -> bool:
    """True for a text, and for a reference that may be None."""
    text = isinstance(kind, ir.Known) and isinstance(kind.value, str | bytes)
    return kind == ir.OPAQUE or text


def is_plain(kind: ir.Kind) -> bool:
    if isinstance(kind, ir.List):
        return kind.item is None or is_plain(kind.item)
    if ir.is_optional_array(kind) and ir.is_real_number_kind(kind):
        return False  # an adjoint along the list would have no shape
    if isinstance(kind, ir.Unknown) and kind.present is not None:
        kind = kind.present  # a number or None
    return (
        kind in (ir.OPAQUE, ir.NONE)
        or isinstance(kind, ir.Scalar | ir.NumPyScalar | ir.Reference | ir.Members)
        or (isinstance(kind, ir.Array) and kind.axes is not None and not kind.promoted)
    )


def _part_of_range(
    spec: Specialiser, bounds: tuple[core.Value, ...], index: core.Value
) -> core.Value | None:
    """``range(start, stop, step)[lower:upper:stride]`` where that is a range whatever
    the numbers are; None where it isn't."""

    if not isinstance(index, core.Aggregate) or index.constructor is not slice:
        return None
    if not all(rules.is_static(core.kind_of(part)) for part in index.items):
        return None
    taken = slice(*(rules.static_value(core.kind_of(part)) for part in index.items))
    if all(rules.is_static(core.kind_of(bound)) for bound in bounds):
        numbers = [rules.static_value(core.kind_of(bound)) for bound in bounds]
        known = spec.outcome(lambda: range(*numbers)[taken])
        whole = (known.start, known.stop, known.step)
        return spec.call_function(range, tuple(map(core.constant, whole)), {})
    start, stop, step = bounds
    lower, upper, stride = taken.start, taken.stop, taken.step
    if step != core.constant(1):
        return None

    def moved(bound: core.Value, by: int) -> core.Value:
        if by == 0:
            return bound
        return spec.call_function(operator.add, (bound, core.constant(by)), {})

    if (lower, upper, stride) == (None, None, -1):
        turned = moved(stop, -1), moved(start, -1), core.constant(-1)
        return spec.call_function(range, turned, {})
    if (lower or 0) < 0 or (upper or -1) >= 0 or (stride or 1) < 1:
        return None
    parts = (
        moved(start, lower or 0),
        moved(stop, upper or 0),
        core.constant(stride or 1),
    )
    return spec.call_function(range, parts, {})


def not_plain(kind: ir.Kind, *parts: ir.Kind | None) -> core.Unsupported:
    """The problem of a list of items that join to a kind which no list holds; ``parts``
    are what its items are, and what is put into it."""
    if any(isinstance(part, ir.Unknown) and part.present is None for part in parts):
        return core.Unsupported(
            "a list whose length isn't known before the program runs holds numbers, "
            "and values of which nothing is known, such as parts of exceptions",
            "put a number into a variable before the raise, and take it from there",
        )
    return core.Unsupported(
        "a list whose length isn't known before the program runs holds values of "
        f"different kinds, or of kind {kind}",
        "put numbers alone into it, or arrays of one rank",
    )


# ------------------------------------------------------------------ items


def item_of_list(
    spec: Specialiser, value: core.Value, index: core.Value
) -> core.Value | None:
    """An item or slice of parallel lists, or of a range; None for other values."""
    if isinstance(value, core.Lazy) and value.what == "range":
        items = spec.iterate(value)
        if isinstance(core.kind_of(index), ir.Scalar):
            assert isinstance(items, core.Elements)
            known = spec.known_items(items)
            if known is not None and rules.is_static(core.kind_of(index)):
                return known.items[rules.static_value(core.kind_of(index))]
        part = _part_of_range(spec, value.sources, index)
        if part is not None:
            return part
        kind = core.kind_of(index)
        if isinstance(kind, ir.Scalar) and kind.type == "int":
            whole = ir.Apply(range, tuple(map(core.operand_of, value.sources)))
            numbers = core.operand_of(spec.define(whole, ir.OPAQUE, "numbers"))
            place = (numbers, core.operand_of(index))
            return spec.define(ir.Apply(operator.getitem, place), ir.INT, "number")
        raise core.Unsupported(
            "an item of a range that isn't known here", "compute the number"
        )
    if not isinstance(value, core.Aggregate) or not core.is_rows(value):
        return None
    (template,) = value.items

    def item(leaf: core.Leaf, path: tuple) -> core.Value:
        hint = f"item_{path[-1]}" if path else "item"
        return spec.apply(operator.getitem, (leaf, index), hint=hint)

    part = core.map_with_paths(template, item)
    if core.is_slice(index):
        return core.Aggregate(value.constructor, (core.ROW,), (part,))
    return part
