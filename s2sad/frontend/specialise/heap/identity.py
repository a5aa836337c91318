"""``a is b`` of lists, dicts and objects.

What changes is a cell, and cells know which object they are. Values that are treated by
value don't: their class is taken for one that changes, and the program specialised
again. Of two items of a list whose length isn't known the places are compared::

    sum(1.0 if a is b else rho        ->   for j in range(len(legs)):
        for a in legs for b in legs)           for k in range(len(legs)):
                                                   total += 1.0 if j == k else rho
"""

import ast
import operator
from typing import Any

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.heap.chosen_cells import for_the_one, is_choice_of_cells
from s2sad.frontend.specialise.heap.kept_objects import class_in
from s2sad.frontend.specialise.heap.places import index_of, is_current
from s2sad.frontend.specialise.iteration.iteration import length_of
from s2sad.source.annotations.annotation_nodes import is_tuple_class
from s2sad.source.kinds.external_data import is_live_object


def is_structure(value: core.Value) -> bool:
    """True for what may be one object under two names."""
    by_value = isinstance(value, core.Leaf) and isinstance(value.kind, ir.List)
    whole = by_value or isinstance(value, core.Aggregate | core.Cell)
    return whole or is_choice_of_cells(value)


def same_object(spec: Specialiser, left: core.Value, right: core.Value) -> core.Value:
    """Whether two values, one of them a structure, are the same object."""
    if is_choice_of_cells(right):
        left, right = right, left
    if is_choice_of_cells(left):
        return for_the_one(spec, left, lambda one: same_object(spec, one, right))
    if not (is_structure(left) and is_structure(right)):
        return _beside_none(left, right)
    if isinstance(left, core.Cell) and isinstance(right, core.Cell):
        return _same_cell(spec, left, right)
    if class_in(left) is not class_in(right):
        return core.constant(False)
    cls: Any = class_in(left)
    followed = core.is_object(left) or cls in (list, dict, set)
    if followed and not is_tuple_class(cls) and spec.learn_changing(cls):
        raise core.Learned
    raise _not_followed()


def _beside_none(left: core.Value, right: core.Value) -> core.Value:
    """A structure is no number, array or known value."""
    other = right if is_structure(left) else left
    if isinstance(other, core.Leaf):
        kind = other.kind
        plain = isinstance(kind, ir.Scalar | ir.NumPyScalar | ir.Array)
        if plain or (isinstance(kind, ir.Known) and not _is_data(kind.value)):
            return core.constant(False)
    raise _not_followed()


def _is_data(known: Any) -> bool:
    return is_live_object(known)


def _same_cell(spec: Specialiser, left: core.Cell, right: core.Cell) -> core.Value:
    if left.frame is right.frame:
        return core.constant(True)
    if left.constructor is not right.constructor:
        return core.constant(False)
    with spec.kept_if_refused(left):
        return _compared(spec, left, right)


def _compared(spec: Specialiser, left: core.Cell, right: core.Cell) -> core.Value:
    first, second = left.frame.place, right.frame.place
    if first is None and second is None:
        if left.frame.outside or right.frame.outside:
            raise _not_followed()
        if left.frame.frozen or right.frame.frozen:  # an item of a list, by value
            spec.learn_changing(core.ItemsChange)
            raise core.Learned if spec.has_learned else _not_followed()
        spec.compared_cells |= {left.frame, right.frame}
        return core.constant(False)
    if first is None or second is None or first.within.frame is not second.within.frame:
        raise _not_followed()
    if not (is_current(first) and is_current(second)):
        raise core.Unsupported(
            "items of a list are compared that moved or were replaced meanwhile",
            "compare them before the list changes",
        )
    return _same_place(spec, first, second)


def _same_place(spec: Specialiser, first: Any, second: Any) -> core.Value:

    content = spec.content_of(first.within)
    length = length_of(spec, next(core.leaves(content)))
    indices = index_of(spec, first), index_of(spec, second)
    apart = spec.operate(operator.sub, indices)
    if core.kind_of(apart) == core.kind_of(core.constant(0)):
        return core.constant(True)
    # a negative index is a place as well
    places = spec.operate(operator.mod, (apart, length))
    return spec.compare(ast.Eq(), places, core.constant(0))


def _not_followed() -> core.Unsupported:
    return core.Unsupported(
        "whether two structures are the same object isn't followed",
        "compare their places, or ==",
    )
