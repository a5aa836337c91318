"""Patterns for objects: ``case Dense(w, b)``."""

import ast
from collections.abc import Callable
from functools import partial
from typing import Any

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.calls.builtin_calls import is_instance_of
from s2sad.frontend.specialise.control import conditions
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.heap.cells import read_name
from s2sad.frontend.specialise.library_calls.truth import static_truth
from s2sad.frontend.specialise.optionals import narrowing
from s2sad.frontend.specialise.patterns import matches
from s2sad.frontend.specialise.run_time import held_attributes, queries, unions
from s2sad.source.annotations import annotation_nodes
from s2sad.source.static.fields import fields_when_made
from s2sad.source.static.values import StaticClass

_MATCH_SELF = (
    *(bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple),
)
"""Classes whose one positional pattern stands for the subject itself."""


def match_class(
    spec: Specialiser, value: core.Value, pattern: ast.MatchClass
) -> matches.Match:
    kind = core.kind_of(spec.evaluate(pattern.cls))
    cls = kind.value if isinstance(kind, ir.Known) else None
    if not isinstance(cls, type | StaticClass):
        raise core.Unsupported(
            "the class in a pattern isn't known before the program runs",
            "name a class of the module",
            pattern.cls,
        )
    test: core.Value = matches.YES
    if queries.is_reference(value):
        test = unions.instance_test(spec, value, cls)
        answer = static_truth(test)
        present = narrowing.presence_of(spec, test)[0]
        value = unions.present(narrowing.narrowed(value, present))  # type: ignore[arg-type]
    else:
        answer = is_instance_of(value, cls)
    if answer is False:
        return matches.Match(matches.NO)
    if answer is None and not queries.is_reference(value):
        test = spec.apply(isinstance, (value, core.constant(cls)))
    names, parts = list(pattern.kwd_attrs), list(pattern.kwd_patterns)
    pairs = []
    if pattern.patterns and cls in _MATCH_SELF:
        pairs = [matches.given(value, pattern.patterns[0])]
    elif pattern.patterns:
        fields = _fields_in_order(cls)
        if len(pattern.patterns) > len(fields):
            raise core.Unsupported(
                f"{cls.__name__} has {len(fields)} positional patterns, "
                f"{len(pattern.patterns)} are given",
                "name the attributes",
                pattern,
            )
        names = [*fields[: len(pattern.patterns)], *names]
        parts = [*pattern.patterns, *parts]
    if queries.is_reference(value):
        for name in names:
            there = partial(held_attributes.has_attribute, spec, value, name)  # type: ignore[arg-type]
            test = conditions.both(spec, test, there)
            value = narrowing.narrowed(value, narrowing.presence_of(spec, test)[0])
        if static_truth(test) is False:
            return matches.Match(matches.NO)
    attributes = _attributes(spec, value, names)
    if attributes is None:
        return matches.Match(matches.NO)
    pairs += list(zip(attributes, parts, strict=True))
    if queries.is_reference(value) and all(map(matches.takes_anything, parts)):

        def bind() -> None:  # where the class is known to be this one
            for attribute, part in pairs:
                spec.match_pattern(attribute(), part).bind()

        return matches.Match(test, bind)
    found: list[matches.Match] = []

    def inner() -> core.Value:
        found.append(matches.each(spec, pairs))
        return found[0].test

    whole = conditions.both(spec, test, inner) if pairs else test
    return matches.Match(whole, matches.all_of([m.bind for m in found]))


def _fields_in_order(cls: Any) -> tuple[str, ...]:
    """The attributes that positional patterns of a class stand for."""
    if not isinstance(cls, StaticClass):
        return getattr(cls, "__match_args__", ())
    form = annotation_nodes.form_of_class(cls)
    if annotation_nodes.static_member(cls, "__match_args__") is not None:
        form = None
    fields = fields_when_made(cls, form) if form in ("dataclass", "namedtuple") else {}
    return tuple(
        name for name, f in (fields or {}).items() if f.taken and f.by_position
    )


def _attributes(
    spec: Specialiser, value: core.Value, names: list[str]
) -> list[Callable[[], core.Value]] | None:
    """What reads the attributes; None if the value lacks one of them."""
    cell = isinstance(value, core.Cell) and not core.is_container(value)
    if queries.is_reference(value):
        read = partial(spec.attribute_of, value)
        return [spec.from_here(partial(read, name)) for name in names]
    if names and not cell and not isinstance(value, core.Aggregate):
        raise core.Unsupported(
            f"attributes of a value {core.describe(value)} in a pattern",
            "match dataclasses and NamedTuples",
        )
    reads: list[Callable[[], core.Value]] = []
    for name in names:
        assert isinstance(value, core.Aggregate | core.Cell)
        if isinstance(value, core.Cell):
            held = read_name(spec, value, name) is not None
        else:
            held = name in value.keys
        if not held and not hasattr(value.constructor, name):
            return None
        reads.append(spec.from_here(partial(spec.attribute_of, value, name)))
    return reads
