"""Lists of unknown length whose items are arrays or lists of different shapes."""

from __future__ import annotations

import pytest

from tests.frontend.whole_programs import assert_differentiated

ARRAYS = {
    "rows appended in a loop, read by their index": """
        def program(x, v, k):
            rows = []
            for i in range(1, k + 2):
                rows.append(v[: 1 + i % 3] * x)
            total = 0.0
            for i in range(len(rows)):
                total += np.sum(rows[i] ** 2) * (i + 1) * rows[-1][0]
            return total
    """,
    "each row is longer than the one before": """
        def program(x, v, k):
            row = v[:1]
            rows = [row]
            for i in range(k):
                row = np.concatenate([row * x, v[i % 3 : i % 3 + 1]])
                rows.append(row)
            return sum(np.sum(r * r) for r in rows) * np.sum(rows[0] * rows[-1])
    """,
    "a list of known length from which the run chooses": """
        def program(x, v, k):
            parts = [v * x, v[:1] ** 2, v[1:] * v[0]]
            total = 1.0
            for i in range(k):
                total = total * np.sum(parts[(i + k) % 3]) + np.sum(parts[i % 3] ** 2)
            return total
    """,
    "an item of another shape is stored": """
        def program(x, v, k):
            rows = [v[:i] * x for i in range(k + 2)]
            for i in range(k):
                rows[i] = np.concatenate([rows[i] * v[0], rows[i + 1]])
            rows[-1] = rows[0] * x
            return sum(np.sum(r * r) for r in rows) + x * len(rows[0])
    """,
    "a stack of arrays": """
        def program(x, v, k):
            stack = [v * x, v[:2]]
            for i in range(k):
                top = stack.pop()
                if i % 2:
                    stack.append(top[:1] * x)
                else:
                    stack.append(np.concatenate([top, top * x]))
                    stack.append(top * v[i % 3])
            return np.sum(stack.pop()) * np.sum(stack[0] ** 2) + x * len(stack)
    """,
    "a queue of arrays": """
        def program(x, v, k):
            queue = [v * x, v[:2], v[2:]]
            total = 0.0
            for i in range(k):
                first = queue.pop(0)
                total += np.sum(first ** 2)
                queue.insert(i, first[1:] * x)
                queue.append(np.concatenate([first, v[:1]]))
            return total + sum(np.prod(a) for a in queue)
    """,
    "joined, reversed and cut": """
        def program(x, v, k):
            first = [v[:i] * x for i in range(1, k + 2)]
            second = [v[i % 3 :] for i in range(k)]
            both = first + second[::-1] + first[1:]
            both.reverse()
            part = both[k:]
            flat = np.concatenate(part)
            total = np.sum(flat * np.arange(len(flat)))
            return total * x + np.sum(np.hstack(both) ** 2)
    """,
    "stacked where shapes agree": """
        def program(x, v, k):
            n = len(v) - 1
            rows = [v[:n] * x]
            for i in range(k):
                rows.append(rows[-1] * v[:n] + i)
            m = np.array(rows)
            return np.sum(m @ m.T) + np.sum(np.stack(rows, axis=1) ** 3) + np.sum(
                np.vstack(rows)[0]
            )
    """,
    "matrices of different heights": """
        def program(x, m, k):
            blocks = []
            for i in range(k + 1):
                blocks.append(m[: 1 + i % 2] * x)
            whole = np.concatenate(blocks)
            return np.sum(np.vstack(blocks) ** 2) + np.sum(whole[:, 0]) * x
    """,
    "a sum of arrays that broadcast": """
        def program(x, v, k):
            terms = [v * x, v[:1]]
            for i in range(k):
                terms.append(terms[i % 2] * v[i % 3])
            return np.sum(sum(terms) ** 2) + np.sum(sum(terms[1:], v) ** 3)
    """,
    "a list of arrays repeated": """
        def program(x, v, k):
            rows = [v * x, v[:1]] * k
            total = 0.0
            for i, row in enumerate(rows):
                total += (i + 1) * np.sum(row ** 2)
            same = [v * x] * (k + 1)
            return total + np.sum(np.array(same) ** 2 * x)
    """,
    "a tuple that grows": """
        def program(x, v, k):
            rows = (v[:1],)
            for i in range(k):
                rows = (*rows, v[: i % 3] * x)
            return np.sum(rows[0] ** 2) + np.sum(np.concatenate(rows) ** 2)
    """,
    "one list on two paths": """
        def program(x, v, k):
            rows = [v * x]
            if k > 1:
                rows = [v[:1] ** 2]
            for i in range(k):
                rows.append(rows[-1][: len(rows[-1]) - i] * x)
            return sum(np.sum(r ** 2) for r in rows)
    """,
    "another name keeps the list as it was": """
        def program(x, v, k):
            rows = [v * x, v[:1]]
            for i in range(k):
                older = list(rows)
                rows.append(rows[i] * x)
                rows[0] = v[:2] * rows[-1][0]
                x = x * np.sum(older[0] ** 2)
            return x + sum(np.sum(r) for r in rows)
    """,
    "rows are written into": """
        def program(x, v, k):
            rows = [v[: 1 + i % 3] * x for i in range(k + 1)]
            for i in range(len(rows)):
                row = rows[i].copy()
                row[0] = row[0] * row[-1]
                rows[i] = row
            return sum(np.sum(r * r) for r in rows)
    """,
    "a list in each iteration": """
        def program(x, v, k):
            total = 0.0
            for i in range(k):
                rows = []
                for j in range(i + 1):
                    rows.append(v[: j + 1] * x)
                    x = x + 0.1 * np.sum(rows[0])
                total += np.sum(np.concatenate(rows) ** 2)
            return total * x
    """,
    "a while loop that takes from the end": """
        def program(x, v, k):
            todo = [v * x]
            total = 0.0
            while todo:
                part = todo.pop()
                if len(part) > 1:
                    todo.append(part[:1] * part[-1])
                    todo.append(part[1:])
                else:
                    total += part[0] ** 2
            return total
    """,
    "a jagged batch in a recurrent network": """
        def program(x, v, m, k):
            batch = [v[: 1 + i % 3] for i in range(k + 1)]
            states = []
            for sequence in batch:
                h = np.zeros(2)
                hs = [h]
                for e in sequence:
                    h = np.tanh(m[:, :2] @ h * x + m[:, 2] * e)
                    hs.append(h)
                states.append(np.concatenate(hs))
            return sum(np.sum(s ** 2) for s in states) * np.sum(states[-1])
    """,
    "a function that calls itself gets and gives such a list": """
        def halves(part):
            if len(part) < 2:
                return [part]
            return [part * part[0]] + halves(part[:1]) + halves(part[1:])

        def total(rows, i):
            if i == len(rows):
                return 0.0
            return np.sum(rows[i] ** 2) + total(rows, i + 1)

        def program(x, v):
            return total(halves(v * x), 0)
    """,
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_of_different_shapes(name):
    assert_differentiated(ARRAYS[name])


NESTED = {
    "the rows of Pascal's triangle": """
        def program(x, v, k):
            rows = [[x]]
            for i in range(k + 1):
                row = [v[0]]
                for j in range(i):
                    row.append(rows[i][j] + rows[i][j + 1] * x)
                row.append(v[1])
                rows.append(row)
            return sum(sum(row) * len(row) for row in rows) * rows[-1][k // 2]
    """,
    "a list for each place": """
        def program(x, v, k):
            lists = [[] for _ in range(k + 1)]
            for i in range(2 * k + 1):
                lists[i % (k + 1)].append(v[i % 3] * x)
            total = x
            for row in lists:
                total = total * (1.0 + sum(row) ** 2)
            return total
    """,
    "neighbours": """
        def program(x, v, k):
            near = [[] for _ in range(3)]
            for i in range(k):
                near[i % 3].append((i + 1) % 3)
                near[(i + 1) % 3].append(i % 3)
            h = v * x
            for _ in range(2):
                new = []
                for i in range(3):
                    total = h[i]
                    for j in near[i]:
                        total = total + np.sin(h[j])
                    new.append(total)
                h = np.array(new)
            return np.sum(h ** 2)
    """,
    "inner lists shrink and change": """
        def program(x, v, k):
            rows = [[v[0], x, v[1]] for _ in range(k + 1)]
            for i in range(k):
                x = x * rows[i + 1].pop()
                rows[i].insert(0, rows[i + 1][0] ** 2)
                rows[i][0] += rows[i][-1]
            return sum(sum(row) * row[0] for row in rows) + x
    """,
    "an inner list by a name": """
        def program(x, v, k):
            rows = [[x] for _ in range(k + 1)]
            for i in range(k):
                row = rows[i]
                row.append(v[i % 3] * x)
                row.append(row[-1] * row[0])
                x = x + rows[i][-1]
            return x * sum(len(row) * sum(row) for row in rows)
    """,
    "lists of arrays in a list": """
        def program(x, v, k):
            groups = [[v * x] for _ in range(k + 1)]
            for i in range(k):
                groups[i].append(groups[i][0][: 1 + i % 3] * x)
                groups[i + 1].append(v[i % 3 :])
            return sum(np.sum(np.concatenate(g) ** 2) * len(g) for g in groups)
    """,
    "each inner list grows as it is run over": """
        def program(x, v, k):
            rows = [[x] for _ in range(k + 1)]
            for row in rows:
                row.append(v[0] * row[0])
                rows[0].append(x * row[-1])
            return sum(sum(r) * len(r) for r in rows)
    """,
    "three names of two inner lists": """
        def program(x, v, k):
            rows = [[x] for _ in range(k + 1)]
            a = rows[0]
            b = rows[k - k]
            c = rows[k]
            a.append(v[0])
            b.append(v[1] * a[-1])
            c.append(x * b[-1])
            return sum(a) * len(b) + sum(rows[0]) * c[-1] * len(rows[k])
    """,
    "an inner list may grow while it is run over": """
        def program(x, v, k):
            rows = [[x, v[0]] for _ in range(k + 1)]
            total = 0.0
            for i, e in enumerate(rows[0]):
                total += e * x
                if i < 3:
                    rows[k].append(e * v[1])
            return total + sum(rows[k])
    """,
    "a name of an inner list while the outer one grows": """
        def program(x, v, k):
            rows = [[x] for _ in range(k + 1)]
            keep = rows[0]
            for i in range(k):
                rows[i].append(keep[0] * x)
                rows.append([v[0]])
            keep.append(v[1])
            return sum(sum(r) * len(r) for r in rows) + keep[-1]
    """,
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", NESTED)
def test_lists_that_grow_in_lists(name):
    assert_differentiated(NESTED[name], range(4))


def test_a_list_without_tangent_beside_one_that_has_one():
    text = """
class Part:
    def __init__(self, h):
        self.h = h
        self.rows = []

def program(x, v, k):
    parts = [Part(0.5), Part(0.5)]
    parts[1].rows.append(v)
    x += parts[k % 2].h
    for part in parts:
        part.rows.insert(0, np.ones(3) * x)
    return np.sum(parts[1].rows[1] * x) + np.sum(parts[0].rows[0])
"""
    assert_differentiated(text)


def test_a_call_that_recurses_gives_an_item_of_a_list_without_tangents():
    text = """
def power(x, k):
    if k <= 0:
        return x * x
    return np.sin(power(0.8 * x, k - 1))

def program(x, v, k):
    paths = [[0.5, 0.1] for e in v]
    paths[0].append(power(x, k))
    return paths[0][-1] * np.sum(v * v) + sum(paths[0])
"""
    assert_differentiated(text, range(3))
