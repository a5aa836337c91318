"""The functions that a text defines: their names, how they spell what is outside, and
the definition of each."""

import ast
import builtins
import os
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from s2sad import ir
from s2sad.analysis.passes.dump import dump
from s2sad.codegen.python import emit, folding, naming, unpacking
from s2sad.codegen.python.spelling import Spelling, data_names
from s2sad.errors import VerificationError
from s2sad.frontend.specialise import Specialised


def definition_of(
    function: ir.Function,
    name: str,
    names: Sequence[str],
    spelling: Spelling,
    given: dict[str, Mapping[str, str]],
    emitter: type[emit.Emitter],
) -> tuple[ast.FunctionDef, emit.Emitter]:
    """The definition of one of the functions that a text defines under ``names``;
    ``given`` are the names of variables in those that were written before."""
    unpacked = unpacking.with_unpacking(function, of_arrays=emitter.runs_over_items)
    folded = folding.fold(unpacked)
    dump("fold", folded)
    applied = (a.function for s in ir.walk(folded.body) for a in ir.operations(s))
    called = set(map(spelling.first_name, {id(f): f for f in applied}.values()))
    reserved = {
        *(n.split(".")[0] for n in spelling.own_modules.values()),
        *(n.split(".")[0] for n in spelling.own_names.values()),
        *called,
        *spelling.reserved,
        *names,
        "np",
        "math",
    }
    ahead = f"{name.removesuffix('_reverse')}_forward"
    final = given[name] = naming.final_names(folded, reserved, given.get(ahead))
    spelling.taken = frozenset(final.values())
    written = emitter(folded, final, spelling)
    arguments = ast.arguments(
        [], [ast.arg(final[p]) for p in function.parameters], None, [], [], None, []
    )
    definition = written.definition(name, arguments)
    if os.environ.get("S2SAD_VERIFY") == "1":
        _verify_names(definition, spelling)
    return definition, written


def _verify_names(definition: ast.FunctionDef, spelling: Spelling) -> None:
    """Raise VerificationError for a name that is no variable and that nobody gave a
    meaning, or that has one but is hidden."""
    own = {a.arg for a in definition.args.args}
    read: set[str] = set()
    for node in ast.walk(definition):
        if isinstance(node, ast.Name):
            (read if isinstance(node.ctx, ast.Load) else own).add(node.id)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            own.add(node.name)
    outside = {*spelling.meanings, *spelling.data, *spelling.procedures.values()}
    for name in sorted(read - own - outside):
        raise VerificationError(f"{definition.name}: {name} is read without a meaning")
    for name in sorted(read & own - spelling.taken & outside):
        raise VerificationError(f"{definition.name}: {name} has two meanings")


def reserve_names(
    spelling: Spelling, functions: Iterable[ir.Function], names: Iterable[str]
) -> None:
    """Let no name mean something else that the text defines, or by which its programs
    read data."""
    modules = set(spelling.own_modules.values())
    read = set().union(*map(data_names, functions)) - modules
    spelling.reserved |= read | {*names}


def names_beside(names: Sequence[str], spelling: Spelling) -> list[str]:
    """The names of derivatives, others where the user's module has data that the text
    reads by them."""
    if spelling.namespace is None:  # the file's own, which says so
        return list(names)
    return [_numbered(name, spelling.reserved) for name in names]


def _numbered(wish: str, taken: Iterable[str]) -> str:
    name, count, taken = wish, 1, frozenset(taken)
    while name in taken:
        count += 1
        name = f"{wish}_{count}"
    return name


def names_of_others(bodies: Sequence[ir.Block], spelling: Spelling) -> set[str]:
    """The names by which programs call functions that aren't procedures."""
    applied = (
        a.function for body in bodies for s in ir.walk(body) for a in ir.operations(s)
    )
    others = {id(f): f for f in applied if not isinstance(f, ir.Procedure)}
    return set(map(spelling.first_name, others.values()))


def names_of_procedures(
    procedures: Sequence[ir.Procedure], taken: Sequence[str]
) -> dict[ir.Procedure, str]:
    """The names under which the text defines procedures: none that Python has, which
    lines of the text may call."""
    found: dict[ir.Procedure, str] = {}
    taken = (*taken, *dir(builtins))
    alike = Counter(procedure.short for procedure in procedures)
    for procedure in procedures:
        taken = (*taken, *found.values())
        alone = alike[procedure.short] == 1
        wish = procedure.short if alone else procedure.__name__
        found[procedure] = _numbered(wish, taken)
    return found


def spelling_for(specialised: Specialised) -> Spelling:
    """How the output spells outside objects: as the user's module does."""
    spec = specialised.specialiser
    modules = {
        value.__name__: spelled
        for value, spelled in spec.module.spellings.items()
        if isinstance(value, type(sys)) and "." not in spelled
    }
    names = {
        value: spelled
        for value, spelled in spec.module.spellings.items()
        if not isinstance(value, type(sys))
    }
    resolver, static = spec.module.resolver, spec.options.static
    return Spelling(
        names,
        spec.module.name,
        modules,
        namespace=None if static else lambda name: resolver.resolve(name).value,
        reserved=frozenset((*spec.module.closures, *spec.module.objects)),
        meanings=dict(spec.module.objects),
        objects=dict(spec.module.objects),
        cells=dict(spec.module.closures),
    )
