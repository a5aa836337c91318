"""What is asked of functions that only the run can tell from others, which Python
answers otherwise than their records would."""

from __future__ import annotations

import copy
import functools
import operator
import types

import pytest

from s2sad import errors, grad

NUMBERS = [0.7, 1.2, 0.4, 0.9, 1.5]


class Scale:
    def __init__(self, w):
        self.w = w

    def of(self, v):
        return self.w * v


def functions_of(ws):
    return [lambda v, w=w: w * v for w in ws]


def partials_of(ws):
    return [functools.partial(operator.mul, w) for w in ws]


def methods_of(ws):
    return [Scale(w).of for w in ws]


def attribute(ws):
    return sum(f(1.0) * f.w for f in functions_of(ws))


def attribute_asked_for(ws):
    return sum(f(1.0) if hasattr(f, "w") else 0.0 for f in functions_of(ws))


def attribute_or_default(ws):
    return sum(f(1.0) * getattr(f, "w", 2.0) for f in functions_of(ws))


def attribute_stored(ws):
    total = 0.0
    for f in functions_of(ws):
        f.w = 2.0
        total += f(1.0)
    return total


def arguments_of_partials(ws):
    return sum(f(1.0) * f.args[0] for f in partials_of(ws))


def object_of_methods(ws):
    return sum(f(1.0) * f.__self__.w for f in methods_of(ws))


def name(ws):
    return sum(f(1.0) if f.__name__ == "<lambda>" else 0.0 for f in functions_of(ws))


def class_of_functions(ws):
    fs = functions_of(ws)
    return sum(f(1.0) if isinstance(f, types.FunctionType) else 0.0 for f in fs)


def class_of_partials(ws):
    fs = partials_of(ws)
    return sum(f(1.0) if isinstance(f, functools.partial) else 0.0 for f in fs)


def deep_copy(ws):
    scales = [Scale(w) for w in ws]
    fs = [lambda v, scale=scale: scale.w * v for scale in scales]
    copies = copy.deepcopy(fs)
    for scale in scales:
        scale.w = 2.0
    return sum(f(1.0) for f in copies)


def methods_compared(ws):
    scales = [Scale(w) for w in ws]
    fs = [scale.of for scale in scales]
    return sum(f(1.0) for f, scale in zip(fs, scales) if f == scale.of)


def partials_compared(ws):
    fs = partials_of(ws)
    return sum(f(1.0) for f in fs if f is fs[0])


def keyword_of_a_captured_name(ws):
    def scaled(w):
        def by(v):
            return w * v

        return by

    return sum(f(1.0, w=2.0) for f in [scaled(w) for w in ws])


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        *((f, "the attribute") for f in (attribute, attribute_asked_for)),
        *((f, "the attribute") for f in (attribute_or_default, attribute_stored)),
        *((f, "the attribute") for f in (arguments_of_partials, name)),
        (object_of_methods, "the attribute '__self__'"),
        *((f, "of which class") for f in (class_of_functions, class_of_partials)),
        (deep_copy, "they are the same in the copy"),
        *((f, "the same function") for f in (methods_compared, partials_compared)),
        (keyword_of_a_captured_name, "a keyword of this name"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_records_do_not_tell_is_refused(function, reason):
    with pytest.raises(errors.UnsupportedError, match=reason):
        grad(function)(NUMBERS)
