"""What must hold of a program between any two passes.

Takes a function; gives nothing, or raises VerificationError that names the pass and the
statement::

    def f(x):                      VerificationError: f after products:
        y = mul(x, t)      ->      `y = mul(x, t)`: reads t, which nothing
        return y                   assigns before

Passes run on programs that hold this; the tests check it after every pass
(``S2SAD_VERIFY=1``).

>>> from s2sad.ir.kinds import FLOAT
>>> from s2sad.ir.nodes import Return, Var
>>> verify(Function("f", ("x",), (Return(None, Var("x")),), {"x": FLOAT}))
>>> verify(Function("f", ("x",), (Return(None, Var("y")),), {"x": FLOAT}), "products")
Traceback (most recent call last):
    ...
s2sad.errors.VerificationError: f after products: `return y`: reads y, which nothing
assigns before
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from s2sad.analysis.dataflow.dataflow import Analysis, solve_forward
from s2sad.errors import VerificationError
from s2sad.ir.kinds import Kind, Structure, Unknown, is_real_number_kind
from s2sad.ir.nodes import (
    COMPOUND,
    Apply,
    Assign,
    Const,
    Effect,
    For,
    Function,
    Global,
    If,
    KnownByText,
    Pack,
    Restore,
    Return,
    Save,
    Slice,
    Statement,
    Try,
    Var,
    While,
    With,
)
from s2sad.ir.text import statement_text
from s2sad.ir.walking import (
    blocks_of,
    direct_reads,
    direct_writes,
    names_read,
    names_written,
    operand_variables,
    walk,
)
from s2sad.rules.registry import rule_for

_COMPOUND = COMPOUND
_LEAVES = (Assign, Return, Effect, Save, Restore)


def verify(function: Function, stage: str = "", *, folded: bool = False) -> None:
    """Check a program; ``stage`` is the pass that wrote it.

    ``folded`` allows operations as operands, as they are written for emission. Raises
    VerificationError for the first thing that is wrong.
    """
    try:
        _verify_function(function)
        _verify_statements(function, folded)
        _verify_order(function)
        _verify_kinds(function)
        if not folded:  # an operation as operand was looked at by itself
            _verify_activity(function)
    except _Broken as broken:
        place = f" after {stage}" if stage else ""
        where = ""
        if broken.statement is not None:
            where = f" `{statement_text(broken.statement)}`:"
        message = f"{function.name}{place}:{where} {broken.reason}"
        raise VerificationError(message) from None


class _Broken(Exception):
    """What is wrong, and where."""

    def __init__(self, reason: str, statement: Statement | None = None) -> None:
        super().__init__(reason)
        self.reason, self.statement = reason, statement


def _verify_function(function: Function) -> None:
    parameters = function.parameters
    if len(set(parameters)) != len(parameters):
        raise _Broken(f"repeats a parameter: {', '.join(parameters)}")
    if not function.body or not isinstance(function.body[-1], Return):
        raise _Broken("does not end in a return")
    for name, kind in function.kinds.items():
        if not isinstance(kind, Kind):
            raise _Broken(f"the kind of {name} is {kind!r}")
    seen: set[int] = set()
    for statement in walk(function.body):
        if id(statement) in seen:
            raise _Broken("occurs twice", statement)
        seen.add(id(statement))
        if isinstance(statement, Return) and statement is not function.body[-1]:
            raise _Broken("a return before the end", statement)


def _verify_kinds(function: Function) -> None:
    """Each variable is in the table or a temporary, or has its kind where it is
    assigned.

    Loop variables are ints. Adjoints, tangents and what storage needs are derived from
    a variable (``x.bar``, ``x.saved``).
    """
    known = {*function.kinds, *function.temporaries, *function.parameters}
    known |= {s.target.name for s in walk(function.body) if isinstance(s, For)}
    statements = tuple(walk(function.body))
    for statement in statements:
        if isinstance(statement, Assign) and statement.kind is not None:
            known |= names_written(statement)
    for statement in statements:
        if names_read(statement) <= known and names_written(statement) <= known:
            continue
        for variable in (*direct_reads(statement), *direct_writes(statement)):
            if variable.name not in known and "." not in variable.name:
                raise _Broken(
                    f"{variable.name} has no kind and is no temporary", statement
                )


def _verify_activity(function: Function) -> None:
    """What an operation with a derivative makes of an operand that may vary may vary
    too: nothing counts as constant because it isn't known."""
    kinds = dict(function.kinds)
    statements = [s for s in walk(function.body) if isinstance(s, Assign)]
    for statement in statements:
        if statement.kind is not None and isinstance(statement.target, Var):
            kinds.setdefault(statement.target.name, statement.kind)
    for statement in statements:
        kind, value = statement.kind, statement.value
        if type(kind) is not Unknown or not kind.inactive or kind.present is not None:
            continue
        rule = rule_for(value.function) if isinstance(value, Apply) else None
        if rule is None or not rule.differentiates or not isinstance(value, Apply):
            continue
        bound = rule.arguments_of(value.args, dict(value.keywords))
        known = [v.value for v in value.args if isinstance(v, Const)]
        texts = (isinstance(v, str | bytes) for v in known)
        if value.function in (operator.add, operator.mul, operator.mod) and any(texts):
            continue
        for name in rule.differentiable:
            for variable in operand_variables(bound.get(name, Const(None))):
                varies = kinds.get(variable.name)
                if varies is None or isinstance(varies, Structure):
                    continue  # an item of a structure may be anything
                if is_real_number_kind(varies):
                    reason = f"{variable.name} may vary and the result may not"
                    raise _Broken(reason, statement)


def _verify_statements(function: Function, folded: bool) -> None:
    """Each statement by itself: once, since none ever changes."""
    for statement in walk(function.body):
        if getattr(statement, "known_sound", False):
            continue
        if not isinstance(statement, (*_COMPOUND, *_LEAVES)):
            raise _Broken(f"no statement: {statement!r}")
        for block in blocks_of(statement):
            if not isinstance(block, tuple):
                raise _Broken("a block is not a tuple", statement)
        for reason in _problems(statement, folded):
            raise _Broken(reason, statement)
        if not folded:
            object.__setattr__(statement, "known_sound", True)


def _problems(statement: Statement, folded: bool) -> Iterator[str]:
    match statement:
        case Assign():
            yield from _target_problems(statement.target)
            yield from _value_problems(statement.value, folded)
            if statement.kind is not None and not isinstance(statement.kind, Kind):
                yield f"its kind is {statement.kind!r}"
        case With():
            yield from _value_problems(statement.value, folded)
        case Try():
            for handler in statement.handlers:
                if handler.types is not None:
                    yield from _operand_problems(handler.types, folded)
        case Effect():
            if not isinstance(statement.value, Apply):
                yield "an effect is a call"
            yield from _value_problems(statement.value, folded)
        case If() | While():
            yield from _operand_problems(statement.test, folded)
        case For():
            if not isinstance(statement.target, Var):
                yield "the loop variable is not a variable"
            for part in (statement.start, statement.stop, statement.step):
                yield from _operand_problems(part, folded)
        case Return():
            yield from _operand_problems(statement.value, folded)
        case Save():
            yield from _operand_problems(statement.value, folded)
            if not isinstance(statement.stack, Var):
                yield "the stack is not a variable"
        case Restore():
            if not (
                isinstance(statement.target, Var) and isinstance(statement.stack, Var)
            ):
                yield "the target or the stack is not a variable"


def _target_problems(target: Any) -> Iterator[str]:
    if isinstance(target, Pack):
        names = [v.name for v in operand_variables(target)]
        if len(names) != len(target.items) or len(set(names)) != len(names):
            yield "a target that unpacks takes distinct variables"
    elif not isinstance(target, Var):
        yield f"the target is {target!r}"


def _value_problems(value: Any, folded: bool) -> Iterator[str]:
    if not isinstance(value, Apply):
        yield from _operand_problems(value, folded)
        return
    if not callable(value.function) and not isinstance(value.function, KnownByText):
        yield f"{value.function!r} is not a function"
    if not isinstance(value.args, tuple) or not isinstance(value.keywords, tuple):
        yield "arguments are not tuples"
    words = [word for word, _ in value.keywords]
    if len(set(words)) != len(words) or not all(isinstance(w, str) for w in words):
        yield f"keywords are {words}"
    for argument in (*value.args, *(v for _, v in value.keywords)):
        yield from _operand_problems(argument, folded)


def _operand_problems(operand: Any, folded: bool) -> Iterator[str]:
    match operand:
        case Apply():
            if not folded:
                yield f"the operation {operand} stands where an operand belongs"
            yield from _value_problems(operand, folded)
        case Pack():
            yield from _pack_problems(operand)
            for item in operand.items:
                yield from _operand_problems(item, folded)
        case Slice():
            for part in (operand.lower, operand.upper, operand.step):
                if part is not None:
                    yield from _operand_problems(part, folded)
        case Var(name=name) | Global(name=name):
            if not isinstance(name, str) or not name:
                yield f"{name!r} is no name"
        case Const():
            pass
        case _:
            yield f"{operand!r} is no operand"


def _pack_problems(pack: Pack) -> Iterator[str]:
    if not isinstance(pack.constructor, type | KnownByText):
        yield f"a structure is made by {pack.constructor!r}, which is no type"
    elif len(pack.keys) != len(pack.items):
        yield f"{pack} has {len(pack.keys)} keys and {len(pack.items)} items"
    elif len(set(pack.keys)) != len(pack.keys):
        yield f"{pack} repeats a key"
    elif pack.constructor in (tuple, list) and pack.keys != tuple(
        range(len(pack.keys))
    ):
        yield f"the keys of {pack} are {pack.keys}"


# ------------------------------------------------------------------ order


_Names = int
"""A set of names: one bit each."""


class _Assigned(Analysis[_Names]):
    """Variables assigned on some path, or on every path, and what a While's test sees
    of them."""

    def __init__(self, on_every_path: bool, bits: Mapping[str, int]) -> None:
        self.on_every_path, self.bits = on_every_path, bits
        self.at_test: dict[int, _Names] = {}
        self.written: dict[int, _Names] = {}

    def join(self, a: _Names, b: _Names) -> _Names:
        return a & b if self.on_every_path else a | b

    def leaf(self, statement: Statement, fact: _Names) -> _Names:
        written = self.written.get(id(statement))
        if written is None:
            written = self.names(names_written(statement))
            self.written[id(statement)] = written
        return fact | written

    def names(self, names: Iterable[str]) -> _Names:
        """A set of names."""
        found = 0
        for name in names:
            found |= self.bits[name]
        return found

    def test(self, statement: Statement, fact: _Names) -> _Names:
        self.at_test[id(statement)] = fact
        return fact

    def iteration(self, statement: For, fact: _Names) -> _Names:
        return fact | self.bits[statement.target.name]


def _verify_order(function: Function) -> None:
    """Reads follow assignments, and stacks are there wherever something is kept or
    taken back."""
    bits: dict[str, int] = {}
    for name in function.parameters:
        bits.setdefault(name, 1 << len(bits))
    for statement in walk(function.body):
        for names in (names_read(statement), names_written(statement)):
            for name in names:
                if name not in bits:
                    bits[name] = 1 << len(bits)
    some, every = _Assigned(False, bits), _Assigned(True, bits)
    parameters = some.names(function.parameters)
    solve_forward(function.body, parameters, some)
    if any(isinstance(s, Save | Restore) for s in walk(function.body)):
        solve_forward(function.body, parameters, every)
    for statement in walk(function.body):
        key = id(statement)
        if isinstance(statement, _COMPOUND):
            assigned = some.at_test[key]
        else:
            assigned = some.facts.before[key]
        stack = statement.stack.name if isinstance(statement, Save | Restore) else None
        for variable in direct_reads(statement):
            if variable.name == stack:
                if not every.facts.before[key] & bits[variable.name]:
                    raise _Broken(
                        f"the stack {stack} is not created on every path", statement
                    )
            elif not assigned & bits[variable.name]:
                raise _Broken(
                    f"reads {variable.name}, which nothing assigns before", statement
                )
