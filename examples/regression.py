"""Linear regression by gradient descent.

    python examples/regression.py [FOLDER]

Prints the gradient of the loss, fits a line to noisy points of a known one, and draws
the loss curve and the fitted line into FOLDER (examples/output by default).
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from numpy.typing import NDArray

from s2sad import differentiate
from s2sad.optim import sgd, sgd_init

OUTPUT = Path(__file__).resolve().parent / "output"
SLOPE, INTERCEPT, NOISE = 1.5, -0.7, 0.3


@differentiate(wrt=("w", "b"))
def loss(
    w: NDArray[np.float64], b: float, x: NDArray[np.float64], y: NDArray[np.float64]
) -> np.float64:
    """Mean squared error of x @ w + b. Shapes: w (d,), x (n, d), y (n,)."""
    residual = x @ w + b - y
    return np.mean(residual**2)


def points(count: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """x of shape (count, 1) and y of shape (count,), near the line to be found."""
    rng = np.random.default_rng(0)
    x = rng.uniform(-2.0, 2.0, (count, 1))
    return x, SLOPE * x[:, 0] + INTERCEPT + rng.normal(0.0, NOISE, count)


def draw(
    folder: Path,
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    w: NDArray[np.float64],
    b: float,
    losses: list[float],
) -> None:
    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    axes.semilogy(losses)
    axes.set(xlabel="step", ylabel="mean squared error", title="Gradient descent")
    figure.savefig(folder / "regression_loss.png", dpi=120)
    plt.close(figure)

    ends = np.array([x.min(), x.max()])
    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    axes.plot(x[:, 0], y, ".", label="points")
    axes.plot(ends, w[0] * ends + b, label=f"y = {w[0]:.3f} x {b:+.3f}")
    axes.set(xlabel="x", ylabel="y", title="Fitted line")
    axes.legend()
    figure.savefig(folder / "regression_line.png", dpi=120)
    plt.close(figure)


def main(folder: Path = OUTPUT) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    x, y = points(200)
    params = np.zeros(1), 0.0
    print(loss.grad.source_for(*params, x, y))

    state = sgd_init(params)
    losses = []
    for _ in range(100):
        value, gradient = loss.value_and_grad(*params, x, y)
        losses.append(float(value))
        params, state = sgd(params, gradient, state, learning_rate=0.1)
    w, b = params

    draw(folder, x, y, w, b, losses)
    least_squares = np.polyfit(x[:, 0], y, 1)
    print(f"loss {losses[0]:.4f} at the start, {losses[-1]:.4f} at the end")
    print(f"fitted line         y = {w[0]:.4f} x {b:+.4f}")
    print(f"least squares line  y = {least_squares[0]:.4f} x {least_squares[1]:+.4f}")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
