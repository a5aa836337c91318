"""Peak memory of the gradient of a deep network, in activations of one layer.

``python -m benchmarks.memory`` prints two tables. The first counts what NumPy allocates
for value and gradient (``tracemalloc``; arguments don't count), with the optimisation
``release`` and without it. The second is by how much the resident memory of a fresh
process grows beside PyTorch's, where that is installed (Linux).
"""

from __future__ import annotations

import argparse
import importlib.util
import pathlib
import subprocess
import sys
import tracemalloc

import numpy as np

from s2sad import value_and_grad

NETWORKS = ((20, 4000, 64), (20, 256, 256), (30, 4096, 256))
"""Layers, rows of a batch and columns of a layer."""


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


PROGRAMS = {f.__name__: f for f in (tanh_network, relu_network)}


def arguments(depth, rows, width):
    """Weights and biases of each layer, a batch and its targets."""
    rng = np.random.default_rng(0)
    layers = [
        (rng.normal(size=(width, width)) / np.sqrt(width), np.zeros(width))
        for _ in range(depth)
    ]
    return layers, rng.normal(size=(rows, width)), rng.normal(size=(rows, width))


def allocated(network, sizes, release):
    """Peak of what NumPy allocates, in arrays of the size of one activation."""
    layers, x, y = arguments(*sizes)
    switches = None if release else {"release": False}
    derivative = value_and_grad(network, optimise=switches)
    derivative(layers, x, y)
    tracemalloc.start()
    derivative(layers, x, y)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak / x.nbytes


def resident(version, network, sizes):
    """Growth of the resident memory of a fresh process, in activations; nan where the
    version isn't installed."""
    if importlib.util.find_spec(version) is None:
        return float("nan")
    command = [sys.executable, "-m", "benchmarks.memory", "--grow", version, network]
    done = subprocess.run(
        [*command, *map(str, sizes)], capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def growth(version, network, sizes):
    """The same, in this process."""
    small = arguments(sizes[0], 3, 2)
    layers, x, y = arguments(*sizes)
    if version == "torch":
        run = torch_gradient(network)
    else:
        run = value_and_grad(PROGRAMS[network])
    run(*small)
    before = largest_resident()
    run(layers, x, y)
    return (largest_resident() - before) / x.nbytes


def largest_resident():
    """The most bytes of memory this process has had (Linux)."""
    status = pathlib.Path("/proc/self/status").read_text()
    (line,) = (s for s in status.splitlines() if s.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


def torch_gradient(network):
    """Value and gradient by PyTorch; the tensors share the arrays' memory."""
    import torch

    torch.set_num_threads(1)
    activation = torch.tanh if network == "tanh_network" else torch.relu

    def run(layers, x, y):
        parameters = [
            tuple(torch.from_numpy(p).requires_grad_() for p in layer)
            for layer in layers
        ]
        h = torch.from_numpy(x)
        for w, b in parameters:
            h = activation(h @ w + b)
        loss = ((h - torch.from_numpy(y)) ** 2).mean()
        loss.backward()
        return loss, parameters

    return run


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--grow", nargs=5, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.grow:
        version, network, *sizes = options.grow
        print(growth(version, network, tuple(map(int, sizes))))
        return
    print("network       layers  rows  width  released  not released")
    for name, network in PROGRAMS.items():
        for sizes in NETWORKS:
            peaks = [allocated(network, sizes, release) for release in (True, False)]
            print(_row(name, sizes, peaks))
    print("\nnetwork       layers  rows  width     s2sad       PyTorch")
    for name in PROGRAMS:
        grown = [resident(v, name, NETWORKS[-1]) for v in ("s2sad", "torch")]
        print(_row(name, NETWORKS[-1], grown))


def _row(name, sizes, figures):
    depth, rows, width = sizes
    first, second = figures
    return f"{name:13s} {depth:6d} {rows:5d} {width:6d} {first:9.1f} {second:13.1f}"


if __name__ == "__main__":
    main()
