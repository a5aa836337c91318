"""What a transpiled file takes from outside its functions, and how it names it there.

Literal constants are copied, libraries imported, classes of the arguments taken from
the arguments themselves (``type(params)``). Other data of the user's is read from the
module that holds it, where that can be imported without s2sad.
"""

import ast
import builtins
import functools
import importlib
import sys
import types
from collections.abc import Hashable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from s2sad import ir
from s2sad.codegen import entry_checks, helper_sources
from s2sad.codegen.derivative import Derivative
from s2sad.codegen.python.spelling import (
    NUMPY_MODULES,
    public_module,
    root_of,
    scipy_module,
)
from s2sad.custom import CustomFunction
from s2sad.errors import S2sadError
from s2sad.source.annotations.annotation_nodes import class_meant
from s2sad.source.kinds.external_data import data_kind
from s2sad.source.static.imports import module_name
from s2sad.source.static.module import StaticModule
from s2sad.source.static.values import StaticData, StaticForeign, StaticFunction
from s2sad.source.text.libraries import place_of_distribution
from s2sad.source.text.resolve import NameNotFound, StaticClass, StaticResolver, follow
from s2sad.transpile import function_copies, literals


class OutsideNames:
    """The module-level names of a transpiled file, less its functions."""

    def __init__(self, module: StaticModule) -> None:
        self._module = module
        self._modules: dict[str, str] = {}
        self._objects: dict[str, tuple[str, str]] = {}
        """Imported from libraries: name -> module and name there."""
        self._constants: dict[str, Any] = {}
        self._homes: dict[str, str] = {}
        """Modules of the user that are imported: name of the module -> name here."""
        self._why_s2sad_is_needed = functools.cache(literals.why_s2sad_is_needed)
        self.functions = function_copies.FunctionCopies(self)

    # ------------------------------------------------------------- one function

    def rewrite(
        self,
        definition: ast.FunctionDef,
        derivative: Derivative,
        paths: Mapping[Any, str],
    ) -> dict[str, ir.Kind]:
        """Let the names in a function mean what they mean in the module; gives what it
        reads from modules of the user's, as the file spells it, with what is taken for
        granted of it."""
        called = derivative.spelling.procedures.values()
        compiled = derivative.numba.functions if derivative.numba else ()
        own = {*helper_sources.local_names(definition), *called, *compiled}
        visitor = _Rewrite(self, definition, derivative, paths, own)
        definition.body = [visitor.visit(statement) for statement in definition.body]
        return visitor.read

    def note_module(self, name: str, module: str) -> None:
        """Import a library. Raises ``S2sadError`` where the name is taken."""
        if self._modules.setdefault(name, module) != module:
            raise _taken(name, self._module)

    def note_object(self, name: str, value: Any) -> None:
        """Import something from a library under a name."""
        if getattr(builtins, name, None) is value:
            return
        home = _home_of(value)
        if home is None:
            raise S2sadError(
                f"{name} is needed in the transpiled file, but has no name in NumPy, "
                "SciPy or the standard library"
            )
        if self._objects.setdefault(name, home) != home:
            raise _taken(name, self._module)

    def note_member(self, name: str, module: str, there: str) -> None:
        """Import something from a library that isn't known here."""
        if self._objects.setdefault(name, (module, there)) != (module, there):
            raise _taken(name, self._module)

    def note_constant(self, name: str, value: Any) -> bool:
        """Copy a constant under its name; False where the name is taken."""
        if name in self._constants:
            known = self._constants[name]
            return type(known) is type(value) and repr(known) == repr(value)
        if name in self.top_level() or hasattr(builtins, name):
            return False
        self._constants[name] = value
        return True

    def note_home(self, path: Path, own: set[str], what: str) -> str:
        """Import a module of the user's that ``what`` is read from; the name it has in
        the file. Raises ``S2sadError`` where that needs s2sad."""
        reason = self._why_s2sad_is_needed(path)
        if reason is not None:
            raise S2sadError(
                f"{what} is not a literal, or not one that stays, so the transpiled "
                f"file would read it from {path.name}, which needs s2sad itself "
                f"({reason}): move {what} to a module that doesn't, or pass it as an "
                "argument"
            )
        module, _ = module_name(path)
        if not all(part.isidentifier() for part in module.split(".")):
            raise S2sadError(
                f"{what} would be read from {path.name!r}, which can't be imported: "
                "rename the file, or pass it as an argument"
            )
        if module not in self._homes:
            others = {*self._homes.values(), *sys.stdlib_module_names, "np"}
            last = module.rpartition(".")[2]
            name = module.replace(".", "_") if last in others else last
            if name in self._homes.values():
                raise _taken(name, self._module)
            self._homes[module] = name
        name = self._homes[module]
        if name in own:
            raise _taken(name, self._module)
        return name

    # ------------------------------------------------------------ the whole file

    def names_of_module(self, module: str) -> list[str]:
        """The names that a library has in the file."""
        return [name for name, known in self._modules.items() if known == module]

    def top_level(self) -> set[str]:
        """The names that are bound."""
        return {
            *(name.partition(".")[0] for name in self._modules),
            *self._objects,
            *self._constants,
            *self._homes.values(),
            *self.functions.definitions,
        }

    def imports(self) -> Iterator[list[ast.stmt]]:
        """The import statements in groups: standard library, libraries, the user's."""
        groups: tuple[list[ast.stmt], ...] = ([], [], [])
        for name, module in sorted(self._modules.items(), key=lambda item: item[1]):
            alias = ast.alias(module, None if name == module else name)
            groups[_is_third_party(module)].append(ast.Import([alias]))
        members: dict[str, list[ast.alias]] = {}
        for name, (module, there) in sorted(self._objects.items(), key=lambda i: i[1]):
            alias = ast.alias(there, None if name == there else name)
            members.setdefault(module, []).append(alias)
        for module, aliases in sorted(members.items()):
            statement = ast.ImportFrom(module, aliases, 0)
            groups[_is_third_party(module)].append(statement)
        for module, name in sorted(self._homes.items()):
            alias = ast.alias(module, None if name == module else name)
            groups[2].append(ast.Import([alias]))
        yield from (group for group in groups if group)

    def constants(self) -> list[ast.stmt]:
        """The copied constants, as assignments."""
        return [
            ast.Assign([ast.Name(name, ast.Store())], literals.literal(value))
            for name, value in self._constants.items()
        ]


class _Rewrite(ast.NodeTransformer):
    """Replaces what a function takes from outside, and notes what the file needs."""

    def __init__(
        self,
        names: OutsideNames,
        definition: ast.FunctionDef,
        derivative: Derivative,
        paths: Mapping[Any, str],
        own: set[str],
    ) -> None:
        self._names, self._definition = names, definition
        self._derivative = derivative
        self._spelling = derivative.spelling
        self._paths = paths
        self._own = own
        self._resolvers = _resolvers(derivative)
        self.read: dict[str, ir.Kind] = {}
        """What is read from modules of the user's, as the file spells it, and what is
        taken for granted of it."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        root = node
        while isinstance(root, ast.Attribute):
            root = root.value  # type: ignore[assignment]
        if isinstance(root, ast.Name) and self._is_outside(root):
            return self._path(node, root)
        self.generic_visit(node)
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._path(node, node) if self._is_outside(node) else node

    def _is_outside(self, name: ast.Name) -> bool:
        return isinstance(name.ctx, ast.Load) and name.id not in self._own

    def _path(self, node: ast.expr, root: ast.Name) -> ast.expr:
        """The replacement of a dotted name that isn't local."""
        spelling = self._spelling
        if root.id in spelling.helpers:
            return node
        if root.id in spelling.objects:
            value = spelling.objects[root.id]
            if isinstance(value, StaticClass):
                return self._class(value, node)
            if isinstance(value, StaticFunction | StaticForeign | CustomFunction):
                return self._names.functions.called(root.id, value, self._own)
            self._names.note_object(root.id, value)
            return node
        called = self._function_at(node)
        if called is not None:
            name = ast.unparse(node).rpartition(".")[2]
            return self._names.functions.called(name, called, self._own)
        if root.id in spelling.modules:
            module = spelling.modules[root.id]
            if literals._is_library(module):
                self._names.note_module(root.id, module)
                return node
            if isinstance(node, ast.Attribute):
                # data of another module of the user's, of which a function was inlined
                inner = _without_root(node)
                return self._data(inner, self._resolvers.get(module), node)
        if root.id in spelling.data:
            operand = spelling.data[root.id]
            # a parameter may have the name that the module knows it by
            rest = ast.unparse(node)[len(root.id) :]
            there = ast.parse(root_of(operand.name)[0] + rest, mode="eval").body
            return self._data(there, self._resolvers.get(operand.module), node)
        if hasattr(builtins, root.id):
            return node
        raise S2sadError(f"{root.id} has no meaning in the transpiled file")

    def _function_at(self, node: ast.expr) -> Any:
        """A function of another module of the user's, ``other.solve``; else None."""
        if not isinstance(node, ast.Attribute):
            return None
        try:
            value = follow(node, self._derivative.source.resolver)
        except NameNotFound:
            return None
        functions = StaticFunction | StaticForeign | CustomFunction
        return value if isinstance(value, functions) else None

    def _data(
        self, path: ast.expr, resolver: StaticResolver | None, node: ast.expr
    ) -> ast.expr:
        """The replacement of module data that ``path`` means in its own module."""
        text = ast.unparse(path)
        try:
            value = follow(path, resolver) if resolver else None
        except NameNotFound:
            value = ast.expr
        if resolver is None:
            raise S2sadError(f"it isn't known from the text where {text} comes from")
        if literals.is_literal(value):
            name = text.rpartition(".")[2]
            if name not in self._own and self._names.note_constant(name, value):
                return ast.Name(name, ast.Load())
            return literals.literal(value)
        home, inner = _holder(path, resolver)
        name = self._names.note_home(home, self._own, text)
        spelled = f"{name}.{ast.unparse(inner)}"
        behind, kind = _told(path, resolver)
        self.read[spelled.rsplit(".", behind)[0]] = kind
        return ast.parse(spelled, mode="eval").body

    def _class(self, cls: StaticClass, node: ast.expr) -> ast.expr:
        """The class of an argument, whose gradient is of the same class."""
        path = self._paths.get(cls)
        root = (path or "").partition(".")[0].partition("[")[0]
        parameters = {p.arg for p in self._derivative.source.node.args.args}
        if path is None or root not in parameters or self._is_rebound(root):
            raise S2sadError(
                f"{self._derivative.source.name} makes a {cls.name}, a class that the "
                "transpiled file can't import: return a tuple or a dict instead"
            )
        return ast.parse(f"type({path})", mode="eval").body

    def _is_rebound(self, name: str) -> bool:
        return any(
            isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store)
            for n in ast.walk(self._definition)
        )


def class_paths(kinds: Mapping[str, ir.Kind]) -> dict[Hashable, str]:
    """Of each class among the arguments an expression that is of it."""
    found: dict[Hashable, str] = {}

    def visit(path: str, kind: ir.Kind) -> None:
        if isinstance(kind, ir.Structure):
            found.setdefault(class_meant(kind.constructor), path)
            for key, item in zip(kind.keys, kind.items, strict=True):
                visit(entry_checks.item_path(path, kind, key), item)

    for name, kind in kinds.items():
        visit(name, kind)
    return found


def _holder(path: ast.expr, resolver: StaticResolver) -> tuple[Path, ast.expr]:
    """The file that holds data, and its name there: of ``config.x`` it is config."""
    if isinstance(path, ast.Attribute):
        try:
            owner = follow(path.value, resolver)
        except NameNotFound:
            owner = None
        if isinstance(owner, StaticModule):
            return owner.path, ast.Name(path.attr, ast.Load())
    return resolver._module.path, path


def _told(path: ast.expr, resolver: StaticResolver) -> tuple[int, ir.Kind]:
    """The kind of what a path leads to or through, and how many attributes stand behind
    that: of ``config.weights`` it may be that of config. Unknown where none is told."""
    part, behind = path, 0
    while True:
        with suppress(NameNotFound):
            value = follow(part, resolver)
            if isinstance(value, StaticData):
                kind = data_kind(value, ast.unparse(part))
                return (0, kind) if kind == ir.UNKNOWN else (behind, kind)
        if not isinstance(part, ast.Attribute):
            return 0, ir.UNKNOWN
        part, behind = part.value, behind + 1


def _without_root(node: ast.Attribute) -> ast.expr:
    """``a.b.c`` without ``a.``."""
    return ast.parse(ast.unparse(node).partition(".")[2], mode="eval").body


def _resolvers(derivative: Derivative) -> dict[str, StaticResolver]:
    """The resolvers of the modules that compilation read, by name of the module; what
    s2sad wrote out for a function is no module of the user's."""
    found = {derivative.source.module: derivative.source.resolver}
    for read in derivative.reads:
        if isinstance(read.resolver, StaticResolver):
            found.setdefault(read.resolver._module.name, read.resolver)
    return found  # type: ignore[return-value]


def _is_third_party(module: str) -> bool:
    return module.partition(".")[0] not in sys.stdlib_module_names


def _home_of(value: Any) -> tuple[str, str] | None:
    """The library and the name under which something can be imported."""
    place = place_of_distribution(value)
    if place is not None:
        return place
    name = getattr(value, "__name__", "")
    own = public_module(value)
    for module in (*NUMPY_MODULES, "math", scipy_module(value), own):
        if name and module and literals._is_library(module):
            if getattr(_module(module), name, None) is value:
                return module, name
    return None


def _module(name: str) -> types.ModuleType:
    return importlib.import_module(name)


def _taken(name: str, module: StaticModule) -> S2sadError:
    return S2sadError(
        f"{name} would mean two things in the transpiled file; rename it in "
        f"{module.path}"
    )
