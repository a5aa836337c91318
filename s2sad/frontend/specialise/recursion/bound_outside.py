"""Variables of other activations that a procedure binds: it takes what they hold, and
hands their new values back behind its result.

Which they are is found out where they are bound, and remembered by definition of the
function: by the way that leads there from its arguments, or from the activation that it
was made in, so that a call with another object is known to change that one.
"""

from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any

from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.containers.list_meetings import are_alike, as_unfollowed
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.recursion import captured_variables, other_cells
from s2sad.frontend.specialise.run_time import owning
from s2sad.source.text import scopes
from s2sad.source.text.source_function import SourceFunction

Way = tuple[Hashable, ...]
CONTENT = ""
"""Stands for the name under which a list or dict holds its content."""


def captured_to_change(
    spec: Specialiser, details: captured_variables.Details
) -> tuple[tuple[core.Frame, str], ...]:
    """The variables of other activations that a procedure is known to bind, each with
    parameters for what it holds at first."""
    assert details.source is not None
    found = _known_to_change(spec, details.source, details.parent, details.arguments)
    changed = tuple(
        (owner, name) for owner, name in found if owner.serial < details.first_serial
    )
    stand_ins = spec.procedures.placeholders
    details.makes |= {
        variable
        for variable in changed
        if stand_ins.get(variable, found) is variable[0].names[variable[1]]
    }
    for owner, name in changed:
        value = spec.read_variable(owner, name)
        own = captured_variables.as_parameters(spec, details, name, value, owner)
        details.captured.append((owner, name, own))
    return changed


def _known_to_change(
    spec: Specialiser,
    source: SourceFunction,
    parent: core.Frame | None,
    arguments: Mapping[str, core.Value],
) -> tuple[tuple[core.Frame, str], ...]:
    """The variables of other activations that a function is known to bind."""
    known = spec.procedures.changed_outside.get(source.identity, ())
    there = _activations_by_way(parent, arguments) if known else {}
    found: dict[tuple[core.Frame, str], None] = {}
    for way, name in known:
        owner = there.get(way) if isinstance(way, tuple) else way
        if owner is not None:
            name = owner.title if name == CONTENT else name  # type: ignore[attr-defined]
            if name in owner.names:
                found[owner, name] = None
    return tuple(found)


def without_known_lengths(
    spec: Specialiser,
    source: SourceFunction,
    parent: core.Frame | None,
    arguments: Mapping[str, core.Value],
) -> None:
    """What a function is known to change gets a form that doesn't change with each
    call."""
    for owner, name in _known_to_change(spec, source, parent, arguments):
        held = owner.names[name]
        if isinstance(held, core.Aggregate) and held.constructor in core.CONTAINERS:
            _bind_unfollowed(spec, owner, name)


def _bind_unfollowed(spec: Specialiser, owner: core.Frame, name: str) -> None:
    value = spec.read_variable(owner, name)
    if isinstance(owner, core.CellFrame) and getattr(value, "constructor", 0) is dict:
        owning.let_be_kept(spec, owner.makers, None, dict, are_alike(value))
    value = as_unfollowed(spec, value)
    with spec.inside(owner):
        spec.bind(name, value)


def carry_variable(
    spec: Specialiser, source: SourceFunction, found: core.BindsOutside
) -> None:
    """Let a function hand back a variable of another activation. What it holds gets a
    form that doesn't change with each call."""
    owner, details = found.owner, found.procedure.details
    assert isinstance(owner, core.Frame)
    _bind_result(spec, owner, found)
    there = _activations_by_way(details.parent, details.arguments)
    ways = {id(frame): way for way, frame in there.items()}
    is_content = isinstance(owner, core.CellFrame) and found.name == owner.title
    name = CONTENT if is_content else found.name
    variable = ways.get(id(owner), owner), name
    known = spec.procedures.changed_outside.get(source.identity, ())
    if variable in known or found.name not in owner.names:
        raise core.Unsupported(
            f"{source.name} calls itself and assigns {found.name!r} of the function "
            "around it, which has no value before",
            "give it a value first",
        )
    spec.procedures.changed_outside[source.identity] = (*known, variable)
    _bind_unfollowed(spec, owner, found.name)


def _bind_result(
    spec: Specialiser, owner: core.Frame, found: core.BindsOutside
) -> None:
    """What a loop returns out of its function, and an attribute that an object gets,
    have no value in front of it: zeros, which nobody reads."""
    user_names = scopes.names_in_text(owner.source.node)
    if found.name in user_names | owner.names.keys() or found.name.startswith("."):
        return

    with spec.inside(owner):
        spec.bind(found.name, other_cells.zeros_like(spec, found.value))
    if isinstance(owner, core.CellFrame):
        held: Any = replace(owner.names[found.name])
        owner.names[found.name] = held
        spec.procedures.placeholders[owner, found.name] = held


def _activations_by_way(
    parent: core.Frame | None, arguments: Mapping[str, core.Value]
) -> dict[Way, core.Frame]:
    """The activations that a function can reach, cells among them: each by the shortest
    way of names and keys."""
    found: dict[Way, core.Frame] = {}
    seen: set[int] = set()
    pending: list[tuple[Way, core.Value | core.Frame | None]] = [
        (("parent",), parent),
        *(((name,), value) for name, value in arguments.items()),
    ]
    for way, value in pending:
        if isinstance(value, core.Frame):
            if id(value) in seen:
                continue
            seen.add(id(value))
            found[way] = value
            pending.append(((*way, "parent"), value.parent))
            pending += (((*way, name), held) for name, held in value.names.items())
        elif value is not None:
            if isinstance(value, core.Cell | core.Closure):
                pending.append(((*way, "in"), value.frame))
            pending += (((*way, key), part) for key, part in core.parts_of(value))
    return found
