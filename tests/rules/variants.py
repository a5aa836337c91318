"""What follows from one call of a function: the call along other axes, of arrays of
length 0 and 1, with broadcast partners, and with one array passed twice.

A variant is there where the function itself takes it and gives finite numbers.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import MethodType
from typing import Any

import numpy as np

from s2sad.frontend.library.texts import text_for
from s2sad.rules.registry import rule_for
from s2sad.testing.structures import copied, map_structure, numbers_of
from tests.rules.cases import CASES
from tests.rules.cases.form import Case, LiteralFloat, LiteralInt, name_of_function
from tests.rules.cases.library import numpy_linalg

AXES = (None, 0, -1, (0, 1))
LEFT_OUT = {
    "scipy_stats.linregress twice": "all lies on one line, where errors have a kink",
    "numpy.poly of length 0": "NumPy gives a number, not an array",
    "gaps in nanpercentile of length 0": "NumPy forgets the axis of several shares",
}
"""Variants that aren't walked, and why."""


@dataclass(frozen=True)
class Variant:
    """A call that follows from a case."""

    about: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    keywords: dict[str, Any]


def variants_of(case) -> Iterator[Variant]:
    """The variants of a case that apply."""
    for variant in _thought_of(case):
        name = f"{name_of_function(case.function)} {variant.about}"
        if not name.endswith(tuple(LEFT_OUT)) and _applies(variant):
            yield variant


def _applies(variant: Variant) -> bool:
    """The function takes the call, has enough data for a fit, doesn't warn of the
    arguments, and gives finite numbers that can vary."""
    arguments = copied(variant.arguments)
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", UserWarning)
            warnings.simplefilter("error", np.exceptions.RankWarning)
            value = variant.function(*arguments, **variant.keywords)
    except Exception:  # whatever it is that the function raises
        return False
    numbers = numbers_of(value)
    return bool(numbers) and all(np.isfinite(v).all() for v in numbers.values())


def _thought_of(case) -> Iterator[Variant]:
    def with_keywords(**more: Any) -> Variant:
        words = {**case.keywords, **more}
        about = " ".join(f"{k}={v}" for k, v in more.items())
        return Variant(about.replace(", ", ","), case.function, case.arguments, words)

    if any(isinstance(a, np.ndarray) and a.ndim for a in case.arguments):
        for length in _lengths(case):
            cut = with_arrays(lambda a: a[:length], case.arguments)
            yield Variant(f"of length {length}", case.function, cut, case.keywords)
    yield from _with_axes(case, with_keywords)
    yield from _with_partners(case)


def _lengths(case: Case) -> tuple[int, ...]:
    """Those of a first axis that mean something: matrices of SciPy stay what they are,
    and to its other functions nothing is seldom given."""
    name = name_of_function(case.function)
    if "linalg" in name:
        return ()
    return (1,) if "scipy" in name else (1, 0)


def _with_axes(case, with_keywords) -> Iterator[Variant]:
    names = parameters_of(case.function)
    # an argument by position may be that
    given = {*names[: len(case.arguments)], *case.keywords}
    if "axis" in names and "axis" not in given:
        for axis in AXES:
            yield with_keywords(axis=axis)
        if "keepdims" in names and "keepdims" not in given:
            yield with_keywords(axis=-1, keepdims=True)


def _with_partners(case) -> Iterator[Variant]:
    x, y, *others = (*case.arguments, None, None)
    if len(case.arguments) < 2 or not all(isinstance(a, np.ndarray) for a in (x, y)):
        return
    others = others[:-2]
    function = case.function
    if x.shape == y.shape and x.dtype == y.dtype:

        def of_one_twice(x, *others, **keywords):
            return function(x, x, *others, **keywords)

        yield Variant("twice", of_one_twice, (x, *others), case.keywords)
    rule = rule_for(function)
    if rule is None or rule.partials is None or x.ndim != 2 or x.shape != y.shape:
        return
    for about, partners in {
        "row": (x, y[0]),
        "column": (x[:, :1], y),
        "outer": (x[:, :1], y[:1]),
        "number": (x, float(y[0, 0])),
    }.items():
        yield Variant(about, function, (*partners, *others), case.keywords)


def parameters_of(function: Callable[..., Any]) -> tuple[str, ...]:
    """The parameters that s2sad knows of the function."""
    text, rule = text_for(function), rule_for(function)
    names = list(inspect.signature(text).parameters) if text is not None else []
    names += [n for n in rule.signature.parameters if n not in names] if rule else []
    return tuple(names)


def strided(array: np.ndarray) -> np.ndarray:
    """The same elements, which lie backwards and apart."""
    if not array.ndim:
        return array
    wide = np.repeat(array[..., ::-1], 2, axis=-1)
    return wide[..., ::-2]


def narrowed(array: np.ndarray) -> np.ndarray:
    """The array in single precision."""
    return array.astype(np.float32) if array.dtype == np.float64 else array


def with_arrays(
    change: Callable[[np.ndarray], np.ndarray], arguments: tuple[Any, ...]
) -> tuple[Any, ...]:
    """Arguments whose arrays are changed."""
    return map_structure(
        lambda leaf: change(leaf) if isinstance(leaf, np.ndarray) else leaf, arguments
    )


def _differentiates_by_all_numbers(case: Case) -> bool:
    """A call of users in which no argument is a literal, at a kink, or held fixed: all
    numbers will vary."""
    if case.expected is not None or name_of_function(case.function).startswith(
        "s2sad."
    ):
        return False
    if any(isinstance(a, LiteralFloat | LiteralInt) for a in case.arguments):
        return False
    fixed = [a for k, a in enumerate(case.arguments) if k not in case.wrt]
    return bool(numbers_of(case.arguments)) and not numbers_of(fixed)


def _key_of(function: Callable[..., Any]) -> Any:
    """The function, or the class of an object and the name of its method."""
    if isinstance(function, MethodType):
        return type(function.__self__), function.__name__
    return function


def _first_calls() -> list[Case]:
    found: dict[Any, Case] = {}
    for case in CASES:
        if _differentiates_by_all_numbers(case):
            found.setdefault(_key_of(case.function), case)
    return list(found.values())


FIRST = _first_calls()
"""Of each function the first call in which all numbers vary."""
VARIANTS = [(case, v) for case in FIRST for v in variants_of(case)]
WITH_ARRAYS = [c for c in FIRST if any(map(np.ndim, numbers_of(c.arguments).values()))]


NEEDS_DOUBLE = (
    *(numpy_linalg.of_rank_two, numpy_linalg.solution_of_rank_two),  # have other ranks
    np.polydiv,  # and this a remainder of another length
)


def _is_wide(case: Case) -> bool:
    return any(
        isinstance(a, np.ndarray) and a.dtype == np.float64
        for a in numbers_of(case.arguments).values()
    )


NOT_IN_SINGLE_PRECISION = {
    "t_gen.mean": "SciPy itself puts doubles into an array of floats",
    "t_gen.var": "as the mean",
    "t_gen.std": "as the mean",
    "numpy.bdtr(1,5": "SciPy warns of ints that it takes as doubles",
    "numpy.bdtrc(1,5": "as bdtr",
}
"""Calls that aren't narrowed, and why."""


def needs_double(case: Case) -> bool:
    """No array is in double precision, or must be."""
    if any(name in case.name for name in NOT_IN_SINGLE_PRECISION):
        return True
    return not _is_wide(case) or case.function in NEEDS_DOUBLE


def at_zero(case: Case) -> tuple[Any, ...]:
    return with_arrays(np.zeros_like, case.arguments)


def stays_finite_at_zero(case: Case) -> bool:
    """An elementwise function of arrays that is finite at 0."""
    rule = rule_for(case.function)
    if rule is None or rule.partials is None or not _is_wide(case):
        return False
    with np.errstate(all="ignore"):
        value = case.function(*at_zero(case), **case.keywords)
    return all(np.isfinite(v).all() for v in numbers_of(value).values())
