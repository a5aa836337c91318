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

import re
from collections.abc import Mapping

from s2sad import ir
from s2sad.analysis.dataflow.definitions import Definitions


def split_webs(function: ir.Function, *, in_place: bool = False) -> ir.Function:
    """The function with one variable a web, and the kind of each.

    >>> double = ir.Apply(max, (ir.Var("h"), ir.Var("h")))
    >>> body = (
    ...     ir.Assign(None, ir.Var("h"), ir.Var("x")),
    ...     ir.Assign(None, ir.Var("h"), double),
    ...     ir.Return(None, ir.Var("h")),
    ... )
    >>> print(ir.function_text(split_webs(ir.Function("f", ("x",), body, {}))))
    def f(x: ?):
        h = x
        h~2 = max(h, h)
        return h~2

    At the heads of loops, kinds may be known more sharply than by joining the kinds of
    definitions. ``in_place``: an array that is written into stays the same variable.
    """
    definitions = Definitions(function.kinds, in_place=in_place)
    for parameter in function.parameters:
        definitions.define(None, parameter, function.kinds.get(parameter))
    parameters = list(definitions.all)
    definitions.block(function.body)
    names: dict[int, str] = {id(d.root()): d.name for d in parameters}
    taken: dict[str, int] = {}
    for name in names.values():
        taken[name] = 1
    for definition in definitions.all:
        root = definition.root()
        if id(root) not in names and (not definition.is_meeting or definition.used):
            base = re.sub(r"~\d+$", "", definition.name)
            name = base
            while name in taken:
                count = taken[base] = taken[base] + 1
                name = f"{base}~{count}"
            taken[name] = 1
            names[id(root)] = name
    kinds = _web_kinds(definitions, names, function.kinds)
    temporaries = {
        names[id(d.root())]
        for d in definitions.all
        if d.name in function.temporaries and id(d.root()) in names
    }
    renamer = _Renamer(definitions, names)
    return ir.altered(
        function,
        body=renamer.block(function.body),
        kinds=kinds,
        temporaries=frozenset(temporaries),
    )


def _web_kinds(
    definitions: Definitions, names: Mapping[int, str], old: Mapping[str, ir.Kind]
) -> dict[str, ir.Kind]:
    kinds: dict[str, ir.Kind] = {}
    heads: dict[str, ir.Kind] = {}
    others: dict[str, ir.Kind] = {}
    reaching = definitions.reaching_heads()

    def include(table: dict[str, ir.Kind], name: str, kind: ir.Kind) -> None:
        known = table.get(name)
        table[name] = kind if known is None else ir.join(known, kind, ("web", name))

    for definition in definitions.all:
        name = names.get(id(definition.root()))
        if name is None:
            continue
        if definition.head_kind is not None and definition.used:
            include(heads, name, definition.head_kind)
        if definition.kind is not None:
            include(kinds, name, definition.kind)
            if id(definition) not in reaching:
                include(others, name, definition.kind)
    for name, head in heads.items():
        joined = kinds.get(name, head)
        # the head saw every definition that reaches it; what else there is must agree
        same = ir.join(joined, head, None)
        if type(same) is not type(head):
            kinds[name] = joined
            continue
        kinds[name] = head
        if name in others:
            include(kinds, name, others[name])
    for definition in definitions.all:
        name = names.get(id(definition.root()))
        if name is not None and name not in kinds and definition.name in old:
            kinds[name] = old[definition.name]
    return {name: ir.settled(kind) for name, kind in kinds.items()}


class _Renamer:
    def __init__(self, definitions: Definitions, names: Mapping[int, str]) -> None:
        self.definitions, self.names = definitions, names

    def read_name(self, statement: ir.Statement):
        def rename(variable: ir.Var) -> ir.Operand:
            definition = self.definitions.reads[id(statement), variable.name]
            name = self.names[id(definition.root())]
            return variable if name == variable.name else ir.Var(name)

        return rename

    def write_name(self, statement: ir.Statement):
        def rename(variable: ir.Var) -> ir.Operand:
            definition = self.definitions.writes.get((id(statement), variable.name))
            name = None if definition is None else self.names.get(id(definition.root()))
            return variable if name in (None, variable.name) else ir.Var(name)

        return rename

    def head_kinds(self, loop: ir.Loop) -> Mapping[str, ir.Kind] | None:
        """The kinds at the head of a loop, under new names; None where these are
        final."""
        if not self.definitions.in_place or loop.head_kinds is None:
            return None
        heads = self.definitions.heads[id(loop)]
        return {
            self.names[id(heads[name].root())]: kind
            for name, kind in loop.head_kinds.items()
            if name in heads and heads[name].used
        }

    def block(self, block: ir.Block) -> ir.Block:
        return ir.as_block([self.statement(s) for s in block], block)

    def statement(self, s: ir.Statement) -> ir.Statement:
        inner = ir.with_blocks(s, self.block)
        inner = ir.with_variables(inner, self.read_name(s), self.write_name(s))
        if isinstance(s, ir.Loop):
            return ir.altered(inner, head_kinds=self.head_kinds(s))
        return inner
