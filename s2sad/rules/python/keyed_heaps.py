"""Heaps of keys: they carry no derivative."""

from __future__ import annotations

from s2sad import ir
from s2sad.ops.keyed_heaps import (
    first_place,
    key_pushed,
    key_replaced,
    new_keys,
    number_of_keys,
    without_first_key,
)
from s2sad.rules.registry import without_derivative

without_derivative(new_keys, lambda: None, kind=lambda: ir.OPAQUE)
for _change in (key_pushed, key_replaced):
    without_derivative(
        _change,
        lambda keys, parts, place: None,
        kind=lambda keys, parts, place: ir.OPAQUE,
    )
without_derivative(without_first_key, lambda keys: None, kind=lambda keys: ir.OPAQUE)
without_derivative(number_of_keys, lambda keys: None, kind=lambda keys: ir.INT)
without_derivative(first_place, lambda keys: None, kind=lambda keys: ir.INT)
