"""Sparse Hessians against dense ones."""

import numpy as np
import pytest

import s2sad
from s2sad.errors import ArgumentError, S2sadError
from tests.sparse import programs
from tests.sparse.programs import NUMBERS

X = np.array([0.9, 0.2, 0.7, 0.4, 0.8, 0.3, 0.55, 0.65])


def dense(function, x):
    """The Hessian by one product after the other."""
    product = s2sad.hvp(function)
    return np.array([product(x, unit) for unit in np.eye(len(x))])


@pytest.mark.sampled(3)
@pytest.mark.parametrize("optimise", [None, False])
@pytest.mark.parametrize("function", NUMBERS, ids=lambda f: f.__name__)
def test_entries_are_those_of_the_dense_hessian(function, optimise):
    found = s2sad.sparse_hessian(function, optimise=optimise)(X)
    np.testing.assert_allclose(found.toarray(), dense(function, X), atol=1e-12)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "name, entries",
    [
        ("rosenbrock", 22),
        ("rosenbrock_in_a_loop", 22),
        ("separable", 8),
        ("coupled_to_first", 22),
        ("square_of_sum", 16 + 4),
        ("matrix_form", 8),
        ("linear", 0),
    ],
)
def test_structures_hold_no_more_than_they_must(name, entries):
    assert s2sad.sparse_hessian(getattr(programs, name)).structure(X).nnz <= entries


def test_a_given_structure_is_checked():
    structure = s2sad.sparse_hessian(programs.rosenbrock).structure(X).toarray()
    found = s2sad.sparse_hessian(programs.rosenbrock, structure=structure)(X)
    np.testing.assert_allclose(
        found.toarray(), dense(programs.rosenbrock, X), atol=1e-9
    )
    structure[4, 5] = False
    with pytest.raises(ArgumentError, match="lacks an entry in row 4"):
        s2sad.sparse_hessian(programs.rosenbrock, structure=structure)(X)


def test_bands_take_few_colours():
    hessian = s2sad.sparse_hessian(programs.rosenbrock)
    _, colours = hessian.colours(np.linspace(0.0, 1.0, 500))
    assert colours.max() == 2


@pytest.mark.sampled(3)
@pytest.mark.parametrize("k", [0, 3, 7])
def test_full_rows_do_not_spoil_the_rest(k):
    def coupled(x):
        chain = np.sum((x[1:] - x[:-1] ** 2) ** 2)
        return chain + np.sum(x**3 * x[k]) + np.sum(x * x[1] ** 2)

    hessian = s2sad.sparse_hessian(coupled)
    x = np.linspace(0.2, 1.0, 40)
    _, colours = hessian.colours(x)
    assert colours.max() + 1 == 2 + 3
    np.testing.assert_allclose(hessian(x).toarray(), dense(coupled, x), atol=1e-12)


def test_a_given_structure_that_is_not_symmetric():
    x = X[:5]
    structure = np.ones((5, 5))
    hessian = s2sad.sparse_hessian(programs.coupled_to_first, structure=structure)
    expected = dense(programs.coupled_to_first, x)
    np.testing.assert_allclose(hessian(x).toarray(), expected)
    structure[1, 3] = 0.0  # where there is no entry
    hessian = s2sad.sparse_hessian(programs.coupled_to_first, structure=structure)
    np.testing.assert_allclose(hessian(x).toarray(), expected)


@pytest.mark.parametrize("pair", [(0, 5), (5, 0), (3, 3)])
def test_a_missing_entry_is_noticed_where_symmetry_is_used(pair):
    n = 12
    x = np.linspace(0.2, 1.0, n)
    structure = s2sad.sparse_hessian(programs.coupled_to_first).structure(x).toarray()
    assert (
        s2sad.sparse_hessian(programs.coupled_to_first, structure=structure)
        .colours(x)[1]
        .max()
        == 1
    )
    structure[pair] = structure[pair[::-1]] = False
    hessian = s2sad.sparse_hessian(programs.coupled_to_first, structure=structure)
    with pytest.raises(ArgumentError, match="lacks an entry"):
        hessian(x)


def test_rules_of_users_need_not_be_symmetric():
    from s2sad import rule
    from s2sad.rules.registry import unregister

    def rounded(x):
        return np.round(x)

    @rule.reverse_of(rounded, kind=lambda x: x)
    def _(x, *, out, out_bar):
        return out_bar * (1.0 + x[0] * x)

    @rule.forward_of(rounded)
    def _(x, *, out, x_dot):
        return x_dot

    def loss(x):
        return np.sum(rounded(x) * np.arange(1.0, 11.0))

    try:
        x = np.linspace(0.2, 1.0, 10)
        hessian = s2sad.sparse_hessian(loss)
        assert hessian.colours(x)[1].max() == 1
        np.testing.assert_allclose(
            hessian(x).toarray(), np.transpose(dense(loss, x)), atol=1e-12
        )
    finally:
        unregister(rounded)


def test_functions_that_return_arrays_are_refused():
    with pytest.raises(S2sadError, match="single number|one number"):
        s2sad.sparse_hessian(programs.three_point)(X)


def test_methods():
    class Springs:
        def __init__(self, stiffness):
            self.stiffness = stiffness

        def energy(self, x):
            return self.stiffness * np.sum((x[1:] - x[:-1]) ** 4)

    energy = Springs(2.5).energy
    found = s2sad.sparse_hessian(energy)(X)
    np.testing.assert_allclose(found.toarray(), dense(energy, X), atol=1e-12)


def test_names():
    hessian = s2sad.sparse_hessian(programs.rosenbrock)
    assert hessian.__name__ == "rosenbrock_sparse_hessian"
    assert hessian.__doc__ == "Sparse Hessian of rosenbrock with respect to x."
    assert "def rosenbrock_grad_structure(x, graph)" in hessian.source_for(X)
