"""Reactions, equilibria and molecules."""

import math
from collections import namedtuple
from enum import IntEnum
from functools import partial

import numpy as np

from tests.programs.registry import program

GAS_CONSTANT = 8.314e-3
Reaction = namedtuple("Reaction", "prefactor barrier order", defaults=(1,))


def arrhenius(reaction, temperature):
    return reaction.prefactor * math.exp(
        -reaction.barrier / (GAS_CONSTANT * temperature)
    )


@program(
    (Reaction(5.0, 4.0), Reaction(3.0, 6.0, 2)),
    350.0,
    wrt=("reactions", "temperature"),
    scalar=True,
)
def consecutive_reactions(reactions, temperature, n=8):
    """A to B to C in a batch reactor; how much of B there is at the end."""
    first, second = (arrhenius(r, temperature) for r in reactions)
    _, (*_, order) = reactions
    a, b, c = 1.0, 0.0, 0.0
    for _ in range(n):
        forward = first * a
        onward = second * b**order if order != 1 else second * b
        a, b, c = a - 0.1 * forward, b + 0.1 * (forward - onward), c + 0.1 * onward
    assert a > 0.0
    return b / (a + b + c)


@program(0.4, 1.5, wrt=("strength", "acid"), scalar=True)
def weak_acid_ph(strength, acid):
    """The pH of a weak acid, from its equilibrium by Newton's method."""
    h = math.sqrt(strength * acid)
    last = None
    while last is None or abs(h - last) > 1e-14:
        last = h
        excess = h * h + strength * h - strength * acid
        h = h - excess / (2.0 * h + strength)
    return -math.log(h) / math.log(10.0)


@program(
    {"methane": 0.7, "ethane": 0.2, "propane": 0.1},
    {"methane": 2.0, "ethane": 0.6, "propane": 0.2},
    wrt=("feed", "k"),
    scalar=True,
)
def rachford_rice(feed, k):
    """The vapour fraction of a mixture, a flash calculation."""
    total = sum(feed.values())
    z = {name: amount / total for name, amount in feed.items()}

    def balance(v):
        return sum(z[s] * (k[s] - 1.0) / (1.0 + v * (k[s] - 1.0)) for s in z)

    def slope(v):
        return -sum(z[s] * ((k[s] - 1.0) / (1.0 + v * (k[s] - 1.0))) ** 2 for s in z)

    v = 0.5
    for _ in range(30):
        new = v - (delta := balance(v) / slope(v))
        if new >= 1.0 or new <= 0.0:
            v = 0.5 * (v + (1.0 if new >= 1.0 else 0.0))
            continue
        v = new
        if abs(delta) < 1e-12:
            break
    else:
        return math.nan
    return v


@program(2.0, 0.3, (0.5, 1.0, -0.2, 3.0), "competitive", wrt=("vmax", "km", "doses"))
def enzyme_kinetics(vmax, km, doses, inhibition=None, *, inhibitor=0.4):
    """Total rate of an enzyme, with one of several kinds of inhibition."""

    def competitive(s):
        return vmax * s / (km * (1.0 + inhibitor) + s)

    def uncompetitive(s):
        return vmax * s / (km + s * (1.0 + inhibitor))

    laws = {
        None: lambda s: vmax * s / (km + s),
        "competitive": competitive,
        "uncompetitive": uncompetitive,
    }
    law = laws[inhibition]
    return sum(map(law, filter(lambda s: s > 0.0, doses)))


@program(1.1, 0.9, np.array([0.2, 0.5, 0.9]), wrt=("a12", "a21", "x"))
def margules(a12, a21, x):
    """Excess energy of a mixture; composition may be one number or many."""

    def excess(x1):
        x2 = 1.0 - x1
        return x1 * x2 * (a21 * x1 + a12 * x2)

    best = 0.5
    value = excess(best)
    if value > 0.0:
        value = excess(x)
    return np.sum(value) + np.mean(value * best)


@program(
    {"type": "bond", "r": 1.1, "k": 3.0},
    {"type": "angle", "theta": 1.9, "k": 0.5, "theta0": 1.8},
    {"type": "morse", "r": 1.4, "depth": 2.0},
    wrt=("bond", "angle", "morse"),
    scalar=True,
)
def force_field(bond, angle, morse):
    """The energy of a molecule, term by term."""

    def energy(term):
        match term:
            case {"type": "bond", "r": r, "k": k}:
                return k * (r - 1.0) ** 2
            case {"type": "angle", "theta": theta, "k": k, **others}:
                return k * (theta - others.get("theta0", 1.5)) ** 2
            case {"type": "morse", "r": r, "depth": depth} if depth > 0.0:
                return depth * (1.0 - math.exp(-(r - 1.2))) ** 2
            case _:
                raise KeyError(term["type"])

    return sum(energy(term) for term in (bond, angle, morse))


@program(0.6, 1.4, wrt=("u", "tau"), scalar=True)
def oscillating_reaction(u, tau):
    """A Brusselator with steps that shrink when concentrations jump."""
    v, t, steps = 1.5, 0.0, 0
    dt = 0.1 * tau
    while t < 1.0 and steps < 40:
        du = 1.0 - 4.0 * u + u * u * v
        dv = 3.0 * u - u * u * v
        if (jump := max(abs(du), abs(dv)) * dt) > 0.2:
            dt = dt * 0.2 / jump
        u, v, t = u + dt * du, v + dt * dv, t + dt
        steps += 1
    return u * v + t


@program(np.array([1.2, 0.8]), 0.5, wrt=("rates", "time"))
def matrix_exponential(rates, time):
    """A chain of first-order reactions, by scaling, a series and squaring."""
    k1, k2 = rates
    generator = np.array([[-k1, 0.0, 0.0], [k1, -k2, 0.0], [0.0, k2, 0.0]])

    def power_series(m, terms):
        result = term = np.eye(len(m))
        for k in range(1, terms):
            term = term @ m / k
            result = result + term
        return result

    squarings = 3
    e = partial(power_series, terms=9)(generator * time / 2**squarings)
    while squarings:
        e = e @ e
        squarings -= 1
    return (e @ np.array([1.0, 0.0, 0.0]))[1]


class Charge(IntEnum):
    """Charges of ions."""

    SODIUM = 1
    CALCIUM = 2
    CHLORIDE = -1


@program((0.1, 0.05, 0.2), 1.17, wrt=("amounts", "constant"), scalar=True)
def debye_hueckel(amounts, constant):
    """Mean activity coefficient of the ions of a salt solution."""
    ions = dict(zip(Charge, amounts, strict=True))
    strength = 0.5 * sum(c * charge**2 for charge, c in ions.items())
    root = math.sqrt(strength)
    logs = {ion.name: -constant * ion**2 * root / (1.0 + root) for ion in ions}
    if Charge.CALCIUM in ions and logs["CALCIUM"] < logs["SODIUM"]:
        root *= Charge.CALCIUM
    return math.exp(sum(logs.values()) / len(logs)) + 0.1 * root
