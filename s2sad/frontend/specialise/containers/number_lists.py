"""Lists of numbers of which only the run can tell which one a name or an item is.

Lists are cells (``cells.py``), and those in a list of unknown length stand there by
value (``places.py``). A program that is refused so, because one list is an item twice,
or is held while the items move, is specialised once more, with lists of numbers kept as
they are (``run_time/making.py``).

Whether a list that is made empty will hold numbers isn't known: the lines that make
such lists are found one by one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.run_time import queries


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
    """Where lists that are made empty meet kept lists of numbers: let those be kept as
    well."""
    lines = [v.frame.made_empty for v in values if isinstance(v, core.Cell)]
    if any(lines) and any(_is_kept_list(spec, value) for value in values):
        learn_made_empty(spec, frozenset().union(*lines))
        raise core.Learned


def _is_kept_list(spec: Specialiser, value: core.Value) -> bool:
    form = spec.facts.formed.get(list)
    return queries.is_reference(value) and form in queries.kind_of(value).forms


def learn_made_empty(spec: Specialiser, lines: frozenset[Any]) -> None:
    """Let it be known that lists that are made empty there are lists of numbers."""
    found = spec.facts.made_empty | lines
    spec.learn(replace(spec.facts, made_empty=found))


def is_empty_list(value: core.Value) -> bool:
    """True for a list that nothing was put into yet."""
    if isinstance(value, core.Leaf):
        return isinstance(value.kind, ir.List) and value.kind.item is None
    return (
        isinstance(value, core.Aggregate)
        and value.constructor is list
        and not value.keys
    )
