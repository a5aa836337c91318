"""Programs of functions that call themselves, of which a reverse program may need no
forward sweep, beside others that look alike and need one."""

from __future__ import annotations

import math

from tests.run_time.programs.stores import Link, bodies, chain
from tests.run_time.programs.table import number, program


class Tree:
    def __init__(self, weight, kids):
        self.weight, self.kids = weight, kids


def tree(n):
    half = (n - 1) // 2
    kids = [tree(half), tree(n - 1 - half)] if n > 2 else []
    return Tree(number(), kids)


def squares(tree):
    total = tree.weight * tree.weight
    for kid in tree.kids:
        total += squares(kid)
    return total


@program(lambda n: (tree(n),))
def sum_of_squares(tree):
    return squares(tree)


@program(lambda n: (tree(n),))
def sine_of_a_sum(tree):
    return math.sin(squares(tree)) * tree.weight


def faded(tree, rate, depth):
    total = rate * tree.weight**2 + depth * tree.weight
    for kid in tree.kids:
        total = 0.5 * total + faded(kid, rate, depth + 1)
    return total


@program(lambda n: (tree(n), 0.7), wrt=("tree", "rate"))
def by_a_number_beside(tree, rate):
    return faded(tree, rate, 0) * rate


def chosen(tree, bound):
    if tree.weight > bound:
        total = tree.weight**2
    elif tree.kids:
        return chosen(tree.kids[0], bound) - tree.weight
    else:
        total = 3.0 * tree.weight
    for kid in tree.kids:
        if kid.weight < 2.0 * bound:
            total += chosen(kid, bound)
    return total


@program(lambda n: (tree(n), 0.9))
def in_branches(tree, bound):
    return chosen(tree, bound)


def multiplied(tree):
    result = tree.weight
    for kid in tree.kids:
        result = 0.3 * result * multiplied(kid)
    return result


@program(lambda n: (tree(n),))
def values_that_are_multiplied(tree):
    return multiplied(tree)


def tail(link, k):
    if link is None:
        return 0.0
    return link.weight * k + tail(link.behind, k)


@program(lambda n: (chain(n), 0.3), wrt=("link", "k"))
def names_bound_again(link, k):
    total = 0.0
    while link is not None:
        total += tail(link, k) * k
        link = link.behind
        k = 0.9 * k
    return total


def weighted(link, ws):
    if link is None:
        return 0.0
    return link.weight * ws[0] * ws[-1] + weighted(link.behind, ws)


@program(lambda n: (chain(n), [number() for _ in range(n)]), wrt=("link", "ws"))
def lists_that_change_behind(link, ws):
    total = weighted(link, ws)
    ws[0] = ws[0] * ws[1]
    total += weighted(link, ws)
    ws.append(total)
    return total * weighted(link, ws)


@program(lambda n: (chain(n), 0.3))
def stored_behind_a_call(link, k):
    total = tail(link, k)
    link.weight = k * total
    return total + tail(link, k) * link.weight


@program(lambda n: (chain(n), 0.3))
def another_head_behind_a_call(link, k):
    total = tail(link, k)
    link.behind = Link(k, None)
    return total * tail(link, k)


def weights(items, place):
    if place == len(items):
        return 0.0
    return items[place].x * items[place].v + weights(items, place + 1)


@program(lambda n: (bodies(n), 0.3))
def of_a_list_and_a_place(bodies, k):
    total = weights(bodies, 0)
    for place in range(len(bodies)):
        total += k * weights(bodies, place)
    return total


def energy(tree):
    total = tree.weight * tree.weight
    for kid in tree.kids:
        total += 0.5 * energy(kid) + kid.weight * tree.weight
    return total


@program(lambda n: (tree(n), 0.3))
def behind_all_stores(tree, k):
    waiting = [tree]
    while waiting:
        one = waiting.pop()
        one.weight = math.sin(k * one.weight)
        waiting.extend(one.kids)
    return k * energy(tree)


@program(lambda n: (tree(n), 0.3))
def between_stores(tree, k):
    total = 0.0
    for kid in tree.kids:
        total += energy(tree)
        kid.weight = k * kid.weight
    return total + energy(tree)


@program(lambda n: (bodies(n), 0.3))
def of_a_list_that_grows(bodies, k):
    chosen = []
    total = 0.0
    for b in bodies:
        chosen.append(b)
        total += weights(chosen, 0) * k
    chosen.pop()
    return total + weights(chosen, 1)


@program(
    lambda n: ([number() for _ in range(n)], [number() for _ in range(n + 1)], 1.1),
    wrt=("xs", "ys", "c"),
)
def lists_of_the_caller_read_again(xs, ys, c):
    def left(place, total):
        while place < len(xs):
            total = total * c + xs[place] * ys[place]
            place += 1
            if xs[place - 1] > 1.0:
                return left(place, total) * c
        return total

    return left(0, 1.0)


def product_of(a, b):
    return [[sum(p * q for p, q in zip(r, c)) for c in zip(*b)] for r in a]


def power_of(a, n):
    return a if n == 1 else product_of(a, power_of(a, n - 1))


@program(lambda n: (number(), n // 2 + 2), ("x",))
def power_of_rows(x, n):
    rows = [[x, 1.0], [0.5, x]]
    rows[1][0] = 0.3 * x
    return power_of(rows, n)[0][1]
