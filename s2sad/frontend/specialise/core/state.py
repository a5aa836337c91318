"""Owners of the specialiser's state: what the compiler asks for, what is seen of the
user's modules, and the functions that are compiled once and called. What runs find out
is in ``facts.py``."""

from collections import defaultdict
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

from s2sad import ir
from s2sad.frontend.specialise.core.activations import Frame
from s2sad.frontend.specialise.core.values import Cell, Value
from s2sad.source.kinds.external_data import DataForm
from s2sad.source.text.resolve import Resolver

Calls = Literal["written out", "budget", "kept"]


@dataclass(eq=False)
class DataLists:
    """How lists, tuples and dicts of the module are held."""

    form: DataForm = "open"
    met: bool = False
    """The program reads one that is kept, and needn't be."""


@dataclass(frozen=True)
class Options:
    """What is asked of a specialisation, and of the programs that are made of it."""

    static: bool = False
    """Nothing of the user's program is live: it is transpiled."""
    unrolling: bool = True
    """Loops over a few items that are known one by one may be written out."""
    keyed_heaps: bool = True
    """heapq itself may order the items of heaps, by keys."""
    shared_calls: bool = True
    """A call with the same arguments as one before is the same call."""
    preaccumulated_calls: bool = True
    """Functions of numbers that return one number compute their partial derivatives
    with it."""
    recompute: bool = True
    """Reverse programs may recompute what is cheap."""
    cancelling: bool = True
    """Variables whose influence cancels go without derivatives."""
    chosen_iterations: bool = True
    """A loop that looks for one of many values is differentiated in the turn alone that
    chose it."""
    results_at_hand: bool = True
    """Reverse lines read what the function has computed."""
    known_tests: bool = True
    """What a branch tells isn't tested again in it."""
    stored_slots: bool = True
    """What was just stored into a slot, or read from it, isn't read again."""
    change_within: bool = True
    """Lists in lists are changed where they stand."""
    private_residuals: bool = False
    """Residuals of procedures must share no memory with anything else."""
    calls: Calls = "written out"
    """What becomes of the calls of the user's functions; ``budget``: they are kept
    where the program would be too long without."""
    written_out: frozenset[Hashable] = frozenset()
    """Definitions of functions whose calls are written out in any case."""
    keeps_raises: bool = False
    """Lines that nobody needs run where they may raise."""
    data_lists: DataLists = field(default_factory=DataLists, compare=False)


DEFAULT = Options()


@dataclass(frozen=True)
class Read:
    """Something of the user's module or closure that compilation read; dispatch checks
    it."""

    resolver: Any
    name: str
    attributes: tuple[str, ...]
    value: Any
    by_order: bool = False
    """How the arrays in it lie in memory was asked for, too."""


@dataclass(frozen=True)
class LiveObject:
    """Stands for the resolver where an attribute of a class or object was read that no
    name of a module leads to."""

    value: Any


@dataclass(eq=False)
class ModuleView:
    """What is seen of the user's modules, and how the output names it."""

    resolver: Resolver
    """Of the function that is differentiated."""
    reads: list[Read] = field(default_factory=list)
    spellings: dict[Any, str] = field(default_factory=dict)
    """How the user's module spells a function or module."""
    places: dict[int, tuple[str, str]] = field(default_factory=dict)
    """Path and module that lead to an object, by its identity."""
    kinds: dict[ir.Global, ir.Kind] = field(default_factory=dict)
    """Of what the output reads."""
    objects: dict[str, Any] = field(default_factory=dict)
    """Live objects that the output reads, under the names it gives them."""
    closures: dict[str, Any] = field(default_factory=dict)
    """Captured variables of inlined functions, under such names."""
    heap: dict[tuple[str, str], Value] = field(default_factory=dict)
    """Lists, dicts and objects with those in them as cells, by module and path."""
    containers: dict[ir.Global, type] = field(default_factory=dict)
    """The classes of lists and dicts that are read."""

    @property
    def name(self) -> str:
        """The module's own."""
        return self.resolver.module


@dataclass(frozen=True)
class Lacked:
    """An object that was asked for an attribute which it lacks."""

    cell: Cell
    others: frozenset[str]
    """Those that it had."""


@dataclass(eq=False)
class Procedures:
    """The functions that are compiled once and called."""

    known: dict[Any, Any] = field(default_factory=dict)
    """Those that call themselves, by the form of their arguments."""
    whole: Frame | None = None
    """The activation of the function that is compiled."""
    under_way: Any = None
    enclosing: dict[Any, Any] = field(default_factory=dict)
    """The one that was under way when another was met."""
    unfinished: set[Any] = field(default_factory=set)
    """Those that were called before it was known what they return."""
    abandoned: Any = None
    """The one that was given up last."""
    changed_outside: dict[
        Hashable, tuple[tuple[Frame | tuple[Hashable, ...], str], ...]
    ] = field(default_factory=dict)
    """Variables of other activations that they bind, by definition of the function:
    of an activation, or of the one that a way leads to."""
    placeholders: dict[tuple[Frame, str], Any] = field(default_factory=dict)
    """Values that stand for attributes which a call will make."""
    recursive: set[Hashable] = field(default_factory=set)
    """Definitions of functions that call themselves."""
    lengths: dict[Hashable, Mapping[Hashable, ir.Axis]] = field(default_factory=dict)
    """What is known of lengths in all calls of one that calls itself, by definition and
    activation around."""
    deciding: defaultdict[Hashable, frozenset[Any]] = field(
        default_factory=partial(defaultdict, frozenset)
    )
    """The floats that decide a branch of a function, by the same."""
    written_out: set[Hashable] = field(default_factory=set)
    """Definitions of functions that can't be procedures."""
    kept: set[Hashable] = field(default_factory=set)
    """Definitions of functions whose calls are kept, though they might be written
    out."""
    sites: dict[Hashable, set[Hashable]] = field(default_factory=dict)
    """Where functions are called, by definition."""
    measured: set[Hashable] = field(default_factory=set)
    """Definitions of functions that were written out."""
    once: dict[ir.Span | None, int] = field(default_factory=dict)
    """How many operations a statement of theirs is, by where it stands."""
    handlers_met: bool = False
    """Something in the program handles exceptions, those of what it calls, too."""
    customs: list[tuple[Any, Any]] = field(default_factory=list)
    """Those of functions with derivatives of their own whose rules are being compiled,
    by function and kinds."""

    def note_lacked(self, cell: Cell, name: str) -> None:
        """An object lacks an attribute: what is compiled now, and what calls that, is
        for objects that lack it."""
        procedure, lacked = self.under_way, Lacked(cell, frozenset(cell.frame.names))
        while procedure and cell.frame.serial < procedure.details.first_serial:
            procedure.details.lacked[cell.frame, name] = lacked
            procedure = self.enclosing[procedure]
