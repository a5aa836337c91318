"""Statements to logical lines."""

import ast
from typing import Any

from s2sad.codegen.layout import marks, writer
from s2sad.codegen.layout.operators import ATOM, BARE, TEST, symbol_data


class Statements(writer.Writer):
    """The visitors of statements; astor has those that are a single word."""

    def visit_Expr(self, node: ast.Expr) -> None:
        self.optional(node.value)
        self.end()

    def visit_Assign(self, node: ast.Assign) -> None:
        for index, target in enumerate(node.targets):
            if index:
                self.optional(target)
            else:
                self.put(target, BARE)
            self.result.append(" = ")
        self.optional(node.value)
        self.end()

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.put(node.target, BARE)
        self.result.append(f" {symbol_data[type(node.op)]}= ")
        self.optional(node.value)
        self.end()

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        wrapped = type(node.target) is ast.Name and not node.simple
        self.open(wrapped)
        self.put(node.target, ATOM)
        self.close(wrapped)
        self.result.append(": ")
        self.optional(node.annotation, TEST)
        if node.value:
            self.result.append(" = ")
            self.optional(node.value)
        self.end()

    def visit_Return(self, node: ast.Return) -> None:
        self.result.append("return")
        if node.value:
            self.result.append(" ")
            self.optional(node.value)
        self.end()

    def visit_Raise(self, node: ast.Raise) -> None:
        self.result.append("raise")
        if node.exc:
            self.result.append(" ")
            self.optional(node.exc, TEST)
        if node.cause:
            self.result.append(" from ")
            self.optional(node.cause, TEST)
        self.end()

    def visit_Assert(self, node: ast.Assert) -> None:
        self.result.append("assert ")
        self.optional(node.test, TEST)
        if node.msg:
            self.result.append(", ")
            self.optional(node.msg, TEST, marks.ENCLOSED)
        self.end()

    def visit_Delete(self, node: ast.Delete) -> None:
        self.result.append("del ")
        for index, target in enumerate(node.targets):
            self.result += (",", marks.CONTINUE) if index else ()
            self.put(target, TEST)
        self.end()

    def visit_Global(self, node: ast.Global) -> None:
        self.names("global ", node.names)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        self.names("nonlocal ", node.names)

    def visit_Import(self, node: ast.Import) -> None:
        self.names("import ", [_alias(alias) for alias in node.names])

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        result = self.result
        result += (
            "from ",
            "." * node.level,
            node.module or "",
            " import ",
            marks.SEQUENCE,
        )
        for index, alias in enumerate(node.names):
            result += (",", marks.LINE) if index else ()
            result.append(_alias(alias))
        self.end(marks.END)

    def visit_If(self, node: ast.If) -> None:
        keyword = "if "
        while True:
            self.result.append(keyword)
            self.condition(node.test)
            self.end(":")
            self.body(node.body)
            if len(node.orelse) != 1 or type(node.orelse[0]) is not ast.If:
                break
            node = node.orelse[0]
            keyword = "elif "
        self.else_body(node.orelse)

    def visit_While(self, node: ast.While) -> None:
        self.result.append("while ")
        self.condition(node.test)
        self.end(":")
        self.body(node.body)
        self.else_body(node.orelse)

    def visit_For(self, node: ast.For, is_async: bool = False) -> None:
        self.result.append("async for " if is_async else "for ")
        self.put(node.target, BARE)
        self.result.append(" in ")
        self.optional(node.iter)
        self.end(":")
        self.body(node.body)
        self.else_body(node.orelse)

    def visit_With(self, node: ast.With, is_async: bool = False) -> None:
        result = self.result
        result.append("async with " if is_async else "with ")
        alone = len(node.items) == 1
        result.append(marks.OPTIONAL if alone else marks.SEQUENCE)
        for index, item in enumerate(node.items):
            result += (",", marks.LINE) if index else ()
            # ``with (a, b):`` would be two items
            wrapped = alone and type(item.context_expr) is ast.Tuple
            self.open(wrapped and not item.optional_vars)
            self.put(item.context_expr, TEST)
            self.close(wrapped and not item.optional_vars)
            if item.optional_vars:
                result.append(" as ")
                self.put(item.optional_vars, TEST)
        self.end(marks.END, ":")
        self.body(node.body)

    def visit_Try(self, node: ast.Try, star: str = "") -> None:
        self.end("try:")
        self.body(node.body)
        for handler in node.handlers:
            self.result.append("except" + star)
            if handler.type:
                self.result.append(" ")
                self.optional(handler.type, TEST)
            self.end(f" as {handler.name}:" if handler.name else ":")
            self.body(handler.body)
        self.else_body(node.orelse)
        if node.finalbody:
            self.end("finally:")
            self.body(node.finalbody)

    def visit_TryStar(self, node: Any) -> None:
        self.visit_Try(node, "*")

    def definition(self, node: Any) -> None:
        if getattr(node, "type_params", None):
            raise TypeError("type parameters have no place in generated code")
        for decorator in node.decorator_list:
            self.result.append("@")
            self.optional(decorator, TEST)
            self.end()

    def visit_FunctionDef(self, node: ast.FunctionDef, is_async: bool = False) -> None:
        self.definition(node)
        self.result += (
            "async def " if is_async else "def ",
            node.name,
            "(",
            marks.PARAMETERS,
        )
        self.arguments(node.args, marks.LINE)
        self.result += (marks.END, ")")
        if node.returns:
            self.result.append(" -> ")
            self.optional(node.returns, TEST)
        self.end(":")
        self.body(node.body, node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.definition(node)
        self.result += ("class ", node.name)
        if node.bases or node.keywords:
            self.result.append("(")
            self.call_arguments(node.bases, node.keywords)
            self.result.append(")")
        self.end(":")
        self.body(node.body, node)


def _alias(node: ast.alias) -> str:
    return f"{node.name} as {node.asname}" if node.asname else node.name
