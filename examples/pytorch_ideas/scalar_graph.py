"""The chain rule on three numbers: dz/dx, dz/dw, dz/db.

In PyTorch::

    import torch

    x = torch.tensor(1.0, requires_grad=True)
    w = torch.tensor(2.0, requires_grad=True)
    b = torch.tensor(3.0, requires_grad=True)
    z = (w * x + b) ** 2
    z.backward()
    print(x.grad.item(), w.grad.item(), b.grad.item())
"""

from s2sad import differentiate


@differentiate(wrt=("x", "w", "b"))
def z(x, w, b):
    return (w * x + b) ** 2


print(*z.grad(1.0, 2.0, 3.0))
