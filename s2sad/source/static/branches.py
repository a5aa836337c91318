"""Which branches of a module are run when it is loaded, as far as its text and what is
installed here tell.

>>> taken(None, ast.parse("if 2 > 1 and not False: x = 1").body[0], "body")
True
"""

import ast
import builtins
import importlib.util
import operator
import types
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from s2sad.source.static import values
from s2sad.source.static.scan import Definition
from s2sad.source.text import resolve


def chosen(definitions: list[Definition]) -> Definition | None:
    """The definition that holds once the module is loaded, if that is certain."""
    if definitions and all(d.typing_only for d in definitions):
        return definitions[-1]
    real = [d for d in definitions if not d.typing_only]
    if real and all(is_plain_import(d) for d in real):
        return real[-1]  # they all bind the same package
    # a `global` statement may rebind at any time: scan lists it last, as conditional
    if not real or real[-1].conditional:
        return None
    last = real[-1]
    if isinstance(last.node, ast.AugAssign | ast.Delete):
        return None
    return last


def is_plain_import(definition: Definition) -> bool:
    alias = definition.alias
    return isinstance(definition.node, ast.Import) and not (alias and alias.asname)


class Branches:
    """Tells which definitions of one module hold."""

    def __init__(self, module: Any) -> None:
        self._module = module
        self._taken: dict[tuple[ast.stmt, str | int, int], bool | None] = {}

    def holding(self, definitions: Iterable[Definition]) -> list[Definition]:
        """The definitions, without those in branches that aren't run; those in others
        that are run for certain aren't conditional."""
        found = []
        for definition in definitions:
            is_run = self._is_run(definition) if definition.under else None
            if is_run:
                found.append(replace(definition, conditional=False))
            elif is_run is None:
                found.append(definition)
        return found

    def _is_run(self, definition: Definition) -> bool | None:
        """Whether the branches around a definition are run, if that is certain."""
        line = getattr(definition.node, "lineno", 0)
        for node, part in definition.under:
            key = (node, part, line)
            if key not in self._taken:
                self._taken[key] = None  # for what asks for itself
                self._taken[key] = taken(self._module, node, part, line)
            if not self._taken[key]:
                return self._taken[key]
        return True


class _Undecided(Exception):
    """The text doesn't tell."""


def constant(module: Any, expression: ast.expr | None) -> Any:
    """The value of an expression of which nothing depends on the run. Raises
    ``NameNotFound`` for others."""
    try:
        if expression is None:
            raise _Undecided
        return _value(module, expression)
    except _Undecided:
        raise values.NameNotFound("the text doesn't tell a value") from None


def taken(module: Any, node: ast.stmt, part: str | int, line: int = 0) -> bool | None:
    """Whether a part of a statement is run: ``"body"``, as far as ``line``,
    ``"orelse"``, or the handler of a number. None where the text doesn't tell."""
    try:
        match node:
            case ast.If(test=test):
                return bool(_value(module, test)) == (part == "body")
            case ast.Try():
                return _is_run(module, node, part, line)
    except _Undecided:
        pass
    return None


def _is_run(module: Any, node: ast.Try, part: str | int, line: int) -> bool:
    raised, there = _raised(module, node.body)
    if raised is None:
        return not isinstance(part, int)
    if isinstance(part, int):
        caught = (_catches(module, handler, raised) for handler in node.handlers)
        return next((k for k, found in enumerate(caught) if found), None) == part
    return part == "body" and line < there


def _raised(
    module: Any, body: Sequence[ast.stmt], inside: tuple[Any, ...] = ()
) -> tuple[type[Exception] | None, int]:
    """What the body of a ``try`` raises, and at which line; None where nothing."""
    for statement in body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            if not _is_importable(module, statement, inside):
                return ImportError, statement.lineno
            continue
        if isinstance(statement, ast.FunctionDef | ast.ClassDef | ast.Pass):
            if not getattr(statement, "decorator_list", ()):
                continue
        if isinstance(statement, ast.Assign | ast.AnnAssign | ast.Expr):
            if isinstance(statement.value, ast.Constant | ast.Lambda):
                continue
            if isinstance(statement.value, ast.Attribute):
                if _lacks(module, statement.value):
                    return AttributeError, statement.lineno
                continue
        raise _Undecided
    return None, 0


def _lacks(module: Any, path: ast.Attribute) -> bool:
    """True for an attribute that a library doesn't have."""
    owner = _meaning(module, path.value)
    if not isinstance(owner, types.ModuleType | type):
        raise _Undecided
    return not hasattr(owner, path.attr)


def _catches(module: Any, handler: ast.ExceptHandler, raised: type[Exception]) -> bool:
    if handler.type is None:
        return True
    found = handler.type
    for name in found.elts if isinstance(found, ast.Tuple) else [found]:
        cls = getattr(builtins, getattr(name, "id", ""), None)
        if not isinstance(cls, type):
            raise _Undecided
        if issubclass(raised, cls) or issubclass(cls, raised):
            return True
    return False


def _is_importable(
    module: Any, node: ast.Import | ast.ImportFrom, inside: tuple[Any, ...]
) -> bool:
    """True for an import statement that works here."""
    if isinstance(node, ast.Import):
        found = (module.imported_module(alias.name, 0) for alias in node.names)
        return all(_is_there(one, inside) for one in found)
    if not _is_there(module.imported_module(node.module or "", node.level), inside):
        return False
    try:
        for alias in node.names:
            if alias.name != "*":
                module.imported_from(node, alias.name)
    except values.NameNotFound:
        return False
    return True


def _is_there(found: Any, inside: tuple[Any, ...]) -> bool:
    """True for a module that can be imported, as far as what it imports first."""
    if isinstance(found, values.StaticForeign):
        top = found.path.partition(".")[0]
        return bool(top) and _is_installed(top)
    if not hasattr(found, "file") or found in inside:
        return True
    body = found.file.tree.body
    imports = [n for n in body if isinstance(n, ast.Import | ast.ImportFrom)]
    outside = (n for n in body if not isinstance(n, ast.FunctionDef | ast.ClassDef))
    if any(isinstance(n, ast.Raise) for node in outside for n in ast.walk(node)):
        raise _Undecided
    return _raised(found, imports, (*inside, found))[0] is None


def _is_installed(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def _meaning(module: Any, path: ast.expr) -> Any:
    try:
        return resolve.follow(path, resolve.StaticResolver(module, path.lineno))
    except values.NameNotFound:
        raise _Undecided from None


_KNOWN = (bool, int, float, str, tuple, type(None))
_CALLED = (bool, int, float, str, tuple, len, map, hasattr)
_COMPARED: dict[type, Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda item, items: item in items,
    ast.NotIn: lambda item, items: item not in items,
}
_COMPUTED: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Pow: operator.pow,
}


def _value(module: Any, node: ast.expr) -> Any:
    """The value of an expression of which nothing depends on the run."""
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return tuple(_value(module, part) for part in parts)
        case ast.Name("__name__"):
            return module.name
        case ast.Name() | ast.Attribute():
            return _known(_meaning(module, node))
        case ast.UnaryOp(ast.Not(), operand):
            return not _value(module, operand)
        case ast.BinOp(left, op, right) if type(op) in _COMPUTED:
            sides = [_value(module, side) for side in (left, right)]
            return _tried(_COMPUTED[type(op)], *sides)
        case ast.BoolOp(op, parts):
            found = None
            for part in parts:
                found = _value(module, part)
                if bool(found) == isinstance(op, ast.Or):
                    break
            return found
        case ast.Compare(left, [op], [right]):
            sides = [_operand(module, op, side) for side in (left, right)]
            return _tried(_COMPARED[type(op)], *sides)
        case ast.Subscript(value=owner, slice=place):
            return _tried(
                operator.getitem, _value(module, owner), _place(module, place)
            )
        case ast.Call(func, args, []):
            return _called(module, func, args)
    raise _Undecided


def _operand(module: Any, op: ast.cmpop, node: ast.expr) -> Any:
    """An operand; of ``is`` it may be anything that is known."""
    if isinstance(op, ast.Is | ast.IsNot) and isinstance(node, ast.Name):
        found = _meaning(module, node)
        if not isinstance(found, values.StaticData):
            return found
    return _value(module, node)


def _place(module: Any, node: ast.expr) -> Any:
    if not isinstance(node, ast.Slice):
        return _value(module, node)
    ends = (node.lower, node.upper, node.step)
    return slice(*(None if end is None else _value(module, end) for end in ends))


def _called(module: Any, func: ast.expr, args: list[ast.expr]) -> Any:
    """A call of a function without effects, or of a method of a text."""
    if isinstance(func, ast.Attribute):
        with suppress(_Undecided):
            owner = _value(module, func.value)
            if isinstance(owner, str):
                given = [_value(module, argument) for argument in args]
                return _tried(getattr(owner, func.attr), *given)
        if getattr(_meaning(module, func), "path", "") == "importlib.util.find_spec":
            return _is_installed(_value(module, args[0])) or None
        raise _Undecided
    called = _meaning(module, func)
    if called not in _CALLED:
        raise _Undecided
    given = [
        _meaning(module, argument)
        if called in (hasattr, map) and k == 0
        else _value(module, argument)
        for k, argument in enumerate(args)
    ]
    if called is map and given[0] not in _CALLED:
        raise _Undecided
    if called is hasattr and not isinstance(given[0], types.ModuleType | type):
        raise _Undecided
    found = _tried(called, *given)
    return tuple(found) if called is map else found


def _known(value: Any) -> Any:
    if isinstance(value, _KNOWN):
        return value
    raise _Undecided


def _tried(function: Callable[..., Any], *given: Any) -> Any:
    try:
        return function(*given)
    except Exception:
        raise _Undecided from None
