"""The functions that a text defines: their names, how they spell what is outside, and
the definition of each."""

from __future__ import annotations

import ast
import sys
from collections.abc import Mapping, Sequence

from s2sad.codegen.emit import Emitter
from s2sad.codegen.folding import fold
from s2sad.codegen.naming import final_names
from s2sad.codegen.spelling import Spelling, data_names
from s2sad.frontend.specialise import Specialised
from s2sad.ir.dump import dump
from s2sad.ir.nodes import Block, Function
from s2sad.ir.procedures import Procedure
from s2sad.ir.walking import operations, walk


def definition_of(
    function: Function,
    name: str,
    names: Sequence[str],
    spelling: Spelling,
    given: dict[str, Mapping[str, str]],
    emitter: type[Emitter],
) -> tuple[ast.FunctionDef, Emitter]:
    """The definition of one of the functions that a text defines under ``names``;
    ``given`` are the names of variables in those that were written before."""
    folded = fold(function)
    dump("fold", folded)
    applied = (a.function for s in walk(folded.body) for a in operations(s))
    called = set(map(spelling.first_name, {id(f): f for f in applied}.values()))
    reserved = {
        *(n.split(".")[0] for n in spelling.own_modules.values()),
        *(n.split(".")[0] for n in spelling.own_names.values()),
        *called,
        *data_names(folded),
        *names,
        "np",
        "math",
    }
    ahead = f"{name.removesuffix('_reverse')}_forward"
    final = given[name] = final_names(folded, reserved, given.get(ahead))
    spelling.taken = frozenset(final.values())
    written = emitter(folded, final, spelling)
    arguments = ast.arguments(
        [], [ast.arg(final[p]) for p in function.parameters], None, [], [], None, []
    )
    return written.definition(name, arguments), written


def names_of_others(bodies: Sequence[Block], spelling: Spelling) -> set[str]:
    """The names by which programs call functions that aren't procedures."""
    applied = (a.function for body in bodies for s in walk(body) for a in operations(s))
    others = {id(f): f for f in applied if not isinstance(f, Procedure)}
    return set(map(spelling.first_name, others.values()))


def names_of_procedures(
    procedures: Sequence[Procedure], taken: Sequence[str]
) -> dict[Procedure, str]:
    """The names under which the text defines procedures."""
    found: dict[Procedure, str] = {}
    for procedure in procedures:
        wish = name = procedure.__name__
        count = 1
        while name in (*taken, *found.values()):
            count += 1
            name = f"{wish}_{count}"
        found[procedure] = name
    return found


def spelling_for(specialised: Specialised) -> Spelling:
    """How the output spells outside objects: as the user's module does."""
    spec = specialised.specialiser
    modules = {
        value.__name__: spelled
        for value, spelled in spec.spellings.items()
        if isinstance(value, type(sys)) and "." not in spelled
    }
    names = {
        value: spelled
        for value, spelled in spec.spellings.items()
        if not isinstance(value, type(sys))
    }
    return Spelling(
        names,
        spec.main_module,
        modules,
        objects=dict(spec.objects),
        cells=dict(spec.cells),
    )
