"""Programs that take some items of an iterator at one place and others at another."""

from __future__ import annotations

import heapq
import itertools
from dataclasses import dataclass, field

import numpy as np

from tests.run_time.programs.table import number, program


def walk(it):
    total = 0.0
    for x in it:
        total += x * x
        if x > 1.0:
            total *= 0.9 + walk(it)
    return total


@program(lambda n: ([number() for _ in range(n)], 1.1), wrt=("xs", "c"))
def recursion_over_an_iterator(xs, c):
    return walk(iter(xs)) * c


def rest(it, c):
    total = 1.0
    for x in it:
        total = total * c + x
    return total


@program(lambda n: ([number() for _ in range(n + 2)], 1.1), wrt=("xs", "c"))
def begun_before_the_call(xs, c):
    it = iter(xs)
    first = next(it)
    return rest(it, first) * rest(iter(xs), c)


@program(lambda n: ([number() for _ in range(n + 2)], 1.1), wrt=("xs", "c"))
def begun_in_a_loop(xs, c):
    it = iter(xs)
    total = 0.0
    for x in it:
        total += x * c
        if x > 1.0:
            break
    return total * rest(it, c)


def expr(it, env):
    t = next(it)
    if t == "+":
        return expr(it, env) + expr(it, env)
    if t == "*":
        return expr(it, env) * expr(it, env)
    return env[t]


def words(n):
    return ["+", "*"] * n + ["a", "b"] * n + ["a"]


@program(lambda n: ({"a": number(), "b": number()}, words(n)), wrt=("env",))
def prefix_notation(env, tokens):
    return expr(iter(tokens), env)


def chunk(it, k):
    total = 0.0
    for _ in range(k):
        total += next(it)
    return total


@program(lambda n: ([number() for _ in range(n * 3)], 1.1), wrt=("xs", "c"))
def taken_in_calls(xs, c):
    it = iter(xs)
    total = 0.0
    for _ in range(len(xs) // 3):
        total = total * c + chunk(it, 3) ** 2
    return total


def local(x, n):
    y = x * x

    def gen():
        for k in range(n):
            yield y * k

    return gen()


@program(lambda n: (1.1, n), wrt=("x",))
def returned_local_generator(x, n):
    total = 0.0
    for v in local(x, n):
        total += v * v
    return total * sum(local(x * x, n))


def genexp(xs, c):
    y = c * c
    return (y * x for x in xs)


@program(lambda n: ([number() for _ in range(n)], 1.1), wrt=("xs", "c"))
def returned_expression(xs, c):
    total = 0.0
    for v in genexp(xs, c):
        total += v * v
    return total * sum(genexp(xs, c))


def take(it, n):
    total = 0.0
    for _ in range(n):
        total += next(it, 0.5)
    return total


@program(lambda n: (np.array([number() for _ in range(n)]), 1.1), wrt=("xs", "c"))
def iterators_of_arrays(xs, c):
    it = iter(xs)
    total = 0.0
    for v in it:
        total += c * v
        if v > 1.0:
            total += take(it, 2) ** 2
    return total


@program(
    lambda n: (np.array([[number(), number()] for _ in range(n)]), 1.1), wrt=("xs", "c")
)
def iterators_of_rows(xs, c):
    it = iter(xs)
    total = 0.0
    for row in it:
        total += c * row[0]
        if row[0] > 1.0:
            for other in it:
                total *= np.sum(other)
                break
    return total


@program(lambda n: (1.1, n), wrt=("c",))
def iterators_of_ranges(c, n):
    it = iter(range(n))
    total = c
    for k in it:
        total = total * c + k
        if k % 3 == 0:
            total += next(it, 7) * c
    return total


@program(lambda n: ([number() for _ in range(n)], 1.1), wrt=("xs", "c"))
def begun_on_one_path(xs, c):
    values = iter(xs)
    total = next(values) if xs[0] > 0.9 else c
    for v in values:
        total = total * v + c
    for v in values:
        total = total * v * 1e6
    return total


@program(lambda n: ([number() for _ in range(n)], 1.1), wrt=("xs", "c"))
def iterators_of_growing_lists(xs, c):
    made = [c, c * c]
    it = iter(made)
    total = 0.0
    for v in it:
        total += v * c
        if len(made) < 5:
            made.append(v * 0.5)
        for w in it:
            total *= w
            break
    made.append(c)
    for v in it:
        total *= 100.0 * v
    return total + sum(xs)


class Reader:
    def __init__(self, xs):
        self.it = iter(xs)

    def number(self):
        return next(self.it)

    def chunk(self, n):
        if n <= 0:
            return 1.0
        return self.number() * self.chunk(n - 2) + 0.1


@program(lambda n: ([number() for _ in range(3 * n)], 1.1), wrt=("xs", "c"))
def iterators_in_objects(xs, c):
    reader = Reader(xs)
    total = 0.0
    for k in range(len(xs) // 3):
        total = total * c + reader.chunk(3)
    return total


@program(lambda n: ([number() for _ in range(n)], 1.1), wrt=("xs", "c"))
def until_nothing_is_left(xs, c):
    it = iter(xs)
    total = 0.0
    try:
        while True:
            total = total * c + next(it)
            total -= next(it) ** 2
    except StopIteration:
        total *= c
    return total


@program(
    lambda n: ([[number() for _ in range((k + 1) % 3)] for k in range(n)], 1.1),
    wrt=("xs", "c"),
)
def iterators_of_lists(xs, c):
    it = iter(xs)
    total = 1.0
    for row in it:
        if len(row) == 1:
            for other in it:
                total += sum(other) * row[0]
                if len(other) == 0:
                    break
        total *= c
    return total


@program(lambda n: ([number() for _ in range(n)], 1.1), wrt=("xs", "c"))
def numbered_items(xs, c):
    it = iter(xs)
    total = 0.0
    for k, v in enumerate(it):
        total += v * k * c
        if v > 1.0:
            break
    return total * sum(it)


@program(lambda n: ([number() for _ in range(n)], 1.1), wrt=("xs", "c"))
def sliced_and_the_rest(xs, c):
    it = iter(xs)
    total = 0.0
    for v in itertools.islice(it, 2):
        total += v * c
    for v in it:
        total *= v
    return total


@program(lambda n: ([number() for _ in range(n)], 1.1), wrt=("xs", "c"))
def pairs_of_neighbours(xs, c):
    total = 0.0
    for a, b in zip(*[iter(xs)] * 2):
        total += a * b * c
    return total


@program(lambda n: ([number() for _ in range(n)], 1.1), wrt=("xs", "c"))
def one_iterator_at_several_places(xs, c):
    it = enumerate(xs)
    squares = (x * x * c for x in xs)
    total = sum(a * i + b * j * c for (i, a), (j, b) in zip(it, it))
    total += sum(a * b * d for a, b, d in zip(squares, squares, xs))
    kept = filter(lambda x: x > 0.8, xs)
    return total + sum(a * b for a, b in zip(kept, kept))


@program(lambda n: ([number() for _ in range(n)], 1.1), wrt=("xs", "c"))
def groups_that_are_filled(xs, c):
    total = 0.0
    for a, b, d in itertools.zip_longest(*[iter(xs)] * 3, fillvalue=1.5):
        total = total * c + a * b + d
    return total


@program(lambda n: ([number() for _ in range(2 * n)], 1.1), wrt=("xs", "c"))
def whole_pairs(xs, c):
    return sum(a**2 * b * c for a, b in zip(*[iter(xs)] * 2, strict=True))


@program(lambda n: ([number() for _ in range(n + 2)], 1.1), wrt=("xs", "c"))
def numbers_of_items_left(xs, c):
    it = enumerate(xs, 2)
    total = 0.0
    for k, x in it:
        if x > 1.2:
            break
        total += k * x
    if total > 3.0:
        total += next(it, (1, c))[1] * c
    return total + sum(k * x * x * c for k, x in it)


@program(lambda n: ([number() for _ in range(n + 2)], 1.1), wrt=("xs", "c"))
def backwards_in_two_loops(xs, c):
    it = reversed(xs)
    total = 1.0
    for x in it:
        total += x
        if x > 1.2:
            break
    for x in it:
        total = total * c + x * x
    return total


@program(
    lambda n: ([number() for _ in range(n + 3)], [number() for _ in range(n)], 1.1),
    wrt=("xs", "ys", "c"),
)
def rows_in_a_recursion(xs, ys, c):
    def left(rows, total):
        for x, y in rows:
            total = total * c + x * y
            if x > 1.0:
                return left(rows, total) * c
        return total

    return left(zip(xs, ys), 1.0)


@program(lambda n: ([number() for _ in range(n + 2)], 1.1), wrt=("xs", "c"))
def functions_called_as_items_are_taken(xs, c):
    log = [0.0]

    def noted(x):
        log.append(x * c)
        return x * x

    squares = map(noted, xs)
    total = 0.0
    for s in squares:
        total += s * len(log)
        if s > 1.2:
            break
    total += sum(log)
    return total + sum(squares) * log[-1]


@program(lambda n: ([number() for _ in range(n + 2)], 1.1), wrt=("xs", "c"))
def expressions_read_late(xs, c):
    rate = c
    scaled = (x * rate for x in xs)
    total = next(scaled)
    for v in scaled:
        rate = rate * 1.01
        total += v * v
        if v > 1.3:
            break
    return total + sum(scaled) + sum(scaled)


@program(lambda n: ([number() for _ in range(n + 2)], 1.1), wrt=("xs", "c"))
def filtered_at_two_places(xs, c):
    it = filter(lambda x: x > 0.1, xs)
    first = next(it)
    second = next(it, c)
    return first * second + sum(x * x for x in it)


@program(lambda n: ([number() for _ in range(n)], 1.1), wrt=("xs", "c"))
def squares_of_some_at_two_places(xs, c):
    it = (x * x * c for x in xs if x > 0.7)
    first = next(it, None)
    if first is None:
        return c
    total = first
    for x in it:
        total = total * c + x
        if total > 3.0:
            break
    return total + sum(it)


def pairs_of(xs, least):
    for k, x in enumerate(xs):
        for y in xs[k + 1 :]:
            if x + y > least:
                yield x, y


@program(lambda n: ([number() for _ in range(n % 40 + 2)], 0.3), wrt=("xs", "c"))
def pairs_at_two_places(xs, c):
    pairs = pairs_of(xs, c)
    a, b = next(pairs, (c, c))
    total = a * b
    for _ in range(3):
        x, y = next(pairs, (a, b))
        total = total * c + x * y
    return total + sum(x - y * y for x, y in pairs)


class Queue:
    def __init__(self):
        self.heap = []
        self.counter = itertools.count()

    def push(self, priority, item):
        heapq.heappush(self.heap, (priority, next(self.counter), item))

    def pop(self):
        priority, _, item = heapq.heappop(self.heap)
        return priority, item


@program(lambda n: ([number() for _ in range(n)],))
def queue_of_objects(xs):
    queue = Queue()
    for k, x in enumerate(xs):
        queue.push(k % 3, x)
    total, turns = 0.0, itertools.count(1)
    while queue.heap:
        priority, x = queue.pop()
        total = 0.8 * total + x * x * next(turns) + priority
    return total


@dataclass
class Agenda:
    heap: list = field(default_factory=list)
    counter: object = field(default_factory=itertools.count)


@program(lambda n: ([number() for _ in range(n)],))
def agenda_of_dicts(xs):
    agenda = Agenda()
    for k, x in enumerate(xs):
        entry = (k % 2, next(agenda.counter), {"size": x})
        heapq.heappush(agenda.heap, entry)
    total = 0.0
    for _ in range(len(xs)):
        _, place, event = heapq.heappop(agenda.heap)
        total = 0.8 * total + event["size"] ** 2 * (place + 1)
    return total


def numbered_tree(xs, k, numbers):
    if k >= len(xs):
        return 0.0
    own = xs[k] ** 2 * next(numbers)
    left = numbered_tree(xs, 2 * k + 1, numbers)
    return own + left + xs[k] * numbered_tree(xs, 2 * k + 2, numbers)


@program(lambda n: ([number() for _ in range(n % 40)], 0.4), wrt=("xs", "c"))
def counts_at_several_places(xs, c):
    numbers, sums = itertools.count(3, 2), itertools.count(c, c)
    total = 0.0
    for x in xs:
        if x > 1.0:
            total = 0.8 * total + x * next(numbers) + next(sums) ** 2
        for k in itertools.islice(numbers, 2):
            total += x * x * k
    for k, x in zip(numbers, xs):
        total = 0.9 * total + x * k
    return total + next(numbers) * c + numbered_tree(xs, 0, itertools.count(1))
