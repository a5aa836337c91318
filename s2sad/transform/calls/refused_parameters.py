"""Parameters that have a derivative which nobody can give, where they vary.

``rng.poisson(rate * x)`` takes steps where ``x`` varies, and no derivative of the
result says how its distribution changes: zero would be wrong in the mean. The
derivative of ``scipy.special.jv(order, x)`` by its order has no closed form. Rules name
such parameters in ``refused``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from s2sad import ir, rules
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
    """Refuse calls in which parameters without a derivative vary."""
    found = [(s, a, r) for s in ir.walk(function.body) for a, r in _refusing(s)]
    if not found:
        return

    def may_vary(name: str) -> bool:
        kind = function.kinds.get(name)
        return kind is None or ir.is_real_number_kind(kind)

    varied = varied_variables(function.body, independents, may_vary)
    for statement, operation, rule in found:
        bound = rule.arguments_of(operation.args, dict(operation.keywords))
        for name in rule.refused:
            operands = ir.operand_variables(bound[name]) if name in bound else ()
            if any(variable.name in varied for variable in operands):
                spec.report_at(_problem(operation, rule, name), statement.span)
                break
    spec.raise_problems()


def _refusing(statement: ir.Statement) -> Iterator[tuple[ir.Apply, rules.Rule]]:
    for operation in ir.operations(statement):
        rule = rules.rule_for(operation.function)
        if rule is not None and rule.refused:
            yield operation, rule


def _problem(operation: ir.Apply, rule: rules.Rule, name: str) -> core.Unsupported:
    given = operation.function
    if rule.draws or isinstance(given, GivenDraw):
        drawn = (
            given.drawn_by if isinstance(given, GivenDraw) else ir.function_name(given)
        )
        advice = "draw with parameters that don't vary, and weight the result"
        return core.Unsupported(
            None,
            f"{drawn} draws what has no derivative with respect to {name!r}, and that "
            "varies here",
            _ADVICE.get(drawn, advice),
        )
    return core.Unsupported(
        None,
        f"the derivative of {qualified_name(operation.function)} with respect to "
        f"{name!r} isn't known, and that varies here",
        f"pass what doesn't vary as {name}, or s2sad.stop_gradient of it where its "
        "derivative shall be left out",
    )
