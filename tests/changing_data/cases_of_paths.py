"""Which array a name means is known when it runs: chosen by a branch, kept from
an earlier iteration, exchanged in a loop, handed down a recursion."""

CASES = {
    "an alias on one path, both are written": (
        "a store into either name reaches the other one on one path only",
        """
        def program(x, v):
            a, b = v * x, np.sin(v)
            c = b
            if x > 0.3:
                c = a
            c[0] = x**2
            a[1] *= c[0]
            b[2] += a[1] * c[2]
            c *= b
            return np.sum(a * b) + np.sum(c**2 * v)
        """,
    ),
    "an argument or a new array": (
        "one path writes into the caller's array, which must stay as it is",
        """
        def program(x, v):
            c = v if x > 0.0 else v * x
            c[1:] *= x
            c[0] = v[1] * c[2]
            return np.sum(c**2 * v)
        """,
    ),
    "one of three": (
        "nested conditional expressions, a store in a loop and a sum of all",
        """
        def program(x, v, k):
            a, b, c = v * x, np.cos(v), v + x
            for i in range(5):
                d = a if (i + k) % 3 == 0 else b if (i + k) % 3 == 1 else c
                d[i % 3] += a[0] * b[1] * c[2]
                d[(i + 1) % 3] *= x
            return np.sum(a * b) + np.sum(c**2 * d)
        """,
    ),
    "chosen views with their own index": (
        "row and column of a table by turns, each at a place that moves",
        """
        def program(x, m, k):
            a = m * x
            for i in range(4):
                if (i + k) % 2:
                    part = a[i % 2, 1:]
                else:
                    part = a[:, i % 3]
                part[1] = np.sum(part * m[0, :2]) * 0.3
                part *= x
            return np.sum(a**2)
        """,
    ),
    "a view of what is chosen": (
        "the view is taken of one of two arrays, and written after both have changed",
        """
        def program(x, v):
            a, b = np.outer(v, v) * x, np.outer(v, np.sin(v))
            c = a if x > 0.0 else b
            row = c[1]
            a[1, 0], b[1, 0] = x, x**2
            row[2] = row[0] * a[0, 0]
            b += a
            return np.sum(a * b) + np.sum(row * v)
        """,
    ),
    "views of views by turns": (
        "a window of a row that is chosen, through two views",
        """
        def program(x, m, k):
            a = m * x
            row = a[0]
            for i in range(3):
                window = row[i % 2 : i % 2 + 2]
                window[0] += window[1] * x
                row = a[(i + k) % 2]
            window[1] = row[2] ** 2
            return np.sum(a * m) + np.sum(a**2)
        """,
    ),
    "written on one path, read through the other name": (
        "the store stands in a branch, the alias was made in another one",
        """
        def program(x, v, k):
            a, b = v * x, v**2
            for i in range(3):
                if i == k:
                    b = a
                else:
                    a[i] = b[i - 1] * x
                if b[0] > a[1]:
                    b[1] = a[2] + x
            return np.sum(a * b * v)
        """,
    ),
    "the array of the last iteration": (
        "a name keeps what the loop made one iteration ago, and writes into it",
        """
        def program(x, v):
            old = v * 1.0
            total = x
            for i in range(4):
                new = np.sin(old) * x
                old[i % 3] = new[0] ** 2
                total += np.sum(old * v)
                old = new
            return total + np.sum(old**2)
        """,
    ),
    "the arrays of two iterations ago": (
        "three generations of one line's arrays live at the same time",
        """
        def program(x, v, k):
            a, b = v * x, v + x
            for i in range(4):
                c = np.cos(a) * b
                if i % 2 == k % 2:
                    a[0] = c[1]
                b[1] += a[2] * x
                a, b = b, c
                c[2] *= x
            return np.sum(a * b) + np.sum(c**2)
        """,
    ),
    "the best so far is written": (
        "which iteration's array is kept is decided by a comparison of values",
        """
        def program(x, m):
            a = np.vstack([m * x, np.sin(m)])
            best = a[0]
            for row in a:
                if np.sum(row) > np.sum(best):
                    best = row
                best[0] *= 0.9
            best += x
            return np.sum(a**2)
        """,
    ),
    "ping-pong in a while loop": (
        "the number of exchanges follows from the values, the first buffer is kept",
        """
        def program(x, v):
            u, w = v * x, np.zeros(3)
            first, n = u, 0
            while n < 3 and np.sum(u**2) < 50.0:
                w[1:] = u[:-1] + x * u[1:]
                w[0] = u[2]
                u, w = w, u
                n += 1
            first[0] = x
            return np.sum(u * w) + np.sum(first**2)
        """,
    ),
    "ping-pong that may be skipped": (
        "the exchange stands in a branch, so either buffer may be the next one",
        """
        def program(x, v, k):
            u, w = v * x, np.cos(v)
            for step in range(4):
                w[:] = u * x - 0.3 * w
                if step != k:
                    u, w = w, u
                u[step % 3] += 0.1 * w[0]
            return np.sum(u**2 * v) + np.sum(w)
        """,
    ),
    "three buffers by a place": (
        "a tuple of buffers, indexed by the step modulo three and from behind",
        """
        def program(x, v, k):
            buffers = (v * x, np.sin(v), np.zeros(3))
            for t in range(4):
                new, old = buffers[(t + k) % 3], buffers[(t + k) % 3 - 1]
                new[:] = old * x + 0.5 * new
                new[t % 3] *= old[0]
            return np.sum(buffers[0] * buffers[1]) + np.sum(buffers[-1] ** 2)
        """,
    ),
    "arrays of other lengths by a place": (
        "the chosen arrays differ in length, so that they can't be stacked",
        """
        def program(x, v, k):
            parts = [v * x, np.sin(v[1:])]
            for i in range(3):
                part = parts[(i + k) % 2]
                part[-1] = np.sum(part) * 0.5
                part[0] *= x
            return np.sum(parts[0] ** 2) + np.sum(parts[1])
        """,
    ),
    "rows in enumerate are written": (
        "the row is a view that enumerate gives, and its neighbour is read",
        """
        def program(x, v, m):
            a = m * x
            for i, row in enumerate(a):
                row[i] = a[i - 1, 2] * v[i]
                row *= x
            for i, (row, factor) in enumerate(zip(a, v)):
                row[1:] += factor * row[:-1]
            return np.sum(a**2)
        """,
    ),
    "rows in zip of two orders": (
        "both names of the loop are views of one table, in the middle of the same row",
        """
        def program(x, m):
            a = np.vstack([m * x, m[:1]])
            for row, other in zip(a, a[::-1]):
                row[0] = other[1] * x
                other[2] += row[0]
            return np.sum(a**2)
        """,
    ),
    "a helper chooses and another one writes": (
        "the choice is made in a function, and the store in another one",
        """
        def larger(s, t):
            return s if np.sum(s) > np.sum(t) else t

        def damp(t, e):
            t[0] *= e
            t[1:] -= e * t[0]

        def program(x, v):
            a, b = v * x, np.cos(v)
            for i in range(3):
                damp(larger(a, b), 0.5 * x)
                larger(a[:2], b[1:])[1] = x
            return np.sum(a * b) + np.sum(a**2)
        """,
    ),
    "a recursion returns an array that it made": (
        "new arrays are written into at each level, and the given one at the bottom",
        """
        def fold(t, n, x):
            if n == 0:
                t[0] = x
                return np.sum(t**2)
            t[n] += t[n - 1] * x
            return fold(t, n - 1, x) * t[n] + x

        def program(x, v):
            a = v * 1.0
            return fold(a, 2, x) * np.sum(a) + fold(a, 1, 0.5) * a[0]
        """,
    ),
    "a recursion on halves": (
        "each call is given views of the caller's array",
        """
        def smooth(t, x):
            if len(t) < 2:
                t *= x
                return
            smooth(t[: len(t) // 2], x)
            smooth(t[len(t) // 2 :], np.sin(x))
            t[0] += t[-1]

        def program(x, v):
            a = np.concatenate([v, v * x])
            smooth(a, x)
            smooth(a[1:4], 0.7)
            return np.sum(a**2)
        """,
    ),
    "a recursion with a buffer": (
        "merge passes write into two arrays that take turns as source and target",
        """
        def passes(source, target, n, x):
            if n == 0:
                return
            target[:] = source[::-1] * x
            target[n % 3] += source[0]
            passes(target, source, n - 1, x)

        def program(x, v, k):
            a, b = v * x, np.zeros(3)
            passes(a, b, k + 1, x)
            passes(b, a, 2, 0.5)
            return np.sum(a * b * v) + np.sum(b**2)
        """,
    ),
    "a recursion writes into what it encloses": (
        "the array is a variable of the enclosing function",
        """
        def program(x, v):
            a = v * x

            def mark(low, high):
                if low >= high:
                    return 0.0
                middle = (low + high) // 2
                a[middle] = a[middle] * x + a[low]
                return mark(low, middle) + mark(middle + 1, high) + a[middle]

            total = mark(0, 3)
            return total * np.sum(a**2)
        """,
    ),
    "two functions that call each other write": (
        "one doubles and the other one adds, down to the end of the array",
        """
        def even(t, i, x):
            if i < len(t):
                t[i] *= x
                odd(t, i + 1, x)

        def odd(t, i, x):
            if i < len(t):
                t[i] += t[i - 1] * x
                even(t, i + 1, x)

        def program(x, v):
            a = np.concatenate([v, np.sin(v)])
            b = a
            even(a, 0, x)
            odd(a[1:], 1, x)
            return np.sum(a * b)
        """,
    ),
    "a recursion binds its parameter anew": (
        "the caller's array keeps what was stored before t = t * 2",
        """
        def grow(t, n, x):
            t[0] = t[1] * x
            if n == 0:
                return t[2]
            t = t * 2.0
            t[1] = x
            return grow(t, n - 1, x) + t[0]

        def program(x, v):
            a = v + x
            total = grow(a, 2, x)
            return total * np.sum(a**2)
        """,
    ),
    "a recursion changes what no argument reaches": (
        "the call isn't differentiated, but what it wrote is read behind it",
        """
        def halve(t, n):
            if n == 0:
                return 0.0
            t *= 0.5
            return halve(t, n - 1)

        def program(x, v):
            w = np.array([1.0, 2.5, 4.5])
            u = w
            halve(w, 2)
            return np.sum(np.sin(v * x) ** 2 * u)
        """,
    ),
    "three names in a loop and a recursion": (
        "a recursion and a loop write into one array under three names",
        """
        def shift(t, n, x):
            if n > 0:
                t[n] += t[n - 1] * x
                shift(t, n - 1, x)

        def program(x, v):
            a = v * x
            b = c = a
            for i in range(3):
                b[i] = np.sin(c[i - 1]) * a[i]
                shift(c, i, x)
            return np.sum(a * b * v) + np.sum(np.cos(c) * x)
        """,
    ),
}
