"""The text for Numba run as Python, as it stands: to compile it takes Numba longer than
all else."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

from s2sad.codegen.numba.options import require_numba
from s2sad.dispatch import numba_loading as loading


@contextlib.contextmanager
def run_as_python() -> Iterator[None]:
    """What is loaded within this context isn't compiled by Numba."""
    numba = require_numba()
    with (
        mock.patch.object(numba, "njit", lambda **options: _as_it_stands),
        mock.patch.object(loading, "compile_for", lambda core, arguments: None),
    ):
        yield


def _as_it_stands(function: Any) -> Callable[..., Any]:
    """The function itself, also where it is to be compiled before its first call."""
    function.compile = lambda types: None
    return function  # type: ignore[no-any-return]
