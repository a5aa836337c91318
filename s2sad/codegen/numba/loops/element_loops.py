"""What must hold of the loops over elements that array operations are written as.

A loop that writes an array reads nothing of that name that it has already changed::

    y = zeros(n)
    for i in range(0, n, 1):               VerificationError: a loop over elements
        t = getitem(x, i)             ->   reads y, which it has changed: the values
        d = getitem(y, i)                  of before are gone
        y = index_add(y, i, mul(t, d))

NumPy computes an operation's result before it has a name, so the elements that the
operation reads are those of before. In the loops, an element is read in the turn that
writes it, at its own place, and not where the array has just been made, with numbers in
it that mean nothing. Numbers that are added up are read by nothing else. Indices of
other elements, views into the same memory, and arrays as a whole would see what other
turns have written.
"""

import operator
import os
from collections.abc import Container

import numpy as np

from s2sad import errors, ir, ops
from s2sad.codegen.numba.programs import Facts, is_array
from s2sad.rules.steps.shape_queries import axis_length, shape_of

_NEW = (np.empty, np.zeros)
_FILLED = np.full
_SHAPES = (axis_length, shape_of)


def verify_element_loops(function: ir.Function, places: Container[str]) -> None:
    """Check a program, as ``S2SAD_VERIFY=1`` asks for; ``places`` are the variables of
    loops over elements. Raises VerificationError for the first thing that is wrong."""
    if os.environ.get("S2SAD_VERIFY") == "1":
        _Loops(Facts(function), places).block(function.body)


class _Loops:
    def __init__(self, facts: Facts, places: Container[str]) -> None:
        self.facts, self.places = facts, places

    def block(self, block: ir.Block) -> None:
        new: set[str] = set()
        """Arrays into which nothing has been written since they were made."""
        own: set[str] = set()
        """Those, and ones that were made with a number in them."""
        for s in block:
            if isinstance(s, ir.For) and s.target.name in self.places:
                self.nest(s, new, own)
            else:
                for inner in ir.blocks_of(s):
                    self.block(inner)
            for line in ir.walk((s,)):
                new -= ir.names_written(line)
                own -= ir.names_written(line)
            if ir.applies(s, *_NEW):
                new |= ir.names_written(s)
            if ir.applies(s, *_NEW, _FILLED):
                own |= ir.names_written(s)

    def nest(self, loop: ir.For, new: Container[str], own: Container[str]) -> None:
        """Check the loops that one operation, or several, are written as."""
        written: dict[str, ir.Operand] = {}
        """The arrays, by the names that they had first, and the places."""
        sums: set[str] = set()
        for s in ir.walk(loop.body):
            name, place = _write(s)
            if place is not None:
                if written.setdefault(self.root(name), place) != place:
                    self.broken(s, name)
            elif name:
                sums.add(name)
        before = {name for name in written if name not in own}
        shared = {n for name in before for n in self.facts.sharing(name)}
        shared = {n for n in shared if is_array(self.facts.kinds.get(n))}
        changed: set[str] = set()
        for s in ir.walk(loop.body):
            self.reads(s, written, shared, sums)
            for name in self.elements_read(s):
                root = self.root(name)
                if root in written and name in new and root not in changed:
                    self.broken(s, name)
            name, place = _write(s)
            if place is not None:
                changed.add(self.root(name))

    def reads(
        self,
        s: ir.Statement,
        written: dict[str, ir.Operand],
        shared: Container[str],
        sums: Container[str],
    ) -> None:
        """Check what one line reads of what its loop writes."""
        target, _ = _write(s)
        if ir.applies(s, *_SHAPES):
            return
        first = True
        for v in ir.direct_reads(s):
            if first and v.name == target:
                first = False  # what is added to
                continue
            if v.name in sums and ir.dtype_of(self.facts.kind(v)) == "float64":  # type: ignore[arg-type]
                self.broken(s, v.name)
            root = self.root(v.name)
            if root not in written and v.name not in shared:
                continue
            at = s.value.args[1] if ir.applies(s) and s.value.args[1:] else None
            whole = v.name not in self.elements_read(s)
            if root not in written or whole or at != written[root]:
                self.broken(s, v.name)

    def elements_read(self, s: ir.Statement) -> tuple[str, ...]:
        array = s.value.args[0] if ir.applies(s, operator.getitem) else None
        return (array.name,) if isinstance(array, ir.Var) else ()

    def root(self, name: str) -> str:
        """The variable that a variable is another name of."""
        while name in self.facts.copies:
            name = self.facts.copies[name]
        return name

    def broken(self, s: ir.Statement, name: str) -> None:
        program = self.facts.function.name
        raise errors.VerificationError(
            f"{program} after array_loops: `{ir.statement_text(s)}`: a loop over "
            "elements "
            f"reads {name}, which it has changed: the values of before are gone"
        )


def _write(s: ir.Statement) -> tuple[str, ir.Operand | None]:
    """The array that a line writes into, and the place; a number that it adds to, and
    None; "" for other lines."""
    value = s.value if isinstance(s, ir.Assign) else None
    if not isinstance(value, ir.Apply) or not value.args:
        return "", None
    first = value.args[0]
    if value.function in ops.WRITES and isinstance(first, ir.Var):
        return first.name, value.args[1]
    added = value.function in (operator.add, operator.mul)
    if (
        added
        and isinstance(s, ir.Assign)
        and s.target == first
        and isinstance(first, ir.Var)
    ):
        return first.name, None
    return "", None
