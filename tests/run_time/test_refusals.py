"""What isn't kept as it is, and why; what changes a deque."""

from __future__ import annotations

from collections import deque

import pytest

from s2sad import errors, grad


class Loose:
    """Has a weight or none."""

    def __init__(self, x, weight=None):
        self.x = x
        if weight is not None:
            self.weight = weight


def weighed(items):
    return sum(item.x * getattr(item, "weight", 2.0) for item in items)


def test_objects_of_one_class_with_unlike_attributes():
    few = [Loose(3.0, 4.0 if k % 2 else None) for k in range(6)]
    derivative = grad(weighed)
    gradient = derivative(few)
    assert [item.x for item in gradient] == [2.0, 4.0] * 3
    assert vars(gradient[0]) == {"x": 2.0}
    assert vars(gradient[1]) == {"x": 4.0, "weight": 3.0}
    many = [Loose(3.0, 4.0 if k % 2 else None) for k in range(5000)]
    assert derivative.source_for(many) == derivative.source_for(few)
    assert derivative(many)[4999].weight == 3.0


class Bag:
    """Holds whatever it is given."""


def first_ones(bags):
    return sum(bag.a0 for bag in bags if hasattr(bag, "a0"))


def test_a_class_may_hold_so_many_attributes_between_its_objects():
    def bags(count):
        made = [Bag() for _ in range(count)]
        for k, bag in enumerate(made):
            setattr(bag, f"a{k}", 1.0)
        return made

    assert grad(first_ones)(bags(64))[0].a0 == 1.0
    with pytest.raises(
        errors.ArgumentError, match="objects of Bag have many different attributes"
    ):
        grad(first_ones)(bags(65))


def set_everywhere(items):
    for item in items:
        item.weight = 2.0 * item.x
    return sum(item.weight for item in items)


def test_an_attribute_is_added_to_nothing_that_is_given():
    given = [Loose(3.0, 4.0 if k % 2 else None) for k in range(6)]
    with pytest.raises(AttributeError, match="adds no 'weight'"):
        grad(set_everywhere)(given)
    gradient = grad(set_everywhere)([Loose(3.0, 4.0)] + given[1:2] * 5)
    assert gradient[0].x == 2.0


class Made(Loose):
    def __getattr__(self, name):
        raise AttributeError(name)


def asked(items):
    return sum(item.x for item in items if hasattr(item, "weight"))


def test_whether_code_makes_an_attribute_is_refused():
    with pytest.raises(errors.UnsupportedError, match="the work of __getattr__"):
        grad(asked)([Made(3.0, 4.0 if k % 2 else None) for k in range(6)])


def sliced(d):
    return sum(d[1:])


def added(d):
    return sum(d + d)


@pytest.mark.parametrize("function", [sliced, added])
def test_slices_and_sums_of_deques_are_refused(function):
    given = deque([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    with pytest.raises(errors.UnsupportedError):
        grad(function)(given)
    assert list(given) == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]


def moved(d):
    own = deque(d)
    own.append(own.popleft() * 2.0)
    return own[-1] + d[0]


def test_a_deque_of_its_own_may_be_changed():
    given = deque([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 9)
    assert grad(moved)(given) == deque([3.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    assert grad(moved)(given).maxlen == 9


def squared(numbers):
    return sum(x * x for x in numbers)


@pytest.mark.parametrize("count", [3, 100])
@pytest.mark.parametrize("made", [set, frozenset])
def test_sets_of_floats_are_refused_as_such(made, count):
    with pytest.raises(errors.ArgumentError, match=r"pass sorted\(numbers\)"):
        grad(squared)(made(map(float, range(count))))


def chosen(items):
    best = max(items, key=lambda item: item.x)
    return best.x


@pytest.mark.taken_apart
def test_few_objects_of_unlike_attributes_that_only_the_run_tells_apart():
    few = [Loose(3.0, 4.0 if k % 2 else None) for k in range(3)]
    assert [item.x for item in grad(chosen)(few)] == [1.0, 0.0, 0.0]


def inserted_by_side(xs):
    root = {"v": xs[0], "name": "", "left": None, "right": None}
    for x in xs[1:]:
        at = root
        while True:
            side = "left" if x < at["v"] else "right"
            if at[side] is None:
                at[side] = {"v": x, "name": "x", "left": None, "right": None}
                break
            at = at[side]
    return root["v"] ** 2


def test_what_would_leave_a_loop_is_named_when_it_is_refused():
    """The loop was said never to end."""
    with pytest.raises(errors.UnsupportedError) as refusal:
        grad(inserted_by_side)([0.5 + 0.1 * k for k in range(20)])
    assert "never ends" not in str(refusal.value)
