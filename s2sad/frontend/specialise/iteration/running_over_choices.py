"""One of several lists or dicts, by what the run chose, is run over.

::

    for key in best:       ->      keys = list(a) if best == "a" else list(b)
        total += best[key]         for key in keys:
                                       total += a[key] if best == "a" else b[key]
"""

from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.containers import dicts, lists
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.heap import chosen_cells
from s2sad.frontend.specialise.iteration import running_over


def items_of_choice(spec: Specialiser, choice: core.Choice) -> core.Elements:
    """The items of one of several lists, as they are when they are reached."""
    _watch(spec, choice)
    return core.Elements(
        spec.call_function(len, (choice,), {}),
        lambda index: spec.item_at(choice, index),
    )


def view_of_choice(choice: core.Choice, what: str) -> core.Lazy:
    """``d.items()`` and the like of one of several dicts."""

    def start(spec: Specialiser, sources: tuple[core.Value, ...]) -> core.Elements:
        (chosen,) = sources
        assert isinstance(chosen, core.Choice)
        return entries_of_choice(spec, chosen, what)

    return core.Lazy(f"{core.VIEW}{what}", (choice,), start)


def entries_of_choice(
    spec: Specialiser, choice: core.Choice, what: str
) -> core.Elements:
    """The same of dicts: their keys stay, and their values are read when they are
    reached."""
    _watch(spec, choice)

    def keys_of(one: core.Value) -> core.Value:
        assert isinstance(one, core.Cell)
        content = spec.content_of(one)
        assert isinstance(content, core.Aggregate)
        known = tuple(map(dicts.as_value, content.keys))
        return lists.as_dynamic(spec, core.aggregate_of(known, list))

    keys = chosen_cells.for_the_one(spec, choice, keys_of)

    def element(index: core.Leaf) -> core.Value:
        key = spec.item_of(keys, index)
        if what == "keys":
            return key
        value = spec.item_at(choice, key)
        return value if what == "values" else core.aggregate_of((key, value))

    return core.Elements(spec.call_function(len, (keys,), {}), element)


def _watch(spec: Specialiser, choice: core.Choice) -> None:
    for _, option in choice.options:
        assert isinstance(option, core.Cell)
        running_over.watch(spec, option, spec.content_of(option))
