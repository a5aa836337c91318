"""Classes with slots, NamedTuples, keys that are numbers, and numbers beside None and
ints, in the structures that transpiled files keep."""

from __future__ import annotations

import copy
import re
from collections import deque
from typing import Any

import numpy as np
import pytest

from s2sad.errors import S2sadError, UnsupportedError
from tests.codegen.test_transpile import run, transpile
from tests.codegen.test_transpiled_structures import loaded

TEXT = """
import math
from collections import deque
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Optional

import numpy as np
from numpy.typing import NDArray


@dataclass(slots=True)
class Slotted:
    limit: ClassVar[float] = 2.0
    x: float
    kids: list["Slotted"]


@dataclass(frozen=True, slots=True)
class Rod:
    k: float
    after: "tuple[Rod, ...]"
    name: str = "a"


class Base:
    __slots__ = "cost", "spare"

    def __init__(self, cost: float):
        self.cost = cost


class Loose(Base):
    def __init__(self, cost: float, w: float):
        super().__init__(cost)
        self.w = w


class Spring(NamedTuple):
    k: float
    rest: float

    @property
    def twice(self):
        return 2.0 * self.k


class Joint(NamedTuple):
    angle: float
    at: Spring
    kids: "list[Joint]"


@dataclass
class Circle:
    r: float


@dataclass
class Square:
    a: float


@dataclass
class Item:
    x: Optional[float]
    y: float | int
    w: Optional[NDArray[np.float64]]
    f: Optional[np.float32] = None


@dataclass(frozen=True)
class Frozen:
    x: float | int | None


@dataclass
class Fork:
    left: "float | Fork"
    right: "Fork | float | NDArray[np.float64]"


def folded(fork: Fork) -> float:
    total = 0.0
    for side in (fork.left, fork.right):
        if isinstance(side, Fork):
            total = 0.7 * total + math.sin(folded(side))
        elif isinstance(side, np.ndarray):
            total = total + np.sum(side**2)
        else:
            total = total + side**2
    return total


def walked(items: "list[float | int | list[float]]") -> float:
    total = 0.0
    for item in items:
        if isinstance(item, list):
            for x in item:
                total = total + x**2
        else:
            total = 0.5 * total + item * 3.0 + item**2
    return total


def slotted(items: list[Slotted]) -> float:
    return sum(item.x**2 + item.limit * len(item.kids) for item in items)


def rods(rod: Rod) -> float:
    return rod.k**2 * (1.0 + sum(rods(r) for r in rod.after))


def bases(items: list[Base | Loose]) -> float:
    total = 0.0
    for item in items:
        total = 0.9 * total + item.cost**2
        if isinstance(item, Loose):
            total += item.w**3
    return total


def springs(items: list[Spring], s: float) -> float:
    total = 0.0
    for spring in items:
        k, rest = spring
        total = s * total + spring.twice * rest**2 + k * spring[1]
    return total


def posed(joint: Joint, s: float) -> float:
    total = math.sin(joint.angle) * joint.at.k + s * joint[1].rest
    for kid in joint.kids:
        total += posed(kid, s * joint.angle)
    return total


def table(springs: dict[str, Spring]) -> float:
    return sum(s.k**2 * s[1] for s in springs.values())


def keyed(items: dict[float, float], w: float) -> float:
    return sum(w * k * v**2 for k, v in items.items())


def paired(items: dict[tuple[int, int], float]) -> float:
    return sum(i * v**2 + j for (i, j), v in items.items())


def typed(items: list[Circle | Square | Spring | None]) -> float:
    total = 0.0
    for item in items:
        cls = type(item)
        if cls == Circle:
            total += item.r**2
        elif cls is not Square and item is not None:
            total += item.k * item.rest
        elif type(item) in (Square, Circle):
            total += item.a**3
        if type(item) not in (Square, Circle, type(None)):
            total += item.k**2
        if type(item) is Base:
            total += 100.0
    return total


def matched(items: list[Circle | Square | Spring]) -> float:
    total = 0.0
    for item in items:
        match item:
            case Circle(r):
                total += r**2
            case Square(a=a) if a > 1.5:
                total += a**3
            case Spring(k, rest):
                total += k * rest
    return total


def optional(items: list[Item]) -> float:
    total = 0.0
    for item in items:
        if item.x is not None:
            total += item.x**2
        total = 0.7 * total + item.y * 3.0
        if item.w is not None:
            total += np.sum(item.w**2)
        if item.f is not None:
            total += 2.0 * item.f
    return total


def queued(
    items: deque[Slotted | list[float] | deque[float] | None], chosen: set[str]
) -> float:
    total = 0.0
    for item in items:
        if isinstance(item, Slotted):
            total = 0.9 * total + item.x**2
        elif item is not None and "a" in chosen:
            total += item[0] ** 2 * len(item)
    return total


def pairs(items: dict[str, deque[tuple[float, float | None]]]) -> float:
    total = 0.0
    for row in items.values():
        for x, y in row:
            total += x**2 if y is None else x * y
    return total


def frozen(items: list[Frozen]) -> float:
    return sum(item.x**2 for item in items if item.x is not None)


def numbers(
    xs: list[Optional[float]], ys: list[float | int], z: dict[str, float | int]
) -> float:
    return (
        sum(x * x for x in xs if x is not None)
        + sum(y * y for y in ys)
        + sum(z.values())
    )
"""


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("forms") / "forms_source.py"
    path.write_text(TEXT)
    return path


@pytest.fixture(scope="module")
def source(path):
    return loaded(path)


def joints(s: Any, n: int) -> Any:
    kids = [joints(s, k) for k in (n // 2, n // 3)] if n > 1 else []
    return s.Joint(0.1 * n + 0.2, s.Spring(1.0 + n, 0.5), kids)


def rod_of(s: Any, n: int) -> Any:
    shared = rod_of(s, n // 2) if n > 1 else None
    return s.Rod(0.3 + 0.1 * n, (shared, shared) if shared else ())


def mixture(s: Any, n: int) -> list[Any]:
    makers = (
        lambda k: s.Circle(1.0 + k),
        lambda k: s.Square(0.5 * k),
        lambda k: s.Spring(1.0 + k, 2.0),
    )
    return [makers[k % 3](k / n) for k in range(n)]


def fork_of(s: Any, n: int) -> Any:
    right = np.ones(2) if n % 3 == 0 else 0.5 * n
    return s.Fork(0.1 * n + 0.2, fork_of(s, n - 1) if n % 7 else right)


ARGUMENTS = {
    "folded": lambda s, n: (s.Fork(fork_of(s, min(n, 40)), fork_of(s, n // 9 + 1)),),
    "walked": lambda s, n: (
        [[0.5 * k, 2.0] if k % 3 else (k, 0.1 * k)[k % 2] for k in range(n)],
    ),
    "slotted": lambda s, n: (
        [s.Slotted(1.0 * k, [s.Slotted(2.0, [])] * (k % 2)) for k in range(n)],
    ),
    "rods": lambda s, n: (rod_of(s, min(n, 40)),),
    "bases": lambda s, n: (
        [s.Loose(1.0 * k, 0.5) if k % 2 else s.Base(2.0) for k in range(n)],
    ),
    "springs": lambda s, n: ([s.Spring(1.0 + k / n, 0.5) for k in range(n)], 0.5),
    "posed": lambda s, n: (joints(s, min(n, 40)), 0.5),
    "table": lambda s, n: ({f"s{k}": s.Spring(1.0 + k, 0.5) for k in range(n)},),
    "keyed": lambda s, n: ({0.5 * k: 1.0 + k for k in range(n)}, 0.5),
    "paired": lambda s, n: ({(k, 2 * k): 1.0 + k for k in range(n)},),
    "typed": lambda s, n: ([*mixture(s, n), None],),
    "matched": lambda s, n: (mixture(s, n),),
    "optional": lambda s, n: (
        [
            s.Item(
                None if k % 3 else 1.0 * k,
                k if k % 2 else 0.5 * k,
                None if k % 4 else np.ones(2),
            )
            for k in range(n)
        ],
    ),
    "queued": lambda s, n: (
        deque(
            [
                (s.Slotted(1.0 * k, []), [2.0], deque([1.0 * k], 4), None)[k % 4]
                for k in range(n)
            ]
        ),
        {"a"},
    ),
    "pairs": lambda s, n: (
        {f"p{k}": deque([(1.0 * k, 2.0), (3.0, None)], 5) for k in range(n)},
    ),
    "frozen": lambda s, n: (
        [s.Frozen((None, k, 0.5 * k)[k % 3]) for k in range(n)] * 2,
    ),
    "numbers": lambda s, n: (
        [None if k % 3 else 1.0 * k for k in range(n)],
        [k if k % 2 else 0.5 * k for k in range(n)],
        {f"z{k}": k if k % 2 else 0.5 * k for k in range(n)},
    ),
}


def numbers_in(value: Any, into: list[tuple[Any, Any, str]]) -> None:
    """Where the floats stand that can be changed."""
    if isinstance(value, list | deque):
        places: Any = enumerate(value)
    elif isinstance(value, dict):
        places = value.items()
    else:
        names = [*getattr(value, "__dict__", {})]
        for cls in type(value).__mro__:
            own = getattr(cls, "__slots__", ())
            names += [own] if isinstance(own, str) else own
        places = [(name, getattr(value, name, None)) for name in names]
    for key, part in places:
        if type(part) is float:
            into.append(
                (value, key, "item" if isinstance(value, list | dict | deque) else "")
            )
        elif part is not None and not isinstance(part, str | int | float | np.generic):
            if not isinstance(part, np.ndarray):
                numbers_in(part, into)


def held(holder: Any, key: Any, sort: str) -> Any:
    return holder[key] if sort else getattr(holder, key)


def put(holder: Any, key: Any, sort: str, value: float) -> None:
    if sort:
        holder[key] = value
    else:
        object.__setattr__(holder, key, value)


def told(value: Any) -> str:
    """A structure as text."""
    return re.sub(r" object at \w+", "", repr(value))


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", ARGUMENTS)
def test_gradients_are_those_of_differences(path, source, name):
    file = vars(run(transpile(path, name)))
    for size in (1, 7, 60):
        arguments = ARGUMENTS[name](source, size)
        before = told(arguments)
        gradient = file[f"{name}_grad"](*arguments)
        value, again = file[f"{name}_value_and_grad"](*arguments)
        function = getattr(source, name)
        assert value == function(*arguments) and told(again) == told(gradient)
        assert told(arguments) == before
        assert type(gradient) is type(arguments[0])
        slots: list[Any] = []
        bars: list[Any] = []
        numbers_in(arguments[0], slots)
        numbers_in(gradient, bars)
        assert len(slots) == len(bars)
        for slot, bar in list(zip(slots, bars, strict=True))[:20]:
            here = held(*slot)
            results = []
            for step in (1e-6, -1e-6):
                put(*slot, here + step)
                results.append(function(*arguments))
                put(*slot, here)
            expected = (results[0] - results[1]) / 2e-6
            assert held(*bar) == pytest.approx(expected, rel=1e-4, abs=1e-4)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", ["slotted", "bases", "springs", "typed", "optional"])
def test_one_text_serves_all_sizes(path, source, name):
    file = vars(run(transpile(path, name)))
    gradient = file[f"{name}_grad"](*ARGUMENTS[name](source, 5000))
    assert len(gradient) >= 5000
    # an empty list has no derivatives, and no items
    empty = [[], *ARGUMENTS[name](source, 5)[1:]]
    assert file[f"{name}_grad"](*empty) == []


def test_named_tuples_stay_named(path, source):
    spring = source.Spring
    file = run(transpile(path, "springs", "table", "posed"))
    assert file.springs_grad([spring(2.0, 3.0)] * 2, 1.0) == [spring(21.0, 26.0)] * 2
    gradient = file.table_grad({"a": spring(2.0, 3.0)})
    assert gradient == {"a": spring(12.0, 4.0)} and type(gradient["a"]) is spring
    joint = source.Joint(0.0, spring(2.0, 3.0), [])
    assert file.posed_grad(joint, 0.5) == source.Joint(2.0, spring(0.0, 0.5), [])


def test_what_is_no_number_has_none(path, source):
    file = run(transpile(path, "optional", "frozen", "numbers"))
    shared = source.Item(None, 2, None, None)
    first, second = file.optional_grad([shared, shared])
    assert first is second and vars(first) == dict.fromkeys("xywf")
    item = source.Item(3.0, 0.5, np.ones(2), np.float32(0.5))
    (gradient,) = file.optional_grad([item])
    assert (gradient.x, gradient.y, gradient.f) == (pytest.approx(4.2), 3.0, 2.0)
    assert gradient.w.tolist() == [2.0, 2.0]
    one = source.Frozen(2)
    assert file.frozen_grad([one, source.Frozen(3.0), one]) == [
        *(source.Frozen(None), source.Frozen(6.0), source.Frozen(None))
    ]
    assert file.numbers_grad([None, 2.0], [1, 2.0], {}) == [None, 4.0]


def changed(value: Any, **attributes: Any) -> Any:
    value = copy.copy(value)
    for name, part in attributes.items():
        object.__setattr__(value, name, part)
    return value


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "name, change, error",
    [
        ("slotted", lambda s: [changed(s.Slotted(1.0, []), x=1)], "Slotted.x must be"),
        ("slotted", lambda s: [s.Base(1.0)], "must be a Slotted"),
        ("springs", lambda s: [(1.0, 2.0)], "must be a Spring"),
        ("springs", lambda s: [s.Spring(1.0, 2)], "rest must be of type float"),
        ("keyed", lambda s: {1: 1.0}, "a key of items must be of type float"),
        ("paired", lambda s: {(1, 2, 3): 1.0}, "a key of items must be a tuple of 2"),
        ("optional", lambda s: [s.Item(1, 2.0, None)], "Item.x must be of type float"),
        ("frozen", lambda s: [s.Frozen(True)], "Frozen.x must be"),
    ],
)
def test_other_arguments_are_refused(path, source, name, change, error):
    file = vars(run(transpile(path, name)))
    others = ARGUMENTS[name](source, 5)[1:]
    with pytest.raises(TypeError, match=error):
        file[f"{name}_grad"](change(source), *others)


def test_an_attribute_that_a_class_has_no_slot_for_is_refused(path, source):
    file = run(transpile(path, "bases"))
    with pytest.raises(TypeError, match="without attributes but"):
        file.bases_grad([changed(source.Loose(1.0, 2.0), other=1.0)])


HIDDEN = """
NAMES = ("x",)


class Computed:
    __slots__ = NAMES

    def __init__(self, x: float):
        self.x = x


class Of:
    __slots__ = ("x",)

    def __init__(self, x: float):
        self.x = x


class Other:
    def __init__(self, x: float):
        self.x = x


def computed(items: list[Computed]) -> float:
    return sum(item.x for item in items)


def tabled(items: list[Of | Other]) -> float:
    return sum({Of: 1.0, Other: 2.0}[type(item)] * item.x for item in items)


def same(items: list[Of | Other], a: float) -> float:
    return sum(a for item in items if type(item) is type(items[0]))
"""


def test_what_the_text_does_not_tell_is_refused(tmp_path):
    path = tmp_path / "hidden.py"
    path.write_text(HIDDEN)
    with pytest.raises(UnsupportedError, match="of kind unknown"):
        transpile(path, "computed")
    with pytest.raises(S2sadError):
        transpile(path, "tabled")
    source = loaded(path)
    file = run(transpile(path, "same", wrt=("a",)))
    items = [source.Of(1.0), source.Other(2.0), source.Of(3.0)]
    assert file.same_grad(items, 2.0) == 2.0
