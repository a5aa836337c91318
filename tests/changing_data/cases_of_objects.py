"""Objects that change: plain classes, dataclasses, slots, methods, operators."""

CASES = {
    "an attribute is stored": (
        "self.h is read, stored, read: like a variable that lives in the object",
        """
        class Cell:
            def __init__(self, h):
                self.h = h

            def step(self, e):
                self.h = np.tanh(self.h * e) + self.h
                return self.h

        def program(x, v):
            cell = Cell(x)
            total = 0.0
            for e in v:
                total += cell.step(e) * cell.h
            cell.h = cell.h**2
            return total * cell.h
        """,
    ),
    "two names of an object": (
        "b = a; b.t = ... changes a",
        """
        class Box:
            pass

        def program(x, y):
            a = Box()
            a.t, a.s = x, y
            b = a
            b.t = a.t * a.s
            a.s += b.t
            b = Box()
            b.t = a.s
            b.t *= x
            return a.t * a.s + b.t
        """,
    ),
    "augmented attributes": (
        "the operator writes into the array of the attribute, or binds a number",
        """
        class State:
            def __init__(self, p, n):
                self.p, self.n = p, n

        def program(x, v):
            p = v * x
            s = State(p, x)
            n = s.n
            s.p += v
            s.p[0] *= s.n
            s.n += p[0]
            s.n **= 2
            s.p = s.p * n
            s.p -= 1.0
            return np.sum(p**2) + np.sum(s.p) * s.n * n
        """,
    ),
    "attributes made late": (
        "an attribute that exists only after a method, or on one path",
        """
        class Model:
            def fit(self, v):
                self.mean = np.sum(v) / len(v)
                if self.mean > 0.0:
                    self.sign = self.mean**2
                self.count = len(v)
                return self

        def program(x, v):
            model = Model().fit(v * x)
            if not hasattr(model, "sign"):
                model.sign = x
            setattr(model, "mean", model.mean * model.sign)
            return getattr(model, "mean") * model.count + getattr(model, "no", x)
        """,
    ),
    "class attributes": (
        "reading falls back to the class, storing makes the object's own",
        """
        class Rate:
            value = 2.0
            steps = 0

            def use(self, e):
                self.value = self.value * e
                self.steps += 1
                return self.value

        def program(x, y):
            a, b = Rate(), Rate()
            total = a.use(x) * a.use(y) + b.use(x)
            return total * a.steps + b.value * Rate.value
        """,
    ),
    "a dataclass in a loop": (
        "fields are replaced each step; another object keeps the old state",
        """
        from dataclasses import dataclass

        @dataclass
        class Body:
            q: float
            p: float

        def kick(body, force, dt):
            body.p += dt * force
            body.q += dt * body.p

        def program(x, y, k):
            body, start = Body(x, y), Body(x, y)
            for i in range(k + 2):
                kick(body, -np.sin(body.q) * start.q, 0.3)
                if i == 1:
                    start = body
            return body.q**2 + body.p * start.p
        """,
    ),
    "dataclasses.replace": (
        "makes a new object whose arrays are the old one's",
        """
        from dataclasses import dataclass, replace

        @dataclass
        class Params:
            w: np.ndarray
            b: float

        def program(x, v):
            p = Params(v * x, x)
            q = replace(p, b=p.b**2)
            q.w[0] = q.b
            q.w = q.w * 2.0
            q.w[1] = p.w[0]
            p.b *= q.b
            return np.sum(p.w**2) * p.b + np.sum(q.w) * q.b
        """,
    ),
    "default factories": (
        "field(default_factory=list) gives each object a list of its own",
        """
        from dataclasses import dataclass, field

        @dataclass
        class Log:
            scale: float
            items: list = field(default_factory=list)
            total: float = 0.0

            def add(self, e):
                self.items.append(e * self.scale)
                self.total += self.items[-1]

        def program(x, v):
            a, b = Log(x), Log(2.0)
            for e in v:
                a.add(e)
                b.add(a.total)
                a.scale = a.scale * 1.1 + 0.1 * e
            return sum(a.items) * b.total + b.items[0] * len(b.items)
        """,
    ),
    "slots": (
        "objects without a dict, and a dataclass with slots",
        """
        from dataclasses import dataclass

        class Pair:
            __slots__ = ("a", "b")

            def __init__(self, a, b):
                self.a, self.b = a, b

            def swap(self):
                self.a, self.b = self.b, self.a

        @dataclass(slots=True)
        class Point:
            t: float
            w: float = 1.0

        def program(x, y):
            p, q = Pair(x, y), Point(x)
            p.swap()
            p.a *= p.b
            q.w = p.a + q.t
            p.swap()
            q.t += p.b * q.w
            return p.a * q.t - p.b * q.w**2
        """,
    ),
    "inheritance": (
        "a method of the base changes what a method of the heir reads",
        """
        class Account:
            rate = 0.1

            def __init__(self, balance):
                self.balance = balance
                self.history = [balance]

            def deposit(self, amount):
                self.balance += amount
                self.record()

            def record(self):
                self.history.append(self.balance)

        class Savings(Account):
            def deposit(self, amount):
                super().deposit(amount)
                self.balance *= 1.0 + self.rate * amount**2

            def record(self):
                self.history[-1] *= 0.5
                super().record()

        def program(x, v):
            plain, savings = Account(x), Savings(x)
            for amount in v:
                plain.deposit(amount * savings.balance)
                savings.deposit(amount)
            return plain.balance * savings.balance + sum(savings.history)
        """,
    ),
    "in-place operators": (
        "__iadd__ changes the object and returns it; __imul__ returns another",
        """
        class Vec:
            def __init__(self, a, b):
                self.a, self.b = a, b

            def __iadd__(self, other):
                self.a += other.a
                self.b += other.b
                return self

            def __imul__(self, t):
                return Vec(self.a * t, self.b * t)

            def __mul__(self, other):
                return self.a * other.a + self.b * other.b

        def program(x, y):
            u, w = Vec(x, y), Vec(y, 1.0)
            same = u
            u += w
            u += u
            u *= x
            same += w
            return (u * w) * same.a + same * u
        """,
    ),
    "items and attributes by methods": (
        "__setitem__, __getitem__, a property's setter and __setattr__ store",
        """
        class Table:
            def __init__(self, n):
                self._cells = np.zeros(n)
                self._gain = 1.0

            def __getitem__(self, i):
                return self._cells[i % 3] * self._gain

            def __setitem__(self, i, e):
                self._cells[i % 3] = e

            @property
            def gain(self):
                return self._gain

            @gain.setter
            def gain(self, e):
                self._cells /= 1.0 + e**2
                self._gain = e

        def program(x, v):
            t = Table(3)
            for i, e in enumerate(v):
                t[i + 1] = e * x
                t[i] += e**2
            t.gain = x
            t.gain *= t[4]
            t[0] *= t.gain
            return t[0] * t[1] + t[2] ** 2
        """,
    ),
    "a linked list": (
        "objects that refer to objects, with a number of them that the run decides",
        """
        class Node:
            def __init__(self, e, link):
                self.e, self.link = e, link

        def program(x, v, k):
            head = Node(x, None)
            for i in range(k + 1):
                head = Node(v[i % 3] * head.e, head)
            head.link.e *= 2.0
            total, node = 0.0, head
            while node is not None:
                total = total * 0.5 + node.e**2
                node = node.link
            return total
        """,
    ),
    "a list of objects": (
        "every object is changed, and the same one may be twice in the list",
        """
        class Particle:
            def __init__(self, q, p):
                self.q, self.p = q, p

        def program(x, v):
            cloud = [Particle(e, x * e) for e in v]
            cloud.append(cloud[0])
            for step in range(2):
                centre = sum(c.q for c in cloud) / len(cloud)
                for c in cloud:
                    c.p -= 0.2 * np.sin(c.q - centre)
                    c.q += 0.2 * c.p
            return sum(c.q**2 + c.p * x for c in cloud)
        """,
    ),
    "an object chosen by the run": (
        "which object the name means depends on data",
        """
        class Arm:
            def __init__(self, mean):
                self.mean, self.count = mean, 1

            def pull(self, reward):
                self.count += 1
                self.mean += (reward - self.mean) / self.count

        def program(x, y, v):
            left, right = Arm(x), Arm(y)
            for e in v:
                best = left if left.mean > right.mean else right
                best.pull(e * best.mean)
            best.mean *= 2.0
            return left.mean * right.mean + left.count
        """,
    ),
    "objects that refer to each other": (
        "a cycle: the parent's list holds the child, the child holds the parent",
        """
        class Part:
            def __init__(self, mass):
                self.mass, self.parent, self.parts = mass, None, []

            def attach(self, part):
                part.parent = self
                self.parts.append(part)
                self.mass += part.mass

        def program(x, y):
            root, wing = Part(x), Part(y)
            root.attach(wing)
            wing.mass = wing.mass * wing.parent.mass
            wing.parent.parts[0].mass += x
            return root.mass * root.parts[0].mass
        """,
    ),
    "a closure keeps state": (
        "a function with nonlocal numbers is an object as well",
        """
        def make_filter(gain):
            level = 0.0
            seen = []

            def update(e):
                nonlocal level
                level += gain * (e - level)
                seen.append(level)
                return level

            return update, seen

        def program(x, v):
            first, log = make_filter(x)
            second, _ = make_filter(0.5)
            total = 0.0
            for e in v:
                total += second(first(e)) ** 2
            return total + sum(log) * log[-1]
        """,
    ),
    "copies of objects": (
        "copy.copy shares the array, deepcopy doesn't",
        """
        import copy

        class Net:
            def __init__(self, w, b):
                self.w, self.b = w, b

        def program(x, v):
            net = Net(v * x, x)
            near, far = copy.copy(net), copy.deepcopy(net)
            near.w[0] = net.b**2
            near.b = near.b * 3.0
            far.w *= net.w
            net.w[1] = far.w[1] * near.b
            return np.sum(near.w**2) + np.sum(far.w) * far.b + net.b
        """,
    ),
    "a context manager that stores": (
        "__enter__ and __exit__ change the object around the body",
        """
        class Scaled:
            def __init__(self, a, t):
                self.a, self.t = a, t

            def __enter__(self):
                self.a *= self.t
                return self.a

            def __exit__(self, *error):
                self.a += self.t**2

        def program(x, v):
            a = v * 1.0
            with Scaled(a, x) as b:
                b[0] = b[1] * b[2]
                inner = np.sum(a**2)
            return inner * np.sum(a)
        """,
    ),
    "an iterator with state": (
        "__next__ changes the object until it stops",
        """
        class Halves:
            def __init__(self, e, n):
                self.e, self.n = e, n

            def __iter__(self):
                return self

            def __next__(self):
                if self.n == 0:
                    raise StopIteration
                self.n -= 1
                self.e = self.e * 0.5 + self.e**2
                return self.e

        def program(x, k):
            halves = Halves(np.tanh(x) * 0.4, k + 1)
            total = 0.0
            for e in halves:
                total += e * e
            return total * halves.e + halves.e
        """,
    ),
    "momentum kept by an optimiser": (
        "an object updates the arrays of others in place, by name",
        """
        class Momentum:
            def __init__(self, rate):
                self.rate, self.speed = rate, {}

            def step(self, params, grads):
                for name, g in grads.items():
                    if name not in self.speed:
                        self.speed[name] = np.zeros_like(g)
                    self.speed[name] *= 0.9
                    self.speed[name] -= self.rate * g
                    params[name] += self.speed[name]

        def program(x, v):
            params = {"a": v * 1.0, "b": v * x}
            optimiser = Momentum(x)
            for _ in range(3):
                a, b = params["a"], params["b"]
                optimiser.step(params, {"a": 0.1 * a * b**2, "b": 0.1 * a**2 * b})
            return np.sum(params["a"] * params["b"])
        """,
    ),
    "the same object as two arguments": (
        "transfer(a, a) reads what it has just stored",
        """
        class Account:
            def __init__(self, balance):
                self.balance = balance

        def transfer(source, target, share):
            amount = source.balance * share
            source.balance -= amount
            target.balance += amount * target.balance

        def program(x, y):
            a, b = Account(x), Account(y)
            transfer(a, b, 0.3)
            transfer(a, a, 0.5)
            transfer(b, a, x)
            return a.balance * b.balance
        """,
    ),
    "a method that rebuilds its own dict": (
        "vars(self) and __dict__ are other names of the attributes",
        """
        class Store:
            def __init__(self, **items):
                self.__dict__.update(items)

            def scale(self, t):
                for name, value in vars(self).items():
                    setattr(self, name, value * t)

        def program(x, y):
            store = Store(a=x, b=y)
            store.scale(x)
            store.__dict__["a"] += store.b
            return store.a * store.b
        """,
    ),
}
