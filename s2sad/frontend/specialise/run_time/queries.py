"""Questions about references: what is kept as it is, and of which sort it is."""

from __future__ import annotations

from collections import deque
from typing import TypeGuard

from s2sad import ir
from s2sad.frontend.specialise import core

SEQUENCES = (list, tuple, deque)


def is_reference(value: core.Value) -> TypeGuard[core.Leaf]:
    """True for a value that is kept as it is when the program runs."""
    return isinstance(value, core.Leaf) and isinstance(value.kind, ir.Reference)


def kind_of(value: core.Leaf) -> ir.Reference:
    """The kind of a reference."""
    assert isinstance(value.kind, ir.Reference)
    return value.kind


def is_told(kind: ir.Kind) -> bool:
    """True for a kind that says what can be done with a value."""
    return kind != ir.UNKNOWN


def is_record(value: core.Leaf) -> bool:
    """True for a tuple of which each item has a kind of its own."""
    forms = kind_of(value).forms
    return all(issubclass(f.constructor, tuple) and not f.is_uniform for f in forms)


def is_sequence(value: core.Value) -> TypeGuard[core.Leaf]:
    """True for a list, tuple or deque whose items are alike."""
    return is_reference(value) and all(
        f.constructor in SEQUENCES and f.is_uniform for f in kind_of(value).forms
    )


def may_be_deque(value: core.Value) -> bool:
    """True for what may be a deque."""
    return is_reference(value) and any(
        form.constructor is deque for form in kind_of(value).forms
    )


def is_dict(value: core.Value) -> TypeGuard[core.Leaf]:
    """True for a dict."""
    return is_reference(value) and all(
        issubclass(form.constructor, dict) for form in kind_of(value).forms
    )
