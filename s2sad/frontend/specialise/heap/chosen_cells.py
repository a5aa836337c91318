"""Lists, dicts and objects of which the run chooses one: ``best = a if c else b``.

The name holds which one it is, and what is done with it is a branch on that::

    best.mean += e         ->        if best == "arm":
                                         a_mean += e
                                     else:
                                         b_mean += e
"""

from collections.abc import Callable
from typing import TypeGuard

from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser


def is_choice_of_cells(value: core.Value) -> TypeGuard[core.Choice]:
    """True for one of several lists, dicts or objects."""
    return isinstance(value, core.Choice) and any(
        isinstance(option, core.Cell) for _, option in value.options
    )


def for_the_one(
    spec: Specialiser, choice: core.Choice, read: Callable[[core.Value], core.Value]
) -> core.Value:
    """``read`` of the one that is chosen."""

    def from_position(position: int) -> core.Value:
        tag, option = choice.options[position]
        if position == len(choice.options) - 1:
            return read(option)
        return spec.select(
            spec.is_option(choice, tag),
            lambda: read(option),
            lambda: from_position(position + 1),
            "choice",
        )

    return from_position(0)


def change_the_one(
    spec: Specialiser, choice: core.Choice, change: Callable[[core.Value], None]
) -> None:
    """Change the one that is chosen."""

    def from_position(position: int) -> None:
        tag, option = choice.options[position]
        if position == len(choice.options) - 1:
            return change(option)
        spec.choose(
            spec.is_option(choice, tag),
            lambda: change(option),
            lambda: from_position(position + 1),
        )

    from_position(0)


def attribute_of_the_one(
    spec: Specialiser, choice: core.Choice, read: Callable[[core.Value], core.Value]
) -> core.Value:
    """An attribute of the one that is chosen; of a method, the choice stays."""
    with spec.new_block():
        first = read(choice.options[0][1])
    if not core.is_function(first):
        return for_the_one(spec, choice, read)
    options = tuple((tag, read(option)) for tag, option in choice.options)
    return core.Choice(choice.which, options, choice.complete)
