"""Functions of which only the run knows which one is called: in lists and dicts of any
length, in objects, under one name in loops, made by calls that call themselves."""

from __future__ import annotations

import functools
import math

from tests.run_time.programs.table import number, program


def weights(n):
    return ([number() for _ in range(n % 40 + 2)], 0.7)


@program(weights, ("ws", "x"))
def in_a_list(ws, x):
    layers = [lambda v, w=w: math.tanh(w * v) for w in ws]
    for layer in layers:
        x = layer(x)
    return x


def scaling(w):
    def scaled(v, by=1.0):
        return by * w * v

    return scaled


@program(weights, ("ws", "x"))
def closures_in_a_list(ws, x):
    layers = [scaling(w) for w in ws]
    for k, layer in enumerate(layers):
        x = math.sin(layer(x) if k % 2 else layer(x, by=x))
    return x


@program(weights, ("ws", "x"))
def of_several_sorts(ws, x):
    steps = []
    for k, w in enumerate(ws):
        steps.append(scaling(w))
        if k % 3 == 0:
            steps.append(math.sin)
        elif k % 3 == 1:
            steps.append(lambda v, w=w: v - w * math.cos(v))
    for step in steps:
        x = step(x)
    return x + steps[-1](2.0 * x)


@program(weights, ("ws", "x"))
def that_read_the_function_around(ws, x):
    rate = 0.5
    steps = []
    for k, w in enumerate(ws):
        steps.append(lambda v, w=w: rate * v + w * x)
    rate = x * x
    total = 0.0
    for step in steps:
        total = step(total)
        rate *= 0.9
    return total


def damped(w, v, by):
    return w * v / (1.0 + by * v * v)


@program(weights, ("ws", "x"))
def with_arguments(ws, x):
    steps = [functools.partial(damped, w, by=0.5 + w) for w in ws]
    for step in steps:
        x = step(x)
    return x


class Layer:
    def __init__(self, w):
        self.w = w

    def forward(self, v):
        return math.tanh(self.w * v)

    def linear(self, v):
        return self.w * v


@program(weights, ("ws", "x"))
def bound_methods(ws, x):
    steps = []
    for k, w in enumerate(ws):
        layer = Layer(w)
        steps.append(layer.linear if k % 2 else layer.forward)
        layer.w *= 1.5
    for step in steps:
        x = step(x)
    return x


@program(weights, ("ws", "x"))
def by_key(ws, x):
    table = {}
    for k, w in enumerate(ws):
        table[k % 7] = lambda v, w=w: w * v + x
    return sum(f(x) for f in table.values()) * table[1](x)


@program(weights, ("ws", "x"))
def beside_numbers(ws, x):
    rows = [(w, lambda v, w=w: w * v * v) for w in ws]
    return sum(w * f(x) for w, f in rows)


@program(weights, ("ws", "x"))
def composed(ws, x):
    f = math.sin
    for w in ws:
        f = (lambda g, w: lambda v: w * g(v) + v)(f, w)
    return f(x)


class Node:
    def __init__(self, value, parents=(), backward=None):
        self.value, self.parents, self.backward = value, parents, backward
        self.grad = 0.0

    def __add__(self, other):
        made = Node(self.value + other.value, (self, other))

        def backward():
            self.grad += made.grad
            other.grad += made.grad

        made.backward = backward
        return made

    def __mul__(self, other):
        made = Node(self.value * other.value, (self, other))

        def backward():
            self.grad += other.value * made.grad
            other.grad += self.value * made.grad

        made.backward = backward
        return made


@program(weights, ("ws", "x"))
def tape_of_closures(ws, x):
    """A reverse-mode differentiation of its own, whose slope is differentiated."""
    start = node = Node(x)
    tape = []
    for w in ws:
        node = node * node + Node(w)
        node.value *= 0.25
        tape += [node.parents[0], node]
    node.grad = 1.0
    for made in reversed(tape):
        made.backward()
    return start.grad + node.value


def powers(n):
    if n == 0:
        return lambda v: v
    inner = powers(n - 1)
    return lambda v: inner(v) * v * 0.5


@program(lambda n: (n % 12 + 1, 1.3), ("x",))
def made_by_recursion(n, x):
    return powers(n)(x) + powers(n // 2)(x)


@program(weights, ("ws", "x"))
def chosen(ws, x):
    steps = []
    for w in ws:
        step = scaling(w) if w > 0.9 else (lambda v, w=w: v / (w + v * v))
        steps.append(step)
    for step in steps:
        x = step(x) + 0.1
    return x


@program(weights, ("ws", "x"))
def compared(ws, x):
    """Functions are what they are under every name, the known ones everywhere."""
    double = lambda v: 2.0 * v  # noqa: E731
    steps = []
    for k, w in enumerate(ws):
        if k % 3 == 0:
            steps.append(lambda v, w=w: w * v)
        elif k % 3 == 1:
            steps.append(double)
        else:
            steps.append(math.sin)
    steps += [double, math.sin]
    last, same = steps[0], 0
    for step in steps:
        same += (step is double) + 3 * (step == math.sin) + 5 * (step is last)
        same += 7 * (step is steps[0]) + 9 * (step != steps[-1])
        last = step
        x = step(x) + (0.1 if callable(step) else 0.2)
    asked = (math.sin in steps) + 2 * (math.cos in steps) + 4 * (double in steps)
    steps.remove(double)
    steps.remove(math.sin)
    return x * (same + asked + steps.index(double) + steps.count(math.sin))


@program(weights, ("ws", "x"))
def beside_none(ws, x):
    steps = [(lambda v, w=w: w * v) if w > 0.9 else None for w in ws]
    for step in steps:
        x = step(x) if callable(step) else math.sin(x)
    return x


@program(weights, ("ws", "x"))
def by_place_alone(ws, x):
    """A keyword of the name of a parameter by place alone is another thing."""
    layers = []
    for w in ws:

        def layer(v, a=w, b=0.3, /, c=0.9, **more):
            return c * math.sin(a * v + b) + more.get("a", 0.1)

        layers.append(layer)
    total = 0.0
    for layer in layers:
        total += layer(x, x) - layer(x, 2.0, x, 1.1)
        x = 0.2 * math.sin(layer(x) + layer(x, a=x, c=x))
        total += x
    return total


@program(weights, ("ws", "x"))
def repeated(ws, x):
    def scaled(v):
        return x * v

    def shifted(v):
        return math.sin(v) + 0.1

    total = 0.0
    for w, f in zip(ws, [scaled] * (len(ws) - 1) + [shifted]):
        total = 0.5 * total + f(w)
    steps = [math.tanh] * len(ws) + [math.cos, shifted]
    for k in range(len(steps)):
        total = 0.9 * steps[-k](total)
    return total


class Activated:
    def __init__(self, weight, activation):
        self.weight = weight
        self.activation = activation

    def __call__(self, x):
        return self.activation(self.weight * x)


@program(weights, ("ws", "x"))
def known_ones_in_objects(ws, x):
    layers = []
    for k, w in enumerate(ws):
        layers.append(Activated(w, math.tanh if k % 2 else math.sin))
    for k, w in enumerate(ws):
        if k % 3:
            layers.append(Activated(w, math.cos))
        else:
            layers.append(Activated(w, lambda v: 0.5 * v))
    for layer in layers:
        x = layer(x) + 0.1
    return x


@program(weights, ("ws", "x"))
def known_ones_appended_on_paths(ws, x):
    steps, named = [], {}
    for k, w in enumerate(ws):
        if w > 1.0:
            steps.append(math.sin)
        else:
            steps.append(math.tanh)
        named[k % 3] = math.cos if k % 2 else math.exp
    for k, (w, step) in enumerate(zip(ws, steps)):
        x = step(w * x) + 0.1 * named[k % 3](x)
    return x
