"""Own buffers: what is written into is copied first, unless nobody else sees it.

::

    a = index_add(b, i, v)               a = own_copy(b)
    return a, b                ->        a = index_add(a, i, v)
                                         return a, b

Not an optimisation: the emitter writes ``x_bar[i] += v`` for what the IR calls a new
value. Copies stand where few are made, in front of loops and where a part is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeGuard

import numpy as np

from s2sad import ir, ops
from s2sad.analysis.dataflow.assigned import assigned_variables
from s2sad.analysis.dataflow.liveness import live_variables
from s2sad.analysis.memory.points_to import PointsTo, points_to
from s2sad.analysis.memory.view_operations import is_view_operation
from s2sad.analysis.passes.dead_code import must_run
from s2sad.optimise.named_back import with_names_back

Follow = Callable[..., PointsTo]
"""``points_to``, or the same with what is handed over at calls known."""


def own_written_buffers(
    function: ir.Function, follow: Follow = points_to
) -> ir.Function:
    """The function with each buffer that is written into copied first, unless nobody
    else sees it."""
    if not any(_writes_buffer(s) for s in ir.walk(function.body)):
        return function
    function = _with_own_saves(with_names_back(function, ops.WRITES))
    seen = _apart_before_loops(_copied_before_loops(function, follow), follow)
    function = seen.function

    def change(s: ir.Statement) -> ir.Block:
        if not _writes_buffer(s):
            return (s,)
        first = s.value.args[0]
        if seen.is_copied(s):
            return copied_first(s, kinds)
        assert isinstance(first, ir.Var)
        if first == s.target:
            return (s,)
        hand_over = ir.Assign(s.span, s.target, first, s.kind, s.derived)
        return replace(s, target=first), hand_over

    kinds = dict(function.kinds)
    body = _with_filled(ir.with_leaves(function.body, change))
    return replace(function, body=body, kinds=kinds)


def _with_filled(block: ir.Block) -> ir.Block:
    """A block with ``b = full_like_of(1.0, x)`` for ``b = broadcast_like(1.0, x); b =
    own_copy(b)``."""
    result: list[ir.Statement] = []
    spread: dict[str, tuple[int, ir.Line]] = {}
    """The lines that spread numbers to arrays which nothing has read since."""
    for s in block:
        s = ir.with_blocks(s, _with_filled)
        if ir.is_line(s, ops.own_copy) and s.value.args[0] == s.target:
            place, line = spread.pop(s.target.name, (0, s))
            if line is not s:
                filled = replace(line.value, function=ops.full_like_of)
                result[place] = replace(line, value=filled)
                continue
        for name in ir.names_read_within(s) | ir.names_written_in((s,)):
            spread.pop(name, None)
        if ir.is_line(s, ops.broadcast_like):
            spread[s.target.name] = len(result), s
        result.append(s)
    return ir.as_block(result, block)


def _with_own_saves(function: ir.Function) -> ir.Function:
    """The function with kept views of what is written into as copies: a part is copied
    where it is made, not the whole where it is written into."""
    if not any(isinstance(s, ir.Save) for s in ir.walk(function.body)):
        return function
    definitions = ir.uses_in(function.body).definitions
    kinds = dict(function.kinds)

    def may_keep_a_view(s: ir.Statement) -> bool:
        """A parameter has no line that gives it its first value."""
        name = _saved_name(s)
        made = definitions.get(name, ()) if name not in function.parameters else ()
        plain = bool(made) and _is_surely_an_array(kinds.get(name))
        return plain and all(_looks_up(line, kinds) for line in made)

    saves = [s for s in ir.walk(function.body) if may_keep_a_view(s)]
    if not saves:
        return function
    aliases = points_to(function)
    written: frozenset[object] = frozenset().union(
        *(
            aliases.anywhere.of(str(s.value.args[0]))
            for s in ir.walk(function.body)
            if _writes_buffer(s)
        )
    )
    parts: dict[int, ir.Assign] = {}
    """By identity of the line that makes a view: the line that copies it."""
    kept: dict[str, ir.Var] = {}
    for save in saves:
        name = _saved_name(save)
        if name in kept or name not in aliases.before(save).views:
            continue
        if aliases.anywhere.of(name) & written:
            part = kept[name] = ir.Var(f"{name}.part")
            kind = kinds[part.name] = kinds[name]
            copy = ir.Apply(ops.own_copy, (ir.Var(name),))
            for line_made in definitions[name]:
                parts[id(line_made)] = ir.Assign(line_made.span, part, copy, kind)

    def line(s: ir.Statement) -> ir.Block:
        if isinstance(s, ir.Save) and _saved_name(s) in kept:
            return (replace(s, value=kept[_saved_name(s)]),)
        copy = parts.get(id(s))
        return (s,) if copy is None else (s, copy)

    return replace(function, body=ir.with_leaves(function.body, line), kinds=kinds)


def _saved_name(s: ir.Statement) -> str:
    """The variable that a line keeps; empty for other lines."""
    if isinstance(s, ir.Save) and isinstance(s.value, ir.Var):
        return s.value.name
    return ""


def _looks_up(s: ir.Statement, kinds: Mapping[str, ir.Kind]) -> bool:
    """True for a line that gives an array another name, or makes a view of it."""
    if ir.is_line(s):
        return is_view_operation(s.value, kinds)
    return isinstance(s, ir.Assign) and isinstance(s.value, ir.Var)


def _is_surely_an_array(kind: ir.Kind | None) -> bool:
    """False where the value may turn out to be a number."""
    return isinstance(kind, ir.Array) and not kind.promoted and kind.axes is not None


def _copied_before_loops(function: ir.Function, follow: Follow) -> _Seen:
    """The function with what is somebody else's, or only a view, copied once, in front
    of the outermost loop that writes into it."""
    seen = _Seen(function, follow)
    done: set[tuple[int, str]] = set()
    while (found := _copies_before_a_loop(seen, done, follow)) is not None:
        loop, names = found
        done |= {(id(loop), name) for name in names}
        seen = _Seen(_with_copies(seen.function, loop, names), follow)
    return seen


def _with_copies(
    function: ir.Function, loop: ir.Statement, names: list[str]
) -> ir.Function:
    """The function with some variables copied in front of a loop."""
    kept = _residuals(function.body)
    copies = tuple(
        ir.Assign(
            None,
            ir.Var(n),
            ir.Apply(
                np.array if n in kept else _copy_of(function.kinds.get(n)), (ir.Var(n),)
            ),
            function.kinds.get(n),
        )
        for n in names
    )
    return replace(function, body=_with_lines_before(function.body, loop, copies))


def _copy_of(kind: ir.Kind | None) -> Any:
    """The operation that copies a buffer, rows and all."""
    return ops.own_rows if isinstance(kind, ir.List) else ops.own_copy


def _residuals(block: ir.Block) -> set[str]:
    """The variables that hold residuals, which may be None."""
    return {
        v.name
        for s in block
        if isinstance(s, ir.Assign) and isinstance(s.target, ir.Pack)
        for v in ir.operand_variables(s.target)
    }


def _with_lines_before(
    block: ir.Block, place: ir.Statement, lines: ir.Block
) -> ir.Block:
    result: list[ir.Statement] = []
    for s in block:
        if s is place:
            result += lines
        elif any(inner is place for inner in ir.walk((s,))):
            s = ir.with_blocks(s, lambda b: _with_lines_before(b, place, lines))
        result.append(s)
    return tuple(result)


def _copies_before_a_loop(
    seen: _Seen, done: set[tuple[int, str]], follow: Follow
) -> tuple[ir.Statement, list[str]] | None:
    """The first outermost loop that writes into what isn't the program's own, and the
    variables to copy in front of it."""
    function = seen.function
    loops = [
        loop
        for loop in _outermost_loops(function.body)
        if any(map(seen.is_of_others, ir.walk((loop,))))
    ]
    if not loops:
        return None
    aliases = follow(function, seen.live, apart=True)
    assigned = assigned_variables(function.body, function.parameters)
    for loop in loops:
        here = aliases.before(loop)
        written: set[object] = set()
        for s in ir.walk((loop,)):
            if seen.is_of_others(s):
                written |= aliases.before(s).of(str(s.value.args[0]))
        read = ir.names_read_within(loop)
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

    def __init__(self, function: ir.Function, follow: Follow) -> None:
        self.function = function
        facts, _ = live_variables(function.body, must_run)
        self.live, self.live_before = facts.after, facts.before
        self.aliases = follow(function, facts.after)

    def is_of_others(self, s: ir.Statement) -> TypeGuard[ir.Line]:
        """True for a write into a buffer that isn't the program's own."""
        if not _writes_buffer(s):
            return False
        return not self.aliases.before(s).is_changeable(str(s.value.args[0]))

    def is_copied(self, s: ir.Line) -> bool:
        """True for a write into a buffer that is copied first."""
        first = s.value.args[0]
        if not isinstance(first, ir.Var):
            return True
        others = self.live.get(id(s), frozenset[str]()) - {s.target.name}
        return not self.aliases.before(s).changeable_alone(first.name, others)

    def copied(self, loop: ir.Statement) -> list[ir.Line]:
        """The writes in a loop that copy their buffer in each iteration."""
        lines = ir.walk((loop,))
        return [s for s in lines if _writes_buffer(s) and self.is_copied(s)]

    def to_part(self, loop: ir.Statement) -> list[str]:
        """The variables to copy in front of a loop, so that none that is written into
        in there shares its memory when the loop starts."""
        here = self.aliases.before(loop)
        live = self.live_before.get(id(loop), frozenset[str]())
        written: set[object] = set()
        targets: set[str] = set()
        for s in self.copied(loop):
            first = s.value.args[0]
            if isinstance(first, ir.Var):
                targets.add(first.name)
                written |= self.aliases.before(s).of(first.name)
        read = ir.names_read_within(loop)
        parted: list[str] = []
        for name in sorted(read & live, key=lambda n: (n not in targets, n)):
            if not _is_surely_an_array(self.function.kinds.get(name)):
                continue
            if here.of(name) & written and here.shared_with(name, live - {*parted}):
                parted.append(name)
        return parted


def _apart_before_loops(seen: _Seen, follow: Follow) -> _Seen:
    """The function with arrays that may share their memory copied in front of a loop,
    where writes in the loop need no copies then."""
    for loop in tuple(ir.walk(seen.function.body)):
        if isinstance(loop, ir.Loop) and (names := seen.to_part(loop)):
            changed = _Seen(_with_copies(seen.function, loop, names), follow)
            if len(changed.copied(loop)) < len(seen.copied(loop)):
                seen = changed
    return seen


def _outermost_loops(block: ir.Block) -> Iterator[ir.Statement]:
    for s in block:
        if isinstance(s, ir.Loop):
            yield s
        else:
            for inner in ir.blocks_of(s):
                yield from _outermost_loops(inner)


def copied_first(s: ir.Line, kinds: dict[str, ir.Kind]) -> ir.Block:
    """``t = write(b, v)`` as ``t = own_copy(b)`` and ``t = write(t, v)``; in a variable
    of its own, added to ``kinds``, where ``v`` reads ``t``."""
    first, *rest = s.value.args
    target = s.target
    clash = target in {v for a in rest for v in ir.operand_variables(a)}
    if clash:
        target = ir.Var(f"{s.target.name}.written")
        while target.name in kinds:
            target = ir.Var(f"{target.name}_")
        kinds[target.name] = s.kind or kinds[s.target.name]
    written = s.value.function in ops.WRITES  # else a list changes, its items don't
    function = _copy_of(s.kind or kinds.get(str(first))) if written else ops.own_copy
    copy = ir.Assign(s.span, target, ir.Apply(function, (first,)), s.kind, s.derived)
    value = replace(s.value, args=(target, *rest))
    write = replace(s, target=target, value=value)
    if not clash:
        return copy, write
    return copy, write, ir.Assign(s.span, s.target, target, s.kind, s.derived)


def _writes_buffer(s: ir.Statement) -> TypeGuard[ir.Line]:
    return ir.is_line(s, *ops.WRITES)
