"""Programs that hold arrays and numbers in lists, to be differentiated by vectors."""

from __future__ import annotations

import numpy as np

M = np.array([[0.5, 1.5, -0.5], [2.0, 0.3, 0.7], [-0.2, 0.1, 0.9]])
PARENTS = (-1, 0, 1, 1)


def tree_of_matrices(x):
    made = []
    total = np.zeros(3)
    for k in range(4):
        turn = np.eye(3)
        corner = [[np.cos(x[k % 3]), x[0]], [x[1] * x[2], np.sin(x[k % 3])]]
        turn[:2, 1:] = np.array(corner)
        own = M @ turn
        if PARENTS[k] >= 0:
            own = made[PARENTS[k]] @ own
        made.append(own)
        total += own @ x
    return total


def numbers(x):
    out = []
    for v in x:
        out.append(v * x[0])
        if v > 0:
            out.append(2.0)
    return np.array(out)


def numbers_summed(x):
    out = []
    k = 0
    while k < 5:
        out.append(x[k % 3] ** 2)
        k += 1
    return np.array([sum(out), out[0] * out[-1], max(out), len(out) * out[1]])


def nothing(x):
    out, rows = [], []
    for k in range(len(x) - 3):
        out.append(x[k] * 2)
        rows.append(x * 2)
    return np.sum(np.array(out)) + x * sum(out) + np.sum(np.array(rows)) + x


def stacked(x):
    rows = []
    for k in range(4):
        rows.append(np.sin(x) * k)
    behind = np.stack(rows, axis=1) * x[0] + np.stack(rows, axis=-1)
    return np.stack(rows) @ x + behind[0] * np.vstack(rows)[:, 1] + np.hstack(rows)[:4]


def joined(x):
    rows, wide, ragged = [], [], []
    for k in range(1, 4):
        rows.append(np.outer(np.sin(x), x) * k)
        wide.append(np.outer(x, x[:k] * x[0]))
        ragged.append(x[:k] * x[1])
    tall = np.concatenate(rows) + np.vstack(rows)
    flat = np.concatenate(rows, axis=1)
    return tall[:, 0] * flat[0] + np.concatenate(wide, axis=-1)[1, 0], np.hstack(ragged)


def passed_on(x):
    rows = [x * k for k in range(3)]
    more = []
    for r in rows:
        more.append(np.cos(r))
    more = with_last_doubled(more)
    total = 0.0
    for a, b in zip(more, reversed(more), strict=True):
        total = total + a * b[0]
    return total + more[-1]


def with_last_doubled(rows):
    rows = list(rows)
    rows.append(rows[-1] * 2)
    return rows


def changed(x):
    rows = []
    for k in range(4):
        rows.append(x * (k + 1.0))
    rows[1] = np.sin(x)
    rows[2] += x**2
    rows[3][0] = x[1]
    rows[3][1:] *= x[0]
    rows.insert(1, x * x[0])
    last = rows.pop()
    first = rows.pop(0)
    total = last * first
    for k in range(len(rows)):
        total = total + rows[k] * k
    return total


def emptied(x):
    stack = [x]
    total = np.zeros(3)
    n = 0
    while stack:
        top = stack.pop()
        total = total + top * top
        if n < 3:
            stack.append(np.sin(top))
            stack.append(top * x)
            n += 1
    return total


def emptied_in_front(x):
    rows = []
    for k in range(3):
        rows.insert(0, x * k)
    while rows:
        x = x * 0.5 + rows.pop(0)
    return x


def lists_in_a_list(x):
    outer = []
    for i in range(3):
        inner = []
        for j in range(i + 1):
            inner.append(x[j] * x * i)
        outer.append(inner)
    total = np.zeros(3)
    for inner in outer:
        for v in inner:
            total = total + np.sin(v)
    return total


def table(x):
    t = [[0.0] * 3 for _ in range(3)]
    for i in range(3):
        for j in range(3):
            t[i][j] = x[i] * x[j] + (t[i][j - 1] if j else 0.0)
    return np.array(t)


def rows_of_numbers(x):
    rows = []
    for i in range(3):
        row = []
        for j in range(2):
            row.append(x[i] * x[j])
        rows.append(row)
    return np.array(rows) @ np.array([1.0, 2.0])


def joined_lists(x):
    a = [x * k for k in range(2)]
    b = []
    for k in range(3):
        b.append(x**2 * k)
    c = a + b
    out = np.zeros(3)
    for r in tuple(c):
        out = out + r
    for r in c[1:4]:
        out = out * r[0] + r
    return out


def repeated_lists(x):
    a = [x[0]] * 3
    b = []
    for k in range(2):
        b.append(x[k])
    c = b * 2
    a.append(x[1])
    return np.array(a) * x[0] + np.array(c)


def constants_too(x):
    a = [np.zeros(3), np.ones(3)]
    for k in range(3):
        a.append(np.ones(3) * k)
    for k in range(2, 5):
        a[k] = x * a[k - 1] + a[k - 2] * a[k]
    a.append(np.zeros(3))
    return np.array(a)


class Tree:
    def __init__(self, x):
        self.nodes = []
        self.scale = x[0]

    def add(self, node):
        self.nodes.append(node * self.scale)


def objects_and_dicts(x):
    tree = Tree(x)
    for k in range(4):
        tree.add(np.sin(x * k))
    made = {"nodes": [], "sum": np.zeros(3)}
    for node in tree.nodes:
        made["nodes"].append(node)
        made["sum"] += node
    pairs = []
    for k in range(3):
        pairs.append({"n": x[k] * 2, "v": (x**2, x[0])})
    numbers = np.array([p["n"] for p in pairs]) + pairs[1]["v"][0] * pairs[0]["v"][1]
    return np.array(made["nodes"]) * made["sum"] + numbers


def one_or_the_other(x):
    a, b = ([x], []) if x[0] > 0 else ([], [x])
    for k in range(4):
        if x[k % 3] > 0:
            a.append(x)
        else:
            b.append(x * 2)
    rows = a if len(a) > 2 else b
    out = np.zeros(3)
    for r in rows:
        out = out + r * r[0]
    return out


def ragged(x):
    rows = []
    for k in range(3):
        rows.append(x[k:] ** 2)
    total = 0.0
    for r in rows:
        total = total + np.sum(r) * r[0]
    return total * x


def ordered(x):
    values = []
    for v in x:
        values.append(v * v)
    values.sort()
    return np.array(values) * x[0]


def collected(x):
    return np.array(collect(x, 3, []))


def collect(x, n, rows):
    return rows if n == 0 else collect(x, n - 1, [*rows, x * n])


def items_of_items(x):
    rows = []
    for _ in range(3):
        rows.append(np.outer(x, x))
    out = np.zeros(3)
    for k in range(3):
        out[k] = rows[k][k, 1] * rows[-1][0, k] + rows[k][1:, 0] @ x[1:]
    return out * np.mean(rows)


def swapped(x):
    a = [x[0], x[1], x[2], 1.0]
    for i in range(3):
        a[i], a[i + 1] = a[i + 1] * x[0], a[i]
    return np.array(a)


PROGRAMS = (
    *(tree_of_matrices, numbers, numbers_summed, nothing, stacked, passed_on, changed),
    *(emptied, emptied_in_front, lists_in_a_list, table, rows_of_numbers, ragged),
    *(joined_lists, repeated_lists, constants_too, objects_and_dicts, ordered),
    *(one_or_the_other, collected, items_of_items, swapped),
)
"""Functions of an array of three numbers that give an array."""
