"""Derivatives that the user gives of a procedure, as programs."""

from dataclasses import dataclass, field
from typing import Any

from s2sad.ir.procedures import Procedure


@dataclass(eq=False)
class Call:
    """A program, and what it is called with: parameters of the procedure by name, and
    what is known to the compiler."""

    procedure: Procedure
    given: tuple[Any, ...]
    """A leaf for each parameter of the program."""


@dataclass(eq=False)
class GivenDerivative:
    """How a procedure is differentiated."""

    name: str
    """Of the user's function, for messages."""
    forward: Call | None = None
    """Gives the results and, behind them, the residuals."""
    reverse: Call | None = None
    """Takes the residuals and the cotangents of the results; gives cotangents."""
    residuals: tuple[Any, ...] = ()
    """The leaves that stand for residuals in ``reverse.given``, in order."""
    seeds: tuple[Any, ...] = ()
    """Those that stand for the cotangents of the results, None for a result without."""
    cotangents: tuple[Any, ...] = ()
    """For each number and array that ``reverse`` gives: the parameter that it is a
    cotangent of, and what must be checked."""
    pushforward: Call | None = None
    """Gives the results and, behind them, their tangents."""
    tangents: dict[str, Any] = field(default_factory=dict)
    """The leaves that stand for tangents in ``pushforward.given``, by parameter."""
    pushed: tuple[Any, ...] = ()
    """For each tangent that ``pushforward`` gives: the result that it belongs to, and
    what must be checked."""
    nondiff: frozenset[str] = frozenset()
    """Parameters that aren't differentiable."""
    captured: frozenset[str] = frozenset()
    """Parameters for variables around the function that it reads itself."""
    held: tuple[Any, ...] = ()
    """Variables around the function that its rules read, which the last parameters
    stand for: activations, and names in them."""
    held_as: tuple[Any, ...] = ()
    """What they are in these parameters."""
    hook: bool = False
    """True for a value that is handed on, with an adjoint that is looked at."""
    changes: bool = False
    """Whether that adjoint is changed, too."""
