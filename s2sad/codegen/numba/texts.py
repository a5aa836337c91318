"""A derivative's programs to text for Numba: the passes, in their order.

Takes programs after all optimisations; gives the derivative, with the text of the
module that Numba compiles beside the text that is shown.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
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
from s2sad.codegen.numba.border import Core, parted
from s2sad.codegen.numba.emission import NumbaEmitter
from s2sad.codegen.numba.lists import forward_sums, lists, repeated_counts, saved_arrays
from s2sad.codegen.numba.loops.parallel_loops import with_parallel_loops
from s2sad.codegen.numba.numbers import absent_values, settled_kinds, whole_powers
from s2sad.codegen.numba.options import NumbaOptions
from s2sad.codegen.numba.refusals import Finding, findings, findings_of_calls
from s2sad.codegen.python import emit, spelling
from s2sad.frontend.specialise import Specialised
from s2sad.frontend.specialise.core.exceptions import Unsupported
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.source.text.source_function import SourceFunction

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
    options: NumbaOptions,
    kinds: Mapping[str, ir.Kind],
    static: bool,
) -> Derivative:
    """The derivative of these programs, of a function that was specialised on
    ``kinds``; ``static``: for a transpiled file. Raises UnsupportedError, with the
    lines of the user's, for what Numba doesn't know."""
    spec = specialised.specialiser
    outside = definitions.spelling_for(specialised)
    definitions.reserve_names(outside, functions, ())
    names = definitions.names_beside(names, outside)
    inside = spelling.Spelling({}, "", outside.own_modules)
    borders: list[ast.stmt] = []
    border_spans: list[ir.Span | None] = []
    cores: list[ast.stmt] = []
    core_names: list[str] = []
    emitters: list[NumbaEmitter] = []
    used = [n for name in names for n in (name, f"{name}_compiled")]
    definitions.reserve_names(outside, (), used)
    for function, name in zip(functions, names, strict=True):
        core, border, called = _parts(
            function, f"{name}_compiled", spec, options, static
        )
        spec.raise_problems()
        core_name = name
        if border is not None:
            assert called is not None
            core_name = called.__name__
            outside.objects[core_name] = outside.meanings[core_name] = called
            definition, written = definitions.definition_of(
                border, name, used, outside, {}, emit.Emitter
            )
            borders.append(definition)
            border_spans += places.spans_of(definition, written.spans)
        core_names.append(core_name)
        if border is not None:
            core = replace(core, docstring=f"What {name} has compiled by Numba.")
        definition, emitter = definitions.definition_of(
            core, core_name, used, inside, {}, NumbaEmitter
        )
        cores.append(definition)
        assert isinstance(emitter, NumbaEmitter)
        emitters.append(emitter)
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
    core_text = layout.render([*cores, *helpers.values()])
    border_text = layout.render(borders) if borders else ""
    text = layout.render([*borders, *cores, *helpers.values()])
    module = compiled.module_text(core_text, inside.modules)
    shift = len(module.splitlines()) - len(core_text.splitlines())
    core_spans = tuple(
        span
        for core, emitter in zip(cores, emitters, strict=True)
        for span in places.spans_of(core, emitter.spans)
    )
    known = places.lines_of(layout.render(cores), core_spans)
    spans = tuple((line + shift, span) for line, span in known if span is not None)
    # the border spells what it needs by the user's names, the core by its own
    outside.modules |= inside.modules
    functions_of_module = (*core_names, *helpers)
    numba = NumbaText(
        module=module,
        borders=border_text,
        entries=tuple(names),
        cores=tuple(core_names),
        options=options,
        functions=functions_of_module,
        spans=spans,
        border_spans=tuple(border_spans),
    )
    reads, source = specialised.all_reads, spec.frame.source
    return Derivative(names[0], text, outside, reads, source, kinds, numba=numba)


def _parts(
    function: ir.Function,
    name: str,
    spec: Specialiser,
    options: NumbaOptions,
    static: bool,
) -> tuple[ir.Function, ir.Function | None, Core | None]:
    """The core and the border of a program, after all passes. What Numba doesn't know
    is reported."""
    split = parted(function, name, spec.module.kinds, always=static)
    core = split.core
    for parameter in split.unparted:
        reason = f"`{parameter}` is used as a whole, which Numba can't take"
        problem = Unsupported(None, reason, 'pass its parts, or choose backend="numpy"')
        spec.report_at(problem, None)
    for finding in findings_of_calls(programs.Facts(core)):
        _report(finding, spec)
    if spec.problems:
        return core, None, None
    core = error_states.without_quiet_states(core)
    core = messages.with_plain_messages(absent_values.with_values_for_none(core))
    core = settled_kinds.with_settled_kinds(core)
    dump("settled_kinds", core)
    for finding in findings(programs.Facts(core), before=True):
        _report(finding, spec)
    if spec.problems:
        return core, None, None
    core = known_calls.with_known_calls(core)
    core = lists.with_typed_lists(core)
    dump("typed_lists", core)
    core = array_loops.with_array_loops(core)
    dump("array_loops", core)
    core = repeated_counts.with_repeated_counts(core)
    core = saved_arrays.with_saved_arrays(core)
    dump("saved_arrays", core)
    core = arrays_of_iterations.with_arrays_of_iterations(core)
    dump("arrays_of_iterations", core)
    core = forward_sums.with_forward_sums(core)
    dump("forward_sums", core)
    core = whole_powers.with_whole_powers(core)
    core = with_parallel_loops(core, options.parallel)
    for finding in findings(programs.Facts(core)):
        _report(finding, spec)
    return core, split.border, split.called


def _report(finding: Finding, spec: Specialiser) -> None:
    at = finding.statement
    problem = Unsupported(None, finding.reason, finding.advice)
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
