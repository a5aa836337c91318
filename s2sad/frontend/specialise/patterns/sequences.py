"""Patterns for sequences: ``case [first, *others]``."""

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.containers.lists import as_dynamic, is_list
from s2sad.frontend.specialise.control import conditions
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.heap import cells
from s2sad.frontend.specialise.iteration.iteration import length_of
from s2sad.frontend.specialise.library_calls.truth import static_truth
from s2sad.frontend.specialise.optionals import narrowing
from s2sad.frontend.specialise.patterns import matches
from s2sad.frontend.specialise.run_time import (
    by_value,
    queries,
    reading,
    records,
    unions,
)


def _match_sequences(value: Any) -> bool:
    match value:
        case [_]:
            return True
    return False


_ARRAYS_ARE_SEQUENCES = _match_sequences(np.zeros(1))
"""True from NumPy 2.5 on."""


def match_sequence(
    spec: Specialiser, value: core.Value, pattern: ast.MatchSequence
) -> matches.Match:
    if queries.is_reference(value):
        test = unions.instance_test(spec, value, queries.SEQUENCES)
        there = narrowing.presence_of(spec, test)[0]
        value = unions.present(narrowing.narrowed(value, there))  # type: ignore[arg-type]
        match static_truth(test):
            case False:
                return matches.Match(matches.NO)
            case None:
                return matches.behind(spec, test, [matches.given(value, pattern)], True)
    if core.is_container(value) or cells.is_choice_of_containers(value):
        value = spec.contents(value)
    if queries.is_sequence(value):
        value = by_value.items_of(spec, unions.present(value))
    if is_list(value):
        return _sequence_of_any_length(spec, value, pattern)
    if queries.is_reference(value) and queries.is_record(value):
        return _record(spec, value, pattern)
    matches.require_known(value, "sequence")
    if _ARRAYS_ARE_SEQUENCES and isinstance(core.kind_of(value), ir.Array):
        raise core.Unsupported(
            "a sequence pattern is matched with an array",
            "test its shape, and unpack it behind the test",
            pattern,
        )
    items = _items_of_sequence(value)
    if items is None:
        return matches.Match(matches.NO)
    parts = pattern.patterns
    stars = [k for k, p in enumerate(parts) if isinstance(p, ast.MatchStar)]
    if not stars:
        if len(items) != len(parts):
            return matches.Match(matches.NO)
        return matches.each(
            spec, [matches.given(v, p) for v, p in zip(items, parts, strict=True)]
        )
    before, after = stars[0], len(parts) - stars[0] - 1
    if len(items) < before + after:
        return matches.Match(matches.NO)
    end = len(items) - after
    values = [*items[:before], *items[end:]]
    fixed = [*parts[:before], *parts[before + 1 :]]
    found = matches.each(
        spec, [matches.given(v, p) for v, p in zip(values, fixed, strict=True)]
    )
    rest = core.aggregate_of(items[before:end], list)
    star = matches.captured(spec, parts[before], rest)
    return matches.Match(found.test, matches.all_of([found.bind, star]))


def _record(
    spec: Specialiser, value: core.Leaf, pattern: ast.MatchSequence
) -> matches.Match:
    """A tuple of which each item has a kind of its own. It is held under a name while
    the parts are matched: what one says of its form is known to the next."""
    parts = pattern.patterns
    stars = [k for k, p in enumerate(parts) if isinstance(p, ast.MatchStar)]
    fixed = [p for p in parts if not isinstance(p, ast.MatchStar)]
    before = stars[0] if stars else len(parts)
    value = unions.present(value)
    forms = queries.kind_of(value).forms

    def fits(form: ir.Form) -> bool:
        count = len(form.keys)
        return count >= len(fixed) if stars else count == len(fixed)

    fitting = tuple(filter(fits, forms))
    text = _first_text(parts, forms)
    if not any(text is None or form.slots[0] == text for form in fitting):
        return matches.Match(matches.NO)
    hidden = spec.fresh("subject").name.replace(".", "_")
    spec.frame.names[f".{hidden}"] = value
    test: core.Value = matches.YES
    others = [form for form in forms if form not in fitting]
    if any(text is None or form.slots[0] == text for form in others):
        length = reading.length_of(spec, value)
        size = core.constant(len(fixed))
        op = ast.GtE() if stars else ast.Eq()
        test = spec.compare(op, length, size)
        test = narrowing.note_forms(spec, test, value, fitting)

    def held() -> core.Leaf:
        return core.single(spec.frame.names.get(f".{hidden}", value))

    def item(place: int) -> Callable[[], core.Value]:
        return lambda: spec.item_of(held(), core.constant(place))

    def rest() -> core.Value:
        bounds = slice(before, before - len(fixed) or None)
        return records.part_of(spec, held(), bounds, list)

    last = range(before - len(fixed), 0)
    reads = [item(k) for k in (*range(before), *last)]
    pairs = list(zip(reads, fixed, strict=True))
    named = [parts[k] for k in stars if parts[k].name is not None]  # type: ignore[attr-defined]
    found = matches.behind(spec, test, pairs, False)

    def bind_rest() -> None:
        for star in named:
            matches.captured(spec, star, rest())()

    return matches.Match(found.test, matches.all_of([found.bind, bind_rest]))


def _first_text(
    parts: list[ast.pattern], forms: tuple[ir.Form, ...]
) -> ir.Known | None:
    """The text that a pattern wants first, where each form has one of its own there."""
    first = parts[0] if parts else None
    if not isinstance(first, ast.MatchValue) or not isinstance(
        first.value, ast.Constant
    ):
        return None
    told = all(isinstance(form.slots.get(0), ir.Known) for form in forms)
    return ir.Known(first.value.value) if told else None


def _sequence_of_any_length(
    spec: Specialiser, value: core.Value, pattern: ast.MatchSequence
) -> matches.Match:
    """The items are read behind a test of the length."""
    parts = pattern.patterns
    stars = [k for k, p in enumerate(parts) if isinstance(p, ast.MatchStar)]
    length = length_of(spec, next(core.leaves(value)))
    before = stars[0] if stars else len(parts)
    after = len(parts) - before - 1 if stars else 0
    op = ast.GtE() if stars else ast.Eq()
    enough = spec.compare(op, length, core.constant(before + after))
    found: list[matches.Match] = []

    def item(index: core.Value) -> Callable[[], core.Value]:
        return lambda: spec.item_of(value, index)

    def rest() -> core.Value:
        end = core.constant(-after if after else None)
        bounds = core.slice_of(core.constant(before), end, core.constant(None))
        made = spec.item_of(value, bounds)
        return as_dynamic(spec, made, list)

    def inside() -> core.Value:
        places = [*range(before), *range(-after, 0)]
        fixed = [p for p in parts if not isinstance(p, ast.MatchStar)]
        pairs = [
            (item(core.constant(k)), p) for k, p in zip(places, fixed, strict=True)
        ]
        inner = matches.each(spec, pairs) if pairs else matches.Match(matches.YES)
        star = [matches.captured(spec, parts[k], rest()) for k in stars]
        found.append(matches.Match(inner.test, matches.all_of([inner.bind, *star])))
        return inner.test

    tested = conditions.both(spec, enough, inside)
    return matches.Match(tested, matches.all_of([match.bind for match in found]))


def _items_of_sequence(value: core.Value) -> tuple[core.Value, ...] | None:
    """The items of a tuple or list; None for what isn't a sequence, as arrays and
    strings."""
    if isinstance(value, core.Aggregate) and isinstance(value.constructor, type):
        if issubclass(value.constructor, tuple | list):
            return value.items
    if isinstance(value, core.Leaf) and isinstance(value.kind, ir.Known):
        if isinstance(value.kind.value, tuple | list | range):
            return tuple(map(core.constant, value.kind.value))
    return None
