"""Reads handwritten digits with two classifiers trained by generated gradients.

    python examples/digits.py [FOLDER]

Prints the gradients of the losses in digits_model.py, transpiles them to a file, and
runs digits_train.py, which trains with that file in a process where s2sad can't be
imported. FOLDER (examples/output by default) takes the file and the pictures.
"""

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from digits_model import mlp_loss, softmax_loss
from rich.console import Console
from rich.syntax import Syntax

import s2sad.optim

HERE = Path(__file__).resolve().parent
OUTPUT = HERE / "output"
MODEL = HERE / "digits_model.py"
SIGNATURES = (
    "softmax_loss(params: {'w': float64[:, :], 'b': float64[:]}, "
    "images: float64[:, :], labels: int64[:])",
    "mlp_loss(params: {'w1': float64[:, :], 'b1': float64[:], "
    "'w2': float64[:, :], 'b2': float64[:]}, "
    "images: float64[:, :], labels: int64[:])",
)
LEAST_ACCURACY = {"softmax": 0.93, "mlp": 0.96}


def print_source(source: str) -> None:
    """Print Python source, highlighted on a terminal and as it is elsewhere."""
    console = Console()
    if console.is_terminal:
        console.print(Syntax(source, "python", background_color="default"))
    else:
        print(source)


def print_gradients() -> None:
    images, labels = np.zeros((32, 64)), np.zeros(32, dtype=np.int64)
    softmax_params = {"w": np.zeros((64, 10)), "b": np.zeros(10)}
    mlp_params = {
        "w1": np.zeros((64, 16)),
        "b1": np.zeros(16),
        "w2": np.zeros((16, 10)),
        "b2": np.zeros(10),
    }
    print_source(softmax_loss.grad.source_for(softmax_params, images, labels))
    print_source(mlp_loss.grad.source_for(mlp_params, images, labels))


def transpile(target: Path) -> None:
    """Write the gradients of digits_model.py to target, as `s2sad transpile` does."""
    command = [
        sys.executable,
        "-m",
        "s2sad",
        "transpile",
        str(MODEL),
        "-o",
        str(target),
    ]
    for signature in SIGNATURES:
        command += ["--signature", signature]
    subprocess.run(command, check=True)


def train(folder: Path) -> None:
    """Run digits_train.py on folder, with a copy of the optimisers beside it."""
    optim = folder / "optim"
    shutil.rmtree(optim, ignore_errors=True)
    optim.mkdir()
    for source in Path(s2sad.optim.__file__).parent.glob("*.py"):
        shutil.copy(source, optim)
    script = HERE / "digits_train.py"
    subprocess.run([sys.executable, str(script), str(folder)], check=True)


def main(folder: Path = OUTPUT) -> None:
    folder = folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    gradients = folder / "digits_gradients.py"
    results_file = folder / "digits_results.json"
    results_file.unlink(missing_ok=True)

    print("The gradients of the two losses in digits_model.py:\n", flush=True)
    print_gradients()
    print(f"\nTranspiling digits_model.py to {gradients}", flush=True)
    transpile(gradients)
    print("\nTraining with that file in a process of its own", flush=True)
    started = time.perf_counter()
    train(folder)
    seconds = time.perf_counter() - started

    results = json.loads(results_file.read_text())
    print(
        f"\nTrained on {results['train_images']} images, tested on "
        f"{results['test_images']} others, in {seconds:.1f} s; s2sad was not imported."
    )
    short = []
    for name, least in LEAST_ACCURACY.items():
        result = results[name]
        accuracy = result["test_accuracy"]
        print(
            f"  {name:8} {result['epochs']} epochs, loss {result['loss']:.4f}, "
            f"test accuracy {accuracy:.4f} (at least {least} expected)"
        )
        if accuracy < least:
            short.append(name)
    print("Written:")
    for path in (gradients, results_file, *sorted(folder.glob("digits_*.png"))):
        print(f"  {path}")
    if short or results["s2sad_modules"]:
        sys.exit(f"not as expected: {', '.join(short) or 's2sad was imported'}")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
