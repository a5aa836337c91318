"""Programs that store into the objects they are given in try statements."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from tests.run_time.programs.table import names_of, number, program


@dataclass
class Tank:
    level: float
    rate: float
    above: Tank | None = None
    log: list = field(default_factory=list)


def tanks(n):
    made = [Tank(number(), number()) for _ in range(n)]
    for lower, upper in zip(made, made[1:], strict=False):
        lower.above = upper
    return made


@program(lambda n: (tanks(n), 0.3), wrt=("tanks", "by"))
def half_stored(tanks, by):
    """Some raise behind the first store, and keep it."""
    for tank in tanks:
        try:
            tank.level = tank.level * tank.rate
            tank.rate = tank.rate + math.sqrt(1.0 + by - tank.level)
            tank.level = tank.level * by
        except ValueError:
            tank.rate = tank.rate * 2.0
    return sum(tank.level * tank.rate for tank in tanks)


@program(lambda n: (tanks(n),))
def stored_at_the_end(tanks):
    total = 0.0
    for tank in tanks:
        try:
            root = math.sqrt(tank.level - 0.9)
            tank.level = root * tank.rate
        except ValueError:
            total += tank.level**2
        else:
            total += tank.level
            tank.rate = total
        finally:
            tank.level = tank.level * 0.5
    return total + sum(tank.level * tank.rate for tank in tanks)


@program(lambda n: (tanks(n), 0.7), wrt=("tanks", "by"))
def references_in_attempts(tanks, by):
    for place, tank in enumerate(tanks):
        try:
            tank.above = tanks[place // 2]
            tank.level = math.log(tank.level - by) * tank.above.level
            tank.above = tanks[0]
        except ValueError:
            tank.level = tank.level + by
    total = 0.0
    for tank in tanks:
        total += tank.level * tank.above.rate
    return total


@program(lambda n: (names_of(n), 0.4), wrt=("weights", "by"))
def of_missing_keys(weights, by):
    missing = 0.0
    for name in [*weights, "other", "k0"]:
        try:
            weights[name] = weights[name] * by
            weights[name + "x"] = weights[name + "x"] * by
        except KeyError:
            missing += by
    return missing * sum(w**2 for w in weights.values())


@program(lambda n: ([number() for _ in range(n)], 0.4), wrt=("xs", "by"))
def until_the_end(xs, by):
    place = 0
    try:
        while True:
            xs[place] = xs[place] * by
            by = by + xs[place]
            place += 1
    except IndexError:
        by = by * 0.5
    return by * sum(xs)


def filled(tank, amount):
    """Raises a handler's exception in another function that is kept."""
    tank.level = tank.level + amount
    if tank.level > 1.4:
        raise OverflowError
    tank.rate = tank.rate * tank.level


@program(lambda n: (tanks(n), 0.4), wrt=("tanks", "amount"))
def raised_in_calls(tanks, amount):
    total = 0.0
    for tank in tanks:
        try:
            filled(tank, amount)
            filled(tank, amount * tank.rate)
        except OverflowError:
            total += tank.level**2
    return total + sum(tank.rate * tank.level for tank in tanks)


@program(lambda n: (tanks(n),))
def nested_attempts(tanks):
    total = 0.0
    for tank in tanks:
        try:
            try:
                tank.level = tank.level * 1.1
                tank.rate = math.sqrt(tank.rate - 0.8)
            except ValueError:
                tank.rate = tank.level
                tank.level = math.sqrt(tank.level - 1.0)
            tank.level = tank.rate * tank.level
        except ValueError:
            total += tank.level
    return total * sum(tank.rate * tank.level for tank in tanks)


def far_from_one(n):
    """Tanks whose rates aren't next to 1, where the root is too steep for
    differences."""
    made = tanks(n)
    for tank in made:
        tank.rate += 0.2 if 1.0 < tank.rate else 0.0
    return made


@program(lambda n: (far_from_one(n), 0.3), wrt=("tanks", "t"))
def made_in_attempts(tanks, t):
    """Objects are made and put in between, where nothing raises."""
    for tank in tanks:
        try:
            tank.above = Tank(math.sqrt(tank.rate - 1.0) * t, tank.level, tank.above)
        except ValueError:
            t = t * 1.1
    total, tank = 0.0, tanks[0]
    while tank is not None:
        total = 0.9 * total + tank.level * tank.rate
        tank = tank.above
    return total


class Pump:
    def __init__(self, q):
        self.q, self.log = q, [q]

    def step(self, e):
        self.q *= e
        self.log.append(self.q)
        root = math.sqrt(self.q - 0.5)
        self.log[0] += root
        return root


@program(lambda n: ([Pump(number()) for _ in range(n)], 0.6), wrt=("pumps", "x"))
def methods_that_store_and_raise(pumps, x):
    total = 0.0
    for pump in pumps:
        try:
            total += pump.step(x)
            total += pump.step(x * 1.3)
        except ValueError:
            pump.log.append(x * x)
            total += pump.q
    return total + sum(sum(pump.log) * len(pump.log) for pump in pumps)


class Twig:
    def __init__(self, v, twigs):
        self.v, self.twigs = v, twigs


def twig(n):
    root = Twig(number(), [])
    made = [root]
    for k in range(n):
        made.append(Twig(number(), []))
        made[k // 2].twigs.append(made[-1])
    return root


def swollen(twig, x):
    twig.v *= x
    if twig.v > 1.9:
        raise ValueError
    for other in twig.twigs:
        swollen(other, x)
        other.v += 0.1 * twig.v
    twig.v += math.log(twig.v)


@program(lambda n: (twig(n), 1.3), wrt=("root", "x"))
def a_recursion_that_stores_and_raises(root, x):
    try:
        swollen(root, x)
        total = root.v
    except ValueError:
        total = 2.0 * x
        root.v *= 0.5
    for other in root.twigs:
        total = total * 0.9 + other.v**2
    return total * root.v
