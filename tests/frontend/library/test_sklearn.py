"""Functions of scikit-learn, and of SciPy's own code, that ask which library an array
is of and check what they are given."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
from scipy._lib import _array_api
from sklearn import covariance, metrics, preprocessing
from sklearn.metrics import pairwise
from sklearn.utils import extmath, validation
from sklearn.utils._array_api import get_namespace
from sklearn.utils._param_validation import InvalidParameterError

from s2sad import UnsupportedError, grad, value_and_grad
from s2sad.testing import check_gradient

GENERATOR = np.random.default_rng(0)
X, Y = GENERATOR.normal(size=(4, 3)), GENERATOR.normal(size=(5, 3))
P, T = GENERATOR.uniform(0.2, 0.8, 5), GENERATOR.uniform(0.2, 0.8, 5)
W, LABELS = GENERATOR.uniform(0.5, 1.0, 5), np.array([0, 1, 1, 0, 1])

OF_VECTORS = {
    "mean_squared_error": lambda p: metrics.mean_squared_error(T, p),
    "weights": lambda p: metrics.mean_squared_error(T, p, sample_weight=W),
    "by weights": lambda w: metrics.mean_absolute_error(T, P, sample_weight=w),
    "root_mean_squared_error": lambda p: metrics.root_mean_squared_error(T, p),
    "mean_absolute_error": lambda p: metrics.mean_absolute_error(T, p),
    "logarithms": lambda p: metrics.mean_squared_log_error(T, p),
    "percentages": lambda p: metrics.mean_absolute_percentage_error(T, p),
    "median_absolute_error": lambda p: metrics.median_absolute_error(T, p),
    "mean_pinball_loss": lambda p: metrics.mean_pinball_loss(T, p, alpha=0.3),
    "r2_score": lambda p: metrics.r2_score(T, p),
    "explained variance": lambda p: metrics.explained_variance_score(T, p),
    "max_error": lambda p: metrics.max_error(T, p),
    "mean_poisson_deviance": lambda p: metrics.mean_poisson_deviance(T, p),
    "mean_gamma_deviance": lambda p: metrics.mean_gamma_deviance(T, p),
    "tweedie": lambda p: metrics.mean_tweedie_deviance(T, p, power=1.5),
    "brier_score_loss": lambda p: metrics.brier_score_loss(LABELS, p),
    "log_loss": lambda p: metrics.log_loss(LABELS, p),
    "fast_logdet": lambda p: extmath.fast_logdet(np.eye(5) + np.outer(p, p)),
    "column_or_1d": lambda p: np.sum(validation.column_or_1d(p) ** 2),
    "namespaces": lambda p: in_namespaces(p),
}
OF_MATRICES = {
    "rbf_kernel": lambda x: np.sum(pairwise.rbf_kernel(x, Y) @ P),
    "rbf_kernel by gamma": lambda x: np.sum(pairwise.rbf_kernel(Y, gamma=x[0, 0])),
    "laplacian_kernel": lambda x: np.sum(pairwise.laplacian_kernel(x, Y)),
    "sigmoid_kernel": lambda x: np.sum(pairwise.sigmoid_kernel(x, Y)),
    "polynomial_kernel": lambda x: np.sum(pairwise.polynomial_kernel(x, Y, degree=2)),
    "cosine_similarity": lambda x: np.sum(pairwise.cosine_similarity(x, Y)),
    "euclidean_distances": lambda x: np.sum(pairwise.euclidean_distances(x, Y)),
    "manhattan_distances": lambda x: np.sum(pairwise.manhattan_distances(x, Y)),
    "paired": lambda x: np.sum(pairwise.paired_euclidean_distances(x, Y[:4])),
    "softmax": lambda x: np.sum(extmath.softmax(x) ** 2),
    "row_norms": lambda x: np.sum(extmath.row_norms(x)),
    "safe_sparse_dot": lambda x: np.sum(extmath.safe_sparse_dot(x, Y.T) ** 2),
    "normalize": lambda x: np.sum(preprocessing.normalize(x)[0]),
    "scale": lambda x: np.sum(preprocessing.scale(x)[0]),
    "covariance": lambda x: np.sum(covariance.empirical_covariance(x) ** 2),
    "log_likelihood": lambda x: covariance.log_likelihood(x.T @ x, np.eye(3)),
    "check_array": lambda x: np.sum(validation.check_array(x, copy=True) ** 2),
}


def in_namespaces(p):
    xp = _array_api.array_namespace(p)
    other, follows = get_namespace(p)
    total = xp.sum(xp.sin(_array_api.xp_copy(p))) * _array_api.xp_size(p)
    if follows or scipy.sparse.issparse(p):
        return total
    ones = other.ones(5, dtype=p.dtype, device=None)
    return total + other.sum(other.asarray(p, device=None) * ones)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", OF_VECTORS)
def test_functions_of_vectors(name):
    assert check_gradient(OF_VECTORS[name], P).passed


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", OF_MATRICES)
def test_functions_of_matrices(name):
    assert check_gradient(OF_MATRICES[name], X + (name == "rbf_kernel by gamma")).passed


def test_single_precision_stays():
    def f(x):
        return np.sum(validation.check_array(x) ** 2)

    assert grad(f)(X.astype(np.float32)).dtype == np.float32

    def wide(x):
        return np.sum(validation.check_array(x, dtype=np.float64) ** 2)

    np.testing.assert_allclose(
        grad(wide)(X.astype(np.float32)), 2 * X, rtol=1e-6, strict=False
    )


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "function, at, error",
    [
        (lambda x: np.sum(validation.check_array(x)), X * np.nan, ValueError),
        (lambda x: np.sum(validation.check_array(x)), P, ValueError),
        (lambda p: metrics.mean_squared_error(T[:4], p), P, ValueError),
        (
            lambda x: np.sum(pairwise.rbf_kernel(x, gamma=-(x[0, 0] ** 2))),
            X,
            InvalidParameterError,
        ),
        (
            lambda p: metrics.mean_squared_error(T, p, multioutput="sum"),
            P,
            InvalidParameterError,
        ),
    ],
)
def test_what_is_refused_is_refused_by_derivatives(function, at, error):
    with pytest.raises(error):
        function(at)
    with pytest.raises(error):
        value_and_grad(lambda x: function(x))(at)


@pytest.mark.written_out
def test_a_metric_that_is_refused_is_refused_once_by_its_name():
    labels = np.array([0, 1] * 6)

    def area(scores):
        return metrics.roc_auc_score(labels, scores)

    with pytest.raises(UnsupportedError) as refused:
        grad(area).source_for(np.linspace(0.1, 0.9, 12))
    (problem,) = refused.value.problems
    assert problem.reason.startswith("this call of metrics.roc_auc_score ")
    assert problem.filename == __file__
    assert "roc_auc_score(labels, scores)" in problem.source_line
    assert "sklearn" in problem.cause


def counted(x):
    doubled = 2 * LABELS
    return np.sum(x) * metrics.accuracy_score(LABELS, doubled // 2)


def test_functions_of_what_does_not_vary_are_called_as_they_are():
    assert grad(counted)(P).tolist() == [1.0] * 5
    assert "metrics.accuracy_score(LABELS, " in grad(counted).source_for(P)
