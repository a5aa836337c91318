"""Iteration over objects of the user's classes: what ``__iter__`` returns is run over.

class Bag:
    def __iter__(self):               for v in bag.items:
        return iter(self.items)  ->       total += v
for v in bag:
    total += v
"""

from __future__ import annotations

import ast
from typing import Any

from s2sad.frontend.specialise.exceptions import Unsupported
from s2sad.frontend.specialise.iteration import Iteration, iterate
from s2sad.frontend.specialise.iterators import iterator
from s2sad.frontend.specialise.members import member_of
from s2sad.frontend.specialise.objects import class_of
from s2sad.frontend.specialise.operator_methods import called_method, has_methods
from s2sad.frontend.specialise.specialiser import Specialiser
from s2sad.frontend.specialise.values import (
    Aggregate,
    Lazy,
    Value,
    describe,
    is_object,
)


@iterator(iter)
def _iter(spec: Specialiser, node: Any, iterable: Value) -> Iteration:
    return iterate(spec, iterable, node)


def own_iterator(spec: Specialiser, value: Value, node: ast.AST | None) -> Value | None:
    """The iterator of an object; None for what isn't one, and for tuples that are
    iterated over as tuples are."""
    if isinstance(value, Aggregate) and value.constructor in (set, frozenset):
        raise Unsupported(
            node,
            "the order in which a set gives its values isn't known before the program "
            "runs",
            "run over sorted(...) of it",
        )
    if spec.derived or not has_methods(value):
        return None
    place: Any = node
    found = called_method(spec, value, "__iter__", (), place)
    if found is None:
        if isinstance(value, Aggregate) and not is_object(value):
            return None
        raise Unsupported(
            node,
            f"{describe(value)} can't be iterated over or unpacked: its class has no "
            "__iter__",
            "define __iter__, for example as a generator, or loop over range(...)",
        )
    if not isinstance(found, Lazy):
        if has_methods(found) and member_of(class_of(found), "__next__") is not None:
            raise Unsupported(
                node,
                f"{describe(found)} is iterated over by a __next__ that changes it",
                "write __iter__ as a generator",
            )
        raise Unsupported(
            node,
            f"__iter__ of {describe(value)} returns {describe(found)}, which is no "
            "iterator",
            "return iter(...) of it",
        )
    return found
