"""The table of texts that stand in place of functions.

>>> import numpy as np
>>> text_for(np.polyval).__name__, text_for(np.sin)
('polyval', None)
"""

import importlib
import inspect
import sys
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from types import MethodType
from typing import Any, TypeVar

_T = TypeVar("_T", bound=Callable[..., Any])

FILES = {
    "lists": "heapq",
    "averages": "statistics",
    "sorted_lists": "bisect",
    "dicts": "collections",
    "numpy.arrays": "numpy",
    "scipy.special": "scipy.special",
    "scipy.linalg": "scipy.linalg",
    "scipy.matrices": "scipy.linalg",
    "scipy.stats.distributions": "scipy.stats",
    "scipy.stats.stats": "scipy.stats",
    "scipy.stats.tests": "scipy.stats",
    "scipy.integrate": "scipy.integrate",
    "scipy.equations": "scipy.integrate",
    "scipy.distance": "scipy.spatial.distance",
    "scipy.interpolate": "scipy.interpolate",
    "scipy.grids": "scipy.interpolate",
    "scipy.fft": "scipy.fft",
    "scipy.signal": "scipy.signal",
    "scipy.spectra": "scipy.signal",
    "scipy.optimize": "scipy.optimize",
    "numpy.statistics": "numpy",
    "numpy.histograms": "numpy",
    "numpy.sets": "numpy",
    "numpy.keywords": "numpy",
    "numpy.layouts": "numpy",
    "numpy.ranges": "numpy",
    "numpy.padding": "numpy",
    "numpy.joining": "numpy",
    "numpy.joined_rows": "numpy",
    "numpy.choices": "numpy",
    "numpy.functions": "numpy",
    "numpy.methods": "numpy",
    "numpy.grids": "numpy",
    "numpy.algebra.products": "numpy",
    "polynomials.polynomials": "numpy",
    "numpy.algebra.fft": "numpy",
    "numpy.algebra.linalg": "numpy",
    "numpy.algebra.norms": "numpy",
    "polynomials.series": "numpy.polynomial",
    "polynomials.series_algebra": "numpy.polynomial",
    "scipy.sparse": "scipy.sparse",
    "scipy.namespaces": "scipy._lib._array_api",
    "sklearn.namespaces": "sklearn.utils._array_api",
    "sklearn.validation": "sklearn.utils.validation",
}
"""The files of texts, and the module that must have been imported for each."""


@dataclass(frozen=True)
class Text:
    """What stands in place of a function."""

    function: Callable[..., Any]
    always: bool
    """Also for what doesn't vary; other calls on data stay as they are."""
    of_owner: bool = False
    """The text takes the object whose method it stands for."""
    words: frozenset[str] = frozenset()
    """Only for calls that give one of these parameters: all others have a rule."""
    of_arrays: bool = False
    """Only for calls whose first argument is an array: all others have a rule."""

    def takes(self, count: int, keywords: Collection[str]) -> bool:
        """True where the text stands in place of a call of so many arguments by
        position, and these by name. Others are calls without a rule, of which data may
        be made."""
        if self.misfit(count, keywords):
            return False
        if not self.words:
            return True
        names = list(inspect.signature(self.function).parameters)
        names = names[: count + self.of_owner]
        return not self.words.isdisjoint({*names, *keywords})

    def misfit(self, count: int, keywords: Collection[str]) -> str:
        """What Python says of such a call of the text; nothing where it fits."""
        given = range(count + self.of_owner)
        try:
            inspect.signature(self.function).bind(*given, **dict.fromkeys(keywords))
        except TypeError as error:
            return str(error)
        return ""

    def form(self) -> str:
        """The parameters, as they are written; a method's without its object."""
        found = inspect.signature(self.function).parameters.values()
        own = [p.replace(annotation=p.empty) for p in found]
        return str(inspect.Signature(own[self.of_owner :]))


_TEXTS: dict[Any, Text] = {}
_UNREAD = dict(FILES)
"""The files whose library hasn't been imported so far."""
_MADE: list[Callable[[Any], Callable[..., Any] | None]] = []


def stands_for(
    *functions: Any,
    always: bool = False,
    words: tuple[str, ...] = (),
    of_owner: bool = False,
    of_arrays: bool = False,
) -> Callable[[_T], _T]:
    """Let a function's text stand in place of others: functions, or pairs of a class
    and the name of a method. The text of a method takes what the method takes, and
    ``self`` only if it is ``of_owner``. With ``words``, for calls that give one of
    these parameters; with ``of_arrays``, for those whose first argument is an array."""

    def decorate(text: _T) -> _T:
        found = Text(text, always, of_owner, frozenset(words), of_arrays)
        for function in functions:
            _TEXTS[function] = found
        return text

    return decorate


def stands_for_decorated(make: _T) -> _T:
    """Let what ``make`` gives for a function, if it isn't None, stand in its place: the
    functions that a decorator has changed are no list."""
    _MADE.append(make)
    return make


def all_texts() -> dict[Any, Text]:
    """All texts of modules that have been imported, by what they stand for."""
    for file in [f for f, module in _UNREAD.items() if module in sys.modules]:
        importlib.import_module(f"s2sad.frontend.library.{file}")
        _UNREAD.pop(file, None)
    return _TEXTS


def text_for(function: Any, varies: bool = True) -> Callable[..., Any] | None:
    """The text in place of a function, or of a method of a known object; None where it
    has none. ``varies`` is False for a call on data, which is made as it stands unless
    the text is for all calls."""
    found = _text_of(function)
    return _taking(found, function) if found and (varies or found.always) else None


def text_of_call(
    function: Any,
    count: int,
    keywords: Mapping[str, Any],
    varies: bool = True,
    of_array: bool = True,
) -> Callable[..., Any] | None:
    """The text in place of a call with so many arguments by position, of which
    ``of_array`` says whether the first one is an array. Where a call writes (``out=``)
    it is the call without that."""
    found = _text_of(function)
    if found is None or not (varies or found.always) or "out" in keywords:
        return None
    if found.of_arrays and not (count and of_array):
        return None
    return _taking(found, function) if found.takes(count, keywords) else None


def misfit_of_call(
    function: Any, count: int, keywords: Collection[str]
) -> tuple[str, str] | None:
    """Why the text of a function isn't that of a call, and the calls that it stands
    for; None where it may be, and where there is no text."""
    try:
        found = _text_of(function)
    except TypeError:  # it can't be hashed
        return None
    if found is None or found.words:
        return None
    misfit = found.misfit(count, keywords)
    return (misfit, found.form()) if misfit else None


def _text_of(function: Any) -> Text | None:
    texts = all_texts()
    found = texts.get(function)
    owner, name = called_object(function)
    if found is None and owner is not None:
        owners = type(owner).__mro__
        found = next((texts[c, name] for c in owners if (c, name) in texts), None)
    if found is None:
        made = text_of_decorated(function)
        return Text(made, always=True) if made is not None else None
    return found


def text_of_decorated(function: Any) -> Callable[..., Any] | None:
    """The text in place of what a decorator has made."""
    return next(filter(None, (make(function) for make in _MADE)), None)


def _taking(text: Text, function: Any) -> Callable[..., Any]:
    """What is called in place of a function: of a method its text, which may take the
    object."""
    owner, _ = called_object(function)
    return MethodType(text.function, owner) if text.of_owner else text.function


def called_object(function: Any) -> tuple[Any, str]:
    """The object whose method is called, and the name of the method; None where it is a
    function or class."""
    owner = getattr(function, "__self__", None)
    if owner is not None:
        return owner, getattr(function, "__name__", "")
    plain = isinstance(function, type) or hasattr(function, "__name__")
    return (None, "") if plain else (function, "__call__")
