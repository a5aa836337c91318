"""Sets whose members are known only when the program runs, and heaps of keys: they
carry no derivative."""

from s2sad import ops, rules

rules.without_derivative(ops.set_of_members, kind=rules.opaque)
rules.without_derivative(ops.new_keys, kind=rules.opaque)
rules.without_derivative((ops.key_pushed, ops.key_replaced), kind=rules.opaque)
rules.without_derivative(ops.without_first_key, kind=rules.opaque)
rules.without_derivative(ops.number_of_keys, kind=rules.python_int)
rules.without_derivative(ops.first_place, kind=rules.python_int)
