"""Files for Numba."""

import importlib
import runpy

import numpy as np
import pytest
from click.testing import CliRunner

from s2sad import grad
from s2sad.cli import main
from tests.codegen.numba.comparing import assert_same

pytest.importorskip("numba")

MODULE = """
import math

RATE = 0.5


def loss(x, n):
    t = 1.0
    for i in range(n):
        t = t * math.sin(x[i]) + RATE
    return t
"""


def test_files_have_a_border_that_checks_and_a_core_under_njit(tmp_path):
    (tmp_path / "model.py").write_text(MODULE)
    out = tmp_path / "out.py"
    words = ["transpile", str(tmp_path / "model.py"), "loss", "-o", str(out), "--grad"]
    words += ["--backend", "numba", "--signature", "loss(x: float64[:], n: int)"]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, result.output
    text = out.read_text()
    assert '@numba.njit(error_model="numpy")\ndef loss_grad_compiled(' in text
    assert "--backend numba" in text
    gradient = runpy.run_path(str(out))["loss_grad"]
    first, second = np.sin(0.5), np.sin(1.0)
    wanted = np.array([np.cos(0.5) * second, (first + 0.5) * np.cos(1.0)])
    assert_same(gradient(np.array([0.5, 1.0]), 2), wanted)
    with pytest.raises(TypeError, match="x must be"):
        gradient(np.ones((2, 2)), 2)


RECURSION = """
import math

RATE = 0.5


def power(x, n):
    if n == 0:
        return 1.0
    return x * power(x, n - 1) * RATE


def loss(x, n):
    t = 1.0
    for i in range(n):
        t = t * math.sin(power(x[i], 3)) + power(t, 2)
    return t
"""


@pytest.mark.long
def test_files_hold_pairs_of_functions_that_call_themselves(tmp_path, monkeypatch):
    (tmp_path / "recursive_model.py").write_text(RECURSION)
    out = tmp_path / "recursive_gradients.py"
    words = ["transpile", str(tmp_path / "recursive_model.py"), "loss", "-o", str(out)]
    words += ["--grad", "--backend", "numba"]
    words += ["--signature", "loss(x: float64[:], n: int)"]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, result.output
    monkeypatch.syspath_prepend(tmp_path)
    loss = importlib.import_module("recursive_model").loss
    gradient = importlib.import_module("recursive_gradients").loss_grad
    x = np.array([0.5, 0.9, 1.2])
    assert_same(gradient(x, 3), grad(loss)(x, 3))
