"""Comparisons: one by one, in chains, with None, of known values, membership."""

import ast
import operator
from collections import deque
from typing import Any

from s2sad import ir, ops, rules
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.closures import compared_functions, function_records
from s2sad.frontend.specialise.containers import derived_dicts, run_time_sets
from s2sad.frontend.specialise.control.conditions import both
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.heap.identity import is_structure, same_object
from s2sad.frontend.specialise.iteration.iteration import range_as_data
from s2sad.frontend.specialise.language.expressions import OPERATORS, is_text
from s2sad.frontend.specialise.objects import operator_methods
from s2sad.frontend.specialise.optionals import (
    narrowing,
    optional_keys,
    values_as_references,
)
from s2sad.frontend.specialise.optionals.optionals import is_optional
from s2sad.frontend.specialise.run_time import (
    by_value,
    queries,
    reading,
    storing,
    unions,
)
from s2sad.source.annotations.annotation_nodes import holds_name

SETS = (set, frozenset, core.Keys)


@core.expression(ast.Compare)
def comparison(spec: Specialiser, node: ast.Compare) -> core.Value:
    left = spec.evaluate(node.left)
    pairs = list(zip(node.ops, node.comparators, strict=True))
    return _compare_chain(spec, left, pairs)


def _compare_chain(spec: Specialiser, left: core.Value, pairs: list[Any]) -> core.Value:
    (op, right_node), rest = pairs[0], pairs[1:]
    right = spec.evaluate(right_node)
    test = compare(spec, op, left, right)
    if not rest:
        return test
    return both(spec, test, lambda: _compare_chain(spec, right, rest))


def _settled(spec: Specialiser, value: core.Value) -> core.Value:
    return spec.settled(value) if isinstance(value, core.Part) else value


@core.verb
def compare(
    spec: Specialiser, op: ast.cmpop, left: core.Value, right: core.Value
) -> core.Value:
    """One comparison; identity with None and equality of known values fold."""
    for value in (left, right):
        spec.check_readable(value)
    if not isinstance(op, ast.Is | ast.IsNot | ast.In | ast.NotIn):
        derived_dicts.check_operator(left, right)
    if isinstance(op, ast.Is | ast.IsNot):
        test = _is_none(spec, op, left, right)
        if test is not None:
            return test
    told = compared_functions.compared(spec, op, left, right)
    if told is not None:
        return told
    if isinstance(op, ast.Is | ast.IsNot):
        left, right = _settled(spec, left), _settled(spec, right)
        if not spec.derived and (is_structure(left) or is_structure(right)):
            test = same_object(spec, left, right)
            if isinstance(op, ast.Is):
                return test
            return spec.operate(operator.not_, (test,))
        known = _same_object(left, right)
        if known is None and isinstance(left, core.FUNCTIONS):
            raise core.Unsupported(
                "whether these are the same function isn't known", "compare names"
            )
        if known is not None:
            return core.constant(known == isinstance(op, ast.Is))
    left, right = _settled(spec, left), _settled(spec, right)
    if isinstance(op, ast.Eq | ast.NotEq) and _are_plain_objects(left, right):
        identity = ast.Is() if isinstance(op, ast.Eq) else ast.IsNot()
        return compare(spec, identity, left, right)
    kept = queries.is_reference(left) and storing.compares_stored(spec, left.kind)
    if isinstance(op, ast.In | ast.NotIn) and (
        _asks_for_object(left, right, kept)
        or _is_display_of_kept(spec, right)
        or _asks_for_function(spec, left, right)
    ):
        found = operator_methods.contained_by_iteration(spec, left, right)
        if isinstance(op, ast.In):
            return found
        return spec.operate(operator.not_, (found,))
    if isinstance(op, ast.Eq | ast.NotEq) and any(map(is_optional, (left, right))):
        same = ast.Is() if isinstance(op, ast.Eq) else ast.IsNot()
        test = _is_none(spec, same, left, right)
        if test is not None:
            return test
    if isinstance(op, ast.In | ast.NotIn) and isinstance(right, core.Cell):
        held = spec.content_of(right) if core.is_container(right) else None
        if optional_keys.is_partly(held) and core.is_known(left):
            found = optional_keys.has_key(spec, held, core.known_value(left))
            negate = isinstance(op, ast.NotIn)
            return spec.operate(operator.not_, (found,)) if negate else found
    if isinstance(op, ast.In | ast.NotIn) and core.is_attributes(right):
        if queries.is_reference(right.receiver):
            found = spec.has_name(right, left)
            return _denied(spec, found) if isinstance(op, ast.NotIn) else found
    if isinstance(op, ast.Eq | ast.NotEq) and _deque_beside_another(left, right):
        return core.constant(isinstance(op, ast.NotEq))
    left, right = spec.contents(left), spec.contents(right)
    if isinstance(op, ast.In | ast.NotIn) and _holds_stored(spec, right):
        found = operator_methods.contained_by_iteration(spec, left, right)
        return _denied(spec, found) if isinstance(op, ast.NotIn) else found
    if isinstance(op, ast.In | ast.NotIn):
        return _membership(spec, op, left, right)
    if isinstance(op, ast.Eq | ast.NotEq) and _never_equal(left, right):
        return core.constant(isinstance(op, ast.NotEq))
    kinds = core.kind_of(left), core.kind_of(right)
    sets = any(getattr(v, "constructor", None) in SETS for v in (left, right))
    if not sets and all(map(rules.is_static, kinds)) and not _any_object(left, right):
        try:
            values = [rules.exact_value(kind) for kind in kinds]
            return core.constant(bool(OPERATORS[type(op)](*values)))
        except Exception:
            pass
    if isinstance(op, ast.Is | ast.IsNot | ast.Eq | ast.NotEq):
        told = _of_class(spec, left, right) or _of_class(spec, right, left)
        if told is not None:
            denies = isinstance(op, ast.IsNot | ast.NotEq)
            return _denied(spec, told) if denies else told
    if not isinstance(op, ast.Is | ast.IsNot):
        left, right = (_as_it_is_now(spec, v) for v in (left, right))
    function = OPERATORS[type(op)]
    if _is_listed_beside_kept(left, right) or _is_listed_beside_kept(right, left):
        operands = core.operand_of(left), core.operand_of(right)
        asked = ir.Apply(function, operands)  # a list, not an array of its items
        return spec.assign(spec.fresh("condition"), asked, ir.BOOL)
    test = spec.operate(function, (left, right))
    return narrowing.note_comparison(spec, op, left, right, test)


def _is_listed_beside_kept(listed: core.Value, kept: core.Value) -> bool:
    """True for the items of a list or tuple beside a list or tuple of the run."""
    if not isinstance(listed, core.Aggregate) or not isinstance(kept, core.Leaf):
        return False
    if listed.constructor not in (list, tuple):
        return False
    plain = all(isinstance(item, core.Leaf) for item in listed.items)
    return plain and (queries.is_sequence(kept) or isinstance(kept.kind, ir.List))


def _holds_stored(spec: Specialiser, container: core.Value) -> bool:
    """True for a list or tuple of kept lists into which the program stores."""
    if queries.is_sequence(container):
        held = ir.kind_of_slot(queries.kind_of(container), ir.EACH)
        return held is not None and _is_stored(spec, core.Leaf(ir.Const(None), held))
    if isinstance(container, core.Aggregate):
        if container.constructor in (list, tuple) or core.is_rows(container):
            return any(_is_stored(spec, item) for item in container.items)
        return False
    kind = core.kind_of(container)
    item = kind.item if isinstance(kind, ir.List) else None
    return item is not None and _is_stored(spec, core.Leaf(ir.Const(None), item))


def _is_stored(spec: Specialiser, value: core.Value) -> bool:
    return queries.is_sequence(value) and storing.leads_to_stored(spec, value.kind)


def _as_it_is_now(spec: Specialiser, value: core.Value) -> core.Value:
    """A kept list of numbers into which the program stores by value; others as they
    are."""
    return by_value.numbers_of(spec, value) if _is_stored(spec, value) else value


def _deque_beside_another(left: core.Value, right: core.Value) -> bool:
    """True for a deque and what is none: they are never equal."""
    deques = [
        isinstance(v, core.Cell) and v.constructor is deque for v in (left, right)
    ]
    return any(deques) and not all(deques)


def _are_plain_objects(left: core.Value, right: core.Value) -> bool:
    """True for two objects of classes that don't define ``==``."""
    return all(
        _is_plain_object(value) or _is_reference_to_plain(value)
        for value in (left, right)
    )


def _is_plain_object(value: core.Value) -> bool:
    if not (core.is_object(value) or isinstance(value, core.Cell)):
        return False
    return not holds_name(value.constructor, "__eq__")  # type: ignore[union-attr]


def _is_reference_to_plain(value: core.Value) -> bool:
    kind = value.kind if isinstance(value, core.Leaf) else None
    return isinstance(kind, ir.Reference) and all(
        not holds_name(form.constructor, "__eq__") for form in kind.forms
    )


def _asks_for_object(item: core.Value, container: core.Value, kept: bool) -> bool:
    """True for ``item in items`` of an object, also one that is ``kept``, and a list or
    tuple."""
    cell = isinstance(item, core.Cell) and not core.is_container(item)
    if not (cell or core.is_object(item) or kept):
        return False
    if isinstance(container, core.Leaf):
        return isinstance(container.kind, ir.List)
    if isinstance(container, core.Cell):
        return container.constructor in (list, deque)
    if not isinstance(container, core.Aggregate):
        return False
    return container.constructor in (list, tuple) or core.is_rows(container)


def _asks_for_function(
    spec: Specialiser, item: core.Value, container: core.Value
) -> bool:
    """True for ``f in fs`` of functions that only the run can tell apart."""
    if isinstance(container, core.Cell) and container.constructor in (list, deque):
        container = spec.content_of(container)
    if getattr(container, "constructor", None) in (dict, set, frozenset):
        return False
    if queries.is_reference(container) and not queries.is_sequence(container):
        return False
    of_record = function_records.is_record(item)
    asks = of_record or core.is_function(item) or isinstance(item, core.Choice)
    if of_record and isinstance(container, core.Aggregate):
        return any(map(core.is_function, container.items)) or (
            compared_functions.holds_records(container)
        )
    return asks and compared_functions.holds_records(container)


def _is_display_of_kept(spec: Specialiser, container: core.Value) -> bool:
    """True for a list or tuple that is taken apart and holds what is kept."""
    if isinstance(container, core.Cell) and container.constructor is list:
        container = spec.content_of(container)
    if not isinstance(container, core.Aggregate):
        return False
    listed = container.constructor in (list, tuple)
    return listed and any(map(queries.is_reference, container.items))


def _any_object(*values: core.Value) -> bool:
    return any(map(core.has_methods, values))


def _is_none(
    spec: Specialiser, op: ast.cmpop, left: core.Value, right: core.Value
) -> core.Value | None:
    """Whether one of several functions is None, where one side is such a choice."""
    for choice, other in ((left, right), (right, left)):
        if isinstance(choice, core.Choice) and core.kind_of(other) == ir.Known(None):
            tags = {tag for tag, _ in choice.options}
            if None not in tags or tags == {None}:
                return core.constant((None in tags) == isinstance(op, ast.Is))
            return narrowing.choice_is_none(spec, choice, op)
    return None


def _same_object(left: core.Value, right: core.Value) -> bool | None:
    if isinstance(left, core.Closure) and isinstance(right, core.Closure):
        return left.made is right.made
    if isinstance(left, core.FUNCTIONS) and isinstance(right, core.FUNCTIONS):
        return True if left is right else None if left == right else False
    a, b = core.kind_of(left), core.kind_of(right)
    if isinstance(a, ir.Known) and isinstance(b, ir.Known):
        return a.value is b.value or a == b
    if isinstance(a, ir.Known) != isinstance(b, ir.Known):
        other = b if isinstance(a, ir.Known) else a
        of_its_class = isinstance(other, ir.Scalar) and other.cls is not None
        if isinstance(other, ir.Reference):
            return None if other.may_be_none else False
        return None if of_its_class or isinstance(other, ir.Unknown) else False
    for truth, other, given in ((a, b, right), (b, a, left)):
        if isinstance(truth, ir.Scalar) and truth.type == "bool":
            if isinstance(other, ir.Scalar) and other.type == "bool":
                if truth.value is not None and other.value is not None:
                    return truth.value is other.value
            elif _is_no_bool(other, values_as_references.is_as_given(given)):
                return False
    return None


def _is_no_bool(kind: ir.Kind, as_given: bool) -> bool:
    """True for what is never True or False itself; a number may be, where paths met."""
    if isinstance(kind, ir.NumPyScalar):
        return as_given and kind.dtype not in (None, "bool")
    if isinstance(kind, ir.Array):
        return not kind.promoted
    return isinstance(kind, ir.Structure) or (isinstance(kind, ir.Scalar) and as_given)


def _never_equal(left: core.Value, right: core.Value) -> bool:
    """True for a number or array beside None or a string, a structure beside a
    number."""
    a, b = core.kind_of(left), core.kind_of(right)
    for x, y in ((a, b), (b, a)):
        if isinstance(x, ir.Known) and isinstance(x.value, str | bytes | type(None)):
            if isinstance(y, ir.Scalar | ir.NumPyScalar) or _is_plain_structure(y):
                return True
        if _is_plain_structure(x) and isinstance(y, ir.Scalar):
            return True
    return False


def _is_plain_structure(kind: ir.Kind) -> bool:
    return isinstance(kind, ir.Structure) and kind.constructor in (tuple, list, dict)


def _membership(
    spec: Specialiser, op: ast.cmpop, item: core.Value, container: core.Value
) -> core.Value:
    negate = isinstance(op, ast.NotIn)
    own = _contained(spec, item, container)
    if own is not None:
        return spec.operate(operator.not_, (own,)) if negate else own
    if isinstance(container, core.Aggregate) and not container.items:
        return core.constant(negate)
    if queries.is_reference(container):
        container = unions.structured(container)
    if queries.is_dict(container):
        there = reading.has_key(spec, unions.present(container), item)
        return spec.operate(operator.not_, (there,)) if negate else there
    own = _of_class(spec, item, container)
    if own is not None:
        return _denied(spec, own) if negate else own
    if isinstance(container, core.Aggregate) and core.is_known(item):
        kinds = [core.kind_of(i) for i in container.items]
        if container.constructor is dict or all(map(rules.is_static, kinds)):
            keys: Any = container.keys
            if container.constructor is not dict:
                keys = [rules.exact_value(kind) for kind in kinds]
            return core.constant((core.known_exactly(item) in keys) != negate)
    elif is_text(core.kind_of(item)) and is_text(core.kind_of(container)):
        found = core.known_value(item) in core.known_value(container)
        return core.constant(found != negate)
    if isinstance(container, core.Leaf) and all(map(core.is_known, (container, item))):
        try:
            found = core.known_value(item) in core.known_value(container)
        except TypeError as error:
            what = f"{core.describe(item)} is looked for in {core.describe(container)}"
            spec.raises(core.Unsupported(what, "test what it is first"), error)
        return core.constant(found != negate)
    if run_time_sets.is_of_the_run(container):
        there = run_time_sets.has_member(spec, container, item)
        return spec.operate(operator.not_, (there,)) if negate else there
    if isinstance(container, core.Lazy) and container.what == "range":
        container = range_as_data(spec, container)
    if queries.is_sequence(container):
        function = ops.stored_contains
        held = reading.searched(spec, function, container, item)
        if held is not None:
            return spec.operate(operator.not_, (held,)) if negate else held
    if spec.facts.changes_foreign and core.kind_of(container) == ir.OPAQUE:
        operands = (core.operand_of(container), core.operand_of(item))
        asked = ir.Apply(ops.stored_contains, operands)  # it may be one that changes
        test: core.Value = spec.assign(spec.fresh("condition"), asked, ir.BOOL)
    else:
        test = spec.apply(ops.contains, (item, container))
    return spec.operate(operator.not_, (test,)) if negate else test


def _of_class(
    spec: Specialiser, asked: core.Value, classes: core.Value
) -> core.Value | None:
    """Whether a value is a class, or one of several, of which some were only read; None
    for other questions."""
    several = isinstance(classes, core.Aggregate)
    kinds = [core.kind_of(v) for v in (classes.items if several else (classes,))]  # type: ignore[union-attr]
    if not kinds or not all(isinstance(kind, ir.Known) for kind in kinds):
        return None
    known = tuple(kind.value for kind in kinds)  # type: ignore[attr-defined]
    return unions.class_test(spec, asked, known)


def _denied(spec: Specialiser, test: core.Value) -> core.Value:
    """``not test``, with what it says of values."""
    said = narrowing.presence_of(spec, test)[::-1]
    return narrowing.note(spec, spec.operate(operator.not_, (test,)), said)


def _contained(
    spec: Specialiser, item: core.Value, container: core.Value
) -> core.Value | None:
    return None if spec.derived else operator_methods.contained(spec, item, container)
