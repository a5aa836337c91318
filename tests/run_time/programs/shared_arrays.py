"""Programs that write into arrays of what they are given under several names: in
functions, trees, lists that change, copies and arguments beside them."""

from __future__ import annotations

import copy
from collections import deque
from dataclasses import dataclass, field

import numpy as np

from tests.run_time.programs.table import number, program
from tests.run_time.programs.written_arrays import (
    Particle,
    layers,
    particles,
    rows,
    table,
    vector,
)


@dataclass
class Tree:
    w: np.ndarray
    kids: list = field(default_factory=list)


class Net:
    def __init__(self, n):
        self.layers = layers(n)
        self.state = vector()

    def step(self, x):
        for layer in self.layers:
            self.state[:] = np.tanh(layer.w @ self.state + x)
            layer.b += 0.1 * self.state
        return self.state


def tree(n):
    nodes = [Tree(vector()) for _ in range(n)]
    for i in range(1, n):
        nodes[(i - 1) // 2].kids.append(nodes[i])
    return nodes[0]


def walked(node, k):
    node.w *= k
    node.w[0] += 0.1
    total = node.w.sum()
    for kid in node.kids:
        kid.w[1] = node.w[0] * k
        total = total + walked(kid, k)
    return total


@program(lambda n: (tree(n), 0.9))
def in_a_tree(node, k):
    return walked(node, k)


@program(lambda n: (Net(n), vector()))
def state_beside_layers(net, x):
    y = net.step(x)
    y[0] = 0.3 * y[1]
    z = net.step(y)
    return z @ z + sum(layer.b.sum() for layer in net.layers)


@program(lambda n: (particles(n), 0.3))
def rebound_under_a_name(particles, k):
    first = particles[0].x
    particles[0].x = particles[1].x * k
    first[0] = particles[0].x[0] ** 2
    particles[1].x[:] = 0.5
    return first.sum() + particles[0].x @ particles[1].x


@program(lambda n: (particles(n), 0.3))
def parts_of_itself(particles, k):
    for p in particles:
        p.x[1:] += k * p.x[:-1]
        p.x[1:] = p.x[:-1]
        p.x += p.x
        p.x *= p.x
    return sum(p.x.sum() for p in particles)


@program(lambda n: (particles(n), vector()), wrt=("w",))
def beside_another_array(particles, w):
    w[0] = 2.0 * w[1]
    for p in particles:
        w += p.x
        p.x[0] = w[0] * p.x[0]
        w[1] = p.x[1]
    return w @ w + particles[0].x[0]


@program(lambda n: (particles(n), 0.3))
def in_attempts(particles, k):
    total = 0.0
    for p in particles:
        try:
            p.x[0] = k * p.v[0]
            if p.m > 1.0:
                raise ValueError
            p.x[1] = 2.0
        except ValueError:
            p.x[2] = k
        total += p.x @ p.x
    return total


@program(lambda n: (layers(n), 0.3))
def turned(layers, k):
    for layer in layers:
        layer.w.T[0] = k * layer.b
        np.fill_diagonal(layer.w, k * layer.b[0])
        layer.w.flat[1] = k
        layer.w[np.diag_indices(3)] += layer.b
        layer.w[:, 0], layer.w[:, 1] = layer.w[:, 1].copy(), layer.w[:, 0].copy()
    return sum((layer.w**2).sum() for layer in layers)


@program(lambda n: (layers(n), 0.3))
def by_methods(layers, k):
    for layer in layers:
        layer.b.sort()
        layer.b[:] = layer.b.cumsum()
        np.multiply(layer.w, k, out=layer.w)
        np.copyto(layer.b, layer.w[0])
        layer.w[layer.w > 0.1] = 0.05
        layer.w[...] = layer.w.T
        layer.b.fill(k)
    return sum((layer.w**2).sum() + layer.b.sum() for layer in layers)


@program(lambda n: (layers(n), 0.3))
def row_by_row(layers, k):
    for layer in layers:
        for i in range(3):
            row = layer.w[i]
            row[i] = k
            for j in range(i):
                layer.w[i, j] -= layer.w[j, i] * layer.b[i]
        for row, b in zip(layer.w, layer.b):
            row *= b
        layer.w @= layer.w
        layer.b **= 2
    return sum((layer.w**2).sum() + layer.b.sum() for layer in layers)


@program(lambda n: (particles(n), 0.3))
def made_among_them(particles, k):
    particles.append(Particle(k * particles[0].x, particles[0].v, 1.0))
    particles[-1].x[0] = particles[1].x[1]
    particles[-1].v[0] *= 2.0
    return sum(p.x @ p.v for p in particles)


@program(lambda n: (particles(n), 0.3))
def copied(particles, k):
    own = copy.deepcopy(particles[0])
    own.x[0] = k * particles[0].x[0]
    particles[0].x[1] = own.x[0]
    own.v += own.x
    return sum(p.x @ p.v for p in particles) + own.x @ own.v


@program(lambda n: (particles(n), 0.3))
def chosen(particles, k):
    def go(i):
        particles[i].x[0] = k * particles[i].v[0]
        return particles[i].x

    y = go(1)
    y[1] = 3.0 * k
    largest = max(particles, key=lambda p: p.x[2])
    largest.v[0] = k
    sorted(particles, key=lambda p: p.m)[0].x *= k
    return sum(p.x @ p.v for p in particles)


@program(lambda n: (particles(n), 0.3))
def by_generators(particles, k):
    def places():
        for p in particles:
            yield p.x

    for x in places():
        x[0] *= k
    for x, v in zip(places(), (p.v for p in particles)):
        x += v
    return sum(x @ x for x in places())


@program(lambda n: (deque(rows(n)), 0.3))
def in_a_queue(queue, k):
    queue.append(k * queue.popleft())
    queue[0][0] = queue[-1][1]
    first = queue.popleft()
    first *= k
    queue.appendleft(first)
    return sum((i + 1) * row.sum() for i, row in enumerate(queue))


@program(lambda n: (table(n), 0.3))
def under_other_keys(entries, k):
    one = entries.pop("k1")
    one[0] *= k
    entries["new"] = one
    entries["k0"][1] = entries["new"][0]
    entries["k2"] = k * one
    one[2] = 5.0 * k
    return sum((i + 1) * (v @ v) for i, v in enumerate(entries.values()))


@program(lambda n: (particles(n), 0.3))
def one_after_the_other(particles, k):
    for t in range(1, len(particles)):
        own = particles[t]
        own.x[:] = k * particles[t - 1].x + own.v * own.x
    return particles[-1].x @ particles[-1].x


@program(lambda n: ([number() for _ in range(n)], particles(n), 0.3), wrt=("k",))
def in_dicts_by_place(values, particles, k):
    held = {}
    for i, p in enumerate(particles):
        held[i] = p.x
    held[0][1] = k * held[1][0] * values[0]
    held[1] *= 2.0
    return sum(p.x @ p.x for p in particles)


def shrunk(node, k):
    node.w *= k
    for kid in node.kids:
        kid.w[1] += node.w[0]
        shrunk(kid, k)


def weight(node):
    return node.w @ node.w + sum(weight(kid) for kid in node.kids)


@program(lambda n: (tree(n), 0.9))
def by_a_function_that_gives_nothing(node, k):
    shrunk(node, k)
    return weight(node)


@program(lambda n: (tree(n), 0.9))
def read_by_a_function_before_and_behind(node, k):
    before = weight(node)
    node.w[0] = k * node.w[1]
    node.kids[0].w *= k
    return before * weight(node)
