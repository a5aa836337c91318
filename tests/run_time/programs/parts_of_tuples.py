"""Slices of tuples of which each item has a kind of its own, starred names over tuples
of unlike lengths."""

from __future__ import annotations

from tests.run_time.programs.table import number, program


def rows_of(n):
    """Tuples of unlike lengths, told by their texts."""
    sorts = [("two", 2), ("one", 1), ("none", 0)]
    picked = [sorts[k % 3] for k in range(n)]
    return [(name, *(number() for _ in range(count))) for name, count in picked]


def lengths_of(n):
    """Tuples of unlike lengths without a text in front."""
    return [(number(), "ab") if k % 2 else (number(), "c", number()) for k in range(n)]


def expression(depth, k=0):
    if depth == 0:
        return ("num", number())
    inner = [expression(depth - 1, k + place) for place in range(3)]
    if k % 3 == 0:
        return ("neg", inner[0])
    return ("add", *inner[:2]) if k % 3 == 1 else ("mul", *inner)


def expressions_of(n):
    return [expression(2, k) for k in range(n)]


@program(lambda n: ([(f"r{k}", number(), number()) for k in range(n)],))
def p_sliced(rows):
    total = 0.0
    for row in rows:
        values = row[1:]
        first, second = row[-2:]
        total += values[0] * second**2 + sum(values) * first * len(row[0])
        for x in row[:0:-1][:1]:
            total += x
    return total


@program(lambda n: (rows_of(n),))
def p_starred(rows):
    total = 0.0
    for row in rows:
        name, *values = row
        if name == "two":
            total += values[0] * values[1]
        elif name == "one":
            total -= values[0] ** 2
        if values:
            total += 0.5 * values[0] * len(values)
        if not values or values == []:
            total *= 0.9
    return total


@program(lambda n: (rows_of(n),))
def p_matched(rows):
    total = 0.0
    for row in rows:
        match row:
            case ("two", *values):
                total += values[0] * values[1]
            case (_, *values) if len(values) > 0:
                total += values[-1] ** 2
    return total


@program(lambda n: (rows_of(n),))
def p_iterated(rows):
    total = 0.0
    for row in rows:
        _, *values = row
        for k, x in enumerate(values):
            total += x * (k + 1.0)
        for x, y in zip(values, values[1:]):
            total += x * y
        total += max(values, default=0.1) * isinstance(values, list)
        total += sum([2.0] + values)
    return total


@program(lambda n: (rows_of(n),))
def p_changed(rows):
    total = 0.0
    for row in rows:
        _, *values = row
        values.append(0.5)
        values[0] = values[0] * 2.0
        total = 0.1 * total + sum(values) * values[0]
    return total


@program(lambda n: (lengths_of(n),))
def p_told_by_lengths(rows):
    total = 0.0
    for row in rows:
        x, *rest = row
        if len(rest) == 2:
            total += x * rest[1] * len(rest[0])
        else:
            total += x**2 * len(rest[0])
        match row:
            case (x, _):
                total += 0.3 * x
            case (x, _, y):
                total += 0.2 * x * y
    return total


@program(lambda n: (expressions_of(n),))
def p_starred_recursion(nodes):
    return sum(starred_value(node) for node in nodes)


def starred_value(node):
    op, *args = node
    if op == "num":
        return args[0]
    if op == "neg":
        (x,) = args
        return -starred_value(x)
    values = [starred_value(part) for part in args]
    if op == "add":
        return sum(values)
    result = 1.0
    for value in values:
        result *= value
    return result * len(args)


@program(lambda n: (expressions_of(n),))
def p_sliced_recursion(nodes):
    return sum(sliced_value(node) for node in nodes)


def sliced_value(node):
    if node[0] == "num":
        return node[1]
    result = 0.5
    for part in node[1:]:
        result *= sliced_value(part)
    return result


def product(first, second):
    return first * second


@program(lambda n: (rows_of(n),))
def p_handed_on(rows):
    total = 0.0
    for row in rows:
        name, *values = row
        if name == "two":
            total += product(*values) + product(*row[1:])
    return total


@program(lambda n: (rows_of(n),))
def p_wrong_lengths(rows):
    total = 0.0
    for row in rows:
        try:
            _, x, y = row
            total += x * y
        except ValueError:
            total = 0.9 * total + 0.1
        _, *values = row
        try:
            total += values[1] ** 2
        except IndexError:
            total += 0.1
    return total


def sum_of_part(part, x):
    return x if len(part) == 0 else part[0] * x + sum_of_part(part[1:], x)


def sum_of_rest(rest, x):
    if not rest:
        return x
    first, *rest = rest
    return first * first + 0.5 * sum_of_rest(rest, x)


def sum_of_some(part, n):
    if len(part) == 0:
        return 1.0
    if n == 0:
        return part[-1]
    return sum_of_some(part[1:], n) + 0.5 * sum_of_some(part, n - 1)


@program(lambda n: (rows_of(n), 0.7), ("rows", "x"))
def p_handed_to_recursion(rows, x):
    total = 0.0
    for row in rows:
        _, *values = row
        total += sum_of_part(row[1:], x) * sum_of_rest(values, x) + sum_of_some(
            values, 3
        )
    return total


def added(parts):
    return starred_value(parts[0]) + added(parts[1:]) if parts else 0.0


@program(lambda n: (expressions_of(n),))
def p_nodes_handed_to_recursion(nodes):
    total = 0.0
    for node in nodes:
        if node[0] == "add" or node[0] == "mul":
            total += added(node[1:]) * added(node[1:] + node[:0:-1])
    return total


def unlike_rows_of(n):
    sorts = [
        lambda: ("spring", number(), "soft", number()),
        lambda: ("mass", number(), 3),
        lambda: ("end", number()),
    ]
    return [sorts[k % 3]() for k in range(n)], 0.7


def powers(sort, args, n):
    if n == 0:
        return args[0]
    return 0.5 * powers(sort, args, n - 1) + (args[0] if sort == "spring" else 1.0)


@program(unlike_rows_of, ("rows", "x"))
def p_unlike_handed_to_recursion(rows, x):
    total = 0.0
    for row in rows:
        sort, *args = row
        total += powers(sort, args, 3) * x + powers("none", row[1:], 2)
    return total


def last_of(sort, args, n):
    if n == 0:
        return args[-1] * args[0]
    return 0.5 * last_of(sort, args, n - 1)


@program(unlike_rows_of, ("rows", "x"))
def p_unlike_joined(rows, x):
    total = 0.0
    for row in rows:
        sort, *args = row
        more = [x * x] + args + [x]
        both = row[1:] + (x, 2.0 * x)
        if sort == "spring":
            total += more[1] * more[3] * more[-1] * len(more[2]) * both[-2]
        elif sort == "mass":
            total += more[0] * more[1] * more[2] * both[3] * len(both)
        else:
            total += more[1] * more[2] * both[0]
        total += more[-1] * len([*args, x, x]) * [x, *row[1:], sort][0]
        total += last_of(sort, [*args, x], 2)
    return total
