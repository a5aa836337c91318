"""``s2sad check``."""

import re
import sys

import pytest

from s2sad.rules.registry import unregister


def rows(result):
    """The lines of the table: parameter -> the rest."""
    found = {}
    for line in result.stdout.splitlines():
        words = re.split(r"\s{2,}", line.strip())
        if words[-1].endswith(("agrees", "differ", "undecided")):
            found[words[0]] = words[1:]
    return found


SECTIONS = {"forward mode", "dot product", "second derivative", "symmetry"}


def test_made_up_inputs_have_the_documented_shapes(s2sad, model):
    result = s2sad("check", "model.py::loss")
    assert result.exit_code == 0, result.stdout + result.stderr
    assert rows(result).keys() == {"w", "b"} | SECTIONS
    assert "w: float64[3]," in result.stdout
    assert "x: float64[4, 3], y: float64[4]" in result.stdout


def test_signature_and_wrt(s2sad, model):
    signature = "loss(w: float64[2], b: float, x: float64[5, 2], y: float64[1])"
    result = s2sad("check", "model.py::loss", "--signature", signature, "--wrt", "x,y")
    assert result.exit_code == 0, result.stdout + result.stderr
    found = rows(result)
    assert found["x"][0] == "10" and found["y"][0] == "1"


def test_given_arguments(s2sad, model):
    arguments = "([1.0, 2.0], 0.5, [[1.0, 2.0], [3.0, 4.0]], [0.0, 1.0])"
    result = s2sad("check", "model.py::loss", "--arguments", arguments)
    assert result.exit_code == 0, result.stdout + result.stderr
    assert "b: 0.5" in result.stdout
    assert s2sad("check", "model.py::cube", "--arguments", "2.0").exit_code == 0


def test_what_a_function_changes_is_checked_as_it_was_given(s2sad, write):
    write(
        "changing.py",
        """
        def halved(rows):
            for r in rows:
                r["x"] = 0.5 * r["x"]
            return sum(r["x"] ** 3 for r in rows)
        """,
    )
    arguments = "([{'x': 1.0}, {'x': 2.0}],)"
    result = s2sad("check", "changing.py::halved", "--arguments", arguments)
    assert result.exit_code == 0, result.stdout + result.stderr
    assert "rows[0]['x']: 1, rows[1]['x']: 2" in result.stdout


def test_structures_and_keyword_only_parameters(s2sad, write):
    write(
        "structured.py",
        """
        from dataclasses import dataclass
        import numpy as np

        @dataclass
        class Model:
            w: np.ndarray
            scale: float

        def loss(model: Model, x, *, power: int = 2):
            print("called")
            return model.scale * np.sum(np.log(model.w) * x) ** power
        """,
    )
    result = s2sad("check", "structured.py::loss")
    assert result.exit_code == 0, result.stdout + result.stderr
    assert rows(result).keys() == {"model.w", "model.scale"} | SECTIONS
    assert "called" not in result.stdout


def test_unannotated_functions(s2sad, write):
    write(
        "plain.py",
        "def f(x, n):\n    for i in range(n):\n        x = x * x\n    return x\n",
    )
    assert s2sad("check", "plain.py::f").exit_code == 0


def test_a_wrong_gradient_is_found(s2sad, model, monkeypatch):
    import s2sad as package

    gradient = type(package.grad(lambda x: x * x))
    right = gradient.__call__
    monkeypatch.setattr(
        gradient,
        "__call__",
        lambda self, *a, **k: tuple(1.5 * g for g in right(self, *a, **k)),
    )
    result = s2sad("check", "model.py::cube")
    assert result.exit_code == 1
    assert "1 differ" in result.stdout
    assert "WRONG" in result.stdout


def test_kinks_are_undecided(s2sad, write):
    write("kinked.py", "def f(x: float, y: float):\n    return abs(x) + y * y\n")
    arguments = ("--arguments", "(0.0, 2.0)", "--wrt", "x,y")
    result = s2sad("check", "kinked.py::f", *arguments)
    assert result.exit_code == 0, result.stdout + result.stderr
    assert rows(result)["x"][-1] == "1 undecided"
    assert rows(result)["y"][-1] == "agrees"
    assert "there is a kink" in result.stdout
    result = s2sad("check", "kinked.py::f", "--arguments", "(0.0, 2.0)", "--wrt", "x")
    assert result.exit_code == 1


def test_rules_without_a_pushforward(s2sad, write):
    write(
        "reverse_only.py",
        """
        from s2sad import rule

        def square(x):
            return x * x

        @rule.reverse_of(square)
        def _(x, *, out, out_bar):
            return 2.0 * x * out_bar

        def f(x: float):
            return square(x)
        """,
    )
    result = s2sad("check", "reverse_only.py::f")
    assert result.exit_code == 0, result.stdout + result.stderr
    assert rows(result).keys() == {"x"}
    assert "are left out: the rule of square has no pushforward" in result.stdout
    own = sys.modules["reverse_only"].square
    unregister(own)  # other tests look at all rules


def test_modules_that_import_their_neighbours(s2sad, write):
    write("neighbour_of_f.py", "FACTOR = 3.0\n")
    write(
        "importing.py",
        "from neighbour_of_f import FACTOR\ndef f(x):\n    return x * FACTOR\n",
    )
    assert s2sad("check", "importing.py::f").exit_code == 0
    write("packaged/__init__.py", "")
    write("packaged/constants.py", "FACTOR = 3.0\n")
    write(
        "packaged/inner.py",
        "from .constants import FACTOR\ndef f(x):\n    return x * FACTOR\n",
    )
    assert s2sad("check", "packaged/inner.py::f").exit_code == 0


@pytest.mark.parametrize(
    "arguments, told",
    [
        (["missing.py::f"], "missing.py"),
        (["broken.py::f"], "broken.py can't be imported: SyntaxError"),
        (["raising.py::f"], "raising.py can't be imported: RuntimeError: no"),
        (["model.py::nope"], "no function nope"),
        (["model.py::cube", "--arguments", "(1.0"], "not a Python literal"),
        (["model.py::cube", "--arguments", "(1.0, 2.0)"], "cube fails for these"),
        (["model.py::cube", "--arguments", "'a'"], "cube fails for these arguments"),
        (["model.py::cube", "--wrt", "z"], "no parameter 'z'"),
        (["model.py::cube", "--signature", "cube(z: float)"], "no parameter z"),
        (["model.py::cube", "--signature", "loss(x: float)"], "loss, not of cube"),
        (
            ["model.py::cube", "--signature", "cube(x)", "--arguments", "1.0"],
            "not both",
        ),
        (["unsupported.py::f"], "unsupported.py:3:"),
        (["leaving.py::f", "--arguments", "1.0"], "f fails for these arguments itself"),
        (["leaving.py::A.q"], "A.q in leaving.py raises RuntimeError: mine"),
        (["model.py::cube", "--arguments", "-" * 9000 + "1"], "not a Python literal"),
        (["model.py::cube", "--seed", "-1"], "--seed"),
        (["impossible.py::f"], "x is opaque"),
    ],
)
def test_failures(refused, model, write, arguments, told):
    write(
        "leaving.py",
        """
        import sys
        def f(x):
            sys.exit(0)
        class M(type):
            @property
            def q(cls):
                raise RuntimeError("mine")
        class A(metaclass=M):
            pass
        """,
    )
    write("broken.py", "def f(x:\n")
    write("raising.py", "raise RuntimeError('no')\n")
    unsupported = "def f(x: float):\n    global y\n    y = x\n    return x\n"
    write("unsupported.py", unsupported)
    write("impossible.py", "def f(x: str, y: float):\n    return y * float(x)\n")
    message = refused("check", *arguments)
    assert told in message and "bug" not in message


def test_structures_of_any_size_are_made_up(s2sad, write, refused):
    write(
        "kept.py",
        """
        import math
        from dataclasses import dataclass

        @dataclass
        class Spring:
            k: float
            rest: float
            name: str = ""

        @dataclass
        class Node:
            value: float
            kids: list["Node"]

        @dataclass
        class Untold:
            value: float
            other: object

        def energy(springs: list[Spring], weights: dict[str, float | None]) -> float:
            total = sum(s.k * math.sin(s.rest) for s in springs)
            for w in weights.values():
                if w is not None:
                    total += w**2
            return total

        def grown(node: Node) -> float:
            return node.value * math.exp(sum(grown(kid) for kid in node.kids))

        def area(points: list[tuple[float, float]], scales: list[float]) -> float:
            return sum(x * math.cos(y) * s for (x, y), s in zip(points, scales))

        def untold(items: list[Untold]) -> float:
            return sum(item.value for item in items)
        """,
    )
    for name in ("energy", "grown", "area"):
        result = s2sad("check", f"kept.py::{name}")
        assert result.exit_code == 0, result.stdout + result.stderr
    assert "no such value can be made up" in refused("check", "kept.py::untold")
