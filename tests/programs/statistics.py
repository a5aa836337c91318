"""Likelihoods, estimators and tests."""

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from tests.programs.registry import normal, program, uniform

SAMPLE = normal(80, 12)
HALF_LOG_TWO_PI = 0.5 * math.log(2.0 * math.pi)


@program(
    np.array([0.4, 0.6]),
    [{"mu": -1.0, "sigma": 0.8}, {"mu": 1.2, "sigma": 1.1}],
    SAMPLE,
    wrt=("weights", "components"),
)
def gaussian_mixture(weights, components, data):
    """Log-likelihood of a mixture."""

    def log_density(x, *, mu, sigma):
        z = (x - mu) / sigma
        return -0.5 * z * z - math.log(sigma) - HALF_LOG_TWO_PI

    normalised = weights / np.sum(weights)
    terms = [
        np.log(w) + log_density(data, **component)
        for w, component in zip(normalised, components)
    ]
    return np.sum(functools.reduce(np.logaddexp, terms))


@program(0.3, 1.2, SAMPLE, wrt=("location", "scale", "data"))
def huber_location(location, scale, data):
    """A robust mean by reweighting, which starts from a guess."""
    cutoff = 1.3 * scale
    for sweep in range(30):
        residuals = data - location
        weights = np.where(
            np.abs(residuals) <= cutoff,
            1.0,
            cutoff / np.maximum(np.abs(residuals), 1e-12),
        )
        new = np.sum(weights * data) / np.sum(weights)
        if abs(new - location) < 1e-12:
            break
        location = new
    return location**2 + scale * location


@program(np.array([0.1, 0.5]), uniform(81, 0.0, 2.0, 8), wrt="beta", scalar=True)
def poisson_regression(beta, x):
    """Deviance of counts, with a guard for counts of zero."""
    counts = [0, 2, 1, 4, 0, 3, 5, 1]
    intercept, slope = beta
    deviance = 0.0
    for xi, count in zip(x, counts, strict=True):
        mu = math.exp(intercept + slope * xi)
        try:
            ratio = count * math.log(count / mu)
        except ValueError:
            ratio = 0.0
        deviance += 2.0 * (ratio - count + mu)
    return deviance


@program(1.5, 0.7, SAMPLE[:6], wrt=("length", "noise", "data"))
def gaussian_process(length, noise, data):
    """Marginal likelihood of a Gaussian process."""
    times = np.linspace(0.0, 1.0, len(data))

    def kernel(s, t, /):
        return math.exp(-0.5 * ((s - t) / length) ** 2)

    gram = np.array([[kernel(s, t) for t in times] for s in times])
    chol = np.linalg.cholesky(gram + noise * np.eye(len(data)))
    alpha = np.linalg.solve(chol, data)
    return 0.5 * alpha @ alpha + sum(math.log(d) for d in np.diag(chol))


@program(
    np.array([[0.8, 0.2], [0.3, 0.7]]),
    np.array([[0.6, 0.3, 0.1], [0.1, 0.2, 0.7]]),
    "abcca",
    wrt=("transition", "emission"),
)
def hidden_markov(transition, emission, text):
    """Log-likelihood of a string under a hidden Markov model."""
    alphabet = {letter: k for k, letter in enumerate("abc")}
    belief = np.array([0.5, 0.5])
    logs = 0.0
    for position, letter in enumerate(text):
        if position > 0:
            belief = belief @ transition
        belief = belief * emission[:, alphabet[letter]]
        logs += math.log(norm := np.sum(belief))
        belief = belief / norm
    return logs


@program(SAMPLE[:5], SAMPLE[5:], 0.8, wrt=("xs", "ys", "width"), scalar=True)
def energy_distance(xs, ys, width):
    """A kernel distance between two samples, over all pairs."""

    def kernel(a, b):
        return 1.0 / (1.0 + ((a - b) / width) ** 2)

    def within(values):
        pairs = [kernel(a, b) for a, b in combinations(values, 2)]
        return sum(pairs) / len(pairs)

    between = sum(kernel(x, y) for x in xs for y in ys) / (len(xs) * len(ys))
    return within(xs) + within(ys) - 2.0 * between


@program(SAMPLE[:7], wrt="data", scalar=True)
def trimmed_moments(data):
    """Skewness of what is left without the extremes."""
    ordered = sorted(data)
    lowest, *middle, highest = ordered
    mean = sum(middle) / len(middle)
    moments = {k: sum((v - mean) ** k for v in middle) / len(middle) for k in (2, 3)}
    if not 0.0 < moments[2] < highest - lowest:
        return 0.0
    return moments[3] / moments[2] ** 1.5


@program(
    (2.0, 3.0),
    ((True, 4), (False, 2), (True, 1)),
    wrt="prior",
    exact=False,
    scalar=True,
)
def beta_binomial(prior, batches):
    """Evidence of coin tosses, batch by batch, from log-gamma functions."""

    def log_beta(a, b):
        return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)

    a, b = prior
    evidence = 0.0
    for heads, count in batches:
        before = log_beta(a, b)
        if heads:
            a += count
        else:
            b += count
        evidence += log_beta(a, b) - before
    return evidence


@program(normal(82, 6, 2), 1.5, wrt=("points", "stiffness"))
def soft_k_means(
    points, stiffness, centres: Sequence[tuple[float, float]] | None = None
):
    """Distortion after two sweeps of soft clustering."""
    if centres is None:
        centres = [points[0], points[-1]]
    for _ in range(2):
        squares = np.stack([np.sum((points - c) ** 2, axis=1) for c in centres])
        raw = np.exp(-stiffness * squares)
        share = raw / np.sum(raw, axis=0)
        centres = [row @ points / np.sum(row) for row in share]
    return sum(np.sum(row * square) for row, square in zip(share, squares))


@dataclass(frozen=True)
class Prior:
    """A half-normal prior for a positive scale."""

    scale: float
    width: float = 1.0

    def __post_init__(self):
        if not self.scale > 0.0:
            raise ValueError("a scale must be positive")

    def __neg__(self):
        return -0.5 * (self.scale / self.width) ** 2


@program(0.6, SAMPLE[:5], wrt=("scale", "data"), scalar=True)
def evidence_on_grid(scale, data):
    """Evidence summed over those points of a grid that the prior allows."""
    total, refused = 0.0, 0
    for shift in (-0.8, -0.3, 0.0, 0.4):
        try:
            prior = Prior(scale + shift, width=0.5)
        except ValueError:
            refused += 1
            continue
        misfit = sum((x / prior.scale) ** 2 for x in data)
        total += math.exp(-prior - 0.5 * misfit / len(data))
    return math.log(total) + refused
