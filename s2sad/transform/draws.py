"""Random draws that have no derivative, of parameters that vary.

``rng.poisson(rate * x)`` takes steps where ``x`` varies, and no derivative of the
result says how its distribution changes: zero would be wrong in the mean.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from s2sad.analysis.activity import varied_variables
from s2sad.frontend.specialise.exceptions import Unsupported
from s2sad.ir.kinds import is_real_number_kind
from s2sad.ir.nodes import Apply, Function, Statement, function_name
from s2sad.ir.walking import operand_variables, operations, walk
from s2sad.rules.registry import rule_for

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


def check_draws(function: Function, independents: Iterable[str], spec: Any) -> None:
    """Refuse draws without a derivative whose parameters vary."""
    found = [(s, a, n) for s in walk(function.body) for a, n in _refused(s)]
    if not found:
        return

    def may_vary(name: str) -> bool:
        kind = function.kinds.get(name)
        return kind is None or is_real_number_kind(kind)

    varied = varied_variables(function.body, independents, may_vary)
    for statement, operation, names in found:
        rule = rule_for(operation.function)
        assert rule is not None
        bound = rule.arguments_of(operation.args, dict(operation.keywords))
        for name in names:
            operands = operand_variables(bound[name]) if name in bound else ()
            if any(variable.name in varied for variable in operands):
                drawn = function_name(operation.function)
                advice = "draw with parameters that don't vary, and weight the result"
                problem = Unsupported(
                    None,
                    f"{drawn} draws what has no derivative with respect to {name!r}, "
                    "and that varies here",
                    _ADVICE.get(drawn, advice),
                )
                spec.report_at(problem, statement.span)
                break
    spec.raise_problems()


def _refused(statement: Statement) -> Iterator[tuple[Apply, tuple[str, ...]]]:
    for operation in operations(statement):
        rule = rule_for(operation.function)
        if rule is not None and rule.refused:
            yield operation, rule.refused
