"""Transforms as texts call them: names that stand for those of ``s2sad``."""


def grad(function, wrt=0):
    """Stands for ``s2sad.grad``."""
    raise NotImplementedError("a text that the compiler reads")


def jacobian(function, wrt=0):
    """Stands for ``s2sad.jacobian``."""
    raise NotImplementedError("a text that the compiler reads")
