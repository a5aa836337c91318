"""Dicts whose keys are known only when the program runs, and heaps of keys: they carry
no derivative."""

from s2sad import ir, ops, rules

rules.without_derivative(ops.places_of, kind=rules.opaque)
rules.without_derivative(ops.places_of_keys, kind=rules.opaque)
rules.without_derivative(ops.keys_together, kind=rules.opaque)
rules.without_derivative(ops.keys_but, kind=rules.opaque)
rules.without_derivative(ops.place_added, kind=rules.opaque)
rules.without_derivative(ops.set_of_members, kind=rules.opaque)
rules.without_derivative(ops.place_removed, kind=rules.opaque)
rules.without_derivative(ops.place_of_key, kind=rules.python_int)
rules.without_derivative(ops.keys_in_order, kind=lambda places: ir.List(ir.OPAQUE))
rules.without_derivative(ops.places_in_order, kind=lambda places: ir.List(ir.INT))


rules.without_derivative(ops.new_keys, kind=rules.opaque)
rules.without_derivative((ops.key_pushed, ops.key_replaced), kind=rules.opaque)
rules.without_derivative(ops.without_first_key, kind=rules.opaque)
rules.without_derivative(ops.number_of_keys, kind=rules.python_int)
rules.without_derivative(ops.first_place, kind=rules.python_int)
