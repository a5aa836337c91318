"""The cotangents that calls give to a reverse program: those that some call has.

::

    a, b = f(x)         f_reverse(residuals, (a_bar, np.zeros_like(b)))
    y = sin(a)    ->    f_reverse(residuals, a_bar)

While programs are made each call gives all, zeros for those that it hasn't. What no
call has at last isn't handed over: zeros are computed for nothing, and times an
infinite partial they are nan.
"""

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
    """The program with calls of reverse programs that give what these take."""

    def change(s: ir.Statement) -> ir.Block:
        # a call that adds to adjoints alone is an effect
        if not isinstance(s, ir.Assign | ir.Effect) or not isinstance(
            s.value, ir.Apply
        ):
            return (s,)
        called = s.value.function
        if not isinstance(called, ir.Procedure) or all(called.seeded):
            return (s,)
        residuals, seed, *more = s.value.args
        seeds = seed.items if isinstance(seed, ir.Pack) else (seed,)
        if len(seeds) < len(called.seeded):
            return (s,)  # it gives no more already
        items = zip(seeds, called.seeded, strict=True)
        given = tuple(item for item, is_taken in items if is_taken)
        whole = ir.packed(given)
        return (replace(s, value=replace(s.value, args=(residuals, whole, *more))),)

    return replace(function, body=ir.with_leaves(function.body, change))
