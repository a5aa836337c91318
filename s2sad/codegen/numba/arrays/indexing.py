"""What an index of several items means: which are places, which whole axes."""

from s2sad import ir
from s2sad.codegen.numba.programs import Facts, is_array

_FULL = ir.Slice(None, None, None)


class Index:
    """An index of several places, of which some are arrays of them."""

    def __init__(self, index: ir.Operand, rank: int, facts: Facts) -> None:
        items = list(index.items) if _is_tuple(index) else [index]  # type: ignore[union-attr]
        self.facts = facts
        named = sum(i not in (ir.Const(Ellipsis), ir.Const(None)) for i in items)
        filled: list[ir.Operand] = []
        for item in items:
            if item == ir.Const(Ellipsis):
                filled += [_FULL] * (rank - named)
            else:
                filled.append(item)
        if ir.Const(Ellipsis) not in items:
            filled += [_FULL] * (rank - named)
        self.items = filled
        self.arrays = [i for i in filled if is_array(facts.kind(i))]
        self.picked = [k for k, i in enumerate(filled) if self._is_place(i)]
        """The positions of numbers and arrays of places."""

    def _is_place(self, item: ir.Operand) -> bool:
        return not isinstance(item, ir.Slice) and item != ir.Const(None)

    @property
    def mask(self) -> ir.Var | None:
        """The mask, where the index is one array of bools."""
        if len(self.items) and isinstance(self.items[0], ir.Var):
            kind = self.facts.kind(self.items[0])
            if is_array(kind) and ir.dtype_of(kind) == "bool":  # type: ignore[arg-type]
                return self.items[0]
        return None

    def is_simple(self) -> bool:
        """True for numbers, arrays of whole numbers, whole axes and new axes."""
        for item in self.items:
            kind = self.facts.kind(item)
            if isinstance(item, ir.Slice):
                if item != _FULL:
                    return False
            elif item == ir.Const(None):
                if self.arrays:
                    return False
            elif kind is None or ir.dtype_of(kind) != "int64" or self._is_other(kind):
                return False
        return True

    def _is_other(self, kind: ir.Kind) -> bool:
        return not isinstance(kind, ir.Scalar | ir.NumPyScalar) and not is_array(kind)

    def spread(self) -> int:
        """The rank of the arrays of places, broadcast together."""
        return max((len(self.facts.kind(a).axes) for a in self.arrays), default=0)  # type: ignore[union-attr]

    def front(self) -> int:
        """The number of axes of the result before those of the arrays of places."""
        first, last = self.picked[0], self.picked[-1]
        together = last - first == len(self.picked) - 1
        return first if together else 0

    def axes_of_result(self) -> list[tuple[str, int]]:
        """For each axis of the result: ``("axis", k)`` of what is indexed, ``("new",
        0)``, or ``("place", k)``, counted from the last of the arrays of places."""
        found: list[tuple[str, int]] = []
        axis = 0
        for item in self.items:
            if item == ir.Const(None):
                found.append(("new", 0))
                continue
            if isinstance(item, ir.Slice):
                found.append(("axis", axis))
            axis += 1
        if self.arrays:
            spread = self.spread()
            places = [("place", spread - k) for k in range(spread)]
            front = self.front()
            found[front:front] = places
        return found


def _is_tuple(index: ir.Operand) -> bool:
    return isinstance(index, ir.Pack) and index.constructor is tuple
