"""Mechanics, waves, fields and spins."""

import math
from dataclasses import dataclass
from itertools import combinations, product
from types import SimpleNamespace

import numpy as np

from tests.programs.registry import normal, program, uniform

SPEED_OF_LIGHT = 299.792458
CONSTANTS = SimpleNamespace(epsilon=0.4, sigma=0.9, cutoff=2.5)
ATOMS = np.array([[0.0, 0.0], [1.1, 0.2], [0.3, 1.3], [1.6, 1.4], [4.5, 0.1]])


@program(ATOMS, 0.7, wrt=("atoms", "epsilon"))
def lennard_jones(atoms, epsilon=CONSTANTS.epsilon):
    """Energy of a cluster, with a cutoff."""
    energy = 0.0
    for i in range(len(atoms)):
        for j in range(i):
            separation = np.linalg.norm(atoms[i] - atoms[j])
            if separation > CONSTANTS.cutoff:
                continue
            ratio = (CONSTANTS.sigma / separation) ** 6
            energy += 4.0 * epsilon * ratio * (ratio - 1.0)
    return energy


@program(
    (1.0, 0.3, -0.5),
    (0.2, 0.9, 0.4),
    0.4,
    wrt=("charges", "places", "screening"),
    scalar=True,
)
def screened_coulomb(charges, places, screening):
    """Energy of charges on a line, pair by pair."""
    return sum(
        qa * qb * math.exp(-screening * (distance := abs(xa - xb))) / distance
        for (qa, xa), (qb, xb) in combinations(zip(charges, places), 2)
    )


@program(
    [("lens", 0.5), ("gap", 0.8), ("mirror", 2.0), ("gap", 0.8), ("plate", 1.5, 0.1)],
    0.1,
    wrt=("elements", "height"),
    scalar=True,
)
def ray_tracing(elements, height):
    """Height of a ray behind a row of optical elements."""

    def transfer(element):
        match element:
            case ("lens", f):
                return ((1.0, 0.0), (-1.0 / f, 1.0))
            case ("mirror", radius):
                return ((1.0, 0.0), (-2.0 / radius, 1.0))
            case ("gap", d):
                return ((1.0, d), (0.0, 1.0))
            case (str(name), index, *thickness):
                assert name == "plate"
                return ((1.0, sum(thickness) / index), (0.0, 1.0))

    y, angle = height, 0.05
    for (a, b), (c, d) in map(transfer, elements):
        y, angle = a * y + b * angle, c * y + d * angle
    return y**2 + angle


@program(uniform(90, 0.0, 6.0, 3, 4), 0.8, wrt=("angles", "coupling"))
def xy_model(angles, coupling):
    """Energy of spins on a torus."""
    rows, columns = angles.shape
    energy = 0.0
    for i, j in np.ndindex(rows, columns):
        right, below = angles[i, (j + 1) % columns], angles[(i + 1) % rows, j]
        energy -= coupling * (
            np.cos(angles[i, j] - right) + np.cos(angles[i, j] - below)
        )
    return energy


@program(normal(91, 9), 0.2, 3, wrt=("u", "courant"))
def heat_equation(u, courant, steps):
    """Explicit diffusion on a rod with fixed ends, built from slices."""
    assert 0 < courant < 0.5
    for _ in range(steps):
        inner = u[1:-1] + courant * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        u = np.concatenate([u[:1], inner, u[-1:]])
    return np.sum(np.diff(u) ** 2)


@program(0.2, 1.5, wrt=("beta", "energy"), scalar=True)
def lorentz_boosts(beta, energy):
    """Energy after boosts back and forth; a guard refuses what is faster than light."""

    def gamma(b):
        if not -1.0 < b < 1.0:
            raise ValueError("faster than light")
        return 1.0 / math.sqrt(1.0 - b * b)

    def boost(vector, b):
        e, p = vector
        g = gamma(b)
        return g * (e - b * p), g * (p - b * e)

    vector = energy, 0.3 * energy
    for factor in (1.0, 2.0, -3.0, 6.0):
        try:
            vector = boost(vector, factor * beta)
        except ValueError:
            vector = boost(vector, 0.5)
    e, p = vector
    return e * p


@program(3.0, 0.7, 0.02, wrt=("speed", "angle", "drag"), scalar=True)
def projectile(speed, angle, drag):
    """Range of a ball with drag, from the last step before it lands."""
    x = y = 0.0
    vx, vy = speed * math.cos(angle), speed * math.sin(angle)
    dt = 0.02
    while True:
        v = math.hypot(vx, vy) if drag > 1.0 else math.sqrt(vx * vx + vy * vy)
        vx, vy = vx - dt * drag * v * vx, vy - dt * (9.81 + drag * v * vy)
        x_new, y_new = x + dt * vx, y + dt * vy
        if y_new < 0.0:
            fraction = y / (y - y_new)
            return x + fraction * (x_new - x)
        x, y = x_new, y_new


@dataclass(frozen=True, slots=True)
class Vector:
    """A vector in space whose operators are those of textbooks."""

    x: float
    y: float
    z: float

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other):
        return self + (-other)

    def __neg__(self):
        return Vector(-self.x, -self.y, -self.z)

    def __rmul__(self, factor):
        return Vector(factor * self.x, factor * self.y, factor * self.z)

    def __matmul__(self, other):
        return self.x * other.x + self.y * other.y + self.z * other.z

    def cross(self, other):
        return Vector(
            self.y * other.z - self.z * other.y,
            self.z * other.x - self.x * other.z,
            self.x * other.y - self.y * other.x,
        )

    @property
    def norm(self):
        return math.sqrt(self @ self)


@program((1.0, 0.2, 0.5), 0.8, 4, wrt=("velocity", "field"), scalar=True)
def boris_pusher(velocity, field, n):
    """A charge in a magnetic field, by rotations of its velocity."""
    v = Vector(*velocity)
    place = Vector(0.0, 0.0, 0.0)
    t = Vector(0.0, 0.05 * field, 0.05 * field)
    s = (2.0 / (1.0 + t @ t)) * t
    for _ in range(n):
        prime = v + v.cross(t)
        v = v + prime.cross(s)
        place = place + 0.1 * v
    return place.norm + (place - v) @ v


@program(np.array([0.3, 0.5, 0.2]), 1.2, wrt=("fields", "beta"), exact=False)
def ising_partition(fields, beta):
    """Free energy of a small chain, summed over all states."""
    weights = [
        beta * (sum(a * b for a, b in zip(spins, spins[1:])) + np.dot(fields, spins))
        for spins in product((-1.0, 1.0), repeat=len(fields))
    ]
    largest = max(weights)
    return -(largest + math.log(sum(math.exp(w - largest) for w in weights))) / beta
