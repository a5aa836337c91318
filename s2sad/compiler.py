"""The recipes: which passes run, in which order, for each kind of derivative."""

import ast
import functools
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from s2sad import errors, ir
from s2sad.analysis.numbers.lengths_of_lists import free_lengths
from s2sad.analysis.passes import copies, dead_code, purity
from s2sad.analysis.passes.dump import dump
from s2sad.analysis.reverse.costs import COMPILED, IN_PYTHON, Prices
from s2sad.codegen import called_definitions, layout, places
from s2sad.codegen.definitions import (
    definition_of,
    names_beside,
    names_of_others,
    names_of_procedures,
    reserve_names,
    spelling_for,
)
from s2sad.codegen.derivative import Derivative, Request, SpecialisedProgram
from s2sad.codegen.python.emit import Emitter
from s2sad.codegen.python.releases import arrays_that_count, with_releases
from s2sad.frontend.specialise import Specialised, core, specialise
from s2sad.frontend.specialise.control.local_values import arguments_with_locals
from s2sad.frontend.specialise.core.work import counted_together
from s2sad.frontend.specialise.results import ADVICE, without_derivative
from s2sad.optimise import pipeline
from s2sad.optimise.buffers import destination_passing, ownership
from s2sad.optimise.collected_items import with_collected_items
from s2sad.optimise.collected_tuples import with_collected_tuples
from s2sad.optimise.deques import with_deques
from s2sad.optimise.loops_over_kept import with_loops_over_kept
from s2sad.rules.load import load_all
from s2sad.source.text.source_function import SourceFunction
from s2sad.transform.calls import branch_residuals
from s2sad.transform.calls.cotangents_of_calls import (
    with_cotangents_taken,
    with_cotangents_unpacked,
    without_empty_results,
)
from s2sad.transform.calls.given_derivatives import without_given_calls
from s2sad.transform.calls.partial_derivatives import called_in, without_unread_values
from s2sad.transform.calls.refused_calls import laid_to_calls
from s2sad.transform.exceptions.parted_attempts import with_attempts_apart
from s2sad.transform.forward.linearised import NotSplit, run_again, split_tangents
from s2sad.transform.forward.tangents import (
    fresh_parameter,
    with_tangent_beside_aux,
    with_tangents,
    without_tangent_of_aux,
)
from s2sad.transform.programs.derivative_programs import ProgramsOfTransforms
from s2sad.transform.programs.primal_programs import primal_function
from s2sad.transform.programs.webs import split_webs
from s2sad.transform.reverse.gradient import (
    SEED,
    Sweeps,
    check_result,
    gradient_function,
    sweeps,
    with_number_checked,
)
from s2sad.transform.reverse.split import seed_of, split_sweeps
from s2sad.transform.run_time.unread_adjoints import without_unread_adjoints
from s2sad.transform.sparsity.dependencies import with_dependencies


class _Compilation:
    """One function specialised on kinds, and the recipes that start from it."""

    def __init__(
        self,
        source: SourceFunction,
        kinds: Mapping[str, ir.Kind],
        request: Request,
        switched_off: frozenset[str],
        static: bool,
        private: bool = False,
        final: bool = False,
        raises: bool = True,
    ) -> None:
        load_all()
        if request.numba is not None:
            from s2sad.codegen.numba.texts import UNWANTED

            switched_off |= UNWANTED
        self.request, self.switched_off = request, switched_off
        self.static, self.source = static, source
        options = core.Options(
            static=static,
            unrolling="unrolling" not in switched_off,
            keyed_heaps="keyed_heaps" not in switched_off,
            shared_calls="common_subexpressions" not in switched_off,
            preaccumulated_calls="preaccumulation" not in switched_off,
            recompute="recompute" not in switched_off,
            cancelling="cancelling" not in switched_off,
            chosen_iterations="chosen_iterations" not in switched_off,
            results_at_hand="results_at_hand" not in switched_off,
            known_tests="known_tests" not in switched_off,
            stored_slots="stored_slots" not in switched_off,
            change_within="inner_lists" not in switched_off,
            private_residuals=private,
            calls=calls_of(request, switched_off),
            written_out=request.written_out,
            keeps_raises=raises,
            data_lists=request.data_lists,
        )
        retained = tuple(name for name in request.wrt if name not in kinds)
        self.specialised, self.kinds = _specialised(source, kinds, options, retained)
        dump("specialise", self.specialised.function)
        spec, function = self.specialised.specialiser, self.specialised.function
        with laid_to_calls(spec, function):
            self.function = primal_function(self.specialised, final=final)
        dump("webs", self.function)
        self.name = _identifier(source.name)
        if retained:
            found = arguments_with_locals(self.specialised, self.function, retained)
            self.specialised = replace(self.specialised, arguments=found)

    def optimised(
        self, function: ir.Function, procedure: ir.Procedure | None = None
    ) -> ir.Function:
        """The program after all optimisations."""
        function = without_given_calls(function, self.specialised.specialiser)
        function = with_cotangents_taken(function)
        return pipeline.optimised(function, self.switched_off, dump, procedure)

    def sweeps(
        self,
        seed: core.Value,
        seed_lines: ir.Block = (),
        *,
        value: bool = True,
        again: bool = False,
        at_once: bool = False,
    ) -> Sweeps:
        """Both sweeps; ``value``: somebody reads what the function returns; ``again``:
        they are differentiated; ``at_once``: one function runs both."""
        return sweeps(
            self.specialised,
            self.function,
            self.request.wrt,
            seed,
            seed_lines,
            recompute="recompute" not in self.switched_off,
            value=value,
            again=again,
            as_given=True,
            prices=self.prices,
            at_once=at_once,
        )

    @property
    def prices(self) -> Prices:
        """What numbers cost where the derivative runs."""
        return IN_PYTHON if self.request.numba is None else COMPILED

    @property
    def differentiated(self) -> Specialised:
        """The function without what it returns beside its result."""
        if not self.request.has_aux:
            return self.specialised
        result = self.specialised.result
        if not core.is_pair(result):
            raise errors.ArgumentError(
                f"has_aux=True, so that {self.name} must return a pair (result, aux), "
                f"not {core.describe(result)}"
            )
        first = result.items[0]
        return replace(self.specialised, result=first, result_kind=core.kind_of(first))

    def check_derivative(self) -> None:
        """Raise ArgumentError where nothing that the function returns has one."""
        found = without_derivative(self.differentiated.result)
        if found is not None:
            raise errors.ArgumentError(
                f"{self.name} returns {found}, which has no derivative: {ADVICE}"
            )

    def whole_seed(self, seed: core.Value) -> core.Value:
        """The cotangent of all that the function returns."""
        if not self.request.has_aux:
            return seed
        return core.aggregate_of((seed, core.constant(None)))

    def seed_parameter(self, name: str) -> tuple[core.Value, ir.Block]:
        """The cotangent of the result as a parameter, and the lines that take it
        apart."""
        known = self.differentiated
        kinds = {**self.function.kinds, name: known.result_kind}
        self.function = replace(self.function, kinds=kinds)
        seed, lines = seed_of(name, known)
        return self.whole_seed(seed), lines

    def gradient(self, *, again: bool = False) -> ir.Function:
        """The gradient as one program, not optimised yet; ``again``: it is
        differentiated."""
        seed: core.Value = self.whole_seed(core.constant(1.0))
        lines: ir.Block = ()
        parameters = self.function.parameters
        self.check_derivative()
        if self.request.seeded:
            name = fresh_parameter(SEED, self.function)
            seed, lines = self.seed_parameter(name)
            parameters = (*parameters, name)
        else:
            check_result(self.differentiated.result_kind, self.name)
        value = self.request.value or self.request.has_aux
        at_once = not again and self.request.numba is None
        both = self.sweeps(seed, lines, value=value, again=again, at_once=at_once)
        if not self.request.seeded:
            both = with_number_checked(both, self.differentiated.result_kind)
        return gradient_function(
            both,
            single=self.request.single,
            value=self.request.value,
            parameters=parameters,
            has_aux=self.request.has_aux,
        )

    def pushed(self) -> ir.Function:
        """The value and its tangent as one program, not optimised yet."""
        self.check_derivative()
        function = with_tangents(self.specialised, self.function, self.request.wrt)
        if self.differentiated is not self.specialised:
            function = without_tangent_of_aux(function)
        dump("forward", function)
        return function

    def hvp_by_reversal(self) -> ir.Function:
        """The gradient of the tangent: reverse over forward. A program whose procedures
        hand residuals on is pushed forward more easily before it is reversed."""
        wrt = self.request.wrt
        self.check_derivative()
        pushed = split_webs(with_tangents(self.specialised, self.function, wrt))
        pushed = dead_code.remove_dead_code(copies.propagate_copies(pushed))
        # beside each line that may raise stands that of its tangent
        pushed = with_attempts_apart(pushed, self.specialised.specialiser.fresh)
        dump("forward", pushed)
        check_result(self.differentiated.result_kind, self.name)
        seeds = (
            self.whole_seed(core.constant(None)),
            self.whole_seed(core.constant(1.0)),
        )
        both = sweeps(
            self.specialised,
            pushed,
            wrt,
            core.aggregate_of(seeds),
            recompute="recompute" not in self.switched_off,
            value=self.request.has_aux,
            as_given=True,
            prices=self.prices,
        )
        if self.request.has_aux:
            assert isinstance(both.result, ir.Pack)
            both = replace(both, result=both.result.items[0])
        return gradient_function(
            both,
            single=self.request.single,
            value=False,
            parameters=pushed.parameters,
            has_aux=self.request.has_aux,
        )

    def documented(self, function: ir.Function, what: str) -> ir.Function:
        """With a docstring that says what the function computes."""
        text = f"{what} of {self.name} with respect to {_listed(self.request.wrt)}."
        return replace(function, docstring=text)


def calls_of(request: Request, switched_off: frozenset[str]) -> core.Calls:
    """What becomes of the calls of the user's functions. Turns of a loop that call
    pairs don't run at the same time, for pairs keep residuals."""
    if request.numba is not None and request.numba.parallel:
        return "written out"
    return "kept" if "inlining" in switched_off else "budget"


def _specialised(
    source: SourceFunction,
    kinds: Mapping[str, ir.Kind],
    options: core.Options,
    retained: tuple[str, ...],
) -> tuple[Specialised, Mapping[str, ir.Kind]]:
    """The specialised function, and the kinds with the axes that had to be assumed
    equal."""
    names = (
        f"{letter}{count or ''}" for count in itertools.count() for letter in "nmkpq"
    )
    while True:
        try:
            programs = ProgramsOfTransforms()
            return specialise(source, kinds, programs, options, retained), kinds
        except core.AxesAssumedEqual as assumed:
            pair = (assumed.first, assumed.second)
            named = [s for s in pair if isinstance(s, tuple) and s[0] == "dim"]
            shared = named[0] if named else ("dim", next(names))
            for old in pair:
                kinds = {
                    name: ir.with_symbol_renamed(kind, old, shared)
                    for name, kind in kinds.items()
                }


class _Compiles(Protocol):
    """Compiles a derivative of a function for arguments of some kinds."""

    def __call__(
        self,
        source: SourceFunction,
        kinds: Mapping[str, ir.Kind],
        request: Request,
        *,
        switched_off: frozenset[str] = frozenset(),
        static: bool = False,
    ) -> Derivative: ...


def _recipe(
    raises: bool | None = True, private: bool = False, final: bool = False
) -> Callable[[Callable[[_Compilation], Derivative]], _Compiles]:
    """A derivative by a recipe that starts from the specialised function, with calls
    kept, and where that is refused again with them written out: nothing is refused
    because a call, or data of the module, is kept. The parameters are those of
    _Compilation; ``raises`` None: where the value is returned."""

    def decorate(recipe: Callable[[_Compilation], Derivative]) -> _Compiles:
        @functools.wraps(recipe)
        @counted_together()
        def compile_with(
            source: SourceFunction,
            kinds: Mapping[str, ir.Kind],
            request: Request,
            *,
            switched_off: frozenset[str] = frozenset(),
            static: bool = False,
        ) -> Derivative:
            first: errors.UnsupportedError | None = None
            if request.numba is not None:
                switched_off -= {"unrolling"}
                request = replace(request, data_lists=core.DataLists("apart"))
            elif "scalar_replacement" in switched_off:
                request = replace(request, data_lists=core.DataLists("kept"))
            keeps = request.value if raises is None else raises
            while True:
                try:
                    inputs = (source, kinds, request, switched_off, static)
                    return recipe(_Compilation(*inputs, private, final, keeps))
                except core.RefusedAsCalls as refused:
                    first = first or errors.UnsupportedError(refused.problems)
                    written_out = request.written_out | refused.functions
                    request = replace(request, written_out=written_out)
                except core.TooMuchWork:
                    if first is None:
                        raise
                    raise first from None
                except errors.UnsupportedError as refused:
                    if "unrolling" in switched_off:  # a body needs known items
                        switched_off -= {"unrolling"}
                        continue
                    if not request.data_lists.met:
                        raise
                    first = first or refused
                    request = replace(request, data_lists=core.DataLists("open"))

        return compile_with

    return decorate


@_recipe(raises=None)
def compile_gradient(job: _Compilation) -> Derivative:
    """The gradient of a function for arguments of these kinds."""
    gradient = job.gradient()
    dump("reverse", gradient)
    gradient = job.optimised(gradient)
    what = "Value and gradient" if job.request.value else "Gradient"
    suffix = "value_and_grad" if job.request.value else "grad"
    function = job.documented(gradient, what)
    names = [f"{job.name}_{suffix}"]
    return emit([function], names, job, joint=True, unchecked=True)


@_recipe()
def compile_pushforward(job: _Compilation) -> Derivative:
    """``f_jvp(*primals, *tangents) -> (value, tangent)``, one tangent for each of
    ``wrt``."""
    function = job.documented(job.optimised(job.pushed()), "Value and tangent")
    return emit([function], [f"{job.name}_jvp"], job)


@_recipe()
def compile_linearized(job: _Compilation) -> Derivative:
    """``f_linearize(*primals) -> (value, residuals)`` and ``f_tangent(residuals,
    *tangents)``. Where they can't be parted, the second runs the function again, and
    the residuals are its arguments."""
    function = job.pushed()
    count = len(job.function.parameters)
    tangents = function.parameters[count:]
    try:
        forward, linear = split_tangents(split_webs(function), tangents, job.optimised)
    except NotSplit:
        forward, linear = run_again(job.function, function, tangents, job.optimised)
    forward = job.documented(forward, "Value and residuals of the tangents")
    linear = job.documented(linear, "Tangent")
    return emit(
        [forward, linear], [f"{job.name}_linearize", f"{job.name}_tangent"], job
    )


@_recipe(raises=False)
def compile_hvp(job: _Compilation) -> Derivative:
    """``f_hvp(*primals, *tangents)``: the Hessian times the tangents, forward over
    reverse."""
    job.request = replace(job.request, value=False)
    if any(p.given is None for p in ir.called_procedures(job.function.body)):
        function = job.documented(job.hvp_by_reversal(), "Hessian-vector product")
        return emit([job.optimised(function)], [f"{job.name}_hvp"], job, joint=True)
    has_aux = job.request.has_aux
    gradient = split_webs(job.gradient(again=True))
    gradient = dead_code.remove_dead_code(copies.propagate_copies(gradient))
    dump("reverse", gradient)
    function = with_tangents(
        job.specialised, gradient, job.request.wrt, value=has_aux, over_reverse=True
    )
    if has_aux:
        function = with_tangent_beside_aux(function)
    function = without_unread_adjoints(function)
    dump("forward", function)
    function = job.documented(job.optimised(function), "Hessian-vector product")
    return emit([function], [f"{job.name}_hvp"], job, joint=True)


@_recipe(raises=False)
def compile_structure(job: _Compilation) -> Derivative:
    """``f_structure(*primals, graph)``: what each element of the result depends on."""
    function = with_dependencies(job.specialised, job.function, job.request.wrt[0])
    dump("dependencies", function)
    function = job.documented(job.optimised(function), "Structure of the Jacobian")
    return emit([function], [f"{job.name}_structure"], job)


@_recipe(final=True, raises=False)
def compile_primal(job: _Compilation) -> Derivative:
    """The function itself; what it differentiates inside is written out."""
    named = isinstance(job.source.node, ast.FunctionDef)
    docstring = ast.get_docstring(job.source.node) if named else None  # type: ignore[arg-type]
    function = replace(job.function, docstring=docstring or "")
    repeatable = all(
        purity.is_pure(operation.function)
        for s in ir.walk(function.body)
        for operation in ir.operations(s)
    )
    function = job.optimised(without_unread_adjoints(function))
    return replace(emit([function], [job.name], job), repeatable=repeatable)


def specialised_program(
    source: SourceFunction, kinds: Mapping[str, ir.Kind], wrt: tuple[str, ...]
) -> SpecialisedProgram:
    """The program of a function for arguments of these kinds, nothing differentiated or
    optimised."""
    job = _Compilation(
        source, kinds, Request(wrt), frozenset(), static=False, raises=False
    )
    spelling = spelling_for(job.specialised)
    procedures = tuple(ir.all_procedures([job.function.body]))
    spelling.procedures = names_of_procedures(procedures, [job.name])
    return SpecialisedProgram(
        replace(job.function, name=job.name), job.specialised, spelling
    )


@_recipe(private=True)
def compile_vjp(job: _Compilation) -> Derivative:
    """``f_forward(*primals) -> (value, residuals)`` and ``f_reverse(residuals,
    gradient)``.

    The reverse function only reads its residuals, so it may be called any number of
    times.
    """
    job.check_derivative()
    name = fresh_parameter(SEED, job.function)
    both = job.sweeps(*job.seed_parameter(name))
    forward, reverse = split_sweeps(
        both, job.function, job.request.single, name, job.optimised, outermost=True
    )
    forward = job.documented(forward, "Value and residuals of the pullback")
    reverse = job.documented(reverse, "Pullback")
    names = [f"{job.name}_forward", f"{job.name}_reverse"]
    return emit([forward, reverse], names, job)


def emit(
    functions: Sequence[ir.Function],
    names: Sequence[str],
    job: _Compilation,
    *,
    joint: bool = False,
    unchecked: bool = False,
) -> Derivative:
    """The text of one or two programs; the first gives its name to the derivative.
    ``joint``: both sweeps are one program, which keeps nothing for another;
    ``unchecked``: the first may check arguments itself."""
    specialised = job.specialised
    source = specialised.specialiser.frame.source
    spelling = spelling_for(specialised)
    definitions: list[ast.FunctionDef] = []
    spans: dict[int, places.Spans] = {}
    programs = called_in(functions, job.optimised)
    functions, programs = without_unread_values(functions, programs, job.optimised)
    functions, programs, owned = ownership.with_own_data(
        functions, programs, job.switched_off
    )
    if "destination_passing" not in job.switched_off:
        functions, programs = destination_passing.hand_buffers(
            functions, programs, owned
        )
    if job.request.numba is not None:
        from s2sad.codegen.numba.texts import emitted

        return emitted(
            functions,
            names,
            specialised,
            programs,
            job.request.numba,
            job.kinds,
            job.static,
        )
    if "list_cotangents" not in job.switched_off:
        functions = list(map(with_collected_items, functions))
        functions = list(map(with_collected_tuples, functions))
        programs = {p: with_collected_items(one) for p, one in programs.items()}
    programs = with_cotangents_unpacked(programs)
    if "loops_over_kept" not in job.switched_off:
        functions, programs = with_loops_over_kept(functions, programs)
    if "deques" not in job.switched_off:
        functions = list(map(with_deques, functions))
        programs = {p: with_deques(one) for p, one in programs.items()}
    programs = branch_residuals.with_residuals_of_branches(programs)
    functions, programs = without_empty_results(functions, programs)
    programs = {p: programs[p] for p in ir.in_order_of_text(tuple(programs))}
    own = len(functions)
    functions = [*functions, *programs.values()]
    reserve_names(spelling, functions, ())
    names = names_beside(names, spelling)
    outside = names_of_others([f.body for f in functions], spelling) if programs else ()
    parameters = (p for f in functions for p in f.parameters)
    captured = _captured(source)  # what the text has from there hides what it defines
    taken = (*names, *outside, *parameters, *captured, *spelling.reserved)
    spelling.procedures = names_of_procedures(tuple(programs), taken)
    names = [*names, *(spelling.procedures[p] for p in programs)]
    spelling.forget(called_definitions.names_of_users(programs) - {*outside})
    reserve_names(spelling, functions, names)
    given: dict[str, Mapping[str, str]] = {}
    kept = {n: kind for n, kind in job.kinds.items() if isinstance(kind, ir.Reference)}
    for function, name in zip(functions, names, strict=True):
        spelling.unchecked = kept if unchecked and not definitions else {}
        definition, written = definition_of(
            function, name, names, spelling, given, Emitter
        )
        if joint and not definitions and "release" not in job.switched_off:
            large = arrays_that_count(written.names, written.function.kinds)
            definition = with_releases(definition, large)
        definitions.append(definition)
        spans[id(definition)] = places.spans_of(definition, written.spans)
    called = {definition.name: definition for definition in definitions[own:]}
    family = called_definitions.Family(definitions[:own], called, spelling.procedures)
    joined = called_definitions.joined([family], taken)
    named = spelling.procedures.items()
    spelling.procedures = {p: joined.names[0][name] for p, name in named}
    definitions = list(joined.definitions.values())
    return Derivative(
        names[0],
        layout.render(definitions),
        spelling,
        specialised.all_reads,
        source,
        job.kinds,
        free_lengths(job.function, job.kinds),
        job.request.data_lists.form,
        checked=frozenset(spelling.checked),
        spans=tuple(span for d in definitions for span in spans[id(d)]),
    )


def _captured(source: SourceFunction) -> tuple[str, ...]:
    """The variables that a function captures."""
    function = getattr(source.function, "__func__", source.function)
    code = getattr(function, "__code__", None)
    return () if code is None else code.co_freevars


def _listed(names: tuple[str, ...]) -> str:
    if len(names) == 1:
        return names[0]
    return ", ".join(names[:-1]) + " and " + names[-1]


def _identifier(name: str) -> str:
    return name if name.isidentifier() else "function"
