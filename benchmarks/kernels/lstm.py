"""The training loss of an LSTM with diagonal weights that predicts the next character.

Source: F. Srajer, Z. Kukelova, A. Fitzgibbon, A benchmark of selected algorithmic
differentiation tools on some problems in computer vision and machine learning,
Optimization Methods and Software 33 (2018).
"""

import numpy as np

from benchmarks.kernels.kernel import Kernel, timed


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def lstm_cell(weights, biases, hidden, cell, x):
    forget = sigmoid(x * weights[0] + biases[0])
    into = sigmoid(hidden * weights[1] + biases[1])
    out = sigmoid(x * weights[2] + biases[2])
    change = np.tanh(hidden * weights[3] + biases[3])
    cell = cell * forget + into * change
    return out * np.tanh(cell), cell


def loss(main, extra, state, sequence):
    """Of weights (l, 2, 4, b) and (3, b), a state (l, 2, b), characters (t, b)."""
    layers, b = len(main), sequence.shape[1]
    hidden = [state[layer, 0] for layer in range(layers)]
    cells = [state[layer, 1] for layer in range(layers)]
    total = 0.0
    for t in range(len(sequence) - 1):
        x = sequence[t] * extra[0]
        for layer in range(layers):
            weights, biases = main[layer]
            x, cells[layer] = lstm_cell(weights, biases, hidden[layer], cells[layer], x)
            hidden[layer] = x
        prediction = x * extra[1] + extra[2]
        normed = prediction - np.log(np.sum(np.exp(prediction)) + 2.0)
        total += np.dot(sequence[t + 1], normed)
    return -total / (b * (len(sequence) - 1))


def loss_grad(main, extra, state, sequence):
    layers, b = len(main), sequence.shape[1]
    hidden = [state[layer, 0] for layer in range(layers)]
    cells = [state[layer, 1] for layer in range(layers)]
    kept = []
    for t in range(len(sequence) - 1):
        x = sequence[t] * extra[0]
        for layer in range(layers):
            weights, biases = main[layer]
            h, cell = hidden[layer], cells[layer]
            forget = sigmoid(x * weights[0] + biases[0])
            into = sigmoid(h * weights[1] + biases[1])
            out = sigmoid(x * weights[2] + biases[2])
            change = np.tanh(h * weights[3] + biases[3])
            cells[layer] = cell * forget + into * change
            tanh_cell = np.tanh(cells[layer])
            kept.append((x, h, cell, forget, into, out, change, tanh_cell))
            x = hidden[layer] = out * tanh_cell
        kept.append((x, np.exp(x * extra[1] + extra[2])))
    main_bar, extra_bar = np.zeros_like(main), np.zeros_like(extra)
    hidden_bar = [np.zeros(b) for _ in range(layers)]
    cells_bar = [np.zeros(b) for _ in range(layers)]
    scale = -1.0 / (b * (len(sequence) - 1))
    for t in reversed(range(len(sequence) - 1)):
        x, exponentials = kept.pop()
        wanted = sequence[t + 1]
        share = np.sum(wanted) / (np.sum(exponentials) + 2.0)
        prediction_bar = scale * (wanted - share * exponentials)
        extra_bar[2] += prediction_bar
        extra_bar[1] += prediction_bar * x
        x_bar = prediction_bar * extra[1]
        for layer in reversed(range(layers)):
            x, h, cell, forget, into, out, change, tanh_cell = kept.pop()
            weights = main[layer, 0]
            weights_bar, biases_bar = main_bar[layer]
            h_bar = hidden_bar[layer] + x_bar
            out_bar = h_bar * tanh_cell * out * (1.0 - out)
            cell_bar = cells_bar[layer] + h_bar * out * (1.0 - tanh_cell**2)
            cells_bar[layer] = cell_bar * forget
            change_bar = cell_bar * into * (1.0 - change**2)
            into_bar = cell_bar * change * into * (1.0 - into)
            forget_bar = cell_bar * cell * forget * (1.0 - forget)
            weights_bar[0] += forget_bar * x
            weights_bar[1] += into_bar * h
            weights_bar[2] += out_bar * x
            weights_bar[3] += change_bar * h
            biases_bar[0] += forget_bar
            biases_bar[1] += into_bar
            biases_bar[2] += out_bar
            biases_bar[3] += change_bar
            hidden_bar[layer] = into_bar * weights[1] + change_bar * weights[3]
            x_bar = forget_bar * weights[0] + out_bar * weights[2]
        extra_bar[0] += x_bar * sequence[t]
    return main_bar, extra_bar


def data(rng, t, layers, b):
    sequence = np.zeros((t, b))
    sequence[np.arange(t), rng.integers(0, b, size=t)] = 1.0
    return (
        rng.normal(size=(layers, 2, 4, b)),
        rng.normal(size=(3, b)),
        rng.normal(size=(layers, 2, b)),
        sequence,
    )


KERNELS = (
    Kernel(
        "lstm",
        loss,
        loss_grad,
        data,
        timed((10, 2, 14), 100, 1_000, tiny=(4, 2, 3)),
        ("main", "extra"),
    ),
    Kernel(
        "lstm_wide",
        loss,
        loss_grad,
        data,
        timed((4, 2, 1024), 20, 100, tiny=(4, 2, 3)),
        ("main", "extra"),
        products_dominate=True,
    ),
)
