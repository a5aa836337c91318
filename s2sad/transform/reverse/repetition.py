"""Lines that run a second time: under names of their own, without what they tell the
world, refused where they might give something else.

::

    x = add(x, y)          ->          x~2 = add(x~2, y)
    print(x)
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from s2sad import ir, ops
from s2sad.analysis.dataflow.liveness import live_variables
from s2sad.analysis.passes.purity import is_pure, may_write
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.calls.foreign import is_report


def refused(block: ir.Block) -> Iterator[tuple[core.Unsupported, ir.Statement]]:
    """What might do something else when it runs again, and where it stands."""
    for statement in ir.walk(block):
        if isinstance(statement, ir.Effect) and _is_told(statement):
            continue
        what = ""
        if isinstance(statement, ir.With) and not statement.reentered:
            what = "a context manager is entered"
        for operation in ir.operations(statement):
            function = operation.function
            if not _is_repeatable(function):
                what = f"{ir.function_name(function)} is called"
        if what:
            reason = (
                f"{what} under checkpoint, which computes again in the reverse sweep: "
                "that may give something else, or do it twice"
            )
            advice = "do it outside, and use the result inside"
            yield core.Unsupported(reason, advice), statement


def _is_repeatable(function: Callable[..., Any]) -> bool:
    """True for what does the same when it runs again; raising is no matter, since it
    has not raised before."""
    if not isinstance(function, ir.Procedure) or not ir.is_complete(function):
        return is_pure(function) or function in (*ops.PLAIN, *ops.RAISING)
    called = ir.all_procedures([function.function.body])
    return all(map(ir.is_complete, called)) and not any(
        may_write(s)
        or (
            isinstance(s, ir.Effect)
            and s.value.function not in (*ops.RAISING, ops.evaluated)
        )
        or not all(
            isinstance(o.function, ir.Procedure) or _is_repeatable(o.function)
            for o in ir.operations(s)
        )
        for one in (function, *called)
        for s in ir.walk(one.function.body)
    )


def _is_told(effect: ir.Effect) -> bool:
    """True for what tells the world something."""
    return effect.value.function is print or is_report(effect.value.function)


def quiet(block: ir.Block) -> ir.Block:
    """A block that tells the world nothing."""
    return ir.with_leaves(
        block, lambda s: () if isinstance(s, ir.Effect) and _is_told(s) else (s,)
    )


def renamed(block: ir.Block, names: Mapping[str, str]) -> ir.Block:
    """A copy of a block with variables under other names.

    >>> (line,) = renamed((ir.Assign(None, ir.Var("x"), ir.Var("y")),), {"x": "z"})
    >>> print(ir.statement_text(line))
    z = y
    """

    def name(variable: ir.Var) -> ir.Var:
        return ir.Var(names[variable.name]) if variable.name in names else variable

    return ir.renamed(block, name, name)


def free(block: ir.Block) -> set[str]:
    """The variables that a block may read before it assigns them."""
    facts, _ = live_variables(block, lambda s: True)
    return set(facts.start or ())


def stored_into(block: ir.Block) -> set[str]:
    """The arrays that a block writes into, under all names that they may have by
    copies between variables.

    >>> store = ir.Apply(ops.STORES[0], (ir.Var("u"), ir.Var("i"), ir.Var("x")))
    >>> body = (
    ...     ir.Assign(None, ir.Var("u"), store),
    ...     ir.Assign(None, ir.Var("v"), ir.Var("u")),
    ... )
    >>> sorted(stored_into(body))
    ['u', 'v']
    """
    groups: dict[str, set[str]] = {}
    written_into: set[str] = set()
    for s in ir.walk(block):
        if not isinstance(s, ir.Assign) or not isinstance(s.target, ir.Var):
            continue
        value: object = s.value
        if isinstance(value, ir.Apply) and value.function in ops.STORES:
            value = value.args[0]
            written_into.add(s.target.name)
        if isinstance(value, ir.Var):
            names = s.target.name, value.name
            group = set(names).union(*(groups.get(n, ()) for n in names))
            groups.update(dict.fromkeys(group, group))
    return written_into.union(*(groups.get(n, ()) for n in written_into))
