"""What a name in a function means.

A *live* resolver reads the closure, the globals and the builtins of a function that
exists. A *static* one reads the text of a module and imports nothing but NumPy, SciPy
and the standard library.
"""

import ast
import builtins
import inspect
import sys
import types
from typing import Any

from s2sad.source.static import namespaces
from s2sad.source.static.namespaces import Binding, Resolver
from s2sad.source.static.values import (
    NameNotFound,
    StaticClass,
    StaticData,
    StaticForeign,
    StaticFunction,
    StaticS2sad,
)

__all__ = [
    "Binding",
    "LiveResolver",
    "NameNotFound",
    "Resolver",
    "StaticClass",
    "StaticData",
    "StaticForeign",
    "StaticFunction",
    "StaticResolver",
    "StaticS2sad",
    "is_apart",
    "is_differentiate_decorator",
]


def namespace_name(module: str, namespace: dict[str, Any]) -> str:
    """The module that a namespace is the one of, or, where there is another or none of
    that name, a name of its own: code that ``exec`` ran, doctests, a file that was
    loaded twice.

    >>> namespace_name("math", vars(sys.modules["math"]))
    'math'
    >>> is_apart(namespace_name("math", {}))
    True
    """
    imported = sys.modules.get(module)
    if imported is not None and vars(imported) is namespace:
        return module
    return f"{module}.<{id(namespace):x}>"


def is_apart(module: str) -> bool:
    """True for a namespace that can't be had by the name of a module."""
    return ".<" in module


class LiveResolver:
    """Reads the closure first, then the globals, then the builtins, each time anew."""

    def __init__(self, function: types.FunctionType) -> None:
        cells = function.__closure__ or ()
        self._free = dict(zip(function.__code__.co_freevars, cells))
        self._globals = function.__globals__
        live: Any = function
        self._builtins = live.__builtins__
        named = function.__globals__.get("__name__") or function.__module__ or ""
        self.module = namespace_name(named, function.__globals__)

    def resolve(self, name: str) -> Binding:
        """The meaning of a name now. Raises ``NameNotFound``."""
        if name in self._free:
            try:
                value = self._free[name].cell_contents
            except ValueError:
                raise NameNotFound(
                    f"the captured variable {name} has no value yet"
                ) from None
            return Binding(name, "closure", value, "<closure>")
        if name in self._globals:
            return Binding(name, "global", self._globals[name], self.module)
        if name in self._builtins:
            return Binding(name, "builtin", self._builtins[name], "builtins")
        raise NameNotFound(f"the name {name} is not defined")

    def attribute(self, value: Any, name: str) -> Any:
        """``value.name``, without running code of the user. Raises ``NameNotFound``."""
        return live_attribute(value, name)


class StaticResolver:
    """Reads the text of a module. Nothing of the user's is executed. With a ``line``
    names mean what they do when the module has come there."""

    def __init__(self, module: namespaces.ModuleText, line: int | None = None) -> None:
        self._module, self._line = module, line
        self.module = module.name

    def resolve(self, name: str) -> Binding:
        """The meaning of a name once the module is loaded. Raises ``NameNotFound``.

        The value is an object of Python, NumPy, SciPy or the standard library, the
        value of an immutable literal, or one of the ``Static`` classes.
        """
        if self._line is not None and self._module.is_bound_again(name, self._line):
            raise NameNotFound(f"{name} is bound again below")
        if self._module.defines(name):
            return Binding(name, "global", self._module.value(name), self._module.name)
        return builtin(name)

    def when_loaded(self) -> "StaticResolver":
        """The same, of what names mean in the end."""
        return StaticResolver(self._module)

    def module_named(self, dotted: str, level: int) -> Any:
        """The module that an import statement with ``level`` dots names."""
        return self._module.imported_module(dotted, level)

    def attribute(self, value: Any, name: str) -> Any:
        """``value.name``. Raises ``NameNotFound``."""
        if isinstance(value, StaticS2sad | StaticForeign):
            return value.member(name)
        if isinstance(value, namespaces.StaticNamespace):
            if self._line is not None and self._module.may_still_load(value, name):
                raise NameNotFound(f"{name} may be bound again in {value.name}")
            try:
                return value.member(name)
            except NameNotFound:
                if self._module.stores_attribute(value, name):
                    return StaticData(name, value.name, None, None)
                raise
        if isinstance(value, StaticData | StaticFunction):
            raise NameNotFound(
                f"the attribute {name} of {value.name} is only known when it runs"
            )
        return live_attribute(value, name)


def is_differentiate_decorator(expression: ast.expr, resolver: Resolver) -> bool:
    """True if a decorator, with or without arguments, is ``s2sad.differentiate``."""
    if isinstance(expression, ast.Call):
        expression = expression.func
    try:
        return is_differentiate(follow(expression, resolver))
    except NameNotFound:
        return False


def is_differentiate(value: Any) -> bool:
    """True if a resolved value is ``s2sad.differentiate``."""
    if isinstance(value, StaticS2sad):
        return value.path in _DIFFERENTIATE
    module, name = getattr(value, "__module__", ""), getattr(value, "__name__", "")
    return f"{module}.{name}" in _DIFFERENTIATE


_DIFFERENTIATE = ("s2sad.differentiate", "s2sad.api.differentiate")


def follow(expression: ast.expr, resolver: Resolver) -> Any:
    """What a name or a dotted path means. Raises ``NameNotFound``, also for any other
    expression."""
    if isinstance(expression, ast.Name):
        return resolver.resolve(expression.id).value
    if isinstance(expression, ast.Attribute):
        return resolver.attribute(follow(expression.value, resolver), expression.attr)
    raise NameNotFound(f"{ast.unparse(expression)} is not a name")


def live_attribute(value: Any, name: str) -> Any:
    """``getattr`` for modules and classes; for other objects only where no property or
    other code of the user would run. Raises ``NameNotFound``."""
    # the type itself is asked: `isinstance` may run a __getattribute__
    if not issubclass(type(value), types.ModuleType | type):
        if not _compiled(type(value).__getattribute__):
            raise _computed(value, name)
        try:
            found = inspect.getattr_static(value, name)
        except AttributeError:
            raise _no_attribute(value, name) from None
        if getattr(value, "__dict__", {}).get(name, value) is found:
            return found
        get = getattr(type(found), "__get__", None)
        ours = type(found).__module__.partition(".")[0] == "s2sad"
        plain = ours or isinstance(found, types.FunctionType) or _compiled(get)
        if isinstance(found, property):
            plain = type(value).__module__.partition(".")[0] in ("numpy", "scipy")
        if get is not None and not plain:
            raise _computed(value, name)
    try:
        return getattr(value, name)
    except (AttributeError, ImportError):
        raise _no_attribute(value, name) from None


def _compiled(method: Any) -> bool:
    return isinstance(method, types.WrapperDescriptorType)


def _computed(value: Any, name: str) -> NameNotFound:
    return NameNotFound(f"the attribute {name} of {_describe(value)} is computed")


def _no_attribute(value: Any, name: str) -> NameNotFound:
    return NameNotFound(f"{_describe(value)} has no attribute {name}")


def _describe(value: Any) -> str:
    if issubclass(type(value), types.ModuleType | type | types.FunctionType):
        return str(value.__name__)
    return f"an object of type {type(value).__qualname__}"


def builtin(name: str) -> Binding:
    """The meaning of a builtin name. Raises ``NameNotFound``."""
    if not hasattr(builtins, name):
        raise NameNotFound(f"the name {name} is not defined")
    return Binding(name, "builtin", getattr(builtins, name), "builtins")
