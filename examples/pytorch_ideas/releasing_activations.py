"""The backward sweep lets go of what it has finished with.

In PyTorch::

    import weakref

    import torch

    live, counts = weakref.WeakSet(), []


    class Kept:
        def __init__(self, tensor):
            self.tensor = tensor
            live.add(self)


    x = torch.linspace(0.0, 1.0, 10_000, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(Kept, lambda kept: kept.tensor):
        h = x
        for _ in range(20):
            h = torch.sin(h) * 1.5
            h.register_hook(lambda h_bar: counts.append(len(live)))
        loss = torch.sum(h)
    loss.backward()
    print(len(counts), "steps; at the last fewer than a quarter is kept:", end=" ")
    print(counts[-1] < counts[0] / 4)
"""

import tracemalloc

import numpy as np

from s2sad import grad, hook

counts = []


def count(h_bar):
    counts.append(tracemalloc.get_traced_memory()[0])


def loss(x):
    h = x
    for _ in range(20):
        h = hook(np.sin(h) * 1.5, count)
    return np.sum(h)


x = np.linspace(0.0, 1.0, 10_000)
compiled = grad(loss).compiled(x)
tracemalloc.start()
compiled(x)
tracemalloc.stop()
print(len(counts), "steps; at the last fewer than a quarter is kept:", end=" ")
print(counts[-1] < counts[0] / 4)
