"""Strings and conversions that are known when a function is compiled.

What is known of a value decides ``str(n)``, ``f"w{n}"`` or ``name.upper()`` at once, so
that the result may be the key of a dict.
"""

import operator
from collections.abc import Callable, Mapping
from typing import Any

from s2sad import ir, rules
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.calls.builtin_calls import BUILTIN_CALLS
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser
from s2sad.rules.python.folding import known_result

_PLAIN = (str, bytes, bool, int, type(None))


def folded_call(
    function: Callable[..., Any],
    args: Args,
    keywords: Mapping[str, core.Value] | None = None,
) -> core.Value | None:
    """The result of a function without effects where all it takes is known, if that is
    a string, a whole number, or a sequence of them; else None."""
    kinds = [core.kind_of(v) for v in (*args, *(keywords or {}).values())]
    if not all(rules.is_static(k) and not _is_float(k) for k in kinds):
        return None
    words = {k: core.known_exactly(v) for k, v in (keywords or {}).items()}
    given = tuple(core.known_exactly(a) for a in args)
    return _value_of(known_result(function, given, words))


def _value_of(result: Any) -> core.Value | None:
    if type(result) in _PLAIN:
        return core.constant(result)
    if type(result) in (tuple, list):
        items = [_value_of(item) for item in result]
        if None not in items:
            return core.aggregate_of(tuple(items), type(result))  # type: ignore[arg-type]
    return None


def _is_float(kind: Any) -> bool:
    return isinstance(kind, ir.Scalar) and kind.type in ("float", "complex")


def _is_text(value: core.Value) -> bool:
    kind = core.kind_of(value)
    return isinstance(kind, ir.Known) and isinstance(kind.value, str | bytes)


def _converted(function: Any) -> Callable[..., core.Value]:
    """``str(n)``, ``int("2")``: of known values at once."""

    def convert(spec: Specialiser, args: Any, keywords: Any) -> core.Value:
        if function in (str, repr, ascii) or any(map(_is_text, args)):
            known = folded_call(function, args, keywords)
            if known is not None:
                return known
        return spec.apply(function, args, keywords)

    return convert


def _divmod(spec: Specialiser, args: Any, keywords: Any) -> core.Value:
    if len(args) != 2 or keywords:
        raise core.Unsupported("divmod takes two numbers", "check the call")
    parts = (operator.floordiv, operator.mod)
    return core.aggregate_of(tuple(spec.operate(part, args) for part in parts))


for _function in (str, repr, ascii, int):
    BUILTIN_CALLS[_function] = _converted(_function)
BUILTIN_CALLS[divmod] = _divmod
