"""Softmax regression and a two-layer network for images of handwritten digits.

Shapes: images (n, pixels), float64; labels (n,), int64, each in 0..9.
"""

from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from s2sad import differentiate

WEIGHT_DECAY = 1e-4


class SoftmaxParams(TypedDict):
    """Shapes: w (pixels, 10), b (10,)."""

    w: NDArray[np.float64]
    b: NDArray[np.float64]


class MlpParams(TypedDict):
    """Shapes: w1 (pixels, hidden), b1 (hidden,), w2 (hidden, 10), b2 (10,)."""

    w1: NDArray[np.float64]
    b1: NDArray[np.float64]
    w2: NDArray[np.float64]
    b2: NDArray[np.float64]


def cross_entropy(scores: NDArray[np.float64], labels: NDArray[np.int64]) -> np.float64:
    """Mean of -log(softmax(scores)[label]) over the images; scores: (n, 10)."""
    shifted = scores - np.max(scores, axis=1, keepdims=True)
    log_total = np.log(np.sum(np.exp(shifted), axis=1))
    return np.mean(log_total - shifted[np.arange(len(labels)), labels])


@differentiate(wrt="params")
def softmax_loss(
    params: SoftmaxParams, images: NDArray[np.float64], labels: NDArray[np.int64]
) -> np.float64:
    """Cross entropy of softmax regression."""
    scores = images @ params["w"] + params["b"]
    return cross_entropy(scores, labels)


@differentiate(wrt="params")
def mlp_loss(
    params: MlpParams, images: NDArray[np.float64], labels: NDArray[np.int64]
) -> np.float64:
    """Cross entropy of a network with one rectified layer, and weight decay."""
    hidden = np.maximum(images @ params["w1"] + params["b1"], 0.0)
    scores = hidden @ params["w2"] + params["b2"]
    decay = np.sum(params["w1"] ** 2) + np.sum(params["w2"] ** 2)
    return cross_entropy(scores, labels) + WEIGHT_DECAY * decay
