"""The gradient with respect to several parameters.

In PyTorch::

    import torch

    x = torch.tensor([1.0, 2.0, 3.0])
    y = torch.tensor([2.0, 4.0, 7.0])
    w = torch.tensor(0.5, requires_grad=True)
    b = torch.tensor(0.0, requires_grad=True)
    loss = torch.mean((w * x + b - y) ** 2)
    loss.backward()
    print(f"{loss.item():.4f}, {w.grad.item():.4f}, {b.grad.item():.4f}")
"""

import numpy as np

from s2sad import differentiate


@differentiate(wrt=("w", "b"))
def loss(w, b, x, y):
    return np.mean((w * x + b - y) ** 2)


x = np.array([1.0, 2.0, 3.0])
y = np.array([2.0, 4.0, 7.0])
value, (w_grad, b_grad) = loss.value_and_grad(0.5, 0.0, x, y)
print(f"{value:.4f}, {w_grad:.4f}, {b_grad:.4f}")
