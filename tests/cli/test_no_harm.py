"""The command line does no harm: what it writes over, what it executes (nothing), and
how it ends whatever it is given."""

import os
import subprocess
import sys
import threading

import pytest

from s2sad.source.static.imports import STANDARD

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def run(folder, *arguments, **more):
    """A process of its own: the working folder is on its path, as with ``-m``."""
    return subprocess.run(
        [sys.executable, "-B", "-m", "s2sad", *map(str, arguments)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": ROOT},
        capture_output=True,
        timeout=60,
        **more,
    )


# ------------------------------------------------------------------- what is replaced


def test_other_files_are_replaced_by_force_alone(s2sad, refused, model, folder):
    out = folder / "out.py"
    for text in ("notes of my own\n", "", "# a comment\n# Made by s2sad from x.py\n"):
        out.write_text(text)
        message = refused("transpile", "model.py", "-o", "out.py")
        assert "out.py: this file wasn't made by s2sad" in message
        assert message.count("\n") == 1
        assert out.read_text() == text
    assert s2sad("transpile", "model.py", "-o", "out.py", "--force").exit_code == 0
    assert out.read_text().startswith("# Made by s2sad from model.py;")
    assert s2sad("transpile", "model.py", "-o", "out.py").exit_code == 0


NEIGHBOURS = """
    import unread
    import helper
    from s2sad import differentiate

    @differentiate
    def f(x: float):
        return helper.square(x)
"""


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    "name, told",
    [
        ("m.py", "the file to be read"),
        ("hard.py", "the file to be read"),
        ("soft.py", "the file to be read"),
        ("helper.py", "a file that was read for m.py"),
        ("helper_link.py", "a file that was read for m.py"),
        ("unread.py", "m.py"),
        ("further.py", "m.py"),
        (".", "is a directory"),
        ("numpy.py", "this would be imported as numpy"),
        ("later.py", "this would be imported as later"),
    ],
)
def test_modules_are_never_written_over(refused, write, folder, name, told):
    write("m.py", NEIGHBOURS.replace("import unread", "import unread, later"))
    write("helper.py", "import numpy as np\ndef square(x): return np.square(x)\n")
    write("unread.py", "import further\n")
    write("further.py", "")
    os.link(folder / "m.py", folder / "hard.py")
    (folder / "soft.py").symlink_to("m.py")
    (folder / "helper_link.py").symlink_to(folder / "helper.py")
    before = {p.name: p.read_bytes() for p in folder.iterdir()}
    assert told in refused("transpile", "m.py", "-o", name, "--force")
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == before


def test_a_module_may_import_what_was_made_of_it(s2sad, write, folder):
    write("m.py", NEIGHBOURS.replace("import unread", "import made"))
    write("helper.py", "def square(x): return x * x\n")
    write("made.py", "# Made by s2sad from m.py; don't edit.\n")
    assert s2sad("transpile", "m.py", "-o", "made.py").exit_code == 0
    assert "def f_grad" in (folder / "made.py").read_text()


def test_pipes_and_devices_stay_what_they_are(s2sad, refused, model, folder):
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    assert s2sad("transpile", "model.py", "-o", "pipe").exit_code == 0
    reader.join(10)
    assert read[0].startswith("# Made by s2sad from model.py;")
    assert pipe.is_fifo()
    assert s2sad("transpile", "model.py", "-o", os.devnull).exit_code == 0
    assert (folder / os.devnull).is_char_device()
    assert sorted(p.name for p in folder.iterdir()) == ["model.py", "pipe"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device of Linux")
def test_a_full_device(refused, model):
    from pathlib import Path

    if not Path("/dev/full").is_char_device():
        pytest.skip("not the device")
    message = refused("transpile", "model.py", "-o", "/dev/full")
    assert message == "s2sad: /dev/full: No space left on device\n"
    assert Path("/dev/full").is_char_device()


@pytest.mark.long
@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="not on this system")
def test_open_streams_are_written_to(model, folder):
    with open(folder / "log", "wb") as stream:
        stream.write(b"before\n")
        stream.flush()
        arguments = ["transpile", "model.py", "-o", "/dev/stdout"]
        done = subprocess.run(
            [sys.executable, "-m", "s2sad", *arguments],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": ROOT},
            stdout=stream,
        )
        assert done.returncode == 0
    text = (folder / "log").read_text()
    assert text.startswith("before\n") and text.count("def loss_grad") == 1


def test_open_files_are_written_to(s2sad, model, folder):
    with open(folder / "log", "w+b") as stream:
        stream.write(b"before\n")
        stream.flush()
        name = f"/dev/fd/{stream.fileno()}"
        assert s2sad("transpile", "model.py", "-o", name).exit_code == 0
        stream.seek(0)
        assert stream.read().startswith(b"before\n# Made by s2sad")
    assert "def loss" in s2sad("transpile", "model.py", "-o", "/dev/stdout").stdout


# ---------------------------------------------------------------- names in the output


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "name",
    ["a\nimport os.py", "a\rb.py", "it's.py", "-x.py", "a b, c.py", 'q"$x.py', "é.py"],
)
def test_names_of_files_are_quoted(s2sad, folder, name):
    (folder / name).write_text("def f(x: float):\n    return x * x\n")
    result = s2sad("transpile", "-o", "out.py", "--grad", "--", name, "f")
    assert result.exit_code == 0, result.stderr
    text = (folder / "out.py").read_text()
    code = [x for x in text.splitlines() if x and not x.startswith("#")]
    assert code[0] == '"""Gradients of f."""'
    command = text.splitlines()[2].removeprefix("#")
    shell = ["bash", "-c", f"printf '%s\\0' {command}"]
    words = subprocess.check_output(shell).decode().split("\0")
    assert s2sad(*words[1:-1]).exit_code == 0
    assert (folder / "out.py").read_text() == text


def test_a_literal_in_a_signature_ends_no_line(s2sad, write):
    write("m.py", "def f(x, mode):\n    return x * x\n")
    signature = "f(x: float, mode: 'a\nimport os')"
    result = s2sad("transpile", "m.py", "f", "-o", "-", "--signature", signature)
    lines = result.stdout.splitlines()
    assert "import os" not in lines


def test_what_can_not_be_imported_by_its_name(refused, folder):
    (folder / "my-model.py").write_text(
        "import numpy as np\ntable = np.arange(3.0)\n"
        "def f(x: float):\n    return np.sum(x * table)\n"
    )
    message = refused("transpile", "my-model.py", "f", "-o", "out.py")
    assert "can't be imported: rename the file" in message


# ----------------------------------------------------------------- nothing is executed

HIDING = """
    __main__ ast click copy functools inspect json math numbers operator os random re
    secrets string sys time token tokenize unittest
""".split()  # noqa: SIM905
# Not types: Python reads it before it knows what -m names.


@pytest.mark.long
def test_no_file_of_the_folder_is_executed(write, folder):
    for name in HIDING:
        write(f"{name}.py", f"open('executed', 'a').write('{name} ')\nK = 2.0\n")
    write("antigravity.py", "open('executed', 'a').write('antigravity ')\n")
    write(
        "m.py",
        """
        import antigravity, random, this, idlelib.idle, turtledemo.__main__
        import unittest.__main__, __main__, numpy.tests, numpy.conftest
        import statistics
        import numpy as np
        import numbers
        from s2sad import differentiate
        @differentiate
        def f(x: float):
            return np.sin(x) * numbers.K * random.K
        """,
    )
    for arguments in (["show", "m.py::f"], ["transpile", "m.py", "-o", "out.py"]):
        done = run(folder, *arguments)
        assert done.returncode == 0, done.stderr
    assert not (folder / "executed").exists()
    assert not (folder / "__pycache__").exists()
    out = (folder / "out.py").read_text()
    assert "np.cos(x) * K * random.K" in out or "np.cos(x) * K" in out


@pytest.mark.parametrize(
    "imported",
    ["import unittest.__main__", "import idlelib.idle", "import asyncio.__main__"],
)
def test_programs_of_the_standard_library_do_not_run(s2sad, write, imported):
    write("m.py", f"{imported}\ndef f(x: float):\n    return x * x\n")
    before = set(sys.modules)
    assert "def f_grad" in s2sad("show", "m.py::f").stdout
    assert imported.split()[1] not in set(sys.modules) - before
    write("m.py", f"{imported}\ndef f(x: float):\n    return {imported[7:]}.g(x)\n")
    result = s2sad("show", "m.py::f")
    assert result.exit_code == 2 and imported.split()[1] not in sys.modules


def test_a_file_that_hides_a_library_is_what_the_import_means(s2sad, refused, write):
    write("random.py", "FACTOR = 3.0\n")
    write("os.py", "FACTOR = 5.0\n")  # Python has it already: never found
    write("m.py", "import random\ndef f(x: float):\n    return x * random.FACTOR\n")
    result = s2sad("transpile", "m.py", "f", "-o", "-")
    assert "FACTOR = 3.0" in result.stdout
    write("m.py", "import os\ndef f(x: float):\n    return x * os.FACTOR\n")
    assert "os has no attribute 'FACTOR'" in refused("show", "m.py::f")
    write("numpy.py", "")
    write("m.py", "import numpy\ndef f(x: float):\n    return numpy.sin(x)\n")
    message = refused("show", "m.py::f")
    assert "numpy is meant to be the file numpy.py" in message


def test_importing_what_may_be_imported_does_nothing():
    code = f"""
import importlib, sys
done = []
def hook(event, arguments):
    if event.split(".")[0] in ("subprocess", "socket", "webbrowser", "shutil"):
        done.append(event)
    if event in ("os.system", "os.remove", "os.mkdir", "os.rename", "os.putenv"):
        done.append(event)
    if event == "open" and set(str(arguments[1])) & set("wax+"):
        done.append(arguments)
sys.addaudithook(hook)
path = sys.path[:]
for name in {sorted(STANDARD)}:
    importlib.import_module(name)
assert sys.path == path
sys.exit(str(done) if done else 0)
"""
    done = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


# ------------------------------------------------------------------- whatever is given


@pytest.mark.parametrize("command", ["show", "transpile", "check"])
@pytest.mark.parametrize(
    "name, told",
    [
        ("folder", "this is a folder"),
        ("pipe", "this is a device or a pipe"),
        ("/dev/zero", "this is a device or a pipe"),
        ("mi\nssing.py", "No such file or directory"),
        ("nothing.py", "no function f"),
        ("null.py", ""),
        ("latin.py", ""),
        ("cookie.py", ""),
        ("deep.py", ""),
        ("tabs.py", ""),
        ("loop.py", ""),
        ("m.py/f.py", "Not a directory"),
        ("x" * 5000, "File name too long"),
    ],
)
def test_one_line_for_what_can_not_be_read(s2sad, folder, command, name, told):
    (folder / "folder").mkdir()
    os.mkfifo(folder / "pipe")
    (folder / "m.py").write_text("")
    (folder / "nothing.py").write_text("")
    (folder / "null.py").write_bytes(b"def f(x):\0 return x\n")
    (folder / "latin.py").write_bytes(b"# \xff\xfe\ndef f(x): return x\n")
    (folder / "cookie.py").write_text("# coding: klingon\ndef f(x): return x\n")
    (folder / "deep.py").write_text("def f(x): return " + "(" * 500 + "x" + ")" * 500)
    (folder / "tabs.py").write_text("def f(x):\n\treturn x\n        return x\n")
    (folder / "loop.py").symlink_to("loop.py")
    words = [f"{name}::f"] if command != "transpile" else [name, "f", "-o", "out.py"]
    result = s2sad(command, *words)
    assert result.exit_code == 2, result.stdout
    assert result.stdout == "" and result.stderr.count("\n") == 1, result.stderr
    assert told in result.stderr and "bug" not in result.stderr
    assert not (folder / "out.py").exists()


def test_byte_order_marks_and_encodings_are_read(s2sad, folder):
    (folder / "bom.py").write_bytes(
        b"\xef\xbb\xbfdef f(x: float):\r\n    return x*x\r\n"
    )
    (folder / "old.py").write_bytes(
        b"# -*- coding: latin-1 -*-\ndef f(\xe9: float):\n    return \xe9 * \xe9\n"
    )
    assert "2 * x" in s2sad("show", "bom.py::f").stdout
    assert "2 * é" in s2sad("show", "old.py::f").stdout


@pytest.mark.parametrize(
    "target",
    ["m.py::", "::f", "m.py", "m.py::f::g", "m.py::1", "m.py::f.g", "m.py::A"]
    + ["m.py::A.g", "m.py::A.n", "m.py::np", "m.py::np.sin", "m.py::K", "m.py::f."]
    + ["m.py::.f", "m.py::f g", "m.py::outer.inner", "m.py::__name__"]
    + ["m.py::a\nb", "m.py::late"]
    + ["m.py::none", "m.py::stars", "m.py::coroutine", "m.py::made", "m.py::A.k"],
)  # fmt: skip
def test_targets_that_are_no_functions(refused, write, target):
    write(
        "m.py",
        """
        import numpy as np
        K = 1.0
        def f(x: float): return x
        class A:
            n = 1.0
            @classmethod
            def k(cls, x: float): return x
        def outer():
            def inner(x): return x
        def none(): return 1.0
        def stars(*x): return x
        async def coroutine(x: float): return x
        made = made_elsewhere(f)
        del late
        """,
    )
    message = refused("show", target)
    assert "bug" not in message and "StaticModule" not in message


@pytest.mark.parametrize(
    "signature",
    ["", "f", "f(", "f(x: )", "f(x: float", "f(x: float))", "f(x: float64[)", "f(x, x)"]
    + ["f(x: nope)", "f(x: float64[:, n!=])", "f(x: " + "[" * 400]
    + ["f(\0)", "f(x: {'a': float)", "f(x: float64[99999999999999999999999])", "(x)"]
    + ["f(x: float64[-1])", "f(*x: float)", "f(x: 'a\nb', y)", "f(x: A(a: float)"],
)  # fmt: skip
def test_signatures_that_do_not_parse(refused, write, signature):
    write("m.py", "class A: pass\ndef f(x):\n    return x\n")
    assert "bug" not in refused("show", "m.py::f", "--signature", signature)


@pytest.mark.sampled(3)
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device of Linux")
@pytest.mark.parametrize("arguments", [["--help"], ["show", "model.py::cube"]])
def test_where_nothing_can_be_printed(model, folder, arguments):
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "s2sad", *arguments],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": ROOT},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.returncode == 2
    assert done.stderr == "s2sad: No space left on device\n"


@pytest.mark.long
def test_letters_that_can_not_be_printed(folder):
    (folder / "m.py").write_text("def f(π: float):\n    return π * π\n")
    done = subprocess.run(
        [sys.executable, "-m", "s2sad", "show", "m.py::f"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": ROOT, "PYTHONIOENCODING": "latin-1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert done.stderr.endswith("has no form in latin-1; use UTF-8\n")
