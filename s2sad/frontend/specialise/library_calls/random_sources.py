"""Random generators: where they are made, and draws from them."""

import random
from typing import Any

import numpy as np

from s2sad import ir, rules
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser, Words

_MAKERS: dict[Any, ir.Kind] = {
    np.random.default_rng: ir.GENERATOR,
    np.random.Generator: ir.GENERATOR,
    np.random.RandomState: ir.RANDOM_STATE,
    random.Random: ir.PYTHON_RANDOM,
}


def new_source(
    spec: Specialiser, function: Any, args: Args, words: Words
) -> core.Value | None:
    """``np.random.default_rng(seed)`` and the like; None for other calls."""
    kind = _MAKERS.get(function) if function in _CALLABLE else None
    if kind is None:
        return None
    keywords = tuple((k, core.operand_of(v)) for k, v in words.items())
    made = ir.Apply(function, tuple(map(core.operand_of, args)), keywords)
    return spec.define(made, kind, "rng")


_CALLABLE = frozenset(_MAKERS)


def draw(
    spec: Specialiser, source: core.Leaf, name: str, args: Args, words: Words
) -> core.Value:
    """``rng.name(...)``."""
    assert isinstance(source.kind, ir.RandomSource)
    cls = source.kind.cls
    function: Any = getattr(cls, name, None)
    if function is None or rules.rule_for(function) is None:
        raise _unknown_draw(f"the method {name!r} of a {cls.__name__}", name)
    return spec.apply(
        function, (source, *args), words, spelling=f"method:{name}", hint=name
    )


def refuse_unknown_draw(function: Any) -> None:
    """Refuse functions of Python's module ``random`` of which no rule says what they
    draw."""
    if rules.rule_for(function) is None:
        raise _unknown_draw(f"random.{function.__name__}", function.__name__)


def _unknown_draw(what: str, name: str) -> core.Unsupported:
    advice = {
        "shuffle": "draw an order with permutation(n), and index",
        "choice": "draw the place with randrange(n), and index",
    }
    return core.Unsupported(
        f"{what} can't be differentiated",
        advice.get(name, "call it outside and pass the result in"),
    )
