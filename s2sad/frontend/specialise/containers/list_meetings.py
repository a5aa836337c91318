"""Lists, tuples, dicts and sets of which paths change the length, the keys or the
members: behind the paths, or at the head of a loop, these aren't followed any more."""

from contextlib import suppress
from dataclasses import replace

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.closures import function_records
from s2sad.frontend.specialise.containers import lists, run_time_sets
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.optionals import (
    optional_keys,
    optionals,
    values_as_references,
)
from s2sad.frontend.specialise.run_time import by_value, owning


def meet_as_lists(a: core.Value, b: core.Value) -> bool:
    """True for two lists or tuples, of which the length is known on both paths but
    differs, or on one path alone; for a structure and None; and for structures with
    such in them."""
    if a is b:
        return False
    if by_value.is_kept_beside(a, b) or by_value.is_kept_beside(b, a):
        return True
    if values_as_references.is_value_beside(
        a, b
    ) or values_as_references.is_value_beside(b, a):
        return True
    if function_records.is_beside_record(a, b) or function_records.is_beside_record(
        b, a
    ):
        return True
    if not (isinstance(a, core.Aggregate) or isinstance(b, core.Aggregate)):
        return False  # most names, at most places
    if any(differ(a, b) for differ in _DIFFERENCES) or optionals.meets_none(a, b):
        return True
    if not isinstance(a, core.Aggregate) or not isinstance(b, core.Aggregate):
        return False
    if a.constructor is not b.constructor or a.keys != b.keys or core.is_rows(a):
        return False
    return any(map(meet_as_lists, a.items, b.items))


def _differ_in_length(a: core.Value, b: core.Value) -> bool:
    constructor = lists.constructor_of(a)
    if constructor is None or constructor is not lists.constructor_of(b):
        return False
    if isinstance(a, core.Aggregate) and isinstance(b, core.Aggregate):
        rows = core.is_rows(a), core.is_rows(b)
        return rows[0] != rows[1] or (not rows[0] and len(a.items) != len(b.items))
    return not (isinstance(a, core.Leaf) and isinstance(b, core.Leaf))


def _differ_in_keys(a: core.Value, b: core.Value) -> bool:
    """True for two dicts with other keys on each path."""
    if not isinstance(a, core.Aggregate) or not isinstance(b, core.Aggregate):
        return False
    return a.constructor is b.constructor is dict and a.keys != b.keys


def are_alike(*dicts: core.Value) -> bool:
    """True for dicts of which all that they hold is of one form and kind."""
    items = [item for value in dicts for _, item in core.parts_of(value)]
    if not items:
        return True
    first, *others = items
    kinds = [leaf.kind for leaf in core.leaves(first)]
    for item in others:
        if lists.form_of(item) != lists.form_of(first):
            return False
        both = zip(kinds, (leaf.kind for leaf in core.leaves(item)), strict=True)
        kinds = [ir.join(x, y) for x, y in both]
    return ir.UNKNOWN not in kinds and not any(map(ir.is_promoted, kinds))


def _differ_in_members(a: core.Value, b: core.Value) -> bool:
    """True for two sets of which the members are known on both paths but differ, or on
    one path alone."""
    sets = [isinstance(v, core.Aggregate) and v.constructor is set for v in (a, b)]
    held = [run_time_sets.is_of_the_run(v) for v in (a, b)]
    return (all(sets) and a != b) or (any(sets) and any(held))


_DIFFERENCES = (
    _differ_in_length,
    _differ_in_keys,
    _differ_in_members,
    optional_keys.differ_in_presence,
)


def met_as_list(
    spec: Specialiser, value: core.Value, other: core.Value, follow: bool = False
) -> core.Value:
    """The value that ``value`` is where it meets ``other``: its length, or that of what
    is in it, isn't followed. With ``follow`` only where that of ``other`` isn't."""
    if by_value.is_kept_beside(value, other):
        assert isinstance(value, core.Leaf)
        return by_value.items_of(spec, value)
    if by_value.is_kept_beside(other, value):
        return value
    if values_as_references.is_value_beside(value, other):
        assert isinstance(value, core.Leaf)
        return values_as_references.as_reference(spec, value)
    if values_as_references.is_value_beside(other, value):
        return value
    if function_records.is_beside_record(value, other):
        return function_records.as_record(spec, value)
    if function_records.is_beside_record(other, value):
        return value
    if optionals.meets_none(value, other):
        return optionals.as_optional(value)
    if _differ_in_length(value, other):
        if lists.was_never_filled(value) and core.is_rows(other) and not follow:
            assert isinstance(other, core.Aggregate)
            return lists.empty_list(spec, lists.axis_of(spec, None), other.items[0])
        if lists.is_list(value) or (follow and not lists.is_list(other)):
            return value
        if isinstance(spec.frame, core.CellFrame) and any(
            map(lists.holds_function, (value, other))
        ):
            owning.let_be_kept(spec, spec.frame.makers, None)
        constructor = lists.constructor_of(value)
        assert constructor is not None
        return lists.as_dynamic(spec, value, constructor, like=other)
    if _differ_in_keys(value, other):
        if isinstance(spec.frame, core.CellFrame) and are_alike(value, other):
            owning.let_be_kept(spec, spec.frame.makers, None, dict, is_open=True)
        raise core.Unsupported("their keys differ", "give them the same keys")
    if optional_keys.differ_in_presence(value, other):
        made = optional_keys.with_optional_keys(value, other, follow)
        if made is None:
            raise core.Unsupported("the keys come in another order, or hold structures")
        return made
    if _differ_in_members(value, other):
        if isinstance(value, core.Leaf) or (
            follow and not isinstance(other, core.Leaf)
        ):
            return value
        return spec.set_held(value)
    if not meet_as_lists(value, other):
        return value
    assert isinstance(value, core.Aggregate) and isinstance(other, core.Aggregate)
    items = tuple(
        met_as_list(spec, a, b, follow)
        for a, b in zip(value.items, other.items, strict=True)
    )
    return replace(value, items=items)


def bind_as_list(
    spec: Specialiser, name: str, other: core.Value, follow: bool = False
) -> bool:
    """Let a name hold what it is where it meets ``other``; False where it holds that
    already, or where that can't be."""
    value = spec.frame.names.get(name)
    if value is None:  # another list holds the object by value now
        return False
    with spec.new_block() as block:
        try:
            made = met_as_list(spec, value, other, follow)
        except core.Unsupported as problem:
            optional = None
            if isinstance(spec.frame, core.CellFrame):
                optional = optional_keys.with_optional_keys(value, other, follow)
            if optional is None:
                spec.unmet[spec.frame, name] = problem
                return False
            made = optional
        if made == value:
            return False
        spec.bind(name, made)
    spec.block += block
    return True


def samples(
    spec: Specialiser,
    frames: list[core.Frame],
    states: list[list[dict[str, core.Value]]],
    names: list[tuple[int, str]],
) -> list[dict[tuple[int, str], core.Value]]:
    """What names hold in each state, by value, as examples of their form; a name is the
    number of its activation, and its text. The activations hold what the last state
    says then."""
    for k, name in names:
        spec.unmet.pop((frames[k], name), None)
    found = []
    for state in states:
        spec.start_path(frames, state)
        values = {}
        for k, name in names:
            value = state[k].get(name)
            if value is not None:
                with spec.new_block(), suppress(core.Unsupported):
                    value = spec.by_value(value)
                values[k, name] = value
        found.append(values)
    return found


def explained(
    spec: Specialiser, frame: core.Frame, names: dict[str, core.Value]
) -> dict[str, core.Value]:
    """The names behind paths; what can't be read says why the values of the paths can't
    be one list, dict or set."""
    if not spec.unmet:
        return names
    told = {}
    for name, value in names.items():
        problem = spec.unmet.get((frame, name))
        if problem is not None and isinstance(value, core.Missing):
            if problem.reason not in value.reason:
                reason = f"{value.reason}; {problem.reason}"
                advice = problem.advice or value.advice
                value = replace(value, reason=reason, advice=advice)
        told[name] = value
    return told


def as_unfollowed(spec: Specialiser, value: core.Value) -> core.Value:
    """A list, dict or set as one whose items aren't followed; other values as they
    are."""
    if not isinstance(value, core.Aggregate) or core.is_rows(value):
        return value
    if value.constructor is list:
        return lists.as_dynamic(spec, value)
    if value.constructor is dict:
        return value
    return spec.set_held(value)
