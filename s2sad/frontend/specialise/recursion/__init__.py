"""Functions that are called and not written out: they become procedures."""
