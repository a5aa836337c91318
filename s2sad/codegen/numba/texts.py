"""A derivative's programs to text for Numba: the passes, in their order.

Takes programs after all optimisations; gives the derivative, with the text of the
module that Numba compiles beside the text that is shown.
"""

import ast
from collections.abc import Hashable, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from pathlib import Path

import s2sad.rules
from s2sad import errors, ir
from s2sad.analysis.passes.dump import dump
from s2sad.codegen import definitions, helper_sources, layout, places
from s2sad.codegen.derivative import Derivative, NumbaText
from s2sad.codegen.numba import compiled, error_states, known_calls, messages, programs
from s2sad.codegen.numba.arrays import array_loops, arrays_of_iterations
from s2sad.codegen.numba.border import Parted, parted
from s2sad.codegen.numba.calls import (
    handed_data,
    handed_lists,
    handed_parts,
    listed_calls,
    residuals,
)
from s2sad.codegen.numba.emission import NumbaEmitter
from s2sad.codegen.numba.lists import counters, forward_sums, lists, saved_arrays
from s2sad.codegen.numba.loops.parallel_loops import with_parallel_loops
from s2sad.codegen.numba.numbers import absent_values, settled_kinds, whole_powers
from s2sad.codegen.numba.options import NumbaOptions
from s2sad.codegen.numba.refusals import Finding, findings
from s2sad.codegen.python import emit, spelling
from s2sad.frontend.specialise import Specialised
from s2sad.frontend.specialise.core.exceptions import RefusedAsCalls, Unsupported
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.source.text.source_function import SourceFunction
from s2sad.transform.calls.refused_calls import written_out_instead

UNWANTED = frozenset(
    (
        *("list_cotangents", "element_numbers", "inner_lists"),
        *("added_parts", "contractions", "plain_indices", "joint_stacks"),
    )
)
"""Optimisations that are for Python's own speed: lists instead of arrays, Python's
numbers instead of NumPy's, parts and contractions instead of arrays that loops join,
indices instead of calls."""


def emitted(
    functions: Sequence[ir.Function],
    names: Sequence[str],
    specialised: Specialised,
    called: programs.Programs,
    options: NumbaOptions,
    kinds: Mapping[str, ir.Kind],
    static: bool,
) -> Derivative:
    """The derivative of these programs, and of the procedures that they call, of a
    function that was specialised on ``kinds``; ``static``: for a transpiled file.
    Raises UnsupportedError, with the lines of the user's, for what Numba doesn't know,
    and RefusedAsCalls where it might know it with calls written out."""
    spec = specialised.specialiser
    outside = definitions.spelling_for(specialised)
    definitions.reserve_names(outside, functions, ())
    names = definitions.names_beside(names, outside)
    inside = spelling.Spelling({}, "", outside.own_modules)
    borders: list[ast.stmt] = []
    border_spans: list[ir.Span | None] = []
    cores: list[tuple[ir.Function, str]] = []
    used = [n for name in names for n in (name, f"{name}_compiled")]
    definitions.reserve_names(outside, (), used)
    split, called = _compilable(functions, names, called, spec, options, static)
    for parts, name in zip(split, names, strict=True):
        core, core_name = parts.core, name
        if parts.border is not None:
            assert parts.called is not None
            core_name = parts.called.__name__
            outside.objects[core_name] = outside.meanings[core_name] = parts.called
            definition, written = definitions.definition_of(
                parts.border, name, used, outside, {}, emit.Emitter
            )
            borders.append(definition)
            border_spans += places.spans_of(definition, written.spans)
            core = replace(core, docstring=f"What {name} has compiled by Numba.")
        cores.append((core, core_name))
    core_names = [name for _, name in cores]
    inside.procedures = _names_of_called(called, cores, used, inside)
    cores += [(f, inside.procedures[p]) for p, f in called.items()]
    used += inside.procedures.values()
    core_definitions: list[ast.stmt] = []
    core_spans: list[ir.Span | None] = []
    given: dict[str, Mapping[str, str]] = {}
    for core, name in cores:
        definition, emitter = definitions.definition_of(
            core, name, used, inside, given, NumbaEmitter
        )
        core_definitions.append(definition)
        core_spans += places.spans_of(definition, emitter.spans)
    modules = {module: name for name, module in inside.modules.items()}
    helpers = helper_sources.helper_definitions(
        inside.helpers.values(), {"numpy": "np", "math": "math"} | modules
    )
    for name, called_helper in inside.helpers.items():
        if name not in helpers:  # a variable has its own name
            helpers[name] = deepcopy(helpers[called_helper.__name__])
            helpers[name].name = name
    for helper in helpers.values():
        for node in ast.walk(helper):
            if isinstance(node, ast.Name) and node.id in ("np", "math"):
                inside.modules.setdefault(
                    node.id, {"np": "numpy", "math": "math"}[node.id]
                )
    core_text = layout.render([*core_definitions, *helpers.values()])
    border_text = layout.render(borders) if borders else ""
    text = layout.render([*borders, *core_definitions, *helpers.values()])
    module = compiled.module_text(core_text, inside.modules)
    shift = len(module.splitlines()) - len(core_text.splitlines())
    known = places.lines_of(layout.render(core_definitions), tuple(core_spans))
    spans = tuple((line + shift, span) for line, span in known if span is not None)
    # the border spells what it needs by the user's names, the core by its own
    outside.modules |= inside.modules
    numba = NumbaText(
        module=module,
        borders=border_text,
        entries=tuple(names),
        cores=tuple(core_names),
        options=options,
        functions=(*(name for _, name in cores), *helpers),
        spans=spans,
        border_spans=tuple(border_spans),
        kept=frozenset(spec.procedures.kept) if called else frozenset(),
    )
    reads, source = specialised.all_reads, spec.frame.source
    return Derivative(names[0], text, outside, reads, source, kinds, numba=numba)


def _names_of_called(
    called: programs.Programs,
    cores: Sequence[tuple[ir.Function, str]],
    used: Sequence[str],
    inside: spelling.Spelling,
) -> dict[ir.Procedure, str]:
    functions = [*(core for core, _ in cores), *called.values()]
    others = definitions.names_of_others([f.body for f in functions], inside)
    parameters = {p for f in functions for p in f.parameters}
    taken = (*used, *others, *parameters)
    return definitions.names_of_procedures(tuple(called), taken)


def _compilable(
    functions: Sequence[ir.Function],
    names: Sequence[str],
    called: programs.Programs,
    spec: Specialiser,
    options: NumbaOptions,
    static: bool,
) -> tuple[list[Parted], programs.Programs]:
    """The programs, parted from their borders, and the procedures that they call, after
    all passes, in the order of the text."""
    data = spec.module.kinds
    pullback = len(functions) > 1
    functions = list(map(handed_parts.with_named_parts, functions))
    called = {p: handed_parts.with_named_parts(f) for p, f in called.items()}
    wholes, called = handed_data.with_data_handed_on(functions, called, data)
    typed = residuals.with_typed_residuals(wholes, called)
    wholes, called = typed.functions, typed.called
    calls: ir.Var | None = None
    if pullback and typed.listed:
        calls = _name_in_all("calls", wholes)
        wholes = handed_lists.handing_lists_of_calls(wholes, calls)
    split = [
        parted(f, f"{name}_compiled", data, always=static)
        for f, name in zip(wholes, names, strict=True)
    ]
    refused: set[Hashable] = set()

    def checked(
        core: ir.Function,
        procedure: ir.Procedure | None,
        unparted: Sequence[str] = (),
    ) -> ir.Function:
        before = len(spec.problems)
        for parameter in unparted:
            reason = f"`{parameter}` is used as a whole, which Numba can't take"
            advice = 'pass its parts, or choose backend="numpy"'
            spec.report_at(Unsupported(reason, advice), None)
        if not unparted:
            core = _after_passes(core, spec, options, procedure, pullback)
        if len(spec.problems) > before:
            refused.update(written_out_instead(spec, core, procedure))
        return core

    split = [replace(p, core=checked(p.core, None, p.unparted)) for p in split]
    called = {p: checked(f, p) for p, f in called.items()}
    if spec.problems and refused:
        raise RefusedAsCalls(tuple(spec.problems), frozenset(refused))
    spec.raise_problems()
    cores = [parts.core for parts in split]
    cores, called = listed_calls.with_listed_calls(cores, called, typed.listed, calls)
    if pullback:
        kept = {str(v) for v in residuals.residuals_of(wholes[0]).items}
        cores[0] = handed_lists.with_typed_lists_returned(cores[0], kept)
        cores[1] = handed_lists.with_plain_lists(cores[1])
    split = [replace(p, core=core) for p, core in zip(split, cores, strict=True)]
    return split, {p: called[p] for p in ir.in_order_of_text(tuple(called))}


def _name_in_all(wish: str, functions: Sequence[ir.Function]) -> ir.Var:
    """A variable that none of the functions has."""
    taken: set[str] = set()
    for f in functions:
        uses = ir.uses_in(f.body)
        taken |= {*f.parameters, *f.kinds, *uses.reads, *uses.writes}
    while wish in taken:
        wish += "_"
    return ir.Var(wish)


def _after_passes(
    core: ir.Function,
    spec: Specialiser,
    options: NumbaOptions,
    procedure: ir.Procedure | None,
    pullback: bool,
) -> ir.Function:
    """A core after all passes. What Numba doesn't know is reported."""
    reported = len(spec.problems)
    core = error_states.without_quiet_states(core)
    core = absent_values.with_values_for_none(core, procedure)
    core = messages.with_plain_messages(core)
    core = settled_kinds.with_settled_kinds(core)
    dump("settled_kinds", core)
    for finding in findings(programs.Facts(core), before=True):
        _report(finding, spec)
    if len(spec.problems) > reported:
        return core
    core = known_calls.with_known_calls(core)
    core = lists.with_typed_lists(core)
    dump("typed_lists", core)
    core = array_loops.with_array_loops(core)
    dump("array_loops", core)
    core = counters.with_repeated_counts(core)
    core = saved_arrays.with_saved_arrays(core, lists=procedure is not None or pullback)
    dump("saved_arrays", core)
    core = arrays_of_iterations.with_arrays_of_iterations(core)
    dump("arrays_of_iterations", core)
    core = forward_sums.with_forward_sums(core)
    dump("forward_sums", core)
    core = whole_powers.with_whole_powers(core)
    core = with_parallel_loops(core, options.parallel)
    for finding in findings(programs.Facts(core)):
        _report(finding, spec)
    return core


def _report(finding: Finding, spec: Specialiser) -> None:
    at = finding.statement
    problem = Unsupported(finding.reason, finding.advice)
    spec.report_at(problem, None if at is None else at.span)
    spec.problems[-1] = _without_rules(spec.problems[-1], spec.frame.source)


def _without_rules(problem: errors.Problem, main: SourceFunction) -> errors.Problem:
    """A problem without the calls of rules that wrote a line, which are no part of the
    user's program."""
    node = main.node
    last = node.end_lineno or node.lineno
    if problem.filename == main.filename and node.lineno <= problem.line <= last:
        return replace(problem, trail=())
    own = str(Path(s2sad.rules.__file__).parent)
    return replace(problem, trail=tuple(t for t in problem.trail if own not in t))
