"""Gradients over several batches are added, scaled, applied and cleared.

    python examples/accumulate.py [FOLDER]

A batch too large for memory is taken in parts: the sum of the parts' gradients, divided
by their number, is the gradient over the whole. Draws the loss curve into FOLDER
(examples/output by default).
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np

from s2sad import differentiate
from s2sad.optim import map_structure, sgd, sgd_init

OUTPUT = Path(__file__).resolve().parent / "output"
PARTS = 8


@differentiate(wrt="params")
def loss(params, x, y):
    """Mean logistic loss. Shapes: w (d,), x (n, d), y (n,) of -1.0 and 1.0."""
    margin = y * (x @ params["w"] + params["b"])
    return np.mean(np.log1p(np.exp(-margin)))


def points():
    """512 points of two overlapping classes: x (512, 3) and y (512,)."""
    rng = np.random.default_rng(0)
    y = rng.choice([-1.0, 1.0], 512)
    return rng.normal(0.0, 1.0, (512, 3)) + y[:, None] * [1.0, -0.5, 0.0], y


def accumulated(params, x, y):
    """The mean value and gradient over PARTS parts of equal size."""
    total, gradient = 0.0, map_structure(np.zeros_like, params)
    for x_part, y_part in zip(np.split(x, PARTS), np.split(y, PARTS)):
        value, part = loss.value_and_grad(params, x_part, y_part)
        total += value
        gradient = map_structure(np.add, gradient, part)
    return total / PARTS, map_structure(lambda g: g / PARTS, gradient)


def main(folder: Path = OUTPUT) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    x, y = points()
    params = {"w": np.zeros(3), "b": 0.0}
    state = sgd_init(params)
    losses = []
    furthest = 0.0
    for _ in range(100):
        value, gradient = accumulated(params, x, y)
        whole = loss.grad(params, x, y)
        difference = map_structure(lambda a, b: np.max(np.abs(a - b)), gradient, whole)
        furthest = max(furthest, *difference.values())
        losses.append(value)
        params, state = sgd(params, gradient, state, learning_rate=0.5)

    accuracy = np.mean(np.sign(x @ params["w"] + params["b"]) == y)
    print(f"loss {losses[0]:.4f} at the start, {losses[-1]:.4f} at the end")
    print(f"accuracy {accuracy:.3f}")
    print(f"largest difference from the gradient of the whole batch {furthest:.1e}")
    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    axes.plot(losses)
    axes.set(xlabel="step", ylabel="mean logistic loss", title=f"{PARTS} parts a step")
    figure.savefig(folder / "accumulate_loss.png", dpi=120)
    plt.close(figure)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
