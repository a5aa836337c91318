"""Files for functions without annotations: what they are given is told by how they read
it, and checked when the file runs."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

from s2sad import grad
from s2sad.errors import S2sadError
from s2sad.source.static.module import static_functions
from s2sad.source.uses.deduced import deduced
from tests.codegen import unannotated as programs
from tests.codegen.test_transpile import run, transpile
from tests.codegen.test_transpiled_structures import plain

PATH = Path(programs.__file__)
rng = np.random.default_rng(0)


def floats(n: int) -> list[float]:
    return rng.normal(size=n).tolist()


def chain(n: int) -> Any:
    link = None
    for k in range(n):
        link = programs.Link(0.5 + (k % 7) / 9.0, link)
    return link


def layers(n: int) -> list[Any]:
    """With biases that are numbers beside such that are arrays."""
    sizes: list[Any] = [(), (3,)]
    made = [rng.normal(size=(3, 3)) for _ in range(n)]
    biases = [rng.normal(size=sizes[k % 2]) for k in range(n)]
    return [
        programs.Layer(w, b if np.ndim(b) else float(b)) for w, b in zip(made, biases)
    ]


def shapes(n: int) -> list[Any]:
    return [
        programs.Circle(1.0 + k) if k % 3 else programs.Square(2.0) for k in range(n)
    ]


def tasks(n: int) -> Any:
    made = [programs.Task(0.1 * k, []) for k in range(max(n, 1))]
    for k in range(1, n):
        made[(k - 1) // 2].after.append(made[k])
    return made[0]


def tree(n: int) -> Any:
    if n < 2:
        return programs.Node("leaf", 0.3 + 0.1 * n, [])
    sort = "sum" if n % 2 else "product"
    return programs.Node(sort, 0.0, [tree(n // 2), tree(n - n // 2)])


def cells(n: int) -> Any:
    cell = None
    for k in range(n):
        cell = programs.Cell(0.1 * (k % 7), cell)
    return cell


def expression(n: int) -> Any:
    if n < 2:
        return programs.Leaf(0.3 + 0.1 * n)
    of = programs.Sum if n % 2 else programs.Prod
    return of(expression(n // 2), expression(n - n // 2))


def jobs(n: int) -> list[Any]:
    waited = [
        [j for j in range(max(0, k - 5), k) if (j + k) % 3 == 0] for k in range(n)
    ]
    return [programs.Job(1.0 + k % 7, after) for k, after in enumerate(waited)]


def orders(n: int) -> list[Any]:
    item = {"price": 2.0, "count": 3.0}
    return [
        {"items": [dict(item)] * (k % 3), "paid": k % 2 == 0, "discount": 0.1 * k}
        for k in range(n)
    ]


def named(n: int) -> dict[str, float]:
    return {f"n{k}": 0.1 * k for k in range(n)}


PARAMETERS = {
    "w1": np.full((3, 3), 0.2),
    "b1": np.ones(3),
    "w2": np.full((2, 3), 0.3),
    "scale": 0.5,
}
ARGUMENTS = {
    "squares": lambda n: (floats(n),),
    "steps": lambda n: (floats(n), 0.3),
    "popped": lambda n: (floats(n),),
    "moving": lambda n: (floats(n), 3),
    "ends": lambda n: (floats(max(n, 1)),),
    "weighted": lambda n: (floats(n), 0.5),
    "gathered": lambda n: (floats(n), list(range(n))[::-1]),
    "highest": lambda n: ([floats(2) for _ in range(max(n, 1))],),
    "row_sums": lambda n: ([rng.normal(size=3) for _ in range(n)], np.ones(3)),
    "dist": lambda n: ([(0.1 * k, 1.0 / (k + 1)) for k in range(n)],),
    "spread": lambda n: ([programs.Point(0.1 * k, 1.0) for k in range(n)],),
    "by_key": lambda n: (named(n),),
    "looked_up": lambda n: (named(n), [f"n{k}" for k in range(n)]),
    "scored": lambda n: (named(n), " ".join(f"n{k % (n + 1)}" for k in range(2 * n))),
    "neighbours": lambda n: (
        named(n),
        {f"n{k}": [f"n{(3 * k + 1) % n}", f"n{k // 2}"] for k in range(n)},
    ),
    "rates": lambda n: (
        {f"t{k}": floats(k % 3) for k in range(n)},
        {k: None if k % 3 else 0.1 * k for k in range(n)},
    ),
    "paced": lambda n: (
        [{"rate": 0.1 * k, "more": 1.0} for k in range(n)],
        [(1.0 * k, 0.01 * k) for k in range(n + 1)],
    ),
    "shares": lambda n: (orders(n),),
    "eldest": lambda n: ([{"age": 1.0 + k % 9} for k in range(max(n, 1))],),
    "mlp": lambda n: (PARAMETERS, np.ones(3)),
    "energy": lambda n: ([programs.Spring(0.1 * k, 1.0) for k in range(n)], 0.3),
    "areas": lambda n: (shapes(n),),
    "told_apart": lambda n: (shapes(n), 0.5),
    "chained": lambda n: (chain(n), 0.9),
    "evaluated": lambda n: (tree(n),),
    "visited": lambda n: (tasks(n), 0.7),
    "scheduled": lambda n: (jobs(n), 7e-4),
    "attracted": lambda n: (
        [programs.Particle(np.full(3, 0.1 * k), 1.0 + k) for k in range(min(n, 60))],
        1.1,
    ),
    "net": lambda n: (layers(n), np.ones(3)),
    "loss": lambda n: (programs.Model(layers(n), 2.0), np.ones(3)),
    "linked": lambda n: (cells(min(n, 800)),),
    "of_bases": lambda n: (
        [
            programs.Derived(1.0, 0.1 * k) if k % 2 else programs.Base(2.0)
            for k in range(n)
        ],
    ),
    "evaluated_by_class": lambda n: (expression(n),),
    "moved": lambda n: ([programs.Body(0.1 * k, 1.0) for k in range(n)], 0.1),
    "half_told": lambda n: ([programs.Told(0.1 * k, 2.0) for k in range(n)],),
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", ARGUMENTS)
def test_files_give_the_gradients_of_live_functions(name):
    file = vars(run(transpile(PATH, name)))
    function = getattr(programs, name)
    for size in (0, 1, 5, 5000):
        arguments = ARGUMENTS[name](size)
        if (
            name in ("chained", "linked") and size > 500
        ):  # which comparing would recurse into
            file[f"{name}_grad"](*arguments)
            continue
        before = plain(arguments)
        found = plain(file[f"{name}_grad"](*arguments))
        value, gradient = file[f"{name}_value_and_grad"](*arguments)
        assert plain(gradient) == found and plain(arguments) == before
        try:
            assert found == plain(grad(function)(*arguments))
        except S2sadError as error:
            assert size < 2 and ("can't be" in str(error) or name == "linked")
        assert np.isclose(value, function(*copy.deepcopy(arguments)), rtol=1e-12)


def own(value: Any) -> Any:
    class Spring(programs.Spring):
        pass

    class Other(programs.Spring):
        pass

    return Other(value, value)


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("squares", (np.ones(2),), "type ndarray: pass a list"),
        ("squares", ((1.0, 2.0),), "type tuple: pass a list"),
        ("squares", ([1.0, 2],), r"xs\[1\] is of type int"),
        ("squares", ([1.0, None],), r"xs\[1\] is of type NoneType"),
        ("squares", ([np.ones(2)],), r"xs\[0\] is an array"),
        ("steps", ([1.0, 2.0], np.ones(2)), "rate must be float"),
        ("by_key", ([1.0],), "d must be a dict"),
        ("by_key", ({"a": np.ones(2)},), "an item of d must be of type float"),
        ("looked_up", ([1.0], [0]), "weights must be a dict"),
        ("gathered", ({0: 1.0}, [0]), "type dict: pass a list"),
        ("gathered", ([1.0], ["a"]), "an item of order must be of type int"),
        ("rates", ({"a": [1.0]}, {1.5: 2.0}), "a key of w must be of type int"),
        (
            "paced",
            ([{"rate": 1.0, "name": "a"}], [(1.0, 1.0)]),
            "must be of type float",
        ),
        ("dist", ([[0.0, 1.0]],), "an item of points must be a tuple"),
        ("dist", ([(0.0, 1.0, 2.0)],), "must be a tuple of 2"),
        ("shares", ([{"items": []}],), "a dict of items, paid, discount"),
        ("energy", ([programs.Circle(1.0)], 1.0), "must be a Spring"),
        ("energy", ([own(1.0)], 1.0), "must be a Spring"),
        ("energy", ([programs.Spring(1.0, np.ones(2))], 1.0), "Spring.rest must be"),
        ("areas", ([programs.Circle(1.0), None],), "must be a Circle or a Square"),
        ("areas", ([programs.Circle(1)],), "Circle.r must be of type float"),
        (
            "chained",
            (programs.Link(1.0, programs.Circle(1.0)), 1.0),
            "Link.behind must",
        ),
        (
            "evaluated",
            (programs.Node("leaf", [1.0], []),),
            "Node.value must be of type",
        ),
        ("net", ([programs.Layer(np.ones((3, 3)), 1)], np.ones(3)), "Layer.b must be"),
        ("net", ([programs.Layer(1.0, 1.0)], np.ones(3)), "Layer.w must be an array"),
        ("mlp", ({"w1": [[1.0]]}, np.ones(1)), "must be an array of floats or a float"),
        ("half_told", ([programs.Told(1.0, "a")],), "Told.other must be of type float"),
    ],
)
def test_other_data_is_refused(name, arguments, words):
    file = vars(run(transpile(PATH, name)))
    with pytest.raises(TypeError, match=words):
        file[f"{name}_grad"](*arguments)


READ = {
    "def f(x): return x * x": {},
    "def f(x): return x[0] * x[1]": {"x": "list[float]"},
    "def f(xs): return max(xs) - min(xs)": {"xs": "list[float]"},
    "def f(rows): return sum(sum(x * x for x in row) for row in rows)": {
        "rows": "list[list[float]]"
    },
    "def f(d):\n    for k, v in d.items():\n        if k.startswith('w'): return v": {
        "d": "dict[str, float]"
    },
    "def f(d): return d['a'] * d['b'][0]": {"d": "Record"},
    "def f(it):\n    match it:\n        case {'a': a, 'b': [b, c]}: return a * b": {
        "it": "Record"
    },
    "def f(d, k): return d[k] if k in d else 0.0": {"d": "dict[str, float]"},
    "def f(d, n): return sum(d.get(k, 0.0) for k in range(n))": {
        "d": "dict[int, float]",
        "n": "int",
    },
    "def f(xs):\n    while isinstance(xs, list): xs = xs[0]\n    return xs": {},
    "def f(xs):\n    xs[0] = xs\n    return xs[0][0]": {"xs": "list[list[Any]]"},
    "def f(g, xs): return sum(g(x) for x in xs)": {"xs": "list[Any]"},
    "def f(x):\n    for k in range(3): x = [x]\n    return x": {},
    "def f(q):\n    q.appendleft(1.0)\n    return q[0]": {"q": "deque[float]"},
}


@pytest.mark.parametrize(
    ("signature", "accepted", "refused"),
    [
        ("squares(xs: tuple[float, ...])", (1.0, 2.0), [1.0, 2.0]),
        ("squares(xs: float64[:])", np.array([1.0, 2.0]), [1.0, 2.0]),
        ("areas(shapes: list[Circle])", shapes(4)[1:3], shapes(4)),
        ("visited(root: Task)", tasks(3), programs.Job(1.0, [])),
    ],
)
def test_signatures_say_what_else_is_meant(signature, accepted, refused):
    name = signature.partition("(")[0]
    file = vars(run(transpile(PATH, name, signatures=(signature,))))
    rest = (0.7,) if name == "visited" else ()
    function = getattr(programs, name)
    expected = grad(function)(accepted, *rest)
    assert plain(file[f"{name}_grad"](accepted, *rest)) == plain(expected)
    with pytest.raises(TypeError):
        file[f"{name}_grad"](refused, *rest)


@pytest.mark.parametrize(
    ("signature", "words"),
    [
        ("squares(xs: list[Foo])", "list.Foo. doesn't say what xs holds"),
        ("squares(xs: list[float)", "expected `,` or `.`|can't stand here"),
        ("squares(xs: lst[float])", "is not a kind"),
    ],
)
def test_signatures_that_say_too_little(signature, words):
    with pytest.raises(S2sadError, match=words):
        transpile(PATH, "squares", signatures=(signature,))


def called(annotation: Any) -> str:
    name = str(annotation) if get_args(annotation) else annotation.__name__
    return name.replace("typing.", "").replace("collections.", "")


@pytest.mark.parametrize("text", READ)
def test_what_parameters_are_read_as(tmp_path, text):
    path = tmp_path / "read.py"
    path.write_text(text + "\n")
    found = deduced(static_functions(path).functions["f"]).parameters
    assert {name: called(told) for name, told in found.items()} == READ[text]
