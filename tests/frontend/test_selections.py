"""Products, combinations and permutations of pools whose size is known only when the
program runs."""

from __future__ import annotations

import pytest

from s2sad import grad
from s2sad.errors import UnsupportedError
from tests.frontend.whole_programs import assert_differentiated

PROGRAMS = {
    "permutations of a range": """
def program(m):
    total = 0.0
    for order in itertools.permutations(range(len(m[0]))):
        cost = 1.0
        for i, j in enumerate(order):
            cost *= m[0, j] + i * m[1, j]
        total += cost
    return total
""",
    "combinations of any size": """
def program(v, k):
    total = 0.0
    for size in range(k + 2):
        for chosen in itertools.combinations(v, size):
            total += math.prod(chosen) * (size + 1)
    return total
""",
    "combinations any size of a list": """
def program(v, k):
    xs = [x * x for x in v if x > 0]
    total = 0.0
    for chosen in itertools.combinations(xs, k):
        total += math.exp(sum(chosen)) + len(chosen)
    return total
""",
    "combinations pool structure": """
def program(a, b, k):
    total = 0.0
    for chosen in itertools.combinations([a, b, a * b, 2.0], k):
        total += math.prod(chosen)
    return total
""",
    "with replacement": """
def program(v, k):
    total = 0.0
    for a, b in itertools.combinations_with_replacement(v, 2):
        total += a * b * b
    for chosen in itertools.combinations_with_replacement(v, k):
        total += math.prod(chosen)
    return total
""",
    "permutations r": """
def program(v, k):
    total = 0.0
    for a, b in itertools.permutations(v, 2):
        total += a * b * b
    for a, b, c in itertools.permutations(v, 3):
        total += a * b * b * c**3
    for chosen in itertools.permutations(v, k):
        total += sum(x * (i + 1) for i, x in enumerate(chosen))
    return total
""",
    "product of signs": """
def program(v):
    total = 0.0
    for spins in itertools.product((-1.0, 1.0), repeat=len(v)):
        energy = np.dot(v, spins) + sum(a * b for a, b in zip(spins, spins[1:]))
        total += math.exp(-energy)
    return math.log(total)
""",
    "product repeat active": """
def program(v, k, a):
    total = 0.0
    for row in itertools.product((a, 2.0), repeat=k):
        total += math.prod(row)
    for row in itertools.product(v, repeat=k):
        total += max(row, default=a)
    return total
""",
    "product of zip": """
NODES = (-0.5, 0.0, 0.7)
WEIGHTS = (0.2, 0.5, 0.1)

def program(v, a):
    total = 0.0
    for corner in itertools.product(zip(NODES, WEIGHTS), repeat=len(v)):
        nodes, weights = zip(*corner)
        total += math.prod(weights) * np.exp(a * np.sum(v * np.array(nodes)))
    return total
""",
    "product of active zip": """
def program(v, m, k):
    total = 0.0
    for corner in itertools.product(zip(v, m[0]), repeat=k):
        term = 1.0
        for node, weight in corner:
            term *= weight * math.exp(node)
        total += term
    return total
""",
    "large known": """
def program(v, a):
    total = 0.0
    for bits in itertools.product((0, 1), repeat=7):
        total += a ** sum(bits)
    for p in itertools.permutations((a, 1.0, a * a, 2.0, -a)):
        total += p[0] * p[1] + p[4]
    some, others = (a, 1.0, 2.0, 3.0, 0.5), (a, 2.0, 1.0, 4.0)
    for x, y, z in itertools.product(some, others, (1.0, a, 3.0, 4.0)):
        total += x * y * z
    return total
""",
    "map pool": """
def program(v, k):
    total = 0.0
    for chosen in itertools.combinations(map(lambda x: x * x, v), k):
        total += math.sqrt(sum(chosen) + 1.0)
    for x, y in itertools.combinations((math.exp(x) for x in v), 2):
        total += x * y * y
    for x, y in itertools.product((math.exp(x) for x in v if x > 0), repeat=2):
        total += x * y * y
    return total
""",
    "rows pool": """
def program(m, k):
    total = 0.0
    for rows in itertools.permutations(m, k):
        for row in rows:
            total = 0.5 * total + np.sum(row * row)
    for a, b in itertools.combinations(m, 2):
        total += np.dot(a, b)
    return total
""",
    "left early": """
def program(v, k):
    total = 0.0
    for order in itertools.permutations(v, k):
        total += math.prod(order)
        if total > 1.0:
            break
    found = any(x * y > 0.5 for x, y in itertools.permutations(v, 2))
    return total * (2.0 if found else 3.0)
""",
    "list of tuples": """
def program(v, k):
    pairs = list(itertools.combinations(v, 2))
    total = 0.0
    for x, y in pairs:
        total += x * y * y
    return total + len(pairs) + len(list(itertools.combinations(range(5), k)))
""",
    "in comprehension and chosen": """
def program(v, k):
    n = len(v)
    total = 0.0
    for chosen in itertools.combinations(range(n), k):
        chance = 1.0
        for i in range(n):
            chance *= v[i] if i in chosen else 1.0 - v[i]
        total += chance
    best = max(
        sum(v[i] * (j + 1) for j, i in enumerate(p))
        for p in itertools.permutations(range(n))
    )
    return total + best * best
""",
    "letters": """
def program(a, k):
    total = 0.0
    for word in itertools.product("ab", repeat=k):
        term = 1.0
        for letter in word:
            term *= a if letter == "a" else 2.0
        total += term
    return total
""",
    "product of pairs repeated": """
def program(v, a, k):
    total = 0.0
    for row in itertools.product(list(itertools.product(v, (a, 1.0))), repeat=k):
        total += sum(x * y for x, y in row)
    return total
""",
    "zero and one": """
def program(v, k):
    total = 1.0
    for empty in itertools.combinations(v, 0):
        total += len(empty) + 2.0
    for one in itertools.combinations(v, 1):
        total *= one[0]
    for none in itertools.combinations(v[:0], k):
        total += 7.0 + sum(none)
    for none in itertools.permutations(v[:1]):
        total += 7.0 * sum(none)
    for none in itertools.product(v, repeat=0):
        total += v[0]
    for x in itertools.product(v[:0], repeat=k):
        total += v[0] * v[1]
    return total
""",
    "assigned anew": """
def program(v, k):
    total = 0.0
    for chosen in itertools.combinations(v, k):
        v = v * 1.5
        total += sum(chosen) * v[0]
    return total
""",
    "zip of rows": """
def program(v, k):
    rows = [(x, x * x) for x in v if x > -5.0 * k]
    first, second = zip(*rows)
    total = sum(a * b for a, b in zip(first, second))
    for column in zip(*rows):
        total += max(column) * column[0]
    return total + len(list(zip(*rows)))
""",
    "zip of no rows": """
def program(v, k):
    rows = [(x, x * x) for x in v if x > 7.0]
    total = v[0] * v[1]
    for column in zip(*rows):
        total += sum(column)
    return total
""",
    "zip rows of a row": """
def program(m):
    rows = [(row, row[0]) for row in m if row[0] < 9.0]
    arrays, firsts = zip(*rows)
    return np.sum(np.stack(arrays) ** 2) * sum(firsts)
""",
    "zip nested": """
def program(v):
    rows = [((x, x * x), x**3) for x in v if x < 9.0]
    pairs, cubes = zip(*rows)
    return sum(a * b * c for (a, b), c in zip(pairs, cubes))
""",
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", PROGRAMS)
def test_selections(name):
    assert_differentiated(f"import itertools\n{PROGRAMS[name]}", range(4))


def test_a_product_of_several_iterables_is_repeated():
    import itertools

    def program(a, n):
        total = 0.0
        for row in itertools.product((a, 1.0), (2.0, a), repeat=n):
            total += sum(row)
        return total

    with pytest.raises(UnsupportedError, match="product of several iterables"):
        grad(program)(1.5, 2)
