"""What every part of the generator of random programs shares: drawing, the names in
scope and their types, writing lines."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field

HEADER = """\
import contextlib
import functools
import itertools
import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

RATE = 0.7
TABLE = np.array([0.4, -0.9, 1.3])
LIMITS = (0.3, -1.2)
CONFIG = {"gain": 0.8, "steps": 2}


class Pair(NamedTuple):
    s: float
    v: np.ndarray


@dataclass
class Box:
    v: np.ndarray
    s: float = 0.25


def checked(value, limit=0.8):
    if value > limit:
        raise ValueError("too large")
    return 0.5 * value
"""

PARAMETERS = {"x": "s", "y": "s", "v": "v", "m": "m", "r": "r", "k": "i"}
SHAPES = {"s": (), "v": (3,), "u": (2,), "m": (2, 3), "r": (1, 3)}
NAMES = {
    "s": ("x", "y", "a", "b", "total", "h", "t"),
    "v": ("v", "w", "z", "p"),
    "u": ("u", "q"),
    "m": ("m", "n"),
    "r": ("r", "row"),
    "n": ("steps", "size"),
    "flag": ("on", "seen"),
    "f": ("f", "act"),
    "f2": ("mix",),
    "fv": ("layer",),
    "long": ("path", "log"),
    "dynamic": ("some", "kept"),
    "rows": ("rows", "history"),
    "nest": ("grid", "groups"),
    "card": ("card", "data"),
    "deck": ("deck", "store"),
    "object0": ("one", "two"),
    "object1": ("left", "right"),
    "team0": ("team", "others"),
    "team1": ("pool", "crew"),
}
"""The names that are assigned for a type. ``s`` is a number, ``v``, ``u``, ``m``, ``r``
are arrays, ``i`` an int that isn't assigned, ``n`` one that is, ``f`` a function of a
number, ``f2`` one of two numbers, ``fv`` one of ``v``. The last ones are lists, dicts
and objects that change (containers.py, objects.py)."""

STRUCTURES = {
    "tuple": (("[0]", "s"), ("[1]", "v")),
    "list": (("[0]", "s"), ("[-1]", "s")),
    "dict": (('["s"]', "s"), ('["v"]', "v")),
    "pair": ((".s", "s"), (".v", "v"), ("[0]", "s")),
    "box": ((".s", "s"), (".v", "v")),
    "nested": (('["t"][0]', "s"), ('["t"][1]', "v"), ('["s"]', "s")),
    "functions": (("[0]", "f"), ("[-1]", "f")),
    "table": (('["f"]', "f"), ('["g"]', "f")),
}

CONSTANTS = ("rate", "decay", "weights")
"""Variables that no argument reaches."""

Env = dict[str, str]
"""The names that are surely bound, with their types. A type ``if:TEST:s`` is of a name
that is bound where ``TEST`` holds."""


@dataclass
class Loop:
    """A loop that statements are written into."""

    breaks: list[Env] = field(default_factory=list)
    """What is bound at each jump out of it."""
    continues: list[Env] = field(default_factory=list)


@dataclass
class Scope:
    """A function that statements are written into."""

    result: tuple[str, ...] = ()
    """What an early return gives; none is written if empty."""
    returns: str = ""
    """The text of all early returns, if it doesn't depend on where it stands."""
    own: set[str] | None = None
    """The names that may be assigned; None for all of them."""
    loops: list[Loop] = field(default_factory=list)
    constants: bool = True
    """Whether variables that no argument reaches may be assigned."""
    guarded: int = 0
    """In how many try statements that catch ValueError."""


class Writer:
    """Draws, and writes lines."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.helpers: list = []
        self.indent = 0
        self.lines: list[str] = []
        self.count_of_names = 0
        self.calls_left = 6
        self.pinned: set[str] = set()
        """Names that functions read when they are called: they keep their types."""
        self.scope = Scope()
        self.walking = 0
        """In how many loops over lists."""

    # ---------------------------------------------------------------- drawing

    def one_in(self, n: int) -> bool:
        return self.random.randrange(n) == 0

    def pick(self, *choices):
        return self.random.choice(choices)

    def number(self) -> str:
        return self.pick(
            "0.5", "1.5", "2", "-0.8", "0.3", "1", "RATE", "LIMITS[1]", "1.1"
        )

    def fresh(self, stem: str) -> str:
        """A name that nothing else has."""
        self.count_of_names += 1
        return f"{stem}{self.count_of_names}"

    # ---------------------------------------------------------------- names

    def names_of(self, env: Env, kind: str) -> list[str]:
        return [name for name, own in env.items() if own == kind]

    def ints(self, env: Env) -> list[str]:
        kinds = ("i", "count", "n")
        return [name for name, own in env.items() if own in kinds]

    def assignable(self, env: Env, kind: str) -> list[str]:
        """Names of a type that may be assigned here."""
        known = [n for n in self.names_of(env, kind) if n not in CONSTANTS]
        own = self.scope.own
        return known if own is None else [n for n in known if n in own]

    def target(self, env: Env, kind: str, held: set[str]) -> str:
        """A name to assign: often one there is, so that values are overwritten."""
        known = self.assignable(env, kind)
        if kind in ("f", "f2", "fv"):
            known = [n for n in known if n not in self.pinned]
        if known and not self.one_in(3):
            return self.random.choice(known)
        name = self.random.choice(NAMES[kind])
        if self.scope.own is not None:
            name = self.fresh(name)
            self.scope.own.add(name)
        taken = name in held or name in self.pinned
        if taken and (env.get(name) != kind or kind in ("f", "f2", "fv")):
            return self.fresh(name)
        return name

    def loop_name(self, stem: str = "e") -> str:
        """A fresh name for what a loop or comprehension binds."""
        name = self.fresh(stem)
        if self.scope.own is not None:
            self.scope.own.add(name)
        return name

    def pin(self, text: str, env: Env) -> None:
        """A function with this text reads names when it is called."""
        self.pinned |= set(re.findall(r"[A-Za-z_]\w*", text)) & set(env)

    # ---------------------------------------------------------------- lines

    def emit(self, line: str) -> None:
        self.lines.append(("    " * self.indent + line).rstrip())

    def kind(self) -> str:
        return self.pick("s", "s", "s", "s", "v", "v", "m", "u", "r")


def common(ends: list[Env]) -> Env:
    """What is bound on every path, with the same type."""
    if not ends:
        return {}
    return {
        name: kind
        for name, kind in ends[0].items()
        if all(end.get(name) == kind for end in ends)
    }
