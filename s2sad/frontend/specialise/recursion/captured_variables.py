"""Variables of other activations in functions that call themselves: what is read
becomes a parameter, and what is bound is handed back behind the result."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from s2sad import ir
from s2sad.analysis.dataflow.through_calls import OfProcedure
from s2sad.custom import CustomFunction
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.containers.list_meetings import as_unfollowed
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.heap.places import has_maxlen_or_factory
from s2sad.frontend.specialise.recursion import forms
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
    handed_back: frozenset[int] = frozenset()
    """Which of the results these are."""
    changed: tuple[tuple[core.Frame, str], ...] = ()
    """Variables of other activations that it binds. Behind its result and the arrays it
    returns their new values."""
    made: bool = False
    """True for a derivative: nothing in it writes into arrays any more."""
    exact: bool = False
    """True where numbers and lengths are those of one call."""
    whole: bool = False
    """True where whole numbers are, if they are known."""
    in_calls: dict[str, OfProcedure] = field(default_factory=dict)
    """What holds of parameters and results, by the name of the property, as far as
    calls are known."""
    kept: bool = False
    """True where its calls might be written out."""
    form: Hashable = None
    """The form of the arguments of a call."""
    own_arguments: bool = False
    """True where it works on copies of the arguments that it changes."""
    own_cells: list[Any] = field(default_factory=list)
    """The lists, dicts and objects among these."""


@core.verb
def read_variable(spec: Specialiser, owner: core.Frame, name: str) -> core.Value:
    """What a name of an activation holds, as the code under way reads it: inside of a
    procedure, variables of other activations are parameters."""
    procedure = spec.procedures.under_way
    if procedure is None or owner.serial >= procedure.details.first_serial:
        return _held(owner, name)
    details: Details = procedure.details
    if (owner, name) in details.changed:
        return _held(owner, name)
    for known, own_name, value in details.captured:
        if known is owner and own_name == name:
            return value
    outer = spec.procedures.under_way
    spec.procedures.under_way = spec.procedures.enclosing[procedure]
    try:
        value = read_variable(spec, owner, name)
    finally:
        spec.procedures.under_way = outer
    own = as_parameters(spec, details, name, value, {})
    details.captured.append((owner, name, own))
    return own


def _held(owner: core.Frame, name: str) -> core.Value:
    """What an activation holds under a name; refuses to read one that was put where it
    can't be followed."""
    lost = owner.names.get(core.LOST)
    if isinstance(lost, core.Missing):
        raise core.Unsupported(None, lost.reason, lost.advice)
    return owner.names[name]


def captures_differ(spec: Specialiser, procedure: ir.Procedure) -> bool:
    """True where captured variables have become of other kinds since."""
    details: Details = procedure.details
    return any(
        forms.form_of({name: read_variable(spec, owner, name)}, details.whole)
        != forms.form_of({name: value}, details.whole)
        for owner, name, value in details.captured
    )


def as_parameters(
    spec: Specialiser,
    details: Details,
    name: str,
    value: core.Value,
    symbols: dict[Hashable, Hashable],
) -> core.Value:
    """The value with a new parameter for each number and array in it."""
    taken = {str(leaf.operand) for leaf in details.parameters}

    def parameter(leaf: core.Leaf, path: tuple) -> core.Leaf:
        known = details.exact or details.whole
        if forms.is_static(leaf) or (known and forms.is_whole(leaf)):
            return leaf
        wish = "_".join(str(part) for part in (name, *path) if str(part).isidentifier())
        wish = wish if wish.isidentifier() else "value"
        text, count = wish, 1
        while text in taken:
            count += 1
            text = f"{wish}_{count}"
        taken.add(text)
        kind = ir.without_value(leaf.kind)
        own = core.Leaf(
            ir.Var(text), kind if details.exact else forms.widened_kind(kind, symbols)
        )
        details.parameters = (*details.parameters, own)
        return own

    return core.map_leaves(value, parameter)


def captured_to_change(
    spec: Specialiser, details: Details
) -> tuple[tuple[core.Frame, str], ...]:
    """The variables of other activations that a procedure is known to bind, each with
    parameters for what it holds at first."""
    assert details.source is not None
    bound = spec.procedures.changed_outside.get(details.source.identity, ())
    changed = tuple(
        (owner, name)
        for owner, name in bound
        if owner.serial < details.first_serial and name in owner.names
    )
    for owner, name in changed:
        value = read_variable(spec, owner, name)
        own = as_parameters(spec, details, name, value, {})
        details.captured.append((owner, name, own))
    return changed


def carry_variable(
    spec: Specialiser, source: SourceFunction, found: core.BindsOutside
) -> None:
    """Let a function that calls itself hand back a variable of another activation. What
    it holds gets a form that doesn't change with each call."""
    owner: Any = found.owner
    known = spec.procedures.changed_outside.get(source.identity, ())
    if (owner, found.name) in known or found.name not in owner.names:
        raise core.Unsupported(
            None,
            f"{source.name} calls itself and assigns {found.name!r} of the function "
            "around it, which has no value before",
            "give it a value first",
        )
    spec.procedures.changed_outside[source.identity] = (*known, (owner, found.name))
    value = as_unfollowed(spec, read_variable(spec, owner, found.name))
    with spec.inside(owner):
        spec.bind(found.name, value)


def made_inside(spec: Specialiser, details: Details, value: core.Value) -> core.Value:
    """A value that leaves a procedure: lists, dicts and objects that were made inside
    by value. Raises Unsupported for functions that were made inside: nobody outside
    could read the variables that they read."""
    value = spec.closed(value)
    if core.is_function(value) and any(
        frame.serial >= details.first_serial for frame in _frames_of(value)
    ):
        raise core.Unsupported(
            None,
            f"{details.source.name if details.source else 'a function'} calls itself "
            "and returns a function that it made",
            "return what the function needs, and make it where it is called",
        )
    if isinstance(value, core.Cell):
        outside = value.frame.serial < details.first_serial
        if not outside and has_maxlen_or_factory(value):
            raise core.Unsupported(
                None,
                f"a function that calls itself returns {core.describe(value)} with a "
                "maxlen or factory",
                "return what it holds, and make it where it is used",
            )
        return value if outside else made_inside(spec, details, spec.by_value(value))
    if isinstance(value, core.Aggregate):
        items = tuple(made_inside(spec, details, item) for item in value.items)
        return replace(value, items=items)
    return value


def check_apart(
    spec: Specialiser, details: Details, leaving: Iterable[core.Value]
) -> None:
    """Raise Unsupported where a list, dict or object that was made inside leaves a
    procedure twice: outside, both would no longer be the same one."""
    seen: set[int] = set()

    def note(value: core.Value) -> None:
        if isinstance(value, core.Cell):
            if value.frame.serial < details.first_serial:
                return
            if id(value.frame) in seen:
                raise core.Unsupported(
                    None,
                    f"a function that calls itself hands {core.describe(value)} back "
                    "in two places",
                    "return it once, or a copy",
                )
            seen.add(id(value.frame))
            for inner in value.frame.names.values():
                note(inner)
        for _, part in core.parts_of(value):
            note(part)

    for value in leaving:
        note(spec.closed(value))


def _frames_of(value: core.Value) -> Iterator[core.Frame]:
    """The activations that a function, and what it holds, reads when it is called."""
    if isinstance(value, core.Closure | core.Cell):
        yield value.frame
    parts = [part for _, part in core.parts_of(value)]
    known = getattr(getattr(value, "kind", None), "value", None)
    if isinstance(known, CustomFunction):  # with a derivative of its own, made inside
        parts += [v for v in vars(known).values() if isinstance(v, core.FUNCTIONS)]
    for part in parts:
        yield from _frames_of(part)
