"""JAX: ``jax.jit`` of the gradient, in double precision; loops over time are scans.

Kernels without loops run on ``jax.numpy`` as they stand. What is a shape or a number of
steps is static. Results are waited for.
"""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp
import jax.scipy.special

from benchmarks.kernels import lstm, scalar_loops, without_stores
from benchmarks.kernels.kernel import Kernel
from benchmarks.kernels.peers import Unserved, Version, places, with_numpy_replaced
from benchmarks.kernels.without_stores import WITHOUT_STORES

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_platforms", "cpu")

NAMES = {"np": jnp, "ndtr": jax.scipy.special.ndtr}


def runge_kutta(x, steps):  # type: ignore
    h = 2.0 / steps

    def derivative(y):  # type: ignore
        return x * jnp.concatenate((jnp.ones(1), y[:-1]))

    def step(_, y):  # type: ignore
        k1 = derivative(y)
        k2 = derivative(y + 0.5 * h * k1)
        k3 = derivative(y + 0.5 * h * k2)
        k4 = derivative(y + h * k3)
        return y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)

    return jax.lax.fori_loop(0, steps, step, jnp.zeros_like(x))[-1]


_cell = with_numpy_replaced(lstm.lstm_cell, NAMES)


def lstm_loss(main, extra, state, sequence):  # type: ignore
    def step(carried, characters):  # type: ignore
        now, wanted = characters
        x, after = now * extra[0], []
        for layer in range(len(main)):
            hidden, cell = carried[layer]
            x, cell = _cell(main[layer, 0], main[layer, 1], hidden, cell, x)
            after.append((x, cell))
        prediction = x * extra[1] + extra[2]
        normed = prediction - jnp.log(jnp.sum(jnp.exp(prediction)) + 2.0)
        return after, jnp.dot(wanted, normed)

    first = [(one[0], one[1]) for one in state]
    _, terms = jax.lax.scan(step, first, (sequence[:-1], sequence[1:]))
    return -jnp.sum(terms) / (sequence.shape[1] * (len(sequence) - 1))


_burgers_step = with_numpy_replaced(without_stores.burgers_step, NAMES)
_heat_step = with_numpy_replaced(without_stores.heat_step, NAMES)


def burgers(u, steps, ratio, diffusion):  # type: ignore
    def step(_, u):  # type: ignore
        return _burgers_step(u, ratio, diffusion)

    return 0.5 * jnp.sum(jax.lax.fori_loop(0, steps, step, u) ** 2)


def heat(u, steps, rate):  # type: ignore
    u = jax.lax.fori_loop(0, steps, lambda _, u: _heat_step(u, rate), u)
    return jnp.mean(u**2)


def kalman(f, q, h, r, observations):  # type: ignore
    def step(carried, z):  # type: ignore
        x, p = carried
        x = f @ x
        p = f @ p @ f.T + q
        s = h @ p @ h.T + r
        inverse = jnp.linalg.inv(s)
        innovation = z - h @ x
        term = jnp.log(jnp.linalg.det(s)) + innovation @ (inverse @ innovation)
        gain = p @ h.T @ inverse
        return (x + gain @ innovation, p - gain @ h @ p), term

    d = f.shape[0]
    _, terms = jax.lax.scan(step, (jnp.zeros(d), jnp.eye(d)), observations)
    return 0.5 * (jnp.sum(terms) + observations.size * math.log(2.0 * math.pi))


def hidden_markov(start, transition, emission, observations):  # type: ignore
    chances = jax.nn.softmax(transition, axis=1)
    seen = jax.nn.softmax(emission, axis=1)

    def step(alpha, symbol):  # type: ignore
        scale = jnp.sum(alpha)
        return (alpha / scale) @ chances * seen[:, symbol], jnp.log(scale)

    alpha = jax.nn.softmax(start) * seen[:, observations[0]]
    alpha, terms = jax.lax.scan(step, alpha, observations[1:])
    return jnp.sum(terms) + jnp.log(jnp.sum(alpha))


def damped_map(x, theta, n):  # type: ignore
    def step(_, carried):  # type: ignore
        x, total = carried
        x = x + 0.1 * jnp.sin(theta * x)
        return x, total + x * x

    return jax.lax.fori_loop(0, n, step, (x, 0.0))[1] / n


def rosenbrock_in_a_loop(x):  # type: ignore
    def step(total, pair):  # type: ignore
        here, after = pair
        return total + 100.0 * (after - here**2) ** 2 + (1.0 - here) ** 2, None

    return jax.lax.scan(step, 0.0, (x[:-1], x[1:]))[0]


_accelerations = with_numpy_replaced(scalar_loops.accelerations, NAMES)


def bodies(positions, velocities, masses, steps, dt):  # type: ignore
    def step(_, carried):  # type: ignore
        positions, velocities, force = carried
        velocities = velocities + 0.5 * dt * force
        positions = positions + dt * velocities
        force = _accelerations(positions, masses)
        return positions, velocities + 0.5 * dt * force, force

    first = (positions, velocities, _accelerations(positions, masses))
    positions, velocities, _ = jax.lax.fori_loop(0, steps, step, first)
    kinetic = 0.5 * jnp.sum(masses * jnp.sum(velocities**2, axis=1))
    return kinetic + jnp.sum(positions**2)


WRITTEN = {
    "runge_kutta": runge_kutta,
    "lstm": lstm_loss,
    "lstm_wide": lstm_loss,
    "burgers_in_place": burgers,
    "heat_in_place": heat,
    "kalman_filter": kalman,
    "hidden_markov_model": hidden_markov,
    "scalar_loop": damped_map,
    "rosenbrock_in_a_loop": rosenbrock_in_a_loop,
    "bodies": bodies,
}
AS_THEY_STAND = (
    "gaussian_mixture",
    "gaussian_mixture_low_dimension",
    "k_means",
    "least_squares",
    "log_sum_exp",
    "determinant_by_minors",
    "mlp_small",
    "mlp_large",
    "softmax_regression",
    "attention",
    "black_scholes",
    "rosenbrock",
)


def version(kernel: Kernel, arguments: tuple[Any, ...]) -> Version:
    """JAX's derivative of a kernel."""
    constant: Any = int | list | tuple
    if kernel.name.startswith("gaussian_mixture"):
        constant |= float  # the prior's, whose logarithm is math.log's
    static = tuple(k for k, a in enumerate(arguments) if isinstance(a, constant))
    arrays = tuple(
        a if k in static else jnp.asarray(a) for k, a in enumerate(arguments)
    )
    if kernel.name == "determinant_by_minors" and len(arguments[0]) > 5:
        raise Unserved("the recursion is written out, which takes minutes to compile")
    if kernel.name == "bundle_adjustment":
        return Version(_waited_for(jax.jit(_jacobian_blocks())), arrays)
    if kernel.name == "k_means_hessian_diagonal":
        gradient = jax.grad(with_numpy_replaced(kernel.function, NAMES))

        def derivatives(centres: Any, points: Any) -> Any:
            ones = jnp.ones_like(centres)
            return jax.jvp(lambda c: gradient(c, points), (centres,), (ones,))

        return Version(_waited_for(jax.jit(derivatives)), arrays)
    if kernel.name.startswith("hand_tracking"):
        errors = with_numpy_replaced(WITHOUT_STORES[kernel.name], NAMES)
        simple = kernel.name == "hand_tracking_simple"
        jacobian = jax.jacfwd(errors) if simple else _jacobian_on_triangles(errors)
        return Version(_waited_for(jax.jit(jacobian)), arrays)
    if kernel.name in WRITTEN:
        function: Any = WRITTEN[kernel.name]
    elif kernel.name in AS_THEY_STAND:
        text = WITHOUT_STORES.get(kernel.name, kernel.function)
        function = with_numpy_replaced(text, NAMES)
    else:
        raise Unserved("not written")
    own = places(kernel)
    chosen = own if isinstance(kernel.wrt, tuple) else own[0]
    gradient = jax.jit(jax.grad(function, chosen), static_argnums=static)
    hashable = tuple(tuple(a) if isinstance(a, list) else a for a in arrays)
    return Version(_waited_for(gradient), hashable)


def _waited_for(function: Any) -> Any:
    return lambda *arguments: jax.block_until_ready(function(*arguments))


def _jacobian_on_triangles(errors: Any) -> Any:
    def jacobian(theta: Any, us: Any, *model: Any) -> Any:
        directions = jnp.eye(2)[:, None, :] * jnp.ones_like(us)
        own = jax.vmap(
            lambda d: jax.jvp(lambda us: errors(theta, us, *model), (us,), (d,))[1],
            out_axes=2,
        )(directions)
        return jnp.concatenate((own, jax.jacfwd(errors)(theta, us, *model)), axis=2)

    return jacobian


def _jacobian_blocks() -> Any:
    from benchmarks.kernels.bundle_adjustment import projection_errors

    errors = with_numpy_replaced(projection_errors, NAMES)

    def one(camera, point, weight, feature):  # type: ignore
        return errors(camera[None], point[None], weight[None], feature[None])[0]

    rows = jax.vmap(jax.jacrev(one, (0, 1, 2)))

    def blocks(cameras, points, weights, observations, features):  # type: ignore
        own = cameras[observations[:, 0]], points[observations[:, 1]]
        camera, point, weight = rows(*own, weights, features)
        return jnp.concatenate((camera, point, weight[..., None]), axis=2)

    return blocks
