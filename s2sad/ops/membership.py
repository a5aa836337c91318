"""Membership, which Python's own function has in another order."""

from __future__ import annotations

from typing import Any


def contains(item: Any, container: Any) -> bool:
    """``item in container``, in the order of the text."""
    return item in container
