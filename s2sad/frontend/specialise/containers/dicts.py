"""Keys of dicts and members of sets."""

from typing import Any

from s2sad import ir, rules
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser

VIEWS = ("keys", "values", "items")
FACTORY = "default_factory"
"""The name under which a ``defaultdict`` holds its factory."""


def as_value(key: Any) -> core.Value:
    """A key that is known, as a value of the program."""
    if isinstance(key, tuple):
        return core.aggregate_of(tuple(map(as_value, key)))
    return core.constant(key)


def known_key(spec: Specialiser, key: core.Value) -> Any:
    """A key that must be known before the program runs: one that is an argument is
    asked for."""
    kind = core.kind_of(key)
    if rules.is_static(kind):
        return rules.static_value(kind)
    asked = next(filter(spec.may_ask, core.leaves(key)), None)
    if asked is not None and asked is key:
        return spec.ask(asked)
    if asked is not None:
        raise core.SpecialiseOnValue(asked.path)
    raise core.Unsupported(
        "a dict gets a key that isn't known before the program runs",
        "use keys that are written out, or put the values into an array",
    )


def key_operand(spec: Specialiser, key: core.Value) -> Any:
    """A key as an operand."""
    _refuse_objects_apart(spec, key)
    for leaf in core.leaves(key):
        if isinstance(leaf.kind, ir.Array | ir.List):
            raise core.Unsupported(
                f"a dict gets a key {core.describe(leaf)}", "use numbers or strings"
            )
    return core.operand_of(key)


def refuse_iterator(key: core.Value) -> None:
    """A range isn't followed as a key, nor is another iterator."""
    if isinstance(key, core.Lazy) and not isinstance(key, core.Part):
        raise core.Unsupported(
            f"{core.describe(key)} is a key of a dict or a member of a set",
            "use a tuple of its items",
        )


def _refuse_objects_apart(spec: Specialiser, key: core.Value) -> None:
    """Objects that are equal to themselves alone are keys as they are."""
    if isinstance(key, core.Leaf):
        return
    refuse_iterator(key)
    if core.is_object(key) or isinstance(key, core.Cell):
        if key.constructor.__hash__ is object.__hash__:  # type: ignore[union-attr]
            spec.keep_objects(key)
            raise core.Unsupported(
                f"{core.describe(key)} is a key of a dict or a member of a set",
                "use a number or text that names the object",
            )
    for _, part in core.parts_of(key):
        _refuse_objects_apart(spec, part)
