"""Runs the command line on small modules."""

import textwrap

import pytest
from click.testing import CliRunner

from s2sad.cli import main


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("S2SAD_TRACEBACK", raising=False)
    return tmp_path


@pytest.fixture
def write(folder):
    def write(name, text):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
        return path

    return write


@pytest.fixture
def s2sad(folder):
    """Run a command: its result has exit_code, stdout and stderr."""

    def run(*arguments):
        result = CliRunner().invoke(main, list(map(str, arguments)), prog_name="s2sad")
        error = result.exception
        if error is not None and not isinstance(error, SystemExit):
            raise error
        return result

    return run


@pytest.fixture
def refused(s2sad):
    """Run a command that must fail with one message; give the message."""

    def run(*arguments):
        result = s2sad(*arguments)
        assert result.exit_code == 2, result.stdout + result.stderr
        assert result.stdout == ""
        assert "Traceback" not in result.stderr
        return result.stderr

    return run


MODEL = """
    import numpy as np
    from numpy.typing import NDArray
    from s2sad import differentiate

    @differentiate(wrt=("w", "b"))
    def loss(w: NDArray[np.float64], b: float, x: NDArray[np.float64], y):
        '''Mean squared error. Shapes: w (d,), x (n, d), y (n,).'''
        residual = x @ w + b - y
        return np.mean(residual**2)

    def cube(x: float):
        return x * x * x

    class Model:
        def energy(self, x: float):
            return x * x
"""


@pytest.fixture
def model(write):
    return write("model.py", MODEL)
