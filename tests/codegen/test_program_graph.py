"""Which nodes, edges and clusters programs have."""

from dataclasses import dataclass

import numpy as np
import pytest

from s2sad import custom_vjp, fixed_point, graph, hook, no_grad, stop_gradient
from tests.programs.registry import all_programs

SCALE = 2.0


def edges(graph, **wanted):
    """Pairs of texts, of the edges that are as wanted."""
    return {
        (graph.nodes[e.source].text, graph.nodes[e.target].text)
        for e in graph.edges
        if all(getattr(e, name) == value for name, value in wanted.items())
    }


def node(graph, text):
    (found,) = (n for n in graph.nodes if n.text == text)
    return found


def cluster(graph, text):
    """The texts of the clusters around a node, innermost first."""
    number, found = node(graph, text).cluster, []
    while number is not None:
        found.append(graph.clusters[number].text)
        number = graph.clusters[number].parent
    return found


def is_well_formed(graph):
    assert [n.number for n in graph.nodes] == list(range(len(graph.nodes)))
    assert [c.number for c in graph.clusters] == list(range(len(graph.clusters)))
    assert all(c.parent is None or c.parent < c.number for c in graph.clusters)
    numbers = range(len(graph.nodes))
    assert all(e.source in numbers and e.target in numbers for e in graph.edges)
    for edge in graph.edges:
        if edge.active:
            assert graph.nodes[edge.source].active and graph.nodes[edge.target].active
    return True


def test_operations_in_the_users_words():
    def f(x, w, b):
        h = np.tanh(x @ w + b)
        h = h.sum(axis=0)
        return np.sum(h.ravel() * SCALE)

    found = graph(f, wrt=("w", "b"))(np.ones((2, 3)), np.ones((3, 4)), np.ones(4))
    assert is_well_formed(found)
    assert [(n.text, n.kind) for n in found.nodes] == [
        ("x", "float64 (2, 3)"),
        ("w", "float64 (3, 4)"),
        ("b", "float64 (4,)"),
        ("x @ w", "float64 (2, 4)"),
        ("· + b", "float64 (2, 4)"),
        ("h = np.tanh(·)", "float64 (2, 4)"),
        ("h = h.sum(axis=0)", "float64 (4,)"),
        ("h.ravel()", "float64 (4,)"),
        ("· * SCALE", "float64 (4,)"),
        ("SCALE", ""),
        ("np.sum(·)", "float64"),
        ("return ·", ""),
    ]
    assert node(found, "SCALE").role == "data"
    assert node(found, "x @ w").statement == "h = np.tanh(x @ w + b)"
    inactive = {n.text for n in found.nodes if not n.active}
    assert inactive == {"x", "SCALE"}
    assert edges(found, active=False) == {("x", "x @ w"), ("SCALE", "· * SCALE")}


def test_structures_are_leaves():
    @dataclass
    class Layer:
        w: np.ndarray
        rate: float

    def f(layers, options):
        return np.sum(layers[0].w * layers[1]["u"]) * options["k"]

    layers = [Layer(np.ones(3), 0.1), {"u": np.ones(3), "names": "abc"}]
    found = graph(f)(layers, {"k": 2, "unread": 3.0})
    assert is_well_formed(found)
    assert [n.text for n in found.nodes if n.role == "argument"] == [
        "layers[0].w",
        "layers[0].rate",  # differentiated, though nothing reads it
        "layers[1]['u']",
        "options['k']",
    ]
    assert [n.text for n in found.nodes if n.role == "operation"] == [
        "layers[0].w * layers[1]['u']",
        "np.sum(·)",
        "· * options['k']",
    ]


def test_branches():
    def f(x, flag):
        if x > 1.0 and flag:
            y = x * 2.0
        else:
            y = 3.0
        return y

    found = graph(f)(1.0, True)
    assert is_well_formed(found)
    assert node(found, "if x > 1.0 and flag").role == "test"
    assert cluster(found, "y = x * 2.0") == ["then"]
    assert cluster(found, "y = 3.0") == ["else"]
    decided = {
        (found.nodes[e.source].text, found.clusters[e.decides].text)
        for e in found.edges
        if e.decides is not None
    }
    test = "if x > 1.0 and flag"
    assert decided == {(test, "then"), (test, "else")}
    assert {("y = x * 2.0", "return y"), ("y = 3.0", "return y")} <= edges(found)
    assert ("y = 3.0", "return y") not in edges(found, active=True)


def test_loops_carry_values():
    def f(x, n):
        total = 0.0
        for i in range(n):
            total += x[i] ** 2
        while total > 1.0:
            total = total / 2.0
        return total

    found = graph(f)(np.ones(4), 3)
    assert is_well_formed(found)
    assert edges(found, carried=True) == {
        ("total += ·", "total += ·"),
        ("total = total / 2.0", "total = total / 2.0"),
        ("total = total / 2.0", "while total > 1.0"),
    }
    assert cluster(found, "x[i]") == cluster(found, "while total > 1.0") == ["repeated"]
    assert ("n", "for i in range(n)") in edges(found)
    assert ("for i in range(n)", "x[i]") in edges(found)
    reach = {s for s, t in edges(found) if t == "return total"}
    assert reach == {"total = 0.0", "total += ·", "total = total / 2.0"}


def test_a_value_of_one_iteration_is_not_carried():
    def f(x):
        total = 0.0
        for i in range(3):
            for j in range(2):
                y = x * 2.0
                total = total + y
        return total

    found = graph(f)(1.0)
    assert is_well_formed(found)
    assert edges(found, carried=True) == {("total = total + y", "total = total + y")}
    assert cluster(found, "y = x * 2.0") == ["repeated", "repeated"]


def test_jumps():
    def f(x, n):
        for i in range(n):
            if x > 100.0:
                break
            x = x * 2.0
        return x

    found = graph(f)(1.0, 3)
    assert is_well_formed(found)
    assert node(found, "leave the loop").role == "jump"
    assert cluster(found, "leave the loop") == ["then", "repeated"]
    assert ("x = x * 2.0", "if x > 100.0") in edges(found, carried=True)


def test_stores_read_the_array_and_the_value():
    def f(x, v):
        x = x.copy()
        x[0] = v * 2.0
        x[1:] += v
        return np.sum(x)

    found = graph(f, wrt=("x", "v"))(np.ones(3), 1.0)
    assert is_well_formed(found)
    into = {s for s, t in edges(found) if t == "x[0] = ·"}
    assert into == {"x = x.copy()", "v * 2.0"}
    assert {s for s, t in edges(found) if t == "x[1:] += v"} == {"x[0] = ·", "v"}
    assert not any("copy" in n.text for n in found.nodes if n.text != "x = x.copy()")


def test_what_is_only_printed_or_raised():
    def f(x):
        if x < 0.0:
            raise ValueError(f"negative: {x}")
        print(x, x * 2.0)
        with np.errstate(all="ignore"):
            y = np.log(x)
        return y

    found = graph(f)(1.0)
    assert is_well_formed(found)
    assert node(found, "print(x, ·)").role == "effect"
    assert node(found, "raise ValueError(·)").role == "effect"
    assert cluster(found, "y = np.log(x)") == ["with np.errstate(all='ignore')"]


def test_handlers_read_what_was_left():
    def f(x, key):
        y = x
        try:
            y = x * 2.0
            y = y * {"a": 1.0}[key]
        except KeyError as error:
            print(error)
            y = y + 1.0
        return y

    found = graph(f)(1.0, "a")
    assert is_well_formed(found)
    assert "return y" in {n.text for n in found.nodes}


def test_recursion_is_a_call():
    def power(x, n):
        return 1.0 if n == 0 else x * power(x, n - 1)

    def f(x, n):
        return power(x, n) * 2.0

    found = graph(f)(1.5, 3)
    assert is_well_formed(found)
    assert ("power(x, n)", "· * 2.0") in edges(found, active=True)


def test_what_nothing_reads_is_left_out():
    def f(x, n, unread):
        m = n
        if n > 2:
            return x
        return x * 1.0

    found = graph(f)(1.0, 3, 2.0)
    assert is_well_formed(found)
    assert {n.text for n in found.nodes if n.role == "argument"} == {"x", "n"}


@pytest.mark.written_out
def test_long_texts_are_cut():
    def f(x):
        return x * {"a": 1.0}["a"] + len("long " * 40) * 0.0 + g(x, "y" * 100)

    def g(x, text):
        print("a very long text", text, text)
        return x

    found = graph(f)(1.0)
    assert max(len(n.text) for n in found.nodes) == 72
    assert any(n.text.endswith("…") for n in found.nodes)


def test_what_shapes_derivatives():
    def f(x):
        scale = stop_gradient(np.max(x))
        with no_grad():
            y = x * 2.0
        h = hook(np.exp(x), lambda h_bar: np.clip(h_bar, -1.0, 1.0))
        return np.sum(h * scale) + np.sum(y) + np.sum(square(x))

    found = graph(f)(np.ones(3))
    assert is_well_formed(found)
    inactive = {n.text for n in found.nodes if not n.active}
    assert {"scale = stop_gradient(·)", "y = stop_gradient(·)", "np.max(x)"} <= inactive
    assert not {"h = hook(·)", "np.exp(x)", "square(x)"} & inactive


def test_solutions_are_operations():
    def f(a, start):
        y = fixed_point(lambda y, a: 0.5 * (y + a / y), start, a)
        return y * 2.0

    found = graph(f)(2.0, 1.0)
    assert is_well_formed(found)
    assert any("_solution(" in n.text and n.active for n in found.nodes)


@custom_vjp
def square(x):
    return x * x


square.defvjp(lambda x: (square(x), x), lambda x, bar: 2.0 * x * bar)


def test_wrt_a_local_variable():
    def f(x):
        h = np.tanh(x)
        return np.sum(h * h)

    found = graph(f, wrt="h")(np.ones(3))
    assert is_well_formed(found)
    assert [n.text for n in found.nodes] == [
        "x",
        "h = np.tanh(x)",
        "h * h",
        "np.sum(·)",
        "return ·",
    ]
    assert edges(found, active=False) == {("x", "h = np.tanh(x)")}


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "name",
    [
        "geometry.quaternion_chain",
        "graphs.bellman_ford",
        "language.logic",
        "recurrent.lstm",
        "in_place_solvers.lu_with_pivots",
    ],
)
def test_larger_programs(name):
    program = all_programs()[name]
    found = graph(program.function, program.wrt)(*program.arguments)
    assert is_well_formed(found)
    assert any(n.role == "result" and n.active for n in found.nodes)
    for n in found.nodes:
        assert n.text and "~" not in n.text and "s2sad" not in n.text
