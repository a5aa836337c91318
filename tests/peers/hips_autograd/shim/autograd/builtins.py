"""Python's own: s2sad reads what they do."""

from builtins import dict, isinstance, list, tuple, type  # noqa: F401
