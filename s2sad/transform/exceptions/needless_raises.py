"""Lines that nobody needs and that may raise: where the value of a function is asked
for, so are its exceptions.

::

    z = truediv(1.0, x)                 z = truediv(1.0, x)
    y = mul(x, 2)             ->        evaluated(z)
    return y                            y = mul(x, 2)
                                        return y
"""

import itertools
import operator
from collections.abc import Hashable, Iterator, Mapping, Sequence, Set
from dataclasses import replace

from s2sad import ir, ops
from s2sad.analysis.dataflow import assigned, liveness, name_sets
from s2sad.analysis.passes.dead_code import must_run
from s2sad.ops.runtime import arguments, fitting
from s2sad.ops.runtime.results import require_array
from s2sad.rules.steps.shape_queries import axis_length
from s2sad.source.normalise.jumps import is_jump_flag
from s2sad.transform.adjoints.cotangent_table import own_name
from s2sad.transform.exceptions.raised_exceptions import FLOATING, raised_by, type_of

_ARITHMETIC = (operator.add, operator.sub, operator.mul, operator.neg)
_OWN_CHECKS = (require_array, arguments.require_plain, fitting.require_rank)
"""What refuses values that have no derivative, where the function raises nothing."""
_NUMBERS = frozenset(("array", "float", "numpy", "int", "small", "bool"))


def with_raises_kept(function: ir.Function) -> ir.Function:
    """The function with an effect behind each line of the user's that may raise and
    that nothing else needs."""
    function = with_names_checked(function, every=False)
    kinds = _kinds_of_variables(function)
    turns = {s.target.name for s in ir.walk(function.body) if isinstance(s, ir.For)}
    turns &= function.temporaries
    """What loops run over, where the user has no name for it."""
    bound = assigned.assigned_variables(function.body, function.parameters)

    def may_raise(s: ir.Statement) -> bool:
        if not isinstance(s, ir.Assign) or s.derived:
            return False
        if isinstance(s.value, ir.Var) and any(
            n[0] == "." for n in ir.names_written(s)
        ):
            return False  # where paths meet, not a line of the user's
        if not ir.names_read(s) <= bound.before.get(id(s), ir.names_read(s)):
            return True
        return not _surely_works(s, turns, kinds)

    def runs(s: ir.Statement) -> bool:
        return must_run(s) or may_raise(s)

    facts, analysis = liveness.live_variables(function.body, runs)

    def is_needed(s: ir.Statement) -> bool:
        if not isinstance(s, ir.Assign) or id(s) in analysis.attempted or must_run(s):
            return True
        return not facts.after.get(id(s), ir.names_written(s)).isdisjoint(
            ir.names_written(s)
        )

    copies: dict[ir.Operand, ir.Operand] = {
        s.target: s.value
        for s in ir.walk(function.body)
        if isinstance(s, ir.Assign)
        and isinstance(s.target, ir.Var)
        and isinstance(s.value, ir.Var)
        and s.target.name in function.temporaries
    }
    done = {
        p for s in ir.walk(function.body) if is_needed(s) for p in _places(s, copies)
    } - {None}

    def lines(s: ir.Statement) -> ir.Block:
        if id(s) not in facts.after or is_needed(s) or not may_raise(s):
            return (s,)
        places = _places(s, copies)
        if not done.isdisjoint(places):
            return (s,)
        done.update(p for p in places if p is not None)
        read = ir.Apply(ops.evaluated, (ir.direct_writes(s)[0],))
        return s, ir.Effect(s.span, read)

    return ir.altered(function, body=ir.rewritten(function.body, lines))


def with_names_checked(function: ir.Function, *, every: bool = True) -> ir.Function:
    """The function with an effect in front of ``every`` line of the user's that may
    read a name without a value, for a gradient may do without the line. Effects for
    names that surely have one are left out."""
    facts = assigned.bound_variables(function.body, function.parameters)
    possibly = assigned.possibly_assigned(function.body, function.parameters)
    results = _results_of_jumps(function.body)
    tests: dict[str, ir.Kind] = {}

    def check(
        variable: ir.Var, ahead: ir.Block, span: ir.Span | None
    ) -> Iterator[ir.Statement]:
        """What raises where a name has no value: for one that a loop in front gives it,
        a test of its turns, for the loop may be needed for nothing else."""
        name = variable.name
        bounds = _bounds_of_binding_loop(name, ahead, possibly.before)
        if not every or bounds is None:
            yield ir.Effect(span, ir.Apply(ops.evaluated, (variable,)))
            return
        stop, begin = bounds
        if isinstance(stop, ir.Const) and isinstance(begin, ir.Const):
            if begin.value < stop.value:
                return  # the loop has a turn
        test = ir.Var(f"condition.unbound.{len(tests)}")
        tests[test.name] = ir.BOOL
        yield ir.Assign(span, test, ir.Apply(operator.le, bounds), ir.BOOL)
        reason = f"{own_name(name)!r} is read where it has no value"
        fail = ir.Apply(
            ops.raise_exception, (ir.Const(UnboundLocalError), ir.Const(reason))
        )
        yield ir.If(span, test, (ir.Effect(span, fail),), ())

    def block(statements: ir.Block) -> ir.Block:
        result: list[ir.Statement] = []
        for place, s in enumerate(statements):
            known = facts.before.get(id(s))
            read = [v for v in ir.direct_reads(s) if known and v.name not in known]
            if ops.is_read_alone(s):
                read = [v for v in read if v.name not in results]
                again = not every and _is_read_behind(statements[place + 1 :], read)
                if not read or again:
                    continue
                if every:
                    for v in read:
                        result += check(v, statements[:place], s.span)
                    continue
            if every and not ops.is_read_alone(s) and not getattr(s, "derived", False):
                for v in dict.fromkeys(read):
                    if v.name not in function.temporaries | results:
                        result += check(v, statements[:place], s.span)
            result.append(ir.with_blocks(s, block))
        return ir.as_block(result, statements)

    body = block(function.body)
    if body is function.body:
        return function
    return replace(
        function,
        body=body,
        kinds={**function.kinds, **tests},
        temporaries=function.temporaries | tests.keys(),
    )


def _bounds_of_binding_loop(
    name: str, ahead: ir.Block, before: Mapping[int, name_sets.NameSet]
) -> tuple[ir.Operand, ir.Operand] | None:
    """The stop and the start of the loop that gives a name its value in each turn, as
    long as they tell whether it had any; None if that isn't all that does. ``before``
    are the names that may have a value before each statement."""
    written: set[str] = set()
    for s in reversed(ahead):
        inside = ir.names_written_within(s)
        written |= inside
        if name not in inside:
            continue
        if (
            not isinstance(s, ir.For)
            or not isinstance(s.step, ir.Const)
            or s.step.value < 1
        ):
            return None
        bounds = (s.stop, s.start)
        kept = written.isdisjoint(
            v.name for b in bounds for v in ir.operand_variables(b)
        )
        alone = name in _written_by_each_turn(s) and name not in before[id(s)]
        return bounds if kept and alone else None
    return None


def _written_by_each_turn(loop: ir.For) -> set[str]:
    """What the lines of a loop's body write that every turn reaches."""
    found: set[str] = set()
    for s in loop.body:
        if any(map(is_jump_flag, ir.names_written_within(s))):
            break
        if not ir.blocks_of(s):
            found |= ir.names_written(s)
    return found


def _is_read_behind(block: ir.Block, names: Sequence[ir.Var]) -> bool:
    """Whether lines of the user's that are kept read them, whatever else is run."""
    for s in block:
        if any(v in names for v in ir.direct_writes(s)) or ir.blocks_of(s):
            return False
        kept = ir.applies(s) and not s.derived
        if (kept or isinstance(s, ir.Return)) and {*names} <= {*ir.direct_reads(s)}:
            return True
    return False


def _results_of_jumps(body: ir.Block) -> set[str]:
    """The variables of what a return in the middle gives, which stands in front of the
    line that sets its flag: they have a value where the flag says so."""
    return {
        name
        for block in ir.all_blocks(body)
        for before, s in itertools.pairwise(block)
        if isinstance(s, ir.Assign) and any(map(is_jump_flag, ir.names_written(s)))
        for name in ir.names_written(before)
    }


def _places(
    s: ir.Statement, copies: Mapping[ir.Operand, ir.Operand]
) -> tuple[Hashable, ...]:
    """What tells that lines read, or write, the same place: the user's statement, what
    is read and where; or the very expression and where, for items of one structure."""
    value = s.value if isinstance(s, ir.Assign) else None
    if not isinstance(value, ir.Apply) or len(value.args) < 2 or s.span is None:
        return ()
    what, where = (copies.get(a, a) for a in value.args[:2])
    same = (s.span, where) if value.function is operator.getitem else None
    return (s.span.line, s.span.statement, what, where), same


def _surely_works(s: ir.Assign, turns: Set[str], kinds: Mapping[str, ir.Kind]) -> bool:
    """True for lines that raise nothing, warnings and ints that are no floats left
    aside."""
    value = s.value
    if isinstance(value, ir.Global):
        return True  # was there when the function was compiled
    if isinstance(value, ir.Apply) and not value.keywords:
        if value.function in (axis_length, ops.as_list, *_OWN_CHECKS):
            return True
        if value.function is operator.pow:
            return False  # of floats it may be too large
        types = [type_of(a, kinds) for a in value.args]
        if value.function in (*_ARITHMETIC, operator.truediv):
            if types.count("array") == 1 and _NUMBERS.issuperset(types):
                return True
            if value.function is operator.truediv and _NUMBERS.issuperset(types):
                divisor = value.args[1]
                kind = (
                    kinds.get(divisor.name) if isinstance(divisor, ir.Var) else divisor
                )
                return "array" not in types and bool(getattr(kind, "value", 0))
        if value.function is operator.getitem and isinstance(value.args[1], ir.Var):
            if value.args[1].name in turns:
                return True
    raised = raised_by(s, kinds)
    return all(issubclass(c, (*FLOATING, OverflowError)) for c in raised)


def _kinds_of_variables(function: ir.Function) -> Mapping[str, ir.Kind]:
    """The kinds of variables of which each has all that the user's has; those without a
    kind of their own are left out."""
    kinds, unknown = dict(function.kinds), set[str]()
    for s in ir.walk(function.body):
        if isinstance(s, ir.For):
            kinds.setdefault(s.target.name, ir.INT)
            continue
        for variable in ir.direct_writes(s):
            name, kind = variable.name, getattr(s, "kind", None)
            if kind is None or not isinstance(getattr(s, "target", None), ir.Var):
                unknown.add(name)
            elif name not in unknown:
                known = kinds.get(name)
                kinds[name] = kind if known is None else ir.join(known, kind, name)
    return {n: ir.settled(kind) for n, kind in kinds.items() if n not in unknown}
