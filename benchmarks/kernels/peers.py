"""The same derivatives by the peers, each as its users would write it.

``version(peer, kernel, arguments)`` gives a function and the arguments it takes, made
from the kernel's own, so that no conversion is timed. ``Unserved`` says why there is
none. Modules of peers are imported when they are asked for: all of them are optional.
"""

from __future__ import annotations

import builtins
import importlib
import types
from collections.abc import Callable
from typing import Any, NamedTuple

from benchmarks.kernels.kernel import Kernel

BACKENDS = ("s2sad_numba",)
"""s2sad's own other backends, which stand beside the peers."""
PEERS = (
    "numba",
    "numba_loops",
    "autograd",
    "advect",
    "torch",
    "jax",
    "casadi",
    "adolc",
    "sacado",
)
WRITTEN_OUT = ("advect", "casadi")
"""Peers that build as many operations as a loop executes."""
NAMES = {
    "s2sad_numba": "s2sad numba",
    "numba": "Numba by hand",
    "numba_loops": "Numba loops by hand",
    "autograd": "HIPS autograd",
    "advect": "advect",
    "torch": "PyTorch",
    "jax": "JAX jit",
    "casadi": "CasADi",
    "adolc": "ADOL-C",
    "sacado": "Sacado",
}


class Version(NamedTuple):
    """A derivative by a peer."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    """What it takes, made from the kernel's own."""
    remark: str = ""
    """In what it differs from the kernel."""


class Unserved(Exception):
    """A peer has no version of a kernel, or isn't installed."""


def version(peer: str, kernel: Kernel, arguments: tuple[Any, ...]) -> Version:
    """The derivative by a peer.

    Raises Unserved where the peer isn't installed, or its users can't write the kernel
    in a way that it differentiates.
    """
    found: Version = module_of(peer).version(kernel, arguments)
    return found


def module_of(peer: str) -> types.ModuleType:
    """The module of a peer, whose import loads it. Raises Unserved where it isn't
    installed."""
    try:
        return importlib.import_module(f"benchmarks.kernels.peers_{peer}")
    except ImportError as error:
        raise Unserved(f"{NAMES[peer]} is not installed") from error


def with_numpy_replaced(function: Any, names: dict[str, Any]) -> types.FunctionType:
    """A copy of a function, and of what it calls in the kernels, with other globals."""
    modules: dict[int, dict[str, Any]] = {}
    return _copied(function, names, modules)


def _copied(
    function: Any, names: dict[str, Any], modules: dict[int, dict[str, Any]]
) -> types.FunctionType:
    own = function.__globals__
    changed = modules.get(id(own))
    if changed is None:
        builtin = vars(builtins)
        known = {n: value for n, value in names.items() if n in own or n in builtin}
        changed = {**own, **known}
        modules[id(own)] = changed
        for name, value in own.items():
            if isinstance(value, types.FunctionType) and name not in names:
                if value.__module__.startswith("benchmarks.kernels."):
                    changed[name] = _copied(value, names, modules)
    return _with_globals(function, changed)


def _with_globals(function: Any, names: dict[str, Any]) -> types.FunctionType:
    return types.FunctionType(
        function.__code__,
        names,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )


def places(kernel: Kernel) -> tuple[int, ...]:
    """The positions of the parameters that are differentiated."""
    wrt = kernel.wrt if isinstance(kernel.wrt, tuple) else (kernel.wrt,)
    names = kernel.function.__code__.co_varnames
    return tuple(w if isinstance(w, int) else names.index(w) for w in wrt)
