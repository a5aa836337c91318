"""Programs as they are written with SciPy, and what happens where its functions have no
derivative."""

import numpy as np
import pytest
import scipy.stats as st
from scipy import special, stats
from scipy.spatial import distance
from scipy.special import betaln, gammaln, logsumexp
from scipy.stats import multivariate_normal, norm, t

import s2sad
from s2sad import grad, hessian, hvp, jacobian
from s2sad.testing import check_grads

RNG = np.random.default_rng(4)
POINTS = RNG.normal(size=(6, 2))
DESIGN = np.column_stack([np.ones(5), np.linspace(-1.0, 1.5, 5)])
COUNTS = np.array([0, 3, 1, 7, 2])
TRIALS = np.array([4, 9, 5, 8, 6])


def evidence_lower_bound(mean, log_scale, noise, y):
    """Variational inference: a normal posterior for the location of Student's t."""
    scale = np.exp(log_scale)
    draws = mean + scale * noise
    likelihood = np.sum(t.logpdf(y[:, None], 4.0, draws, 0.5), axis=0)
    prior = norm.logpdf(draws, loc=0.0, scale=10.0)
    posterior = norm(mean, scale)
    return np.mean(likelihood + prior - posterior.logpdf(draws))


def mixture(logits, means, factors, x):
    """The likelihood of a mixture of Gaussian distributions."""
    parts = np.stack(
        [
            multivariate_normal.logpdf(x, mean=m, cov=f @ f.T + np.eye(2))
            for m, f in zip(means, factors)
        ]
    )
    weights = special.log_softmax(logits)
    return np.sum(logsumexp(parts + weights[:, None], axis=0))


def poisson_regression(beta, x, y):
    """The likelihood of counts whose logarithms are linear in x."""
    eta = x @ beta
    return np.sum(y * eta - np.exp(eta) - gammaln(y + 1))


def poisson_regression_by_distribution(beta, x, y):
    return np.sum(st.poisson.logpmf(y, np.exp(x @ beta)))


def student(df, loc, scale, x):
    return np.sum(stats.t.logpdf(x, df, loc, scale))


def beta_binomial(log_a, log_b, k, n):
    a, b = np.exp(log_a), np.exp(log_b)
    choices = -betaln(1 + n - k, 1 + k) - np.log(n + 1)
    return np.sum(choices + betaln(k + a, n - k + b) - betaln(a, b))


def beta_binomial_by_distribution(log_a, log_b, k, n):
    a, b = np.exp(log_a), np.exp(log_b)
    return np.sum(stats.betabinom.logpmf(k, n, a, b))


def survival(log_rate, shape, times, censored):
    """The likelihood of lifetimes, some of which are only known to be longer."""
    scale = np.exp(-log_rate)
    ended = stats.weibull_min.logpdf(times, shape, scale=scale)
    lasting = stats.weibull_min.logsf(times, c=shape, scale=scale)
    return np.sum(np.where(censored, lasting, ended))


LIFETIMES = np.array([0.3, 1.2, 2.5, 0.7])
PROGRAMS = [
    (evidence_lower_bound, (0.3, -0.4, POINTS[:, 0], POINTS[:, 1]), (0, 1)),
    (mixture, (np.zeros(2), POINTS[:2], RNG.normal(size=(2, 2, 2)), POINTS), (0, 1, 2)),
    (poisson_regression, (np.array([0.2, 0.7]), DESIGN, COUNTS), 0),
    (poisson_regression_by_distribution, (np.array([0.2, 0.7]), DESIGN, COUNTS), 0),
    (student, (2.5, 0.3, 1.2, POINTS), (0, 1, 2, 3)),
    (beta_binomial, (0.3, 0.9, COUNTS, TRIALS), (0, 1)),
    (beta_binomial_by_distribution, (0.3, 0.9, COUNTS, TRIALS), (0, 1)),
    (survival, (0.2, 1.4, LIFETIMES, LIFETIMES > 1.0), (0, 1)),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("program", "arguments", "wrt"), PROGRAMS, ids=[p[0].__name__ for p in PROGRAMS]
)
def test_programs(program, arguments, wrt):
    check_grads(program, arguments, wrt=wrt)


def test_a_score_is_written_out():
    def f(mu, x):
        return np.sum(norm.logpdf(x, mu, 2.0))

    text = grad(f).source_for(0.3, np.ones(2))
    assert text.splitlines()[-2:] == [
        "    mu_bar = 0.25 * np.sum(x - mu)",
        "    return mu_bar",
    ]


@pytest.mark.parametrize(
    ("function", "at", "name"),
    [
        (lambda a: special.gammainc(a, 2.0), 1.3, "'a'"),
        (lambda v: special.jv(v, 2.0), 1.3, "'v'"),
        (lambda b: special.betainc(1.5, b, 0.3), 1.3, "'b'"),
        (lambda n: special.polygamma(n, 0.3), 1.0, "'n'"),
        (lambda q: special.zeta(q, 2.0), 3.0, "'x'"),
        (lambda a: stats.gamma.cdf(0.3, a), 1.3, "'a'"),
        (lambda a: stats.gamma.ppf(0.3, a=a), 1.3, "'a'"),
        (lambda k: stats.poisson.logpmf(k, 1.3), 2.0, "'k'"),
        (lambda n: stats.binom.logpmf(2, n, 0.3), 4.0, "'n'"),
    ],
)
def test_parameters_without_a_derivative_are_refused(function, at, name):
    for derivative in (grad, jacobian):
        with pytest.raises(s2sad.UnsupportedError, match=f"with respect to {name}"):
            derivative(function)(at)
    with pytest.raises(s2sad.UnsupportedError, match=f"with respect to {name}"):
        s2sad.jvp(function, (at,), (1.0,))
    stopped = grad(lambda x: x * function(s2sad.stop_gradient(x)))
    assert stopped(at) == pytest.approx(function(at))


def test_what_does_not_vary_is_a_constant():
    def f(x):
        return x * special.gammainc(1.5, 2.0) * stats.gamma.cdf(0.3, 2.5)

    assert grad(f)(2.0) == pytest.approx(f(1.0))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda x: stats.gamma.logpdf(x, 2.0, shape=3.0), "shape"),
        (lambda x: stats.multivariate_normal.logpdf(x, x, 1.0, True), "regular"),
        (lambda x: special.comb(x, 2, exact=True), "exact"),
        (lambda x: special.logsumexp(x, where=x > 0), "where"),
    ],
)
def test_forms_without_a_rule_are_refused(call, words):
    with pytest.raises(s2sad.UnsupportedError, match=words):
        grad(lambda x: np.sum(call(x)))(np.array([0.3, 0.7]))


# ------------------------------------------------------------------ singular points


def test_sums_of_zero_probabilities():
    nothing = np.array([[-np.inf, -np.inf], [0.0, -np.inf]])
    slopes = grad(lambda a: np.sum(np.exp(logsumexp(a, axis=1))))(nothing)
    np.testing.assert_array_equal(slopes, [[0.0, 0.0], [1.0, 0.0]])


def test_entropies_at_zero():
    zero = np.array([0.0, 0.5])
    slopes = grad(lambda y: np.sum(special.xlogy(zero, y)))(zero)
    np.testing.assert_array_equal(slopes, [0.0, 1.0])
    slopes = grad(lambda q: np.sum(special.rel_entr(zero, q)))(np.array([0.0, 0.5]))
    np.testing.assert_array_equal(slopes, [0.0, -1.0])
    with np.errstate(divide="ignore"):
        slopes = grad(lambda p: np.sum(special.entr(p)))(zero)
    np.testing.assert_allclose(slopes, [np.inf, np.log(2.0) - 1.0])


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "log_density",
    [
        lambda x, a, s: stats.gamma.logpdf(x, a, scale=s),
        lambda x, a, s: stats.beta.logpdf(x, a, 2.0, scale=s),
        lambda x, a, s: stats.lognorm.logpdf(x, a, scale=s),
        lambda x, a, s: stats.weibull_min.logpdf(x, a, scale=s),
        lambda x, a, s: stats.pareto.logpdf(x, a, scale=s),
        lambda x, a, s: stats.expon.logpdf(x, a, scale=s),
        lambda x, a, s: stats.expon.logcdf(x, a, scale=s),
    ],
)
def test_outside_of_the_support_slopes_are_zero(log_density):
    given = (np.array([-1.0, -0.5]), 2.5, 1.5)

    def total(p):
        return np.sum(log_density(*p))

    directions = (np.ones(2), 1.0, 1.0)
    for parts in (grad(total)(given), hvp(total)(given, directions)):
        assert all(np.all(np.asarray(part) == 0.0) for part in parts)


def test_all_coordinates_of_a_distribution_of_shares_are_needed():
    assert stats.dirichlet.logpdf([0.3], [1.0, 2.0]) > 0.0
    with pytest.raises(s2sad.UnsupportedError, match="coordinates"):
        grad(lambda x: stats.dirichlet.logpdf(x, np.array([1.0, 2.0])))(np.array([0.3]))


@pytest.mark.parametrize(
    "apart",
    [
        lambda u, v: distance.euclidean(u, v),
        lambda u, v: distance.mahalanobis(u, v, np.eye(3)),
        lambda u, v: distance.jensenshannon(u, v),
    ],
    ids=["euclidean", "mahalanobis", "jensenshannon"],
)
def test_all_derivatives_of_distances_are_0_where_points_coincide(apart):
    point = np.array([1.0, 2.0, 0.5])
    assert not np.any(grad(apart)(point, point.copy()))
    assert not np.any(hessian(apart)(point, point.copy()))
