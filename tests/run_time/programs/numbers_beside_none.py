"""None beside numbers in lists, dicts and objects, given and made: what a slot lacks
may come, and what it has may go."""

from __future__ import annotations

from tests.run_time.programs.table import number, program


class Part:
    def __init__(self, size, known=None):
        self.size = size
        self.known = known


def numbers(n):
    return ([number() for _ in range(n)],)


def with_gaps(n):
    return ([None if k % 3 == 1 else number() for k in range(n)], number())


def parts(n):
    return ([Part(number()) for _ in range(n)],)


def parts_with_gaps(n):
    return ([Part(number(), None if k % 2 else number()) for k in range(n)],)


@program(with_gaps)
def gaps_filled(xs, a):
    for i in range(len(xs)):
        if xs[i] is None:
            xs[i] = a * i
        else:
            xs[i] = xs[i] ** 2
    return sum(x * x for x in xs)


@program(with_gaps)
def gaps_made(xs, a):
    total = 0.0
    for i in range(len(xs)):
        if i % 2 and xs[i] is not None:
            total += xs[i] ** 2 * a
            xs[i] = None
    for x in xs:
        if x is not None:
            total = 0.9 * total + x
    return total


@program(with_gaps)
def gaps_made_and_filled(xs, a):
    for i in range(len(xs)):
        xs[i] = None if i % 2 else a * a
        if xs[i] is None:
            xs[i] = a
        xs[i] = xs[i] * a
    return sum(xs)


@program(parts)
def known_later(ps):
    for p in ps:
        if p.known is None:
            p.known = p.size**2
    return sum(p.known * p.size for p in ps)


@program(parts_with_gaps)
def known_at_times(ps):
    total = 0.0
    for p in ps:
        if p.known is None:
            p.known = p.size
        total = 0.8 * total + p.known**2
        p.known = None
    return total


@program(numbers)
def slots_of_a_table(xs):
    best = [None] * len(xs)
    for i, x in enumerate(xs):
        if i % 2:
            best[i] = x * x
    total = 0.0
    for b in best:
        if b is not None:
            total = 0.8 * total + b
    return total


@program(numbers)
def written_in_a_comprehension(xs):
    found = [x * x if i % 2 else None for i, x in enumerate(xs)]
    return sum(f * f for f in found if f is not None)


@program(numbers)
def appended(xs):
    found = []
    for i, x in enumerate(xs):
        found.append(None if i % 3 == 0 else x**2)
    last = 0.0
    for f in found:
        last = last if f is None else 0.5 * last + f
    return last


@program(numbers)
def best_by_key(xs):
    best = {k: None for k in range(4)}
    for i, x in enumerate(xs):
        if best[i % 4] is None or x > best[i % 4]:
            best[i % 4] = x * x
    return sum(v * v for v in best.values() if v is not None)


@program(numbers)
def records_with_gaps(xs):
    rows = [{"v": x, "w": x * x if i % 3 else None} for i, x in enumerate(xs)]
    for i, row in enumerate(rows):
        if i % 4 == 0:
            row["w"] = None if row["w"] is not None else row["v"]
    return sum(r["v"] if r["w"] is None else r["v"] * r["w"] for r in rows)


@program(numbers)
def rows_of_slots(xs):
    table = [[None] * 3 for _ in xs]
    for i, x in enumerate(xs):
        for j in range(3):
            if (i + j) % 2:
                table[i][j] = x * (j + 1)
    return sum(v * v for row in table for v in row if v is not None)


@program(numbers)
def remembered(xs):
    memo = [None] * len(xs)

    def value(i):
        if memo[i] is None:
            memo[i] = xs[i] if i < 2 else value(i - 1) * 0.5 + value(i - 2) * xs[i]
        return memo[i]

    for i in range(len(xs)):
        value(i)
    return memo[-1]


@program(numbers)
def remembered_by_key(xs):
    memo = {}

    def value(i):
        if memo.get(i) is None:
            memo[i] = xs[i] if i < 2 else value(i - 1) * 0.5 + value(i - 2) * xs[i]
        return memo[i]

    return sum(value(i) for i in range(len(xs)))


@program(numbers)
def last_seen(xs):
    seen, total = [None] * 4, 0.0
    for i, x in enumerate(xs):
        before = seen[i % 4]
        if before is not None:
            total = 0.9 * total + x * before
        seen[i % 4] = x
    return total


@program(numbers)
def buckets(xs):
    slots = [None] * 7
    for i, x in enumerate(xs):
        if slots[i % 7] is None:
            slots[i % 7] = []
        slots[i % 7].append(x * x)
    return sum(sum(s) ** 2 for s in slots if s is not None)


@program(numbers)
def hash_table(xs):
    table = [None] * 5
    for i, x in enumerate(xs):
        table[i % 5] = (x, table[i % 5])
    total = 0.0
    for head in table:
        while head is not None:
            total = 0.9 * total + head[0] ** 2
            head = head[1]
    return total


@program(numbers)
def made_parts(xs):
    ps = [Part(x) for x in xs]
    for i, p in enumerate(ps):
        if i % 2:
            p.known = p.size * 3.0
    for p in ps:
        if p.known is not None and p.known > 2.0:
            p.known = None
    return sum(p.size if p.known is None else p.known * p.size for p in ps)


@program(numbers)
def stack_with_gaps(xs):
    stack, total = [], 0.0
    for i, x in enumerate(xs):
        stack.append(x * x)
        if i % 3 == 2:
            stack.append(None)
        if i % 4 == 3:
            top = stack.pop()
            if top is not None:
                total = 0.7 * total + top
    for s in stack:
        if s is not None:
            total += s
    return total


@program(with_gaps)
def gaps_handed_on(xs, a):
    held = [x for x in xs if x is not None]
    both = xs + [None, a]
    last = None
    for x in both[1:]:
        if x is not None:
            last = x if last is None else 0.5 * last + x
    return last * sum(held)


class Smoothed:
    level = None
    count = 0

    def seen(self, x):
        self.level = x if self.level is None else 0.4 * x + 0.6 * self.level
        self.count += 1
        return self.level


@program(numbers)
def smoothed_by_class(xs):
    filters = [Smoothed() for _ in range(3)]
    total = 0.0
    for k, x in enumerate(xs):
        total += filters[k % 3].seen(x) * x
    return total + sum(f.count * f.level for f in filters if f.count > 1)


@program(numbers)
def smoothed_by_one(xs):
    average, best, total = Smoothed(), Part(0.0), 0.0
    for x in xs:
        total *= 0.9
        total += average.seen(x)
        if best.known is None or x > best.known:
            best.known = x
        total -= 0.3 * best.known
    return total
