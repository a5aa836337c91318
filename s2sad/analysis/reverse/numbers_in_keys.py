"""Numbers that vary in the keys of dicts, the members of sets, and texts.

These carry no derivative: keys are compared, and lead to values that do. A program may
take numbers out of them again, though, and compute with them. What it computes then
varies, and nothing says how: such programs are refused.

>>> import operator
>>> x, k = ir.Var("x"), ir.Var("k")
>>> added = ir.Apply(ops.set_of_members, (x,))
>>> keys = ir.Apply(list, (ir.Var("d"),))
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
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from typing import Any

from s2sad import ir, ops
from s2sad.analysis.dataflow.reachable import reachable
from s2sad.analysis.reverse.activity import (
    carries_derivative,
    differentiated_operands,
)

KEYS = ".keys"
VALUES = ".values"
MEMBERS = ".members"
IN_SLOTS = frozenset({KEYS, VALUES, MEMBERS})
"""Stand for the keys of all dicts in slots, for what has no derivative there, and for
what is added to sets that are there already."""

_MAKES_TEXTS: tuple[Callable[..., Any], ...] = (
    *(ops.format_value, str, repr, ascii, format, str.format),
    *(operator.mod, ops.method_of_object),  # where they give a text
)
_PUTS_IN: tuple[Callable[..., Any], ...] = (
    ops.set_of_members,
    *_MAKES_TEXTS,
)
"""What makes a dict, set or text of what it is given, or of more."""
_HOLDERS = (set, frozenset, dict, Counter, OrderedDict, defaultdict)
"""Classes of sets and dicts, which are made of what gives their members and keys."""
_READS_KEYS = (list, ops.stored_keys)
"""What reads the keys of dicts."""
_LOOKS_UP: frozenset[Any] = frozenset({operator.getitem, *ops.READS_OF_REFERENCES})
"""What reads from its first operand, under the others."""


def holding_numbers(
    body: ir.Block,
    varied: Set[str],
    kinds: Mapping[str, ir.Kind],
    given: Iterable[str] = (),
    of_objects: Set[str] = frozenset(),
) -> set[str]:
    """The variables without a derivative that may hold numbers that vary; it is
    known of those of the ``given`` ones that have none, and of ``IN_SLOTS``.
    ``of_objects`` are attributes and methods by which such a number is read of an
    object that was a key or a member."""
    edges: dict[str, list[str]] = {}
    found = {n for n in given if n in IN_SLOTS or may_hold(kinds.get(n))}

    def flows(sources: Iterable[str], targets: Iterable[str]) -> None:
        for source in sources:
            edges.setdefault(source, []).extend(targets)

    def slots(name: str, stands_for: str) -> str:
        return stands_for if isinstance(kinds.get(name), ir.Reference) else name

    for s in ir.walk(body):
        if isinstance(s, ir.Effect):
            if s.value.function is ops.change_members:
                added = _variables(s.value.args[2:])
                flows(added, [MEMBERS])
                found |= {MEMBERS} if added & varied else set()
            if s.value.function in ops.STORES_INTO_SLOTS:
                keys = _variables(s.value.args[1:2])
                flows(keys, [KEYS])
                flows(_variables(s.value.args[2:]), [VALUES])
                found |= {KEYS} if keys & varied else set()
            continue
        if not isinstance(s, ir.Assign):
            continue
        targets = ir.names_written(s)
        function = _function(s.value)
        sources = _sources(s.value)
        if reads_of_objects(s, of_objects):
            found |= targets
        if any(isinstance(kinds.get(name), ir.Members) for name in sources):
            flows([MEMBERS], [n for n in targets if may_hold(kinds.get(n))])
        if function in _READS_KEYS:
            flows((slots(name, KEYS) for name in sources), targets)
        elif function in _LOOKS_UP:
            flows((slots(name, VALUES) for name in sources), targets)
        elif function in ops.MAKES_OBJECTS:
            flows(filter(lambda name: may_hold(kinds.get(name)), sources), [VALUES])
        else:
            targets = frozenset(n for n in targets if may_hold(kinds.get(n)))
            flows(sources, targets)
            if _is_put_in(s.value) and sources & varied:
                found |= targets
    return reachable(edges, found)


def computed_from(
    body: ir.Block,
    holders: Set[str],
    kinds: Mapping[str, ir.Kind],
    of_objects: Set[str] = frozenset(),
) -> Iterator[ir.Statement]:
    """The statements that compute what may carry a derivative, and counts, from those
    of the ``holders`` that carry none, and from what is read ``of_objects``."""
    steps: list[tuple[ir.Assign, set[str]]] = []
    backwards: dict[str, list[str]] = {}
    last: set[str] = set()
    for s in ir.walk(body):
        if isinstance(s, ir.Return):
            last |= ir.names_read(s)
        elif isinstance(s, ir.Effect):
            if s.value.function in ops.STORES_INTO_SLOTS:
                last |= _variables(s.value.args[2:])
        elif isinstance(s, ir.Assign):
            followed = _followed(s.value)
            steps.append((s, followed))
            for target in ir.names_written(s):
                backwards.setdefault(target, []).extend(followed)
    useful = reachable(backwards, last)
    inactive = {name for name in holders if may_hold(kinds.get(name))}
    for s, _ in steps:
        if reads_of_objects(s, of_objects):
            inactive |= ir.names_written(s)
    for s, followed in steps:
        function = _function(s.value)
        if isinstance(function, ir.Procedure) or function in ops.MAKES_OBJECTS:
            continue  # what is called is looked at, and what reads the object
        counting = useful & ir.names_written(s)
        if followed & inactive and any(_may_vary(kinds.get(n)) for n in counting):
            yield s


def _function(value: Any) -> Any:
    """The operation that gives a value; None for a variable and the like."""
    if not isinstance(value, ir.Apply):
        return None
    if value.function is ops.at_its_time:
        return ops.done_now(value).function
    return value.function


def _is_put_in(value: Any) -> bool:
    if not isinstance(value, ir.Apply):
        return isinstance(value, ir.Pack)
    function = _function(value)
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


def reads_of_objects(statement: ir.Statement, names: Set[str]) -> bool:
    """True for what reads one of some attributes, or calls such a method, of an object
    that nothing is known of."""
    if not names or not isinstance(statement, ir.Assign):
        return False
    value = statement.value
    if isinstance(value, ir.Apply) and value.function is ops.at_its_time:
        value = ops.done_now(value)
    if not isinstance(value, ir.Apply) or value.function not in _OF_OBJECTS:
        return False
    return value.spelling.partition(":")[2] in names


_OF_OBJECTS = (ops.attribute_of_object, ops.method_of_object)


def puts_in(statement: ir.Statement) -> bool:
    """True for what puts numbers into a dict as keys, a set or a text."""
    puts = (*_PUTS_IN, *_HOLDERS, *ops.STORES_INTO_SLOTS, ops.change_members)
    return any(_function(operation) in puts for operation in ir.operations(statement))


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
