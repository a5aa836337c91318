"""Stores into attributes that given objects have only in their class at first."""

from __future__ import annotations

import numpy as np

from tests.run_time.programs.table import number, program


class Controller:
    """A PID controller: what it has seen stands in the class before the first step."""

    integral = 0.0
    last = 0.0

    def __init__(self, gain, rate):
        self.gain, self.rate = gain, rate

    def step(self, error):
        self.integral += error
        out = self.gain * error + self.rate * self.integral + 0.1 * (error - self.last)
        self.last = error
        return out


def controllers(n):
    return [Controller(number(), number()) for _ in range(n)]


@program(lambda n: (Controller(number(), number()), [number() for _ in range(n)]))
def controlled(controller, targets):
    state = 0.0
    for target in targets:
        state += 0.1 * controller.step(target - state)
    return state


@program(lambda n: (controllers(n), number()))
def in_turn(controllers, error):
    total = 0.0
    for controller in controllers:
        total += controller.step(error) ** 2
        total += controller.step(error * error)
    return total


class Module:
    training = True

    def eval(self):
        self.training = False


class Layer(Module):
    def __init__(self, w):
        self.w = w

    def __call__(self, x):
        return np.tanh(self.w * x) if self.training else self.w * x


@program(lambda n: ([Layer(0.9 + 0.1 * number()) for _ in range(n)], number()))
def trained_and_not(layers, x):
    for k, layer in enumerate(layers):
        if k % 3 == 0:
            layer.eval()
    for layer in layers:
        x = layer(x)
    return x * x


class Scaled:
    gain = 1.0

    def __init__(self, w):
        self.w = w

    def turned(self, x):
        self.gain = self.gain * x
        return self.gain * self.w


class Shifted(Scaled):
    gain = 2.0

    def turned(self, x):
        self.gain += x
        return self.gain * self.w**2


def of_two_classes(n):
    return [(Scaled, Shifted)[k % 2](number()) for k in range(n)]


@program(lambda n: (of_two_classes(n), number()))
def turned(parts, x):
    total = 0.0
    for part in parts:
        total += part.turned(x)
        total += part.turned(0.1 * x * part.w)
    return total


@program(lambda n: ({f"k{k}": p for k, p in enumerate(of_two_classes(n))}, number()))
def under_keys(parts, x):
    for key in parts:
        parts[key].gain = parts[key].gain * x + parts[key].w
    return sum(part.gain**2 for part in parts.values())


class Gate:
    state = "idle"

    def __init__(self, w):
        self.w = w

    def passes(self, x):
        if self.state == "idle":
            self.state = "busy"
            return x * self.w
        self.state = "idle"
        return x * x * self.w


@program(lambda n: ([Gate(number()) for _ in range(n)], number()))
def gated(gates, x):
    total = 0.0
    for gate in gates:
        total += gate.passes(x) + gate.passes(2.0 * x) * gate.passes(0.5 * x)
    return total


class Node:
    seen = False
    weight = 1.0

    def __init__(self, value, children=()):
        self.value, self.children = value, list(children)


def tree(n):
    nodes = [Node(number()) for _ in range(n)]
    for k in range(1, n):
        nodes[(k - 1) // 2].children.append(nodes[k])
    return nodes[0]


@program(lambda n: (tree(n), number()))
def visited_once(node, x):
    if node.seen:
        return 0.0
    node.seen = True
    node.weight = node.weight * x
    total = node.value * node.weight
    for child in node.children:
        total += visited_once(child, x) * node.weight
    return total
