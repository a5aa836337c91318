"""What has been compiled already, kept in memory.

Takes the code object of a user's function; gives its :class:`FunctionTable`: the
specialisations compiled so far, shared by all functions that run this code. A lambda
made anew in each turn of a loop is therefore compiled once. What depends on the
function object (its captured variables) is bound when a specialisation is taken from
the table, and the table keeps none of it alive.

>>> table = MemoryCache().table_of((lambda x: x).__code__)
>>> table.specialisations("grad")
()
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from types import CellType, CodeType, FunctionType
from typing import Any, Protocol

Check = Callable[[FunctionType], Callable[..., bool]]
MOST = 64
"""So many specialisations of one function and request are kept; the oldest go first."""


class AnyProgram(Protocol):
    """What becomes a function beside the user's."""

    def bind(self, function: FunctionType) -> Callable[..., Any]:
        """The function that runs."""


@dataclass(frozen=True, eq=False)
class Program:
    """Code that runs as part of a user's module: its globals and captured variables are
    those of the function it is bound to."""

    code: CodeType
    cells: tuple[CellType | None, ...]
    """What the free variables of the code hold; None for the user's captured
    variables."""
    filename: str = ""
    captured: frozenset[str] = frozenset()
    """The names of the user's captured variables."""

    @classmethod
    def of(cls, function: FunctionType, captured: frozenset[str]) -> Program:
        """The program of a loaded function; ``captured`` are the user's variables."""
        free = function.__code__.co_freevars
        cells = tuple(
            None if name in captured else cell
            for name, cell in zip(free, function.__closure__ or (), strict=True)
        )
        filename = getattr(function, "__s2sad_filename__", "")
        return cls(function.__code__, cells, filename, captured)

    def bind(self, function: FunctionType) -> FunctionType:
        """The program as a function beside the user's ``function``."""
        own = _OwnCells(function, self)
        pairs = zip(self.code.co_freevars, self.cells, strict=True)
        closure = tuple(own.cell(name, cell) for name, cell in pairs)
        bound = FunctionType(
            self.code, function.__globals__, self.code.co_name, None, closure
        )
        bound.__module__ = function.__module__
        if self.filename:
            bound.__s2sad_filename__ = self.filename  # type: ignore[attr-defined]
        return bound


class _OwnCells:
    """The cells of a program that is bound to a function. The other functions of its
    text may read the user's captured variables too, so they are bound with it."""

    def __init__(self, function: FunctionType, program: Program) -> None:
        self.function, self.program = function, program
        self.users = cells_of(function)
        self.others: dict[int, CellType] = {}

    def cell(self, name: str, cell: CellType | None) -> CellType:
        """The cell in place of one of the text as it was loaded."""
        if cell is None or name in self.program.captured:
            return self.users[name]
        other = cell.cell_contents
        if (
            not self.program.captured
            or not isinstance(other, FunctionType)
            or other.__code__.co_filename != self.program.code.co_filename
        ):
            return cell
        if id(cell) not in self.others:  # it may call itself
            own = self.others[id(cell)] = CellType()
            pairs = zip(
                other.__code__.co_freevars, other.__closure__ or (), strict=True
            )
            closure = tuple(self.cell(n, c) for n, c in pairs)
            own.cell_contents = FunctionType(
                other.__code__,
                self.function.__globals__,
                other.__name__,
                other.__defaults__,
                closure,
            )
        return self.others[id(cell)]


@dataclass(frozen=True, eq=False)
class CompiledProgram:
    """A function that reads nothing of the user's module: it is what runs."""

    run: Callable[..., Any]

    def bind(self, function: FunctionType) -> Callable[..., Any]:
        """The function itself."""
        return self.run


def cells_of(function: FunctionType) -> dict[str, CellType]:
    """The captured variables of a function."""
    return dict(
        zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    )


@dataclass(frozen=True, eq=False)
class Specialisation:
    """A derivative, compiled for arguments of certain kinds."""

    text: str
    """The source of all its programs."""
    programs: tuple[AnyProgram, ...]
    """The gradient; or the forward and the reverse function of a pullback."""
    wrt: tuple[str, ...]
    namespace: dict[str, Any]
    """The globals of the functions it was compiled for."""
    registrations: int
    """The state of the table of rules it was compiled with."""
    check: Check
    """Makes the check of a function: true for arguments of these kinds, while what
    compilation read is unchanged."""
    may_fit: Check | None = None
    """The same but for the arguments that the program checks itself; None where there
    are no such."""
    repeatable: bool = True
    """Whether running the function once more shows: it neither prints nor draws."""
    kept: frozenset[str] = frozenset()
    """The parameters that hold lists, dicts or objects which are kept as they are."""
    shared: list[Any] = field(default_factory=list)
    """The specialisation bound to a function without captured variables: all those of
    one code object and one namespace have it in common."""


class FunctionTable:
    """The specialisations of the functions that share one code object.

    Reading needs no lock. Whoever adds holds ``lock``, also while compiling, so that
    threads that call a function for the first time compile it once.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self._found: dict[Hashable, tuple[Specialisation, ...]] = {}

    def specialisations(self, request: Hashable) -> tuple[Specialisation, ...]:
        """What was compiled for a request, the latest first."""
        return self._found.get(request, ())

    def add(self, request: Hashable, specialisation: Specialisation) -> None:
        """Keep a specialisation; those made with other rules are dropped."""
        with self.lock:
            current = tuple(
                s
                for s in self.specialisations(request)
                if s.registrations == specialisation.registrations
            )
            self._found[request] = (specialisation, *current)[:MOST]

    def clear(self) -> None:
        """Forget everything."""
        with self.lock:
            self._found.clear()


class MemoryCache:
    """The table of each code object, as long as the code object lives."""

    def __init__(self) -> None:
        # Keyed by identity: code objects of equal content may belong to two modules.
        self._tables: dict[int, tuple[weakref.ref[CodeType], FunctionTable]] = {}
        self._lock = threading.RLock()

    def table_of(self, code: CodeType) -> FunctionTable:
        """The table of a code object, made at the first call."""
        known = self._tables.get(id(code))
        if known is not None and known[0]() is code:
            return known[1]
        with self._lock:
            known = self._tables.get(id(code))
            if known is None or known[0]() is not code:
                known = (weakref.ref(code, self._forgetter(id(code))), FunctionTable())
                self._tables[id(code)] = known
            return known[1]

    def _forgetter(self, key: int) -> Callable[[weakref.ref[CodeType]], None]:
        # The cache may be collected before the code objects are.
        tables = self._tables

        def forget(gone: weakref.ref[CodeType]) -> None:
            # The place may have been taken by a later object of the same identity.
            if key in tables and tables[key][0] is gone:
                del tables[key]

        return forget

    def __len__(self) -> int:
        return len(self._tables)

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._tables.clear()


MEMORY = MemoryCache()
"""The cache of this process."""
