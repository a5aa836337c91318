"""The examples beside PyTorch print what the page of the documentation says, and so do
the PyTorch programs in their headers where PyTorch is installed."""

import ast
import contextlib
import io
import re
import runpy
import textwrap
import warnings
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "pytorch_ideas.md").read_text(encoding="utf-8")
EXAMPLES = sorted((ROOT / "examples" / "pytorch_ideas").glob("*.py"))
SECTION = re.compile(
    r"\(\.\./examples/pytorch_ideas/(?P<name>\w+)\.py\)\n\n"
    r"```py\n(?P<torch>.*?)```\n\n"
    r"```python\n(?P<code>.*?)```\n\n"
    r"```text\n(?P<printed>.*?)```\n",
    re.DOTALL,
)
SHOWN = {section["name"]: section for section in SECTION.finditer(PAGE)}

examples = pytest.mark.parametrize("path", EXAMPLES, ids=[p.stem for p in EXAMPLES])


def torch_program(path):
    """The program in the header of an example."""
    header = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    _, program = header.split("In PyTorch::\n\n")
    return textwrap.dedent(program) + "\n"


def what_runs(path):
    """An example without its header."""
    return path.read_text(encoding="utf-8").split('"""', 2)[2].lstrip("\n")


def test_the_page_shows_all_examples():
    assert sorted(SHOWN) == [path.stem for path in EXAMPLES]


@examples
def test_the_page_shows_the_text_of_the_example(path):
    assert SHOWN[path.stem]["torch"] == torch_program(path)
    assert SHOWN[path.stem]["code"] == what_runs(path)


@pytest.mark.sampled(6)
@examples
def test_example(path):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        runpy.run_path(str(path), run_name="__main__")
    assert printed.getvalue() == SHOWN[path.stem]["printed"]


def test_pytorch_prints_the_same():
    torch = pytest.importorskip("torch")
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        for path in EXAMPLES:
            program = compile(torch_program(path), path.name, "exec")
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                exec(program, {"__name__": "torch"})
            assert printed.getvalue() == SHOWN[path.stem]["printed"], path.name
    finally:
        torch.set_default_dtype(before)
