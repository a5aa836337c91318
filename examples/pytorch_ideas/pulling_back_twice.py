"""One evaluation, pulled back twice.

In PyTorch::

    import torch

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = torch.stack([x[0] * x[1], x[0] + 3.0 * x[1]])
    first = torch.tensor([1.0, 0.0])
    second = torch.tensor([0.0, 1.0])
    (rows,) = torch.autograd.grad(y, x, first, retain_graph=True)
    print(rows.tolist())
    (rows,) = torch.autograd.grad(y, x, second)  # frees the graph
    print(rows.tolist())
"""

import numpy as np

from s2sad import vjp


def f(x):
    return np.stack([x[0] * x[1], x[0] + 3.0 * x[1]])


y, pullback = vjp(f, np.array([1.0, 2.0]))
for cotangent in np.eye(2):
    (row,) = pullback(cotangent)  # as often as one likes
    print(row.tolist())
