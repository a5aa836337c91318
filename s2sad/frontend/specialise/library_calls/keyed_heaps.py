"""Heaps that nothing but heapq changes: the items stay where they were put, and heapq
itself orders keys of them.

::

    heap = []                               heap_keys, heap_items = [], []
    heapq.heappush(heap, (t, "go"))         heap_items.append((t, "go"))
                                            heapq.heappush(heap_keys, (t, "go", place))
    t, what = heapq.heappop(heap)           place = heapq.heappop(heap_keys)[-1]
                                            t, what = heap_items[place]

So the reverse sweep has no items to move back. Which lists are such heaps is told from
the text of the function: a list begun as ``[]`` or ``[item]``, which is only handed to
heapq, asked for its length or truth, or for its first item. All others are written out
(:mod:`s2sad.frontend.library.lists`), as is a heap of items that have no order
that heapq itself could follow.
"""

import ast
import heapq
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser
from s2sad.source.text.scopes import FUNCTIONS, assigned_names, remembered


class KeyedHeap:
    """A heap, as a list of its items and a heap of their keys."""

    __s2sad_written_out__ = True

    def __init__(self, *items: Any) -> None:
        self.keys = ops.new_keys()
        self.items: list[Any] = []
        for item in items:
            heappush(self, item)

    def __len__(self) -> int:
        return ops.number_of_keys(self.keys)

    def __bool__(self) -> bool:
        return bool(self.keys)

    def __getitem__(self, place: int) -> Any:
        """``heap[0]``."""
        return self.items[ops.first_place(self.keys)]


def heappush(heap: KeyedHeap, item: Any) -> None:
    """``heapq.heappush(heap, item)``."""
    heap.keys = ops.key_pushed(heap.keys, item, len(heap.items))
    heap.items.append(item)


def heappop(heap: KeyedHeap) -> Any:
    """``heapq.heappop(heap)``."""
    place = ops.first_place(heap.keys)
    heap.keys = ops.without_first_key(heap.keys)
    return heap.items[place]


def heapreplace(heap: KeyedHeap, item: Any) -> Any:
    """``heapq.heapreplace(heap, item)``."""
    place = ops.first_place(heap.keys)
    heap.keys = ops.key_replaced(heap.keys, item, len(heap.items))
    heap.items.append(item)
    return heap.items[place]


_OF_HEAPQ: dict[Any, Callable[..., Any]] = {
    heapq.heappush: heappush,
    heapq.heappop: heappop,
    heapq.heapreplace: heapreplace,
}


def of_keyed_heap(function: Any, args: Args) -> Any:
    """What stands in place of a function of heapq; None for another, and for a list."""
    given = args[0] if args else None
    if isinstance(given, core.Aggregate | core.Cell) and given.constructor is KeyedHeap:
        return _OF_HEAPQ.get(function)
    return None


def key_change(function: Callable[..., Any]) -> Callable[..., core.Value]:
    """How a call of such an operation is specialised: with the parts of the item."""

    def change(
        spec: Specialiser, args: Args, words: Mapping[str, core.Value]
    ) -> core.Value:
        keys, item, place = (spec.by_value(a) for a in args)
        parts = tuple(_parts(item))
        operands = (
            core.operand_of(keys),
            ir.pack_tuple(*parts),
            core.operand_of(place),
        )
        return spec.define(ir.Apply(function, operands), ir.OPAQUE, "keys")

    return change


KEY_CALLS = {
    function: key_change(function) for function in (ops.key_pushed, ops.key_replaced)
}


def _parts(item: core.Value) -> Iterator[ir.Operand]:
    """The numbers and strings in an item, in the order in which they decide."""
    if isinstance(item, core.Aggregate) and _is_compared_as_tuple(item.constructor):
        for part in item.items:
            yield from _parts(part)
        return
    kind = item.kind if isinstance(item, core.Leaf) else None
    text = isinstance(kind, ir.Known) and isinstance(kind.value, str)
    if not (text or kind == ir.OPAQUE or isinstance(kind, ir.Scalar | ir.NumPyScalar)):
        raise core.Unsupported(
            f"{core.describe(item)} in a heap", "push numbers, strings or tuples"
        )
    yield core.operand_of(item)


def _is_compared_as_tuple(cls: Any) -> bool:
    return (
        isinstance(cls, type)
        and issubclass(cls, tuple)
        and cls.__lt__ is tuple.__lt__
        and cls.__eq__ is tuple.__eq__
    )


# ------------------------------------------------------------------ the text


def is_heap(node: ast.List) -> bool:
    """True for a list that is a heap whatever is in it."""
    return not node.elts or (
        len(node.elts) == 1 and not isinstance(node.elts[0], ast.Starred)
    )


def is_start(spec: Specialiser, node: ast.List) -> bool:
    """True for the ``[]`` of a heap that nothing but heapq changes, or ``[item]``."""
    if not is_heap(node) or not spec.facts.keyed_heaps or spec.derived:
        return False
    functions = _starts(spec.frame.source.node).get(_place(node))
    if not functions:
        return False
    if not all(_is_of_heapq(spec, function) for function in functions):
        return False
    spec.has_keyed_heaps = True
    return True


def _is_of_heapq(spec: Specialiser, function: ast.expr) -> bool:
    if spec.frame.owner(_root(function)) is not None:
        return False  # a name of a function around
    try:
        found = spec.evaluate(function)
    except core.Unsupported:
        return False
    return isinstance(found, core.Leaf) and (
        isinstance(found.kind, ir.Known) and found.kind.value in _OF_HEAPQ
    )


Place = tuple[int, int]


def _place(node: ast.expr) -> Place:
    return node.lineno, node.col_offset


@remembered
def _starts(function: ast.AST) -> Mapping[Place, tuple[ast.expr, ...]]:
    """By the places in a function's text where its heaps are begun: what is called with
    them.

    >>> text = "def f(x):\\n h, n = [], 0\\n h.sort()\\n heappush(h, x)\\n"
    >>> _starts(ast.parse(text).body[0])
    {}
    >>> text = text.replace(" h.sort()", " while h: heappop(h)")
    >>> [c.id for c in _starts(ast.parse(text).body[0])[2, 8]]
    ['heappop', 'heappush']
    """
    uses = _Uses()
    uses.visit_body(function)
    args = getattr(function, "args", None)
    given = {a.arg for a in ast.walk(args) if isinstance(a, ast.arg)} if args else set()
    body = getattr(function, "body", [])
    own = assigned_names(body if isinstance(body, list) else [])
    found: dict[Place, tuple[ast.expr, ...]] = {}
    for name, places in uses.starts.items():
        called = uses.called.get(name, [])
        others = uses.seen.get(name, 0) != uses.known.get(name, 0)
        if others or not called or name in given or name not in own:
            continue
        if not any(_root(f) in own | given for f in called):
            found |= {place: tuple(called) for place in places}
    return dict(sorted(found.items()))


def _root(function: ast.expr) -> str:
    """The name that ``heapq.heappush`` starts with."""
    while isinstance(function, ast.Attribute):
        function = function.value
    return function.id if isinstance(function, ast.Name) else ""


class _Uses(ast.NodeVisitor):
    """How often each name stands in a function, and how often as a heap may."""

    def __init__(self) -> None:
        self.seen: dict[str, int] = {}
        self.known: dict[str, int] = {}
        self.starts: dict[str, list[Place]] = {}
        self.called: dict[str, list[ast.expr]] = {}

    def visit_body(self, function: ast.AST) -> None:
        for node in ast.iter_child_nodes(function):
            self.visit(node)

    def visit(self, node: ast.AST) -> None:
        if isinstance(node, (*FUNCTIONS, ast.ClassDef, ast.Global, ast.Nonlocal)):
            names = [n.id for n in ast.walk(node) if isinstance(n, ast.Name)]
            for name in (*names, *getattr(node, "names", ())):
                self.seen[name] = self.seen.get(name, 0) + 1
            return
        match node:
            case ast.Name(id=name):
                self.seen[name] = self.seen.get(name, 0) + 1
            case ast.Call(func=function, args=[ast.Name(id=name), *_], keywords=[]):
                if isinstance(function, ast.Name) and function.id == "len":
                    self._use(node.args[0])
                elif _root(function):
                    self.known[name] = self.known.get(name, 0) + 1
                    self.called.setdefault(name, []).append(function)
            case ast.While(test=test) | ast.If(test=test) | ast.IfExp(test=test):
                self._use(test)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                self._use(operand)
            case ast.Subscript(value=value, slice=ast.Constant(value=0)):
                if isinstance(node.ctx, ast.Load):
                    self._use(value)
            case ast.Assign(targets=[target], value=value):
                self._start(target, value)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self._start(target, value)
        self.generic_visit(node)

    def _use(self, expression: ast.expr) -> None:
        """An expression of which the truth alone counts, or a heap."""
        if isinstance(expression, ast.BoolOp):
            for value in expression.values:
                self._use(value)
        elif isinstance(expression, ast.Name):
            self.known[expression.id] = self.known.get(expression.id, 0) + 1

    def _start(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            if len(target.elts) == len(value.elts):
                for one, its in zip(target.elts, value.elts, strict=True):
                    self._start(one, its)
        elif isinstance(target, ast.Name) and isinstance(value, ast.List):
            if is_heap(value):
                self.known[target.id] = self.known.get(target.id, 0) + 1
                self.starts.setdefault(target.id, []).append(_place(value))
