"""Parameters that have a derivative which nobody can give, where they vary.

``rng.poisson(rate * x)`` takes steps where ``x`` varies, and no derivative of the
result says how its distribution changes: zero would be wrong in the mean. The
derivative of ``scipy.special.jv(order, x)`` by its order has no closed form. Rules name
such parameters in ``refused``.
"""

from collections.abc import Iterable, Mapping, Set

from s2sad import ir, rules
from s2sad.analysis.dataflow.through_calls import NO_CALLS, Calls, Property, in_calls
from s2sad.analysis.passes.all_kinds import with_all_kinds
from s2sad.analysis.reverse.activity import varied_variables
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
    function: ir.Function, independents: Iterable[str], spec: Specialiser
) -> None:
    """Refuse calls in which parameters without a derivative vary, also in procedures
    whose results take no derivative, such as counts."""
    called = ir.all_procedures([function.body], lambda p: not _is_differentiated(p))
    procedures = list(filter(_is_differentiated, called))
    programs = (function, *(p.function for p in procedures))
    if not any(_refusing(s) for f in programs for s in ir.walk(f.body)):
        return
    given = frozenset(independents)
    calls = in_calls(_VARIES, function, given)
    _check_program(function, given, spec)
    for procedure in procedures:
        _check_program(procedure.function, calls[procedure].given, spec)
    spec.raise_problems()


def _is_differentiated(procedure: ir.Procedure) -> bool:
    """False for a derivative, and for what the user gives one of."""
    details = procedure.details
    own = details is not None and not details.made and procedure.given is None
    return own and ir.is_complete(procedure)


def _varied_in(
    function: ir.Function, given: Set[str], calls: Calls = NO_CALLS
) -> frozenset[str]:
    kinds = with_all_kinds(function).kinds

    def may_vary(name: str) -> bool:
        kind = kinds.get(name)
        return kind is None or ir.is_real_number_kind(kind)

    return frozenset(varied_variables(function.body, given, may_vary))


def _is_varied(
    operand: ir.Operand, varied: Set[str], kinds: Mapping[str, ir.Kind]
) -> bool:
    return any(v.name in varied for v in ir.operand_variables(operand))


_VARIES = Property("varies", _varied_in, _is_varied)


def _check_program(function: ir.Function, given: Set[str], spec: Specialiser) -> None:
    found = [(s, a, r) for s in ir.walk(function.body) for a, r in _refusing(s)]
    varied = _varied_in(function, given) if found else frozenset()
    for statement, operation, rule in found:
        bound = rule.arguments_of(operation.args, dict(operation.keywords))
        for name in rule.refused:
            operands = ir.operand_variables(bound[name]) if name in bound else ()
            if any(variable.name in varied for variable in operands):
                spec.report_at(_problem(operation, rule, name), statement.span)
                break


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
