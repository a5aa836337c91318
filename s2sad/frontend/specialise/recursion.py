"""Recursion: a function that calls itself becomes a procedure.

It is specialised once on the kinds of its arguments, with the numbers in them forgotten
and lengths unknown. What it returns is found by repetition: at first a call of itself
is taken never to return, so that only the paths that end the recursion count; then
their kind is assumed until it no longer changes. What was specialised meanwhile, with
such an assumption, is made anew each time. Variables of enclosing functions become
parameters.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from typing import Any

from s2sad.frontend.source import SourceFunction
from s2sad.frontend.specialise.activations import Frame
from s2sad.frontend.specialise.exceptions import (
    BindsOutside,
    NothingFollows,
    Unsupported,
)
from s2sad.frontend.specialise.forms import (
    dynamic_leaves,
    form_of,
    is_static,
    is_whole,
    widened_kind,
)
from s2sad.frontend.specialise.guesses import (
    join_guesses,
    leaf_kinds,
    without_operands,
)
from s2sad.frontend.specialise.values import (
    Aggregate,
    Cell,
    Leaf,
    Value,
    aggregate_of,
    constant,
    leaves,
    map_leaves,
    operand_of,
)
from s2sad.ir.kinds import Array, Axis, Kind, Structure, without_value
from s2sad.ir.nodes import Apply, Effect, Function, Operand, Return, Var, pack_tuple
from s2sad.ir.procedures import Procedure, has_effects

MOST_VERSIONS = 12
"""A function that calls itself with ever new kinds of arguments is refused."""


class RecursionFound(Exception):
    """A function that is under way is called again with arguments of the same form."""

    def __init__(self, frame: Frame) -> None:
        super().__init__(frame.source.name)
        self.frame = frame


class _NeverReturnsYet(Exception):
    """Every path of a function calls others that are under way, of which it isn't known
    yet that they return."""


@dataclass
class Details:
    """How a procedure was specialised."""

    spec: Any
    parameters: tuple[Leaf, ...]
    arguments: dict[str, Value]
    """The arguments of the user's function, in parameters."""
    first_serial: int
    """Activations made before have a lower one."""
    source: SourceFunction | None = None
    """The function; None for a derivative."""
    captured: list[tuple[Frame, str, Value]] = field(default_factory=list)
    """Variables of other activations that it reads: where from, and in parameters."""
    result: Value | None = None
    """What it returns; None while that isn't known."""
    problems: list[Any] = field(default_factory=list)
    """What is refused in it, for each call of it."""
    written: tuple[str, ...] = ()
    """The parameters of arrays that it writes into. Behind its result it returns their
    new values."""
    changed: tuple[tuple[Frame, str], ...] = ()
    """Variables of other activations that it binds. Behind its result and the arrays it
    returns their new values."""
    made: bool = False
    """True for a derivative: nothing in it writes into arrays any more."""
    exact: bool = False
    """True where numbers and lengths are those of one call."""


# ------------------------------------------------------------------ calls


def call_procedure(
    spec: Any,
    source: SourceFunction,
    bound: dict[str, Value],
    parent: Frame | None,
    activation: Callable[[], Frame],
    body: list[Any],
    node: Any,
) -> Value:
    """A call of a function that calls itself."""
    while True:
        try:
            procedure = _procedure_for(
                spec, source, bound, parent, activation, body, node
            )
            break
        except BindsOutside as found:
            if found.procedure is not spec.abandoned:
                raise
            carry_variable(spec, source, found)
    details: Details = procedure.details
    spec.problems += [p for p in details.problems if p not in spec.problems]
    if details.result is None:
        spec.unfinished.add(procedure)
        spec.unreachable = True
        raise NothingFollows
    given = arguments_of(spec, procedure, bound)
    value = call_with(spec, procedure, given)
    if details.written or details.changed:
        return _stored_back(spec, details, given, value, node)
    return value


def _procedure_for(
    spec: Any,
    source: SourceFunction,
    bound: dict[str, Value],
    parent: Frame | None,
    activation: Callable[[], Frame],
    body: list[Any],
    node: Any,
) -> Procedure:
    """The procedure for a call, the one that is known or a new one."""
    form = (id(source.node), id(parent), form_of(bound))
    known = [p for k, p in spec.procedures.items() if k[:3] == form]
    procedure = next((p for p in known if not _captures_differ(spec, p)), None)
    if procedure is None:
        key = (*form, next(spec.serials))
        same = [k for k in spec.procedures if k[0] == id(source.node)]
        if len(same) >= MOST_VERSIONS:
            raise Unsupported(
                node,
                f"{source.name} calls itself with ever other kinds of arguments",
                "pass arguments of the same kinds in each call",
            )
        procedure = spec.procedures[key] = _new_procedure(spec, source, bound)
        try:
            _specialise(spec, procedure, activation, body, node)
        except _NeverReturnsYet:
            del spec.procedures[key]
            spec.unreachable = True
            raise NothingFollows from None
        except BaseException:
            spec.procedures.pop(key, None)
            spec.abandoned = procedure
            raise
    return procedure


def _stored_back(
    spec: Any, details: Details, given: list[Leaf], returned: Value, node: Any
) -> Value:
    """The result of a call; what it has written into has its new value."""
    from s2sad.frontend.specialise.stores import store
    from s2sad.frontend.specialise.targets import store_refused

    assert isinstance(returned, Aggregate)
    result, *others = returned.items
    count = len(details.written)
    arrays, variables = others[:count], others[count:]
    for (owner, name), value in zip(details.changed, variables, strict=True):
        with spec.inside(owner):
            spec.bind(name, value)
    arguments = dict(zip((str(p.operand) for p in details.parameters), given))
    for name, new in zip(details.written, arrays, strict=True):
        argument = arguments[name]
        if not isinstance(argument.operand, Var):
            raise store_refused(node)
        store(spec, argument, constant(Ellipsis), new, node)
    return result


def procedure_of(
    spec: Any,
    source: SourceFunction,
    bound: dict[str, Value],
    activation: Callable[[], Frame],
    body: list[Any],
    node: Any,
) -> Procedure:
    """A function as a procedure for the kinds of one call, to be differentiated."""
    procedure = _new_procedure(spec, source, bound, exact=True)
    spec.procedures["exact", procedure] = procedure
    _specialise(spec, procedure, activation, body, node)
    return procedure


def arguments_of(
    spec: Any, procedure: Procedure, bound: dict[str, Value]
) -> list[Leaf]:
    """What is given for the parameters of a procedure, captured variables last."""
    details: Details = procedure.details
    given: list[Leaf] = []
    pairs = [(details.arguments[name], value) for name, value in bound.items()]
    pairs += [
        (own, read_variable(spec, owner, name)) for owner, name, own in details.captured
    ]
    parameters = {leaf.operand for leaf in details.parameters}
    for own, value in pairs:
        for parameter, leaf in zip(leaves(own), leaves(value), strict=True):
            if parameter.operand in parameters:
                given.append(leaf)
    return given


def call_with(spec: Any, procedure: Procedure, given: list[Leaf]) -> Value:
    """A call of a procedure with a value for each parameter."""
    details: Details = procedure.details
    lengths: dict[Hashable, Axis] = {}
    for parameter, leaf in zip(details.parameters, given, strict=False):
        for own, axis in zip(_axes(parameter.kind), _axes(leaf.kind), strict=False):
            lengths[own.symbol] = axis
    owner_of_lengths = spec.fresh_owner(procedure.__name__)

    def kind_here(kind: Kind, place: int) -> Kind:
        if not isinstance(kind, Array) or kind.axes is None:
            return kind
        axes = tuple(
            a
            if a.length == "one"
            else lengths.get(a.symbol, Axis(a.length, (owner_of_lengths, place, k)))
            for k, a in enumerate(kind.axes)
        )
        return replace(kind, axes=axes)

    assert details.result is not None
    dynamic = dynamic_leaves(details.result)
    kinds = [kind_here(leaf.kind, k) for k, leaf in enumerate(dynamic)]
    operation = Apply(procedure, tuple(operand_of(leaf) for leaf in given))
    if not dynamic:
        if has_effects(procedure):
            spec.emit(Effect(spec.span, operation))
        return details.result
    if len(dynamic) == 1:
        results = [spec.assign(spec.fresh(procedure.__name__), operation, kinds[0])]
    else:
        structure = Structure(tuple, tuple(range(len(kinds))), tuple(kinds))
        results = list(spec.define(operation, structure, procedure.__name__).items)
    remaining = iter(results)
    return map_leaves(
        details.result, lambda leaf, _: leaf if is_static(leaf) else next(remaining)
    )


def _axes(kind: Kind) -> tuple[Axis, ...]:
    return (kind.axes or ()) if isinstance(kind, Array) else ()


# ------------------------------------------------------------------ captured variables


def read_variable(spec: Any, owner: Frame, name: str) -> Value:
    """What a name of an activation holds, as the code under way reads it: inside of a
    procedure, variables of other activations are parameters."""
    procedure = spec.procedure
    if procedure is None or owner.serial >= procedure.details.first_serial:
        return owner.names[name]
    details: Details = procedure.details
    if (owner, name) in details.changed:
        return owner.names[name]
    for known, own_name, value in details.captured:
        if known is owner and own_name == name:
            return value
    outer, spec.procedure = spec.procedure, spec.enclosing_procedures[procedure]
    try:
        value = read_variable(spec, owner, name)
    finally:
        spec.procedure = outer
    own = _as_parameters(spec, details, name, value, {})
    details.captured.append((owner, name, own))
    return own


def _captures_differ(spec: Any, procedure: Procedure) -> bool:
    """True where captured variables have become of other kinds since."""
    details: Details = procedure.details
    return any(
        form_of({name: read_variable(spec, owner, name)}) != form_of({name: value})
        for owner, name, value in details.captured
    )


def _as_parameters(
    spec: Any,
    details: Details,
    name: str,
    value: Value,
    symbols: dict[Hashable, Hashable],
) -> Value:
    """The value with a new parameter for each number and array in it."""
    taken = {str(leaf.operand) for leaf in details.parameters}

    def parameter(leaf: Leaf, path: tuple) -> Leaf:
        if is_static(leaf) or (details.exact and is_whole(leaf)):
            return leaf
        wish = "_".join(str(part) for part in (name, *path) if str(part).isidentifier())
        wish = wish if wish.isidentifier() else "value"
        text, count = wish, 1
        while text in taken:
            count += 1
            text = f"{wish}_{count}"
        taken.add(text)
        kind = without_value(leaf.kind)
        own = Leaf(Var(text), kind if details.exact else widened_kind(kind, symbols))
        details.parameters = (*details.parameters, own)
        return own

    return map_leaves(value, parameter)


# ------------------------------------------------------------------ the procedure


def _new_procedure(
    spec: Any, source: SourceFunction, bound: dict[str, Value], exact: bool = False
) -> Procedure:
    names = {p.__name__ for p in spec.procedures.values() if p is not None}
    wish = source.name if source.name.isidentifier() else "function"
    name, count = wish, 1
    while name in names:
        count += 1
        name = f"{wish}_{count}"
    procedure = Procedure(name, f"{source.name}, which calls itself.")
    details = Details(spec, (), {}, next(spec.serials), source, exact=exact)
    symbols: dict[Hashable, Hashable] = {}
    for parameter, value in bound.items():
        own = _as_parameters(spec, details, parameter, value, symbols)
        details.arguments[parameter] = own
    procedure.details = details
    return procedure


def _specialise(
    spec: Any,
    procedure: Procedure,
    activation: Callable[[], Frame],
    body: list[Any],
    node: Any,
) -> None:
    """Repeat until what the procedure returns, and what it captures, is known."""
    from s2sad.frontend.specialise.lists import meet_as_lists, met_as_list

    details: Details = procedure.details
    spec.enclosing_procedures[procedure] = spec.procedure
    outer = spec.frame, spec.procedure, spec.raise_points, spec.active
    problems = len(spec.problems)
    earlier = set(spec.procedures)
    shared = list(spec.shared_frames)
    details.changed = _captured_to_change(spec, details)
    outside = {owner: owner.names for owner, _ in details.changed}
    unfinished: set[Procedure] = spec.unfinished
    guess: Value | None = None
    try:
        for attempt in itertools.count():
            if attempt > MOST_VERSIONS:
                raise Unsupported(
                    node,
                    f"what {procedure.__name__} returns isn't of one kind",
                    "return values of the same kind on all paths",
                )
            del spec.problems[problems:]
            captured = len(details.captured)
            for key in set(spec.procedures) - earlier:  # they rest on the last guess
                del spec.procedures[key]
            details.result, spec.unfinished = guess, set()
            spec.frame, spec.procedure = activation(), procedure
            spec.raise_points, spec.active = [], [spec.frame]
            for owner, names in outside.items():
                owner.names = dict(names)
            result, block = _run_once(spec, details, body)
            written = _written_into(spec, details, block)
            if written != details.written:
                details.written, guess = written, None
                continue
            if result is None and spec.unfinished - {procedure}:
                raise _NeverReturnsYet
            if result is None:
                raise Unsupported(
                    node,
                    f"{procedure.__name__} calls itself on every path",
                    "let one path return without a call of itself",
                )
            result = _with_own_lengths(result, details)
            if guess is not None and meet_as_lists(guess, result):
                with spec.new_block() as more:
                    result = met_as_list(spec, result, guess)
                block += more
                with spec.new_block():  # a guess has no value yet
                    guess = met_as_list(spec, guess, result)
            joined = result if guess is None else join_guesses(guess, result, node)
            same = guess is not None and leaf_kinds(joined) == leaf_kinds(guess)
            if same and captured == len(details.captured):
                break
            if procedure not in spec.unfinished and guess is None:
                guess = joined
                if captured == len(details.captured):
                    break
            guess = joined
    finally:
        spec.frame, spec.procedure, spec.raise_points, spec.active = outer
        for owner, names in outside.items():
            owner.names = names
        spec.shared_frames = shared
        spec.unreachable = False
        spec.unfinished = unfinished | (spec.unfinished - {procedure})
    details.problems = spec.problems[problems:]
    details.result = without_operands(guess)
    assert result is not None
    kinds = {str(p.operand): p.kind for p in details.parameters}
    dynamic = dynamic_leaves(result)
    operands: list[Operand] = []
    for leaf in dynamic:
        target = Var(f"result.{len(operands) + 1}")
        spec.temporaries.add(target.name)
        with spec.new_block() as copy:
            spec.assign(target, leaf.operand, leaf.kind)
        block += copy
        operands.append(target)
    final = operands[0] if len(operands) == 1 else pack_tuple(*operands)
    procedure.function = Function(
        procedure.__name__,
        tuple(kinds),
        (*block, Return(spec.span, final)),
        {**spec.kinds_of_inlined, **kinds},
        frozenset(spec.temporaries),
    )


def _run_once(
    spec: Any, details: Details, body: list[Any]
) -> tuple[Value | None, list[Any]]:
    spec.unreachable = False
    arrays = [p for p in details.parameters if str(p.operand) in details.written]
    with spec.new_block() as block:
        kept = [
            spec.assign(Var(f"{array.operand}.given"), array.operand, array.kind)
            for array in arrays
        ]
        for name, value in details.arguments.items():
            spec.frame.names[name] = value
        for owner, name, value in details.captured[: len(details.changed)]:
            with spec.inside(owner):
                spec.bind(name, value)
        spec.run(body)
    if spec.unreachable:
        return None, block
    result = constant(None) if spec.frame.result is None else spec.frame.result
    result = _made_inside(spec, details, result)
    kept += [
        _made_inside(spec, details, owner.names[name])
        for owner, name in details.changed
    ]
    return (aggregate_of((result, *kept)) if kept else result), block


def _captured_to_change(spec: Any, details: Details) -> tuple[tuple[Frame, str], ...]:
    """The variables of other activations that a procedure is known to bind, each with
    parameters for what it holds at first."""
    assert details.source is not None
    changed = tuple(
        (owner, name)
        for owner, name in spec.changed_outside.get(id(details.source.node), ())
        if owner.serial < details.first_serial and name in owner.names
    )
    for owner, name in changed:
        value = read_variable(spec, owner, name)
        own = _as_parameters(spec, details, name, value, {})
        details.captured.append((owner, name, own))
    return changed


def carry_variable(spec: Any, source: SourceFunction, found: BindsOutside) -> None:
    """Let a function that calls itself hand back a variable of another activation. What
    it holds gets a form that doesn't change with each call."""
    from s2sad.frontend.specialise.lists import as_unfollowed

    owner: Any = found.owner
    known = spec.changed_outside.get(id(source.node), ())
    if (owner, found.name) in known or found.name not in owner.names:
        raise Unsupported(
            None,
            f"{source.name} calls itself and assigns {found.name!r} of the function "
            "around it, which has no value before",
            "give it a value first",
        )
    spec.changed_outside[id(source.node)] = (*known, (owner, found.name))
    value = as_unfollowed(spec, read_variable(spec, owner, found.name))
    with spec.inside(owner):
        spec.bind(found.name, value)


def _made_inside(spec: Any, details: Details, value: Value) -> Value:
    """A value that leaves a procedure: lists, dicts and objects that were made inside
    by value."""
    from s2sad.frontend.specialise.cells import by_value

    if isinstance(value, Cell):
        outside = value.frame.serial < details.first_serial
        return value if outside else by_value(spec, value)
    if isinstance(value, Aggregate):
        items = tuple(_made_inside(spec, details, item) for item in value.items)
        return replace(value, items=items)
    return value


def _written_into(spec: Any, details: Details, block: list[Any]) -> tuple[str, ...]:
    """The parameters of arrays that a program writes into, also under other names."""
    from s2sad.transform.array_writes import parameters_written

    kinds = {str(p.operand): p.kind for p in details.parameters}
    function = Function(
        "", tuple(kinds), tuple(block), {**spec.kinds_of_inlined, **kinds}
    )
    written = {*parameters_written(function), *details.written}
    return () if details.exact else tuple(name for name in kinds if name in written)


def _with_own_lengths(result: Value, details: Details) -> Value:
    """Lengths of what is returned that aren't those of a parameter get names that don't
    change from one repetition to the next."""
    known = {a.symbol for leaf in details.parameters for a in _axes(leaf.kind)}
    places = itertools.count()

    def own(leaf: Leaf, path: tuple) -> Leaf:
        place = next(places)
        if not isinstance(leaf.kind, Array) or leaf.kind.axes is None:
            return leaf
        axes = tuple(
            a
            if a.length == "one" or a.symbol in known
            else Axis(a.length, ("result", place, k))
            for k, a in enumerate(leaf.kind.axes)
        )
        return replace(leaf, kind=replace(leaf.kind, axes=axes))

    return map_leaves(result, own)
