"""Attributes and items that hold None first, and arrays that are stored there later."""

from __future__ import annotations

import numpy as np

from tests.run_time.programs.table import number, program


def numbers(n):
    return ([number() for _ in range(n + 1)],)


class Layer:
    def __init__(self, w):
        self.w = w
        self.last = None

    def __call__(self, a):
        if self.last is not None:
            a = a + 0.1 * self.last
        self.last = np.tanh(self.w * a)
        return self.last


@program(numbers)
def last_of_layers(xs):
    layers = [Layer(x) for x in xs]
    a = np.array([0.3, -0.2])
    for _ in range(3):
        for layer in layers:
            a = layer(a)
    return float(np.sum(a))


class Momentum:
    def __init__(self, rate):
        self.rate = rate
        self.m = None

    def step(self, w, g):
        if self.m is None:
            self.m = np.zeros_like(w)
        self.m = 0.9 * self.m + g
        return w - self.rate * self.m


@program(numbers)
def momenta_forgotten(xs):
    w = np.array([1.0, -2.0])
    for k, momentum in enumerate([Momentum(0.1 * x) for x in xs]):
        for _ in range(3):
            w = momentum.step(w, w)
            if k % 2:
                momentum.m = None
    return float(w @ w)


class Cell:
    def __init__(self, rest):
        self.hidden = None
        self.rest = rest


@program(numbers)
def hidden_in_a_chain(xs):
    head = None
    for _ in xs:
        head = Cell(head)
    node, k = head, 0
    while node is not None:
        node.hidden = np.array([xs[k], 0.5])
        if node.rest is not None and k % 2:
            node.rest.hidden = node.hidden * 2.0
        k += 1
        node = node.rest
    total, node = 0.0, head
    while node is not None:
        if node.hidden is not None:
            total = 0.9 * total + float(node.hidden @ node.hidden)
        node = node.rest
    return total


def layers(n):
    made = [Layer(number()) for _ in range(n + 1)]
    for layer in made[::2]:
        layer.last = np.array([number(), number()])
    return made, number()


@program(layers)
def last_of_given_layers(layers, c):
    a = np.array([c, -0.2])
    for _ in range(2):
        for layer in layers:
            a = layer(a)
    return float(np.sum(a))


@program(numbers)
def slots_of_a_list(xs):
    slots = [None] * 4
    total = 0.0
    for k, x in enumerate(xs):
        i = k % 4
        if slots[i] is None:
            slots[i] = np.array([x, x * x])
        else:
            slots[i] = slots[i] * x
        total += float(slots[i][0])
    return total


@program(numbers)
def list_on_two_paths(xs):
    made = [np.array([x, 1.0]) if x > 0.8 else None for x in xs]
    for x in xs:
        made.append(np.array([x, 2.0, x]) if x < 0.9 else None)
    total = 0.0
    for k, array in enumerate(made):
        if array is not None:
            total += k * array.sum() ** 2
    while made:
        last = made.pop()
        if last is not None:
            return total + float(last @ last)
    return total


@program(numbers)
def dict_of_slots(xs):
    slots = {k: None for k in range(3)}
    for k, x in enumerate(xs):
        old = slots[k % 3]
        slots[k % 3] = np.array([x, 1.0]) if old is None else np.sin(old) * x
    return sum(float(v.sum()) for v in slots.values() if v is not None)


@program(numbers)
def arrays_of_other_shapes(xs):
    slots = [None] * 3
    total = 0.0
    for k, x in enumerate(xs):
        slots[k % 3] = np.full(1 + k % 2, x)
        total += float(slots[k % 3].sum()) ** 2
    return total
