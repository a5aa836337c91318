"""What names mean, in functions that exist and in text that is only read."""

import ast
import functools
import math
import sys
import textwrap
import types

import numpy as np
import pytest

from s2sad.errors import SourceError
from s2sad.source.static.module import StaticModule, static_functions
from s2sad.source.text.resolve import (
    LiveResolver,
    NameNotFound,
    StaticClass,
    StaticData,
    StaticForeign,
    StaticFunction,
    StaticS2sad,
    is_differentiate_decorator,
)

RATE = 0.1
LATER = 1.0

# ------------------------------------------------------------------------ live


def test_closures_come_before_globals_and_builtins():
    RATE = 0.2
    abs = 3

    def f():
        return RATE, LATER, abs, len, missing  # noqa: F821

    r = LiveResolver(f)
    b = r.resolve("RATE")
    assert (b.name, b.origin, b.value, b.module) == (
        "RATE",
        "closure",
        0.2,
        "<closure>",
    )
    b = r.resolve("LATER")
    assert (b.origin, b.value, b.module) == ("global", 1.0, __name__)
    assert r.resolve("abs").value == 3
    b = r.resolve("len")
    assert (b.origin, b.value, b.module) == ("builtin", len, "builtins")
    with pytest.raises(NameNotFound, match="the name missing is not defined"):
        r.resolve("missing")


def test_names_are_read_anew(monkeypatch):
    k = 1

    def f():
        return k, LATER

    r = LiveResolver(f)
    assert r.resolve("k").value == 1
    k = 2
    assert r.resolve("k").value == 2
    monkeypatch.setitem(globals(), "LATER", 9.0)
    assert r.resolve("LATER").value == 9.0


def test_a_captured_variable_without_value():
    def f():
        return later

    with pytest.raises(KeyError, match="later has no value yet"):
        LiveResolver(f).resolve("later")
    later = 1


def test_attributes_are_read_without_running_code():
    ran = []

    class Base:
        shared = 4.0

        def method(self):
            pass

        @staticmethod
        def still():
            pass

        @property
        def computed(self):
            ran.append(1)

        @functools.cached_property
        def cached(self):
            ran.append(1)

    class Slots:
        __slots__ = ("value",)

    class Dynamic:
        def __getattr__(self, name):
            ran.append(name)

    class Everything:
        x = 1

        def __getattribute__(self, name):
            ran.append(name)

    r = LiveResolver(lambda: None)
    value = Base()
    value.own = 3.0
    assert r.attribute(np, "sin") is np.sin
    assert r.attribute(Base, "shared") == 4.0
    assert r.attribute(value, "own") == 3.0
    assert r.attribute(value, "shared") == 4.0
    assert r.attribute(value, "method") == value.method
    assert r.attribute(value, "still") is Base.still
    assert r.attribute(np.ones(3), "ndim") == 1
    assert r.attribute(2.0, "real") == 2.0
    slots = Slots()
    slots.value = 5
    assert r.attribute(slots, "value") == 5
    value.__dict__["cached"] = 8
    assert r.attribute(value, "cached") == 8
    for owner, name in [
        (value, "computed"),
        (Base(), "cached"),
        (Dynamic(), "anything"),
        (Everything(), "x"),
        (np, "nowhere"),
        (Slots(), "value"),
    ]:
        with pytest.raises(NameNotFound, match=name):
            r.attribute(owner, name)
    assert ran == []


def test_static_objects_of_numpy():
    r = LiveResolver(lambda: None)
    assert r.attribute(r.attribute(np, "linalg"), "norm") is np.linalg.norm
    assert r.attribute(np.float64, "__name__") == "float64"


# ---------------------------------------------------------------------- static


@pytest.fixture
def module(tmp_path):
    """Writes files and reads the first of them as a module."""

    def make(source, **others):
        for name, text in {"main": source, **others}.items():
            path = tmp_path.joinpath(*name.split("__DOT__")).with_suffix(".py")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text))
        return static_functions(tmp_path / "main.py")

    return make


def value(m, name):
    return m.resolver.resolve(name).value


def test_nothing_is_executed(module):
    m = module(
        "raise SystemExit\nimport other\ndef f(x, n=2, y=g()): return x\n",
        other="raise SystemExit\ndef g(): return 1\n",
    )
    f = m.functions["f"]
    assert isinstance(f, StaticFunction)
    s = f.source
    assert (s.name, s.qualname, s.module, s.function) == ("f", "f", "main", None)
    assert s.defaults["n"] == 2 and isinstance(s.defaults["y"], ast.Call)
    assert s.span_of(s.node.body[0]).statement == "return x"
    assert isinstance(value(m, "other"), StaticModule)
    assert m.resolver.attribute(value(m, "other"), "g").name == "g"
    assert "other" not in sys.modules


def test_libraries_are_imported(module):
    m = module(
        """
        import math, os.path as p
        import numpy as N, json.decoder
        import numpy.linalg
        import json.encoder
        from numpy import sin as sinus, linalg
        from numpy.linalg import norm
        from concurrent import futures
        N2 = N
        dot = N2.dot
        pi = math.pi
        """
    )
    assert value(m, "math") is math
    assert value(m, "N") is np and value(m, "N2") is np and value(m, "numpy") is np
    assert value(m, "dot") is np.dot
    assert value(m, "sinus") is np.sin
    assert value(m, "linalg") is np.linalg
    assert value(m, "norm") is np.linalg.norm
    assert value(m, "pi") == math.pi
    assert value(m, "futures").__name__ == "concurrent.futures"
    for name in ("decoder", "encoder"):
        inner = m.resolver.attribute(value(m, "json"), name)
        assert isinstance(inner, types.ModuleType)
    b = m.resolver.resolve("len")
    assert (b.origin, b.value) == ("builtin", len)
    b = m.resolver.resolve("N")
    assert (b.origin, b.module) == ("global", "main")
    with pytest.raises(NameNotFound):
        m.resolver.resolve("nowhere")


def test_scipy(module):
    pytest.importorskip("scipy")
    m = module("import scipy.special\nimport scipy.linalg as sl\n")
    import scipy.linalg
    import scipy.special

    assert m.resolver.attribute(value(m, "scipy"), "special") is scipy.special
    assert value(m, "sl") is scipy.linalg


def test_other_libraries_are_not_imported(module):
    m = module(
        "import pytest as t, antigravity\n"
        "from torch.nn import Linear as L\n"
        "K = t.mark\n"
    )
    assert value(m, "t") == StaticForeign("pytest")
    assert value(m, "L") == StaticForeign("torch.nn.Linear")
    assert value(m, "K") == StaticForeign("pytest.mark")
    assert value(m, "antigravity") == StaticForeign("antigravity")
    assert m.resolver.attribute(value(m, "t"), "x").path == "pytest.x"
    assert "antigravity" not in sys.modules


def test_a_file_hides_a_library_but_a_bare_folder_does_not(module):
    m = module(
        "import statistics\nimport numpy as np\nimport json\n",
        statistics="raise SystemExit\ndef mean(x): return x\n",
        numpy__DOT__stray="x = 1\n",
        json__DOT____init__="y = 1\n",
    )
    assert isinstance(value(m, "statistics"), StaticModule)
    assert value(m, "np") is np
    assert m.resolver.attribute(value(m, "json"), "y") == 1


def test_literals_and_data(module):
    m = module(
        """
        a = 1
        b: float = -2.5
        c = (1, "x", (True, None))
        d = e = 3
        f, (g, h) = 1, (2, unknown())
        i, *j = 1, 2
        k = [1, 2]
        l = unknown(3)
        m: "float"
        n = 1
        n = 2
        o = 1
        o += 1
        p = 1
        del p
        q = 1 + 2j
        for r in range(3): s = 1
        (t := 4)
        u = a
        v = 2 * a
        with open(x) as w: y = 1
        """
    )
    expect = dict(a=1, b=-2.5, c=(1, "x", (True, None)), d=3, e=3, f=1, g=2, n=2)
    for name, literal in {**expect, "q": 1 + 2j, "u": 1}.items():
        assert value(m, name) == literal, name
    for name in "hijklmoprstvwy":
        data = value(m, name)
        assert isinstance(data, StaticData), name
        assert (data.name, data.module) == (name, "main")
    assert ast.unparse(value(m, "h").expression) == "unknown()"
    assert ast.unparse(value(m, "k").expression) == "[1, 2]"
    assert ast.unparse(value(m, "l").expression) == "unknown(3)"
    assert value(m, "o").expression is None
    assert value(m, "m").annotation.value == "float"
    with pytest.raises(NameNotFound, match="only known when it runs"):
        m.resolver.attribute(value(m, "l"), "shape")


def test_what_may_be_rebound_is_data(module):
    m = module(
        """
        a = 1
        if flag: a = 2
        b = 1
        def set_b():
            global b
            b = 2
        try:
            import numpy as xp
        except ImportError:
            xp = None
        if flag:
            def f(x): return 1
        else:
            def f(x): return 2
        if flag: c = 1
        c = 2
        def g(x): return 1
        def g(x): return 2
        abs = 1
        if flag: len = 2
        match flag:
            case [z, *rest]: pass
        """
    )
    for name in ("a", "b", "f", "len", "z", "rest"):
        assert isinstance(value(m, name), StaticData), name
    assert value(m, "xp").__name__ == "numpy"  # which is installed
    assert value(m, "c") == 2
    assert ast.unparse(value(m, "g").source.node.body[0]) == "return 2"
    assert value(m, "abs") == 1
    assert list(m.functions) == ["set_b", "g"]


def test_type_checking_imports(module):
    m = module(
        """
        from typing import TYPE_CHECKING
        if TYPE_CHECKING:
            from numpy.typing import NDArray
            import numpy as np
        else:
            np = 3
        """
    )
    assert value(m, "NDArray") is np.typing.NDArray
    assert value(m, "np") == 3 or isinstance(value(m, "np"), StaticData)


def test_other_modules(module):
    m = module(
        """
        import helpers as h
        import pkg.sub
        import pkg.sub as s
        from pkg import sub as s2, top
        from pkg.sub import deep as d, RATE, missing
        from config import TABLE
        import plain.inner
        here = h.scale
        """,
        helpers="scale = 2.0\nimport main\ndef f(x): return g(x)\ndef g(x): return x\n",
        config="TABLE = {}\n",
        plain__DOT__inner="def f(): pass\n",
        pkg__DOT____init__="from .sub import deep as top\nfrom . import sub as sub2\n",
        pkg__DOT__sub="""
            from . import top
            from .other import two
            from .. import beyond
            RATE = 0.5
            def deep(x): return two(x)
        """,
        pkg__DOT__other="from pkg.sub import RATE as R\ndef two(x): return R * x\n",
    )
    at = m.resolver.attribute
    h = value(m, "h")
    assert at(h, "scale") == 2.0 and value(m, "here") == 2.0
    assert at(h, "f").source.resolver.resolve("g").value is at(h, "g")
    assert at(h, "main") is m
    sub = value(m, "s")
    assert sub.name == "pkg.sub"
    assert at(value(m, "pkg"), "sub") is sub and value(m, "s2") is sub
    assert at(value(m, "pkg"), "sub2") is sub
    assert value(m, "top") is value(m, "d") is at(sub, "deep")
    assert value(m, "RATE") == 0.5
    two = value(m, "d").source.resolver.resolve("two").value
    assert two.source.resolver.resolve("R").value == 0.5
    assert two.source.module == "pkg.other"
    assert (value(m, "TABLE").name, value(m, "TABLE").module) == ("TABLE", "config")
    assert at(at(value(m, "plain"), "inner"), "f").name == "f"
    with pytest.raises(NameNotFound, match="missing"):
        value(m, "missing")


def test_modules_that_import_each_other(module):
    m = module(
        "from other import x\nfrom other import *\n",
        other="from main import x\nfrom main import *\n",
    )
    with pytest.raises(NameNotFound):
        value(m, "x")
    with pytest.raises(NameNotFound):
        value(m, "y")


def test_star_imports(module):
    m = module(
        """
        sin = 1
        from numpy import *
        from helpers import *
        cos = 2
        """,
        helpers="""
            tan = 3
            _hidden = other = 1
            _shown = 7
            __all__ = ['tan', '_shown']
        """,
    )
    assert value(m, "sin") is np.sin
    assert value(m, "cos") == 2
    assert value(m, "tan") == 3
    assert value(m, "_shown") == 7
    for name in ("other", "_hidden"):
        with pytest.raises(NameNotFound):
            value(m, name)


def test_an_unknown_star_import_makes_names_uncertain(module):
    m = module("a = 1\nfrom nowhere import *\nb = 2\n")
    assert isinstance(value(m, "a"), StaticData)
    assert isinstance(value(m, "abs"), StaticData)
    assert value(m, "b") == 2


def test_classes(module):
    m = module(
        """
        import enum, helpers
        from typing import NamedTuple
        n = 5
        class Base:
            rate = 0.5
            k = n
            table = []
            field: float
            def __init__(self): self.own = 1
            def step(self, x): return x
        class Model(Base, helpers.Mixin):
            first = 1
            second = first
            twice = 1
            between = twice
            twice = 2
            later = below
            below = 3
            changed = 1
            @property
            def size(self): return 1
            @staticmethod
            def still(x): return x
        class Colour(enum.Enum):
            RED = 1
        class Point(NamedTuple):
            x: float = 0.0
        class Child(helpers.Mixin):
            c = 4
        class Lost(nowhere):
            def own(self): pass
        Model.changed = 2
        """,
        helpers="class Mixin:\n    mixed = 3\n    def help(self): pass\n",
    )
    at = m.resolver.attribute
    model = value(m, "Model")
    assert isinstance(model, StaticClass) and model.node.name == "Model"
    assert at(model, "rate") == 0.5 and at(model, "mixed") == 3
    assert at(model, "first") == at(model, "second") == 1 and at(model, "k") == 5
    assert at(value(m, "Child"), "c") == 4
    step = at(model, "step")
    assert step.source.qualname == "Base.step"
    assert step.source is m.function("Model.step").source
    assert at(model, "help").source.module == "helpers"
    assert at(model, "size").decorators == ("property",)
    assert at(model, "still").decorators == ("staticmethod",)
    for owner, name in [
        ("Model", "between"),
        ("Model", "later"),
        ("Model", "changed"),
        ("Model", "table"),
        ("Model", "field"),
        ("Colour", "RED"),
        ("Point", "x"),
    ]:
        assert isinstance(at(value(m, owner), name), StaticData), name
    assert at(value(m, "Lost"), "own").name == "own"
    for owner, name in [("Model", "own"), ("Lost", "other")]:
        with pytest.raises(NameNotFound):
            at(value(m, owner), name)


def test_inheritance_from_several_classes(module):
    m = module(
        """
        class Root:
            def f(self): pass
            def g(self): pass
        class A(Root): pass
        class B(Root):
            def g(self): pass
        class C(A, B): pass
        """
    )
    c = value(m, "C")
    assert m.resolver.attribute(c, "f").source.qualname == "Root.f"
    with pytest.raises(NameNotFound, match="several"):
        m.resolver.attribute(c, "g")


def test_a_module_attribute_that_is_assigned_is_data(module):
    m = module(
        "import config\ndef f():\n    config.rate = 2.0\n", config="rate = 1.0\nk = 2\n"
    )
    config = value(m, "config")
    assert isinstance(m.resolver.attribute(config, "rate"), StaticData)
    assert m.resolver.attribute(config, "k") == 2


def test_s2sad_is_a_marker(module):
    m = module(
        """
        import s2sad
        import s2sad as ad, functools
        from s2sad import differentiate as D, grad
        Dd = ad.differentiate
        @s2sad.differentiate
        def a(x): return x
        @D(wrt="x")
        def b(x): return x
        @Dd
        @functools.lru_cache(None)
        def c(x): return x
        @grad
        @unknown.thing(1)
        def d(x): return x
        """
    )
    assert value(m, "ad") == StaticS2sad() and value(m, "grad").path == "s2sad.grad"
    decorators = {name: f.decorators for name, f in m.functions.items()}
    assert decorators == {
        "a": ("s2sad.differentiate",),
        "b": ("s2sad.differentiate",),
        "c": ("s2sad.differentiate", "functools.lru_cache"),
        "d": ("s2sad.grad", "unknown.thing"),
    }
    found = {
        name: [
            is_differentiate_decorator(d, m.resolver)
            for d in f.source.node.decorator_list
        ]
        for name, f in m.functions.items()
    }
    assert found == {"a": [True], "b": [True], "c": [True, False], "d": [False, False]}


def test_functions_and_methods_by_path(module):
    m = module("class A:\n    def f(self): pass\ndef g(): pass\nx = 1\n")
    assert m.function("A.f").source.qualname == "A.f"
    assert m.function("g").name == "g"
    for path in ("h", "x", "A", "A.nothing", "x.real"):
        with pytest.raises(NameNotFound):
            m.function(path)


def test_files_that_can_not_be_read(tmp_path):
    with pytest.raises(SourceError, match="can't be read"):
        static_functions(tmp_path / "nowhere.py")
    bad = tmp_path / "bad.py"
    bad.write_text("def f(:\n")
    with pytest.raises(SourceError, match="bad.py:1: the text is not valid Python"):
        static_functions(bad)
    binary = tmp_path / "binary.py"
    binary.write_bytes(b"\x00\xff")
    with pytest.raises(SourceError):
        static_functions(str(binary))


def test_names_of_every_module(module):
    m = module("")
    assert isinstance(value(m, "__name__"), StaticData)
