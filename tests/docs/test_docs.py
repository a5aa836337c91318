"""The Python blocks of the documentation run, and print what the page says.

The blocks of a page share their names, as if they were typed one after the other. A
block marked ``text`` that follows a Python block is what that block prints. Messages
call the file of a block ``example.py``; lines are counted within the block.

``pytest --update-golden`` rewrites the ``text`` blocks.
"""

from __future__ import annotations

import contextlib
import io
import re
import sys
import types
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("README.md"), *ROOT.glob("docs/*.md")])
FENCED = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """One Python block of a page, and the block that says what it prints, if any."""

    line: int
    code: str
    printed: re.Match[str] | None


def blocks_of(text: str) -> Iterator[Block]:
    fences = list(FENCED.finditer(text))
    for fence, following in zip_longest(fences, fences[1:]):
        if fence[1] == "python":
            printed = following if following and following[1] == "text" else None
            yield Block(text.count("\n", 0, fence.start()) + 1, fence[2], printed)


def run(block: Block, namespace: dict[str, object], directory: Path) -> str:
    """What a block prints, on either stream."""
    directory.mkdir()
    path = directory / "example.py"
    path.write_text(block.code)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        exec(compile(block.code, str(path), "exec"), namespace)
    return printed.getvalue().replace(str(path), "example.py")


def with_outputs(text: str, found: list[tuple[Block, str]]) -> str:
    """The page with new outputs."""
    for block, printed in reversed(found):
        start, end = block.printed.span(2)
        text = text[:start] + printed + text[end:]
    return text


@pytest.mark.sampled(16, of_long=1)
@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_the_examples_print_what_the_page_says(
    page: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    if page.name == "numba.md":
        pytest.importorskip("numba")
    module = types.ModuleType("example")
    monkeypatch.setitem(sys.modules, "example", module)
    monkeypatch.chdir(tmp_path)
    for name in ("S2SAD_DUMP", "S2SAD_NO_OPT"):
        monkeypatch.setenv(name, "")
    text = page.read_text()
    found: list[tuple[Block, str]] = []
    for block in blocks_of(text):
        printed = run(block, vars(module), tmp_path / f"line_{block.line}")
        if block.printed is not None:
            found.append((block, printed))
    if request.config.getoption("--update-golden"):
        page.write_text(with_outputs(text, found))
        return
    if request.config.getoption("--keep-calls"):
        return  # the examples have run, and print calls
    for block, printed in found:
        assert printed == block.printed[2], f"{page.name}, line {block.line}"


def test_there_are_pages() -> None:
    assert {"design.md", "limitations.md", "optimisations.md", "rules.md"} <= {
        page.name for page in PAGES
    }
