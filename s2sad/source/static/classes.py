"""What the attributes of a class mean in a module that is read, not executed."""

import abc
import ast
import typing
from contextlib import suppress
from typing import Any

from s2sad.source.static import namespaces, values
from s2sad.source.static.scan import Scan, scan
from s2sad.source.text.resolve import StaticResolver, follow

_LITERALS = (bool, int, float, complex, str, bytes, tuple, type(None))
_DATA = (ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.Set, ast.JoinedStr)
_DATA += (ast.BinOp, ast.UnaryOp, ast.Compare)  # type: ignore[assignment]
_DATA += (ast.ListComp, ast.SetComp, ast.DictComp)  # type: ignore[assignment]


_SPECIAL = (
    *("__init__", "__new__", "__post_init__", "__setattr__", "__delattr__"),
    *("__getattr__", "__getattribute__", "__eq__", "__bool__", "__len__", "__bases__"),
)
"""What decides how objects are made, what their attributes are and when they are true
or equal, whether a class defines it or not."""


class ClassReader:
    """Reads the classes of one module."""

    def __init__(self, module: namespaces.ModuleText) -> None:
        self._module = module
        self._scans: dict[ast.ClassDef, Scan] = {}
        self._members: dict[tuple[ast.ClassDef, str], Any] = {}
        self._made_over: dict[ast.ClassDef, bool] = {}

    def follow(self, expression: ast.expr, owner: values.StaticClass | None) -> Any:
        """What a path means, in the module or in the body of a class."""
        root = expression
        while isinstance(root, ast.Attribute):
            root = root.value
        if owner is not None and isinstance(root, ast.Name):
            if root.id in self.scan(owner).definitions:
                raise values.NameNotFound(f"{root.id} is local to {owner.name}")
        line = getattr(root, "lineno", None)
        return follow(expression, StaticResolver(self._module, line))

    def scan(self, owner: values.StaticClass) -> Scan:
        """The bindings of the class body."""
        if owner.node not in self._scans:
            self._scans[owner.node] = scan(owner.node.body, is_module=False)
        return self._scans[owner.node]

    def has_special_members(self, owner: values.StaticClass) -> bool:
        """True if what is assigned in the class body isn't what attributes give: the
        members of an Enum, the fields of a NamedTuple."""
        metaclasses = [k for k in owner.node.keywords if k.arg == "metaclass"]
        if any(ast.unparse(k.value).split(".")[-1] != "ABCMeta" for k in metaclasses):
            return True
        for base in owner.node.bases:
            try:
                value = self._base(base)
            except values.NameNotFound:
                return True
            if isinstance(value, values.StaticClass):
                if value.reader.has_special_members(value):
                    return True
            elif value is typing.NamedTuple or not isinstance(value, type):
                if value not in (typing.Generic, typing.Protocol):
                    return True
            elif type(value) not in (type, abc.ABCMeta, type(typing.Protocol)):
                return True
        return False

    def _base(self, base: ast.expr) -> Any:
        expression = base.value if isinstance(base, ast.Subscript) else base
        return self.follow(expression, None)

    def only_declares(self, owner: values.StaticClass, name: str) -> bool:
        """True for a name that the class, or what it inherits from, annotates without
        giving it a value, and that nobody stores: objects alone hold it."""
        if self._module.stores_attribute(owner, name):
            return False
        definitions = self.scan(owner).definitions.get(name)
        if definitions is not None:
            return not definitions
        bases = self._known_bases(owner)
        return any(base.reader.only_declares(base, name) for base in bases)

    def defines(self, owner: values.StaticClass, name: str) -> bool:
        """True for a name that the class, or what it inherits from, gives a value."""
        if self.scan(owner).definitions.get(name):
            return True
        bases = self._known_bases(owner)
        return any(base.reader.defines(base, name) for base in bases)

    def is_made_over(self, owner: values.StaticClass) -> bool:
        """True where some text gives the class, or what it is derived from, another
        way to make objects, or to read or compare them."""
        if owner.node not in self._made_over:
            self._made_over[owner.node] = any(
                self._module.stores_attribute(owner, name) for name in _SPECIAL
            ) or any(
                self._module.gives_defaults(f"{owner.name}.{name}")
                for name in ("__init__", "__new__")
            )
        bases = self._known_bases(owner)
        found = self._made_over[owner.node]
        return found or any(base.reader.is_made_over(base) for base in bases)

    def names_with_bases(self, owner: values.StaticClass) -> list[str]:
        """The names of the class and of those that it is derived from."""
        found = [owner.name]
        for base in self._known_bases(owner):
            found += base.reader.names_with_bases(base)
        return found

    def _known_bases(self, owner: values.StaticClass) -> list[values.StaticClass]:
        found = []
        for base in owner.node.bases:
            with suppress(values.NameNotFound):
                found.append(self._base(base))
        return [base for base in found if isinstance(base, values.StaticClass)]

    def member(self, owner: values.StaticClass, name: str) -> Any:
        """An attribute of the class, its own or inherited. Raises ``NameNotFound``."""
        key = (owner.node, name)
        if key not in self._members:
            self._members[key] = self._found(owner, name)
        return self._members[key]

    def _found(self, owner: values.StaticClass, name: str) -> Any:
        found = self.scan(owner)
        value = self._held(owner, name)
        if self._module.replaces(owner, name, value):
            annotation = found.annotations.get(name)
            known = isinstance(value, _LITERALS)
            literal = ast.parse(repr(value), mode="eval").body if known else None
            return values.StaticData(name, owner.name, literal, annotation)
        return value

    def is_plain_data(self, expression: ast.expr | None) -> bool:
        """True where the text tells that a value is the same as an attribute of an
        object as it is in the class: no function, property or other descriptor."""
        if not isinstance(expression, ast.Call):
            return isinstance(expression, _DATA)
        try:
            called = self.follow(expression.func, None)
        except values.NameNotFound:
            return False
        if isinstance(called, values.StaticClass):
            unclear = called.reader.has_special_members(called)
            return not unclear and not called.reader.defines(called, "__get__")
        if called in (classmethod, property, staticmethod, super, getattr):
            return False
        module = getattr(called, "__module__", None) or ""
        return module.partition(".")[0] in ("builtins", "numpy", "math", "collections")

    def accessor(self, owner: values.StaticClass, name: str, decorator: str) -> Any:
        """The function of a property with a decorator, ``property`` or ``name.setter``,
        of the class or what it inherits from; None where there is none."""
        for definition in self.scan(owner).definitions.get(name, ()):
            node = definition.node
            words = map(ast.unparse, getattr(node, "decorator_list", ()))
            if decorator in words and not definition.conditional:
                return self._module.read(node, owner)
        if name in self.scan(owner).definitions:
            return None
        inherited = (
            base.reader.accessor(base, name, decorator)
            for base in self._known_bases(owner)
        )
        return next(filter(None, inherited), None)

    def _held(self, owner: values.StaticClass, name: str) -> Any:
        """What the class is made with."""
        found = self.scan(owner)
        if name in found.definitions:
            accessor = self.accessor(owner, name, f"{name}.setter")
            getter = self.accessor(owner, name, "property") if accessor else None
            value = getter or self._module.meaning(name, found, owner)
            words = getattr(value, "decorators", ())
            if any(word.endswith((".setter", ".getter", ".deleter")) for word in words):
                return values.StaticData(name, owner.name, None, None)
            return value
        inherited = []
        for base in owner.node.bases:
            value = self._base(base)
            if isinstance(value, values.StaticForeign | values.StaticData):
                raise values.NameNotFound(f"the base class {value.name} is not known")
            try:
                value = tuple if value is typing.NamedTuple else value
                inherited.append(self._module.resolver.attribute(value, name))
            except values.NameNotFound:
                continue
        if not inherited:
            raise values.NameNotFound(f"{owner.name} has no attribute {name}")
        if any(other is not inherited[0] for other in inherited[1:]):
            raise values.NameNotFound(
                f"{owner.name} inherits {name} from several classes"
            )
        return inherited[0]
