"""CasADi: expressions of numbers (``SX``), built once for the sizes at hand, and
functions of them that are evaluated in its virtual machine, in NumPy's memory. Loops
over numbers are written out; kernels of another kind aren't written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import casadi as ca
import numpy as np

from benchmarks.kernels.kernel import Kernel
from benchmarks.kernels.peers import (
    Unserved,
    Version,
    places,
    with_numpy_replaced,
)
from benchmarks.kernels.scalar_loops import SOFTENING


class Array:
    """An array of expressions, indexed as NumPy's is."""

    def __init__(self, name: str, shape: tuple[int, ...]) -> None:
        self.symbol = ca.SX.sym(name, int(np.prod(shape)))
        self.shape = shape

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, tuple):
            place = int(np.ravel_multi_index(place, self.shape))
        elif len(self.shape) == 2:
            width = self.shape[1]
            return [self.symbol[place * width + j] for j in range(width)]
        return self.symbol[place]


def largest(values: Sequence[Any]) -> Any:
    top = values[0]
    for value in values[1:]:
        top = ca.fmax(top, value)
    return top


def log_sum_exp(x: Any) -> Any:
    x = [x[i] for i in range(len(x))]
    top = largest(x)
    return top + ca.log(sum(ca.exp(value - top) for value in x))


def k_means(centres: Any, points: Any) -> Any:
    total = 0.0
    for i in range(len(points)):
        point = points[i]
        squares = [
            sum((p - c) ** 2 for p, c in zip(point, centres[j]))
            for j in range(len(centres))
        ]
        total += -largest([-square for square in squares])
    return total


def log_likelihood(
    alphas: Any, means: Any, icf: Any, x: Any, gamma: Any, m: Any
) -> Any:
    """Without the constants of the prior."""
    n, d, k = len(x), x.shape[1], len(alphas)
    total = 0.0
    matrices, sums = [], []
    for j in range(k):
        own = icf[j]
        q = [[0.0] * d for _ in range(d)]
        place = d
        for column in range(d):
            q[column][column] = ca.exp(own[column])
            for row in range(column + 1, d):
                q[row][column] = own[place]
                place += 1
        matrices.append(q)
        sums.append(sum(own[:d]))
        squares = sum(q[row][c] ** 2 for row in range(d) for c in range(row + 1))
        total += 0.5 * gamma**2 * squares - m * sums[j]
    for i in range(n):
        terms = []
        for j in range(k):
            centred = [a - b for a, b in zip(x[i], means[j])]
            square = 0.0
            for row in range(d):
                entries = matrices[j][row]
                square += sum(entries[c] * centred[c] for c in range(row + 1)) ** 2
            terms.append(alphas[j] + sums[j] - 0.5 * square)
        total += log_sum_exp(terms)
    return total - n * log_sum_exp(alphas)


def runge_kutta(x: Any, steps: int) -> Any:
    h, n = 2.0 / steps, len(x)

    def derivative(y: Any) -> Any:
        return [x[0]] + [x[i] * y[i - 1] for i in range(1, n)]

    def moved(y: Any, by: float, k: Any) -> Any:
        return [a + by * b for a, b in zip(y, k)]

    y: list[Any] = [0.0] * n
    for _ in range(steps):
        k1 = derivative(y)
        k2 = derivative(moved(y, 0.5 * h, k1))
        k3 = derivative(moved(y, 0.5 * h, k2))
        k4 = derivative(moved(y, h, k3))
        k = [a + 2.0 * b + 2.0 * c + d for a, b, c, d in zip(k1, k2, k3, k4)]
        y = moved(y, h / 6.0, k)
    return y[-1]


def burgers(u: Any, steps: int, ratio: float, diffusion: float) -> Any:
    values = [u[i] for i in range(len(u))]
    for _ in range(steps):
        inner = [
            here
            + diffusion * (right - 2.0 * here + left)
            - ratio * here * (here - left)
            for left, here, right in zip(values, values[1:], values[2:])
        ]
        values = [values[0], *inner, values[-1]]
    return 0.5 * sum(value**2 for value in values)


def bodies(positions: Any, velocities: Any, masses: Any, steps: int, dt: float) -> Any:
    n = len(masses)
    x = [positions[i] for i in range(n)]
    v = [velocities[i] for i in range(n)]
    for step in range(steps + 1):
        half = 0.5 * dt if step in (0, steps) else dt
        for i in range(n):
            for j in range(i):
                apart = [b - a for a, b in zip(x[i], x[j])]
                square = sum(a * a for a in apart) + SOFTENING
                pull = half / (square * ca.sqrt(square))
                for c in range(3):
                    v[i][c] += masses[j] * pull * apart[c]
                    v[j][c] -= masses[i] * pull * apart[c]
        if step < steps:
            x = [[a + dt * b for a, b in zip(*pair)] for pair in zip(x, v)]
    return sum(
        0.5 * masses[i] * v[i][c] ** 2 + x[i][c] ** 2
        for i in range(n)
        for c in range(3)
    )


def least_squares(x: Any, n: int) -> Any:
    total = 0.0
    for i in range(n):
        t = -1.0 + 2.0 * i / (n - 1)
        model = sum(x[j] * t**j for j in range(len(x)))
        total += 0.5 * (np.sign(t) - model) ** 2
    return total


WRITTEN: dict[str, Callable[..., Any]] = {
    "gaussian_mixture_in_loops": log_likelihood,
    "gaussian_mixture_low_dimension": log_likelihood,
    "k_means_in_loops": k_means,
    "least_squares_in_loops": least_squares,
    "log_sum_exp_in_loops": log_sum_exp,
    "runge_kutta_in_loops": runge_kutta,
    "burgers_in_loops": burgers,
    "bodies_in_loops": bodies,
}
AS_THEY_STAND = (
    "rosenbrock_in_a_loop",
    "black_scholes_in_a_loop",
    "determinant_by_minors",
    "scalar_loop",
)


def version(kernel: Kernel, arguments: tuple[Any, ...]) -> Version:
    """CasADi's derivative of a kernel."""
    if kernel.name.startswith("bundle_adjustment"):
        return Version(_jacobian_blocks(len(arguments[2])), arguments)
    if kernel.name in AS_THEY_STAND:
        function: Any = with_numpy_replaced(kernel.function, {"math": ca})
    elif kernel.name in WRITTEN:
        function = WRITTEN[kernel.name]
    else:
        raise Unserved("not written: it isn't a loop over numbers")
    symbols = [
        Array(f"x{k}", np.shape(a)) if isinstance(a, np.ndarray) else a
        for k, a in enumerate(arguments)
    ]
    own = places(kernel)
    for k in own:
        if not isinstance(arguments[k], np.ndarray):
            symbols[k] = ca.SX.sym(f"x{k}")
    value = function(*symbols)
    inputs = {
        k: s.symbol if isinstance(s, Array) else s
        for k, s in enumerate(symbols)
        if isinstance(s, (Array, ca.SX))
    }
    found = ca.gradient(value, ca.vertcat(*(inputs[k] for k in own)))
    parts = ca.vertsplit(
        found, [0, *np.cumsum([inputs[k].numel() for k in own]).tolist()]
    )
    gradient = ca.Function("gradient", list(inputs.values()), list(parts))
    shapes = [np.shape(arguments[k]) for k in own]
    single = not isinstance(kernel.wrt, tuple)
    return Version(_of_arrays(gradient, tuple(inputs), shapes, single), arguments)


def _of_arrays(
    function: Any, taken: tuple[int, ...], shapes: Sequence[Any], single: bool
) -> Callable[..., Any]:
    """A function of NumPy arrays, which uses their memory."""
    buffer, run = function.buffer()

    def of_arrays(*arguments: Any) -> Any:
        held = [np.asarray(arguments[k], dtype=float) for k in taken]
        for place, array in enumerate(held):
            buffer.set_arg(place, memoryview(array.reshape(-1)))
        results = [np.empty(shape) for shape in shapes]
        for place, array in enumerate(results):
            buffer.set_res(place, memoryview(array.reshape(-1)))
        run()
        return results[0] if single else tuple(results)

    return of_arrays


def _jacobian_blocks(p: int) -> Callable[..., Any]:
    """The Jacobian of one observation's error, mapped over observations."""
    v, feature = ca.SX.sym("v", 15), ca.SX.sym("feature", 2)
    angle = ca.sqrt(ca.sumsqr(v[:3]))
    axis, moved = v[:3] / angle, v[11:14] - v[3:6]
    cosine, sine = ca.cos(angle), ca.sin(angle)
    along = ca.dot(axis, moved) * (1.0 - cosine)
    rotated = moved * cosine + ca.cross(axis, moved) * sine + axis * along
    plane = rotated[:2] / rotated[2]
    square = ca.sumsqr(plane)
    scale = (1.0 + v[9] * square + v[10] * square**2) * v[6]
    error = v[14] * (plane * scale + v[7:9] - feature)
    block = ca.densify(ca.jacobian(error, v))
    one = ca.Function("block", [v, feature], [block.T])  # NumPy's order of memory
    run = _of_arrays(one.map(p), (0, 1), [(p, 2, 15)], True)

    def blocks(
        cameras: Any, points: Any, weights: Any, observations: Any, features: Any
    ) -> Any:
        variables = np.empty((p, 15))
        variables[:, :11] = cameras[observations[:, 0]]
        variables[:, 11:14] = points[observations[:, 1]]
        variables[:, 14] = weights
        return run(variables, features)

    return blocks
