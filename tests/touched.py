"""The tests of what a change touches, the nearest first, for a minute: ``make
test-quick``.

What differs from the commit where the branch began, and what isn't committed, has tests
in four tiers: test files that changed, and those named after a file that did; those
that import it, themselves or through helpers; those in the folder that mirrors its
folder; and, if the compiler changed at all, the golden texts and the public API. What
the time doesn't suffice for is left out, and said.
"""

from __future__ import annotations

import argparse
import ast
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).resolve().parents[1]
SECONDS = 60.0
MIRRORS = {
    "docs": "tests/docs",
    "README.md": "tests/docs",
    "examples": "tests/examples",
    "benchmarks": "tests/benchmarks",
}
WHOLE = ("tests/golden/test_golden.py", "tests/test_api.py", "tests/optimise")
"""Of the compiler as a whole."""


def git(*words: str) -> list[str]:
    """The lines that a git command prints; none where it fails."""
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.splitlines() if done.returncode == 0 else []


def beginning() -> str:
    """The commit where the branch began; the last but one on the main branch itself."""
    head = git("rev-parse", "HEAD")
    for main in ("origin/main", "main"):
        found = git("merge-base", "HEAD", main)
        if found and found != head:
            return found[0]
    return "HEAD~1"


def changed_files(base: str) -> list[str]:
    """Paths of files that differ from a commit, or aren't known to git."""
    found = git("diff", "--name-only", base) + git(
        "ls-files", "--others", "--exclude-standard"
    )
    return sorted({name for name in found if (ROOT / name).exists()})


@cache
def files_of_tests() -> tuple[str, ...]:
    """All test files, by path from the root."""
    found = (ROOT / "tests").rglob("test_*.py")
    return tuple(sorted(path.relative_to(ROOT).as_posix() for path in found))


def module_of(path: str) -> str:
    """The dotted name of a file.

    >>> module_of("s2sad/ir/nodes.py"), module_of("s2sad/ir/__init__.py")
    ('s2sad.ir.nodes', 's2sad.ir')
    """
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


@cache
def imports_of(path: str) -> frozenset[str]:
    """The modules that a file of the tests imports, itself or through other files of
    the tests."""
    waiting, seen, found = [path], {path}, set()
    while waiting:
        for name in _imports(waiting.pop()):
            found.add(name)
            inner = name.replace(".", "/")
            for file in (f"{inner}.py", f"{inner}/__init__.py"):
                if name.startswith("tests.") and file not in seen:
                    seen.add(file)
                    if (ROOT / file).exists():
                        waiting.append(file)
    return frozenset(found)


@cache
def _imports(path: str) -> frozenset[str]:
    """The names that a file imports, each as it might be that of a module."""
    found = set()
    for node in ast.walk(ast.parse((ROOT / path).read_bytes())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return frozenset(found)


def mirror_of(path: str) -> str:
    """The folder with the tests of a file's folder, or of one around it.

    >>> mirror_of("s2sad/optimise/products/products.py"), mirror_of("docs/design.md")
    ('tests/optimise', 'tests/docs')
    """
    first, *others = PurePosixPath(path).parts
    if first == "s2sad":
        folder = PurePosixPath("tests", *others[:-1])
        while not (ROOT / folder).is_dir():
            folder = folder.parent
        return str(folder)
    return MIRRORS.get(first, "")


def _near(path: str) -> Iterator[str]:
    """Of a file that changed: itself if it is a test, and those named after it."""
    name = PurePosixPath(path).name
    for test in files_of_tests():
        same = PurePosixPath(test).name.removeprefix("test_") in (name, name + "s")
        if test == path or (same and path.startswith("s2sad/")):
            yield test


def _folder(path: str) -> Iterator[str]:
    """The tests in the mirror of a file's folder; those of the root have files there
    alone."""
    mirror = mirror_of(path)
    for test in files_of_tests():
        inside = test.startswith(f"{mirror}/")
        if mirror and inside and (mirror != "tests" or test.count("/") == 1):
            yield test


def chosen(changed: Iterable[str]) -> list[str]:
    """Test files and modules with doctests, the nearest to what changed first."""
    changed = [path for path in changed if not path.startswith("tests/golden/gen")]
    code = [path for path in changed if path.endswith(".py")]
    tiers: list[Iterable[str]] = [
        [test for path in code for test in _near(path)],
        [path for path in code if path.startswith("s2sad/")],  # their doctests
        [
            test
            for path in code
            for test in files_of_tests()
            if module_of(path) in imports_of(test)
        ],
        [test for path in changed for test in _folder(path)],
    ]
    if any(path.startswith("s2sad/") for path in code):
        every = files_of_tests()
        tiers.append([t for whole in WHOLE for t in every if t.startswith(whole)])
    return list(dict.fromkeys(name for tier in tiers for name in tier))


class Budget:
    """Leaves tests out when the time is over, which begins with the first."""

    def __init__(
        self, seconds: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.seconds, self.clock = seconds, clock
        self.end = 0.0
        self.left_out: Counter[str] = Counter()
        self.run = 0

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> bool | None:
        now = self.clock()
        self.end = self.end or now + self.seconds
        if now > self.end:
            self.left_out[item.nodeid.split("::")[0]] += 1
            return True
        self.run += 1
        return None

    def told(self) -> str:
        """How many tests were run, and what was left out."""
        total = self.run + sum(self.left_out.values())
        lines = [f"{self.run} of {total} tests that the change touches were run"]
        if self.left_out:
            lines.append("left out, since the time was over:")
            lines += [f"  {file}: {n}" for file, n in self.left_out.items()]
        return "\n".join(lines)


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.touched")
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--base", help="the commit to compare with")
    parser.add_argument("--list", action="store_true", help="only say which files")
    options, others = parser.parse_known_args(words)
    base = options.base or beginning()
    files = chosen(changed_files(base))
    if options.list or not files:
        print("\n".join(files) or f"nothing that has tests differs from {base}")
        return 0
    budget = Budget(options.seconds)
    status = pytest.main(["-q", "-m", "not long", *others, *files], plugins=[budget])
    print(budget.told())
    nothing = pytest.ExitCode.NO_TESTS_COLLECTED
    return 0 if status == nothing else int(status)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
