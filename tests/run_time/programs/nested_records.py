"""Chains and trees of dicts and tuples, given and made: each leads to others of its own
sort."""

from __future__ import annotations

import math
from typing import NamedTuple

from tests.run_time.programs.table import number, program


class Cell(NamedTuple):
    value: float
    next: object


class Leaf(NamedTuple):
    value: float


class Pair(NamedTuple):
    left: object
    right: object


def numbers(n):
    return ([number() for _ in range(n)],)


def dict_chain(n):
    head = None
    for _ in range(n):
        head = {"v": number(), "next": head}
    return (head,)


def tuple_chain(n):
    head = None
    for _ in range(n):
        head = (number(), head)
    return (head,)


def node(n):
    half = (n - 1) // 2
    return {
        "w": number(),
        "left": node(half) if half else None,
        "right": node(n - 1 - half) if n > 1 + half else None,
    }


def named(n):
    if n < 2:
        return {"name": "leaf", "size": number()}
    half = n // 2
    parts = [named(half), named(n - half)]
    return {"name": f"part {n}", "size": number(), "parts": parts}


@program(dict_chain)
def chain_of_dicts(head):
    total = 0.0
    while head is not None:
        total = 0.9 * total + head["v"] ** 2
        head = head["next"]
    return total


@program(tuple_chain)
def chain_of_tuples(head):
    total = 0.0
    while head is not None:
        value, head = head
        total = 0.9 * total + value**2
    return total


@program(dict_chain)
def chain_that_changes(head):
    before, total = head, 0.0
    while before["next"] is not None:
        after = before["next"]
        after["v"] *= 0.9 + 0.1 * before["v"]
        before = after
    before["next"] = {"v": 0.5 * before["v"], "next": None}
    while head is not None:
        total, head = 0.9 * total + head["v"] ** 2, head["next"]
    return total


def weighed(tree):
    if tree is None:
        return 0.0
    left, right = weighed(tree["left"]), weighed(tree["right"])
    return math.sin(tree["w"] + 0.5 * left) + 0.3 * right * tree["w"]


@program(lambda n: (node(n),))
def tree_of_dicts(tree):
    return weighed(tree)


def size_of(part):
    total = part["size"] ** 2
    for inner in part.get("parts", []):
        total += 0.6 * size_of(inner)
    return total


@program(lambda n: (named(n),))
def parts_of_parts(whole):
    return size_of(whole)


@program(numbers)
def dicts_linked(xs):
    head = None
    for x in xs:
        head = {"v": x, "next": head}
    last = head
    while last["next"] is not None:
        last["next"]["v"] *= 0.5 + 0.5 * last["v"]
        last = last["next"]
    return last["v"] + head["v"] ** 2


@program(numbers)
def tuples_linked(xs):
    head, total = None, 0.0
    for x in xs:
        head = (x, head)
    while head is not None:
        value, head = head
        total = 0.9 * total + value**2
    return total


def planted(xs, low, high):
    if high - low == 1:
        return {"w": xs[low], "left": None, "right": None}
    middle = (low + high) // 2
    left, right = planted(xs, low, middle), planted(xs, middle, high)
    return {"w": 0.5 * left["w"], "left": left, "right": right}


@program(numbers)
def dicts_planted(xs):
    return weighed(planted(xs, 0, len(xs)))


def sort_in(at, x):
    if x < at["key"]:
        if at["low"] is None:
            at["low"] = {"key": x, "low": None, "high": None}
        else:
            sort_in(at["low"], x)
    elif at["high"] is None:
        at["high"] = {"key": x, "low": None, "high": None}
    else:
        sort_in(at["high"], x)


@program(numbers)
def dicts_sorted_in(xs):
    root = {"key": xs[0], "low": None, "high": None}
    for x in xs[1:]:
        sort_in(root, x)
    depth, total, waiting = 1.0, 0.0, [root]
    while waiting:
        at = waiting.pop()
        depth *= 0.95
        total += depth * at["key"] ** 2
        if at["low"] is not None:
            waiting.append(at["low"])
        if at["high"] is not None:
            waiting.append(at["high"])
    return total


@program(numbers)
def tuples_in_turns(xs):
    a, b = (xs[0], None), (xs[1], None)
    for x in xs[2:]:
        a, b = b, (x * a[0], a)
    total = 0.0
    while a is not None:
        total, a = 0.9 * total + a[0], a[1]
    while b is not None:
        total, b = 0.9 * total + b[0] ** 2, b[1]
    return total


@program(numbers)
def tuples_begun_anew(xs):
    held, total = None, 0.0
    for i, x in enumerate(xs):
        held = (x, None) if i % 4 == 0 else (x * x, held)
    while held is not None:
        total, held = 0.8 * total + held[0], held[1]
    return total


@program(numbers)
def dicts_in_a_ring(xs):
    first = {"v": xs[0], "next": None}
    last = first
    for x in xs[1:]:
        after = {"v": x, "next": None}
        last["next"] = after
        last = after
    last["next"] = first
    at, total = first, 0.0
    for _ in range(2 * len(xs)):
        at["v"] *= 0.99
        total = 0.9 * total + at["v"] ** 2
        at = at["next"]
    return total


@program(numbers)
def dicts_with_none(xs):
    rows = [{"v": x, "next": None} for x in xs]
    for i, row in enumerate(rows):
        if i % 2:
            row["next"] = rows[i - 1]
    total = 0.0
    for row in rows:
        if row["next"] is None:
            total += row["v"] ** 2
        else:
            total += row["v"] * row["next"]["v"]
    return total


@program(numbers)
def chain_of_named(xs):
    head = None
    for x in xs:
        head = Cell(x * x, head)
    total = 0.0
    while head is not None:
        total = 0.9 * total + head.value**2
        head = head.next
    return total


@program(numbers)
def chain_of_lists(xs):
    head = None
    for x in xs:
        head = [x, head]
    at = head
    while at is not None:
        at[0] = at[0] * 1.5
        at = at[1]
    total = 0.0
    while head is not None:
        total, head = 0.9 * total + head[0] ** 2, head[1]
    return total


@program(numbers)
def named_of_two_sorts(xs):
    def built(low, high):
        if high - low < 2:
            return Leaf(xs[low])
        middle = (low + high) // 2
        return Pair(built(low, middle), built(middle, high))

    def weighed(tree):
        if isinstance(tree, Leaf):
            return tree.value**2
        return 0.7 * weighed(tree.left) + weighed(tree.right)

    return weighed(built(0, len(xs)))


@program(numbers)
def named_to_the_left(xs):
    tree = Leaf(xs[0])
    for x in xs[1:]:
        tree = Pair(tree, Leaf(x))
    total = 0.0
    while isinstance(tree, Pair):
        total = 0.9 * total + tree.right.value**2
        tree = tree.left
    return total + tree.value


@program(numbers)
def expression_made(xs):
    made = ("number", xs[0])
    for i, x in enumerate(xs[1:]):
        if i % 3 == 2:
            made = ("neg", made)
        number = ("number", x)
        made = ("add", made, number) if i % 2 else ("mul", made, number)

    def value(node):
        if node[0] == "number":
            return node[1]
        if node[0] == "neg":
            return -value(node[1])
        if node[0] == "add":
            return value(node[1]) + value(node[2])
        return math.sin(value(node[1])) * value(node[2])

    return value(made)


@program(numbers)
def expression_simplified(xs):
    def halves(low, high):
        if high - low < 2:
            return ("number", xs[low])
        middle = (low + high) // 2
        return ("add", halves(low, middle), halves(middle, high))

    def doubled(node):
        if node[0] == "number":
            return ("mul", ("number", 2.0), node)
        return ("add", doubled(node[1]), doubled(node[2]))

    def value(node):
        if node[0] == "number":
            return node[1] ** 2
        if node[0] == "add":
            return 0.8 * value(node[1]) + value(node[2])
        return value(node[1]) * value(node[2])

    return value(doubled(halves(0, len(xs))))


@program(numbers)
def first_that_is_large(xs):
    best, i = None, 0
    while best is None:
        if xs[i] > 0.4 or i == len(xs) - 1:
            best = xs[i] ** 2
        i += 1
    return best * xs[0]
