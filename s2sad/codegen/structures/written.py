"""Which pass is written for a kind, and where the general functions of
:mod:`s2sad.ops.runtime.structures` do: for tuples that hold tuples of their own form,
and adjoints that don't tell of which form they are."""

import functools
import re
from collections.abc import Callable, Iterable
from typing import Any

from s2sad import errors, ir
from s2sad.codegen.structures import gradients, tested
from s2sad.codegen.structures.checks import Checks
from s2sad.codegen.structures.copies import Copies
from s2sad.codegen.structures.zeros import Zeros


def zeros_pass(
    kind: ir.Reference, name: str, *, for_file: bool = False, arrays: bool = False
) -> Callable[[Any], Any] | None:
    """The function that gives zeros for the adjoint of arguments of a kind; ``name`` is
    the argument's. None for what no pass is written for. One for a file knows no class
    of the user's. With ``arrays`` one that stands in several places has one adjoint."""
    if why_general(kind, for_file=for_file) and not _holds_values(kind):
        return None
    return Zeros(kind, name, for_file, arrays).function(f"zeros_of_{name}")


def checking_zeros_pass(
    kind: ir.Reference, name: str, *, for_file: bool = False, arrays: bool = False
) -> Callable[[Any], Any] | None:
    """The same that checks what it meets: with a TypeError in a file, else with
    OtherForms. None for what no pass is written for that looks at everything."""
    if not _looks_at_everything(kind, for_file):
        return None
    return _checking(Zeros(kind, name, for_file, arrays), "zeros_of", name)


def _looks_at_everything(kind: ir.Reference, for_file: bool) -> bool:
    """False where arrays may be of other dtypes than the kind says, which took numbers
    in, and for a file where keys are tuples, of which nothing is made."""
    forms = list(ir.reached_forms(kind))
    return not (
        (why_general(kind, for_file=for_file) and not _holds_values(kind))
        or any(
            tested.has_numbers_beside_arrays(form, key)
            for form in forms
            for key in form.keys
        )
        or (for_file and any(isinstance(form.key, ir.Reference) for form in forms))
    )


def _checking(written: Zeros | Copies, does: str, name: str) -> Callable[[Any], Any]:
    written.tested, written.path = True, name
    made = written.function(f"{does}_{name}")
    return made if written.for_file else _that_tells_misfits(made)


def _that_tells_misfits(made: Callable[[Any], Any]) -> Callable[[Any], Any]:
    @functools.wraps(made)
    def run(value: Any) -> Any:
        try:
            return made(value)
        except Exception as problem:  # an attribute may be missing
            raise errors.OtherForms(str(problem)) from None

    return run


def copy_pass(
    kind: ir.Reference, name: str, *, for_file: bool = False, **changed: bool
) -> Callable[[Any], Any] | None:
    """The function that copies arguments of a kind, into whose objects a derivative
    stores, and into ``items`` of lists and dicts or ``arrays``, if asked for; None for
    what no pass is written for."""
    if why_general(kind):
        return None
    return Copies(kind, name, for_file, **changed).function(f"copy_of_{name}")


def checking_copy_pass(
    kind: ir.Reference, name: str, *, for_file: bool = False, **changed: bool
) -> Callable[[Any], Any] | None:
    """The same that checks what it meets; None also where it shares what it doesn't
    look at."""
    copies = Copies(kind, name, for_file, **changed)
    if not _looks_at_everything(kind, for_file) or why_general(kind):
        return None
    if any(map(copies.is_shared, ir.reached_forms(kind))):
        return None
    return _checking(copies, "copy_of", name)


@functools.cache
def pass_of(write: Any, words: tuple[tuple[str, ir.Const], ...]) -> Any:
    """What writes passes as the words of an operation ask for."""
    return functools.partial(write, **{name: word.value for name, word in words})


def gradient_pass(
    kind: ir.Reference, name: str, *, for_file: bool = False
) -> Callable[..., Any] | None:
    """The function that turns an adjoint that nothing else reads into the gradient, in
    the user's classes; None for what no pass is written for."""
    if why_general(kind, for_file=for_file):
        return None
    return gradients.Gradients(kind, f"{name}_bar", for_file).function(f"as_{name}")


def check_pass(
    kind: ir.Reference, path: str, *, for_file: bool = False
) -> Callable[[Any], None]:
    """The function that raises an exception, in a file TypeError, for an argument that
    isn't of the kind; ``path`` is what reads it."""
    name = re.sub(r"\W+", "_", path).strip("_")
    checks = Checks(kind, name, for_file)
    checks.path = path
    return checks.function(f"check_{name}")


def for_classes(
    general: Callable[..., Any], kinds: Iterable[ir.Kind | None]
) -> Callable[..., Any]:
    """The same general function, which knows of which attributes the program stores
    those that objects have in their class alone."""
    reached = (f for kind in kinds if kind for f in ir.reached_forms(kind))
    names = {f.constructor: frozenset(map(str, f.from_class)) for f in reached}
    held = frozenset((cls, found) for cls, found in names.items() if found)
    return _for_classes(general, held) if held else general


@functools.cache
def _for_classes(
    general: Callable[..., Any], held: frozenset[tuple[type, frozenset[str]]]
) -> Callable[..., Any]:
    @functools.wraps(general)
    def run(*values: Any) -> Any:
        return general(*values, of_classes=dict(held))

    return run


def why_general(kind: ir.Reference, *, for_file: bool = False) -> str:
    """What no passes are written for: where the class of an adjoint doesn't tell of
    which form it is, where tuples lead to tuples of their form through tuples alone,
    complex numbers, and but ``for_file`` where a number may be missing. "" for other
    kinds."""
    forms = list(ir.reached_forms(kind))
    slots = [slot for form in forms for slot in form.slots.values()]
    if any(isinstance(s, ir.Reference) and _look_alike(s) for s in (kind, *slots)):
        return "lists beside tuples at one place"
    places = [(form, key) for form in forms for key in form.keys]
    if any(complex in form.types.get(key, ()) for form, key in places):
        return "complex numbers"
    if not for_file and any(ir.may_be_no_number(*place) for place in places):
        return "numbers beside None or ints at one place"
    if tested.tuples_in_themselves(kind):
        return "tuples of tuples of their own form"
    return ""


def _holds_values(kind: ir.Reference) -> bool:
    """True where numbers stand where references do: their adjoints are told by forms
    alone."""
    return not kind.adjoint and any(form.is_value for form in ir.reached_forms(kind))


def _look_alike(kind: ir.Reference) -> bool:
    """True for one of several forms of which the adjoints are of one class."""
    classes = [
        list if issubclass(c, list | tuple) and not hasattr(c, "_fields") else c
        for c in (form.constructor for form in kind.forms if not form.is_value)
    ]
    return len(set(classes)) < len(classes)
