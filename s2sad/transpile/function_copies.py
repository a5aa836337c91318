"""The user's functions that derivatives call by their names, in a transpiled file.

A function that nobody looks into (a primitive, one with a rule) is called as it is.
Where its module can be imported without s2sad, it is called there. Else its text is
copied, with what it calls, if all of it is known: libraries, literals, functions.
"""

import ast
import builtins
import symtable
import textwrap
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from s2sad import custom, errors
from s2sad.codegen.commented import parse_with_comments
from s2sad.codegen.helper_sources import without_annotations
from s2sad.source.static import customs, values
from s2sad.source.text.resolve import NameNotFound, StaticResolver, follow
from s2sad.source.text.source_function import SourceFunction
from s2sad.transpile import literals


class OutsideNames(Protocol):
    """What a file takes from outside; see ``outside_names.py``."""

    def note_module(self, name: str, module: str) -> None: ...

    def note_object(self, name: str, value: Any) -> None: ...

    def note_member(self, name: str, module: str, there: str) -> None: ...

    def note_constant(self, name: str, value: Any) -> bool: ...

    def note_home(self, path: Path, own: set[str], what: str) -> str: ...

    def top_level(self) -> set[str]: ...


class _NotCopied(Exception):
    """Why a function can't be copied."""


class FunctionCopies:
    """The functions of one transpiled file."""

    def __init__(self, names: OutsideNames) -> None:
        self._names = names
        self._known: dict[Any, str] = {}
        """The names of the copies."""
        self.definitions: dict[str, ast.FunctionDef] = {}

    def called(self, name: str, function: Any, own: set[str]) -> ast.expr:
        """The expression for a function that a derivative calls; ``own`` are the names
        of its variables. Raises ``S2sadError`` where there is none."""
        plain = _plain(function)
        if isinstance(plain, values.StaticForeign):
            return self._of_library(name, plain)
        if not isinstance(plain, values.StaticFunction):
            self._names.note_object(name, plain)
            return ast.Name(name, ast.Load())
        source = plain.source
        resolver = source.resolver
        assert isinstance(resolver, StaticResolver)
        home = resolver._module.path
        needed = literals.why_s2sad_is_needed(home)
        if needed is None and _is_at_module_level(source):
            module = self._names.note_home(home, own, source.name)
            return ast.parse(f"{module}.{source.qualname}", mode="eval").body
        try:
            copied = self._copied(plain, own)
        except _NotCopied as reason:
            raise errors.S2sadError(
                f"{name} is called by the derivative, and can't be copied into the "
                f"transpiled file: {reason}; nor can it be imported from {home.name}, "
                f"which needs s2sad itself ({needed}): move {name} to a module that "
                "doesn't"
            ) from None
        if copied in own:
            raise errors.S2sadError(
                f"{copied} would mean two things in the transpiled file; rename it in "
                f"{home}"
            )
        return ast.Name(copied, ast.Load())

    def _of_library(self, name: str, function: values.StaticForeign) -> ast.expr:
        """A function of a library that isn't imported here."""
        module, _, there = function.path.rpartition(".")
        if not module or module.startswith("."):
            raise errors.S2sadError(f"where {function.path} comes from isn't known")
        self._names.note_member(name, module, there)
        return ast.Name(name, ast.Load())

    def _copied(self, function: values.StaticFunction, own: set[str]) -> str:
        """Copy a function, and what it calls; its name in the file, none of ``own``."""
        if function in self._known:
            return self._known[function]
        if any(not _says_nothing(path) for path in function.decorators):
            raise _NotCopied(f"what @{function.decorators[0]} does isn't known")
        source = function.source
        definition = _definition(source, self._free_name(source.name, own))
        self._known[function] = definition.name
        self.definitions[definition.name] = definition
        try:
            self._rewrite(definition, source)
        except _NotCopied:
            del self._known[function], self.definitions[definition.name]
            raise
        return definition.name

    def _free_name(self, name: str, own: set[str]) -> str:
        name = name if name.isidentifier() else "function"
        taken = {*own, *self._names.top_level(), *self.definitions, *dir(builtins)}
        found, count = name, 1
        while found in taken:
            count += 1
            found = f"{name}_{count}"
        return found

    def _rewrite(self, definition: ast.FunctionDef, source: SourceFunction) -> None:
        """Let the names in a copy mean what they mean in the module."""
        outside, local = _names_in(definition)
        visitor = _Rewrite(self, source, outside, local)
        definition.body = [visitor.visit(statement) for statement in definition.body]

    def is_of_library(self, root: ast.Name, source: SourceFunction) -> bool:
        """Whether a path starts at a library, which is imported then."""
        with suppress(NameNotFound):
            value = source.resolver.resolve(root.id).value
            if literals.is_library(value):
                self._names.note_module(root.id, value.__name__)
                return True
        return False

    def meaning(
        self, path: ast.expr, source: SourceFunction, local: set[str]
    ) -> ast.expr | None:
        """What a name or path in a copied function becomes; None where only a part of
        the path is known."""
        resolver = source.resolver
        name = ast.unparse(path)
        try:
            value = follow(path, resolver)
        except NameNotFound as error:
            if isinstance(path, ast.Attribute):
                return None
            raise _NotCopied(str(error)) from None
        made: ast.expr = path
        if literals.is_literal(value):
            last = name.rpartition(".")[2]
            if last in local or not self._names.note_constant(last, value):
                return literals.literal(value)
            made = ast.Name(last, ast.Load())
        elif isinstance(value, values.StaticFunction | customs.StaticCustom):
            plain = _plain(value)
            if isinstance(plain, values.StaticFunction):
                made = ast.Name(self._copied(plain, local), ast.Load())
            else:
                made = self.called(name.rpartition(".")[2], plain, local)
        elif literals.is_library(value) and isinstance(path, ast.Name):
            self._names.note_module(name, value.__name__)
        elif isinstance(path, ast.Name) and callable(value):
            try:
                self._names.note_object(name, value)
            except errors.S2sadError as error:
                raise _NotCopied(str(error)) from None
        elif isinstance(path, ast.Attribute):
            return None
        else:
            raise _NotCopied(f"it reads {name}, which is no literal")
        root = made.id if isinstance(made, ast.Name) else None
        if root in local:
            raise _NotCopied(f"{root} has another meaning in it, too")
        return made


class _Rewrite(ast.NodeTransformer):
    """Replaces what a copied function takes from its module."""

    def __init__(
        self,
        copies: FunctionCopies,
        source: SourceFunction,
        outside: set[str],
        local: set[str],
    ) -> None:
        self._copies, self._source = copies, source
        self._outside, self._local = outside, local

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id not in self._outside or hasattr(builtins, node.id):
            return node
        if not isinstance(node.ctx, ast.Load) or node.id in self._local:
            raise _NotCopied(f"{node.id} has several meanings in it")
        found = self._copies.meaning(node, self._source, self._local)
        assert found is not None
        return found

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        root: ast.expr = node
        while isinstance(root, ast.Attribute):
            root = root.value
        if isinstance(root, ast.Name) and root.id in self._outside - self._local:
            if self._copies.is_of_library(root, self._source):
                return node
            found = self._copies.meaning(node, self._source, self._local)
            if found is not None:
                return found
        self.generic_visit(node)
        return node

    def visit_Global(self, node: ast.Global) -> ast.stmt:
        raise _NotCopied(f"it assigns to the global {node.names[0]}")


def _plain(function: Any) -> Any:
    """What a call of the function runs."""
    while isinstance(function, custom.CustomFunction):
        function = function.__wrapped__
    return function


def _says_nothing(path: str) -> bool:
    return path.startswith("s2sad.")


def _is_at_module_level(source: SourceFunction) -> bool:
    return source.node in source.file.tree.body


def _definition(source: SourceFunction, name: str) -> ast.FunctionDef:
    """The text of a function, with its comments and without what decorates it."""
    node: Any = source.node
    if isinstance(node, ast.Lambda):
        body: list[ast.stmt] = [ast.Return(node.body)]
        made = ast.FunctionDef(name, node.args, body, [])
        tree = ast.parse(ast.unparse(ast.fix_missing_locations(made)))
        statements: list[ast.stmt] = tree.body
    else:
        lines = source.lines[node.lineno - 1 : node.end_lineno]
        statements = list(parse_with_comments(textwrap.dedent("\n".join(lines)) + "\n"))
    (definition,) = (s for s in statements if isinstance(s, ast.FunctionDef))
    definition.name, definition.decorator_list = name, []
    plain = without_annotations(definition)
    if any(not isinstance(d, ast.Constant) for d in _defaults(plain.args)):
        raise _NotCopied("a default of it is no literal")
    return plain


def _defaults(arguments: ast.arguments) -> list[ast.expr]:
    given = [*arguments.defaults, *arguments.kw_defaults]
    return [default for default in given if default is not None]


def _names_in(definition: ast.FunctionDef) -> tuple[set[str], set[str]]:
    """The names that a function takes from outside, and those that are local in it or
    in a function or comprehension inside of it."""
    text = ast.unparse(ast.fix_missing_locations(ast.Module([definition], [])))
    waiting = list(symtable.symtable(text, "<copy>", "exec").get_children())
    outside: set[str] = set()
    local: set[str] = set()
    while waiting:
        table = waiting.pop()
        for symbol in table.get_symbols():
            (outside if symbol.is_global() else local).add(symbol.get_name())
        waiting += table.get_children()
    # since Python 3.12 a comprehension has no table of its own
    loops = [n for n in ast.walk(definition) if isinstance(n, ast.comprehension)]
    bound = [n for loop in loops for n in ast.walk(loop.target)]
    local |= {n.id for n in bound if isinstance(n, ast.Name)}
    return outside - {definition.name}, local
