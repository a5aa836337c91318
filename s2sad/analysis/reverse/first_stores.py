"""Stores into slots that are still empty, of objects that nobody else holds.

::

    q = make_object(Q, ())          q is made without attributes
    store_attribute(q, 'x', v)      the first store into its slot: nothing stood there
    add(q)
    store_attribute(q, 'y', w)      not known: add may have stored into it

What such a slot of the adjoint holds in the reverse sweep in front of the store is
nobody's business: nothing has to be put back, nor set to zero.
"""

from collections.abc import Iterator

from s2sad import ir, ops


def first_stores(body: ir.Block) -> frozenset[int]:
    """The identities of those statements of a program, inner blocks included."""
    found: set[int] = set()
    for block in _blocks(body):
        for place, s in enumerate(block):
            if ir.is_line(s, ops.make_object) and isinstance(s.target, ir.Var):
                found.update(_of_object(s, block[place + 1 :]))
    return frozenset(found)


def _blocks(block: ir.Block) -> Iterator[ir.Block]:
    yield block
    for s in block:
        if isinstance(s, ir.COMPOUND):
            for inner in ir.blocks_of(s):
                yield from _blocks(inner)


def _of_object(made: ir.Assign, following: ir.Block) -> Iterator[int]:
    """Those behind a line that makes an object, up to where somebody else gets it."""
    assert isinstance(made.target, ir.Var) and isinstance(made.value, ir.Apply)
    name, (_, names, *_) = made.target.name, made.value.args
    assert isinstance(names, ir.Const)
    filled = {*names.value}
    for s in following:
        if name in ir.names_written_within(s):
            return
        if name not in ir.names_read_within(s):
            continue
        operation = getattr(s, "value", None)
        match operation:
            case ir.Apply(ops.stored_attribute, (made.target, _)):
                continue
            case ir.Apply(ops.store_attribute, (made.target, ir.Const(slot), content)):
                if slot not in filled:
                    yield id(s)
                filled.add(slot)
                if content != made.target:
                    continue
        return
