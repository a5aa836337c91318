"""The numbers and arrays in the arguments of a call: how users write them, and the
lengths of their axes.

>>> spelled("net", [("layers", object), (0, list), ("w", dict)])
"net.layers[0]['w']"
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from s2sad import ir
from s2sad.frontend.specialise import Specialised, core


@dataclass(frozen=True)
class ArgumentLeaf:
    """One number, array or list in an argument."""

    parameter: str
    variable: str
    """The variable of the program that holds it."""
    text: str
    """``"params['w']"``."""
    kind: ir.Kind


def argument_leaves(
    specialised: Specialised, values: Mapping[str, Any]
) -> tuple[list[ArgumentLeaf], dict[Hashable, int]]:
    """The leaves of all arguments, in order, and the lengths that symbols of axes stand
    for, from the arguments of a call."""
    found: list[ArgumentLeaf] = []
    lengths: dict[Hashable, int] = {}
    for parameter, argument in specialised.arguments.items():
        if parameter not in values:  # a local variable
            continue
        for leaf, path, value in _leaves(argument, values[parameter], []):
            if not isinstance(leaf.operand, ir.Var):
                continue
            text = spelled(parameter, path)
            found.append(ArgumentLeaf(parameter, leaf.operand.name, text, leaf.kind))
            if isinstance(leaf.kind, ir.Array) and leaf.kind.axes is not None:
                for axis, length in zip(leaf.kind.axes, value.shape):
                    lengths.setdefault(axis.symbol, length)
            elif isinstance(leaf.kind, ir.List):
                lengths.setdefault(leaf.kind.axis.symbol, len(value))
    lengths.pop(None, None)
    return found, lengths


def spelled(parameter: str, path: Iterable[tuple[Hashable, type]]) -> str:
    """An item of an argument as the user writes it, from keys and the structures that
    they are keys of."""
    text = parameter
    for key, constructor in path:
        by_index = constructor in (tuple, list, dict)
        text += f"[{key!r}]" if by_index else f".{key}"
    return text


def _leaves(
    argument: core.Value, value: Any, path: list[tuple[Hashable, type]]
) -> Iterator[tuple[core.Leaf, list[tuple[Hashable, type]], Any]]:
    if isinstance(argument, core.Leaf):
        yield argument, path, value
    elif isinstance(argument, core.Aggregate):
        by_index = argument.constructor in (tuple, list, dict)
        for key, item in zip(argument.keys, argument.items, strict=True):
            held = value[key] if by_index else getattr(value, str(key))
            yield from _leaves(item, held, [*path, (key, argument.constructor)])
