"""What stands in the way of emitting a program for Numba, as problems of the user's
lines.

Takes a program before the passes for Numba, and after them, before it is folded.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from s2sad import ir, ops
from s2sad.codegen.numba.arrays.operands import DTYPES, Call, Test
from s2sad.codegen.numba.calls.handed_lists import lists_of_calls
from s2sad.codegen.numba.lists.list_operations import LISTS
from s2sad.codegen.numba.numbers import complex_operations
from s2sad.codegen.numba.operations import TABLE
from s2sad.codegen.numba.programs import Facts


@dataclass(frozen=True)
class Finding:
    """Something that can't be emitted for Numba."""

    statement: ir.Statement | None
    """None for what is wrong with a parameter."""
    reason: str
    advice: str


_OF_SETS = (ops.at_its_time, ops.set_of_members, ops.change_members, ops.member_taken)


def findings(facts: Facts, before: bool = False) -> Iterator[Finding]:
    """What stands in the way of emitting a program, in the order of the text;
    ``before`` the passes, what no pass could change: calls, forms and kinds."""
    given = [p for p in facts.function.parameters if wrong_kind(facts.kinds.get(p))]
    for name in given:
        wrong = wrong_kind(facts.kinds.get(name))
        assert wrong is not None
        yield Finding(None, f"`{name}` is {wrong[0]}", wrong[1])
    if given:
        return  # all else follows from it
    for s in ir.walk(facts.function.body):
        if isinstance(s, ir.Try | ir.With):
            form = "try" if isinstance(s, ir.Try) else "with"
            yield Finding(s, f"`{form}` isn't compiled by Numba", INSTEAD)
            continue
        if _is_stack(s):
            continue
        if isinstance(s, ir.Assign) and isinstance(s.target, ir.Var):
            kind = facts.kinds.get(s.target.name, s.kind)
            if before and isinstance(kind, ir.Unknown):
                continue  # a pass may do without it
            if s.value == ir.Const(None) and facts.writes[s.target.name] > 1:
                reason = f"`{_shown(s.target)}` is None on one path"
                yield Finding(s, reason, "give it a number there")
                continue
            wrong = wrong_kind(kind)
            if wrong:
                yield Finding(s, f"`{_shown(s.target)}` is {wrong[0]}", wrong[1])
                continue
        if isinstance(s, ir.Effect) and s.value.function in ops.RAISING:
            if (
                all(isinstance(a, ir.Const) for a in s.value.args)
                and not s.value.keywords
            ):
                continue
            yield Finding(
                s,
                "Numba raises exceptions with constant arguments alone",
                "leave out what the message computes",
            )
            continue
        for value in ir.operations(s):
            # passes would take complex numbers for real ones
            reason = complex_operations.wrong_with_complex(value, facts)
            if not before:
                reason = reason or wrong_operation(value, facts)
            if reason:
                if isinstance(s, ir.Assign) and s.derived:
                    reason = f"in the derivative of this, {reason}"
                yield Finding(s, reason, INSTEAD)
                break


def _is_stack(s: ir.Statement) -> bool:
    return ir.applies(s, ops.new_stack, lists_of_calls)


INSTEAD = 'write it as a loop over elements, or choose backend="numpy"'


def wrong_operation(value: ir.Apply, facts: Facts) -> str:
    """Why an operation can't be left to Numba; "" where it can."""
    function: Any = value.function
    if function in (reversed, list):
        return "arrays are kept in a list for the pullback, which Numba can't hand on"
    if isinstance(function, ir.Procedure):
        return ""
    if function in _OF_SETS:
        return "sets aren't known to the Numba backend"
    call = Call(value, tuple(map(facts.kind, value.args)), facts)
    test = _test_of(function, call)
    if test is None:
        return f"{complex_operations.called(function)} isn't known to the Numba backend"
    if test(call):
        return ""
    kinds = ", ".join(str(k) for k in call.kinds if k is not None)
    words = "".join(f", {w}=..." for w, _ in value.keywords)
    of = f" of {kinds}{words}" if kinds else ""
    return f"{complex_operations.called(function)}{of} isn't known to the Numba backend"


def _test_of(function: Any, call: Call) -> Test | None:
    """What tells whether Numba knows an operation; None where nobody knows it."""
    try:
        of_lists = LISTS.get(function)
    except TypeError:
        return None
    if any(isinstance(k, ir.List) for k in call.kinds):
        return of_lists
    return TABLE.get(function, of_lists)


def _shown(variable: ir.Var) -> str:
    return variable.name.split("~")[0].split(":")[-1].strip(".")


def wrong_kind(kind: ir.Kind | None) -> tuple[str, str] | None:
    """Why a value of this kind can't be held, and what to do; None where it can."""
    match kind:
        case None | ir.Known():
            return None
        case ir.Scalar() | ir.NumPyScalar() | ir.Array():
            dtype = ir.dtype_of(kind)
            if isinstance(kind, ir.Array) and kind.promoted:
                return (
                    "a number on one path and an array on another",
                    "let it be an array from the start: np.zeros_like(...)",
                )
            if dtype is None or (isinstance(kind, ir.Array) and kind.axes is None):
                return ("of a rank or dtype that isn't known", INSTEAD)
            if dtype not in DTYPES:
                return (
                    f"of {dtype}, and the Numba backend computes in float64 and "
                    "complex128",
                    'convert it with .astype(np.float64), or choose backend="numpy"',
                )
            return None
        case ir.Structure(items=items):
            return next(filter(None, map(wrong_kind, items)), None)
        case ir.List(item=None):
            return ("a list that nothing is put into", INSTEAD)
        case ir.List(item=item):
            inner = wrong_kind(item)
            if complex_operations.is_complex(item):
                inner = ("complex", 'use an array, or choose backend="numpy"')
            if isinstance(item, ir.Structure):
                inner = ("not a number or array", INSTEAD)
            return (
                None if inner is None else (f"a list of what is {inner[0]}", inner[1])
            )
        case ir.Unknown():
            return ("of a kind that isn't known", INSTEAD)
    return None
