"""Aliases: the same array under two names, in arguments, structures and loops."""

CASES = {
    "the first name is forgotten": (
        "the name that the others were taken from isn't read again, and is out of date",
        """
        def raised(t, s):
            t += s

        def program(x, v):
            a = v * x
            d = a
            d[:2] += x * d[0]
            raised(d, np.sin(v))
            return np.sum(d * d * v)
        """,
    ),
    "seen through other names alone": (
        "no store is read through the name that it has: each is seen by the other one",
        """
        def halves(t):
            for i in range(2):
                yield t
                t += 0.5 * t[0]

        def program(x, v):
            total = x
            c = v * x
            for g in halves(c):
                c[1] = total * 0.3
                total = total + np.sum(g * v)
            return total
        """,
    ),
    "changed while the right-hand side is computed": (
        "the element was read before the call that changes it",
        """
        def halved(t):
            t *= 0.5
            return t[0] * t[1]

        def program(x, v):
            a = v * x
            a[1] -= halved(a) * x
            a[0] *= halved(a)
            return np.sum(a * a * v)
        """,
    ),
    "gathered": (
        "what an index array, a list or a mask picks is a copy",
        """
        def program(x, v, m, k):
            order = np.array([2, 0, 1])
            order[0] = min(k, 2)
            z = v[order]
            z[0] = z[1] * x
            z *= v
            w = m[0, order]
            w[1:] *= x
            s = v[[1, 1]]
            s[0] = x * s[1]
            large = v[v > 0.0]
            large *= x
            large += v[0]
            return np.sum(z * v) + np.sum(w * m[1]) + np.sum(s) + np.sum(large**2)
        """,
    ),
    "gathered again and again": (
        "in a loop, a store changes what was picked, not what it was picked from",
        """
        def program(x, v):
            z = v
            for i in range(3):
                z = z[np.argsort(z)]
                z[i] = x * z[0]
            return np.sum(z * v)
        """,
    ),
    "two names": (
        "y = x; y[0] = ... changes x",
        """
        def program(x, v):
            a = v * x
            b = a
            b[0] = x**2
            a[1] *= b[0]
            b = b * 2.0
            b[0] = x
            return np.sum(a**2) + np.sum(b)
        """,
    ),
    "two names of a parameter": (
        "the caller's array is written through another name",
        """
        def program(x, v):
            a = v
            a[0] = x * v[1]
            v[2] *= a[0]
            return np.sum(a * v)
        """,
    ),
    "one array passed twice": (
        "a helper writes into the first argument and reads the second: they are one",
        """
        def scale(target, source):
            for i in range(len(target)):
                target[i] = source[i] * source[0]

        def program(x, v):
            a, b = v * x, np.sin(v)
            scale(a, b)
            scale(b, b)
            return np.sum(a**2) + np.sum(b * v)
        """,
    ),
    "overlapping views passed": (
        "two arguments share elements that are shifted by one",
        """
        def relax(new, old, w):
            new *= 1.0 - w
            new += w * old

        def program(x, v):
            a = np.tile(v, 2)
            relax(a[1:], a[:-1], x)
            relax(a[:-1], a[1:], 0.5)
            relax(a[::2], a[1::2], x)
            return np.sum(a**2)
        """,
    ),
    "a helper that writes": (
        "the caller's array is changed by a call that returns nothing",
        """
        def clamp(t, low):
            t[t < low] = low * t[t < low]
            t += low

        def program(x, v):
            a = v * x
            clamp(a, 0.3)
            total = np.sum(a**2)
            clamp(a[1:], x)
            return total * np.sum(a)
        """,
    ),
    "a helper that binds anew": (
        "t = t * 2 in a helper leaves the caller's array, t *= 2 doesn't",
        """
        def pure(t):
            t = t * 2.0
            t[0] = 1.0
            return t

        def impure(t):
            t *= 2.0
            t[0] = t[1]
            return t

        def program(x, v):
            a = v * x
            b = pure(a)
            c = impure(a)
            c[2] = x
            return np.sum(a**2) + np.sum(b * c)
        """,
    ),
    "augmented parameters of a helper": (
        "s += on a float parameter stays inside, on an array it doesn't",
        """
        def add(t, e):
            t += e
            return t

        def program(x, y, v):
            a = v * x
            b = add(a, y)
            s = add(x, y)
            return np.sum(a * b) * s * x
        """,
    ),
    "written in one branch only": (
        "after the branch the two names may or may not differ",
        """
        def program(x, v):
            a = v * x
            b = a
            if x > 0.0:
                b = a.copy()
            b[0] = x**2
            if v[0] > 0.0:
                a[1] = b[0] * a[1]
            return np.sum(a**2) + np.sum(b * v)
        """,
    ),
    "written in one iteration only": (
        "the alias arises in an iteration, and later ones write through it",
        """
        def program(x, v, k):
            a, b = v * x, v**2
            for i in range(3):
                if i == k:
                    b = a
                b[i] = b[i] * x + a[i - 1]
                a[0] *= 1.1
            return np.sum(a**2) + np.sum(b)
        """,
    ),
    "a chosen array is written": (
        "which of two arrays the name means is known when it runs",
        """
        def program(x, v, k):
            a, b = v * x, np.cos(v)
            for i in range(4):
                c = a if (i + k) % 3 else b
                c[i % 3] = a[(i + 1) % 3] * b[i % 3] + x
            d = (a, b)[k % 2]
            d *= d
            return np.sum(a) * np.sum(b**2)
        """,
    ),
    "shifted by one in place": (
        "x[1:] = x[:-1]: NumPy reads all before it writes",
        """
        def program(x, v):
            a = np.concatenate([v, v * x])
            a[1:] = a[:-1]
            a[:-2] = a[2:] * x
            a[::-1] = a
            return np.sum(a**2 * np.arange(1.0, 7.0))
        """,
    ),
    "turned in place": (
        "x[:] = x[::-1] and a transposed square into itself",
        """
        def program(x, v):
            a = v * x
            a[:] = a[::-1] * a
            b = np.outer(v, a) + x
            b[:] = b.T
            b[0], b[1:] = b[2].copy(), b[:2]
            return np.sum(a * v) + np.sum(b * b[0])
        """,
    ),
    "ping-pong buffers": (
        "names are exchanged, not values: each buffer is overwritten every other step",
        """
        def program(x, v):
            old, new = v * 1.0, np.zeros(3)
            for step in range(5):
                new[1:] = old[1:] + x * old[:-1]
                new[0] = np.sin(old[0])
                old, new = new, old
            return np.sum(old**2) + np.sum(new * v)
        """,
    ),
    "ping-pong, an odd or even number of times": (
        "which buffer is the last one is known when it runs",
        """
        def program(x, v, k):
            u, w = v * x, v**2
            first = u
            for step in range(k):
                w[:] = u * x + w
                w, u = u, w
                if step == 1:
                    u[0] = first[1]
            return np.sum(u**2) + np.sum(first * w)
        """,
    ),
    "three buffers in turn": (
        "a wave equation: names go round through a tuple",
        """
        def program(x, v):
            past, now, future = v.copy(), v * x, np.empty(3)
            for step in range(4):
                future[:] = 2.0 * now - past
                future -= x * now**3
                past, now, future = now, future, past
            return np.sum(now**2) + np.sum(past * future)
        """,
    ),
    "buffers by parity": (
        "buffer[t % 2] of a list, or of one array with an axis of two",
        """
        def program(x, v):
            buffer = [v * x, np.zeros(3)]
            table = np.zeros((2, 3))
            table[0] = v
            for t in range(5):
                buffer[(t + 1) % 2][:] = np.sin(buffer[t % 2]) + x
                table[(t + 1) % 2] = table[t % 2] * buffer[t % 2]
            return np.sum(buffer[1] ** 2) + np.sum(table[1] * table[0])
        """,
    ),
    "an array in two lists": (
        "the same array is an item of both, and a name",
        """
        def program(x, v):
            a = v * x
            b, c = [a, v], [v**2, a]
            b[0][1] = x
            c[1] *= c[0]
            b[0] = b[0] * 2.0
            b[0][0] = a[0]
            return np.sum(a**2) + np.sum(b[0] * c[1])
        """,
    ),
    "a list times three": (
        "[row] * 3 is one row three times",
        """
        def program(x, v):
            row = v * x
            rows = [row] * 3
            rows[0][1] = x**2
            rows[2] *= rows[1][0]
            rows[1] = rows[1] + v
            rows[1][0] = x
            return np.sum(np.array(rows) ** 2) + np.sum(row)
        """,
    ),
    "an array in a dict": (
        "d['a'][0] = ... and d['a'] += ... write, d['a'] = ... binds",
        """
        def program(x, v):
            a = v * x
            d = {"a": a, "b": v}
            d["a"][0] = x
            d["a"] += d["b"]
            old = d["a"]
            d["a"] = np.sin(d["a"])
            d["a"][1] *= x
            old *= d["a"]
            return np.sum(a**2) + np.sum(d["a"])
        """,
    ),
    "an array in a tuple": (
        "the tuple can't change but its array does; t[0] += ... even raises",
        """
        def program(x, v):
            a = v * x
            t = (a, x)
            t[0][1] = t[1] ** 2
            try:
                t[0] += x
            except TypeError:
                t[0][2] *= x
            return np.sum(a**2) + t[0][0]
        """,
    ),
    "an array in an object": (
        "the object holds the array, not a copy, and its method writes",
        """
        class Grid:
            def __init__(self, cells):
                self.cells = cells

            def heat(self, w):
                self.cells[1:] += w * self.cells[:-1]

        def program(x, v):
            a = v * 1.0
            first, second = Grid(a), Grid(a)
            first.heat(x)
            second.cells[0] = np.sum(a)
            first.heat(second.cells[1])
            return np.sum(a**2)
        """,
    ),
    "copies": (
        "x.copy, copy.copy, x[:], +x and a list's copy: some share and some don't",
        """
        import copy

        def program(x, v):
            a = v * x
            b, c, d, e = a.copy(), copy.copy(a), a[:], +a
            a[0] = x**2
            b[1] *= d[0]
            c[2] = x
            e += c
            rows = [a, b]
            shallow, deep = copy.copy(rows), copy.deepcopy(rows)
            shallow[0][1] = x
            deep[1][0] *= a[1]
            return np.sum(a * b) + np.sum(c * d) + np.sum(e * deep[1]) + deep[0][1]
        """,
    ),
    "a deep copy keeps what is shared": (
        "deepcopy of a list that holds one array twice still holds one array twice",
        """
        import copy

        def program(x, v):
            a = v * x
            twin = copy.deepcopy([a, a, {"a": a}])
            twin[0][0] = x
            twin[2]["a"][1] *= twin[1][0]
            a[2] = twin[1][2] ** 2
            return np.sum(twin[1] ** 2) + np.sum(a)
        """,
    ),
    "a closure writes": (
        "an inner function changes the array of the enclosing one",
        """
        def program(x, v):
            a = v * x
            count = 0

            def push(e):
                nonlocal count
                a[count % 3] = a[count % 3] * e + x
                count += 1
                return a[0]

            total = push(x) * push(v[0])
            for e in v:
                total += push(e)
            return total * np.sum(a**2) / count
        """,
    ),
    "a default argument remembers": (
        "the default is one array for all calls of the function",
        """
        def program(x, v):
            def tally(e, store=np.zeros(3)):
                store[1:] = store[:-1]
                store[0] = e
                return np.sum(store * v)

            return tally(x) * tally(x**2) + tally(v[0]) ** 2
        """,
    ),
    "recursion writes into one array": (
        "each call sorts out its part of the caller's array",
        """
        def sweep(t, low, high, x):
            if high - low < 2:
                t[low] = np.sin(t[low]) * x
                return
            middle = (low + high) // 2
            sweep(t, low, middle, x)
            sweep(t, middle, high, x)
            t[low:middle] += t[middle]
            t[high - 1] *= t[low]

        def program(x, v):
            a = v * 2.0
            sweep(a, 0, 3, x)
            return np.sum(a**2)
        """,
    ),
    "a generator while its array changes": (
        "between two values the consumer writes what the generator reads next",
        """
        def pairs(t):
            for i in range(len(t) - 1):
                yield t[i] * t[i + 1]

        def program(x, v):
            a = v * x
            total = 0.0
            for i, p in enumerate(pairs(a)):
                total += p
                a[i + 1] = p + x
            return total * a[2]
        """,
    ),
    "iterated while it is written": (
        "for e in a: reads elements late, after stores into places ahead",
        """
        def program(x, v):
            a = v * 1.0
            total = 0.0
            for i, e in enumerate(a):
                a[(i + 1) % 3] += x * e**2
                total += e * a[i]
            return total + np.sum(a**2)
        """,
    ),
    "a view as an argument, the base as another": (
        "the helper writes the row and reads the whole table",
        """
        def update(row, table, x):
            row[:] = x * row + np.sum(table, axis=0)
            table[1] -= row

        def program(x, m):
            a = m * 1.0
            update(a[0], a, x)
            update(row=a[1], table=a, x=0.5)
            return np.sum(a**2)
        """,
    ),
    "the argument is returned and written": (
        "functions that return their argument make aliases of what they got",
        """
        def same(t):
            return t

        def either(s, t, first):
            return s if first else t

        def program(x, v):
            a, b = v * x, v + x
            c = same(a)
            c[0] = x
            d = either(a, b, x > 0.0)
            d[1] *= c[0]
            same(either(b, a, x > 0.0))[2] = d[1]
            return np.sum(a**2) * np.sum(b)
        """,
    ),
    "a walrus and a comprehension": (
        "aliases are bound inside expressions",
        """
        def program(x, v):
            a = v * x
            total = np.sum((b := a) ** 2)
            b[0] = total
            rows = [(c := a[i:]) for i in range(3)]
            c[0] = x
            rows[1][0] *= rows[0][0]
            return np.sum(a**2) + sum(np.sum(row) for row in rows)
        """,
    ),
    "kept before it changes": (
        "a list keeps the array itself in every step, so all items are the last state",
        """
        def program(x, v):
            state = v * 1.0
            path, copies = [], []
            for i in range(3):
                state += x * np.sin(state)
                path.append(state)
                copies.append(state.copy())
            return np.sum(path[0] * copies[0]) + sum(np.sum(p**2) for p in path)
        """,
    ),
    "np.where and maximum don't alias": (
        "results that look like their argument are new arrays; a + 0 is new as well",
        """
        def program(x, v):
            a = v * x
            b, c, d = np.where(True, a, v), np.maximum(a, -100.0), a + 0.0
            e = np.concatenate([a])
            b[0] = x
            c[1] *= b[0]
            d[2] = c[1]
            e[0] = d[2]
            a[0] = x**2
            return np.sum(a * b) + np.sum(c * d) + np.sum(e * a)
        """,
    ),
    "the argument itself comes back": (
        "results, changed arguments and cotangents must not share memory",
        """
        def program(x, v, m):
            m[0] = v * x
            row = m[1]
            row *= x
            return v, m, row
        """,
    ),
}
