"""The gradient of an array needs its cotangent.

In PyTorch::

    import torch

    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x**2 + x[0]
    y.backward(gradient=torch.tensor([1.0, 10.0, 100.0]))
    print(x.grad.tolist())
"""

import numpy as np

from s2sad import grad


def y(x):
    return x**2 + x[0]


x = np.array([1.0, 2.0, 3.0])
print(grad(y)(x, gradient=np.array([1.0, 10.0, 100.0])).tolist())
