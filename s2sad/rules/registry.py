"""The table of rules, and the forms in which a rule is written.

An elementwise function gives its partial derivatives; both modes follow from them::

    elementwise(np.tanh, lambda x, out: 1 - out**2)
    elementwise(np.multiply, lambda x, y, out: (y, x))

Any other function gives its pullback, as ordinary Python that is compiled into the
gradient. It returns one cotangent for each differentiable parameter, in order (bare if
there is one)::

    @reverse_of(np.linalg.solve, kind=solve_kind)
    def solve(a, b, *, out, out_bar): ...

and its pushforward in ``forward_of``, with a tangent ``<name>_dot`` for each
differentiable parameter; ``linear`` says that the function itself, applied to the
tangent of its first parameter, is the pushforward, and ``bilinear`` that the function
is linear in each differentiable parameter. The parameters of the function in the rule
are the ones it supports.
"""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from s2sad import errors, ir

KindFunction = Callable[..., ir.Kind]


@dataclass(frozen=True)
class Rule:
    """What s2sad knows of one function."""

    function: Callable[..., Any]
    signature: inspect.Signature
    """The parameters of the function that the rule supports."""
    kind: KindFunction | None = None
    """The kind of the result from the kinds of the arguments; None where it is
    unknown."""
    differentiable: tuple[str, ...] = ()
    """Parameters that may carry a derivative; empty for functions whose derivative is
    zero."""
    partials: Callable[..., Any] | None = None
    """Partial derivatives of an elementwise function, in order of
    ``differentiable``."""
    reverse: Callable[..., Any] | None = None
    forward: Callable[..., Any] | None = None
    linear: bool = False
    """The pushforward is the function itself applied to the tangent of its first
    parameter."""
    bilinear: bool = False
    """The pushforward is the sum of the function itself applied to the tangent of each
    differentiable parameter beside the others."""
    lazy: bool = False
    """The pullback accepts a cotangent that only broadcasts to the shape of ``out``."""
    masking: bool = False
    """Parts of the cotangent are zero by selection (``where``, ``maximum``), not by
    value."""
    pointwise: bool = False
    """The pullback multiplies each element of the cotangent by a factor (``abs``)."""
    singular: bool = False
    """Partials may be infinite or nan inside the domain's border (``sqrt`` at 0)."""
    view: bool = False
    """The result may share memory with the first argument."""
    complex: bool = False
    """The derivative holds for complex numbers: partials are those of a holomorphic
    function, the pullback conjugates where it must."""
    divides: bool = False
    """Parts of a cotangent of full shape have the full shape of their arguments."""
    cheap: bool = False
    """Recomputing costs less than keeping the result."""
    batched: Callable[..., Any] | None = None
    """What the function is where the parameters named in ``batched`` have one more axis
    in front, along which many tangents or cotangents stand."""
    takes_sequence: bool = False
    """The first parameter is a tuple or list of arrays (``np.concatenate``), not an
    array."""
    written: bool = False
    """``reverse`` and ``forward`` write their lines themselves: they take the
    specialiser, the arguments, the result, and the cotangent with the names of the
    arguments whose cotangents are wanted, or the tangents that aren't zero."""
    draws: bool = False
    """The function draws random numbers: a call is never repeated, dropped or moved."""
    refused: tuple[str, ...] = ()
    """Parameters that have a derivative which nobody can give: they may not vary."""
    version: int = 0
    """Counts registrations of the same function; cached gradients depend on it."""

    @property
    def differentiates(self) -> bool:
        """False where the derivative is zero everywhere (``np.sign``, comparisons)."""
        return bool(self.differentiable)

    @cached_property
    def _plain(self) -> tuple[tuple[str, ...], int] | None:
        """The parameters that positions may fill and how many of them have no default;
        None where there are others that must be given, or ``*args``."""
        parameters = self.signature.parameters.values()
        positional = [
            p
            for p in parameters
            if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        ]
        for p in parameters:
            if p.kind is p.VAR_POSITIONAL:
                return None
            if p.kind is p.KEYWORD_ONLY and p.default is p.empty:
                return None
        needed = sum(p.default is p.empty for p in positional)
        return tuple(p.name for p in positional), needed

    def arguments_of(
        self, args: Sequence[Any], keywords: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """The arguments of a call by parameter; TypeError where the rule doesn't take
        them. Most calls have positions alone, for which ``inspect`` is slow."""
        if not keywords and self._plain is not None:
            names, needed = self._plain
            if needed <= len(args) <= len(names):
                return dict(zip(names, args, strict=False))
        return self.signature.bind(*args, **keywords).arguments


_RULES: dict[Any, Rule] = {}
_registrations = 0


class OwnRule:
    """An operation that the compiler makes for one call, with the rule for it."""

    rule: Rule

    def __call__(self, *args):
        raise NotImplementedError("an operation of the compiler is no function")


_first: ContextVar[dict[Any, Rule] | None] = ContextVar("_first", default=None)
"""Rules that hold for one compilation, before those of the table."""
_collects: ContextVar[bool] = ContextVar("_collects", default=False)


@contextmanager
def rules_first(rules: dict[Any, Rule], collect: bool = False) -> Iterator[None]:
    """Let these rules hold before the others; ``collect`` what is registered inside
    among them."""
    tokens = _first.set(rules), _collects.set(collect)
    try:
        yield
    finally:
        _first.reset(tokens[0])
        _collects.reset(tokens[1])


_more: list[Callable[[], bool]] = []


def look_here_too(load: Callable[[], bool]) -> None:
    """Let ``load`` bring rules where a function has none; it says whether there were
    any."""
    _more.append(load)


@contextmanager
def kept_rules() -> Iterator[None]:
    """Register rules behind those that there are, without a word to dispatch."""
    global _registrations
    before, count = dict(_RULES), _registrations
    tokens = _first.set(None), _collects.set(False)
    try:
        yield
    finally:
        _first.reset(tokens[0])
        _collects.reset(tokens[1])
        _RULES.update(before)
        _registrations = count


def rule_for(function: Any) -> Rule | None:
    """The rule of a function; None where there is none."""
    if isinstance(function, OwnRule):
        return function.rule
    found = _known_rule(function)
    if found is None and any(load() for load in _more):
        return _known_rule(function)
    return found


def _known_rule(function: Any) -> Rule | None:
    first = _first.get()
    try:
        if first and function in first:
            return first[function]
        found = _RULES.get(function)
    except TypeError:  # unhashable callables have no rule
        return None
    owner = getattr(function, "__self__", None)
    if found is None and owner is not None:  # a method of a known object
        return _RULES.get((type(owner), getattr(function, "__name__", "")))
    return found


def all_rules() -> tuple[Rule, ...]:
    """All rules, in order of registration."""
    return tuple(_RULES.values())


def registration_count() -> int:
    """Grows with each registration, so that dispatch notices new rules."""
    return _registrations


def note_registration() -> None:
    """Let dispatch notice that what is known of some function has changed."""
    global _registrations
    _registrations += 1


def register(rule: Rule) -> None:
    """Put a rule in the table; a later one for the same function replaces the
    earlier."""
    global _registrations
    first = _first.get()
    if first is not None and _collects.get():
        first[rule.function] = rule
        return
    _registrations += 1
    _RULES[rule.function] = replace(rule, version=_registrations)


def holds_for_complex(function: Any) -> None:
    """Say that the derivative of a function that has a rule holds for complex
    numbers."""
    _RULES[function] = replace(_RULES[function], complex=True)


def unregister(function: Any) -> None:
    """Remove the rule of a function."""
    global _registrations
    _registrations += 1
    _RULES.pop(function, None)


def _functions(function: Any) -> tuple[Any, ...]:
    return function if isinstance(function, tuple) else (function,)


def _split_signature(
    rule: Callable[..., Any], reserved: Iterable[str]
) -> inspect.Signature:
    """The rule's parameters without the ones that s2sad supplies."""
    signature = inspect.signature(rule)
    kept = [p for name, p in signature.parameters.items() if name not in set(reserved)]
    return signature.replace(parameters=kept)


def elementwise(
    function: Any,
    partials: Callable[..., Any],
    *,
    kind: KindFunction | None = None,
    differentiable: tuple[str, ...] | None = None,
    forward: Callable[..., Any] | None = None,
    masking: bool = False,
    singular: bool = False,
    cheap: bool = False,
    complex: bool = False,
    refused: tuple[str, ...] = (),
) -> None:
    """Register an elementwise function by its partial derivatives.

    ``partials(*arguments, out)`` returns the partial derivative with respect to each
    argument, a tuple where there are several. Arrays broadcast as in NumPy. ``complex``
    says that the function is holomorphic, and that they hold for complex numbers.
    ``function`` may be a tuple of functions that share the rule. Arguments in
    ``refused`` may not vary; the others, if not ``differentiable``, have derivative 0.
    """
    from s2sad.rules.result_kinds import elementwise_kind

    signature = _split_signature(partials, ["out"])
    names = differentiable
    if names is None:
        names = tuple(name for name in signature.parameters if name not in refused)
    for one in _functions(function):
        register(
            Rule(
                one,
                signature,
                kind=kind or elementwise_kind(one),
                differentiable=names,
                partials=partials,
                forward=forward,
                masking=masking,
                singular=singular,
                cheap=cheap,
                complex=complex,
                refused=refused,
                lazy=True,
            )
        )


def in_last_argument(
    function: Any, partial: Callable[..., Any], *, singular: bool = False
) -> None:
    """Register an elementwise function by its partial derivative with respect to its
    last argument; the others may not vary."""
    *others, _ = _split_signature(partial, ["out"]).parameters
    elementwise(function, partial, singular=singular, refused=tuple(others))


def reverse_of(
    function: Any,
    *,
    kind: KindFunction | None = None,
    differentiable: tuple[str, ...] | None = None,
    **properties: Any,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register the pullback of a function (see the module's text for its form)."""

    def decorate(rule: Callable[..., Any]) -> Callable[..., Any]:
        parameters = inspect.signature(rule).parameters
        if "out_bar" not in parameters:
            raise errors.RuleError(
                f"the rule {rule.__name__} must take the keyword-only parameters "
                "out and out_bar: def rule(x, *, out, out_bar)"
            )
        signature = _split_signature(rule, ["out", "out_bar"])
        names = differentiable or tuple(signature.parameters)[:1]
        for one in _functions(function):
            register(
                Rule(
                    one,
                    signature,
                    kind=kind,
                    differentiable=names,
                    reverse=rule,
                    **properties,
                )
            )
        return rule

    return decorate


def forward_of(
    function: Any,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register the pushforward of a function that has a pullback already."""

    def decorate(rule: Callable[..., Any]) -> Callable[..., Any]:
        for one in _functions(function):
            known = rule_for(one)
            if known is None:
                raise errors.RuleError(
                    f"register the pullback of {one.__name__} with reverse_of before "
                    "its pushforward"
                )
            register(replace(known, forward=rule, linear=False, bilinear=False))
        return rule

    return decorate


def batched_as(
    function: Any,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register what a function that has a rule already is for many tangents at once.

    The text takes the parameters of the function and ``batched``, the names of those
    that have one more axis in front; its result has that axis too::

        @batched_as(cumulated)
        def _(x, *, batched):
            return np.cumsum(x, axis=1)
    """

    def decorate(rule: Callable[..., Any]) -> Callable[..., Any]:
        for one in _functions(function):
            known = rule_for(one)
            if known is None:
                raise errors.RuleError(
                    f"register the derivative of {one.__name__} before what it is for "
                    "many tangents at once"
                )
            register(replace(known, batched=rule))
        return rule

    return decorate


def without_derivative(
    function: Any,
    signature: Callable[..., Any] | None = None,
    *,
    kind: KindFunction | None = None,
    cheap: bool = False,
    takes_sequence: bool = False,
    refused: tuple[str, ...] = (),
) -> None:
    """Register functions whose derivative is zero or that make data from nothing.

    ``signature`` is a function with the supported parameters, usually a lambda; without
    it, they are those of the function itself. Those in ``refused`` may not vary.
    """
    for one in _functions(function):
        register(
            Rule(
                one,
                inspect.signature(signature or one),
                kind=kind,
                cheap=cheap,
                lazy=True,
                takes_sequence=takes_sequence,
                refused=refused,
            )
        )
