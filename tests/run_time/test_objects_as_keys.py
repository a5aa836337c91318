"""Objects that are given twice: as data, and as keys of dicts or members of sets.

There they are what was given: no derivative leads through them, and a copy that the
derivative changes isn't found. Looked up by what wasn't changed they do their work."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from s2sad import errors, grad, value_and_grad

SIZES = (3, 9, 500)


@dataclass(eq=False)
class Site:
    value: float
    near: set[Site] = field(default_factory=set)

    def squared(self) -> float:
        return self.value**2


@dataclass
class Map:
    sites: list[Site]
    weights: dict[Site, float]


def given(count: int) -> Map:
    sites = [Site(0.3 + 0.1 * (k % 7)) for k in range(count)]
    for k, site in enumerate(sites):
        site.near = {sites[k - 1], sites[(k + 1) % count]}
    return Map(sites, {site: k % 3 + 1.0 for k, site in enumerate(sites)})


def by_members(a, x):
    return sum(s.value * x * sum(n.value for n in s.near) for s in a.sites)


def by_methods_of_members(a, x):
    return sum(s.value * x + sum(n.squared() for n in s.near) for s in a.sites)


def by_keys(a, x):
    return sum(site.value * w * x for site, w in a.weights.items())


def members_of_what_changes(a, x):
    for site in a.sites:
        site.value *= x
    return sum(n.value for s in a.sites for n in s.near)


def members_of_what_is_set(a, x):
    for site in a.sites:
        site.value = 2.0
    return sum(n.value * x for s in a.sites for n in s.near)


def found_after_a_change(a, x):
    for site in a.sites:
        site.value *= x
    return sum(s.value for s in a.sites if a.sites[0] in s.near)


def looked_up_after_a_change(a, x):
    for site in a.sites:
        site.value *= x
    return sum(a.weights[site] * site.value for site in a.sites)


def found_after_one_was_added(a, x):
    a.sites[0].near.add(a.sites[2])
    return sum(s.value * x for s in a.sites if a.sites[2] in s.near)


def members_compared_after_a_change(a, x):
    for site in a.sites:
        site.value *= x
    return sum(s.value for s in a.sites for n in s.near if n is a.sites[1])


def members_looked_for_after_a_change(a, x):
    for site in a.sites:
        site.value *= x
    return sum(s.value for s in a.sites for n in s.near if n in a.sites[:3])


def members_in_a_dict_of_copies(a, x):
    for site in a.sites:
        site.value *= x
    places = {site: k + 1.0 for k, site in enumerate(a.sites)}
    return sum(s.value * places[n] for s in a.sites for n in s.near if n in places)


def members_in_a_set_of_copies(a, x):
    seen = set()
    for site in a.sites:
        site.value *= x
        seen.add(site)
    return sum(s.value for s in a.sites for n in s.near if n in seen)


def identities_after_one_was_cleared(a, x):
    a.sites[0].near.clear()
    places = {id(site): k + 1.0 for k, site in enumerate(a.sites)}
    return sum(s.value * x * places.get(id(n), 0.0) for s in a.sites for n in s.near)


REFUSED = [
    *(members_compared_after_a_change, members_looked_for_after_a_change),
    *(members_in_a_dict_of_copies, members_in_a_set_of_copies),
    identities_after_one_was_cleared,
    *(by_members, by_methods_of_members, by_keys, members_of_what_changes),
    *(members_of_what_is_set, found_after_a_change, looked_up_after_a_change),
    found_after_one_was_added,
]


@pytest.mark.parametrize("count", SIZES)
@pytest.mark.parametrize("function", REFUSED, ids=lambda f: f.__name__)
def test_what_is_read_of_keys_and_members_is_refused(function: Any, count: int) -> None:
    with pytest.raises(errors.UnsupportedError):
        grad(function)(given(count), 0.8)


def in_another_argument(sites, chosen, x):
    return sum(site.value for site in chosen) * x + sites[0].value


def changed_and_in_another_argument(sites, chosen, x):
    for site in sites:
        site.value *= x
    return sum(site.value for site in sites if site in chosen)


@pytest.mark.parametrize("count", SIZES)
@pytest.mark.parametrize(
    "function", [in_another_argument, changed_and_in_another_argument]
)
@pytest.mark.parametrize("kind", [set, frozenset, dict.fromkeys])
def test_in_another_argument(function: Any, count: int, kind: Any) -> None:
    sites = given(count).sites
    with pytest.raises(errors.S2sadError):
        grad(function)(sites, kind(sites[:2]), 0.8)


def by_identity(a, x):
    total = 0.0
    for site in a.sites:
        for other in a.sites[:9]:
            if other in site.near:
                total += site.value * other.value * a.weights[site] * x
    return total


def with_a_set_of_its_own(a, x):
    seen, weights = set(), {}
    for site in a.sites + a.sites[:2]:
        site.value *= x
        if site in seen:
            weights[site] = site.value
        seen.add(site)
    return sum(site.value * weights.get(site, 0.5) for site in a.sites)


def by_names(a, x):
    """Texts are compared and looked up as ever beside what is changed."""
    named, seen = {f"s{k}": site for k, site in enumerate(a.sites)}, set()
    for k, site in enumerate(a.sites):
        site.value *= x
        for name in {f"s{k // 2}", "z"}:
            if name in named and name not in seen:
                named[name].value += 0.1 * x
            seen.add(name)
    return sum(site.value for site in a.sites) * len(seen)


@pytest.mark.parametrize("count", SIZES[1:])
@pytest.mark.parametrize("function", [by_identity, with_a_set_of_its_own, by_names])
def test_what_is_found_by_identity(function: Any, count: int) -> None:
    value, found = value_and_grad(function)(given(count), 0.8)
    assert value == pytest.approx(function(given(count), 0.8))
    for place in (0, 1, count - 1):
        ends = []
        for step in (1e-6, -1e-6):
            moved = given(count)
            moved.sites[place].value += step
            ends.append(function(moved, 0.8))
        expected = (ends[0] - ends[1]) / 2e-6
        assert found.sites[place].value == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("count", SIZES)
def test_members_are_constants_of_what_else_is_differentiated(count: int) -> None:
    value, slope = value_and_grad(by_members, "x")(given(count), 0.8)
    assert slope == pytest.approx(by_members(given(count), 1.0))
    assert value == pytest.approx(0.8 * slope)
