"""Methods of run-time values: those of lists and dicts that read, and those of objects
of several classes."""

import operator
from collections import deque
from typing import Any

from s2sad import ir, ops, rules
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.containers import dicts
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.heap import forming
from s2sad.frontend.specialise.iteration import iteration
from s2sad.frontend.specialise.run_time import (
    by_value,
    merged_dicts,
    queries,
    reading,
    storing,
    unions,
)

Args = tuple[core.Value, ...]
Words = dict[str, core.Value]


def call_method(
    spec: Specialiser, value: core.Leaf, name: str, args: Args, keywords: Words
) -> core.Value:
    """``value.name(...)``."""
    value = unions.structured(value)
    if queries.is_dict(value):
        found = _method_of_dict(spec, value, name, args) if not keywords else None
    elif queries.is_sequence(value):
        found = _method_of_list(spec, value, name, args) if not keywords else None
    elif len(queries.kind_of(value).forms) > 1:
        spec.shared((*args, *keywords.values()), times=2)

        def call_of(one: core.Leaf) -> core.Value:
            method = spec.attribute_of(one, name)
            return spec.call_value(method, args, keywords)

        return unions.by_form(spec, value, call_of)
    else:
        found = None
    if found is None:
        raise core.Unsupported(
            f"the method {name!r} of a {value.kind} that the program is given can't be "
            "differentiated",
            "make a new list or dict of what is read from it",
        )
    return found


def _method_of_dict(
    spec: Specialiser, value: core.Leaf, name: str, args: Args
) -> core.Value | None:
    if name in dicts.VIEWS and not args:

        def start(spec: Specialiser, sources: Args) -> core.Iteration:
            (held,) = sources
            assert isinstance(held, core.Leaf)
            if name != "keys" and not queries.has_one_sort(queries.kind_of(held)):
                return _unlike_entries(spec, held, name)
            return reading.entries_of(spec, held, name)

        return core.Lazy(f"{core.VIEW}{name}", (value,), start)
    if name == "get" and len(args) in (1, 2):
        key = storing.operand_of_key(spec, args[0])
        default = args[1] if len(args) == 2 else core.constant(None)
        kind = queries.kind_of(value)
        if not all(form.is_uniform for form in kind.forms):
            if not rules.is_static(key.kind):
                return None
        elif storing.is_empty(spec, value):
            return default
        there = reading.has_key(spec, value, key)
        return spec.select(
            there, lambda: reading.under_key(spec, value, key), lambda: default, "value"
        )
    if name == "copy" and not args:
        return merged_dicts.copied(spec, value)
    if name in _CHANGE_KEYS:
        forming.open_records(spec, queries.kind_of(value))
    return None


_CHANGE_KEYS = ("setdefault", "update", "pop", "popitem", "clear")


def counted(spec: Specialiser, counts: core.Value, key: core.Value) -> core.Value:
    """``counts[key]`` of a Counter: 0 for what wasn't counted."""
    get = core.Method(counts, "get")
    return spec.call_method(get, (key, core.constant(0)), {})


def _unlike_entries(spec: Specialiser, value: core.Leaf, what: str) -> core.Stream:
    """The items of dicts that have not all the same keys, with values that are unlike:
    the key tells which value it is::

    for v in d.values():             for key in d:
        ...                 ->           if key in ("x", "y"):
                                             v = d[key]; ...
                                         else:
                                             v = d[key]; ...
    """
    kinds: dict[Any, ir.Kind] = {}
    types: dict[Any, frozenset[type]] = {}
    for form in queries.kind_of(value).forms:
        for name, held in form.slots.items():
            kinds[name] = ir.join(kinds[name], held) if name in kinds else held
            types[name] = types.get(name, frozenset()) | form.types.get(name, ())
    stored = storing.names_of_stored(spec, queries.kind_of(value))
    told = what == "items" or bool(stored)
    groups: dict[Any, list[Any]] = {}
    for name, held in kinds.items():
        groups.setdefault(name if told else held, []).append(name)

    def run(body: core.Body, leave: core.Exit | None, known: bool) -> None:
        if known:
            raise core.NotKnown

        def of_groups(key: core.Leaf, names: list[list[Any]]) -> None:
            first, *others = names
            if not others:
                return give(key, first)
            one = len(first) == 1
            test = ir.Apply(operator.eq, (key.operand, ir.Const(first[0])))
            if not one:
                test = ir.Apply(ops.contains, (key.operand, ir.Const(tuple(first))))
            found = spec.define(test, ir.BOOL, "condition")
            spec.choose(found, lambda: give(key, first), lambda: of_groups(key, others))

        def give(key: core.Leaf, names: list[Any]) -> None:
            if told:
                key = core.constant(names[0])
            item = reading.read(spec, value, key, kinds[names[0]])
            if core.kind_of(item) == ir.OPAQUE:  # a number only where a test says so
                operand = core.operand_of(item)
                spec.opaque_items.add(operand)
                classes = {c for name in names for c in types[name]}
                if len(classes) == 1 and not stored:
                    (spec.opaque_classes[operand],) = classes
            body(core.aggregate_of((key, item)) if what == "items" else item)

        iteration.drive(
            spec,
            reading.entries_of(spec, value, "keys"),
            lambda key: of_groups(core.single(key), list(groups.values())),
            set(),
            hint="key",
            leave=leave,
        )

    return core.Stream(run)


def _method_of_list(
    spec: Specialiser, value: core.Leaf, name: str, args: Args
) -> core.Value | None:
    if name == "copy" and not args and queries.class_of_items(value) is deque:
        limits = queries.may_have_limit(spec, value)
        more = (spec.attribute_of(value, "maxlen"),) if limits else ()
        return spec.call_function(deque, (value, *more), {})
    if name == "copy" and not args and not queries.may_be_deque(value):
        return by_value.copied(spec, value)
    if name in ("index", "count") and len(args) == 1:
        function, by_time = operators_of(name)
        (wanted,) = args
        found = reading.searched(spec, by_time, value, wanted)
        if found is None and isinstance(wanted, core.Leaf):
            operation = ir.Apply(function, (value.operand, wanted.operand))
            found = spec.assign(spec.fresh(name), operation, ir.INT)
        return found
    return None


def operators_of(name: str) -> tuple[Any, Any]:
    """The function for a method of lists, and that of lists that change."""
    import operator

    return {
        "index": (operator.indexOf, ops.stored_index),
        "count": (operator.countOf, ops.stored_count),
    }[name]
