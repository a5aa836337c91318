"""Reads the bodies of functions for what they do with the values they are given."""

import ast
from collections.abc import Sequence
from typing import Any

from s2sad.source.annotations.annotation_nodes import evaluated_annotation
from s2sad.source.text.scopes import assigned_names
from s2sad.source.uses.expressions import Expressions
from s2sad.source.uses.places import ITEM, Place, unite
from s2sad.source.uses.table import Table, Uses


def read_all(table: Table) -> None:
    """Read the functions that are waiting, and those that they call."""
    while table.waiting:
        while table.waiting:
            uses = table.waiting.pop()
            _Statements(table, uses).read()
        while table.settle() and not table.waiting:
            pass


class _Statements(Expressions):
    """Reads one function."""

    def __init__(self, table: Table, uses: Uses) -> None:
        super().__init__(table, uses, dict(uses.around) | uses.parameters)
        self.uses = uses

    def read(self) -> None:
        body: Any = self.uses.source.node.body
        if isinstance(body, ast.expr):
            unite(self.uses.result, self.place(body))
        else:
            self.block(body)

    def block(self, statements: Sequence[ast.stmt]) -> None:
        for statement in statements:
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign(targets=targets, value=value):
                place = self.place(value)
                for target in targets:
                    self.bind(target, place)
            case ast.AnnAssign(target=target, annotation=annotation, value=value):
                place = self.place(value)
                told = evaluated_annotation(annotation, self.resolver)
                self.table.take(place, told)
                self.bind(target, place)
            case ast.AugAssign(target=target, op=op, value=value):
                holder: Any = target
                read = ast.BinOp(holder, op, value)
                place = self.place(read)
                if not isinstance(target, ast.Name) or target.id in self.names:
                    unite(self.place(target), place)
            case ast.Return(value=value):
                if not isinstance(value, ast.Constant):
                    unite(self.uses.result, self.place(value))
            case ast.For(target=target, iter=iterated):
                item = self.items_of(iterated)
                self.loop(node, lambda: self.bind(target, item))
            case ast.While(test=test):
                self.loop(node, lambda: self.truth(test))
            case ast.If(test=test, body=body, orelse=orelse):
                self.truth(test)
                self.branches([body, orelse], [self.narrowed(test), {}])
            case ast.Match(subject=subject, cases=cases):
                self.match(subject, cases)
            case ast.With(items=items, body=body):
                for entered in items:
                    self.place(entered.context_expr)
                self.block(body)
            case ast.Try():
                self.block(node.body)
                self.branches([handler.body for handler in node.handlers])
                self.block(node.orelse)
                self.block(node.finalbody)
            case ast.FunctionDef(name=name):
                self.function(name, node)
            case ast.Expr(value=value):
                self.place(value)
            case ast.Assert(test=test):
                self.truth(test)
            case ast.Delete(targets=targets):
                for target in targets:
                    self.place(target)

    def loop(self, node: Any, begin: Any) -> None:
        """Read a loop: what stands under a name at its end does at its start, too."""
        before = dict(self.names)
        begin()
        fresh = {name for name in self.names if self.names[name] != before.get(name)}
        self.block(node.body)
        for name, place in before.items():
            if name not in fresh and name in self.names:
                unite(place, self.names[name])
        self.block(node.orelse)

    def branches(
        self,
        blocks: Sequence[Sequence[ast.stmt]],
        narrowed: Sequence[dict[str, Place]] = (),
    ) -> None:
        """Read blocks of which one runs; what names stand for in each may be
        ``narrowed`` to some classes."""
        before, after = self.names, dict(self.names)
        for at, block in enumerate(blocks):
            own = narrowed[at] if narrowed else {}
            self.names = before | own
            self.block(block)
            for name, place in self.names.items():
                if place is own.get(name):
                    continue
                if name in after and name in before:
                    unite(after[name], place)
                after[name] = place
        self.names = after

    def match(self, subject: ast.expr, cases: Sequence[ast.match_case]) -> None:
        place = self.place(subject)
        narrowed = []
        for case in cases:
            outer, self.names = self.names, dict(self.names)
            self.pattern(case.pattern, place)
            own = {n: p for n, p in self.names.items() if p is not outer.get(n)}
            self.names = outer
            if isinstance(case.pattern, ast.MatchClass) and isinstance(
                subject, ast.Name
            ):
                own[subject.id] = Place("self")
                self.told_class(own[subject.id], case.pattern.cls)
            narrowed.append(own)
        self.branches([case.body for case in cases], narrowed)

    def function(self, name: str, node: ast.FunctionDef) -> None:
        """A function that is made here reads the names around it."""
        named = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
        inner = Uses(self.uses.source, {p.arg: Place() for p in named})
        self.inner[name] = inner
        reader = _Statements(self.table, inner)
        reader.local = assigned_names(node.body)
        reader.names = self.names | inner.parameters
        reader.inner = self.inner
        reader.block(node.body)

    def pattern(self, pattern: ast.pattern, place: Place) -> None:
        """Note what a pattern asks for."""
        match pattern:
            case ast.MatchAs(pattern=inner, name=name):
                if inner is not None:
                    self.pattern(inner, place)
                if name is not None:
                    self.names[name] = place
            case ast.MatchOr(patterns=patterns):
                for inner in patterns:
                    self.pattern(inner, place)
            case ast.MatchSequence(patterns=patterns):
                starred = any(isinstance(p, ast.MatchStar) for p in patterns)
                place.note("run over" if starred else "unpacked")
                for at, inner in enumerate(patterns):
                    step: Any = ITEM if starred else ("at", at)
                    self.pattern(inner, place.step(step))
            case ast.MatchClass(cls=cls, patterns=patterns):
                self.told_class(place, cls)
                own = Place("self")
                self.told_class(own, cls)
                for meant in own.classes:
                    for name, inner in zip(self.table.fields(meant), patterns):
                        self.pattern(inner, own.step(("attribute", name)))
                for name, inner in zip(pattern.kwd_attrs, pattern.kwd_patterns):
                    self.pattern(inner, own.step(("attribute", name)))
            case ast.MatchMapping(keys=keys, patterns=patterns):
                for key, inner in zip(keys, patterns):
                    self.pattern(inner, self.item(place, key))
            case ast.MatchValue(value=ast.Constant(value=str())):
                place.note("text")
            case ast.MatchSingleton(value=None):
                place.note("none")
