"""Values that cancel: those on which no result depends, although lines that compute it
read them.

The greatest element is subtracted from the exponents, so that none overflows, and added
again or divided out::

    m = max(x)
    z = sub(x, m)  # m by a shift of -1
    e = exp(z)  # by a factor of exp(-m)
    s = sum(e)  # likewise
    t = log(s)  # by a shift of -1
    y = add(t, m)  # not at all

Here y is the same whatever m is, so m needs no adjoint and no tangent. What is shown of
a value is how it changes when m grows by h: by ``c * h`` (a *shift*), or by a factor of
``exp(c * h)`` (:mod:`s2sad.analysis.numbers.shifts_and_factors`). Where m is divided by
instead, h is the growth of its logarithm, and m itself changes by a factor.

Only what chooses among others (an extremum, ``where``, a loop that looks for one of
many values) is asked about. Its derivative is a search for ties, and a scale is chosen
rather than computed. All that reads it, or what is made of it, must be understood and
stand in one block, or in loops of that block. A sum that a loop adds up from zero
changes by a factor if all that is added does.
"""

import operator
from collections import Counter
from collections.abc import Iterator, Mapping, Set
from fractions import Fraction

import numpy as np

from s2sad import ir, ops
from s2sad.analysis.numbers.shifts_and_factors import (
    EXTREMA,
    Dependence,
    Found,
    Operation,
    Untold,
    axes_of_real,
    follower,
)
from s2sad.analysis.reverse.activity import carries_derivative
from s2sad.rules.steps.stopped import with_derivative_of

_CHOOSING = (
    *(*EXTREMA, np.maximum, np.minimum, np.fmax, np.fmin, max, min),
    *(np.where, np.nan_to_num, with_derivative_of),
)


def cancelling_variables(function: ir.Function) -> frozenset[str]:
    """The variables on which no result depends, each of them given the others.

    >>> import operator
    >>> from s2sad.rules.load import load_all
    >>> load_all()
    >>> kinds = dict.fromkeys("abmdefy", ir.NumPyScalar("float64"))
    >>> def line(name, function, *args):
    ...     return ir.Assign(
    ...         None, ir.Var(name), ir.Apply(function, tuple(map(ir.Var, args)))
    ...     )
    >>> body = (
    ...     line("m", np.maximum, "a", "b"),
    ...     line("d", operator.sub, "a", "m"),
    ...     line("e", np.exp, "d"),
    ...     line("f", np.log, "e"),
    ... )
    >>> shifted = (
    ...     *body,
    ...     line("y", operator.add, "f", "m"),
    ...     ir.Return(None, ir.Var("y")),
    ... )
    >>> sorted(cancelling_variables(ir.Function("f", ("a", "b"), shifted, kinds)))
    ['m']
    >>> plain = (*body, ir.Return(None, ir.Var("f")))
    >>> sorted(cancelling_variables(ir.Function("f", ("a", "b"), plain, kinds)))
    []
    """
    candidates = [
        (block, place, s.target.name)
        for block in ir.all_blocks(function.body)
        for place, s in enumerate(block)
        if ir.is_line(s, *_CHOOSING)
    ]
    if not candidates:
        return frozenset()
    facts = _Facts(function)
    return frozenset(
        name
        for block, place, name in candidates
        if any(facts.cancels(block, place, name, factor) for factor in (False, True))
    )


class _Facts:
    """What is asked of one function."""

    def __init__(self, function: ir.Function) -> None:
        self.kinds: Mapping[str, ir.Kind] = function.kinds
        uses = ir.uses_in(function.body)
        self.reads = uses.reads
        self.written = uses.writes + Counter(function.parameters)
        self.definitions: Mapping[str, ir.Apply] = {
            s.target.name: s.value for s in ir.walk(function.body) if ir.is_line(s)
        }
        self.once: Set[str] = {n for n, count in self.written.items() if count == 1}

    def cancels(self, block: ir.Block, place: int, name: str, factor: bool) -> bool:
        """Whether no result depends on what the line at a place gives."""
        made = block[place]
        assert isinstance(made, ir.Assign)
        axes = axes_of_real(made.kind or self.kinds.get(name))
        if axes is None or name not in self.once or not self.reads[name]:
            return False
        own = tuple(None if a.length == "one" else k for k, a in enumerate(axes))
        found = {name: Dependence(factor, Fraction(1), own)}
        seen: Counter[str] = Counter()
        try:
            behind = block[place + 1 :]
            sums = _sums_from_zero(behind)
            for s in _with_loops(behind):
                read = [v.name for v in ir.direct_reads(s) if v.name in found]
                if not read:
                    continue
                added = sums.get(id(s))
                if added is not None:
                    self.add_up(s, added, found)
                    seen.update(v.name for v in ir.direct_reads(s))
                    continue
                seen.update(read)
                result = self.dependence(s, found)
                if result is None:
                    continue
                assert isinstance(s, ir.Assign) and isinstance(s.target, ir.Var)
                if s.target.name not in self.once:
                    return False
                if result.power:
                    found[s.target.name] = result
        except Untold:
            return False
        return all(seen[known] == self.reads[known] for known in found)

    def add_up(self, s: ir.Statement, added: str, found: dict[str, Dependence]) -> None:
        """Note how a sum depends to which a loop adds: by the factor of what it adds,
        which is the same in each turn."""
        assert isinstance(s, ir.Assign) and isinstance(s.target, ir.Var)
        known, name = found.get(added), s.target.name
        if (
            known is None
            or not known.factor
            or axes_of_real(self.kinds.get(name)) != ()
        ):
            raise Untold
        if self.written[name] != 2:
            raise Untold
        found[name] = known

    def dependence(self, s: object, found: Found) -> Dependence | None:
        """How what a line gives depends; None where no derivative goes through it."""
        match s:
            case ir.Effect() if not ops.takes_derivatives(s):
                return None
            case ir.Assign(value=value) if not carries_derivative(value):
                return None
            case ir.Assign(target=ir.Var(name), value=ir.Var(source)):
                return found[source]
            case ir.Assign(target=ir.Var(name), value=ir.Apply() as call, kind=kind):
                axes = axes_of_real(kind or self.kinds.get(name))
                follow = follower(call.function)
                if follow is None or axes is None:
                    raise Untold
                return follow(Operation(call, len(axes), found, self))
            case ir.If() | ir.While():
                return None  # a condition
        raise Untold


def _with_loops(block: ir.Block) -> Iterator[ir.Statement]:
    """The statements of a block and of the loops in it, in order of text."""
    for s in block:
        yield s
        if isinstance(s, ir.For):
            yield from _with_loops(s.body)


def _sums_from_zero(block: ir.Block) -> dict[int, str]:
    """The lines ``t = t + e`` of loops in a block, for sums ``t`` that are zero in
    front of the loop, each with the name of what is added. (Whether other lines assign
    the sum isn't asked.)"""
    zero: set[str] = set()
    found: dict[int, str] = {}
    for s in block:
        if isinstance(s, ir.Assign) and isinstance(s.target, ir.Var):
            if s.value in (ir.Const(0.0), ir.Const(0)):
                zero.add(s.target.name)
        elif isinstance(s, ir.For):
            for line in _with_loops(s.body):
                added = _added(line, zero)
                if added is not None:
                    found[id(line)] = added
    return found


def _added(s: ir.Statement, sums: Set[str]) -> str | None:
    """What a line adds to one of these sums."""
    match s:
        case ir.Assign(
            target=ir.Var(name=name),
            value=ir.Apply(
                function=operator.add | operator.iadd, args=args, keywords=()
            ),
        ) if name in sums and len(args) == 2 and ir.Var(name) in args:
            other = args[1] if args[0] == ir.Var(name) else args[0]
            if isinstance(other, ir.Var) and other.name != name:
                return other.name
    return None
