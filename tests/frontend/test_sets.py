"""Sets of known values, and the keys of dicts."""

from __future__ import annotations

import pytest

import s2sad
from tests.frontend.whole_programs import assert_differentiated

PROGRAMS = {
    "intersections of constant tuples": """
        from itertools import combinations
        FACES = [(0, 1, 2), (1, 3, 2), (2, 3, 4)]
        def program(x, y):
            total = x
            for t, s in combinations(FACES, 2):
                shared = {*t} & {*s}
                if len(shared) == 2 and 3 not in shared:
                    total = total * y + x * max(shared)
            return total
    """,
    "operators and methods": """
        def program(x, y):
            a, b = {1, 2, 3}, frozenset((3, 4))
            z = x * len(a | b) + y * len(a - b) + x * y * len(a ^ b)
            if a.isdisjoint({5, 6}) and {1, 2} <= a and not a < b and a >= {1}:
                z = z * 2.0
            if a.union([7], b) == {1, 2, 3, 4, 7} and a.difference(b) != b:
                z = z + y
            if a == b or a == (1, 2, 3) or set() == a:
                z = z * 100.0
            low, *others = sorted(a.intersection({1, 3, 9}))
            return z + low * x + sum(others) * y + len({1, 1.0, True}) * min(b)
    """,
    "keys of dicts": """
        def program(x, y):
            loads = [{"force": x}, {"moment": y, "at": x}, {"at": y, "q": 1.0}]
            total = 0.0
            for load in loads:
                if load.keys() == {"force"}:
                    total = total + load["force"] ** 2
                elif {"moment", "at"} == set(load):
                    total = total + load["moment"] * load["at"]
                elif load.keys() & {"q"}:
                    total = total * load["at"]
                for key in load.keys():
                    total = total + load[key]
            return total * len(loads[0].keys() | loads[1].keys())
    """,
    "the rest of a mapping pattern": """
        def program(x, y):
            total = y
            for load in ({"at": x, "q": y}, {"at": y, "r": x, "s": 1.0}):
                match load:
                    case {"at": a, **rest} if rest.keys() == {"q"}:
                        (q,) = rest.values()
                        total = total + q * a**2
                    case {"at": a, **rest} if rest.keys() >= {"r"}:
                        total = total * rest["r"] + a
            return total
    """,
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name):
    assert_differentiated(PROGRAMS[name])


def ordered(x):
    total = x
    for k in {1, 2}:
        total = total * k + x
    return total


def ties(x):
    return x * sorted({1, 2, 3}, key=lambda k: k % 2)[0]


def unknown(x):
    return x * len({x, 2.0 * x})


@pytest.mark.parametrize("function", [ordered, ties, unknown])
def test_held_by_the_run(function):
    """Where the order matters, or what is in them isn't known."""
    want = function(2.5) - function(1.5)
    assert s2sad.grad(function)(1.5) == pytest.approx(want)


ALLOWED = {1.0, 2.0}
NAMES = {"elm", "oak"}


def doubled_where_allowed(x, name):
    y = x * x if x in ALLOWED else 3.0 * x
    return 2.0 * y if name not in NAMES else y


def test_sets_of_the_module_are_asked_under_their_names():
    gradient = s2sad.grad(doubled_where_allowed)
    assert gradient(2.0, "elm") == 4.0 and gradient(2.5, "ash") == 6.0
    assert "x in ALLOWED" in gradient.source_for(2.0, "elm")
    ALLOWED.add(2.5)
    try:
        assert gradient(2.5, "oak") == 5.0
    finally:
        ALLOWED.discard(2.5)


def test_items_of_lists_are_looked_up_in_sets_of_the_module():
    def chosen(words):
        return sum(x * x for name, x in words if name in NAMES)

    words = [("elm", 1.0), ("ash", 2.0), ("oak", 3.0)] * 4
    found = s2sad.grad(chosen)(words)
    assert [x for _, x in found] == [2.0, 0.0, 6.0] * 4


def removed(x):
    known = {1, 2}
    try:
        known.remove(3)
    except KeyError:
        return x * x
    return x


def test_what_a_known_set_lacks_is_not_removed():
    assert s2sad.grad(removed)(1.5) == 3.0
