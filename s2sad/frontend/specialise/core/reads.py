"""What compilation read of the user's modules and closures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Read:
    """Something of the user's module or closure that compilation read; dispatch checks
    it."""

    resolver: Any
    name: str
    attributes: tuple[str, ...]
    value: Any


@dataclass(frozen=True)
class LiveObject:
    """Stands for the resolver where an attribute of a class or object was read that no
    name of a module leads to."""

    value: Any
