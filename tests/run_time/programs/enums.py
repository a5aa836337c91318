"""Members of enumerations that loops and branches put in the place of others: states,
flags, attributes and keys."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum, Flag, IntEnum, auto
from typing import NamedTuple

from tests.run_time.programs.table import number, program


class Mode(Enum):
    IDLE = auto()
    HEAT = auto()
    COOL = auto()


class Level(IntEnum):
    LOW = 1
    HIGH = 3


class Access(Flag):
    READ = auto()
    WRITE = auto()


class State(NamedTuple):
    time: float
    value: float
    mode: Mode


@dataclass
class Unit:
    heat: float
    mode: Mode


RATES = {Mode.IDLE: 0.1, Mode.HEAT: 0.5, Mode.COOL: -0.3}


def numbers(n):
    return [number() for _ in range(n)], 0.55


def units(n):
    modes = list(Mode)
    return [Unit(number(), modes[k % 3]) for k in range(n)], 0.55


@program(numbers)
def named_tuples_of_states(xs, rate):
    state = State(0.0, rate, Mode.IDLE)
    for x in xs:
        if state.mode is Mode.IDLE:
            state = state._replace(value=state.value * x, mode=Mode.HEAT)
        else:
            state = State(state.time + 0.5, 0.3 * state.value + x, Mode.IDLE)
    return state.value * state.time + state.value


@program(numbers)
def thermostat(xs, rate):
    mode, heat, cost = Mode.IDLE, rate, 0.0
    for x in xs:
        if heat < 0.5:
            mode = Mode.HEAT
        elif heat > 0.9:
            mode = Mode.COOL
        else:
            mode = Mode.IDLE
        heat = heat + RATES[mode] * x
        cost += heat * heat if mode in (Mode.HEAT, Mode.COOL) else heat
    return cost / (len(xs) + 1)


@program(units)
def modes_of_units(units, rate):
    for _ in range(2):
        for unit in units:
            match unit.mode:
                case Mode.IDLE:
                    unit.mode = Mode.HEAT
                    unit.heat *= 1.1
                case Mode.HEAT:
                    unit.mode = Mode.COOL if unit.heat > 0.3 else Mode.HEAT
                    unit.heat += 0.1 * rate
                case _:
                    unit.mode = Mode.IDLE
                    unit.heat -= 0.05
    return sum(u.heat**2 for u in units if u.mode is not Mode.COOL) + rate


@program(numbers)
def totals_by_mode(xs, rate):
    following = {Mode.IDLE: Mode.HEAT, Mode.HEAT: Mode.COOL, Mode.COOL: Mode.IDLE}
    mode, value, seen = Mode.IDLE, rate, []
    for x in xs:
        seen.append((mode, value))
        value, mode = 0.5 * value * x + 0.1, following[mode]
    totals = dict.fromkeys(Mode, 0.0)
    for own, held in seen:
        totals[own] += held
    return totals[Mode.IDLE] * totals[Mode.HEAT] + math.sin(totals[Mode.COOL])


@program(numbers)
def levels_and_flags(xs, rate):
    level, access, value = Level.LOW, Access.READ, rate
    for x in xs:
        value = 0.3 * value * level * x + (0.1 if access & Access.WRITE else 0.2)
        level = Level.HIGH if value < 0.4 else Level.LOW
        access = access ^ Access.WRITE
    return value * value
