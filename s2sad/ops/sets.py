"""Operations on sets whose members are known only when the program runs, as functions
of the IR."""

from dataclasses import replace
from typing import Any

from s2sad import ir
from s2sad.ops.inner_lists import CHANGES_WITHIN
from s2sad.ops.keyed_heaps import KEY_CHANGES
from s2sad.ops.lists import LIST_CHANGES, extended


def set_of_members(*members: Any) -> set[Any]:
    """``{first, second}``."""
    return set(members)


def change_members(members: set[Any], name: str, *args: Any) -> None:
    """``members.add(member)``, or another method that changes a set."""
    getattr(members, name)(*args)


def member_taken(members: set[Any]) -> Any:
    """``members.pop()``."""
    return members.pop()


def at_its_time(function: Any, *args: Any) -> Any:
    """``function(*args)``, which depends on what a set holds that changes."""
    return function(*args)


def done_now(value: ir.Apply) -> ir.Apply:
    """Such an operation as the one that it does."""
    function, *args = value.args
    assert isinstance(function, ir.Const)
    return replace(value, function=function.value, args=tuple(args))


CONTAINER_CHANGES = (
    *LIST_CHANGES,
    *CHANGES_WITHIN,
    *KEY_CHANGES,
    extended,
)
"""The operations that the emitter writes as changes of their first operand."""
