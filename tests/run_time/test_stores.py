"""Stores into attributes of run-time objects: aliases, what is refused, second
derivatives, and cost."""

from __future__ import annotations

import copy
from collections import deque
from dataclasses import dataclass

import numpy as np
import pytest

import s2sad
from s2sad import checkpoint, errors, grad, hessian, jacfwd, jvp, sparse_jacobian, vjp
from tests.run_time.programs import PROGRAMS, stored_items, stores
from tests.run_time.programs.stores import Body, Joint, Particle, bodies

MANY = 80
"""More objects than are taken apart."""


def leader_changes(leader, others):
    leader.x = leader.x**2
    return sum(b.x * b.v for b in others)


def others_change(leader, others):
    for b in others:
        b.x = b.x**2
    return leader.x * others[1].x


def both_change(leader, others):
    leader.x *= 3.0
    for b in others:
        b.x = b.x * leader.x
    return leader.x + others[1].x


def leader_alone(leader, others):
    leader.x = leader.x**2 * leader.v
    return leader.x


def others_alone(leader, others):
    for b in others:
        b.x = b.x * b.v
    return sum(b.x for b in others)


@pytest.mark.parametrize(
    "function",
    (leader_changes, others_change, both_change, leader_alone, others_alone),
)
@pytest.mark.parametrize("place", (0, 1, None))
def test_an_object_may_be_given_twice(function, place):
    others = bodies(MANY)
    leader = Body(1.3, 0.4) if place is None else others[place]
    before = copy.deepcopy((leader, others))
    gradients = grad(function, wrt=("leader", "others"))(leader, others)
    assert (leader, others) == before
    for name, own in zip(("leader", "others"), gradients, strict=True):
        assert grad(function, wrt=name)(leader, others) == own

    def along(step, holder, name):
        moved = copy.deepcopy((leader, others))
        found = moved[0] if holder is None else moved[1][holder]
        setattr(found, name, getattr(found, name) + step)
        return function(*moved)

    for holder in (None, 0, 1, 5):
        for name in ("x", "v"):
            slope = (along(1e-6, holder, name) - along(-1e-6, holder, name)) / 2e-6
            own = gradients[0] if holder is None else gradients[1][holder]
            assert np.isclose(getattr(own, name), slope, rtol=1e-5, atol=1e-7)


def moved(joints, masses):
    for j in joints:
        j.left.v += j.k * (j.right.x - j.left.x)
    for b in masses:
        b.x += 0.1 * b.v
    return sum(b.x**2 for b in masses)


def joined():
    masses = bodies(MANY)
    pairs = zip(masses, masses[1:], strict=False)
    return [Joint(a, b, 0.7) for a, b in pairs], masses


def ones(b):
    return Body(1.0, 0.5, 0.0)


@pytest.mark.parametrize("length", (None, MANY, 2 * MANY))
def test_deques_are_copied_as_they_are(length):
    others = deque(bodies(MANY), maxlen=length)
    before = copy.deepcopy(others)
    (found,) = grad(others_change, wrt=("others",))(Body(1.3, 0.4), others)
    (wanted,) = grad(others_change, wrt=("others",))(Body(1.3, 0.4), list(others))
    assert others == before
    assert type(found) is deque and found.maxlen == length and list(found) == wanted


def test_a_shared_object_has_one_tangent():
    joints, masses = joined()
    dots = list(map(ones, masses))
    pairs = zip(dots, dots[1:], strict=False)
    joint_dots = [Joint(a, b, 0.0) for a, b in pairs]
    _, slope = jvp(moved, (joints, masses), (joint_dots, dots))
    _, same = jvp(moved, (joints, masses), (None, dots))
    gradient = grad(moved, wrt="masses")(joints, masses)
    assert np.isclose(slope, sum(g.x + 0.5 * g.v for g in gradient))
    assert np.isclose(slope, same)
    joint_dots[3].left = joint_dots[2].right = Body(2.0, 0.0, 0.0)
    with pytest.raises(ValueError, match="different tangents"):
        jvp(moved, (joints, masses), (joint_dots, dots))


def powers(k, masses):
    for b in masses:
        b.x = b.x * k * k
    return sum(b.x * b.x for b in masses)


def vector(k, masses):
    for b in masses:
        b.x = b.x * k
    return np.array([b.x * b.v * k for b in masses])


def test_second_derivatives_go_through_slots():
    masses = bodies(MANY)
    expected = 12 * 1.2**2 * sum(b.x**2 for b in masses)
    assert np.isclose(hessian(powers)(1.2, masses), expected)
    assert np.isclose(grad(grad(powers))(1.2, masses), expected)


def test_jacobians_go_through_slots():
    masses = bodies(MANY)
    expected = [2 * 1.2 * b.x * b.v for b in masses]
    np.testing.assert_allclose(jacfwd(vector)(1.2, masses), expected)


def squared(masses):
    for b in masses:
        b.x = b.x**2
    return masses


def test_cotangents_of_what_is_returned_enter_behind_the_stores():
    masses = bodies(MANY)
    value, pullback = vjp(squared, masses)
    expected = [2 * b.x for b in masses]
    value[0].x = 99.0
    for _ in range(2):
        (found,) = (pullback(list(map(ones, masses))),)
        found = found[0] if isinstance(found, tuple) else found
        np.testing.assert_allclose([b.x for b in found], expected)
        assert {b.v for b in found} == {0.5}


def checkpointed(masses):
    for _ in checkpoint(range(10), snapshots=3):
        for b in masses:
            b.x = b.x * 0.9
    return sum(b.x for b in masses)


def printed(masses):
    for b in masses:
        b.x = b.x * 2.0
        print(b)
    return masses[0].x


def compared(masses):
    total = 0.0
    for b in masses:
        b.x = b.x * 2.0
        total += b.x if b == masses[0] else 0.0
    return total


KEPT = bodies(MANY)


def of_the_module(masses):
    for b in masses:
        b.x = b.x * 2.0
    return masses[0].x + KEPT[0].x


def another_attribute(masses):
    for b in masses:
        b.age = b.x
    return masses[0].x


def a_text(masses):
    for b in masses:
        b.x = "far"
    return masses[0].v


@dataclass
class Guarded:
    x: float

    def __setattr__(self, name, value):
        object.__setattr__(self, name, 2.0 * value)


class Watched:
    def __init__(self, x):
        self._x = x
        self.y = x

    @property
    def x(self):
        return self._x

    @x.setter
    def x(self, value):
        self._x = value


def stored(values):
    for g in values:
        g.x = g.x * 3.0
    return sum(g.x for g in values)


def test_a_property_stores_by_its_setter():
    gradient = grad(stored)([Watched(1.0 + k) for k in range(MANY)])
    assert {g._x for g in gradient} == {3.0}


def many_bodies():
    return (bodies(MANY),)


REFUSED = [
    (checkpointed, many_bodies, "under checkpoint"),
    (printed, many_bodies, "print is given an object"),
    (of_the_module, many_bodies, "of an object of the module"),
    (another_attribute, many_bodies, "not all of the objects"),
    (a_text, many_bodies, "is stored in the attribute"),
    (stored, lambda: ([Guarded(1.0) for _ in range(MANY)],), "the work of its class"),
]


@pytest.mark.parametrize("function, arguments, why", REFUSED)
def test_what_is_not_followed_is_refused(function, arguments, why):
    with pytest.raises(errors.UnsupportedError, match=why):
        grad(function)(*arguments())


def set_alike(masses, x):
    for b in masses:
        b.x = x[0]
    return np.array([masses[0].x * x[1], x[1]])


def test_sparse_jacobians_of_what_is_stored_are_refused():
    with pytest.raises(errors.ArgumentError, match="use jacobian"):
        sparse_jacobian(set_alike, wrt=1)(bodies(MANY), np.array([0.5, 0.7]))


def drained(body, by):
    body.x = body.x * by
    if body.x > 2.0:
        raise OverflowError
    if body.v > 0.0:
        body.v = drained(body, by) * body.v
    return body.x


def of_what_raised(masses):
    try:
        drained(masses[0], 1.5)
    except OverflowError:
        masses[0].v *= 2.0
    return masses[0].x * masses[0].v


def emptied(body, by):
    body.x = body.x * by
    if body.x > 2.0:
        raise OverflowError
    try:
        emptied(body, by)
    except OverflowError:
        body.v = body.x * body.v
    return body.x


def of_what_raised_inside(masses):
    return emptied(masses[0], 1.5) * masses[0].v


@pytest.mark.parametrize(
    ("function", "starts"),
    [
        (of_what_raised, (0.3, 0.9, 2.5)),  # in the third call, in the second, at once
        (of_what_raised_inside, (0.3, 0.9)),
    ],
)
def test_a_handler_goes_on_with_what_a_function_stored_before_it_raised(
    function, starts
):
    for start in starts:

        def value(name, step, start=start):
            masses = bodies(MANY)
            masses[0].x, masses[0].v = start, 0.8
            setattr(masses[0], name, getattr(masses[0], name) + step)
            return function(masses)

        masses = bodies(MANY)
        masses[0].x, masses[0].v = start, 0.8
        found = grad(function)(masses)[0]
        for name in ("x", "v"):
            expected = (value(name, 1e-6) - value(name, -1e-6)) / 2e-6
            assert getattr(found, name) == pytest.approx(expected, rel=1e-6)


@dataclass(eq=False)
class Own:
    x: float
    v: float


@pytest.mark.parametrize("cls", (Own, Body))
def test_objects_are_compared_as_they_are_then(cls):
    masses = [cls(1.0 + k % 3, 2.0) for k in range(MANY)]
    found = grad(compared)(masses)
    for place in (0, 1, 3):

        def along(step, place=place):
            moved = copy.deepcopy(masses)
            moved[place].x += step
            return compared(moved)

        if place == 1:  # nothing is equal to it, before and behind
            slope = (along(1e-6) - along(-1e-6)) / 2e-6
            assert np.isclose(found[place].x, slope)
    equal = sum(m == masses[0] for m in masses)
    assert sum(g.x for g in found) == 2.0 * (1 if cls is Own else equal)


def other_shape(particles):
    for p in particles:
        p.pos = p.pos[:1]
    return sum(p.pos[0] for p in particles)


def other_dtype(particles):
    for p in particles:
        p.pos = np.float32(2.0) * p.vel
    return sum(p.pos[0] for p in particles)


def test_an_array_stored_has_the_shape_and_dtype_of_the_one_before():
    with pytest.raises(ValueError, match=r"of shape \(1,\)"):
        grad(other_shape)(stores.particles(MANY))
    single = [Particle(np.ones(2), np.ones(2, np.float32), 1.0) for _ in range(MANY)]
    with pytest.raises((errors.UnsupportedError, ValueError), match="float32"):
        grad(other_dtype)(single)


def drift(masses, steps):
    for _ in range(steps):
        for b in masses:
            b.v -= 0.01 * b.x
            b.x += 0.01 * b.v
    return sum(b.x**2 for b in masses)


@pytest.mark.parametrize("size", (5, 5000))
def test_one_derivative_serves_all_sizes(size):
    derivative = grad(drift)
    text = derivative.source_for(bodies(9), 2)
    assert derivative.source_for(bodies(size), 2) == text
    gradient = derivative(bodies(size), 2)
    assert len(gradient) == size


@pytest.mark.parametrize(
    "program",
    [
        p
        for p in PROGRAMS
        if p.function.__module__ in (stores.__name__, stored_items.__name__)
    ],
    ids=lambda p: p.function.__name__,
)
@pytest.mark.long
def test_derivatives_are_the_same_without_the_optimisation(program):
    arguments = program.arguments(7)
    wrt = program.wrt or 0
    own = grad(program.function, wrt=wrt)(*copy.deepcopy(arguments))
    plain = grad(program.function, wrt=wrt, optimise={"stored_slots": False})
    other = plain(*copy.deepcopy(arguments))
    left, right = (numbers(value) for value in (own, other))
    np.testing.assert_allclose(left, right, rtol=1e-9, atol=1e-12)


def numbers(value):
    """All floats that a gradient holds, in order."""
    if isinstance(value, np.ndarray):
        return value.ravel().tolist()
    if isinstance(value, list | tuple):
        return [n for item in value for n in numbers(item)]
    if isinstance(value, dict):
        return numbers(list(value.values()))
    slots = getattr(type(value), "__slots__", ())
    held = [getattr(value, name) for name in slots]
    held += getattr(value, "__dict__", {}).values()
    return numbers(held) if held else [] if value is None else [float(value)]


def test_the_gradient_reads_as_the_function():
    text = grad(drift).source_for(bodies(9), 2)
    assert "b.v - 0.01 * x" in text
    assert "b_bar.x = 0.0" not in text
    assert "stored_attribute" not in text
    assert (
        s2sad.grad(drift, optimise={"stored_slots": False}).source_for(bodies(9), 2)
        != text
    )


def scaled(masses, q):
    for b in masses:
        b.x = b.x * q
    return sum(b.x for b in masses)


def passed(masses, k):
    first = grad(lambda q, given: scaled(given, q))(k, masses)
    second = grad(lambda q, given: scaled(given, q))(k, masses)
    return (first + second) * k + masses[0].x * k


def passed_in_short(masses, k):
    return 2.0 * sum(b.x for b in masses) * k + masses[0].x * k


def stored_before(masses, k):
    own = scaled(masses, k)
    return grad(lambda q, given: scaled(given, q))(k, masses) * k + own


def stored_before_in_short(masses, k):
    return (k * k + k) * sum(b.x for b in masses)


@pytest.mark.parametrize(
    "function, short",
    [(passed, passed_in_short), (stored_before, stored_before_in_short)],
)
def test_derivatives_inside_change_copies(function, short):
    masses = bodies(MANY)
    found = grad(function, wrt=("masses", "k"))(masses, 1.3)
    expected = grad(short, wrt=("masses", "k"))(masses, 1.3)
    assert np.isclose(found[1], expected[1])
    for own, other in zip(found[0], expected[0], strict=True):
        assert np.isclose(own.x, other.x)


def captured(masses, k):
    return grad(lambda q: scaled(masses, q))(k)


def test_stores_into_what_a_function_captures_are_refused():
    with pytest.raises(errors.UnsupportedError, match="object that it captures"):
        grad(captured)(bodies(MANY), 1.3)


def several(masses, k):
    for b in masses:
        b.x = b.x * k * b.x
    for b in masses:
        b.v = b.v + b.x
    return np.array([sum(b.x * b.v for b in masses), masses[3].x])


@pytest.mark.sampled(3)
@pytest.mark.parametrize("jacobian", (s2sad.jacrev, jacfwd))
def test_jacobians_by_what_is_stored_into(jacobian):
    masses = bodies(MANY)
    found = jacobian(several)(masses, 1.2)
    for row in (0, 1):
        gradient = grad(lambda own, k, row=row: several(own, k)[row])(masses, 1.2)
        for own, other in zip(found, gradient, strict=True):
            assert np.isclose(own.x[row], other.x)
            assert np.isclose(own.v[row], other.v)


def test_hessians_by_what_is_stored_into():
    masses = bodies(6)
    found = hessian(lambda own: several(own, 1.2)[0])(masses)
    expected = 1.2 * 2 * masses[2].x
    assert np.isclose(found[2].x[2].v, expected)


def turned_queue(queue):
    for b in queue:
        b.x = b.x * b.v
    return sum(b.x**2 for b in queue) + queue[0].v


def test_a_deque_of_objects_is_copied_with_its_length():
    queue = deque(bodies(MANY), maxlen=MANY + 10)
    found = grad(turned_queue)(queue)
    assert type(found) is deque and len(found) == MANY
    for b, own in zip(queue, found, strict=True):
        assert np.isclose(own.x, 2 * b.x * b.v**2)
    ones_of = deque([ones(b) for b in queue], maxlen=MANY + 10)
    _, slope = jvp(turned_queue, (queue,), (ones_of,))
    assert np.isclose(slope, sum(b.x + 0.5 * b.v for b in found))


@dataclass
class Counter:
    x: float
    times: int
    open: bool


def counts(counters):
    for c in counters:
        c.times += 1
        c.x = c.x * c.times
        c.open = c.x < 2.0
    return sum(c.x for c in counters if c.open)


def test_ints_and_flags_have_no_gradient_where_they_are_stored():
    counters = [Counter(0.5 + 0.1 * k, k % 3, False) for k in range(MANY)]
    found = grad(counts)(counters)
    assert {(c.times, c.open) for c in found} == {(None, None)}
    moved = [Counter(1.0, None, None) for _ in counters]
    _, slope = jvp(counts, (counters,), (moved,))
    assert np.isclose(slope, sum(c.x for c in found))


def test_what_was_an_int_has_none_where_a_float_is_stored():
    masses = [Body(1 if k % 2 else 1.5, 2.0) for k in range(MANY)]
    found = grad(turned_queue)(masses)
    assert [b.x for b in found[:2]] == [12.0, None]


def steps_of_one(bodies, leaders):
    leaders["first"].x = 2.0 * bodies[0].v
    return sum(b.x * b.v for b in (*bodies, *leaders.values()))


def test_a_part_of_what_is_taken_apart_may_be_stored_into():
    given, leaders = bodies(MANY), {"first": Body(0.3, 0.7), "last": Body(1.1, 0.2)}
    dots = [Body(0.0, 1.0), *(Body(0.0, 0.0) for _ in given[1:])]
    _, slope = jvp(steps_of_one, (given, leaders), (dots, None))
    assert np.isclose(slope, given[0].x + 2.0 * leaders["first"].v)
    none = [Body(0.0, 0.0) for _ in given]
    moved = {"first": Body(0.0, 1.0), "last": Body(0.0, 0.0)}
    _, slope = jvp(steps_of_one, (given, leaders), (none, moved))
    assert np.isclose(slope, 2.0 * given[0].v)
