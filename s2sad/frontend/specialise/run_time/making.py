"""Objects that the program makes, of a class of which it is given some that are kept.

::

    qs = [*ps, P(x, 2.0)]        ->        p = make_object(P, ('x', 'm'), x, 2.0)
                                           qs = [*ps, p]

An object that the program makes is taken apart as long as the names that hold it are
known. Where one may be among those that are given, only the run can tell which is
which: then all that the program makes of the class are kept as they are, which is a
fact of the whole program.
"""

from collections import deque
from collections.abc import Hashable, Mapping, Set
from dataclasses import replace
from enum import Enum
from functools import reduce
from typing import Any

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.closures import function_records
from s2sad.frontend.specialise.containers import lists
from s2sad.frontend.specialise.control import sorts
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.heap import forming, places
from s2sad.frontend.specialise.optionals import values_as_references
from s2sad.frontend.specialise.run_time import owning, queries, storing
from s2sad.ops.runtime.results import require_other_text


def made_object(
    spec: Specialiser, cls: Any, values: Mapping[str, core.Value]
) -> core.Value:
    """An object of the class, with these attributes, as the run keeps it."""
    form = queries.form_given(spec, cls)
    assert form is not None
    values = forming.with_class_data(form, values)
    if spec.facts.formed.get(queries.class_of_kept(cls)) is form:
        forming.grow(spec, form, values)
    names = tuple(name for name in form.keys if name in values)
    missing = set(form.keys) - {*names, *form.optional}
    if missing or len(names) < len(values):
        unlike = sorted(map(str, missing | (set(values) - set(names))))
        raise core.Unsupported(
            f"a {cls.__name__} is made that differs from those that are given in "
            f"having or lacking {', '.join(unlike)}",
            "let all objects of a class have the same attributes",
        )
    operands = [_in_slot(spec, form, name, values[str(name)]) for name in names]
    operation = ir.Apply(ops.make_object, (ir.Const(cls), ir.Const(names), *operands))
    hint = spec.fresh(cls.__name__.lower())
    return spec.assign(hint, operation, ir.Reference((form,)))


@core.verb
def kept_record(
    spec: Specialiser, cls: type, held: Mapping[str, core.Value]
) -> core.Value:
    """A record of a class that the compiler made, with these attributes."""
    if cls not in spec.facts.made:
        queries.let_be_kept(spec, cls)
    return made_object(spec, cls, held)


def is_made_empty(spec: Specialiser, cls: Any) -> bool:
    """True for a class whose objects are kept from before their ``__init__`` runs."""
    is_empty = queries.class_of_kept(cls) in spec.facts.made_empty
    return is_empty and queries.is_made_kept(spec, cls)


def empty_object(spec: Specialiser, cls: Any) -> core.Leaf:
    """An object of the class without attributes: these are stored one by one."""
    form = queries.form_given(spec, cls)
    assert form is not None
    held = forming.with_class_data(form, {})
    forming.grow(spec, form, held)
    operands = [_in_slot(spec, form, name, value) for name, value in held.items()]
    operation = ir.Apply(
        ops.make_object, (ir.Const(cls), ir.Const(tuple(held)), *operands)
    )
    hint = spec.fresh(cls.__name__.lower())
    return spec.assign(hint, operation, ir.Reference((form,)))


def _in_slot(
    spec: Specialiser, form: ir.Form, name: Any, value: core.Value
) -> ir.Operand:
    """What an attribute of an object holds when it is made."""
    cls = form.constructor
    held = form.slots.get(name, ir.NONE)
    value = function_records.as_held(spec, held, value)
    value = storing.as_item(spec, ir.Reference((form,)), held, value)
    value = _whole_as_float(spec, value, held)
    value = spec.kept_container(held, value)
    if values_as_references.is_value_beside(value, core.Leaf(ir.Const(None), held)):
        assert isinstance(value, core.Leaf)
        value = values_as_references.as_reference(spec, value, held)
    kind = core.kind_of(value)
    if not isinstance(value, core.Leaf) or not _fits(kind, held):
        of = f"the attribute {name!r}" if isinstance(name, str) else "an item"
        raise core.Unsupported(
            f"{core.describe(value)} is {of} of a {cls.__name__} "
            f"that is made, and those that are given hold {held}",
            "let all objects of a class hold the same there",
        )
    if isinstance(kind, ir.Array) and not issubclass(cls, tuple):
        for slot in storing.slots_of(form, name):
            storing.note_stored(spec, slot, held, kind)
    elif issubclass(cls, ir.CONTAINERS):
        if not isinstance(kind, ir.Reference) and ir.join(held, kind) != held:
            raise core.Unsupported(
                f"{kind} is an item of a {cls.__name__} that is made, and those that "
                f"are given hold {held}",
                "let all lists and tuples at one place hold the same",
            )
    elif ir.is_real_number_kind(kind):
        _note(spec, cls, name, held, kind)
    return value.operand


@core.verb
def kept_container(spec: Specialiser, held: ir.Kind, value: core.Value) -> core.Value:
    """A list or tuple that gets its place where such a kind is held, as the run keeps
    it; other values as they are."""
    forms = held.forms if isinstance(held, ir.Reference) else ()
    cell = value if isinstance(value, core.Cell) else None
    if places.is_plain_container(value) and value.frame.place is None:
        value = spec.content_of(value)
    cls = lists.constructor_of(value)
    if cell is not None and cell.constructor is deque:
        cls = deque
    if isinstance(value, core.Aggregate) and value.constructor is dict:
        cls = dict
    if core.is_named_tuple(value):
        cls = value.constructor
    own = (None, sorts.sort_of_made(value))
    fitting = [
        f
        for f in forms
        if f.constructor is cls and sorts.sort_of_form(f) in own
        if f.called is (cls if cell is None else cell.constructor)
    ]
    if len(fitting) > 1:  # beside such as are given
        fitting = [form for form in fitting if forming.is_own(spec, form)]
    if len(fitting) != 1:
        return cell or value
    (form,) = fitting
    if storing.names_of_stored(spec, ir.Reference((form,))) and cell is None:
        if form.constructor in (list, dict) and not spec.derived:
            spec.learn_changing(form.constructor)  # who else holds it matters
    makers = cell.frame.makers if cell is not None else frozenset()
    if cell is not None and cell.frame.frozen:  # it stands in what holds it by value
        if storing.names_of_stored(spec, ir.Reference((form,))):
            raise core.Unsupported(
                f"{core.describe(cell)} that stands in a list is put somewhere else, "
                "too, and the program changes what stands there",
                "put a copy of it there: list(items) or dict(entries)",
            )
    made = None if isinstance(value, core.Cell) else _kept(spec, form, value)
    if cell is not None and cell.frame.outside:
        made = _as_module_data(spec, form, made)
    if made is None:  # what can't be copied, or not well, may be made so
        owning.let_be_kept(spec, makers, form)
        return cell or value
    if cell is not None:
        core.lose(
            cell.frame,
            f"a {cell.constructor.__name__} is used under the name it had before it "
            "was put into an object or list that is given",
            "use it from there: `p.items`",
            (makers, form),
        )
    return made


def _as_module_data(
    spec: Specialiser, form: ir.Form, made: core.Leaf | None
) -> core.Leaf | None:
    """What was just made of a list or dict of the module, as one that isn't changed
    where it is kept: who else holds it would see that."""
    if made is None or not storing.names_of_stored(spec, ir.Reference((form,))):
        return made
    line = spec.block[-1]
    if not ir.is_line(line, ops.make_object) or line.target != made.operand:
        return None
    words = (("of_module", ir.Const(True)),)
    spec.block[-1] = replace(line, value=replace(line.value, keywords=words))
    return made


@core.verb
def made_where_kept(
    spec: Specialiser, value: core.Value, makers: Set[Hashable]
) -> core.Value:
    """A list or dict that one of some expressions made, as the run keeps it, if it
    does."""
    kept = spec.facts.kept.items()
    form = next((form for maker, form in kept if maker in makers), None)
    if form is None:
        return value
    content = spec.content_of(value) if isinstance(value, core.Cell) else value
    try:
        if forming.is_own(spec, form):
            forming.grow_items(spec, form, content)
        with spec.new_block() as block:
            made = _kept(spec, form, content)
    except core.Unsupported:  # a function that makes others elsewhere
        return value
    spec.block += block
    return value if made is None else made


def _kept(spec: Specialiser, form: ir.Form, value: core.Value) -> core.Leaf | None:
    """A list or tuple of a form; None where it is another."""
    if form.constructor is set:
        return core.single(spec.set_held(value))
    kind = ir.Reference((form,))
    if isinstance(value, core.Leaf):
        if not isinstance(value.kind, ir.List):
            return None
        if form.constructor not in (list, deque):
            return None
        item = value.kind.item
        if item is None:  # nothing was put into it
            return _empty(spec, form)
        of_values = isinstance(form.slots.get(ir.EACH), ir.Reference)
        if form.constructor is deque or (ir.is_value(item) and of_values):
            return _filled(spec, form, value)
        if not _fits(item, form.slots.get(ir.EACH, ir.NONE)):
            return None
        held = ir.Reference | ir.Scalar | ir.NumPyScalar | ir.Array
        if not isinstance(item, held) and item != ir.NONE:
            return None
        operation = ir.Apply(ops.kept_list, (value.operand,))
        return spec.assign(spec.fresh("items"), operation, kind)
    assert isinstance(value, core.Aggregate)
    if value.constructor is core.Rows:
        return _filled(spec, form, value)
    keys: tuple[Any, ...] = tuple(range(len(value.items)))
    if hasattr(form.constructor, "_fields"):
        keys = value.keys
    if form.constructor is dict:
        keys = value.keys
        if not all(isinstance(k, str | int | Enum) for k in keys):
            return None
    if not (form.is_uniform or form.keys == keys):
        return None
    operands = [
        _in_slot(spec, form, ir.EACH if form.is_uniform else key, item)
        for key, item in zip(keys, value.items, strict=True)
    ]
    texts = forming.texts_of_others(spec, form)
    if texts:
        check = ir.Apply(require_other_text, (operands[0], ir.Const(texts)))
        spec.emit(ir.Effect(spec.span, check))
    cls = ir.Const(form.constructor)
    operation = ir.Apply(ops.make_object, (cls, ir.Const(keys), *operands))
    named = hasattr(form.constructor, "_fields")
    hint = form.constructor.__name__.lower() if named else "items"
    return spec.assign(spec.fresh(hint), operation, kind)


def _filled(spec: Specialiser, form: ir.Form, content: core.Value) -> core.Leaf:
    """A list or dict of a form into which items are put one by one."""
    made = _empty(spec, form)
    spec.fill(made, content)
    return made


def _empty(spec: Specialiser, form: ir.Form) -> core.Leaf:
    operation = ir.Apply(ops.make_object, (ir.Const(form.constructor), ir.Const(())))
    return spec.assign(spec.fresh("items"), operation, ir.Reference((form,)))


def _whole_as_float(spec: Specialiser, value: core.Value, held: ir.Kind) -> core.Value:
    """A whole number as a float where floats are held, and no whole numbers."""
    kind = core.kind_of(value)
    whole = isinstance(kind, ir.Scalar) and kind.type in ("int", "bool")
    if not whole or not ir.is_real_number_kind(held):
        return value
    if isinstance(held, ir.Reference) and any(f.constructor is int for f in held.forms):
        return value
    if isinstance(value, core.Leaf) and isinstance(value.operand, ir.Const):
        return core.single(core.constant(float(value.operand.value)))
    return spec.apply(float, (value,), hint="value")


def _fits(kind: ir.Kind, held: ir.Kind) -> bool:
    """True for what may stand where something of another kind is held."""
    if isinstance(held, ir.Reference):
        if kind == ir.NONE:
            return held.may_be_none
        return (
            isinstance(kind, ir.Reference)
            and all(form in held.forms for form in kind.forms)
            and held.may_be_none >= kind.may_be_none
        )
    if isinstance(held, ir.Unknown) and held.present is not None:
        return kind == ir.NONE or kind == held or _fits(kind, held.present)
    if ir.is_real_number_kind(held) and not ir.is_complex(held):
        numbers = (ir.Scalar, ir.NumPyScalar)
        alike = isinstance(kind, numbers) and isinstance(held, numbers)
        alike |= isinstance(kind, ir.Array) and isinstance(held, ir.Array)
        return alike and ir.is_real_number_kind(kind) and not ir.is_complex(kind)
    return not ir.is_real_number_kind(kind) and ir.join(held, kind) == held


def _note(spec: Specialiser, cls: Any, name: str, held: ir.Kind, kind: ir.Kind) -> None:
    """Let it be known what the objects that are made hold beside those that are
    given."""
    kind = replace(kind, value=None) if isinstance(kind, ir.Scalar) else kind
    if ir.join(held, kind) == held:
        return
    slots = spec.facts.made[cls]
    joined = ir.join(slots[name], kind) if name in slots else kind
    if joined != slots.get(name):
        made = {**spec.facts.made, cls: {**slots, name: joined}}
        spec.learn(replace(spec.facts, made=made))


def with_made(
    spec: Specialiser, owner: ir.Kind | None, key: Any, held: ir.Kind
) -> ir.Kind:
    """The kind of what an attribute holds, of objects that are given or made."""
    if not spec.facts.made or not isinstance(owner, ir.Reference):
        return held
    slots = (spec.facts.made.get(form.constructor, {}) for form in owner.forms)
    return reduce(ir.join, (s[key] for s in slots if key in s), held)
