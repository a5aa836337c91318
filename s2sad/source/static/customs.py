"""Functions that ``custom_vjp``, ``custom_jvp`` and ``primitive`` make, in a module
that is read without being executed.

Takes the definition that is decorated, or the call that makes one; gives a
``StaticCustom``, which the compiler takes for what the decorator returns. What
``defvjp`` and ``defjvp`` give it is found by
:mod:`s2sad.source.static.registrations`.
"""

import ast
import collections
import functools
import logging
import operator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from s2sad.custom import CustomFunction
from s2sad.source.static import branches, values
from s2sad.source.text import resolve

_MAKERS = ("custom_vjp", "custom_jvp", "primitive")
GIVING = ("defvjp", "defjvp")
"""The methods that give a derivative, and return the object."""

_OF_FUNCTIONS = (
    *(functools.partial, functools.lru_cache, functools.cache, np.vectorize),
    *(operator.itemgetter, operator.attrgetter, operator.methodcaller),
)


class StaticCustom(CustomFunction):
    """A function with a derivative of the user's, of which the text is known."""

    def __init__(
        self, name: str, module: str, wrapped: Any, maker: str, words: dict[str, Any]
    ) -> None:
        nondiff = words.get("nondiff", ())
        self.__wrapped__ = wrapped
        self.__name__, self.__qualname__ = name, name
        self.__module__ = module
        self.nondiff = (nondiff,) if isinstance(nondiff, str) else tuple(nondiff)
        self.opaque, self.kind = maker == "primitive", words.get("kind")
        self.forward = self.reverse = self.pushforward = None
        self.whole: values.StaticFunction | None = None
        """The definition, decorators included; None where it is made by a call."""

    def __repr__(self) -> str:
        return f"StaticCustom({self.__name__!r})"


def maker_of(value: Any) -> str | None:
    """``"custom_vjp"`` for what stands for it, and so on; None for anything else."""
    path = value.path if isinstance(value, values.StaticS2sad) else ""
    package, _, name = path.rpartition(".")
    known = package in ("s2sad", "s2sad.custom") and name in _MAKERS
    return name if known else None


class CustomReader:
    """Makes the custom functions of one module, each once."""

    def __init__(self, module: Any) -> None:
        self._module = module
        self._made: dict[ast.AST, Any] = {}

    def decorated(self, function: values.StaticFunction, owner: Any) -> Any:
        """What a definition is bound to: a ``StaticCustom``, if a decorator makes it
        one, else the function."""
        node = function.source.node
        for position, decorator in enumerate(getattr(node, "decorator_list", ())):
            called = isinstance(decorator, ast.Call)
            expression = decorator.func if called else decorator
            try:
                maker = maker_of(self._module.follow(expression, owner))
            except values.NameNotFound:
                continue
            if maker is None:
                continue
            words = self._words(decorator, owner) if called else {}
            inner = replace(function, decorators=function.decorators[position + 1 :])
            if maker is None or words is None:
                return function
            made = StaticCustom(
                function.name, function.source.module, inner, maker, words
            )
            made.unclear = _unknown_kind(made)
            made.whole = values.StaticFunction(
                replace(function.source, custom=made), function.decorators[:position]
            )
            return made
        return function

    def is_replaced(self, node: ast.ClassDef) -> bool:
        """True for a class in whose place a decorator of the user's may put another
        one."""
        paths = (d.func if isinstance(d, ast.Call) else d for d in node.decorator_list)
        found = map(self._meant, paths)
        made = (f.source.node for f in found if isinstance(f, values.StaticFunction))
        return any(map(_returns_another, made))

    def called(self, node: ast.Call, owner: Any) -> Any:
        """What a call makes: ``primitive(library.solve)``, ``f.defvjp(...)``. Raises
        ``NameNotFound`` for other calls."""
        if node in self._made:
            return self._made[node]
        if isinstance(node.func, ast.Attribute) and node.func.attr in GIVING:
            found = self.value(node.func.value, owner)
            if isinstance(found, StaticCustom):
                return found
        if self._meant(node.func) is logging.getLogger:
            return logging.getLogger(self._module.name)
        if self._meant(node.func) is collections.namedtuple and owner is None:
            made = self._made[node] = self._module.class_of(_tuple_class(node), None)
            return made
        if self._meant(node.func) in (staticmethod, property) and len(node.args) == 1:
            return self._disguised(node, owner)
        if isinstance(node.func, ast.Call):  # primitive(kind=same_kind)(solve)
            maker, words = self._maker(node.func, owner)
            given = [*node.args]
        else:
            maker, words = self._maker(node, owner)
            given = [*node.args]
        if maker is None or words is None or len(given) != 1:
            raise values.NameNotFound(f"{ast.unparse(node)} is only known when it runs")
        wrapped = self.value(given[0], owner)
        if isinstance(wrapped, StaticCustom) or not (
            callable(wrapped) or isinstance(wrapped, values.StaticForeign)
        ):
            raise values.NameNotFound(f"{ast.unparse(given[0])} is not a function")
        name = getattr(wrapped, "__name__", "") or str(wrapped.name).rpartition(".")[2]
        made = StaticCustom(name, self._module.name, wrapped, maker, words)
        made.unclear = _unknown_kind(made)
        self._made[node] = made
        return made

    def _disguised(self, node: ast.Call, owner: Any) -> Any:
        """``staticmethod(f)`` and ``property(f)`` in the body of a class."""
        found = self.value(node.args[0], owner)
        if not isinstance(found, values.StaticFunction):
            return found
        sort = ast.unparse(node.func)
        return replace(found, decorators=(sort, *found.decorators))

    def value(self, expression: ast.expr, owner: Any) -> Any:
        """What a name, a path, a lambda or a call of the above means. Raises
        ``NameNotFound``."""
        if isinstance(expression, ast.Lambda):
            if expression not in self._made:
                self._made[expression] = self._module.lambda_function(expression)
            return self._made[expression]
        if isinstance(expression, ast.Call):
            return self.called(expression, owner)
        if isinstance(expression, ast.IfExp):
            chosen = branches.constant(self._module, expression.test)
            return self.value(expression.body if chosen else expression.orelse, owner)
        if owner is not None and isinstance(expression, ast.Name):
            found = owner.reader.scan(owner).definitions.get(expression.id, [])
            if len(found) == 1 and found[0].node.lineno < expression.lineno:
                return owner.member(expression.id)
            if found:  # what it means there depends on the line
                raise values.NameNotFound(f"{expression.id} in {owner.name}")
        return self._module.follow(expression, owner)

    def made_by(self, name: str, expression: ast.expr) -> values.StaticFunction | None:
        """What gives the value of an expression of the module where it is called: of a
        partial application and the like, and of a table of functions, classes, texts or
        flags that nobody changes."""
        told = self._holds_functions(expression) or _names_alone(expression)
        if not (told and self._is_fixed(expression)):
            return None
        may_change = isinstance(expression, ast.List | ast.Dict)
        if may_change and self._module.is_changed(name):
            return None
        made = self._module.lambda_function(values.as_lambda(expression))
        resolver = resolve.StaticResolver(self._module, expression.lineno)
        return replace(made, source=replace(made.source, resolver=resolver))

    def _holds_functions(self, expression: ast.expr) -> bool:
        """True for a call that makes a function of others, and for a display with
        functions or classes in it."""
        match expression:
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                return any(map(self._holds_functions, parts))
            case ast.Dict(values=parts):
                return any(map(self._holds_functions, parts))
            case ast.Lambda():
                return True
            case ast.Call():
                return self._makes_function(expression)
            case ast.Name() | ast.Attribute():
                found = self._meant(expression)
                return callable(found) or isinstance(found, values.StaticClass)
        return False

    def _makes_function(self, node: ast.Call) -> bool:
        func = node.func.func if isinstance(node.func, ast.Call) else node.func
        return any(self._meant(func) is maker for maker in _OF_FUNCTIONS)

    def _is_fixed(self, node: ast.expr, in_call: bool = False) -> bool:
        """True for what is the same each time that it is evaluated; what a call is
        given is kept, so that it must not change."""
        parts: list[ast.expr | None] = []
        match node:
            case ast.Constant() | ast.Name() | ast.Attribute():
                pass
            case ast.UnaryOp(operand=operand):
                parts = [operand]
            case ast.BinOp(left=left, right=right):
                parts = [left, right]
            case ast.Tuple(elts=elts):
                parts = [*elts]
            case ast.List(elts=elts) if not in_call:
                parts = [*elts]
            case ast.Dict(keys=keys, values=given) if not in_call:
                parts = [*keys, *given]
            case ast.Lambda(args=args):
                parts, in_call = [*args.defaults, *args.kw_defaults], True
            case ast.Call(args=given, keywords=words) if self._makes_function(node):
                parts, in_call = [*given, *(word.value for word in words)], True
            case _:
                return False
        return all(self._is_fixed(part, in_call) for part in parts if part is not None)

    def _meant(self, path: ast.expr) -> Any:
        try:
            return self._module.follow(path)
        except values.NameNotFound:
            return None

    def _maker(
        self, node: ast.Call, owner: Any
    ) -> tuple[str | None, dict[str, Any] | None]:
        try:
            maker = maker_of(self._module.follow(node.func, owner))
        except values.NameNotFound:
            return None, None
        return maker, self._words(node, owner) if maker else None

    def _words(self, node: ast.Call, owner: Any) -> dict[str, Any] | None:
        """The keywords; None where one isn't known."""
        words: dict[str, Any] = {}
        for keyword in node.keywords:
            try:
                if keyword.arg == "nondiff":
                    words["nondiff"] = ast.literal_eval(keyword.value)
                elif keyword.arg == "kind":
                    words["kind"] = self.value(keyword.value, owner)
                else:
                    return None
            except (ValueError, values.NameNotFound):
                return None
        return words


def _returns_another(node: ast.AST) -> bool:
    """True for a function that may return what is neither its first argument nor one
    that returns its own."""
    inside = list(ast.walk(node))
    first = {
        f.args.args[0].arg
        for f in inside
        if isinstance(f, ast.FunctionDef) and f.args.args
    }
    named = {f.name for f in inside if isinstance(f, ast.FunctionDef)}
    given = (n.value for n in inside if isinstance(n, ast.Return))
    return any(getattr(value, "id", "") not in first | named for value in given)


def _tuple_class(node: ast.Call) -> ast.ClassDef:
    """The class that ``namedtuple("P", "a b", defaults=(1.0,))`` makes. Raises
    ``NameNotFound`` where no literals tell it."""
    try:
        name, names = (ast.literal_eval(argument) for argument in node.args)
        fields = names.replace(",", " ").split() if isinstance(names, str) else names
        words = {word.arg: word.value for word in node.keywords}
        given = words.pop("defaults", ast.Tuple([], ast.Load()))
        defaults = given.elts  # type: ignore[attr-defined]
    except (ValueError, AttributeError):
        raise values.NameNotFound("a namedtuple of names that aren't known") from None
    if words or not all(map(str.isidentifier, fields)):
        raise values.NameNotFound(f"what {name} holds isn't known")
    values_given = [*[None] * (len(fields) - len(defaults)), *defaults]
    unknown: Any = ast.Constant(Any)  # type: ignore[arg-type]
    body: list[ast.stmt] = [
        ast.AnnAssign(ast.Name(field, ast.Store()), unknown, value, 1)
        for field, value in zip(fields, values_given)
    ]
    base: Any = ast.Constant(NamedTuple)  # type: ignore[arg-type]
    made = ast.ClassDef(name, [base], [], body or [ast.Pass()], [])
    return ast.fix_missing_locations(ast.copy_location(made, node))


def _names_alone(expression: ast.expr) -> bool:
    """True for a list or dict of texts and flags."""
    if not isinstance(expression, ast.List | ast.Dict):
        return False
    nodes = [n for n in ast.walk(expression) if isinstance(n, ast.Constant)]
    plain = all(isinstance(node.value, str | bool | None) for node in nodes)
    return plain and bool(nodes)


def _unknown_kind(custom: StaticCustom) -> tuple[str, str] | None:
    if custom.kind is None or not isinstance(custom.kind, values.StaticFunction):
        return None
    return unknown_kind(custom.__name__)


def unknown_kind(name: str) -> tuple[str, str]:
    """Why a kind function of the user's can't serve, and what does."""
    return (
        f"the kind function of {name} would have to be run, and the file is only read",
        "leave kind out, or take one of s2sad.rules.result_kinds",
    )
