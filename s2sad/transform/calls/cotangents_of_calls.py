"""The cotangents that calls give to a reverse program: those that some call has.

::

    a, b = f(x)         f_reverse(residuals, (a_bar, np.zeros_like(b)))
    y = sin(a)    ->    f_reverse(residuals, a_bar)

While programs are made each call gives all, zeros for those that it hasn't. What no
call has at last isn't handed over: zeros are computed for nothing, and times an
infinite partial they are nan.
"""

import operator
from dataclasses import replace

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.transform.adjoints.cotangents import Masked
from s2sad.transform.programs.primal_programs import Specialised
from s2sad.transform.reverse.split import seed_of


def joined(mark: Masked | None, other: Masked | None) -> Masked | None:
    """How a cotangent is marked that one call gives so, and another one so; None where
    neither has one."""
    if mark is None and other is None:
        return None
    return max(mark_of_seed(mark), mark_of_seed(other))


def mark_of_seed(mark: Masked | None) -> Masked:
    """A call that has no cotangent gives zeros."""
    return Masked.SELECTED if mark is None else mark


def seed_of_pair(
    name: str, specialised: Specialised, seeds: tuple[Masked | None, ...]
) -> tuple[core.Value, ir.Kind, ir.Block]:
    """The cotangents of the results as a value, constant None for those that no call
    has; the kind of the parameter that gives the others, and the lines that take it
    apart."""
    result = specialised.result
    parts = result.items if isinstance(result, core.Aggregate) else (result,)
    taken: list[core.Value] = [
        core.map_leaves(part, lambda leaf: replace(leaf, kind=ir.given_kind(leaf.kind)))
        for part, seed in zip(parts, seeds, strict=True)
        if seed is not None
    ]
    whole = taken[0] if len(taken) == 1 else core.aggregate_of(tuple(taken))
    kind = core.kind_of(whole)
    value, lines = seed_of(name, replace(specialised, result=whole), given=False)
    if len(taken) < len(parts):
        found = iter(value.items if isinstance(value, core.Aggregate) else (value,))
        none = core.constant(None)
        items = (none if seed is None else next(found) for seed in seeds)
        value = core.aggregate_of(tuple(items))
    return value, ir.cotangent_kind_of_list(kind) or kind, lines


def with_cotangents_taken(function: ir.Function) -> ir.Function:
    """The program with calls of reverse programs that give what these take; a reverse
    program that multiplies by partial derivatives stands where it is called."""
    program = ir.Rewriting(function)

    def change(s: ir.Statement) -> ir.Block:
        # a call that adds to adjoints alone is an effect
        if not isinstance(s, ir.Assign | ir.Effect) or not isinstance(
            s.value, ir.Apply
        ):
            return (s,)
        called = s.value.function
        if not isinstance(called, ir.Procedure):
            return (s,)
        if called.multiplies and isinstance(s, ir.Assign):
            assert called.reverses is not None
            forward, places = called.reverses
            names = forward.function.parameters
            return multiplied(s, tuple(names[place] for place in places), program)
        if all(called.seeded):
            return (s,)
        residuals, seed, *more = s.value.args
        seeds = seed.items if isinstance(seed, ir.Pack) else (seed,)
        if len(seeds) < len(called.seeded):
            return (s,)  # it gives no more already
        items = zip(seeds, called.seeded, strict=True)
        given = tuple(item for item, is_taken in items if is_taken)
        whole = ir.packed(given)
        return (replace(s, value=replace(s.value, args=(residuals, whole, *more))),)

    body = ir.with_leaves(function.body, change)
    return replace(
        function,
        body=body,
        kinds=program.kinds,
        temporaries=frozenset(program.temporaries),
    )


def multiplied(
    call: ir.Assign, active: tuple[str, ...], program: ir.Rewriting
) -> ir.Block:
    """In place of the call of a reverse program that is given partial derivatives by
    some parameters: the cotangent times each of them."""
    assert isinstance(call.value, ir.Apply)
    given, seed = call.value.args
    targets = ir.tuple_items(call.target)
    lines: list[ir.Statement] = []
    by: list[ir.Operand] = [given]
    kind: ir.Kind = ir.FLOAT
    if len(targets) > 1:
        by = [program.named(f"by_{name}", ir.FLOAT) for name in active]
        kind = ir.tuple_of_kinds([ir.FLOAT] * len(by))
        lines.append(ir.Assign(call.span, ir.pack_tuple(*by), given, kind, True))
    if isinstance(given, ir.Var):
        program.kinds[given.name] = kind
    for partial, target in zip(by, targets, strict=True):
        product = ir.Apply(operator.mul, (seed, partial))
        own = program.kinds.get(str(target))
        lines.append(ir.Assign(call.span, target, product, own, True))
    return tuple(lines)
