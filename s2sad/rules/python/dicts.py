"""Dicts whose keys are known only when the program runs: they carry no derivative."""

from __future__ import annotations

from s2sad import ir
from s2sad.ops.dicts import (
    keys_in_order,
    member_added,
    member_removed,
    place_added,
    place_of_key,
    place_removed,
    places_in_order,
    places_of,
    set_of_members,
)
from s2sad.rules.registry import without_derivative

without_derivative(places_of, lambda *keys: None, kind=lambda keys: ir.OPAQUE)
without_derivative(
    place_added,
    lambda places, key, place: None,
    kind=lambda places, key, place: ir.OPAQUE,
)
without_derivative(
    set_of_members, lambda *members: None, kind=lambda members: ir.OPAQUE
)
without_derivative(
    member_added, lambda members, member: None, kind=lambda members, member: ir.OPAQUE
)
without_derivative(
    member_removed, lambda members, member: None, kind=lambda members, member: ir.OPAQUE
)
without_derivative(
    place_removed, lambda places, key: None, kind=lambda places, key: ir.OPAQUE
)
without_derivative(
    place_of_key, lambda places, key: None, kind=lambda places, key: ir.INT
)
without_derivative(
    keys_in_order, lambda places: None, kind=lambda places: ir.List(ir.OPAQUE)
)
without_derivative(
    places_in_order, lambda places: None, kind=lambda places: ir.List(ir.INT)
)
