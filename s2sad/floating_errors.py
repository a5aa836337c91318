"""Floating-point errors that only a derivative has.

Under ``np.errstate(all="raise")``, or where warnings are errors, a line of a derivative
may raise where its function doesn't: the slope of a square root at 0 is infinite. Then
the derivative runs once more with such errors ignored. Whether the function raises is
found by running it, on copies of the arguments; a function that prints, draws random
numbers or calls what nothing is known of mustn't run once more, so that its derivatives
raise. A call ends with ::

    except Exception as error:
        if is_of_derivative(error, target, args, kwargs):
            with floating_errors_ignored():
                return ...
        for_user(error)
        raise
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from s2sad.dispatch.target import Target

FLOATING = (FloatingPointError, RuntimeWarning)
"""The exceptions that NumPy's floating-point errors may be by such settings."""
_ignored: ContextVar[bool] = ContextVar("s2sad_floating_errors_ignored", default=False)


@contextlib.contextmanager
def floating_errors_ignored() -> Iterator[None]:
    """Neither NumPy's settings nor filters of warnings make floating-point errors
    exceptions."""
    token = _ignored.set(True)
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            yield
    finally:
        _ignored.reset(token)


def is_by_settings(error: Exception) -> bool:
    """True for a floating-point error that the caller's settings made an exception, not
    those of the function itself."""
    return isinstance(error, FLOATING) and not _ignored.get()


def is_of_derivative(
    error: Exception,
    target: Target,
    arguments: tuple[Any, ...],
    keywords: Mapping[str, Any],
) -> bool:
    """True for a floating-point error of a derivative whose function raises none for
    these arguments."""
    return is_by_settings(error) and _runs(target, target.bind(arguments, keywords))


def _runs(target: Target, values: tuple[Any, ...]) -> bool:
    """Whether the function runs without an exception, and running it shows nothing."""
    from s2sad.codegen.seeds import copied
    from s2sad.dispatch.dispatcher import Wanted

    wanted = Wanted("primal", ())
    try:
        with floating_errors_ignored():
            found = target.dispatcher(wanted).find(values).specialisation
        if not found.repeatable:
            return False
        target.call(tuple(map(copied, values)))
    except Exception:
        return False
    return True
