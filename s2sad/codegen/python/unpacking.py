"""Tuples whose items have kinds of their own, taken apart in one line.

::

    item = pairs[k]
    i = item[0]            ->      i, j = pairs[k]
    j = item[1]
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from s2sad import ir, ops


def with_items_unpacked(function: ir.Function) -> ir.Function:
    """The function with such lines as one, where all items are read and nobody reads
    the tuple otherwise."""
    reads: Counter[str] = Counter()
    writes: Counter[str] = Counter()
    for s in ir.walk(function.body):
        reads.update(v.name for v in ir.direct_reads(s))
        writes.update(v.name for v in ir.direct_writes(s))

    def lines(block: ir.Block) -> ir.Block:
        found: list[ir.Statement] = []
        skipped = 0
        for place, s in enumerate(block):
            if skipped:
                skipped -= 1
                continue
            s = ir.with_blocks(s, lines)
            targets = _targets(s, block[place + 1 :])
            if targets and isinstance(s, ir.Assign) and isinstance(s.target, ir.Var):
                name = s.target.name
                if reads[name] == len(targets) and writes[name] == 1:
                    s = replace(s, target=ir.pack_tuple(*targets), kind=None)
                    skipped = len(targets)
            found.append(s)
        return ir.as_block(found, block)

    def _targets(s: ir.Statement, behind: ir.Block) -> list[ir.Var]:
        """The variables that get the items of a tuple in the lines behind it."""
        if not ir.is_line(s) or s.target.name not in function.temporaries:
            return []
        kind = function.kinds.get(s.target.name)
        if not isinstance(kind, ir.Reference) or kind.may_be_none or kind.adjoint:
            return []
        (form, *others) = kind.forms
        if others or form.constructor is not tuple or form.is_uniform:
            return []
        found: list[ir.Var] = []
        for number, line in enumerate(behind[: len(form.keys)]):
            read = ir.Apply(ops.read_item, (s.target, ir.Const(number)))
            if not ir.is_line(line) or line.value != read:
                return []
            found.append(line.target)
        distinct = len(set(found)) == len(found) == len(form.keys)
        return found if distinct and s.target not in found else []

    return ir.altered(function, body=lines(function.body))
