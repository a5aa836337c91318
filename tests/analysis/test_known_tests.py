"""What a branch tells isn't tested again in it."""

from __future__ import annotations

import math

import pytest

from s2sad import grad
from s2sad.testing import check_grads


def counted(words, xs):
    found = {}
    for w, x in zip(words, xs):
        if w in found:
            found[w] += math.sin(x)
        else:
            found[w] = x
    return sum(v * v for v in found.values())


def kept_greatest(words, xs):
    found = {}
    for w, x in zip(words, xs):
        if w not in found or found[w] < x:
            found[w] = x * x
        if w in found:
            found[w] = found[w] * 0.5
    return sum(v**3 for v in found.values())


def taken(words, xs):
    found, total = {}, 0.0
    for w, x in zip(words, xs):
        if w in found:
            total = total * 0.5 + found.pop(w) * x
            if w in found:
                total += 100.0
            found[w] = x
        else:
            found[w] = x * total + 1.0
            if w in found:
                found[w] += x
    return total + sum(found.values())


def bound_again(words, xs):
    found, total = {}, 0.0
    for w, x in zip(words, xs):
        if w in found:
            w = w + "!"
            if w in found:
                total += found[w] * x
            else:
                found[w] = x
        else:
            found = {w: x}
            if w in found:
                found[w] *= x
    return total + sum(found.values())


def compared(words, xs):
    total = 0.0
    for w, x in zip(words, xs):
        if x > 0.6:
            total = 0.9 * total + x * x
            if x > 0.6:
                total += math.cos(x)
            x = x - 0.3
            if x > 0.6:
                total *= x
        elif x > 0.6:
            total = 1e9
        else:
            total += x
    return total


def grown(words, xs):
    seen, total = set(), 0.0
    for w, x in zip(words, xs):
        if w in seen:
            total += x
        else:
            seen.add(w)
            if w in seen:
                total = total * x + x * x
    return total


WORDS = [*"abacabadbbea"]
XS = [0.3 + 0.37 * (k * k % 7) / 2.3 for k in range(len(WORDS))]


@pytest.mark.parametrize(
    "function", [counted, kept_greatest, taken, bound_again, compared, grown]
)
@pytest.mark.parametrize("times", [1, 20])
def test_gradients(function, times):
    words, xs = WORDS * times, [x / times**0.1 for x in XS * times]
    if times == 1:
        check_grads(function, (words, xs), wrt="xs")
    plain = grad(function, "xs", optimise={"known_tests": False})
    assert grad(function, "xs")(words, xs) == pytest.approx(plain(words, xs), 1e-12)


def test_nothing_is_asked_twice():
    text = grad(counted, "xs").source_for(WORDS, XS)
    assert text.count(" in found_places") == 1
    assert text.count("found_places[w]") == 2  # where it is read, and where it is put
    assert "else:" in text
