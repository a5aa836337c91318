"""Infinite values: what may be inf or nan where the arguments are finite, and which
tangents may hold zeros by selection.

Both matter where a product of the two would be nan: ``0 * inf``. A function that masks
its result (``np.where``, ``maximum``) makes zeros of selected elements, and what stands
there was of no account::

    y = log(x)  # -inf at 0
    z = mul(x, y)  # nan
    r = where(x > 0, z, 0)
    # the cotangent of z is 0 where x is 0; times y, which may be infinite, it stays 0

Data counts as finite, except what the program asks itself (``np.isnan``).
"""

import math
import operator
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Set
from typing import Any

import numpy as np

from s2sad import ir, ops, rules
from s2sad.analysis.dataflow.reachable import reachable
from s2sad.analysis.dataflow.through_calls import NO_CALLS, Calls, Property, results_in
from s2sad.analysis.memory.view_operations import is_number, is_view_operation
from s2sad.analysis.reverse.activity import SLOTS, edges_of_slots
from s2sad.ops.runtime.scalars import log_of_base, power, quotient
from s2sad.ops.runtime.sequences import part_along_axis

Kinds = Mapping[str, ir.Kind]

_DIVISIONS = (operator.truediv, operator.mod, np.divide, np.remainder, np.fmod)
_POWERS = (operator.pow, pow, np.power, np.float_power)
RAISING = frozenset(
    {
        *(operator.truediv, operator.mod, math.log, math.log2, math.log10, math.log1p),
        *(math.exp, math.expm1, math.exp2, math.sinh, math.cosh, math.atanh),
        *(math.gamma, math.lgamma, math.ldexp),
    }
)
"""Functions that raise for Python's numbers where their partial derivatives would be
infinite."""
_NEVER_RAISING = (quotient, power, log_of_base)
"""Functions that give inf or nan for Python's numbers."""
_CHOOSING = (
    *(operator.getitem, ops.overwritten_part, part_along_axis, np.take, np.diagonal),
    *(np.take_along_axis, np.max, np.amax, np.min, np.amin, np.ptp, np.median),
    *(
        ops.without_item,
        ops.with_item_stored,
        ops.without_item_within,
        ops.with_item_stored_within,
    ),
)
"""Functions that leave out elements: the cotangents of these are zero, but no tangent
of the result is."""
_TESTS = (np.isnan, np.isfinite, np.isinf, math.isnan, math.isfinite, math.isinf)


def may_be_singular(
    body: ir.Block,
    kinds: Kinds,
    *,
    again: bool = False,
    given: Set[str] = frozenset(),
    calls: Calls = NO_CALLS,
) -> frozenset[str]:
    """The variables that may hold inf or nan; ``again``: or whose tangents may, where
    a derivative is differentiated again. ``given`` are parameters that may.

    >>> from s2sad.rules.load import load_all
    >>> load_all()
    >>> y = ir.Assign(None, ir.Var("y"), ir.Apply(np.log, (ir.Var("x"),)))
    >>> z = ir.Assign(
    ...     None, ir.Var("z"), ir.Apply(operator.mul, (ir.Var("x"), ir.Var("y")))
    ... )
    >>> sorted(may_be_singular((y, z), {}))
    ['y', 'z']
    """

    def sources_of(s: ir.Assign) -> Iterable[str]:
        if not isinstance(s.value, ir.Apply):
            return ir.names_written(s) if _is_infinite(s.value) else ()
        tested = ir.names_read(s) if s.value.function in _TESTS else []
        singular = _is_singular(s.value, s, kinds, again)
        infinite = results_in(s, calls) | (ir.names_written(s) if singular else set())
        return [*tested, *infinite]

    # what a call stores into slots may be read here
    slots = (known.given & {SLOTS} for known in calls.values())
    return _computed_from(body, kinds, sources_of, {*given}.union(*slots))


def behind_singular(body: ir.Block, kinds: Kinds) -> frozenset[str]:
    """The variables whose cotangents go on to a function with a partial derivative that
    may be infinite: its results, and what is computed from these.

    >>> from s2sad.rules.load import load_all
    >>> load_all()
    >>> y = ir.Assign(None, ir.Var("y"), ir.Apply(math.sqrt, (ir.Var("x"),)))
    >>> z = ir.Assign(
    ...     None, ir.Var("z"), ir.Apply(operator.mul, (ir.Var("x"), ir.Var("y")))
    ... )
    >>> sorted(behind_singular((y, z), {}))
    ['y', 'z']
    """

    found: dict[ir.Procedure, bool] = {}

    def is_singular(function: Callable[..., Any]) -> bool:
        if isinstance(function, ir.Procedure):
            if function not in found:
                found[function] = False  # as far as its calls of itself go
                operations = (
                    o for s in ir.walk(_body(function)) for o in ir.operations(s)
                )
                found[function] = any(is_singular(o.function) for o in operations)
            return found[function]
        rule = rules.rule_for(function)
        return rule is not None and rule.singular

    def sources_of(s: ir.Assign) -> Iterable[str]:
        singular = isinstance(s.value, ir.Apply) and is_singular(s.value.function)
        return ir.names_written(s) if singular else ()

    return _computed_from(body, kinds, sources_of)


def infinite_cotangents(function: ir.Function) -> Callable[[ir.Procedure, int], bool]:
    """Tells of the results of the procedures that a program calls whether their
    cotangents may be infinite in one of the calls: they go on to functions with a
    partial derivative that may be. Of what it doesn't call itself it may. What stands
    in slots any of them may read."""
    called = list(filter(ir.is_complete, ir.all_procedures([function.body])))
    singular = {p for p in called if any(_infinite_partials(p.function, ()))}
    while True:
        more = {p for p in called if any(_infinite_partials(p.function, singular))}
        if more == singular:
            break
        singular = more
    found: set[tuple[ir.Procedure, int]] = set()
    slots: set[str] = set()
    before = None
    while before != (len(found), len(slots)):
        before = len(found), len(slots)
        programs = [(function, [*slots])]
        for p in called:
            results = enumerate(ir.tuple_items(p.function.final.value))
            ends = [str(result) for k, result in results if (p, k) in found]
            programs.append((p.function, [*ends, *slots]))
        for program, ends in programs:
            ahead = _infinite_in(program, ends, singular)
            slots |= ahead & {SLOTS}
            found |= _results_of_calls(program, ahead)
    known = set(called)
    return lambda procedure, k: procedure not in known or (procedure, k) in found


def _infinite_in(
    function: ir.Function, ends: Iterable[str], singular: Container[Any]
) -> set[str]:
    """What may have an infinite cotangent in a program, if ``ends`` may, and partial
    derivatives of ``singular`` procedures may be infinite."""
    starts = {*ends}.union(*_infinite_partials(function, singular))
    made_of: dict[str, list[str]] = {}
    for sources, targets in _flow(function.body, function.kinds):
        for target in targets:
            made_of.setdefault(target, []).extend(sources)
    return reachable(made_of, starts)


def _results_of_calls(
    function: ir.Function, names: Container[str]
) -> set[tuple[ir.Procedure, int]]:
    """The results of calls in a program that some variables get."""
    return {
        (s.value.function, k)
        for s in ir.walk(function.body)
        if isinstance(s, ir.Assign) and isinstance(s.value, ir.Apply)
        if isinstance(s.value.function, ir.Procedure)
        for k, target in enumerate(ir.tuple_items(s.target))
        if str(target) in names
    }


def _infinite_partials(
    function: ir.Function, singular: Container[Any]
) -> Iterator[Set[str]]:
    """What lines read whose partial derivatives may be infinite, one after the
    other."""
    for s in ir.walk(function.body):
        if isinstance(s, ir.Assign) and isinstance(s.value, ir.Apply):
            called = s.value.function
            if called in singular or _is_singular(s.value, s, function.kinds, True):
                yield ir.names_read(s)


def _computed_from(
    body: ir.Block,
    kinds: Kinds,
    sources_of: Callable[[ir.Assign], Iterable[str]],
    given: Set[str] = frozenset(),
) -> frozenset[str]:
    """The variables that assignments are asked for, and all that is computed from
    them, and from what is given."""
    found: set[str] = set(given)
    following: dict[str, list[str]] = {}
    for sources, targets in _flow(body, kinds):
        for source in sources:
            following.setdefault(source, []).extend(targets)
    for s in ir.walk(body):
        if isinstance(s, ir.Assign):
            found.update(sources_of(s))
    return frozenset(reachable(following, found))


def _flow(
    body: ir.Block, kinds: Kinds
) -> Iterator[tuple[Iterable[str], Iterable[str]]]:
    """From what values are computed, and what: what is stored into a view is in the
    array, too, and what is stored into a slot in all that lead to it. Whether writes
    are seen as new values yet makes no difference."""

    def shared(names: Iterable[str], own: ir.Kind | None = None) -> list[str]:
        return [n for n in names if not is_number(own or kinds.get(n))]

    for s in ir.walk(body):
        sources, targets = ir.value_flow(s)
        yield sources, targets
        if isinstance(s, ir.Assign) and not (
            isinstance(s.value, ir.Apply) and not is_view_operation(s.value, kinds)
        ):
            yield shared(targets, s.kind), shared(sources)
    yield from edges_of_slots(body)


def may_be_masked(
    body: ir.Block, active: Set[str], given: Set[str] = frozenset()
) -> frozenset[str]:
    """The active variables whose tangents may hold zeros by selection: what a function
    that masks gives, and what follows from such variables alone. ``given`` are
    parameters of that sort.

    >>> from s2sad.rules.load import load_all
    >>> load_all()
    >>> y = ir.Assign(
    ...     None, ir.Var("y"), ir.Apply(np.maximum, (ir.Var("x"), ir.Const(0.0)))
    ... )
    >>> z = ir.Assign(None, ir.Var("z"), ir.Apply(np.sqrt, (ir.Var("y"),)))
    >>> total = ir.Assign(
    ...     None, ir.Var("t"), ir.Apply(operator.add, (ir.Var("z"), ir.Var("x")))
    ... )
    >>> sorted(may_be_masked((y, z, total), {"x", "y", "z", "t"}))
    ['y', 'z']
    """
    masked: set[str] = set(given)
    edges = []
    for s in ir.walk(body):
        sources, targets = (names & active for names in ir.value_flow(s))
        if not (sources and targets):
            continue
        if any(_masks(operation.function) for operation in ir.operations(s)):
            masked |= targets
        else:
            edges.append((sources, targets))
    grown = bool(masked)
    while grown:
        count = len(masked)
        for sources, targets in edges:
            if sources <= masked:
                masked |= targets
        grown = len(masked) > count
    return frozenset(masked)


def _masks(function: Callable[..., Any]) -> bool:
    """Whether a function masks its result, or a procedure, or what that calls, does."""
    if isinstance(function, ir.Procedure):
        return any(
            _masks(operation.function)
            for p in (function, *ir.all_procedures([_body(function)]))
            for s in ir.walk(_body(p))
            for operation in ir.operations(s)
            if not isinstance(operation.function, ir.Procedure)
        )
    rule = rules.rule_for(function)
    return rule is not None and rule.masking and rule.function not in _CHOOSING


def _body(procedure: ir.Procedure) -> ir.Block:
    return procedure.function.body if ir.is_complete(procedure) else ()


def _is_singular(call: ir.Apply, s: ir.Assign, kinds: Kinds, again: bool) -> bool:
    """Whether a function may give inf or nan for finite arguments; ``again``: or its
    derivative."""
    rule = rules.rule_for(call.function)
    if rule is None or not rule.singular:
        return False
    if _is_python_number(s, kinds) and call.function not in _NEVER_RAISING:
        if not again or call.function in RAISING:
            return False  # Python's own functions raise instead
    if call.function in _DIVISIONS:
        return not _is_number(call.args[1], lambda y: y != 0)
    if call.function in _POWERS:
        return not _is_number(call.args[1], lambda y: y >= 0 and y == int(y))
    return True


def _is_python_number(s: ir.Assign, kinds: Kinds) -> bool:
    if not isinstance(s.target, ir.Var):
        return False
    return isinstance(s.kind or kinds.get(s.target.name), ir.Scalar)


def _is_number(operand: ir.Operand, fits: Callable[[float], bool]) -> bool:
    """Whether an operand is a known number of which ``fits`` is true."""
    value = operand.value if isinstance(operand, ir.Const) else None
    return isinstance(value, int | float) and bool(fits(value))


def _is_infinite(value: object) -> bool:
    return isinstance(value, ir.Const) and (
        isinstance(value.value, float) and not math.isfinite(value.value)
    )


def _singular_in(
    function: ir.Function, given: Set[str], calls: Calls
) -> frozenset[str]:
    return may_be_singular(function.body, function.kinds, given=given, calls=calls)


def _singular_again_in(
    function: ir.Function, given: Set[str], calls: Calls
) -> frozenset[str]:
    return may_be_singular(
        function.body, function.kinds, again=True, given=given, calls=calls
    )


def _is_one_of(operand: ir.Operand, found: Set[str], kinds: Kinds) -> bool:
    variables = ir.operand_variables(operand)
    return _is_infinite(operand) or any(v.name in found for v in variables)


SINGULAR = Property("singular", _singular_in, _is_one_of)
"""It may be inf or nan."""
SINGULAR_AGAIN = Property("singular again", _singular_again_in, _is_one_of)
"""Or its tangent may be."""
