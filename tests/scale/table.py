"""The programs of all files."""

from __future__ import annotations

from tests.scale import programs_over_lists, programs_that_store_in_calls

TABLE = [
    *programs_over_lists.PROGRAMS.programs,
    *programs_that_store_in_calls.PROGRAMS.programs,
]
