"""Iterators that compute their items and of which the program takes some at several
places: they run as a whole when they are made.

::

    values = (x * x for x in xs if x > 0.0)       values = iter([x * x for x in xs ...])
    first = next(values)                     ->   first = next(values)
    return first + sum(values)                    return first + sum(values)

That is so only where it makes no difference (``eager_iteration``), and where all loops
of the iterator end by themselves.
"""

import ast
from dataclasses import replace

from s2sad.frontend.library.iterators import Items
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.iteration import collecting, eager_iteration


def begun_early(spec: Specialiser, lazy: core.Value) -> core.Value:
    """An iterator that has just been made; an object over a list of its items, where a
    run before found that they are taken at several places."""
    place = spec.place
    if spec.derived or not isinstance(lazy, core.Lazy) or not _is_of_user(spec, place):
        return lazy
    site = spec.frame.source.span_of(place)
    if site not in spec.facts.iterators:
        return replace(lazy, site=site)
    with eager_iteration.run_early(spec, "next", ahead=True, must_end=True):
        items = collecting.collected(spec, lazy)
    return spec.call_function(Items, (items,), {})


def _is_of_user(spec: Specialiser, place: ast.AST | None) -> bool:
    return isinstance(place, ast.expr) and not spec.frame.source.is_of_library
