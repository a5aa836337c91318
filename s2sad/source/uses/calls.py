"""What calls say of the places of their arguments."""

import ast
import types
from typing import Any

from s2sad.source.static.values import NameNotFound, StaticClass, StaticFunction
from s2sad.source.text import resolve
from s2sad.source.uses.methods import note_method, returns_of_method
from s2sad.source.uses.places import ITEM, Place, unite
from s2sad.source.uses.table import Called, Table, Uses

_ALIKE = {"reversed", "sorted", "list", "tuple", "iter", "set", "deque"}
"""What gives the items of its argument."""


class Calls:
    """Reads the calls of one function."""

    def __init__(self, table: Table, uses: Uses, names: dict[str, Place]) -> None:
        self.table, self.resolver = table, uses.source.resolver
        self.local = uses.local
        self.names = names
        self.inner: dict[str, Uses] = {}
        """The functions that are made in the function."""

    def place(self, node: ast.expr | None) -> Place:
        """The place of the value of an expression."""
        raise NotImplementedError

    def items_of(self, node: ast.expr) -> Place:
        """The items of what is run over."""
        return self.place(node).note("iterated").step(ITEM)

    def meaning(self, node: ast.expr) -> Any:
        """What a name or a path means outside of the function; None if nothing."""
        head = node
        while isinstance(head, ast.Attribute):
            head = head.value
        if not isinstance(head, ast.Name):
            return None
        if head.id in self.names or head.id in self.local:
            return None
        try:
            return resolve.follow(node, self.resolver)
        except (NameNotFound, AttributeError, RecursionError):
            return None

    def call(self, node: ast.Call) -> Place:
        func = node.func
        if isinstance(func, ast.Name) and func.id in self.inner:
            return self.handed(self.inner[func.id], *self.given(node))
        meaning = self.meaning(func)
        if isinstance(meaning, StaticFunction):
            return self.handed(self.table.uses(meaning.source), *self.given(node))
        if isinstance(meaning, StaticClass):
            return self.made(meaning, *self.given(node))
        if isinstance(meaning, type | types.BuiltinFunctionType):
            module = getattr(meaning, "__module__", "") or ""
            if module in ("builtins", "collections"):
                return self.builtin(meaning.__name__, node)
            if module in ("math", "cmath"):
                for place in self.given(node)[0]:
                    place.note("number", "one")
                return Place("number")
        if meaning is not None:
            return self.of_library(meaning, node)
        if isinstance(func, ast.Attribute):
            place = self.place(func.value)
            args, words = self.given(node)
            note_method(place, func.attr, args)
            if place.has("dict"):
                self.table.indexed.append(place)
            result = returns_of_method(place, func.attr, args)
            self.table.note_call(Called(place, func.attr, args, words, result))
            return result
        place, result = self.place(func), Place()
        self.table.note_call(Called(place, "__call__", *self.given(node), result))
        return result

    def given(self, node: ast.Call) -> tuple[list[Place], dict[str, Place]]:
        """The places of the arguments of a call; of what is starred its items."""
        args = []
        for argument in node.args:
            if isinstance(argument, ast.Starred):
                self.items_of(argument.value)
                break
            args.append(self.place(argument))
        words = {w.arg: self.place(w.value) for w in node.keywords if w.arg}
        return args, words

    def handed(self, uses: Uses, args: list[Place], words: dict[str, Place]) -> Place:
        """Let the arguments of a call be the parameters of a function."""
        for place, parameter in zip(args, uses.parameters.values()):
            unite(parameter, place)
        for name, place in words.items():
            if name in uses.parameters:
                unite(uses.parameters[name], place)
        return uses.result

    def made(
        self, cls: StaticClass, args: list[Place], words: dict[str, Place]
    ) -> Place:
        """The place of an object that is made."""
        place = Place()
        place.classes[cls] = None
        for name, given in zip(self.table.fields(cls), args):
            unite(self.table.attribute(cls, name), given)
        for name in (n for n in words if n in self.table.fields(cls)):
            unite(self.table.attribute(cls, name), words[name])
        return place

    def builtin(self, name: str, node: ast.Call) -> Place:
        result = Place()
        if name == "isinstance" and len(node.args) == 2:
            self.told_class(self.place(node.args[0]), node.args[1])
            return result
        args, _ = self.given(node)
        first = args[0] if args else Place()
        functions = [arg for arg in node.args if isinstance(arg, ast.Lambda)]
        functions += [w.value for w in node.keywords if isinstance(w.value, ast.Lambda)]
        if name in _ALIKE:
            if args:
                unite(result.step(ITEM), first.note("iterated").step(ITEM))
        elif name == "zip":
            for at, place in enumerate(args):
                item = place.note("iterated").step(ITEM)
                unite(result.step(ITEM).step(("at", at)), item)
        elif name == "enumerate":
            result.step(ITEM).step(("at", 0)).note("whole")
            item = first.note("iterated").step(ITEM)
            unite(result.step(ITEM).step(("at", 1)), item)
        elif name == "range":
            for place in args:
                place.note("whole")
            result.step(ITEM).note("whole")
        elif name in ("map", "filter"):
            first = args[1] if len(args) > 1 else Place()
            item = first.note("iterated").step(ITEM)
            for function in functions:
                unite(result.step(ITEM), self.applied(function, [item]))
            return result
        elif name == "sum":
            item = first.note("summed").step(ITEM).note("number")
            return Place("number")
        elif name in ("min", "max"):
            if len(args) == 1:
                result = first.note("summed").step(ITEM)
                functions or result.note("number")
            for place in args[1:] and args:
                place.note("number")
        elif name in ("len", "any", "all"):
            first.note("summed" if name != "len" else "sized")
            return Place("whole")
        elif name in ("abs", "float", "round", "int", "divmod", "pow"):
            for place in args:
                place.note("number")
            return Place("whole" if name == "int" else "number")
        elif name == "next":
            return first.step(ITEM)
        for function in functions:
            self.applied(function, [first.step(ITEM)])
        return result

    def applied(self, function: ast.Lambda, args: list[Place]) -> Place:
        """The place of what a lambda returns."""
        outer = dict(self.names)
        for parameter, place in zip(function.args.args, args):
            self.names[parameter.arg] = place
        result = self.place(function.body)
        self.names = outer
        return result

    def told_class(self, place: Place, node: ast.expr) -> None:
        """Note what an ``isinstance`` asks for."""
        if isinstance(node, ast.Tuple):
            for element in node.elts:
                self.told_class(place, element)
        elif isinstance(node, ast.BinOp):
            self.told_class(place, node.left)
            self.told_class(place, node.right)
        else:
            cls = self.meaning(node)
            if isinstance(cls, StaticClass):
                place.found().classes[cls] = None
            elif cls in (float, int):
                place.note("number")
            elif cls is str:
                place.note("text")
            elif cls in (list, tuple, dict):
                place.note("several sorts")
            self.table.objects.append(place)

    def narrowed(self, test: ast.expr) -> dict[str, Place]:
        """What names stand for where a test holds that asks for their classes."""
        match test:
            case ast.BoolOp(op=ast.And(), values=values):
                return {n: p for v in values for n, p in self.narrowed(v).items()}
            case ast.Call(
                func=ast.Name(id="isinstance"), args=[ast.Name(id=name), classes]
            ):
                place = Place("self")
                self.told_class(place, classes)
                if place.classes:
                    return {name: place}
        return {}

    def of_library(self, meaning: Any, node: ast.Call) -> Place:
        """What NumPy and others are given; functions of numbers one by one give a
        number for a number, and an array for an array."""
        args, _ = self.given(node)
        name = getattr(meaning, "__name__", "")
        if type(meaning).__name__ == "ufunc" and len(args) == 1:
            return args[0].note("number")
        if type(meaning).__name__ == "ufunc":
            for place in args:
                place.note("number")
            self.table.of_arrays |= name == "matmul"
            result = Place("number")
            if name != "matmul":
                self.table.operations.append((result, tuple(args), False))
            return result
        self.table.of_arrays = True
        for place in args:
            place.note("handed to a library")
        return Place()
