"""``s2sad transpile``: the file it writes, and what it leaves alone when it fails."""

import os
import shlex
import stat
import subprocess
import sys

import numpy as np
import pytest

MADE = "# Made by s2sad from model.py; don't edit.\n"
SIGNATURE = "loss(w: float64[:], b: float, x: float64[:, :], y: float64[:])"


def load(path):
    namespace = {"__name__": path.stem}
    exec(compile(path.read_text(), str(path), "exec"), namespace)
    return namespace


def command_in(path):
    """The command that a file says renews it."""
    head = path.read_text().partition('"""')[0]
    lines = [line.removeprefix("#") for line in head.splitlines()]
    return "\n".join(line for line in lines if line.startswith("     "))


def test_writes_both_derivatives_of_decorated_functions(s2sad, model, folder):
    out = folder / "out.py"
    result = s2sad("transpile", "model.py", "-o", "out.py", "--signature", SIGNATURE)
    assert result.exit_code == 0, result.stderr
    assert result.stdout == result.stderr == ""
    made = load(out)
    assert {"loss_grad", "loss_value_and_grad"} <= made.keys()
    assert "cube_grad" not in made
    w, b, x, y = np.ones(2), 0.5, np.array([[1.0, 2.0], [3.0, 4.0]]), np.zeros(2)
    value, (w_bar, b_bar) = made["loss_value_and_grad"](w, b, x, y)
    residual = x @ w + b - y
    assert value == np.mean(residual**2)
    np.testing.assert_allclose(w_bar, x.T @ residual)
    np.testing.assert_allclose(b_bar, np.sum(residual))
    assert "s2sad" not in "".join(
        line for line in out.read_text().splitlines() if "import" in line
    )


def test_named_functions_come_too(s2sad, model, folder):
    assert s2sad("transpile", "model.py", "cube", "-o", "out.py").exit_code == 0
    made = load(folder / "out.py")
    assert made["cube_grad"](2.0) == 12.0
    assert "loss_grad" in made


def test_checkpoints_need_numpy_alone(s2sad, folder):
    text = (
        "import numpy as np\n"
        "from s2sad import checkpoint\n"
        "def swing(x, n):\n"
        "    for t in checkpoint(range(n), snapshots=2):\n"
        "        x = x + 0.1 * np.sin(x)\n"
        "    return x\n"
    )
    (folder / "swing.py").write_text(text)
    options = ("--grad", "--signature", "swing(x: float, n: int)")
    result = s2sad("transpile", "swing.py", "swing", "-o", "out.py", *options)
    assert result.exit_code == 0, result.stderr
    assert "import s2sad" not in (folder / "out.py").read_text()
    made, x, slope = load(folder / "out.py"), 0.3, 1.0
    for _ in range(9):
        x, slope = x + 0.1 * np.sin(x), slope * (1.0 + 0.1 * np.cos(x))
    assert "first_snapshots" in made
    np.testing.assert_allclose(made["swing_grad"](0.3, 9), slope)


@pytest.mark.parametrize(
    "option, left_out", [("--grad", "value_and_grad"), ("--value-and-grad", "grad")]
)
def test_one_of_the_two(s2sad, model, folder, option, left_out):
    assert s2sad("transpile", "model.py", "-o", "out.py", option).exit_code == 0
    assert f"loss_{left_out}" not in load(folder / "out.py")


def test_dash_prints(s2sad, model, folder):
    result = s2sad("transpile", "model.py", "-o", "-")
    assert result.exit_code == 0
    assert "def loss_grad(w, b, x, y):" in result.stdout
    assert [p.name for p in folder.iterdir()] == ["model.py"]


@pytest.mark.long
def test_the_header_renews_the_file(s2sad, model, folder, write):
    long = (
        "loss(w:   float64[number_of_features], b: float, "
        "x: float64[number_of_samples, number_of_features], "
        "y: float64[number_of_samples])"
    )
    (folder / "made").mkdir()
    out = folder / "made" / "out.py"
    arguments = ["--wrt", "x", "--signature", "cube(x: float)", "--signature", long]
    result = s2sad("transpile", "model.py", "cube", "-o", out, *arguments, "--grad")
    assert result.exit_code == 0, result.stderr
    text = out.read_text()
    assert str(folder) not in text
    assert all(len(line) <= 88 for line in text.splitlines())
    command = command_in(out)
    words = shlex.split(command)
    assert words[:6] == ["s2sad", "transpile", "../model.py", "cube", "-o", "out.py"]
    out.write_text(text.partition("\n")[0])
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    done = subprocess.run(
        command.replace("s2sad", f'"{sys.executable}" -m s2sad', 1),
        shell=True,
        cwd=out.parent,
        env={**os.environ, "PYTHONPATH": root},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert out.read_text() == text


def test_bytes_do_not_depend_on_where_it_is_run(s2sad, model, folder, monkeypatch):
    s2sad("transpile", "model.py", "-o", "out.py")
    first = (folder / "out.py").read_bytes()
    (folder / "inner").mkdir()
    monkeypatch.chdir(folder / "inner")
    s2sad("transpile", "../model.py", "-o", "../out.py")
    assert (folder / "out.py").read_bytes() == first
    s2sad("transpile", str(folder / "model.py"), "-o", str(folder / "out.py"))
    assert (folder / "out.py").read_bytes() == first


@pytest.mark.long
def test_bytes_do_not_depend_on_hash_seeds(model, folder):
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    outputs = set()
    for seed in ("0", "1", "2"):
        done = subprocess.run(
            [sys.executable, "-m", "s2sad", "transpile", "model.py", "-o", "-"],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": root, "PYTHONHASHSEED": seed},
            capture_output=True,
        )
        outputs.add(done.stdout)
    assert len(outputs) == 1 and outputs != {b""}


def test_check(s2sad, model, folder):
    out = folder / "out.py"
    assert s2sad("transpile", "model.py", "-o", "out.py", "--check").exit_code == 1
    assert not out.exists()
    s2sad("transpile", "model.py", "-o", "out.py")
    assert s2sad("transpile", "model.py", "-o", "out.py", "--check").exit_code == 0
    model.write_text(model.read_text().replace("residual**2", "residual**3"))
    before = out.read_bytes()
    result = s2sad("transpile", "model.py", "-o", "out.py", "--check")
    assert result.exit_code == 1
    assert "isn't up to date" in result.stderr
    assert out.read_bytes() == before


def test_permissions_are_kept(s2sad, model, folder):
    out = folder / "out.py"
    out.write_text(MADE)
    out.chmod(0o640)
    assert s2sad("transpile", "model.py", "-o", "out.py").exit_code == 0
    assert stat.S_IMODE(out.stat().st_mode) == 0o640
    mask = os.umask(0o027)
    try:
        s2sad("transpile", "model.py", "-o", "new.py")
    finally:
        os.umask(mask)
    assert stat.S_IMODE((folder / "new.py").stat().st_mode) == 0o640


def test_a_link_stays_a_link(s2sad, model, folder):
    (folder / "real.py").write_text(MADE)
    (folder / "link.py").symlink_to("real.py")
    assert s2sad("transpile", "model.py", "-o", "link.py").exit_code == 0
    assert (folder / "link.py").is_symlink()
    assert "loss_grad" in (folder / "real.py").read_text()


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    "arguments, told",
    [
        (["missing.py", "-o", "out.py"], "missing.py"),
        (["broken.py", "-o", "out.py"], "broken.py:1: the text is not valid Python"),
        (["model.py", "nope", "-o", "out.py"], "no function nope"),
        (["model.py", "-o", "missing/out.py"], "missing"),
        (["model.py", "-o", "."], "directory"),
        (["model.py", "-o", "model.py"], "file to be read"),
        (
            ["model.py", "-o", "out.py", "--signature", "loss(w: x)"],
            "signature, column",
        ),
        (["model.py", "-o", "out.py", "--wrt", "w"], "name one"),
        (["model.py", "-o", "-", "--check"], "--check"),
        (["unsupported.py", "-o", "out.py"], "unsupported.py:5:"),
        (["live.py", "-o", "out.py"], "table is not a literal"),
    ],
)
def test_failures_leave_what_was_there(refused, model, write, folder, arguments, told):
    write("broken.py", "def f(x:\n")
    write(
        "unsupported.py",
        """
        from s2sad import differentiate
        @differentiate
        def f(x: float):
            return [y for y in x]
        """,
    )
    write(
        "live.py",
        """
        import numpy as np
        from s2sad import differentiate
        table = np.arange(3.0)
        @differentiate
        def f(x: float):
            return np.sum(x * table)
        """,
    )
    write("out.py", "as it was")
    before = {p.name: p.read_bytes() for p in folder.iterdir()}
    message = refused("transpile", *arguments)
    assert told in message and "bug" not in message
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == before


def test_an_unwritable_target(refused, model, folder, monkeypatch):
    out = folder / "out.py"
    out.write_text(MADE)
    writable = os.access
    monkeypatch.setattr(
        os, "access", lambda p, mode: mode != os.W_OK and writable(p, mode)
    )
    assert "out.py: is not writable" in refused("transpile", "model.py", "-o", "out.py")
    assert out.read_text() == MADE
    assert sorted(p.name for p in folder.iterdir()) == ["model.py", "out.py"]


def test_a_full_disk_leaves_nothing_half_written(refused, model, folder, monkeypatch):
    out = folder / "out.py"
    out.write_text(MADE)

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    assert "No space left" in refused("transpile", "model.py", "-o", "out.py")
    assert out.read_text() == MADE
    assert sorted(p.name for p in folder.iterdir()) == ["model.py", "out.py"]


def test_unexpected_failures_are_told_without_a_traceback(refused, model, monkeypatch):
    from s2sad.transpile import files as transpile

    monkeypatch.setattr(transpile, "compile_gradient", lambda *a, **k: 1 / 0)
    message = refused("transpile", "model.py", "-o", "out.py")
    assert "ZeroDivisionError" in message and "bug of s2sad" in message


def test_both_methods_of_one_name_are_transpiled(s2sad, write, folder):
    write(
        "two.py",
        """
        from s2sad import differentiate
        class P:
            @differentiate(wrt="x")
            def f(self, x: float):
                return x
        class Q:
            class Inner:
                @differentiate
                def f(self, x: float):
                    return x * x
        """,
    )
    assert s2sad("transpile", "two.py", "-o", "out.py").exit_code == 0
    made = load(folder / "out.py")
    assert made["P_f_grad"](None, 3.0) == 1.0
    assert made["Q_Inner_f_grad"](None, 3.0) == 6.0


SHAPES = """
    import abc
    import numpy as np
    from s2sad import differentiate

    class Base(abc.ABC):
        scale = 2.0
        power = 3
        name: str = "a"

        def __init__(self, b: float, w):
            self.b = b
            self.w = np.asarray(w)

        def feature(self, x):
            return self.scale * x**self.power

        @property
        def twice(self):
            return 2.0 * self.b

    class Model(Base):
        def __init__(self, b, w):
            super().__init__(b, w)
            self.k: float = 1.5

        @differentiate(wrt="x")
        def loss(self, x: float):
            return self.feature(x) * self.twice * self.k

        @differentiate(wrt=("b", "c"))
        def many(this, b: np.ndarray, c: float):
            return np.sum(b * this.w) * c

        @differentiate
        def own(self, x: float):
            return self.b * x * self.k

        @staticmethod
        @differentiate
        def square(x: float):
            return x * x
"""


def test_self_is_an_object_of_its_class(s2sad, write, folder):
    write("shapes.py", SHAPES)
    result = s2sad("transpile", "shapes.py", "-o", "out.py", "--grad")
    assert result.exit_code == 0, result.stderr
    made, there = load(folder / "out.py"), load(folder / "shapes.py")
    model = there["Model"](0.5, [1.0, 2.0])
    assert made["loss_grad"](model, 2.0) == 36.0
    model.scale = 5.0
    assert made["loss_grad"](model, 2.0) == 90.0
    model.power = 4
    with pytest.raises(TypeError, match="self.power must be 3"):
        made["loss_grad"](model, 2.0)
    model.power = 3
    b_bar, c_bar = made["many_grad"](model, np.array([1.0, 2.0]), 3.0)
    np.testing.assert_allclose(b_bar, [3.0, 6.0])
    assert c_bar == 5.0
    assert made["own_grad"](model, 4.0) == 0.75
    assert made["square_grad"](3.0) == 6.0


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    "held, told",
    [
        ("self.b = [b]", None),  # of unknown kind: b of the run
        ("self.b = b if b else 2.0", None),
        ("self.b = np.float64(b)", None),
        ("self.b: float = b", "self.b must be float"),
        ("self.b = b", "self.b must be float"),
        ("(self.b, self.c) = (b, b)", None),
        ("self.later()", None),
        ("self.of_class = self.b = b", "self.b must be float"),
        ("self.b = b; self.of_base = b", "self.b must be float"),
    ],
)
def test_attributes_of_self_and_what_is_checked(s2sad, write, folder, held, told):
    write(
        "held.py",
        f"""
        import numpy as np
        from s2sad import differentiate
        class Base:
            of_base = None
        class Model(Base):
            of_class = None
            def __init__(self, b: float):
                {held}
            def later(self):
                self.b = 2.0
            @differentiate
            def loss(self, x: float):
                return np.sum(np.asarray(self.b) * x)
        """,
    )
    result = s2sad("transpile", "held.py", "-o", "out.py", "--grad")
    assert result.exit_code == 0, result.stderr
    text = (folder / "out.py").read_text()
    assert ("self.b must be" in text) == (told is not None)
    assert ("of_class must be None" in text) == ("of_class" not in held)
    assert ("of_base must be None" in text) == ("of_base" not in held)
    model = load(folder / "held.py")["Model"](2.0)
    np.testing.assert_allclose(load(folder / "out.py")["loss_grad"](model, 3.0), 2.0)


@pytest.mark.parametrize(
    "text, told",
    [
        (
            "if len(__file__):\n    @differentiate\n    def f(x: float): return x\n",
            ":4",
        ),
        (
            "def g():\n    @differentiate\n    def f(x: float): return x\n",
            "g.f is left",
        ),
        (
            "class A:\n    @classmethod\n    @differentiate\n"
            "    def f(cls, x: float): return x\n",
            "classmethod",
        ),
    ],
)
def test_no_decorated_function_is_left_out_silently(s2sad, write, text, told):
    head = "from s2sad import differentiate\n"
    write("alone.py", head + text)
    result = s2sad("transpile", "alone.py", "-o", "-")
    assert result.exit_code == 2
    assert told in result.stderr
    write("more.py", f"{head}{text}\n@differentiate\ndef h(x: float):\n    return x\n")
    result = s2sad("transpile", "more.py", "-o", "-")
    assert told in result.stderr
    if "classmethod" not in text:
        assert result.exit_code == 0 and "def h_grad" in result.stdout


def test_lengths_that_only_cotangents_combine(s2sad, folder):
    text = (
        "import numpy as np\n\n\n"
        "def f(a, m):\n"
        "    a[:] = m[0]\n"
        "    h = a[1:3]\n"
        "    h[1] *= np.inner(a, m[1])\n"
        "    return np.sum(a**2)\n"
    )
    (folder / "rows.py").write_text(text)
    options = ("--signature", "f(a: float64[:], m: float64[:, :])", "--wrt", "m")
    assert s2sad("transpile", "rows.py", "f", "-o", "out.py", *options).exit_code == 0
    made, own = {}, {}
    exec((folder / "out.py").read_text(), made)
    exec(text, own)
    m, step = np.arange(6.0).reshape(2, 3) + 0.5, 1e-6
    expected = np.zeros_like(m)
    for place in np.ndindex(m.shape):
        moved = np.zeros_like(m)
        moved[place] = step
        ends = [own["f"](np.ones(3), m + s * moved) for s in (1.0, -1.0)]
        expected[place] = (ends[0] - ends[1]) / (2 * step)
    np.testing.assert_allclose(made["f_grad"](np.ones(3), m), expected, rtol=1e-6)
