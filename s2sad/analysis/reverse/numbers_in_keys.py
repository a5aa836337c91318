"""Numbers that vary in the keys of dicts, the members of sets, and texts.

These carry no derivative: keys are compared, and lead to values that do. A program may
take numbers out of them again, though, and compute with them. What it computes then
varies, and nothing says how: such programs are refused.

>>> import operator
>>> from s2sad.ops import keys_in_order, place_added
>>> x, k = ir.Var("x"), ir.Var("k")
>>> added = ir.Apply(place_added, (ir.Var("d"), x, ir.Const(0)))
>>> keys = ir.Apply(keys_in_order, (ir.Var("d"),))
>>> body = (
...     ir.Assign(None, ir.Var("d"), added, ir.OPAQUE),
...     ir.Assign(None, ir.Var("keys"), keys, ir.List(ir.OPAQUE)),
...     ir.Assign(None, k, ir.Apply(operator.getitem, (ir.Var("keys"), ir.Const(0)))),
...     ir.Assign(None, ir.Var("y"), ir.Apply(operator.mul, (k, k)), ir.FLOAT),
...     ir.Return(None, ir.Var("y")),
... )
>>> kinds = {"x": ir.FLOAT, "y": ir.FLOAT}
>>> holders = holding_numbers(body, {"x"}, kinds)
>>> sorted(holders)
['d', 'k', 'keys']
>>> [s.target.name for s in computed_from(body, holders, kinds)]
['y']
"""

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from typing import Any

from s2sad import ir, ops
from s2sad.analysis.reverse.activity import (
    carries_derivative,
    differentiated_operands,
)

IN_SLOTS = ".keys"
"""Stands for the keys of all dicts that stand in slots."""

_MAKES_TEXTS: tuple[Callable[..., Any], ...] = (
    *(ops.format_value, str, repr, ascii, format, str.format),
    *(operator.mod, ops.method_of_object),  # where they give a text
)
_PUTS_IN: tuple[Callable[..., Any], ...] = (
    *(ops.places_of, ops.places_of_keys, ops.place_added),
    *(ops.set_of_members, ops.member_added),
    *(ops.keys_together, ops.keys_but),
    *_MAKES_TEXTS,
)
"""What makes a dict, set or text of what it is given, or of more."""
_LOOKS_UP = frozenset(
    {
        *(operator.getitem, *ops.READS_OF_REFERENCES),
        *(ops.place_of_key, ops.place_removed),
    }
)
"""What reads from its first operand, under the others."""


def holding_numbers(
    body: ir.Block,
    varied: Set[str],
    kinds: Mapping[str, ir.Kind],
    given: Iterable[str] = (),
) -> set[str]:
    """The variables without a derivative that may hold numbers that vary; it is
    known of those of the ``given`` ones that have none, and of ``IN_SLOTS``."""
    edges: dict[str, list[str]] = {}
    found = {name for name in given if name == IN_SLOTS or may_hold(kinds.get(name))}
    for s in ir.walk(body):
        if isinstance(s, ir.Effect):
            sources = _put_into_slots(s.value)
            targets = [IN_SLOTS] if sources else []
            put = bool(varied & _variables(s.value.args[1:2]))  # a key
        elif isinstance(s, ir.Assign):
            sources = _sources(s.value)
            targets = [n for n in ir.names_written(s) if may_hold(kinds.get(n))]
            put = _is_put_in(s.value)
            if any(isinstance(kinds.get(name), ir.Reference) for name in sources):
                sources = {*sources, IN_SLOTS}
        else:
            continue
        if put and sources & varied:
            found.update(targets)
        for source in sources:
            edges.setdefault(source, []).extend(targets)
    return _reachable(edges, found)


def computed_from(
    body: ir.Block, holders: Set[str], kinds: Mapping[str, ir.Kind]
) -> Iterator[ir.Statement]:
    """The statements that compute what may carry a derivative, and counts, from those
    of the ``holders`` that carry none."""
    steps: list[tuple[ir.Assign, set[str]]] = []
    backwards: dict[str, list[str]] = {}
    last: set[str] = set()
    for s in ir.walk(body):
        if isinstance(s, ir.Return):
            last |= ir.names_read(s)
        elif isinstance(s, ir.Effect):
            last |= _put_into_slots(s.value)
        elif isinstance(s, ir.Assign):
            followed = _followed(s.value)
            steps.append((s, followed))
            for target in ir.names_written(s):
                backwards.setdefault(target, []).extend(followed)
    useful = _reachable(backwards, last)
    inactive = {name for name in holders if may_hold(kinds.get(name))}
    for s, followed in steps:
        if isinstance(s.value, ir.Apply) and isinstance(s.value.function, ir.Procedure):
            continue  # its own statements are looked at
        counting = useful & ir.names_written(s)
        if followed & inactive and any(_may_vary(kinds.get(n)) for n in counting):
            yield s


def _reachable(edges: Mapping[str, Iterable[str]], start: Iterable[str]) -> set[str]:
    found = set(start)
    pending = list(found)
    while pending:
        for target in edges.get(pending.pop(), ()):
            if target not in found:
                found.add(target)
                pending.append(target)
    return found


def _is_put_in(value: Any) -> bool:
    if not isinstance(value, ir.Apply):
        return isinstance(value, ir.Pack)
    function = value.function
    return function in _PUTS_IN or isinstance(function, type)


def _sources(value: Any) -> set[str]:
    """The variables whose numbers a value may hold."""
    if isinstance(value, ir.Apply) and value.function in _LOOKS_UP:
        return _variables(value.args[:1])
    return {v.name for v in ir.value_variables(value)}


def _followed(value: Any) -> set[str]:
    """The variables on which the derivative of a value depends."""
    if not carries_derivative(value):
        return set()
    if isinstance(value, ir.Apply) and value.function in _LOOKS_UP:
        return _sources(value)
    return {v.name for v in differentiated_operands(value)}


def puts_in(statement: ir.Statement) -> bool:
    """True for what puts numbers into a dict as keys, a set or a text."""
    return any(
        operation.function in _PUTS_IN or _put_into_slots(operation)
        for operation in ir.operations(statement)
    )


def _put_into_slots(value: ir.Apply) -> set[str]:
    """The variables that a store takes as keys, or stores."""
    if value.function not in ops.STORES_INTO_SLOTS:
        return set()
    return _variables(value.args[1:])


def _variables(operands: Iterable[ir.Operand]) -> set[str]:
    return {v.name for operand in operands for v in ir.operand_variables(operand)}


def may_hold(kind: ir.Kind | None) -> bool:
    """True for what has no derivative, whatever it holds."""
    if isinstance(kind, ir.List):
        return kind.item is not None and may_hold(kind.item)
    if isinstance(kind, ir.Structure):
        return any(map(may_hold, kind.items))
    return kind is None or (isinstance(kind, ir.Unknown) and bool(kind.inactive))


def _may_vary(kind: ir.Kind | None) -> bool:
    return kind is not None and ir.is_real_number_kind(kind)
