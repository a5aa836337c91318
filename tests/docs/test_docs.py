"""The Python blocks of the documentation run, and print what stands below them.

The blocks of a page share their names, as if they were typed one after the other. A
block marked ``text`` right below a Python block is what that block prints. Messages
call the file of a block ``example.py``; lines are counted within the block.
"""

from __future__ import annotations

import contextlib
import io
import re
import sys
import types
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("README.md"), *ROOT.glob("docs/*.md")])
BLOCK = re.compile(
    r"^```python\n(?P<code>.*?)^```\n(?:\n*```text\n(?P<printed>.*?)^```\n)?",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Block:
    """One Python block of a page and what it is said to print; None if nothing is."""

    line: int
    code: str
    printed: str | None


def blocks_of(text: str) -> Iterator[Block]:
    for match in BLOCK.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        yield Block(line, match["code"], match["printed"])


def run(block: Block, namespace: dict[str, object], directory: Path) -> str:
    """What a block prints, on either stream."""
    directory.mkdir()
    path = directory / "example.py"
    path.write_text(block.code)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        exec(compile(block.code, str(path), "exec"), namespace)
    return printed.getvalue().replace(str(path), "example.py")


@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_the_examples_print_what_the_page_says(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = types.ModuleType("example")
    monkeypatch.setitem(sys.modules, "example", module)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("S2SAD_DUMP", raising=False)
    monkeypatch.delenv("S2SAD_NO_OPT", raising=False)
    blocks = list(blocks_of(page.read_text()))
    for block in blocks:
        printed = run(block, vars(module), tmp_path / f"line_{block.line}")
        if block.printed is not None:
            assert printed == block.printed, f"{page.name}, line {block.line}"


def test_there_are_pages() -> None:
    assert {"design.md", "limitations.md", "optimisations.md", "rules.md"} <= {
        page.name for page in PAGES
    }
