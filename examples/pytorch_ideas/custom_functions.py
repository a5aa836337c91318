"""Functions with a derivative of their own, in both modes.

In PyTorch::

    import torch
    from torch.autograd import forward_ad


    class Log1pExp(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            ctx.save_for_forward(x)
            return torch.log(1.0 + torch.exp(x))

        @staticmethod
        def backward(ctx, y_bar):
            (x,) = ctx.saved_tensors
            return y_bar / (1.0 + torch.exp(-x))

        @staticmethod
        def jvp(ctx, x_dot):
            (x,) = ctx.saved_tensors
            return x_dot / (1.0 + torch.exp(-x))


    x = torch.tensor([0.0, 800.0], requires_grad=True)
    Log1pExp.apply(x).sum().backward()
    print(x.grad.tolist())  # its own rule would give nan for the second

    with forward_ad.dual_level():
        dual = forward_ad.make_dual(torch.tensor(0.0), torch.tensor(1.0))
        print(forward_ad.unpack_dual(Log1pExp.apply(dual)).tangent.item())
"""

import numpy as np

from s2sad import custom_vjp, grad, jvp


@custom_vjp
def log1pexp(x):
    return np.log(1.0 + np.exp(x))


def forward(x):
    return log1pexp(x), x


def reverse(x, y_bar):
    return (y_bar / (1.0 + np.exp(-x)),)


def pushforward(primals, tangents):
    (x,), (x_dot,) = primals, tangents
    return log1pexp(x), x_dot / (1.0 + np.exp(-x))


log1pexp.defvjp(forward, reverse)
log1pexp.defjvp(pushforward)


def total(x):
    return np.sum(log1pexp(x))


with np.errstate(over="ignore"):
    print(grad(total)(np.array([0.0, 800.0])).tolist())
print(float(jvp(total, (0.0,), (1.0,))[1]))
