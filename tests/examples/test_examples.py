"""Every example runs as a script, says what it should and leaves its pictures."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"


def run(name, folder):
    """Run an example with folder as its output; return what it printed."""
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    done = subprocess.run(
        [sys.executable, EXAMPLES / name, folder],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        cwd=folder,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def pictures(folder):
    """The names of the pictures in folder, each checked to be a PNG."""
    found = sorted(folder.glob("*.png"))
    for path in found:
        assert path.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    return [path.name for path in found]


def number(pattern, printed):
    return float(re.search(pattern, printed)[1])


@pytest.mark.long
def test_polynomial(tmp_path):
    printed = run("polynomial.py", tmp_path)
    assert "def polynomial_grad(x" in printed
    assert printed.splitlines()[-1] == "3.0"
    assert pictures(tmp_path) == ["polynomial.png"]


@pytest.mark.long
def test_regression(tmp_path):
    printed = run("regression.py", tmp_path)
    assert "def loss_grad(w, b, x, y):" in printed
    fitted = re.search(r"fitted line +(.*)", printed)[1]
    assert fitted == re.search(r"least squares line +(.*)", printed)[1]
    assert number(r"([\d.]+) at the end", printed) < 0.1
    assert pictures(tmp_path) == ["regression_line.png", "regression_loss.png"]


@pytest.mark.long
def test_xor(tmp_path):
    printed = run("xor.py", tmp_path)
    assert number(r"loss ([\d.]+)", printed) < 0.01
    table = re.findall(r"(\d) xor (\d) = \S+ read as (\d)", printed)
    assert table == [
        ("0", "0", "0"),
        ("0", "1", "1"),
        ("1", "0", "1"),
        ("1", "1", "0"),
    ]
    assert pictures(tmp_path) == ["xor.png"]


@pytest.mark.long
def test_accumulate(tmp_path):
    printed = run("accumulate.py", tmp_path)
    assert number(r"whole batch (\S+)", printed) < 1e-14
    assert number(r"accuracy (\S+)", printed) > 0.8
    losses = re.search(r"loss (\S+) at the start, (\S+) at the end", printed)
    assert float(losses[2]) < float(losses[1])
    assert pictures(tmp_path) == ["accumulate_loss.png"]


@pytest.mark.long
def test_digits(tmp_path):
    printed = run("digits.py", tmp_path)
    assert "def softmax_loss_grad(params, images, labels):" in printed
    assert "def mlp_loss_grad(params, images, labels):" in printed
    assert "import s2sad: s2sad is blocked in this process" in printed

    transpiled = (tmp_path / "digits_gradients.py").read_text()
    imports = re.findall(r"^[ \t]*(?:import|from) .*", transpiled, re.MULTILINE)
    assert imports == ["import numpy as np"]

    results = json.loads((tmp_path / "digits_results.json").read_text())
    assert results["s2sad_modules"] == []
    assert results["train_images"] + results["test_images"] == 1797
    assert results["softmax"]["test_accuracy"] >= 0.93
    assert results["mlp"]["test_accuracy"] >= 0.96
    for name in "softmax", "mlp":
        assert f"test accuracy {results[name]['test_accuracy']:.4f}" in printed
    assert pictures(tmp_path) == [
        "digits_loss.png",
        "digits_misread_mlp.png",
        "digits_misread_softmax.png",
    ]

    # Run again into the same folder, it gives the same gradients and results.
    run("digits.py", tmp_path)
    assert (tmp_path / "digits_gradients.py").read_text() == transpiled
    assert json.loads((tmp_path / "digits_results.json").read_text()) == results


@pytest.mark.long
def test_implicit_layer(tmp_path):
    printed = run("implicit_layer.py", tmp_path)
    assert "def distance_grad(eccentricity, mean_anomaly):" in printed
    for what in "gradient", "second derivative":
        found, expected = re.search(
            rf"{what} (\S+), difference (\S+)", printed
        ).groups()
        assert abs(float(found) - float(expected)) < 1e-5
    assert number(r"through the steps (\S+)", printed) < 1e-9
    assert number(r"difference to differences (\S+)", printed) < 1e-7
    losses = re.search(r"loss (\S+) at the start, (\S+) at the end", printed)
    assert float(losses[2]) < 0.5 * float(losses[1])


@pytest.mark.long
def test_continuous_adjoint(tmp_path):
    printed = run("continuous_adjoint.py", tmp_path)
    errors = [float(e) for e in re.findall(r"of the gradients (\S+)", printed)]
    assert len(errors) == 3
    assert all(finer < coarser / 8.0 for coarser, finer in zip(errors, errors[1:]))
    found, expected = re.search(r"direction (\S+), difference (\S+)", printed).groups()
    assert abs(float(found) - float(expected)) < 1e-5
    losses = re.search(r"loss (\S+) at the start, (\S+) at the end", printed)
    assert float(losses[2]) < 0.01 * float(losses[1])
