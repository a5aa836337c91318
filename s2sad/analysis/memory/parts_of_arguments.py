"""Parts of arguments: the lines that take structured arguments apart, once for all.

Two arrays of one argument are as much apart, or not, as two arguments are.
"""

import operator

from s2sad import ir


def parts_of_arguments(function: ir.Function) -> dict[int, str]:
    """For each line that reads a part of a structured argument, by identity, the part
    as Python spells it. Arguments that are used as a whole, too, or of which a part is
    read twice, are left out.

    >>> pair = ir.Structure(tuple, (0, 1), (ir.FLOAT, ir.FLOAT))
    >>> read = ir.Assign(
    ...     None, ir.Var("p_0"), ir.Apply(operator.getitem, (ir.Var("p"), ir.Const(0)))
    ... )
    >>> function = ir.Function("f", ("p",), (read,), {"p": pair})
    >>> list(parts_of_arguments(function).values())
    ['p[0]']
    """
    places = {
        p: (p, p)
        for p in function.parameters
        if isinstance(function.kinds.get(p), ir.Structure)
    }
    found: dict[int, tuple[str, str]] = {}
    for s in function.body:
        if not isinstance(s, ir.Assign) or not isinstance(s.target, ir.Var):
            continue
        match s.value:
            case ir.Apply(function=read, args=(ir.Var(name), ir.Const(key))) if (
                name in places
            ):
                root, path = places[name]
            case _:
                continue
        if read is operator.getitem:
            part = f"{path}[{key!r}]"
        elif read is getattr:
            part = f"{path}.{key}"
        else:
            continue
        found[id(s)] = root, part
        kind = s.kind or function.kinds.get(s.target.name)
        if isinstance(kind, ir.Structure):
            places[s.target.name] = root, part
    whole: set[str] = set()
    parts = [part for _, part in found.values()]
    whole |= {root for root, part in found.values() if parts.count(part) > 1}
    written: list[str] = []
    for s in ir.walk(function.body):
        written += (v.name for v in ir.direct_writes(s) if v.name in places)
        if id(s) not in found:
            whole |= {places[v.name][0] for v in ir.direct_reads(s) if v.name in places}
    whole |= {places[n][0] for n in written if written.count(n) > 1}
    whole |= {places[n][0] for n in written if n in function.parameters}
    return {s: part for s, (root, part) in found.items() if root not in whole}
