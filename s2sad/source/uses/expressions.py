"""The places that expressions speak of.

Takes an expression, with the places of the names in it; gives the place of its value,
and notes on the way how others are used.
"""

import ast
from typing import Any

from s2sad.source.uses.calls import Calls
from s2sad.source.uses.places import ITEM, KEY, Place, unite

_ARRAY_ATTRIBUTES = frozenset({"shape", "T", "ndim", "dtype", "size", "real", "flat"})


class Expressions(Calls):
    """Reads the expressions of one function."""

    def place(self, node: ast.expr | None) -> Place:
        """The place of the value of an expression."""
        match node:
            case None:
                return Place()
            case ast.Name(id=name):
                return self.names.get(name) or Place()
            case ast.Constant(value=str()):
                return Place("text")
            case ast.Constant(value=None):
                return Place("none at first")
            case ast.Constant(value=bool()):
                return Place()
            case ast.Constant(value=int()):
                return Place("constant")
            case ast.Constant():
                return Place("number")
            case ast.Attribute(value=value, attr=name):
                return self.attribute(node, value, name)
            case ast.Subscript(value=value, slice=index):
                return self.item(self.place(value), index)
            case ast.Call():
                return self.call(node)
            case ast.BinOp():
                return self.operation(node)
            case ast.UnaryOp(op=op, operand=operand):
                place = self.place(operand)
                if isinstance(op, ast.Not):
                    return Place()
                return place.note("number")
            case ast.Compare():
                return self.comparison(node)
            case ast.BoolOp(op=op, values=values):
                outer = self.names
                for value in values:
                    place = self.place(value)
                    if isinstance(op, ast.And):
                        self.names = self.names | self.narrowed(value)
                self.names = outer
                return place
            case ast.IfExp(test=test, body=body, orelse=orelse):
                self.truth(test)
                outer = self.names
                self.names = outer | self.narrowed(test)
                place = self.place(body)
                self.names = outer
                unite(place, self.place(orelse))
                return place
            case ast.NamedExpr(target=target, value=value):
                place = self.place(value)
                self.names[target.id] = place
                return place
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                return self.display(node, elements)
            case ast.Dict(keys=keys, values=values):
                return self.of_dict(keys, values)
            case (
                ast.ListComp(elt=element, generators=generators)
                | ast.GeneratorExp(elt=element, generators=generators)
                | ast.SetComp(elt=element, generators=generators)
            ):
                return self.comprehension([element], generators)
            case ast.DictComp(key=key, value=value, generators=generators):
                return self.comprehension([key, value], generators)
        for inner in ast.iter_child_nodes(node):
            if isinstance(inner, ast.expr) and not isinstance(node, ast.Lambda):
                self.place(inner)
        return Place()

    # ------------------------------------------------------------------- parts

    def attribute(self, node: ast.Attribute, value: ast.expr, name: str) -> Place:
        if self.meaning(value) is not None:
            return Place()
        place = self.place(value)
        if name in _ARRAY_ATTRIBUTES and not place.found().classes:
            place.note("like an array")
            self.table.of_arrays |= name != "real"
        self.table.objects.append(place)
        return place.step(("attribute", name))

    def item(self, place: Place, index: ast.expr) -> Place:
        match index:
            case ast.Constant(value=str(name)):
                return place.step(("named", name))
            case ast.Constant(value=int(at)) if not isinstance(at, bool):
                self.table.indexed.append(place)
                return place.step(("at", at))
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(at))):
                self.table.indexed.append(place)
                return place.step(("at", -at))
            case ast.Slice():
                for bound in (index.lower, index.upper, index.step):
                    self.place(bound).note("whole")
                place.note("sliced")
                return place
            case ast.Tuple(elts=elements) if any(
                isinstance(e, ast.Slice | ast.Constant) for e in elements
            ):
                place.note("array")
                self.table.of_arrays = True
                return Place()
        key = self.place(index)
        if isinstance(index, ast.BinOp):
            key.note("whole")
        place.note("indexed")
        self.table.indexed.append(place)
        unite(place.step(KEY), key)
        return place.step(ITEM)

    def display(self, node: Any, elements: list[ast.expr]) -> Place:
        place = Place()
        for at, element in enumerate(elements):
            if isinstance(element, ast.Starred):
                unite(place.step(ITEM), self.place(element.value).step(ITEM))
            elif isinstance(node, ast.Tuple):
                unite(place.step(("at", at)), self.place(element))
            else:
                unite(place.step(ITEM), self.place(element))
        return place

    def of_dict(self, keys: list[ast.expr | None], values: list[ast.expr]) -> Place:
        place = Place()
        for key, value in zip(keys, values):
            held = self.place(value)
            if key is None:
                held.note("dict")
                unite(place.step(ITEM), held.step(ITEM))
                continue
            unite(self.item(place, key), held)
        return place

    def comprehension(
        self, elements: list[ast.expr], generators: list[ast.comprehension]
    ) -> Place:
        outer = dict(self.names)
        for generator in generators:
            self.bind(generator.target, self.items_of(generator.iter))
            for test in generator.ifs:
                self.truth(test)
        places = [self.place(element) for element in elements]
        self.names = outer
        made = Place()
        unite(made.step(ITEM), places[-1])
        if len(places) > 1:
            unite(made.step(KEY), places[0])
        return made

    def truth(self, node: ast.expr) -> None:
        """Read a test."""
        place = self.place(node)
        match node:
            case ast.Name() | ast.Attribute() | ast.Subscript():
                place.note("truth")
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                self.truth(operand)
            case ast.BoolOp(values=values):
                for value in values:
                    self.truth(value)
            case ast.Compare(left=left, comparators=others):
                for part in (left, *others):
                    self.place(part).note("one")

    def bind(self, target: ast.expr, place: Place) -> None:
        """Let a target of an assignment stand for a place."""
        match target:
            case ast.Name(id=name):
                self.names[name] = place
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                starred = any(isinstance(e, ast.Starred) for e in elements)
                place.note("run over" if starred else "unpacked")
                for at, element in enumerate(elements):
                    if isinstance(element, ast.Starred):
                        rest = Place()
                        unite(rest.step(ITEM), place.step(ITEM))
                        self.bind(element.value, rest)
                    else:
                        inner = place.step(ITEM if starred else ("at", at))
                        self.bind(element, inner)
            case ast.Attribute() | ast.Subscript():
                unite(self.place(target), place)

    # -------------------------------------------------------------- operations

    def operation(self, node: ast.BinOp) -> Place:
        left, right = self.place(node.left), self.place(node.right)
        result = Place()
        if isinstance(node.op, ast.MatMult):
            self.table.of_arrays = True
            left.note("array")
            right.note("array")
            return result
        text = left.has("text") or right.has("text")
        if isinstance(node.op, ast.Add | ast.Mod) and text:
            return result.note("text")
        for place in (left, right):
            place.note("number")
        exact = isinstance(node.op, ast.Add | ast.Sub | ast.Mult | ast.FloorDiv)
        if exact and all(p.has("whole", "constant") for p in (left, right)):
            result.note("whole")
        self.table.operations.append((result, (left, right), exact))
        return result.note("number")

    def comparison(self, node: ast.Compare) -> Place:
        places = [self.place(part) for part in (node.left, *node.comparators)]
        parts = [node.left, *node.comparators]
        for k, op in enumerate(node.ops):
            left, right = places[k], places[k + 1]
            if isinstance(op, ast.In | ast.NotIn):
                unite(right.step(KEY), left)
                right.note("searched")
                continue
            for place, other, part in (
                (left, right, parts[k + 1]),
                (right, left, parts[k]),
            ):
                if isinstance(part, ast.Constant) and part.value is None:
                    if not place.has("none at first"):
                        place.note("none")
                elif other.has("text"):
                    place.note("text")
                elif other.has("number") or not isinstance(op, ast.Eq | ast.NotEq):
                    place.note("number")
                elif other.has("whole", "constant"):
                    place.note("counted")
        return Place()
