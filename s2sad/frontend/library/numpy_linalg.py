"""Functions of ``np.linalg`` that are made of others."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.codegen.helper_functions.decompositions import complex_eig, complex_eigvals
from s2sad.frontend.library.texts import stands_for


@stands_for(np.linalg.eig)
def eig(a: Any) -> Any:
    """``np.linalg.eig(a)``, complex also where all eigenvalues are real."""
    return complex_eig(a)


@stands_for(np.linalg.eigvals)
def eigvals(a: Any) -> Any:
    """``np.linalg.eigvals(a)``, complex also where all are real."""
    return complex_eigvals(a)
