"""Loops over items that are known one by one.

Such a loop is written out, one copy of its body for each item, as long as the items are
few. What is too long for that, and with the optimisation ``unrolling`` off all that has
two items or more, is a loop over lists of what the items hold::

    for w, k in [(a, 1), (b, 2)]:        values = [a, b]
        total += w * k             ->    for k in range(2):
                                             total += values[k] * (1 + k)

if the items are alike. What differs in structure, or in what only compiling knows of it
(functions, classes), can only be written out.
"""

import operator
from collections.abc import Callable, Iterable
from typing import Any

from s2sad import ir, rules
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.containers import lists
from s2sad.frontend.specialise.control.trials import attempt
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.iteration import running_over

LONGEST_UNROLLED = 64
"""Iterations over items that are known one by one are written out up to this number."""


def is_off(spec: Specialiser) -> bool:
    """True where loops over items that are alike aren't written out. The prelude's own
    run over axes and the like, which must be known."""
    known = spec.derived or spec.frame.source.is_of_library
    return not (spec.options.unrolling or known)


def is_long(spec: Specialiser, items: core.Aggregate) -> bool:
    """True for items that are beyond the budget. The text of a rule has as many as the
    operation that it belongs to."""
    return len(items.items) > LONGEST_UNROLLED and not spec.derived


def stays_loop(spec: Specialiser, items: core.Aggregate) -> bool:
    """True where a loop over the items isn't written out, if they are alike."""
    return is_long(spec, items) or (len(items.items) > 1 and is_off(spec))


def run_over(
    spec: Specialiser,
    items: core.Aggregate,
    loop: Callable[[core.Elements], None],
    written_out: Callable[[], None],
) -> None:
    """Make a loop over the items, or have it written out."""
    if not stays_loop(spec, items):
        return written_out()
    if is_long(spec, items):
        return loop(as_elements(spec, items))

    def try_loop() -> None:
        before = len(spec.problems)
        loop(as_elements(spec, items))
        if len(spec.problems) > before:  # its body needs what is known of an item
            raise core.Unsupported("")

    try:
        attempt(spec, try_loop)
    except core.Unsupported:
        written_out()


def looped(spec: Specialiser, items: core.Iteration) -> core.Iteration:
    """Items that are alike as elements at any index, where a loop over them isn't
    written out; others as they are."""
    if not isinstance(items, core.Aggregate) or not stays_loop(spec, items):
        return items
    try:
        return attempt(spec, lambda: as_elements(spec, items))
    except core.Unsupported:
        return items


@core.verb
def unfollowed(spec: Specialiser, cell: core.Cell, content: core.Value) -> core.Value:
    """What a list holds that is about to be run over: where the loop isn't written out,
    its items aren't followed one by one from now on."""
    known = isinstance(content, core.Aggregate) and content.constructor is list
    if not known or not stays_loop(spec, content):  # type: ignore[arg-type]
        return content

    def change() -> core.Value:
        spec.set_content(cell, lists.as_dynamic(spec, content), resized=False)
        return spec.content_of(cell)

    try:
        return attempt(spec, change)
    except core.Unsupported:
        return content


def as_elements(spec: Specialiser, items: core.Aggregate) -> core.Elements:
    """The items as elements at any index; raises Unsupported where they are unlike."""
    count = len(items.items)
    if running_over.is_of_list_that_changes(spec, items):
        raise _unlike(items)
    try:
        part = _at_any_index(spec, items.items)
    except core.Unsupported as problem:
        raise _unlike(items) from problem

    def element(index: core.Leaf) -> core.Value:
        if rules.is_static(index.kind):
            return items.items[rules.static_value(index.kind)]
        return part(index)

    return core.Elements(core.constant(count), element)


def _unlike(items: core.Aggregate) -> core.Unsupported:
    return core.Unsupported(
        f"a loop over {len(items.items)} values of a {items.constructor.__name__}",
        "put the values into an array and loop over that",
    )


def _at_any_index(
    spec: Specialiser, items: tuple[core.Value, ...]
) -> Callable[[core.Leaf], core.Value]:
    """What stands at an index of several values: in a list, if they differ."""
    first = items[0]
    if all(item == first for item in items):
        return lambda index: first
    numbers = _progression(items)
    if numbers is not None:
        return lambda index: numbers.element(spec, index)
    if isinstance(first, core.Aggregate) and not core.is_rows(first):
        if any(lists.form_of(item) != lists.form_of(first) for item in items):
            raise lists.different_structures()
        rows: Iterable[Any] = (item.items for item in items)  # type: ignore[union-attr]
        columns = zip(*rows, strict=True)
        parts = [_at_any_index(spec, column) for column in columns]
        return lambda index: core.with_parts(first, tuple(p(index) for p in parts))
    values = lists.column(spec, items, list)

    def item(index: core.Leaf) -> core.Value:
        return spec.apply(operator.getitem, (values, index), hint="item")

    return item


def _progression(items: tuple[core.Value, ...]) -> core.Numbers | None:
    """Whole numbers that are those of a range."""
    kinds = [core.kind_of(item) for item in items]
    if not all(isinstance(k, ir.Scalar) and rules.is_static(k) for k in kinds):
        return None
    found = list(map(rules.static_value, kinds))
    if any(type(number) is not int for number in found):
        return None
    start, step = found[0], found[1] - found[0]
    stop = start + step * len(found)
    if step == 0 or found != list(range(start, stop, step)):
        return None
    return core.Numbers(core.constant(start), core.constant(stop), core.constant(step))
