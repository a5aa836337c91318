"""Sorts of tuples that a program makes: those of one sort have one form where they are
kept, wherever they are made, and a test tells one sort from another.

>>> form_of_sort((tuple, (0, 1), "leaf")).slots
{0: Known(value='leaf')}
"""

from collections.abc import Hashable, Iterable
from typing import Any

from s2sad import ir
from s2sad.frontend.specialise import core

Sort = tuple[type, tuple[Hashable, ...], Any]
"""The class, the names or places of what it holds, and the text in front, if any."""


def sort_of_made(value: core.Value) -> Sort | None:
    """The sort of a tuple; None for other values."""
    if not isinstance(value, core.Aggregate) or not isinstance(value.constructor, type):
        return None
    if not issubclass(value.constructor, tuple):
        return None
    first = core.kind_of(value.items[0]) if value.items else None
    return _sort(value.constructor, value.keys, first)


def sort_of_form(form: ir.Form) -> Sort | None:
    """The same of those that have a form; None where it is one for any length."""
    if not issubclass(form.constructor, tuple) or form.is_uniform:
        return None
    return _sort(form.constructor, form.keys, form.slots.get(0))


def _sort(cls: type, keys: tuple[Hashable, ...], first: ir.Kind | None) -> Sort:
    text = first.value if isinstance(first, ir.Known) and cls is tuple else None
    return cls, keys, text if isinstance(text, str) else None


def begins_otherwise(form: ir.Form, other: ir.Form) -> bool:
    """True for tuples whose text in front only the run knows, beside those of a form
    that begin with one text and hold something else: that it isn't this text is
    checked where such a tuple is made."""
    text = ir.text_in_front(other)
    if text is None or form.slots.get(0) != ir.OPAQUE or form.keys != other.keys:
        return False
    if form.constructor is not tuple:
        return False
    both = ((form.slots.get(key), other.slots.get(key)) for key in form.keys[1:])
    return any(a and b and ir.join(a, b) == ir.UNKNOWN for a, b in both)


def form_of_sort(sort: Sort) -> ir.Form:
    """A form for what is of a sort."""
    cls, keys, text = sort
    if text is None:
        return ir.Form(cls, keys)
    return ir.Form(cls, keys, {0: ir.Known(text)}, types={0: frozenset({str})})


def of_one_sort(form: ir.Form, known: Iterable[ir.Form]) -> ir.Form:
    """The form that is known already of those of the sort of a form."""
    sort = sort_of_form(form)
    if sort is None or (sort[0] is tuple and sort[2] is None):
        return form  # pairs of unlike things, say, may stand in different places
    return next((own for own in known if sort_of_form(own) == sort), form)
