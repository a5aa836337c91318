"""Effects of the user's program that the emitted code keeps, as functions of the IR."""

from __future__ import annotations

from typing import Any, NoReturn


def raise_assertion_error(*message: Any) -> NoReturn:
    """``raise AssertionError(message)``, the failing end of an assert statement."""
    raise AssertionError(*message)


def format_string(*parts: Any) -> str:
    """An f-string: its literal and formatted parts joined."""
    return "".join(parts)


def format_value(value: Any, conversion: str, specification: str) -> str:
    """One ``{value!r:spec}`` of an f-string."""
    if conversion:
        convert: Any = {"r": repr, "s": str, "a": ascii}[conversion]
        value = convert(value)
    return format(value, specification)
