"""Dicts that are made of pairs: ``dict(zip(keys, values))``, and comprehensions.

Where the keys aren't known, the dict is one that the program changes: it is filled pair
by pair.
"""

from typing import Any

from s2sad import rules
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.calls.parameters import NAMED
from s2sad.frontend.specialise.containers.dict_methods import key_and_value
from s2sad.frontend.specialise.control.trials import attempt
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.iteration import iteration
from s2sad.frontend.specialise.iteration.collecting import known_list
from s2sad.frontend.specialise.run_time import merged_dicts, methods, queries, storing


def new_dict(spec: Specialiser, args: Any, keywords: Any) -> core.Value:
    """``dict(pairs, key=value)``."""
    named = keywords.pop(NAMED, None)
    if named is not None:
        words = core.Aggregate(dict, tuple(keywords), tuple(keywords.values()))
        parts = (*(_first_entries(spec, a) for a in args), named, words)
        return merged_dicts.merged(spec, parts)
    if args and merged_dicts.is_dict(args[0]):
        if not keywords and merged_dicts.is_plain_dict(args[0]):
            return methods.call_method(spec, args[0], "copy", (), {})
        words = core.Aggregate(dict, tuple(keywords), tuple(keywords.values()))
        return merged_dicts.merged(spec, (args[0], words))
    made = _first_entries(spec, args[0]) if args else core.Aggregate(dict, (), ())
    if queries.is_dict(made):
        spec.call_method(core.Method(made, "update"), (), keywords)
        return made
    assert isinstance(made, core.Aggregate)
    entries: dict[Any, core.Value] = dict(zip(made.keys, made.items, strict=True))
    entries.update(keywords)
    return core.Aggregate(dict, tuple(entries), tuple(entries.values()))


def _first_entries(spec: Specialiser, value: core.Value) -> core.Value:
    """What ``dict(value)`` holds."""
    if isinstance(value, core.Lazy) and value.what != "range":
        return dict_of_pairs(spec, value)
    pairs = core.Lazy("list", (), lambda spec, sources: spec.iterate(value))
    return dict_of_pairs(spec, pairs)


def dict_of_pairs(
    spec: Specialiser, pairs: core.Lazy, wish: str = "", once: bool = False
) -> core.Value:
    """A dict of the pairs that an iterator gives. Where the keys aren't known, the dict
    is filled when the program runs; with ``once`` each key comes once. ``wish`` is the
    name that it will be bound to."""

    def known() -> core.Value:
        entries: dict[Any, core.Value] = {}
        for pair in core.items_of(known_list(spec, pairs)) or ():
            key, value = key_and_value(spec, pair)
            if not rules.is_static(core.kind_of(key)):
                raise core.NotKnown
            entries[rules.static_value(core.kind_of(key))] = value
        return core.Aggregate(dict, tuple(entries), tuple(entries.values()))

    try:
        return attempt(spec, known)
    except core.NotKnown:
        pass
    made = merged_dicts.new_dict(spec, wish=wish)
    spec.shared((made,), times=2)

    def put(pair: core.Value) -> None:
        key, value = key_and_value(spec, pair)
        key = storing.operand_of_key(spec, key)
        spec.put_into_new(made, key, value, may_have=not once)

    iteration.drive(spec, spec.iterate(pairs), put, set(), hint="")
    return made
