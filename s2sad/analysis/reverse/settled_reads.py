"""Settled reads: what is read from slots into which the program stores, but nothing
behind the read. Where the reverse sweep follows at once, it stands there still. So
numbers are read again instead of kept, and calls need no residuals of what they read.

::

    for b in bodies:                  reverse:   for b in reversed(bodies):
        store_attribute(b, 'x', u)                   ...
    for b in bodies:                             for b in reversed(bodies):
        x = stored_attribute(b, 'x')                 x = read_attribute(b, 'x')
"""

from collections.abc import Iterator
from dataclasses import replace

from s2sad import ir, ops
from s2sad.analysis.passes.stored_slots import ANY, slots_read, slots_stored

READS_AGAIN = {ops.stored_attribute: ops.read_attribute, ops.stored_item: ops.read_item}
"""What reads slots, with what does where nothing is stored into them any more."""
_OTHERS = (*ops.CHANGES_ADJOINTS, ops.method_of_object, ops.attribute_of_object)
"""What changes the adjoints of a gradient inside, or runs code of the user's that
nobody looks into."""


def settled_reads(forward: ir.Block) -> frozenset[int]:
    """The identities of such lines of a forward sweep, as far as they may give numbers.

    >>> def line(name, function, *args):
    ...     return ir.Assign(None, ir.Var(name), ir.Apply(function, args), ir.FLOAT)
    >>> slot = ir.Var("xs"), ir.Var("k")
    >>> first, last = (line(name, ops.stored_item, *slot) for name in "ab")
    >>> store = ir.Apply(ops.store_item, (*slot, ir.Var("a")))
    >>> body = (first, ir.Effect(None, store), last)
    >>> settled_reads(body) == {id(last)}
    True
    """
    return frozenset(
        id(s) for s in _settled(forward, set()) if ir.is_line(s, *READS_AGAIN)
    )


def settled_calls(forward: ir.Block) -> frozenset[int]:
    """The identities of lines that call procedures, behind which nothing is stored that
    these read."""
    return frozenset(
        id(s)
        for s in _settled(forward, set())
        if ir.applies(s) and isinstance(s.value.function, ir.Procedure)
    )


def read_again(line: ir.Assign) -> ir.Assign:
    """The line by which the reverse sweep reads what a settled read gave."""
    assert isinstance(line.value, ir.Apply)
    function = READS_AGAIN[line.value.function]
    return replace(line, value=replace(line.value, function=function))


def _settled(block: ir.Block, later: set[str]) -> Iterator[ir.Statement]:
    """The lines of a block that read nothing of what is stored behind them: in the
    block, or into the slots ``later``, to which those of the block are added."""
    for s in reversed(block):
        if isinstance(s, ir.COMPOUND):
            inner = {slot for line in ir.walk((s,)) for slot in _stored(line)}
            runs_on = not isinstance(s, ir.If)
            for inside in ir.blocks_of(s):
                yield from _settled(inside, later | inner if runs_on else {*later})
            later |= inner
            continue
        later.update(_stored(s))
        if not _meet(set(slots_read(s)), later):
            yield s


def _meet(read: set[str], later: set[str]) -> bool:
    any_of_some = (ANY in read and later) or (ANY in later and read)
    return bool(any_of_some or read & later)


def _stored(s: ir.Statement) -> Iterator[str]:
    yield from slots_stored(s)
    if any(operation.function in _OTHERS for operation in ir.operations(s)):
        yield ANY
