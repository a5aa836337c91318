"""Handy functions beside the derivatives."""

from .flatten import flatten  # noqa: F401


def const_graph(function, *args, **kwargs):
    raise NotImplementedError("there is no graph of operations to be kept")
