"""Nothing is traced."""

from .extend import primitive  # noqa: F401


def isbox(x):
    return False
