"""What the attributes of a class mean in a module that is read, not executed."""

import abc
import ast
import typing
from typing import Any

from s2sad.source.static import namespaces, values
from s2sad.source.static.scan import Scan, scan
from s2sad.source.text.resolve import StaticResolver, follow


class ClassReader:
    """Reads the classes of one module."""

    def __init__(self, module: namespaces.ModuleText) -> None:
        self._module = module
        self._scans: dict[ast.ClassDef, Scan] = {}
        self._members: dict[tuple[ast.ClassDef, str], Any] = {}

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
        bases = [self._base(base) for base in owner.node.bases]
        known = [base for base in bases if isinstance(base, values.StaticClass)]
        return any(base.reader.only_declares(base, name) for base in known)

    def member(self, owner: values.StaticClass, name: str) -> Any:
        """An attribute of the class, its own or inherited. Raises ``NameNotFound``."""
        key = (owner.node, name)
        if key not in self._members:
            self._members[key] = self._found(owner, name)
        return self._members[key]

    def _found(self, owner: values.StaticClass, name: str) -> Any:
        found = self.scan(owner)
        if self._module.stores_attribute(owner, name):
            return values.StaticData(
                name, owner.name, None, found.annotations.get(name)
            )
        if name in found.definitions:
            return self._module.meaning(name, found, owner)
        inherited = []
        for base in owner.node.bases:
            value = self._base(base)
            if isinstance(value, values.StaticForeign | values.StaticData):
                raise values.NameNotFound(f"the base class {value.name} is not known")
            try:
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
