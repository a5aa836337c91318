"""Stores into arrays: elements, slices, masks, indices, augmented, by calls."""

CASES = {
    # ------------------------------------------------------------ arrays not made
    "written where it was made": (
        "an array that no path may have made is copied before a loop writes into it",
        """
        def program(x, v, k):
            total, made = x, x < 5.0
            if made:
                a = v * x
            for i in range(3):
                if made:
                    total = total + np.sum(a * a)
                    a[i] = 0.5 * a[i] * x
            return total
        """,
    ),
    "read where it was made": (
        "no iteration may have made the array, whose shape a reverse line reads",
        """
        def program(x, v, k):
            for j in range(abs(k) + 1):
                last = np.tanh(v * x)
            total = x
            for i in range(4):
                total = total * x + sum((e for e in last)) if x < 5.0 else 0.5 * x
            return total
        """,
    ),
    # ------------------------------------------------------------ elements
    "an element is overwritten": (
        "the old element was read before, the new one after: both have adjoints",
        """
        def program(x, v):
            a = v * x
            before = a[1] ** 2
            a[1] = np.sin(a[0]) * x
            return before * a[1] + np.sum(a * a)
        """,
    ),
    "an element from itself": (
        "value and target are the same place: the adjoint is replaced, not added to",
        """
        def program(x, v):
            a = v * x
            a[0] = a[0] * a[0] * x
            a[0] = np.sin(a[0])
            return a[0] * a[1] + a[0] ** 2
        """,
    ),
    "negative and computed places": (
        "a[-1] and a[len(a) - 1] are one place under two names",
        """
        def program(x, v):
            a = np.array(v)
            a[-1] = x * a[0]
            a[len(a) - 1] *= a[-2]
            a[-3] = a[2] ** 2 + x
            return np.sum(a**2) * a[-1]
        """,
    ),
    "a place that only the run knows": (
        "whether a[k % 3] and a[1] are one place changes from call to call",
        """
        def program(x, v, k):
            a = v * 1.0
            a[k % 3] = x * x
            a[1] = a[k % 3] * a[1]
            a[k % 2] += a[1] * x
            return a[0] * a[1] * x + np.sin(a[2])
        """,
    ),
    "filled one by one": (
        "every element of np.empty is rubbish until its store: no read, no adjoint",
        """
        def program(x, v):
            a = np.empty(len(v))
            for i in range(len(v)):
                a[i] = np.tanh(v[i] * x) + i
            return np.sum(a * a) * a[0]
        """,
    ),
    "two indices": (
        "m[i, j], m[i][j] and m.T[j, i] are one place",
        """
        def program(x, m):
            a = m * x
            a[0, 1] = a[1, 2] ** 2
            a[0][2] = a[0, 1] * x
            a.T[1, 0] += a[0][2]
            return np.sum(a**2) + a[0, 1] * a[0, 2]
        """,
    ),
    "stored in the opposite order": (
        "the recurrence runs backwards, so each store reads what a later one kept",
        """
        def program(x, v):
            a = np.sin(v) * x
            for i in reversed(range(len(a) - 1)):
                a[i] = a[i] * a[i + 1] + x
            return a[0] ** 2 + a[1] * a[2]
        """,
    ),
    # ------------------------------------------------------------ slices
    "slices with steps": (
        "even and odd elements are interleaved in one buffer",
        """
        def program(x, v):
            a = np.zeros(6)
            a[::2] = v * x
            a[1::2] = a[::2] ** 2
            a[4:0:-2] = a[1:4:2] * x
            return np.sum(a**2) + a[0] * a[5]
        """,
    ),
    "negative bounds and steps": (
        "a[-1:-3:-1] is reversed: the adjoint is read in reversed order",
        """
        def program(x, v):
            a = v * x
            a[-1:-3:-1] = v[:2] ** 2
            a[:-1] *= a[-2:]
            return a[0] * a[1] + np.sin(a[2])
        """,
    ),
    "bounds out of range": (
        "Python cuts slices at the ends; an empty one stores nothing",
        """
        def program(x, v, k):
            a = v * x
            a[k:100] = x**2
            a[5:] = x**3
            a[-50:1] *= a[0]
            return np.sum(a**3)
        """,
    ),
    "everything replaced in place": (
        "x[:] = keeps the buffer, so the name bound before sees the new values",
        """
        def program(x, v):
            a = v * x
            b = a
            a[:] = np.sin(a) * a
            return np.sum(b * b) + np.sum(a) * x
        """,
    ),
    "a scalar spread over a slice": (
        "the adjoint of the scalar is a sum over all the places it went to",
        """
        def program(x, y, m):
            a = np.array(m)
            a[:, 1:] = x * y
            a[0] = y
            return np.sum(a**2 * m) * x
        """,
    ),
    "a row spread over rows": (
        "the right-hand side is broadcast: its adjoint is summed over the new axis",
        """
        def program(x, v, m):
            a = m * x
            a[:] = v
            a[1:] *= m[:1]
            a[..., :2] = v[1:]
            return np.sum(a**3)
        """,
    ),
    "a column spread with newaxis": (
        "broadcast along the last axis by a length of 1",
        """
        def program(x, m):
            a = np.zeros((2, 3))
            a[:] = (m[:, 0] * x)[:, None]
            a[:, :1] += m[:, 1:2] ** 2
            return np.sum(a**2 * m)
        """,
    ),
    "leading lengths of 1 are dropped": (
        "NumPy lets shape (1, 3) be stored into shape (3,): the adjoint gets the axis",
        """
        def program(x, v, r):
            a = v * x
            a[:] = r * r
            a[1:] = r[:, :2] * a[:2]
            return np.sum(a**2) * x
        """,
    ),
    "ellipsis": (
        "a[..., k] of a matrix is a column, of a vector it is an array without axes",
        """
        def program(x, v, m, k):
            a, b = m * x, v * x
            a[..., k % 3] = a[..., 0] ** 2
            b[..., 0] = np.sum(a[..., 1])
            b[...] = b * b[0]
            return np.sum(b) + np.sum(a**2)
        """,
    ),
    "new axes on the left": (
        "the target has more axes than the array: a[None, :] = row",
        """
        def program(x, v, r):
            a = v * 2.0
            a[None, :] = r * x
            a[:, None][1:] *= x
            return np.sum(a**2 * v)
        """,
    ),
    # ------------------------------------------------------------ masks, indices
    "a mask": (
        "how many elements are stored is known only when it runs",
        """
        def program(x, v):
            a = v * x
            a[a > 0.0] = x**2
            a[v < 0.0] *= v[v < 0.0]
            return np.sum(a**2 * v)
        """,
    ),
    "a mask of what it changes": (
        "the mask must be that from before the store, also in the reverse sweep",
        """
        def program(x, m):
            a = m + 0.1 * x
            a[a < 0.2] = 0.5 * x + a[a < 0.2] ** 2
            a[a > 0.4] -= a[a > 0.4] ** 3
            return np.sum(np.sin(a) * m)
        """,
    ),
    "a mask of rows, a mask with a slice": (
        "a mask for one axis and a slice or number for the other",
        """
        def program(x, m):
            a = m * x
            a[np.array([False, True])] = m[0] ** 2
            a[:, m[0] > 0.0] *= x
            a[m[:, 0] > 0.0, 1] += x**2
            return np.sum(a**2)
        """,
    ),
    "a mask that selects nothing": (
        "an empty store changes nothing and must not fail in reverse",
        """
        def program(x, v):
            a = v * x
            a[v > 100.0] = x
            a[np.zeros(3, dtype=bool)] *= x
            a[v > -100.0] = np.sin(v) * x
            return np.sum(a**2)
        """,
    ),
    "repeated indices: the last one wins": (
        "of several stores into one place only the last has an adjoint",
        """
        def program(x, v):
            a = np.zeros(4)
            a[[1, 2, 1]] = v * x
            a[np.array([3, 3, 0])] = a[[1, 2, 0]] + v**2
            return np.sum(a**2) * a[1] + a[3]
        """,
    ),
    "repeated indices with +=": (
        "a[[0, 0]] += b adds only once, unlike np.add.at",
        """
        def program(x, v):
            a = v * x
            a[[0, 0, 1]] += v**2
            a[[2, 2]] *= a[[0, 1]]
            return np.sum(a**2)
        """,
    ),
    "repeated indices and a scalar": (
        "the adjoint of the scalar counts places once, not indices",
        """
        def program(x, y, v):
            a = v * y
            a[[0, 0, 2]] = x
            a[[1, 1]] += x * y
            return np.sum(a**2 * v)
        """,
    ),
    "rows exchanged by indices": (
        "the right-hand side is a copy, taken before anything is stored",
        """
        def program(x, m):
            a = m * x
            a[[0, 1]] = a[[1, 0]]
            a[:, [0, 2]] = a[:, [2, 0]] * x
            return np.sum(a * m**2) + a[0, 0] ** 2
        """,
    ),
    "pairs of indices": (
        "two index arrays name single elements, and one of them twice",
        """
        def program(x, v, m):
            a = m * x
            a[[0, 1, 0], [2, 0, 2]] = v**2
            a[1, [0, 2]] = a[[0, 1], 2] * x
            return np.sum(a**2)
        """,
    ),
    "outer indices": (
        "np.ix_ names a block; an index with a slice moves axes",
        """
        def program(x, v, m):
            a = m * x
            a[np.ix_([1, 0], [0, 2])] = m[:, 1:] ** 2
            a[[1], 1:] *= a[0, :2]
            return np.sum(a**2 * v)
        """,
    ),
    "indices that are computed": (
        "argsort gives the places: the permutation must be kept for the reverse",
        """
        def program(x, v):
            a = np.zeros(3)
            order = np.argsort(v)
            a[order] = v * np.array([1.0, x, x * x])
            order[0] = order[2]
            a[order] *= x
            return a[0] * x + a[1] ** 2 + a[2] ** 3
        """,
    ),
    "the index array is changed later": (
        "the reverse needs the indices of the time of the store",
        """
        def program(x, v):
            a = np.sin(v)
            places = np.array([0, 1])
            for step in range(3):
                a[places] = a[places] * x + v[1:]
                places[step % 2] = (places[step % 2] + 2) % 3
            return np.sum(a**2)
        """,
    ),
    # ------------------------------------------------------------ forms of statements
    "a chained store": (
        "all targets get the one value, from left to right",
        """
        def program(x, v):
            a = v * 1.0
            a[0] = b = a[1] = x * a[2]
            a[2] = y = a[0] * b
            return np.sum(a**2) + y * b
        """,
    ),
    "a swap of elements": (
        "both right-hand sides are read before either store",
        """
        def program(x, v):
            a = v * x
            a[0], a[1] = a[1], a[0]
            a[1], a[2] = a[2] * x, a[1] ** 2
            return a[0] * x + a[1] * a[2] + a[0] ** 3
        """,
    ),
    "a swap of slices errs": (
        "slices are views: the second store reads what the first has written",
        """
        def program(x, m):
            a = m * x
            a[0], a[1] = a[1], a[0]
            return np.sum(a[0] ** 2) + np.sum(a[1] * m[0]) * x
        """,
    ),
    "the index is stored first": (
        "i, a[i] = ...: the target's index is evaluated after i is assigned",
        """
        def program(x, v):
            a = v * x
            i = 0
            i, a[i] = 2, x**2
            a[i - 1], i = a[i] * x, 0
            return a[0] * a[1] + a[2] ** 2 + i
        """,
    ),
    "order of evaluation in a store": (
        "the value is computed before the index, and both have side effects",
        """
        def program(x, v):
            a = v * 1.0
            log = [0]

            def place():
                log.append(log[-1] + 1)
                return log[-1]

            def value(t):
                log.append(log[-1] + 1)
                return t * log[-1]

            a[place() % 3] = value(x)
            a[place() % 3] += value(x * x)
            return np.sum(a**2) * x
        """,
    ),
    "the target of a loop": (
        "for a[0] in v: stores in each iteration",
        """
        def program(x, v):
            a = np.zeros(2)
            total = 0.0
            for a[1] in v:
                a[0] = a[0] * x + a[1] ** 2
                total += a[0] * a[1]
            return total + a[1] * x
        """,
    ),
    "targets of a loop in a tuple": (
        "for i, a[i] in enumerate(v): the place follows the loop's own variable",
        """
        def program(x, v):
            a = np.zeros(4)
            for i, a[i] in enumerate(v):
                a[i + 1] = a[i] * x
            return np.sum(a**2) * a[3]
        """,
    ),
    "starred targets": (
        "a[0], *rest = ... stores one element and makes a list",
        """
        def program(x, y, v):
            a = v * 1.0
            a[0], *rest = x * y, a[1], a[2] ** 2
            *a[:2], last = rest[0], rest[1] * x, y
            return np.sum(a**2) * last
        """,
    ),
    # ------------------------------------------------------------ augmented
    "augmented elements": (
        "each operator has its own partial derivatives; the old value is needed",
        """
        def program(x, v):
            a = v * x + 3.0
            a[0] += x
            a[1] -= a[0]
            a[0] *= a[1]
            a[2] /= a[0] ** 2 + 1.0
            a[2] **= 3
            return np.sum(a**2)
        """,
    ),
    "augmented slices": (
        "NumPy computes slice operators into the same buffer",
        """
        def program(x, v, m):
            a = np.exp(0.1 * m) * 2.0
            a[0] **= x
            a[:, 1:] /= a[:, :2]
            a[1] -= v
            a[:, ::2] *= v[1:]
            return np.sum(a**2)
        """,
    ),
    "augmented whole arrays": (
        "on a name, the operator writes into the array that others may hold",
        """
        def program(x, v):
            a = v * x
            b = a
            a += x
            a *= b
            a -= v
            a /= 2.0 + v**2
            a **= 2
            return np.sum(b) * x + np.sum(a * v)
        """,
    ),
    "floor and remainder": (
        "//= has no slope and %= has the slope of its quotient's floor",
        """
        def program(x, v):
            a = v * x * 3.0
            a[0] //= 0.7
            a[1:] %= 1.3
            a[2] %= x * x + 0.5
            a //= 0.01
            b = v + 5.0
            b %= x * x + 1.5
            return np.sum(a) * x + np.sum(b**2)
        """,
    ),
    "matrix product in place": (
        "a @= w reads all of a row before it writes",
        """
        def program(x, v, m):
            w = np.outer(v, v) + np.eye(3) * x
            a = m * 1.0
            a @= w
            a @= w.T
            b = v * x
            b @= w
            return np.sum(a**2) + np.sum(b * v)
        """,
    ),
    "augmented with an array of the element": (
        "a[1:] += a[:-1]: NumPy buffers overlapping operands",
        """
        def program(x, v):
            a = v * x
            a[1:] += a[:-1]
            a[:-1] *= a[1:]
            a += a[::-1]
            return np.sum(a**2)
        """,
    ),
    "an augmented mask": (
        "elements are taken out, computed and put back",
        """
        def program(x, m):
            a = m * x
            keep = m > 0.0
            a[keep] *= a[keep]
            a[~keep] /= 2.0 + np.sum(a[keep])
            a[keep] **= 2
            return np.sum(a)
        """,
    ),
    "a float is bound anew": (
        "s += on a number makes a new number: the alias keeps the old one",
        """
        def program(x, v):
            s = v[0]
            t = s
            s += x
            s *= t
            a = v * x
            b = a[1]
            a[1] += b
            b *= 2.0
            return s * t + a[1] * b
        """,
    ),
    "an array without axes": (
        "a[...] of np.array(x) is written in place by += while a number is not",
        """
        def program(x, y):
            a = np.array(x * y)
            b = a
            a += x
            a[...] = b * y
            a[()] *= x
            return b * y + a * x
        """,
    ),
    "integers are cut": (
        "a store into an integer array cuts the value: no derivative goes through",
        """
        def program(x, v):
            n = np.zeros(3, dtype=int)
            n[0] = 3.7 * x
            n[1:] = 10.0 * v[1:]
            n[2] += 1
            a = v * x
            a[0] = n[0]
            return np.sum(a * n * x) + np.sum(a**2)
        """,
    ),
    # ------------------------------------------------------------ calls
    "out=": (
        "the result is the array given, with its old values gone",
        """
        def program(x, v):
            a = v * x
            b = np.multiply(a, a, out=a)
            np.sin(a, out=a)
            np.add(a, v, out=b)
            np.exp(0.1 * v, out=a[:])
            return np.sum(b**2) + np.sum(a * v) * x
        """,
    ),
    "out= and where=": (
        "elements that the mask leaves out keep what out held",
        """
        def program(x, v):
            a = v**2 * x
            np.multiply(v, x, out=a, where=v > 0.0)
            np.sqrt(v * v, out=a, where=v < -0.5)
            return np.sum(a**2)
        """,
    ),
    "out= of reductions and products": (
        "a row of a table is the output of a sum or a product",
        """
        def program(x, v, m):
            table = np.zeros((3, 3))
            np.sum(m**2, axis=0, out=table[0])
            np.dot(m, v, out=table[1, :2])
            np.cumsum(v * x, out=table[2])
            np.matmul(table, v, out=table[:, 1])
            np.outer(v[:2], v, out=table[1:])
            table[0] *= x
            np.clip(table, -1.0, 1.5, out=table)
            return np.sum(table**2)
        """,
    ),
    "out= is a tuple": (
        "out=(a,), and an in-place accumulation over an axis",
        """
        def program(x, m):
            a = m * x
            np.tanh(a, out=(a,))
            np.cumsum(a, axis=1, out=a)
            np.add.accumulate(a, axis=0, out=a)
            return np.sum(a**2)
        """,
    ),
    "np.copyto": (
        "broadcasts, and writes under a mask",
        """
        def program(x, v, m):
            a = m * x
            np.copyto(a[0], v)
            np.copyto(a, v * x, where=m > 0.0)
            np.copyto(a[:, 1], x)
            return np.sum(a**2 * m)
        """,
    ),
    "np.put and np.place": (
        "flat indices, values repeated in a cycle, the last of equal places wins",
        """
        def program(x, v, m):
            a = m * x
            np.put(a, [0, 4, 4], v**2)
            np.put(a, [5, 1], x)
            np.place(a, m > 0.0, [x, x * x])
            return np.sum(a**2 * m)
        """,
    ),
    "np.putmask": (
        "values go by their own place: the n-th element of values at place n",
        """
        def program(x, v, m):
            a = m * x
            np.putmask(a, m < 0.0, v)
            np.putmask(a, m > 1.0, m * m)
            np.put_along_axis(a, np.array([[0], [2]]), m[:, 1:2] ** 2, axis=1)
            return np.sum(a**2)
        """,
    ),
    "np.fill_diagonal": (
        "a strided store, of a number or of an array",
        """
        def program(x, v, m):
            a = np.outer(v, v)
            np.fill_diagonal(a, x * v)
            b = m * x
            np.fill_diagonal(b, x * x)
            return np.sum(a @ a) + np.sum(b**2)
        """,
    ),
    "np.add.at": (
        "repeated places are added up, unlike a[i] += b",
        """
        def program(x, v):
            a = v * x
            np.add.at(a, [0, 0, 2], v**2)
            np.subtract.at(a, [1, 1], x * x)
            np.multiply.at(a, [0, 2, 0], v)
            np.add.at(a, np.array([1, 1, 2]), a)
            return np.sum(a**2)
        """,
    ),
    "np.add.at in two dimensions": (
        "a histogram: pairs of places known only when it runs",
        """
        def program(x, v, m):
            a = np.zeros((2, 2))
            rows = (v > 0.0).astype(int)
            np.add.at(a, (rows, 1 - rows), v**2 * x)
            np.add.at(a, (slice(None), 0), x)
            np.maximum.at(a, (0, [0, 1]), x * m[0, :2])
            return np.sum(a**2)
        """,
    ),
    "x.fill": (
        "all old values are gone, and the number's adjoint is a sum",
        """
        def program(x, v, m):
            a = m * x
            before = np.sum(a**2)
            a.fill(x * v[0])
            a[0] += v
            a[1].fill(x)
            return np.sum(a**2) * before
        """,
    ),
    "x.sort and x.partition": (
        "the permutation is the run's, and an alias sees the sorted values",
        """
        def program(x, v, m):
            a = v * x
            b = a
            a.sort()
            c = m * x
            c.sort(axis=0)
            c[0].sort()
            d = v + x * v**2
            d.partition(1)
            return b[0] * x + b[2] ** 2 + np.sum(c[0] * v) + c[1, 0] + d[1] ** 2
        """,
    ),
    # ------------------------------------------------------------ loops
    "a table of rows": (
        "each row is computed from the one before: only rows are kept, not the table",
        """
        def program(x, v):
            table = np.zeros((4, 3))
            table[0] = v
            for t in range(1, 4):
                table[t] = np.sin(table[t - 1]) * x + table[t - 1, ::-1]
            return np.sum(table[-1] ** 2) + np.sum(table[1] * v)
        """,
    ),
    "a table by elements": (
        "two loops, each element from three neighbours: edit distance",
        """
        def program(x, v):
            n = len(v)
            d = np.zeros((n + 1, n + 1))
            for i in range(1, n + 1):
                d[i, 0] = d[i - 1, 0] + x
                d[0, i] = i * x * x
            for i in range(1, n + 1):
                for j in range(1, n + 1):
                    cost = (v[i - 1] - v[j - 1]) ** 2
                    a, b, c = d[i - 1, j] + x, d[i, j - 1] + x, d[i - 1, j - 1] + cost
                    d[i, j] = -np.log(np.exp(-a) + np.exp(-b) + np.exp(-c))
            return d[n, n]
        """,
    ),
    "bounds that the run knows": (
        "k iterations, perhaps none, and slices whose bounds move",
        """
        def program(x, v, k):
            a = v * x
            for i in range(k):
                a[i % 3 :] = a[i % 3 :] * x + a[i % 3]
                a[: (i + 1) % 3] += v[: (i + 1) % 3] ** 2
            return np.sum(a**2)
        """,
    ),
    "continue and break": (
        "in some iterations nothing is stored, and the last is not finished",
        """
        def program(x, v):
            a = 1.0 + x * np.ones(3)
            for i in range(3):
                if v[i] < -0.1:
                    continue
                a[i] = a[i - 1] * v[i] + x
                if a[i] > 1.0:
                    break
                a[0] += a[i] ** 2
            return np.sum(a**2) * a[0]
        """,
    ),
    "a loop until it settles": (
        "a while loop whose test reads what its body writes",
        """
        def program(x, v):
            a = v * 1.0
            steps = 0
            while np.sum(a**2) > 0.3 and steps < 20:
                a[steps % 3] *= 0.5
                a[(steps + 1) % 3] += 0.1 * np.sin(x * a[steps % 3])
                steps += 1
            return np.sum(a * v) * x
        """,
    ),
    "read before, in and after the loop": (
        "three readers of one place want three different values of it",
        """
        def program(x, v):
            a = v * x
            first = a[0] ** 2
            total = 0.0
            for i in range(3):
                total += a[0] * a[i]
                a[0] = np.cos(a[0]) + a[i] * x
                total *= a[0]
            return first * a[0] + total
        """,
    ),
    "one place again and again": (
        "v[i] = v[i] + x in nested loops: the inner loop overwrites its own input",
        """
        def program(x, v, k):
            a = v * 1.0
            for i in range(3):
                for j in range(k):
                    a[i] = a[i] * x + np.sin(a[i])
                    a[j % 3] += 0.1 * a[i]
            return np.sum(a**2)
        """,
    ),
    "written where it may be left": (
        "a return in the middle of stores: the rest never happens",
        """
        def program(x, v):
            a = v * x
            for i in range(3):
                a[i] = a[i] ** 2 + a[i - 1]
                if a[i] > 1.0:
                    return a[0] * a[i] * x
                a[i - 1] *= x
            return np.sum(a**2)
        """,
    ),
    "stores in a try": (
        "what the body stored before it raised stays stored",
        """
        def program(x, v):
            a = v * x
            for i in range(3):
                try:
                    a[i] = a[i] * x
                    a[0] += math.sqrt(v[i])
                    a[i] *= 2.0
                except ValueError:
                    a[i] = a[i] ** 2
            return np.sum(a**2)
        """,
    ),
    "pure accumulation": (
        "nothing is overwritten that a derivative reads: nothing need be saved",
        """
        def program(x, v, m):
            a = np.zeros(3)
            for i in range(2):
                a += m[i] * x
                a[1:] += v[:2] * m[i, :2]
            return np.sum(a * v)
        """,
    ),
    "a parameter is written": (
        "the caller's array is the buffer: gradients must leave it as it was",
        """
        def program(x, v, m):
            v[0] = x * v[1]
            v *= m[0]
            m[1] = v**2
            m[:, 0] += x
            return np.sum(v * m) + np.sum(m**2)
        """,
    ),
    "the result is what was written": (
        "cotangents of arrays come in, and one array is returned twice",
        """
        def program(x, v, m):
            a = m * x
            a[1] = a[0] * v
            b = a[1]
            b[0] = x
            a[0, 0] *= 2.0
            return a, a[0] + b
        """,
    ),
}
