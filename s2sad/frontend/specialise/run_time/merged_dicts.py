"""Dicts that the program makes of others whose keys are known only when it runs: copies
of what it is given, ``{**a, **b}`` and ``a | b``.

::

    m = {**a, "x": x}    ->    m = {}
                               for key in a:
                                   m[key] = a[key]
                               m["x"] = x

Such a dict is kept, in a form of its own.
"""

import ast
from collections.abc import Sequence
from functools import partial
from typing import Any, TypeGuard

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.containers import derived_dicts, dicts
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.iteration import iteration
from s2sad.frontend.specialise.run_time import (
    owning,
    queries,
    reading,
    storing,
    unions,
    working_copies,
)

Part = core.Value | tuple[core.Value, core.Value]
"""A dict, or a key that only the run knows with what stands under it."""


def is_dict(value: core.Value) -> bool:
    """True for a dict, in whichever way it is held."""
    if isinstance(value, core.Aggregate):
        return value.constructor is dict
    return queries.is_dict(value)


def is_plain_dict(value: core.Value) -> bool:
    """True for a dict that is kept, of no class of its own."""
    return queries.is_dict(value) and all(
        form.called is dict for form in queries.kind_of(value).forms
    )


def has_unknown_keys(value: Part) -> TypeGuard[core.Leaf]:
    """True for a dict whose keys only the run knows."""
    if isinstance(value, tuple) or not queries.is_dict(value):
        return False
    return not queries.has_known_keys(queries.kind_of(value))


def with_known_keys(spec: Specialiser, value: core.Value) -> core.Value:
    """A dict that is kept as what it holds, where its form says under which keys;
    others as they are."""
    if not queries.is_dict(value) or has_unknown_keys(value):
        return value
    value = unions.present(value)
    keys = queries.kind_of(value).forms[0].keys
    items = (reading.under_key(spec, value, core.constant(k)) for k in keys)
    return core.Aggregate(dict, keys, tuple(items))


def taken(spec: Specialiser, value: core.Value) -> core.Value:
    """A part as it is now: where the program stores into such dicts, what is evaluated
    behind it may do so."""
    value = with_known_keys(spec, value)
    if queries.is_dict(value) and storing.names_of_stored(spec, queries.kind_of(value)):
        return _filled(spec, [value], tag="taken")
    return value


def merged(
    spec: Specialiser, parts: Sequence[Part], but: tuple[str, ...] = ()
) -> core.Value:
    """A new dict of the entries of several, in their order; ``but`` are keys that it
    doesn't get."""
    parts = [p if isinstance(p, tuple) else with_known_keys(spec, p) for p in parts]
    if not any(isinstance(part, tuple) or has_unknown_keys(part) for part in parts):
        assert not but
        entries: dict[Any, core.Value] = {}
        for part in parts:
            assert isinstance(part, core.Aggregate)
            entries.update(zip(part.keys, part.items, strict=True))
        return core.Aggregate(dict, tuple(entries), tuple(entries.values()))
    return _filled(spec, parts, but)


def _filled(
    spec: Specialiser, parts: Sequence[Part], but: tuple[str, ...] = (), tag: str = ""
) -> core.Leaf:
    """A new dict into which the entries of others are put."""
    made = new_dict(spec, tag)

    def put(pair: core.Value) -> None:
        (_, key), (_, value) = core.parts_of(pair)
        key = storing.key_of(spec, key)
        assert isinstance(key, core.Leaf)
        store = partial(spec.put_into_new, made, key, value, may_have=may_have)
        if not but:
            return store()
        names = core.aggregate_of(tuple(map(core.constant, but)))
        left_out = spec.compare(ast.In(), key, names)
        spec.choose(left_out, lambda: None, store)

    watched = len(spec.watched)
    may_have = False
    for part in parts:
        if isinstance(part, tuple):
            put(core.aggregate_of(part))
        elif has_unknown_keys(part):
            entries = reading.entries_of(spec, part, "items")
            iteration.drive(spec, entries, put, set(), hint="")
            del spec.watched[watched:]
        else:
            for key, value in core.parts_of(part):
                put(core.aggregate_of((dicts.as_value(key), value)))
                may_have |= part is not parts[0]
        may_have = True
    return made


def new_dict(spec: Specialiser, tag: str = "", wish: str = "") -> core.Leaf:
    """A dict that is kept, to which keys are put that only the run knows; ``wish`` is
    the name that it will be bound to."""
    maker = (spec.frame.source.span_of(spec.place), tag)
    owning.let_be_kept(spec, frozenset({maker}), None, dict, is_open=True)
    form = spec.facts.kept.get(maker)
    if form is None:
        raise core.Unsupported(
            "a dict is made here whose keys aren't known before the program runs",
            "make it of keys that are written out",
        )
    return derived_dicts.made_empty(spec, form, wish)


def copied(spec: Specialiser, value: core.Leaf) -> core.Value:
    """``value.copy()`` of a dict that is kept."""
    kind = queries.kind_of(value)
    if not storing.names_of_stored(spec, kind):
        return value  # nothing is stored into either
    held = (slot for form in kind.forms for slot in form.slots.values())
    if is_plain_dict(value) and any(isinstance(s, ir.Reference) for s in held):
        return merged(spec, [value])
    return working_copies.copied(spec, value, deep=False)


def without(spec: Specialiser, value: core.Value, names: tuple[str, ...]) -> core.Value:
    """A new dict of the entries of another one, but for some."""
    value = with_known_keys(spec, value)
    if has_unknown_keys(value):
        return merged(spec, [value], but=names)
    assert isinstance(value, core.Aggregate)
    pairs = zip(value.keys, value.items, strict=True)
    left = {key: item for key, item in pairs if key not in names}
    return core.Aggregate(dict, tuple(left), tuple(left.values()))


def may_be_united(value: core.Value) -> bool:
    """True for a dict of no class of its own, also one that the program changes."""
    if isinstance(value, core.Cell):
        return value.constructor is dict and dicts.FACTORY not in value.frame.names
    return is_dict(value) and (not queries.is_dict(value) or is_plain_dict(value))


def union(spec: Specialiser, operands: Sequence[core.Value]) -> core.Value:
    """``first | second``."""
    if not all(map(may_be_united, operands)):
        raise core.Unsupported(
            "the union of a dict and of what isn't one, or is of a class of its own",
            "write the new dict out, as in {**a, **b}",
        )
    return merged(spec, [spec.contents(operand) for operand in operands])


def holder_of_keys(part: core.Value) -> ir.Operand:
    """What holds the keys of a dict when the program runs, and maybe more."""
    if queries.is_dict(part):
        return part.operand
    assert isinstance(part, core.Aggregate)
    return ir.Const(part.keys)


def has_key(spec: Specialiser, part: core.Value, key: core.Value) -> core.Value:
    """``key in part``, of a dict whose keys only the run knows."""
    assert queries.is_dict(part)
    return reading.has_key(spec, unions.present(part), key)


def value_under(spec: Specialiser, part: core.Value, key: core.Value) -> core.Value:
    """``part[key]``, of a dict whose keys only the run knows, and which has it."""
    assert queries.is_dict(part)
    one = storing.key_of(spec, key)
    assert isinstance(one, core.Leaf)
    return reading.under_key(spec, unions.present(part), one)
