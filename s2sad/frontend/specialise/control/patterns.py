"""``match``: patterns are decided by kinds where these tell, else by tests at run time.

    match layer:                          (layer is a Dense)
        case Dense(w, b):        ->       y = x @ w + b
            y = x @ w + b
        case Scale(factor=s):
            y = s * x

A pattern becomes a test and the captures that hold where the test is true; cases become
branches.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from s2sad import ir, rules
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.calls.builtin_calls import is_instance_of
from s2sad.frontend.specialise.containers.lists import as_dynamic, is_list
from s2sad.frontend.specialise.control import conditions
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.heap import cells
from s2sad.frontend.specialise.heap.cells import read_name
from s2sad.frontend.specialise.iteration.iteration import length_of
from s2sad.frontend.specialise.library_calls.truth import static_truth
from s2sad.frontend.specialise.optionals import narrowing
from s2sad.frontend.specialise.run_time import (
    by_value,
    merged_dicts,
    queries,
    reading,
    records,
    storing,
    unions,
)
from s2sad.frontend.specialise.run_time.held_attributes import has_attribute
from s2sad.source.annotations.annotation_nodes import (
    form_of_class,
    static_member,
)
from s2sad.source.static.fields import fields_when_made
from s2sad.source.static.values import StaticClass
from s2sad.source.text.scopes import assigned_names

Captures = Callable[[], None]
"""Binds the names of a pattern that matched."""
YES, NO = core.constant(True), core.constant(False)
_MATCH_SELF = (
    *(bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple),
)
"""Classes whose one positional pattern stands for the subject itself."""


@dataclass(frozen=True)
class _Match:
    """The test of a pattern, and what it binds where the test is true."""

    test: core.Value
    bind: Captures = lambda: None


@core.statement(ast.Match)
def match_statement(spec: Specialiser, node: ast.Match) -> None:
    subject = spec.held(spec.evaluate(node.subject), assigned_names([node]))
    spec.shared([subject], times=2)  # more than one case may bind it
    _cases(spec, subject, node.cases)


def _cases(spec: Specialiser, subject: core.Value, cases: list[ast.match_case]) -> None:
    if not cases:
        return
    case, rest = cases[0], cases[1:]
    found = _match(spec, subject, case.pattern)
    test, guard = found.test, case.guard

    def body() -> None:
        found.bind()
        spec.run(case.body)

    def guarded() -> core.Value:
        found.bind()
        assert guard is not None
        return conditions.truth_among_others(spec, guard)

    if guard is not None and static_truth(test) is not False:
        test = conditions.both(spec, test, guarded, guard)
    others = narrowing.narrowed(subject, narrowing.presence_of(spec, test)[1])
    spec.choose(test, body, lambda: _cases(spec, others, rest), case.pattern)


def _match(spec: Specialiser, value: core.Value, pattern: ast.pattern) -> _Match:
    match pattern:
        case ast.MatchValue():
            wanted = spec.evaluate(pattern.value)
            return _Match(spec.compare(ast.Eq(), value, wanted, pattern))
        case ast.MatchSingleton():
            wanted = core.constant(pattern.value)
            return _Match(spec.compare(ast.Is(), value, wanted, pattern))
        case ast.MatchSequence():
            return _sequence(spec, value, pattern)
        case ast.MatchMapping():
            return _mapping(spec, value, pattern)
        case ast.MatchClass():
            return _class(spec, value, pattern)
        case ast.MatchAs():
            inner = _Match(YES)
            if pattern.pattern is not None:
                inner = _match(spec, value, pattern.pattern)
            capture = _capture(spec, pattern, value)
            return _Match(inner.test, _all([inner.bind, capture]))
        case ast.MatchOr():
            return _alternatives(spec, value, pattern.patterns, pattern)
    raise core.Unsupported(
        pattern, "this pattern can't be differentiated", "write if/elif"
    )


def _capture(spec: Specialiser, pattern: Any, value: core.Value) -> Captures:
    if pattern.name is None:
        return lambda: None
    spec.shared([value], times=2)  # for the guard, and for the case
    return lambda: spec.bind(pattern.name, value)


def _all(captures: list[Captures]) -> Captures:
    def bind() -> None:
        for capture in captures:
            capture()

    return bind


def _each(
    spec: Specialiser, pairs: list[tuple[Callable[[], core.Value], ast.pattern]]
) -> _Match:
    """All of several patterns, each with what gives its value, tested in order."""
    binds: list[Captures] = []

    def test(position: int) -> core.Value:
        if position == len(pairs):
            return YES
        value, pattern = pairs[position]
        found = _match(spec, value(), pattern)
        binds.append(found.bind)
        if position == len(pairs) - 1:
            return found.test
        return conditions.both(spec, found.test, lambda: test(position + 1), pattern)

    tested = test(0)
    return _Match(tested, _all(binds))


def _alternatives(
    spec: Specialiser, value: core.Value, patterns: list[ast.pattern], node: ast.pattern
) -> _Match:
    first = _match(spec, value, patterns[0])
    truth = static_truth(first.test)
    if truth is True or len(patterns) == 1:
        return first
    if truth is False:
        return _alternatives(spec, value, patterns[1:], node)
    others: list[_Match] = []

    def rest() -> core.Value:
        others.append(_alternatives(spec, value, patterns[1:], node))
        return others[0].test

    test = conditions.either(spec, first.test, rest, node)
    if not assigned_names([node]):
        return _Match(test)
    return _Match(
        test, lambda: spec.choose(first.test, first.bind, others[0].bind, node)
    )


def _match_sequences(value: Any) -> bool:
    match value:
        case [_]:
            return True
    return False


_ARRAYS_ARE_SEQUENCES = _match_sequences(np.zeros(1))
"""True from NumPy 2.5 on."""


def _sequence(
    spec: Specialiser, value: core.Value, pattern: ast.MatchSequence
) -> _Match:
    if queries.is_reference(value):
        test = unions.instance_test(spec, value, queries.SEQUENCES, pattern)
        there = narrowing.presence_of(spec, test)[0]
        value = unions.present(narrowing.narrowed(value, there))  # type: ignore[arg-type]
        match static_truth(test):
            case False:
                return _Match(NO)
            case None:
                return _behind(spec, test, [_given(value, pattern)], True, pattern)
    if core.is_container(value) or cells.is_choice_of_containers(value):
        value = spec.contents(value)
    if queries.is_sequence(value):
        value = by_value.items_of(spec, unions.present(value), pattern)
    if is_list(value):
        return _sequence_of_any_length(spec, value, pattern)
    if queries.is_reference(value) and queries.is_record(value):
        return _record(spec, value, pattern)
    _known_structure(value, pattern, "sequence")
    if _ARRAYS_ARE_SEQUENCES and isinstance(core.kind_of(value), ir.Array):
        raise core.Unsupported(
            pattern,
            "a sequence pattern is matched with an array",
            "test its shape, and unpack it behind the test",
        )
    items = _items_of_sequence(value)
    if items is None:
        return _Match(NO)
    parts = pattern.patterns
    stars = [k for k, p in enumerate(parts) if isinstance(p, ast.MatchStar)]
    if not stars:
        if len(items) != len(parts):
            return _Match(NO)
        return _each(spec, [_given(v, p) for v, p in zip(items, parts, strict=True)])
    before, after = stars[0], len(parts) - stars[0] - 1
    if len(items) < before + after:
        return _Match(NO)
    end = len(items) - after
    values = [*items[:before], *items[end:]]
    fixed = [*parts[:before], *parts[before + 1 :]]
    found = _each(spec, [_given(v, p) for v, p in zip(values, fixed, strict=True)])
    rest = core.aggregate_of(items[before:end], list)
    star = _capture(spec, parts[before], rest)
    return _Match(found.test, _all([found.bind, star]))


def _record(spec: Specialiser, value: core.Leaf, pattern: ast.MatchSequence) -> _Match:
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
        return _Match(NO)
    hidden = spec.fresh("subject").name.replace(".", "_")
    spec.frame.names[f".{hidden}"] = value
    test: core.Value = YES
    others = [form for form in forms if form not in fitting]
    if any(text is None or form.slots[0] == text for form in others):
        length = reading.length_of(spec, value)
        size = core.constant(len(fixed))
        op = ast.GtE() if stars else ast.Eq()
        test = spec.compare(op, length, size, pattern)
        test = narrowing.note_forms(spec, test, value, fitting)

    def held() -> core.Leaf:
        found = spec.frame.names.get(f".{hidden}", value)
        assert isinstance(found, core.Leaf)
        return found

    def item(place: int) -> Callable[[], core.Value]:
        return lambda: spec.item_of(held(), core.constant(place), pattern)

    def rest() -> core.Value:
        bounds = slice(before, before - len(fixed) or None)
        return records.part_of(spec, held(), bounds, list, pattern)

    behind = range(before - len(fixed), 0)
    reads = [item(k) for k in (*range(before), *behind)]
    pairs = list(zip(reads, fixed, strict=True))
    named = [parts[k] for k in stars if parts[k].name is not None]  # type: ignore[attr-defined]
    found = _behind(spec, test, pairs, False, pattern)

    def bind_rest() -> None:
        for star in named:
            _capture(spec, star, rest())()

    return _Match(found.test, _all([found.bind, bind_rest]))


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
) -> _Match:
    """The items are read behind a test of the length."""
    parts = pattern.patterns
    stars = [k for k, p in enumerate(parts) if isinstance(p, ast.MatchStar)]
    length = length_of(spec, next(core.leaves(value)))
    before = stars[0] if stars else len(parts)
    after = len(parts) - before - 1 if stars else 0
    op = ast.GtE() if stars else ast.Eq()
    enough = spec.compare(op, length, core.constant(before + after), pattern)
    found: list[_Match] = []

    def item(index: core.Value) -> Callable[[], core.Value]:
        return lambda: spec.item_of(value, index, pattern)

    def rest() -> core.Value:
        end = core.constant(-after if after else None)
        bounds = core.slice_of(core.constant(before), end, core.constant(None))
        made = spec.item_of(value, bounds, pattern)
        return as_dynamic(spec, made, pattern, list)

    def inside() -> core.Value:
        places = [*range(before), *range(-after, 0)]
        fixed = [p for p in parts if not isinstance(p, ast.MatchStar)]
        pairs = [
            (item(core.constant(k)), p) for k, p in zip(places, fixed, strict=True)
        ]
        inner = _each(spec, pairs) if pairs else _Match(YES)
        star = [_capture(spec, parts[k], rest()) for k in stars]
        found.append(_Match(inner.test, _all([inner.bind, *star])))
        return inner.test

    tested = conditions.both(spec, enough, inside, pattern)
    return _Match(tested, _all([match.bind for match in found]))


def _given(value: core.Value, pattern: ast.pattern) -> Any:
    return (lambda: value), pattern


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


def _known_structure(value: core.Value, pattern: ast.pattern, what: str) -> None:
    decided = ir.Scalar | ir.NumPyScalar | ir.Array | ir.Known
    if isinstance(value, core.Leaf) and not isinstance(value.kind, decided):
        raise core.Unsupported(
            pattern,
            f"a {what} pattern is matched with a value {core.describe(value)}",
            "match values whose structure is known before the program runs",
        )


def _mapping(spec: Specialiser, value: core.Value, pattern: ast.MatchMapping) -> _Match:
    """The keys are looked for first, and what stands under them is read behind that
    test."""
    keys = []
    for node in pattern.keys:
        kind = core.kind_of(spec.evaluate(node))
        if not rules.is_static(kind):
            raise core.Unsupported(
                node,
                "a key in a pattern must be known before the program runs",
                "use a literal as the key",
            )
        keys.append(core.constant(rules.static_value(kind)))
    test: core.Value = YES
    if queries.is_reference(value):
        test = unions.instance_test(spec, value, dict, pattern)
        present = narrowing.presence_of(spec, test)[0]
        value = unions.present(narrowing.narrowed(value, present))  # type: ignore[arg-type]
        if static_truth(test) is False:
            return _Match(NO)
    elif not _is_mapping(value, pattern):
        return _Match(NO)
    for key in keys:
        there = partial(spec.compare, ast.In(), key, value, pattern)
        test = conditions.both(spec, test, there, pattern)
        if static_truth(test) is False:
            return _Match(NO)

    def read_of(key: core.Leaf) -> Callable[[], core.Value]:
        if queries.is_reference(value):
            return partial(reading.under_key, spec, value, key, pattern)
        return partial(spec.item_at, value, key, pattern)

    reads = map(read_of, keys)
    pairs = list(zip(reads, pattern.patterns, strict=True))
    found = _behind(spec, test, pairs, _may_be_stored_into(spec, value), pattern)
    if pattern.rest is None:
        return found
    name = pattern.rest

    def bind_rest() -> None:
        names = tuple(rules.static_value(key.kind) for key in keys)
        others = merged_dicts.without(spec, spec.contents(value), names, pattern)
        spec.bind(name, spec.as_cells(others, name, new=True))

    return _Match(found.test, _all([found.bind, bind_rest]))


def _is_mapping(value: core.Value, pattern: ast.pattern) -> bool:
    """True for a dict, one of several, and one that the program changes."""
    _known_structure(value, pattern, "mapping")
    if isinstance(value, core.Choice):
        return cells.is_choice_of_dicts(value)
    cls = getattr(value, "constructor", object)
    if cls is core.Entries:
        return True
    if isinstance(cls, type) and issubclass(cls, Mapping) and not issubclass(cls, dict):
        raise core.Unsupported(
            pattern,
            f"a mapping pattern is matched with a {cls.__name__}",
            "match a dict",
        )
    return isinstance(cls, type) and issubclass(cls, dict)


def _may_be_stored_into(spec: Specialiser, value: core.Value) -> bool:
    """True for what a guard may change, so that all is read before."""
    if queries.is_reference(value):
        return bool(storing.names_of_stored(spec, queries.kind_of(value)))
    return not isinstance(value, core.Aggregate)


def _behind(
    spec: Specialiser,
    test: core.Value,
    pairs: list[tuple[Callable[[], core.Value], ast.pattern]],
    at_once: bool,
    node: ast.pattern,
) -> _Match:
    """Patterns that are matched where a test is true. What is bound to names is read
    where these are, or ``at_once``."""
    tested = [pair for pair in pairs if at_once or not _takes_anything(pair[1])]
    bound = [pair for pair in pairs if pair not in tested]
    found: list[_Match] = []

    def inner() -> core.Value:
        found.append(_each(spec, tested))
        return found[0].test

    def bind() -> None:
        for match in found:
            match.bind()
        for read, part in bound:
            _match(spec, read(), part).bind()

    return _Match(conditions.both(spec, test, inner, node) if tested else test, bind)


def _class(spec: Specialiser, value: core.Value, pattern: ast.MatchClass) -> _Match:
    kind = core.kind_of(spec.evaluate(pattern.cls))
    cls = kind.value if isinstance(kind, ir.Known) else None
    if not isinstance(cls, type | StaticClass):
        raise core.Unsupported(
            pattern.cls,
            "the class in a pattern isn't known before the program runs",
            "name a class of the module",
        )
    test: core.Value = YES
    if queries.is_reference(value):
        test = unions.instance_test(spec, value, cls, pattern)
        answer = static_truth(test)
        present = narrowing.presence_of(spec, test)[0]
        value = unions.present(narrowing.narrowed(value, present))  # type: ignore[arg-type]
    else:
        answer = is_instance_of(value, cls)
    if answer is False:
        return _Match(NO)
    if answer is None and not queries.is_reference(value):
        test = spec.apply(isinstance, (value, core.constant(cls)), node=pattern)
    names, parts = list(pattern.kwd_attrs), list(pattern.kwd_patterns)
    pairs = []
    if pattern.patterns and cls in _MATCH_SELF:
        pairs = [_given(value, pattern.patterns[0])]
    elif pattern.patterns:
        fields = _fields_in_order(cls)
        if len(pattern.patterns) > len(fields):
            raise core.Unsupported(
                pattern,
                f"{cls.__name__} has {len(fields)} positional patterns, "
                f"{len(pattern.patterns)} are given",
                "name the attributes",
            )
        names = [*fields[: len(pattern.patterns)], *names]
        parts = [*pattern.patterns, *parts]
    if queries.is_reference(value):
        for name in names:
            there = partial(has_attribute, spec, value, name, pattern)  # type: ignore[arg-type]
            test = conditions.both(spec, test, there, pattern)
            value = narrowing.narrowed(value, narrowing.presence_of(spec, test)[0])
        if static_truth(test) is False:
            return _Match(NO)
    attributes = _attributes(spec, value, names, pattern)
    if attributes is None:
        return _Match(NO)
    pairs += list(zip(attributes, parts, strict=True))
    if queries.is_reference(value) and all(map(_takes_anything, parts)):

        def bind() -> None:  # where the class is known to be this one
            for attribute, part in pairs:
                _match(spec, attribute(), part).bind()

        return _Match(test, bind)
    found: list[_Match] = []

    def inner() -> core.Value:
        found.append(_each(spec, pairs))
        return found[0].test

    whole = conditions.both(spec, test, inner, pattern) if pairs else test
    return _Match(whole, _all([m.bind for m in found]))


def _fields_in_order(cls: Any) -> tuple[str, ...]:
    """The attributes that positional patterns of a class stand for."""
    if not isinstance(cls, StaticClass):
        return getattr(cls, "__match_args__", ())
    form = form_of_class(cls)
    if static_member(cls, "__match_args__") is not None:
        form = None
    fields = fields_when_made(cls, form) if form in ("dataclass", "namedtuple") else {}
    return tuple(
        name for name, f in (fields or {}).items() if f.taken and f.by_position
    )


def _takes_anything(pattern: ast.pattern) -> bool:
    """True for a name, and for ``_``."""
    return isinstance(pattern, ast.MatchAs) and pattern.pattern is None


def _attributes(
    spec: Specialiser, value: core.Value, names: list[str], node: ast.MatchClass
) -> list[Callable[[], core.Value]] | None:
    """What reads the attributes; None if the value lacks one of them."""
    cell = isinstance(value, core.Cell) and not core.is_container(value)
    if queries.is_reference(value):
        return [
            partial(spec.attribute_of, value, name, _place_of(name, node))
            for name in names
        ]
    if names and not cell and not isinstance(value, core.Aggregate):
        raise core.Unsupported(
            node,
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
        reads.append(partial(spec.attribute_of, value, name, _place_of(name, node)))
    return reads


def _place_of(name: str, node: ast.AST) -> ast.Attribute:
    """``subject.name``, for messages."""
    place = ast.Attribute(ast.Name("subject", ast.Load()), name, ast.Load())
    ast.copy_location(place, node)
    ast.copy_location(place.value, node)
    return place
