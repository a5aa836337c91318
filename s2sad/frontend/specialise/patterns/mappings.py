"""Patterns for dicts: ``case {"kind": "spring", "k": k}``."""

import ast
from collections.abc import Callable, Mapping
from functools import partial

from s2sad import rules
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.control import conditions
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.heap import cells
from s2sad.frontend.specialise.library_calls.truth import static_truth
from s2sad.frontend.specialise.optionals import narrowing
from s2sad.frontend.specialise.patterns import matches
from s2sad.frontend.specialise.run_time import (
    merged_dicts,
    queries,
    reading,
    storing,
    unions,
)


def match_mapping(
    spec: Specialiser, value: core.Value, pattern: ast.MatchMapping
) -> matches.Match:
    """A pattern for a dict: its keys are looked for first, and what stands under them
    is read behind that test."""
    keys = []
    for node in pattern.keys:
        kind = core.kind_of(spec.evaluate(node))
        if not rules.is_static(kind):
            raise core.Unsupported(
                "a key in a pattern must be known before the program runs",
                "use a literal as the key",
                node,
            )
        keys.append(core.constant(rules.static_value(kind)))
    test: core.Value = matches.YES
    if queries.is_reference(value):
        test = unions.instance_test(spec, value, dict)
        present = narrowing.presence_of(spec, test)[0]
        value = unions.present(narrowing.narrowed(value, present))  # type: ignore[arg-type]
        if static_truth(test) is False:
            return matches.Match(matches.NO)
    elif not _is_mapping(value):
        return matches.Match(matches.NO)
    for key in keys:
        there = partial(spec.compare, ast.In(), key, value)
        test = conditions.both(spec, test, there)
        if static_truth(test) is False:
            return matches.Match(matches.NO)

    def read_of(key: core.Leaf) -> Callable[[], core.Value]:
        if queries.is_reference(value):
            return partial(reading.under_key, spec, value, key)
        return partial(spec.item_at, value, key)

    reads = map(read_of, keys)
    pairs = list(zip(reads, pattern.patterns, strict=True))
    found = matches.behind(spec, test, pairs, _may_be_stored_into(spec, value))
    if pattern.rest is None:
        return found
    name = pattern.rest

    def bind_rest() -> None:
        names = tuple(rules.static_value(key.kind) for key in keys)
        others = merged_dicts.without(spec, spec.contents(value), names)
        spec.bind(name, spec.as_cells(others, name, new=True))

    return matches.Match(found.test, matches.all_of([found.bind, bind_rest]))


def _is_mapping(value: core.Value) -> bool:
    """True for a dict, one of several, and one that the program changes."""
    matches.require_known(value, "mapping")
    if isinstance(value, core.Choice):
        return cells.is_choice_of_dicts(value)
    cls = getattr(value, "constructor", object)
    if cls is core.Entries:
        return True
    if isinstance(cls, type) and issubclass(cls, Mapping) and not issubclass(cls, dict):
        raise core.Unsupported(
            f"a mapping pattern is matched with a {cls.__name__}", "match a dict"
        )
    return isinstance(cls, type) and issubclass(cls, dict)


def _may_be_stored_into(spec: Specialiser, value: core.Value) -> bool:
    """True for what a guard may change, so that all is read before."""
    if queries.is_reference(value):
        return bool(storing.names_of_stored(spec, queries.kind_of(value)))
    return not isinstance(value, core.Aggregate)
