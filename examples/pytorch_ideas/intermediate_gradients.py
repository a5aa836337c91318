"""The gradient of what isn't a parameter.

In PyTorch::

    import torch

    x = torch.tensor([1.0, 2.0], requires_grad=True)  # a leaf
    h = x * x  # not a leaf: its gradient is dropped, unless
    h.retain_grad()
    torch.sum(h * h).backward()
    print(x.grad.tolist(), h.grad.tolist())
"""

import numpy as np

from s2sad import grad


def f(x):
    h = x * x
    return np.sum(h * h)


x_grad, h_grad = grad(f, wrt=("x", "h"))(np.array([1.0, 2.0]))
print(x_grad.tolist(), h_grad.tolist())
