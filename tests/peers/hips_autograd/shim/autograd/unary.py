"""A function of many arguments as a function of those that are differentiated.

``argnum`` is a position, or a list or tuple of them: the function then takes a tuple.
"""

import numpy as np


def chosen(args, argnum):
    """What is differentiated of the arguments of a call."""
    if isinstance(argnum, int):
        return args[argnum]
    return tuple(args[i] for i in argnum)


def with_chosen(args, argnum, x):
    """The arguments with others in their places."""
    if isinstance(argnum, int):
        return tuple(x if i == argnum else args[i] for i in range(len(args)))
    replaced = list(args)
    for place, value in zip(argnum, x):
        replaced[place] = value
    return tuple(replaced)


def conjugated(x):
    """A structure with the conjugates of what it holds."""
    if isinstance(x, dict):
        return {key: conjugated(x[key]) for key in x}
    if isinstance(x, list):
        return [conjugated(item) for item in x]
    if isinstance(x, tuple):
        return tuple([conjugated(item) for item in x])
    return np.conj(x) if np.iscomplexobj(x) else x


def ones_like(x):
    """A structure of ones."""
    if isinstance(x, dict):
        return {key: ones_like(x[key]) for key in x}
    if isinstance(x, list):
        return [ones_like(item) for item in x]
    if isinstance(x, tuple):
        return tuple([ones_like(item) for item in x])
    return 1.0 if isinstance(x, float) else np.ones_like(x)


def zeros_like(x):
    """A structure of zeros."""
    if isinstance(x, dict):
        return {key: zeros_like(x[key]) for key in x}
    if isinstance(x, list):
        return [zeros_like(item) for item in x]
    if isinstance(x, tuple):
        return tuple([zeros_like(item) for item in x])
    return 0.0 if isinstance(x, float) else np.zeros_like(x)


def one_real_number(result, name):
    """The only number of a result, which may be an array of one."""
    if np.iscomplexobj(result) or np.size(result) != 1:
        raise TypeError(f"{name} is for functions that return one real number")
    return np.reshape(result, ())
