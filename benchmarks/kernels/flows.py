"""Partial differential equations stepped in place: Burgers' equation and heat in a
plate.

Burgers: u_t + u u_x = nu u_xx, first upwind differences in space (u > 0), explicit
Euler; the ends stay as they are. Heat: u_t = k (u_xx + u_yy), five points, the border
stays.
"""

import numpy as np

from benchmarks.kernels.kernel import Kernel, timed


def burgers(u, steps, ratio, diffusion):
    """Energy behind so many steps; ``ratio`` is dt / dx, ``diffusion`` nu dt / dx^2."""
    u = u.copy()
    for _ in range(steps):
        convection = ratio * u[1:-1] * (u[1:-1] - u[:-2])
        u[1:-1] += diffusion * (u[2:] - 2.0 * u[1:-1] + u[:-2]) - convection
    return 0.5 * np.sum(u**2)


def burgers_grad(u, steps, ratio, diffusion):
    u = u.copy()
    kept = np.empty((steps, len(u)))
    for t in range(steps):
        kept[t] = u
        convection = ratio * u[1:-1] * (u[1:-1] - u[:-2])
        u[1:-1] += diffusion * (u[2:] - 2.0 * u[1:-1] + u[:-2]) - convection
    u_bar = u
    for t in reversed(range(steps)):
        u = kept[t]
        inner_bar = u_bar[1:-1].copy()
        scaled = ratio * inner_bar
        carried = scaled * u[1:-1]
        spread = diffusion * inner_bar
        u_bar[1:-1] -= 2.0 * spread + scaled * (u[1:-1] - u[:-2]) + carried
        u_bar[:-2] += spread + carried
        u_bar[2:] += spread
    return u_bar


def burgers_in_loops(u, steps, ratio, diffusion):
    """The same, point by point; an old value is kept where it is overwritten."""
    u = u.copy()
    for _ in range(steps):
        left = u[0]
        for i in range(1, len(u) - 1):
            here = u[i]
            spread = diffusion * (u[i + 1] - 2.0 * here + left)
            u[i] = here + spread - ratio * here * (here - left)
            left = here
    total = 0.0
    for i in range(len(u)):
        total += 0.5 * u[i] ** 2
    return total


def burgers_in_loops_grad(u, steps, ratio, diffusion):
    u = u.copy()
    kept = np.empty((steps, len(u)))
    for t in range(steps):
        kept[t] = u
        left = u[0]
        for i in range(1, len(u) - 1):
            here = u[i]
            spread = diffusion * (u[i + 1] - 2.0 * here + left)
            u[i] = here + spread - ratio * here * (here - left)
            left = here
    u_bar = u
    for t in reversed(range(steps)):
        u = kept[t]
        left_bar = 0.0
        for i in reversed(range(1, len(u) - 1)):
            here, left = u[i], u[i - 1]
            new_bar = u_bar[i]
            scaled = ratio * new_bar
            spread_bar = diffusion * new_bar
            u_bar[i + 1] += spread_bar
            u_bar[i] = (
                new_bar - scaled * (2.0 * here - left) - 2.0 * spread_bar + left_bar
            )
            left_bar = spread_bar + scaled * here
        u_bar[0] += left_bar
    return u_bar


def burgers_data(rng, n, steps):
    return 1.0 + rng.random(n), steps, 0.1, 0.05


def heat(u, steps, rate):
    """Mean square behind so many steps; ``rate`` is k dt / dx^2."""
    u = u.copy()
    for _ in range(steps):
        u[1:-1, 1:-1] += rate * (
            u[2:, 1:-1]
            + u[:-2, 1:-1]
            + u[1:-1, 2:]
            + u[1:-1, :-2]
            - 4.0 * u[1:-1, 1:-1]
        )
    return np.mean(u**2)


def heat_grad(u, steps, rate):
    u = u.copy()
    for _ in range(steps):
        u[1:-1, 1:-1] += rate * (
            u[2:, 1:-1]
            + u[:-2, 1:-1]
            + u[1:-1, 2:]
            + u[1:-1, :-2]
            - 4.0 * u[1:-1, 1:-1]
        )
    u_bar = u
    u_bar *= 2.0 / u.size
    for _ in range(steps):
        moved = rate * u_bar[1:-1, 1:-1]
        u_bar[2:, 1:-1] += moved
        u_bar[:-2, 1:-1] += moved
        u_bar[1:-1, 2:] += moved
        u_bar[1:-1, :-2] += moved
        moved *= 4.0
        u_bar[1:-1, 1:-1] -= moved
    return u_bar


def heat_data(rng, n, steps):
    return rng.normal(size=(n, n)), steps, 0.1


KERNELS = (
    Kernel(
        "burgers_in_place",
        burgers,
        burgers_grad,
        burgers_data,
        timed((100, 100), 1_000, 10_000, tiny=(6, 3)),
    ),
    Kernel(
        "burgers_in_loops",
        burgers_in_loops,
        burgers_in_loops_grad,
        burgers_data,
        timed((10, 20), 30, 100, tiny=(6, 3)),
    ),
    Kernel(
        "heat_in_place",
        heat,
        heat_grad,
        heat_data,
        timed((16, 50), 64, 256, tiny=(5, 3)),
    ),
)
