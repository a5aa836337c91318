"""Programs that store texts into what they are given, and change lists and dicts of
texts and whole numbers in it."""

from __future__ import annotations

from dataclasses import dataclass

from tests.run_time.programs.table import number, program


@dataclass
class Machine:
    state: str
    level: float
    log: list


@dataclass
class Tagged:
    tags: dict
    level: float


@dataclass
class Task:
    name: str
    owner: object
    cost: float


@dataclass
class Words:
    names: list
    order: list
    gain: float


def machines(n):
    return [Machine("idle" if k % 2 else "busy", number(), ["made"]) for k in range(n)]


def tagged(n):
    return [Tagged({"a": "b", "k": "c"}, number()) for _ in range(n)]


def tasks(n):
    return [Task(f"t{k}", None if k % 2 else "me", number()) for k in range(n)]


def words(n):
    counts = [2 + k % 3 for k in range(n)]
    return [
        Words([f"w{j}" for j in range(c)], list(range(c)), number()) for c in counts
    ]


def rename(task, name):
    old = task.name
    task.name = name
    return old


@program(lambda n: (machines(n), 0.7))
def states(ms, x):
    total = 0.0
    for m in ms:
        if m.state == "idle":
            m.state = "busy"
            m.level *= x
        else:
            m.state = "done"
        if m.level > 0.9:
            m.state = "full"
    for m in ms:
        if m.state == "busy":
            total += m.level**2
        elif m.state == "full":
            total += m.level**3
    return total


@program(lambda n: (machines(n), 0.7))
def logs(ms, x):
    total = 0.0
    for m in ms:
        m.level *= x
        m.log.append(f"level {m.level > 0.5}")
        m.log.append("done")
        if "done" in m.log:
            total += m.level**2 * len(m.log)
        if m.log[-1] == "done":
            total += m.level
    return total


@program(lambda n: (tagged(n), 0.7))
def tags_changed(ts, x):
    total = 0.0
    for k, t in enumerate(ts):
        t.tags["k"] = "new"
        t.tags["other"] = t.tags["a"]
        if k % 2:
            t.tags.pop("k")
        total += t.level * len(t.tags) * x
        if t.tags.get("k") == "new":
            total += t.level**2
        t.level = total
    return total


@program(lambda n: (tasks(n), 0.7))
def names_that_may_be_none(ts, x):
    total = 0.0
    for k, t in enumerate(ts):
        if t.owner is None:
            t.owner = "you"
        elif t.cost > 1.0:
            t.owner = None
        t.name = t.name + "x"
    for t in ts:
        if t.owner is not None:
            total += t.cost**2 * len(t.owner) * len(t.name) * x
    ts.append(Task("last", "me", x))
    ts[-1].owner = "them"
    return total + ts[-1].cost * len(ts[-1].owner)


@program(lambda n: (tasks(n), 0.7))
def by_functions(ts, x):
    total = 0.0
    for k, t in enumerate(ts):
        old = rename(t, f"n{k}")
        try:
            t.owner = {"me": "a", "you": "b"}[t.owner]
            total += t.cost * len(old)
        except KeyError:
            t.owner = old
            total += t.cost**2
    seen = {t.name: t for t in ts}
    seen["n1"].cost *= x
    return total + sum(t.cost**2 for t in ts if t.owner == "a")


@program(lambda n: (words(n), 0.7))
def words_turned(ws, x):
    for w in ws:
        w.names.reverse()
        w.order.reverse()
        w.names.append("abc")
        w.order.append(3)
        w.names.reverse()
        w.order.sort()
        w.names.sort()
    total = 0.0
    for w in ws:
        for a, b in zip(w.names, w.order):
            total = 0.9 * total + len(a) * b * w.gain * x
        w.names.clear()
        w.order.clear()
        w.order.append(2)
    return total + sum(k * w.gain for w in ws for k in w.order)
