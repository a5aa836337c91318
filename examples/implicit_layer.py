"""Layers that are given by an equation: Kepler's orbit, and a deep equilibrium layer.

    python examples/implicit_layer.py

`fixed_point` is differentiated at the solution, by the implicit function theorem. The
gradients are compared with central differences, and with the derivative through the
iterations.
"""

import numpy as np

from s2sad import fixed_point, grad, hvp


def eccentric_anomaly(eccentricity, mean_anomaly):
    """E of Kepler's equation, E = M + e sin(E)."""

    def step(anomaly, e, m):
        return m + e * np.sin(anomaly)

    return fixed_point(step, mean_anomaly, eccentricity, mean_anomaly)


def distance(eccentricity, mean_anomaly):
    """The distance from the sun, in units of the semi-major axis."""
    anomaly = eccentric_anomaly(eccentricity, mean_anomaly)
    return 1.0 - eccentricity * np.cos(anomaly)


def layer(weights, inputs):
    """The z of z = tanh(z w + x u + b), one row for each row of the inputs."""
    start = np.zeros((len(inputs), len(weights["b"])))
    shift = inputs @ weights["u"] + weights["b"]
    return fixed_point(lambda z: np.tanh(z @ weights["w"] + shift), start)


def loss(weights, inputs, targets):
    """The mean squared error of the sum of each row."""
    return np.mean((np.sum(layer(weights, inputs), axis=1) - targets) ** 2)


def loss_through_steps(weights, inputs, targets):
    """The same with 60 iterations, which a gradient keeps and goes back through."""
    z = np.zeros((len(inputs), len(weights["b"])))
    for _ in range(60):
        z = np.tanh(z @ weights["w"] + inputs @ weights["u"] + weights["b"])
    return np.mean((np.sum(z, axis=1) - targets) ** 2)


def differences(function, x, h=1e-6):
    """The gradient by central differences."""
    found = np.zeros_like(x)
    for place in np.ndindex(*x.shape):
        step = np.zeros_like(x)
        step[place] = h
        found[place] = (function(x + step) - function(x - step)) / (2.0 * h)
    return found


def main():
    """Differentiate both, and train the layer for some steps."""
    e, m, h = 0.3, 1.2, 1e-5
    print(grad(distance).source_for(e, m))
    slope = (distance(e + h, m) - distance(e - h, m)) / (2.0 * h)
    print(f"orbit: gradient {grad(distance)(e, m):.8f}, difference {slope:.8f}")
    bend = (grad(distance)(e + h, m) - grad(distance)(e - h, m)) / (2.0 * h)
    second = hvp(distance)(e, m, 1.0)
    print(f"orbit: second derivative {second:.7f}, difference {bend:.7f}")

    rng = np.random.default_rng(0)
    inputs, targets = rng.normal(size=(6, 2)), rng.normal(size=6)
    weights = {
        "w": 0.2 * rng.normal(size=(3, 3)),
        "u": rng.normal(size=(2, 3)),
        "b": np.zeros(3),
    }
    gradient = grad(loss)(weights, inputs, targets)
    through = grad(loss_through_steps)(weights, inputs, targets)
    worst = max(np.max(np.abs(gradient[k] - through[k])) for k in weights)
    print(f"layer: largest difference to the gradient through the steps {worst:.1e}")

    def loss_of_w(w):
        return loss({**weights, "w": w}, inputs, targets)

    error = gradient["w"] - differences(loss_of_w, weights["w"])
    print(f"layer: largest difference to differences {np.max(np.abs(error)):.1e}")

    start = loss(weights, inputs, targets)
    for _ in range(60):
        gradient = grad(loss)(weights, inputs, targets)
        weights = {k: weights[k] - 0.02 * gradient[k] for k in weights}
    end = loss(weights, inputs, targets)
    print(f"layer: loss {start:.4f} at the start, {end:.4f} at the end")


if __name__ == "__main__":
    main()
