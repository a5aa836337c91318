"""From the text of a core to functions compiled by Numba.

The text is a module of its own, which reads NumPy and ``math`` alone; every function of
it is compiled with the same options. For ``cache=True`` it is a file before it is
compiled: Numba keeps what it compiles beside the file, and finds it again as long as
the file is the same. The file's name follows from its text, so that it is written
once.
"""

import ast
import hashlib
import itertools
import linecache
import os
import sys
import tempfile
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from s2sad.codegen.numba.options import NumbaOptions, require_numba

_counter = itertools.count(1)


def module_text(text: str, modules: Mapping[str, str]) -> str:
    """The text of functions behind imports of the modules that they use, by the names
    that they use for them."""
    lines = [
        f"import {module}" if module == name else f"import {module} as {name}"
        for name, module in sorted(modules.items(), key=lambda item: item[1])
    ]
    return "\n".join([*lines, "", "", text]) if lines else text


def compiled_functions(
    text: str, label: str, options: NumbaOptions
) -> dict[str, Callable[..., Any]]:
    """The functions of a module's text under ``njit``, by name; nothing is compiled
    before they are called. Raises S2sadError where Numba is missing."""
    numba = require_numba()
    count = next(_counter)
    filename, name = f"<s2sad {label} numba {count}>", f"s2sad_numba_{label}_{count}"
    keywords = options.keywords()
    if options.cache:
        path = cached_file(text, label, options)
        filename, name = str(path), f"s2sad_numba_{path.stem}"
    else:
        lines = text.splitlines(keepends=True)
        linecache.cache[filename] = (len(text), None, lines, filename)
    tree = ast.parse(text, filename)
    names = [n.name for n in tree.body if isinstance(n, ast.FunctionDef)]
    module = ModuleType(name)
    module.__file__ = filename
    sys.modules[name] = module  # named by what Numba keeps, and by calls of themselves
    exec(compile(tree, filename, "exec", 0, True), module.__dict__)
    found: dict[str, Callable[..., Any]] = {}
    for function in names:
        jitted = numba.njit(**keywords)(getattr(module, function))
        setattr(module, function, jitted)
        found[function] = jitted
    return found


def compile_for(core: Any, arguments: tuple[Any, ...]) -> None:
    """Compile a function for arguments of these types. Raises what Numba raises."""
    numba = require_numba()
    types = tuple(numba.typeof(argument) for argument in arguments)
    with warnings.catch_warnings():
        # of products of arrays that don't lie by rows, which are the user's own
        warnings.simplefilter("ignore", numba.core.errors.NumbaPerformanceWarning)
        core.compile(types)


def cache_folder() -> Path:
    """Where texts are kept: ``S2SAD_CACHE_DIR``, or s2sad's folder among the caches of
    the user."""
    given = os.environ.get("S2SAD_CACHE_DIR")
    if given:
        return Path(given)
    root = os.environ.get("XDG_CACHE_HOME") or os.path.join("~", ".cache")
    return Path(root).expanduser() / "s2sad"


def cached_file(text: str, label: str, options: NumbaOptions) -> Path:
    """The file that holds a text, written unless it is there already. Each set of
    options has one of its own, since Numba doesn't tell them apart."""
    name = "".join(c if c.isalnum() else "_" for c in label)
    digest = hashlib.sha256(f"{options}\n{text}".encode()).hexdigest()[:16]
    folder = cache_folder() / "numba"
    path = folder / f"{name}_{digest}.py"
    if not path.is_file() or path.read_text() != text:
        folder.mkdir(parents=True, exist_ok=True)
        # another process may write the same
        handle, temporary = tempfile.mkstemp(dir=folder, suffix=".tmp")
        with os.fdopen(handle, "w") as file:
            file.write(text)
        os.replace(temporary, path)
    return path
