"""Lists, dicts and objects of the module in files: an annotation, the class that is
called or the literal tells what they hold, and the file checks it when it runs."""

import importlib
import sys
import textwrap

import pytest

from s2sad import grad
from s2sad.errors import S2sadError
from tests.codegen.test_transpile import run, transpile

TEXT = """
from dataclasses import dataclass

import numpy as np

SIZE = 3


@dataclass
class Spring:
    k: float
    rest: float


@dataclass
class Config:
    rate: float
    names: list[str]
    weights: list[float]


class Line:
    def __init__(self, a: float, b: float):
        self.a = a
        self.b = b

    def __call__(self, v):
        return self.a * v + self.b

    @classmethod
    def through(cls, a):
        return cls(a, 1.0)


TABLE = {"a": 1.5, "b": 0.5}
WEIGHTS = [1.0, 2.0, 3.0]
ROWS = [[1.0], [2.0, 3.0]]
SETTINGS = {"rate": 0.1, "layers": [1, 2], "name": "x", "w": [1.0, 2.0]}
COUNTS = [1, 2, 3]
NESTED = {"a": {"x": 1.0, "y": 2.0}, "b": {"x": 3.0, "y": 0.5}}
RECORDS = [{"x": 1.0, "n": "p"}, {"x": 2.0, "n": "q"}]
PAIRS = [(1.0, 2.0), (3.0, 4.0)]
SPRINGS: list[Spring] = [Spring(1.0, 2.0), Spring(3.0, 0.5)] * SIZE
LOADED: list[float] = [0.5 * k for k in range(SIZE)]
CONFIG = Config(0.1, ["a"], [1.0, 2.0])
LINE = Line(2.0, 3.0)
ARRAYS: list[np.ndarray] = [np.ones(2), np.zeros(2)]


def of_dict(v: float) -> float:
    return sum(TABLE[k] * v for k in TABLE) + TABLE.get("a", 3.0) * v


def of_list(v: float) -> float:
    total = 0.0
    for i, w in enumerate(WEIGHTS):
        total += w * v**i
    return total


def of_rows(v: float) -> float:
    return sum(w * v for row in ROWS for w in row)


def of_settings(v: float) -> float:
    return SETTINGS["rate"] * v * SETTINGS["w"][1] + sum(SETTINGS["layers"]) * v


def of_counts(v: float) -> float:
    return v * sum(COUNTS) + COUNTS[0] * v


def of_nested(v: float) -> float:
    return sum(d["x"] * v * d["y"] for d in NESTED.values())


def of_records(v: float) -> float:
    return sum(d["x"] * v for d in RECORDS if d["n"] == "q")


def of_pairs(v: float) -> float:
    total = 0.0
    for a, b in PAIRS:
        total += a * v + b * v * v
    return total


def of_springs(v: float) -> float:
    return sum(s.k * v * s.rest for s in SPRINGS)


def of_loaded(v: float) -> float:
    return sum(LOADED) * v + sum(a * b * v for a, b in zip(WEIGHTS, LOADED))


def of_config(v: float) -> float:
    return CONFIG.rate * v + sum(w * v for w in CONFIG.weights) * len(CONFIG.names)


def of_line(v: float) -> float:
    return LINE(v) * v + Line.through(v)(2.0)


def of_arrays(v: float) -> float:
    return sum(float(a @ a) * v for a in ARRAYS)


def of_copy(v: float) -> float:
    w = WEIGHTS.copy()
    w[0] *= v
    return sum(w)


def of_array(v: float) -> float:
    return np.sum(np.array(WEIGHTS) * v)
"""
NAMES = [line[4:].split("(")[0] for line in TEXT.splitlines() if line[:7] == "def of_"]


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Imports the text, or another one, as a module whose data files read."""

    def load(text=TEXT, name="data_of_module"):
        path = tmp_path / f"{name}.py"
        path.write_text(text)
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.delitem(sys.modules, name, raising=False)
        importlib.invalidate_caches()
        return importlib.import_module(name), path

    return load


def gradient(text, name):
    return getattr(run(text), f"{name}_grad")(1.3)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", NAMES)
def test_files_read_data_of_the_module(module, name):
    live, path = module()
    assert gradient(transpile(path, name), name) == pytest.approx(
        grad(getattr(live, name))(1.3), rel=1e-14
    )


@pytest.mark.parametrize("name", ["of_springs", "of_loaded"])
def test_one_text_serves_any_size(module, name):
    _, path = module()
    few = transpile(path, name)
    live, path = module(TEXT.replace("SIZE = 3", "SIZE = 5000"))
    assert transpile(path, name) == few
    assert gradient(few, name) == pytest.approx(
        grad(getattr(live, name))(1.3), rel=1e-14
    )


@pytest.mark.parametrize(
    "name, changed",
    [
        ("of_list", "WEIGHTS.append(np.ones(2))"),
        ("of_list", "WEIGHTS = tuple(WEIGHTS)"),
        ("of_dict", "TABLE['c'] = [1.0]"),
        ("of_rows", "ROWS.append(1.0)"),
        ("of_nested", "NESTED['c'] = {'x': [1.0]}"),
        ("of_springs", "SPRINGS.append(Line(1.0, 2.0))"),
        ("of_line", "LINE.a = np.ones(3)"),
        ("of_config", "CONFIG.weights[0] = 'w'"),
    ],
)
def test_files_check_data_of_the_module(module, name, changed):
    _, path = module(f"{TEXT}\n\n{changed}\n")
    try:
        text = transpile(path, name)
    except S2sadError:  # it is seen in the text
        return
    derivative = getattr(run(text), f"{name}_grad")
    with pytest.raises(TypeError, match="data_of_module|Line.a|Config"):
        derivative(1.3)


def test_files_read_data_of_other_modules(module):
    module()
    others = """
        import data_of_module as data
        from data_of_module import LINE, Line, WEIGHTS


        def f(v: float) -> float:
            from data_of_module import TABLE

            total = sum(w * v for w in WEIGHTS) * TABLE["a"] + LINE(v)
            for s in data.SPRINGS:
                total += s.k * v * v
            return total + Line.through(v)(3.0) + data.Line.through(2.0).b * v
        """
    live, path = module(textwrap.dedent(others), "reader_of_data")
    assert gradient(transpile(path, "f"), "f") == pytest.approx(
        grad(live.f)(1.3), rel=1e-14
    )


def test_a_package_takes_its_modules_from_itself(module, tmp_path):
    package = tmp_path / "package_of_data"
    package.mkdir()
    (package / "__init__.py").write_text("from . import rates\n")
    (package / "rates.py").write_text(
        "RATE = 2.0\n\n\ndef scaled(v):\n    return RATE * v\n"
    )
    text = """
        import package_of_data
        from package_of_data import rates


        def f(v: float) -> float:
            from package_of_data import rates as again
            from package_of_data.rates import scaled

            one = rates.scaled(v) * package_of_data.rates.RATE
            return one * again.RATE + scaled(v)
        """
    live, path = module(textwrap.dedent(text), "reader_of_package")
    assert grad(live.f)(1.3) == 10.0
    assert gradient(transpile(path, "f"), "f") == 10.0
