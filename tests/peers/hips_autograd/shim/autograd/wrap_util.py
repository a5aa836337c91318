"""Derivatives of functions of one argument, as those of functions of many."""

from .unary import chosen, with_chosen


def unary_to_nary(operator):
    """``operator(fun, x)`` as ``made(fun, argnum)(*args)``."""

    def made(fun, argnum=0, *more, **options):
        def derivative(*args, **kwargs):
            def result_of(x):
                return fun(*with_chosen(args, argnum, x), **kwargs)

            return operator(result_of, chosen(args, argnum), *more, **options)

        return derivative

    return made


def wraps(function):
    def decorate(other):
        other.__name__, other.__doc__ = function.__name__, function.__doc__
        return other

    return decorate
