"""Every list, dict and object of an argument kept as it is, where that isn't refused:
what is otherwise done with those of many items alone."""

from __future__ import annotations

from s2sad.source.kinds.kept_values import KeptAtRunTime


def keep_all_structures() -> None:
    """Take nothing apart from here on that can be kept."""
    KeptAtRunTime.everything = True
