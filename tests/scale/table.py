"""The programs of all files."""

from __future__ import annotations

from tests.scale import programs_over_lists

TABLE = [*programs_over_lists.PROGRAMS.programs]
