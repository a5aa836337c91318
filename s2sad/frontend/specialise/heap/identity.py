"""``a is b`` of lists, dicts and objects.

What changes is a cell, and cells know which object they are. Values that are treated by
value don't: their class is taken for one that changes, and the program specialised
again. Of two items of a list whose length isn't known the places are compared::

    sum(1.0 if a is b else rho        ->   for j in range(len(legs)):
        for a in legs for b in legs)           for k in range(len(legs)):
                                                   total += 1.0 if j == k else rho
"""

from __future__ import annotations

import ast
import operator
from typing import Any

from s2sad.frontend.specialise.core.exceptions import Changes, Unsupported
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.core.values import (
    Aggregate,
    Cell,
    Leaf,
    Value,
    constant,
    is_object,
    kind_of,
    leaves,
)
from s2sad.frontend.specialise.heap.cells import class_in, content_of
from s2sad.frontend.specialise.heap.chosen_cells import for_the_one, is_choice_of_cells
from s2sad.frontend.specialise.heap.object_forms import sharing
from s2sad.frontend.specialise.heap.places import is_current
from s2sad.ir.kinds import Array, Known, NumPyScalar, Scalar


def is_structure(value: Value) -> bool:
    """True for what may be one object under two names."""
    return isinstance(value, Aggregate | Cell) or is_choice_of_cells(value)


def same_object(spec: Specialiser, left: Value, right: Value, node: Any) -> Value:
    """Whether two values, one of them a structure, are the same object."""
    if is_choice_of_cells(right):
        left, right = right, left
    if is_choice_of_cells(left):
        return for_the_one(
            spec, left, lambda one: same_object(spec, one, right, node), node
        )
    if not (is_structure(left) and is_structure(right)):
        return _beside_none(left, right, node)
    if isinstance(left, Cell) and isinstance(right, Cell):
        return _same_cell(spec, left, right, node)
    if class_in(left) is not class_in(right):
        return constant(False)
    cls: Any = class_in(left)
    followed = is_object(left) or cls in (list, dict, set)
    if followed and cls not in spec.changing and not issubclass(cls, tuple):
        raise Changes(cls)
    raise _not_followed(node)


def _beside_none(left: Value, right: Value, node: Any) -> Value:
    """A structure is no number, array or known value."""
    other = right if is_structure(left) else left
    if isinstance(other, Leaf):
        kind = other.kind
        plain = isinstance(kind, Scalar | NumPyScalar | Array)
        if plain or (isinstance(kind, Known) and not _is_data(kind.value)):
            return constant(False)
    raise _not_followed(node)


def _is_data(known: Any) -> bool:
    from s2sad.source.kinds.external_data import is_live_object

    return is_live_object(known)


def _same_cell(spec: Specialiser, left: Cell, right: Cell, node: Any) -> Value:
    if left.frame is right.frame:
        return constant(True)
    if left.constructor is not right.constructor:
        return constant(False)
    with sharing(spec, left):
        return _compared(spec, left, right, node)


def _compared(spec: Specialiser, left: Cell, right: Cell, node: Any) -> Value:
    first, second = left.frame.place, right.frame.place
    if first is None and second is None:
        if left.frame.outside or right.frame.outside:
            raise _not_followed(node)
        spec.compared_cells |= {left.frame, right.frame}
        return constant(False)
    if first is None or second is None or first.within.frame is not second.within.frame:
        raise _not_followed(node)
    if first.path != second.path:
        raise _not_followed(node)
    if not (is_current(first) and is_current(second)):
        raise Unsupported(
            node,
            "items of a list are compared that moved or were replaced meanwhile",
            "compare them before the list changes",
        )
    return _same_place(spec, first, second, node)


def _same_place(spec: Specialiser, first: Any, second: Any, node: Any) -> Value:
    from s2sad.frontend.specialise.control.comparisons import compare
    from s2sad.frontend.specialise.core.expressions import operate
    from s2sad.frontend.specialise.iteration.iteration import length_of

    content = content_of(spec, first.within)
    length = length_of(spec, next(leaves(content)))
    apart = operate(spec, operator.sub, (first.index, second.index), node)
    if kind_of(apart) == kind_of(constant(0)):
        return constant(True)
    # a negative index is a place as well
    places = operate(spec, operator.mod, (apart, length), node)
    return compare(spec, ast.Eq(), places, constant(0), node)


def _not_followed(node: Any) -> Unsupported:
    return Unsupported(
        node,
        "whether two structures are the same object isn't followed",
        "compare their places, or ==",
    )
