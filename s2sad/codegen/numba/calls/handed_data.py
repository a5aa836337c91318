"""Data of modules that procedures read, as parameters of theirs.

::

    def price(s):                            def price(s, RATES):
        return s * RATES[0]      ->              return s * RATES[0]

    y = price(x)                             y = price(x, RATES)

Numba would freeze it when it compiles. The border reads it at each call.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from s2sad import ir
from s2sad.codegen.numba.programs import Programs, call_of_procedure


def with_data_handed_on(
    functions: Iterable[ir.Function],
    programs: Programs,
    kinds: Mapping[ir.Global, ir.Kind],
) -> tuple[list[ir.Function], Programs]:
    """The functions, and the procedures that they call, of which none reads data."""
    needed = _needed(programs)
    names = {p: _names(f, needed[p]) for p, f in programs.items()}
    found = {
        p: _with_parameters(p, _calling(f, needed, names[p]), names[p], kinds)
        for p, f in programs.items()
    }
    return [_calling(f, needed, {}) for f in functions], found


def _needed(programs: Programs) -> dict[ir.Procedure, list[Any]]:
    """The data that each procedure reads, and what it calls."""
    needed = {p: list(dict.fromkeys(_data(f.body))) for p, f in programs.items()}
    while True:
        before = sum(map(len, needed.values()))
        for p, f in programs.items():
            for called in ir.called_procedures(f.body):
                both = (*needed[p], *needed.get(called, ()))
                needed[p] = list(dict.fromkeys(both))
        if sum(map(len, needed.values())) == before:
            return needed


def _data(body: ir.Block) -> Iterator[Any]:
    for s in ir.walk(body):
        for operand in ir.all_operands(s):
            if isinstance(operand, ir.Global):
                yield operand


def _names(function: ir.Function, data: Iterable[Any]) -> dict[Any, ir.Var]:
    """A parameter for each of the data."""
    uses = ir.uses_in(function.body)
    taken = {*function.parameters, *function.kinds, *uses.reads, *uses.writes}
    found: dict[Any, ir.Var] = {}
    for datum in data:
        name = name_of_data(datum)
        while name in taken:
            name += "_"
        taken.add(name)
        found[datum] = ir.Var(name)
    return found


def name_of_data(data: Any) -> str:
    """What a parameter is called that takes the place of data."""
    stem = data.name.replace("[", ".").replace("]", "").split(".")[-1].strip("'\"")
    return stem if stem.isidentifier() else "datum"


def _calling(
    function: ir.Function,
    needed: Mapping[ir.Procedure, list[Any]],
    own: Mapping[Any, ir.Var],
) -> ir.Function:
    """A program that hands on what those need that it calls; ``own`` is what it is
    given itself."""

    def lines(s: ir.Statement) -> ir.Block:
        call = call_of_procedure(s)
        if call is None or not needed.get(call.procedure):
            return (s,)
        return (call.given_more(needed[call.procedure]),)

    body = ir.with_leaves(function.body, lines) if any(needed.values()) else None
    body = function.body if body is None else body
    if own:
        body = ir.renamed(body, lambda data: own[data], leaf=ir.Global)
    return function if body is function.body else replace(function, body=body)


def _with_parameters(
    procedure: ir.Procedure,
    function: ir.Function,
    names: Mapping[Any, ir.Var],
    kinds: Mapping[ir.Global, ir.Kind],
) -> ir.Function:
    if not names:
        return function
    place = len(function.parameters) - procedure.handed
    own = [v.name for v in names.values()]
    parameters = (*function.parameters[:place], *own, *function.parameters[place:])
    known = {v.name: kinds.get(data, ir.UNKNOWN) for data, v in names.items()}
    return replace(function, parameters=parameters, kinds={**function.kinds, **known})
