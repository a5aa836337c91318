"""The table of the calls at which rules and texts are tested: one line a call.

Each file has the calls of the file of rules of its name in ``s2sad/rules``, those in
``library`` the calls of a file of texts in ``s2sad/frontend/library``, or of rules for
SciPy. ``conventions`` has what the derivatives are at kinks, ties and borders.
"""

from __future__ import annotations

import importlib
import pkgutil

from s2sad.rules.load import load_all
from tests.rules.cases import library
from tests.rules.cases.form import Case

load_all()


def _of(*files: str) -> list[Case]:
    return [
        case
        for file in files
        for case in importlib.import_module(f"tests.rules.cases.{file}").CASES
    ]


PRODUCTS = _of(
    *("numpy.products", "numpy.einsum", "numpy.linalg", "numpy.norms", "helpers_rules")
)
ARRAYS = [
    *_of("numpy.reductions", "numpy.orderings", "numpy.shapes", "numpy.joining"),
    *_of("numpy.repetitions", "numpy.creation", "numpy.indexing", "numpy.lines"),
    *PRODUCTS,
]
"""Calls of functions of arrays."""
ELEMENTS = _of("operators", "builtins", "math", "numpy.elementwise")
"""Calls of functions of numbers, and of the elements of arrays."""
WITHOUT_DERIVATIVE = _of("without_derivative")
LIBRARY = _of(*(f"library.{m.name}" for m in pkgutil.iter_modules(library.__path__)))
CASES = [*ELEMENTS, *WITHOUT_DERIVATIVE, *ARRAYS, *LIBRARY]
