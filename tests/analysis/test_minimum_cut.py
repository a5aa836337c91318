"""The minimum cut, against all cuts of small graphs."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from s2sad.analysis.reverse.minimum_cut import Network

SOURCE, SINK = 0, 1
edges = st.dictionaries(
    st.tuples(st.integers(0, 5), st.integers(0, 5)).filter(lambda e: e[0] != e[1]),
    st.sampled_from([0.0, 0.25, 0.5, 1.0, 2.0, 3.0]),
    max_size=14,
)


@given(edges)
def test_no_cut_is_smaller(edges):
    network = Network()
    for (start, end), capacity in edges.items():
        network.add(start, end, capacity)

    def capacity_into(side):
        return sum(c for (a, b), c in edges.items() if a not in side and b in side)

    found = network.side_of_sink(SOURCE, SINK)
    assert SINK in found and SOURCE not in found
    others = range(2, 6)
    sides = [{SINK, *some} for k in range(5) for some in combinations(others, k)]
    assert capacity_into(found) == min(map(capacity_into, sides))


def test_capacities_of_the_same_edge_add_up():
    network = Network()
    for start, end, capacity in [("s", "a", 3), ("a", "t", 2), ("a", "t", 2)]:
        network.add(start, end, capacity)
    assert network.side_of_sink("s", "t") == {"a", "t"}


def test_of_two_least_cuts_the_one_nearer_to_the_sink_is_found():
    network = Network()
    for start, end in [("s", "a"), ("a", "t")]:
        network.add(start, end, 1.0)
    assert network.side_of_sink("s", "t") == {"t"}
