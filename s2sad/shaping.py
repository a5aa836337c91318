"""What users write inside a function to shape its derivative.

Outside of differentiated code these do nothing, so a function that uses them runs as it
is. Inside, the compiler knows them by name; they leave no trace in generated code.

>>> stop_gradient(2.0)
2.0
>>> with no_grad():
...     y = 3.0
>>> hook(y, print)
3.0
"""

from collections.abc import Callable
from typing import Any, TypeVar

from s2sad.errors import ArgumentError

__all__ = ["hook", "no_grad", "stop_gradient"]

T = TypeVar("T")


def stop_gradient(value: T) -> T:
    """The value, through which nothing is differentiated.

    Takes a number, an array of any shape and dtype, or a structure of them, and returns
    it. In differentiated code the result counts as a constant, in both modes and to any
    order. It may share memory with the argument, as a view does.
    """
    return value


class no_grad:
    """``with no_grad():`` makes constants of what is computed in the block.

    The results of all operations inside, also in functions that are called there, count
    as constants of the derivative. What is stored into an array there is a constant,
    and what it overwrites loses its derivative. ``y = x`` gives a value another name,
    and that value keeps its derivative. In plain Python the block is run as it is.
    """

    def __enter__(self) -> None:
        return None

    def __exit__(self, *failure: object) -> None:
        return None


def hook(value: T, change: Callable[[Any], Any]) -> T:
    """The value; on its way back the adjoint of it is given to ``change``.

    In reverse mode ``change`` is called with the adjoint of ``value``, at the full
    shape of it, where that is complete. What it returns takes the place of the adjoint,
    and must have its shape; None leaves the adjoint as it is. It is called once for
    each time that this line ran, last first, and not where there is no adjoint. It must
    not write into the adjoint.

    Takes a float or an array of floats as ``value``. Raises ArgumentError where
    ``change`` can't be called. In differentiated code, forward mode passes the tangent
    on where ``change`` always returns None, and is refused otherwise: what changes an
    adjoint says nothing of tangents.
    """
    if not callable(change):
        raise ArgumentError(
            f"hook takes a value and a function of its adjoint, not {change!r}"
        )
    return value
