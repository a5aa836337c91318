"""Branches and loops that depend on the data.

In PyTorch::

    import torch


    def f(x, n):
        y = x
        for _ in range(n):
            y = y * x
        while torch.abs(y) > 10.0:
            y = y / 2.0
        return y if y > 0.0 else -3.0 * y


    for start, n in (2.0, 1), (2.0, 4), (-1.5, 2):
        x = torch.tensor(start, requires_grad=True)
        y = f(x, n)
        y.backward()
        print(y.item(), x.grad.item())
"""

from s2sad import value_and_grad


def f(x, n):
    y = x
    for _ in range(n):
        y = y * x
    while abs(y) > 10.0:
        y = y / 2.0
    return y if y > 0.0 else -3.0 * y


for x, n in (2.0, 1), (2.0, 4), (-1.5, 2):
    print(*value_and_grad(f)(x, n))
