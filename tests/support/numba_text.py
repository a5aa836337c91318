"""The text for Numba run as Python, as it stands: to compile it takes Numba longer than
all else."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from unittest import mock

from s2sad.codegen.numba.options import require_numba
from s2sad.dispatch import numba_loading as loading


@contextlib.contextmanager
def run_as_python() -> Iterator[None]:
    """What is loaded within this context isn't compiled by Numba."""
    numba = require_numba()
    with (
        mock.patch.object(numba, "njit", lambda **options: lambda function: function),
        mock.patch.object(loading, "compile_for", lambda core, arguments: None),
    ):
        yield
