"""Starred arguments whose number isn't known before the program runs.

They are unpacked into the positional parameters that are left, as an assignment unpacks
them::

    def model(t, a, b): ...            a, b = coefficients
    model(t, *coefficients)      ->    model(t, a, b)

What is left over for ``*args`` is a tuple whose length isn't known.
"""

from __future__ import annotations

import ast
import inspect
import math
from dataclasses import dataclass
from typing import Any

from s2sad import ir, rules
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.calls.parameters import STARRED
from s2sad.frontend.specialise.containers.displays import unpacked_value
from s2sad.frontend.specialise.core.specialiser import Specialiser, Words
from s2sad.frontend.specialise.iteration.iteration import length_of
from s2sad.frontend.specialise.language.targets import check_length, unpack_items
from s2sad.frontend.specialise.language.user_sources import user_source
from s2sad.frontend.specialise.objects import members, objects
from s2sad.source.kinds.external_data import is_live_object

TAKE_A_LIST = (max, min)
"""``function(*values)`` of two values or more is ``function(values)``."""


@dataclass(frozen=True)
class _Positional:
    """The positional parameters of a function."""

    required: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    """Those with defaults, which come behind."""
    further: bool = False
    """Takes any number more."""

    def behind(self, count: int) -> _Positional:
        """Those left where the first ``count`` are given."""
        over = max(0, count - len(self.required))
        return _Positional(self.required[count:], self.optional[over:], self.further)

    def before(self, keywords: Any) -> _Positional:
        """Those left where some are given by keyword."""
        for group in ("required", "optional"):
            names = getattr(self, group)
            found = [k for k, name in enumerate(names) if name in keywords]
            if found:
                kept = names[: found[0]]
                if group == "required":
                    return _Positional(kept)
                return _Positional(self.required, kept)
        return self


def positional_arguments(
    spec: Specialiser,
    function: core.Value,
    parts: list[tuple[ast.expr, core.Value]],
    keywords: Words,
    node: ast.AST,
) -> tuple[core.Value, ...]:
    """The positional arguments of a call, starred ones unpacked. What isn't known one
    by one is put into ``keywords``, under STARRED."""
    given: list[core.Value] = []
    for position, (part, value) in enumerate(parts):
        if not isinstance(part, ast.Starred):
            given.append(value)
            continue
        items = core.items_of(value)
        if items is None:
            return _spread(spec, function, given, parts[position:], keywords, part)
        given += items
    return tuple(given)


def _spread(
    spec: Specialiser,
    function: core.Value,
    given: list[core.Value],
    parts: list[tuple[ast.expr, core.Value]],
    keywords: Words,
    node: ast.AST,
) -> tuple[core.Value, ...]:
    """All the arguments, where the number of some isn't known."""
    if isinstance(function, core.Leaf) and isinstance(function.kind, ir.Known):
        if function.kind.value in TAKE_A_LIST:
            return _in_a_list(spec, given, parts, node)
        if function.kind.value is math.hypot:
            keywords[STARRED] = _joined(spec, given, parts, node)
            return ()
    positional = _positional_of(function, node)
    if positional is None:
        raise core.Unsupported(
            node,
            f"values whose number isn't known before the program runs are unpacked "
            f"into a call of {core.describe(function)}",
            "name the values",
        )
    left = positional.behind(len(given)).before(keywords)
    if left.optional:
        raise core.Unsupported(
            node,
            "how many of the parameters with defaults are given isn't known before the "
            f"program runs: {', '.join(left.optional)}",
            "unpack the values into names first, or pass the others by keyword",
        )
    count = len(left.required)
    if len(parts) == 1 and not left.further:
        items = unpack_items(spec, parts[0][1], count, None, node, TypeError)
        return (*given, *items)
    joined = _joined(spec, [], parts, node)
    if not left.further:
        items = unpack_items(spec, joined, count, None, node, TypeError)
        return (*given, *items)
    if count:
        *first, joined = unpack_items(spec, joined, count + 1, count, node, TypeError)
        given = [*given, *first]
    known = core.items_of(joined)
    if known is not None:
        return (*given, *known)
    keywords[STARRED] = joined
    return tuple(given)


def _joined(
    spec: Specialiser,
    given: list[core.Value],
    parts: list[tuple[ast.expr, core.Value]],
    node: ast.AST,
) -> core.Value:
    """All the values in one list."""
    pairs = [(False, value) for value in given]
    for part, value in parts:
        if isinstance(part, ast.Starred):
            pairs.append((True, unpacked_value(spec, value, part)))
        else:
            pairs.append((False, value))
    if len(pairs) == 1:
        return pairs[0][1]
    return spec.display(pairs, list, node)


def _in_a_list(
    spec: Specialiser,
    given: list[core.Value],
    parts: list[tuple[ast.expr, core.Value]],
    node: ast.AST,
) -> tuple[core.Value, ...]:
    """One list instead of its items, which must be two or more."""
    joined = _joined(spec, given, parts, node)
    certain = sum(not isinstance(part, ast.Starred) for part, _ in parts) + len(given)
    if certain < 2 and core.items_of(joined) is None:
        first = next(core.leaves(joined))
        check_length(spec, length_of(spec, first), ast.Lt(), 2, node, TypeError)
    return (joined,)


def _positional_of(function: core.Value, node: ast.AST) -> _Positional | None:
    """The positional parameters of what is called; None where they aren't known."""
    match function:
        case core.Closure(source=source):
            return _of_definition(source, dict(function.defaults))
        case core.Partial():
            inner = _positional_of(function.function, node)
            if inner is None:
                return None
            return inner.behind(len(function.args)).before(dict(function.keywords))
        case core.Choice():
            found = {_positional_of(option, node) for _, option in function.options}
            return found.pop() if len(found) == 1 else None
        case core.Leaf(kind=ir.Known(value=known)) if _is_plain(known):
            return _of_known(known, node)
        case core.Leaf() | core.Aggregate() if _has_class(function):
            member = members.member_of(objects.class_of(function), "__call__")
            if member is None or member.sort != "method":
                return None
            found_one = _of_known(member.value, node)
            return None if found_one is None else found_one.behind(1)
    return None


def _is_plain(known: Any) -> bool:
    return not is_live_object(known)


def _has_class(value: core.Value) -> bool:
    return isinstance(value, core.Aggregate) or isinstance(value.kind, ir.Known)  # type: ignore


def _of_known(function: Any, node: ast.AST) -> _Positional | None:
    rule = rules.rule_for(function)
    source = user_source(function, node) if rule is None else None
    if source is not None:
        return _of_definition(source, source.defaults)
    try:
        signature = rule.signature if rule else inspect.signature(function)
    except (TypeError, ValueError):
        return None
    parameters = list(signature.parameters.values())
    places = (
        inspect.Parameter.POSITIONAL_ONLY,
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
    )
    fixed = [p for p in parameters if p.kind in places]
    if any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in parameters):
        return None
    return _Positional(
        tuple(p.name for p in fixed if p.default is inspect.Parameter.empty),
        tuple(p.name for p in fixed if p.default is not inspect.Parameter.empty),
    )


def _of_definition(source: Any, defaults: Any) -> _Positional:
    parameters = source.node.args
    names = [p.arg for p in (*parameters.posonlyargs, *parameters.args)]
    return _Positional(
        tuple(name for name in names if name not in defaults),
        tuple(name for name in names if name in defaults),
        parameters.vararg is not None,
    )
