"""Arrays that are written into keep their right gradient.

In PyTorch::

    import torch

    x = torch.tensor([0.0, 1.0, 2.0], requires_grad=True)
    y = torch.exp(x)
    y = y.clone()  # without this, backward raises RuntimeError: exp needs its result
    y[0] = 5.0
    y[1:] *= x[1:]
    y.sum().backward()
    print([round(g, 4) for g in x.grad.tolist()])
"""

import numpy as np

from s2sad import grad


def f(x):
    y = np.exp(x)
    y[0] = 5.0
    y[1:] *= x[1:]
    return np.sum(y)


print([round(g, 4) for g in grad(f)(np.array([0.0, 1.0, 2.0])).tolist()])
