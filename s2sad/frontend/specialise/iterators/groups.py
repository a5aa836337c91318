"""``itertools.groupby``: runs of equal keys.

Where all keys are known before the program runs, so are the groups. Else the keys are
put into a list, and the loop runs over the places where they change::

    for key, run in groupby(x, sign):  ->  keys = [sign(v) for v in x]
        for v in run:                      bounds = [0, 2, 5]  # for example
            y += key * v                   for g in range(len(bounds) - 1):
                                               for k in range(bounds[g], bounds[g + 1]):
                                                   y += keys[bounds[g]] * x[k]
"""

import itertools
import operator
from typing import Any

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.iteration import eager_iteration, iteration, pools
from s2sad.frontend.specialise.iteration.collecting import collected
from s2sad.frontend.specialise.iterators.iterators import ONE, iterator


@iterator(itertools.groupby)
def _groupby(
    spec: Specialiser, iterable: core.Value, key: core.Value = core.NOTHING
) -> core.Iteration:
    with eager_iteration.run_early(spec, "groupby"):
        return _one_at_a_time(spec, _grouped(spec, iterable, key))


def _grouped(
    spec: Specialiser, iterable: core.Value, key: core.Value
) -> core.Iteration:
    """The groups, with their keys."""
    source = pools.source_of(spec, iterable)
    items = spec.iterate(source)
    items = spec.known_items(items) or items

    def key_of(item: core.Value) -> core.Value:
        return item if key == core.NOTHING else spec.call_value(key, (item,), {})

    if isinstance(items, core.Aggregate):
        spec.shared(items.items, times=2)
        keys = [key_of(item) for item in items.items]
        if all(core.is_known(k) for k in keys):
            return _known_groups(items.items, keys)
        items = pools.pool_of(spec, source).elements
    items = core.elements_of(items)
    keys_list = source if key == core.NOTHING else None
    if not (
        isinstance(keys_list, core.Leaf)
        and isinstance(keys_list.kind, ir.List | ir.Array)
    ):
        keys_list = _keys(spec, items, key_of)
    return _groups(spec, items, keys_list)


def _known_groups(
    items: tuple[core.Value, ...], keys: list[core.Value]
) -> core.Aggregate:
    runs = itertools.groupby(range(len(keys)), lambda k: core.known_value(keys[k]))
    groups = []
    for _, run in runs:
        chosen = [*run]
        group: core.Value = core.aggregate_of(tuple(items[k] for k in chosen))
        groups.append(core.aggregate_of((keys[chosen[0]], group)))
    return core.aggregate_of(tuple(groups))


def _one_at_a_time(spec: Specialiser, groups: core.Iteration) -> core.Stream:
    """A group can be run over until the next one is reached."""
    present: list[object] = [None]

    def run(body: core.Body, leave: core.Exit | None, known: bool) -> None:
        def each(pair: core.Value) -> None:
            key, group = pair.items  # type: ignore[union-attr]
            mark = core.Mark()

            def start(
                spec: Specialiser, sources: tuple[core.Value, ...]
            ) -> core.Iteration:
                if present[0] is not mark:
                    raise core.Unsupported(
                        "a group is run over after groupby has gone on, and gives "
                        "nothing any more",
                        "make a list of each group in the loop",
                    )
                return spec.iterate(group)

            present[0] = mark
            body(core.aggregate_of((key, core.Lazy("group", (), start, mark))))
            present[0] = None

        iteration.drive(spec, groups, each, set(), leave=leave, known=known)

    return core.Stream(run)


def _keys(spec: Specialiser, items: core.Elements, key_of: Any) -> core.Leaf:
    """The keys of all items, in a list."""
    mapped = items.mapped(key_of)
    keys = collected(spec, core.Lazy("map", (), lambda spec, sources: mapped))
    if isinstance(keys, core.Aggregate) and not core.is_rows(keys):
        keys = pools.pool_of_items(spec, keys.items).columns or keys
    if isinstance(keys, core.Leaf):
        return keys
    raise core.Unsupported(
        "items are grouped by keys that aren't numbers, and that aren't known before "
        "the program runs",
        "group by one number an item",
    )


def _groups(spec: Specialiser, items: core.Elements, keys: core.Leaf) -> core.Elements:
    bounds = spec.apply(ops.bounds_of_runs, (keys,), hint="bounds")

    def element(index: core.Leaf) -> core.Value:
        def read(value: core.Value, place: core.Value, hint: str) -> core.Value:
            return spec.apply(operator.getitem, (value, place), hint=hint)

        after = spec.operate(operator.add, (index, ONE))
        start = read(bounds, index, "start")
        numbers = iteration.range_of(spec, (start, read(bounds, after, "stop"), ONE))
        group = core.Elements(
            numbers.length,
            lambda place: items.element(numbers.element(place)),  # type: ignore[arg-type]
            numbers.numbers,
            items.element,
        )
        run = core.Lazy("group", (), lambda spec, sources: group)
        return core.aggregate_of((read(keys, start, "key"), run))

    count = spec.operate(operator.sub, (iteration.length_of(spec, bounds), ONE))
    return core.Elements(count, element)
