"""Procedures: functions of the program that are called instead of inlined.

A function that calls itself can't be written out. It is a program of its own, which an
``Apply`` names as its function.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any

from s2sad.ir.nodes import (
    Apply,
    Assign,
    Block,
    Const,
    Function,
    Pack,
    Span,
    Statement,
    Var,
)
from s2sad.ir.walking import operations, value_variables, walk


class Procedure:
    """A program that others, and itself, call."""

    def __init__(
        self, name: str, docstring: str = "", of: Span | Procedure | None = None
    ) -> None:
        self.__name__ = name
        self.docstring = docstring
        self.short = name
        """The name that the text has where no other procedure has the same."""
        self.span: Span | None = of.span if isinstance(of, Procedure) else of
        """Where the user's function stands; ``of`` is that, or a procedure of it."""
        self.of: Procedure | None = of if isinstance(of, Procedure) else None
        """The procedure of which it is a derivative, or another form."""
        self.returns_residuals = False
        """True for a forward program: its last result is what its reverse reads."""
        self.function: Function
        """The program; set when it has been compiled, which takes calls of itself."""
        self.details: Any = None
        """What the transforms need to know of where it comes from."""
        self.derived: dict[Hashable, Any] = {}
        """Its derivatives, by what they are taken of."""
        self.reverses: tuple[Procedure, tuple[int, ...]] | None = None
        """Of a reverse program: the forward program that gives its residuals, and of
        which of its arguments it returns the adjoints."""
        self.is_alone = False
        """Of a reverse program: it takes what the function takes, and no residuals."""
        self.partials = 0
        """Of the programs of a pair: the residuals are so many partial derivatives, by
        which the reverse program, written out, multiplies the cotangent."""
        self.seeded: tuple[bool, ...] = ()
        """Of a reverse program: for each result of the function, if some call has its
        cotangent; the others aren't handed over."""
        self.gradient: Any = None
        """Of a gradient: which, see :mod:`s2sad.transform.calls.gradients_again`."""
        self.given: Any = None
        """The derivative that the user gives of it, if any."""
        self.is_batched = False
        """It takes many tangents or cotangents at once: adjoints that it returns may
        have an axis that arguments don't."""
        self.handed = 0
        """So many of its last arguments are arrays that it adds to."""
        self.owned: frozenset[tuple[int, int | None]] = frozenset()
        """The arguments, and items of tuples among them, that are its own in every
        call: it may change them."""

    def __call__(self, *args: Any) -> Any:
        raise NotImplementedError(f"{self.__name__} is a program, not a function")

    def __repr__(self) -> str:
        return f"<procedure {self.__name__}>"


def residuals_taken(reverse: Function) -> tuple[Assign, Pack] | None:
    """The line of a reverse program that takes its residuals apart, and their names
    there; None where it uses them as a whole."""
    given = Var(reverse.parameters[0])
    lines = [s for s in reverse.body if isinstance(s, Assign) and s.value == given]
    if len(lines) != 1 or not isinstance(lines[0].target, Pack):
        return None
    return lines[0], lines[0].target


def handed_arrays(value: Any) -> Iterator[Var]:
    """The variables to whose arrays, or views of them, the call of a procedure adds."""
    if isinstance(value, Apply) and isinstance(value.function, Procedure):
        count = len(value.args) - value.function.handed
        for argument in value.args[count:]:
            yield from value_variables(argument)


def changed_arguments(value: Any) -> Iterator[Var]:
    """The variables whose arrays, lists or dicts the call of a procedure may change."""
    yield from handed_arrays(value)
    if isinstance(value, Apply) and isinstance(value.function, Procedure):
        for place, item in value.function.owned:
            argument = value.args[place]
            if item is not None and isinstance(argument, Pack):
                argument = argument.items[item]
            if isinstance(argument, Var):
                yield argument


def is_complete(procedure: Procedure) -> bool:
    """False while the body is being compiled."""
    return getattr(procedure, "function", None) is not None


def called_procedures(block: Block) -> Iterator[Procedure]:
    """The procedures that a block calls itself, or has a helper call that it hands them
    to, in order of text."""
    for statement in walk(block):
        yield from _procedures_of(statement)


def _procedures_of(statement: Statement) -> tuple[Procedure, ...]:
    """Those of a statement itself, the ones in its blocks left out."""
    try:
        return statement.known_procedures
    except AttributeError:
        found: list[Procedure] = []
        for operation in operations(statement):
            if isinstance(operation.function, Procedure):
                found.append(operation.function)
            values = (a.value for a in operation.args if isinstance(a, Const))
            found += [value for value in values if isinstance(value, Procedure)]
        object.__setattr__(statement, "known_procedures", tuple(found))
        return tuple(found)


def in_order_of_text(procedures: Sequence[Procedure]) -> list[Procedure]:
    """Procedures in the order of the user's functions, reverse programs behind forward
    ones; files in the order in which the procedures are given."""
    files = list(dict.fromkeys(p.span and p.span.filename for p in procedures))
    places = {p: place for place, p in enumerate(procedures)}

    def key(procedure: Procedure) -> tuple[int, ...]:
        span = procedure.span
        forward, behind = procedure, 0
        if procedure.reverses is not None and procedure.reverses[0] in places:
            forward, behind = procedure.reverses[0], 1
        file = files.index(span and span.filename)
        return file, span.line if span else 0, places[forward], behind

    return sorted(procedures, key=key)


def with_called(procedure: Procedure) -> list[Procedure]:
    """A procedure, and those that it calls."""
    known = [procedure.function.body] if is_complete(procedure) else []
    return [procedure, *(p for p in all_procedures(known) if p is not procedure)]


def all_procedures(
    blocks: Iterable[Block], is_closed: Callable[[Procedure], bool] | None = None
) -> list[Procedure]:
    """The procedures that some blocks call, and those that these call, unless they are
    closed."""
    found: dict[Procedure, None] = {}
    pending = [p for block in blocks for p in called_procedures(block)]
    while pending:
        procedure = pending.pop(0)
        if procedure not in found:
            found[procedure] = None
            if is_complete(procedure) and not (is_closed and is_closed(procedure)):
                pending += called_procedures(procedure.function.body)
    return list(found)
