"""What interrupts the specialisation of a statement, a branch or a whole program."""

import ast
from collections.abc import Hashable, Iterable
from typing import Any

from s2sad.errors import Problem, UnsupportedError


class SpecialiseOnValue(Exception):
    """Kinds depend on the numbers passed at ``paths`` in the arguments."""

    def __init__(self, *paths: Hashable) -> None:
        super().__init__(*paths)
        self.paths = paths


class KeepLists(Exception):
    """Which lists in lists a program means isn't followed where they are held by value:
    those of the arguments ``names`` are to be kept as they are. Or it isn't which
    arrays it writes into: then all is to be kept in which they stand, and ``refused``
    says why, should that not help."""

    def __init__(
        self, names: Iterable[str], refused: UnsupportedError | None = None
    ) -> None:
        super().__init__(*names)
        self.names, self.refused = tuple(names), refused


class KeepObjects(Exception):
    """Which object of a class a name holds isn't followed where objects are taken
    apart: those among the arguments are to be kept as they are. ``facts`` were found
    before."""

    def __init__(self, cls: type, facts: Any) -> None:
        super().__init__(cls)
        self.cls, self.facts = cls, facts


class AxesAssumedEqual(Exception):
    """Two axes of arguments are combined elementwise, and neither's length is known.

    Compiled without a call, they are assumed to be equal; a check at entry raises
    otherwise.
    """

    def __init__(self, first: Hashable, second: Hashable) -> None:
        super().__init__(first, second)
        self.first, self.second = first, second


class Unsupported(Exception):
    """One problem; collected by the statement it occurs in. It stands at the innermost
    expression that is evaluated, unless a ``node`` says more exactly where."""

    def __init__(
        self, reason: str, advice: str = "", node: ast.AST | None = None
    ) -> None:
        super().__init__(reason)
        self.node, self.reason, self.advice = node, reason, advice
        self.raised_by_program = False
        """True where the program itself raises, whatever is followed."""


class NothingFollows(Exception):
    """An expression never gives a value: on every path it raises. ``unreachable`` is
    set; what is left of the block is not run."""


class TooMuchWork(UnsupportedError):
    """A program takes too long to compile."""


class RefusedAsCalls(UnsupportedError):
    """A program was refused that keeps calls: the functions whose calls may be the
    reason are written out instead."""

    def __init__(
        self, problems: Iterable[Problem], functions: frozenset[Hashable]
    ) -> None:
        super().__init__(problems)
        self.functions = functions


class BindsOutside(Exception):
    """A function that calls itself binds a variable of another activation: it is
    specialised again, to hand the new value back."""

    def __init__(self, procedure: Any, owner: object, name: str, value: Any) -> None:
        super().__init__(name)
        self.procedure, self.owner, self.name = procedure, owner, name
        self.value = value
        """What it is bound to."""


class Learned(Exception):
    """The run found out facts, and can't go on: the program is specialised again with
    them."""


class NotBatched(Exception):
    """Raised where tangents can't be carried together; they are carried one by one."""
