"""Source-to-source automatic differentiation for NumPy.

``differentiate``, ``grad`` and the other transforms compile a Python function into
another Python function that computes its derivative; ``.source`` shows the text. The
compiler itself is imported when a derivative is first asked for.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from s2sad.api import differentiate, grad, hvp, jvp, value_and_grad, vjp
from s2sad.errors import (
    ArgumentError,
    Problem,
    RuleError,
    S2sadError,
    SourceError,
    UnsupportedError,
)

if TYPE_CHECKING:
    from s2sad import optim as optim
    from s2sad import rule as rule
    from s2sad import testing as testing

__all__ = [
    "ArgumentError",
    "Problem",
    "RuleError",
    "S2sadError",
    "SourceError",
    "UnsupportedError",
    "differentiate",
    "grad",
    "hvp",
    "jvp",
    "optim",
    "rule",
    "testing",
    "value_and_grad",
    "vjp",
]


def __getattr__(name: str) -> Any:
    if name in ("optim", "rule", "testing"):
        return importlib.import_module(f"s2sad.{name}")
    raise AttributeError(f"module 's2sad' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
