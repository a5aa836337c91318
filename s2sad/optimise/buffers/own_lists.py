"""Own lists: a list grows in place where nobody else can see it, else a copy grows.

Takes a function in which ``appended`` makes a new list; gives one in which it extends
the list that its target holds already, as the emitter writes it::

    a = appended(b, v)         ->        a = own_copy(b)
                                         a = appended(a, v)

Not an optimisation: ``items.append(item)`` is written for what the IR calls a new
value. Whether a list is shared is followed along the paths of the program, for a loop
makes a new list at the same place in each iteration. Copies stand in front of loops,
where none are needed inside then. ``a = [*a, *b]`` is ``a += b`` where ``a`` is seen by
nobody else. A list that gets its place in run-time values is taken as it is, if nobody
else has it.
"""

from __future__ import annotations

import functools
import operator
import re
from collections import Counter
from collections.abc import Mapping, Set
from dataclasses import replace
from typing import TypeGuard

from s2sad import ir, ops
from s2sad.analysis.dataflow.assigned import assigned_variables
from s2sad.analysis.dataflow.dataflow import solve_forward
from s2sad.analysis.dataflow.liveness import live_variables
from s2sad.analysis.memory import unshared_lists
from s2sad.analysis.memory.ownership import NONE, Ownership
from s2sad.optimise.buffers.own_buffers import copied_first
from s2sad.optimise.named_back import with_names_back


def own_written_lists(
    function: ir.Function,
    ownership: Ownership = NONE,
    procedure: ir.Procedure | None = None,
) -> ir.Function:
    """The function with each list that grows held by nobody else. ``procedure`` is
    the one whose program it is.

    >>> start = ir.Assign(None, ir.Var("a"), ir.Apply(ops.new_list, ()))
    >>> first = ir.Assign(
    ...     None, ir.Var("a"), ir.Apply(ops.appended, (ir.Var("a"), ir.Var("x")))
    ... )
    >>> other = ir.Assign(None, ir.Var("b"), ir.Var("a"))
    >>> second = ir.Assign(
    ...     None, ir.Var("a"), ir.Apply(ops.appended, (ir.Var("a"), ir.Var("x")))
    ... )
    >>> body = (start, first, other, second, ir.Return(None, ir.Var("b")))
    >>> print(ir.function_text(own_written_lists(ir.Function("f", ("x",), body, {}))))
    def f(x: ?):
        a = new_list()
        a = appended(a, x)
        b = a
        a = own_copy(a)
        a = appended(a, x)
        return b
    """
    if not any(_grows(s) or _joins(s) or _keeps(s) for s in ir.walk(function.body)):
        return function
    own = ownership.own_parameters(procedure, function) & set(function.parameters)
    start = frozenset(own)
    function = with_names_back(function, ops.CONTAINER_CHANGES)
    function = replace(function, body=_with_reads_beside_takes(function.body))
    function = _appended_at_once(function)
    function = _with_own_inner_lists(function, ownership, start)
    seen = _copied_before_loops(_Seen(function, ownership, start))
    function = seen.function

    def change(s: ir.Statement) -> ir.Block:
        if _keeps(s) and not seen.is_copied(s):
            (items,) = s.value.args
            return (ir.Assign(s.span, s.target, items, s.kind, s.derived),)
        if _joins(s) and not seen.is_copied(s):
            s = replace(s, value=replace(s.value, function=ops.extended))
        elif not _grows(s):
            return (s,)
        elif seen.is_copied(s):
            return copied_first(s, kinds)
        first, *others = s.value.args
        if first == s.target:
            return (s,)
        taken = ir.Assign(s.span, s.target, first, s.kind, s.derived)
        return taken, replace(s, value=replace(s.value, args=(s.target, *others)))

    kinds = dict(function.kinds)
    names = _last_names(seen)
    body = ir.with_leaves(seen.function.body, change)
    if names:
        body = _under_other_names(body, names, kinds)
    return replace(function, body=body, kinds=kinds)


_OF_ANY_LIST = (ops.kept_list, ops.zero_items)
"""Operations of a list by value that are the same of one that is kept."""


def _last_names(seen: _Seen) -> Mapping[str, ir.Var]:
    """The lists that get their place in run-time values as they are, with the names
    that they have there."""
    uses = ir.uses_in(seen.function.body)
    once = {name for name, count in uses.writes.items() if count == 1}
    once -= {*seen.function.parameters}
    return {
        name: s.target
        for s in ir.walk(seen.function.body)
        if _keeps(s) and not seen.is_copied(s)
        if {name := str(s.value.args[0]), s.target.name} <= once
        if all(ir.is_line(r, *_OF_ANY_LIST) for r in uses.readers[name])
    }


def _under_other_names(
    block: ir.Block, names: Mapping[str, ir.Var], kinds: Mapping[str, ir.Kind]
) -> ir.Block:
    named = set(names.values())

    def name(variable: ir.Var) -> ir.Var:
        return names.get(variable.name, variable)

    def changed(s: ir.Statement) -> ir.Block:
        if not isinstance(s, ir.Assign) or s.target not in named:
            return (s,)
        return () if s.target == s.value else (replace(s, kind=kinds[str(s.target)]),)

    return ir.with_leaves(ir.renamed(block, name, name), changed)


class _Seen:
    """A function, and who sees its lists at each place."""

    def __init__(
        self, function: ir.Function, ownership: Ownership, start: frozenset[str]
    ) -> None:
        self.function, self.ownership, self.start = function, ownership, start
        # dead lines may be left
        live, _ = live_variables(function.body, lambda s: True)
        self.live: Mapping[int, Set[str]] = live.before
        self.analysis = unshared_lists.UnsharedLists(
            live.after, function.kinds, ownership
        )
        self.facts = solve_forward(function.body, start, self.analysis)

    @functools.cached_property
    def assigned(self) -> Mapping[int, Set[str]]:
        """What surely has a value, but for parts of what a call returned, which may be
        None."""
        unpacked = {
            v.name
            for s in ir.walk(self.function.body)
            if isinstance(s, ir.Assign) and isinstance(s.target, ir.Pack)
            for v in ir.operand_variables(s.target)
        }
        function = self.function
        known = assigned_variables(function.body, function.parameters).before
        unsure = unpacked | may_be_none(function)
        return {key: names - unsure for key, names in known.items()}

    def with_body(self, body: ir.Block) -> _Seen:
        function = replace(self.function, body=body)
        return _Seen(function, self.ownership, self.start)

    def is_copied(self, s: ir.Line) -> bool:
        """True for a change of a list that is copied first, and for a tuple of which a
        list gets its place in run-time values."""
        first, *others = s.value.args
        if _keeps(s):
            kind = ir.kind_of(first, self.function.kinds)
            if isinstance(kind, ir.List) and kind.constructor is tuple:
                return True
        unshared = self.facts.before.get(id(s), frozenset())
        if not isinstance(first, ir.Var) or first.name not in unshared:
            return True
        if first == s.target:
            return False
        read = {v for o in others for v in ir.operand_variables(o)}
        return not self.analysis.ends(first, s) or s.target in read

    def copied_in(self, loop: ir.Statement) -> Counter[str]:
        """How often variables are copied in each turn of a loop."""
        lines = ir.walk((loop,))
        copied = [s for s in lines if _grows(s) and self.is_copied(s)]
        return Counter(str(s.value.args[0]) for s in copied)

    def has_a_list(self, name: str, loop: ir.Statement) -> bool:
        """True for a variable that surely holds a list in front of a loop, which is
        read later."""
        live = self.live.get(id(loop), frozenset())
        assigned = self.assigned.get(id(loop), frozenset())
        return name in live and name in assigned


def may_be_none(function: ir.Function) -> Set[str]:
    """The variables that hold None on some path, where another one has a value."""
    found: set[str] = set()
    copies: list[tuple[str, str]] = []
    for s in ir.walk(function.body):
        if isinstance(s, ir.Assign) and isinstance(s.target, ir.Var):
            if s.value == ir.Const(None):
                found.add(s.target.name)
            elif isinstance(s.value, ir.Var):
                copies.append((s.value.name, s.target.name))
    grown = True
    while grown:
        more = {target for source, target in copies if source in found} - found
        found |= more
        grown = bool(more)
    return found


def _copied_before_loops(seen: _Seen) -> _Seen:
    """The function with what is somebody else's copied in front of a loop, where its
    changes in the loop need no copies then."""
    for loop in tuple(ir.walk(seen.function.body)):
        if not isinstance(loop, ir.Loop):
            continue
        for name in seen.copied_in(loop):
            if not seen.has_a_list(name, loop):
                continue
            for early in (True, False):
                trial = seen.with_body(_with_copy(seen.function, loop, name, early))
                if trial.copied_in(loop)[name] < seen.copied_in(loop)[name]:
                    seen = trial
                    break
    return seen


def _with_copy(
    function: ir.Function, loop: ir.Statement, name: str, early: bool
) -> ir.Block:
    """The program with a list copied in front of a loop; ``early`` where its variable
    gets it."""
    variable, kind = ir.Var(name), function.kinds.get(name)

    def block(lines: ir.Block) -> ir.Block:
        if not any(s is loop for s in lines):
            return tuple(ir.with_blocks(s, block) for s in lines)
        place = next(k for k, s in enumerate(lines) if s is loop)
        if not early:
            copy = ir.Apply(ops.own_copy, (variable,))
            line = ir.Assign(loop.span, variable, copy, kind)
            return (*lines[:place], line, *lines[place:])
        for k in reversed(range(place)):
            s = lines[k]
            if name in ir.names_written_within(s):
                if isinstance(s, ir.Assign) and isinstance(s.value, ir.Var):
                    s = replace(s, value=ir.Apply(ops.own_copy, (s.value,)))
                return (*lines[:k], s, *lines[k + 1 :])
        return lines

    return block(function.body)


def _with_reads_beside_takes(block: ir.Block) -> ir.Block:
    """The lines, of which those that read an item stand in front of those that take it
    away; the emitter writes ``x = items.pop()`` for both."""
    lines = [ir.with_blocks(s, _with_reads_beside_takes) for s in block]
    for taken in [s for s in lines if ir.is_line(s, ops.without_item)]:
        place = lines.index(taken)
        items, index, *_ = taken.value.args
        named = {v.name for o in (items, index) for v in ir.operand_variables(o)}
        for k in reversed(range(place)):
            s = lines[k]
            if ir.is_line(s, operator.getitem) and s.value.args == (items, index):
                between = tuple(lines[k + 1 : place])
                names = ir.names_read_in(between) | ir.names_written_in(between)
                if not {s.target.name} & names:
                    lines[k:place] = (*between, s)
                break
            if named & ir.names_written_within(s):
                break
    return tuple(lines)


def _appended_at_once(function: ir.Function) -> ir.Function:
    """The function with what is added to a zero that was just appended appended
    itself."""
    uses = ir.uses_in(function.body)

    def block(lines: ir.Block) -> ir.Block:
        result: list[ir.Statement] = []
        for s in lines:
            s = ir.with_blocks(s, block)
            last = result[-1] if result else None
            if ir.is_line(s, ops.with_item_added) and _puts_a_zero(last):
                items, place, amount = s.value.args
                alone = last.target == s.target or uses.reads[last.target.name] == 1
                _, *at, _ = last.value.args
                put = at[0] if at else ir.Const(-1)
                if alone and (items, place) == (last.target, put):
                    value = replace(last.value, args=(*last.value.args[:-1], amount))
                    result[-1] = replace(s, value=value)
                    continue
            result.append(s)
        return ir.as_block(result, lines)

    return ir.altered(function, body=block(function.body))


def _puts_a_zero(s: ir.Statement | None) -> TypeGuard[ir.Line]:
    """True for a zero that is appended, or put in front."""
    if not ir.is_line(s, ops.appended, ops.with_inserted_item):
        return False
    return s.value.args[1:] in ((ir.Const(0.0),), (ir.Const(0), ir.Const(0.0)))


def _with_own_inner_lists(
    function: ir.Function, ownership: Ownership, own: frozenset[str]
) -> ir.Function:
    """The function in which a list in a list that somebody else may see is copied, and
    the copy put in its place: for ``lists = appended_within(lists, i, v)``::

        t = getitem(lists, i)
        u = own_copy(t)
        u = appended(u, v)
        lists = with_item_stored(lists, i, u)
    """
    if not any(_changes_within(s) for s in ir.walk(function.body)):
        return function
    live, _ = live_variables(function.body, lambda s: True)
    owned = ir.Rewriting(function)
    analysis = unshared_lists.UnsharedInnerLists(live.after, function.kinds, ownership)
    start = replace(unshared_lists.NOTHING, unshared=own)
    facts = solve_forward(function.body, start, analysis)

    def change(s: ir.Statement) -> ir.Block:
        if not _changes_within(s):
            return (s,)
        if analysis.may_write_within(
            s, facts.before.get(id(s), unshared_lists.NOTHING)
        ):
            return (s,)
        return _one_copied(s, owned)

    return owned.finished(ir.with_leaves(function.body, change))


def _one_copied(s: ir.Line, owned: ir.Rewriting) -> ir.Block:
    lists, place, *others = s.value.args
    kind = s.kind or owned.kinds.get(s.target.name)
    item = kind.item if isinstance(kind, ir.List) else None
    seen, own = owned.fresh("inner", item), owned.fresh("inner", item)
    lines = (
        (seen, ir.Apply(operator.getitem, (lists, place)), item),
        (own, ir.Apply(ops.own_copy, (seen,)), item),
        (own, ir.Apply(ops.OF_ONE_LIST[s.value.function], (own, *others)), item),
        (s.target, ir.Apply(ops.with_item_stored, (lists, place, own)), s.kind),
    )
    return tuple(ir.Assign(s.span, t, value, k, s.derived) for t, value, k in lines)


def _changes_within(s: ir.Statement) -> TypeGuard[ir.Line]:
    return ir.is_line(s, *ops.CHANGES_WITHIN)


def _grows(s: ir.Statement) -> TypeGuard[ir.Line]:
    return ir.is_line(s, *ops.CONTAINER_CHANGES)


def _keeps(s: ir.Statement) -> TypeGuard[ir.Line]:
    """True for a list by value that gets a place in run-time values."""
    return ir.is_line(s, ops.kept_list)


def _joins(s: ir.Statement) -> TypeGuard[ir.Line]:
    """True for a list that is another one with more items, under the same name."""
    if not ir.is_line(s, ops.joined_lists):
        return False
    plain = [re.sub(r"~\d+", "", str(v)) for v in (s.target, s.value.args[0])]
    return plain[0] == plain[1]
