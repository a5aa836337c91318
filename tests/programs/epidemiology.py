"""Epidemics and populations."""

import math
from dataclasses import dataclass, replace
from itertools import islice, takewhile

import numpy as np

from tests.programs.registry import normal, program, uniform

CONTACTS = uniform(100, 0.2, 1.0, 3, 3)
POPULATION = 1000.0


@dataclass(frozen=True)
class SIR:
    """Susceptible, infected and recovered people."""

    s: float
    i: float
    r: float = 0.0

    @property
    def total(self):
        return self.s + self.i + self.r

    def step(self, beta, gamma):
        infections = beta * self.s * self.i / self.total
        recoveries = gamma * self.i
        return replace(
            self,
            s=self.s - infections,
            i=self.i + infections - recoveries,
            r=self.r + recoveries,
        )


@program(0.6, 0.2, 0.4, wrt=("beta", "gamma", "effect"), scalar=True)
def sir_with_lockdown(beta, gamma, effect):
    """Everyone infected until the outbreak fades; contacts drop while it is large."""
    state = SIR(POPULATION - 5.0, 5.0)
    peak = 0.0
    for day in range(60):
        locked = 60.0 < state.i
        state = state.step(beta * effect if locked else beta, gamma)
        if state.i > peak:
            peak = state.i
        elif day > 10 and state.i < 0.5 * peak:
            break
    return math.log(peak) + state.r / state.total + 0.01 * day


@program(CONTACTS, np.array([0.3, 0.2, 0.1]), wrt=("contacts", "recovery"))
def next_generation(contacts, recovery):
    """The reproduction number, by power iteration."""
    k = contacts / recovery
    v = np.ones(len(recovery))
    value = previous = 0.0
    while True:
        v = k @ v
        value = np.sum(v)
        v = v / value
        if abs(value - previous) < 1e-12 * value:
            return value
        previous = value


@program(
    0.4, 2.0, [3, 0, 5, 2, 0, 7], wrt=("rate", "dispersion"), exact=False, scalar=True
)
def negative_binomial(rate, dispersion, cases):
    """Likelihood of case counts that grow exponentially."""
    total = 0.0
    for day, count in enumerate(cases):
        mean = math.exp(rate * day)
        total += (
            math.lgamma(count + dispersion)
            - math.lgamma(dispersion)
            - math.lgamma(count + 1)
            + dispersion * math.log(dispersion / (dispersion + mean))
        )
        if count == 0:
            continue
        total += count * math.log(mean / (dispersion + mean))
    return -total


@program(0.9, 0.4, wrt=("fecundity", "survival"), scalar=True)
def leslie_population(fecundity, survival):
    """Growth of an age-structured population until it has doubled or died out."""

    def generations(ages):
        while True:
            yield ages
            newborn = fecundity * sum(ages[1:])
            ages = (newborn, *(survival * a for a in ages[:-1]))

    start = (2.0, 3.0, 4.0)
    growing = takewhile(lambda ages: 1.0 < sum(ages) < 18.0, generations(start))
    return sum(sum(ages) ** 2 for ages in islice(growing, 7))


@program(3.2, 0.4, 0.05, 6, wrt=("growth", "size", "harvest"), scalar=True)
def harvested_map(growth, size, harvest, years):
    """A harvested logistic population, year by year; early exit at extinction."""

    def year(size):
        return growth * size * (1.0 - size) - harvest

    caught = 0.0
    for _ in range(years):
        size = year(size)
        if size <= 0.0:
            return caught
        if size > 0.75:
            extra = 0.3 * (size - 0.75)
            size -= extra
            caught += extra
        caught += harvest
    return caught + size


@program(
    (0.4, 0.2),
    ((0, 1, 0.5), (1, 2, 0.3), (2, 0, 0.2)),
    wrt=("rates", "roads"),
    scalar=True,
)
def metapopulation(rates, roads):
    """An infection that travels on roads between three towns."""
    beta, gamma = rates
    infected = {0: 0.1, 1: 0.0, 2: 0.0}
    for _ in range(5):
        arrivals = {
            town: sum(
                flow * (infected[a] if town == b else infected[b])
                for a, b, flow in roads
                if town in (a, b)
            )
            for town in infected
        }
        infected = {
            town: i + 0.1 * (beta * (i + arrivals[town]) * (1.0 - i) - gamma * i)
            for town, i in infected.items()
        }
    return sum(infected.values()) + max(infected.values())


@program(normal(101, 3), 1.7, wrt=("logits", "hazard"), scalar=True)
def branching_extinction(logits, hazard):
    """The chance that a family dies out: a fixed point of its generating function."""
    raw = [math.exp(z) for z in logits]
    chances = [r / sum(raw) for r in raw]

    def horner(coefficients, s):
        if not coefficients:
            return 0.0
        first, *rest = coefficients
        return first + s * horner(rest, s)

    s, generation = 0.0, 0
    while generation < 12:
        s = horner(chances, s)
        generation += 1
    return (1.0 - s) ** hazard + horner(chances[1:], s)
