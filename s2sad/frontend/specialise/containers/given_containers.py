"""Lists and dicts of the program's own in place of those that it is given and whose
structure it changes (``run_time/owning.py``)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.containers import dicts
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.iteration.collecting import collected
from s2sad.frontend.specialise.run_time import by_value, queries, reading


def own_containers(
    spec: Specialiser, arguments: Mapping[str, core.Value]
) -> dict[str, core.Value]:
    """The arguments with lists and dicts of the program's own in place of those whose
    structure it changes. Notes whose they are."""

    def owned(leaf: core.Leaf, path: object) -> core.Value:
        if leaf.path not in spec.facts.owned or not queries.is_reference(leaf):
            return leaf
        if queries.is_dict(leaf):
            return _entries_of(spec, leaf, spec.frame.source.node)
        made = by_value.copied(spec, leaf, None)
        spec.holders[core.operand_of(made)] = spec.holders.get(
            leaf.operand, leaf.operand
        )
        return made

    if not spec.facts.owned:
        return dict(arguments)
    return {name: core.map_leaves(v, owned) for name, v in arguments.items()}


def _entries_of(spec: Specialiser, value: core.Leaf, node: Any) -> core.Value:
    """What a dict holds, as the places of its keys and a list of its values."""
    kind = queries.kind_of(value)
    if ir.kind_of_slot(kind, ir.EACH) is None:
        return dicts.as_entries(spec, core.Aggregate(dict, (), ()), node)
    key_kind = kind.forms[0].key or ir.OPAQUE
    keys = spec.assign(spec.fresh("keys"), ir.Apply(list, (value.operand,)), ir.OPAQUE)
    places = ir.Apply(ops.places_of_keys, (keys.operand,))
    of_keys = spec.define(places, ir.OPAQUE, "places")

    def element(index: core.Leaf) -> core.Value:
        read = ir.Apply(ops.read_item, (keys.operand, index.operand))
        key = spec.assign(spec.fresh("key"), read, key_kind)
        return reading.under_key(spec, value, key, node)

    count = spec.define(ir.Apply(len, (keys.operand,)), ir.INT, "count")
    items = core.Elements(core.single(count), element)
    lazy = core.Lazy("list", (), lambda spec, sources: items)
    values = collected(spec, lazy, node, short=False)
    return core.Aggregate(
        core.Entries, dicts.PARTS, (of_keys, values, dicts.key_of_kind(key_kind))
    )
