"""What rewrites ask of programs: lines of a form, who reads and assigns a variable, and
names for new ones."""

import itertools
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeGuard

from s2sad.ir.kinds import Array, Kind, Scalar
from s2sad.ir.nodes import Apply, Assign, Block, Const, Function, Span, Statement, Var
from s2sad.ir.walking import direct_reads, direct_writes, walk


class Result(Assign):
    """The line ``variables = operation(...)``, for type checkers: none is made."""

    value: Apply


class Line(Result):
    """The line ``variable = operation(...)``, likewise."""

    target: Var


def is_line(s: object, *functions: Callable[..., Any]) -> TypeGuard[Line]:
    """True for ``variable = operation(...)``, of one of ``functions`` if any are given.

    >>> line = Assign(None, Var("n"), Apply(len, (Var("x"),)))
    >>> is_line(line), is_line(line, len, max), is_line(line, max)
    (True, True, False)
    """
    return (
        type(s) is Assign
        and type(s.value) is Apply
        and type(s.target) is Var
        and (not functions or s.value.function in functions)
    )


def applies(s: object, *functions: Callable[..., Any]) -> TypeGuard[Result]:
    """True for lines like that, and for ``a, b = operation(...)``."""
    return (
        type(s) is Assign
        and type(s.value) is Apply
        and (not functions or s.value.function in functions)
    )


def kind_of(operand: object, kinds: Mapping[str, Kind]) -> Kind | None:
    """The kind of a variable; None for other operands."""
    return kinds.get(operand.name) if isinstance(operand, Var) else None


def array_kind(operand: object, kinds: Mapping[str, Kind]) -> Array | None:
    """The kind of a variable that is surely an array."""
    kind = kind_of(operand, kinds)
    return kind if isinstance(kind, Array) and not kind.promoted else None


def is_whole_number(operand: object, kinds: Mapping[str, Kind]) -> bool:
    """True for an int of Python's."""
    if isinstance(operand, Const):
        return type(operand.value) is int
    kind = kind_of(operand, kinds)
    return isinstance(kind, Scalar) and kind.type == "int"


def known_whole_number(operand: object) -> int | None:
    """The int of Python's that an operand is, where it is a constant."""
    value = operand.value if isinstance(operand, Const) else None
    return value if type(value) is int else None


class Uses:
    """What the lines of a program apply, and who reads and assigns each variable."""

    def __init__(self, body: Block) -> None:
        self.body = body

    @cached_property
    def reads(self) -> Counter[str]:
        """How often each variable is read."""
        return Counter([v.name for s in walk(self.body) for v in direct_reads(s)])

    @cached_property
    def writes(self) -> Counter[str]:
        """How often each variable is assigned."""
        return Counter([v.name for s in walk(self.body) for v in direct_writes(s)])

    @cached_property
    def functions(self) -> frozenset[Any]:
        """The functions that lines apply."""
        return frozenset([s.value.function for s in walk(self.body) if is_line(s)])

    @cached_property
    def readers(self) -> Mapping[str, list[Statement]]:
        """The statements that read each variable, as often as they do."""
        return _by_name((v, s) for s in walk(self.body) for v in direct_reads(s))

    @cached_property
    def definitions(self) -> Mapping[str, list[Statement]]:
        """The statements that assign each variable."""
        return _by_name((v, s) for s in walk(self.body) for v in direct_writes(s))


def _by_name(pairs: Iterable[tuple[Var, Statement]]) -> dict[str, list[Statement]]:
    found: dict[str, list[Statement]] = {}
    for variable, s in pairs:
        found.setdefault(variable.name, []).append(s)
    return found


_asked: deque[Uses] = deque(maxlen=4)


def uses_in(body: Block) -> Uses:
    """Who reads and assigns what; passes ask again where none has changed the
    program, which is told by identity: comparing programs takes as long as reading
    them."""
    for uses in tuple(_asked):
        if uses.body is body:
            return uses
    uses = Uses(body)
    _asked.append(uses)
    return uses


class Rewriting:
    """A program that is being rewritten: the kinds of its variables, and new ones."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.kinds: dict[str, Kind] = dict(function.kinds)
        self.temporaries = set(function.temporaries)
        self._counts: dict[str, Iterator[int]] = {}

    @cached_property
    def uses(self) -> Uses:
        """Who reads and assigns what in the program as it was."""
        return uses_in(self.function.body)

    def fresh(self, stem: str, kind: Kind | None = None) -> Var:
        """A new temporary, with a number."""
        counts = self._counts.setdefault(stem, itertools.count(1))
        return self._new((f"{stem}.{count}" for count in counts), kind)

    def named(self, wish: str, kind: Kind | None = None) -> Var:
        """A new temporary of a name, with a number where there is one already."""
        numbered = (f"{wish}.{count}" for count in itertools.count(2))
        return self._new(itertools.chain([wish], numbered), kind)

    def _new(self, names: Iterable[str], kind: Kind | None) -> Var:
        taken = self.kinds, self.temporaries
        name = next(n for n in names if not any(n in known for known in taken))
        self.temporaries.add(name)
        if kind is not None:
            self.kinds[name] = kind
        return Var(name)

    def line(
        self,
        lines: list[Statement],
        value: Apply,
        kind: Kind | None,
        span: Span | None,
        stem: str = "product",
    ) -> Var:
        """The variable of a new derived line, which is added to others."""
        variable = self.fresh(stem, kind)
        lines.append(Assign(span, variable, value, kind, True))
        return variable

    def finished(self, body: Block) -> Function:
        """The program with another body; itself where that is the one it has."""
        if body is self.function.body:
            return self.function
        temporaries = frozenset(self.temporaries)
        return replace(
            self.function, body=body, kinds=self.kinds, temporaries=temporaries
        )
