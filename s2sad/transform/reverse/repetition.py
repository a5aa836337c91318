"""Lines that run a second time: under names of their own, without what they tell the
world, refused where they might give something else.

::

    x = add(x, y)          ->          x~2 = add(x~2, y)
    print(x)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from s2sad.analysis.dataflow.liveness import live_variables
from s2sad.analysis.passes.purity import is_pure, may_write
from s2sad.frontend.specialise.calls.foreign import is_report
from s2sad.frontend.specialise.core.exceptions import Unsupported
from s2sad.ir.nodes import (
    Apply,
    Assign,
    Block,
    Effect,
    For,
    Restore,
    Save,
    Statement,
    Try,
    Var,
    While,
    With,
    function_name,
)
from s2sad.ir.procedures import Procedure, all_procedures, is_complete
from s2sad.ir.walking import (
    altered,
    blocks_of,
    direct_reads,
    direct_writes,
    map_operand,
    map_value,
    operations,
    rebuilt,
    walk,
    with_leaves,
)
from s2sad.ops.augmented_operators import PLAIN
from s2sad.ops.buffers import STORES
from s2sad.ops.effects import RAISING, evaluated


def refused(block: Block) -> Iterator[tuple[Unsupported, Statement]]:
    """What might do something else when it runs again, and where it stands."""
    for statement in walk(block):
        if isinstance(statement, Effect) and _is_told(statement):
            continue
        what = ""
        if isinstance(statement, With) and not statement.reentered:
            what = "a context manager is entered"
        for operation in operations(statement):
            function = operation.function
            if not _is_repeatable(function):
                what = f"{function_name(function)} is called"
        if what:
            reason = (
                f"{what} under checkpoint, which computes again in the reverse sweep: "
                "that may give something else, or do it twice"
            )
            advice = "do it outside, and use the result inside"
            yield Unsupported(None, reason, advice), statement


def _is_repeatable(function: Callable[..., Any]) -> bool:
    """True for what does the same when it runs again; raising is no matter, since it
    has not raised before."""
    if not isinstance(function, Procedure) or not is_complete(function):
        return is_pure(function) or function in (*PLAIN, *RAISING)
    called = all_procedures([function.function.body])
    return all(map(is_complete, called)) and not any(
        may_write(s)
        or (isinstance(s, Effect) and s.value.function not in (*RAISING, evaluated))
        or not all(
            isinstance(o.function, Procedure) or _is_repeatable(o.function)
            for o in operations(s)
        )
        for one in (function, *called)
        for s in walk(one.function.body)
    )


def _is_told(effect: Effect) -> bool:
    """True for what tells the world something."""
    return effect.value.function is print or is_report(effect.value.function)


def quiet(block: Block) -> Block:
    """A block that tells the world nothing."""
    return with_leaves(
        block, lambda s: () if isinstance(s, Effect) and _is_told(s) else (s,)
    )


def renamed(block: Block, names: Mapping[str, str]) -> Block:
    """A copy of a block with variables under other names.

    >>> from s2sad.ir.text import statement_text
    >>> (line,) = renamed((Assign(None, Var("x"), Var("y")),), {"x": "z"})
    >>> print(statement_text(line))
    z = y
    """
    return tuple(replace(_renamed(s, names)) for s in block)


def _renamed(s: Statement, names: Mapping[str, str]) -> Statement:
    def name(variable: Var) -> Var:
        return Var(names[variable.name]) if variable.name in names else variable

    s = rebuilt(s, [renamed(block, names) for block in blocks_of(s)])
    match s:
        case Assign():
            return altered(
                s, target=map_operand(s.target, name), value=map_value(s.value, name)
            )
        case Save():
            return altered(s, stack=name(s.stack), value=map_operand(s.value, name))
        case Restore():
            return altered(s, stack=name(s.stack), target=name(s.target))
        case For() | While():
            fields = ("target", "start", "stop", "step", "test", "until")
            changed = {
                field: map_operand(getattr(s, field), name)
                for field in fields
                if getattr(s, field, None) is not None
            }
            return replace(s, **changed)
        case Try():
            handlers = tuple(
                replace(
                    h,
                    types=map_operand(h.types, name),
                    flag=None if h.flag is None else name(h.flag),
                )
                for h in s.handlers
            )
            return replace(s, handlers=handlers)
    for field in ("value", "test"):
        if hasattr(s, field):
            s = altered(s, **{field: map_value(getattr(s, field), name)})
    return s


def written(block: Block) -> set[str]:
    """The variables that a block assigns."""
    return {v.name for s in walk(block) for v in direct_writes(s)}


def read(block: Block) -> set[str]:
    """The variables that a block reads."""
    return {v.name for s in walk(block) for v in direct_reads(s)}


def free(block: Block) -> set[str]:
    """The variables that a block may read before it assigns them."""
    facts, _ = live_variables(block, lambda s: True)
    return set(facts.start or ())


def stored_into(block: Block) -> set[str]:
    """The arrays that a block writes into, under all names that they may have by
    copies between variables.

    >>> store = Apply(STORES[0], (Var("u"), Var("i"), Var("x")))
    >>> body = Assign(None, Var("u"), store), Assign(None, Var("v"), Var("u"))
    >>> sorted(stored_into(body))
    ['u', 'v']
    """
    groups: dict[str, set[str]] = {}
    written_into: set[str] = set()
    for s in walk(block):
        if not isinstance(s, Assign) or not isinstance(s.target, Var):
            continue
        value: object = s.value
        if isinstance(value, Apply) and value.function in STORES:
            value = value.args[0]
            written_into.add(s.target.name)
        if isinstance(value, Var):
            names = s.target.name, value.name
            group = set(names).union(*(groups.get(n, ()) for n in names))
            groups.update(dict.fromkeys(group, group))
    return written_into.union(*(groups.get(n, ()) for n in written_into))
