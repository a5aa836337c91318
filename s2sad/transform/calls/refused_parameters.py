"""What has a derivative that nobody can give, where it varies: parameters of functions,
and what is computed from keys, members and texts.

``rng.poisson(rate * x)`` takes steps where ``x`` varies, and no derivative of the
result says how its distribution changes: zero would be wrong in the mean. The
derivative of ``scipy.special.jv(order, x)`` by its order has no closed form. Rules name
such parameters in ``refused``.
"""

from collections.abc import Iterable, Iterator, Mapping, Set
from functools import partial

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
    if not any(_may_refuse(s) for f in programs for s in ir.walk(f.body)):
        return
    given: Set[str] = frozenset(independents)
    varies = Property("varies", _varied_in, _is_varied)
    calls = in_calls(varies, function, given)

    def each() -> Iterator[tuple[ir.Function, Set[str]]]:
        yield function, _varied_in(function, given, calls)
        for p in procedures:
            yield p.function, varies.variables(p.function, calls[p].given, calls)

    stored = frozenset().union(*(varied & IN_SLOTS for _, varied in each()))
    if stored:  # another program may read them
        given = given | stored
        varies = Property("varies", partial(_varied_with, stored), _is_varied)
        calls = in_calls(varies, function, given)
    for program, varied in each():
        _check_program(program, varied, spec)
    if not called:
        _check_result(function, _varied_in(function, given, calls), spec)
    spec.raise_problems()


def _is_differentiated(procedure: ir.Procedure) -> bool:
    """False for a derivative, and for what the user gives one of."""
    details = procedure.details
    own = details is not None and not details.made and procedure.given is None
    return own and ir.is_complete(procedure)


def _varied_in(
    function: ir.Function, given: Set[str], calls: Calls = NO_CALLS
) -> frozenset[str]:
    """What depends on parameters that vary, and what holds such numbers as keys."""
    kinds = with_all_kinds(function).kinds

    def may_vary(name: str) -> bool:
        kind = kinds.get(name)
        return kind is None or ir.is_real_number_kind(kind)

    varied = varied_variables(function.body, given, may_vary)
    returned = (n for s in ir.walk(function.body) for n in results_in(s, calls))
    holders = numbers_in_keys.holding_numbers(
        function.body, varied, kinds, [*given, *returned]
    )
    return frozenset(varied | holders)


def _varied_with(
    more: Set[str], function: ir.Function, given: Set[str], calls: Calls
) -> frozenset[str]:
    return _varied_in(function, given | more, calls)


def _is_varied(
    operand: ir.Operand, varied: Set[str], kinds: Mapping[str, ir.Kind]
) -> bool:
    return any(v.name in varied for v in ir.operand_variables(operand))


def _check_program(function: ir.Function, varied: Set[str], spec: Specialiser) -> None:
    for statement in ir.walk(function.body):
        for operation, rule in _refusing(statement):
            bound = rule.arguments_of(operation.args, dict(operation.keywords))
            for name in rule.refused:
                operands = ir.operand_variables(bound[name]) if name in bound else ()
                if any(variable.name in varied for variable in operands):
                    spec.report_at(_problem(operation, rule, name), statement.span)
                    break
    kinds = with_all_kinds(function).kinds
    for statement in numbers_in_keys.computed_from(function.body, varied, kinds):
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


def _may_refuse(statement: ir.Statement) -> bool:
    return numbers_in_keys.puts_in(statement) or bool(_refusing(statement))


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
