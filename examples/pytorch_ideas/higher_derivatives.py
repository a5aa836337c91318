"""Gradients of gradients.

In PyTorch::

    import torch

    x = torch.tensor(2.0, requires_grad=True)
    (slope,) = torch.autograd.grad(x**3, x, create_graph=True)
    (second,) = torch.autograd.grad(slope, x)
    print(second.item())

    x = torch.tensor(0.0, requires_grad=True)
    d = torch.sin(x)
    for _ in range(3):
        (d,) = torch.autograd.grad(d, x, create_graph=True)
    print(d.item())
"""

import numpy as np

from s2sad import grad


def cube(x):
    return x**3


def wave(x):
    return np.sin(x)


print(grad(grad(cube))(2.0))
print(grad(grad(grad(wave)))(0.0))
