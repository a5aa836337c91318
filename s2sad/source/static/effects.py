"""What the text of a module does to modules and classes, anywhere in it.

Literals are copied into files, unless some text may replace them: what a text stores,
and which modules and classes it hands about, so that others may store into them.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Sequence
from dataclasses import dataclass, field

from s2sad.source.text.scopes import COMPREHENSIONS, assigned_names

UNKNOWN, A_CLASS = "", "<class>"
"""Owners of attributes that only the run knows: of any sort, and classes. The name of a
class stands behind it where it is that one, or is derived from it; ``.name`` is what
stands under a name in something that only the run knows."""
_OBJECT = "<object>"


@dataclass
class Effects:
    """What a text may do."""

    stores: dict[str | None, set[str]] = field(default_factory=dict)
    """The names of attributes that are stored, None for any, each with its owners:
    paths of names of the module, ``UNKNOWN`` or ``A_CLASS``."""
    handed: set[str] = field(default_factory=set)
    """The names, without what leads to them, that are used for more than to call them,
    to read their attributes and to ask what an object is."""
    changed: set[str] = field(default_factory=set)
    """The names, without what leads to them, of what gets other items."""
    looks_up: bool = False
    """Modules or classes are looked up: ``type(x)``, ``sys.modules``, ``vars(x)``."""
    binds_any: bool = False
    """Names of the module may be bound by ``exec`` or ``globals()``."""
    runs_code: bool = False
    """Code is run of which the text isn't known."""

    def hands(self, names: set[str]) -> bool:
        """True where a module or class of one of these names may be handed on."""
        return not names.isdisjoint(self.handed)

    def changes(self, names: set[str]) -> bool:
        """True where a list or dict of one of these names may get other items."""
        return not names.isdisjoint(self.changed)


def effects(tree: ast.AST) -> Effects:
    """What a text may do to modules and classes.

    >>> text = "use(c, d.e)\\nf = g\\nisinstance(h, (i, j))\\ndef k(l: m): return n"
    >>> sorted(effects(ast.parse(text)).handed)
    ['c', 'e', 'g', 'n']
    >>> text = "(a.b.c,\\n d[0].e) = 1, 2\\ndef f(g): g.h = setattr(i, 'j', 3)"
    >>> sorted(effects(ast.parse(text)).stores.items())
    [('c', {'a.b'}), ('e', {''}), ('h', {''}), ('j', {'i'})]
    """
    reader = _Reader()
    reader.read(tree)
    return reader.found


_TESTING = {"isinstance", "issubclass"}
_ASKING = _TESTING | {"super", "type", "getattr", "hasattr", "__new__", "vars", "dir"}
_ASKING |= {"len", "dict", "list", "sorted", "set", "print", "enumerate", "zip"}
_ASKING |= {"reversed", "tuple", "range"}
"""Functions that hand on nothing of what they are given, but for its items."""
_NAMESPACES = {"globals", "locals", "vars"}
_OF_FUNCTIONS = {"__globals__", "f_globals", "f_locals"}
"""What gives the dict that binds names, of a module or what a function reads."""
_FINDING = {"modules", "import_module", "__import__"}
"""What gives modules whose names aren't bound."""
_ADDING = {"dataclass", "total_ordering", "final", "runtime_checkable", "unique"}
"""Decorators that add methods to a class, and store no data."""
_OF_CLASSES = {"__init_subclass__", "__new__", "__class_getitem__"}
"""Methods whose first argument is a class without a decorator."""
_RELATIVES = {"__mro__", "__bases__", "__base__", "__subclasses__", "mro"}
_RELATIVES |= _OF_FUNCTIONS | {"__dict__"}
_SETTERS = {"setattr", "delattr", "__setattr__", "__delattr__"}
_CHANGING = {"update", "setdefault", "pop", "popitem", "clear", "__setitem__"}
_CHANGING |= {"append", "extend", "insert", "remove", "sort", "reverse"}
_CHANGING |= {"__delitem__", "__iadd__", "__imul__", "__ior__"}


class _Scope:
    """The names of a function or comprehension, found when they are asked for."""

    def __init__(self, parts: Sequence[ast.AST]) -> None:
        self._parts = parts
        self.first, self.of = "", UNKNOWN

    @functools.cached_property
    def _bound(self) -> set[str]:
        return assigned_names(self._parts)

    def owner(self, name: str) -> str | None:
        """What the name may be; None for that of another scope."""
        if name == self.first and name not in self._bound:
            return self.of
        parameters = (part.arg for part in self._parts if isinstance(part, ast.arg))
        return UNKNOWN if name in self._bound or name in parameters else None


class _Reader:
    """Goes over a text once, with the names of the functions around each place."""

    def __init__(self) -> None:
        self.found = Effects()
        self._scopes: tuple[_Scope, ...] = ()
        self._class_around = ""
        self._waiting: list[tuple[ast.AST, tuple[_Scope, ...], str]] = []

    def read(self, tree: ast.AST) -> None:
        self._enter(tree)
        while self._waiting:
            node, self._scopes, self._class_around = self._waiting.pop()
            self._visit(node)

    def _enter(self, *nodes: ast.AST | None) -> None:
        for node in nodes:
            if node is not None:
                self._waiting.append((node, self._scopes, self._class_around))

    def _visit(self, node: ast.AST) -> None:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                self._function(node)
            case ast.ClassDef():
                self._class(node)
            case ast.Call():
                self._call(node)
            case ast.Name(ctx=ast.Load()) | ast.Attribute():
                self._path(node)
            case ast.Subscript():
                self._subscript(node)
            case ast.Compare():
                self._use(node.left, *node.comparators)
            case ast.BinOp():
                self._use(node.left, node.right)
            case ast.keyword(arg=None, value=value) | ast.FormattedValue(value=value):
                self._use(value)
            case ast.Dict():
                self._enter(*node.keys)
                for key, value in zip(node.keys, node.values):
                    (self._use if key is None else self._enter)(value)
            case ast.For() | ast.comprehension():
                self._use(node.iter)
                rest = (n for n in ast.iter_child_nodes(node) if n is not node.iter)
                self._enter(*rest)
            case ast.AugAssign():
                self.found.changed |= _names_on(node.target)
                self._enter(node.target, node.value)
            case ast.AnnAssign():
                self._enter(node.target, node.value)
            case ast.ExceptHandler(body=body):
                self._enter(*body)
            case ast.MatchClass():
                self._enter(*node.patterns, *node.kwd_patterns)
            case ast.Import() | ast.ImportFrom():
                words = [getattr(node, "module", None) or ""]
                words += [alias.name for alias in node.names]
                self.found.looks_up |= not _FINDING.isdisjoint(words)
                if self._scopes:  # a local name for it stands for data
                    self.found.handed |= {word.rpartition(".")[2] for word in words}
            case _:
                if isinstance(node, COMPREHENSIONS):
                    targets = [made.target for made in node.generators]
                    self._scopes += (_Scope(targets),)
                self._enter(*ast.iter_child_nodes(node))

    def _function(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    ) -> None:
        around, self._class_around = self._class_around, ""
        decorators = getattr(node, "decorator_list", [])
        self._use(*decorators)
        self._enter(*node.args.defaults, *node.args.kw_defaults)
        body = node.body if isinstance(node.body, list) else [node.body]
        parameters = [p for p in ast.walk(node.args) if isinstance(p, ast.arg)]
        scope = _Scope([*parameters, *body])
        first = [*node.args.posonlyargs, *node.args.args][:1]
        if around and first:
            scope.first, sort = first[0].arg, _first_argument(node, decorators)
            scope.of = sort and sort + around
            if getattr(node, "name", "") == "__set_name__" and node.args.args[1:]:
                scope.first, scope.of = node.args.args[1].arg, A_CLASS
        self._scopes += (scope,)
        self._enter(*body)

    def _class(self, node: ast.ClassDef) -> None:
        self._use(*node.decorator_list)
        if any(_last_word(word) not in _ADDING for word in node.decorator_list):
            self.found.handed.add(node.name)
        self._class_around = node.name
        self._enter(*node.body)

    def _path(self, node: ast.expr) -> None:
        """A name or attribute that is handed on, or stored into."""
        name = _last_word(node)
        if not isinstance(getattr(node, "ctx", None), ast.Load):
            self._store(node.value, name)  # type: ignore[attr-defined]
        elif name == "__dict__":
            self._store(node.value, None)  # type: ignore[attr-defined]
        else:
            self.found.handed.add(name)
            if name == "__class__" or any(name == s.first for s in self._scopes):
                self.found.looks_up |= self._owner(node).startswith(A_CLASS)
            self.found.runs_code |= name == "exec"
            if name in _SETTERS:
                self._note(UNKNOWN, None)
            elif name in _NAMESPACES and self._owner(node) == name:
                self._note(UNKNOWN, None)
                self.found.binds_any = True
        self._use(node)

    def _use(self, *nodes: ast.expr) -> None:
        """Enter what stands in expressions that are used, and not handed on."""
        for node in nodes:
            match node:
                case ast.Name():
                    pass
                case ast.Attribute(value=value, attr=name):
                    self.found.looks_up |= name in _RELATIVES or _is_modules(node)
                    self.found.binds_any |= name in _OF_FUNCTIONS
                    if name in _CHANGING:
                        self.found.changed |= _names_on(value)
                    changes = name in _CHANGING and _is_namespace(value)
                    (self._enter if changes else self._use)(value)
                case ast.Call(func=ast.Name("type" | "vars" | "globals" | "locals")):
                    self.found.looks_up |= _last_word(node) != "type"
                    self._use(*node.args)
                case _:
                    self._enter(node)

    def _subscript(self, node: ast.Subscript) -> None:
        if isinstance(node.ctx, ast.Load):
            self._use(node.value, *_parts(node.slice))
        elif _is_namespace(node.value):
            self._enter(node.value, node.slice)
        else:
            self.found.changed |= _names_on(node.value)
            self._use(node.value)
            self._enter(node.slice)

    def _call(self, node: ast.Call) -> None:
        name = _last_word(node.func)
        first = node.args[0] if node.args else None
        use = self._use if name in _ASKING else self._enter
        if name in _SETTERS:
            self._store_by_name(node)
        elif name == "exec" or (name == "eval" and isinstance(node.func, ast.Name)):
            self._run(first)
        elif name in ("import_module", "__import__"):
            self.found.looks_up = True
        elif name in _NAMESPACES and first is None:
            self.found.binds_any = self.found.looks_up = True
            if self._class_around:
                self._note(A_CLASS + self._class_around, None)
        elif name == "vars":
            self._store(node.args[0], None)
        elif name == "type" and len(node.args) == 1:
            self.found.looks_up = True
        elif name == "getattr" and first is not None:
            self.found.looks_up |= not self._owner(first).startswith(_OBJECT)
        self._use(node.func)
        for argument in node.args:
            use(*(_parts(argument) if name in _TESTING else [argument]))
        self._enter(*node.keywords)

    def _store_by_name(self, node: ast.Call) -> None:
        """``setattr(owner, name, value)`` and ``owner.__setattr__(name, value)``."""
        given = list(node.args)
        if any(isinstance(argument, ast.Starred) for argument in given):
            self._note(UNKNOWN, None)
            return
        if isinstance(node.func, ast.Attribute):
            if _last_word(node.func.value) not in ("object", "type"):
                given.insert(0, node.func.value)
        name = given[1] if len(given) > 1 else None
        known = isinstance(name, ast.Constant) and isinstance(name.value, str)
        self._store(given[0], name.value if known else None)  # type: ignore[union-attr]

    def _run(self, code: ast.expr | None) -> None:
        """``exec(code)``."""
        self.found.binds_any = self.found.looks_up = True
        try:
            self._enter(ast.parse(ast.literal_eval(code)))  # type: ignore[arg-type]
        except (SyntaxError, ValueError, TypeError):
            self.found.runs_code = True

    def _store(self, owner: ast.expr, name: str | None) -> None:
        found = self._owner(owner)
        if not found.startswith(_OBJECT):
            self._note(found, name)

    def _note(self, owner: str, name: str | None) -> None:
        self.found.stores.setdefault(name, set()).add(owner)
        self.found.looks_up |= name is None

    def _owner(self, node: ast.expr) -> str:
        match node:
            case ast.Call(ast.Name("super")):
                return _OBJECT
            case ast.Call(ast.Name("type"), [of]) | ast.Attribute(of, "__class__"):
                owner = self._owner(of)
                is_object = owner.startswith(_OBJECT)
                return A_CLASS + owner.removeprefix(_OBJECT) if is_object else A_CLASS
            case ast.Name("__class__"):
                return A_CLASS
        root = node
        while isinstance(root, ast.Attribute):
            root = root.value
        if not isinstance(root, ast.Name):
            return UNKNOWN
        for scope in reversed(self._scopes):
            found = scope.owner(root.id)
            if found is not None:
                return found if root is node else f".{node.attr}"  # type: ignore[attr-defined]
        return ast.unparse(node)


def _first_argument(node: ast.AST, decorators: list[ast.expr]) -> str:
    """What the first argument of a method may be."""
    words = set(map(_last_word, decorators))
    if "staticmethod" in words:
        return UNKNOWN
    name = getattr(node, "name", "")
    return A_CLASS if "classmethod" in words or name in _OF_CLASSES else _OBJECT


def _is_namespace(node: ast.expr) -> bool:
    """True for ``globals()``, ``vars(path)`` and ``path.__dict__``."""
    called = isinstance(node, ast.Call)
    words = ("globals", "locals", "vars") if called else ("__dict__",)
    return _last_word(node) in words


def _is_modules(node: ast.Attribute) -> bool:
    return node.attr == "modules" and _last_word(node.value) == "sys"


def _parts(node: ast.expr) -> list[ast.expr]:
    return node.elts if isinstance(node, ast.Tuple) else [node]


def _names_on(path: ast.expr) -> set[str]:
    """The names in a path, those that stand in it as texts among them."""
    nodes = list(ast.walk(path))
    texts = (n.value for n in nodes if isinstance(n, ast.Constant))
    found = {getattr(node, "attr", getattr(node, "id", "")) for node in nodes}
    return found | {text for text in texts if isinstance(text, str)}


def _last_word(node: ast.expr) -> str:
    """The name of what is called, or read."""
    if isinstance(node, ast.Call):
        node = node.func
    return str(getattr(node, "attr", getattr(node, "id", "")))
