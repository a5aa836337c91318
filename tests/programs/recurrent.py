"""Recurrent networks and other learners over sequences."""

from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

import numpy as np

from tests.programs.registry import normal, program


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


GATES = ("input", "forget", "output", "cell")
LSTM = {
    gate: {"w": 0.5 * normal(30 + k, 3, 5), "b": 0.1 * normal(40 + k, 3)}
    for k, gate in enumerate(GATES)
}
SENTENCE = normal(31, 4, 2)


@program(LSTM, SENTENCE, wrt=("parameters", "inputs"))
def lstm(parameters, inputs, initial=None):
    """The last state of an LSTM, squared."""
    size = len(parameters["input"]["b"])
    h = c = np.zeros(size) if initial is None else initial
    for x in inputs:
        joined = np.concatenate([h, x])
        raw = {g: p["w"] @ joined + p["b"] for g, p in parameters.items()}
        i, f, o = (sigmoid(raw[gate]) for gate in GATES[:3])
        c = f * c + i * np.tanh(raw["cell"])
        h = o * np.tanh(c)
    return np.sum(h**2)


class GRUCell(NamedTuple):
    """Matrices of update, reset and candidate."""

    update: np.ndarray
    reset: np.ndarray
    candidate: np.ndarray

    def __call__(self, h, x):
        z = sigmoid(self.update @ np.concatenate([h, x]))
        r = sigmoid(self.reset @ np.concatenate([h, x]))
        new = np.tanh(self.candidate @ np.concatenate([r * h, x]))
        return (1.0 - z) * h + z * new


CELLS = [
    GRUCell(*(0.5 * normal(50 + 3 * k + j, 2, 4) for j in range(3))) for k in (0, 1)
]


@program(CELLS, SENTENCE, wrt=("layers", "inputs"))
def stacked_gru(layers, inputs):
    """Two layers of gated units; the second one reads the first one's states."""
    sequence = list(inputs)
    for depth, layer in enumerate(layers):
        states = [np.zeros(2)]
        h = states[0]
        sequence = [h := layer(h, x) for x in sequence]
    return np.sum(sequence[-1] ** 2) / (depth + 1)


@dataclass(frozen=True)
class Dense:
    """An affine layer with an activation given by its name."""

    weight: np.ndarray
    bias: np.ndarray
    activation: str = "tanh"

    def __call__(self, x):
        y = x @ self.weight + self.bias
        match self.activation:
            case "tanh":
                return np.tanh(y)
            case "softplus":
                return np.logaddexp(0.0, y)
            case None | "linear":
                return y
        raise ValueError(self.activation)


NETWORK = (
    Dense(normal(60, 2, 3), normal(61, 3)),
    Dense(normal(62, 3, 3), normal(63, 3), "softplus"),
    Dense(normal(64, 3, 1), normal(65, 1), activation="linear"),
)


@program(NETWORK, normal(66, 5, 2), normal(67, 5), 0.01, wrt=("layers", "penalty"))
def perceptron(layers, x, y, penalty=0.0):
    """Loss of a network of layers, with weight decay."""
    output = reduce(lambda signal, layer: layer(signal), layers, x)
    loss = np.mean((output[:, 0] - y) ** 2)
    if penalty:
        loss += penalty * sum(np.sum(layer.weight**2) for layer in layers)
    return loss


@program(0.5 * normal(70, 3, 3), normal(71, 3), 0.2, wrt=("w", "h0", "leak"))
def echo_state(w, h0, leak, *, washout=3, collect=2):
    """Mean state of a leaky reservoir after its start is forgotten."""

    def step(h):
        return (1.0 - leak) * h + leak * np.tanh(w @ h + 0.1)

    def states(h):
        while True:
            yield h
            h = step(h)

    total = 0.0
    for t, h in enumerate(states(h0)):
        if t < washout:
            continue
        if t == washout + collect:
            break
        total = total + h
    return np.sum((total / collect) ** 2) + np.sum(h)


@program(
    normal(72, 4, 3), normal(73, 3, 3), normal(74, 3, 3), wrt=("x", "query", "key")
)
def causal_attention(x, query, key):
    """Attention in which a token sees those before it."""
    q, k = x @ query, x @ key
    scale = 1.0 / np.sqrt(x.shape[1])

    def attend(t):
        scores = scale * (k[: t + 1] @ q[t])
        weights = np.exp(scores - np.max(scores))
        return (weights / np.sum(weights)) @ x[: t + 1]

    mixed = np.stack([attend(t) for t in range(len(x))])
    return np.sum(mixed[1:] * x[:-1])


WORDS = {"the": normal(77, 3), "cat": normal(78, 3), "sat": normal(79, 3)}


@program({"w": normal(75, 2, 3), "v": normal(76, 3)}, 1, wrt="parameters")
def tree_network(parameters, depth_bonus):
    """A recursive network on a parse tree of nested tuples."""

    def encode(node):
        if isinstance(node, str):
            return WORDS[node], 0
        (left, a), (right, b) = map(encode, node)
        gate = sigmoid(parameters["w"][0] @ left + parameters["w"][1] @ right)
        return np.tanh(gate * left + (1.0 - gate) * right), 1 + max(a, b)

    vector, depth = encode((("the", "cat"), "sat"))
    return parameters["v"] @ vector + depth_bonus * depth
