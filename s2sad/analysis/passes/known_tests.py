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
_ADDS_KEYS = (ops.add_key, ops.add_key_again)
"""What leaves a dict the keys that it has."""

Test = tuple[Hashable, tuple[Hashable, ...]]
Asked = tuple[Test, bool]
"""A test, and whether what is held is what it gave, or the opposite."""


def with_known_tests(function: ir.Function) -> ir.Function:
    """The function without tests whose outcome is known.

    >>> asked = ir.Apply(ops.stored_contains, (ir.Var("d"), ir.Var("k")))
    >>> added = ir.Apply(ops.add_key, (ir.Var("d"), ir.Var("k"), ir.Const(1.0)))
    >>> def line(name, value):
    ...     return ir.Assign(None, ir.Var(name), value)
    >>> inner = ir.If(
    ...     None, ir.Var("t"), (line("y", ir.Const(1.0)),), (line("y", ir.Const(2.0)),)
    ... )
    >>> body = (
    ...     ir.Effect(None, added),
    ...     line("t", asked),
    ...     inner,
    ...     ir.If(None, ir.Var("t"), (line("y", ir.Const(3.0)),), ()),
    ...     ir.Return(None, ir.Var("y")),
    ... )
    >>> function = ir.Function("f", ("d", "k"), body, {})
    >>> print(ir.function_text(with_known_tests(function)))
    def f(d: ?, k: ?):
        do add_key(d, k, 1.0)
        t = True
        y = 1.0
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
                    _forget_keys(s, asked, known)
                    s = ir.with_blocks(s, lambda b: self.block(b, asked, known))
                lines.append(self._asked(s, asked, known))
            self._forget(ir.names_written_within(s), asked, known)
            _forget_keys(s, asked, known)
            if ir.is_line(s):
                self._note(s, asked, known)
            elif isinstance(s, ir.Effect) and s.value.function in _ADDS_KEYS:
                self._note_key(s.value, known)
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
        """A line may tell what a test gives; where an item was read, its key is
        there."""
        test, same = self._test(s), True
        if s.value.function is operator.not_:
            test, opposite = asked.get(str(s.value.args[0]), (None, True))
            same = not opposite
        if test is not None and s.target.name not in _names(test):
            self.mentioned |= _names(test)
            asked[s.target.name] = test, same
        if s.value.function is ops.stored_item:
            self._note_key(s.value, known)

    def _note_key(self, value: ir.Apply, known: dict[Test, bool]) -> None:
        """A dict has a key."""
        operands = value.args[:2]
        if all(isinstance(a, ir.Var | ir.Const) for a in operands):
            test = ops.stored_contains, tuple(map(self._told, operands))
            self.mentioned |= _names(test)
            known[test] = True

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
        elif test[0] is ops.stored_contains:
            same = (name for name, other in asked.items() if other == (test, True))
            value = next(map(ir.Var, same), None)
        return s if value is None else replace(s, value=value)  # type: ignore[call-arg]

    def _test(self, s: ir.Statement) -> Test | None:
        """What a line asks."""
        asks = *_COMPARISONS, *_IDENTITIES, ops.stored_contains
        if not ir.is_line(s, *asks):
            return None
        value = s.value
        if value.function in _COMPARISONS:
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


def _forget_keys(
    s: ir.Statement, asked: dict[str, Asked], known: dict[Test, bool]
) -> None:
    """Nothing is known any more of keys that a statement may add or remove, of
    whichever dict."""
    functions = {_function(inner) for inner in ir.walk((s,))}
    adds = not functions.isdisjoint(_ADDS_KEYS)
    removes = any(_may_remove_keys(f) for f in functions)
    if not (adds or removes):
        return
    for name in [n for n, (t, _) in asked.items() if t[0] is ops.stored_contains]:
        del asked[name]
    for test in [t for t in known if t[0] is ops.stored_contains]:
        if removes or not known[test]:
            del known[test]


def _function(s: ir.Statement) -> Any:
    value = getattr(s, "value", None)
    return value.function if isinstance(value, ir.Apply) else None


def _may_remove_keys(function: Any) -> bool:
    resizes = function in (*ops.RESIZES, *ops.TAKES.values())
    return isinstance(function, ir.Procedure) or (
        resizes and function not in _ADDS_KEYS
    )


def _names(test: Test) -> set[str]:
    lengths = {told[1] for told in test[1] if isinstance(told, tuple) and told[1:]}
    return {told for told in test[1] if isinstance(told, str)} | lengths
