"""Programs that read run-time values; importing a module fills the table."""

from tests.run_time.programs import (
    dicts,
    lists,
    mixed,
    narrowing,
    none,
    objects,
    parameters,
    references,
    stores,
    texts,
    trees,
)
from tests.run_time.programs.table import PROGRAMS, Program

__all__ = [
    "PROGRAMS",
    "Program",
    "dicts",
    "lists",
    "mixed",
    "narrowing",
    "none",
    "objects",
    "parameters",
    "references",
    "stores",
    "texts",
    "trees",
]
