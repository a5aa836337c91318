"""Parts of arguments: the lines that take structured arguments apart, once for all.

Two arrays of one argument are as much apart, or not, as two arguments are.
"""

from __future__ import annotations

import operator

from s2sad.ir.kinds import Structure
from s2sad.ir.nodes import Apply, Assign, Const, Function, Var
from s2sad.ir.walking import direct_reads, direct_writes, walk


def parts_of_arguments(function: Function) -> dict[int, str]:
    """For each line that reads a part of a structured argument, by identity, the part
    as Python spells it. Arguments that are used as a whole, too, or of which a part is
    read twice, are left out.

    >>> from s2sad.ir.kinds import FLOAT
    >>> pair = Structure(tuple, (0, 1), (FLOAT, FLOAT))
    >>> read = Assign(None, Var("p_0"), Apply(operator.getitem, (Var("p"), Const(0))))
    >>> function = Function("f", ("p",), (read,), {"p": pair})
    >>> list(parts_of_arguments(function).values())
    ['p[0]']
    """
    places = {
        p: (p, p)
        for p in function.parameters
        if isinstance(function.kinds.get(p), Structure)
    }
    found: dict[int, tuple[str, str]] = {}
    for s in function.body:
        if not isinstance(s, Assign) or not isinstance(s.target, Var):
            continue
        match s.value:
            case Apply(function=read, args=(Var(name), Const(key))) if name in places:
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
        if isinstance(kind, Structure):
            places[s.target.name] = root, part
    whole: set[str] = set()
    parts = [part for _, part in found.values()]
    whole |= {root for root, part in found.values() if parts.count(part) > 1}
    written: list[str] = []
    for s in walk(function.body):
        written += (v.name for v in direct_writes(s) if v.name in places)
        if id(s) not in found:
            whole |= {places[v.name][0] for v in direct_reads(s) if v.name in places}
    whole |= {places[n][0] for n in written if written.count(n) > 1}
    whole |= {places[n][0] for n in written if n in function.parameters}
    return {s: part for s, (root, part) in found.items() if root not in whole}
