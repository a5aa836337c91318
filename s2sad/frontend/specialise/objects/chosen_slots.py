"""Items of records and attributes of objects under names that only the run knows.

::

    child = getattr(node, side)     ->     if side == "left":
                                               child = node.left
                                           else:
                                               child = node.right
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser

MOST_NAMES = 8
"""So many names are told apart."""


def _places_of(kind: ir.Reference, key: ir.Kind) -> tuple[Any, ...]:
    """The names or positions in all of some records, as such a key may tell them."""
    if key == ir.OPAQUE:
        return names_of(kind)
    return _common_keys(kind, int) if key == ir.INT else ()


def names_of(kind: ir.Reference) -> tuple[str, ...]:
    """The names in all of some records or objects; none where these differ, or are
    many."""
    return _common_keys(kind, str)


def _common_keys(kind: ir.Reference, cls: type) -> tuple[Any, ...]:
    first, *others = kind.forms
    keys = first.keys
    if any(form.keys != keys for form in others) or not 0 < len(keys) <= MOST_NAMES:
        return ()
    plain = all(isinstance(key, cls) for key in keys) and not first.is_uniform
    return keys if plain and not any(form.optional for form in kind.forms) else ()


def by_name(
    spec: Specialiser,
    name: core.Leaf,
    names: Sequence[str],
    do: Callable[[str], core.Value],
    otherwise: Callable[[], core.Value],
) -> core.Value:
    """What ``do`` gives for the one of these names that a name is."""
    if not names:
        return otherwise()
    first, *others = names
    test = spec.operate(operator.eq, (name, core.constant(first)))
    return spec.select(
        test,
        lambda: do(first),
        lambda: by_name(spec, name, others, do, otherwise),
        "item",
    )


def check_name(
    spec: Specialiser,
    name: core.Leaf,
    names: Sequence[Any],
    error: type[Exception],
    words: str,
) -> None:
    """Let another name raise."""
    asked = ir.Apply(ops.contains, (name.operand, ir.Const(tuple(names))))
    test = spec.define(asked, ir.BOOL, "condition")
    spec.choose(test, lambda: None, lambda: spec.raise_now(error, words))


def attribute(
    spec: Specialiser,
    value: core.Leaf,
    name: core.Leaf,
    do: Callable[[str], core.Value],
) -> core.Value | None:
    """What an object holds under a name, which ``do`` reads; None where they can't be
    told apart."""
    assert isinstance(value.kind, ir.Reference)
    names = names_of(value.kind)
    if not names or name.kind != ir.OPAQUE:
        return None
    check_name(spec, name, names, AttributeError, "no such attribute")
    *first, last = names
    return by_name(spec, name, first, do, lambda: do(last))


def item(
    spec: Specialiser,
    value: core.Leaf,
    key: core.Leaf,
    do: Callable[[ir.Kind, list[Any]], core.Value],
) -> core.Value | None:
    """What a dict or tuple holds under a key or at a position, where ``do`` reads what
    is of one kind under some of them; None where they can't be told apart."""
    assert isinstance(value.kind, ir.Reference)
    groups: dict[ir.Kind, list[Any]] = {}
    every = _places_of(value.kind, key.kind)
    for name in every:
        held = ir.kind_of_slot(value.kind, name)
        if held is None or (isinstance(held, ir.Known) and held != ir.NONE):
            return None
        alike = (kind for kind in groups if _alike(kind, held))
        kind = next(alike, held)
        groups[ir.join(kind, held)] = [*groups.pop(kind, ()), name]
    if not groups:
        return None
    last = list(groups.values())[-1]
    positions = key.kind == ir.INT
    if len(last) == 1:
        error = IndexError if positions else KeyError
        allowed = range(-len(every), len(every)) if positions else every
        check_name(
            spec, key, allowed, error, f"no such {'item' if positions else 'key'}"
        )

    def of(groups: list[tuple[ir.Kind, list[Any]]]) -> core.Value:
        (kind, names), *others = groups
        if not others:
            return do(kind, names)
        from_end = [place - len(every) for place in names] if positions else []
        told = ir.Const((*names, *from_end))
        asked = ir.Apply(ops.contains, (key.operand, told))
        test = spec.define(asked, ir.BOOL, "condition")
        return spec.select(test, lambda: do(kind, names), lambda: of(others), "item")

    return of(list(groups.items()))


def _alike(kind: ir.Kind, other: ir.Kind) -> bool:
    """True for what has one kind in common: references, or numbers."""
    of_references = [isinstance(k, ir.Reference) or k == ir.NONE for k in (kind, other)]
    numbers = [isinstance(k, ir.Scalar) for k in (kind, other)]
    if not (all(of_references) or all(numbers)):
        return kind == other
    reals = {ir.is_real_number_kind(k) for k in (kind, other)}
    return all(of_references) or len(reals) == 1


def store(
    spec: Specialiser,
    owner: core.Leaf,
    name: core.Leaf,
    value: core.Value,
    do: Callable[[str], None],
) -> bool:
    """Store under a name, as ``do`` does; False where they can't be told apart. Names
    under which something else stands raise."""
    assert isinstance(owner.kind, ir.Reference)
    names = [
        n for n in names_of(owner.kind) if _may_hold(owner.kind, n, core.kind_of(value))
    ]
    if not names or name.kind != ir.OPAQUE:
        return False
    words = "something else stands under this name"
    check_name(spec, name, names, ValueError, words)
    spec.shared([value], times=len(names))

    def of(names: list[str]) -> None:
        first, *others = names
        if not others:
            return do(first)
        test = spec.operate(operator.eq, (name, core.constant(first)))
        spec.choose(test, lambda: do(first), lambda: of(others))

    of(names)
    return True


def _may_hold(owner: ir.Reference, name: str, kind: ir.Kind) -> bool:
    held: Any = ir.kind_of_slot(owner, name)
    if held == ir.NONE or kind == ir.NONE:
        return held == ir.NONE or isinstance(held, ir.Reference | ir.Unknown)
    if isinstance(kind, ir.Numeric):
        return isinstance(getattr(held, "present", None) or held, ir.Numeric)
    return isinstance(held, ir.Reference)
