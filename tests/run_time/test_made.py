"""Objects that programs make, and references that they store: sizes, names that lead to
one object, and what is refused."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from s2sad import errors, grad, jvp, value_and_grad, vjp
from tests.run_time.programs.made import Link, Particle, chain, moments, particles
from tests.run_time.programs.rebound import length_of
from tests.support.compilations import counted
from tests.support.finite_differences import (
    directional_difference,
    tree_dot,
    tree_random_like,
)


def grown(ps, t):
    ps = ps + [Particle(p.x * t, p.m) for p in ps if p.x > 1.0]
    return moments([Particle(t, t), *ps])


def turned_and_grown(head, t):
    before = Link(t, None)
    while head is not None:
        behind = head.next
        head.next = before
        head.value *= 1.0 + t
        before = Link(head.value * t, head)
        head = behind
    return length_of(before)


@pytest.mark.parametrize(
    ("function", "made"), [(grown, particles), (turned_and_grown, chain)]
)
def test_one_derivative_serves_all_sizes(function, made):
    derivative = grad(function)
    with counted() as compiled:
        texts = {derivative.source_for(made(n), 0.3) for n in (5, 70, 5000)}
        for size in (5, 5000):
            given = made(size)
            before = copy.deepcopy(given) if size == 5 else None
            gradient = derivative(given, 0.3)
            if size == 5:
                assert given == before
    assert len(texts) == 1
    assert len(compiled) == 1
    small = made(7)
    gradient = derivative(small, 0.3)
    tangent = tree_random_like(np.random.default_rng(1), small)
    expected = directional_difference(
        lambda data: function(copy.deepcopy(data), 0.3), (small,), (tangent,)
    )
    np.testing.assert_allclose(tree_dot(gradient, tangent), expected, rtol=1e-5)


def test_the_gradient_has_the_structure_of_the_argument_at_entry():
    head = chain(4)
    gradient = grad(turned_and_grown)(head, 0.3)
    nodes = [gradient]
    while nodes[-1].next is not None:
        nodes.append(nodes[-1].next)
    assert len(nodes) == 4
    assert len({id(node) for node in nodes}) == 4
    assert all(isinstance(node.value, float) for node in nodes)


def test_pullbacks_keep_the_structure_that_was_there():
    head = chain(5)
    expected = grad(turned_and_grown)(head, 0.3)
    _, pullback = vjp(turned_and_grown, head, 0.3)
    head.next.next = None
    head.value = 17.0
    for _ in range(2):
        (found, *_), wanted = pullback(1.0), expected
        while wanted is not None:
            np.testing.assert_allclose(found.value, wanted.value)
            found, wanted = found.next, wanted.next
        assert found is None


def by_two_names(lead, ps):
    ps[1] = lead
    ps[0].x *= 2.0
    lead.m = lead.m * ps[1].x
    return moments(ps)


def test_two_names_of_one_object_have_one_adjoint():
    ps = particles(6)
    made = grad(by_two_names, ("lead", "ps"))(ps[0], ps)
    step = 1e-6

    def shifted(by):
        own = copy.deepcopy(ps)
        own[0].x += by
        return by_two_names(own[0], own)

    expected = (shifted(step) - shifted(-step)) / (2.0 * step)
    np.testing.assert_allclose(made[0].x, expected, rtol=1e-5)
    np.testing.assert_allclose(made[1][0].x, expected, rtol=1e-5)


def twice_the_same(ps, t):
    q = Particle(t, 1.0)
    p = ps[0] if t < 0.0 else q
    p.x = 3.0 * p.x
    q.m = q.m + p.x
    return p.m * q.x


def test_a_made_object_and_its_other_name_are_one():
    t = 0.4
    np.testing.assert_allclose(grad(twice_the_same, "t")(particles(5), t), 3 + 18 * t)


def overwritten_names(ps, t):
    """The adjoint of what is run over has the name of another that is read before."""
    qs = [Particle(p.x, p.m) for p in ps] + ps
    for q in qs:
        q.x = q.x * q.m * t
    return moments(qs) + moments(ps)


def test_items_are_read_ahead_only_where_nothing_else_has_their_name():
    ps = particles(5)
    _, gradient = value_and_grad(overwritten_names)(ps, 0.7)
    tangent = tree_random_like(np.random.default_rng(2), ps)
    expected = directional_difference(
        lambda data: overwritten_names(copy.deepcopy(data), 0.7), (ps,), (tangent,)
    )
    np.testing.assert_allclose(tree_dot(gradient, tangent), expected, rtol=1e-5)


def with_an_age(ps, t):
    q = Particle(t, 1.0)
    q.age = 2.0
    best = ps[0] if t > 0.0 else q
    return best.x


def of_text(ps, t):
    best = Particle("x", 1.0)
    for p in ps:
        if p.x > t:
            best = p
    return best.m


def reference_for_a_number(ps, t):
    ps[0].x = ps[1]
    return ps[0].m * t


@pytest.mark.parametrize(
    ("function", "made"),
    [
        (with_an_age, particles),
        (of_text, particles),
        (reference_for_a_number, particles),
    ],
    ids=lambda value: value.__name__,
)
def test_what_is_not_followed_is_refused(function, made):
    with pytest.raises(errors.UnsupportedError):
        grad(function)(made(80), 0.3)


ANCHOR = Link(1.0, None)


def hung_on_the_module(head, t):
    ANCHOR.next = head
    head.value *= t
    return length_of(ANCHOR)


def read_from_the_module(head, t):
    head.next = Link(t, None)
    return length_of(head) * ANCHOR.value + length_of(ANCHOR)


@pytest.mark.parametrize("function", (hung_on_the_module, read_from_the_module))
def test_objects_of_the_module_are_refused(function):
    with pytest.raises(errors.UnsupportedError):
        grad(function, "t")(chain(5), 0.3)
    assert ANCHOR.next is None


def ranges_in_one_another(xs):
    head = None
    for k, x in enumerate(xs):
        head = (x, range(k), head)
    total = 0.0
    while head is not None:
        total, head = 0.9 * total + head[0] * len(head[1]), head[2]
    return total


def test_tuples_that_no_form_holds_are_refused_in_time():
    """Each turn of the loop was written out, until that was too long."""
    with pytest.raises(errors.UnsupportedError, match="the same expression makes"):
        grad(ranges_in_one_another)([0.5 + 0.1 * k for k in range(20)])


@pytest.mark.parametrize("as_kept", [False, True])
def test_nothing_is_left_to_pop(as_kept):
    def f(xs):
        left = {i: [x] for i, x in enumerate(xs)}
        if as_kept:
            first = left[0]
            first[0] *= 2.0
        return sum(left.popitem()[1][0] for _ in range(len(xs) + 1))

    with pytest.raises(KeyError, match="dictionary is empty"):
        grad(f)([0.5, 0.7, 0.9])


class Registered:
    """In a list of all before it has an attribute."""

    def __init__(self, x, registry):
        registry.append(self)
        self.x = x * x
        self.y = 3.0 * x


def registered(v):
    registry = []
    for x in v:
        Registered(x, registry)
    return Registered(v[0] * v[1], registry)


def test_derivatives_of_an_object_that_was_made_empty():
    v = [0.5, 1.5, 1.2, 0.3, 0.9, 2.0]
    _, pullback = vjp(registered, v)
    cotangent = Registered(1.0, [])
    cotangent.x, cotangent.y = 1.0, 2.0
    by_product = 2.0 * v[0] * v[1] + 6.0
    expected = [by_product * v[1], by_product * v[0], 0.0, 0.0, 0.0, 0.0]
    for _ in range(2):
        assert np.allclose(pullback(cotangent)[0], expected)
    _, tangent = jvp(registered, (v,), ([1.0] * 6,))
    assert np.isclose(tangent.x, 2.0 * v[0] * v[1] * (v[0] + v[1]))
    assert np.isclose(tangent.y, 3.0 * (v[0] + v[1]))


class SearchTree:
    def __init__(self, key, value):
        self.key, self.value = key, value
        self.left = self.right = None


def inserted(tree, key, value):
    if tree is None:
        return SearchTree(key, value)
    if key < tree.key:
        tree.left = inserted(tree.left, key, value)
    elif key > tree.key:
        tree.right = inserted(tree.right, key, value)
    else:
        tree.value += value
    return tree


def damped(tree):
    if tree is None:
        return 0.0
    return tree.value + 0.5 * (damped(tree.left) + damped(tree.right))


def sum_by_search_tree(xs):
    tree = None
    for i, x in enumerate(xs):
        tree = inserted(tree, i * 7 % 5, x * x)
    return damped(tree)


@pytest.mark.parametrize("optimise", [True, {"inlining": False}])
def test_of_ever_more_objects_that_are_made_a_few_are_told_apart(optimise):
    xs = [0.3, 0.5, 0.7, 0.9, 1.1, 0.2]
    # keys 0, 2, 4, 1, 3 in the order in which they come; the sixth is the first again
    depths = [0, 1, 2, 2, 3, 0]
    expected = [2.0 * x * 0.5**depth for x, depth in zip(xs, depths, strict=True)]
    assert grad(sum_by_search_tree, optimise=optimise)(xs) == pytest.approx(expected)
