"""What must hold of a program between any two passes.

Takes a function; gives nothing, or raises VerificationError that names the pass and the
statement::

    def f(x):                      VerificationError: f after products:
        y = mul(x, t)      ->      `y = mul(x, t)`: reads t, which nothing
        return y                   assigns before

Passes run on programs that hold this; the tests check it after every pass
(``S2SAD_VERIFY=1``).

>>> verify(ir.Function("f", ("x",), (ir.Return(None, ir.Var("x")),), {"x": ir.FLOAT}))
>>> verify(
...     ir.Function("f", ("x",), (ir.Return(None, ir.Var("y")),), {"x": ir.FLOAT}),
...     "products",
... )
Traceback (most recent call last):
    ...
s2sad.errors.VerificationError: f after products: `return y`: reads y, which nothing
assigns before
"""

import operator
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from s2sad import errors, ir, ops, rules
from s2sad.analysis.dataflow.dataflow import Analysis, solve_forward

_LEAVES = (ir.Assign, ir.Return, ir.Effect, ir.Save, ir.Restore)
_OF_VALUES = (ir.Assign, ir.Effect, ir.With)
"""The statements that apply an operation."""


def verify(function: ir.Function, stage: str = "", *, folded: bool = False) -> None:
    """Check a program; ``stage`` is the pass that wrote it.

    ``folded`` allows operations as operands, as they are written for emission. Raises
    VerificationError for the first thing that is wrong.
    """
    try:
        _verify_function(function)
        _verify_statements(function, folded)
        _verify_order(function)
        _verify_kinds(function)
        _verify_adjoints(function)
        if not folded:  # an operation as operand was looked at by itself
            _verify_activity(function)
    except _Broken as broken:
        place = f" after {stage}" if stage else ""
        where = ""
        if broken.statement is not None:
            where = f" `{ir.statement_text(broken.statement)}`:"
        message = f"{function.name}{place}:{where} {broken.reason}"
        raise errors.VerificationError(message) from None


class _Broken(Exception):
    """What is wrong, and where."""

    def __init__(self, reason: str, statement: ir.Statement | None = None) -> None:
        super().__init__(reason)
        self.reason, self.statement = reason, statement


def _verify_function(function: ir.Function) -> None:
    parameters = function.parameters
    if len(set(parameters)) != len(parameters):
        raise _Broken(f"repeats a parameter: {', '.join(parameters)}")
    if not function.body or not isinstance(function.body[-1], ir.Return):
        raise _Broken("does not end in a return")
    for name, kind in function.kinds.items():
        if not isinstance(kind, ir.Kind):
            raise _Broken(f"the kind of {name} is {kind!r}")
    seen: set[int] = set()
    for statement in ir.walk(function.body):
        if id(statement) in seen:
            raise _Broken("occurs twice", statement)
        seen.add(id(statement))
        if isinstance(statement, ir.Return) and statement is not function.body[-1]:
            raise _Broken("a return before the end", statement)


def _verify_kinds(function: ir.Function) -> None:
    """Each variable is in the table or a temporary, or has its kind where it is
    assigned.

    Loop variables are ints. Adjoints, tangents and what storage needs are derived from
    a variable (``x.bar``, ``x.saved``).
    """
    known = {*function.kinds, *function.temporaries, *function.parameters}
    known |= {s.target.name for s in ir.walk(function.body) if isinstance(s, ir.For)}
    statements = tuple(ir.walk(function.body))
    for statement in statements:
        if isinstance(statement, ir.Assign) and statement.kind is not None:
            known |= ir.names_written(statement)
    for statement in statements:
        if ir.names_read(statement) <= known and ir.names_written(statement) <= known:
            continue
        for variable in (*ir.direct_reads(statement), *ir.direct_writes(statement)):
            if variable.name not in known and "." not in variable.name:
                raise _Broken(
                    f"{variable.name} has no kind and is no temporary", statement
                )


def _verify_adjoints(function: ir.Function) -> None:
    """Adjoints of references are added to by effects alone, and effects add to nothing
    else."""
    for statement in ir.walk(function.body):
        for value in ir.operations(statement):
            if value.function not in ops.ADDS_TO_ADJOINTS:
                continue
            adjoint = value.args[0]
            kind = None
            if isinstance(adjoint, ir.Var):
                kind = function.kinds.get(adjoint.name)
            if not isinstance(statement, ir.Effect):
                raise _Broken("adds to a slot and isn't an effect", statement)
            while isinstance(kind, ir.List):
                kind = kind.item
            if kind is not None and not getattr(kind, "adjoint", False):
                raise _Broken(f"adds to {adjoint}, which is no adjoint", statement)


def _verify_activity(function: ir.Function) -> None:
    """What an operation with a derivative makes of an operand that may vary may vary
    too: nothing counts as constant because it isn't known."""
    kinds = dict(function.kinds)
    statements = [s for s in ir.walk(function.body) if isinstance(s, ir.Assign)]
    for statement in statements:
        if statement.kind is not None and isinstance(statement.target, ir.Var):
            kinds.setdefault(statement.target.name, statement.kind)
    for statement in statements:
        kind, value = statement.kind, statement.value
        if (
            type(kind) is not ir.Unknown
            or not kind.inactive
            or kind.present is not None
        ):
            continue
        if isinstance(value, ir.Apply) and value.function in ops.READS_OF_REFERENCES:
            continue  # a slot that holds no number
        rule = rules.rule_for(value.function) if isinstance(value, ir.Apply) else None
        if rule is None or not rule.differentiates or not isinstance(value, ir.Apply):
            continue
        bound = rule.arguments_of(value.args, dict(value.keywords))
        known = [v.value for v in value.args if isinstance(v, ir.Const)]
        texts = (isinstance(v, str | bytes) for v in known)
        if value.function in (operator.add, operator.mul, operator.mod) and any(texts):
            continue
        for name in rule.differentiable:
            for variable in ir.operand_variables(bound.get(name, ir.Const(None))):
                varies = kinds.get(variable.name)
                if varies is None or isinstance(varies, ir.Structure | ir.Reference):
                    continue  # an item of a structure may be anything
                if ir.is_real_number_kind(varies):
                    reason = f"{variable.name} may vary and the result may not"
                    raise _Broken(reason, statement)


def _verify_statements(function: ir.Function, folded: bool) -> None:
    """Each statement by itself: once, since none ever changes."""
    for statement in ir.walk(function.body):
        if getattr(statement, "known_sound", False):
            continue
        if not isinstance(statement, (*ir.COMPOUND, *_LEAVES)):
            raise _Broken(f"no statement: {statement!r}")
        for block in ir.blocks_of(statement):
            if not isinstance(block, tuple):
                raise _Broken("a block is not a tuple", statement)
        for reason in _problems(statement, folded):
            raise _Broken(reason, statement)
        if not folded:
            object.__setattr__(statement, "known_sound", True)


def _problems(statement: ir.Statement, folded: bool) -> Iterator[str]:
    check = _value_problems if isinstance(statement, _OF_VALUES) else _operand_problems
    for node in (statement, *getattr(statement, "handlers", ())):
        for part in node.reads:
            operand = getattr(node, part)
            if operand is not None or part not in ("until", "types"):
                yield from check(operand, folded)
    if isinstance(statement, ir.Assign):
        yield from _target_problems(statement.target)
        if statement.kind is not None and not isinstance(statement.kind, ir.Kind):
            yield f"its kind is {statement.kind!r}"
        return
    if isinstance(statement, ir.Effect) and not isinstance(statement.value, ir.Apply):
        yield "an effect is a call"
    names = {*statement.writes, *(part for part in statement.reads if part == "stack")}
    for part in sorted(names):
        if not isinstance(getattr(statement, part), ir.Var):
            yield f"the {part} is not a variable"


def _target_problems(target: Any) -> Iterator[str]:
    if isinstance(target, ir.Pack):
        names = [v.name for v in ir.operand_variables(target)]
        if len(names) != len(target.items) or len(set(names)) != len(names):
            yield "a target that unpacks takes distinct variables"
    elif not isinstance(target, ir.Var):
        yield f"the target is {target!r}"


def _value_problems(value: Any, folded: bool) -> Iterator[str]:
    if not isinstance(value, ir.Apply):
        yield from _operand_problems(value, folded)
        return
    if not callable(value.function) and not isinstance(value.function, ir.KnownByText):
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
        case ir.Apply():
            if not folded:
                yield f"the operation {operand} stands where an operand belongs"
            yield from _value_problems(operand, folded)
        case ir.Pack():
            yield from _pack_problems(operand)
            for item in operand.items:
                yield from _operand_problems(item, folded)
        case ir.Slice():
            for part in (operand.lower, operand.upper, operand.step):
                if part is not None:
                    yield from _operand_problems(part, folded)
        case ir.Var(name=name) | ir.Global(name=name):
            if not isinstance(name, str) or not name:
                yield f"{name!r} is no name"
        case ir.Const():
            pass
        case _:
            yield f"{operand!r} is no operand"


def _pack_problems(pack: ir.Pack) -> Iterator[str]:
    if not isinstance(pack.constructor, type | ir.KnownByText):
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

    def leaf(self, statement: ir.Statement, fact: _Names) -> _Names:
        written = self.written.get(id(statement))
        if written is None:
            written = self.names(ir.names_written(statement))
            self.written[id(statement)] = written
        return fact | written

    def names(self, names: Iterable[str]) -> _Names:
        """A set of names."""
        found = 0
        for name in names:
            found |= self.bits[name]
        return found

    def test(self, statement: ir.Statement, fact: _Names) -> _Names:
        self.at_test[id(statement)] = fact
        return fact

    def iteration(self, statement: ir.For, fact: _Names) -> _Names:
        return fact | self.bits[statement.target.name]


def _verify_order(function: ir.Function) -> None:
    """Reads follow assignments, and stacks are there wherever something is kept or
    taken back."""
    bits: dict[str, int] = {}
    for name in function.parameters:
        bits.setdefault(name, 1 << len(bits))
    for statement in ir.walk(function.body):
        for names in (ir.names_read(statement), ir.names_written(statement)):
            for name in names:
                if name not in bits:
                    bits[name] = 1 << len(bits)
    some, every = _Assigned(False, bits), _Assigned(True, bits)
    parameters = some.names(function.parameters)
    solve_forward(function.body, parameters, some)
    if any(isinstance(s, ir.Save | ir.Restore) for s in ir.walk(function.body)):
        solve_forward(function.body, parameters, every)
    for statement in ir.walk(function.body):
        key = id(statement)
        if isinstance(statement, ir.COMPOUND):
            assigned = some.at_test[key]
        else:
            assigned = some.facts.before[key]
        stack = (
            statement.stack.name
            if isinstance(statement, ir.Save | ir.Restore)
            else None
        )
        for variable in ir.direct_reads(statement):
            if variable.name == stack:
                if not every.facts.before[key] & bits[variable.name]:
                    raise _Broken(
                        f"the stack {stack} is not created on every path", statement
                    )
            elif not assigned & bits[variable.name]:
                raise _Broken(
                    f"reads {variable.name}, which nothing assigns before", statement
                )
