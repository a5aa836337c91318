"""Distributions whose parameters are given once: made inside, found in the module."""

import numpy as np
import pytest
import scipy.stats as st
from scipy import stats
from scipy.stats import norm

import s2sad
from s2sad import grad
from s2sad.testing import check_gradient, check_grads

X = np.array([0.3, 1.7, 0.8])
U = np.array([0.3, 0.05, 0.92])
PRIOR = norm(0.5, 2.0)
SHAPED = stats.gamma(np.array([1.5, 2.0, 0.7]), scale=3.0)
COUNTS = stats.poisson(mu=1.7)
MANY = stats.multivariate_normal([0.1, 0.2, 0.3], np.diag([1.0, 2.0, 0.5]))
SHARES = stats.dirichlet([1.5, 2.5, 0.8])


def through_methods(m, s, x):
    q = norm(m, scale=s)
    return np.sum(
        q.pdf(x) + q.logpdf(x) + q.cdf(x) + q.logcdf(x) + q.sf(x) + q.logsf(x)
    )


def through_inverses(m, s, u):
    q = stats.norm(loc=m, scale=s)
    return np.sum(q.ppf(u) * q.isf(0.5 * u))


def through_counts(m):
    q = st.poisson(m)
    return q.pmf(2) + q.logpmf(1) + q.cdf(1) + q.logsf(2)


def of_many(m, d, x):
    q = stats.multivariate_normal(m, np.diag(d))
    return q.logpdf(x) + q.pdf(x)


def of_shares(a):
    q = stats.dirichlet(a)
    return q.logpdf([0.2, 0.5, 0.3]) + q.pdf(np.array([0.2, 0.5, 0.3]))


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (through_methods, (0.2, 1.3, X)),
        (through_inverses, (0.2, 1.3, U)),
        (through_counts, (1.3,)),
        (of_many, (X, X + 1.0, X - 0.5)),
        (of_shares, (X + 0.4,)),
    ],
)
def test_made_inside(function, arguments):
    wrt = tuple(range(len(arguments)))
    check_grads(function, arguments, wrt=wrt)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", ["pdf", "logpdf", "cdf", "logcdf", "sf", "logsf"])
def test_of_the_module(name):
    method, shaped = getattr(PRIOR, name), getattr(SHAPED, name)
    direct = getattr(stats.norm, name)
    found = grad(lambda x: np.sum(method(x)))(X)
    expected = grad(lambda x: np.sum(direct(x, 0.5, 2.0)))(X)
    np.testing.assert_array_equal(found, expected)
    assert check_gradient(lambda x: np.sum(shaped(x)), X).passed


def of_module_objects(x, u):
    shares = np.exp(x) / np.sum(np.exp(x))
    first = np.sum(PRIOR.logpdf(x) + PRIOR.ppf(u) + SHAPED.isf(u))
    return first + MANY.logpdf(x) + MANY.pdf(x) + SHARES.logpdf(shares)


def test_found_under_their_names():
    check_grads(of_module_objects, (X, U), wrt=(0, 1))
    assert "PRIOR.args[1]" in grad(of_module_objects).source_for(X, U)


def test_another_prior_is_noticed(monkeypatch):
    slope = grad(lambda x: PRIOR.logpdf(x))
    assert slope(0.7) == pytest.approx(-0.05)
    monkeypatch.setitem(globals(), "PRIOR", norm(0.7, 1.0))
    assert slope(0.7) == 0.0
    monkeypatch.setitem(globals(), "PRIOR", stats.cauchy(0.0, 1.0))
    assert slope(1.0) == pytest.approx(-1.0)


def test_what_does_not_vary_runs_as_it_stands():
    def f(x):
        q = norm(2.0, 3.0)
        drawn = q.rvs(size=3, random_state=5)
        return np.sum(x * drawn) + q.mean() * q.std() * x[0] + COUNTS.mean() * x[1]

    drawn = norm(2.0, 3.0).rvs(size=3, random_state=5)
    np.testing.assert_allclose(grad(f)(X), drawn + np.array([6.0, 1.7, 0.0]))


def test_draws_of_what_varies_are_refused():
    with pytest.raises(s2sad.UnsupportedError, match="rvs"):
        grad(lambda m: norm(m, 1.0).rvs())(0.3)
    with pytest.raises(s2sad.UnsupportedError, match="with respect to 'k'"):
        grad(lambda k: COUNTS.logpmf(k))(2.0)
