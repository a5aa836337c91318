"""``takewhile``, ``dropwhile``, ``islice`` and ``compress`` of itertools.

What stops early sets a flag, which leaves the loop that it runs over::

    for x in takewhile(p, xs):       ->      done = False
        total += x                           for x in xs:
                                                 if p(x):
                                                     total += x
                                                 else:
                                                     done = True
                                                 if done:
                                                     break
"""

import ast
import itertools
import operator
from collections.abc import Callable

from s2sad import ir, rules
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.iteration import iteration, pools
from s2sad.frontend.specialise.iterators.iterators import ONE, ZERO, filtered, iterator
from s2sad.frontend.specialise.library_calls.truth import static_truth

TRUE = core.constant(True)


def _hidden(spec: Specialiser, hint: str) -> str:
    return f".{spec.fresh(hint).name.replace('.', '_')}"


def _nothing() -> None:
    pass


class _Stopping:
    """A loop that may be left, by its own test or since its consumer has left."""

    def __init__(self, spec: Specialiser, leave: core.Exit | None) -> None:
        self.spec, self.consumer = spec, leave
        self.done = core.Exit(spec.frame, _hidden(spec, "done"))
        self.stop_if(core.FALSE)

    def stop_if(self, test: core.Value) -> None:
        self.spec.bind(self.done.name, test)

    def give(self, body: core.Body, item: core.Value, then: Callable[[], None]) -> None:
        """Run the consumer's body, and ``then`` unless it has left."""
        if self.consumer is None:
            body(item)
            return then()
        self.consumer.is_false(self.spec)  # else this loop would have been left
        body(item)
        left = self.consumer.value()
        stop = lambda: self.stop_if(TRUE)  # noqa: E731
        self.spec.choose(left, stop, then)

    def over(
        self, items: core.Iteration, each: core.Body, names: set[str], known: bool
    ) -> None:
        iteration.drive(
            self.spec,
            items,
            each,
            {self.done.name, *names},
            leave=self.done,
            known=known,
        )


@iterator(itertools.takewhile)
def _takewhile(
    spec: Specialiser, predicate: core.Value, iterable: core.Value
) -> core.Iteration:
    items = spec.iterate(iterable)

    def run(body: core.Body, leave: core.Exit | None, known: bool) -> None:
        loop = _Stopping(spec, leave)

        def each(item: core.Value) -> None:
            item = spec.held_from_cells(item)
            spec.shared([item], times=2)
            passed = spec.call_value(predicate, (item,), {})
            if known and static_truth(passed) is None:
                raise core.NotKnown
            spec.choose(
                passed,
                lambda: loop.give(body, item, _nothing),
                lambda: loop.stop_if(TRUE),
            )

        loop.over(items, each, set(), known)

    return core.Stream(run)


@iterator(itertools.dropwhile)
def _dropwhile(
    spec: Specialiser, predicate: core.Value, iterable: core.Value
) -> core.Iteration:
    items = spec.iterate(iterable)
    hidden = _hidden(spec, "dropping")

    def run(body: core.Body, leave: core.Exit | None, known: bool) -> None:
        frame = spec.frame
        spec.bind(hidden, TRUE)

        def each(item: core.Value) -> None:
            item = spec.held_from_cells(item)
            spec.shared([item], times=2)

            def test() -> None:
                spec.bind(hidden, spec.call_value(predicate, (item,), {}))

            spec.choose(frame.names[hidden], test, _nothing)
            if known and static_truth(frame.names[hidden]) is None:
                raise core.NotKnown
            spec.choose(frame.names[hidden], _nothing, lambda: body(item))

        iteration.drive(spec, items, each, {hidden}, leave=leave, known=known)

    return core.Stream(run)


@iterator(itertools.compress)
def _compress(
    spec: Specialiser, data: core.Value, selectors: core.Value
) -> core.Iteration:

    pairs = spec.zipped(data, selectors)
    chosen = filtered(spec, pairs, lambda pair: pair.items[1])  # type: ignore[union-attr]
    return spec.mapped(chosen, lambda pair: pair.items[0])  # type: ignore[union-attr]


# ------------------------------------------------------------------ islice


@iterator(itertools.islice)
def _islice(
    spec: Specialiser, iterable: core.Value, *bounds: core.Value
) -> core.Iteration:
    items = spec.iterate(iterable)
    given = (core.NOTHING, *bounds) if len(bounds) == 1 else bounds
    given = (*given, core.NOTHING)[:3]
    given = tuple(core.NOTHING if core.kind_of(v) == ir.NONE else v for v in given)
    start, stop, step = given
    start = ZERO if start == core.NOTHING else start
    step = ONE if step == core.NOTHING else step
    if isinstance(items, core.Stream):
        return _part_of_stream(spec, items, start, stop, step)
    if not isinstance(items, core.Elements):
        kinds = [core.kind_of(bound) for bound in (start, stop, step)]
        if all(map(rules.is_static, kinds)):
            chosen = items.items[slice(*map(rules.static_value, kinds))]
            return core.aggregate_of(chosen)
        if not items.items:
            return items
        items = pools.pool_of_items(spec, items.items).elements
    found = items
    if isinstance(found, core.Endless) and stop == core.NOTHING:

        def behind(index: core.Leaf) -> core.Value:
            place = spec.operate(operator.mul, (index, step))
            place = spec.operate(operator.add, (start, place))
            return found.element(place)  # type: ignore[arg-type]

        return core.Endless(behind)
    limit = found.length
    if isinstance(found, core.Endless):
        limit = stop
    elif stop != core.NOTHING:
        limit = spec.apply(min, (stop, limit))
    numbers = iteration.range_of(spec, (start, limit, step))

    def element(index: core.Leaf) -> core.Value:
        return found.element(numbers.element(index))  # type: ignore[arg-type]

    whole = start == ZERO and step == ONE
    return core.Elements(numbers.length, found.element if whole else element)


def _part_of_stream(
    spec: Specialiser,
    items: core.Stream,
    start: core.Value,
    stop: core.Value,
    step: core.Value,
) -> core.Iteration:
    def at_step(pair: core.Value) -> core.Value:
        (number, _) = pair.items  # type: ignore[union-attr]
        behind = spec.operate(operator.sub, (number, start))
        rest = spec.operate(operator.mod, (behind, step))
        return spec.compare(ast.Eq(), rest, ZERO)

    def not_before(pair: core.Value) -> core.Value:
        (number, _) = pair.items  # type: ignore[union-attr]
        return spec.compare(ast.GtE(), number, start)

    pairs: core.Iteration = numbered(spec, items, stop)
    if start != ZERO:
        pairs = filtered(spec, pairs, not_before)
    if step != ONE:
        pairs = filtered(spec, pairs, at_step)
    return spec.mapped(pairs, lambda pair: pair.items[1])  # type: ignore[union-attr]


def numbered(
    spec: Specialiser,
    items: core.Stream,
    stop: core.Value,
    late: core.Value = core.NOTHING,
) -> core.Stream:
    """Pairs of a number, from 0, and an item; behind the last number before ``stop``
    nothing more is run. The item with the number ``late`` is run, and not given."""
    hidden = _hidden(spec, "number")

    def run(body: core.Body, leave: core.Exit | None, known: bool) -> None:
        frame = spec.frame
        loop = _Stopping(spec, leave)
        spec.bind(hidden, ZERO)
        if stop != core.NOTHING:
            loop.stop_if(spec.compare(ast.LtE(), stop, ZERO))

        def each(item: core.Value) -> None:
            number = frame.names[hidden]
            if not core.is_known(number):
                number = spec.held(number, {hidden})
            spec.bind(hidden, spec.operate(operator.add, (number, ONE)))
            if core.is_known(number):
                number = core.constant(core.known_value(number))

            def count() -> None:
                if stop != core.NOTHING:
                    last = spec.compare(ast.GtE(), frame.names[hidden], stop)
                    if known and static_truth(last) is None:
                        raise core.NotKnown
                    loop.stop_if(last)

            def give() -> None:
                loop.give(body, core.aggregate_of((number, item)), count)

            if late == core.NOTHING:
                return give()
            over = spec.compare(ast.GtE(), number, late)
            if known and static_truth(over) is None:
                raise core.NotKnown
            item = spec.held_from_cells(item)
            spec.shared([item], times=2)
            spec.choose(over, lambda: loop.stop_if(core.constant(True)), give)

        loop.over(items, each, {hidden}, known)

    return core.Stream(run)
