"""The two sweeps as two functions: one that returns residuals, one that only reads
them.

::

    def f_forward(x):                        def f_reverse(residuals, gradient):
        t = sin(x)                               t = residuals[0]
        return t * t, (x, t)                     ...
"""

import operator
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad import ir, ops
from s2sad.analysis.dataflow import assigned, liveness
from s2sad.analysis.memory.memory import Memory
from s2sad.analysis.memory.points_to import PointsTo, points_to
from s2sad.analysis.passes.shapes import read_shapes_of_named
from s2sad.frontend.specialise import Specialised, core
from s2sad.ops.runtime.structures import own_structure
from s2sad.transform.forward.tangents import fresh_parameter
from s2sad.transform.memory.numbers_again import numbers_at_hand
from s2sad.transform.memory.references.array_homes import is_placeholder
from s2sad.transform.memory.views_again import views_at_hand
from s2sad.transform.reverse.gradient import Sweeps
from s2sad.transform.run_time import kept_structures

RESIDUALS = "residuals"


def seed_of(
    name: str, specialised: Specialised, *, given: bool = True
) -> tuple[core.Value, ir.Block]:
    """The seed parameter as a value of the result's structure; ``given`` by the user,
    or by another program, which gives the cotangents of lists as arrays.

    Items of a structured result are projected from the parameter by statements that
    belong in front of the reverse sweep.
    """

    def seed(result: core.Value, source: ir.Operand) -> core.Value:
        if isinstance(result, core.Aggregate):
            items: list[core.Value] = []
            for key, item in zip(result.keys, result.items, strict=True):
                if isinstance(item, core.Leaf) and not ir.is_real_number_kind(
                    item.kind
                ):
                    items.append(core.Leaf(ir.Const(None), ir.OPAQUE))
                    continue
                target = spec.fresh(f"{name}_{key}")
                project = _projection(result, source, key)
                spec.assign(target, project, _seed_kind(item))
                items.append(seed(item, target))
            return core.Aggregate(result.constructor, result.keys, tuple(items))
        assert isinstance(result, core.Leaf)
        whole = _seed_kind(result)
        if given and isinstance(result.kind, ir.List) and isinstance(whole, ir.Array):
            array = spec.fresh(f"{name}_array")
            spec.assign(array, ir.Apply(np.array, (source,)), whole)
            source = array
        return core.Leaf(source, whole)

    spec = specialised.specialiser
    spec.derived = True
    with spec.new_block() as lines:
        value = seed(specialised.result, ir.Var(name))
    return value, tuple(lines)


def _projection(result: core.Aggregate, source: ir.Operand, key: Any) -> ir.Apply:
    if result.constructor in (tuple, list, dict):
        return ir.Apply(operator.getitem, (source, ir.Const(key)))
    return ir.Apply(getattr, (source, ir.Const(key)), (), f"attribute:{key}")


def _seed_kind(value: core.Value) -> ir.Kind:
    kind = value.kind if isinstance(value, core.Leaf) else ir.UNKNOWN
    if isinstance(kind, ir.Scalar):
        return ir.COMPLEX if ir.is_complex(kind) else ir.FLOAT
    return ir.cotangent_kind_of_list(kind) or kind


def split_sweeps(
    sweeps: Sweeps,
    primal: ir.Function,
    single: bool,
    seed: str,
    optimised: Callable[[ir.Function], ir.Function],
    *,
    private: bool = True,
    outermost: bool = False,
) -> tuple[ir.Function, ir.Function]:
    """The forward and the reverse function, both optimised. ``private`` residuals share
    no memory with anything outside. The adjoints of results that are references come
    behind the residuals. The ``outermost`` pair is called by the user: its residuals
    hold copies of lists, dicts and objects, and each run of the reverse function adds
    to a copy of their adjoints."""
    parts = [core.operand_of(g) for g in sweeps.gradients]
    result: ir.Operand = parts[0] if single else ir.pack_tuple(*parts)
    if not parts:  # what it adds to isn't handed back
        result = ir.Const(None)
    whole, backwards = _with_shapes_of_named(sweeps)
    # what the reverse sweep alone assigns, on some paths, comes from nowhere else
    ahead = ir.names_written_in(whole.body)
    free = _free_variables(backwards) & {*ahead, *primal.parameters, seed}
    again = views_at_hand(whole, backwards, free - {seed})
    if not outermost:  # the user may run a reverse program often
        again = (*again, *numbers_at_hand(whole, backwards, free - {seed}))
    if again:
        backwards = (*again, *backwards)
        free -= {v.name for s in again for v in ir.direct_writes(s)}
    bound = assigned.assigned_on_every_path(whole.body, primal.parameters)
    reverse = replace(
        whole,
        parameters=(*ir.in_order(free - {seed}), seed),
        body=(*backwards, ir.Return(None, result)),
        kinds=without_lengths_of_unbound(whole, free),
    )
    reverse = optimised(reverse)
    read = ir.names_read_in(reverse.body)
    # None where not every path assigns it
    needed = [p for p in reverse.parameters if p in read and p != seed]
    forward = replace(
        whole,
        parameters=primal.parameters,
        body=(
            *(
                ir.Assign(None, ir.Var(n), ir.Const(None))
                for n in needed
                if n not in bound
            ),
            *whole.body,
            ir.Return(
                None,
                ir.pack_tuple(
                    sweeps.result, _pack(needed), *sweeps.adjoints_of_results
                ),
            ),
        ),
    )
    if private:
        forward = with_private_residuals(forward, outermost)
    forward = optimised(forward)
    given = fresh_parameter(RESIDUALS, whole)
    unpack: list[ir.Statement] = []
    if needed:
        unpack.append(ir.Assign(None, _pack(needed), ir.Var(given)))
    if outermost:
        unpack += kept_structures.own_adjoints(whole, needed)
    body = (*unpack, *_reading_backwards(reverse.body, needed))
    reverse = replace(reverse, parameters=(given, seed), body=body)
    return forward, reverse


def without_lengths_of_unbound(
    whole: ir.Function, residuals: Collection[str]
) -> dict[str, ir.Kind]:
    """The kinds of variables, where no length is to be read off a residual that is None
    or an empty placeholder on some paths."""
    bound = assigned.assigned_on_every_path(whole.body, whole.parameters)
    empty = {
        v.name
        for s in ir.walk(whole.body)
        if is_placeholder(s)
        for v in ir.direct_writes(s)
    }
    kinds = dict(whole.kinds)
    for name in {*residuals} - (bound - empty):
        kind = kinds.get(name)
        if isinstance(kind, ir.Array) and kind.axes is not None:
            axes = tuple(ir.Axis(axis.length) for axis in kind.axes)
            kinds[name] = replace(kind, axes=axes)
    return kinds


def _with_shapes_of_named(sweeps: Sweeps) -> tuple[ir.Function, ir.Block]:
    """Shapes read off variables that are kept anyway; the rewrite needs both sweeps in
    sight."""
    length = len(sweeps.function.body)
    joint = replace(sweeps.function, body=(*sweeps.function.body, *sweeps.reverse))
    joint = read_shapes_of_named(joint)
    return replace(sweeps.function, body=joint.body[:length]), joint.body[length:]


def _pack(names: list[str]) -> ir.Pack:
    return ir.pack_tuple(*(ir.Var(n) for n in names))


def _free_variables(block: ir.Block) -> set[str]:
    """Variables that a block may read before it assigns them."""
    facts, _ = liveness.live_variables(block, lambda s: True)
    return set(facts.start or ())


def _reading_backwards(body: ir.Block, needed: list[str]) -> ir.Block:
    """Stacks are read from their end by an iterator, and stay as they are. Of those on
    which snapshots are put in between, there is a copy."""
    stacks = {s.stack.name for s in ir.walk(body) if isinstance(s, ir.Restore)} & set(
        needed
    )
    grown = {s.stack.name for s in ir.walk(body) if isinstance(s, ir.Save)}
    own: dict[str, ir.Var] = {}
    lines: list[ir.Statement] = []
    for name in ir.in_order(stacks):
        suffix, read = ("own", list) if name in grown else ("reversed", reversed)
        own[name] = ir.Var(f"{name}.{suffix}")
        lines.append(ir.Assign(None, own[name], ir.Apply(read, (ir.Var(name),))))

    def line(s: ir.Statement) -> ir.Block:
        if isinstance(s, ir.Restore | ir.Save) and s.stack.name in stacks:
            return (replace(s, stack=own[s.stack.name]),)
        return (s,)

    return (*lines, *ir.with_leaves(body, line))


def with_private_residuals(
    function: ir.Function, outermost: bool = True
) -> ir.Function:
    """Residuals share no memory with arguments, captured data or the returned value.
    The outermost ones hold copies of lists, dicts and objects."""
    aliases = points_to(function)
    memory = aliases.before(function.body[-1])
    last = function.body[-1]
    assert isinstance(last, ir.Return) and isinstance(last.value, ir.Pack)
    result, residuals, *more = last.value.items
    assert isinstance(residuals, ir.Pack)
    returned = {v.name for v in ir.direct_reads(ir.Return(None, result))}
    body: list[ir.Statement] = list(
        _with_private_saves(function.body[:-1], function, aliases)
    )
    unbound = _unbound(function.body)
    private: list[ir.Operand] = []
    kinds = dict(function.kinds)
    for item in residuals.items:
        assert isinstance(item, ir.Var)
        kind = kinds.get(item.name)
        shared = not _is_private(memory, item.name, kind)
        shared = shared or (
            _may_be_array(kind)
            and memory.shared_with(item.name, returned - {item.name})
        )
        shared = shared or (_may_be_array(kind) and item.name in returned)
        if _holds_arrays(kind) and item.name not in unbound:
            shared = memory.is_outside(item.name) or item.name in returned
        elif not _may_be_array(kind):
            shared = False
        if shared:
            assert kind is not None
            copy = ir.Var(f"{item.name}.kept")
            kinds[copy.name] = kind
            body.append(ir.Assign(None, copy, _copy(item, kind, unbound), kind))
            private.append(copy)
        else:
            private.append(item)
    if outermost:
        names = [v.name for v in private if isinstance(v, ir.Var)]
        lists = _lists_of_others(function, aliases, returned)
        lines, copies = kept_structures.copied_where_kept(function, names, kinds, lists)
        body += lines
        private = [copies.get(str(v), v) for v in private]
    final = ir.Return(last.span, ir.pack_tuple(result, ir.pack_tuple(*private), *more))
    return replace(function, body=(*body, final), kinds=kinds)


def _lists_of_others(
    function: ir.Function, aliases: PointsTo, returned: set[str]
) -> set[str]:
    """The lists of numbers, and the stacks with such, that the user may change: his
    own, and those that he is given."""
    found = set()
    memory = aliases.before(function.body[-1])
    for name, kind in function.kinds.items():
        if _is_list_of_numbers(kind):
            shared = memory.shared_with(name, returned - {name})
            if memory.is_outside(name) or name in returned or shared:
                found.add(name)
    for s in ir.walk(function.body):
        if isinstance(s, ir.Save) and isinstance(s.value, ir.Var):
            name = s.value.name
            if _is_list_of_numbers(function.kinds.get(name)):
                if aliases.before(s).is_outside(name):
                    found.add(s.stack.name)
    return found


def _is_list_of_numbers(kind: ir.Kind | None) -> bool:
    """True for a list of numbers, and for lists and tuples of such."""
    changes = False
    while isinstance(kind, ir.List):
        changes = changes or kind.constructor is list
        kind = kind.item
    return changes and isinstance(kind, ir.Scalar | ir.NumPyScalar)


def _holds_arrays(kind: ir.Kind | None) -> bool:
    """True for a list of arrays."""
    if not isinstance(kind, ir.List):
        return False
    return isinstance(kind.item, ir.Array) or _holds_arrays(kind.item)


def _may_be_array(kind: ir.Kind | None) -> bool:
    """True for an array, and for an array or None."""
    present = kind.present if isinstance(kind, ir.Unknown) else kind
    return isinstance(present, ir.Array)


def _copy(value: ir.Var, kind: ir.Kind, unbound: set[str]) -> ir.Apply:
    """A copy of an array, or of what may turn out to be a number or None; of a list of
    arrays with all that is in it."""
    if isinstance(kind, ir.List):
        return ir.Apply(ops.own_rows, (value,))
    if isinstance(kind, ir.Unknown):
        return ir.Apply(own_structure, (value,))
    assert isinstance(kind, ir.Array)
    certain = not kind.promoted and kind.axes is not None and value.name not in unbound
    return ir.Apply(ops.own_copy if certain else np.array, (value,))


def _unbound(body: ir.Block) -> set[str]:
    """Variables that are None until some path assigns them."""
    return {
        v.name
        for s in ir.walk(body)
        if isinstance(s, ir.Assign) and s.value == ir.Const(None)
        for v in ir.operand_variables(s.target)
    }


def _is_private(memory: Memory, name: str, kind: ir.Kind | None) -> bool:
    if isinstance(kind, ir.Scalar | ir.NumPyScalar):
        return True
    return memory.is_own(name)


def _with_private_saves(
    block: ir.Block, function: ir.Function, aliases: PointsTo
) -> ir.Block:
    """Arrays of the caller are copied before they are kept."""
    unbound = _unbound(function.body)

    def line(s: ir.Statement) -> ir.Block:
        if not isinstance(s, ir.Save) or not isinstance(s.value, ir.Var):
            return (s,)
        name = s.value.name
        kind = function.kinds.get(name)
        memory = aliases.before(s)
        if _holds_arrays(kind) and name not in unbound:
            shared = memory.is_outside(name)
        else:
            shared = _may_be_array(kind) and not _is_private(memory, name, kind)
        if not shared:
            return (s,)
        assert kind is not None
        copy = ir.Var(f"{name}.kept")
        kept = ir.Assign(s.span, copy, _copy(ir.Var(name), kind, unbound), kind)
        return kept, replace(s, value=copy)

    return ir.with_leaves(block, line)
