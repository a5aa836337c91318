"""Which loops over elements become one."""

from __future__ import annotations

import operator

import numpy as np

from s2sad.codegen.numba.loops.loop_fusion import fused
from s2sad.codegen.numba.programs import Facts
from s2sad.ir.kinds import INT, Array, Axis
from s2sad.ir.nodes import Apply, Assign, Const, For, Function, Return, Var, pack_tuple
from s2sad.ops.buffers import index_set
from s2sad.rules.python.choice import choose
from s2sad.rules.steps.shape_queries import axis_length

MATRIX = Array("float64", (Axis("many", "n"), Axis("many", "m")))


def nest(array: str, turn: str, between: bool) -> For:
    """``for i: for j: array[i, j] = x[i, j]``; ``between`` the two loops stand lines
    that find how often the inner one runs."""
    i, j, item = Var(turn + ".i"), Var(turn + ".j"), Var(turn + ".item")
    place = pack_tuple(i, j)
    inner = (
        Assign(None, item, Apply(operator.getitem, (Var("x"), place))),
        Assign(None, Var(array), Apply(index_set, (Var(array), place, item))),
    )
    length, wide = Var(turn + ".length"), Var(turn + ".wide")
    lines = [Assign(None, length, Apply(axis_length, (Var("x"), Const(1))))]
    if between:
        chosen = Apply(choose, (wide, length, Const(1)))
        lines.append(Assign(None, wide, Apply(operator.ne, (length, Const(1)))))
        lines.append(Assign(None, length, chosen))
    loop = For(None, j, Const(0), length, Const(1), inner)
    return For(None, i, Const(0), Var("n"), Const(1), (*lines, loop))


def joined(*loops: For) -> int:
    """How many loops are left."""
    made = Apply(np.empty, (pack_tuple(Var("n"), Var("n")),))
    arrays = (Assign(None, Var("a"), made), Assign(None, Var("b"), made))
    body = (*arrays, *loops, Return(None, Var("x")))
    kinds = {**dict.fromkeys(("x", "a", "b"), MATRIX), "n": INT}
    facts = Facts(Function("f", ("x", "n"), body, kinds))
    keys = {id(loop): ("n", "m") for loop in loops}
    return len(fused(list(loops), keys, facts))


def test_nests_over_the_same_places_are_one():
    assert joined(nest("a", "one", False), nest("b", "two", False)) == 1


def test_nests_of_which_one_computes_a_length_inside_stay_apart():
    """Its inner loop would run in each turn of the other's, or without a counter."""
    assert joined(nest("a", "one", False), nest("b", "two", True)) == 2
    assert joined(nest("a", "one", True), nest("b", "two", False)) == 2
