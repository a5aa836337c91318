"""Lists that go through Python, from the forward function of a pullback to the reverse.

::

    def f_forward(x):                        def f_forward(x):
        ...                                      ...
        return y, (ys, x.saved)       ->         return y, (typed(ys), typed(x.saved))

    def f_reverse(residuals, g):             def f_reverse(residuals, g):
        ys, x.saved = residuals       ->         ys, x.saved = residuals
        ...                                      ys = list(ys)
                                                 ...

Numba's own lists come back from Python as copies, item by item, and not at all where
they hold arrays or tuples. Those of ``numba.typed`` are handed on as they are; what is
done with lists of the program's needs Numba's own.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from s2sad import ir, ops
from s2sad.codegen.numba.calls.residuals import residuals_of
from s2sad.codegen.numba.lists.list_operations import empty_list


def typed_list(items: list[Any]) -> list[Any]:
    """A list of ``numba.typed`` with these items: a step for the emitter."""
    return items


def lists_of_calls() -> Any:
    """The lists of the residuals that calls have: a step for ``listed_calls.py``."""
    raise NotImplementedError


def handing_lists_of_calls(
    pair: Sequence[ir.Function], calls: ir.Var
) -> list[ir.Function]:
    """The two functions of a pullback, with the lists of residuals that calls have
    (``listed_calls.py``) as one more residual."""
    forward, reverse = pair
    residuals = ir.pack_tuple(*residuals_of(forward).items, calls)
    # what they are is known when all programs are
    none = ir.Assign(None, calls, ir.Apply(lists_of_calls, ()), ir.OPAQUE)
    forward = replace(forward, body=(none, *forward.body))
    forward = _known(_returning(forward, residuals), calls)
    taken = ir.residuals_taken(reverse)
    if taken is None:  # of which it needs none
        given = ir.Var(reverse.parameters[0])
        body = (ir.Assign(None, ir.pack_tuple(calls), given), *reverse.body)
    else:
        more = replace(taken[0], target=ir.pack_tuple(*taken[1].items, calls))
        body = tuple(more if s is taken[0] else s for s in reverse.body)
    return [forward, _known(replace(reverse, body=body), calls)]


def _known(function: ir.Function, calls: ir.Var) -> ir.Function:
    return replace(function, kinds={**function.kinds, calls.name: ir.OPAQUE})


def _returning(forward: ir.Function, residuals: ir.Pack) -> ir.Function:
    *body, last = forward.body
    assert isinstance(last, ir.Return) and isinstance(last.value, ir.Pack)
    last = replace(last, value=ir.pack_tuple(*last.value.items[:-1], residuals))
    return replace(forward, body=(*body, last))


def with_typed_lists_returned(core: ir.Function, names: Collection[str]) -> ir.Function:
    """The core of a forward function, which returns typed lists where these names, of
    residuals, are lists, but for lists of lists."""
    lists = {n for n in names if _is_flat(core.kinds.get(n))}
    packs: dict[str, ir.Pack] = {}
    for s in ir.walk(core.body):
        if ir.is_line(s, ops.new_stack, empty_list):
            lists |= {s.target.name} & {*names}
        elif isinstance(s, ir.Assign) and isinstance(s.target, ir.Var):
            if s.target.name in names and isinstance(s.value, ir.Pack):
                packs[s.target.name] = s.value  # of several lists

    def typed(operand: Any) -> Any:
        if isinstance(operand, ir.Pack):
            return replace(operand, items=tuple(map(typed, operand.items)))
        name = str(operand)
        if name in packs:
            return ir.pack_tuple(*map(_typed, packs[name].items))
        return _typed(operand) if name in lists else operand

    *body, last = core.body
    assert isinstance(last, ir.Return)
    return replace(core, body=(*body, replace(last, value=typed(last.value))))


def with_plain_lists(core: ir.Function) -> ir.Function:
    """The core of a reverse function, in which lists of the program's are Numba's own
    again."""
    taken = ir.residuals_taken(core)
    if taken is None:
        return core
    lists = [v for v in taken[1].items if _is_flat(core.kinds.get(str(v)))]
    lines = [_plain(v, core.kinds[str(v)]) for v in lists]
    at = core.body.index(taken[0]) + 1
    return replace(core, body=(*core.body[:at], *lines, *core.body[at:]))


def _plain(items: Any, kind: ir.Kind) -> ir.Assign:
    return ir.Assign(None, items, ir.Apply(ops.as_list, (items,)), kind)


def _is_flat(kind: ir.Kind | None) -> bool:
    """True for a list of numbers or arrays."""
    return isinstance(kind, ir.List) and not isinstance(kind.item, ir.List)


def _typed(operand: ir.Operand) -> Any:
    return ir.Apply(typed_list, (operand,))
