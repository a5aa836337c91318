"""Lists of numbers of which only the run can tell which one a name or an item is.

Lists are cells (``cells.py``), and those in a list of unknown length stand there by
value (``places.py``). A program that is refused so, because one list is an item twice,
or is held while the items move, is specialised once more, with references to lists of
numbers as to objects (``references.py``): what all of them hold is kept in one list,
and names and items hold places in it::

    row = [x]                              lists = [[x]]
    for e in v:                            row = 0
        rows.append(row)          ->       for e in v:
        row = row + [e]                        rows.append(row)
                                               lists.append(lists[row] + [e])
                                               row = len(lists) - 1

Whether a list that is made empty will hold numbers isn't known: the lines that make
such lists are found one by one.
"""

from __future__ import annotations

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.heap.object_forms import is_reference


@core.verb
def by_content(spec: Specialiser, value: core.Value) -> core.Value:
    """The value with what they hold now in place of references to lists of numbers."""

    if core.NumberList not in spec.facts.shared:
        return value
    if is_list_reference(value):
        cell = spec.opened(value)
        return spec.value_at(cell) if isinstance(cell, core.Cell) else cell
    parts = core.parts_of(value)
    if core.is_rows(value) and any(_holds_list_reference(part) for _, part in parts):
        raise core.Unsupported(
            None,
            "a list of lists is used as a whole of which only the run can tell whether "
            "it holds one twice",
            "run over it",
        )
    new = tuple(by_content(spec, part) for _, part in parts)
    if all(a is b for a, (_, b) in zip(new, parts, strict=True)):
        return value
    return core.with_parts(value, new)


def is_list_reference(value: core.Value) -> bool:
    """True for a reference to a list of numbers."""
    return is_reference(value) and value.constructor.cls is core.NumberList  # type: ignore[attr-defined]


def _holds_list_reference(value: core.Value) -> bool:
    return is_list_reference(value) or any(
        _holds_list_reference(part) for _, part in core.parts_of(value)
    )


def holds_numbers(value: core.Value) -> bool:
    """True for a list of numbers, not all of them whole."""
    if isinstance(value, core.Leaf):
        kinds = [getattr(value.kind, "item", None)]
    elif isinstance(value, core.Aggregate) and value.constructor is list:
        kinds = [item.kind for item in value.items if isinstance(item, core.Leaf)]
        if len(kinds) < len(value.items):
            return False
    else:
        return False
    numbers = all(isinstance(kind, ir.Scalar | ir.NumPyScalar) for kind in kinds)
    return numbers and any(ir.is_real_number_kind(k) for k in kinds if k is not None)


def refer_to_empty(spec: Specialiser, values: list[core.Value]) -> None:
    """Where lists that are made empty meet references to lists of numbers: let those be
    referred to as well."""
    lines = [v.frame.made_empty for v in values if isinstance(v, core.Cell)]
    if any(lines) and any(map(is_list_reference, values)):
        known = spec.facts.shared[core.NumberList].made_empty
        found = known.union(*lines)
        spec.learn(spec.facts.with_shared(core.NumberList, made_empty=found))
        raise core.Learned


def is_empty_list(value: core.Value) -> bool:
    """True for a list that nothing was put into yet."""
    if isinstance(value, core.Leaf):
        return isinstance(value.kind, ir.List) and value.kind.item is None
    return (
        isinstance(value, core.Aggregate)
        and value.constructor is list
        and not value.keys
    )
