"""How the output spells what it takes from outside: modules, functions, dtypes, data,
helpers."""

import ast
import builtins
import importlib
import math
import random
import re
import reprlib
import sys
from collections.abc import Callable, Mapping, Set
from contextlib import suppress
from dataclasses import dataclass, field, replace
from types import CellType, ModuleType
from typing import Any

import numpy as np

from s2sad import errors, ir, ops
from s2sad.custom import CustomFunction
from s2sad.source.annotations.annotation_nodes import class_meant
from s2sad.source.static import values
from s2sad.source.text.libraries import place_of_distribution

NUMPY_MODULES = ("numpy", "numpy.linalg", "numpy.random", "numpy.fft")
COPIED = (*ops.CALLED_BY_NAME, "s2sad.ops.effects", "s2sad.codegen.")
"""How the modules start of functions of which transpiled files have copies."""


@dataclass
class Spelling:
    """Spells outside objects in the user's own way, and collects what the output needs.

    ``own_names`` maps objects to the spelling found in the user's module; ``aliases``
    maps names of the output's namespace to the modules that must be bound there. What
    has a name that means something else where it is used gets another one, builtins by
    the module ``builtins``.
    """

    own_names: Mapping[Any, str]
    module: str
    own_modules: Mapping[str, str]
    """How the user's module names NumPy and others: ``{"numpy": "np"}``."""
    namespace: Callable[[str], Any] | None = None
    """What a name means beside the user's function, as NameNotFound says for some; None
    for a text that stands in a file of its own."""
    procedures: Mapping[ir.Procedure, str] = field(default_factory=dict)
    """The names of the programs that the output defines beside the first."""
    taken: frozenset[str] = frozenset()
    """The variables of the function under way, which hide what is outside."""
    reserved: frozenset[str] = frozenset()
    """Names that the output defines or reads live: what is bound has none of them."""
    meanings: dict[str, Any] = field(default_factory=dict)
    """What the names stand for that the output has from outside."""
    modules: dict[str, str] = field(default_factory=dict)
    """Modules that the output uses: name in the output -> name of the module."""
    helpers: dict[str, Callable[..., Any]] = field(default_factory=dict)
    """Run-time helpers that the output calls."""
    passes: dict[Any, Callable[..., Any]] = field(default_factory=dict)
    """Helpers that were written for structures of one kind."""
    unchecked: Mapping[str, ir.Reference] = field(default_factory=dict)
    """The arguments of the function under way that it may check itself, where it makes
    their adjoints first of all, with what they must be."""
    checked: set[str] = field(default_factory=set)
    """Those that it does check."""
    objects: dict[str, Any] = field(default_factory=dict)
    """Functions and classes of the user's, and builtins, that the output calls."""
    cells: Mapping[str, CellType] = field(default_factory=dict)
    """Captured variables of inlined functions, under their names in the output."""
    data: dict[str, ir.Global] = field(default_factory=dict)
    """Module data that the output reads live."""

    def forget(self, names: Set[str]) -> None:
        """Let variables have the names of functions that the output doesn't call."""
        names = names - self.cells.keys()
        self.reserved -= names
        self.own_names = {v: n for v, n in self.own_names.items() if n not in names}

    def module_name(self, module: str) -> str:
        """The name under which the output has a module."""
        own = self.own_modules.get(module)
        usual = {"numpy": "np", "math": "math"}.get(module, module.split(".")[-1])
        if own is not None and (self.namespace or not hasattr(builtins, own)):
            usual = own
        name = self._free(usual, ("module", module), self._module_named(usual, module))
        self.modules[name] = module
        return name

    def _module_named(self, name: str, module: str) -> Any:
        """A module by its name, or that which the user has made and calls so."""
        with suppress(values.NameNotFound):
            found = self.namespace(name) if self.namespace else None
            if isinstance(found, ModuleType) and found.__name__ == module:
                return found
        return sys.modules.get(module, module)

    def builtin(self, name: str) -> ast.expr:
        """The expression for what Python calls by a name: ``len``, or ``builtins.len``
        where that would mean something else."""
        function = getattr(builtins, name)
        if not self._is_free(name, function, function):
            return _dotted(f"{self.module_name('builtins')}.{name}")
        self.meanings[name] = self.objects[name] = function
        return ast.Name(name, ast.Load())

    def function(self, function: Any) -> ast.expr:
        """The expression for a function, class or dtype."""
        if isinstance(function, ir.Procedure):
            return ast.Name(self.procedures[function], ast.Load())
        if isinstance(function, ModuleType):
            return _dotted(self.module_name(function.__name__))
        if isinstance(function, np.dtype):
            function = function.type
        own = self._own(function)
        if own is not None:
            return own
        for known, value in self.objects.items():
            if value is function and known not in self.taken:
                return ast.Name(known, ast.Load())
        name: str = getattr(function, "__name__", None) or ""
        module = public_module(function)
        if module.startswith(COPIED):
            name = self._free(name, function, function)
            self.helpers[name] = function
            return ast.Name(name, ast.Load())
        if getattr(builtins, name, None) is function:
            return self.builtin(name)
        if getattr(math, name, None) is function:
            return _dotted(f"{self.module_name('math')}.{name}")
        path = _numpy_path(function)
        if path is not None:
            return _dotted(f"{self.module_name('numpy')}.{path}")
        module = scipy_module(function) or module
        found = getattr(sys.modules.get(module), name, None)
        if found is function and isinstance(sys.modules.get(module), ModuleType):
            if module == self.module:
                return self._object(name, function)
            return _dotted(f"{self.module_name(module)}.{name}")
        path = _path_in_module(function)
        if path is not None and module == self.module:
            root, _, rest = path.partition(".")
            owner = self._object(root, getattr(sys.modules[module], root))
            return _dotted(f"{owner.id}.{rest}")
        if isinstance(function, type) and "<locals>" in function.__qualname__:
            return self._object(name, function)
        place = place_of_distribution(getattr(function, "__self__", None))
        if place is not None:
            own = self._own(getattr(sys.modules[place[0]], place[1]))
            dotted = own or _dotted(f"{self.module_name(place[0])}.{place[1]}")
            return ast.Attribute(dotted, name, ast.Load())
        if isinstance(
            function, values.StaticFunction | values.StaticForeign | CustomFunction
        ):
            name = name or str(getattr(function, "name", "function")).split(".")[-1]
            return self._object(name, function)
        function = class_meant(function)
        if isinstance(function, values.StaticClass):
            return self._object(function.name, function)
        function = getattr(function, "name", function)
        raise errors.S2sadError(
            f"{reprlib.repr(function)} is needed in the generated code, but has no "
            "name there; give it a name at module level"
        )

    def first_name(self, function: Any) -> str:
        """The name, up to a dot, that the spelling of a function starts with where no
        variable hides it: ``np`` for np.exp, ``len`` for len."""
        asked = replace(self, taken=frozenset(), modules={}, helpers={}, data={})
        asked.objects, asked.meanings = dict(self.objects), dict(self.meanings)
        try:
            spelled = asked.function(function)
        except errors.S2sadError:  # not called by a name
            return ir.function_name(function)
        if isinstance(spelled, ast.Name):
            return spelled.id
        # an operation of the IR's own, written in other ways
        own = str(getattr(function, "__module__", "")).startswith("s2sad.")
        return ir.function_name(function) if own else ast.unparse(spelled).split(".")[0]

    def _object(self, wish: str, value: Any) -> ast.Name:
        name = self._free(wish, value, value)
        self.objects[name] = value
        return ast.Name(name, ast.Load())

    def _free(self, wish: str, meaning: Any, value: Any) -> str:
        """A name for something from outside, which is bound to ``value``."""
        name = wish
        while not self._is_free(name, meaning, value):
            name += "_"
        self.meanings[name] = meaning
        return name

    def _is_free(self, name: str, meaning: Any, value: Any) -> bool:
        """True for a name that means this, or nothing yet, where it is used."""
        if name in self.taken:
            return False
        if name in self.meanings:
            return self._is_same(self.meanings[name], meaning)
        if self.namespace is None:
            hides = hasattr(builtins, name) and getattr(builtins, name) is not value
            return name not in self.reserved and not hides
        try:
            return self.namespace(name) is value
        except values.NameNotFound:
            return name not in self.reserved

    def _is_same(self, known: Any, meaning: Any) -> bool:
        return known is meaning or (isinstance(known, tuple) and known == meaning)

    def _own(self, function: Any) -> ast.expr | None:
        try:
            spelled = self.own_names.get(function)
        except TypeError:
            return None
        if spelled is None:
            return None
        root = spelled.split(".")[0]
        for module, name in self.own_modules.items():
            if name == root:
                if self.module_name(module) != name:
                    return None
                return _dotted(spelled)
        if root in self.taken or (self.namespace is None and hasattr(builtins, root)):
            return None
        if "." in spelled:
            self.data.setdefault(root, ir.Global(root, self.module))
        elif not self._is_same(self.meanings.setdefault(root, function), function):
            return None
        else:
            self.objects[root] = function
        return _dotted(spelled)

    def global_data(self, operand: ir.Global) -> ast.expr:
        """The expression for module data."""
        root, rest = root_of(operand.name)
        if operand.module not in ("<closure>", "<object>", self.module):
            name = self.module_name(operand.module)
            return ast.parse(f"{name}.{operand.name}", mode="eval").body
        for module, name in self.own_modules.items():
            if name == root:
                return ast.parse(self.module_name(module) + rest, mode="eval").body
        if root not in self.taken:
            self.data[root] = operand
            return ast.parse(operand.name, mode="eval").body
        if self.namespace is None:
            name = self._free(root, ("data", operand.module, root), operand)
            self.data[name] = operand
            return ast.parse(name + rest, mode="eval").body
        namespace = ast.unparse(self.builtin("globals"))
        return ast.parse(f"{namespace}()[{root!r}]{rest}", mode="eval").body


def data_names(function: ir.Function) -> frozenset[str]:
    """The names of the module data that a program reads: no variable may hide them."""
    return frozenset(
        root_of(operand.name)[0]
        for statement in ir.walk(function.body)
        for operand in ir.all_operands(statement)
        if isinstance(operand, ir.Global)
    )


def root_of(path: str) -> tuple[str, str]:
    """A path parted behind its first name.

    >>> root_of("config['a'].b")
    ('config', "['a'].b")
    """
    root = re.split(r"[.\[]", path, maxsplit=1)[0]
    return root, path[len(root) :]


def public_module(function: Any) -> str:
    """The module that a function is imported from: of one written in C, that which
    gives it to others.

    >>> from heapq import heappush
    >>> heappush.__module__, public_module(heappush)
    ('_heapq', 'heapq')
    """
    module = getattr(function, "__module__", None) or ""
    if isinstance(getattr(function, "__self__", None), random.Random):
        return "random"  # its functions are methods of an object
    public = module.lstrip("_")
    if module != public and public in sys.stdlib_module_names:
        name = getattr(function, "__name__", "")
        if getattr(importlib.import_module(public), name, None) is function:
            return public
    return module


def scipy_module(function: Any) -> str | None:
    """The public module of a function of SciPy's; None for other functions.

    >>> import scipy.special
    >>> scipy_module(scipy.special.gammaln), scipy_module(scipy.special.softmax)
    ('scipy.special', 'scipy.special')
    """
    module = getattr(function, "__module__", None) or ""
    if isinstance(function, np.ufunc):  # they don't say where they are from
        module = "scipy.special"
    parts = module.split(".")
    while parts and (len(parts) > 2 or parts[-1].startswith("_")):
        parts.pop()
    if parts[:1] != ["scipy"]:
        return None
    public = ".".join(parts)
    owner = sys.modules.get(public)
    name = getattr(function, "__name__", "")
    return public if getattr(owner, name, None) is function else None


def _path_in_module(function: Any) -> str | None:
    """``Model.act`` for a method that its module has under that path."""
    path = getattr(function, "__qualname__", None)
    found: Any = sys.modules.get(getattr(function, "__module__", None) or "")
    if not isinstance(path, str) or "." not in path or found is None:
        return None
    for name in path.split("."):
        found = getattr(found, name, None)
    return path if found is function else None


def _dotted(path: str) -> ast.expr:
    parts = path.split(".")
    node: ast.expr = ast.Name(parts[0], ast.Load())
    for part in parts[1:]:
        node = ast.Attribute(node, part, ast.Load())
    return node


def _numpy_path(function: Any) -> str | None:
    """``linalg.solve`` for np.linalg.solve; None for what isn't NumPy's."""
    name = getattr(function, "__name__", None)
    if name is None:
        return None
    for module in NUMPY_MODULES:
        if getattr(sys.modules.get(module), name, None) is function:
            return f"{module}.{name}".removeprefix("numpy.")
    if isinstance(function, type) and issubclass(function, np.generic):
        return function.__name__
    return None
