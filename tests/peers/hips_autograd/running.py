"""Unpacks autograd's source distribution, runs its tests or examples over the shim, and
groups what fails by reason.

What is left out, and why, is in ``exceptions.py``; these tests are run too, and those
that pass nonetheless are named.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tempfile
from collections import defaultdict
from pathlib import Path
from xml.etree import ElementTree

from tests.peers.hips_autograd.exceptions import EXCEPTIONS

SHIM = Path(__file__).parent / "shim"
ROOT = Path(__file__).parents[3]


def main(arguments: list[str]) -> int:
    """Run the tests of a distribution; the rest of the arguments are pytest's."""
    if not arguments or arguments[0] in ("-h", "--help"):
        print("python -m tests.peers.hips_autograd SDIST [OPTIONS OF PYTEST]")
        return 2
    with tempfile.TemporaryDirectory() as folder:
        tests = unpacked(Path(arguments[0]), Path(folder)) / "tests"
        (tests / "pytest.ini").write_text("[pytest]\n")
        results = tests / "results.xml"
        command = [sys.executable, "-m", "pytest", f"--junit-xml={results}"]
        subprocess.run(
            [*command, "--continue-on-collection-errors", *arguments[1:]],
            cwd=tests,
            env=environment(),
            stdout=subprocess.DEVNULL,
        )
        return report(outcomes(results))


def unpacked(distribution: Path, folder: Path) -> Path:
    """The only folder in a source distribution."""
    with tarfile.open(distribution) as archive:
        archive.extractall(folder, filter="data")
    (found,) = folder.iterdir()
    return found


def environment() -> dict[str, str]:
    """That of a process for which ``autograd`` is the shim."""
    path = os.pathsep.join([str(SHIM), str(ROOT)])
    return {**os.environ, "PYTHONPATH": path, "S2SAD_VERIFY": "1"}


def outcomes(results: Path) -> dict[str, str]:
    """By test: "" where it passed, "skipped", or why it failed."""
    found = {}
    for case in ElementTree.parse(results).iter("testcase"):
        name = f"{case.get('classname')}::{case.get('name')}"
        bad = case.find("failure")
        bad = case.find("error") if bad is None else bad
        if bad is not None:
            found[name] = bad.get("message") or bad.text or "failed"
        else:
            found[name] = "" if case.find("skipped") is None else "skipped"
    return found


def report(found: dict[str, str]) -> int:
    """Print the counts and the reasons; 1 where a test fails that isn't an exception,
    or passes though it is one."""
    failed: dict[str, list[str]] = defaultdict(list)
    named: dict[str, list[str]] = defaultdict(list)
    passing = []
    for name, reason in found.items():
        exception = EXCEPTIONS.get(name)
        if reason in ("", "skipped"):
            if exception and not reason:
                passing.append(name)
        elif exception:
            named[exception].append(name)
        else:
            failed[grouped(reason)].append(name)
    count = list(found.values()).count
    print(f"{len(found)} tests: {count('')} passed, {count('skipped')} skipped")
    print(f"{sum(map(len, named.values()))} fail as they should:")
    print_groups(named)
    print(f"{sum(map(len, failed.values()))} fail:")
    print_groups(failed)
    if passing:
        print("exceptions that pass:", *passing)
    return bool(failed or passing)


def print_groups(groups: dict[str, list[str]]) -> None:
    for reason, names in sorted(groups.items(), key=lambda g: -len(g[1])):
        print(f"{len(names):4} {reason}")
        for name in names:
            print(f"       {name}")


def grouped(reason: str) -> str:
    """The first sentence of a message, without places and figures."""
    lines = [line.strip() for line in reason.splitlines() if line.strip()]
    text = " ".join(lines[:2] if len(lines[0]) < 60 else lines[:1])
    text = re.sub(r"/\S*/|[\w<>. -]*\.py:\d+(:\d+)?:? ?", "", text)
    text = re.sub(r"-?\d+\.?\d*(e[+-]?\d+)?", "#", text)
    return text[:160]
