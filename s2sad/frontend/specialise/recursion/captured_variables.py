"""Variables of other activations that procedures read become parameters."""

import itertools
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

from s2sad import ir
from s2sad.analysis.dataflow.through_calls import OfProcedure
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.recursion import deciding_numbers, forms, other_cells
from s2sad.frontend.specialise.recursion.iterators_passed import Taken
from s2sad.source.text.source_function import SourceFunction


@dataclass
class Details:
    """How a procedure was specialised."""

    spec: Specialiser
    parameters: tuple[core.Leaf, ...]
    arguments: dict[str, core.Value]
    """The arguments of the user's function, in parameters."""
    first_serial: int
    """Activations made before have a lower one."""
    source: SourceFunction | None = None
    """The function; None for a derivative."""
    parent: core.Frame | None = None
    """The activation that the function was made in."""
    captured: list[tuple[core.Frame, str, core.Value]] = field(default_factory=list)
    """Variables of other activations that it reads: where from, and in parameters."""
    result: core.Value | None = None
    """What it returns; None while that isn't known."""
    handed_through: core.Value | None = None
    """What a call gives, with parameters where it surely gives what it is given for
    them; the result has the others in order. None where it is the result."""
    problems: list[Any] = field(default_factory=list)
    """What is refused in it, for each call of it."""
    written: tuple[str, ...] = ()
    """The parameters of arrays that it writes into. Behind its result it returns their
    new values."""
    names_inside: set[str] = field(default_factory=set)
    """The names that it binds itself: no variable of another activation has one."""
    handed_back: frozenset[int] = frozenset()
    """Which of the results these are."""
    changed: tuple[tuple[core.Frame, str], ...] = ()
    """Variables of other activations that it binds. Behind its result and the arrays it
    returns their new values."""
    makes: frozenset[tuple[core.Frame, str]] = frozenset()
    """The attributes among these that the objects lacked before."""
    lacked: dict[tuple[core.Frame, str], core.Lacked] = field(default_factory=dict)
    """The attributes that it asked objects of others for, and that they lack."""
    grown: dict[core.CellFrame, tuple[int, ...]] = field(default_factory=dict)
    """The lists, dicts and objects among these: what a call adds to their counts."""
    taken: Taken = ()
    """How many items a call takes of the iterators among the arguments."""
    awaited: tuple[core.Leaf, ...] = ()
    """The classes of exceptions that it doesn't raise, but returns."""
    caught_before: int = 0
    """So many of the handlers around are those of programs that call it."""
    attempted: bool = False
    """True where it was called, before it was complete, in a try whose handler goes
    on."""
    gathered: set[str] = field(default_factory=set)
    """The variables that hold lists in which generators gather what they yield."""
    consumer: Any = None
    """Of a generator: the consumer whose code it runs at each yield."""
    runs_early: bool = False
    """A generator that isn't complete runs in it as a whole before its consumer."""
    made: bool = False
    """True for a derivative: nothing in it writes into arrays any more."""
    exact: bool = False
    """True where numbers and lengths are those of one call."""
    whole: bool = False
    """True where whole numbers are, if they are known."""
    deciding: deciding_numbers.Places = frozenset()
    """The floats that decide a branch: they are those of one call, too, if known."""
    symbols: dict[Hashable, Hashable] = field(default_factory=dict)
    """Its own symbols of axes, by those of the call that it was made for, and those of
    ``lengths``."""
    lengths: forms.Lengths = field(default_factory=dict)
    """What is known of lengths in all calls so far; empty where all is as in the
    first."""
    in_calls: dict[str, OfProcedure] = field(default_factory=dict)
    """What holds of parameters and results, by the name of the property, as far as
    calls are known."""
    infinite_cotangent: bool | None = None
    """True where that of its result may be infinite in some call, None where no call is
    known."""
    kept: bool = False
    """True where its calls might be written out."""
    leaving: dict[Hashable, core.Frame] = field(default_factory=dict)
    """Stand for activations that leave it with what it returns (``leaving.py``)."""
    own_arguments: bool = False
    """True where it works on copies of the arguments that it changes."""
    own_cells: list[Any] = field(default_factory=list)
    """The lists, dicts and objects among these."""
    owned: dict[Any, Any] = field(default_factory=dict)
    """The cells of lists and dicts of its own, with the parameters they stand for."""

    def is_of_turn(self, owner: core.Frame, name: str) -> bool:
        """True for a variable that a consumer has for one item that it is given."""
        return self.consumer is not None and self.consumer.is_own(owner, name)


@core.verb
def read_variable(spec: Specialiser, owner: core.Frame, name: str) -> core.Value:
    """What a name of an activation holds, as the code under way reads it: inside of a
    procedure, variables of other activations are parameters."""
    procedure = spec.procedures.under_way
    if procedure is None or owner.serial >= procedure.details.first_serial:
        return held_by(spec, owner, name)
    details: Details = procedure.details
    if (owner, name) in details.changed or details.is_of_turn(owner, name):
        return held_by(spec, owner, name)
    for known, own_name, value in details.captured:
        if known is owner and own_name == name:
            return value
    outer = spec.procedures.under_way
    spec.procedures.under_way = spec.procedures.enclosing[procedure]
    try:
        value = read_variable(spec, owner, name)
    finally:
        spec.procedures.under_way = outer
    own = as_parameters(spec, details, name, value, owner)
    details.captured.append((owner, name, own))
    return own


def held_by(spec: Specialiser, owner: core.Frame, name: str) -> core.Value:
    """What an activation holds under a name; refuses to read one that was put where it
    can't be followed, unless it may be kept."""
    lost = owner.names.get(core.LOST)
    if isinstance(lost, core.Missing):
        spec.keep_objects(lost)
        raise core.Unsupported(lost.reason, lost.advice)
    return owner.names[name]


def is_for(
    spec: Specialiser, procedure: ir.Procedure, bound: dict[str, core.Value]
) -> bool:
    """True for a procedure that these arguments can be passed to, and the captured
    variables as they are now."""
    cells = other_cells.cells_of_call(procedure, bound)
    if cells is None:
        return False
    if not other_cells.lack_the_same(procedure.details, cells):
        return False
    found = lengths_passed(spec, procedure, bound, cells)
    return found is not None and forms.fit(*found)


def lengths_passed(
    spec: Specialiser,
    procedure: ir.Procedure,
    bound: dict[str, core.Value],
    cells: other_cells.Cells = other_cells.NO_OTHERS,
) -> tuple[forms.Lengths, forms.Lengths] | None:
    """What is known of the lengths of a procedure's parameters, captured variables
    included, and of what a call passes for them. None where that is of another form:
    captured variables are read for nothing else."""
    details: Details = procedure.details
    given: dict[Any, core.Value] = {}
    own: dict[Any, core.Value] = dict(details.arguments)
    own |= {(owner, name): value for owner, name, value in details.captured}
    for key, value in own.items():
        now = _passed(spec, details, bound, cells, key, value)
        here = other_cells.with_cells(value, cells)
        if forms.wider_kinds(here, now, details.whole) != {}:
            return None
        if not deciding_numbers.agree(details.deciding, key, value, now):
            return None
        given[key] = now
    return forms.lengths_in(own), forms.lengths_in(given)


def _passed(
    spec: Specialiser,
    details: Details,
    bound: dict[str, core.Value],
    cells: other_cells.Cells,
    key: Any,
    own: core.Value,
) -> core.Value:
    """What a call passes for a parameter, or for a captured variable; what fits where
    that is an attribute which the call makes."""
    if key in bound:
        return bound[key]
    if other_cells.is_made(details, cells, *key):
        return own
    return read_variable(spec, *other_cells.variable_of_call(cells, *key))


def kinds_missing(
    spec: Specialiser, procedure: ir.Procedure, bound: dict[str, core.Value]
) -> dict[str, ir.Kind]:
    """The parameters of a procedure that would have to be of other kinds for it to take
    these arguments, of floats of Python's and of NumPy's; none where that isn't all it
    lacks."""
    details: Details = procedure.details
    cells = other_cells.cells_of_call(procedure, bound)
    if cells is None or details.exact:
        return {}
    own: dict[Any, core.Value] = dict(details.arguments)
    own |= {(owner, name): value for owner, name, value in details.captured}
    found: dict[str, ir.Kind] = {}
    for key, value in own.items():
        now = _passed(spec, details, bound, cells, key, value)
        here = other_cells.with_cells(value, cells)
        kinds = forms.wider_kinds(here, now, details.whole)
        if kinds is None:
            return {}
        found |= kinds
    return found


def as_parameters(
    spec: Specialiser,
    details: Details,
    name: str,
    value: core.Value,
    owner: core.Frame | None = None,
) -> core.Value:
    """The value with a new parameter for each number and array in it."""
    taken = {str(leaf.operand) for leaf in details.parameters}
    if owner is not None:
        taken |= details.names_inside

    places = itertools.count()

    def parameter(leaf: core.Leaf, path: tuple) -> core.Leaf:
        place = next(places)

        def own_axis(k: int, axis: ir.Axis) -> ir.Axis:
            here = (name if owner is None else (owner, name)), place, k
            axis = forms.with_symbol(axis, here)
            known = details.lengths.get(here, axis)
            same = (known.symbol if here in details.lengths else None, axis.symbol)
            count = len(details.symbols)
            new = forms.own_symbol(known, ("axis of", details.first_serial, count))
            return ir.Axis(known.length, details.symbols.setdefault(same, new))

        known = details.exact or details.whole
        if forms.is_static(leaf) or (known and forms.is_whole(leaf)):
            return leaf
        decides = (name if owner is None else (owner, name), place) in details.deciding
        constant = deciding_numbers.known(leaf) if decides else None
        if constant is not None:
            return constant
        own_name = name.rpartition(":")[2].lstrip(".")  # that of a flag, too
        parts = map(str, (own_name, *path))
        wish = "_".join(part for part in parts if part.isidentifier())
        wish = wish if wish.isidentifier() else "value"
        text, count = wish, 1
        while text in taken:
            count += 1
            text = f"{wish}_{count}"
        taken.add(text)
        kind = ir.without_value(leaf.kind)
        if not details.exact:
            kind = forms.widened_kind(kind, own_axis)
            identity = details.source and details.source.identity
            met = spec.facts.parameters.get((identity, text), kind)
            kind = forms.of_both(kind, met) or kind
        own = core.Leaf(ir.Var(text), kind)
        details.parameters = (*details.parameters, own)
        return own

    return core.map_with_paths(value, parameter)
