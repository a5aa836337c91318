"""Peak memory of the gradient of a deep network, in activations of one layer.

``python -m benchmarks.memory`` prints a table: networks of 20 and 30 layers, narrow and
wide, with the optimisation ``release`` and without it. The arrays are
counted by ``tracemalloc``, which NumPy tells what it allocates; arguments don't count.
"""

from __future__ import annotations

import argparse
import tracemalloc

import numpy as np

from s2sad import value_and_grad


def tanh_network(layers, x, y):
    h = x
    for w, b in layers:
        h = np.tanh(h @ w + b)
    return np.mean((h - y) ** 2)


def relu_network(layers, x, y):
    h = x
    for w, b in layers:
        h = np.maximum(h @ w + b, 0.0)
    return np.mean((h - y) ** 2)


def peak_in_activations(network, depth, rows, width, release):
    """Peak of value and gradient, in arrays of ``rows`` times ``width`` numbers."""
    rng = np.random.default_rng(0)
    layers = [
        (rng.normal(size=(width, width)) / np.sqrt(width), np.zeros(width))
        for _ in range(depth)
    ]
    x, y = rng.normal(size=(rows, width)), rng.normal(size=(rows, width))
    switches = None if release else {"release": False}
    derivative = value_and_grad(network, optimise=switches)
    derivative(layers, x, y)
    tracemalloc.start()
    result = derivative(layers, x, y)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert np.isfinite(result[0])
    return peak / x.nbytes


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.parse_args()
    print("network        layers  rows  width  released  not released")
    for network in (tanh_network, relu_network):
        for depth, rows, width in ((20, 4000, 64), (20, 256, 256), (30, 4096, 256)):
            released, kept = (
                peak_in_activations(network, depth, rows, width, release)
                for release in (True, False)
            )
            print(
                f"{network.__name__:13s} {depth:7d} {rows:5d} {width:6d}"
                f" {released:9.1f} {kept:13.1f}"
            )


if __name__ == "__main__":
    main()
