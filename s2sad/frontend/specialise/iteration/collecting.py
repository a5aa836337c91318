"""The values of an iterator as a list."""

from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.containers import lists
from s2sad.frontend.specialise.control.trials import attempt
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.iteration import iteration, unrolling

READ_ONLY = ("zip", "enumerate", "reversed", "list")
"""Iterators that compute nothing: reading an item twice costs little."""


def collected(
    spec: Specialiser,
    lazy: core.Lazy,
    short: bool = True,
    wish: str = "",
    counted: bool = False,
) -> core.Value:
    """The values of an iterator as a list: a structure where their number is known,
    else a list built when the program runs. ``counted``: the text says how many there
    are."""
    if unrolling.is_off(spec) and lazy.what not in READ_ONLY:
        short = counted
    if short:
        try:
            return attempt(spec, lambda: known_list(spec, lazy))
        except core.NotKnown:
            pass
        return _built(spec, lazy, wish)
    try:
        return attempt(spec, lambda: _built(spec, lazy, wish))
    except core.Unsupported as problem:
        try:
            return attempt(spec, lambda: known_list(spec, lazy))
        except (core.Unsupported, core.NotKnown):
            raise problem from None


def known_list(spec: Specialiser, lazy: core.Lazy) -> core.Value:
    """The values as a structure; raises NotKnown where their number isn't known."""
    found: list[core.Value] = []
    straight = spec.block

    def add(item: core.Value) -> None:
        if spec.block is not straight:  # in a loop or branch of the program
            raise core.NotKnown
        found.append(spec.held(item))  # what yields it may bind its names anew

    iteration.drive(spec, spec.iterate(lazy), add, set(), known=True)
    return core.aggregate_of(tuple(found), list)


def _built(spec: Specialiser, lazy: core.Lazy, wish: str) -> core.Value:
    try:
        return attempt(spec, lambda: _built_of(spec, lazy, None, wish))
    except lists.OtherForm as other:
        form = other.item
    return _built_of(spec, lazy, form, wish)


def _built_of(
    spec: Specialiser, lazy: core.Lazy, form: core.Value | None, wish: str
) -> core.Value:
    items = spec.iterate(lazy)
    hidden = f".{spec.fresh('list').name.replace('.', '_')}"
    length = None
    placed = isinstance(items, core.Elements)
    if isinstance(items, core.Elements):
        length, items = items.length, _with_places(spec, items)
    axis = lists.axis_of(spec, length)
    spec.frame.names[hidden] = lists.empty_list(spec, axis, form, wish)

    def add(item: core.Value) -> None:
        position: core.Value | None = None
        if placed:
            assert isinstance(item, core.Aggregate)
            item, place = item.items
            position = None if place == core.constant(None) else place
        made = spec.frame.names[hidden]
        if core.is_container(made):  # in a recursion, which runs its consumer
            spec.call_method(core.Method(made, "append"), (item,), {})
        else:
            spec.hold(hidden, lists.with_item(spec, made, item, position))

    iteration.drive(spec, items, add, {hidden})
    made = spec.frame.names.pop(hidden)
    return spec.contents(made) if core.is_container(made) else made


def _with_places(spec: Specialiser, items: core.Elements) -> core.Elements:
    """The elements with their places, where these are known."""

    def of_number(number: core.Leaf) -> core.Value:
        place: core.Value | None = number
        if items.numbers is not None:
            place = items.numbers.place(spec, number)
        item = items.of_number(number)
        return core.aggregate_of(
            (item, core.constant(None) if place is None else place)
        )

    return core.Elements(
        items.length, items.element, items.numbers, of_number, items.hint
    )
