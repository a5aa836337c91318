"""Programs that store numbers into attributes of the objects they are given."""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass, field

import numpy as np

from tests.run_time.programs.table import number, program


@dataclass
class Body:
    x: float
    v: float
    m: float = 1.0


@dataclass
class Joint:
    left: Body
    right: Body
    k: float


@dataclass
class Box:
    total: float
    items: list = field(default_factory=list)


class Neuron:
    def __init__(self, w):
        self.w = w
        self.state = 0.1
        self.steps = 0

    def step(self, signal):
        self.state = math.tanh(self.w * self.state + signal)
        self.steps += 1
        return self.state


class Slots:
    __slots__ = ("first", "second")

    def __init__(self, first, second):
        self.first, self.second = first, second


class Link:
    def __init__(self, weight, behind):
        self.weight = weight
        self.behind = behind
        self.seen = 0.0


def bodies(n):
    return [Body(number(), number(), number()) for _ in range(n)]


def joined(n):
    made = bodies(n)
    return made, [Joint(a, b, number()) for a, b in zip(made, made[1:], strict=False)]


def chain(n):
    link = None
    for _ in range(n):
        link = Link(number(), link)
    return link


@program(lambda n: (bodies(n), 0.3))
def scaled(bodies, k):
    for b in bodies:
        b.x = b.x * k
    return sum(b.x**2 for b in bodies)


@program(lambda n: (bodies(n), 0.3), wrt=("k",))
def scaled_by(bodies, k):
    for b in bodies:
        b.x = b.x * k
        b.v = k
    return sum(b.x**2 * b.v for b in bodies)


@program(lambda n: (bodies(n),))
def oscillates(bodies):
    for _ in range(4):
        for b in bodies:
            b.v -= 0.1 * b.x / b.m
            b.x += 0.1 * b.v
    return sum(b.x * b.v for b in bodies)


@program(joined)
def joined_by_springs(bodies, joints):
    for _ in range(3):
        for j in joints:
            f = j.k * (j.right.x - j.left.x)
            j.left.v += 0.1 * f / j.left.m
            j.right.v -= 0.1 * f / j.right.m
        for b in bodies:
            b.x += 0.1 * b.v
    return sum(b.x**2 + b.v for b in bodies)


@program(joined, wrt=("joints",))
def read_through_others(bodies, joints):
    for b in bodies:
        b.x = b.x**2
    return sum(j.left.x * j.k + j.right.v for j in joints)


@program(lambda n: ([b for b in bodies(n) for _ in range(2)],))
def shared_objects(bodies):
    for b in bodies:
        b.x *= 1.1
    return sum(b.x**2 for b in bodies)


@program(lambda n: (bodies(n),))
def of_itself(bodies):
    first, last = bodies[0], bodies[-1]
    first.x = 2.0 * last.x
    last.x = first.x * last.v
    first.v = first.x * first.v
    return first.x * first.v + last.x * last.v


@program(lambda n: (bodies(n),))
def read_before_and_after(bodies):
    total = 0.0
    for b in bodies:
        before = b.x
        b.x = math.sin(before)
        total += before * b.x
        b.x = before
    return total + sum(b.x * b.v for b in bodies)


@program(lambda n: (bodies(n),))
def neighbours(bodies):
    for a, b in zip(bodies, bodies[1:], strict=False):
        b.x += 0.5 * a.x
        a.v = b.x * a.v
    return sum(b.x * b.v for b in bodies)


@program(lambda n: (bodies(n),))
def overwritten(bodies):
    for b in bodies:
        b.x = 3.0
    for b in bodies:
        b.v = 0
    return sum(b.x * b.m + b.v for b in bodies)


@program(lambda n: (bodies(n),))
def sometimes(bodies):
    for b in bodies:
        if b.x > 1.0:
            b.x = b.x**2
        elif b.v > 1.0:
            b.v = b.x
    return sum(b.x * b.v for b in bodies)


@program(lambda n: (bodies(n),))
def leaves_early(bodies):
    total = 0.0
    for b in bodies:
        b.x = b.x * b.v
        total += b.x
        if total > 2.0:
            break
        b.v = total
    return sum(b.x * b.v for b in bodies)


@program(lambda n: (bodies(n),))
def until_small(bodies):
    count = 0
    while bodies[0].x > 0.2 and count < 20:
        for b in bodies:
            b.x *= 0.7 * math.cos(b.v)
        count += 1
    return sum(b.x for b in bodies)


@program(lambda n: (bodies(n),))
def copied_numbers(bodies):
    xs = [b.x for b in bodies]
    lazily = (b.x for b in bodies)
    for b in bodies:
        b.x = 0.5 * b.x**2
    return sum(xs) * sum(lazily)


@program(lambda n: (bodies(n),))
def pairs_of_numbers(bodies):
    pairs = [(b.x, b.v) for b in bodies]
    for b, (x, v) in zip(bodies, pairs, strict=True):
        b.x, b.v = v * b.x, x * b.v
    return sum(x * b.x + v * b.v for b, (x, v) in zip(bodies, pairs, strict=True))


@program(lambda n: (bodies(n),))
def swapped_numbers(bodies):
    for a, b in zip(bodies, bodies[1:], strict=False):
        a.x, b.x = b.x, a.x
    return sum(k * b.x for k, b in enumerate(bodies))


@program(lambda n: (bodies(n),))
def in_one_expression(bodies):
    def moved(b):
        b.x = b.x * b.v
        return b.x

    total = 0.0
    for b in bodies:
        total += b.x * moved(b) + b.x
    return total


@program(lambda n: ([Neuron(number()) for _ in range(n)], 0.4))
def steps_of_neurons(neurons, signal):
    for t in range(3):
        for n in neurons:
            signal = n.step(0.5 * signal)
    return signal + sum(n.state * n.steps for n in neurons)


@program(lambda n: ([Neuron(number()) for _ in range(n)], 0.4), wrt=("signal",))
def steps_by_signal(neurons, signal):
    for n in neurons:
        signal = n.step(0.5 * signal)
    return signal + sum(n.state for n in neurons)


@program(lambda n: ([Slots(number(), number()) for _ in range(n)],))
def slots(values):
    for s in values:
        s.first, s.second = s.second * s.first, s.first
    return sum(s.first * s.second for s in values)


@program(lambda n: (chain(n),))
def along_a_chain(link):
    carried = 1.0
    here = link
    while here is not None:
        here.seen = carried * here.weight
        carried = 0.5 + 0.5 * math.sin(here.seen)
        here = here.behind
    total = 0.0
    here = link
    while here is not None:
        total += here.seen * here.weight
        here = here.behind
    return total


@program(lambda n: (Box(number(), [number() for _ in range(n)]),))
def into_one(box):
    for x in box.items:
        box.total = box.total * 0.9 + x * x
    return box.total**2


@program(lambda n: (Box(number(), bodies(n)),))
def into_one_and_many(box):
    for b in box.items:
        box.total += b.x
        b.x = box.total * b.v
    return box.total + sum(b.x for b in box.items)


@program(lambda n: ({f"b{k}": body for k, body in enumerate(bodies(n))},))
def bodies_by_name(named):
    for name, b in named.items():
        b.x *= 2.0 if name == "b1" else b.v
    return sum(b.x * b.v for b in named.values())


@program(lambda n: (bodies(n),))
def by_numpy(bodies):
    for b in bodies:
        b.x = np.sin(b.x)
        b.v = np.exp(-b.x) + b.v
    return sum(b.x * b.v for b in bodies)


@program(lambda n: (bodies(n),))
def chosen_by_place(bodies):
    best = bodies[0]
    for b in bodies:
        if b.x > best.x:
            best = b
        best.v += b.v * b.x
    best.x = best.v
    return sum(b.x * b.v for b in bodies)


@program(lambda n: (bodies(n),))
def moved_references(bodies):
    order = sorted(bodies, key=lambda b: b.x)
    for a, b in zip(order, order[1:], strict=False):
        a.x += b.v * a.x
        b.v *= 0.9
    return sum(b.x * b.v for b in bodies)


@program(lambda n: (bodies(n),))
def others_made(bodies):
    ghosts = [Body(b.x, b.v, 1.0) for b in bodies]
    for b, g in zip(bodies, ghosts, strict=True):
        b.x = g.x * g.v + b.x
    return sum(b.x * g.x for b, g in zip(bodies, ghosts, strict=True))


@program(lambda n: (bodies(n), 0.1))
def summed_by_a_helper(bodies, dt):
    def energy():
        return sum(0.5 * b.m * b.v**2 + 0.5 * b.x**2 for b in bodies)

    start = energy()
    for b in bodies:
        b.v -= dt * b.x
        b.x += dt * b.v
    return (energy() - start) ** 2 + start


@program(lambda n: (bodies(n),))
def counted(bodies):
    total = 0.0
    for k, b in enumerate(bodies):
        b.m = k
        total += b.x * b.m
        b.m = b.x
    return total + sum(b.m**2 for b in bodies)


@program(lambda n: (bodies(n), bodies(n)))
def two_lists(ours, theirs):
    for a, b in zip(ours, theirs, strict=True):
        a.x, b.x = a.x * b.x, a.x + b.x
    return sum(a.x * b.v for a, b in zip(ours, theirs, strict=True)) + theirs[0].x ** 2


@dataclass
class Particle:
    pos: np.ndarray
    vel: np.ndarray
    mass: float


def particles(n):
    rng = np.random.default_rng(n)
    return [Particle(rng.random(3), rng.random(3), number()) for _ in range(n)]


@program(lambda n: (particles(n), 0.1))
def moved_particles(particles, dt):
    for _ in range(3):
        for p in particles:
            p.vel = p.vel - dt * p.pos / p.mass
            p.pos = p.pos + dt * p.vel
    return sum(np.sum(p.pos**2) for p in particles)


@program(lambda n: (particles(n), 0.1), wrt=("dt",))
def moved_by_steps(particles, dt):
    for p in particles:
        p.vel = np.exp(-dt * p.pos)
        p.pos = p.pos + dt * p.vel
    return sum(p.pos @ p.vel for p in particles)


@program(lambda n: (particles(n),))
def handed_around(particles):
    w = np.exp(particles[0].pos)
    for p in particles:
        p.vel = w
        w = w * p.pos + 0.1
    first = particles[0].vel
    for p in particles:
        p.pos = first * p.vel
        first = first + p.pos
    return sum(np.sum(p.pos * p.vel) for p in particles) + first.sum()


@program(lambda n: (particles(n),))
def views_kept(particles):
    total = 0.0
    for p in particles:
        front = p.pos[:2]
        p.pos = np.sin(p.pos)
        p.vel = p.pos[::-1]
        total += front @ p.pos[:2] + p.vel[0]
    return total + sum(p.vel @ p.pos for p in particles)


@program(lambda n: (particles(n),))
def swapped_arrays(particles):
    for p, q in zip(particles, particles[1:], strict=False):
        p.pos, q.pos = q.pos, p.vel
        p.vel = p.pos
    return sum(k * np.sum(p.pos * p.vel) for k, p in enumerate(particles))


@program(lambda n: (particles(n),))
def accumulated_arrays(particles):
    force = np.zeros(3)
    for p in particles:
        force = force + p.pos * p.mass
    for p in particles:
        p.vel = force
        force = force * 0.9
        p.vel = p.vel + force
    for p in particles:
        p.pos = np.zeros(3)
    return sum(np.sum(p.vel**2 + p.pos) for p in particles)


@program(lambda n: (bodies(n),))
def copies_kept(bodies):
    before = copy.deepcopy(bodies)
    best = bodies[0]
    kept = copy.copy(best)
    for b in bodies:
        b.x = 2.0 * b.x
        if b.x > best.x:
            best = b
            kept = copy.copy(b)
        b.v = kept.x
        kept.v += b.x
    return kept.v + sum(
        b.x * old.x * b.v for b, old in zip(bodies, before, strict=True)
    )


@program(lambda n: (particles(n),))
def handed_on_changed(particles):
    w = particles[0].vel
    for p in particles:
        w = w + p.pos
        p.pos = w
        w = w - 0.1 * p.vel  # what was stored stays as it is
        p.vel = w
        w = np.tanh(w)
    return sum(np.sum(p.pos * p.vel) for p in particles)


def energy(body):
    return body.x**2 + (energy(body.behind) if body.behind is not None else 0.0)


@dataclass
class Linked:
    x: float
    behind: object = None


def linked(n):
    found = None
    for _ in range(n):
        found = Linked(number(), found)
    return found


@program(lambda n: (linked(n),))
def by_itself_before_and_behind(first):
    before = energy(first)
    first.x = 2.0 * first.x
    first.behind.x = first.x
    return before * energy(first)


@program(lambda n: (linked(n),))
def by_itself_at_last(first):
    first.x = 2.0 * first.x
    return energy(first)


@program(lambda n: (particles(n), np.full(3, number())), wrt=("start",))
def placed(particles, start):
    for p in particles:
        p.pos = start
    return sum(p.pos @ p.vel for p in particles)


class Net:
    def __init__(self, n):
        self.layers = bodies(n)
        self.rate = 0.3

    def step(self, signal):
        for layer in self.layers:
            layer.x += self.rate * signal * layer.m
        return signal * self.rate


@program(lambda n: (Net(n), 0.4))
def steps_of_an_object_with_a_list(net, signal):
    later = net.step(net.step(signal))
    return later + sum(layer.x * layer.v for layer in net.layers)
