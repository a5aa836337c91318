"""Structures that transpiled files keep, by what annotations say of them."""

from __future__ import annotations

import copy
import importlib.util
import sys
from typing import Any

import numpy as np
import pytest

from s2sad import grad
from s2sad.codegen.numba.options import NumbaOptions
from s2sad.errors import S2sadError, UnsupportedError
from tests.codegen.test_transpile import run, transpile

TEXT = """
import math
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Optional, TypedDict

import numpy as np
from numpy.typing import NDArray


@dataclass
class Node:
    sort: Literal["leaf", "sum", "product"]
    value: float
    kids: list["Node"]


def evaluated(node: Node) -> float:
    if node.sort == "leaf":
        return math.sin(node.value)
    left, right = evaluated(node.kids[0]), evaluated(node.kids[1])
    return math.tanh(left + right) if node.sort == "sum" else left * right


class Link:
    def __init__(self, weight: float, behind: "Link | None"):
        self.weight = weight
        self.behind = behind

    @property
    def squared(self):
        return self.weight**2


def chained(link: Link, scale: float) -> float:
    total = 0.0
    while link is not None:
        total = scale * total + link.squared
        link = link.behind
    return total


def scored(weights: dict[str, float], text: list[str]) -> float:
    state = 0.0
    for word in text:
        state = math.tanh(0.9 * state + weights[word])
    return state


@dataclass(frozen=True)
class Layer:
    w: np.ndarray[tuple[int, int], np.dtype[np.float64]]
    b: np.ndarray[tuple[int], np.dtype[np.float64]]

    def __call__(self, x):
        return np.tanh(self.w @ x + self.b)


@dataclass
class Model:
    layers: list[Layer]
    scale: float = 1.0

    def loss(self, x: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
        for layer in self.layers:
            x = layer(x)
        return self.scale * np.sum(x * x)


def loss(model: Model, x: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
    return model.loss(x)


@dataclass
class Circle:
    r: float

    def area(self):
        return 3.0 * self.r**2


@dataclass
class Square:
    a: float

    def area(self):
        return self.a**2


class Ring(Circle):
    inner: float = 0.5


def areas(shapes: list[Circle | Square]) -> float:
    return sum(shape.area() ** 2 for shape in shapes)


def told_apart(shapes: list[Optional[Circle | Square]], k: float) -> float:
    total = 0.0
    for shape in shapes:
        if shape is None:
            total += k
        elif isinstance(shape, Circle):
            total += k * shape.r**3
        else:
            total -= shape.a
    return total


def rates(table: dict[str, list[float]], w: dict[int, Optional[float]]) -> float:
    total = 0.0
    for name, xs in table.items():
        for x in xs:
            total += x**2
    for k, v in w.items():
        if v is not None:
            total += k * v
    return total


class Step(TypedDict):
    rate: float
    name: str


def paced(steps: list[Step], spans: list[tuple[int, float]]) -> float:
    total = 0.0
    for step, (times, span) in zip(steps, spans):
        total = math.sin(total) + step["rate"] * span * times
    return total


class Task:
    def __init__(self, cost: float, after: list["Task"], note=None):
        self.cost = cost
        self.after = after
        self.note = note


def visited(root: Task, rate: float) -> float:
    total = 0.0
    stack = [root]
    while stack:
        task = stack.pop()
        total = rate * total + task.cost**2
        stack.extend(task.after)
    return total


@dataclass
class Particle:
    pos: NDArray[np.float64]
    mass: float
    tags: list[str]
    label: str | None = None


def attracted(particles: list[Particle], g: float) -> float:
    total = 0.0
    for k, p in enumerate(particles):
        for q in particles[k + 1 :]:
            d = p.pos - q.pos
            total -= g * p.mass * q.mass / math.sqrt(d @ d + 0.01)
    return total


@dataclass
class Job:
    cost: float
    after: list[int]


def scheduled(jobs: list[Job], rate: float) -> float:
    ends = []
    for job in jobs:
        start = max((ends[k] for k in job.after), default=0.0)
        ends.append(start + job.cost * rate)
    return sum(end**2 for end in ends)


@dataclass
class Bag:
    items: list[float]
    k: float

    def __len__(self):
        return len(self.items)

    def __getitem__(self, place):
        return self.items[place]

    def __iter__(self):
        return iter(self.items)

    def __bool__(self):
        return self.k > 0.0

    def __eq__(self, other):
        return self.k == other.k


class Base:
    def __init__(self, w: float):
        self.w = w

    def out(self, x):
        return self.w * x


class Derived(Base):
    signs = 1, -1

    def __init__(self, w: float, b: float):
        super().__init__(w)
        self.b = b

    def out(self, x):
        return super().out(x) + self.b**2


@dataclass
class Leaf:
    value: float


@dataclass(frozen=True)
class Scaled:
    of: "Expression"
    factors: tuple[float, float]


@dataclass
class Sum:
    parts: list["Expression"]
    weights: tuple[float, ...] = ()


Expression = Leaf | Scaled | Sum


def of_expression(e: Expression) -> float:
    if isinstance(e, Leaf):
        return math.sin(e.value)
    if isinstance(e, Scaled):
        return e.factors[0] * of_expression(e.of) + e.factors[1]
    return math.tanh(sum(w * of_expression(p) for w, p in zip(e.weights, e.parts)))


def bagged(bags: list[Bag], bases: list[Base | Derived]) -> float:
    total = 0.0
    for bag in bags:
        if bag:
            total += bag.k * len(bag)
        if bag == bags[0]:
            total += sum(v * v for v in bag) + bag[1]
    for base in bases:
        total += base.out(2.0)
        if isinstance(base, Derived):
            total += base.b * base.signs[1]
        elif isinstance(base, Base):
            total += base.w
    return total
"""


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("structures") / "kept_source.py"
    path.write_text(TEXT)
    return path


def loaded(path):
    """The module of a file."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def source(path):
    module = loaded(path)
    yield module
    del sys.modules[module.__name__]


def tree(source: Any, n: int) -> Any:
    if n < 2:
        return source.Node("leaf", 0.3 + 0.1 * n, [])
    sort = "sum" if n % 2 else "product"
    return source.Node(sort, 0.0, [tree(source, n // 2), tree(source, n - n // 2)])


def chain(source: Any, n: int) -> Any:
    link = None
    for k in range(n):
        link = source.Link(0.5 + (k % 7) / 9.0, link)
    return link


def layers(source: Any, n: int) -> list[Any]:
    rng = np.random.default_rng(0)
    return [source.Layer(rng.normal(size=(3, 3)), np.ones(3)) for _ in range(n)]


def shapes(source: Any, n: int) -> list[Any]:
    shared = source.Circle(3.0)
    own = [source.Circle(1.0 + k) if k % 3 else source.Square(2.0) for k in range(n)]
    return [shared, *own, shared]


def tasks(source: Any, n: int) -> Any:
    made = [source.Task(0.1 * k, []) for k in range(n)]
    for k in range(1, n):
        made[(k - 1) // 2].after.append(made[k])
    return made[0]


def expression(source: Any, n: int) -> Any:
    if n < 2:
        return source.Leaf(0.3 * n + 0.1)
    if n % 2:
        return source.Scaled(expression(source, n // 2), (0.5, 1.0 / n))
    parts = [expression(source, n // 3), expression(source, n // 2)]
    return source.Sum([*parts, parts[0]], (0.5, -0.3, 0.7))


ARGUMENTS = {
    "of_expression": lambda s, n: (s.Scaled(expression(s, n), (2.0, 3.0)),),
    "evaluated": lambda s, n: (tree(s, n),),
    "chained": lambda s, n: (chain(s, n), 0.9),
    "scored": lambda s, n: (
        {f"w{k}": 0.1 * k for k in range(n)},
        [f"w{k % n}" for k in range(3 * n)],
    ),
    "loss": lambda s, n: (s.Model(layers(s, n), 2.0), np.ones(3)),
    "areas": lambda s, n: (shapes(s, n),),
    "told_apart": lambda s, n: ([*shapes(s, n), None], 0.5),
    "rates": lambda s, n: (
        {f"t{k}": [1.0 * k] * (k % 3) for k in range(n)},
        {k: None if k % 3 else 1.0 * k for k in range(n)},
    ),
    "paced": lambda s, n: (
        [{"rate": 0.1 * k, "name": "step"} for k in range(n)],
        [(k, 0.01 * k) for k in range(n + 1)],
    ),
    "visited": lambda s, n: (tasks(s, n), 0.7),
    "attracted": lambda s, n: (
        [
            s.Particle(np.full(3, 0.1 * k), 1.0 + k, ["a"], None if k % 2 else "b")
            for k in range(n)
        ],
        1.1,
    ),
    "scheduled": lambda s, n: (
        [s.Job(1.0 + k, [j for j in range(k) if (j + k) % 3 == 0]) for k in range(n)],
        0.7,
    ),
    "bagged": lambda s, n: (
        [s.Bag([1.0 * k, 2.0, 3.0], 1.0 if k % 2 else -1.0) for k in range(n)],
        [s.Derived(1.0, 0.1 * k) if k % 2 else s.Base(2.0) for k in range(n)],
    ),
}


def plain(value: Any) -> Any:
    """A structure as tuples that can be compared, with the names of classes."""
    if isinstance(value, list | tuple):
        return type(value).__name__, *map(plain, value)
    if isinstance(value, dict):
        return tuple((key, plain(item)) for key, item in value.items())
    if isinstance(value, np.ndarray):
        return np.round(value, 9).tolist()
    if hasattr(value, "__dict__"):
        return type(value).__name__, plain(vars(value))
    return round(value, 9) if isinstance(value, float) else value


@pytest.mark.parametrize("name", ARGUMENTS)
@pytest.mark.parametrize("size", [6, pytest.param(90, marks=pytest.mark.long)])
def test_files_give_the_gradients_of_live_functions(path, source, name, size):
    file = vars(run(transpile(path, name)))
    arguments = ARGUMENTS[name](source, size)
    before = plain(copy.deepcopy(arguments))
    expected = plain(grad(getattr(source, name))(*arguments))
    assert plain(file[f"{name}_grad"](*arguments)) == expected
    value, gradient = file[f"{name}_value_and_grad"](*arguments)
    # from Python 3.12 on sum() of floats rounds once for all
    assert np.isclose(value, getattr(source, name)(*arguments), rtol=1e-13)
    assert plain(gradient) == expected
    assert plain(arguments) == before


def test_shared_objects_have_one_gradient(path, source):
    value = shapes(source, 6)
    gradient = run(transpile(path, "areas")).areas_grad(value)
    assert type(gradient[0]) is source.Circle
    assert gradient[0] is gradient[-1]
    assert gradient[0] is not value[0]


FROZEN = """
from dataclasses import dataclass


@dataclass(frozen=True)
class Flat:
    x: float


def squares(items: list[Flat]) -> float:
    return sum(item.x**2 for item in items)
"""


def test_shared_frozen_objects_are_made_once(tmp_path):
    path = tmp_path / "frozen_source.py"
    path.write_text(FROZEN)
    flat = loaded(path).Flat
    value = [flat(1.0), flat(2.0)] * 3
    gradient = run(transpile(path, "squares")).squares_grad(value)
    assert gradient == [flat(6.0), flat(12.0)] * 3
    assert gradient[0] is gradient[2]


def test_long_chains_need_no_recursion(path, source):
    link = chain(source, 100_000)
    gradient = run(transpile(path, "chained")).chained_grad(link, 0.5)
    assert type(gradient) is source.Link
    assert gradient.weight == pytest.approx(2 * link.weight * 0.5**99_999)


def test_methods(path, source):
    file = vars(run(transpile(path, "Model.loss", wrt=("self",))))
    model, x = source.Model(layers(source, 9), 2.0), np.ones(3)
    expected = plain(grad(source.loss)(model, x))
    assert plain(file["loss_grad"](model, x)) == expected


def test_files_hold_several_structures_of_one_name(path, source):
    file = vars(run(transpile(path, "areas", "told_apart")))
    for name in ("areas", "told_apart"):
        arguments = ARGUMENTS[name](source, 6)
        expected = plain(grad(getattr(source, name))(*arguments))
        assert plain(file[f"{name}_grad"](*arguments)) == expected


def more(value: Any) -> Any:
    value.area = 2.0
    return value


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    "name, change, error",
    [
        ("areas", lambda s: ([s.Circle(1.0), s.Ring(2.0)],), "must be a Circle or a S"),
        ("areas", lambda s: ((s.Circle(1.0),),), "shapes must be a list"),
        ("areas", lambda s: ([s.Circle(1)],), "Circle.r must be of type float"),
        ("areas", lambda s: ([s.Circle(1.0), None],), "an item of shapes must be a"),
        ("areas", lambda s: ([more(s.Circle(1.0))],), "without attributes but 'r'"),
        ("chained", lambda s: (s.Link(1.0, s.Square(1.0)), 1.0), "Link.behind must be"),
        ("rates", lambda s: ({"a": [1.0, None]}, {}), "must be of type float"),
        ("loss", lambda s: (s.Model([1.0]), np.ones(3)), "of model.layers must be a L"),
        (
            "loss",
            lambda s: (s.Model([s.Layer(np.ones(3), np.ones(3))]), np.ones(3)),
            "Layer.w must be an array of float64 of 2 axes",
        ),
        ("paced", lambda s: ([{"rate": 1.0}], []), "a dict of rate, name"),
        ("paced", lambda s: ([], [(1, 1.0, 2.0)]), "must be a tuple of 2"),
    ],
)
def test_other_arguments_are_refused(path, source, name, change, error):
    file = vars(run(transpile(path, name)))
    with pytest.raises(TypeError, match=error):
        file[f"{name}_grad"](*change(source))


REFUSED = """
class Untold:
    def __init__(self, x: float, other):
        self.x = x
        self.other = other


def untold(items: list[Untold]):
    return sum(item.x * hash(item.other) for item in items)


def keyed(items: dict[list, float]):
    return sum(k[0] * v for k, v in items.items())


def unread(items: list[list]):
    return sum(item[0] for item in items)
"""


@pytest.mark.parametrize(
    "name, reason",
    [
        ("unread", "of kind unknown(.|\n)*annotate what it is, as in list"),
        ("untold", "the annotations of Untold don't say what other holds"),
        ("keyed", "unknown"),
    ],
)
def test_what_annotations_do_not_tell_is_refused(tmp_path, name, reason):
    path = tmp_path / "refused.py"
    path.write_text(REFUSED)
    with pytest.raises(UnsupportedError, match=reason):
        transpile(path, name)


def test_classes_of_one_name_are_refused(tmp_path):
    for name, value in (("first", "x"), ("second", "2.0 * x")):
        (tmp_path / f"{name}.py").write_text(
            "from dataclasses import dataclass\n\n\n"
            "@dataclass\nclass Node:\n    v: float\n\n"
            f"    def of(self, x):\n        return self.v * {value}\n"
        )
    path = tmp_path / "both.py"
    path.write_text(
        "import first\nimport second\n\n\n"
        "def both(nodes: list[first.Node | second.Node], x: float) -> float:\n"
        "    return sum(node.of(x) for node in nodes)\n\n\n"
        "def one(nodes: list[second.Node], x: float) -> float:\n"
        "    return sum(node.of(x) for node in nodes)\n"
    )
    with pytest.raises(UnsupportedError, match="of kind unknown"):
        transpile(path, "both")
    assert "def one_grad(" in transpile(path, "one")


NOT_WRITTEN = """
from dataclasses import dataclass
from typing import Optional

import numpy as np
from numpy.typing import NDArray

@dataclass
class Layer:
    w: NDArray[np.float64]
    b: Optional[NDArray[np.float64]]
    g: np.float32


@dataclass
class Wave:
    z: complex


def mixed(items: list[list[float] | tuple[float, float]]) -> float:
    return sum(item[0] for item in items)


def layered(layers: list[Layer], x: NDArray[np.float64]) -> float:
    for layer in layers:
        x = np.tanh(layer.w @ x)
        if layer.b is not None:
            x = x + layer.b * layer.g
    return np.sum(x)


def waves(items: list[Wave]) -> float:
    return sum(abs(item.z) ** 2 for item in items)
"""


@pytest.fixture
def not_written(tmp_path):
    path = tmp_path / "not_written.py"
    path.write_text(NOT_WRITTEN)
    return path


@pytest.mark.parametrize(
    "name, reason",
    [
        ("mixed", "items holds lists beside tuples at one place, .* one kind"),
        ("waves", "items holds complex numbers"),
    ],
)
def test_what_passes_are_not_written_for_is_refused(not_written, name, reason):
    with pytest.raises(S2sadError, match=reason):
        transpile(not_written, name)


def test_what_is_not_differentiated_may_be_none(not_written):
    file = run(transpile(not_written, "layered", wrt=("x",)))
    source, x = loaded(not_written), np.ones(3)
    rng = np.random.default_rng(0)
    some = [
        source.Layer(rng.normal(size=(3, 3)), None if k % 2 else x, np.float32(0.5))
        for k in range(6)
    ]
    gradient = file.layered_grad(some, x)
    for k, unit in enumerate(np.eye(3)):
        ahead, behind = (source.layered(some, x + h * unit) for h in (1e-6, -1e-6))
        assert gradient[k] == pytest.approx((ahead - behind) / 2e-6, abs=1e-6)
    some[0].b = np.ones(3, int)
    with pytest.raises(TypeError, match="Layer.b must be an array of float64 or None"):
        file.layered_grad(some, x)


def test_numba_holds_no_structures(path):
    with pytest.raises(S2sadError, match="Numba"):
        transpile(path, "chained", numba=NumbaOptions())
