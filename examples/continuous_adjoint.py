"""Gradients of the solution of a differential equation, in two ways.

    python examples/continuous_adjoint.py

The state follows dz/dt = f(z, theta). One gradient goes back through the steps of the
integrator (discrete adjoint); it keeps all states. The other solves the adjoint
equation backwards in time,

    da/dt = -(df/dz)^T a,    dL/dtheta = int (df/dtheta)^T a dt,

together with the state, and keeps none. Both products are one pullback of f. It is the
gradient of the exact flow, so the two differ by the error of the integrator.

Sources: Pontryagin et al., The mathematical theory of optimal processes (1962); Chen et
al., Neural ordinary differential equations (2018).
"""

import numpy as np

from s2sad import grad, vjp

TARGET = np.array([0.3, -0.8])
END = 2.0


def velocity(z, theta):
    """A small network: dz/dt."""
    return theta["out"] @ np.tanh(theta["in"] @ z + theta["b"]) - 0.1 * z


def rk4(z, theta, h):
    """One step of the classical Runge-Kutta method."""
    k1 = velocity(z, theta)
    k2 = velocity(z + 0.5 * h * k1, theta)
    k3 = velocity(z + 0.5 * h * k2, theta)
    k4 = velocity(z + h * k3, theta)
    return z + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)


def integrate(z, theta, steps):
    """The state at the end."""
    for _ in range(steps):
        z = rk4(z, theta, END / steps)
    return z


def misfit(z):
    """The squared distance from the target."""
    return np.sum((z - TARGET) ** 2)


def loss(theta, z0, steps):
    """The misfit at the end."""
    return misfit(integrate(z0, theta, steps))


def axpy(x, factor, y):
    """x + factor * y for states of the adjoint equation: (z, a, gradient)."""
    z, a, g = x
    dz, da, dg = y
    return z + factor * dz, a + factor * da, {k: g[k] + factor * dg[k] for k in g}


def adjoint_velocity(state, theta):
    """The right-hand side of the state, its adjoint and the gradient, in time."""
    z, a, _ = state
    dz, pullback = vjp(velocity, z, theta)
    z_bar, theta_bar = pullback(a)
    return dz, -z_bar, {k: -theta_bar[k] for k in theta_bar}


def adjoint_gradient(theta, z0, steps):
    """The gradient by the adjoint equation, integrated from the end to the start."""
    z = integrate(z0, theta, steps)
    state = (z, grad(misfit)(z), {k: np.zeros_like(v) for k, v in theta.items()})
    h = -END / steps
    for _ in range(steps):
        k1 = adjoint_velocity(state, theta)
        k2 = adjoint_velocity(axpy(state, 0.5 * h, k1), theta)
        k3 = adjoint_velocity(axpy(state, 0.5 * h, k2), theta)
        k4 = adjoint_velocity(axpy(state, h, k3), theta)
        for weight, k in ((1.0, k1), (2.0, k2), (2.0, k3), (1.0, k4)):
            state = axpy(state, h / 6.0 * weight, k)
    return state[2]


def distance(first, second):
    """The largest difference of two gradients."""
    return max(np.max(np.abs(first[k] - second[k])) for k in first)


def main():
    """Compare both gradients for more and more steps, and train."""
    rng = np.random.default_rng(0)
    theta = {
        "in": rng.normal(size=(8, 2)),
        "b": 0.1 * rng.normal(size=8),
        "out": 0.3 * rng.normal(size=(2, 8)),
    }
    z0 = np.array([1.0, 0.5])
    discrete = grad(loss)
    for steps in (8, 16, 32):
        error = distance(discrete(theta, z0, steps), adjoint_gradient(theta, z0, steps))
        print(f"{steps:3d} steps: largest difference of the gradients {error:.1e}")

    direction = {k: rng.normal(size=v.shape) for k, v in theta.items()}
    h = 1e-6
    ahead = {k: theta[k] + h * direction[k] for k in theta}
    behind = {k: theta[k] - h * direction[k] for k in theta}
    slope = (loss(ahead, z0, 32) - loss(behind, z0, 32)) / (2.0 * h)
    gradient = discrete(theta, z0, 32)
    product = sum(np.sum(gradient[k] * direction[k]) for k in theta)
    print(f"discrete gradient along a direction {product:.7f}, difference {slope:.7f}")

    start = loss(theta, z0, 16)
    for _ in range(100):
        gradient = adjoint_gradient(theta, z0, 16)
        theta = {k: theta[k] - 0.05 * gradient[k] for k in theta}
    print(f"loss {start:.4f} at the start, {loss(theta, z0, 16):.6f} at the end")


if __name__ == "__main__":
    main()
