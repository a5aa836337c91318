"""``checkpoint``: less memory for more computing in the reverse sweep.

Outside of a derivative it changes nothing: a loop runs over what it is given, a
function is called, a block is run. In a gradient the reverse sweep computes again what
else would have been kept.

>>> sum(t for t in checkpoint(range(4), snapshots=2))
6
>>> checkpoint(abs)(-2.0)
2.0
"""

import contextlib
import functools
from collections.abc import Callable, Iterable
from typing import Any, TypeVar, overload

from s2sad.errors import ArgumentError

Item = TypeVar("Item")
Function = TypeVar("Function", bound=Callable[..., Any])


def recomputed(function: Callable[..., Any], /, *args: Any, **keywords: Any) -> Any:
    """What ``checkpoint(function)`` calls: the function, whose intermediate values a
    reverse sweep computes again."""
    return function(*args, **keywords)


@overload
def checkpoint() -> contextlib.AbstractContextManager[None]: ...


@overload
def checkpoint(function: Function, /) -> Function: ...


@overload
def checkpoint(
    iterable: Iterable[Item], /, *, snapshots: int | None = None
) -> Iterable[Item]: ...


def checkpoint(target: Any = None, /, *, snapshots: Any = None) -> Any:
    """Compute again in the reverse sweep instead of keeping values.

    - ``for t in checkpoint(range(n), snapshots=s):`` keeps the state of the loop before
      at most s of its steps, and that before the last. From these the reverse sweep
      runs steps again, as few as can be where the number of steps is known. Source:
      Griewank and Walther, Algorithm 799: Revolve (2000). Where the loop may end early
      or runs over an iterator without end, snapshots are thinned out on the way: Wang,
      Moin and Iaccarino (2009).
    - ``checkpoint(f)(x)`` keeps nothing of the call but its arguments.
    - ``with checkpoint():`` keeps nothing of the block but what it reads.

    What is computed again must give the same values: derivatives of code that draws
    random numbers there, or calls what s2sad doesn't know, are refused.

    Raises ArgumentError where ``snapshots`` is missing for a loop, given for a function
    or block, or no whole number of at least 1.
    """
    if snapshots is not None:
        if isinstance(snapshots, bool) or not hasattr(snapshots, "__index__"):
            raise ArgumentError("checkpoint: snapshots is a whole number")
        if snapshots < 1:
            raise ArgumentError("checkpoint needs at least 1 snapshot")
        if target is None or not isinstance(target, Iterable):
            raise ArgumentError("checkpoint: snapshots are those of a loop")
        return target
    if target is None:
        return contextlib.nullcontext()
    if callable(target):
        return functools.partial(recomputed, target)
    raise ArgumentError(
        "checkpoint: say how many snapshots the loop may keep: "
        "checkpoint(..., snapshots=10)"
    )
