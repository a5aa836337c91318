"""The batched versions of called programs, written before what calls them::

def f_reverse(residuals, y.bar):        def f_reverse_batched(residuals, y.bar):
    x, = residuals                          x, = residuals
    x.bar = mul(y.bar, cos(x))       ->     x.bar = mul(y.bar, cos(x))    # [k, n]
    return x.bar                            return x.bar
"""

import operator
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from s2sad import ir
from s2sad.analysis.passes import copies, dead_code
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.derivatives.inlined_programs import hands_residuals_on
from s2sad.frontend.specialise.recursion import captured_variables, forms
from s2sad.rules.steps.shape_queries import axis_length
from s2sad.transform.batching.batch import VectorMode
from s2sad.transform.batching.kinds import with_leading_axis
from s2sad.transform.batching.lists.references import check_parameters
from s2sad.transform.batching.programs.versions import Version, Versions


def vector_mode(
    function: ir.Function,
    spec: Specialiser,
    given: Mapping[str, ir.Kind],
    size: core.Leaf,
    axis: ir.Axis,
    *,
    rows_in_adjoints: bool = False,
) -> VectorMode:
    """What makes the batched lines of a program; the programs that it calls are written
    already. ``given`` are the variables that are batched, with the kinds that they have
    now; ``size`` is how many there are, ``axis`` the leading axis.
    ``rows_in_adjoints``: see :class:`~s2sad.transform.batching.programs.versions.Flow`.
    """
    versions = Versions()
    flow = versions.settled(function, given, rows_in_adjoints=rows_in_adjoints)
    _write(versions, flow.called, spec)
    mode = VectorMode(function, spec, flow, versions, size, axis)
    check_parameters(mode, given)
    return mode


def batched_version(
    procedure: ir.Procedure, places: Iterable[int], spec: Specialiser
) -> ir.Procedure:
    """The version of a program that takes many values for some arguments; one that can
    be differentiated."""
    versions = Versions()
    version = versions.new_version(procedure, {(place, None) for place in places})
    versions.settled()
    _write(versions, [version], spec)
    made = version.made
    if made is None or made.details is None:
        raise core.NotBatched(f"{procedure.__name__} hands residuals on")
    return made


def _write(versions: Versions, called: Iterable[Version], spec: Specialiser) -> None:
    """Write the programs of versions, and of those that they call."""
    new: list[Version] = []
    for version in in_order_of_calls(called):
        known = version.procedure.derived.get(_key(version))
        if known is None:
            version.made = _new_procedure(version.procedure)
            new.append(version)
        else:
            version.made = known.made
    for version in new:
        assert version.made is not None
        if version.residuals_of is not None and version.procedure.reverses is not None:
            forward, places = version.residuals_of.made, version.procedure.reverses[1]
            assert forward is not None
            version.made.reverses = forward, places
    for version in new:
        _fill(versions, version, spec)
    for version in new:
        version.procedure.derived[_key(version)] = version


def in_order_of_calls(called: Iterable[Version]) -> list[Version]:
    """Versions, and those that they call or take residuals of."""
    found: dict[Version, None] = {}
    pending = list(called)
    while pending:
        version = pending.pop(0)
        if version not in found:
            found[version] = None
            pending += version.flow.called
            if version.residuals_of is not None:
                pending.append(version.residuals_of)
    return list(found)


def _key(version: Version) -> tuple[str, Any]:
    """What a version is known by: all that is batched in it and in what it calls."""
    return "batched", frozenset(
        (v.procedure, id(v.source), v.residuals_of is not None, frozenset(v.given))
        for v in in_order_of_calls([version])
    )


def _new_procedure(procedure: ir.Procedure) -> ir.Procedure:
    batch = "cotangents" if procedure.reverses is not None else "tangents"
    docstring = f"{procedure.docstring.removesuffix('.')}, for a batch of {batch}."
    if ", for a batch of " in procedure.docstring:
        docstring = procedure.docstring.replace("a batch of", "a batch of batches of")
    made = ir.Procedure(f"{procedure.__name__}_batched", docstring, procedure)
    made.short = f"{procedure.short}_batched"
    made.reverses, made.is_batched = procedure.reverses, True
    made.seeded, made.returns_residuals = procedure.seeded, procedure.returns_residuals
    return made


def _fill(versions: Versions, version: Version, spec: Specialiser) -> None:
    """Write one program."""
    made, function = version.made, version.program
    assert made is not None
    axis = ir.Axis("any", ("batch", made.__name__))
    item_kinds = dict(function.kinds)
    kinds = {**item_kinds, **_kinds_of_parameters(version, axis)}
    function = replace(function, kinds=dict(item_kinds))
    derived, spec.derived = spec.derived, True
    outer, spec.span = spec.span, None
    with spec.new_block() as start:
        size = _size(version, kinds, spec)
    mode = VectorMode(function, spec, version.flow, versions, size, axis)
    check_parameters(mode, [function.parameters[k] for k, _ in version.given])
    lines = mode.block(function.body)
    spec.derived, spec.span = derived, outer
    more = (str(size.operand),) if version.shows_size is None else ()
    program = replace(
        function,
        name=made.__name__,
        docstring=made.docstring,
        parameters=(*function.parameters, *more),
        body=(*start, *lines),
        kinds={
            **mode.function.kinds,
            **_kinds_of_parameters(version, axis),
            **dict.fromkeys(more, size.kind),
        },
        temporaries=frozenset(function.temporaries | spec.temporaries),
    )
    made.function = dead_code.remove_dead_code(copies.propagate_copies(program))
    _describe(version, axis, spec)


def _kinds_of_parameters(version: Version, axis: ir.Axis) -> dict[str, ir.Kind]:
    """The kinds of the parameters that are batched."""
    found: dict[str, ir.Kind] = {}
    for place, item in sorted(version.given, key=str):
        name = version.program.parameters[place]
        kind = found.get(name, version.program.kinds.get(name, ir.UNKNOWN))
        if item is None:
            found[name] = with_leading_axis(kind, axis)
        elif isinstance(kind, ir.Structure):
            items = list(kind.items)
            items[item] = with_leading_axis(items[item], axis)
            found[name] = replace(kind, items=tuple(items))
    return found


def _size(version: Version, kinds: Mapping[str, ir.Kind], spec: Specialiser) -> Any:
    """How many there are, as an argument shows it, or is."""
    if version.shows_size is None:
        return core.Leaf(spec.fresh("count"), ir.INT)
    place, item = version.shows_size
    name = version.program.parameters[place]
    leaf = core.Leaf(ir.Var(name), kinds[name])
    if item is not None:
        structure = kinds[name]
        assert isinstance(structure, ir.Structure)
        value = ir.Apply(operator.getitem, (leaf.operand, ir.Const(item)))
        leaf = spec.assign(spec.fresh("first"), value, structure.items[item])
    return spec.apply(axis_length, (leaf, core.constant(0)), hint="count")


def _describe(version: Version, axis: ir.Axis, spec: Specialiser) -> None:
    """What the transforms need to know of a program that can be differentiated again:
    no residuals are handed on in it."""
    made, procedure = version.made, version.procedure
    assert made is not None
    if not _is_differentiable(version, set()):
        return
    own: captured_variables.Details = procedure.details
    parameters = tuple(
        core.Leaf(leaf.operand, made.function.kinds[str(leaf.operand)])
        if (place, None) in version.given
        else leaf
        for place, leaf in enumerate(own.parameters)
    )
    parameters += tuple(
        core.Leaf(ir.Var(name), made.function.kinds[name])
        for name in made.function.parameters[len(parameters) :]
    )
    dynamic = forms.dynamic_leaves(own.result)  # type: ignore[arg-type]
    wide = {
        id(leaf): core.Leaf(leaf.operand, with_leading_axis(leaf.kind, axis))
        for place, leaf in enumerate(dynamic)
        if place in version.results
    }
    result = core.map_leaves(own.result, lambda leaf: wide.get(id(leaf), leaf))  # type: ignore[arg-type]
    made.details = captured_variables.Details(
        spec, parameters, {}, 0, result=result, made=True
    )


def _is_differentiable(version: Version, seen: set[Version]) -> bool:
    procedure = version.procedure
    if procedure.details is None or hands_residuals_on(procedure):
        return False
    called = ir.called_procedures(version.program.body)
    if any(p.details is None for p in called):
        return False
    seen.add(version)
    return all(v in seen or _is_differentiable(v, seen) for v in version.flow.called)
