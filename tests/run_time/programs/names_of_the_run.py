"""Items of records and attributes of objects under names that only the run knows."""

from __future__ import annotations

import math

from tests.run_time.programs.table import number, program


def numbers(n):
    return ([number() for _ in range(n + 1)],)


def inserted(node, x):
    while True:
        side = "left" if x < node["value"] else "right"
        if node[side] is None:
            node[side] = {"left": None, "right": None, "value": x}
            return
        node = node[side]


def total_of(node):
    if node is None:
        return 0.0
    below = 0.5 * total_of(node["left"]) + 0.7 * total_of(node["right"])
    return math.sin(node["value"]) + below


@program(numbers)
def search_tree_of_records(xs):
    root = {"left": None, "right": None, "value": xs[0]}
    for x in xs[1:]:
        inserted(root, x)
    return total_of(root)


class Node:
    def __init__(self, value):
        self.value = value
        self.left = None
        self.right = None


@program(numbers)
def search_tree_of_objects(xs):
    root = Node(xs[0])
    for x in xs[1:]:
        node = root
        while True:
            side = "left" if x < node.value else "right"
            child = getattr(node, side)
            if child is None:
                setattr(node, side, Node(x))
                break
            node = child
    total, stack = 0.0, [root]
    while stack:
        node = stack.pop()
        total = 0.5 * total + node.value**2
        for side in ("left", "right"):
            child = getattr(node, side)
            if child is not None:
                stack.append(child)
    return total


@program(numbers)
def followed_by_turns(xs):
    root = node = Node(xs[0])
    for k, x in enumerate(xs[1:]):
        setattr(node, "left" if k % 3 else "right", Node(x))
        node = node.left or node.right
    total, node, k = 0.0, root, 0
    while node is not None:
        total = 0.9 * total + node.value**2
        node = getattr(node, "left" if k % 3 else "right")
        k += 1
    return total


@program(numbers)
def records_with_counts(xs):
    root = {"value": xs[0], "less": None, "more": None, "count": 1}
    for x in xs[1:]:
        node = root
        while True:
            node["count"] += 1
            key = "less" if x < node["value"] else "more"
            if node[key] is None:
                node[key] = {"value": 1.5 * x, "less": None, "more": None, "count": 1}
                break
            node = node[key]
    total, waiting = 0.0, [root]
    while waiting:
        node = waiting.pop()
        total = 0.8 * total + node["value"] ** 2 * math.log1p(node["count"])
        waiting.extend(node[k] for k in ("less", "more") if node[k] is not None)
    return total


@program(numbers)
def records_that_get_keys(xs):
    found = {"last": 0.0, "list": [0.0]}
    for k, x in enumerate(xs):
        found.setdefault(f"list{k % 2}", []).append(x * x)
    return sum(found["list0"]) / len(xs) + found["last"]


@program(numbers)
def records_that_lose_keys(xs):
    found = {"total": 1.0, "list": [0.5]}
    for k, x in enumerate(xs):
        key = "total" if k % 2 else "list"
        if key == "total":
            found[key] = 0.9 * found[key] + x
        else:
            found[key].append(x)
    items = found.pop("list")
    return sum(v * v for v in items) / len(items) + found["total"]
