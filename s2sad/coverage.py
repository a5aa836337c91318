"""Which public functions of NumPy and SciPy have derivatives.

>>> gamma, = entries("scipy.special.gamma")
>>> gamma.status, gamma.by
('derivative', ('x',))
>>> [e.status for e in (*entries("numpy.floor"), *entries("numpy.savez"))]
['zero', 'none']
"""

import importlib
import inspect
import textwrap
import types
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Literal

import numpy as np

from s2sad import rules
from s2sad.frontend.library.texts import all_texts, text_for
from s2sad.frontend.specialise.calls.special_calls import SPECIAL_CALLS
from s2sad.frontend.specialise.library_calls.writing_calls import WRITERS
from s2sad.frontend.specialise.objects.methods import function_of_method
from s2sad.rules.load import load_all, load_late
from s2sad.rules.names_without_derivative import DTYPES, PLACES, WITHOUT_DERIVATIVE

MODULES = (
    "numpy",
    "numpy.linalg",
    "numpy.fft",
    "numpy.polynomial",
    "scipy.special",
    "scipy.stats",
    "scipy.linalg",
    "scipy.signal",
    "scipy.fft",
    "scipy.integrate",
    "scipy.interpolate",
    "scipy.spatial.distance",
    "scipy.optimize",
)
"""The modules whose public names are counted."""
NDARRAY = "numpy.ndarray"

Status = Literal["derivative", "zero", "lacks", "none"]


@dataclass(frozen=True)
class Entry:
    """What is known of one public name."""

    module: str
    name: str
    status: Status
    """Whether a derivative flows through it, is zero everywhere, lacks a rule, or isn't
    there to give."""
    by: tuple[str, ...] = ()
    """The parameters that may vary, for a rule."""
    refused: tuple[str, ...] = ()
    """Parameters that may not vary, for their derivative isn't known."""
    complex: bool = False
    """The rule holds for complex numbers; a text takes what its functions take."""
    methods: tuple[str, ...] = ()
    """Those of an object or class, such as a distribution, that have derivatives."""
    reason: str = ""
    """Why there is no derivative to give."""

    @property
    def qualified_name(self) -> str:
        return f"{self.module}.{self.name}"


def entries(pattern: str = "*") -> tuple[Entry, ...]:
    """Of each public name whose qualified name matches, in order; a pattern without a
    ``*`` is part of the name, or all of it where some name is just that.

    Modules of SciPy are left out where it isn't installed.
    """
    load_all()
    found: list[Entry] = []
    for module in MODULES:
        try:
            owner = importlib.import_module(module)
        except ImportError:
            continue
        load_late()
        all_texts()
        found += _of_module(module, owner)
        if owner is np:
            found += _of_arrays()
    exact = [e for e in found if e.qualified_name == pattern]
    wanted = pattern if set(pattern) & set("*?[") else f"*{pattern}*"
    return tuple(exact or (e for e in found if fnmatchcase(e.qualified_name, wanted)))


def _of_module(module: str, owner: types.ModuleType) -> Iterator[Entry]:
    for name in _public_names(owner):
        value = getattr(owner, name)
        if callable(value) or _methods_of(value):
            yield _entry(module, name, value)


def _public_names(owner: types.ModuleType) -> list[str]:
    listed = getattr(owner, "__all__", None)
    names = [n for n in dir(owner) if n[0] != "_"] if listed is None else listed
    return sorted(
        n for n in set(names) if not isinstance(getattr(owner, n), types.ModuleType)
    )


def _entry(module: str, name: str, value: Any) -> Entry:
    rule = _rule_for(value)
    if rule is not None and rule.differentiates:
        names = tuple(n for n in rule.differentiable if n != "self")
        return Entry(
            module, name, "derivative", names, rule.refused, complex=rule.complex
        )
    methods = _methods_of(value)
    if methods:
        return Entry(module, name, "derivative", methods=methods)
    if _is_function(value) and (_has_text(value) or value in (*WRITERS, np.divmod)):
        return Entry(module, name, "derivative")
    if rule is not None:
        return Entry(module, name, "zero")
    reason = _without_derivative(module, name)
    if reason is not None or _is_exception(value):
        return Entry(module, name, "none", reason=reason or DTYPES)
    if value in SPECIAL_CALLS:
        return Entry(module, name, "none", reason=PLACES)
    return Entry(module, name, "lacks")


def _of_arrays() -> Iterator[Entry]:
    for name, method in sorted(vars(np.ndarray).items()):
        if name[0] == "_" or not inspect.isroutine(method):
            continue
        known = function_of_method(name)
        if known is not None:
            found = _entry(NDARRAY, name, known)
        elif name in ("fill", "partition", "put", "sort"):  # they write
            found = Entry(NDARRAY, name, "derivative")
        else:
            found = _entry(NDARRAY, name, method)
        yield found


def _rule_for(value: Any) -> rules.Rule | None:
    try:
        return rules.rule_for(value)
    except TypeError:  # unhashable
        return None


def _has_text(value: Any) -> bool:
    try:
        return text_for(value) is not None
    except TypeError:
        return False


def _is_function(value: Any) -> bool:
    return isinstance(value, type) or hasattr(value, "__name__")


def _methods_of(value: Any) -> tuple[str, ...]:
    """The methods with derivatives of a class, or of an object of one; to freeze a
    distribution is none of its own."""
    if _is_function(value) and not isinstance(value, type):
        return ()
    owners = (value if isinstance(value, type) else type(value)).__mro__
    keys = [k for k in all_texts() if isinstance(k, tuple)]
    keys += [
        rule.function  # type: ignore[misc]
        for rule in rules.all_rules()
        if isinstance(rule.function, tuple) and rule.differentiates
    ]
    found = {name for owner, name in keys if owner in owners}
    if "freeze" in found:
        found -= {"freeze", "__call__"}
    return tuple(sorted(found))


def _without_derivative(module: str, name: str) -> str | None:
    for reason, names in WITHOUT_DERIVATIVE.get(module, {}).items():
        if any(fnmatchcase(name, pattern) for pattern in names.split()):
            return reason
    return None


def _is_exception(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, BaseException)


_TOLD: dict[Status, str] = {
    "derivative": "Have derivatives",
    "lacks": "Lack a rule",
    "zero": "Derivative zero everywhere",
    "none": "No derivative to give",
}
_HEAD = """\
# What has derivatives

Every public name of the modules below, as `s2sad rules --markdown` prints it (NumPy
{numpy}, SciPy {scipy}). `s2sad rules PATTERN` says the same of your versions, with the
parameters that may vary. Functions written in Python that aren't listed need no rule:
s2sad looks into them. What lacks a rule is refused when a derivative would flow through
it, and runs as it stands where none does.

| module | have derivatives | lack a rule | zero | none to give |
| --- | --- | --- | --- | --- |
"""


def page() -> str:
    """``docs/coverage.md``."""
    import scipy

    found = entries()
    parts = [_HEAD.format(numpy=_minor(np), scipy=_minor(scipy))]
    modules = list(dict.fromkeys(e.module for e in found))
    counts = Counter((e.module, e.status) for e in found)
    for module in modules:
        row = " | ".join(str(counts[module, status]) for status in _TOLD)
        parts.append(f"| {module} | {row} |\n")
    whole = " | ".join(str(sum(counts[m, s] for m in modules)) for s in _TOLD)
    parts.append(f"| all | {whole} |\n")
    for module in modules:
        parts.append(f"\n## {module}\n")
        for status, told in _TOLD.items():
            names = [
                _named(e) for e in found if (e.module, e.status) == (module, status)
            ]
            if names:
                text = f"{told}: {', '.join(names)}."
                lines = textwrap.wrap(text, 88, break_on_hyphens=False)
                parts.append("\n" + "\n".join(lines) + "\n")
    return "".join(parts)


def _named(entry: Entry) -> str:
    methods = [m for m in entry.methods if m[0] != "_"]
    return f"{entry.name} ({' '.join(methods)})" if methods else entry.name


def _minor(package: types.ModuleType) -> str:
    return ".".join(str(package.__version__).split(".")[:2])
