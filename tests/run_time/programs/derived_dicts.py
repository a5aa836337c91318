"""Dicts of classes derived from dict that the program makes: defaultdicts, Counters and
OrderedDicts, with keys that only the run knows, in other dicts, objects and helpers."""

from __future__ import annotations

import math
from collections import Counter, OrderedDict, defaultdict

from tests.run_time.programs.table import number, program


def numbers(n):
    return ([number() for _ in range(n + 2)],)


@program(numbers)
def table_of_tables(xs):
    table = defaultdict(lambda: defaultdict(float))
    for k, x in enumerate(xs):
        table[k % 7][f"g{k % 3}"] += x * x
    total = 0.0
    for row in table.values():
        for value in row.values():
            total += math.sin(value)
    return total


@program(numbers)
def table_of_lists(xs):
    table = defaultdict(lambda: defaultdict(list))
    for k, x in enumerate(xs):
        table[k % 7][k % 3].append(x)
    total = 0.0
    for key, row in table.items():
        for values in row.values():
            total += key * sum(v * v for v in values) / len(values)
    return total


@program(numbers)
def table_of_dicts(xs):
    table = defaultdict(dict)
    for k, x in enumerate(xs):
        table[k % 5][k % 3] = x
    return sum(v * v for d in table.values() for v in d.values())


@program(numbers)
def three_deep(xs):
    table = defaultdict(lambda: defaultdict(lambda: defaultdict(float)))
    for k, x in enumerate(xs):
        table[k % 3][k % 2]["ab"[k % 2]] += x
    total = 0.0
    for a, rows in table.items():
        for b, row in rows.items():
            for c, value in row.items():
                total += (a + b + len(c)) * value * value
    return total


def noted(table, a, b, x):
    table[a][b] += x


@program(numbers)
def noted_by_a_helper(xs):
    table = defaultdict(lambda: defaultdict(float))
    for k, x in enumerate(xs):
        noted(table, k % 7, k % 3, x)
    total = 0.0
    for a in table:
        for b in table[a]:
            total += table[a][b] ** 2
    return total


def filled(table, xs, k):
    if k == len(xs):
        return
    table[k % 3][k % 2] += xs[k]
    filled(table, xs, k + 1)


@program(numbers)
def filled_by_a_recursion(xs):
    first = 0.5 * xs[0]
    table = defaultdict(lambda: defaultdict(lambda: first))
    filled(table, xs, 0)
    return sum(math.sin(v) for row in table.values() for v in row.values())


class Seen:
    def __init__(self):
        self.table = defaultdict(lambda: defaultdict(float))

    def note(self, a, b, x):
        self.table[a][b] += x

    def total(self):
        return sum(v * v for row in self.table.values() for v in row.values())


@program(numbers)
def in_an_object(xs):
    seen = Seen()
    for k, x in enumerate(xs):
        seen.note(k % 3, k % 2, x)
    return seen.total()


@program(numbers)
def asked_in_other_ways(xs):
    table = defaultdict(lambda: defaultdict(float))
    for k, x in enumerate(xs):
        table[k % 3][k % 2] += x
    total = 0.0
    for a in range(4):
        if a in table:
            total += table[a].get(1, 0.0) ** 2 + table[a].pop(0, 0.0)
    plain = dict(table[0])
    total += 1.0 if isinstance(table[1], defaultdict) else 2.0
    total += 0.5 if type(plain) is dict else 3.0
    try:
        total += plain[17]
    except KeyError:
        total += xs[0]
    return total + len(table[9]) * xs[0] + len(table) * xs[1]


@program(numbers)
def counted(xs):
    counts = Counter()
    for k, x in enumerate(xs):
        counts[f"w{k % 5}"] += x * x
    total = sum(counts.values())
    rest = counts["nowhere"] + len(counts)
    del counts["nowhere"], counts["w1"]
    return rest + sum(math.sin(v / total) for v in counts.values())


@program(numbers)
def counted_words(xs):
    words = ["abc"[int(10 * x) % 3] for x in xs]
    counts = Counter(words)
    total = 0.0
    for word, x in zip(words, xs, strict=True):
        total = total + x * x / counts[word]
    for _, n in counts.most_common(2):
        total = total + n * xs[0]
    return total


def voted(counts, key, x):
    counts[key] += x


@program(numbers)
def most_common(xs):
    counts = Counter()
    for k, x in enumerate(xs):
        voted(counts, k % 5, x)
        voted(counts, k % 3, 0.5 * x)
    return sum(v * (k + 1) for k, v in counts.most_common(3)) + counts.total()


@program(numbers)
def counters_in_a_table(xs):
    counts = defaultdict(Counter)
    for k, x in enumerate(xs):
        counts[k % 3][k % 4] += x * x
        counts[k % 3].update({k % 2: x})
        counts[k % 2].subtract({k % 4: 0.1 * x})
    total = sum(math.sin(v) for c in counts.values() for v in c.values())
    return total + counts[0][17]


@program(numbers)
def least_recently_used(xs):
    cache = OrderedDict()
    total = 0.0
    for k, x in enumerate(xs):
        key = (k * k) % 11
        if key in cache:
            cache.move_to_end(key)
        else:
            cache[key] = math.sin(x)
            if len(cache) > 4:
                cache.popitem(last=False)
        total += cache[key] * x
    for key, value in cache.items():
        total = 0.5 * total + key * value
    return total


@program(numbers)
def caches_in_a_dict(xs):
    caches = {}
    total = 0.0
    for k, x in enumerate(xs):
        if k % 2 not in caches:
            caches[k % 2] = OrderedDict()
        cache = caches[k % 2]
        key = k * k % 7
        if key in cache:
            cache.move_to_end(key)
        else:
            cache[key] = math.sin(x)
            if len(cache) > 3:
                total += cache.popitem(last=False)[1]
        total += cache[key] * x
    return total


@program(numbers)
def moved_to_the_front(xs):
    entries = OrderedDict()
    for k, x in enumerate(xs):
        entries[k % 5] = x * x
    entries.move_to_end(1, last=False)
    total = 0.0
    for key, value in entries.items():
        total = 0.5 * total + key * value
    key, value = entries.popitem()
    return total + (1 + key) * value
