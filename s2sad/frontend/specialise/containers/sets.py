"""Sets: of values that are known before the program runs, and of others.

    shared = {*triangle} & {*other}        decided at once
    if rest.keys() == {"force"}: ...
    words = set(text.split())              a set of Python's when the program runs

A set is known until something is put into it, or asked of it, that isn't: then the
program is specialised again, with what its expression makes held by the run
(``run_time_sets.py``). So is a set of which the order matters.
"""

import ast
import operator
from collections.abc import Callable, Sequence
from typing import Any

from s2sad import ir, ops, rules
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.calls.builtin_calls import BUILTIN_CALLS
from s2sad.frontend.specialise.containers import dicts, run_time_sets
from s2sad.frontend.specialise.control.comprehensions import free_wish, lazy_elements
from s2sad.frontend.specialise.control.trials import attempt
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.iteration import iteration
from s2sad.frontend.specialise.iteration.consumers import materialised
from s2sad.frontend.specialise.library_calls import constant_calls
from s2sad.frontend.specialise.run_time import queries, storing

OPERATIONS = (operator.and_, operator.or_, operator.sub, operator.xor)
COMPARISONS = (
    *(operator.eq, operator.ne, operator.lt),
    *(operator.le, operator.gt, operator.ge),
)
CLASSES = (set, frozenset)


# ------------------------------------------------------------------ making


@core.expression(ast.Set)
def set_display(spec: Specialiser, node: ast.Set) -> core.Value:
    """Each value once; where all are known, so is which of them are equal."""
    items: list[core.Value] = []
    unpacked: list[core.Value] = []
    for inner in node.elts:
        if not isinstance(inner, ast.Starred):
            items.append(spec.evaluate(inner))
            continue
        with spec.at(inner):
            value = spec.contents(spec.evaluate(inner.value))
            known = members_of(value) if is_set(value) else core.items_of(value)
        if known is None:
            unpacked.append(value)
        items += known or ()
    made = set_of(spec, items)
    if unpacked:
        made = spec.call_method(core.Method(made, "union"), tuple(unpacked), {})
    return made


@core.expression(ast.SetComp)
def set_comprehension(spec: Specialiser, node: ast.SetComp) -> core.Value:
    """The same of what a comprehension gives."""
    wish, spec.wish = free_wish(spec, node), ""
    lazy = lazy_elements(spec, node)
    (source,) = lazy.sources

    def again() -> core.Lazy:
        spec.wish = wish
        return lazy_elements(spec, node, source)

    return set_of_items(spec, lazy, set, again)


def set_of(
    spec: Specialiser, items: Sequence[core.Value], constructor: type = set
) -> core.Value:
    """A set of so many values."""
    if not all(rules.is_static(core.kind_of(item)) for item in items):
        return _made(spec, items, constructor)
    known: dict[Any, core.Value] = {}
    for item in items:
        known.setdefault(rules.static_value(core.kind_of(item)), item)
    return core.aggregate_of(tuple(known.values()), constructor)


def _made(
    spec: Specialiser, items: Sequence[core.Value], constructor: type
) -> core.Leaf:
    """A set that the run makes of so many values."""
    member = run_time_sets.kind_of_members(spec, map(core.kind_of, items))
    operands = tuple(dicts.key_operand(spec, item) for item in items)
    kind = ir.Members(member=member)
    made = run_time_sets.asked(spec, ops.set_of_members, operands, kind, "members")
    if constructor is set:
        return made
    kind = ir.Members(member=member, constructor=constructor)
    return run_time_sets.asked(spec, constructor, (made.operand,), kind, "members")


def set_of_items(
    spec: Specialiser,
    value: core.Value,
    cls: type = set,
    again: Callable[[], core.Value] | None = None,
) -> core.Value:
    """``set(value)``; ``again`` gives the value once more if it is an iterator."""
    value = spec.contents(value)
    if is_set(value):
        return set_of(spec, members_of(value), cls)
    if operand_of_items(spec, value) is None:
        lazy = again is not None

        def listed() -> core.Value:
            found = materialised(spec, value)
            if lazy and core.items_of(found) is None:
                if operand_of_items(spec, found) is None:
                    raise core.Unsupported("no set is made of that at once")
            return found

        try:
            value = attempt(spec, listed)
        except core.Unsupported:  # no list may hold such items
            if again is None:
                raise
            return _filled(spec, again(), cls)
    items = core.items_of(value)
    if items is not None:
        return set_of(spec, items, cls)
    operand = operand_of_items(spec, value)
    if operand is None:
        return _filled(spec, value, cls)
    kind = core.kind_of(value)
    if queries.is_dict(value) and storing.is_resized(spec, queries.kind_of(value)):
        keys = ir.Apply(ops.stored_keys, (operand,))
        operand = spec.assign(spec.fresh("keys"), keys, ir.OPAQUE).operand
    held = getattr(kind, "member", None) or getattr(kind, "item", None) or ir.OPAQUE
    if isinstance(value, core.Lazy):
        held = ir.INT  # a range
    member = run_time_sets.kind_of_members(spec, [held])
    kind = ir.Members(member=member, constructor=cls)
    return run_time_sets.asked(spec, cls, (operand,), kind, "members")


def operand_of_items(spec: Specialiser, value: core.Value) -> Any:
    """What Python makes a set of as it is; None for other values."""
    if constant_calls.is_data(spec, value):
        return core.operand_of(value)
    if run_time_sets.is_of_the_run(value):
        return value.operand
    if isinstance(value, core.Lazy) and value.what == "range":
        return core.operand_of(iteration.range_as_data(spec, value))
    if not isinstance(value, core.Leaf):
        return None
    if queries.is_dict(value):
        uniform = all(form.is_uniform for form in queries.kind_of(value).forms)
        return value.operand if uniform else None
    if queries.is_sequence(value):
        held = ir.kind_of_slot(queries.kind_of(value), ir.EACH)
        return value.operand if held == ir.OPAQUE else None
    if isinstance(value.kind, ir.List):
        plain = value.kind.item in (ir.OPAQUE, ir.INT, ir.BOOL, ir.FLOAT)
        return value.operand if plain else None
    return None


def _filled(spec: Specialiser, value: core.Value, cls: type) -> core.Value:
    """A set to which items are added one by one."""
    wish, spec.wish = spec.wish, ""
    made = _made(spec, (), set)
    if wish:
        made = spec.assign(spec.variable(wish), made.operand, made.kind)

    def add(item: core.Value) -> None:
        run_time_sets.change(spec, made, "add", dicts.key_operand(spec, item))

    iteration.drive(spec, spec.iterate(value), add, set(), hint="item")
    return made if cls is set else set_of_items(spec, made, cls)


@core.verb
def hold_sets(spec: Specialiser, *values: core.Value) -> None:
    """Let sets among values, and in these, be held by the run: they are put where only
    the run knows what stands. Raises Learned or Unsupported if there are."""
    for value in values:
        if getattr(value, "constructor", None) not in CLASSES:
            hold_sets(spec, *(part for _, part in core.parts_of(value)))
            continue
        makers = (
            getattr(value, "maker", None),
            *getattr(getattr(value, "frame", None), "makers", ()),
        )
        run_time_sets.hold(spec, {maker for maker in makers if maker is not None})
        raise core.Unsupported(
            "which set something holds is known only when the program runs",
            "make the set where it is put there: set()",
        )


@core.verb
def set_held(spec: Specialiser, value: core.Value) -> core.Value:
    """A set as one that the run holds; other values as they are."""
    value = spec.contents(value)
    if not is_set(value):
        return value
    assert isinstance(value, core.Aggregate)
    cls = value.constructor if value.constructor in CLASSES else set
    return _made(spec, value.items, cls)


def _constructor(cls: type) -> Any:
    def make(spec: Specialiser, args: Any, keywords: Any) -> core.Value:
        return set_of_items(spec, args[0], cls) if args else set_of(spec, (), cls)

    return make


BUILTIN_CALLS[set] = _constructor(set)
BUILTIN_CALLS[frozenset] = _constructor(frozenset)


# ------------------------------------------------------------------ known ones


def is_set(value: core.Value) -> bool:
    """True for a set that is known, and for the keys of a dict."""
    return isinstance(value, core.Aggregate) and value.constructor in (
        *CLASSES,
        core.Keys,
    )


def members(value: core.Value) -> set[Any]:
    """What a set holds."""
    assert isinstance(value, core.Aggregate)
    return {rules.static_value(core.kind_of(item)) for item in value.items}


def members_of(value: core.Value) -> tuple[core.Value, ...]:
    """The same, as values."""
    assert isinstance(value, core.Aggregate)
    return value.items


# ------------------------------------------------------------------ operators


@core.verb
def set_operation(
    spec: Specialiser, function: Any, operands: tuple[core.Value, ...]
) -> core.Value | None:
    """An operator or comparison between sets; None for others."""
    if len(operands) != 2 or function not in (*OPERATIONS, *COMPARISONS):
        return None
    if all(isinstance(v, core.Leaf) and core.is_known(v) for v in operands):
        return None  # folded
    views = [core.is_view(v) and v.what == f"{core.VIEW}keys" for v in operands]
    if any(map(run_time_sets.is_of_the_run, operands)) or any(views):
        return _of_the_run(spec, function, operands)
    if not any(map(is_set, operands)):
        return None
    left, right = operands
    if function in COMPARISONS:
        if is_set(left) and is_set(right):
            return core.constant(function(members(left), members(right)))
        if isinstance(left, core.Aggregate) and isinstance(right, core.Aggregate):
            if function in (operator.eq, operator.ne):
                return core.constant(function is operator.ne)
    elif is_set(left) and is_set(right):
        return combined(function, left, right)
    return None


def _of_the_run(
    spec: Specialiser, function: Any, operands: tuple[core.Value, ...]
) -> core.Value | None:
    """The same where the run holds one of them."""
    held = [_as_operand(spec, value) for value in operands]
    if any(one is None for one in held):
        return None
    both = tuple(one.operand for one in held if one is not None)
    if function in COMPARISONS:
        return run_time_sets.asked(spec, function, both, ir.BOOL, "condition")
    first = operands[0]
    frozen = getattr(first, "constructor", None) is frozenset or (
        run_time_sets.is_of_the_run(first)
        and run_time_sets.class_of(first) is frozenset
    )
    kinds = [one.kind for one in held if one is not None]
    member = run_time_sets.member_of_combined(spec, function, kinds)
    kind = ir.Members(member=member, constructor=frozenset if frozen else set)
    return run_time_sets.asked(spec, function, both, kind, "members")


def _as_operand(spec: Specialiser, value: core.Value) -> core.Leaf | None:
    """A set, or the keys of a dict, as an operand; None for other values."""
    if core.is_view(value) and value.what == f"{core.VIEW}keys":
        value = set_of_items(spec, value.sources[0])
    value = spec.set_held(value)
    of_the_run = run_time_sets.is_of_the_run(value) or core.kind_of(value) == ir.OPAQUE
    return value if of_the_run and isinstance(value, core.Leaf) else None


def combined(function: Any, left: core.Value, right: core.Value) -> core.Value:
    """What an operator makes of two sets that are known."""
    kept = function(members(left), members(right))
    items = (*left.items, *right.items)  # type: ignore[union-attr]
    frozen = isinstance(left, core.Aggregate) and left.constructor is frozenset
    known = {rules.static_value(core.kind_of(item)): item for item in reversed(items)}
    ordered = [known[key] for key in reversed(known) if key in kept]
    return core.aggregate_of(tuple(ordered), frozenset if frozen else set)
