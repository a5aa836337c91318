"""What a pattern becomes: a test, and what it binds where the test is true."""

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.control import conditions
from s2sad.frontend.specialise.core.specialiser import Specialiser

Captures = Callable[[], None]
"""Binds the names of a pattern that matched."""
YES, NO = core.constant(True), core.constant(False)


@dataclass(frozen=True)
class Match:
    """The test of a pattern, and what it binds where the test is true."""

    test: core.Value
    bind: Captures = lambda: None


def captured(spec: Specialiser, pattern: Any, value: core.Value) -> Captures:
    """What binds the name of a pattern, if it has one."""
    if pattern.name is None:
        return lambda: None
    spec.shared([value], times=2)  # for the guard, and for the case
    return lambda: spec.bind(pattern.name, value)


def all_of(captures: list[Captures]) -> Captures:
    """All of several, as one."""

    def bind() -> None:
        for one in captures:
            one()

    return bind


def each(
    spec: Specialiser, pairs: list[tuple[Callable[[], core.Value], ast.pattern]]
) -> Match:
    """All of several patterns, each with what gives its value, tested in order."""
    binds: list[Captures] = []

    def test(position: int) -> core.Value:
        if position == len(pairs):
            return YES
        value, pattern = pairs[position]
        found = spec.match_pattern(value(), pattern)
        binds.append(found.bind)
        if position == len(pairs) - 1:
            return found.test
        return conditions.both(spec, found.test, lambda: test(position + 1))

    tested = test(0)
    return Match(tested, all_of(binds))


def behind(
    spec: Specialiser,
    test: core.Value,
    pairs: list[tuple[Callable[[], core.Value], ast.pattern]],
    at_once: bool,
) -> Match:
    """Patterns that are matched where a test is true. What is bound to names is read
    where these are, or ``at_once``."""
    tested = [pair for pair in pairs if at_once or not takes_anything(pair[1])]
    bound = [pair for pair in pairs if pair not in tested]
    found: list[Match] = []

    def inner() -> core.Value:
        found.append(each(spec, tested))
        return found[0].test

    def bind() -> None:
        for match in found:
            match.bind()
        for read, part in bound:
            spec.match_pattern(read(), part).bind()

    return Match(conditions.both(spec, test, inner) if tested else test, bind)


def given(value: core.Value, pattern: ast.pattern) -> Any:
    """A pattern with what gives its value, which is at hand."""
    return (lambda: value), pattern


def takes_anything(pattern: ast.pattern) -> bool:
    """True for a name, and for ``_``."""
    return isinstance(pattern, ast.MatchAs) and pattern.pattern is None


def require_known(value: core.Value, what: str) -> None:
    """Refuse a value of which kinds don't tell whether it is such a thing."""
    decided = ir.Scalar | ir.NumPyScalar | ir.Array | ir.Known
    if isinstance(value, core.Leaf) and not isinstance(value.kind, decided):
        raise core.Unsupported(
            f"a {what} pattern is matched with a value {core.describe(value)}",
            "match values whose structure is known before the program runs",
        )
