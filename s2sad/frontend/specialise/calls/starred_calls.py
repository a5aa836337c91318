"""Starred arguments whose number isn't known before the program runs, and dicts of
arguments whose keys aren't.

They are unpacked into the parameters that are left, as an assignment unpacks them, or
read under the names of these::

    def model(t, a, b=1.0): ...        a, b = coefficients
    model(t, *coefficients)      ->    model(t, a, b)
    model(t, **named)                  model(t, named["a"], named.get("b", 1.0))

What is left over for ``*args`` is a tuple whose length isn't known, for ``**kwargs`` a
dict whose keys aren't.
"""

import ast
import math
from functools import partial

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.calls import parameters, signatures
from s2sad.frontend.specialise.containers.displays import unpacked_value
from s2sad.frontend.specialise.core.specialiser import Specialiser, Words
from s2sad.frontend.specialise.iteration.iteration import length_of
from s2sad.frontend.specialise.language.targets import check_length, unpack_items
from s2sad.frontend.specialise.library_calls.plain_tuples import items_at_once
from s2sad.frontend.specialise.run_time import merged_dicts
from s2sad.ops.runtime.results import require_arguments

TAKE_A_LIST = (max, min)
"""``function(*values)`` of two values or more is ``function(values)``."""


def positional_arguments(
    spec: Specialiser,
    function: core.Value,
    parts: list[tuple[ast.expr, core.Value]],
    keywords: Words,
) -> tuple[core.Value, ...]:
    """The positional arguments of a call, starred ones unpacked. What isn't known one
    by one is put into ``keywords``, under STARRED."""
    given: list[core.Value] = []
    for position, (part, value) in enumerate(parts):
        if not isinstance(part, ast.Starred):
            given.append(value)
            continue
        items = items_at_once(spec, value)
        if items is None:
            with spec.at(part):
                return _spread(spec, function, given, parts[position:], keywords)
        given += items
    return tuple(given)


def _spread(
    spec: Specialiser,
    function: core.Value,
    given: list[core.Value],
    parts: list[tuple[ast.expr, core.Value]],
    keywords: Words,
) -> tuple[core.Value, ...]:
    """All the arguments, where the number of some isn't known."""
    if isinstance(function, core.Leaf) and isinstance(function.kind, ir.Known):
        if function.kind.value in TAKE_A_LIST:
            return _in_a_list(spec, given, parts)
        if function.kind.value is math.hypot:
            keywords[parameters.STARRED] = _joined(spec, given, parts)
            return ()
    positional = signatures.signature_of(function)
    if positional is None:
        spec.ask_for_items(*(value for _, value in parts))
        raise core.Unsupported(
            f"values whose number isn't known before the program runs are unpacked "
            f"into a call of {core.describe(function)}",
            "name the values",
        )
    left = positional.behind(len(given)).before(keywords)
    if left.optional:
        spec.ask_for_items(*(value for _, value in parts))
        raise core.Unsupported(
            "how many of the parameters with defaults are given isn't known before the "
            f"program runs: {', '.join(left.optional)}",
            "unpack the values into names first, or pass the others by keyword",
        )
    count = len(left.required)
    if len(parts) == 1 and not left.further:
        items = unpack_items(spec, parts[0][1], count, None, TypeError)
        return (*given, *items)
    joined = _joined(spec, [], parts)
    if not left.further:
        items = unpack_items(spec, joined, count, None, TypeError)
        return (*given, *items)
    if count:
        *first, joined = unpack_items(spec, joined, count + 1, count, TypeError)
        given = [*given, *first]
    known = core.items_of(joined)
    if known is not None:
        return (*given, *known)
    keywords[parameters.STARRED] = joined
    return tuple(given)


def _joined(
    spec: Specialiser, given: list[core.Value], parts: list[tuple[ast.expr, core.Value]]
) -> core.Value:
    """All the values in one list."""
    pairs = [(False, value) for value in given]
    for part, value in parts:
        if isinstance(part, ast.Starred):
            with spec.at(part):
                pairs.append((True, unpacked_value(spec, value)))
        else:
            pairs.append((False, value))
    if len(pairs) == 1:
        return pairs[0][1]
    return spec.display(pairs, list)


def _in_a_list(
    spec: Specialiser, given: list[core.Value], parts: list[tuple[ast.expr, core.Value]]
) -> tuple[core.Value, ...]:
    """One list instead of its items, which must be two or more."""
    joined = _joined(spec, given, parts)
    certain = sum(not isinstance(part, ast.Starred) for part, _ in parts) + len(given)
    if certain < 2 and core.items_of(joined) is None:
        first = next(core.leaves(joined))
        check_length(spec, length_of(spec, first), ast.Lt(), 2, TypeError)
    return (joined,)


# ------------------------------------------------------------------ by name


def keyword_arguments(
    spec: Specialiser,
    function: core.Value,
    positional: list[tuple[ast.expr, core.Value]],
    node: ast.Call,
) -> Words:
    """The arguments of a call that are given by name, behind those by position; those
    without a name are dicts, which are unpacked before the next is evaluated."""
    keywords: Words = {}
    unknown: list[core.Value] = []
    for word in node.keywords:
        value = spec.evaluate(word.value)
        if word.arg is not None:
            keywords[word.arg] = value
            continue
        value = spec.contents(value)
        if merged_dicts.is_dict(value) and word is not node.keywords[-1]:
            value = merged_dicts.taken(spec, value)
        elif merged_dicts.is_dict(value):
            value = merged_dicts.with_known_keys(spec, value)
        if merged_dicts.has_unknown_keys(value):
            unknown.append(value)
        elif isinstance(value, core.Aggregate) and value.constructor is dict:
            keywords |= {
                str(k): v for k, v in zip(value.keys, value.items, strict=True)
            }
        else:
            raise core.Unsupported(
                f"{core.describe(value)} is unpacked here", "unpack a dict"
            )
    if not unknown:
        return keywords
    if len(unknown) > 1:
        raise core.Unsupported(
            "several dicts whose keys aren't known before the program runs are "
            "unpacked into one call",
            "unpack one, as in f(**{**a, **b})",
        )
    count = 0
    for part, value in positional:
        items = core.items_of(value) if isinstance(part, ast.Starred) else (value,)
        if items is None:
            raise core.Unsupported(
                "how many arguments are given by position isn't known before the "
                "program runs, nor which ones by name",
                "name them",
                part,
            )
        count += len(items)
    return keywords | _named(spec, function, count, keywords, unknown[0])


def _named(
    spec: Specialiser,
    function: core.Value,
    count: int,
    keywords: Words,
    given: core.Value,
) -> Words:
    """What a dict gives for the parameters that are left, by their names."""
    if isinstance(function, core.Leaf) and function.kind == ir.Known(dict):
        return {parameters.NAMED: given}
    signature = signatures.signature_of(function)
    if signature is not None:
        signature = signature.behind(count).before(keywords)
    if signature is None or signature.by_name is None:
        raise core.Unsupported(
            "a dict whose keys aren't known before the program runs is unpacked into a "
            f"call of {core.describe(function)}",
            "name the arguments",
        )
    names = signature.by_name
    needed = tuple(name for name in names if name not in signature.defaults)
    optional = tuple(name for name in names if name in signature.defaults)
    demand = ir.Apply(
        require_arguments,
        (
            merged_dicts.holder_of_keys(given),
            *map(ir.Const, (signature.name, needed, optional)),
            ir.Const(signature.taken if signature.rest else None),
        ),
    )
    spec.emit(ir.Effect(spec.span, demand))
    found: Words = {
        name: merged_dicts.value_under(spec, given, core.constant(name))
        for name in needed
    }
    for name in optional:
        key = core.constant(name)
        default = partial(signature.defaults[name], spec)
        found[name] = spec.select(
            merged_dicts.has_key(spec, given, key),
            partial(merged_dicts.value_under, spec, given, key),
            default,
            name,
        )
    if signature.rest:
        found[parameters.NAMED] = merged_dicts.merged(spec, [given], but=names)
    return found
