"""Sets of names: as frozensets, whatever is done to them."""

import random

from s2sad.analysis.dataflow.name_sets import Names


def test_operations_are_those_of_sets():
    """On random sets over a few chunks, also with sets of other kinds."""
    rng = random.Random(0)
    everything = [f"v{k}" for k in range(1500)]
    names, others = Names(), Names()
    for _ in range(60):
        a = frozenset(rng.sample(everything, rng.choice((0, 1, 5, 700))))
        b = frozenset(rng.sample(everything, rng.choice((0, 1, 5, 700))))
        first, second = names.set_of(a), names.set_of(b)
        for other in (second, others.set_of(b), b, set(b)):
            assert (first | other, first & other, first - other) == (
                a | b,
                a & b,
                a - b,
            )
            assert (other | first, other & first, other - first) == (
                a | b,
                a & b,
                b - a,
            )
            assert first.isdisjoint(other) == a.isdisjoint(b)
            assert (first == other, first <= other) == (a == b, a <= b)
        assert (set(first), len(first), bool(first)) == (a, len(a), bool(a))
        changed = first.replaced(sorted(b)[:3], sorted(b)[2:6])
        assert changed == a - set(sorted(b)[:3]) | set(sorted(b)[2:6])
        assert (changed == first) == (changed.chunks == first.chunks)


def test_sets_share_what_stays_the_same():
    """One name more or less leaves all other chunks as they are."""
    whole = Names().set_of(f"v{k}" for k in range(5000))
    less = whole.replaced(("v7",), ())
    shared = sum(a is b for a, b in zip(whole.chunks, less.chunks, strict=True))
    assert shared == len(whole.chunks) - 1
    assert whole.replaced((), ("v3",)) is whole is whole.replaced(("w",), ())
