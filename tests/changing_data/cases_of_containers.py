"""Lists that grow and shrink, dicts filled in loops, sets and deques."""

CASES = {
    # ------------------------------------------------------------ lists
    "append": (
        "the length is known only when it runs; items are read from the end",
        """
        def program(x, v, k):
            path = [x]
            for i in range(k):
                path.append(np.sin(path[-1]) * v[i % 3])
            path.append(path[0] * path[-1])
            return sum(path) * path[len(path) // 2]
        """,
    ),
    "append, alias and return": (
        "two names of one growing list; a helper appends too",
        """
        def note(log, e):
            log.append(e * log[0])
            return len(log)

        def program(x, v):
            log = [x]
            same = log
            for e in v:
                if note(log, e) > 2:
                    same.append(e)
            return sum(a * b for a, b in zip(log, same[::-1])) * len(same)
        """,
    ),
    "extend, insert, pop": (
        "items change places, and what is popped is used",
        """
        def program(x, v):
            q = [x, x * x]
            q.extend(e * x for e in v)
            q.insert(1, v[0] ** 2)
            first, last = q.pop(0), q.pop()
            q.insert(-1, first * last)
            middle = q.pop(len(q) // 2)
            return sum(i * e for i, e in enumerate(q, 1)) * middle
        """,
    ),
    "a list += and *=": (
        "these change the list in place, so the alias sees it; q = q + r doesn't",
        """
        def program(x, v):
            q = [x]
            same = q
            q += [v[0], v[1] * x]
            q += (e for e in v)
            q *= 2
            q = q + [x]
            same[0] = q[-1] * same[1]
            return sum(q) * sum(e * e for e in same)
        """,
    ),
    "del and slices of lists": (
        "slices are replaced by others of another length",
        """
        def program(x, v):
            q = [e * x for e in v] + [x, x**2, x**3]
            del q[1]
            q[1:3] = [q[0] * q[3]]
            q[:0] = [v[1], v[2]]
            del q[::3]
            q[::2] = [e**2 for e in q[::2]]
            return sum(i * e for i, e in enumerate(q, 1)) * len(q)
        """,
    ),
    "remove, reverse, sort, clear, copy": (
        "order and length change in place",
        """
        def program(x, v):
            q = [e * x for e in v]
            old = q.copy()
            q.sort()
            q.reverse()
            old.sort(key=lambda e: -e * x)
            q.append(old[0])
            best = q[0] * old[1]
            q.remove(q[1])
            total = q[0] * q[1] + q.index(q[1])
            q.clear()
            q.append(best * total)
            return q[0] * x + sum(old[:2])
        """,
    ),
    "iterated while it grows": (
        "the loop sees items that it appends itself",
        """
        def program(x, v):
            todo = [x, v[0]]
            total = 0.0
            for e in todo:
                total += e * e
                if len(todo) < 6:
                    todo.append(np.sin(e) * v[len(todo) % 3])
            return total * todo[-1]
        """,
    ),
    "iterated while it shrinks": (
        "removing an item makes the loop skip the next",
        """
        def program(x, v):
            q = [e * x for e in v] + [x]
            total = 1.0
            for i, e in enumerate(q):
                total *= 1.0 + e**2
                if i == 1:
                    q.pop(0)
            return total + sum(q)
        """,
    ),
    "a stack": (
        "pop and append in a while loop until it is empty",
        """
        def program(x, y):
            stack = [(x, 3), (y, 2)]
            total = 0.0
            while stack:
                e, depth = stack.pop()
                total += e * e
                if depth:
                    stack.append((np.sin(e) * x, depth - 1))
                    if depth > 1:
                        stack.append((e * y, depth - 2))
            return total
        """,
    ),
    "items are overwritten": (
        "q[i] = ... and q[i] += ... on a list of numbers, at places of the run",
        """
        def program(x, v, k):
            q = [0.0] * 4
            for i in range(5):
                q[(i + k) % 4] += x * v[i % 3]
                q[i % 4] = q[(i + k) % 4] * q[i - 5 if i else 0] + x
            q[0], q[-1] = q[-1], q[0]
            return sum(i * e for i, e in enumerate(q, 1)) * q[1]
        """,
    ),
    "stacked rows": (
        "rows gathered in a list become a matrix: its adjoint falls into rows",
        """
        def program(x, v, k):
            rows, numbers = [v], []
            for i in range(k + 1):
                rows.append(np.tanh(rows[-1] * x))
                numbers.append(rows[-1][0] * x)
            table = np.stack(rows)
            flat = np.concatenate(rows[1:])
            return np.sum(table**2) + np.sum(flat) * np.sum(np.array(numbers) ** 2)
        """,
    ),
    "a row changes after it was appended": (
        "the list holds the array, so a later store shows in the stacked table",
        """
        def program(x, v):
            rows = []
            row = v * x
            for i in range(3):
                rows.append(row)
                row[i] = row[i] ** 2 + x
                if i == 1:
                    row = row * 2.0
            table = np.array(rows)
            rows[0][0] = 100.0
            return np.sum(table**2)
        """,
    ),
    "lists of lists": (
        "[[0.0] * n for ...] has rows of its own, [[0.0] * n] * m has one",
        """
        def program(x, v):
            own = [[0.0] * 3 for _ in range(2)]
            one = [[x] * 3] * 2
            for i in range(2):
                for j in range(3):
                    own[i][j] = v[j] * x + own[i - 1][j]
                    one[i][j] *= v[j]
            own[1].append(one[0][1])
            return sum(sum(row) ** 2 for row in own) + sum(one[1]) * x
        """,
    ),
    "a list handed down": (
        "a default list is shared by all calls",
        """
        def program(x, v):
            def mean(e, seen=[]):
                seen.append(e)
                return sum(seen) / len(seen)

            return mean(x) * mean(v[0]) + mean(v[1] * x) ** 2
        """,
    ),
    "a list in a recursion": (
        "every call appends to the caller's list",
        """
        def leaves(e, depth, found):
            if depth == 0:
                found.append(e * e)
            else:
                leaves(np.sin(e), depth - 1, found)
                leaves(e * 0.7, depth - 1, found)

        def program(x, k):
            found = []
            leaves(x, k, found)
            return sum(a * (i + 1) for i, a in enumerate(found)) * found[-1]
        """,
    ),
    "appended in a branch or a try": (
        "how long the list is depends on data; the handler appends something else",
        """
        def program(x, v):
            kept = []
            for e in v:
                if e > -0.3:
                    kept.append(e * x)
                try:
                    kept.append(math.sqrt(e))
                except ValueError:
                    kept.extend([e**2, x])
            return sum(kept) * kept[0] + len(kept)
        """,
    ),
    "unpacked and rebuilt": (
        "stars take copies: the old list doesn't see what the new one gets",
        """
        def program(x, v):
            q = [x, v[0]]
            r = [*q, v[1]]
            first, *rest = r
            rest.append(first * x)
            q.append(rest[0])
            r[0] = q[-1] ** 2
            return sum(q) * sum(r) + sum(e**2 for e in rest)
        """,
    ),
    # ------------------------------------------------------------ dicts
    "a dict is filled": (
        "keys come from the run, and some come twice",
        """
        def program(x, v, k):
            d = {}
            for i in range(4):
                d[i * k % 3] = v[i % 3] * x
                x = x + d[i * k % 3] ** 2
            return sum(d.values()) * len(d) + d[0] * x
        """,
    ),
    "counted in a dict": (
        "d[k] = d.get(k, 0) + ... and d[k] += ...",
        """
        def program(x, v):
            d = {"low": x}
            for e in v:
                key = "high" if e > 0.0 else "low"
                d[key] = d.get(key, 1.0) + e * x
                d[key] *= 1.0 + e**2
                d["low"] += 0.1 * d[key]
            return d["low"] ** 2 + d.get("high", x)
        """,
    ),
    "setdefault, update, pop": (
        "methods that store, and one that takes out",
        """
        def program(x, y, v):
            d = {"a": x, "b": y}
            d.setdefault("a", 100.0)
            d.setdefault("c", x * y)
            d.update(b=d["a"] * v[0], e=v[1])
            d.update({"a": d["b"] ** 2})
            taken = d.pop("c") + d.pop("missing", x)
            del d["e"]
            d |= {"f": taken}
            return d["a"] * d["b"] * d["f"] + len(d) * x
        """,
    ),
    "setdefault with a list": (
        "groups: the default list is stored and then grown",
        """
        def program(x, v):
            groups = {}
            for i, e in enumerate(v):
                groups.setdefault(i % 2, []).append(e * x)
            groups[0].append(groups[1][0] ** 2)
            return sum(sum(g) * len(g) for g in groups.values()) * groups[0][-1]
        """,
    ),
    "defaultdict": (
        "reading a missing key stores it",
        """
        from collections import defaultdict

        def program(x, v, k):
            totals, rows = defaultdict(float), defaultdict(list)
            for i, e in enumerate(v):
                totals[i % (k + 1)] += e * x
                rows[e > 0.0].append(totals[0] * e)
            totals[99]
            return totals[0] ** 2 * len(totals) + sum(sum(r) for r in rows.values())
        """,
    ),
    "arrays in a dict": (
        "parameters are updated in place, key by key",
        """
        def program(x, v, m):
            p = {"w": m * 1.0, "b": v[:2] * x}
            for step in range(2):
                h = np.tanh(p["w"] @ v + p["b"])
                g = {"w": np.outer(h, v), "b": h}
                for name in p:
                    p[name] -= 0.1 * x * g[name]
            p["b"][0] = x
            return np.sum(p["w"] ** 2) + np.sum(p["b"] * h)
        """,
    ),
    "a dict while it is read": (
        "values change during iteration over items, keys don't",
        """
        def program(x, v):
            d = {i: e * x for i, e in enumerate(v)}
            for key, value in d.items():
                d[key] = value**2 + d[(key + 1) % 3]
            for key in list(d):
                if key:
                    d[0] += d.pop(key) * key
            return d[0] * x
        """,
    ),
    "a memo": (
        "a dict of results under keys of the run, filled by recursion",
        """
        def program(x, y, k):
            memo = {0: x, 1: y}

            def fib(n):
                if n not in memo:
                    memo[n] = fib(n - 1) * y + np.sin(fib(n - 2))
                return memo[n]

            return fib(k + 2) * x + len(memo) + sum(memo.values())
        """,
    ),
    "keys of tuples": (
        "a sparse table: pairs as keys, missing ones by get",
        """
        def program(x, v):
            table = {(0, 0): x}
            for i in range(1, 4):
                for j in range(i + 1):
                    up = table.get((i - 1, j), 0.0)
                    left = table.get((i - 1, j - 1), 0.0)
                    table[i, j] = up * v[j % 3] + left * x + 0.1
            return sum(table[3, j] * (j + 1) for j in range(4)) + table[1, 1] ** 2
        """,
    ),
    "aliases of dicts": (
        "dict(d) and d.copy() are new but hold the same arrays",
        """
        def program(x, v):
            d = {"a": v * x, "n": x}
            same, shallow = d, dict(d)
            shallow["n"] = x**2
            shallow["a"][0] = same["n"]
            same["a"] = v
            d["n"] *= shallow["a"][1]
            return np.sum(shallow["a"] ** 2) * d["n"] + shallow["n"] * np.sum(d["a"])
        """,
    ),
    "a dict of objects and lists": (
        "three levels down a number is changed",
        """
        def program(x, v):
            state = {"layers": [{"w": v * x, "n": 0}, {"w": v, "n": 0}]}
            for layer in state["layers"]:
                layer["w"] = layer["w"] * x
                layer["w"][0] += x
                layer["n"] += 1
            first, second = state["layers"]
            state["layers"].append(first)
            state["layers"][2]["w"] *= second["w"]
            return np.sum(first["w"] ** 2) * second["n"]
        """,
    ),
    # ------------------------------------------------------------ others
    "a deque": (
        "grows and shrinks at both ends; maxlen pushes items out",
        """
        from collections import deque

        def program(x, v):
            window, q = deque(maxlen=2), deque([x])
            total = 0.0
            for e in v:
                window.append(e * x)
                q.appendleft(sum(window) * q[0])
                total += sum(window) ** 2
            q.rotate(1)
            last = q.pop() * q.popleft()
            q.extend([last, x])
            return total * q[0] + q[-2] * len(window)
        """,
    ),
    "a queue": (
        "breadth first: popleft in a while loop, a set keeps what was seen",
        """
        from collections import deque

        def program(x, v):
            queue, seen, value = deque([0]), {0}, [x, 0.0, 0.0, 0.0]
            while queue:
                i = queue.popleft()
                for j in ((i + 1) % 4, (i + 2) % 4):
                    value[j] += np.sin(value[i]) * v[i % 3]
                    if j not in seen:
                        seen.add(j)
                        queue.append(j)
            return sum(e**2 for e in value) * len(seen)
        """,
    ),
    "a heap": (
        "heapq orders a list of active numbers in place",
        """
        import heapq

        def program(x, v):
            heap = [e * x for e in v]
            heapq.heapify(heap)
            heapq.heappush(heap, x**2)
            a = heapq.heappop(heap)
            b = heapq.heappop(heap)
            heapq.heappush(heap, a * b)
            return heap[0] * a + sum(heap) * b
        """,
    ),
    "lists as arguments of NumPy": (
        "a list of numbers is converted at each call, as it is at that time",
        """
        def program(x, v):
            q = [x, v[0]]
            a = np.array(q)
            q[0] = q[0] ** 2
            b = np.asarray(q)
            b[1] *= x
            q.append(np.sum(q) * b[1])
            return np.dot(a, b) + np.sum(np.sin(q)) * np.mean(q)
        """,
    ),
}
