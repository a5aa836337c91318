"""Which files and modules are libraries, and not the user's own.

>>> is_library("numpy.linalg"), is_library("json"), is_library("__main__")
(True, True, False)
"""

import builtins
import functools
import os
import site
import sys
import sysconfig
import types
from typing import Any

_FOLDERS = ("site-packages", "dist-packages")


@functools.lru_cache(maxsize=4096)
def is_file_of_library(filename: str) -> bool:
    """True for files of the standard library and of what is installed."""
    if filename.startswith("<frozen "):
        return True
    path = os.path.realpath(filename)
    folders = os.path.dirname(path).split(os.sep)
    if any(folder in folders for folder in _FOLDERS):
        return True
    return any(path.startswith(root + os.sep) for root in _roots())


@functools.lru_cache(maxsize=1)
def _roots() -> frozenset[str]:
    """Where the standard library and installed packages are."""
    known = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib")]
    return frozenset(os.path.realpath(p) for p in (*known, *site.getsitepackages()))


def is_library(module: str) -> bool:
    """True for the names of NumPy's, SciPy's and the standard library's modules, and of
    modules that come from an installed package."""
    root = module.partition(".")[0]
    if root == "__main__":
        return False
    if root in ("numpy", "scipy") or root in sys.stdlib_module_names:
        return True
    loaded = sys.modules.get(root)
    return isinstance(loaded, types.ModuleType) and _is_installed(loaded)


def is_numerical(function: Any) -> bool:
    """True for functions of NumPy and SciPy."""
    module = getattr(function, "__module__", None) or ""
    return module.partition(".")[0] in ("numpy", "scipy")


def _is_installed(module: types.ModuleType) -> bool:
    file: Any = getattr(module, "__file__", None)
    return isinstance(file, str) and is_file_of_library(file)


def qualified_name(function: Any) -> str:
    """How a reader knows a function: by its public module.

    >>> import scipy.special, scipy.stats
    >>> qualified_name(scipy.special.gammaln), qualified_name(scipy.stats.zscore)
    ('scipy.special.gammaln', 'scipy.stats.zscore')
    """
    owner = getattr(function, "__self__", None)
    if isinstance(function, types.MethodType) and not isinstance(owner, type):
        return f"{qualified_name(owner)}.{function.__name__}"
    name = getattr(function, "__name__", None) or type(function).__name__
    module = getattr(function, "__module__", None) or ""
    if getattr(builtins, name, None) is function:
        return name
    if not module and type(function).__module__ == "numpy":  # a ufunc
        homes = [home for home in ("numpy", "scipy.special") if home in sys.modules]
        found = (h for h in homes if getattr(sys.modules[h], name, None) is function)
        module = next(found, "")
    parts = [part for part in module.split(".") if not part.startswith("_")]
    public = vars(sys.modules.get(".".join(parts), builtins))
    if public.get(name) is function:
        module = ".".join(parts)
    elif not isinstance(function, type) and not hasattr(function, "__code__"):
        known = (key for key, value in public.items() if value is function)
        name, module = next(known, name), ".".join(parts)
    return f"{module}.{name}" if module and module != "builtins" else name


def place_of_distribution(value: Any) -> tuple[str, str] | None:
    """The module and name of a distribution of SciPy's, or of another object of its
    class; None for anything else.

    >>> from scipy import stats
    >>> place_of_distribution(stats.norm), place_of_distribution(stats.norm(1.0).dist)
    (('scipy.stats', 'norm'), ('scipy.stats', 'norm'))
    """
    cls = type(value)
    home = sys.modules.get("scipy.stats")
    if home is None or not cls.__module__.startswith("scipy.stats."):
        return None
    found = (name for name, other in vars(home).items() if type(other) is cls)
    name = None if cls is type else next(found, None)
    return None if name is None else ("scipy.stats", name)
