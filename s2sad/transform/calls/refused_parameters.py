"""What has a derivative that nobody can give, where it varies: parameters of functions,
and what is computed from keys, members and texts.

``rng.poisson(rate * x)`` takes steps where ``x`` varies, and no derivative of the
result says how its distribution changes: zero would be wrong in the mean. The
derivative of ``scipy.special.jv(order, x)`` by its order has no closed form. Rules name
such parameters in ``refused``.
"""

from collections.abc import Iterable, Iterator, Mapping, Set
from functools import partial
from typing import Any

from s2sad import ir, rules
from s2sad.analysis.dataflow.through_calls import (
    NO_CALLS,
    Calls,
    Property,
    in_calls,
    results_in,
)
from s2sad.analysis.passes.all_kinds import with_all_kinds
from s2sad.analysis.reverse import numbers_in_keys
from s2sad.analysis.reverse.activity import varied_variables
from s2sad.analysis.reverse.numbers_in_keys import IN_SLOTS
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.derivatives.given_draws import GivenDraw
from s2sad.frontend.specialise.run_time import storing
from s2sad.source.text.libraries import qualified_name

_ADVICE = {
    "choice": "draw the places with integers or permutation(n), and index",
    "permutation": "draw an order with permutation(n), and index",
    "permuted": "draw an order with permutation(n), and index",
    "multivariate_normal": "compute mean + factor @ rng.standard_normal(n), with a "
    "Cholesky factor of the covariance",
    "triangular": "transform rng.random()",
    "pareto": "transform rng.random()",
    "power": "transform rng.random()",
    "weibull": "transform rng.standard_exponential()",
}


def check_refused(
    function: ir.Function,
    independents: Iterable[str],
    spec: Specialiser,
    called: bool = False,
) -> None:
    """Refuse calls in which parameters without a derivative vary, also in procedures
    whose results take no derivative, such as counts. ``called``: the function is one of
    them, and may return what has none."""
    every = ir.all_procedures([function.body], lambda p: not _is_differentiated(p))
    procedures = list(filter(_is_differentiated, every))
    programs = (function, *(p.function for p in procedures))
    given: Set[str] = frozenset(independents)
    names = _read_of_objects(spec, function, given)
    if not any(_may_refuse(s, names) for f in programs for s in ir.walk(f.body)):
        return
    varied_in = partial(_varied_in, names)
    varies = Property("varies", varied_in, _is_varied)
    calls = in_calls(varies, function, given)

    def each() -> Iterator[tuple[ir.Function, Set[str]]]:
        yield function, varied_in(function, given, calls)
        for p in procedures:
            yield p.function, varies.variables(p.function, calls[p].given, calls)

    stored = frozenset().union(*(varied & IN_SLOTS for _, varied in each()))
    if stored:  # another program may read them
        given = given | stored
        varies = Property("varies", partial(_varied_with, names, stored), _is_varied)
        calls = in_calls(varies, function, given)
    for program, varied in each():
        _check_program(program, varied, spec, names)
    if not called:
        _check_result(function, varied_in(function, given, calls), spec)
    spec.raise_problems()


def _is_differentiated(procedure: ir.Procedure) -> bool:
    """False for a derivative, and for what the user gives one of."""
    details = procedure.details
    own = details is not None and not details.made and procedure.given is None
    return own and ir.is_complete(procedure)


def _read_of_objects(
    spec: Specialiser, function: ir.Function, given: Set[str]
) -> frozenset[str]:
    """The attributes and methods of objects that are differentiated, or that the
    program stores into: what is read by them of a key or a member, which may be such an
    object, has no derivative, and is as it was given."""
    kinds: list[ir.Kind] = [function.kinds.get(name, ir.OPAQUE) for name in given]
    if not given <= {*function.parameters}:
        kinds += spec.kinds_given  # parts of what is taken apart
    classes = {form.constructor for kind in kinds for form in _of_objects(kind)} | {
        form.constructor
        for kind in spec.kinds_given
        for form in _of_objects(kind)
        if storing.names_of_stored(spec, ir.Reference((form,)))
    }
    attributes = {
        str(key)
        for kind in spec.kinds_given
        for form in _of_objects(kind)
        if form.constructor in classes
        for key in form.keys
    }
    methods = {
        name for cls in classes for name in dir(cls) if not name.startswith("__")
    }
    return frozenset(attributes | methods)


def _of_objects(kind: ir.Kind) -> Iterator[ir.Form]:
    """The forms of the objects that a value holds at any depth."""
    if isinstance(kind, ir.Structure):
        if not _is_container(kind.constructor):
            yield ir.Form(kind.constructor, kind.keys)
        for item in kind.items:
            yield from _of_objects(item)
        return
    for form in ir.forms_in(kind):
        if not form.is_value and not _is_container(form.constructor):
            yield form


def _is_container(cls: Any) -> bool:
    """False also for a class of which only the text is read."""
    return isinstance(cls, type) and issubclass(cls, ir.CONTAINERS)


def _varied_in(
    names: Set[str], function: ir.Function, given: Set[str], calls: Calls = NO_CALLS
) -> frozenset[str]:
    """What depends on parameters that vary, and what holds such numbers as keys."""
    kinds = with_all_kinds(function).kinds

    def may_vary(name: str) -> bool:
        kind = kinds.get(name)
        return kind is None or ir.is_real_number_kind(kind)

    varied = varied_variables(function.body, given, may_vary)
    returned = (n for s in ir.walk(function.body) for n in results_in(s, calls))
    holders = numbers_in_keys.holding_numbers(
        function.body, varied, kinds, [*given, *returned], names
    )
    return frozenset(varied | holders)


def _varied_with(
    names: Set[str],
    more: Set[str],
    function: ir.Function,
    given: Set[str],
    calls: Calls,
) -> frozenset[str]:
    return _varied_in(names, function, given | more, calls)


def _is_varied(
    operand: ir.Operand, varied: Set[str], kinds: Mapping[str, ir.Kind]
) -> bool:
    return any(v.name in varied for v in ir.operand_variables(operand))


def _check_program(
    function: ir.Function, varied: Set[str], spec: Specialiser, names: Set[str]
) -> None:
    for statement in ir.walk(function.body):
        for operation, rule in _refusing(statement):
            bound = rule.arguments_of(operation.args, dict(operation.keywords))
            for name in rule.refused:
                operands = ir.operand_variables(bound[name]) if name in bound else ()
                if any(variable.name in varied for variable in operands):
                    spec.report_at(_problem(operation, rule, name), statement.span)
                    break
    kinds = with_all_kinds(function).kinds
    body = function.body
    for statement in numbers_in_keys.computed_from(body, varied, kinds, names):
        spec.report_at(_of_keys(), statement.span)


def _check_result(function: ir.Function, varied: Set[str], spec: Specialiser) -> None:
    """Refuse what is computed from keys without a kind of its own."""
    last = function.body[-1]
    kinds = with_all_kinds(function).kinds
    for name in ir.names_read(last):
        if name in varied and numbers_in_keys.may_hold(kinds.get(name)):
            spec.report_at(_of_keys(), last.span)


def _of_keys() -> core.Unsupported:
    return core.Unsupported(
        "this computes with a number that varies and was a key of a dict, a member of "
        "a set or part of a text: those carry no derivative",
        "keep the number as a value, too, and compute with that",
    )


def _may_refuse(statement: ir.Statement, names: Set[str]) -> bool:
    read = numbers_in_keys.reads_of_objects(statement, names)
    return read or numbers_in_keys.puts_in(statement) or bool(_refusing(statement))


def _refusing(statement: ir.Statement) -> list[tuple[ir.Apply, rules.Rule]]:
    pairs = [(a, rules.rule_for(a.function)) for a in ir.operations(statement)]
    return [(a, rule) for a, rule in pairs if rule is not None and rule.refused]


def _problem(operation: ir.Apply, rule: rules.Rule, name: str) -> core.Unsupported:
    given = operation.function
    if rule.draws or isinstance(given, GivenDraw):
        drawn = (
            given.drawn_by if isinstance(given, GivenDraw) else ir.function_name(given)
        )
        advice = "draw with parameters that don't vary, and weight the result"
        return core.Unsupported(
            f"{drawn} draws what has no derivative with respect to {name!r}, and that "
            "varies here",
            _ADVICE.get(drawn, advice),
        )
    return core.Unsupported(
        f"the derivative of {qualified_name(operation.function)} with respect to "
        f"{name!r} isn't known, and that varies here",
        f"pass what doesn't vary as {name}, or s2sad.stop_gradient of it where its "
        "derivative shall be left out",
    )
