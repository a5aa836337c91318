"""Lines, blocks, and the pieces that several visitors share."""

import ast
import warnings
from collections.abc import Callable, Sequence
from typing import Any

with warnings.catch_warnings():
    # astor asks for node classes that Python 3.12 deprecates.
    warnings.simplefilter("ignore", DeprecationWarning)
    from astor.code_gen import SourceGenerator

from s2sad.codegen.layout import line_breaking, nodes, operators
from s2sad.codegen.layout.literals import comment_lines, docstring_lines
from s2sad.codegen.layout.marks import (
    ARGUMENTS,
    CHAIN,
    END,
    INDENT,
    LINE,
    OPEN,
    OPTIONAL,
    VALUE,
    WIDTH,
    Mark,
)

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_IMPORTS = (ast.Import, ast.ImportFrom)


def _ends_in_definition(statement: ast.stmt) -> bool:
    """Whether the last line of ``statement`` is that of a function or a class."""
    while not isinstance(statement, DEFINITIONS):
        blocks = [
            getattr(statement, name, None)
            for name in ("finalbody", "orelse", "handlers", "body")
        ]
        block: Sequence[ast.stmt] = next(filter(None, blocks), [])
        last = [item for item in block if type(item) is not nodes.BlankLine]
        if not last:
            return False
        statement = last[-1]
    return True


class Writer(SourceGenerator):
    """Writes statements to ``lines``, each by way of its parts in ``result``."""

    def __init__(self) -> None:
        super().__init__(" " * INDENT)
        self.lines: list[str] = []
        self.quotes: tuple[str, ...] = ('"', "'")
        self.methods: dict[type, Callable[..., None]] = {}

    def method(self, node: ast.AST) -> Callable[..., None]:
        """The visitor of a node: of astor's own, only those of statements."""
        kind = type(node)
        found = self.methods.get(kind)
        if found is None:
            name = f"visit_{kind.__name__}"
            found = getattr(type(self), name, None)
            theirs = getattr(SourceGenerator, name, None)
            if found is None or (found is theirs and not issubclass(kind, ast.stmt)):
                raise TypeError(f"{kind.__name__} has no place in generated code")
            found = self.methods[kind] = found.__get__(self)
        return found

    # Lines and blocks

    def end(self, *parts: str) -> None:
        """Finish the logical line that ``result`` holds, after adding ``parts``."""
        result = self.result
        result += parts
        indent = self.indentation * INDENT
        text = "".join(result)
        if indent + len(text) <= WIDTH:
            self.lines.append(" " * indent + text)
        else:
            items = line_breaking.Group(CHAIN, iter([*result, END])).items
            self.lines += line_breaking.BrokenLine(items, indent).lines
        result.clear()

    def statement(self, node: ast.AST, *params: str, **kw: Any) -> None:
        """Write a statement of one line; astor's own visitors call it."""
        self.end(*params)

    def body(
        self, statements: Sequence[ast.stmt], owner: ast.AST | None = None
    ) -> None:
        self.indentation += 1
        self.block(statements, owner)
        self.indentation -= 1

    def else_body(self, elsewhat: Sequence[ast.stmt]) -> None:
        if elsewhat:
            self.end("else:")
            self.body(elsewhat)

    def block(self, statements: Sequence[ast.stmt], owner: ast.AST | None) -> None:
        """Write the ``statements`` of ``owner``: None for a compound statement."""
        most = 1 if self.indentation else 2
        documented = isinstance(owner, (ast.Module, *DEFINITIONS))
        wanted = 0  # empty lines asked for by BlankLine
        last: ast.stmt | None = None
        empty = True
        for index, statement in enumerate(statements):
            kind = type(statement)
            if kind is nodes.BlankLine:
                wanted = min(wanted + 1, most)
                continue
            if last is None:
                nested = self.indentation and kind in DEFINITIONS
                wanted = 1 if nested and not isinstance(owner, DEFINITIONS) else 0
            elif wanted < most:
                wanted = max(wanted, self.gap(last, statements, index, most))
            self.lines += [""] * wanted
            wanted = 0
            last = statement
            if kind is nodes.Comment:
                self.lines += comment_lines(statement.text, self.indentation * INDENT)  # type: ignore[attr-defined]
                continue
            lines = self.docstring(statement) if empty and documented else None
            empty = False
            if lines is None:
                self.method(statement)(statement)
                continue
            self.lines += lines
            if not isinstance(owner, (ast.FunctionDef, ast.AsyncFunctionDef)):
                wanted = 1
        if empty and self.indentation:
            self.end("pass")

    def gap(
        self, last: ast.stmt, statements: Sequence[ast.stmt], index: int, most: int
    ) -> int:
        """How many empty lines the statement at ``index`` needs above it."""
        if _ends_in_definition(last):
            return most
        kind = type(last)
        if kind is nodes.Comment and type(statements[index - 1]) is nodes.Comment:
            return 0
        while type(statements[index]) is nodes.Comment and index + 1 < len(statements):
            index += 1
        if isinstance(statements[index], DEFINITIONS):
            return most
        return int(kind in _IMPORTS and not isinstance(statements[index], _IMPORTS))

    def docstring(self, statement: ast.stmt) -> list[str] | None:
        value = statement.value if isinstance(statement, ast.Expr) else None
        if not isinstance(value, ast.Constant) or not isinstance(value.value, str):
            return None
        return docstring_lines(value.value, self.indentation * INDENT)

    # Pieces that statements share

    def put(self, node: ast.expr, level: int) -> None:
        """Write an expression, in parentheses if it binds less than ``level``."""
        (self.methods.get(type(node)) or self.method(node))(node, level)

    def optional(
        self, node: ast.expr, level: int = operators.BARE, mark: Mark = OPTIONAL
    ) -> None:
        """Write an expression that may be given parentheses."""
        if type(node) is ast.Tuple:
            self.put(node, level)
            return
        self.result.append(mark)
        self.put(node, level)
        self.result.append(END)

    def open(self, wrapped: bool) -> None:
        if wrapped:
            self.result += ("(", OPEN)

    def close(self, wrapped: bool) -> None:
        if wrapped:
            self.result += (END, ")")

    def comma_list(self, items: Sequence[ast.expr]) -> None:
        result = self.result
        for index, item in enumerate(items):
            if index:
                result += (",", LINE)
            self.put(item, operators.TEST)

    def condition(self, node: ast.expr) -> None:
        """Write what follows ``if`` and ``while``."""
        if type(node) is ast.NamedExpr:
            self.named(node)
        else:
            self.optional(node, operators.TEST)

    def names(self, keyword: str, names: Sequence[str]) -> None:
        """Write names that can't be put in brackets."""
        indent = self.indentation * INDENT
        text = keyword + ", ".join(names)
        if indent + len(text) > WIDTH:
            pad = " \\\n" + " " * (indent + INDENT)
            text = keyword.rstrip() + pad + ("," + pad).join(names)
        self.lines.append(" " * indent + text)

    def arguments(self, node: ast.arguments, blank: str) -> None:
        """Write parameters, ``blank`` after each comma."""
        result = self.result
        comma = (",", blank)
        first = True
        positional = [*node.posonlyargs, *node.args]
        defaults = [None] * (len(positional) - len(node.defaults)) + node.defaults
        for index, (arg, default) in enumerate(zip(positional, defaults)):
            result += () if first else comma
            first = False
            self.parameter(arg, default)
            if index + 1 == len(node.posonlyargs):
                result += (*comma, "/")
        if node.vararg or node.kwonlyargs:
            result += ("*",) if first else (*comma, "*")
            first = False
            if node.vararg:
                self.parameter(node.vararg, None)
        for arg, default in zip(node.kwonlyargs, node.kw_defaults):
            result += comma
            self.parameter(arg, default)
        if node.kwarg:
            result += ("**",) if first else (*comma, "**")
            self.parameter(node.kwarg, None)

    def parameter(self, node: ast.arg, default: ast.expr | None) -> None:
        self.result.append(node.arg)
        if node.annotation:
            self.result += (": ", VALUE)
            self.put(node.annotation, operators.TEST)
            self.result.append(END)
        if default:
            self.result += (" = " if node.annotation else "=", VALUE)
            self.put(default, operators.TEST)
            self.result.append(END)

    def call_arguments(
        self, args: Sequence[ast.expr], keywords: Sequence[ast.keyword]
    ) -> None:
        result = self.result
        if not args and not keywords:
            return
        result.append(ARGUMENTS)
        self.comma_list(args)
        for index, keyword in enumerate(keywords, len(args)):
            if index:
                result.append(",")
                result.append(LINE)
            result.append(f"{keyword.arg}=" if keyword.arg else "**")
            result.append(VALUE)
            self.put(keyword.value, operators.TEST)
            result.append(END)
        result.append(END)
