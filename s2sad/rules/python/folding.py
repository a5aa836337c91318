"""Results of known values, computed when a function is compiled.

A result is known up to a size alone: what ``10**10**8`` or ``"a" * 10**10`` is, the run
finds out where it is needed.

>>> known_result(pow, (2, 10)), known_result(pow, (10, 10**8)) is NOT_KNOWN
(1024, True)
"""

import operator
import re
from collections.abc import Callable, Mapping
from typing import Any

MOST_BITS = 10_000
"""Of a whole number that is known."""
LONGEST_TEXT = 10_000
"""Of a string that is known."""
NOT_KNOWN: Any = object()

_PADDED = frozenset({"ljust", "rjust", "center", "zfill", "expandtabs"})
"""Methods of strings that take a length."""
_WIDTH = re.compile(r"\d{5,}")
_SEQUENCES = (str, bytes, tuple, list)


def known_result(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    keywords: Mapping[str, Any] | None = None,
) -> Any:
    """``function(*args, **keywords)``, or NOT_KNOWN where it is large or would take
    long, and where it raises: the run will raise, too."""
    words = keywords or {}
    if _is_large(function, args):
        return NOT_KNOWN
    try:
        result = function(*args, **words)
    except Exception:
        return NOT_KNOWN
    return NOT_KNOWN if _size(result) > 1 else result


def _is_large(function: Callable[..., Any], args: tuple[Any, ...]) -> bool:
    """True where the result, or what is computed on the way, may be large."""
    name = getattr(function, "__name__", "")
    if name in _PADDED or name in ("format", "format_value"):
        if any(type(a) is int and a > LONGEST_TEXT for a in args[1:]):
            return True
    texts = [a for a in args if isinstance(a, str)]
    if name in ("format", "mod", "format_value") and texts:  # widths stand in the text
        return any(map(_WIDTH.search, texts))
    if len(args) < 2 or not all(type(a) in (int, bool) for a in args[:2]):
        if function is operator.mul and len(args) == 2:
            return _repeated(*args) > LONGEST_TEXT
        return False
    first, second = args[:2]
    if function in (operator.pow, pow) and len(args) == 2:
        return first.bit_length() * abs(second) > 2 * MOST_BITS
    if function is operator.lshift:
        return second > MOST_BITS
    return False


def _repeated(a: Any, b: Any) -> int:
    """The length of ``a * b`` of a sequence and a number."""
    if isinstance(b, _SEQUENCES):
        a, b = b, a
    return len(a) * b if isinstance(a, _SEQUENCES) and isinstance(b, int) else 0


def _size(value: Any) -> float:
    """How large a value is, as part of what is known at most."""
    if type(value) is int:
        return value.bit_length() / MOST_BITS
    if isinstance(value, str | bytes):
        return len(value) / LONGEST_TEXT
    return 0.0
