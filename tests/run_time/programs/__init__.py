"""Programs that read run-time values; importing a module fills the table."""

from tests.run_time.programs import (
    deques,
    dicts,
    lists,
    made,
    mixed,
    narrowing,
    none,
    objects,
    parameters,
    rebound,
    references,
    starred,
    stored_items,
    stores,
    texts,
    trees,
)
from tests.run_time.programs.table import PROGRAMS, Program

__all__ = [
    "PROGRAMS",
    "Program",
    "deques",
    "dicts",
    "lists",
    "made",
    "mixed",
    "narrowing",
    "none",
    "objects",
    "parameters",
    "rebound",
    "references",
    "starred",
    "stored_items",
    "stores",
    "texts",
    "trees",
]
