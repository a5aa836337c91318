"""Programs that read the attributes of objects as dicts: vars(p), p.__dict__."""

from __future__ import annotations

from dataclasses import dataclass

from tests.run_time.programs.table import Spring, number, program, springs_of


class Place:
    def __init__(self, x, y, n=3):
        self.x, self.y, self.n = x, y, n

    def total(self):
        return sum(vars(self).values())

    def as_dict(self):
        return self.__dict__.copy()


def places_of(n):
    return [Place(number(), number()) for _ in range(n)], 0.7


@program(lambda n: (springs_of(n), 0.7), ("ps", "t"))
def items(ps, t):
    found = 0.0
    for p in ps:
        for name, value in vars(p).items():
            found = 0.9 * found + len(name) * value**2 * t
    return found


@program(places_of, ("ps", "t"))
def read_as_dicts(ps, t):
    found = 0.0
    for p in ps:
        found += p.total() * t + len(vars(p))
        for name in p.__dict__:
            found += p.__dict__[name] ** 2
        if "x" in p.__dict__ and "nowhere" not in vars(p):
            found += vars(p)["x"] ** 2
        found += vars(p).get("y") * vars(p).get("nowhere", t)
    return found


@program(places_of, ("ps", "t"))
def copied(ps, t):
    def of(x, y, n, more=2.0):
        return x * y * n * more

    found = 0.0
    for p in ps:
        d = dict(vars(p))
        d["x"] = t * d["y"]
        e = {**vars(p), "more": t}
        found += of(**vars(p)) + of(**d) + of(**e) + p.as_dict()["y"]
    return found


@program(lambda n: (springs_of(n), 0.7), ("ps", "t"))
def made_of_them(ps, t):
    qs = [Spring(**vars(p)) for p in ps]
    qs[0].k = t
    for q in qs:
        q.rest *= 2.0
    return sum(q.k * q.rest for q in qs) + sum(p.rest for p in ps)


@program(lambda n: (springs_of(n), 0.7), ("ps", "t"))
def stored_through_them(ps, t):
    for p in ps:
        before = vars(p).copy()
        vars(p)["k"] = t * p.rest
        p.__dict__["rest"] += before["k"]
        p.__dict__.update(k=p.k * 2.0)
    return sum(v**2 for p in ps for v in vars(p).values())


@dataclass
class Named:
    name: str
    a: float
    parts: list
    beside: Spring


def named(n):
    return [
        Named(f"n{k}", number(), [number() for _ in range(k % 3)], springs_of(1)[0])
        for k in range(n)
    ], 0.7


@program(named, ("ps", "t"))
def unlike_attributes(ps, t):
    found = 0.0
    for p in ps:
        for name, value in p.__dict__.items():
            if name == "name":
                continue
            match value:
                case [first, *_]:
                    found += first
                case Spring(k=k):
                    found += k * value.rest * t
                case float():
                    found += value**2
    return found


class Shape:
    def __init__(self, x):
        self.x = x

    def size(self):
        return sum(v**2 for v in vars(self).values())


class Circle(Shape):
    def __init__(self, x, r):
        super().__init__(x)
        self.r = r


class Box(Shape):
    def __init__(self, x, w, h):
        super().__init__(x)
        self.w, self.h = w, h


@dataclass
class Label:
    text: str
    weight: float


def shapes(n):
    made = []
    for k in range(n):
        box = Box(number(), number(), number())
        made.append((Circle(number(), number()), box, Shape(number()))[k % 3])
    return made


def mixed(n):
    return [
        (Circle(number(), number()), Label("abc", number()))[k % 2] for k in range(n)
    ]


@program(lambda n: (shapes(n), 0.7), ("ss", "x"))
def attributes_of_several(ss, x):
    total = 0.0
    for s in ss:
        for k, (name, v) in enumerate(vars(s).items()):
            total = total * 0.95 + v * x * (k + 1) * len(name)
            if v > 1.3:
                break
        total += s.size()
    return total


@program(lambda n: (shapes(n), 0.7), ("ss", "x"))
def stored_in_several(ss, x):
    for s in ss:
        vars(s)["x"] = vars(s)["x"] * x
        if "r" in vars(s):
            s.__dict__["r"] = s.x * x
        for name in vars(s):
            if name not in ("x", "r"):
                vars(s)[name] *= 2.0
    return sum(s.size() for s in ss) + sum(vars(s).get("w", x) for s in ss)


@program(lambda n: (mixed(n), 0.7), ("ss", "x"))
def with_texts(ss, x):
    total = 0.0
    for s in ss:
        for name, v in vars(s).items():
            if name == "text":
                total += len(v) * x
            else:
                total += v**2 * x
        if any(v == "abc" for v in vars(s).values()):
            total += x
    return total


@program(lambda n: (shapes(n), 0.7), ("ss", "x"))
def names_listed(ss, x):
    total = 0.0
    for s in ss:
        values = [getattr(s, name) * x for name in vars(s)]
        total += sum(values) * len(values)
        if any(v > 1.4 for v in vars(s).values()):
            total += x
    return total
