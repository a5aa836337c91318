"""Orbits, light and the expansion of space."""

import contextlib
import functools
import math
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from tests.programs.registry import normal, program, uniform

PLANCK = MappingProxyType({"matter": 0.31, "lambda": 0.69, "h": 0.68})
FILTERS = {"g": (0.48, 1.2), "r": (0.62, 1.0), "i": (0.75, 0.9)}


class Cosmology:
    """A flat universe; what isn't given is Planck's."""

    def __init__(self, **parameters):
        self.parameters = {**PLANCK, **parameters}

    def expansion(self, z, matter):
        return math.sqrt(matter * (1.0 + z) ** 3 + 1.0 - matter)

    @staticmethod
    def nodes(z, n):
        return tuple((k + 0.5) * z / n for k in range(n))

    @classmethod
    def standard(cls):
        return cls()


UNIVERSE = Cosmology.standard()


@program((0.1, 0.4, 0.9), 0.3, wrt=("redshifts", "matter"), scalar=True)
def distance_moduli(redshifts, matter, universe=UNIVERSE):
    """Magnitudes lost on the way from supernovae, against Planck's universe."""
    total = 0.0
    for z in redshifts:
        nodes = universe.nodes(z, 5)
        ours, theirs = (
            sum(1.0 / universe.expansion(s, m) for s in nodes) * z / len(nodes)
            for m in (matter, universe.parameters["matter"])
        )
        total += (5.0 * math.log10(1.0 + z) + 2.0 * math.log(ours / theirs)) ** 2
    return total


def bracketed(low, high):
    """Refuses results outside of an interval."""

    def decorate(function):
        @functools.wraps(function)
        def checked(*args, **kwargs):
            value = function(*args, **kwargs)
            if not low <= value <= high:
                raise ValueError(f"{function.__name__} gives {value}")
            return value

        return checked

    return decorate


@bracketed(0.0, 2.0 * math.pi)
def eccentric_anomaly(mean, eccentricity, *, iterations=8):
    """Kepler's equation by fixed-point iteration, then Newton."""
    anomaly = mean
    for k in range(iterations):
        error = anomaly - eccentricity * math.sin(anomaly) - mean
        if k < 2:
            anomaly = anomaly - error
        else:
            anomaly -= error / (1.0 - eccentricity * math.cos(anomaly))
    return anomaly


@program(
    1.2, 0.3, 0.4, [0.5, 1.5, 2.5], wrt=("axis", "eccentricity", "phase"), scalar=True
)
def radial_velocity(axis, eccentricity, phase, times):
    """Squared residuals of a star that a planet pulls."""
    period = math.sqrt(axis**3)
    misfit = 0.0
    skipped = 0
    for t, observed in zip(times, (0.4, -0.2, 0.1), strict=True):
        try:
            anomaly = eccentric_anomaly(phase + t / period, eccentricity)
            half = math.tan(0.5 * anomaly)
        except (ValueError, OverflowError):
            skipped += 1
            continue
        finally:
            del observed
        stretched = math.sqrt((1.0 + eccentricity) / (1.0 - eccentricity)) * half
        misfit += (math.cos(2.0 * math.atan(stretched)) - 0.1) ** 2
    return misfit / (len(times) - skipped)


@dataclass(frozen=True)
class Star:
    """A temperature and a radius, and bands in which it is seen."""

    temperature: float
    radius: float = 1.0
    bands: str = "gri"
    limb: dict[str, float] = field(default_factory=lambda: {"u": 0.4, "v": 0.2})

    def radiance(self, wavelength):
        x = 1.4388 / (wavelength * self.temperature)
        return self.radius**2 / wavelength**5 / math.expm1(x)

    @property
    def darkening(self):
        return 1.0 - self.limb["u"] / 3.0 - self.limb["v"] / 6.0


@program(Star(0.6), 0.2, wrt=("star", "extinction"), scalar=True)
def colours(star, extinction):
    """Differences of magnitudes between neighbouring bands."""
    magnitudes = {
        band: -2.5 * math.log10(star.radiance(wavelength) * star.darkening)
        + extinction * law
        for band, (wavelength, law) in FILTERS.items()
        if band in star.bands
    }
    colours = [
        magnitudes[a] - magnitudes[b] for a, b in zip(star.bands, star.bands[1:])
    ]
    return sum(c**2 for c in colours) + magnitudes["r"]


@program(uniform(160, 0.5, 2.0, 3, 3), 0.6, wrt=("image", "width"))
def point_spread(image, width):
    """An image blurred by its neighbours, and how concentrated it stays."""
    rows, columns = image.shape

    def blurred(i, j):
        value = 0.0
        for (k, m), flux in np.ndenumerate(image):
            distance = (i - k) ** 2 + (j - m) ** 2
            if distance > 4:
                continue
            value = value + flux * np.exp(-distance / width)
        return value

    total = sum(blurred(*place) ** 2 for place in np.ndindex(rows, columns))
    with np.errstate(divide="ignore"):
        return np.log(total) - 2.0 * np.log(np.sum(image))


@program(normal(161, 4), 1.4, wrt=("residuals", "scale"))
def light_curve(residuals, scale):
    """A likelihood whose scale is fixed or depends on the time."""
    if scale > 1.0:
        sigma = scale
    else:
        sigma = scale * np.linspace(1.0, 2.0, len(residuals))
    for k in (1, 2):
        if k == 2 and np.ndim(sigma) == 0:
            sigma = sigma * np.exp(0.1 * residuals)
    with np.errstate(all="raise"), contextlib.suppress(FloatingPointError):
        return np.sum(0.5 * (residuals / sigma) ** 2 + np.log(sigma))
    return np.inf


@program((1.0, 0.1, 0.0, 0.9), 0.02, wrt=("orbit", "pull"), scalar=True)
def perturbed_orbit(orbit, pull):
    """Revolutions counted by a nested function; it remembers where the body was."""
    x, y, vx, vy = orbit
    crossings, last = 0, y

    def watch(height):
        nonlocal crossings, last
        if last < 0.0 <= height or height < 0.0 <= last:
            crossings += 1
        change, last = height - last, height
        return change

    climbed = 0.0
    while crossings < 2:
        r3 = (x * x + y * y) ** 1.5
        vx, vy = vx - 0.1 * x / r3 + 0.1 * pull, vy - 0.1 * y / r3
        x, y = x + 0.1 * vx, y + 0.1 * vy
        climbed += abs(watch(y))
        if x * x + y * y > 9.0:
            break
    else:
        return climbed + x
    return climbed
