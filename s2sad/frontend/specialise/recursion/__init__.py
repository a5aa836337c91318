"""Functions that call themselves: they become procedures."""
