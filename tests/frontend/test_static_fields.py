"""Dataclasses that a transpiled file makes: as ``dataclass`` makes them."""

import importlib.util
import textwrap

import pytest
from click.testing import CliRunner

import s2sad
from s2sad.cli import main
from tests.support.finite_differences import central_difference_gradient

MODEL = """
    from dataclasses import KW_ONLY, InitVar, dataclass, field
    from typing import ClassVar


    @dataclass
    class Spring:
        k: float
        energy: float = field(init=False)
        rest: float

        def __post_init__(self):
            if self.k < 0:
                raise ValueError("negative")
            self.energy = 0.5 * self.k * self.rest**2


    @dataclass(frozen=True)
    class Scaled:
        a: float
        b: float = 2.0

        def __post_init__(self):
            object.__setattr__(self, "b", self.b * self.a)


    @dataclass
    class Gap:
        unit: ClassVar[str] = "m"
        a: float
        cache: float = field(init=False, default=3.0)
        b: float = 2.0
        scale: InitVar[float] = 1.0
        _: KW_ONLY
        c: float = -1.0

        def __post_init__(self, scale):
            self.b = self.b * scale
            self.area = self.a * self.b


    @dataclass(kw_only=True)
    class Derived(Gap):
        d: float = 4.0
        b: float = 5.0

        def __post_init__(self, scale):
            super().__post_init__(scale)
            self.d *= self.a


    @dataclass
    class Plain:
        a: float
        cache: float = field(init=False, default=3.0)
        late: float = field(default=7.0, kw_only=True)
        b: float = 2.0
        tags: list = field(default_factory=lambda: [1.0, 2.0])


    class Bare:
        size: float

        def __init__(self, size):
            self.size = size


    class Renamed(Plain):
        b = 9.0


    def spring(x: float):
        s = Spring(x, 2.0 * x)
        return s.energy + s.k


    def frozen(x: float):
        return Scaled(x, 3.0).b * Scaled(x).b


    def gap(x: float):
        g = Gap(x, x * x, 2.0, c=x)
        return g.a + g.b * g.cache + g.area + g.c


    def derived(x: float):
        g, h = Derived(x, 2.0, d=x), Derived(a=x, b=x)
        return g.a + g.b * g.cache + g.area + g.c + 3.0 * g.d + h.area + h.d


    def plain(x: float):
        g = Plain(x, x * x)
        return g.a * g.b + g.cache * x + g.late * x * g.tags[1]


    def changed(x: float):
        g, s, t = Plain(x, x * x, late=x), Spring(x, 2.0), Bare(x)
        g.b = g.b * g.late
        g.cache += g.b
        s.rest = s.energy * 2.0
        t.size = t.size * x
        return g.cache + s.rest + t.size


    def renamed(x: float):
        return x * Renamed(x).b
"""

REFUSED = """
    from dataclasses import dataclass, field

    TAKEN = True


    @dataclass(init=False)
    class Unmade:
        a: float


    @dataclass
    class Asked:
        a: float
        b: float = field(init=TAKEN, default=1.0)


    def f(x: float):
        g = {call}
        return g.a * x
"""


@pytest.fixture
def live(tmp_path):
    """The module itself, imported."""
    (tmp_path / "model.py").write_text(textwrap.dedent(MODEL))
    return imported(tmp_path / "model.py")


def imported(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def transpiled(folder, name):
    arguments = ["transpile", str(folder / "model.py"), name, "-o", f"{folder}/out.py"]
    result = CliRunner().invoke(main, arguments, prog_name="s2sad")
    return result, folder / "out.py"


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "name", ["spring", "frozen", "gap", "derived", "plain", "changed", "renamed"]
)
def test_the_text_tells_what_an_object_is_made_of(name, live, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result, out = transpiled(tmp_path, name)
    assert result.exit_code == 0, result.stderr
    value, slope = getattr(imported(out), f"{name}_value_and_grad")(1.5)
    function = getattr(live, name)
    assert value == pytest.approx(function(1.5), rel=1e-14)
    assert slope == pytest.approx(
        central_difference_gradient(function, (1.5,)), rel=1e-7
    )
    assert slope == pytest.approx(s2sad.grad(function)(1.5), rel=1e-14)


@pytest.mark.parametrize("call", ["Unmade()", "Asked(x, 2.0)"])
def test_what_the_text_does_not_tell_is_refused_once(call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.py").write_text(textwrap.dedent(REFUSED).format(call=call))
    result, _ = transpiled(tmp_path, "f")
    assert result.exit_code == 2
    assert "isn't known from the text" in result.stderr
    assert result.stderr.count("model.py:") == 1
