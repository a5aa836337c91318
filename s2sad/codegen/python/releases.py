"""Arrays that a joint gradient has finished with are let go (the optimisation
``release``).

In straight-line code every array would live until the function returns: the values that
the forward sweep kept, and an adjoint for each. Lines with ``del`` keep the peak of
memory near (``SLACK``) what it would be if each array was let go after its last use.
They stand only where that would be exceeded otherwise, so that small programs have
none. Sizes aren't known when a program is compiled: arrays of rank 2 and more count one
each, where there are none those of rank 1.

>>> import ast
>>> from s2sad.codegen.layout import render
>>> lines = ["a = exp(x)", "b = a + x", "c = exp(b)", "d = c + x", "return d * x"]
>>> definition = ast.parse("def f(x): " + "; ".join(lines)).body[0]
>>> print(render([with_releases(definition, frozenset("abcd"), slack=0)]), end="")
def f(x):
    a = exp(x)
    b = a + x
    del a
    c = exp(b)
    del b
    d = c + x
    return d * x
"""

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate

from s2sad import ir
from s2sad.codegen.layout import Comment

VIEWS = frozenset(
    {"broadcast_to", "expand_dims", "moveaxis", "ravel", "reshape", "squeeze"}
    | {"swapaxes", "transpose", "view"}
)
"""Methods and functions that may give a view of the array they are given."""


SLACK = 4
"""The arrays by which the peak may be above the least one: fewer lines are read."""


def arrays_that_count(
    names: Mapping[str, str], kinds: Mapping[str, ir.Kind]
) -> frozenset[str]:
    """The final names that hold the largest arrays, as far as ranks tell; results that
    nobody reads may be any."""
    ranks: dict[str, int] = {}
    for variable, name in names.items():
        kind = kinds.get(variable)
        if isinstance(kind, ir.Array):
            long = kind.axes is None or all(a.length != "one" for a in kind.axes)
            rank = 2 if kind.axes is None else min(len(kind.axes), 2)
            ranks[name] = max(ranks.get(name, 0), rank if long else 0)
    largest = max(ranks.values(), default=0)
    found = frozenset(n for n, rank in ranks.items() if rank == largest > 0)
    return found and found | {"_"}


@dataclass(eq=False)
class _Held:
    """An array with all names it has, as positions of statements."""

    names: set[str]
    made: int
    last_use: int


def with_releases(
    definition: ast.FunctionDef, counted: frozenset[str], slack: int = SLACK
) -> ast.FunctionDef:
    """The function with ``del`` where its peak of memory would be exceeded otherwise;
    ``counted`` are the names that hold large arrays."""
    if not counted:
        return definition
    body = definition.body
    arrays = _arrays(body, counted)
    made: dict[int, list[_Held]] = {}
    more = [0] * (len(body) + 1)
    for a in arrays:
        made.setdefault(a.made, []).append(a)
        more[a.made] += 1
        more[max(a.made, a.last_use + 1)] -= 1
    peak = slack + max(accumulate(more), default=0)
    lines: list[ast.stmt] = []
    held = _Arrays()
    for position, statement in enumerate(body):
        new = made.get(position, [])
        bound = set(_names_bound(statement))
        if new and held.count + len(new) > peak:
            ended = [a for a in held.of(held.by_name) if a.last_use < position]
            finished = [a for a in ended if not a.names & bound]
            names = sorted(set().union(*(a.names for a in finished)))
            if names:
                _insert(lines, ast.Delete([ast.Name(n, ast.Del()) for n in names]))
            held.remove(finished)
        held.remove(
            a for a in held.of(bound) if a.names <= bound and a.last_use <= position
        )
        held.add(new)
        lines.append(statement)
    definition.body = lines
    return definition


class _Arrays:
    """The arrays that are alive."""

    def __init__(self) -> None:
        self.by_name: dict[str, list[_Held]] = {}
        """By one of their names each."""
        self.count = 0

    def of(self, names: Iterable[str]) -> list[_Held]:
        """Those that are kept by some names."""
        return [a for name in names for a in self.by_name.get(name, ())]

    def add(self, arrays: list[_Held]) -> None:
        """Arrays that are made."""
        for a in arrays:
            self.by_name.setdefault(min(a.names), []).append(a)
            self.count += 1

    def remove(self, arrays: Iterable[_Held]) -> None:
        """Arrays that are gone."""
        for a in arrays:
            self.by_name[min(a.names)].remove(a)
            self.count -= 1


def _insert(lines: list[ast.stmt], release: ast.stmt) -> None:
    """Behind the lines so far, but not under the comment of the next."""
    position = len(lines)
    while position and isinstance(lines[position - 1], Comment):
        position -= 1
    lines.insert(position, release)


def _arrays(body: list[ast.stmt], counted: frozenset[str]) -> list[_Held]:
    """The arrays that statements of the outermost block make and bind to names that
    may be deleted."""
    fixed = set(_names_to_keep(body))
    found: list[_Held] = []
    current: dict[str, _Held] = {}
    for position, statement in enumerate(body):
        for name in _names_used(statement):
            if name in current:
                current[name].last_use = position
        for name in dict.fromkeys(_names_bound(statement)):
            source = _viewed(statement)
            before = current.pop(name, None)
            if before is not None and before.names != {name}:
                before.names.discard(name)
            if name in fixed:
                continue
            if source in current:
                current[name] = current[source]
                current[name].names.add(name)
            elif name in counted and source is None:
                current[name] = _Held({name}, position, position)
                found.append(current[name])
    return found


def _names_bound(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement of the outermost block binds in any case."""
    if isinstance(statement, ast.Assign):
        for target in statement.targets:
            items = target.elts if isinstance(target, ast.Tuple) else [target]
            yield from (item.id for item in items if isinstance(item, ast.Name))


def _names_used(statement: ast.stmt) -> Iterator[str]:
    bound = set(_names_bound(statement))
    for node in ast.walk(statement):
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Load) or node.id not in bound:
                yield node.id


def _names_to_keep(body: list[ast.stmt]) -> Iterator[str]:
    """Names that something reads later than where it stands, or that are deleted, or
    bound by blocks, which may not run."""
    for statement in body:
        plain = set(_names_bound(statement))
        for node in ast.walk(statement):
            if isinstance(node, ast.Lambda | ast.FunctionDef | ast.GeneratorExp):
                yield from (n.id for n in ast.walk(node) if isinstance(n, ast.Name))
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Del):
                yield node.id
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                if node.id not in plain and not isinstance(statement, ast.AugAssign):
                    yield node.id


def _viewed(statement: ast.stmt) -> str | None:
    """The name of what the result may be, or may be a part or a view of."""
    value: ast.expr | None = None
    if isinstance(statement, ast.Assign):
        value = statement.value
    while True:
        match value:
            case ast.Name():
                return value.id
            case ast.Subscript() | ast.Attribute():
                value = value.value
            case ast.Call(func=ast.Attribute(attr=attr) as function) if attr in VIEWS:
                owner = function.value
                if isinstance(owner, ast.Name) and owner.id in ("np", "numpy"):
                    owner = value.args[0]
                value = owner
            case _:
                return None
