"""Dicts that the program makes of others whose keys are known only when it runs: copies
of what it is given, ``{**a, **b}`` and ``a | b``.

::

    m = {**a, "x": x}    ->    keys = list(dict.fromkeys([*a, "x"]))
                               values = [x if key == "x" else a[key] for key in keys]

The entries are taken at once, from the last part that has the key.
"""

import operator
from collections.abc import Iterable, Sequence
from typing import Any

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.containers import dicts, lists
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.iteration.collecting import collected
from s2sad.frontend.specialise.run_time import queries, reading, storing, unions


def is_dict(value: core.Value) -> bool:
    """True for a dict, in whichever way it is held."""
    if isinstance(value, core.Aggregate):
        return value.constructor in (dict, core.Entries)
    return queries.is_dict(value)


def is_plain_dict(value: core.Value) -> bool:
    """True for a dict that is kept, of no class of its own."""
    return queries.is_dict(value) and all(
        form.called is dict for form in queries.kind_of(value).forms
    )


def has_unknown_keys(value: core.Value) -> bool:
    """True for a dict whose keys only the run knows."""
    if queries.is_dict(value):
        return not queries.has_known_keys(queries.kind_of(value))
    return dicts.is_entries(value)


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
        return merged(spec, [value])
    return value


def merged(
    spec: Specialiser, parts: Sequence[core.Value], but: tuple[str, ...] = ()
) -> core.Value:
    """A new dict of the entries of several, in their order; ``but`` are keys that it
    doesn't get."""
    parts = [with_known_keys(spec, part) for part in parts]
    if not any(map(has_unknown_keys, parts)):
        assert not but
        entries: dict[Any, core.Value] = {}
        for part in parts:
            assert isinstance(part, core.Aggregate)
            entries.update(zip(part.keys, part.items, strict=True))
        return core.Aggregate(dict, tuple(entries), tuple(entries.values()))
    spec.learn_changing(dict)  # what has such keys is a cell
    parts = [part for part in parts if not _is_empty(spec, part)]
    if not parts:
        return dicts.as_entries(spec, core.Aggregate(dict, (), ()))
    stand_in = _common_key(parts)
    keys = core.single(
        spec.assign(spec.fresh("keys"), _keys_of(spec, parts, but), ir.OPAQUE)
    )
    numbered = ir.Apply(ops.places_of_keys, (keys.operand,))
    places = spec.define(numbered, ir.OPAQUE, "places")

    def element(index: core.Leaf) -> core.Value:
        key = dicts.key_at(spec, keys, index, stand_in)
        return _value_under(spec, parts, key)

    count = spec.define(ir.Apply(len, (keys.operand,)), ir.INT, "count")
    items = core.Elements(core.single(count), element)
    lazy = core.Lazy("list", (), lambda spec, sources: items)
    values = collected(spec, lazy, short=False)
    return core.Aggregate(core.Entries, dicts.PARTS, (places, values, stand_in))


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


def entry_under(spec: Specialiser, key: core.Value, value: core.Value) -> core.Value:
    """A dict of one entry, under a key that only the run knows."""
    numbered = ir.Apply(ops.places_of, (dicts.key_operand(spec, key),))
    places = spec.define(numbered, ir.OPAQUE, "places")
    values = lists.as_dynamic(spec, core.aggregate_of((value,), list))
    return core.Aggregate(
        core.Entries, dicts.PARTS, (places, values, dicts.stand_in(key))
    )


def _is_empty(spec: Specialiser, part: core.Value) -> bool:
    if queries.is_dict(part):
        kind = queries.kind_of(part)
        uniform = all(form.is_uniform for form in kind.forms)
        return uniform and storing.is_empty(spec, part)
    if dicts.is_entries(part):
        return dicts.was_never_filled(part)
    return isinstance(part, core.Aggregate) and not part.items


def _common_key(parts: Iterable[core.Value]) -> core.Value:
    """What stands for the keys of all parts."""
    found = None
    for part in parts:
        if queries.is_dict(part):
            own: list[core.Value] = [
                dicts.key_of_kind(queries.kind_of(part).forms[0].key or ir.OPAQUE)
            ]
        elif dicts.is_entries(part):
            own = [part.items[2]]
        else:
            assert isinstance(part, core.Aggregate)
            own = [dicts.stand_in(dicts.known_key(key)) for key in part.keys]
        for one in own:
            if found is not None and one != found:
                return dicts.key_of_kind(ir.OPAQUE)
            found = one
    assert found is not None
    return found


def _keys_of(
    spec: Specialiser, parts: Sequence[core.Value], but: tuple[str, ...]
) -> ir.Apply:
    """The keys of all parts, each once."""

    def keys_now(part: core.Value) -> ir.Operand:
        holder = holder_of_keys(part)
        if not queries.is_dict(part):
            return holder
        if not storing.is_resized(spec, queries.kind_of(part)):
            return holder
        now = ir.Apply(ops.stored_keys, (holder,))
        return spec.assign(spec.fresh("keys"), now, ir.OPAQUE).operand

    holders = tuple(map(keys_now, parts))
    if but:
        (holder,) = holders
        return ir.Apply(ops.keys_but, (holder, ir.Const(but)))
    return ir.Apply(list if len(holders) == 1 else ops.keys_together, holders)


def holder_of_keys(part: core.Value) -> ir.Operand:
    """What holds the keys of a dict when the program runs, and maybe more."""
    if queries.is_dict(part):
        return part.operand
    assert isinstance(part, core.Aggregate)
    if dicts.is_entries(part):
        return core.operand_of(part.items[0])
    return ir.Const(part.keys)


def _value_under(
    spec: Specialiser, parts: Sequence[core.Value], key: core.Value
) -> core.Value:
    """What stands under a key in the last part that has it."""
    *others, last = parts

    def rest() -> core.Value:
        return _value_under(spec, others, key)

    if isinstance(last, core.Aggregate) and not dicts.is_entries(last):
        return _known_value(spec, last, key, rest if others else None)
    if not others:
        return value_under(spec, last, key)
    test = has_key(spec, last, key)
    return spec.select(test, lambda: value_under(spec, last, key), rest, "value")


def _known_value(
    spec: Specialiser, part: core.Aggregate, key: core.Value, rest: Any
) -> core.Value:
    """What a dict of known keys holds under a key, or for others what ``rest``
    gives."""
    known, value = part.keys[-1], part.items[-1]
    if rest is None and len(part.items) == 1:
        return value
    test = ir.Apply(operator.eq, (core.operand_of(key), ir.Const(known)))
    left = core.Aggregate(dict, part.keys[:-1], part.items[:-1])
    others = rest
    if left.items:

        def others() -> core.Value:
            return _known_value(spec, left, key, rest)

    condition = spec.define(test, ir.BOOL, "condition")
    return spec.select(condition, lambda: value, others, "value")


def has_key(spec: Specialiser, part: core.Value, key: core.Value) -> core.Value:
    """``key in part``, of a dict whose keys only the run knows."""
    if dicts.is_entries(part):
        return dicts.has_key(spec, part, key)
    assert queries.is_dict(part)
    return reading.has_key(spec, unions.present(part), key)


def value_under(spec: Specialiser, part: core.Value, key: core.Value) -> core.Value:
    """``part[key]``, of a dict whose keys only the run knows, and which has it."""
    if dicts.is_entries(part):
        return dicts.value_under(spec, part, key)
    assert queries.is_dict(part)
    one = storing.key_of(spec, key)
    assert isinstance(one, core.Leaf)
    return reading.under_key(spec, unions.present(part), one)
