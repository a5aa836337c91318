"""The derivative of x^3 - 4x^2 + 5 at 3.

    python examples/polynomial.py [FOLDER]

Prints the derivative's source and its value, 3.0, and draws both functions into FOLDER
(examples/output by default).
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np

from s2sad import differentiate

OUTPUT = Path(__file__).resolve().parent / "output"


@differentiate
def polynomial(x: float) -> float:
    return x**3 - 4 * x**2 + 5


def main(folder: Path = OUTPUT) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    print(polynomial.grad.source)
    print(polynomial.grad(3.0))

    xs = np.linspace(-2.0, 4.5, 131).tolist()
    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    axes.plot(xs, [polynomial(x) for x in xs], label="x³ - 4x² + 5")
    axes.plot(xs, [polynomial.grad(x) for x in xs], label="its derivative")
    axes.axhline(0.0, color="grey", linewidth=0.8)
    axes.set(xlabel="x")
    axes.legend()
    figure.savefig(folder / "polynomial.png", dpi=120)
    plt.close(figure)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
