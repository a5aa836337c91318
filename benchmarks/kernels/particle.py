"""A charged particle that falls through the field of two others, one of which moves
with the control; what is minimised is the square of where it lands.

The acceleration is the derivative of the potential, taken where it is needed, so that
the derivative that an optimiser asks for is of second order.

Source: B. Pearlmutter, J. Siskind, Using programming language theory to make automatic
differentiation sound and efficient, in Advances in Automatic Differentiation (2008).
"""

import math

import s2sad
from benchmarks.kernels.kernel import Kernel, timed


def potential(x, y, w):
    first = 1.0 / math.sqrt((x - 10.0) ** 2 + (y - 10.0 + w) ** 2)
    return first + 1.0 / math.sqrt((x - 10.0) ** 2 + y**2)


def landing(w, steps):
    """The square of where the particle crosses y = 0, with so many steps a second."""
    dt = 1.0 / steps
    x, y, vx, vy = 0.0, 8.0, 0.75, 0.0
    while True:
        ax, ay = s2sad.grad(potential, ("x", "y"))(x, y, w)
        x_new = x + dt * vx
        y_new = y + dt * vy
        if y_new <= 0.0:
            break
        x, y = x_new, y_new
        vx -= dt * ax
        vy -= dt * ay
    x_end = x - y / vy * vx
    return x_end**2


def landing_grad(w, steps):
    dt = 1.0 / steps
    x, y, vx, vy = 0.0, 8.0, 0.75, 0.0
    kept = []
    while True:
        x_new = x + dt * vx
        y_new = y + dt * vy
        if y_new <= 0.0:
            break
        kept.append((x, y))
        dx = x - 10.0
        dy = y - 10.0 + w
        first = (dx * dx + dy * dy) ** -1.5
        second = (dx * dx + y * y) ** -1.5
        x, y = x_new, y_new
        vx += dt * dx * (first + second)
        vy += dt * (dy * first + (kept[-1][1]) * second)
    x_end = x - y / vy * vx
    x_bar = 2.0 * x_end
    y_bar = -x_bar * vx / vy
    vx_bar = -x_bar * y / vy
    vy_bar = x_bar * y / vy**2 * vx
    w_bar = 0.0
    for x, y in reversed(kept):
        dx = x - 10.0
        dy = y - 10.0 + w
        square1 = dx * dx + dy * dy
        square2 = dx * dx + y * y
        first = square1**-1.5
        second = square2**-1.5
        ax_bar = dt * vx_bar
        ay_bar = dt * vy_bar
        vx_bar += dt * x_bar
        vy_bar += dt * y_bar
        along1 = -3.0 * first / square1 * (ax_bar * dx + ay_bar * dy)
        along2 = -3.0 * second / square2 * (ax_bar * dx + ay_bar * y)
        dy_bar = ay_bar * first + along1 * dy
        x_bar += ax_bar * (first + second) + (along1 + along2) * dx
        y_bar += dy_bar + ay_bar * second + along2 * y
        w_bar += dy_bar
    return w_bar


def data(rng, steps):
    return 0.5 * rng.random(), steps


KERNELS = (
    Kernel(
        "particle_in_a_field",
        landing,
        landing_grad,
        data,
        timed((10,), 30, 100, tiny=(3,)),
    ),
)
