"""Animals, plants and soils."""

import contextlib
import math
from collections.abc import Iterable
from functools import lru_cache, partial, wraps
from itertools import accumulate, count, groupby, zip_longest

import numpy as np

from tests.programs.registry import normal, program

DEFAULTS = {"mortality": 0.1, "capacity": 2.0}


def seasonal(function):
    """Lets a rate follow the time of the year."""

    @wraps(function)
    def varied(*args, season=0.0, **kwargs):
        return function(*args, **kwargs) * (1.0 + 0.3 * math.sin(season))

    return varied


@seasonal
def uptake(nutrient, /, half, *, maximum=1.0):
    return maximum * nutrient / (half + nutrient)


@program(1.5, 0.4, wrt=("nutrient", "half"), scalar=True)
def plankton(nutrient, half, options=None):
    """Plankton that eats, dies and gives back."""
    settings = {**DEFAULTS, **(options or {})}
    mortality = settings["mortality"]
    alive = 0.2
    for day in range(8):
        eaten = alive * uptake(nutrient, half, season=0.5 * day, maximum=0.8)
        eaten = min(eaten, 0.5 * nutrient)
        dead = mortality * alive
        nutrient, alive = nutrient - eaten + 0.5 * dead, alive + eaten - dead
    assert nutrient >= 0.0, f"no nutrient left after {day} days"
    return alive + 0.1 * nutrient


@lru_cache
def kernel_offsets(reach):
    """Places within reach, with their distances."""
    return tuple(
        (i, j, math.hypot(i, j))
        for i in range(-reach, reach + 1)
        for j in range(-reach, reach + 1)
        if 0 < i * i + j * j <= reach * reach
    )


@program(np.abs(normal(180, 4, 4)), 0.8, wrt=("seeds", "decay"))
def seed_dispersal(seeds, decay, reach=1):
    """Seeds that the wind carries to the neighbours of each cell."""
    arrived = sum(
        math.exp(-distance) * decay * np.roll(seeds, (i, j), axis=(0, 1))
        for i, j, distance in kernel_offsets(reach)
    )
    crowded = 0.0
    for row, column in np.ndindex(seeds.shape):
        if row == column:
            continue
        local = arrived[row, column]
        crowded += local * local if local > 0.5 else 0.25
    return crowded


@program((0.3, 0.2, 0.5), (0.7, 1.1), wrt=("first", "second"), scalar=True)
def interleaved_growth(first, second):
    """Growth rates of two series of unequal length, applied in turn."""
    size = 1.0
    history = [
        size := size * math.exp(0.1 * a - 0.05 * b)
        for a, b in zip_longest(first, second, fillvalue=0.0)
    ]
    totals = accumulate(history)
    for k, total in zip(count(1), totals):
        if total > 2.0:
            break
    else:
        k = 0
    return total / (k or 1) + history[-1]


@program("aabccc", {"a": 0.4, "b": 1.5, "c": 0.8}, wrt="rates", scalar=True)
def sighting_runs(text, rates):
    """Likelihood of runs of sightings, letter by letter."""
    total = 0.0
    for letter, run in groupby(text):
        length = len(list(run))
        rate = rates.get(letter, 1.0)
        total += length * math.log(rate) - rate
        if length > 1:
            bonus = rate / length
    missing = {letter for letter in rates if letter not in text}
    return total + bonus + len(missing)


@contextlib.contextmanager
def plot_of_land(width, height):
    """The area of a plot."""
    if width * height <= 0.0:
        raise ValueError("a plot must have an area")
    yield width * height


@program(2.0, 1.5, [3.0, 0.5, 2.0], wrt=("width", "height", "trees"), scalar=True)
def basal_area(width, height, trees):
    """Share of a plot that is covered by trees, by kinds of guards."""
    covered = 0.0
    with plot_of_land(width, height) as area:
        for radius in trees:
            if radius < 1.0:
                del radius
                continue
            covered += math.pi * (0.1 * radius) ** 2
    with contextlib.suppress(ValueError):
        covered += math.log(1.0 - area)
    with contextlib.ExitStack():
        return covered / area


def running(values: Iterable[float], weight: float):
    """Running means, weighted towards the latest."""
    mean = None
    for value in values:
        mean = value if mean is None else weight * value + (1.0 - weight) * mean
        yield mean


@program([0.5, 1.5, -0.4, 0.9], 0.4, wrt=("yields", "weight"), scalar=True)
def harvest_quota(yields, weight):
    """Quotas from smoothed yields, through chains of iterators."""
    positive = filter(lambda m: m > 0.0, running(yields, weight))
    capped = map(partial(soft_cap, limit=1.2), positive)
    first, *others = capped
    return math.prod(1.0 + q for q in others) * first


def soft_cap(value, *, limit):
    return limit * math.tanh(value / limit)


@program(0.2, 0.5, wrt=("rain", "slope"), scalar=True)
def soil_layers(rain, slope):
    """Water that runs down through layers, each with its own capacity."""
    capacities = [0.05, 0.1, 0.3]
    water, runoff = rain, 0.0
    stored = ()
    for depth, capacity in enumerate(reversed(capacities)):
        kept = capacity * math.tanh(water / capacity)
        water -= kept
        stored = kept, *stored
        for _ in range(depth):
            lost = 0.3 * slope * water
            water, runoff = water - lost, runoff + lost
        if water < 1e-3:
            break
    *_, top = stored
    first = last = top
    first, last = last + runoff, first
    return first * 10.0 + last**2 + depth
