"""Sets of which only the run knows the members: made, changed, combined, run over."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, field

from tests.run_time.programs.table import number, program

PREFERRED = {"k1", "k2", "k3"}


def weights(n):
    return {f"k{i}": number() for i in range(n + 4)}


def words(n):
    return (weights(n), [f"k{i * i % (n + 4)}" for i in range(2 * n)])


def documents(n):
    every = [f"k{i * i % (n + 4)}" for i in range(3 * n + 3)]
    return (weights(n), [" ".join(every[3 * i : 3 * i + 3]) for i in range(n + 1)])


def graph(n):
    names = [f"k{i}" for i in range(n + 4)]
    edges = [(names[i], names[i * i % (n + 4)]) for i in range(n + 4)]
    return (weights(n), edges + list(zip(names, names[1:])))


def numbers(n):
    return ([number() for _ in range(n + 3)],)


def numbers_and_pairs(n):
    count = n + 3
    pairs = [(i * i % count, (3 * i + 1) % count) for i in range(2 * n)]
    return ([number() for _ in range(count)], pairs)


@program(words)
def different_words(ws, words):
    total = 0.0
    for w in {word.upper() for word in words}:
        total += ws[w.lower()] ** 2
    return total


@program(documents)
def words_of_each_document(ws, documents):
    total = 0.0
    for text in documents:
        different = set(text.split())
        total += sum(ws[w] ** 2 for w in different) / len(different)
    return total


@program(documents)
def vocabulary(ws, documents):
    known = set()
    for text in documents:
        known |= set(text.split())
    return sum(ws[w] ** 2 / (k + 1) for k, w in enumerate(sorted(known)))


@program(documents)
def likeness_of_neighbours(ws, documents):
    sets = [set(text.split()) for text in documents]
    total = ws["k0"]
    for a, b in zip(sets, sets[1:]):
        for w in a & b:
            total += ws[w] ** 2 * len(a & b) / len(a | b)
        for w in a ^ b:
            total += ws[w] * (a <= b or a.isdisjoint(b))
    return total


@program(words)
def without_some(ws, words):
    rest = set(words) - PREFERRED
    missing = set(words) - ws.keys()
    if missing:
        raise KeyError(missing)
    total = sum(ws[w] ** 2 for w in rest if w not in PREFERRED)
    return total + len(PREFERRED) * sum(ws[w] for w in sorted(PREFERRED))


@program(graph)
def neighbours(ws, edges):
    near = defaultdict(set)
    for a, b in edges:
        near[a].add(b)
        near[b].add(a)
    total = 0.0
    for name in sorted(near):
        for other in near[name]:
            total += ws[name] * ws[other] / len(near[other])
    return total


@program(graph)
def reached(ws, edges):
    near = {}
    for a, b in edges:
        near.setdefault(a, set()).add(b)
        near.setdefault(b, set()).add(a)
    seen, waiting, total = {"k0"}, ["k0"], 0.0
    while waiting:
        name = waiting.pop()
        total += ws[name] ** 2 * math.sqrt(len(seen))
        for other in sorted(near[name] - seen):
            seen.add(other)
            waiting.append(other)
    return total


@program(numbers_and_pairs)
def pairs_of_places(xs, pairs):
    different = {(min(a, b), max(a, b)) for a, b in pairs if a != b}
    total = xs[0] * len(different)
    for a, b in different:
        total += (xs[a] - xs[b]) ** 2
    return total


@program(numbers_and_pairs)
def frozen_pairs(xs, pairs):
    total = xs[0]
    for pair in {frozenset(pair) for pair in pairs}:
        for k in pair:
            total += xs[k] ** 2 / len(pair)
    return total


@program(numbers_and_pairs)
def places_next_to_others(xs, pairs):
    near = [set() for _ in xs]
    for a, b in pairs:
        near[a].add(b)
        near[(a + 1) % len(xs)].discard(b)
    total = 0.0
    for k, places in enumerate(near):
        for place in places:
            total += xs[k] * xs[(place + 1) % len(xs)] * (place + 1)
    return total


@program(numbers)
def taken_one_by_one(xs):
    left = set(range(len(xs)))
    total, turn = 0.0, 1.0
    while left:
        k = min(left)
        left.remove(k)
        left.discard(k * k % len(xs))
        total += turn * xs[k] ** 2
        turn *= 0.9
    return total


@program(numbers)
def popped(xs):
    left = {k * k % len(xs) for k in range(len(xs))}
    total = 0.0
    while left:
        total = total * 0.5 + xs[left.pop()] ** 2
    return total


@program(numbers)
def on_two_paths(xs):
    places = {0, 1}
    for k, x in enumerate(xs):
        if x > 1.0:
            places = places | {k}
        elif x < 0.7:
            places = {k}
    return sum(x * x for k, x in enumerate(xs) if k in places) + xs[0]


@dataclass
class Place:
    value: float
    near: set = field(default_factory=set)


def places(n):
    made = [Place(number()) for _ in range(n + 3)]
    for k, place in enumerate(made):
        place.near.update({(k + 1) % len(made), k * k % len(made)})
    return (made,)


@program(places)
def sets_in_objects(places):
    total = 0.0
    for place in places:
        for k in place.near:
            total += place.value * places[k].value
    return total


@program(places)
def changed_in_objects(places):
    total = 0.0
    for k, place in enumerate(places):
        place.near.discard(k)
        other = places[k - 1]
        if k in other.near:
            total += place.value * other.value
        other.near |= place.near
        total += len(other.near) * place.value**2
    return total


@program(numbers)
def objects_with_sets(xs):
    made = [Place(x) for x in xs]
    for k, place in enumerate(made):
        place.near.add(k * k % len(xs))
        made[k // 2].near.add(k)
    return sum(place.value * made[k].value for place in made for k in place.near)


@program(lambda n: (*numbers(n), set(range(0, n, 2))))
def given_and_changed(xs, chosen):
    total = 0.0
    for k, x in enumerate(xs):
        if k in chosen:
            total += x**3
            chosen.discard(k + 2)
        else:
            chosen.add(k + 1)
            total += x
    return total * len(chosen)


@program(lambda n: (*numbers(n), [{k, k * k % (n + 3)} for k in range(n + 3)]))
def given_in_a_list(xs, groups):
    total = 0.0
    for group in groups:
        mean = sum(xs[k] for k in group) / len(group)
        total += sum((xs[k] - mean) ** 2 for k in group)
    return total + xs[0]


def gathered(near, k, found):
    if k in found:
        return
    found.add(k)
    for other in near[k]:
        gathered(near, other, found)


@program(lambda n: (*numbers(n), [{k // 2, k * k % (n + 3)} for k in range(n + 3)]))
def filled_by_recursion(xs, near):
    found = set()
    gathered(near, len(xs) - 1, found)
    return sum(xs[k] ** 2 for k in found)
