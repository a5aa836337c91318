"""Ownership: which arguments a procedure may keep for itself, for no caller sees them
again, and which of its results nobody else holds.

Assumed of all at first, and given up where a call or a return contradicts it, until
nothing does (``optimise/buffers/ownership.py``): what is left holds along every path of
calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from s2sad import ir

Place = tuple[int, int | None]
"""An argument by its number; in a tuple, an item of it."""


@dataclass(frozen=True)
class Ownership:
    """What is handed over at calls."""

    arguments: Mapping[ir.Procedure, frozenset[Place]] = field(default_factory=dict)
    """The arguments that a procedure owns."""
    results: Mapping[ir.Procedure, frozenset[int]] = field(default_factory=dict)
    """The results that whoever calls it owns."""
    whole: Mapping[ir.Procedure, frozenset[int]] = field(default_factory=dict)
    """Those of them that aren't parts of an array, nor views of it."""

    def own_results(self, s: ir.Statement, *, whole: bool = False) -> Iterator[str]:
        """The variables that get what nobody else holds from a call; only those that
        get all of an array if ``whole``."""
        procedure = called(s)
        if procedure is not None:
            own = (self.whole if whole else self.results).get(procedure, frozenset())
            for place, item in enumerate(targets(s)):
                if place in own and isinstance(item, ir.Var):
                    yield item.name

    def own_parameters(
        self, procedure: ir.Procedure | None, function: ir.Function
    ) -> set[str]:
        """The parameters that a procedure owns as a whole, and items of others as
        ``analysis/memory/parts_of_arguments.py`` spells them."""
        if procedure is None:
            return set()
        return {
            function.parameters[k] + ("" if item is None else f"[{item!r}]")
            for k, item in self.arguments.get(procedure, frozenset())
            if k < len(function.parameters)
        }

    def with_fewer_results(
        self, procedure: ir.Procedure, like: ir.Procedure, place: int
    ) -> Ownership:
        """The same, and of a procedure what is known of another one, which returns one
        result more."""
        tables = []
        for table in (self.results, self.whole):
            own = table.get(like, frozenset())
            kept = frozenset(k - (k > place) for k in own if k != place)
            tables.append({**table, procedure: kept})
        arguments = {**self.arguments}
        if like in arguments:
            arguments[procedure] = arguments[like]
        return Ownership(arguments, *tables)


NONE = Ownership()
"""Nothing is handed over."""


def called(s: ir.Statement) -> ir.Procedure | None:
    """The procedure that a statement calls."""
    function = s.value.function if ir.applies(s) else None
    return function if isinstance(function, ir.Procedure) else None


def targets(s: ir.Statement) -> tuple[ir.Operand, ...]:
    """The variables that get the results of a call, in order."""
    assert isinstance(s, ir.Assign)
    return s.target.items if isinstance(s.target, ir.Pack) else (s.target,)


def handed(value: ir.Apply) -> Iterator[tuple[Place, ir.Var]]:
    """The variables that are handed to a procedure, with their places."""
    for k, argument in enumerate(value.args):
        if isinstance(argument, ir.Var):
            yield (k, None), argument
        elif isinstance(argument, ir.Pack) and argument.constructor is tuple:
            for j, item in enumerate(argument.items):
                if isinstance(item, ir.Var):
                    yield (k, j), item
