"""What is put in order by texts, and by texts beside numbers; dicts made of pairs, and
dicts whose keys are objects."""

from __future__ import annotations

import dataclasses
import heapq
from collections import defaultdict, namedtuple
from operator import itemgetter

from tests.run_time.programs.table import number, program

TEXTS = ("fir", "oak", "elm", "ash", "yew", "asp", "fig")
Word = namedtuple("Word", "text weight")


def words_of(n):
    return [(TEXTS[k * k % 7] + "s" * (k % 2), number()) for k in range(n)]


def faded(weights):
    total = 0.0
    for weight in weights:
        total = 0.7 * total + weight * weight
    return total


@program(lambda n: (words_of(n + 1),))
def sorted_pairs(words):
    return faded(x for w, x in sorted(words))


@program(lambda n: (words_of(n + 1),))
def sorted_pairs_in_place(words):
    rows = list(words)
    rows.sort(reverse=True)
    return faded(x for w, x in rows)


@program(lambda n: (words_of(n + 1),))
def by_number_and_text(words):
    return faded(x for w, x in sorted(words, key=lambda p: (-p[1], p[0])))


@program(lambda n: (words_of(n + 1),))
def by_items(words):
    return faded(x for w, x in sorted(words, key=itemgetter(0, 1)))


@program(lambda n: (words_of(n + 1),))
def greatest_pair(words):
    text, weight = max(words)
    return weight * len(text) + min(words, key=lambda p: (len(p[0]), p))[1] ** 2


@program(lambda n: (words_of(n + 1),))
def largest_pairs(words):
    top = heapq.nlargest(3, words)
    low = heapq.nsmallest(2, words, key=lambda p: (p[0], -p[1]))
    return faded(x for _, x in [*top, *low])


@program(lambda n: (words_of(n + 1),))
def sorted_named_tuples(words):
    made = sorted(Word(*pair) for pair in words)
    return faded(w.weight for w in made) * max(made).weight


@program(lambda n: (words_of(n + 1),))
def places_by_pairs(words):
    order = sorted(range(len(words)), key=lambda i: (words[i][0], i), reverse=True)
    return faded(words[i][1] for i in order)


@program(lambda n: (words_of(n + 1),))
def groups_in_order(words):
    groups = defaultdict(list)
    for text, weight in words:
        groups[text].append(weight)
    ranked = sorted(groups.items(), key=lambda kv: (-len(kv[1]), kv[0]))
    return faded(sum(weights) / len(weights) for text, weights in ranked)


@program(lambda n: (words_of(n + 1),))
def dict_of_pairs(words):
    known = dict(words)
    known.update((w + "es", x * x) for w, x in words)
    known.update(words[1:3])
    return faded(known[w] for w in sorted(known))


class Node:
    def __init__(self, weight):
        self.weight = weight


@dataclasses.dataclass(frozen=True)
class Place:
    row: int
    name: str


@program(lambda n: (words_of(n + 1),))
def keyed_by_objects(words):
    nodes = [Node(x) for w, x in words]
    rank = {node: k + 1.0 for k, node in enumerate(nodes)}
    return sum(rank[node] * node.weight**2 for node in nodes)


@program(lambda n: (words_of(n + 1),))
def objects_seen_before(words):
    nodes = [Node(x) for w, x in words]
    seen = set()
    total = 0.0
    for node in nodes + nodes[:2]:
        if node in seen:
            total += node.weight
        else:
            seen.add(node)
            total += 2.0 * node.weight**2
    return total


@program(lambda n: (words_of(n + 1),))
def keyed_by_frozen_objects(words):
    held = {}
    for k, (text, weight) in enumerate(words):
        held[Place(k % 3, text)] = weight
    return sum(v * v * len(place.name) for place, v in held.items())


@program(lambda n: (words_of(n + 1),))
def ranks_kept_beside(words):
    nodes = [Node(x) for w, x in words]
    rank = {node: 0 for node in nodes}
    for k, node in enumerate(nodes):
        rank[node] += k
        node.weight *= 1.5
    return sum(node.weight**2 * (rank[node] + 1) for node in nodes)


@program(lambda n: (words_of(n % 40 + 1),))
def remembered_by_object(words):
    nodes = [Node(x) for w, x in words]
    known = {}

    def product(k):
        node = nodes[k]
        if node not in known:
            known[node] = node.weight if k == 0 else node.weight * product(k - 1)
        return known[node]

    return sum(product(k) for k in range(len(nodes)))


@program(lambda n: (words_of(n + 1),))
def grouped_by_labels_of_objects(words):
    nodes = [Node(x) for w, x in words]
    label = {node: w for node, (w, x) in zip(nodes, words)}
    groups = {}
    for node in nodes:
        groups.setdefault(label[node], []).append(node)
    return faded(sum(n.weight for n in held) for w, held in sorted(groups.items()))
