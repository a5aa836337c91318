"""Places in sorted lists, found by ``bisect``: tables, ranks, queues."""

from __future__ import annotations

import bisect
import heapq
from bisect import bisect_left

from tests.run_time.programs.table import names_of, number, program, springs_of


def numbers(n):
    return [number() for _ in range(n)]


def table_of(n):
    return sorted(springs_of(n + 3), key=lambda s: s.k)


@program(lambda n: (table_of(n), numbers(n)), wrt=("table", "qs"))
def interpolated(table, qs):
    ks = [s.k for s in table]
    total = 0.0
    for q in qs:
        i = min(max(bisect.bisect(ks, q), 1), len(ks) - 1)
        a, b = table[i - 1], table[i]
        t = (q - a.k) / (b.k - a.k)
        total += a.rest * (1.0 - t) + b.rest * t
    return total


@program(lambda n: (table_of(n), numbers(n)), wrt=("table", "qs"))
def found_by_a_key(table, qs):
    total = 0.0
    for q in qs:
        i = bisect.bisect_right(table, q, lo=1, hi=len(table) - 1, key=lambda s: s.k)
        j = bisect_left(table, q, 0, len(table) - 1, key=lambda s: s.k)
        total += table[i].rest * (q - table[i - 1].k) * (j + 1.0) * table[j].rest
    return total


@program(lambda n: (numbers(n), [0.4, 0.8, 1.1], numbers(4)), wrt=("scores", "weights"))
def graded(scores, bounds, weights):
    return sum(weights[bisect_left(bounds, s)] * s * s for s in scores)


@program(lambda n: (numbers(n + 2),))
def medians_so_far(xs):
    seen = []
    total = 0.0
    for x in xs:
        bisect.insort(seen, x)
        total += seen[len(seen) // 2] * x
    return total


@program(lambda n: (springs_of(n + 2),))
def inserted_by_a_key(springs):
    done = []
    total = 0.0
    for s in springs:
        bisect.insort_left(done, s, key=lambda one: -one.rest)
        total += done[0].k * s.rest
    return total


@program(lambda n: (numbers(n + 1), numbers(n)), wrt=("weights", "draws"))
def inverse_of_a_distribution(weights, draws):
    ends = []
    end = 0.0
    for w in weights:
        end += w
        ends.append(end)
    total = 0.0
    for u in draws:
        k = min(bisect_left(ends, 0.6 * u * end), len(ends) - 1)
        start = ends[k - 1] if k else 0.0
        total += (0.6 * u * end - start) / (ends[k] - start) * (k + 1)
    return total


class Asked:
    def __init__(self, w):
        self.w = w
        self.seen = 0.0

    def __lt__(self, other):
        self.seen += other.w
        return self.w < other.w


def asked(n):
    return sorted((Asked(number()) for _ in range(n + 2)), key=lambda one: one.w)


@program(lambda n: (asked(n), numbers(n)), wrt=("ones", "qs"))
def found_by_what_notes_it(ones, qs):
    total = 0.0
    for q in qs:
        k = bisect_left(ones, Asked(q))
        total += q * (k + 1.0)
    return total + sum(one.seen * one.w for one in ones)


@program(lambda n: ([number() for _ in range(n)], names_of(n)))
def ordered_by_their_items(xs, names):
    order = sorted(range(len(xs)), key=xs.__getitem__)
    total = 0.0
    for place, k in enumerate(order):
        total = 0.9 * total + xs[k] * place
    first, last = sorted(names, key=names.__getitem__)[0], max(names, key=names.get)
    squares = []
    for x in xs:
        squares.append(x * x)
        squares[max(range(len(squares)), key=squares.__getitem__)] *= 0.5
    total += sum(map(squares.__getitem__, range(len(xs))))
    return total * names[first] * names[last]


@program(lambda n: ([number() for _ in range(n)],))
def nearest_first(xs):
    distances, total = {}, 0.0
    for k, x in enumerate(xs):
        distances[k] = x * x
    left = set(distances)
    while left:
        k = min(left, key=distances.__getitem__)
        left.remove(k)
        total = 0.9 * total + distances[k] * (len(left) + 1)
        for other in left:
            distances[other] = distances[other] + 0.1 * distances[k]
    return total


@program(lambda n: ([[x, 2.0 * x][: k % 2 + 1] for k, x in enumerate(numbers(n))],))
def smallest_of_lists(rows):
    total = 0.0
    for first, last in zip(sorted(rows), heapq.nlargest(len(rows), rows)):
        total = 0.9 * total + first[0] * last[-1]
    return total + heapq.nsmallest(2, rows)[1][0] ** 2


@program(lambda n: (numbers(n),))
def smallest_of_tuples(xs):
    found, total = [], 0.0
    for k, x in enumerate(xs):
        found.append((x * x, k, [x, 2.0 * x]))
    for square, k, (x, twice) in heapq.nsmallest(3, found):
        total = 0.9 * total + square * (k + 1) * x * twice
    for row in heapq.nlargest(2, found, key=lambda row: row[2][1]):
        total += row[0] * row[2][0]
    return total


@program(lambda n: ([number() for _ in range(n + 4)], 0.8))
def smallest_unpacked(xs, rate):
    pairs = [(x * rate, k) for k, x in enumerate(xs)]
    (a, i), (b, j) = sorted(pairs)[:2]
    largest, second = sorted(pairs, key=lambda pair: -pair[0])[:2]
    first, *middle, last = pairs
    total = sum(value for value, _ in middle)
    return a * b * (i + 1) / (j + 1) + largest[0] * second[1] / 9 + total * last[0]


@program(lambda n: ([number() for _ in range(n + 4)], 0.8))
def merged_smallest(xs, rate):
    pool = [[x * rate, k, True] for k, x in enumerate(xs)]
    merged = 0.0
    while sum(alive for _, _, alive in pool) > 1:
        alive = [entry for entry in pool if entry[2]]
        first, second = sorted(alive, key=lambda entry: entry[0])[:2]
        first[0] += second[0]
        second[2] = False
        merged = 0.9 * merged + first[0]
    return merged / len(xs)
