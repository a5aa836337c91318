"""What records say of operations is what the functions do, at all calls of the table of
cases; and what a call shows of a function, its record says."""

from __future__ import annotations

import itertools
from collections import defaultdict

import numpy as np
import pytest

from s2sad import ops
from s2sad.ops.runtime.ties import mean_of_ties
from s2sad.rules.registry import rule_for
from s2sad.testing.structures import numbers_of
from tests.rules.cases import ARRAYS, ELEMENTS

REARRANGING = {
    np.transpose: [{}, {"axes": (1, 2, 0)}, {"axes": (0, -1, 1)}],
    np.rot90: [{}, {"k": 3, "axes": (0, 2)}, {"k": 2, "axes": (1, 2)}],
    np.swapaxes: [{"axis1": 0, "axis2": -1}, {"axis1": 1, "axis2": 1}],
    np.moveaxis: [{"source": 0, "destination": -1}, {"source": -1, "destination": 1}],
    np.matrix_transpose: [{}],
    np.fliplr: [{}],
    np.flipud: [{}],
    np.flip: [{}, {"axis": 1}, {"axis": (0, -1)}],
    np.expand_dims: [{"axis": 1}, {"axis": (0, -1)}],
    np.atleast_1d: [{}],
    np.atleast_2d: [{}],
}
ARRAY = np.arange(24.0).reshape(2, 3, 4)


@pytest.mark.parametrize("function", REARRANGING, ids=lambda f: f.__name__)
def test_index_maps_say_where_each_element_comes_from(function):
    for words in REARRANGING[function]:
        moved = ops.index_map(function, 3, **words)
        result = function(ARRAY, **words)
        lengths = moved.through(ARRAY.shape, 1)
        assert result.shape == lengths
        for index in itertools.product(*map(range, lengths)):
            places = [
                lengths[k] - 1 - i if k in moved.backwards else i
                for k, i in enumerate(index)
            ]
            assert result[index] == ARRAY[tuple(moved.back(places, 3, 0))]


def test_index_map_of_squeezed_axes():
    moved = ops.index_map(np.squeeze, 3, axis=(0, 2))
    assert moved.sources == (1,)
    assert moved.back(["i"], 3, "first") == ["first", "i", "first"]
    assert ops.index_map(np.squeeze, 3) is None


def test_calls_that_raise_have_no_index_map():
    assert ops.index_map(np.flip, 2, 1.0) is None
    assert ops.index_map(np.flip, 2, 1) is not None
    assert ops.index_map(np.swapaxes, 2, 0, 2) is None
    assert ops.index_map(np.fliplr, 1) is None
    assert ops.index_map(np.transpose, 2, axes=(0, 0)) is None
    assert ops.index_map(np.sum, 2) is None


@pytest.mark.parametrize(
    "function",
    [f for f in REARRANGING if ops.is_own_inverse(f)],
    ids=lambda f: f.__name__,
)
def test_own_inverses_undo_themselves(function):
    for words in REARRANGING[function]:
        twice = function(function(ARRAY, **words), **words)
        np.testing.assert_array_equal(twice, ARRAY)


def calls_of_functions():
    """The calls of each function of the table that take and give floats."""
    found = defaultdict(list)
    for case in (*ARRAYS, *ELEMENTS):
        if case.wrt and case.expected is None and numbers_of(case.arguments):
            found[case.function].append(case)
    return found


CALLS = calls_of_functions()


def drawn_again(value, generator):
    """Other floats in the same places."""
    if isinstance(value, np.ndarray) and value.dtype == np.float64:
        return 3.0 * generator.normal(size=value.shape)
    if type(value) is float:
        return 3.0 * float(generator.normal())
    if isinstance(value, tuple | list):
        items = [drawn_again(item, generator) for item in value]
        return type(value)(items)
    return value


def sources(case, seed):
    """For each number that a call gives, which number of its operands it is: -1 for 0,
    None for one that is made. None where the call raises."""
    generator = np.random.default_rng(seed)
    arguments = [drawn_again(a, generator) for a in case.arguments]
    given = list(flat([*arguments, *case.keywords.values()], "fi"))
    place = {round_off(x): k for k, x in enumerate(given)} | {0.0: -1}
    try:
        with np.errstate(all="ignore"):
            found = case.function(*arguments, **case.keywords)
    except (ValueError, TypeError, np.linalg.LinAlgError, IndexError):
        return None
    return [place.get(round_off(x)) for x in flat(found)]


AT_TIES = (mean_of_ties,)
"""What these do is seen where numbers are equal."""


def copies(function):
    """True for what changes the memory or the dtype of an array alone."""
    return ops.does(function, ops.Does.ELEMENTWISE) or function in AT_TIES


def round_off(number):
    """The number in single precision, which is all that a cast may leave."""
    return float(np.float32(number))


def flat(value, kinds="f"):
    """All floats, or numbers of other kinds, in a structure of arrays and numbers."""
    if isinstance(value, tuple | list):
        for item in value:
            yield from flat(item, kinds)
    elif isinstance(value, dict):
        yield from flat(list(value.values()), kinds)
    elif isinstance(value, np.ndarray | np.generic | float | int):
        array = np.asarray(value)
        if array.dtype.kind in kinds:
            yield from array.ravel().tolist()


@pytest.mark.parametrize("function", CALLS, ids=lambda f: f.__name__)
def test_records_say_what_only_moves_elements(function):
    """Of two draws, the same numbers stand in the same places."""
    seen = [(sources(case, 0), sources(case, 1)) for case in CALLS[function]]
    seen = [both for both in seen if both[0]]
    if ops.does(function, ops.Does.MOVES):
        assert not any(None in places for both in seen for places in both)
    elif rule_for(function).partials is None and not copies(function):
        moved = [one == other and None not in one for one, other in seen]
        assert not seen or not all(moved), "record in ops/known_operations.py: it moves"
