"""Networks and classifiers: a perceptron with one hidden layer, softmax regression,
attention with several heads."""

import math

import numpy as np

from benchmarks.kernels.kernel import Kernel, timed


def mlp(w1, b1, w2, b2, x, y):
    """Mean squared error: (d, h), (h,), (h, o), (o,), (n, d), (n, o)."""
    hidden = np.tanh(x @ w1 + b1)
    output = hidden @ w2 + b2
    return np.mean((output - y) ** 2)


def mlp_grad(w1, b1, w2, b2, x, y):
    hidden = np.tanh(x @ w1 + b1)
    output_bar = hidden @ w2 + b2 - y
    output_bar *= 2.0 / output_bar.size
    before_bar = output_bar @ w2.T
    before_bar *= 1.0 - hidden**2
    return (
        x.T @ before_bar,
        np.sum(before_bar, axis=0),
        hidden.T @ output_bar,
        np.sum(output_bar, axis=0),
    )


def mlp_data(rng, n, d, h, o):
    return (
        rng.normal(size=(d, h)) / math.sqrt(d),
        rng.normal(size=h),
        rng.normal(size=(h, o)) / math.sqrt(h),
        rng.normal(size=o),
        rng.normal(size=(n, d)),
        rng.normal(size=(n, o)),
    )


def softmax_regression(w, b, x, labels):
    """Mean negative log-likelihood: (d, k), (k,), (n, d), labels (n,)."""
    logits = x @ w + b
    logits = logits - np.max(logits, axis=1, keepdims=True)
    normaliser = np.log(np.sum(np.exp(logits), axis=1))
    return np.mean(normaliser - logits[np.arange(len(labels)), labels])


def softmax_regression_grad(w, b, x, labels):
    n = len(labels)
    logits = x @ w + b
    logits -= np.max(logits, axis=1, keepdims=True)
    exponentials = np.exp(logits)
    logits_bar = exponentials / (n * np.sum(exponentials, axis=1, keepdims=True))
    logits_bar[np.arange(n), labels] -= 1.0 / n
    return x.T @ logits_bar, np.sum(logits_bar, axis=0)


def softmax_regression_data(rng, n, d, k):
    return (
        rng.normal(size=(d, k)),
        rng.normal(size=k),
        rng.normal(size=(n, d)),
        rng.integers(0, k, size=n),
    )


def attention(wq, wk, wv, wo, x, target, heads):
    """Mean squared error of attention: (d, d) four times, (n, d), (n, d)."""
    n, d = x.shape
    width = d // heads
    q = (x @ wq).reshape(n, heads, width).transpose(1, 0, 2)
    k = (x @ wk).reshape(n, heads, width).transpose(1, 0, 2)
    v = (x @ wv).reshape(n, heads, width).transpose(1, 0, 2)
    scores = q @ k.transpose(0, 2, 1) / math.sqrt(width)
    scores = scores - np.max(scores, axis=-1, keepdims=True)
    shares = np.exp(scores)
    shares = shares / np.sum(shares, axis=-1, keepdims=True)
    mixed = (shares @ v).transpose(1, 0, 2).reshape(n, d)
    return np.mean((mixed @ wo - target) ** 2)


def attention_grad(wq, wk, wv, wo, x, target, heads):
    n, d = x.shape
    width = d // heads
    q = (x @ wq).reshape(n, heads, width).transpose(1, 0, 2)
    k = (x @ wk).reshape(n, heads, width).transpose(1, 0, 2)
    v = (x @ wv).reshape(n, heads, width).transpose(1, 0, 2)
    shares = q @ k.transpose(0, 2, 1) / math.sqrt(width)
    shares -= np.max(shares, axis=-1, keepdims=True)
    np.exp(shares, out=shares)
    shares /= np.sum(shares, axis=-1, keepdims=True)
    mixed = (shares @ v).transpose(1, 0, 2).reshape(n, d)
    output_bar = mixed @ wo - target
    output_bar *= 2.0 / output_bar.size
    wo_bar = mixed.T @ output_bar
    mixed_bar = (output_bar @ wo.T).reshape(n, heads, width).transpose(1, 0, 2)
    v_bar = shares.transpose(0, 2, 1) @ mixed_bar
    shares_bar = mixed_bar @ v.transpose(0, 2, 1)
    shares_bar -= np.sum(shares_bar * shares, axis=-1, keepdims=True)
    shares_bar *= shares
    shares_bar /= math.sqrt(width)
    q_bar = (shares_bar @ k).transpose(1, 0, 2).reshape(n, d)
    k_bar = (shares_bar.transpose(0, 2, 1) @ q).transpose(1, 0, 2).reshape(n, d)
    v_bar = v_bar.transpose(1, 0, 2).reshape(n, d)
    return x.T @ q_bar, x.T @ k_bar, x.T @ v_bar, wo_bar


def attention_data(rng, n, d, heads):
    weights = rng.normal(size=(4, d, d)) / math.sqrt(d)
    return (*weights, rng.normal(size=(n, d)), rng.normal(size=(n, d)), heads)


MLP_WRT = ("w1", "b1", "w2", "b2")
KERNELS = (
    Kernel(
        "mlp_small",
        mlp,
        mlp_grad,
        mlp_data,
        timed((4, 8, 16, 1), 16, 64, tiny=(3, 2, 4, 2)),
        MLP_WRT,
    ),
    Kernel(
        "mlp_large",
        mlp,
        mlp_grad,
        mlp_data,
        timed((32, 784, 512, 10), 128, 512, tiny=(3, 2, 4, 2)),
        MLP_WRT,
        products_dominate=True,
    ),
    Kernel(
        "softmax_regression",
        softmax_regression,
        softmax_regression_grad,
        softmax_regression_data,
        timed((100, 64, 10), 1_000, 10_000, tiny=(5, 3, 4)),
        ("w", "b"),
    ),
    Kernel(
        "attention",
        attention,
        attention_grad,
        attention_data,
        timed((16, 64, 4), 64, 256, tiny=(3, 4, 2)),
        ("wq", "wk", "wv", "wo"),
    ),
)
