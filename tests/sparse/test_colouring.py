"""Colours: no two columns of one colour share a row, and there are few."""

import numpy as np
import pytest
from scipy import sparse

from s2sad.sparse.colouring import column_colours, seeds_of, symmetric_colours
from s2sad.sparse.compression import Compression


def drawn(seed, rows=30, columns=25, density=0.1):
    generator = np.random.default_rng(seed)
    return sparse.csr_array(generator.random((rows, columns)) < density)


@pytest.mark.parametrize("seed", range(8))
def test_columns_of_a_colour_share_no_row(seed):
    pattern = drawn(seed)
    colours = column_colours(pattern)
    dense = pattern.toarray()
    assert np.array_equal(colours == -1, ~dense.any(axis=0))
    for colour in range(colours.max() + 1):
        assert dense[:, colours == colour].sum(axis=1).max() == 1
    overlaps = (dense.T.astype(int) @ dense > 0).sum(axis=0)
    assert dense.sum(axis=1).max() <= colours.max() + 1 <= overlaps.max()


def test_the_fullest_columns_come_first_where_that_is_better():
    # In the order of the columns the greedy choice takes a colour more.
    pattern = np.zeros((4, 4), bool)
    pattern[0, [0, 2]] = pattern[1, [2, 3]] = pattern[2, [3, 1]] = True
    assert column_colours(sparse.csr_array(pattern)).max() == 1


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("direction", ["", "forward", "reverse"])
def test_entries_are_read_back(seed, direction):
    pattern = drawn(seed, density=0.05 + 0.05 * (seed % 3))
    generator = np.random.default_rng(seed)
    matrix = pattern.toarray() * generator.normal(size=pattern.shape)
    made = Compression(pattern, direction)
    seeds = made.seeds(0, made.count, float)
    across = matrix.T if made.direction == "reverse" else matrix
    np.testing.assert_array_equal(
        made.assembled([seeds @ across.T], float).toarray(), matrix
    )


@pytest.mark.parametrize("full", range(4))
@pytest.mark.parametrize("seed", range(4))
def test_entries_of_symmetric_matrices_are_read_back(seed, full):
    pattern = drawn(seed, 40, 40, 0.02).toarray()
    pattern[:full] = True
    pattern |= pattern.T
    values = np.random.default_rng(seed).normal(size=pattern.shape)
    matrix = np.where(pattern, values + values.T, 0.0)
    made = Compression(sparse.csr_array(pattern), "forward", symmetric=True)
    seeds = made.seeds(0, made.count, float)
    found = made.assembled([seeds @ matrix], float).toarray()
    np.testing.assert_array_equal(found, matrix)
    assert made.count < 40 or not full


def test_arrow_heads_take_two_colours():
    pattern = np.eye(50, dtype=bool)
    pattern[7] = pattern[:, 7] = True
    colours, whole = symmetric_colours(sparse.csr_array(pattern))
    assert colours.max() == 1
    assert np.flatnonzero(whole).tolist() == [7]


def test_seeds_of_some_colours():
    seeds = seeds_of(np.array([2, -1, 0, 2, 1]), 1, 3, np.float32)
    assert seeds.dtype == np.float32
    assert seeds.tolist() == [[0, 0, 0, 0, 1], [1, 0, 0, 1, 0]]
