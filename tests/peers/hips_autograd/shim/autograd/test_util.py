"""Checks of derivatives, by ``s2sad.testing``: each element of a gradient and each
tangent is compared with differences, where autograd tries one random direction."""

from itertools import product

import numpy as np
import s2sad.testing

from .unary import chosen, with_chosen


def check_grads(fun, argnum=0, modes=("fwd", "rev"), order=2):
    """``check_grads(fun)(*args)`` raises AssertionError where a derivative is wrong."""

    def check(*args, **kwargs):
        def result_of(x):
            return fun(*with_chosen(args, argnum, x), **kwargs)

        result_of.__name__ = getattr(fun, "__name__", "function")
        return s2sad.testing.check_grads(
            result_of, (chosen(args, argnum),), modes=tuple(modes), order=order
        )

    return check


def combo_check(fun, *args, **kwargs):
    """:func:`check_grads` of all combinations of arguments and keywords."""

    def check(*choices, **keyword_choices):
        names = tuple(keyword_choices)
        for arguments in product(*choices):
            for values in product(*keyword_choices.values()):
                keywords = dict(zip(names, values))
                check_grads(fun, *args, **kwargs)(*arguments, **keywords)

    return check


def scalar_close(a, b):
    return bool(np.isclose(a, b, rtol=1e-6, atol=1e-6))


def check_equivalent(x, y):
    """Two structures have the same form, and values that are close."""
    assert isinstance(x, (tuple, list, dict)) == isinstance(y, (tuple, list, dict))
    if isinstance(x, (tuple, list, dict)):
        assert type(x) is type(y) and len(x) == len(y), f"{x} and {y}"
        for key in x if isinstance(x, dict) else range(len(x)):
            check_equivalent(x[key], y[key])
        return
    assert np.shape(x) == np.shape(y), f"shapes {np.shape(x)} and {np.shape(y)}"
    assert np.iscomplexobj(x) == np.iscomplexobj(y)
    assert np.allclose(x, y, rtol=1e-6, atol=1e-6), f"{x} and {y}"
