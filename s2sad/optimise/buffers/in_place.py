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
from typing import Any, TypeGuard

import numpy as np

from s2sad import ir, ops
from s2sad.analysis.dataflow.assigned import assigned_variables
from s2sad.analysis.dataflow.liveness import live_variables
from s2sad.analysis.memory.points_to import PointsTo, is_view_operation, points_to
from s2sad.analysis.passes.dead_code import must_run
from s2sad.optimise.named_back import with_names_back

_IN_PLACE = {operator.add: operator.iadd, operator.sub: operator.isub}


Follow = Callable[..., PointsTo]
"""``points_to``, or the same with what is handed over at calls known."""


def accumulate_in_place(
    function: ir.Function, follow: Follow = points_to, *, views: bool = False
) -> ir.Function:
    """The function with sums added in place where that can't be seen. With ``views``, a
    part of a buffer whose rest nobody sees isn't copied either.

    >>> from s2sad.rules.load import load_all
    >>> load_all()
    >>> vector = ir.Array("float64", (ir.Axis("many", "n"),))
    >>> new = ir.Assign(
    ...     None, ir.Var("b"), ir.Apply(ops.own_copy, (ir.Var("x"),)), vector
    ... )
    >>> summed = ir.Apply(operator.add, (ir.Var("b"), ir.Var("x")))
    >>> total = ir.Assign(None, ir.Var("b"), summed, vector, derived=True)
    >>> body = (new, total, ir.Return(None, ir.Var("b")))
    >>> function = ir.Function("f", ("x",), body, {"x": vector, "b": vector})
    >>> print(ir.function_text(accumulate_in_place(function)))
    def f(x: float64[n]):
        b = own_copy(x)  # float64[n]
        b = iadd(b, x)  # float64[n]
        return b
    """
    if not any(_is_copy(s) or _is_sum(s, function) for s in ir.walk(function.body)):
        return function
    facts, _ = live_variables(function.body, must_run)
    aliases = follow(function, facts.after)

    def change(s: ir.Statement, live: Set[str]) -> tuple[ir.Statement, ...]:
        if not _is_copy(s) and not _is_sum(s, function):
            return (s,)
        memory, value, first = aliases.before(s), s.value, s.value.args[0]
        assert isinstance(first, ir.Var)
        if _is_copy(s):
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
            ir.Assign(s.span, s.target, first, s.kind, s.derived),
        )

    return ir.altered(function, body=mapped(function.body, facts.after, change))


def _operates_on_variable(
    s: ir.Statement, *functions: Callable[..., Any]
) -> TypeGuard[ir.Line]:
    """True for ``t = operation(v, ...)``, of one of some functions."""
    if not ir.is_line(s, *functions):
        return False
    return isinstance(next(iter(s.value.args), None), ir.Var)


def _is_copy(s: ir.Statement) -> TypeGuard[ir.Line]:
    """True for a copy of a variable."""
    return _operates_on_variable(s, ops.own_copy, ops.own_rows)


def _is_sum(s: ir.Statement, function: ir.Function) -> TypeGuard[ir.Line]:
    """True for a sum that may be added in place, if nobody sees it."""
    if not _operates_on_variable(s, *_IN_PLACE):
        return False
    first = str(s.value.args[0])
    own = s.target.name.split("~")[0] == first.split("~")[0]
    wanted = own and (s.derived or s.value.spelling == "augmented")
    if s.derived and first in function.temporaries:
        # of matrices for each of many tangents there should be few
        kind = function.kinds.get(first)
        wanted |= isinstance(kind, ir.Array) and len(ir.axes_of(kind) or ()) > 2
    return wanted and fits_in_place(function, s, s.value)


def own_written_buffers(
    function: ir.Function, follow: Follow = points_to
) -> ir.Function:
    """The function with each buffer that is written into copied first, unless nobody
    else sees it.

    Not an optimisation: the emitter writes ``x_bar[i] += v`` for what the IR calls a
    new value.
    """
    if not any(_writes_buffer(s) for s in ir.walk(function.body)):
        return function
    function = _with_own_saves(with_names_back(function, ops.WRITES))
    seen = _apart_before_loops(_copied_before_loops(function, follow), follow)
    function = seen.function

    def change(s: ir.Statement, live: Set[str]) -> tuple[ir.Statement, ...]:
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
    body = mapped(function.body, seen.live, change)
    return replace(function, body=body, kinds=kinds)


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
                np.array if n in kept else copy_of(function.kinds.get(n)), (ir.Var(n),)
            ),
            function.kinds.get(n),
        )
        for n in names
    )
    return replace(function, body=_with_lines_before(function.body, loop, copies))


def copy_of(kind: ir.Kind | None) -> Any:
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
        if isinstance(loop, ir.For | ir.While) and (names := seen.to_part(loop)):
            changed = _Seen(_with_copies(seen.function, loop, names), follow)
            if len(changed.copied(loop)) < len(seen.copied(loop)):
                seen = changed
    return seen


def _outermost_loops(block: ir.Block) -> Iterator[ir.Statement]:
    for s in block:
        if isinstance(s, ir.For | ir.While):
            yield s
        else:
            for inner in ir.blocks_of(s):
                yield from _outermost_loops(inner)


def copied_first(s: ir.Assign, kinds: dict[str, ir.Kind]) -> ir.Block:
    """``t = write(b, v)`` as ``t = own_copy(b)`` and ``t = write(t, v)``; in a variable
    of its own, added to ``kinds``, where ``v`` reads ``t``."""
    assert isinstance(s.value, ir.Apply) and isinstance(s.target, ir.Var)
    first, *rest = s.value.args
    target = s.target
    clash = target in {v for a in rest for v in ir.operand_variables(a)}
    if clash:
        target = ir.Var(f"{s.target.name}.written")
        while target.name in kinds:
            target = ir.Var(f"{target.name}_")
        kinds[target.name] = s.kind or kinds[s.target.name]
    written = s.value.function in ops.WRITES  # else a list changes, its items don't
    function = copy_of(s.kind or kinds.get(str(first))) if written else ops.own_copy
    copy = ir.Assign(s.span, target, ir.Apply(function, (first,)), s.kind, s.derived)
    value = replace(s.value, args=(target, *rest))
    write = replace(s, target=target, value=value)
    if not clash:
        return copy, write
    return copy, write, ir.Assign(s.span, s.target, target, s.kind, s.derived)


def _writes_buffer(s: ir.Statement) -> TypeGuard[ir.Line]:
    return ir.is_line(s, *ops.WRITES)


def fits_in_place(function: ir.Function, s: ir.Assign, value: ir.Apply) -> bool:
    """True where the sum has the dtype and shape of the buffer it is added into."""
    kind, result = ir.array_kind(value.args[0], function.kinds), s.kind
    if kind is None or not isinstance(result, ir.Array):
        return False
    if kind.dtype is None or kind.dtype != result.dtype:
        return False
    return ir.covers(kind, ir.kind_of(value.args[1], function.kinds))


def mapped(
    block: ir.Block,
    live: Mapping[int, Set[str]],
    change: Callable[[ir.Statement, Set[str]], ir.Block],
) -> ir.Block:
    """A block with each leaf replaced by ``change(statement, live after it)``."""
    return ir.with_leaves(block, lambda s: change(s, live.get(id(s), frozenset())))
