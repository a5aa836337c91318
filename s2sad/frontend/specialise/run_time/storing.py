"""Storing numbers and arrays into attributes of run-time values.

::

    for p in particles:                      particles = working_copy(particles)
        p.x += dt * p.v             ->       for p in particles:
                                                 p.x = p.x + dt * p.v

The store is an effect on the object, and what is read of such an attribute depends on
when it is read. So no read of it is shared, moved or repeated; which attributes these
are is a fact of the whole program, by their names alone: any two references may lead to
one object. The caller's own objects stay as they are, since the program works on a copy
of all that may lead to them.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.objects import members
from s2sad.frontend.specialise.run_time import queries, unions
from s2sad.ops.runtime.structures import (
    as_structure,
    require_like,
    tangent_copy,
    working_copy,
    zeros_of_structure,
)
from s2sad.source.annotations.annotation_nodes import holds_name

_ADVICE = "keep the value in a local variable, or make a new object"


def store_attribute(
    spec: Specialiser, owner: core.Leaf, name: str, value: core.Value, node: ast.AST
) -> None:
    """``owner.name = value``."""
    owner = unions.present(owner)
    forms = queries.kind_of(owner).forms
    held = ir.kind_of_slot(queries.kind_of(owner), name)
    if held is None or not all(name in form.slots for form in forms):
        raise core.Unsupported(
            node,
            f"the attribute {name!r} is stored, which not all of the objects that are "
            "given have",
            "give objects that have it",
        )
    for form in forms:
        _check_class(form.constructor, name, node)
    stored = _as_held(spec, value, held, name, node)
    note_stored(spec, name, held, stored.kind, node)
    if isinstance(stored.kind, ir.Array):
        before = read_stored(spec, owner, name, held)
        demand = ir.Apply(require_like, (core.operand_of(before), stored.operand))
        spec.emit(ir.Effect(spec.span, demand))
    operation = ir.Apply(
        ops.store_attribute, (owner.operand, ir.Const(name), stored.operand)
    )
    spec.emit(ir.Effect(spec.span, operation))


def _check_class(cls: type, name: str, node: ast.AST) -> None:
    """Refuse a class that does something else than to store."""
    member = members.member_of(cls, name)
    by_itself = member is None or member.sort == "data" or _is_slot(member.value)
    own = members.member_of(cls, "__setattr__")
    if own is not None and own.owner is not object:
        by_itself = False
    if not by_itself or issubclass(cls, tuple | list | dict):
        raise core.Unsupported(
            node,
            f"storing the attribute {name!r} of a {cls.__name__} that is given is "
            "the work of its class",
            _ADVICE,
        )


def _is_slot(value: object) -> bool:
    return type(value).__name__ == "member_descriptor"


def _as_held(
    spec: Specialiser, value: core.Value, held: ir.Kind, name: str, node: ast.AST
) -> core.Leaf:
    """What is stored where a number or array of some kind is held."""
    kind = core.kind_of(value)
    numbers = isinstance(held, _NUMBERS) and isinstance(kind, _NUMBERS)
    arrays = isinstance(held, ir.Array) and isinstance(kind, ir.Array)
    if not isinstance(value, core.Leaf) or not (numbers or arrays):
        raise core.Unsupported(
            node,
            f"{core.describe(value)} is stored in the attribute {name!r}, which holds "
            f"{held}, of an object that is given",
            "store what it holds, a number or an array",
        )
    whole = isinstance(kind, ir.Scalar) and kind.type in ("int", "bool")
    if whole and ir.is_real_number_kind(held):
        if isinstance(value.operand, ir.Const):
            return core.single(core.constant(float(value.operand.value)))
        return core.single(spec.apply(float, (value,), node=node, hint=name))
    return value


_NUMBERS = (ir.Scalar, ir.NumPyScalar)


def note_stored(
    spec: Specialiser, name: str, held: ir.Kind, stored: ir.Kind, node: ast.AST
) -> None:
    """Let it be known that the program stores into attributes of this name, and what
    these hold then."""
    known = spec.facts.stored.get(name)
    kind = _without_value(stored) if known is None else ir.join(known, stored)
    joined = ir.join(held, kind)
    if isinstance(joined, ir.Array):
        # what isn't known is checked when the program runs
        dtypes = {ir.dtype_of(held), ir.dtype_of(stored)} - {None}
        ranks = {ir.rank_of(held), ir.rank_of(stored)} - {None}
        alike = len(dtypes) < 2 and len(ranks) < 2
    else:
        varies = ir.is_real_number_kind(held)
        alike = isinstance(joined, _NUMBERS)
        alike = alike and ir.is_real_number_kind(joined) == varies
        alike = alike and ir.is_complex(joined) == ir.is_complex(held)
    if not alike or ir.is_promoted(joined):
        raise core.Unsupported(
            node,
            f"{stored} is stored in the attribute {name!r}, which holds {held}",
            "store what is of one kind, and give such",
        )
    if kind != known:
        spec.learn(replace(spec.facts, stored={**spec.facts.stored, name: kind}))


def _without_value(kind: ir.Kind) -> ir.Kind:
    return replace(kind, value=None) if isinstance(kind, ir.Scalar) else kind


def read_stored(
    spec: Specialiser, value: core.Leaf, name: str, held: ir.Kind
) -> core.Value:
    """``value.name`` of an attribute into which the program stores."""
    kind = ir.join(held, spec.facts.stored[name])
    operation = ir.Apply(ops.stored_attribute, (value.operand, ir.Const(name)))
    return spec.assign(spec.fresh(name), operation, kind)


# ------------------------------------------------------------------ arguments


def work_on_copies(
    spec: Specialiser, arguments: Mapping[str, core.Value]
) -> Mapping[str, core.Value]:
    """Let the parameters that may lead to what the program changes hold copies, and
    give what all hold. What several of them share, the copies share."""
    leaves = [
        (name, leaf)
        for name, value in arguments.items()
        for leaf in core.leaves(value)
        if leads_to_stored(spec, leaf.kind)
    ]
    if not leaves:
        return arguments
    copies: dict[ir.Operand, core.Leaf] = {}
    targets: list[ir.Var] = []
    for name, leaf in leaves:
        own = leaf.operand == ir.Var(name)  # a parameter itself is bound anew
        target = ir.Var(name) if own else spec.fresh(name)
        if leaf.operand not in copies:
            targets.append(target)
            copies[leaf.operand] = core.Leaf(target, leaf.kind)
    if len(copies) == 1:
        ((operand, copy),) = copies.items()
        spec.assign(targets[0], ir.Apply(working_copy, (operand,)), copy.kind)
    else:
        slots: dict[Hashable, ir.Kind] = {
            place: copy.kind for place, copy in enumerate(copies.values())
        }
        form = ir.Form(tuple, tuple(slots), slots)
        made = ir.Apply(working_copy, (ir.pack_tuple(*copies),))
        whole = spec.assign(spec.fresh("copies"), made, ir.Reference((form,)))
        for place, copy in enumerate(copies.values()):
            read = ir.Apply(ops.read_item, (whole.operand, ir.Const(place)))
            spec.assign(targets[place], read, copy.kind)
    for name in dict.fromkeys(name for name, _ in leaves):
        spec.frame.names[name] = core.map_leaves(
            arguments[name], lambda leaf, path: copies.get(leaf.operand, leaf)
        )
    return dict(spec.frame.names)


def leads_to_stored(spec: Specialiser, kind: ir.Kind | None) -> bool:
    """True for a reference that may lead to an object into which the program stores."""
    if isinstance(kind, ir.List):
        return leads_to_stored(spec, kind.item)
    return isinstance(kind, ir.Reference) and any(
        name in form.slots
        for form in ir.reached_forms(kind)
        for name in spec.facts.stored
    )


def copied(
    spec: Specialiser, value: core.Value, node: ast.AST, *, deep: bool
) -> core.Value:
    """``copy.deepcopy(value)``, and ``copy.copy(value)`` of an object that leads to no
    other one."""
    kind = core.kind_of(value)
    plain = isinstance(value, core.Leaf) and isinstance(kind, ir.Reference)
    if isinstance(kind, ir.Reference) and not deep:
        if all(issubclass(f.constructor, list | tuple | dict) for f in kind.forms):
            return value  # nothing changes which objects it holds
        plain = plain and len(list(ir.reached_forms(kind))) == len(kind.forms)
    if not plain:
        raise core.Unsupported(
            node,
            f"a copy of {core.describe(value)}, which leads to objects into which the "
            "program stores",
            "use deepcopy of one object, or make new ones of their attributes",
        )
    assert isinstance(value, core.Leaf)
    operation = ir.Apply(working_copy, (value.operand,))
    return spec.assign(spec.fresh("copy"), operation, value.kind)


# ------------------------------------------------------------------ what is refused

_FOLLOWED = (
    *(ops.read_item, ops.read_attribute, ops.stored_attribute, ops.items_of),
    *(*ops.STORES_INTO_SLOTS, *ops.MOVE_REFERENCES, working_copy),
    *(type, getattr, operator.getitem, ops.evaluated),
    # in a gradient that is differentiated again
    *(zeros_of_structure, as_structure, tangent_copy, *ops.ADDS_TO_ADJOINTS),
)
"""What may be given an object into which the program stores."""
_COMPARING = (
    *(operator.eq, operator.ne, operator.indexOf, operator.countOf, ops.contains),
)
"""What reads it where its class defines ``==``."""


def refuse_unfollowed(spec: Specialiser, body: ir.Block) -> None:
    """Raise UnsupportedError where a program that stores into what it was given does
    something else with it that isn't followed."""
    if not spec.facts.stored:
        return
    if any(read.attributes[-1:] in _names(spec) for read in spec.module.reads):
        spec.report_at(_outside(), None)
    of_arrays = any(isinstance(k, ir.Array) for k in spec.facts.stored.values())
    for block, is_called in _blocks(body):
        kinds = _kinds(spec, block)
        attempts = (s for s in ir.walk(block) if isinstance(s, ir.Try))
        tried = {id(inner) for s in attempts for inner in ir.walk((s,))}
        for s in ir.walk(block):
            if of_arrays and ops.is_write(s):
                spec.report_at(_written_into(), s.span)
            for operation in ir.operations(s):
                derived = getattr(s, "derived", False)
                problem = _unfollowed(spec, operation, kinds, derived)
                if operation.function in ops.STORES_INTO_SLOTS:
                    problem = _store_refused(is_called, id(s) in tried) or problem
                if problem is not None:
                    spec.report_at(problem, s.span)
    spec.raise_problems()


def _written_into() -> core.Unsupported:
    return core.Unsupported(
        None,
        "this writes into an array, in a program that stores arrays in attributes of "
        "objects that are given: such an array may be in several places",
        "make a new array: `p.x = p.x + d` for `p.x += d`",
    )


def refuse_captured(
    spec: Specialiser, body: Iterable[ir.Statement], captured: Iterable[core.Value]
) -> None:
    """Raise Unsupported where a function of which a derivative is taken inside of
    another stores into what it captures: only its arguments are copied."""
    leads = any(
        leads_to_stored(spec, leaf.kind)
        for value in captured
        for leaf in core.leaves(value)
    )
    stores = (
        operation.function in ops.STORES_INTO_SLOTS
        for s in ir.walk(tuple(body))
        for operation in ir.operations(s)
    )
    if leads and any(stores):
        raise core.Unsupported(
            None,
            "a function of which a derivative is taken stores into an object that it "
            "captures",
            "pass the object to it",
        )


def _names(spec: Specialiser) -> set[tuple[str, ...]]:
    return {(name,) for name in spec.facts.stored}


def _blocks(body: ir.Block) -> Iterable[tuple[ir.Block, bool]]:
    yield body, False
    for procedure in ir.all_procedures([body]):
        if ir.is_complete(procedure):
            yield procedure.function.body, True


def _kinds(spec: Specialiser, block: ir.Block) -> dict[ir.Operand, ir.Kind | None]:
    kinds: dict[ir.Operand, ir.Kind | None] = {}
    for s in ir.walk(block):
        if isinstance(s, ir.Assign):
            kinds[s.target] = s.kind
    return kinds


def _store_refused(is_called: bool, is_tried: bool) -> core.Unsupported | None:
    if is_called:
        return core.Unsupported(
            None,
            "an attribute of an object that is given is stored in a function that "
            "calls itself, or is kept as a function",
            _ADVICE,
        )
    if is_tried:
        return core.Unsupported(
            None,
            "an attribute of an object that is given is stored in a try statement",
            "store it behind the statement",
        )
    return None


def _outside() -> core.Unsupported:
    return core.Unsupported(
        None,
        "attributes are stored of objects that are given, and such an attribute is "
        "read of an object of the module, which may be one of them",
        "pass the object in",
    )


def _unfollowed(
    spec: Specialiser,
    operation: ir.Apply,
    kinds: Mapping[ir.Operand, ir.Kind | None],
    derived: bool,
) -> core.Unsupported | None:
    """Why an operation on what may be stored into is refused; None if it isn't. That of
    a derivative inside, which is ``derived``, looks at structures alone."""
    function = operation.function
    stored = [ir.Const(name) for name in spec.facts.stored]
    if function is ops.read_attribute and operation.args[1] in stored:
        return core.Unsupported(
            None,
            "a derivative inside of the function is taken of what reads an attribute "
            "into which the function stores",
            _ADVICE,
        )
    for operand in operation.args:
        if isinstance(operand, ir.Global):
            if leads_to_stored(spec, spec.module.kinds.get(operand)):
                return _outside()
        kind = kinds.get(operand)
        if not leads_to_stored(spec, kind) or isinstance(function, ir.Procedure):
            continue
        if function is list and _is_dict(kind):  # its keys
            continue
        if derived and function.__module__.startswith(ops.CALLED_BY_NAME):
            continue
        if function not in _FOLLOWED or (function in _COMPARING and _compares(kind)):
            return core.Unsupported(
                None,
                f"{ir.function_name(function)} is given an object into which the "
                "program stores",
                "give it the numbers that it needs",
            )
    return None


def _is_dict(kind: ir.Kind | None) -> bool:
    return isinstance(kind, ir.Reference) and all(
        issubclass(form.constructor, dict) for form in kind.forms
    )


def _compares(kind: ir.Kind | None) -> bool:
    while isinstance(kind, ir.List):
        kind = kind.item
    assert kind is not None
    return any(
        holds_name(form.constructor, "__eq__")
        for form in ir.reached_forms(kind)
        if form.constructor not in (list, tuple, dict)
    )
