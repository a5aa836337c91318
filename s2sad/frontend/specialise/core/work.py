"""How much work compiling may be.

Calls are written out, loops over what is known unrolled, and structures followed item
by item, so that a short text may stand for a program without end. Every expression,
statement and item that the specialiser goes through is a unit of work, counted over all
restarts and for the rules that are compiled afterwards, too. When the budget is spent,
the function is refused, at the call or line that most of it went into. Work and not
time is counted, so a program is refused on every machine or on none. What goes into the
texts of installed libraries, which check and convert whatever anybody might pass, has a
smaller budget within: most of what they do can't be differentiated, and that is known
sooner so.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from s2sad import ir
from s2sad.errors import Problem, one_line
from s2sad.frontend.specialise.core.exceptions import TooMuchWork, Unsupported
from s2sad.frontend.specialise.core.values import Value, describe, size_of
from s2sad.source.text.libraries import is_file_of_library
from s2sad.source.text.source_function import SourceFunction


@dataclass(frozen=True)
class Budget:
    """What one derivative may take to compile. The suite's programs need at most a
    twentieth of each."""

    units: int = 100_000
    of_libraries: int = 20_000
    """Those of them that go into the texts of libraries: more than twice what their
    functions take that have a derivative, and a second or two."""
    statements: int = 10_000
    """Statements of the program that is differentiated."""
    items: int = 10_000
    """Numbers and arrays in one structure."""


_DEFAULT = Budget()
_BUDGET: ContextVar[Budget] = ContextVar("budget", default=_DEFAULT)


@contextmanager
def limited_to(budget: Budget) -> Iterator[None]:
    """Compile with another budget."""
    token = _BUDGET.set(budget)
    try:
        yield
    finally:
        _BUDGET.reset(token)


@dataclass(eq=False)
class _Tally:
    """The units that went into the texts of libraries."""

    units: int = 0


_TOGETHER: ContextVar[_Tally | None] = ContextVar("together", default=None)


@contextmanager
def counted_together() -> Iterator[None]:
    """Compile the same program several ways, which share the budget for texts of
    libraries."""
    token = _TOGETHER.set(_TOGETHER.get() or _Tally())
    try:
        yield
    finally:
        _TOGETHER.reset(token)


class Call(NamedTuple):
    """A call under way that is written out."""

    name: str
    """Of the function that calls."""
    source: SourceFunction
    """Its text, which ``node`` is part of."""
    node: ast.AST

    def __str__(self) -> str:
        line = getattr(self.node, "lineno", 0)
        return f"{self.name} ({one_line(self.source.filename)}:{line})"


@dataclass(eq=False)
class _Place:
    """A call or statement of the text, with the work that it took each time."""

    source: SourceFunction
    node: ast.AST
    callee: SourceFunction | None
    units: int = 0
    times: int = 0
    under_way: int = 0


@dataclass(eq=False)
class Work:
    """The work done to compile one function."""

    main: SourceFunction
    budget: Budget = field(default_factory=_BUDGET.get)
    done: int = 0
    is_spent: bool = False
    """It has been refused: nothing else is tried."""
    _places: dict[Hashable, _Place] = field(default_factory=dict)
    """By where they stand."""
    _starts: list[tuple[_Place, int, bool]] = field(default_factory=list)
    """Those under way, with the work that was done before, and whether what is around
    them is the text of a library."""
    _tally: _Tally = field(default_factory=lambda: _TOGETHER.get() or _Tally())
    _in_library: bool = False
    """What is under way is the text of a library."""

    def __post_init__(self) -> None:
        self.length = sum(1 for _ in ast.walk(self.main.node))
        """The nodes of the function's own text, which may be long."""
        text = UNITS_OF_NODE * self.length
        self.limit = self.budget.units + text
        self.limit_of_libraries = self.budget.of_libraries + text
        self.longest: Problem | None = None
        """The refusal, at the line that most of a program's statements are of."""

    def apart(self) -> Work:
        """Counts what nothing comes of, which takes as long as the function's own text
        at most."""
        return Work(self.main, replace(self.budget, units=0), _tally=_Tally())

    @property
    def is_spent_on_libraries(self) -> bool:
        """Nothing is left for the texts of libraries."""
        return self._tally.units > self.limit_of_libraries

    def spend(self, units: int = 1) -> None:
        """Count so many units. Raises TooMuchWork when the budget is spent."""
        self.done += units
        if self._in_library:
            self._tally.units += units
            if self.is_spent_on_libraries:
                raise self._refusal(self._problem())
        if self.done > self.limit:
            raise self._refusal(self.longest or self._problem())

    def take(self, value: Value) -> None:
        """Count the items of a value. Raises Unsupported where there are more than
        are followed."""
        size = size_of(value)
        if size > self.budget.items:
            raise Unsupported(
                f"{describe(value)} holds {size} values, and each of them is followed",
                "use an array, or a list that a loop over range(...) fills",
            )
        self.spend(size)

    @contextmanager
    def within(
        self, source: SourceFunction, node: ast.AST, callee: SourceFunction | None
    ) -> Iterator[None]:
        """While the body of a function is run for a call, or what is a part of it."""
        self.begin(source, node, callee)
        try:
            yield
        finally:
            self.end()

    def begin(
        self, source: SourceFunction, node: ast.AST, callee: SourceFunction | None
    ) -> None:
        """A statement starts, or the body of a function for a call; it must end."""
        key = (source.identity, callee and callee.identity, *_position(node))
        place = self._places.get(key)
        if place is None:
            place = self._places[key] = _Place(source, node, callee)
        if callee is not None:
            self.spend(UNITS_OF_CALL)
        place.times += 1
        place.under_way += 1
        self._starts.append((place, self.done, self._in_library))
        if not source.is_made:
            self._in_library = is_file_of_library(source.filename)

    def end(self) -> None:
        """What started last ends."""
        place, start, self._in_library = self._starts.pop()
        place.under_way -= 1
        if not place.under_way:
            place.units += self.done - start

    def check_length(self, spec: Any, body: ir.Block) -> None:
        """Refuse a program with more statements, those of procedures included, than
        are differentiated."""
        blocks = [body]
        blocks += [
            p.function.body for p in ir.all_procedures([body]) if ir.is_complete(p)
        ]
        statements = [s for block in blocks for s in ir.walk(block)]
        spans = Counter(s.span for s in statements if s.span is not None)
        if not spans:
            return
        ((span, times),) = spans.most_common(1)
        problem = Unsupported(
            f"{self.main.name} is a program of {len(statements)} operations when its "
            f"calls and loops are written out, {times} of them for this line",
            _LOOP,
        )
        self.longest = spec.problem_at(problem, span)
        if len(statements) > self.budget.statements + self.length:
            raise self._refusal(self.longest)

    def _refusal(self, problem: Problem) -> TooMuchWork:
        self.is_spent = True
        return TooMuchWork([problem])

    def _problem(self) -> Problem:
        """The refusal, at the call or line that most of the work went into."""
        for place, start, _ in self._starts:
            if place.under_way:
                place.units, place.under_way = place.units + self.done - start, 0
        source, seen = self.main, {self.main.identity}
        trail: list[str] = []
        while True:
            call, callee = self._largest_call(source)
            if call is None or callee is None or call.units < self.done / SHARE:
                break
            if is_file_of_library(callee.filename) or callee.identity in seen:
                return self._problem_of_call(call, callee, tuple(trail))
            trail.insert(0, str(Call(source.name, source, call.node)))
            source = callee
            seen.add(callee.identity)
        lines = [p for p in self._places_in(source) if p.callee is None]
        big = [p for p in lines if p.units >= self.done / SHARE]
        if call is not None and callee is not None and not big:
            return self._problem_of_call(call, callee, tuple(trail))
        line = (
            max(big, key=lambda p: _position(p.node))
            if big
            else max(lines, key=_units, default=None)
        )
        if line is None:
            return source.problem(source.node, _TOO_LONG, _LOOP)
        again = f": this line is {line.times} times" if line.times > 1 else ""
        return source.problem(line.node, f"{_TOO_LONG}{again}", _LOOP, tuple(trail))

    def _places_in(self, source: SourceFunction) -> list[_Place]:
        identity = source.identity
        return [p for p in self._places.values() if p.source.identity == identity]

    def _largest_call(
        self, source: SourceFunction, depth: int = 0
    ) -> tuple[_Place | None, SourceFunction | None]:
        """The call in a text that most of the work went into, and the function that is
        called; behind what s2sad writes out for it, that which it calls."""
        best, found = None, None
        for call in self._places_in(source):
            callee = call.callee
            if callee is not None and _is_own(callee):
                deep = depth > DEEPEST_OWN
                callee = None if deep else self._largest_call(callee, depth + 1)[1]
            if callee is not None and (best is None or call.units > best.units):
                best, found = call, callee
        return best, found

    def _problem_of_call(
        self, call: _Place, callee: SourceFunction, trail: tuple[str, ...]
    ) -> Problem:
        name = getattr(callee.function, "__name__", callee.name)
        again = f", {call.times} times," if call.times > 1 else ""
        advice = OUTSIDE
        if not is_file_of_library(callee.filename):
            advice = _LOOP
        reason = (
            f"this call of {name}{again} takes too long to compile with all that it "
            "calls"
        )
        return call.source.problem(call.node, reason, advice, trail)


def _is_own(source: SourceFunction) -> bool:
    """True for what s2sad itself writes out for an operation."""
    return source.module.partition(".")[0] == "s2sad"


def _units(place: _Place) -> int:
    return place.units


def _position(node: ast.AST) -> tuple[int, int, int]:
    names = ("lineno", "col_offset", "end_col_offset")
    return tuple(getattr(node, name, 0) or 0 for name in names)  # type: ignore


UNITS_OF_NODE = 40
UNITS_OF_CALL = 20
SHARE = 3
"""A call is to blame that took this part of the work."""
_TOO_LONG = "the program is too long when its calls and loops are written out"
_LOOP = (
    "use a loop over range(...) or over an array, which stays a loop, and call a "
    "function inside of it"
)
OUTSIDE = (
    "compute it outside and pass it in, call it with stop_gradient or in a block of "
    "no_grad, or give it a derivative with s2sad.custom_vjp"
)


DEEPEST_OWN = 5
"""Texts of s2sad's own that stand for one another are followed so deep."""
DEEPEST_CALL = 50
"""Calls nested deeper than this are reported as recursion."""
