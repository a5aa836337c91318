"""In place: sums are added into buffers that nobody else can see, and needless copies
dropped.

::

    w.bar = zeros_like(w)                    w.bar = zeros_like(w)
    for ...:                           ->    for ...:
        w.bar = add(w.bar, t)                    w.bar += t
    return own_copy(w.bar)                   return w.bar
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad.analysis.dataflow.assigned import assigned_variables
from s2sad.analysis.dataflow.liveness import live_variables
from s2sad.analysis.memory.points_to import PointsTo, is_view_operation, points_to
from s2sad.analysis.passes.dead_code import must_run
from s2sad.ir.kinds import Array, Kind, List, axes_of, covers
from s2sad.ir.nodes import (
    Apply,
    Assign,
    Block,
    For,
    Function,
    Pack,
    Save,
    Statement,
    Var,
    While,
)
from s2sad.ir.walking import (
    altered,
    blocks_of,
    direct_reads,
    direct_writes,
    operand_variables,
    walk,
    with_blocks,
    with_leaves,
)
from s2sad.ops.buffers import WRITES, own_copy
from s2sad.ops.rows import own_rows
from s2sad.optimise.named_back import with_names_back

_IN_PLACE = {operator.add: operator.iadd, operator.sub: operator.isub}


Follow = Callable[..., PointsTo]
"""``points_to``, or the same with what is handed over at calls known."""


def accumulate_in_place(
    function: Function, follow: Follow = points_to, *, views: bool = False
) -> Function:
    """The function with sums added in place where that can't be seen. With ``views``, a
    part of a buffer whose rest nobody sees isn't copied either.

    >>> from s2sad.ir.kinds import Axis
    >>> from s2sad.ir.nodes import Return
    >>> from s2sad.ir.text import function_text
    >>> from s2sad.rules.load import load_all
    >>> load_all()
    >>> vector = Array("float64", (Axis("many", "n"),))
    >>> new = Assign(None, Var("b"), Apply(own_copy, (Var("x"),)), vector)
    >>> summed = Apply(operator.add, (Var("b"), Var("x")))
    >>> total = Assign(None, Var("b"), summed, vector, derived=True)
    >>> body = (new, total, Return(None, Var("b")))
    >>> function = Function("f", ("x",), body, {"x": vector, "b": vector})
    >>> print(function_text(accumulate_in_place(function)))
    def f(x: float64[n]):
        b = own_copy(x)  # float64[n]
        b = iadd(b, x)  # float64[n]
        return b
    """
    if not any(_is_copy(s) or _is_sum(s, function) for s in walk(function.body)):
        return function
    facts, _ = live_variables(function.body, must_run)
    aliases = follow(function, facts.after)

    def change(s: Statement, live: Set[str]) -> tuple[Statement, ...]:
        copies = _is_copy(s)
        if not copies and not _is_sum(s, function):
            return (s,)
        assert isinstance(s, Assign) and isinstance(s.value, Apply)
        memory, value, first = aliases.before(s), s.value, s.value.args[0]
        assert isinstance(s.target, Var) and isinstance(first, Var)
        if copies:
            alone = memory.changeable_alone if views else memory.owned_alone
            return (replace(s, value=first),) if alone(first.name, live) else (s,)
        if not memory.changeable_alone(first.name, live - {s.target.name}):
            return (s,)
        added = replace(value, function=_IN_PLACE[value.function])
        if s.target == first:
            return (replace(s, value=added),)
        # the buffer changes hands: the old name ends here
        return (
            replace(s, target=first, value=added),
            Assign(s.span, s.target, first, s.kind, s.derived),
        )

    return altered(function, body=mapped(function.body, facts.after, change))


def _operates_on_variable(s: Statement) -> bool:
    """True for ``t = operation(v, ...)``."""
    if not isinstance(s, Assign) or not isinstance(s.target, Var):
        return False
    value = s.value
    return isinstance(value, Apply) and isinstance(next(iter(value.args), None), Var)


def _is_copy(s: Statement) -> bool:
    """True for a copy of a variable."""
    return _operates_on_variable(s) and s.value.function in (own_copy, own_rows)  # type: ignore[attr-defined]


def _is_sum(s: Statement, function: Function) -> bool:
    """True for a sum that may be added in place, if nobody sees it."""
    if not _operates_on_variable(s) or s.value.function not in _IN_PLACE:  # type: ignore[attr-defined]
        return False
    assert isinstance(s, Assign) and isinstance(s.value, Apply)
    first = str(s.value.args[0])
    own = str(s.target).split("~")[0] == first.split("~")[0]
    wanted = own and (s.derived or s.value.spelling == "augmented")
    if s.derived and first in function.temporaries:
        # of matrices for each of many tangents there should be few
        kind = function.kinds.get(first)
        wanted |= isinstance(kind, Array) and len(axes_of(kind) or ()) > 2
    return wanted and fits_in_place(function, s, s.value)


def own_written_buffers(function: Function, follow: Follow = points_to) -> Function:
    """The function with each buffer that is written into copied first, unless nobody
    else sees it.

    Not an optimisation: the emitter writes ``x_bar[i] += v`` for what the IR calls a
    new value.
    """
    if not any(_writes_buffer(s) for s in walk(function.body)):
        return function
    function = with_names_back(function, WRITES)
    function = _copied_before_loops(_with_own_saves(function), follow)
    seen = _apart_before_loops(function, follow)
    function = seen.function

    def change(s: Statement, live: Set[str]) -> tuple[Statement, ...]:
        if not _writes_buffer(s):
            return (s,)
        assert isinstance(s, Assign) and isinstance(s.value, Apply)
        assert isinstance(s.target, Var)
        first = s.value.args[0]
        if seen.is_copied(s):
            return copied_first(s, kinds)
        assert isinstance(first, Var)
        if first == s.target:
            return (s,)
        hand_over = Assign(s.span, s.target, first, s.kind, s.derived)
        return replace(s, target=first), hand_over

    kinds = dict(function.kinds)
    body = mapped(function.body, seen.live, change)
    return replace(function, body=body, kinds=kinds)


def _with_own_saves(function: Function) -> Function:
    """The function with kept views of what is written into as copies: a part is copied
    where it is made, not the whole where it is written into."""
    saves = [s for s in walk(function.body) if isinstance(s, Save)]
    if not saves:
        return function
    aliases = points_to(function)
    written: frozenset[object] = frozenset()
    definitions: dict[str, list[Statement]] = {}
    for s in walk(function.body):
        if _writes_buffer(s):
            written |= aliases.anywhere.of(s.value.args[0].name)  # type: ignore[attr-defined]
        for variable in direct_writes(s):
            definitions.setdefault(variable.name, []).append(s)
    kinds = dict(function.kinds)
    parts: dict[int, Assign] = {}
    """By identity of the line that makes a view: the line that copies it."""
    kept: dict[str, Var] = {}
    for save in saves:
        name = save.value.name if isinstance(save.value, Var) else ""
        kind, made = kinds.get(name), definitions.get(name, [])
        if not _is_surely_an_array(kind):
            continue
        assert kind is not None
        if name in kept or not made or name in function.parameters:
            continue  # there is no line that gives a parameter its first value
        view = name in aliases.before(save).views and all(
            _looks_up(s, function.kinds) for s in made
        )
        if view and aliases.anywhere.of(name) & written:
            part = kept[name] = Var(f"{name}.part")
            kinds[part.name] = kind
            copy = Apply(own_copy, (Var(name),))
            for line_made in made:
                parts[id(line_made)] = Assign(line_made.span, part, copy, kind)

    def line(s: Statement) -> Block:
        if isinstance(s, Save) and isinstance(s.value, Var) and s.value.name in kept:
            return (replace(s, value=kept[s.value.name]),)
        copy = parts.get(id(s))
        return (s,) if copy is None else (s, copy)

    return replace(function, body=with_leaves(function.body, line), kinds=kinds)


def _looks_up(s: Statement, kinds: Mapping[str, Kind]) -> bool:
    """True for a line that gives an array another name, or makes a view of it."""
    if not isinstance(s, Assign) or not isinstance(s.target, Var):
        return False
    return isinstance(s.value, Var) or (
        isinstance(s.value, Apply) and is_view_operation(s.value, kinds)
    )


def _is_surely_an_array(kind: Kind | None) -> bool:
    """False where the value may turn out to be a number."""
    return isinstance(kind, Array) and not kind.promoted and kind.axes is not None


def _copied_before_loops(function: Function, follow: Follow) -> Function:
    """The function with what is somebody else's, or only a view, copied once, in front
    of the outermost loop that writes into it."""
    done: set[tuple[int, str]] = set()
    while (found := _copies_before_a_loop(function, done, follow)) is not None:
        loop, names = found
        done |= {(id(loop), name) for name in names}
        function = _with_copies(function, loop, names)
    return function


def _with_copies(function: Function, loop: Statement, names: list[str]) -> Function:
    """The function with some variables copied in front of a loop."""
    kept = _residuals(function.body)
    copies = tuple(
        Assign(
            None,
            Var(n),
            Apply(np.array if n in kept else copy_of(function.kinds.get(n)), (Var(n),)),
            function.kinds.get(n),
        )
        for n in names
    )
    return replace(function, body=_with_lines_before(function.body, loop, copies))


def copy_of(kind: Kind | None) -> Any:
    """The operation that copies a buffer, rows and all."""
    return own_rows if isinstance(kind, List) else own_copy


def _residuals(block: Block) -> set[str]:
    """The variables that hold residuals, which may be None."""
    return {
        v.name
        for s in block
        if isinstance(s, Assign) and isinstance(s.target, Pack)
        for v in operand_variables(s.target)
    }


def _with_lines_before(block: Block, place: Statement, lines: Block) -> Block:
    result: list[Statement] = []
    for s in block:
        if s is place:
            result += lines
        elif any(inner is place for inner in walk((s,))):
            s = with_blocks(s, lambda b: _with_lines_before(b, place, lines))
        result.append(s)
    return tuple(result)


def _copies_before_a_loop(
    function: Function, done: set[tuple[int, str]], follow: Follow
) -> tuple[Statement, list[str]] | None:
    """The first outermost loop that writes into what isn't the program's own, and the
    variables to copy in front of it."""
    loops = list(_outermost_loops(function.body))
    if not any(_writes_buffer(s) for s in walk(tuple(loops))):
        return None
    facts, _ = live_variables(function.body, must_run)
    aliases = follow(function, facts.after, apart=True)
    assigned = assigned_variables(function.body, function.parameters)
    for loop in loops:
        here = aliases.before(loop)
        written: set[object] = set()
        for s in walk((loop,)):
            if _writes_buffer(s):
                name = s.value.args[0].name  # type: ignore[attr-defined]
                if not aliases.before(s).is_changeable(name):
                    written |= aliases.before(s).of(name)
        read = {v.name for s in walk((loop,)) for v in direct_reads(s)}
        names = []
        for name in sorted(read & assigned.before.get(id(loop), frozenset())):
            kind = function.kinds.get(name)
            plain = _is_surely_an_array(kind)
            if plain and not here.is_changeable(name) and here.of(name) & written:
                if (id(loop), name) not in done:
                    names.append(name)
        if names:
            return loop, names
    return None


class _Seen:
    """A function, and who sees its buffers at each place."""

    def __init__(self, function: Function, follow: Follow) -> None:
        self.function = function
        facts, _ = live_variables(function.body, must_run)
        self.live, self.live_before = facts.after, facts.before
        self.aliases = follow(function, facts.after)

    def is_copied(self, s: Assign) -> bool:
        """True for a write into a buffer that is copied first."""
        assert isinstance(s.value, Apply) and isinstance(s.target, Var)
        first = s.value.args[0]
        if not isinstance(first, Var):
            return True
        others = self.live.get(id(s), frozenset[str]()) - {s.target.name}
        return not self.aliases.before(s).changeable_alone(first.name, others)

    def copied(self, loop: Statement) -> list[Assign]:
        """The writes in a loop that copy their buffer in each iteration."""
        return [
            s
            for s in walk((loop,))
            if isinstance(s, Assign) and _writes_buffer(s) and self.is_copied(s)
        ]

    def to_part(self, loop: Statement) -> list[str]:
        """The variables to copy in front of a loop, so that none that is written into
        in there shares its memory when the loop starts."""
        here = self.aliases.before(loop)
        live = self.live_before.get(id(loop), frozenset[str]())
        written: set[object] = set()
        targets: set[str] = set()
        for s in self.copied(loop):
            first = s.value.args[0]  # type: ignore[union-attr]
            if isinstance(first, Var):
                targets.add(first.name)
                written |= self.aliases.before(s).of(first.name)
        read = {v.name for s in walk((loop,)) for v in direct_reads(s)}
        parted: list[str] = []
        for name in sorted(read & live, key=lambda n: (n not in targets, n)):
            if not _is_surely_an_array(self.function.kinds.get(name)):
                continue
            if here.of(name) & written and here.shared_with(name, live - {*parted}):
                parted.append(name)
        return parted


def _apart_before_loops(function: Function, follow: Follow) -> _Seen:
    """The function with arrays that may share their memory copied in front of a loop,
    where writes in the loop need no copies then."""
    seen = _Seen(function, follow)
    for loop in tuple(walk(function.body)):
        if isinstance(loop, For | While) and (names := seen.to_part(loop)):
            changed = _Seen(_with_copies(seen.function, loop, names), follow)
            if len(changed.copied(loop)) < len(seen.copied(loop)):
                seen = changed
    return seen


def _outermost_loops(block: Block) -> Iterator[Statement]:
    for s in block:
        if isinstance(s, For | While):
            yield s
        else:
            for inner in blocks_of(s):
                yield from _outermost_loops(inner)


def copied_first(s: Assign, kinds: dict[str, Kind]) -> Block:
    """``t = write(b, v)`` as ``t = own_copy(b)`` and ``t = write(t, v)``; in a variable
    of its own, added to ``kinds``, where ``v`` reads ``t``."""
    assert isinstance(s.value, Apply) and isinstance(s.target, Var)
    first, *rest = s.value.args
    target = s.target
    clash = target in {v for a in rest for v in operand_variables(a)}
    if clash:
        target = Var(f"{s.target.name}.written")
        while target.name in kinds:
            target = Var(f"{target.name}_")
        kinds[target.name] = s.kind or kinds[s.target.name]
    written = s.value.function in WRITES  # else a list changes, its items don't
    function = copy_of(s.kind or kinds.get(str(first))) if written else own_copy
    copy = Assign(s.span, target, Apply(function, (first,)), s.kind, s.derived)
    value = replace(s.value, args=(target, *rest))
    write = replace(s, target=target, value=value)
    if not clash:
        return copy, write
    return copy, write, Assign(s.span, s.target, target, s.kind, s.derived)


def _writes_buffer(s: Statement) -> bool:
    return (
        isinstance(s, Assign)
        and isinstance(s.value, Apply)
        and s.value.function in WRITES
    )


def fits_in_place(function: Function, s: Assign, value: Apply) -> bool:
    """True where the sum has the dtype and shape of the buffer it is added into."""
    first = value.args[0]
    assert isinstance(first, Var) and isinstance(s.target, Var)
    kind, result = function.kinds.get(first.name), s.kind
    if not isinstance(kind, Array) or not isinstance(result, Array) or kind.promoted:
        return False
    if kind.dtype is None or kind.dtype != result.dtype:
        return False
    second = value.args[1]
    added = function.kinds.get(second.name) if isinstance(second, Var) else None
    return covers(kind, added)


def mapped(
    block: Block,
    live: Mapping[int, Set[str]],
    change: Callable[[Statement, Set[str]], Block],
) -> Block:
    """A block with each leaf replaced by ``change(statement, live after it)``."""
    return with_leaves(block, lambda s: change(s, live.get(id(s), frozenset())))
