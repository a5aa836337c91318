"""Files that store into attributes, lists and dicts of what they are given, beside live
gradients."""

from __future__ import annotations

import copy
import sys
import textwrap
from typing import Any

import numpy as np
import pytest

from s2sad import errors, grad
from tests.codegen.test_transpile import run, transpile
from tests.codegen.test_transpiled_structures import loaded

TEXT = """
from dataclasses import dataclass
from typing import NamedTuple, Optional
import math


@dataclass
class Body:
    x: float
    v: float


class Pair(NamedTuple):
    a: Body
    b: Body
    w: float


@dataclass(frozen=True)
class Joint:
    left: Body
    right: Body
    k: float


@dataclass(slots=True)
class Slot:
    x: float
    n: int
    link: Optional[Body] = None


@dataclass
class Chain:
    x: float
    behind: Optional["Chain"] = None


def by_pairs(pairs: list[Pair], bodies: list[Body]) -> float:
    for p in pairs:
        p.a.x, p.b.v = p.b.v * p.w, p.a.x
    return sum(b.x * b.v for b in bodies)


def by_joints(joints: list[Joint], dt: float) -> float:
    for _ in range(3):
        for j in joints:
            f = j.k * (j.right.x - j.left.x)
            j.left.v += dt * f
            j.right.v -= dt * f
            j.left.x += dt * j.left.v
    return sum(j.left.x * j.right.v for j in joints)


def by_slots(slots: list[Slot]) -> float:
    total = 0.0
    for s in slots:
        s.n += 1
        s.x = s.x * s.n
        if s.link is not None:
            s.link.x = s.link.x * s.x
            total += s.link.x
    return total + sum(s.x for s in slots)


def by_chain(first: Chain) -> float:
    here = first
    carried = 1.0
    while here is not None:
        here.x = math.sin(carried * here.x)
        carried = carried * 0.9 + here.x
        here = here.behind
    return carried * first.x


@dataclass
class Cell:
    values: list[float]
    gain: float


def by_records(rows: list[dict[str, float]], rate: float) -> float:
    for r in rows:
        r["v"] -= rate * r["x"]
        r["x"] = r["x"] + rate * r["v"]
    return sum(r["x"] * r["v"] for r in rows)


def by_lists(cells: list[Cell]) -> float:
    for c in cells:
        for k in range(1, len(c.values)):
            c.values[k] += c.gain * c.values[k - 1]
    return sum(c.values[-1] * c.values[0] for c in cells)


def beside(first: list[float], cells: list[Cell]) -> float:
    cells[0].values[0] = 2.0 * cells[0].values[0]
    return first[0] * sum(c.values[0] for c in cells)


def by_weights(weights: dict[str, float], rate: float) -> float:
    for name in weights:
        weights[name] = rate * weights[name] * weights["w0"]
    return sum(w**2 for w in weights.values())


def by_new_ones(bodies: list[Body], dt: float) -> float:
    for _ in range(3):
        moved = [Body(b.x + dt * b.v, 0.9 * b.v) for b in bodies if b.x < 5.0]
        bodies = moved + bodies[:2]
    bodies.append(bodies.pop(0))
    total = 0.0
    for b in bodies:
        total = 0.9 * total + b.x * b.v
    return total


def by_links(first: Chain, x: float) -> float:
    before = Chain(x, None)
    while first is not None:
        behind = first.behind
        first.behind = before
        before = Chain(first.x * x, first) if first.x > 0.4 else first
        first = behind
    total = 0.0
    while before is not None:
        total = 0.9 * total + before.x**2
        before = before.behind
    return total


def by_frozen(joints: list[Joint], k: float) -> float:
    best = Joint(joints[0].left, joints[0].right, k)
    for j in joints:
        if j.k > best.k:
            best = j
    return best.left.x * best.k


def by_name(named: dict[str, Body], gain: float) -> float:
    for name, b in named.items():
        b.x *= gain if name == "b2" else b.v
    return sum(b.x * b.v for b in named.values())
"""


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("stores") / "storing_source.py"
    path.write_text(TEXT)
    return path


@pytest.fixture(scope="module")
def source(path):
    module = loaded(path)
    yield module
    del sys.modules[module.__name__]


def bodies(source: Any, n: int) -> list[Any]:
    return [source.Body(0.5 + 0.1 * k, 1.0 - 0.01 * k) for k in range(n)]


def pairs(source: Any, n: int) -> tuple[Any, ...]:
    own = bodies(source, n)
    beside = zip(own, own[1:], strict=False)
    return [source.Pair(a, b, 1.0 + 0.1 * k) for k, (a, b) in enumerate(beside)], own


def joints(source: Any, n: int) -> tuple[Any, ...]:
    own = bodies(source, n)
    return [source.Joint(a, b, 0.7) for a, b in zip(own, own[1:], strict=False)], 0.1


def slots(source: Any, n: int) -> tuple[Any, ...]:
    own = bodies(source, n)
    links = [body if k % 2 else None for k, body in enumerate(own)]
    return ([source.Slot(1.0 + 0.1 * k, k % 3, links[k]) for k in range(n)],)


def chain(source: Any, n: int) -> tuple[Any, ...]:
    found = None
    for k in range(n):
        found = source.Chain(0.3 + 0.01 * k, found)
    return (found,)


def named(source: Any, n: int) -> tuple[Any, ...]:
    return {f"b{k}": body for k, body in enumerate(bodies(source, n))}, 1.3


def records(source: Any, n: int) -> tuple[Any, ...]:
    return [{"x": 1.0 + 0.1 * k, "v": 0.5 * k} for k in range(n)], 0.1


def cells(source: Any, n: int) -> tuple[Any, ...]:
    return ([source.Cell([1.0 + 0.1 * k, 2.0, 3.0], 0.2) for k in range(n)],)


def weights(source: Any, n: int) -> tuple[Any, ...]:
    return {f"w{k}": 1.0 - 0.01 * k for k in range(n)}, 0.7


def new_ones(source: Any, n: int) -> tuple[Any, ...]:
    return bodies(source, n), 0.1


def links(source: Any, n: int) -> tuple[Any, ...]:
    return *chain(source, n), 0.3


ARGUMENTS = {
    "by_new_ones": new_ones,
    "by_links": links,
    "by_records": records,
    "by_lists": cells,
    "by_weights": weights,
    "by_pairs": pairs,
    "by_joints": joints,
    "by_slots": slots,
    "by_chain": chain,
    "by_name": named,
}


def numbers(value: Any, seen: set[int]) -> list[Any]:
    """The numbers and Nones that a structure holds, each object walked once."""
    if isinstance(value, list | tuple):
        return [n for item in value for n in numbers(item, seen)]
    if isinstance(value, dict):
        return numbers(list(value.values()), seen)
    if value is None or isinstance(value, int | float):
        return [value]
    if id(value) in seen:
        return []
    seen.add(id(value))
    names = getattr(type(value), "__slots__", None) or vars(value)
    return [n for name in names for n in numbers(getattr(value, name), seen)]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", ARGUMENTS)
@pytest.mark.parametrize("size", (7, 90))
def test_files_give_the_gradients_of_live_functions(path, source, name, size):
    file = vars(run(transpile(path, name)))
    arguments = ARGUMENTS[name](source, size)
    before = numbers(copy.deepcopy(arguments), set())
    found = numbers(file[f"{name}_grad"](*arguments), set())
    live = numbers(grad(getattr(source, name))(*arguments), set())
    assert [n is None for n in found] == [n is None for n in live]
    np.testing.assert_allclose(
        [n for n in found if n is not None], [n for n in live if n is not None]
    )
    assert numbers(arguments, set()) == before


def test_files_refuse_to_make_what_does_more_than_hold_its_attributes(path):
    with pytest.raises(errors.S2sadError, match="a Joint is made among those"):
        transpile(path, "by_frozen")


def test_files_refuse_a_list_with_a_name_of_its_own(path, source):
    file = vars(run(transpile(path, "beside")))
    (given,) = cells(source, 9)
    first = file["beside_grad"]([1.0, 2.0, 3.0], given)
    expected = 2.0 * given[0].values[0] + sum(c.values[0] for c in given[1:])
    assert first[0] == pytest.approx(
        expected, rel=1e-12
    )  # sum rounds once from 3.12 on
    with pytest.raises(ValueError, match="pass a copy"):
        file["beside_grad"](given[0].values, given)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            """
            import copy

            def f(rows: list[list[float]]) -> float:
                before = copy.deepcopy(rows)
                for row in rows:
                    row[0] = 2.0 * before[0][0] * row[0]
                return sum(row[0] for row in rows) + before[1][0]
            """,
            "",
        ),
        (
            """
            import copy
            from dataclasses import dataclass

            @dataclass
            class Body:
                x: float
                v: float

            def f(bodies: list[Body]) -> float:
                best = copy.copy(bodies[0])
                for b in bodies:
                    b.x = 2.0 * b.x
                    if b.x > best.x:
                        best = copy.copy(b)
                    best.v += b.x
                return best.v + sum(b.x for b in bodies)
            """,
            "copies of lists, dicts or objects that are given are changed",
        ),
    ],
)
def test_what_files_do_not_copy_is_refused_by_a_clear_error(text, reason, tmp_path):
    path = tmp_path / "copying.py"
    path.write_text(textwrap.dedent(text))
    if reason:
        with pytest.raises(errors.S2sadError, match=reason):
            transpile(path, "f")
    else:
        rows = [[1.0, 2.0], [3.0, 4.0], [0.5, 1.0]]
        found = run(transpile(path, "f")).f_grad(copy.deepcopy(rows))
        assert found[0][0] == 2 * (2 * 1.0 + 3.0 + 0.5)


def test_a_dict_without_annotation_gets_and_loses_keys(tmp_path):
    path = tmp_path / "dicts.py"
    path.write_text(
        textwrap.dedent(
            """
            def f(d, t):
                d["new"] = d["w0"] * t
                old = d.pop("w1")
                return sum((w**2).sum() for w in d.values()) + old.sum()
            """
        )
    )
    given = {"w0": np.ones(2), "w1": np.full(3, 2.0), "w2": np.arange(2.0)}
    found = run(transpile(path, "f")).f_grad(given, 3.0)
    assert list(found) == list(given) == ["w0", "w1", "w2"]
    assert found["w0"].tolist() == [20.0, 20.0]
    assert found["w1"].tolist() == [1.0, 1.0, 1.0]
    assert found["w2"].tolist() == [0.0, 2.0]
