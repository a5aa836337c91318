"""What must hold of the operands of identities, and what follows from them."""

from collections.abc import Callable

from s2sad import ir
from s2sad.optimise.axes import axes_of_floats, same_length
from s2sad.optimise.identities.matches import Match

Condition = Callable[[Match], bool]


def matrix(*names: str) -> Condition:
    """Arrays of two axes."""
    return lambda match: all(match.rank(name) == 2 for name in names)


def number(name: str) -> Condition:
    """A number."""

    def holds(match: Match) -> bool:
        operand = match[name]
        if isinstance(operand, ir.Const):
            return isinstance(operand.value, int | float)
        return isinstance(match.kind(name), ir.Scalar | ir.NumPyScalar)

    return holds


def real(*names: str) -> Condition:
    """Variables that are floats."""

    def holds(match: Match) -> bool:
        return all(_is_float(match.kind(name)) for name in names)

    return holds


def _is_float(kind: ir.Kind | None) -> bool:
    plain = isinstance(kind, ir.Scalar | ir.NumPyScalar)
    return plain and (ir.dtype_of(kind) or "").startswith("float")  # type: ignore[arg-type]


def nonzero(name: str) -> Condition:
    """A number that surely isn't zero where the line stands."""

    def holds(match: Match) -> bool:
        operand = match[name]
        if isinstance(operand, ir.Const):
            return bool(operand.value)
        sure = match.program.divisors.get(id(match.line), frozenset())
        return isinstance(operand, ir.Var) and operand.name in sure

    return holds


def distinct(name: str) -> Condition:
    """An index that names no element twice."""
    return lambda match: match.program.places.names_once(match[name])


def floats(**ranks: int) -> Condition:
    """Arrays of floats of one dtype, with so many axes."""

    def holds(match: Match) -> bool:
        axes = axes_of_floats(match.program.kinds, *(match[name] for name in ranks))
        return axes is not None and [*map(len, axes)] == [*ranks.values()]

    return holds


def scales_rows(match: Match) -> bool:
    """``s`` has one number for each row of the matrix ``w``; there are many ``y``."""
    axes = axes_of_floats(match.program.kinds, *map(match.__getitem__, "swy"))
    if axes is None or [*map(len, axes[:2])] != [2, 2] or len(axes[2]) < 3:
        return False
    (rows, columns), w, _ = axes
    return columns.length == "one" and (rows.length == "one" or same_length(rows, w[0]))


def scales_columns(match: Match) -> bool:
    """``s`` has a number for each column of the matrix ``y``; there are many ``w``."""
    axes = axes_of_floats(match.program.kinds, *map(match.__getitem__, "swy"))
    if axes is None or len(axes[1]) < 3 or len(axes[2]) != 2:
        return False
    s, _, y = axes
    if len(s) != 1 and not (len(s) == 2 and s[0].length == "one"):
        return False
    return s[-1].length == "many" and same_length(s[-1], y[-1])


def real_result(match: Match) -> bool:
    """The result is a float."""
    return _is_float(match.program.kinds.get(match.line.target.name))


def repeated(match: Match) -> bool:
    """A line that a loop runs again and again."""
    return id(match.line) in match.program.repeated


def two(match: Match) -> bool:
    """The exponent ``n`` is 2."""
    return match["n"] in (ir.Const(2), ir.Const(2.0))


def last_axes(match: Match) -> bool:
    """``i`` and ``j`` are the last of three axes."""
    return {match["i"], match["j"]} == {ir.Const(1), ir.Const(2)}


def same_axes(match: Match) -> bool:
    """The axes ``i`` that a sum of ``a`` keeps are the axes ``k``, and not all."""
    rank = match.rank("a") or 0
    gone = _places(match["i"], rank)
    return gone is not None and gone == _places(match["k"], rank) and len(gone) < rank


def index_of_new_axis(match: Match) -> ir.Operand | None:
    """The index that adds an axis ``k`` to ``a``."""
    rank, axis = match.rank("a"), match["k"]
    if not rank or not ir.is_whole_number(axis, {}):
        return None
    return _index(axis.value % (rank + 1), None)  # type: ignore[union-attr]


def index_of_first(match: Match) -> ir.Operand | None:
    """The index that takes the axis ``k`` of length one from ``a``."""
    axis, kind = match["k"], ir.array_kind(match["a"], match.program.kinds)
    axes = kind.axes if kind is not None else None
    if axes is None or len(axes) < 2 or not ir.is_whole_number(axis, {}):
        return None
    place = axis.value % len(axes)  # type: ignore[union-attr]
    return _index(place, 0) if axes[place].length == "one" else None


def _index(place: int, value: object) -> ir.Operand:
    return ir.pack_tuple(*(ir.Slice(None, None, None),) * place, ir.Const(value))


def _places(axis: ir.Operand, rank: int) -> frozenset[int] | None:
    """The axes that a constant names, counted from 0."""
    items = axis.items if isinstance(axis, ir.Pack) else (axis,)
    given = [one.value for one in items if isinstance(one, ir.Const)]
    axes = [k for one in given for k in (one if isinstance(one, tuple) else (one,))]
    if len(given) != len(items) or not all(
        type(k) is int and -rank <= k < rank for k in axes
    ):
        return None
    return frozenset(k % rank for k in axes)
