"""Renaming: each web of definitions that reach a common use becomes a variable of its
own.

Takes a function in which a name may be rebound; gives one in which independent
rebindings have different names, so that each variable has one kind and straight-line
rebinding needs no storing::

    h = matmul(x, w)            h = matmul(x, w)
    h = tanh(h)          ->     h~2 = tanh(h)
    return h                    return h~2

Definitions that meet at a loop or branch stay one variable if a later read can see
both. Source: webs, Muchnick, Advanced Compiler Design (1997), section 16.3.2.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from s2sad.codegen.effects import never_returns
from s2sad.ir.kinds import INT, Kind, Structure, join, settled
from s2sad.ir.nodes import (
    Assign,
    Block,
    Const,
    For,
    Function,
    Handler,
    If,
    Operand,
    Pack,
    Restore,
    Save,
    Statement,
    Try,
    Var,
    While,
    With,
    direct_reads,
    direct_writes,
    map_operand,
    map_value,
    may_raise,
    operand_variables,
    walk,
)


@dataclass(eq=False)
class _Definition:
    """A definition, or the meeting point of several."""

    name: str
    kind: Kind | None = None
    parent: _Definition | None = None
    inputs: list[_Definition] = field(default_factory=list)
    is_meeting: bool = False
    used: bool = False
    head_kind: Kind | None = None

    def root(self) -> _Definition:
        node = self
        while node.parent is not None:
            node = node.parent
        while self.parent is not None:
            self.parent, self = node, self.parent
        return node


def _merge(a: _Definition, b: _Definition) -> None:
    x, y = a.root(), b.root()
    if x is not y:
        y.parent = x


def _use(definition: _Definition) -> None:
    """A read makes a meeting point real: all that reaches it is one variable."""
    pending = [definition]
    while pending:
        node = pending.pop()
        if node.used:
            continue
        node.used = True
        for source in node.inputs:
            _merge(source, node)
            pending.append(source)


def _add_input(meeting: _Definition, source: _Definition) -> None:
    meeting.inputs.append(source)
    if meeting.used:
        _merge(source, meeting)
        _use(source)


class _Builder:
    def __init__(
        self, head_kinds: Mapping[int, Mapping[str, Kind]], kinds: Mapping[str, Kind]
    ):
        self.head_kinds, self.kinds = head_kinds, kinds
        self.current: dict[str, _Definition] = {}
        self.definitions: list[_Definition] = []
        self.reads: dict[tuple[int, str], _Definition] = {}
        self.writes: dict[tuple[int, str], _Definition] = {}
        self.raising: list[dict[str, list[_Definition]]] = []
        """For each try around: the definitions that held where something in it may
        raise."""

    def define(self, statement: Statement | None, name: str, kind: Kind | None) -> None:
        definition = _Definition(name, kind)
        self.definitions.append(definition)
        self.current[name] = definition
        if statement is not None:
            self.writes[id(statement), name] = definition

    def meeting(self, name: str, *inputs: _Definition) -> _Definition:
        definition = _Definition(name, is_meeting=True)
        self.definitions.append(definition)
        for source in inputs:
            _add_input(definition, source)
        return definition

    def read(
        self, statement: Statement, variables: Iterable[Var] | None = None
    ) -> None:
        for variable in direct_reads(statement) if variables is None else variables:
            definition = self.current.get(variable.name)
            if definition is None:
                definition = self.current[variable.name] = self.meeting(variable.name)
            _use(definition)
            self.reads[id(statement), variable.name] = definition

    def block(self, block: Block) -> None:
        for statement in block:
            if may_raise(statement):
                self.note()
            match statement:
                case If():
                    self.branch(statement)
                case With(swallows=True):
                    self.attempt(
                        Try(None, statement.body, (Handler(None, ()),), (), ()),
                        statement,
                    )
                    self.note()  # its exit may raise, too
                case With():
                    self.read(statement)
                    self.block(statement.body)
                case Try():
                    self.attempt(statement)
                case For():
                    self.read(statement, direct_reads(replace(statement, until=None)))
                    self.loop(statement, (statement.body,))
                case While():
                    self.loop(statement, (statement.condition, statement.body))
                case _:
                    self.read(statement)
                    for variable in direct_writes(statement):
                        if isinstance(statement, Save):
                            continue  # a stack grows; it isn't defined anew
                        kind = _kind_written(statement, variable, self.kinds)
                        self.define(statement, variable.name, kind)

    def note(self) -> None:
        """Something may raise here."""
        for found in self.raising:
            for name, definition in self.current.items():
                known = found.setdefault(name, [])
                if definition not in known:
                    known.append(definition)

    def branch(self, statement: If) -> None:
        self.read(statement)
        before = dict(self.current)
        self.block(statement.body)
        after_body, self.current = self.current, before
        self.block(statement.orelse)
        if ends_raising(statement.orelse):
            self.current = after_body
        elif not ends_raising(statement.body):
            self.meet(after_body)

    def meet(self, other_path: Mapping[str, _Definition]) -> None:
        """Go on where another path joins the current one."""
        for name, definition in other_path.items():
            other = self.current.get(name)
            if other is None:
                self.current[name] = definition
            elif other is not definition:
                self.current[name] = self.meeting(name, definition, other)

    def attempt(self, statement: Try, reading: Statement | None = None) -> None:
        """Handlers see what held wherever the body may have raised."""
        self.read(reading or statement)
        before = dict(self.current)
        self.raising.append({})
        self.block(statement.body)
        raised = self.where_raised() or before
        self.raising.append({})
        self.block(statement.orelse)
        ends = []
        if not ends_raising((*statement.body, *statement.orelse)):
            ends.append(self.current)
        for handler in statement.handlers:
            self.current = dict(raised)
            self.block(handler.body)
            if not ends_raising(handler.body):
                ends.append(self.current)
        self.current, *others = ends or [dict(raised)]
        for other in others:
            self.meet(other)
        later = self.where_raised()
        if not statement.final:
            return
        normal = dict(self.current)
        self.meet(raised)
        self.meet(later)
        self.block(statement.final)
        self.note()  # what was raised is raised again
        written = {v.name for s in walk(statement.final) for v in direct_writes(s)}
        own = {name: self.current[name] for name in written & set(self.current)}
        self.current = {**normal, **own}

    def where_raised(self) -> dict[str, _Definition]:
        """The definitions that may have held where something raised in the block that
        ends here."""
        return {
            name: found[0] if len(found) == 1 else self.meeting(name, *found)
            for name, found in self.raising.pop().items()
        }

    def loop(self, statement: For | While, blocks: tuple[Block, ...]) -> None:
        written = {v.name for b in blocks for s in walk(b) for v in direct_writes(s)}
        if isinstance(statement, For):
            written.add(statement.target.name)
        kinds = self.head_kinds.get(id(statement), {})
        heads = {}
        for name in sorted(written):
            inputs = [self.current[name]] if name in self.current else []
            head = heads[name] = self.meeting(name, *inputs)
            head.head_kind = kinds.get(name)
            self.current[name] = head
        self.read(statement, operand_variables(statement.until))
        if isinstance(statement, For):
            self.define(statement, statement.target.name, INT)
            self.block(statement.body)
            at_exit = heads
        else:
            self.block(statement.condition)
            self.read(statement, operand_variables(statement.test))
            at_exit = {name: self.current[name] for name in heads}
            self.block(statement.body)
        for name, head in heads.items():
            _add_input(head, self.current[name])
        if isinstance(statement, While) and statement.until is not None:
            at_exit = self.after_until(statement, at_exit)
        self.current.update(at_exit)

    def after_until(
        self, statement: While, tested: Mapping[str, _Definition]
    ) -> dict[str, _Definition]:
        """Behind a while loop that an iteration may have ended: what that iteration
        left, or what the test saw."""
        if statement.test == Const(True):
            return {name: self.current[name] for name in tested}
        return {
            name: seen
            if self.current[name] is seen
            else self.meeting(name, seen, self.current[name])
            for name, seen in tested.items()
        }


def _kind_written(
    statement: Statement, variable: Var, kinds: Mapping[str, Kind]
) -> Kind | None:
    if isinstance(statement, Assign) and statement.kind is not None:
        if isinstance(statement.target, Pack) and isinstance(statement.kind, Structure):
            for item, kind in zip(
                statement.target.items, statement.kind.items, strict=True
            ):
                if item == variable:
                    return kind
        return statement.kind
    return kinds.get(variable.name) if not isinstance(statement, Restore) else None


def split_webs(
    function: Function, head_kinds: Mapping[int, Mapping[str, Kind]] | None = None
) -> Function:
    """The function with one variable a web, and the kind of each.

    >>> from s2sad.ir.nodes import Apply, Return
    >>> from s2sad.ir.text import function_text
    >>> double = Apply(max, (Var("h"), Var("h")))
    >>> body = (
    ...     Assign(None, Var("h"), Var("x")),
    ...     Assign(None, Var("h"), double),
    ...     Return(None, Var("h")),
    ... )
    >>> print(function_text(split_webs(Function("f", ("x",), body, {}))))
    def f(x: ?):
        h = x
        h~2 = max(h, h)
        return h~2

    ``head_kinds`` gives the kinds at the heads of loops, where they are known more
    sharply than by joining the kinds of definitions.
    """
    builder = _Builder(head_kinds or {}, function.kinds)
    for parameter in function.parameters:
        builder.define(None, parameter, function.kinds.get(parameter))
    parameters = list(builder.definitions)
    builder.block(function.body)
    names: dict[int, str] = {id(d.root()): d.name for d in parameters}
    taken: dict[str, int] = {}
    for name in names.values():
        taken[name] = 1
    for definition in builder.definitions:
        root = definition.root()
        if id(root) not in names and (not definition.is_meeting or definition.used):
            base = re.sub(r"~\d+$", "", definition.name)
            name = base
            while name in taken:
                count = taken[base] = taken[base] + 1
                name = f"{base}~{count}"
            taken[name] = 1
            names[id(root)] = name
    kinds = _web_kinds(builder, names, function.kinds)
    temporaries = {
        names[id(d.root())]
        for d in builder.definitions
        if d.name in function.temporaries and id(d.root()) in names
    }
    renamer = _Renamer(builder, names)
    return replace(
        function,
        body=renamer.block(function.body),
        kinds=kinds,
        temporaries=frozenset(temporaries),
    )


def _web_kinds(
    builder: _Builder, names: Mapping[int, str], old: Mapping[str, Kind]
) -> dict[str, Kind]:
    kinds: dict[str, Kind] = {}
    heads: dict[str, Kind] = {}
    for definition in builder.definitions:
        name = names.get(id(definition.root()))
        if name is None:
            continue
        if definition.head_kind is not None and definition.used:
            known = heads.get(name)
            head = definition.head_kind
            heads[name] = head if known is None else join(known, head, ("web", name))
        if definition.kind is not None:
            known = kinds.get(name)
            kind = definition.kind
            kinds[name] = kind if known is None else join(known, kind, ("web", name))
    for name, head in heads.items():
        joined = kinds.get(name, head)
        # the head saw every definition that reaches it; what else there is must agree
        same = join(joined, head, None)
        kinds[name] = head if type(same) is type(head) else joined
    for definition in builder.definitions:
        name = names.get(id(definition.root()))
        if name is not None and name not in kinds and definition.name in old:
            kinds[name] = old[definition.name]
    return {name: settled(kind) for name, kind in kinds.items()}


def ends_raising(block: Block) -> bool:
    """True where control never reaches the end of a block."""
    for s in block:
        if never_returns(s):
            return True
        if isinstance(s, If) and ends_raising(s.body) and ends_raising(s.orelse):
            return True
    return False


class _Renamer:
    def __init__(self, builder: _Builder, names: Mapping[int, str]) -> None:
        self.builder, self.names = builder, names

    def read_name(self, statement: Statement):
        def rename(variable: Var) -> Operand:
            definition = self.builder.reads[id(statement), variable.name]
            return Var(self.names[id(definition.root())])

        return rename

    def write_name(self, statement: Statement, variable: Var) -> Var:
        definition = self.builder.writes[id(statement), variable.name]
        name = self.names.get(id(definition.root()))
        return Var(name if name is not None else variable.name)

    def block(self, block: Block) -> Block:
        return tuple(self.statement(s) for s in block)

    def statement(self, s: Statement) -> Statement:
        read = self.read_name(s)
        match s:
            case Assign():
                target: Var | Pack
                if isinstance(s.target, Pack):
                    items = tuple(
                        self.write_name(s, v) for v in operand_variables(s.target)
                    )
                    target = replace(s.target, items=items)
                else:
                    target = self.write_name(s, s.target)
                return replace(s, target=target, value=map_value(s.value, read))
            case If():
                return replace(
                    s,
                    test=map_value(s.test, read),
                    body=self.block(s.body),
                    orelse=self.block(s.orelse),
                )
            case For():
                return replace(
                    s,
                    target=self.write_name(s, s.target),
                    start=map_value(s.start, read),
                    stop=map_value(s.stop, read),
                    step=map_value(s.step, read),
                    until=map_operand(s.until, read),
                    body=self.block(s.body),
                )
            case While():
                return replace(
                    s,
                    condition=self.block(s.condition),
                    test=map_value(s.test, read),
                    until=map_operand(s.until, read),
                    body=self.block(s.body),
                )
            case With():
                value = map_value(s.value, read)
                return replace(s, value=value, body=self.block(s.body))
            case Try():
                handlers = tuple(
                    replace(
                        h, types=map_operand(h.types, read), body=self.block(h.body)
                    )
                    for h in s.handlers
                )
                return replace(
                    s,
                    body=self.block(s.body),
                    handlers=handlers,
                    orelse=self.block(s.orelse),
                    final=self.block(s.final),
                )
            case Save():
                stack = read(s.stack)
                return replace(s, stack=stack, value=map_value(s.value, read))
            case Restore():
                return replace(
                    s, target=self.write_name(s, s.target), stack=read(s.stack)
                )
        return replace(s, value=map_value(s.value, read))  # type: ignore[attr-defined,call-arg]
