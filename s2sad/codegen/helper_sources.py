"""Run-time helpers as source, for files that must run without s2sad.

Takes the helpers that a text calls, gives their definitions and those of what they call
in turn, without annotations, under the text's own names of modules.
"""

import ast
import inspect
import sys
import types
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from s2sad import errors
from s2sad.codegen.commented import parse_with_comments

Definition = ast.FunctionDef | ast.ClassDef


def helper_definitions(
    helpers: Iterable[Callable[..., Any]], modules: Mapping[str, str]
) -> dict[str, Definition]:
    """The definitions of helpers and of all that they call, by name, callers first;
    ``modules`` are the names that they call modules by."""
    found: dict[str, Definition] = {}
    texts: dict[str, str | None] = {}
    waiting = list(helpers)
    while waiting:
        helper: Any = inspect.unwrap(waiting.pop(0))
        if helper.__name__ in found:
            if texts[helper.__name__] != getattr(helper, "text", None):
                raise errors.S2sadError(
                    f"two things would be called {helper.__name__}; transpile one of "
                    "the functions that need them to a file of its own"
                )
            continue
        texts[helper.__name__] = getattr(helper, "text", None)
        definition, called = _copied(helper, modules)
        found[helper.__name__] = definition
        waiting += called
    return found


def _copied(
    helper: types.FunctionType | type, modules: Mapping[str, str]
) -> tuple[Definition, list[Callable[..., Any]]]:
    """The definition of a helper, and the helpers that it calls. What was written for
    a file has its text with it."""
    text = getattr(helper, "text", None) or inspect.getsource(helper)
    (definition,) = (
        statement
        for statement in parse_with_comments(text)
        if isinstance(statement, Definition)
    )
    plain = without_annotations(definition)
    plain.decorator_list = []
    _shorten_docstring(plain)
    own = local_names(plain)
    called: list[Callable[..., Any]] = []
    around = vars(sys.modules[helper.__module__])
    around = getattr(helper, "__globals__", around)
    for node in ast.walk(plain):
        if not isinstance(node, ast.Name) or node.id in own:
            continue
        value: Any = around.get(node.id)
        if isinstance(value, types.ModuleType) and value.__name__ in modules:
            node.id = modules[value.__name__]
        elif isinstance(value, types.FunctionType) or _is_copied_class(value):
            called.append(value)
        elif node.id in around:
            raise TypeError(f"{helper.__name__} reads {node.id}, which isn't copied")
    return plain, called


def _is_copied_class(value: Any) -> bool:
    return isinstance(value, type) and value.__module__.startswith("s2sad.ops.runtime.")


def local_names(definition: Definition) -> set[str]:
    """The parameters of a function and the names that it assigns."""
    names = set()
    for node in ast.walk(definition):
        if isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
    return names


Text = TypeVar("Text", ast.FunctionDef, Definition)


def without_annotations(definition: Text) -> Text:
    """The function or class, changed to one without annotations."""
    plain: Text = _Plain().visit(definition)
    return plain


class _Plain(ast.NodeTransformer):
    """Drops annotations, whose names the copy would have to import."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.returns = None
        self.generic_visit(node)
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.Assign | None:
        if node.value is None:
            return None
        return ast.copy_location(ast.Assign([node.target], node.value), node)


def _shorten_docstring(function: Definition) -> None:
    """Drop the examples, which show s2sad's own tests what to expect."""
    text = ast.get_docstring(function)
    if text is not None:
        short = ast.Constant(text.partition(">>>")[0].strip())
        function.body[0] = ast.Expr(short)
