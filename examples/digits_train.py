"""Trains the digit classifiers with a transpiled file, where s2sad can't be imported.

    python digits_train.py FOLDER

FOLDER holds digits_gradients.py, transpiled from digits_model.py, and optim/, a copy
of s2sad/optim. The pictures and digits_results.json are written there. digits.py
prepares the folder and runs this file.
"""

import json
import sys
from collections.abc import Callable
from importlib.abc import MetaPathFinder
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from numpy.typing import NDArray
from rich.progress import track
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

Params = dict[str, NDArray[np.float64]]

HIDDEN = 64
BATCH = 32
EPOCHS = {"softmax": 60, "mlp": 60}


class Blocked(MetaPathFinder):
    """An import hook that refuses one package."""

    def __init__(self, package: str) -> None:
        self.package = package

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> None:
        if fullname.partition(".")[0] == self.package:
            raise ImportError(f"{fullname} is blocked in this process")


def block(package: str) -> str:
    """Make every import of package raise ImportError; return what one raised."""
    if package in sys.modules:
        raise RuntimeError(f"{package} has been imported already")
    sys.meta_path.insert(0, Blocked(package))
    try:
        __import__(package)
    except ImportError as error:
        return str(error)
    raise RuntimeError(f"{package} could be imported")


def digits() -> tuple[NDArray[Any], ...]:
    """Training and test images (n, 64) in 0..1, then their labels (n,)."""
    images, labels = load_digits(return_X_y=True)
    return tuple(
        train_test_split(
            images / 16.0,
            labels.astype(np.int64),
            test_size=0.25,
            stratify=labels,
            random_state=0,
        )
    )


def softmax_start(rng: np.random.Generator) -> Params:
    return {"w": np.zeros((64, 10)), "b": np.zeros(10)}


def mlp_start(rng: np.random.Generator) -> Params:
    """He's initialisation: normal weights of variance 2 / inputs."""
    return {
        "w1": rng.normal(0.0, np.sqrt(2 / 64), (64, HIDDEN)),
        "b1": np.zeros(HIDDEN),
        "w2": rng.normal(0.0, np.sqrt(2 / HIDDEN), (HIDDEN, 10)),
        "b2": np.zeros(10),
    }


def softmax_labels(params: Params, images: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.argmax(images @ params["w"] + params["b"], axis=1)


def mlp_labels(params: Params, images: NDArray[np.float64]) -> NDArray[np.int64]:
    hidden = np.maximum(images @ params["w1"] + params["b1"], 0.0)
    return np.argmax(hidden @ params["w2"] + params["b2"], axis=1)


def train(
    name: str,
    params: Params,
    value_and_grad: Callable[..., tuple[float, Params]],
    optimiser: Callable[..., tuple[Params, Any]],
    state: Any,
    learning_rate: float,
    images: NDArray[np.float64],
    labels: NDArray[np.int64],
) -> tuple[Params, list[float]]:
    """Train on shuffled minibatches; the rate falls to zero along half a cosine.

    Returns the parameters and the mean loss of each epoch.
    """
    rng = np.random.default_rng(1)
    epochs = EPOCHS[name]
    losses = []
    for epoch in track(range(epochs), description=f"{name:8}"):
        rate = learning_rate * (1 + np.cos(np.pi * epoch / epochs)) / 2
        order = rng.permutation(len(images))
        batches = np.array_split(order, len(order) // BATCH)
        total = 0.0
        for batch in batches:
            loss, gradient = value_and_grad(params, images[batch], labels[batch])
            params, state = optimiser(params, gradient, state, learning_rate=rate)
            total += float(loss)
        losses.append(total / len(batches))
    return params, losses


def draw_losses(losses: dict[str, list[float]], target: Path) -> None:
    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    for name, curve in losses.items():
        axes.semilogy(range(1, len(curve) + 1), curve, label=name)
    axes.set(xlabel="epoch", ylabel="mean training loss", title="Handwritten digits")
    axes.legend()
    figure.savefig(target, dpi=120)
    plt.close(figure)


def draw_misread(
    title: str,
    images: NDArray[np.float64],
    labels: NDArray[np.int64],
    read: NDArray[np.int64],
    target: Path,
) -> None:
    """Up to 20 of the images whose label was not read, with what was read instead."""
    wrong = np.flatnonzero(read != labels)
    rows = max(1, min(4, -(-len(wrong) // 5)))
    figure, grid = plt.subplots(
        rows, 5, figsize=(6, 1.5 * rows + 0.5), layout="constrained"
    )
    for axes in grid.flat:
        axes.axis("off")
    for axes, index in zip(grid.flat, wrong):
        axes.imshow(images[index].reshape(8, 8), cmap="gray_r")
        axes.set_title(f"{labels[index]} read as {read[index]}", fontsize=8)
    figure.suptitle(f"{title}: {len(wrong)} of {len(labels)} test images misread")
    figure.savefig(target, dpi=120)
    plt.close(figure)


def main(folder: Path) -> None:
    print(f"import s2sad: {block('s2sad')}")
    sys.path.insert(0, str(folder))
    import digits_gradients
    import optim

    train_images, test_images, train_labels, test_labels = digits()
    rng = np.random.default_rng(0)
    softmax_params, mlp_params = softmax_start(rng), mlp_start(rng)
    data = train_images, train_labels
    trained, losses = {}, {}
    trained["softmax"], losses["softmax"] = train(
        "softmax",
        softmax_params,
        digits_gradients.softmax_loss_value_and_grad,
        optim.momentum,
        optim.momentum_init(softmax_params),
        0.1,
        *data,
    )
    trained["mlp"], losses["mlp"] = train(
        "mlp",
        mlp_params,
        digits_gradients.mlp_loss_value_and_grad,
        optim.adam,
        optim.adam_init(mlp_params),
        3e-3,
        *data,
    )

    draw_losses(losses, folder / "digits_loss.png")
    results: dict[str, Any] = {
        "train_images": len(train_images),
        "test_images": len(test_images),
        "s2sad_modules": [m for m in sys.modules if m.partition(".")[0] == "s2sad"],
    }
    for name, labels_of in ("softmax", softmax_labels), ("mlp", mlp_labels):
        read = labels_of(trained[name], test_images)
        results[name] = {
            "epochs": EPOCHS[name],
            "loss": losses[name][-1],
            "test_accuracy": float(np.mean(read == test_labels)),
            "train_accuracy": float(
                np.mean(labels_of(trained[name], train_images) == train_labels)
            ),
        }
        picture = folder / f"digits_misread_{name}.png"
        draw_misread(name, test_images, test_labels, read, picture)
    (folder / "digits_results.json").write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
