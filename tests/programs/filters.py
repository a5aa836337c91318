"""Filters and smoothers for noisy series."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np

from tests.programs.registry import normal, program

SERIES = normal(1, 9)
TRACK = np.column_stack([np.linspace(0.0, 2.0, 6), np.linspace(1.0, -1.0, 6)])


class Gaussian(NamedTuple):
    """Mean and covariance of a state."""

    mean: np.ndarray
    cov: np.ndarray

    def predict(self, f, q):
        return Gaussian(f @ self.mean, f @ self.cov @ f.T + q)

    def update(self, z, h, r):
        innovation = z - h @ self.mean
        s = h @ self.cov @ h.T + r
        gain = np.linalg.solve(s, h @ self.cov).T
        identity = np.eye(len(self.mean))
        posterior = Gaussian(
            self.mean + gain @ innovation, (identity - gain @ h) @ self.cov
        )
        cost = 0.5 * innovation @ np.linalg.solve(s, innovation)
        return posterior, cost + 0.5 * np.log(np.linalg.det(s))


@program(
    0.3,
    0.7,
    TRACK + 0.1 * normal(2, 6, 2),
    wrt=("process", "sensor", "observations"),
)
def kalman_likelihood(process, sensor, observations, dt=0.5):
    """Negative log-likelihood of a track under a constant-velocity model."""
    f = np.array(
        [
            [1.0, 0.0, dt, 0.0],
            [0.0, 1.0, 0.0, dt],
            [0.0, 0.0, 1.0, 0.0],
            [0.0, 0.0, 0.0, 1.0],
        ]
    )
    h = np.eye(2, 4)
    q = process * np.diag([0.1, 0.1, 1.0, 1.0])
    r = sensor * np.eye(2)
    state = Gaussian(np.zeros(4), np.eye(4))
    total = 0.0
    for z in observations:
        state = state.predict(f, q)
        state, cost = state.update(z, h, r)
        total += cost
    return total


@program(0.4, SERIES, wrt=("alpha", "series"), scalar=True)
def exponential_smoothing(alpha, series):
    """One-step squared error of a level that follows the series."""
    assert 0.0 < alpha <= 1.0, "alpha must lie in (0, 1]"
    first, *rest = series
    level, error = first, 0.0
    for value in rest:
        error += (value - level) ** 2
        level = alpha * value + (1.0 - alpha) * level
    return error / len(rest)


@dataclass(frozen=True)
class HoltWinters:
    """Smoothing constants of level, trend and season."""

    level: float
    trend: float
    season: float
    period: int = 3

    def forecast_errors(self, series: np.ndarray) -> Iterator[float]:
        """Errors of the one-step forecasts."""
        seasons = tuple(series[: self.period] - np.mean(series[: self.period]))
        level, trend = np.mean(series[: self.period]), 0.0
        for value in series[self.period :]:
            oldest, *others = seasons
            yield value - (level + trend + oldest)
            previous = level
            level = self.level * (value - oldest) + (1.0 - self.level) * (level + trend)
            trend = self.trend * (level - previous) + (1.0 - self.trend) * trend
            newest = self.season * (value - level) + (1.0 - self.season) * oldest
            seasons = (*others, newest)


@program(HoltWinters(0.5, 0.2, 0.3), SERIES, wrt=("model", "series"), scalar=True)
def holt_winters(model, series):
    """Sum of squared forecast errors of triple exponential smoothing."""
    return sum(e * e for e in model.forecast_errors(series))


@program(0.35, 1.2, SERIES, wrt=("gain", "limit", "series"), scalar=True)
def robust_tracker(gain, limit, series):
    """A filter that gives up on the series after two outliers in a row."""
    estimate = series[0]
    misses = 0
    for k, value in enumerate(series[1:], start=1):
        residual = value - estimate
        if abs(residual) > limit:
            misses += 1
            if misses == 2:
                break
            estimate = estimate + gain * math.copysign(limit, residual)
            continue
        misses = 0
        estimate += gain * residual
    else:
        return estimate
    return estimate * k + residual


@program(np.array([0.2, -0.5, 0.4]), SERIES, wrt=("taps", "signal"))
def fir_energy(taps, signal):
    """Energy of a filtered signal, from windows of it."""
    width = len(taps)
    filtered = [
        sum(t * s for t, s in zip(taps, signal[i : i + width], strict=True))
        for i in range(len(signal) - width + 1)
    ]
    return math.fsum(y**2 for y in filtered)


@program(0.8, np.abs(SERIES) + 0.1, wrt=("decay", "jumps"), scalar=True)
def leaky_total_variation(decay, jumps):
    """Total variation of a leaky accumulation."""
    levels = accumulate(jumps, lambda level, jump: decay * level + jump, initial=0.0)
    return sum(abs(after - before) ** 1.5 for before, after in pairwise(levels))


@program(SERIES[:6], 0.9, 0.5, wrt=("series", "phi", "noise"), scalar=True)
def backward_smoother(series, phi, noise):
    """Rauch-Tung-Striebel means of an autoregression, forward and back."""

    def forward():
        mean, variance = 0.0, 1.0
        for value in series:
            prior_mean, prior_variance = phi * mean, phi**2 * variance + 1.0 - phi**2
            gain = prior_variance / (prior_variance + noise)
            mean = prior_mean + gain * (value - prior_mean)
            variance = (1.0 - gain) * prior_variance
            yield mean, variance, prior_mean, prior_variance

    steps = list(forward())
    smoothed = steps[-1][0]
    total = smoothed**2
    for (mean, variance, *_), (_, _, next_mean, next_variance) in zip(
        reversed(steps[:-1]), reversed(steps[1:])
    ):
        smoothed = mean + variance * phi / next_variance * (smoothed - next_mean)
        total += smoothed**2
    return total
