"""Arguments made up from kinds, for trying a function out.

Takes the kinds of parameters; gives small random arguments. What the kinds leave open
(the rank of an array, the lengths of axes) is tried in turn until the function accepts
it.
"""

import inspect
import itertools
import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from s2sad import errors, ir
from s2sad.dispatch.target import Target

_LENGTHS = (3, 4)
_MOST_ATTEMPTS = 2000


@dataclass(frozen=True)
class _Form:
    """The ranks and lengths that one attempt uses."""

    lengths: Mapping[Hashable, int]
    positive: bool


def made_up_arguments(
    target: Target, kinds: Mapping[str, ir.Kind], defaults: Mapping[str, Any], seed: int
) -> tuple[Any, ...]:
    """Values of the parameters for which the function returns finite numbers.

    Raises ArgumentError, which asks for arguments, if none are found.
    """
    kinds = {
        name: _with_documented_shape(name, kind, target.function)
        for name, kind in kinds.items()
    }
    failure: Exception | None = None
    attempts = itertools.islice(_attempts(kinds, defaults, seed), _MOST_ATTEMPTS)
    for arguments in attempts:
        try:
            with np.errstate(all="ignore"):
                value = target.call(arguments)
            if _is_finite(value):
                return arguments
            failure = failure or errors.ArgumentError("the value isn't finite")
        except Exception as error:
            failure = failure or error
    reason = f": {type(failure).__name__}: {failure}" if failure else ""
    raise errors.ArgumentError(
        f"no made-up arguments suit {target.name}{reason}\n"
        "    give them with --arguments, or say more with --signature"
    )


def _attempts(
    kinds: Mapping[str, ir.Kind], defaults: Mapping[str, Any], seed: int
) -> Iterator[tuple[Any, ...]]:
    for ranked in _ranked(kinds):
        symbols = list(dict.fromkeys(_symbols(ranked.values())))
        choices = list(itertools.product(_LENGTHS, repeat=min(len(symbols), 8)))
        # Axes of equal lengths would hide confusions of axes: they come last.
        choices.sort(key=lambda lengths: len(set(lengths)) == 1)
        for lengths in choices:
            for positive in (False, True):
                chosen = dict(zip(symbols, lengths))
                form = _Form(chosen, positive)
                rng = np.random.default_rng(seed)
                yield tuple(
                    _value(name, kind, form, rng, defaults)
                    for name, kind in ranked.items()
                )


def _ranked(kinds: Mapping[str, ir.Kind]) -> Iterator[dict[str, ir.Kind]]:
    """The kinds with every rank that may be meant."""
    open_ends = dict(
        end for name, kind in kinds.items() for end in _open(kind, (name,))
    )
    for ranks in itertools.product(*open_ends.values()):
        chosen = dict(zip(open_ends, ranks))
        yield {name: _with_ranks(kind, (name,), chosen) for name, kind in kinds.items()}


_INT = -1
"""In place of a rank: a whole number."""
_Path = tuple[Hashable, ...]


def _open(kind: ir.Kind, path: _Path) -> Iterator[tuple[_Path, tuple[int, ...]]]:
    """What is open, with the ranks to try."""
    if isinstance(kind, ir.Structure):
        for key, item in zip(kind.keys, kind.items, strict=True):
            yield from _open(item, (*path, key))
    elif isinstance(kind, ir.Array) and kind.axes is None:
        yield path, (1, 2, 0)
    elif isinstance(kind, ir.Unknown) and not kind.inactive:
        yield path, (1, 0, 2, _INT)


def _with_ranks(kind: ir.Kind, path: _Path, ranks: Mapping[_Path, int]) -> ir.Kind:
    if isinstance(kind, ir.Structure):
        items = tuple(
            _with_ranks(item, (*path, key), ranks)
            for key, item in zip(kind.keys, kind.items, strict=True)
        )
        return replace(kind, items=items)
    rank = ranks.get(path)
    if rank is None:
        return kind
    if rank <= 0 and not isinstance(kind, ir.Array):
        return ir.Scalar("int" if rank == _INT else "float")
    dtype = kind.dtype if isinstance(kind, ir.Array) else "float64"
    return ir.Array(dtype, tuple(ir.Axis("any", (path, k)) for k in range(rank)))


def _symbols(kinds: Any) -> Iterator[Hashable]:
    for kind in kinds:
        if isinstance(kind, ir.Structure):
            yield from _symbols(kind.items)
        elif isinstance(kind, ir.Array):
            for axis in kind.axes or ():
                if axis.length != "one" and not _fixed(axis):
                    yield axis.symbol


def _fixed(axis: ir.Axis) -> int | None:
    match axis.symbol:
        case ("dim", int(length)):
            return length
    return None


def _value(
    name: str,
    kind: ir.Kind,
    form: _Form,
    rng: np.random.Generator,
    defaults: Mapping[str, Any],
) -> Any:
    match kind:
        case ir.Known(value=value):
            return value
        case ir.Scalar(value=value) if value is not None:
            return value
        case ir.Scalar(type=kind_name):
            if kind_name in ("int", "bool") and name in defaults:
                return defaults[name]
            number = _numbers(_DTYPES[kind_name], (), form, rng)
            return number.item()
        case ir.NumPyScalar(dtype=dtype):
            return _numbers(dtype or "float64", (), form, rng)[()]
        case ir.Array(dtype=dtype, axes=axes):
            shape = tuple(_length(axis, form) for axis in axes or ())
            return _numbers(dtype or "float64", shape, form, rng)
        case ir.Structure(constructor=constructor, keys=keys, items=items):
            values = [_value(name, item, form, rng, defaults) for item in items]
            return _made(constructor, keys, values)
        case ir.List(item=item, constructor=constructor) if item is not None:
            value = partial(_value, name, item, form, rng, defaults)
            return constructor(value() for _ in range(_ITEMS))
        case ir.Reference():
            return _kept(name, kind, form, rng, 0)
    raise errors.ArgumentError(
        f"{name} is {kind}, and no such value can be made up: give the arguments with "
        "--arguments"
    )


def _made(constructor: Any, keys: Sequence[Hashable], values: Sequence[Any]) -> Any:
    if constructor in (tuple, list):
        return constructor(values)
    if constructor is dict:
        return dict(zip(keys, values))
    return constructor(**dict(zip(map(str, keys), values)))


def _kept(
    name: str, kind: ir.Kind, form: _Form, rng: np.random.Generator, depth: int
) -> Any:
    """What may stand in a list, dict or object of any size: deeper down there are fewer
    items, and in the end none."""
    if kind == ir.OPAQUE:
        return "a"
    if isinstance(kind, ir.Members):
        return kind.constructor()
    if isinstance(kind, ir.Unknown) and kind.present is not None:
        kind = kind.present
    if isinstance(kind, ir.Array) and kind.axes is None:
        kind = replace(kind, axes=(ir.Axis("many"),))
    if not isinstance(kind, ir.Reference):
        return _value(name, kind, form, rng, {})
    if kind.may_be_none and depth > _DEPTH:
        return None
    made = kind.forms[int(rng.integers(len(kind.forms)))]
    slots = made.slots
    if not made.is_uniform:
        if depth > 2 * _DEPTH or len(slots) < len(made.keys):
            raise errors.ArgumentError(
                f"{name} holds {kind}, and no such value can be made up: give the "
                "arguments with --arguments"
            )
        values = [_kept(name, slots[k], form, rng, depth + 1) for k in made.keys]
        return _made(made.constructor, made.keys, values)
    count = max(_ITEMS - 2 * depth, 2 if depth < _DEPTH else 0)
    items = [_kept(name, slots[ir.EACH], form, rng, depth + 1) for _ in range(count)]
    if issubclass(made.constructor, dict):
        keys = range(count) if made.key == ir.INT else "abcdefgh"
        return dict(zip(keys, items))
    return list(items) if made.constructor is list else tuple(items)


_ITEMS = 6
"""How many items a list has that is made up: enough to be kept as it is."""
_DEPTH = 3
_DTYPES = {
    "float": "float64",
    "int": "int64",
    "bool": "bool",
    "complex": "complex128",
}


def _length(axis: ir.Axis, form: _Form) -> int:
    if axis.length == "one":
        return 1
    return _fixed(axis) or form.lengths.get(axis.symbol, _LENGTHS[0])


def _numbers(
    dtype: str, shape: tuple[int, ...], form: _Form, rng: np.random.Generator
) -> np.ndarray:
    kind = np.dtype(dtype).kind
    if kind == "b":
        return np.asarray(rng.integers(0, 2, shape)).astype(dtype)
    if kind in "iu":
        # Small enough to be an index, large enough to be a count.
        low = 0 if shape else 2
        return np.asarray(rng.integers(low, 3, shape)).astype(dtype)
    drawn = rng.uniform(0.5, 1.5, shape) if form.positive else rng.normal(size=shape)
    return np.asarray(drawn).astype(dtype)


def _is_finite(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(_is_finite, value.values()))
    if isinstance(value, tuple | list):
        return all(map(_is_finite, value))
    return bool(np.all(np.isfinite(value)))


def _with_documented_shape(
    name: str, kind: ir.Kind, function: Callable[..., Any]
) -> ir.Kind:
    """The kind of an array with the shape that the docstring gives, as in ``x (n, d)``
    or ``x: array of shape (n, d)``; axes named alike are equally long."""
    if not isinstance(kind, ir.Array) or kind.axes is not None:
        return kind
    text = inspect.getdoc(function) or ""
    found = re.search(rf"\b{re.escape(name)}\b[^(),.;\n]*\(((?:\w+, ?)*\w*,?)\)", text)
    if found is None:
        return kind
    words = [word.strip() for word in found[1].split(",") if word.strip()]
    axes = []
    for word in words:
        number = word.isdecimal()
        axes.append(
            ir.Axis("one")
            if word == "1"
            else ir.Axis(
                "many" if number else "any", ("dim", int(word) if number else word)
            )
        )
    return replace(kind, axes=tuple(axes))
