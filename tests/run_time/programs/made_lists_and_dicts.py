"""Programs that make lists and dicts of which only the run knows which one a name or an
item is: in lists of unknown length, under several names, in one another."""

import copy
import functools
import heapq
import math
import operator
from collections import defaultdict, deque

from tests.run_time.programs.table import number, program


def numbers(n):
    return ([number() for _ in range(n)],)


@program(numbers)
def dicts_in_a_list(xs):
    tables = [{} for _ in range(4)]
    for i, x in enumerate(xs):
        row = tables[i % 4]
        row[i % 5] = row.get(i % 5, 0.0) + x * x
    total = 0.0
    for row in tables:
        for key, value in row.items():
            total = 0.5 * total + value * key
    return total


@program(numbers)
def scopes(xs):
    found = [{"a": xs[0]}]
    for i, x in enumerate(xs):
        if i % 3 == 0:
            found.append({"a": x * x, "b": x})
        elif i % 3 == 1 and len(found) > 1:
            found.pop()
        for scope in reversed(found):
            if "b" in scope:
                scope["b"] *= x
                break
    return sum(sum(scope.values()) for scope in found)


@program(numbers)
def one_state_often(xs):
    state = {"x": xs[0], "v": 0.0}
    history = []
    for x in xs:
        state["v"] += 0.1 * x
        history.append(state)
    return sum(s["v"] * s["x"] for s in history)


@program(numbers)
def ways_through_a_graph(xs):
    n = len(xs)
    near = {i: [] for i in range(n)}
    for i in range(n):
        for j in (i + 1, 2 * i + 1):
            if j < n:
                near[i].append((j, xs[i] * xs[j] + 0.1))
    best = {0: 0.0}
    heap = [(0.0, 0)]
    while heap:
        d, u = heapq.heappop(heap)
        if d > best.get(u, math.inf):
            continue
        for v, w in near[u]:
            if d + w < best.get(v, math.inf):
                best[v] = d + w
                heapq.heappush(heap, (d + w, v))
    return sum(best.values())


@program(numbers)
def nodes_of_a_trie(xs):
    nodes, values = [{}], [0.0]
    for i, x in enumerate(xs):
        here = 0
        for letter in str(i % 50):
            if letter not in nodes[here]:
                nodes[here][letter] = len(nodes)
                nodes.append({})
                values.append(0.0)
            here = nodes[here][letter]
        values[here] += x * x
    return sum(value * (i + 1) for i, value in enumerate(values))


@program(numbers)
def made_at_two_places(xs):
    rows = []
    first = {"u": xs[0], "v": 1.0}
    for i, x in enumerate(xs):
        if i % 2:
            other = {"u": x, "v": x * x}
            rows.append(other)
            other["u"] *= 1.2
        else:
            rows.append(first)
            first["v"] *= x
        rows[-1]["u"] += 0.1 * x
    return sum(row["u"] * row["v"] for row in rows) / len(rows)


@program(numbers)
def unlike_values(xs):
    rows = [{"at": [x, 0.0], "name": f"a{i}", "m": x * x} for i, x in enumerate(xs)]
    for a, b in zip(rows, rows[1:], strict=False):
        b["at"][1] += a["at"][0] * a["m"]
        b["m"] *= 0.9
    return sum(row["at"][1] * row["m"] for row in rows if row["name"] != "a1")


@program(numbers)
def dicts_that_lead_to_each_other(xs):
    world = {"bodies": []}
    for x in xs:
        world["bodies"].append({"x": x, "v": 0.1, "near": []})
    bodies = world["bodies"]
    for a, b in zip(bodies, bodies[1:], strict=False):
        a["near"].append(b)
    for body in bodies:
        for other in body["near"]:
            other["v"] += body["x"] * 0.5
    for body in bodies:
        body["x"] += body["v"] * 0.1
    return sum(body["x"] ** 2 for body in world["bodies"])


@program(numbers)
def pairs_by_group(xs):
    groups = defaultdict(list)
    for i, x in enumerate(xs):
        groups[i % 3].append((i, x * x))
        groups[(i + 1) % 3].append((i, x))
    total = 0.0
    for key in groups:
        for i, weight in groups[key]:
            total = 0.5 * total + weight * (i % 4)
    return total


@program(numbers)
def dicts_with_an_index(xs):
    items = [{"k": i, "v": x} for i, x in enumerate(xs)]
    last = items[0]
    for item in items:
        last["v"] += 0.1 * item["v"]
        last = item
    return sum(xs[item["k"]] * item["v"] for item in items)


@program(numbers)
def an_open_dict_with_an_index(xs):
    found, rows = {}, []
    for i, x in enumerate(xs):
        found["k"] = i
        found["v"] = x
        rows.append(found)
    return sum(xs[row["k"]] * row["v"] for row in rows)


@program(numbers)
def edges_with_an_index(xs):
    n = len(xs)
    near = [[] for _ in range(n)]
    for i in range(n):
        for j in (i + 1, 2 * i + 1):
            if j < n:
                near[i].append([j, xs[i] * xs[j]])
    first, sums = near[0], [0.0] * n
    for i in range(n):
        for edge in near[i]:
            edge[1] *= 0.9
            sums[edge[0]] += edge[1]
    first[0][1] += xs[0]
    return sum(v * (k % 3) for k, v in enumerate(sums)) + first[0][1]


@program(numbers)
def whole_numbers_in_lists(xs):
    rows = [[i, x] for i, x in enumerate(xs)]
    last = rows[0]
    for row in rows:
        last[1] += 0.1 * row[1]
        last = row
    total = 0.0
    for row in rows:
        total += xs[row[0] // 2] * row[1] * (row[0] % 3)
        for value in row:
            if isinstance(value, int):
                total += xs[value]
            else:
                total = 0.5 * total + value * value
    return total


@program(numbers)
def whole_numbers_in_place_of_others(xs):
    found, rows = {}, []
    for i, x in enumerate(xs):
        found["k"] = i
        rows.append(found)
        found["k"] = found["k"] + x
        if i % 2:
            found["k"] = i
    return sum(row["k"] * x for row, x in zip(rows, xs, strict=True)) / len(xs)


@program(numbers)
def records_by_group(xs):
    groups = {}
    for i, x in enumerate(xs):
        groups.setdefault(i % 2, []).append({"x": x, "t": [x]})
    for members in groups.values():
        for one in members:
            one["t"].append(one["x"])
            one["x"] *= 2.0
        members[0]["t"][0] *= 3.0
    return sum(e["x"] * sum(e["t"]) for m in groups.values() for e in m) / len(xs)


@program(numbers)
def sequences_and_their_weights(xs):
    beams = [([], 1.0)]
    for x in xs[:9]:
        longer = []
        for taken, p in beams:
            longer.append((taken + [0], p * x))
            longer.append((taken + [1], p * (2.1 - x)))
        longer.sort(key=lambda beam: -beam[1])
        beams = longer[:3]
    return sum(p * (1 + sum(taken)) for taken, p in beams)


@program(numbers)
def items_of_a_ring(xs):
    ring = deque([[x, 0.0] for x in xs])
    for _ in range(2 * len(xs)):
        item = ring.popleft()
        item[1] += item[0] * 0.5
        item[0] *= 0.9
        ring.append(item)
    return sum(a * b for a, b in ring)


class Box:
    def __init__(self, x):
        self.items = [x, 1.0]

    def copy(self):
        """Not a copy, whatever it is called."""
        return self.items


@program(numbers)
def a_list_that_a_method_gives(xs):
    rows = []
    for x in xs:
        box = Box(x)
        held = box.copy()
        rows.append(held)
        held[1] *= x
        box.items[0] += x
        rows[0][0] += 0.1 * held[1]
    return sum(row[0] * row[1] for row in rows)


@program(numbers)
def lists_in_dicts_by_key(xs):
    groups = {}
    for i, x in enumerate(xs):
        group = groups.setdefault(i % 3, {"items": [1.0], "weight": 1.0})
        group["items"].append(x)
        group["weight"] += 0.1 * x
    return sum(sum(g["items"]) * g["weight"] for g in groups.values())


@program(numbers)
def dicts_in_dicts_by_key(xs):
    groups = {}
    for i, x in enumerate(xs):
        if i % 3 not in groups:
            groups[i % 3] = {"sums": {"first": 0.0, "second": x}, "count": 0}
        groups[i % 3]["sums"]["first"] += x * x
        groups[i % 3]["count"] += 1
    sums = [(g["sums"], g["count"]) for g in groups.values()]
    return sum(s["first"] * s["second"] / count for s, count in sums)


@program(numbers)
def deep_copies_of_a_dict(xs):
    seen, history = {}, []
    for i, x in enumerate(xs):
        seen[i % 7] = seen.get(i % 7, 0.0) + x * x
        history.append(copy.deepcopy(seen))
        seen[0] *= 0.9
    return sum(sum(s.values()) * (i % 3) for i, s in enumerate(history))


@program(numbers)
def handed_on_while_it_recurs(xs):
    found = []
    xs = xs[:30]

    def walk(i, taken):
        if i >= len(xs):
            found.append(taken)
            return
        taken.append([xs[i], float(i)])
        walk(i + 1, taken)
        taken[i][0] *= 1.5

    walk(0, [])
    return sum(a * b for a, b in found[0])


@program(numbers)
def taken_until_nothing_is_left(xs):
    left = {i % 50: [x, 1.0] for i, x in enumerate(xs)}
    first, total = left[0], 0.0
    first[1] *= xs[1]
    while True:
        try:
            key, (a, b) = left.popitem()
        except KeyError:
            break
        total += a * b * key + first[1]
    return total


@program(numbers)
def made_empty_by_a_call(xs):
    def new():
        return {"items": [], "weight": 0.0}

    rows = []
    for i, x in enumerate(xs):
        if i % 3 == 0:
            rows.append(new())
        rows[i // 4]["items"].append(x)
        rows[i // 4]["weight"] += x
    return sum(sum(row["items"]) ** 2 * row["weight"] for row in rows) / len(xs) ** 3


def merged(a, b):
    found, i, j = [], 0, 0
    while i < len(a) and j < len(b):
        if a[i] <= b[j]:
            found.append(a[i])
            i += 1
        else:
            found.append(b[j])
            j += 1
    return found + a[i:] + b[j:]


def merge_sorted(xs):
    if len(xs) <= 1:
        return xs
    middle = len(xs) // 2
    return merged(merge_sorted(xs[:middle]), merge_sorted(xs[middle:]))


@program(numbers)
def sorted_by_merging(xs):
    return sum(x * (k % 7) for k, x in enumerate(merge_sorted(xs)))


class Shelf:
    def __init__(self):
        self.held = []
        self.more = []
        self.first = []
        self.joined = []


@program(lambda n: ([number() for _ in range(n)], 0.7))
def empty_lists_get_several(xs, x):
    shelves = [Shelf() for _ in range(3)]
    for k, v in enumerate(xs):
        shelf = shelves[k % 3]
        shelf.held += [v, x * v]
        shelf.more.extend(v * j for j in range(3))
        shelf.first[:0] = [x - v]
        operator.iadd(shelf.joined, [v * v])
    total = functools.reduce(operator.iadd, [[x], [v * x for v in xs]], [])[-1]
    for s in shelves:
        for a, b, c, d in zip(s.held, s.more, s.first, s.joined):
            total = 0.9 * total + a * b - c * d
    return total


@program(numbers)
def lists_that_a_dict_may_lack(xs):
    cells = defaultdict(list)
    for i, x in enumerate(xs):
        cells[i // 3].append((i, x * x))
    total = 0.0
    for key in range(-1, len(xs)):
        for i, x in cells.get(key, ()):
            total = 0.5 * total + x * (i + 1)
        for _, x in cells.get(2 * key, []):
            total += x * x
    return total


@program(numbers)
def numbers_that_a_dict_may_lack(xs):
    groups = {}
    for i, x in enumerate(xs):
        groups.setdefault(i % 4, []).append(x)
    total = 0.0
    for key in range(6):
        near = groups.get(key, ())
        total = 0.5 * total + sum(near) ** 2 + len(near)
        if near:
            total += near[0] * near[-1]
        for a, b in zip(near, near[1:]):
            total += a * b
        total += sum(v * v for v in sorted(groups.get(key + 1) or ())[:2])
    return total
