"""Adjoints are looked at, or changed, on their way.

In PyTorch::

    import torch

    seen = []
    x = torch.tensor([0.1, 2.0], requires_grad=True)
    h = x**2
    h.register_hook(lambda h_bar: seen.append(h_bar.tolist()))
    h.register_hook(lambda h_bar: torch.clamp(h_bar, -1.0, 1.0))
    torch.sum(h**3).backward()
    print([[round(g, 6) for g in row] for row in seen])
    print([round(g, 6) for g in x.grad.tolist()])
"""

import numpy as np

from s2sad import grad, hook

seen = []


def log(h_bar):
    seen.append(h_bar.tolist())


def clip(h_bar):
    return np.clip(h_bar, -1.0, 1.0)


def f(x):
    h = hook(hook(x**2, clip), log)
    return np.sum(h**3)


x_bar = grad(f)(np.array([0.1, 2.0]))
print([[round(g, 6) for g in row] for row in seen])
print([round(g, 6) for g in x_bar.tolist()])
