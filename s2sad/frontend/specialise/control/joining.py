"""The value of a name that is bound to different values on different paths."""

from collections.abc import Hashable
from dataclasses import replace
from typing import Any

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.control import sorts
from s2sad.frontend.specialise.language.forms_of_items import form_of
from s2sad.source.kinds.foreign_classes import number_class

MOST_OPTIONS = 16
"""So many functions a name may be bound to on different paths."""


def join_values(name: str, a: core.Value, b: core.Value, owner: Hashable) -> core.Value:
    """The value of a name that is ``a`` on one path and ``b`` on another.

    Both hold their leaves in the same variables, or are constants; what can't be one
    value is Missing, which is reported only if the name is read.
    """
    if a == b and not isinstance(a, core.Cell):
        return a
    if isinstance(a, core.Cell) and isinstance(b, core.Cell) and a.frame is b.frame:
        return a if a.selector == b.selector else replace(a, selector=None)
    for value in (a, b):
        if isinstance(value, core.Missing):
            return replace(value, unjumped=()) if value.unjumped else value
    if isinstance(a, core.Leaf) and isinstance(b, core.Leaf):
        numbers = _number(a.kind), _number(b.kind)
        of_python = all(isinstance(k, ir.Scalar) for k in numbers)
        first, second = numbers if of_python else (a.kind, b.kind)
        kind = ir.join(first, second, owner)
        lists = {isinstance(k, ir.List) for k in (a.kind, b.kind)}
        if a.operand == b.operand and len(lists) == 1:
            return core.Leaf(a.operand, kind, a.path if a.path == b.path else None)
    elif same_form(a, b):
        joined = [
            join_values(name, x, y, (owner, k))
            for (k, x), (_, y) in zip(core.parts_of(a), core.parts_of(b), strict=True)
        ]
        missing = next((p for p in joined if isinstance(p, core.Missing)), None)
        if core.is_rows(a) and missing is not None:
            return missing  # a list of which no item can be read
        functions = not isinstance(a, core.Aggregate)
        if not functions or not any(isinstance(part, core.Missing) for part in joined):
            return core.with_parts(a, tuple(joined))
    choice = _choice(name, a, b, owner)
    return lost(name, a, b) if choice is None else choice


def lost(name: str, a: core.Value, b: core.Value) -> core.Missing:
    """What a name holds that can't be ``a`` on one path and ``b`` on another."""
    if core.is_rows(a) and core.is_rows(b):
        first, second = _unlike_parts(a, b)
        return core.Missing(
            f"an item of {name!r} holds {core.describe(first)} on one path and "
            f"{core.describe(second)} on another",
            "let a list or tuple that grows stand in a list of its own, of such lists, "
            "beside the list of the others",
        )
    return core.Missing(
        f"{name!r} is {core.describe(a)} on one path and {core.describe(b)} on another",
        "give it the same structure on both paths, or use two names",
        class_of_cells(a, b),
        keeps=_kept_beside(a, b) or _kept_beside(b, a),
    )


def _unlike_parts(a: core.Value, b: core.Value) -> tuple[core.Value, core.Value]:
    """Parts of two structures in which they differ, as far inside as they stand."""
    if not (isinstance(a, core.Aggregate) and isinstance(b, core.Aggregate)):
        return a, b
    if a.constructor is b.constructor and a.keys == b.keys:
        for first, second in zip(a.items, b.items, strict=True):
            if form_of(first) != form_of(second):
                return _unlike_parts(first, second)
    return a, b


def _kept_beside(made: core.Value, other: core.Value) -> Any:
    """Of a list, tuple or dict that the program made, beside one that is kept: what
    made it, and as what that can be kept. The same of a tuple beside one of another
    sort."""
    makers: frozenset[Hashable] = frozenset()
    if isinstance(made, core.Cell):
        makers = made.frame.makers
    elif isinstance(made, core.Aggregate) and made.maker is not None:
        makers = frozenset({made.maker})
    if not makers:
        return None
    kind = core.kind_of(other)
    forms = kind.forms if isinstance(kind, ir.Reference) else ()
    sort = sorts.sort_of_made(made)
    cls: Any = getattr(made, "constructor", None)
    fitting = [
        form
        for form in forms
        if form.constructor is cls and sorts.sort_of_form(form) in (None, sort)
    ]
    if len(fitting) == 1:
        return makers, fitting[0]
    if fitting:  # some that are given, and some that the program makes
        if sort is None or sort[2] is None:
            return None
        return makers, sorts.form_of_sort(sort)
    if isinstance(other, core.Leaf) and ir.is_value(kind):
        own = ir.Form(cls, (ir.EACH,)) if sort is None else sorts.form_of_sort(sort)
        return makers, own
    if sort is None:
        return None
    others = [value for _, value in getattr(other, "options", ((None, other),))]
    if forms or any(sorts.sort_of_made(value) not in (None, sort) for value in others):
        return makers, sorts.form_of_sort(sort)
    return None


def _number(kind: ir.Kind) -> ir.Kind:
    """The kind of a known number of a derived class (a member of an enumeration) as the
    kind of a number; others as they are."""
    if not isinstance(kind, ir.Known):
        return kind
    cls = type(kind.value)
    number = number_class(cls)
    return kind if number is None else ir.Scalar(number.__name__, cls=cls)


def class_of_cells(*values: core.Value) -> Any:
    """The class of the objects, lists or dicts that values may be, where it is one
    class; of objects of several classes, the first."""
    found: dict[Any, None] = {}
    for value in values:
        options = (
            [v for _, v in value.options] if isinstance(value, core.Choice) else []
        )
        for option in (value, *options):
            if core.is_object(option) or core.is_cell_of_object(option):
                found[option.constructor] = None  # type: ignore[union-attr]
            elif _is_list(option):
                found[list] = None
            elif getattr(option, "constructor", None) is dict:
                found[dict] = None
    if len(found) > 1 and not found.keys().isdisjoint((list, dict)):
        return None
    return next(iter(found), None)


def _is_list(value: core.Value) -> bool:
    if isinstance(value, core.Leaf):
        return isinstance(value.kind, ir.List)
    return getattr(value, "constructor", None) is list


def same_form(a: core.Value, b: core.Value) -> bool:
    """True where only what the two values hold may differ."""
    if type(a) is not type(b):
        return False
    same = [key for key, _ in core.parts_of(a)] == [key for key, _ in core.parts_of(b)]
    match a, b:
        case (core.Aggregate(), core.Aggregate()):
            same = same and a.constructor is b.constructor
            return same and (not core.is_rows(a) or form_of(a) == form_of(b))
        case (core.Closure(), core.Closure()):
            return same and a.source is b.source and a.frame is b.frame
        case (core.Partial(), core.Partial()):
            return same and len(a.args) == len(b.args)
        case (core.Method(), core.Method()):
            return a.name == b.name
        case (core.Part(), core.Part()):
            return same and all(
                getattr(a, name) == getattr(b, name)
                for name in ("bounds", "constructor", "front")
            )
        case (core.Lazy(), core.Lazy()):
            return same and a.token is b.token and a.start is b.start
    return False


def _choice(
    name: str, a: core.Value, b: core.Value, owner: Hashable
) -> core.Choice | None:
    """Either of two functions, by what the variable of the name holds."""
    first, second = _options(a), _options(b)
    if first is None or second is None or first[0] != second[0]:
        return None
    options = dict(first[1])
    for tag, value in second[1].items():
        known = options.setdefault(tag, value)
        if known != value and not same_form(known, value):
            return None
        joined = (
            join_values(name, known, value, (owner, tag)) if (known != value) else value
        )
        if not isinstance(joined, type(value)):
            return None
        options[tag] = joined
    if len(options) > MOST_OPTIONS:  # a loop that makes ever new functions
        return None
    return core.Choice(core.Leaf(first[0], ir.OPAQUE), tuple(options.items()))


def _options(value: core.Value) -> tuple[ir.Operand, dict[Hashable, core.Value]] | None:
    """The variable that tells which function a name is bound to, and the functions."""
    if isinstance(value, core.Choice):
        return (value.which.operand, dict(value.options)) if value.complete else None
    selector = getattr(value, "selector", None)
    if selector is not None:
        return selector.operand, {selector.tag: value}
    if isinstance(value, core.Leaf) and value.kind == ir.Known(None):
        return value.operand, {None: core.constant(None)}
    return None
