"""``custom_vjp`` and ``custom_jvp`` inside of a differentiated function.

Such a function is a value of compile time, as functions made inside are; what
``defvjp`` and ``defjvp`` give it is noted on it::

    def f(x, a):
        @custom_vjp                          g is a NestedCustom
        def g(y):
            return np.sign(y)
        g.defvjp(forward, reverse)           noted, where g was made
        return a * g(x)                      a call, differentiated as given
"""

import ast
from typing import Any

from s2sad import ir
from s2sad.custom import CustomFunction, custom_jvp, custom_vjp, primitive
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser, Words
from s2sad.frontend.specialise.language.user_sources import user_source
from s2sad.source.static.values import StaticS2sad
from s2sad.source.text.source_function import SourceFunction

Text = tuple[SourceFunction, core.Frame | None, dict[str, core.Value] | None]
"""A function as text, the activation that it was made in, and its defaults."""


class NestedCustom(CustomFunction):
    """What the decorators return inside of a differentiated function. Equal where the
    same text was made in the same activation: a loop makes one again and again."""

    def __init__(
        self, maker: Any, wrapped: core.Value, nondiff: Any, spec: Specialiser
    ) -> None:
        self.wrapped = wrapped
        self.__wrapped__ = _not_run
        self.__name__ = self.__qualname__ = name_of(wrapped)
        self.nondiff = (nondiff,) if isinstance(nondiff, str) else tuple(nondiff)
        self.opaque, self.kind = False, None
        self.forward = self.reverse = self.pushforward = None
        self.block = spec.block
        """The statements among which it is made: there it is given its derivative."""
        self._key = (maker, wrapped, self.nondiff, spec.place)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NestedCustom) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


def _not_run(*args: Any) -> Any:
    raise TypeError("a function that is compiled isn't run")


def name_of(function: Any) -> str:
    """The name of a function that is a value of the program, or is known."""
    if isinstance(function, core.Closure):
        return function.source.name
    if isinstance(function, core.Leaf) and isinstance(function.kind, ir.Known):
        function = function.kind.value
    return str(getattr(function, "__name__", function))


def text_of(function: Any) -> Text | None:
    """The text of a function: one made inside, or a known one; None where there is
    none."""
    if isinstance(function, core.Closure):
        return function.source, function.frame, dict(function.defaults)
    if isinstance(function, core.Leaf) and isinstance(function.kind, ir.Known):
        function = function.kind.value
    source = user_source(function)
    return None if source is None else (source, None, None)


def _made(maker: Any) -> Any:
    def make(spec: Specialiser, args: Args, words: Words) -> core.Value:
        """``custom_vjp(f)``, and ``custom_vjp(nondiff=...)``."""
        name = maker.__name__
        if maker is primitive:
            raise core.Unsupported(
                "a primitive that is made inside of a differentiated function has no "
                "name that generated code could call it by",
                "make it at module level",
            )
        if not args:
            known = next(k for k, v in MADE_INSIDE.items() if v is make)
            return core.Partial(core.constant(known), (), tuple(words.items()))
        nondiff = words.get("nondiff", core.constant(()))
        if len(args) > 1 or set(words) - {"nondiff"} or not _is_literal(nondiff):
            raise core.Unsupported(f"{name} takes a function, and nondiff=...")
        (wrapped,) = args
        if isinstance(wrapped, core.Closure):
            found = wrapped.source.node.args
            names = {a.arg for a in ast.walk(found) if isinstance(a, ast.arg)}
        elif text_of(wrapped) is None if isinstance(wrapped, core.Leaf) else True:
            raise core.Unsupported(
                f"{name} is given {core.describe(wrapped)}", "give it a def or lambda"
            )
        else:
            names = None
        made = NestedCustom(maker, wrapped, core.known_value(nondiff), spec)
        for parameter in made.nondiff:
            if names is not None and parameter not in names:
                raise core.Unsupported(
                    f"{made.__name__} has no parameter {parameter!r}"
                )
        return core.constant(made)

    return make


def _is_literal(value: core.Value) -> bool:

    return core.is_known(value)


def give(
    spec: Specialiser, custom: CustomFunction, method: str, args: Args, words: Words
) -> core.Value:
    """``g.defvjp(forward, reverse)``, ``g.defjvp(pushforward)``."""
    if not isinstance(custom, NestedCustom):
        raise core.Unsupported(
            f"{custom.__name__} is given a derivative while the function runs",
            f"call {method} at module level",
        )
    if custom.block is not spec.block:
        raise core.Unsupported(
            f"{custom.__name__} is made in one block, and is given its derivative in "
            "another, which may not run",
            f"call {method} next to its definition",
        )
    names = ("forward", "reverse") if method == "defvjp" else ("pushforward",)
    given = {**dict(zip(names, args, strict=False)), **words}
    if len(args) > len(names) or set(given) != set(names):
        raise core.Unsupported(f"{method} takes {' and '.join(names)}")
    for name, value in given.items():
        if not isinstance(value, core.Closure) and (
            not isinstance(value, core.Leaf) or text_of(value) is None
        ):
            raise core.Unsupported(
                f"{method} is given {core.describe(value)}",
                "give it functions by name, or lambdas",
            )
        setattr(custom, name, value)
    return core.constant(custom)


MADE_INSIDE: dict[Any, Any] = {}
for _maker in (custom_vjp, custom_jvp, primitive):
    MADE_INSIDE[_maker] = _made(_maker)
    MADE_INSIDE[StaticS2sad(f"s2sad.{_maker.__name__}")] = MADE_INSIDE[_maker]
