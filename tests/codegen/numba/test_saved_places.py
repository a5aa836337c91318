"""Numbers that nested loops overwrite are kept at the place of their turn: the arrays
are large enough, and no larger than they need to be."""

import re

import numpy as np
import pytest

from s2sad import grad
from tests.codegen.numba import nested_loops
from tests.codegen.numba.comparing import assert_same, differences

pytest.importorskip("numba")


@pytest.mark.long
def test_gradients_of_nested_loops():
    for function, arguments in nested_loops.CASES:
        checked = grad(function, backend="numba", options={"boundscheck": True})
        found = checked(*arguments)
        assert_same(found, grad(function)(*arguments))
        (close,) = differences(function, arguments, (0,))
        np.testing.assert_allclose(found, close, rtol=1e-5, atol=1e-6)


@pytest.mark.long
def test_bounds_that_counters_tell_need_no_lists():
    for function, arguments in nested_loops.CASES:
        text = grad(function, backend="numba").source_for(*arguments)
        kept = ".append(" in text
        assert kept != (function in nested_loops.IN_ARRAYS), text


def test_places_are_few():
    def shape(function, *arguments):
        text = grad(function, backend="numba").source_for(*arguments)
        return re.search(r"value_saved = np\.empty\(\((.*)\)\)", text)[1]

    x = nested_loops.X
    assert shape(nested_loops.triangle, x) == "count, count"
    assert shape(nested_loops.band_of_three, x).endswith(", 3")
    assert shape(nested_loops.scaled_counter, x) == "9, 2"


def test_lengths_are_computed_again():
    text = grad(nested_loops.length_of_what_changes, backend="numba").source_for(
        nested_loops.X, 3
    )
    assert text.count("len(u) - 1") == 3 and "np.int64" not in text
