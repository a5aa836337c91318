"""Activity: which variables depend on the independents and influence the result.

Only active variables have an adjoint. Source: Griewank and Walther, Evaluating
Derivatives (2nd ed.), section 6.2; Hascoet and Pascual, The Tapenade tool (2013),
section 4.

>>> import operator
>>> y = ir.Assign(None, ir.Var("y"), ir.Apply(operator.mul, (ir.Var("x"), ir.Var("a"))))
>>> z = ir.Assign(None, ir.Var("z"), ir.Apply(operator.mul, (ir.Var("a"), ir.Var("a"))))
>>> body = (y, z, ir.Return(None, ir.Var("y")))
>>> sorted(active_variables(body, {"x"}, {"y"}, lambda name: True))
['x', 'y']
"""

from collections.abc import Callable, Iterable, Set
from typing import Any

from s2sad import ir, ops, rules
from s2sad.analysis.dataflow.reachable import reachable
from s2sad.analysis.passes.purity import does, writes_kept
from s2sad.rules.steps.shape_queries import SHAPE_QUERIES


def carries_derivative(value: ir.Apply | object) -> bool:
    """False for operations whose derivative is zero (comparisons, shapes,
    ``np.sign``)."""
    if isinstance(value, ir.Apply):
        if value.function in SHAPE_QUERIES:
            return False
        rule = rules.rule_for(value.function)
        return rule is None or rule.differentiates
    return True


def differentiated_operands(value: Any) -> Iterable[ir.Var]:
    """The variables in an operation or operand on which its derivative depends."""
    if isinstance(value, ir.Apply) and isinstance(value.function, rules.OwnRule):
        rule = value.function.rule
        bound = rule.arguments_of(value.args, dict(value.keywords))
        given = (bound[n] for n in rule.differentiable if n in bound)
        return (v for operand in given for v in ir.operand_variables(operand))
    return ir.value_variables(value)


def _edges(statement: ir.Statement) -> tuple[Set[str], Set[str]]:
    """The variables read and written by a statement through which derivatives flow."""
    sources, targets = ir.value_flow(statement)
    if isinstance(statement, ir.Assign):
        followed = carries_derivative(statement.value)
        operands = differentiated_operands(statement.value) if followed else ()
        sources = frozenset(v.name for v in operands)
    return sources, targets


def _edges_of_adjoints(
    statement: ir.Statement, is_adjoint: Callable[[str], bool]
) -> Iterable[tuple[Set[str], Set[str]]]:
    """From what is added to a slot to the structure, and from a part of a structure to
    the whole."""
    if isinstance(statement, ir.Effect):
        if statement.value.function in ops.ADDS_TO_ADJOINTS:
            adjoint, *_, amount = statement.value.args
            into = frozenset(v.name for v in ir.operand_variables(adjoint))
            yield frozenset(v.name for v in ir.operand_variables(amount)), into
        return
    sources, targets = ir.value_flow(statement)
    if any(map(is_adjoint, (*sources, *targets))):
        yield targets, sources


SLOTS = ".slots"
"""Stands for the slots that a program stores into."""
_AT_SLOTS = (*ops.READS_OF_REFERENCES, *ops.STORES_INTO_SLOTS, *ops.ADDS_TO_ADJOINTS)
"""What reads or changes a slot of its first argument."""


def edges_of_slots(body: ir.Block) -> Iterable[tuple[Set[str], Set[str]]]:
    """From what is stored into slots to whatever is read from or added to, in a program
    that stores into slots: any two references may lead to one value."""
    slots = frozenset([SLOTS])
    done = [o for s in ir.walk(body) for o in ir.operations(s)]
    stores = [o for o in done if may_store(o.function)]
    if not stores:
        return
    for operation in stores:
        yield frozenset(v.name for v in ir.value_variables(operation)), slots
    for operation in done:
        holders: Iterable[ir.Operand] = ()
        if isinstance(operation.function, ir.Procedure):
            holders = operation.args
        elif operation.function in _AT_SLOTS:
            holders = operation.args[:1]
        for holder in holders:
            names = frozenset(v.name for v in ir.operand_variables(holder))
            yield names, slots
            yield slots, names


def may_store(function: Any) -> bool:
    """True for a store into a slot, and for a procedure that may store into some, or
    write into arrays that stand there."""
    if isinstance(function, ir.Procedure):
        return does(function, ops.STORES_INTO_SLOTS) or writes_kept(function)
    return function in ops.STORES_INTO_SLOTS


def active_variables(
    body: ir.Block,
    independents: Iterable[str],
    dependents: Iterable[str],
    may_vary: Callable[[str], bool],
    is_adjoint: Callable[[str], bool] = lambda name: False,
) -> set[str]:
    """The variables that are varied and useful.

    ``may_vary`` says whether a variable's kind can carry a derivative. Variables are
    webs, so the answer for a whole variable is nearly that for each place.
    ``is_adjoint`` says which are references to structures that are added to: what one
    of them gets, all have that lead to it.
    """
    edges = [_edges(statement) for statement in ir.walk(body)]
    for statement in ir.walk(body):
        edges += _edges_of_adjoints(statement, is_adjoint)
    edges += edges_of_slots(body)
    varied = _reachable(edges, independents, may_vary)
    backwards = [(targets, sources) for sources, targets in edges]
    useful = _reachable(backwards, dependents, lambda name: True)
    return (varied & useful) - {SLOTS}


def varied_variables(
    body: ir.Block, independents: Iterable[str], may_vary: Callable[[str], bool]
) -> set[str]:
    """The variables that depend on the independents."""
    edges = [*map(_edges, ir.walk(body)), *edges_of_slots(body)]
    return _reachable(edges, independents, may_vary) - {SLOTS}


def _reachable(
    edges: list[tuple[Set[str], Set[str]]],
    start: Iterable[str],
    allowed: Callable[[str], bool],
) -> set[str]:
    following: dict[str, list[str]] = {}
    for sources, targets in edges:
        for source in sources:
            following.setdefault(source, []).extend(targets)
    return reachable(following, start, allowed)
