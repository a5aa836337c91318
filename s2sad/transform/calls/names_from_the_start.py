"""Names of what calls hand back as they were given it: it has them from the start.

::

    t = add(v, s)                     a = add(v, s)
    b = slope(x, t)          ->       b = slope(x, a)
    a = t

Only the user's names are given back, and only where that changes nothing.
"""

from s2sad import ir
from s2sad.analysis.passes.copies import defining_place


def with_names_from_the_start(function: ir.Function) -> ir.Function:
    """The program in which temporaries that become the user's variables have their
    names; itself where nothing is called."""
    if not any(ir.called_procedures(function.body)):
        return function
    return ir.altered(function, body=_block(function.body, function))


def _block(block: ir.Block, function: ir.Function) -> ir.Block:
    result: list[ir.Statement] = []
    for s in block:
        if not isinstance(s, ir.Try | ir.With):  # a handler may read the old value
            s = ir.with_blocks(s, lambda inner: _block(inner, function))
        result.append(s)
    place = 0
    while place < len(result):
        if not _named_from_the_start(result, place, function):
            place += 1
    return ir.as_block(result, block)


def _named_from_the_start(
    lines: list[ir.Statement], place: int, function: ir.Function
) -> bool:
    """Rename what a copy repeats, from where it is made, and drop the copy."""
    match lines[place]:
        case ir.Assign(target=ir.Var(own), value=ir.Var(name)):
            pass
        case _:
            return False
    uses, kinds, derived = (
        ir.uses_in(function.body),
        function.kinds,
        function.temporaries,
    )
    if name not in derived or own in derived or "." in own:
        return False
    if uses.writes[name] != 1 or kinds.get(own) != kinds.get(name):
        return False
    first = defining_place(lines[:place], name)
    if first is None or any(_occurs(own, s) for s in lines[first:place]):
        return False
    behind = lines[first:]
    reads = (v.name for s in ir.walk(behind) for v in ir.direct_reads(s))
    if sum(read == name for read in reads) != uses.reads[name]:
        return False
    last = max(k for k, s in enumerate(lines) if name in ir.names_read_within(s))
    if any(own in ir.names_written_within(s) for s in lines[place + 1 : last + 1]):
        return False

    def renamed(variable: ir.Var) -> ir.Var:
        return ir.Var(own) if variable.name == name else variable

    del lines[place]
    lines[first:] = ir.renamed(tuple(lines[first:]), renamed, renamed)
    return True


def _occurs(name: str, s: ir.Statement) -> bool:
    return name in ir.names_read_within(s) | ir.names_written_within(s)
