"""The programs and their sample arguments.

    @program(2.0, np.ones(3), wrt=("rate", "start"))
    def decay(rate, start): ...

The decorator gives the function back unchanged.
"""

import copy
import importlib
import pathlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Program:
    """A function, arguments at which it is smooth, and the parameters of interest."""

    function: Callable
    sample: tuple
    wrt: tuple[str, ...]
    exact: bool = True
    """Whether it runs on hyper-dual numbers; differences are the reference if not."""
    scalar: bool = False
    """Whether its time goes into operations on single numbers."""

    @property
    def name(self) -> str:
        """The module and the function."""
        module = self.function.__module__.rpartition(".")[2]
        return f"{module}.{self.function.__name__}"

    @property
    def arguments(self) -> tuple:
        """A fresh copy of the sample arguments."""
        return copy.deepcopy(self.sample)


_REGISTERED: dict[str, Program] = {}


def program(*sample, wrt, exact=True, scalar=False):
    """Register a function; ``wrt`` names the parameters to differentiate by."""
    names = (wrt,) if isinstance(wrt, str) else wrt

    def register(function):
        entry = Program(function, sample, names, exact, scalar)
        _REGISTERED[entry.name] = entry
        return function

    return register


def all_programs() -> dict[str, Program]:
    """Every program of this folder, by name."""
    for path in sorted(pathlib.Path(__file__).parent.glob("*.py")):
        if path.stem != "__init__" and not path.stem.startswith("test_"):
            importlib.import_module(f"{__package__}.{path.stem}")
    return dict(sorted(_REGISTERED.items()))


def normal(seed: int, *shape: int) -> np.ndarray:
    """Standard normal numbers, the same ones each time."""
    return np.random.default_rng(seed).normal(size=shape)


def uniform(seed: int, low: float, high: float, *shape: int) -> np.ndarray:
    """Uniform numbers, the same ones each time."""
    return np.random.default_rng(seed).uniform(low, high, size=shape)
