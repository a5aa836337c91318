"""Source-to-source automatic differentiation for NumPy.

``differentiate``, ``grad`` and the other transforms compile a Python function into
another Python function that computes its derivative; ``.source`` shows the text. The
compiler itself is imported when a derivative is first asked for.
"""

from __future__ import annotations

from s2sad import _working_folder  # isort: skip

import importlib
from typing import TYPE_CHECKING, Any

from s2sad.api import (
    differentiate,
    elementwise_grad,
    grad,
    hessian,
    hvp,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    linearize,
    sparse_hessian,
    sparse_jacobian,
    value_and_grad,
    vjp,
)
from s2sad.checkpoints import checkpoint
from s2sad.custom import custom_jvp, custom_vjp, primitive
from s2sad.errors import (
    ArgumentError,
    Problem,
    RuleError,
    S2sadError,
    SourceError,
    UnsupportedError,
)
from s2sad.shaping import hook, no_grad, stop_gradient

del _working_folder

if TYPE_CHECKING:
    from s2sad import optim as optim
    from s2sad import rule as rule
    from s2sad import testing as testing
    from s2sad.graphs import Graph, graph
    from s2sad.implicit import fixed_point as fixed_point
    from s2sad.implicit import root as root

__all__ = [
    "ArgumentError",
    "Graph",
    "Problem",
    "RuleError",
    "S2sadError",
    "SourceError",
    "UnsupportedError",
    "checkpoint",
    "custom_jvp",
    "custom_vjp",
    "differentiate",
    "elementwise_grad",
    "fixed_point",
    "grad",
    "graph",
    "hessian",
    "hook",
    "hvp",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jvp",
    "linearize",
    "no_grad",
    "optim",
    "primitive",
    "root",
    "rule",
    "sparse_hessian",
    "sparse_jacobian",
    "stop_gradient",
    "testing",
    "value_and_grad",
    "vjp",
]


def __getattr__(name: str) -> Any:
    if name in ("optim", "rule", "testing"):
        return importlib.import_module(f"s2sad.{name}")
    if name in ("Graph", "graph"):
        return getattr(importlib.import_module("s2sad.graphs"), name)
    if name in ("fixed_point", "root"):
        return getattr(importlib.import_module("s2sad.implicit"), name)
    raise AttributeError(f"module 's2sad' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
