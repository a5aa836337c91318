"""Tuples of several sorts that are unpacked into names, and tuples whose text in front
only the run knows."""

from __future__ import annotations

import math

from tests.run_time.programs.table import number, program


def numbers(n):
    return ([number() for _ in range(n + 1)],)


def value_of(node):
    kind, a, b = node
    if kind == "leaf":
        return a * a
    return math.sin(value_of(a)) + value_of(b)


def built(xs, low, high):
    if high - low == 1:
        return ("leaf", xs[low], None)
    middle = (low + high) // 2
    return ("both", built(xs, low, middle), built(xs, middle, high))


@program(numbers)
def made_tree(xs):
    return value_of(built(xs, 0, len(xs)))


def given(n):
    tree = ("leaf", number(), None)
    for k in range(n):
        other = ("leaf", number(), None)
        tree = ("both", tree, other) if k % 2 else ("both", other, tree)
    return (tree,)


@program(given)
def given_tree(tree):
    return value_of(tree)


def name_at(k):
    return "+*-"[k % 3]


def computed(xs, low, high):
    if high - low == 1:
        return ("leaf", xs[low], None)
    middle = (low + high) // 2
    return (name_at(low), computed(xs, low, middle), computed(xs, middle, high))


def result_of(node):
    op, a, b = node
    if op == "leaf":
        return a
    x, y = result_of(a), result_of(b)
    if op == "+":
        return x + y
    return x - 0.5 * y if op == "-" else 0.5 * x * y


@program(numbers)
def tree_of_computed_names(xs):
    return result_of(computed(xs, 0, len(xs)))


@program(numbers)
def events_of_two_lengths(xs):
    queue = []
    for k, x in enumerate(xs):
        if k % 2:
            queue.append(("add", x))
        else:
            queue.append(("scale", x, 0.5))
    total = 1.0
    for event in queue:
        if event[0] == "add":
            _, v = event
            total += v
        else:
            _, v, s = event
            total = total * s + v * v
    return total


@program(numbers)
def tasks_on_a_stack(xs):
    stack = [("visit", 0, len(xs))]
    total = 0.0
    while stack:
        task = stack.pop()
        if task[0] == "visit":
            _, low, high = task
            if high - low == 1:
                stack.append(("leaf", xs[low]))
            else:
                middle = (low + high) // 2
                stack.append(("visit", low, middle))
                stack.append(("visit", middle, high))
        else:
            _, v = task
            total = math.sin(total) + v
    return total


@program(numbers)
def unlike_in_a_loop(xs):
    nodes = []
    for k, x in enumerate(xs):
        if k % 2:
            nodes.append(("one", x, 1.0))
        else:
            nodes.append(("two", (x, x * x), 2.0))
    total = 0.0
    for kind, a, b in nodes:
        total += b * a * a if kind == "one" else b * a[0] * a[1]
    return total


@program(numbers)
def small_machine(xs):
    code = []
    for k, x in enumerate(xs):
        code.append(("push", x))
        if k > 0:
            code.append(("add",) if k % 2 else ("mul",))
        if k % 3 == 0:
            code.append(("scale", x, k))
    stack = []
    for line in code:
        match line:
            case ("push", v):
                stack.append(v)
            case ("add",):
                b, a = stack.pop(), stack.pop()
                stack.append(math.sin(a) + b)
            case ("scale", factor, k):
                stack.append(stack.pop() * factor + 0.1 * k)
            case _:
                b, a = stack.pop(), stack.pop()
                stack.append(math.cos(a) * b)
    return stack[-1]


@program(numbers)
def tagged_by_the_run(xs):
    made = ("leaf", xs[0], xs[0])
    for x in xs:
        made = ("add" if x > 0.9 else "mul", made, x)

    def value(node):
        if node[0] == "leaf":
            return node[1] * node[2]
        rest = value(node[1])
        return rest + node[2] if node[0] == "add" else 0.5 * rest * node[2]

    return value(made)
