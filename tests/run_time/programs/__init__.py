"""Programs that read run-time values; importing a module fills the table."""

from tests.run_time.programs import (
    absent,
    deques,
    dicts,
    lists,
    mixed,
    narrowing,
    none,
    objects,
    parameters,
    parts_of_tuples,
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
    "absent",
    "deques",
    "dicts",
    "lists",
    "mixed",
    "narrowing",
    "none",
    "objects",
    "parameters",
    "parts_of_tuples",
    "references",
    "starred",
    "stored_items",
    "stores",
    "texts",
    "trees",
]
