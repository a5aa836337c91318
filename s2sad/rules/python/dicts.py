"""Dicts whose keys are known only when the program runs: they carry no derivative."""

from s2sad import ir, ops, rules

rules.without_derivative(ops.places_of, lambda *keys: None, kind=lambda keys: ir.OPAQUE)
rules.without_derivative(
    ops.places_of_keys, lambda keys: None, kind=lambda keys: ir.OPAQUE
)
rules.without_derivative(
    ops.keys_together, lambda *holders: None, kind=lambda holders: ir.OPAQUE
)
rules.without_derivative(
    ops.keys_but, lambda holder, others: None, kind=lambda holder, others: ir.OPAQUE
)
rules.without_derivative(
    ops.place_added,
    lambda places, key, place: None,
    kind=lambda places, key, place: ir.OPAQUE,
)
rules.without_derivative(
    ops.set_of_members, lambda *members: None, kind=lambda members: ir.OPAQUE
)
rules.without_derivative(
    ops.member_added,
    lambda members, member: None,
    kind=lambda members, member: ir.OPAQUE,
)
rules.without_derivative(
    ops.member_removed,
    lambda members, member: None,
    kind=lambda members, member: ir.OPAQUE,
)
rules.without_derivative(
    ops.place_removed, lambda places, key: None, kind=lambda places, key: ir.OPAQUE
)
rules.without_derivative(
    ops.place_of_key, lambda places, key: None, kind=lambda places, key: ir.INT
)
rules.without_derivative(
    ops.keys_in_order, lambda places: None, kind=lambda places: ir.List(ir.OPAQUE)
)
rules.without_derivative(
    ops.places_in_order, lambda places: None, kind=lambda places: ir.List(ir.INT)
)
