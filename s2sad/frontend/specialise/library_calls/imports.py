"""Imports inside a function: resolved when it is compiled, as names of the module are.

NumPy, SciPy and the standard library are imported; other modules are used if they are
loaded already, or read as text when a file is transpiled.
"""

import ast
import importlib.util
import sys
import types
from pathlib import Path
from typing import Any

from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.language.names import external_value
from s2sad.source.static.imports import real_module
from s2sad.source.static.module import StaticModule
from s2sad.source.text import resolve


@core.statement(ast.Import)
def import_statement(spec: Specialiser, node: ast.Import) -> None:
    for alias in node.names:
        module = _module(spec, alias.name, 0)
        if alias.asname is None and "." in alias.name:
            module = _module(spec, alias.name.partition(".")[0], 0)
        name = alias.asname or alias.name.partition(".")[0]
        spec.bind(name, core.constant(module))


@core.statement(ast.ImportFrom)
def import_from_statement(spec: Specialiser, node: ast.ImportFrom) -> None:
    owner = _module(spec, node.module or "", node.level)
    for alias in node.names:
        try:
            value = spec.frame.source.resolver.attribute(owner, alias.name)
        except resolve.NameNotFound:
            dotted = f"{getattr(owner, '__name__', '')}.{alias.name}"
            if not isinstance(owner, types.ModuleType) or dotted not in sys.modules:
                raise core.Unsupported(
                    f"there is no {alias.name!r} in {node.module or 'the package'}",
                    "check the spelling",
                ) from None
            value = sys.modules[dotted]
        spec.bind(alias.asname or alias.name, _member(spec, owner, alias.name, value))


def _member(spec: Specialiser, owner: Any, name: str, value: Any) -> core.Value:
    """Something taken from a module; what may change later is checked at each call."""
    known = isinstance(owner, types.ModuleType)
    module = owner.__name__ if known else owner.name
    if isinstance(value, types.ModuleType | resolve.StaticForeign | StaticModule):
        return core.constant(value)
    if known and not _is_library(module):
        reader = types.FunctionType(compile("0", module, "eval"), vars(owner))
        spec.module.reads.append(
            core.Read(resolve.LiveResolver(reader), name, (), value)
        )
    if isinstance(owner, StaticModule):
        spec.module.reads.append(core.Read(owner.resolver, name, (), value))
    return external_value(spec, value, name, module)


def _module(spec: Specialiser, dotted: str, level: int) -> Any:
    resolver = spec.frame.source.resolver
    found: Any
    if isinstance(resolver, resolve.StaticResolver):
        found = resolver.module_named(dotted, level)
    else:
        if level:
            package = spec.frame.source.resolver.resolve("__package__").value
            name = importlib.util.resolve_name("." * level + dotted, package)
        else:
            name = dotted
        found = sys.modules.get(name)
        if found is None and _is_library(name):
            found = real_module(name, Path("/"))
    if found is None or isinstance(found, resolve.StaticForeign):
        raise core.Unsupported(
            f"the module {'.' * level + dotted} can't be imported while a derivative "
            "is compiled",
            "import it at the top of the module",
        )
    return found


def _is_library(name: str) -> bool:
    root = name.partition(".")[0]
    return root in sys.stdlib_module_names or root in ("numpy", "scipy")
