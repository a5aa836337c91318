"""A two-layer network learns the exclusive or.

    python examples/xor.py [FOLDER]

Draws the learned function over the unit square into FOLDER (examples/output by
default).
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np

from s2sad import value_and_grad
from s2sad.optim import momentum, momentum_init

OUTPUT = Path(__file__).resolve().parent / "output"
INPUTS = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
TARGETS = np.array([0.0, 1.0, 1.0, 0.0])


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def predict(params, inputs):
    """The probability of True for each row of inputs (n, 2); shape (n,)."""
    hidden = np.tanh(inputs @ params["w1"] + params["b1"])
    return sigmoid(hidden @ params["w2"] + params["b2"])


def loss(params, inputs, targets):
    """Mean cross entropy of the predictions."""
    p = predict(params, inputs)
    return -np.mean(targets * np.log(p) + (1.0 - targets) * np.log(1.0 - p))


def start():
    """Weights of two inputs, eight hidden units and one output."""
    rng = np.random.default_rng(0)
    return {
        "w1": rng.normal(0.0, 1.0, (2, 8)),
        "b1": np.zeros(8),
        "w2": rng.normal(0.0, 1.0, 8),
        "b2": 0.0,
    }


def draw(params, target):
    ticks = np.linspace(-0.25, 1.25, 61)
    across, up = np.meshgrid(ticks, ticks)
    grid = np.stack([across.ravel(), up.ravel()], axis=1)
    figure, axes = plt.subplots(figsize=(5, 4), layout="constrained")
    levels = np.linspace(0.0, 1.0, 11)
    filled = axes.contourf(
        ticks, ticks, predict(params, grid).reshape(across.shape), levels, cmap="RdBu"
    )
    axes.scatter(*INPUTS.T, c=TARGETS, cmap="RdBu", edgecolors="black", zorder=2)
    axes.set(xlabel="a", ylabel="b", title="a xor b, learned")
    figure.colorbar(filled)
    figure.savefig(target, dpi=120)
    plt.close(figure)


def main(folder: Path = OUTPUT) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    params = start()
    state = momentum_init(params)
    step = value_and_grad(loss, wrt="params")
    for _ in range(500):
        value, gradient = step(params, INPUTS, TARGETS)
        params, state = momentum(params, gradient, state, learning_rate=0.1)
    print(f"loss {value:.6f} after 500 steps")
    for (a, b), p in zip(INPUTS, predict(params, INPUTS)):
        print(f"{a:.0f} xor {b:.0f} = {p:.3f}, read as {int(p > 0.5)}")
    draw(params, folder / "xor.png")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
