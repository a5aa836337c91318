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

from collections.abc import Callable
from dataclasses import replace

from s2sad import ir, ops
from s2sad.analysis.dataflow.liveness import live_variables
from s2sad.analysis.passes.purity import is_pure
from s2sad.transform.batching.programs.versions import Versions
from s2sad.transform.forward.tangents import fresh_parameter
from s2sad.transform.reverse import split


class NotSplit(Exception):
    """Raised for programs that are run as a whole for each tangent."""


def split_tangents(
    function: ir.Function,
    tangents: tuple[str, ...],
    optimised: Callable[[ir.Function], ir.Function],
) -> tuple[ir.Function, ir.Function]:
    """The function of the primals and that of residuals and tangents, both optimised.

    ``function`` takes ``tangents`` as its last parameters and returns the value and its
    tangent, a pair. Raises NotSplit where values can't be told from tangents.
    """
    *body, last = function.body
    assert isinstance(last, ir.Return) and isinstance(last.value, ir.Pack)
    value, tangent = last.value.items
    _check(body)
    ahead_of_last = replace(function, body=tuple(body))
    varying = Versions().settled(ahead_of_last, tangents).batched
    _check_parts(body, varying)
    primals = tuple(p for p in function.parameters if p not in tangents)
    kinds = dict(function.kinds)
    ahead, linear = _parted(tuple(body), varying, kinds)
    function = replace(function, kinds=kinds)
    free = _free(linear, tangent) - set(tangents)
    # tangents that some path leaves without a value, as it leaves what they belong to
    unbound = free & varying
    linear = (
        *(ir.Assign(None, ir.Var(n), ir.Const(None)) for n in ir.in_order(unbound)),
        *linear,
    )
    free -= unbound
    reverse = replace(
        function,
        parameters=(*ir.in_order(free), *tangents),
        body=(*linear, ir.Return(last.span, tangent)),
        kinds=split.without_lengths_of_unbound(replace(function, body=ahead), free),
    )
    reverse = optimised(reverse)
    read = ir.names_read_in(reverse.body)
    needed = [p for p in reverse.parameters if p in read and p not in tangents]
    kept = ir.pack_tuple(*map(ir.Var, needed))
    result = ir.pack_tuple(value, kept)
    forward = replace(
        function, parameters=primals, body=(*ahead, ir.Return(last.span, result))
    )
    forward = optimised(split.with_private_residuals(forward))
    given = fresh_parameter(split.RESIDUALS, function)
    unpack: ir.Block = (ir.Assign(None, kept, ir.Var(given)),) if needed else ()
    reverse = replace(
        reverse, parameters=(given, *tangents), body=(*unpack, *reverse.body)
    )
    return forward, reverse


def run_again(
    primal: ir.Function,
    function: ir.Function,
    tangents: tuple[str, ...],
    optimised: Callable[[ir.Function], ir.Function],
) -> tuple[ir.Function, ir.Function]:
    """The same where the second function runs the whole program; ``primal`` is the one
    without tangents."""
    tangent = ir.tuple_items(function.final.value)[1]
    own = primal.parameters
    bound_again = ir.names_written_in(primal.body)
    first = {p: ir.Var(f"{p}.before") for p in own if p in bound_again}
    kinds = {v.name: primal.kinds[p] for p, v in first.items()}
    residuals = ir.pack_tuple(*(first.get(p, ir.Var(p)) for p in own))
    forward = replace(
        primal,
        body=(
            *(ir.Assign(None, v, ir.Var(p), primal.kinds[p]) for p, v in first.items()),
            *primal.body[:-1],
            replace(primal.final, value=ir.pack_tuple(primal.final.value, residuals)),
        ),
        kinds={**primal.kinds, **kinds},
    )
    linear = optimised(function.returning(tangent))
    given = fresh_parameter(split.RESIDUALS, function)
    unpack = ir.Assign(None, ir.pack_tuple(*map(ir.Var, own)), ir.Var(given))
    linear = replace(linear, parameters=(given, *tangents), body=(unpack, *linear.body))
    return optimised(split.with_private_residuals(forward)), linear


def _check(body: list[ir.Statement]) -> None:
    """What is run again must give what it gave before."""
    for s in ir.walk(tuple(body)):
        if isinstance(s, ir.Save | ir.Restore | ir.Try):
            raise NotSplit(f"{type(s).__name__} statements aren't parted")
        if isinstance(s, ir.Effect) and ops.takes_derivatives(s):
            raise NotSplit("what is stored into structures isn't parted")
        if isinstance(s, ir.Assign):
            function = s.value.function if isinstance(s.value, ir.Apply) else None
            if function is not None and not is_pure(function):
                raise NotSplit("an operation with an effect would be run again")
            if isinstance(function, ir.Procedure):
                raise NotSplit("a function that calls itself isn't parted")


def _check_parts(body: list[ir.Statement], varying: set[str]) -> None:
    """Values must be told from tangents."""
    for s in ir.walk(tuple(body)):
        if isinstance(s, ir.Assign):
            targets = ir.names_written(s)
            if targets & varying and not targets <= varying:
                raise NotSplit("values and tangents are assigned together")
        elif isinstance(s, ir.COMPOUND):
            if ir.names_read(s) & varying:
                raise NotSplit("the way of control depends on a tangent")


def _parted(
    body: ir.Block, varying: set[str], kinds: dict[str, ir.Kind]
) -> tuple[ir.Block, ir.Block]:
    """The lines without tangents, with copies of what is overwritten later; and those
    with tangents, with what they run again. The copies are added to ``kinds``."""
    defined: dict[str, list[int]] = {}
    for place, s in enumerate(body):
        for inner in ir.walk((s,)):
            for variable in ir.direct_writes(inner):
                defined.setdefault(variable.name, []).append(place)
    ahead: list[ir.Statement] = []
    linear: list[ir.Statement] = []
    for place, s in enumerate(body):
        if ir.names_written_within(s) & varying:
            again = _without_effects((s,))
            for name in ir.in_order(_free(again, ir.pack_tuple()) - varying):
                if any(at >= place for at in defined.get(name, ())):
                    copy = ir.Var(f"{name}.{place}.before")
                    if name in kinds:
                        kinds[copy.name] = kinds[name]
                    ahead.append(ir.Assign(None, copy, ir.Var(name)))
                    linear.append(ir.Assign(None, ir.Var(name), copy))
            linear += again
        ahead += _without((s,), varying)
    return tuple(ahead), tuple(linear)


def _free(block: ir.Block, result: ir.Operand) -> set[str]:
    """The variables that lines may read before they assign them."""
    facts, _ = live_variables((*block, ir.Return(None, result)), lambda s: True)
    return set(facts.start or ())


def _without(block: ir.Block, names: set[str]) -> ir.Block:
    """The lines that don't assign any of some variables."""
    return ir.with_leaves(block, lambda s: () if ir.names_written(s) & names else (s,))


def _without_effects(block: ir.Block) -> ir.Block:
    """The lines without printing and checks, which have been run."""
    return ir.with_leaves(block, lambda s: () if isinstance(s, ir.Effect) else (s,))
