"""What a branch tells isn't tested again in it."""

from __future__ import annotations

import math
from collections import defaultdict

import numpy as np
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
    assert text.count(" in found\n") == 1
    assert "found[w] += math.sin(x)" in text
    assert "else:" in text


def unpacked(rows, weights):
    total = 0.0
    for row in rows:
        a, b = weights
        total = 0.5 * total + a * row[0]
        a, b = weights
        total += b * row[1]
    return total


def bound_in_turns(rows, weights):
    total = 0.0
    for row in rows:
        a, b = weights
        total = 0.5 * total + a * row[0]
        weights = np.concatenate([weights[:1], row])[: len(row)]
        a, b = weights
        total *= a + b
    return total


def caught(weights, x):
    total = 0.0
    try:
        a, b = weights
        total = a * b
    except ValueError:
        total = x
    try:
        a, b = weights
        total *= a + x
    except ValueError:
        total += 2.0 * x
    return total


def test_what_would_have_raised_before():
    rows, weights = np.linspace(0.2, 1.3, 6).reshape(3, 2), np.array([0.4, 0.7])
    text = grad(unpacked, "weights").source_for(rows, weights)
    assert text.count("raise ValueError") == 1
    check_grads(unpacked, (rows, weights))
    check_grads(bound_in_turns, (rows, weights))
    with pytest.raises(ValueError, match="unpack"):
        grad(unpacked, "weights")(rows, np.ones(3))
    for form in (weights, np.ones(3)):
        check_grads(caught, (form, 0.3))


def test_a_copy_of_what_a_loop_binds_anew():
    def lengths(x):
        kept = later = x
        total = 0.0
        for k in range(1, 4):
            kept = later
            try:
                a, b = kept
                total += a * b
            except ValueError:
                total += np.sum(kept)
            later = x[:k]
        return total

    check_grads(lengths, (np.array([0.3, 0.5, 0.7]),))


def tallied(words, xs):
    totals = defaultdict(float)
    for w, x in zip(words, xs):
        totals[w] += x * x
    return sum(v**3 for v in totals.values())


def key_of_its_own_value(words, xs):
    after = {"a": "b", "b": "c"}
    weights = {"a": 1.0, "b": 2.0}
    total = 0.0
    for x in xs[:2]:
        word = "a"
        total += weights[word] * x
        word = after[word]
        if word in after:
            total += weights[word] * x
            word = after[word]
            if word in after:
                total += 100.0
    return total


@pytest.mark.parametrize("function", [tallied, key_of_its_own_value])
def test_a_key_whose_value_was_read_is_there(function):
    check_grads(function, (WORDS, XS), wrt="xs")


def test_a_default_that_was_put_in_is_changed_where_it_is():
    text = grad(tallied, "xs").source_for(WORDS, XS)
    assert text.count(" in totals\n") == 1
    assert "totals[w] += x * x" in text
