"""PyTorch: tensors in double precision, ``torch.autograd.grad``.

PyTorch takes NumPy's names for most functions and for ``axis`` and ``keepdims``, so
that kernels without stores run on its namespace as they stand; what has another name is
mapped in ``_Torch``. Loops over single numbers are written with tensors, as they must
be.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch

from benchmarks.kernels.kernel import Kernel
from benchmarks.kernels.peers import Unserved, Version, places, with_numpy_replaced
from benchmarks.kernels.without_stores import WITHOUT_STORES

torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)


class _Torch:
    """torch under the names of NumPy."""

    linalg = torch.linalg
    max, min = staticmethod(torch.amax), staticmethod(torch.amin)
    cross = staticmethod(torch.linalg.cross)
    concatenate = staticmethod(torch.cat)
    logaddexp = staticmethod(torch.logaddexp)

    @staticmethod
    def array(rows: Any) -> Any:
        return torch.stack([torch.stack(row) for row in rows])

    def __getattr__(self, name: str) -> Any:
        return getattr(torch, name)


class _Math:
    """``math`` where numbers are tensors."""

    def __getattr__(self, name: str) -> Any:
        def of_either(x: Any) -> Any:
            tensor = isinstance(x, torch.Tensor)
            return getattr(torch if tensor else math, name)(x)

        return math.pi if name == "pi" else of_either


def _ndtr(x: Any) -> Any:
    return torch.special.ndtr(x)


def softmax_regression(w, b, x, labels):  # type: ignore
    return torch.nn.functional.cross_entropy(x @ w + b, labels)


def mlp(w1, b1, w2, b2, x, y):  # type: ignore
    hidden = torch.tanh(x @ w1 + b1)
    return torch.nn.functional.mse_loss(hidden @ w2 + b2, y)


def attention(wq, wk, wv, wo, x, target, heads):  # type: ignore
    n, d = x.shape
    parts = [(x @ w).view(n, heads, d // heads).transpose(0, 1) for w in (wq, wk, wv)]
    mixed = torch.nn.functional.scaled_dot_product_attention(*parts)
    output = mixed.transpose(0, 1).reshape(n, d) @ wo
    return torch.nn.functional.mse_loss(output, target)


def log_sum_exp(x):  # type: ignore
    return torch.logsumexp(x, 0)


def least_squares(x, n):  # type: ignore
    t = torch.linspace(-1.0, 1.0, n)
    powers = t[:, None] ** torch.arange(len(x))
    return 0.5 * torch.sum((torch.sign(t) - powers @ x) ** 2)


def burgers(u, steps, ratio, diffusion):  # type: ignore
    u = u.clone()
    for _ in range(steps):
        convection = ratio * u[1:-1] * (u[1:-1] - u[:-2])
        new = u.clone()
        new[1:-1] += diffusion * (u[2:] - 2.0 * u[1:-1] + u[:-2]) - convection
        u = new
    return 0.5 * torch.sum(u**2)


def kalman(f, q, h, r, observations):  # type: ignore
    d = f.shape[0]
    x, p = torch.zeros(d), torch.eye(d)
    total = 0.0
    for z in observations:
        x = f @ x
        p = f @ p @ f.T + q
        s = h @ p @ h.T + r
        inverse = torch.linalg.inv(s)
        innovation = z - h @ x
        total = total + torch.log(torch.linalg.det(s))
        total = total + innovation @ (inverse @ innovation)
        gain = p @ h.T @ inverse
        x = x + gain @ innovation
        p = p - gain @ h @ p
    return 0.5 * (total + observations.numel() * math.log(2.0 * math.pi))


WRITTEN = {
    "softmax_regression": softmax_regression,
    "mlp_small": mlp,
    "mlp_large": mlp,
    "attention": attention,
    "log_sum_exp": log_sum_exp,
    "least_squares": least_squares,
    "burgers_in_place": burgers,
    "kalman_filter": kalman,
}
LOOPS = (
    "scalar_loop",
    "black_scholes_in_a_loop",
    "log_sum_exp_in_loops",
    "rosenbrock_in_a_loop",
    "least_squares_in_loops",
    "k_means_in_loops",
    "determinant_by_minors",
)
AS_THEY_STAND = (
    "gaussian_mixture",
    "gaussian_mixture_low_dimension",
    "heat_in_place",
    "lstm",
    "lstm_wide",
    "k_means",
    "runge_kutta",
    "black_scholes",
    "hidden_markov_model",
    "rosenbrock",
    "bodies",
)


def version(kernel: Kernel, arguments: tuple[Any, ...]) -> Version:
    """PyTorch's derivative of a kernel."""
    own = places(kernel)
    tensors = [
        torch.tensor(a) if isinstance(a, np.ndarray) or k in own else a
        for k, a in enumerate(arguments)
    ]
    if kernel.name == "bundle_adjustment":
        return Version(_jacobian_blocks(), tuple(tensors))
    if kernel.name == "k_means_hessian_diagonal":
        return Version(_gradient_and_diagonal(kernel), tuple(tensors))
    if kernel.name.startswith("hand_tracking"):
        return Version(_hand(kernel), tuple(tensors))
    if kernel.name in WRITTEN:
        function: Any = WRITTEN[kernel.name]
    elif kernel.name in (*LOOPS, *AS_THEY_STAND):
        text = WITHOUT_STORES.get(kernel.name, kernel.function)
        names = {"np": _Torch(), "ndtr": _ndtr}
        if kernel.name in LOOPS:
            names["math"] = _Math()
        function = with_numpy_replaced(text, names)
    else:
        raise Unserved("not written")
    for k in own:
        tensors[k].requires_grad_()
    wanted = tuple(tensors[k] for k in own)
    single = not isinstance(kernel.wrt, tuple)

    def gradient(*args: Any) -> Any:
        found = torch.autograd.grad(function(*args), wanted)
        return found[0] if single else found

    return Version(gradient, tuple(tensors))


def _hand(kernel: Kernel) -> Any:
    errors = with_numpy_replaced(WITHOUT_STORES[kernel.name], {"np": _Torch()})
    jacobian = torch.func.jacfwd(errors)
    if kernel.name == "hand_tracking_simple":
        return jacobian

    def on_triangles(theta: Any, us: Any, *model: Any) -> Any:
        directions = torch.eye(2)[:, None, :] * torch.ones_like(us)
        own = torch.func.vmap(
            lambda d: torch.func.jvp(lambda us: errors(theta, us, *model), (us,), (d,))[
                1
            ],
            out_dims=2,
        )(directions)
        return torch.cat((own, jacobian(theta, us, *model)), dim=2)

    return on_triangles


def _jacobian_blocks() -> Any:
    from benchmarks.kernels.bundle_adjustment import projection_errors

    class Names(_Torch):
        def sum(self, x: Any, axis: int, keepdims: bool = False) -> Any:
            return torch.sum(x, dim=axis, keepdim=keepdims)

    errors = with_numpy_replaced(projection_errors, {"np": Names()})

    def blocks(cameras, points, weights, observations, features):  # type: ignore
        own = (cameras[observations[:, 0]], points[observations[:, 1]], weights.clone())
        for one in own:
            one.requires_grad_()
        value = errors(*own, features)
        found = torch.empty(len(weights), 2, 15)
        for row in range(2):
            seed = torch.zeros(len(weights), 2)
            seed[:, row] = 1.0
            parts = torch.autograd.grad(value, own, seed, retain_graph=row == 0)
            found[:, row, :11], found[:, row, 11:14], found[:, row, 14] = parts
        return found

    return blocks


def _gradient_and_diagonal(kernel: Kernel) -> Any:
    cost = with_numpy_replaced(kernel.function, {"np": _Torch()})

    def derivatives(centres: Any, points: Any) -> Any:
        centres = centres.clone().requires_grad_()
        value = cost(centres, points)
        (gradient,) = torch.autograd.grad(value, centres, create_graph=True)
        (diagonal,) = torch.autograd.grad(gradient.sum(), centres)
        return gradient.detach(), diagonal

    return derivatives
