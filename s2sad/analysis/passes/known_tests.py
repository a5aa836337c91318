"""Tests of which a branch tells the outcome: what is asked again there isn't asked. Nor
is where the value of a key is, nor what else would have raised.

::

    c = contains(k, d)                    c = contains(k, d)
    if c:                                 if c:
        ...                        ->         ...
        t = contains(k, d)                    v = with_item_stored(v, p, x)
        if t:
            v = with_item_stored(v, p, x)
        else: ...
    n = len(theta)                        n = len(theta)
    if n != 4: raise                      if n != 4: raise
    ...                            ->     ...
    m = len(theta)                        m = len(theta)
    if m != 4: raise
"""

import operator
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from s2sad import ir, ops

_COMPARISONS = (
    *(operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne),
)
_IDENTITIES = operator.is_, operator.is_not
_PLACES = (ops.places_of, ops.places_of_keys, ops.place_added, ops.place_removed)
"""What gives the dict that says where the values of keys are: it is a value, as other
containers of unknown kind aren't."""

Test = tuple[Hashable, tuple[Hashable, ...]]
Asked = tuple[Test, bool]
"""A test, and whether what is held is what it gave, or the opposite."""


def with_known_tests(function: ir.Function) -> ir.Function:
    """The function without tests whose outcome is known.

    >>> asked = ir.Apply(ops.contains, (ir.Var("k"), ir.Var("d")))
    >>> def line(name, value):
    ...     return ir.Assign(None, ir.Var(name), value)
    >>> inner = ir.If(
    ...     None, ir.Var("t"), (line("y", ir.Const(1.0)),), (line("y", ir.Const(2.0)),)
    ... )
    >>> again = (line("t", asked), inner)
    >>> body = (
    ...     line("d", ir.Apply(ops.places_of, ())),
    ...     line("c", asked),
    ...     ir.If(None, ir.Var("c"), again, (line("y", ir.Const(3.0)),)),
    ...     ir.Return(None, ir.Var("y")),
    ... )
    >>> print(ir.function_text(with_known_tests(ir.Function("f", ("k",), body, {}))))
    def f(k: ?):
        d = places_of()
        c = contains(k, d)
        if c:
            t = True
            y = 1.0
        else:
            y = 3.0
        return y
    """
    if sum(isinstance(s, ir.If) for s in ir.walk(function.body)) < 2:
        return function
    body = _Known(function).block(function.body, {}, {})
    return ir.altered(function, body=body)


class _Known:
    """Follows which tests were asked, under which variables, and what they gave."""

    def __init__(self, function: ir.Function) -> None:
        self.kinds = dict(function.kinds)
        self.places = _places(function)
        self.roots: dict[str, Hashable] = {}
        """What variables stand for that are assigned once: another one, of which they
        are copies, or the length of an array, ``(len, name)``."""
        self._note_roots(function)
        self.mentioned: set[str] = set()
        """What is asked about anywhere."""

    def _note_roots(self, function: ir.Function) -> None:
        times = Counter(function.parameters)
        again: set[str] = set()
        """What loops assign."""
        for s in ir.walk(function.body):
            times.update(v.name for v in ir.direct_writes(s))
            if isinstance(s, ir.For | ir.While):
                again |= ir.names_written_within(s)
        for s in ir.walk(function.body):
            if not isinstance(s, ir.Assign) or times[str(s.target)] != 1:
                continue
            target, value = str(s.target), s.value
            if s.kind is not None:
                self.kinds.setdefault(target, s.kind)
            of: Any = s.value.args[0] if ir.is_line(s, len) else value
            if not isinstance(of, ir.Var):
                continue
            settled = times[of.name] == 1 and of.name not in again
            root = self.roots.get(of.name, of.name if settled else None)
            if root is None:
                continue
            if of is value:
                self.roots[target] = root
            elif isinstance(self.kinds.get(of.name), ir.Array):
                self.roots[target] = len, root

    def block(
        self, block: ir.Block, asked: Mapping[str, Asked], known: Mapping[Test, bool]
    ) -> ir.Block:
        """A block, where some variables hold what tests gave, and some gave what is
        known."""
        asked, known = dict(asked), dict(known)
        lines: list[ir.Statement] = []
        for s in block:
            outcome = None
            if isinstance(s, ir.If) and isinstance(s.test, ir.Var):
                test, same = asked.get(s.test.name, (None, True))
                outcome = known[test] == same if test in known else None
            if isinstance(s, ir.If) and outcome is not None:
                taken = s.body if outcome else s.orelse
                lines += self.block(taken, asked, known)
            elif isinstance(s, ir.If):
                lines.append(self._branch(s, asked, known))
            else:
                if ir.blocks_of(s):
                    self._forget(ir.names_written_within(s), asked, known)
                    s = ir.with_blocks(s, lambda b: self.block(b, asked, known))
                lines.append(self._asked(s, asked, known))
            self._forget(ir.names_written_within(s), asked, known)
            if ir.is_line(s):
                self._note(s, asked, known)
            elif isinstance(s, ir.If) and outcome is None and not s.orelse:
                test, same = asked.get(str(s.test), (None, True))
                if test is not None and ops.ends_raising(s.body):
                    known[test] = not same
        return ir.as_block(lines, block)

    def _branch(
        self, s: ir.If, asked: Mapping[str, Asked], known: Mapping[Test, bool]
    ) -> ir.If:
        test, same = asked.get(str(s.test), (None, True))
        blocks = [
            self.block(b, asked, {**known, test: outcome} if test else known)
            for b, outcome in ((s.body, same), (s.orelse, not same))
        ]
        return ir.altered(s, body=blocks[0], orelse=blocks[1])

    def _note(
        self, s: ir.Line, asked: dict[str, Asked], known: dict[Test, bool]
    ) -> None:
        """A line may tell what a test gives; where the value of a key is known, the key
        is there."""
        test, same = self._test(s), True
        if s.value.function is operator.not_:
            test, opposite = asked.get(str(s.value.args[0]), (None, True))
            same = not opposite
        if test is not None and s.target.name not in _names(test):
            self.mentioned |= _names(test)
            asked[s.target.name] = test, same
            if s.value.function is ops.place_of_key:
                known[ops.contains, test[1][::-1]] = True

    def _asked(
        self, s: ir.Statement, asked: Mapping[str, Asked], known: Mapping[Test, bool]
    ) -> ir.Statement:
        """A line, with what was asked before in place of what it asks."""
        test = self._test(s)
        if test is None:
            return s
        value: ir.Operand | None = None
        if test in known:
            value = ir.Const(known[test])
        elif test[0] is ops.place_of_key:
            same = (name for name, (other, _) in asked.items() if other == test)
            value = next(map(ir.Var, same), None)
        return s if value is None else replace(s, value=value)  # type: ignore[call-arg]

    def _test(self, s: ir.Statement) -> Test | None:
        """What a line asks."""
        asks = *_COMPARISONS, *_IDENTITIES, ops.contains, ops.place_of_key
        if not ir.is_line(s, *asks):
            return None
        value = s.value
        if value.function in (ops.contains, ops.place_of_key):
            places = value.args[value.function is ops.contains]
            if str(places) not in self.places:
                return None
        elif value.function in _COMPARISONS:
            if not all(map(self._is_number, value.args)):
                return None
        if not all(isinstance(a, ir.Var | ir.Const) for a in value.args):
            return None
        return value.function, tuple(map(self._told, value.args))

    def _told(self, operand: Any) -> Hashable:
        """What tells operands apart: of constants their text, as 0.0 is -0.0 and 1
        True; of the length of an array whose it is."""
        if isinstance(operand, ir.Const):
            return (repr(operand.value),)
        return self.roots.get(operand.name, operand.name)

    def _is_number(self, operand: ir.Operand) -> bool:
        kind = ir.kind_of(operand, self.kinds)
        return isinstance(operand, ir.Const) or isinstance(kind, ir.Scalar)

    def _forget(
        self, names: Iterable[str], asked: dict[str, Asked], known: dict[Test, bool]
    ) -> None:
        """Nothing is known any more of what is assigned."""
        changed = self.mentioned.intersection(names)
        for name in asked.keys() & {*names}:
            del asked[name]
        if changed:
            for name in [n for n, (t, _) in asked.items() if _names(t) & changed]:
                del asked[name]
            for test in [test for test in known if _names(test) & changed]:
                del known[test]


def _places(function: ir.Function) -> set[str]:
    """The variables that surely hold such dicts."""
    given: dict[str, list[object]] = {}
    for s in ir.walk(function.body):
        for v in ir.direct_writes(s):
            given.setdefault(v.name, []).append(getattr(s, "value", None))
    found = given.keys() - set(function.parameters)

    def holds(value: object) -> bool:
        if isinstance(value, ir.Var):
            return value.name in found
        return isinstance(value, ir.Apply) and value.function in _PLACES

    while True:
        lost = {name for name in found if not all(map(holds, given[name]))}
        if not lost:
            return found
        found -= lost


def _names(test: Test) -> set[str]:
    lengths = {told[1] for told in test[1] if isinstance(told, tuple) and told[1:]}
    return {told for told in test[1] if isinstance(told, str)} | lengths
