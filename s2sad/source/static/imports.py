"""What an import statement means in a module that is read without being executed.

NumPy, SciPy and modules of the standard library that do nothing when they are imported
are imported for real, from their own places. Other modules are looked for as files next
to the importing one (its directory, or the directory that holds its outermost package)
and read in turn.
"""

import importlib
import importlib.machinery
import importlib.util
import os
import site
import stat
import sys
import sysconfig
import types
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from s2sad.errors import SourceError, one_line

_LIBRARIES = ("numpy", "scipy")
_STANDARD = """
    __future__ abc argparse array ast base64 binascii bisect builtins calendar cmath
    codecs collections colorsys concurrent contextlib contextvars copy csv dataclasses
    datetime decimal enum errno fractions functools gc glob hashlib heapq inspect io
    itertools json keyword logging math numbers operator os pathlib pickle platform
    pprint queue random re secrets shutil statistics string struct sys tempfile textwrap
    threading time timeit traceback types typing unicodedata uuid warnings weakref zlib
"""
"""Modules of the standard library that programs name and that define things when they
are imported, and do nothing else."""
STANDARD = frozenset(_STANDARD.split())
_SCRIPTS = frozenset({"conftest", "setup", "test", "tests", "tool"})
"""Parts of packages that are programs, or made for a test runner."""


def check_is_file(path: Path) -> None:
    """Raise ``SourceError`` for folders, devices, pipes, and what isn't there."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError) as error:
        told = getattr(error, "strerror", None) or error
        raise SourceError(f"{one_line(path)}: can't be read: {told}") from None
    if stat.S_ISDIR(mode):
        raise SourceError(f"{one_line(path)}: this is a folder, no file")
    if not stat.S_ISREG(mode):
        raise SourceError(f"{one_line(path)}: this is a device or a pipe, no file")


def module_name(path: Path) -> tuple[str, Path]:
    """The dotted name of a file and the directory that absolute imports start from."""
    parts = [] if path.name == "__init__.py" else [path.stem]
    folder = path.parent
    while (folder / "__init__.py").is_file():
        parts.insert(0, folder.name)
        folder = folder.parent
    return ".".join(parts), folder


def find_file(root: Path, dotted: str) -> Path | None:
    """The file of a module below ``root``; a directory for a namespace package."""
    base = root.joinpath(*dotted.split("."))
    package = base / "__init__.py"
    if package.is_file():
        return package
    file = base.with_name(base.name + ".py")
    if file.is_file():
        return file
    modules = (file for depth in ("*.py", "*/*.py") for file in base.glob(depth))
    return base if any(modules) else None


def is_never_hidden(dotted: str) -> bool:
    """True for modules that Python holds itself, which it finds before any file."""
    top = dotted.partition(".")[0]
    frozen = importlib.machinery.FrozenImporter.find_spec(top)
    return top in sys.builtin_module_names or frozen is not None


@contextmanager
def libraries_only(path: Path) -> Iterator[None]:
    """Let modules be imported from where they are installed: the standard library from
    its own place, nothing from the working folder or from that of the file ``path``.
    """
    keys = ("stdlib", "platstdlib")
    own = [sysconfig.get_path(key) for key in keys] + [str(_STDLIB / "lib-dynload")]
    installed = {*own, *site.getsitepackages(), site.getusersitepackages()}
    users = {os.path.realpath(""), os.path.realpath(module_name(path)[1])}
    others = [
        entry
        for entry in sys.path
        if entry not in own
        and (entry in installed or os.path.realpath(entry) not in users)
    ]
    before = sys.path[:]
    sys.path[:] = [*dict.fromkeys(own), *others]
    try:
        yield
    finally:
        sys.path[:] = before


def real_module(dotted: str, root: Path) -> types.ModuleType | None:
    """The module itself if it is one that may be imported, else None."""
    if not _may_import(dotted, root):
        return None
    try:
        return importlib.import_module(dotted)
    except ImportError:
        return None


def _may_import(dotted: str, root: Path) -> bool:
    top, *inner = dotted.split(".")
    if any(part.startswith("_") or part in _SCRIPTS for part in inner):
        return False
    if top in sys.builtin_module_names:
        return True
    if top not in STANDARD and top not in _LIBRARIES:
        return False
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        return False
    origin = spec and spec.origin
    if not origin:
        return False
    if origin in ("built-in", "frozen"):
        return True
    place = Path(origin).resolve()
    if top in STANDARD:
        return place.is_relative_to(_STDLIB) or "lib-dynload" in place.parts
    # a file of the user's that happens to be called so
    return place.parent.parent != root.resolve() and place.parent != root.resolve()


_STDLIB = Path(os.__file__).resolve().parent
