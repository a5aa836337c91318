"""A module as text: what its names mean, found without executing it."""

from __future__ import annotations

import ast
import functools
import os
import tokenize
import types
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from logging import Logger
from pathlib import Path
from typing import Any

from s2sad.errors import Problem, SourceError, one_line
from s2sad.source.static import branches, classes, effects, imports, namespaces, reach
from s2sad.source.static.customs import CustomReader, StaticCustom
from s2sad.source.static.scan import Definition, Scan, scan
from s2sad.source.static.values import (
    NameNotFound,
    StaticClass,
    StaticData,
    StaticForeign,
    StaticFunction,
    StaticS2sad,
    UnknownDefault,
    as_lambda,
    literal_defaults,
)
from s2sad.source.text import deep_recursion, resolve
from s2sad.source.text.parsed import FunctionNode, parse
from s2sad.source.text.source_function import SourceFunction

_ABSENT = object()
_OF_EVERY_MODULE = ("__name__", "__file__", "__doc__", "__package__", "__spec__")
_STATIC = (StaticFunction, StaticCustom, StaticClass, StaticForeign, StaticS2sad)
_IMMUTABLE = (int, float, complex, str, bytes, type(None))


def load(path: str | os.PathLike[str]) -> StaticModule:
    """The module of a file. Raises ``SourceError``."""
    imports.check_is_file(Path(path))
    return _load(Path(path), reach.Modules(_load))


class StaticModule(namespaces.StaticNamespace):
    """A module that is read, not executed."""

    def __init__(self, path: Path, lines: list[str], others: reach.Modules) -> None:
        self.path = path
        self.name, self._root = imports.module_name(path)
        self.is_package = path.name == "__init__.py" or path.is_dir()
        self.file = parse(str(path), lines)
        self._resolver = resolve.StaticResolver(self)
        self._others = others
        self._scan: Scan = scan(self.file.tree.body)
        self._classes = classes.ClassReader(self)
        self.customs = CustomReader(self)
        self._values: dict[str, Any] = {}
        self._pending: set[str] = set()
        self._asked: set[str] = set()
        self._branches = branches.Branches(self)

    @property
    def resolver(self) -> resolve.StaticResolver:
        """What names mean in it."""
        return self._resolver

    @functools.cached_property
    def effects(self) -> effects.Effects:
        """What its text does to modules and classes."""
        return effects.effects(self.file.tree)

    def __repr__(self) -> str:
        return f"StaticModule({self.name!r})"

    def all_read(self) -> list[StaticModule]:
        """This module and the others that were read on the way."""
        return [self, *(m for m in self._others.values() if m is not self)]

    @property
    def functions(self) -> Mapping[str, StaticFunction]:
        """The functions that the module defines itself, in the order of the text."""
        found = {}
        for name, definitions in self._scan.definitions.items():
            if any(isinstance(d.node, ast.FunctionDef) for d in definitions):
                value = whole_function(self.value(name))
                if isinstance(value, StaticFunction):
                    found[name] = value
        return found

    def function(self, path: str) -> StaticFunction:
        """A function, or a method given as ``"Class.method"``. Raises
        ``NameNotFound``."""
        owner, *rest = path.split(".")
        if not self.defines(owner):
            raise NameNotFound(f"{one_line(self.name)} has no function {path}")
        holder, value = None, self.value(owner)
        for name in rest:
            holder, value = value, self.resolver.attribute(value, name)
        value = whole_function(value)
        if not isinstance(value, StaticFunction):
            raise NameNotFound(f"{path} in {one_line(self.name)} is not a function")
        if isinstance(holder, StaticClass) and "staticmethod" not in value.decorators:
            return replace(value, owner=holder)
        return value

    def defines(self, name: str) -> bool:
        """True if the name may be bound in the namespace of the module."""
        return (
            name in self._scan.definitions
            or name in _OF_EVERY_MODULE
            or self._star(name) is not _ABSENT
        )

    def value(self, name: str) -> Any:
        """What a name is bound to once the module is loaded. Raises
        ``NameNotFound``."""
        if name not in self._values:
            if name in self._pending:
                raise NameNotFound(f"{name} of {self.name} is defined by itself")
            self._pending.add(name)
            try:
                value = self._values[name] = self._global_meaning(name)
            finally:
                self._pending.discard(name)
            apart = (StaticModule, StaticForeign, StaticS2sad, types.ModuleType)
            if not isinstance(value, apart) and self._may_be_replaced(name, value):
                annotation = self._scan.annotations.get(name)
                data = StaticData(name, self.name, None, annotation, self.resolver)
                self._values[name] = data
        return self._values[name]

    def member(self, name: str) -> Any:
        """The value of a name, or the submodule of a package. Raises
        ``NameNotFound``."""
        file = None
        if self.is_package:  # which may take its submodules from itself
            folder = self.path if self.path.is_dir() else self.path.parent
            file = imports.find_file(folder, name)
        if self.defines(name) and name not in self._pending:
            if file is not None and self._others.load_later(file, self.path):
                return StaticData(name, self.name, None, None)
            return self.value(name)
        if file is not None:
            return _load(file, self._others)
        raise NameNotFound(f"{self.name} has no attribute {name}")

    def stores_attribute(self, value: Any, name: str, broadly: bool = False) -> bool:
        """True if the text of this module, or of one that is loaded with it, assigns to
        attribute ``name`` of ``value``, or ``broadly`` if it may."""
        if self.stores_itself(value, name, broadly):
            return True
        others = (m for m in self._others.may_store(name) if m is not self)
        return any(module.stores_itself(value, name, broadly) for module in others)

    def stores_itself(self, value: Any, name: str, broadly: bool) -> bool:
        """The same for this module's own text. What only the run knows may be what is
        handed about, where that has such an attribute: most have objects alone."""
        told, any_name = (self.effects.stores.get(known, ()) for known in (name, None))
        special = isinstance(value, StaticClass) and name.endswith("__")
        if special:  # nobody means these where the name isn't written out
            any_name = ()
        meanings = {path: self._meant(path) for path in {*told, *any_name}}
        if any(meaning is value for meaning in meanings.values()):
            return True
        last = value.name.rpartition(".")[2]
        if isinstance(value, StaticClass):
            if not special and not value.reader.defines(value, name):
                return False
            names = ("", *value.reader.names_with_bases(value))
            if any(effects.A_CLASS + n in {*told, *any_name} for n in names):
                return True
        if broadly and any(self._meant(path) is None for path in told):
            return True
        unknown = [p for p, meaning in meanings.items() if meaning == effects.UNKNOWN]
        if not unknown or any(path.endswith(f".{last}") for path in unknown):
            return bool(unknown)
        if broadly and effects.UNKNOWN in map(self._meant, told):
            if self._others.look_up():
                return True
        return self._others.is_handed(last)

    def _meant(self, path: str) -> Any:
        """What a path means, as far as the module tells; ``UNKNOWN`` for what only the
        run knows, and None for one of several things."""
        root = path.partition(".")[0]
        if not path or not self.defines(root):
            return effects.UNKNOWN
        definitions = self._branches.holding(self._scan.definitions.get(root, ()))
        if len(definitions) > 1 and not all(map(branches.is_plain_import, definitions)):
            return None
        try:
            found = resolve.follow(ast.parse(path, mode="eval").body, self.resolver)
        except NameNotFound:
            return effects.UNKNOWN
        return effects.UNKNOWN if isinstance(found, StaticData) else found

    def _may_be_replaced(self, name: str, value: Any) -> bool:
        """True for a name to which others may bind something else; for that of a
        literal also where code may of which only the run knows."""
        if name not in self._scan.definitions:
            return False
        by_code = self.effects.binds_any and _is_immutable(value)
        return by_code or self.replaces(self, name, value)

    def replaces(self, owner: Any, name: str, value: Any) -> bool:
        """True where some text stores another value as an attribute; of a literal,
        which can as well be read, where it may."""
        if self.stores_attribute(owner, name, broadly=_is_immutable(value)):
            return True
        if isinstance(value, StaticFunction) and self._others.makes_over(value.name):
            return True
        last = owner.name.rpartition(".")[2]
        return _is_immutable(value) and self._others.run_code_with(last)

    def gives_defaults(self, path: str) -> bool:
        """True where a function at a path may get other code or defaults."""
        return self._others.makes_over(path)

    def is_bound_again(self, name: str, line: int) -> bool:
        """True for a name that means one thing at a line of the module, and another one
        when the module is loaded."""
        definitions = self._branches.holding(self._scan.definitions.get(name, ()))
        definitions = [d for d in definitions if not d.typing_only]
        lines = [getattr(d.node, "lineno", 0) for d in definitions]
        again = len(lines) > 1 and min(lines) <= line <= max(lines)
        return again and not all(map(branches.is_plain_import, definitions))

    # ------------------------------------------------------------- definitions

    def _global_meaning(self, name: str) -> Any:
        definitions = self._branches.holding(self._scan.definitions.get(name, ()))
        last = max((getattr(d.node, "lineno", 0) for d in definitions), default=0)
        starred = self._star(name, last)
        if starred is not _ABSENT:
            return starred
        if definitions or name in self._scan.annotations:
            return self.meaning(name, self._scan)
        return StaticData(name, self.name, None, None)

    def meaning(self, name: str, found: Scan, owner: StaticClass | None = None) -> Any:
        """The value of a name that ``found``, the scan of the module or of a class,
        binds."""
        definitions = self._branches.holding(found.definitions[name])
        annotation = found.annotations.get(name)
        chosen = branches.chosen(definitions)
        only = definitions[0].value if len(definitions) == 1 else None
        resolver = self._resolver_in(
            owner, annotation, chosen.value if chosen else only
        )
        if chosen is None:
            return StaticData(name, self.name, only, annotation, resolver)
        match chosen.node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                return self.customs.decorated(self.read(chosen.node, owner), owner)
            case ast.ClassDef():
                if self.customs.is_replaced(chosen.node):
                    return StaticData(name, self.name, None, annotation, resolver)
                return self.class_of(chosen.node, owner)
            case ast.Import():
                return self._imported(definitions, chosen)
            case ast.ImportFrom() if chosen.alias is not None:
                if self._imports_while_loaded(chosen.node, chosen.alias.name):
                    return StaticData(name, self.name, None, annotation, resolver)
                return self.imported_from(chosen.node, chosen.alias.name)
        data = StaticData(name, self.name, chosen.value, annotation, resolver)
        if chosen.value is None or (owner and self._classes.has_special_members(owner)):
            return data
        made = self.customs.made_by(name, chosen.value) if resolver else None
        return self._assigned(replace(data, made=made), chosen.value, owner)

    def _resolver_in(
        self, owner: StaticClass | None, *expressions: ast.expr | None
    ) -> resolve.StaticResolver | None:
        """What the names of expressions in a module or the body of a class mean; None
        where the class binds one of them itself."""
        own = owner.reader.scan(owner).definitions if owner else {}
        nodes = (n for e in expressions if e is not None for n in ast.walk(e))
        local = any(isinstance(node, ast.Name) and node.id in own for node in nodes)
        return None if local else self.resolver

    def _assigned(
        self, data: StaticData, value: ast.expr, owner: StaticClass | None
    ) -> Any:
        try:
            literal = ast.literal_eval(value)
        except (ValueError, TypeError, SyntaxError, MemoryError):
            pass
        else:
            return literal if _is_immutable(literal) else data
        try:
            known = self.customs.value(value, owner)
        except NameNotFound:
            return data
        if isinstance(known, (*_STATIC, StaticModule, types.ModuleType, *_IMMUTABLE)):
            return known
        return known if callable(known) or isinstance(known, Logger) else data

    def follow(self, expression: ast.expr, owner: StaticClass | None = None) -> Any:
        """What a path means, in the module or in the body of a class. Raises
        ``NameNotFound``."""
        return self._classes.follow(expression, owner)

    def read(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef, owner: StaticClass | None
    ) -> StaticFunction:
        """The function that a definition makes, before its decorators."""
        qualname = f"{owner.name}.{node.name}" if owner else node.name
        decorators = (self._path(d, owner) for d in node.decorator_list)
        return self._function(node, qualname, tuple(decorators), owner)

    def _function(
        self,
        node: FunctionNode,
        qualname: str,
        decorators: tuple[str, ...],
        owner: StaticClass | None,
    ) -> StaticFunction:
        source = self._source(node, qualname)
        told = {
            parameter: self._default(default, owner)
            for parameter, default in source.defaults.items()
        }
        return StaticFunction(replace(source, defaults=told), decorators)

    def _default(self, default: Any, owner: StaticClass | None) -> Any:
        """A default as far as the text tells what it was when the function was made."""
        for node in ast.walk(default) if isinstance(default, ast.expr) else ():
            if isinstance(node, ast.Attribute) and self._may_be_stored(node):
                return UnknownDefault(f"{ast.unparse(node)}, which may be stored later")
            if not isinstance(node, ast.Name):
                continue
            if owner is not None and node.id in owner.reader.scan(owner).definitions:
                return UnknownDefault(f"{node.id} of the class {owner.name}")
            definitions = self._scan.definitions.get(node.id, ())
            again = any(isinstance(d.node, ast.Global) for d in definitions)
            if again or self.is_bound_again(node.id, node.lineno):
                return UnknownDefault(f"{node.id}, which is bound again below")
        return default

    def _may_be_stored(self, path: ast.Attribute) -> bool:
        """True for an attribute of a module or class that may get another value."""
        try:
            owner = self.follow(path.value)
        except NameNotFound:
            return False
        if isinstance(owner, StaticModule) and self.may_still_load(owner, path.attr):
            return True
        known = isinstance(owner, StaticModule | StaticClass)
        return known and self.stores_attribute(owner, path.attr, broadly=True)

    def lambda_function(self, node: ast.Lambda) -> StaticFunction:
        """The function that a lambda makes."""
        return self._function(node, "<lambda>", (), None)

    def is_changed(self, name: str) -> bool:
        """True where some text may give a list or dict of a name other items."""
        return self._others.changes(name)

    def _source(self, node: FunctionNode, qualname: str) -> SourceFunction:
        return SourceFunction(
            name=qualname.rpartition(".")[2],
            qualname=qualname,
            module=self.name,
            filename=str(self.path),
            lines=self.file.lines,
            node=node,
            resolver=self.resolver,
            function=None,
            defaults=literal_defaults(node.args),
            file=self.file,
        )

    def _path(self, decorator: ast.expr, owner: StaticClass | None) -> str:
        """The dotted path of a decorator."""
        if isinstance(decorator, ast.Call):
            decorator = decorator.func
        try:
            value = self._classes.follow(decorator, owner)
        except NameNotFound:
            return ast.unparse(decorator)
        if resolve.is_differentiate(value):
            return "s2sad.differentiate"
        if isinstance(value, StaticS2sad | StaticForeign):
            return value.path
        if isinstance(value, StaticFunction):
            return f"{value.source.module}.{value.source.qualname}"
        module = getattr(value, "__module__", None)
        name = getattr(value, "__qualname__", None)
        if not module or not name or isinstance(value, _STATIC):
            return ast.unparse(decorator)
        return name if module == "builtins" else f"{module}.{name}"

    def class_of(self, node: ast.ClassDef, owner: StaticClass | None) -> StaticClass:
        """The class that a definition makes, in the body of another one or not."""
        resolver = resolve.StaticResolver(self, node.lineno)
        path = f"{owner.path}.{node.name}" if owner else node.name
        return StaticClass(node.name, node, resolver, self.name, self._classes, path)

    # ----------------------------------------------------------------- imports

    def _imported(self, definitions: list[Definition], chosen: Definition) -> Any:
        """``import a.b`` binds a, and every such statement adds a submodule to it."""
        assert chosen.alias is not None
        if chosen.alias.asname:
            return self.imported_module(chosen.alias.name, 0)
        for other in definitions:
            if isinstance(other.node, ast.Import) and other.alias is not None:
                self.imported_module(other.alias.name, 0)
        return self.imported_module(chosen.alias.name.partition(".")[0], 0)

    def _imports_while_loaded(self, node: ast.ImportFrom, name: str) -> bool:
        """True for a name of a module that may not have come to what it means there."""
        module = self.imported_module(node.module or "", node.level)
        return self.may_still_load(module, name)

    def may_still_load(self, module: Any, name: str) -> bool:
        """True where another module may not have come to what a name of it means in the
        end when this one is loaded, since it imports this one."""
        if module is self or not isinstance(module, StaticModule):
            return False
        if len(module._scan.definitions.get(name, ())) < 2:
            return False
        reached = reach.texts_reached([module.path], self._others.texts)
        return any(path == self.path for path, _ in reached)

    def imported_from(self, node: ast.ImportFrom, name: str) -> Any:
        """What an import statement binds for a name. Raises ``NameNotFound``."""
        module = self.imported_module(node.module or "", node.level)
        if isinstance(module, types.ModuleType):
            try:
                return resolve.live_attribute(module, name)
            except NameNotFound:
                inner = imports.real_module(f"{module.__name__}.{name}", self._root)
                if inner is None:
                    raise
                return inner
        return self.resolver.attribute(module, name)

    def imported_module(self, dotted: str, level: int) -> Any:
        """The module that an import statement names."""
        if level:
            folder = self.path if self.path.is_dir() else self.path.parent
            for _ in range(level - 1):
                folder = folder.parent
            file = imports.find_file(folder, dotted) if dotted else _package(folder)
            if file is None:
                return StaticForeign("." * level + dotted)
            return _load(file, self._others)
        top = dotted.partition(".")[0]
        if top == "s2sad":
            return StaticS2sad(dotted)
        file = (
            None
            if imports.is_never_hidden(dotted)
            else imports.find_file(self._root, dotted)
        )
        # A file next to the module hides what is installed; a bare directory doesn't.
        if file is None or file.is_dir():
            real = imports.real_module(dotted, self._root)
            if real is not None:
                return real
        return StaticForeign(dotted) if file is None else _load(file, self._others)

    def modules_of(self, node: ast.Import | ast.ImportFrom) -> list[StaticModule]:
        """The user's modules that an import statement loads, in order."""
        found: list[Any] = []
        if isinstance(node, ast.Import):
            for alias in node.names:
                parts = alias.name.split(".")
                for end in range(1, len(parts) + 1):
                    found.append(self.imported_module(".".join(parts[:end]), 0))
        else:
            parts = (node.module or "").split(".")
            for end in range(1, len(parts) + 1):
                found.append(self.imported_module(".".join(parts[:end]), node.level))
            for alias in node.names:
                with suppress(NameNotFound, AttributeError):
                    found.append(self.resolver.attribute(found[-1], alias.name))
        return [module for module in found if isinstance(module, StaticModule)]

    def packages(self) -> list[StaticModule]:
        """The packages that hold the module, which are loaded before, outermost
        first."""
        found: list[StaticModule] = []
        folder = self.path.parent
        if self.is_package:
            folder = folder.parent if self.path.is_file() else self.path.parent
        while (folder / "__init__.py").is_file():
            found.insert(0, _load(folder / "__init__.py", self._others))
            folder = folder.parent
        return found

    def problem(self, node: Any, reason: str, advice: str) -> Problem:
        """The report that something in the module, outside of functions, isn't known
        from its text."""
        source = self._source(as_lambda(node), "<module>")
        return source.problem(node, reason, advice)

    def _exported(self, name: str) -> Any:
        """What ``from this import *`` binds a name to, or _ABSENT."""
        if name in self._asked:  # modules that import each other
            return _ABSENT
        self._asked.add(name)
        try:
            if not self.defines(name):
                return _ABSENT
            if "__all__" not in self._scan.definitions:
                return _ABSENT if name.startswith("_") else self.value(name)
            public = self.value("__all__")
            if self.effects.changes({"__all__"}):
                return StaticData(name, self.name, None, None)
            if isinstance(public, StaticData):
                try:
                    public = branches.constant(self, public.expression)
                except NameNotFound:
                    return StaticData(name, self.name, None, None)
            return self.value(name) if name in public else _ABSENT
        finally:
            self._asked.discard(name)

    def _star(self, name: str, after: int = 0) -> Any:
        """What ``from x import *`` below line ``after`` binds a name to, or _ABSENT."""
        for node, conditional in reversed(self._scan.stars):
            if node.lineno <= after:
                continue
            module = self.imported_module(node.module or "", node.level)
            value: Any = _ABSENT
            if isinstance(module, StaticForeign):
                # it may hold anything
                value = StaticData(name, self.name, None, None)
            elif isinstance(module, types.ModuleType):
                public = getattr(module, "__all__", None)
                if public is None:
                    public = [n for n in dir(module) if not n.startswith("_")]
                value = getattr(module, name) if name in public else _ABSENT
            elif isinstance(module, StaticModule):
                value = module._exported(name)
            if value is not _ABSENT:
                return StaticData(name, self.name, None, None) if conditional else value
        return _ABSENT


def whole_function(value: Any) -> Any:
    """The definition of a function with a derivative of the user's, which a transform
    is given by name; other values as they are."""
    return value.whole if isinstance(value, StaticCustom) else value


def _load(path: Path, others: reach.Modules) -> StaticModule:
    key = Path(os.path.realpath(path))
    if key not in others:
        lines: list[str] = []
        if not path.is_dir():  # a namespace package has no text
            try:
                with tokenize.open(path) as stream:
                    lines = stream.readlines()
            except (OSError, SyntaxError, UnicodeDecodeError) as error:
                told = getattr(error, "strerror", None) or error
                raise SourceError(f"{one_line(path)}: can't be read: {told}") from None
        others[key] = StaticModule(path, lines, others)
    return others[key]


def _package(folder: Path) -> Path:
    init = folder / "__init__.py"
    return init if init.is_file() else folder


def _is_immutable(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_immutable, value))
    return isinstance(value, _IMMUTABLE)


@deep_recursion.with_room
def static_functions(path: str | os.PathLike[str]) -> StaticModule:
    """The functions of a file, read without executing it.

    Raises ``SourceError`` if the file can't be read or isn't Python.
    """
    return load(path)
