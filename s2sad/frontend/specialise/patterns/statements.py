"""``match``: patterns are decided by kinds where these tell, else by tests at run time.

    match layer:                          (layer is a Dense)
        case Dense(w, b):        ->       y = x @ w + b
            y = x @ w + b
        case Scale(factor=s):
            y = s * x

A pattern becomes a test and the captures that hold where the test is true; cases become
branches.
"""

import ast
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from s2sad import ir, rules
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.calls.builtin_calls import is_instance_of
from s2sad.frontend.specialise.control import conditions
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.heap import cells
from s2sad.frontend.specialise.heap.cells import read_name
from s2sad.frontend.specialise.library_calls.truth import static_truth
from s2sad.frontend.specialise.optionals import narrowing
from s2sad.frontend.specialise.patterns import matches, sequences
from s2sad.frontend.specialise.run_time import (
    held_attributes,
    merged_dicts,
    queries,
    reading,
    storing,
    unions,
)
from s2sad.source.annotations import annotation_nodes
from s2sad.source.static.fields import fields_when_made
from s2sad.source.static.values import StaticClass
from s2sad.source.text.scopes import assigned_names

_MATCH_SELF = (
    *(bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple),
)
"""Classes whose one positional pattern stands for the subject itself."""


# ------------------------------------------- objects: case Dense(w, b)


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


# ------------------------------------------- dicts: case {"k": k}


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


# ------------------------------------------- statements


@core.statement(ast.Match)
def match_statement(spec: Specialiser, node: ast.Match) -> None:
    subject = spec.held(spec.evaluate(node.subject), assigned_names([node]))
    spec.shared([subject], times=2)  # more than one case may bind it
    _cases(spec, subject, node.cases)


def _cases(spec: Specialiser, subject: core.Value, cases: list[ast.match_case]) -> None:
    if not cases:
        return
    case, rest = cases[0], cases[1:]
    found = match_pattern(spec, subject, case.pattern)
    test, guard = found.test, case.guard

    def body() -> None:
        found.bind()
        spec.run(case.body)

    def guarded() -> core.Value:
        found.bind()
        assert guard is not None
        return conditions.truth_among_others(spec, guard)

    if guard is not None and static_truth(test) is not False:
        test = conditions.both(spec, test, guarded)
    others = narrowing.narrowed(subject, narrowing.presence_of(spec, test)[1])
    spec.choose(test, body, lambda: _cases(spec, others, rest))


@core.verb
def match_pattern(
    spec: Specialiser, value: core.Value, pattern: ast.pattern
) -> matches.Match:
    with spec.at(pattern):
        match pattern:
            case ast.MatchValue():
                wanted = spec.evaluate(pattern.value)
                return matches.Match(spec.compare(ast.Eq(), value, wanted))
            case ast.MatchSingleton():
                wanted = core.constant(pattern.value)
                return matches.Match(spec.compare(ast.Is(), value, wanted))
            case ast.MatchSequence():
                return sequences.match_sequence(spec, value, pattern)
            case ast.MatchMapping():
                return match_mapping(spec, value, pattern)
            case ast.MatchClass():
                return match_class(spec, value, pattern)
            case ast.MatchAs():
                inner = matches.Match(matches.YES)
                if pattern.pattern is not None:
                    inner = match_pattern(spec, value, pattern.pattern)
                bind = matches.captured(spec, pattern, value)
                return matches.Match(inner.test, matches.all_of([inner.bind, bind]))
            case ast.MatchOr():
                return _alternatives(spec, value, pattern.patterns, pattern)
        raise core.Unsupported(
            "this pattern can't be differentiated", "write if/elif", pattern
        )


def _alternatives(
    spec: Specialiser, value: core.Value, patterns: list[ast.pattern], node: ast.pattern
) -> matches.Match:
    first = match_pattern(spec, value, patterns[0])
    truth = static_truth(first.test)
    if truth is True or len(patterns) == 1:
        return first
    if truth is False:
        return _alternatives(spec, value, patterns[1:], node)
    others: list[matches.Match] = []

    def rest() -> core.Value:
        others.append(_alternatives(spec, value, patterns[1:], node))
        return others[0].test

    test = conditions.either(spec, first.test, rest)
    if not assigned_names([node]):
        return matches.Match(test)
    return matches.Match(
        test, lambda: spec.choose(first.test, first.bind, others[0].bind)
    )
