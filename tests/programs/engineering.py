"""Circuits, beams, heat and controllers."""

import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tests.programs.registry import normal, program


class Resistor(NamedTuple):
    """A resistance in ohms."""

    ohms: float


class Series(NamedTuple):
    """Parts one after the other."""

    parts: tuple


class Parallel(NamedTuple):
    """Parts side by side."""

    parts: tuple


@program(
    Series((Resistor(2.0), Parallel((Resistor(3.0), Series((Resistor(1.0),) * 2))))),
    wrt="circuit",
    scalar=True,
)
def resistance(circuit):
    """The resistance of a circuit, by mutual recursion with its conductance."""

    def ohms(part):
        match part:
            case Resistor(value) if value > 0.0:
                return value
            case Series(parts=parts):
                return sum(map(ohms, parts))
            case Parallel():
                return 1.0 / siemens(part)
        raise ValueError("a resistor must be positive")

    def siemens(part):
        if isinstance(part, Parallel):
            return sum(siemens(p) for p in part.parts)
        return 1.0 / ohms(part)

    return ohms(circuit)


@program(
    {"e": 2.0, "i": 0.5},
    [{"at": 0.3, "force": 1.0}, {"at": 0.7, "moment": 0.4}, {"from": 0.2, "q": 2.0}],
    wrt=("beam", "loads"),
    scalar=True,
)
def beam_deflection(beam, loads):
    """Deflection of the end of a cantilever under loads of several kinds."""
    stiffness = beam["e"] * beam["i"]

    def deflection(load: Mapping[str, float]):
        match load:
            case {"at": a, "force": force}:
                return force * a * a * (3.0 - a) / 6.0
            case {"at": a, "moment": moment}:
                return moment * a * (1.0 - 0.5 * a)
            case {"from": a, **rest} if rest.keys() == {"q"}:
                (q,) = rest.values()
                return q * (3.0 - 4.0 * a**3 + a**4) / 24.0
            case _:
                raise KeyError("unknown load")

    return sum(map(deflection, loads)) / stiffness


class Plant:
    """A heater with a memory of its constants alone."""

    def __init__(self, gain, lag):
        self.gain, self.lag = gain, lag

    def __call__(self, temperature, power, *, ambient=0.2, dt=0.1):
        loss = (temperature - ambient) / self.lag
        return temperature + dt * (self.gain * power - loss)

    @property
    def steady(self):
        return self.gain * self.lag

    @staticmethod
    def clamp(power, low=0.0, high=2.0):
        if power < low:
            return low
        return high if power > high else power


OVEN = Plant(1.2, 0.8)


@program(1.5, 0.6, wrt=("gain", "target"), scalar=True)
def thermostat(gain, target, plant=OVEN, n=12):
    """Energy and discomfort of a heater with a clamped controller."""
    temperature = energy = discomfort = 0.0
    while n:
        n -= 1
        power = plant.clamp(gain * (target - temperature) + target / plant.steady)
        temperature = plant(temperature, power, ambient=0.1)
        energy += power
        if abs(temperature - target) < 0.02:
            break
        discomfort += (temperature - target) ** 2
    else:
        discomfort += 0.1 * target
    return discomfort + 0.05 * energy


@dataclass(frozen=True)
class Gas:
    """A pressure and a temperature."""

    pressure: float
    temperature: float

    @classmethod
    def compressed(cls, gas, ratio, gamma=1.4):
        return cls(gas.pressure * ratio, gas.temperature * ratio ** (1.0 - 1.0 / gamma))

    @classmethod
    def heated(cls, gas, heat):
        return cls(gas.pressure, gas.temperature + heat)


@program(Gas(1.0, 3.0), 8.0, 7.0, wrt=("inlet", "ratio", "heat"), scalar=True)
def brayton_cycle(inlet, ratio, heat):
    """Efficiency of a gas turbine, stage by stage."""
    stages = (
        functools.partial(Gas.compressed, ratio=ratio),
        functools.partial(Gas.heated, heat=heat),
        functools.partial(Gas.compressed, ratio=1.0 / ratio),
    )
    states = (inlet,)
    for stage in stages:
        states += (stage(states[-1]),)
    temperatures = [state.temperature for state in states]
    a, b, c, d = temperatures
    return ((c - b) - (d - a)) / heat


@program(np.array([0.2, 0.5, 1.1]), 0.02, wrt=("lengths", "roughness"), scalar=True)
def pipe_network(lengths, roughness):
    """Flow through pipes of different friction, each found by its own iteration."""

    def friction(length, guess=0.02):
        factor = guess
        tries = 0
        try:
            while tries < 40:
                argument = roughness / 3.7 + 0.002 / math.sqrt(factor)
                new = 1.0 / (2.0 * math.log10(argument)) ** 2
                if abs(new - factor) < 1e-13:
                    return new * length
                factor = new
                tries += 1
            else:
                raise RuntimeError("friction doesn't settle")
        finally:
            tries = 0

    losses = [friction(length) for length in lengths if length > 0.0]
    short = {k for k, length in enumerate(lengths) if length < 1.0}
    return sum(1.0 / math.sqrt(loss) for loss in losses) / len(short)


@program(normal(170, 4, 2), np.array([1.0, 2.0, 1.5]), wrt=("joints", "stiffness"))
def spring_network(joints, stiffness):
    """Forces in springs, guarded against a singular system."""
    springs = {("a", "b"): 0, ("b", "c"): 1, ("c", "d"): 2}
    place = dict(zip("abcd", joints, strict=True))
    energy = 0.0
    for key in springs.keys():
        start, end = key
        direction = place[end] - place[start]
        length = np.linalg.norm(direction)
        energy += 0.5 * stiffness[springs[key]] * (length - 1.0) ** 2
    gram = np.stack([place["b"] - place["a"], place["c"] - place["a"]])
    try:
        moved = np.linalg.solve(gram, np.ones(2))
    except np.linalg.LinAlgError as error:
        raise ValueError("the joints lie on a line") from error
    finally:
        del gram
    return energy + moved @ moved


@program(0.4, [1.0, 2.0, 4.0, 3.0, 5.0], wrt=("alpha", "loads"), scalar=True)
def merged_peaks(alpha, loads):
    """Soft peak of a list of loads, by divide and conquer."""

    def peak(part):
        if not part:
            return -math.inf
        if len(part) == 1:
            return part[0]
        middle = len(part) // 2
        left, right = peak(part[:middle]), peak(part[middle:])
        if left < right:
            left, right = right, left
        return left + alpha * math.log(1.0 + math.exp((right - left) / alpha))

    heavy = list(filter(lambda load: load > 1.5, loads))
    return peak(loads) - peak(heavy[::-1])


@program(0.9, 0.3, "ABBA", wrt=("gain", "leak"), scalar=True)
def machine_states(gain, leak, inputs):
    """A state machine whose states are functions that give the next one."""
    level = 0.5

    def idle(letter, level):
        return (busy if letter == "B" else idle), level * (1.0 - leak)

    def busy(letter, level):
        follow = idle if letter == "A" else busy
        return follow, level + gain * math.exp(-level)

    state = idle
    for letter in inputs:
        state, level = state(letter, level)
    return level if state is idle else -level
