"""Gradients of several batches are added up, and cleared.

In PyTorch::

    import torch

    batches = torch.tensor([[[1.0, 2.0], [0.0, 1.0]], [[2.0, 0.0], [1.0, 1.0]]])
    w = torch.tensor([1.0, -1.0], requires_grad=True)
    for batch in batches:
        loss = torch.mean((batch @ w) ** 2)
        loss.backward()  # adds to w.grad
        print(w.grad.tolist())
    w.grad.zero_()
    torch.mean((batches[0] @ w) ** 2).backward()
    print(w.grad.tolist())
"""

import numpy as np

from s2sad import differentiate


@differentiate
def loss(w, batch):
    return np.mean((batch @ w) ** 2)


batches = np.array([[[1.0, 2.0], [0.0, 1.0]], [[2.0, 0.0], [1.0, 1.0]]])
w = np.array([1.0, -1.0])
total = np.zeros(2)
for batch in batches:
    total += loss.grad(w, batch)
    print(total.tolist())
print(loss.grad(w, batches[0]).tolist())  # a new value: there is nothing to clear
