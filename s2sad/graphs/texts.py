"""The texts of nodes: statements and operations in the words of the user.

The emitter writes each statement by itself; what has no name in the user's program is
shown as a dot.
"""

import ast
import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import fields
from typing import Any

from s2sad import ir
from s2sad.codegen.argument_leaves import ArgumentLeaf
from s2sad.codegen.python.emit import Emitter
from s2sad.codegen.python.spelling import Spelling
from s2sad.rules.steps.stopped import stopped

UNNAMED = "·"
"""Stands for what another node gives."""


class _Words(Spelling):
    """Spells operations of the IR too, which generated code has other words for."""

    def function(self, function: Any) -> ast.expr:
        """The expression for a function, class or dtype."""
        if function is stopped:
            return ast.Name("stop_gradient", ast.Load())
        own = str(getattr(function, "__module__", "")).startswith("s2sad.")
        if own and not isinstance(function, ir.Procedure):
            return ast.Name(ir.function_name(function), ast.Load())
        return super().function(function)


class Texts:
    """Writes the statements of one function."""

    def __init__(
        self,
        function: ir.Function,
        spelling: Spelling,
        leaves: Sequence[ArgumentLeaf],
        lengths: Mapping[Hashable, int],
    ) -> None:
        """``lengths`` are those of axes, by their symbols."""
        self.function, self.lengths = function, lengths
        names = {name: name for name in function.kinds}
        names |= {leaf.variable: leaf.text for leaf in leaves}
        words = {
            field.name: getattr(spelling, field.name) for field in fields(spelling)
        }
        self.emitter = Emitter(function, names, _Words(**words))

    def statement(self, s: ir.Assign | ir.Return | ir.Effect) -> str:
        """A statement as the user would write it, in one line."""
        value = s.value
        if isinstance(value, ir.Apply) and value.function in (
            ir.caught_exception,
            ir.entered_value,
        ):
            return self.shown(ast.Name(ir.direct_writes(s)[0].name, ast.Load()))
        lines: list[ast.AST] = list(self.emitter.statement(s))
        if not lines and isinstance(s, ir.Assign):
            lines = [self.emitter.operand(value)]
        if isinstance(s, ir.Assign) and isinstance(s.target, ir.Var):
            line = lines[-1] if lines else None
            if self.is_unnamed(s.target.name) and isinstance(line, ast.Assign):
                (target,) = line.targets
                if isinstance(target, ast.Name):
                    lines[-1] = line.value
        texts = [self.shown(line) for line in lines if not self.is_renaming(line)]
        return "; ".join(texts or map(self.shown, lines))

    def is_renaming(self, line: ast.AST) -> bool:
        """True for ``x = x``, between variables that the user calls the same."""
        match line:
            case ast.Assign(targets=[ast.Name() as target], value=ast.Name() as value):
                return self.shown(target) == self.shown(value) != UNNAMED
        return False

    def range(self, s: ir.For) -> str:
        """What a loop counts through."""
        return self.shown(self.emitter.numbers(s))

    def is_unnamed(self, name: str) -> bool:
        """True for a variable that isn't the user's."""
        made = "." in name and name in self.function.kinds
        return made or name in self.function.temporaries

    def operation(self, value: ir.Apply | ir.Operand) -> str:
        """An operation or operand."""
        return self.shown(self.emitter.operand(value))

    def shown(self, node: ast.AST) -> str:
        """Syntax as text, in the user's names."""
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name):
                if self.is_unnamed(inner.id):
                    inner.id = UNNAMED
                elif inner.id in self.function.kinds:
                    inner.id = re.sub(r"~\d+$", "", inner.id)
        return ast.unparse(ast.fix_missing_locations(node))

    def kind(self, kind: ir.Kind | None) -> str:
        """What a value is: ``"float64 (2, 3)"``."""
        match kind:
            case ir.Scalar():
                return kind.type
            case ir.NumPyScalar():
                return kind.dtype or "number"
            case ir.Array():
                if kind.axes is None:
                    return f"{kind.dtype or 'array'} (...)"
                axes = [self.length(axis) for axis in kind.axes]
                inner = ", ".join(axes) + ("," if len(axes) == 1 else "")
                return f"{kind.dtype or 'array'} ({inner})"
        return ""

    def length(self, axis: Any) -> str:
        """The length of an axis; a question mark where the program decides it."""
        if axis.length == "one":
            return "1"
        return str(self.lengths.get(axis.symbol, "?"))
