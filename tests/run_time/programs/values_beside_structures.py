"""Numbers, arrays and texts that stand where lists, tuples, dicts or objects may stand,
too: nested lists, trees of pairs, expressions with names and numbers at the bottom."""

from __future__ import annotations

import numpy as np

from tests.run_time.programs.table import number, program


class Fork:
    def __init__(self, left, right):
        self.left = left
        self.right = right


def nested(n):
    """A list in which numbers stand at any depth."""
    head = [number(), number()]
    for k in range(n):
        head = [number(), [number(), head], number()] if k % 3 else [[head], number()]
    return (head,)


def pair(n):
    return number() if n < 2 else (pair(n // 2), pair(n - n // 2))


def pairs(n):
    return ((pair(max(2, n // 2)), (number(), (number(), pair(n)))),)


def chain(n):
    head = number()
    for _ in range(n + 3):
        head = (number(), head)
    return (head,)


def fork(n):
    return number() if n < 2 else Fork(fork(n // 2), fork(n - n // 2))


def forks(n):
    return (Fork(Fork(number(), fork(n)), number()),)


def side_of_names(n):
    if n < 2:
        return {"left": number(), "right": number()}
    side = side_of_names(n // 2)
    if n % 2:
        return {"left": side, "right": number()}
    return {"left": number(), "right": side}


def of_names(n):
    return ({"left": side_of_names(n), "right": {"left": 0.7, "right": number()}},)


def expression(n):
    if n < 3:
        return ("add", ("mul", number(), "x"), ("sin", "y"))
    half = n // 2
    first, second = expression(half), expression(n - half)
    return ("mul", ("sin", ("add", first, number())), ("add", second, "x"))


def expressions(n):
    return expression(n), {"x": number(), "y": number()}


def arrays(n):
    head = np.array([number(), number()])
    for _ in range(n + 3):
        head = [np.array([number(), number()]), [head], number()]
    return (head,)


def gaps(n):
    head = [number(), None, 3]
    for _ in range(n + 2):
        head = [head, number(), None, 2]
    return (head,)


@program(nested)
def sum_of_nested(t):
    if isinstance(t, list):
        return sum(0.9 * sum_of_nested(v) for v in t)
    return t**2


@program(nested)
def depths_of_nested(t):
    def walk(v, depth):
        if type(v) is float:
            return v**2 / depth
        total = 0.0
        for item in v:
            total = total + walk(item, depth + 1)
        return total

    return walk(t, 1)


@program(nested)
def stack_of_nested(t):
    stack, total = [t], 0.0
    while stack:
        v = stack.pop()
        if isinstance(v, list):
            for item in v:
                stack.append(item)
        else:
            total = 0.95 * total + v**2
    return total


@program(nested)
def yielded_of_nested(t):
    def leaves(v):
        if isinstance(v, (list, tuple)):
            for item in v:
                yield from leaves(item)
        else:
            yield v

    total = 0.0
    for k, x in enumerate(leaves(t)):
        total = total + x**2 / (k + 1)
    return total


@program(nested)
def items_that_are_numbers(t):
    total = 1.0
    for v in t:
        if isinstance(v, float):
            total = 0.9 * total + v**2
        else:
            total = total + items_that_are_numbers(v)
    return total


@program(nested)
def numbers_chosen(t):
    here = [v for v in t if not isinstance(v, list)]
    inner = [v for v in t if isinstance(v, list)]
    return sum(x**2 for x in here) + sum(0.5 * numbers_chosen(v) for v in inner)


@program(pairs)
def folded_pairs(t):
    if isinstance(t, tuple):
        left, right = t
        return 0.7 * folded_pairs(left) + np.sin(folded_pairs(right))
    return t


@program(pairs)
def product_of_pairs(t):
    if not isinstance(t, tuple):
        return np.sin(t)
    return product_of_pairs(t[0]) + product_of_pairs(t[1]) * product_of_pairs(t[0]) / 9


@program(chain)
def chain_of_pairs(t):
    total = 0.0
    while isinstance(t, tuple):
        total = 0.9 * total + t[0] ** 2
        t = t[1]
    return total * t


@program(forks)
def tree_of_forks(t):
    if isinstance(t, Fork):
        return tree_of_forks(t.left) * 0.8 + np.cos(tree_of_forks(t.right))
    return t * t


@program(forks)
def forks_of_which_some_lead_on(t):
    total = 0.0
    for side in (t.left, t.right):
        if isinstance(side, float):
            total = total + side**2
        else:
            total = total + 0.9 * forks_of_which_some_lead_on(side)
    return total


@program(of_names)
def folded_dicts(t):
    if isinstance(t, dict):
        return folded_dicts(t["left"]) - 0.5 * folded_dicts(t["right"]) ** 2
    return t


@program(expressions)
def evaluated(e, env):
    if isinstance(e, str):
        return env[e]
    if isinstance(e, float):
        return e
    op = e[0]
    if op == "add":
        return evaluated(e[1], env) + evaluated(e[2], env)
    if op == "mul":
        return evaluated(e[1], env) * evaluated(e[2], env)
    if op == "sin":
        return np.sin(evaluated(e[1], env))
    raise ValueError(op)


@program(arrays)
def norm_of_tree(t):
    if isinstance(t, list):
        return sum(norm_of_tree(v) for v in t)
    if isinstance(t, np.ndarray):
        return np.sum(t**2)
    return t**3


@program(gaps)
def nested_with_gaps(t):
    total = 0.0
    for v in t:
        if v is None:
            continue
        if isinstance(v, list):
            total = total + 0.9 * nested_with_gaps(v)
        elif isinstance(v, int):
            total = total * v / 4
        else:
            total = total + v**2
    return total


def numbers(n):
    return ([number() for _ in range(n + 1)],)


def folded(t):
    if isinstance(t, tuple):
        return 0.7 * folded(t[0]) + np.sin(folded(t[1]))
    return t


@program(numbers)
def halves_made(xs):
    def build(low, high):
        if high - low == 1:
            return xs[low] ** 2
        middle = (low + high) // 2
        return (build(low, middle), build(middle, high))

    return folded(build(0, len(xs)))


@program(numbers)
def pairs_made_in_a_loop(xs):
    node = xs[0]
    for x in xs:
        node = (node, x**2)
    total = 0.0
    while isinstance(node, tuple):
        total = 0.9 * total + np.sin(node[1])
        node = node[0]
    return total + node


@program(nested)
def mapped_nested(t):
    def scaled(v):
        if isinstance(v, list):
            return [scaled(item) for item in v]
        return np.sin(v) * 2

    return sum_of_nested(scaled(t))


def folded_forks(t):
    if isinstance(t, Fork):
        return folded_forks(t.left) + 0.5 * np.sin(folded_forks(t.right))
    return t


@program(numbers)
def forks_made(xs):
    def build(low, high):
        if high - low == 1:
            return xs[low] ** 2
        middle = (low + high) // 2
        return Fork(build(low, middle), build(middle, high))

    return folded_forks(build(0, len(xs)))


@program(numbers)
def numbers_and_pairs_in_a_list(xs):
    out = []
    for k, x in enumerate(xs):
        if k % 3 == 0:
            out.append(x**2)
        else:
            out.append((x, 2 * x))
    total = 0.0
    for item in out:
        if isinstance(item, tuple):
            total = 0.9 * total + item[0] * item[1]
        else:
            total = 0.9 * total + item
    return total


@program(numbers)
def merged_in_a_queue(xs):
    nodes = [x**2 for x in xs]
    while len(nodes) > 1:
        first = nodes.pop(0)
        second = nodes.pop(0)
        nodes.append((first, second))
    return folded(nodes[0])


def value_of(e):
    if isinstance(e, tuple):
        if e[0] == "add":
            return value_of(e[1]) + value_of(e[2])
        return np.sin(value_of(e[1]) * value_of(e[2]))
    return e


@program(numbers)
def expression_made(xs):
    e = xs[0]
    for k in range(1, len(xs)):
        if k % 2:
            e = ("add", e, xs[k])
        else:
            e = ("mul", e, xs[k])
    return value_of(e)


@program(nested)
def changed_where_it_stands(t):
    def doubled(v):
        for k in range(len(v)):
            item = v[k]
            if isinstance(item, list):
                doubled(item)
            else:
                v[k] = item**2 + item

    doubled(t)
    return sum_of_nested(t)


@program(forks)
def attribute_replaced(t):
    def squared(v):
        side = v.left
        if isinstance(side, Fork):
            squared(side)
        else:
            v.left = np.sin(side) * 2.0

    squared(t)
    return tree_of_forks(t)


@program(chain)
def number_in_place_of_a_tuple(t):
    head = Fork(t[0], t[1])
    if isinstance(head.right, tuple):
        head.right = head.left * 2.0
    return head.right * t[0]


@program(numbers)
def numbers_and_dicts_in_rows(xs):
    rows = [{"items": [x, {"weight": x}]} for x in xs]
    for row in rows:
        row["items"][0] *= 2.0
        row["items"][1]["weight"] += rows[0]["items"][0]
    return sum(row["items"][0] * row["items"][1]["weight"] for row in rows)


@program(nested)
def number_taken_by_a_list(t):
    first = t[0]
    if isinstance(first, list):
        first = 0.5
    t.append([first * 2.0, first])
    t.append(first**2)
    return sum_of_nested(t)


def network(n):
    """Resistors: lists stand in series, tuples in parallel."""
    net = [number(), (number(), [number(), (number(), number())])]
    for k in range(n):
        net = [net, (number(), [number(), net])] if k < 3 else [(net, number()), 0.5]
    return (net,)


@program(network)
def resistance(net):
    if isinstance(net, list):
        return sum(resistance(part) for part in net)
    if isinstance(net, tuple):
        return 1.0 / sum(1.0 / resistance(part) for part in net)
    return net


def with_variables(n):
    """Names stand in tuples of their own, numbers beside these."""
    e = ("add", ("var", "x"), number())
    for k in range(n + 2):
        e = (
            ("mul", ("add", e, number()), ("var", "xy"[k % 2]))
            if k % 2
            else ("add", e, 0.5)
        )
    return e, {"x": number() / 2, "y": number() / 2}


@program(with_variables)
def of_variables(e, env):
    if isinstance(e, float):
        return e
    op = e[0]
    if op == "var":
        return env[e[1]]
    if op == "add":
        return of_variables(e[1], env) + of_variables(e[2], env)
    if op == "mul":
        return np.sin(of_variables(e[1], env) * of_variables(e[2], env))
    raise ValueError(op)


FUNCTIONS = {"sin": np.sin, "cos": np.cos}


def with_calls(n):
    """Names of functions stand where arguments do, too."""
    e = ("call", "cos", "x")
    for k in range(n + 2):
        e = (
            ("add", ("call", "sin", e), "y")
            if k % 2
            else ("call", "sin", ("add", e, number()))
        )
    return e, {"x": number(), "y": number()}


@program(with_calls)
def of_calls(e, env):
    if isinstance(e, str):
        return env[e]
    if isinstance(e, float):
        return e
    if e[0] == "call":
        return FUNCTIONS[e[1]](of_calls(e[2], env))
    return of_calls(e[1], env) + of_calls(e[2], env)
