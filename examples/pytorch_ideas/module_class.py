"""A class that holds parameters, trained by SGD and by Adam.

In PyTorch::

    import torch


    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.w1 = torch.nn.Parameter(torch.linspace(-1.0, 0.8, 6).reshape(2, 3))
            self.b1 = torch.nn.Parameter(torch.zeros(3))
            self.w2 = torch.nn.Parameter(torch.linspace(1.0, -0.6, 3))

        def forward(self, x):
            return torch.tanh(x @ self.w1 + self.b1) @ self.w2


    x = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    y = torch.tensor([0.0, 1.0, 1.0, 0.0])
    for optimiser in torch.optim.SGD, torch.optim.Adam:
        net = Net()
        steps = optimiser(net.parameters(), lr=0.1)
        for step in range(100):
            steps.zero_grad()
            loss = torch.mean((net(x) - y) ** 2)
            loss.backward()
            steps.step()
            if step % 33 == 0:
                print(f"{optimiser.__name__} {step:2d}: {loss.item():.5f}")
"""

from dataclasses import dataclass

import numpy as np

from s2sad import differentiate
from s2sad.optim import adam, adam_init, sgd, sgd_init


@dataclass
class Net:
    w1: np.ndarray
    b1: np.ndarray
    w2: np.ndarray

    def forward(self, x):
        return np.tanh(x @ self.w1 + self.b1) @ self.w2


@differentiate(wrt="net")
def loss(net, x, y):
    return np.mean((net.forward(x) - y) ** 2)


x = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
y = np.array([0.0, 1.0, 1.0, 0.0])
for name, begin, update in ("SGD", sgd_init, sgd), ("Adam", adam_init, adam):
    w1 = np.linspace(-1.0, 0.8, 6).reshape(2, 3)
    net = Net(w1, np.zeros(3), np.linspace(1.0, -0.6, 3))
    state = begin(net)
    for step in range(100):
        value, gradient = loss.value_and_grad(net, x, y)
        net, state = update(net, gradient, state, learning_rate=0.1)
        if step % 33 == 0:
            print(f"{name} {step:2d}: {value:.5f}")
