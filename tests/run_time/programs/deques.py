"""Deques that are read, and sets of texts."""

from __future__ import annotations

import copy
import math
from collections import defaultdict, deque
from dataclasses import dataclass

import numpy as np

from tests.run_time.programs.table import (
    names_of,
    number,
    program,
)


@dataclass
class Sensor:
    gain: float
    past: deque[float]


@dataclass
class Knot:
    x: float
    after: list[Knot]

    @classmethod
    def chained(cls, n):
        knots = [cls(number(), []) for _ in range(n)]
        for k, knot in enumerate(knots):
            knot.after += knots[2 * k + 1 : 2 * k + 3]
        return knots[0]


def numbers(n):
    return deque((number() for _ in range(n)), 2 * n)


def sensors(n):
    made = [Sensor(number(), deque([number()] * (k % 3), 3)) for k in range(n)]
    return deque([*made, made[0]])


@program(lambda n: (numbers(n), 2.0), ("d", "x"))
def q_recurrence(d, x):
    t = 0.0
    for v in d:
        t = math.sin(0.9 * t) + v * v * x
    return t * d[0] * d[-1] + len(d) * (d.maxlen > 0)


@program(lambda n: (sensors(n),))
def q_objects(d):
    t = d[2].gain
    for s in d:
        if s.past:
            t += s.gain**2 * s.past[0] * len(s.past)
    return t


@program(lambda n: (numbers(n), [number() for _ in range(2 * n)]), ("d", "ys"))
def q_zip(d, ys):
    t = 0.0
    for k, (a, b) in enumerate(zip(d, reversed(ys))):
        if k == 5:
            break
        t += a * b * b
    return t


@program(lambda n: (deque((number(), 2.0, f"w{k}") for k in range(n)),))
def q_tuples(d):
    return sum(a**2 * b for a, b, _ in d)


@program(lambda n: (numbers(n),))
def q_library(d):
    first, *rest = d
    found = np.sum(np.array(d) ** 2) + max(d) + 2.0 * sum(sorted(d)[:2])
    return found + first * sum(rest) + sum(v**3 for v in [*d, first] if v in d)


@program(lambda n: ({f"k{k}": numbers(3) for k in range(n)},))
def q_in_dicts(d):
    return sum(row[1] ** 2 * row[-1] for row in d.values())


@program(lambda n: (deque(np.full(2, number()) for _ in range(n)),))
def q_arrays(d):
    return sum(np.sum(w * d[0]) for w in d)


@program(lambda n: (names_of(n), {"k1", "k3", "zz"}))
def s_members(d, chosen):
    return sum(v**2 for k, v in d.items() if k in chosen) * len(chosen)


@program(lambda n: (names_of(n), frozenset(("k1", "k3"))))
def s_run_over(d, chosen):
    t = 0.0
    for k in chosen:
        t += d[k] ** 2
    for place, k in enumerate(sorted(chosen, reverse=True)):
        t += place * d[k]
    return t


@program(lambda n: (names_of(n), ["k1", "k3", "k1"] * n))
def s_made(d, words):
    t = 0.0
    for k in set(words) | {"k2"}:
        t += d[k] ** 2
    for k in set(d) & {"k1", "k2"}:
        t *= d[k]
    return t + len({w for w in words if w != "k1"}) * d["k1"]


@program(lambda n: (names_of(n), {"k1", "k3"}))
def s_compared(d, chosen):
    if set(d) == chosen or not chosen:
        return d["k1"]
    return sum(d[k] ** 2 for k in chosen - {"k1"} if {"k1"} != chosen)


@program(lambda n: ([number() for _ in range(n)],))
def q_made_queue(xs):
    waiting = deque()
    for x in xs:
        waiting.append(x * x)
    t = 0.0
    while waiting:
        t = math.sin(0.9 * t) + waiting.popleft()
    return t


@program(lambda n: ([number() for _ in range(n)], 0.7), ("xs", "rate"))
def q_made_window(xs, rate):
    window, t = deque(), 0.0
    for x in xs:
        window.append(x * rate)
        if len(window) > 3:
            t = rate * t + x * window.popleft() * window[0]
    while len(window) > 1:
        t += window.pop() ** 2
    return t + window[-1]


@program(lambda n: ([number() for _ in range(n)],))
def q_made_bounded(xs):
    window, t = deque(maxlen=3), 0.0
    for x in xs:
        window.append(x)
        t = math.cos(t) + x * window[0]
    return t * window[-1] + len(window)


@program(lambda n: ([number() for _ in range(n)],))
def q_made_both_ends(xs):
    ends, other = deque(), deque([1.0])
    for k, x in enumerate(xs):
        if k % 3 == 1:
            ends.append(x)
        elif k % 3:
            ends.appendleft(x * x)
        else:
            other.appendleft(other.pop() * x)
    t = other[0]
    while len(ends) > 1:
        t = 0.9 * t + ends.popleft() * ends.pop()
    return t


@program(lambda n: ([number() for _ in range(n)],))
def q_made_turned(xs):
    ring, t = deque(xs), 0.0
    for k in range(2 * len(xs)):
        t = 0.9 * t + ring[0] * math.sin(ring[-1])
        ring.rotate(-1)
        if k % 5 == 2:
            ring.append(ring.popleft() * math.sin(t))
            ring.rotate()
    return t


@program(lambda n: ([number() for _ in range(n)],))
def q_made_of_given(xs):
    waiting = list(xs)
    kept, t = waiting, 0.0
    while waiting:
        x = waiting.pop(0)
        if x > 1.4 and len(waiting) < 5:
            kept.insert(0, 0.5 * x)
        t = math.tanh(t + x * len(kept))
    return t


@program(lambda n: ([number() for _ in range(n)],))
def q_made_anew(xs):
    t, waiting = 1.0, deque([0.5])
    for x in xs:
        waiting.append(x * t)
        if len(waiting) > 2:
            before, waiting = waiting, deque([waiting.popleft()])
            t += before[0] * before[-1]
        t = math.sin(t)
    return t + waiting[0]


@program(lambda n: ([number() for _ in range(n)],))
def q_made_and_read(xs):
    waiting, t = deque(), 0.0
    for x in xs:
        waiting.append(x)
        if len(waiting) > 4:
            waiting.popleft()
        t = 0.5 * t + sum(v * v for v in waiting) / len(waiting)
    return t + waiting[1]


@program(lambda n: (Knot.chained(n), 0.9), ("knot", "rate"))
def q_made_of_objects(knot, rate):
    waiting, t = deque([knot]), 0.0
    while waiting:
        one = waiting.popleft()
        t = rate * t + one.x**2
        for after in one.after:
            waiting.append(after)
    return t


@program(lambda n: ([number() for _ in range(n)],))
def q_made_in_calls(xs):
    def taken(waiting, t):
        while len(waiting) > 2:
            t += waiting.popleft() * waiting[0]
        return t

    waiting, t = deque(), 0.0
    for x in xs:
        waiting.append(x)
        waiting.append(x * x)
        t = taken(waiting, math.sin(t))
    return t * waiting.pop()


class Delay:
    def __init__(self, steps):
        self.line = deque([0.0] * steps, maxlen=steps)

    def is_full(self):
        return len(self.line) == self.line.maxlen

    def step(self, x):
        out = self.line[0]
        self.line.append(x + 0.3 * out)
        return out


@program(lambda n: ([number() for _ in range(n)], n % 4 + 1), wrt=("xs",))
def delay_lines(xs, steps):
    delay, taps = Delay(steps), deque([0.0] * 3, maxlen=3)
    total = 0.0
    for x in xs:
        taps.appendleft(x * x)
        total = 0.9 * total + delay.step(x) ** 2 + delay.is_full()
        total += sum(c * tap for c, tap in zip((0.5, 0.3, 0.2), taps)) * taps[-1]
    return total


@program(lambda n: ([number() for _ in range(n)], n % 6), wrt=("xs",))
def windows_of_several_items(xs, size):
    window, pairs = deque(xs, maxlen=size), deque(enumerate(xs), maxlen=size)
    total = 0.0
    for k, x in pairs:
        total = 0.8 * total + (k + 1) * x * x
    for x in xs[:2]:
        window.extend([x * x, 2.0 * x])
        for k, y in enumerate(window):
            total = 0.8 * total + (k + 1) * y * y
        window.extendleft([total, x])
        pairs.appendleft((3, x * total))
    window.extendleft(xs)
    window += [2.0 * total for _ in xs[:2]]
    window.extend(x * x for x in xs[:3])
    for k, y in enumerate(window):
        total = 0.8 * total + (k + 1) * y * y
    return total + sum(k * x for k, x in pairs) + len(window)


@program(lambda n: ([number() for _ in range(n)],))
def averages_that_move(xs):
    window, total, means = deque(maxlen=3), 0.0, []
    for x in xs:
        if len(window) == window.maxlen:
            total -= window[0]
        window.append(x)
        total += x
        means.append(total / len(window))
    return sum(m * m for m in means)


@program(lambda n: ([number() for _ in range(n)], 0.8))
def queues_by_key(xs, rate):
    queues = defaultdict(deque)
    for k, x in enumerate(xs):
        queues[k % 3].append(x * rate)
    total = 0.0
    while any(queues.values()):
        for queue in queues.values():
            if queue:
                total = 0.9 * total + queue.popleft() ** 2
    return total


@program(lambda n: ([number() for _ in range(n)], 0.8))
def latest_by_key(xs, rate):
    latest = {}
    for k, x in enumerate(xs):
        key = f"k{k % 2}"
        if key not in latest:
            latest[key] = deque([rate], maxlen=3)
        latest[key].append(x * rate)
    return sum(sum(queue) ** 2 / len(queue) for queue in latest.values())


@program(lambda n: ([number() for _ in range(n)], 0.8))
def rings_in_a_list(xs, rate):
    rings = [deque([1.0, rate]) for _ in range(4)]
    for k, x in enumerate(xs):
        ring = rings[k % 4]
        ring.rotate(1)
        ring[0] += x
        ring.appendleft(x * rate)
        if len(ring) > 3:
            ring.extend([ring.pop() * x])
    return sum(math.sin(v) * (k + 1) for ring in rings for k, v in enumerate(ring))


@program(lambda n: ([number() for _ in range(n)], 0.8))
def set_where_there_is_none(xs, rate):
    seen = {}
    for k, x in enumerate(xs):
        seen.setdefault(k % 3, deque()).appendleft(x * rate)
    return sum(v * (k + 1) / 9 for key in seen for k, v in enumerate(seen[key]))


@program(lambda n: ([number() for _ in range(n + 2)], 0.8))
def in_several_places(xs, rate):
    first, second = deque([rate]), deque()
    held = []
    for k, x in enumerate(xs):
        held.append(first if k % 2 else second)
        first.append(x * rate)
    for queue in held:
        queue.append(rate)
        queue[0] *= 1.1
    return sum(math.sin(v) for queue in held for v in queue) + len(first) * rate


@program(lambda n: ([number() for _ in range(n + 2)], 0.8))
def copies_of_queues(xs, rate):
    pairs = [deque(xs[k : k + 2], maxlen=3) for k in range(len(xs))]
    same = second = pairs[1]
    second.append(rate)
    same.appendleft(rate * rate)
    other, last = copy.copy(second), second.copy()
    other.append(3.0 * rate)
    last.pop()
    pairs[0], pairs[-1] = pairs[-1], pairs[0]
    whole = sum(v * (k + 1) / len(xs) for pair in pairs for k, v in enumerate(pair))
    return whole + sum(other) * rate + sum(last)


@program(lambda n: ([Sensor(number(), deque([1.0])) for _ in range(n + 1)], 0.8))
def put_into_what_is_given(sensors, rate):
    queue = deque([rate, 2.0])
    sensors[0].past = queue
    queue.append(rate * sensors[-1].gain)
    sensors.append(Sensor(rate, deque([rate], maxlen=2)))
    sensors[-1].past.extend([rate, rate * queue[0], sensors[0].gain])
    return sum(v * s.gain * (k + 1) for s in sensors for k, v in enumerate(s.past))


@program(lambda n: (deque((number() for _ in range(n + 2)), 2 * n + 3), 0.8))
def copied_with_its_limit(queue, rate):
    other = queue.copy()
    for _ in range(len(queue) + 3):
        other.append(rate * other[0])
    return sum(other) + queue[0] * rate


@program(lambda n: (deque(number() for _ in range(n + 2)), 0.8))
def copied_without_a_limit(queue, rate):
    other = queue.copy()
    other.appendleft(rate * other.pop())
    return sum(other) * queue[0]
