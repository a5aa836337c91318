"""Heaps of keys: they carry no derivative."""

from s2sad import ir, ops, rules

rules.without_derivative(ops.new_keys, lambda: None, kind=lambda: ir.OPAQUE)
for _change in (ops.key_pushed, ops.key_replaced):
    rules.without_derivative(
        _change,
        lambda keys, parts, place: None,
        kind=lambda keys, parts, place: ir.OPAQUE,
    )
rules.without_derivative(
    ops.without_first_key, lambda keys: None, kind=lambda keys: ir.OPAQUE
)
rules.without_derivative(
    ops.number_of_keys, lambda keys: None, kind=lambda keys: ir.INT
)
rules.without_derivative(ops.first_place, lambda keys: None, kind=lambda keys: ir.INT)
