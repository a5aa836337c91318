"""What a function that calls itself returns, guessed until it no longer changes."""

from dataclasses import replace
from typing import Any

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.control.joining import same_form
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.optionals.optionals import as_optional
from s2sad.frontend.specialise.recursion.forms import form_shape, is_static


def are_alike(a: core.Value, b: core.Value) -> bool:
    """True for two guesses of which one may take the place of the other."""
    return form_shape(a) == form_shape(b) and _leaf_kinds(a) == _leaf_kinds(b)


def _leaf_kinds(value: core.Value) -> list[Any]:
    """What must stay the same from one guess to the next."""
    return [
        repr(leaf.operand) if is_static(leaf) else leaf.kind
        for leaf in core.leaves(value)
    ]


def class_in_itself(value: core.Value, around: tuple[Any, ...] = ()) -> Any:
    """The class of an object that holds another one of its class: what a function that
    calls itself makes, and what it makes of that, ever more. None for other values."""
    if core.is_object(value) or core.is_cell_of_object(value):
        cls = value.constructor  # type: ignore[union-attr]
        if cls in around:
            return cls
        around = (*around, cls)
    found = (class_in_itself(part, around) for _, part in core.parts_of(value))
    return next((cls for cls in found if cls is not None), None)


def one_more(before: core.Value, after: core.Value) -> core.Value | None:
    """A list, dict or object that a value may be and an earlier guess may not: each
    call makes one of its own, and each guess has one more."""
    if isinstance(before, core.Choice) and isinstance(after, core.Choice):
        known = dict(before.options)
        new = [option for tag, option in after.options if tag not in known]
        made = (o for o in new if isinstance(o, core.Cell | core.Aggregate))
        return next(made, None)
    if isinstance(after, core.Choice) or not same_form(before, after):
        return None
    pairs = zip(core.parts_of(before), core.parts_of(after), strict=True)
    found = (one_more(a, b) for (_, a), (_, b) in pairs)
    return next((made for made in found if made is not None), None)


def join_guesses(a: core.Value, b: core.Value) -> core.Value:
    """What a procedure returns, from two guesses."""
    first, second = form_shape(a), form_shape(b)
    if first != second:
        raise core.Unsupported(
            f"a function that calls itself returns {core.describe(a)} on one path and "
            f"{core.describe(b)} on another",
            "return the same structure on all paths",
        )
    others = iter(core.leaves(b))

    def both(leaf: core.Leaf, path: tuple) -> core.Leaf:
        other = next(others)
        if is_static(leaf) and leaf == other:
            return leaf
        kind = ir.join(ir.without_value(leaf.kind), ir.without_value(other.kind), path)
        return core.Leaf(ir.Var("result"), kind)

    return core.map_with_paths(a, both)


def in_common(spec: Specialiser, value: core.Value, other: core.Value) -> core.Value:
    """A value with the options that another guess has besides: a structure may be None
    in it, or the other way round. What is there for the others isn't bound."""
    if isinstance(value, core.Choice) or isinstance(other, core.Choice):
        mine, theirs = _as_choice(value), _as_choice(other)
        if mine is not None and theirs is not None:
            return _with_options(spec, mine, theirs)
    elif same_form(value, other):
        pairs = zip(core.parts_of(value), core.parts_of(other), strict=True)
        parts = tuple(in_common(spec, a, b) for (_, a), (_, b) in pairs)
        return core.with_parts(value, parts)
    return value


def _as_choice(value: core.Value) -> core.Choice | None:
    """A value as a choice of one; None for those that can't be chosen."""
    selector = getattr(value, "selector", None)
    if selector is not None:
        which = core.Leaf(selector.operand, ir.OPAQUE)
        return core.Choice(which, ((selector.tag, value),))
    if isinstance(value, core.Leaf) and value.kind == ir.NONE:
        return core.Choice(core.Leaf(value.operand, ir.OPAQUE), ((None, core.NOTHING),))
    value = as_optional(value)
    return value if isinstance(value, core.Choice) else None


def _with_options(
    spec: Specialiser, value: core.Choice, other: core.Choice
) -> core.Choice:
    mine, theirs = dict(value.options), dict(other.options)
    tags = list(mine)
    if set(mine) != set(theirs):
        tags = sorted({*mine, *theirs}, key=lambda tag: (tag is not None, str(tag)))
    options = []
    for tag in tags:
        if tag not in mine:
            option = _unbound(spec, theirs[tag])
        else:
            option = in_common(spec, mine[tag], theirs.get(tag, mine[tag]))
        options.append((tag, option))
    return replace(value, options=tuple(options))


def _unbound(spec: Specialiser, value: core.Value) -> core.Value:
    def elsewhere(leaf: core.Leaf) -> core.Leaf:
        return leaf if is_static(leaf) else replace(leaf, operand=spec.fresh("absent"))

    return core.map_leaves(value, elsewhere)


def with_known_leaves(value: core.Value) -> core.Value:
    """The value with constants for what its kind tells: a function that returns nothing
    on any path has no result, whatever variable each of them leaves None in."""

    def constant(leaf: core.Leaf) -> core.Leaf:
        if isinstance(leaf.kind, ir.Known):
            return core.Leaf(ir.Const(leaf.kind.value), leaf.kind)
        return leaf

    return core.map_leaves(value, constant)


def without_operands(value: core.Value | None) -> core.Value:
    """The value with its structure, constants and kinds alone."""
    assert value is not None

    def bare(leaf: core.Leaf) -> core.Leaf:
        if is_static(leaf):
            return leaf
        return core.Leaf(ir.Var("result"), ir.without_value(leaf.kind))

    return core.map_leaves(value, bare)
