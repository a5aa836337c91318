"""Signatures as text: the kinds of the parameters of a function, written by hand.

>>> signature = parse_signature("loss(w: float64[:], b: float, x: float32[n, 1])")
>>> signature.name, [str(kind) for kind in signature.kinds.values()]
('loss', ['float64[?]', 'float', 'float32[?, 1]'])
>>> format_kind_as_signature(signature.kinds["x"])
'float32[n, 1]'

Kinds are written so:

- ``float``, ``int``, ``bool``, ``complex``: a Python number; ``3``, ``0.5``, ``True``:
  one whose value is known;
- ``float64``, ``int32``, ``bool_``: a NumPy scalar; ``number``: any of rank 0;
- ``float64[:, :]``: an array; ``array[:]``: of any dtype; ``float64[...]``: of any
  rank; ``float64[()]``: without axes; ``float64[:] | number``: or a number that
  broadcasts;
- an axis is ``:`` (any length), ``1``, another length, ``!=1``, ``n`` (any length, the
  same wherever the name stands), or ``n!=1``;
- ``(float, float64[:])``, ``[float, float]``, ``{'w': float64[:]}``: structures, and
  ``Params(w=float64[:])`` for the classes that are given;
- ``list[float]``, ``dict[str, Spring]``, ``tuple[Circle | Square, ...]``, ``Node``: as
  annotations say it, for whole parameters;
- ``'fast'``, ``None``: the value itself; ``opaque``: a value without a derivative;
  ``unknown``: anything.
"""

import cmath
import keyword
from collections.abc import Mapping
from typing import Any

from s2sad import ir
from s2sad.source.annotations import signature_parser
from s2sad.source.annotations.signature_parser import ParsedSignature


def parse_signature(
    text: str, classes: Mapping[str, Any] | None = None
) -> ParsedSignature:
    """The signature that a text such as ``"loss(w: float64[:], b: float)"`` describes.

    White space is free. A parameter without a kind is unknown. ``classes`` gives the
    NamedTuples and dataclasses that the text may name. Axes that are named alike share
    the symbol ``("dim", name)``.

    Raises :class:`~s2sad.errors.ArgumentError`, which shows where the text is wrong.
    """
    return signature_parser.SignatureParser(text, classes or {}).signature()


def format_kind_as_signature(kind: ir.Kind) -> str:
    """The text that :func:`parse_signature` reads as the kind.

    What has no notation is written as less: a known function or an unusual dtype as
    ``opaque``, a symbol that is no name as an axis of its own.
    """
    if isinstance(kind, ir.Scalar):
        return _format_number(kind)
    if isinstance(kind, ir.NumPyScalar):
        return _format_numpy_scalar(kind)
    if isinstance(kind, ir.Array):
        return _format_array(kind)
    if isinstance(kind, ir.Known):
        plain = kind.value is None or type(kind.value) in (str, bytes)
        return repr(kind.value) if plain else "opaque"
    if isinstance(kind, ir.Structure):
        return _format_structure(kind)
    if isinstance(kind, ir.RandomSource):
        return str(kind)
    return "opaque" if isinstance(kind, ir.Unknown) and kind.inactive else "unknown"


def _format_number(kind: ir.Scalar) -> str:
    if kind.value is None:
        return kind.type
    if kind.type != "complex":
        types: dict[str, type] = {"float": float, "int": int, "bool": bool}
        return repr(types[kind.type](kind.value))
    if not cmath.isfinite(kind.value):
        return kind.type
    return f"{kind.value.real!r}{kind.value.imag:+}j"


def _format_numpy_scalar(kind: ir.NumPyScalar) -> str:
    if kind.dtype is None:
        return "number"
    name = "bool_" if kind.dtype == "bool" else kind.dtype
    return name if name in signature_parser.WORDS else "opaque"


def _format_array(kind: ir.Array) -> str:
    if kind.dtype is not None and kind.dtype not in signature_parser.DTYPES_OF_ARRAYS:
        return "opaque"
    if kind.axes is None:
        axes = "..."
    else:
        axes = ", ".join(map(_format_axis, kind.axes)) or "()"
    return f"{kind.dtype or 'array'}[{axes}]" + (" | number" if kind.promoted else "")


def _format_axis(axis: ir.Axis) -> str:
    if axis.length == "one":
        return "1"
    name = ""
    match axis.symbol:
        case ("dim", int(n)) if axis.length == "many" and (n == 0 or n > 1):
            return str(n)
        case ("dim", str(word)) if _is_name(word):
            name = word
    return f"{name}!=1" if axis.length == "many" else name or ":"


def _format_structure(kind: ir.Structure) -> str:
    items = [format_kind_as_signature(item) for item in kind.items]
    if kind.constructor is tuple:
        return f"({', '.join(items)}{',' if len(items) == 1 else ''})"
    if kind.constructor is list:
        return f"[{', '.join(items)}]"
    if kind.constructor is dict:
        if not all(type(key) in (str, int) for key in kind.keys):
            return "unknown" if ir.is_real_number_kind(kind) else "opaque"
        pairs = zip(kind.keys, items, strict=True)
        return f"{{{', '.join(f'{key!r}: {item}' for key, item in pairs)}}}"
    pairs = zip(kind.keys, items, strict=True)
    constructor: Any = kind.constructor  # of a class that was only read: StaticClass
    name = getattr(constructor, "__name__", None) or constructor.name
    return f"{name}({', '.join(f'{key}={item}' for key, item in pairs)})"


def _is_name(text: str) -> bool:
    return text.isidentifier() and not keyword.iskeyword(text) and text != "_"
