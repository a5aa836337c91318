"""Sparse Jacobians against dense ones, given and wrong structures, errors."""

import numpy as np
import pytest
from scipy import sparse

import s2sad
from s2sad.errors import ArgumentError, S2sadError
from s2sad.rules.registry import unregister
from tests.sparse import programs
from tests.sparse.programs import FROM_ARRAYS, three_point

X = np.array([0.9, 0.2, 0.7, 0.4, 0.8, 0.3, 0.55, 0.65])


def dense(function, x):
    """The Jacobian by one tangent after the other."""
    columns = []
    for k in range(x.size):
        unit = np.zeros(x.size)
        unit[k] = 1.0
        tangent = s2sad.jvp(function, (x.copy(),), (unit.reshape(x.shape),))[1]
        columns.append(np.ravel(tangent))
    return np.transpose(columns)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("direction", ["", "forward", "reverse"])
@pytest.mark.parametrize("function", FROM_ARRAYS, ids=lambda f: f.__name__)
def test_entries_are_those_of_the_dense_jacobian(function, direction):
    found = s2sad.sparse_jacobian(function, direction=direction)(X.copy())
    assert isinstance(found, sparse.csr_array)
    np.testing.assert_allclose(found.toarray(), dense(function, X), rtol=1e-10)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("function", FROM_ARRAYS, ids=lambda f: f.__name__)
def test_unoptimised_programs_give_the_same(function):
    found = s2sad.sparse_jacobian(function, optimise=False)(X.copy())
    np.testing.assert_allclose(found.toarray(), dense(function, X), rtol=1e-10)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("function", FROM_ARRAYS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("direction", ["forward", "reverse"])
def test_a_structure_that_was_found_can_be_given(function, direction):
    structure = s2sad.sparse_jacobian(function).structure(X)
    jacobian = s2sad.sparse_jacobian(function, structure=structure, direction=direction)
    np.testing.assert_allclose(
        jacobian(X.copy()).toarray(), dense(function, X), rtol=1e-10
    )


@pytest.mark.parametrize(
    "name, entries",
    [
        ("three_point", 22),
        ("seven_point", 8 + 2 * (7 + 6 + 5)),
        ("periodic", 24),
        ("gathered", 9),
        ("loop_with_stores", 8 + 14),
        ("branches_in_loop", 8 + 3),
        ("chosen_elements", 8),
        ("sums_of_rows", 8),
        ("product_with_sparse", 22),
        ("einsum_of_rows", 8),
        ("arrow_head", 8 + 2 * 7),
        ("list_of_parts", 8),
        ("rows_stacked", 8 + 4),
        ("differences", 18),
        ("smoothed", 22),
        ("without_dependence", 0),
        ("nested_lists", 4),
    ],
)
def test_structures_hold_no_more_than_they_must(name, entries):
    function = getattr(programs, name)
    assert s2sad.sparse_jacobian(function).structure(X).nnz <= entries


def test_bands_take_as_many_colours_as_they_are_wide():
    x = np.linspace(0.1, 1.0, 1000)
    for name, width in (("three_point", 3), ("seven_point", 7)):
        jacobian = s2sad.sparse_jacobian(getattr(programs, name))
        direction, colours = jacobian.colours(x)
        assert (direction, colours.max() + 1) == ("forward", width)


def test_rows_are_summed_where_that_takes_fewer():
    jacobian = s2sad.sparse_jacobian(programs.sums_of_rows)
    direction, colours = jacobian.colours(X)
    assert direction == "reverse"
    assert colours.tolist() == [0, 0]


def test_structure_follows_the_branch_of_each_call():
    jacobian = s2sad.sparse_jacobian(programs.branch_by_value)
    first, second = X, np.concatenate([[0.1], X[1:]])
    for x in (first, second, first):
        np.testing.assert_allclose(
            jacobian(x).toarray(), dense(programs.branch_by_value, x)
        )
    assert jacobian.structure(first).nnz == 16
    assert jacobian.structure(second).nnz == 8


def test_colours_take_several_sweeps_where_memory_is_short(monkeypatch):
    from s2sad.sparse import derivatives

    monkeypatch.setattr(derivatives, "NUMBERS_AT_ONCE", 2 * X.size)
    structure = s2sad.sparse_jacobian(three_point).structure(X)
    for given in (None, structure):
        found = s2sad.sparse_jacobian(three_point, structure=given)(X)
        np.testing.assert_allclose(found.toarray(), dense(three_point, X))


def test_other_arguments_stay_as_they_are():
    def f(a, x, *, scale=2.0, power):
        x[0] = 0.0
        return a * x[1:] ** power * scale

    x = X.copy()
    jacobian = s2sad.sparse_jacobian(f, "x")
    found = jacobian(3.0, x, power=2).toarray()
    np.testing.assert_allclose(found[:, 1:], np.diag(12.0 * X[1:]))
    np.testing.assert_array_equal(found[:, 0], 0.0)
    np.testing.assert_array_equal(x, X)


def test_a_parameter_may_be_called_seeds():
    def f(seeds, graph):
        return seeds**2 * graph

    found = s2sad.sparse_jacobian(f)(X, 2.0)
    np.testing.assert_allclose(found.toarray(), np.diag(4.0 * X))


def test_methods():
    class Model:
        def __init__(self, rate):
            self.rate = rate

        def step(self, x):
            return x + self.rate * np.roll(x, 1) ** 2

    model = Model(0.5)
    found = s2sad.sparse_jacobian(model.step)(X).toarray()
    np.testing.assert_allclose(found, dense(model.step, X))
    model.rate = 2.0
    found = s2sad.sparse_jacobian(model.step, "x")(x=X).toarray()
    np.testing.assert_allclose(found, dense(model.step, X))


@pytest.mark.parametrize("x", [0.7, np.float64(0.7), np.array(0.7)])
def test_numbers(x):
    def f(x):
        return x**2 * np.ones(3)

    found = s2sad.sparse_jacobian(f)(x)
    np.testing.assert_allclose(found.toarray(), np.full((3, 1), 1.4))


def test_single_precision():
    x = X.astype(np.float32)
    jacobian = s2sad.sparse_jacobian(three_point)
    found = jacobian(x)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found.toarray(), dense(three_point, X), rtol=1e-5)
    again = s2sad.sparse_jacobian(three_point, structure=jacobian.structure(x))
    np.testing.assert_array_equal(again(x).toarray(), found.toarray())


def test_empty_arrays():
    def f(x):
        return 2.0 * x

    assert s2sad.sparse_jacobian(f)(np.zeros(0)).shape == (0, 0)


def test_code_is_shown():
    jacobian = s2sad.sparse_jacobian(programs.periodic)
    text = jacobian.source_for(X)
    assert "def periodic_structure(x, graph):" in text
    assert "np.roll(x_nodes, 1)" in text
    assert "def periodic_sweep(x, seeds):" in text
    given = s2sad.sparse_jacobian(
        programs.periodic, structure=jacobian.structure(X)
    ).source_for(X)
    assert "_structure" not in given


def test_names():
    jacobian = s2sad.sparse_jacobian(three_point)
    assert jacobian.__name__ == "three_point_sparse_jacobian"
    assert repr(jacobian) == (
        "<s2sad: sparse jacobian of three_point with respect to x>"
    )


# ---------------------------------------------------------------- given structures


def test_structures_may_be_arrays_and_hold_more():
    for structure in (
        np.ones((8, 8)),
        np.ones((8, 8), bool),
        sparse.eye_array(8, format="coo") + sparse.eye_array(8, k=1) + np.ones((8, 8)),
        sparse.diags_array([1.0, 1.0, 1.0, 1.0], offsets=[-1, 0, 1, 4], shape=(8, 8)),
    ):
        found = s2sad.sparse_jacobian(three_point, structure=structure)(X)
        np.testing.assert_allclose(found.toarray(), dense(three_point, X))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("direction", ["forward", "reverse"])
@pytest.mark.parametrize("row, column", [(0, 0), (3, 4), (7, 6)])
def test_a_missing_entry_is_noticed(row, column, direction):
    structure = s2sad.sparse_jacobian(three_point).structure(X).toarray()
    structure[row, column] = False
    jacobian = s2sad.sparse_jacobian(
        three_point, structure=structure, direction=direction
    )
    place = f"row {row}" if direction == "forward" else f"column {column}"
    with pytest.raises(ArgumentError, match=f"lacks an entry in {place}: "):
        jacobian(X)


def test_an_empty_structure_is_noticed():
    jacobian = s2sad.sparse_jacobian(three_point, structure=np.zeros((8, 8)))
    with pytest.raises(ArgumentError, match="lacks an entry in row 0"):
        jacobian(X)


def test_a_structure_for_another_branch_is_noticed():
    x = np.concatenate([[0.1], X[1:]])
    structure = s2sad.sparse_jacobian(programs.branch_by_value).structure(x)
    jacobian = s2sad.sparse_jacobian(programs.branch_by_value, structure=structure)
    jacobian(x)
    with pytest.raises(ArgumentError, match="lacks an entry"):
        jacobian(X)


@pytest.mark.parametrize("direction", ["forward", "reverse"])
def test_a_structure_of_another_shape_is_refused(direction):
    for shape, part in (((8, 7), "7 columns"), ((9, 8), "9 rows")):
        jacobian = s2sad.sparse_jacobian(
            three_point, structure=np.ones(shape), direction=direction
        )
        with pytest.raises(ArgumentError, match=part):
            jacobian(X)


@pytest.mark.parametrize("structure", [np.ones(3), "band", [["a"]]])
def test_what_is_no_structure_is_refused(structure):
    with pytest.raises(ArgumentError, match="structure must be"):
        s2sad.sparse_jacobian(three_point, structure=structure)


def test_infinite_entries_are_no_sign_of_a_wrong_structure():
    def f(x):
        return np.sqrt(x) + np.roll(x, 1)

    x = np.array([0.0, 1.0, 4.0])
    structure = s2sad.sparse_jacobian(f).structure(x)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = s2sad.sparse_jacobian(f, structure=structure)(x).toarray()
    np.testing.assert_array_equal(np.diag(found), [np.inf, 0.5, 0.25])


def test_what_cancels_is_no_sign_of_a_wrong_structure():
    def f(x):
        return (1e10 * x + np.roll(x, 1)) - 1e10 * x

    found = s2sad.sparse_jacobian(f)(X).toarray()
    np.testing.assert_allclose(found, np.roll(np.eye(8), 1, axis=0), atol=1e-5)


def test_a_structure_that_differs_from_run_to_run_is_noticed():
    runs = []

    def turned(x):
        runs.append(None)
        return np.roll(np.arange(8), len(runs))

    def f(x):
        return x[turned(x)] ** 2

    s2sad.rule.without_derivative(turned, lambda x: None)
    try:
        with pytest.raises(S2sadError, match="another structure each time it runs"):
            s2sad.sparse_jacobian(f)(X)
    finally:
        unregister(turned)  # other tests look at all rules


# ---------------------------------------------------------------- errors


def test_arguments_that_are_no_arrays_of_floats_are_refused():
    jacobian = s2sad.sparse_jacobian(three_point)
    for x, what in (
        (np.arange(3), "an array of int64"),
        (3, "an int"),
        ([1.0, 2.0], "a list"),
        ({"a": 1.0}, "a dict"),
        (np.ones(2, complex), "an array of complex128"),
    ):
        with pytest.raises(ArgumentError, match=f"as x, not {what}"):
            jacobian(x)


def test_results_that_are_structures_are_refused():
    def pair(x):
        return x, 2.0 * x

    for structure, way in ((None, ""), (np.eye(8), "forward"), (np.eye(8), "reverse")):
        jacobian = s2sad.sparse_jacobian(pair, structure=structure, direction=way)
        with pytest.raises(S2sadError, match="one array"):
            jacobian(X)


def test_several_parameters_are_refused():
    with pytest.raises(ArgumentError, match="takes one parameter, not a tuple"):
        s2sad.sparse_jacobian(lambda x, y: x * y, (0, 1))


def test_directions_have_names():
    with pytest.raises(ArgumentError, match="direction must be"):
        s2sad.sparse_jacobian(three_point, direction="backward")


def test_scipy_is_asked_for_by_its_extra(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "scipy.sparse", None)
    with pytest.raises(S2sadError, match=r"s2sad\[scipy\]"):
        s2sad.sparse_jacobian(three_point)


def test_what_is_supported_by_itself_alone_is_swept_one_by_one():
    def written(x, y):
        x[1:] = x[:-1] * y
        return x

    for direction in ("forward", "reverse"):
        jacobian = s2sad.sparse_jacobian(written, direction=direction)
        expected = np.diag(np.full(7, 2.0), -1)
        expected[0, 0] = 1.0
        np.testing.assert_allclose(jacobian(X, 2.0).toarray(), expected)


def test_what_cannot_be_carried_together_is_swept_one_by_one(monkeypatch):
    from s2sad.frontend.specialise.core.exceptions import NotBatched
    from s2sad.transform.programs.derivative_programs import ProgramsOfTransforms

    def refuse(*_):
        raise NotBatched("for the test")

    monkeypatch.setattr(ProgramsOfTransforms, "compressed_sweep_of", refuse)

    def f(x):
        return x[1:] * x[:-1] * 1.5

    for direction in ("forward", "reverse"):
        jacobian = s2sad.sparse_jacobian(f, direction=direction)
        np.testing.assert_allclose(jacobian(X).toarray(), dense(f, X))
        assert "_jvp" in jacobian.source_for(X) or direction == "reverse"
