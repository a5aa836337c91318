"""Iteration over objects of the user's classes: what ``__iter__`` returns is run over.

class Bag:
    def __iter__(self):               for v in bag.items:
        return iter(self.items)  ->       total += v
for v in bag:
    total += v
"""

import itertools
from typing import Any

from s2sad.frontend.library import iterators
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.calls.builtin_calls import BUILTIN_CALLS
from s2sad.frontend.specialise.containers import run_time_sets
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.iteration import iteration
from s2sad.frontend.specialise.iteration.begun_early import begun_early
from s2sad.frontend.specialise.iteration.next_methods import is_iterator, steps_of
from s2sad.frontend.specialise.iterators import (  # noqa: F401  (they register calls)
    itertools_calls,
    zips,
)
from s2sad.frontend.specialise.iterators.iterators import iterator
from s2sad.frontend.specialise.objects.members import member_of
from s2sad.frontend.specialise.objects.objects import class_of
from s2sad.frontend.specialise.objects.operator_methods import called_method
from s2sad.frontend.specialise.optionals.values_as_references import as_iterable
from s2sad.frontend.specialise.run_time import queries


@iterator(iter)
def _iter(spec: Specialiser, iterable: core.Value) -> core.Iteration:
    return spec.iterate(iterable)


_iter_of_others = BUILTIN_CALLS[iter]


def _iter_called(spec: Specialiser, args: Any, keywords: Any) -> core.Value:
    """``iter`` of an object is what its ``__iter__`` gives, at once, and of an iterator
    this itself."""
    if len(args) == 1 and isinstance(args[0], core.Lazy) and args[0].token is not None:
        return args[0]
    if len(args) == 1 and core.has_methods(args[0]):
        found = called_method(spec, args[0], "__iter__", ())
        if found is not None and (isinstance(found, core.Lazy) or is_iterator(found)):
            return found
    return _begun_anywhere(_iter_of_others, iterators.Items)(spec, args, keywords)


def _begun_anywhere(call: Any, cls: type) -> Any:
    """A call that makes an iterator, of values that have their items at places."""

    def made(spec: Specialiser, args: Any, keywords: Any) -> core.Value:
        first = int(cls is iterators.Mapped)
        last = first + 1 if cls is iterators.Numbered else len(args)
        read = tuple(as_iterable(spec, value) for value in args[first:last])
        args = (*args[:first], *read, *args[last:])

        def plain() -> core.Value:
            return call(spec, args, keywords)

        if "strict" in keywords:
            return plain()
        there = lambda: spec.call_function(cls, args, keywords)  # noqa: E731
        return iteration.begun_anywhere(spec, read, plain, there)

    return made


def _counted(call: Any) -> Any:
    """``itertools.count``, which reads no items of others."""

    def made(spec: Specialiser, args: Any, keywords: Any) -> core.Value:
        return iteration.object_where_begun(
            spec,
            lambda: call(spec, args, keywords),
            lambda: spec.call_function(iterators.Counted, args, keywords),
        )

    return made


def _begun_early(call: Any) -> Any:
    """A call that makes an iterator, which computes its items as it runs."""
    return lambda spec, args, keywords: begun_early(spec, call(spec, args, keywords))


BUILTIN_CALLS[iter] = _iter_called
BUILTIN_CALLS[itertools.count] = _counted(BUILTIN_CALLS[itertools.count])
BUILTIN_CALLS[filter] = _begun_early(BUILTIN_CALLS[filter])
for function, cls in (
    (enumerate, iterators.Numbered),
    (reversed, iterators.Reversed),
    (zip, iterators.Rows),
    (map, iterators.Mapped),
):
    BUILTIN_CALLS[function] = _begun_anywhere(BUILTIN_CALLS[function], cls)


@core.verb
def own_iterator(spec: Specialiser, value: core.Value) -> core.Value | None:
    """The iterator of an object; None for what isn't one, and for tuples that are
    iterated over as tuples are."""
    if isinstance(value, core.Aggregate) and value.constructor in (set, frozenset):
        if value.maker is not None:  # only the run knows the order
            run_time_sets.hold(spec, [value.maker])
        raise core.Unsupported(
            "the order in which a set gives its values isn't known before the program "
            "runs",
            "run over sorted(...) of it",
        )
    if spec.derived or not core.has_methods(value):
        return None
    if queries.is_reference(value) and queries.is_record(value):
        if core.inherits_iteration(value):
            return None
    found = called_method(spec, value, "__iter__", ())
    if found is None:
        if isinstance(value, core.Aggregate) and not core.is_object(value):
            return None
        if member_of(class_of(value), "__getitem__") is not None:
            by_index = spec.call_function(iterators.items_by_index, (value,), {})
            assert isinstance(by_index, core.Lazy)
            return by_index
        raise core.Unsupported(
            f"{core.describe(value)} can't be iterated over or unpacked: its class has "
            "no __iter__",
            "define __iter__, for example as a generator, or loop over range(...)",
        )
    if not isinstance(found, core.Lazy):
        if is_iterator(found):
            return steps_of(spec, found)
        raise core.Unsupported(
            f"__iter__ of {core.describe(value)} returns {core.describe(found)}, which "
            "is no iterator",
            "return iter(...) of it",
        )
    return found
