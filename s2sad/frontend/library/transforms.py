"""Transforms as texts call them: names that stand for those of ``s2sad``."""

from __future__ import annotations

from typing import Any


def grad(function: Any, wrt: Any = 0) -> Any:
    """Stands for ``s2sad.grad``."""
    raise NotImplementedError("a text that the compiler reads")


def jacobian(function: Any, wrt: Any = 0) -> Any:
    """Stands for ``s2sad.jacobian``."""
    raise NotImplementedError("a text that the compiler reads")
