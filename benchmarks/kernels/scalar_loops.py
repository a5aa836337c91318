"""Rosenbrock's function, a long loop over one number, and bodies that attract each
other.

Rosenbrock: sum 100 (x_{i+1} - x_i^2)^2 + (1 - x_i)^2. The loop iterates a damped map.
The bodies are stepped by the leapfrog method (kick, drift, kick) under softened
gravity.
"""

import math

import numpy as np

from benchmarks.kernels.kernel import Kernel, timed


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def rosenbrock_grad(x):
    left = x[:-1]
    difference_bar = x[1:] - left**2
    difference_bar *= 200.0
    x_bar = np.empty_like(x)
    x_bar[0] = 0.0
    x_bar[1:] = difference_bar
    difference_bar *= left
    difference_bar *= 2.0
    x_bar[:-1] -= difference_bar
    x_bar[:-1] -= 2.0 * (1.0 - left)
    return x_bar


def rosenbrock_in_a_loop(x):
    total = 0.0
    for i in range(len(x) - 1):
        total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


def rosenbrock_in_a_loop_grad(x):
    x_bar = np.zeros_like(x)
    for i in range(len(x) - 1):
        here = x[i]
        difference_bar = 200.0 * (x[i + 1] - here**2)
        x_bar[i + 1] = difference_bar
        x_bar[i] -= 2.0 * (difference_bar * here + (1.0 - here))
    return x_bar


def rosenbrock_data(rng, n):
    return (rng.normal(size=n),)


def damped_map(x, theta, n):
    total = 0.0
    for _ in range(n):
        x = x + 0.1 * math.sin(theta * x)
        total += x * x
    return total / n


def damped_map_grad(x, theta, n):
    kept = []
    for _ in range(n):
        kept.append(x)
        x = x + 0.1 * math.sin(theta * x)
    x_bar = theta_bar = 0.0
    total_bar = 1.0 / n
    for i in reversed(range(n)):
        x_bar += total_bar * 2.0 * x
        x = kept[i]
        phase_bar = 0.1 * x_bar * math.cos(theta * x)
        theta_bar += phase_bar * x
        x_bar += phase_bar * theta
    return x_bar, theta_bar


def damped_map_data(rng, n):
    return rng.random(), 0.5 + rng.random(), n


SOFTENING = 0.01


def accelerations(positions, masses):
    """Of bodies (n, 3) with masses (n,)."""
    apart = positions - positions[:, None, :]
    square = np.sum(apart**2, axis=2) + SOFTENING
    return np.sum(apart * (masses * square**-1.5)[:, :, None], axis=1)


def bodies(positions, velocities, masses, steps, dt):
    """Kinetic energy and spread of the bodies at the end."""
    force = accelerations(positions, masses)
    for _ in range(steps):
        velocities = velocities + 0.5 * dt * force
        positions = positions + dt * velocities
        force = accelerations(positions, masses)
        velocities = velocities + 0.5 * dt * force
    kinetic = 0.5 * np.sum(masses * np.sum(velocities**2, axis=1))
    return kinetic + np.sum(positions**2)


def _accelerations_adjoint(positions, masses, force_bar):
    apart = positions - positions[:, None, :]
    square = np.sum(apart**2, axis=2) + SOFTENING
    power = square**-1.5
    along = np.sum(apart * force_bar[:, None, :], axis=2)
    masses_bar = np.sum(along * power, axis=0)
    square_bar = -3.0 * masses * along * power / square
    apart *= square_bar[:, :, None]
    apart += (masses * power)[:, :, None] * force_bar[:, None, :]
    return np.sum(apart, axis=0) - np.sum(apart, axis=1), masses_bar


def bodies_grad(positions, velocities, masses, steps, dt):
    kept = [positions]
    force = accelerations(positions, masses)
    for _ in range(steps):
        velocities = velocities + 0.5 * dt * force
        positions = positions + dt * velocities
        kept.append(positions)
        force = accelerations(positions, masses)
        velocities = velocities + 0.5 * dt * force
    masses_bar = 0.5 * np.sum(velocities**2, axis=1)
    velocities_bar = masses[:, None] * velocities
    positions_bar = 2.0 * positions
    force_bar = np.zeros_like(positions)
    for t in reversed(range(steps)):
        force_bar += 0.5 * dt * velocities_bar
        moved, masses_more = _accelerations_adjoint(kept[t + 1], masses, force_bar)
        positions_bar += moved
        masses_bar += masses_more
        velocities_bar += dt * positions_bar
        force_bar = 0.5 * dt * velocities_bar
    moved, masses_more = _accelerations_adjoint(kept[0], masses, force_bar)
    return positions_bar + moved, velocities_bar, masses_bar + masses_more


def bodies_in_loops(positions, velocities, masses, steps, dt):
    """The same, pair by pair and in place."""
    x, v = positions.copy(), velocities.copy()
    n = len(masses)
    for step in range(steps + 1):
        for i in range(n):
            for j in range(n):
                if i != j:
                    dx = x[j, 0] - x[i, 0]
                    dy = x[j, 1] - x[i, 1]
                    dz = x[j, 2] - x[i, 2]
                    square = dx * dx + dy * dy + dz * dz + SOFTENING
                    pull = masses[j] / (square * math.sqrt(square))
                    half = 0.5 * dt if step == 0 or step == steps else dt
                    v[i, 0] += half * pull * dx
                    v[i, 1] += half * pull * dy
                    v[i, 2] += half * pull * dz
        if step < steps:
            for i in range(n):
                for k in range(3):
                    x[i, k] += dt * v[i, k]
    energy = 0.0
    for i in range(n):
        for k in range(3):
            energy += 0.5 * masses[i] * v[i, k] ** 2 + x[i, k] ** 2
    return energy


def bodies_in_loops_grad(positions, velocities, masses, steps, dt):
    x, v = positions.copy(), velocities.copy()
    n = len(masses)
    kept = []
    for step in range(steps + 1):
        half = 0.5 * dt if step == 0 or step == steps else dt
        for i in range(n):
            for j in range(n):
                if i != j:
                    dx = x[j, 0] - x[i, 0]
                    dy = x[j, 1] - x[i, 1]
                    dz = x[j, 2] - x[i, 2]
                    square = dx * dx + dy * dy + dz * dz + SOFTENING
                    pull = half * masses[j] / (square * math.sqrt(square))
                    v[i, 0] += pull * dx
                    v[i, 1] += pull * dy
                    v[i, 2] += pull * dz
        kept.append(x.copy())
        if step < steps:
            for i in range(n):
                for k in range(3):
                    x[i, k] += dt * v[i, k]
    x_bar, v_bar = np.empty_like(x), np.empty_like(v)
    masses_bar = np.zeros_like(masses)
    for i in range(n):
        for k in range(3):
            masses_bar[i] += 0.5 * v[i, k] ** 2
            v_bar[i, k] = masses[i] * v[i, k]
            x_bar[i, k] = 2.0 * x[i, k]
    for step in reversed(range(steps + 1)):
        if step < steps:
            for i in range(n):
                for k in range(3):
                    v_bar[i, k] += dt * x_bar[i, k]
        x = kept[step]
        half = 0.5 * dt if step == 0 or step == steps else dt
        for i in range(n):
            for j in range(n):
                if i != j:
                    dx = x[j, 0] - x[i, 0]
                    dy = x[j, 1] - x[i, 1]
                    dz = x[j, 2] - x[i, 2]
                    square = dx * dx + dy * dy + dz * dz + SOFTENING
                    power = half / (square * math.sqrt(square))
                    along = v_bar[i, 0] * dx + v_bar[i, 1] * dy + v_bar[i, 2] * dz
                    masses_bar[j] += power * along
                    pull = power * masses[j]
                    factor = -3.0 * pull * along / square
                    dx_bar = pull * v_bar[i, 0] + factor * dx
                    dy_bar = pull * v_bar[i, 1] + factor * dy
                    dz_bar = pull * v_bar[i, 2] + factor * dz
                    x_bar[j, 0] += dx_bar
                    x_bar[j, 1] += dy_bar
                    x_bar[j, 2] += dz_bar
                    x_bar[i, 0] -= dx_bar
                    x_bar[i, 1] -= dy_bar
                    x_bar[i, 2] -= dz_bar
    return x_bar, v_bar, masses_bar


def bodies_data(rng, n, steps):
    return (
        rng.normal(size=(n, 3)),
        rng.normal(size=(n, 3)),
        0.5 + rng.random(n),
        steps,
        0.01,
    )


BODIES_WRT = ("positions", "velocities", "masses")
KERNELS = (
    Kernel(
        "rosenbrock",
        rosenbrock,
        rosenbrock_grad,
        rosenbrock_data,
        timed((10,), 3_000, 1_000_000, tiny=(5,)),
    ),
    Kernel(
        "rosenbrock_in_a_loop",
        rosenbrock_in_a_loop,
        rosenbrock_in_a_loop_grad,
        rosenbrock_data,
        timed((10,), 1_000, 100_000, tiny=(5,)),
    ),
    Kernel(
        "scalar_loop",
        damped_map,
        damped_map_grad,
        damped_map_data,
        timed((1_000,), 30_000, 1_000_000, tiny=(5,)),
        ("x", "theta"),
    ),
    Kernel(
        "bodies",
        bodies,
        bodies_grad,
        bodies_data,
        timed((5, 20), 20, 80, tiny=(3, 2)),
        BODIES_WRT,
    ),
    Kernel(
        "bodies_in_loops",
        bodies_in_loops,
        bodies_in_loops_grad,
        bodies_data,
        timed((3, 5), 6, 12, tiny=(3, 2)),
        BODIES_WRT,
    ),
)
