"""Programs whose handlers go on with what a call stored before it raised: a call of
the function that the handler stands in, and calls through others."""

from __future__ import annotations

import contextlib
import math
from collections import deque
from dataclasses import dataclass

import numpy as np

from tests.run_time.programs.table import number, program


@dataclass
class Node:
    v: float
    log: list
    table: dict
    kids: list


def leaf():
    return Node(number(), [number(), number()], {"a": number(), "b": number()}, [])


def nodes(n):
    made = [leaf() for _ in range(n)]
    for node in made:
        node.kids.append(leaf())
    return made


def tree(n):
    root = leaf()
    root.v = 0.6
    made = [root]
    for k in range(n):
        made.append(leaf())
        made[k // 2].kids.append(made[-1])
    return root


def swollen(node, x):
    node.v *= x
    if node.v > 1.5:
        raise ValueError
    for other in node.kids:
        try:
            swollen(other, x)
            other.v += 0.1 * node.v
        except ValueError:
            node.v += other.v**2 * x
    node.v += math.log(node.v)


@program(lambda n: (tree(n), 1.3), wrt=("root", "x"))
def handlers_inside_and_outside(root, x):
    try:
        swollen(root, x)
        total = root.v
    except ValueError:
        total = 2.0 * x
        root.v *= 0.5
    for other in root.kids:
        total = total * 0.9 + other.v**2
    return total * root.v


@program(lambda n: (tree(n), 1.01), wrt=("root", "x"))
def handlers_inside(root, x):
    swollen(root, x)
    total = root.v
    for other in root.kids:
        total = total * 0.9 + other.v**2
    return total * root.v


def walked(node, x):
    """A handler returns."""
    node.v *= x
    if node.v > 1.3:
        raise ValueError
    total = node.v
    try:
        for other in node.kids:
            total += walked(other, x) * other.v
    except ValueError:
        node.v = total
        return -total
    return math.log(node.v) + total


@program(lambda n: (tree(n), 1.1), wrt=("root", "x"))
def handlers_that_return(root, x):
    total = walked(root, x)
    for other in root.kids:
        total = total * 0.9 + other.v**2
    return total * root.v


def noted(node, log, x):
    """A list of the program gets items."""
    log.append(node.v * x)
    if node.v > 1.2:
        raise ValueError
    for other in node.kids:
        try:
            noted(other, log, x * 0.9)
        except ValueError:
            log.append(log[-1] ** 2)
    log.append(sum(log))


@program(lambda n: (tree(n), 1.1), wrt=("root", "x"))
def appended_in_attempts(root, x):
    log = []
    noted(root, log, x)
    total = 0.0
    for k, v in enumerate(log):
        total = 0.5 * total + v * (1 + 0.1 * k)
    return total


def entered(node, x):
    node.log.append(node.v * x)
    node.log.append(x)
    node.log[0] *= 1.1
    if node.v > 1.3:
        raise KeyError
    for kid in node.kids:
        try:
            entered(kid, node.log[-1] * kid.v)
            kid.log.pop()
        except KeyError:
            node.log.append(kid.log[0] * kid.log.pop())
    node.log[-1] += x


@program(lambda n: (tree(n), 1.1), wrt=("root", "x"))
def kept_lists_in_attempts(root, x):
    entered(root, x)
    total = sum(root.log) * len(root.log)
    for kid in root.kids:
        total += sum(kid.log) * len(kid.log)
    return total


def tabled(node, x):
    node.table["b"] = x * node.v
    if node.v > 1.3:
        raise KeyError
    for kid in node.kids:
        try:
            tabled(kid, node.table["b"] * kid.v)
            node.table["a"] = kid.table["a"] * x
        except KeyError:
            node.table["c"] = kid.table["b"] ** 2
    del node.table["b"]


@program(lambda n: (tree(n), 1.1), wrt=("root", "x"))
def kept_dicts_in_attempts(root, x):
    tabled(root, x)
    total = sum(root.table.values())
    for kid in root.kids:
        total += sum(kid.table.values()) * len(kid.table)
    return total


def mapped(table, k, x):
    table[k] = table[k - 1] * x
    if table[k] > 1.4:
        raise KeyError
    try:
        if k < 8:
            mapped(table, k + 1, x * 1.02)
        table[-1] = x
    except KeyError:
        table[k + 100] = x * table[k + 1]


@program(lambda n: (n, 1.1), wrt=("x",))
def own_dicts_in_attempts(n, x):
    table = {0: x}
    mapped(table, 1, 1.03 * x)
    return sum(table.values())


def summed(node, w, x):
    w[0] += x * node.v
    if node.v > 1.3:
        raise KeyError
    for kid in node.kids:
        try:
            summed(kid, w, 0.9 * x)
            w *= 0.9
        except KeyError:
            w[1] += w[0] ** 2
    w[2] = w[0] * w[1]


@program(lambda n: (tree(n), 0.6), wrt=("root", "x"))
def arrays_in_attempts(root, x):
    w = np.zeros(3)
    summed(root, w, x)
    return np.sum(w * w)


def counted(node, x):
    """The value of the call is used, and there are handlers of two exceptions."""
    node.v = node.v * x
    if node.v > 1.4:
        raise OverflowError
    total = math.sqrt(node.v - 0.6)
    for kid in node.kids:
        try:
            total += counted(kid, x) * kid.v
        except OverflowError:
            kid.v = 1.0 + 0.1 * x
            total += kid.v
        except ValueError:
            node.v += kid.v
        else:
            total *= 1.01
        finally:
            kid.v *= 1.02
    return total * node.v


@program(lambda n: (tree(n), 1.1), wrt=("root", "x"))
def several_handlers(root, x):
    total = counted(root, x)
    for other in root.kids:
        total = total * 0.9 + other.v**2
    return total * root.v


def even(node, x):
    node.v *= x
    total = 0.0
    for kid in node.kids:
        try:
            total += odd(kid, x)
        except ValueError:
            total += 2.0 * kid.v
    return total + node.v


def odd(node, x):
    node.v += x
    if node.v > 2.2:
        raise ValueError
    return node.v * sum(even(kid, x) for kid in node.kids) + math.sqrt(node.v)


@program(lambda n: (tree(n), 1.1), wrt=("root", "x"))
def attempts_of_each_other(root, x):
    total = even(root, x)
    for other in root.kids:
        total = total * 0.9 + other.v**2
    return total * root.v


def enters(node, x):
    node.log.append(x * node.v)
    node.log[0] *= x
    if node.v > 1.2:
        raise KeyError
    node.log.insert(0, math.sqrt(node.v))
    node.table["a"] *= node.log.pop()


@program(lambda n: (nodes(n), 1.1), wrt=("nodes", "x"))
def called_twice(nodes, x):
    total = 0.0
    for node in nodes:
        try:
            enters(node, x)
            enters(node, x * node.table["a"])
        except KeyError:
            total += node.log[-1] * x
    return total * sum(sum(n.log) * n.table["a"] for n in nodes)


def level2(node, x):
    node.v *= 1.05
    enters(node, x)
    node.v *= x


@program(lambda n: (nodes(n), 1.1), wrt=("nodes", "x"))
def through_levels(nodes, x):
    total = 0.0
    for node in nodes:
        try:
            level2(node, x)
        except KeyError as error:
            total += node.v * len(error.args) + node.v
        else:
            total *= 1.1
    return total * sum(sum(n.log) * n.table["a"] + n.v for n in nodes)


def retried(node, x):
    try:
        enters(node, x)
    except KeyError:
        node.v *= 0.5
        enters(node, x)
        raise


@program(lambda n: (nodes(n), 1.1), wrt=("nodes", "x"))
def raised_again(nodes, x):
    total = 0.0
    for node in nodes:
        try:
            retried(node, x)
        except KeyError:
            total += node.log[0]
        finally:
            total *= 1.01
            node.v += 0.1 * x
    return total * sum(sum(n.log) * n.table["a"] + n.v for n in nodes)


@program(lambda n: (nodes(n), 1.1), wrt=("nodes", "x"))
def suppressed_in_calls(nodes, x):
    for node in nodes:
        with contextlib.suppress(KeyError):
            enters(node, x)
            node.v *= node.log[0]
    return sum(sum(n.log) * n.table["a"] + n.v for n in nodes)


class Meter:
    """Properties and operators that store and raise."""

    def __init__(self, value):
        self.value = value
        self.reads = 0.0

    @property
    def read(self):
        self.reads += self.value
        if self.value > 1.2:
            raise ValueError("it is too high")
        return self.value**2

    def __iadd__(self, x):
        self.value *= x
        if self.value < 0.7:
            raise ArithmeticError
        self.value += 0.1
        return self

    def __getitem__(self, k):
        self.reads += k * self.value
        if k > 2:
            raise IndexError
        return self.value * k


@program(lambda n: ([Meter(number()) for _ in range(n)], 0.8), wrt=("meters", "x"))
def properties_and_operators(meters, x):
    total = 0.0
    for meter in meters:
        try:
            total += meter.read
            meter += x
            total += meter.read * x
        except (ValueError, ArithmeticError):
            total += meter.value * 2.0
    return total * sum(m.reads + m.value for m in meters)


@program(lambda n: ([Meter(number()) for _ in range(n)], 0.8), wrt=("meters", "x"))
def items_until_index_error(meters, x):
    total = 0.0
    for meter in meters:
        k = 0
        try:
            while True:
                total += meter[k] * x
                k += 1
        except IndexError:
            total *= 1.1
    return total * sum(m.reads + m.value for m in meters)


@program(lambda n: (nodes(n), 1.1), wrt=("nodes", "x"))
def in_comprehensions(nodes, x):
    def grown(node):
        node.v *= x
        if node.v > 1.4:
            raise ValueError
        node.log.append(node.v)
        return node.v * node.v

    total = 0.0
    try:
        total = sum([grown(node) for node in nodes])
    except ValueError:
        total = x
    try:
        total += sum(grown(node) for node in nodes[1:])
    except ValueError:
        total += x * x
    return total + sum(sum(n.log) + n.v for n in nodes)


@program(lambda n: (n, 1.1), wrt=("x",))
def captured_in_attempts(n, x):
    """Variables of the enclosing function, lists, dicts and deques of the program."""
    state, log, table, queue = x, [x], {0: x}, deque([x])

    def step(k, by):
        nonlocal state
        state = state * by
        log.append(state)
        table[k] = log[-1] * log[0]
        queue.append(table[k])
        if len(queue) > 3:
            queue.popleft()
        if state > 2.0:
            raise OverflowError
        queue.append(x)
        log[0] = math.sqrt(state) * log[0]

    for k in range(n):
        try:
            step(k, 1.0 + 0.1 * x)
            step(k + 1, x)
        except OverflowError:
            state = state * 0.4
            log.append(x)
    return state + sum(log) + sum(table.values()) * sum(queue)


def made(node, kids, x):
    kids.append(Node(x, [x], {"a": x, "b": 1.0}, kids[:1]))
    kids[-1].v *= node.v
    if node.v > 1.1:
        raise ValueError
    kids[-1].log.append(node.v)
    node.kids = list(kids)


@program(lambda n: (nodes(n), 1.1), wrt=("nodes", "x"))
def objects_made(nodes, x):
    total = 0.0
    for node in nodes:
        kids = [node]
        try:
            made(node, kids, x)
            made(node, node.kids, x * x)
        except ValueError:
            total += kids[-1].v * len(kids)
        for kid in node.kids:
            total += kid.v * sum(kid.log)
    return total


@program(lambda n: (np.array([number() for _ in range(n)]), 1.1), wrt=("w", "x"))
def arrays_of_the_program(w, x):
    w = w * 1.0

    def scaled(w, k):
        w[k] *= x
        w[1:] += 0.05 * w[k]
        if w[k] > 1.2:
            raise ValueError
        w *= 0.9
        return w[0]

    total = 0.0
    for k in range(len(w)):
        try:
            total += scaled(w, k)
            total += scaled(w, k - 1)
        except ValueError:
            w[0] = total + w[-1]
            total = total * 0.9
    return total + np.sum(w * w)


@program(lambda n: (nodes(n), 1.1), wrt=("nodes", "x"))
def unlike_results(nodes, x):
    def pick(node, x):
        node.v *= x
        if node.v > 1.5:
            raise ValueError
        if node.v > 1.2:
            return None
        return node, node.v

    total = 0.0
    for node in nodes:
        try:
            found = pick(node, x)
        except ValueError:
            found = None
            node.v *= 0.5
        if found is not None:
            other, v = found
            total += v * other.log[0]
        total += node.v
    return total


def walk(nodes, x):
    for node in nodes:
        node.v *= x
        if node.v > 1.45:
            raise ValueError
        yield node.v


@program(lambda n: (nodes(n), 1.1), wrt=("nodes", "x"))
def generators_that_raise(nodes, x):
    total = 0.0
    try:
        for v in walk(nodes, x):
            total += v * v
    except ValueError:
        total *= x
    try:
        total += sum(walk(nodes, 0.9 * x))
    except ValueError:
        total *= 0.5
    return total + sum(n.v for n in nodes)


class Tried:
    def __init__(self, x):
        self.x = x
        self.next = None


def tried(xs, log):
    own = Tried(xs[0])
    log.append(own)
    if xs[0] > 1.3:
        raise ValueError("large")
    own.next = tried(xs[1:], log) if len(xs) > 1 else None
    return own


@program(lambda n: ([number() for _ in range(n)],))
def objects_in_a_log(xs):
    """The tangent of a list that is empty when it is given is one of objects, too."""
    log = []
    try:
        tried(xs, log)
    except ValueError:
        pass
    total = 1.0
    for one in log:
        total = 0.5 * total + one.x**2
    return total
