"""Copies of run-time values: of the arguments that lead to what a program stores into,
and those that the program itself makes."""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import replace

from s2sad import ir, ops
from s2sad.analysis.memory.view_operations import is_number
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.run_time import making, queries, storing
from s2sad.ops.runtime import results, structures


def work_on_copies(
    spec: Specialiser, arguments: Mapping[str, core.Value]
) -> Mapping[str, core.Value]:
    """Let the parameters that may lead to what the program changes hold copies, and
    give what all hold. What several of them share, the copies share."""
    _follow_data(spec, arguments)
    leaves = [
        (name, leaf)
        for name, value in arguments.items()
        for leaf in core.leaves(value)
        if _leads_to_changed(spec, leaf.kind)
        and (leaf.path not in spec.facts.owned or _in_its_items(spec, leaf.kind))
    ]
    if not leaves:
        return arguments
    copies: dict[ir.Operand, core.Leaf] = {}
    for name, leaf in leaves:
        own = leaf.operand == ir.Var(name)  # a parameter itself is bound anew
        target = ir.Var(name) if own else spec.fresh(name)
        if leaf.operand not in copies:
            copies[leaf.operand] = core.Leaf(target, leaf.kind, leaf.path)
            if not own:  # who else holds it is asked of what was given
                spec.holders[target] = leaf.operand
                spec.read_again.add(target)
    _copy_together(spec, copies)
    held = dict(arguments)
    for name in dict.fromkeys(name for name, _ in leaves):
        spec.frame.names[name] = held[name] = core.map_leaves(
            arguments[name], lambda leaf: copies.get(leaf.operand, leaf)
        )
    return held


def copied_together(
    spec: Specialiser, leaves: Iterable[core.Leaf]
) -> Mapping[ir.Operand, core.Leaf]:
    """Copies of several values at once, by what is copied: what several of them lead
    to, their copies lead to."""
    copies: dict[ir.Operand, core.Leaf] = {}
    for leaf in leaves:
        if leaf.operand not in copies:
            copies[leaf.operand] = core.Leaf(spec.fresh("copy"), leaf.kind)
    _copy_together(spec, copies)
    return copies


def _copy_together(spec: Specialiser, copies: Mapping[ir.Operand, core.Leaf]) -> None:
    """Assign the copies of what they are listed under."""
    if len(copies) == 1:
        ((operand, copy),) = copies.items()
        made = _copy_of(spec, operand)
        if isinstance(copy.kind, ir.Members):
            made = ir.Apply(set, (operand,))
        spec.assign(_target(copy), made, copy.kind)
        return
    slots: dict[Hashable, ir.Kind] = {
        place: copy.kind for place, copy in enumerate(copies.values())
    }
    form = ir.Form(tuple, tuple(slots), slots)
    made = _copy_of(spec, ir.pack_tuple(*copies))
    whole = spec.assign(spec.fresh("copies"), made, ir.Reference((form,)))
    for place, copy in enumerate(copies.values()):
        read = ir.Apply(ops.read_item, (whole.operand, ir.Const(place)))
        spec.assign(_target(copy), read, copy.kind)


def _target(copy: core.Leaf) -> ir.Var:
    assert isinstance(copy.operand, ir.Var)
    return copy.operand


def _follow_data(spec: Specialiser, arguments: Mapping[str, core.Value]) -> None:
    """Where the program changes a set that it is given, the same may stand in what
    nobody has looked into."""
    if spec.facts.changes_foreign:
        return
    kinds = [leaf.kind for v in arguments.values() for leaf in core.leaves(v)]
    if any(storing.leads_to_changed_sets(spec, kind) for kind in kinds):
        held = (h for kind in kinds for h in _held(kind))
        if any(_is_data(h) and not isinstance(h, ir.Members) for h in held):
            spec.learn(replace(spec.facts, changes_foreign=True))


def _leads_to_changed(spec: Specialiser, kind: ir.Kind) -> bool:
    """True for what may lead to what the program changes."""
    sets = storing.leads_to_changed_sets(spec, kind)
    data = spec.facts.changes_foreign and any(map(_is_data, _held(kind)))
    return sets or data or storing.leads_to_stored(spec, kind)


def _held(kind: ir.Kind | None) -> Iterator[ir.Kind | None]:
    """The kinds of what it is and leads to."""
    if isinstance(kind, ir.List):
        yield from _held(kind.item)
    elif isinstance(kind, ir.Reference):
        for form in ir.reached_forms(kind):
            yield from form.slots.values()
    else:
        yield kind


def _is_data(kind: ir.Kind | None) -> bool:
    """True for what nobody has looked into, and for a set: what may be one or None is
    such."""
    if isinstance(kind, ir.Members):
        return kind.constructor is set
    unchanged = isinstance(kind, ir.RandomSource | ir.OneOf)
    return isinstance(kind, ir.Unknown) and not unchanged


def _copy_of(spec: Specialiser, operand: ir.Operand) -> ir.Apply:
    """A copy of objects, and of lists and dicts where the program stores into such."""
    items = not all(isinstance(name, str) for name in spec.facts.stored)
    arrays = ops.WRITTEN_ARRAYS in spec.facts.stored
    asked = {"items": items, "arrays": arrays, "sets": spec.facts.sets_change}
    asked["data"] = spec.facts.changes_foreign
    words = tuple((word, ir.Const(True)) for word in asked if asked[word])
    return ir.Apply(structures.working_copy, (operand,), words)


def checks_of_arrays(
    spec: Specialiser, arguments: Mapping[str, core.Value]
) -> list[ir.Statement]:
    """The check, where the program writes into arrays of what is kept, that no other
    array shares memory with one of those."""
    if ops.WRITTEN_ARRAYS not in spec.facts.stored:
        return []
    kept: dict[ir.Operand, None] = {}
    others: dict[ir.Operand, None] = {}
    for value in arguments.values():
        for leaf in core.leaves(value):
            if storing.leads_to_stored(spec, leaf.kind):
                kept[leaf.operand] = None
            elif not is_number(leaf.kind):
                others[leaf.operand] = None
    for data, kind in spec.module.kinds.items():
        if not is_number(kind):
            others[data] = None
    operands = ir.pack_tuple(*kept), ir.pack_tuple(*others)
    check = ir.Apply(results.require_told_apart, operands)
    return [ir.Effect(spec.main_span, check)] if kept else []


def _in_its_items(spec: Specialiser, kind: ir.Kind | None) -> bool:
    """True where what stands in a list or dict may lead to what is stored into."""
    if not isinstance(kind, ir.Reference):
        return False
    return storing.holds_written(spec, kind) or any(
        _leads_to_changed(spec, slot)
        for form in kind.forms
        for slot in form.slots.values()
    )


def copied(spec: Specialiser, value: core.Value, *, deep: bool) -> core.Value:
    """``copy.deepcopy(value)``, and ``copy.copy(value)`` of an object that leads to no
    other one."""
    kind = core.kind_of(value)
    plain = isinstance(value, core.Leaf) and isinstance(kind, ir.Reference)
    if isinstance(kind, ir.Reference) and not deep:
        containers = (
            issubclass(f.constructor, list | tuple | dict) for f in kind.forms
        )
        if all(containers) and not storing.names_of_stored(spec, kind):
            return value  # nothing changes which objects it holds
        held = (slot for form in kind.forms for slot in form.slots.values())
        plain = plain and not any(isinstance(slot, ir.Reference) for slot in held)
        plain = plain and not storing.holds_written(spec, kind)  # both hold those
    if not plain and not deep and isinstance(value, core.Leaf):
        made = _made_of_the_same(spec, value)
        if made is not None:
            return made
    if not plain:
        if isinstance(value, core.Cell):
            spec.keep_objects(value)
        raise core.Unsupported(
            f"a copy of a value of kind {kind}, which leads to objects into which the "
            "program stores",
            "use deepcopy of one object, or make new ones of their attributes",
        )
    assert isinstance(value, core.Leaf)
    return spec.assign(spec.fresh("copy"), _copy_of(spec, value.operand), value.kind)


def _made_of_the_same(spec: Specialiser, value: core.Leaf) -> core.Value | None:
    """A new object that holds what another one does; None for what isn't an object of
    one form."""
    kind = core.kind_of(value)
    forms = kind.forms if isinstance(kind, ir.Reference) else ()
    if len(forms) != 1 or forms[0].optional:
        return None
    cls = forms[0].constructor
    if issubclass(cls, ir.CONTAINERS) or queries.form_given(spec, cls) is not forms[0]:
        return None
    spec.keep_objects(cls, surely=True)
    names = [str(name) for name in forms[0].keys]
    values = {name: spec.attribute_of(value, name) for name in names}
    return making.made_object(spec, cls, values)
