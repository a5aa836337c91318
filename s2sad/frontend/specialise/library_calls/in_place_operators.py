"""Augmented assignment of what may change in place: lists, dicts, sets, objects.

``q += r`` extends the list itself, so that other names of it see it too; of a number or
tuple it binds the name to a new one. Objects say by ``__iadd__`` what it does.
"""

import ast
import operator
from collections.abc import Callable
from typing import Any

from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.calls.special_calls import SPECIAL_CALLS
from s2sad.frontend.specialise.containers import run_time_sets
from s2sad.frontend.specialise.containers.container_methods import change, changes
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser, Words
from s2sad.frontend.specialise.heap import cells, kept_objects
from s2sad.frontend.specialise.objects import members, objects, operator_methods
from s2sad.frontend.specialise.run_time import queries, resizing

METHODS = {
    ast.Add: "__iadd__",
    ast.Sub: "__isub__",
    ast.Mult: "__imul__",
    ast.Div: "__itruediv__",
    ast.FloorDiv: "__ifloordiv__",
    ast.Mod: "__imod__",
    ast.Pow: "__ipow__",
    ast.MatMult: "__imatmul__",
    ast.LShift: "__ilshift__",
    ast.RShift: "__irshift__",
    ast.BitAnd: "__iand__",
    ast.BitOr: "__ior__",
    ast.BitXor: "__ixor__",
}


def changed_in_place(
    spec: Specialiser, sign: Any, old: core.Value, value: core.Value
) -> core.Value | None:
    """What a name holds behind ``old += value``, if that is for ``old`` to say; None
    where it is a new value."""
    name = METHODS[sign]
    if isinstance(old, core.Aggregate | core.Cell | core.Leaf) and core.has_methods(
        old
    ):
        if members.member_of(objects.class_of(old), name) is None:
            return None
        return operator_methods.called_method(spec, old, name, (value,))
    cls = queries.class_of_items(old) or kept_objects.class_in(old)
    if not isinstance(cls, type) or not issubclass(cls, core.CONTAINERS):
        return None
    if not hasattr(cls, name):
        return None
    if not changes(old, name):
        raise core.Unsupported(
            f"the method {name!r} of {core.describe(old)}", "use other methods of it"
        )
    if queries.is_reference(old) or run_time_sets.is_of_the_run(old):
        resizing.change(spec, old, name, (value,), {})
        return old
    cell = cells.check_may_change(spec, old)
    change(spec, cell, name, (value,), {})
    return cell


def _as_function(sign: Any) -> Callable[..., core.Value | None]:
    """``operator.iadd(old, value)``."""

    def call(spec: Specialiser, args: Args, words: Words) -> core.Value | None:
        if len(args) != 2 or words or spec.derived:
            return None
        return changed_in_place(spec, sign, *args)

    return call


FUNCTIONS = {getattr(operator, name): sign for sign, name in METHODS.items()}
SPECIAL_CALLS.update({f: _as_function(sign) for f, sign in FUNCTIONS.items()})
