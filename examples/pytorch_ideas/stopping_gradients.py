"""Values that count as constants.

In PyTorch::

    import torch

    x = torch.tensor(3.0, requires_grad=True)
    (x**2 * x.detach()).backward()
    print(x.grad.item())

    x.grad = None
    with torch.no_grad():
        scale = 2.0 * x
    (x * scale).backward()
    print(x.grad.item())
"""

from s2sad import grad, no_grad, stop_gradient


def detached(x):
    return x**2 * stop_gradient(x)


def scaled(x):
    with no_grad():
        scale = 2.0 * x
    return x * scale


print(grad(detached)(3.0))
print(grad(scaled)(3.0))
