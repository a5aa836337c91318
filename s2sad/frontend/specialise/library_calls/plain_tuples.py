"""NamedTuples where it matters only that they are tuples: to functions of libraries,
and to operators that their classes don't define::

    np.array(Point(x, y))     ->     np.array((x, y))
    Point(x, y) + (z,)        ->     (x, y, z)
"""

from dataclasses import replace

from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.run_time import queries, records


def _check_read_as_tuple(cls: type) -> None:
    """Refuse a NamedTuple with methods of its own that NumPy asks for its items; none
    that is taken apart has a ``__len__`` or ``__getitem__`` of its own."""
    for name in ("__array__", "__iter__"):
        if getattr(cls, name, None) is not getattr(tuple, name, None):
            raise core.Unsupported(
                f"NumPy makes an array of a {cls.__name__} by its own {name}",
                "make a tuple or array of the fields",
            )


def is_tuple(value: core.Value) -> bool:
    """True for a NamedTuple and for other tuples, lists and dicts that are taken apart,
    and for a tuple that is kept."""
    if queries.is_reference(value):
        return queries.is_record(value)
    return isinstance(value, core.Aggregate) and not core.is_object(value)


def as_tuple(spec: Specialiser, value: core.Value) -> core.Value:
    """A NamedTuple as a tuple, and a tuple that is kept as its items; others as they
    are."""
    if core.is_named_tuple(value):
        return core.aggregate_of(value.items)
    if queries.is_reference(value) and queries.is_record(value):
        if not queries.kind_of(value).may_be_none:
            return records.part_of(spec, value, slice(None), tuple)
    return value


def items_at_once(
    spec: Specialiser, value: core.Value
) -> tuple[core.Value, ...] | None:
    """The items that unpacking gives, where their number is known; else None."""
    if queries.is_reference(value) and core.inherits_iteration(value):
        value = as_tuple(spec, value)
    return core.items_of(value)


def as_tuples(spec: Specialiser, value: core.Value) -> core.Value:
    """The same of those that stand in lists and tuples, too, as NumPy takes them."""
    if core.is_named_tuple(value):
        _check_read_as_tuple(value.constructor)
    value = as_tuple(spec, value)
    if isinstance(value, core.Aggregate) and value.constructor in (list, tuple):
        items = tuple(as_tuples(spec, item) for item in value.items)
        changed = any(a is not b for a, b in zip(items, value.items, strict=True))
        return replace(value, items=items) if changed else value
    return value
