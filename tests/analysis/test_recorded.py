"""Recorded values: kept only if a reverse line reads what the program overwrites."""

from __future__ import annotations

from s2sad.analysis.reverse.recorded import RecordedValues, has_reverse
from s2sad.ir.nodes import Apply, Assign, For, Var
from s2sad.ir.plans import BlockPlan, Plan
from tests.support.ir_text import program


def reading(*names):
    """A reverse line that reads these variables."""
    return (Assign(None, Var("b.bar"), Apply(max, tuple(map(Var, names)))),)


class OneCheap:
    """Costs where keeping is dear, and one variable at most is computed again."""

    def __init__(self, name):
        self.name = name

    def kept(self, name):
        return 3.0

    def repeated(self, statement):
        return 1.0 if statement.target.name == self.name else None


def recorded(text, reads, *, cheap=None, recompute=True):
    """What is kept where statements (by target) have reverse lines that read the given
    names."""
    function = program(text)

    def plan(statement):
        if isinstance(statement, For):
            return Plan(statement, blocks=(block(statement.body),))
        lines = reads.get(getattr(getattr(statement, "target", None), "name", None))
        return Plan(statement, reading(*lines) if lines else ())

    def block(statements):
        return BlockPlan([plan(s) for s in statements])

    plans = block(function.body)
    analysis = RecordedValues(
        plans, function.body, function.parameters, OneCheap(cheap), recompute
    )
    return plans, analysis.solve()


STRAIGHT = """
def f(x):
    y = x * x
    z = y * x
    return z
"""
LOOP = """
def f(x, n):
    for i in range(n):
        t = x * x
        x = np.sin(t)
    return x
"""


def test_nothing_is_kept_in_a_straight_line():
    _, found = recorded(STRAIGHT, {"z": ["y", "x"]})
    assert found.saved() == set()


def test_an_overwritten_value_is_kept():
    text = STRAIGHT.replace("z", "y")
    plans, found = recorded(text, {"y": ["y"]})
    statements = [p.statement for p in plans.plans]
    assert found.overwritten == {id(statements[1]): ["y"]}


def test_linear_uses_keep_nothing():
    _, found = recorded(LOOP, {"x": ["x.bar"], "t": ["t.bar"]})
    assert found.saved() == set()


def test_a_value_of_an_iteration_is_kept_at_its_end():
    plans, found = recorded(LOOP, {"x": ["t"]})
    (body,) = plans.plans[0].blocks
    assert found.at_end == {id(body): ["t"]}
    assert found.overwritten == {}


def test_a_carried_value_is_kept_where_it_is_overwritten():
    plans, found = recorded(LOOP, {"t": ["x"]})
    (body,) = plans.plans[0].blocks
    assert found.overwritten == {id(body.plans[1].statement): ["x"]}


def test_cheap_values_are_recomputed_from_what_is_kept():
    _, found = recorded(LOOP, {"x": ["t"], "t": ["x"]}, cheap="t")
    assert found.saved() == {"x"} and found.recomputed == {"t"}
    _, found = recorded(LOOP, {"x": ["t"], "t": ["x"]}, cheap="t", recompute=False)
    assert found.saved() == {"x", "t"} and found.recomputed == set()


def test_loop_variables_count_by_themselves():
    _, found = recorded(LOOP, {"t": ["i"]})
    assert found.saved() == set()


def test_has_reverse():
    plans, _ = recorded(LOOP, {"t": ["x"]})
    assert has_reverse(plans.plans[0]) and not has_reverse(plans.plans[1])
