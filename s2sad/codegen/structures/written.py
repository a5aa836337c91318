"""Which pass is written for a kind, and where the general functions of
:mod:`s2sad.ops.runtime.structures` do: for tuples that hold tuples of their own form,
and adjoints that don't tell of which form they are."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from s2sad import errors, ir
from s2sad.codegen.structures.checks import Checks
from s2sad.codegen.structures.gradients import Gradients
from s2sad.codegen.structures.tested import (
    has_numbers_beside_arrays,
    tuples_in_themselves,
)
from s2sad.codegen.structures.zeros import Zeros


def zeros_pass(
    kind: ir.Reference, name: str, *, for_file: bool = False
) -> Callable[[Any], Any] | None:
    """The function that gives zeros for the adjoint of arguments of a kind; ``name`` is
    the argument's. None for what no pass is written for. One for a file knows no class
    of the user's."""
    if why_general(kind):
        return None
    return Zeros(kind, name, for_file).function(f"zeros_of_{name}")


def checking_zeros_pass(
    kind: ir.Reference, name: str, *, for_file: bool = False
) -> Callable[[Any], Any] | None:
    """The same that checks what it meets: with a TypeError in a file, else with
    OtherForms. None for what no pass is written for, and where arrays may be of other
    dtypes than the kind says, which took numbers in."""
    if why_general(kind) or any(
        has_numbers_beside_arrays(form, key)
        for form in ir.reached_forms(kind)
        for key in form.keys
    ):
        return None
    zeros = Zeros(kind, name, for_file)
    zeros.tested, zeros.path = True, name
    made = zeros.function(f"zeros_of_{name}")
    return made if for_file else _that_tells_misfits(made)


def _that_tells_misfits(made: Callable[[Any], Any]) -> Callable[[Any], Any]:
    @functools.wraps(made)
    def run(value: Any) -> Any:
        try:
            return made(value)
        except Exception as problem:  # an attribute may be missing
            raise errors.OtherForms(str(problem)) from None

    return run


def gradient_pass(
    kind: ir.Reference, name: str, *, for_file: bool = False
) -> Callable[..., Any] | None:
    """The function that turns an adjoint that nothing else reads into the gradient, in
    the user's classes; None for what no pass is written for."""
    if why_general(kind):
        return None
    return Gradients(kind, f"{name}_bar", for_file).function(f"as_{name}")


def check_pass(
    kind: ir.Reference, path: str, *, for_file: bool = False
) -> Callable[[Any], None]:
    """The function that raises an exception, in a file TypeError, for an argument that
    isn't of the kind; ``path`` is what reads it."""
    name = re.sub(r"\W+", "_", path).strip("_")
    checks = Checks(kind, name, for_file)
    checks.path = path
    return checks.function(f"check_{name}")


def why_general(kind: ir.Reference) -> str:
    """What no passes are written for: where the class of an adjoint doesn't tell of
    which form it is, a number may be missing, and where tuples lead to tuples of their
    form through tuples alone. "" for other kinds."""
    forms = list(ir.reached_forms(kind))
    slots = [slot for form in forms for slot in form.slots.values()]
    if any(isinstance(s, ir.Reference) and _look_alike(s) for s in (kind, *slots)):
        return "lists beside tuples at one place"
    if any(_may_be_no_number(form, key) for form in forms for key in form.keys):
        return "numbers beside None or ints at one place, or complex numbers"

    if tuples_in_themselves(kind):
        return "tuples of tuples of their own form"
    return ""


def _may_be_no_number(form: ir.Form, key: Hashable) -> bool:
    """True for a slot of numbers in which an int or None may stand, too, of which the
    gradient is None."""
    slot = form.slots.get(key)
    if slot is None or isinstance(slot, ir.Reference):
        return False
    classes = form.types.get(key, frozenset())
    real = [cls for cls in classes if issubclass(cls, float | np.inexact | np.ndarray)]
    return ir.is_real_number_kind(slot) and len(real) < len(classes)


def _look_alike(kind: ir.Reference) -> bool:
    """True for one of several forms of which the adjoints are of one class."""
    classes = [
        list if issubclass(c, list | tuple) and not hasattr(c, "_fields") else c
        for c in (form.constructor for form in kind.forms)
    ]
    return len(set(classes)) < len(classes)
