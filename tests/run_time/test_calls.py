"""Calls and recursion over lists, dicts and objects that are kept as they are: the
adjoints of references are handed to pairs, which add to what they lead to."""

from __future__ import annotations

import math
import re
import sys

import pytest

from s2sad import grad
from tests.run_time.programs import PROGRAMS, recursions
from tests.run_time.programs.made_lists_and_dicts import made_empty_by_a_call
from tests.run_time.programs.recursions import (
    behind_all_stores,
    between_stores,
    by_a_number_beside,
    sum_of_squares,
    values_that_are_multiplied,
)
from tests.run_time.structures import (
    Node,
    Spring,
    assert_gradient,
    chain,
    numbers_beside,
    springs,
    tree,
)
from tests.support import compilations


def evaluated(node, x):
    if node.sort == "leaf":
        return node.value * x
    if node.sort == "sum":
        total = 0.0
        for kid in node.kids:
            total += evaluated(kid, x)
        return total
    total = 1.0
    for kid in node.kids:
        total *= evaluated(kid, x)
    return math.tanh(total)


def first_leaf(node):
    if len(node.kids) == 0:
        return node
    return first_leaf(node.kids[0])


def of_first_leaf(node, x):
    found = first_leaf(node)
    return found.value * x * found.value


def along(link, x):
    if link is None:
        return x
    return along(link.behind, math.sin(link.weight * x)) + link.weight


def chosen(springs, x):
    """A reference that a call returns on one of two paths."""

    def stiffer(first, second):
        if first.k > second.k:
            return first
        return second

    best = springs[0]
    for spring in springs:
        best = stiffer(best, spring)
    return best.k**2 * x + best.rest


def paired(springs, x):
    """Two references go into a call, a number and a reference come out."""

    def stretched(spring, other, by):
        return other, spring.k * (by - other.rest) ** 2

    total = 0.0
    last = springs[0]
    for spring in springs:
        last, energy = stretched(spring, last, x)
        total += energy * last.k
    return total


@pytest.mark.sampled(3)
@pytest.mark.parametrize("depth", [1, 2, 6])
def test_trees(depth):
    arguments = tree(depth), 0.9
    gradients = grad(evaluated, wrt=("node", "x"))(*arguments)
    assert_gradient(evaluated, arguments, gradients)


def test_one_text_for_all_trees():
    of_small = grad(evaluated).source_for(tree(1), 0.9)
    derived = grad(evaluated)
    derived(tree(1), 0.9)
    with compilations.counted() as made:
        derived(tree(5, seed=3), 0.9)
        derived(tree(2, width=7), 0.9)
    assert not made
    assert of_small == grad(evaluated).source_for(tree(5, seed=3), 0.9)


def test_a_shared_node_has_its_total_in_all_places():
    shared = Node("leaf", 0.8)
    root = Node("product", 0.0, [shared, shared, Node("sum", 0.0, [shared, shared])])
    gradient = grad(evaluated)(root, 0.9)
    assert gradient.kids[0] is gradient.kids[1] is gradient.kids[2].kids[0]
    assert_gradient(evaluated, (root, 0.9), (gradient, None)[:1] + (_of_x(root),))


def _of_x(root):
    return grad(evaluated, wrt="x")(root, 0.9)


@pytest.mark.parametrize("depth", [1, 3])
def test_a_call_returns_a_reference(depth):
    arguments = tree(depth), 0.5
    gradients = grad(of_first_leaf, wrt=("node", "x"))(*arguments)
    assert_gradient(of_first_leaf, arguments, gradients)
    leaves = [g for _, key, g in numbers_beside(arguments[0], gradients[0])]
    assert sum(leaf.value != 0.0 for leaf in leaves) == 1


@pytest.mark.parametrize("function", [chosen, paired])
@pytest.mark.parametrize("count", [5, 60])
@pytest.mark.parametrize("options", [{}, {"optimise": {"inlining": False}}])
def test_references_through_calls(function, count, options):
    arguments = springs(count), 0.7
    gradients = grad(function, wrt=("springs", "x"), **options)(*arguments)
    assert_gradient(function, arguments, gradients)


def test_chains_by_recursion():
    arguments = chain(40), 0.7
    gradients = grad(along, wrt=("link", "x"))(*arguments)
    assert_gradient(along, arguments, gradients)


def test_a_chain_as_long_as_python_goes():
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)
    try:
        link = chain(4_000)
        gradient = grad(along)(link, 0.7)
        # the last link that is reached counts alone and by what is behind it
        count = 0
        while gradient is not None:
            count, gradient = count + 1, gradient.behind
        assert count == 4_000
    finally:
        sys.setrecursionlimit(limit)


@pytest.mark.parametrize("function", [sum_of_squares, behind_all_stores])
def test_what_is_read_of_arguments_needs_no_forward_program(function):
    root = recursions.tree(9)
    arguments = (root,) if function is sum_of_squares else (root, 0.7)
    alone = grad(function)
    assert "residuals" not in alone.source_for(*arguments)
    paired = grad(function, optimise={"recompute": False})
    assert "residuals" in paired.source_for(*arguments)
    beside = numbers_beside(alone(*arguments), paired(*arguments))
    assert len(beside) > 6
    for one, key, other in beside:
        assert getattr(one, key) == pytest.approx(getattr(other, key))


@pytest.mark.parametrize("function", [values_that_are_multiplied, between_stores])
def test_what_is_kept_by_value_needs_one(function):
    root = recursions.tree(9)
    arguments = (root,) if function is values_that_are_multiplied else (root, 0.7)
    assert "residuals" in grad(function).source_for(*arguments)


def test_turns_that_only_add_run_forwards():
    text = grad(sum_of_squares).source_for(recursions.tree(9))
    assert "for kid, kid_bar in zip(kids, kids_bar):" in text
    text = grad(by_a_number_beside).source_for(recursions.tree(9), 0.7)
    assert "in zip(reversed(kids), reversed(kids_bar)):" in text


def test_what_does_not_vary_has_no_adjoint():
    text = grad(evaluated, wrt="x").source_for(tree(2), 0.9)
    assert "node_bar" not in text


def test_a_list_that_holds_one_object_twice():
    spring = Spring(1.0, 0.5)
    items = [spring, *springs(4), spring]
    gradients = grad(paired, wrt=("springs", "x"))(items, 0.7)
    assert gradients[0][0] is gradients[0][-1]
    assert_gradient(paired, (items, 0.7), gradients)


@pytest.mark.parametrize("options", [{}, {"optimise": {"inlining": False}}])
def test_what_a_call_makes_empty_gets_an_adjoint(options):
    xs = [0.5, 0.7, 1.1, 0.9, 0.6]
    rows = [xs[:4], xs[4:]]
    found = grad(made_empty_by_a_call, **options)(xs)
    for k, part in enumerate(found):
        row = rows[k // 4]
        assert part == pytest.approx(3.0 * sum(row) ** 2 / len(xs) ** 3), k


@pytest.mark.parametrize(
    "name", ["multigrid", "subsets", "there_and_back", "handed_on_while_it_recurs"]
)
def test_what_has_no_value_is_no_result_and_has_no_cotangent(name):
    """What such calls change stands in slots, whose adjoints have theirs."""
    (found,) = [p for p in PROGRAMS if p.function.__name__ == name]
    gradient = grad(found.function, wrt=found.wrt or 0)
    text = gradient.source_for(*found.arguments(6))
    (reverse,) = re.findall(r"def \w+_reverse\((.*)\):", text)
    assert "gradient" not in reverse
    assert not re.findall(r"result = None|_reverse\([^)]*(None|\(\))", text)
    (called, *_) = re.findall(r"(.*) = \w+_forward\(", text)
    assert "_" not in called.split(", ")


class Idle:
    def step(self, x):
        return (Busy(x) if x > 0.0 else self), 0.1 * x


class Busy:
    def __init__(self, level):
        self.level = level

    def step(self, x):
        self.level = self.level * 0.5 + x
        return (Idle() if self.level < 0.0 else self), self.level


def through_states(x):
    state, total = Idle(), 0.0
    for k in range(7):
        state, level = state.step(x - k % 4)
        total += level * level
    return total


@pytest.mark.parametrize("optimise", [True, False, {"inlining": False}])
def test_what_one_path_hands_on_is_a_result_too(optimise):
    gradient = grad(through_states, optimise=optimise)(1.3)
    slope = (through_states(1.3 + 1e-6) - through_states(1.3 - 1e-6)) / 2e-6
    assert gradient == pytest.approx(slope, rel=1e-7)
