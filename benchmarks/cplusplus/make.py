"""Compile the peers in C++: ``python -m benchmarks.cplusplus.make``.

They are optional. What is missing is said, and the suite goes on without it. On Debian:

    apt-get install g++ libadolc-dev libtrilinos-sacado-dev
"""

from __future__ import annotations

import pathlib
import shutil
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
COMPILER = "g++"
FLAGS = ("-O3", "-march=native", "-std=c++17", "-fPIC", "-shared")
# Sacado's headers without the rest of Trilinos, which its configuration asks for.
OWN_FLAGS = {
    "adolc": ("-ladolc",),
    "sacado": ("-DTRILINOS_NO_CONFIG_H", "-isystem", "/usr/include/trilinos"),
}
PACKAGES = {"adolc": "libadolc-dev", "sacado": "libtrilinos-sacado-dev"}


class Missing(Exception):
    """A compiler or a package is missing."""


def flags(peer: str) -> str:
    """How a peer is compiled, as text."""
    return " ".join((COMPILER, *FLAGS, *OWN_FLAGS[peer]))


def library(peer: str) -> pathlib.Path:
    """The file of a peer's shared library, whether it is there or not."""
    return FOLDER / "build" / f"{peer}.so"


def is_current(peer: str) -> bool:
    """Whether the library is there and newer than its sources."""
    made, sources = library(peer), (FOLDER / f"{peer}.cpp", FOLDER / "problems.hpp")
    if not made.exists():
        return False
    return all(made.stat().st_mtime >= source.stat().st_mtime for source in sources)


def compile_peer(peer: str) -> None:
    """Compile one. Raises Missing where a package is missing."""
    if shutil.which(COMPILER) is None:
        raise Missing(f"{peer}: there is no {COMPILER} (Debian: apt-get install g++)")
    made = library(peer)
    made.parent.mkdir(exist_ok=True)
    source = FOLDER / f"{peer}.cpp"
    command = [COMPILER, str(source), *FLAGS, *OWN_FLAGS[peer], "-o", str(made)]
    found = subprocess.run(command, capture_output=True, text=True)
    if found.returncode:
        errors = [line for line in found.stderr.splitlines() if "error" in line]
        raise Missing(
            f"{peer} doesn't compile (Debian: apt-get install {PACKAGES[peer]}): "
            + (errors or [found.stderr.strip()])[0]
        )


def main() -> None:
    """Compile what isn't current."""
    missing = 0
    for peer in PACKAGES:
        if is_current(peer):
            print(f"{peer}: up to date")
            continue
        try:
            compile_peer(peer)
        except Missing as error:
            print(error, file=sys.stderr)
            missing += 1
        else:
            print(f"{peer}: {flags(peer)}")
    sys.exit(1 if missing else 0)


if __name__ == "__main__":
    main()
