"""Methods that change lists, dicts, sets and deques, item stores and deletions
included.

Takes a cell and the arguments; gives what the method returns. What the cell holds
behind it is computed from what it held before::

    q.append(v)            ->      q = appended(q, v)
    v = q.pop(k)           ->      v = q[k]; q = without_item(q, k)
"""

import ast
from collections import defaultdict, deque
from collections.abc import Callable
from typing import Any

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.containers import (
    derived_dicts,
    dict_methods,
    dicts,
    list_methods,
    set_methods,
)
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser, Words
from s2sad.frontend.specialise.heap import cells, kept_objects
from s2sad.frontend.specialise.library_calls import constant_calls
from s2sad.frontend.specialise.run_time import owning, queries

NONE = core.constant(None)
METHODS: dict[Any, dict[str, Callable[..., core.Value]]] = {
    list: list_methods.METHODS_OF_LISTS,
    deque: list_methods.METHODS_OF_DEQUES,
    dict: dict_methods.METHODS_OF_DICTS,
    set: set_methods.METHODS_OF_SETS,
}
"""The methods that change, by class."""


def change(
    spec: Specialiser, cell: core.Cell, name: str, args: Args, words: Words
) -> core.Value:
    """``cell.name(*args, **words)`` of a method that changes it."""
    if name == "__ior__":
        derived_dicts.check_operator(cell, *args)
    method = METHODS[_base(cell.constructor)][name]
    return core.handled(name, method, spec, cell, args, words)


def changes(value: core.Value, name: str) -> bool:
    """True for the method of a list, dict, set or deque that changes it."""
    cls = queries.class_of_items(value) or kept_objects.class_in(value)
    return isinstance(cls, type) and name in METHODS.get(_base(cls), ())


def _base(cls: type) -> Any:
    return next(
        (base for base in (list, dict, set, deque) if issubclass(cls, base)), None
    )


def new_defaultdict(spec: Specialiser, args: Args, words: Words) -> core.Value | None:
    """``defaultdict(factory, entries)``."""
    made, factory = _new_derived(spec, defaultdict), args[0] if args else NONE
    if isinstance(made, core.Cell):
        cells.set_name(spec, made, dicts.FACTORY, factory)
    else:
        spec.factories[derived_dicts.sort_of(made)] = factory
    return _filled(spec, made, args[1:], words)


def maker_of(cls: type) -> Callable[..., core.Value | None]:
    """``Counter(counted)`` and ``OrderedDict(entries)``."""

    def new(spec: Specialiser, args: Args, words: Words) -> core.Value | None:
        values = (*args, *words.values())
        if values and all(constant_calls.is_constant(spec, value) for value in values):
            return None  # it is data
        return _filled(spec, _new_derived(spec, cls), args, words)

    return new


def _new_derived(
    spec: Specialiser, cls: type, limit: core.Value | None = None
) -> core.Cell | core.Leaf:
    """A deque, or a dict of a class derived from dict, which holds nothing yet."""
    maker = (spec.frame.source.span_of(spec.place), cls)
    form = spec.facts.kept.get(maker)
    if form is not None:
        return derived_dicts.made_empty(spec, form, limit=limit)
    spec.learn_changing(cls)
    made = cells.new_cell(spec, cls, spec.wanted_title)
    made.frame.makers = frozenset({maker})
    spec.makers[maker] = made
    if limit is not None and not isinstance(core.kind_of(limit), ir.Scalar):
        owning.let_be_kept(spec, made.frame.makers, None, cls)  # it may be None
    change(spec, made, "clear", (), {})
    return made


def _filled(
    spec: Specialiser,
    made: core.Value,
    args: Args,
    words: Words,
    method: str = "update",
) -> core.Value:
    if args or words:
        spec.shared((made,), times=2)
        spec.call_method(core.Method(made, method), args, words)
    return made


def new_deque(spec: Specialiser, args: Args, words: Words) -> core.Value | None:
    """``deque(items, maxlen)``."""
    limit = args[1] if len(args) > 1 else words.get("maxlen")
    limit = None if limit == NONE else limit
    items = args[0] if args else words.get("iterable")
    made = _new_derived(spec, deque, limit)
    if limit is not None and isinstance(made, core.Cell):
        cells.set_name(spec, made, list_methods.LIMIT, limit)
    elif limit is not None and isinstance(core.kind_of(limit), ir.Scalar):
        holds_nothing = spec.compare(ast.Eq(), limit, core.constant(0))
        what = "a derivative needs deques that may hold something: maxlen is 0"
        spec.raise_if(holds_nothing, ValueError, what)
    return _filled(spec, made, () if items is None else (items,), {}, "extend")
