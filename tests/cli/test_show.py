"""``s2sad show``."""

import ast

import pytest

SIGNATURE = "loss(w: float64[:], b: float, x: float64[n!=1, d], y: float64[n!=1])"


def test_prints_the_gradient_as_plain_text(s2sad, model):
    result = s2sad("show", "model.py::loss")
    assert result.exit_code == 0
    assert result.stdout.startswith("def loss_grad(w, b, x, y):\n")
    assert "\x1b" not in result.stdout
    ast.parse(result.stdout)
    assert "return w_bar, b_bar" in result.stdout


def test_signature_wins_over_annotations(s2sad, model):
    result = s2sad("show", "model.py::loss", "--signature", SIGNATURE)
    assert "# residual = x @ w + b - y" in result.stdout
    assert "b_bar = np.sum(residual_bar)" in result.stdout


@pytest.mark.parametrize(
    "wrt, returned", [("x", "return x_bar"), ("x, b", "return x_bar, b_bar")]
)
def test_wrt(s2sad, model, wrt, returned):
    result = s2sad("show", "model.py::loss", "--wrt", wrt, "--signature", SIGNATURE)
    assert returned in result.stdout


@pytest.mark.parametrize(
    "mode, names",
    [
        ("grad", ["cube_grad"]),
        ("value_and_grad", ["cube_value_and_grad"]),
        ("jvp", ["cube_jvp"]),
        ("vjp", ["cube_forward", "cube_reverse"]),
        ("hvp", ["cube_hvp"]),
    ],
)
def test_modes(s2sad, model, mode, names):
    result = s2sad("show", "model.py::cube", "--mode", mode)
    assert result.exit_code == 0, result.stderr
    assert [n.name for n in ast.parse(result.stdout).body] == names
    namespace = {}
    exec(result.stdout, namespace)
    function = namespace[names[0]]
    wanted = {
        "grad": lambda: function(3.0) == 27.0,
        "value_and_grad": lambda: function(3.0) == (27.0, 27.0),
        "jvp": lambda: function(3.0, 2.0) == (27.0, 54.0),
        "vjp": lambda: namespace[names[1]](function(3.0)[1], 2.0) in (54.0, (54.0,)),
        "hvp": lambda: function(3.0, 2.0) == 36.0,
    }
    assert wanted[mode]()


def test_methods(s2sad, model):
    result = s2sad("show", "model.py::Model.energy")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith("def energy_grad(self, x):")


def test_structures_from_annotations(s2sad, write):
    write(
        "m.py",
        """
        from typing import TypedDict
        import numpy as np
        from numpy.typing import NDArray
        class Params(TypedDict):
            w: NDArray[np.float64]
            b: float
        def loss(p: Params, x):
            return np.mean(x @ p["w"] + p["b"])
        """,
    )
    result = s2sad("show", "m.py::loss")
    assert result.exit_code == 0
    assert 'return {"w": p_w_bar, "b": p_b_bar}' in result.stdout
    assert "saved" not in result.stdout


def test_the_module_is_not_executed(s2sad, write):
    write("m.py", "def f(x: float):\n    return x * x\nraise SystemExit('executed')\n")
    assert "def f_grad(x)" in s2sad("show", "m.py::f").stdout


@pytest.mark.parametrize("no_color, highlighted", [(None, True), ("1", False)])
def test_highlights_on_a_terminal(folder, model, monkeypatch, no_color, highlighted):
    import io
    import sys

    from s2sad.cli.common import print_python

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    if no_color:
        monkeypatch.setenv("NO_COLOR", no_color)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setattr(sys, "stdout", Terminal())
    text = f"def f(x):\n    return {'x + ' * 40}x\n"
    print_python(text)
    written = sys.stdout.getvalue()
    assert ("\x1b[" in written) == highlighted
    import re

    assert re.sub(r"\x1b\[[0-9;]*m", "", written) == text


@pytest.mark.parametrize(
    "arguments, told",
    [
        (["missing.py::f"], "missing.py"),
        (["broken.py::f"], "not valid Python"),
        (["model.py::missing"], "model.py: loss, cube"),
        (["model.py::Model"], "not a function"),
        (["model.py::loss", "--wrt", "z"], "there is no parameter z"),
        (["model.py::loss", "--wrt", "w,w"], "once"),
        (["model.py::loss", "--signature", "loss(w: float64[)"], "signature, column"),
        (["model.py::loss", "--signature", "cube(x: float)"], "cube, not of loss"),
        (["model.py::loss", "--signature", "loss(z: float)"], "no parameter z"),
        (
            ["model.py::loss", "--signature", "loss(w: int)", "--wrt", "w"],
            "no derivative",
        ),
        (["unsupported.py::f"], "unsupported.py:2:"),
        (["vector.py::f"], "array of 1 axes"),
    ],
)
def test_failures(refused, model, write, arguments, told):
    write("broken.py", "def f(x:\n")
    write("unsupported.py", "def f(x: float):\n    return [y for y in x]\n")
    write("vector.py", "import numpy as np\nfrom jaxtyping import Float\n"
          "def f(x: 'Float[np.ndarray, \"n\"]'):\n    return x * x\n")  # fmt: skip
    message = refused("show", *arguments)
    assert told in message
    assert message.startswith("s2sad: ")
    assert "bug" not in message


def test_no_bytecode_or_other_files_are_left(s2sad, model, folder):
    s2sad("show", "model.py::loss")
    assert [p.name for p in folder.iterdir()] == ["model.py"]


@pytest.mark.parametrize("number", ["9" * 3000, "10**10000", "0x" + "f" * 6000])
def test_numbers_that_no_float_holds(s2sad, write, number):
    write("m.py", f"def f(x: float, n: int):\n    return x * (({number}) % n)\n")
    result = s2sad("show", "m.py::f")
    assert result.exit_code == 0, result.stderr
    namespace = {}
    exec(result.stdout, namespace)
    assert namespace["f_grad"](1.5, 7) == eval(number) % 7
    write("m.py", f"def f(x: float):\n    return x * ({number})\n")
    result = s2sad("show", "m.py::f", "--mode", "value_and_grad")
    assert "bug" not in result.stderr
    if result.exit_code == 0:
        exec(result.stdout, namespace)
        with pytest.raises(OverflowError):
            namespace["f_value_and_grad"](1.5)
