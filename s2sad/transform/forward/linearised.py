"""Tangents apart from values: a function that runs the program once, and one that takes
tangents through it again and again.

::

    def f_jvp(x, x_dot):              def f_linearize(x):
        c = cos(x)                        c = cos(x)
        y_dot = mul(x_dot, c)    ->       y = sin(x)
        y = sin(x)                        return y, (c,)
        return y, y_dot
                                      def f_tangent(residuals, x_dot):
                                          c = residuals[0]
                                          return mul(x_dot, c)

Statements without blocks go to one of the two. A loop or branch with a line that
carries a tangent goes to both: the second runs its other lines again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from s2sad.analysis.dataflow.liveness import live_variables
from s2sad.analysis.passes.purity import is_pure
from s2sad.ir.kinds import Kind
from s2sad.ir.nodes import (
    COMPOUND,
    Apply,
    Assign,
    Block,
    Const,
    Effect,
    Function,
    Operand,
    Pack,
    Restore,
    Return,
    Save,
    Statement,
    Try,
    Var,
    pack_tuple,
)
from s2sad.ir.procedures import Procedure
from s2sad.ir.walking import (
    blocks_of,
    direct_reads,
    direct_writes,
    in_order,
    operand_variables,
    rebuilt,
    walk,
)
from s2sad.transform.batching.batch import batched_variables
from s2sad.transform.reverse.split import (
    RESIDUALS,
    with_private_residuals,
    without_lengths_of_unbound,
)


class NotSplit(Exception):
    """Raised for programs that are run as a whole for each tangent."""


def split_tangents(
    function: Function,
    tangents: tuple[str, ...],
    optimised: Callable[[Function], Function],
) -> tuple[Function, Function]:
    """The function of the primals and that of residuals and tangents, both optimised.

    ``function`` takes ``tangents`` as its last parameters and returns the value and its
    tangent, a pair. Raises NotSplit where values can't be told from tangents.
    """
    *body, last = function.body
    assert isinstance(last, Return) and isinstance(last.value, Pack)
    value, tangent = last.value.items
    varying = batched_variables(tuple(body), dict.fromkeys(tangents))  # type: ignore[arg-type]
    _check(body, varying)
    primals = tuple(p for p in function.parameters if p not in tangents)
    kinds = dict(function.kinds)
    ahead, linear = _parted(tuple(body), varying, kinds)
    function = replace(function, kinds=kinds)
    free = _free(linear, tangent) - set(tangents)
    # tangents that some path leaves without a value, as it leaves what they belong to
    unbound = free & varying
    linear = (*(Assign(None, Var(n), Const(None)) for n in in_order(unbound)), *linear)
    free -= unbound
    reverse = replace(
        function,
        parameters=(*in_order(free), *tangents),
        body=(*linear, Return(last.span, tangent)),
        kinds=without_lengths_of_unbound(replace(function, body=ahead), free),
    )
    reverse = optimised(reverse)
    read = {v.name for s in walk(reverse.body) for v in direct_reads(s)}
    needed = [p for p in reverse.parameters if p in read and p not in tangents]
    kept = Pack(tuple, tuple(range(len(needed))), tuple(map(Var, needed)))
    result = pack_tuple(value, kept)
    forward = replace(
        function, parameters=primals, body=(*ahead, Return(last.span, result))
    )
    forward = optimised(with_private_residuals(forward))
    unpack: Block = (Assign(None, kept, Var(RESIDUALS)),) if needed else ()
    reverse = replace(
        reverse,
        parameters=(RESIDUALS, *tangents),
        body=(*unpack, *reverse.body),
    )
    return forward, reverse


def run_again(
    primal: Function,
    function: Function,
    tangents: tuple[str, ...],
    optimised: Callable[[Function], Function],
) -> tuple[Function, Function]:
    """The same where the second function runs the whole program; ``primal`` is the one
    without tangents."""
    last, final = function.body[-1], primal.body[-1]
    assert isinstance(last, Return) and isinstance(last.value, Pack)
    assert isinstance(final, Return)
    tangent = last.value.items[1]
    own = primal.parameters
    kept = Pack(tuple, tuple(range(len(own))), tuple(map(Var, own)))
    result = Return(final.span, pack_tuple(final.value, kept))
    forward = replace(primal, body=(*primal.body[:-1], result))
    body = (*function.body[:-1], Return(last.span, tangent))
    linear = optimised(replace(function, body=body))
    unpack = Assign(None, kept, Var(RESIDUALS))
    linear = replace(
        linear, parameters=(RESIDUALS, *tangents), body=(unpack, *linear.body)
    )
    return optimised(with_private_residuals(forward)), linear


def _check(body: list[Statement], varying: set[str]) -> None:
    """What is run again must give what it gave before."""
    for s in walk(tuple(body)):
        if isinstance(s, Save | Restore | Try):
            raise NotSplit(f"{type(s).__name__} statements aren't parted")
        if isinstance(s, Assign):
            if isinstance(s.value, Apply) and not is_pure(s.value.function):
                raise NotSplit("an operation with an effect would be run again")
            if isinstance(s.value, Apply) and isinstance(s.value.function, Procedure):
                raise NotSplit("a function that calls itself isn't parted")
            targets = {v.name for v in operand_variables(s.target)}
            if targets & varying and not targets <= varying:
                raise NotSplit("values and tangents are assigned together")
        elif isinstance(s, COMPOUND):
            if {v.name for v in direct_reads(s)} & varying:
                raise NotSplit("the way of control depends on a tangent")


def _parted(
    body: Block, varying: set[str], kinds: dict[str, Kind]
) -> tuple[Block, Block]:
    """The lines without tangents, with copies of what is overwritten later; and those
    with tangents, with what they run again. The copies are added to ``kinds``."""
    defined: dict[str, list[int]] = {}
    for place, s in enumerate(body):
        for inner in walk((s,)):
            for variable in direct_writes(inner):
                defined.setdefault(variable.name, []).append(place)
    ahead: list[Statement] = []
    linear: list[Statement] = []
    for place, s in enumerate(body):
        if any(v.name in varying for i in walk((s,)) for v in direct_writes(i)):
            again = _without_effects((s,))
            for name in in_order(_free(again, pack_tuple()) - varying):
                if any(at >= place for at in defined.get(name, ())):
                    copy = Var(f"{name}.{place}.before")
                    if name in kinds:
                        kinds[copy.name] = kinds[name]
                    ahead.append(Assign(None, copy, Var(name)))
                    linear.append(Assign(None, Var(name), copy))
            linear += again
        ahead += _without((s,), varying)
    return tuple(ahead), tuple(linear)


def _free(block: Block, result: Operand) -> set[str]:
    """The variables that lines may read before they assign them."""
    facts, _ = live_variables((*block, Return(None, result)), lambda s: True)
    return set(facts.start or ())


def _without(block: Block, names: set[str]) -> Block:
    """The lines that don't assign any of some variables."""
    result: list[Statement] = []
    for s in block:
        if isinstance(s, COMPOUND):
            s = rebuilt(s, [_without(inner, names) for inner in blocks_of(s)])
        elif any(v.name in names for v in direct_writes(s)):
            continue
        result.append(s)
    return tuple(result)


def _without_effects(block: Block) -> Block:
    """The lines without printing and checks, which have been run."""
    result: list[Statement] = []
    for s in block:
        if isinstance(s, COMPOUND):
            s = rebuilt(s, [_without_effects(inner) for inner in blocks_of(s)])
        elif isinstance(s, Effect):
            continue
        result.append(s)
    return tuple(result)
