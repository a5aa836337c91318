"""Functions whose derivative the user gives, by rules of ``s2sad.rule``.

autograd's ``defvjp(f, vjp)`` takes ``vjp(ans, *args)``, which returns the pullback: a
cotangent of the result to one of an argument, both conjugates of s2sad's.
"""

import inspect

import numpy as np
import s2sad

from .unary import zeros_like


def primitive(function):
    """A function that nobody looks into."""
    return s2sad.primitive(function)


def defvjp(function, *makers, argnums=None):
    """The pullbacks, one for each differentiable argument; None for zero."""
    names = list(inspect.signature(function).parameters)
    places = tuple(range(len(makers)) if argnums is None else argnums)
    function.nondiff = tuple(n for i, n in enumerate(names) if i not in places)

    def forward(*args):
        out = function(*args)
        return out, (out, args)

    def reverse(residuals, out_bar):
        out, args = residuals
        cotangents = []
        for place, maker in zip(places, makers):
            if maker is None:
                cotangents.append(zeros_like(args[place]))
            else:
                cotangents.append(np.conj(maker(out, *args)(np.conj(out_bar))))
        return tuple(cotangents) if len(cotangents) > 1 else cotangents[0]

    function.defvjp(forward, reverse)
