"""Places in sorted lists, and changes of them: ``bisect``.

Where numbers, texts or tuples of such are compared as they are, the function itself
finds the place: it has a rule. By a key, and where classes order their objects, the
search is written out: those are the user's functions.
"""

import bisect
from typing import Any

from s2sad import rules
from s2sad.frontend.library.texts import stands_for


@stands_for(bisect.bisect_right, always=True)
def bisect_right(
    a: Any, x: Any, lo: int = 0, hi: Any = None, *, key: Any = None
) -> int:
    """``bisect.bisect_right(a, x, key=key)``."""
    if key is None and rules.has_plain_order(a) and rules.has_plain_order(x):
        if rules.is_literal_zero(lo) and rules.is_none(hi):
            return bisect.bisect_right(a, x)
        return bisect.bisect_right(a, x, lo, hi)
    if lo < 0:
        raise ValueError("lo must be non-negative")
    low, high = lo, len(a) if hi is None else hi
    while low < high:
        middle = (low + high) // 2
        if x < (a[middle] if key is None else key(a[middle])):
            high = middle
        else:
            low = middle + 1
    return low


@stands_for(bisect.bisect_left, always=True)
def bisect_left(a: Any, x: Any, lo: int = 0, hi: Any = None, *, key: Any = None) -> int:
    """``bisect.bisect_left(a, x, key=key)``."""
    if key is None and rules.has_plain_order(a) and rules.has_plain_order(x):
        if rules.is_literal_zero(lo) and rules.is_none(hi):
            return bisect.bisect_left(a, x)
        return bisect.bisect_left(a, x, lo, hi)
    if lo < 0:
        raise ValueError("lo must be non-negative")
    low, high = lo, len(a) if hi is None else hi
    while low < high:
        middle = (low + high) // 2
        if (a[middle] if key is None else key(a[middle])) < x:
            low = middle + 1
        else:
            high = middle
    return low


@stands_for(bisect.insort_right, always=True)
def insort_right(
    a: list[Any], x: Any, lo: int = 0, hi: Any = None, *, key: Any = None
) -> None:
    """``bisect.insort_right(a, x)``."""
    own = x if key is None else key(x)
    a.insert(bisect.bisect_right(a, own, lo, hi, key=key), x)


@stands_for(bisect.insort_left, always=True)
def insort_left(
    a: list[Any], x: Any, lo: int = 0, hi: Any = None, *, key: Any = None
) -> None:
    """``bisect.insort_left(a, x)``."""
    own = x if key is None else key(x)
    a.insert(bisect.bisect_left(a, own, lo, hi, key=key), x)
