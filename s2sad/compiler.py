"""The recipes: which passes run, in which order, for each kind of derivative."""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace


from s2sad.codegen.emit import Emitter
from s2sad.codegen.folding import fold
from s2sad.codegen.layout import render
from s2sad.codegen.naming import final_names
from s2sad.codegen.spelling import Spelling
from s2sad.frontend.source import SourceFunction
from s2sad.frontend.specialise import Specialised, specialise
from s2sad.frontend.specialise.context import Read
from s2sad.frontend.specialise.values import constant
from s2sad.ir.kinds import Kind
from s2sad.ir.nodes import Function, function_name, operations, walk
from s2sad.ir.text import function_text
from s2sad.optimise import pipeline
from s2sad.optimise.in_place import own_written_buffers
from s2sad.rules.load import load_all
from s2sad.transform.gradient import (
    check_result,
    gradient_function,
    primal_function,
    sweeps,
)


@dataclass(frozen=True)
class Derivative:
    """A derivative as text, with all that it needs to run."""

    name: str
    text: str
    spelling: Spelling
    reads: tuple[Read, ...]
    """What compilation read of the user's module; dispatch checks that it is unchanged."""
    source: SourceFunction


@dataclass(frozen=True)
class Request:
    """Which derivative of a function to compile."""

    wrt: tuple[str, ...]
    single: bool = True
    """The bare gradient instead of a tuple."""
    value: bool = False
    """The value is returned too."""


def compile_gradient(
    source: SourceFunction,
    kinds: Mapping[str, Kind],
    request: Request,
    *,
    switched_off: frozenset[str] = frozenset(),
    static: bool = False,
) -> Derivative:
    """The gradient of a function for arguments of these kinds."""
    load_all()
    specialised = specialise(source, kinds, static=static)
    dump("specialise", specialised.function)
    check_result(specialised.result_kind, source.name)
    function = primal_function(specialised)
    dump("webs", function)
    both = sweeps(
        specialised,
        function,
        request.wrt,
        constant(1.0),
        recompute="recompute" not in switched_off,
    )
    gradient = gradient_function(
        both,
        request.wrt,
        single=request.single,
        value=request.value,
        parameters=function.parameters,
    )
    dump("reverse", gradient)
    gradient = pipeline.optimised(gradient, switched_off, dump)
    suffix = "value_and_grad" if request.value else "grad"
    name = f"{_identifier(source.name)}_{suffix}"
    what = "Value and gradient" if request.value else "Gradient"
    wrt = _listed(request.wrt)
    docstring = f"{what} of {source.name} with respect to {wrt}."
    return emit(replace(gradient, docstring=docstring), name, specialised)


def emit(function: Function, name: str, specialised: Specialised) -> Derivative:
    """The text of a program."""
    source = specialised.function and specialised.specialiser.frame.source
    spelling = spelling_for(specialised, function, name)
    folded = fold(own_written_buffers(function))
    dump("fold", folded)
    called = {function_name(a.function) for s in walk(folded.body) for a in operations(s)}
    reserved = {
        *(n.split(".")[0] for n in spelling.own_modules.values()),
        *(n.split(".")[0] for n in spelling.own_names.values()),
        *called,
        name,
        "np",
        "math",
    }
    names = final_names(folded, reserved)
    spelling.taken = frozenset(names.values())
    emitter = Emitter(folded, names, spelling)
    arguments = ast.arguments(
        [], [ast.arg(p) for p in function.parameters], None, [], [], None, []
    )
    definition = emitter.definition(name, arguments)
    text = render([definition])
    return Derivative(
        name, text, spelling, specialised.reads + _later_reads(specialised), source
    )


def _later_reads(specialised: Specialised) -> tuple[Read, ...]:
    known = len(specialised.reads)
    return tuple(specialised.specialiser.reads[known:])


def spelling_for(specialised: Specialised, function: Function, name: str) -> Spelling:
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
    return Spelling(names, spec.main_module, modules)


def _listed(names: tuple[str, ...]) -> str:
    if len(names) == 1:
        return names[0]
    return ", ".join(names[:-1]) + " and " + names[-1]


def _identifier(name: str) -> str:
    return name if name.isidentifier() else "function"


def dump(stage: str, function: Function) -> None:
    """Print the program after a pass, if S2SAD_DUMP names the pass or is ``all``."""
    wanted = os.environ.get("S2SAD_DUMP", "")
    if wanted and (wanted == "all" or stage in wanted.split(",")):
        print(f"# after {stage}\n{function_text(function)}\n", file=sys.stderr)


