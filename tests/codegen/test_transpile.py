"""Transpiled files: what they hold, that they run alone, and that they are right."""

import ast
import importlib
import inspect
import math
import pkgutil
import subprocess
import sys
import textwrap
import types

import numpy as np
import pytest

from s2sad.codegen.commented import parse_with_comments
from s2sad.codegen.helper_sources import helper_definitions
from s2sad.codegen.layout import render
from s2sad.errors import S2sadError, UnsupportedError
from s2sad.ops import numerics, runtime
from s2sad.source.static.module import static_functions
from s2sad.transpile.files import Transpilation, transpiled
from s2sad.transpile.literals import why_s2sad_is_needed


@pytest.fixture
def write(tmp_path):
    def write(name, text):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
        return path

    return write


def transpile(path, *names, **options):
    request = Transpilation(static_functions(path), names=names, **options)
    return transpiled(request, ["Made for a test"])


def run(text, **others):
    """The namespace of a transpiled file, which must not reach s2sad."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            assert not any(a.name.startswith("s2sad") for a in node.names)
        if isinstance(node, ast.ImportFrom):
            assert not (node.module or "").startswith("s2sad")
    namespace = {"__name__": "transpiled", **others}
    exec(compile(text, "<transpiled>", "exec"), namespace)
    return types.SimpleNamespace(**namespace)


def numeric(f, x, h=1e-6):
    """Central differences with respect to one array or number."""
    x = np.asarray(x, dtype=float)
    g = np.zeros_like(x)
    for k in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[k] += h
        down[k] -= h
        g[k] = (f(up) - f(down)) / (2 * h)
    return g


def ruff_is_happy(path):
    pytest.importorskip("ruff", reason="ruff is not installed")
    for command in (
        ["check", "--isolated", "--no-cache", "--extend-select", "E501", "-q"],
        ["format", "--isolated", "--no-cache", "--diff", "-q"],
    ):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *command, str(path)],
            capture_output=True,
            text=True,
            cwd=path.parent,
        )
        assert done.returncode == 0, done.stdout + done.stderr


LOSS = """
    import numpy as np
    from numpy.typing import NDArray
    from s2sad import differentiate

    RATE = 0.5
    SIZES = (1.0, (2.0, 3))

    def squared(x):
        return RATE * x ** 2

    @differentiate(wrt=("w", "b"))
    def loss(w: NDArray[np.float64], b: float, x: NDArray[np.float64], y):
        residual = x @ w + b - y
        return np.mean(squared(residual)) * SIZES[1][0]

    raise RuntimeError("this file is not to be executed")
"""
ARRAYS = (
    np.array([0.3, -0.7]),
    0.2,
    np.array([[1.0, 2.0], [0.5, -1.0], [3.0, 0.1]]),
    np.array([0.1, 0.2, 0.3]),
)


def value_of_loss(w, b, x, y):
    return float(np.mean(0.5 * (x @ w + b - y) ** 2) * 2.0)


@pytest.mark.parametrize(
    "signatures",
    [(), ("loss(w: float64[:], b: float, x: float64[:, :], y: float64[:])",)],
)
def test_gradient_is_right_and_module_never_runs(write, signatures, tmp_path):
    text = transpile(write("model.py", LOSS), signatures=signatures)
    module = run(text)
    value, (w_bar, b_bar) = module.loss_value_and_grad(*ARRAYS)
    w, b, x, y = ARRAYS
    assert value == pytest.approx(value_of_loss(*ARRAYS), rel=1e-14)
    expected = numeric(lambda w: value_of_loss(w, b, x, y), w)
    np.testing.assert_allclose(w_bar, expected, rtol=1e-7)
    expected = numeric(lambda b: value_of_loss(w, b, x, y), b)
    np.testing.assert_allclose(b_bar, expected, rtol=1e-7)
    again = module.loss_grad(*ARRAYS)
    np.testing.assert_array_equal(again[0], w_bar)
    assert again[1] == b_bar
    out = tmp_path / "out.py"
    out.write_text(text)
    ruff_is_happy(out)


def test_output_is_deterministic_and_imports_numpy_alone(write):
    path = write("model.py", LOSS)
    text = transpile(path)
    assert text == transpile(path)
    tree = ast.parse(text)
    imports = [n for n in ast.walk(tree) if isinstance(n, ast.Import | ast.ImportFrom)]
    assert [ast.unparse(n) for n in imports] == ["import numpy as np"]
    assert text.startswith("# Made for a test\n")
    assert ast.get_docstring(tree) == "Gradients of loss."
    assert "RATE = 0.5\n" in text
    assert "SIZES = 1.0, (2.0, 3)\n" in text
    assert "squared" not in {n.name for n in tree.body if hasattr(n, "name")}


def test_known_kinds_need_no_helpers(write):
    signature = (
        "loss(w: float64[d!=1], b: float, x: float64[n!=1, d!=1], y: float64[n!=1])"
    )
    text = transpile(write("model.py", LOSS), signatures=[signature])
    assert "sum_to_shape_of" not in text


def test_arguments_of_other_kinds_are_refused(write):
    signature = "loss(w: float64[d], b: float, x: float64[:, d], y: float64[!=1])"
    module = run(transpile(write("model.py", LOSS), signatures=[signature]))
    w, b, x, y = ARRAYS
    module.loss_grad(w, b, x, y)
    for wrong, told in [
        ((w[None], b, x, y), "w must be float64[d]"),
        ((w.astype(np.float32), b, x, y), "w must be float64[d]"),
        ((w, w, x, y), "b must be float"),
        ((w, b, x[:, :1], y), "x must be float64[:, d]"),
        ((w, b, x, y[:1]), "y must be float64[!=1]"),
    ]:
        with pytest.raises(TypeError) as raised:
            module.loss_grad(*wrong)
        assert str(raised.value) == told


def test_known_values_are_checked(write):
    path = write(
        "model.py",
        """
        import numpy as np
        def total(x, axis, scale=None, flag=True, mode='mean'):
            y = np.sum(x, axis=axis)
            if scale is not None:
                y = y * scale
            return np.sum(y) if flag else np.max(y)
        """,
    )
    signature = (
        "total(x: float64[:, :], axis: 1, scale: None, flag: True, mode: 'mean')"
    )
    module = run(transpile(path, "total", signatures=[signature]))
    x = np.ones((2, 3))
    np.testing.assert_array_equal(module.total_grad(x, 1), x)
    for wrong, told in [
        ((x, 0), "axis must be 1"),
        ((x, 1, 2.0), "scale must be None"),
        ((x, 1, None, False), "flag must be True"),
        ((x, 1, None, True, "max"), "mode must be 'mean'"),
    ]:
        with pytest.raises(TypeError, match=told):
            module.total_grad(*wrong)


def test_parameters_keep_their_kinds_and_literal_defaults(write):
    path = write(
        "model.py",
        """
        START = 3.0
        def f(x, /, y=2.0, z=START, *, k=1.5, name="a"):
            return x * y * z * k
        """,
    )
    module = run(transpile(path, "f"))
    assert str(inspect.signature(module.f_grad)) == "(x, /, y, z, *, k=1.5, name='a')"
    assert module.f_grad(1.0, 2.0, 3.0) == 9.0


@pytest.mark.parametrize("alias", ["np", "num", "numpy"])
def test_numpy_has_the_name_that_the_module_gives_it(write, alias, tmp_path):
    path = write(
        "model.py",
        f"""
        import numpy as {alias}
        def f(x, y):
            return {alias}.sum({alias}.sin(x) * y)
        """,
    )
    text = transpile(path, "f", wrt=["x", "y"])
    line = "import numpy" if alias == "numpy" else f"import numpy as {alias}"
    assert f"\n{line}\n" in text and text.count("import") == 1
    x_bar, y_bar = run(text).f_grad(np.ones((2, 3)), np.ones(3))
    np.testing.assert_allclose(x_bar, np.cos(1.0) * np.ones((2, 3)))
    np.testing.assert_allclose(y_bar, 2 * np.sin(1.0) * np.ones(3))
    out = tmp_path / "out.py"
    out.write_text(text)
    ruff_is_happy(out)


def test_functions_imported_by_name(write):
    path = write(
        "model.py",
        """
        from math import sin as sine
        from numpy import exp
        def f(x: float):
            return sine(x) * exp(x)
        """,
    )
    text = transpile(path, "f")
    assert "import s2sad" not in text
    expected = np.exp(0.3) * (np.sin(0.3) + np.cos(0.3))
    assert run(text).f_grad(0.3) == pytest.approx(expected)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("start", ["[x]", "[x, x + 1.0]"])
def test_heaps(write, start):
    path = write(
        "model.py",
        """
        from heapq import heappush as put, heappop

        def merged(x: float, n: int) -> float:
            heap, total = START, 0.0
            for k in range(n):
                put(heap, x * k)
                first = heappop(heap)
                total += first * first
            return total
        """.replace("START", start),
    )
    text = transpile(path, "merged")
    assert "_heapq" not in text
    assert ("from heapq import" in text) is (start == "[x]")
    namespace = {"__name__": "merged"}
    exec(path.read_text(), namespace)
    wanted = numeric(lambda x: namespace["merged"](float(x), 4), 1.5)
    assert run(text).merged_grad(1.5, 4) == pytest.approx(float(wanted), rel=1e-6)


def test_structures_come_back_as_the_classes_they_were(write):
    path = write(
        "model.py",
        """
        from dataclasses import dataclass
        from typing import NamedTuple, TypedDict
        import numpy as np
        import s2sad

        class Layer(NamedTuple):
            w: np.ndarray
            b: float

        @dataclass
        class Model:
            layer: Layer
            scale: float

        class Params(TypedDict):
            w: np.ndarray

        @s2sad.differentiate
        def loss(model: Model, params: Params, x):
            layer = model.layer
            y = np.sum(x * layer.w + layer.b) * model.scale
            return y * np.sum(params["w"])

        @s2sad.differentiate(wrt=(0, 1))
        def named(model: Model, params: Params):
            return model.scale * np.mean(params["w"])
        """,
    )
    text = transpile(path)
    assert "type(model)(" in text and "type(model.layer)(" in text
    module = run(text)
    Layer = __import__("collections").namedtuple("Layer", "w b")
    Model = __import__("dataclasses").make_dataclass("Model", ["layer", "scale"])
    x, w = np.array([1.0, 2.0]), np.array([3.0, -1.0])
    got = module.loss_grad(Model(Layer(w, 0.5), 2.0), {"w": np.ones(3)}, x)
    assert type(got) is Model and type(got.layer) is Layer
    np.testing.assert_allclose(got.layer.w, 6 * x)
    assert got.layer.b == pytest.approx(12.0)
    assert got.scale == pytest.approx(3 * np.sum(x * w + 0.5))
    first, second = module.named_grad(Model(Layer(w, 0.5), 2.0), {"w": np.ones(4)})
    assert first.scale == 1.0
    np.testing.assert_array_equal(first.layer.w, 0 * w)
    np.testing.assert_allclose(second["w"], np.full(4, 0.5))


def test_functions_and_constants_of_other_modules_are_copied(write):
    write(
        "helpers.py",
        "import numpy as np\nSCALE = 3.0\ndef scaled(x):\n    return x * SCALE\n",
    )
    path = write(
        "model.py",
        """
        import numpy as np
        import helpers
        from helpers import scaled
        def f(x):
            return np.sum(scaled(x)) * helpers.SCALE
        """,
    )
    text = transpile(path, "f")
    assert "SCALE = 3.0" in text and "import helpers" not in text
    np.testing.assert_array_equal(run(text).f_grad(np.ones(2)), [9.0, 9.0])


def test_constants_of_one_name_and_two_values(write):
    write("helpers.py", "SCALE = 3.0\ndef scaled(x):\n    return x * SCALE\n")
    path = write(
        "model.py",
        """
        from helpers import scaled
        SCALE = 2.0
        def f(x: float):
            return scaled(x) * SCALE
        """,
    )
    assert run(transpile(path, "f")).f_grad(1.0) == 6.0


def test_a_constant_may_be_called_like_a_temporary(write):
    path = write(
        "model.py",
        """
        import math
        total, product, power = 3.0, 5.0, 7.0
        def f(x: float):
            y = (x + 1.0) * (x + 2.0)
            return math.sin(y) * total + y**2 * power + (x * x + 3.0) * product
        """,
    )

    def f(x):
        y = (x + 1.0) * (x + 2.0)
        return np.sin(y) * 3.0 + y**2 * 7.0 + (x * x + 3.0) * 5.0

    got = run(transpile(path, "f")).f_grad(0.3)
    assert got == pytest.approx(float(numeric(f, 0.3)), rel=1e-7)


def test_other_data_is_read_live_from_the_original(write, monkeypatch, tmp_path):
    path = write(
        "data_of_model.py",
        """
        import numpy as np
        table = np.arange(3.0)
        def f(x):
            return np.sum(x * table)
        """,
    )
    text = transpile(path, "f")
    assert "import data_of_model\n" in text
    monkeypatch.syspath_prepend(str(tmp_path))
    module = run(text)
    np.testing.assert_array_equal(module.f_grad(np.ones(3)), [0.0, 1.0, 2.0])
    original = importlib.import_module("data_of_model")
    original.table = np.ones(3)
    np.testing.assert_array_equal(module.f_grad(np.ones(3)), np.ones(3))
    out = tmp_path / "out.py"
    out.write_text(text)
    ruff_is_happy(out)


def test_data_of_a_module_that_needs_s2sad_is_refused(write):
    text = """
        import numpy as np
        import {imported}
        table = np.arange(3.0)
        def f(x):
            return np.sum(x * table)
        """
    write("middle.py", "from s2sad import grad\n")
    path = write("model.py", text.format(imported="s2sad"))
    with pytest.raises(
        S2sadError, match=r"table is not a literal.*model.py imports s2"
    ):
        transpile(path, "f")
    path = write("model_2.py", text.format(imported="middle"))
    with pytest.raises(S2sadError, match=r"middle.py imports s2sad"):
        transpile(path, "f")


def test_why_s2sad_is_needed(write):
    assert (
        why_s2sad_is_needed(write("a.py", "import numpy\ndef f():\n    import s2sad\n"))
        is None
    )
    text = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import s2sad\n"
    assert why_s2sad_is_needed(write("b.py", text)) is None
    write("package/__init__.py", "")
    write("package/inner.py", "import s2sad.optim\n")
    path = write("package/outer.py", "from . import inner\n")
    assert why_s2sad_is_needed(path) == "inner.py imports s2sad"
    path = write("package/c.py", "from .d import x\n")
    write("package/d.py", "from .c import y\n")
    assert why_s2sad_is_needed(path) is None


@pytest.mark.parametrize(
    "text, names, options, told",
    [
        ("x = 1\n", (), {}, "no function is decorated"),
        ("def f(x): return x\n", ("g",), {}, "no function g"),
        ("def f(n: int): return n\n", ("f",), {}, "n of f is int"),
        ("def f(): return 1.0\n", ("f",), {}, "f has no parameters"),
        ("def f(*x): return x\n", ("f",), {}, "takes *x"),
        ("def f(x): return x\n", ("f",), {"wrt": ["y"]}, "there is no parameter y"),
        (
            "def f(x): return x\n",
            ("f",),
            {"signatures": ["f(y: float)"]},
            "no parameter y",
        ),
        (
            "def f(x): return x\n",
            ("f",),
            {"signatures": ["g(x: float)"]},
            "g is not among",
        ),
        (
            "def f(x): return x\n",
            ("f",),
            {"signatures": ["f(x: flot)"]},
            "did you mean float",
        ),
        ("def f(x: str): return x\n", ("f",), {}, "x of f is"),
        ("async def f(x): return x\n", ("f",), {}, "async"),
    ],
)
def test_refusals(write, text, names, options, told):
    with pytest.raises(S2sadError) as raised:
        transpile(write("model.py", text), *names, **options)
    assert told in str(raised.value)


def test_unsupported_construct_is_shown(write):
    path = write("model.py", "def f(x):\n    y = yield x\n    return y\n")
    with pytest.raises(UnsupportedError, match=r"model.py:2"):
        transpile(path, "f")


def test_only_one_of_the_two(write):
    path = write("model.py", LOSS)
    text = transpile(path, gradient=False)
    assert "def loss_value_and_grad(" in text and "def loss_grad(" not in text
    text = transpile(path, value_and_gradient=False)
    assert "def loss_value_and_grad(" not in text and "def loss_grad(" in text


def test_unknown_kinds_serve_numbers_and_arrays(write):
    path = write(
        "model.py",
        """
        import numpy as np
        def f(x, n):
            for i in range(n):
                x = x * x + 0.1
            return np.sum(x)
        """,
    )
    module = run(transpile(path, "f"))

    def f(x):
        for i in range(3):
            x = x * x + 0.1
        return np.sum(x)

    for x in (0.5, np.array([0.5, -0.7]), np.array([[0.5], [0.2]])):
        np.testing.assert_allclose(module.f_grad(x, 3), numeric(f, x), rtol=1e-6)


def test_results_that_turn_out_to_be_arrays_are_refused(write):
    path = write("model.py", "def f(x):\n    return x * x\n")
    module = run(transpile(path, "f"))
    assert module.f_grad(3.0) == 6.0
    for derivative in (module.f_grad, module.f_value_and_grad):
        with pytest.raises(TypeError, match="one number"):
            derivative(np.ones(2))


# -- helpers --------------------------------------------------------------------------


def all_helpers():
    found = []
    for info in (
        *pkgutil.iter_modules(runtime.__path__, "s2sad.ops.runtime."),
        *pkgutil.iter_modules(numerics.__path__, "s2sad.ops.numerics."),
    ):
        module = importlib.import_module(info.name)
        found += [
            f
            for f in vars(module).values()
            if isinstance(f, types.FunctionType) and f.__module__ == module.__name__
        ]
    # files have passes of their own in place of the general functions, and Jacobians by
    # structures are refused in functions that are differentiated
    return [
        f for f in found if not f.__module__.endswith((".structures", ".jacobians"))
    ]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("alias", ["np", "num"])
def test_every_helper_can_be_copied(alias, tmp_path):
    helpers = all_helpers()
    definitions = helper_definitions(helpers, {"numpy": alias, "math": "math"})
    names = [helper.__name__ for helper in helpers]
    assert len(set(names)) == len(names), "two helpers have one name"
    assert definitions.keys() >= set(names)  # and classes that some of them make
    text = f"import math\n\nimport numpy as {alias}\n\n\n" + render(
        list(definitions.values())
    )
    namespace = {}
    exec(text, namespace)
    for helper in helpers:
        parameters = list(inspect.signature(helper).parameters)
        copy = namespace[helper.__name__]
        assert list(inspect.signature(copy).parameters) == parameters
    out = tmp_path / "helpers.py"
    out.write_text(text)
    ruff_is_happy(out)


def test_called_helpers_come_along():
    from s2sad.ops.numerics.special import digamma

    definitions = helper_definitions([digamma], {"numpy": "np", "math": "math"})
    called = ["digamma", "_digamma_of_number", "polygamma", "_polygamma_right"]
    assert list(definitions) == called
    namespace = {"np": np, "math": math}
    exec(render(list(definitions.values())), namespace)
    assert namespace["digamma"](1.0) == pytest.approx(-np.euler_gamma)


def test_comments_are_kept_in_place():
    text = textwrap.dedent(
        """\
        # first
        def f(x):
            # before if
            if x:
                # inside
                y = 1
            else:
                # in else
                # twice
                y = (
                    2
                )
            # last
            return y
        """
    )
    wanted = text.replace("(\n            2\n        )", "2")
    assert render(parse_with_comments(text)) == wanted
