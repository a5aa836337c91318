"""Residuals as they are handed on at last: what one path alone keeps by that path, what
the reverse program doesn't read not at all.

::

    q = None                                if p < 0.5:
    r = None                                    q = log(p)
    if p < 0.5:                                 saved = q
        q = log(p)                ->        else:
    else:                                       r = sqrt(p)
        r = sqrt(p)                             saved = r
    return result, (c, q, r)                return result, (c, saved)

The reverse program takes it apart on the same path. Only the two programs of a pair
know what residuals look like, so both are changed at once, and last.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeGuard

from s2sad import ir
from s2sad.analysis.dataflow import assigned
from s2sad.analysis.passes.dead_code import remove_dead_code


def with_residuals_of_branches(
    programs: dict[ir.Procedure, ir.Function],
) -> dict[ir.Procedure, ir.Function]:
    """The programs with the residuals of pairs handed on by the paths that keep them;
    as they are where others than pairs read residuals."""
    reverses = [p for p in programs if p.reverses is not None]
    forwards = [p.reverses[0] for p in reverses if p.reverses is not None]
    if not all(
        p in reverses
        or p in forwards
        or p.is_alone
        or (p.details and not p.details.made)
        for p in programs
    ):
        return programs
    changed = dict(programs)
    for reverse, forward in zip(reverses, forwards, strict=True):
        if forwards.count(forward) == 1 and forward in programs:
            changed[forward], changed[reverse] = _changed(
                programs[forward], programs[reverse]
            )
    return changed


def _changed(
    forward: ir.Function, reverse: ir.Function
) -> tuple[ir.Function, ir.Function]:
    last, taken = forward.body[-1], ir.residuals_taken(reverse)
    if not (
        taken is not None
        and isinstance(last, ir.Return)
        and isinstance(last.value, ir.Pack)
        and isinstance(kept := last.value.items[-1], ir.Pack)
        and len(kept.items) == len(taken[1].items)
    ):
        return forward, reverse
    first, names = taken
    residuals = [
        _Residual(own.name, name.name)
        for own, name in zip(kept.items, names.items, strict=True)
        if isinstance(own, ir.Var) and isinstance(name, ir.Var)
    ]
    if len({r.own for r in residuals}) < len(kept.items):
        return forward, reverse
    others = tuple(s for s in reverse.body if s is not first)
    read = ir.names_read_in(others)
    before, residuals = residuals, [r for r in residuals if r.name in read]
    fewer = len(residuals) < len(before)
    residuals = _as_computed(residuals, forward)
    nesting = _Nesting(forward, reverse)
    ahead = _with_placeholders_in_order(forward.body[:-1])
    ahead, back, handed = nesting.nested(ahead, others, residuals)
    if handed == before:
        return forward, reverse
    kinds = dict(forward.kinds), dict(reverse.kinds)
    for new, old in nesting.named.items():
        for known, name in zip(kinds, (old.own, old.name), strict=True):
            if name in known:
                known[new] = known[name]
    value = ir.pack_tuple(
        *last.value.items[:-1], ir.pack_tuple(*(ir.Var(r.own) for r in handed))
    )
    unpack = replace(first, target=ir.pack_tuple(*(ir.Var(r.name) for r in handed)))
    ahead = tuple(s for s in ahead if not nesting.is_placeholder(s))
    ahead = (*ahead, replace(last, value=value))
    forward = replace(forward, body=ahead, kinds=kinds[0])
    return (
        remove_dead_code(forward) if fewer else forward,
        replace(reverse, body=(unpack, *back) if handed else back, kinds=kinds[1]),
    )


@dataclass(frozen=True)
class _Residual:
    own: str
    """Its variable in the forward program."""
    name: str
    """That in the reverse program."""


def _as_computed(residuals: list[_Residual], forward: ir.Function) -> list[_Residual]:
    """Residuals of one name in the order in which they are computed; the others stay
    where they are."""
    places = _places(forward.body)
    alike: dict[str, list[_Residual]] = {}
    for residual in residuals:
        alike.setdefault(_stem(residual.own), []).append(residual)
    for same in alike.values():
        same.sort(key=lambda r: places.get(r.own, -1), reverse=True)
    return [alike[_stem(residual.own)].pop() for residual in residuals]


def _places(block: ir.Block) -> dict[str, int]:
    """When variables get their first values, by name."""
    lines = (s for s in ir.walk(block) if not _gives_none(s))
    written = [v.name for s in lines for v in ir.direct_writes(s)]
    return {name: place for place, name in reversed([*enumerate(written)])}


def _with_placeholders_in_order(block: ir.Block) -> ir.Block:
    """A block that starts with variables without a value, which are numbered as they
    stand, in the order in which they get one."""
    first = list(itertools.takewhile(_gives_none, block))
    places = _places(block)
    first.sort(key=lambda s: places.get(str(ir.direct_writes(s)[0]), -1))
    return (*first, *block[len(first) :])


class _Nesting:
    """The residuals of one pair, from the outermost branches to the innermost."""

    def __init__(self, forward: ir.Function, reverse: ir.Function) -> None:
        bodies = forward.body, reverse.body
        self.taken = {*ir.names_read_in(*bodies), *ir.names_written_in(*bodies)}
        self.kinds = forward.kinds, reverse.kinds
        self.parameters = frozenset(forward.parameters)
        *results, _ = ir.tuple_items(forward.final.value)
        self.returned = {v.name for r in results for v in ir.operand_variables(r)}
        self.named: dict[str, _Residual] = {}
        """Names for values that one path alone keeps."""
        self.moved: set[str] = set()
        """The variables that no longer need a value on all paths."""

    def nested(
        self, ahead: ir.Block, back: ir.Block, residuals: list[_Residual]
    ) -> tuple[ir.Block, ir.Block, list[_Residual]]:
        """Two blocks of which the first hands residuals to the second, with fewer to
        hand on."""
        for place, branch in enumerate(ahead):
            test = branch.test if isinstance(branch, ir.If) else None
            known = [r for r in residuals if test == ir.Var(r.own)]
            if not known or not isinstance(branch, ir.If):
                continue
            places = [
                k
                for k, s in enumerate(back)
                if isinstance(s, ir.If) and s.test == ir.Var(known[0].name)
            ]
            if len(places) != 1 or self._is_rebound(known[0], ahead, back):
                continue
            mirror = back[places[0]]
            assert isinstance(mirror, ir.If)
            arms = [
                self._of_arm(k, branch, mirror, ahead, back, residuals)
                for k in range(2)
            ]
            if not any(arms):
                continue
            blocks = zip(ir.blocks_of(branch), ir.blocks_of(mirror), arms, strict=True)
            inner = [self.nested(*parts) for parts in blocks]
            handed = [kept for *_, kept in inner]
            alone = self._is_alone(handed)
            saved = self._fresh(handed[0] + handed[1] if alone else [])
            if alone:
                self.named[saved] = (handed[0] + handed[1])[0]
            bodies = [_handing_on(*parts, saved, alone) for parts in inner]
            moved = [*arms[0], *arms[1]]
            self.moved |= {r.own for r in moved}
            residuals = [r for r in residuals if r not in moved]
            residuals.append(_Residual(saved, saved))
            branch = ir.rebuilt(branch, [a for a, _ in bodies])
            mirrored = ir.rebuilt(mirror, [b for _, b in bodies])
            ahead = _with_line(ahead, place, branch)
            back = _with_line(back, places[0], mirrored)
        return ahead, back, residuals

    def is_placeholder(self, statement: ir.Statement) -> bool:
        """True for a line that gives a variable a value on the paths that don't keep
        it, where that isn't needed any more."""
        return (
            _gives_none(statement)
            and isinstance(statement.target, ir.Var)
            and statement.target.name in self.moved
        )

    def _is_alone(self, arms: list[list[_Residual]]) -> bool:
        """True for paths that keep one value of a name, or none."""
        kept = [r for arm in arms for r in arm]
        stems = {_stem(name) for r in kept for name in (r.own, r.name)}
        kinds = {(self.kinds[0].get(r.own), self.kinds[1].get(r.name)) for r in kept}
        return len(stems) == len(kinds) == 1 and max(map(len, arms)) == 1

    def _fresh(self, kept: list[_Residual]) -> str:
        """A name for what paths keep: that of the only value, if there is one."""
        stem = _stem(kept[0].own) if kept else "saved"
        names = (f"{stem}.{count}" for count in itertools.count(1))
        name = next(name for name in names if name not in self.taken)
        self.taken.add(name)
        return name

    def _is_rebound(self, test: _Residual, ahead: ir.Block, back: ir.Block) -> bool:
        times = [v.name for s in ir.walk(ahead) for v in ir.direct_writes(s)]
        return times.count(test.own) != 1 or test.name in ir.names_written_in(back)

    def _of_arm(
        self,
        arm: int,
        branch: ir.If,
        mirror: ir.If,
        ahead: ir.Block,
        back: ir.Block,
        residuals: list[_Residual],
    ) -> list[_Residual]:
        """The residuals that one path alone binds, and reads again."""
        own, other = ir.blocks_of(branch)[arm], ir.blocks_of(mirror)[arm]
        outside = list(_outside(ahead, branch, arm))
        outside_back = list(_outside(back, mirror, arm))
        elsewhere = ir.names_read_in(outside) | self.returned
        given = (s for s in outside if not _gives_none(s))
        bound = self.parameters.union(*map(ir.names_written, given))
        there = ir.names_read_in(outside_back) | ir.names_written_in(outside_back)
        free = ir.names_written_in(own) - elsewhere - bound
        taken = there | ir.names_written_in(other)
        return [r for r in residuals if r.own in free and r.name not in taken]


def _handing_on(
    own: ir.Block, other: ir.Block, handed: list[_Residual], saved: str, alone: bool
) -> tuple[ir.Block, ir.Block]:
    """The two blocks of a path, of which the first hands on what it keeps."""
    if handed and alone:
        (single,) = handed
        own = _with_name(own, single.own, saved)
        other = _with_name(other, single.name, saved)
        handed = [_Residual(saved, saved)]
    bound = assigned.assigned_on_every_path(own, ())
    missing = [ir.Var(r.own) for r in handed if r.own not in bound]
    own = (*(ir.Assign(None, v, ir.Const(None)) for v in missing), *own)
    if handed and alone:
        return own, other
    kept: ir.Operand = ir.Const(None)
    if handed:
        kept = ir.pack_tuple(*(ir.Var(r.own) for r in handed))
        names = ir.pack_tuple(*(ir.Var(r.name) for r in handed))
        other = (ir.Assign(None, names, ir.Var(saved)), *other)
    return (*own, ir.Assign(None, ir.Var(saved), kept)), other


def _stem(name: str) -> str:
    return name.partition("~")[0].partition(".")[0]


def _with_name(block: ir.Block, name: str, new: str) -> ir.Block:
    def rename(variable: ir.Var) -> ir.Operand:
        return ir.Var(new) if variable.name == name else variable

    return ir.renamed(block, rename, rename)


def _outside(block: ir.Block, branch: ir.If, arm: int) -> Iterator[ir.Statement]:
    """All statements of a block but those of one arm of a branch."""
    for statement in block:
        if statement is branch:
            yield replace(branch, body=(), orelse=())
            yield from ir.walk(ir.blocks_of(branch)[1 - arm])
        else:
            yield from ir.walk((statement,))


def _gives_none(statement: ir.Statement) -> TypeGuard[ir.Assign]:
    return isinstance(statement, ir.Assign) and statement.value == ir.Const(None)


def _with_line(
    block: Sequence[ir.Statement], place: int, line: ir.Statement
) -> ir.Block:
    return (*block[:place], line, *block[place + 1 :])
