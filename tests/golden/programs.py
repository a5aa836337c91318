"""Plain NumPy programs, as people write them, to be differentiated."""

import dataclasses
from collections.abc import Callable

import numpy as np

from s2sad import checkpoint
from tests.golden import handwritten


def linear_regression(w, b, x, y):
    residual = x @ w + b - y
    return np.mean(residual**2)


def damped_map(x, theta, n):
    cost = 0.0
    for i in range(n):
        x = x + 0.1 * np.sin(theta * x)
        cost += x * x
    return cost


def checkpointed_map(x, theta, n):
    cost = 0.0
    for i in checkpoint(range(n), snapshots=3):
        x = x + 0.1 * np.sin(theta * x)
        cost += x * x
    return cost


def logistic_regression(w, b, x, y):
    logits = x @ w + b
    return np.mean(np.logaddexp(0.0, logits) - y * logits)


def softmax_regression(w, b, x, labels):
    n = x.shape[0]
    logits = x @ w + b
    shifted = logits - np.max(logits, axis=1, keepdims=True)
    log_probs = shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))
    return -np.mean(log_probs[np.arange(n), labels])


def mlp(params, x, y):
    hidden = np.tanh(x @ params["w1"] + params["b1"])
    output = hidden @ params["w2"] + params["b2"]
    return np.mean((output - y) ** 2)


def rnn(w, u, b, xs, target):
    h = np.zeros_like(b)
    for t in range(len(xs)):
        h = np.tanh(w @ h + u @ xs[t] + b)
    return 0.5 * np.sum((h - target) ** 2)


def newton_sqrt(a):
    estimate = a
    while abs(estimate * estimate - a) > 1e-12 * a:
        estimate = 0.5 * (estimate + a / estimate)
    return estimate


def branches_in_loop(x, rate, n):
    total = 0.0
    for i in range(n):
        if x > 1.0:
            x = x - rate * x**2
        else:
            x = x + rate * np.exp(-x)
        total += np.log(x)
    return total


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def pseudo_huber(residual, width):
    return width**2 * (np.sqrt(1.0 + (residual / width) ** 2) - 1.0)


def helper_calls(steepness, centre, x, y):
    predicted = sigmoid(steepness * (x - centre))
    return np.sum(pseudo_huber(predicted - y, 0.5))


def horner(x, c):
    value = 0.0
    for k in range(len(c)):
        value = value * x + c[k]
    return value


def normal_log_likelihood(mu, sigma, x):
    z = (x - mu) / sigma
    return -0.5 * np.sum(z**2) - x.size * (np.log(sigma) + 0.5 * np.log(2.0 * np.pi))


def broadcasting(column, row, offset, level):
    surface = np.tanh(column * row + offset) - level
    return np.mean(surface**2)


def pendulum(angle, velocity, length, step, n):
    kick = 0.5 * step * 9.81 / length
    for i in range(n):
        velocity = velocity - kick * np.sin(angle)
        angle = angle + step * velocity
        velocity = velocity - kick * np.sin(angle)
    return angle**2 + velocity**2


def kalman_filter(process_noise, sensor_noise, measurements):
    mean = 0.0
    variance = 1.0
    cost = 0.0
    for measurement in measurements:
        predicted = variance + process_noise
        total = predicted + sensor_noise
        innovation = measurement - mean
        cost += 0.5 * (np.log(total) + innovation**2 / total)
        gain = predicted / total
        mean = mean + gain * innovation
        variance = (1.0 - gain) * predicted
    return cost


def batch_norm(x, gamma, beta, target):
    centred = x - x.mean(axis=0)
    variance = np.mean(centred**2, axis=0)
    normalised = centred / np.sqrt(variance + 1e-5)
    output = gamma * normalised + beta
    return np.mean((output - target) ** 2)


def lotka_volterra(prey, predator, rates, step, n):
    birth, predation, conversion, death = rates
    for i in range(n):
        prey_growth = birth - predation * predator
        predator_growth = conversion * prey - death
        prey, predator = (
            prey + step * prey * prey_growth,
            predator + step * predator * predator_growth,
        )
    return prey - predator


@dataclasses.dataclass(frozen=True)
class Program:
    """A program and what is needed to differentiate it and to check the result.

    wrt: the name of the parameter to differentiate by, or a tuple of names
    make_arguments: (rng, "small" | "large") -> the positional arguments. Small ones
        have lengths of about 10; large ones have about 10**5 array elements, or are
        loops of about 1000 iterations
    handwritten: takes the same arguments; returns the gradient with respect to `wrt`,
        bare for a name, a tuple in the order of `wrt` for a tuple
    """

    name: str
    function: Callable
    wrt: str | tuple[str, ...]
    make_arguments: Callable
    handwritten: Callable


PROGRAMS: dict[str, Program] = {}


def _program(function, wrt):
    """Register `function` with the argument maker that this decorates."""

    def register(make_arguments):
        name = function.__name__
        PROGRAMS[name] = Program(
            name, function, wrt, make_arguments, getattr(handwritten, f"{name}_grad")
        )
        return make_arguments

    return register


def _pick(size, small, large):
    return {"small": small, "large": large}[size]


@_program(linear_regression, ("w", "b"))
def _(rng, size):
    n, d = _pick(size, (10, 4), (10_000, 10))
    w, b = rng.normal(size=d), float(rng.normal())
    return w, b, rng.normal(size=(n, d)), rng.normal(size=n)


@_program(damped_map, ("x", "theta"))
def _(rng, size):
    x, theta = rng.uniform(0.5, 1.5), rng.uniform(0.5, 2.0)
    return x, theta, _pick(size, 10, 1000)


@_program(checkpointed_map, ("x", "theta"))
def _(rng, size):
    x, theta = rng.uniform(0.5, 1.5), rng.uniform(0.5, 2.0)
    return x, theta, _pick(size, 10, 200)


@_program(logistic_regression, ("w", "b"))
def _(rng, size):
    n, d = _pick(size, (10, 4), (10_000, 10))
    w, b = rng.normal(size=d), float(rng.normal())
    y = rng.integers(0, 2, size=n).astype(float)
    return w, b, rng.normal(size=(n, d)), y


@_program(softmax_regression, ("w", "b"))
def _(rng, size):
    n, d, classes = _pick(size, (10, 6, 3), (10_000, 10, 5))
    w, b = rng.normal(size=(d, classes)), rng.normal(size=classes)
    return w, b, rng.normal(size=(n, d)), rng.integers(0, classes, size=n)


@_program(mlp, "params")
def _(rng, size):
    n, d, width, outputs = _pick(size, (10, 4, 5, 2), (2_000, 20, 30, 5))
    params = {
        "w1": rng.normal(size=(d, width)) / np.sqrt(d),
        "b1": rng.normal(size=width),
        "w2": rng.normal(size=(width, outputs)) / np.sqrt(width),
        "b2": rng.normal(size=outputs),
    }
    return params, rng.normal(size=(n, d)), rng.normal(size=(n, outputs))


@_program(rnn, ("w", "u", "b"))
def _(rng, size):
    steps, width, inputs = _pick(size, (6, 5, 3), (100, 100, 30))
    w = rng.normal(size=(width, width)) / np.sqrt(width)
    u = rng.normal(size=(width, inputs)) / np.sqrt(inputs)
    b = 0.1 * rng.normal(size=width)
    return w, u, b, rng.normal(size=(steps, inputs)), rng.normal(size=width)


@_program(newton_sqrt, "a")
def _(rng, size):
    return (rng.uniform(0.5, 50.0) * _pick(size, 1.0, 1e150),)


@_program(branches_in_loop, ("x", "rate"))
def _(rng, size):
    return rng.uniform(0.5, 1.5), rng.uniform(0.3, 0.4), _pick(size, 10, 1000)


@_program(helper_calls, ("steepness", "centre"))
def _(rng, size):
    n = _pick(size, 10, 100_000)
    steepness, centre = rng.uniform(0.5, 2.0), float(rng.normal())
    return steepness, centre, rng.normal(size=n), rng.uniform(size=n)


@_program(horner, ("x", "c"))
def _(rng, size):
    return rng.uniform(0.5, 0.99), rng.normal(size=_pick(size, 10, 1000))


@_program(normal_log_likelihood, ("mu", "sigma"))
def _(rng, size):
    mu, sigma = float(rng.normal()), rng.uniform(0.5, 2.0)
    return mu, sigma, rng.normal(size=_pick(size, 10, 100_000))


@_program(broadcasting, ("column", "row", "offset", "level"))
def _(rng, size):
    n, m = _pick(size, (5, 4), (400, 250))
    column, row = rng.normal(size=(n, 1)), rng.normal(size=(1, m))
    return column, row, rng.normal(size=m), float(rng.normal())


@_program(pendulum, ("angle", "velocity", "length"))
def _(rng, size):
    angle, velocity = rng.uniform(0.5, 1.5), float(rng.normal())
    return angle, velocity, rng.uniform(0.5, 2.0), 0.02, _pick(size, 10, 1000)


@_program(kalman_filter, ("process_noise", "sensor_noise"))
def _(rng, size):
    measurements = np.cumsum(rng.normal(size=_pick(size, 10, 1000)))
    return rng.uniform(0.5, 1.5), rng.uniform(0.5, 1.5), measurements


@_program(batch_norm, ("x", "gamma", "beta"))
def _(rng, size):
    n, d = _pick(size, (10, 3), (10_000, 10))
    x, target = rng.normal(size=(n, d)), rng.normal(size=(n, d))
    return x, rng.normal(size=d), rng.normal(size=d), target


@_program(lotka_volterra, ("prey", "predator", "rates"))
def _(rng, size):
    rates = tuple(rng.uniform(0.5, 1.5) for _ in range(4))
    prey, predator = rng.uniform(0.5, 1.5), rng.uniform(0.5, 1.5)
    return prey, predator, rates, 0.01, _pick(size, 10, 1000)
